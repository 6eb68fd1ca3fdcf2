//! Is a declaration itself in order? For tests of the tables that methods declare.

use tandem_quantity::{Default, Kind, Parameter, Range, Slot};

use super::check::Checker;
use super::node::{Table, parse_default};
use super::refusal::Findings;
use super::shape::{Seen, Shape};
use super::source::Texts;

/// Mistakes in a declared table: keys given twice, defaults that do not pass their own checks, unknown default
/// methods, empty descriptions, empty ranges. Empty when all is well.
pub fn audit(root: &'static [Parameter]) -> Vec<String> {
    let mut mistakes = Vec::new();
    keys(root, "", &mut mistakes, &mut Seen::default());
    mistakes
}

fn keys(declared: &'static [Parameter], path: &str, mistakes: &mut Vec<String>, seen: &mut Seen) {
    for (i, parameter) in declared.iter().enumerate() {
        let here = if path.is_empty() {
            parameter.key.to_owned()
        } else {
            format!("{path}.{}", parameter.key)
        };
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if parameter.key.is_empty() || !parameter.key.chars().all(bare) {
            mistakes.push(format!("{here}: the key needs quotes in TOML"));
        }
        if declared.iter().take(i).any(|p| p.key == parameter.key) {
            mistakes.push(format!("{here}: declared twice"));
        }
        if parameter.doc.trim().is_empty() {
            mistakes.push(format!("{here}: no description"));
        }
        let Range { min, max, .. } = parameter.range;
        if !matches!(
            min.partial_cmp(&max),
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
        ) {
            mistakes.push(format!("{here}: the range from {min} to {max} is empty"));
        }
        if let Kind::Choice([]) = parameter.kind {
            mistakes.push(format!("{here}: a choice without words"));
        }
        if let Default::Is(text) = parameter.default {
            default(parameter, text, &here, mistakes);
        }
        match Shape::of(Some(parameter.kind)) {
            Shape::Keys(below) => keys(below, &here, mistakes, seen),
            Shape::Slot(slot) if seen.first(slot) => methods(slot, &here, mistakes, seen),
            Shape::Slot(_) | Shape::Unknown => {}
        }
    }
}

fn methods(slot: &'static Slot, path: &str, mistakes: &mut Vec<String>, seen: &mut Seen) {
    let list = (slot.methods)();
    if let Some(default) = slot.default
        && !list.iter().any(|m| m.name == default)
    {
        mistakes.push(format!(
            "{path}: the default {} `{default}` is not listed",
            slot.selector
        ));
    }
    for (i, method) in list.iter().enumerate() {
        if list.iter().take(i).any(|m| m.name == method.name) {
            mistakes.push(format!(
                "{path}: {} `{}` is listed twice",
                slot.selector, method.name
            ));
        }
        if method.parameters.iter().any(|p| p.key == slot.selector) {
            mistakes.push(format!(
                "{path}: {} `{}` declares the selector as a key",
                slot.selector, method.name
            ));
        }
        keys(
            method.parameters,
            &format!("{path}({})", method.name),
            mistakes,
            seen,
        );
    }
}

/// A default must pass the checks of its own key; keys inside a default table may still be required.
fn default(parameter: &'static Parameter, text: &str, path: &str, mistakes: &mut Vec<String>) {
    let texts = Texts::default();
    let mut findings = Findings::default();
    let tree = Table::from([(parameter.key.to_owned(), parse_default(text))]);
    Checker::new(std::slice::from_ref(parameter), &texts, &mut findings).plan(&tree);
    for problem in findings.refuse(&texts).problems() {
        mistakes.push(format!(
            "{path}: the default {text} is refused: {}",
            problem.message
        ));
    }
}
