//! Answers as they go on the wire.

use super::record::Sizes;
use tandem_transfer::rig::Measured;

fn kinds<'a>(sizes: &Sizes, measured: &'a Measured) -> [(usize, &'a [f64]); 4] {
    let (counts, motion) = (&sizes.feedback, &measured.motion);
    [
        (counts.displacement, &motion.displacement),
        (counts.velocity, &motion.velocity),
        (counts.acceleration, &motion.acceleration),
        (counts.force, &measured.force),
    ]
}

fn append(sizes: &Sizes, measured: &Measured, time: f64, into: &mut Vec<u8>) {
    for (count, values) in kinds(sizes, measured) {
        let known = values.iter().copied().chain(std::iter::repeat(0.0));
        known
            .take(count)
            .for_each(|x| sizes.order.put_double(x, into));
    }
    (0..sizes.feedback.time).for_each(|_| sizes.order.put_double(time, into));
}

/// Measured motion, force and time, as far as the sizes ask for them; `measured` holds the
/// session's own degrees of freedom.
#[inline]
pub fn feedback(sizes: &Sizes, measured: &Measured, time: f64, into: &mut Vec<u8>) {
    let end = into.len() + 8 * sizes.vector;
    append(sizes, measured, time, into);
    into.resize(end, 0);
}

/// The other direction: what a peer's answer says of the measurement. What the answer lacks is no
/// number.
pub fn read_feedback(sizes: &Sizes, bytes: &[u8], measured: &mut Measured) {
    let counts = &sizes.feedback;
    let mut at = 0;
    for (count, values) in [
        (counts.displacement, &mut measured.motion.displacement),
        (counts.velocity, &mut measured.motion.velocity),
        (counts.acceleration, &mut measured.motion.acceleration),
        (counts.force, &mut measured.force),
    ] {
        for (i, value) in values.iter_mut().take(count).enumerate() {
            *value = sizes.order.double(bytes, at + i).unwrap_or(f64::NAN);
        }
        at += count;
    }
}

/// A square matrix given by rows: it travels column by column. What does not fit the vector is left
/// out.
pub fn matrix(sizes: &Sizes, by_rows: &[f64], dof: usize, into: &mut Vec<u8>) {
    let end = into.len() + 8 * sizes.vector;
    let columns = (0..dof).flat_map(|j| (0..dof).map(move |i| i * dof + j));
    for x in columns.filter_map(|at| by_rows.get(at)).take(sizes.vector) {
        sizes.order.put_double(*x, into);
    }
    into.resize(end, 0);
}

/// The answer of a Simulink controller: a flag, then (for a measurement) the signals and the
/// controller's time.
pub fn simulink(sizes: &Sizes, flag: f64, measured: Option<(&Measured, f64)>, into: &mut Vec<u8>) {
    let end = into.len() + 8 * sizes.vector;
    sizes.order.put_double(flag, into);
    if let Some((measured, time)) = measured {
        append(sizes, measured, time, into);
        if sizes.feedback.time == 0 {
            sizes.order.put_double(time, into);
        }
    }
    into.resize(end, 0);
}
