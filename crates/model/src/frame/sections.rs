//! `[[structure.section]]`: cross-sections by name.

use std::f64::consts::PI;

use tandem_frame::material::Material;
use tandem_frame::section::shape::{self, BarRow, IShape, ReinforcedConcrete};
use tandem_frame::section::{
    Aggregate, AggregatedSection, Base, Component, ElasticSection2d, ElasticSection3d, FibreLayout,
    Section2d, Section3d, SectionError, profile, profiles,
};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Range, Settings, SlotOf, Values, settings, suggest,
};

use super::materials::{Materials, named, new_name};

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
    /// A section of any fibres: its elastic stiffnesses are those of the untouched fibres, with
    /// this modulus and GJ.
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
        let base = if self.alone {
            Base::None
        } else {
            Base::from(self.base_plane()?)
        };
        AggregatedSection::new(base, &self.added).and_then(Aggregate::new)
    }

    /// With its added laws, for a member of a space frame: S = 4, or 6 with shear.
    pub fn aggregated_space<const S: usize>(&self) -> Result<Aggregate<S>, SectionError> {
        let base = if self.alone {
            Base::None
        } else {
            Base::from(self.base_space()?)
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
        if self.added.is_empty() {
            self.base_plane()
        } else {
            self.aggregated_plane::<2>().map(Section2d::from)
        }
    }

    /// For a member with fibres in a space frame.
    pub fn space(&self) -> Result<Section3d, SectionError> {
        if self.added.is_empty() {
            self.base_space()
        } else {
            self.aggregated_space::<4>().map(Section3d::from)
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
pub(super) static SLOT: SlotOf<Build> = SlotOf::new("section", "kind", None, || METHODS);

pub(super) fn read(
    tables: &[Values],
    materials: &Materials,
) -> Result<Vec<(String, Section)>, BuildError> {
    let mut sections: Vec<(String, Section)> = Vec::new();
    for (entry, table) in tables.iter().enumerate() {
        let read = || {
            let name = new_name(
                Name::read(table)?.name,
                sections.iter().map(|(name, _)| name.as_str()),
            )?;
            let kind = SLOT.find(table)?;
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

settings! {
    /// What all sections have.
    pub(super) struct Name {
        /// name by which members refer to it
        pub name: String = text(),
    }
}

settings! {
    /// Elastic stiffnesses of a section of fibres, where its shape does not tell them.
    struct OfShape {
        /// torsion constant J; default: from the shape
        torsion: Option<f64> = number(Dimension::INERTIA).positive(),
        /// shear area of elastic members; default: no shear deformation
        shear_area: Option<f64> = number(Dimension::AREA).positive(),
    }
}

settings! {
    /// The fibres of an I.
    struct IFibres {
        /// name of its material
        material: String = text(),
        /// layers of each flange
        flange_layers: usize = integer().or("4").within(Range::between(1.0, 1000.0)),
        /// layers of the web
        web_layers: usize = integer().or("16").within(Range::between(1.0, 1000.0)),
        /// fibres across the width; 1 is enough in a plane frame
        across: usize = integer().or("1").within(Range::between(1.0, 200.0)),
        /// Poisson's ratio, for torsion and shear
        poisson: f64 = number(Dimension::NONE).or("0.3").within(Range::between(0.0, 0.5)),
        stiffness: OfShape,
    }
}

/// A section of fibres; its elastic stiffnesses are those of the untouched fibres unless they are
/// given.
fn of_fibres(
    layout: FibreLayout,
    modulus: f64,
    tabulated: Option<(f64, [f64; 2])>,
    shape_torsion: f64,
    (poisson, given): (f64, &OfShape),
) -> Result<Section, BuildError> {
    let computed = layout.build_3d(1.0).map_err(refuse)?.initial_tangent();
    let (area, inertia) = tabulated.unwrap_or((
        computed[0][0] / modulus,
        [computed[1][1] / modulus, computed[2][2] / modulus],
    ));
    let shear_modulus = modulus / (2.0 * (1.0 + poisson));
    let shear = given
        .shear_area
        .map_or(f64::INFINITY, |area| shear_modulus * area);
    Ok(Section {
        layout: Some(layout),
        modulus,
        area,
        inertia,
        torsion: shear_modulus * given.torsion.unwrap_or(shape_torsion),
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
    settings: &IFibres,
    materials: &Materials,
    tabulated: Option<(f64, [f64; 2])>,
) -> Result<Section, BuildError> {
    let material = named("material", materials, &settings.material, "material")?;
    let layout = shape::i_shape(
        material,
        shape,
        (settings.flange_layers, settings.across),
        (settings.web_layers, 1),
    )
    .map_err(refuse)?;
    of_fibres(
        layout,
        stiff(material, "material")?,
        tabulated,
        open_torsion(shape),
        (settings.poisson, &settings.stiffness),
    )
}

const PROFILE: Entry<Build> = Entry {
    method: Method {
        name: "profile",
        summary: "rolled steel profile by its name (HEA, HEB, HEM, IPE, UB, W, S): fibres without \
            fillets, elastic members with the tabulated values",
        reference: "EN 10365:2017; AISC Manual, 15th edition",
        parameters: <(Name, ProfileSettings)>::PARAMETERS,
    },
    build: |table, materials, _| {
        let settings = ProfileSettings::read(table)?;
        let name = settings.profile.as_str();
        let found = profile(name).ok_or_else(|| {
            let help = suggest(name, profiles().iter().map(|p| p.name)).map_or(
                "take a name such as HEB300, IPE400, UB305x165x40 or W14x90".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            BuildError::new("profile", format!("there is no profile `{name}`"), help)
        })?;
        let tabulated = (found.area, [found.inertia_strong, found.inertia_weak]);
        i_fibres(
            found.outline(),
            &settings.fibres,
            materials,
            Some(tabulated),
        )
    },
};

settings! {
    struct ProfileSettings {
        /// such as "HEB300" or "W14x90"
        profile: String = text(),
        fibres: IFibres,
    }
}

const I_SHAPE: Entry<Build> = Entry {
    method: Method {
        name: "i-shape",
        summary: "welded I of plates, bent about its strong axis",
        reference: "definition",
        parameters: <(Name, IShapeSettings)>::PARAMETERS,
    },
    build: |table, materials, _| {
        let settings = IShapeSettings::read(table)?;
        let shape = IShape {
            height: settings.height,
            width: settings.width,
            web: settings.web,
            flange: settings.flange,
        };
        i_fibres(shape, &settings.fibres, materials, None)
    },
};

settings! {
    struct IShapeSettings {
        /// height over all
        height: f64 = number(Dimension::LENGTH).positive(),
        /// width of the flanges
        width: f64 = number(Dimension::LENGTH).positive(),
        /// thickness of the web
        web: f64 = number(Dimension::LENGTH).positive(),
        /// thickness of the flanges
        flange: f64 = number(Dimension::LENGTH).positive(),
        fibres: IFibres,
    }
}

const RECTANGLE: Entry<Build> = Entry {
    method: Method {
        name: "rectangle",
        summary: "rectangle of one material",
        reference: "definition",
        parameters: <(Name, RectangleSettings)>::PARAMETERS,
    },
    build: |table, materials, _| {
        let settings = RectangleSettings::read(table)?;
        let material = named("material", materials, &settings.material, "material")?;
        let (width, height) = (settings.width, settings.height);
        let divisions = (settings.layers, settings.across);
        let layout = shape::rectangle(material, width, height, divisions).map_err(refuse)?;
        of_fibres(
            layout,
            stiff(material, "material")?,
            None,
            rectangle_torsion(width, height),
            (settings.poisson, &settings.stiffness),
        )
    },
};

settings! {
    struct RectangleSettings {
        /// width
        width: f64 = number(Dimension::LENGTH).positive(),
        /// height, across the axis of bending
        height: f64 = number(Dimension::LENGTH).positive(),
        /// name of its material
        material: String = text(),
        /// layers over the height
        layers: usize = integer().or("20").within(Range::between(1.0, 1000.0)),
        /// fibres across the width; 1 is enough in a plane frame
        across: usize = integer().or("1").within(Range::between(1.0, 200.0)),
        /// Poisson's ratio, for torsion and shear
        poisson: f64 = number(Dimension::NONE).or("0.3").within(Range::between(0.0, 0.5)),
        stiffness: OfShape,
    }
}

const TUBE: Entry<Build> = Entry {
    method: Method {
        name: "tube",
        summary: "round tube or bar",
        reference: "definition",
        parameters: <(Name, TubeSettings)>::PARAMETERS,
    },
    build: |table, materials, _| {
        let settings = TubeSettings::read(table)?;
        let material = named("material", materials, &settings.material, "material")?;
        let outer = 0.5 * settings.diameter;
        let inner = (outer - settings.thickness.unwrap_or(outer)).max(0.0);
        let divisions = (settings.around, settings.radial);
        let layout = shape::ring(material, inner, outer, divisions).map_err(refuse)?;
        let torsion = 0.5 * PI * (outer.powi(4) - inner.powi(4));
        let given = (settings.poisson, &settings.stiffness);
        of_fibres(layout, stiff(material, "material")?, None, torsion, given)
    },
};

settings! {
    struct TubeSettings {
        /// outer diameter
        diameter: f64 = number(Dimension::LENGTH).positive(),
        /// thickness of the wall; default: a solid bar
        thickness: Option<f64> = number(Dimension::LENGTH).positive(),
        /// name of its material
        material: String = text(),
        /// fibres around
        around: usize = integer().or("24").within(Range::between(1.0, 1000.0)),
        /// fibres along the radius
        radial: usize = integer().or("4").within(Range::between(1.0, 1000.0)),
        /// Poisson's ratio, for torsion and shear
        poisson: f64 = number(Dimension::NONE).or("0.3").within(Range::between(0.0, 0.5)),
        stiffness: OfShape,
    }
}

settings! {
    struct RowSettings {
        /// height of the row above the middle of the section
        y: f64 = number(Dimension::LENGTH),
        /// number of bars, from one side of the core to the other
        bars: usize = integer().within(Range::between(1.0, 1000.0)),
        /// area of one bar
        area: f64 = number(Dimension::AREA).positive(),
    }
}

const REINFORCED_CONCRETE: Entry<Build> = Entry {
    method: Method {
        name: "reinforced-concrete",
        summary: "rectangle with a confined core, an unconfined cover all around and rows of bars",
        reference: "definition",
        parameters: <(Name, ReinforcedConcreteSettings)>::PARAMETERS,
    },
    build: |table, materials, _| {
        let settings = ReinforcedConcreteSettings::read(table)?;
        let pick = |name: &str, key: &str| named("material", materials, name, key).cloned();
        let (width, height) = (settings.width, settings.height);
        let rows = settings.row.iter().map(|row| BarRow {
            y: row.y,
            count: row.bars,
            bar_area: row.area,
        });
        let cover_concrete = pick(&settings.unconfined, "unconfined")?;
        let modulus = stiff(&cover_concrete, "unconfined")?;
        let layout = ReinforcedConcrete {
            width,
            height,
            cover: settings.cover,
            core_concrete: pick(&settings.core, "core")?,
            cover_concrete,
            steel: pick(&settings.steel, "steel")?,
            rows: rows.collect(),
            layers: (settings.layers, settings.cover_layers),
            across: settings.across,
        }
        .layout()
        .map_err(refuse)?;
        of_fibres(
            layout,
            modulus,
            None,
            rectangle_torsion(width, height),
            (settings.poisson, &settings.stiffness),
        )
    },
};

settings! {
    struct ReinforcedConcreteSettings {
        /// width
        width: f64 = number(Dimension::LENGTH).positive(),
        /// height, across the axis of bending
        height: f64 = number(Dimension::LENGTH).positive(),
        /// thickness of the cover, to the edge of the core
        cover: f64 = number(Dimension::LENGTH).positive(),
        /// name of the material of the confined core
        core: String = text(),
        /// name of the material of the cover
        unconfined: String = text(),
        /// name of the material of the bars
        steel: String = text(),
        /// rows of bars
        row: Vec<RowSettings> = tables(RowSettings::PARAMETERS).within(Range::between(1.0, 100.0)),
        /// layers of the core, and of the cover beside it
        layers: usize = integer().or("20").within(Range::between(1.0, 1000.0)),
        /// layers of the cover above and below
        cover_layers: usize = integer().or("4").within(Range::between(1.0, 1000.0)),
        /// fibres across the width; 1 is enough in a plane frame
        across: usize = integer().or("1").within(Range::between(1.0, 200.0)),
        /// Poisson's ratio, for torsion and shear
        poisson: f64 = number(Dimension::NONE).or("0.2").within(Range::between(0.0, 0.5)),
        stiffness: OfShape,
    }
}

const ELASTIC: Entry<Build> = Entry {
    method: Method {
        name: "elastic",
        summary: "stiffnesses instead of fibres",
        reference: "definition",
        parameters: <(Name, ElasticSettings)>::PARAMETERS,
    },
    build: |table, _, _| {
        let settings = ElasticSettings::read(table)?;
        let modulus = settings.modulus;
        let shear_modulus = modulus / (2.0 * (1.0 + settings.poisson));
        let along = |area: Option<f64>| area.map(|area| shear_modulus * area);
        let shear = along(settings.shear_area).unwrap_or(f64::INFINITY);
        Ok(Section {
            layout: None,
            modulus,
            area: settings.area,
            inertia: [settings.inertia, settings.weak_inertia.unwrap_or(0.0)],
            torsion: shear_modulus * settings.torsion.unwrap_or(0.0),
            shear: [shear, along(settings.weak_shear_area).unwrap_or(shear)],
            added: Vec::new(),
            alone: false,
        })
    },
};

settings! {
    struct ElasticSettings {
        /// Young's modulus
        modulus: f64 = number(Dimension::STRESS).positive(),
        /// area
        area: f64 = number(Dimension::AREA).positive(),
        /// moment of inertia about the strong axis
        inertia: f64 = number(Dimension::INERTIA).positive(),
        /// moment of inertia about the weak axis (space frames)
        weak_inertia: Option<f64> = number(Dimension::INERTIA).positive(),
        /// Poisson's ratio, for torsion and shear
        poisson: f64 = number(Dimension::NONE).or("0.3").within(Range::between(0.0, 0.5)),
        /// torsion constant J (space frames)
        torsion: Option<f64> = number(Dimension::INERTIA).positive(),
        /// shear area of elastic members; default: no shear deformation
        shear_area: Option<f64> = number(Dimension::AREA).positive(),
        /// shear area across the weak axis; default: as shear_area
        weak_shear_area: Option<f64> = number(Dimension::AREA).positive(),
    }
}
