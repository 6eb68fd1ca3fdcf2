//! Solutions, products and factors against closed forms and against numpy and scipy.
//!
//! The figures with many digits come from `numpy.linalg.solve` and `scipy.sparse.linalg.spsolve`
//! (numpy 2, scipy 1) on the matrices that the functions below build.

use proptest::prelude::*;
use tandem_structure::{LinalgError, Matrix, storey_matrix};
use tandem_test_support::close;

/// a_ij = sin(1 + 7i + 13j + ij): full, unsymmetric.
fn waves(n: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| {
            (0..n)
                .map(|j| (1.0 + 7.0 * i as f64 + 13.0 * j as f64 + (i * j) as f64).sin())
                .collect()
        })
        .collect()
}

/// AᵀA + n/10: full, positive definite.
fn squared_waves(n: usize) -> Vec<Vec<f64>> {
    let a = waves(n);
    (0..n)
        .map(|i| {
            (0..n)
                .map(|j| {
                    (0..n).map(|k| a[k][i] * a[k][j]).sum::<f64>()
                        + if i == j { 0.1 * n as f64 } else { 0.0 }
                })
                .collect()
        })
        .collect()
}

/// Five-point Laplacian of a g × g grid plus 0.01; `wind` makes it unsymmetric, `shift` is taken
/// off the diagonal.
fn grid(g: usize, wind: f64, shift: f64) -> Matrix {
    let mut triplets = Vec::new();
    for row in 0..g {
        for column in 0..g {
            let i = row * g + column;
            triplets.push((i, i, 4.0 + 0.01 - shift));
            if column > 0 {
                triplets.push((i, i - 1, -1.0 - wind));
            }
            if column + 1 < g {
                triplets.push((i, i + 1, -1.0 + wind));
            }
            if row > 0 {
                triplets.push((i, i - g, -1.0));
            }
            if row + 1 < g {
                triplets.push((i, i + g, -1.0));
            }
        }
    }
    Matrix::from_triplets(g * g, &triplets).unwrap()
}

fn solution(matrix: &Matrix, right: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut b: Vec<f64> = (0..matrix.order()).map(right).collect();
    matrix.factor().unwrap().solve_in_place(&mut b);
    b
}

#[test]
fn dense_solutions_agree_with_numpy() {
    let cases = [
        (
            6,
            false,
            0.42405997037897436,
            -0.5129974861484388,
            1.0129264907909512,
        ),
        (
            12,
            false,
            17.743549513523305,
            18.814961489895666,
            54.70561368664198,
        ),
        (
            20,
            false,
            0.4815881058811573,
            1.3271308084175566,
            1.6914349223295961,
        ),
        (
            6,
            true,
            0.2233625062795519,
            0.0492298419942155,
            -0.11680658428369957,
        ),
        (
            12,
            true,
            0.14165885511094115,
            0.06293616301269832,
            -0.5982231375161686,
        ),
        (
            20,
            true,
            0.27283667456456756,
            0.3189193680856995,
            0.1835202309677635,
        ),
    ];
    for (n, symmetric, first, last, sum) in cases {
        let rows = if symmetric {
            squared_waves(n)
        } else {
            waves(n)
        };
        let matrix = Matrix::from_rows(&rows).unwrap();
        assert_eq!(matrix.is_symmetric(), symmetric);
        let x = solution(&matrix, |i| (i as f64).cos());
        close(x[0], first, 1e-12);
        close(x[n - 1], last, 1e-12);
        close(x.iter().sum(), sum, 1e-12);
    }
}

#[test]
fn sparse_solutions_agree_with_scipy() {
    // Grids of 12 and 20 go through the profile, of 60 through the fill-reducing factor; wind
    // through row exchanges; the shift makes the matrix indefinite.
    let cases = [
        (
            12,
            0.0,
            0.0,
            4.705015721451681,
            14.079355037047593,
            3632.185169829915,
        ),
        (
            20,
            0.0,
            0.0,
            5.398133243838804,
            23.25232898300548,
            22363.335250743563,
        ),
        (
            60,
            0.0,
            0.0,
            6.101541444602391,
            36.140447449512614,
            716230.0228036549,
        ),
        (
            12,
            0.3,
            0.0,
            2.2856227119997024,
            5.616172636031842,
            2896.6048339247754,
        ),
        (
            20,
            0.3,
            0.0,
            2.28333901880018,
            7.205411016531883,
            15271.130098727012,
        ),
        (
            60,
            0.3,
            0.0,
            2.1786948279994744,
            6.084090766802865,
            424284.10472377867,
        ),
        (
            12,
            0.0,
            1.0,
            15.004303161560781,
            -21.692803102518095,
            -382.17052141258057,
        ),
        (
            20,
            0.0,
            1.0,
            6.091400570966527,
            24.48636835735702,
            -462.6088772524459,
        ),
        (
            60,
            0.0,
            1.0,
            3.756314195610827,
            -3.48291740513818,
            -14753.386136623612,
        ),
    ];
    for (g, wind, shift, first, middle, sum) in cases {
        let x = solution(&grid(g, wind, shift), |i| 1.0 + (i % 7) as f64);
        let tolerance = if shift > 0.0 { 1e-10 } else { 1e-12 };
        close(x[0], first, tolerance);
        close(x[g * g / 2], middle, tolerance);
        close(x.iter().sum(), sum, tolerance);
    }
}

