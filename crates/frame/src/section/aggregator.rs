//! A section with laws of its own for shear or torsion beside the axial force and moments of
//! another section.
//!
//! ```text
//!  [ base: ε₀, κ … ]  ──▶ coupled forces of the base
//!  [ γ_y, γ_z, θ′ … ] ──▶ one uniaxial law each, uncoupled
//! ```
//!
//! Deformations and forces come in the order of [`AggregatedSection::components`]: the base first,
//! then the added laws.

use std::fmt;

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::choice::{Section2d, Section3d};
use super::error::SectionError;
use super::response::SectionResponse;
use crate::material::{Drive, Material, MaterialPoint};

/// A component of section force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// Axial force N with the axial strain.
    Axial,
    /// Moment about z with its curvature.
    MomentZ,
    /// Moment about y with its curvature.
    MomentY,
    /// Torque with the twist.
    Torsion,
    /// Shear force along y with its shear strain.
    ShearY,
    /// Shear force along z with its shear strain.
    ShearZ,
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Axial => "the axial force",
            Self::MomentZ => "the moment about z",
            Self::MomentY => "the moment about y",
            Self::Torsion => "the torque",
            Self::ShearY => "the shear force along y",
            Self::ShearZ => "the shear force along z",
        })
    }
}

/// The coupled part of an aggregated section.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// None: only uniaxial laws.
    None,
    /// A section of a plane frame.
    Plane(Section2d),
    /// A section of a space frame.
    Space(Box<Section3d>),
}

impl From<Section2d> for Base {
    fn from(section: Section2d) -> Self {
        Self::Plane(section)
    }
}

impl From<Section3d> for Base {
    fn from(section: Section3d) -> Self {
        Self::Space(Box::new(section))
    }
}

impl Base {
    fn components(&self) -> &'static [Component] {
        match self {
            Self::None => &[],
            Self::Plane(_) => &[Component::Axial, Component::MomentZ],
            Self::Space(_) => &[
                Component::Axial,
                Component::MomentZ,
                Component::MomentY,
                Component::Torsion,
            ],
        }
    }
}

/// A base section and uncoupled laws.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregatedSection {
    base: Base,
    added: Vec<MaterialPoint>,
    components: Vec<Component>,
    deformation: Vec<f64>,
    force: Vec<f64>,
    tangent: Vec<f64>,
}

impl AggregatedSection {
    /// A base and the laws beside it, one a component.
    pub fn new(base: Base, added: &[(Component, Material)]) -> Result<Self, SectionError> {
        let mut components = base.components().to_vec();
        for (component, _) in added {
            if components.contains(component) {
                return Err(SectionError::Twice {
                    component: *component,
                });
            }
            components.push(*component);
        }
        let size = components.len();
        let mut section = Self {
            base,
            added: added.iter().map(|(_, material)| material.point()).collect(),
            components,
            deformation: vec![0.0; size],
            force: vec![0.0; size],
            tangent: vec![0.0; size * size],
        };
        section.gather();
        Ok(section)
    }

    /// The components, in the order of all arrays.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Goes to these deformations (one a component; missing ones keep their last value) from the
    /// committed state.
    pub fn trial(&mut self, deformation: &[f64]) {
        for (to, from) in self.deformation.iter_mut().zip(deformation) {
            *to = *from;
        }
        let coupled = match &mut self.base {
            Base::None => 0,
            Base::Plane(section) => {
                section.trial([self.deformation[0], self.deformation[1]]);
                2
            }
            Base::Space(section) => {
                let d = &self.deformation;
                section.trial([d[0], d[1], d[2], d[3]]);
                4
            }
        };
        for (point, strain) in self.added.iter_mut().zip(&self.deformation[coupled..]) {
            point.trial(Drive::at(*strain));
        }
        self.gather();
    }

    /// Copies forces, tangent and deformations of the parts into the arrays.
    fn gather(&mut self) {
        let size = self.components.len();
        let coupled = match &self.base {
            Base::None => 0,
            Base::Plane(section) => {
                self.deformation[..2].copy_from_slice(&section.deformation());
                put(
                    &mut self.force,
                    &mut self.tangent,
                    size,
                    &section.response().force,
                    &section.response().tangent,
                )
            }
            Base::Space(section) => {
                self.deformation[..4].copy_from_slice(&section.deformation());
                put(
                    &mut self.force,
                    &mut self.tangent,
                    size,
                    &section.response().force,
                    &section.response().tangent,
                )
            }
        };
        for (i, point) in self.added.iter().enumerate() {
            let row = coupled + i;
            let response = point.response();
            self.deformation[row] = point.strain();
            self.force[row] = response.stress;
            self.tangent[row * size + row] = response.tangent;
        }
    }

    /// Makes the trial state the committed one.
    pub fn commit(&mut self) {
        match &mut self.base {
            Base::None => {}
            Base::Plane(section) => section.commit(),
            Base::Space(section) => section.commit(),
        }
        self.added.iter_mut().for_each(MaterialPoint::commit);
    }

