//! The controller: what a request does, and its answer. Pure but for the specimen behind it.

use super::reader::{Axis, Command, Kind, Triple, id_of, read};
use super::replier;
use crate::specimen_service::{MotionRefused, Notice, SpecimenService};
use tandem_quantity::Motion;

/// Why a control point cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// A parameter stands there twice.
    #[error("`{0}` is named twice")]
    Twice(String),
    /// The words are no axis and kind of motion.
    #[error("`{0}` is no axis and kind of motion")]
    Unknown(String),
}

/// Why a request is not done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum RequestRefused {
    #[error("the session is closed: open one first")]
    Closed,
    #[error("this controller takes displacements and rotations, no forces")]
    Forces,
    #[error("{given} control parameters, the specimen has {dof} degrees of freedom")]
    Count { given: usize, dof: usize },
    #[error("nothing has been proposed")]
    NothingProposed,
    #[error("the transaction that has been proposed is {0}")]
    AnotherProposed(String),
    #[error("{parameter} at {point} is given twice: the control points are {points}")]
    GivenTwice {
        parameter: String,
        point: String,
        points: String,
    },
    #[error("{parameter} at {point} is none of this test: the control points are {points}")]
    NoneOfThisTest {
        parameter: String,
        point: String,
        points: String,
    },
    #[error(transparent)]
    Motion(#[from] MotionRefused),
}

/// A control point: its name, and its control parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// As on the wire, such as `MDL-00-01`.
    pub name: String,
    /// Axis and kind of each parameter.
    pub axes: Vec<(Axis, Kind)>,
}

impl Point {
    /// One control point of this name; the parameters are words such as `x displacement` or `z
    /// rotation`.
    pub fn new(name: &str, parameters: &[&str]) -> Result<Self, PointError> {
        let mut axes = Vec::new();
        for text in parameters {
            let mut words = text.split_whitespace();
            let (axis, kind) = (words.next(), words.next());
            let known = axis.and_then(Axis::of).zip(kind.and_then(Kind::of));
            match known.filter(|(_, kind)| !kind.is_force() && words.next().is_none()) {
                Some(parameter) if !axes.contains(&parameter) => axes.push(parameter),
                Some(_) => return Err(PointError::Twice((*text).to_owned())),
                None => return Err(PointError::Unknown((*text).to_owned())),
            }
        }
        let name = name.to_owned();
        Ok(Self { name, axes })
    }

    fn words(&self) -> String {
        let axes = self.axes.iter();
        let axes: Vec<String> = axes
            .map(|(axis, kind)| format!("{} {}", axis.name(), kind.name()))
            .collect();
        format!("{} ({})", self.name, axes.join(", "))
    }
}

/// A transaction that may be executed.
struct Proposal {
    id: String,
    motion: Motion,
}

/// What tells transactions apart: UI-SimCor writes step counts in brackets behind the id, not
/// always the same.
fn transaction(id: &str) -> &str {
    id.split('[').next().unwrap_or(id).trim()
}

/// The state of a session.
pub struct Controller {
    dof: usize,
    /// Control points; their parameters are the degrees of freedom, in order.
    points: Vec<Point>,
    /// Whether they are fixed: by the plan, else by the first proposal of the session.
    fixed: bool,
    proposed: Option<Proposal>,
    parameters: Vec<(String, String)>,
    /// Whether the peer has closed its session.
    pub closed: bool,
}

/// Parameters that a peer may set: enough for every known client, bounded against a hostile one.
const MOST_SETTINGS: usize = 64;

impl Controller {
    /// For these control points, whose parameters are the specimen's degrees of freedom in order.
    /// Proposals must name them, in whatever order.
    pub fn with_points(points: Vec<Point>) -> Self {
        let dof = points.iter().map(|point| point.axes.len()).sum();
        Self {
            points,
            fixed: true,
            ..Self::new(dof)
        }
    }

    /// For a specimen of `dof` degrees of freedom. The first proposal says which control parameters
    /// they are.
    pub fn new(dof: usize) -> Self {
        // Until something is proposed: displacements along the axes, then rotations.
        let kinds = [Kind::Displacement, Kind::Rotation];
        let axes = kinds
            .into_iter()
            .flat_map(|kind| Axis::ALL.into_iter().map(move |axis| (axis, kind)))
            .cycle();
        Self {
            dof,
            points: vec![Point {
                name: "MDL-00-01".to_owned(),
                axes: axes.take(dof).collect(),
            }],
            fixed: false,
            proposed: None,
            parameters: Vec::new(),
            closed: false,
        }
    }

