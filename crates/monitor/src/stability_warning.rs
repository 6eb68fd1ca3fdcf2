//! Stability warning SW: does the specimen feed more energy into the structure than it can
//! dissipate?

use crate::growth::Growth;
use crate::hysteresis::Hysteresis;
use crate::verdict::{Alarm, AlarmSettings, Thresholds};
use crate::work::Work;
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Range, Settings, Snapshot, SnapshotError, StateReader,
    Values, settings,
};
use tandem_structure::Matrix;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "stability_warning",
        summary: "SW: feedback work over dissipated energy; from 100 % on the specimen feeds in \
            more than the structure dissipates, as it does in unstable loops",
        reference: "Gálmez and Fermandois 2020, Eqs 10 and 17",
        parameters: StabilityWarningSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct StabilityWarningSettings {
        /// C_SW, which keeps SW quiet before the shaking starts; default: 1 % of the input work
        /// that is expected
        energy: Option<f64> = number(Dimension::ENERGY).positive(),
        /// SW above which the action is taken
        bound: f64 = number(Dimension::NONE).or("\"100 %\"").positive(),
        /// part of the bound from which the action is taken while the loop feeds itself: the
        /// specimen makes more energy in the window than is dissipated; 100 %: never before the
        /// bound
        growing: f64 = number(Dimension::NONE).or("\"100 %\"").within(Range::between(0.0, 1.0)),
        /// length of that window: a few periods of the first mode
        window: f64 = number(Dimension::TIME).or("\"2 s\"").positive(),
        thresholds: Thresholds,
        /// what happens above the bound
        action: Verdict = choice(Verdict::WORDS).or("\"trip\""),
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = StabilityWarningSettings::read(values)?;
    let problem = context.problem;
    let dof = problem.structure.properties().dof();
    let hysteresis = if problem.structure.properties().is_linear {
        None
    } else {
        Some(Hysteresis::new(problem)?)
    };
    let alarm = AlarmSettings {
        thresholds: settings.thresholds,
        action: settings.action,
    };
    let (bound, energy) = (settings.bound, context.quiet_energy(settings.energy));
    Ok(Box::new(StabilityWarning {
        alarm: Alarm::new(Some(bound), &alarm, context)?,
        bound,
        growing: bound * settings.growing,
        growth: Growth::new(settings.window, energy, context)?,
        energy,
        damping: problem.structure.properties().damping.clone(),
        interface: problem.interface.clone(),
        damping_force: vec![0.0; dof],
        feedback: Work::new(problem.interface.len()),
        damped: Work::new(dof),
        hysteresis,
        alone: !context.energies_recorded,
    }))
}

/// SW = W_F/(E_d + E_h + C_SW) for W_F > 0, else 0, with W_F = ∫ −fᵉ dx at the interface and E_d =
/// ∫ (C v)ᵀ dx of the numerical substructure, both by the trapezoidal rule of Eq. 17, once per
/// integration step; E_h is the hysteretic energy of a nonlinear numerical substructure, and zero
/// for a linear one.
///
/// SW is infinite where W_F > 0 meets a denominator that is not positive, as it can with a damping
/// matrix that is not positive semidefinite.
///
/// Proved for linear structures: SW ≥ 1 (with C_SW → 0) exactly when the mechanical energy of the
/// numerical substructure exceeds the input work (Eq. 9). The same balance holds for nonlinear ones
/// as far as E_h is the energy that is truly gone; where E_h is only an upper bound of it, SW is
/// too small, and a bound below 100 % is wise. The work since the start forgets slowly: after
/// strong shaking a loop that has become unstable must make up for all that was dissipated before
/// SW tells. So SW can count as its bound from `growing` on while the loop feeds itself *now*
/// ([`Growth`]). Observed only: that a loop which ends unstable passes 100 % early enough to be
/// stopped, and that a stable one stays below.
struct StabilityWarning {
    alarm: Alarm,
    bound: f64,
    /// SW that counts as the bound while the loop feeds itself.
    growing: f64,
    growth: Growth,
    energy: f64,
    damping: Matrix,
    interface: Vec<usize>,
    damping_force: Vec<f64>,
    /// ∫ fᵉ dx: the feedback work with the other sign.
    feedback: Work,
    damped: Work,
    hysteresis: Option<Hysteresis>,
    /// Whether nobody else records the works.
    alone: bool,
}

/// What goes into the record: SW, then the works that `energy` records under the same names.
const FIGURES: [Figure; 4] = [
    (
        "stability_warning",
        "1",
        "SW: feedback work over dissipated energy; from 1 on the specimen feeds in more than is \
        dissipated.",
    ),
    (
        "stability_growth",
        "1",
        "Energy that specimen and transfer system make over what is dissipated, in the last \
        seconds; from 1 on the loop feeds itself.",
    ),
    (
        "energy_feedback",
        "J",
        "Work of the specimen's force on the numerical substructure.",
    ),
    (
        "energy_dissipated",
        "J",
        "Energy that the numerical substructure has dissipated.",
    ),
];

impl Snapshot for StabilityWarning {
    fn save(&self, into: &mut Vec<f64>) {
        self.alarm.save(into);
        self.feedback.save(into);
        self.damped.save(into);
        self.growth.save(into);
        if let Some(hysteresis) = &self.hysteresis {
            hysteresis.save(into);
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.alarm.restore(from)?;
        self.feedback.restore(from)?;
        self.damped.restore(from)?;
        self.growth.restore(from)?;
        match &mut self.hysteresis {
            Some(hysteresis) => hysteresis.restore(from),
            None => Ok(()),
        }
    }
}

impl StabilityWarning {
    #[inline]
    fn dissipated(&self) -> f64 {
        self.damped.total() + self.hysteresis.as_ref().map_or(0.0, Hysteresis::dissipated)
    }

    #[inline]
    fn ratio(&self) -> f64 {
        let feedback = -self.feedback.total();
        if feedback <= 0.0 {
            0.0
        } else {
            let dissipated = self.dissipated() + self.energy;
            // A structure whose damping itself feeds energy in has nothing to set against the
            // specimen's.
            if dissipated > 0.0 {
                feedback / dissipated
            } else {
                f64::INFINITY
            }
        }
    }
}

impl Monitor for StabilityWarning {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        if frame.step_complete {
            let motion = frame.response;
            self.feedback
                .add_at(frame.force, &motion.displacement, &self.interface);
            self.damping
                .mul_into(&motion.velocity, &mut self.damping_force);
            self.damped.add(&self.damping_force, &motion.displacement);
            if let Some(hysteresis) = &mut self.hysteresis {
                hysteresis.add(frame);
            }
            let (feedback, dissipated) = (-self.feedback.total(), self.dissipated());
            self.growth.add(frame, feedback, dissipated);
        }
        let ratio = self.ratio();
        let feeds_itself = self.growth.ratio() >= 1.0 && ratio >= self.growing;
        self.alarm.judge(if feeds_itself {
            ratio.max(self.bound)
        } else {
            ratio
        })
    }

    fn figures(&self) -> &'static [Figure] {
        if self.alone { &FIGURES } else { &FIGURES[..2] }
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.ratio();
        into[1] = self.growth.ratio();
        if self.alone {
            into[2] = -self.feedback.total();
            into[3] = self.dissipated();
        }
    }
}
