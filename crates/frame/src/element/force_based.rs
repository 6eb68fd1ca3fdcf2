//! Force-based fibre member (Spacone, Ciampi & Filippou 1996; Neuenhofer & Filippou 1997).
//!
//! Section forces follow from equilibrium, S(ξ) = b(ξ) q + s_load(ξ), and are exact; compatibility
//! v = Σ wL bᵀ e holds at the end of an iteration inside the member. For a new v:
//!
//! 1. q ← q + k(v − v_old).
//! 2. Every section: e ← e + f_s(S − S_r); evaluate S_r, f_s; ρ = f_s(S − S_r); f = Σ wL bᵀ f_s b;
//!    v_r = Σ wL bᵀ(e + ρ).
//! 3. k = f⁻¹; δv = v − v_r; δq = k δv; q ← q + δq; stop when |δv·δq| and Σ wL |ρ·(S − S_r)| are
//!    small; else 2.
//!
//! Materials always restart from the committed state.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::body::{Body, SectionLaw, force_interpolation, load_interpolation};
use super::force_based_state::{Basic, Point};
use crate::small::{add_congruent, add_transposed, dot, inverse, minus, quadratic, times};

/// How a force-based member finds its basic forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Determination {
    /// Iterates inside the member until the energies of what is left are below `tolerance` of the
    /// strain energy of its deformations and forces. Each
    /// trial starts from the committed state.
    Iterated {
        /// Relative tolerance of energy, 1e-16 … 1e-24.
        tolerance: f64,
        /// Passes before a fall-back is tried.
        passes: u32,
    },
    /// One pass a trial, started from the last trial; what sections still owe is carried over to
    /// the next trial. The iteration of the whole structure settles it. Quick, for Newton methods.
    Carried,
}

impl Default for Determination {
    fn default() -> Self {
        Self::Iterated {
            tolerance: 1e-16,
            passes: 12,
        }
    }
}

/// What the fall-backs use in the place of the current flexibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    /// Current flexibility.
    Newton,
    /// Initial flexibility, which leads softly into the reach of Newton's method where sections
    /// soften; that is tried every few passes.
    Initial,
    /// Initial flexibility in the first pass.
    InitialFirst,
}

/// Passes with the initial flexibility before Newton's method is tried again, and passes that it
/// has.
const SLOW: u32 = 10;
const QUICK: u32 = 5;

/// The smallest part into which an increment of v is cut. A cut is by ten, and every part that
/// settles lets the next one be twice as large.
const LEAST_STEP: f64 = 5e-5;

/// The body of a force-based member.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceBased<const B: usize, const S: usize, X> {
    length: f64,
    determination: Determination,
    load: [f64; 3],
    stations: Vec<Station<B, S, X>>,
    initial_flexibility: [[f64; B]; B],
    initial_stiffness: [[f64; B]; B],
    now: Basic<B>,
    committed: Basic<B>,
    /// The part of the increment that has converged so far, while increments are cut.
    anchor: Basic<B>,
    /// Where the slow scheme stands while the quick one is tried.
    kept: Basic<B>,
    failures: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Station<const B: usize, const S: usize, X> {
    section: X,
    xi: f64,
    /// wL.
    length: f64,
    equilibrium: [[f64; B]; S],
    load: [f64; S],
    initial_flexibility: [[f64; S]; S],
    now: Point<S>,
    committed: Point<S>,
    anchor: Point<S>,
    kept: Point<S>,
}

/// The flexibility of a section. Where the tangent is singular (all fibres flow or are cracked) a
/// small part of the initial stiffness is added.
#[inline]
fn flexibility<const S: usize>(
    tangent: &[[f64; S]; S],
    initial: impl FnOnce() -> [[f64; S]; S],
) -> Option<[[f64; S]; S]> {
    inverse(tangent).or_else(|| {
        let mut propped = *tangent;
        for (row, initial) in propped.iter_mut().zip(initial()) {
            for (entry, initial) in row.iter_mut().zip(initial) {
                *entry += 1e-8 * initial;
            }
        }
        inverse(&propped)
    })
}

