//! The figures of a campaign.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::Campaign;
use super::table::{Row, Status};
use crate::bench::statistics::{figures, quantile};
use tandem::criteria;

/// What came of a campaign: its `summary.json`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CampaignSummary {
    /// Name of the plan.
    pub name: String,
    /// Seed of all draws.
    pub seed: u64,
    /// Number of runs.
    pub runs: usize,
    /// Those with all steps done.
    pub completed: usize,
    /// Those that a limit stopped on the way of the structure.
    pub stopped_by_limit: usize,
    /// Those that left it.
    pub unstable: usize,
    /// Those whose plan was refused.
    pub refused: usize,
    /// Unstable over all.
    pub share_unstable: f64,
    /// Why runs were not completed, and how many for each reason.
    pub reasons: BTreeMap<String, usize>,
    /// What was drawn and how, by key.
    pub drawn: BTreeMap<String, Draw>,
    /// Each figure over the runs that were completed.
    pub criteria: BTreeMap<String, Spread>,
    /// Which drawn key goes most with the leading figure, in words.
    pub matters_most: Option<String>,
    /// How every drawn key goes with every figure.
    pub sensitivity: BTreeMap<String, BTreeMap<String, Sensitivity>>,
    /// The worst run.
    #[serde(flatten)]
    pub worst: Option<WorstRun>,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// Its folder.
    pub folder: PathBuf,
    /// How long it took, s; known to who began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
}

/// How a key is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Draw {
    /// Name of the distribution.
    pub distribution: &'static str,
    /// Unit of its numbers.
    pub unit: String,
    /// Its numbers, by name.
    #[serde(flatten)]
    pub given: BTreeMap<&'static str, f64>,
    /// Its entries, where it is a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// A figure over runs.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    /// Unit of all.
    pub unit: &'static str,
    /// Mean.
    pub mean: f64,
    /// Standard deviation, divisor n − 1.
    pub std: f64,
    /// The value farthest from zero.
    pub worst: f64,
    /// Below it lie 5 % of the runs.
    pub q05: f64,
    /// A quarter.
    pub q25: f64,
    /// The median.
    pub q50: f64,
    /// Three quarters.
    pub q75: f64,
    /// 95 %.
    pub q95: f64,
}

/// The run that is looked at first.
#[derive(Clone, Debug, Serialize)]
pub struct WorstRun {
    /// Its number.
    #[serde(rename = "worst_run")]
    pub run: usize,
    /// The figure by which it is the worst, or how it ended.
    #[serde(rename = "worst_by")]
    pub by: String,
    /// The overrides that make the same plan.
    #[serde(rename = "worst_set")]
    pub set: Vec<String>,
}

/// How a drawn key goes with a figure.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
pub enum Sensitivity {
    /// Numbers.
    Ordered {
        /// As they are.
        #[serde(flatten)]
        order: RankCorrelation,
        /// By their distance from the nominal plant, or from the middle of what was drawn.
        distance: RankCorrelation,
    },
    /// Entries of a list.
    Entries {
        /// Share of the variance of the ranks that lies between the entries.
        eta_squared: f64,
        /// How many of them occur.
        categories: usize,
        /// Chance would not do as well.
        distinguishable: bool,
    },
}

/// A rank correlation with its interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RankCorrelation {
    /// The correlation (Spearman 1904).
    pub rho: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Zero lies outside of it.
    pub distinguishable: bool,
}

/// What is looked at first when the worst run is searched.
const WORST_BY: [&str; 3] = [
    "J2_noise_free",
    "tracking_true_percent",
    "reference_percent",
];

/// Values of a figure over the runs that were completed.
pub(super) fn column(campaign: &Campaign, rows: &[Row], name: &str) -> Vec<f64> {
    let names = campaign.figure_names();
    let Some(place) = names.iter().position(|n| n == name) else {
        return Vec::new();
    };
    let at = campaign.drawn() + place;
    rows.iter()
        .filter(|row| row.status == Status::Completed)
        .map(|row| row.values[at])
        .collect()
}

/// Unit of a figure.
pub(super) fn unit(campaign: &Campaign, name: &str) -> &'static str {
    // Without its form and its place: `J4` of `J4_noise_free/1`.
    let stem = name.split(['_', '/']).next().unwrap_or(name);
    match stem {
        "force" => "N",
        "command" => "m",
        "velocity" => "m/s",
        _ => {
            let number = stem
                .strip_prefix('J')
                .and_then(|digits| digits.parse().ok());
            criteria::unit(number.unwrap_or(0), !names_of(campaign, "J10").is_empty())
        }
    }
}

