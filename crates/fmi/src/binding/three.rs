//! FMI 3.0.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use super::guard::Guard;
use super::log::{Log, logger_three};
use super::{Wish, status};
use crate::{
    Completed, Description, Events, FmuError, Instance, Interface, Kind, Offer, Result, Saved,
    Stepped,
};

type Component = *mut c_void;
type State = *mut c_void;
type Logger = extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);

type Plain = unsafe extern "C" fn(Component) -> c_int;
type Get<T> = unsafe extern "C" fn(Component, *const u32, usize, *mut T, usize) -> c_int;
type Set<T> = unsafe extern "C" fn(Component, *const u32, usize, *const T, usize) -> c_int;
type Vector = unsafe extern "C" fn(Component, *mut f64, usize) -> c_int;

/// A truth value in memory that the FMU writes to. In Rust a `bool` that is neither 0 nor 1 must not even be looked at, and nobody knows what the FMU
/// leaves there.
type Flag = u8;

/// What C takes for true.
fn is_set(flag: Flag) -> bool {
    flag != 0
}

/// Reading and writing of one type.
struct Access<T> {
    get: Option<Get<T>>,
    set: Option<Set<T>>,
}

struct Functions {
    model_exchange: Option<
        unsafe extern "C" fn(
            *const c_char,
            *const c_char,
            *const c_char,
            bool,
            bool,
            *mut c_void,
            Logger,
        ) -> Component,
    >,
    #[allow(clippy::type_complexity)] // as the standard has it
    co_simulation: Option<
        unsafe extern "C" fn(
            *const c_char,
            *const c_char,
            *const c_char,
            bool,
            bool,
            bool,
            bool,
            *const u32,
            usize,
            *mut c_void,
            Logger,
            Option<extern "C" fn()>,
        ) -> Component,
    >,
    free_instance: unsafe extern "C" fn(Component),
    enter_configuration: Option<Plain>,
    exit_configuration: Option<Plain>,
    enter_initialization: unsafe extern "C" fn(Component, bool, f64, f64, bool, f64) -> c_int,
    exit_initialization: Plain,
    terminate: Option<Plain>,
    float64: Access<f64>,
    float32: Access<f32>,
    int8: Access<i8>,
    uint8: Access<u8>,
    int16: Access<i16>,
    uint16: Access<u16>,
    int32: Access<i32>,
    uint32: Access<u32>,
    int64: Access<i64>,
    uint64: Access<u64>,
    boolean: Access<Flag>,
    set_string: Option<Set<*const c_char>>,
    #[allow(clippy::type_complexity)] // as the standard has it
    do_step: Option<
        unsafe extern "C" fn(
            Component,
            f64,
            f64,
            bool,
            *mut Flag,
            *mut Flag,
            *mut Flag,
            *mut f64,
        ) -> c_int,
    >,
    enter_step: Option<Plain>,
    set_time: Option<unsafe extern "C" fn(Component, f64) -> c_int>,
    get_states: Option<Vector>,
    set_states: Option<unsafe extern "C" fn(Component, *const f64, usize) -> c_int>,
    derivatives: Option<Vector>,
    indicators: Option<Vector>,
    completed: Option<unsafe extern "C" fn(Component, bool, *mut Flag, *mut Flag) -> c_int>,
    enter_event: Option<Plain>,
    #[allow(clippy::type_complexity)] // as the standard has it
    update_discrete: Option<
        unsafe extern "C" fn(
            Component,
            *mut Flag,
            *mut Flag,
            *mut Flag,
            *mut Flag,
            *mut Flag,
            *mut f64,
        ) -> c_int,
    >,
    enter_continuous: Option<Plain>,
    get_state: Option<unsafe extern "C" fn(Component, *mut State) -> c_int>,
    set_state: Option<unsafe extern "C" fn(Component, State) -> c_int>,
    free_state: Option<unsafe extern "C" fn(Component, *mut State) -> c_int>,
    #[allow(clippy::type_complexity)] // as the standard has it
    directional: Option<
        unsafe extern "C" fn(
            Component,
            *const u32,
            usize,
            *const u32,
            usize,
            *const f64,
            usize,
            *mut f64,
            usize,
        ) -> c_int,
    >,
}

macro_rules! symbol {
    ($library:expr, $name:expr) => {
        // SAFETY: the type is the standard's for a function of this name.
        unsafe {
            $library
                .get(concat!($name, "\0").as_bytes())
                .ok()
                .map(|symbol| *symbol)
        }
    };
}

