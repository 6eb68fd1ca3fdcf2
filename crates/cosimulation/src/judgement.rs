//! Whether a co-simulation can be relied on.

use super::table::{Gap, Table};

/// Velocities agree to round-off however large they are. A coupling that has run away is known by
/// the undivided structure, or by a gap of the displacements that should be
/// Δt² (β₁ − β₂)(a − a₀), a small part of the motion.
fn astray(table: &Table, gap: &Gap) -> Option<&'static str> {
    if gap
        .from_undivided_percent
        .is_some_and(|percent| percent > 100.0)
    {
        return Some("the parts are further from the undivided structure than that ever moves");
    }
    let moves = table.shared().iter().flatten().fold(0.0_f64, |most, tied| {
        let u = table.values(tied.u);
        u.iter().fold(most, |most, x| most.max(x.abs()))
    });
    (gap.displacement > 0.5 * moves).then_some("the parts are as far from each other as they move")
}

/// Why a run that came to its end cannot be relied on, and what stopped it from being so.
/// `gap`: of parts that meet at an interface.
pub fn fault(table: &Table, gap: Option<&Gap>) -> Option<(String, &'static str)> {
    if let Some((name, time)) = table.first_that_is_no_number() {
        let reason = format!(
            "The run is of no use: `{name}` is no finite number from t = {time} s on. An explicit \
             part (beta = 0) may need a shorter step."
        );
        return Some((reason, "not_finite"));
    }
    let gap = gap?;
    let reason = match astray(table, gap) {
        Some(distance) => format!(
            "The run is of no use: {distance}. The step is too long, or an explicit part \
             (beta = 0) does not bear it."
        ),
        None if gap.velocity <= gap.velocity_tolerance => return None,
        None => "The parts do not move as one: their velocities differ at the interface.".into(),
    };
    Some((reason, "gap"))
}
