//! `tandem check`: what can be known of a test before anything moves.

use serde_json::{Value, json};
use tandem_coordinator::ReferenceRun;
use tandem_monitor::stability::{
    InterfaceShares, Partition, Synchronisation, critical_delay_exact, critical_delay_first_order,
    predictive_stability_indicator,
};
use tandem_structure::Structure;
use tandem_structure::modes::{Modes, modes};

use crate::assemble::{Test, assemble};
use crate::plan::Resolved;
use crate::run::RunError;

/// Modes that are looked for.
const MOST_MODES: usize = 20;
/// Above this size the sweep for the exact critical delay would take too long.
const MOST_DOF: usize = 60;
/// Below this (s) no servo-hydraulic transfer system can be relied on to stay, even with compensation. Our own line: the
/// predictive stability indicator is zero there.
const HOPELESS_S: f64 = 1e-3;
/// Below this (s) a compensator is needed that leaves next to nothing.
const HARD_S: f64 = 5e-3;

/// What one actuator will have to do, from the undivided structure; velocity and power in wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Largest displacement, m.
    pub displacement: f64,
    /// Largest velocity, m/s.
    pub velocity: f64,
    /// Largest force, N.
    pub force: f64,
    /// Largest power, W.
    pub power: f64,
    /// Whether the degree of freedom is a rotation: then rad, rad/s and N m.
    pub turns: bool,
}

/// Which delays the loop bears, s of wall time.
#[derive(Clone, Debug)]
pub struct Stability {
    /// The divided structure.
    pub partition: Partition,
    /// From the characteristic roots; none: any delay is stable.
    pub exact: Option<f64>,
    /// From the first-order hybrid equation of motion, the same delay in all modes.
    pub first_order: Option<f64>,
    /// The same with the delay in one mode alone, for every mode.
    pub per_mode: Vec<Option<f64>>,
    /// log₁₀ of the exact critical delay in milliseconds.
    pub indicator: f64,
    /// The specimen's share at the interface.
    pub shares: InterfaceShares,
}

/// A checked test.
pub struct Check {
    /// The test, not started.
    pub test: Test,
    /// Its lowest modes, undivided.
    pub modes: Modes,
    /// Their damping ratios.
    pub damping_ratios: Vec<f64>,
    /// One for every actuator.
    pub demands: Vec<Demand>,
    /// None without a specimen, and for a structure that is too large.
    pub stability: Option<Stability>,
    /// What may go wrong.
    pub warnings: Vec<String>,
    /// What to do about a partition that delays upset easily.
    pub advice: Vec<String>,
}

/// Looks at the test that the plan describes, and rehearses it without a rig.
pub fn check(plan: &Resolved) -> Result<Check, RunError> {
    let refuse = |errors| RunError::Plan(Box::new(plan.refuse(errors)));
    let test = assemble(&plan.values).map_err(refuse)?;
    if test.driver.is_some() {
        let text = "it lives in the program that drives this test; the plan itself is right";
        return Err(RunError::Model(text.to_owned()));
    }
    let found = modes(test.whole.as_ref(), MOST_MODES)
        .map_err(|error| RunError::Model(error.to_string()))?;
    let damping_ratios = found.damping_ratios(test.whole.damping());
    let reference = test.reference().map_err(|error| refuse(vec![error]))?;
    let demands: Vec<Demand> = (0..test.interface.len())
        .map(|actuator| demand(&test, &reference, actuator))
        .collect();
    let stability = stability(&test);
    let mut check = Check {
        warnings: test.warnings.clone(),
        advice: Vec::new(),
        modes: found,
        damping_ratios,
        demands,
        stability,
        test,
    };
    check.compare_with_limits(plan);
    check.advise();
    Ok(check)
}

fn demand(test: &Test, reference: &ReferenceRun, row: usize) -> Demand {
    let (n, dof, slow) = (
        test.specimen.dof,
        reference.dof.max(1),
        1.0 / test.timing.time_scale,
    );
    let at = test.interface[row];
    let rows = reference
        .displacement
        .chunks_exact(dof)
        .zip(reference.velocity.chunks_exact(dof))
        .zip(reference.acceleration.chunks_exact(dof));
    let mut most = Demand {
        turns: test.whole.turns(at),
        ..Demand::default()
    };
    for ((d, v), a) in rows {
        // K x + C v + M a as a test at this time scale would measure it.
        let force: f64 = (0..n)
            .map(|j| {
                let (entry, i) = (row * n + j, test.interface[j]);
                test.specimen.stiffness[entry] * d[i]
                    + slow * test.specimen.damping[entry] * v[i]
                    + slow * slow * test.specimen.mass[entry] * a[i]
            })
            .sum();
        let velocity = slow * v[at];
        most.displacement = most.displacement.max(d[at].abs());
        most.velocity = most.velocity.max(velocity.abs());
        most.force = most.force.max(force.abs());
        most.power = most.power.max((force * velocity).abs());
    }
    most
}

fn stability(test: &Test) -> Option<Stability> {
    let hybrid = test.hybrid.as_ref()?;
    let partition = Partition::of(hybrid.parts().integrator.problem()).ok()?;
    let n = partition.order();
    if n > MOST_DOF {
        return None;
    }
    let wall = |delay: f64| delay * test.timing.time_scale;
    let first_order = |delay: Vec<f64>| {
        let synchronisation = Synchronisation {
            delay,
            ..Synchronisation::uniform(n)
        };
        critical_delay_first_order(&partition, &synchronisation)
            .ok()
            .flatten()
            .map(wall)
    };
    let alone = |mode: usize| (0..n).map(|k| if k == mode { 1.0 } else { 0.0 }).collect();
    let exact = critical_delay_exact(&partition).map(wall);
    Some(Stability {
        exact,
        first_order: first_order(vec![1.0; n]),
        per_mode: (0..n.min(MOST_MODES))
            .map(|k| first_order(alone(k)))
            .collect(),
        indicator: predictive_stability_indicator(exact),
        shares: partition.interface_shares(),
        partition,
    })
}

