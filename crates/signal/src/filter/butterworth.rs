//! Butterworth design.

use super::Sos;
use super::pairing::sections;
use crate::Complex;
use crate::error::{SignalError, real};
use std::f64::consts::PI;

/// Which frequencies pass. Frequencies in Hz, where the gain is −3 dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterKind {
    /// Below the frequency.
    Lowpass(f64),
    /// Above the frequency.
    Highpass(f64),
    /// Between the two.
    Bandpass(f64, f64),
    /// Outside the two.
    Bandstop(f64, f64),
}

/// A Butterworth filter to be designed: maximally flat, by bilinear transform with prewarped edges.
///
/// `order` is that of the low-pass prototype; band filters have twice as many poles. The sections
/// come in the order and pairing of `scipy.signal.butter(order, …, fs=fs, output="sos")`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Butterworth {
    /// Order, 1 to 20.
    pub order: usize,
    /// Kind and edges, Hz.
    pub kind: FilterKind,
    /// Sampling frequency, Hz.
    pub fs: f64,
}

/// Zeros, poles and gain of a filter.
pub(super) struct Zpk {
    pub zeros: Vec<Complex<f64>>,
    pub poles: Vec<Complex<f64>>,
    pub gain: f64,
}

impl Butterworth {
    /// The sections.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] for an order outside 1 to 20, edges outside 0 to fs/2 or in the
    /// wrong order, or edges so low or so close together that the sections are not stable in double
    /// precision.
    pub fn design(&self) -> Result<Sos, SignalError> {
        let order = self.order;
        SignalError::require(
            (1..=20).contains(&order),
            "order of the Butterworth filter",
            "1 to 20",
            real(order),
        )?;
        SignalError::require_positive("sampling frequency", self.fs)?;
        let analog = match self.kind {
            FilterKind::Lowpass(edge) => lowpass(&self.prototype(), self.warped(edge)?),
            FilterKind::Highpass(edge) => highpass(&self.prototype(), self.warped(edge)?),
            FilterKind::Bandpass(low, high) => {
                let (low, high) = self.band(low, high)?;
                bandpass(&self.prototype(), (low * high).sqrt(), high - low)
            }
            FilterKind::Bandstop(low, high) => {
                let (low, high) = self.band(low, high)?;
                bandstop(&self.prototype(), (low * high).sqrt(), high - low)
            }
        };
        Sos::new(&sections(&bilinear(&analog)), self.fs)
    }

    /// Poles of the analog low-pass with edge 1 rad/s: evenly on the left half of the unit circle.
    fn prototype(&self) -> Vec<Complex<f64>> {
        let order = real(self.order);
        (0..self.order)
            .map(|k| {
                let angle = PI * (2.0 * real(k) + 1.0 - order) / (2.0 * order);
                // The middle pole of an odd order is exactly real.
                if 2 * k + 1 == self.order {
                    Complex::new(-1.0, 0.0)
                } else {
                    -Complex::from_polar(1.0, angle)
                }
            })
            .collect()
    }

    /// Analog edge that the bilinear transform (at a sampling frequency of 2) brings to `edge`.
    fn warped(&self, edge: f64) -> Result<f64, SignalError> {
        let inside = edge > 0.0 && edge < 0.5 * self.fs;
        SignalError::require(
            inside,
            "edge of the filter in Hz",
            "above 0 and below half the sampling frequency",
            edge,
        )?;
        Ok(4.0 * (PI * edge / self.fs).tan())
    }

    fn band(&self, low: f64, high: f64) -> Result<(f64, f64), SignalError> {
        SignalError::require(
            low < high,
            "lower edge of the filter in Hz",
            "below the upper edge",
            low,
        )?;
        Ok((self.warped(low)?, self.warped(high)?))
    }
}

fn lowpass(prototype: &[Complex<f64>], edge: f64) -> Zpk {
    let poles: Vec<_> = prototype.iter().map(|pole| pole * edge).collect();
    let gain = prototype.iter().fold(1.0, |gain, _| gain * edge);
    Zpk {
        zeros: Vec::new(),
        poles,
        gain,
    }
}

fn highpass(prototype: &[Complex<f64>], edge: f64) -> Zpk {
    let poles = prototype
        .iter()
        .map(|pole| Complex::from(edge) / pole)
        .collect();
    Zpk {
        zeros: vec![Complex::default(); prototype.len()],
        poles,
        gain: 1.0,
    }
}

/// Each low-pass pole becomes the pair s ± √(s² − centre²).
fn doubled(scaled: &[Complex<f64>], centre: f64) -> Vec<Complex<f64>> {
    let root = |s: &Complex<f64>| (s * s - centre * centre).sqrt();
    scaled
        .iter()
        .map(|s| s + root(s))
        .chain(scaled.iter().map(|s| s - root(s)))
        .collect()
}

fn bandpass(prototype: &[Complex<f64>], centre: f64, width: f64) -> Zpk {
    let scaled: Vec<_> = prototype.iter().map(|pole| pole * (0.5 * width)).collect();
    let gain = prototype.iter().fold(1.0, |gain, _| gain * width);
    Zpk {
        zeros: vec![Complex::default(); prototype.len()],
        poles: doubled(&scaled, centre),
        gain,
    }
}

fn bandstop(prototype: &[Complex<f64>], centre: f64, width: f64) -> Zpk {
    let scaled: Vec<_> = prototype
        .iter()
        .map(|pole| Complex::from(0.5 * width) / pole)
        .collect();
    let zeros = prototype
        .iter()
        .flat_map(|_| [Complex::new(0.0, centre), Complex::new(0.0, -centre)])
        .collect();
    Zpk {
        zeros,
        poles: doubled(&scaled, centre),
        gain: 1.0,
    }
}

/// s = 4 (z − 1)/(z + 1), the transform at a sampling frequency of 2. Zeros at infinity go to z =
/// −1.
fn bilinear(analog: &Zpk) -> Zpk {
    let four = Complex::from(4.0);
    let place = |s: &Complex<f64>| (four + s) / (four - s);
    let product = |places: &[Complex<f64>]| {
        places
            .iter()
            .fold(Complex::from(1.0), |product, s| product * (four - s))
    };
    let mut zeros: Vec<_> = analog.zeros.iter().map(place).collect();
    zeros.resize(analog.poles.len(), Complex::from(-1.0));
    let gain = analog.gain * (product(&analog.zeros) / product(&analog.poles)).re;
    Zpk {
        zeros,
        poles: analog.poles.iter().map(place).collect(),
        gain,
    }
}