    /// Answers one line. Nothing but the answer's own memory grows.
    pub fn answer(
        &mut self,
        line: &[u8],
        served: &mut dyn SpecimenService,
        into: &mut Vec<Vec<u8>>,
    ) {
        let mut out = Vec::new();
        match read(line) {
            Err(error) => {
                served.tell(Notice::Alarm(0, error.to_string()));
                let id = match id_of(line) {
                    "" => "-",
                    id => id,
                };
                replier::refusal(id, &error.to_string(), &mut out);
            }
            Ok(Command::GetControlPoint(id, names)) => {
                self.measurement(id, &names, served, into);
                return;
            }
            Ok(command) => self.act(command, served, &mut out),
        }
        into.push(out);
    }

    fn act(&mut self, command: Command<'_>, served: &mut dyn SpecimenService, out: &mut Vec<u8>) {
        match command {
            Command::Open(id) => {
                self.closed = false;
                self.proposed = None;
                served.tell(Notice::Session(0, format!("session of {id}")));
                replier::ok(id, out);
            }
            Command::SetParameter(id, name, value) => {
                let room = self.parameters.len() < MOST_SETTINGS;
                let known = self.parameters.iter_mut().find(|(key, _)| key == name);
                match known {
                    Some((_, old)) => value.clone_into(old),
                    None if room => {
                        self.parameters.push((name.to_owned(), value.to_owned()));
                    }
                    None => {}
                }
                replier::ok(id, out);
            }
            Command::GetParameter(id, name) => {
                let known = self.parameters.iter().find(|(key, _)| key == name);
                match known {
                    Some((_, value)) => replier::ok(&format!("{id}\t{name}\t{value}"), out),
                    None => {
                        replier::refusal(id, &format!("no parameter {name} was set"), out);
                    }
                }
            }
            Command::Propose(id, points) => {
                // A transaction that has not been executed is given up for the next.
                self.proposed = None;
                match self.propose(&points, served) {
                    Ok(motion) => {
                        let id = id.to_owned();
                        replier::ok(&id, out);
                        self.proposed = Some(Proposal { id, motion });
                    }
                    Err(refused) => refuse(id, &refused.to_string(), served, out),
                }
            }
            Command::Execute(id) => match self.execute(id, served) {
                Ok(()) => replier::ok(id, out),
                Err(refused) => refuse(id, &refused.to_string(), served, out),
            },
            Command::Cancel(id) => match self.take(id) {
                Ok(_) => replier::ok(id, out),
                Err(refused) => replier::refusal(id, &refused.to_string(), out),
            },
            Command::Close(id) => {
                self.closed = true;
                self.proposed = None;
                replier::ok(id, out);
            }
            Command::GetControlPoint(..) => {}
        }
    }

    /// The limit check: a proposal is an absolute target that is checked before anything moves.
    fn propose(
        &mut self,
        points: &[(&str, Vec<Triple>)],
        served: &dyn SpecimenService,
    ) -> Result<Motion, RequestRefused> {
        if self.closed {
            return Err(RequestRefused::Closed);
        }
        let triples: Vec<&Triple> = points.iter().flat_map(|(_, triples)| triples).collect();
        if triples.iter().any(|t| t.kind.is_force()) {
            return Err(RequestRefused::Forces);
        }
        if triples.len() != self.dof {
            return Err(RequestRefused::Count {
                given: triples.len(),
                dof: self.dof,
            });
        }
        let first = (!self.fixed).then(|| {
            let point = |(name, triples): &(&str, Vec<Triple>)| Point {
                name: (*name).to_owned(),
                axes: triples.iter().map(|t| (t.axis, t.kind)).collect(),
            };
            points.iter().map(point).collect::<Vec<_>>()
        });
        let motion = arrange(first.as_ref().unwrap_or(&self.points), points, self.dof)?;
        served.allows(&motion)?;
        if let Some(points) = first {
            self.points = points;
            self.fixed = true;
        }
        Ok(motion)
    }

