//! FMI 3.0.
#![allow(clippy::type_complexity)] // functions as the standard has them

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use super::InstanceOptions;
use super::common::{Component, Core, Plain, Shared, Symbol, alike, c_text, call, functions};
use super::guard::Guard;
use super::log::{Log, logger_three};
use crate::{
    Completed, Description, Events, FmuError, Instance, Interface, Offer, Result, Saved, Stepped,
    VariableType, Version,
};

type Text = *const c_char;
type Logger = extern "C" fn(*mut c_void, c_int, Text, Text);
type Get<T> = unsafe extern "C" fn(Component, *const u32, usize, *mut T, usize) -> c_int;
type Set<T> = unsafe extern "C" fn(Component, *const u32, usize, *const T, usize) -> c_int;

/// A truth value. In Rust a `bool` that is neither 0 nor 1 must not even be looked at, and nobody
/// knows what the FMU leaves there.
type Flag = u8;

/// Reading and writing of one type.
struct Access<T> {
    get: Symbol<Get<T>>,
    set: Symbol<Set<T>>,
}

/// Reading and writing of all types.
macro_rules! types {
    ($($field:ident: $type:ty = $name:literal,)*) => {
        struct Types {
            $($field: Access<$type>,)*
        }

        impl Types {
            fn load(library: &Library) -> Self {
                Self {
                    $($field: Access {
                        // SAFETY: the type is the standard's for a function of this name; who keeps
                        // the table keeps the library.
                        get: unsafe { Symbol::of(library, concat!("fmi3Get", $name)) },
                        // SAFETY: likewise.
                        set: unsafe { Symbol::of(library, concat!("fmi3Set", $name)) },
                    },)*
                }
            }
        }
    };
}

types! {
    float64: f64 = "Float64",
    float32: f32 = "Float32",
    int8: i8 = "Int8",
    uint8: u8 = "UInt8",
    int16: i16 = "Int16",
    uint16: u16 = "UInt16",
    int32: i32 = "Int32",
    uint32: u32 = "UInt32",
    int64: i64 = "Int64",
    uint64: u64 = "UInt64",
    boolean: Flag = "Boolean",
}

functions! {
    Functions {
        model_exchange: unsafe extern "C" fn(
            Text, Text, Text, Flag, Flag, *mut c_void, Logger,
        ) -> Component = "fmi3InstantiateModelExchange",
        co_simulation: unsafe extern "C" fn(
            Text, Text, Text, Flag, Flag, Flag, Flag, *const u32, usize, *mut c_void, Logger,
            Option<extern "C" fn()>,
        ) -> Component = "fmi3InstantiateCoSimulation",
        enter_configuration: Plain = "fmi3EnterConfigurationMode",
        exit_configuration: Plain = "fmi3ExitConfigurationMode",
        enter_initialization: unsafe extern "C" fn(Component, Flag, f64, f64, Flag, f64) -> c_int
            = "fmi3EnterInitializationMode",
        set_string: Set<Text> = "fmi3SetString",
        do_step: unsafe extern "C" fn(
            Component, f64, f64, Flag, *mut Flag, *mut Flag, *mut Flag, *mut f64,
        ) -> c_int = "fmi3DoStep",
        enter_step: Plain = "fmi3EnterStepMode",
        completed: unsafe extern "C" fn(Component, Flag, *mut Flag, *mut Flag) -> c_int
            = "fmi3CompletedIntegratorStep",
        update_discrete: unsafe extern "C" fn(
            Component, *mut Flag, *mut Flag, *mut Flag, *mut Flag, *mut Flag, *mut f64,
        ) -> c_int = "fmi3UpdateDiscreteStates",
        directional: unsafe extern "C" fn(
            Component, *const u32, usize, *const u32, usize, *const f64, usize, *mut f64, usize,
        ) -> c_int = "fmi3GetDirectionalDerivative",
    }
}

/// A running FMU of FMI 3.0.
pub struct Three {
    core: Core,
    functions: Functions,
    types: Types,
    event_mode: bool,
}

