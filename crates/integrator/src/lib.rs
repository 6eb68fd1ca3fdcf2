#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! An integrator is *asked* for its next target and *given* the specimen's answer; it never calls
//! the rig. That keeps it pure, and lets virtual, real-time and outside callers share it.
//!
//! ```text
//!           target(): interface displacement, velocity, acceleration
//! integrator ───────────────────────────────────────────────────────▶ caller: command, rig, specimen
//!            ◀───────────────────────────────────────────────────────
//!           feed(measured displacement and force, loading) → step complete?
//! ```
//!
//! Every method is one file with the same parts in the same order: what the plan writes, how it is
//! built, its equations, tests. A new one is one file and one line in [`METHODS`]. Families share a
//! file: `splitting` (osm, alpha-os, generalised-alpha-os), `implicit` with `iteration`
//! (newmark-iterated, hht, generalised-alpha), `kr_alpha` (kr-alpha, mkr-alpha); their parameters
//! stand in `weights`. `tangent` estimates a stiffness on the run, for osm-us. `amplification`
//! takes a method's accuracy and stability from its own steps, `sub_cycling` lets any of them take
//! several steps within one of the test, `error_growth` what becomes of errors of the imposed
//! displacement.
//!
//! Weighted methods average *forces* of both ends of a step, so the specimen is always asked at a
//! displacement that is part of the answer.

mod alpha_os;
mod amplification;
mod central_difference;
mod chang;
pub mod conformance;
mod coupled;
mod cr;
mod error_growth;
mod exact;
mod generalised_alpha;
mod generalised_alpha_os;
mod hht;
mod implicit;
mod iteration;
mod kr_alpha;
mod loading;
mod massless;
mod mkr_alpha;
mod modified_predictor_corrector;
mod moving_supports;
mod newmark;
mod newmark_explicit;
mod newmark_iterated;
mod osm;
mod osm_us;
pub mod partitioned;
mod prescribed;
mod rk4;
mod rosenbrock;
mod splitting;
mod sub_cycling;
mod tangent;
mod weights;

pub use amplification::{Amplification, Spectral, amplification, spectral};
pub use coupled::Problem;
pub use error_growth::{ErrorGrowth, NOISE_STEPS, error_growth};
pub use loading::{GroundMotion, Loading, NoLoad};
pub use moving_supports::{MovingSupports, SupportMotion};
pub use prescribed::Prescribed;
pub use sub_cycling::{SubCycling, build};
pub use tangent::{Estimator, make as make_estimator};

use std::time::Duration;
use tandem_quantity::{
    BuildError, Dimension, Entry, ExternalModel, Range, Registry, SlotOf, Snapshot, Values,
    settings,
};
// Named by `forward_integrator!`.
#[doc(hidden)]
pub use tandem_quantity::Motion;
#[doc(hidden)]
pub use tandem_structure::Structure;

settings! {
    /// How a test is stepped: what every method has, before its own.
    pub struct Stepping {
        /// step of structural time
        pub dt: f64 = number(Dimension::TIME).positive(),
        /// λ: wall time over structural time; 1 is real time, 50 to 200 an ordinary pseudo-dynamic
        /// test
        pub time_scale: f64 = number(Dimension::NONE).or("1.0").within(Range::between(1e-3, 1e5)),
        /// structural time of the test; default: that of the excitation
        pub duration: Option<f64> = number(Dimension::TIME).positive(),
        /// In how many parts a step is taken.
        pub sub_cycling: SubCycling,
    }
}

/// The specimen's answer to a question, at the interface degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Where the specimen was when it had this force, m.
    pub displacement: &'a [f64],
    /// Restoring force, N, positive when it resists a positive displacement.
    pub force: &'a [f64],
    /// Displacement and force as they were measured, where the answer was moved to the target: an
    /// estimate of the stiffness that learned from moved pairs would learn from its own product.
    pub uncorrected: Option<(&'a [f64], &'a [f64])>,
}

impl<'a> Answer<'a> {
    /// The answer of an all-numerical structure: nobody was asked.
    pub const NONE: Self = Self::new(&[], &[]);

