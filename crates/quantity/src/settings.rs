//! A section of the plan as a struct: one declaration makes its parameters, which the reader, the
//! schema and the documentation go by, and the typed values that a constructor gets.
//!
//! ```
//! use tandem_quantity::{Dimension, Settings as _, Value, Values, choice, settings};
//!
//! choice! {
//!     /// What is done about the force between two questions.
//!     pub enum Force {
//!         /// It stays as it was.
//!         Held = "held",
//!         /// It goes on in a straight line.
//!         Extrapolated = "extrapolated",
//!     }
//! }
//!
//! settings! {
//!     /// What the plan writes.
//!     pub struct Delay {
//!         /// delay to be made up for
//!         pub delay: f64 = number(Dimension::TIME).or("\"10 ms\"").positive(),
//!         /// bound of the corrected delay; default: twice the first estimate
//!         pub maximum_delay: Option<f64> = number(Dimension::TIME).positive(),
//!         /// what happens to the force
//!         pub force: Force = choice(Force::WORDS).or("\"held\""),
//!     }
//! }
//!
//! assert_eq!(Delay::PARAMETERS[0].key, "delay");
//! assert_eq!(Delay::PARAMETERS[0].doc, "delay to be made up for");
//! let written = Values::new()
//!     .with("delay", Value::Number(0.01))
//!     .with("force", Value::Text("held".to_owned()));
//! let settings = Delay::read(&written)?;
//! assert_eq!((settings.delay, settings.maximum_delay), (0.01, None));
//! assert_eq!(settings.force, Force::Held);
//! # Ok::<(), tandem_quantity::BuildError>(())
//! ```
//!
//! A key that means something beside another one only is [`Conditional`].

use std::marker::PhantomData;

use crate::{BuildError, Default, Dimension, Parameter, Range, SlotOf, Value, ValueKind, Values};

/// A section of the plan, declared by [`settings!`](macro@crate::settings).
pub trait Settings: Sized {
    /// What may stand in it.
    const PARAMETERS: &'static [Parameter];
    /// Takes it from its table; a key that is absent has its declared default.
    ///
    /// # Errors
    /// [`BuildError`] where the table was not checked against [`Settings::PARAMETERS`].
    fn read(values: &Values) -> Result<Self, BuildError>;
}

/// What the value of a key becomes in Rust.
pub trait Setting: Sized {
    /// Which kinds of values it can take.
    const SHAPE: Shape;
    /// Whether the key may be absent without a default.
    const OPTIONAL: bool = false;
    /// Takes it from the table in which it stands.
    ///
    /// # Errors
    /// [`BuildError`] where it is not there, or of another kind.
    fn at(values: &Values, key: &str) -> Result<Self, BuildError>;
}

/// The shape of a value in Rust, held against the [`ValueKind`] that is declared when the program
/// is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// A truth value.
    Boolean,
    /// A text, a path or a word of a choice.
    Text,
    /// A word of a choice.
    Choice,
    /// A list of numbers.
    Numbers,
    /// A list of whole numbers.
    Integers,
    /// A list of texts.
    Texts,
    /// Rows of numbers.
    Matrix,
    /// A list of whatever a key may hold.
    List,
    /// A table.
    Table,
    /// A list of tables.
    Tables,
}

impl Shape {
    const fn takes(self, kind: ValueKind) -> bool {
        matches!(
            (self, kind),
            (Self::Number, ValueKind::Number(_) | ValueKind::Integer)
                | (Self::Integer, ValueKind::Integer)
                | (Self::Boolean, ValueKind::Boolean)
                | (
                    Self::Text,
                    ValueKind::Text | ValueKind::Path | ValueKind::Choice(_)
                )
                | (Self::Choice, ValueKind::Choice(_))
                | (Self::Numbers, ValueKind::Numbers(_))
                | (Self::Integers, ValueKind::Integers)
                | (Self::Texts, ValueKind::Texts)
                | (Self::Matrix, ValueKind::Matrix(_))
                | (Self::List, ValueKind::Names | ValueKind::Mixed)
                | (
                    Self::Table,
                    ValueKind::Table(_) | ValueKind::Slot(_) | ValueKind::Open(_)
                )
                | (Self::Tables, ValueKind::Tables(_) | ValueKind::Slots(_))
        )
    }
}

/// What may stand at a key, without its name and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    kind: ValueKind,
    default: Default,
    range: Range,
}

