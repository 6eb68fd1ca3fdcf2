//! The blocks: one file for each kind of part.

mod compensator;
mod coupling;
mod monitor;
mod rig;
mod servo;
mod substructure;

pub use compensator::Compensation;
pub use coupling::Coupling;
pub use monitor::Monitors;
pub use rig::RigBlock;
pub use servo::ServoBlock;
pub use substructure::{Make, Substructure};

/// A part of a coupling, if its numbers fit together.
pub fn tied(size: usize, rows: &[usize], map: &[usize]) -> Option<coupling::Tied> {
    let fits = rows.len() == map.len() && rows.iter().all(|row| *row < size) && size < 1 << 16;
    fits.then(|| coupling::Tied {
        size,
        rows: rows.to_vec(),
        map: map.to_vec(),
    })
}
