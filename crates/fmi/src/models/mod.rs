//! What exported FMUs compute, free of any interface: one file for each kind of part.

mod compensator;
mod coupling;
mod model;
mod monitor;
mod rig;
mod servo;
mod substructure;

use serde::{Deserialize, Serialize};

pub use compensator::Compensation;
pub use coupling::Coupling;
pub use model::{FmuModel, Phase, Refused, Role, Unit, Variable, places};
pub use monitor::Monitors;
pub use rig::RigBlock;
pub use servo::ServoBlock;
pub use substructure::{Make, Substructure};

/// Which velocities travel between a substructure and the coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Those of all degrees of freedom.
    A,
    /// Those of the interface.
    B,
}

/// A part of a coupling, if its numbers fit together.
pub fn tied(size: usize, rows: &[usize], map: &[usize]) -> Option<coupling::Tied> {
    let fits = rows.len() == map.len() && rows.iter().all(|row| *row < size) && size < 1 << 16;
    fits.then(|| coupling::Tied {
        size,
        rows: rows.to_vec(),
        map: map.to_vec(),
    })
}
