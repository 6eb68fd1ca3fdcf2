//! Before the test: which delay of the transfer system makes the loop unstable?
//!
//! ```text
//! M_n ẍ(t) + C_n ẋ(t) + K_n x(t) + [M_e ẍ + C_e ẋ + K_e x](t − τ) = load,   x: all degrees of freedom
//! ```
//!
//! Pure functions of the matrices of a linear test. [`critical_delay_exact`] finds the delay at
//! which a characteristic root reaches the imaginary axis; [`critical_delay_first_order`] uses the
//! hybrid equation of motion of Gao and You 2019, which also takes amplitude errors and a delay per
//! mode; [`critical_delay_single`] is the closed form for one degree of freedom, from which
//! [`stability_map`] is drawn. All neglect the sampling of the loop.

mod exact;
mod first_order;
mod growth;
mod partitions;
mod single;

pub use exact::critical_delay_exact;
pub use first_order::{Synchronisation, critical_delay_first_order};
pub use partitions::{InterfaceShares, partition_map};
pub use single::{Shares, critical_delay_single, stability_map};

use tandem_integrator::Problem;
use tandem_quantity::SpecimenMatrices;
use tandem_structure::Matrix;
use tandem_structure::reduction::condense;

use growth::growth;

/// A partition cannot be examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StabilityError {
    /// Sizes that must agree do not.
    #[error("{what}: size {got} where {expected} was expected")]
    Size {
        /// What has the wrong size.
        what: &'static str,
        /// The size that would fit.
        expected: usize,
        /// The size that came.
        got: usize,
    },
    /// An interface degree of freedom that the structure does not have.
    #[error("interface degree of freedom {dof} in a structure of {available}")]
    Interface {
        /// The degree of freedom, from zero.
        dof: usize,
        /// How many there are.
        available: usize,
    },
    /// Modes are needed and cannot be had.
    #[error(
        "the modes of the undivided structure cannot be found, or are fewer than its degrees of \
        freedom"
    )]
    Modes,
    /// The roots without delay cannot be found, so that nothing can be said of those with it.
    #[error(
        "the roots without any delay cannot be found: a degree of freedom without mass has neither \
        stiffness nor damping, or a matrix holds a value that is not finite"
    )]
    Roots,
}

/// A linear structure divided into a numerical and an experimental substructure.
#[derive(Clone, Debug)]
pub struct Partition {
    mass: Matrix,
    damping: Matrix,
    stiffness: Matrix,
    interface: Vec<usize>,
    specimen: SpecimenMatrices,
}

impl Partition {
    /// From the matrices of the numerical substructure, its interface degrees of freedom (from
    /// zero) and the specimen.
    pub fn new(
        mass: &Matrix,
        damping: &Matrix,
        stiffness: &Matrix,
        interface: &[usize],
        specimen: &SpecimenMatrices,
    ) -> Result<Self, StabilityError> {
        let order = mass.order();
        let size = |what, expected, got| {
            if expected == got {
                Ok(())
            } else {
                Err(StabilityError::Size {
                    what,
                    expected,
                    got,
                })
            }
        };
        size("damping", order, damping.order())?;
        size("stiffness", order, stiffness.order())?;
        size("specimen", interface.len(), specimen.dof)?;
        let entries = interface.len() * interface.len();
        size("specimen mass", entries, specimen.mass.len())?;
        size("specimen damping", entries, specimen.damping.len())?;
        size("specimen stiffness", entries, specimen.stiffness.len())?;
        if let Some(&dof) = interface.iter().find(|dof| **dof >= order) {
            return Err(StabilityError::Interface {
                dof,
                available: order,
            });
        }
        Ok(Self {
            mass: mass.clone(),
            damping: damping.clone(),
            stiffness: stiffness.clone(),
            interface: interface.to_vec(),
            specimen: specimen.clone(),
        })
    }

    /// That of a hybrid test, with the specimen as it is known beforehand and the initial stiffness
    /// of both. Degrees of freedom without mass that the specimen does not touch, such as the
    /// rotations of a frame, follow the others statically.
    pub fn of(problem: &Problem) -> Result<Self, StabilityError> {
        let (mass, damping, stiffness) = (
            &problem.structure.properties().mass,
            &problem.structure.properties().damping,
            &problem.structure.properties().stiffness,
        );
        let interface = &problem.interface;
        let massless: Vec<usize> = (0..mass.order())
            .filter(|dof| mass.get(*dof, *dof).abs() <= 0.0 && !interface.contains(dof))
            .collect();
        match condense(mass, damping, stiffness, &massless) {
            Ok(condensed) if !massless.is_empty() => {
                let interface: Vec<usize> = interface
                    .iter()
                    .filter_map(|dof| condensed.kept.binary_search(dof).ok())
                    .collect();
                let (mass, damping) = (&condensed.mass, &condensed.damping);
                Self::new(
                    mass,
                    damping,
                    &condensed.stiffness,
                    &interface,
                    &problem.specimen,
                )
            }
            _ => Self::new(mass, damping, stiffness, interface, &problem.specimen),
        }
    }

    /// Number of degrees of freedom that are left.
    pub fn order(&self) -> usize {
        self.mass.order()
    }

    /// A specimen's matrix in the numbering of all degrees of freedom, by rows.
    fn spread(&self, matrix: &[f64]) -> Vec<f64> {
        let (n, m) = (self.order(), self.interface.len());
        let mut all = vec![0.0; n * n];
        for (a, &i) in self.interface.iter().enumerate() {
            for (b, &j) in self.interface.iter().enumerate() {
                all[i * n + j] += matrix[a * m + b];
            }
        }
        all
    }

    /// M, C or K of the undivided structure, by rows.
    fn total(&self, numerical: &Matrix, specimen: &[f64]) -> Vec<f64> {
        let mut all = self.spread(specimen);
        for (i, j, v) in numerical.triplets() {
            all[i * self.order() + j] += v;
        }
        all
    }
}

/// Predictive stability indicator: the decadic logarithm of the critical delay in milliseconds
/// (Maghareh et al. 2017). Zero is 1 ms; a partition that no delay makes unstable has an infinite
/// one.
pub fn predictive_stability_indicator(critical_delay: Option<f64>) -> f64 {
    critical_delay.map_or(f64::INFINITY, |delay| (1e3 * delay).log10())
}
