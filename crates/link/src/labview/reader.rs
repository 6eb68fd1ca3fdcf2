//! The command reader.

/// Longest line, bytes.
pub const LONGEST: usize = 8192;

/// Most control parameters of a proposal.
pub const MOST_PARAMETERS: usize = 12;

/// Direction of a control parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along or about x.
    X,
    /// Along or about y.
    Y,
    /// Along or about z.
    Z,
}

impl Axis {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// As on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }

    pub(super) fn of(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|axis| axis.name().eq_ignore_ascii_case(text))
    }
}

/// What a control parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Metres, or whatever the peers have agreed on.
    Displacement,
    /// Radians.
    Rotation,
    /// Newtons.
    Force,
    /// Newton metres.
    Moment,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Displacement,
        Self::Rotation,
        Self::Force,
        Self::Moment,
    ];

    /// As on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Displacement => "displacement",
            Self::Rotation => "rotation",
            Self::Force => "force",
            Self::Moment => "moment",
        }
    }

    /// What resists this motion.
    pub fn resistance(self) -> Self {
        match self {
            Self::Displacement | Self::Force => Self::Force,
            Self::Rotation | Self::Moment => Self::Moment,
        }
    }

    /// Whether it is a force or a moment.
    pub fn is_force(self) -> bool {
        matches!(self, Self::Force | Self::Moment)
    }

    pub(super) fn of(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(text))
    }
}

/// Axis, kind and value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triple {
    /// Direction.
    pub axis: Axis,
    /// What it is.
    pub kind: Kind,
    /// Value.
    pub value: f64,
}

/// A request, with the peer's own words for ids and names.
#[derive(Clone, Debug, PartialEq)]
pub enum Command<'a> {
    /// `open-session`: the session's id.
    Open(&'a str),
    /// `set-parameter`: id, name and value.
    SetParameter(&'a str, &'a str, &'a str),
    /// `get-parameter`: id and name.
    GetParameter(&'a str, &'a str),
    /// `propose`: transaction id, and each control point with its triples.
    Propose(&'a str, Vec<(&'a str, Vec<Triple>)>),
    /// `execute`: transaction id.
    Execute(&'a str),
    /// `get-control-point`: transaction id and names.
    GetControlPoint(&'a str, Vec<&'a str>),
    /// `cancel`: transaction id.
    Cancel(&'a str),
    /// `close-session`: the session's id.
    Close(&'a str),
}

/// A line that is no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The line holds other than printable text.
    #[error("the line is not text")]
    NotText,
    /// The first word is unknown.
    #[error("unknown command {0:?}")]
    Unknown(String),
    /// Something is missing behind the command.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A triple cannot be read.
    #[error("cannot read the control parameter {0:?}: expected axis, kind and number")]
    Parameter(String),
    /// Too many control parameters.
    #[error("more than {MOST_PARAMETERS} control parameters")]
    TooMany,
}

/// The id of a request, whatever else is wrong with it; empty where there is none.
pub fn id_of(line: &[u8]) -> &str {
    let text = std::str::from_utf8(line).unwrap_or("");
    words(text).map_or("", |(_, mut rest)| rest.next().unwrap_or(""))
}

/// The command, and the fields behind it.
fn words(text: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    let text = text.trim_end_matches(['\r', '\n', '\0']);
    let mut fields = text.split('\t').map(str::trim).filter(|f| !f.is_empty());
    let first = fields.next()?;
    // Older tools write a space behind the command.
    let (word, rest) = match first.split_once(' ') {
        Some((word, rest)) => (word, Some(rest.trim())),
        None => (first, None),
    };
    let rest = rest.into_iter().filter(|f| !f.is_empty());
    Some((word, rest.chain(fields)))
}

/// Reads one line without its end (LF, CR LF or NUL).
pub fn read(line: &[u8]) -> Result<Command<'_>, ReadError> {
    let text = std::str::from_utf8(line).map_err(|_| ReadError::NotText)?;
    let (word, mut fields) = words(text).ok_or(ReadError::Missing("a command"))?;
    let id = fields.next().unwrap_or("");
    Ok(match word {
        "open-session" => Command::Open(id),
        "close-session" => Command::Close(id),
        "set-parameter" => {
            let missing = ReadError::Missing("the name of the parameter");
            let name = fields.next().ok_or(missing)?;
            Command::SetParameter(id, name, fields.next().unwrap_or(""))
        }
        "get-parameter" => Command::GetParameter(id, fields.next().unwrap_or("")),
        "execute" => Command::Execute(id),
        "cancel" => Command::Cancel(id),
        "get-control-point" => Command::GetControlPoint(id, fields.take(MOST_PARAMETERS).collect()),
        "propose" => Command::Propose(id, proposal(fields)?),
        other => return Err(ReadError::Unknown(other.chars().take(40).collect())),
    })
}

fn proposal<'a>(
    mut fields: impl Iterator<Item = &'a str>,
) -> Result<Vec<(&'a str, Vec<Triple>)>, ReadError> {
    let name = fields.next().ok_or(ReadError::Missing("a control point"))?;
    let mut points = vec![(name, Vec::new())];
    let mut count = 0;
    while let Some(field) = fields.next() {
        if field == "control-point" {
            let name = fields.next().ok_or(ReadError::Missing("a control point"))?;
            points.push((name, Vec::new()));
            if points.len() > MOST_PARAMETERS {
                return Err(ReadError::TooMany);
            }
            continue;
        }
        let triple = triple(field, fields.next(), fields.next())?;
        count += 1;
        if count > MOST_PARAMETERS {
            return Err(ReadError::TooMany);
        }
        if let Some((_, triples)) = points.last_mut() {
            triples.push(triple);
        }
    }
    if points.iter().all(|(_, triples)| !triples.is_empty()) {
        Ok(points)
    } else {
        Err(ReadError::Missing("a control parameter"))
    }
}

/// Three fields.
pub(super) fn triple(
    axis: &str,
    kind: Option<&str>,
    value: Option<&str>,
) -> Result<Triple, ReadError> {
    let (kind, value) = (kind.unwrap_or(""), value.unwrap_or(""));
    let wrong =
        || ReadError::Parameter(format!("{axis} {kind} {value}").chars().take(60).collect());
    Ok(Triple {
        axis: Axis::of(axis).ok_or_else(wrong)?,
        kind: Kind::of(kind).ok_or_else(wrong)?,
        value: value
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .ok_or_else(wrong)?,
    })
}
