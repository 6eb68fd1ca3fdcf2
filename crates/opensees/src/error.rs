//! Why a part of a script is not taken over. Its place stands in the remark around it.

use std::borrow::Cow;

/// Words of a message, most of them known beforehand.
type Words = Cow<'static, str>;

/// What is the matter with a command, an expression or a part of the model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScriptError {
    /// An argument, an option or a part of the syntax is not there.
    #[error("{0} is missing")]
    Missing(Words),
    /// Several are not.
    #[error("{0} are missing")]
    AllMissing(Words),
    /// An argument is of another kind.
    #[error("{what} should {expected}, not {got}")]
    Argument {
        /// What it stands for.
        what: Words,
        /// What it should do: `be a number`.
        expected: &'static str,
        /// What it is.
        got: Words,
    },
    /// An argument is infinite or no number at all.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// What it stands for.
        what: Words,
    },
    /// A node, a material, a section that no command has made.
    #[error("{0} is not there")]
    NotThere(Words),
    /// It may have been made, by a command that was not understood.
    #[error("{0} is not there or was not understood")]
    NotUnderstood(Words),
    /// A number that is given already.
    #[error("there is {0} already; this one is left out")]
    Twice(Words),
    /// A word that OpenSees does not have here, or this reader does not know.
    #[error("{0} is not known")]
    NotKnown(Words),
    /// OpenSees can do it, a plan cannot.
    #[error("{0} has no counterpart here")]
    NoCounterpart(Words),
    /// OpenSees and a plan can do it, this reader cannot.
    #[error("{0} is not read")]
    NotRead(Words),
    /// A plan cannot say it so; the sentence tells what is in the way, or what comes near.
    #[error("{0}")]
    NotInAPlan(Words),
    /// What the script says does not go together; the sentence tells why.
    #[error("{0}")]
    Contradiction(Words),
    /// The text is none of its language; the sentence tells why.
    #[error("{0}")]
    Syntax(Words),
    /// An expression has no value; the sentence tells why.
    #[error("{0}")]
    Value(Words),
    /// A file that the script names.
    #[error("{0}")]
    File(String),
    /// Modes that the script asks for.
    #[error("modes of the model so far cannot be found: {0}")]
    Modes(String),
}
