//! Spectra of signals and the measures of ground motion.

mod fourier;
mod intensity;
mod response;
mod welch;

pub use fourier::{FourierSpectrum, forward, fourier_amplitude, inverse, sine_amplitude};
pub use intensity::{
    SignificantDuration, arias_intensity, peak_ground_displacement, peak_ground_velocity,
    significant_duration,
};
pub use response::{ResponseSpectrum, oscillator_response, response_spectrum};
pub use welch::{Detrend, Welch, coherence, cross_spectral_density, welch};
