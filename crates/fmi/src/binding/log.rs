//! Messages of an FMU, as its logger callback gets them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Mutex;

/// Enough to understand an error; an FMU that talks at every step does not fill the memory.
const MOST: usize = 50;

/// Where the callbacks of an instance write. Its address is the `environment` of the callbacks, so it lives in a box until the
/// instance is freed.
#[derive(Default)]
pub(super) struct Log {
    messages: Mutex<Vec<String>>,
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
    text.to_string_lossy().trim().to_owned()
}

/// The logger of FMI 2. The standard's is variadic; the five fixed arguments are where they would be, and the message
/// stays with its format signs.
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
