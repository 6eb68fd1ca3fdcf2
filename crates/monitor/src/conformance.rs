//! What every monitor keeps to: [`tandem_quantity::conformance`], beside a test whose specimen
//! lags; and while nothing moves it lets the test go on.

use tandem_integrator::Problem;
use tandem_quantity::conformance::{Guard, Violation, check};
use tandem_quantity::{BuildError, Entry, Motion, SpecimenMatrices, Values, Verdict};
use tandem_structure::{Linear, Matrix};

use crate::{Build, Monitor, MonitorContext, Observation};

/// Period of the coordinator, s.
const PERIOD: f64 = 1.0 / 1024.0;
/// Ticks for which nothing moves.
const AT_REST: u32 = 2000;

/// A mass on a spring with one interface degree of freedom.
fn problem() -> Result<Problem, BuildError> {
    let one = |x: f64| Matrix::diagonal(&[x]);
    let structure = Linear::new(one(1000.0), one(500.0), one(1e5));
    let structure =
        structure.map_err(|error| BuildError::new("", error.to_string(), "check the problem"))?;
    Ok(Problem {
        structure: Box::new(structure),
        interface: vec![0],
        specimen: SpecimenMatrices::none(1),
        dt: PERIOD,
        instantaneous: false,
    })
}

/// What a tick of the test looks like.
struct World {
    target: Motion,
    measured: Motion,
    response: Motion,
}

impl World {
    fn at_rest() -> Self {
        let rest = || Motion::at_rest(1);
        Self {
            target: rest(),
            measured: rest(),
            response: rest(),
        }
    }

    /// A motion of 12 mm, of which the specimen does 97 %, 4 to 8 ms later.
    fn go(&mut self, tick: u32) {
        let time = f64::from(tick) * PERIOD;
        let at = |time: f64| 0.01 * (9.0 * time).sin() + 0.002 * (31.0 * time).cos();
        self.target.displacement[0] = at(time);
        self.measured.displacement[0] = 0.97 * at(time - 0.006 - 0.002 * (0.7 * time).sin());
        self.response.displacement[0] = at(time);
        self.response.velocity[0] = 0.09 * (9.0 * time).cos();
    }

    fn show(&self, tick: u32, load: f64, monitor: &mut dyn Monitor) -> Verdict {
        monitor.observe(&Observation {
            time: f64::from(tick) * PERIOD,
            step_complete: tick.is_multiple_of(3),
            target: &self.target,
            measured: &self.measured,
            force: &[1e4 * self.measured.displacement[0]],
            response: &self.response,
            load: &[load],
        })
    }
}

/// Beside a test that is not in order, and beside one in which nothing moves.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn monitor(entry: &Entry<Build>, table: &Values, guard: Guard<'_>) -> Result<(), Violation> {
    let problem = problem()?;
    let context = MonitorContext::of(&problem, PERIOD);
    let mut make = || (entry.build)(table, &context);
    let figures = make()?.figures().len();
    let mut world = World::at_rest();
    check(
        &mut make,
        &mut |monitor, tick, row| {
            world.go(tick);
            let load = 700.0 * (5.0 * f64::from(tick) * PERIOD).sin();
            row[63] = f64::from(world.show(tick, load, monitor) as u8);
            monitor.values(&mut row[..figures]);
        },
        guard,
    )?;
    let (world, mut monitor) = (World::at_rest(), make()?);
    for tick in 0..AT_REST {
        if world.show(tick, 0.0, monitor.as_mut()) != Verdict::Continue {
            return Err(Violation::LeavesRest { tick });
        }
    }
    Ok(())
}
