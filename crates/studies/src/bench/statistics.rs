//! Mean, standard deviation and worst case of criteria over many runs.

use std::collections::BTreeMap;

use super::{FORMS, Outcome};
use tandem::criteria::CriteriaValues;
use tandem_quantity::index;

/// A figure of every criterion in each form.
pub type ByForm = BTreeMap<&'static str, CriteriaValues>;

/// `mean`, `std` and `worst` of each criterion in each form, over the runs that were completed.
#[must_use]
pub fn over(runs: &[&Outcome]) -> [ByForm; 3] {
    let mut tables = [ByForm::new(), ByForm::new(), ByForm::new()];
    let Some(first) = runs.first() else {
        return tables;
    };
    for (form, name) in FORMS.into_iter().enumerate() {
        let criteria = first.forms()[form].iter().map(|(number, _)| {
            let all: Vec<&[f64]> = runs
                .iter()
                .map(|run| run.forms()[form].get(number))
                .collect();
            let count = all.iter().map(|list| list.len()).min().unwrap_or(0);
            let of_place = |i: usize| figures(&all.iter().map(|list| list[i]).collect::<Vec<_>>());
            (number, (0..count).map(of_place).collect::<Vec<_>>())
        });
        let criteria: Vec<(u8, Vec<[f64; 3]>)> = criteria.collect();
        for (part, table) in tables.iter_mut().enumerate() {
            let of = criteria.iter().map(|(number, places)| {
                (
                    *number,
                    places.iter().map(|figures| figures[part]).collect(),
                )
            });
            table.insert(name, of.collect());
        }
    }
    tables
}

/// Mean, standard deviation (divisor n − 1) and the value farthest from zero.
#[must_use]
pub fn figures(list: &[f64]) -> [f64; 3] {
    let n = list.len() as f64;
    let mean = list.iter().sum::<f64>() / n.max(1.0);
    let square = list.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    let std = if list.len() < 2 {
        0.0
    } else {
        (square / (n - 1.0)).sqrt()
    };
    let worst = list
        .iter()
        .fold(0.0_f64, |w, x| if x.abs() > w.abs() { *x } else { w });
    [mean, std, worst]
}

/// The value below which the share `q` of a sorted list lies, linear between its neighbours.
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let (place, below) = {
        let place = q.clamp(0.0, 1.0) * last as f64;
        (place, index(place.floor()).min(last))
    };
    let above = (below + 1).min(last);
    let share = place - below as f64;
    sorted[below] + share * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected: numpy.mean, numpy.std(ddof=1), numpy.quantile of the same list.
    #[test]
    fn figures_are_those_of_numpy() {
        let list = [0.3, -1.2, 0.7, 0.1, 0.25];
        let [mean, std, worst] = figures(&list);
        assert!((mean - 0.03).abs() < 1e-15 && (std - 0.722_495_674_727_537_7).abs() < 1e-12);
        assert_eq!(worst.to_bits(), (-1.2_f64).to_bits());
        let mut sorted = list;
        sorted.sort_by(f64::total_cmp);
        assert!((quantile(&sorted, 0.9) - 0.54).abs() < 1e-12);
        assert!((quantile(&sorted, 0.5) - 0.25).abs() < 1e-15);
    }
}
