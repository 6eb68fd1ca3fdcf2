//! Description of a member before it is built.

use super::error::ModelError;
use super::mass::MemberMass;
use crate::element::{
    Body2d, Body3d, Determination, DisplacementBased, ElasticBeam, ForceBased, HingedBeam,
    Member2d, Member3d, Quadrature,
};
use crate::material::Material;
use crate::section::{Aggregate, Section2d, Section3d};
use crate::transformation::{Geometry, Transformation2d, Transformation3d};

/// A member of a frame: what it is between its ends, its geometry and its mass. SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    body: Body,
    geometry: Geometry,
    mass: MemberMass,
    up: Option<[f64; 3]>,
}

#[derive(Clone, Debug, PartialEq)]
enum Body {
    Elastic2d {
        axial: f64,
        bending: f64,
        shear: f64,
        hinges: Box<[Option<Material>; 2]>,
    },
    Elastic3d {
        axial: f64,
        about_z: (f64, f64),
        about_y: (f64, f64),
        torsion: f64,
        /// About z, about y.
        hinges: Box<[[Option<Material>; 2]; 2]>,
    },
    Fibres2d(Sections<Section2d>),
    Fibres3d(Sections<Section3d>),
    Sheared2d(Sections<Aggregate<3>>),
    Sheared3d(Sections<Aggregate<6>>),
}

#[derive(Clone, Debug, PartialEq)]
struct Sections<X> {
    sections: Vec<X>,
    count: usize,
    quadrature: Quadrature,
    /// None: displacement-based.
    determination: Option<Determination>,
}

/// Sections and where they are: (ξ, w).
type Stations<X> = (Vec<X>, Vec<(f64, f64)>);

impl<X: Clone> Sections<X> {
    /// One section at so many Gauss–Lobatto points, force-based.
    fn lobatto(section: X, points: usize) -> Self {
        Self {
            sections: vec![section],
            count: points,
            quadrature: Quadrature::Lobatto,
            determination: Some(Determination::default()),
        }
    }

    fn placed(&self, element: usize) -> Result<Stations<X>, ModelError> {
        let points = self
            .quadrature
            .points(self.count)
            .ok_or(ModelError::Sections {
                element,
                what: "a member has 2 to 10 sections",
            })?;
        if let Some(Determination::Iterated { tolerance, passes }) = self.determination {
            let sound = passes > 0 && tolerance > 0.0 && tolerance <= 1e-6;
            if !sound {
                return Err(ModelError::Sections {
                    element,
                    what: "the iteration needs a tolerance between 0 and 1e-6 and at least one \
                        pass",
                });
            }
        }
        let sections = match self.sections.as_slice() {
            [one] => vec![one.clone(); self.count],
            many if many.len() == self.count => many.to_vec(),
            _ => {
                return Err(ModelError::Sections {
                    element,
                    what: "give one section, or as many as there are points",
                });
            }
        };
        Ok((sections, points))
    }
}

impl Member {
    fn of(body: Body) -> Self {
        Self {
            body,
            geometry: Geometry::Linear,
            mass: MemberMass::None,
            up: None,
        }
    }

    /// Elastic member of a plane frame from E, A and I.
    #[must_use]
    pub fn elastic(modulus: f64, area: f64, inertia: f64) -> Self {
        Self::of(Body::Elastic2d {
            axial: modulus * area,
            bending: modulus * inertia,
            shear: f64::INFINITY,
            hinges: Box::new([None, None]),
        })
    }

    /// Elastic member of a space frame from E, A, I_z, I_y and GJ.
    #[must_use]
    pub fn elastic_space(
        modulus: f64,
        area: f64,
        inertia_z: f64,
        inertia_y: f64,
        torsional_stiffness: f64,
    ) -> Self {
        Self::of(Body::Elastic3d {
            axial: modulus * area,
            about_z: (modulus * inertia_z, f64::INFINITY),
            about_y: (modulus * inertia_y, f64::INFINITY),
            torsion: torsional_stiffness,
            hinges: Box::new([[None, None], [None, None]]),
        })
    }

    /// Force-based member of a plane frame with 2 to 10 Gauss–Lobatto points.
    #[must_use]
    pub fn force_based(section: impl Into<Section2d>, points: usize) -> Self {
        Self::of(Body::Fibres2d(Sections::lobatto(section.into(), points)))
    }

    /// Force-based member of a space frame with 2 to 10 Gauss–Lobatto points.
    #[must_use]
    pub fn force_based_space(section: impl Into<Section3d>, points: usize) -> Self {
        Self::of(Body::Fibres3d(Sections::lobatto(section.into(), points)))
    }

    /// Force-based member of a plane frame whose sections have a law for the shear force.
    #[must_use]
    pub fn force_based_sheared(section: Aggregate<3>, points: usize) -> Self {
        Self::of(Body::Sheared2d(Sections::lobatto(section, points)))
    }

