//! `[[structure.section]] kind = "fibres"`: patches, layers of bars and single fibres of any material.

use std::f64::consts::TAU;

use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Range, Values};
use tandem_structure::section::{FibreLayout, Place, Ring};

use super::materials::{Materials, named};
use super::sections::{Build, NAME, Section, refuse, stiff};

const MATERIAL: Parameter = Parameter::of("material", Kind::Text, "name of its material");
const AREA: Parameter = Parameter::number("area", Dimension::AREA, "area of one").positive();
const FROM: Parameter = Parameter::of(
    "from",
    Kind::Numbers(Dimension::LENGTH),
    "first corner or end [y, z]",
)
.optional();
const TO: Parameter = Parameter::of(
    "to",
    Kind::Numbers(Dimension::LENGTH),
    "opposite corner or other end [y, z]",
)
.optional();
const CENTRE: Parameter = Parameter::of(
    "centre",
    Kind::Numbers(Dimension::LENGTH),
    "instead: centre [y, z] of a ring or circle",
)
.optional();
const ANGLES: Parameter = Parameter::of(
    "angles",
    Kind::Numbers(Dimension::NONE),
    "first and last angle, from y towards z, such as [0, 180, \"deg\"]; default: all around",
)
.optional();

static PATCH: &[Parameter] = &[
    MATERIAL,
    Parameter::of(
        "divisions",
        Kind::Integers,
        "fibres along y and z; along the first and second side; around and along the radius",
    )
    .within(Range::between(1.0, 1000.0)),
    FROM,
    TO,
    Parameter::of(
        "corners",
        Kind::Matrix(Dimension::LENGTH),
        "instead: four corners in order around it, such as [[0, 0], [1, 0], [1, 1], [0, 1], \"m\"]",
    )
    .optional(),
    CENTRE,
    Parameter::of(
        "radii",
        Kind::Numbers(Dimension::LENGTH),
        "inner and outer radius of a ring; the inner one of a disc is 0",
    )
    .optional(),
    ANGLES,
];

static LAYER: &[Parameter] = &[
    MATERIAL,
    Parameter::integer("bars", "number of bars").within(Range::between(1.0, 10_000.0)),
    AREA,
    FROM,
    TO,
    CENTRE,
    Parameter::number("radius", Dimension::LENGTH, "radius of a circle of bars")
        .optional()
        .positive(),
    ANGLES,
];

static FIBRE: &[Parameter] = &[
    MATERIAL,
    Parameter::of("at", Kind::Numbers(Dimension::LENGTH), "place [y, z]"),
    AREA,
];

pub(super) const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "fibres",
        summary: "patches, layers of bars and single fibres of any material; y is the height, its axis the centroid of the areas",
        reference: "Spacone, Filippou and Taucer 1996",
        parameters: &[
            NAME,
            Parameter::of("patch", Kind::Tables(PATCH), "areas divided into fibres").optional(),
            Parameter::of("layer", Kind::Tables(LAYER), "rows and circles of bars").optional(),
            Parameter::of("fibre", Kind::Tables(FIBRE), "single fibres").optional(),
            Parameter::number(
                "torsion",
                Dimension::of(1, 3, -2),
                "torsional stiffness GJ (space frames), such as \"4 MN*m^2\"",
            )
            .optional()
            .positive(),
        ],
    },
    build: |table, materials, _| {
        let mut layout = FibreLayout::new();
        let mut modulus = None;
        for (list, add) in [("patch", patch as Add), ("layer", layer), ("fibre", fibre)] {
            for (entry, part) in table.tables(list).into_iter().enumerate() {
                let mut read = || {
                    let material = named("material", materials, part, "material")?;
                    if modulus.is_none() {
                        modulus = Some(stiff(material, "material")?);
                    }
                    add(std::mem::take(&mut layout), part, materials)
                };
                layout = read().map_err(|error| super::at(list, entry, error))?;
            }
        }
        let modulus = modulus.ok_or_else(|| {
            BuildError::new(
                "patch",
                "the section has no fibres",
                "add patch = [{ material = …, divisions = [10, 1], from = [-0.1, -0.1, \"m\"], to = [0.1, 0.1, \"m\"] }]",
            )
        })?;
        let torsion = table.optional_number("torsion").unwrap_or(0.0);
        Section::of_layout(layout, modulus, torsion)
    },
};

