//! The plant of the multi-axial benchmark: two actuators on a coupler, each moving both.

use super::{Build, Draw, Plant, drawn, require_axes};
use crate::{LinearSystem, SampledLinear};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, Values, settings, snapshot,
};
use tandem_safety::Measured;

/// What the plan writes. The defaults are the published nominal plant.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "benchmark-multi",
        summary: "two coupled actuators of the multi-axial benchmark, linear, eight states",
        reference: "Condori Uribe et al. 2023, Eqs 25–26 and Table 2 (roots in rad/s)",
        parameters: BenchmarkMultiSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct BenchmarkMultiSettings {
        /// first zero of input 1
        zero_1: f64 = number(Dimension::FREQUENCY).or("\"120 Hz\"").positive(),
        /// second zero of input 1
        zero_2: f64 = number(Dimension::FREQUENCY).or("\"90 Hz\"").positive(),
        /// first pole of input 1
        pole_1: f64 = number(Dimension::FREQUENCY).or("\"2.65 Hz\"").positive(),
        /// second pole of input 1
        pole_2: f64 = number(Dimension::FREQUENCY).or("\"40 Hz\"").positive(),
        /// zero from input 2 to output 1
        zero_12: f64 = number(Dimension::FREQUENCY).or("\"3 Hz\"").positive(),
        /// zero from input 2 to output 2
        zero_22: f64 = number(Dimension::FREQUENCY).or("\"5 Hz\"").positive(),
        /// first pole of input 2
        pole_3: f64 = number(Dimension::FREQUENCY).or("\"3.5 Hz\"").positive(),
        /// second pole of input 2
        pole_4: f64 = number(Dimension::FREQUENCY).or("\"18.5 Hz\"").positive(),
        /// reaction frame: real part of its pole pair
        frame_real: f64 = number(Dimension::FREQUENCY).or("\"50 Hz\"").positive(),
        /// reaction frame: imaginary part
        frame_imaginary: f64 = number(Dimension::FREQUENCY).or("\"63 Hz\"").positive(),
        draw: Draw,
    }
}

/// Gains printed for roots in rad/s; `[output][input]`.
const GAINS: [[f64; 2]; 2] = [[2165.2, 4.5394e6], [349.95, 1.9238e7]];
const NOMINAL: [f64; 10] = [120.0, 90.0, 2.65, 40.0, 3.0, 5.0, 3.5, 18.5, 50.0, 63.0];

/// Roots by their names in tables, and their relative standard deviation, in the order they are
/// drawn; one draw moves the complex pair.
const UNCERTAINTY: [(&str, &[usize], f64); 9] = [
    ("z1", &[0], 0.055),
    ("z2", &[1], 0.055),
    ("p1", &[2], 0.06),
    ("p2", &[3], 0.06),
    ("frame", &[8, 9], 0.05),
    ("z12", &[4], 0.03),
    ("q1", &[6], 0.03),
    ("q2", &[7], 0.03),
    ("z22", &[5], 0.03),
];

/// Numerators `[output][input]` without gain, and denominators, from the ten roots in Hz.
fn polynomials(roots: &[f64]) -> ([[Vec<f64>; 2]; 2], [Vec<f64>; 2]) {
    let w: Vec<f64> = roots
        .iter()
        .map(|f| 2.0 * std::f64::consts::PI * f)
        .collect();
    let quadratic = |a: f64, b: f64| vec![1.0, a + b, a * b];
    let frame = vec![1.0, 2.0 * w[8], w[8] * w[8] + w[9] * w[9]];
    let times = |p: &[f64], q: &[f64]| {
        let mut out = vec![0.0; p.len() + q.len() - 1];
        for (i, a) in p.iter().enumerate() {
            for (j, b) in q.iter().enumerate() {
                out[i + j] += a * b;
            }
        }
        out
    };
    let first = quadratic(w[0], w[1]);
    (
        [[first.clone(), vec![1.0, w[4]]], [first, vec![1.0, w[5]]]],
        [
            times(&quadratic(w[2], w[3]), &frame),
            times(&quadratic(w[6], w[7]), &frame),
        ],
    )
}

fn last(p: &[f64]) -> f64 {
    p.last().copied().unwrap_or(0.0)
}

