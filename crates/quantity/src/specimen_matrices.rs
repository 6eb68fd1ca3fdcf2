//! What is known of a specimen beforehand: its linear description at the interface.

/// Mass, damping and initial stiffness of a specimen at the interface, row-major, `dof × dof`, SI.
///
/// f = K d + C v + M a, positive when it resists a positive displacement.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecimenMatrices {
    /// Number of interface degrees of freedom.
    pub dof: usize,
    /// Mass matrix, kg.
    pub mass: Vec<f64>,
    /// Damping matrix, N s/m.
    pub damping: Vec<f64>,
    /// Initial stiffness matrix, N/m.
    pub stiffness: Vec<f64>,
}

impl SpecimenMatrices {
    /// Nothing at all at `dof` degrees of freedom.
    pub fn none(dof: usize) -> Self {
        let zeros = vec![0.0; dof * dof];
        Self {
            dof,
            mass: zeros.clone(),
            damping: zeros.clone(),
            stiffness: zeros,
        }
    }

    /// The specimen_matrices whose three matrices `transform` makes of these.
    #[must_use]
    pub fn map(&self, mut transform: impl FnMut(&[f64]) -> Vec<f64>) -> Self {
        let mass = transform(&self.mass);
        let mut dof = 0;
        while dof * dof < mass.len() {
            dof += 1;
        }
        Self {
            dof,
            mass,
            damping: transform(&self.damping),
            stiffness: transform(&self.stiffness),
        }
    }

    /// y += scale · matrix · x for one of the three matrices.
    #[inline]
    pub fn mul_add(matrix: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        let mut rest = matrix;
        for out in y {
            // Not `chunks_exact`: it divides, which takes longer than a row.
            let Some((row, after)) = rest.split_at_checked(x.len()) else {
                return;
            };
            rest = after;
            *out += scale * row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        }
    }
}
