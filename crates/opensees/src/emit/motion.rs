//! `[excitation]` and `[integration]`.

use std::fmt::Write;
use std::path::Path;

use tandem_quantity::Dimension;

use super::{Imported, Writer, number, quantity, text};
use crate::files::read_text;
use crate::model::{ElementKind, SeriesForm};

/// Step and duration where a script does not step through time.
const USUAL_STEP: f64 = 0.005;
const USUAL_DURATION: f64 = 10.0;

/// The file for a ground motion that is in no file of the script's folder.
fn motion_name(at: Option<&Path>) -> String {
    let stem = at.and_then(Path::file_stem).map_or_else(
        || "model".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    format!("{stem}-motion.txt")
}

impl Writer<'_> {
    /// The ground motion, and its values where they stand in the script.
    pub(super) fn excitation(
        &mut self,
        imported: &Imported,
        at: Option<&Path>,
    ) -> (String, Option<(String, String)>) {
        let Some(first) = self.model.motions.first() else {
            let duration = quantity(self.duration(), Dimension::TIME, self.units);
            return (
                format!(
                    "kind = \"none\"                 # the script moves no ground\n\
                    duration = {duration}\n"
                ),
                None,
            );
        };
        for motion in &self.model.motions[1..] {
            if motion.series.form != first.series.form {
                self.miss(
                    motion.place,
                    "pattern UniformExcitation",
                    "a second ground motion with another record is left out; motions of one record \
                    in several directions are taken",
                );
            }
        }
        let twice = self.model.elements.values().find(
            |element| matches!(element.kind, ElementKind::Elastic { mass, .. } if mass.value > 0.0),
        );
        if let Some(element) = twice {
            let reason = "the ground moves the mass of this elastic member once; OpenSees 3.7 \
                counts that load twice";
            self.assume(element.place, "element elasticBeamColumn … -mass", reason);
        }
        let (file, dt, beside) = match &first.series.form {
            SeriesForm::File(name, dt) => {
                let (file, beside) = self.found(imported, name, at);
                (file, *dt, beside)
            }
            SeriesForm::Values(values, dt) => {
                let name = motion_name(at);
                let lines: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
                (name.clone(), *dt, Some((name, lines.join("\n") + "\n")))
            }
            SeriesForm::Constant | SeriesForm::Linear | SeriesForm::Other(_) => {
                self.miss(
                    first.place,
                    "pattern UniformExcitation",
                    "only Path series with a fixed step are read as ground motions",
                );
                let duration = quantity(self.duration(), Dimension::TIME, self.units);
                return (format!("kind = \"none\"\nduration = {duration}\n"), None);
            }
        };
        // Values of the file × factor are accelerations in the script's units.
        let length = self.units.length();
        let named = self.units.time() == "s" && ["m", "cm", "mm", "in", "ft"].contains(&length);
        let (unit, factor) = if named {
            (format!("{length}/s^2"), first.series.factor)
        } else {
            let si = self.units.factor(Dimension::ACCELERATION);
            ("m/s^2".to_owned(), si * first.series.factor)
        };
        let mut lines = String::new();
        let _ = writeln!(lines, "record = {}", text(&file));
        let _ = writeln!(lines, "dt = {}", quantity(dt, Dimension::TIME, self.units));
        let _ = writeln!(lines, "unit = {}", text(&unit));
        let _ = writeln!(lines, "scale = {}", number(factor));
        (lines, beside)
    }

    /// The record seen from the plan; one that the script has made is written beside it.
    fn found(
        &mut self,
        imported: &Imported,
        name: &str,
        at: Option<&Path>,
    ) -> (String, Option<(String, String)>) {
        let place = self.model.motions[0].place;
        let found = imported.find(name).and_then(|path| {
            let made = imported.is_made(&path);
            Ok((made.then(|| read_text(&path)).transpose()?, path))
        });
        match found {
            Err(reason) => {
                self.assume(place, "pattern UniformExcitation", &reason.to_string());
                (name.to_owned(), None)
            }
            Ok((Some(text), _)) => {
                let name = motion_name(at);
                (name.clone(), Some((name, text)))
            }
            Ok((None, path)) => {
                let folder = at
                    .map(|at| at.parent().unwrap_or(Path::new("")))
                    .map(|folder| {
                        if folder.as_os_str().is_empty() {
                            Path::new(".")
                        } else {
                            folder
                        }
                    })
                    .and_then(|folder| folder.canonicalize().ok());
                let seen = folder
                    .as_deref()
                    .and_then(|folder| path.strip_prefix(folder).ok());
                (seen.unwrap_or(&path).to_string_lossy().into_owned(), None)
            }
        }
    }

    fn duration(&self) -> f64 {
        let usual = USUAL_DURATION / self.units.factor(Dimension::TIME);
        let transient = self.model.analysis.transient;
        transient.map_or(usual, |(dt, steps)| dt * steps)
    }

    /// Method and step as the script's analysis has them.
    pub(super) fn integration(&mut self) -> String {
        let place = self
            .model
            .motions
            .first()
            .map(|motion| motion.place)
            .unwrap_or_default();
        let analysis = &self.model.analysis;
        let (name, arguments) = analysis.stepping.clone().unwrap_or_default();
        let values: Vec<f64> = arguments
            .iter()
            .filter_map(|word| word.parse().ok())
            .collect();
        let keys = |keys: &[&str]| -> String {
            let pairs = keys.iter().zip(&values);
            pairs
                .map(|(key, value)| format!("{key} = {}\n", number(*value)))
                .collect()
        };
        let rho = |alpha: f64| 1.0 / alpha - 1.0;
        let (method, rest) = match (name.as_str(), values.as_slice()) {
            ("Newmark", &[gamma, beta]) if beta.abs() <= 0.0 => {
                ("newmark-explicit", format!("gamma = {}\n", number(gamma)))
            }
            ("Newmark", _) => ("newmark-iterated", keys(&["gamma", "beta"])),
            ("NewmarkExplicit", _) => ("newmark-explicit", keys(&["gamma"])),
            ("CentralDifference", _) => ("central-difference", String::new()),
            ("HHT" | "HHT_TP", &[alpha, ..]) => ("hht", format!("alpha = {}\n", number(alpha))),
            ("AlphaOS" | "AlphaOS_TP", &[alpha, ..]) => {
                ("alpha-os", format!("alpha = {}\n", number(alpha)))
            }
            ("GeneralizedAlpha", &[_, alpha_f, ..]) => (
                "generalised-alpha",
                format!("rho_inf = {}\n", number(rho(alpha_f))),
            ),
            ("HHTGeneralized" | "HHTGeneralized_TP", &[rho_inf]) => (
                "generalised-alpha",
                format!("rho_inf = {}\n", number(rho_inf)),
            ),
            ("KRAlphaExplicit" | "KRAlphaExplicit_TP", &[rho_inf, ..]) => {
                ("kr-alpha", format!("rho_inf = {}\n", number(rho_inf)))
            }
            ("", _) => ("newmark-iterated", String::new()),
            (other, _) => {
                let reason =
                    "this integrator has no counterpart here; average acceleration takes its place";
                self.assume(place, &format!("integrator {other}"), reason);
                ("newmark-iterated", String::new())
            }
        };
        if [
            "HHT",
            "AlphaOS",
            "HHTGeneralized",
            "GeneralizedAlpha",
            "KRAlphaExplicit",
        ]
        .contains(&name.as_str())
        {
            let reason = "OpenSees weighs displacements in this method, we weigh forces: the same \
                for linear structures, some 0.1 % of the peak for yielding ones";
            self.assume(place, &format!("integrator {name}"), reason);
        }
        let dt = self.model.analysis.transient.map(|(dt, _)| dt);
        if dt.is_none() && !self.model.motions.is_empty() {
            self.assume(
                place,
                "analyze",
                "the script does not step through time; the step of the plan is our choice",
            );
        }
        let dt = dt.unwrap_or(USUAL_STEP / self.units.factor(Dimension::TIME));
        let mut lines = format!(
            "method = {}\ndt = {}\n{rest}",
            text(method),
            quantity(dt, Dimension::TIME, self.units)
        );
        if self.model.analysis.transient.is_some() {
            let duration = quantity(self.duration(), Dimension::TIME, self.units);
            let _ = writeln!(lines, "duration = {duration}");
        }
        lines
    }
}
