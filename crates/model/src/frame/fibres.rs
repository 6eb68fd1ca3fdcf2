//! `[[structure.section]] kind = "fibres"`: patches, layers of bars and single fibres of any
//! material.

use std::f64::consts::TAU;

use tandem_frame::material::Material;
use tandem_frame::section::{FibreLayout, Place, Ring};
use tandem_quantity::{
    BuildError, Conditional, Dimension, Entry, Method, Range, Settings, Values, settings,
};

use super::materials::named;
use super::sections::{Build, Name, Section, refuse, stiff};

settings! {
    /// An area divided into fibres.
    struct PatchSettings {
        /// name of its material
        material: String = text(),
        /// fibres along y and z; along the first and second side; around and along the radius
        divisions: Vec<usize> = integers().within(Range::between(1.0, 1000.0)),
        /// first corner or end [y, z]
        from: Conditional<Option<Vec<f64>>> = numbers(Dimension::LENGTH),
        /// opposite corner or other end [y, z]
        to: Conditional<Option<Vec<f64>>> = numbers(Dimension::LENGTH),
        /// instead: four corners in order around it, such as [[0, 0], [1, 0], [1, 1], [0, 1], "m"]
        corners: Option<Vec<Vec<f64>>> = matrix(Dimension::LENGTH),
        /// instead: centre [y, z] of a ring or circle
        centre: Conditional<Option<Vec<f64>>> = numbers(Dimension::LENGTH),
        /// inner and outer radius of a ring; the inner one of a disc is 0
        radii: Conditional<Option<Vec<f64>>> = numbers(Dimension::LENGTH),
        /// first and last angle, from y towards z, such as [0, 180, "deg"]; default: all around
        angles: Conditional<Option<Vec<f64>>> = numbers(Dimension::NONE),
    }
}

settings! {
    /// A row or circle of bars.
    struct LayerSettings {
        /// name of its material
        material: String = text(),
        /// number of bars
        bars: usize = integer().within(Range::between(1.0, 10_000.0)),
        /// area of one
        area: f64 = number(Dimension::AREA).positive(),
        /// first corner or end [y, z]
        from: Conditional<Option<Vec<f64>>> = numbers(Dimension::LENGTH),
        /// opposite corner or other end [y, z]
        to: Conditional<Option<Vec<f64>>> = numbers(Dimension::LENGTH),
        /// instead: centre [y, z] of a ring or circle
        centre: Conditional<Option<Vec<f64>>> = numbers(Dimension::LENGTH),
        /// radius of a circle of bars
        radius: Conditional<Option<f64>> = number(Dimension::LENGTH).positive(),
        /// first and last angle, from y towards z, such as [0, 180, "deg"]; default: all around
        angles: Conditional<Option<Vec<f64>>> = numbers(Dimension::NONE),
    }
}

settings! {
    /// A single fibre.
    struct FibreSettings {
        /// name of its material
        material: String = text(),
        /// place [y, z]
        at: Vec<f64> = numbers(Dimension::LENGTH),
        /// area of one
        area: f64 = number(Dimension::AREA).positive(),
    }
}

pub(super) const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "fibres",
        summary: "patches, layers of bars and single fibres of any material; y is the height, its \
            axis the centroid of the areas",
        reference: "Spacone, Filippou and Taucer 1996",
        parameters: <(Name, FibresSettings)>::PARAMETERS,
    },
    build: |table, materials, _| {
        let settings = FibresSettings::read(table)?;
        let mut layout = FibreLayout::new();
        let mut modulus = None;
        let parts = settings.patch.iter().map(|part| part as &dyn Part);
        let layers = settings.layer.iter().map(|part| part as &dyn Part);
        let fibres = settings.fibre.iter().map(|part| part as &dyn Part);
        let parts = parts.enumerate().chain(layers.enumerate());
        for (entry, part) in parts.chain(fibres.enumerate()) {
            let mut read = || {
                let material = named("material", materials, part.material(), "material")?;
                if modulus.is_none() {
                    modulus = Some(stiff(material, "material")?);
                }
                part.add(std::mem::take(&mut layout), material)
            };
            layout = read().map_err(|error| super::at(part.list(), entry, error))?;
        }
        let modulus = modulus.ok_or_else(|| {
            BuildError::new(
                "patch",
                "the section has no fibres",
                "add patch = \
                [{ material = …, divisions = [10, 1], \
                 from = [-0.1, -0.1, \"m\"], to = [0.1, 0.1, \"m\"] }]",
            )
        })?;
        let torsion = settings.torsion.unwrap_or(0.0);
        Section::of_layout(layout, modulus, torsion)
    },
};

settings! {
    struct FibresSettings {
        /// areas divided into fibres
        patch: Vec<PatchSettings> = tables(PatchSettings::PARAMETERS).optional(),
        /// rows and circles of bars
        layer: Vec<LayerSettings> = tables(LayerSettings::PARAMETERS).optional(),
        /// single fibres
        fibre: Vec<FibreSettings> = tables(FibreSettings::PARAMETERS).optional(),
        /// torsional stiffness GJ (space frames), such as "4 MN*m^2"
        torsion: Option<f64> = number(Dimension::of(1, 3, -2)).positive(),
    }
}

