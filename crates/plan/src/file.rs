//! Texts from files.

use std::path::Path;
use std::sync::Arc;

use super::refusal::Findings;
use super::source::{Span, Text, Texts};

/// Larger plans are refused before they are parsed: long records belong in files of their own.
const LARGEST_FILE: u64 = 16 << 20;

/// Reads a file and appends it. `asked` is the place that asked for it (none for the plan
/// itself).
pub(super) fn load(
    texts: &mut Texts,
    path: &Path,
    asked: Option<Span>,
    findings: &mut Findings,
) -> Option<usize> {
    let name = path.display().to_string();
    let bytes = match read_limited(path) {
        Ok(bytes) => bytes,
        Err((message, help)) => {
            // A file that cannot be read has no text of its own to point into.
            let at = asked.unwrap_or_else(|| Span::new(texts.push_plain(&name, ""), 0..0));
            findings.add(at, "", message, "a readable plan file", help);
            return None;
        }
    };
    let broken = std::str::from_utf8(&bytes).err().map(|e| e.valid_up_to());
    let text: Arc<str> = match broken {
        None => String::from_utf8_lossy(&bytes).into(),
        // Only what comes before the broken byte can be shown and counted faithfully.
        Some(at) => String::from_utf8_lossy(bytes.get(..at).unwrap_or_default()).into(),
    };
    let end = text.len();
    let source = texts.push(Text {
        name,
        text,
        directory: path.parent().map(Path::to_path_buf).unwrap_or_default(),
        canonical: path.canonicalize().ok(),
    });
    if broken.is_some() {
        findings.add(
            Span::new(source, end..end),
            "",
            "the file is not UTF-8 text: here stands a byte that belongs to no character",
            "UTF-8 text",
            "save the file with the encoding UTF-8",
        );
        return None;
    }
    Some(source)
}

fn read_limited(path: &Path) -> Result<Vec<u8>, (String, String)> {
    use std::io::Read;
    let wrong = |e: std::io::Error| {
        let help = match e.kind() {
            std::io::ErrorKind::NotFound => "check the spelling and the directory of the path",
            std::io::ErrorKind::PermissionDenied => "allow this user to read the file",
            _ => "give the path of a TOML file",
        };
        (
            format!("cannot read `{}`: {e}", path.display()),
            help.to_owned(),
        )
    };
    let file = std::fs::File::open(path).map_err(wrong)?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too long, also when its length is not known
    // beforehand.
    file.take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(wrong)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let message = format!(
            "`{}` is larger than {} MB",
            path.display(),
            LARGEST_FILE >> 20
        );
        return Err((
            message,
            "keep long tables in files of their own and name them in the plan".to_owned(),
        ));
    }
    Ok(bytes)
}

/// Whether an embedded text is within the same limit as a file.
pub(super) fn fits(text: &str) -> bool {
    text.len() as u64 <= LARGEST_FILE
}
