//! The texts a plan is made of, and places in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a plan comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A file. Relative paths in it hold from its own directory.
    File(&'a Path),
    /// A text with a name for messages, such as a plan that is built into the program. Relative
    /// paths in it hold from the working directory.
    Text {
        /// What messages call it.
        name: &'a str,
        /// The plan itself.
        text: &'a str,
    },
}

/// A place in one of the texts, as byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Index into [`Texts`], or [`Span::NOWHERE`].
    pub source: usize,
    pub start: usize,
    pub end: usize,
}

impl Span {
    /// The place of a built-in default: in no text at all.
    pub const NOWHERE: Self = Self {
        source: usize::MAX,
        start: 0,
        end: 0,
    };

    pub fn new(source: usize, range: std::ops::Range<usize>) -> Self {
        Self {
            source,
            start: range.start,
            end: range.end,
        }
    }

    pub fn is_nowhere(self) -> bool {
        self.source == usize::MAX
    }
}

/// One text: a file of the `extends` chain, or an override from the command line.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub name: String,
    pub text: Arc<str>,
    /// What relative paths in this text hold from.
    pub directory: PathBuf,
    /// The file as the system knows it, to notice a chain that bites its tail.
    pub canonical: Option<PathBuf>,
}

/// All texts of one plan; the plan itself is the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    list: Vec<Text>,
}

impl Texts {
    pub fn push(&mut self, text: Text) -> usize {
        self.list.push(text);
        self.list.len() - 1
    }

    /// A text that stands on its own: an override, or an embedded plan.
    pub fn push_plain(&mut self, name: &str, text: &str) -> usize {
        self.push(Text {
            name: name.to_owned(),
            text: text.into(),
            directory: PathBuf::new(),
            canonical: None,
        })
    }

    /// The text of a span. A place in a built-in default is shown at the plan itself.
    pub fn get(&self, source: usize) -> Option<&Text> {
        self.list.get(source).or_else(|| self.list.first())
    }

    /// The end of the plan, where a missing section would be added.
    pub fn end_of_plan(&self) -> Span {
        let length = self.list.first().map_or(0, |t| t.text.len());
        Span {
            source: 0,
            start: length,
            end: length,
        }
    }

    /// Resolves a path that was written at `span`. A bare name (no separator, no extension) is no
    /// path but the name of something shipped, and stays as it is; `./name` makes it a path.
    pub fn resolve(&self, written: &str, span: Span) -> String {
        let path = Path::new(written);
        let bare = !written.contains(['/', '\\', '.']);
        if span.is_nowhere() || bare || path.is_absolute() {
            return written.to_owned();
        }
        match self.list.get(span.source) {
            Some(text) if !text.directory.as_os_str().is_empty() => {
                text.directory.join(path).to_string_lossy().into_owned()
            }
            _ => written.to_owned(),
        }
    }
}

/// Line and column, both from one, the column in characters.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// The line that holds `offset`, without its end.
pub(super) fn line_at(text: &str, offset: usize) -> &str {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let (before, after) = text.split_at(offset);
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let end = offset + after.find('\n').unwrap_or(after.len());
    text.get(start..end)
        .unwrap_or_default()
        .trim_end_matches('\r')
}