    /// The proposal of this transaction, which is no longer one. Any other stands.
    fn take(&mut self, id: &str) -> Result<Proposal, RequestRefused> {
        match self.proposed.take() {
            None => Err(RequestRefused::NothingProposed),
            Some(proposal) if transaction(&proposal.id) == transaction(id) => Ok(proposal),
            Some(other) => {
                let refused = RequestRefused::AnotherProposed(other.id.clone());
                self.proposed = Some(other);
                Err(refused)
            }
        }
    }

    fn execute(
        &mut self,
        id: &str,
        served: &mut dyn SpecimenService,
    ) -> Result<(), RequestRefused> {
        let Proposal { motion, .. } = self.take(id)?;
        // Much may have happened since it was proposed.
        served.allows(&motion)?;
        // The protocol carries no time.
        served.impose(&motion, f64::NAN)?;
        served.commit(&motion, f64::NAN);
        Ok(())
    }

    /// One line for each control point that is asked for: by its name, or, where one name is asked
    /// for several times, in order.
    fn measurement(
        &self,
        id: &str,
        names: &[&str],
        served: &mut dyn SpecimenService,
        into: &mut Vec<Vec<u8>>,
    ) {
        let mut out = Vec::new();
        if names.is_empty() {
            replier::refusal(id, "a control point is missing", &mut out);
            into.push(out);
            return;
        }
        let measured = served.measured();
        let mut firsts = Vec::with_capacity(self.points.len());
        let mut next = 0;
        for point in &self.points {
            firsts.push(next);
            next += point.axes.len();
        }
        for (place, name) in names.iter().enumerate() {
            let repeated = names.iter().filter(|n| *n == name).count() > 1;
            let by_name = self.points.iter().position(|p| p.name == *name);
            let index = match (repeated, by_name) {
                (false, Some(index)) => index,
                // OpenFresco asks for every control point by the name of the first.
                _ => place.min(self.points.len().saturating_sub(1)),
            };
            let (Some(point), Some(first)) = (self.points.get(index), firsts.get(index)) else {
                continue;
            };
            let mut triples = Vec::with_capacity(2 * point.axes.len());
            for (i, (axis, kind)) in point.axes.iter().enumerate() {
                let at = |values: &[f64]| values.get(first + i).copied().unwrap_or(0.0);
                triples.push(Triple {
                    axis: *axis,
                    kind: *kind,
                    value: at(&measured.motion.displacement),
                });
                triples.push(Triple {
                    axis: *axis,
                    kind: kind.resistance(),
                    value: at(&measured.force),
                });
            }
            let mut line = Vec::new();
            replier::control_point(id, name, &triples, &mut line);
            into.push(line);
        }
    }
}

/// Tells people and the peer.
fn refuse(id: &str, text: &str, served: &mut dyn SpecimenService, out: &mut Vec<u8>) {
    served.tell(Notice::Alarm(0, format!("refused: {text}")));
    replier::refusal(id, text, out);
}

/// The proposed values where they belong, whatever their order. Every parameter of every control
/// point is there, once.
fn arrange(
    known: &[Point],
    proposed: &[(&str, Vec<Triple>)],
    dof: usize,
) -> Result<Motion, RequestRefused> {
    let mut motion = Motion::at_rest(dof);
    let mut given = vec![false; dof];
    for (name, triples) in proposed {
        let short: String = name.chars().take(40).collect();
        for triple in triples {
            let parameters = known
                .iter()
                .flat_map(|point| point.axes.iter().map(move |axis| (&point.name, axis)));
            let mut places = parameters.zip(motion.displacement.iter_mut().zip(&mut given));
            let place = places.find(|((point, parameter), _)| {
                *point == name && **parameter == (triple.axis, triple.kind)
            });
            match place {
                Some((_, (value, seen))) if !*seen => {
                    *value = triple.value;
                    *seen = true;
                }
                found => {
                    let words: Vec<String> = known.iter().map(Point::words).collect();
                    let parameter = format!("{} {}", triple.axis.name(), triple.kind.name());
                    let (point, points) = (short, words.join(", "));
                    return Err(if found.is_some() {
                        RequestRefused::GivenTwice {
                            parameter,
                            point,
                            points,
                        }
                    } else {
                        RequestRefused::NoneOfThisTest {
                            parameter,
                            point,
                            points,
                        }
                    });
                }
            }
        }
    }
    Ok(motion)
}
