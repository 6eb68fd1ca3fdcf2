//! Numbers that carry their first and second time derivative through a formula.

use std::ops::{Add, Mul, Neg, Sub};

/// Value, rate and acceleration of a quantity. Geometry is written once, for positions; velocities,
/// accelerations and the Jacobian follow by the chain rule, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jet(pub [f64; 3]);

impl Jet {
    /// A constant.
    pub fn constant(x: f64) -> Self {
        Self([x, 0.0, 0.0])
    }

    /// f(self), given f and its first two derivatives at the value.
    fn chain(self, f: f64, slope: f64, curvature: f64) -> Self {
        let [_, v, a] = self.0;
        Self([f, slope * v, slope * a + curvature * v * v])
    }

    pub fn cos(self) -> Self {
        let (s, c) = self.0[0].sin_cos();
        self.chain(c, -s, -c)
    }

    pub fn sin(self) -> Self {
        let (s, c) = self.0[0].sin_cos();
        self.chain(s, c, -s)
    }

    /// Square root of a positive quantity.
    pub fn sqrt(self) -> Self {
        let root = self.0[0].sqrt();
        self.chain(root, 0.5 / root, -0.25 / (root * self.0[0]))
    }

    pub fn scaled(self, f: f64) -> Self {
        Self(self.0.map(|x| f * x))
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + b.0[k]))
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - b.0[k]))
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        self.scaled(-1.0)
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let ([x, v, a], [y, w, c]) = (self.0, b.0);
        Self([x * y, v * y + x * w, a * y + 2.0 * v * w + x * c])
    }
}
