//! FMI 2.0. A value reference is the place of a value plus one.

use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

use super::common::*;

#[repr(C)]
pub struct Callbacks {
    logger: Option<
        unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...),
    >,
    allocate: *mut c_void,
    free: *mut c_void,
    step_finished: *mut c_void,
    environment: *mut c_void,
}

#[repr(C)]
#[derive(Default)]
pub struct EventInfo {
    again: c_int,
    terminate: c_int,
    nominals_changed: c_int,
    values_changed: c_int,
    next_defined: c_int,
    next_time: f64,
}

/// The folder that a file URI (or a bare path) names.
fn folder(uri: &str) -> PathBuf {
    let path = uri
        .strip_prefix("file://")
        .map_or(uri, |rest| rest.strip_prefix("localhost").unwrap_or(rest));
    let path = path.strip_prefix("file:").unwrap_or(path);
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail
            .get(..2)
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match (first, hex) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

fn place(reference: u32) -> usize {
    (reference as usize).wrapping_sub(1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetDebugLogging(
    _: *mut c_void,
    _: c_int,
    _: usize,
    _: *const *const c_char,
) -> c_int {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    _name: *const c_char,
    kind: c_int,
    guid: *const c_char,
    resources: *const c_char,
    callbacks: *const Callbacks,
    _visible: c_int,
    _logging: c_int,
) -> *mut c_void {
    make(|| {
        // SAFETY: null or the importer's structure, alive during the call.
        let callbacks = unsafe { callbacks.as_ref() };
        let logger = callbacks.and_then(|callbacks| {
            Some(Logger::Two {
                function: callbacks.logger?,
                environment: callbacks.environment,
            })
        });
        let logger = logger.unwrap_or(Logger::None);
        // SAFETY: null or strings of the importer's, alive during the call.
        let (guid, resources) = unsafe { (text(guid).unwrap_or_default(), text(resources)) };
        let exchange = match kind {
            0 => true,
            1 => false,
            other => {
                logger.tell(
                    ERROR,
                    &format!("{other} is no fmi2Type: 0 is Model Exchange, 1 Co-Simulation"),
                );
                return None;
            }
        };
        Component::new(resources.map(|uri| folder(&uri)), &guid, exchange, logger)
    })
}

exported! {
    fn fmi2SetupExperiment(c, _: c_int, _: f64, start: f64, _: c_int, _: f64) {
        c.unit.time = start;
        OK
    }

    fn fmi2EnterInitializationMode(c) { c.enter_initialization() }

    fn fmi2GetReal(c, references: *const u32, count: usize, values: *mut f64) {
        let code = c.refresh();
        if code != OK {
            return code;
        }
        let arrays = slice(references, count).zip(slice_mut(values, count));
        let Some((references, values)) = arrays else {
            return c.error(NO_PLACE);
        };
        for (reference, value) in references.iter().zip(values) {
            match c.unit.values.get(place(*reference)) {
                Some(x) => *value = *x,
                None => return c.error("there is no such variable"),
            }
        }
        OK
    }

    fn fmi2SetReal(c, references: *const u32, count: usize, values: *const f64) {
        let arrays = slice(references, count).zip(slice(values, count));
        let Some((references, values)) = arrays else {
            return c.error(NO_PLACE);
        };
        for (reference, value) in references.iter().zip(values) {
            let place = place(*reference);
            let variable = c.variable_at(place);
            let allowed = variable.is_some_and(|variable| c.unit.may_set(variable));
            match c.unit.values.get_mut(place) {
                Some(x) if allowed => *x = *value,
                _ => return c.error("a variable is not there or cannot be set now"),
            }
        }
        c.unit.stale = true;
        OK
    }

    fn fmi2GetDirectionalDerivative(
        c,
        unknowns: *const u32,
        unknown_count: usize,
        knowns: *const u32,
        known_count: usize,
        seed: *const f64,
        sensitivity: *mut f64
    ) {
        let names = slice(unknowns, unknown_count).zip(slice(knowns, known_count));
        let numbers = slice(seed, known_count).zip(slice_mut(sensitivity, unknown_count));
        let (Some((unknowns, knowns)), Some((seed, sensitivity))) = (names, numbers) else {
            return c.error(NO_PLACE);
        };
        let unknowns: Vec<usize> = unknowns.iter().map(|r| place(*r)).collect();
        let knowns: Vec<usize> = knowns.iter().map(|r| place(*r)).collect();
        c.directional(&unknowns, &knowns, seed, sensitivity)
    }

    fn fmi2NewDiscreteStates(_, info: *mut EventInfo) {
        put(info, EventInfo::default());
        OK
    }

    fn fmi2CompletedIntegratorStep(c, _: c_int, event: *mut c_int, terminate: *mut c_int) {
        put(event, 0);
        put(terminate, 0);
        c.completed()
    }

    fn fmi2DoStep(c, time: f64, size: f64, _: c_int) { c.step(time, size) }

    fn fmi2CancelStep(c) { c.error("steps are never left unfinished") }

    fn fmi2GetStatus | fmi2GetIntegerStatus(_, _: c_int, _: *mut c_int) { DISCARD }

    fn fmi2GetStringStatus(_, _: c_int, _: *mut *const c_char) { DISCARD }

    fn fmi2GetRealStatus(c, kind: c_int, value: *mut f64) {
        if kind != 2 {
            return DISCARD;
        }
        put(value, c.unit.time);
        OK
    }

    fn fmi2GetBooleanStatus(_, kind: c_int, value: *mut c_int) {
        if kind != 3 {
            return DISCARD;
        }
        put(value, 0);
        OK
    }
}

no_variables! {
    fmi2GetInteger(*mut c_int);
    fmi2GetBoolean(*mut c_int);
    fmi2GetString(*mut *const c_char);
    fmi2SetInteger(*const c_int);
    fmi2SetBoolean(*const c_int);
    fmi2SetString(*const *const c_char);
    fmi2SetRealInputDerivatives(*const c_int, *const f64);
    fmi2GetRealOutputDerivatives(*const c_int, *mut f64);
}