/// What makes fibres.
trait Part {
    /// Its list in the plan.
    fn list(&self) -> &'static str;

    /// Name of its material.
    fn material(&self) -> &str;

    /// The layout with its fibres.
    fn add(&self, layout: FibreLayout, material: &Material) -> Result<FibreLayout, BuildError>;
}

/// A point [y, z].
fn place(point: &[f64], key: &str) -> Result<Place, BuildError> {
    match *point {
        [y, z] => Ok((y, z)),
        _ => Err(BuildError::new(
            key,
            "a point of a section has two coordinates",
            format!("write {key} = [y, z, \"m\"]"),
        )),
    }
}

/// Two numbers that must be there.
fn two(numbers: Option<Vec<f64>>, key: &str) -> Result<(f64, f64), BuildError> {
    let numbers = numbers.ok_or_else(|| Values::missing(key, "a list of numbers"))?;
    place(&numbers, key)
}

fn angles(written: &Conditional<Option<Vec<f64>>>) -> Result<Option<(f64, f64)>, BuildError> {
    let angles = written.read()?;
    angles.map(|angles| place(&angles, "angles")).transpose()
}

/// Both ends of a straight part, where it has them.
fn ends(
    from: &Conditional<Option<Vec<f64>>>,
    to: &Conditional<Option<Vec<f64>>>,
    what: &str,
) -> Result<[Place; 2], BuildError> {
    let (Some(from), Some(to)) = (from.read()?, to.read()?) else {
        return Err(BuildError::new(
            "from",
            format!("the {what} has no shape"),
            format!("give the {what} from and to, or centre and radius"),
        ));
    };
    Ok([place(&from, "from")?, place(&to, "to")?])
}

impl Part for PatchSettings {
    fn list(&self) -> &'static str {
        "patch"
    }

    fn material(&self) -> &str {
        &self.material
    }

    fn add(&self, layout: FibreLayout, material: &Material) -> Result<FibreLayout, BuildError> {
        let divisions = match self.divisions[..] {
            [first, second] => (first, second),
            _ => {
                return Err(BuildError::new(
                    "divisions",
                    "a patch is divided in two directions",
                    "write divisions = [10, 1]",
                ));
            }
        };
        let added = if let Some(corners) = &self.corners {
            let points: Vec<Place> = corners
                .iter()
                .filter_map(|row| match row[..] {
                    [y, z] => Some((y, z)),
                    _ => None,
                })
                .collect();
            let corners = <[Place; 4]>::try_from(points).map_err(|_| {
                BuildError::new(
                    "corners",
                    "a quadrilateral has four corners [y, z]",
                    "give four pairs and the unit",
                )
            })?;
            layout.quadrilateral(material, divisions, corners)
        } else if let Some(centre) = self.centre.read()? {
            let (inner, outer) = two(self.radii.read()?, "radii")?;
            let ring = Ring {
                centre: place(&centre, "centre")?,
                inner,
                outer,
                angles: angles(&self.angles)?.unwrap_or((0.0, TAU)),
            };
            layout.ring(material, divisions, ring)
        } else {
            let [from, to] = ends(&self.from, &self.to, "patch")?;
            layout.rectangle(material, divisions, from, to)
        };
        added.map_err(refuse)
    }
}

impl Part for LayerSettings {
    fn list(&self) -> &'static str {
        "layer"
    }

    fn material(&self) -> &str {
        &self.material
    }

    fn add(&self, layout: FibreLayout, material: &Material) -> Result<FibreLayout, BuildError> {
        let (bars, area) = (self.bars, self.area);
        let Some(centre) = self.centre.read()? else {
            let [from, to] = ends(&self.from, &self.to, "layer")?;
            let layout = layout.straight_layer(material, bars, area, from, to);
            return layout.map_err(refuse);
        };
        let centre = place(&centre, "centre")?;
        let radius = self.radius.read()?;
        let radius = radius.ok_or_else(|| Values::missing("radius", "a number"))?;
        // Without angles the bars go evenly around, with them from one to the other.
        let (first, step) = match angles(&self.angles)? {
            None => (0.0, TAU / bars as f64),
            Some((first, last)) => (first, (last - first) / (bars.max(2) - 1) as f64),
        };
        let mut layout = layout;
        for bar in 0..bars {
            let (sin, cos) = (first + step * bar as f64).sin_cos();
            let at = (centre.0 + radius * cos, centre.1 + radius * sin);
            layout = layout.fibre(material, at, area).map_err(refuse)?;
        }
        Ok(layout)
    }
}

impl Part for FibreSettings {
    fn list(&self) -> &'static str {
        "fibre"
    }

    fn material(&self) -> &str {
        &self.material
    }

    fn add(&self, layout: FibreLayout, material: &Material) -> Result<FibreLayout, BuildError> {
        let layout = layout.fibre(material, place(&self.at, "at")?, self.area);
        layout.map_err(refuse)
    }
}
