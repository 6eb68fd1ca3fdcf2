//! The program against the real OpenSees (openseespy), over sockets on this machine.

mod driven;
mod serve;

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use tandem_test_support::last_json;

use crate::TANDEM;

/// Python with OpenSees, or a skip.
pub fn python() -> Option<PathBuf> {
    tandem_test_support::python(&["openseespy.opensees"])
}

/// A port that no other test and no system gives away: below those that are taken for port zero,
/// and each only once.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    loop {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Folder of the scripts.
pub fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/links")
}

/// The program, listening: its process and the ports that it named.
pub struct Listening {
    /// The program.
    pub child: Child,
    /// One for each door.
    pub ports: Vec<u16>,
    /// What it says next.
    pub out: BufReader<std::process::ChildStdout>,
}

/// Starts the program and reads `listening on ADDRESS` as many times as it has doors.
pub fn listen(words: &[&str], doors: usize) -> Listening {
    let mut child = TANDEM
        .command(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut ports = Vec::new();
    while ports.len() < doors {
        let mut line = String::new();
        if out.read_line(&mut line).unwrap() == 0 {
            let output = child.wait_with_output().unwrap();
            panic!("{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        if let Some(address) = line.trim().strip_prefix("listening on ") {
            ports.push(address.rsplit(':').next().unwrap().parse().unwrap());
        }
    }
    Listening { child, ports, out }
}

/// Runs a plan into a folder, with more words, as [`listen`].
pub fn listen_to_driver(plan: &Path, run: &Path, more: &[&str], doors: usize) -> Listening {
    let [plan, run] = [plan, run].map(|path| path.to_str().unwrap());
    listen(&[&["run", plan, "--out", run], more].concat(), doors)
}

impl Listening {
    /// Waits for the end; exit code, what it said, and the rest of its standard output.
    pub fn end(mut self) -> (i32, String, String) {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.out, &mut rest).unwrap();
        let output = self.child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), said, rest)
    }
}

/// Runs a script of OpenSees; the last line of its output is JSON.
pub fn opensees(python: &Path, script: &Path, words: &[&str]) -> serde_json::Value {
    let output = Command::new(python)
        .arg(script)
        .args(words)
        .output()
        .unwrap();
    last_json(&output)
}

/// A LabVIEW client at a port: asks, with `|` for the tabulators, and hears the answer.
pub struct LabView(BufReader<TcpStream>);

impl LabView {
    /// Calls.
    pub fn at(port: u16) -> Self {
        Self(BufReader::new(
            TcpStream::connect(("127.0.0.1", port)).unwrap(),
        ))
    }

    /// The answer to one line.
    pub fn ask(&mut self, line: &str) -> String {
        let line = format!("{}\n", line.replace('|', "\t"));
        self.0.get_mut().write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        self.0.read_line(&mut answer).unwrap();
        answer.trim_end().replace('\t', "|")
    }
}
