//! Servo-hydraulic actuator: spool, orifice flow, oil column, piston with its load.

use super::{Actuator, Axis, Build, Load};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Range, Settings, Values, settings, snapshot,
};

const FLOW: Dimension = Dimension::of(0, 3, -1);
/// m³/(s Pa)
const LEAKAGE: Dimension = Dimension::of(-1, 4, 1);
const VOLUME: Dimension = Dimension::of(0, 3, 0);
const PER_LENGTH: Dimension = Dimension::of(0, -1, 0);

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "servo-hydraulic",
        summary: "servo-valve with orifice flow, oil column, friction and backlash, against the \
            specimen's force; flow and force saturate",
        reference: "Merritt 1967, sections 5-3 and 6-2",
        parameters: ServoHydraulicSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct ServoHydraulicSettings {
        /// valve opening (1 is full) per metre of error of an inner position loop; 0 when a servo
        /// drives the valve
        valve_gain: f64 = number(PER_LENGTH).or("\"150 1/m\"").not_negative(),
        /// natural frequency of the spool
        valve_frequency: f64 = number(Dimension::FREQUENCY).or("\"80 Hz\"").positive(),
        /// damping ratio of the spool
        valve_damping: f64 = number(Dimension::NONE).or("0.8").positive(),
        /// flow of the fully open valve without load
        rated_flow: f64 = number(FLOW).or("\"1e-3 m^3/s\"").positive(),
        /// supply over return pressure
        supply_pressure: f64 = number(Dimension::STRESS).or("\"21 MPa\"").positive(),
        /// piston area
        area: f64 = number(Dimension::AREA).or("\"38 cm^2\"").positive(),
        /// oil under compression in both chambers
        volume: f64 = number(VOLUME).or("\"950 cm^3\"").positive(),
        /// of the oil with its air
        bulk_modulus: f64 = number(Dimension::STRESS).or("\"700 MPa\"").positive(),
        /// flow across the piston per pressure
        leakage: f64 = number(LEAKAGE).or("\"2e-11 m^3/s/Pa\"").not_negative(),
        /// piston and fixture; the specimen's own mass adds to it
        mass: f64 = number(Dimension::MASS).or("\"150 kg\"").positive(),
        /// viscous damping of the piston
        damping: f64 = number(Dimension::DAMPING).or("\"2 kN*s/m\"").not_negative(),
        /// of a spring beside the specimen, such as a hanger
        stiffness: f64 = number(Dimension::STIFFNESS).or("\"0 N/m\"").not_negative(),
        /// Coulomb friction of the seals
        friction: f64 = number(Dimension::FORCE).or("\"0 N\"").not_negative(),
        /// where friction is 76 % of its full value
        friction_velocity: f64 = number(Dimension::VELOCITY).or("\"1 mm/s\"").positive(),
        /// free play between piston and specimen
        backlash: f64 = number(Dimension::LENGTH).or("\"0 mm\"").within(Range::between(0.0, 0.1)),
    }
}

