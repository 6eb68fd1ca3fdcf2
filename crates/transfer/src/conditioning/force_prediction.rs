//! A force that comes late, brought to the present with what is known of the specimen.

use super::{Build, Conditioner, matrix};
use crate::History;
use crate::rig::Measured;
use tandem_quantity::{
    Context, Dimension, Entry, Method, Motion, Range, Settings, SpecimenMatrices, copy_few,
    settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "force-prediction",
        summary: "a force that comes some samples late is brought to the present: what K, C and M \
            of the specimen say of the target's way since",
        reference: "Horiuchi et al. 1999 (prediction by the target's own motion); Silva et al. \
            2020 (the sample that is made up for)",
        parameters: ForcePredictionSettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators, period, ..
             }| {
        let settings = ForcePredictionSettings::read(values)?;
        let (samples, ahead) = (settings.samples, settings.ahead);
        // The target is that of this tick or of the last one.
        let to_go = settings.beyond + 1.0 - ahead as f64;
        let depth = (samples + ahead).saturating_sub(1);
        let parts = [
            matrix("stiffness", Some(&settings.stiffness), actuators)?,
            matrix("damping", settings.damping.as_deref(), actuators)?,
            matrix("mass", settings.mass.as_deref(), actuators)?,
        ];
        let row = |i: usize| {
            let own = i * actuators..(i + 1) * actuators;
            parts
                .iter()
                .flat_map(move |part| part[own.clone()].to_vec())
        };
        Ok(Box::new(ForcePrediction {
            specimen_matrices: (0..actuators).flat_map(row).collect(),
            samples,
            back: depth,
            time: to_go * period,
            past: History::new(4 * actuators, samples.max(depth) + 1),
            now: vec![0.0; 4 * actuators],
            way: vec![0.0; 3 * actuators],
        }))
    },
};

settings! {
    struct ForcePredictionSettings {
        /// of the specimen, in the directions of the actuators
        stiffness: Vec<Vec<f64>> = matrix(Dimension::STIFFNESS),
        /// the same; default: none
        damping: Option<Vec<Vec<f64>>> = matrix(Dimension::DAMPING),
        /// the same; default: none
        mass: Option<Vec<Vec<f64>>> = matrix(Dimension::MASS),
        /// how many ticks the force comes late, as through a data link or in a block diagram
        samples: usize = integer().or("1").within(Range::between(0.0, 1000.0)),
        /// ticks beyond the present: a force that is held over a step acts as in its middle, 0.5
        beyond: f64 = number(Dimension::NONE).or("0.5").within(Range::between(0.0, 2.0)),
        /// 1: the integration looks ahead, its target is that of this tick; 0: that of the last
        ahead: usize = integer().or("0").within(Range::between(0.0, 1.0)),
    }
}

/// f ← f(k − n) + K Δx + C Δv + M Δa, Δ from tick k − n to `beyond` ticks after k along the target.
///
/// Ports: wanted motion (m, m/s, m/s²) and late force (N) → force of the present (N). The motion is
/// left as it is.
#[derive(Clone, Debug)]
struct ForcePrediction {
    /// [K C M], by rows.
    specimen_matrices: Vec<f64>,
    samples: usize,
    /// How old the target is that belongs to the late force.
    back: usize,
    /// From the newest target to the time that is predicted, s.
    time: f64,
    /// Displacement, velocity and acceleration of the target, and the force.
    past: History,
    now: Vec<f64>,
    /// Of displacements, velocities and accelerations.
    way: Vec<f64>,
}

snapshot!(ForcePrediction { past });

impl Conditioner for ForcePrediction {
    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        let n = measured.force.len();
        let (motion, force) = self.now.split_at_mut(3 * n);
        copy_few(&mut motion[..n], &wanted.displacement);
        copy_few(&mut motion[n..2 * n], &wanted.velocity);
        copy_few(&mut motion[2 * n..], &wanted.acceleration);
        copy_few(force, &measured.force);
        self.past.push(&self.now);
        let then = self.past.back(self.back);
        for ((way, now), then) in self.way.iter_mut().zip(&self.now).zip(then) {
            *way = now - then;
        }
        let t = self.time;
        for i in 0..n {
            let (velocity, acceleration) = (wanted.velocity[i], wanted.acceleration[i]);
            self.way[i] += t * (velocity + 0.5 * t * acceleration);
            self.way[n + i] += t * acceleration;
        }
        let force = &mut measured.force;
        copy_few(force, &self.past.back(self.samples)[3 * n..]);
        SpecimenMatrices::mul_add(&self.specimen_matrices, 1.0, &self.way, force);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::{Value, Values};
    use tandem_test_support::larger;

    /// A spring of 1 MN/m on a sine of 3 Hz, its force one sample of 1/4096 s late: the prediction
    /// is the force half a sample after the present, up to the third derivative over one and a half
    /// samples.
    #[test]
    fn a_late_force_is_brought_to_the_middle_of_the_next_step() {
        let (h, w) = (1.0 / 4096.0, 6.0 * std::f64::consts::PI);
        let row = Value::List(vec![Value::List(vec![Value::Number(1e6)])]);
        let values = Values::new()
            .with("stiffness", row)
            .with("samples", Value::Integer(1))
            .with("beyond", Value::Number(0.5))
            .with("ahead", Value::Integer(0));
        let mut prediction = (ENTRY.build)(&values, &Context::of(1, h)).unwrap();
        let at = |k: f64| 0.01 * (w * h * k).sin();
        let mut worst = 0.0_f64;
        for k in 1..4000_u32 {
            let k = f64::from(k);
            let mut measured = Measured::at_rest(1);
            measured.force[0] = 1e6 * at(k);
            let t = w * h * (k - 1.0);
            let wanted = Motion {
                displacement: vec![at(k - 1.0)],
                velocity: vec![0.01 * w * t.cos()],
                acceleration: vec![-0.01 * w * w * t.sin()],
            };
            prediction.condition(&wanted, &mut measured);
            if k > 2.0 {
                worst = larger(worst, (measured.force[0] - 1e6 * at(k + 0.5)).abs());
            }
        }
        // K x''' (1.5 h)³/6 = 0.0005 N; late by one and a half samples it would be 69 N.
        assert!(worst < 1e-3, "{worst}");
    }
}
