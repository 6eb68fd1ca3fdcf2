//! Inverse of an identified plant, adapted in the test without differentiating a noisy signal.

mod fit;
mod inverse;
mod regressor;
mod rest;

use super::model::{DAMPING, FREQUENCY, GAIN, PLANT, model};
use super::{AHEAD, Build, Compensator};
use crate::{History, LinearSystem, SampledLinear};
use fit::Fit;
use inverse::Inverse;
use regressor::Column;
use rest::Rest;
use tandem_quantity::{
    BuildError, Dimension, Entry, Kind, Method, Motion, Parameter, Range, Values, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "adaptive-inverse",
        summary: "inverse of an identified plant on the target's own derivatives; what the plant differs by is found by least squares with a prior",
        reference: "this project (docs/benchmarks.md); inverse after Phillips and Spencer 2012, adaptation after Ljung 1999, section 11.2 (output error)",
        parameters: &compensator_parameters![
            PLANT,
            FREQUENCY,
            DAMPING,
            GAIN,
            Parameter::number(
                "uncertainty",
                Dimension::NONE,
                "standard deviation of every coefficient of the inverse, as a share of it; 0: no adaptation",
            )
            .or("0.05")
            .within(Range::between(0.0, 1.0)),
            Parameter::number(
                "bound",
                Dimension::NONE,
                "no coefficient leaves its start value by more than this many standard deviations",
            )
            .or("5.0")
            .positive(),
            Parameter::number(
                "sensor_noise",
                Dimension::LENGTH,
                "standard deviation of the measured displacement: how much a reading counts against the prior",
            )
            .or("\"20 um\"")
            .positive(),
            Parameter::number(
                "offset",
                Dimension::LENGTH,
                "standard deviation of a constant distance between command and motion, which is made up for (integral action); 0: none",
            )
            .or("\"10 um\"")
            .not_negative(),
            Parameter::number(
                "guard",
                Dimension::LENGTH,
                "a measurement further than this from what the adapted model expects teaches nothing",
            )
            .or("\"1 mm\"")
            .positive(),
            Parameter::number(
                "smoothing",
                Dimension::TIME,
                "span of samples through which the polynomial for the higher derivatives is laid; at least three of accelerations, six of displacements",
            )
            .or("\"2 ms\"")
            .within(Range::between(0.0, 1.0)),
            Parameter::of(
                "derivatives",
                Kind::Choice(&["given", "displacement"]),
                "given: velocity and acceleration as the integration has them; displacement: from a polynomial of fourth order through \
                 the last displacements, where the integration's accelerations ring (degrees of freedom without mass)",
            )
            .or("\"given\""),
            Parameter::number(
                "memory",
                Dimension::TIME,
                "time after which a reading counts 1/e; default: readings count for ever",
            )
            .optional()
            .positive(),
            Parameter::number(
                "resolution",
                Dimension::LENGTH,
                "step of the converter behind the command; default: none",
            )
            .optional()
            .positive(),
            AHEAD,
        ],
    },
    build,
};

/// Highest derivative of the target that is known: displacement to acceleration from the integration, two more by the parabola.
const HIGHEST: usize = 4;
/// Derivatives whose coefficients are adapted: 0 to 3.
const ADAPTED: usize = 4;
/// A row of the fit is the mean over so many ticks that there are about this many rows a second.
const ROWS_PER_SECOND: f64 = 256.0;