    /// What was measured.
    pub const fn new(displacement: &'a [f64], force: &'a [f64]) -> Self {
        Self {
            displacement,
            force,
            uncorrected: None,
        }
    }

    /// What an estimate of the specimen's stiffness is made from: displacement and force.
    pub fn measured(&self) -> (&'a [f64], &'a [f64]) {
        self.uncorrected.unwrap_or((self.displacement, self.force))
    }
}

/// A stiffness estimated on the run, at the interface degrees of freedom (or at all, without a
/// specimen).
#[derive(Clone, Copy, Debug)]
pub struct Tangent<'a> {
    /// The estimate by rows, N/m.
    pub stiffness: &'a [f64],
    /// How much of the next increment of force the estimate foretold, on the average of the last
    /// few: 1 is all, 0 nothing.
    pub confidence: f64,
}

/// Whether an integrator has its next target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It is there.
    Ready,
    /// The peer has not sent it yet.
    NotYet,
    /// It is there, and is kept back until the clock of the test has gone on: a rehearsed delay,
    /// for which no clock waits.
    Delayed,
    /// The peer has ended the test in good order: there will be no other.
    Finished,
    /// The peer is gone.
    Lost,
}

/// What never changes of an integrator once it has been put together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegratorProperties {
    /// Step of structural time from one completed step to the next, s.
    pub dt: f64,
    /// Largest stable step of structural time, s; none where the method is stable for any step.
    pub critical_dt: Option<f64>,
    /// How many times the specimen is asked in a step, when its rig takes part of the step to get
    /// to each question. A step must have at least as many ticks.
    pub evaluations_per_step: usize,
    /// Targets stand within the coming step; false: each is the motion of *this* instant.
    pub looks_ahead: bool,
    /// Some questions must be answered before time goes on
    /// ([`IntegratorView::needs_instant_answer`]).
    pub needs_instant_answers: bool,
    /// The structure is evaluated at motions within a step, not only at its end.
    pub works_within_steps: bool,
    /// The specimen's force of a step's beginning acts over the whole step: half a step of lag,
    /// which does work of its own.
    pub holds_force: bool,
    /// A structure is stepped here, so that it may be worth a thread of its own.
    pub computes: bool,
    /// The targets come from another program. What it asked for is recorded then: nobody can
    /// compute it again.
    pub is_external: bool,
    /// The method works elsewhere while the loop goes on. In which ticks it did is recorded then.
    pub is_threaded: bool,
}

impl IntegratorProperties {
    /// A method of our own that asks once a step, at its end, and is stable for any step.
    pub fn of(dt: f64) -> Self {
        Self {
            dt,
            critical_dt: None,
            evaluations_per_step: 1,
            looks_ahead: true,
            needs_instant_answers: false,
            works_within_steps: false,
            holds_force: false,
            computes: true,
            is_external: false,
            is_threaded: false,
        }
    }
}

/// What is seen of an integrator besides its motion; nothing, where nothing is said.
pub trait IntegratorView {
    /// Where in the coming step the target stands: 1 is its end. Zero: the target is the motion of
    /// *this* instant (the method does not look ahead).
    #[inline]
    fn target_fraction(&self) -> f64 {
        1.0
    }

    /// Whether this question must be answered before time goes on (only an instantaneous rig can).
    #[inline]
    fn needs_instant_answer(&self) -> bool {
        false
    }

    /// The specimen's stiffness as the method estimates it; none where it does not.
    fn tangent(&self) -> Option<Tangent<'_>> {
        None
    }

    /// Writes what the last step assumed of the forces at the interface beyond what was asked:
    /// K (d − d̃) of both substructures, N, where d̃ is the displacement at which they were asked.
    /// The forces that were asked are out of balance by that much. False where a method asks at its
    /// answer.
    fn splitting_residual(&self, _force: &mut [f64]) -> bool {
        false
    }

    /// Steps that ended before an iteration within them had settled.
    fn unsettled(&self) -> u64 {
        0
    }

    /// What an external integrator calls the time, s: of the last step it has accepted, which is
    /// [`Integrator::response`], and of its target; not a number where it has not said it. None:
    /// there is no such program, or its protocol carries no time. Recorded where it is there.
    fn driver_times(&self) -> Option<[f64; 2]> {
        None
    }

    /// Why the integrator is [`Readiness::Lost`], in words for the operator; none while it is not,
    /// or where nobody knows.
    fn fault_message(&self) -> Option<&str> {
        None
    }

    /// Whoever outside of the loop computes the motion, if somebody does.
    fn external(&self) -> Option<&dyn ExternalModel> {
        None
    }
}

