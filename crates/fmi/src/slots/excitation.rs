//! `[excitation] kind = "fmu"`: a ground motion that another tool makes. Nothing of the test acts
//! back on it, so it is sampled before the test.

use super::settings::{FmuFile, FmuStart, NAME, REFERENCE};
use crate::binding::{InstanceOptions, instantiate};
use crate::{FmuError, Input, Options, Solver, WorkerInstance, columns};
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, Values, settings};
use tandem_signal::record::{AccelerationUnit, Record};

use super::{own_process, refuse, starts, unpack};
use tandem_signal::excitation::{Build, Excitation, Sampling, Unit};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: NAME,
        summary: "a Functional Mock-up Unit gives the ground acceleration; it is run before the \
            test",
        reference: REFERENCE,
        parameters: FmuExcitation::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct FmuExcitation {
        file: FmuFile,
        /// variable with the ground acceleration
        output: String = text().or("\"ag\""),
        /// factor on it
        scale: f64 = number(Dimension::NONE).or("1.0"),
        unit: Unit,
        sampling: Sampling,
        /// for Model Exchange
        solver: String = choice(&["euler", "heun", "rk4", "rk45"]).or("\"rk45\""),
        /// relative tolerance of rk45
        tolerance: f64 = number(Dimension::NONE).or("1e-8").positive(),
        start: FmuStart,
    }
}

fn build(values: &Values, _: &Context<'_>) -> Result<Excitation, BuildError> {
    let settings = FmuExcitation::read(values)?;
    let fmu = unpack(&settings.file, &settings.start)?;
    let description = &fmu.description;
    let name = settings.output;
    let options = Options {
        interface: description.preferred(),
        start: 0.0,
        stop: settings.sampling.duration,
        step: settings.sampling.dt,
        solver: Solver::named(&settings.solver).map_err(|e| refuse(&e))?,
        tolerance: Some(settings.tolerance),
        starts: starts(&settings.start.start)?,
        outputs: Some(vec![name.clone()]),
        event_mode: false,
        shorten: false,
        rows: true,
    };
    let wrong = |error: FmuError| {
        BuildError::new(
            "output",
            error.to_string(),
            "name a variable of the FMU, see `tandem fmu info`",
        )
    };
    let ports = columns(description, &options).map_err(wrong)?;
    if ports.len() != 1 {
        return Err(BuildError::new(
            "output",
            format!("`{name}` has {} values", ports.len()),
            "name one value",
        ));
    }
    // Steps are counted before anything is kept.
    let steps = options
        .steps()
        .map_err(|e| BuildError::new("duration", e.to_string(), "choose duration and dt to fit"))?;
    if steps > 100_000_000 {
        return Err(BuildError::new(
            "dt",
            format!("{steps} points"),
            "give a longer dt",
        ));
    }
    let mut samples = Vec::new();
    let mut row = |_: f64, values: &[f64]| {
        samples.extend_from_slice(values);
        Ok(())
    };
    let wish = InstanceOptions::of(options.interface);
    let run = match own_process(&settings.start)? {
        Some(launcher) => WorkerInstance::start(&launcher, &fmu, "excitation", wish)
            .and_then(|mut remote| remote.simulate(&ports, &options, None, &mut row)),
        None => instantiate(&fmu, "excitation", wish).and_then(|mut instance| {
            let nothing = &mut Input::default();
            crate::simulate(instance.as_mut(), description, &options, nothing, &mut row)
        }),
    };
    let end = run.map_err(|e| refuse(&e))?;
    if end.terminated {
        return Err(BuildError::new(
            "duration",
            format!("the FMU asked for the end at t = {} s", end.time),
            "give a shorter duration",
        ));
    }
    let mut notes = Vec::new();
    let variable = crate::find(description, &name).map_err(wrong)?;
    let unit = settings.unit.unit.as_deref().or(variable.unit.as_deref());
    let factor = settings.scale * acceleration(unit, &name, &mut notes)?;
    samples.iter_mut().for_each(|x| *x *= factor);
    let inputs = description
        .variables
        .iter()
        .filter(|v| v.causality == crate::Causality::Input)
        .count();
    if inputs > 0 {
        notes.push(format!(
            "The FMU of the excitation has {inputs} input(s), which keep their start values."
        ));
    }
    let record = Record::new(description.model.clone(), options.step, samples)
        .map_err(|error| BuildError::new("fmu", error.to_string(), "look at its output"))?;
    Ok(Excitation { record, notes })
}

/// m/s² in the unit of an output.
fn acceleration(
    unit: Option<&str>,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<f64, BuildError> {
    match unit.map(AccelerationUnit::parse) {
        Some(Some(unit)) => Ok(unit.factor()),
        None => {
            notes.push(format!(
                "`{name}` of the FMU has no unit: it is taken for m/s²."
            ));
            Ok(1.0)
        }
        Some(None) => Err(BuildError::new(
            "unit",
            format!(
                "`{name}` is given in `{}`, which is no acceleration",
                unit.unwrap_or("")
            ),
            "name another output, or write the unit that it really has",
        )),
    }
}
