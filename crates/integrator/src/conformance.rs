//! What every time-stepping method keeps to: [`tandem_quantity::conformance`], on a building of two
//! storeys whose lower one is the specimen; and the targets stand where the method says.

use tandem_quantity::conformance::{Guard, Violation, check, rests};
use tandem_quantity::{BuildError, Entry, Registry, SpecimenMatrices, Values};
use tandem_structure::{Linear, Matrix};

use crate::{Answer, Build, GroundMotion, Integrator, IntegratorContext, Loading, NoLoad, Problem};

/// Step of structural time, s.
pub const STEP: f64 = 0.01;
/// Of the specimen, N/m and N s/m.
const STIFFNESS: f64 = 2e5;
/// Steps in which the targets are held against the motion.
const STEPS: u64 = 400;
/// A target may be off by this share of the longest way that is gone in a step: what methods
/// neglect is of the second order.
const SHARE: f64 = 0.25;

/// Two storeys of a tonne each, of 200 kN/m: 1.4 and 3.6 Hz.
fn problem() -> Result<Problem, BuildError> {
    let of = |rows: [[f64; 2]; 2]| {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        Matrix::from_rows(&rows)
    };
    let upper = of([[STIFFNESS, -STIFFNESS], [-STIFFNESS, STIFFNESS]]);
    let structure = upper
        .map_err(|error| error.to_string())
        .and_then(|stiffness| {
            let damping = Matrix::combine(&[(2e-3, &stiffness)]);
            Linear::new(Matrix::diagonal(&[1000.0; 2]), damping, stiffness)
                .map_err(|error| error.to_string())
        });
    let structure = structure.map_err(|error| BuildError::new("", error, "check the problem"))?;
    Ok(Problem {
        structure: Box::new(structure),
        interface: vec![0],
        specimen: SpecimenMatrices {
            stiffness: vec![STIFFNESS],
            ..SpecimenMatrices::none(1)
        },
        dt: STEP,
        instantaneous: true,
    })
}

/// Shaken by a ground motion of 1 m/s², with a specimen that is as it is assumed to be, by itself
/// at once.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn integrator(
    entry: &Entry<Build>,
    table: &Values,
    registry: &Registry,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let ground = |time: f64| (6.0 * time).sin();
    let loading = GroundMotion::new(problem()?.structure.as_ref(), ground);
    let shaken = IntegratorContext {
        loading: &loading,
        registry,
    };
    let mut make = || (entry.build)(table, problem()?, &shaken);
    check(
        &mut make,
        &mut |method, _, row| {
            let at = method.target().displacement[0];
            method.feed(Answer::new(&[at], &[STIFFNESS * at]), &loading);
            let moved = method.response();
            row[..2].copy_from_slice(&moved.displacement);
            row[2..4].copy_from_slice(&moved.velocity);
            row[4..6].copy_from_slice(&moved.acceleration);
            row[6] = method.target().displacement[0];
        },
        guard,
    )?;
    let still = IntegratorContext {
        loading: &NoLoad,
        registry,
    };
    let mut at_rest = (entry.build)(table, problem()?, &still)?;
    rests(at_rest.as_mut(), &mut |method, _, row| {
        let answer = Answer::new(&[0.0], &[0.0]);
        method.feed(answer, &NoLoad);
        row[..2].copy_from_slice(&method.response().displacement);
        row[2] = method.target().displacement[0];
    })?;
    targets_stand_where_they_should(make()?.as_mut(), &loading)
}

/// Every question of a step is held against the motion from its beginning to its end.
fn targets_stand_where_they_should(
    method: &mut dyn Integrator,
    loading: &dyn Loading,
) -> Result<(), Violation> {
    let (mut farthest, mut worst) = (0.0_f64, (0.0_f64, 0.0));
    for _ in 0..STEPS {
        let (x, v) = (
            method.response().displacement[0],
            method.response().velocity[0],
        );
        let mut asked = Vec::new();
        loop {
            let at = method.target().displacement[0];
            // What is asked at once is a trial of a stage, not where the motion will go through.
            if !method.observe().needs_instant_answer() {
                asked.push((method.observe().target_fraction(), at));
            }
            if method.feed(Answer::new(&[at], &[STIFFNESS * at]), loading) {
                break;
            }
        }
        let (to, rate) = (
            method.response().displacement[0],
            method.response().velocity[0],
        );
        farthest = farthest.max(v.abs() * STEP);
        for (s, at) in asked {
            let blend = s * s * (3.0 - 2.0 * s);
            let bend = s * (1.0 - s) * STEP * (v * (1.0 - s) - rate * s);
            let off = (at - (x + blend * (to - x) + bend)).abs();
            if off > worst.0 {
                worst = (off, s);
            }
        }
    }
    if worst.0 <= SHARE * farthest {
        return Ok(());
    }
    let (off, fraction) = worst;
    Err(Violation::Breaks {
        promise: "a target at this fraction of the step (`target_fraction`)",
        found: format!(
            "at {fraction} it is off by {:.0} % of the longest way in a step",
            100.0 * off / farthest
        ),
    })
}
