//! Linear-quadratic-Gaussian tracking control of a plant that is known as a linear system.

use super::model::{Model, model};
use super::{Build, Compensator, SwitchOn};
use crate::riccati::riccati;
use crate::{LinearSystem, SampledLinear};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, Values, settings, snapshot,
};
use tandem_structure::linalg::small::{self, product, transpose};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "lqg",
        summary: "optimal feedback on the estimated states of a plant model and on the integral of \
            the tracking error",
        reference: "Condori Uribe et al. 2023, section 5.3; Chu et al. 2004 (Riccati equation by \
            doubling)",
        parameters: <(LqgSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct LqgSettings {
        model: Model,
        /// weight of the integrated error against the command
        tracking_weight: f64 = number(Dimension::of(0, 0, -2)).or("\"1e8 1/s^2\"").positive(),
        /// intensity at the inputs of the plant
        process_noise: f64 = number(Dimension::NONE).or("1.0").positive(),
        /// intensity at its outputs
        sensor_noise: f64 = number(Dimension::NONE).or("1.0").positive(),
        /// the command answers the measurement of its own tick; false: that of the tick before, as
        /// a controller does that is sampled as it stands
        prompt: bool = boolean().or("true"),
    }
}

fn build(values: &Values, context: &Context<'_>) -> Result<Box<dyn Compensator>, BuildError> {
    let &Context {
        actuators, period, ..
    } = context;
    let settings = LqgSettings::read(values)?;
    // Valve pressures beside metres would cost the Riccati equation half its digits.
    let plant = model(&settings.model, context)?.balanced();
    if plant.d.iter().any(|d| *d != 0.0) {
        return Err(BuildError::new(
            "plant",
            "this plant answers a command in the same instant: a numerator has the order of its \
            denominator",
            "give the controller a model whose numerators are of lower order",
        ));
    }
    let controller = design(
        &plant,
        settings.tracking_weight,
        settings.process_noise,
        settings.sensor_noise,
    )
    .ok_or_else(|| {
        BuildError::new(
            "tracking_weight",
            "the Riccati equation has no stabilising solution for this plant",
            "change the weights, or give a plant whose outputs follow its inputs",
        )
    })?;
    let prompt = settings.prompt;
    if !holds(&plant, &controller, period, prompt) {
        return Err(BuildError::new(
            "tracking_weight",
            format!(
                "at {:.0} ticks a second the loop of this controller and its own model is \
                unstable: it wants to act faster than it may",
                1.0 / period
            ),
            "lower tracking_weight or process_noise, or raise command.rate",
        ));
    }
    // The columns of K that belong to the integrals, inverted; zeros where they cannot be.
    let [size, ..] = controller.size;
    let plant_states = size - actuators;
    let mut gains: Vec<f64> = (0..actuators * actuators)
        .map(|k| -controller.c[k / actuators * size + plant_states + k % actuators])
        .collect();
    let mut reset = vec![0.0; actuators * actuators];
    (0..actuators).for_each(|i| reset[i * actuators + i] = 1.0);
    if !small::solve(&mut gains, &mut reset, actuators, actuators) {
        reset.fill(0.0);
    }
    Ok(Box::new(Lqg {
        controller: controller.sampled(period),
        prompt,
        plant_states,
        reset,
        input: vec![0.0; 2 * actuators],
        proposed: vec![0.0; actuators],
    }))
}

/// The controller as a system: inputs measured and wanted displacements, outputs commands.
///
/// States ẑ (plant) and e (integral of wanted − measured): ẑ' = (A − B K_z − L C) ẑ − B K_e e + L
/// y, e' = t − y, u = −K_z ẑ − K_e e. Further outputs: the estimated displacements C ẑ.
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
    let mut c: Vec<f64> = k.iter().map(|x| -x).collect();
    for i in 0..p {
        c.extend_from_slice(&plant.c[i * n..(i + 1) * n]);
        c.extend(std::iter::repeat_n(0.0, p));
    }
    Some(LinearSystem {
        size: [size, 2 * p, m + p],
        a: ac,
        b: bc,
        c,
        d: vec![0.0; (m + p) * 2 * p],
    })
}

/// Whether errors die out in the sampled loop of a plant and the controller that was designed for
/// it in continuous time.
///
/// At a tick y = C x, z ← Φ_c z + Γ_y y, u = C_c z (where it is not prompt, of z before that), x ←
/// Φ x + Γ u. The loop's matrix is squared until its powers tell.
fn holds(plant: &LinearSystem, controller: &LinearSystem, period: f64, prompt: bool) -> bool {
    let [n, m, p] = plant.size;
    let [nc, inputs, _] = controller.size;
    let (phi, gamma) = plant.held(period);
    let (phi_c, gamma_c) = controller.held(period);
    let measured: Vec<f64> = (0..nc * p)
        .map(|k| gamma_c[k / p * inputs + k % p])
        .collect();
    let from_plant = product(&measured, &plant.c, [nc, p, n]);
    let acts = product(&gamma, &controller.c[..m * nc], [n, m, nc]);
    let (upper, across) = if prompt {
        (
            product(&acts, &from_plant, [n, nc, n]),
            product(&acts, &phi_c, [n, nc, nc]),
        )
    } else {
        (vec![0.0; n * n], acts)
    };
    let size = n + nc;
    let mut power = vec![0.0; size * size];
    for i in 0..n {
        for j in 0..n {
            power[i * size + j] = phi[i * n + j] + upper[i * n + j];
        }
        power[i * size + n..(i + 1) * size].copy_from_slice(&across[i * nc..(i + 1) * nc]);
    }
    for i in 0..nc {
        let row = (n + i) * size;
        power[row..row + n].copy_from_slice(&from_plant[i * n..(i + 1) * n]);
        power[row + n..row + size].copy_from_slice(&phi_c[i * nc..(i + 1) * nc]);
    }
    // ln of the norm of the power: states have all sorts of units, so that only a high power tells
    // growth from scale.
    let mut size_of_power = 0.0;
    for _ in 0..SQUARINGS {
        power = product(&power, &power, [size, size, size]);
        let largest = power.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        size_of_power = 2.0 * size_of_power + largest.ln();
        if !largest.is_finite() || largest == 0.0 {
            return largest == 0.0;
        }
        power.iter_mut().for_each(|x| *x /= largest);
    }
    size_of_power < 0.0
}

/// 2 to this power is a million ticks.
const SQUARINGS: usize = 20;

/// Ports: wanted and measured displacement of all actuators (m) → commands (m). Measured and wanted
/// values are held over the period that ends with this command. Where another command is sent than
/// the one proposed, the integrals are moved so that the controller would have proposed that one:
/// nothing winds up, and it takes over without a bump.
#[derive(Clone, Debug)]
pub struct Lqg {
    controller: SampledLinear,
    prompt: bool,
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
        if self.prompt {
            self.controller.advance(&self.input);
        }
        for i in 0..n {
            command.displacement[i] = self.controller.output(i);
        }
        if !self.prompt {
            self.controller.advance(&self.input);
        }
        self.proposed.copy_from_slice(&command.displacement);
        command.velocity.copy_from_slice(&wanted.velocity);
        command.acceleration.copy_from_slice(&wanted.acceleration);
    }

    /// The filter's, from the measurements up to the last tick: without the noise of this one.
    #[inline]
    fn estimate(&self, measured: &[f64], estimate: &mut [f64]) {
        for (i, x) in estimate.iter_mut().enumerate().take(measured.len()) {
            *x = self.controller.output(measured.len() + i);
        }
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
