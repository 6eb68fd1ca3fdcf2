//! The multi-axial problem (Condori Uribe et al. 2023): a frame of 29 equations, two actuators on a
//! coupler that act on each other, a specimen whose force is computed.
//!
//! Per sample: plant → noise → the controller's estimate → frame coordinates → force of the
//! specimen → Newmark step to this instant → targets → commands, held to the next sample. Rotations
//! are counter-clockwise.

use std::sync::atomic::AtomicBool;

use tandem_monitor::criteria::{Axis, Node};
use tandem_quantity::{BuildError, Context, Motion, Parameter, ValueKind, Values, index};
use tandem_signal::noise::WhiteNoise;
use tandem_structure::{Structure, StructureProperties};
use tandem_transfer::compensator::{self, Compensator};
use tandem_transfer::plant::{self, Plant};
use tandem_transfer::rig::Measured;

use super::Outcome;
use super::newmark::Newmark;
use super::specimen::{self, Specimen};
use crate::parallel::{self, mix_seed};
use tandem::assemble::Test;
use tandem::criteria::of_axes;
use tandem::plan::{self, PlanErrors, Source};
use tandem::run::{self, ActuatorDemand, Controls, Output as Goes};
use tandem::sections::ROOT;

/// The frame from its members.
const FRAME: &str = include_str!("multi_axial.toml");

/// Samples a second.
pub const RATE: f64 = 1024.0;

/// Standard deviation of the displacement noise, m: white, power 1.5e-7 mm²/Hz.
const NOISE: f64 = 1.239_4e-5;

/// Seed of the noise where none is asked for: that of 1 to 20 whose criteria with `rls`, in both
/// variants, are nearest to their means over all twenty (1.3 % at most). Noise moves that
/// controller by some per cent from sequence to sequence.
pub const SEED: u64 = 2;

/// Names of the controllers; the first is the default.
pub const CONTROLLERS: [&str; 4] = ["adaptive-inverse", "lqg", "rls", DELAYED];

/// No plant and no noise: the pistons are where they should have been a sample ago.
pub const DELAYED: &str = "one-sample-delay";

/// What is taken out of the frame and what is fed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The specimen that is fed back is the one that was taken out; the ground shakes all of the
    /// mass.
    Consistent,
    /// As the distributed program has it: three different specimens.
    AsCoded,
}

/// The pins of the coupler: how far below and above the node, and beside it, m.
const ARM: [f64; 2] = [0.266_70, 0.127];

/// What a bench of this problem is about.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// Which partition.
    pub variant: Variant,
    /// One of [`CONTROLLERS`].
    pub controller: String,
    /// Name of the record: see [`super::single_actuator::RECORDS`].
    pub record: String,
    /// Sensor noise.
    pub noise: bool,
    /// Seed of the noise, and of the random plants.
    pub seed: u64,
}

static TABLE: &[Parameter] = &[
    Parameter::of(
        "compensator",
        ValueKind::Slot(&compensator::SLOT),
        "delay and amplitude compensation",
    ),
    Parameter::of("plant", ValueKind::Slot(&plant::SLOT), "both actuators"),
];

/// The problem with everything that its runs share.
pub struct Prepared {
    problem: Benchmark,
    compensator: Values,
    plant: Values,
    numerical: Newmark,
    specimen: Specimen,
    /// Ground acceleration at the samples, m/s².
    ground: Vec<f64>,
    /// Degrees of freedom: x and rotation of the interface, x and rotation of one node of each
    /// floor above, rotation of the other joint of the specimen.
    places: [usize; 7],
    /// Their histories in the undivided frame (the first six).
    pub reference: Vec<Vec<f64>>,
    /// What is worth knowing, such as the record that was taken.
    pub notes: Vec<String>,
}

/// One run with its signals.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// None where the run is unstable: the frame further from its reference, or a piston further
    /// from its target, than that ever goes.
    pub outcome: Option<Outcome>,
    /// Strokes that were wanted, measured, true, and estimated by the controller, m.
    pub strokes: [[Vec<f64>; 2]; 4],
}

