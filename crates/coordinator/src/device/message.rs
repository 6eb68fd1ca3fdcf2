//! The messages of the device protocol; `docs/device-protocol.md` is their description.
//!
//! ```text
//!  0  4 bytes  "TDV1"
//!  4  u8       kind            5  u8  actuators n        6  u16  flags
//!  8  u32      sequence       12  u32 sequence of the last message heard from the other side
//! 16  f64      time stamp of the sender, s
//! 24  f64 …    values; their number follows from kind and n
//! ```
//! All numbers are little-endian.

/// First bytes of every message.
pub const MAGIC: [u8; 4] = *b"TDV1";
/// Bytes in front of the values.
pub const HEAD: usize = 24;
/// Most actuators of one device.
pub const MOST_ACTUATORS: usize = 32;
/// Longest message.
pub const LONGEST: usize = HEAD + 8 * (2 * MOST_ACTUATORS + 1);

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MessageKind {
    /// Coordinator: who is there? Values: period in s, periods of silence after which the device
    /// holds.
    Hello = 1,
    /// Device: I am. Values as in `Measured`.
    Welcome = 2,
    /// Coordinator: displacement (m) and velocity (m/s) of every actuator.
    Command = 3,
    /// Device: displacement (m) and force (N) of every actuator, then the largest opening of a
    /// valve (0 … 1).
    Measured = 4,
    /// Coordinator: still there; nothing may move.
    Rest = 5,
    /// Coordinator: hydraulics down; flag 1: at once.
    Stop = 6,
}

impl MessageKind {
    fn of(byte: u8) -> Option<Self> {
        [
            Self::Hello,
            Self::Welcome,
            Self::Command,
            Self::Measured,
            Self::Rest,
            Self::Stop,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == byte)
    }

    /// Number of values.
    pub fn values(self, actuators: usize) -> usize {
        match self {
            Self::Hello => 2,
            Self::Command => 2 * actuators,
            Self::Welcome | Self::Measured => 2 * actuators + 1,
            Self::Rest | Self::Stop => 0,
        }
    }
}

/// Flags of a device.
pub mod flags {
    /// The working pressure is there.
    pub const PRESSURE: u16 = 1;
    /// The service manifold is open.
    pub const MANIFOLD: u16 = 2;
    /// The emergency chain is open.
    pub const EMERGENCY: u16 = 4;
    /// The device holds by itself: it had heard nothing for too long.
    pub const HOLDING: u16 = 8;
}

/// The head of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// What it is.
    pub kind: MessageKind,
    /// Number of actuators.
    pub actuators: usize,
    /// Flags.
    pub flags: u16,
    /// Counts the messages of the sender.
    pub sequence: u32,
    /// The last sequence number that the sender had heard.
    pub echo: u32,
    /// The sender's clock, s.
    pub time: f64,
}

impl Head {
    /// Length of the whole message.
    pub fn length(&self) -> usize {
        HEAD + 8 * self.kind.values(self.actuators)
    }
}

/// Writes a message; gives its length. Does not allocate.
pub fn encode(head: &Head, values: &[&[f64]], into: &mut [u8; LONGEST]) -> usize {
    into[0..4].copy_from_slice(&MAGIC);
    into[4] = head.kind as u8;
    into[5] = u8::try_from(head.actuators).unwrap_or(0);
    into[6..8].copy_from_slice(&head.flags.to_le_bytes());
    into[8..12].copy_from_slice(&head.sequence.to_le_bytes());
    into[12..16].copy_from_slice(&head.echo.to_le_bytes());
    into[16..24].copy_from_slice(&head.time.to_le_bytes());
    let places = into[HEAD..].chunks_exact_mut(8);
    let values = values.iter().flat_map(|part| part.iter());
    for (place, value) in places.zip(values) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    head.length()
}

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The rest has not come yet: so many bytes are needed at least.
    Short(usize),
    /// These are not ours.
    Foreign,
}

/// Reads the head of a message and checks that all of it is there.
pub fn decode(bytes: &[u8]) -> Result<Head, Wrong> {
    let Some(head) = bytes.first_chunk::<HEAD>() else {
        let known = bytes.len().min(4);
        return Err(if bytes[..known] == MAGIC[..known] {
            Wrong::Short(HEAD)
        } else {
            Wrong::Foreign
        });
    };
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let kind = MessageKind::of(head[4]).filter(|_| head[..4] == MAGIC);
    let actuators = usize::from(head[5]);
    let (Some(kind), true) = (kind, actuators <= MOST_ACTUATORS) else {
        return Err(Wrong::Foreign);
    };
    let mut time = [0; 8];
    time.copy_from_slice(&head[16..24]);
    let head = Head {
        kind,
        actuators,
        flags: u16::from_le_bytes([head[6], head[7]]),
        sequence: word(8),
        echo: word(12),
        time: f64::from_le_bytes(time),
    };
    if bytes.len() < head.length() {
        return Err(Wrong::Short(head.length()));
    }
    Ok(head)
}

/// Value `i` of a message that [`decode`] accepted.
pub fn value(bytes: &[u8], i: usize) -> f64 {
    let at = HEAD + 8 * i;
    let bytes = bytes.get(at..at + 8).and_then(|b| b.try_into().ok());
    bytes.map_or(f64::NAN, f64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_their_way() {
        let head = Head {
            kind: MessageKind::Measured,
            actuators: 2,
            flags: flags::PRESSURE | flags::MANIFOLD,
            sequence: 0x0102_0304,
            echo: 7,
            time: 1.5,
        };
        let mut bytes = [0; LONGEST];
        let n = encode(&head, &[&[0.25, -0.5], &[1e3, 2e3], &[0.75]], &mut bytes);
        assert_eq!(n, 24 + 40);
        assert_eq!(decode(&bytes[..n]), Ok(head));
        let values: Vec<f64> = (0..5).map(|i| value(&bytes[..n], i)).collect();
        assert_eq!(values, [0.25, -0.5, 1e3, 2e3, 0.75]);
        assert!(value(&bytes[..n], 5).is_nan());
        for short in 0..n {
            assert!(
                matches!(decode(&bytes[..short]), Err(Wrong::Short(_))),
                "{short}"
            );
        }
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        assert_eq!(decode(b"GET / HTTP/1.1"), Err(Wrong::Foreign));
        let mut bytes = [0; LONGEST];
        let head = Head {
            kind: MessageKind::Rest,
            actuators: 1,
            flags: 0,
            sequence: 1,
            echo: 0,
            time: 0.0,
        };
        let n = encode(&head, &[], &mut bytes);
        bytes[4] = 99;
        assert_eq!(decode(&bytes[..n]), Err(Wrong::Foreign));
        bytes[4] = 3;
        bytes[5] = 200;
        assert_eq!(decode(&bytes[..n]), Err(Wrong::Foreign));
    }
}
