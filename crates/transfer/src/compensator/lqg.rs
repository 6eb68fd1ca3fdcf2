//! Linear-quadratic-Gaussian tracking control of a plant that is known as a linear system.

use super::{Build, Compensator};
use crate::dense::{self, transpose};
use crate::linear_system::product;
use crate::plant;
use crate::riccati::riccati;
use crate::{LinearSystem, SampledLinear, StateSpace};
use tandem_quantity::{
    BuildError, Dimension, Entry, Kind, Method, Motion, Parameter, Values, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "lqg",
        summary: "optimal feedback on the estimated states of a plant model and on the integral of the tracking error",
        reference: "Condori Uribe et al. 2023, section 5.3; Chu et al. 2004 (Riccati equation by doubling)",
        parameters: &compensator_parameters![
            Parameter::of(
                "plant",
                Kind::Slot(&plant::SLOT),
                "model of all actuators; default: a second-order lag for each",
            )
            .optional(),
            Parameter::number("frequency", Dimension::FREQUENCY, "of the second-order lag")
                .or("\"18 Hz\"")
                .positive(),
            Parameter::number("damping", Dimension::NONE, "of the second-order lag")
                .or("0.7")
                .positive(),
            Parameter::number("gain", Dimension::NONE, "of the second-order lag")
                .or("1.0")
                .positive(),
            Parameter::number(
                "tracking_weight",
                Dimension::of(0, 0, -2),
                "weight of the integrated error against the command",
            )
            .or("\"1e8 1/s^2\"")
            .positive(),
            Parameter::number(
                "process_noise",
                Dimension::NONE,
                "intensity at the inputs of the plant",
            )
            .or("1.0")
            .positive(),
            Parameter::number("sensor_noise", Dimension::NONE, "intensity at its outputs")
                .or("1.0")
                .positive(),
        ],
    },
    build,
};

fn model(values: &Values, actuators: usize, period: f64) -> Result<LinearSystem, BuildError> {
    if let Some(table) = values.optional_table("plant") {
        let entry = Entry::find(plant::METHODS, table.text("kind")?).ok_or_else(|| {
            BuildError::new("plant.kind", "unknown plant", "see `tandem methods`")
        })?;
        let plant = (entry.build)(table, actuators, period).map_err(|e| e.within("plant"))?;
        let linear = plant.linear().ok_or_else(|| {
            BuildError::new(
                "plant.kind",
                "this plant has no linear model",
                "choose a linear plant, or give frequency and damping",
            )
        })?;
        if linear.d.iter().any(|d| *d != 0.0) {
            return Err(BuildError::new(
                "plant",
                "this plant answers a command in the same instant: a numerator has the order of its denominator",
                "give the controller a model whose numerators are of lower order",
            ));
        }
        return Ok(linear);
    }
    let w = 2.0 * std::f64::consts::PI * values.number("frequency")?;
    let (zeta, gain) = (values.number("damping")?, values.number("gain")?);
    let one = StateSpace::from_transfer_function(&[gain * w * w], &[1.0, 2.0 * zeta * w, w * w])
        .map_err(|e| BuildError::new("frequency", e.to_string(), "give positive values"))?;
    let n = 2 * actuators;
    let mut system = LinearSystem {
        size: [n, actuators, actuators],
        a: vec![0.0; n * n],
        b: vec![0.0; n * actuators],
        c: vec![0.0; actuators * n],
        d: vec![0.0; actuators * actuators],
    };
    for i in 0..actuators {
        for r in 0..2 {
            for s in 0..2 {
                system.a[(2 * i + r) * n + 2 * i + s] = one.a[2 * r + s];
            }
            system.b[(2 * i + r) * actuators + i] = one.b[r];
            system.c[i * n + 2 * i + r] = one.c[r];
        }
    }
    Ok(system)
}

fn build(
    values: &Values,
    actuators: usize,
    period: f64,
) -> Result<Box<dyn Compensator>, BuildError> {
    let plant = model(values, actuators, period)?;
    let controller = design(
        &plant,
        values.number("tracking_weight")?,
        values.number("process_noise")?,
        values.number("sensor_noise")?,
    )
    .ok_or_else(|| {
        BuildError::new(
            "tracking_weight",
            "the Riccati equation has no stabilising solution for this plant",
            "change the weights, or give a plant whose outputs follow its inputs",
        )
    })?;
    // The columns of K that belong to the integrals, inverted; zeros where they cannot be.
    let [size, ..] = controller.size;
    let plant_states = size - actuators;
    let mut gains: Vec<f64> = (0..actuators * actuators)
        .map(|k| -controller.c[k / actuators * size + plant_states + k % actuators])
        .collect();
    let mut reset = vec![0.0; actuators * actuators];
    (0..actuators).for_each(|i| reset[i * actuators + i] = 1.0);
    if !dense::solve(&mut gains, &mut reset, actuators, actuators) {
        reset.fill(0.0);
    }
    Ok(Box::new(Lqg {
        controller: controller.sampled(period),
        plant_states,
        reset,
        input: vec![0.0; 2 * actuators],
        proposed: vec![0.0; actuators],
    }))
}

