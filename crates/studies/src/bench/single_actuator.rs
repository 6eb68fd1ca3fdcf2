//! The single-actuator problem (Silva et al. 2020): four cases, the plant with its uncertainty,
//! noise, converters, the force one sample late.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tandem_coordinator::ReferenceRun;
use tandem_quantity::{BuildError, Setting as _};

use super::Outcome;
use crate::parallel::{self, mix_seed};
use tandem::assemble::Test;
use tandem::criteria::Output;
use tandem::plan::{self, Plan, PlanErrors, Source};
use tandem::run::{Controls, Output as Goes, Signals};
use tandem::sections::{InterfaceSettings, Partition, ROOT};

/// What a bench of this problem is about.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// Partitioning case, 1 to 4.
    pub case: usize,
    /// One of [`CONTROLLERS`].
    pub controller: String,
    /// One of [`RECORDS`].
    pub record: String,
    /// Sensor noise and converters.
    pub noise: bool,
    /// Whether the force is brought to the present; only where the controller is our own.
    pub prediction: bool,
    /// Seed of the noise, and of the random plants.
    pub seed: u64,
}

/// Names of the controllers; the first is the default.
pub const CONTROLLERS: [&str; 4] = ["adaptive-inverse", "pi", "adaptive-feedforward", "none"];

/// Names of the records, with file and sampling time.
pub const RECORDS: [(&str, &str, &str); 3] = [
    ("el-centro", "el_centro_1940", "20 ms"),
    ("kobe", "kobe_1995", "10 ms"),
    ("morgan-hill", "morgan_hill_1984", "5 ms"),
];

/// Mass of a floor, kg, and damping ratio of the four cases.
const CASES: [(f64, f64); 4] = [
    (1000.0, 0.05),
    (1100.0, 0.04),
    (1300.0, 0.03),
    (1000.0, 0.03),
];

/// 2^-18 m.
const RESOLUTION: &str = "3.814697265625 um";

impl Benchmark {
    /// The problem as a plan.
    #[must_use]
    pub fn text(&self) -> String {
        let (mass, ratio) = CASES[self.case.clamp(1, 4) - 1];
        let (_, file, dt) = RECORDS
            .iter()
            .find(|(name, ..)| *name == self.record)
            .unwrap_or(&RECORDS[0]);
        let otherwise = if *file == "el_centro_1940" {
            "otherwise = \"el-centro-1940\"\n"
        } else {
            ""
        };
        let converter = if self.noise {
            format!("resolution = \"{RESOLUTION}\"\n")
        } else {
            String::new()
        };
        let sensors = if self.noise {
            format!(
                "[rig.sensors]\ndisplacement_noise = \"16 um\"\n\
                displacement_resolution = \"{RESOLUTION}\"\n\
                 displacement_range = \"3.8 m\"\nforce_noise = \"2.18 N\"\n\
                 same_noise = true\n"
            )
        } else {
            String::new()
        };
        let (compensator, own) = match self.controller.as_str() {
            "pi" => (format!("method = \"pi-phase-lead\"\n{converter}"), false),
            "adaptive-feedforward" => (
                "method = \"adaptive-feedforward\"\norder = 3\n\
                start = [0.9923, 0.02488, 1.0655e-4, 3.853e-7]\n\
                 adaptation = [1e5, 1e3, 0, 0]\nthreshold = \"0 mm\"\na0_rate = \"1 kHz\"\n\
                 ahead = 0\n"
                    .to_owned(),
                false,
            ),
            "none" => ("method = \"none\"\n".to_owned(), false),
            _ => (
                format!(
                    "method = \"adaptive-inverse\"\nahead = 0\n{converter}[compensator.plant]\n\
                    kind = \"benchmark-single\"\n"
                ),
                true,
            ),
        };
        let conditioning = if own && self.prediction {
            "method = \"force-prediction\"\nstiffness = [[1190], \"kN/m\"]\n\
            damping = [[114.22], \"N*s/m\"]\nmass = [[29.13], \"kg\"]\n"
        } else {
            "method = \"unit-delay\"\n"
        };
        format!(
            "name = \"Single-actuator benchmark, case {case}, {record}, {controller}\"\n\
            seed = {seed}\n\
             [excitation]\nrecord = \"$TANDEM_DATA/benchmarks/ground_motion_{file}.csv\"\n\
             {otherwise}\
             dt = \"{dt}\"\nunit = \"m/s^2\"\nscale = 0.4\n\
             [structure]\nkind = \"matrices\"\nmass = [[{mass}, 0, 0], [0, {mass}, 0], [0, 0, \
             {mass}], \"kg\"]\n\
             stiffness = [\n[26054883.879603837, -23133938.877108198, 5937035.463339146],\n\
             [-23133938.877108198, 32560774.186380334, -14419970.777236981],\n\
             [5937035.463339146, -14419970.777236981, 9267275.506224312],\n\"N/m\"]\n\
             [structure.damping]\nmethod = \"modal\"\nratios = [{ratio}]\nrounding = \"0.01 1/s\"\n\
             [interface]\ndof = [1]\npartition = \"subtract\"\n\
             [integration]\nmethod = \"rk4\"\ndt = \"0.244140625 ms\"\nforce = \"held\"\n\
             [compensator]\n{compensator}\
             [conditioning]\n{conditioning}\
             [rig.plant]\nkind = \"benchmark-single\"\n{sensors}\
             [limits]\nstroke = \"50 mm\"\n\
             [record]\ncriteria = \"single-actuator\"\n",
            case = self.case,
            record = self.record,
            controller = self.controller,
            seed = self.seed,
        )
    }

