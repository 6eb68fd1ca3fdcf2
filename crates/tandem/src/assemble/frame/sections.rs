//! `[[structure.section]]`: cross-sections by name.

use std::f64::consts::PI;

use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Range, Slot, Values};
use tandem_structure::material::Material;
use tandem_structure::section::shape::{self, BarRow, IShape, ReinforcedConcrete};
use tandem_structure::section::{
    Aggregate, AggregatedSection, Base, Component, ElasticSection2d, ElasticSection3d, FibreLayout,
    Section2d, Section3d, SectionError, profile, profiles,
};

use super::materials::{Materials, named, new_name};
use crate::plan::nearest;

/// A cross-section: fibres, or none where it is elastic, and its elastic stiffnesses.
#[derive(Clone, Debug)]
pub(super) struct Section {
    layout: Option<FibreLayout>,
    /// Young's modulus, Pa.
    pub modulus: f64,
    /// Area, m².
    pub area: f64,
    /// Moments of inertia about the strong (z) and the weak (y) axis, m⁴.
    pub inertia: [f64; 2],
    /// Torsional stiffness GJ, N m²; zero where it is not known.
    pub torsion: f64,
    /// Shear stiffnesses G A_s along y and z, N; infinite without shear deformation.
    pub shear: [f64; 2],
    /// Laws of section forces, beside the fibres or stiffnesses or (where `alone`) instead of them.
    pub added: Vec<(Component, Material)>,
    pub alone: bool,
}

impl Section {
    /// A section of any fibres: its elastic stiffnesses are those of the untouched fibres, with this modulus and GJ.
    pub fn of_layout(layout: FibreLayout, modulus: f64, torsion: f64) -> Result<Self, BuildError> {
        let computed = layout.build_3d(1.0).map_err(refuse)?.initial_tangent();
        Ok(Self {
            layout: Some(layout),
            modulus,
            area: computed[0][0] / modulus,
            inertia: [computed[1][1] / modulus, computed[2][2] / modulus],
            torsion,
            shear: [f64::INFINITY; 2],
            added: Vec::new(),
            alone: false,
        })
    }

    /// A section of laws alone, which are still to be added.
    pub fn of_laws() -> Self {
        Self {
            layout: None,
            modulus: 0.0,
            area: 0.0,
            inertia: [0.0; 2],
            torsion: 0.0,
            shear: [f64::INFINITY; 2],
            added: Vec::new(),
            alone: true,
        }
    }

    /// Whether a law for a shear force is among those that were added.
    pub fn is_sheared(&self) -> bool {
        let shear = [Component::ShearY, Component::ShearZ];
        self.added.iter().any(|(own, _)| shear.contains(own))
    }

    /// With its added laws, for a member of a plane frame: S = 2, or 3 with shear.
    pub fn aggregated_plane<const S: usize>(&self) -> Result<Aggregate<S>, SectionError> {
        let base = match self.alone {
            true => Base::None,
            false => Base::from(self.base_plane()?),
        };
        AggregatedSection::new(base, &self.added).and_then(Aggregate::new)
    }

    /// With its added laws, for a member of a space frame: S = 4, or 6 with shear.
    pub fn aggregated_space<const S: usize>(&self) -> Result<Aggregate<S>, SectionError> {
        let base = match self.alone {
            true => Base::None,
            false => Base::from(self.base_space()?),
        };
        let mut added = self.added.clone();
        let law = |wanted: Component| added.iter().find(|(own, _)| *own == wanted);
        if let (Some((_, shear)), None) = (law(Component::ShearY), law(Component::ShearZ)) {
            let both = (Component::ShearZ, shear.clone());
            added.push(both);
        }
        AggregatedSection::new(base, &added).and_then(Aggregate::new)
    }

    /// For a member with fibres in a plane frame.
    pub fn plane(&self) -> Result<Section2d, SectionError> {
        match self.added.is_empty() {
            true => self.base_plane(),
            false => self.aggregated_plane::<2>().map(Section2d::from),
        }
    }

    /// For a member with fibres in a space frame.
    pub fn space(&self) -> Result<Section3d, SectionError> {
        match self.added.is_empty() {
            true => self.base_space(),
            false => self.aggregated_space::<4>().map(Section3d::from),
        }
    }

    fn base_plane(&self) -> Result<Section2d, SectionError> {
        match &self.layout {
            Some(layout) => layout.build_2d().map(Section2d::from),
            None => {
                ElasticSection2d::new(self.modulus, self.area, self.inertia[0]).map(Section2d::from)
            }
        }
    }

