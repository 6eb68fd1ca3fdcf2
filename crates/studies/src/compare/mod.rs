//! Every compensator on every transfer system, with the same motions and with settings that follow
//! one rule.
//!
//! A cell is a virtual run of compensator and rig at the coordinator's rate: the wanted motion is
//! given, nothing is fed back to a structure, so a cell shows tracking and nothing else. Whether a
//! whole test is stable with it is for `tandem check` to say.

mod identify;
mod motion;
mod page;
mod settings;
mod systems;

pub use identify::Identified;
pub use page::page;

use motion::Wanted;
use settings::Variant;
use systems::{SYSTEMS, System};
use tandem_quantity::{BuildError, Context, Motion, Parameter, Registry, ValueKind, Values, index};
use tandem_signal::correlate;
use tandem_transfer::compensator::{self, Compensator};
use tandem_transfer::rig::{self, Measured, Rehearsal, Rig, RigContext};

use tandem::plan::{self, Source};
use tandem::registry::standard;

/// Rate of the coordinator, Hz.
pub const RATE: f64 = 1024.0;
/// Standard deviation of the displacement transducer in every cell, m.
pub const NOISE: f64 = 5e-6;
/// Figures are taken from here on, s: the start and the first window of the adaptive methods do not
/// count.
const SETTLED: f64 = 3.0;
/// A cell whose error grows beyond this many times the motion counts as unstable.
const UNSTABLE: f64 = 3.0;

/// One compensator on one transfer system under one motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Name of the transfer system.
    pub system: &'static str,
    /// Name of the compensator, with its variant.
    pub compensator: &'static str,
    /// Name of the method in the plan.
    pub method: &'static str,
    /// Name of the motion.
    pub motion: &'static str,
    /// The compensator's table in the plan.
    pub settings: String,
    /// Whether the error stayed bounded. The other figures are absent where it did not.
    pub stable: bool,
    /// Delay of measured behind wanted by cross-correlation, ms.
    pub delay_ms: Option<f64>,
    /// RMS error over RMS of the motion, %.
    pub nrmse_percent: Option<f64>,
    /// Largest error over peak of the motion, %.
    pub peak_percent: Option<f64>,
    /// RMS velocity of the command over that of the motion: how hard the actuator is driven.
    pub effort: Option<f64>,
}

/// All cells, with what was found of the transfer systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Names, one-line summaries and the fitted lags of the transfer systems.
    pub systems: Vec<(&'static str, &'static str, Identified)>,
    /// Names of the motions and what they are.
    pub motions: Vec<(&'static str, &'static str)>,
    /// How each compensator was set, in words.
    pub rules: Vec<(&'static str, &'static str)>,
    /// The cells, system by system, motion by motion.
    pub cells: Vec<Cell>,
}

static TABLE: &[Parameter] = &[
    Parameter::of(
        "compensator",
        ValueKind::Slot(&compensator::SLOT),
        "delay and amplitude compensation",
    ),
    Parameter::of("rig", ValueKind::Slot(&rig::SLOT), "the transfer system"),
];

fn read(registry: &Registry, text: &str) -> Result<Values, BuildError> {
    let source = Source::Text {
        name: "compare-methods",
        text,
    };
    plan::read_with(registry, TABLE, source, &[])
        .map(|plan| plan.values.clone())
        .map_err(|refusal| BuildError::new("", refusal.to_text(), "this is a fault of the program"))
}

fn build_rig(system: &System, noise: f64) -> Result<Box<dyn Rig>, BuildError> {
    let sensors = format!("[rig.sensors]\ndisplacement_noise = \"{noise} m\"\n");
    let text = format!("[compensator]\n[rig]\n{}\n{}", system.rig, sensors);
    let values = read(standard(), &text)?;
    let table = values.table("rig")?;
    let context = RigContext::direct(Context::of(system.axes, 1.0 / RATE));
    (rig::SLOT.find(table)?.build)(table, &context)
}

fn build_compensator(
    registry: &Registry,
    text: &str,
    axes: usize,
) -> Result<Box<dyn Compensator>, BuildError> {
    let values = read(registry, &format!("{text}\n[rig]\n"))?;
    compensator::build(values.table("compensator")?, &Context::of(axes, 1.0 / RATE))
}

/// What came of a run: per axis and tick.
struct Track {
    command: Vec<Vec<f64>>,
    measured: Vec<Vec<f64>>,
    stable: bool,
}

/// The wanted motion of the next tick goes in at every tick, as from a method that looks ahead;
/// `only` one axis, or all.
fn track(
    compensator: &mut dyn Compensator,
    rig: &mut dyn Rig,
    wanted: &Wanted,
    only: Option<usize>,
) -> Result<Track, BuildError> {
    let axes = rig.properties().actuators;
    let mut rehearsal = Rehearsal::of(rig)?;
    let mut measured = Measured::at_rest(axes);
    let (mut next, mut command) = (Motion::at_rest(axes), Motion::at_rest(axes));
    let mut out = Track {
        command: vec![Vec::new(); axes],
        measured: vec![Vec::new(); axes],
        stable: true,
    };
    let bound = UNSTABLE * wanted.peak();
    for k in 0..wanted.len() {
        rig.read(&mut measured);
        wanted.at(k + 1, only, &mut next);
        compensator.compensate(&next, &measured.motion, &mut command);
        for i in 0..axes {
            let (x, u) = (measured.motion.displacement[i], command.displacement[i]);
            if !(x.abs() <= bound && u.is_finite()) {
                out.stable = false;
                return Ok(out);
            }
            out.measured[i].push(x);
            out.command[i].push(u);
        }
        let Some(command) = rehearsal.release(&command) else {
            out.stable = false;
            return Ok(out);
        };
        rig.write(command);
    }
    Ok(out)
}