    fn read(&self, overrides: &[String]) -> Result<Plan, Box<PlanErrors>> {
        let text = self.text();
        let source = Source::Text {
            name: "single-actuator",
            text: &text,
        };
        plan::read(ROOT, source, overrides).map_err(Box::new)
    }

    /// One run. `draw`: which of the random plants; 0 is the nominal one.
    ///
    /// # Errors
    /// A refusal of the plan, such as a record that is not there.
    pub fn run(
        &self,
        draw: u64,
        seed: u64,
        references: &References,
    ) -> Result<Run, Box<PlanErrors>> {
        let overrides = [format!("rig.plant.draw={draw}"), format!("seed={seed}")];
        let plan = self.read(&overrides)?;
        let refuse = |errors: Vec<BuildError>| Box::new(plan.refuse(errors));
        let test = plan.assemble()?;
        let reference = references
            .of(&plan, &test)
            .map_err(|error| refuse(vec![error]))?;
        let Some(criteria) = test.criteria.clone() else {
            return Ok(Run::default());
        };
        let shown = criteria.shown(&test.outline.interface);
        let (dt, notes) = (test.outline.dt, test.outline.notes.clone());
        let run = test.run(Goes::Memory { shown: &shown }, &mut Controls::default());
        let run = run.map_err(|error| refuse(vec![error.into_build_error()]))?;
        let signals = run.signals;
        let history: Vec<Vec<f64>> = shown.iter().map(|&dof| reference.history(dof)).collect();
        let judge = |output: &Output| {
            criteria.compare(&signals.target, output, &signals.numerical, &history, dt)
        };
        let outcome = if signals.stop.is_some() || signals.is_unstable(&history) {
            None
        } else {
            let outputs = [&signals.measured, &signals.estimated, &signals.truth];
            Outcome::of(
                outputs.map(judge),
                signals.own_estimate,
                signals.demand.clone(),
            )
        };
        Ok(Run {
            outcome,
            dt,
            reference: history,
            signals,
            notes,
        })
    }

    /// Runs with the random plants 1 … `runs` of the seed. None for a run that was stopped.
    ///
    /// # Errors
    /// As [`Benchmark::run`].
    pub fn runs(
        &self,
        runs: usize,
        jobs: usize,
        references: &References,
        done: impl FnMut() + Send,
        stop: &AtomicBool,
    ) -> Result<Vec<Option<Outcome>>, Box<PlanErrors>> {
        let numbers: Vec<usize> = (1..=runs).collect();
        let mut done = done;
        let list = parallel::each(
            &numbers,
            jobs,
            |number| {
                let run = number as u64;
                let draw = 1 + mix_seed(self.seed, run, 1) % 999_999_999;
                let seed = mix_seed(self.seed, run, 2) % 1_000_000_000_000;
                self.run(draw, seed, references).map(|run| run.outcome)
            },
            |_, _| done(),
            stop,
        );
        list.into_iter().map(|(_, found)| found).collect()
    }
}

/// One run with its signals.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// None where the run was stopped, or went astray.
    pub outcome: Option<Outcome>,
    /// Signals at the steps.
    pub signals: Signals,
    /// Displacement of the shown degrees of freedom of the undivided structure.
    pub reference: Vec<Vec<f64>>,
    /// Step, s.
    pub dt: f64,
    /// What is worth knowing, such as the record that was taken.
    pub notes: Vec<String>,
}

/// Reference runs that were computed before: random plants leave the undivided structure as it is.
#[derive(Default)]
pub struct References {
    known: Mutex<HashMap<String, Arc<ReferenceRun>>>,
}

impl References {
    /// The reference of a test; computed once for the same structure, excitation and integration.
    ///
    /// # Errors
    /// [`BuildError`] where the undivided structure cannot be integrated.
    pub fn of(&self, plan: &Plan, test: &Test) -> Result<Arc<ReferenceRun>, BuildError> {
        let Some(key) = key(plan, test) else {
            return test.reference().map(Arc::new);
        };
        let mut known = match self.known.lock() {
            Ok(known) => known,
            Err(poisoned) => poisoned.into_inner(),
        };
        if let Some(reference) = known.get(&key) {
            return Ok(Arc::clone(reference));
        }
        // A campaign over the structure itself must not fill the memory.
        if known.len() >= 16 {
            known.clear();
        }
        let reference = Arc::new(test.reference()?);
        known.insert(key, Arc::clone(&reference));
        Ok(reference)
    }
}

/// What the undivided structure depends on, where the specimen is taken out of it and not part of
/// it.
fn key(plan: &Plan, test: &Test) -> Option<String> {
    let interface = InterfaceSettings::at(&plan.values, "interface").ok()?;
    let partition = interface.partition.read().ok()?;
    if partition != Partition::Subtract || !test.whole_is_given() {
        return None;
    }
    let parts = ["excitation", "structure", "integration", "record"];
    Some(format!(
        "{:?}",
        parts.map(|section| plan.values.optional_table(section))
    ))
}
