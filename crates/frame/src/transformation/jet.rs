//! Numbers that carry their derivatives, so that a deformation is written once and its gradient and
//! curvature follow from it by the chain rule.

use std::ops::{Add, Mul, Sub};

/// Variables that a jet is differentiated by: displacement of end j relative to end i (3),
/// rotations of i and of j (3 each).
pub(super) const VARIABLES: usize = 9;

const PAIRS: usize = VARIABLES * (VARIABLES + 1) / 2;

/// What a formula is evaluated with.
pub(super) trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// A number that depends on nothing.
    fn constant(value: f64) -> Self;
    /// The variable at `index`, with this value.
    fn variable(index: usize, value: f64) -> Self;
    /// The number itself.
    fn value(&self) -> f64;
    /// `f(self)` from f, f′ and f″ there.
    fn chain(self, derivatives: [f64; 3]) -> Self;

    /// `self` times a number.
    fn times(self, factor: f64) -> Self {
        let value = self.value();
        self.chain([factor * value, factor, 0.0])
    }
    /// Square root.
    fn sqrt(self) -> Self {
        let root = self.value().sqrt();
        self.chain([root, 0.5 / root, -0.25 / (root * root * root)])
    }
    /// One over it.
    fn inverse(self) -> Self {
        let inverse = 1.0 / self.value();
        let square = inverse * inverse;
        self.chain([inverse, -square, 2.0 * square * inverse])
    }
}

/// A value with its gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct First {
    pub value: f64,
    pub gradient: [f64; VARIABLES],
}

/// A value with its gradient and its curvature: the upper triangle of the Hessian by rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Second {
    first: First,
    curvature: [f64; PAIRS],
}

impl Second {
    /// Visits the upper triangle of the Hessian: row, column, entry.
    pub fn each_curvature(&self, mut visit: impl FnMut(usize, usize, f64)) {
        let mut pair = 0;
        for i in 0..VARIABLES {
            for j in i..VARIABLES {
                visit(i, j, self.curvature[pair]);
                pair += 1;
            }
        }
    }
}

impl Add for First {
    type Output = Self;
    #[inline]
    fn add(mut self, other: Self) -> Self {
        self.value += other.value;
        for i in 0..VARIABLES {
            self.gradient[i] += other.gradient[i];
        }
        self
    }
}

impl Sub for First {
    type Output = Self;
    #[inline]
    fn sub(mut self, other: Self) -> Self {
        self.value -= other.value;
        for i in 0..VARIABLES {
            self.gradient[i] -= other.gradient[i];
        }
        self
    }
}

#[allow(clippy::suspicious_arithmetic_impl)] // the product rule adds
impl Mul for First {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            gradient: std::array::from_fn(|i| {
                self.value * other.gradient[i] + other.value * self.gradient[i]
            }),
        }
    }
}

impl Scalar for First {
    fn constant(value: f64) -> Self {
        Self {
            value,
            gradient: [0.0; VARIABLES],
        }
    }
    fn variable(index: usize, value: f64) -> Self {
        let mut jet = Self::constant(value);
        jet.gradient[index] = 1.0;
        jet
    }
    fn value(&self) -> f64 {
        self.value
    }
    #[inline]
    fn chain(self, [f, slope, _]: [f64; 3]) -> Self {
        Self {
            value: f,
            gradient: self.gradient.map(|g| slope * g),
        }
    }
}

impl Add for Second {
    type Output = Self;
    #[inline]
    fn add(mut self, other: Self) -> Self {
        self.first = self.first + other.first;
        for k in 0..PAIRS {
            self.curvature[k] += other.curvature[k];
        }
        self
    }
}

impl Sub for Second {
    type Output = Self;
    #[inline]
    fn sub(mut self, other: Self) -> Self {
        self.first = self.first - other.first;
        for k in 0..PAIRS {
            self.curvature[k] -= other.curvature[k];
        }
        self
    }
}

#[allow(clippy::suspicious_arithmetic_impl)] // the product rule adds
impl Mul for Second {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (&self.first, &other.first);
        let mut curvature = [0.0; PAIRS];
        let mut pair = 0;
        for i in 0..VARIABLES {
            for j in i..VARIABLES {
                curvature[pair] = a.value * other.curvature[pair]
                    + b.value * self.curvature[pair]
                    + a.gradient[i] * b.gradient[j]
                    + a.gradient[j] * b.gradient[i];
                pair += 1;
            }
        }
        Self {
            first: self.first * other.first,
            curvature,
        }
    }
}

impl Scalar for Second {
    fn constant(value: f64) -> Self {
        Self {
            first: First::constant(value),
            curvature: [0.0; PAIRS],
        }
    }
    fn variable(index: usize, value: f64) -> Self {
        Self {
            first: First::variable(index, value),
            curvature: [0.0; PAIRS],
        }
    }
    fn value(&self) -> f64 {
        self.first.value
    }
    #[inline]
    fn chain(self, derivatives: [f64; 3]) -> Self {
        let [_, slope, bend] = derivatives;
        let gradient = &self.first.gradient;
        let mut curvature = [0.0; PAIRS];
        let mut pair = 0;
        for i in 0..VARIABLES {
            for j in i..VARIABLES {
                curvature[pair] = slope * self.curvature[pair] + bend * gradient[i] * gradient[j];
                pair += 1;
            }
        }
        Self {
            first: self.first.chain(derivatives),
            curvature,
        }
    }
}