    /// Force-based member of a space frame whose sections have laws for both shear forces.
    #[must_use]
    pub fn force_based_sheared_space(section: Aggregate<6>, points: usize) -> Self {
        Self::of(Body::Sheared3d(Sections::lobatto(section, points)))
    }

    /// Displacement-based member of a plane frame with 2 to 10 Gauss–Legendre points.
    #[must_use]
    pub fn displacement_based(section: impl Into<Section2d>, points: usize) -> Self {
        Self::of(Body::Fibres2d(Sections {
            sections: vec![section.into()],
            count: points,
            quadrature: Quadrature::Legendre,
            determination: None,
        }))
    }

    /// Displacement-based member of a space frame with 2 to 10 Gauss–Legendre points.
    #[must_use]
    pub fn displacement_based_space(section: impl Into<Section3d>, points: usize) -> Self {
        Self::of(Body::Fibres3d(Sections {
            sections: vec![section.into()],
            count: points,
            quadrature: Quadrature::Legendre,
            determination: None,
        }))
    }

    /// Another section at each point, from end i to end j, for a plane member with fibres.
    #[must_use]
    pub fn with_sections(mut self, sections: Vec<Section2d>) -> Self {
        if let Body::Fibres2d(spec) = &mut self.body {
            spec.sections = sections;
        }
        self
    }

    /// Shear deformation of an elastic member (Timoshenko): G A_s along local y (and along z in a
    /// space frame).
    #[must_use]
    pub fn with_shear(mut self, along_y: f64, along_z: f64) -> Self {
        match &mut self.body {
            Body::Elastic2d { shear, .. } => *shear = along_y,
            Body::Elastic3d {
                about_z, about_y, ..
            } => {
                about_z.1 = along_y;
                about_y.1 = along_z;
            }
            Body::Fibres2d(_) | Body::Fibres3d(_) | Body::Sheared2d(_) | Body::Sheared3d(_) => {}
        }
        self
    }

    /// Rotational springs at the ends i and j of an elastic plane member; a spring of stiffness
    /// zero is a release.
    #[must_use]
    pub fn with_hinges(mut self, springs: [Option<Material>; 2]) -> Self {
        if let Body::Elastic2d { hinges, .. } = &mut self.body {
            **hinges = springs;
        }
        self
    }

    /// Rotational springs at the ends i and j of an elastic space member, about its local z and
    /// about its local y.
    #[must_use]
    pub fn with_hinges_space(
        mut self,
        about_z: [Option<Material>; 2],
        about_y: [Option<Material>; 2],
    ) -> Self {
        if let Body::Elastic3d { hinges, .. } = &mut self.body {
            **hinges = [about_z, about_y];
        }
        self
    }

    /// How large displacements are treated.
    #[must_use]
    pub fn with_geometry(mut self, geometry: Geometry) -> Self {
        self.geometry = geometry;
        self
    }

    /// Mass of the member.
    #[must_use]
    pub fn with_mass(mut self, mass: MemberMass) -> Self {
        self.mass = mass;
        self
    }

    /// A vector in the local x–z plane of a space member: its local y is `up × x`. Without one it
    /// is the vertical z, or x for an upright member.
    #[must_use]
    pub fn with_up(mut self, up: [f64; 3]) -> Self {
        self.up = Some(up);
        self
    }

    /// How a force-based member finds its forces; a displacement-based one has no choice.
    #[must_use]
    pub fn with_determination(mut self, determination: Determination) -> Self {
        match &mut self.body {
            Body::Fibres2d(Sections {
                determination: Some(own),
                ..
            })
            | Body::Fibres3d(Sections {
                determination: Some(own),
                ..
            })
            | Body::Sheared2d(Sections {
                determination: Some(own),
                ..
            })
            | Body::Sheared3d(Sections {
                determination: Some(own),
                ..
            }) => *own = determination,
            _ => {}
        }
        self
    }

    /// Where the sections are.
    #[must_use]
    pub fn with_quadrature(mut self, rule: Quadrature) -> Self {
        match &mut self.body {
            Body::Fibres2d(Sections { quadrature, .. })
            | Body::Fibres3d(Sections { quadrature, .. })
            | Body::Sheared2d(Sections { quadrature, .. })
            | Body::Sheared3d(Sections { quadrature, .. }) => *quadrature = rule,
            _ => {}
        }
        self
    }

    pub(super) fn mass(&self) -> MemberMass {
        self.mass
    }