/// The frame as a plan, under this record.
fn frame_text(record: &str) -> String {
    let known = super::single_actuator::RECORDS.iter();
    let (_, file, dt) = known
        .clone()
        .find(|(name, ..)| *name == record)
        .unwrap_or(&super::single_actuator::RECORDS[0]);
    let text = FRAME.replace(
        "ground_motion_el_centro_1940",
        &format!("ground_motion_{file}"),
    );
    let text = text.replace(
        "scale = 0.4",
        &format!("scale = 0.4\ndt = \"{dt}\"\nunit = \"m/s^2\""),
    );
    if *file == "el_centro_1940" {
        text
    } else {
        text.replace("otherwise = \"el-centro-1940\"\n", "")
    }
}

fn assembled(text: &str) -> Result<Test, Box<PlanErrors>> {
    let source = Source::Text {
        name: "multi-axial",
        text,
    };
    let plan = plan::read(ROOT, source, &[]).map_err(Box::new)?;
    plan.assemble()
}

impl Benchmark {
    fn controller(&self) -> &'static str {
        match self.controller.as_str() {
            // Weights: the largest of the scan in the reference solution.
            "lqg" => {
                "method = \"lqg\"\ntracking_weight = \"1e10 1/s^2\"\nprocess_noise = 1.0\n\
                sensor_noise = 1.0\nprompt = false\n\
                 [compensator.plant]\nkind = \"benchmark-multi\"\n"
            }
            // Start values of the published program (RoDeAC).
            "rls" => {
                "method = \"recursive-least-squares\"\nahead = 0\nthreshold = \"0 mm\"\n\
                gain_margin = 0.9\nmaximum_delay = \"1 s\"\n\
                 start = [[5.414703531416, 1.962806653915, -1.504825259668, -4.957763803988],\n\
                 [6.058172628218, 2.199815746545, -1.674597634216, -5.538499858188]]\n\
                 covariance = [[83906.4e6, 106712.8e6, 106712.9e6, 83907.6e6], [64773.0e6, \
                 104560.9e6, 104561.2e6, 64773.6e6], \"m^-2\"]\n"
            }
            DELAYED => "method = \"none\"\n",
            _ => {
                "method = \"adaptive-inverse\"\nahead = 0\nsensor_noise = \"12.4 um\"\n\
                derivatives = \"displacement\"\n\
                 [compensator.plant]\nkind = \"benchmark-multi\"\n"
            }
        }
    }

    /// Builds what all runs share, and computes the reference.
    ///
    /// # Errors
    /// A refusal of the plan of the frame, such as a record that is not there.
    pub fn prepare(&self) -> Result<Prepared, Box<PlanErrors>> {
        let text = frame_text(&self.record);
        let source = Source::Text {
            name: "multi-axial",
            text: &text,
        };
        let plan = plan::read(ROOT, source, &[]).map_err(Box::new)?;
        let refuse = |errors: Vec<BuildError>| Box::new(plan.refuse(errors));
        let test = plan.assemble()?;
        let whole = test.outline.whole.properties();
        let places = places(whole).ok_or_else(|| {
            refuse(vec![BuildError::new(
                "structure",
                "the nodes of the interface are not there",
                "use the frame of the multi-axial benchmark",
            )])
        })?;
        let missing = |error: BuildError| refuse(vec![error]);
        let tables = format!(
            "[compensator]\n{}[plant]\nkind = \"benchmark-multi\"\n",
            self.controller()
        );
        let source = Source::Text {
            name: "controller",
            text: &tables,
        };
        let tables = plan::read(TABLE, source, &[]).map_err(Box::new)?;
        let specimen = Specimen::new(self.variant == Variant::AsCoded).map_err(missing)?;
        let matrices = [
            whole.mass.to_dense(),
            whole.damping.to_dense(),
            whole.stiffness.to_dense(),
        ];
        let n = whole.dof();
        let dt = 1.0 / RATE;
        let influence = whole.influence.to_vec();
        let shaken = |mass: &[f64]| -> Vec<f64> {
            (0..n)
                .map(|i| -(0..n).map(|j| mass[i * n + j] * influence[j]).sum::<f64>())
                .collect()
        };
        let [mass, damping, stiffness] = &matrices;
        let [numerical_mass, numerical_damping, numerical_stiffness] =
            self.divided(&matrices, places, &specimen);
        let ground_mass = match self.variant {
            Variant::Consistent => shaken(mass),
            Variant::AsCoded => shaken(&numerical_mass),
        };
        let singular = || {
            refuse(vec![BuildError::new(
                "structure",
                "the matrix of the step is singular",
                "use the frame of the multi-axial benchmark",
            )])
        };
        let mut reference =
            Newmark::new([mass, damping, stiffness], &shaken(mass), dt).ok_or_else(singular)?;
        let numerical = Newmark::new(
            [&numerical_mass, &numerical_damping, &numerical_stiffness],
            &ground_mass,
            dt,
        )
        .ok_or_else(singular)?;
        let ground = sampled(&test);
        let mut histories: Vec<Vec<f64>> =
            (0..6).map(|_| Vec::with_capacity(ground.len())).collect();
        for a in &ground {
            reference.step(*a, &[]);
            for (history, place) in histories.iter_mut().zip(places) {
                history.push(reference.displacement(place));
            }
        }
        let table = |key: &str| tables.values.table(key).cloned();
        Ok(Prepared {
            problem: self.clone(),
            compensator: table("compensator").map_err(missing)?,
            plant: table("plant").map_err(missing)?,
            numerical,
            specimen,
            ground,
            places,
            reference: histories,
            notes: test.outline.notes.clone(),
        })
    }

    /// Mass, damping and stiffness of the frame without what is taken out of it.
    fn divided(
        &self,
        matrices: &[Vec<f64>; 3],
        [x, r, .., other]: [usize; 7],
        specimen: &Specimen,
    ) -> [Vec<f64>; 3] {
        let rows = [x, r, other];
        let n = matrices[0].len().isqrt();
        let mut parts = matrices.clone();
        let removed = match self.variant {
            Variant::Consistent => specimen.felt(),
            Variant::AsCoded => specimen::removed_as_coded(),
        };
        for (part, taken) in parts.iter_mut().zip(&removed) {
            for (i, row) in rows.iter().enumerate() {
                for (j, column) in rows.iter().enumerate() {
                    part[row * n + column] -= taken[i][j];
                }
            }
        }
        parts
    }

    /// The ideal partition: the three middle members of the first storey as the specimen, without
    /// transfer system. The largest difference from the undivided frame over all degrees of
    /// freedom, as a share of the largest of each.
    ///
    /// # Errors
    /// A refusal of the plan of the frame.
    pub fn ideal(record: &str) -> Result<(f64, usize), Box<PlanErrors>> {
        let text = format!("{}\n{IDEAL}", frame_text(record));
        let source = Source::Text {
            name: "multi-axial",
            text: &text,
        };
        let plan = plan::read(ROOT, source, &[]).map_err(Box::new)?;
        let refuse = |error: BuildError| Box::new(plan.refuse(vec![error]));
        let test = plan.assemble()?;
        // The frame as it stands in its plan, all equations of it: nothing of the division is in
        // there.
        let frame = assembled(&frame_text(record))?;
        let reference = frame.reference().map_err(refuse)?;
        let labels = &frame.outline.whole.properties().labels;
        let own = test.outline.whole.properties().labels.clone();
        let shown: Vec<usize> = (0..own.len()).collect();
        let run = test.run(Goes::Memory { shown: &shown }, &mut Controls::default());
        let signals = run
            .map_err(|error| refuse(error.into_build_error()))?
            .signals;
        let mut worst = 0.0_f64;
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (label, numerical) in own.iter().zip(&signals.numerical) {
            let history = match labels.iter().position(|other| other == label) {
                Some(place) => reference.history(place),
                None => Vec::new(),
            };
            let length = numerical.len().min(history.len());
            let difference: Vec<f64> = (0..length).map(|k| numerical[k] - history[k]).collect();
            // What is missing or no number is as far away as can be: `max` would pass over it.
            if length == 0 || length + 1 < history.len() || difference.iter().any(|x| x.is_nan()) {
                worst = f64::INFINITY;
            }
            worst = worst.max(largest(&difference) / largest(&history).max(f64::MIN_POSITIVE));
        }
        if signals.stop.is_some() {
            worst = f64::INFINITY;
        }
        Ok((worst, shown.len()))
    }

    /// The plain frame, for tests of its matrices.
    ///
    /// # Errors
    /// A refusal of the plan of the frame.
    pub fn frame() -> Result<Box<dyn Structure>, Box<PlanErrors>> {
        assembled(&frame_text("el-centro")).map(|test| test.outline.whole)
    }
}

