//! Methods by name: what a slot brings along, and what was added to it from outside.

use std::any::Any;
use std::fmt;

use crate::{BuildError, Method, Parameter, Slot, ValueKind, Values};

/// A method together with what makes it: the one line by which a slot knows a new file.
#[derive(Clone, Copy, Debug)]
pub struct Entry<Build> {
    /// The method as people meet it.
    pub method: Method,
    /// Makes the method from the checked values of its table.
    pub build: Build,
}

/// How a part of the loop is made: from the checked values of its table, and what it must know
/// besides.
pub type Builder<Part> =
    &'static (dyn Fn(&Values, &Context<'_>) -> Result<Part, BuildError> + Sync);

/// What a part of the loop must know besides its table.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Number of actuators that it serves.
    pub actuators: usize,
    /// Number of degrees of freedom of the interface, or of those at which a specimen stands.
    pub interface: usize,
    /// Time from one step of it to the next, s of wall time; of excitations and structures, which
    /// are made beforehand, the integration step.
    pub period: f64,
    /// Seed of everything random in it.
    pub seed: u64,
    /// Where it finds parts of its own.
    pub registry: &'a Registry,
}

impl Context<'static> {
    /// As many degrees of freedom as actuators, and no methods but those that slots bring along.
    #[must_use]
    pub const fn of(actuators: usize, period: f64) -> Self {
        Self {
            actuators,
            interface: actuators,
            period,
            seed: 1,
            registry: Registry::bare(),
        }
    }
}

/// A slot whose methods are made in one way.
pub struct SlotOf<Build: 'static> {
    /// What people call it; no two slots have the same name.
    pub name: &'static str,
    /// The key that chooses, `method` or `kind`.
    pub selector: &'static str,
    /// The method that is taken when the selector is absent.
    pub default: Option<&'static str>,
    // A function, since methods may have keys at which the same slot stands again.
    own: fn() -> &'static [Entry<Build>],
}

impl<Build: Sync> SlotOf<Build> {
    /// A slot with the methods that it brings along.
    #[must_use]
    pub const fn new(
        name: &'static str,
        selector: &'static str,
        default: Option<&'static str>,
        own: fn() -> &'static [Entry<Build>],
    ) -> Self {
        Self {
            name,
            selector,
            default,
            own,
        }
    }

    /// The methods that it brings along.
    pub fn own(&self) -> &'static [Entry<Build>] {
        (self.own)()
    }

    /// The method that a table chooses among those that the slot brings along, where nothing can be
    /// added to it.
    ///
    /// # Errors
    /// [`BuildError`] where there is none of this name.
    pub fn find(&self, table: &Values) -> Result<&'static Entry<Build>, BuildError> {
        Registry::bare().find(self, table)
    }
}

impl<Build: Sync> Slot for SlotOf<Build> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn selector(&self) -> &'static str {
        self.selector
    }

    fn default(&self) -> Option<&'static str> {
        self.default
    }

    fn own(&self) -> Vec<&'static Method> {
        (self.own)().iter().map(|entry| &entry.method).collect()
    }
}

impl<Build> fmt::Debug for SlotOf<Build> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slot").field(&self.name).finish()
    }
}

impl<Build> Entry<Build> {
    /// The entry of this name in a list of methods.
    pub fn find<'a>(entries: &'a [Self], name: &str) -> Option<&'a Self> {
        entries.iter().find(|entry| entry.method.name == name)
    }
}

/// Which methods a plan can name: those that slots bring along, and those that were added.
///
/// ```
/// use tandem_quantity::{Builder, Context, Entry, Method, Registry, SlotOf, Value, Values};
///
/// // A room declares a slot with methods of its own …
/// const HALF: Entry<Builder<f64>> = Entry {
///     method: Method { name: "half", summary: "½", reference: "", parameters: &[] },
///     build: &|_, _| Ok(0.5),
/// };
/// static METHODS: &[Entry<Builder<f64>>] = &[HALF];
/// static GAIN: SlotOf<Builder<f64>> = SlotOf::new("gain", "method", Some("half"), || METHODS);
///
/// // … and somebody else adds one.
/// static PERIOD: Entry<Builder<f64>> = Entry {
///     method: Method { name: "period", summary: "one a second", reference: "", parameters: &[] },
///     build: &|_, context| Ok(context.period),
/// };
/// let mut registry = Registry::new();
/// registry.add(&GAIN, &PERIOD)?;
/// assert!(registry.add(&GAIN, &PERIOD).is_err(), "the name is taken");
///
/// let table = Values::new().with("method", Value::Text("period".into()));
/// let entry = registry.find(&GAIN, &table)?;
/// assert_eq!((entry.build)(&table, &Context::of(1, 0.25))?, 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    added: Vec<Added>,
}

#[derive(Clone, Copy)]
struct Added {
    slot: &'static str,
    method: &'static Method,
    /// An `Entry` of the slot's kind.
    entry: &'static (dyn Any + Sync),
}

impl Registry {
    /// Nothing added.
    #[must_use]
    pub const fn new() -> Self {
        Self { added: Vec::new() }
    }

