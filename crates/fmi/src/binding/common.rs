//! What both versions share: how a function is looked up, called and judged, and an instance's end.

use std::ffi::{CString, c_int, c_void};

use libloading::Library;

use super::guard::Guard;
use super::log::Log;
use super::status;
use crate::{FmuError, Result, Saved, Version};

pub(super) type Component = *mut c_void;
type State = *mut c_void;
pub(super) type Plain = unsafe extern "C" fn(Component) -> c_int;
type Vector = unsafe extern "C" fn(Component, *mut f64, usize) -> c_int;
type PlaceForState = unsafe extern "C" fn(Component, *mut State) -> c_int;

/// A function of the binary and its name; where the binary does not have it, the name alone.
pub(super) struct Symbol<F> {
    pub(super) name: &'static str,
    pub(super) function: Option<F>,
}

impl<F: Copy> Symbol<F> {
    /// Looks it up.
    ///
    /// # Safety
    /// `F` is the standard's type of the function of this name, and what is found here is not
    /// called without the library.
    pub(super) unsafe fn of(library: &Library, name: &'static str) -> Self {
        // SAFETY: as the caller says.
        let found = unsafe { library.get(name.as_bytes()) };
        Self {
            name,
            function: found.ok().map(|symbol| *symbol),
        }
    }

    /// The function, or which one is missing.
    #[inline]
    pub(super) fn there(&self) -> Result<F> {
        self.function
            .ok_or_else(|| FmuError::Binary(format!("the function {} is not in it", self.name)))
    }
}

/// A table of functions, each with its type and its name in the binary.
macro_rules! functions {
    ($table:ident $(($version:ident))? { $($field:ident: $type:ty = $name:expr,)* }) => {
        pub(super) struct $table {
            $(pub(super) $field: $crate::binding::common::Symbol<$type>,)*
        }

        impl $table {
            fn load(library: &libloading::Library $(, $version: $crate::Version)?) -> Self {
                Self {
                    // SAFETY: the type is the standard's for a function of this name; who keeps the
                    // table keeps the library.
                    $($field: unsafe { $crate::binding::common::Symbol::of(library, $name) },)*
                }
            }
        }
    };
}
pub(super) use functions;

/// The name of a function in this version.
macro_rules! named {
    ($version:expr, $name:literal) => {
        named!($version, $name, $name)
    };
    ($version:expr, $two:literal, $three:literal) => {
        match $version {
            Version::Two => concat!("fmi2", $two),
            Version::Three => concat!("fmi3", $three),
        }
    };
}

functions! {
    Shared(version) {
        free_instance: unsafe extern "C" fn(Component) = named!(version, "FreeInstance"),
        exit_initialization: Plain = named!(version, "ExitInitializationMode"),
        terminate: Plain = named!(version, "Terminate"),
        set_time: unsafe extern "C" fn(Component, f64) -> c_int = named!(version, "SetTime"),
        states: Vector = named!(version, "GetContinuousStates"),
        set_states: unsafe extern "C" fn(Component, *const f64, usize) -> c_int
            = named!(version, "SetContinuousStates"),
        derivatives: Vector
            = named!(version, "GetDerivatives", "GetContinuousStateDerivatives"),
        indicators: Vector = named!(version, "GetEventIndicators"),
        enter_event: Plain = named!(version, "EnterEventMode"),
        enter_continuous: Plain = named!(version, "EnterContinuousTimeMode"),
        get_state: PlaceForState = named!(version, "GetFMUstate", "GetFMUState"),
        set_state: unsafe extern "C" fn(Component, State) -> c_int
            = named!(version, "SetFMUstate", "SetFMUState"),
        free_state: PlaceForState = named!(version, "FreeFMUstate", "FreeFMUState"),
    }
}

impl Shared {
    /// Looks up what every instance needs, and the rest without complaint.
    pub(super) fn of(library: &Library, version: Version) -> Result<Self> {
        let shared = Self::load(library, version);
        shared.free_instance.there()?;
        shared.exit_initialization.there()?;
        Ok(shared)
    }
}

/// Calls a function that must be there: `call!(self, functions.field, arguments…)`.
macro_rules! call {
    ($self:ident, $($table:ident).+ $(, $argument:expr)*) => {{
        let symbol = &$self.$($table).+;
        let function = symbol.there()?;
        // SAFETY: the instance is alive; pointers and lengths are those of living slices.
        let code = unsafe { function($self.core.component $(, $argument)*) };
        $self.core.check(symbol.name, code)
    }};
}
pub(super) use call;

/// An instance and what goes with it in either version.
pub(super) struct Core {
    pub(super) shared: Shared,
    pub(super) component: Component,
    saved: Vec<State>,
    pub(super) log: Box<Log>,
    // After all that is used in it: the functions live in it.
    _library: Library,
    // Last: to unload the library runs code of the FMU.
    _guard: Option<Guard>,
}

// SAFETY: the standard lets an instance be used from any thread, one at a time; `&mut self` of
// `Instance` sees to that.
unsafe impl Send for Core {}

