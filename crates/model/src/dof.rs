//! Degrees of freedom by number and name.

use tandem_quantity::{BuildError, Value, suggest};
use tandem_structure::StructureProperties;

/// Finds a degree of freedom by another name than its label, as a frame does.
pub type Named<'a> = &'a dyn Fn(&str) -> Option<usize>;

/// The free degrees of freedom that a list of numbers and names means, counted from zero.
pub fn read(
    list: &[Value],
    key: &str,
    structure: &StructureProperties,
    named: Named<'_>,
) -> Result<Vec<usize>, BuildError> {
    let mut interface = Vec::new();
    for (place, value) in list.iter().enumerate() {
        let (dof, written) = match value {
            Value::Integer(number) => (
                usize::try_from(*number)
                    .ok()
                    .and_then(|n| n.checked_sub(1))
                    .filter(|dof| *dof < structure.dof()),
                number.to_string(),
            ),
            Value::Text(name) => (by_name(name, structure, named), format!("`{name}`")),
            _ => (None, "this".to_owned()),
        };
        match dof {
            Some(dof) if !interface.contains(&dof) => interface.push(dof),
            _ => {
                return Err(BuildError::new(
                    format!("{key}.{place}"),
                    format!(
                        "{written} is not a free degree of freedom of this structure, or is named \
                        twice"
                    ),
                    known(value, structure),
                ));
            }
        }
    }
    Ok(interface)
}

fn by_name(name: &str, structure: &StructureProperties, named: Named<'_>) -> Option<usize> {
    let name = name.trim();
    (0..structure.dof())
        .find(|dof| structure.label(*dof) == name)
        .or_else(|| named(name))
}

/// What may stand there.
fn known(value: &Value, structure: &StructureProperties) -> String {
    let labels = &structure.labels;
    let dof = labels.len();
    if let Value::Text(name) = value
        && let Some(near) = suggest(name, labels.iter().map(String::as_str))
    {
        return format!("did you mean `{near}`?");
    }
    let last = labels.last().map_or("", String::as_str);
    let first = labels.first().map_or("", String::as_str);
    format!(
        "the structure has the degrees of freedom 1 to {dof}, by name `{first}` to `{last}`; name \
        each at most once"
    )
}
