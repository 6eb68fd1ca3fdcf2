//! The frames of `benches/frames.json` as models of the structural engine.

use serde::Deserialize;
use tandem_frame::element::Determination;
use tandem_frame::material::{Material, Steel02};
use tandem_frame::model::{DampingStiffness, Dof, Member, Model, ModelBuilder};
use tandem_frame::section::FibreSection2d;
use tandem_frame::section::shape::{IShape, i_shape};
use tandem_structure::{Damping, Structure};

/// Everything that both sides read.
#[derive(Deserialize)]
pub struct Frames {
    bay_width: f64,
    storey_height: f64,
    pub dt: f64,
    pub elastic: Elastic,
    pub fibre: Fibre,
}

/// The elastic frames.
#[derive(Deserialize)]
pub struct Elastic {
    modulus: f64,
    column: Stiffness,
    beam: Stiffness,
    node_mass: f64,
    mass_damping: f64,
    pub scale: f64,
    pub frames: Vec<Frame>,
}

/// The frames of fibres.
#[derive(Deserialize)]
pub struct Fibre {
    column: Shape,
    beam: Shape,
    flange_layers: usize,
    web_layers: usize,
    points: usize,
    yield_stress: f64,
    modulus: f64,
    hardening: f64,
    curve: [f64; 3],
    node_mass: f64,
    mass_damping: f64,
    pub scale: f64,
    pub tolerance: f64,
    pub frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Stiffness {
    area: f64,
    inertia: f64,
}

#[derive(Deserialize)]
struct Shape {
    height: f64,
    width: f64,
    web: f64,
    flange: f64,
}

/// One frame and how it is measured: `runs` times `steps`, timed in chunks.
#[derive(Clone, Deserialize)]
pub struct Frame {
    pub name: String,
    pub bays: usize,
    pub storeys: usize,
    pub steps: usize,
    pub chunk: usize,
    pub runs: usize,
}

/// A frame and its top left degree of freedom.
pub struct Built {
    pub model: Model,
    pub top: usize,
}

impl Frames {
    /// The file.
    pub fn read() -> Result<Self, String> {
        serde_json::from_str(include_str!("../../frames.json"))
            .map_err(|e| format!("frames.json: {e}"))
    }

    /// How many fibres a frame of fibres has.
    pub fn fibres(&self, bays: usize, storeys: usize) -> usize {
        let data = &self.fibre;
        (2 * bays + 1) * storeys * data.points * (2 * data.flange_layers + data.web_layers)
    }

    /// An elastic frame.
    pub fn elastic_frame(&self, bays: usize, storeys: usize) -> Result<Built, String> {
        let data = &self.elastic;
        let member = |s: &Stiffness| Member::elastic(data.modulus, s.area, s.inertia);
        self.build(
            (bays, storeys),
            [&member(&data.column), &member(&data.beam)],
            (data.node_mass, data.mass_damping),
        )
    }

    /// A frame of fibres. Its members settle along with the structure: the method's iteration, or
    /// its steps, are theirs.
    pub fn fibre_frame(&self, bays: usize, storeys: usize) -> Result<Built, String> {
        let data = &self.fibre;
        let [r0, cr1, cr2] = data.curve;
        let steel = Steel02::new(data.yield_stress, data.modulus, data.hardening)
            .and_then(|steel| steel.with_curve(r0, cr1, cr2))
            .map_err(|e| e.to_string())?;
        let member =
            |shape: &Shape| -> Result<Member, String> {
                let outline = IShape {
                    height: shape.height,
                    width: shape.width,
                    web: shape.web,
                    flange: shape.flange,
                };
                let layers = ((data.flange_layers, 1), (data.web_layers, 1));
                let section: FibreSection2d =
                    i_shape(&Material::from(steel), outline, layers.0, layers.1)
                        .and_then(|layout| layout.build_2d())
                        .map_err(|e| e.to_string())?;
                Ok(Member::force_based(section, data.points)
                    .with_determination(Determination::Carried))
            };
        self.build(
            (bays, storeys),
            [&member(&data.column)?, &member(&data.beam)?],
            (data.node_mass, data.mass_damping),
        )
    }

    fn build(
        &self,
        (bays, storeys): (usize, usize),
        [column, beam]: [&Member; 2],
        (node_mass, mass_damping): (f64, f64),
    ) -> Result<Built, String> {
        let columns = bays + 1;
        let mut frame = ModelBuilder::plane();
        let mut add = || {
            let mut element = 0;
            let mut next = || {
                element += 1;
                element
            };
            for storey in 0..=storeys {
                for line in 0..columns {
                    let node = storey * columns + line + 1;
                    let place = [
                        line as f64 * self.bay_width,
                        storey as f64 * self.storey_height,
                    ];
                    frame.node(node, place)?;
                    if storey == 0 {
                        frame.fix_all(node)?;
                    } else {
                        frame.mass(node, &[(Dof::Ux, node_mass), (Dof::Uy, node_mass)])?;
                        frame.member(next(), [node - columns, node], column)?;
                        if line > 0 {
                            frame.member(next(), [node - 1, node], beam)?;
                        }
                    }
                }
            }
            let damping = Damping::Rayleigh {
                mass: mass_damping,
                stiffness: 0.0,
            };
            frame.damping(damping, DampingStiffness::Initial);
            Ok(())
        };
        add().map_err(|e: tandem_frame::model::ModelError| e.to_string())?;
        let model = frame.build().map_err(|e| e.to_string())?;
        let top = model
            .free_dof(storeys * columns + 1, Dof::Ux)
            .map_err(|e| e.to_string())?
            .ok_or("the top node is fixed")?;
        debug_assert_eq!(model.properties().dof(), 3 * columns * storeys);
        Ok(Built { model, top })
    }
}