    fn base_space(&self) -> Result<Section3d, SectionError> {
        let [strong, weak] = self.inertia;
        match &self.layout {
            Some(layout) => layout.build_3d(self.torsion).map(Section3d::from),
            None => ElasticSection3d::new(self.modulus, self.area, strong, weak, self.torsion)
                .map(Section3d::from),
        }
    }
}

pub(super) type Build =
    fn(&Values, &Materials, &[(String, Section)]) -> Result<Section, BuildError>;

static METHODS: &[Entry<Build>] = &[
    PROFILE,
    I_SHAPE,
    RECTANGLE,
    TUBE,
    REINFORCED_CONCRETE,
    ELASTIC,
    super::fibres::ENTRY,
    super::aggregated::ENTRY,
];

/// The slot in the plan.
pub(super) static SLOT: Slot = Slot {
    selector: "kind",
    default: None,
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};

pub(super) fn read(
    values: &Values,
    materials: &Materials,
) -> Result<Vec<(String, Section)>, BuildError> {
    let mut sections: Vec<(String, Section)> = Vec::new();
    for (entry, table) in values.tables("section").into_iter().enumerate() {
        let read = || {
            let name = new_name(table, sections.iter().map(|(name, _)| name.as_str()))?;
            let kind = Entry::find(METHODS, table.text("kind")?).ok_or_else(|| {
                BuildError::new("kind", "unknown section", "see `tandem methods`")
            })?;
            Ok((name, (kind.build)(table, materials, &sections)?))
        };
        let one = read().map_err(|error| super::at("section", entry, error))?;
        sections.push(one);
    }
    Ok(sections)
}

pub(super) fn refuse(error: SectionError) -> BuildError {
    BuildError::new(
        "",
        error.to_string(),
        "check the dimensions of this section",
    )
}

pub(super) const NAME: Parameter =
    Parameter::of("name", Kind::Text, "name by which members refer to it");
const MATERIAL: Parameter = Parameter::of("material", Kind::Text, "name of its material");
const ACROSS: Parameter = Parameter::integer(
    "across",
    "fibres across the width; 1 is enough in a plane frame",
)
.or("1")
.within(Range::between(1.0, 200.0));
const POISSON: Parameter = Parameter::number(
    "poisson",
    Dimension::NONE,
    "Poisson's ratio, for torsion and shear",
)
.or("0.3")
.within(Range::between(0.0, 0.5));
const TORSION: Parameter = Parameter::number(
    "torsion",
    Dimension::INERTIA,
    "torsion constant J; default: from the shape",
)
.optional()
.positive();
const SHEAR: Parameter = Parameter::number(
    "shear_area",
    Dimension::AREA,
    "shear area of elastic members; default: no shear deformation",
)
.optional()
.positive();

const fn layers(key: &'static str, doc: &'static str, default: &'static str) -> Parameter {
    Parameter::integer(key, doc)
        .or(default)
        .within(Range::between(1.0, 1000.0))
}

const fn length(key: &'static str, doc: &'static str) -> Parameter {
    Parameter::number(key, Dimension::LENGTH, doc).positive()
}

/// A section of fibres; its elastic stiffnesses are those of the untouched fibres unless they are given.
fn of_fibres(
    layout: FibreLayout,
    modulus: f64,
    tabulated: Option<(f64, [f64; 2])>,
    shape_torsion: f64,
    table: &Values,
) -> Result<Section, BuildError> {
    let computed = layout.build_3d(1.0).map_err(refuse)?.initial_tangent();
    let (area, inertia) = tabulated.unwrap_or((
        computed[0][0] / modulus,
        [computed[1][1] / modulus, computed[2][2] / modulus],
    ));
    let shear_modulus = modulus / (2.0 * (1.0 + table.number("poisson")?));
    let shear = table
        .optional_number("shear_area")
        .map_or(f64::INFINITY, |area| shear_modulus * area);
    Ok(Section {
        layout: Some(layout),
        modulus,
        area,
        inertia,
        torsion: shear_modulus * table.optional_number("torsion").unwrap_or(shape_torsion),
        shear: [shear; 2],
        added: Vec::new(),
        alone: false,
    })
}

pub(super) fn stiff(material: &Material, key: &str) -> Result<f64, BuildError> {
    let modulus = material.initial_tangent();
    if modulus > 0.0 {
        return Ok(modulus);
    }
    Err(BuildError::new(
        key,
        "this material has no stiffness at rest",
        "take a material with a modulus",
    ))
}

/// J of a thin-walled I: Σ b t³/3.
fn open_torsion(shape: IShape) -> f64 {
    let web = shape.height - 2.0 * shape.flange;
    (2.0 * shape.width * shape.flange.powi(3) + web * shape.web.powi(3)) / 3.0
}

