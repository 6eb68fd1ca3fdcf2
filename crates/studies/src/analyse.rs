//! Accuracy and stability of a time-stepping method over frequency.

mod page;

pub use page::page;

use serde::Serialize;
use tandem_integrator::{
    ErrorGrowth, IntegratorContext, NOISE_STEPS, SubCycling, build, error_growth, spectral,
};
use tandem_quantity::{BuildError, Registry, Settings as _, Value, Values};

/// What a method does to a linear oscillator, one value for each Ω.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Ω = ω Δt.
    pub omega: Vec<f64>,
    /// Largest modulus of a root of the amplification matrix; above one the method is unstable.
    pub spectral_radius: Vec<f64>,
    /// (T̄ − T)/T, positive where the computed period is longer; none where the roots are real.
    pub period_error: Vec<Option<f64>>,
    /// Damping ratio that the method adds to the oscillator's own; none where the roots are real.
    pub numerical_damping: Vec<Option<f64>>,
    /// What becomes of errors of the imposed displacement; none above the stability limit.
    pub error_growth: Vec<Option<ErrorGrowth>>,
}

impl Analysis {
    /// As `tandem analyse --json` prints it; growth of control errors as one list for each figure.
    #[must_use]
    pub fn summary<'a>(&'a self, method: &'a str, damping: f64) -> AnalysisSummary<'a> {
        let growth = |part: fn(&ErrorGrowth) -> f64| {
            let list = self.error_growth.iter();
            list.map(|g| g.as_ref().map(part)).collect()
        };
        AnalysisSummary {
            method,
            damping,
            omega: &self.omega,
            spectral_radius: &self.spectral_radius,
            period_error: &self.period_error,
            numerical_damping: &self.numerical_damping,
            error_growth: GrowthSummary {
                undershoot_1_percent_damping: growth(|g| g.undershoot_damping),
                overshoot_1_percent_damping: growth(|g| g.overshoot_damping),
                noise: growth(|g| g.noise),
                noise_steps: NOISE_STEPS,
            },
        }
    }
}

/// What a method does to a linear oscillator, for programs.
#[derive(Clone, Debug, Serialize)]
pub struct AnalysisSummary<'a> {
    /// The method.
    pub method: &'a str,
    /// Damping ratio of the oscillator.
    pub damping: f64,
    /// Ω = ω Δt.
    pub omega: &'a [f64],
    /// See [`Analysis`].
    pub spectral_radius: &'a [f64],
    /// See [`Analysis`].
    pub period_error: &'a [Option<f64>],
    /// See [`Analysis`].
    pub numerical_damping: &'a [Option<f64>],
    /// See [`Analysis`].
    pub error_growth: GrowthSummary,
}

/// What becomes of errors of the imposed displacement.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthSummary {
    /// Damping that an undershoot of 1 % adds.
    pub undershoot_1_percent_damping: Vec<Option<f64>>,
    /// Damping that an overshoot of 1 % adds.
    pub overshoot_1_percent_damping: Vec<Option<f64>>,
    /// What noise grows to.
    pub noise: Vec<Option<f64>>,
    /// In how many steps.
    pub noise_steps: u32,
}

