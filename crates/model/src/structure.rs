//! The section `[structure]`.

use crate::damping::{Viscous, rows};
use crate::frame;
use crate::reduction::Reducible;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Registry, Settings, SlotOf, Values, settings,
};
use tandem_structure::{Build, Linear, Structure, StructureError, matrices, shear_building};

/// All kinds of structure. A new one is one entry here.
static METHODS: &[Entry<Build>] = &[SHEAR_BUILDING, MATRICES, frame::ENTRY];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("structure", "kind", None, || METHODS);

/// A linear structure is written out as plain matrices: the step needs no detour.
#[must_use]
pub fn flatten(structure: Box<dyn Structure>) -> Box<dyn Structure> {
    if !structure.properties().is_linear {
        return structure;
    }
    Box::new(Linear::of(structure.properties().clone()))
}

/// Builds the structure; `dt` is the step of structural time, s.
pub fn build(
    values: &Values,
    dt: f64,
    registry: &Registry,
) -> Result<Box<dyn Structure>, BuildError> {
    let context = Context {
        registry,
        ..Context::of(0, dt)
    };
    (context.registry.find(&SLOT, values)?.build)(values, &context)
}

const SHEAR_BUILDING: Entry<Build> = Entry {
    method: Method {
        name: "shear-building",
        summary: "one horizontal degree of freedom per floor, storeys as springs between them",
        reference: "Chopra, Dynamics of Structures, chapter 9",
        parameters: <(ShearBuilding, Reducible)>::PARAMETERS,
    },
    build: &|values, _| {
        let settings = ShearBuilding::read(values)?;
        let (masses, stiffnesses) = (settings.masses, settings.stiffnesses);
        if masses.len() != stiffnesses.len() {
            return Err(BuildError::new(
                "stiffnesses",
                format!("{} storeys but {} floors", stiffnesses.len(), masses.len()),
                "give one stiffness for every mass: the storey below that floor",
            ));
        }
        if masses.is_empty() {
            return Err(BuildError::new(
                "masses",
                "the building has no floor",
                "give at least one mass",
            ));
        }
        let building = shear_building(&masses, &stiffnesses, &settings.damping.build()?)
            .map_err(|error| refuse(&error))?;
        Ok(Box::new(building))
    },
};

settings! {
    struct ShearBuilding {
        /// mass of every floor, from the bottom
        masses: Vec<f64> = numbers(Dimension::MASS).positive(),
        /// stiffness of every storey, from the bottom
        stiffnesses: Vec<f64> = numbers(Dimension::STIFFNESS).positive(),
        damping: Viscous,
    }
}

const MATRICES: Entry<Build> = Entry {
    method: Method {
        name: "matrices",
        summary: "mass and stiffness matrices, written out or from text files",
        reference: "definition",
        parameters: <(MatricesSettings, Reducible)>::PARAMETERS,
    },
    build: &|values, _| {
        let settings = MatricesSettings::read(values)?;
        let mass = rows((settings.mass, settings.mass_file), "mass", "mass_file")?;
        let stiffness = (settings.stiffness, settings.stiffness_file);
        let stiffness = rows(stiffness, "stiffness", "stiffness_file")?;
        let structure = matrices::from_rows(&mass, &stiffness, &settings.damping.build()?)
            .map_err(|error| refuse(&error))?;
        let Some(influence) = settings.influence else {
            return Ok(Box::new(structure));
        };
        match structure.with_influence(influence) {
            Ok(structure) => Ok(Box::new(structure)),
            Err(error) => {
                let help = "give one value for every degree of freedom";
                Err(BuildError::new("influence", error.to_string(), help))
            }
        }
    },
};

settings! {
    struct MatricesSettings {
        /// mass matrix
        mass: Option<Vec<Vec<f64>>> = matrix(Dimension::MASS),
        /// text file with the mass matrix, kg
        mass_file: Option<String> = path(),
        /// stiffness matrix
        stiffness: Option<Vec<Vec<f64>>> = matrix(Dimension::STIFFNESS),
        /// text file with the stiffness matrix, N/m
        stiffness_file: Option<String> = path(),
        /// motion of every degree of freedom for a unit motion of the ground; default: 1
        influence: Option<Vec<f64>> = numbers(Dimension::NONE),
        damping: Viscous,
    }
}

/// Names the key that an error of the structure is about.
fn refuse(error: &StructureError) -> BuildError {
    let text = error.to_string();
    let key = ["stiffness", "mass", "damping"]
        .into_iter()
        .find(|word| text.contains(word))
        .unwrap_or("");
    BuildError::new(key, text, "check the sizes and values of this section")
}