#[allow(private_bounds)]
impl<const B: usize, const S: usize, X: SectionLaw<S>> ForceBased<B, S, X> {
    /// A member of length L with sections at the points (ξ, w); none where a section or the member
    /// has no stiffness.
    #[must_use]
    pub(crate) fn new(
        length: f64,
        sections: &[X],
        points: &[(f64, f64)],
        determination: Determination,
    ) -> Option<Self> {
        let mut stations = Vec::with_capacity(points.len());
        let mut sum = [[0.0; B]; B];
        for (section, (xi, weight)) in sections.iter().zip(points) {
            let initial_flexibility = inverse(&section.initial_tangent())?;
            let equilibrium = force_interpolation(*xi, length);
            add_congruent(
                &mut sum,
                weight * length,
                &initial_flexibility,
                &equilibrium,
            );
            let answer = section.response();
            let rest = Point {
                deformation: section.deformation(),
                force: answer.force,
                flexibility: initial_flexibility,
            };
            stations.push(Station {
                section: section.clone(),
                xi: *xi,
                length: weight * length,
                equilibrium,
                load: [0.0; S],
                initial_flexibility,
                now: rest,
                committed: rest,
                anchor: rest,
                kept: rest,
            });
        }
        let initial_stiffness = inverse(&sum)?;
        let rest = Basic {
            deformation: [0.0; B],
            force: [0.0; B],
            stiffness: initial_stiffness,
        };
        Some(Self {
            length,
            determination,
            load: [0.0; 3],
            stations,
            initial_flexibility: sum,
            initial_stiffness,
            now: rest,
            committed: rest,
            anchor: rest,
            kept: rest,
            failures: 0,
        })
    }

    /// Sections from end i to end j.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = &X> {
        self.stations.iter().map(|station| &station.section)
    }

    /// Predicts q for the deformations `v`.
    #[inline]
    fn predict(&mut self, v: &[f64; B], scheme: Scheme) {
        let stiffness = match scheme {
            Scheme::Newton => &self.now.stiffness,
            Scheme::Initial | Scheme::InitialFirst => &self.initial_stiffness,
        };
        let change = times(stiffness, &minus(v, &self.now.deformation));
        for (force, change) in self.now.force.iter_mut().zip(change) {
            *force += change;
        }
        self.now.deformation = *v;
    }

    /// Steps 2 and 3 once. Returns the larger of |δv·δq| and Σ wL |ρ·(S − S_r)|; none where the
    /// flexibility cannot be inverted. The second term matters: sections that owe opposite amounts
    /// leave δv = 0 without being in equilibrium.
    #[inline]
    fn pass(&mut self, initial: bool) -> Option<f64> {
        let q = self.now.force;
        let mut compliance = [[0.0; B]; B];
        let mut remaining = self.now.deformation;
        let mut owed = 0.0;
        for station in &mut self.stations {
            let mut force = times(&station.equilibrium, &q);
            for (force, load) in force.iter_mut().zip(&station.load) {
                *force += load;
            }
            let point = &mut station.now;
            let flex = if initial {
                &station.initial_flexibility
            } else {
                &point.flexibility
            };
            let change = times(flex, &minus(&force, &point.force));
            for (deformation, change) in point.deformation.iter_mut().zip(change) {
                *deformation += change;
            }
            let answer = station.section.trial(point.deformation);
            point.force = answer.force;
            point.flexibility = flexibility(&answer.tangent, || station.section.initial_tangent())?;
            let flex = if initial {
                &station.initial_flexibility
            } else {
                &point.flexibility
            };
            let unbalanced = minus(&force, &point.force);
            let residual = times(flex, &unbalanced);
            owed += station.length * dot(&residual, &unbalanced).abs();
            let total = std::array::from_fn(|i| point.deformation[i] + residual[i]);
            add_transposed(
                &mut remaining,
                -station.length,
                &station.equilibrium,
                &total,
            );
            add_congruent(
                &mut compliance,
                station.length,
                &point.flexibility,
                &station.equilibrium,
            );
        }
        self.now.stiffness = inverse(&compliance)?;
        let stiffness = if initial {
            &self.initial_stiffness
        } else {
            &self.now.stiffness
        };
        let correction = times(stiffness, &remaining);
        for (force, correction) in self.now.force.iter_mut().zip(&correction) {
            *force += correction;
        }
        let energy = dot(&remaining, &correction).abs().max(owed);
        energy.is_finite().then_some(energy)
    }

    fn back_to_anchor(&mut self) {
        self.now = self.anchor;
        for station in &mut self.stations {
            station.now = station.anchor;
        }
    }

    fn drop_anchor(&mut self) {
        self.anchor = self.now;
        for station in &mut self.stations {
            station.anchor = station.now;
        }
    }

    /// From the anchor to `v` by one scheme.
    #[inline]
    fn settle(&mut self, v: &[f64; B], scheme: Scheme, tolerance: f64, passes: u32) -> bool {
        self.predict(v, scheme);
        match scheme {
            Scheme::Newton => self.passes(v, false, tolerance, passes) == Some(true),
            Scheme::InitialFirst => self.passes(v, true, tolerance, 1).is_some_and(|settled| {
                settled || self.passes(v, false, tolerance, passes.saturating_sub(1)) == Some(true)
            }),
            Scheme::Initial => {
                for _ in 0..passes {
                    match self.passes(v, true, tolerance, SLOW) {
                        Some(false) => {}
                        settled => return settled == Some(true),
                    }
                    self.keep();
                    if self.passes(v, false, tolerance, QUICK) == Some(true) {
                        return true;
                    }
                    self.back_to_kept();
                }
                false
            }
        }
    }

    /// A number of passes, fewer where they settle; whether they did. None where the flexibility
    /// cannot be inverted.
    #[inline]
    fn passes(&mut self, v: &[f64; B], initial: bool, tolerance: f64, most: u32) -> Option<bool> {
        for _ in 0..most {
            let energy = self.pass(initial)?;
            // ½(vᵀk₀v + qᵀf₀q) is never below |q·v| and does not vanish while unloading.
            let scale = quadratic(&self.initial_stiffness, v)
                + quadratic(&self.initial_flexibility, &self.now.force);
            if energy <= 0.5 * tolerance * scale {
                return Some(true);
            }
        }
        Some(false)
    }

    fn keep(&mut self) {
        self.kept = self.now;
        for station in &mut self.stations {
            station.kept = station.now;
        }
    }

    fn back_to_kept(&mut self) {
        self.now = self.kept;
        for station in &mut self.stations {
            station.now = station.kept;
        }
    }

    /// From the committed state to `v`, with fall-backs: initial flexibility, then smaller
    /// increments.
    fn iterate(&mut self, v: &[f64; B], tolerance: f64, passes: u32) {
        self.now = self.committed;
        for station in &mut self.stations {
            station.now = station.committed;
        }
        if self.settle(v, Scheme::Newton, tolerance, passes) {
            return;
        }
        self.anchor = self.committed;
        for station in &mut self.stations {
            station.anchor = station.committed;
        }
        let start = self.committed.deformation;
        let (mut done, mut step) = (0.0, 1.0);
        while done < 1.0 && step > LEAST_STEP {
            let reach = done + step;
            let target = if reach >= 1.0 - 1e-9 {
                *v
            } else {
                std::array::from_fn(|i| start[i] + reach * (v[i] - start[i]))
            };
            // From the committed state to the end Newton's method was tried above.
            let tried = usize::from(done <= 0.0 && step >= 1.0);
            let schemes = [Scheme::Newton, Scheme::Initial, Scheme::InitialFirst];
            let settled = schemes[tried..].iter().any(|scheme| {
                self.back_to_anchor();
                self.settle(&target, *scheme, tolerance, passes)
            });
            if settled {
                self.drop_anchor();
                done = if reach >= 1.0 - 1e-9 { 1.0 } else { reach };
                step *= 2.0;
            } else {
                step *= 0.1;
            }
        }
        if done < 1.0 {
            self.failures += 1;
            self.back_to_anchor();
            self.predict(v, Scheme::InitialFirst);
            let _ = self.pass(true);
        }
    }
}