/// A drawn quantity whose numbers mean something, or are places of texts.
pub(super) struct Factor<'a> {
    /// Its column.
    pub place: usize,
    pub name: &'a str,
    pub unit: &'a str,
    /// What the places mean, where it is a list without order.
    pub words: Option<Vec<&'a str>>,
    /// It is a deviation from the nominal plant already.
    is_deviation: bool,
}

/// What the figures may depend on: keys with an order or a list, and what random plants differ by.
/// Their numbers have no order and stand for one run each: nothing can be said of them.
pub(super) fn factors(campaign: &Campaign) -> Vec<Factor<'_>> {
    let keys = campaign.variations.iter().enumerate();
    let mut out: Vec<Factor<'_>> = keys
        .map(|(place, variation)| (place, variation, variation.categories()))
        .filter(|(_, variation, words)| variation.has_order() || words.is_some())
        .map(|(place, variation, words)| Factor {
            place,
            name: &variation.key,
            unit: &variation.unit,
            words,
            is_deviation: false,
        })
        .collect();
    let after = campaign.variations.len() + 1;
    let plants = (after..).zip(&campaign.plant_columns);
    out.extend(plants.map(|(place, name)| Factor {
        place,
        name,
        unit: "",
        words: None,
        is_deviation: true,
    }));
    out
}

/// What was drawn and how, by key.
fn draws(campaign: &Campaign) -> BTreeMap<String, Draw> {
    let entries = campaign.variations.iter().map(|variation| {
        let draw = Draw {
            distribution: variation.distribution(),
            unit: variation.unit.clone(),
            given: variation.given().into_iter().collect(),
            values: variation.listed().into_iter().map(str::to_owned).collect(),
        };
        (variation.key.clone(), draw)
    });
    entries.collect()
}

/// Values of a drawn key over the runs that were completed.
pub(super) fn drawn(rows: &[Row], place: usize) -> Vec<f64> {
    rows.iter()
        .filter(|row| row.status == Status::Completed)
        .map(|row| row.values[place])
        .collect()
}

/// Names of a figure: one, or one for each actuator or degree of freedom (`J2_noise_free/1`, …).
pub(super) fn names_of<'a>(campaign: &'a Campaign, figure: &str) -> Vec<&'a str> {
    let names = campaign.figure_names().iter().map(String::as_str);
    names
        .filter(|name| name.split('/').next() == Some(figure))
        .collect()
}

/// The figure by which runs are called worst; of several actuators the first.
pub(super) fn leading(campaign: &Campaign) -> Option<String> {
    let mut found = WORST_BY
        .iter()
        .filter_map(|name| names_of(campaign, name).first().copied());
    found.next().map(str::to_owned)
}

pub(super) fn of(campaign: &Campaign, rows: &[Row]) -> CampaignSummary {
    let count = |status| rows.iter().filter(|row| row.status == status).count();
    let share_unstable = count(Status::Unstable) as f64 / rows.len().max(1) as f64;
    let sensitivity = sensitivity(campaign, rows);
    CampaignSummary {
        name: campaign.name.clone(),
        seed: campaign.seed,
        runs: rows.len(),
        completed: count(Status::Completed),
        stopped_by_limit: count(Status::Limit),
        unstable: count(Status::Unstable),
        refused: count(Status::Refused),
        share_unstable,
        reasons: reasons(rows),
        drawn: draws(campaign),
        criteria: spreads(campaign, rows),
        matters_most: matters_most(campaign, &sensitivity),
        sensitivity,
        worst: worst(campaign, rows),
        ..CampaignSummary::default()
    }
}

/// Each figure over the runs that were completed.
fn spreads(campaign: &Campaign, rows: &[Row]) -> BTreeMap<String, Spread> {
    let spread = |name: &String| {
        let mut list = column(campaign, rows, name);
        // A figure that a run does not have, such as a share of a motion that did not take place.
        list.retain(|x| x.is_finite());
        if list.is_empty() {
            return None;
        }
        let [mean, std, worst] = figures(&list);
        list.sort_by(f64::total_cmp);
        let [q05, q25, q50, q75, q95] = [0.05, 0.25, 0.5, 0.75, 0.95].map(|q| quantile(&list, q));
        let spread = Spread {
            unit: unit(campaign, name),
            mean,
            std,
            worst,
            q05,
            q25,
            q50,
            q75,
            q95,
        };
        Some((name.clone(), spread))
    };
    campaign.figure_names().iter().filter_map(spread).collect()
}

