//! A space member whose own axes turn with it: displacements and rotations of any size.
//!
//! ```text
//!  u (12) ──▶ relative displacement, R_i = exp θ_i, R_j = exp θ_j ──▶ member's axes now ──▶ v (6), ∂v/∂u, ∂²v/∂u²
//! ```
//!
//! The rotations of a node are the components of its rotation vector (axis times angle, below a
//! full turn), and its moments are conjugate to them: forces derive from an energy, the tangent is
//! symmetric, and nothing depends on the path. Along a fixed axis these are the ordinary angle and
//! moment; a program that adds up rotation increments differs from it in the second order of the
//! rotations.
//!
//! The axes now: x along the chord, y as the mean of the two ends' y axes allows (Battini & Pacoste
//! 2002, §3.1); deformations are the elongation and the rotation vectors of the ends relative to
//! these axes.

use super::jet::{First, Scalar, Second, VARIABLES};

type Vector<S> = [S; 3];

fn dot<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross<S: Scalar>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit<S: Scalar>(a: &Vector<S>) -> Vector<S> {
    let factor = dot(a, a).sqrt().inverse();
    a.map(|v| v * factor)
}

/// Σ (−t)ᵏ/(2k + first)! with its derivatives: sin√t/√t for first = 1, (1 − cos√t)/t for first = 2.
fn alternating(t: f64, first: u32) -> [f64; 3] {
    let mut sums = [0.0; 3];
    let mut factorial = if first == 1 { 1.0 } else { 2.0 };
    // tᵏ, tᵏ⁻¹, tᵏ⁻² without dividing by t.
    let mut powers = [1.0, 0.0, 0.0];
    let mut order = f64::from(first);
    for k in 0..30_u32 {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        let k = f64::from(k);
        sums[0] += sign * powers[0] / factorial;
        sums[1] += sign * k * powers[1] / factorial;
        sums[2] += sign * k * (k - 1.0) * powers[2] / factorial;
        powers = [powers[0] * t, powers[0], powers[1]];
        factorial *= (order + 1.0) * (order + 2.0);
        order += 2.0;
    }
    sums
}

/// asin(√w)/√w with its derivatives, from 2w h′ + h = (1 − w)^(−1/2).
fn arc(w: f64) -> [f64; 3] {
    if w < 0.05 {
        let mut sums = [0.0; 3];
        let mut coefficient = 1.0; // (2k)!/(4ᵏ k!²)
        let mut powers = [1.0, 0.0, 0.0];
        for k in 0..16_u32 {
            let k = f64::from(k);
            let c = coefficient / (2.0 * k + 1.0);
            sums[0] += c * powers[0];
            sums[1] += c * k * powers[1];
            sums[2] += c * k * (k - 1.0) * powers[2];
            powers = [powers[0] * w, powers[0], powers[1]];
            coefficient *= (2.0 * k + 1.0) / (2.0 * k + 2.0);
        }
        return sums;
    }
    // Ends that have turned by a right angle against the chord are beyond any beam theory.
    let w = w.min(0.999);
    let root = w.sqrt();
    let h = root.asin() / root;
    let g = (1.0 - w).sqrt().recip();
    let slope = (g - h) / (2.0 * w);
    [h, slope, (0.5 * g * g * g - 3.0 * slope) / (2.0 * w)]
}

/// exp θ applied to a fixed vector: a + A θ×a + B θ×(θ×a) (Rodrigues).
fn turned<S: Scalar>(theta: &Vector<S>, vector: [f64; 3]) -> Vector<S> {
    let square = dot(theta, theta);
    let (a, b) = (
        square.chain(alternating(square.value(), 1)),
        square.chain(alternating(square.value(), 2)),
    );
    let fixed = vector.map(S::constant);
    let once = cross(theta, &fixed);
    let twice = cross(theta, &once);
    std::array::from_fn(|k| fixed[k] + a * once[k] + b * twice[k])
}

/// Rotation vector of the triad `turned` relative to `axes`, in components of `axes`.
fn relative<S: Scalar>(axes: &[Vector<S>; 3], turned: &[Vector<S>; 3]) -> Vector<S> {
    // R̄_kl = axes_k · turned_l; its skew part is sin φ times the axis.
    let entry = |k: usize, l: usize| dot(&axes[k], &turned[l]);
    let skew = [
        (entry(2, 1) - entry(1, 2)).times(0.5),
        (entry(0, 2) - entry(2, 0)).times(0.5),
        (entry(1, 0) - entry(0, 1)).times(0.5),
    ];
    let square = dot(&skew, &skew);
    let factor = square.chain(arc(square.value()));
    skew.map(|v| v * factor)
}

