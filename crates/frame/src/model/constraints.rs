//! From free degrees of freedom to all: u = T q.

use super::error::ModelError;

/// What holds for one degree of freedom of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    Free,
    Fixed,
    /// A sum of `coefficient × other`.
    Tied(Vec<(usize, f64)>),
}

/// The matrix T by rows: each degree of freedom as a sum over free ones.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expansion {
    start: Vec<usize>,
    terms: Vec<(usize, f64)>,
    /// The degree of freedom that each free one is.
    pub(super) own: Vec<usize>,
    /// Rows that are one free degree of freedom itself: (degree of freedom, free).
    plain: Vec<(usize, usize)>,
    /// All other rows that are not zero.
    mixed: Vec<usize>,
}

impl Expansion {
    /// Resolves the rules; `circle` is the error of a degree of freedom that follows itself.
    pub(super) fn new(
        rules: &[Rule],
        circle: impl Fn(usize) -> ModelError,
    ) -> Result<Self, ModelError> {
        let own: Vec<usize> = (0..rules.len())
            .filter(|dof| rules[*dof] == Rule::Free)
            .collect();
        let mut number = vec![usize::MAX; rules.len()];
        for (free, dof) in own.iter().enumerate() {
            number[*dof] = free;
        }
        let mut visiting = vec![false; rules.len()];
        let mut rows = Vec::with_capacity(rules.len());
        for dof in 0..rules.len() {
            let mut row = Vec::new();
            resolve(rules, &number, (dof, 1.0), &mut visiting, &mut row)
                .ok_or_else(|| circle(dof))?;
            row.sort_by_key(|term: &(usize, f64)| term.0);
            row.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            rows.push(row);
        }
        Ok(Self::of(rows, own))
    }

    /// The same without some free degrees of freedom, which then stay at zero.
    pub(super) fn without(&self, dropped: &[bool]) -> Self {
        let mut number = vec![usize::MAX; self.own.len()];
        let mut own = Vec::new();
        for (free, dof) in self.own.iter().enumerate() {
            if !dropped[free] {
                number[free] = own.len();
                own.push(*dof);
            }
        }
        let rows: Vec<Vec<(usize, f64)>> = (0..self.start.len() - 1)
            .map(|dof| {
                let kept = self.row(dof).iter().filter(|(free, _)| !dropped[*free]);
                kept.map(|(free, coefficient)| (number[*free], *coefficient))
                    .collect()
            })
            .collect();
        Self::of(rows, own)
    }

    fn of(rows: Vec<Vec<(usize, f64)>>, own: Vec<usize>) -> Self {
        let mut start = vec![0];
        let mut terms = Vec::new();
        let (mut plain, mut mixed) = (Vec::new(), Vec::new());
        for (dof, row) in rows.into_iter().enumerate() {
            match row.as_slice() {
                [] => {}
                [(free, coefficient)] if (coefficient - 1.0).abs() <= 0.0 => {
                    plain.push((dof, *free));
                }
                _ => mixed.push(dof),
            }
            terms.extend(row);
            start.push(terms.len());
        }
        Self {
            start,
            terms,
            own,
            plain,
            mixed,
        }
    }

    /// The terms of one degree of freedom: (free, coefficient).
    pub(super) fn row(&self, dof: usize) -> &[(usize, f64)] {
        &self.terms[self.start[dof]..self.start[dof + 1]]
    }

    /// u = T (q + datum); fixed ones stay as they are.
    #[inline]
    pub(super) fn expand(&self, free: &[f64], datum: &[f64], all: &mut [f64]) {
        for &(dof, k) in &self.plain {
            all[dof] = free[k] + datum[k];
        }
        for &dof in &self.mixed {
            all[dof] = self
                .row(dof)
                .iter()
                .map(|(k, c)| c * (free[*k] + datum[*k]))
                .sum();
        }
    }

    /// u = T q without a datum.
    #[inline]
    pub(super) fn expand_rate(&self, free: &[f64], all: &mut [f64]) {
        for &(dof, k) in &self.plain {
            all[dof] = free[k];
        }
        for &dof in &self.mixed {
            all[dof] = self.row(dof).iter().map(|(k, c)| c * free[*k]).sum();
        }
    }

    /// q += Tᵀ u.
    #[inline]
    pub(super) fn reduce(&self, all: &[f64], free: &mut [f64]) {
        for &(dof, k) in &self.plain {
            free[k] += all[dof];
        }
        for &dof in &self.mixed {
            for (k, c) in self.row(dof) {
                free[*k] += c * all[dof];
            }
        }
    }
}

/// Follows ties down to free degrees of freedom; none where that never ends.
fn resolve(
    rules: &[Rule],
    number: &[usize],
    (dof, coefficient): (usize, f64),
    visiting: &mut [bool],
    row: &mut Vec<(usize, f64)>,
) -> Option<()> {
    if visiting[dof] {
        return None;
    }
    visiting[dof] = true;
    match &rules[dof] {
        Rule::Fixed => {}
        Rule::Free => row.push((number[dof], coefficient)),
        Rule::Tied(terms) => {
            for (other, factor) in terms {
                let term = (*other, coefficient * factor);
                resolve(rules, number, term, visiting, row)?;
            }
        }
    }
    visiting[dof] = false;
    Some(())
}
