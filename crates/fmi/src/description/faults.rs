//! What an FMU says of itself and cannot be right, though it can be read.

use std::collections::HashMap;

use super::{
    Causality, Description, Dimension, MOST_VALUES, Variability, Variable, VariableType, number,
};

/// More than these of one kind are counted, not listed.
const MOST_LISTED: usize = 20;

impl Description {
    /// Everything that contradicts the standard or itself, in sentences.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for variable in &self.variables {
            *seen.entry(variable.name.as_str()).or_default() += 1;
        }
        let mut twice: Vec<_> = seen.into_iter().filter(|(_, count)| *count > 1).collect();
        twice.sort_unstable();
        list(&mut faults, twice.into_iter(), |(name, count)| {
            Some(format!(
                "{count} variables are named `{name}`: which one is meant cannot be said"
            ))
        });
        faults.extend(self.contradictions());
        list(&mut faults, self.variables.iter(), |v| {
            self.fault_of_size(v)
        });
        list(&mut faults, self.variables.iter(), |v| {
            self.fault_of_start(v)
        });
        list(&mut faults, self.states.iter(), |state| {
            let name = |index: usize| self.variables.get(index);
            let (state, derivative) = (name(state.variable)?, name(state.derivative)?);
            (state.causality == Causality::Independent).then(|| {
                format!(
                    "`{}` is said to be the derivative of `{}`, which is the time and no state",
                    derivative.name, state.name
                )
            })
        });
        faults
    }

    /// Those for which nothing can be run: what they say of sizes and states has no meaning.
    #[must_use]
    pub fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        // Value references, and whether such a variable may be a size: it must be known before
        // arrays are made.
        let mut sizes: HashMap<u32, bool> = HashMap::new();
        for variable in &self.variables {
            *sizes.entry(variable.reference).or_default() |= variable.causality
                == Causality::StructuralParameter
                || variable.variability == Variability::Constant;
        }
        list(&mut found, self.variables.iter(), |variable| {
            let name = &variable.name;
            variable.dimensions.iter().find_map(|dimension| {
                let Dimension::Of(reference) = dimension else {
                    return None;
                };
                let problem = match sizes.get(reference) {
                    _ if *reference == variable.reference => "which is itself",
                    None => "which is not there",
                    Some(false) => "which is neither a structural parameter nor a constant",
                    Some(true) => return None,
                };
                Some(format!(
                    "the size of `{name}` is that of variable {reference}, {problem}"
                ))
            })
        });
        list(&mut found, self.variables.iter().enumerate(), |(i, v)| {
            (v.derivative_of == Some(i))
                .then(|| format!("`{}` is said to be the derivative of itself", v.name))
        });
        found
    }

    fn fault_of_size(&self, variable: &Variable) -> Option<String> {
        let name = &variable.name;
        match self.declared_size(variable) {
            0 => Some(format!("`{name}` is an array without values")),
            n if n > MOST_VALUES => Some(format!(
                "`{name}` has {n} values; more than {MOST_VALUES} are not believed"
            )),
            _ => None,
        }
    }

    fn fault_of_start(&self, variable: &Variable) -> Option<String> {
        let name = &variable.name;
        if matches!(
            variable.kind,
            VariableType::String | VariableType::Binary | VariableType::Clock
        ) {
            return None;
        }
        let wrong = |text: &&String| number(text).is_none_or(|x| x.is_nan());
        if let Some(text) = variable.start.iter().find(wrong) {
            return Some(format!(
                "the start value of `{name}` is \"{text}\", no number"
            ));
        }
        let (given, size) = (variable.start.len(), self.size(variable));
        (given > 1 && given != size)
            .then(|| format!("`{name}` has {size} values and {given} start values"))
    }
}

/// Adds what is said of each, up to a number of them.
fn list<T>(
    faults: &mut Vec<String>,
    all: impl Iterator<Item = T>,
    say: impl Fn(T) -> Option<String>,
) {
    let said: Vec<String> = all.filter_map(say).collect();
    let more = said.len().saturating_sub(MOST_LISTED);
    faults.extend(said.into_iter().take(MOST_LISTED));
    if more > 0 {
        faults.push(format!("and {more} more of this kind"));
    }
}
