//! The binary frames.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | kind: 1 bins, 2 now, 3 spectrum |
//! | 1 | level of the bins |
//! | 2 | channels c |
//! | 4 | bins n |
//! | 8 n | structural time at the end of each bin, s (kind 3: the frequencies' spacing, Hz, once) |
//! | 12 n c | least, largest and last value of every channel of every bin (kind 3: 4 n c, amplitudes of every actuator) |
//!
//! Little endian, f64 and f32. The channels are those that the page subscribed to, in its order.

use crate::history::Bin;

/// Kinds of frames.
pub const BINS: u8 = 1;
/// What came since the last frame, one bin.
pub const NOW: u8 = 2;
/// Amplitudes of the tracking error over frequency.
pub const SPECTRUM: u8 = 3;

/// Writes bins of the subscribed channels.
pub fn bins<'a>(
    kind: u8,
    level: u8,
    channels: &[usize],
    bins: impl Iterator<Item = (f64, &'a [Bin])>,
) -> Option<Vec<u8>> {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    let mut count = 0_u32;
    for (time, row) in bins {
        times.extend_from_slice(&time.to_le_bytes());
        for &channel in channels {
            let (min, max, last) = row
                .get(channel)
                .map_or((f32::NAN, f32::NAN, f32::NAN), |b| (b.min, b.max, b.last));
            for value in [min, max, last] {
                values.extend_from_slice(&value.to_le_bytes());
            }
        }
        count += 1;
    }
    if count == 0 {
        return None;
    }
    let mut frame = head(kind, level, channels.len(), count);
    frame.extend(times);
    frame.extend(values);
    Some(frame)
}

/// Writes the spectrum: one list of amplitudes for each actuator.
pub fn spectrum(spacing_hz: f64, amplitudes: &[Vec<f32>]) -> Option<Vec<u8>> {
    let count = amplitudes.first()?.len();
    let mut frame = head(SPECTRUM, 0, amplitudes.len(), u32::try_from(count).ok()?);
    frame.extend_from_slice(&spacing_hz.to_le_bytes());
    for list in amplitudes {
        for value in list.iter().take(count) {
            frame.extend_from_slice(&value.to_le_bytes());
        }
    }
    Some(frame)
}

fn head(kind: u8, level: u8, channels: usize, bins: u32) -> Vec<u8> {
    let mut frame = vec![kind, level];
    let channels = u16::try_from(channels).unwrap_or(u16::MAX);
    frame.extend_from_slice(&channels.to_le_bytes());
    frame.extend_from_slice(&bins.to_le_bytes());
    frame
}

/// A frame of bins, read again.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Kind.
    pub kind: u8,
    /// Level.
    pub level: u8,
    /// Channels.
    pub channels: usize,
    /// Times of the bins.
    pub times: Vec<f64>,
    /// Least, largest, last; bin by bin, channel by channel.
    pub values: Vec<f32>,
}

/// Reads a frame of bins; none for anything else or anything broken.
pub fn read(frame: &[u8]) -> Option<Read> {
    let (&[kind, level, c0, c1, n0, n1, n2, n3], rest) = frame.split_first_chunk::<8>()?;
    if kind != BINS && kind != NOW {
        return None;
    }
    let channels = usize::from(u16::from_le_bytes([c0, c1]));
    let count = usize::try_from(u32::from_le_bytes([n0, n1, n2, n3])).ok()?;
    let at = count.checked_mul(8)?;
    let size = count.checked_mul(channels)?.checked_mul(12)?;
    if rest.len() != at.checked_add(size)? {
        return None;
    }
    let (times, values) = rest.split_at(at);
    let eight = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
    let four = |bytes: &[u8]| bytes.try_into().map_or(f32::NAN, f32::from_le_bytes);
    Some(Read {
        kind,
        level,
        channels,
        times: times.chunks_exact(8).map(eight).collect(),
        values: values.chunks_exact(4).map(four).collect(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn frames_come_back_and_broken_ones_do_not() {
        let bin = |x: f32| Bin {
            min: x - 1.0,
            max: x + 1.0,
            last: x,
        };
        let rows = [[bin(1.0), bin(2.0)], [bin(3.0), bin(4.0)]];
        let list = rows.iter().zip([0.5, 1.0]).map(|(r, t)| (t, r.as_slice()));
        let frame = bins(BINS, 2, &[1, 0, 9], list).unwrap();
        // The golden bytes: kind, level, channels, bins, then 0.5 s.
        assert_eq!(frame[..8], [1, 2, 3, 0, 2, 0, 0, 0]);
        assert_eq!(frame[8..16], 0.5_f64.to_le_bytes());
        assert_eq!(frame.len(), 8 + 16 + 2 * 3 * 12);
        let back = read(&frame).unwrap();
        assert_eq!((back.level, back.channels), (2, 3));
        assert_eq!(back.values[..6], [1.0, 3.0, 2.0, 0.0, 2.0, 1.0]);
        assert!(back.values[6].is_nan(), "no such channel");
        for length in 0..frame.len() {
            assert_eq!(read(&frame[..length]), None);
        }
        assert!(bins(BINS, 0, &[0], std::iter::empty()).is_none());
    }
}
