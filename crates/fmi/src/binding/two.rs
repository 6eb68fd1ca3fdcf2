//! FMI 2.0.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use super::InstanceOptions;
use super::common::{Component, Core, Plain, Shared, Symbol, alike, c_text, call, functions};
use super::guard::Guard;
use super::log::{Log, logger_two};
use crate::{
    Completed, Description, Events, FmuError, Instance, Interface, Result, Saved, Stepped,
    VariableType, Version,
};

#[repr(C)]
pub(super) struct Callbacks {
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
pub(super) struct EventInfo {
    again: Flag,
    terminate: Flag,
    nominals_changed: Flag,
    values_changed: Flag,
    next_defined: Flag,
    next_time: f64,
}

/// A truth value.
type Flag = c_int;
type Numbers<T> = unsafe extern "C" fn(Component, *const u32, usize, *mut T) -> c_int;
type SetNumbers<T> = unsafe extern "C" fn(Component, *const u32, usize, *const T) -> c_int;
type Text = *const c_char;

functions! {
    Functions {
        instantiate: unsafe extern "C" fn(
            Text, c_int, Text, Text, *const Callbacks, Flag, Flag,
        ) -> Component = "fmi2Instantiate",
        setup: unsafe extern "C" fn(Component, Flag, f64, f64, Flag, f64) -> c_int
            = "fmi2SetupExperiment",
        enter_initialization: Plain = "fmi2EnterInitializationMode",
        get_real: Numbers<f64> = "fmi2GetReal",
        get_integer: Numbers<c_int> = "fmi2GetInteger",
        get_boolean: Numbers<Flag> = "fmi2GetBoolean",
        set_real: SetNumbers<f64> = "fmi2SetReal",
        set_integer: SetNumbers<c_int> = "fmi2SetInteger",
        set_boolean: SetNumbers<Flag> = "fmi2SetBoolean",
        set_string: SetNumbers<Text> = "fmi2SetString",
        do_step: unsafe extern "C" fn(Component, f64, f64, Flag) -> c_int = "fmi2DoStep",
        boolean_status: unsafe extern "C" fn(Component, c_int, *mut Flag) -> c_int
            = "fmi2GetBooleanStatus",
        real_status: unsafe extern "C" fn(Component, c_int, *mut f64) -> c_int
            = "fmi2GetRealStatus",
        completed: unsafe extern "C" fn(Component, Flag, *mut Flag, *mut Flag) -> c_int
            = "fmi2CompletedIntegratorStep",
        new_discrete: unsafe extern "C" fn(Component, *mut EventInfo) -> c_int
            = "fmi2NewDiscreteStates",
        directional: unsafe extern "C" fn(
            Component, *const u32, usize, *const u32, usize, *const f64, *mut f64,
        ) -> c_int = "fmi2GetDirectionalDerivative",
    }
}

/// A running FMU of FMI 2.0.
pub struct Two {
    // First: the FMU may keep the pointer to its callbacks until it is freed.
    core: Core,
    functions: Functions,
    scratch: Vec<c_int>,
    _callbacks: Box<Callbacks>,
}

// SAFETY: as for `Core`; the callbacks are only read, by the FMU.
unsafe impl Send for Two {}

impl Two {
    pub(super) fn new(
        (library, guard): (Library, Option<Guard>),
        description: &Description,
        name: &str,
        resources: &Path,
        wish: InstanceOptions,
    ) -> Result<Self> {
        let functions = Functions::load(&library);
        let instantiate = functions.instantiate.there()?;
        let shared = Shared::of(&library, Version::Two)?;
        functions.setup.there()?;
        functions.enter_initialization.there()?;
        check_version(&library)?;
        let log = Box::new(Log::default());
        let callbacks = Box::new(Callbacks {
            logger: logger_two,
            allocate: calloc,
            free,
            step_finished: None,
            environment: std::ptr::from_ref::<Log>(&log).cast_mut().cast(),
        });
        let name = c_text(name)?;
        let guid = c_text(&description.token)?;
        let place = c_text(&file_uri(resources))?;
        // SAFETY: C strings and callbacks live through the call; the callbacks until the instance
        // is freed.
        let component = unsafe {
            instantiate(
                name.as_ptr(),
                Flag::from(wish.interface == Interface::CoSimulation),
                guid.as_ptr(),
                place.as_ptr(),
                &raw const *callbacks,
                0,
                Flag::from(wish.logging),
            )
        };
        let made = "fmi2Instantiate (do binary and description have the same guid?)";
        Ok(Self {
            core: Core::new((library, guard), shared, log, (component, made))?,
            functions,
            scratch: Vec::new(),
            _callbacks: callbacks,
        })
    }

    /// Reads variables that are no floats. Apart, so that reading floats is small enough to stand
    /// in the loop of a simulation.
    #[inline(never)]
    fn get_whole(
        &mut self,
        kind: VariableType,
        references: &[u32],
        values: &mut [f64],
    ) -> Result<()> {
        let count = references.len().min(values.len());
        self.scratch.resize(count, 0);
        let scratch = self.scratch.as_mut_ptr();
        let names = references.as_ptr();
        match kind {
            VariableType::Boolean => call!(self, functions.get_boolean, names, count, scratch)?,
            VariableType::Int32 | VariableType::Enumeration => {
                call!(self, functions.get_integer, names, count, scratch)?;
            }
            _ => return Err(FmuError::Usage("only numbers can be read here".into())),
        }
        for (value, whole) in values.iter_mut().zip(&self.scratch) {
            // What C takes for true is one here, as in the other version of the standard.
            *value = match kind {
                VariableType::Boolean => f64::from(*whole != 0),
                _ => f64::from(*whole),
            };
        }
        Ok(())
    }