impl Three {
    pub(super) fn new(
        (library, guard): (Library, Option<Guard>),
        description: &Description,
        offer: &Offer,
        name: &str,
        resources: &Path,
        wish: InstanceOptions,
    ) -> Result<Self> {
        let functions = Functions::load(&library);
        let types = Types::load(&library);
        let shared = Shared::of(&library, Version::Three)?;
        functions.enter_initialization.there()?;
        let log = Box::new(Log::default());
        let environment: *mut c_void = std::ptr::from_ref::<Log>(&log).cast_mut().cast();
        let name = c_text(name)?;
        let token = c_text(&description.token)?;
        // An absolute path that ends in a separator.
        let place = c_text(&format!("{}/", resources.display()))?;
        let texts = (name.as_ptr(), token.as_ptr(), place.as_ptr());
        let logging = Flag::from(wish.logging);
        let make = |event_mode: bool| match wish.interface {
            Interface::ModelExchange => functions.model_exchange.function.map(|make| {
                let (name, token, place) = texts;
                // SAFETY: C strings live through the call, the log until the instance is freed.
                unsafe { make(name, token, place, 0, logging, environment, logger_three) }
            }),
            Interface::CoSimulation => functions.co_simulation.function.map(|make| {
                let (name, token, place) = texts;
                let events = Flag::from(event_mode);
                let none = std::ptr::null();
                let log = logger_three;
                // SAFETY: likewise; there are no intermediate variables.
                unsafe {
                    make(
                        name,
                        token,
                        place,
                        0,
                        logging,
                        events,
                        events,
                        none,
                        0,
                        environment,
                        log,
                        None,
                    )
                }
            }),
        };
        let mut event_mode = wish.event_mode && offer.event_mode;
        let mut component = make(event_mode).ok_or_else(|| {
            FmuError::Binary("the function that instantiates this interface is not in it".into())
        })?;
        if component.is_null() && event_mode {
            // Some claim an event mode that they do not have.
            event_mode = false;
            component = make(false).unwrap_or(std::ptr::null_mut());
        }
        let made = "fmi3Instantiate… (do binary and description have the same instantiationToken?)";
        Ok(Self {
            core: Core::new((library, guard), shared, log, (component, made))?,
            functions,
            types,
            event_mode,
        })
    }

