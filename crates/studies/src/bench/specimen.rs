//! The specimen of the multi-axial problem: a portal of two columns and a beam, whose force is
//! computed from (x, θ).

use tandem_quantity::BuildError;
use tandem_structure::{Damping, Matrix};

/// Degrees of freedom: x, rotation of the interface joint, of the other top joint, of the base
/// below it, of the base below the interface; counter-clockwise.
const DOF: usize = 5;
const INCH: f64 = 0.0254;
const MODULUS: f64 = 200e9;

/// Section data of the model that is fed back: columns 0.7 of S3x5.7, 641.35 mm; beam 762 mm.
const COLUMN: [f64; 2] = [0.7 * 2.52 * INCH * INCH * INCH * INCH, 0.641_35];
const BEAM: [f64; 2] = [4.213_72e-7, 0.762];
/// Mass in x and rotational inertias, kg and kg m², with the factor 1.1 of the distributed program.
const MASS: [f64; DOF] = [
    8.453_988_995_734_699,
    0.890_444_486_248_794_2,
    0.890_444_486_248_794_2,
    0.409_053_669_677_514_05,
    0.409_053_669_677_514_05,
];

type Square = [[f64; DOF]; DOF];

fn stiffness() -> Square {
    let [inertia, length] = COLUMN;
    let column = MODULUS * inertia / length;
    let beam = MODULUS * BEAM[0] / BEAM[1];
    let mut k = [[0.0; DOF]; DOF];
    k[0][0] = 24.0 * column / (length * length);
    for i in 1..DOF {
        k[0][i] = 6.0 * column / length;
        k[i][0] = k[0][i];
        k[i][i] = 4.0 * column;
    }
    for i in [1, 2] {
        k[i][i] += 4.0 * beam;
    }
    for (i, j, value) in [
        (1, 2, 2.0 * beam),
        (1, 4, 2.0 * column),
        (2, 3, 2.0 * column),
    ] {
        k[i][j] = value;
        k[j][i] = value;
    }
    k
}

/// The model with its past: velocity and acceleration by successive backward differences.
#[derive(Clone, Debug)]
pub struct Specimen {
    matrices: [Square; 3],
    /// The other rotations follow statically from (x, θ₁).
    follow: [[f64; 2]; DOF],
    /// Force rows (x, θ₁, θ₂) for displacement, velocity and acceleration of (x, θ₁): what the five
    /// rows reduce to.
    rows: [[[f64; 2]; 3]; 3],
    last: [[f64; 2]; 2],
}

impl Specimen {
    /// With its rotational inertias, or with the mass in x alone.
    ///
    /// # Errors
    /// [`BuildError`] where the modes cannot be found.
    pub fn new(with_rotational_inertia: bool) -> Result<Self, BuildError> {
        let k = stiffness();
        let mut m = [[0.0; DOF]; DOF];
        for i in 0..DOF {
            m[i][i] = MASS[i];
        }
        let matrix = |rows: &Square| {
            Matrix::from_rows(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
        };
        let refuse = |text: String| BuildError::new("structure", text, "this is an internal error");
        let (mass, stiff) = (
            matrix(&m).map_err(|e| refuse(e.to_string()))?,
            matrix(&k).map_err(|e| refuse(e.to_string()))?,
        );
        // 5 % in all five modes, circular frequencies rounded to 0.01 rad/s.
        let damping = Damping::Modal {
            ratios: vec![0.05],
            rounding: Some(0.01),
        }
        .matrix(&mass, &stiff)
        .map_err(|e| refuse(e.to_string()))?;
        let mut c = [[0.0; DOF]; DOF];
        for i in 0..DOF {
            for j in 0..DOF {
                c[i][j] = damping.get(i, j);
            }
        }
        if !with_rotational_inertia {
            for i in 1..DOF {
                m[i][i] = 0.0;
            }
        }
        let follow = followers(&k);
        let matrices = [m, c, k];
        let rows = matrices.map(|z| {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..DOF).map(|q| z[i][q] * follow[q][j]).sum())
            })
        });
        Ok(Self {
            matrices,
            follow,
            rows,
            last: [[0.0; 2]; 2],
        })
    }

    /// Mass, damping and stiffness of the five degrees of freedom.
    #[must_use]
    pub fn matrices(&self) -> &[Square; 3] {
        &self.matrices
    }

    /// How all five follow (x, θ₁).
    #[must_use]
    pub fn follow(&self) -> &[[f64; 2]; DOF] {
        &self.follow
    }

    /// Force and moments at x, θ₁ and θ₂ for (x, θ₁) of this sample.
    #[inline]
    pub fn force(&mut self, seen: [f64; 2]) -> [f64; 3] {
        let rate = super::multi_axial::RATE;
        let [last, last_rate] = self.last;
        let v: [f64; 2] = std::array::from_fn(|j| (seen[j] - last[j]) * rate);
        let a: [f64; 2] = std::array::from_fn(|j| (v[j] - last_rate[j]) * rate);
        self.last = [seen, v];
        let [m, c, k] = &self.rows;
        std::array::from_fn(|i| {
            (0..2)
                .map(|j| m[i][j] * a[j] + c[i][j] * v[j] + k[i][j] * seen[j])
                .sum()
        })
    }

    /// What it takes of mass, damping and stiffness at x, θ₁, θ₂ (rows) for motions of x and θ₁
    /// (columns; θ₂ has none): what must be taken out of the frame so that both parts are the
    /// whole.
    #[must_use]
    pub fn felt(&self) -> [[[f64; 3]; 3]; 3] {
        self.rows.map(|rows| rows.map(|row| [row[0], row[1], 0.0]))
    }
}

