//! Functions whose arguments are the same in both versions.

use std::ffi::{c_int, c_void};

use super::common::*;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(component: *mut c_void) {
    // SAFETY: made by `fmi2Instantiate`, freed once.
    unsafe { free(component) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(component: *mut c_void) {
    // SAFETY: made by `fmi3Instantiate…`, freed once.
    unsafe { free(component) };
}

exported! {
    fn fmi2ExitInitializationMode | fmi3ExitInitializationMode(c) { c.exit_initialization() }

    fn fmi2Terminate | fmi3Terminate(c) { c.terminate() }

    fn fmi2Reset | fmi3Reset(c) { c.reset() }

    // These parts have no more than one mode.
    fn fmi2EnterEventMode | fmi3EnterEventMode
        | fmi2EnterContinuousTimeMode | fmi3EnterContinuousTimeMode
        | fmi3EnterConfigurationMode | fmi3ExitConfigurationMode | fmi3EnterStepMode
        | fmi3EvaluateDiscreteStates(_) { OK }

    fn fmi2SetTime | fmi3SetTime(c, time: f64) {
        c.unit.time = time;
        c.unit.stale = true;
        OK
    }

    fn fmi2SetContinuousStates | fmi3SetContinuousStates(c, states: *const f64, count: usize) {
        match slice(states, count) {
            Some(states) => c.set_states(states),
            None => c.error(NO_PLACE),
        }
    }

    fn fmi2GetContinuousStates | fmi3GetContinuousStates(c, states: *mut f64, count: usize) {
        match slice_mut(states, count) {
            Some(places) => c.states(false, places),
            None => c.error(NO_PLACE),
        }
    }

    fn fmi2GetDerivatives | fmi3GetContinuousStateDerivatives(c, rates: *mut f64, count: usize) {
        match slice_mut(rates, count) {
            Some(places) => c.states(true, places),
            None => c.error(NO_PLACE),
        }
    }

    fn fmi2GetNominalsOfContinuousStates | fmi3GetNominalsOfContinuousStates(
        c, nominals: *mut f64, count: usize
    ) {
        match slice_mut(nominals, count) {
            Some(places) => {
                places.fill(1.0);
                OK
            }
            None => c.error(NO_PLACE),
        }
    }

    fn fmi2GetEventIndicators | fmi3GetEventIndicators(c, _: *mut f64, count: usize) {
        c.none_of(count, "there are no event indicators")
    }

    fn fmi2GetFMUstate | fmi3GetFMUState(c, state: *mut *mut c_void) { save(c, state) }

    fn fmi2SetFMUstate | fmi3SetFMUState(c, state: *mut c_void) { restore(c, state) }

    fn fmi2FreeFMUstate | fmi3FreeFMUState(_, state: *mut *mut c_void) { free_state(state) }

    fn fmi2SerializedFMUstateSize | fmi3SerializedFMUStateSize(
        _, state: *mut c_void, size: *mut usize
    ) {
        put(size, state_size(state));
        OK
    }

    fn fmi2SerializeFMUstate | fmi3SerializeFMUState(
        c, state: *mut c_void, bytes: *mut u8, size: usize
    ) {
        serialize(c, state, bytes, size)
    }

    fn fmi2DeSerializeFMUstate | fmi3DeserializeFMUState(
        c, bytes: *const u8, size: usize, state: *mut *mut c_void
    ) {
        deserialize(c, bytes, size, state)
    }
}
