//! Tables of text: names and numbers between commas.

use std::collections::BTreeMap;
use std::path::Path;

use crate::data;

/// A table with a line of names above its rows.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// What the columns hold.
    pub names: Vec<String>,
    /// Cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table of a file.
    ///
    /// # Panics
    /// Where the file cannot be read or has less than two lines.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let mut rows = cells(path);
        assert!(rows.len() > 1, "{} is short", path.display());
        let names = rows.remove(0);
        Self { names, rows }
    }

    /// The numbers of all rows.
    ///
    /// # Panics
    /// Where a cell is none.
    #[must_use]
    pub fn values(&self) -> Vec<Vec<f64>> {
        self.rows.iter().map(|row| numbers(row)).collect()
    }

    /// Place of a column.
    ///
    /// # Panics
    /// Where there is none of this name.
    #[must_use]
    pub fn place(&self, name: &str) -> usize {
        let place = self.names.iter().position(|own| own == name);
        place.unwrap_or_else(|| panic!("no {name} in {:?}", self.names))
    }

    /// The numbers of a column.
    ///
    /// # Panics
    /// Where there is none of this name, or a cell is no number.
    #[must_use]
    pub fn column(&self, name: &str) -> Vec<f64> {
        let place = self.place(name);
        self.values().iter().map(|row| row[place]).collect()
    }

    /// The numbers of all rows by the name that stands in their first cell, which is left out.
    ///
    /// # Panics
    /// Where another cell is no number.
    #[must_use]
    pub fn cases(&self) -> BTreeMap<String, Vec<Vec<f64>>> {
        let mut cases = BTreeMap::<_, Vec<_>>::new();
        for row in &self.rows {
            let (name, values) = row.split_first().expect("a line has a cell");
            cases.entry(name.clone()).or_default().push(numbers(values));
        }
        cases
    }
}

/// A table of reference solutions that may not be shipped, or a skip.
#[must_use]
pub fn oracle(file: &str) -> Option<Table> {
    Some(Table::read(&data(&format!("oracles/{file}"))?))
}

/// Cells of a file, line by line, without lines that begin with `#`.
///
/// # Panics
/// Where the file cannot be read.
#[must_use]
pub fn cells(path: &Path) -> Vec<Vec<String>> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

/// The numbers in these cells.
///
/// # Panics
/// Where a cell is none.
#[must_use]
pub fn numbers(cells: &[String]) -> Vec<f64> {
    let number = |cell: &String| {
        cell.parse()
            .unwrap_or_else(|_| panic!("{cell:?} in {cells:?}"))
    };
    cells.iter().map(number).collect()
}