    /// Nothing added, for who builds a part by itself.
    #[must_use]
    pub const fn bare() -> &'static Self {
        static BARE: Registry = Registry::new();
        &BARE
    }

    /// Adds a method to a slot.
    ///
    /// # Errors
    /// [`Taken`] where the slot has a method of this name.
    pub fn add<Build: Sync>(
        &mut self,
        to: &'static SlotOf<Build>,
        entry: &'static Entry<Build>,
    ) -> Result<&mut Self, Taken> {
        let method = &entry.method;
        if self.entry(to, method.name).is_some() {
            return Err(Taken {
                slot: to.name,
                method: method.name,
            });
        }
        self.added.push(Added {
            slot: to.name,
            method,
            entry,
        });
        Ok(self)
    }

    /// The methods of a slot, its own first.
    pub fn methods(&self, slot: &dyn Slot) -> Vec<&'static Method> {
        let mut methods = slot.own();
        let added = self.added.iter().filter(|added| added.slot == slot.name());
        methods.extend(added.map(|added| added.method));
        methods
    }

    /// The entries of a slot, its own first.
    pub fn entries<Build: Sync + 'static>(
        &self,
        of: &SlotOf<Build>,
    ) -> impl Iterator<Item = &'static Entry<Build>> {
        let name = of.name;
        let added = self.added.iter().filter(move |added| added.slot == name);
        let entry = |added: &Added| {
            let entry: &'static dyn Any = added.entry;
            entry.downcast_ref::<Entry<Build>>()
        };
        of.own().iter().chain(added.filter_map(entry))
    }

    /// The entry of this name.
    pub fn entry<Build: Sync + 'static>(
        &self,
        of: &SlotOf<Build>,
        name: &str,
    ) -> Option<&'static Entry<Build>> {
        self.entries(of).find(|entry| entry.method.name == name)
    }

    /// The entry that a table of the plan chooses.
    ///
    /// # Errors
    /// [`BuildError`] at the selector where there is none of this name: with what was probably
    /// meant, and with what there is.
    pub fn find<Build: Sync + 'static>(
        &self,
        of: &SlotOf<Build>,
        table: &Values,
    ) -> Result<&'static Entry<Build>, BuildError> {
        let SlotOf {
            name: place,
            selector,
            ..
        } = of;
        let name = of
            .chosen(table)
            .ok_or_else(|| Values::missing(selector, "a name in quotes"))?;
        self.entry(of, name).ok_or_else(|| {
            BuildError::new(
                *selector,
                format!("unknown {selector} `{name}` for the {place}"),
                self.menu(of, Some(name)),
            )
        })
    }

    /// The keys of a table in which methods of a slot run side by side: one for each.
    pub fn keys(&self, slot: &dyn Slot) -> Vec<Parameter> {
        let methods = self.methods(slot).into_iter();
        let key = |method: &Method| {
            Parameter::of(
                method.name,
                ValueKind::Table(method.parameters),
                method.summary,
            )
            .optional()
        };
        methods.map(key).collect()
    }

    /// The methods of a slot with their summaries, for messages, and the one that was probably
    /// meant.
    pub fn menu(&self, slot: &dyn Slot, written: Option<&str>) -> String {
        let methods = self.methods(slot);
        let guess = written
            .and_then(|word| suggest(word, methods.iter().map(|method| method.name)))
            .map_or_else(String::new, |guess| format!("did you mean `{guess}`? "));
        if methods.is_empty() {
            return format!("{guess}none is known here");
        }
        let list: Vec<String> = methods
            .iter()
            .map(|method| format!("  {}: {}", method.name, method.summary))
            .collect();
        format!("{guess}choose one of\n{}", list.join("\n"))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let added = self.added.iter();
        f.debug_list()
            .entries(added.map(|added| (added.slot, added.method.name)))
            .finish()
    }
}

/// A slot has a method of this name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The slot.
    pub slot: &'static str,
    /// The name.
    pub method: &'static str,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slot, method } = self;
        write!(f, "there is a {slot} `{method}` already: take another name")
    }
}

impl std::error::Error for Taken {}

/// The known word that was probably meant.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Hostile words are not worth the quadratic cost.
    if word.chars().count() > 64 {
        return None;
    }
    let fold = |w: &str| w.to_lowercase().replace(['_', ' '], "-");
    let word = fold(word);
    let known: Vec<(String, &str)> = known.into_iter().map(|k| (fold(k), k)).collect();
    known
        .iter()
        .map(|(folded, k)| (distance(&word, folded), *k))
        .filter(|(d, k)| *d <= (k.chars().count().max(3) / 3))
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
        // A part of a name (`alpha` for `alpha-os`), unless it is a part of several.
        .or_else(|| {
            let mut parts = known
                .iter()
                .filter(|(folded, _)| word.chars().count() >= 3 && folded.contains(&word));
            parts
                .next()
                .filter(|_| parts.next().is_none())
                .map(|(_, k)| *k)
        })
}

/// Edits between two words: insert, delete, replace, swap neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut d = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            d[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = d[(i - 1) * width + j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replaced
                    .min(d[(i - 1) * width + j] + 1)
                    .min(d[i * width + j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(d[(i - 2) * width + j - 2] + 1);
                }
                least
            };
        }
    }
    d[a.len() * width + b.len()]
}
