//! The parts of a Python script that are read.

use std::rc::Rc;

use crate::error::ScriptError;

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
    /// A call: what, arguments (`true`: with a star in front), keyword arguments (without a name:
    /// `**table`).
    Call(
        Box<Expression>,
        Vec<(bool, Expression)>,
        Vec<(Option<String>, Expression)>,
    ),
    /// `[a, b]`
    List(Vec<Expression>),
    /// `a, b`
    Tuple(Vec<Expression>),
    /// `{key: value}`
    Table(Vec<(Expression, Expression)>),
    /// `[value for names in list if condition …]`
    Made(Box<Expression>, Vec<Round>),
    /// `{key: value for names in list if condition …}`
    MadeTable(Box<(Expression, Expression)>, Vec<Round>),
    /// `a < b <= c`: the first value, and operators with the values after them.
    Compare(Box<Expression>, Vec<(&'static str, Expression)>),
    /// `lambda a: value`
    Lambda(Rc<Vec<Parameter>>, Rc<Expression>),
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

/// `for names in list if condition` of a comprehension.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The names.
    pub target: Target,
    /// The list.
    pub list: Expression,
    /// Conditions.
    pub conditions: Vec<Expression>,
}

/// How a parameter of a function gets its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// By its place or its name.
    Either,
    /// By its name alone.
    Named,
    /// `*rest`
    Rest,
    /// `**rest`
    RestNamed,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its default.
    pub default: Option<Expression>,
    /// How it gets its value.
    pub passing: Passing,
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
    /// `import module as name, …`: modules and names.
    Import(Vec<(String, String)>),
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
    /// `def name(parameters)`
    Define(String, Rc<Vec<Parameter>>, Rc<Vec<Statement>>),
    /// `try`: its body, then those of `else` and `finally`.
    Try(Vec<Vec<Statement>>),
    /// `return value`
    Return(Option<Expression>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `global names` (true), `nonlocal names` (false)
    Elsewhere(Vec<String>, bool),
    /// `pass`, and what has no effect on a model.
    Pass,
    /// Something that is not read, and why.
    Unread(ScriptError),
}