fn build(
    values: &Values,
    actuators: usize,
    period: f64,
) -> Result<Box<dyn Compensator>, BuildError> {
    let plant = model(values, actuators, period)?;
    let settings = Settings {
        period,
        uncertainty: values.number("uncertainty")?,
        bound: values.number("bound")?,
        noise: values.number("sensor_noise")?,
        offset: values.number("offset")?,
        guard: values.number("guard")?,
        memory: values.optional_number("memory"),
        resolution: values.optional_number("resolution"),
        ahead: values.count("ahead")? == 1,
    };
    let refuse = |error: inverse::InverseError| {
        BuildError::new(
            if values.has("plant") {
                "plant"
            } else {
                "frequency"
            },
            error.to_string(),
            "give a plant with as many commands as axes, delay in every path and no zero in the right half plane",
        )
    };
    let coupled = values.has("plant") && actuators > 1;
    let groups = if coupled {
        vec![Group::new(&plant, 0, &settings).map_err(refuse)?]
    } else {
        (0..actuators)
            .map(|i| Group::new(&alone(&plant, i), i, &settings).map_err(refuse))
            .collect::<Result<_, _>>()?
    };
    let given = values.text("derivatives")? == "given";
    let span = (values.number("smoothing")? / period)
        .round()
        .clamp(if given { 3.0 } else { 6.0 }, 256.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped just above
    let samples = span as usize;
    Ok(Box::new(
        AdaptiveInverse {
            given,
            weights: weights(samples, if given { 2 } else { HIGHEST }, period),
            past: History::new(actuators, samples),
            motion: vec![[0.0; HIGHEST + 1]; actuators],
            settings,
            groups,
            shown: vec![[0.0; ADAPTED]; actuators],
        }
        .shown(),
    ))
}

/// Axis `i` of a plant whose axes do not act on each other.
fn alone(plant: &LinearSystem, i: usize) -> LinearSystem {
    let [n, m, _] = plant.size;
    LinearSystem {
        size: [n, 1, 1],
        a: plant.a.clone(),
        b: (0..n).map(|k| plant.b[k * m + i]).collect(),
        c: plant.c[i * n..(i + 1) * n].to_vec(),
        d: vec![plant.d[i * m + i]],
    }
    .reached()
}

/// Derivatives 1 to `order` at the newest of `samples` values, by a polynomial of least squares, as weights, newest first; those
/// above are zero.
fn weights(samples: usize, order: usize, period: f64) -> Vec<[f64; HIGHEST]> {
    let terms = order + 1;
    let mut normal = vec![0.0; terms * terms];
    let mut right: Vec<f64> = vec![0.0; terms * samples];
    for k in 0..samples {
        // Powers t^r/r!, so that the unknowns are the derivatives.
        let mut powers = vec![1.0; terms];
        for r in 1..terms {
            #[allow(clippy::cast_precision_loss)] // at most 256
            let (time, divisor) = (-(k as f64), r as f64);
            powers[r] = powers[r - 1] * time / divisor;
        }
        for r in 0..terms {
            right[r * samples + k] = powers[r];
            for c in 0..terms {
                normal[terms * r + c] += powers[r] * powers[c];
            }
        }
    }
    crate::dense::solve(&mut normal, &mut right, terms, samples);
    (0..samples)
        .map(|k| {
            let mut scale = 1.0;
            std::array::from_fn(|q| {
                scale /= period;
                right.get((q + 1) * samples + k).map_or(0.0, |w| w * scale)
            })
        })
        .collect()
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    period: f64,
    uncertainty: f64,
    bound: f64,
    noise: f64,
    offset: f64,
    guard: f64,
    memory: Option<f64>,
    resolution: Option<f64>,
    ahead: bool,
}

impl Settings {
    /// How far a command is ahead of the target it is made from: held over the period, it acts as in its middle.
    fn lead(&self) -> f64 {
        let periods = if self.ahead { -0.5 } else { 0.5 };
        periods * self.period
    }
}

/// Axes that act on each other: one, or two.
///
/// The plant differs from its model H₀ by H⁻¹ = H₀⁻¹ + ΔQ(s), ΔQ = Σ ΔQ_k s^k. Then H₀ u − x = H₀ ΔQ x: the distance of the
/// model's output from the measured one is linear in ΔQ, and its regressors H₀ s^k x can be made from the target, which is free
/// of sensor noise, instead of from x.
#[derive(Clone, Debug)]
struct Group {
    first: usize,
    axes: usize,
    /// Q_k + ΔQ_k, `(k * axes + command) * axes + target`; and Q_k alone.
    coefficients: Vec<f64>,
    nominal: Vec<f64>,
    /// R, or nothing.
    rest: Vec<Rest>,
    /// H₀ driven by the commands that were sent.
    model: SampledLinear,
    columns: Vec<Column>,
    /// Of each unknown: its prior standard deviation in SI.
    scale: Vec<f64>,
    /// Static inverse: what makes up for an offset.
    static_gain: Vec<f64>,
    fit: Fit,
    theta: Vec<f64>,
    /// Rows are means over this many ticks.
    block: usize,
    weight: f64,
    memory: f64,
    /// Sums since the last row: model minus measured, derivatives of the targets.
    distance: Vec<f64>,
    derivatives: Vec<f64>,
    collected: usize,
    last: Vec<f64>,
}

snapshot!(Group {
    coefficients,
    rest,
    model,
    columns,
    fit,
    theta,
    distance,
    derivatives,
    collected,
    last
});

impl Group {
    fn new(
        plant: &LinearSystem,
        first: usize,
        settings: &Settings,
    ) -> Result<Self, inverse::InverseError> {
        let axes = plant.size[1];
        let inverse = Inverse::of(plant)?;
        let taylor = inverse.taylor(axes, ADAPTED);
        let orders = inverse.derivatives.len().clamp(ADAPTED, HIGHEST + 1);
        let mut nominal = vec![0.0; orders * axes * axes];
        for (k, q) in inverse.derivatives.iter().take(orders).enumerate() {
            nominal[k * axes * axes..][..axes * axes].copy_from_slice(q);
        }
        let pairs = axes * axes;
        let mut scale: Vec<f64> = (0..pairs * ADAPTED)
            .map(|e| settings.uncertainty * taylor[e % ADAPTED][e / ADAPTED].abs())
            .collect();
        scale.extend(std::iter::repeat_n(settings.offset, axes));
        let rate = 1.0 / settings.period;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few ticks
        let block = (rate / ROWS_PER_SECOND).round().clamp(1.0, 1e4) as usize;
        #[allow(clippy::cast_precision_loss)]
        let ticks = block as f64;
        let unknowns = scale.len();
        Ok(Self {
            first,
            axes,
            coefficients: nominal.clone(),
            nominal,
            rest: inverse
                .rest
                .iter()
                .map(|system| Rest::new(system, settings.period, settings.lead()))
                .collect(),
            model: plant.sampled(settings.period),
            columns: (0..axes)
                .map(|j| Column::new(plant, j, ADAPTED, settings.period))
                .collect(),
            scale,
            static_gain: taylor[0].clone(),
            fit: Fit::new(unknowns),
            theta: vec![0.0; unknowns],
            block,
            // A mean over n ticks has the noise of one, divided by √n; sums are n times the mean.
            weight: 1.0 / (settings.noise * ticks.sqrt()),
            memory: settings
                .memory
                .map_or(1.0, |time| (-0.5 * ticks * settings.period / time).exp()),
            distance: vec![0.0; axes],
            derivatives: vec![0.0; axes * ADAPTED],
            collected: 0,
            last: vec![0.0; axes],
        })
    }

    /// The targets went on to `motion`.
    #[inline]
    fn push(&mut self, motion: &[[f64; HIGHEST + 1]], adapts: bool) {
        for l in 0..self.axes {
            let x = motion[self.first + l][0];
            let mean = 0.5 * (self.last[l] + x);
            self.last[l] = x;
            if adapts {
                for column in &mut self.columns {
                    column.advance(l, mean);
                }
            }
        }
        for rest in &mut self.rest {
            let own = motion[self.first..self.first + self.axes].iter();
            rest.push(own.map(|x| [x[0], x[1]]));
        }
    }

    /// Compares the model with the measurement of this tick; every now and then the coefficients follow.
    #[inline]
    fn adapt(&mut self, motion: &[[f64; HIGHEST + 1]], measured: &[f64], settings: &Settings) {
        let m = self.axes;
        for i in 0..m {
            self.distance[i] += self.model.output(i) - measured[self.first + i];
            for q in 0..ADAPTED {
                self.derivatives[i * ADAPTED + q] += motion[self.first + i][q];
            }
        }
        self.columns.iter_mut().for_each(Column::collect);
        self.collected += 1;
        if self.collected < self.block {
            return;
        }
        #[allow(clippy::cast_precision_loss)] // a few ticks
        let ticks = self.collected as f64;
        for i in 0..m {
            let unknowns = self.theta.len();
            let row = self.fit.row();
            let mut expected = 0.0;
            for j in 0..m {
                for l in 0..m {
                    let target = &self.derivatives[l * ADAPTED..(l + 1) * ADAPTED];
                    for k in 0..ADAPTED {
                        let at = (j * m + l) * ADAPTED + k;
                        row[at] = self.scale[at] * self.columns[j].output([i, l, k], target);
                        expected += row[at] * self.theta[at];
                    }
                }
            }
            for l in 0..m {
                let at = unknowns - m + l;
                row[at] = if l == i { self.scale[at] * ticks } else { 0.0 };
                expected += row[at] * self.theta[at];
            }
            row[unknowns] = self.distance[i];
            let surprise = (self.distance[i] - expected) / ticks;
            if surprise.abs() <= settings.guard {
                row.iter_mut().for_each(|x| *x *= self.weight);
                self.fit.update(self.memory);
            }
        }
        self.fit.solve(&mut self.theta);
        for (x, scale) in self.theta.iter_mut().zip(&self.scale) {
            // An unknown without a prior spread stays where it is.
            *x = if *scale > 0.0 && x.is_finite() {
                x.clamp(-settings.bound, settings.bound)
            } else {
                0.0
            };
        }
        for pair in 0..m * m {
            let changes: [f64; ADAPTED] = std::array::from_fn(|k| {
                let at = pair * ADAPTED + k;
                self.scale[at] * self.theta[at]
            });
            self.columns[pair / m].learn(pair % m, &changes);
            for (k, change) in changes.iter().enumerate() {
                let place = k * m * m + pair;
                self.coefficients[place] = self.nominal[place] + change;
            }
        }
        self.distance.fill(0.0);
        self.derivatives.fill(0.0);
        self.columns.iter_mut().for_each(Column::clear);
        self.collected = 0;
    }

    /// Commands from the derivatives of the targets.
    #[inline]
    fn command(&mut self, motion: &[[f64; HIGHEST + 1]], settings: &Settings, out: &mut Motion) {
        let m = self.axes;
        let pairs = m * m;
        let offsets = self.theta.len() - m;
        let lead = settings.lead();
        for rest in &mut self.rest {
            let own = motion[self.first..self.first + m].iter();
            rest.look(own.map(|x| [x[0], x[1], x[2], x[3]]));
        }
        for i in 0..m {
            let mut u = 0.0;
            let (mut v, mut a) = (0.0, 0.0);
            for l in 0..m {
                let x = &motion[self.first + l];
                let mut ahead = *x;
                for k in (0..HIGHEST).rev() {
                    // Taylor, from the highest derivative down.
                    let mut sum = 0.0;
                    for q in (k + 1..=HIGHEST).rev() {
                        #[allow(clippy::cast_precision_loss)] // at most four
                        let step = lead / (q - k) as f64;
                        sum = step * (x[q] + sum);
                    }
                    ahead[k] = x[k] + sum;
                }
                for (k, d) in ahead
                    .iter()
                    .enumerate()
                    .take(self.coefficients.len() / pairs)
                {
                    u += self.coefficients[k * pairs + i * m + l] * d;
                }
                let (c0, c1) = (
                    self.coefficients[i * m + l],
                    self.coefficients[pairs + i * m + l],
                );
                v += c0 * x[1] + c1 * x[2];
                a += c0 * x[2];
                u +=
                    self.static_gain[i * m + l] * self.scale[offsets + l] * self.theta[offsets + l];
            }
            for rest in &self.rest {
                u += rest.output(i);
            }
            if let Some(step) = settings.resolution {
                u = (u / step).round() * step;
            }
            out.displacement[self.first + i] = u;
            out.velocity[self.first + i] = v;
            out.acceleration[self.first + i] = a;
        }
    }

    /// Where the model, with what was learned, sees the actuators now.
    #[inline]
    fn estimate(&self, motion: &[[f64; HIGHEST + 1]], out: &mut [f64]) {
        let m = self.axes;
        for i in 0..m {
            let mut x = self.model.output(i);
            for column in &self.columns {
                for l in 0..m {
                    x -= column.learned_output([i, l], &motion[self.first + l]);
                }
            }
            let at = self.theta.len() - m + i;
            out[self.first + i] = x - self.scale[at] * self.theta[at];
        }
    }
}

/// u = Σ (Q_k + ΔQ_k) x_t^(k) + R x_t: the inverse of the plant, on the displacement, velocity and acceleration that the
/// integration knows exactly, and half a period ahead of them because the command is held.
///
/// Nothing of the measurement goes straight into the command: sensor noise reaches it only through the few coefficients that are
/// fitted to all readings so far.
///
/// Ports: wanted motion (m, m/s, m/s²) and measured displacement (m) → command (m).
#[derive(Clone, Debug)]
pub struct AdaptiveInverse {
    settings: Settings,
    groups: Vec<Group>,
    given: bool,
    /// Of the derivatives 1 to 4 of what `past` holds, newest first.
    weights: Vec<[f64; HIGHEST]>,
    /// Accelerations, or displacements.
    past: History,
    /// Of each axis: the wanted displacement and its derivatives.
    motion: Vec<[f64; HIGHEST + 1]>,
    shown: Vec<[f64; ADAPTED]>,
}

snapshot!(AdaptiveInverse {
    groups,
    past,
    motion,
    shown
});

impl AdaptiveInverse {
    /// With the direct coefficients of every axis for the record.
    fn shown(mut self) -> Self {
        self.show();
        self
    }

    #[inline]
    fn show(&mut self) {
        for group in &self.groups {
            let m = group.axes;
            for i in 0..m {
                self.shown[group.first + i] =
                    std::array::from_fn(|k| group.coefficients[k * m * m + i * m + i]);
            }
        }
    }

    #[inline]
    fn push(&mut self, wanted: &Motion) {
        self.past.push(if self.given {
            &wanted.acceleration
        } else {
            &wanted.displacement
        });
        for i in 0..wanted.len() {
            let mut slopes = [0.0; HIGHEST];
            for (k, weights) in self.weights.iter().enumerate() {
                let x = self.past.back(k)[i];
                for (slope, weight) in slopes.iter_mut().zip(weights) {
                    *slope += weight * x;
                }
            }
            let [first, second, third, fourth] = slopes;
            let x = wanted.displacement[i];
            self.motion[i] = if self.given {
                [x, wanted.velocity[i], wanted.acceleration[i], first, second]
            } else {
                [x, first, second, third, fourth]
            };
        }
        let adapts = self.settings.uncertainty > 0.0;
        for group in &mut self.groups {
            group.push(&self.motion, adapts);
        }
    }

    #[inline]
    fn adapt(&mut self, measured: &Motion) {
        if self.settings.uncertainty <= 0.0 {
            return;
        }
        for group in &mut self.groups {
            group.adapt(&self.motion, &measured.displacement, &self.settings);
        }
    }
}

impl Compensator for AdaptiveInverse {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        // The measurement belongs to the target of this tick: with methods that look ahead, the one before `wanted`.
        if self.settings.ahead {
            self.adapt(measured);
            self.push(wanted);
        } else {
            self.push(wanted);
            self.adapt(measured);
        }
        for group in &mut self.groups {
            group.command(&self.motion, &self.settings, command);
        }
        self.show();
    }

    /// The model follows the command that leaves, whoever made it.
    #[inline]
    fn sent(&mut self, command: &Motion) {
        for group in &mut self.groups {
            let own = group.first..group.first + group.axes;
            group.model.advance(&command.displacement[own]);
        }
    }

    fn estimate(&self, _measured: &[f64], estimate: &mut [f64]) {
        for group in &self.groups {
            group.estimate(&self.motion, estimate);
        }
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        self.shown.get(actuator).map_or(&[], |c| c)
    }
}
