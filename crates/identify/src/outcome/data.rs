//! Columns of equally spaced samples, from a text file or from a run.

use std::path::Path;

use tandem_coordinator::recorder::RunReader;
use tandem_quantity::{Dimension, parse_unit};

use super::Error;

/// One signal.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name, without the unit.
    pub name: String,
    /// In SI, where the heading has a unit; else as it stands.
    pub samples: Vec<f64>,
    /// Dimension of the unit in the heading.
    pub dimension: Option<Dimension>,
}

/// All signals of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// Where they came from, for headings.
    pub source: String,
    /// Samples per second.
    pub fs: f64,
    /// The signals; without the time.
    pub columns: Vec<Column>,
}

/// Names under which a signal is looked for, best first. A number may follow after `/`, `_` or
/// nothing.
pub const COMMAND: &[&str] = &[
    "command",
    "command_displacement",
    "input",
    "reference",
    "setpoint",
    "target",
    "u",
    "r",
];
/// Likewise.
pub const DISPLACEMENT: &[&str] = &[
    "measured_displacement",
    "measured",
    "displacement",
    "disp",
    "output",
    "y",
    "x",
    "d",
];
/// Likewise.
pub const FORCE: &[&str] = &["measured_force", "force", "load", "f", "hammer"];
/// Likewise.
pub const ACCELERATION: &[&str] = &["measured_acceleration", "acceleration", "accel", "acc", "a"];

const TIMES: &[&str] = &["time", "wall_time", "t", "structural_time"];

impl Data {
    /// Reads a folder of a run, its `run.h5`, or columns of text (comma, semicolon, tab or blanks)
    /// with a line of names. A unit may stand behind a name as in `force [kN]` or `force (kN)`.
    /// `rate` (Hz) is needed where there is no column of time.
    pub fn read(path: &Path, rate: Option<f64>) -> Result<Self, Error> {
        let h5 = if path.is_dir() {
            path.join("run.h5")
        } else {
            path.to_path_buf()
        };
        if h5.extension().is_some_and(|e| e == "h5") {
            return Self::of_run(path, &h5, rate);
        }
        let bytes = std::fs::read(path)
            .map_err(|error| Error::Data(format!("{} cannot be read: {error}", path.display())))?;
        let text = String::from_utf8_lossy(&bytes);
        let source = path.file_name().map_or_else(
            || path.display().to_string(),
            |n| n.to_string_lossy().into_owned(),
        );
        Self::of_text(&text, &source, rate)
    }

    fn of_run(path: &Path, h5: &Path, rate: Option<f64>) -> Result<Self, Error> {
        let fault =
            |error: &dyn std::fmt::Display| Error::Data(format!("{}: {error}", h5.display()));
        let run = RunReader::open(h5).map_err(|e| fault(&e))?;
        let mut columns = Vec::new();
        for info in run.columns() {
            columns.push(Column {
                name: info.name.clone(),
                samples: run.read(&info.name).map_err(|e| fault(&e))?,
                dimension: parse_unit(&info.unit).ok().map(|unit| unit.dimension),
            });
        }
        Self::with_time(columns, path.display().to_string(), rate)
    }

    /// Columns of a text.
    pub fn of_text(text: &str, source: &str, rate: Option<f64>) -> Result<Self, Error> {
        let fault = |text: String| Error::Data(format!("{source}: {text}"));
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let (_, head) = lines
            .next()
            .ok_or_else(|| fault("the file is empty".into()))?;
        let separator = [',', ';', '\t'].into_iter().find(|s| head.contains(*s));
        let split = |line: &str| -> Vec<String> {
            let clean = |word: &str| word.trim().trim_matches('"').trim().to_owned();
            match separator {
                Some(s) => line.split(s).map(clean).collect(),
                None => line.split_whitespace().map(clean).collect(),
            }
        };
        let names = split(head);
        if names.iter().all(|word| word.parse::<f64>().is_ok()) {
            return Err(fault(
                "the first line has no names; write for example `time,command,displacement` above \
                the numbers"
                    .into(),
            ));
        }
        let mut factors = Vec::new();
        let mut columns = Vec::new();
        for name in &names {
            let (plain, unit) = split_unit(name);
            let unit = match unit {
                Some(text) => Some(parse_unit(text).map_err(|error| {
                    fault(format!(
                        "column `{name}`: {error}; write a unit such as [mm], [kN] or \
                        [m/s^2], or none for SI"
                    ))
                })?),
                None => None,
            };
            factors.push(unit.as_ref().map_or(1.0, |unit| unit.factor));
            columns.push(Column {
                name: plain.to_owned(),
                samples: Vec::new(),
                dimension: unit.map(|unit| unit.dimension),
            });
        }
        for (number, line) in lines {
            let words = split(line);
            if words.len() != names.len() {
                return Err(fault(format!(
                    "line {}: {} values for {} columns",
                    number + 1,
                    words.len(),
                    names.len()
                )));
            }
            for ((word, column), factor) in words.iter().zip(&mut columns).zip(&factors) {
                let value: f64 = word.parse().map_err(|_| {
                    fault(format!(
                        "line {}: `{word}` in column `{}` is no number",
                        number + 1,
                        column.name
                    ))
                })?;
                column.samples.push(value * factor);
            }
        }
        Self::with_time(columns, source.to_owned(), rate)
    }