fn build(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn Actuator>, BuildError> {
    let settings = ServoHydraulicSettings::read(values)?;
    let circle = 2.0 * std::f64::consts::PI;
    let (area, volume, bulk, mass) = (
        settings.area,
        settings.volume,
        settings.bulk_modulus,
        settings.mass,
    );
    let (stiffness, damping) = (settings.stiffness, settings.damping);
    let compliance = 4.0 * bulk / volume;
    let valve = circle * settings.valve_frequency;
    let leakage = settings.leakage;
    let (friction, slip) = (settings.friction, settings.friction_velocity);
    // The fastest of the rates must be followed: oil column, spool, leakage, friction near
    // standstill.
    let fastest = ((compliance * area * area + stiffness) / mass)
        .sqrt()
        .max(valve * settings.valve_damping.max(1.0) * 2.0)
        .max(compliance * (leakage + settings.rated_flow / settings.supply_pressure))
        .max((damping + friction / slip) / mass);
    let substeps = substeps(fastest, period).ok_or_else(|| {
        BuildError::new(
            "mass",
            format!(
                "the fastest rate of the actuator, {fastest:.3e} 1/s, needs more than \
                {MOST_SUBSTEPS} sub-steps a period"
            ),
            "raise the rig's rate, the mass or friction_velocity, or lower friction",
        )
    })?;
    Ok(Box::new(ServoHydraulic {
        law: Law {
            gain: settings.valve_gain,
            valve,
            valve_damping: settings.valve_damping,
            flow: settings.rated_flow,
            supply: settings.supply_pressure,
            area,
            compliance,
            leakage,
            mass,
            damping,
            stiffness,
            friction,
            slip,
            load: Load::default(),
        },
        period,
        fastest,
        step: period / f64::from(substeps),
        substeps,
        play: 0.5 * settings.backlash,
        state: [0.0; 5],
        output: [0.0; 3],
    }))
}

const MOST_SUBSTEPS: u32 = 2000;

/// Sub-steps of a period that follow a rate, 1/s.
fn substeps(rate: f64, period: f64) -> Option<u32> {
    let count = (rate * period / 0.25).ceil().max(1.0);
    #[allow(clippy::cast_possible_truncation)] // bounded in the same line
    (count <= f64::from(MOST_SUBSTEPS)).then_some(count as u32)
}

/// States: spool opening and its rate, load pressure (Pa), piston velocity and displacement.
type State = [f64; 5];

#[derive(Clone, Copy, Debug)]
struct Law {
    gain: f64,
    valve: f64,
    valve_damping: f64,
    flow: f64,
    supply: f64,
    area: f64,
    /// 4β/V.
    compliance: f64,
    leakage: f64,
    mass: f64,
    damping: f64,
    stiffness: f64,
    friction: f64,
    slip: f64,
    /// What is known of the specimen.
    load: Load,
}

impl Law {
    /// Rates of the states under a held command and the part of the specimen's force that is not
    /// known beforehand.
    ///
    /// Q = q s √(1 − sgn(s) p/Pₛ) (Merritt Eq. 5-38, rated without load); p' = (4β/V)(Q − A v − L
    /// p); (M + M_s) v' = A p − (c + C_s) v − k x − K_s x_s − rest − F tanh(v/vₛ), x_s the
    /// specimen's displacement.
    #[inline]
    fn rates(
        &self,
        [spool, spool_rate, pressure, v, x]: State,
        command: f64,
        rest: f64,
        play: f64,
    ) -> State {
        let opening = if self.gain > 0.0 {
            self.gain * (command - x)
        } else {
            command
        }
        .clamp(-1.0, 1.0);
        let left = 1.0 - spool.signum() * pressure / self.supply;
        // Beyond the supply pressure the oil flows back through the valve.
        let flow = self.flow * spool * left.abs().sqrt() * left.signum();
        let force = self.area * pressure
            - (self.damping + self.load.damping) * v
            - self.stiffness * x
            - self.load.stiffness * (x - play)
            - rest
            - self.friction * (v / self.slip).tanh();
        [
            spool_rate,
            self.valve * self.valve * (opening - spool)
                - 2.0 * self.valve_damping * self.valve * spool_rate,
            self.compliance * (flow - self.area * v - self.leakage * pressure),
            force / (self.mass + self.load.mass),
            v,
        ]
    }
}

/// The piston of one axis, advanced by Runge–Kutta 4 in sub-steps that follow the oil column.
///
/// What is known of the specimen (M_s, C_s, K_s) is solved with the piston; the rest of its force
/// is held over a period. A loaded specimen stays at the end of the free play that it leans on; the
/// play is gone through where its force is zero.
#[derive(Clone, Debug)]
pub struct ServoHydraulic {
    law: Law,
    period: f64,
    /// Fastest rate of the actuator alone, 1/s.
    fastest: f64,
    step: f64,
    substeps: u32,
    /// Half the free play.
    play: f64,
    state: State,
    output: Axis,
}

snapshot!(ServoHydraulic { state, output });

impl Actuator for ServoHydraulic {
    #[inline]
    fn advance(&mut self, command: Axis) -> Axis {
        self.advance_against(command, self.law.load.force(self.output))
    }

    #[inline]
    fn advance_against(&mut self, command: Axis, force: f64) -> Axis {
        let h = self.step;
        let rest = force - self.law.load.force(self.output);
        // How far the specimen is behind the piston stays as it is over the period.
        let behind = self.state[4] - self.output[0];
        let at =
            |y: &State, k: &State, f: f64| -> State { std::array::from_fn(|i| y[i] + f * k[i]) };
        for _ in 0..self.substeps {
            let y = self.state;
            let rates = |y: State| self.law.rates(y, command[0], rest, behind);
            let k1 = rates(y);
            let k2 = rates(at(&y, &k1, 0.5 * h));
            let k3 = rates(at(&y, &k2, 0.5 * h));
            let k4 = rates(at(&y, &k3, h));
            self.state =
                std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
        let [.., v, x] = self.state;
        let a = self.law.rates(self.state, command[0], rest, behind)[3];
        if self.play == 0.0 {
            self.output = [x, v, a];
            return self.output;
        }
        // Left alone, the specimen goes where its force is zero; the ends of the free play stop it.
        let stiffness = self.law.load.stiffness;
        let free = if stiffness > 0.0 {
            self.output[0] - force / stiffness
        } else {
            self.output[0]
        };
        let (low, high) = (x - self.play, x + self.play);
        self.output = if free > low && free < high {
            [free, 0.0, 0.0]
        } else {
            [free.clamp(low, high), v, a]
        };
        self.output
    }

    fn feels_force(&self) -> bool {
        true
    }

    fn carry(&mut self, load: Load) {
        let mass = self.law.mass + load.mass;
        let rate = (load.stiffness / mass).max(0.0).sqrt() + load.damping.max(0.0) / mass;
        self.law.load = load;
        self.substeps = substeps(self.fastest + rate, self.period).unwrap_or(MOST_SUBSTEPS);
        self.step = self.period / f64::from(self.substeps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::Value;
    use tandem_test_support::{filled_in, larger};

    fn actuator(own: &[(&str, f64)], period: f64) -> Box<dyn Actuator> {
        let own: Vec<_> = own
            .iter()
            .map(|(key, x)| (*key, Value::Number(*x)))
            .collect();
        let values = filled_in(ENTRY.method.parameters, &own);
        build(&values, &Context::of(1, period)).unwrap()
    }

    /// Expected: scipy.integrate.solve_ivp (DOP853, rtol 1e-10) of the same equations, written
    /// anew; a specimen of 2 MN/m and 1.5 kN of friction, command 20 mm for 0.1 s, then −10 mm. The
    /// valve saturates on the way.
    #[test]
    fn the_equations_are_followed() {
        let mut piston = actuator(&[("stiffness", 2e6), ("friction", 1500.0)], 1e-3);
        for i in 1..=300 {
            let command = if i <= 100 { 0.02 } else { -0.01 };
            let [x, v, _] = piston.advance([command, 0.0, 0.0]);
            let expected = match i {
                20 => (0.003_767_391_439_310_181, 0.264_202_287_901_218_86),
                100 => (0.016_603_881_358_829_95, 0.056_906_502_144_971_06),
                150 => (0.002_986_076_395_641_284, -0.252_498_596_460_739_1),
                300 => (-0.009_162_104_269_391_966, -0.001_692_274_354_145_073_4),
                _ => continue,
            };
            assert!((x - expected.0).abs() < 2e-6, "{i}: {x}");
            assert!((v - expected.1).abs() < 2e-3, "{i}: {v}");
        }
    }

    /// The same specimen of 2 MN/m outside: felt as a force of which everything is known, or (at a
    /// short period) nothing.
    #[test]
    fn the_specimen_is_felt() {
        for (known, ticks, tolerance) in [(true, 1, 1e-5), (false, 100, 5e-5)] {
            let period = 1e-3 / f64::from(ticks);
            let mut inside = actuator(&[("stiffness", 2e6), ("friction", 1500.0)], period);
            let mut outside = actuator(&[("friction", 1500.0)], period);
            assert!(outside.feels_force());
            if known {
                outside.carry(Load {
                    stiffness: 2e6,
                    ..Load::default()
                });
            }
            let mut x = 0.0;
            for i in 1..=300 {
                let command = [if i <= 100 { 0.02 } else { -0.01 }, 0.0, 0.0];
                for _ in 0..ticks {
                    let expected = inside.advance(command)[0];
                    x = outside.advance_against(command, 2e6 * x)[0];
                    assert!((x - expected).abs() < tolerance, "{i}: {x} {expected}");
                }
            }
            assert!(x.abs() > 5e-3);
        }
    }

    /// An elastic specimen behind free play: its displacement is that of the piston less half the
    /// play, on both sides, also when the piston turns back under load; it stands still only where
    /// it is free of force.
    #[test]
    fn a_loaded_specimen_leans_on_the_end_of_its_play() {
        let (stiffness, play) = (2e6, 0.5e-3);
        let mut piston = actuator(&[("backlash", 2.0 * play)], 2e-4);
        piston.carry(Load {
            stiffness,
            ..Load::default()
        });
        let (mut x, mut resting) = (0.0, 0);
        for i in 0..30_000 {
            let command = 0.01 * (f64::from(i) * 2e-4 * 3.0).sin();
            let [y, v, _] = piston.advance_against([command, 0.0, 0.0], stiffness * x);
            x = y;
            if x.abs() > 0.1e-3 {
                assert!(v != 0.0, "{i}: {x}");
            } else if v == 0.0 {
                resting += 1;
            }
        }
        assert!(resting > 50, "{resting}");
    }

    /// Fully open and without load the piston runs at rated flow over area; against a rigid
    /// specimen the force ends at supply pressure times area.
    #[test]
    fn speed_and_force_are_limited() {
        let free = [("valve_gain", 0.0), ("leakage", 0.0), ("damping", 0.0)];
        let mut piston = actuator(&free, 1e-3);
        let mut v = 0.0;
        for _ in 0..2000 {
            v = piston.advance([5.0, 0.0, 0.0])[1];
        }
        assert!((v / (1e-3 / 38e-4) - 1.0).abs() < 1e-6, "{v}");
        let stiff = [("valve_gain", 0.0), ("leakage", 0.0), ("stiffness", 1e8)];
        let mut piston = actuator(&stiff, 1e-3);
        let mut x = 0.0;
        for _ in 0..5000 {
            x = piston.advance([1.0, 0.0, 0.0])[0];
        }
        assert!((x * 1e8 / (21e6 * 38e-4) - 1.0).abs() < 0.01, "{x}");
    }

    /// Free play: when the piston turns, the specimen stays until the play is used up.
    #[test]
    fn backlash_is_lost_motion() {
        let mut piston = actuator(&[("backlash", 1e-3)], 1e-3);
        let mut peak = [0.0_f64; 2];
        for i in 0..6000 {
            let command = 0.01 * (f64::from(i) * 1e-3 * 3.0).sin();
            let x = piston.advance([command, 0.0, 0.0])[0];
            let side = usize::from(x < 0.0);
            peak[side] = larger(peak[side], x.abs());
        }
        // The piston reaches ±10 mm (a little less), the specimen half a millimetre less on both
        // sides.
        for p in peak {
            assert!((p - 0.0095).abs() < 1e-4, "{peak:?}");
        }
    }
}
