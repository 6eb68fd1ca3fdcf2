//! Elastic member with a rotational spring at one or both ends, condensed inside the member; in a
//! space frame about both of its axes.
//!
//! In each plane of bending, end rotations θ = beam + φ (spring). Moments balance: k_b(θ − φ) +
//! m_clamped = m_s(φ), solved by Newton for the spring rotations φ; k = k_b − k_b (k_b + k_s)⁻¹
//! k_b. A spring without stiffness is a moment release.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::body::{Body, clamped_force};
use super::elastic_beam::bending;
use crate::material::{Drive, Material, MaterialPoint};

/// Bending in one plane with springs at the ends.
#[derive(Clone, Debug, PartialEq)]
struct HingedBending {
    stiffness: [[f64; 2]; 2],
    springs: [Option<MaterialPoint>; 2],
    rotation: [f64; 2],
    committed: [f64; 2],
    failures: usize,
}

impl Snapshot for HingedBending {
    fn save(&self, into: &mut Vec<f64>) {
        self.rotation.save(into);
        self.committed.save(into);
        self.failures.save(into);
        for spring in self.springs.iter().flatten() {
            spring.save(into);
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.rotation.restore(from)?;
        self.committed.restore(from)?;
        self.failures.restore(from)?;
        for spring in self.springs.iter_mut().flatten() {
            spring.restore(from)?;
        }
        Ok(())
    }
}

/// How far the moments of beam and springs are apart.
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

impl HingedBending {
    fn new(
        (bending_stiffness, shear_stiffness): (f64, f64),
        length: f64,
        springs: [Option<&Material>; 2],
    ) -> Self {
        let (near, far) = bending(bending_stiffness, shear_stiffness, length);
        Self {
            stiffness: [[near, far], [far, near]],
            springs: springs.map(|spring| spring.map(Material::point)),
            rotation: [0.0; 2],
            committed: [0.0; 2],
            failures: 0,
        }
    }

    /// Stiffness before anything has moved.
    fn initial(&self) -> [[f64; 2]; 2] {
        self.condensed(
            self.springs
                .each_ref()
                .map(|spring| spring.as_ref().map(MaterialPoint::initial_tangent)),
        )
    }

