//! What the fuzz targets of the wire call: one function a protocol, from bytes to nothing. The
//! first byte chooses the degrees of freedom, the rest is what a peer sends.

use crate::labview::{Controller, Point, axes, read_control_point};
use crate::openfresco::client::{agreed, probed};
use crate::openfresco::{
    Action, ByteOrder, Conversation, Counts, Event, Protocol, Sizes, VERSION, feedback, matrix,
    read_feedback, simulink,
};
use crate::{SimpleSpecimen, SpecimenService};
use tandem_transfer::rig::Measured;

/// What a fuzz target is: its name, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets of this crate.
pub const TARGETS: &[Target] = &[
    ("element", element),
    ("site", site),
    ("controller", controller),
    ("simulink", simulink_controller),
    ("adapter", adapter),
    ("labview", labview),
];

/// Element server: `genericClient` of OpenSees.
pub fn element(bytes: &[u8]) {
    let (dof, bytes) = dof_of(bytes);
    converse(Protocol::Element, dof, &[], bytes);
}

/// Site server and actor site: elements of OpenFresco made with `-server` (an odd first byte), and
/// shadow sites.
pub fn site(bytes: &[u8]) {
    let is_server = bytes.first().is_some_and(|first| first % 2 == 1);
    let (dof, bytes) = dof_of(bytes);
    if !is_server {
        return converse(Protocol::Actor { version: VERSION }, dof, &[], bytes);
    }
    let all = Counts {
        displacement: dof,
        velocity: dof,
        acceleration: dof,
        force: 0,
        time: 1,
    };
    let opening = Sizes {
        order: ByteOrder::Little,
        control: all,
        feedback: Counts { force: dof, ..all },
        vector: 4 * dof + 2,
    };
    converse(Protocol::Element, dof, &opening.encode(), bytes);
}

/// Generic controller: `expControl GenericTCP`, behind the opening that it sends.
pub fn controller(bytes: &[u8]) {
    let (dof, bytes) = dof_of(bytes);
    let mut opening = Sizes::adapter(dof);
    // As many as are needed, where OpenFresco pads to 256: a fuzzer gets to more requests.
    opening.vector = 2 * dof + 1;
    converse(Protocol::Element, dof, &opening.encode(), bytes);
}

/// Simulink controller: `expControl SimSimulink`.
pub fn simulink_controller(bytes: &[u8]) {
    let (dof, bytes) = dof_of(bytes);
    converse(Protocol::Simulink, dof, &[], bytes);
}

/// The other direction: what an `adapter` element, an actor site or an element server answers to
/// this side.
pub fn adapter(bytes: &[u8]) {
    let (dof, bytes) = dof_of(bytes);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let _ = probed(order, bytes);
        let _ = agreed(order, bytes, VERSION);
        let sizes = Sizes {
            order,
            ..Sizes::adapter(dof)
        };
        let mut measured = Measured::at_rest(dof);
        for answer in bytes.chunks(8 * sizes.vector) {
            read_feedback(&sizes, answer, &mut measured);
            let force = order.double(answer, dof).unwrap_or(f64::NAN);
            assert!(
                measured.force.first().map(|f| f.to_bits()) == Some(force.to_bits())
                    || force.is_nan()
            );
        }
    }
}

/// LabVIEW: lines of a client to the controller, and the same lines as a controller's answers to
/// this side.
pub fn labview(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let Ok(mut specimen) = SimpleSpecimen::springs(500.0, 1 + usize::from(first % 12)) else {
        return;
    };
    let mut controller = match first / 128 {
        0 => Controller::new(specimen.dof()),
        // Six axes at one control point, and the same at another.
        _ => Controller::with_points(
            ["MDL-00-01", "CPNode03"]
                .into_iter()
                .zip([specimen.dof().min(6), specimen.dof().saturating_sub(6)])
                .map(|(name, n)| Point {
                    name: name.to_owned(),
                    axes: axes(n),
                })
                .collect(),
        ),
    };
    let axes = axes(1 + usize::from(first % 6));
    let mut measured = Measured::at_rest(axes.len());
    let mut answers = Vec::new();
    for line in rest.split(|byte| *byte == b'\n') {
        answers.clear();
        controller.answer(line, &mut specimen, &mut answers);
        assert!(!answers.is_empty(), "a client would wait for ever");
        assert!(answers.iter().all(|answer| answer.ends_with(b"\n")));
        if read_control_point(&String::from_utf8_lossy(line), &axes, &mut measured).is_ok() {
            assert!(measured.force.iter().all(|f| f.is_finite()));
        }
    }
}

fn dof_of(bytes: &[u8]) -> (usize, &[u8]) {
    match bytes.split_first() {
        Some((first, rest)) => (1 + usize::from(first / 3 % 6), rest),
        None => (1, bytes),
    }
}

/// A peer's bytes, in pieces, behind an opening that makes sense.
fn converse(protocol: Protocol, dof: usize, opening: &[u8], bytes: &[u8]) {
    let Ok(mut specimen) = SimpleSpecimen::springs(500.0, dof) else {
        return;
    };
    let mut peer = Conversation::new(protocol, dof);
    let mut answer = Vec::new();
    for part in std::iter::once(opening).chain(bytes.chunks(4096)) {
        if peer.push(part).is_err() {
            return;
        }
        while let Ok(Some(event)) = peer.next_event() {
            // Larger ones are as good, and only slow.
            let Some(sizes) = peer.sizes().filter(|sizes| sizes.vector <= 4096) else {
                return;
            };
            answer.clear();
            match event {
                Event::Request(Action::Trial) if peer.trial().is_finite() => {
                    let _ = specimen.impose(peer.trial(), peer.time());
                }
                Event::Request(Action::Commit) => specimen.commit(peer.trial(), peer.time()),
                Event::Request(Action::Measurement | Action::Feedback)
                    if protocol == Protocol::Simulink =>
                {
                    let measured = Some((specimen.measured(), peer.time()));
                    simulink(sizes, 1.0, measured, &mut answer);
                }
                Event::Request(Action::Measurement | Action::Feedback) => {
                    feedback(sizes, specimen.measured(), peer.time(), &mut answer);
                }
                Event::Request(Action::Matrix(which)) => {
                    let mut values = vec![0.0; dof * dof];
                    specimen.matrix(which, &mut values);
                    matrix(sizes, &values, dof, &mut answer);
                }
                Event::Request(Action::CorrectionBegun | Action::PredictionBegun) => {
                    simulink(sizes, 1.0, None, &mut answer);
                }
                _ => {}
            }
            assert!(
                answer.is_empty() || answer.len() == 8 * sizes.vector,
                "an answer of {} bytes in a session of {} doubles",
                answer.len(),
                sizes.vector
            );
        }
    }
}
