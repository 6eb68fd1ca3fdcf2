//! Variables of an FMU as columns of numbers.

use crate::{Description, FmuError, Instance, Result, Variable, VariableType};

/// Some variables of an FMU, read or written together. An array gives one column for each of its
/// values.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    groups: Vec<Group>,
    names: Vec<String>,
    floats: Vec<bool>,
}

/// Neighbours of one type: one call.
#[derive(Clone, Debug)]
struct Group {
    kind: VariableType,
    references: Vec<u32>,
    values: std::ops::Range<usize>,
    /// Of an array, these values alone; the call moves them all.
    some: Option<Picked>,
}

/// Some values of an array.
#[derive(Clone, Debug)]
struct Picked {
    /// Number of values of the array.
    size: usize,
    elements: Vec<usize>,
}

/// Arrays up to this length are moved without allocation.
const SHORT: usize = 256;

impl Picked {
    fn is_all(&self) -> bool {
        self.elements.len() == self.size && self.elements.iter().copied().eq(0..self.size)
    }

    /// Works on all values of the array.
    fn with<T>(&self, work: impl FnOnce(&mut [f64]) -> Result<T>) -> Result<T> {
        let mut short = [0.0; SHORT];
        match short.get_mut(..self.size) {
            Some(all) => work(all),
            None => work(&mut vec![0.0; self.size]),
        }
    }

    #[cold]
    fn read<I: Instance + ?Sized>(
        &self,
        instance: &mut I,
        group: &Group,
        values: &mut [f64],
    ) -> Result<()> {
        self.with(|all| {
            instance.get(group.kind, &group.references, all)?;
            for (value, element) in values.iter_mut().zip(&self.elements) {
                *value = all.get(*element).copied().unwrap_or(f64::NAN);
            }
            Ok(())
        })
    }

    /// The others stay as they are: an array is set as a whole.
    #[cold]
    fn write<I: Instance + ?Sized>(
        &self,
        instance: &mut I,
        group: &Group,
        values: &[f64],
    ) -> Result<()> {
        self.with(|all| {
            instance.get(group.kind, &group.references, all)?;
            for (value, element) in values.iter().zip(&self.elements) {
                if let Some(place) = all.get_mut(*element) {
                    *place = *value;
                }
            }
            instance.set(group.kind, &group.references, all)
        })
    }
}

/// A variable, or one value of an array.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// The variable.
    pub variable: &'a Variable,
    /// Which value of it, from zero; none: all of them.
    pub element: Option<usize>,
}

impl<'a> From<&'a Variable> for Item<'a> {
    fn from(variable: &'a Variable) -> Self {
        Self {
            variable,
            element: None,
        }
    }
}

impl Ports {
    /// These variables, or values of arrays, in this order. Texts, binaries and clocks cannot be
    /// columns of numbers and are refused.
    pub fn new<'a, T: Into<Item<'a>>>(
        description: &Description,
        items: impl IntoIterator<Item = T>,
    ) -> Result<Self> {
        let mut ports = Self::default();
        for item in items {
            let Item { variable, element } = item.into();
            if !variable.kind.is_number() {
                return Err(FmuError::Usage(format!(
                    "`{}` is of type {:?}: it cannot stand in a column of numbers",
                    variable.name, variable.kind
                )));
            }
            let (start, size) = (ports.names.len(), description.declared_size(variable));
            if size > crate::description::MOST_VALUES {
                return Err(FmuError::Usage(format!(
                    "`{}` has {size} values, which is not believed (see `tandem fmu info`)",
                    variable.name
                )));
            }
            let elements = element.map_or(0..size, |one| one..one + 1);
            for index in elements {
                ports.names.push(description.element_name(variable, index));
                ports.floats.push(variable.kind.is_float());
            }
            ports.add(variable, element, start..ports.names.len(), size);
        }
        for group in &mut ports.groups {
            // All values in their order are the array itself.
            if group.some.as_ref().is_some_and(Picked::is_all) {
                group.some = None;
            }
        }
        Ok(ports)
    }

    /// Joins columns with the call before, where one call can do both.
    fn add(
        &mut self,
        variable: &Variable,
        element: Option<usize>,
        columns: std::ops::Range<usize>,
        size: usize,
    ) {
        match (self.groups.last_mut(), element) {
            (Some(group), None) if group.kind == variable.kind && group.some.is_none() => {
                group.references.push(variable.reference);
                group.values.end = columns.end;
            }
            (Some(group), Some(element))
                if group.references == [variable.reference] && group.some.is_some() =>
            {
                group.values.end = columns.end;
                if let Some(picked) = &mut group.some {
                    picked.elements.push(element);
                }
            }
            _ => self.groups.push(Group {
                kind: variable.kind,
                references: vec![variable.reference],
                values: columns,
                some: element.map(|element| Picked {
                    size,
                    elements: vec![element],
                }),
            }),
        }
    }

    /// The variables, or values of arrays, of these names.
    pub fn named(description: &Description, names: &[String]) -> Result<Self> {
        let items: Result<Vec<_>> = names.iter().map(|name| item(description, name)).collect();
        Self::new(description, items?)
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

    /// Whether no array is taken in parts: then seeds of directional derivatives have as many
    /// values as there are columns.
    #[must_use]
    pub fn takes_whole_variables(&self) -> bool {
        self.groups.iter().all(|group| group.some.is_none())
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
    #[inline(always)]
    pub fn read<I: Instance + ?Sized>(&self, instance: &mut I, values: &mut [f64]) -> Result<()> {
        for group in &self.groups {
            if let Some(values) = values.get_mut(group.values.clone()) {
                match &group.some {
                    None => instance.get(group.kind, &group.references, values)?,
                    Some(picked) => picked.read(instance, group, values)?,
                }
            }
        }
        Ok(())
    }

    /// Writes all columns.
    #[inline]
    pub fn write<I: Instance + ?Sized>(&self, instance: &mut I, values: &[f64]) -> Result<()> {
        for group in &self.groups {
            if let Some(values) = values.get(group.values.clone()) {
                match &group.some {
                    None => instance.set(group.kind, &group.references, values)?,
                    Some(picked) => picked.write(instance, group, values)?,
                }
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

/// The variable of a name, or the value of an array that a name like `x[2]` or `x[1,2]` means;
/// counted from one.
pub fn item<'a>(description: &'a Description, name: &str) -> Result<Item<'a>> {
    if let Some(variable) = description.find(name) {
        return Ok(variable.into());
    }
    let inner = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    let array = inner.and_then(|(head, places)| {
        let variable = description.find(head)?;
        (!variable.dimensions.is_empty()).then_some((variable, places))
    });
    let Some((variable, places)) = array else {
        return find(description, name).map(Into::into);
    };
    let sizes = description.sizes(variable);
    let places: Vec<Option<usize>> = places
        .split(',')
        .map(|place| place.trim().parse::<usize>().ok()?.checked_sub(1))
        .collect();
    let fits = places.len() == sizes.len();
    let element = places
        .iter()
        .zip(&sizes)
        .try_fold(0_usize, |index, (place, size)| {
            let place = (*place).filter(|place| place < size)?;
            index.checked_mul(*size)?.checked_add(place)
        });
    match element.filter(|_| fits) {
        Some(element) => Ok(Item {
            variable,
            element: Some(element),
        }),
        None => {
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            Err(FmuError::Missing(format!(
                "`{name}` is not in `{}`: the array `{}` has {} values, counted from one",
                description.model,
                variable.name,
                sizes.join(" × ")
            )))
        }
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
