//! Uniaxial shaking table: servo-valve, actuator, table and a payload that swings on it.

use super::{Actuator, Axis, Build, Load};
use crate::{LinearSystem, SampledLinear};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Settings, Values, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "shaking-table",
        summary: "table on a servo-valve and an oil column with a payload that swings on it \
            (control–structure interaction), linear",
        reference: "Conte and Trombetti 2000; Tekeste, Correia and Costa 2025, section 2.6 (a \
            table in parallel with an actuator)",
        parameters: ShakingTableSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct ShakingTableSettings {
        /// velocity of the table per metre of error of its own position loop, 1/s; 0 when a servo
        /// drives the valve
        loop_gain: f64 = number(Dimension::FREQUENCY).or("\"50 Hz\"").not_negative(),
        /// natural frequency of the valve
        valve_frequency: f64 = number(Dimension::FREQUENCY).or("\"80 Hz\"").positive(),
        /// damping ratio of the valve
        valve_damping: f64 = number(Dimension::NONE).or("0.8").positive(),
        /// of the oil column, 4 β A²/V
        oil_stiffness: f64 = number(Dimension::STIFFNESS).or("\"60 MN/m\"").positive(),
        /// velocity lost through leakage per force of the actuator
        leakage: f64 = number(Dimension::of(-1, 0, 1)).or("\"2.5e-6 m/s/N\"").not_negative(),
        /// of the table, with what is fixed on it
        mass: f64 = number(Dimension::MASS).or("\"600 kg\"").positive(),
        /// of its guides
        damping: f64 = number(Dimension::DAMPING).or("\"2 kN*s/m\"").not_negative(),
        /// of a structure that swings on the table; default: none
        payload_mass: f64 = number(Dimension::MASS).or("\"0 kg\"").not_negative(),
        /// of that structure on a fixed base
        payload_frequency: f64 = number(Dimension::FREQUENCY).or("\"4 Hz\"").positive(),
        /// its damping ratio
        payload_damping: f64 = number(Dimension::NONE).or("0.02").not_negative(),
    }
}

/// Numbers of the model.
#[derive(Clone, Copy, Debug)]
struct Law {
    gain: f64,
    valve: f64,
    valve_damping: f64,
    oil: f64,
    leakage: f64,
    mass: f64,
    damping: f64,
    payload: [f64; 3],
}

