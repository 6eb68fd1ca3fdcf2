//! FMI 2.0.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use super::guard::Guard;
use super::log::{Log, logger_two};
use super::{Wish, status};
use crate::{
    Completed, Description, Events, FmuError, Instance, Interface, Kind, Result, Saved, Stepped,
};

type Component = *mut c_void;
type State = *mut c_void;

#[repr(C)]
struct Callbacks {
    logger: extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char),
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    step_finished: Option<extern "C" fn(*mut c_void, c_int)>,
    environment: *mut c_void,
}

unsafe extern "C" {
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

#[repr(C)]
#[derive(Default)]
struct EventInfo {
    again: c_int,
    terminate: c_int,
    nominals_changed: c_int,
    values_changed: c_int,
    next_defined: c_int,
    next_time: f64,
}

type Plain = unsafe extern "C" fn(Component) -> c_int;
type Numbers<T> = unsafe extern "C" fn(Component, *const u32, usize, *mut T) -> c_int;
type SetNumbers<T> = unsafe extern "C" fn(Component, *const u32, usize, *const T) -> c_int;
type Vector = unsafe extern "C" fn(Component, *mut f64, usize) -> c_int;

/// The functions; those that may be missing are looked up without complaint.
struct Functions {
    instantiate: unsafe extern "C" fn(
        *const c_char,
        c_int,
        *const c_char,
        *const c_char,
        *const Callbacks,
        c_int,
        c_int,
    ) -> Component,
    free_instance: unsafe extern "C" fn(Component),
    setup: unsafe extern "C" fn(Component, c_int, f64, f64, c_int, f64) -> c_int,
    enter_initialization: Plain,
    exit_initialization: Plain,
    terminate: Option<Plain>,
    get_real: Option<Numbers<f64>>,
    get_integer: Option<Numbers<c_int>>,
    get_boolean: Option<Numbers<c_int>>,
    set_real: Option<SetNumbers<f64>>,
    set_integer: Option<SetNumbers<c_int>>,
    set_boolean: Option<SetNumbers<c_int>>,
    set_string: Option<SetNumbers<*const c_char>>,
    do_step: Option<unsafe extern "C" fn(Component, f64, f64, c_int) -> c_int>,
    boolean_status: Option<unsafe extern "C" fn(Component, c_int, *mut c_int) -> c_int>,
    real_status: Option<unsafe extern "C" fn(Component, c_int, *mut f64) -> c_int>,
    set_time: Option<unsafe extern "C" fn(Component, f64) -> c_int>,
    get_states: Option<Vector>,
    set_states: Option<unsafe extern "C" fn(Component, *const f64, usize) -> c_int>,
    derivatives: Option<Vector>,
    indicators: Option<Vector>,
    completed: Option<unsafe extern "C" fn(Component, c_int, *mut c_int, *mut c_int) -> c_int>,
    enter_event: Option<Plain>,
    new_discrete: Option<unsafe extern "C" fn(Component, *mut EventInfo) -> c_int>,
    enter_continuous: Option<Plain>,
    get_state: Option<unsafe extern "C" fn(Component, *mut State) -> c_int>,
    set_state: Option<unsafe extern "C" fn(Component, State) -> c_int>,
    free_state: Option<unsafe extern "C" fn(Component, *mut State) -> c_int>,
    directional: Option<
        unsafe extern "C" fn(
            Component,
            *const u32,
            usize,
            *const u32,
            usize,
            *const f64,
            *mut f64,
        ) -> c_int,
    >,
}

/// The symbol, copied out of the library, which must be kept.
macro_rules! symbol {
    ($library:expr, $name:literal) => {
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

impl Functions {
    fn load(library: &Library) -> Result<Self> {
        Ok(Self {
            instantiate: needed!(library, "fmi2Instantiate"),
            free_instance: needed!(library, "fmi2FreeInstance"),
            setup: needed!(library, "fmi2SetupExperiment"),
            enter_initialization: needed!(library, "fmi2EnterInitializationMode"),
            exit_initialization: needed!(library, "fmi2ExitInitializationMode"),
            terminate: symbol!(library, "fmi2Terminate"),
            get_real: symbol!(library, "fmi2GetReal"),
            get_integer: symbol!(library, "fmi2GetInteger"),
            get_boolean: symbol!(library, "fmi2GetBoolean"),
            set_real: symbol!(library, "fmi2SetReal"),
            set_integer: symbol!(library, "fmi2SetInteger"),
            set_boolean: symbol!(library, "fmi2SetBoolean"),
            set_string: symbol!(library, "fmi2SetString"),
            do_step: symbol!(library, "fmi2DoStep"),
            boolean_status: symbol!(library, "fmi2GetBooleanStatus"),
            real_status: symbol!(library, "fmi2GetRealStatus"),
            set_time: symbol!(library, "fmi2SetTime"),
            get_states: symbol!(library, "fmi2GetContinuousStates"),
            set_states: symbol!(library, "fmi2SetContinuousStates"),
            derivatives: symbol!(library, "fmi2GetDerivatives"),
            indicators: symbol!(library, "fmi2GetEventIndicators"),
            completed: symbol!(library, "fmi2CompletedIntegratorStep"),
            enter_event: symbol!(library, "fmi2EnterEventMode"),
            new_discrete: symbol!(library, "fmi2NewDiscreteStates"),
            enter_continuous: symbol!(library, "fmi2EnterContinuousTimeMode"),
            get_state: symbol!(library, "fmi2GetFMUstate"),
            set_state: symbol!(library, "fmi2SetFMUstate"),
            free_state: symbol!(library, "fmi2FreeFMUstate"),
            directional: symbol!(library, "fmi2GetDirectionalDerivative"),
        })
    }
}

/// A running FMU of FMI 2.0.
pub struct Two {
    functions: Functions,
    component: Component,
    saved: Vec<State>,
    scratch: Vec<c_int>,
    log: Box<Log>,
    // The FMU may keep the pointer to its callbacks until it is freed.
    _callbacks: Box<Callbacks>,
    // After all that is used in it: the functions live in it.
    _library: Library,
    // Last: to unload the library runs code of the FMU.
    _guard: Option<Guard>,
}

// SAFETY: the standard lets an instance be used from any thread, one at a time; `&mut self` sees to that.
unsafe impl Send for Two {}

impl Two {
    pub(super) fn new(
        (library, guard): (Library, Option<Guard>),
        description: &Description,
        name: &str,
        resources: &Path,
        wish: Wish,
    ) -> Result<Self> {
        let functions = Functions::load(&library)?;
        check_version(&library)?;
        let text = |text: &str| {
            CString::new(text).map_err(|_| FmuError::Binary(format!("`{text}` has a zero byte")))
        };
        let log = Box::new(Log::default());
        let callbacks = Box::new(Callbacks {
            logger: logger_two,
            allocate: calloc,
            free,
            step_finished: None,
            environment: std::ptr::from_ref::<Log>(&log).cast_mut().cast(),
        });
        let (name, guid) = (text(name)?, text(&description.token)?);
        let place = text(&file_uri(resources))?;
        // SAFETY: C strings and callbacks live through the call; the callbacks until the instance is freed.
        let component = unsafe {
            (functions.instantiate)(
                name.as_ptr(),
                c_int::from(wish.interface == Interface::CoSimulation),
                guid.as_ptr(),
                place.as_ptr(),
                &raw const *callbacks,
                0,
                c_int::from(wish.logging),
            )
        };
        if component.is_null() {
            return Err(FmuError::Call {
                function: "fmi2Instantiate (do binary and description have the same guid?)",
                status: "no instance",
                log: log.take(),
            });
        }
        Ok(Self {
            functions,
            component,
            saved: Vec::new(),
            scratch: Vec::new(),
            log,
            _callbacks: callbacks,
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
}

/// A binary of another version has other functions under the same names. One that does not tell its version is taken at its description's word.
fn check_version(library: &Library) -> Result<()> {
    let told: Option<unsafe extern "C" fn() -> *const c_char> = symbol!(library, "fmi2GetVersion");
    let Some(told) = told else { return Ok(()) };
    // SAFETY: it takes nothing; what it gives is null or a C string of the library's.
    let version = unsafe {
        let version = told();
        (!version.is_null()).then(|| CStr::from_ptr(version).to_string_lossy().into_owned())
    };
    match version.as_deref() {
        Some("2.0") => Ok(()),
        other => Err(FmuError::Binary(format!(
            "fmi2GetVersion says {}, and the description FMI 2.0",
            other.map_or("nothing".to_owned(), |other| format!("`{other}`"))
        ))),
    }
}

fn absent(function: &'static str) -> FmuError {
    FmuError::Binary(format!("the function {function} is not in it"))
}

/// A file URI; everything unusual in the path is escaped.
fn file_uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Calls a function that must be there: `call!(self, field, "fmi2Name", arguments…)`.
macro_rules! call {
    ($self:ident, $field:ident, $name:literal $(, $argument:expr)*) => {{
        let function = $self.functions.$field.ok_or_else(|| absent($name))?;
        // SAFETY: the instance is alive; pointers and lengths are those of living slices.
        let code = unsafe { function($self.component $(, $argument)*) };
        $self.check($name, code)
    }};
}

#[allow(clippy::cast_possible_truncation)] // whole numbers travel as f64 and come back exact up to 2^53
fn whole(value: f64) -> c_int {
    value as c_int
}

impl Two {
    /// Reads variables that are no floats. Apart, so that reading floats is small enough to stand in the loop of a simulation.
    #[inline(never)]
    fn get_whole(&mut self, kind: Kind, references: &[u32], values: &mut [f64]) -> Result<()> {
        let count = references.len().min(values.len());
        self.scratch.resize(count, 0);
        let scratch = self.scratch.as_mut_ptr();
        match kind {
            Kind::Boolean => call!(
                self,
                get_boolean,
                "fmi2GetBoolean",
                references.as_ptr(),
                count,
                scratch
            )?,
            Kind::Int32 | Kind::Enumeration => call!(
                self,
                get_integer,
                "fmi2GetInteger",
                references.as_ptr(),
                count,
                scratch
            )?,
            _ => return Err(FmuError::Usage("only numbers can be read here".into())),
        }
        for (value, whole) in values.iter_mut().zip(&self.scratch) {
            // What C takes for true is one here, as in the other version of the standard.
            *value = match kind {
                Kind::Boolean => f64::from(*whole != 0),
                _ => f64::from(*whole),
            };
        }
        Ok(())
    }

    /// A step that was answered by something else than OK.
    #[cold]
    fn not_simply_done(&mut self, code: c_int, time: f64, size: f64) -> Result<Stepped> {
        let mut stepped = Stepped {
            reached: time + size,
            event: false,
            terminate: false,
        };
        // Discard: the step ended early; fmi2Terminated and fmi2LastSuccessfulTime tell more.
        if code == 2 {
            let (mut ended, mut reached) = (0, time);
            let mut told = false;
            if let Some(status) = self.functions.boolean_status {
                // SAFETY: a living instance and a living integer.
                told = unsafe { status(self.component, 3, &raw mut ended) } <= 1;
            }
            if told && ended != 0 {
                if let Some(status) = self.functions.real_status {
                    let mut claim = time;
                    // SAFETY: a living instance and a living number.
                    if unsafe { status(self.component, 2, &raw mut claim) } <= 1 {
                        reached = claim;
                    }
                }
                stepped.reached = reached;
                stepped.terminate = true;
                return Ok(stepped);
            }
        }
        self.check("fmi2DoStep", code)?;
        Ok(stepped)
    }
}

impl Instance for Two {
    fn enter_initialization(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<()> {
        // SAFETY: the instance is alive.
        let code = unsafe {
            (self.functions.setup)(
                self.component,
                c_int::from(tolerance.is_some()),
                tolerance.unwrap_or(0.0),
                start,
                c_int::from(stop.is_some()),
                stop.unwrap_or(0.0),
            )
        };
        self.check("fmi2SetupExperiment", code)?;
        // SAFETY: likewise.
        let code = unsafe { (self.functions.enter_initialization)(self.component) };
        self.check("fmi2EnterInitializationMode", code)
    }
    fn exit_initialization(&mut self) -> Result<()> {
        // SAFETY: the instance is alive.
        let code = unsafe { (self.functions.exit_initialization)(self.component) };
        self.check("fmi2ExitInitializationMode", code)
    }
    #[inline(always)]
    fn get(&mut self, kind: Kind, references: &[u32], values: &mut [f64]) -> Result<()> {
        if kind != Kind::Float64 {
            return self.get_whole(kind, references, values);
        }
        let count = references.len().min(values.len());
        call!(
            self,
            get_real,
            "fmi2GetReal",
            references.as_ptr(),
            count,
            values.as_mut_ptr()
        )
    }
    fn set(&mut self, kind: Kind, references: &[u32], values: &[f64]) -> Result<()> {
        let count = references.len().min(values.len());
        match kind {
            Kind::Float64 => call!(
                self,
                set_real,
                "fmi2SetReal",
                references.as_ptr(),
                count,
                values.as_ptr()
            ),
            Kind::Boolean | Kind::Int32 | Kind::Enumeration => {
                // Enumerations travel as integers here.
                super::taken(
                    if kind == Kind::Enumeration {
                        Kind::Int32
                    } else {
                        kind
                    },
                    values,
                )?;
                self.scratch.clear();
                self.scratch
                    .extend(values.iter().map(|value| whole(*value)));
                let scratch = self.scratch.as_ptr();
                if kind == Kind::Boolean {
                    call!(
                        self,
                        set_boolean,
                        "fmi2SetBoolean",
                        references.as_ptr(),
                        count,
                        scratch
                    )
                } else {
                    call!(
                        self,
                        set_integer,
                        "fmi2SetInteger",
                        references.as_ptr(),
                        count,
                        scratch
                    )
                }
            }
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
            "fmi2SetString",
            &raw const reference,
            1,
            &raw const pointer
        )
    }
    fn step(&mut self, time: f64, size: f64) -> Result<Stepped> {
        let told = self.step_simply(time, size)?;
        Ok(told.unwrap_or(Stepped {
            reached: time + size,
            event: false,
            terminate: false,
        }))
    }
    #[inline(always)]
    fn step_simply(&mut self, time: f64, size: f64) -> Result<Option<Stepped>> {
        let function = self.functions.do_step.ok_or_else(|| absent("fmi2DoStep"))?;
        // SAFETY: the instance is alive.
        let code = unsafe { function(self.component, time, size, 1) };
        if code == 0 {
            return Ok(None);
        }
        self.not_simply_done(code, time, size).map(Some)
    }
    fn enter_step_mode(&mut self) -> Result<()> {
        Ok(())
    }
    fn set_time(&mut self, time: f64) -> Result<()> {
        call!(self, set_time, "fmi2SetTime", time)
    }
    fn states(&mut self, states: &mut [f64]) -> Result<()> {
        if states.is_empty() {
            return Ok(());
        }
        call!(
            self,
            get_states,
            "fmi2GetContinuousStates",
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
            "fmi2SetContinuousStates",
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
            "fmi2GetDerivatives",
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
            "fmi2GetEventIndicators",
            indicators.as_mut_ptr(),
            indicators.len()
        )
    }
    fn completed_step(&mut self) -> Result<Completed> {
        let (mut event, mut terminate) = (0, 0);
        call!(
            self,
            completed,
            "fmi2CompletedIntegratorStep",
            1,
            &raw mut event,
            &raw mut terminate
        )?;
        Ok(Completed {
            event: event != 0,
            terminate: terminate != 0,
        })
    }
    fn enter_event_mode(&mut self) -> Result<()> {
        call!(self, enter_event, "fmi2EnterEventMode")
    }
    fn update_discrete_states(&mut self) -> Result<Events> {
        let mut info = EventInfo::default();
        call!(self, new_discrete, "fmi2NewDiscreteStates", &raw mut info)?;
        Ok(Events {
            again: info.again != 0,
            terminate: info.terminate != 0,
            states_changed: info.values_changed != 0,
            next_time: (info.next_defined != 0).then_some(info.next_time),
        })
    }
    fn enter_continuous_time(&mut self) -> Result<()> {
        call!(self, enter_continuous, "fmi2EnterContinuousTimeMode")
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
        call!(self, get_state, "fmi2GetFMUstate", &raw mut state)?;
        if let Some(slot) = self.saved.get_mut(place) {
            *slot = state;
        }
        Ok(Saved(place))
    }
    fn restore(&mut self, saved: Saved) -> Result<()> {
        match self.saved.get(saved.0).copied() {
            Some(state) if !state.is_null() => call!(self, set_state, "fmi2SetFMUstate", state),
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
        let (seeds, answers) = (
            knowns.len().min(seed.len()),
            unknowns.len().min(sensitivity.len()),
        );
        call!(
            self,
            directional,
            "fmi2GetDirectionalDerivative",
            unknowns.as_ptr(),
            answers,
            knowns.as_ptr(),
            seeds,
            seed.as_ptr(),
            sensitivity.as_mut_ptr()
        )
    }
    fn terminate(&mut self) -> Result<()> {
        match self.functions.terminate {
            Some(_) => call!(self, terminate, "fmi2Terminate"),
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

impl Drop for Two {
    fn drop(&mut self) {
        if let Some(free) = self.functions.free_state {
            for state in &mut self.saved {
                if !state.is_null() {
                    // SAFETY: the state is this instance's and is freed once.
                    unsafe { free(self.component, &raw mut *state) };
                }
            }
        }
        // SAFETY: freed once; callbacks and library are still there.
        unsafe { (self.functions.free_instance)(self.component) };
    }
}