/// The member's axes now, and its basic deformations (elongation, θ_zi, θ_zj, θ_yi, θ_yj, twist).
fn deformation<S: Scalar>(
    span: [f64; 3],
    axes: &[[f64; 3]; 3],
    motion: &[f64; VARIABLES],
) -> ([Vector<S>; 3], [S; 6]) {
    let variable: [S; VARIABLES] = std::array::from_fn(|i| S::variable(i, motion[i]));
    let shift = [variable[0], variable[1], variable[2]];
    let chord: Vector<S> = std::array::from_fn(|k| shift[k] + S::constant(span[k]));
    let length = dot(&chord, &chord).sqrt();
    let start = span.iter().map(|v| v * v).sum::<f64>().sqrt();
    // (ℓ² − L²)/(ℓ + L) loses no digits while the elongation is small.
    let gained = std::array::from_fn(|k| shift[k] + S::constant(2.0 * span[k]));
    let elongation = dot(&shift, &gained) * (length + S::constant(start)).inverse();
    let ends = [3, 6].map(|first| {
        let theta = [variable[first], variable[first + 1], variable[first + 2]];
        axes.map(|axis| turned(&theta, axis))
    });
    let x = {
        let factor = length.inverse();
        chord.map(|v| v * factor)
    };
    let mean: Vector<S> = std::array::from_fn(|k| ends[0][1][k] + ends[1][1][k]);
    let z = unit(&cross(&x, &mean));
    let now = [x, cross(&z, &x), z];
    let [first, second] = [0, 1].map(|end| relative(&now, &ends[end]));
    let v = [
        elongation,
        first[2],
        second[2],
        first[1],
        second[1],
        second[0] - first[0],
    ];
    (now, v)
}

/// Where the member's axes are now, and how its deformations depend on the motion of its ends
/// there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turned {
    motion: [f64; VARIABLES],
    gradient: [[f64; VARIABLES]; 6],
    pub axes: [[f64; 3]; 3],
}

tandem_quantity::snapshot!(Turned {
    motion,
    gradient,
    axes
});

impl Turned {
    /// The member before it has moved.
    pub fn start(span: [f64; 3], axes: &[[f64; 3]; 3]) -> Self {
        Self::at(span, axes, [0.0; VARIABLES]).0
    }

    /// The member at nodal displacements `u` of i, then j; with its deformations.
    pub fn new(span: [f64; 3], axes: &[[f64; 3]; 3], u: &[f64; 12]) -> (Self, [f64; 6]) {
        let motion = [
            u[6] - u[0],
            u[7] - u[1],
            u[8] - u[2],
            u[3],
            u[4],
            u[5],
            u[9],
            u[10],
            u[11],
        ];
        Self::at(span, axes, motion)
    }

    fn at(span: [f64; 3], axes: &[[f64; 3]; 3], motion: [f64; VARIABLES]) -> (Self, [f64; 6]) {
        let (now, v) = deformation::<First>(span, axes, &motion);
        let turned = Self {
            motion,
            gradient: v.map(|jet| jet.gradient),
            axes: now.map(|axis| axis.map(|jet| jet.value)),
        };
        (turned, v.map(|jet| jet.value))
    }

    /// Gradients of the deformations by the nodal displacements.
    pub fn gradient(&self) -> [[f64; 12]; 6] {
        self.gradient.map(|row| {
            let mut full = [0.0; 12];
            for (variable, entry) in row.iter().enumerate() {
                spread(variable, |dof, sign| full[dof] += sign * entry);
            }
            full
        })
    }

    /// Visits the geometric stiffness Σ q_b ∂²v_b/∂u²: row, column, entry.
    pub fn each_geometric(
        &self,
        span: [f64; 3],
        axes: &[[f64; 3]; 3],
        q: &[f64; 6],
        mut visit: impl FnMut(usize, usize, f64),
    ) {
        let (_, v) = deformation::<Second>(span, axes, &self.motion);
        let mut sum = v[0].times(q[0]);
        for b in 1..6 {
            sum = sum + v[b].times(q[b]);
        }
        sum.each_curvature(|i, j, entry| {
            spread(i, |row, left| {
                spread(j, |column, right| {
                    visit(row, column, left * right * entry);
                    if i != j {
                        visit(column, row, left * right * entry);
                    }
                });
            });
        });
    }
}

/// The nodal displacements that a variable is made of, with their signs.
fn spread(variable: usize, mut visit: impl FnMut(usize, f64)) {
    match variable {
        0..3 => {
            visit(variable, -1.0);
            visit(variable + 6, 1.0);
        }
        3..6 => visit(variable, 1.0),
        _ => visit(variable + 3, 1.0),
    }
}
