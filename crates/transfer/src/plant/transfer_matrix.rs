//! Any matrix of transfer functions: several actuators that move each other.

use super::{Build, Draw, Plant, drawn};
use crate::actuator::{Actuator, Delay, with_delay};
use crate::{LinearSystem, SampledLinear, StateSpace};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Snapshot,
    SnapshotError, StateReader, Values, settings,
};
use tandem_safety::Measured;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "transfer-matrix",
        summary: "transfer functions from every drive to every displacement, with uncertain gains \
            and frequencies; exact for held drives",
        reference: "Van Loan 1978 (held inputs); Condori Uribe et al. 2023, Eq. 25 (actuators that \
            act on each other)",
        parameters: TransferMatrixSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct TransferMatrixSettings {
        /// the transfer functions that are not zero
        element: Vec<ElementSettings> = tables(ElementSettings::PARAMETERS)
            .within(Range::between(1.0, 400.0)),
        /// relative standard deviation of the gain of each element in a draw
        gain_uncertainty: f64 = number(Dimension::NONE).or("0.0").within(Range::between(0.0, 0.3)),
        /// relative standard deviation of all poles and zeros of each element in a draw; they keep
        /// their damping
        frequency_uncertainty: f64 = number(Dimension::NONE)
            .or("0.0")
            .within(Range::between(0.0, 0.3)),
        draw: Draw,
    }
}

settings! {
    struct ElementSettings {
        /// displacement, counted from 1
        output: usize = integer().within(Range::between(1.0, 20.0)),
        /// drive, counted from 1
        input: usize = integer().within(Range::between(1.0, 20.0)),
        /// coefficients of s, highest power first
        numerator: Vec<f64> = numbers(Dimension::NONE),
        /// coefficients of s, highest power first
        denominator: Vec<f64> = numbers(Dimension::NONE),
        /// pure delay in front, as `tandem identify transfer` finds it; linear between samples
        delay: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
    }
}

/// One transfer function with its place.
struct Element {
    output: usize,
    input: usize,
    system: StateSpace,
    /// Pure delay, in periods.
    late: f64,
}

fn build(
    values: &Values,
    &Context {
        actuators: axes,
        period,
        ..
    }: &Context<'_>,
) -> Result<Box<dyn Plant>, BuildError> {
    let settings = TransferMatrixSettings::read(values)?;
    let mut normal = drawn(&settings.draw)?;
    let deviations = [settings.gain_uncertainty, settings.frequency_uncertainty];
    let mut elements = Vec::new();
    for (k, table) in settings.element.iter().enumerate() {
        // Two numbers are drawn for every element, whatever the deviations: a draw stays the same
        // plant beside another.
        let [gain, frequency] = deviations.map(|deviation| match &mut normal {
            Some(normal) => (1.0 + deviation * normal.next()).max(0.05),
            None => 1.0,
        });
        let element = element(table, axes, period, gain, frequency)
            .map_err(|e| e.within(&k.to_string()).within("element"))?;
        elements.push(element);
    }
    if let Some(output) = (0..axes).find(|i| elements.iter().all(|e| e.output != *i)) {
        return Err(BuildError::new(
            "element",
            format!("nothing moves displacement {}", output + 1),
            format!("give at least one element for each of the {axes} displacements of the rig"),
        ));
    }
    let delayed = elements.iter().any(|e| e.late > 0.0);
    let model = together(&elements, axes, delayed);
    // Where a drive goes straight into displacement or velocity, the derivatives between its jumps
    // leave out the jumps (see the actuator `transfer-function`): differences over the period hold
    // them.
    let smooth = elements.iter().all(|e| {
        let into_velocity: f64 = e.system.c.iter().zip(&e.system.b).map(|(c, b)| c * b).sum();
        e.system.d == 0.0 && into_velocity == 0.0
    });
    Ok(Box::new(TransferMatrix {
        system: model.with_derivatives().sampled(period),
        model: (!delayed).then_some(model),
        // One period is spent in the held drive of the system itself.
        lines: if delayed {
            elements
                .iter()
                .map(|e| (e.input, Delay::new(e.late + 1.0, 1.0)))
                .collect()
        } else {
            Vec::new()
        },
        drives: vec![0.0; elements.len()],
        axes,
        smooth,
        rate: 1.0 / period,
    }))
}

/// G(s/f) times a gain: all roots move by f, the static gain stays.
fn element(
    settings: &ElementSettings,
    axes: usize,
    period: f64,
    gain: f64,
    frequency: f64,
) -> Result<Element, BuildError> {
    let place = |key: &str, number: usize| {
        if (1..=axes).contains(&number) {
            return Ok(number - 1);
        }
        Err(BuildError::new(
            key,
            format!("{number} is not an axis of this rig, which has {axes}"),
            format!("give a number from 1 to {axes}"),
        ))
    };
    let stretched = |given: &[f64], scale: f64| -> Vec<f64> {
        let highest = given.len().saturating_sub(1);
        given
            .iter()
            .enumerate()
            .map(|(k, c)| {
                let power = i32::try_from(highest - k).unwrap_or(i32::MAX);
                scale * c / frequency.powi(power)
            })
            .collect()
    };
    let numerator = stretched(&settings.numerator, gain);
    let denominator = stretched(&settings.denominator, 1.0);
    let (system, late) = with_delay([&numerator, &denominator], settings.delay, period)?;
    Ok(Element {
        output: place("output", settings.output)?,
        input: place("input", settings.input)?,
        system,
        late,
    })
}

