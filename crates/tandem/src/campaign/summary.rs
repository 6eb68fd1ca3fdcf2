//! The figures of a campaign.

use serde_json::{Map, Value, json};

use super::Campaign;
use super::table::{Row, Status};
use crate::bench::statistics::{figures, quantile};

/// Shares whose quantiles are given.
const QUANTILES: [(&str, f64); 5] = [
    ("q05", 0.05),
    ("q25", 0.25),
    ("q50", 0.5),
    ("q75", 0.75),
    ("q95", 0.95),
];

/// What is looked at first when the worst run is searched.
const WORST_BY: [&str; 3] = [
    "J2_noise_free",
    "tracking_true_percent/1",
    "reference_percent/1",
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

/// Values of a drawn key over the runs that were completed.
pub(super) fn drawn(rows: &[Row], place: usize) -> Vec<f64> {
    rows.iter()
        .filter(|row| row.status == Status::Completed)
        .map(|row| row.values[place])
        .collect()
}

/// The figure by which runs are called worst.
pub(super) fn leading(campaign: &Campaign) -> Option<String> {
    let names = campaign.figure_names();
    WORST_BY
        .iter()
        .find(|name| names.iter().any(|n| n == *name))
        .map(|name| (*name).to_owned())
}

pub(super) fn of(campaign: &Campaign, rows: &[Row]) -> Value {
    let count = |status| rows.iter().filter(|row| row.status == status).count();
    let mut out = Map::new();
    let name = campaign.nominal.values.text("name").unwrap_or("");
    out.insert("name".into(), json!(name));
    out.insert("seed".into(), json!(campaign.seed));
    out.insert("runs".into(), json!(rows.len()));
    out.insert("completed".into(), json!(count(Status::Completed)));
    out.insert("stopped_by_limit".into(), json!(count(Status::Limit)));
    out.insert("unstable".into(), json!(count(Status::Unstable)));
    out.insert("refused".into(), json!(count(Status::Refused)));
    #[allow(clippy::cast_precision_loss)] // numbers of runs
    let share = count(Status::Unstable) as f64 / rows.len().max(1) as f64;
    out.insert("share_unstable".into(), json!(share));
    out.insert("reasons".into(), reasons(rows));
    let mut criteria = Map::new();
    for name in campaign.figure_names() {
        let mut list = column(campaign, rows, name);
        // A figure that a run does not have, such as a share of a motion that did not take place.
        list.retain(|x| x.is_finite());
        if list.is_empty() {
            continue;
        }
        let [mean, std, worst] = figures(&list);
        list.sort_by(f64::total_cmp);
        let mut entry = Map::new();
        entry.insert("mean".into(), json!(mean));
        entry.insert("std".into(), json!(std));
        entry.insert("worst".into(), json!(worst));
        for (name, q) in QUANTILES {
            entry.insert(name.into(), json!(quantile(&list, q)));
        }
        criteria.insert(name.clone(), Value::Object(entry));
    }
    out.insert("criteria".into(), Value::Object(criteria));
    out.insert("sensitivity".into(), sensitivity(campaign, rows));
    // An unstable run is worse than one that a limit stopped, and that worse than any completed one.
    let first = |status| rows.iter().find(|row| row.status == status);
    let ended = first(Status::Unstable).or_else(|| first(Status::Limit));
    let worst = ended.map(|row| row.run).or_else(|| {
        let name = leading(campaign)?;
        let place = campaign.drawn() + campaign.figure_names().iter().position(|n| *n == name)?;
        let done = rows.iter().filter(|row| row.status == Status::Completed);
        done.filter(|row| row.values[place].is_finite())
            .max_by(|a, b| a.values[place].abs().total_cmp(&b.values[place].abs()))
            .map(|row| row.run)
    });
    if let Some(run) = worst {
        out.insert("worst_run".into(), json!(run));
        let by = match ended {
            Some(row) => Some(format!("its end: {}", row.reason)),
            None => leading(campaign),
        };
        out.insert("worst_by".into(), json!(by));
        let set: Vec<String> = campaign.overrides(run).0;
        out.insert("worst_set".into(), json!(set));
    }
    Value::Object(out)
}

/// Why runs were not completed, and how many for each reason.
fn reasons(rows: &[Row]) -> Value {
    let mut out = Map::new();
    for row in rows.iter().filter(|row| row.status != Status::Completed) {
        let key = format!("{}: {}", row.status.word(), row.reason);
        let count = out.get(&key).and_then(Value::as_u64).unwrap_or(0);
        // Drawn numbers stand in some reasons: the first few tell.
        if count > 0 || out.len() < 20 {
            out.insert(key, json!(count + 1));
        }
    }
    Value::Object(out)
}

/// Rank correlation of every drawn key with every figure (Spearman 1904): which parameter hurts, and how surely.
fn sensitivity(campaign: &Campaign, rows: &[Row]) -> Value {
    let mut out = Map::new();
    if rows
        .iter()
        .filter(|row| row.status == Status::Completed)
        .count()
        < 5
    {
        return Value::Object(out);
    }
    for (place, variation) in campaign.variations.iter().enumerate() {
        let drawn = drawn(rows, place);
        let mut entry = Map::new();
        for name in campaign.figure_names() {
            let all = column(campaign, rows, name);
            let pairs = drawn.iter().zip(&all).filter(|(_, y)| y.is_finite());
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.unzip();
            let found = correlation(&ranks(&x), &ranks(&y));
            entry.insert(name.clone(), json!(found));
        }
        out.insert(variation.key.clone(), Value::Object(entry));
    }
    Value::Object(out)
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
        #[allow(clippy::cast_precision_loss)] // places in a list
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
}
