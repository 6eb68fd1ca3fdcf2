//! What every method of a slot of this room keeps to: [`tandem_quantity::conformance`], with the
//! signals that fit the slot. A table must have a value for each key that has no default.

use tandem_quantity::conformance::{Guard, Row, TICKS, Violation, check, rests};
use tandem_quantity::{BuildError, Context, Entry, Motion, Value, Values, snapshot};

use crate::conditioning::Conditioner;
use crate::kinematics::Kinematics;
use crate::plant::Plant;
use crate::rig::{Measured, Rehearsal, RigContext};
use crate::{
    actuator, command, compensator, conditioning, kinematics, plant, rig, servo, specimen,
};

/// A smooth motion of two frequencies, other for each degree of freedom: at most 13 mm.
fn moved(tick: u32, period: f64, n: usize) -> Motion {
    let time = f64::from(tick) * period;
    let at = |f: fn(f64) -> f64, scale: f64| {
        let phases = std::iter::successors(Some(0.0), |phase| Some(phase + 1.0));
        let one = |phase: f64| scale * f(9.0 * time + phase) + 0.3 * scale * f(23.0 * time);
        phases.take(n).map(one).collect()
    };
    Motion {
        displacement: at(f64::sin, 0.01),
        velocity: at(f64::cos, 0.09),
        acceleration: at(f64::sin, -0.81),
    }
}

/// What is wanted at each tick, and what a lagging rig makes of it.
struct Signals {
    wanted: Vec<Motion>,
    measured: Vec<Motion>,
}

impl Signals {
    fn of(n: usize, period: f64) -> Self {
        let moved = |tick: u32| moved(tick, period, n);
        Self {
            wanted: (0..=TICKS).map(moved).collect(),
            measured: (0..=TICKS)
                .map(|tick| moved(tick.saturating_sub(11)))
                .collect(),
        }
    }
}

fn put(row: &mut Row, motion: &Motion) {
    let parts = [&motion.displacement, &motion.velocity, &motion.acceleration];
    let values = parts.into_iter().flatten();
    row.iter_mut().zip(values).for_each(|(to, x)| *to = *x);
}

/// Values behind a motion of up to 13 degrees of freedom.
fn put_behind(row: &mut Row, values: &[f64]) {
    row[40..]
        .iter_mut()
        .zip(values)
        .for_each(|(to, x)| *to = *x);
}

/// Targets every eight ticks, of which every third is late.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn command_generator(
    entry: &Entry<command::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let n = context.actuators;
    let duration = 8.0 * context.period;
    let wanted = Signals::of(n, context.period).wanted;
    let mut out = Motion::at_rest(n);
    check(
        &mut || (entry.build)(table, context),
        &mut |generator, tick, row| {
            let target = &wanted[tick as usize];
            if tick % 24 == 0 {
                for late in 1..12 {
                    generator.waiting(0.75, f64::from(late) / 8.0, duration, &mut out);
                }
            }
            if tick % 8 == 0 {
                generator.target(target);
            }
            generator.wanted(f64::from(tick % 8 + 1) / 8.0, duration, &mut out);
            put(row, &out);
        },
        guard,
    )?;
    let still = Motion::at_rest(n);
    rests(
        (entry.build)(table, context)?.as_mut(),
        &mut |generator, tick, row| {
            if tick % 8 == 0 {
                generator.target(&still);
            }
            generator.wanted(f64::from(tick % 8 + 1) / 8.0, duration, &mut out);
            put(row, &out);
        },
    )
}

/// As it is, and switched on in the middle of the run.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn compensator(
    entry: &Entry<compensator::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let n = context.actuators;
    let Signals { wanted, measured } = Signals::of(n, context.period);
    let mut out = Motion::at_rest(n);
    let late = table
        .clone()
        .with("switch_on", Value::Number(1000.0 * context.period));
    for table in [table, &late] {
        check(
            &mut || compensator::made(entry, table, context),
            &mut |compensator, tick, row| {
                let tick = tick as usize;
                compensator.compensate(&wanted[tick + 1], &measured[tick], &mut out);
                put(row, &out);
                put_behind(row, compensator.coefficients(0));
            },
            guard,
        )?;
    }
    let still = Motion::at_rest(n);
    rests(
        (entry.build)(table, context)?.as_mut(),
        &mut |compensator, _, row| {
            compensator.compensate(&still, &still, &mut out);
            put(row, &out);
        },
    )
}

/// Against a load that grows. Where the servo is none there is nothing to check.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn servo(
    entry: &Entry<servo::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let period = context.period;
    if (entry.build)(table, context)?.is_none() {
        return Ok(());
    }
    let mut make = || {
        let servo = (entry.build)(table, context)?;
        servo.ok_or_else(|| Values::missing(servo::SLOT.selector, "a servo"))
    };
    check(
        &mut make,
        &mut |servo, tick, row| {
            let time = f64::from(tick) * period;
            let (command, measured) = ((9.0 * time).sin(), (9.0 * time - 0.1).sin());
            row[0] = servo.drive_with_force(command, measured, 50.0 * time);
        },
        guard,
    )?;
    rests(make()?.as_mut(), &mut |servo, _, row| {
        row[0] = servo.drive_with_force(0.0, 0.0, 0.0);
    })
}

/// Against a spring.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn actuator(
    entry: &Entry<actuator::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let wanted = Signals::of(1, context.period).wanted;
    check(
        &mut || (entry.build)(table, context),
        &mut |actuator, tick, row| {
            let Motion {
                displacement,
                velocity,
                acceleration,
            } = &wanted[tick as usize];
            let command = [displacement[0], velocity[0], acceleration[0]];
            let moved = actuator.advance_against(command, 1e5 * displacement[0]);
            row[..3].copy_from_slice(&moved);
        },
        guard,
    )?;
    rests(
        (entry.build)(table, context)?.as_mut(),
        &mut |actuator, _, row| {
            row[..3].copy_from_slice(&actuator.advance_against([0.0; 3], 0.0));
        },
    )
}

