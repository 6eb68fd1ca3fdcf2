//! What both versions share.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::fmu::block::{Phase, Refused, Role, Unit};
use crate::fmu::content::Content;
use tandem_quantity::{Snapshot, Words};

pub const OK: c_int = 0;
pub const DISCARD: c_int = 2;
pub const ERROR: c_int = 3;
pub const FATAL: c_int = 4;

/// How an instance tells its importer something.
pub enum Logger {
    Two {
        function: unsafe extern "C" fn(
            *mut c_void,
            *const c_char,
            c_int,
            *const c_char,
            *const c_char,
            ...
        ),
        environment: *mut c_void,
    },
    Three {
        function: unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char),
        environment: *mut c_void,
    },
    None,
}

impl Logger {
    pub fn tell(&self, status: c_int, text: &str) {
        let mut text: String = text.chars().filter(|c| *c != '\0').collect();
        if matches!(self, Self::Two { .. }) {
            // The message is a format. Without arguments of its own it is readable for importers that cannot take them.
            text = text.replace('%', "%%");
        }
        let Ok(text) = std::ffi::CString::new(text) else {
            return;
        };
        let category = c"logStatusError".as_ptr();
        // SAFETY: the importer's function with the arguments of the standard; the strings outlive the call.
        unsafe {
            match self {
                Self::Two {
                    function,
                    environment,
                } => {
                    function(
                        *environment,
                        c"tandem".as_ptr(),
                        status,
                        category,
                        text.as_ptr(),
                    );
                }
                Self::Three {
                    function,
                    environment,
                } => {
                    function(*environment, status, category, text.as_ptr());
                }
                Self::None => {}
            }
        }
    }
}

/// An instance.
pub struct Component {
    pub unit: Unit,
    pub logger: Logger,
    /// Contents, to start anew at a reset.
    pub content: Content,
}

impl Component {
    /// Reads the content and builds it; the token must be the description's.
    pub fn new(
        resources: Option<PathBuf>,
        token: &str,
        exchange: bool,
        logger: Logger,
    ) -> Option<Box<Self>> {
        let made = resources
            .ok_or_else(|| {
                "no resource location was given; this FMU reads what it is from there".to_owned()
            })
            .and_then(|folder| load(&folder))
            .and_then(|content| {
                if content.token() != token {
                    return Err(format!(
                        "the guid or token {token} is not that of this FMU, {}",
                        content.token()
                    ));
                }
                let block = content.build()?;
                if exchange && block.states() == 0 {
                    return Err("this part has no continuous states: no Model Exchange".into());
                }
                Ok((content, block))
            });
        match made {
            Ok((content, block)) => Some(Box::new(Self {
                unit: Unit::new(block, exchange),
                logger,
                content,
            })),
            Err(text) => {
                logger.tell(ERROR, &text);
                None
            }
        }
    }

    /// Words a refusal.
    pub fn answer(&self, result: Result<(), Refused>) -> c_int {
        match result {
            Ok(()) => OK,
            Err(Refused::Step(text)) => {
                self.logger.tell(DISCARD, &text);
                DISCARD
            }
            Err(Refused::Never(text)) => self.error(&text),
        }
    }

    pub fn error(&self, text: &str) -> c_int {
        self.logger.tell(ERROR, text);
        ERROR
    }

    pub fn refresh(&mut self) -> c_int {
        let result = self.unit.refresh();
        self.answer(result)
    }

    pub fn reset(&mut self) -> c_int {
        match self.content.build() {
            Ok(block) => {
                self.unit = Unit::new(block, self.unit.exchange);
                OK
            }
            Err(text) => self.error(&text),
        }
    }

    pub fn exit_initialization(&mut self) -> c_int {
        let code = self.refresh();
        if code == OK {
            self.unit.phase = Phase::Running;
            self.unit.stale = self.unit.exchange;
        }
        code
    }