macro_rules! needed {
    ($library:expr, $name:literal) => {
        symbol!($library, $name)
            .ok_or_else(|| FmuError::Binary(format!("the function {} is not in it", $name)))?
    };
}

macro_rules! access {
    ($library:expr, $name:literal) => {
        Access {
            get: symbol!($library, concat!("fmi3Get", $name)),
            set: symbol!($library, concat!("fmi3Set", $name)),
        }
    };
}

impl Functions {
    fn load(library: &Library) -> Result<Self> {
        Ok(Self {
            model_exchange: symbol!(library, "fmi3InstantiateModelExchange"),
            co_simulation: symbol!(library, "fmi3InstantiateCoSimulation"),
            free_instance: needed!(library, "fmi3FreeInstance"),
            enter_configuration: symbol!(library, "fmi3EnterConfigurationMode"),
            exit_configuration: symbol!(library, "fmi3ExitConfigurationMode"),
            enter_initialization: needed!(library, "fmi3EnterInitializationMode"),
            exit_initialization: needed!(library, "fmi3ExitInitializationMode"),
            terminate: symbol!(library, "fmi3Terminate"),
            float64: access!(library, "Float64"),
            float32: access!(library, "Float32"),
            int8: access!(library, "Int8"),
            uint8: access!(library, "UInt8"),
            int16: access!(library, "Int16"),
            uint16: access!(library, "UInt16"),
            int32: access!(library, "Int32"),
            uint32: access!(library, "UInt32"),
            int64: access!(library, "Int64"),
            uint64: access!(library, "UInt64"),
            boolean: access!(library, "Boolean"),
            set_string: symbol!(library, "fmi3SetString"),
            do_step: symbol!(library, "fmi3DoStep"),
            enter_step: symbol!(library, "fmi3EnterStepMode"),
            set_time: symbol!(library, "fmi3SetTime"),
            get_states: symbol!(library, "fmi3GetContinuousStates"),
            set_states: symbol!(library, "fmi3SetContinuousStates"),
            derivatives: symbol!(library, "fmi3GetContinuousStateDerivatives"),
            indicators: symbol!(library, "fmi3GetEventIndicators"),
            completed: symbol!(library, "fmi3CompletedIntegratorStep"),
            enter_event: symbol!(library, "fmi3EnterEventMode"),
            update_discrete: symbol!(library, "fmi3UpdateDiscreteStates"),
            enter_continuous: symbol!(library, "fmi3EnterContinuousTimeMode"),
            get_state: symbol!(library, "fmi3GetFMUState"),
            set_state: symbol!(library, "fmi3SetFMUState"),
            free_state: symbol!(library, "fmi3FreeFMUState"),
            directional: symbol!(library, "fmi3GetDirectionalDerivative"),
        })
    }
}

/// A running FMU of FMI 3.0.
pub struct Three {
    functions: Functions,
    component: Component,
    saved: Vec<State>,
    event_mode: bool,
    log: Box<Log>,
    // After all that is used in it: the functions live in it.
    _library: Library,
    // Last: to unload the library runs code of the FMU.
    _guard: Option<Guard>,
}

// SAFETY: the standard lets an instance be used from any thread, one at a time; `&mut self` sees to that.
unsafe impl Send for Three {}

