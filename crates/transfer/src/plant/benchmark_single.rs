//! The plant of the single-actuator benchmark: servo-valve, actuator and specimen with
//! control–structure interaction.

use super::{Build, Draw, Plant, drawn, require_axes};
use crate::{LinearSystem, SampledLinear};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, SpecimenMatrices, Values,
    settings, snapshot,
};
use tandem_safety::Measured;

/// N/m/s³: valve signal into the rate of the actuator's force.
const VALVE_GAIN: Dimension = Dimension::of(1, 0, -5);

/// What the plan writes. The defaults are the published nominal plant.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "benchmark-single",
        summary: "servo-valve, actuator and specimen of the single-actuator benchmark, linear, \
            five states",
        reference: "Silva et al. 2020, MSSP 135:106381 (control–structure interaction)",
        parameters: BenchmarkSingleSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct BenchmarkSingleSettings {
        /// a1 β0
        valve_gain: f64 = number(VALVE_GAIN).or("\"2.1283e13 kg/s^5\"").positive(),
        /// g: calibration of the command
        command_gain: f64 = number(Dimension::NONE).or("1.0261").positive(),
        /// a2: natural velocity feedback
        velocity_feedback: f64 = number(Dimension::STIFFNESS).or("\"4.2297e6 N/m\"").not_negative(),
        /// a3: leakage and compressibility, 1/s
        force_leakage: f64 = number(Dimension::FREQUENCY).or("\"3.3 Hz\"").not_negative(),
        /// β1 of the servo-valve, 1/s
        valve_damping: f64 = number(Dimension::FREQUENCY).or("\"425 Hz\"").positive(),
        /// β2 of the servo-valve
        valve_stiffness: f64 = number(Dimension::of(0, 0, -2)).or("\"9.9976e4 1/s^2\"").positive(),
        /// specimen
        mass: f64 = number(Dimension::MASS).or("\"29.13 kg\"").positive(),
        /// specimen
        stiffness: f64 = number(Dimension::STIFFNESS).or("\"1190 kN/m\"").positive(),
        /// specimen; default: damping ratio 0.97 %
        damping: Option<f64> = number(Dimension::DAMPING).not_negative(),
        draw: Draw,
    }
}

/// Standard deviations of a₃, β₁, β₂ and of the specimen's stiffness by their names in tables, in
/// the order they are drawn.
const UNCERTAINTY: [(&str, f64); 4] = [("a3", 1.3), ("b1", 3.3), ("b2", 3.3e3), ("ke", 5e4)];

fn build(
    values: &Values,
    &Context {
        actuators: axes,
        period,
        ..
    }: &Context<'_>,
) -> Result<Box<dyn Plant>, BuildError> {
    let settings = BenchmarkSingleSettings::read(values)?;
    require_axes(axes, 1)?;
    let mut uncertain = [
        settings.force_leakage,
        settings.valve_damping,
        settings.valve_stiffness,
        settings.stiffness,
    ];
    let mut deviations = UNCERTAINTY.map(|(name, _)| (name, 0.0));
    if let Some(mut normal) = drawn(&settings.draw)? {
        let places = uncertain.iter_mut().zip(&mut deviations);
        for ((_, deviation), (value, kept)) in UNCERTAINTY.into_iter().zip(places) {
            let written = *value;
            // Leakage is 2.5 deviations from zero; a negative one would be no plant.
            *value = (written + deviation * normal.next()).max(0.0);
            // Of a leakage that is written as zero there are no shares: not a number.
            kept.1 = (*value - written) / written;
        }
    }
    let [a3, b1, b2, stiffness] = uncertain;
    let mass = settings.mass;
    let damping = settings
        .damping
        .unwrap_or(2.0 * 0.0097 * (mass * stiffness).sqrt());
    let (a1b0, a2) = (settings.valve_gain, settings.velocity_feedback);
    let inertia = [1.0 / mass, -damping / mass, -stiffness / mass];
    // p'' + b1 p' + b2 p = a1b0 (g u − x);  f' = −a3 f + p − a2 v;  m v' = f − c v − k x;  x' = v.
    #[rustfmt::skip]
    let system = LinearSystem {
        size: [5, 1, 4],
        a: vec![
            0.0, 1.0, 0.0, 0.0, 0.0,
            -b2, -b1, 0.0, 0.0, -a1b0,
            1.0, 0.0, -a3, -a2, 0.0,
            0.0, 0.0, inertia[0], inertia[1], inertia[2],
            0.0, 0.0, 0.0, 1.0, 0.0,
        ],
        b: vec![0.0, a1b0 * settings.command_gain, 0.0, 0.0, 0.0],
        c: vec![
            0.0, 0.0, 0.0, 0.0, 1.0,
            0.0, 0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, inertia[0], inertia[1], inertia[2],
            0.0, 0.0, 1.0, 0.0, 0.0,
        ],
        d: vec![0.0; 4],
    };
    Ok(Box::new(BenchmarkSingle {
        system: system.sampled(period),
        model: LinearSystem {
            size: [5, 1, 1],
            c: system.c[..5].to_vec(),
            d: vec![0.0],
            ..system
        },
        specimen: SpecimenMatrices {
            dof: 1,
            mass: vec![mass],
            damping: vec![damping],
            stiffness: vec![stiffness],
        },
        deviations,
    }))
}

