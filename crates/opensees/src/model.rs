//! A model as OpenSees describes it, in the script's own numbers and units.

use std::collections::BTreeMap;

use super::script::Place;

/// Number by which OpenSees knows nodes, elements, materials and so on.
pub type Tag = i64;

/// The model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Dimensions (`-ndm`) and degrees of freedom of a node (`-ndf`).
    pub size: Option<(usize, usize)>,
    /// Nodes.
    pub nodes: BTreeMap<Tag, Node>,
    /// Ties between nodes, in their order.
    pub ties: Vec<(Tie, Place)>,
    /// Uniaxial materials.
    pub materials: BTreeMap<Tag, (Law, Place)>,
    /// Sections.
    pub sections: BTreeMap<Tag, (Section, Place)>,
    /// Geometric transformations.
    pub transformations: BTreeMap<Tag, Transformation>,
    /// Where the sections of a member are (`beamIntegration`).
    pub rules: BTreeMap<Tag, Rule>,
    /// Elements.
    pub elements: BTreeMap<Tag, Element>,
    /// Time series.
    pub series: BTreeMap<Tag, Series>,
    /// Load patterns, in their order.
    pub patterns: Vec<Pattern>,
    /// Ground motions, in their order.
    pub motions: Vec<Motion>,
    /// `rayleigh`: factors of M, and of the current, initial and committed K.
    pub rayleigh: Option<([f64; 4], Place)>,
    /// `modalDamping`: ratios.
    pub modal: Option<(Vec<f64>, Place)>,
    /// Analyses that were run.
    pub analysis: Analysis,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Coordinates.
    pub at: [f64; 3],
    /// Masses of its degrees of freedom.
    pub mass: Vec<f64>,
    /// Which of them are held.
    pub fixed: Vec<bool>,
    /// Where it stands.
    pub place: Place,
}

/// A tie between nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Tie {
    /// Degrees of freedom (counted from 0) of the second node follow the first.
    Equal(Tag, Tag, Vec<usize>),
    /// The second node is joined to the first; rotations too.
    Rigid(Tag, Tag),
    /// Nodes follow the first within a stiff floor with this normal (0, 1, 2).
    Floor(usize, Tag, Vec<Tag>),
}

/// What a value of a material measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// Nothing: a ratio.
    Ratio,
    /// Strain, displacement or rotation.
    Strain,
    /// Stress, force or moment.
    Stress,
    /// Stress over strain.
    Modulus,
    /// Stress over strain rate.
    Viscosity,
    /// Stress at a unit strain rate, with this exponent of the rate.
    AtUnitRate(f64),
}

/// Key of a value in the plan; some depend on what strain and stress stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Slope of the untouched material.
    Modulus,
    /// Where yielding begins.
    Yield,
    /// Points of the strain.
    Strain,
    /// Points of the stress.
    Stress,
    /// Any other.
    Named(&'static str),
}

/// A value of a material.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// A number.
    Number(f64, Measured),
    /// Several.
    Numbers(Vec<f64>, Measured),
    /// Yes or no.
    Truth(bool),
    /// A choice.
    Word(&'static str),
    /// A table within.
    Table(Vec<(Key, Amount)>),
}

/// A uniaxial material: its kind in the plan, its values, and the materials it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// Kind in the plan.
    pub kind: &'static str,
    /// Values.
    pub values: Vec<(Key, Amount)>,
    /// Materials it is made of; one for a wrapper, several for parallel and series.
    pub of: Vec<Tag>,
    /// Whether `of` is a single material in the plan.
    pub wraps: bool,
    /// Modulus at the start, for plausibility.
    pub modulus: Option<f64>,
}

/// A section.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// Elastic: E, A, I_z, and in space I_y, G, J.
    Elastic {
        /// E
        modulus: f64,
        /// A
        area: f64,
        /// I_z
        inertia_z: f64,
        /// I_y, G, J
        space: Option<[f64; 3]>,
    },
    /// Fibres.
    Fibres {
        /// GJ
        torsion: Option<f64>,
        /// Patches, layers, fibres.
        parts: Vec<FibrePart>,
    },
    /// Another section with materials for further forces, by their codes (`P`, `Mz`, `T`, …).
    Aggregated(Option<Tag>, Vec<(Tag, String)>),
}

