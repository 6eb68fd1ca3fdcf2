//! Sub-cycling: several steps of the numerical substructure within one step of the test.

use crate::{
    Answer, Integrator, IntegratorContext, IntegratorProperties, IntegratorView, Loading, Problem,
    SLOT, forward_integrator,
};
use tandem_quantity::{
    BuildError, Motion, Range, Settings, Snapshot, SnapshotError, SpecimenMatrices, StateReader,
    Values, settings,
};

settings! {
    /// In how many parts a step of the test is taken.
    pub struct SubCycling {
        /// steps of the numerical substructure within one of the test; the specimen is asked once,
        /// at the end of the last, and its force is continued in between with what is known of it
        pub sub_steps: usize = integer().or("1").within(Range::between(1.0, 1000.0)),
    }
}

/// Builds the method that `values` names at `method`, in `sub_steps` steps within each one of
/// `problem.dt` where the table says so.
///
/// The specimen is asked once in a step of the test, at its end, whatever the number of sub-steps:
/// a stiff or fine numerical substructure can be stepped as it needs while the laboratory keeps its
/// pace.
pub fn build(
    values: &Values,
    mut problem: Problem,
    context: &IntegratorContext<'_>,
) -> Result<Box<dyn Integrator>, BuildError> {
    let entry = context.registry.find(&SLOT, values)?;
    let count = SubCycling::read(values)?.sub_steps;
    if count <= 1 {
        return (entry.build)(values, problem, context);
    }
    let dt = problem.dt;
    let hybrid = !problem.interface.is_empty();
    let specimen = problem.specimen.clone();
    let sub_steps = count as f64;
    problem.dt /= sub_steps;
    let inner = (entry.build)(values, problem, context)?;
    let refuse = |message: &str| {
        BuildError::new(
            "sub_steps",
            format!("{} {message}", entry.method.name),
            "take a method that asks once a step, at its end, such as \"newmark-explicit\", \
            \"osm\" or \"alpha-os\"; or sub_steps = 1",
        )
    };
    if hybrid && inner.observe().tangent().is_some() {
        return Err(refuse(
            "estimates the specimen's stiffness from increments, which only the questions of the \
            test are",
        ));
    }
    let given = *inner.properties();
    let once = given.evaluations_per_step == 1 && given.looks_ahead && !given.needs_instant_answers;
    if hybrid && !once {
        return Err(refuse("does not ask the specimen once a step, at its end"));
    }
    let n = specimen.dof;
    let mut method = SubCycled {
        response: inner.response().clone(),
        inner,
        count,
        steps: 0,
        properties: IntegratorProperties {
            critical_dt: given.critical_dt.map(|dt| dt * sub_steps),
            works_within_steps: given.works_within_steps,
            ..IntegratorProperties::of(dt)
        },
        specimen,
        at: Motion::at_rest(n),
        measured: Answered::at_rest(n),
        continued: Answered::at_rest(n),
        assumes: false,
        unbalanced: vec![0.0; n],
    };
    method.assumes = method
        .inner
        .observe()
        .splitting_residual(&mut method.unbalanced);
    method.go_to_question(context.loading);
    Ok(Box::new(method))
}

/// A displacement and a force at the interface.
struct Answered {
    displacement: Vec<f64>,
    force: Vec<f64>,
}

impl Answered {
    fn at_rest(n: usize) -> Self {
        Self {
            displacement: vec![0.0; n],
            force: vec![0.0; n],
        }
    }
}

/// Between two measurements the specimen's force is continued from the last one with what is known
/// of it, f + K_e (d − d*) + C_e (v − v*) + M_e (a − a*), where (d*, v*, a*) is the motion at which
/// it was asked: for a linear specimen that is exact. Only the question of the last sub-step goes
/// to the laboratory.
struct SubCycled {
    /// Ahead of the test by all sub-steps but the last.
    inner: Box<dyn Integrator>,
    count: usize,
    properties: IntegratorProperties,
    /// Steps of the test that are complete.
    steps: u64,
    /// Motion at the end of the last of them.
    response: Motion,
    specimen: SpecimenMatrices,
    /// Motion of the last question that was answered by the laboratory, and the answer.
    at: Motion,
    measured: Answered,
    /// The answer to a question in between.
    continued: Answered,
    /// What the last sub-step of a step assumed beyond what was asked, where the method assumes.
    assumes: bool,
    unbalanced: Vec<f64>,
}

