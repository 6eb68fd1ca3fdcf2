//! Amplification matrix of a method, taken from the method itself: one step of an oscillator from
//! three basis states.

use crate::{Answer, Integrator, IntegratorContext, Make, NoLoad, Problem};
use tandem_quantity::{BuildError, Motion, Values, snapshot};
use tandem_structure::{Linear, Matrix, Structure, StructureProperties};

/// The matrix A of (d, v/s, a/s²)₁ = A (d, v/s, a/s²)₀, by rows. The rate s, the larger of 1/Δt and
/// ω, keeps all entries of one size; the roots do not depend on it.
pub type Amplification = [[f64; 3]; 3];

/// Steps an integrator with one degree of freedom and without load once from each basis state.
/// `specimen` writes the force (N) that the specimen answers to a question; it is called only where
/// the problem has an interface.
///
/// What a method remembers of the step before is made up by [`Integrator::start_from`] as a
/// function of (d, v, a), as it is in a step that follows another; the roots of A are then those of
/// the method. Some of the three may be zero.
pub fn amplification(
    integrator: &mut dyn Integrator,
    specimen: &mut dyn FnMut(&Motion, &mut [f64]),
) -> Amplification {
    let problem = integrator.problem();
    let omega = (problem.total_stiffness().get(0, 0) / problem.total_mass().get(0, 0)).sqrt();
    let unit = problem.dt.min(1.0 / omega.max(f64::MIN_POSITIVE));
    let scales = [1.0, unit, unit * unit];
    let mut matrix = [[0.0; 3]; 3];
    let mut force = vec![0.0; integrator.problem().interface.len()];
    for column in 0..3 {
        let mut start = Motion::at_rest(1);
        [
            &mut start.displacement,
            &mut start.velocity,
            &mut start.acceleration,
        ][column][0] = 1.0 / scales[column];
        integrator.start_from(&start, &NoLoad);
        loop {
            specimen(integrator.target(), &mut force);
            let displacement = integrator.target().displacement.clone();
            let answer = Answer::new(&displacement, &force);
            if integrator.feed(answer, &NoLoad) {
                break;
            }
        }
        let end = integrator.response();
        matrix[0][column] = end.displacement[0];
        matrix[1][column] = end.velocity[0] * scales[1];
        matrix[2][column] = end.acceleration[0] * scales[2];
    }
    matrix
}

/// What an amplification matrix says of a method at one frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectral {
    /// Real and imaginary parts of the three roots.
    pub roots: [[f64; 2]; 3],
    /// Largest modulus of a root; above one the method is unstable.
    pub radius: f64,
    /// (T̄ − T)/T of the damped oscillation, positive where the computed period is longer. None
    /// where the roots are real.
    pub period_error: Option<f64>,
    /// ξ̄ − ξ: damping ratio that the method adds. None where the roots are real.
    pub numerical_damping: Option<f64>,
}

impl Spectral {
    /// From an amplification matrix at Ω = ω Δt and the oscillator's own damping ratio ξ: λ =
    /// exp(−ξ̄Ω̄ ± iΩ̄√(1−ξ̄²)).
    pub fn new(matrix: &Amplification, omega: f64, damping: f64) -> Self {
        let roots = roots(matrix);
        let radius = roots
            .iter()
            .fold(0.0_f64, |r, [re, im]| r.max(re.hypot(*im)));
        // Two real roots that meet are left a little apart from the real axis by rounding.
        let pair = roots
            .iter()
            .find(|[re, im]| *im > 1e-7 * re.hypot(*im).max(1e-3));
        let (mut period_error, mut numerical_damping) = (None, None);
        if let Some([re, im]) = pair {
            let (phase, decay) = (im.atan2(*re), re.hypot(*im).ln());
            let own = 1.0 - damping * damping;
            if own > 0.0 {
                period_error = Some(omega * own.sqrt() / phase - 1.0);
                numerical_damping = Some(-decay / phase.hypot(decay) - damping);
            }
        }
        Self {
            roots,
            radius,
            period_error,
            numerical_damping,
        }
    }
}

/// The spectrum of a method at Ω = ω Δt, on an oscillator of unit mass with damping ratio
/// `damping`.
///
/// A conditionally stable method refuses a step above its limit. Here what happens there is the
/// question, so such a method is shown an oscillator without stiffness in its matrix; where the
/// method uses that matrix, its refusal stands.
pub fn spectral(
    build: impl Make,
    values: &Values,
    omega: f64,
    damping: f64,
) -> Result<Spectral, BuildError> {
    let probe = |omega: f64, hidden: bool| -> Result<Spectral, BuildError> {
        let structure = Oscillator::new(omega, damping, hidden)?;
        let problem = Problem::all_numerical(Box::new(structure), 1.0);
        let mut method = build(values, problem, &IntegratorContext::of(&NoLoad))?;
        let matrix = amplification(method.as_mut(), &mut |_, _| {});
        Ok(Spectral::new(&matrix, omega, damping))
    };
    match probe(omega, false) {
        Err(error) if error.key == "dt" => {
            let (open, hidden) = (probe(0.1, false)?, probe(0.1, true)?);
            let period = |found: Spectral| found.period_error.unwrap_or(f64::INFINITY);
            let alike = (open.radius - hidden.radius).abs() < 1e-12
                && (period(open) - period(hidden)).abs() < 1e-12;
            if !alike {
                return Err(error);
            }
            probe(omega, true)
        }
        done => done,
    }
}

/// A linear oscillator of unit mass that can hide its stiffness from the stability check.
struct Oscillator {
    linear: Linear,
    shown: StructureProperties,
}

snapshot!(Oscillator {});

impl Oscillator {
    fn new(omega: f64, damping: f64, hidden: bool) -> Result<Self, BuildError> {
        let one = |x: f64| Matrix::diagonal(&[x]);
        let stiffness = omega * omega;
        let linear = Linear::new(one(1.0), one(2.0 * damping * omega), one(stiffness))
            .map_err(|error| BuildError::new("omega", error.to_string(), "give a finite Ω"))?;
        let shown = StructureProperties {
            stiffness: one(if hidden { 0.0 } else { stiffness }),
            kind: "oscillator",
            ..linear.properties().clone()
        };
        Ok(Self { linear, shown })
    }
}

impl Structure for Oscillator {
    fn properties(&self) -> &StructureProperties {
        &self.shown
    }
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        self.linear.restoring_force(displacement, velocity, force);
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        self.linear.tangent(stiffness);
    }
    fn commit(&mut self) {}
    fn revert(&mut self) {}
}

/// Roots of the characteristic polynomial, as real and imaginary part.
fn roots(matrix: &Amplification) -> [[f64; 2]; 3] {
    let matrix = faer::Mat::from_fn(3, 3, |i, j| matrix[i][j]);
    match matrix.eigenvalues().as_deref() {
        Ok([a, b, c]) => [a, b, c].map(|z| [z.re, z.im]),
        // Only a matrix with infinite entries has no eigenvalues.
        _ => [[f64::INFINITY, 0.0]; 3],
    }
}
