//! Does the stability warning stop unstable tests in time, and leave stable ones alone?
//!
//! Random tests of the three-storey benchmark frame: mass, damping, size of the specimen, ground
//! motion, kind of transfer system and what remains of its delay. Each is run twice: once to its
//! end and some seconds longer, without noise and without any verdict, to see whether its free
//! vibration grows; once with sensor noise and the verdict on. Nothing else stops it: the stroke
//! limit (twice the reference's peak) is only looked at.

use serde_json::json;
use std::f64::consts::TAU;
use tandem::assemble::{Test, assemble};
use tandem::plan::{self, Source};
use tandem::sections::ROOT;
use tandem_coordinator::recorder::{CHUNK_ROWS, RowBlock};
use tandem_coordinator::{Cause, Progress};
use tandem_monitor::stability::{Partition, critical_delay_exact};

/// What the table in `docs/stability-warning.md` was made with.
const CASES: usize = 500;
const SEED: u64 = 2020;
/// SW that stops a test, %, and the part of it that does so while the loop feeds itself, %: the
/// defaults of the monitor.
const BOUND: u32 = 100;
const GROWING: u32 = 100;

/// What stops a test.
#[derive(Clone, Copy)]
struct Judgement {
    bound: u32,
    growing: u32,
}

/// Structural time per step, s.
const DT: f64 = 1.0 / 1024.0;
/// Quiet time after the motion in the run that tells stable from unstable, s; the growth is that
/// between its halves.
const AFTER: f64 = 12.0;
/// Stroke limit over the peak of the reference: what a laboratory would allow itself.
const STROKE: f64 = 2.0;

/// `stability-study [CASES [SEED [BOUND [GROWING]]]]`: one JSON line with counts and the worst
/// cases; BOUND of SW in %, GROWING in % of it.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let number = |at: usize, usual: u64| match arguments.get(at) {
        Some(text) => text
            .parse::<u64>()
            .map_err(|_| format!("`{text}` is not a whole number")),
        None => Ok(usual),
    };
    let cases = usize::try_from(number(0, CASES as u64)?).map_err(|error| error.to_string())?;
    let seed = number(1, SEED)?;
    let bound = u32::try_from(number(2, u64::from(BOUND))?).map_err(|error| error.to_string())?;
    let growing =
        u32::try_from(number(3, u64::from(GROWING))?).map_err(|error| error.to_string())?;
    let verdict = Judgement { bound, growing };
    println!(
        "{}",
        study(cases, seed, verdict)?.to_json(cases, seed, verdict)
    );
    Ok(())
}

/// What the runs of a study showed.
#[derive(Default)]
struct Outcome {
    /// Unstable runs; stable runs.
    unstable: Vec<Run>,
    stable: Vec<Run>,
}

/// One case.
#[derive(Clone)]
struct Run {
    case: String,
    /// Largest displacement before the stop (or the end) over the reference's peak.
    reach: f64,
    stopped: bool,
    /// Lag over the critical one; zero where there is none.
    severity: f64,
}

impl Outcome {
    fn late(&self) -> usize {
        self.unstable
            .iter()
            .filter(|run| run.reach > 1.5 * STROKE)
            .count()
    }

    fn false_alarms(&self) -> usize {
        self.stable.iter().filter(|run| run.stopped).count()
    }

    fn to_json(&self, cases: usize, seed: u64, judgement: Judgement) -> serde_json::Value {
        let worst = |runs: &[Run]| {
            let worst = runs.iter().max_by(|a, b| a.reach.total_cmp(&b.reach));
            worst.map(
                |run| json!({ "case": run.case, "reach": run.reach, "severity": run.severity }),
            )
        };
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        let unstopped: Vec<&Run> = self.unstable.iter().filter(|run| !run.stopped).collect();
        // How the false alarms and the misses spread over the distance to the stability limit.
        let edges = [0.0, 0.5, 0.8, 1.0, 1.25, 2.0, f64::INFINITY];
        let bands: Vec<serde_json::Value> = edges
            .windows(2)
            .map(|edge| {
                let [low, high] = [edge[0], edge[1]];
                let within = |run: &&Run| run.severity >= low && run.severity < high;
                let of = |runs: &[Run]| {
                    let all: Vec<&Run> = runs.iter().filter(within).collect();
                    let stopped = all.iter().filter(|run| run.stopped).count();
                    let reach = all.iter().map(|run| run.reach).fold(0.0, f64::max);
                    json!({ "runs": all.len(), "stopped": stopped, "largest_reach": reach })
                };
                json!({
                    "severity": [low, high],
                    "stable": of(&self.stable),
                    "unstable": of(&self.unstable),
                })
            })
            .collect();
        // Which transfer systems behave otherwise than their lag at low frequencies says.
        let kinds = |runs: &[Run], which: &dyn Fn(&Run) -> bool| {
            let mut counts = std::collections::BTreeMap::new();
            for run in runs.iter().filter(|run| which(run)) {
                let kind = run.case.split(", lag").next().unwrap_or_default();
                *counts.entry(kind.to_owned()).or_insert(0_u32) += 1;
            }
            counts
        };
        json!({
            "unstable_below_half_the_critical_delay": kinds(
                &self.unstable,
                &|run| run.severity < 0.5,
            ),
            "stable_beyond_the_critical_delay": kinds(&self.stable, &|run| run.severity >= 1.0),
            "cases": cases,
            "seed": seed,
            "bound_percent": judgement.bound,
            "growing_percent": judgement.growing,
            "unstable": self.unstable.len(),
            "unstable_stopped": self.unstable.len() - unstopped.len(),
            "unstable_beyond_1.5_strokes": self.late(),
            "unstable_worst": worst(&self.unstable),
            "unstable_not_stopped_largest_reach": unstopped
                .iter()
                .map(|run| run.reach)
                .fold(0.0, f64::max),
            "stable": self.stable.len(),
            "stable_stopped": self.false_alarms(),
            "stable_stopped_percent": share(self.false_alarms(), self.stable.len()),
            "bands": bands,
        })
    }
}