type Add = fn(FibreLayout, &Values, &Materials) -> Result<FibreLayout, BuildError>;

/// A point [y, z].
fn place(part: &Values, key: &str) -> Result<Place, BuildError> {
    match part.numbers(key)?[..] {
        [y, z] => Ok((y, z)),
        _ => Err(BuildError::new(
            key,
            "a point of a section has two coordinates",
            format!("write {key} = [y, z, \"m\"]"),
        )),
    }
}

fn two(part: &Values, key: &str) -> Result<[f64; 2], BuildError> {
    place(part, key).map(|(first, second)| [first, second])
}

fn angles(part: &Values) -> Result<Option<(f64, f64)>, BuildError> {
    match part.has("angles") {
        true => two(part, "angles").map(|[first, last]| Some((first, last))),
        false => Ok(None),
    }
}

fn shape_missing(what: &str) -> BuildError {
    BuildError::new(
        "from",
        format!("the {what} has no shape"),
        format!("give the {what} from and to, or centre and radius"),
    )
}

fn patch(
    layout: FibreLayout,
    part: &Values,
    materials: &Materials,
) -> Result<FibreLayout, BuildError> {
    let material = named("material", materials, part, "material")?;
    let divisions = match part.counts("divisions")?[..] {
        [first, second] => (first, second),
        _ => {
            return Err(BuildError::new(
                "divisions",
                "a patch is divided in two directions",
                "write divisions = [10, 1]",
            ));
        }
    };
    let added = if part.has("corners") {
        let corners = part.matrix("corners")?;
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
    } else if part.has("centre") {
        let [inner, outer] = two(part, "radii")?;
        let ring = Ring {
            centre: place(part, "centre")?,
            inner,
            outer,
            angles: angles(part)?.unwrap_or((0.0, TAU)),
        };
        layout.ring(material, divisions, ring)
    } else if part.has("from") && part.has("to") {
        layout.rectangle(
            material,
            divisions,
            place(part, "from")?,
            place(part, "to")?,
        )
    } else {
        return Err(shape_missing("patch"));
    };
    added.map_err(refuse)
}

fn layer(
    layout: FibreLayout,
    part: &Values,
    materials: &Materials,
) -> Result<FibreLayout, BuildError> {
    let material = named("material", materials, part, "material")?;
    let (bars, area) = (part.count("bars")?, part.number("area")?);
    if part.has("centre") {
        let (centre, radius) = (place(part, "centre")?, part.number("radius")?);
        // Without angles the bars go evenly around, with them from one to the other.
        #[allow(clippy::cast_precision_loss)] // a few bars
        let (first, step) = match angles(part)? {
            None => (0.0, TAU / bars as f64),
            Some((first, last)) => (first, (last - first) / (bars.max(2) - 1) as f64),
        };
        let mut layout = layout;
        for bar in 0..bars {
            #[allow(clippy::cast_precision_loss)] // a few bars
            let (sin, cos) = (first + step * bar as f64).sin_cos();
            let at = (centre.0 + radius * cos, centre.1 + radius * sin);
            layout = layout.fibre(material, at, area).map_err(refuse)?;
        }
        return Ok(layout);
    }
    if !(part.has("from") && part.has("to")) {
        return Err(shape_missing("layer"));
    }
    layout
        .straight_layer(
            material,
            bars,
            area,
            place(part, "from")?,
            place(part, "to")?,
        )
        .map_err(refuse)
}

fn fibre(
    layout: FibreLayout,
    part: &Values,
    materials: &Materials,
) -> Result<FibreLayout, BuildError> {
    let material = named("material", materials, part, "material")?;
    layout
        .fibre(material, place(part, "at")?, part.number("area")?)
        .map_err(refuse)
}
