//! The parts of a Python script that are read.

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(String),
    /// A formatted string: texts and expressions in turn.
    Joined(Vec<Expression>),
    /// `True`, `False`
    Truth(bool),
    /// `None`
    Nothing,
    /// A variable.
    Name(String),
    /// `module.name`
    Attribute(Box<Expression>, String),
    /// A call: what, arguments (`true`: with a star in front), keyword arguments.
    Call(
        Box<Expression>,
        Vec<(bool, Expression)>,
        Vec<(String, Expression)>,
    ),
    /// A list or tuple.
    List(Vec<Expression>),
    /// `{key: value}`
    Table(Vec<(Expression, Expression)>),
    /// `[value for names in list if condition]`
    Made(
        Box<Expression>,
        Vec<String>,
        Box<Expression>,
        Option<Box<Expression>>,
    ),
    /// `list[index]`
    Item(Box<Expression>, Box<Expression>),
    /// `list[from:to:step]`
    Slice(Box<Expression>, [Option<Box<Expression>>; 3]),
    /// `-x`, `not x`
    Unary(&'static str, Box<Expression>),
    /// `x + y`
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// `x if condition else y`
    Either(Box<[Expression; 3]>),
}

/// What an assignment assigns to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A variable.
    Name(String),
    /// `list[index]`
    Item(Expression, Expression),
    /// Several.
    Several(Vec<Target>),
}

/// A statement with its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub act: Act,
    /// Line, counted from 1.
    pub line: usize,
    /// Its first line of text.
    pub source: String,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// `import module as name`: module and name.
    Import(String, String),
    /// `from module import names`; an empty list is `*`.
    From(String, Vec<(String, String)>),
    /// An expression for its effect.
    Expression(Expression),
    /// `a = b = value`
    Assign(Vec<Target>, Expression),
    /// `a += value`
    Change(Target, &'static str, Expression),
    /// Conditions and their blocks; the last one may be without.
    If(Vec<(Option<Expression>, Vec<Statement>)>),
    /// `for names in list`
    For(Target, Expression, Vec<Statement>),
    /// `while condition`
    While(Expression, Vec<Statement>),
    /// `def name(arguments)`
    Define(String, Vec<(String, Option<Expression>)>, Vec<Statement>),
    /// `return value`
    Return(Option<Expression>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `global names`
    Global(Vec<String>),
    /// `pass`, and what has no effect on a model.
    Pass,
    /// Something that is not read, and why.
    Unread(String),
}