#[test]
fn a_chain_under_equal_loads_has_whole_numbers_for_an_answer() {
    // Unit springs, unit loads: floor i moves by i n − i(i − 1)/2.
    for n in [1, 2, 3, 6, 7, 15, 16, 100, 2000] {
        let x = solution(&storey_matrix(&vec![1.0; n]).unwrap(), |_| 1.0);
        for (index, x) in x.iter().enumerate() {
            let i = (index + 1) as f64;
            close(*x, i * n as f64 - i * (i - 1.0) / 2.0, 1e-11);
        }
    }
}

#[test]
fn products_of_every_storage_are_those_of_the_dense_rows() {
    for matrix in [
        Matrix::diagonal(&[1.0, -2.0, 3.0]),
        Matrix::from_rows(&waves(3)).unwrap(),
        Matrix::from_rows(&waves(9)).unwrap(),
        grid(6, 0.25, 0.5),
    ] {
        let n = matrix.order();
        let all = matrix.to_dense();
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin()).collect();
        let mut y = vec![1.0; n];
        matrix.mul_into(&x, &mut y);
        let mut z = vec![1.0; n];
        matrix.mul_add(-2.0, &x, &mut z);
        for i in 0..n {
            let expected: f64 = (0..n).map(|j| all[i * n + j] * x[j]).sum();
            assert!((y[i] - expected).abs() < 1e-13);
            assert!((z[i] - (1.0 - 2.0 * expected)).abs() < 1e-13);
            for j in 0..n {
                close(matrix.get(i, j), all[i * n + j], 0.0);
            }
        }
        let quadratic: f64 = x.iter().zip(&y).map(|(a, b)| a * b).sum();
        close(matrix.product(&x, &x), quadratic, 1e-12);
    }
}

#[test]
fn combinations_keep_or_widen_the_storage() {
    let (mass, stiffness) = (Matrix::diagonal(&[2.0; 36]), grid(6, 0.0, 0.0));
    let sum = Matrix::combine(&[(3.0, &mass), (0.5, &stiffness)]);
    close(sum.get(0, 0), 3.0 * 2.0 + 0.5 * 4.01, 1e-15);
    close(sum.get(0, 1), -0.5, 1e-15);
    let mut again = stiffness.clone();
    again.assign_combination(&[(3.0, &mass), (0.5, &stiffness)]);
    assert_eq!(again, sum);
    let chain = storey_matrix(&[1.0; 36]).unwrap();
    again.assign_combination(&[(1.0, &chain), (-1.0, &mass)]);
    close(again.get(5, 5), 0.0, 0.0);
    close(again.get(6, 5), -1.0, 0.0);
    close(again.get(12, 6), 0.0, 0.0);
    let full = Matrix::from_rows(&waves(36)).unwrap();
    let wide = Matrix::combine(&[(1.0, &chain), (2.0, &full)]);
    close(wide.get(3, 2), -1.0 + 2.0 * full.get(3, 2), 1e-15);
}

#[test]
fn entries_can_be_added_inside_and_outside_the_pattern() {
    for mut matrix in [
        Matrix::zeros(4),
        grid(5, 0.0, 0.0),
        Matrix::from_rows(&waves(4)).unwrap(),
    ] {
        let last = matrix.order() - 1;
        let before = matrix.to_dense();
        matrix.add_at(last, 0, 2.5);
        matrix.add_at(1, 1, -1.0);
        matrix.add_at(last + 1, 0, 9.0);
        let after = matrix.to_dense();
        for (k, (after, before)) in after.iter().zip(&before).enumerate() {
            let (i, j) = (k / (last + 1), k % (last + 1));
            let added = if (i, j) == (last, 0) {
                2.5
            } else if (i, j) == (1, 1) {
                -1.0
            } else {
                0.0
            };
            close(*after, before + added, 0.0);
        }
    }
}

