//! Stability warning SW: does the specimen feed more energy into the structure than it can dissipate?

use crate::hysteresis::Hysteresis;
use crate::verdict::{Alarm, watched};
use crate::work::Work;
use crate::{Build, Context, Figure, Frame, Monitor, Verdict};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Parameter, Snapshot, SnapshotError, Values, Words,
};
use tandem_structure::Matrix;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "stability_warning",
        summary: "SW: feedback work over dissipated energy; 100 % and more means that the loop is unstable",
        reference: "Gálmez and Fermandois 2020, Eqs 10 and 17",
        parameters: watched!["\"trip\"";
            Parameter::number(
                "energy",
                Dimension::ENERGY,
                "C_SW, which keeps SW quiet before the shaking starts; default: 1 % of the input work that is expected",
            )
            .optional()
            .positive(),
            Parameter::number("bound", Dimension::NONE, "SW above which the action is taken")
                .or("\"100 %\"")
                .positive(),
        ],
    },
    build,
};

fn build(values: &Values, context: &Context<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let problem = context.problem;
    let dof = problem.structure.dof();
    let hysteresis = if problem.structure.is_linear() {
        None
    } else {
        Some(Hysteresis::new(problem)?)
    };
    Ok(Box::new(StabilityWarning {
        alarm: Alarm::new(Some(values.number("bound")?), values, context)?,
        energy: context.quiet_energy(values),
        damping: problem.structure.damping().clone(),
        interface: problem.interface.clone(),
        damping_force: vec![0.0; dof],
        feedback: Work::new(problem.interface.len()),
        damped: Work::new(dof),
        hysteresis,
    }))
}

/// SW = W_F/(E_d + E_h + C_SW) for W_F > 0, else 0, with W_F = ∫ −fᵉ dx at the interface and E_d = ∫ (C v)ᵀ dx of the
/// numerical substructure, both by the trapezoidal rule of Eq. 17, once per integration step; E_h is the hysteretic
/// energy of a nonlinear numerical substructure, and zero for a linear one.
///
/// Proved for linear structures: SW ≥ 1 (with C_SW → 0) exactly when the mechanical energy of the numerical substructure
/// exceeds the input work (Eq. 9). The same balance holds for nonlinear ones as far as E_h is the energy that is truly
/// gone; where E_h is only an upper bound of it, SW is too small, and a bound below 100 % is wise.
/// Observed only: that a loop which ends unstable passes 100 % early enough to be stopped, and that a stable one
/// stays below.
struct StabilityWarning {
    alarm: Alarm,
    energy: f64,
    damping: Matrix,
    interface: Vec<usize>,
    damping_force: Vec<f64>,
    /// ∫ fᵉ dx: the feedback work with the other sign.
    feedback: Work,
    damped: Work,
    hysteresis: Option<Hysteresis>,
}

impl Snapshot for StabilityWarning {
    fn save(&self, into: &mut Vec<f64>) {
        self.alarm.save(into);
        self.feedback.save(into);
        self.damped.save(into);
        if let Some(hysteresis) = &self.hysteresis {
            hysteresis.save(into);
        }
    }
    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.alarm.restore(from)?;
        self.feedback.restore(from)?;
        self.damped.restore(from)?;
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
            feedback / (self.dissipated() + self.energy)
        }
    }
}

impl Monitor for StabilityWarning {
    #[inline]
    fn observe(&mut self, frame: &Frame<'_>) -> Verdict {
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
        }
        let ratio = self.ratio();
        self.alarm.judge(ratio)
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "stability_warning",
                "1",
                "SW: feedback work over dissipated energy; 1 and more is unstable.",
            ),
            (
                "feedback_work",
                "J",
                "Work that the specimen's force does on the numerical substructure.",
            ),
            (
                "dissipated_energy",
                "J",
                "Energy taken out by damping and hysteresis of the numerical substructure.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.ratio();
        into[1] = -self.feedback.total();
        into[2] = self.dissipated();
    }
}
