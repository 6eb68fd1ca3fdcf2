//! The ellipse of the synchronisation subspace plot from running sums: what two monitors read.
//!
//! Target c on the x-axis, measured m on the y-axis. Two sinusoids make an ellipse; its second
//! moments give both amplitudes and cos φ, the area that it encloses gives sin φ with its sign, and
//! the ratio of the steps of the target to the target itself gives the frequency. All are sums over
//! ticks, so a fit costs the same at any length of window. With values taken midway between two
//! ticks the sums are exact for sinusoids, whatever the period.

use crate::window::Window;
use tandem_quantity::snapshot;

/// The window of one actuator.
pub(crate) struct Subspace {
    last: [f64; 2],
    /// c, m, c², m², c m at midpoints; steps of c and m; square of the step of c; area.
    window: Window<9>,
}

snapshot!(Subspace { last, window });

/// What a window says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ellipse {
    /// Variances of target and measured displacement and their covariance, m².
    pub moments: [f64; 3],
    /// Phase by which the measured motion lags, rad.
    pub phase: f64,
    /// Circular frequency of the target, rad/s.
    pub circular: f64,
}

impl Ellipse {
    /// Measured over target amplitude.
    pub fn gain(&self) -> f64 {
        (self.moments[1] / self.moments[0]).sqrt()
    }

    /// Delay of the measured motion, s.
    pub fn delay(&self) -> f64 {
        self.phase / self.circular
    }

    /// Inclination of the main axis of the plot, as a slope: 1 is perfect, less is undershoot.
    pub fn slope(&self) -> f64 {
        let [cc, mm, cm] = self.moments;
        (0.5 * (2.0 * cm).atan2(cc - mm)).tan()
    }
}

impl Subspace {
    pub fn new(length: usize) -> Self {
        Self {
            last: [0.0; 2],
            window: Window::new(length),
        }
    }

    #[inline]
    pub fn push(&mut self, c: f64, m: f64) {
        let [last_c, last_m] = std::mem::replace(&mut self.last, [c, m]);
        let (x, y) = (0.5 * (c + last_c), 0.5 * (m + last_m));
        let (dx, dy) = (c - last_c, m - last_m);
        let area = 0.5 * (x * dy - y * dx);
        self.window
            .push([x, y, x * x, y * y, x * y, dx, dy, dx * dx, area]);
    }

    /// The ellipse, once the window is full and the target's RMS is at least `amplitude`.
    #[inline]
    pub fn ellipse(&self, amplitude: f64, period: f64) -> Option<Ellipse> {
        let n = self.window.count();
        let [x, y, xx, yy, xy, dx, dy, step, area] = self.window.sums().map(|sum| sum / n.max(1.0));
        let (cc, mm, cm) = (xx - x * x, yy - y * y, xy - x * y);
        let enough = self.window.is_full() && cc >= amplitude * amplitude && mm > 0.0 && step > 0.0;
        if !enough {
            return None;
        }
        // An offset makes a moving line enclose area with the axes; take it off.
        let area = area - 0.5 * (x * dy - y * dx);
        let ratio = (step / cc).sqrt();
        let size = (cc * mm).sqrt();
        Some(Ellipse {
            moments: [cc, mm, cm],
            phase: (area / (size * ratio)).atan2(cm / size),
            circular: 2.0 / period * (0.5 * ratio).atan(),
        })
    }
}