/// An unstable run is worse than one that a limit stopped, and that worse than any completed one.
fn worst(campaign: &Campaign, rows: &[Row]) -> Option<WorstRun> {
    let first = |status| rows.iter().find(|row| row.status == status);
    let (run, by) = match first(Status::Unstable).or_else(|| first(Status::Limit)) {
        Some(row) => (row.run, format!("its end: {}", row.reason)),
        None => {
            // Of all actuators together.
            let figure = leading(campaign)?;
            let figure = figure.split('/').next()?;
            let all = names_of(campaign, figure);
            let names = campaign.figure_names().iter();
            let places: Vec<usize> = (campaign.drawn()..)
                .zip(names)
                .filter(|(_, name)| all.contains(&name.as_str()))
                .map(|(place, _)| place)
                .collect();
            let size = |row: &Row| {
                let values = places.iter().map(|place| row.values[*place].abs());
                values.filter(|x| x.is_finite()).fold(0.0, f64::max)
            };
            let done = rows.iter().filter(|row| row.status == Status::Completed);
            let row = done.max_by(|a, b| size(a).total_cmp(&size(b)))?;
            (row.run, figure.to_owned())
        }
    };
    Some(WorstRun {
        run,
        by,
        set: campaign.overrides(run).0,
    })
}

/// Why runs were not completed, and how many for each reason.
fn reasons(rows: &[Row]) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for row in rows.iter().filter(|row| row.status != Status::Completed) {
        let key = format!("{}: {}", row.status.word(), row.reason);
        // Drawn numbers stand in some reasons: the first few tell.
        if out.contains_key(&key) || out.len() < 20 {
            *out.entry(key).or_insert(0) += 1;
        }
    }
    out
}

/// How a drawn key goes with a figure, as it is best told.
pub(super) struct Dependence {
    pub by: By,
    /// Rank correlation with its interval, or the share of the spread.
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// Chance would not do as well.
    pub sure: bool,
}

/// In what way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The larger the key, the larger (or smaller) the figure.
    Order,
    /// The further away from the nominal plant, or from the middle of what was drawn, to either
    /// side.
    Distance,
    /// By the entries of a list.
    Entries,
}

impl Dependence {
    /// By order or by distance, whichever tells more.
    pub(super) fn of(found: &Sensitivity) -> Self {
        let correlation = |by, of: &RankCorrelation| Self {
            by,
            value: of.rho,
            low: of.low,
            high: of.high,
            sure: of.distinguishable,
        };
        match found {
            Sensitivity::Ordered { order, distance } => {
                let order = correlation(By::Order, order);
                let distance = correlation(By::Distance, distance);
                if distance.rank() > order.rank() {
                    distance
                } else {
                    order
                }
            }
            Sensitivity::Entries {
                eta_squared,
                distinguishable,
                ..
            } => Self {
                by: By::Entries,
                value: *eta_squared,
                low: f64::NAN,
                high: f64::NAN,
                sure: *distinguishable,
            },
        }
    }

    /// As a correlation, without its sign.
    pub(super) fn strength(&self) -> f64 {
        match self.by {
            By::Entries => self.value.sqrt(),
            By::Order | By::Distance => self.value.abs(),
        }
    }

    /// What is certain comes before what is large.
    pub(super) fn rank(&self) -> (bool, f64) {
        (self.sure, self.strength())
    }
}

/// Which drawn key goes most with the leading figure, in words, and whether that can be told from
/// chance.
fn matters_most(
    campaign: &Campaign,
    sensitivity: &BTreeMap<String, BTreeMap<String, Sensitivity>>,
) -> Option<String> {
    let leading = leading(campaign)?;
    let (key, found) = sensitivity
        .iter()
        .filter_map(|(key, all)| Some((key, Dependence::of(all.get(&leading)?))))
        .reduce(|best, other| {
            if other.1.rank() > best.1.rank() {
                other
            } else {
                best
            }
        })?;
    if !found.sure {
        return Some(format!(
            "What goes with {leading} is not distinguishable from noise in these runs: no drawn \
            key stands out."
        ));
    }
    let Dependence {
        value, low, high, ..
    } = found;
    Some(match found.by {
        By::Order => format!(
            "{key} matters most for {leading}: rank correlation {value:.2}, 95 % interval {low:.2} \
            to {high:.2}."
        ),
        By::Distance => format!(
            "{key} matters most for {leading}, by its distance from the nominal value to either \
            side: rank correlation {value:.2}, 95 % interval {low:.2} to {high:.2}."
        ),
        By::Entries => format!(
            "{key} matters most for {leading}: its values explain {:.0} % of the spread of the \
            ranks.",
            100.0 * value
        ),
    })
}

