//! Fewer points, same picture.
//!
//! All functions return the indices that are kept, in rising order. A point with a coordinate that
//! is NaN is a gap; of a run of gaps one is kept, so that the line stays broken there.

/// Keeps, of every run of neighbouring points that fall on one column, the first, the lowest, the
/// highest and the last: the picture of the line does not change (the M4 aggregation of Jugel et
/// al. 2014).
///
/// `column` gives the column of a point; `y` its ordinate.
pub(super) fn columns(y: &[f64], column: impl Fn(usize) -> i64) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut i = 0;
    while i < y.len() {
        if y[i].is_nan() {
            kept.push(i);
            while i < y.len() && y[i].is_nan() {
                i += 1;
            }
            continue;
        }
        let (first, here) = (i, column(i));
        let (mut low, mut high) = (i, i);
        while i < y.len() && !y[i].is_nan() && column(i) == here {
            if y[i] < y[low] {
                low = i;
            }
            if y[i] > y[high] {
                high = i;
            }
            i += 1;
        }
        let (a, b) = (low.min(high), low.max(high));
        for k in [first, a, b, i - 1] {
            if kept.last() != Some(&k) {
                kept.push(k);
            }
        }
    }
    kept
}

/// At most about `most` points of a time history, by [`columns`] of equal numbers of points.
pub(super) fn history(y: &[f64], most: usize) -> Vec<usize> {
    if y.len() <= most {
        return (0..y.len()).collect();
    }
    // Four points of each column can survive; in a history the first and last of neighbouring
    // columns are rarely extremes, so two extremes a column are kept and the ends of the whole.
    let width = (2 * y.len()).div_ceil(most.max(4)).max(1);
    let mut kept = vec![0];
    let mut push = |k: usize| {
        if kept.last().is_some_and(|last| *last < k) {
            kept.push(k);
        }
    };
    for (c, chunk) in y.chunks(width).enumerate() {
        let mut low: Option<usize> = None;
        let mut high: Option<usize> = None;
        let mut gap: Option<usize> = None;
        for (j, v) in chunk.iter().enumerate() {
            if v.is_nan() {
                gap = gap.or(Some(j));
                continue;
            }
            if low.is_none_or(|l| *v < chunk[l]) {
                low = Some(j);
            }
            if high.is_none_or(|h| *v > chunk[h]) {
                high = Some(j);
            }
        }
        let mut three = [low, high, gap];
        three.sort_unstable();
        for j in three.into_iter().flatten() {
            push(c * width + j);
        }
    }
    push(y.len() - 1);
    kept
}

/// Keeps the points of a path that lie farther than `tolerance` from the line through its kept
/// neighbours (Ramer 1972, Douglas and Peucker 1973), and the extremes of both coordinates.
pub(super) fn path(x: &[f64], y: &[f64], tolerance: f64) -> Vec<usize> {
    /// Longest stretch looked at as a whole: bounds the work on paths that cannot be simplified.
    const STRETCH: usize = 1024;
    let n = x.len().min(y.len());
    let gap = |i: usize| x[i].is_nan() || y[i].is_nan();
    let mut keep = vec![false; n];
    let mut extremes = extremes(&x[..n], &y[..n]);
    extremes.sort_unstable();
    let mut todo = Vec::new();
    let mut i = 0;
    while i < n {
        if gap(i) {
            keep[i] = true;
            while i < n && gap(i) {
                i += 1;
            }
            continue;
        }
        let start = i;
        while i < n && !gap(i) {
            i += 1;
        }
        let mut a = start;
        keep[a] = true;
        while a + 1 < i {
            let end = (a + STRETCH).min(i - 1);
            let b = extremes
                .iter()
                .copied()
                .find(|e| *e > a)
                .map_or(end, |e| e.min(end));
            keep[b] = true;
            todo.push((a, b));
            a = b;
        }
    }
    while let Some((a, b)) = todo.pop() {
        let (mut farthest, mut most) = (a, tolerance * tolerance);
        for k in a + 1..b {
            let d = distance2((x[k], y[k]), (x[a], y[a]), (x[b], y[b]));
            if d > most {
                (farthest, most) = (k, d);
            }
        }
        if farthest > a {
            keep[farthest] = true;
            todo.push((a, farthest));
            todo.push((farthest, b));
        }
    }
    (0..n).filter(|i| keep[*i]).collect()
}

/// Keeps the first point of every cell of a square grid with sides `cell`; gaps are dropped.
pub(super) fn cloud(x: &[f64], y: &[f64], cell: f64) -> Vec<usize> {
    let mut seen = std::collections::HashSet::new();
    x.iter()
        .zip(y)
        .enumerate()
        .filter(|(_, (x, y))| !x.is_nan() && !y.is_nan())
        .filter(|(_, (x, y))| seen.insert((whole(**x / cell), whole(**y / cell))))
        .map(|(i, _)| i)
        .collect()
}

/// The whole number below; saturates.
pub(super) fn whole(value: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, which is what is wanted"
    )]
    let n = value.floor() as i64;
    n
}