    /// Forgets the trial.
    pub fn revert(&mut self) {
        match &mut self.base {
            Base::None => {}
            Base::Plane(section) => section.revert(),
            Base::Space(section) => section.revert(),
        }
        self.added.iter_mut().for_each(MaterialPoint::revert);
        self.gather();
    }

    /// The last deformations.
    #[must_use]
    pub fn deformation(&self) -> &[f64] {
        &self.deformation
    }

    /// The last forces.
    #[must_use]
    pub fn force(&self) -> &[f64] {
        &self.force
    }

    /// The last tangent, row by row.
    #[must_use]
    pub fn tangent(&self) -> &[f64] {
        &self.tangent
    }
}

/// An aggregated section as a member meets it, its components in the member's order: [N, M_z] and
/// with shear [N, M_z, V_y] in a plane frame; [N, M_z, M_y, T] and with shear [N, M_z, M_y, T, V_y,
/// V_z] in a space frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate<const S: usize> {
    inner: AggregatedSection,
    /// Place of each component in the arrays of the aggregated section.
    places: [usize; S],
    initial: [[f64; S]; S],
}

/// The components that a member of a plane or a space frame has.
fn of_member<const S: usize>() -> [Component; S] {
    use Component::{Axial, MomentY, MomentZ, ShearY, ShearZ, Torsion};
    let all: &[Component] = match S {
        2 => &[Axial, MomentZ],
        3 => &[Axial, MomentZ, ShearY],
        4 => &[Axial, MomentZ, MomentY, Torsion],
        _ => &[Axial, MomentZ, MomentY, Torsion, ShearY, ShearZ],
    };
    std::array::from_fn(|i| all[i % all.len()])
}

impl<const S: usize> Aggregate<S> {
    /// A section whose components are those that the member has, each once.
    pub fn new(inner: AggregatedSection) -> Result<Self, SectionError> {
        let mut places = [0; S];
        for (place, wanted) in places.iter_mut().zip(of_member::<S>()) {
            let found = inner.components().iter().position(|own| *own == wanted);
            *place = found.ok_or(SectionError::Missing { component: wanted })?;
        }
        let known = of_member::<S>();
        if let Some(other) = inner.components().iter().find(|own| !known.contains(own)) {
            return Err(SectionError::Surplus { component: *other });
        }
        let mut section = Self {
            inner,
            places,
            initial: [[0.0; S]; S],
        };
        section.initial = section.response().tangent;
        Ok(section)
    }

    /// Forces and tangent at these deformations, from the committed state.
    pub fn trial(&mut self, deformation: [f64; S]) -> SectionResponse<S> {
        let mut ordered = [0.0; S];
        for (place, value) in self.places.iter().zip(deformation) {
            ordered[*place] = value;
        }
        self.inner.trial(&ordered);
        self.response()
    }

    /// Makes the trial state the committed one.
    pub fn commit(&mut self) {
        self.inner.commit();
    }

    /// Forgets the trial.
    pub fn revert(&mut self) {
        self.inner.revert();
    }

    /// The last answer.
    #[must_use]
    pub fn response(&self) -> SectionResponse<S> {
        let (force, tangent) = (self.inner.force(), self.inner.tangent());
        SectionResponse {
            force: self.places.map(|place| force[place]),
            tangent: self
                .places
                .map(|row| self.places.map(|column| tangent[row * S + column])),
        }
    }

    /// The last deformations.
    #[must_use]
    pub fn deformation(&self) -> [f64; S] {
        self.places.map(|place| self.inner.deformation()[place])
    }

    /// Tangent of the untouched section.
    #[must_use]
    pub fn initial_tangent(&self) -> [[f64; S]; S] {
        self.initial
    }
}

impl<const S: usize> Snapshot for Aggregate<S> {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)
    }
}

/// Copies the block of a base into the arrays of the whole; returns its size.
fn put<const N: usize>(
    force: &mut [f64],
    tangent: &mut [f64],
    size: usize,
    base_force: &[f64; N],
    base_tangent: &[[f64; N]; N],
) -> usize {
    force[..N].copy_from_slice(base_force);
    for (row, values) in base_tangent.iter().enumerate() {
        tangent[row * size..row * size + N].copy_from_slice(values);
    }
    N
}

impl Snapshot for AggregatedSection {
    fn save(&self, into: &mut Vec<f64>) {
        match &self.base {
            Base::None => {}
            Base::Plane(section) => section.save(into),
            Base::Space(section) => section.save(into),
        }
        self.added.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        match &mut self.base {
            Base::None => {}
            Base::Plane(section) => section.restore(from)?,
            Base::Space(section) => section.restore(from)?,
        }
        self.added.restore(from)?;
        self.gather();
        Ok(())
    }
}
