//! What the fuzz targets call: one function a protocol, from bytes to nothing.

use crate::labview::Controller;
use crate::openfresco::{Action, Conversation, Event, Protocol, VERSION, feedback, matrix};
use crate::{Served, SimpleSpecimen};

/// The first byte chooses protocol and degrees of freedom; the rest is what a peer sends.
pub fn openfresco(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let protocol = match first % 3 {
        0 => Protocol::Element,
        1 => Protocol::Simulink,
        _ => Protocol::Actor { version: VERSION },
    };
    let dof = 1 + usize::from(first / 3 % 6);
    let Ok(mut specimen) = SimpleSpecimen::springs(500.0, dof) else {
        return;
    };
    let mut peer = Conversation::new(protocol, dof);
    let mut answer = Vec::new();
    for part in rest.chunks(4096) {
        if peer.push(part).is_err() {
            return;
        }
        while let Ok(Some(event)) = peer.next_event() {
            let Some(sizes) = peer.sizes().filter(|sizes| sizes.vector <= 4096) else {
                return;
            };
            answer.clear();
            match event {
                Event::Request(Action::Trial) if peer.trial().is_finite() => {
                    let _ = specimen.impose(peer.trial(), peer.time());
                }
                Event::Request(Action::Feedback) => {
                    feedback(sizes, specimen.measured(), peer.time(), &mut answer);
                    assert_eq!(answer.len(), 8 * sizes.vector);
                }
                Event::Request(Action::Matrix(which)) => {
                    let mut values = vec![0.0; dof * dof];
                    specimen.matrix(which, &mut values);
                    matrix(sizes, &values, dof, &mut answer);
                    assert_eq!(answer.len(), 8 * sizes.vector);
                }
                _ => {}
            }
        }
    }
}

/// The first byte gives the degrees of freedom; the rest are lines.
pub fn labview(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let Ok(mut specimen) = SimpleSpecimen::springs(500.0, 1 + usize::from(first % 12)) else {
        return;
    };
    let mut controller = Controller::new(specimen.dof());
    let mut answers = Vec::new();
    for line in rest.split(|byte| *byte == b'\n') {
        answers.clear();
        controller.answer(line, &mut specimen, &mut answers);
        assert!(answers.iter().all(|answer| answer.ends_with(b"\n")));
    }
}
