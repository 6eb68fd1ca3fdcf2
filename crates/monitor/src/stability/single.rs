//! One degree of freedom: the critical delay in closed form, and its map.

use std::f64::consts::TAU;

/// The specimen's shares of the undivided oscillator, 0 … 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// α = k_e/k.
    pub stiffness: f64,
    /// β = m_e/m.
    pub mass: f64,
    /// γ = c_e/c.
    pub damping: f64,
}

/// ω τ_cr of an oscillator with damping ratio ζ (of the undivided structure) and circular frequency
/// ω; none where it is stable for every delay.
///
/// With w = frequency over ω, A = 1 − α − (1 − β) w² + 2iζ(1 − γ) w and B = α − β w² + 2iζγ w,
/// roots are on the imaginary axis where |A| = |B|: with u = w², (1 − 2β) u² − [2 − 2α − 2β − 4ζ²(1
/// − 2γ)] u + 1 − 2α = 0; and w ωτ = −arg(−A/B).
pub fn critical_delay_single(damping_ratio: f64, shares: Shares) -> Option<f64> {
    let Shares {
        stiffness: alpha,
        mass: beta,
        damping: gamma,
    } = shares;
    let zeta = damping_ratio;
    if beta > 0.5 || zeta <= 0.0 {
        return Some(0.0);
    }
    let a = 1.0 - 2.0 * beta;
    let b = -(2.0 - 2.0 * alpha - 2.0 * beta - 4.0 * zeta * zeta * (1.0 - 2.0 * gamma));
    let c = 1.0 - 2.0 * alpha;
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return None;
    }
    // The form without cancellation.
    let q = -0.5 * (b + discriminant.sqrt().copysign(b));
    let squares = [q / a, c / q];
    let delay = |w: f64| {
        let (ar, ai) = (
            1.0 - alpha - (1.0 - beta) * w * w,
            2.0 * zeta * (1.0 - gamma) * w,
        );
        let (br, bi) = (alpha - beta * w * w, 2.0 * zeta * gamma * w);
        // −A/B = −A B* / |B|²
        let argument = -(ai * br - ar * bi);
        let real = -(ar * br + ai * bi);
        (-argument.atan2(real)).rem_euclid(TAU) / w
    };
    squares
        .into_iter()
        .filter(|u| u.is_finite() && *u > 0.0)
        .map(|u| delay(u.sqrt()))
        .min_by(f64::total_cmp)
}

/// ω τ_cr over stiffness share (rows) and mass share (columns); infinite where no delay makes the
/// loop unstable. The damping is all numerical.
pub fn stability_map(
    damping_ratio: f64,
    stiffness_shares: &[f64],
    mass_shares: &[f64],
) -> Vec<Vec<f64>> {
    let at = |stiffness: f64, mass: f64| {
        let shares = Shares {
            stiffness,
            mass,
            damping: 0.0,
        };
        critical_delay_single(damping_ratio, shares).unwrap_or(f64::INFINITY)
    };
    stiffness_shares
        .iter()
        .map(|&alpha| mass_shares.iter().map(|&beta| at(alpha, beta)).collect())
        .collect()
}
