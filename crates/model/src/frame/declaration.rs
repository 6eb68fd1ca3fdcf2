//! What a plan writes for a frame.

use tandem_frame::material::{HINGE, SPRING};
use tandem_frame::model::DampingStiffness;
use tandem_quantity::{
    Conditional, Dimension, Entry, Method, Range, Settings, Values, choice, settings,
};

use super::{FrameModel, bearings, dampers, materials, sections};
use crate::damping::Viscous;
use crate::reduction::Reducible;

/// The frame among the kinds of structure.
pub const ENTRY: Entry<tandem_structure::Build> = Entry {
    method: Method {
        name: "frame",
        summary: "plane or space frame of members with elastic or fibre sections, springs, \
            bearings, rigid floors and constant loads",
        reference: "Spacone, Filippou and Taucer 1996 (force-based members); Crisfield 1991 \
            (corotational geometry)",
        parameters: <((FrameSettings, Reducible), Shaken)>::PARAMETERS,
    },
    build: &|values, context| Ok(Box::new(FrameModel::read(values, context.period)?.model)),
};

choice! {
    /// Whether a frame lies in a plane.
    pub(super) enum Dimensions {
        Plane = "plane",
        Space = "space",
    }
}

choice! {
    /// The stiffness on which stiffness-proportional damping stands.
    pub(super) enum StiffnessOfDamping {
        Initial = "initial",
        Committed = "committed",
        Current = "current",
    }
}

impl StiffnessOfDamping {
    pub(super) fn of_model(self) -> DampingStiffness {
        match self {
            Self::Initial => DampingStiffness::Initial,
            Self::Committed => DampingStiffness::Committed,
            Self::Current => DampingStiffness::Current,
        }
    }
}

choice! {
    /// A direction of the frame.
    pub(super) enum Axis {
        X = "x",
        Y = "y",
        Z = "z",
    }
}

choice! {
    /// What is done to the records of supports before they are integrated.
    pub enum SupportBaseline {
        /// The baseline with the least velocity is taken out.
        LeastVelocity = "least-velocity",
        /// Nothing.
        Nothing = "none",
    }
}

choice! {
    /// The directions of springs.
    pub(super) enum SpringAxes {
        Global = "global",
        Local = "local",
    }
}

settings! {
    /// The frame itself.
    pub(super) struct FrameSettings {
        /// whether the frame lies in the plane x–y (y upwards) or in space (z upwards)
        pub(super) space: Dimensions = choice(Dimensions::WORDS).or("\"plane\""),
        /// lines on which nodes stand: A0, B0, … at the base, A1, B1, … a storey higher (A1-0 in
        /// space: axis A, line 1, level 0)
        pub(super) grid: Option<GridSettings> = table(GridSettings::PARAMETERS),
        /// nodes beside the grid
        pub(super) node: Vec<NodeSettings> = tables(NodeSettings::PARAMETERS).optional(),
        /// materials of fibres
        pub(super) material: Vec<Values> = slots(&materials::SLOT).optional(),
        /// cross-sections
        pub(super) section: Vec<Values> = slots(&sections::SLOT).optional(),
        /// groups of members; a later group takes over members that an earlier one has named
        pub(super) member: Vec<MemberSettings> = tables(MemberSettings::PARAMETERS).optional(),
        /// groups of springs and dampers between two nodes
        pub(super) spring: Vec<SpringSettings> = tables(SpringSettings::PARAMETERS).optional(),
        /// groups of isolators
        pub(super) bearing: Vec<Values> = slots(&bearings::SLOT).optional(),
        /// groups of devices along the line between two nodes; viscous and nonlinear viscous ones
        /// are springs with such a law
        pub(super) damper: Vec<Values> = slots(&dampers::SLOT).optional(),
        /// nodes that are held
        pub(super) support: Vec<SupportSettings> = tables(SupportSettings::PARAMETERS).optional(),
        /// nodes that follow another one
        pub(super) tie: Vec<TieSettings> = tables(TieSettings::PARAMETERS).optional(),
        /// floors that are rigid in their plane
        pub(super) diaphragm: Vec<DiaphragmSettings> =
            tables(DiaphragmSettings::PARAMETERS).optional(),
        /// every level of the grid above the base is rigid in its plane
        pub(super) rigid_floors: bool = boolean().or("false"),
        /// masses of nodes
        pub(super) mass: Vec<MassSettings> = tables(MassSettings::PARAMETERS).optional(),
        /// Viscous damping.
        pub(super) damping: Viscous,
        /// the stiffness on which stiffness-proportional damping stands; a current one that softens
        /// may feed energy in
        pub(super) damping_stiffness: StiffnessOfDamping = choice(StiffnessOfDamping::WORDS)
            .or("\"initial\""),
    }
}