#[test]
fn what_cannot_be_solved_is_named() {
    assert_eq!(
        Matrix::diagonal(&[1.0, 0.0, 2.0]).factor().err(),
        Some(LinalgError::Singular { row: 1 })
    );
    let free = vec![vec![1.0, -1.0], vec![-1.0, 1.0]];
    assert!(matches!(
        Matrix::from_rows(&free).unwrap().factor(),
        Err(LinalgError::Singular { .. })
    ));
    // A dof without any stiffness in a large sparse matrix.
    for g in [6, 60] {
        let hole = g * g / 2;
        let triplets: Vec<_> = grid(g, 0.0, 0.0)
            .triplets()
            .into_iter()
            .filter(|t| t.0 != hole && t.1 != hole)
            .collect();
        let matrix = Matrix::from_triplets(g * g, &triplets).unwrap();
        assert_eq!(
            matrix.factor().err(),
            Some(LinalgError::Singular { row: hole })
        );
    }
    // A chain that nothing holds.
    let mut free = storey_matrix(&[1.0; 300]).unwrap();
    free.add_at(0, 0, -1.0);
    assert!(matches!(free.factor(), Err(LinalgError::Singular { .. })));

    assert_eq!(
        Matrix::from_rows(&[vec![1.0, 2.0], vec![1.0]]).err(),
        Some(LinalgError::NotSquare {
            rows: 2,
            row: 1,
            columns: 1
        })
    );
    assert_eq!(
        Matrix::from_rows(&[vec![1.0, f64::NAN], vec![0.0, 1.0]]).err(),
        Some(LinalgError::NonFinite { row: 0, column: 1 })
    );
    assert_eq!(
        Matrix::from_triplets(2, &[(0, 2, 1.0)]).err(),
        Some(LinalgError::OutOfRange {
            row: 0,
            column: 2,
            order: 2
        })
    );
    let mut factor = Matrix::diagonal(&[1.0, 2.0]).factor().unwrap();
    assert_eq!(
        factor.refactor(&Matrix::diagonal(&[1.0])).err(),
        Some(LinalgError::SizeMismatch {
            expected: 2,
            got: 1
        })
    );
}

#[test]
fn a_factor_follows_its_matrix_through_changes_of_kind() {
    // Definite, indefinite, unsymmetric, wider pattern, diagonal and back: each answer is checked
    // by its residual.
    let corner = {
        let mut corner = grid(7, 0.0, 0.0);
        corner.add_at(0, 48, 0.5);
        corner.add_at(48, 0, 0.5);
        corner
    };
    let matrices = [
        grid(7, 0.0, 0.0),
        grid(7, 0.0, 1.0),
        grid(7, 0.3, 0.0),
        corner,
        Matrix::diagonal(&[2.0; 49]),
        grid(7, 0.0, 0.0),
    ];
    let mut factor = matrices[0].factor().unwrap();
    for matrix in &matrices {
        factor.refactor(matrix).unwrap();
        let definite = matrix.is_symmetric() && matrix.get(0, 0) > 3.5 || matrix.is_diagonal();
        assert_eq!(factor.is_positive_definite(), definite);
        let mut x: Vec<f64> = (0..49).map(|i| f64::from(i).sin()).collect();
        factor.solve_in_place(&mut x);
        let mut b = vec![0.0; 49];
        matrix.mul_into(&x, &mut b);
        for (i, b) in b.iter().enumerate() {
            assert!((b - (i as f64).sin()).abs() < 1e-12);
        }
    }
}

#[test]
fn a_badly_scaled_small_matrix_keeps_its_digits() {
    // Cantilever with tip rotation in newtons and millimetres-radians of very different size; tip
    // compliance L³/3EI.
    let (ei, l) = (1e3, 1e-4);
    let k = |v: f64, power: i32| v * ei / f64::powi(l, 3 - power);
    let rows = vec![vec![k(12.0, 0), k(-6.0, 1)], vec![k(-6.0, 1), k(4.0, 2)]];
    let x = solution(&Matrix::from_rows(&rows).unwrap(), |i| {
        if i == 0 { 1.0 } else { 0.0 }
    });
    close(x[0], l.powi(3) / (3.0 * ei), 1e-13);
    close(x[1], l.powi(2) / (2.0 * ei), 1e-13);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the storage and the method, the residual is small against the terms that make it.
    #[test]
    fn residuals_are_small(
        n in 1_usize..40,
        entries in prop::collection::vec((0_usize..40, 0_usize..40, -1.0..1.0_f64), 0..200),
        symmetric in any::<bool>(),
        indefinite in any::<bool>(),
        right in prop::collection::vec(-1.0..1.0_f64, 40),
    ) {
        let mut triplets = Vec::new();
        let mut sums = vec![0.1; n];
        for (i, j, v) in entries.into_iter().filter(|t| t.0 < n && t.1 < n && t.0 != t.1) {
            triplets.push((i, j, v));
            sums[i] += v.abs();
            if symmetric {
                triplets.push((j, i, v));
                sums[j] += v.abs();
            }
        }
        // Dominant rows make it regular; signs make it indefinite.
        triplets.extend(sums.iter().enumerate()
            .map(|(i, s)| (i, i, if indefinite && i % 3 == 1 { -s } else { *s })));
        let matrix = Matrix::from_triplets(n, &triplets).unwrap();
        let mut x = right[..n].to_vec();
        matrix.factor().unwrap().solve_in_place(&mut x);
        let mut residual: Vec<f64> = right[..n].iter().map(|b| -b).collect();
        matrix.mul_add(1.0, &x, &mut residual);
        let size = x.iter().fold(1.0_f64, |m, v| m.max(v.abs()))
            * sums.iter().fold(1.0_f64, |m, v| m.max(*v));
        for r in residual {
            prop_assert!(r.abs() <= 1e-11 * size, "{r}");
        }
    }
}
