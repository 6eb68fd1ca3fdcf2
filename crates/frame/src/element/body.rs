//! What a member is between its ends: basic deformations in, basic forces out.
//!
//! ```text
//!            ┌──────────────────────────┐
//!  v (B) ──▶ │ body of a member          │ ──▶ q (B), k = ∂q/∂v
//!            │ committed state ─▶ trial  │
//!            └──────────────────────────┘
//! ```
//!
//! B = 3 in a plane frame: (elongation, θ_i, θ_j) and (N, M_i, M_j); B = 6 in a space frame:
//! (elongation, θ_zi, θ_zj, θ_yi, θ_yj, twist) and (N, M_zi, M_zj, M_yi, M_yj, T). Sections have S
//! = 2 or 4 components, with shear 3 or 6.

use tandem_quantity::Snapshot;

use crate::section::{Aggregate, Section2d, Section3d, SectionResponse};

/// What every body can do.
pub(crate) trait Body<const B: usize>: Snapshot {
    /// Goes to the deformations `v` from the committed state.
    fn trial(&mut self, v: &[f64; B]);
    /// Basic forces of the last trial.
    fn force(&self) -> &[f64; B];
    /// Basic stiffness of the last trial.
    fn stiffness(&self) -> &[[f64; B]; B];
    /// Basic stiffness of the untouched body.
    fn initial_stiffness(&self) -> &[[f64; B]; B];
    /// Uniform load along the local axes, N/m. Acts from the next trial on.
    fn set_load(&mut self, load: [f64; 3]);
    /// Makes the trial state the committed one.
    fn commit(&mut self);
    /// Forgets the trial.
    fn revert(&mut self);
    /// How many trials did not converge by any means; their forces are the best that was found.
    fn failures(&self) -> usize {
        0
    }
}

/// A section as a body meets it.
pub(crate) trait SectionLaw<const S: usize>: Snapshot + Clone {
    fn trial(&mut self, deformation: [f64; S]) -> SectionResponse<S>;
    fn commit(&mut self);
    fn revert(&mut self);
    fn response(&self) -> SectionResponse<S>;
    fn deformation(&self) -> [f64; S];
    fn initial_tangent(&self) -> [[f64; S]; S];
}

macro_rules! section_law {
    ($section:ty, $size:literal) => {
        impl SectionLaw<$size> for $section {
            #[inline]
            fn trial(&mut self, deformation: [f64; $size]) -> SectionResponse<$size> {
                self.trial(deformation)
            }
            fn commit(&mut self) {
                self.commit();
            }
            fn revert(&mut self) {
                self.revert();
            }
            fn response(&self) -> SectionResponse<$size> {
                self.response()
            }
            fn deformation(&self) -> [f64; $size] {
                self.deformation()
            }
            fn initial_tangent(&self) -> [[f64; $size]; $size] {
                self.initial_tangent()
            }
        }
    };
}

section_law!(Section2d, 2);
section_law!(Section3d, 4);
section_law!(Aggregate<3>, 3);
section_law!(Aggregate<6>, 6);

/// Rows of section forces: (row of the moment, first of its two basic moments, row of its shear
/// force).
fn bending<const S: usize>() -> &'static [(usize, usize, Option<usize>)] {
    match S {
        2 => &[(1, 1, None)],
        3 => &[(1, 1, Some(2))],
        4 => &[(1, 1, None), (2, 3, None)],
        _ => &[(1, 1, Some(4)), (2, 3, Some(5))],
    }
}

/// Section forces from basic forces at ξ = x/L: N = q₁, M(ξ) = (ξ−1) q_i + ξ q_j,
/// V = dM/dx = (q_i + q_j)/L, T = q₆.
pub(crate) fn force_interpolation<const B: usize, const S: usize>(
    xi: f64,
    length: f64,
) -> [[f64; B]; S] {
    let mut b = [[0.0; B]; S];
    b[0][0] = 1.0;
    for &(row, first, shear) in bending::<S>() {
        b[row][first] = xi - 1.0;
        b[row][first + 1] = xi;
        if let Some(shear) = shear {
            b[shear][first] = 1.0 / length;
            b[shear][first + 1] = 1.0 / length;
        }
    }
    if S >= 4 {
        b[3][5] = 1.0;
    }
    b
}

/// Section deformations from basic deformations at ξ with cubic shapes: ε = v₁/L, κ = ((6ξ−4)θ_i +
/// (6ξ−2)θ_j)/L.
pub(crate) fn displacement_interpolation<const B: usize, const S: usize>(
    xi: f64,
    length: f64,
) -> [[f64; B]; S] {
    let mut b = [[0.0; B]; S];
    b[0][0] = 1.0 / length;
    for &(row, first, _) in bending::<S>() {
        b[row][first] = (6.0 * xi - 4.0) / length;
        b[row][first + 1] = (6.0 * xi - 2.0) / length;
    }
    if S >= 4 {
        b[3][5] = 1.0 / length;
    }
    b
}

/// Section forces of the simply supported member under a uniform load along its local axes.
pub(crate) fn load_interpolation<const S: usize>(xi: f64, length: f64, load: [f64; 3]) -> [f64; S] {
    let x = xi * length;
    let mut force = [0.0; S];
    force[0] = load[0] * (length - x);
    let (parabola, slope) = (0.5 * x * (x - length), x - 0.5 * length);
    for (&(row, _, shear), load) in bending::<S>().iter().zip([load[1], -load[2]]) {
        force[row] = load * parabola;
        if let Some(shear) = shear {
            force[shear] = load * slope;
        }
    }
    force
}

/// Basic forces of the clamped, prismatic member under a uniform load along its local axes.
pub(crate) fn clamped_force<const B: usize>(length: f64, load: [f64; 3]) -> [f64; B] {
    let mut q = [0.0; B];
    q[0] = -0.5 * load[0] * length;
    let moment = load[1] * length * length / 12.0;
    q[1] = -moment;
    q[2] = moment;
    if B == 6 {
        let moment = load[2] * length * length / 12.0;
        q[3] = moment;
        q[4] = -moment;
    }
    q
}
