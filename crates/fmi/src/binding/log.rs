//! Messages of an FMU, as its logger callback gets them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Enough to understand an error; an FMU that talks at every step does not fill the memory.
const MOST: usize = 50;

/// Characters of one message. Nobody reads more, and one message of an FMU may be as long as its
/// memory.
const LONGEST: usize = 2000;

/// Where the callbacks of an instance write. Its address is the `environment` of the callbacks, so
/// it lives in a box until the instance is freed.
#[derive(Default)]
pub(super) struct Log {
    messages: Mutex<Vec<String>>,
    /// Calls that were answered by a warning.
    warnings: AtomicU64,
}

impl Log {
    fn push(&self, status: c_int, text: String) {
        if let Ok(mut messages) = self.messages.lock()
            && (messages.len() < MOST || status >= 3)
            && messages.len() < 2 * MOST
        {
            messages.push(text);
        }
    }

    /// A call was answered by a warning. The first stands among the messages, since the FMU need
    /// not have said a word.
    pub(super) fn warned(&self, function: &str) {
        if self.warnings.fetch_add(1, Ordering::Relaxed) == 0 {
            self.push(1, format!("{function} was answered by a warning"));
        }
    }

    pub(super) fn warnings(&self) -> u64 {
        self.warnings.load(Ordering::Relaxed)
    }

    pub(super) fn take(&self) -> Vec<String> {
        self.messages
            .lock()
            .map(|mut messages| std::mem::take(&mut *messages))
            .unwrap_or_default()
    }
}

/// # Safety
/// `text` is null or ends in a zero byte.
unsafe fn words(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(text) };
    shortened(text.to_bytes())
}

/// A message as text, at most [`LONGEST`] characters of it and what was left out.
fn shortened(message: &[u8]) -> String {
    let message = message.trim_ascii();
    // A character has four bytes at most.
    let head = message.get(..4 * LONGEST).unwrap_or(message);
    let head = String::from_utf8_lossy(head);
    let Some((end, _)) = head.char_indices().nth(LONGEST) else {
        if head.len() >= message.len() {
            return head.into_owned();
        }
        return cut(&head, message.len());
    };
    cut(head.get(..end).unwrap_or(""), message.len())
}

fn cut(kept: &str, whole: usize) -> String {
    format!("{kept} … (a message of {whole} bytes; the rest is left out)")
}

/// The logger of FMI 2. The standard's is variadic; the five fixed arguments are where they would
/// be, and the message stays with its format signs.
pub(super) extern "C" fn logger_two(
    environment: *mut c_void,
    _instance: *const c_char,
    status: c_int,
    _category: *const c_char,
    message: *const c_char,
) {
    if environment.is_null() {
        return;
    }
    // SAFETY: the environment is the boxed `Log` of a living instance; the message is a C string.
    let (log, text) = unsafe { (&*environment.cast::<Log>(), words(message)) };
    log.push(status, text.replace("%%", "%"));
}

/// The logger of FMI 3.
pub(super) extern "C" fn logger_three(
    environment: *mut c_void,
    status: c_int,
    _category: *const c_char,
    message: *const c_char,
) {
    if environment.is_null() {
        return;
    }
    // SAFETY: the environment is the boxed `Log` of a living instance; the message is a C string.
    let (log, text) = unsafe { (&*environment.cast::<Log>(), words(message)) };
    log.push(status, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_any_length_stays_readable() {
        assert_eq!(shortened(b" a word\n"), "a word");
        assert_eq!(shortened(b"\xff"), "\u{fffd}");
        let fits = "ä".repeat(LONGEST);
        assert_eq!(shortened(fits.as_bytes()), fits);
        for letter in ["a", "ä", "€", "😀"] {
            let said = shortened(letter.repeat(100_000).as_bytes());
            assert!(said.chars().count() < LONGEST + 100, "{}", said.len());
            let whole = format!("{} bytes", 100_000 * letter.len());
            assert!(said.starts_with(letter) && said.contains(&whole), "{said}");
        }
    }
}
