//! Generalised-α operator splitting.

use crate::splitting::OperatorSplitting;
use crate::weights::Weights;
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "generalised-alpha-os",
        summary: "operator splitting with the weights of the generalised-α method: least damping \
            of low modes for a given one of high modes",
        reference: "Chung and Hulbert 1993; Combescure and Pegon 1997",
        parameters: <(Stepping, GeneralisedAlphaOsSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = GeneralisedAlphaOsSettings::read(values)?;
        let weights = Weights::generalised(settings.rho_inf);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};

settings! {
    struct GeneralisedAlphaOsSettings {
        /// ρ∞: spectral radius at infinite frequency; 1 has no numerical damping
        rho_inf: f64 = number(Dimension::NONE).or("0.8").within(Range::between(0.0, 1.0)),
    }
}
