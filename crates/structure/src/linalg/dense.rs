//! Kernels on dense rows: products of orders one to six are unrolled, since a whole step of a small
//! structure takes some forty nanoseconds.

/// Sum of products. Eight partial sums let the compiler use vectors; their order is fixed, so the
/// result is the same bits every time.
#[inline]
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (p, q) in a_blocks.iter().zip(b_blocks) {
        for k in 0..8 {
            sums[k] += p[k] * q[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(p, q)| p * q).sum();
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest
}

/// `y += alpha x`.
#[inline]
pub(crate) fn axpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += alpha * x;
    }
}

/// `y = A x`, rows of `a` one after the other.
#[inline]
pub(crate) fn mul_into(order: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    match order {
        1 => mul_into_fixed::<1>(a, x, y),
        2 => mul_into_fixed::<2>(a, x, y),
        3 => mul_into_fixed::<3>(a, x, y),
        4 => mul_into_fixed::<4>(a, x, y),
        5 => mul_into_fixed::<5>(a, x, y),
        6 => mul_into_fixed::<6>(a, x, y),
        _ => {
            for (row, y) in a.chunks_exact(order.max(1)).zip(y) {
                *y = dot(row, x);
            }
        }
    }
}

/// `x ← A x`; orders above six need `scratch` of that length.
#[inline]
pub(crate) fn mul_in_place(order: usize, a: &[f64], x: &mut [f64], scratch: &mut [f64]) {
    match order {
        1 => mul_in_place_fixed::<1>(a, x),
        2 => mul_in_place_fixed::<2>(a, x),
        3 => mul_in_place_fixed::<3>(a, x),
        4 => mul_in_place_fixed::<4>(a, x),
        5 => mul_in_place_fixed::<5>(a, x),
        6 => mul_in_place_fixed::<6>(a, x),
        _ => {
            for (copy, x) in scratch.iter_mut().zip(x.iter()) {
                *copy = *x;
            }
            mul_into(order, a, scratch, x);
        }
    }
}

/// `y += alpha A x`, rows of `a` one after the other.
#[inline]
pub(crate) fn mul_add(order: usize, a: &[f64], alpha: f64, x: &[f64], y: &mut [f64]) {
    match order {
        1 => mul_add_fixed::<1>(a, alpha, x, y),
        2 => mul_add_fixed::<2>(a, alpha, x, y),
        3 => mul_add_fixed::<3>(a, alpha, x, y),
        4 => mul_add_fixed::<4>(a, alpha, x, y),
        5 => mul_add_fixed::<5>(a, alpha, x, y),
        6 => mul_add_fixed::<6>(a, alpha, x, y),
        _ => {
            for (row, y) in a.chunks_exact(order.max(1)).zip(y) {
                *y += alpha * dot(row, x);
            }
        }
    }
}

#[inline]
fn row_times<const N: usize>(row: &[f64; N], x: &[f64; N]) -> f64 {
    let mut sum = row[0] * x[0];
    for k in 1..N {
        sum += row[k] * x[k];
    }
    sum
}

/// A x, where both have that order: with fixed lengths nothing is left of the loops.
#[inline(always)]
fn product<const N: usize>(a: &[f64], x: &[f64]) -> Option<[f64; N]> {
    let (a, x) = (a.as_chunks::<N>().0, x.first_chunk::<N>()?);
    let rows = a.first_chunk::<N>()?;
    Some(std::array::from_fn(|i| row_times(&rows[i], x)))
}

#[inline]
fn mul_into_fixed<const N: usize>(a: &[f64], x: &[f64], y: &mut [f64]) {
    if let (Some(product), Some(y)) = (product::<N>(a, x), y.first_chunk_mut::<N>()) {
        *y = product;
    }
}

#[inline]
fn mul_in_place_fixed<const N: usize>(a: &[f64], x: &mut [f64]) {
    if let (Some(product), Some(x)) = (product::<N>(a, x), x.first_chunk_mut::<N>()) {
        *x = product;
    }
}

#[inline]
fn mul_add_fixed<const N: usize>(a: &[f64], alpha: f64, x: &[f64], y: &mut [f64]) {
    if let (Some(product), Some(y)) = (product::<N>(a, x), y.first_chunk_mut::<N>()) {
        for i in 0..N {
            y[i] += alpha * product[i];
        }
    }
}