    /// The variable whose values begin at, or contain, a place.
    pub fn variable_at(&self, place: usize) -> Option<usize> {
        let after = self.unit.places.partition_point(|range| range.end <= place);
        self.unit
            .places
            .get(after)
            .filter(|range| range.contains(&place))
            .map(|_| after)
    }

    pub fn step(&mut self, time: f64, size: f64) -> c_int {
        if self.unit.exchange || self.unit.phase != Phase::Running {
            return self.error("a step is allowed in Co-Simulation after the initialisation only");
        }
        // Not a number is neither larger nor smaller.
        if !(size > 0.0 && size.is_finite()) {
            self.logger
                .tell(DISCARD, "a step must be longer than nothing");
            return DISCARD;
        }
        let unit = &mut self.unit;
        let result = unit.block.step(&mut unit.values, size);
        if result.is_ok() {
            unit.time = time + size;
        }
        self.answer(result)
    }

    /// Places of all states, or of all derivatives, in order.
    pub fn each_state(&self, derivatives: bool) -> Vec<usize> {
        let variables = self.unit.block.variables().iter().zip(&self.unit.places);
        variables
            .filter(|(variable, _)| match variable.role {
                Role::Derivative(_) => derivatives,
                Role::State => !derivatives,
                _ => false,
            })
            .flat_map(|(_, range)| range.clone())
            .collect()
    }

    pub fn set_states(&mut self, states: &[f64]) -> c_int {
        let places = self.each_state(false);
        if places.len() != states.len() {
            return self.error("the number of states is wrong");
        }
        for (place, state) in places.into_iter().zip(states) {
            self.unit.values[place] = *state;
        }
        self.unit.stale = true;
        OK
    }

    pub fn states(&mut self, derivatives: bool, into: &mut [f64]) -> c_int {
        if derivatives {
            let code = self.refresh();
            if code != OK {
                return code;
            }
        }
        let places = self.each_state(derivatives);
        if places.len() != into.len() {
            return self.error("the number of states is wrong");
        }
        for (x, place) in into.iter_mut().zip(places) {
            *x = self.unit.values[place];
        }
        OK
    }

    pub fn completed(&mut self) -> c_int {
        let unit = &mut self.unit;
        let result = unit.block.accept(&mut unit.values);
        self.answer(result)
    }

    /// Σ ∂unknown/∂known · seed over places of values.
    pub fn directional(
        &mut self,
        unknowns: &[usize],
        knowns: &[usize],
        seed: &[f64],
        into: &mut [f64],
    ) -> c_int {
        let total = self.unit.values.len();
        if unknowns.iter().chain(knowns).any(|place| *place >= total) {
            return self.error("there is no such variable");
        }
        if !self.unit.exchange {
            // Within a step of co-simulation no output hangs on an input.
            into.fill(0.0);
            return OK;
        }
        let mut changes = vec![0.0; total];
        for (place, seed) in knowns.iter().zip(seed) {
            changes[*place] = *seed;
        }
        let unit = &mut self.unit;
        let result = unit.block.sensitivities(&unit.values, &mut changes);
        let code = self.answer(result);
        for (x, place) in into.iter_mut().zip(unknowns) {
            *x = changes[*place];
        }
        code
    }

    /// A copy of the whole state, in a box of its own.
    pub fn save(&self) -> Vec<f64> {
        let mut words = Vec::new();
        self.unit.save(&mut words);
        words
    }

    pub fn restore(&mut self, words: &[f64]) -> c_int {
        match self.unit.restore(&mut Words::new(words)) {
            Ok(()) => OK,
            Err(error) => self.error(&error.to_string()),
        }
    }
}

