//! Inverse of an identified plant, adapted in the test without differentiating a noisy signal.

mod fit;
mod inverse;
mod regressor;
mod rest;

use super::model::{Model, model};
use super::{Ahead, Build, Compensator, SwitchOn};
use crate::{History, LinearSystem, SampledLinear};
use fit::Fit;
use inverse::Inverse;
use regressor::Column;
use rest::Rest;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings as _, Values, choice,
    index, settings, snapshot,
};
use tandem_structure::linalg::small;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "adaptive-inverse",
        summary: "inverse of an identified plant on the target's own derivatives; what the plant \
            differs by is found by least squares with a prior",
        reference: "this project (docs/benchmarks.md); inverse after Phillips and Spencer 2012, \
            adaptation after Ljung 1999, section 11.2 (output error)",
        parameters: <(AdaptiveInverseSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

choice! {
    /// Where the derivatives of the target come from.
    enum DerivativeSource {
        Given = "given",
        Displacement = "displacement",
    }
}

settings! {
    struct AdaptiveInverseSettings {
        model: Model,
        /// standard deviation of every coefficient of the inverse, as a share of it; 0: no
        /// adaptation
        uncertainty: f64 = number(Dimension::NONE).or("0.05").within(Range::between(0.0, 1.0)),
        /// no coefficient leaves its start value by more than this many standard deviations
        bound: f64 = number(Dimension::NONE).or("5.0").positive(),
        /// standard deviation of the measured displacement: how much a reading counts against the
        /// prior
        sensor_noise: f64 = number(Dimension::LENGTH).or("\"20 um\"").positive(),
        /// standard deviation of a constant distance between command and motion, which is made up
        /// for (integral action); 0: none
        offset: f64 = number(Dimension::LENGTH).or("\"10 um\"").not_negative(),
        /// a measurement further than this from what the adapted model expects teaches nothing
        guard: f64 = number(Dimension::LENGTH).or("\"1 mm\"").positive(),
        /// span of samples through which the polynomial for the higher derivatives is laid; at
        /// least three of accelerations, six of displacements; default: 2 ms of accelerations, 24
        /// ms of displacements
        smoothing: Option<f64> = number(Dimension::TIME).within(Range::between(0.0, 1.0)),
        /// given: velocity and acceleration as the integration has them; displacement: from a
        /// polynomial of fourth order through the last displacements, where the integration's
        /// accelerations ring (degrees of freedom without mass)
        derivatives: DerivativeSource = choice(DerivativeSource::WORDS).or("\"given\""),
        /// time after which a reading counts 1/e; default: readings count for ever
        memory: Option<f64> = number(Dimension::TIME).positive(),
        /// step of the converter behind the command; default: none
        resolution: Option<f64> = number(Dimension::LENGTH).positive(),
        timing: Ahead,
    }
}

/// Highest derivative of the target that is known: displacement to acceleration from the
/// integration, two more by the parabola.
const HIGHEST: usize = 4;
/// Derivatives whose coefficients are adapted: 0 to 3.
const ADAPTED: usize = 4;
/// Span of accelerations that give two more derivatives, s; and of displacements that give four.
/// The fourth derivative through few samples lifts whatever rings near half the sampling rate, and
/// where the loop is closed through joints without mass nothing else holds that down: with 2 ms
/// some per cent of the tests of the multi-axial benchmark burst while the coefficients are young,
/// with 24 ms none, at three times the noise too.
const SMOOTHING: f64 = 2e-3;
const SMOOTHING_OF_DISPLACEMENTS: f64 = 24e-3;
/// A row of the fit is the mean over so many ticks that there are about this many rows a second.
const ROWS_PER_SECOND: f64 = 128.0;
/// The coefficients follow after so many rows: solving for them takes longer than all else, and
/// nothing is learned in some 30 ms that could not wait.
const ROWS_PER_SOLUTION: usize = 4;

fn build(values: &Values, context: &Context<'_>) -> Result<Box<dyn Compensator>, BuildError> {
    let &Context {
        actuators, period, ..
    } = context;
    let plan = AdaptiveInverseSettings::read(values)?;
    let plant = model(&plan.model, context)?;
    let settings = Settings {
        period,
        uncertainty: plan.uncertainty,
        bound: plan.bound,
        noise: plan.sensor_noise,
        offset: plan.offset,
        guard: plan.guard,
        memory: plan.memory,
        resolution: plan.resolution,
        ahead: plan.timing.ahead == 1,
    };
    let refuse = |error: inverse::InverseError| {
        BuildError::new(
            if plan.model.plant.is_some() {
                "plant"
            } else {
                "frequency"
            },
            error.to_string(),
            "give a plant with as many commands as axes, delay in every path and no zero in the \
            right half plane",
        )
    };
    let coupled = plan.model.plant.is_some() && actuators > 1;
    let groups = if coupled {
        vec![Group::new(&plant, 0, &settings).map_err(refuse)?]
    } else {
        (0..actuators)
            .map(|i| Group::new(&alone(&plant, i), i, &settings).map_err(refuse))
            .collect::<Result<_, _>>()?
    };
    let given = plan.derivatives == DerivativeSource::Given;
    let smoothing = plan.smoothing;
    let smoothing = smoothing.unwrap_or(if given {
        SMOOTHING
    } else {
        SMOOTHING_OF_DISPLACEMENTS
    });
    let span = (smoothing / period)
        .round()
        .clamp(if given { 3.0 } else { 6.0 }, 256.0);
    let samples = index(span);
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

/// Derivatives 1 to `order` at the newest of `samples` values, by a polynomial of least squares, as
/// weights, newest first; those above are zero.
fn weights(samples: usize, order: usize, period: f64) -> Vec<[f64; HIGHEST]> {
    let terms = order + 1;
    let mut normal = vec![0.0; terms * terms];
    let mut right: Vec<f64> = vec![0.0; terms * samples];
    for k in 0..samples {
        // Powers t^r/r!, so that the unknowns are the derivatives.
        let mut powers = vec![1.0; terms];
        for r in 1..terms {
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
    // Regular: there are at least as many times as powers.
    let _ = small::solve(&mut normal, &mut right, terms, samples);
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
    /// How far a command is ahead of the target it is made from: held over the period, it acts as
    /// in its middle.
    fn lead(&self) -> f64 {
        let periods = if self.ahead { -0.5 } else { 0.5 };
        periods * self.period
    }
}

/// Axes that act on each other: one, or two.
///
/// The plant differs from its model H₀ by H⁻¹ = H₀⁻¹ + ΔQ(s), ΔQ = Σ ΔQ_k s^k. Then H₀ u − x = H₀
/// ΔQ x: the distance of the model's output from the measured one is linear in ΔQ, and its
/// regressors H₀ s^k x can be made from the target, which is free of sensor noise, instead of from
/// x.
#[derive(Clone, Debug)]
struct Group {
    first: usize,
    axes: usize,
    /// Q_k + ΔQ_k, `(k * axes + command) * axes + target`; and Q_k alone.
    coefficients: Vec<f64>,
    nominal: Vec<f64>,
    /// The command from all derivatives of all targets, at
    /// `(command * axes + target) * (HIGHEST + 1) + derivative`: the coefficients, and the way to
    /// the middle of the period over which a command is held.
    led: Vec<f64>,
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
    /// Sum since the last row: model minus measured.
    distance: Vec<f64>,
    collected: usize,
    /// Rows since the coefficients were solved for.
    unsolved: usize,
    last: Vec<f64>,
    /// Rows of the fit, one for each axis, and regressors of one target.
    rows: Vec<f64>,
    regressors: Vec<f64>,
}

snapshot!(Group {
    coefficients,
    led,
    rest,
    model,
    columns,
    fit,
    theta,
    distance,
    collected,
    unsolved,
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
        let block = index((rate / ROWS_PER_SECOND).round().clamp(1.0, 1e4));
        let ticks = block as f64;
        let unknowns = scale.len();
        let columns: Vec<Column> = (0..axes)
            .map(|j| Column::new(plant, j, ADAPTED, settings.period))
            .collect();
        let room = columns.iter().map(Column::room).max().unwrap_or(0);
        let mut group = Self {
            first,
            axes,
            coefficients: nominal.clone(),
            led: vec![0.0; pairs * (HIGHEST + 1)],
            nominal,
            rest: inverse
                .rest
                .iter()
                .map(|system| Rest::new(system, settings.period, settings.lead()))
                .collect(),
            model: plant.sampled(settings.period),
            columns,
            scale,
            static_gain: taylor[0].clone(),
            fit: Fit::new(unknowns),
            theta: vec![0.0; unknowns],
            block,
            // A mean over n ticks has the noise of one, divided by √n; sums are n times the mean.
            weight: 1.0 / (settings.noise * ticks.sqrt()),
            memory: settings
                .memory
                .map_or(1.0, |time| (-ticks * settings.period / time).exp()),
            distance: vec![0.0; axes],
            collected: 0,
            unsolved: 0,
            last: vec![0.0; axes],
            rows: vec![0.0; axes * unknowns],
            regressors: vec![0.0; room],
        };
        group.lead(settings);
        Ok(group)
    }

    /// Coefficients of the command, half a period ahead: Σ_k Q_k x^(k)(t + τ) = Σ_q (Σ_k≤q Q_k
    /// τ^(q−k)/(q−k)!) x^(q).
    #[inline(always)]
    fn lead(&mut self, settings: &Settings) {
        let pairs = self.axes * self.axes;
        let lead = settings.lead();
        for (pair, led) in self.led.chunks_exact_mut(HIGHEST + 1).enumerate() {
            led.fill(0.0);
            for (k, own) in self.coefficients.chunks_exact(pairs).enumerate() {
                let mut x = own[pair];
                for (q, sum) in led[k..].iter_mut().enumerate() {
                    *sum += x;
                    let next = (q + 1) as f64;
                    x *= lead / next;
                }
            }
        }
    }

    /// The targets went on to `motion`.
    #[inline(always)]
    fn push(&mut self, motion: &[[f64; HIGHEST + 1]], adapts: bool) {
        for l in 0..self.axes {
            let target = &motion[self.first + l];
            let mean = 0.5 * (self.last[l] + target[0]);
            self.last[l] = target[0];
            if adapts {
                for column in &mut self.columns {
                    column.advance(l, mean, target);
                }
            }
        }
        for rest in &mut self.rest {
            let own = motion[self.first..self.first + self.axes].iter();
            rest.push(own.map(|x| [x[0], x[1]]));
        }
    }

    /// Compares the model with the measurement of this tick; every now and then the coefficients
    /// follow, and it says so.
    #[inline(always)]
    fn adapt(&mut self, measured: &[f64], settings: &Settings) -> bool {
        for i in 0..self.axes {
            self.distance[i] += self.model.output(i) - measured[self.first + i];
        }
        self.columns.iter_mut().for_each(Column::collect);
        self.collected += 1;
        if self.collected < self.block {
            return false;
        }
        self.take_rows(settings);
        self.unsolved += 1;
        let learns = self.unsolved >= ROWS_PER_SOLUTION;
        if learns {
            self.learn(settings);
        }
        learns
    }

    /// Rows of the fit from what was collected.
    #[inline(always)]
    fn take_rows(&mut self, settings: &Settings) {
        let m = self.axes;
        let unknowns = self.theta.len();
        let ticks = self.collected as f64;
        for pair in 0..m * m {
            self.columns[pair / m].regressors(pair % m, &mut self.regressors);
            for i in 0..m {
                let own = &self.regressors[i * ADAPTED..(i + 1) * ADAPTED];
                self.rows[i * unknowns + pair * ADAPTED..][..ADAPTED].copy_from_slice(own);
            }
        }
        self.fit.forget(self.memory);
        for i in 0..m {
            let own = &mut self.rows[i * unknowns..(i + 1) * unknowns];
            own[unknowns - m + i] = ticks;
            let mut expected = 0.0;
            for ((x, scale), theta) in own.iter_mut().zip(&self.scale).zip(&self.theta) {
                *x *= scale;
                expected += *x * theta;
            }
            let surprise = (self.distance[i] - expected) / ticks;
            if surprise.abs() <= settings.guard {
                let row = self.fit.row();
                for (x, own) in row.iter_mut().zip(&*own) {
                    *x = self.weight * own;
                }
                row[unknowns] = self.weight * self.distance[i];
                self.fit.update();
            }
        }
        self.distance.fill(0.0);
        self.columns.iter_mut().for_each(Column::clear);
        self.collected = 0;
    }

    /// The coefficients that follow from all rows.
    #[inline(always)]
    fn learn(&mut self, settings: &Settings) {
        let m = self.axes;
        self.unsolved = 0;
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
        self.lead(settings);
    }

    /// Commands from the derivatives of the targets.
    #[inline(always)]
    fn command(&mut self, motion: &[[f64; HIGHEST + 1]], settings: &Settings, out: &mut Motion) {
        let m = self.axes;
        let pairs = m * m;
        let offsets = self.theta.len() - m;
        let own = &motion[self.first..self.first + m];
        for rest in &mut self.rest {
            rest.look(own.iter().map(|x| [x[0], x[1], x[2], x[3]]));
        }
        for i in 0..m {
            let (mut u, mut v, mut a) = (0.0, 0.0, 0.0);
            for (l, x) in own.iter().enumerate() {
                let led = &self.led[(i * m + l) * (HIGHEST + 1)..][..=HIGHEST];
                u += led.iter().zip(x).map(|(c, x)| c * x).sum::<f64>();
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
    #[inline(always)]
    fn estimate(&self, out: &mut [f64]) {
        let m = self.axes;
        for i in 0..m {
            let learned: f64 = self.columns.iter().map(|c| c.learned_output(i)).sum();
            let at = self.theta.len() - m + i;
            out[self.first + i] = self.model.output(i) - learned - self.scale[at] * self.theta[at];
        }
    }
}

/// u = Σ (Q_k + ΔQ_k) x_t^(k) + R x_t: the inverse of the plant, on the displacement, velocity and
/// acceleration that the integration knows exactly, and half a period ahead of them because the
/// command is held.
///
/// Nothing of the measurement goes straight into the command: sensor noise reaches it only through
/// the few coefficients that are fitted to all readings so far.
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

    #[inline(always)]
    fn show(&mut self) {
        for group in &self.groups {
            let m = group.axes;
            for i in 0..m {
                self.shown[group.first + i] =
                    std::array::from_fn(|k| group.coefficients[k * m * m + i * m + i]);
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, wanted: &Motion) {
        self.past.push(if self.given {
            &wanted.acceleration
        } else {
            &wanted.displacement
        });
        let axes = wanted.len();
        for i in 0..axes {
            let mut slopes = [0.0; HIGHEST];
            let mut weights = self.weights.iter();
            for piece in self.past.all() {
                let mut rest = piece.get(i..).unwrap_or_default();
                while let [x, ..] = rest {
                    let Some(weights) = weights.next() else {
                        break;
                    };
                    for (slope, weight) in slopes.iter_mut().zip(weights) {
                        *slope += weight * x;
                    }
                    rest = rest.get(axes..).unwrap_or_default();
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

    #[inline(always)]
    fn adapt(&mut self, measured: &Motion) {
        if self.settings.uncertainty <= 0.0 {
            return;
        }
        let mut learned = false;
        for group in &mut self.groups {
            learned |= group.adapt(&measured.displacement, &self.settings);
        }
        if learned {
            self.show();
        }
    }
}

/// A tick, with the widest vectors of the machine at hand.
struct Propose<'a> {
    method: &'a mut AdaptiveInverse,
    wanted: &'a Motion,
    measured: &'a Motion,
    command: &'a mut Motion,
}

impl pulp::WithSimd for Propose<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self {
            method,
            wanted,
            measured,
            command,
        } = self;
        // The measurement belongs to the target of this tick: with methods that look ahead, the one
        // before `wanted`.
        if method.settings.ahead {
            method.adapt(measured);
            method.push(wanted);
        } else {
            method.push(wanted);
            method.adapt(measured);
        }
        for group in &mut method.groups {
            group.command(&method.motion, &method.settings, command);
        }
    }
}

impl Compensator for AdaptiveInverse {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        pulp::Arch::new().dispatch(Propose {
            method: self,
            wanted,
            measured,
            command,
        });
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
            group.estimate(estimate);
        }
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        self.shown.get(actuator).map_or(&[], |c| c)
    }
}