/// The forms that [`settings!`](macro@crate::settings) knows by their short names.
pub mod form {
    use super::{Default, Dimension, Form, Parameter, Range, SlotOf, ValueKind};

    /// Any kind.
    #[must_use]
    pub const fn of(kind: ValueKind) -> Form {
        Form {
            kind,
            default: Default::Required,
            range: Range::ANY,
        }
    }
    /// A number with a unit of this dimension.
    #[must_use]
    pub const fn number(dimension: Dimension) -> Form {
        of(ValueKind::Number(dimension))
    }
    /// A whole number.
    #[must_use]
    pub const fn integer() -> Form {
        of(ValueKind::Integer)
    }
    /// `true` or `false`.
    #[must_use]
    pub const fn boolean() -> Form {
        of(ValueKind::Boolean)
    }
    /// A text.
    #[must_use]
    pub const fn text() -> Form {
        of(ValueKind::Text)
    }
    /// One of these words.
    #[must_use]
    pub const fn choice(words: &'static [&'static str]) -> Form {
        of(ValueKind::Choice(words))
    }
    /// The path of a file.
    #[must_use]
    pub const fn path() -> Form {
        of(ValueKind::Path)
    }
    /// A list of numbers.
    #[must_use]
    pub const fn numbers(dimension: Dimension) -> Form {
        of(ValueKind::Numbers(dimension))
    }
    /// A list of whole numbers.
    #[must_use]
    pub const fn integers() -> Form {
        of(ValueKind::Integers)
    }
    /// A list of texts.
    #[must_use]
    pub const fn texts() -> Form {
        of(ValueKind::Texts)
    }
    /// A list of things by name or by number.
    #[must_use]
    pub const fn names() -> Form {
        of(ValueKind::Names)
    }
    /// A list of texts, numbers and truth values.
    #[must_use]
    pub const fn mixed() -> Form {
        of(ValueKind::Mixed)
    }
    /// Rows of numbers.
    #[must_use]
    pub const fn matrix(dimension: Dimension) -> Form {
        of(ValueKind::Matrix(dimension))
    }
    /// A table with these keys.
    #[must_use]
    pub const fn table(keys: &'static [Parameter]) -> Form {
        of(ValueKind::Table(keys))
    }
    /// A list of such tables.
    #[must_use]
    pub const fn tables(keys: &'static [Parameter]) -> Form {
        of(ValueKind::Tables(keys))
    }
    /// A table that names a method of this slot.
    #[must_use]
    pub const fn slot<Build: Sync>(slot: &'static SlotOf<Build>) -> Form {
        of(ValueKind::Slot(slot))
    }
    /// A list of such tables.
    #[must_use]
    pub const fn slots<Build: Sync>(slot: &'static SlotOf<Build>) -> Form {
        of(ValueKind::Slots(slot))
    }
}

impl Form {
    /// The same with a default, written as in the plan.
    #[must_use]
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Default::Is(default);
        self
    }

    /// The same, allowed to be absent where its type has a value for that, such as an empty list.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.default = Default::Absent;
        self
    }

    /// The same, within bounds.
    #[must_use]
    pub const fn within(mut self, range: Range) -> Self {
        self.range = range;
        self
    }

    /// The same, greater than zero.
    #[must_use]
    pub const fn positive(self) -> Self {
        self.within(Range::POSITIVE)
    }

    /// The same, zero or greater.
    #[must_use]
    pub const fn not_negative(self) -> Self {
        self.within(Range::NOT_NEGATIVE)
    }
}

/// A key of a section; does not compile where type and form disagree.
#[must_use]
pub const fn declared<T: Setting>(key: &'static str, doc: &'static str, form: Form) -> Parameter {
    assert!(
        T::SHAPE.takes(form.kind),
        "the type does not take this kind"
    );
    assert!(!doc.is_empty(), "a key has a doc comment");
    let default = match form.default {
        Default::Required if T::OPTIONAL => Default::Absent,
        Default::Is(_) if T::OPTIONAL => panic!("a key with a default is never absent"),
        other => other,
    };
    Parameter {
        key,
        kind: form.kind,
        default,
        range: form.range,
        doc: trimmed(doc),
    }
}

