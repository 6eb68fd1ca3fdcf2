//! Parameters of the generalised-α family.

use tandem_quantity::BuildError;

/// Quantities are taken at (1 − α) of the end of the step and α of its beginning: α_m for inertia,
/// α_f for all other forces. γ and β are Newmark's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub gamma: f64,
    pub beta: f64,
}

impl Weights {
    /// Newmark 1959: balance at the end of the step.
    pub const fn newmark(gamma: f64, beta: f64) -> Self {
        Self {
            alpha_m: 0.0,
            alpha_f: 0.0,
            gamma,
            beta,
        }
    }

    /// Hilber, Hughes and Taylor 1977, α in [−⅓, 0]: γ = ½ − α, β = (1 − α)²/4.
    pub fn hht(alpha: f64) -> Self {
        Self {
            alpha_m: 0.0,
            alpha_f: -alpha,
            gamma: 0.5 - alpha,
            beta: 0.25 * (1.0 - alpha) * (1.0 - alpha),
        }
    }

    /// Chung and Hulbert 1993 from the spectral radius at infinite frequency.
    pub fn generalised(rho: f64) -> Self {
        let alpha_m = (2.0 * rho - 1.0) / (1.0 + rho);
        let alpha_f = rho / (1.0 + rho);
        let gamma = 0.5 - alpha_m + alpha_f;
        Self {
            alpha_m,
            alpha_f,
            gamma,
            beta: 0.25 * (0.5 + gamma) * (0.5 + gamma),
        }
    }

    /// The set of the modified KR-α method: all three roots have modulus ρ∞ at infinite frequency.
    pub fn modified(rho: f64) -> Self {
        let alpha_m = (2.0 * rho.powi(3) + rho * rho - 1.0) / (rho.powi(3) + rho * rho + rho + 1.0);
        let alpha_f = rho / (1.0 + rho);
        let gamma = 0.5 - alpha_m + alpha_f;
        Self {
            alpha_m,
            alpha_f,
            gamma,
            beta: 0.5 * (0.5 + gamma),
        }
    }
}

/// α of HHT as a plan may write it: −⅓ … 0 is α itself; ⅔ … 1 is 1 + α, the sign of OpenSees (0.9
/// means −0.1).
pub(crate) fn alpha(written: f64) -> Result<f64, BuildError> {
    // ⅓ and ⅔ are never written exactly: 0.333 and 0.667 lie inside, 0.3334 and 0.6666 are meant
    // to.
    const SLACK: f64 = 1e-4;
    let alpha = if written > 0.5 {
        written - 1.0
    } else {
        written
    };
    if (-1.0 / 3.0 - SLACK..=0.0).contains(&alpha) {
        Ok(alpha.max(-1.0 / 3.0))
    } else {
        Err(BuildError::new(
            "alpha",
            format!("{written} is neither in −⅓ … 0 nor, as 1 + α, in ⅔ … 1"),
            "write −0.1, or 0.9 in the sign of OpenSees, for a little damping of high modes",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_signs_of_alpha_mean_the_same() {
        // The pair of the LNEC frame: 0.9 is −0.1, β = 0.3025, γ = 0.6.
        let a = alpha(0.9).unwrap();
        assert!((a + 0.1).abs() < 1e-15);
        let weights = Weights::hht(a);
        assert!((weights.beta - 0.3025).abs() < 1e-15 && (weights.gamma - 0.6).abs() < 1e-15);
        assert_eq!(alpha(-0.1), Ok(-0.1));
        assert_eq!(alpha(0.0), Ok(0.0));
        assert_eq!(alpha(1.0), Ok(0.0));
        assert_eq!(alpha(2.0 / 3.0).map(|a| (a * 3.0).round()), Ok(-1.0));
        for wrong in [-0.4, 0.1, 0.5, 0.6, 1.1] {
            assert_eq!(alpha(wrong).unwrap_err().key, "alpha");
        }
    }

    #[test]
    fn no_dissipation_is_average_acceleration() {
        let average = Weights::newmark(0.5, 0.25);
        assert_eq!(Weights::hht(0.0), average);
        let one = Weights::generalised(1.0);
        assert_eq!((one.gamma, one.beta), (0.5, 0.25));
        // β = 1/(1+ρ∞)² (Chung and Hulbert 1993).
        for rho in [0.0, 0.3, 0.8] {
            let weights = Weights::generalised(rho);
            assert!((weights.beta * (1.0 + rho) * (1.0 + rho) - 1.0).abs() < 1e-14);
        }
    }
}
