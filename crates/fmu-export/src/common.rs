//! What both versions share.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, UnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tandem::fmu::{Content, ContentError};
use tandem_fmi::models::{FmuModel, Phase, Refused, Role, Unit};
use tandem_quantity::{Snapshot, StateReader};

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
            // The message is a format. Without arguments of its own it is readable for importers
            // that cannot take them.
            text = text.replace('%', "%%");
        }
        let Ok(text) = std::ffi::CString::new(text) else {
            return;
        };
        let category = c"logStatusError".as_ptr();
        // SAFETY: the importer's function with the arguments of the standard; the strings outlive
        // the call.
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
    /// What its states carry.
    identity: Identity,
}

impl Component {
    /// Reads the content and builds it; the token must be the description's.
    pub fn new(
        resources: Option<PathBuf>,
        token: &str,
        exchange: bool,
        logger: Logger,
    ) -> Option<Box<Self>> {
        let Some(folder) = resources else {
            let text = "no resource location was given; this FMU reads what it is from there";
            logger.tell(ERROR, text);
            return None;
        };
        match made(&folder, token, exchange) {
            Ok((content, block)) => Some(Box::new(Self {
                unit: Unit::new(block, exchange),
                logger,
                identity: identity(token, exchange),
                content,
            })),
            Err(error) => {
                logger.tell(ERROR, &error.to_string());
                None
            }
        }
    }

    /// Words a refusal.
    pub fn answer(&self, result: Result<(), Refused>) -> c_int {
        match result {
            Ok(()) => OK,
            Err(Refused(text)) => self.error(&text),
        }
    }

    pub fn error(&self, text: &str) -> c_int {
        self.logger.tell(ERROR, text);
        ERROR
    }

    /// An error where there is anything to be done with what is not there.
    pub fn none_of(&self, count: usize, error: &str) -> c_int {
        if count == 0 { OK } else { self.error(error) }
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
            Err(error) => self.error(&error.to_string()),
        }
    }

    pub fn enter_initialization(&mut self) -> c_int {
        if self.unit.phase == Phase::Over {
            return self.error("it was terminated; reset it first");
        }
        self.unit.stale = true;
        OK
    }

    pub fn terminate(&mut self) -> c_int {
        self.unit.phase = Phase::Over;
        OK
    }

    pub fn exit_initialization(&mut self) -> c_int {
        if self.unit.phase == Phase::Over {
            return self.error("it was terminated; reset it first");
        }
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
            return self.error(
                "a step is allowed in Co-Simulation only, after the initialisation and before the \
                end",
            );
        }
        // Not a number is neither larger nor smaller.
        if !(size > 0.0 && size.is_finite()) {
            self.logger
                .tell(DISCARD, "a step must be longer than nothing");
            return DISCARD;
        }
        // The standard lets the importer tell the time so that both sides notice when they have
        // lost each other.
        let own = self.unit.time;
        // What the difference of two such times may be off by.
        let digits = 4.0 * f64::EPSILON * own.abs();
        let apart = (time - own).abs();
        if apart.is_nan() || apart > 1e-6 * size + digits {
            return self.error(&format!(
                "a step from t = {time} s was asked for; it stands at t = {own} s"
            ));
        }
        if let Some(name) = self.unit.wild_input() {
            return self.error(&format!("the input `{name}` is not a number"));
        }
        if let Some(wanted) = self.unit.block.step_size(&self.unit.values)
            && (size - wanted).abs() > 1e-9 * wanted + digits
        {
            let text = format!("a step of {size} s was asked for; it is made for {wanted} s");
            self.logger.tell(DISCARD, &text);
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

    /// A copy of the whole state.
    pub fn save(&self) -> State {
        let mut words = Vec::new();
        self.unit.save(&mut words);
        State {
            identity: self.identity,
            words,
        }
    }

    pub fn restore(&mut self, state: &State) -> c_int {
        if state.identity != self.identity {
            return self.error("this is the state of another FMU or of its other interface");
        }
        match self.unit.restore(&mut StateReader::new(&state.words)) {
            Ok(()) => OK,
            Err(error) => self.error(&error.to_string()),
        }
    }
}