    /// (k_b + k_s)⁻¹ on the ends with springs, zero elsewhere.
    fn compliance(&self, tangents: [Option<f64>; 2]) -> [[f64; 2]; 2] {
        let k = &self.stiffness;
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

    fn condensed(&self, tangents: [Option<f64>; 2]) -> [[f64; 2]; 2] {
        let (k, g) = (&self.stiffness, self.compliance(tangents));
        let mut result = *k;
        for i in 0..2 {
            for j in 0..2 {
                for l in 0..2 {
                    for m in 0..2 {
                        result[i][j] -= k[i][l] * g[l][m] * k[m][j];
                    }
                }
            }
        }
        result
    }

    /// Moments of the beam and how far they are from those of the springs.
    fn unbalance(&mut self, end: [f64; 2], clamped: [f64; 2], rotation: [f64; 2]) -> Balance {
        let mut balance = Balance::default();
        for i in 0..2 {
            let beam = (0..2)
                .map(|j| self.stiffness[i][j] * (end[j] - rotation[j]))
                .sum::<f64>()
                + clamped[i];
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

    /// End moments and their stiffness at these end rotations.
    fn trial(&mut self, end: [f64; 2], clamped: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
        let mut rotation = self.committed;
        let mut balance = self.unbalance(end, clamped, rotation);
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
                balance = self.unbalance(end, clamped, tried);
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
        self.rotation = rotation;
        (balance.moment, self.condensed(balance.tangents))
    }

    fn commit(&mut self) {
        self.committed = self.rotation;
        self.springs
            .iter_mut()
            .flatten()
            .for_each(MaterialPoint::commit);
    }

    fn revert(&mut self) {
        self.rotation = self.committed;
        self.springs
            .iter_mut()
            .flatten()
            .for_each(MaterialPoint::revert);
    }
}

/// The body of an elastic member with hinges at its ends: B = 3 plane, B = 6 space.
#[derive(Clone, Debug, PartialEq)]
pub struct HingedBeam<const B: usize> {
    length: f64,
    /// Bending in the x–y plane and, in space, in the x–z plane.
    planes: Vec<HingedBending>,
    initial: [[f64; B]; B],
    load: [f64; 3],
    now: State<B>,
    committed: State<B>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct State<const B: usize> {
    force: [f64; B],
    stiffness: [[f64; B]; B],
}

impl<const B: usize> Snapshot for State<B> {
    fn save(&self, into: &mut Vec<f64>) {
        self.force.save(into);
        self.stiffness.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.force.restore(from)?;
        self.stiffness.restore(from)
    }
}

impl HingedBeam<3> {
    /// A plane member of length L from EA, (EI, G A_s) and the springs at its ends (none:
    /// continuous).
    #[must_use]
    pub fn plane(
        length: f64,
        axial_stiffness: f64,
        bending_stiffness: (f64, f64),
        springs: [Option<&Material>; 2],
    ) -> Self {
        let planes = vec![HingedBending::new(bending_stiffness, length, springs)];
        Self::of(length, axial_stiffness, 0.0, planes)
    }
}

impl HingedBeam<6> {
    /// A space member of length L from EA, (EI_z, G A_sy), (EI_y, G A_sz), GJ and the springs at
    /// its ends about z and about y.
    #[must_use]
    pub fn space(
        length: f64,
        axial_stiffness: f64,
        about_z: (f64, f64),
        about_y: (f64, f64),
        torsional_stiffness: f64,
        [springs_z, springs_y]: [[Option<&Material>; 2]; 2],
    ) -> Self {
        let planes = vec![
            HingedBending::new(about_z, length, springs_z),
            HingedBending::new(about_y, length, springs_y),
        ];
        Self::of(length, axial_stiffness, torsional_stiffness, planes)
    }
}

impl<const B: usize> HingedBeam<B> {
    fn of(length: f64, axial: f64, torsion: f64, planes: Vec<HingedBending>) -> Self {
        let mut initial = [[0.0; B]; B];
        initial[0][0] = axial / length;
        if B == 6 {
            initial[B - 1][B - 1] = torsion / length;
        }
        for (plane, first) in planes.iter().zip([1, 3]) {
            put(&mut initial, first, &plane.initial());
        }
        let rest = State {
            force: [0.0; B],
            stiffness: initial,
        };
        Self {
            length,
            planes,
            initial,
            load: [0.0; 3],
            now: rest,
            committed: rest,
        }
    }

    /// Rotation and moment of the hinge at end 0 or 1 about z (plane 0) or y (plane 1), if there is
    /// one.
    #[must_use]
    pub fn hinge(&self, plane: usize, end: usize) -> Option<(f64, f64)> {
        let spring = self.planes.get(plane)?.springs.get(end)?.as_ref()?;
        Some((spring.strain(), spring.response().stress))
    }
}

/// Writes the stiffness of one plane of bending into that of the member.
fn put<const B: usize>(into: &mut [[f64; B]; B], first: usize, part: &[[f64; 2]; 2]) {
    for i in 0..2 {
        for j in 0..2 {
            into[first + i][first + j] = part[i][j];
        }
    }
}

impl<const B: usize> Body<B> for HingedBeam<B> {
    fn failures(&self) -> usize {
        self.planes.iter().map(|plane| plane.failures).sum()
    }
    fn trial(&mut self, v: &[f64; B]) {
        let clamped: [f64; B] = clamped_force(self.length, self.load);
        self.now.force[0] = self.initial[0][0] * v[0] + clamped[0];
        if B == 6 {
            self.now.force[B - 1] = self.initial[B - 1][B - 1] * v[B - 1];
        }
        for (plane, first) in self.planes.iter_mut().zip([1, 3]) {
            let end = [v[first], v[first + 1]];
            let (moment, stiffness) = plane.trial(end, [clamped[first], clamped[first + 1]]);
            self.now.force[first..first + 2].copy_from_slice(&moment);
            put(&mut self.now.stiffness, first, &stiffness);
        }
    }
    fn force(&self) -> &[f64; B] {
        &self.now.force
    }
    fn stiffness(&self) -> &[[f64; B]; B] {
        &self.now.stiffness
    }
    fn initial_stiffness(&self) -> &[[f64; B]; B] {
        &self.initial
    }
    fn set_load(&mut self, load: [f64; 3]) {
        self.load = load;
    }
    fn commit(&mut self) {
        self.committed = self.now;
        self.planes.iter_mut().for_each(HingedBending::commit);
    }
    fn revert(&mut self) {
        self.now = self.committed;
        self.planes.iter_mut().for_each(HingedBending::revert);
    }
}

impl<const B: usize> Snapshot for HingedBeam<B> {
    fn save(&self, into: &mut Vec<f64>) {
        self.load.save(into);
        self.now.save(into);
        self.committed.save(into);
        self.planes.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.load.restore(from)?;
        self.now.restore(from)?;
        self.committed.restore(from)?;
        self.planes.restore(from)
    }
}