/// The plant with other roots; gains are rescaled so that the static gain stays the nominal one.
fn system(roots: &[f64]) -> Result<LinearSystem, BuildError> {
    let (nominal, nominal_denominators) = polynomials(&NOMINAL);
    let (numerators, denominators) = polynomials(roots);
    let scaled: Vec<Vec<Vec<f64>>> = (0..2)
        .map(|i| {
            (0..2)
                .map(|j| {
                    let wanted =
                        GAINS[i][j] * last(&nominal[i][j]) / last(&nominal_denominators[j]);
                    let gain = wanted * last(&denominators[j]) / last(&numerators[i][j]);
                    numerators[i][j].iter().map(|c| gain * c).collect()
                })
                .collect()
        })
        .collect();
    LinearSystem::from_columns(&scaled, &denominators).map_err(|error| {
        BuildError::new(
            "kind",
            error.to_string(),
            "give positive frequencies of ordinary size",
        )
    })
}

fn build(
    values: &Values,
    &Context {
        actuators: axes,
        period,
        ..
    }: &Context<'_>,
) -> Result<Box<dyn Plant>, BuildError> {
    let settings = BenchmarkMultiSettings::read(values)?;
    require_axes(axes, 2)?;
    let mut roots = [
        settings.zero_1,
        settings.zero_2,
        settings.pole_1,
        settings.pole_2,
        settings.zero_12,
        settings.zero_22,
        settings.pole_3,
        settings.pole_4,
        settings.frame_real,
        settings.frame_imaginary,
    ];
    let mut deviations = UNCERTAINTY.map(|(name, ..)| (name, 0.0));
    if let Some(mut normal) = drawn(&settings.draw)? {
        for ((_, places, deviation), kept) in UNCERTAINTY.into_iter().zip(&mut deviations) {
            let factor = (1.0 + deviation * normal.next()).max(0.01);
            places.iter().for_each(|k| roots[*k] *= factor);
            kept.1 = factor - 1.0;
        }
    }
    let model = system(&roots)?;
    Ok(Box::new(BenchmarkMulti {
        system: model.with_derivatives().sampled(period),
        model,
        deviations,
    }))
}

