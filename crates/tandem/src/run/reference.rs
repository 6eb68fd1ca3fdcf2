//! `reference.h5`: the undivided structure, one row a step.

use std::path::Path;

use tandem_coordinator::ReferenceRun;
use tandem_coordinator::recorder::{Block, CHUNK_ROWS, Channel, Header, Role, RunWriter};
use tandem_structure::Structure;

use super::RunError;
use crate::assemble::Test;

pub(super) fn write_reference(
    path: &Path,
    test: &Test,
    reference: &ReferenceRun,
    header: &Header,
) -> Result<(), RunError> {
    let mut channels = vec![Channel::new(
        "ground_acceleration",
        "m/s^2",
        Role::Excitation,
        "Ground acceleration.",
    )];
    for (name, unit) in [
        ("displacement", "m"),
        ("velocity", "m/s"),
        ("acceleration", "m/s^2"),
    ] {
        for i in 0..reference.dof {
            let text = format!(
                "{name} of {} of the undivided structure, relative to the ground.",
                test.whole.properties().label(i)
            );
            channels.push(Channel::new(
                format!("response_{name}/{}", i + 1),
                test.whole.properties().unit_at(i, unit),
                Role::Response,
                text,
            ));
        }
    }
    let header = Header {
        rate_hz: 1.0 / test.dt,
        ..header.clone()
    };
    let mut writer = RunWriter::create(path, &channels, &header)?;
    let mut block = Block::new(channels.len(), CHUNK_ROWS);
    let mut row = vec![0.0; channels.len()];
    let n = reference.dof.max(1);
    let histories = reference
        .displacement
        .chunks_exact(n)
        .zip(reference.velocity.chunks_exact(n))
        .zip(reference.acceleration.chunks_exact(n));
    for (k, ((d, v), a)) in histories.enumerate() {
        #[allow(clippy::cast_precision_loss)]
        let time = k as f64 * test.dt;
        row[0] = test.record.at(time);
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
