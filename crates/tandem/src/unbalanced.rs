//! Forces out of balance at the interface of a test by operator splitting (Hung and El-Tawil 2009, Fig. 13).

use serde_json::{Value, json};
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_signal::correlate;
use tandem_structure::Structure;

use crate::assemble::Test;
use crate::summary::at_steps;

/// At each interface degree of freedom, over the largest force measured there: mean over the steps, and largest.
///
/// - `assumed`: what the method assumed beyond what it asked, K (d − d̃): the forces that were asked are out of balance by it.
/// - `remaining`: what is out of balance at the end of the steps, F − M a − C v − r(d), with r of the models of both
///   substructures at the displacement that was computed; only a virtual test knows it.
///
/// None where the method asks at its answer.
pub fn figures(run: &RunReader, test: &Test) -> Result<Option<Value>, RecorderError> {
    if test.interface.is_empty() || !has(run, "unbalanced_force/1") {
        return Ok(None);
    }
    let remaining = remaining(run, test)?;
    let [mut mean, mut max, mut mean_left, mut max_left] = [const { Vec::new() }; 4];
    for i in 0..test.interface.len() {
        let assumed = at_steps(&run.read(&format!("unbalanced_force/{}", i + 1))?, test);
        let [_, _, measured] = test.interface_channels();
        let largest = correlate::peak(&run.read(&format!("{measured}/{}", i + 1))?);
        let share = |x: f64| (largest > 0.0).then_some(x / largest);
        mean.push(share(mean_size(&assumed)));
        max.push(share(correlate::peak(&assumed)));
        if let Some(remaining) = &remaining {
            mean_left.push(share(mean_size(&remaining[i])));
            max_left.push(share(correlate::peak(&remaining[i])));
        }
    }
    let mut value = json!({ "mean_of_peak": mean, "max_of_peak": max });
    if remaining.is_some() {
        value["remaining_mean_of_peak"] = json!(mean_left);
        value["remaining_max_of_peak"] = json!(max_left);
    }
    Ok(Some(value))
}

fn has(run: &RunReader, name: &str) -> bool {
    run.channels().any(|channel| channel.name == name)
}

#[allow(clippy::cast_precision_loss)] // far below 2^53
fn mean_size(values: &[f64]) -> f64 {
    values.iter().map(|x| x.abs()).sum::<f64>() / values.len().max(1) as f64
}

/// F − M a − C v − r(d) at every interface degree of freedom and the end of every step, N. None where the specimen has no model
/// that could be followed, or where the method weighs the balance of two instants.
pub fn remaining(run: &RunReader, test: &Test) -> Result<Option<Vec<Vec<f64>>>, RecorderError> {
    let Some(mut whole) = test.followed() else {
        return Ok(None);
    };
    let dof = whole.dof();
    let read = |name: &str| -> Result<Vec<Vec<f64>>, RecorderError> {
        (1..=dof)
            .map(|i| Ok(at_steps(&run.read(&format!("{name}/{i}"))?, test)))
            .collect()
    };
    let (d, v, a) = (
        read("response_displacement")?,
        read("response_velocity")?,
        read("response_acceleration")?,
    );
    let ground = at_steps(&run.read("ground_acceleration")?, test);
    let mut shaken = vec![0.0; dof];
    whole
        .ground_mass()
        .mul_add(-1.0, whole.influence(), &mut shaken);
    let mut left = vec![Vec::with_capacity(ground.len()); test.interface.len()];
    let [mut x, mut rate, mut second, mut force] = [const { Vec::new() }; 4];
    for vector in [&mut x, &mut rate, &mut second, &mut force] {
        vector.resize(dof, 0.0);
    }
    for (step, ground) in ground.iter().enumerate() {
        for i in 0..dof {
            (x[i], rate[i], second[i]) = (d[i][step], v[i][step], a[i][step]);
        }
        whole.restoring_force(&x, &rate, &mut force);
        whole.commit();
        whole.mass().mul_add(1.0, &second, &mut force);
        whole.damping().mul_add(1.0, &rate, &mut force);
        for (left, &i) in left.iter_mut().zip(&test.interface) {
            left.push(shaken[i] * ground - force[i]);
        }
    }
    Ok(Some(left))
}
