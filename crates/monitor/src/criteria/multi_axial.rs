//! J1 … J10 of the multi-axial benchmark (Condori Uribe et al. 2023).

use super::{Percent, SignalError, errors, lag};

/// Lags that are looked at for J1 and J4, samples of either sign.
const LAGS: i64 = 512;

/// Signals of one actuator, m.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// Target.
    pub target: &'a [f64],
    /// Measured.
    pub measured: &'a [f64],
    /// The controller's estimate of the measured displacement; the measured one again where there
    /// is none.
    pub estimated: &'a [f64],
}

/// Signals of one degree of freedom of the frame, m or rad.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// What the controller's estimate makes of it; absent away from the interface.
    pub estimated: Option<&'a [f64]>,
    /// Numerical substructure.
    pub numerical: &'a [f64],
    /// Undivided structure.
    pub reference: &'a [f64],
}

/// J1 … J10: one value per actuator (J1 … J4), per interface degree of freedom (J5, J6, J7, J9) and
/// per other node (J8, J10).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MultiAxial {
    /// Lag of the measured behind the target displacement, ms.
    pub j1_ms: Vec<f64>,
    /// Tracking error.
    pub j2: Vec<Percent>,
    /// Its peak version, %.
    pub j3: Vec<f64>,
    /// Lag of the estimate behind the target, ms, as printed. The distributed program repeats J1
    /// here.
    pub j4_ms: Vec<f64>,
    /// Estimate against the numerical substructure at the interface.
    pub j5: Vec<Percent>,
    /// Its peak version, %.
    pub j6: Vec<f64>,
    /// Estimate against the reference at the interface.
    pub j7: Vec<Percent>,
    /// Numerical substructure against the reference at the other nodes.
    pub j8: Vec<Percent>,
    /// Peak version of J7, %.
    pub j9: Vec<f64>,
    /// Peak version of J8, %.
    pub j10: Vec<f64>,
}

/// The criteria of a run; nodes with an estimate belong to the interface. Signals are sampled every
/// `period` seconds.
///
/// # Errors
/// [`SignalError`] where lengths differ, a signal is too short or a reference is zero throughout.
pub fn multi_axial(
    axes: &[Axis<'_>],
    nodes: &[Node<'_>],
    period: f64,
) -> Result<MultiAxial, SignalError> {
    let mut found = MultiAxial::default();
    for axis in axes {
        let longest = i64::try_from(axis.target.len() / 2)
            .unwrap_or(LAGS)
            .min(LAGS);
        let lag = |signal| {
            lag(axis.target, signal, -longest..=longest)
                .map(|samples| 1e3 * period * samples as f64)
        };
        let measured = lag(axis.measured)?;
        found.j1_ms.push(measured);
        let (j2, j3) = errors(axis.measured, axis.target)?;
        found.j2.push(j2);
        found.j3.push(j3);
        found
            .j4_ms
            .push(if std::ptr::eq(axis.estimated, axis.measured) {
                measured
            } else {
                lag(axis.estimated)?
            });
    }
    for node in nodes {
        if let Some(estimated) = node.estimated {
            let (j5, j6) = errors(estimated, node.numerical)?;
            let (j7, j9) = errors(estimated, node.reference)?;
            found.j5.push(j5);
            found.j6.push(j6);
            found.j7.push(j7);
            found.j9.push(j9);
        } else {
            let (j8, j10) = errors(node.numerical, node.reference)?;
            found.j8.push(j8);
            found.j10.push(j10);
        }
    }
    Ok(found)
}
