//! Elastic member of a plane frame with a rotational spring at one or both ends, condensed inside the member.
//!
//! End rotations θ = beam + φ (spring). Moments balance: k_b(θ − φ) + m_clamped = m_s(φ), solved by Newton for the spring
//! rotations φ; k = k_b − k_b (k_b + k_s)⁻¹ k_b. A spring without stiffness is a moment release.

use tandem_quantity::{Snapshot, SnapshotError, Words};

use super::body::{Body, clamped_force};
use super::elastic_beam::bending;
use crate::material::{Drive, Material, MaterialPoint};

/// The body of an elastic member with hinges at its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct HingedBeam {
    length: f64,
    axial: f64,
    bending: [[f64; 2]; 2],
    springs: [Option<MaterialPoint>; 2],
    initial: [[f64; 3]; 3],
    load: [f64; 3],
    now: State,
    committed: State,
    failures: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    rotation: [f64; 2],
    force: [f64; 3],
    stiffness: [[f64; 3]; 3],
}

tandem_quantity::snapshot!(State {
    rotation,
    force,
    stiffness
});

impl HingedBeam {
    /// A member of length L from EA, EI, G A_s and the springs at its ends (none: continuous).
    #[must_use]
    pub fn new(
        length: f64,
        axial_stiffness: f64,
        bending_stiffness: f64,
        shear_stiffness: f64,
        springs: [Option<&Material>; 2],
    ) -> Self {
        let (near, far) = bending(bending_stiffness, shear_stiffness, length);
        let springs = springs.map(|spring| spring.map(Material::point));
        let mut beam = Self {
            length,
            axial: axial_stiffness / length,
            bending: [[near, far], [far, near]],
            springs,
            initial: [[0.0; 3]; 3],
            load: [0.0; 3],
            now: State {
                rotation: [0.0; 2],
                force: [0.0; 3],
                stiffness: [[0.0; 3]; 3],
            },
            committed: State {
                rotation: [0.0; 2],
                force: [0.0; 3],
                stiffness: [[0.0; 3]; 3],
            },
            failures: 0,
        };
        let tangents = beam
            .springs
            .each_ref()
            .map(|spring| spring.as_ref().map(MaterialPoint::initial_tangent));
        beam.initial = beam.condensed(tangents);
        beam.now.stiffness = beam.initial;
        beam.committed.stiffness = beam.initial;
        beam
    }

    /// (k_b + k_s)⁻¹ on the ends with springs, zero elsewhere.
    fn compliance(&self, tangents: [Option<f64>; 2]) -> [[f64; 2]; 2] {
        let k = &self.bending;
        match tangents {
            [None, None] => [[0.0; 2]; 2],
            [Some(first), None] => [[1.0 / (k[0][0] + first), 0.0], [0.0; 2]],
            [None, Some(second)] => [[0.0; 2], [0.0, 1.0 / (k[1][1] + second)]],
            [Some(first), Some(second)] => {
                let (a, b, c) = (k[0][0] + first, k[1][1] + second, k[0][1]);
                let factor = 1.0 / (a * b - c * c);
                [[b * factor, -c * factor], [-c * factor, a * factor]]
            }
        }
    }

    fn condensed(&self, tangents: [Option<f64>; 2]) -> [[f64; 3]; 3] {
        let (k, g) = (&self.bending, self.compliance(tangents));
        let mut result = [[0.0; 3]; 3];
        result[0][0] = self.axial;
        for i in 0..2 {
            for j in 0..2 {
                let mut sum = k[i][j];
                for l in 0..2 {
                    for m in 0..2 {
                        sum -= k[i][l] * g[l][m] * k[m][j];
                    }
                }
                result[i + 1][j + 1] = sum;
            }
        }
        result
    }

    /// Rotation and moment of the hinge at end 0 or 1, if there is one.
    #[must_use]
    pub fn hinge(&self, end: usize) -> Option<(f64, f64)> {
        let spring = self.springs.get(end)?.as_ref()?;
        Some((spring.strain(), spring.response().stress))
    }

