//! What the fuzz target of the device protocol calls.

use super::link::Gathered;
use super::message::{Head, LONGEST, MessageKind, Wrong, decode, encode, value};

/// What a fuzz target is: its name, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets of this protocol.
pub const TARGETS: &[Target] = &[("device", device)];

/// What a device sends: as a datagram, and as a stream in pieces whose length the first byte gives.
pub fn device(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else {
        return;
    };
    if let Ok(head) = decode(bytes) {
        keeps(&head, bytes);
    }
    let mut gathered = Gathered::new();
    let mut message = [0; LONGEST];
    for mut piece in bytes.chunks(1 + usize::from(*first)) {
        while !piece.is_empty() {
            let space = gathered.space();
            assert!(!space.is_empty(), "a stream stands still for ever");
            let n = space.len().min(piece.len());
            let (now, later) = piece.split_at(n);
            space[..n].copy_from_slice(now);
            gathered.filled(n);
            piece = later;
            loop {
                match gathered.next(&mut message) {
                    Ok(head) => keeps(&head, &message[..head.length()]),
                    Err(Wrong::Foreign) => return,
                    Err(Wrong::Short(_)) => break,
                }
            }
        }
    }
}

/// A message that was taken holds what its head promises, and goes out again as it came.
fn keeps(head: &Head, bytes: &[u8]) {
    let values: Vec<f64> = (0..head.kind.values(head.actuators))
        .map(|i| value(bytes, i))
        .collect();
    let mut again = [0; LONGEST];
    let length = encode(head, &[&values], &mut again);
    assert_eq!(length, head.length());
    assert_eq!(again[..length], bytes[..length]);
    let carries = matches!(head.kind, MessageKind::Rest | MessageKind::Stop) || !values.is_empty();
    assert!(carries || head.actuators == 0);
}
