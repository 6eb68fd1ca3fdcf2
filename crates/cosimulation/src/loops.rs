//! Algebraic loops: outputs that hang on themselves through direct feedthrough and connections.

use tandem_fmi::{Causality, Description, FmuError};

/// A connection between variables, by part and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Part and variable that give.
    pub from: (usize, String),
    /// Part and variable that take.
    pub to: (usize, String),
}

/// Every loop once, as the names of the variables on it. Dependencies that an FMU does not tell are
/// taken to be on all its inputs.
///
/// # Errors
/// [`FmuError`] of a wire that ends at no variable.
pub fn find(
    names: &[String],
    descriptions: &[&Description],
    wires: &[Wire],
) -> Result<Vec<Vec<String>>, FmuError> {
    // One value of an array hangs on what the array hangs on.
    let place = |(part, name): &(usize, String)| -> Result<Option<usize>, FmuError> {
        let Some(description) = descriptions.get(*part) else {
            return Ok(None);
        };
        let variable = tandem_fmi::item(description, name)?.variable;
        let same = |v: &tandem_fmi::Variable| v.name == variable.name;
        Ok(description.variables.iter().position(same))
    };
    let ends = wires
        .iter()
        .map(|wire| Ok((place(&wire.to)?, place(&wire.from)?)));
    let ends = ends.collect::<Result<Vec<_>, FmuError>>()?;
    // Nodes are wires: one follows another when the output of the second hangs on the input of the
    // first.
    let follows = |first: usize, second: usize| {
        let part = wires[first].to.0;
        let (Some(input), Some(output)) = (ends[first].0, ends[second].1) else {
            return false;
        };
        let Some(description) = descriptions
            .get(part)
            .filter(|_| wires[second].from.0 == part)
        else {
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
                if !follows(at, next) {
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
    Ok(loops.iter().map(|path| told(path, names, wires)).collect())
}

/// The names of the variables on a loop.
fn told(path: &[usize], names: &[String], wires: &[Wire]) -> Vec<String> {
    let word = |end: &(usize, String)| {
        format!("{}.{}", names.get(end.0).map_or("?", String::as_str), end.1)
    };
    let each = path.iter().filter_map(|wire| wires.get(*wire));
    each.flat_map(|wire| [word(&wire.from), word(&wire.to)])
        .collect()
}
