//! How late this machine wakes a thread up, and which rate it can carry.

use super::{Histogram, Refused, Settings, claim};
use crate::system;
use std::time::Duration;

/// Wake-up latency of this machine.
#[derive(Clone, Debug)]
pub struct Latency {
    /// From the deadline to being awake.
    pub histogram: Histogram,
    /// Period of the measurement, s.
    pub period: f64,
    /// What the system did not grant.
    pub refused: Refused,
    /// Why cores may fall asleep between two wake-ups.
    pub cores_sleep: Option<String>,
}

/// Rates that laboratories use, Hz.
const RATES: [f64; 8] = [8192.0, 4096.0, 2048.0, 1024.0, 512.0, 256.0, 128.0, 64.0];

impl Latency {
    /// The highest usual rate at which less than one wake-up in a thousand comes after half the
    /// period: the other half is the loop's.
    pub fn carries(&self) -> Option<f64> {
        let late = self.histogram.percentile(0.999) * 1e-6;
        RATES.into_iter().find(|rate| late < 0.5 / rate)
    }

    /// The same for the worst wake-up that was seen.
    pub fn carries_always(&self) -> Option<f64> {
        let late = self.histogram.max_us() * 1e-6;
        RATES.into_iter().find(|rate| late < 0.5 / rate)
    }
}

/// Wakes up once a period for so long, in a thread with real-time rights.
pub fn measure_latency(period: Duration, length: Duration, settings: Settings) -> Latency {
    let measure = move || {
        let claim = claim(settings);
        let mut latency = Latency {
            histogram: Histogram::default(),
            period: period.as_secs_f64(),
            cores_sleep: claim.cores_sleep(),
            refused: claim.refused.clone(),
        };
        let step = i64::try_from(period.as_nanos()).unwrap_or(1_000_000).max(1);
        let end = i64::try_from(length.as_nanos()).unwrap_or(i64::MAX / 2);
        let start = system::now() + step;
        let mut deadline = start;
        while deadline - start < end {
            system::sleep_until(deadline);
            let now = system::now();
            latency.histogram.add(now - deadline);
            deadline += step;
            if now > deadline {
                deadline += (now - deadline) / step * step + step;
            }
        }
        latency
    };
    match std::thread::spawn(measure).join() {
        Ok(latency) => latency,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
