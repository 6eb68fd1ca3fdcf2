//! Elastic sections: stiffnesses instead of fibres.
//!
//! ```text
//!  plane: ε₀, κ            ──▶ N = EA ε₀, M = EI κ
//!  space: ε₀, κ_z, κ_y, θ′ ──▶ N = EA ε₀, M_z = EI_z κ_z, M_y = EI_y κ_y, T = GJ θ′
//! ```

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::error::{SectionError, positive};
use super::response::SectionResponse;

/// An elastic section with uncoupled stiffnesses: N = 2 for plane frames, N = 4 for space frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticSection<const N: usize> {
    stiffness: [f64; N],
    committed_deformation: [f64; N],
    deformation: [f64; N],
}

/// Elastic section of a plane frame.
pub type ElasticSection2d = ElasticSection<2>;
/// Elastic section of a space frame.
pub type ElasticSection3d = ElasticSection<4>;

impl ElasticSection<2> {
    /// Modulus E, area A and moment of inertia I.
    pub fn new(modulus: f64, area: f64, inertia: f64) -> Result<Self, SectionError> {
        positive("modulus E", modulus)?;
        positive("area A", area)?;
        positive("moment of inertia I", inertia)?;
        Ok(Self::of([modulus * area, modulus * inertia]))
    }
}

impl ElasticSection<4> {
    /// Modulus E, area A, moments of inertia I_z and I_y, and the torsional stiffness GJ.
    pub fn new(
        modulus: f64,
        area: f64,
        inertia_z: f64,
        inertia_y: f64,
        torsional_stiffness: f64,
    ) -> Result<Self, SectionError> {
        positive("modulus E", modulus)?;
        positive("area A", area)?;
        positive("moment of inertia I_z", inertia_z)?;
        positive("moment of inertia I_y", inertia_y)?;
        positive("torsional stiffness GJ", torsional_stiffness)?;
        Ok(Self::of([
            modulus * area,
            modulus * inertia_z,
            modulus * inertia_y,
            torsional_stiffness,
        ]))
    }
}

impl<const N: usize> ElasticSection<N> {
    fn of(stiffness: [f64; N]) -> Self {
        Self {
            stiffness,
            committed_deformation: [0.0; N],
            deformation: [0.0; N],
        }
    }

    /// Forces and tangent at these deformations.
    pub fn trial(&mut self, deformation: [f64; N]) -> SectionResponse<N> {
        self.deformation = deformation;
        self.response()
    }

    /// Makes the trial state the committed one.
    pub fn commit(&mut self) {
        self.committed_deformation = self.deformation;
    }

    /// Forgets the trial.
    pub fn revert(&mut self) {
        self.deformation = self.committed_deformation;
    }

    /// The last answer.
    #[must_use]
    pub fn response(&self) -> SectionResponse<N> {
        let mut response = SectionResponse::default();
        for (i, stiffness) in self.stiffness.iter().enumerate() {
            response.force[i] = stiffness * self.deformation[i];
            response.tangent[i][i] = *stiffness;
        }
        response
    }

    /// The last deformations.
    #[must_use]
    pub fn deformation(&self) -> [f64; N] {
        self.deformation
    }

    /// Tangent of the section.
    #[must_use]
    pub fn initial_tangent(&self) -> [[f64; N]; N] {
        self.response().tangent
    }
}

impl<const N: usize> Snapshot for ElasticSection<N> {
    fn save(&self, into: &mut Vec<f64>) {
        self.committed_deformation.save(into);
        self.deformation.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.committed_deformation.restore(from)?;
        self.deformation.restore(from)
    }
}
