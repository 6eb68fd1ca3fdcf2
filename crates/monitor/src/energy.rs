//! Energy balance of the numerical substructure and the energy error indicator EEI.

use crate::hysteresis::Hysteresis;
use crate::verdict::{Alarm, AlarmSettings};
use crate::work::Work;
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Settings, Snapshot, SnapshotError, StateReader, Values,
    settings,
};
use tandem_structure::Matrix;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "energy",
        summary: "energy balance of the numerical substructure, and EEI: energy that tracking \
            errors put in or take out",
        reference: "Gálmez and Fermandois 2020, Eqs 6 to 8 and 17 to 19; Ahmadizadeh and Mosqueda \
            2009",
        parameters: EnergySettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct EnergySettings {
        /// E_max, which keeps EEI quiet before the shaking starts; default: 1 % of the input work
        /// that is expected
        energy: Option<f64> = number(Dimension::ENERGY).positive(),
        /// |EEI| above which the action is taken; default: none, it is only recorded
        bound: Option<f64> = number(Dimension::NONE).positive(),
        alarm: AlarmSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = EnergySettings::read(values)?;
    let problem = context.problem;
    let dof = problem.structure.properties().dof();
    let points = problem.interface.len();
    let hysteresis = if problem.structure.properties().is_linear {
        None
    } else {
        Some(Hysteresis::new(problem)?)
    };
    Ok(Box::new(Energy {
        alarm: Alarm::new(settings.bound, &settings.alarm, context)?,
        largest: context.quiet_energy(settings.energy),
        dt: context.dt,
        mass: problem.structure.properties().mass.clone(),
        damping: problem.structure.properties().damping.clone(),
        stiffness: problem.structure.properties().stiffness.clone(),
        interface: problem.interface.clone(),
        scratch: vec![0.0; dof],
        difference: vec![0.0; dof],
        last: vec![0.0; dof],
        input: Work::new(dof),
        damped: Work::new(dof),
        damped_by_difference: Work::new(dof),
        feedback: Work::new(points),
        experiment: Work::new(points),
        hysteresis,
        holds_force: context.holds_force,
        hold: 0.0,
        kinetic: 0.0,
        kinetic_by_difference: 0.0,
        strain: 0.0,
    }))
}

/// W_I + W_F + W_H = E_k + E_d + E_s (Eq. 6), every term once per integration step:
///
/// - W_I = ∫ p dx, work of the external load (the ground's −M ι a_g); W_F = ∫ −fᵉ dx at the
///   interface;
/// - W_H: the paper's W_F takes the force as straight between two steps (Eq. 17). A method that
///   holds it over the step does Σ ½ (fᵉ − fᵉ₋) dx more work than that, by half a step of lag; zero
///   for all others;
/// - E_k = ½ vᵀ M v; E_d = ∫ (C v)ᵀ dx, for a nonlinear structure with its hysteretic energy;
/// - E_s = ½ xᵀ K x, for a nonlinear structure what unloading along the initial stiffness would
///   give back.
///
/// EEI = (W_I − (E_k* + E_d* + E_s − W_exp))/(W_I + E_max) (Eq. 18), the star standing for the
/// backward difference of the displacement in place of the velocity, and W_exp = ∫ −fᵉ dx_m along
/// the *measured* path. Lag makes it negative. It has poles where W_I = −E_max.
///
/// What does not close (`energy_residual`) is the error of the time-stepping method; for a
/// nonlinear structure the balance closes but for the trapezoidal rule, because the restoring force
/// is taken from equilibrium.
struct Energy {
    alarm: Alarm,
    largest: f64,
    dt: f64,
    mass: Matrix,
    damping: Matrix,
    stiffness: Matrix,
    interface: Vec<usize>,
    scratch: Vec<f64>,
    difference: Vec<f64>,
    last: Vec<f64>,
    input: Work,
    damped: Work,
    damped_by_difference: Work,
    /// ∫ fᵉ dx and ∫ fᵉ dx_m: the works with the other sign.
    feedback: Work,
    experiment: Work,
    hysteresis: Option<Hysteresis>,
    /// W_H.
    holds_force: bool,
    hold: f64,
    kinetic: f64,
    kinetic_by_difference: f64,
    strain: f64,
}