/// How every drawn key goes with every figure: which parameter hurts, and how surely. Numbers by
/// rank correlation (Spearman 1904), once as they are and once by their distance from the nominal
/// plant or from the middle of what was drawn, since a plant that differs hurts to either side;
/// entries of a list by the share of the ranks' variance between them. What is asked of a figure is
/// asked of all keys at once: intervals and bounds hold for all of them together with 95 %
/// (Bonferroni).
fn sensitivity(
    campaign: &Campaign,
    rows: &[Row],
) -> BTreeMap<String, BTreeMap<String, Sensitivity>> {
    let mut out = BTreeMap::new();
    if rows
        .iter()
        .filter(|row| row.status == Status::Completed)
        .count()
        < 5
    {
        return out;
    }
    let factors = factors(campaign);
    let questions = |factor: &Factor<'_>| if factor.words.is_some() { 1_u32 } else { 2 };
    let level = 0.05 / f64::from(factors.iter().map(questions).sum::<u32>().max(1));
    for factor in factors {
        let drawn = drawn(rows, factor.place);
        let middle = if factor.is_deviation {
            0.0
        } else {
            median(&drawn)
        };
        let mut entry = BTreeMap::new();
        for name in campaign.figure_names() {
            let all = column(campaign, rows, name);
            let pairs = drawn.iter().zip(&all);
            let pairs = pairs.filter(|(x, y)| x.is_finite() && y.is_finite());
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.unzip();
            let ranked = ranks(&y);
            let found = if factor.words.is_none() {
                let ordered = |x: &[f64]| {
                    let rho = correlation(&ranks(x), &ranked);
                    let [low, high] = interval(rho, y.len(), exceeded(0.5 * level));
                    let distinguishable = low > 0.0 || high < 0.0;
                    RankCorrelation {
                        rho,
                        low,
                        high,
                        distinguishable,
                    }
                };
                let away: Vec<f64> = x.iter().map(|x| (x - middle).abs()).collect();
                Sensitivity::Ordered {
                    order: ordered(&x),
                    distance: ordered(&away),
                }
            } else {
                let (eta_squared, categories) = between(&x, &ranked);
                let bound = chi_squared(categories.saturating_sub(1), exceeded(level));
                let statistic = (y.len() as f64 - 1.0) * eta_squared;
                Sensitivity::Entries {
                    eta_squared,
                    categories,
                    distinguishable: statistic > bound,
                }
            };
            entry.insert(name.clone(), found);
        }
        out.insert(factor.name.to_owned(), entry);
    }
    out
}

/// The middle of a list; zero for an empty one.
fn median(list: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = list.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() {
        0.0
    } else {
        quantile(&sorted, 0.5)
    }
}

