//! E_c: the energy that the difference from the reference is worth (Hung and El-Tawil 2009, Eq.
//! 12).

use tandem_coordinator::channels::{GROUND_ACCELERATION, RESPONSE_DISPLACEMENT};
use tandem_coordinator::recorder::{RecorderError, RunReader};

use super::read_at_steps;
use crate::assemble::Test;

/// E_c after every step, J: Σ |r_j (d_j − d_ref,j)| at one degree of freedom, where r is the
/// restoring force at that node, d the computed displacement and d_ref that of the reference.
///
/// At the interface r is the measured force; elsewhere what balances load, inertia and damping: r =
/// F − M a − C v.
pub fn energy_error(
    run: &RunReader,
    test: &Test,
    reference: &[f64],
) -> Result<Vec<f64>, RecorderError> {
    let dof = test.outline.energy_error_dof;
    let response = read_at_steps(run, &RESPONSE_DISPLACEMENT.of(dof + 1), test)?;
    let force = match test.outline.interface.iter().position(|i| *i == dof) {
        Some(i) => {
            let [_, _, force] = test.interface_channels();
            read_at_steps(run, &force.of(i + 1), test)?
        }
        None => balance(run, test, dof)?,
    };
    let mut sum = 0.0;
    Ok(response
        .iter()
        .zip(&force)
        .zip(reference)
        .map(|((d, r), exact)| {
            sum += (r * (d - exact)).abs();
            sum
        })
        .collect())
}

/// F − M a − C v of the undivided structure at one degree of freedom, at the ends of the steps.
fn balance(run: &RunReader, test: &Test, dof: usize) -> Result<Vec<f64>, RecorderError> {
    let whole = test.outline.whole.as_ref();
    let mut force = read_at_steps(run, GROUND_ACCELERATION.name, test)?;
    let load = whole.properties().ground_force();
    for f in &mut force {
        *f *= load[dof];
    }
    for (name, matrix) in [
        ("acceleration", &whole.properties().mass),
        ("velocity", &whole.properties().damping),
    ] {
        for j in 0..whole.properties().dof() {
            let share = matrix.get(dof, j);
            if share.abs() > 0.0 {
                let channel = read_at_steps(run, &format!("response_{name}/{}", j + 1), test)?;
                for (f, x) in force.iter_mut().zip(&channel) {
                    *f -= share * x;
                }
            }
        }
    }
    Ok(force)
}
