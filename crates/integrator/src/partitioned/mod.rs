//! Partitioned time integration with localized Lagrange multipliers.
//!
//! Gomes, Abbiati and Larsen, "Seismic hybrid testing using FMI-based co-simulation", Eqs 1–16;
//! sub-cycling after Gravouil and Combescure 2001. Any number of substructures, each with its own
//! Newmark constants and step:
//!
//! ```text
//! M_s a_s + C_s v_s + r_s(u_s) = f_s(t) + L_sᵀ q_s      q_s: interface forces, N, one per row of L_s
//! L_s v_s + L̄_s w = 0                                    w: velocities of the interface, m/s
//! Σ L̄_sᵀ q_s = 0                                         f_s = −M_s ι a_g
//! ```
//!
//! Every substructure is tied to the interface, not to another substructure: three or more in one
//! node are no special case. A step is: each substructure alone ([`Part::predict`],
//! [`Part::evaluate`], [`Part::free`]), one solution for the multipliers ([`Interface::solve`]),
//! then the link ([`Part::couple`]). Velocities agree at the interface; displacements differ by Δt²
//! (β₁ − β₂)(a_k − a_0), which does not grow.

mod interface;
mod part;
#[cfg(test)]
mod tests;

pub use interface::Interface;
pub use part::{Actuation, Newmark, Part};

use tandem_quantity::{BuildError, Snapshot, SnapshotError, StateReader, index};

/// Substructures joined at an interface.
pub struct Partitioned {
    parts: Vec<Coupled>,
    interface: Interface,
    /// Longest step, s.
    dt: f64,
    /// Solutions of the interface within it.
    rounds: usize,
    step: u64,
    free: Vec<f64>,
    forces: Vec<f64>,
}

/// A part with its place in the interface vectors.
struct Coupled {
    part: Part,
    /// Rounds of the interface for each of its steps.
    rounds: usize,
    rows: std::ops::Range<usize>,
    /// Free velocities at the rows: end of the last step, end of this one.
    last: Vec<f64>,
    next: Vec<f64>,
}

impl Partitioned {
    /// Joins parts. `maps` says for each part which interface degree of freedom each of its rows is
    /// tied to. Steps must be whole fractions of the longest.
    pub fn new(parts: Vec<Part>, maps: &[Vec<usize>]) -> Result<Self, BuildError> {
        let mobilities: Vec<&[f64]> = parts.iter().map(Part::mobility).collect();
        let interface = Interface::new(&mobilities, maps)?;
        let dt = parts.iter().map(Part::dt).fold(0.0, f64::max);
        let shortest = parts.iter().map(Part::dt).fold(f64::INFINITY, f64::min);
        let rounds = whole(dt / shortest)?;
        let mut coupled = Vec::new();
        let mut row = 0;
        for part in parts {
            let steps = whole(dt / part.dt())?;
            if !rounds.is_multiple_of(steps) {
                return Err(BuildError::new(
                    "substeps",
                    format!("{steps} steps of one part do not fit to {rounds} of another"),
                    "take numbers of steps that divide each other",
                ));
            }
            let rows = row..row + part.rows();
            row = rows.end;
            coupled.push(Coupled {
                rounds: rounds / steps,
                last: vec![0.0; rows.len()],
                next: vec![0.0; rows.len()],
                rows,
                part,
            });
        }
        Ok(Self {
            parts: coupled,
            interface,
            dt,
            rounds,
            step: 0,
            free: vec![0.0; row],
            forces: vec![0.0; row],
        })
    }