/// Exact for held commands; displacement in, displacement out. The rig's specimen gives the force.
#[derive(Clone, Debug)]
struct BenchmarkMulti {
    system: SampledLinear,
    model: LinearSystem,
    /// What it was drawn with.
    deviations: [(&'static str, f64); 9],
}

snapshot!(BenchmarkMulti { system });

impl Plant for BenchmarkMulti {
    fn actuators(&self) -> usize {
        2
    }

    #[inline]
    fn advance(&mut self, drive: &Motion, truth: &mut Measured) {
        self.system.advance(&drive.displacement);
        for i in 0..2 {
            truth.motion.displacement[i] = self.system.output(i);
            truth.motion.velocity[i] = self.system.output(2 + i);
            truth.motion.acceleration[i] = self.system.output(4 + i);
        }
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

    fn plant() -> Box<dyn Plant> {
        number(0)
    }

    /// A drawn plant keeps its static gains, the same number gives the same plant, and the roots
    /// spread as published.
    #[test]
    fn drawn_plants_spread_as_published() {
        let reply = |draw: i64| {
            let mut plant = number(draw);
            let mut truth = Measured::at_rest(2);
            let mut drive = Motion::at_rest(2);
            drive.displacement[0] = 1.0;
            for _ in 0..40 {
                plant.advance(&drive, &mut truth);
            }
            let early = truth.motion.displacement[0];
            for _ in 0..20_000 {
                plant.advance(&drive, &mut truth);
            }
            (early, truth.motion.displacement[0])
        };
        let all: Vec<(f64, f64)> = (1..=200).map(reply).collect();
        assert_eq!(reply(7).0.to_bits(), all[6].0.to_bits());
        assert!(all.iter().all(|(_, gain)| (gain - 0.863_812).abs() < 1e-5));
        // After 39 ms the slow pole (6 %) rules: 1 − exp(−2π·2.65·0.039) has a slope of 0.34 per
        // unit of the pole.
        let mean = all.iter().map(|(x, _)| x).sum::<f64>() / 200.0;
        let deviation = (all.iter().map(|(x, _)| (x - mean).powi(2)).sum::<f64>() / 199.0).sqrt();
        assert!(
            (deviation / mean) > 0.02 && (deviation / mean) < 0.06,
            "{deviation} of {mean}"
        );
    }

    /// What a plant says it was drawn with are normal numbers of the published deviations; the
    /// nominal one differs by nothing.
    #[test]
    fn what_was_drawn_is_told() {
        assert_eq!(plant().drawn().len(), UNCERTAINTY.len());
        assert!(plant().drawn().iter().all(|(_, x)| x.abs() <= 0.0));
        let all: Vec<Box<dyn Plant>> = (1..=400).map(number).collect();
        for (k, (name, _, deviation)) in UNCERTAINTY.into_iter().enumerate() {
            assert!(all.iter().all(|plant| plant.drawn()[k].0 == name));
            let sum: f64 = all.iter().map(|plant| plant.drawn()[k].1.powi(2)).sum();
            let found = (sum / 400.0).sqrt();
            assert!((found / deviation - 1.0).abs() < 0.15, "{name}: {found}");
        }
        // Table 2 and the model agree: the static gain holds, and the slow pole moves the phase at
        // 1 Hz the way it was drawn.
        let phase = |plant: &dyn Plant| {
            let [re, im] = plant
                .linear()
                .unwrap()
                .response(2.0 * std::f64::consts::PI, 0, 0);
            im.atan2(re)
        };
        let nominal = phase(plant().as_ref());
        let moved = all.iter().find(|plant| plant.drawn()[2].1 > 0.08).unwrap();
        assert!(phase(moved.as_ref()) > nominal);
    }

    fn number(draw: i64) -> Box<dyn Plant> {
        let mut values = Values::new().with("draw", tandem_quantity::Value::Integer(draw));
        for (parameter, x) in ENTRY.method.parameters.iter().zip(NOMINAL) {
            values.set(parameter.key, tandem_quantity::Value::Number(x));
        }
        build(&values, &Context::of(2, 1.0 / 1024.0)).unwrap()
    }

    /// Expected: the two columns in controllable form, matrix exponentials in 60-digit arithmetic
    /// (mpmath.expm); commands jump between 1 and −0.5 (30 samples of 50) and between 0.25 and −1
    /// (20 of 70).
    #[test]
    fn the_two_by_two_plant_is_sampled_exactly() {
        let mut plant = plant();
        let (mut drive, mut truth) = (Motion::at_rest(2), Measured::at_rest(2));
        for k in 1..=300 {
            drive.displacement[0] = if k % 50 < 30 { 1.0 } else { -0.5 };
            drive.displacement[1] = if k % 70 < 20 { 0.25 } else { -1.0 };
            plant.advance(&drive, &mut truth);
            let expected = match k {
                10 => [0.110_974_356_970_736_99, 0.110_849_702_020_382_69],
                300 => [0.271_423_217_529_105_5, -0.063_031_015_507_500_51],
                _ => continue,
            };
            for i in 0..2 {
                assert!(
                    (truth.motion.displacement[i] - expected[i]).abs() < 1e-12,
                    "{k}: {:?}",
                    truth.motion.displacement
                );
            }
        }
    }

    /// Published: static gains and, at 2.291 Hz, amplitude and phase of the four transfer
    /// functions.
    #[test]
    fn gains_and_phases_are_the_published_ones() {
        let mut one = plant();
        let (mut drive, mut truth) = (Motion::at_rest(2), Measured::at_rest(2));
        let static_gain = [[0.863_812, 0.131_070], [0.139_613, 0.925_792]];
        for j in 0..2 {
            drive.displacement[j] = 1.0;
            drive.displacement[1 - j] = 0.0;
            for _ in 0..20_000 {
                one.advance(&drive, &mut truth);
            }
            for i in 0..2 {
                assert!((truth.motion.displacement[i] - static_gain[i][j]).abs() < 1e-6);
            }
        }
        let response = [
            [(0.65285, -43.60), (0.13697, -4.93)],
            [(0.10552, -43.60), (0.84574, -17.68)],
        ];
        let (h, w) = (1.0 / 1024.0, 2.0 * std::f64::consts::PI * 2.291);
        for j in 0..2 {
            let mut plant = self::plant();
            let (mut re, mut im) = ([0.0; 2], [0.0; 2]);
            // Ten whole periods after ten to settle. A held sine is half a sample late, and read a
            // sample later: the angle is that of the middle.
            let period = 2.0 * std::f64::consts::PI / w / h;
            #[allow(clippy::cast_possible_truncation)]
            let n = (10.0 * period).round() as u32;
            for k in 0..2 * n {
                drive.displacement = vec![0.0; 2];
                drive.displacement[j] = (w * h * f64::from(k)).sin();
                plant.advance(&drive, &mut truth);
                if k >= n {
                    let angle = w * h * (f64::from(k) + 0.5);
                    for i in 0..2 {
                        re[i] += truth.motion.displacement[i] * angle.sin();
                        im[i] += truth.motion.displacement[i] * angle.cos();
                    }
                }
            }
            for i in 0..2 {
                let amplitude = 2.0 * re[i].hypot(im[i]) / f64::from(n);
                let phase = im[i].atan2(re[i]).to_degrees();
                let (a, p) = response[i][j];
                assert!((amplitude - a).abs() < 1e-4, "{i}{j}: {amplitude}");
                assert!((phase - p).abs() < 0.02, "{i}{j}: {phase}");
            }
        }
    }
}