impl<const B: usize, const S: usize, X: SectionLaw<S>> Body<B> for ForceBased<B, S, X> {
    fn failures(&self) -> usize {
        self.failures
    }
    #[inline]
    fn trial(&mut self, v: &[f64; B]) {
        match self.determination {
            Determination::Iterated { tolerance, passes } => self.iterate(v, tolerance, passes),
            Determination::Carried => {
                self.predict(v, Scheme::Newton);
                if self.pass(false).is_none() {
                    self.failures += 1;
                    self.now.stiffness = self.initial_stiffness;
                }
            }
        }
    }
    fn force(&self) -> &[f64; B] {
        &self.now.force
    }
    fn stiffness(&self) -> &[[f64; B]; B] {
        &self.now.stiffness
    }
    fn initial_stiffness(&self) -> &[[f64; B]; B] {
        &self.initial_stiffness
    }
    fn set_load(&mut self, load: [f64; 3]) {
        self.load = load;
        for station in &mut self.stations {
            station.load = load_interpolation(station.xi, self.length, load);
        }
    }
    fn commit(&mut self) {
        self.committed = self.now;
        for station in &mut self.stations {
            station.committed = station.now;
            station.section.commit();
        }
    }
    fn revert(&mut self) {
        self.now = self.committed;
        for station in &mut self.stations {
            station.now = station.committed;
            station.section.revert();
        }
    }
}

impl<const B: usize, const S: usize, X: SectionLaw<S>> Snapshot for ForceBased<B, S, X> {
    fn save(&self, into: &mut Vec<f64>) {
        self.load.save(into);
        self.now.save(into);
        self.committed.save(into);
        self.failures.save(into);
        for station in &self.stations {
            station.section.save(into);
            station.now.save(into);
            station.committed.save(into);
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        let mut load = [0.0; 3];
        load.restore(from)?;
        self.set_load(load);
        self.now.restore(from)?;
        self.committed.restore(from)?;
        self.failures.restore(from)?;
        for station in &mut self.stations {
            station.section.restore(from)?;
            station.now.restore(from)?;
            station.committed.restore(from)?;
        }
        Ok(())
    }
}
