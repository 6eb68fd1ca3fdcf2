//! An FMU in this process that calls `exit`: the program would end in the middle of its work, with
//! the FMU's exit code, which may well be that of success, and without a word.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

const WORDS: &[u8] =
    b"error: an FMU in this process has ended the program (it called exit); leave \
    out --in-process / in_process to contain it\n";

/// Instances in this process.
static LIVING: AtomicUsize = AtomicUsize::new(0);
/// The program itself wants to end.
static LEAVING: AtomicBool = AtomicBool::new(false);
/// Process in which the instances are: one that an FMU has forked off may end as it likes.
static PROCESS: AtomicI32 = AtomicI32::new(0);
static REGISTERED: Once = Once::new();

/// While one of these lives, an end of the program that it has not announced is an FMU's doing: it
/// is told, and the exit code is 1.
pub(super) struct Guard(());

impl Guard {
    pub(super) fn arm() -> Self {
        REGISTERED.call_once(|| {
            // SAFETY: a function without arguments that does not unwind. Where there is no room for
            // it, the guard is missing and nothing else.
            unsafe { libc::atexit(at_exit) };
        });
        PROCESS.store(process(), Ordering::SeqCst);
        LIVING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        LIVING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The program is about to end by itself, whatever FMUs still live in it.
pub fn leaving() {
    LEAVING.store(true, Ordering::SeqCst);
}

fn process() -> i32 {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::getpid() }
}

extern "C" fn at_exit() {
    if LEAVING.load(Ordering::SeqCst)
        || LIVING.load(Ordering::SeqCst) == 0
        || PROCESS.load(Ordering::SeqCst) != process()
    {
        return;
    }
    // What the FMU has printed before may explain it.
    super::flush_prints();
    // SAFETY: a living buffer with its length; nothing of this process is used after `_exit`.
    unsafe {
        libc::write(2, WORDS.as_ptr().cast(), WORDS.len());
        libc::_exit(1)
    }
}
