//! The fibres of a section, grouped by material, with their strains, stresses and tangents in arrays.

use std::ops::Range;

use tandem_quantity::{Snapshot, SnapshotError, Words};

use super::layout::FibreLayout;
use crate::material::FibreBlock;

/// Fibres in the order of their materials.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fibres {
    blocks: Vec<(FibreBlock, Range<usize>)>,
    pub area: Vec<f64>,
    pub strain: Vec<f64>,
    pub stress: Vec<f64>,
    pub tangent: Vec<f64>,
    committed_strain: Vec<f64>,
    committed_stress: Vec<f64>,
    committed_tangent: Vec<f64>,
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
        let rest = vec![0.0; area.len()];
        let mut fibres = Self {
            blocks,
            area,
            strain: rest.clone(),
            stress: rest.clone(),
            tangent: rest.clone(),
            committed_strain: rest.clone(),
            committed_stress: rest.clone(),
            committed_tangent: rest,
        };
        // Stresses at rest are not always zero (prestress); the states stay virgin.
        fibres.evaluate();
        for (block, _) in &mut fibres.blocks {
            block.revert();
        }
        fibres.keep();
        (fibres, y, z)
    }

    /// Stresses and tangents at the strains in `strain`.
    #[inline]
    pub fn evaluate(&mut self) {
        for (block, range) in &mut self.blocks {
            let range = range.clone();
            block.evaluate(
                &self.strain[range.clone()],
                &mut self.stress[range.clone()],
                &mut self.tangent[range],
            );
        }
    }

    fn keep(&mut self) {
        self.committed_strain.copy_from_slice(&self.strain);
        self.committed_stress.copy_from_slice(&self.stress);
        self.committed_tangent.copy_from_slice(&self.tangent);
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
        self.strain.copy_from_slice(&self.committed_strain);
        self.stress.copy_from_slice(&self.committed_stress);
        self.tangent.copy_from_slice(&self.committed_tangent);
    }
}

impl Snapshot for Fibres {
    fn save(&self, into: &mut Vec<f64>) {
        for (block, _) in &self.blocks {
            block.save(into);
        }
        for array in [
            &self.strain,
            &self.stress,
            &self.tangent,
            &self.committed_strain,
            &self.committed_stress,
            &self.committed_tangent,
        ] {
            array.save(into);
        }
    }

    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        for (block, _) in &mut self.blocks {
            block.restore(from)?;
        }
        for array in [
            &mut self.strain,
            &mut self.stress,
            &mut self.tangent,
            &mut self.committed_strain,
            &mut self.committed_stress,
            &mut self.committed_tangent,
        ] {
            array.restore(from)?;
        }
        Ok(())
    }
}

/// Sums `SUMS` products over all fibres in four interleaved partial sums, always in the same order.
#[inline(always)]
pub(super) fn sum_over<const SUMS: usize>(
    count: usize,
    products: impl Fn(usize) -> [f64; SUMS],
) -> [f64; SUMS] {
    const PARTS: usize = 4;
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
    parts.map(|sums| (sums[0] + sums[1]) + (sums[2] + sums[3]))
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