impl Three {
    pub(super) fn new(
        (library, guard): (Library, Option<Guard>),
        description: &Description,
        offer: &Offer,
        name: &str,
        resources: &Path,
        wish: Wish,
    ) -> Result<Self> {
        let functions = Functions::load(&library)?;
        let text = |text: &str| {
            CString::new(text).map_err(|_| FmuError::Binary(format!("`{text}` has a zero byte")))
        };
        let log = Box::new(Log::default());
        let environment: *mut c_void = std::ptr::from_ref::<Log>(&log).cast_mut().cast();
        let (name, token) = (text(name)?, text(&description.token)?);
        // An absolute path that ends in a separator.
        let place = text(&format!("{}/", resources.display()))?;
        let mut event_mode = wish.event_mode && offer.event_mode;
        let make = |event_mode: bool| match wish.interface {
            Interface::ModelExchange => functions.model_exchange.map(|function| {
                // SAFETY: C strings live through the call, the log until the instance is freed.
                unsafe {
                    function(
                        name.as_ptr(),
                        token.as_ptr(),
                        place.as_ptr(),
                        false,
                        wish.logging,
                        environment,
                        logger_three,
                    )
                }
            }),
            Interface::CoSimulation => functions.co_simulation.map(|function| {
                // SAFETY: likewise; there are no intermediate variables.
                unsafe {
                    function(
                        name.as_ptr(),
                        token.as_ptr(),
                        place.as_ptr(),
                        false,
                        wish.logging,
                        event_mode,
                        event_mode,
                        std::ptr::null(),
                        0,
                        environment,
                        logger_three,
                        None,
                    )
                }
            }),
        };
        let mut component = make(event_mode).ok_or_else(|| {
            FmuError::Binary("the function that instantiates this interface is not in it".into())
        })?;
        if component.is_null() && event_mode {
            // Some claim an event mode that they do not have.
            event_mode = false;
            component = make(false).unwrap_or(std::ptr::null_mut());
        }
        if component.is_null() {
            return Err(FmuError::Call {
                function: "fmi3Instantiate… (do binary and description have the same instantiationToken?)",
                status: "no instance",
                log: log.take(),
            });
        }
        Ok(Self {
            functions,
            component,
            saved: Vec::new(),
            event_mode,
            log,
            _library: library,
            _guard: guard,
        })
    }