    /// How many trials did not converge.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// Moments of the beam and how far they are from those of the springs.
    fn unbalance(&mut self, end: [f64; 2], clamped: &[f64; 3], rotation: [f64; 2]) -> Balance {
        let mut balance = Balance::default();
        for i in 0..2 {
            let beam = (0..2)
                .map(|j| self.bending[i][j] * (end[j] - rotation[j]))
                .sum::<f64>()
                + clamped[i + 1];
            balance.moment[i] = beam;
            if let Some(spring) = &mut self.springs[i] {
                let answer = spring.trial(Drive::at(rotation[i]));
                balance.gap[i] = beam - answer.stress;
                balance.tangents[i] = Some(answer.tangent);
                balance.scale += beam.abs() + answer.stress.abs();
            }
        }
        balance
    }
}

#[derive(Clone, Copy, Default)]
struct Balance {
    moment: [f64; 2],
    gap: [f64; 2],
    tangents: [Option<f64>; 2],
    scale: f64,
}

impl Balance {
    fn size(&self) -> f64 {
        self.gap[0].hypot(self.gap[1])
    }
}

impl Body<3> for HingedBeam {
    fn trial(&mut self, v: &[f64; 3]) {
        let clamped: [f64; 3] = clamped_force(self.length, self.load);
        let end = [v[1], v[2]];
        let mut rotation = self.committed.rotation;
        let mut balance = self.unbalance(end, &clamped, rotation);
        let mut settled = false;
        for _ in 0..60 {
            if balance.size() <= 1e-14 * balance.scale {
                settled = true;
                break;
            }
            let g = self.compliance(balance.tangents);
            let step = [0, 1].map(|i| g[i][0] * balance.gap[0] + g[i][1] * balance.gap[1]);
            let (before, mut part) = (balance.size(), 1.0);
            // Half steps while the gap does not shrink: backbones have corners.
            for _ in 0..6 {
                let tried = [0, 1].map(|i| rotation[i] + part * step[i]);
                balance = self.unbalance(end, &clamped, tried);
                if balance.size() < before || part < 0.05 {
                    rotation = tried;
                    break;
                }
                part *= 0.5;
            }
            if (step[0].abs() + step[1].abs()) * part
                <= 1e-15 * (rotation[0].abs() + rotation[1].abs())
            {
                settled = true;
                break;
            }
        }
        self.failures += usize::from(!settled);
        self.now = State {
            rotation,
            force: [
                self.axial * v[0] + clamped[0],
                balance.moment[0],
                balance.moment[1],
            ],
            stiffness: self.condensed(balance.tangents),
        };
    }
    fn force(&self) -> &[f64; 3] {
        &self.now.force
    }
    fn stiffness(&self) -> &[[f64; 3]; 3] {
        &self.now.stiffness
    }
    fn initial_stiffness(&self) -> &[[f64; 3]; 3] {
        &self.initial
    }
    fn set_load(&mut self, load: [f64; 3]) {
        self.load = load;
    }
    fn commit(&mut self) {
        self.committed = self.now;
        self.springs
            .iter_mut()
            .flatten()
            .for_each(MaterialPoint::commit);
    }
    fn revert(&mut self) {
        self.now = self.committed;
        self.springs
            .iter_mut()
            .flatten()
            .for_each(MaterialPoint::revert);
    }
}

impl Snapshot for HingedBeam {
    fn save(&self, into: &mut Vec<f64>) {
        self.load.save(into);
        self.now.save(into);
        self.committed.save(into);
        self.failures.save(into);
        for spring in self.springs.iter().flatten() {
            spring.save(into);
        }
    }
    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.load.restore(from)?;
        self.now.restore(from)?;
        self.committed.restore(from)?;
        self.failures.restore(from)?;
        for spring in self.springs.iter_mut().flatten() {
            spring.restore(from)?;
        }
        Ok(())
    }
}
