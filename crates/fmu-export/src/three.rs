//! FMI 3.0. A value reference is the place of a variable's first value plus one; nought is time.

use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

use super::common::*;

// Truth values that the importer hands over are bytes here: in Rust a `bool` that is neither 0 nor
// 1 must not even be there.

type LogMessage = Option<unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char)>;

unsafe fn instance(
    token: *const c_char,
    resources: *const c_char,
    exchange: bool,
    environment: *mut c_void,
    log: LogMessage,
) -> *mut c_void {
    make(|| {
        let logger = log.map_or(Logger::None, |function| Logger::Three {
            function,
            environment,
        });
        // SAFETY: null or strings of the importer's, alive during the call.
        let (token, resources) = unsafe { (text(token).unwrap_or_default(), text(resources)) };
        Component::new(resources.map(PathBuf::from), &token, exchange, logger)
    })
}

/// Places of the values of the variable with this reference; none for time and what is not there.
fn places_of(c: &Component, reference: u32) -> Option<std::ops::Range<usize>> {
    let place = (reference as usize).checked_sub(1)?;
    let range = c.unit.places.get(c.variable_at(place)?)?;
    (range.start == place).then(|| range.clone())
}

/// The same for several variables, one value after the other.
fn flat(c: &Component, references: &[u32]) -> Option<Vec<usize>> {
    let ranges: Option<Vec<_>> = references.iter().map(|r| places_of(c, *r)).collect();
    ranges.map(|ranges| ranges.into_iter().flatten().collect())
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
    unsafe { instance(token, resources, true, environment, log) }
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
    unsafe { instance(token, resources, false, environment, log) }
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

exported! {
    fn fmi3EnterInitializationMode(c, _: u8, _: f64, start: f64, _: u8, _: f64) {
        c.unit.time = start;
        c.enter_initialization()
    }

    fn fmi3GetFloat64(
        c, references: *const u32, count: usize, values: *mut f64, value_count: usize
    ) {
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
                match places_of(c, *reference) {
                    Some(range) => &c.unit.values[range],
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
    }

    fn fmi3SetFloat64(
        c, references: *const u32, count: usize, values: *const f64, value_count: usize
    ) {
        let arrays = slice(references, count).zip(slice(values, value_count));
        let Some((references, values)) = arrays else {
            return c.error(NO_PLACE);
        };
        let mut at = 0;
        for reference in references {
            let range = places_of(c, *reference).filter(|range| {
                c.variable_at(range.start).is_some_and(|v| c.unit.may_set(v))
            });
            let Some(range) = range else {
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
    }

    fn fmi3GetNumberOfVariableDependencies(c, _: u32, count: *mut usize) {
        put(count, 0);
        c.error("dependencies stand in the model description")
    }

    fn fmi3GetVariableDependencies(
        c, _: u32, _: *mut usize, _: *mut u32, _: *mut usize, _: *mut c_int, _: usize
    ) {
        c.error("dependencies stand in the model description")
    }

    fn fmi3GetDirectionalDerivative(
        c,
        unknowns: *const u32,
        unknown_count: usize,
        knowns: *const u32,
        known_count: usize,
        seed: *const f64,
        seed_count: usize,
        sensitivity: *mut f64,
        sensitivity_count: usize
    ) {
        let names = slice(unknowns, unknown_count).zip(slice(knowns, known_count));
        let numbers = slice(seed, seed_count).zip(slice_mut(sensitivity, sensitivity_count));
        let (Some((unknowns, knowns)), Some((seed, sensitivity))) = (names, numbers) else {
            return c.error(NO_PLACE);
        };
        let Some((unknowns, knowns)) = flat(c, unknowns).zip(flat(c, knowns)) else {
            return c.error("there is no such variable");
        };
        if knowns.len() != seed_count || unknowns.len() != sensitivity_count {
            return c.error("the number of seeds or of sensitivities is wrong");
        }
        c.directional(&unknowns, &knowns, seed, sensitivity)
    }

    fn fmi3GetAdjointDerivative(
        c,
        _: *const u32,
        _: usize,
        _: *const u32,
        _: usize,
        _: *const f64,
        _: usize,
        _: *mut f64,
        _: usize
    ) {
        c.error("there are no adjoint derivatives")
    }

    fn fmi3UpdateDiscreteStates(
        _,
        again: *mut bool,
        terminate: *mut bool,
        nominals_changed: *mut bool,
        values_changed: *mut bool,
        next_defined: *mut bool,
        next_time: *mut f64
    ) {
        for flag in [again, terminate, nominals_changed, values_changed, next_defined] {
            put(flag, false);
        }
        put(next_time, 0.0);
        OK
    }

    fn fmi3CompletedIntegratorStep(c, _: u8, event: *mut bool, terminate: *mut bool) {
        put(event, false);
        put(terminate, false);
        c.completed()
    }

    fn fmi3GetNumberOfEventIndicators(_, count: *mut usize) {
        put(count, 0);
        OK
    }

    fn fmi3GetNumberOfContinuousStates(c, count: *mut usize) {
        put(count, c.unit.block.states());
        OK
    }

    fn fmi3DoStep(
        c,
        time: f64,
        size: f64,
        _: u8,
        event: *mut bool,
        terminate: *mut bool,
        early: *mut bool,
        reached: *mut f64
    ) {
        let code = c.step(time, size);
        for flag in [event, terminate, early] {
            put(flag, false);
        }
        put(reached, if code == OK { time + size } else { time });
        code
    }

    fn fmi3ActivateModelPartition(c, _: u32, _: f64) { c.error("there is no Scheduled Execution") }
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
