//! Inputs of an FMU over time, from a table.

use std::path::Path;

use crate::{Causality, Description, FmuError, Instance, Ports, Result, Variability, Variable};

/// A table of inputs: a column `time` (s), then one for each input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the inputs.
    pub names: Vec<String>,
    /// Times, rising; two equal ones are a jump.
    pub times: Vec<f64>,
    /// One row per time.
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a CSV file with a header.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(FmuError::file("read", path))?;
        Self::parse(&text).map_err(|error| FmuError::Usage(format!("{}: {error}", path.display())))
    }

    /// Reads the text of a CSV file.
    pub fn parse(text: &str) -> Result<Self> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let bad = |error: csv::Error| FmuError::Usage(format!("the table of inputs: {error}"));
        let header = reader.headers().map_err(bad)?.clone();
        if header
            .get(0)
            .map(|name| name.trim_start_matches('\u{feff}'))
            != Some("time")
        {
            return Err(FmuError::Usage(
                "the first column of the table of inputs must be `time`, in seconds".into(),
            ));
        }
        let mut table = Self {
            names: header.iter().skip(1).map(str::to_owned).collect(),
            ..Self::default()
        };
        for (number, record) in reader.records().enumerate() {
            let record = record.map_err(bad)?;
            let row: Option<Vec<f64>> = record.iter().map(crate::description_number).collect();
            let row = row
                .filter(|row| row.iter().all(|x| x.is_finite()))
                .ok_or_else(|| {
                    FmuError::Usage(format!(
                        "line {} of the table of inputs has no number in a place",
                        number + 2
                    ))
                })?;
            let Some((time, values)) = row.split_first() else {
                continue;
            };
            if table.times.last().is_some_and(|last| last > time) {
                return Err(FmuError::Usage(format!(
                    "line {} of the table of inputs goes back in time, to {time} s",
                    number + 2
                )));
            }
            table.times.push(*time);
            table.rows.push(values.to_vec());
        }
        if table.times.is_empty() {
            return Err(FmuError::Usage("the table of inputs has no rows".into()));
        }
        Ok(table)
    }
}

/// From which side an instant is looked at: they differ where an input jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// As it was until then: the end of a step.
    Before,
    /// As it is from then on: the start of a step.
    After,
}

/// Inputs that are treated alike.
#[derive(Clone, Debug, Default)]
struct Group {
    ports: Ports,
    values: Vec<f64>,
    /// Which column of the table goes where.
    columns: Vec<(usize, usize)>,
}

impl Group {
    fn new(description: &Description, chosen: &[(usize, &str, &Variable)]) -> Result<Self> {
        let mut variables: Vec<&Variable> = Vec::new();
        for (_, _, variable) in chosen {
            if !variables.iter().any(|v| v.name == variable.name) {
                variables.push(variable);
            }
        }
        let ports = Ports::new(description, variables.iter().copied())?;
        let mut columns = Vec::new();
        for (column, name, _) in chosen {
            let place = ports.names().iter().position(|n| n == name);
            let place = place.ok_or_else(|| {
                FmuError::Usage(format!(
                    "`{name}` is an array: give its values as columns `{name}[1]`, …"
                ))
            })?;
            columns.push((*column, place));
        }
        let values = variables
            .iter()
            .flat_map(|v| {
                let starts: Vec<f64> = v
                    .start
                    .iter()
                    .filter_map(|s| crate::description_number(s))
                    .collect();
                (0..description.size(v))
                    .map(move |i| starts.get(i).or(starts.first()).copied().unwrap_or(0.0))
            })
            .collect();
        Ok(Self {
            ports,
            values,
            columns,
        })
    }

    fn write<I: Instance + ?Sized>(
        &mut self,
        instance: &mut I,
        value: impl Fn(usize) -> Option<f64>,
    ) -> Result<()> {
        if self.columns.is_empty() {
            return Ok(());
        }
        for (column, place) in &self.columns {
            if let (Some(slot), Some(value)) = (self.values.get_mut(*place), value(*column)) {
                *slot = value;
            }
        }
        self.ports.write(instance, &self.values)
    }
}

/// A table joined with the inputs of an FMU.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Interpolated between rows.
    smooth: Group,
    /// Held from row to row: their changes are events.
    held: Group,
    /// Times at which an input jumps, rising.
    jumps: Vec<f64>,
    table: Table,
}

