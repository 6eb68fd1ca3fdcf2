//! Tracking errors in words.

/// What a gain error and a delay mean: `undershoot 3.1 %, lag 2.4 ms`.
///
/// Ports: `amplitude_error` = measured over target amplitude, less one (negative: undershoot);
/// `delay` in s (positive: the measured motion lags). What would be printed as zero is said to be
/// fine.
pub fn tracking_words(amplitude_error: f64, delay: f64) -> String {
    let percent = 100.0 * amplitude_error.abs();
    let milliseconds = 1e3 * delay.abs();
    let amplitude = match amplitude_error {
        e if e.is_nan() => "amplitude unknown".to_owned(),
        _ if percent < 0.05 => "amplitude right".to_owned(),
        e if e < 0.0 => format!("undershoot {percent:.1} %"),
        _ => format!("overshoot {percent:.1} %"),
    };
    let timing = match delay {
        d if d.is_nan() => "delay unknown".to_owned(),
        _ if milliseconds < 0.05 => "in time".to_owned(),
        d if d > 0.0 => format!("lag {milliseconds:.1} ms"),
        _ => format!("lead {milliseconds:.1} ms"),
    };
    format!("{amplitude}, {timing}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_worded() {
        for (amplitude, delay, words) in [
            (-0.031, 0.0024, "undershoot 3.1 %, lag 2.4 ms"),
            (0.02, -0.0005, "overshoot 2.0 %, lead 0.5 ms"),
            (0.0001, -0.00001, "amplitude right, in time"),
            (f64::NAN, f64::NAN, "amplitude unknown, delay unknown"),
        ] {
            assert_eq!(tracking_words(amplitude, delay), words);
        }
    }
}