    fn set_pointer(&mut self, reference: &u32, text: &Text) -> Result<()> {
        call!(self, functions.set_string, reference, 1, text)
    }

    /// A step that was answered by something else than OK.
    #[cold]
    fn not_simply_done(&mut self, code: c_int, time: f64, size: f64) -> Result<Stepped> {
        // Discard: the step ended early; fmi2Terminated and fmi2LastSuccessfulTime tell more.
        if code == 2 {
            let (mut ended, mut reached) = (0, time);
            let told = self
                .functions
                .boolean_status
                .function
                .is_some_and(|status| {
                    // SAFETY: a living instance and a living integer.
                    unsafe { status(self.core.component, 3, &raw mut ended) <= 1 }
                });
            if told && ended != 0 {
                if let Some(status) = self.functions.real_status.function {
                    let mut claim = time;
                    // SAFETY: a living instance and a living number.
                    if unsafe { status(self.core.component, 2, &raw mut claim) } <= 1 {
                        reached = claim;
                    }
                }
                return Ok(Stepped {
                    reached,
                    event: false,
                    terminate: true,
                });
            }
        }
        self.core.check(self.functions.do_step.name, code)?;
        Ok(Stepped::to(time + size))
    }
}

/// A binary of another version has other functions under the same names. One that does not tell its
/// version is taken at its description's word.
fn check_version(library: &Library) -> Result<()> {
    type Version = unsafe extern "C" fn() -> Text;
    // SAFETY: the standard's type for the function of this name; it is not kept.
    let told = unsafe { Symbol::<Version>::of(library, "fmi2GetVersion") };
    let Some(version) = told.function else {
        return Ok(());
    };
    // SAFETY: it takes nothing; what it gives is null or a C string of the library's.
    let version = unsafe {
        let version = version();
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

#[allow(clippy::cast_possible_truncation)] // whole numbers travel as f64, exact up to 2^53
fn whole(value: f64) -> c_int {
    value as c_int
}

impl Instance for Two {
    alike!();
    fn enter_initialization(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<()> {
        call!(
            self,
            functions.setup,
            Flag::from(tolerance.is_some()),
            tolerance.unwrap_or(0.0),
            start,
            Flag::from(stop.is_some()),
            stop.unwrap_or(0.0)
        )?;
        call!(self, functions.enter_initialization)
    }
    #[inline(always)]
    fn get(&mut self, kind: VariableType, references: &[u32], values: &mut [f64]) -> Result<()> {
        if kind != VariableType::Float64 {
            return self.get_whole(kind, references, values);
        }
        let count = references.len().min(values.len());
        let (names, values) = (references.as_ptr(), values.as_mut_ptr());
        call!(self, functions.get_real, names, count, values)
    }
    fn set(&mut self, kind: VariableType, references: &[u32], values: &[f64]) -> Result<()> {
        let count = references.len().min(values.len());
        let names = references.as_ptr();
        let kind = match kind {
            VariableType::Float64 => {
                return call!(self, functions.set_real, names, count, values.as_ptr());
            }
            // Enumerations travel as integers here.
            VariableType::Int32 | VariableType::Enumeration => VariableType::Int32,
            VariableType::Boolean => VariableType::Boolean,
            _ => return Err(FmuError::Usage("only numbers can be written here".into())),
        };
        super::taken(kind, values)?;
        self.scratch.clear();
        self.scratch
            .extend(values.iter().map(|value| whole(*value)));
        let scratch = self.scratch.as_ptr();
        if kind == VariableType::Boolean {
            call!(self, functions.set_boolean, names, count, scratch)
        } else {
            call!(self, functions.set_integer, names, count, scratch)
        }
    }
    fn step(&mut self, time: f64, size: f64) -> Result<Stepped> {
        let told = self.step_simply(time, size)?;
        Ok(told.unwrap_or(Stepped::to(time + size)))
    }
    #[inline(always)]
    fn step_simply(&mut self, time: f64, size: f64) -> Result<Option<Stepped>> {
        let function = self.functions.do_step.there()?;
        // SAFETY: the instance is alive.
        let code = unsafe { function(self.core.component, time, size, 1) };
        if code == 0 {
            return Ok(None);
        }
        self.not_simply_done(code, time, size).map(Some)
    }
    fn enter_step_mode(&mut self) -> Result<()> {
        Ok(())
    }
    fn update_discrete_states(&mut self) -> Result<Events> {
        let mut info = EventInfo::default();
        call!(self, functions.new_discrete, &raw mut info)?;
        Ok(Events {
            again: info.again != 0,
            terminate: info.terminate != 0,
            states_changed: info.values_changed != 0,
            next_time: (info.next_defined != 0).then_some(info.next_time),
        })
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
            functions.directional,
            unknowns.as_ptr(),
            unknowns.len().min(sensitivity.len()),
            knowns.as_ptr(),
            knowns.len().min(seed.len()),
            seed.as_ptr(),
            sensitivity.as_mut_ptr()
        )
    }
}
