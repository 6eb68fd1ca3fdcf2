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

/// A table joined with the inputs of an FMU.
#[derive(Clone, Debug, Default)]
pub struct Input {
    ports: Ports,
    values: Vec<f64>,
    /// Which column of the table goes where, and whether it is interpolated.
    columns: Vec<(usize, bool)>,
    table: Table,
}

impl Input {
    /// Joins the columns with inputs (and tunable parameters) of the same name.
    pub fn new(description: &Description, table: Table) -> Result<Self> {
        let mut variables: Vec<&Variable> = Vec::new();
        let mut places = Vec::new();
        for name in &table.names {
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
            if !variables.iter().any(|v| v.name == variable.name) {
                variables.push(variable);
            }
            places.push((
                name.clone(),
                variable.variability == Variability::Continuous && variable.kind.is_float(),
            ));
        }
        let ports = Ports::new(description, variables.iter().copied())?;
        let mut columns = Vec::new();
        for (name, continuous) in places {
            let place = ports
                .names()
                .iter()
                .position(|n| *n == name)
                .ok_or_else(|| {
                    FmuError::Usage(format!(
                        "`{name}` is an array: give its values as columns `{name}[1]`, …"
                    ))
                })?;
            columns.push((place, continuous));
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
            table,
        })
    }

    /// Whether there is anything to set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The next time after `time` at which an input jumps.
    #[must_use]
    pub fn next_jump(&self, time: f64) -> Option<f64> {
        let jumps = self.table.times.windows(2).filter_map(|pair| match pair {
            [a, b] if a >= b && *a > time => Some(*a),
            _ => None,
        });
        jumps.fold(None, |least: Option<f64>, jump| {
            Some(least.map_or(jump, |l| l.min(jump)))
        })
    }

    /// Sets the inputs of an instant: continuous ones between rows by straight lines, others held; held at both ends.
    #[inline]
    pub fn apply<I: Instance + ?Sized>(&mut self, instance: &mut I, time: f64) -> Result<()> {
        if self.columns.is_empty() {
            return Ok(());
        }
        self.look_up(time);
        self.ports.write(instance, &self.values)
    }

    fn look_up(&mut self, time: f64) {
        let times = &self.table.times;
        let after = times.partition_point(|t| *t <= time);
        let before = after.saturating_sub(1);
        let (t0, t1) = (times.get(before).copied(), times.get(after).copied());
        let share = match (t0, t1) {
            (Some(t0), Some(t1)) if after > 0 && t1 > t0 => (time - t0) / (t1 - t0),
            _ => 0.0,
        };
        let (low, high) = (self.table.rows.get(before), self.table.rows.get(after));
        for (column, (place, continuous)) in self.columns.iter().enumerate() {
            let at = |row: Option<&Vec<f64>>| row.and_then(|r| r.get(column)).copied();
            let Some(first) = at(low) else { continue };
            let value = match (continuous, at(high)) {
                (true, Some(last)) if share > 0.0 => first + share * (last - first),
                _ => first,
            };
            if let Some(slot) = self.values.get_mut(*place) {
                *slot = value;
            }
        }
    }
}
