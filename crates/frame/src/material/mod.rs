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

pub use bilinear::{Bilinear, BilinearState};
pub use block::{FibreBlock, LawBlock, PointBlock};
pub use bouc_wen::{BoucWen, BoucWenState};
pub use bouc_wen_rate::{BoucWenRate, BoucWenRateState};
pub use catalogue::{Build, FIBRE, HINGE, SECTION_FORCE, SECTION_MOMENT, SPRING, build, material};
pub use choice::{Material, MaterialPoint};
pub use concrete01::{Concrete01, Concrete01State};
pub use concrete02::{Concrete02, Concrete02State, Crushing};
pub use damper::Damper;
pub use elastic::Elastic;
pub use error::MaterialError;
pub use gap::{Gap, GapState};
pub use hysteretic::{Hysteretic, HystereticState};
pub use initial_strain::{InitialStrain, InitialStrainPoint};
pub use law::{Drive, Law, Response};
pub use maxwell::{Maxwell, MaxwellState};
pub use min_max::{MinMax, MinMaxPoint};
pub use parallel::{Parallel, ParallelPoint};
pub use plan::{
    ForceDisplacement, ForceStrain, Measure, MomentCurvature, MomentRotation, StressStrain,
};
pub use plastic::{ElasticPlastic, ElasticPlasticState};
pub use point::{Memoryless, Point};
pub use series::{Series, SeriesPoint};
pub use steel01::{Steel01, Steel01State};
pub use steel02::{Steel02, Steel02State};
pub use steel02_block::{LANES, Steel02Block};
pub use viscous::Viscous;
