//! The factors of a profile in blocks of eight equations, for many solutions.
//!
//! Substitution row by row waits for every unknown before it begins the next. Here a block of eight
//! unknowns is one product with what was found before, then one with the ready inverse of its unit
//! triangle. The factor is kept twice, for the way down eight rows and for the way up eight columns
//! side by side, so that all products run along vector registers.

/// Equations of a block.
const LANES: usize = 8;

type Lane = [f64; LANES];

/// `L D Lᵀ` with unit L; order filled up to whole blocks by equations of their own.
#[derive(Clone, Debug)]
pub(crate) struct PackedProfile {
    blocks: Vec<DenseBlock>,
    /// Columns of L left of each block of rows: eight rows an entry.
    down: Vec<Lane>,
    /// Rows of L below each block of columns: eight columns an entry.
    up: Vec<Lane>,
    x: Vec<Lane>,
}

#[derive(Clone, Debug)]
struct DenseBlock {
    /// First column of the rows, first entry in `down`.
    first: usize,
    down: usize,
    /// One beyond the last row of the columns, first entry in `up`.
    end: usize,
    up: usize,
    /// The inverse of the unit triangle by columns and by rows, 1/D.
    inverse: [Lane; LANES],
    transposed: [Lane; LANES],
    reciprocals: Lane,
}

/// `sum of column × factor` in four interleaved partial sums.
#[inline(always)]
fn product(columns: &[Lane], factors: &[f64]) -> Lane {
    let mut parts = [[0.0; LANES]; 4];
    let (columns, factors) = (columns.as_chunks::<4>().0, factors.as_chunks::<4>().0);
    for (columns, factors) in columns.iter().zip(factors) {
        for part in 0..4 {
            for lane in 0..LANES {
                parts[part][lane] += columns[part][lane] * factors[part];
            }
        }
    }
    let mut sum = [0.0; LANES];
    for lane in 0..LANES {
        sum[lane] = (parts[0][lane] + parts[1][lane]) + (parts[2][lane] + parts[3][lane]);
    }
    sum
}

#[inline(always)]
fn minus(a: &Lane, b: &Lane) -> Lane {
    std::array::from_fn(|lane| a[lane] - b[lane])
}

impl PackedProfile {
    /// Room for rows with these first columns.
    pub(crate) fn new(first: &[usize]) -> Self {
        let count = first.len().div_ceil(LANES);
        let mut blocks: Vec<DenseBlock> = (0..count)
            .map(|b| DenseBlock {
                first: b * LANES,
                down: 0,
                end: (b + 1) * LANES,
                up: 0,
                inverse: [[0.0; LANES]; LANES],
                transposed: [[0.0; LANES]; LANES],
                reciprocals: [1.0; LANES],
            })
            .collect();
        for (row, column) in first.iter().enumerate() {
            let (b, left) = (row / LANES, column / LANES);
            blocks[b].first = blocks[b].first.min(left * LANES);
            for above in &mut blocks[left..b] {
                above.end = (b + 1) * LANES;
            }
        }
        let (mut down, mut up) = (0, 0);
        for (b, block) in blocks.iter_mut().enumerate() {
            (block.down, block.up) = (down, up);
            down += b * LANES - block.first;
            up += block.end - (b + 1) * LANES;
        }
        Self {
            blocks,
            down: vec![[0.0; LANES]; down],
            up: vec![[0.0; LANES]; up],
            x: vec![[0.0; LANES]; count],
        }
    }

    /// Takes a factor: `row(i)` gives the first column and the entries of row i of L, with D at
    /// their end. Does not allocate.
    pub(crate) fn pack<'a>(&mut self, order: usize, row: impl Fn(usize) -> (usize, &'a [f64])) {
        self.down.fill([0.0; LANES]);
        self.up.fill([0.0; LANES]);
        for b in 0..self.blocks.len() {
            let start = b * LANES;
            let mut triangle = [[0.0; LANES]; LANES];
            for lane in 0..LANES.min(order - start) {
                let (first, entries) = row(start + lane);
                let (pivot, entries) = entries.split_last().unwrap_or((&1.0, &[]));
                self.blocks[b].reciprocals[lane] = 1.0 / pivot;
                for (column, entry) in (first..).zip(entries) {
                    if column >= start {
                        triangle[lane][column - start] = *entry;
                        continue;
                    }
                    let own = &self.blocks[b];
                    self.down[own.down + column - own.first][lane] = *entry;
                    let left = column / LANES;
                    let place = self.blocks[left].up + start + lane - (left + 1) * LANES;
                    self.up[place][column % LANES] = *entry;
                }
            }
            let block = &mut self.blocks[b];
            for column in 0..LANES {
                let mut solution = [0.0; LANES];
                solution[column] = 1.0;
                for i in column + 1..LANES {
                    let known: f64 = (column..i).map(|k| triangle[i][k] * solution[k]).sum();
                    solution[i] = -known;
                }
                block.inverse[column] = solution;
                for (i, value) in solution.iter().enumerate() {
                    block.transposed[i][column] = *value;
                }
            }
        }
    }

    /// Replaces the right-hand side, whose equations come in the order `old`, by the solution. Does
    /// not allocate.
    pub(crate) fn solve_in_place(&mut self, old: &[usize], b: &mut [f64]) {
        if let Some(last) = self.x.last_mut() {
            // Lanes without an equation.
            *last = [0.0; LANES];
        }
        for (x, old) in self.x.as_flattened_mut().iter_mut().zip(old) {
            *x = b[*old];
        }
        pulp::Arch::new().dispatch(Substitute(self));
        for (x, old) in self.x.as_flattened().iter().zip(old) {
            b[*old] = *x;
        }
    }

    #[inline(always)]
    fn substitute(&mut self) {
        for (b, block) in self.blocks.iter().enumerate() {
            let (found, rest) = self.x.split_at_mut(b);
            let found = &found.as_flattened()[block.first..];
            let columns = &self.down[block.down..block.down + found.len()];
            let left = minus(&rest[0], &product(columns, found));
            rest[0] = product(&block.inverse, &left);
        }
        for (b, block) in self.blocks.iter().enumerate().rev() {
            let (rest, found) = self.x.split_at_mut(b + 1);
            let found = &found.as_flattened()[..block.end - (b + 1) * LANES];
            let rows = &self.up[block.up..block.up + found.len()];
            let known = product(rows, found);
            let own = &mut rest[b];
            let left: Lane = std::array::from_fn(|i| own[i] * block.reciprocals[i] - known[i]);
            *own = product(&block.transposed, &left);
        }
    }
}

/// One solution, compiled once for each vector extension and chosen at run time. The operations and
/// their order are the same for all, so the bits are too.
struct Substitute<'a>(&'a mut PackedProfile);

impl pulp::WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.0.substitute();
    }
}
