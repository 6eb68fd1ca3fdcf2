//! The controller: what a request does, and its answer. Pure but for the specimen behind it.

use super::reader::{Axis, Command, Kind, Triple, id_of, read};
use super::replier;
use crate::served::{Notice, Served};
use tandem_quantity::Motion;

/// A control parameter of the proposals: where it stands, and which degree of freedom it is.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    name: String,
    axes: Vec<(Axis, Kind)>,
}

/// The state of a session.
pub struct Controller {
    dof: usize,
    /// Control points in the order of the first proposal; its parameters are the degrees of freedom, in order.
    points: Vec<Point>,
    proposed: Option<Motion>,
    parameters: Vec<(String, String)>,
    steps: u64,
    /// Whether the peer has closed its session.
    pub closed: bool,
}

/// Parameters that a peer may set: enough for every known client, bounded against a hostile one.
const MOST_SETTINGS: usize = 64;

impl Controller {
    /// For a specimen of `dof` degrees of freedom.
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
            proposed: None,
            parameters: Vec::new(),
            steps: 0,
            closed: false,
        }
    }

    /// Answers one line. Nothing but the answer's own memory grows.
    pub fn answer(&mut self, line: &[u8], served: &mut dyn Served, into: &mut Vec<Vec<u8>>) {
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

    fn act(&mut self, command: Command<'_>, served: &mut dyn Served, out: &mut Vec<u8>) {
        match command {
            Command::Open(id) => {
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
            Command::Propose(id, points) => match self.propose(&points, served) {
                Ok(motion) => {
                    self.proposed = Some(motion);
                    replier::ok(id, out);
                }
                Err(text) => {
                    self.proposed = None;
                    served.tell(Notice::Alarm(0, format!("refused: {text}")));
                    replier::refusal(id, &text, out);
                }
            },
            Command::Execute(id) => match self.proposed.take() {
                None => replier::refusal(id, "nothing has been proposed", out),
                Some(motion) => {
                    #[allow(clippy::cast_precision_loss)] // steps of a test
                    let step = self.steps as f64;
                    match served.impose(&motion, step) {
                        Ok(()) => {
                            self.steps += 1;
                            served.commit();
                            replier::ok(id, out);
                        }
                        Err(text) => {
                            served.tell(Notice::Alarm(0, text.clone()));
                            replier::refusal(id, &text, out);
                        }
                    }
                }
            },
            Command::Cancel(id) => {
                self.proposed = None;
                replier::ok(id, out);
            }
            Command::Close(id) => {
                self.closed = true;
                replier::ok(id, out);
            }
            Command::GetControlPoint(..) => {}
        }
    }

    /// The limit check: a proposal is an absolute target that is checked before anything moves.
    fn propose(
        &mut self,
        points: &[(&str, Vec<Triple>)],
        served: &dyn Served,
    ) -> Result<Motion, String> {
        let triples: Vec<&Triple> = points.iter().flat_map(|(_, triples)| triples).collect();
        if triples.iter().any(|t| t.kind.is_force()) {
            return Err("this controller takes displacements and rotations, no forces".to_owned());
        }
        if triples.len() != self.dof {
            return Err(format!(
                "{} control parameters, the specimen has {} degrees of freedom",
                triples.len(),
                self.dof
            ));
        }
        let mut motion = Motion::at_rest(self.dof);
        for (place, triple) in motion.displacement.iter_mut().zip(&triples) {
            *place = triple.value;
        }
        served.allows(&motion)?;
        self.points = points
            .iter()
            .map(|(name, triples)| Point {
                name: (*name).to_owned(),
                axes: triples.iter().map(|t| (t.axis, t.kind)).collect(),
            })
            .collect();
        Ok(motion)
    }

    /// One line for each control point that is asked for: by its name, or, where one name is asked for several times, in order.
    fn measurement(
        &self,
        id: &str,
        names: &[&str],
        served: &mut dyn Served,
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
