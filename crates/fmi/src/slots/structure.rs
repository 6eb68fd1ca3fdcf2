//! `[structure] kind = "fmu"`: a structure that another tool has modelled, under any time-stepping
//! method of the plan.
//!
//! A Model Exchange FMU gives a(u, v, f, a_g). With its mass M this is M a + C v + r(u, v) = −M ι
//! a_g, where C = −M ∂a/∂v and K = −M ∂a/∂u at rest, ι = −∂a/∂a_g and r(u, v) = −M a(u, v) − C v,
//! so that whatever is nonlinear stays in r.

use std::cell::RefCell;

use crate::{Description, Fmu, FmuError, Instance, Interface};
use tandem_quantity::{
    BuildError, Dimension, Entry, ExternalModel, Method, Settings, Snapshot, SnapshotError,
    StateReader, Values, settings,
};
use tandem_structure::{Matrix, Structure, StructureProperties};

use super::second_order::{SecondOrder, Which};
use super::settings::{FmuFile, FmuHost, NAME};
use super::{FmuStatus, launch, refuse, unpack, vectors};
use tandem_structure::Build;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: NAME,
        summary: "a Functional Mock-up Unit: a Model Exchange whose states are displacements and \
            velocities and that does not hang on time, or with [integration] method = \"fmu\" a \
            Co-Simulation",
        reference: "Gomes, Abbiati and Larsen, section on Model Exchange; docs/fmi.md",
        parameters: FmuStructureSettings::PARAMETERS,
    },
    build: &|values, _| Ok(Box::new(FmuStructure::read(values)?)),
};

settings! {
    /// What the plan writes of the structure, by itself or under a time-stepping method.
    pub(super) struct FmuStructureSettings {
        pub(super) file: FmuFile,
        /// states (Co-Simulation: outputs) that are displacements, m; default: u
        pub(super) displacement: Option<Vec<String>> = texts(),
        /// states (Co-Simulation: outputs) that are velocities, m/s, in the same order; default: v,
        /// in a Co-Simulation only if there is one
        pub(super) velocity: Option<Vec<String>> = texts(),
        /// outputs of a Co-Simulation that are accelerations, m/s², in the same order; default: a,
        /// if there is one
        pub(super) acceleration: Option<Vec<String>> = texts(),
        /// inputs that are forces on the displacements, N, one for each in the same order: they
        /// tell the mass; default: g or lambda. Of a Co-Simulation those at the interface are
        /// enough
        pub(super) force: Option<Vec<String>> = texts(),
        /// mass matrix, where the FMU does not have a force on every displacement
        pub(super) mass: Option<Vec<Vec<f64>>> = matrix(Dimension::MASS),
        /// input with the ground acceleration, m/s²; default: ag, if there is one
        pub(super) ground: Option<String> = text(),
        pub(super) host: FmuHost,
    }
}

/// The FMU at work.
struct Model {
    // Before the FMU: its folder goes away last.
    instance: Box<dyn Instance>,
    _fmu: Fmu,
    motion: SecondOrder,
    column: Vec<f64>,
}

/// A structure whose restoring force an FMU computes.
struct FmuStructure {
    /// A tangent is asked of a structure that is not to change, but an instance cannot be asked
    /// without.
    model: RefCell<Model>,
    health: FmuStatus,
    properties: StructureProperties,
}

fn matrix(entries: &[f64], n: usize, what: &str) -> Result<Matrix, BuildError> {
    // Symmetric, where it is so up to the round-off of differences; every place is part of the
    // pattern: a tangent may need it.
    let largest = entries.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let at = |i: usize, j: usize| entries[i * n + j];
    let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let even = pairs().all(|(i, j)| (at(i, j) - at(j, i)).abs() <= 1e-7 * largest);
    let value = |i: usize, j: usize| {
        if even {
            0.5 * (at(i, j) + at(j, i))
        } else {
            at(i, j)
        }
    };
    let places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triplets: Vec<_> = places.map(|(i, j)| (i, j, value(i, j))).collect();
    Matrix::from_triplets(n, &triplets).map_err(|error| {
        BuildError::new(
            "fmu",
            format!("its {what}: {error}"),
            "check displacement, velocity and force",
        )
    })
}

/// Refuses what integrates by itself.
fn is_model_exchange(
    description: &Description,
    settings: &FmuStructureSettings,
) -> Result<(), BuildError> {
    if description.offer(Interface::ModelExchange).is_err() {
        return Err(BuildError::new(
            "fmu",
            "it has no Model Exchange: a Co-Simulation FMU integrates by itself, so that no \
            time-stepping method can",
            "write integration.method = \"fmu\", export it for Model Exchange, or make it a part \
            of a plan with [cosimulation]",
        ));
    }
    if settings.acceleration.is_some() {
        return Err(BuildError::new(
            "acceleration",
            "a Model Exchange gives the derivatives of its velocities",
            "remove this key, or write integration.method = \"fmu\" for its Co-Simulation",
        ));
    }
    Ok(())
}