/// A part of a fibre section; (y, z).
#[derive(Clone, Debug, PartialEq)]
pub struct FibrePart {
    /// Its material.
    pub material: Tag,
    /// Its shape.
    pub shape: FibreShape,
}

/// Shape of a part of a fibre section.
#[derive(Clone, Debug, PartialEq)]
pub enum FibreShape {
    /// Divisions along y and z, two opposite corners.
    Rectangle([usize; 2], [[f64; 2]; 2]),
    /// Divisions along IJ and JK, four corners.
    Quadrilateral([usize; 2], [[f64; 2]; 4]),
    /// Divisions around and along the radius, centre, radii, angles in degrees.
    Ring([usize; 2], [f64; 2], [f64; 2], [f64; 2]),
    /// Count, area of one, ends.
    Straight(usize, f64, [[f64; 2]; 2]),
    /// Count, area of one, centre, radius, first and last angle in degrees.
    Circular(usize, f64, [f64; 2], f64, [f64; 2]),
    /// Place and area.
    Single([f64; 2], f64),
}

/// A geometric transformation.
#[derive(Clone, Debug, PartialEq)]
pub struct Transformation {
    /// In the plan: `linear`, `p-delta`, `corotational`.
    pub kind: &'static str,
    /// Vector in the local x–z plane, in space.
    pub up: Option<[f64; 3]>,
}

/// Where the sections of a member are.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// In the plan: `lobatto`, `legendre`, …
    pub kind: &'static str,
    /// Section at each point; one stands for all.
    pub sections: Vec<Tag>,
    /// Number of points.
    pub points: usize,
}

/// Mass of a member per length, and whether it is consistent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LineMass {
    /// Mass per length.
    pub value: f64,
    /// By the member's shapes rather than half to each end.
    pub consistent: bool,
}

/// An element.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its ends.
    pub nodes: [Tag; 2],
    /// What it is.
    pub kind: ElementKind,
    /// Where it stands.
    pub place: Place,
}

/// Kinds of elements.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementKind {
    /// Elastic member.
    Elastic {
        /// E
        modulus: f64,
        /// A
        area: f64,
        /// I_z, and I_y in space
        inertia: [f64; 2],
        /// G and J in space; G where shear counts
        torsion: [f64; 2],
        /// A_s along y and z
        shear: Option<[f64; 2]>,
        /// Released at the ends i and j about z.
        released: [bool; 2],
        /// Transformation.
        transformation: Tag,
        /// Mass per length.
        mass: LineMass,
    },
    /// Member with sections.
    Fibres {
        /// Force-based; else displacement-based.
        force_based: bool,
        /// Where its sections are.
        rule: Rule,
        /// Transformation.
        transformation: Tag,
        /// Mass per length.
        mass: LineMass,
    },
    /// Bar.
    Truss {
        /// Area.
        area: f64,
        /// Material.
        material: Tag,
        /// Large displacements.
        corotational: bool,
        /// Mass per length.
        mass: LineMass,
        /// Whether Rayleigh damping counts (`-doRayleigh`).
        damped: bool,
    },
    /// Springs in directions 0 … 5 (x, y, z, rx, ry, rz), local where axes are given.
    Springs {
        /// Material of each direction.
        springs: Vec<(usize, Tag)>,
        /// Local x.
        along: Option<[f64; 3]>,
        /// Vector in the local x–y plane.
        across: Option<[f64; 3]>,
        /// Its ends are taken to lie in one place (`zeroLength`).
        zero_length: bool,
        /// Place of the shear springs, from the first node.
        shear_place: f64,
    },
    /// Elastomeric bearing: stiffness, yield force, hardening ratio, axial and rotational
    /// materials.
    Elastomeric {
        /// Initial shear stiffness.
        stiffness: f64,
        /// Yield force.
        yield_force: f64,
        /// Hardening ratio.
        hardening: f64,
        /// Axial material.
        axial: Tag,
        /// Rotational material.
        rotational: Tag,
        /// Local x.
        along: Option<[f64; 3]>,
        /// Vector in the local x–y plane.
        across: Option<[f64; 3]>,
    },
}

/// A time series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its form.
    pub form: SeriesForm,
    /// Factor.
    pub factor: f64,
}

