//! FMI 3.0. A value reference is the place of a variable's first value plus one; nought is time.

use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

use super::common::*;

// Truth values that the importer hands over are bytes here: in Rust a `bool` that is neither 0 nor 1 must not even be there.

type LogMessage = Option<unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char)>;

unsafe fn make(
    token: *const c_char,
    resources: *const c_char,
    exchange: bool,
    environment: *mut c_void,
    log: LogMessage,
) -> *mut c_void {
    let made = std::panic::catch_unwind(|| {
        let logger = match log {
            Some(function) => Logger::Three {
                function,
                environment,
            },
            None => Logger::None,
        };
        // SAFETY: null or strings of the importer's, alive during the call.
        let (token, resources) = unsafe { (text(token).unwrap_or_default(), text(resources)) };
        Component::new(resources.map(PathBuf::from), &token, exchange, logger)
    });
    match made {
        Ok(Some(component)) => Box::into_raw(component).cast(),
        _ => std::ptr::null_mut(),
    }
}

/// Places of the values of the variables with these references; none for time and for what is not there.
fn places_of(c: &Component, references: &[u32]) -> Option<Vec<std::ops::Range<usize>>> {
    let each = references.iter().map(|reference| {
        let place = (*reference as usize).checked_sub(1)?;
        let variable = c.variable_at(place)?;
        c.unit
            .places
            .get(variable)
            .filter(|range| range.start == place)
            .cloned()
    });
    each.collect()
}

