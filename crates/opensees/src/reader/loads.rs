//! `timeSeries`, `pattern`, `load`, `eleLoad`, `loadConst`.

use super::Reader;
use super::arguments::Arguments;
use super::materials::tags;
use crate::error::ScriptError;
use crate::model::{Motion, Pattern, Series, SeriesForm, Tag};
use crate::script::{Answer, Argument, Place};

impl Reader {
    pub(super) fn series(&mut self, arguments: &mut Arguments) -> Result<Answer, ScriptError> {
        let kind = arguments.text("the kind of series")?;
        let tag = arguments.tag("its number")?;
        let series = form(&kind, arguments)?;
        self.model.series.insert(tag, series);
        Ok(Answer::Nothing)
    }

    /// A series by its number, or written out as Tcl allows: `Linear`, `"Series -dt 0.02 -filePath
    /// a.txt"`.
    fn series_of(&self, argument: Option<Argument>) -> Result<Series, ScriptError> {
        match argument {
            Some(Argument::Number(tag)) => {
                let tag = tags(&[tag])?.first().copied().unwrap_or(0);
                self.model
                    .series
                    .get(&tag)
                    .cloned()
                    .ok_or_else(|| ScriptError::NotThere(format!("the time series {tag}").into()))
            }
            Some(Argument::Text(text)) => {
                let mut words = Arguments::words(&text);
                let kind = words.text("the kind of series")?;
                form(&kind, &mut words)
            }
            None => Err(ScriptError::Missing("the time series".into())),
        }
    }

    pub(super) fn pattern(
        &mut self,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        // Loads that follow belong to no pattern until this one is understood.
        self.open_pattern = false;
        let kind = arguments.text("the kind of pattern")?;
        let tag = arguments.tag("its number")?;
        match kind.as_str() {
            "Plain" => {
                let factor = arguments
                    .option("-fact")
                    .or_else(|| arguments.option("-factor"))
                    .and_then(|list| list.first().copied());
                let next = arguments.any();
                let series = self.series_of(next)?;
                self.model.patterns.push(Pattern {
                    tag,
                    series,
                    factor: factor.unwrap_or(1.0),
                    nodal: Vec::new(),
                    uniform: Vec::new(),
                    frozen: None,
                    place,
                });
                self.open_pattern = true;
            }
            "UniformExcitation" => {
                let direction = arguments.tag("the direction")?;
                let direction = usize::try_from(direction - 1)
                    .ok()
                    .filter(|axis| *axis < self.model.size().0)
                    .ok_or_else(|| {
                        ScriptError::NotInAPlan(
                            format!("the ground cannot move in direction {direction}").into(),
                        )
                    })?;
                let factor = arguments
                    .option("-fact")
                    .or_else(|| arguments.option("-factor"))
                    .and_then(|list| list.first().copied())
                    .unwrap_or(1.0);
                if !arguments.take("-accel") {
                    return Err(ScriptError::NotInAPlan(
                        "only accelerations of the ground are read (-accel)".into(),
                    ));
                }
                let next = arguments.any();
                let mut series = self.series_of(next)?;
                series.factor *= factor;
                self.model.motions.push(Motion {
                    direction,
                    series,
                    place,
                });
            }
            "MultipleSupport" | "MultiSupport" | "MultipleSupportExcitation" => {
                return Err(ScriptError::NotInAPlan(
                    "motions of single supports are not read; write \
                    them into the plan: `motion` of \
                     a [[structure.support]]"
                        .into(),
                ));
            }
            other => {
                return Err(ScriptError::NoCounterpart(
                    format!("the pattern {other}").into(),
                ));
            }
        }
        Ok(Answer::Nothing)
    }

    fn last_pattern(&mut self) -> Result<&mut Pattern, ScriptError> {
        let open = self.open_pattern;
        self.model
            .patterns
            .last_mut()
            .filter(|_| open)
            .ok_or_else(|| {
                ScriptError::Contradiction("it belongs to a pattern that was not understood".into())
            })
    }

    pub(super) fn load(&mut self, arguments: &mut Arguments) -> Result<Answer, ScriptError> {
        let node = arguments.tag("the node")?;
        if !self.model.nodes.contains_key(&node) {
            return Err(ScriptError::NotThere(format!("node {node}").into()));
        }
        let values = arguments.rest();
        self.last_pattern()?.nodal.push((node, values));
        Ok(Answer::Nothing)
    }

