//! A material that starts with a strain in it: prestress, shrinkage, lack of fit.
//!
//! Ports: strain → stress of the inner material at strain + ε_0. Same answers as OpenSees
//! `InitStrainMaterial`.

use tandem_quantity::{BuildError, Method, Settings, Values, settings, snapshot};

use super::catalogue::inner;
use super::error::{Check, MaterialError};
use super::law::{Drive, Response};
use super::plan::{Measure, Planned, refuse};
use super::{Material, MaterialPoint, Uniaxial};

const LAW: Check = Check("initial strain");

/// A material and the strain it has before anything moves.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialStrain {
    inner: Box<Material>,
    initial: f64,
}

/// The point of a material with an initial strain.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialStrainPoint {
    inner: Box<MaterialPoint>,
    initial: f64,
}

snapshot!(InitialStrainPoint { inner });

impl InitialStrain {
    /// `initial` is the strain of the inner material where the outside strain is zero.
    pub fn new(inner: Material, initial: f64) -> Result<Self, MaterialError> {
        LAW.finite("initial strain", initial)?;
        Ok(Self {
            inner: Box::new(inner),
            initial,
        })
    }
}

impl Uniaxial for InitialStrain {
    type Point = InitialStrainPoint;

    fn point(&self) -> InitialStrainPoint {
        let mut inner = self.inner.point();
        inner.trial(Drive::at(self.initial));
        inner.commit();
        InitialStrainPoint {
            inner: Box::new(inner),
            initial: self.initial,
        }
    }

    fn initial_tangent(&self) -> f64 {
        self.point().initial_tangent()
    }
}

impl InitialStrainPoint {
    pub(super) fn trial(&mut self, drive: Drive) -> Response {
        self.inner.trial(Drive {
            strain: drive.strain + self.initial,
            ..drive
        })
    }

    pub(super) fn commit(&mut self) {
        self.inner.commit();
    }

    pub(super) fn revert(&mut self) {
        self.inner.revert();
    }

    pub(super) fn response(&self) -> Response {
        self.inner.response()
    }

    pub(super) fn strain(&self) -> f64 {
        self.inner.strain() - self.initial
    }

    pub(super) fn initial_tangent(&self) -> f64 {
        self.inner.initial_tangent()
    }
}

settings! {
    struct InitialStrainSettings<M: Measure> {
        /// the material
        of: Values = slot(M::SLOT),
        /// its deformation where the outside sees none
        initial: f64 = number(M::STRAIN),
    }
}

impl<M: Measure> Planned<M> for InitialStrain {
    const METHOD: Method = Method {
        name: "initial-strain",
        summary: "a material with a deformation from the start: prestress, shrinkage, lack of fit",
        reference: "definition",
        parameters: InitialStrainSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = InitialStrainSettings::<M>::read(values)?;
        Self::new(inner::<M>(&settings.of)?, settings.initial)
            .map(Material::from)
            .map_err(refuse)
    }
}