/// Steps the method itself on an oscillator with damping ratio `damping`, from three basis states,
/// at every Ω.
///
/// `values` is the method's checked table, with its defaults filled in.
pub fn analyse(
    registry: &Registry,
    method: &str,
    values: &Values,
    omegas: &[f64],
    damping: f64,
) -> Result<Analysis, BuildError> {
    let sub_steps = SubCycling::read(values)?.sub_steps;
    let sub_steps = i32::try_from(sub_steps).unwrap_or(i32::MAX);
    let values = &values.clone().with("method", Value::Text(method.into()));
    let entry = registry.find(&tandem_integrator::SLOT, values)?;
    if !(damping.is_finite() && damping >= 0.0) {
        return Err(BuildError::new(
            "damping",
            format!("{damping} is no damping ratio"),
            "give zero or a positive number",
        ));
    }
    let mut analysis = Analysis::default();
    for &omega in omegas {
        if !(omega.is_finite() && omega > 0.0) {
            return Err(BuildError::new(
                "omega",
                format!("{omega} is not a frequency times a step"),
                "give positive numbers, such as 0.1 to 10",
            ));
        }
        // Sub-steps without a specimen are nothing but shorter steps. Taken one by one, their phase
        // stays below a half turn.
        let found = spectral(entry.build, values, omega / f64::from(sub_steps), damping)?;
        analysis.omega.push(omega);
        analysis.spectral_radius.push(found.radius.powi(sub_steps));
        analysis.period_error.push(found.period_error);
        analysis.numerical_damping.push(found.numerical_damping);
        let sub_cycled = |values: &Values, problem, context: &IntegratorContext<'_>| {
            let context = IntegratorContext {
                registry,
                ..*context
            };
            build(values, problem, &context)
        };
        let growth = match error_growth(sub_cycled, values, omega, damping) {
            // A method that cannot be sub-cycled with a specimen has no control errors to grow.
            Err(error) if error.key == "sub_steps" => None,
            found => found?,
        };
        analysis.error_growth.push(growth);
    }
    Ok(analysis)
}

#[cfg(test)]
mod tests {
    use tandem::assemble::method_table;

    use super::analyse;
    use tandem_quantity::{Registry, Value, Values};

    /// Average acceleration: T̄/T = Ω/2 / arctan(Ω/2), no damping (Hughes 1987, §9.1). Explicit:
    /// stable up to Ω = 2.
    #[test]
    fn figures_of_newmark_s_methods() {
        let values = Values::new()
            .with("gamma", Value::Number(0.5))
            .with("beta", Value::Number(0.25));
        let omegas = [0.1, 1.0, 5.0];
        let found = analyse(Registry::bare(), "newmark", &values, &omegas, 0.0).unwrap();
        for (i, omega) in omegas.iter().enumerate() {
            let expected = 0.5 * omega / (0.5 * omega).atan() - 1.0;
            assert!((found.spectral_radius[i] - 1.0).abs() < 1e-12);
            assert!((found.period_error[i].unwrap() - expected).abs() < 1e-12);
            assert!(found.numerical_damping[i].unwrap().abs() < 1e-12);
        }
        let found = analyse(
            Registry::bare(),
            "newmark-explicit",
            &values,
            &[1.9, 2.1],
            0.0,
        )
        .unwrap();
        assert!((found.spectral_radius[0] - 1.0).abs() < 1e-12);
        assert!(found.spectral_radius[1] > 1.5 && found.period_error[1].is_none());
    }

    /// In four sub-steps a step of Ω is four of Ω/4: the same period error and radius (to the
    /// fourth power), in closed form.
    #[test]
    fn sub_steps_are_analysed_as_they_are_taken() {
        let table = |method| {
            method_table(Registry::bare(), method, 1.0, &["sub_steps=4".to_owned()]).unwrap()
        };
        let values = table("newmark");
        let found = analyse(Registry::bare(), "newmark", &values, &[2.0], 0.0).unwrap();
        let expected = 0.25 / 0.25_f64.atan() - 1.0;
        assert!((found.period_error[0].unwrap() - expected).abs() < 1e-12);
        assert!((found.spectral_radius[0] - 1.0).abs() < 1e-12);
        // A conditionally stable method reaches four times as far.
        let values = table("newmark-explicit");
        let omegas = [7.9, 8.1];
        let found = analyse(Registry::bare(), "newmark-explicit", &values, &omegas, 0.0).unwrap();
        assert!((found.spectral_radius[0] - 1.0).abs() < 1e-9, "{found:?}");
        assert!(found.spectral_radius[1] > 1.5, "{found:?}");
    }

    #[test]
    fn wrong_questions_are_refused() {
        let values = Values::new();
        assert_eq!(
            analyse(Registry::bare(), "no", &values, &[], 0.0)
                .unwrap_err()
                .key,
            "method"
        );
        assert_eq!(
            analyse(Registry::bare(), "osm", &values, &[0.0], 0.0)
                .unwrap_err()
                .key,
            "omega"
        );
        assert_eq!(
            analyse(Registry::bare(), "osm", &values, &[1.0], f64::NAN)
                .unwrap_err()
                .key,
            "damping"
        );
    }
}