/// A doc comment begins with the space behind its slashes.
const fn trimmed(doc: &'static str) -> &'static str {
    match doc.as_bytes() {
        [b' ', ..] => doc.split_at(1).1,
        _ => doc,
    }
}

/// Lists of parameters one after the other; `N` is the sum of their lengths.
#[must_use]
pub const fn listed<const N: usize>(lists: &[&[Parameter]]) -> [Parameter; N] {
    let (all, count) = padded(lists);
    assert!(count == N, "N is the sum of the lengths");
    all
}

/// The same in a room of `N`, and how many they are.
const fn padded<const N: usize>(lists: &[&[Parameter]]) -> ([Parameter; N], usize) {
    let mut all = [Parameter::of("", ValueKind::Boolean, ""); N];
    let mut to = 0;
    let mut list = 0;
    while list < lists.len() {
        let mut from = 0;
        while from < lists[list].len() {
            all[to] = lists[list][from];
            to += 1;
            from += 1;
        }
        list += 1;
    }
    (all, to)
}

/// The keys of a section as lists, its own beside those of sections that it holds.
#[doc(hidden)]
pub trait Lists {
    /// One list behind the other.
    const LISTS: &'static [&'static [Parameter]];
}

/// The keys of a section whose number no constant can tell, since the section is generic: no more
/// than there is room for.
#[doc(hidden)]
pub struct Joined<T>(PhantomData<T>);

/// Room for the keys of a generic section.
const MOST: usize = 32;

impl<T: Lists> Joined<T> {
    /// How many keys there are.
    pub const COUNT: usize = {
        let (mut count, mut list) = (0, 0);
        while list < T::LISTS.len() {
            count += T::LISTS[list].len();
            list += 1;
        }
        count
    };
    const PADDED: &'static [Parameter] = &padded::<MOST>(T::LISTS).0;
    /// All of them.
    pub const PARAMETERS: &'static [Parameter] = Self::PADDED.split_at(Self::COUNT).0;
}

impl<A: Settings, B: Settings> Lists for (A, B) {
    const LISTS: &'static [&'static [Parameter]] = &[A::PARAMETERS, B::PARAMETERS];
}

/// Two sections in one table, one behind the other: what a method has of its own, and what all
/// methods of its slot have.
impl<A: Settings, B: Settings> Settings for (A, B) {
    const PARAMETERS: &'static [Parameter] = Joined::<Self>::PARAMETERS;

    fn read(values: &Values) -> Result<Self, BuildError> {
        Ok((A::read(values)?, B::read(values)?))
    }
}

/// What means something beside another key only. It counts as read when it is asked for, so that
/// who writes it without the other one is told that it would do nothing.
#[derive(Clone, Debug)]
pub struct Conditional<T> {
    values: Values,
    key: String,
    read: fn(&Values, &str) -> Result<T, BuildError>,
}

impl<T> Conditional<T> {
    /// The value.
    ///
    /// # Errors
    /// Those of [`Setting::at`] and [`Settings::read`].
    pub fn read(&self) -> Result<T, BuildError> {
        (self.read)(&self.values, &self.key)
    }
}

impl<T: Setting> Setting for Conditional<T> {
    const SHAPE: Shape = T::SHAPE;
    const OPTIONAL: bool = T::OPTIONAL;
    fn at(values: &Values, key: &str) -> Result<Self, BuildError> {
        Ok(Self {
            values: values.clone(),
            key: key.to_owned(),
            read: T::at,
        })
    }
}

impl<T: Settings> Settings for Conditional<T> {
    const PARAMETERS: &'static [Parameter] = T::PARAMETERS;
    fn read(values: &Values) -> Result<Self, BuildError> {
        Ok(Self {
            values: values.clone(),
            key: String::new(),
            read: |values, _| T::read(values),
        })
    }
}

/// The value at a key of a section, or the default that the section declares.
///
/// # Errors
/// Those of [`Setting::at`].
pub fn value_or_default<T: Setting>(
    values: &Values,
    section: &[Parameter],
    key: &str,
) -> Result<T, BuildError> {
    let declared = section.iter().find(|parameter| parameter.key == key);
    match declared.and_then(Parameter::default_value) {
        Some(default) if !values.has(key) => T::at(&Values::new().with(key, default), key),
        _ => T::at(values, key),
    }
}

macro_rules! setting {
    ($type:ty, $shape:ident, $values:ident, $key:ident => $read:expr) => {
        impl Setting for $type {
            const SHAPE: Shape = Shape::$shape;
            fn at($values: &Values, $key: &str) -> Result<Self, BuildError> {
                $read
            }
        }
    };
}

