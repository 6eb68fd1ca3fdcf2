#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! | module | what it holds |
//! |---|---|
//! | [`excitation`] | a ground motion as a test gets it |
//! | [`record`] | ground-motion records: readers for the usual files, scaling, resampling, the shipped record |
//! | [`synthetic`] | made motions: filtered noise, sweeps, sines, cyclic ramps, pulses |
//! | [`filter`] | Butterworth filters as second-order sections, streaming and zero-phase |
//! | [`derivative`], [`integral`] | backward and Lagrange derivatives while streaming; gradient and trapezoid offline |
//! | [`spectrum`] | Fourier amplitude, Welch spectra, coherence, response spectrum, intensity measures |
//! | [`noise`] | Gaussian noise, quantiser, saturation, rate limiter |
//! | [`correlate`] | delay between two signals, normalised errors, RMS |
//!
//! Units are SI inside: metres, seconds, m/s². The crate touches no file, clock or thread: readers
//! take bytes. A streaming block is a validated, immutable law (`Sos`, `Lagrange`, …), a plain
//! state (`Clone`) and a `step` that does not allocate.

pub mod correlate;
pub mod derivative;
mod error;
pub mod excitation;
pub mod filter;
pub mod integral;
pub mod noise;
pub mod record;
pub mod spectrum;
pub mod synthetic;

pub use error::SignalError;
pub use realfft::num_complex::Complex;

pub use tandem_quantity::STANDARD_GRAVITY;
