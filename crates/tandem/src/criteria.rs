//! The criteria of the benchmark problems.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tandem_monitor::criteria::{Axis, Node, Percent, Spread, multi_axial, single_actuator};

/// Where the actuators were, as one way of looking has it: measured, estimated or in truth.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Strokes of the actuators at the steps, m.
    pub strokes: Vec<Vec<f64>>,
    /// What they make of the interface (m, rad), where a linkage stands between; else empty.
    pub interface: Vec<Vec<f64>>,
}

impl Output {
    /// Motion of the interface.
    #[must_use]
    pub fn at_interface(&self) -> &[Vec<f64>] {
        if self.interface.is_empty() {
            &self.strokes
        } else {
            &self.interface
        }
    }
}

/// By which problem a run is judged, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Criteria {
    /// J1 … J9 of Silva et al. 2020: three floors, the first shared with the specimen.
    SingleActuator,
    /// J1 … J10 of Condori Uribe et al. 2023; degrees of freedom away from the interface, from
    /// zero.
    MultiAxial(Vec<usize>),
}

impl Criteria {
    /// Degrees of freedom that the criteria look at, from zero: the interface first.
    #[must_use]
    pub fn shown(&self, interface: &[usize]) -> Vec<usize> {
        let others: Vec<usize> = match self {
            Self::SingleActuator => vec![1, 2],
            Self::MultiAxial(dof) => dof.clone(),
        };
        interface.iter().chain(&others).copied().collect()
    }

    /// The criteria of signals at the steps, one list for each actuator or shown degree of freedom;
    /// what is longer than the shortest is left out. `criteria` and `criteria_rms`. `output` stands
    /// where the problems have the measured and the estimated displacement.
    #[must_use]
    pub fn compare(
        &self,
        targets: &[Vec<f64>],
        output: &Output,
        numerical: &[Vec<f64>],
        history: &[Vec<f64>],
        dt: f64,
    ) -> Option<[CriteriaValues; 2]> {
        let all = [
            targets,
            &output.strokes,
            output.at_interface(),
            numerical,
            history,
        ];
        let length = all
            .iter()
            .flat_map(|list| list.iter())
            .map(Vec::len)
            .min()?;
        let [targets, measured, interface, numerical, history] =
            all.map(|list| list.iter().map(|s| &s[..length]).collect::<Vec<_>>());
        match self {
            Self::SingleActuator => single_actuator(
                targets[0],
                measured[0],
                [numerical[1], numerical[2]],
                [history[0], history[1], history[2]],
                dt,
            )
            .ok()
            .map(|j| {
                both(&[
                    Part::Plain(vec![j.j1_ms]),
                    Part::Both(vec![j.j2]),
                    Part::Plain(vec![j.j3]),
                    Part::Both(vec![j.j4]),
                    Part::Plain(vec![j.j5]),
                    Part::Both(vec![j.j6]),
                    Part::Both(vec![j.j7]),
                    Part::Plain(vec![j.j8]),
                    Part::Plain(vec![j.j9]),
                ])
            }),
            Self::MultiAxial(_) => {
                let axes: Vec<Axis<'_>> = targets
                    .iter()
                    .zip(&measured)
                    .map(|(target, measured)| Axis {
                        target,
                        measured,
                        estimated: measured,
                    })
                    .collect();
                let nodes: Vec<Node<'_>> = numerical
                    .iter()
                    .zip(&history)
                    .enumerate()
                    .map(|(i, (numerical, reference))| Node {
                        estimated: interface.get(i).copied(),
                        numerical,
                        reference,
                    })
                    .collect();
                of_axes(&axes, &nodes, dt)
            }
        }
    }
}

/// J1 … J10 of axes and nodes: `criteria` and `criteria_rms`. J4 is the lag of the estimate in the
/// second, as printed; the distributed program repeats J1 there.
#[must_use]
pub fn of_axes(axes: &[Axis<'_>], nodes: &[Node<'_>], dt: f64) -> Option<[CriteriaValues; 2]> {
    multi_axial(axes, nodes, dt).ok().map(|j| {
        let coded_j4 = j.j1_ms.clone();
        both(&[
            Part::Plain(j.j1_ms),
            Part::Both(j.j2),
            Part::Plain(j.j3),
            Part::ThreadedIntegrator(coded_j4, j.j4_ms),
            Part::Both(j.j5),
            Part::Plain(j.j6),
            Part::Both(j.j7),
            Part::Both(j.j8),
            Part::Plain(j.j9),
            Part::Plain(j.j10),
        ])
    })
}

