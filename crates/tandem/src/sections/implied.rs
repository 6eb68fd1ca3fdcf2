//! What some plans need not write: an external integrator has the structure, the ground motion and
//! the method; actuators that are characterised have none of them.

use tandem_plan::Draft;
use tandem_quantity::Registry;
use tandem_transfer::compensator;

/// Fills in the sections that follow from `[integration] driver` or from `[excitation] kind =
/// "characterise"`, and the controller of a plant that is known. What is written stays.
pub(super) fn imply_defaults(draft: &mut Draft<'_>) {
    if draft.has("integration", "driver") {
        draft.fill("integration", "method", "\"outside\"");
        draft.add("structure", "{ kind = \"outside\" }");
        draft.add(
            "excitation",
            "{ kind = \"none\", duration = \"1 s\", dt = \"10 ms\" }",
        );
    }
    // A plant that was identified: the controller that makes most of it (docs/benchmarks.md).
    if draft.has("compensator", "plant") {
        draft.fill("compensator", "method", "\"adaptive-inverse\"");
    }
    if draft.text("excitation", "kind") == Some("characterise") {
        draft.add("integration", "{ method = \"prescribed\" }");
        draft.fill("integration", "method", "\"prescribed\"");
        draft.add("structure", "{ kind = \"none\" }");
    }
}

/// The instant for which an adaptive compensator commands, by the method that is left when all is
/// said: an override may have changed it.
pub(super) fn imply_instant(draft: &mut Draft<'_>, registry: &Registry) {
    if gives_the_instant(draft, registry) {
        draft.fill("compensator", "ahead", "0");
    }
}

/// Whether the time-stepping method gives the motion of the instant, for which an adaptive
/// compensator must command (`ahead = 0`): Runge–Kutta does, unless a rig without transfer system
/// answers at every stage.
fn gives_the_instant(draft: &Draft<'_>, registry: &Registry) -> bool {
    let method = draft.text("compensator", compensator::SLOT.selector);
    let entry = method.and_then(|name| registry.entry(&compensator::SLOT, name));
    let keys = entry.map_or(&[][..], |entry| entry.method.parameters);
    draft.text("integration", "method") == Some("rk4")
        && draft.text("integration", "force") != Some("stages")
        && keys.iter().any(|parameter| parameter.key == "ahead")
}
