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
    let made = std::panic::catch_unwind(|| {
        // SAFETY: null or the importer's structure and strings, alive during the call.
        let (logger, guid, resources) = unsafe {
            let logger = match callbacks.as_ref() {
                Some(callbacks) => match callbacks.logger {
                    Some(function) => Logger::Two {
                        function,
                        environment: callbacks.environment,
                    },
                    None => Logger::None,
                },
                None => Logger::None,
            };
            (logger, text(guid).unwrap_or_default(), text(resources))
        };
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
    });
    match made {
        Ok(Some(component)) => Box::into_raw(component).cast(),
        _ => std::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(component: *mut c_void) {
    if !component.is_null() {
        // SAFETY: made by `fmi2Instantiate`, freed once.
        drop(unsafe { Box::from_raw(component.cast::<Component>()) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    component: *mut c_void,
    _tolerance_defined: c_int,
    _tolerance: f64,
    start: f64,
    _stop_defined: c_int,
    _stop: f64,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe {
        guard(component, |c| {
            c.unit.time = start;
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterInitializationMode(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, Component::enter_initialization) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2ExitInitializationMode(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, Component::exit_initialization) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Terminate(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, Component::terminate) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Reset(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, Component::reset) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetReal(
    component: *mut c_void,
    references: *const u32,
    count: usize,
    values: *mut f64,
) -> c_int {
    // SAFETY: an instance and arrays of the importer's.
    unsafe {
        guard(component, |c| {
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
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetReal(
    component: *mut c_void,
    references: *const u32,
    count: usize,
    values: *const f64,
) -> c_int {
    // SAFETY: an instance and arrays of the importer's.
    unsafe {
        guard(component, |c| {
            let arrays = slice(references, count).zip(slice(values, count));
            let Some((references, values)) = arrays else {
                return c.error(NO_PLACE);
            };
            for (reference, value) in references.iter().zip(values) {
                let place = place(*reference);
                let allowed = c
                    .variable_at(place)
                    .is_some_and(|variable| c.unit.may_set(variable));
                match c.unit.values.get_mut(place) {
                    Some(x) if allowed => *x = *value,
                    _ => return c.error("a variable is not there or cannot be set now"),
                }
            }
            c.unit.stale = true;
            OK
        })
    }
}

/// Functions for types that no variable here has: fine for none, an error for any.
macro_rules! no_variables {
    ($($name:ident($($argument:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(component: *mut c_void, _: *const u32, count: usize, $(_: $argument),*) -> c_int {
            // SAFETY: an instance of the importer's.
            unsafe { guard(component, |c| if count == 0 { OK } else { c.error("there is no variable of this type") }) }
        }
    )*};
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

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(component: *mut c_void, state: *mut *mut c_void) -> c_int {
    // SAFETY: an instance and a handle of the importer's.
    unsafe { guard(component, |c| save(c, state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetFMUstate(component: *mut c_void, state: *mut c_void) -> c_int {
    // SAFETY: an instance and a handle of the importer's.
    unsafe { guard(component, |c| restore(c, state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(
    component: *mut c_void,
    state: *mut *mut c_void,
) -> c_int {
    // SAFETY: an instance and a handle of the importer's.
    unsafe { guard(component, |_| free_state(state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializedFMUstateSize(
    component: *mut c_void,
    state: *mut c_void,
    size: *mut usize,
) -> c_int {
    // SAFETY: an instance, a handle and a place of the importer's.
    unsafe {
        guard(component, |_| {
            put(size, state_size(state));
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializeFMUstate(
    component: *mut c_void,
    state: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> c_int {
    // SAFETY: an instance, a handle and an array of the importer's.
    unsafe { guard(component, |c| serialize(c, state, bytes, size)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
    component: *mut c_void,
    bytes: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> c_int {
    // SAFETY: an instance, a handle and an array of the importer's.
    unsafe { guard(component, |c| deserialize(c, bytes, size, state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDirectionalDerivative(
    component: *mut c_void,
    unknowns: *const u32,
    unknown_count: usize,
    knowns: *const u32,
    known_count: usize,
    seed: *const f64,
    sensitivity: *mut f64,
) -> c_int {
    // SAFETY: an instance and arrays of the importer's.
    unsafe {
        guard(component, |c| {
            let names = slice(unknowns, unknown_count).zip(slice(knowns, known_count));
            let numbers = slice(seed, known_count).zip(slice_mut(sensitivity, unknown_count));
            let (Some((unknowns, knowns)), Some((seed, sensitivity))) = (names, numbers) else {
                return c.error(NO_PLACE);
            };
            let unknowns: Vec<usize> = unknowns.iter().map(|r| place(*r)).collect();
            let knowns: Vec<usize> = knowns.iter().map(|r| place(*r)).collect();
            c.directional(&unknowns, &knowns, seed, sensitivity)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterEventMode(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |_| OK) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2NewDiscreteStates(
    component: *mut c_void,
    info: *mut EventInfo,
) -> c_int {
    // SAFETY: an instance and a place of the importer's.
    unsafe {
        guard(component, |_| {
            put(
                info,
                EventInfo {
                    again: 0,
                    terminate: 0,
                    nominals_changed: 0,
                    values_changed: 0,
                    next_defined: 0,
                    next_time: 0.0,
                },
            );
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterContinuousTimeMode(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |_| OK) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CompletedIntegratorStep(
    component: *mut c_void,
    _no_set_before: c_int,
    event: *mut c_int,
    terminate: *mut c_int,
) -> c_int {
    // SAFETY: an instance and places of the importer's.
    unsafe {
        guard(component, |c| {
            put(event, 0);
            put(terminate, 0);
            c.completed()
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetTime(component: *mut c_void, time: f64) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe {
        guard(component, |c| {
            c.unit.time = time;
            c.unit.stale = true;
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetContinuousStates(
    component: *mut c_void,
    states: *const f64,
    count: usize,
) -> c_int {
    // SAFETY: an instance and an array of the importer's.
    unsafe {
        guard(component, |c| match slice(states, count) {
            Some(states) => c.set_states(states),
            None => c.error(NO_PLACE),
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetContinuousStates(
    component: *mut c_void,
    states: *mut f64,
    count: usize,
) -> c_int {
    // SAFETY: an instance and an array of the importer's.
    unsafe {
        guard(component, |c| match slice_mut(states, count) {
            Some(places) => c.states(false, places),
            None => c.error(NO_PLACE),
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDerivatives(
    component: *mut c_void,
    derivatives: *mut f64,
    count: usize,
) -> c_int {
    // SAFETY: an instance and an array of the importer's.
    unsafe {
        guard(component, |c| match slice_mut(derivatives, count) {
            Some(places) => c.states(true, places),
            None => c.error(NO_PLACE),
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetEventIndicators(
    component: *mut c_void,
    _: *mut f64,
    count: usize,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe {
        guard(component, |c| {
            if count == 0 {
                OK
            } else {
                c.error("there are no event indicators")
            }
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetNominalsOfContinuousStates(
    component: *mut c_void,
    nominals: *mut f64,
    count: usize,
) -> c_int {
    // SAFETY: an instance and an array of the importer's.
    unsafe {
        guard(component, |c| match slice_mut(nominals, count) {
            Some(places) => {
                places.fill(1.0);
                OK
            }
            None => c.error(NO_PLACE),
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DoStep(
    component: *mut c_void,
    time: f64,
    size: f64,
    _no_set_before: c_int,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |c| c.step(time, size)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CancelStep(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |c| c.error("steps are never left unfinished")) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStatus(component: *mut c_void, _: c_int, _: *mut c_int) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |_| DISCARD) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealStatus(
    component: *mut c_void,
    kind: c_int,
    value: *mut f64,
) -> c_int {
    // SAFETY: an instance and a place of the importer's.
    unsafe {
        guard(component, |c| {
            if kind != 2 {
                return DISCARD;
            }
            put(value, c.unit.time);
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetIntegerStatus(
    component: *mut c_void,
    _: c_int,
    _: *mut c_int,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |_| DISCARD) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBooleanStatus(
    component: *mut c_void,
    kind: c_int,
    value: *mut c_int,
) -> c_int {
    // SAFETY: an instance and a place of the importer's.
    unsafe {
        guard(component, |_| {
            if kind != 3 {
                return DISCARD;
            }
            put(value, 0);
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStringStatus(
    component: *mut c_void,
    _: c_int,
    _: *mut *const c_char,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |_| DISCARD) }
}
