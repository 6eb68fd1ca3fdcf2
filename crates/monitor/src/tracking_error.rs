//! Tracking error: how far the specimen is from where it should be.

use crate::{Build, Frame, Monitor, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Values, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "tracking_error",
        summary: "largest distance between target and measured displacement over all actuators",
        reference: "Silva et al. 2020, J3",
        parameters: &[
            Parameter::number(
                "bound",
                Dimension::LENGTH,
                "error above which the action is taken",
            )
            .positive(),
            Parameter::of(
                "action",
                Kind::Choice(Verdict::CHOICES),
                "what happens above the bound",
            )
            .or("\"warn\""),
        ],
    },
    build,
};

fn build(values: &Values, _context: &crate::Context<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    Ok(Box::new(TrackingError {
        bound: values.number("bound")?,
        action: Verdict::from_choice(values.text("action")?),
        error: 0.0,
    }))
}

/// max |target − measured|, m.
struct TrackingError {
    bound: f64,
    action: Verdict,
    error: f64,
}

snapshot!(TrackingError { error });

impl Monitor for TrackingError {
    #[inline]
    fn observe(&mut self, frame: &Frame<'_>) -> Verdict {
        self.error = frame
            .target
            .displacement
            .iter()
            .zip(&frame.measured.displacement)
            .fold(0.0_f64, |m, (t, x)| m.max((t - x).abs()));
        if self.error > self.bound {
            self.action
        } else {
            Verdict::Continue
        }
    }

    fn figures(&self) -> &'static [(&'static str, &'static str, &'static str)] {
        &[(
            "tracking_error",
            "m",
            "Largest distance between target and measured displacement.",
        )]
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.error;
    }
}