settings! {
    /// What loads the frame, and how the ground moves it.
    pub struct Shaken {
        /// constant loads that act before the ground moves
        pub(super) gravity: Option<GravitySettings> = table(GravitySettings::PARAMETERS),
        /// direction in which the ground moves
        pub(super) ground: Conditional<Axis> = choice(Axis::WORDS).or("\"x\""),
        /// apparent speed of a wave along x: supports further to the right are shaken later;
        /// default: all at once
        pub(super) wave_speed: Option<f64> = number(Dimension::VELOCITY).positive(),
        /// where supports move differently: what is done to the records before they are integrated
        /// to displacements
        pub support_baseline: Conditional<SupportBaseline> = choice(SupportBaseline::WORDS)
            .or("\"least-velocity\""),
        /// instead: how far it moves along x, y and z for a unit of the record, such as [1, 0.5, 0]
        pub(super) direction: Option<Vec<f64>> = numbers(Dimension::NONE),
    }
}

settings! {
    /// The lines on which nodes stand.
    pub(super) struct GridSettings {
        /// widths of the bays along x, from axis A; default: one axis
        pub(super) bays: Option<Vec<f64>> = numbers(Dimension::LENGTH).positive(),
        /// widths of the bays along y, from line 1 (space frames)
        pub(super) depths: Option<Vec<f64>> = numbers(Dimension::LENGTH).positive(),
        /// heights of the storeys, from the base
        pub(super) storeys: Vec<f64> = numbers(Dimension::LENGTH).positive(),
    }
}

settings! {
    /// A node beside the grid.
    pub(super) struct NodeSettings {
        /// name of one word
        pub(super) name: String = text(),
        /// coordinates [x, y] or [x, y, z]
        pub(super) at: Vec<f64> = numbers(Dimension::LENGTH),
    }
}

choice! {
    /// Lines of the grid.
    pub(super) enum Along {
        Columns = "columns",
        Beams = "beams",
        CrossBeams = "cross-beams",
    }
}

choice! {
    /// What a member is made of.
    pub(super) enum ElementKind {
        ForceBased = "force-based",
        DisplacementBased = "displacement-based",
        Elastic = "elastic",
        Truss = "truss",
    }
}

choice! {
    /// Where the sections along a member are.
    pub(super) enum Points {
        Lobatto = "lobatto",
        Legendre = "legendre",
    }
}

choice! {
    /// How large displacements are treated.
    pub(super) enum LargeDisplacements {
        Linear = "linear",
        PDelta = "p-delta",
        Corotational = "corotational",
    }
}

choice! {
    /// How the mass goes to the nodes.
    pub(super) enum MassMatrix {
        Lumped = "lumped",
        Consistent = "consistent",
    }
}

