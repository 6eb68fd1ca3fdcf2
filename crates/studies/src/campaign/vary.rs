//! What varies in a campaign, and the values of a run.

use std::path::Path;

use tandem_quantity::{BuildError, Settings, Value, Values, index};
use tandem_signal::noise::WhiteNoise;

use super::table::Cells;
use crate::parallel::mix_seed;
use tandem::plan::data_folder::in_data_folder;
use tandem::sections::{Distribution, VarySettings};

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
    Values(Vec<Choice>),
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    /// As the plan writes it: for people and tables, the same wherever the plan stands.
    written: String,
    /// As it is set.
    text: String,
    /// Where it is a number.
    number: Option<f64>,
    /// What must be set with it, as after `--set`.
    with: Vec<String>,
}

/// The value of a run: as a number for tables (of a list that are not numbers: its place, from
/// one), and as text for the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// For tables and sensitivity.
    pub number: f64,
    /// For `--set`.
    pub text: String,
    /// Other keys that go with it, as after `--set`.
    pub with: Vec<String>,
}

impl Variation {
    /// From one table of `[[campaign.vary]]`.
    ///
    /// # Errors
    /// [`BuildError`] where keys of the distribution are missing or contradict each other.
    pub fn new(values: &Values) -> Result<Self, BuildError> {
        let settings = VarySettings::read(values)?;
        let (distribution, whole) = (settings.distribution, settings.whole);
        let word = distribution.word();
        let listed = values.has(Distribution::Values.word());
        let given = |key: &str, number: Option<f64>| {
            number.ok_or_else(|| {
                let help = if listed {
                    "write distribution = \"values\" to choose from the list".to_owned()
                } else {
                    format!("write {key} = 1.0 (in `unit`)")
                };
                let message = format!("distribution = \"{word}\" needs `{key}`");
                BuildError::new(key, message, help)
            })
        };
        let useless: &[&str] = match distribution {
            Distribution::Uniform => &["mean", "deviation", "values"],
            Distribution::Values => &["mean", "deviation", "minimum", "maximum"],
            Distribution::Normal | Distribution::LogNormal => &["values"],
        };
        let rounds_list = whole && distribution == Distribution::Values;
        let found = useless.iter().copied().find(|key| values.has(key));
        if let Some(key) = found.or(rounds_list.then_some("whole")) {
            return Err(BuildError::new(
                key,
                format!("distribution = \"{word}\" has no use for `{key}`"),
                "remove it, or take another distribution",
            ));
        }
        let law = match distribution {
            Distribution::Uniform => {
                given("minimum", settings.minimum)?;
                given("maximum", settings.maximum)?;
                Law::Uniform
            }
            Distribution::Values => {
                let unit = settings.unit.as_deref().unwrap_or("");
                let list: Vec<Choice> = settings
                    .values
                    .iter()
                    .map(|value| Choice::new(value, unit))
                    .collect();
                if list.is_empty() {
                    return Err(BuildError::new(
                        "values",
                        "there is nothing to choose from",
                        "write values = [0.2, 0.4] or values = [\"one\", \"two\"]",
                    ));
                }
                if !unit.is_empty() && list.iter().all(|choice| choice.number.is_none()) {
                    return Err(BuildError::new(
                        "unit",
                        "it is for bare numbers, and there is none in `values`",
                        "remove it, or write the numbers without quotes",
                    ));
                }
                Law::Values(list)
            }
            Distribution::LogNormal => Law::LogNormal {
                median: given("mean", settings.mean)?,
                deviation: given("deviation", settings.deviation)?,
            },
            Distribution::Normal => Law::Normal {
                mean: given("mean", settings.mean)?,
                deviation: given("deviation", settings.deviation)?,
            },
        };
        let bounds = [
            settings.minimum.unwrap_or(f64::NEG_INFINITY),
            settings.maximum.unwrap_or(f64::INFINITY),
        ];
        if bounds[0] > bounds[1] {
            return Err(BuildError::new(
                "maximum",
                "it is below the minimum",
                "exchange the two",
            ));
        }
        let found = Self {
            key: settings.key,
            unit: settings.unit.unwrap_or_default(),
            law,
            bounds,
            whole,
        };
        found.can_be_drawn()?;
        Ok(found)
    }