    fn with_time(
        mut columns: Vec<Column>,
        source: String,
        rate: Option<f64>,
    ) -> Result<Self, Error> {
        let fault = |text: String| Error::Data(format!("{source}: {text}"));
        let time = TIMES.iter().find_map(|name| {
            columns
                .iter()
                .position(|c| c.name.eq_ignore_ascii_case(name))
        });
        let fs = match (rate, time) {
            (Some(rate), _) if rate > 0.0 && rate.is_finite() => rate,
            (Some(rate), _) => return Err(fault(format!("a rate of {rate} Hz makes no sense"))),
            (None, Some(at)) => {
                spacing(&columns[at].samples).map_err(|error| fault(error.to_string()))?
            }
            (None, None) => {
                let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
                return Err(fault(format!(
                    "there is no column of time among {}; name one `time`, or give --rate",
                    names.join(", ")
                )));
            }
        };
        if let Some(at) = time {
            columns.remove(at);
        }
        Ok(Self {
            source,
            fs,
            columns,
        })
    }

    /// The columns of that name, else of the first of these words that any column begins with, in
    /// the order of their numbers.
    pub fn find(
        &self,
        given: &[String],
        words: &[&str],
        what: &str,
    ) -> Result<Vec<&Column>, Error> {
        let names = || {
            self.columns
                .iter()
                .map(|c| c.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        if !given.is_empty() {
            return given
                .iter()
                .map(|name| {
                    self.columns
                        .iter()
                        .find(|c| c.name.eq_ignore_ascii_case(name))
                        .ok_or_else(|| {
                            Error::Data(format!(
                                "{}: there is no column `{name}`; there are {}",
                                self.source,
                                names()
                            ))
                        })
                })
                .collect();
        }
        for word in words {
            let found: Vec<&Column> = self
                .columns
                .iter()
                .filter(|c| is_called(&c.name, word))
                .collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Err(Error::Data(format!(
            "{}: no column for the {what}; there are {}. Name one `{}`, or say which it is",
            self.source,
            names(),
            words.first().unwrap_or(&what)
        )))
    }

    /// Sampling times of `n` samples, s.
    #[must_use]
    pub fn times(&self, n: usize) -> Vec<f64> {
        (0..n).map(|k| k as f64 / self.fs).collect()
    }
}

/// `force [kN]` or `force (kN)`.
fn split_unit(name: &str) -> (&str, Option<&str>) {
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let (Some(from), Some(stripped)) = (name.find(open), name.strip_suffix(close)) {
            return (name[..from].trim(), Some(stripped[from + 1..].trim()));
        }
    }
    (name.trim(), None)
}

/// The word itself, or the word with a number behind it.
fn is_called(name: &str, word: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix(word).is_some_and(|rest| {
        let rest = rest.trim_start_matches(['/', '_', ' ', '-']);
        rest.chars().all(|c| c.is_ascii_digit())
    })
}

/// Why a column of times is none.
#[derive(Debug, thiserror::Error)]
enum TimesError {
    #[error("there are no samples")]
    None,
    #[error("{0} samples are too few")]
    Few(usize),
    #[error("the time does not grow")]
    Still,
    #[error(
        "sample {line} comes {step} s after the one before, where the mean is {mean} s; resample \
         the data evenly"
    )]
    Uneven { line: usize, step: f64, mean: f64 },
}

/// Samples per second of a column of times.
fn spacing(times: &[f64]) -> Result<f64, TimesError> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err(TimesError::None);
    };
    if times.len() < 3 {
        return Err(TimesError::Few(times.len()));
    }
    let dt = (last - first) / (times.len() - 1) as f64;
    if !(dt > 0.0 && dt.is_finite()) {
        return Err(TimesError::Still);
    }
    for (k, pair) in times.windows(2).enumerate() {
        let step = pair[1] - pair[0];
        if !step.is_finite() || (step - dt).abs() >= 0.05 * dt {
            return Err(TimesError::Uneven {
                line: k + 2,
                step,
                mean: dt,
            });
        }
    }
    Ok(1.0 / dt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_units_and_separators() {
        for text in [
            "time,command [mm],force (kN)\n0,1,2\n0.5,3,4\n1.0,5,6\n",
            "# made by hand\ntime;command [mm];force [kN]\n0;1;2\n0.5;3;4\n1.0;5;6\n",
        ] {
            let data = Data::of_text(text, "x", None).unwrap();
            assert!((data.fs - 2.0).abs() < 1e-12);
            let force = data.find(&[], FORCE, "force").unwrap();
            assert!((force[0].samples[2] - 6000.0).abs() < 1e-9);
            let command = data.find(&[], COMMAND, "command").unwrap();
            assert!((command[0].samples[1] - 3e-3).abs() < 1e-15);
        }
        let numbered = "t u1 u2 y\n0 1 2 3\n1 1 2 3\n2 1 2 3\n";
        let data = Data::of_text(numbered, "x", None).unwrap();
        assert_eq!(data.find(&[], COMMAND, "command").unwrap().len(), 2);
    }

    #[test]
    fn wrong_files_are_told_with_their_place() {
        let text = |t: &str, rate| Data::of_text(t, "x", rate).unwrap_err().to_string();
        assert!(text("", None).contains("empty"));
        assert!(text("1,2\n3,4\n", None).contains("no names"));
        assert!(text("time,u\n0,1\n1,a\n", None).contains("line 3"));
        assert!(text("time,u\n0,1\n1\n", None).contains("line 3"));
        assert!(text("time,u\n0,1\n1,1\n5,1\n6,1\n", None).contains("sample"));
        assert!(text("u,y\n0,1\n1,1\n5,1\n", None).contains("--rate"));
        assert!(text("time,u [furlong]\n0,1\n", None).contains("furlong"));
        let fine = Data::of_text("u,y\n0,1\n1,1\n5,1\n", "x", Some(10.0)).unwrap();
        assert!(fine.find(&["z".into()], COMMAND, "command").is_err());
        assert!(fine.find(&[], FORCE, "force").is_err());
    }
}