fn study(cases: usize, seed: u64, judgement: Judgement) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut draw = Draw(seed);
    for _ in 0..cases {
        let (run, unstable) = one(&mut draw, judgement)?;
        if unstable {
            outcome.unstable.push(run);
        } else {
            outcome.stable.push(run);
        }
    }
    Ok(outcome)
}

/// Uniform random numbers (SplitMix64, Steele et al. 2014): the same on every machine.
struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Even on a logarithmic scale.
    fn ratio(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }
}

/// Draws a case and runs it. Returns it with whether the loop is unstable.
fn one(draw: &mut Draw, judgement: Judgement) -> Result<(Run, bool), String> {
    let mass = draw.between(900.0, 1300.0);
    let damping = draw.between(0.015, 0.06);
    let (size, severity) = (draw.ratio(0.3, 3.0), draw.ratio(0.15, 4.0));
    let scale = draw.between(0.2, 1.0);
    let ground = if draw.unit() < 0.3 {
        format!("record = \"el-centro-1940\"\nscale = {scale}")
    } else {
        format!(
            "kind = \"kanai-tajimi\"\nduration = \"{} s\"\ndt = \"5 ms\"\npeak = \"{} \
             g\"\nground_frequency = \"{} Hz\"\nseed = {}",
            draw.between(12.0, 30.0),
            0.3 * scale,
            draw.between(1.5, 5.0),
            (draw.unit() * 1e9).floor()
        )
    };
    let frame = format!(
        "[structure]\nkind = \"matrices\"\nmass = [[{mass}, 0, 0], [0, {mass}, 0], [0, 0, \
         {mass}], \"kg\"]\nstiffness = [[26054883.88, -23133938.88, 5937035.463], [-23133938.88, \
         32560774.19, -14419970.78], [5937035.463, -14419970.78, \
         9267275.506], \"N/m\"]\n[structure.damping]\nmethod = \"modal\"\nratios = \
         [{damping}]\n[interface]\ndof = [1]\n[rig.specimen]\nstiffness = [\"{} N/m\"]\ndamping = \
         [\"{} N*s/m\"]\nmass = [\"{} kg\"]\n",
        1.19e6 * size,
        114.6 * size,
        29.1 * size
    );
    let integration =
        format!("[integration]\nmethod = \"rk4\"\nforce = \"held\"\ndt = \"{DT} s\"\n");
    let text = |rig: &str| format!("[excitation]\n{ground}\n{frame}{integration}{rig}");
    // The critical delay needs only the partition; half a sample of it is the loop's own.
    let bare = build(
        &text("[rig.actuator]\nmethod = \"delay\"\nsamples = 1\n"),
        &[],
    )?;
    let problem = bare
        .hybrid()
        .map_err(|error| error.to_string())?
        .parts()
        .integrator
        .problem();
    let partition = Partition::of(problem).map_err(|error| error.to_string())?;
    // A light specimen in a well damped frame bears any delay; then the lag is some share of 20 ms,
    // and its severity zero.
    let (lag, severity) =
        match critical_delay_exact(&partition).map_err(|error| error.to_string())? {
            Some(critical) => (severity * critical, severity),
            None => (severity * 0.02, 0.0),
        };
    let (kind, rig) = transfer_system(draw, lag);
    let text = text(&rig);

    let reference = bare.reference().map_err(|error| error.to_string())?;
    let stroke = STROKE
        * reference
            .history(0)
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
    let length = bare.outline.record.duration();
    let unstable = grows(
        build(
            &text,
            &[format!("integration.duration={}s", length + AFTER)],
        )?,
        stroke,
    );
    let noise = [
        "rig.sensors.displacement_noise=16um".to_owned(),
        "rig.sensors.force_noise=2.18N".to_owned(),
        format!("monitor.stability_warning.bound={}%", judgement.bound),
        format!("monitor.stability_warning.growing={}%", judgement.growing),
    ];
    let (most, stopped) = with_verdict(build(&text, &noise)?, stroke);
    let run = Run {
        case: format!(
            "{kind}, lag {:.1} ms, damping {:.1} %",
            1e3 * lag,
            100.0 * damping
        ),
        reach: STROKE * most / stroke,
        stopped,
        severity,
    };
    Ok((run, unstable))
}

