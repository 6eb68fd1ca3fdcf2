//! A frame under way, with a clock.

use std::time::Instant;

use tandem_integrator::{
    Answer, GroundMotion, Integrator, IntegratorContext, Loading, METHODS, Problem,
};
use tandem_quantity::{Entry, Value, Values};
use tandem_signal::record::el_centro_1940;
use tandem_structure::Structure;

use super::frame::Built;

/// How a frame is stepped.
#[derive(Clone, Copy)]
pub enum Method {
    /// Average acceleration, one solution a step with a matrix that was factored once.
    Newmark,
    /// Average acceleration, Newton's iteration to this part of the displacement.
    Newton { tolerance: f64 },
    /// Operator splitting with the initial stiffness: one evaluation of all fibres and one solution
    /// a step.
    Splitting,
}

/// A frame under El Centro.
pub struct Run {
    integrator: Box<dyn Integrator>,
    loading: Box<dyn Loading>,
    top_dof: usize,
    /// Displacement of the top after every step, m.
    pub top: Vec<f64>,
}

impl Run {
    /// A frame at rest.
    pub fn new(built: Built, method: Method, dt: f64, scale: f64) -> Result<Self, String> {
        let record = el_centro_1940().scaled(scale);
        let loading = Box::new(GroundMotion::new(&built.model, move |t| record.at(t)));
        let number = Value::Number;
        let newmark = [("gamma", number(0.5)), ("beta", number(0.25))];
        let (name, given) = match method {
            Method::Newmark => ("newmark", newmark.to_vec()),
            Method::Splitting => ("osm", Vec::new()),
            Method::Newton { tolerance } => {
                let mut given = newmark.to_vec();
                given.push(("iteration", Value::Text("newton".into())));
                given.push(("tolerance", number(tolerance)));
                given.push(("most_iterations", Value::Integer(40)));
                ("newmark-iterated", given)
            }
        };
        let entry = Entry::find(METHODS, name).ok_or("no such method")?;
        let values = given
            .into_iter()
            .fold(Values::new(), |values, (key, value)| {
                values.with(key, value)
            });
        let problem = Problem::all_numerical(Box::new(built.model), dt);
        let integrator = (entry.build)(&values, problem, &IntegratorContext::of(loading.as_ref()))
            .map_err(|e| e.to_string())?;
        Ok(Self {
            integrator,
            loading,
            top_dof: built.top,
            top: Vec::with_capacity(1 << 16),
        })
    }

    /// Takes some steps; returns the seconds they took.
    pub fn advance(&mut self, steps: usize) -> f64 {
        let started = Instant::now();
        for _ in 0..steps {
            self.integrator.feed(Answer::NONE, self.loading.as_ref());
            self.top
                .push(self.integrator.response().displacement[self.top_dof]);
        }
        started.elapsed().as_secs_f64()
    }

    pub fn dof(&self) -> usize {
        self.integrator.problem().structure.properties().dof()
    }

    pub fn unsettled(&self) -> u64 {
        self.integrator.observe().unsettled()
    }
}

/// A count as a number.
pub fn float(count: usize) -> f64 {
    count as f64
}
