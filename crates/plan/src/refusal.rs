//! Why a plan is refused: every problem at once, each with its place and a remedy.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use serde::Serialize;

use super::source::{Span, Texts, line_and_column, line_at};

/// A report longer than this helps nobody.
const MOST_PROBLEMS: usize = 100;
/// Longer lines are not shown, only named.
const LONGEST_LINE: usize = 2000;

/// What was found while reading, before places are turned into lines and columns.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    omitted: usize,
}

#[derive(Debug)]
struct Finding {
    span: Span,
    key: String,
    message: String,
    expected: String,
    help: String,
}

impl Findings {
    pub fn add(
        &mut self,
        span: Span,
        key: &str,
        message: impl Into<String>,
        expected: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.list.len() >= MOST_PROBLEMS {
            self.omitted += 1;
            return;
        }
        let (message, expected, help) = (message.into(), expected.into(), help.into());
        self.list.push(Finding {
            span,
            key: key.to_owned(),
            message,
            expected,
            help,
        });
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The refusal with all findings, in the order of the texts.
    pub fn refuse(mut self, texts: &Texts) -> PlanErrors {
        let order = |span: Span| {
            if span.is_nowhere() {
                (0, 0)
            } else {
                (span.source, span.start)
            }
        };
        self.list.sort_by_key(|f| order(f.span));
        let problems = self
            .list
            .into_iter()
            .map(|f| Problem::new(f, texts))
            .collect();
        let name = texts.get(0).map(|t| t.name.clone()).unwrap_or_default();
        PlanErrors {
            name,
            problems,
            omitted: self.omitted,
        }
    }
}

/// One thing that is wrong in a plan.
#[derive(Clone, Debug)]
pub struct Problem {
    /// File (or the name of an embedded plan, or `--set` for an override).
    pub file: String,
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
    /// Dotted path of the key, such as `integration.dt`; empty when no key is concerned.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// How to mend it.
    pub help: String,
    span: Span,
    source: NamedSource<Arc<str>>,
    shown: bool,
}

impl Problem {
    fn new(finding: Finding, texts: &Texts) -> Self {
        let (file, text) = texts.get(finding.span.source).map_or_else(
            || (String::new(), Arc::from("")),
            |t| (t.name.clone(), Arc::clone(&t.text)),
        );
        let mut span = finding.span;
        span.start = span.start.min(text.len());
        span.end = span.end.clamp(span.start, text.len());
        let (line, column) = line_and_column(&text, span.start);
        Self {
            line,
            column,
            key: finding.key,
            message: finding.message,
            expected: finding.expected,
            help: finding.help,
            span,
            shown: !text.is_empty() && line_at(&text, span.start).len() <= LONGEST_LINE,
            source: NamedSource::new(&file, text),
            file,
        }
    }

    /// Message and expectation in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        if self.expected.is_empty() {
            self.message.clone()
        } else {
            format!("{}; expected {}", self.message, self.expected)
        }
    }

    fn report(&self) -> Report<'_> {
        Report {
            file: &self.file,
            line: self.line,
            column: self.column,
            key: &self.key,
            message: self.sentence(),
            help: &self.help,
        }
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        writeln!(
            out,
            "{}:{}:{}: {}",
            self.file,
            self.line,
            self.column,
            self.sentence()
        )?;
        if self.shown {
            let line = line_at(self.source.inner(), self.span.start);
            // Tabs and control characters would push the caret out of place.
            let plain: String = line
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect();
            let left = plain.chars().count().saturating_sub(self.column - 1);
            let marked = self
                .source
                .inner()
                .get(self.span.start..self.span.end)
                .map_or(1, |s| s.chars().count());
            let gutter = self.line.to_string().len();
            writeln!(out, "  {} | {plain}", self.line)?;
            let indent = " ".repeat(self.column - 1);
            writeln!(
                out,
                "  {:gutter$} | {indent}{}",
                "",
                "^".repeat(marked.clamp(1, left.max(1)))
            )?;
        }
        if !self.help.is_empty() {
            writeln!(out, "  help: {}", self.help.replace('\n', "\n        "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shown {
            f.write_str(&self.message)
        } else {
            write!(
                f,
                "{}:{}:{}: {}",
                self.file,
                self.line,
                self.column,
                self.sentence()
            )
        }
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.shown.then_some(&self.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if !self.shown {
            return None;
        }
        let text = if self.expected.is_empty() {
            "here".to_owned()
        } else {
            format!("expected {}", self.expected)
        };
        let label = LabeledSpan::new(Some(text), self.span.start, self.span.end - self.span.start);
        Some(Box::new(std::iter::once(label)))
    }
}

/// A problem for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report<'a> {
    /// File (or the name of an embedded plan, or `--set` for an override).
    pub file: &'a str,
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
    /// Dotted path of the key; empty when no key is concerned.
    pub key: &'a str,
    /// What is wrong, and what was expected.
    pub message: String,
    /// How to mend it.
    pub help: &'a str,
}

/// A plan is refused: all its problems, in the order of the files. Print it as a [`miette::Report`]
/// on a terminal, with [`PlanErrors::to_text`] elsewhere, with [`PlanErrors::reports`] for
/// programs.
#[derive(Clone, Debug)]
pub struct PlanErrors {
    name: String,
    problems: Vec<Problem>,
    omitted: usize,
}

impl PlanErrors {
    /// Every problem (at most one hundred).
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The report as plain text without colour. Each problem starts with `file:line:column:`.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for problem in &self.problems {
            // Writing into a String cannot fail.
            let _ = problem.write_text(&mut out);
        }
        let _ = writeln!(out, "{self}");
        out
    }

    /// The report for programs.
    pub fn reports(&self) -> Vec<Report<'_>> {
        self.problems.iter().map(Problem::report).collect()
    }
}

impl fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len() + self.omitted;
        let errors = if count == 1 { "error" } else { "errors" };
        write!(f, "the plan {} is refused: {count} {errors}", self.name)?;
        if self.omitted > 0 {
            write!(f, ", the first {} shown", self.problems.len())?;
        }
        Ok(())
    }
}

impl std::error::Error for PlanErrors {}

impl Diagnostic for PlanErrors {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|p| p as &dyn Diagnostic)))
    }
}
