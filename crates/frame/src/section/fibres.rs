//! The fibres of a section, grouped by material, with their strains, stresses and tangents in
//! arrays.

use std::ops::Range;
use std::sync::Arc;

use tandem_quantity::{Snapshot, SnapshotError, StateReader, snapshot};

use super::layout::FibreLayout;
use crate::material::FibreBlock;

/// Strains, stresses and tangents of all fibres.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Points {
    pub strain: Vec<f64>,
    pub stress: Vec<f64>,
    pub tangent: Vec<f64>,
}

snapshot!(Points {
    strain,
    stress,
    tangent
});

/// Fibres in the order of their materials.
#[derive(Clone, Debug)]
pub(super) struct Fibres {
    blocks: Vec<(FibreBlock, Range<usize>)>,
    /// Shared by all sections of one layout.
    pub area: Arc<[f64]>,
    /// Of the last trial; of use only while it is neither committed nor forgotten.
    trial: Points,
    committed: Points,
    tried: bool,
}

impl Fibres {
    /// The fibres of a layout with their coordinates (y, z), at rest.
    pub fn new(layout: &FibreLayout) -> (Self, Vec<f64>, Vec<f64>) {
        let mut blocks = Vec::new();
        let (mut y, mut z, mut area) = (Vec::new(), Vec::new(), Vec::new());
        for (material, fibres) in layout.by_material() {
            let start = area.len();
            for fibre in fibres {
                y.push(fibre.y);
                z.push(fibre.z);
                area.push(fibre.area);
            }
            blocks.push((
                FibreBlock::new(material, area.len() - start),
                start..area.len(),
            ));
        }
        let zeros = vec![0.0; area.len()];
        let rest = Points {
            strain: zeros.clone(),
            stress: zeros.clone(),
            tangent: zeros,
        };
        let mut fibres = Self {
            blocks,
            area: area.into(),
            trial: rest.clone(),
            committed: rest,
            tried: false,
        };
        // Stresses at rest are not always zero (prestress); the states stay virgin.
        fibres.evaluate(|_| 0.0);
        for (block, _) in &mut fibres.blocks {
            block.revert();
        }
        fibres.keep();
        (fibres, y, z)
    }

    /// Stresses and tangents at the strains that a fibre's number gives.
    #[inline(always)]
    pub fn evaluate(&mut self, strain_of: impl Fn(usize) -> f64) {
        let Points {
            strain,
            stress,
            tangent,
        } = &mut self.trial;
        for (fibre, strain) in strain.iter_mut().enumerate() {
            *strain = strain_of(fibre);
        }
        for (block, range) in &mut self.blocks {
            let range = range.clone();
            block.evaluate(
                &strain[range.clone()],
                &mut stress[range.clone()],
                &mut tangent[range],
            );
        }
        self.tried = true;
    }

    /// As of the last trial, or as committed when there was none since.
    #[inline(always)]
    pub fn now(&self) -> &Points {
        if self.tried {
            &self.trial
        } else {
            &self.committed
        }
    }

    /// One fibre; `y` and `z` are those of all.
    pub fn response(&self, y: &[f64], z: &[f64], fibre: usize) -> FibreResponse {
        let now = self.now();
        FibreResponse {
            y: y[fibre],
            z: z[fibre],
            area: self.area[fibre],
            strain: now.strain[fibre],
            stress: now.stress[fibre],
            tangent: now.tangent[fibre],
        }
    }

    fn keep(&mut self) {
        if self.tried {
            std::mem::swap(&mut self.trial, &mut self.committed);
            self.tried = false;
        }
    }

    pub fn commit(&mut self) {
        for (block, _) in &mut self.blocks {
            block.commit();
        }
        self.keep();
    }

    pub fn revert(&mut self) {
        for (block, _) in &mut self.blocks {
            block.revert();
        }
        self.tried = false;
    }
}

impl PartialEq for Fibres {
    fn eq(&self, other: &Self) -> bool {
        self.blocks == other.blocks
            && self.area == other.area
            && self.committed == other.committed
            && self.now() == other.now()
    }
}

impl Snapshot for Fibres {
    fn save(&self, into: &mut Vec<f64>) {
        for (block, _) in &self.blocks {
            block.save(into);
        }
        self.committed.save(into);
        self.now().save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        for (block, _) in &mut self.blocks {
            block.restore(from)?;
        }
        self.committed.restore(from)?;
        self.tried = true;
        self.trial.restore(from)
    }
}

/// Sums `SUMS` products over all fibres in eight interleaved partial sums, always in the same
/// order.
#[inline(always)]
pub(super) fn sum_over<const SUMS: usize>(
    count: usize,
    products: impl Fn(usize) -> [f64; SUMS],
) -> [f64; SUMS] {
    const PARTS: usize = 8;
    let mut parts = [[0.0; PARTS]; SUMS];
    let whole = count - count % PARTS;
    for start in (0..whole).step_by(PARTS) {
        for part in 0..PARTS {
            for (sums, product) in parts.iter_mut().zip(products(start + part)) {
                sums[part] += product;
            }
        }
    }
    for fibre in whole..count {
        for (sums, product) in parts.iter_mut().zip(products(fibre)) {
            sums[fibre - whole] += product;
        }
    }
    parts.map(|s| ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])))
}

/// One fibre as recorders see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FibreResponse {
    /// Coordinate y from the axis of the section, m.
    pub y: f64,
    /// Coordinate z from the axis of the section, m.
    pub z: f64,
    /// Area, m².
    pub area: f64,
    /// Strain.
    pub strain: f64,
    /// Stress, Pa.
    pub stress: f64,
    /// Tangent, Pa.
    pub tangent: f64,
}