/// The equation of motion among its variables, and the names of the displacements.
fn motion_of(
    description: &Description,
    settings: &FmuStructureSettings,
) -> Result<(SecondOrder, Vec<String>), BuildError> {
    let names = |written: &Option<Vec<String>>, usual: &str| {
        written.clone().unwrap_or_else(|| vec![usual.to_owned()])
    };
    let (u, v) = (
        names(&settings.displacement, "u"),
        names(&settings.velocity, "v"),
    );
    let force = match &settings.force {
        Some(names) => vectors(description, names)
            .map_err(|e| BuildError::new("force", e.to_string(), "see `tandem fmu info`"))?,
        None => ["g", "lambda"]
            .iter()
            .find_map(|name| vectors(description, &[name]).ok())
            .unwrap_or_default(),
    };
    let ground = match &settings.ground {
        Some(name) => Some(
            vectors(description, &[name])
                .map_err(|e| BuildError::new("ground", e.to_string(), "see `tandem fmu info`"))?,
        ),
        None => vectors(description, &["ag"]).ok(),
    };
    let motion = SecondOrder::new(description, (&u, &v), force, ground)
        .map_err(|e| BuildError::new("displacement", e.to_string(), "see `tandem fmu info`"))?;
    if motion.other_states() > 0 {
        return Err(BuildError::new(
            "displacement",
            format!(
                "the FMU has {} states besides displacements and velocities, which no \
                time-stepping method of structures integrates",
                motion.other_states()
            ),
            "name all displacements and velocities, or make it a part of a plan with \
            [cosimulation]",
        ));
    }
    Ok((motion, u))
}

/// The same at rest, where a test begins, and where it stays without events.
fn at_rest(
    mut motion: SecondOrder,
    instance: &mut dyn Instance,
) -> Result<SecondOrder, BuildError> {
    motion
        .start(instance, None)
        .and_then(|()| motion.check_pairs(instance))
        .map_err(|e| refuse(&e))?;
    // A test begins at rest, wherever the FMU would.
    if motion.come_to_rest(instance).map_err(|e| refuse(&e))? {
        return Err(BuildError::new(
            "fmu",
            "an event makes its states jump at rest, where a test begins",
            "let the FMU start at rest (start = [\"name=value\"])",
        ));
    }
    if let Some(time) = motion.next_event() {
        return Err(BuildError::new(
            "fmu",
            format!(
                "it announces an event at t = {time} s: it hangs on time, which no time-stepping \
                method of structures tells it"
            ),
            "switch the event off (start = [\"name=value\"]), write integration.method = \"fmu\" \
            for its Co-Simulation, or make it a part of a plan with \
             [cosimulation], variant = \"me\"",
        ));
    }
    Ok(motion)
}

impl FmuStructure {
    fn read(values: &Values) -> Result<Self, BuildError> {
        let settings = FmuStructureSettings::read(values)?;
        let host = &settings.host;
        let fmu = unpack(&settings.file, &host.start)?;
        is_model_exchange(&fmu.description, &settings)?;
        let mut instance = launch(&host.start, &fmu, "structure", Interface::ModelExchange)?;
        let (motion, names) = motion_of(&fmu.description, &settings)?;
        let motion = at_rest(motion, instance.as_mut())?;
        let mut model = Model {
            instance,
            _fmu: fmu,
            column: vec![0.0; motion.u.len()],
            motion,
        };
        let n = model.motion.u.len();
        let mass = model.mass(settings.mass.as_deref())?;
        let mut times_mass = |which: &dyn Fn(usize) -> Which| -> Result<Vec<f64>, BuildError> {
            let mut entries = vec![0.0; n * n];
            let (mut column, mut product) = (vec![0.0; n], vec![0.0; n]);
            for j in 0..n {
                model.column(which(j), &mut column)?;
                mass.mul_into(&column, &mut product);
                for (i, x) in product.iter().enumerate() {
                    entries[i * n + j] = -x;
                }
            }
            Ok(entries)
        };
        let stiffness = matrix(&times_mass(&Which::Displacement)?, n, "stiffness")?;
        let damping = matrix(&times_mass(&Which::Velocity)?, n, "damping")?;
        let mut influence = vec![0.0; n];
        if model.motion.is_shaken() {
            model.column(Which::Ground, &mut influence)?;
            influence.iter_mut().for_each(|x| *x = -*x);
        }
        let labels = match names.as_slice() {
            [one] if n > 1 => (1..=n).map(|i| format!("{one}[{i}]")).collect(),
            names => names.to_vec(),
        };
        Ok(Self {
            model: RefCell::new(model),
            health: FmuStatus::new(host, "structure"),
            properties: StructureProperties {
                kind: "FMU",
                labels,
                mass,
                damping,
                stiffness,
                influence,
                ground_mass: None,
                is_linear: false,
                moving_supports: 0,
            },
        })
    }
}

