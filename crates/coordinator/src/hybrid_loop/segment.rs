//! The way from the last target to the next, and its clock.

use tandem_integrator::Readiness;
use tandem_quantity::snapshot;
use tandem_transfer::command::LateMode;

/// The segment to the current target. It begins when the force of the last one has gone back,
/// whether the next one is there or not; it is walked at the pace of the time scale, in whole
/// ticks. While its target is late, its clock stands still where the command begins to slow down,
/// and that of the structure with it.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Ticks per integration step.
    ticks_per_step: f64,
    /// Tick at which the segment began, and its length; both whole.
    start: f64,
    length: f64,
    /// Its length as the time scale asks for it, and where that begins, in ticks; not always whole.
    share: f64,
    from: f64,
    /// Where the previous target of this step stood (0 … 1).
    reached: f64,
    /// Its target is not there yet.
    pub pending: bool,
    /// Ticks by which the clock of this segment has stood still, and that of all segments so far.
    waited: f64,
    lost: f64,
    /// What the command does while a target is late.
    pub lateness: LateMode,
    /// What the integration side said when its target was last looked for.
    pub readiness: Readiness,
}

snapshot!(Segment {
    start,
    length,
    share,
    from,
    reached,
    pending,
    waited,
    lost
});

impl Segment {
    pub fn new(ticks_per_step: f64) -> Self {
        Self {
            ticks_per_step,
            start: 0.0,
            length: 1.0,
            share: 1.0,
            from: 0.0,
            reached: 0.0,
            pending: false,
            waited: 0.0,
            lost: 0.0,
            lateness: LateMode::Predicting,
            readiness: Readiness::Ready,
        }
    }

    /// A segment begins at tick `start`, where the clock of the structure says `from` (the same up
    /// to a part of a tick). `reach` is where in the step its target stands, as far as that is
    /// known yet.
    #[inline]
    pub fn begin(&mut self, start: f64, from: f64, reach: f64) {
        self.start = start;
        self.from = from;
        self.pending = true;
        self.waited = 0.0;
        self.measure(reach);
    }

    /// The target is there.
    #[inline]
    pub fn arrive(&mut self, reach: f64) {
        self.measure(reach);
        self.reached = if reach == 0.0 || reach >= 1.0 {
            0.0
        } else {
            reach
        };
        self.pending = false;
    }

    #[inline]
    fn measure(&mut self, reach: f64) {
        let share = if reach == 0.0 {
            1.0
        } else {
            reach - self.reached
        };
        // A segment takes at least one tick, however short its share of the step; its end is the
        // first whole tick that is due.
        self.share = (share * self.ticks_per_step).max(1.0);
        self.length = (self.due() - 1e-6).ceil().max(self.start + 1.0) - self.start;
    }

    /// Where the segment should end, in ticks.
    #[inline]
    pub fn due(&self) -> f64 {
        self.from + self.share
    }

    /// Length of the segment as the time scale asks for it, in ticks.
    #[inline]
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Whether the whole segment has been gone at tick `now`.
    #[inline]
    pub fn is_gone(&self, now: f64) -> bool {
        !self.pending && now >= self.start + self.length
    }

    /// What the clock of the segment says at tick `at`: 0 at its beginning, 1 at its end.
    #[inline]
    pub fn at(&self, at: f64) -> f64 {
        (at - self.start) / self.length
    }

    /// Ticks since the segment began, by the wall clock.
    #[inline]
    pub fn age(&self, now: f64) -> f64 {
        now - self.start + self.waited
    }

    /// For how long the clock of the segment has stood still, as a fraction of the segment.
    #[inline]
    pub fn late(&self) -> f64 {
        self.waited / self.length
    }

    /// Ticks in which the clock of the structure stood still.
    #[inline]
    pub fn lost(&self) -> f64 {
        self.lost
    }

    /// The test is held for a tick: the segment goes on from here.
    #[inline]
    pub fn shift(&mut self) {
        self.start += 1.0;
        self.from += 1.0;
    }

    /// The clocks of segment and structure stand still for a tick, because the target is late.
    #[inline]
    pub fn hold(&mut self) {
        self.shift();
        self.waited += 1.0;
        self.lost += 1.0;
    }
}
