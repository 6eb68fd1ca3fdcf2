//! Which delays the loop of a test bears.

use tandem_monitor::stability::{
    InterfaceShares, Partition, StabilityError, Synchronisation, critical_delay_exact,
    critical_delay_first_order, predictive_stability_indicator,
};

use super::MOST_MODES;
use crate::assemble::Test;

/// Above this size the sweep for the exact critical delay would take too long.
const MOST_DOF: usize = 60;

/// What is known of a critical delay, s of wall time.
#[derive(Clone, Debug, PartialEq)]
pub enum CriticalDelay {
    /// From this one on the loop is unstable.
    Found(f64),
    /// No delay makes the loop unstable (of the first order: none up to a period of the first
    /// mode).
    Stable,
    /// The loop is unstable, or on the verge of it, without any delay or with an arbitrarily small
    /// one.
    Unstable,
    /// The plan has no specimen, or no structure whose loop it could close.
    NoSpecimen,
    /// It could not be computed, and why.
    Unknown(String),
}

impl CriticalDelay {
    fn of(found: Result<Option<f64>, StabilityError>, time_scale: f64) -> Self {
        match found {
            Ok(Some(delay)) if delay > 0.0 => Self::Found(delay * time_scale),
            Ok(Some(_)) => Self::Unstable,
            Ok(None) => Self::Stable,
            Err(error) => Self::Unknown(error.to_string()),
        }
    }

    /// The delay; zero where none is borne, none where any is or nothing is known.
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Found(delay) => Some(*delay),
            Self::Unstable => Some(0.0),
            Self::Stable | Self::NoSpecimen | Self::Unknown(_) => None,
        }
    }

    /// The word for JSON.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Found(_) => "found",
            Self::Stable => "stable",
            Self::Unstable => "unstable",
            Self::NoSpecimen => "no-specimen",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// Which delays the loop bears.
#[derive(Clone, Debug)]
pub struct Stability {
    /// From the characteristic roots.
    pub exact: CriticalDelay,
    /// From the first-order hybrid equation of motion, the same delay in all modes.
    pub first_order: CriticalDelay,
    /// The same with the delay in one mode alone, for every mode.
    pub per_mode: Vec<CriticalDelay>,
    /// The divided structure and what follows from it; none where it could not be examined.
    pub divided: Option<Divided>,
}

/// A divided structure.
#[derive(Clone, Debug)]
pub struct Divided {
    /// Its matrices.
    pub partition: Partition,
    /// log₁₀ of the exact critical delay in milliseconds; not a number where that is not known.
    pub indicator: f64,
    /// The specimen's share at the interface.
    pub shares: InterfaceShares,
}

/// Examines the loop of a test.
pub fn stability(test: &Test) -> Stability {
    let all = |delay: CriticalDelay| Stability {
        exact: delay.clone(),
        first_order: delay,
        per_mode: Vec::new(),
        divided: None,
    };
    let hybrid = match test.hybrid() {
        Ok(hybrid) if !test.characterises() => hybrid,
        _ => return all(CriticalDelay::NoSpecimen),
    };
    let partition = match Partition::of(hybrid.parts().integrator.problem()) {
        Ok(partition) => partition,
        Err(error) => return all(CriticalDelay::Unknown(error.to_string())),
    };
    let n = partition.order();
    if n > MOST_DOF {
        return all(CriticalDelay::Unknown(format!(
            "the structure has {n} degrees of freedom with mass or at the interface, and the sweep \
            is made for {MOST_DOF} at most"
        )));
    }
    let time_scale = test.outline.timing.time_scale;
    let first_order = |delay: Vec<f64>| {
        let synchronisation = Synchronisation {
            delay,
            ..Synchronisation::uniform(n)
        };
        CriticalDelay::of(
            critical_delay_first_order(&partition, &synchronisation),
            time_scale,
        )
    };
    let alone = |mode: usize| (0..n).map(|k| if k == mode { 1.0 } else { 0.0 }).collect();
    let exact = CriticalDelay::of(critical_delay_exact(&partition), time_scale);
    Stability {
        first_order: first_order(vec![1.0; n]),
        per_mode: (0..n.min(MOST_MODES))
            .map(|k| first_order(alone(k)))
            .collect(),
        divided: Some(Divided {
            indicator: match &exact {
                CriticalDelay::Unknown(_) => f64::NAN,
                known => predictive_stability_indicator(known.seconds()),
            },
            shares: partition.interface_shares(),
            partition,
        }),
        exact,
    }
}