/// What a state belongs to: contents and interface.
type Identity = [u8; 16];

fn identity(token: &str, exchange: bool) -> Identity {
    let digest = Sha256::new()
        .chain_update(token)
        .chain_update([u8::from(exchange)])
        .finalize();
    digest.first_chunk().copied().unwrap_or_default()
}

/// A saved state.
pub struct State {
    identity: Identity,
    words: Vec<f64>,
}

/// First bytes of a saved state outside of the program: what it is, and of which form.
const MAGIC: [u8; 8] = *b"TandemS1";
/// Magic word, identity and checksum.
const HEADER: usize = 8 + 16 + 8;

impl State {
    fn size(&self) -> usize {
        HEADER + 8 * self.words.len()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let words: Vec<u8> = self.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let sum = checksum(&words);
        [&MAGIC[..], &self.identity, &sum, &words].concat()
    }

    /// Bytes that were written by [`State::to_bytes`] and nothing else.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let (identity, rest) = rest.split_first_chunk::<16>()?;
        let (sum, words) = rest.split_first_chunk::<8>()?;
        let (words, odd) = words.as_chunks::<8>();
        if *magic != MAGIC || !odd.is_empty() || *sum != checksum(words.as_flattened()) {
            return None;
        }
        Some(Self {
            identity: *identity,
            words: words.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        })
    }
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let digest = Sha256::digest(bytes);
    digest.first_chunk().copied().unwrap_or_default()
}

/// What the importer asks for, and the part itself.
fn made(
    folder: &Path,
    token: &str,
    exchange: bool,
) -> Result<(Content, Box<dyn FmuModel>), ContentError> {
    let content = load(folder)?;
    let own = content.token();
    if own != token {
        let given = token.to_owned();
        return Err(ContentError::Token { given, own });
    }
    let block = content.build()?;
    if exchange && block.states() == 0 {
        return Err(ContentError::NoStates);
    }
    Ok((content, block))
}