/// Nothing is seen.
impl IntegratorView for () {}

/// A time-stepping method with its numerical substructure.
pub trait Integrator: Snapshot + Send {
    /// What never changes.
    fn properties(&self) -> &IntegratorProperties;

    /// The motion at which the specimen is to be asked next, at the interface degrees of freedom.
    fn target(&self) -> &Motion;

    /// Whether [`Integrator::target`] holds the next target already. Our own methods always have
    /// it; an external integrator has it when its peer has sent it: early, late or never. Asked
    /// after [`Integrator::feed`] and then once a tick until it is ready, as it stays until then;
    /// it is where an external integrator looks into its mailbox. It may sleep up to `at_most` for
    /// the target, and never blocks where that is zero, as it is within a tick: only who runs in
    /// stepped time gives more, between two ticks.
    #[inline]
    fn poll(&mut self, _at_most: Duration) -> Readiness {
        Readiness::Ready
    }

    /// Takes the specimen's answer to the last target. Returns whether a step is complete, so that
    /// [`Integrator::response`] has moved on. Where steps are completed elsewhere,
    /// [`Integrator::steps`] tells after a [`Integrator::poll`].
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool;

    /// Motion of all degrees of freedom of the numerical substructure at the last completed step.
    fn response(&self) -> &Motion;

    /// How many steps are complete.
    fn steps(&self) -> u64;

    /// The numerical substructure.
    fn problem(&self) -> &Problem;

    /// The numerical substructure itself, for what moves it from outside between steps.
    fn structure_mut(&mut self) -> &mut dyn Structure;

    /// Begins again at time zero with this motion of all degrees of freedom, instead of rest. What
    /// the method remembers of a step before is made up to fit: forces from the structure, the
    /// specimen's from its linear description.
    ///
    /// # Panics
    /// When the motion has not the number of degrees of freedom of the structure.
    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading);

    /// What else is seen of it.
    #[inline]
    fn observe(&self) -> &dyn IntegratorView {
        &()
    }
}

impl dyn Integrator + '_ {
    /// Whoever outside of the loop computes the motion or the structure, if somebody does.
    pub fn external(&self) -> Option<&dyn ExternalModel> {
        let structure = || self.problem().structure.external();
        self.observe().external().or_else(structure)
    }
}

/// Methods of [`Integrator`] as the integrator in a field has them: for those who stand around
/// another.
///
/// ```
/// # use tandem_integrator::{Answer, Integrator, Loading, forward_integrator};
/// # use tandem_quantity::snapshot;
/// struct Counted {
///     inner: Box<dyn Integrator>,
///     answers: u64,
/// }
/// snapshot!(Counted { inner, answers });
///
/// impl Integrator for Counted {
///     forward_integrator!(inner: properties, target, poll, response, steps, problem);
///     forward_integrator!(inner: structure_mut, start_from, observe);
///
///     fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
///         self.answers += 1;
///         self.inner.feed(answer, loading)
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_integrator {
    ($inner:tt: $($method:ident),+) => {
        $($crate::forward_integrator!(@$method $inner);)+
    };
    (@properties $inner:tt) => {
        #[inline]
        fn properties(&self) -> &$crate::IntegratorProperties {
            self.$inner.properties()
        }
    };
    (@target $inner:tt) => {
        #[inline]
        fn target(&self) -> &$crate::Motion {
            self.$inner.target()
        }
    };
    (@poll $inner:tt) => {
        #[inline]
        fn poll(&mut self, at_most: std::time::Duration) -> $crate::Readiness {
            self.$inner.poll(at_most)
        }
    };
    (@feed $inner:tt) => {
        #[inline]
        fn feed(&mut self, answer: $crate::Answer<'_>, loading: &dyn $crate::Loading) -> bool {
            self.$inner.feed(answer, loading)
        }
    };
    (@response $inner:tt) => {
        #[inline]
        fn response(&self) -> &$crate::Motion {
            self.$inner.response()
        }
    };
    (@steps $inner:tt) => {
        #[inline]
        fn steps(&self) -> u64 {
            self.$inner.steps()
        }
    };
    (@problem $inner:tt) => {
        fn problem(&self) -> &$crate::Problem {
            self.$inner.problem()
        }
    };
    (@structure_mut $inner:tt) => {
        fn structure_mut(&mut self) -> &mut dyn $crate::Structure {
            self.$inner.structure_mut()
        }
    };
    (@start_from $inner:tt) => {
        fn start_from(&mut self, motion: &$crate::Motion, loading: &dyn $crate::Loading) {
            self.$inner.start_from(motion, loading);
        }
    };
    (@observe $inner:tt) => {
        #[inline]
        fn observe(&self) -> &dyn $crate::IntegratorView {
            self.$inner.observe()
        }
    };
}