/// The three middle members as the specimen of a rig without transfer system.
const IDEAL: &str = "
[interface]
members = [\"right inner column\", \"left inner column\", \"middle beam\"]

[rig]
kind = \"virtual\"
";

/// Ground acceleration at the samples, m/s².
fn sampled(test: &Test) -> Vec<f64> {
    let samples = index((test.outline.record.duration() * RATE + 1e-9).floor()) + 1;
    (0..samples)
        .map(|k| test.outline.record.at(k as f64 * (1.0 / RATE)))
        .collect()
}

/// Degrees of freedom by the names of their nodes.
fn places(frame: &StructureProperties) -> Option<[usize; 7]> {
    let labels = &frame.labels;
    let floor = |level: char| {
        (0..labels.len())
            .find(|i| frame.influence[*i] != 0.0 && labels[*i].chars().nth(1) == Some(level))
    };
    let rotation = |node: &str| {
        labels
            .iter()
            .position(|label| label.starts_with(node) && label.contains(" r"))
    };
    Some([
        floor('1')?,
        rotation("C1")?,
        floor('2')?,
        rotation("D2")?,
        floor('3')?,
        rotation("D3")?,
        rotation("B1")?,
    ])
}

/// The coupler: distance of the pins from the node, and their angle with its sine and cosine.
#[derive(Clone, Copy)]
struct Coupler {
    radius: f64,
    angle: f64,
    sine: f64,
    cosine: f64,
}

impl Coupler {
    fn new() -> Self {
        let angle = ARM[1].atan2(ARM[0]);
        Self {
            radius: ARM[0].hypot(ARM[1]),
            angle,
            sine: angle.sin(),
            cosine: angle.cos(),
        }
    }

    /// Strokes of the actuators, with their rates, from (x, θ) and theirs.
    #[inline]
    fn to_strokes(self, x: [f64; 3], turn: [f64; 3], out: &mut Motion) {
        let radius = self.radius;
        for (i, own) in [-self.angle, self.angle].into_iter().enumerate() {
            let (sine, cosine) = (turn[0] + own).sin_cos();
            out.displacement[i] = x[0] + radius * (cosine - self.cosine);
            out.velocity[i] = x[1] - radius * sine * turn[1];
            out.acceleration[i] = x[2] - radius * (cosine * turn[1] * turn[1] + sine * turn[2]);
        }
    }

    /// (x, θ) from the strokes, as the distributed program computes it: the cosine takes the sine
    /// of the angle for the angle.
    #[inline]
    fn to_frame(self, strokes: &[f64]) -> [f64; 2] {
        let s = (strokes[0] - strokes[1]) / (2.0 * self.radius * self.sine);
        [
            strokes[0] - self.radius * ((s - self.angle).cos() - self.cosine),
            s.clamp(-1.0, 1.0).asin(),
        ]
    }
}

/// Calibration of the commands: mm/V, offset and gain (only watched, as in the distributed
/// program).
const VOLTS: [[f64; 3]; 2] = [[7.4921, 0.0092, 1.053], [7.3907, -0.0059, 1.055]];

/// Range of the converters, V.
pub const CONVERTER: f64 = 3.8;

/// Volts at the converter for commands of this size (m), whatever their sign.
#[must_use]
pub fn volts(demand: &[ActuatorDemand]) -> Vec<f64> {
    let pairs = demand.iter().zip(VOLTS);
    pairs
        .map(|(d, [scale, offset, gain])| (1e3 * d.command / gain + offset.abs()) / scale)
        .collect()
}

/// What a run keeps of its samples.
struct Histories {
    /// See [`Run::strokes`].
    strokes: [[Vec<f64>; 2]; 4],
    /// Estimated (x, θ).
    estimated: [Vec<f64>; 2],
    /// True (x, θ).
    real: [Vec<f64>; 2],
    /// Numerical displacement at the first six places.
    numerical: [Vec<f64>; 6],
}

impl Prepared {
    /// Number of samples.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.ground.len()
    }

    /// One run. `draw`: which of the random plants; 0 is the nominal one.
    ///
    /// # Errors
    /// [`BuildError`] where plant or controller cannot be built.
    pub fn run(&self, draw: u64, seed: u64) -> Result<Run, BuildError> {
        let mut plant = self.plant(draw)?;
        let mut controller = self.controller()?;
        let delayed = self.problem.controller == DELAYED;
        let deviation = if self.problem.noise && !delayed {
            NOISE
        } else {
            0.0
        };
        let mut noise = WhiteNoise::new(deviation, seed).map_err(|error| {
            BuildError::new("noise", error.to_string(), "give a finite deviation")
        })?;
        let coupler = Coupler::new();
        let lever = coupler.radius * coupler.sine;
        let mut frame = self.numerical.clone();
        let mut specimen = self.specimen.clone();
        let samples = self.ground.len();
        let list = || Vec::with_capacity(samples);
        let mut kept = Histories {
            strokes: std::array::from_fn(|_| [list(), list()]),
            estimated: [list(), list()],
            real: [list(), list()],
            numerical: std::array::from_fn(|_| list()),
        };
        let [x, r, .., other] = self.places;
        let (mut truth, mut measured) = (Measured::at_rest(2), Motion::at_rest(2));
        let (mut wanted, mut command) = (Motion::at_rest(2), Motion::at_rest(2));
        // Who has no estimate gives back what it is told.
        let mut estimate = [0.0; 2];
        controller.estimate(&[f64::NAN; 2], &mut estimate);
        let own_estimate = estimate.iter().any(|x| !x.is_nan());
        let mut demand = [ActuatorDemand::default(); 2];
        for ground in &self.ground {
            let same = noise.next();
            for i in 0..2 {
                measured.displacement[i] = truth.motion.displacement[i] + same;
            }
            controller.estimate(&measured.displacement, &mut estimate);
            let seen = coupler.to_frame(&estimate);
            let force = specimen.force(seen);
            frame.step(*ground, &[(x, force[0]), (r, force[1]), (other, force[2])]);
            coupler.to_strokes(frame.motion(x), frame.motion(r), &mut wanted);
            let at = coupler.to_frame(&truth.motion.displacement);
            for i in 0..2 {
                kept.strokes[0][i].push(wanted.displacement[i]);
                kept.strokes[1][i].push(measured.displacement[i]);
                kept.strokes[2][i].push(truth.motion.displacement[i]);
                kept.strokes[3][i].push(estimate[i]);
                kept.estimated[i].push(seen[i]);
                kept.real[i].push(at[i]);
            }
            for (history, place) in kept.numerical.iter_mut().zip(self.places) {
                history.push(frame.displacement(place));
            }
            controller.compensate(&wanted, &measured, &mut command);
            // Forces of the two parallel actuators that hold the specimen's force and moment.
            let pair = [
                0.5 * (force[0] + force[1] / lever),
                0.5 * (force[0] - force[1] / lever),
            ];
            for i in 0..2 {
                demand[i].command = demand[i].command.max(command.displacement[i].abs());
                demand[i].force = demand[i].force.max(pair[i].abs());
            }
            let before = [truth.motion.displacement[0], truth.motion.displacement[1]];
            if delayed {
                truth.motion.copy_from(&wanted);
            } else {
                plant.advance(&command, &mut truth);
            }
            for i in 0..2 {
                let rate = (truth.motion.displacement[i] - before[i]).abs() * RATE;
                demand[i].velocity = demand[i].velocity.max(rate);
            }
            // A metre is far beyond any rig: nothing is to be learned from the rest.
            if !(wanted.displacement[0].abs() < 1.0 && wanted.displacement[1].abs() < 1.0) {
                return Ok(Run::default());
            }
        }
        let outcome = self.judged(&kept, own_estimate, demand.to_vec());
        Ok(Run {
            outcome,
            strokes: kept.strokes,
        })
    }

    fn plant(&self, draw: u64) -> Result<Box<dyn Plant>, BuildError> {
        let context = Context::of(2, 1.0 / RATE);
        let entry = context.registry.find(&plant::SLOT, &self.plant)?;
        let mut table = self.plant.clone();
        table.set("draw", tandem_quantity::Value::Integer(draw as i64));
        (entry.build)(&table, &context)
    }

    fn controller(&self) -> Result<Box<dyn Compensator>, BuildError> {
        let context = Context::of(2, 1.0 / RATE);
        let entry = context
            .registry
            .find(&compensator::SLOT, &self.compensator)?;
        (entry.build)(&self.compensator, &context)
    }

    /// The criteria; none of an unstable run.
    fn judged(
        &self,
        kept: &Histories,
        own_estimate: bool,
        demand: Vec<ActuatorDemand>,
    ) -> Option<Outcome> {
        let Histories {
            strokes,
            estimated,
            real,
            numerical,
        } = kept;
        // Strokes that stand for the measured ones and for the estimate, and the estimate in
        // coordinates of the frame.
        let judge = |output: &[Vec<f64>; 2], guess: &[Vec<f64>; 2], seen: &[Vec<f64>; 2]| {
            let axes: [Axis<'_>; 2] = std::array::from_fn(|i| Axis {
                target: &strokes[0][i],
                measured: &output[i],
                estimated: &guess[i],
            });
            let nodes: [Node<'_>; 6] = std::array::from_fn(|i| Node {
                estimated: seen.get(i).map(Vec::as_slice),
                numerical: &numerical[i],
                reference: &self.reference[i],
            });
            of_axes(&axes, &nodes, 1.0 / RATE)
        };
        let [target, measured, truth, guess] = strokes;
        let unstable = numerical
            .iter()
            .zip(&self.reference)
            .chain(truth.iter().zip(target))
            .any(|(way, reference)| run::is_astray(way, reference));
        if unstable {
            return None;
        }
        let forms = [
            judge(measured, guess, estimated),
            judge(guess, guess, estimated),
            judge(truth, truth, real),
        ];
        Outcome::of(forms, own_estimate, demand)
    }

    /// Runs with the random plants of the seed. None for a run that went beyond all bounds.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn runs(
        &self,
        runs: usize,
        jobs: usize,
        done: impl FnMut() + Send,
        stop: &AtomicBool,
    ) -> Result<Vec<Option<Outcome>>, BuildError> {
        let numbers: Vec<usize> = (1..=runs).collect();
        let mut done = done;
        let list = parallel::each(
            &numbers,
            jobs,
            |number| {
                let run = number as u64;
                let draw = 1 + mix_seed(self.problem.seed, run, 1) % 999_999_999;
                let seed = mix_seed(self.problem.seed, run, 2) % 1_000_000_000_000;
                self.run(draw, seed).map(|run| run.outcome)
            },
            |_, _| done(),
            stop,
        );
        list.into_iter().map(|(_, found)| found).collect()
    }
}
