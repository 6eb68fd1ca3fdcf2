//! Modified KR-α: less overshoot for the same damping of high modes.

use crate::kr_alpha::KrAlpha;
use crate::weights::Weights;
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "mkr-alpha",
        summary: "explicit, as kr-alpha with another set of weights: all three roots have modulus \
            ρ∞ at infinite frequency",
        reference: "Kolay and Ricles 2019",
        parameters: <(Stepping, MkrAlphaSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = MkrAlphaSettings::read(values)?;
        let weights = Weights::modified(settings.rho_inf);
        Ok(Box::new(KrAlpha::new(problem, loading, weights)?))
    },
};

settings! {
    struct MkrAlphaSettings {
        /// ρ∞: spectral radius at infinite frequency; 1 has no numerical damping
        rho_inf: f64 = number(Dimension::NONE).or("0.75").within(Range::between(0.0, 1.0)),
    }
}