    /// Refuses a distribution of which too little lies within the bounds: draws would end at a
    /// bound instead of spreading.
    fn can_be_drawn(&self) -> Result<(), BuildError> {
        let [low, high] = self.bounds;
        if self.whole && low.ceil() > high.floor() {
            return Err(BuildError::new(
                "whole",
                format!("there is no whole number between {low} and {high}"),
                "widen minimum and maximum, or remove `whole`",
            ));
        }
        let share = match self.law {
            Law::Normal { mean, deviation } => within(mean, deviation, low, high),
            Law::LogNormal { median, .. } if median <= 0.0 => {
                return Err(BuildError::new(
                    "mean",
                    "a log-normal number is positive, and so is its median",
                    "give a positive mean, or another distribution",
                ));
            }
            Law::LogNormal { median, deviation } => {
                let log = |x: f64| x.max(0.0).ln();
                within(median.ln(), deviation, log(low), log(high))
            }
            Law::Uniform | Law::Values(_) => 1.0,
        };
        if share >= LEAST_SHARE {
            return Ok(());
        }
        let key = if self.bounds[0].is_finite() {
            "minimum"
        } else {
            "maximum"
        };
        Err(BuildError::new(
            key,
            format!(
                "only {:.2} % of this distribution lies within its bounds",
                100.0 * share
            ),
            "widen minimum and maximum, move the mean, or take distribution = \"uniform\"",
        ))
    }

    /// Files that stand beside the plan are meant relative to it, as everywhere in a plan.
    pub fn find_files(&mut self, folder: &Path) {
        if let Law::Values(list) = &mut self.law {
            for choice in list.iter_mut().filter(|c| c.number.is_none()) {
                let path = folder.join(&choice.text);
                if Path::new(&choice.text).is_relative() && path.is_file() {
                    choice.text = path.to_string_lossy().into_owned();
                }
            }
        }
    }

    /// Contents of the files it chooses from.
    pub fn contents(&self) -> impl Iterator<Item = Vec<u8>> {
        let list: &[Choice] = match &self.law {
            Law::Values(list) => list,
            _ => &[],
        };
        let path = |choice: &Choice| match in_data_folder(&choice.text) {
            Some(found) => found.path,
            None => Some(choice.text.clone()),
        };
        let paths = list.iter().filter(|c| c.number.is_none()).filter_map(path);
        paths.filter_map(|path| std::fs::read(path).ok())
    }

    /// Sets other keys together with some of the values: `of` gives them for a value.
    ///
    /// # Errors
    /// The first of `of`.
    pub fn set_with(
        &mut self,
        of: impl Fn(&str) -> Result<Option<String>, BuildError>,
    ) -> Result<(), BuildError> {
        if let Law::Values(list) = &mut self.law {
            for choice in list {
                choice.with.extend(of(&choice.text)?);
            }
        }
        Ok(())
    }

    /// Whether larger numbers mean more of something: those of random plants and of entries in a
    /// list do not.
    #[must_use]
    pub fn has_order(&self) -> bool {
        match &self.law {
            Law::Values(list) => list.iter().all(|choice| choice.number.is_some()),
            _ => self.key.rsplit('.').next() != Some("draw"),
        }
    }

    /// What the places of a list mean, where it is one without order.
    #[must_use]
    pub fn categories(&self) -> Option<Vec<&str>> {
        match &self.law {
            Law::Values(list) if !self.has_order() => {
                Some(list.iter().map(|choice| choice.written.as_str()).collect())
            }
            _ => None,
        }
    }

    /// All entries of a list, as after `--set`, each with what must be set with it.
    pub fn every(&self) -> impl Iterator<Item = Vec<String>> {
        let list: &[Choice] = match &self.law {
            Law::Values(list) => list,
            _ => &[],
        };
        list.iter().map(|choice| {
            let own = format!("{}={}", self.key, choice.text);
            let with = choice.with.iter().cloned();
            std::iter::once(own).chain(with).collect()
        })
    }

    /// What the column of the table holds.
    #[must_use]
    pub fn cells(&self) -> Cells {
        match self.categories() {
            Some(words) => Cells::Texts(words.into_iter().map(str::to_owned).collect()),
            None if self.whole => Cells::Counts,
            None => Cells::Numbers,
        }
    }