fn extremes(x: &[f64], y: &[f64]) -> Vec<usize> {
    let finite = || (0..x.len()).filter(|i| !x[*i].is_nan() && !y[*i].is_nan());
    [
        finite().min_by(|a, b| x[*a].total_cmp(&x[*b])),
        finite().max_by(|a, b| x[*a].total_cmp(&x[*b])),
        finite().min_by(|a, b| y[*a].total_cmp(&y[*b])),
        finite().max_by(|a, b| y[*a].total_cmp(&y[*b])),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Square of the distance from point `p` to the segment `a`–`b` (to the segment, not the line: a
/// loop that closes on itself has both ends in one place).
fn distance2(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (ux, uy) = (b.0 - a.0, b.1 - a.1);
    let length2 = ux * ux + uy * uy;
    let t = if length2 > 0.0 {
        (((p.0 - a.0) * ux + (p.1 - a.1) * uy) / length2).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p.0 - a.0 - t * ux).powi(2) + (p.1 - a.1 - t * uy).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Mostly numbers, now and then a gap.
    fn signal() -> impl Strategy<Value = Vec<f64>> {
        proptest::collection::vec(prop_oneof![20 => -1e3..1e3f64, 1 => Just(f64::NAN)], 1..600)
    }

    fn low_high(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        values
            .filter(|v| !v.is_nan())
            .fold(None, |m: Option<(f64, f64)>, v| {
                Some(m.map_or((v, v), |(l, h)| (l.min(v), h.max(v))))
            })
    }

    proptest! {
        #[test]
        fn every_column_keeps_its_extremes_and_ends(y in signal(), width in 1usize..50) {
            let kept = columns(&y, |i| (i / width) as i64);
            prop_assert!(kept.windows(2).all(|w| w[0] < w[1]));
            for c in 0..y.len().div_ceil(width) {
                let window = c * width..((c + 1) * width).min(y.len());
                let all = low_high(y[window.clone()].iter().copied());
                let few = low_high(kept.iter().filter(|k| window.contains(k)).map(|k| y[*k]));
                prop_assert_eq!(all, few);
            }
            // A gap between two numbers is still a gap between the kept neighbours.
            for w in kept.windows(2) {
                if !y[w[0]].is_nan() && !y[w[1]].is_nan() {
                    prop_assert!(y[w[0]..w[1]].iter().all(|v| !v.is_nan()));
                }
            }
        }

        #[test]
        fn a_history_keeps_the_extremes_of_every_window(y in signal(), most in 8usize..200) {
            let kept = history(&y, most);
            prop_assert!(kept.windows(2).all(|w| w[0] < w[1]));
            // Two extremes and perhaps a gap of each column, and the two ends.
            prop_assert!(kept.len() <= most + most / 2 + 4, "{} of {}", kept.len(), most);
            prop_assert_eq!((kept[0], kept[kept.len() - 1]), (0, y.len() - 1));
            let width = if y.len() <= most { 1 } else { (2 * y.len()).div_ceil(most) };
            for (c, chunk) in y.chunks(width).enumerate() {
                let window = c * width..c * width + chunk.len();
                let few = low_high(kept.iter().filter(|k| window.contains(k)).map(|k| y[*k]));
                prop_assert_eq!(low_high(chunk.iter().copied()), few);
            }
        }

        #[test]
        fn a_path_stays_within_its_tolerance(
            points in proptest::collection::vec((-50.0..50.0f64, -50.0..50.0f64), 2..300),
            tolerance in 0.01..20.0f64,
        ) {
            let (x, y): (Vec<_>, Vec<_>) = points.iter().copied().unzip();
            let kept = path(&x, &y, tolerance);
            prop_assert_eq!(low_high(x.iter().copied()), low_high(kept.iter().map(|k| x[*k])));
            prop_assert_eq!(low_high(y.iter().copied()), low_high(kept.iter().map(|k| y[*k])));
            for w in kept.windows(2) {
                for k in w[0]..w[1] {
                    let far = distance2(points[k], points[w[0]], points[w[1]]).sqrt();
                    prop_assert!(far <= tolerance + 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_closed_loop_keeps_its_turning_points() {
        // A square, run round three times with 400 points a side.
        let side = |t: f64| match t % 4.0 {
            t if t < 1.0 => (t, 0.0),
            t if t < 2.0 => (1.0, t - 1.0),
            t if t < 3.0 => (3.0 - t, 1.0),
            t => (0.0, 4.0 - t),
        };
        let points: Vec<_> = (0..=4800).map(|i| side(f64::from(i) / 400.0)).collect();
        let (x, y): (Vec<_>, Vec<_>) = points.iter().copied().unzip();
        let kept = path(&x, &y, 1e-6);
        assert!(kept.len() < 25, "{kept:?}");
        for corner in (0..=12).map(|c| c * 400) {
            assert!(kept.contains(&corner), "corner at {corner} lost");
        }
    }

    #[test]
    fn nothing_and_gaps_only() {
        assert!(columns(&[], |_| 0).is_empty());
        assert!(path(&[], &[], 1.0).is_empty());
        assert!(cloud(&[], &[], 1.0).is_empty());
        let gaps = [f64::NAN; 5];
        assert_eq!(columns(&gaps, |_| 0), [0]);
        assert_eq!(path(&gaps, &gaps, 1.0), [0]);
        assert!(cloud(&gaps, &gaps, 1.0).is_empty());
        assert_eq!(history(&[f64::NAN; 100], 8).first(), Some(&0));
    }
}
