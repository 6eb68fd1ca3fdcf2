//! The one place that decides when a monitor wants something to happen.

use crate::{MonitorContext, ticks};
use tandem_quantity::{BuildError, Dimension, Range, Verdict, settings, snapshot};

settings! {
    /// When an alarm rises and falls.
    pub(crate) struct Thresholds {
        /// part of the bound above which a warning is given before the action is due; default: none
        warning: Option<f64> = number(Dimension::NONE).within(Range::between(0.0, 1.0)),
        /// how far below its bound a figure must fall before the alarm is over, as a part of the
        /// bound
        hysteresis: f64 = number(Dimension::NONE).or("\"10 %\"").within(Range::between(0.0, 1.0)),
        /// how long (structural time) a figure must stay above its bound before anything happens
        hold_off: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
    }
}

settings! {
    /// What every alarm has, after its bound or bounds.
    pub(crate) struct AlarmSettings {
        pub thresholds: Thresholds,
        /// what happens above the bound
        pub action: Verdict = choice(Verdict::WORDS).or("\"warn\""),
    }
}

/// When a figure becomes a verdict: above a bound for longer than the hold-off, until it is well
/// below it again.
///
/// A figure that is not a number counts as above every bound: a monitor that has lost its senses
/// must not reassure.
pub(crate) struct Alarm {
    due: Level,
    early: Level,
    hold_off: u64,
    action: Verdict,
}

snapshot!(Alarm { due, early });

impl Alarm {
    /// The alarm of a monitor; without a bound it never rises.
    pub fn new(
        bound: Option<f64>,
        settings: &AlarmSettings,
        context: &MonitorContext<'_>,
    ) -> Result<Self, BuildError> {
        let Thresholds {
            warning,
            hysteresis,
            hold_off,
        } = settings.thresholds;
        let release = 1.0 - hysteresis;
        let bound = bound.unwrap_or(f64::INFINITY);
        let share = warning.map_or(f64::INFINITY, |share| share * bound);
        Ok(Self {
            due: Level::new(bound, release),
            early: Level::new(share, release),
            hold_off: ticks("hold_off", hold_off, context)? as u64,
            action: settings.action,
        })
    }

    /// The verdict of one tick.
    #[inline]
    pub fn judge(&mut self, figure: f64) -> Verdict {
        let early = self.early.is_above(figure, self.hold_off);
        if self.due.is_above(figure, self.hold_off) {
            self.action
        } else if early {
            Verdict::Warn
        } else {
            Verdict::Continue
        }
    }
}

/// One bound with its memory.
struct Level {
    bound: f64,
    release: f64,
    /// Ticks without a break above the bound.
    above: u64,
    raised: bool,
}

snapshot!(Level { above, raised });

impl Level {
    fn new(bound: f64, release: f64) -> Self {
        Self {
            bound,
            release: release * bound,
            above: 0,
            raised: false,
        }
    }

    #[inline]
    fn is_above(&mut self, figure: f64, hold_off: u64) -> bool {
        if self.bound.is_infinite() {
            return false;
        }
        if figure < self.bound {
            self.above = 0;
            self.raised &= figure >= self.release;
        } else {
            self.above += 1;
            self.raised |= self.above > hold_off;
        }
        self.raised
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::{Settings, Value, Values};

    fn alarm(hold_off: f64) -> Alarm {
        let problem = crate::tests_support::spring_problem();
        let context = MonitorContext::of(&problem, 0.01);
        let values = Values::new()
            .with("warning", Value::Number(0.5))
            .with("hysteresis", Value::Number(0.2))
            .with("hold_off", Value::Number(hold_off))
            .with("action", Value::Text("trip".into()));
        let settings = AlarmSettings::read(&values).unwrap();
        Alarm::new(Some(1.0), &settings, &context).unwrap()
    }

    #[test]
    fn an_alarm_rises_at_its_bound_and_falls_below_its_hysteresis() {
        let mut alarm = alarm(0.0);
        let verdicts =
            [0.3, 0.6, 1.0, 0.9, 0.81, 0.79, 0.45, 0.39, f64::NAN].map(|x| alarm.judge(x));
        use Verdict::{Continue, Trip, Warn};
        assert_eq!(
            verdicts,
            [Continue, Warn, Trip, Trip, Trip, Warn, Warn, Continue, Trip]
        );
    }

    #[test]
    fn an_alarm_waits_for_its_hold_off() {
        let mut alarm = alarm(0.03);
        let rises = |alarm: &mut Alarm| {
            (0..10)
                .position(|_| alarm.judge(2.0) == Verdict::Trip)
                .unwrap()
        };
        assert_eq!(alarm.judge(2.0), Verdict::Continue);
        assert_eq!(alarm.judge(0.1), Verdict::Continue);
        assert_eq!(rises(&mut alarm), 3);
    }
}
