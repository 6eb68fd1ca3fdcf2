//! What an exported FMU is: the file in its resources.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tandem_integrator::partitioned::Newmark;
use tandem_quantity::{BuildError, Context, Slot, Values};
use tandem_structure::{
    LinalgError, Linear, Matrix, Structure, StructureError, StructureProperties,
};
use tandem_transfer::servo::{self, Servo};
use tandem_transfer::{compensator, rig};

use crate::assemble::{NoLoop, Test, assemble, assemble_plan};
use crate::registry::standard;
use crate::sections::{self, ROOT, Section};
use tandem_fmi::models::{
    Compensation, Coupling, FmuModel, Make, Monitors, Refused, RigBlock, ServoBlock, Substructure,
    Variant, tied,
};
use tandem_fmi::slots::co_simulation;
use tandem_model::structure;
use tandem_plan::{PlanErrors, Resolved, Source};

/// Which part of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// The numerical substructure.
    Numerical,
    /// The specimen as a substructure of its own.
    Physical,
    /// The undivided structure.
    Whole,
    /// The coupling of numerical and physical substructure.
    Coupling,
    /// The rig: actuators, specimen, sensors.
    Rig,
    /// The compensator.
    Compensator,
    /// The servo controller of an axis.
    Servo,
    /// The monitors.
    Monitors,
}

/// Why what an FMU is cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// The file in its resources.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It is of another export than the binary.
    #[error("the guid or token {given} is not that of this FMU, {own}")]
    Token {
        /// What the importer gives.
        given: String,
        /// What the file says.
        own: String,
    },
    /// The importer wants a Model Exchange.
    #[error("this part has no continuous states: no Model Exchange")]
    NoStates,
    /// It says nothing of a structure.
    #[error("it has neither matrices nor a plan")]
    Empty,
    /// Sizes of a coupling.
    #[error("the parts of the coupling do not fit together")]
    Coupling,
    /// Sizes of a substructure.
    #[error("matrices and degrees of freedom do not fit together")]
    Matrices,
    /// Monitors of a plan that has no loop.
    #[error(transparent)]
    NoLoop(#[from] NoLoop),
    /// A matrix.
    #[error(transparent)]
    Matrix(#[from] LinalgError),
    /// The matrices together.
    #[error(transparent)]
    Structure(#[from] StructureError),
    /// The plan.
    #[error("{}", .0.to_text())]
    Plan(Box<PlanErrors>),
    /// A part of it.
    #[error("{}", .0.message)]
    Part(BuildError),
}

impl From<Box<PlanErrors>> for ContentError {
    fn from(refusal: Box<PlanErrors>) -> Self {
        Self::Plan(refusal)
    }
}

impl From<ContentError> for Refused {
    fn from(error: ContentError) -> Self {
        Self(error.to_string())
    }
}

impl From<BuildError> for ContentError {
    fn from(error: BuildError) -> Self {
        Self::Part(error)
    }
}

/// What an exported FMU is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Content {
    /// Name of the model.
    pub name: String,
    /// Which part.
    pub what: What,
    /// Which variant.
    pub variant: Variant,
    /// Step, s.
    pub dt: f64,
    /// γ of Newmark's method.
    pub gamma: f64,
    /// β of Newmark's method.
    pub beta: f64,
    /// Degrees of freedom.
    pub dof: usize,
    /// Those tied to the interface, from zero.
    pub rows: Vec<usize>,
    /// Matrices of a linear part.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub matrices: Option<Matrices>,
    /// The plan of any other.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plan: Option<String>,
    /// Input work that monitors expect, J.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input_work: Option<f64>,
    /// Parts of a coupling: number of values, which are tied, to what.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parts: Vec<(usize, Vec<usize>, Vec<usize>)>,
}

/// A linear part, by rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Matrices {
    mass: Vec<Vec<f64>>,
    damping: Vec<Vec<f64>>,
    stiffness: Vec<Vec<f64>>,
    ground_mass: Vec<Vec<f64>>,
    influence: Vec<f64>,
}

fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    let n = matrix.order();
    matrix
        .to_dense()
        .chunks(n.max(1))
        .map(<[f64]>::to_vec)
        .collect()
}

impl Matrices {
    fn of(structure: &StructureProperties) -> Self {
        Self {
            mass: rows(&structure.mass),
            damping: rows(&structure.damping),
            stiffness: rows(&structure.stiffness),
            ground_mass: rows(structure.ground_mass()),
            influence: structure.influence.to_vec(),
        }
    }

