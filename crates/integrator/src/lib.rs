//! Time-stepping methods for hybrid simulation.
//!
//! An integrator is *asked* for its next target and *given* the specimen's answer; it never calls the rig. That keeps
//! it pure, and lets virtual, real-time and outside callers share it.
//!
//! ```text
//!           target(): interface displacement, velocity, acceleration
//! integrator ───────────────────────────────────────────────────────▶ caller: command, rig, specimen
//!            ◀───────────────────────────────────────────────────────
//!           feed(measured displacement and force, loading) → step complete?
//! ```
//!
//! Every method is one file with the same parts in the same order: what the plan writes, how it is built, its
//! equations, tests. A new one is one file and one line in [`METHODS`]. Families share a file: `splitting` (osm, alpha-os,
//! generalised-alpha-os), `implicit` with `iteration` (newmark-iterated, hht, generalised-alpha), `kr_alpha` (kr-alpha, mkr-alpha); their
//! parameters stand in `weights`. `tangent` estimates a stiffness on the run, for osm-us. `amplification` takes a method's
//! accuracy and stability from its own steps, `sub_cycling` lets any of them take several steps within one of the test, `error_growth` what becomes of errors of the imposed displacement.
//!
//! Weighted methods average *forces* of both ends of a step, so the specimen is always asked at a displacement that is
//! part of the answer.

mod alpha_os;
mod amplification;
mod central_difference;
mod chang;
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

use tandem_quantity::{
    BuildError, Dimension, Entry, Guest, Motion, Range, Slot, Snapshot, Values, settings,
};

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
    /// Where the specimen really was, m: what an estimate of its stiffness is made from.
    pub displacement: &'a [f64],
    /// Restoring force, N, positive when it resists a positive displacement.
    pub force: &'a [f64],
}

impl Answer<'_> {
    /// The answer of an all-numerical structure: nobody was asked.
    pub const NONE: Self = Self {
        displacement: &[],
        force: &[],
    };
}

/// A stiffness estimated on the run, at the interface degrees of freedom (or at all, without a specimen).
#[derive(Clone, Copy, Debug)]
pub struct Tangent<'a> {
    /// The estimate by rows, N/m.
    pub stiffness: &'a [f64],
    /// How much of the next increment of force the estimate foretold, on the average of the last few: 1 is all, 0 nothing.
    pub confidence: f64,
}

/// Whether a driver has its next target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It is there.
    Ready,
    /// The peer has not sent it yet.
    NotYet,
    /// It is there, and is kept back until the clock of the test has gone on: a rehearsed delay, for which no clock waits.
    KeptBack,
    /// The peer has ended the test in good order: there will be no other.
    Finished,
    /// The peer is gone.
    Lost,
}

/// A time-stepping method with its numerical substructure.
pub trait Integrator: Snapshot + Send {
    /// The motion at which the specimen is to be asked next, at the interface degrees of freedom.
    fn target(&self) -> &Motion;

    /// The method that this one stands around; none: it stands for itself. What is not said below is what that one says.
    #[inline]
    fn around(&self) -> Option<&dyn Integrator> {
        None
    }

    /// Where in the coming step this target stands: 1 is its end. Zero: the target is the motion of *this* instant
    /// (the method does not look ahead).
    fn reach(&self) -> f64 {
        self.around().map_or(1.0, Integrator::reach)
    }

    /// Whether [`Integrator::target`] holds the next target already. Our own methods always have it; an outside driver has it when
    /// its peer has sent it: early, late or never. Asked after [`Integrator::feed`] and then once a tick until it is ready, as it stays until then; it is where an
    /// outside driver looks into its mailbox, so it is bounded in time and never blocks.
    #[inline]
    fn poll(&mut self) -> Readiness {
        Readiness::Ready
    }

    /// Like [`Integrator::poll`], but may sleep up to `at_most` for the target. Only who runs in stepped time calls this, between
    /// two ticks: there the clock waits for the driver.
    fn wait(&mut self, at_most: std::time::Duration) -> Readiness {
        let _ = at_most;
        self.poll()
    }

    /// Why an outside driver is [`Readiness::Lost`], in words for the operator; none while it is not, or where nobody knows.
    fn trouble(&self) -> Option<&str> {
        self.around()?.trouble()
    }

