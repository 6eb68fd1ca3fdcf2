//! Where a sparse matrix has entries.

/// Rows of a structurally symmetric pattern that holds the whole diagonal; columns ascend within a
/// row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// Row i has the entries `row_start[i]..row_start[i + 1]`.
    pub(crate) row_start: Vec<usize>,
    pub(crate) columns: Vec<usize>,
    /// Position of the diagonal entry of each row.
    pub(crate) diagonal: Vec<usize>,
    /// Position of the mirrored entry of each entry.
    pub(crate) mirrored: Vec<usize>,
}

impl Pattern {
    /// The smallest such pattern that holds the given places, all of which lie inside the order.
    pub(crate) fn new(order: usize, places: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut rows: Vec<Vec<usize>> = (0..order).map(|i| vec![i]).collect();
        for (i, j) in places {
            rows[i].push(j);
            rows[j].push(i);
        }
        let mut row_start = Vec::with_capacity(order + 1);
        let mut columns = Vec::new();
        row_start.push(0);
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
            columns.extend_from_slice(row);
            row_start.push(columns.len());
        }
        let mut pattern = Self {
            row_start,
            columns,
            diagonal: Vec::new(),
            mirrored: Vec::new(),
        };
        pattern.diagonal = (0..order).filter_map(|i| pattern.find(i, i)).collect();
        // Rows are visited in order, so the mirrored entries of each row come in order too.
        let mut next: Vec<usize> = pattern.row_start.clone();
        let mut mirrored = Vec::with_capacity(pattern.columns.len());
        for j in &pattern.columns {
            mirrored.push(next[*j]);
            next[*j] += 1;
        }
        pattern.mirrored = mirrored;
        pattern
    }

    pub(crate) fn order(&self) -> usize {
        self.row_start.len() - 1
    }

    /// All places by rows.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        (0..self.order()).flat_map(move |i| self.row(i).iter().map(move |j| (i, *j)))
    }

    /// Columns of row `i`.
    #[inline]
    pub(crate) fn row(&self, i: usize) -> &[usize] {
        &self.columns[self.row_start[i]..self.row_start[i + 1]]
    }

    /// Position of the entry at row `i`, column `j`.
    pub(crate) fn find(&self, i: usize, j: usize) -> Option<usize> {
        self.row(i)
            .binary_search(&j)
            .ok()
            .map(|k| self.row_start[i] + k)
    }

    /// Whether every place of `other` is one of this pattern too.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        (0..self.order()).all(|i| {
            let mut own = self.row(i).iter();
            other.row(i).iter().all(|j| own.any(|k| k == j))
        })
    }
}