/// J of a rectangle (Roark and Young 1975, table 20).
fn rectangle_torsion(a: f64, b: f64) -> f64 {
    let (long, short) = (a.max(b), a.min(b));
    let ratio = short / long;
    long * short.powi(3) * (1.0 / 3.0 - 0.21 * ratio * (1.0 - ratio.powi(4) / 12.0))
}

fn i_fibres(
    shape: IShape,
    table: &Values,
    materials: &Materials,
    tabulated: Option<(f64, [f64; 2])>,
) -> Result<Section, BuildError> {
    let material = named("material", materials, table, "material")?;
    let across = table.count("across")?;
    let layout = shape::i_shape(
        material,
        shape,
        (table.count("flange_layers")?, across),
        (table.count("web_layers")?, 1),
    )
    .map_err(refuse)?;
    of_fibres(
        layout,
        stiff(material, "material")?,
        tabulated,
        open_torsion(shape),
        table,
    )
}

const PROFILE: Entry<Build> = Entry {
    method: Method {
        name: "profile",
        summary: "rolled steel profile by its name (HEA, HEB, HEM, IPE, UB, W, S): fibres without fillets, elastic members with the tabulated values",
        reference: "EN 10365:2017; AISC Manual, 15th edition",
        parameters: &[
            NAME,
            Parameter::of("profile", Kind::Text, "such as \"HEB300\" or \"W14x90\""),
            MATERIAL,
            layers("flange_layers", "layers of each flange", "4"),
            layers("web_layers", "layers of the web", "16"),
            ACROSS,
            POISSON,
            TORSION,
            SHEAR,
        ],
    },
    build: |table, materials, _| {
        let name = table.text("profile")?;
        let found = profile(name).ok_or_else(|| {
            let help = nearest(name, profiles().iter().map(|p| p.name)).map_or(
                "take a name such as HEB300, IPE400, UB305x165x40 or W14x90".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            BuildError::new("profile", format!("there is no profile `{name}`"), help)
        })?;
        let tabulated = (found.area, [found.inertia_strong, found.inertia_weak]);
        i_fibres(found.outline(), table, materials, Some(tabulated))
    },
};

const I_SHAPE: Entry<Build> = Entry {
    method: Method {
        name: "i-shape",
        summary: "welded I of plates, bent about its strong axis",
        reference: "definition",
        parameters: &[
            NAME,
            length("height", "height over all"),
            length("width", "width of the flanges"),
            length("web", "thickness of the web"),
            length("flange", "thickness of the flanges"),
            MATERIAL,
            layers("flange_layers", "layers of each flange", "4"),
            layers("web_layers", "layers of the web", "16"),
            ACROSS,
            POISSON,
            TORSION,
            SHEAR,
        ],
    },
    build: |table, materials, _| {
        let shape = IShape {
            height: table.number("height")?,
            width: table.number("width")?,
            web: table.number("web")?,
            flange: table.number("flange")?,
        };
        i_fibres(shape, table, materials, None)
    },
};

const RECTANGLE: Entry<Build> = Entry {
    method: Method {
        name: "rectangle",
        summary: "rectangle of one material",
        reference: "definition",
        parameters: &[
            NAME,
            length("width", "width"),
            length("height", "height, across the axis of bending"),
            MATERIAL,
            layers("layers", "layers over the height", "20"),
            ACROSS,
            POISSON,
            TORSION,
            SHEAR,
        ],
    },
    build: |table, materials, _| {
        let material = named("material", materials, table, "material")?;
        let (width, height) = (table.number("width")?, table.number("height")?);
        let divisions = (table.count("layers")?, table.count("across")?);
        let layout = shape::rectangle(material, width, height, divisions).map_err(refuse)?;
        of_fibres(
            layout,
            stiff(material, "material")?,
            None,
            rectangle_torsion(width, height),
            table,
        )
    },
};

const TUBE: Entry<Build> = Entry {
    method: Method {
        name: "tube",
        summary: "round tube or bar",
        reference: "definition",
        parameters: &[
            NAME,
            length("diameter", "outer diameter"),
            length("thickness", "thickness of the wall; default: a solid bar").optional(),
            MATERIAL,
            layers("around", "fibres around", "24"),
            layers("radial", "fibres along the radius", "4"),
            POISSON,
            TORSION,
            SHEAR,
        ],
    },
    build: |table, materials, _| {
        let material = named("material", materials, table, "material")?;
        let outer = 0.5 * table.number("diameter")?;
        let inner = (outer - table.optional_number("thickness").unwrap_or(outer)).max(0.0);
        let divisions = (table.count("around")?, table.count("radial")?);
        let layout = shape::ring(material, inner, outer, divisions).map_err(refuse)?;
        let torsion = 0.5 * PI * (outer.powi(4) - inner.powi(4));
        of_fibres(layout, stiff(material, "material")?, None, torsion, table)
    },
};

static ROWS: &[Parameter] = &[
    Parameter::number(
        "y",
        Dimension::LENGTH,
        "height of the row above the middle of the section",
    ),
    Parameter::integer(
        "bars",
        "number of bars, from one side of the core to the other",
    )
    .within(Range::between(1.0, 1000.0)),
    Parameter::number("area", Dimension::AREA, "area of one bar").positive(),
];

const REINFORCED_CONCRETE: Entry<Build> = Entry {
    method: Method {
        name: "reinforced-concrete",
        summary: "rectangle with a confined core, an unconfined cover all around and rows of bars",
        reference: "definition",
        parameters: &[
            NAME,
            length("width", "width"),
            length("height", "height, across the axis of bending"),
            length("cover", "thickness of the cover, to the edge of the core"),
            Parameter::of(
                "core",
                Kind::Text,
                "name of the material of the confined core",
            ),
            Parameter::of(
                "unconfined",
                Kind::Text,
                "name of the material of the cover",
            ),
            Parameter::of("steel", Kind::Text, "name of the material of the bars"),
            Parameter::of("row", Kind::Tables(ROWS), "rows of bars")
                .within(Range::between(1.0, 100.0)),
            layers(
                "layers",
                "layers of the core, and of the cover beside it",
                "20",
            ),
            layers("cover_layers", "layers of the cover above and below", "4"),
            ACROSS,
            Parameter::number(
                "poisson",
                Dimension::NONE,
                "Poisson's ratio, for torsion and shear",
            )
            .or("0.2")
            .within(Range::between(0.0, 0.5)),
            TORSION,
            SHEAR,
        ],
    },
    build: |table, materials, _| {
        let pick = |key: &str| named("material", materials, table, key).cloned();
        let (width, height) = (table.number("width")?, table.number("height")?);
        let mut rows = Vec::new();
        for (entry, row) in table.tables("row").into_iter().enumerate() {
            let read = || {
                Ok(BarRow {
                    y: row.number("y")?,
                    count: row.count("bars")?,
                    bar_area: row.number("area")?,
                })
            };
            rows.push(read().map_err(|error: BuildError| super::at("row", entry, error))?);
        }
        let cover_concrete = pick("unconfined")?;
        let modulus = stiff(&cover_concrete, "unconfined")?;
        let layout = ReinforcedConcrete {
            width,
            height,
            cover: table.number("cover")?,
            core_concrete: pick("core")?,
            cover_concrete,
            steel: pick("steel")?,
            rows,
            layers: (table.count("layers")?, table.count("cover_layers")?),
            across: table.count("across")?,
        }
        .layout()
        .map_err(refuse)?;
        of_fibres(
            layout,
            modulus,
            None,
            rectangle_torsion(width, height),
            table,
        )
    },
};

const ELASTIC: Entry<Build> = Entry {
    method: Method {
        name: "elastic",
        summary: "stiffnesses instead of fibres",
        reference: "definition",
        parameters: &[
            NAME,
            Parameter::number("modulus", Dimension::STRESS, "Young's modulus").positive(),
            Parameter::number("area", Dimension::AREA, "area").positive(),
            Parameter::number(
                "inertia",
                Dimension::INERTIA,
                "moment of inertia about the strong axis",
            )
            .positive(),
            Parameter::number(
                "weak_inertia",
                Dimension::INERTIA,
                "moment of inertia about the weak axis (space frames)",
            )
            .optional()
            .positive(),
            POISSON,
            Parameter::number(
                "torsion",
                Dimension::INERTIA,
                "torsion constant J (space frames)",
            )
            .optional()
            .positive(),
            SHEAR,
            Parameter::number(
                "weak_shear_area",
                Dimension::AREA,
                "shear area across the weak axis; default: as shear_area",
            )
            .optional()
            .positive(),
        ],
    },
    build: |table, _, _| {
        let modulus = table.number("modulus")?;
        let strong = table.number("inertia")?;
        let shear_modulus = modulus / (2.0 * (1.0 + table.number("poisson")?));
        let along = |key: &str| table.optional_number(key).map(|area| shear_modulus * area);
        let shear = along("shear_area").unwrap_or(f64::INFINITY);
        Ok(Section {
            layout: None,
            modulus,
            area: table.number("area")?,
            inertia: [strong, table.optional_number("weak_inertia").unwrap_or(0.0)],
            torsion: shear_modulus * table.optional_number("torsion").unwrap_or(0.0),
            shear: [shear, along("weak_shear_area").unwrap_or(shear)],
            added: Vec::new(),
            alone: false,
        })
    },
};