    /// Whether a step has been completed since this was last asked, other than by [`Integrator::feed`] itself: elsewhere, while time went on.
    #[inline]
    fn completed(&mut self) -> bool {
        false
    }

    /// What an outside driver calls the time, s: of the last step it has accepted, which is [`Integrator::response`], and of its target; not a number where it has
    /// not said it. None: there is no such driver, or its protocol carries no time. Recorded where it is there.
    #[inline]
    fn driver_times(&self) -> Option<[f64; 2]> {
        self.around()?.driver_times()
    }

    /// Whether the method works elsewhere while the loop goes on. In which ticks it did is recorded then.
    fn is_apart(&self) -> bool {
        false
    }

    /// Whether the targets come from another program. What it asked for is recorded then: nobody can compute it again.
    fn is_outside(&self) -> bool {
        self.around().is_some_and(Integrator::is_outside)
    }

    /// The test is over: whoever works elsewhere may end.
    fn let_go(&mut self) {}

    /// Whether a structure is stepped here, so that it may be worth a thread of its own.
    fn computes(&self) -> bool {
        true
    }

    /// Whether this question must be answered before time goes on (only an instantaneous rig can).
    fn needs_instant_answer(&self) -> bool {
        self.around().is_some_and(Integrator::needs_instant_answer)
    }

    /// Takes the specimen's answer to the last target. Returns whether a step is complete,
    /// so that [`Integrator::response`] has moved on.
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool;

    /// Motion of all degrees of freedom of the numerical substructure at the last completed step.
    fn response(&self) -> &Motion;

    /// The numerical substructure.
    fn problem(&self) -> &Problem;

    /// Whoever outside of the loop computes the structure, if somebody does.
    #[inline]
    fn guest(&self) -> Option<&dyn Guest> {
        match self.around() {
            Some(inner) => inner.guest(),
            None => self.problem().structure.guest(),
        }
    }

    /// Step of structural time from one completed step to the next, s.
    fn dt(&self) -> f64 {
        match self.around() {
            Some(inner) => inner.dt(),
            None => self.problem().dt,
        }
    }

    /// The numerical substructure itself, for what moves it from outside between steps.
    fn structure_mut(&mut self) -> &mut dyn tandem_structure::Structure;

    /// Largest stable step of structural time, s; none where the method is stable for any step.
    fn critical_dt(&self) -> Option<f64>;

    /// How many steps are complete.
    fn steps(&self) -> u64;

    /// Whether the structure is evaluated at motions within a step, not only at its end.
    fn works_within_steps(&self) -> bool {
        self.around().is_some_and(Integrator::works_within_steps)
    }

    /// Whether the specimen's force of a step's beginning acts over the whole step: half a step of lag, which does work of its own.
    fn holds_force(&self) -> bool {
        self.around().is_some_and(Integrator::holds_force)
    }

    /// How many times the specimen is asked in a step, when its rig takes part of the step to get to each question.
    /// A step must have at least as many ticks.
    fn questions(&self) -> usize {
        self.around().map_or(1, Integrator::questions)
    }

    /// The specimen's stiffness as the method estimates it; none where it does not.
    fn tangent(&self) -> Option<Tangent<'_>> {
        self.around()?.tangent()
    }

    /// Writes what the last step assumed of the forces at the interface beyond what was asked: K (d − d̃) of both substructures, N,
    /// where d̃ is the displacement at which they were asked. The forces that were asked are out of balance by that much.
    /// False where a method asks at its answer.
    fn unbalanced(&self, force: &mut [f64]) -> bool {
        self.around().is_some_and(|inner| inner.unbalanced(force))
    }

    /// Steps that ended before an iteration within them had settled.
    fn unsettled(&self) -> u64 {
        self.around().map_or(0, Integrator::unsettled)
    }

    /// Begins again at time zero with this motion of all degrees of freedom, instead of rest. What the method remembers
    /// of a step before is made up to fit: forces from the structure, the specimen's from its linear description.
    ///
    /// # Panics
    /// When the motion has not the number of degrees of freedom of the structure.
    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading);
}

/// How a method is made: from its table, the problem and the loading at the start.
pub type Build = fn(&Values, Problem, &dyn Loading) -> Result<Box<dyn Integrator>, BuildError>;

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
pub static SLOT: Slot = Slot {
    selector: "method",
    default: None,
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};
