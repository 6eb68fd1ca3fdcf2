//! Bar that carries axial force only, of any uniaxial material.
//!
//! ε = elongation/L, N = σ(ε) A. Linear: along the first direction. P-Delta: N/L against transverse
//! displacement as well. Corotational: along the present direction.

use tandem_quantity::snapshot;

use super::choice::NodalElement;
use super::motion::Motion;
use crate::material::{Drive, Material, MaterialPoint};
use crate::small::{MOST_DOFS, SmallMatrix};
use crate::transformation::Geometry;

/// A bar between two nodes of a plane or space frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Truss {
    /// 3 or 6.
    dofs_per_node: usize,
    /// 2 or 3.
    dimensions: usize,
    geometry: Geometry,
    point: MaterialPoint,
    area: f64,
    length: f64,
    span: [f64; 3],
    now: State,
    committed: State,
}

/// Direction and length at present, displacement of j relative to i, axial force.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    direction: [f64; 3],
    length: f64,
    relative: [f64; 3],
    axial: f64,
}

snapshot!(State {
    direction,
    length,
    relative,
    axial
});
snapshot!(Truss {
    point,
    now,
    committed
});

impl Truss {
    /// A bar that spans `span`; the third component is not used in a plane frame.
    #[must_use]
    pub fn new(
        dofs_per_node: usize,
        span: [f64; 3],
        material: &Material,
        area: f64,
        geometry: Geometry,
    ) -> Self {
        let length = span[0].hypot(span[1]).hypot(span[2]);
        let start = State {
            direction: span.map(|v| v / length),
            length,
            relative: [0.0; 3],
            axial: material.point().response().stress * area,
        };
        Self {
            dofs_per_node,
            dimensions: if dofs_per_node == 3 { 2 } else { 3 },
            geometry,
            point: material.point(),
            area,
            length,
            span,
            now: start,
            committed: start,
        }
    }

    /// Axial strain and force of the last trial.
    #[must_use]
    pub fn axial(&self) -> (f64, f64) {
        (
            self.point.strain(),
            self.point.response().stress * self.area,
        )
    }

    fn add(&self, modulus: f64, axial: f64, stiffness: &mut SmallMatrix) {
        let n = self.dofs_per_node;
        let direction = &self.now.direction;
        let geometric = match self.geometry {
            Geometry::Linear => 0.0,
            Geometry::PDelta => axial / self.length,
            Geometry::Corotational => axial / self.now.length,
        };
        let along = modulus * self.area / self.length - geometric;
        for i in 0..self.dimensions {
            for j in 0..self.dimensions {
                let mut entry = along * direction[i] * direction[j];
                if i == j {
                    entry += geometric;
                }
                stiffness.add(i, j, entry);
                stiffness.add(n + i, n + j, entry);
                stiffness.add(i, n + j, -entry);
                stiffness.add(n + i, j, -entry);
            }
        }
    }
}

impl NodalElement for Truss {
    fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]) {
        let n = self.dofs_per_node;
        let (u, v) = (motion.displacement, motion.velocity);
        let mut elongation = 0.0;
        let mut rate = 0.0;
        for k in 0..self.dimensions {
            self.now.relative[k] = u[n + k] - u[k];
        }
        if self.geometry == Geometry::Corotational {
            let mut place = self.span;
            let mut gained = 0.0;
            for k in 0..self.dimensions {
                let relative = self.now.relative[k];
                place[k] += relative;
                gained += relative * (2.0 * self.span[k] + relative);
            }
            let length = place[0].hypot(place[1]).hypot(place[2]);
            self.now.length = length;
            self.now.direction = place.map(|p| p / length);
            elongation = gained / (length + self.length);
        } else {
            for k in 0..self.dimensions {
                elongation += self.now.direction[k] * self.now.relative[k];
            }
        }
        for k in 0..self.dimensions {
            rate += self.now.direction[k] * (v[n + k] - v[k]);
        }
        let answer = self.point.trial(Drive {
            strain: elongation / self.length,
            rate: rate / self.length,
            dt: motion.dt,
        });
        self.now.axial = answer.stress * self.area;
        self.add_force(force);
    }

    fn add_force(&self, force: &mut [f64; MOST_DOFS]) {
        let (n, axial) = (self.dofs_per_node, self.now.axial);
        let (direction, relative) = (&self.now.direction, &self.now.relative);
        let elongation: f64 = (0..3).map(|k| direction[k] * relative[k]).sum();
        for k in 0..self.dimensions {
            let mut part = axial * direction[k];
            if self.geometry == Geometry::PDelta {
                part += axial * (relative[k] - elongation * direction[k]) / self.length;
            }
            force[k] -= part;
            force[n + k] += part;
        }
    }

    fn add_tangent(&self, stiffness: &mut SmallMatrix) {
        let answer = self.point.response();
        self.add(answer.tangent, answer.stress * self.area, stiffness);
    }

    fn add_initial(&self, stiffness: &mut SmallMatrix) {
        let axial = self.point.response().stress * self.area;
        self.add(self.point.initial_tangent(), axial, stiffness);
    }

    fn is_linear(&self) -> bool {
        self.geometry == Geometry::Linear && super::springs::is_linear(&self.point)
    }

    fn commit(&mut self) {
        self.point.commit();
        self.committed = self.now;
    }

    fn revert(&mut self) {
        self.point.revert();
        self.now = self.committed;
    }
}
