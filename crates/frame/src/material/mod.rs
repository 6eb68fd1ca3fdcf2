//! Uniaxial materials: one file a law, each with parameters, a plain state and a trial.
//!
//! A [`Material`] is parameters; [`Material::point`] makes a [`MaterialPoint`] that carries a
//! committed and a trial state; a [`FibreBlock`] carries those of many fibres at once. A trial
//! always starts from the committed state.
//!
//! ```
//! use tandem_frame::material::{Drive, Material, Steel02};
//!
//! let steel = Material::from(Steel02::new(355e6, 210e9, 0.01)?.with_curve(20.0, 0.925, 0.15)?);
//! let mut point = steel.point();
//! let answer = point.trial(Drive::at(0.01));
//! assert!(answer.stress > 355e6 && answer.tangent < 0.02 * 210e9);
//! point.commit();
//! # Ok::<(), tandem_frame::material::MaterialError>(())
//! ```
//!
//! In a plan a material stands in one of three slots, by what strain and stress mean there:
//! [`FIBRE`] (strain, Pa), [`SPRING`] (m, N) or [`HINGE`] (rad, N m); [`build`] makes it from its
//! table.

mod bilinear;
mod block;
mod bouc_wen;
mod bouc_wen_rate;
mod catalogue;
mod choice;
mod concrete01;
mod concrete02;
mod damper;
mod elastic;
mod error;
mod gap;
mod hysteretic;
mod initial_strain;
mod law;
mod maxwell;
mod min_max;
mod parallel;
mod plan;
mod plastic;
mod point;
pub mod power;
mod series;
mod steel01;
mod steel02;
mod steel02_block;
mod steel02_branch;
mod viscous;

pub use block::{FibreBlock, LawBlock, PointBlock};
pub use catalogue::{Build, FIBRE, HINGE, SECTION_FORCE, SECTION_MOMENT, SPRING, build, material};
pub use choice::Uniaxial;
pub use concrete02::Crushing;
pub use error::MaterialError;
pub use law::{Drive, Law, Response};
pub use plan::{
    ForceDisplacement, ForceStrain, Measure, MomentCurvature, MomentRotation, StressStrain,
};
pub use point::{Memoryless, Point};
pub use steel02_block::{LANES, Steel02Block};

use crate::dispatch::closed;
use catalogue::entry;
use choice::materials;
use tandem_quantity::{Entry, Snapshot, SnapshotError, StateReader};

// A new material is one file and its line here.
materials! {
    anywhere {
        /// Linear elastic.
        elastic::Elastic,
        /// Elastic–perfectly plastic.
        plastic::ElasticPlastic,
        /// Bilinear with kinematic hardening.
        bilinear::Bilinear,
        /// Bilinear steel.
        steel01::Steel01,
        /// Menegotto–Pinto steel.
        steel02::Steel02,
        /// Bouc–Wen as a differential equation.
        bouc_wen_rate::BoucWenRate,
        /// Bouc–Wen in strain increments.
        bouc_wen::BoucWen,
        /// Trilinear backbone with pinching and damage.
        hysteretic::Hysteretic,
        /// Gap with yielding.
        gap::Gap,
        /// Power-law dashpot.
        viscous::Viscous,
        /// Spring and linear dashpot in series.
        maxwell::Maxwell,
        /// Spring and power-law dashpot in series.
        damper::Damper,
        /// One strain, stresses add up.
        parallel::Parallel,
        /// One stress, strains add up.
        series::Series,
        /// A strain from the start.
        initial_strain::InitialStrain,
        /// Fracture outside a range of strain.
        min_max::MinMax,
    }
    fibres {
        /// Concrete without tension.
        concrete01::Concrete01,
        /// Concrete with tension softening.
        concrete02::Concrete02,
    }
}