/// One criterion: the same in both forms, or measured by both spreads, or something else as coded
/// than as printed.
enum Part {
    Plain(Vec<f64>),
    Both(Vec<Percent>),
    ThreadedIntegrator(Vec<f64>, Vec<f64>),
}

fn both(parts: &[Part]) -> [CriteriaValues; 2] {
    [Spread::Deviation, Spread::Rms].map(|spread| {
        let values = parts.iter().map(|part| match part {
            Part::Plain(values) => values.clone(),
            Part::Both(values) => values.iter().map(|p| p.of(spread)).collect(),
            Part::ThreadedIntegrator(coded, _) if spread == Spread::Deviation => coded.clone(),
            Part::ThreadedIntegrator(_, printed) => printed.clone(),
        });
        (1..).zip(values).collect()
    })
}

/// Values of the criteria J1, J2, … of a benchmark problem by their numbers: one value for each
/// actuator, or for each degree of freedom that the problem looks at. Not a number where a signal
/// does not tell it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CriteriaValues(BTreeMap<u8, Vec<f64>>);

impl CriteriaValues {
    /// The values of J`number`; none where the problem has no such criterion.
    #[must_use]
    pub fn get(&self, number: u8) -> &[f64] {
        self.0.get(&number).map_or(&[], Vec::as_slice)
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &[f64])> {
        let all = self.0.iter();
        all.map(|(number, values)| (*number, values.as_slice()))
    }

    /// Every value with the number of its criterion and its place there.
    pub fn places(&self) -> impl Iterator<Item = (u8, usize)> {
        let all = self.iter();
        all.flat_map(|(number, values)| (0..values.len()).map(move |place| (number, place)))
    }

    /// Whether these are those of the multi-axial problem, which has ten.
    #[must_use]
    pub fn are_multi_axial(&self) -> bool {
        self.0.contains_key(&10)
    }

    /// Unit of J`number`: the lags J1 and, of the multi-axial problem, J4 are in ms.
    #[must_use]
    pub fn unit(&self, number: u8) -> &'static str {
        unit(number, self.are_multi_axial())
    }
}

/// Unit of J`number` of the multi-axial problem, or of the other one.
#[must_use]
pub fn unit(number: u8, multi_axial: bool) -> &'static str {
    match number {
        1 => "ms",
        4 if multi_axial => "ms",
        _ => "%",
    }
}

/// Its name in tables and files.
#[must_use]
pub fn name(number: u8) -> String {
    format!("J{number}")
}

impl FromIterator<(u8, Vec<f64>)> for CriteriaValues {
    fn from_iter<T: IntoIterator<Item = (u8, Vec<f64>)>>(iter: T) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl Serialize for CriteriaValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(number, values)| (name(number), values)))
    }
}

impl<'de> Deserialize<'de> for CriteriaValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = BTreeMap::<String, Vec<Option<f64>>>::deserialize(deserializer)?;
        let read = written.into_iter().map(|(name, values)| {
            let number = name
                .strip_prefix('J')
                .and_then(|digits| digits.parse().ok());
            let number = number.ok_or_else(|| {
                serde::de::Error::custom(format!("`{name}` is no criterion: expected J1, J2, …"))
            })?;
            let values = values.into_iter().map(|x| x.unwrap_or(f64::NAN));
            Ok((number, values.collect()))
        });
        read.collect()
    }
}

impl JsonSchema for CriteriaValues {
    fn schema_name() -> Cow<'static, str> {
        "CriteriaValues".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "patternProperties": {
                "^J[0-9]+$": { "type": "array", "items": { "type": ["number", "null"] } }
            },
            "additionalProperties": false
        })
    }
}
