//! `reference.h5`: the undivided structure, one row a step.

use std::path::Path;

use tandem_coordinator::ReferenceRun;
use tandem_coordinator::channels::{
    GROUND_ACCELERATION, RESPONSE_ACCELERATION, RESPONSE_DISPLACEMENT, RESPONSE_VELOCITY,
};
use tandem_coordinator::recorder::{CHUNK_ROWS, Channel, Header, RowBlock, RunWriter};
use tandem_structure::Structure;

use super::RunError;
use crate::assemble::Outline;

pub(super) fn write_reference(
    path: &Path,
    outline: &Outline,
    reference: &ReferenceRun,
    header: &Header,
) -> Result<(), RunError> {
    let ground = GROUND_ACCELERATION;
    let mut channels = vec![Channel::new(
        ground.name,
        ground.unit,
        ground.role,
        ground.meaning,
    )];
    let whole = outline.whole.properties();
    for (of, name) in [
        (RESPONSE_DISPLACEMENT, "displacement"),
        (RESPONSE_VELOCITY, "velocity"),
        (RESPONSE_ACCELERATION, "acceleration"),
    ] {
        for i in 0..reference.dof {
            let text = format!(
                "{name} of {} of the undivided structure, relative to the ground.",
                whole.label(i)
            );
            let unit = whole.unit_at(i, of.unit);
            channels.push(Channel::new(of.of(i + 1), unit, of.role, text));
        }
    }
    let header = Header {
        rate_hz: 1.0 / outline.dt,
        ..header.clone()
    };
    let mut writer = RunWriter::create(path, &channels, &header)?;
    let mut block = RowBlock::new(channels.len(), CHUNK_ROWS);
    let mut row = vec![0.0; channels.len()];
    let n = reference.dof.max(1);
    let histories = reference
        .displacement
        .chunks_exact(n)
        .zip(reference.velocity.chunks_exact(n))
        .zip(reference.acceleration.chunks_exact(n));
    for (k, ((d, v), a)) in histories.enumerate() {
        let time = k as f64 * outline.dt;
        row[0] = outline.record.at(time);
        row[1..=n].copy_from_slice(d);
        row[1 + n..=2 * n].copy_from_slice(v);
        row[1 + 2 * n..].copy_from_slice(a);
        if block.push(time, &row) {
            writer.append(&mut block)?;
        }
    }
    writer.append(&mut block)?;
    writer.finish()?;
    Ok(())
}
