//! Numberings that keep the entries of a symmetric pattern near the diagonal.

use super::pattern::Pattern;

/// A numbering of the equations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ordering {
    /// `old[new]`: the structure's number of the equation that comes `new`-th.
    pub(crate) old: Vec<usize>,
    /// `new[old]`, the inverse.
    pub(crate) new: Vec<usize>,
}

impl Ordering {
    fn from_old(old: Vec<usize>) -> Self {
        let mut new = vec![0; old.len()];
        for (position, i) in old.iter().enumerate() {
            new[*i] = position;
        }
        Self { old, new }
    }

    /// The better of the given numbering and reverse Cuthill–McKee (Cuthill, McKee 1969; George
    /// 1971) by the number of entries between each row's first entry and the diagonal.
    pub(crate) fn narrow(pattern: &Pattern) -> Self {
        let natural = Self::from_old((0..pattern.order()).collect());
        let reverse = Self::from_old(reverse_cuthill_mckee(pattern));
        if profile(pattern, &reverse) < profile(pattern, &natural) {
            reverse
        } else {
            natural
        }
    }

    /// First column of each row in this numbering.
    pub(crate) fn first_columns(&self, pattern: &Pattern) -> Vec<usize> {
        self.old
            .iter()
            .enumerate()
            .map(|(i, old)| {
                pattern
                    .row(*old)
                    .iter()
                    .map(|j| self.new[*j])
                    .min()
                    .unwrap_or(i)
                    .min(i)
            })
            .collect()
    }

    /// Largest distance of an entry from the diagonal.
    pub(crate) fn half_bandwidth(&self, pattern: &Pattern) -> usize {
        self.first_columns(pattern)
            .iter()
            .enumerate()
            .map(|(i, first)| i - first)
            .max()
            .unwrap_or(0)
    }
}

fn profile(pattern: &Pattern, ordering: &Ordering) -> usize {
    ordering
        .first_columns(pattern)
        .iter()
        .enumerate()
        .map(|(i, first)| i - first)
        .sum()
}

fn reverse_cuthill_mckee(pattern: &Pattern) -> Vec<usize> {
    let n = pattern.order();
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    let mut by_degree: Vec<usize> = (0..n).collect();
    by_degree.sort_by_key(|i| pattern.row(*i).len());
    for start in by_degree {
        if !seen[start] {
            let far = far_end(pattern, start);
            breadth_first(pattern, far, &mut seen, &mut order);
        }
    }
    order.reverse();
    order
}

/// A node at one end of a longest shortest path, nearly: follow the last level outwards until the
/// depth stops growing (George, Liu 1979).
fn far_end(pattern: &Pattern, start: usize) -> usize {
    let mut end = start;
    let mut depth = 0;
    for _ in 0..8 {
        let mut order = Vec::new();
        let mut seen = vec![false; pattern.order()];
        let (levels, last) = breadth_first(pattern, end, &mut seen, &mut order);
        if levels <= depth {
            break;
        }
        depth = levels;
        // Among the last level the node with the fewest neighbours.
        end = order[last..]
            .iter()
            .copied()
            .min_by_key(|i| pattern.row(*i).len())
            .unwrap_or(end);
    }
    end
}

/// Appends the component of `start` level by level, within a level by rising number of neighbours.
/// Returns the number of levels and where the last one begins.
fn breadth_first(
    pattern: &Pattern,
    start: usize,
    seen: &mut [bool],
    order: &mut Vec<usize>,
) -> (usize, usize) {
    let mut level = order.len();
    let mut levels = 1;
    seen[start] = true;
    order.push(start);
    loop {
        let end = order.len();
        for position in level..end {
            let begin = order.len();
            for &j in pattern.row(order[position]) {
                if !seen[j] {
                    seen[j] = true;
                    order.push(j);
                }
            }
            order[begin..].sort_by_key(|j| pattern.row(*j).len());
        }
        if order.len() == end {
            return (levels, level);
        }
        levels += 1;
        level = end;
    }
}