/// All elements side by side, each with its own states; with `own` each also has an input of its
/// own, behind its delay.
fn together(elements: &[Element], axes: usize, own: bool) -> LinearSystem {
    let states = elements.iter().map(|e| e.system.order()).sum();
    let inputs = if own { elements.len() } else { axes };
    let mut all = LinearSystem {
        size: [states, inputs, axes],
        a: vec![0.0; states * states],
        b: vec![0.0; states * inputs],
        c: vec![0.0; axes * states],
        d: vec![0.0; axes * inputs],
    };
    let mut at = 0;
    for (k, element) in elements.iter().enumerate() {
        let Element { output, system, .. } = element;
        let input = if own { k } else { element.input };
        let n = system.order();
        for i in 0..n {
            all.a[(at + i) * states + at..(at + i) * states + at + n]
                .copy_from_slice(&system.a[i * n..(i + 1) * n]);
            all.b[(at + i) * inputs + input] = system.b[i];
            all.c[output * states + at + i] = system.c[i];
        }
        all.d[output * inputs + input] += system.d;
        at += n;
    }
    all
}

/// Drives in, displacements out. The rig's specimen gives the force.
#[derive(Clone, Debug)]
struct TransferMatrix {
    system: SampledLinear,
    /// None with delays, which are not linear systems of finite order.
    model: Option<LinearSystem>,
    /// Input and delay of every element, where there are delays; what comes out of them.
    lines: Vec<(usize, Delay)>,
    drives: Vec<f64>,
    axes: usize,
    smooth: bool,
    rate: f64,
}

impl Snapshot for TransferMatrix {
    fn save(&self, into: &mut Vec<f64>) {
        self.system.save(into);
        for (_, line) in &self.lines {
            line.save(into);
        }
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.system.restore(from)?;
        for (_, line) in &mut self.lines {
            line.restore(from)?;
        }
        Ok(())
    }
}

impl Plant for TransferMatrix {
    fn actuators(&self) -> usize {
        self.axes
    }

    #[inline]
    fn advance(&mut self, drive: &Motion, truth: &mut Measured) {
        if self.lines.is_empty() {
            self.system.advance(&drive.displacement);
        } else {
            for ((input, line), late) in self.lines.iter_mut().zip(&mut self.drives) {
                *late = line.advance([drive.displacement[*input], 0.0, 0.0])[0];
            }
            self.system.advance(&self.drives);
        }
        let n = drive.displacement.len();
        let motion = &mut truth.motion;
        for i in 0..n {
            let x = self.system.output(i);
            let (mut v, mut a) = (self.system.output(n + i), self.system.output(2 * n + i));
            if !self.smooth {
                v = (x - motion.displacement[i]) * self.rate;
                a = (v - motion.velocity[i]) * self.rate;
            }
            motion.displacement[i] = x;
            motion.velocity[i] = v;
            motion.acceleration[i] = a;
        }
    }

    fn linear(&self) -> Option<LinearSystem> {
        self.model.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::Value;

    /// A first-order lag behind three samples on its own axis, another without delay across: 1 −
    /// exp(−(t − 3h)/τ), and 0.5 (1 − exp(−t/τ)).
    #[test]
    fn every_element_has_its_own_delay() {
        let (tau, h) = (0.01_f64, 0.001);
        let list = |values: &[f64]| Value::List(values.iter().map(|x| Value::Number(*x)).collect());
        let element = |output: i64, input: i64, gain: f64, delay: f64| {
            Value::Table(
                Values::new()
                    .with("output", Value::Integer(output))
                    .with("input", Value::Integer(input))
                    .with("numerator", list(&[gain]))
                    .with("denominator", list(&[tau, 1.0]))
                    .with("delay", Value::Number(delay)),
            )
        };
        let values = Values::new()
            .with(
                "element",
                Value::List(vec![
                    element(1, 1, 1.0, 3.0 * h),
                    element(2, 1, 0.5, 0.0),
                    element(2, 2, 1.0, 0.0),
                ]),
            )
            .with("gain_uncertainty", Value::Number(0.0))
            .with("frequency_uncertainty", Value::Number(0.0))
            .with("draw", Value::Integer(0));
        let mut plant = build(&values, &Context::of(2, h)).unwrap();
        let (mut drive, mut truth) = (Motion::at_rest(2), Measured::at_rest(2));
        drive.displacement[0] = 1.0;
        for k in 1..40_u32 {
            plant.advance(&drive, &mut truth);
            let lag = |t: f64| 1.0 - (-t.max(0.0) / tau).exp();
            let t = f64::from(k) * h;
            assert!((truth.motion.displacement[0] - lag(t - 3.0 * h)).abs() < 1e-12);
            assert!((truth.motion.displacement[1] - 0.5 * lag(t)).abs() < 1e-12);
        }
    }
}
