//! What varies in a campaign, and the values of a run.

use tandem_quantity::{BuildError, Dimension, Kind, Parameter, Range, Values};
use tandem_signal::noise::WhiteNoise;

use crate::parallel::scramble;

/// The section `[campaign]` of a plan.
pub static PARAMETERS: &[Parameter] = &[Parameter::of(
    "vary",
    Kind::Tables(VARY),
    "keys of the plan that are drawn anew for every run of `tandem campaign`",
)
.optional()
.within(Range::between(1.0, 1e3))];

static VARY: &[Parameter] = &[
    Parameter::of(
        "key",
        Kind::Text,
        "the key, as after --set: \"rig.plant.stiffness\"",
    ),
    Parameter::of(
        "distribution",
        Kind::Choice(&["normal", "log-normal", "uniform", "values"]),
        "normal: mean and deviation; log-normal: mean is the median, deviation that of the natural logarithm; uniform: \
         minimum and maximum; values: each of a list is as likely",
    )
    .or("\"normal\""),
    Parameter::number("mean", Dimension::NONE, "in `unit`").optional(),
    Parameter::number("deviation", Dimension::NONE, "standard deviation, in `unit`")
        .optional()
        .not_negative(),
    Parameter::number(
        "minimum",
        Dimension::NONE,
        "lowest value, in `unit`; draws below it are drawn again",
    )
    .optional(),
    Parameter::number(
        "maximum",
        Dimension::NONE,
        "highest value, in `unit`; draws above it are drawn again",
    )
    .optional(),
    Parameter::of("unit", Kind::Text, "unit of the drawn numbers; default: none").optional(),
    Parameter::of("whole", Kind::Boolean, "round to whole numbers").or("false"),
    Parameter::of("values", Kind::Texts, "what is chosen from").optional(),
];

/// One key that varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// The key of the plan.
    pub key: String,
    /// Its unit; empty where there is none.
    pub unit: String,
    law: Law,
    bounds: [f64; 2],
    whole: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Law {
    Normal { mean: f64, deviation: f64 },
    LogNormal { median: f64, deviation: f64 },
    Uniform,
    Values(Vec<String>),
}

/// The value of a run: as a number for tables (of a list: its place, from one), and as text for the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// For tables and sensitivity.
    pub number: f64,
    /// For `--set`.
    pub text: String,
}

impl Variation {
    /// From one table of `[[campaign.vary]]`.
    ///
    /// # Errors
    /// [`BuildError`] where keys of the distribution are missing or contradict each other.
    pub fn new(values: &Values) -> Result<Self, BuildError> {
        let given = |key: &str| {
            values.optional_number(key).ok_or_else(|| {
                BuildError::new(
                    key,
                    "this distribution needs it",
                    format!("write {key} = 1.0 (in `unit`)"),
                )
            })
        };
        let law = match values.text("distribution")? {
            "uniform" => {
                given("minimum")?;
                given("maximum")?;
                Law::Uniform
            }
            "values" => {
                let list: Vec<String> = match values.has("values") {
                    true => values
                        .texts("values")?
                        .into_iter()
                        .map(str::to_owned)
                        .collect(),
                    false => Vec::new(),
                };
                if list.is_empty() {
                    return Err(BuildError::new(
                        "values",
                        "there is nothing to choose from",
                        "write values = [\"one\", \"two\"]",
                    ));
                }
                Law::Values(list)
            }
            "log-normal" => Law::LogNormal {
                median: given("mean")?,
                deviation: given("deviation")?,
            },
            _ => Law::Normal {
                mean: given("mean")?,
                deviation: given("deviation")?,
            },
        };
        let bounds = [
            values
                .optional_number("minimum")
                .unwrap_or(f64::NEG_INFINITY),
            values.optional_number("maximum").unwrap_or(f64::INFINITY),
        ];
        if bounds[0] > bounds[1] {
            return Err(BuildError::new(
                "maximum",
                "it is below the minimum",
                "exchange the two",
            ));
        }
        Ok(Self {
            key: values.text("key")?.to_owned(),
            unit: values.optional_text("unit").unwrap_or("").to_owned(),
            law,
            bounds,
            whole: values.boolean("whole")?,
        })
    }

    /// Which of the random plants: what varies when the plan names nothing.
    #[must_use]
    pub fn of_draws() -> Self {
        Self {
            key: "rig.plant.draw".into(),
            unit: String::new(),
            law: Law::Uniform,
            bounds: [0.5, 999_999_999.5],
            whole: true,
        }
    }