impl Model {
    fn column(&mut self, which: Which, into: &mut [f64]) -> Result<(), BuildError> {
        self.motion
            .column(self.instance.as_mut(), which, into)
            .map_err(|e| refuse(&e))
    }

    /// M: as the plan says, or the inverse of what forces do.
    fn mass(&mut self, written: Option<&[Vec<f64>]>) -> Result<Matrix, BuildError> {
        let n = self.motion.u.len();
        if let Some(rows) = written {
            if rows.len() != n || rows.iter().any(|row| row.len() != n) {
                return Err(BuildError::new(
                    "mass",
                    format!("{} rows for {n} displacements", rows.len()),
                    format!("give {n} rows of {n} values"),
                ));
            }
            return matrix(&rows.concat(), n, "mass");
        }
        if self.motion.forces() != n {
            return Err(BuildError::new(
                "force",
                format!(
                    "the FMU has {} force inputs for {n} displacements, so that nothing tells its \
                    mass",
                    self.motion.forces()
                ),
                "name a force for every displacement, or give `mass`",
            ));
        }
        let mut mobility = vec![0.0; n * n];
        let mut column = vec![0.0; n];
        for j in 0..n {
            self.column(Which::Force(j), &mut column)?;
            for (i, x) in column.iter().enumerate() {
                mobility[i * n + j] = *x;
            }
        }
        let mut factor = matrix(&mobility, n, "answer to forces")?
            .factor()
            .map_err(|error| {
                BuildError::new(
                    "force",
                    format!("the forces do not act on all displacements: {error}"),
                    "name the force of each displacement, in the same order",
                )
            })?;
        let mut mass = vec![0.0; n * n];
        for j in 0..n {
            column.fill(0.0);
            column[j] = 1.0;
            factor.solve_in_place(&mut column);
            for (i, x) in column.iter().enumerate() {
                mass[i * n + j] = *x;
            }
        }
        let mass = matrix(&mass, n, "mass")?;
        match (0..n).find(|i| mass.get(*i, *i) <= 0.0) {
            Some(dof) => Err(BuildError::new(
                "force",
                format!(
                    "force {} pushes backwards, or on another displacement",
                    dof + 1
                ),
                "name the force of each displacement, in the same order; N, positive in the \
                direction of the displacement",
            )),
            None => Ok(mass),
        }
    }
}

impl Structure for FmuStructure {
    fn properties(&self) -> &StructureProperties {
        &self.properties
    }
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        let Model {
            instance, motion, ..
        } = self.model.get_mut();
        let there = self.health.step(|| {
            motion.u.copy_from_slice(displacement);
            motion.v.copy_from_slice(velocity);
            motion.evaluate(instance.as_mut(), 0.0, 0.0)
        });
        if there {
            self.properties.mass.mul_into(&motion.a, force);
            self.properties.damping.mul_add(1.0, velocity, force);
            force.iter_mut().for_each(|f| *f = -*f);
        } else {
            force.fill(f64::NAN);
        }
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        stiffness.assign_combination(&[(1.0, &self.properties.stiffness)]);
        let n = self.properties.dof();
        let Ok(mut model) = self.model.try_borrow_mut() else {
            return;
        };
        let Model {
            instance,
            motion,
            column,
            ..
        } = &mut *model;
        for j in 0..n {
            if motion
                .column(instance.as_mut(), Which::Displacement(j), column)
                .is_err()
            {
                return;
            }
            for i in 0..n {
                let entry = -self.properties.mass.row_times(i, column);
                stiffness.add_at(i, j, entry - stiffness.get(i, j));
            }
        }
    }
    fn commit(&mut self) {
        let Model {
            instance, motion, ..
        } = self.model.get_mut();
        self.health
            .step(|| {
                match motion.accept(instance.as_mut())? {
            None | Some(false) => match motion.next_event() {
                None => Ok(()),
                Some(time) => Err(FmuError::Reported(format!(
                    "it announces an event at t = {time} s, and no time-stepping method of \
                    structures tells it the time"
                ))),
            },
            Some(true) => Err(FmuError::Reported(
                "an event made its states jump, which no time-stepping method of structures can \
                follow".into(),
            )),
        }
            });
    }
    fn revert(&mut self) {}
    fn external(&self) -> Option<&dyn ExternalModel> {
        Some(&self.health)
    }
}

/// Displacements and velocities come with every question; there is nothing else to keep.
impl Snapshot for FmuStructure {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
