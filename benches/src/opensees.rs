//! A ping-pong of genericClient's bytes without any framework: the floor for a server, and a plain
//! server that nobody told about delayed acknowledgements.
//!
//! `tandem-bench opensees floor|plain` listens on any port, prints `listening on ADDRESS`, and
//! serves one client a spring of 500.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// Serves one client.
pub fn serve(words: &[String]) -> Result<(), String> {
    let quick = match words {
        [word] if word == "floor" => true,
        [word] if word == "plain" => false,
        _ => return Err("say `floor` or `plain`".to_owned()),
    };
    session(quick).map_err(|error| error.to_string())
}

/// Reads without ever sleeping: the floor spends nothing on being woken.
fn read_awake(stream: &TcpStream, into: &mut [u8]) -> std::io::Result<usize> {
    use rustix::net::{RecvFlags, recv};
    loop {
        match recv(stream, &mut *into, RecvFlags::DONTWAIT) {
            Ok((n, _)) => return Ok(n),
            Err(rustix::io::Errno::AGAIN) => std::thread::yield_now(),
            Err(error) => return Err(error.into()),
        }
    }
}

fn session(quick: bool) -> std::io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("listening on {}", listener.local_addr()?);
    std::io::stdout().flush()?;
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(quick)?;
    let mut sizes = [0; 44];
    stream.read_exact(&mut sizes)?;
    let length = i32::from_le_bytes([sizes[40], sizes[41], sizes[42], sizes[43]]);
    let bytes = 8 * usize::try_from(length).unwrap_or(0).min(1_000_000);
    let (mut request, mut answer) = (vec![0; bytes], vec![0; bytes]);
    let mut force = [0; 8];
    let word = |bytes: &[u8], at: usize| {
        bytes
            .get(8 * at..8 * at + 8)
            .and_then(|w| w.try_into().ok())
            .map_or(f64::NAN, f64::from_le_bytes)
    };
    loop {
        let mut at = 0;
        while at < bytes {
            #[cfg(target_os = "linux")]
            if quick {
                rustix::net::sockopt::set_tcp_quickack(&stream, true)?;
            }
            let rest = request.get_mut(at..).unwrap_or_default();
            let read = if quick {
                read_awake(&stream, rest)
            } else {
                stream.read(rest)
            };
            match read? {
                0 => return Ok(()),
                n => at += n,
            }
        }
        let reply = match word(&request, 0) {
            code if (code - 3.0).abs() < 0.5 => {
                force = (500.0 * word(&request, 1)).to_le_bytes();
                None
            }
            code if (code - 10.0).abs() < 0.5 => Some(force),
            code if (code - 12.5).abs() < 1.0 => Some(500_f64.to_le_bytes()),
            code if (13.5..16.0).contains(&code) => Some([0; 8]),
            code if code > 98.5 => return Ok(()),
            _ => None,
        };
        if let Some(reply) = reply {
            if let Some(place) = answer.get_mut(..8) {
                place.copy_from_slice(&reply);
            }
            stream.write_all(&answer)?;
        }
    }
}
