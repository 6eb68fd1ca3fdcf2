//! A closed set of kinds as one enum. Dispatch is a `match`: no heap, no virtual call, and a new
//! kind is one line of the declaration.

/// Declares such an enum and what it hands on to whichever kind is there:
///
/// ```text
/// closed! {
///     pub enum Shape { Circle(Circle), Square(Square) }
///     impl { pub fn area(&self) -> f64; }
///     impl Snapshot { fn save(&self, into: &mut Vec<f64>); … }
/// }
/// ```
macro_rules! closed {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$doc:meta])* $kind:ident($type:ty)),* $(,)?
        }
        $($impls:tt)*
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $kind($type),)*
        }
        closed! { @impls $name [$($kind)*] $($impls)* }
    };
    (@impls $name:ident $kinds:tt) => {};
    (@impls $name:ident $kinds:tt impl { $($methods:tt)* } $($rest:tt)*) => {
        impl $name {
            closed! { @methods $kinds $($methods)* }
        }
        closed! { @impls $name $kinds $($rest)* }
    };
    (@impls $name:ident $kinds:tt impl $trait:path { $($methods:tt)* } $($rest:tt)*) => {
        impl $trait for $name {
            closed! { @methods $kinds $($methods)* }
        }
        closed! { @impls $name $kinds $($rest)* }
    };
    (@methods $kinds:tt) => {};
    (
        @methods $kinds:tt
        $(#[$meta:meta])*
        $vis:vis fn $method:ident $arguments:tt $(-> $out:ty)?;
        $($rest:tt)*
    ) => {
        closed! {
            @method $kinds { $(#[$meta])* $vis } $method $arguments $arguments { $(-> $out)? }
        }
        closed! { @methods $kinds $($rest)* }
    };
    (
        @method [$($kind:ident)*] { $($head:tt)* } $method:ident
        (&mut $self:ident $(, $argument:ident: $type:ty)*) $again:tt { $($out:tt)* }
    ) => {
        $($head)* fn $method(&mut $self $(, $argument: $type)*) $($out)* {
            match $self {
                $(Self::$kind(it) => closed!(@call it $method $again),)*
            }
        }
    };
    (
        @method [$($kind:ident)*] { $($head:tt)* } $method:ident
        (&$self:ident $(, $argument:ident: $type:ty)*) $again:tt { $($out:tt)* }
    ) => {
        $($head)* fn $method(&$self $(, $argument: $type)*) $($out)* {
            match $self {
                $(Self::$kind(it) => closed!(@call it $method $again),)*
            }
        }
    };
    (@call $it:ident $method:ident (&mut $self:ident $(, $argument:ident: $type:ty)*)) => {
        $it.$method($($argument),*)
    };
    (@call $it:ident $method:ident (&$self:ident $(, $argument:ident: $type:ty)*)) => {
        $it.$method($($argument),*)
    };
}

pub(crate) use closed;