    fn build(&self) -> Result<Box<dyn Structure>, ContentError> {
        let structure = Linear::new(
            Matrix::from_rows(&self.mass)?,
            Matrix::from_rows(&self.damping)?,
            Matrix::from_rows(&self.stiffness)?,
        )?
        .with_influence(self.influence.clone())?
        .with_ground_mass(Matrix::from_rows(&self.ground_mass)?)?;
        Ok(Box::new(structure))
    }
}

impl Content {
    /// The part of a plan.
    pub fn of(plan: &Resolved, what: What, variant: Variant) -> Result<Self, Vec<BuildError>> {
        let test = assemble(&plan.values, plan.registry())?;
        Self::of_test(plan, &test, what, variant).map_err(|error| vec![error])
    }

    fn of_test(
        plan: &Resolved,
        test: &Test,
        what: What,
        variant: Variant,
    ) -> Result<Self, BuildError> {
        let newmark = match what {
            What::Physical => Newmark::CENTRAL_DIFFERENCE,
            _ => Newmark::AVERAGE_ACCELERATION,
        };
        let content = Self {
            name: test.name.clone(),
            what,
            variant,
            dt: test.outline.dt,
            gamma: newmark.gamma,
            beta: newmark.beta,
            dof: 0,
            rows: Vec::new(),
            matrices: None,
            plan: None,
            input_work: None,
            parts: Vec::new(),
        };
        match what {
            What::Numerical => content.substructure(
                plan,
                test.numerical()?.as_ref(),
                test.outline.interface.clone(),
            ),
            What::Physical => {
                let rows = (0..test.outline.interface.len()).collect();
                content.substructure(plan, test.physical(test.outline.dt)?.as_ref(), rows)
            }
            What::Whole => content.substructure(
                plan,
                test.reference_structure()?.as_ref(),
                test.outline.interface.clone(),
            ),
            What::Coupling => content.coupling(test),
            What::Rig | What::Compensator | What::Servo | What::Monitors => {
                content.part_of_the_loop(plan, test)
            }
        }
    }

    /// The same as a substructure that is tied to the interface at these rows.
    fn substructure(
        mut self,
        plan: &Resolved,
        structure: &dyn Structure,
        rows: Vec<usize>,
    ) -> Result<Self, BuildError> {
        let properties = structure.properties();
        self.dof = properties.dof();
        self.rows = if rows.is_empty() {
            (0..self.dof).collect()
        } else {
            rows
        };
        if properties.is_linear {
            self.matrices = Some(Matrices::of(properties));
        } else {
            ours(&plan.values, Section::Structure, &structure::SLOT)?;
            self.plan = Some(bare(plan, false, None)?);
        }
        Ok(self)
    }

    /// The same as what couples numerical and physical substructure.
    fn coupling(mut self, test: &Test) -> Result<Self, BuildError> {
        let ni = test.outline.interface.len();
        if ni == 0 {
            return Err(BuildError::new(
                "interface",
                "the plan has no interface: there is nothing to couple",
                "add [interface] and [rig]",
            ));
        }
        let all: Vec<usize> = (0..ni).collect();
        let numerical = match self.variant {
            Variant::A => (
                test.numerical()?.properties().dof(),
                test.outline.interface.clone(),
                all.clone(),
            ),
            Variant::B => (ni, all.clone(), all.clone()),
        };
        self.parts = vec![numerical, (ni, all.clone(), all)];
        Ok(self)
    }

    /// The same as a part of the loop.
    fn part_of_the_loop(mut self, plan: &Resolved, test: &Test) -> Result<Self, BuildError> {
        let ni = test.outline.interface.len();
        if ni == 0 {
            return Err(BuildError::new(
                "rig",
                "the plan has no rig",
                "add [interface] and [rig]",
            ));
        }
        self.dt = test.outline.timing.period;
        self.dof = test.physical.actuators;
        match self.what {
            What::Rig => ours(&plan.values, Section::Rig, &rig::SLOT)?,
            What::Compensator => ours(&plan.values, Section::Compensator, &compensator::SLOT)?,
            What::Servo => {
                let (table, period) = servo(&plan.values, test.outline.timing.period)?;
                make_servo(&table, period)?;
                self.dt = period;
                self.dof = 1;
            }
            _ => {
                if test.steps_itself() {
                    ours(&plan.values, Section::Structure, &structure::SLOT)?;
                }
                if Section::Monitor.written(&plan.values).is_none() {
                    return Err(BuildError::new(
                        "monitor",
                        "the plan has no monitors",
                        "add some, such as [monitor.tracking_indicator]",
                    ));
                }
                self.dt = test.outline.timing.period / test.outline.timing.time_scale;
                self.dof = ni;
                self.input_work = Some(test.expected_input_work());
            }
        }
        let watched = self.what == What::Monitors;
        self.plan = Some(bare(plan, watched, foreign(plan, test))?);
        Ok(self)
    }