    pub(super) fn build_plane(
        &self,
        element: usize,
        span: [f64; 2],
    ) -> Result<Member2d, ModelError> {
        let transformation = Transformation2d::new(self.geometry, span);
        let length = transformation.length();
        let body = match &self.body {
            Body::Elastic2d {
                axial,
                bending,
                shear,
                hinges,
            } => {
                check(
                    element,
                    &[
                        ("EA", *axial),
                        ("EI", *bending),
                        ("shear stiffness", shear.min(f64::MAX)),
                    ],
                )?;
                match hinges.as_ref() {
                    [None, None] => {
                        Body2d::Elastic(ElasticBeam::plane(length, *axial, *bending, *shear))
                    }
                    [first, second] => Body2d::Hinged(Box::new(HingedBeam::plane(
                        length,
                        *axial,
                        (*bending, *shear),
                        [first.as_ref(), second.as_ref()],
                    ))),
                }
            }
            Body::Fibres2d(spec) => {
                let (sections, points) = spec.placed(element)?;
                match spec.determination {
                    None => Body2d::Displacement(Box::new(DisplacementBased::new(
                        length, &sections, &points,
                    ))),
                    Some(determination) => {
                        let body = ForceBased::new(length, &sections, &points, determination);
                        Body2d::Force(Box::new(body.ok_or(no_stiffness(element))?))
                    }
                }
            }
            Body::Sheared2d(spec) => Body2d::Sheared(Box::new(spec.force_based(element, length)?)),
            Body::Elastic3d { .. } | Body::Fibres3d(_) | Body::Sheared3d(_) => {
                return Err(ModelError::WrongSpace {
                    element,
                    what: "a member of a space frame",
                });
            }
        };
        Ok(Member2d::new(transformation, body))
    }

    pub(super) fn build_space(
        &self,
        element: usize,
        span: [f64; 3],
    ) -> Result<Member3d, ModelError> {
        let up = self
            .up
            .unwrap_or_else(|| crate::transformation::usual_up(span));
        let transformation =
            Transformation3d::new(self.geometry, span, up).ok_or(ModelError::WrongSpace {
                element,
                what: "an `up` vector along the member",
            })?;
        let length = transformation.length();
        let body = match &self.body {
            Body::Elastic3d {
                axial,
                about_z,
                about_y,
                torsion,
                hinges,
            } => {
                let values = [
                    ("EA", *axial),
                    ("EI_z", about_z.0),
                    ("EI_y", about_y.0),
                    ("GJ", *torsion),
                    ("shear stiffness along y", about_z.1.min(f64::MAX)),
                    ("shear stiffness along z", about_y.1.min(f64::MAX)),
                ];
                check(element, &values)?;
                if hinges.iter().flatten().all(Option::is_none) {
                    Body3d::Elastic(Box::new(ElasticBeam::space(
                        length, *axial, *about_z, *about_y, *torsion,
                    )))
                } else {
                    let springs = hinges
                        .each_ref()
                        .map(|pair| pair.each_ref().map(Option::as_ref));
                    Body3d::Hinged(Box::new(HingedBeam::space(
                        length, *axial, *about_z, *about_y, *torsion, springs,
                    )))
                }
            }
            Body::Fibres3d(spec) => {
                let (sections, points) = spec.placed(element)?;
                match spec.determination {
                    None => Body3d::Displacement(Box::new(DisplacementBased::new(
                        length, &sections, &points,
                    ))),
                    Some(determination) => {
                        let body = ForceBased::new(length, &sections, &points, determination);
                        Body3d::Force(Box::new(body.ok_or(no_stiffness(element))?))
                    }
                }
            }
            Body::Sheared3d(spec) => Body3d::Sheared(Box::new(spec.force_based(element, length)?)),
            Body::Elastic2d { .. } | Body::Fibres2d(_) | Body::Sheared2d(_) => {
                return Err(ModelError::WrongSpace {
                    element,
                    what: "a member of a plane frame",
                });
            }
        };
        Ok(Member3d::new(transformation, body))
    }
}

impl<X: Clone> Sections<X> {
    /// The body of a force-based member of these sections.
    fn force_based<const B: usize, const S: usize>(
        &self,
        element: usize,
        length: f64,
    ) -> Result<ForceBased<B, S, X>, ModelError>
    where
        X: crate::element::SectionLaw<S>,
    {
        let (sections, points) = self.placed(element)?;
        let determination = self.determination.unwrap_or_default();
        ForceBased::new(length, &sections, &points, determination).ok_or(no_stiffness(element))
    }
}

fn no_stiffness(element: usize) -> ModelError {
    ModelError::Sections {
        element,
        what: "a section has no stiffness at rest",
    }
}

fn check(element: usize, values: &[(&'static str, f64)]) -> Result<(), ModelError> {
    for &(what, got) in values {
        if !(got.is_finite() && got > 0.0) {
            return Err(ModelError::Value {
                what,
                of: "element",
                number: element,
                expected: "above zero",
                got,
            });
        }
    }
    Ok(())
}
