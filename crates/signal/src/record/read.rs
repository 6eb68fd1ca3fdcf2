//! Recognising a file's format.

use super::text::Text;
use super::{
    ReadHint, Record, RecordError, cosmos, csmip, csv, error, knet, peer, plain, rspmatch,
};

type Recogniser = fn(&Text<'_>) -> bool;
type Reader = fn(&Text<'_>, &ReadHint) -> Result<Record, RecordError>;

/// The formats, surest mark first.
const FORMATS: [(Recogniser, Reader); 7] = [
    (knet::recognise, knet::read),
    (cosmos::recognise, cosmos::read),
    (csmip::recognise, csmip::read),
    (peer::recognise, peer::read),
    (csv::recognise, csv::read),
    (rspmatch::recognise, rspmatch::read),
    (plain::recognise, plain::read),
];

/// Reads a record from the bytes of a file. `name` is the file's name with its ending; it helps to
/// recognise the format and stands in every message.
///
/// Known: PEER AT2/VT2/DT2, CSMIP V1/V2, COSMOS, K-NET, RSPMatch `.acc`, CSV with units in its
/// header, time and value columns, one column, OpenSees Path values. A unit is taken from the file
/// or from `hint`, never guessed.
///
/// # Errors
/// [`RecordError`] with the place, what was expected and found, and the remedy.
pub fn read(bytes: &[u8], name: &str, hint: &ReadHint) -> Result<Record, RecordError> {
    let text = Text::new(bytes, name)?;
    for (recognise, read) in FORMATS {
        if recognise(&text) {
            return read(&text, hint);
        }
    }
    let (line, found) = text
        .lines()
        .find(|(_, line)| !plain::is_comment(line))
        .unwrap_or((1, ""));
    Err(RecordError::UnknownFormat {
        file: name.to_owned(),
        line,
        found: error::excerpt(found),
    })
}

/// The channel that the hint asks for; a file with one channel needs no asking.
pub(super) fn choose<'c, T>(
    file: &str,
    hint: &ReadHint,
    channels: &'c [T],
    name: impl Fn(&T) -> &String,
) -> Result<&'c T, RecordError> {
    let chosen = match (hint.channel, channels) {
        (None, [only]) => Some(only),
        (None, _) => None,
        (Some(number), _) => number.checked_sub(1).and_then(|index| channels.get(index)),
    };
    chosen.ok_or_else(|| {
        let mut names = String::new();
        for (index, channel) in channels.iter().take(12).enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            names.push_str(&format!("{separator}{}: {}", index + 1, name(channel)));
        }
        if channels.len() > 12 {
            names.push_str("; …");
        }
        RecordError::Channel {
            file: file.to_owned(),
            available: channels.len(),
            names,
            asked: hint.channel,
        }
    })
}