    /// Starts from the displacements and velocities that the parts have: accelerations that belong
    /// together, q(0) and with them the free velocities before the first step.
    pub fn start(&mut self, ground: f64) -> Result<(), BuildError> {
        let receptances: Vec<Vec<f64>> = self.parts.iter().map(|c| c.part.inverse_mass()).collect();
        let views: Vec<&[f64]> = receptances.iter().map(Vec::as_slice).collect();
        let maps: Vec<Vec<usize>> = self.interface.maps().to_vec();
        let mut initial = Interface::new(&views, &maps)?;
        for coupled in &mut self.parts {
            coupled.part.start(ground);
            coupled
                .part
                .acceleration_at_rows(&mut self.free[coupled.rows.clone()]);
        }
        initial.solve(&self.free, &mut self.forces);
        for coupled in &mut self.parts {
            let forces = &self.forces[coupled.rows.clone()];
            coupled.part.start_coupled(forces);
            coupled.part.velocity_at_rows(&mut coupled.last);
            coupled.part.subtract_mobility(forces, &mut coupled.last);
        }
        self.step = 0;
        Ok(())
    }

    /// One step of the longest Δt; `ground` is the ground acceleration (m/s²) over time (s). Does
    /// not allocate.
    pub fn step(&mut self, ground: &dyn Fn(f64) -> f64) {
        let start = self.step as f64 * self.dt;
        for round in 0..self.rounds {
            for coupled in &mut self.parts {
                let within = round % coupled.rounds;
                if within == 0 {
                    let end = start + (round / coupled.rounds + 1) as f64 * coupled.part.dt();
                    coupled.part.predict();
                    coupled.part.evaluate();
                    coupled.part.free(ground(end));
                    coupled.part.velocity_at_rows(&mut coupled.next);
                }
                // Between two ends the free velocities are interpolated: from free to free, never
                // from the coupled one.
                let share = (within + 1) as f64 / coupled.rounds as f64;
                let free = self.free[coupled.rows.clone()].iter_mut();
                for ((v, last), next) in free.zip(&coupled.last).zip(&coupled.next) {
                    *v = if within + 1 == coupled.rounds {
                        *next
                    } else {
                        last + share * (next - last)
                    };
                }
            }
            self.interface.solve(&self.free, &mut self.forces);
            for coupled in &mut self.parts {
                if (round + 1) % coupled.rounds == 0 {
                    coupled.part.couple(&self.forces[coupled.rows.clone()]);
                    std::mem::swap(&mut coupled.last, &mut coupled.next);
                }
            }
        }
        self.step += 1;
    }

    /// The part at a place in the list.
    pub fn part(&self, index: usize) -> Option<&Part> {
        self.parts.get(index).map(|coupled| &coupled.part)
    }

    /// Likewise, to set its start.
    pub fn part_mut(&mut self, index: usize) -> Option<&mut Part> {
        self.parts.get_mut(index).map(|coupled| &mut coupled.part)
    }

    /// Interface forces q of a part after the last step, N.
    pub fn forces(&self, index: usize) -> &[f64] {
        match self.parts.get(index) {
            Some(coupled) => &self.forces[coupled.rows.clone()],
            None => &[],
        }
    }

    /// Velocities w of the interface, m/s.
    pub fn velocity(&self) -> &[f64] {
        self.interface.velocity()
    }

    /// Longest step, s.
    pub fn dt(&self) -> f64 {
        self.dt
    }
}

impl Snapshot for Partitioned {
    fn save(&self, into: &mut Vec<f64>) {
        for coupled in &self.parts {
            coupled.part.save(into);
            coupled.last.save(into);
        }
        self.forces.save(into);
        self.step.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        for coupled in &mut self.parts {
            coupled.part.restore(from)?;
            coupled.last.restore(from)?;
        }
        self.forces.restore(from)?;
        self.step.restore(from)
    }
}

/// A whole number, up to round-off.
fn whole(ratio: f64) -> Result<usize, BuildError> {
    let rounded = ratio.round();
    if !((1.0..=1e6).contains(&rounded) && (ratio - rounded).abs() < 1e-9 * rounded) {
        return Err(BuildError::new(
            "substeps",
            format!("{ratio} steps of one part in one of another"),
            "take a whole number",
        ));
    }
    Ok(index(rounded))
}