impl Snapshot for Energy {
    fn save(&self, into: &mut Vec<f64>) {
        self.alarm.save(into);
        self.last.save(into);
        for work in [
            &self.input,
            &self.damped,
            &self.damped_by_difference,
            &self.feedback,
            &self.experiment,
        ] {
            work.save(into);
        }
        if let Some(hysteresis) = &self.hysteresis {
            hysteresis.save(into);
        }
        [
            self.hold,
            self.kinetic,
            self.kinetic_by_difference,
            self.strain,
        ]
        .save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.alarm.restore(from)?;
        self.last.restore(from)?;
        for work in [
            &mut self.input,
            &mut self.damped,
            &mut self.damped_by_difference,
            &mut self.feedback,
            &mut self.experiment,
        ] {
            work.restore(from)?;
        }
        if let Some(hysteresis) = &mut self.hysteresis {
            hysteresis.restore(from)?;
        }
        self.hold.restore(from)?;
        self.kinetic.restore(from)?;
        self.kinetic_by_difference.restore(from)?;
        self.strain.restore(from)
    }
}

impl Energy {
    #[inline]
    fn hysteretic(&self) -> f64 {
        self.hysteresis.as_ref().map_or(0.0, Hysteresis::dissipated)
    }

    #[inline]
    fn dissipated(&self) -> f64 {
        self.damped.total() + self.hysteretic()
    }

    #[inline]
    fn residual(&self) -> f64 {
        self.input.total() - self.feedback.total() + self.hold
            - (self.kinetic + self.dissipated() + self.strain)
    }

    #[inline]
    fn indicator(&self) -> f64 {
        let found = self.kinetic_by_difference
            + self.damped_by_difference.total()
            + self.hysteretic()
            + self.strain
            + self.experiment.total();
        let input = self.input.total();
        (input - found) / (input + self.largest)
    }
}

/// ½ xᵀ A x, with `product` for A x.
#[inline]
fn half_square(matrix: &Matrix, x: &[f64], product: &mut [f64]) -> f64 {
    matrix.mul_into(x, product);
    0.5 * x.iter().zip(product).map(|(a, b)| a * *b).sum::<f64>()
}

impl Monitor for Energy {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        if frame.step_complete {
            let (x, v) = (&frame.response.displacement, &frame.response.velocity);
            for i in 0..x.len() {
                self.difference[i] = (x[i] - self.last[i]) / self.dt;
            }
            self.last.copy_from_slice(x);
            self.input.add(frame.load, x);
            if self.holds_force {
                self.hold += self.feedback.beyond_held(frame.force, x, &self.interface);
            }
            self.feedback.add_at(frame.force, x, &self.interface);
            self.experiment
                .add(frame.force, &frame.measured.displacement);
            self.kinetic = half_square(&self.mass, v, &mut self.scratch);
            self.kinetic_by_difference =
                half_square(&self.mass, &self.difference, &mut self.scratch);
            self.damping.mul_into(v, &mut self.scratch);
            self.damped.add(&self.scratch, x);
            self.damping.mul_into(&self.difference, &mut self.scratch);
            self.damped_by_difference.add(&self.scratch, x);
            self.strain = if let Some(hysteresis) = &mut self.hysteresis {
                hysteresis.add(frame);
                hysteresis.stored()
            } else {
                half_square(&self.stiffness, x, &mut self.scratch)
            };
        }
        let indicator = self.indicator().abs();
        self.alarm.judge(indicator)
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "energy_error",
                "1",
                "EEI; negative: tracking errors put energy in.",
            ),
            ("energy_input", "J", "Work of the external load."),
            (
                "energy_feedback",
                "J",
                "Work of the specimen's force on the numerical substructure.",
            ),
            (
                "energy_experiment",
                "J",
                "The same along the measured path.",
            ),
            (
                "energy_kinetic",
                "J",
                "Kinetic energy of the numerical substructure.",
            ),
            (
                "energy_dissipated",
                "J",
                "Energy that the numerical substructure has dissipated.",
            ),
            (
                "energy_strain",
                "J",
                "Strain energy of the numerical substructure.",
            ),
            (
                "energy_residual",
                "J",
                "What the balance of these lacks: error of the time-stepping method.",
            ),
            (
                "energy_hold",
                "J",
                "Work beyond that of the feedback, where the method holds the specimen's force \
                over a step: half a step of lag.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.indicator();
        into[1] = self.input.total();
        into[2] = -self.feedback.total();
        into[3] = -self.experiment.total();
        into[4] = self.kinetic;
        into[5] = self.dissipated();
        into[6] = self.strain;
        into[7] = self.residual();
        into[8] = self.hold;
    }
}