/// With its own specimen, or without a force.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn plant(
    entry: &Entry<plant::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let n = context.actuators;
    let wanted = Signals::of(n, context.period).wanted;
    let go = |moved: &mut Moved, drive: &Motion, row: &mut Row| {
        moved.plant.advance(drive, &mut moved.truth);
        put(row, &moved.truth.motion);
        put_behind(row, &moved.truth.force);
    };
    let make = || -> Result<Box<Moved>, BuildError> {
        Ok(Box::new(Moved {
            plant: (entry.build)(table, context)?,
            truth: Measured::at_rest(n),
        }))
    };
    check(
        &mut || make(),
        &mut |moved, tick, row| go(moved, &wanted[tick as usize], row),
        guard,
    )?;
    let still = Motion::at_rest(n);
    rests(make()?.as_mut(), &mut |moved, _, row| {
        go(moved, &still, row);
    })
}

/// A plant with the motion that it goes on from, which its rig keeps for it.
struct Moved {
    plant: Box<dyn Plant>,
    truth: Measured,
}

snapshot!(Moved { plant, truth });

/// A smooth motion of its own degrees of freedom. A specimen of the plan stands behind its
/// interface.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn specimen(
    entry: &Entry<specimen::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let n = context.interface;
    let wanted = Signals::of(n, context.period).wanted;
    let mut make = || {
        let mut specimen = (entry.build)(table, context)?;
        specimen.set_period(context.period);
        Ok(specimen)
    };
    let mut force = vec![0.0; n];
    check(
        &mut make,
        &mut |specimen, tick, row| {
            specimen.force(&wanted[tick as usize], &mut force);
            put_behind(row, &force);
        },
        guard,
    )?;
    let still = Motion::at_rest(n);
    rests(make()?.as_mut(), &mut |specimen, _, row| {
        specimen.force(&still, &mut force);
        put_behind(row, &force);
    })
}

/// There and back, with forces by the same geometry: strokes lead back to the motion that they come
/// from, and no work is lost.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn kinematics(
    entry: &Entry<kinematics::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let n = context.interface;
    let wanted = Signals::of(n, context.period).wanted;
    let m = (entry.build)(table, context)?.actuators();
    let (mut strokes, mut back) = (Motion::at_rest(m), Motion::at_rest(n));
    let mut force = vec![0.0; n];
    let mut go = |kinematics: &mut dyn Kinematics, motion: &Motion, row: &mut Row| {
        kinematics.to_actuators(motion, &mut strokes);
        let reached = kinematics.to_interface(&strokes, &mut back);
        kinematics.force_to_interface(&strokes.acceleration, &mut force);
        kinematics.force_to_actuators(&force, &mut strokes.acceleration);
        kinematics.force_to_interface(&strokes.acceleration, &mut force);
        put(row, &back);
        put_behind(row, &force);
        reached
    };
    let mut lost = None;
    check(
        &mut || (entry.build)(table, context),
        &mut |kinematics, tick, row| {
            if !go(kinematics, &wanted[tick as usize], row) {
                lost = lost.or(Some(tick));
            }
        },
        guard,
    )?;
    if let Some(tick) = lost {
        return Err(Violation::Breaks {
            promise: "a position for the strokes of a motion of 13 mm",
            found: format!("none in tick {tick}"),
        });
    }
    let still = Motion::at_rest(n);
    rests(
        (entry.build)(table, context)?.as_mut(),
        &mut |kinematics, _, row| {
            go(kinematics, &still, row);
        },
    )
}

/// A measurement that lags behind what is wanted.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn conditioner(
    entry: &Entry<conditioning::Build>,
    table: &Values,
    context: &Context<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let n = context.actuators;
    let signals = Signals::of(n, context.period);
    let mut measured = Measured::at_rest(n);
    let mut go = |step: &mut dyn Conditioner, wanted: &Motion, seen: &Motion, row: &mut Row| {
        measured.motion.copy_from(seen);
        measured.force.copy_from_slice(&seen.velocity);
        step.condition(wanted, &mut measured);
        put(row, &measured.motion);
        put_behind(row, &measured.force);
    };
    check(
        &mut || (entry.build)(table, context),
        &mut |step, tick, row| {
            let tick = tick as usize;
            go(step, &signals.wanted[tick], &signals.measured[tick], row);
        },
        guard,
    )?;
    let still = Motion::at_rest(n);
    rests(
        (entry.build)(table, context)?.as_mut(),
        &mut |step, _, row| {
            go(step, &still, &still, row);
        },
    )
}

/// A rig that is a model. Its sensors may be noisy, so that it is not asked to rest.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn rig(
    entry: &Entry<rig::Build>,
    table: &Values,
    context: &RigContext<'_>,
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let n = context.common.actuators;
    let wanted = Signals::of(n, context.common.period).wanted;
    let mut measured = Measured::at_rest(n);
    let mut rehearsal = Rehearsal::of((entry.build)(table, context)?.as_ref())?;
    let mut withheld = false;
    check(
        &mut || (entry.build)(table, context),
        &mut |rig, tick, row| {
            match rehearsal.release(&wanted[tick as usize]) {
                Some(command) => rig.write(command),
                None => withheld = true,
            }
            rig.read(&mut measured);
            put(row, &measured.motion);
            put_behind(row, &measured.force);
        },
        guard,
    )?;
    if withheld {
        return Err(Violation::Breaks {
            promise: "to be a model",
            found: "a rehearsal does not move it".to_owned(),
        });
    }
    Ok(())
}
