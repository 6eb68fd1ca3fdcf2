//! Fibre section of a space frame, with elastic torsion beside it.
//!
//! ```text
//!  ε₀, κ_z, κ_y, θ′ ──▶ [ fibres: ε = ε₀ − yκ_z + zκ_y ] ──▶ N = ΣσA, M_z = −ΣσAy, M_y = ΣσAz, T = GJθ′
//! ```
//!
//! Signs as in OpenSees: a positive M_z compresses y > 0, a positive M_y stretches z > 0.

use std::sync::Arc;

use tandem_quantity::snapshot;

use super::error::{SectionError, positive};
use super::fibres::{FibreResponse, Fibres, sum_over};
use super::layout::FibreLayout;
use super::response::{Kept, SectionResponse};

/// A fibre section with axial force, two moments and an elastic torque.
#[derive(Clone, Debug, PartialEq)]
pub struct FibreSection3d {
    fibres: Fibres,
    /// Coordinates of the fibres, shared by all sections of one layout.
    y: Arc<[f64]>,
    z: Arc<[f64]>,
    torsional_stiffness: f64,
    axis: (f64, f64),
    initial_tangent: [[f64; 4]; 4],
    kept: Kept<4>,
}

snapshot!(FibreSection3d { fibres, kept });

/// The tangent from its six sums and GJ.
fn tangent_of([ea, ey, ez, eyy, ezz, eyz]: [f64; 6], gj: f64) -> [[f64; 4]; 4] {
    [
        [ea, -ey, ez, 0.0],
        [-ey, eyy, -eyz, 0.0],
        [ez, -eyz, ezz, 0.0],
        [0.0, 0.0, 0.0, gj],
    ]
}

impl FibreSection3d {
    /// The fibres of a layout and the torsional stiffness GJ.
    pub fn new(layout: &FibreLayout, torsional_stiffness: f64) -> Result<Self, SectionError> {
        positive("torsional stiffness GJ", torsional_stiffness)?;
        let axis = layout.axis()?;
        let (fibres, mut y, mut z) = Fibres::new(layout);
        y.iter_mut().for_each(|y| *y -= axis.0);
        z.iter_mut().for_each(|z| *z -= axis.1);
        let initial = [(0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1)].map(|(a, b)| {
            layout.initial_stiffness(|f| (f.y - axis.0).powi(a) * (f.z - axis.1).powi(b))
        });
        let initial_tangent = tangent_of(initial, torsional_stiffness);
        let rest = SectionResponse {
            force: [0.0; 4],
            tangent: initial_tangent,
        };
        let mut section = Self {
            fibres,
            y: y.into(),
            z: z.into(),
            torsional_stiffness,
            axis,
            initial_tangent,
            kept: Kept::new(rest),
        };
        section.kept = Kept::new(section.sums(0.0));
        Ok(section)
    }

    #[inline(always)]
    fn sums(&self, twist: f64) -> SectionResponse<4> {
        let count = self.y.len();
        let (y, z, area) = (
            &self.y[..count],
            &self.z[..count],
            &self.fibres.area[..count],
        );
        let now = self.fibres.now();
        let (stress, tangent) = (&now.stress[..count], &now.tangent[..count]);
        let [n, mz, my, ea, ey, ez, eyy, ezz, eyz] = sum_over(count, |i| {
            let (force, stiffness) = (stress[i] * area[i], tangent[i] * area[i]);
            let (by_y, by_z) = (stiffness * y[i], stiffness * z[i]);
            [
                force,
                force * y[i],
                force * z[i],
                stiffness,
                by_y,
                by_z,
                by_y * y[i],
                by_z * z[i],
                by_y * z[i],
            ]
        });
        SectionResponse {
            force: [n, -mz, my, self.torsional_stiffness * twist],
            tangent: tangent_of([ea, ey, ez, eyy, ezz, eyz], self.torsional_stiffness),
        }
    }

    /// Forces [N, M_z, M_y, T] and tangent at the deformations [ε₀, κ_z, κ_y, θ′], from the
    /// committed state.
    pub fn trial(&mut self, deformation: [f64; 4]) -> SectionResponse<4> {
        pulp::Arch::new().dispatch(Trial {
            section: self,
            deformation,
        })
    }

    #[inline(always)]
    fn evaluate(&mut self, deformation: [f64; 4]) -> SectionResponse<4> {
        let [axial, curvature_z, curvature_y, twist] = deformation;
        let count = self.fibres.area.len();
        let (y, z) = (&self.y[..count], &self.z[..count]);
        self.fibres
            .evaluate(|i| axial - y[i] * curvature_z + z[i] * curvature_y);
        let response = self.sums(twist);
        self.kept.trial(deformation, response)
    }

    /// Makes the trial state the committed one.
    pub fn commit(&mut self) {
        self.fibres.commit();
        self.kept.commit();
    }

    /// Forgets the trial.
    pub fn revert(&mut self) {
        self.fibres.revert();
        self.kept.revert();
    }

    /// The last answer.
    #[must_use]
    pub fn response(&self) -> SectionResponse<4> {
        self.kept.response
    }

    /// The last deformations.
    #[must_use]
    pub fn deformation(&self) -> [f64; 4] {
        self.kept.deformation
    }

    /// Tangent of the untouched section.
    #[must_use]
    pub fn initial_tangent(&self) -> [[f64; 4]; 4] {
        self.initial_tangent
    }

    /// Where the axis of the section lies in the coordinates (y, z) of the layout.
    #[must_use]
    pub fn axis(&self) -> (f64, f64) {
        self.axis
    }

    /// The fibres, for recorders.
    pub fn fibres(&self) -> impl ExactSizeIterator<Item = FibreResponse> + '_ {
        (0..self.y.len()).map(|i| self.fibres.response(&self.y, &self.z, i))
    }
}

/// One trial, compiled once for each vector extension and chosen at run time. The operations and
/// their order are the same for all, so the bits are too.
struct Trial<'a> {
    section: &'a mut FibreSection3d,
    deformation: [f64; 4],
}

impl pulp::WithSimd for Trial<'_> {
    type Output = SectionResponse<4>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> SectionResponse<4> {
        self.section.evaluate(self.deformation)
    }
}
