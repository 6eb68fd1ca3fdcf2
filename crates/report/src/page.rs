//! What a report contains, as plain data: the renderer neither computes nor converts anything.

/// How a figure shall be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Severity {
    /// A fact without a judgement.
    #[default]
    Neutral,
    /// As it should be.
    Good,
    /// Look at it before trusting the test.
    Caution,
    /// The test, or this part of it, is not to be trusted.
    Bad,
}

impl Severity {
    /// The class of the style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Good => "good",
            Self::Caution => "caution",
            Self::Bad => "bad",
        }
    }
}

/// Was the test good? With one sentence that says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Good(String),
    /// With reservations.
    Caution(String),
    /// No.
    Bad(String),
    /// Nothing to judge: what was found.
    Note(String),
}

impl Verdict {
    pub(super) fn parts(&self) -> (Severity, &'static str, &str) {
        match self {
            Self::Good(sentence) => (Severity::Good, "Good", sentence),
            Self::Caution(sentence) => (Severity::Caution, "Caution", sentence),
            Self::Bad(sentence) => (Severity::Bad, "Bad", sentence),
            Self::Note(sentence) => (Severity::Neutral, "Found", sentence),
        }
    }
}

/// The whole report.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Name of the test.
    pub title: String,
    /// One line under the title.
    pub subtitle: String,
    /// The answer, first.
    pub verdict: Verdict,
    /// Header: plan, date, version, seed, machine, licence of the record.
    pub facts: Vec<KeyValue>,
    /// Four to eight headline numbers, drawn as cards.
    pub figures: Vec<KeyValue>,
    /// The boxes of the loop in order; drawn as a block diagram with the feedback arrow.
    pub loop_diagram: Vec<LoopStage>,
    /// The body.
    pub sections: Vec<Section>,
}

/// A labelled value, in the header or on a card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyValue {
    /// What it is.
    pub label: String,
    /// The value, as text (see [`tandem_quantity::format_number`]).
    pub value: String,
    /// Its unit; empty where there is none.
    pub unit: String,
    /// How to read it.
    pub tone: Severity,
    /// A few words under the value of a card, such as the bound it is compared with.
    pub note: String,
}

impl KeyValue {
    /// A neutral fact without a unit.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            value: value.into(),
            ..Self::default()
        }
    }

    /// With a unit.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// With a judgement.
    #[must_use]
    pub fn tone(mut self, tone: Severity) -> Self {
        self.tone = tone;
        self
    }

    /// With a few words under the value.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// Where a box of the loop lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StageKind {
    /// Feeds the loop from outside: ground motion or load. Drawn before the loop.
    Excitation,
    /// Numerical substructure and integration.
    Numerical,
    /// Everything between the model and the steel: kinematics, command, compensator, conditioning.
    #[default]
    Transfer,
    /// The safety gate.
    Guard,
    /// Rig and specimen.
    Physical,
}

/// One box of the loop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopStage {
    /// The slot of the loop: `Integration`, `Compensator`, ...
    pub slot: String,
    /// Who sits in it.
    pub method: String,
    /// Its settings, one line each.
    pub settings: Vec<String>,
    /// The signal on the arrow that leaves the box: `target`, `command`, ... May be empty.
    pub output: String,
    /// Where it lives; gives the colour.
    pub kind: StageKind,
}

/// A titled part of the page. Plots of one section with the same x axis zoom together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// What the reader is about to see, in a sentence or two; may be empty.
    pub intro: String,
    /// The contents, in order.
    pub blocks: Vec<PageItem>,
}

/// One piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum PageItem {
    /// A plot over the full width.
    Plot(Plot),
    /// Plots side by side.
    Plots(Vec<Plot>),
    /// A table.
    Table(Table),
    /// A picture that is no plot.
    Picture(Picture),
    /// Paragraphs, parted by empty lines.
    Text(String),
    /// Name, size in bytes, SHA-256.
    Files(Vec<(String, u64, String)>),
    /// What happened, in order of time.
    Events(Vec<EventRow>),
    /// The way to a page beside this one.
    Link {
        /// What it says.
        text: String,
        /// A relative path.
        target: String,
    },
}