settings! {
    /// A group of members.
    pub(super) struct MemberSettings {
        /// name of the group
        pub(super) name: String = text(),
        /// lines of the grid: upright, along x, along y
        pub(super) along: Option<Along> = choice(Along::WORDS),
        /// with `along`: only these storeys, counted from 1 at the base
        pub(super) storeys: Conditional<Option<Vec<usize>>> = integers(),
        /// with columns and cross-beams: only these axes, such as ["A", "D"]
        pub(super) axes: Conditional<Option<Vec<String>>> = texts(),
        /// with beams: only these bays, counted from 1
        pub(super) bays: Conditional<Option<Vec<usize>>> = integers(),
        /// with columns and beams of a space frame: only these lines, counted from 1
        pub(super) lines: Conditional<Option<Vec<usize>>> = integers(),
        /// instead of `along`: pairs of nodes, such as ["A0 A1", "B0 B1"]
        pub(super) between: Option<Vec<String>> = texts().within(Range::between(1.0, 1e6)),
        /// name of the section
        pub(super) section: Conditional<Option<String>> = text(),
        /// force-based and displacement-based members have fibres; elastic ones the section's
        /// stiffnesses; a truss only its axial force
        pub(super) element: ElementKind = choice(ElementKind::WORDS)
            .or("\"force-based\""),
        /// sections along a member with fibres
        pub(super) points: Conditional<usize> = integer().or("5").within(Range::between(2.0, 10.0)),
        /// where these sections are; default: lobatto for force-based, legendre for
        /// displacement-based members
        pub(super) quadrature: Conditional<Option<Points>> = choice(Points::WORDS),
        /// how large displacements are treated
        pub(super) geometry: LargeDisplacements = choice(LargeDisplacements::WORDS)
            .or("\"linear\""),
        /// ends that carry no moment: ["start"], ["end"] or both; start is the lower or left node,
        /// with `between` the one that is written first
        pub(super) release: Option<Vec<String>> = texts(),
        /// rotational spring at the start of an elastic member
        pub(super) start_hinge: Conditional<Option<Values>> = slot(&HINGE),
        /// rotational spring at its end
        pub(super) end_hinge: Conditional<Option<Values>> = slot(&HINGE),
        /// mass per length
        pub(super) mass: Option<f64> = number(Dimension::LINE_MASS).not_negative(),
        /// density of the member's own volume, beside `mass`
        pub(super) density: Option<f64> = number(Dimension::DENSITY).not_negative(),
        /// how the mass goes to the nodes
        pub(super) mass_matrix: Conditional<MassMatrix> = choice(MassMatrix::WORDS)
            .or("\"lumped\""),
        /// of a truss: name of its material
        pub(super) material: Conditional<Option<String>> = text(),
        /// of a truss: its area
        pub(super) area: Conditional<Option<f64>> = number(Dimension::AREA).positive(),
        /// in space: a vector in the plane of local x and z; default: the vertical, or x for
        /// columns
        pub(super) up: Conditional<Option<Vec<f64>>> = numbers(Dimension::NONE),
    }
}

settings! {
    /// A group of springs.
    pub(super) struct SpringSettings {
        /// name of the group
        pub(super) name: String = text(),
        /// pairs of nodes: ["A0 A1"]
        pub(super) between: Option<Vec<String>> = texts(),
        /// instead: nodes that stand on the ground through it, by name or group
        pub(super) ground: Option<Vec<String>> = texts(),
        /// directions of the frame, or of the line between the nodes (ux along it)
        pub(super) axes: SpringAxes = choice(SpringAxes::WORDS).or("\"global\""),
        /// with local axes: direction of the local x; default: from node to node, x where they are
        /// in one place
        pub(super) along: Option<Vec<f64>> = numbers(Dimension::NONE),
        /// with local axes in space: a vector in the plane of local x and z
        pub(super) up: Option<Vec<f64>> = numbers(Dimension::NONE),
        /// law in this direction, relative displacement of the second node
        pub(super) ux: Option<Values> = slot(&SPRING),
        /// law in this direction, relative displacement of the second node
        pub(super) uy: Option<Values> = slot(&SPRING),
        /// law in this direction, relative displacement of the second node
        pub(super) uz: Option<Values> = slot(&SPRING),
        /// law about this direction, relative rotation of the second node
        pub(super) rx: Option<Values> = slot(&HINGE),
        /// law about this direction, relative rotation of the second node
        pub(super) ry: Option<Values> = slot(&HINGE),
        /// law about this direction, relative rotation of the second node
        pub(super) rz: Option<Values> = slot(&HINGE),
    }
}

