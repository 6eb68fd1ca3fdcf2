//! What a co-simulation leaves: one row per communication point, in the file of the run while it
//! goes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tandem_coordinator::recorder::{
    CHUNK_ROWS, Channel, Header, RecorderError, Role, RowBlock, RunWriter,
};

/// Columns over time.
#[derive(Default)]
pub struct Table {
    columns: Vec<Column>,
    /// Their names in the file.
    channels: Vec<Channel>,
    times: Vec<f64>,
    values: Vec<f64>,
    /// What the parts have at each degree of freedom of the interface, one entry a part that is
    /// tied to it.
    shared: Vec<Vec<Tied>>,
    /// Displacements of the undivided structure there, where it could be computed.
    undivided: Vec<Vec<f64>>,
    /// Largest stable step of explicit parts alone, s, where the run itself has found it.
    limits: Vec<(String, f64)>,
    /// Where the rows go besides, if anywhere.
    writer: Option<(RunWriter, RowBlock)>,
}

/// A gap of the velocities that is round-off, over the largest velocity at the interface.
const VELOCITY_TOLERANCE: f64 = 1e-9;

/// How far parts are apart at their interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Largest gap of the velocities, m/s: the constraint.
    pub velocity: f64,
    /// What counts as round-off there, m/s.
    pub velocity_tolerance: f64,
    /// Largest gap of the displacements, m.
    pub displacement: f64,
    /// Largest distance from the undivided structure over its peak, %, where both parts come from
    /// one plan.
    pub from_undivided_percent: Option<f64>,
}

/// What came of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The largest magnitude.
    pub peak: f64,
    /// Root mean square.
    pub rms: f64,
    /// The last value.
    pub last: f64,
    /// Unit of all three.
    pub unit: String,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of the part.
    pub part: String,
    /// Its variable.
    pub variable: String,
    /// Unit, where it is known; else `1`.
    pub unit: String,
}

impl Column {
    /// Columns of a vector: `u[1]`, `u[2]`, ….
    pub fn vector<'a>(
        part: &'a str,
        quantity: &'a str,
        size: usize,
        unit: &'a str,
    ) -> impl Iterator<Item = Self> + 'a {
        (1..=size).map(move |i| Self {
            part: part.to_owned(),
            variable: format!("{quantity}[{i}]"),
            unit: unit.to_owned(),
        })
    }
}

/// Longest part of a channel's name.
const LONGEST: usize = 60;

/// What a channel's name can hold of a text.
fn clean(text: &str) -> String {
    let kept = text.trim_end_matches(']').trim().chars().take(LONGEST);
    kept.map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// A text, or `_` for none.
fn named(text: String) -> String {
    if text.is_empty() {
        "_".to_owned()
    } else {
        text
    }
}

/// The groups in which a channel stands.
fn heads(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

/// Channels of the columns. Names of variables may hold anything, those of channels letters, digits
/// and `_` between slashes: `u[1]` becomes `u/1`, what else does not fit `_`.
fn channels(columns: &[Column]) -> Vec<Channel> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut groups: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::new();
    for column in columns {
        let parts = column.variable.split(['/', '[', ',']);
        let parts = parts.map(clean).filter(|part| !part.is_empty());
        let variable: Vec<String> = parts.collect();
        let part = named(clean(&column.part));
        let nested = format!("{part}/{}", named(variable.join("/")));
        // Another variable may have become the same, or a group of others, or stand where this one
        // wants a group: then its numbers stand behind underscores, and at last one of its own.
        let flat: String = variable.join("_").chars().take(LONGEST).collect();
        let flat = format!("{part}/{}", named(flat));
        let others = (2..).map(|n| format!("{flat}_{n}"));
        let mut candidates = [nested, flat.clone()].into_iter().chain(others);
        let taken = |name: &String| {
            names.contains(name)
                || groups.contains(name)
                || heads(name).any(|head| names.contains(head))
        };
        let name = candidates.find(|name| !taken(name)).unwrap_or(flat.clone());
        groups.extend(heads(&name).map(str::to_owned));
        names.insert(name.clone());
        let meaning = format!("`{}` of part `{}`.", column.variable, column.part);
        all.push(Channel::new(
            name,
            column.unit.clone(),
            Role::Response,
            meaning,
        ));
    }
    all
}

/// The columns of one part at a degree of freedom of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Tied {
    /// Degree of freedom of the interface, from zero.
    pub shared: usize,
    /// Column of the displacement.
    pub u: usize,
    /// Column of the velocity.
    pub v: usize,
    /// Column of the Lagrange multiplier.
    pub q: usize,
}

