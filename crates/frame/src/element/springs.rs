//! Uncoupled springs between two nodes: the core of zero-length elements, links, storeys and
//! dampers.
//!
//! Each spring has a direction g over the nodes' degrees of freedom: deformation e = g·u, nodal
//! forces g σ(e, ė). A linear dashpot's coefficient belongs to the damping matrix of the structure,
//! so that implicit methods know of it; only what goes beyond it is part of the restoring force.

use tandem_quantity::snapshot;

use super::choice::NodalElement;
use super::motion::Motion;
use crate::material::{Drive, Material, MaterialPoint};
use crate::small::{MOST_DOFS, SmallMatrix};

/// Springs between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Springs {
    springs: Vec<Spring>,
}

#[derive(Clone, Debug, PartialEq)]
struct Spring {
    direction: [f64; MOST_DOFS],
    point: MaterialPoint,
    /// Part of the damping that is in the damping matrix of the structure.
    dashpot: f64,
}

snapshot!(Spring { point });
snapshot!(Springs { springs });

impl Springs {
    /// Springs with their directions.
    #[must_use]
    pub fn new(springs: &[([f64; MOST_DOFS], &Material)]) -> Self {
        let springs = springs
            .iter()
            .map(|(direction, material)| {
                let point = material.point();
                Spring {
                    direction: *direction,
                    dashpot: dashpot(&point),
                    point,
                }
            })
            .collect();
        Self { springs }
    }

    /// Deformation and force of each spring at the last trial.
    pub fn responses(&self) -> impl ExactSizeIterator<Item = (f64, f64)> {
        self.springs
            .iter()
            .map(|spring| (spring.point.strain(), spring.point.response().stress))
    }

    fn add(&self, block: &mut SmallMatrix, weight: impl Fn(&Spring) -> f64) {
        for spring in &self.springs {
            block.add_outer(weight(spring), &spring.direction, &spring.direction);
        }
    }
}

impl NodalElement for Springs {
    fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]) {
        for spring in &mut self.springs {
            let g = &spring.direction;
            let rate = crate::small::dot(g, motion.velocity);
            let answer = spring.point.trial(Drive {
                strain: crate::small::dot(g, motion.displacement),
                rate,
                dt: motion.dt,
            });
            let value = answer.stress - spring.dashpot * rate;
            for (force, g) in force.iter_mut().zip(g) {
                *force += g * value;
            }
        }
    }

    fn add_force(&self, force: &mut [f64; MOST_DOFS]) {
        for spring in &self.springs {
            let value = spring.point.response().stress;
            for (force, g) in force.iter_mut().zip(&spring.direction) {
                *force += g * value;
            }
        }
    }

    fn add_tangent(&self, stiffness: &mut SmallMatrix) {
        self.add(stiffness, |spring| spring.point.response().tangent);
    }

    fn add_initial(&self, stiffness: &mut SmallMatrix) {
        self.add(stiffness, |spring| spring.point.initial_tangent());
    }

    fn add_damping(&self, damping: &mut SmallMatrix) {
        self.add(damping, |spring| spring.dashpot);
    }

    fn add_damping_tangent(&self, damping: &mut SmallMatrix) {
        self.add(damping, |spring| {
            spring.point.response().damping - spring.dashpot
        });
    }

    fn is_linear(&self) -> bool {
        self.springs.iter().all(|spring| is_linear(&spring.point))
    }

    fn commit(&mut self) {
        self.springs
            .iter_mut()
            .for_each(|spring| spring.point.commit());
    }

    fn revert(&mut self) {
        self.springs
            .iter_mut()
            .for_each(|spring| spring.point.revert());
    }
}

/// Coefficient of a linear dashpot; zero where damping depends on the speed.
fn dashpot(point: &MaterialPoint) -> f64 {
    let at = |rate: f64| {
        let drive = Drive {
            rate,
            ..Drive::default()
        };
        point.clone().trial(drive).damping
    };
    let (slow, fast) = (at(1e-3), at(1.0));
    if (slow - fast).abs() <= 1e-12 * fast.abs() {
        fast
    } else {
        0.0
    }
}

/// Whether the law is linear elastic with at most a linear dashpot.
pub(crate) fn is_linear(point: &MaterialPoint) -> bool {
    let MaterialPoint::Elastic(_) = point else {
        return false;
    };
    let at = |strain: f64| point.clone().trial(Drive::at(strain)).tangent;
    (at(1.0) - at(-1.0)).abs() <= 0.0
}