/// How long `measured` lags behind `wanted`, ms, within ± 100 ms.
fn delay_ms(measured: &[f64], wanted: &[f64]) -> Option<f64> {
    correlate::delay(wanted, measured, -102..=102)
        .ok()
        .map(|found| found.refined * 1e3 / RATE)
}

fn cell(
    registry: &Registry,
    system: &System,
    variant: &Variant,
    settings: String,
    wanted: &Wanted,
) -> Result<Cell, BuildError> {
    let mut rig = build_rig(system, NOISE)?;
    let mut compensator = build_compensator(registry, &settings, system.axes)?;
    let run = track(compensator.as_mut(), rig.as_mut(), wanted, None)?;
    let mut cell = Cell {
        system: system.name,
        compensator: variant.name,
        method: variant.method,
        motion: wanted.name,
        settings,
        stable: run.stable,
        delay_ms: None,
        nrmse_percent: None,
        peak_percent: None,
        effort: None,
    };
    if !run.stable {
        return Ok(cell);
    }
    let from = index(SETTLED * RATE);
    let rate = |x: &[f64]| -> Vec<f64> { x.windows(2).map(|w| (w[1] - w[0]) * RATE).collect() };
    let worse = |old: Option<f64>, new: Option<f64>| match (old, new) {
        (Some(a), Some(b)) if a.abs() >= b.abs() => Some(a),
        (a, None) => a,
        (_, b) => b,
    };
    for i in 0..system.axes {
        let wanted = &wanted.displacement(i)[from..];
        let (measured, command) = (&run.measured[i][from..], &run.command[i][from..]);
        let percent = |x: Option<f64>| x.map(|x| 100.0 * x);
        cell.delay_ms = worse(cell.delay_ms, delay_ms(measured, wanted));
        let errors = correlate::errors(measured, wanted).ok();
        cell.nrmse_percent = worse(cell.nrmse_percent, percent(errors.map(|e| e.rms)));
        cell.peak_percent = worse(cell.peak_percent, percent(errors.map(|e| e.peak)));
        let effort = correlate::rms(&rate(command)) / correlate::rms(&rate(wanted));
        cell.effort = worse(cell.effort, Some(effort));
    }
    Ok(cell)
}

/// Runs all cells, of all compensators of the registry; `progress` is told the share that is done,
/// 0 to 1.
pub fn compare(
    registry: &Registry,
    progress: &mut dyn FnMut(f64),
) -> Result<Comparison, BuildError> {
    let (motions, variants) = (motion::all()?, settings::variants(registry));
    let mut out = Comparison {
        systems: Vec::new(),
        motions: motions.iter().map(|m| (m.name, m.summary)).collect(),
        rules: variants.iter().map(|v| (v.name, v.rule)).collect(),
        cells: Vec::new(),
    };
    let total = SYSTEMS.len() * motions.len() * variants.len();
    for system in SYSTEMS {
        let found = identify::identify(system, &motions[1])?;
        out.systems.push((system.name, system.summary, found));
        for wanted in &motions {
            for variant in &variants {
                let settings = settings::of(variant, system, &found);
                out.cells
                    .push(cell(registry, system, variant, settings, wanted)?);
                progress(out.cells.len() as f64 / total as f64);
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a transfer system that is a lag of second order and nothing else, the fit gives its
    /// coefficients (2ζ/ω, 1/ω²); half a tick is the hold. The exact inverse then tracks within the
    /// noise's size, and without compensation it does not.
    #[test]
    fn a_second_order_lag_is_found_and_undone() {
        let system = SYSTEMS
            .iter()
            .find(|system| system.name == "second-order")
            .unwrap();
        let motions = motion::all().unwrap();
        let found = identify::identify(system, &motions[1]).unwrap();
        let w = 2.0 * std::f64::consts::PI * 18.57;
        assert!((found.a0 - 1.0).abs() < 0.01, "{found:?}");
        let hold = 0.5 / RATE;
        assert!((found.delay() + hold - 1.4 / w).abs() < 3e-4, "{found:?}");
        assert!((found.a2 * w * w - 1.0).abs() < 0.1, "{found:?}");
        let of = |name: &'static str| {
            let variants = settings::variants(standard());
            let variant = variants.iter().find(|v| v.name == name).unwrap();
            let settings = settings::of(variant, system, &found);
            cell(standard(), system, variant, settings, &motions[0]).unwrap()
        };
        let (none, model) = (of("none"), of("model-based"));
        assert!(none.nrmse_percent.unwrap() > 15.0, "{none:?}");
        assert!((none.delay_ms.unwrap() - 11.5).abs() < 1.0, "{none:?}");
        assert!(model.nrmse_percent.unwrap() < 2.0, "{model:?}");
    }

    /// Every compensator can be built for every transfer system by its rule: none of the runs fails
    /// before it begins.
    #[test]
    fn every_rule_gives_a_compensator() {
        let fit = Identified {
            a0: 1.02,
            a1: 0.012,
            a2: 8e-5,
        };
        for system in SYSTEMS {
            build_rig(system, NOISE).unwrap();
            for variant in &settings::variants(standard()) {
                let settings = settings::of(variant, system, &fit);
                let built = build_compensator(standard(), &settings, system.axes);
                let error = built.err().map(|error| error.to_string());
                assert_eq!(error, None, "{} on {}", variant.name, system.name);
            }
        }
    }
}