/// A drawing made by this program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Picture {
    /// Heading.
    pub title: String,
    /// What to see in it; below the picture.
    pub caption: String,
    /// One `<svg>` element. It stands in the page as it is: every text in it has been escaped by
    /// who drew it.
    pub svg: String,
}

/// A line of the event list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventRow {
    /// Structural time, s.
    pub time_s: f64,
    /// How grave.
    pub tone: Severity,
    /// Which monitor, limit or part spoke.
    pub source: String,
    /// What it said.
    pub message: String,
}

/// Spacing along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Even.
    #[default]
    Linear,
    /// Logarithmic; values that are not positive are left out.
    Log,
}

/// One axis of a plot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Axis {
    /// The quantity: `Time`, `Displacement`.
    pub label: String,
    /// Its unit; empty where there is none.
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            unit: unit.into(),
            scale: Scale::Linear,
        }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            scale: Scale::Log,
            ..Self::linear(label, unit)
        }
    }
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// A line through the points.
    #[default]
    Line,
    /// A dashed line.
    Dashed,
    /// Dots.
    Points,
    /// Bars from zero, centred on x.
    Bars,
}

/// The part a series plays in its plot; gives colour and width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineWeight {
    /// The next free colour.
    #[default]
    Auto,
    /// What the others are compared with (target, reference solution): dark, drawn beneath.
    Reference,
    /// What was measured: accent colour, drawn on top.
    Accent,
    /// An auxiliary such as the command: thin.
    Thin,
}

/// One line, cloud or histogram.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Abscissas, in the unit of the x axis.
    pub x: Vec<f64>,
    /// Ordinates; what exceeds the shorter of the two is ignored. A value that is not finite is a
    /// gap.
    pub y: Vec<f64>,
    /// How it is drawn.
    pub style: Style,
    /// Its part in the plot.
    pub emphasis: LineWeight,
}

impl Series {
    /// A line in the next free colour.
    pub fn line(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            x,
            y,
            ..Self::default()
        }
    }

    /// In another style.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// In another part.
    #[must_use]
    pub fn emphasis(mut self, emphasis: LineWeight) -> Self {
        self.emphasis = emphasis;
        self
    }
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// Heading.
    pub title: String,
    /// What to see in it; below the plot.
    pub caption: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The contents.
    pub series: Vec<Series>,
    /// Draw a second panel zoomed on this range of x.
    pub inset: Option<(f64, f64)>,
    /// Vertical lines: x, label, tone.
    pub markers: Vec<(f64, String, Severity)>,
    /// Horizontal lines (bounds): y, label.
    pub horizontals: Vec<(f64, String)>,
    /// One unit is as long on x as on y (the subspace plot).
    pub equal_axes: bool,
}

/// Side on which the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column {
    /// Heading.
    pub title: String,
    /// Unit, shown in the heading; may be empty.
    pub unit: String,
    /// Side.
    pub align: Align,
}

impl Column {
    /// A column of words.
    pub fn text(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// A column of numbers.
    pub fn number(title: impl Into<String>, unit: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            unit: unit.into(),
            align: Align::Right,
        }
    }
}

/// A field of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// Contents.
    pub text: String,
    /// How to read it.
    pub tone: Severity,
}

impl Cell {
    /// A number with four significant figures; a dash where it is not finite.
    #[must_use]
    pub fn number(value: f64) -> Self {
        Self::from(tandem_quantity::format_number(value))
    }

    /// With a judgement.
    #[must_use]
    pub fn tone(mut self, tone: Severity) -> Self {
        self.tone = tone;
        self
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self {
            text,
            tone: Severity::Neutral,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Heading; may be empty.
    pub title: String,
    /// What to see in it; may be empty.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows; a short row is filled with empty cells, a long one is cut.
    pub rows: Vec<Vec<Cell>>,
}