/// Forms of time series.
#[derive(Clone, Debug, PartialEq)]
pub enum SeriesForm {
    /// Always the factor.
    Constant,
    /// The factor × time.
    Linear,
    /// Values at a fixed step from a file.
    File(String, f64),
    /// Values at a fixed step.
    Values(Vec<f64>, f64),
    /// Something else, by name.
    Other(String),
}

/// Loads that act together.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its number.
    pub tag: Tag,
    /// Its time series.
    pub series: Series,
    /// Factor of the pattern.
    pub factor: f64,
    /// Forces on nodes.
    pub nodal: Vec<(Tag, Vec<f64>)>,
    /// Uniform loads on elements along their local x, y, z.
    pub uniform: Vec<(Tag, [f64; 3])>,
    /// Factor at which `loadConst` froze it.
    pub frozen: Option<f64>,
    /// Where it stands.
    pub place: Place,
}

/// A ground motion.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Direction, counted from 0.
    pub direction: usize,
    /// Acceleration.
    pub series: Series,
    /// Where it stands.
    pub place: Place,
}

/// What the analysis commands say.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// Time of the domain.
    pub time: f64,
    /// Load increment of `LoadControl`.
    pub increment: f64,
    /// Last integrator, with its arguments.
    pub integrator: Option<(String, Vec<String>)>,
    /// Integrator that stepped through time, with its arguments.
    pub stepping: Option<(String, Vec<String>)>,
    /// Steps through time: size and number.
    pub transient: Option<(f64, f64)>,
    /// Static steps before the loads were frozen.
    pub static_steps: f64,
}

impl Analysis {
    /// Number of static steps, at least one.
    #[must_use]
    pub fn static_count(&self) -> usize {
        (1..10_000_u16)
            .find(|count| f64::from(*count) >= self.static_steps)
            .map_or(1, usize::from)
    }
}

impl Model {
    /// Dimensions and degrees of freedom, 2 and 3 where the script does not say.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        self.size.unwrap_or((2, 3))
    }

    /// Place among the six (x, y, z, rx, ry, rz) of the degrees of freedom of a node, in their
    /// order.
    #[must_use]
    pub fn dofs(&self) -> &'static [usize] {
        match self.size() {
            (1, _) => &[0],
            (2, 2) => &[0, 1],
            (2, _) => &[0, 1, 5],
            (_, 3) => &[0, 1, 2],
            _ => &[0, 1, 2, 3, 4, 5],
        }
    }

    /// Whether it is a model in space.
    #[must_use]
    pub fn in_space(&self) -> bool {
        self.size().0 == 3
    }

    /// Patterns whose loads stay, each with its factor: those frozen by `loadConst`, and where
    /// nothing is stepped through time, those of a static analysis as it ended.
    pub fn constant_patterns(&self) -> impl Iterator<Item = (&Pattern, f64)> {
        let ends = self.analysis.transient.is_none();
        self.patterns.iter().filter_map(move |pattern| {
            let factor = match (pattern.frozen, &pattern.series.form) {
                (Some(factor), _) => factor,
                (None, SeriesForm::Linear) if ends => {
                    pattern.factor * pattern.series.factor * self.analysis.time
                }
                (None, SeriesForm::Constant) => pattern.factor * pattern.series.factor,
                _ => return None,
            };
            (factor.abs() > 0.0).then_some((pattern, factor))
        })
    }

    /// Direction of the ground motion: the first motion's, with the others that follow the same
    /// record beside it.
    #[must_use]
    pub fn ground_direction(&self) -> [f64; 3] {
        let mut direction = [0.0; 3];
        let Some(first) = self.motions.first() else {
            return [1.0, 0.0, 0.0];
        };
        for motion in self
            .motions
            .iter()
            .filter(|motion| motion.series.form == first.series.form)
        {
            direction[motion.direction] = motion.series.factor / first.series.factor;
        }
        direction
    }

    /// Distance between the ends of an element.
    #[must_use]
    pub fn length(&self, nodes: [Tag; 2]) -> f64 {
        match nodes.map(|tag| self.nodes.get(&tag)) {
            [Some(i), Some(j)] => (0..3)
                .map(|k| (j.at[k] - i.at[k]).powi(2))
                .sum::<f64>()
                .sqrt(),
            _ => 0.0,
        }
    }
}
