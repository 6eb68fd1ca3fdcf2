//! An ideal virtual rig under an external integrator.

use super::mailbox::{ExchangeState, Mailbox, Rewind};
use std::sync::Arc;
use tandem_quantity::{StateReader, copy_few, snapshot};
use tandem_transfer::rig::{Released, Rig, forward_rig};

/// Tells the driver the tangent of its model, and lets the trials of one step all start from the
/// state that the driver has accepted, as a numerical element does. Only a model can do that: a
/// specimen in a laboratory goes through every trial.
pub struct TrialRestartRig {
    inner: Box<dyn Rig>,
    mailbox: Arc<Mailbox>,
    restarts: bool,
    /// On the way to another trial of the same step.
    back: bool,
    last: Vec<f64>,
    kept: Vec<f64>,
    tangent: Option<Vec<f64>>,
}

impl TrialRestartRig {
    /// Around a virtual rig. `restarts`: trials of one step start from the accepted state.
    pub fn new(inner: Box<dyn Rig>, mailbox: Arc<Mailbox>, restarts: bool) -> Self {
        let n = inner.properties().actuators;
        let mut tangent = vec![0.0; n * n];
        let tangent = inner.observe().tangent(&mut tangent).then_some(tangent);
        let mut kept = Vec::new();
        inner.save(&mut kept);
        Self {
            inner,
            mailbox,
            restarts,
            back: false,
            last: vec![f64::NAN; n],
            kept,
            tangent,
        }
    }
}

impl Rig for TrialRestartRig {
    forward_rig!(inner: properties, read, status, observe);

    fn write(&mut self, command: Released<'_>) {
        let order = self.mailbox.take_order();
        match order {
            Rewind::Keep if self.restarts => {
                self.kept.clear();
                self.inner.save(&mut self.kept);
                self.back = false;
            }
            Rewind::Back if self.restarts => self.back = true,
            _ => {}
        }
        // While the command stands, only time passes: the stiffness of a step is that of its
        // motion.
        let bits = |x: &f64| x.to_bits();
        let stands = self
            .last
            .iter()
            .map(bits)
            .eq(command.displacement.iter().map(bits));
        let moves = order != Rewind::Nothing || !stands;
        copy_few(&mut self.last, &command.displacement);
        if self.back && moves {
            // Not only at first: the way to another trial leads from the trial before, which the
            // specimen must never have seen. What was saved from this rig fits it.
            let _ = self.inner.restore(&mut StateReader::new(&self.kept));
        }
        self.inner.write(command);
        if moves
            && self.mailbox.turn() == ExchangeState::Taken
            && let Some(tangent) = &mut self.tangent
            && self.inner.observe().tangent(tangent)
            && let Some(mut request) = self.mailbox.request()
        {
            match &mut request.tangent {
                Some(known) => known.copy_from_slice(tangent),
                None => request.tangent = Some(tangent.clone()),
            }
        }
    }
}

snapshot!(TrialRestartRig { inner });