    #[inline]
    fn check(&self, function: &'static str, code: c_int) -> Result<()> {
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

    /// Reads variables that are no floats of 64 bits. Apart, so that reading those is small enough to stand in the loop of a simulation.
    #[inline(never)]
    fn get_other(&mut self, kind: Kind, references: &[u32], values: &mut [f64]) -> Result<()> {
        let f = &self.functions;
        match kind {
            Kind::Float32 => self.get_as(&f.float32, references, values, f64::from),
            Kind::Int8 => self.get_as(&f.int8, references, values, f64::from),
            Kind::UInt8 => self.get_as(&f.uint8, references, values, f64::from),
            Kind::Int16 => self.get_as(&f.int16, references, values, f64::from),
            Kind::UInt16 => self.get_as(&f.uint16, references, values, f64::from),
            Kind::Int32 => self.get_as(&f.int32, references, values, f64::from),
            Kind::UInt32 => self.get_as(&f.uint32, references, values, f64::from),
            Kind::Int64 | Kind::Enumeration => {
                self.get_as(&f.int64, references, values, |x| x as f64)
            }
            Kind::UInt64 => self.get_as(&f.uint64, references, values, |x| x as f64),
            Kind::Boolean => self.get_as(&f.boolean, references, values, |x| f64::from(is_set(x))),
            _ => Err(FmuError::Usage("only numbers can be read here".into())),
        }
    }

    fn get_as<T: Copy + Default>(
        &self,
        access: &Access<T>,
        references: &[u32],
        values: &mut [f64],
        to: impl Fn(T) -> f64,
    ) -> Result<()> {
        let function = access.get.ok_or_else(|| absent("fmi3Get…"))?;
        let mut buffer = vec![T::default(); values.len()];
        // SAFETY: the instance is alive; pointers and lengths are those of living slices.
        let code = unsafe {
            function(
                self.component,
                references.as_ptr(),
                references.len(),
                buffer.as_mut_ptr(),
                buffer.len(),
            )
        };
        self.check("fmi3Get…", code)?;
        for (value, raw) in values.iter_mut().zip(buffer) {
            *value = to(raw);
        }
        Ok(())
    }

    fn set_as<T>(
        &self,
        access: &Access<T>,
        references: &[u32],
        values: &[f64],
        from: impl Fn(f64) -> T,
    ) -> Result<()> {
        let function = access.set.ok_or_else(|| absent("fmi3Set…"))?;
        let buffer: Vec<T> = values.iter().map(|value| from(*value)).collect();
        // SAFETY: likewise.
        let code = unsafe {
            function(
                self.component,
                references.as_ptr(),
                references.len(),
                buffer.as_ptr(),
                buffer.len(),
            )
        };
        self.check("fmi3Set…", code)
    }
}

fn absent(function: &'static str) -> FmuError {
    FmuError::Binary(format!("the function {function} is not in it"))
}

macro_rules! call {
    ($self:ident, $field:ident, $name:literal $(, $argument:expr)*) => {{
        let function = $self.functions.$field.ok_or_else(|| absent($name))?;
        // SAFETY: the instance is alive; pointers and lengths are those of living slices.
        let code = unsafe { function($self.component $(, $argument)*) };
        $self.check($name, code)
    }};
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)]
// Whole numbers travel as f64: exact up to 2^53, saturated at the ends of their type.
impl Instance for Three {
    fn enter_configuration(&mut self) -> Result<()> {
        call!(self, enter_configuration, "fmi3EnterConfigurationMode")
    }
    fn exit_configuration(&mut self) -> Result<()> {
        call!(self, exit_configuration, "fmi3ExitConfigurationMode")
    }
    fn enter_initialization(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<()> {
        // SAFETY: the instance is alive.
        let code = unsafe {
            (self.functions.enter_initialization)(
                self.component,
                tolerance.is_some(),
                tolerance.unwrap_or(0.0),
                start,
                stop.is_some(),
                stop.unwrap_or(0.0),
            )
        };
        self.check("fmi3EnterInitializationMode", code)
    }
    fn exit_initialization(&mut self) -> Result<()> {
        // SAFETY: the instance is alive.
        let code = unsafe { (self.functions.exit_initialization)(self.component) };
        self.check("fmi3ExitInitializationMode", code)
    }
    #[inline(always)]
    fn get(&mut self, kind: Kind, references: &[u32], values: &mut [f64]) -> Result<()> {
        if kind != Kind::Float64 {
            return self.get_other(kind, references, values);
        }
        let function = self.functions.float64.get;
        let function = function.ok_or_else(|| absent("fmi3GetFloat64"))?;
        // SAFETY: the instance is alive; pointers and lengths are those of living slices.
        let code = unsafe {
            function(
                self.component,
                references.as_ptr(),
                references.len(),
                values.as_mut_ptr(),
                values.len(),
            )
        };
        self.check("fmi3GetFloat64", code)
    }
    fn set(&mut self, kind: Kind, references: &[u32], values: &[f64]) -> Result<()> {
        let f = &self.functions;
        super::taken(kind, values)?;
        match kind {
            Kind::Float64 => {
                let function = f.float64.set.ok_or_else(|| absent("fmi3SetFloat64"))?;
                // SAFETY: the instance is alive; pointers and lengths are those of living slices.
                let code = unsafe {
                    function(
                        self.component,
                        references.as_ptr(),
                        references.len(),
                        values.as_ptr(),
                        values.len(),
                    )
                };
                self.check("fmi3SetFloat64", code)
            }
            Kind::Float32 => self.set_as(&f.float32, references, values, |x| x as f32),
            Kind::Int8 => self.set_as(&f.int8, references, values, |x| x as i8),
            Kind::UInt8 => self.set_as(&f.uint8, references, values, |x| x as u8),
            Kind::Int16 => self.set_as(&f.int16, references, values, |x| x as i16),
            Kind::UInt16 => self.set_as(&f.uint16, references, values, |x| x as u16),
            Kind::Int32 => self.set_as(&f.int32, references, values, |x| x as i32),
            Kind::UInt32 => self.set_as(&f.uint32, references, values, |x| x as u32),
            Kind::Int64 | Kind::Enumeration => {
                self.set_as(&f.int64, references, values, |x| x as i64)
            }
            Kind::UInt64 => self.set_as(&f.uint64, references, values, |x| x as u64),
            Kind::Boolean => self.set_as(&f.boolean, references, values, |x| Flag::from(x != 0.0)),
            _ => Err(FmuError::Usage("only numbers can be written here".into())),
        }
    }
    fn set_text(&mut self, reference: u32, text: &str) -> Result<()> {
        let text =
            CString::new(text).map_err(|_| FmuError::Usage("a text with a zero byte".into()))?;
        let pointer = text.as_ptr();
        call!(
            self,
            set_string,
            "fmi3SetString",
            &raw const reference,
            1,
            &raw const pointer,
            1
        )
    }
    #[inline]
    fn step(&mut self, time: f64, size: f64) -> Result<Stepped> {
        let (mut event, mut terminate, mut early, mut reached) = (0, 0, 0, time + size);
        call!(
            self,
            do_step,
            "fmi3DoStep",
            time,
            size,
            true,
            &raw mut event,
            &raw mut terminate,
            &raw mut early,
            &raw mut reached
        )?;
        let terminate = is_set(terminate);
        Ok(Stepped {
            // Who asks for the end may have stopped before that of the step.
            reached: if is_set(early) || terminate {
                reached
            } else {
                time + size
            },
            event: is_set(event),
            terminate,
        })
    }
    fn uses_event_mode(&self) -> bool {
        self.event_mode
    }
    fn enter_step_mode(&mut self) -> Result<()> {
        call!(self, enter_step, "fmi3EnterStepMode")
    }
    fn set_time(&mut self, time: f64) -> Result<()> {
        call!(self, set_time, "fmi3SetTime", time)
    }
    fn states(&mut self, states: &mut [f64]) -> Result<()> {
        if states.is_empty() {
            return Ok(());
        }
        call!(
            self,
            get_states,
            "fmi3GetContinuousStates",
            states.as_mut_ptr(),
            states.len()
        )
    }
    fn set_states(&mut self, states: &[f64]) -> Result<()> {
        if states.is_empty() {
            return Ok(());
        }
        call!(
            self,
            set_states,
            "fmi3SetContinuousStates",
            states.as_ptr(),
            states.len()
        )
    }
    fn derivatives(&mut self, derivatives: &mut [f64]) -> Result<()> {
        if derivatives.is_empty() {
            return Ok(());
        }
        call!(
            self,
            derivatives,
            "fmi3GetContinuousStateDerivatives",
            derivatives.as_mut_ptr(),
            derivatives.len()
        )
    }
    fn indicators(&mut self, indicators: &mut [f64]) -> Result<()> {
        if indicators.is_empty() {
            return Ok(());
        }
        call!(
            self,
            indicators,
            "fmi3GetEventIndicators",
            indicators.as_mut_ptr(),
            indicators.len()
        )
    }
    fn completed_step(&mut self) -> Result<Completed> {
        let (mut event, mut terminate) = (0, 0);
        call!(
            self,
            completed,
            "fmi3CompletedIntegratorStep",
            true,
            &raw mut event,
            &raw mut terminate
        )?;
        Ok(Completed {
            event: is_set(event),
            terminate: is_set(terminate),
        })
    }
    fn enter_event_mode(&mut self) -> Result<()> {
        call!(self, enter_event, "fmi3EnterEventMode")
    }
    fn update_discrete_states(&mut self) -> Result<Events> {
        let (mut again, mut terminate, mut nominals, mut values, mut defined) = (0, 0, 0, 0, 0);
        let mut next = 0.0;
        call!(
            self,
            update_discrete,
            "fmi3UpdateDiscreteStates",
            &raw mut again,
            &raw mut terminate,
            &raw mut nominals,
            &raw mut values,
            &raw mut defined,
            &raw mut next
        )?;
        Ok(Events {
            again: is_set(again),
            terminate: is_set(terminate),
            states_changed: is_set(values),
            next_time: is_set(defined).then_some(next),
        })
    }
    fn enter_continuous_time(&mut self) -> Result<()> {
        call!(self, enter_continuous, "fmi3EnterContinuousTimeMode")
    }
    fn save(&mut self, over: Option<Saved>) -> Result<Saved> {
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
        call!(self, get_state, "fmi3GetFMUState", &raw mut state)?;
        if let Some(slot) = self.saved.get_mut(place) {
            *slot = state;
        }
        Ok(Saved(place))
    }
    fn restore(&mut self, saved: Saved) -> Result<()> {
        match self.saved.get(saved.0).copied() {
            Some(state) if !state.is_null() => call!(self, set_state, "fmi3SetFMUState", state),
            _ => Err(FmuError::Usage("there is no such saved state".into())),
        }
    }
    fn directional(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> Result<()> {
        call!(
            self,
            directional,
            "fmi3GetDirectionalDerivative",
            unknowns.as_ptr(),
            unknowns.len(),
            knowns.as_ptr(),
            knowns.len(),
            seed.as_ptr(),
            seed.len(),
            sensitivity.as_mut_ptr(),
            sensitivity.len()
        )
    }
    fn terminate(&mut self) -> Result<()> {
        match self.functions.terminate {
            Some(_) => call!(self, terminate, "fmi3Terminate"),
            None => Ok(()),
        }
    }
    fn messages(&mut self) -> Vec<String> {
        self.log.take()
    }
    fn warnings(&self) -> u64 {
        self.log.warnings()
    }
}

impl Drop for Three {
    fn drop(&mut self) {
        if let Some(free) = self.functions.free_state {
            for state in &mut self.saved {
                if !state.is_null() {
                    // SAFETY: the state is this instance's and is freed once.
                    unsafe { free(self.component, &raw mut *state) };
                }
            }
        }
        // SAFETY: freed once; the library is still there.
        unsafe { (self.functions.free_instance)(self.component) };
    }
}
