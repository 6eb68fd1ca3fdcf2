//! The settings of the compensators: one rule for all transfer systems, from the fitted lag.

use super::identify::Identified;
use super::systems::System;
use tandem_quantity::{Default, Method, Registry};
use tandem_transfer::compensator;

/// A row of the table: a method, or a variant of one.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    /// Name of the row.
    pub name: &'static str,
    /// The method in the plan.
    pub method: &'static str,
    /// What the plan writes besides what the rule gives.
    own: &'static str,
    /// The rule in words.
    pub rule: &'static str,
}

const fn variant(
    name: &'static str,
    method: &'static str,
    own: &'static str,
    rule: &'static str,
) -> Variant {
    Variant {
        name,
        method,
        own,
        rule,
    }
}

/// The rows, in the order of the methods.
#[rustfmt::skip]
pub(super) const VARIANTS: &[Variant] = &[
    variant("none", "none", "", "as it is"),
    variant("polynomial, order 1", "polynomial", "order = 1", "delay a1/a0 and gain 1/a0 of the \
        fit"),
    variant("polynomial, order 2", "polynomial", "order = 2", "the same"),
    variant("polynomial, order 3", "polynomial", "order = 3", "the same"),
    variant("polynomial, order 4", "polynomial", "order = 4", "the same"),
    variant("inverse-first-order", "inverse-first-order", "", "time constant a1/a0, gain 1/a0"),
    variant("inverse", "inverse", "", "delay a1/a0"),
    variant("inverse, adaptive", "inverse", "adaptive = true", "the same as the first estimate"),
    variant("ats, backward", "ats", "derivative = \"backward\"", "a0, a1, a2 of the fit as start \
        values (ATS-BD)"),
    variant("ats, Lagrange", "ats", "derivative = \"lagrange\"", "the same (ATS-LG)"),
    variant("adaptive-feedforward, order 1", "adaptive-feedforward", "order = 1", "a0, a1 of the \
        fit as start values"),
    variant("adaptive-feedforward, order 2", "adaptive-feedforward", "order = 2", "a0, a1, a2 of \
        the fit"),
    variant("adaptive-feedforward, order 3", "adaptive-feedforward", "order = 3", "a0, a1, a2 of \
        the fit, a3 from zero"),
    variant("recursive-least-squares", "recursive-least-squares", "", "straight line over the \
        delay a1/a0, divided by the gain"),
    variant("model-based", "model-based", "", "second-order lag with the fitted coefficients"),
    variant("pi-phase-lead", "pi-phase-lead", "", "the published gains on the benchmark's own \
        plant; elsewhere Kp 0.3, Ki a third of 1/delay, and a lead of 1/Ki, the lag of that loop"),
    variant("sliding-mode", "sliding-mode", "", "second-order lag with the fitted coefficients"),
    variant("lqg", "lqg", "", "the model of the transfer system itself where it is a rational one \
        (all but `delay`, `servo-hydraulic` and `shaking-table`) with the default weight; else the \
        second-order lag with the fitted coefficients and a tracking weight of (3/delay)². On \
        these three it is no better than `none` or worse: its loop follows late by 2/(w ω⁴)^⅙ or \
        more (w the weight, ω of the lag), which with this weight is most of the delay of the \
        actuator again, and one rule for all cannot ask for more: three times the weight is \
        unstable on `delay`. With the fitted lag instead of its model it is unstable on \
        `transfer-function` as well (docs/transfer-system.md)"),
    variant("adaptive-inverse", "adaptive-inverse", "", "the model of the transfer system itself \
        where it is a rational one with a stable inverse, else (`delay`, `servo-hydraulic`, \
        `shaking-table`, `transfer-matrix`) the second-order lag with the fitted coefficients and \
        an uncertainty of 20 %"),
];

/// The rows, and one for each method that was added and needs no key: with its defaults.
pub(super) fn variants(registry: &Registry) -> Vec<Variant> {
    let known = |method: &&Method| VARIANTS.iter().any(|v| v.method == method.name);
    let whole = |method: &&Method| {
        let mut needed = method.parameters.iter();
        !needed.any(|parameter| matches!(parameter.default, Default::Required))
    };
    let methods = registry.methods(&compensator::SLOT).into_iter();
    let added = methods.filter(|method| !known(method) && whole(method));
    let added = added.map(|method| variant(method.name, method.name, "", "its defaults"));
    VARIANTS.iter().copied().chain(added).collect()
}

/// What a compensator writes into its table for a transfer system with this fit.
pub(super) fn of(variant: &Variant, system: &System, fit: &Identified) -> String {
    let method = variant.method;
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
            let all = [
                format!("{:.5}", fit.a0),
                format!("{:.6}", delay * fit.a0),
                format!("{:.4e}", fit.a2.max(0.0)),
                "0.0".to_owned(),
            ];
            let order = variant.name.chars().last().and_then(|c| c.to_digit(10));
            let count = 1 + order.unwrap_or(1) as usize;
            format!("start = [{}]", all[..count.min(all.len())].join(", "))
        }
        "recursive-least-squares" => {
            let ticks = delay * super::RATE;
            let row = [1.0 + 0.3 * ticks, 0.1 * ticks, -0.1 * ticks, -0.3 * ticks];
            let row: Vec<String> = row.iter().map(|w| format!("{:.5}", w * fit.a0)).collect();
            let rows = vec![format!("[{}]", row.join(", ")); system.axes];
            format!("start = [{}]", rows.join(", "))
        }
        "model-based" | "sliding-mode" => lag,
        "pi-phase-lead" if system.name == "benchmark-single" => String::new(),
        "pi-phase-lead" => {
            let integral = 1.0 / (3.0 * delay);
            let lead = 1.0 + 8570.0 / integral;
            format!(
                "proportional = 0.3\nintegral = \"{integral:.4} Hz\"\nlead = {lead:.4}\n\
                corner = \"8570 Hz\""
            )
        }
        // Actuators that push each other through zeros in the right half plane have no stable
        // inverse.
        "adaptive-inverse" if system.model.is_none() || system.name == "transfer-matrix" => {
            format!("{lag}\nuncertainty = 0.2")
        }
        "adaptive-inverse" | "lqg" if system.model.is_some() => {
            let model = system.model.unwrap_or_default();
            format!("[compensator.plant]\n{model}")
        }
        "lqg" => {
            let weight = (3.0 / delay).powi(2);
            format!("{lag}\ntracking_weight = \"{weight:.4e} 1/s^2\"")
        }
        _ => String::new(),
    };
    format!(
        "[compensator]\nmethod = \"{method}\"\n{}\n{own}",
        variant.own
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule belongs to a compensator that is there. One without a rule is compared with its
    /// defaults, where no key of it is required.
    #[test]
    fn rules_and_compensators_belong_together() {
        let methods = tandem_transfer::compensator::METHODS.iter();
        let names: Vec<_> = methods.map(|entry| entry.method.name).collect();
        for variant in VARIANTS {
            assert!(names.contains(&variant.method), "{}", variant.method);
        }
        let compared = variants(tandem::registry::standard());
        for name in names {
            // One for each actuator is made of the others.
            let is_compared = compared.iter().any(|variant| variant.method == name);
            assert!(is_compared || name == "per-actuator", "{name}");
        }
    }
}