settings! {
    /// Nodes that are held.
    pub(super) struct SupportSettings {
        /// nodes by name, or "base", "roof", "floors", "all", "level 2", "axis B", "line 1"
        pub(super) nodes: Vec<String> = texts().within(Range::between(1.0, 1e6)),
        /// what is held, such as ["ux", "uy"]; default: everything
        pub(super) fix: Option<Vec<String>> = texts(),
        /// the ground moves so much later here than in the record
        pub(super) arrival: Option<f64> = number(Dimension::TIME).not_negative(),
        /// the ground moves so many times as much here
        pub(super) amplitude: Option<f64> = number(Dimension::NONE),
        /// the ground has a motion of its own here
        pub(super) motion: Option<Values> = slot(&crate::excitation::SLOT),
    }
}

settings! {
    /// Nodes that follow another one.
    pub(super) struct TieSettings {
        /// nodes by name, or "base", "roof", "floors", "all", "level 2", "axis B", "line 1"
        pub(super) nodes: Vec<String> = texts().within(Range::between(1.0, 1e6)),
        /// the node that they follow
        pub(super) to: String = text(),
        /// what they share, such as ["ux"]; default: they hang on it by rigid bars
        pub(super) dof: Option<Vec<String>> = texts(),
    }
}

settings! {
    /// A floor that is rigid in its plane.
    pub(super) struct DiaphragmSettings {
        /// nodes by name, or "base", "roof", "floors", "all", "level 2", "axis B", "line 1"
        pub(super) nodes: Vec<String> = texts().within(Range::between(1.0, 1e6)),
        /// the node that carries the motion of the floor; default: the first
        pub(super) centre: Option<String> = text(),
    }
}

settings! {
    /// Masses of nodes.
    pub(super) struct MassSettings {
        /// nodes by name, or "base", "roof", "floors", "all", "level 2", "axis B", "line 1"
        pub(super) nodes: Vec<String> = texts().within(Range::between(1.0, 1e6)),
        /// mass of every node
        pub(super) mass: Option<f64> = number(Dimension::MASS).not_negative(),
        /// instead: mass of all together, in equal shares
        pub(super) total: Option<f64> = number(Dimension::MASS).not_negative(),
        /// directions in which it acts, such as ["ux"]; default: all displacements
        pub(super) dof: Option<Vec<String>> = texts(),
        /// rotary inertia about z of every node, such as "500 kg*m^2"
        pub(super) rotary: Option<f64> = number(Dimension::of(1, 2, 0)).not_negative(),
    }
}

settings! {
    /// Constant loads that act before the ground moves.
    pub(super) struct GravitySettings {
        /// the masses of nodes and members weigh
        pub(super) weight: bool = boolean().or("false"),
        /// loads on nodes
        pub(super) load: Vec<LoadSettings> = tables(LoadSettings::PARAMETERS).optional(),
        /// loads on members
        pub(super) line: Vec<LineSettings> = tables(LineSettings::PARAMETERS).optional(),
        /// steps in which the loads come on
        pub(super) steps: usize = integer().or("10").within(Range::between(1.0, 10_000.0)),
    }
}

settings! {
    /// A load on nodes.
    pub(super) struct LoadSettings {
        /// nodes by name, or "base", "roof", "floors", "all", "level 2", "axis B", "line 1"
        pub(super) nodes: Vec<String> = texts().within(Range::between(1.0, 1e6)),
        /// force on every node, downwards
        pub(super) force: Option<f64> = number(Dimension::FORCE),
        /// instead: along x, y (and z)
        pub(super) forces: Conditional<Option<Vec<f64>>> = numbers(Dimension::FORCE),
        /// moment about z, or moments about x, y and z in space
        pub(super) moments: Option<Vec<f64>> = numbers(Dimension::ENERGY),
    }
}

settings! {
    /// A load on members.
    pub(super) struct LineSettings {
        /// names of groups of members
        pub(super) members: Vec<String> = texts(),
        /// load per length of the member, downwards, such as "20 kN/m"
        pub(super) load: Option<f64> = number(Dimension::STIFFNESS),
        /// instead: along x, y (and z) of the frame
        pub(super) loads: Conditional<Option<Vec<f64>>> = numbers(Dimension::STIFFNESS),
    }
}
