//! Materials one after the other: one stress, strains add up.
//!
//! Ports: Σ strain → stress. The first member takes the strain x and the rest takes ε − x such that
//! both have the same stress: Newton's method held inside a shrinking bracket. Between materials
//! that do not soften the first member takes some part of every increment, so the bracket starts
//! with none and all of it. Strain rates inside the chain are not known, so members see none.

use tandem_quantity::{BuildError, Method, Range, Settings, Values, settings, snapshot};

use super::catalogue::materials;
use super::error::{Check, MaterialError};
use super::law::{Drive, Response};
use super::plan::{Measure, Planned, refuse};
use super::{Material, MaterialPoint, Uniaxial};

const LAW: Check = Check("series");
const MOST_ITERATIONS: usize = 100;
/// Slope below which a member counts as flat.
const FLAT: f64 = 1e-12;

/// Materials that share one stress.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    first: Box<Material>,
    rest: Box<Material>,
}

/// The points of materials in series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesPoint {
    first: Box<MaterialPoint>,
    rest: Box<MaterialPoint>,
    committed_response: Response,
    response: Response,
    committed_strain: f64,
    strain: f64,
}

snapshot!(SeriesPoint {
    first,
    rest,
    committed_response,
    response,
    committed_strain,
    strain
});

impl Series {
    /// At least two materials, each with a stiffness at the start.
    pub fn new(members: Vec<Material>) -> Result<Self, MaterialError> {
        let got = members.len();
        for member in &members {
            LAW.positive("initial tangent of a member", member.initial_tangent())?;
        }
        let too_few = MaterialError::TooFew {
            law: LAW.0,
            least: 2,
            got,
        };
        let mut members = members.into_iter().rev();
        let (Some(last), Some(before)) = (members.next(), members.next()) else {
            return Err(too_few);
        };
        let pair = |first: Material, rest: Material| Self {
            first: Box::new(first),
            rest: Box::new(rest),
        };
        Ok(members.fold(pair(before, last), |chain, member| {
            pair(member, Material::Series(chain))
        }))
    }
}

/// Stiffness of two springs in series.
fn stiffness(a: f64, b: f64) -> f64 {
    if (a + b).abs() < FLAT {
        0.0
    } else {
        a * b / (a + b)
    }
}

impl Uniaxial for Series {
    type Point = SeriesPoint;

    fn point(&self) -> SeriesPoint {
        let (first, rest) = (self.first.point(), self.rest.point());
        let response = Response::of(
            0.0,
            stiffness(first.initial_tangent(), rest.initial_tangent()),
        );
        SeriesPoint {
            first: Box::new(first),
            rest: Box::new(rest),
            committed_response: response,
            response,
            committed_strain: 0.0,
            strain: 0.0,
        }
    }

    fn initial_tangent(&self) -> f64 {
        self.point().initial_tangent()
    }
}

impl SeriesPoint {
    pub(super) fn trial(&mut self, drive: Drive) -> Response {
        self.first.revert();
        self.rest.revert();
        let increment = drive.strain - self.committed_strain;
        let start = self.first.strain();
        let (mut low, mut high) = (start.min(start + increment), start.max(start + increment));
        let (a, b) = (self.first.response().tangent, self.rest.response().tangent);
        let share = if (a + b).abs() < FLAT {
            0.5
        } else {
            (b / (a + b)).clamp(0.0, 1.0)
        };
        let mut x = start + share * increment;
        self.strain = drive.strain;
        for _ in 0..MOST_ITERATIONS {
            let a = self.first.trial(Drive {
                strain: x,
                rate: 0.0,
                dt: drive.dt,
            });
            let b = self.rest.trial(Drive {
                strain: drive.strain - x,
                rate: 0.0,
                dt: drive.dt,
            });
            let excess = a.stress - b.stress;
            let slope = a.tangent + b.tangent;
            // The common stress to first order, and the tangent of the chain.
            let common = if slope.abs() < FLAT {
                a.stress
            } else {
                a.stress - a.tangent * excess / slope
            };
            self.response = Response::of(common, stiffness(a.tangent, b.tangent));
            if excess.abs() <= 2.0 * f64::EPSILON * a.stress.abs().max(b.stress.abs()) {
                break;
            }
            if excess > 0.0 {
                high = high.min(x);
            } else {
                low = low.max(x);
            }
            let newton = x - excess / slope;
            let next = if slope > 0.0 && (low..=high).contains(&newton) {
                newton
            } else {
                0.5 * (low + high)
            };
            if (next - x).abs() <= f64::EPSILON * x.abs() {
                break;
            }
            x = next;
        }
        self.response
    }

    pub(super) fn commit(&mut self) {
        self.first.commit();
        self.rest.commit();
        self.committed_response = self.response;
        self.committed_strain = self.strain;
    }

    pub(super) fn revert(&mut self) {
        self.first.revert();
        self.rest.revert();
        self.response = self.committed_response;
        self.strain = self.committed_strain;
    }

    pub(super) fn response(&self) -> Response {
        self.response
    }

    pub(super) fn strain(&self) -> f64 {
        self.strain
    }

    pub(super) fn initial_tangent(&self) -> f64 {
        stiffness(self.first.initial_tangent(), self.rest.initial_tangent())
    }
}

settings! {
    struct SeriesSettings<M: Measure> {
        /// the materials
        of: Vec<Values> = slots(M::SLOT).within(Range::between(2.0, 1e3)),
    }
}

impl<M: Measure> Planned<M> for Series {
    const METHOD: Method = Method {
        name: "series",
        summary: "materials one after the other: one stress, deformations add up",
        reference: "definition",
        parameters: SeriesSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = SeriesSettings::<M>::read(values)?;
        Self::new(materials::<M>(&settings.of)?)
            .map(Material::from)
            .map_err(refuse)
    }
}
