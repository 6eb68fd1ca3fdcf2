//! Products of small matrices, written for vectors of the processor.

/// A matrix in blocks of `LANES` rows, each by columns; the last block is padded with zeros.
///
/// Every row is summed from left to right, so that the bits do not depend on how wide the vectors
/// of a machine are. What calls it inside `pulp::Arch::dispatch` gets the widest ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks<const LANES: usize> {
    columns: usize,
    cells: Vec<[f64; LANES]>,
}

impl<const LANES: usize> Blocks<LANES> {
    /// From rows of `columns` entries, one after the other.
    #[must_use]
    pub fn new(rows: &[f64], columns: usize) -> Self {
        let count = rows.len().checked_div(columns).unwrap_or(0);
        let cell = |i: usize, j: usize| {
            if i < count {
                rows[i * columns + j]
            } else {
                0.0
            }
        };
        let places = (0..count.div_ceil(LANES)).flat_map(|b| (0..columns).map(move |j| (b, j)));
        Self {
            columns,
            cells: places
                .map(|(block, j)| std::array::from_fn(|k| cell(block * LANES + k, j)))
                .collect(),
        }
    }

    /// Number of rows with the padding: the length of what a product is written to.
    #[must_use]
    pub fn padded(&self) -> usize {
        LANES * self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Hands the sums of every block to `take`, with its place in y.
    #[inline(always)]
    fn each(&self, x: &[f64], y: &mut [f64], take: impl Fn(&mut [f64; LANES], [f64; LANES])) {
        let mut rest = &self.cells[..];
        for y in y.as_chunks_mut::<LANES>().0 {
            // Not `chunks_exact`: it divides, which takes as long as a small product.
            let Some((block, after)) = rest.split_at_checked(self.columns) else {
                return;
            };
            rest = after;
            let mut sums = [0.0; LANES];
            for (column, x) in block.iter().zip(x) {
                for (sum, cell) in sums.iter_mut().zip(column) {
                    *sum += cell * x;
                }
            }
            take(y, sums);
        }
    }

    /// y = A x; `y` is [`Blocks::padded`].
    #[inline(always)]
    pub fn mul_into(&self, x: &[f64], y: &mut [f64]) {
        self.each(
            x,
            y,
            #[inline(always)]
            |y, sums| *y = sums,
        );
    }

    /// y −= A x; `y` is [`Blocks::padded`].
    #[inline(always)]
    pub fn mul_sub(&self, x: &[f64], y: &mut [f64]) {
        self.each(
            x,
            y,
            #[inline(always)]
            |y, sums| *y = std::array::from_fn(|k| y[k] - sums[k]),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 × 3, in blocks of four and of two: the last one is padded.
    #[test]
    fn products_are_those_of_the_rows() {
        let rows: Vec<f64> = (0..15_u32).map(|k| f64::from(k * k % 7) - 2.0).collect();
        let x = [1.5, -2.0, 0.25];
        let expected: Vec<f64> = rows
            .chunks_exact(3)
            .map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
            .collect();
        let (four, two) = (Blocks::<4>::new(&rows, 3), Blocks::<2>::new(&rows, 3));
        assert_eq!((four.padded(), two.padded()), (8, 6));
        let mut y = vec![9.0; 8];
        four.mul_into(&x, &mut y);
        assert_eq!(&y[..5], &expected[..]);
        let mut y = vec![1.0; 6];
        two.mul_sub(&x, &mut y);
        let left: Vec<f64> = expected.iter().map(|e| 1.0 - e).chain([1.0]).collect();
        assert_eq!(y, left);
    }

    #[test]
    fn nothing_is_nothing() {
        let none = Blocks::<4>::new(&[], 0);
        none.mul_into(&[], &mut []);
        assert_eq!(none.padded(), 0);
    }
}