setting!(f64, Number, values, key => values.number(key));
setting!(usize, Integer, values, key => values.count(key));
setting!(u64, Integer, values, key => values.count(key).map(|count| count as u64));
setting!(i64, Integer, values, key => match values.get(key) {
    Some(Value::Integer(number)) => Ok(*number),
    _ => Err(Values::missing(key, "a whole number")),
});
setting!(bool, Boolean, values, key => values.boolean(key));
setting!(String, Text, values, key => values.text(key).map(str::to_owned));
setting!(Vec<usize>, Integers, values, key => if values.has(key) {
values.counts(key)
} else {
Ok(Vec::new())
});
setting!(Vec<f64>, Numbers, values, key => if values.has(key) {
values.numbers(key)
} else {
Ok(Vec::new())
});
setting!(Vec<Vec<f64>>, Matrix, values, key => if values.has(key) {
values.matrix(key)
} else {
Ok(Vec::new())
});
setting!(Vec<String>, Texts, values, key => if values.has(key) {
Ok(values.texts(key)?.into_iter().map(str::to_owned).collect())
} else {
Ok(Vec::new())
});
setting!(Vec<Value>, List, values, key => Ok(values.list(key).to_vec()));
setting!(Values, Table, values, key => values.table(key).cloned());
setting!(Vec<Values>, Tables, values, key => Ok(values.tables(key).into_iter().cloned().collect()));

/// A list of tables of one section.
impl<T: Settings> Setting for Vec<T> {
    const SHAPE: Shape = Shape::Tables;
    fn at(values: &Values, key: &str) -> Result<Self, BuildError> {
        let read = |(number, table): (usize, &Values)| {
            T::read(table).map_err(|error| error.within(&number.to_string()).within(key))
        };
        values
            .tables(key)
            .into_iter()
            .enumerate()
            .map(read)
            .collect()
    }
}