/// −K_oo⁻¹ K_ot below the identity: rotations without inertia.
fn followers(k: &Square) -> [[f64; 2]; DOF] {
    let mut a = [[0.0; 5]; 3];
    for i in 0..3 {
        for j in 0..3 {
            a[i][j] = k[2 + i][2 + j];
        }
        for j in 0..2 {
            a[i][3 + j] = -k[2 + i][j];
        }
    }
    // Positive definite: no exchange of rows is needed.
    for p in 0..3 {
        let head = a[p][p];
        a[p].iter_mut().for_each(|x| *x /= head);
        let row = a[p];
        for (i, other) in a.iter_mut().enumerate() {
            if i != p {
                let f = other[p];
                for (x, y) in other.iter_mut().zip(row) {
                    *x -= f * y;
                }
            }
        }
    }
    let mut follow = [[0.0; 2]; DOF];
    follow[0][0] = 1.0;
    follow[1][1] = 1.0;
    for i in 0..3 {
        follow[2 + i] = [a[i][3], a[i][4]];
    }
    follow
}

/// Mass, damping and stiffness that the distributed program takes out of the frame, at x, θ₁, θ₂:
/// other sections and lengths than what it feeds back, a density of 785e3 instead of 7.85e3 kg/m³
/// and the wrong sign between the two rotations of the beam.
#[must_use]
pub fn removed_as_coded() -> [[[f64; 3]; 3]; 3] {
    let (length, span) = (0.635, 0.762);
    let inch4 = INCH * INCH * INCH * INCH;
    let column = MODULUS * 2.52 * inch4 / length;
    let beam = MODULUS * 0.6132 * inch4 / span;
    let (side, turn, other) = (
        6.0 * column / (length * length),
        3.0 * column + 4.0 * beam,
        -2.0 * beam,
    );
    // Counter-clockwise rotations: x and rotation act with the same sign.
    let lever = 3.0 * column / length;
    let k = [
        [side, lever, lever],
        [lever, turn, other],
        [lever, other, turn],
    ];
    let m = [[MASS_AS_CODED, 0.0, 0.0], [0.0; 3], [0.0; 3]];
    // Rayleigh damping of that part, with rotational inertias that are not taken out themselves.
    let [a, b] = RAYLEIGH_AS_CODED;
    let inertia = [MASS_AS_CODED, INERTIA_AS_CODED, INERTIA_AS_CODED];
    let c = std::array::from_fn(|i| {
        std::array::from_fn(|j| b * k[i][j] + if i == j { a * inertia[i] } else { 0.0 })
    });
    [m, c, k]
}

const MASS_AS_CODED: f64 = 902.527_382_038_4;
const INERTIA_AS_CODED: f64 = 17.86506159971957;
const RAYLEIGH_AS_CODED: [f64; 2] = [2.255911144919053, 0.0003291832593176597];
