//! Forces out of balance at the interface of a test by operator splitting (Hung and El-Tawil 2009,
//! Fig. 13).

use tandem_coordinator::channels::{
    GROUND_ACCELERATION, Quantity, RESPONSE_ACCELERATION, RESPONSE_DISPLACEMENT, RESPONSE_VELOCITY,
    UNBALANCED_FORCE,
};
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_signal::correlate;
use tandem_structure::Structure;

use super::read_at_steps;
use crate::assemble::Test;
use crate::summary::{FollowedForce, UnbalancedForce};

/// At each interface degree of freedom, over the largest force measured there: mean over the steps,
/// and largest.
///
/// - `assumed`: what the method assumed beyond what it asked, K (d − d̃): the forces that were
///   asked are out of balance by it.
/// - `remaining`: what is out of balance at the end of the steps ([`Followed::remaining`]).
/// - `sum`: forces of both substructures together ([`Followed::sum`]), null where the ground motion
///   loads the degree of freedom.
///
/// None where the method asks at its answer. `notes` gets why the models could not be built, if so.
pub fn figures(
    run: &RunReader,
    test: &Test,
    notes: &mut Vec<String>,
) -> Result<Option<UnbalancedForce>, RecorderError> {
    if test.outline.interface.is_empty() || !run.has(&UNBALANCED_FORCE.of(1)) {
        return Ok(None);
    }
    let whole = test.followed().unwrap_or_else(|error| {
        notes.push(format!(
            "The forces out of balance were not computed along the models of the run: {error}."
        ));
        None
    });
    let followed = whole.map(|whole| follow(run, test, whole)).transpose()?;
    let mut force = UnbalancedForce::default();
    let mut along = FollowedForce::default();
    for i in 0..test.outline.interface.len() {
        let assumed = read_at_steps(run, &UNBALANCED_FORCE.of(i + 1), test)?;
        let [_, _, measured] = test.interface_channels();
        let largest = correlate::peak(&run.read(&measured.of(i + 1))?);
        let share = |x: f64| (largest > 0.0).then_some(x / largest);
        let mean = |force: &[f64]| share(mean_size(force));
        let max = |force: &[f64]| share(correlate::peak(force));
        force.mean_of_peak.push(mean(&assumed));
        force.max_of_peak.push(max(&assumed));
        if let Some(followed) = &followed {
            let (remaining, sum) = (&followed.remaining[i], followed.sum[i].as_deref());
            along.remaining_mean_of_peak.push(mean(remaining));
            along.remaining_max_of_peak.push(max(remaining));
            along.sum_mean_of_peak.push(sum.and_then(mean));
            along.sum_max_of_peak.push(sum.and_then(max));
        }
    }
    force.followed = followed.map(|_| along);
    Ok(Some(force))
}

fn mean_size(values: &[f64]) -> f64 {
    values.iter().map(|x| x.abs()).sum::<f64>() / values.len().max(1) as f64
}

/// The models of both substructures, led along the displacement that was computed: forces at the
/// end of every step, for each interface degree of freedom, N.
pub struct Followed {
    /// F − M a − C v − r(d): what is out of balance.
    pub remaining: Vec<Vec<f64>>,
    /// r(d) of both substructures together, which inertia and damping must balance where the ground
    /// motion does not load the degree of freedom: the unbalanced moment of Hung and El-Tawil. None
    /// where it does.
    pub sum: Vec<Option<Vec<f64>>>,
}

/// Leads the models of both substructures ([`Test::followed`]) along the run.
///
/// # Errors
/// [`RecorderError`] where the record lacks what they are led along.
pub fn follow(
    run: &RunReader,
    test: &Test,
    mut whole: Box<dyn Structure>,
) -> Result<Followed, RecorderError> {
    let dof = whole.properties().dof();
    let read = |of: Quantity| -> Result<Vec<Vec<f64>>, RecorderError> {
        let each = (1..=dof).map(|i| read_at_steps(run, &of.of(i), test));
        each.collect()
    };
    let (d, v, a) = (
        read(RESPONSE_DISPLACEMENT)?,
        read(RESPONSE_VELOCITY)?,
        read(RESPONSE_ACCELERATION)?,
    );
    let ground = read_at_steps(run, GROUND_ACCELERATION.name, test)?;
    let shaken = whole.properties().ground_force();
    let mut remaining = vec![Vec::with_capacity(ground.len()); test.outline.interface.len()];
    let mut sum: Vec<Option<Vec<f64>>> = test
        .outline
        .interface
        .iter()
        .map(|&i| (shaken[i].abs() <= 0.0).then(|| Vec::with_capacity(ground.len())))
        .collect();
    let [mut x, mut rate, mut second, mut force] = [const { Vec::new() }; 4];
    for vector in [&mut x, &mut rate, &mut second, &mut force] {
        vector.resize(dof, 0.0);
    }
    for (step, ground) in ground.iter().enumerate() {
        // At rest there, for forces without damping.
        rate.fill(0.0);
        for i in 0..dof {
            x[i] = d[i][step];
        }
        whole.restoring_force(&x, &rate, &mut force);
        for (sum, &i) in sum.iter_mut().zip(&test.outline.interface) {
            if let Some(sum) = sum {
                sum.push(force[i]);
            }
        }
        for i in 0..dof {
            (rate[i], second[i]) = (v[i][step], a[i][step]);
        }
        whole.restoring_force(&x, &rate, &mut force);
        whole.commit();
        whole.properties().mass.mul_add(1.0, &second, &mut force);
        whole.properties().damping.mul_add(1.0, &rate, &mut force);
        for (left, &i) in remaining.iter_mut().zip(&test.outline.interface) {
            left.push(shaken[i] * ground - force[i]);
        }
    }
    Ok(Followed { remaining, sum })
}
