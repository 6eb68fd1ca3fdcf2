//! Fracture: a material that is gone for good once its strain leaves a range.
//!
//! Ports: strain → stress of the inner material, or zero after fracture. The fracture becomes final
//! when it is committed. After it the tangent is 1e-8 of the initial one, so that a lone spring
//! does not make a stiffness matrix singular. Same answers as OpenSees `MinMax`.

use tandem_quantity::{BuildError, Method, Settings, Values, settings, snapshot};

use super::catalogue::inner;
use super::error::{Check, MaterialError};
use super::law::{Drive, Response};
use super::plan::{Measure, Planned, refuse};
use super::{Material, MaterialPoint, Uniaxial};

const LAW: Check = Check("min-max");
const REST: f64 = 1e-8;

/// A material and the strains at which it breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct MinMax {
    inner: Box<Material>,
    min: f64,
    max: f64,
}

/// The point of a material that can break.
#[derive(Clone, Debug, PartialEq)]
pub struct MinMaxPoint {
    inner: Box<MaterialPoint>,
    min: f64,
    max: f64,
    committed_broken: bool,
    broken: bool,
    committed_strain: f64,
    strain: f64,
}

snapshot!(MinMaxPoint {
    inner,
    committed_broken,
    broken,
    committed_strain,
    strain
});

impl MinMax {
    /// Breaks at `min` < 0 and at `max` > 0; an infinite limit never breaks.
    pub fn new(inner: Material, min: f64, max: f64) -> Result<Self, MaterialError> {
        let wrong = |parameter, expected, got| MaterialError::OutOfRange {
            law: LAW.0,
            parameter,
            expected,
            got,
        };
        if min.is_nan() || min >= 0.0 {
            return Err(wrong("lower strain limit", "below zero", min));
        }
        if max.is_nan() || max <= 0.0 {
            return Err(wrong("upper strain limit", "above zero", max));
        }
        Ok(Self {
            inner: Box::new(inner),
            min,
            max,
        })
    }
}

impl Uniaxial for MinMax {
    type Point = MinMaxPoint;

    fn point(&self) -> MinMaxPoint {
        MinMaxPoint {
            inner: Box::new(self.inner.point()),
            min: self.min,
            max: self.max,
            committed_broken: false,
            broken: false,
            committed_strain: 0.0,
            strain: 0.0,
        }
    }

    fn initial_tangent(&self) -> f64 {
        self.point().initial_tangent()
    }
}

impl MinMaxPoint {
    pub(super) fn trial(&mut self, drive: Drive) -> Response {
        self.strain = drive.strain;
        self.broken = self.committed_broken || drive.strain >= self.max || drive.strain <= self.min;
        if !self.broken {
            self.inner.trial(drive);
        }
        self.response()
    }

    pub(super) fn commit(&mut self) {
        self.committed_broken = self.broken;
        self.committed_strain = self.strain;
        if !self.broken {
            self.inner.commit();
        }
    }

    pub(super) fn revert(&mut self) {
        self.broken = self.committed_broken;
        self.strain = self.committed_strain;
        self.inner.revert();
    }

    pub(super) fn response(&self) -> Response {
        if self.broken {
            Response::of(0.0, REST * self.inner.initial_tangent())
        } else {
            self.inner.response()
        }
    }

    pub(super) fn strain(&self) -> f64 {
        self.strain
    }

    pub(super) fn initial_tangent(&self) -> f64 {
        self.inner.initial_tangent()
    }
}

settings! {
    struct MinMaxSettings<M: Measure> {
        /// the material
        of: Values = slot(M::SLOT),
        /// where it breaks in tension; default: never
        tension: Option<f64> = number(M::STRAIN).positive(),
        /// where it breaks in compression, as a positive number; default: never
        compression: Option<f64> = number(M::STRAIN).positive(),
    }
}

impl<M: Measure> Planned<M> for MinMax {
    const METHOD: Method = Method {
        name: "fracture",
        summary: "a material that is gone for good outside a range of deformation",
        reference: "definition",
        parameters: MinMaxSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = MinMaxSettings::<M>::read(values)?;
        Self::new(
            inner::<M>(&settings.of)?,
            -settings.compression.unwrap_or(f64::INFINITY),
            settings.tension.unwrap_or(f64::INFINITY),
        )
        .map(Material::from)
        .map_err(refuse)
    }
}
