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
pub use substructure::Substructure;

use super::block::Refused;

/// Refuses a step of another size; steps are counted by the caller's clock, so a little round-off is allowed.
fn same_step(size: f64, wanted: f64) -> Result<(), Refused> {
    if (size - wanted).abs() > 1e-9 * wanted {
        return Err(Refused::Step(format!(
            "a step of {size} s was asked for; it is made for {wanted} s"
        )));
    }
    Ok(())
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
