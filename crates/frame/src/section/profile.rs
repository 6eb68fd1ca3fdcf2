//! Rolled steel profiles by name.

use std::f64::consts::PI;

use super::elastic::{ElasticSection2d, ElasticSection3d};
use super::error::SectionError;
use super::layout::FibreLayout;
use super::profile_table::PROFILES;
use super::shape::{IShape, i_shape};
use crate::material::Material;

/// Dimensions and tabulated properties of a rolled I or H profile, SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Name without blanks, such as HEB100, IPE240, UB305x165x40, W14x90.
    pub name: &'static str,
    /// Height over all, m.
    pub height: f64,
    /// Width of the flanges, m.
    pub width: f64,
    /// Thickness of the web, m.
    pub web: f64,
    /// Thickness of the flanges (mean thickness where they taper), m.
    pub flange: f64,
    /// Radius of the fillets between web and flanges, m; zero where the flanges taper.
    pub fillet: f64,
    /// Tabulated area, m².
    pub area: f64,
    /// Tabulated moment of inertia about the strong axis, m⁴.
    pub inertia_strong: f64,
    /// Tabulated moment of inertia about the weak axis, m⁴.
    pub inertia_weak: f64,
    /// Whether the flanges taper (American S shapes).
    pub tapered: bool,
}

/// All profiles, in the order of the table.
#[must_use]
pub fn profiles() -> &'static [Profile] {
    &PROFILES
}

/// The profile of this name; upper and lower case, blanks and `×` do not matter.
#[must_use]
pub fn profile(name: &str) -> Option<&'static Profile> {
    let plain = |text: &str| -> String {
        let kept = text.chars().filter(|c| !c.is_whitespace());
        kept.map(|c| {
            if c == '×' {
                'X'
            } else {
                c.to_ascii_uppercase()
            }
        })
        .collect()
    };
    let wanted = plain(name);
    PROFILES
        .iter()
        .find(|profile| plain(profile.name) == wanted)
}

impl Profile {
    /// The outline without fillets.
    #[must_use]
    pub fn outline(&self) -> IShape {
        IShape {
            height: self.height,
            width: self.width,
            web: self.web,
            flange: self.flange,
        }
    }

    /// Fibres of the outline without fillets; divisions of each flange and of the web as (along y,
    /// along z). The fillets are left out: area and inertia come out 2 … 6 % below the table.
    pub fn layout(
        &self,
        material: &Material,
        flange: (usize, usize),
        web: (usize, usize),
    ) -> Result<FibreLayout, SectionError> {
        i_shape(material, self.outline(), flange, web)
    }

    /// Elastic section of a plane frame, bent about the strong axis, with the tabulated values.
    pub fn elastic_2d(&self, modulus: f64) -> Result<ElasticSection2d, SectionError> {
        ElasticSection2d::new(modulus, self.area, self.inertia_strong)
    }

    /// Elastic section of a space frame with the tabulated values; M_z bends about the strong axis.
    pub fn elastic_3d(
        &self,
        modulus: f64,
        torsional_stiffness: f64,
    ) -> Result<ElasticSection3d, SectionError> {
        ElasticSection3d::new(
            modulus,
            self.area,
            self.inertia_strong,
            self.inertia_weak,
            torsional_stiffness,
        )
    }

    /// Area and moments of inertia (strong, weak) computed from the dimensions with quarter-circle
    /// fillets.
    #[must_use]
    pub fn computed(&self) -> (f64, f64, f64) {
        let IShape {
            height: h,
            width: b,
            web: tw,
            flange: tf,
        } = self.outline();
        let (r, clear) = (self.fillet, h - 2.0 * tf);
        // One fillet: a square of side r less a quarter disc; its centroid lies 0.2234 r from the
        // corner.
        let fillet = (1.0 - PI / 4.0) * r * r;
        let from_corner = (10.0 - 3.0 * PI) / (12.0 - 3.0 * PI) * r;
        let own = (1.0 / 3.0 - PI / 16.0 - 1.0 / (36.0 - 9.0 * PI)) * r.powi(4);
        let (arm_y, arm_z) = (0.5 * clear - from_corner, 0.5 * tw + from_corner);
        let area = 2.0 * b * tf + clear * tw + 4.0 * fillet;
        let strong = (b * h.powi(3) - (b - tw) * clear.powi(3)) / 12.0
            + 4.0 * (own + fillet * arm_y * arm_y);
        let weak = (2.0 * tf * b.powi(3) + clear * tw.powi(3)) / 12.0
            + 4.0 * (own + fillet * arm_z * arm_z);
        (area, strong, weak)
    }
}
