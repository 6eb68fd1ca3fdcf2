//! Is a declaration itself in order? For tests of the tables that methods declare.

use tandem_quantity::{Default, Parameter, Range, Registry, Slot, ValueKind};

use super::check::Checker;
use super::node::{Table, parse_default};
use super::refusal::Findings;
use super::shape::{Form, Seen};
use super::source::Texts;

/// Mistakes in a declared table: keys given twice, defaults that do not pass their own checks,
/// unknown default methods, empty descriptions, empty ranges. Empty when all is well.
pub fn audit(root: &[Parameter], registry: &Registry) -> Vec<String> {
    let mut audit = Audit {
        registry,
        mistakes: Vec::new(),
        seen: Seen::default(),
    };
    audit.keys(root, "");
    audit.mistakes
}

struct Audit<'a> {
    registry: &'a Registry,
    mistakes: Vec<String>,
    seen: Seen,
}

impl Audit<'_> {
    fn keys(&mut self, declared: &[Parameter], path: &str) {
        for (i, parameter) in declared.iter().enumerate() {
            let here = if path.is_empty() {
                parameter.key.to_owned()
            } else {
                format!("{path}.{}", parameter.key)
            };
            let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if parameter.key.is_empty() || !parameter.key.chars().all(bare) {
                self.mistakes
                    .push(format!("{here}: the key needs quotes in TOML"));
            }
            if declared.iter().take(i).any(|p| p.key == parameter.key) {
                self.mistakes.push(format!("{here}: declared twice"));
            }
            if parameter.doc.trim().is_empty() {
                self.mistakes.push(format!("{here}: no description"));
            }
            let Range { min, max, .. } = parameter.range;
            if !matches!(
                min.partial_cmp(&max),
                Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
            ) {
                self.mistakes
                    .push(format!("{here}: the range from {min} to {max} is empty"));
            }
            if let ValueKind::Choice([]) = parameter.kind {
                self.mistakes
                    .push(format!("{here}: a choice without words"));
            }
            if let Default::Is(text) = parameter.default {
                self.default(parameter, text, &here);
            }
            match Form::of(Some(parameter.kind)) {
                Form::Keys(below) => self.keys(below, &here),
                Form::Open(slot) => self.keys(&self.registry.keys(slot), &here),
                Form::Slot(slot) if self.seen.first(slot) => self.methods(slot, &here),
                Form::Slot(_) | Form::Unknown => {}
            }
        }
    }

    fn methods(&mut self, slot: &dyn Slot, path: &str) {
        let list = self.registry.methods(slot);
        if let Some(default) = slot.default()
            && !list.iter().any(|m| m.name == default)
        {
            self.mistakes.push(format!(
                "{path}: the default {} `{default}` is not listed",
                slot.selector()
            ));
        }
        for (i, method) in list.iter().enumerate() {
            if list.iter().take(i).any(|m| m.name == method.name) {
                self.mistakes.push(format!(
                    "{path}: {} `{}` is listed twice",
                    slot.selector(),
                    method.name
                ));
            }
            if method.parameters.iter().any(|p| p.key == slot.selector()) {
                self.mistakes.push(format!(
                    "{path}: {} `{}` declares the selector as a key",
                    slot.selector(),
                    method.name
                ));
            }
            self.keys(method.parameters, &format!("{path}({})", method.name));
        }
    }

    /// A default must pass the checks of its own key; keys inside a default table may still be
    /// required.
    fn default(&mut self, parameter: &Parameter, text: &str, path: &str) {
        let root = std::slice::from_ref(parameter);
        let texts = Texts::default();
        let mut findings = Findings::default();
        let tree = Table::from([(parameter.key.to_owned(), parse_default(text))]);
        Checker::new(root, self.registry, &texts, &mut findings).plan(&tree);
        for problem in findings.refuse(&texts).problems() {
            self.mistakes.push(format!(
                "{path}: the default {text} is refused: {}",
                problem.message
            ));
        }
    }
}
