//! Factors of narrow matrices that are not symmetric: ours with row exchanges inside the band,
//! beside the sparse LU of faer, whose symbolic part is not counted.

use std::time::Instant;

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, Triplet};
use serde_json::json;
use tandem_structure::Matrix;

use super::measure::float;

/// The quickest of so many passes counts.
const PASSES: usize = 15;

fn best(mut work: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for _ in 0..PASSES {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// Entries of a grid of nodes with three degrees of freedom each, as in a plane frame.
fn grid(bays: usize, storeys: usize) -> Vec<(usize, usize, f64)> {
    let width = bays + 1;
    let mut entries = Vec::new();
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed) / f64::from(u32::MAX) - 0.5
    };
    for i in 0..storeys * width {
        for j in 0..storeys * width {
            let (apart, wide) = (
                (i / width).abs_diff(j / width),
                (i % width).abs_diff(j % width),
            );
            if apart + wide > 1 {
                continue;
            }
            for (p, q) in (0..9).map(|k| (k / 3, k % 3)) {
                let own = if (i, p) == (j, q) { 8.0 } else { 0.0 };
                entries.push((3 * i + p, 3 * j + q, own + random()));
            }
        }
    }
    entries
}

/// Prints a line for each size.
pub fn factors() -> Result<(), String> {
    for (bays, storeys) in [(3, 10), (3, 30), (10, 30)] {
        let entries = grid(bays, storeys);
        let n = 3 * (bays + 1) * storeys;
        let right: Vec<f64> = (0..n).map(|i| float(i).sin()).collect();
        let matrix = Matrix::from_triplets(n, &entries).map_err(|e| e.to_string())?;
        let mut ours = matrix.factor().map_err(|e| e.to_string())?;
        let our_factor = best(|| ours.refactor(&matrix).map_err(|e| e.to_string()))?;
        let mut x = right.clone();
        let our_solution = best(|| {
            x.copy_from_slice(&right);
            ours.solve_in_place(&mut x);
            Ok(())
        })?;
        let each = entries.iter().map(|(i, j, v)| Triplet::new(*i, *j, *v));
        let each: Vec<_> = each.collect();
        let sparse = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &each)
            .map_err(|e| format!("{e:?}"))?;
        let symbolic = SymbolicLu::try_new(sparse.symbolic()).map_err(|e| format!("{e:?}"))?;
        let anew = || Lu::try_new_with_symbolic(symbolic.clone(), sparse.as_ref());
        let mut theirs = anew().map_err(|e| format!("{e:?}"))?;
        let their_factor = best(|| {
            theirs = anew().map_err(|e| format!("{e:?}"))?;
            Ok(())
        })?;
        let mut y = Mat::zeros(n, 1);
        let their_solution = best(|| {
            y = Mat::from_fn(n, 1, |i, _| right[i]);
            theirs.solve_in_place(&mut y);
            Ok(())
        })?;
        let apart = (0..n).map(|i| (x[i] - y[(i, 0)]).abs()).fold(0.0, f64::max);
        println!(
            "{}",
            json!({
                "dof": n,
                "factor_us": [1e6 * our_factor, 1e6 * their_factor],
                "factor_ratio": their_factor / our_factor,
                "solution_us": [1e6 * our_solution, 1e6 * their_solution],
                "solution_ratio": their_solution / our_solution,
                "difference": apart,
            })
        );
    }
    Ok(())
}
