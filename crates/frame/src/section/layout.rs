//! Where the fibres of a section are and what they are made of: patches, layers and single fibres.
//!
//! Coordinates (y, z) in metres in any frame of the section's plane; y is the height, z the width.
//! By default the axis of the section is the area centroid of the fibres (areas, not stiffnesses),
//! as in OpenSees.
//!
//! A rectangular patch of n layers puts fibres at mid-heights: its own moment of inertia comes out
//! multiplied by 1 − 1/n². Bars do not displace the concrete they lie in.

use std::f64::consts::TAU;

use super::error::{SectionError, finite, positive};
use super::{FibreSection2d, FibreSection3d};
use crate::material::Material;

/// A point (y, z) of the section's plane, m.
pub type Place = (f64, f64);

/// One fibre of a layout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibre {
    /// Coordinate y, m.
    pub y: f64,
    /// Coordinate z, m.
    pub z: f64,
    /// Area, m².
    pub area: f64,
    material: usize,
}

/// The fibres of a section, before it is built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FibreLayout {
    materials: Vec<Material>,
    fibres: Vec<Fibre>,
    axis: Option<Place>,
}

/// A part of a ring: centre, inner and outer radius, first and last angle (rad, from y towards z).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Centre.
    pub centre: Place,
    /// Inner radius, zero for a disc.
    pub inner: f64,
    /// Outer radius.
    pub outer: f64,
    /// First and last angle.
    pub angles: (f64, f64),
}

impl Ring {
    /// A whole ring or disc around the origin.
    #[must_use]
    pub fn whole(inner: f64, outer: f64) -> Self {
        Self {
            centre: (0.0, 0.0),
            inner,
            outer,
            angles: (0.0, TAU),
        }
    }
}

fn middle(index: usize, count: usize) -> f64 {
    (index as f64 + 0.5) / count as f64
}

impl FibreLayout {
    /// No fibres yet; the axis will be the area centroid.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts the axis at a given place instead of the centroid.
    #[must_use]
    pub fn with_axis(self, axis: Place) -> Self {
        Self {
            axis: Some(axis),
            ..self
        }
    }

    fn index_of(&mut self, material: &Material) -> usize {
        self.materials
            .iter()
            .position(|known| known == material)
            .unwrap_or_else(|| {
                self.materials.push(material.clone());
                self.materials.len() - 1
            })
    }

    fn add(&mut self, material: usize, (y, z): Place, area: f64) -> Result<(), SectionError> {
        finite("fibre coordinate y", y)?;
        finite("fibre coordinate z", z)?;
        positive("fibre area", area)?;
        self.fibres.push(Fibre {
            y,
            z,
            area,
            material,
        });
        Ok(())
    }

    /// One fibre.
    pub fn fibre(
        mut self,
        material: &Material,
        place: Place,
        area: f64,
    ) -> Result<Self, SectionError> {
        let material = self.index_of(material);
        self.add(material, place, area)?;
        Ok(self)
    }

    /// A rectangle between two opposite corners, divided into `divisions` = (along y, along z).
    pub fn rectangle(
        mut self,
        material: &Material,
        divisions: (usize, usize),
        from: Place,
        to: Place,
    ) -> Result<Self, SectionError> {
        let (along_y, along_z) = divisions;
        if along_y == 0 || along_z == 0 {
            return Err(SectionError::NoDivision);
        }
        let (height, width) = (to.0 - from.0, to.1 - from.1);
        let area = (height * width).abs() / (along_y * along_z) as f64;
        let material = self.index_of(material);
        for i in 0..along_y {
            for j in 0..along_z {
                let place = (
                    from.0 + height * middle(i, along_y),
                    from.1 + width * middle(j, along_z),
                );
                self.add(material, place, area)?;
            }
        }
        Ok(self)
    }

    /// A quadrilateral I–J–K–L (corners in order around it), divided into `divisions` = (along IJ,
    /// along JK); each cell gets its own area and centroid.
    pub fn quadrilateral(
        mut self,
        material: &Material,
        divisions: (usize, usize),
        corners: [Place; 4],
    ) -> Result<Self, SectionError> {
        let (along_ij, along_jk) = divisions;
        if along_ij == 0 || along_jk == 0 {
            return Err(SectionError::NoDivision);
        }
        let [i, j, k, l] = corners;
        let at = |u: f64, v: f64| {
            let blend = |a: f64, b: f64, c: f64, d: f64| {
                a * (1.0 - u) * (1.0 - v) + b * u * (1.0 - v) + c * u * v + d * (1.0 - u) * v
            };
            (blend(i.0, j.0, k.0, l.0), blend(i.1, j.1, k.1, l.1))
        };
        let material = self.index_of(material);
        for a in 0..along_ij {
            for b in 0..along_jk {
                let (u0, u1) = (a as f64 / along_ij as f64, (a + 1) as f64 / along_ij as f64);
                let (v0, v1) = (b as f64 / along_jk as f64, (b + 1) as f64 / along_jk as f64);
                let (area, centroid) = polygon([at(u0, v0), at(u1, v0), at(u1, v1), at(u0, v1)]);
                self.add(material, centroid, area)?;
            }
        }
        Ok(self)
    }