impl Table {
    /// Names the columns.
    pub fn name(&mut self, columns: Vec<Column>) {
        self.channels = channels(&columns);
        self.columns = columns;
    }

    /// From now on rows go into a file too.
    pub fn record_into(&mut self, path: &Path, header: &Header) -> Result<(), RecorderError> {
        let writer = RunWriter::create(path, &self.channels, header)?;
        self.writer = Some((writer, RowBlock::new(self.channels.len(), CHUNK_ROWS)));
        Ok(())
    }

    /// Everything is in the file.
    pub fn close(&mut self) -> Result<(), RecorderError> {
        if let Some((mut writer, mut block)) = self.writer.take() {
            writer.append(&mut block)?;
            writer.finish()?;
        }
        Ok(())
    }

    /// Says which columns meet at the interface.
    pub fn tie(&mut self, columns: &[Tied]) {
        let most = columns.iter().map(|tied| tied.shared + 1).max();
        let at = |dof: usize| columns.iter().filter(move |tied| tied.shared == dof);
        self.shared = (0..most.unwrap_or(0))
            .map(|dof| at(dof).copied().collect())
            .collect();
    }

    /// Lays the displacements of the undivided structure beside those of the parts, one list for
    /// each degree of freedom of the interface.
    pub fn lay_beside(&mut self, undivided: Vec<Vec<f64>>) {
        self.undivided = undivided;
    }

    /// Keeps the largest step, s, that an explicit part bears alone.
    pub fn bears(&mut self, part: &str, limit: f64) {
        self.limits.push((part.to_owned(), limit));
    }

    /// That step, s, where the run itself has found it.
    pub fn limit(&self, part: &str) -> Option<f64> {
        let found = self.limits.iter().find(|(name, _)| name == part);
        found.map(|(_, limit)| *limit)
    }

    /// Adds a row.
    pub fn row(
        &mut self,
        time: f64,
        values: impl IntoIterator<Item = f64>,
    ) -> Result<(), RecorderError> {
        let begin = self.values.len();
        self.times.push(time);
        self.values.extend(values);
        if let Some((writer, block)) = &mut self.writer
            && block.push(time, &self.values[begin..])
        {
            writer.append(block)?;
        }
        Ok(())
    }

