//! Fibre section of a plane frame.
//!
//! ```text
//!  axial strain ε₀, curvature κ ──▶ [ fibres: ε = ε₀ − yκ ] ──▶ N = ΣσA, M = −ΣσAy
//! ```
//!
//! Tension positive; a positive moment compresses the side y > 0. y counts from the area centroid
//! of the fibres unless the layout says otherwise. Tangent [[ΣEA, −ΣEAy], [−ΣEAy, ΣEAy²]].

use std::sync::Arc;

use tandem_quantity::snapshot;

use super::error::SectionError;
use super::fibres::{FibreResponse, Fibres, sum_over};
use super::layout::FibreLayout;
use super::response::{Kept, SectionResponse};

/// A fibre section with axial force and one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct FibreSection2d {
    fibres: Fibres,
    /// Coordinates of the fibres, shared by all sections of one layout.
    y: Arc<[f64]>,
    z: Arc<[f64]>,
    axis: (f64, f64),
    initial_tangent: [[f64; 2]; 2],
    kept: Kept<2>,
}

snapshot!(FibreSection2d { fibres, kept });

impl FibreSection2d {
    /// The fibres of a layout.
    pub fn new(layout: &FibreLayout) -> Result<Self, SectionError> {
        let axis = layout.axis()?;
        let (fibres, mut y, mut z) = Fibres::new(layout);
        y.iter_mut().for_each(|y| *y -= axis.0);
        z.iter_mut().for_each(|z| *z -= axis.1);
        let initial =
            [0, 1, 2].map(|power| layout.initial_stiffness(|fibre| (fibre.y - axis.0).powi(power)));
        let initial_tangent = [[initial[0], -initial[1]], [-initial[1], initial[2]]];
        let rest = SectionResponse {
            force: [0.0; 2],
            tangent: initial_tangent,
        };
        let mut section = Self {
            fibres,
            y: y.into(),
            z: z.into(),
            axis,
            initial_tangent,
            kept: Kept::new(rest),
        };
        section.kept = Kept::new(section.sums());
        Ok(section)
    }

    #[inline(always)]
    fn sums(&self) -> SectionResponse<2> {
        let count = self.y.len();
        let (y, area) = (&self.y[..count], &self.fibres.area[..count]);
        let now = self.fibres.now();
        let (stress, tangent) = (&now.stress[..count], &now.tangent[..count]);
        let [n, m, ea, es, ei] = sum_over(count, |i| {
            let (force, stiffness) = (stress[i] * area[i], tangent[i] * area[i]);
            let moment = stiffness * y[i];
            [force, force * y[i], stiffness, moment, moment * y[i]]
        });
        SectionResponse {
            force: [n, -m],
            tangent: [[ea, -es], [-es, ei]],
        }
    }

    /// Forces [N, M] and tangent at the deformations [ε₀, κ], from the committed state.
    pub fn trial(&mut self, deformation: [f64; 2]) -> SectionResponse<2> {
        pulp::Arch::new().dispatch(Trial {
            section: self,
            deformation,
        })
    }

    #[inline(always)]
    fn evaluate(&mut self, deformation: [f64; 2]) -> SectionResponse<2> {
        let [axial, curvature] = deformation;
        let y = &self.y[..self.fibres.area.len()];
        self.fibres.evaluate(|i| axial - y[i] * curvature);
        let response = self.sums();
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
    pub fn response(&self) -> SectionResponse<2> {
        self.kept.response
    }

    /// The last deformations.
    #[must_use]
    pub fn deformation(&self) -> [f64; 2] {
        self.kept.deformation
    }

    /// Tangent of the untouched section.
    #[must_use]
    pub fn initial_tangent(&self) -> [[f64; 2]; 2] {
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
    section: &'a mut FibreSection2d,
    deformation: [f64; 2],
}

impl pulp::WithSimd for Trial<'_> {
    type Output = SectionResponse<2>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> SectionResponse<2> {
        self.section.evaluate(self.deformation)
    }
}