/// What a normal number of unit deviation exceeds with this small probability, to 5e-4 (Hastings
/// 1955, sheet 68).
fn exceeded(probability: f64) -> f64 {
    let t = (-2.0 * probability.clamp(1e-300, 0.5).ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

/// The interval of a rank correlation of n pairs, so many deviations to either side (Fisher's z
/// with the variance of Bonett and Wright 2000).
fn interval(rho: f64, n: usize, deviations: f64) -> [f64; 2] {
    if n < 4 {
        return [-1.0, 1.0];
    }
    let reach = deviations * ((1.0 + 0.5 * rho * rho) / (n as f64 - 3.0)).sqrt();
    // n pairs in perfect order may still be chance: the smallest step of a rank correlation short
    // of one.
    let most = 1.0 - 6.0 / (n as f64 * ((n * n) as f64 - 1.0));
    [-reach, reach].map(|by| (rho.clamp(-most, most).atanh() + by).tanh())
}

/// Share of the variance of ranks that lies between the entries of a list, and how many of them
/// occur. (n − 1) times the share is the statistic of Kruskal and Wallis 1952, which chance keeps
/// below the χ² of one degree of freedom less.
fn between(entries: &[f64], ranks: &[f64]) -> (f64, usize) {
    let [mean, ..] = figures(ranks);
    let mut kinds = entries.to_vec();
    kinds.sort_by(f64::total_cmp);
    kinds.dedup();
    let mut explained = 0.0;
    for kind in &kinds {
        let own: Vec<f64> = entries
            .iter()
            .zip(ranks)
            .filter(|(entry, _)| entry.total_cmp(kind).is_eq())
            .map(|(_, rank)| *rank)
            .collect();
        let weight = own.len() as f64;
        explained += weight * (figures(&own)[0] - mean).powi(2);
    }
    let all: f64 = ranks.iter().map(|rank| (rank - mean).powi(2)).sum();
    let share = if all > 0.0 { explained / all } else { 0.0 };
    (share, kinds.len())
}

/// What χ² of so many degrees of freedom exceeds as seldom as a normal number so many deviations
/// (Wilson and Hilferty 1931).
fn chi_squared(freedom: usize, deviations: f64) -> f64 {
    if freedom == 0 {
        return f64::INFINITY;
    }
    let k = freedom as f64;
    let part = 2.0 / (9.0 * k);
    k * (1.0 - part + deviations * part.sqrt()).powi(3)
}

/// Ranks from one; equal values share the mean of theirs.
fn ranks(list: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by(|a, b| list[*a].total_cmp(&list[*b]));
    let mut out = vec![0.0; list.len()];
    let mut at = 0;
    while at < order.len() {
        let mut end = at;
        while end + 1 < order.len() && list[order[end + 1]] <= list[order[at]] {
            end += 1;
        }
        let rank = 0.5 * (at + end) as f64 + 1.0;
        order[at..=end].iter().for_each(|k| out[*k] = rank);
        at = end + 1;
    }
    out
}

/// Correlation coefficient; zero where one of the two does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let ([mean_a, ..], [mean_b, ..]) = (figures(a), figures(b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        ab += (x - mean_a) * (y - mean_b);
        aa += (x - mean_a).powi(2);
        bb += (y - mean_b).powi(2);
    }
    if aa > 0.0 && bb > 0.0 {
        ab / (aa * bb).sqrt()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected: scipy.stats.spearmanr of the same lists.
    #[test]
    fn rank_correlation_is_that_of_scipy() {
        let a = [1.0, 5.0, 2.0, 2.0, 9.0, -3.0];
        let b = [2.0, 6.0, 1.0, 4.0, 8.0, 0.5];
        assert!((correlation(&ranks(&a), &ranks(&b)) - SPEARMAN).abs() < 1e-12);
    }
    const SPEARMAN: f64 = 0.898_645_105_261_295;

    /// Expected: scipy.stats.kruskal, scipy.stats.chi2.ppf(0.95, k); the interval by its formula.
    #[test]
    fn what_chance_makes_is_known() {
        let entries = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0];
        let ranks = [1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 4.0];
        let (share, count) = between(&entries, &ranks);
        assert!((6.0 * share - KRUSKAL).abs() < 1e-6, "{}", 6.0 * share);
        assert_eq!(count, 3);
        for (k, expected) in [(1, 3.8415), (2, 5.9915), (9, 16.919)] {
            let found = chi_squared(k, exceeded(0.05));
            assert!((found / expected - 1.0).abs() < 0.03, "{k}");
        }
        // scipy.stats.norm.isf
        for (p, expected) in [
            (0.05, 1.644_854),
            (0.025, 1.959_964),
            (0.05 / 36.0, 2.991_316),
        ] {
            assert!((exceeded(p) - expected).abs() < 5e-4, "{p}");
        }
        let [low, high] = interval(0.5, 23, 1.959_964);
        assert!(
            (low - 0.0843).abs() < 1e-4 && (high - 0.7675).abs() < 1e-4,
            "{low} {high}"
        );
        let [low, high] = interval(0.3, 20, 1.959_964);
        assert!(low < 0.0 && high > 0.0);
        // Eight pairs in perfect order are no certainty.
        let [low, high] = interval(1.0, 8, 1.959_964);
        assert!(low > 0.5 && low < 0.999 && high < 1.0, "{low} {high}");
    }
    const KRUSKAL: f64 = 5.142_857_142_857_142;
}
