//! What a co-simulation leaves: one row per communication point.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

/// Columns over time.
#[derive(Default)]
pub struct Table {
    names: Vec<String>,
    times: Vec<f64>,
    values: Vec<f64>,
    /// What the parts have at each degree of freedom of the interface, one entry a part that is tied to it.
    shared: Vec<Vec<Tied>>,
    /// Displacements of the undivided structure there, where it could be computed.
    undivided: Vec<Vec<f64>>,
    /// Largest stable step of explicit parts alone, s, where the run itself has found it.
    limits: Vec<(String, f64)>,
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
    pub fn name(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// Says which columns meet at the interface.
    pub fn tie(&mut self, columns: &[Tied]) {
        let most = columns.iter().map(|tied| tied.shared + 1).max();
        let at = |dof: usize| columns.iter().filter(move |tied| tied.shared == dof);
        self.shared = (0..most.unwrap_or(0))
            .map(|dof| at(dof).copied().collect())
            .collect();
    }

    /// Lays the displacements of the undivided structure beside those of the parts, one list for each degree of freedom of the interface.
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
    pub fn row(&mut self, time: f64, values: impl IntoIterator<Item = f64>) {
        self.times.push(time);
        self.values.extend(values);
    }

    fn column(&self, index: usize) -> impl Iterator<Item = f64> + '_ {
        let width = self.names.len().max(1);
        self.values
            .chunks(width)
            .filter_map(move |row| row.get(index).copied())
    }

    /// Name and time of the first value that is no finite number.
    pub fn first_that_is_no_number(&self) -> Option<(&str, f64)> {
        let place = self.values.iter().position(|x| !x.is_finite())?;
        let width = self.names.len().max(1);
        let time = self.times.get(place / width)?;
        Some((self.title(place % width), *time))
    }

    /// Peak, root mean square and last value of every column.
    pub fn response(&self) -> Value {
        let mut map = serde_json::Map::new();
        #[allow(clippy::cast_precision_loss)] // a mean
        let count = self.times.len().max(1) as f64;
        for (index, name) in self.names.iter().enumerate() {
            let peak = self
                .column(index)
                .fold(0.0_f64, |most, x| most.max(x.abs()));
            let square: f64 = self.column(index).map(|x| x * x).sum();
            let last = self.column(index).last();
            map.insert(
                name.clone(),
                json!({ "peak": peak, "rms": (square / count).sqrt(), "final": last }),
            );
        }
        Value::Object(map)
    }

    /// Name of a column.
    pub fn title(&self, column: usize) -> &str {
        self.names.get(column).map_or("", String::as_str)
    }

    /// Names of all columns.
    pub fn names(&self) -> &[String] {
        &self.names
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

    /// How far the parts are apart at the interface, and how far from the undivided structure.
    pub fn gaps(&self) -> Value {
        let widest = |place: &dyn Fn(&Tied) -> usize| {
            let mut most = 0.0_f64;
            for tied in &self.shared {
                for row in self.values.chunks(self.names.len().max(1)) {
                    let each = || tied.iter().filter_map(|tied| row.get(place(tied)));
                    let high = each().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
                    let low = each().fold(f64::INFINITY, |m, x| m.min(*x));
                    most = most.max(high - low);
                }
            }
            most
        };
        let mut gaps = json!({ "velocity_gap": widest(&|tied| tied.v), "displacement_gap": widest(&|tied| tied.u) });
        let (mut worst, mut peak) = (0.0_f64, 0.0_f64);
        for (tied, whole) in self.shared.iter().zip(&self.undivided) {
            peak = whole.iter().fold(peak, |m, x| m.max(x.abs()));
            for tied in tied {
                let both = self.column(tied.u).zip(whole);
                worst = both.fold(worst, |m, (a, b)| m.max((a - b).abs()));
            }
        }
        if peak > 0.0 {
            gaps["from_undivided_percent"] = json!(100.0 * worst / peak);
        }
        gaps
    }

    /// Writes a CSV file.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
        write!(out, "time")?;
        for name in &self.names {
            if name.contains(',') {
                write!(out, ",\"{name}\"")?;
            } else {
                write!(out, ",{name}")?;
            }
        }
        writeln!(out)?;
        for (time, row) in self
            .times
            .iter()
            .zip(self.values.chunks(self.names.len().max(1)))
        {
            write!(out, "{time}")?;
            for value in row {
                write!(out, ",{value}")?;
            }
            writeln!(out)?;
        }
        out.flush()
    }
}