    /// `eleLoad -ele 1 2 -type -beamUniform Wy [Wz] [Wx]`
    pub(super) fn element_load(
        &mut self,
        arguments: &mut Arguments,
    ) -> Result<Answer, ScriptError> {
        let elements: Vec<Tag> = if let Some(list) = arguments.option("-ele") {
            tags(&list)?
        } else if let Some(range) = arguments.option("-range") {
            match tags(&range)?.as_slice() {
                &[from, to] => self
                    .model
                    .elements
                    .range(from..=to.max(from))
                    .map(|e| *e.0)
                    .collect(),
                _ => {
                    return Err(ScriptError::Contradiction(
                        "-range needs two numbers".into(),
                    ));
                }
            }
        } else {
            return Err(ScriptError::Missing("-ele".into()));
        };
        arguments.take("-type");
        let kind = arguments.text("the kind of load")?;
        if !matches!(kind.as_str(), "-beamUniform" | "beamUniform") {
            return Err(ScriptError::NotInAPlan(
                format!("the element load {kind} has no counterpart here (a uniform one has)")
                    .into(),
            ));
        }
        let values = arguments.rest();
        let load = match (self.model.in_space(), values.as_slice()) {
            (false, &[y]) => [0.0, y, 0.0],
            (false, &[y, x]) => [x, y, 0.0],
            (true, &[y, z]) => [0.0, y, z],
            (true, &[y, z, x]) => [x, y, z],
            _ => {
                return Err(ScriptError::NotRead(
                    format!("a uniform load of {} numbers", values.len()).into(),
                ));
            }
        };
        for element in &elements {
            if !self.model.elements.contains_key(element) {
                return Err(ScriptError::NotThere(format!("element {element}").into()));
            }
        }
        let pattern = self.last_pattern()?;
        pattern
            .uniform
            .extend(elements.into_iter().map(|element| (element, load)));
        Ok(Answer::Nothing)
    }

    /// From here on the loads stay as they are.
    pub(super) fn freeze(&mut self, arguments: &mut Arguments) -> Result<Answer, ScriptError> {
        let time = self.model.analysis.time;
        for pattern in &mut self.model.patterns {
            if pattern.frozen.is_none() {
                pattern.frozen = Some(pattern.factor * at(&pattern.series, time)?);
            }
        }
        if let Some(time) = arguments
            .option("-time")
            .and_then(|list| list.first().copied())
        {
            self.model.analysis.time = time;
        }
        Ok(Answer::Nothing)
    }
}

/// Factor of a series at a time, for those that loads of rest use.
pub(super) fn at(series: &Series, time: f64) -> Result<f64, ScriptError> {
    match &series.form {
        SeriesForm::Constant => Ok(series.factor),
        SeriesForm::Linear => Ok(series.factor * time),
        _ => Err(ScriptError::NotInAPlan(
            "loads at rest follow a Linear or Constant series".into(),
        )),
    }
}

fn form(kind: &str, arguments: &mut Arguments) -> Result<Series, ScriptError> {
    let mut factor = arguments
        .option("-factor")
        .or_else(|| arguments.option("-fact"))
        .and_then(|list| list.first().copied())
        .unwrap_or(1.0);
    let form = match kind {
        "Constant" | "ConstantSeries" => SeriesForm::Constant,
        "Linear" | "LinearSeries" => SeriesForm::Linear,
        "Path" | "Series" | "PathSeries" => {
            if arguments
                .option("-startTime")
                .is_some_and(|list| list.iter().any(|t| t.abs() > 0.0))
            {
                return Err(ScriptError::NoCounterpart(
                    "a start time of a Path series".into(),
                ));
            }
            let step = arguments
                .option("-dt")
                .and_then(|list| list.first().copied());
            let file = arguments
                .option_text("-filePath")
                .or_else(|| arguments.option_text("-fileName"));
            let step = step.filter(|dt| *dt > 0.0);
            let values = arguments.option("-values");
            match (file, values, step) {
                (Some(file), _, Some(dt)) => SeriesForm::File(file, dt),
                (None, Some(values), Some(dt)) => SeriesForm::Values(values, dt),
                (_, _, None) => {
                    return Err(ScriptError::NotRead("a Path series without -dt".into()));
                }
                _ => return Err(ScriptError::Missing("-filePath or -values".into())),
            }
        }
        other => {
            factor = 1.0;
            SeriesForm::Other(other.to_owned())
        }
    };
    Ok(Series { form, factor })
}