impl SubCycled {
    /// Steps through all sub-steps but the last, whose question is for the laboratory.
    #[inline]
    fn go_to_question(&mut self, loading: &dyn Loading) {
        if self.measured.force.is_empty() {
            return;
        }
        for _ in 1..self.count {
            self.go_on();
            let answer = Answer::new(&self.continued.displacement, &self.continued.force);
            self.inner.feed(answer, loading);
        }
    }

    #[inline]
    fn unbalanced_now(&mut self) {
        if self.assumes {
            self.inner
                .observe()
                .splitting_residual(&mut self.unbalanced);
        }
    }

    /// The specimen's answer at the method's present question, continued from the last measurement.
    #[inline]
    fn go_on(&mut self) {
        let (target, n) = (self.inner.target(), self.at.len());
        for i in 0..n {
            let mut force = self.measured.force[i];
            for j in 0..n {
                let e = i * n + j;
                force += self.specimen.stiffness[e]
                    * (target.displacement[j] - self.at.displacement[j])
                    + self.specimen.damping[e] * (target.velocity[j] - self.at.velocity[j])
                    + self.specimen.mass[e] * (target.acceleration[j] - self.at.acceleration[j]);
            }
            self.continued.force[i] = force;
            // The specimen stands as far from its target as it did when it was seen last.
            self.continued.displacement[i] =
                target.displacement[i] + (self.measured.displacement[i] - self.at.displacement[i]);
        }
    }
}

impl Snapshot for SubCycled {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
        self.steps.save(into);
        self.response.save(into);
        self.unbalanced.save(into);
        self.at.save(into);
        self.measured.displacement.save(into);
        self.measured.force.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)?;
        self.steps.restore(from)?;
        self.response.restore(from)?;
        self.unbalanced.restore(from)?;
        self.at.restore(from)?;
        self.measured.displacement.restore(from)?;
        self.measured.force.restore(from)
    }
}

impl Integrator for SubCycled {
    forward_integrator!(inner: target, problem, structure_mut);

    fn properties(&self) -> &IntegratorProperties {
        &self.properties
    }

    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        if self.measured.force.is_empty() {
            // Nobody is asked: the sub-steps follow each other.
            for _ in 0..self.count {
                while !self.inner.feed(Answer::NONE, loading) {}
            }
            self.steps += 1;
            self.response.copy_from(self.inner.response());
            return true;
        }
        self.at.copy_from(self.inner.target());
        self.measured
            .displacement
            .copy_from_slice(answer.displacement);
        self.measured.force.copy_from_slice(answer.force);
        self.inner.feed(answer, loading);
        self.steps += 1;
        self.response.copy_from(self.inner.response());
        self.unbalanced_now();
        self.go_to_question(loading);
        true
    }

    fn response(&self) -> &Motion {
        &self.response
    }

    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        self.inner.start_from(motion, loading);
        self.steps = 0;
        self.response.copy_from(self.inner.response());
        // The specimen as it is known, at this motion.
        let interface = &self.inner.problem().interface;
        for (k, &i) in interface.iter().enumerate() {
            self.at.displacement[k] = motion.displacement[i];
            self.at.velocity[k] = motion.velocity[i];
            self.at.acceleration[k] = motion.acceleration[i];
        }
        self.measured
            .displacement
            .copy_from_slice(&self.at.displacement);
        self.measured.force.fill(0.0);
        let force = &mut self.measured.force;
        SpecimenMatrices::mul_add(&self.specimen.stiffness, 1.0, &self.at.displacement, force);
        SpecimenMatrices::mul_add(&self.specimen.damping, 1.0, &self.at.velocity, force);
        SpecimenMatrices::mul_add(&self.specimen.mass, 1.0, &self.at.acceleration, force);
        self.go_to_question(loading);
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for SubCycled {
    fn splitting_residual(&self, force: &mut [f64]) -> bool {
        if self.assumes {
            force.copy_from_slice(&self.unbalanced);
        }
        self.assumes
    }

    fn unsettled(&self) -> u64 {
        self.inner.observe().unsettled()
    }
}