/// The same, one value after the other.
fn flat(c: &Component, references: &[u32]) -> Option<Vec<usize>> {
    places_of(c, references).map(|ranges| ranges.into_iter().flatten().collect())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    _: *mut c_void,
    _: u8,
    _: usize,
    _: *const *const c_char,
) -> c_int {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    _name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: u8,
    _logging: u8,
    environment: *mut c_void,
    log: LogMessage,
) -> *mut c_void {
    // SAFETY: strings of the importer's.
    unsafe { make(token, resources, true, environment, log) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    _name: *const c_char,
    token: *const c_char,
    resources: *const c_char,
    _visible: u8,
    _logging: u8,
    _event_mode: u8,
    _early_return: u8,
    _intermediate: *const u32,
    _intermediate_count: usize,
    environment: *mut c_void,
    log: LogMessage,
    _intermediate_update: *mut c_void,
) -> *mut c_void {
    // SAFETY: strings of the importer's.
    unsafe { make(token, resources, false, environment, log) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: u8,
    _logging: u8,
    _environment: *mut c_void,
    _log: LogMessage,
    _clock_update: *mut c_void,
    _lock: *mut c_void,
    _unlock: *mut c_void,
) -> *mut c_void {
    std::ptr::null_mut()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(component: *mut c_void) {
    if !component.is_null() {
        // SAFETY: made by `fmi3Instantiate…`, freed once.
        drop(unsafe { Box::from_raw(component.cast::<Component>()) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    component: *mut c_void,
    _tolerance_defined: u8,
    _tolerance: f64,
    start: f64,
    _stop_defined: u8,
    _stop: f64,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe {
        guard(component, |c| {
            c.unit.time = start;
            c.enter_initialization()
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, Component::exit_initialization) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, Component::terminate) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, Component::reset) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFloat64(
    component: *mut c_void,
    references: *const u32,
    count: usize,
    values: *mut f64,
    value_count: usize,
) -> c_int {
    // SAFETY: an instance and arrays of the importer's.
    unsafe {
        guard(component, |c| {
            let code = c.refresh();
            if code != OK {
                return code;
            }
            let arrays = slice(references, count).zip(slice_mut(values, value_count));
            let Some((references, values)) = arrays else {
                return c.error(NO_PLACE);
            };
            let mut at = 0;
            for reference in references {
                let wanted: &[f64] = if *reference == 0 {
                    std::slice::from_ref(&c.unit.time)
                } else {
                    let place = (*reference as usize) - 1;
                    let range = c.variable_at(place).and_then(|v| c.unit.places.get(v));
                    match range.filter(|range| range.start == place) {
                        Some(range) => &c.unit.values[range.clone()],
                        None => return c.error("there is no such variable"),
                    }
                };
                match values.get_mut(at..at + wanted.len()) {
                    Some(place) => place.copy_from_slice(wanted),
                    None => return c.error("the place for the values is too small"),
                }
                at += wanted.len();
            }
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFloat64(
    component: *mut c_void,
    references: *const u32,
    count: usize,
    values: *const f64,
    value_count: usize,
) -> c_int {
    // SAFETY: an instance and arrays of the importer's.
    unsafe {
        guard(component, |c| {
            let arrays = slice(references, count).zip(slice(values, value_count));
            let Some((references, values)) = arrays else {
                return c.error(NO_PLACE);
            };
            let mut at = 0;
            for reference in references {
                let place = (*reference as usize).wrapping_sub(1);
                let variable = c.variable_at(place).filter(|v| c.unit.may_set(*v));
                let range = variable
                    .and_then(|v| c.unit.places.get(v))
                    .filter(|range| range.start == place);
                let Some(range) = range.cloned() else {
                    return c.error("a variable is not there or cannot be set now");
                };
                match values.get(at..at + range.len()) {
                    Some(from) => c.unit.values[range.clone()].copy_from_slice(from),
                    None => return c.error("there are too few values"),
                }
                at += range.len();
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
    fmi3GetFloat32(*mut f32, usize);
    fmi3SetFloat32(*const f32, usize);
    fmi3GetInt8(*mut i8, usize);
    fmi3SetInt8(*const i8, usize);
    fmi3GetUInt8(*mut u8, usize);
    fmi3SetUInt8(*const u8, usize);
    fmi3GetInt16(*mut i16, usize);
    fmi3SetInt16(*const i16, usize);
    fmi3GetUInt16(*mut u16, usize);
    fmi3SetUInt16(*const u16, usize);
    fmi3GetInt32(*mut i32, usize);
    fmi3SetInt32(*const i32, usize);
    fmi3GetUInt32(*mut u32, usize);
    fmi3SetUInt32(*const u32, usize);
    fmi3GetInt64(*mut i64, usize);
    fmi3SetInt64(*const i64, usize);
    fmi3GetUInt64(*mut u64, usize);
    fmi3SetUInt64(*const u64, usize);
    fmi3GetBoolean(*mut bool, usize);
    fmi3SetBoolean(*const bool, usize);
    fmi3GetString(*mut *const c_char, usize);
    fmi3SetString(*const *const c_char, usize);
    fmi3GetBinary(*mut usize, *mut *const u8, usize);
    fmi3SetBinary(*const usize, *const *const u8, usize);
    fmi3GetClock(*mut bool);
    fmi3SetClock(*const bool);
    fmi3GetIntervalDecimal(*mut f64, *mut c_int);
    fmi3GetIntervalFraction(*mut u64, *mut u64, *mut c_int);
    fmi3GetShiftDecimal(*mut f64);
    fmi3GetShiftFraction(*mut u64, *mut u64);
    fmi3SetIntervalDecimal(*const f64);
    fmi3SetIntervalFraction(*const u64, *const u64);
    fmi3SetShiftDecimal(*const f64);
    fmi3SetShiftFraction(*const u64, *const u64);
    fmi3GetOutputDerivatives(*const i32, *mut f64, usize);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfVariableDependencies(
    component: *mut c_void,
    _: u32,
    count: *mut usize,
) -> c_int {
    // SAFETY: an instance and a place of the importer's.
    unsafe {
        guard(component, |c| {
            put(count, 0);
            c.error("dependencies stand in the model description")
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetVariableDependencies(
    component: *mut c_void,
    _: u32,
    _: *mut usize,
    _: *mut u32,
    _: *mut usize,
    _: *mut c_int,
    _: usize,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe {
        guard(component, |c| {
            c.error("dependencies stand in the model description")
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFMUState(component: *mut c_void, state: *mut *mut c_void) -> c_int {
    // SAFETY: an instance and a handle of the importer's.
    unsafe { guard(component, |c| save(c, state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFMUState(component: *mut c_void, state: *mut c_void) -> c_int {
    // SAFETY: an instance and a handle of the importer's.
    unsafe { guard(component, |c| restore(c, state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeFMUState(
    component: *mut c_void,
    state: *mut *mut c_void,
) -> c_int {
    // SAFETY: an instance and a handle of the importer's.
    unsafe { guard(component, |_| free_state(state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SerializedFMUStateSize(
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
pub unsafe extern "C" fn fmi3SerializeFMUState(
    component: *mut c_void,
    state: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> c_int {
    // SAFETY: an instance, a handle and an array of the importer's.
    unsafe { guard(component, |c| serialize(c, state, bytes, size)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DeserializeFMUState(
    component: *mut c_void,
    bytes: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> c_int {
    // SAFETY: an instance, a handle and an array of the importer's.
    unsafe { guard(component, |c| deserialize(c, bytes, size, state)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetDirectionalDerivative(
    component: *mut c_void,
    unknowns: *const u32,
    unknown_count: usize,
    knowns: *const u32,
    known_count: usize,
    seed: *const f64,
    seed_count: usize,
    sensitivity: *mut f64,
    sensitivity_count: usize,
) -> c_int {
    // SAFETY: an instance and arrays of the importer's.
    unsafe {
        guard(component, |c| {
            let names = slice(unknowns, unknown_count).zip(slice(knowns, known_count));
            let numbers = slice(seed, seed_count).zip(slice_mut(sensitivity, sensitivity_count));
            let (Some((unknowns, knowns)), Some((seed, sensitivity))) = (names, numbers) else {
                return c.error(NO_PLACE);
            };
            let (unknowns, knowns) = (flat(c, unknowns), flat(c, knowns));
            let (Some(unknowns), Some(knowns)) = (unknowns, knowns) else {
                return c.error("there is no such variable");
            };
            if knowns.len() != seed_count || unknowns.len() != sensitivity_count {
                return c.error("the number of seeds or of sensitivities is wrong");
            }
            c.directional(&unknowns, &knowns, seed, sensitivity)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetAdjointDerivative(
    component: *mut c_void,
    _: *const u32,
    _: usize,
    _: *const u32,
    _: usize,
    _: *const f64,
    _: usize,
    _: *mut f64,
    _: usize,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |c| c.error("there are no adjoint derivatives")) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3UpdateDiscreteStates(
    component: *mut c_void,
    again: *mut bool,
    terminate: *mut bool,
    nominals_changed: *mut bool,
    values_changed: *mut bool,
    next_defined: *mut bool,
    next_time: *mut f64,
) -> c_int {
    // SAFETY: an instance and places of the importer's.
    unsafe {
        guard(component, |_| {
            for flag in [
                again,
                terminate,
                nominals_changed,
                values_changed,
                next_defined,
            ] {
                put(flag, false);
            }
            put(next_time, 0.0);
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EvaluateDiscreteStates(component: *mut c_void) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |_| OK) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3CompletedIntegratorStep(
    component: *mut c_void,
    _no_set_before: u8,
    event: *mut bool,
    terminate: *mut bool,
) -> c_int {
    // SAFETY: an instance and places of the importer's.
    unsafe {
        guard(component, |c| {
            put(event, false);
            put(terminate, false);
            c.completed()
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetTime(component: *mut c_void, time: f64) -> c_int {
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
pub unsafe extern "C" fn fmi3SetContinuousStates(
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
pub unsafe extern "C" fn fmi3GetContinuousStates(
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
pub unsafe extern "C" fn fmi3GetContinuousStateDerivatives(
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
pub unsafe extern "C" fn fmi3GetEventIndicators(
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
pub unsafe extern "C" fn fmi3GetNominalsOfContinuousStates(
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
pub unsafe extern "C" fn fmi3GetNumberOfEventIndicators(
    component: *mut c_void,
    count: *mut usize,
) -> c_int {
    // SAFETY: an instance and a place of the importer's.
    unsafe {
        guard(component, |_| {
            put(count, 0);
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfContinuousStates(
    component: *mut c_void,
    count: *mut usize,
) -> c_int {
    // SAFETY: an instance and a place of the importer's.
    unsafe {
        guard(component, |c| {
            put(count, c.unit.block.states());
            OK
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    component: *mut c_void,
    time: f64,
    size: f64,
    _no_set_before: u8,
    event: *mut bool,
    terminate: *mut bool,
    early: *mut bool,
    reached: *mut f64,
) -> c_int {
    // SAFETY: an instance and places of the importer's.
    unsafe {
        guard(component, |c| {
            let code = c.step(time, size);
            for flag in [event, terminate, early] {
                put(flag, false);
            }
            put(reached, if code == OK { time + size } else { time });
            code
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ActivateModelPartition(
    component: *mut c_void,
    _: u32,
    _: f64,
) -> c_int {
    // SAFETY: an instance of the importer's.
    unsafe { guard(component, |c| c.error("there is no Scheduled Execution")) }
}

/// Functions that only change the mode, of which these parts have no more than one.
macro_rules! modes {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(component: *mut c_void) -> c_int {
            // SAFETY: an instance of the importer's.
            unsafe { guard(component, |_| OK) }
        }
    )*};
}

modes! {
    fmi3EnterEventMode
    fmi3EnterConfigurationMode
    fmi3ExitConfigurationMode
    fmi3EnterContinuousTimeMode
    fmi3EnterStepMode
}