impl Input {
    /// Joins the columns with inputs (and tunable parameters) of the same name.
    pub fn new(description: &Description, table: Table) -> Result<Self> {
        let (mut smooth, mut held) = (Vec::new(), Vec::new());
        for (column, name) in table.names.iter().enumerate() {
            let variable = description
                .find(name)
                .or_else(|| {
                    let base = name.split('[').next()?;
                    description.find(base).filter(|v| !v.dimensions.is_empty())
                })
                .map_or_else(|| crate::ports::find(description, name), Ok)?;
            let tunable = variable.causality == Causality::Parameter
                && variable.variability == Variability::Tunable;
            if variable.causality != Causality::Input && !tunable {
                return Err(FmuError::Usage(format!(
                    "`{name}` is a {}, not an input",
                    variable.causality.name()
                )));
            }
            let group =
                if variable.variability == Variability::Continuous && variable.kind.is_float() {
                    &mut smooth
                } else {
                    &mut held
                };
            group.push((column, name.as_str(), variable));
        }
        let (smooth, held) = (
            Group::new(description, &smooth)?,
            Group::new(description, &held)?,
        );
        let changes = |group: &Group, rows: &[Vec<f64>]| {
            let at = |row: usize, column: usize| rows.get(row).and_then(|r| r.get(column));
            let mut columns = group.columns.iter();
            columns.any(|(column, _)| at(0, *column) != at(1, *column))
        };
        let pairs = table.times.windows(2).zip(table.rows.windows(2));
        let mut jumps: Vec<f64> = pairs
            .filter_map(|(times, rows)| {
                let [before, after] = times else { return None };
                let jumps = changes(&held, rows) || (before >= after && changes(&smooth, rows));
                jumps.then_some(*after)
            })
            .collect();
        jumps.dedup();
        Ok(Self {
            smooth,
            held,
            jumps,
            table,
        })
    }

    /// Whether there is anything to set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.names.is_empty()
    }

    /// Whether an input jumps at any time.
    #[must_use]
    pub fn jumps(&self) -> bool {
        !self.jumps.is_empty()
    }

    /// The next time after `time` at which an input jumps.
    #[must_use]
    pub fn next_jump(&self, time: f64) -> Option<f64> {
        let next = self.jumps.partition_point(|jump| *jump <= time);
        self.jumps.get(next).copied()
    }

    /// Sets all inputs of an instant, as they are from then on: continuous ones between rows by
    /// straight lines, others held; held at both ends. For the start of a step, and for an event.
    #[inline(always)]
    pub fn apply<I: Instance + ?Sized>(&mut self, instance: &mut I, time: f64) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        self.apply_all(instance, time)
    }

    #[inline(never)]
    fn apply_all<I: Instance + ?Sized>(&mut self, instance: &mut I, time: f64) -> Result<()> {
        self.apply_continuous(instance, time, Side::After)?;
        let last = self.table.times.partition_point(|t| *t <= time);
        let row = self.table.rows.get(last.saturating_sub(1));
        self.held
            .write(instance, |column| row.and_then(|r| r.get(column)).copied())
    }

    /// Sets the continuous inputs of an instant: the only ones that may change between events.
    #[inline]
    pub fn apply_continuous<I: Instance + ?Sized>(
        &mut self,
        instance: &mut I,
        time: f64,
        side: Side,
    ) -> Result<()> {
        if self.smooth.columns.is_empty() {
            return Ok(());
        }
        let times = &self.table.times;
        // The rows around the instant; one of them at the instant itself counts to its own side.
        let after = match side {
            Side::After => times.partition_point(|t| *t <= time),
            Side::Before => times.partition_point(|t| *t < time),
        };
        let before = after.saturating_sub(1);
        let share = match (times.get(before), times.get(after)) {
            (Some(t0), Some(t1)) if after > 0 && t1 > t0 => (time - t0) / (t1 - t0),
            _ => 0.0,
        };
        let (low, high) = (self.table.rows.get(before), self.table.rows.get(after));
        self.smooth.write(instance, |column| {
            let at = |row: Option<&Vec<f64>>| row.and_then(|r| r.get(column)).copied();
            match (at(low), at(high)) {
                (Some(first), Some(last)) if share > 0.0 => Some(first + share * (last - first)),
                (first, _) => first,
            }
        })
    }
}