/// A transfer system whose delay is about `lag` (s), on its own or as what a compensator leaves of
/// a longer one.
fn transfer_system(draw: &mut Draw, lag: f64) -> (&'static str, String) {
    let second_order = |lag: f64, damping: f64| {
        let frequency = 2.0 * damping / lag / TAU;
        format!(
            "[rig.actuator]\nmethod = \"second-order\"\nfrequency = \"{frequency} Hz\"\ndamping = \
             {damping}\n"
        )
    };
    let kind = draw.unit();
    match kind {
        k if k < 0.25 => (
            "pure delay",
            format!(
                "[rig.actuator]\nmethod = \"delay\"\nsamples = {}\n",
                (lag / DT).round().max(1.0)
            ),
        ),
        k if k < 0.5 => (
            "first-order lag",
            format!("[rig.actuator]\nmethod = \"first-order\"\ntime_constant = \"{lag} s\"\n"),
        ),
        k if k < 0.75 => (
            "second-order lag",
            second_order(lag, draw.between(0.5, 1.0)),
        ),
        _ => {
            let whole = lag + draw.between(0.004, 0.015);
            (
                "second-order lag, compensated for too short a delay",
                second_order(whole, draw.between(0.6, 0.9))
                    + &format!(
                        "[compensator]\nmethod = \"polynomial\"\ndelay = \"{} s\"\norder = 2\n",
                        whole - lag
                    ),
            )
        }
    }
}

fn build(text: &str, overrides: &[String]) -> Result<Test, String> {
    let source = Source::Text { name: "case", text };
    let plan = plan::read(ROOT, source, overrides).map_err(|refusal| refusal.to_text())?;
    assemble(&plan.values, plan.registry()).map_err(|errors| plan.refuse(errors).to_text())
}

/// Ticks to the end; `look` gets the true displacement and says whether to go on. Returns how it
/// ended.
fn tick_through(test: Test, mut look: impl FnMut(f64, f64) -> bool) -> Progress {
    let Ok(mut hybrid) = test.into_hybrid() else {
        return Progress::Complete;
    };
    let Ok(rehearsal) = hybrid.rehearsal() else {
        return Progress::Complete;
    };
    let mut block = RowBlock::new(hybrid.channels().len(), CHUNK_ROWS);
    loop {
        let progress = hybrid.tick(&rehearsal.permit(), &mut block);
        if block.is_full() {
            block.clear();
        }
        let place = hybrid
            .parts()
            .rig
            .observe()
            .truth()
            .map_or(0.0, |truth| truth.motion.displacement[0]);
        if !look(hybrid.time(), place) || progress != Progress::Running {
            return progress;
        }
    }
}

/// Whether the free vibration at the end grows, or the run leaves every bound.
fn grows(test: Test, stroke: f64) -> bool {
    let end = test.outline.dt * test.outline.timing.steps as f64;
    let (mut early, mut late, mut away) = (0.0, 0.0, false);
    let progress = tick_through(test, |time, place| {
        away |= place.is_nan() || place.abs() > 1e3 * stroke;
        if time > end - 0.5 * AFTER {
            late += place * place;
        } else if time > end - AFTER {
            early += place * place;
        }
        !away
    });
    away || progress != Progress::Complete || late > early
}

/// Largest displacement until the end or the stop, and whether the stability warning stopped the
/// run.
fn with_verdict(test: Test, stroke: f64) -> (f64, bool) {
    let mut most = 0.0_f64;
    let progress = tick_through(test, |_, place| {
        most = most.max(place.abs());
        most < 1e3 * stroke
    });
    (
        most,
        matches!(progress, Progress::Act(_, Cause::Monitor(_))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claim of the whole study on a few cases: the first of its sequence.
    #[test]
    fn a_few_unstable_tests_are_stopped_in_time_and_stable_ones_are_left_alone() {
        let judgement = Judgement {
            bound: BOUND,
            growing: GROWING,
        };
        let outcome = study(24, SEED, judgement).unwrap();
        assert!(outcome.unstable.len() >= 5 && outcome.stable.len() >= 5);
        assert_eq!(outcome.late(), 0);
        assert!(
            outcome.false_alarms() <= 1,
            "{}",
            outcome.to_json(24, SEED, judgement)
        );
    }
}
