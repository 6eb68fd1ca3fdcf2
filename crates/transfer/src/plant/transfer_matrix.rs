//! Any matrix of transfer functions: several actuators that move each other.

use super::{Build, DRAW, Plant, drawn};
use crate::rig::Measured;
use crate::{LinearSystem, SampledLinear, StateSpace, StateSpaceError};
use tandem_quantity::{
    BuildError, Dimension, Entry, Kind, Method, Motion, Parameter, Range, Values, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "transfer-matrix",
        summary: "transfer functions from every drive to every displacement, with uncertain gains and frequencies; exact for held drives",
        reference: "Van Loan 1978 (held inputs); Condori Uribe et al. 2023, Eq. 25 (actuators that act on each other)",
        parameters: &[
            Parameter::of(
                "element",
                Kind::Tables(ELEMENT),
                "the transfer functions that are not zero",
            )
            .within(Range::between(1.0, 400.0)),
            Parameter::number(
                "gain_uncertainty",
                Dimension::NONE,
                "relative standard deviation of the gain of each element in a draw",
            )
            .or("0.0")
            .within(Range::between(0.0, 0.3)),
            Parameter::number(
                "frequency_uncertainty",
                Dimension::NONE,
                "relative standard deviation of all poles and zeros of each element in a draw; they keep their damping",
            )
            .or("0.0")
            .within(Range::between(0.0, 0.3)),
            DRAW,
        ],
    },
    build,
};

static ELEMENT: &[Parameter] = &[
    Parameter::integer("output", "displacement, counted from 1").within(Range::between(1.0, 20.0)),
    Parameter::integer("input", "drive, counted from 1").within(Range::between(1.0, 20.0)),
    Parameter::of(
        "numerator",
        Kind::Numbers(Dimension::NONE),
        "coefficients of s, highest power first",
    ),
    Parameter::of(
        "denominator",
        Kind::Numbers(Dimension::NONE),
        "coefficients of s, highest power first",
    ),
];

/// One transfer function with its place.
struct Element {
    output: usize,
    input: usize,
    system: StateSpace,
}

fn build(values: &Values, axes: usize, period: f64) -> Result<Box<dyn Plant>, BuildError> {
    let mut normal = drawn(values)?;
    let deviations = [
        values.number("gain_uncertainty")?,
        values.number("frequency_uncertainty")?,
    ];
    let mut elements = Vec::new();
    for (k, table) in values.tables("element").into_iter().enumerate() {
        // Two numbers are drawn for every element, whatever the deviations: a draw stays the same plant beside another.
        let [gain, frequency] = deviations.map(|deviation| match &mut normal {
            Some(normal) => (1.0 + deviation * normal.next()).max(0.05),
            None => 1.0,
        });
        let element = element(table, axes, gain, frequency)
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
    let model = together(&elements, axes);
    // Where a drive goes straight into displacement or velocity, the derivatives between its jumps leave out the jumps
    // (see the actuator `transfer-function`): differences over the period hold them.
    let smooth = elements.iter().all(|e| {
        let into_velocity: f64 = e.system.c.iter().zip(&e.system.b).map(|(c, b)| c * b).sum();
        e.system.d == 0.0 && into_velocity == 0.0
    });
    Ok(Box::new(TransferMatrix {
        system: model.with_derivatives().sampled(period),
        model,
        smooth,
        rate: 1.0 / period,
    }))
}

/// G(s/f) times a gain: all roots move by f, the static gain stays.
fn element(values: &Values, axes: usize, gain: f64, frequency: f64) -> Result<Element, BuildError> {
    let place = |key: &str| {
        let number = values.count(key)?;
        if (1..=axes).contains(&number) {
            return Ok(number - 1);
        }
        Err(BuildError::new(
            key,
            format!("{number} is not an axis of this rig, which has {axes}"),
            format!("give a number from 1 to {axes}"),
        ))
    };
    let stretched = |key: &str, scale: f64| -> Result<Vec<f64>, BuildError> {
        let given = values.numbers(key)?;
        let highest = given.len().saturating_sub(1);
        Ok(given
            .iter()
            .enumerate()
            .map(|(k, c)| {
                let power = i32::try_from(highest - k).unwrap_or(i32::MAX);
                scale * c / frequency.powi(power)
            })
            .collect())
    };
    let (numerator, denominator) = (
        stretched("numerator", gain)?,
        stretched("denominator", 1.0)?,
    );
    let system = StateSpace::from_transfer_function(&numerator, &denominator).map_err(|error| {
        use StateSpaceError::{Improper, Numerator};
        let key = if matches!(error, Numerator | Improper) {
            "numerator"
        } else {
            "denominator"
        };
        BuildError::new(
            key,
            error.to_string(),
            "give a stable, proper transfer function, highest power of s first",
        )
    })?;
    Ok(Element {
        output: place("output")?,
        input: place("input")?,
        system,
    })
}

/// All elements side by side, each with its own states.
fn together(elements: &[Element], axes: usize) -> LinearSystem {
    let states = elements.iter().map(|e| e.system.order()).sum();
    let mut all = LinearSystem {
        size: [states, axes, axes],
        a: vec![0.0; states * states],
        b: vec![0.0; states * axes],
        c: vec![0.0; axes * states],
        d: vec![0.0; axes * axes],
    };
    let mut at = 0;
    for Element {
        output,
        input,
        system,
    } in elements
    {
        let n = system.order();
        for i in 0..n {
            all.a[(at + i) * states + at..(at + i) * states + at + n]
                .copy_from_slice(&system.a[i * n..(i + 1) * n]);
            all.b[(at + i) * axes + input] = system.b[i];
            all.c[output * states + at + i] = system.c[i];
        }
        all.d[output * axes + input] += system.d;
        at += n;
    }
    all
}

/// Drives in, displacements out. The rig's specimen gives the force.
#[derive(Clone, Debug)]
struct TransferMatrix {
    system: SampledLinear,
    model: LinearSystem,
    smooth: bool,
    rate: f64,
}

snapshot!(TransferMatrix { system });

impl Plant for TransferMatrix {
    fn actuators(&self) -> usize {
        self.model.size[1]
    }

    #[inline]
    fn advance(&mut self, drive: &Motion, truth: &mut Measured) {
        self.system.advance(&drive.displacement);
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
        Some(self.model.clone())
    }
}
