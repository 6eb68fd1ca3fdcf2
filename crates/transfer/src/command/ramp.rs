//! Straight line to the target, then hold.

use super::{Build, CommandGenerator, Timing};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Values, settings,
    snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "ramp",
        summary: "straight line from target to target, reached after a fraction of the step, then \
            held",
        reference: "Takanashi et al. 1975 (ramp and hold)",
        parameters: <(Timing, RampSettings)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct RampSettings {
        /// fraction of the step that the way takes; the rest is held
        ramp: f64 = number(Dimension::NONE)
            .or("1.0")
            .within(Range {min: 0.0,max: 1.0,open_min: true}),
    }
}

fn build(
    values: &Values,
    &Context { actuators, .. }: &Context<'_>,
) -> Result<Box<dyn CommandGenerator>, BuildError> {
    let settings = RampSettings::read(values)?;
    Ok(Box::new(Ramp {
        fraction: settings.ramp,
        from: Motion::at_rest(actuators),
        to: Motion::at_rest(actuators),
    }))
}

/// Linear interpolation; velocity is the slope of the line, acceleration is that of the target.
#[derive(Clone, Debug)]
pub struct Ramp {
    fraction: f64,
    from: Motion,
    to: Motion,
}

snapshot!(Ramp { from, to });

impl CommandGenerator for Ramp {
    #[inline]
    fn target(&mut self, target: &Motion) {
        std::mem::swap(&mut self.from, &mut self.to);
        self.to.copy_from(target);
    }

    #[inline]
    fn wanted(&mut self, x: f64, duration: f64, wanted: &mut Motion) {
        let s = (x / self.fraction).min(1.0);
        for i in 0..wanted.len() {
            let (a, b) = (self.from.displacement[i], self.to.displacement[i]);
            if s < 1.0 {
                wanted.displacement[i] = a + s * (b - a);
                wanted.velocity[i] = (b - a) / (self.fraction * duration);
            } else {
                // The end is the target itself, bit for bit, with the motion the integrator gave
                // it.
                wanted.displacement[i] = b;
                wanted.velocity[i] = self.to.velocity[i];
            }
            wanted.acceleration[i] = self.to.acceleration[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_ends_on_the_target() {
        let mut ramp = Ramp {
            fraction: 0.5,
            from: Motion::at_rest(1),
            to: Motion::at_rest(1),
        };
        let mut target = Motion::at_rest(1);
        let mut wanted = Motion::at_rest(1);
        target.displacement[0] = 2.0;
        ramp.target(&target);
        for (x, expected) in [
            (0.125, 0.5),
            (0.25, 1.0),
            (0.5, 2.0),
            (0.75, 2.0),
            (1.0, 2.0),
        ] {
            ramp.wanted(x, 0.01, &mut wanted);
            assert!((wanted.displacement[0] - expected).abs() < 1e-15);
        }
        target.displacement[0] = -1.0;
        ramp.target(&target);
        ramp.wanted(0.25, 0.01, &mut wanted);
        assert!((wanted.displacement[0] - 0.5).abs() < 1e-15);
        assert!((wanted.velocity[0] + 600.0).abs() < 1e-9);
    }
}
