//! The settings of the compensators: one rule for all transfer systems, from the fitted lag.

use super::identify::Identified;
use super::systems::System;

/// The rules in words, by compensator.
pub(super) const RULES: &[(&str, &str)] = &[
    ("none", "as it is"),
    (
        "polynomial",
        "delay a1/a0 and gain 1/a0 of the fit, order 3",
    ),
    ("inverse-first-order", "time constant a1/a0, gain 1/a0"),
    ("inverse", "delay a1/a0"),
    ("ats", "a0, a1, a2 of the fit as start values"),
    ("adaptive-feedforward", "a0, a1 of the fit as start values"),
    (
        "recursive-least-squares",
        "straight line over the delay a1/a0, divided by the gain",
    ),
    (
        "model-based",
        "second-order lag with the fitted coefficients",
    ),
    (
        "pi-phase-lead",
        "the published gains on the benchmark's own plant; elsewhere Kp 0.3, Ki a third of 1/delay, and a lead of 1/Ki, the lag of that loop",
    ),
    (
        "sliding-mode",
        "second-order lag with the fitted coefficients",
    ),
    (
        "lqg",
        "the plant's own model where the axes act on each other, else second-order lag with the fitted coefficients and a tracking weight of (3/delay)²",
    ),
];

/// What a compensator writes into its table for a transfer system with this fit.
pub(super) fn of(method: &str, system: &System, fit: &Identified) -> String {
    let delay = fit.delay();
    let gain = fit.gain();
    let (frequency, damping) = fit.second_order();
    let lag =
        format!("frequency = \"{frequency:.4} Hz\"\ndamping = {damping:.4}\ngain = {gain:.5}");
    let own = match method {
        "polynomial" => format!("delay = \"{delay:.6} s\"\ngain = {gain:.5}"),
        "inverse-first-order" => format!("time_constant = \"{delay:.6} s\"\ngain = {gain:.5}"),
        "inverse" => format!("delay = \"{delay:.6} s\""),
        "ats" => format!(
            "a0 = {:.5}\na1 = \"{:.6} s\"\na2 = \"{:.4e} s^2\"",
            fit.a0,
            delay * fit.a0,
            fit.a2.max(0.0)
        ),
        "adaptive-feedforward" => {
            format!("start = [{:.5}, {:.6}]", fit.a0, delay * fit.a0)
        }
        "recursive-least-squares" => {
            let ticks = delay * super::RATE;
            let row = [1.0 + 0.3 * ticks, 0.1 * ticks, -0.1 * ticks, -0.3 * ticks];
            let row: Vec<String> = row.iter().map(|w| format!("{:.5}", w * fit.a0)).collect();
            let rows = vec![format!("[{}]", row.join(", ")); system.axes];
            format!("start = [{}]", rows.join(", "))
        }
        "model-based" | "sliding-mode" => lag,
        "pi-phase-lead" if system.plant == Some("benchmark-single") => String::new(),
        "pi-phase-lead" => {
            let integral = 1.0 / (3.0 * delay);
            let lead = 1.0 + 8570.0 / integral;
            format!(
                "proportional = 0.3\nintegral = \"{integral:.4} Hz\"\nlead = {lead:.4}\ncorner = \"8570 Hz\""
            )
        }
        "lqg" if system.axes > 1 => {
            let plant = system.plant.unwrap_or_default();
            format!("[compensator.plant]\nkind = \"{plant}\"")
        }
        "lqg" => {
            let weight = (3.0 / delay).powi(2);
            format!("{lag}\ntracking_weight = \"{weight:.4e} 1/s^2\"")
        }
        _ => String::new(),
    };
    format!("[compensator]\nmethod = \"{method}\"\n{own}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new compensator must have its rule.
    #[test]
    fn every_compensator_has_a_rule() {
        for entry in tandem_transfer::compensator::METHODS {
            let name = entry.method.name;
            assert!(RULES.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}