/// Methods of [`Integrator`] that hand out what stands in fields: `properties`, `target`,
/// `problem`, `steps`, and the response in the one that is named.
#[macro_export]
macro_rules! integrator_fields {
    ($response:ident) => {
        #[inline]
        fn properties(&self) -> &$crate::IntegratorProperties {
            &self.properties
        }
        #[inline]
        fn target(&self) -> &$crate::Motion {
            &self.target
        }
        #[inline]
        fn response(&self) -> &$crate::Motion {
            &self.$response
        }
        #[inline]
        fn steps(&self) -> u64 {
            self.steps
        }
        fn problem(&self) -> &$crate::Problem {
            &self.problem
        }
        fn structure_mut(&mut self) -> &mut dyn $crate::Structure {
            self.problem.structure.as_mut()
        }
    };
}

/// What a method must know besides its table and its problem.
#[derive(Clone, Copy)]
pub struct IntegratorContext<'a> {
    /// The loading at the start.
    pub loading: &'a dyn Loading,
    /// Where it finds parts of its own.
    pub registry: &'a Registry,
}

impl<'a> IntegratorContext<'a> {
    /// No methods but those that slots bring along.
    #[must_use]
    pub const fn of(loading: &'a dyn Loading) -> Self {
        Self {
            loading,
            registry: Registry::bare(),
        }
    }
}

/// What makes a method.
pub trait Make:
    Fn(&Values, Problem, &IntegratorContext<'_>) -> Result<Box<dyn Integrator>, BuildError>
{
}

impl<F> Make for F where
    F: Fn(&Values, Problem, &IntegratorContext<'_>) -> Result<Box<dyn Integrator>, BuildError>
{
}

/// How a method is made: from its table and the problem.
pub type Build = &'static (dyn Make + Sync);

/// How what stands in for a method is made where nothing is stepped here: by whoever puts the test
/// together, and never as a part of it.
///
/// # Errors
/// Always.
pub fn not_stepped(
    _: &Values,
    _: Problem,
    _: &IntegratorContext<'_>,
) -> Result<Box<dyn Integrator>, BuildError> {
    Err(BuildError::new(
        "method",
        "nothing is stepped with this method",
        "take a time-stepping method, see `tandem methods`",
    ))
}

/// All methods. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    newmark_explicit::ENTRY,
    newmark::ENTRY,
    central_difference::ENTRY,
    modified_predictor_corrector::ENTRY,
    rk4::ENTRY,
    osm::ENTRY,
    alpha_os::ENTRY,
    generalised_alpha_os::ENTRY,
    osm_us::ENTRY,
    newmark_iterated::ENTRY,
    hht::ENTRY,
    generalised_alpha::ENTRY,
    cr::ENTRY,
    kr_alpha::ENTRY,
    mkr_alpha::ENTRY,
    chang::ENTRY,
    rosenbrock::ENTRY,
    exact::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("time-stepping method", "method", None, || METHODS);