    /// Reads variables that are no floats of 64 bits. Apart, so that reading those is small enough
    /// to stand in the loop of a simulation.
    #[inline(never)]
    fn get_other(
        &mut self,
        kind: VariableType,
        references: &[u32],
        values: &mut [f64],
    ) -> Result<()> {
        let types = &self.types;
        match kind {
            VariableType::Float32 => self.get_as(&types.float32, references, values, f64::from),
            VariableType::Int8 => self.get_as(&types.int8, references, values, f64::from),
            VariableType::UInt8 => self.get_as(&types.uint8, references, values, f64::from),
            VariableType::Int16 => self.get_as(&types.int16, references, values, f64::from),
            VariableType::UInt16 => self.get_as(&types.uint16, references, values, f64::from),
            VariableType::Int32 => self.get_as(&types.int32, references, values, f64::from),
            VariableType::UInt32 => self.get_as(&types.uint32, references, values, f64::from),
            VariableType::Int64 | VariableType::Enumeration => {
                self.get_as(&types.int64, references, values, |x| x as f64)
            }
            VariableType::UInt64 => self.get_as(&types.uint64, references, values, |x| x as f64),
            VariableType::Boolean => {
                self.get_as(&types.boolean, references, values, |x| f64::from(x != 0))
            }
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
        let mut buffer = vec![T::default(); values.len()];
        self.get_exactly(access, references, &mut buffer)?;
        for (value, raw) in values.iter_mut().zip(buffer) {
            *value = to(raw);
        }
        Ok(())
    }

    #[inline(always)]
    fn get_exactly<T>(
        &self,
        access: &Access<T>,
        references: &[u32],
        values: &mut [T],
    ) -> Result<()> {
        let (count, room) = (references.len(), values.len());
        let get = access.get.there()?;
        // SAFETY: the instance is alive; pointers and lengths are those of living slices.
        let code = unsafe {
            get(
                self.core.component,
                references.as_ptr(),
                count,
                values.as_mut_ptr(),
                room,
            )
        };
        self.core.check(access.get.name, code)
    }

    fn set_as<T>(
        &self,
        access: &Access<T>,
        references: &[u32],
        values: &[f64],
        from: impl Fn(f64) -> T,
    ) -> Result<()> {
        let buffer: Vec<T> = values.iter().map(|value| from(*value)).collect();
        self.set_exactly(access, references, &buffer)
    }

    fn set_exactly<T>(&self, access: &Access<T>, references: &[u32], values: &[T]) -> Result<()> {
        let (count, length) = (references.len(), values.len());
        let set = access.set.there()?;
        // SAFETY: as for reading.
        let code = unsafe {
            set(
                self.core.component,
                references.as_ptr(),
                count,
                values.as_ptr(),
                length,
            )
        };
        self.core.check(access.set.name, code)
    }

    fn set_pointer(&mut self, reference: &u32, text: &Text) -> Result<()> {
        call!(self, functions.set_string, reference, 1, text, 1)
    }
}

#[allow(clippy::cast_possible_truncation)]
// Whole numbers travel as f64: exact up to 2^53, saturated at the ends of their type.
impl Instance for Three {
    alike!();
    fn enter_configuration(&mut self) -> Result<()> {
        call!(self, functions.enter_configuration)
    }
    fn exit_configuration(&mut self) -> Result<()> {
        call!(self, functions.exit_configuration)
    }
    fn enter_initialization(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<()> {
        call!(
            self,
            functions.enter_initialization,
            Flag::from(tolerance.is_some()),
            tolerance.unwrap_or(0.0),
            start,
            Flag::from(stop.is_some()),
            stop.unwrap_or(0.0)
        )
    }
    #[inline(always)]
    fn get(&mut self, kind: VariableType, references: &[u32], values: &mut [f64]) -> Result<()> {
        if kind != VariableType::Float64 {
            return self.get_other(kind, references, values);
        }
        self.get_exactly(&self.types.float64, references, values)
    }
    fn set(&mut self, kind: VariableType, references: &[u32], values: &[f64]) -> Result<()> {
        let types = &self.types;
        super::taken(kind, values)?;
        match kind {
            VariableType::Float64 => self.set_exactly(&types.float64, references, values),
            VariableType::Float32 => self.set_as(&types.float32, references, values, |x| x as f32),
            VariableType::Int8 => self.set_as(&types.int8, references, values, |x| x as i8),
            VariableType::UInt8 => self.set_as(&types.uint8, references, values, |x| x as u8),
            VariableType::Int16 => self.set_as(&types.int16, references, values, |x| x as i16),
            VariableType::UInt16 => self.set_as(&types.uint16, references, values, |x| x as u16),
            VariableType::Int32 => self.set_as(&types.int32, references, values, |x| x as i32),
            VariableType::UInt32 => self.set_as(&types.uint32, references, values, |x| x as u32),
            VariableType::Int64 | VariableType::Enumeration => {
                self.set_as(&types.int64, references, values, |x| x as i64)
            }
            VariableType::UInt64 => self.set_as(&types.uint64, references, values, |x| x as u64),
            VariableType::Boolean => {
                self.set_as(&types.boolean, references, values, |x| Flag::from(x != 0.0))
            }
            _ => Err(FmuError::Usage("only numbers can be written here".into())),
        }
    }
    #[inline]
    fn step(&mut self, time: f64, size: f64) -> Result<Stepped> {
        let mut flags: [Flag; 3] = [0; 3];
        let mut reached = time + size;
        let [event, terminate, early] = &mut flags;
        call!(
            self,
            functions.do_step,
            time,
            size,
            1,
            &raw mut *event,
            &raw mut *terminate,
            &raw mut *early,
            &raw mut reached
        )?;
        let [event, terminate, early] = flags.map(|flag| flag != 0);
        Ok(Stepped {
            // Who asks for the end may have stopped before that of the step.
            reached: if early || terminate {
                reached
            } else {
                time + size
            },
            event,
            terminate,
        })
    }
    fn uses_event_mode(&self) -> bool {
        self.event_mode
    }
    fn enter_step_mode(&mut self) -> Result<()> {
        call!(self, functions.enter_step)
    }
    fn update_discrete_states(&mut self) -> Result<Events> {
        let mut flags: [Flag; 5] = [0; 5];
        let mut next = 0.0;
        let [again, terminate, nominals, values, defined] = &mut flags;
        call!(
            self,
            functions.update_discrete,
            &raw mut *again,
            &raw mut *terminate,
            &raw mut *nominals,
            &raw mut *values,
            &raw mut *defined,
            &raw mut next
        )?;
        let [again, terminate, _, states_changed, defined] = flags.map(|flag| flag != 0);
        Ok(Events {
            again,
            terminate,
            states_changed,
            next_time: defined.then_some(next),
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
            unknowns.len(),
            knowns.as_ptr(),
            knowns.len(),
            seed.as_ptr(),
            seed.len(),
            sensitivity.as_mut_ptr(),
            sensitivity.len()
        )
    }
}
