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
    /// Places of velocities and displacements of the same interface degree of freedom.
    shared: Vec<Shared>,
}

struct Shared {
    displacement: bool,
    columns: Vec<usize>,
}

impl Table {
    /// Names the columns.
    pub fn name(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// Says which columns belong to the same interface degree of freedom.
    pub fn share(&mut self, displacement: bool, columns: Vec<usize>) {
        self.shared.push(Shared {
            displacement,
            columns,
        });
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

    /// How far the parts are apart at the interface.
    pub fn gaps(&self) -> Value {
        let widest = |displacement: bool| {
            let mut most = 0.0_f64;
            for shared in self
                .shared
                .iter()
                .filter(|s| s.displacement == displacement)
            {
                let width = self.names.len().max(1);
                for row in self.values.chunks(width) {
                    let each = || shared.columns.iter().filter_map(|c| row.get(*c));
                    let high = each().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
                    let low = each().fold(f64::INFINITY, |m, x| m.min(*x));
                    most = most.max(high - low);
                }
            }
            most
        };
        json!({ "velocity_gap": widest(false), "displacement_gap": widest(true) })
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