    fn column(&self, index: usize) -> impl Iterator<Item = f64> + '_ {
        let width = self.columns.len().max(1);
        self.values
            .chunks(width)
            .filter_map(move |row| row.get(index).copied())
    }

    /// Name and time of the first value that is no finite number.
    pub fn first_that_is_no_number(&self) -> Option<(&str, f64)> {
        let place = self.values.iter().position(|x| !x.is_finite())?;
        let width = self.columns.len().max(1);
        let time = self.times.get(place / width)?;
        Some((self.title(place % width), *time))
    }

    /// Peak, root mean square and last value of every column, by channel.
    pub fn response(&self) -> BTreeMap<String, Figures> {
        let count = self.times.len().max(1) as f64;
        let all = self.channels.iter().enumerate().map(|(index, channel)| {
            let magnitudes = self.column(index).map(f64::abs);
            let square: f64 = self.column(index).map(|x| x * x).sum();
            let response = Figures {
                peak: magnitudes.fold(0.0_f64, f64::max),
                rms: (square / count).sqrt(),
                last: self.column(index).last().unwrap_or(0.0),
                unit: channel.unit.clone(),
            };
            (channel.name.clone(), response)
        });
        all.collect()
    }

    /// Name of a column.
    pub fn title(&self, column: usize) -> &str {
        self.channels
            .get(column)
            .map_or("", |channel| &channel.name)
    }

    /// Part and variable of a column.
    pub fn about(&self, column: usize) -> (&str, &str) {
        let found = self.columns.get(column);
        found.map_or(("", ""), |column| (&column.part, &column.variable))
    }

    /// Names of all columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().map(|channel| channel.name.as_str())
    }

    /// Times of the points, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// A column.
    pub fn values(&self, column: usize) -> Vec<f64> {
        self.column(column).collect()
    }

    /// What meets at each degree of freedom of the interface.
    pub fn shared(&self) -> &[Vec<Tied>] {
        &self.shared
    }

    /// The undivided structure there.
    pub fn undivided(&self, shared: usize) -> Option<&[f64]> {
        self.undivided.get(shared).map(Vec::as_slice)
    }

    /// Largest velocity at the interface, m/s.
    pub fn fastest(&self) -> f64 {
        let tied = self.shared.iter().flatten();
        tied.fold(0.0_f64, |most, tied| {
            self.column(tied.v).fold(most, |most, x| most.max(x.abs()))
        })
    }

    /// How far the parts are apart at the interface, and how far from the undivided structure.
    pub(super) fn gap(&self) -> Gap {
        let widest = |place: &dyn Fn(&Tied) -> usize| {
            let mut most = 0.0_f64;
            for tied in &self.shared {
                for row in self.values.chunks(self.columns.len().max(1)) {
                    let each = || tied.iter().filter_map(|tied| row.get(place(tied)));
                    let high = each().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
                    let low = each().fold(f64::INFINITY, |m, x| m.min(*x));
                    most = most.max(high - low);
                }
            }
            most
        };
        let (mut worst, mut peak) = (0.0_f64, 0.0_f64);
        for (tied, whole) in self.shared.iter().zip(&self.undivided) {
            peak = whole.iter().fold(peak, |m, x| m.max(x.abs()));
            for tied in tied {
                let both = self.column(tied.u).zip(whole);
                worst = both.fold(worst, |m, (a, b)| m.max((a - b).abs()));
            }
        }
        Gap {
            velocity: widest(&|tied| tied.v),
            velocity_tolerance: VELOCITY_TOLERANCE * self.fastest(),
            displacement: widest(&|tied| tied.u),
            from_undivided_percent: (peak > 0.0).then_some(100.0 * worst / peak),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_of_a_variable_becomes_a_channel_of_its_own() {
        let variables = [
            "u[1]", "u[1,2]", "u", "body.x", "body x", "der(x)", "", "a/b", "U[1]",
        ];
        let columns: Vec<Column> = variables
            .iter()
            .map(|variable| Column {
                part: "p/1".to_owned(),
                variable: (*variable).to_owned(),
                unit: "m".to_owned(),
            })
            .collect();
        let channels = channels(&columns);
        let names: Vec<&str> = channels
            .iter()
            .map(|channel| channel.name.as_str())
            .collect();
        // The recorder takes them all: none twice, none a folder of another.
        let folder = tempfile::tempdir().unwrap();
        let header = Header {
            tandem_version: String::new(),
            plan: String::new(),
            seed: 1,
            created: String::new(),
            time_scale: 1.0,
            rate_hz: 1.0,
        };
        let path = folder.path().join("run.h5");
        RunWriter::create(&path, &channels, &header).unwrap();
        let expected = [
            "p_1/u/1",
            "p_1/u_1_2",
            "p_1/u_2",
            "p_1/body_x",
            "p_1/body_x_2",
            "p_1/der_x_",
            "p_1/_",
            "p_1/a/b",
            "p_1/U/1",
        ];
        assert_eq!(names, expected);
    }
}