impl Check {
    /// The demand of an actuator beside its limit, where the plan gives one: key in `[limits]`, value, unit, factor to the
    /// unit that people use, that unit.
    pub fn against_limits(
        demand: &Demand,
    ) -> [(&'static str, f64, &'static str, f64, &'static str); 4] {
        let units = if demand.turns {
            [("rad", "mrad"), ("rad/s", "mrad/s"), ("N*m", "kN*m")]
        } else {
            [("m", "mm"), ("m/s", "mm/s"), ("N", "kN")]
        };
        [
            ("stroke", demand.displacement, units[0].0, 1e3, units[0].1),
            ("velocity", demand.velocity, units[1].0, 1e3, units[1].1),
            ("force", demand.force, units[2].0, 1e-3, units[2].1),
            ("power", demand.power, "W", 1e-3, "kW"),
        ]
    }

    fn compare_with_limits(&mut self, plan: &Resolved) {
        let Some(limits) = plan.values.optional_table("limits") else {
            if !self.demands.is_empty() {
                self.warnings.push("There are no [limits]: nothing but a value that is not finite would stop the test.".to_owned());
            }
            return;
        };
        for (i, demand) in self.demands.iter().enumerate() {
            for (key, value, unit, _, _) in Self::against_limits(demand) {
                if let Some(bound) = limits.optional_number(key).filter(|bound| value > *bound) {
                    self.warnings.push(format!(
                        "Actuator {} will need {value:.4} {unit}; the limit {key} is {bound:.4} {unit}: the test will trip.",
                        i + 1
                    ));
                }
            }
        }
    }

    fn advise(&mut self) {
        let Some(stability) = &self.stability else {
            return;
        };
        let Some(delay) = stability.exact else { return };
        let ms = 1e3 * delay;
        let advice = &mut self.advice;
        if delay <= 0.0 {
            advice.push(
                "This partition is unstable without any delay, or cannot be judged because degrees of freedom of the interface have no mass: give them mass, or leave them out of the interface."
                    .into(),
            );
        } else if delay < HOPELESS_S {
            advice.push(format!(
                "This partition is hopeless in this form: {ms:.3} ms of delay make the loop unstable, and no transfer system with a moving mass stays below that."
            ));
        } else if delay < HARD_S {
            advice.push(format!(
                "This partition is hard: what the compensator leaves of the delay must stay well below {ms:.2} ms."
            ));
        } else {
            return;
        }
        let InterfaceShares { stiffness, mass } = stability.shares;
        if mass >= 0.5 {
            advice.push(format!(
                "The specimen has {:.0} % of the mass at the interface; from 50 % on an arbitrarily small delay is enough. Keep mass in the numerical substructure.",
                100.0 * mass
            ));
        }
        if stiffness > 0.5 {
            advice.push(format!(
                "The specimen has {:.0} % of the stiffness at the interface. Leave a stiffer part numerical, or divide at a degree of freedom that moves less.",
                100.0 * stiffness
            ));
        }
        let lowest = self
            .damping_ratios
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        if lowest < 0.02 {
            advice.push(format!(
                "The critical delay grows in proportion to the damping, and a mode has only {:.2} %: check that it is meant so.",
                100.0 * lowest
            ));
        }
        if self.test.timing.time_scale < 10.0 {
            advice.push(format!(
                "A slower test bears more: at integration.time_scale = {:.0} the critical delay is ten times as long, if the specimen does not depend on velocity.",
                10.0 * self.test.timing.time_scale
            ));
        }
    }

    /// The object of `check --json`.
    pub fn to_json(&self) -> Value {
        let test = &self.test;
        let mut value = json!({
            "name": test.name,
            "dof": test.whole.dof(),
            "structure": test.whole.kind(),
            "frequencies_hz": self.modes.frequencies_hz,
            "damping_ratios": self.damping_ratios,
            "method": test.method,
            "dt_s": test.dt,
            "steps": test.timing.steps,
            "critical_dt_s": test.critical_dt,
            "critical_delay_s": self.stability.as_ref().and_then(|s| s.exact),
            "critical_delay_first_order_s": self.stability.as_ref().and_then(|s| s.first_order),
            "interface": test.interface.iter().map(|dof| dof + 1).collect::<Vec<_>>(),
            "demands": self.demands.iter().map(|d| json!({
                "displacement_m": d.displacement,
                "velocity_m_s": d.velocity,
                "force_n": d.force,
                "power_w": d.power,
            })).collect::<Vec<_>>(),
            "record": { "name": test.record.name, "peak_m_s2": test.record.peak(), "duration_s": test.record.duration() },
            "warnings": self.warnings,
            "advice": self.advice,
        });
        if let Some(reduction) = &test.reduction {
            value["reduction"] = reduction.to_json();
        }
        if let Some(stability) = &self.stability {
            value["critical_delay_per_mode_s"] = json!(stability.per_mode);
            // An infinite indicator is null in JSON: no delay makes the loop unstable.
            value["predictive_stability_indicator"] = json!(stability.indicator);
            value["partition"] = json!({
                "stiffness_share": stability.shares.stiffness,
                "mass_share": stability.shares.mass,
            });
        }
        value
    }
}