fn load(folder: &Path) -> Result<Content, ContentError> {
    let path = folder.join("tandem.json");
    let wrong = |reason: String| ContentError::File {
        path: path.clone(),
        reason,
    };
    let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

/// Makes an instance; null where that fails, or panics.
pub fn make(new: impl FnOnce() -> Option<Box<Component>> + UnwindSafe) -> *mut c_void {
    match catch_unwind(new) {
        Ok(Some(component)) => Box::into_raw(component).cast(),
        _ => std::ptr::null_mut(),
    }
}

/// Frees an instance.
///
/// # Safety
/// `component` is null or was made by [`make`], and is not used any more.
pub unsafe fn free(component: *mut c_void) {
    if !component.is_null() {
        // SAFETY: as the caller says.
        drop(unsafe { Box::from_raw(component.cast::<Component>()) });
    }
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

/// Functions of the standard that return a status: `fn fmi2Name | fmi3Name(component, arguments…)`
/// with what they do to the component, which [`guard`] runs. Arguments that nothing is done with
/// are `_`.
macro_rules! exported {
    ($(fn $($name:ident)|+ ($($arguments:tt)*) $work:block)*) => {$(
        $crate::common::exported!([$($name)+] ($($arguments)*) $work);
    )*};
    ([$($name:ident)+] $arguments:tt $work:block) => {
        $($crate::common::exported!(once $name $arguments $work);)+
    };
    (once $name:ident ($component:tt $(, $argument:tt: $type:ty)*) $work:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(component: *mut c_void $(, $argument: $type)*) -> c_int {
            // SAFETY: the standard gives the types of the arguments; the importer's instance is one
            // that was made here and not freed, its handles of states likewise, and what its
            // pointers point to is null or as long as it says and lives as long as the call.
            unsafe { guard(component, |$component| $work) }
        }
    };
}
pub(super) use exported;

/// Functions for types that no variable here has: fine for none, an error for any.
macro_rules! no_variables {
    ($($name:ident($($argument:ty),*);)*) => {
        $crate::common::exported! {$(
            fn $name(c, _: *const u32, count: usize $(, _: $argument)*) {
                c.none_of(count, "there is no variable of this type")
            }
        )*}
    };
}
pub(super) use no_variables;

/// What is said to a null pointer where there should be values.
pub const NO_PLACE: &str = "a pointer to values is null";

/// A slice from the importer; none where there should be values and the pointer is null.
///
/// # Safety
/// `start` is null or points to `count` values that live as long as the result is used.
pub unsafe fn slice<'a, T>(start: *const T, count: usize) -> Option<&'a [T]> {
    if count == 0 {
        return Some(&[]);
    }
    if start.is_null() {
        return None;
    }
    // SAFETY: as the caller says.
    Some(unsafe { std::slice::from_raw_parts(start, count) })
}

/// Likewise, to write to.
///
/// # Safety
/// As [`slice`], and nobody else uses them.
pub unsafe fn slice_mut<'a, T>(start: *mut T, count: usize) -> Option<&'a mut [T]> {
    if count == 0 {
        return Some(&mut []);
    }
    if start.is_null() {
        return None;
    }
    // SAFETY: as the caller says.
    Some(unsafe { std::slice::from_raw_parts_mut(start, count) })
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
    // SAFETY: as the caller says.
    unsafe { keep(component.save(), state) }
}

/// Puts a state behind a handle.
///
/// # Safety
/// As [`save`], and `state` is not null.
unsafe fn keep(saved: State, state: *mut *mut c_void) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        if (*state).is_null() {
            state.write(Box::into_raw(Box::new(saved)).cast());
        } else {
            *(*state).cast::<State>() = saved;
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
    let state = unsafe { &*state.cast::<State>() };
    component.restore(state)
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
            drop(Box::from_raw((*state).cast::<State>()));
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
    if state.is_null() {
        return 0;
    }
    // SAFETY: as the caller says.
    unsafe { &*state.cast::<State>() }.size()
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
    if state.is_null() {
        return component.error("there is no such state");
    }
    // SAFETY: as the caller says.
    let (state, place) = unsafe { (&*state.cast::<State>(), slice_mut(bytes, size)) };
    match place.and_then(|place| place.get_mut(..state.size())) {
        Some(place) => {
            place.copy_from_slice(&state.to_bytes());
            OK
        }
        None => component.error("the place for the state is too small"),
    }
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
    // SAFETY: as the caller says.
    let made = unsafe { slice(bytes, size) }.and_then(State::from_bytes);
    match made {
        _ if state.is_null() => component.error("no place for the state"),
        None => component.error("these bytes are no state, or not as they were written"),
        Some(made) if made.identity != component.identity => {
            component.error("this is the state of another FMU or of its other interface")
        }
        // SAFETY: as the caller says; it is not null.
        Some(made) => unsafe { keep(made, state) },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_state_comes_back_from_its_bytes_and_from_no_others() {
        let state = State {
            identity: identity("{a}", false),
            words: vec![1.0, f64::NAN, -0.0],
        };
        let bytes = state.to_bytes();
        assert_eq!(bytes.len(), state.size());
        let again = State::from_bytes(&bytes).unwrap();
        assert_eq!(again.identity, state.identity);
        let bits = |state: &State| state.words.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&again), bits(&state));
        assert_ne!(identity("{a}", true), state.identity);
        assert_ne!(identity("{b}", false), state.identity);
        for end in 0..bytes.len() {
            assert!(State::from_bytes(&bytes[..end]).is_none(), "{end}");
        }
        // The identity is compared with that of the instance.
        for place in (0..8).chain(24..bytes.len()) {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(State::from_bytes(&changed).is_none(), "{place}");
        }
    }
}
