//! A Butterworth low-pass with its state in one piece, for several signals.

use tandem_quantity::{BuildError, snapshot};
use tandem_signal::filter::{Butterworth, FilterKind, Sos};

/// Ports: `points` signals in, the same signals low-passed out, one sample a period.
#[derive(Clone, Debug)]
pub struct LowPass {
    sos: Sos,
    /// Two words a section, signal after signal.
    delays: Vec<[f64; 2]>,
}

snapshot!(LowPass { delays });

impl LowPass {
    /// A filter of `order` with −3 dB at `cutoff` Hz, for samples every `period` seconds. `key`
    /// names the plan's key of the cut-off in the error.
    pub fn new(
        points: usize,
        order: usize,
        cutoff: f64,
        period: f64,
        key: &str,
    ) -> Result<Self, BuildError> {
        let sos = Butterworth {
            order,
            kind: FilterKind::Lowpass(cutoff),
            fs: 1.0 / period,
        }
        .design()
        .map_err(|error| {
            BuildError::new(
                key,
                error.to_string(),
                format!("stay below half the rate, {} Hz", 0.5 / period),
            )
        })?;
        Ok(Self {
            delays: vec![[0.0; 2]; points * sos.rows().len()],
            sos,
        })
    }

    /// The next sample of signal `point`.
    #[inline]
    pub fn step(&mut self, point: usize, value: f64) -> f64 {
        let sections = self.sos.rows().len();
        let delays = &mut self.delays[point * sections..(point + 1) * sections];
        let mut signal = value;
        for ([b0, b1, b2, _, a1, a2], delay) in self.sos.rows().iter().zip(delays) {
            let output = b0 * signal + delay[0];
            delay[0] = b1 * signal - a1 * output + delay[1];
            delay[1] = b2 * signal - a2 * output;
            signal = output;
        }
        signal
    }

    /// Delay of a slow signal, s.
    pub fn delay(&self) -> f64 {
        self.sos.group_delay(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same sections run by `tandem_signal` (which is checked against scipy) agree bit for bit.
    #[test]
    fn it_is_the_filter_of_the_sections() {
        let mut filter = LowPass::new(2, 4, 20.0, 1.0 / 1024.0, "cutoff").unwrap();
        let sos = filter.sos.clone();
        let expected = sos.filter(&[1.0; 40]);
        for (k, y) in expected.iter().enumerate() {
            filter.step(0, -3.0);
            assert_eq!(filter.step(1, 1.0).to_bits(), y.to_bits(), "{k}");
        }
        // The analog prototype of fourth order is 1 + 2.6131 s + …: slow signals come 2.6131/ω
        // later.
        let analog = 2.613_125_929_752_753 / (2.0 * std::f64::consts::PI * 20.0);
        assert!((filter.delay() / analog - 1.0).abs() < 0.002);
    }
}
