//! Where targets come from: the only thing in which kinds of test differ.

use std::sync::Arc;

use tandem_coordinator::Timing;
#[cfg(feature = "fmi")]
use tandem_fmi::slots::co_simulation;
use tandem_integrator::{self as integrator, Integrator, Loading, Problem};
use tandem_quantity::{BuildError, Entry, Registry, Values};
use tandem_signal::record::Record;
#[cfg(feature = "fmi")]
use tandem_structure::Matrix;
use tandem_structure::{Linear, Structure};
use tandem_transfer::rig::Rig;

#[cfg(feature = "link")]
use super::driven;
use super::modelled::Described;
#[cfg(feature = "fmi")]
use super::{Coupled, self_stepping, without_structure};
use super::{Driver, Test, characterise, modelled};

/// What is known of a test before a rig exists.
pub struct Outline {
    /// Name of the method.
    pub method: String,
    /// The scaled ground motion.
    pub record: Arc<Record>,
    /// The undivided structure; of a source that has its own, the interface alone.
    pub whole: Box<dyn Structure>,
    /// Interface degrees of freedom, from zero.
    pub interface: Vec<usize>,
    /// Clocks.
    pub timing: Timing,
    /// Integration step, s.
    pub dt: f64,
    /// Degree of freedom of the energy error E_c, from zero.
    pub energy_error_dof: usize,
    /// What is worth knowing, such as the header of the record.
    pub notes: Vec<String>,
    /// What gives the targets, as far as others look at it.
    pub targets: Targets,
    /// The structure that the plan describes; none where another has it.
    pub described: Option<Described>,
}

#[cfg(feature = "fmi")]
impl Outline {
    /// Of parts that are coupled with each other: there is no structure that they are parts of.
    pub(super) fn of_parts(coupled: &Coupled) -> Result<Self, BuildError> {
        let timing = coupled.timing();
        let none = || Matrix::zeros(0);
        let whole = Linear::new(none(), none(), none()).map_err(|error| {
            BuildError::new("cosimulation", error.to_string(), "name the parts")
        })?;
        Ok(Self {
            method: coupled.scheme().method().word().to_owned(),
            record: match coupled.ground() {
                Some(record) => Arc::clone(record),
                None => without_structure::no_ground_motion()?,
            },
            whole: Box::new(whole),
            interface: Vec::new(),
            timing,
            dt: timing.period,
            energy_error_dof: 0,
            notes: coupled.notes().to_vec(),
            targets: Targets::Coupled,
            described: None,
        })
    }
}

/// What gives the targets.
pub enum Targets {
    /// A time-stepping method, for the structure that the plan describes.
    Method,
    /// Another program, which has its own structure.
    External(Box<Driver>),
    /// An FMU that integrates by itself.
    SelfStepping {
        /// Whether the specimen's force stays as it is over a step of the FMU.
        holds_force: bool,
    },
    /// Motions of the interface that are known beforehand: actuators are characterised.
    Prescribed(Arc<characterise::Signals>),
    /// Nobody: parts are coupled with each other.
    Coupled,
}

/// A source of targets that waits for its rig.
pub trait TargetSource {
    /// Makes what gives the targets, for this rig. The test knows its linkage, its actuators and
    /// what is assumed of the specimen.
    ///
    /// # Errors
    /// [`BuildError`] where source and rig do not fit.
    fn connect(
        self: Box<Self>,
        plan: &Values,
        test: &mut Test,
        rig: Box<dyn Rig>,
    ) -> Result<Connected, BuildError>;
}

/// The upper half of the loop.
pub struct Connected {
    /// The rig, in a wrapper where the source needs one.
    pub rig: Box<dyn Rig>,
    /// What gives the targets.
    pub integrator: Box<dyn Integrator>,
    /// External load on the numerical substructure.
    pub loading: Arc<dyn Loading>,
}

impl Connected {
    /// Of a source that has a structure of its own, of which the loop sees the interface only.
    pub(super) fn without_structure(
        test: &Test,
        interface: Linear,
        rig: Box<dyn Rig>,
        make: impl FnOnce(Problem) -> Result<Box<dyn Integrator>, BuildError>,
    ) -> Result<Self, BuildError> {
        let loading = Arc::new(test.loading(&interface));
        let integrator = make(test.problem(Box::new(interface), rig.as_ref()))?;
        Ok(Self {
            rig,
            integrator,
            loading,
        })
    }
}

/// What stands in for a time-stepping method where nothing is stepped here.
pub static STAND_INS: &[&Entry<integrator::Build>] = &[
    #[cfg(feature = "link")]
    &driven::METHOD,
    #[cfg(feature = "fmi")]
    &co_simulation::METHOD,
    &characterise::METHOD,
];

/// The time-stepping methods.
pub fn steppers(registry: &Registry) -> impl Iterator<Item = &'static Entry<integrator::Build>> {
    let stands_in = |name: &str| STAND_INS.iter().any(|entry| entry.method.name == name);
    let entries = registry.entries(&integrator::SLOT);
    entries.filter(move |entry| !stands_in(entry.method.name))
}

/// What a plan is read into.
pub(super) type Read = (Outline, Box<dyn TargetSource>);

/// Who gives the targets of this plan.
pub(super) fn read(plan: &Values, registry: &Registry) -> Result<Read, Vec<BuildError>> {
    let one = |error| vec![error];
    #[cfg(feature = "link")]
    if driven::selected_by(plan) {
        return driven::read(plan, registry).map_err(one);
    }
    #[cfg(feature = "fmi")]
    if self_stepping::selected_by(plan) {
        return self_stepping::read(plan, registry).map_err(one);
    }
    if characterise::selected_by(plan) {
        return characterise::read(plan, registry).map_err(one);
    }
    modelled::read(plan, registry)
}
