//! Products, solutions, sums and new factors on a known pattern take no memory.

use assert_no_alloc::assert_no_alloc;
use tandem_quantity::{Attachment, SpecimenMatrices};
use tandem_structure::{
    Damping, GroundTerm, LinearAttachment, Matrix, Structure, WithSpecimen, shear_building,
    storey_matrix,
};

/// A band of half-width `width`, diagonally dominant; beyond some sixty thousand entries the factor
/// is a sparse one.
fn band(n: usize, width: usize, skew: f64) -> Matrix {
    let mut triplets = Vec::new();
    for i in 0..n {
        triplets.push((i, i, 5.0));
        for j in [i + 1, i + width].into_iter().filter(|j| *j < n) {
            triplets.extend([(i, j, -1.0 + skew), (j, i, -1.0 - skew)]);
        }
    }
    Matrix::from_triplets(n, &triplets).unwrap()
}

#[test]
fn no_memory_is_taken_after_construction() {
    let full: Vec<Vec<f64>> = (0..20)
        .map(|i| {
            (0..20)
                .map(|j| if i == j { 30.0 } else { ((i * j) as f64).cos() })
                .collect()
        })
        .collect();
    let matrices = [
        Matrix::diagonal(&[1.0, 2.0, 3.0]),
        storey_matrix(&[2.0; 3]).unwrap(),
        storey_matrix(&[2.0; 12]).unwrap(),
        storey_matrix(&[2.0; 100]).unwrap(),
        Matrix::from_rows(&full).unwrap(),
        band(400, 20, 0.0),
        band(400, 20, 0.2),
        band(3000, 60, 0.0),
    ];
    for matrix in &matrices {
        let n = matrix.order();
        let mass = Matrix::diagonal(&vec![1.0; n]);
        let mut effective = Matrix::combine(&[(1.0, matrix), (0.5, &mass)]);
        let mut factor = effective.factor().unwrap();
        let (mut x, mut y) = (vec![1.0; n], vec![0.0; n]);
        assert_no_alloc(|| {
            matrix.mul_into(&x, &mut y);
            matrix.mul_add(0.5, &x, &mut y);
            effective.assign_combination(&[(1.0, &mass), (0.25, matrix)]);
            effective.add_at(0, 0, 1.0);
            effective.add_at(n - 1, n - 1, 1.0);
            factor.refactor(&effective).unwrap();
            factor.solve_in_place(&mut y);
        });
        // The answer is one of the new matrix: y = A⁻¹ (1.5 K 1).
        let mut check = vec![0.0; n];
        effective.mul_into(&y, &mut check);
        x.fill(1.5);
        let mut expected = vec![0.0; n];
        matrix.mul_into(&x, &mut expected);
        for (a, b) in check.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-10);
        }
    }
}

#[test]
fn restoring_forces_and_tangents_take_no_memory() {
    let base = shear_building(&[1e3; 3], &[1e6; 3], &Damping::None).unwrap();
    let spring = LinearAttachment::new(
        &Matrix::zeros(1),
        &Matrix::zeros(1),
        Matrix::diagonal(&[5e5]),
    )
    .unwrap();
    let mut structure = WithSpecimen::new(
        base,
        Hardening {
            spring,
            at: 0.0,
            slope: 5e5,
        },
        &[1],
        GroundTerm::Whole,
    )
    .unwrap();
    let mut tangent = structure.properties().stiffness.clone();
    let mut force = [0.0; 3];
    assert_no_alloc(|| {
        structure.restoring_force(&[0.01, 0.02, 0.03], &[0.0; 3], &mut force);
        structure.tangent(&mut tangent);
        structure.commit();
    });
    assert!((force[1] - (5e5 * 0.02 + 1e9 * 8e-6)).abs() < 1e-6);
    assert!((tangent.get(1, 1) - (2e6 + 5e5 + 3e9 * 4e-4)).abs() < 1e-3);
}

/// f = k d + 1e9 d³.
struct Hardening {
    spring: LinearAttachment,
    at: f64,
    slope: f64,
}

tandem_quantity::snapshot!(Hardening { at, slope });

impl Attachment for Hardening {
    fn specimen_matrices(&self) -> &SpecimenMatrices {
        self.spring.specimen_matrices()
    }
    fn force(&mut self, displacement: &[f64], _velocity: &[f64], force: &mut [f64]) {
        let d = displacement[0];
        force[0] = 5e5 * d + 1e9 * d * d * d;
        self.slope = 5e5 + 3e9 * d * d;
    }
    fn tangent(&self, _row: usize, _column: usize) -> f64 {
        self.slope
    }
    fn commit(&mut self) {}
    fn revert(&mut self) {}
    fn is_linear(&self) -> bool {
        false
    }
}