impl<T: Setting> Setting for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const OPTIONAL: bool = true;
    fn at(values: &Values, key: &str) -> Result<Self, BuildError> {
        if values.has(key) {
            T::at(values, key).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// Declares a section of the plan: see [`settings`](mod@crate::settings).
///
/// The doc comment of a field is what the plan's documentation says of its key; its form is one of
/// [`form`](mod@crate::settings::form). A field without a form is a section, whose keys stand in
/// this one at its place. A key that is no name in Rust stands behind its field:
/// `modulus "E": f64 = …`; a section that is generic says it by a constant:
/// `modulus [M::MODULUS_KEY]: f64 = …`.
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(<$of:ident: $bound:ident>)? {
            $(
                $(#[doc = $doc:literal])*
                $field_vis:vis $field:ident $($key:literal)? $([$constant:expr])?:
                    $type:ty $(= $form:expr)?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $name $(<$of: $bound>)? {
            $( $(#[doc = $doc])* $field_vis $field: $type, )*
            $( _of: std::marker::PhantomData<$of>, )?
        }

        impl $(<$of: $bound>)? $crate::settings::Lists for $name $(<$of>)? {
            const LISTS: &'static [&'static [$crate::Parameter]] = {
                #[allow(unused_imports)] // which forms there are is up to the section
                use $crate::settings::form::*;
                &[
                    $( $crate::keys_of!(
                        $type,
                        $crate::key_of!($field $($key)? $([$constant])?),
                        concat!($($doc),*)
                        $(, $form)?
                    ) ),*
                ]
            };
        }

        impl $(<$of: $bound>)? $crate::settings::Settings for $name $(<$of>)? {
            const PARAMETERS: &'static [$crate::Parameter] =
                $crate::parameters_of!($name $(<$of>)?);

            #[allow(unused_variables)] // of a section without keys
            fn read(values: &$crate::Values) -> Result<Self, $crate::BuildError> {
                Ok(Self {
                    $( $field: $crate::value_of!(
                        $type,
                        values,
                        $crate::key_of!($field $($key)? $([$constant])?)
                        $(, $form)?
                    )?, )*
                    $( _of: std::marker::PhantomData::<$of>, )?
                })
            }
        }

        /// As the table at a key of another section.
        impl $(<$of: $bound>)? $crate::settings::Setting for $name $(<$of>)? {
            const SHAPE: $crate::settings::Shape = $crate::settings::Shape::Table;
            fn at(values: &$crate::Values, key: &str) -> Result<Self, $crate::BuildError> {
                let table = values.table(key)?;
                <Self as $crate::settings::Settings>::read(table).map_err(|error| error.within(key))
            }
        }
    };
}

/// The keys of a section, as many as there are where they can be counted.
#[doc(hidden)]
#[macro_export]
macro_rules! parameters_of {
    ($name:ident) => {{
        const COUNT: usize = $crate::settings::Joined::<$name>::COUNT;
        const ALL: [$crate::Parameter; COUNT] =
            $crate::settings::listed(<$name as $crate::settings::Lists>::LISTS);
        &ALL
    }};
    ($name:ident <$of:ident>) => {
        $crate::settings::Joined::<Self>::PARAMETERS
    };
}

/// The key of a field in the plan.
#[doc(hidden)]
#[macro_export]
macro_rules! key_of {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
    ($field:ident [$key:expr]) => {
        $key
    };
}

/// The keys of a field: its own, or those of its section.
#[doc(hidden)]
#[macro_export]
macro_rules! keys_of {
    ($type:ty, $key:expr, $doc:expr, $form:expr) => {
        &[$crate::settings::declared::<$type>($key, $doc, $form)]
    };
    ($type:ty, $key:expr, $doc:expr) => {
        <$type as $crate::settings::Settings>::PARAMETERS
    };
}

/// The value of a field.
#[doc(hidden)]
#[macro_export]
macro_rules! value_of {
    ($type:ty, $values:ident, $key:expr, $form:expr) => {
        $crate::settings::value_or_default::<$type>(
            $values,
            <Self as $crate::settings::Settings>::PARAMETERS,
            $key,
        )
    };
    ($type:ty, $values:ident, $key:expr) => {
        <$type as $crate::settings::Settings>::read($values)
    };
}

/// Declares the words of a choice as an enum with its `WORDS`: see
/// [`settings`](mod@crate::settings).
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident = $word:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name {
            $( $(#[$variant_meta])* $variant, )+
        }

        impl $name {
            /// The words as they are written in a plan.
            $vis const WORDS: &'static [&'static str] = &[$( $word ),+];

            /// What they stand for, in the same order.
            #[allow(dead_code)] // for choices that are gone through
            $vis const ALL: [Self; Self::WORDS.len()] = [$( Self::$variant ),+];

            /// Its word.
            #[allow(dead_code)] // for choices that are told to people
            $vis const fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }

        impl $crate::settings::Setting for $name {
            const SHAPE: $crate::settings::Shape = $crate::settings::Shape::Choice;
            fn at(values: &$crate::Values, key: &str) -> Result<Self, $crate::BuildError> {
                match values.text(key)? {
                    $( $word => Ok(Self::$variant), )+
                    other => Err($crate::BuildError::new(
                        key,
                        format!("unknown word `{other}`"),
                        format!("write one of {}", Self::WORDS.join(", ")),
                    )),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dimension, Value};

    settings! {
        /// What all have.
        struct Common {
            /// step
            dt: f64 = number(Dimension::TIME).positive(),
        }
    }

    choice! {
        enum Way { Up = "up", Down = "down" }
    }

    settings! {
        /// One thing.
        struct Thing {
            common: Common,
            /// Young's modulus,
            /// in two lines
            modulus "E": f64 = number(Dimension::STRESS).or("\"210 GPa\""),
            /// how often
            often: Option<usize> = integer().within(Range::between(1.0, 9.0)),
            /// which way
            way: Way = choice(Way::WORDS).or("\"up\""),
            /// parts
            part: Vec<Common> = tables(Common::PARAMETERS).optional(),
            last: Last,
        }
    }

    settings! {
        /// What stands at the end.
        struct Last {
            /// label
            label: String = text().or("\"a\""),
        }
    }

    fn table() -> Values {
        let part = Values::new().with("dt", Value::Number(2.0));
        Values::new()
            .with("dt", Value::Number(1.0))
            .with("E", Value::Number(3.0))
            .with("way", Value::Text("down".into()))
            .with("part", Value::List(vec![Value::Table(part)]))
            .with("label", Value::Text("b".into()))
    }

    #[test]
    fn a_declaration_makes_parameters_and_values() {
        let keys: Vec<_> = Thing::PARAMETERS.iter().map(|p| p.key).collect();
        assert_eq!(keys, ["dt", "E", "often", "way", "part", "label"]);
        assert_eq!(Thing::PARAMETERS[1].doc, "Young's modulus, in two lines");
        assert!(matches!(Thing::PARAMETERS[0].default, Default::Required));
        assert!(matches!(Thing::PARAMETERS[2].default, Default::Absent));
        assert!(matches!(Thing::PARAMETERS[4].default, Default::Absent));

        let thing = Thing::read(&table()).unwrap();
        assert_eq!((thing.common.dt, thing.modulus), (1.0, 3.0));
        assert_eq!((thing.often, thing.way), (None, Way::Down));
        assert_eq!((thing.part[0].dt, thing.last.label.as_str()), (2.0, "b"));
        assert_eq!(Way::ALL.map(Way::word), ["up", "down"]);
    }

    trait Measure {
        const KEY: &'static str;
    }

    struct Force;
    impl Measure for Force {
        const KEY: &'static str = "force";
    }

    settings! {
        /// A bound that is called differently where it means something else.
        struct Bound<M: Measure> {
            common: Common,
            /// bound
            bound [M::KEY]: f64 = number(Dimension::FORCE).or("\"2 kN\""),
            /// weights
            weights: Vec<f64> = numbers(Dimension::NONE).or("[1, 0.5]"),
        }
    }

    settings! {
        /// Gains that count where something adapts.
        struct Gains {
            /// whether it adapts
            adaptive: bool = boolean().or("false"),
            /// gain
            gain: Conditional<f64> = number(Dimension::NONE).or("3.0"),
            limits: Conditional<Last>,
        }
    }

    #[test]
    fn sections_join_and_a_constant_names_a_key() {
        let keys: Vec<_> = <(Bound<Force>, Last)>::PARAMETERS
            .iter()
            .map(|p| p.key)
            .collect();
        assert_eq!(keys, ["dt", "force", "weights", "label"]);
        let written = Values::new().with("dt", Value::Number(1.0));
        let (bound, last) = <(Bound<Force>, Last)>::read(&written).unwrap();
        assert_eq!((bound.common.dt, bound.bound), (1.0, 2e3));
        assert_eq!((bound.weights, last.label), (vec![1.0, 0.5], "a".into()));
        let error = Bound::<Force>::read(&Values::new()).err().unwrap();
        assert_eq!(error.key, "dt");
    }

    #[test]
    fn what_is_conditional_counts_as_read_when_it_is_asked_for() {
        let written = Values::new()
            .with("adaptive", Value::Boolean(true))
            .with("gain", Value::Number(5.0))
            .with("label", Value::Text("b".into()));
        let gains = Gains::read(&written).unwrap();
        assert!(gains.adaptive);
        assert_eq!(written.unread(), ["gain", "label"]);
        assert_eq!(gains.gain.read(), Ok(5.0));
        assert_eq!(written.unread(), ["label"]);
        assert_eq!(gains.limits.read().unwrap().label, "b");
        assert!(written.unread().is_empty());
        let gains = Gains::read(&Values::new()).unwrap();
        assert_eq!(gains.gain.read(), Ok(3.0));
    }

    #[test]
    fn an_error_within_a_list_of_tables_tells_its_key() {
        let empty = Value::List(vec![Value::Table(Values::new())]);
        let error = Thing::read(&table().with("part", empty)).err().unwrap();
        assert_eq!(error.key, "part.0.dt");
        let error = Thing::read(&table().with("way", Value::Text("left".into())));
        assert!(error.err().unwrap().help.contains("up, down"));
    }

    #[test]
    fn what_nobody_has_read_is_told() {
        let part = Values::new().with("dt", Value::Number(2.0));
        let values = table().with("other", Value::Table(part));
        let clone = values.clone();
        assert!(values.has("dt"));
        assert_eq!(
            values.unread(),
            ["dt", "E", "way", "part", "label", "other"]
        );
        assert!(clone.tables("part")[0].number("dt").is_ok());
        assert!(clone.number("dt").is_ok());
        assert_eq!(values.unread(), ["E", "way", "label", "other"]);
        let other = clone.table("other").unwrap();
        assert_eq!(values.unread(), ["E", "way", "label", "other.dt"]);
        assert!(other.number("dt").is_ok());
        assert_eq!(
            clone.unmarked().unread(),
            ["dt", "E", "way", "part", "label", "other"]
        );
        let mut values = values;
        values.set_default("label", Value::Text("a".into()));
        assert_eq!(values.unread(), ["E", "way"]);
    }
}