impl Core {
    /// Takes an instance over, which is freed with it. `made` is what was called to make it.
    pub(super) fn new(
        (library, guard): (Library, Option<Guard>),
        shared: Shared,
        log: Box<Log>,
        (component, made): (Component, &'static str),
    ) -> Result<Self> {
        if component.is_null() {
            return Err(FmuError::Call {
                function: made,
                status: "no instance",
                log: log.take(),
            });
        }
        Ok(Self {
            shared,
            component,
            saved: Vec::new(),
            log,
            _library: library,
            _guard: guard,
        })
    }

    #[inline]
    pub(super) fn check(&self, function: &'static str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        self.not_ok(function, code)
    }

    /// A warning is counted, anything else is a failure.
    #[cold]
    fn not_ok(&self, function: &'static str, code: c_int) -> Result<()> {
        if code == 1 {
            self.log.warned(function);
            return Ok(());
        }
        Err(FmuError::Call {
            function,
            status: status(code),
            log: self.log.take(),
        })
    }

    pub(super) fn save(&mut self, over: Option<Saved>) -> Result<Saved> {
        let place = match over {
            Some(Saved(place)) if place < self.saved.len() => place,
            _ => {
                self.saved.push(std::ptr::null_mut());
                self.saved.len() - 1
            }
        };
        let mut state = self
            .saved
            .get(place)
            .copied()
            .unwrap_or(std::ptr::null_mut());
        let get = self.shared.get_state.there()?;
        // SAFETY: the instance is alive; the handle is null or one of its states.
        let code = unsafe { get(self.component, &raw mut state) };
        self.check(self.shared.get_state.name, code)?;
        if let Some(slot) = self.saved.get_mut(place) {
            *slot = state;
        }
        Ok(Saved(place))
    }

    pub(super) fn restore(&mut self, saved: Saved) -> Result<()> {
        let state = self.saved.get(saved.0).copied();
        let Some(state) = state.filter(|state| !state.is_null()) else {
            return Err(FmuError::Usage("there is no such saved state".into()));
        };
        let set = self.shared.set_state.there()?;
        // SAFETY: the instance is alive and the state is one of its own.
        let code = unsafe { set(self.component, state) };
        self.check(self.shared.set_state.name, code)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        if let Some(free) = self.shared.free_state.function {
            for state in &mut self.saved {
                if !state.is_null() {
                    // SAFETY: the state is this instance's and is freed once.
                    unsafe { free(self.component, &raw mut *state) };
                }
            }
        }
        if let Some(free) = self.shared.free_instance.function {
            // SAFETY: freed once; library, log and callbacks are still there.
            unsafe { free(self.component) };
        }
    }
}

/// A text as C wants it.
pub(super) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| FmuError::Binary(format!("`{text}` has a zero byte")))
}

/// The part of [`crate::Instance`] that both versions do alike. `Flag` is a truth value that the
/// FMU writes.
macro_rules! alike {
    () => {
        fn exit_initialization(&mut self) -> Result<()> {
            call!(self, core.shared.exit_initialization)
        }
        fn set_text(&mut self, reference: u32, text: &str) -> Result<()> {
            let text = CString::new(text)
                .map_err(|_| FmuError::Usage("a text with a zero byte".into()))?;
            self.set_pointer(&reference, &text.as_ptr())
        }
        fn set_time(&mut self, time: f64) -> Result<()> {
            call!(self, core.shared.set_time, time)
        }
        fn states(&mut self, states: &mut [f64]) -> Result<()> {
            if states.is_empty() {
                return Ok(());
            }
            call!(self, core.shared.states, states.as_mut_ptr(), states.len())
        }
        fn set_states(&mut self, states: &[f64]) -> Result<()> {
            if states.is_empty() {
                return Ok(());
            }
            call!(self, core.shared.set_states, states.as_ptr(), states.len())
        }
        fn derivatives(&mut self, rates: &mut [f64]) -> Result<()> {
            if rates.is_empty() {
                return Ok(());
            }
            call!(
                self,
                core.shared.derivatives,
                rates.as_mut_ptr(),
                rates.len()
            )
        }
        fn indicators(&mut self, values: &mut [f64]) -> Result<()> {
            if values.is_empty() {
                return Ok(());
            }
            call!(
                self,
                core.shared.indicators,
                values.as_mut_ptr(),
                values.len()
            )
        }
        fn completed_step(&mut self) -> Result<Completed> {
            let mut event = Flag::default();
            let mut terminate = Flag::default();
            let (first, second) = (&raw mut event, &raw mut terminate);
            call!(self, functions.completed, Flag::from(true), first, second)?;
            Ok(Completed {
                event: event != 0,
                terminate: terminate != 0,
            })
        }
        fn enter_event_mode(&mut self) -> Result<()> {
            call!(self, core.shared.enter_event)
        }
        fn enter_continuous_time(&mut self) -> Result<()> {
            call!(self, core.shared.enter_continuous)
        }
        fn save(&mut self, over: Option<Saved>) -> Result<Saved> {
            self.core.save(over)
        }
        fn restore(&mut self, saved: Saved) -> Result<()> {
            self.core.restore(saved)
        }
        fn terminate(&mut self) -> Result<()> {
            if self.core.shared.terminate.function.is_none() {
                return Ok(());
            }
            call!(self, core.shared.terminate)
        }
        fn messages(&mut self) -> Vec<String> {
            self.core.log.take()
        }
        fn warnings(&self) -> u64 {
            self.core.log.warnings()
        }
    };
}
pub(super) use alike;
