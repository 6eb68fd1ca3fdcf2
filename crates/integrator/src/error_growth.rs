//! How errors of the imposed displacement grow in a test, taken from the method itself.
//!
//! An oscillator of unit mass whose spring is the specimen: f = Ω² d_m with Δt = 1, where d_m is
//! what was reached instead of the target. No transfer system stands between; the error is put in
//! by hand, and the method steps on.

use crate::{Answer, Integrator, IntegratorContext, Make, NoLoad, Problem};
use tandem_quantity::{BuildError, Motion, SpecimenMatrices, Values};
use tandem_structure::{Linear, Matrix};

/// Growth of control errors at one Ω.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorGrowth {
    /// Damping ratio that a specimen adds which stops short by 1 % of every increment. Negative: it
    /// feeds energy in. About −0.005 Ω for small Ω, whatever the method (Shing and Mahin 1983).
    pub undershoot_damping: f64,
    /// Likewise where it goes 1 % too far.
    pub overshoot_damping: f64,
    /// RMS error of the displacement after [`NOISE_STEPS`] steps over the RMS of an independent
    /// error in every step. About Ω √(N/2) for small Ω without damping (a random walk that the
    /// oscillation carries on).
    pub noise: f64,
}

/// Steps after which the growth of random errors is told.
pub const NOISE_STEPS: u32 = 1000;

/// Cycles over which the decay of a free vibration is watched.
const CYCLES: f64 = 40.0;

/// Growth of control errors of a method at Ω = ω Δt, on an oscillator with damping ratio `damping`.
/// None where the method refuses the step: above its stability limit everything grows.
pub fn error_growth(
    build: impl Make,
    values: &Values,
    omega: f64,
    damping: f64,
) -> Result<Option<ErrorGrowth>, BuildError> {
    let mut method = match oscillator(&build, values, omega, damping) {
        Err(error) if error.key == "dt" => return Ok(None),
        built => built?,
    };
    let decay = |method: &mut dyn Integrator, short: f64| {
        let mut before = 1.0;
        let mut reached = move |target: f64, _: u32| {
            let at = target - short * (target - before);
            before = target;
            at
        };
        // Amplitudes as RMS over two spans of whole cycles.
        #[allow(clippy::cast_possible_truncation)]
        // Ω is checked: at most millions
        let span = (std::f64::consts::PI * CYCLES / omega).clamp(40.0, 1e6) as u32;
        let mut start = Motion::at_rest(1);
        start.displacement[0] = 1.0;
        start.acceleration[0] = -omega * omega;
        method.start_from(&start, &NoLoad);
        let squares = |method: &mut dyn Integrator, reached: &mut dyn FnMut(f64, u32) -> f64| {
            let mut sum = 0.0;
            for step in 0..span {
                advance(method, omega, step, reached);
                sum += method.response().displacement[0].powi(2);
            }
            sum
        };
        let first = squares(method, &mut reached);
        let second = squares(method, &mut reached);
        0.5 * (second / first).ln() / f64::from(span)
    };
    let own = decay(method.as_mut(), 0.0);
    let added = |rate: f64| (own - rate) / omega;
    let undershoot_damping = added(decay(method.as_mut(), 0.01));
    let overshoot_damping = added(decay(method.as_mut(), -0.01));
    // The response to one error in the first step; errors in all steps add up by their squares.
    method.start_from(&Motion::at_rest(1), &NoLoad);
    let mut noise = 0.0;
    for step in 0..NOISE_STEPS {
        advance(method.as_mut(), omega, step, &mut |target, step| {
            if step == 0 { target + 1.0 } else { target }
        });
        noise += method.response().displacement[0].powi(2);
    }
    Ok(Some(ErrorGrowth {
        undershoot_damping,
        overshoot_damping,
        noise: noise.sqrt(),
    }))
}

/// The method with the oscillator's spring as specimen.
fn oscillator(
    build: &impl Make,
    values: &Values,
    omega: f64,
    damping: f64,
) -> Result<Box<dyn Integrator>, BuildError> {
    let one = |x: f64| Matrix::diagonal(&[x]);
    let structure = Linear::new(one(1.0), one(2.0 * damping * omega), one(0.0))
        .map_err(|error| BuildError::new("omega", error.to_string(), "give a finite Ω"))?;
    let mut specimen = SpecimenMatrices::none(1);
    specimen.stiffness[0] = omega * omega;
    let problem = Problem {
        structure: Box::new(structure),
        interface: vec![0],
        specimen,
        dt: 1.0,
        instantaneous: true,
    };
    build(values, problem, &IntegratorContext::of(&NoLoad))
}

/// One step; `reached` says where the specimen stands for a target of this step.
fn advance(
    method: &mut dyn Integrator,
    omega: f64,
    step: u32,
    reached: &mut dyn FnMut(f64, u32) -> f64,
) {
    loop {
        let displacement = [reached(method.target().displacement[0], step)];
        let force = [omega * omega * displacement[0]];
        let answer = Answer::new(&displacement, &force);
        if method.feed(answer, &NoLoad) {
            return;
        }
    }
}