fn build(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn Actuator>, BuildError> {
    let settings = ShakingTableSettings::read(values)?;
    let circle = 2.0 * std::f64::consts::PI;
    let w = circle * settings.payload_frequency;
    let payload = settings.payload_mass;
    let law = Law {
        gain: settings.loop_gain,
        valve: circle * settings.valve_frequency,
        valve_damping: settings.valve_damping,
        oil: settings.oil_stiffness,
        leakage: settings.leakage,
        mass: settings.mass,
        damping: settings.damping,
        payload: [
            payload,
            2.0 * settings.payload_damping * w * payload,
            w * w * payload,
        ],
    };
    if law.gain > 0.0 && !crate::StateSpace::from(&law).is_stable() {
        return Err(BuildError::new(
            "loop_gain",
            format!(
                "the position loop of the table is unstable with {} 1/s",
                law.gain
            ),
            "lower loop_gain, raise leakage or damping, or set it to 0 and give the table a servo",
        ));
    }
    Ok(Box::new(ShakingTable {
        system: law.system(Load::default()).sampled(period),
        law,
        period,
        load: Load::default(),
        output: [0.0; 3],
    }))
}

impl From<&Law> for crate::StateSpace {
    fn from(law: &Law) -> Self {
        let system = law.system(Load::default());
        let n = system.size[0];
        Self {
            b: (0..n).map(|i| system.b[2 * i]).collect(),
            c: system.c[..n].to_vec(),
            d: 0.0,
            a: system.a,
        }
    }
}

impl Law {
    /// States: flow of the valve as a velocity (m/s) and its rate, compression of the oil column
    /// (m), velocity and displacement of the table, velocity and displacement of the payload
    /// relative to it. Inputs: command (m; m/s of flow without position loop), force of the
    /// specimen beyond what is known (N). Outputs: displacement, velocity, acceleration of the
    /// table.
    ///
    /// q'' + 2ζω q' + ω² q = ω² g (u − x);  z' = q − v − L k_oil z;  (M + M_s) v' = k_oil z − (c +
    /// C_s) v − K_s x + c_p ẏ + k_p y − r; ÿ = −v' − (c_p ẏ + k_p y)/m_p.
    fn system(&self, load: Load) -> LinearSystem {
        const N: usize = 7;
        let mut a = vec![0.0; N * N];
        let mut b = vec![0.0; N * 2];
        let square = self.valve * self.valve;
        let own = if self.gain > 0.0 { self.gain } else { 1.0 };
        a[1] = 1.0;
        a[N] = -square;
        a[N + 1] = -2.0 * self.valve_damping * self.valve;
        if self.gain > 0.0 {
            a[N + 4] = -square * own;
        }
        b[2] = square * own;
        a[2 * N] = 1.0;
        a[2 * N + 2] = -self.oil * self.leakage;
        a[2 * N + 3] = -1.0;
        let moving = 1.0 / (self.mass + load.mass);
        let [payload, damping, stiffness] = self.payload;
        a[3 * N + 2] = moving * self.oil;
        a[3 * N + 3] = -moving * (self.damping + load.damping);
        a[3 * N + 4] = -moving * load.stiffness;
        a[3 * N + 5] = moving * damping;
        a[3 * N + 6] = moving * stiffness;
        b[3 * 2 + 1] = -moving;
        a[4 * N + 3] = 1.0;
        if payload > 0.0 {
            for j in 0..N {
                a[5 * N + j] = -a[3 * N + j];
            }
            a[5 * N + 5] -= damping / payload;
            a[5 * N + 6] -= stiffness / payload;
            b[5 * 2 + 1] = moving;
            a[6 * N + 5] = 1.0;
        } else {
            // Nothing swings: the two states stay at zero.
            a[5 * N + 5] = -1.0;
            a[6 * N + 6] = -1.0;
            a[3 * N + 5] = 0.0;
            a[3 * N + 6] = 0.0;
        }
        let mut c = vec![0.0; 3 * N];
        c[4] = 1.0;
        c[N + 3] = 1.0;
        c[2 * N..].copy_from_slice(&a[3 * N..4 * N]);
        LinearSystem {
            size: [N, 2, 3],
            a,
            b,
            c,
            d: vec![0.0, 0.0, 0.0, 0.0, 0.0, -moving],
        }
    }
}

/// A table that is a linear system, exact for held commands; what is not known of the specimen's
/// force is held too.
#[derive(Clone, Debug)]
struct ShakingTable {
    law: Law,
    system: SampledLinear,
    period: f64,
    load: Load,
    output: Axis,
}

snapshot!(ShakingTable { system, output });

impl Actuator for ShakingTable {
    #[inline]
    fn advance(&mut self, command: Axis) -> Axis {
        self.advance_against(command, self.load.force(self.output))
    }

    #[inline]
    fn advance_against(&mut self, command: Axis, force: f64) -> Axis {
        let rest = force - self.load.force(self.output);
        self.system.advance(&[command[0], rest]);
        self.output = std::array::from_fn(|k| self.system.output(k));
        self.output
    }

    fn feels_force(&self) -> bool {
        true
    }

    fn carry(&mut self, load: Load) {
        self.load = load;
        self.system = self.law.system(load).sampled(self.period);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::Value;
    use tandem_test_support::{filled_in, larger};

    fn table(own: &[(&str, f64)], period: f64) -> Result<Box<dyn Actuator>, BuildError> {
        let own: Vec<_> = own
            .iter()
            .map(|(key, x)| (*key, Value::Number(*x)))
            .collect();
        let values = filled_in(ENTRY.method.parameters, &own);
        build(&values, &Context::of(1, period))
    }

    /// Amplitude of the table under a sine of amplitude one.
    #[allow(clippy::cast_possible_truncation)] // some ten thousand ticks
    fn amplitude(own: &[(&str, f64)], frequency: f64) -> f64 {
        let period = 1e-4;
        let mut table = table(own, period).unwrap();
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        let cycles = (12.0 / (frequency * period)) as u32;
        let w = 2.0 * std::f64::consts::PI * frequency;
        for k in 0..(4.0 / period) as u32 + cycles {
            let x = table.advance([(w * f64::from(k) * period).sin(), 0.0, 0.0])[0];
            if k > (4.0 / period) as u32 {
                (low, high) = (low.min(x), larger(high, x));
            }
        }
        0.5 * (high - low)
    }

    /// Conte and Trombetti 2000: at the payload's frequency on a fixed base the table is held back
    /// (the payload takes all the force that the actuator gives), a little above it is carried
    /// along.
    #[test]
    fn the_payload_acts_on_the_table() {
        let alone = [("payload_mass", 0.0)];
        let loaded = [
            ("payload_mass", 600.0),
            ("payload_frequency", 8.0),
            ("payload_damping", 0.005),
            ("leakage", 2e-5),
        ];
        assert!((amplitude(&alone, 1.0) - 1.0).abs() < 0.02);
        let (below, at) = (amplitude(&loaded, 2.0), amplitude(&loaded, 8.0));
        assert!(at < 0.6 * below, "{below} {at}");
        // Expected: C (iω − A)⁻¹ B by numpy.
        assert!((at - 0.016_204).abs() < 3e-3, "{at}");
        // Two degrees of freedom: the pair swings at √(1 + m/M) times the fixed-base frequency,
        // where the table is not held.
        let pair = amplitude(&loaded, 8.0 * 2.0_f64.sqrt());
        assert!(pair > 1.5 * at, "{at} {pair}");
    }

    /// A specimen that is known and one that is only felt move the table alike.
    #[test]
    fn the_specimen_is_felt() {
        let load = Load {
            stiffness: 4e6,
            damping: 1e3,
            mass: 50.0,
        };
        let mut known = table(&[], 1e-4).unwrap();
        let mut partly = table(&[], 1e-4).unwrap();
        let mut free = table(&[], 1e-4).unwrap();
        known.carry(load);
        partly.carry(Load {
            stiffness: 0.0,
            ..load
        });
        let mut at = [[0.0; 3]; 2];
        let mut alone = 0.0;
        for k in 0..4000 {
            let command = [0.01 * (f64::from(k) * 1e-4 * 12.0).sin(), 0.0, 0.0];
            at[0] = known.advance_against(command, load.force(at[0]));
            at[1] = partly.advance_against(command, load.force(at[1]));
            alone = free.advance(command)[0];
            assert!((at[0][0] - at[1][0]).abs() < 2e-5, "{k}: {at:?}");
        }
        assert!((at[0][0] - alone).abs() > 1e-4, "{at:?} {alone}");
    }

    /// Expected: scipy.signal.cont2discrete of the same equations, written anew, payload 200 kg at
    /// 5 Hz, 1024 Hz; the command jumps between 1 mm (60 samples of a hundred) and −0.5 mm.
    #[test]
    fn the_table_is_sampled_exactly() {
        let own = [("payload_mass", 200.0), ("payload_frequency", 5.0)];
        let mut table = table(&own, 1.0 / 1024.0).unwrap();
        for k in 1..=400 {
            let command = if k % 100 < 60 { 0.001 } else { -0.0005 };
            let got = table.advance([command, 0.0, 0.0]);
            let expected = match k {
                50 => [
                    0.000_943_555_905_952_715_6,
                    0.000_191_000_785_680_053_8,
                    0.004_301_403_238_906_765,
                ],
                400 => [
                    -0.000_372_759_589_469_680_44,
                    -0.015_850_040_628_508_467,
                    2.947_014_040_689_659_4,
                ],
                _ => continue,
            };
            for (i, scale) in [1e-3, 0.1, 10.0].into_iter().enumerate() {
                assert!((got[i] - expected[i]).abs() < 1e-11 * scale, "{k}: {got:?}");
            }
        }
    }

    #[test]
    fn an_unstable_position_loop_is_refused() {
        assert_eq!(
            table(&[("loop_gain", 5000.0)], 1e-3)
                .map(|_| ())
                .unwrap_err()
                .key,
            "loop_gain"
        );
    }
}