/// The controller as a system: inputs measured and wanted displacements, outputs commands.
///
/// States ẑ (plant) and e (integral of wanted − measured): ẑ' = (A − B K_z − L C) ẑ − B K_e e + L y, e' = t − y,
/// u = −K_z ẑ − K_e e.
fn design(plant: &LinearSystem, weight: f64, process: f64, sensor: f64) -> Option<LinearSystem> {
    let [n, m, p] = plant.size;
    let size = n + p;
    // Plant with the integral of −C z beside it.
    let mut a = vec![0.0; size * size];
    let mut b = vec![0.0; size * m];
    for i in 0..n {
        a[i * size..i * size + n].copy_from_slice(&plant.a[i * n..(i + 1) * n]);
        b[i * m..(i + 1) * m].copy_from_slice(&plant.b[i * m..(i + 1) * m]);
    }
    for i in 0..p {
        for j in 0..n {
            a[(n + i) * size + j] = -plant.c[i * n + j];
        }
    }
    let mut q = vec![0.0; size * size];
    for i in n..size {
        q[i * size + i] = weight;
    }
    let bt = transpose(&b, size, m);
    let x = riccati(&a, &product(&b, &bt, [size, m, size]), &q, size)?;
    let k = product(&bt, &x, [m, size, size]);
    // The estimator is the same problem on its side: A', C', B W B'.
    let ct = transpose(&plant.c, p, n);
    let noise: Vec<f64> = product(&plant.b, &transpose(&plant.b, n, m), [n, m, n])
        .iter()
        .map(|x| process * x)
        .collect();
    let gain: Vec<f64> = product(&ct, &plant.c, [n, p, n])
        .iter()
        .map(|x| x / sensor)
        .collect();
    let y = riccati(&transpose(&plant.a, n, n), &gain, &noise, n)?;
    let l: Vec<f64> = product(&y, &ct, [n, n, p])
        .iter()
        .map(|x| x / sensor)
        .collect();
    let mut ac = vec![0.0; size * size];
    let mut bc = vec![0.0; size * 2 * p];
    let bk = product(&plant.b, &k, [n, m, size]);
    let lc = product(&l, &plant.c, [n, p, n]);
    for i in 0..n {
        for j in 0..size {
            ac[i * size + j] = -bk[i * size + j];
            if j < n {
                ac[i * size + j] += plant.a[i * n + j] - lc[i * n + j];
            }
        }
        bc[i * 2 * p..i * 2 * p + p].copy_from_slice(&l[i * p..(i + 1) * p]);
    }
    for i in 0..p {
        bc[(n + i) * 2 * p + i] = -1.0;
        bc[(n + i) * 2 * p + p + i] = 1.0;
    }
    Some(LinearSystem {
        size: [size, 2 * p, m],
        a: ac,
        b: bc,
        c: k.iter().map(|x| -x).collect(),
        d: vec![0.0; m * 2 * p],
    })
}

/// Ports: wanted and measured displacement of all actuators (m) → commands (m). Measured and wanted values are held over the
/// period that ends with this command. Where another command is sent than the one proposed, the integrals are moved so that the
/// controller would have proposed that one: nothing winds up, and it takes over without a bump.
#[derive(Clone, Debug)]
pub struct Lqg {
    controller: SampledLinear,
    plant_states: usize,
    /// Inverse of K_e: from commands to integrals.
    reset: Vec<f64>,
    input: Vec<f64>,
    proposed: Vec<f64>,
}

snapshot!(Lqg {
    controller,
    proposed
});

impl Compensator for Lqg {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        let n = wanted.len();
        self.input[..n].copy_from_slice(&measured.displacement);
        self.input[n..].copy_from_slice(&wanted.displacement);
        self.controller.advance(&self.input);
        for i in 0..n {
            command.displacement[i] = self.controller.output(i);
        }
        self.proposed.copy_from_slice(&command.displacement);
        command.velocity.copy_from_slice(&wanted.velocity);
        command.acceleration.copy_from_slice(&wanted.acceleration);
    }

    #[inline]
    fn sent(&mut self, command: &Motion) {
        let n = command.len();
        for j in 0..n {
            let by: f64 = (0..n)
                .map(|i| self.reset[j * n + i] * (self.proposed[i] - command.displacement[i]))
                .sum();
            if by != 0.0 && by.is_finite() {
                self.controller.shift_state(self.plant_states + j, by);
            }
        }
    }
}
