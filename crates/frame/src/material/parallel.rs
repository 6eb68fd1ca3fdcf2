//! Materials side by side: one strain, stresses add up.
//!
//! Ports: strain → Σ factor × stress. Same answers as OpenSees `Parallel`.

use tandem_quantity::{BuildError, Dimension, Method, Range, Settings, Values, settings, snapshot};

use super::catalogue::materials;
use super::error::{Check, MaterialError};
use super::law::{Drive, Response};
use super::plan::{Measure, Planned, refuse};
use super::{Material, MaterialPoint, Uniaxial};

const LAW: Check = Check("parallel");

/// Materials that share one strain, each with a factor on its stress.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    members: Vec<(Material, f64)>,
}

/// The points of materials in parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelPoint {
    members: Vec<MaterialPoint>,
    factors: Vec<f64>,
}

snapshot!(ParallelPoint { members });

impl Parallel {
    /// At least one material.
    pub fn new(members: Vec<Material>) -> Result<Self, MaterialError> {
        Self::with_factors(
            members
                .into_iter()
                .map(|material| (material, 1.0))
                .collect(),
        )
    }

    /// At least one material, each with the factor its stress is multiplied by.
    pub fn with_factors(members: Vec<(Material, f64)>) -> Result<Self, MaterialError> {
        if members.is_empty() {
            return Err(MaterialError::TooFew {
                law: LAW.0,
                least: 1,
                got: 0,
            });
        }
        members
            .iter()
            .try_for_each(|(_, factor)| LAW.finite("factor", *factor))?;
        Ok(Self { members })
    }
}

impl Uniaxial for Parallel {
    type Point = ParallelPoint;

    fn point(&self) -> ParallelPoint {
        ParallelPoint {
            members: self
                .members
                .iter()
                .map(|(material, _)| material.point())
                .collect(),
            factors: self.members.iter().map(|(_, factor)| *factor).collect(),
        }
    }

    fn initial_tangent(&self) -> f64 {
        self.point().initial_tangent()
    }
}

impl ParallelPoint {
    fn sum(&self, of: impl Fn(&MaterialPoint) -> f64) -> f64 {
        self.members
            .iter()
            .zip(&self.factors)
            .map(|(member, factor)| factor * of(member))
            .sum()
    }

    pub(super) fn trial(&mut self, drive: Drive) -> Response {
        for member in &mut self.members {
            member.trial(drive);
        }
        self.response()
    }

    pub(super) fn commit(&mut self) {
        self.members.iter_mut().for_each(MaterialPoint::commit);
    }

    pub(super) fn revert(&mut self) {
        self.members.iter_mut().for_each(MaterialPoint::revert);
    }

    pub(super) fn response(&self) -> Response {
        Response {
            stress: self.sum(|member| member.response().stress),
            tangent: self.sum(|member| member.response().tangent),
            damping: self.sum(|member| member.response().damping),
        }
    }

    pub(super) fn strain(&self) -> f64 {
        self.members.first().map_or(0.0, MaterialPoint::strain)
    }

    pub(super) fn initial_tangent(&self) -> f64 {
        self.sum(MaterialPoint::initial_tangent)
    }
}

settings! {
    struct ParallelSettings<M: Measure> {
        /// the materials
        of: Vec<Values> = slots(M::SLOT).within(Range::between(1.0, 1e3)),
        /// factor of each; default: 1
        factors: Option<Vec<f64>> = numbers(Dimension::NONE),
    }
}

impl<M: Measure> Planned<M> for Parallel {
    const METHOD: Method = Method {
        name: "parallel",
        summary: "materials side by side: one deformation, stresses add up",
        reference: "definition",
        parameters: ParallelSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = ParallelSettings::<M>::read(values)?;
        let members = materials::<M>(&settings.of)?;
        let factors = settings.factors.unwrap_or_else(|| vec![1.0; members.len()]);
        if factors.len() != members.len() {
            let message = format!("{} factors for {} materials", factors.len(), members.len());
            return Err(BuildError::new(
                "factors",
                message,
                "give one factor for every material, or none",
            ));
        }
        Self::with_factors(members.into_iter().zip(factors).collect())
            .map(Material::from)
            .map_err(refuse)
    }
}
