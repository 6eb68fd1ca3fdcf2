//! The seven calls that a real-time thread needs from Linux. The only unsafe code of the project:
//! none of these has a wrapper in the standard library, each takes plain numbers or a pointer to a
//! local value, and each result is checked.
#![allow(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{self, Write};

/// Nanoseconds of the monotonic clock.
pub type Nanoseconds = i64;

#[cfg(target_os = "linux")]
mod linux {
    use super::{Nanoseconds, io};

    fn checked(code: libc::c_int) -> io::Result<()> {
        if code == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Keeps all memory of the process, present and future, out of the swap and faulted in.
    pub fn lock_memory() -> io::Result<()> {
        // SAFETY: takes flags only.
        checked(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) })
    }

    /// Gives the memory free again.
    pub fn unlock_memory() {
        // SAFETY: takes nothing.
        unsafe { libc::munlockall() };
    }

    /// Puts this thread under SCHED_FIFO with a priority from 1 to 99.
    pub fn schedule_fifo(priority: i32) -> io::Result<()> {
        let parameter = libc::sched_param {
            sched_priority: priority,
        };
        // SAFETY: 0 is this thread; the pointer is to a local value that outlives the call.
        checked(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter) })
    }

    /// Lets this thread run on one core only.
    pub fn pin_to(core: usize) -> io::Result<()> {
        if core >= libc::CPU_SETSIZE as usize {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        // SAFETY: an all-zero set is valid; `core` is within it, as just checked; the pointer is to
        // a local value of the given size.
        checked(unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(core, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
        })
    }

    /// Now, by the monotonic clock.
    #[inline]
    pub fn now() -> Nanoseconds {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the pointer is to a local value. This clock always exists.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Sleeps until an instant of the monotonic clock.
    #[inline]
    pub fn sleep_until(instant: Nanoseconds) {
        let time = libc::timespec {
            tv_sec: instant.div_euclid(1_000_000_000),
            tv_nsec: instant.rem_euclid(1_000_000_000),
        };
        // A signal wakes it early: sleep on.
        loop {
            // SAFETY: the pointer is to a local value; no remainder is asked for.
            let code = unsafe {
                libc::clock_nanosleep(
                    libc::CLOCK_MONOTONIC,
                    libc::TIMER_ABSTIME,
                    &raw const time,
                    std::ptr::null_mut(),
                )
            };
            if code != libc::EINTR {
                return;
            }
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::{lock_memory, now, pin_to, schedule_fifo, sleep_until, unlock_memory};

#[cfg(not(target_os = "linux"))]
mod other {
    use super::{Nanoseconds, io};
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    fn unsupported() -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub fn lock_memory() -> io::Result<()> {
        unsupported()
    }

    pub fn unlock_memory() {}

    pub fn schedule_fifo(_priority: i32) -> io::Result<()> {
        unsupported()
    }

    pub fn pin_to(_core: usize) -> io::Result<()> {
        unsupported()
    }

    pub fn now() -> Nanoseconds {
        static START: OnceLock<Instant> = OnceLock::new();
        let elapsed = START.get_or_init(Instant::now).elapsed();
        Nanoseconds::try_from(elapsed.as_nanos()).unwrap_or(Nanoseconds::MAX)
    }

    pub fn sleep_until(instant: Nanoseconds) {
        if let Ok(rest) = u64::try_from(instant - now()) {
            std::thread::sleep(Duration::from_nanos(rest));
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub use other::{lock_memory, now, pin_to, schedule_fifo, sleep_until, unlock_memory};

/// Keeps the cores out of their sleep states while the file lives: a sleeping core takes tens of
/// microseconds to wake up.
pub fn stay_awake() -> io::Result<File> {
    let mut file = OpenOptions::new()
        .write(true)
        .open("/dev/cpu_dma_latency")?;
    // Largest latency that is tolerated, µs.
    file.write_all(&0_i32.to_ne_bytes())?;
    Ok(file)
}

/// Touches the stack of this thread as deep as the loop may go, so that no page is missing later.
#[inline(never)]
pub fn prefault_stack() {
    let mut pages = [0_u8; 256 * 1024];
    for page in pages.chunks_mut(4096) {
        page[0] = 1;
    }
    std::hint::black_box(&pages);
}