    /// The name of the distribution, as the plan writes it.
    #[must_use]
    pub fn distribution(&self) -> &'static str {
        match self.law {
            Law::Normal { .. } => Distribution::Normal,
            Law::LogNormal { .. } => Distribution::LogNormal,
            Law::Uniform => Distribution::Uniform,
            Law::Values(_) => Distribution::Values,
        }
        .word()
    }

    /// What the distribution was given, in `unit`, by the keys of the plan.
    #[must_use]
    pub fn given(&self) -> Vec<(&'static str, f64)> {
        let mut given = match self.law {
            Law::Normal { mean, deviation } => vec![("mean", mean), ("deviation", deviation)],
            Law::LogNormal { median, deviation } => {
                vec![("mean", median), ("deviation", deviation)]
            }
            Law::Uniform | Law::Values(_) => Vec::new(),
        };
        let bounds = ["minimum", "maximum"].into_iter().zip(self.bounds);
        given.extend(bounds.filter(|(_, bound)| bound.is_finite()));
        given
    }

    /// The entries of a list as the plan writes them; empty where it is none.
    #[must_use]
    pub fn listed(&self) -> Vec<&str> {
        match &self.law {
            Law::Values(list) => list.iter().map(|choice| choice.written.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// Which of the random plants: what varies when the plan names nothing.
    #[must_use]
    pub fn of_draws() -> Self {
        Self {
            key: super::DRAW.into(),
            unit: String::new(),
            law: Law::Uniform,
            bounds: [0.5, 999_999_999.5],
            whole: true,
        }
    }

    /// The value of a run: the same for the same seed, run and place in the list of variations.
    #[must_use]
    pub fn draw(&self, seed: u64, run: u64, place: u64) -> Drawn {
        let word = mix_seed(seed, run, 16 + place);
        let share = (word >> 11) as f64 / 9_007_199_254_740_992.0;
        let number = match &self.law {
            Law::Values(list) => {
                // a place in a list
                let at = index(share * list.len() as f64).min(list.len() - 1);
                return Drawn {
                    number: match list[at].number {
                        Some(number) if self.has_order() => number,
                        _ => at as f64 + 1.0,
                    },
                    text: list[at].text.clone(),
                    with: list[at].with.clone(),
                };
            }
            Law::Uniform if self.whole => {
                // Each whole number is as likely, those at the bounds too.
                let [low, high] = [self.bounds[0].ceil(), self.bounds[1].floor()];
                (low + (share * (high - low + 1.0)).floor()).min(high)
            }
            Law::Uniform => self.bounds[0] + share * (self.bounds[1] - self.bounds[0]),
            Law::Normal { mean, deviation } => self.truncated(word, |z| mean + deviation * z),
            Law::LogNormal { median, deviation } => {
                self.truncated(word, |z| median * (deviation * z).exp())
            }
        };
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
        Drawn {
            number,
            text,
            with: Vec::new(),
        }
    }

    /// Draws again while the value lies outside: with [`LEAST_SHARE`] inside, ten thousand failures
    /// have a chance of 10⁻⁴³.
    fn truncated(&self, seed: u64, law: impl Fn(f64) -> f64) -> f64 {
        let mut value = law(0.0);
        if let Ok(mut normal) = WhiteNoise::new(1.0, seed) {
            for _ in 0..10_000 {
                value = law(normal.next());
                if self.whole {
                    value = value.round();
                }
                if value >= self.bounds[0] && value <= self.bounds[1] {
                    return value;
                }
            }
        }
        value.clamp(self.bounds[0], self.bounds[1])
    }
}

/// The least share of a distribution that must lie within its bounds.
const LEAST_SHARE: f64 = 0.01;

/// Share of a normal distribution between two bounds.
fn within(mean: f64, deviation: f64, low: f64, high: f64) -> f64 {
    if deviation > 0.0 {
        let below = |x: f64| 0.5 * (1.0 + error_function((x - mean) / deviation / 2.0_f64.sqrt()));
        return below(high) - below(low);
    }
    f64::from(u8::from(mean >= low && mean <= high))
}

/// erf to 1.5e-7 (Abramowitz and Stegun 1964, 7.1.26).
fn error_function(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let sum = series.iter().fold(0.0, |sum, a| (sum + a) * t);
    x.signum() * (1.0 - sum * (-x * x).exp())
}

impl Choice {
    fn new(value: &Value, unit: &str) -> Self {
        let (digits, number) = match value {
            Value::Integer(x) => (x.to_string(), Some(*x as f64)),
            Value::Number(x) => (format!("{x:?}"), Some(*x)),
            Value::Boolean(x) => (x.to_string(), None),
            Value::Text(text) => (text.clone(), None),
            Value::List(_) | Value::Table(_) => (String::new(), None),
        };
        let text = if number.is_some() && !unit.is_empty() {
            format!("{digits} {unit}")
        } else {
            digits
        };
        Self {
            written: text.clone(),
            text,
            number,
            with: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Numbers, truth values and texts stand in one list; numbers take the unit and keep their
    /// order.
    #[test]
    fn lists_take_what_a_plan_takes() {
        let text = |x: &str| Value::Text(x.into());
        let of = |list: Vec<Value>, unit: &str| {
            Variation::new(&table(&[
                ("distribution", text("values")),
                ("values", Value::List(list)),
                ("unit", text(unit)),
            ]))
            .unwrap()
        };
        let drawn = |variation: &Variation| -> Vec<(String, f64)> {
            let mut all: Vec<(String, f64)> = (0..50)
                .map(|run| variation.draw(1, run, 0))
                .map(|drawn| (drawn.text, drawn.number))
                .collect();
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all.dedup();
            all
        };
        let numbers = of(vec![Value::Number(0.2), Value::Integer(4)], "g");
        assert_eq!(
            drawn(&numbers),
            [("0.2 g".to_owned(), 0.2), ("4 g".to_owned(), 4.0)]
        );
        assert!(numbers.has_order() && numbers.categories().is_none());
        let words = of(vec![Value::Boolean(true), text("0.4 g")], "");
        let useless = Variation::new(&table(&[
            ("distribution", text("values")),
            ("values", Value::List(vec![text("0.4 g")])),
            ("unit", text("g")),
        ]));
        assert_eq!(useless.unwrap_err().key, "unit");
        assert_eq!(
            drawn(&words),
            [("0.4 g".to_owned(), 2.0), ("true".to_owned(), 1.0)]
        );
        assert_eq!(words.categories().unwrap(), ["true", "0.4 g"]);
        assert!(!Variation::of_draws().has_order());
    }

    /// Expected shares: scipy.stats.norm.
    #[test]
    fn bounds_that_no_draw_reaches_are_refused() {
        let text = |x: &str| Value::Text(x.into());
        assert!((within(0.0, 1.0, -1.0, 2.0) - 0.818_594_61).abs() < 1e-6);
        assert!((within(5.0, 2.0, f64::NEG_INFINITY, 1.0) - 0.022_750_13).abs() < 1e-6);
        let refused = |law: &str, mean: f64, minimum: f64| {
            let pairs = [
                ("distribution", text(law)),
                ("mean", Value::Number(mean)),
                ("deviation", Value::Number(0.1)),
                ("minimum", Value::Number(minimum)),
            ];
            Variation::new(&table(&pairs)).err().map(|e| e.key)
        };
        assert_eq!(refused("normal", 1.0, 1.2), None);
        assert_eq!(refused("normal", 1.0, 1.3).as_deref(), Some("minimum"));
        assert_eq!(refused("log-normal", 1.0, 1.2), None);
        assert_eq!(refused("log-normal", 1.0, 1.3).as_deref(), Some("minimum"));
        assert_eq!(refused("log-normal", -1.0, -2.0).as_deref(), Some("mean"));
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
        // What would do nothing is refused too.
        let list = Value::List(vec![Value::Number(0.2)]);
        let both = [
            ("distribution", text("values")),
            ("values", list.clone()),
            ("maximum", Value::Number(0.1)),
        ];
        assert_eq!(refused(&both), "maximum");
        let forgotten = [("distribution", text("normal")), ("values", list)];
        assert_eq!(refused(&forgotten), "values");
    }

    /// Three whole numbers, each as likely; rounded normal ones within their bounds.
    #[test]
    fn whole_numbers_keep_their_law_and_their_bounds() {
        let text = |x: &str| Value::Text(x.into());
        let of = |law: &str, low: f64, high: f64| {
            let mut table = table(&[
                ("distribution", text(law)),
                ("minimum", Value::Number(low)),
                ("maximum", Value::Number(high)),
            ]);
            table.set("whole", Value::Boolean(true));
            if law == "normal" {
                table.set("mean", Value::Number(2.0));
                table.set("deviation", Value::Number(1.0));
            }
            Variation::new(&table)
        };
        let uniform = of("uniform", 1.0, 3.0).unwrap();
        let mut counts = [0_u32; 5];
        for run in 0..3000 {
            let drawn = uniform.draw(1, run, 0);
            let place = index(drawn.number);
            counts[place] += 1;
        }
        assert_eq!((counts[0], counts[4]), (0, 0));
        assert!(
            counts[1..4].iter().all(|n| (900..1100).contains(n)),
            "{counts:?}"
        );
        let normal = of("normal", 1.6, 3.4).unwrap();
        assert!((0..500).all(|run| [2.0, 3.0].contains(&normal.draw(1, run, 0).number)));
        assert_eq!(of("uniform", 1.2, 1.8).unwrap_err().key, "whole");
    }
}