fn load(folder: &Path) -> Result<Content, String> {
    let path = folder.join("tandem.json");
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs a function of the standard on an instance.
///
/// # Safety
/// `component` is null, or an instance that was made here, is not freed and not in use elsewhere.
pub unsafe fn guard(component: *mut c_void, work: impl FnOnce(&mut Component) -> c_int) -> c_int {
    if component.is_null() {
        return ERROR;
    }
    // SAFETY: as the caller says.
    let component = unsafe { &mut *component.cast::<Component>() };
    catch_unwind(AssertUnwindSafe(|| work(component))).unwrap_or(FATAL)
}

/// A slice from the importer; null is empty.
///
/// # Safety
/// `start` is null or points to `count` values that live as long as the result is used.
pub unsafe fn slice<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// Likewise, to write to.
///
/// # Safety
/// As [`slice`], and nobody else uses them.
pub unsafe fn slice_mut<'a, T>(start: *mut T, count: usize) -> &'a mut [T] {
    if start.is_null() || count == 0 {
        return &mut [];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts_mut(start, count) }
}

/// A text from the importer.
///
/// # Safety
/// `text` is null or ends in a zero byte.
pub unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller says.
    Some(
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned(),
    )
}

/// Writes through a pointer that may be null.
///
/// # Safety
/// `place` is null or points to a value.
pub unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: as the caller says.
        unsafe { place.write(value) };
    }
}

/// A saved state behind a handle; an old handle is used again.
///
/// # Safety
/// `state` is null or points to a handle: null, or one that was made here and not freed.
pub unsafe fn save(component: &Component, state: *mut *mut c_void) -> c_int {
    if state.is_null() {
        return component.error("no place for the state");
    }
    let words = component.save();
    // SAFETY: as the caller says.
    unsafe {
        if (*state).is_null() {
            state.write(Box::into_raw(Box::new(words)).cast());
        } else {
            *(*state).cast::<Vec<f64>>() = words;
        }
    }
    OK
}

/// Goes back to a saved state.
///
/// # Safety
/// `state` is null or was made by [`save`] and not freed.
pub unsafe fn restore(component: &mut Component, state: *mut c_void) -> c_int {
    if state.is_null() {
        return component.error("there is no such state");
    }
    // SAFETY: as the caller says.
    let words = unsafe { &*state.cast::<Vec<f64>>() };
    component.restore(words)
}

/// Frees a saved state.
///
/// # Safety
/// `state` is null or points to a handle: null, or one that was made here and not freed.
pub unsafe fn free_state(state: *mut *mut c_void) -> c_int {
    if state.is_null() {
        return OK;
    }
    // SAFETY: as the caller says.
    unsafe {
        if !(*state).is_null() {
            drop(Box::from_raw((*state).cast::<Vec<f64>>()));
        }
        state.write(std::ptr::null_mut());
    }
    OK
}

/// Size of a saved state in bytes.
///
/// # Safety
/// `state` is null or was made by [`save`] and not freed.
pub unsafe fn state_size(state: *mut c_void) -> usize {
    // SAFETY: as the caller says.
    if state.is_null() {
        0
    } else {
        unsafe { &*state.cast::<Vec<f64>>() }.len() * 8
    }
}

/// Writes a saved state as bytes.
///
/// # Safety
/// As [`state_size`]; `bytes` as [`slice_mut`].
pub unsafe fn serialize(
    component: &Component,
    state: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        if state.is_null() || size < state_size(state) || bytes.is_null() {
            return component.error("the place for the state is too small");
        }
        let words = &*state.cast::<Vec<f64>>();
        for (place, word) in slice_mut(bytes, size).chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    OK
}

/// Makes a saved state from bytes.
///
/// # Safety
/// `bytes` as [`slice`], `state` as in [`save`].
pub unsafe fn deserialize(
    component: &Component,
    bytes: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> c_int {
    if state.is_null() || !size.is_multiple_of(8) {
        return component.error("these bytes are no state");
    }
    // SAFETY: as the caller says.
    unsafe {
        let chunks = slice(bytes, size).as_chunks::<8>().0;
        let words: Vec<f64> = chunks.iter().map(|b| f64::from_le_bytes(*b)).collect();
        if (*state).is_null() {
            state.write(Box::into_raw(Box::new(words)).cast());
        } else {
            *(*state).cast::<Vec<f64>>() = words;
        }
    }
    OK
}