/// Exact for held commands. The force is that of the actuator: it moves the specimen's mass too.
#[derive(Clone, Debug)]
struct BenchmarkSingle {
    system: SampledLinear,
    /// Command to displacement.
    model: LinearSystem,
    specimen: SpecimenMatrices,
    /// What it was drawn with.
    deviations: [(&'static str, f64); 4],
}

snapshot!(BenchmarkSingle { system });

impl Plant for BenchmarkSingle {
    fn actuators(&self) -> usize {
        1
    }

    #[inline]
    fn advance(&mut self, drive: &Motion, truth: &mut Measured) {
        self.system.advance(&drive.displacement);
        truth.motion.displacement[0] = self.system.output(0);
        truth.motion.velocity[0] = self.system.output(1);
        truth.motion.acceleration[0] = self.system.output(2);
        truth.force[0] = self.system.output(3);
    }

    fn specimen(&self) -> Option<&SpecimenMatrices> {
        Some(&self.specimen)
    }

    fn linear(&self) -> Option<LinearSystem> {
        Some(self.model.clone())
    }

    fn drawn(&self) -> &[(&'static str, f64)] {
        &self.deviations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected: matrix exponential in 60-digit arithmetic (mpmath.expm of [A B; 0 0]/4096) under a
    /// command that jumps between 1 mm (60 samples of a hundred) and −0.5 mm.
    #[test]
    fn the_chain_is_sampled_exactly() {
        let mut values = Values::new().with("draw", tandem_quantity::Value::Integer(0));
        for (key, x) in [
            ("valve_gain", 2.1283e13),
            ("command_gain", 1.0261),
            ("velocity_feedback", 4.2297e6),
            ("force_leakage", 3.3),
            ("valve_damping", 425.0),
            ("valve_stiffness", 9.9976e4),
            ("mass", 29.13),
            ("stiffness", 1190e3),
        ] {
            values.set(key, tandem_quantity::Value::Number(x));
        }
        let mut plant = build(&values, &Context::of(1, 1.0 / 4096.0)).unwrap();
        let mut truth = Measured::at_rest(1);
        let mut drive = Motion::at_rest(1);
        let expected = [
            (
                50,
                [
                    0.000_308_610_507_083_015_6,
                    0.060_940_256_806_603_15,
                    -2.046_519_784_423_345_4,
                    314.592_031_085_197_6,
                ],
            ),
            (
                100,
                [
                    0.000_327_045_523_979_970_45,
                    -0.058_322_080_351_001_004,
                    -3.040_346_564_428_607_4,
                    293.957_279_522_803_33,
                ],
            ),
            (
                400,
                [
                    0.000_396_447_993_494_138_8,
                    -0.055_431_322_933_377_825,
                    -2.440_587_262_991_811_7,
                    394.347_391_514_472_4,
                ],
            ),
        ];
        let mut checked = expected.iter();
        let mut next = checked.next();
        for k in 1..=400 {
            drive.displacement[0] = if k % 100 < 60 { 0.001 } else { -0.0005 };
            plant.advance(&drive, &mut truth);
            if let Some((at, [x, v, a, f])) = next
                && *at == k
            {
                let motion = &truth.motion;
                assert!((motion.displacement[0] - x).abs() < 1e-12 * 1e-3, "{k}");
                assert!((motion.velocity[0] - v).abs() < 1e-12 * 0.1, "{k}");
                assert!((motion.acceleration[0] - a).abs() < 1e-11 * 30.0, "{k}");
                assert!((truth.force[0] - f).abs() < 1e-11 * 1e3, "{k}");
                next = checked.next();
            }
        }
        assert!(next.is_none());
        assert!(build(&values, &Context::of(2, 0.001)).is_err());
    }
}
