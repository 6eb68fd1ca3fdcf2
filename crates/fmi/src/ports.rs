//! Variables of an FMU as columns of numbers.

use crate::{Description, FmuError, Instance, Kind, Result, Variable};

/// Some variables of an FMU, read or written together. An array gives one column for each of its values.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    groups: Vec<Group>,
    names: Vec<String>,
    floats: Vec<bool>,
}

/// Neighbours of one type: one call.
#[derive(Clone, Debug)]
struct Group {
    kind: Kind,
    references: Vec<u32>,
    values: std::ops::Range<usize>,
}

impl Ports {
    /// These variables in this order. Texts, binaries and clocks cannot be columns of numbers and are refused.
    pub fn new<'a>(
        description: &Description,
        variables: impl IntoIterator<Item = &'a Variable>,
    ) -> Result<Self> {
        let mut ports = Self::default();
        for variable in variables {
            if !variable.kind.is_number() {
                return Err(FmuError::Usage(format!(
                    "`{}` is of type {:?}: it cannot stand in a column of numbers",
                    variable.name, variable.kind
                )));
            }
            let (start, size) = (ports.names.len(), description.size(variable));
            for index in 0..size {
                ports.names.push(description.element_name(variable, index));
                ports.floats.push(variable.kind.is_float());
            }
            match ports.groups.last_mut() {
                Some(group) if group.kind == variable.kind => {
                    group.references.push(variable.reference);
                    group.values.end = start + size;
                }
                _ => ports.groups.push(Group {
                    kind: variable.kind,
                    references: vec![variable.reference],
                    values: start..start + size,
                }),
            }
        }
        Ok(ports)
    }

    /// The variables of these names.
    pub fn named(description: &Description, names: &[String]) -> Result<Self> {
        let variables: Result<Vec<_>> = names.iter().map(|name| find(description, name)).collect();
        Self::new(description, variables?)
    }

    /// Name of each column.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Value references of the variables, in order.
    #[must_use]
    pub fn references(&self) -> Vec<u32> {
        let groups = self.groups.iter();
        groups
            .flat_map(|group| &group.references)
            .copied()
            .collect()
    }

    /// Number of columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Reads all columns.
    #[inline]
    pub fn read<I: Instance + ?Sized>(&self, instance: &mut I, values: &mut [f64]) -> Result<()> {
        for group in &self.groups {
            if let Some(values) = values.get_mut(group.values.clone()) {
                instance.get(group.kind, &group.references, values)?;
            }
        }
        Ok(())
    }

    /// Writes all columns.
    #[inline]
    pub fn write<I: Instance + ?Sized>(&self, instance: &mut I, values: &[f64]) -> Result<()> {
        for group in &self.groups {
            if let Some(values) = values.get(group.values.clone()) {
                instance.set(group.kind, &group.references, values)?;
            }
        }
        Ok(())
    }

    /// Refuses what is not a number.
    #[inline]
    pub fn check(&self, values: &[f64], time: f64) -> Result<()> {
        if values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        self.find_culprit(values, time)
    }

    /// Whole numbers and the like may be beyond what is finite as a float.
    #[cold]
    fn find_culprit(&self, values: &[f64], time: f64) -> Result<()> {
        for ((value, name), float) in values.iter().zip(&self.names).zip(&self.floats) {
            if *float && !value.is_finite() {
                return Err(FmuError::NotFinite {
                    name: name.clone(),
                    value: *value,
                    time,
                });
            }
        }
        Ok(())
    }
}

/// The variable of a name, or a refusal that names the nearest.
pub fn find<'a>(description: &'a Description, name: &str) -> Result<&'a Variable> {
    description.find(name).ok_or_else(|| {
        let some: Vec<&str> = description
            .variables
            .iter()
            .filter(|v| v.causality != crate::Causality::Local)
            .map(|v| v.name.as_str())
            .take(20)
            .collect();
        FmuError::Missing(format!(
            "`{}` has no variable `{name}`; it has {} and {} in all (see `tandem fmu info`)",
            description.model,
            some.join(", "),
            description.variables.len()
        ))
    })
}