    /// The value of a run: the same for the same seed, run and place in the list of variations.
    #[must_use]
    pub fn draw(&self, seed: u64, run: u64, place: u64) -> Drawn {
        let word = scramble(seed, run, 16 + place);
        #[allow(clippy::cast_precision_loss)] // 53 bits
        let share = (word >> 11) as f64 / 9_007_199_254_740_992.0;
        let number = match &self.law {
            Law::Values(list) => {
                #[allow(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss
                )]
                // a place in a list
                let at = ((share * list.len() as f64) as usize).min(list.len() - 1);
                #[allow(clippy::cast_precision_loss)]
                return Drawn {
                    number: at as f64 + 1.0,
                    text: list[at].clone(),
                };
            }
            Law::Uniform => self.bounds[0] + share * (self.bounds[1] - self.bounds[0]),
            Law::Normal { mean, deviation } => self.truncated(word, |z| mean + deviation * z),
            Law::LogNormal { median, deviation } => {
                self.truncated(word, |z| median * (deviation * z).exp())
            }
        };
        let number = if self.whole { number.round() } else { number };
        let digits = if self.whole {
            format!("{number:.0}")
        } else {
            format!("{number:?}")
        };
        let text = if self.unit.is_empty() {
            digits
        } else {
            format!("{digits} {}", self.unit)
        };
        Drawn { number, text }
    }

    /// Draws again while the value lies outside; a hundred times at most.
    fn truncated(&self, seed: u64, law: impl Fn(f64) -> f64) -> f64 {
        let mut value = law(0.0);
        if let Ok(mut normal) = WhiteNoise::new(1.0, seed) {
            for _ in 0..100 {
                value = law(normal.next());
                if value >= self.bounds[0] && value <= self.bounds[1] {
                    return value;
                }
            }
        }
        value.clamp(self.bounds[0], self.bounds[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::Value;

    fn table(pairs: &[(&str, Value)]) -> Values {
        let start = Values::new()
            .with("key", Value::Text("rig.plant.stiffness".into()))
            .with("whole", Value::Boolean(false));
        pairs.iter().fold(start, |v, (k, x)| v.with(k, x.clone()))
    }

    #[test]
    fn draws_have_the_mean_and_deviation_and_stay_in_bounds() {
        let text = |x: &str| Value::Text(x.into());
        let normal = Variation::new(&table(&[
            ("distribution", text("normal")),
            ("mean", Value::Number(1190.0)),
            ("deviation", Value::Number(50.0)),
            ("minimum", Value::Number(1100.0)),
            ("unit", text("kN/m")),
        ]))
        .unwrap();
        let list: Vec<f64> = (0..20_000)
            .map(|run| normal.draw(7, run, 0).number)
            .collect();
        let [mean, std, _] = crate::bench::statistics::figures(&list);
        // Normal cut at −1.8 deviations (scipy.stats.truncnorm): mean 1194.09, deviation 45.99.
        assert!(
            (mean - 1194.09).abs() < 1.0 && (std - 45.99).abs() < 1.0,
            "{mean} {std}"
        );
        assert!(list.iter().all(|x| *x >= 1100.0));
        let one = normal.draw(7, 3, 0);
        assert_eq!(one, normal.draw(7, 3, 0));
        assert_eq!(one.text, format!("{:?} kN/m", one.number));
        assert_ne!(one, normal.draw(8, 3, 0));
        let pick = Variation::new(&table(&[
            ("distribution", text("values")),
            ("values", Value::List(vec![text("a"), text("b")])),
        ]))
        .unwrap();
        let first = (0..1000)
            .filter(|run| pick.draw(1, *run, 2).text == "a")
            .count();
        assert!((400..600).contains(&first), "{first}");
    }

    #[test]
    fn half_a_distribution_is_refused() {
        let text = |x: &str| Value::Text(x.into());
        let refused = |pairs: &[(&str, Value)]| Variation::new(&table(pairs)).unwrap_err().key;
        assert_eq!(refused(&[("distribution", text("normal"))]), "mean");
        assert_eq!(refused(&[("distribution", text("values"))]), "values");
        let uniform = [
            ("distribution", text("uniform")),
            ("minimum", Value::Number(1.0)),
        ];
        assert_eq!(refused(&uniform), "maximum");
    }
}