    /// A ring, a disc or a part of one, divided into `divisions` = (around, along the radius); each
    /// cell has the area and the centroid of its annular sector.
    pub fn ring(
        mut self,
        material: &Material,
        divisions: (usize, usize),
        ring: Ring,
    ) -> Result<Self, SectionError> {
        let (around, radial) = divisions;
        if around == 0 || radial == 0 {
            return Err(SectionError::NoDivision);
        }
        positive("outer radius less inner radius", ring.outer - ring.inner)?;
        finite("inner radius", ring.inner)?;
        if ring.inner < 0.0 {
            return Err(SectionError::OutOfRange {
                quantity: "inner radius",
                expected: "zero or above",
                got: ring.inner,
            });
        }
        let (first, last) = ring.angles;
        positive("last angle less first angle", last - first)?;
        let step = (last - first) / around as f64;
        let material = self.index_of(material);
        for i in 0..radial {
            let inner = ring.inner + (ring.outer - ring.inner) * i as f64 / radial as f64;
            let outer = ring.inner + (ring.outer - ring.inner) * (i + 1) as f64 / radial as f64;
            let area = 0.5 * step * (outer * outer - inner * inner);
            // Centroid of an annular sector of opening 2α: (2/3)(r₂³ − r₁³)/(r₂² − r₁²) sin α/α.
            let half = 0.5 * step;
            let radius = 2.0 / 3.0 * (outer.powi(3) - inner.powi(3))
                / (outer * outer - inner * inner)
                * half.sin()
                / half;
            for j in 0..around {
                let angle = first + step * (j as f64 + 0.5);
                let place = (
                    ring.centre.0 + radius * angle.cos(),
                    ring.centre.1 + radius * angle.sin(),
                );
                self.add(material, place, area)?;
            }
        }
        Ok(self)
    }

    /// `count` bars of one area on a straight line, the first and last at its ends (a single one in
    /// the middle).
    pub fn straight_layer(
        mut self,
        material: &Material,
        count: usize,
        bar_area: f64,
        from: Place,
        to: Place,
    ) -> Result<Self, SectionError> {
        if count == 0 {
            return Err(SectionError::NoDivision);
        }
        let material = self.index_of(material);
        for i in 0..count {
            let t = if count == 1 {
                0.5
            } else {
                i as f64 / (count - 1) as f64
            };
            self.add(
                material,
                (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t),
                bar_area,
            )?;
        }
        Ok(self)
    }

    /// `count` bars of one area evenly around a circle, the first at angle zero (on the side y >
    /// 0).
    pub fn circular_layer(
        mut self,
        material: &Material,
        count: usize,
        bar_area: f64,
        centre: Place,
        radius: f64,
    ) -> Result<Self, SectionError> {
        if count == 0 {
            return Err(SectionError::NoDivision);
        }
        let material = self.index_of(material);
        for i in 0..count {
            let angle = TAU * i as f64 / count as f64;
            self.add(
                material,
                (
                    centre.0 + radius * angle.cos(),
                    centre.1 + radius * angle.sin(),
                ),
                bar_area,
            )?;
        }
        Ok(self)
    }

    /// The fibres so far.
    #[must_use]
    pub fn fibres(&self) -> &[Fibre] {
        &self.fibres
    }

    /// Total area, m².
    #[must_use]
    pub fn area(&self) -> f64 {
        self.fibres.iter().map(|fibre| fibre.area).sum()
    }

    /// The axis of the section: the place given, or the area centroid.
    pub fn axis(&self) -> Result<Place, SectionError> {
        if self.fibres.is_empty() {
            return Err(SectionError::NoFibres);
        }
        Ok(self.axis.unwrap_or_else(|| {
            let area = self.area();
            let moment = |of: fn(&Fibre) -> f64| {
                self.fibres.iter().map(|f| f.area * of(f)).sum::<f64>() / area
            };
            (moment(|f| f.y), moment(|f| f.z))
        }))
    }

    /// A section for plane frames.
    pub fn build_2d(&self) -> Result<FibreSection2d, SectionError> {
        FibreSection2d::new(self)
    }

    /// A section for space frames, with the torsional stiffness GJ.
    pub fn build_3d(&self, torsional_stiffness: f64) -> Result<FibreSection3d, SectionError> {
        FibreSection3d::new(self, torsional_stiffness)
    }

    /// Each material with its fibres, in the order in which they were first named.
    pub(super) fn by_material(
        &self,
    ) -> impl Iterator<Item = (&Material, impl Iterator<Item = &Fibre>)> {
        self.materials
            .iter()
            .enumerate()
            .map(|(index, material)| {
                (
                    material,
                    self.fibres
                        .iter()
                        .filter(move |fibre| fibre.material == index),
                )
            })
            .filter(|(_, fibres)| fibres.clone().next().is_some())
    }

    /// Σ E_initial A × weight over the fibres.
    pub(super) fn initial_stiffness(&self, weight: impl Fn(&Fibre) -> f64) -> f64 {
        self.fibres
            .iter()
            .map(|f| self.materials[f.material].initial_tangent() * f.area * weight(f))
            .sum()
    }
}

/// Area and centroid of a polygon (shoelace formula).
fn polygon<const N: usize>(corners: [Place; N]) -> (f64, Place) {
    let mut twice_area = 0.0;
    let mut centroid = (0.0, 0.0);
    for i in 0..N {
        let (a, b) = (corners[i], corners[(i + 1) % N]);
        let cross = a.0 * b.1 - b.0 * a.1;
        twice_area += cross;
        centroid.0 += (a.0 + b.0) * cross;
        centroid.1 += (a.1 + b.1) * cross;
    }
    let scale = 1.0 / (3.0 * twice_area);
    (
        0.5 * twice_area.abs(),
        (centroid.0 * scale, centroid.1 * scale),
    )
}
