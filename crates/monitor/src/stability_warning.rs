//! Stability warning SW: does the specimen feed more energy into the structure than its damping takes out?

use crate::{Build, Context, Frame, Monitor, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Values, snapshot};
use tandem_structure::Matrix;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "stability_warning",
        summary: "SW: feedback work over dissipated energy; 100 % and more means that the loop is unstable",
        reference: "Gálmez and Fermandois 2020, Eqs 10 and 17",
        parameters: &[
            Parameter::number(
                "energy",
                Dimension::ENERGY,
                "C_SW, about 1 % of the largest input work; keeps SW quiet before the shaking starts",
            )
            .or("\"1 J\"")
            .positive(),
            Parameter::number("bound", Dimension::NONE, "SW above which the action is taken")
                .or("\"100 %\"")
                .positive(),
            Parameter::of("action", Kind::Choice(Verdict::CHOICES), "what happens above the bound").or("\"trip\""),
        ],
    },
    build,
};

fn build(values: &Values, context: &Context<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let (dof, interface) = (
        context.problem.structure.dof(),
        context.problem.interface.clone(),
    );
    let last_force = vec![0.0; interface.len()];
    Ok(Box::new(StabilityWarning {
        energy: values.number("energy")?,
        bound: values.number("bound")?,
        action: Verdict::from_choice(values.text("action")?),
        damping: context.problem.structure.damping().clone(),
        interface,
        damping_force: vec![0.0; dof],
        last_damping_force: vec![0.0; dof],
        last_displacement: vec![0.0; dof],
        last_force,
        feedback_work: 0.0,
        dissipated: 0.0,
    }))
}

/// SW = W_F/(E_d + C_SW) for W_F > 0, else 0, with W_F = ∫ −fᵉ dx at the interface and E_d = ∫ (C v)ᵀ dx of the
/// numerical substructure, both by the trapezoidal rule of Eq. 17, once per integration step.
///
/// Proved for linear structures: SW ≥ 1 exactly when the mechanical energy of the numerical substructure exceeds the
/// input work (Eq. 9).
struct StabilityWarning {
    energy: f64,
    bound: f64,
    action: Verdict,
    damping: Matrix,
    interface: Vec<usize>,
    damping_force: Vec<f64>,
    last_damping_force: Vec<f64>,
    last_displacement: Vec<f64>,
    last_force: Vec<f64>,
    feedback_work: f64,
    dissipated: f64,
}

snapshot!(StabilityWarning {
    last_damping_force,
    last_displacement,
    last_force,
    feedback_work,
    dissipated
});

impl StabilityWarning {
    fn ratio(&self) -> f64 {
        if self.feedback_work > 0.0 {
            self.feedback_work / (self.dissipated + self.energy)
        } else {
            0.0
        }
    }
}

impl Monitor for StabilityWarning {
    #[inline]
    fn observe(&mut self, frame: &Frame<'_>) -> Verdict {
        if frame.step_complete {
            let x = &frame.response.displacement;
            for ((dof, f), last) in self.interface.iter().zip(frame.force).zip(&self.last_force) {
                self.feedback_work -= 0.5 * (f + last) * (x[*dof] - self.last_displacement[*dof]);
            }
            self.damping
                .mul_into(&frame.response.velocity, &mut self.damping_force);
            for i in 0..x.len() {
                self.dissipated += 0.5
                    * (self.damping_force[i] + self.last_damping_force[i])
                    * (x[i] - self.last_displacement[i]);
            }
            std::mem::swap(&mut self.damping_force, &mut self.last_damping_force);
            self.last_displacement.copy_from_slice(x);
            self.last_force.copy_from_slice(frame.force);
        }
        if self.ratio() >= self.bound {
            self.action
        } else {
            Verdict::Continue
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str, &'static str)] {
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
                "Energy taken out by the damping of the numerical substructure.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.ratio();
        into[1] = self.feedback_work;
        into[2] = self.dissipated;
    }
}