    /// The substructure itself, for steps of `dt` seconds.
    ///
    /// # Errors
    /// [`ContentError`].
    pub fn structure(&self, dt: f64) -> Result<Box<dyn Structure>, ContentError> {
        if let Some(matrices) = &self.matrices {
            return matrices.build();
        }
        let plan = read(self.plan.as_deref().ok_or(ContentError::Empty)?)?;
        let test = assemble_plan(&plan)?;
        Ok(self.what.structure(&test, dt)?)
    }

    /// What binary and description agree on: it hangs on the contents only.
    pub fn token(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        let digest = Sha256::digest(text.as_bytes());
        let hex: String = digest
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or("").to_owned();
        format!(
            "{{{}-{}-{}-{}-{}}}",
            part(0, 8),
            part(8, 12),
            part(12, 16),
            part(16, 20),
            part(20, 32)
        )
    }

    /// Builds it.
    ///
    /// # Errors
    /// [`ContentError`].
    pub fn build(&self) -> Result<Box<dyn FmuModel>, ContentError> {
        let newmark = Newmark {
            gamma: self.gamma,
            beta: self.beta,
        };
        if self.what == What::Coupling {
            let parts = self
                .parts
                .iter()
                .map(|(size, rows, map)| tied(*size, rows, map));
            let parts: Option<Vec<_>> = parts.collect();
            let parts = parts.ok_or(ContentError::Coupling)?;
            return Ok(Box::new(Coupling::new(parts, self.variant)));
        }
        if let Some(matrices) = &self.matrices {
            let matrices = matrices.clone();
            let found = matrices.build()?.properties().dof();
            if found != self.dof || self.rows.iter().any(|row| *row >= found) {
                return Err(ContentError::Matrices);
            }
            let make = Box::new(move |_| Ok(matrices.build()?));
            return Ok(Box::new(self.tied(make, newmark)));
        }
        let plan = read(self.plan.as_deref().ok_or(ContentError::Empty)?)?;
        let test = assemble_plan(&plan)?;
        match self.what {
            What::Rig => {
                let rig = test.rig(&plan.values)?;
                Ok(Box::new(RigBlock::new(rig, self.dt)?))
            }
            What::Compensator => {
                let table = Section::Compensator.of(&plan.values);
                let actuators = test.physical.actuators;
                let built = compensator::build(table, &Context::of(actuators, self.dt))?;
                Ok(Box::new(Compensation::new(built, actuators, self.dt)))
            }
            What::Servo => {
                let (table, _) = servo(&plan.values, test.outline.timing.period)?;
                let built = make_servo(&table, self.dt)?;
                Ok(Box::new(ServoBlock::new(built, self.dt)))
            }
            What::Monitors => {
                let hybrid = test.hybrid()?;
                let integrator = hybrid.parts().integrator.as_ref();
                let table = Section::Monitor.of(&plan.values);
                let work = self.input_work.unwrap_or(0.0);
                let monitors = crate::assemble::monitors(
                    table,
                    integrator,
                    test.outline.timing,
                    test.outline.dt,
                    work,
                    plan.registry(),
                )?;
                let problem = integrator.problem();
                let (ni, n) = (
                    problem.interface.len(),
                    problem.structure.properties().dof(),
                );
                Ok(Box::new(Monitors::new(monitors, ni, n, self.dt)))
            }
            _ => {
                let what = self.what;
                let make = Box::new(move |dt: f64| {
                    let made = what.structure(&test, dt);
                    Ok(made.map_err(ContentError::Part)?)
                });
                Ok(Box::new(self.tied(make, newmark)))
            }
        }
    }

    fn tied(&self, make: Make, newmark: Newmark) -> Substructure {
        let rows = self.rows.clone();
        Substructure::new(make, self.dof, rows, self.variant, self.dt, newmark)
    }
}

impl What {
    /// The structure of a test that this is, for steps of `dt` seconds.
    fn structure(self, test: &Test, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        match self {
            Self::Physical => test.physical(dt),
            Self::Numerical => test.numerical(),
            _ => test.reference_structure(),
        }
    }
}

/// Refuses a part that is an FMU already: it would not find its file.
fn ours(plan: &Values, section: Section, slot: &dyn Slot) -> Result<(), BuildError> {
    match section.selected(plan, slot) {
        Some(co_simulation::NAME) => Err(BuildError::new(
            section.word(),
            "this part is an FMU already",
            "use that file itself",
        )),
        _ => Ok(()),
    }
}

