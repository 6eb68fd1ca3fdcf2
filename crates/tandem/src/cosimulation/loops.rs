//! Algebraic loops: outputs that hang on themselves through direct feedthrough and connections.

use tandem_fmi::{Causality, Description};

/// A connection between variables, by part and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Part and variable that give.
    pub from: (usize, String),
    /// Part and variable that take.
    pub to: (usize, String),
}

/// Every loop once, as the names of the variables on it. Dependencies that an FMU does not tell are taken to be on all its inputs.
pub fn find(names: &[String], descriptions: &[&Description], wires: &[Wire]) -> Vec<Vec<String>> {
    // Nodes are wires: one follows another when the output of the second hangs on the input of the first.
    let follows = |first: &Wire, second: &Wire| {
        if first.to.0 != second.from.0 {
            return false;
        }
        let Some(description) = descriptions.get(first.to.0) else {
            return false;
        };
        // One value of an array hangs on what the array hangs on.
        let place = |name: &str| {
            let variable = tandem_fmi::item(description, name).ok()?.variable;
            let same = |v: &tandem_fmi::Variable| v.name == variable.name;
            description.variables.iter().position(same)
        };
        let (Some(input), Some(output)) = (place(&first.to.1), place(&second.from.1)) else {
            return false;
        };
        let continuous_state = description
            .states
            .iter()
            .any(|state| state.variable == output);
        match description
            .dependencies
            .get(output)
            .and_then(Option::as_ref)
        {
            Some(list) => list.contains(&input),
            None => {
                !continuous_state
                    && description
                        .variables
                        .get(output)
                        .is_some_and(|v| v.causality == Causality::Output)
            }
        }
    };
    let mut loops: Vec<Vec<usize>> = Vec::new();
    for start in 0..wires.len() {
        // The shortest way back to the start; breadth first, each wire once.
        let mut before: Vec<Option<usize>> = vec![None; wires.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        let mut found = None;
        while let Some(at) = queue.pop_front() {
            for next in 0..wires.len() {
                let (Some(a), Some(b)) = (wires.get(at), wires.get(next)) else {
                    continue;
                };
                if !follows(a, b) {
                    continue;
                }
                if next == start {
                    found = found.or(Some(at));
                } else if before.get(next).is_some_and(Option::is_none) {
                    if let Some(place) = before.get_mut(next) {
                        *place = Some(at);
                    }
                    queue.push_back(next);
                }
            }
            if found.is_some() {
                break;
            }
        }
        let Some(mut at) = found else { continue };
        let mut path = vec![at];
        while at != start {
            match before.get(at).copied().flatten() {
                Some(previous) => at = previous,
                None => break,
            }
            path.push(at);
        }
        path.reverse();
        let mut sorted = path.clone();
        sorted.sort_unstable();
        let known = loops.iter().any(|other| {
            let mut other = other.clone();
            other.sort_unstable();
            other == sorted
        });
        if !known {
            loops.push(path);
        }
    }
    let word = |end: &(usize, String)| {
        format!("{}.{}", names.get(end.0).map_or("?", String::as_str), end.1)
    };
    let text = |path: &Vec<usize>| {
        let each = path.iter().filter_map(|wire| wires.get(*wire));
        each.flat_map(|wire| [word(&wire.from), word(&wire.to)])
            .collect()
    };
    loops.iter().map(text).collect()
}
