//! Fibres of one material, evaluated together.
//!
//! Ports: one strain a fibre → one stress and one tangent a fibre, in the same order. Nothing here
//! allocates after [`FibreBlock::new`].

use tandem_quantity::{Snapshot, SnapshotError, StateReader, snapshot};

use super::law::{Drive, Law};
use super::steel02_block::Steel02Block;
use super::{Bilinear, Concrete01, Concrete02, Elastic, ElasticPlastic, Steel01};
use super::{Material, MaterialPoint};

/// Fibres of one law: the parameters once, committed and trial states in two arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct LawBlock<L: Law> {
    law: L,
    committed: Vec<L::State>,
    trial: Vec<L::State>,
}

impl<L: Law> Snapshot for LawBlock<L> {
    fn save(&self, into: &mut Vec<f64>) {
        self.committed.save(into);
        self.trial.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.committed.restore(from)?;
        self.trial.restore(from)
    }
}

impl<L: Law> LawBlock<L> {
    fn new(law: L, count: usize) -> Self {
        Self {
            law,
            committed: vec![law.virgin(); count],
            trial: vec![law.virgin(); count],
        }
    }

    fn evaluate(&mut self, strain: &[f64], stress: &mut [f64], tangent: &mut [f64]) {
        let law = self.law;
        let states = self.committed.iter().zip(&mut self.trial);
        let ports = strain.iter().zip(stress.iter_mut().zip(tangent));
        for ((committed, trial), (strain, (stress, tangent))) in states.zip(ports) {
            let (state, response) = law.trial(committed, Drive::at(*strain));
            *trial = state;
            *stress = response.stress;
            *tangent = response.tangent;
        }
    }

    fn commit(&mut self) {
        self.committed.copy_from_slice(&self.trial);
    }

    fn revert(&mut self) {
        self.trial.copy_from_slice(&self.committed);
    }
}

/// Fibres of any material, each a point of its own: for laws that sections rarely use.
#[derive(Clone, Debug, PartialEq)]
pub struct PointBlock {
    points: Vec<MaterialPoint>,
}

snapshot!(PointBlock { points });

impl PointBlock {
    fn evaluate(&mut self, strain: &[f64], stress: &mut [f64], tangent: &mut [f64]) {
        let ports = strain.iter().zip(stress.iter_mut().zip(tangent));
        for (point, (strain, (stress, tangent))) in self.points.iter_mut().zip(ports) {
            let response = point.trial(Drive::at(*strain));
            *stress = response.stress;
            *tangent = response.tangent;
        }
    }

    fn commit(&mut self) {
        self.points.iter_mut().for_each(MaterialPoint::commit);
    }

    fn revert(&mut self) {
        self.points.iter_mut().for_each(MaterialPoint::revert);
    }
}

macro_rules! fibre_block {
    ($($(#[$doc:meta])* $law:ident($block:ty)),* $(,)?) => {
        /// Fibres of one material.
        #[derive(Clone, Debug, PartialEq)]
        pub enum FibreBlock {
            $($(#[$doc])* $law($block),)*
            /// Anything else.
            Other(PointBlock),
        }

        impl FibreBlock {
            /// `count` untouched fibres.
            #[must_use]
            pub fn new(material: &Material, count: usize) -> Self {
                match material {
                    $(Material::$law(law) => Self::$law(<$block>::new(*law, count)),)*
                    other => Self::Other(PointBlock { points: vec![other.point(); count] }),
                }
            }

            /// Stress and tangent at these strains, from the committed states. All slices have one
            /// entry a fibre.
            ///
            /// Inlined into its caller, so that it uses the vector extension for which that is
            /// compiled.
            #[inline(always)]
            pub fn evaluate(&mut self, strain: &[f64], stress: &mut [f64], tangent: &mut [f64]) {
                match self {
                    $(Self::$law(block) => block.evaluate(strain, stress, tangent),)*
                    Self::Other(block) => block.evaluate(strain, stress, tangent),
                }
            }

            /// Makes the states of the last evaluation the committed ones.
            pub fn commit(&mut self) {
                match self {
                    $(Self::$law(block) => block.commit(),)*
                    Self::Other(block) => block.commit(),
                }
            }

            /// Forgets the last evaluation.
            pub fn revert(&mut self) {
                match self {
                    $(Self::$law(block) => block.revert(),)*
                    Self::Other(block) => block.revert(),
                }
            }
        }

        impl Snapshot for FibreBlock {
            fn save(&self, into: &mut Vec<f64>) {
                match self {
                    $(Self::$law(block) => block.save(into),)*
                    Self::Other(block) => block.save(into),
                }
            }

            fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
                match self {
                    $(Self::$law(block) => block.restore(from),)*
                    Self::Other(block) => block.restore(from),
                }
            }
        }
    };
}

fibre_block! {
    /// Linear elastic fibres.
    Elastic(LawBlock<Elastic>),
    /// Elastic–perfectly plastic fibres.
    ElasticPlastic(LawBlock<ElasticPlastic>),
    /// Bilinear fibres.
    Bilinear(LawBlock<Bilinear>),
    /// Steel01 fibres.
    Steel01(LawBlock<Steel01>),
    /// Steel02 fibres, several lanes at once.
    Steel02(Steel02Block),
    /// Concrete01 fibres.
    Concrete01(LawBlock<Concrete01>),
    /// Concrete02 fibres.
    Concrete02(LawBlock<Concrete02>),
}