/// The table of the servo, that of the rig or of its first axis, and its period, s.
fn servo(plan: &Values, period: f64) -> Result<(Values, f64), BuildError> {
    let servo = rig::first_servo(Section::Rig.of(plan)).map_err(|error| error.within("rig"))?;
    match servo {
        Some((table, rate)) => Ok((table, 1.0 / rate.unwrap_or(1.0 / period))),
        None => Err(BuildError::new(
            "rig",
            "the rig has no servo",
            "add [rig.servo]",
        )),
    }
}

fn make_servo(table: &Values, period: f64) -> Result<Box<dyn Servo>, BuildError> {
    // An exported part would not find the file of an FMU.
    let entry = servo::SLOT.find(table).ok();
    let context = Context::of(1, period);
    let built = entry
        .map(|entry| (entry.build)(table, &context))
        .transpose()?;
    built.flatten().ok_or_else(|| {
        BuildError::new(
            "rig.servo.method",
            "this servo does nothing that could be exported, or is an FMU already",
            "take one of `tandem methods`, such as pid",
        )
    })
}

fn read(text: &str) -> Result<Resolved, ContentError> {
    let source = Source::Text {
        name: "resources/tandem.json",
        text,
    };
    sections::read_with(standard(), ROOT, source, &[])
        .map_err(|refusal| ContentError::Plan(Box::new(refusal)))
}

/// The numerical substructure of a plan whose structure is an FMU: an exported part would not find
/// its file.
fn foreign<'a>(plan: &Resolved, test: &'a Test) -> Option<(&'a StructureProperties, &'a [usize])> {
    let kind = Section::Structure.selected(&plan.values, &structure::SLOT)?;
    let meant = kind == co_simulation::NAME && !test.steps_itself();
    let problem = test.hybrid().ok()?.parts().integrator.problem();
    meant.then_some((problem.structure.properties(), problem.interface.as_slice()))
}

/// What the loop needs to know of such a structure: its matrices.
fn as_matrices(table: &mut toml::Table, structure: &StructureProperties, interface: &[usize]) {
    let matrix = |matrix: &Matrix, unit: &str| {
        let mut list: Vec<toml::Value> = rows(matrix).into_iter().map(Into::into).collect();
        list.push(unit.into());
        toml::Value::Array(list)
    };
    let damping = toml::Table::from_iter([
        ("method".to_owned(), "matrix".into()),
        ("matrix".to_owned(), matrix(&structure.damping, "N*s/m")),
    ]);
    let structure = toml::Table::from_iter([
        ("kind".to_owned(), "matrices".into()),
        ("mass".to_owned(), matrix(&structure.mass, "kg")),
        ("stiffness".to_owned(), matrix(&structure.stiffness, "N/m")),
        ("influence".to_owned(), structure.influence.to_vec().into()),
        ("damping".to_owned(), damping.into()),
    ]);
    table.insert("structure".into(), structure.into());
    if let Some(toml::Value::Table(section)) = table.get_mut("interface") {
        let from_one = interface
            .iter()
            .map(|row| toml::Value::from(*row as i64 + 1));
        section.insert("dof".into(), toml::Value::Array(from_one.collect()));
        section.insert("partition".into(), "add".into());
    }
}

/// The plan without what an FMU has no use for: the ground motion is its input, nobody watches or
/// records it.
fn bare(
    plan: &Resolved,
    watched: bool,
    foreign: Option<(&StructureProperties, &[usize])>,
) -> Result<String, BuildError> {
    let refuse =
        |text: String| BuildError::new("", text, "this part of the plan cannot be exported");
    let mut table: toml::Table = plan
        .to_toml()
        .parse()
        .map_err(|error| refuse(format!("{error}")))?;
    for key in ["monitor", "limits", "description"] {
        if key != "monitor" || !watched {
            table.remove(key);
        }
    }
    // The method of the reference run stays: without it the plan's own method would have to fit the
    // undivided structure too.
    if let Some(toml::Value::Table(record)) = table.get_mut("record") {
        record.retain(|key, _| key.starts_with("reference"));
    }
    if let Some((structure, interface)) = foreign {
        as_matrices(&mut table, structure, interface);
    }
    let none = "kind = \"none\"\nduration = \"1 s\"\ndt = \"10 ms\"\n";
    let none: toml::Table = none.parse().map_err(|error| refuse(format!("{error}")))?;
    // Signals that drive actuators are not the ground's: they say how many actuators there are, and
    // need no files.
    if !crate::assemble::characterise::selected_by(&plan.values) {
        table.insert("excitation".into(), none.into());
    }
    let text = toml::to_string(&table).map_err(|error| refuse(error.to_string()))?;
    // It must stand on its own.
    read(&text).map_err(|error| refuse(error.to_string()))?;
    Ok(text)
}
