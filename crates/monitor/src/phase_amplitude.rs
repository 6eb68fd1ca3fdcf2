//! Phase and amplitude errors, apart from each other, from the ellipse of the subspace plot.

use crate::ellipse::Subspace;
use crate::synchronisation::{Amplitude, BoundSettings, Bounds, Found, pairs};
use crate::window::window_ticks;
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Settings, Values, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "phase_amplitude",
        summary: "PAEI: delay and amplitude error from the ellipse of the subspace plot, by \
            running sums; a few per cent uncertain where the window cuts cycles of a motion of \
            many frequencies",
        reference: "Hessabi and Mercan 2016; ellipse by its moments and its area instead of least \
            squares",
        parameters: PhaseAmplitudeSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct PhaseAmplitudeSettings {
        /// length of the window: a cycle or more of the slowest motion
        window: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
        least: Amplitude,
        bounds: BoundSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = PhaseAmplitudeSettings::read(values)?;
    let length = window_ticks("window", 4, settings.window, context)?;
    let actuator = || Actuator {
        subspace: Subspace::new(length),
        found: Found::default(),
    };
    let actuators = context.problem.interface.iter().map(|_| actuator());
    Ok(Box::new(PhaseAmplitude {
        bounds: Bounds::new(&settings.bounds, context)?,
        amplitude: settings.least.amplitude,
        period: context.period,
        actuators: actuators.collect(),
    }))
}

/// Delay = φ/ω and amplitude error = b/a − 1 of target a sin ωt and measured b sin(ωt − φ).
///
/// For a motion of many frequencies and a small delay τ the area grows at τ ∫ċ² per second, so that
/// the delay found is τ itself, but for the cycles that the window cuts. Of several actuators the
/// largest delay and the largest amplitude error are shown.
struct PhaseAmplitude {
    bounds: Bounds,
    amplitude: f64,
    period: f64,
    actuators: Vec<Actuator>,
}

struct Actuator {
    subspace: Subspace,
    found: Found,
}

snapshot!(Actuator { subspace, found });
snapshot!(PhaseAmplitude { bounds, actuators });

impl PhaseAmplitude {
    #[inline]
    fn shown(&self) -> Found {
        Found::worst(self.actuators.iter().map(|a| &a.found))
    }
}

impl Monitor for PhaseAmplitude {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        for (a, (c, m)) in self.actuators.iter_mut().zip(pairs(frame)) {
            a.subspace.push(c, m);
            if let Some(ellipse) = a.subspace.ellipse(self.amplitude, self.period) {
                a.found.delay = ellipse.delay();
                a.found.error = ellipse.gain() - 1.0;
            }
        }
        let shown = self.shown();
        self.bounds.judge(shown)
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "phase_amplitude_delay",
                "s",
                "Delay of the measured motion over the window; positive: lag.",
            ),
            (
                "phase_amplitude_error",
                "1",
                "Amplitude error over the window; negative: undershoot.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        let Found { delay, error } = self.shown();
        (into[0], into[1]) = (delay, error);
    }

    fn words(&self) -> Option<String> {
        self.shown().words()
    }
}
