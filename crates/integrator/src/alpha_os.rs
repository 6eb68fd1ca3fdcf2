//! α operator splitting: HHT-α with the initial stiffness in the corrector.

use crate::splitting::OperatorSplitting;
use crate::weights::{Weights, alpha};
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "alpha-os",
        summary: "α operator splitting: as osm, with numerical damping of high modes; one solve, \
            no iteration",
        reference: "Combescure and Pegon 1997",
        parameters: <(Stepping, AlphaOsSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = AlphaOsSettings::read(values)?;
        let weights = Weights::hht(alpha(settings.alpha)?);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};

settings! {
    struct AlphaOsSettings {
        /// α from −⅓ (most damping) to 0; or 1 + α, the sign of OpenSees, from 0.667 to 1: 0.9
        /// means −0.1
        alpha: f64 = number(Dimension::NONE).or("-0.1").within(Range::between(-0.334, 1.0)),
    }
}
