//! What the reader is told besides the bytes.

use crate::STANDARD_GRAVITY;
use std::fmt;

/// A unit of acceleration as files write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccelerationUnit {
    /// m/s².
    MetresPerSecondSquared,
    /// mm/s².
    MillimetresPerSecondSquared,
    /// cm/s², also called gal.
    Gal,
    /// Standard gravity, 9.80665 m/s².
    StandardGravity,
    /// A tenth of standard gravity ("g/10" of old Californian files).
    TenthGravity,
    /// A thousandth of standard gravity ("mg").
    MilliGravity,
    /// ft/s².
    FeetPerSecondSquared,
    /// in/s².
    InchesPerSecondSquared,
}

impl AccelerationUnit {
    /// Factor that turns a value in this unit into m/s².
    #[must_use]
    pub fn factor(self) -> f64 {
        match self {
            Self::MetresPerSecondSquared => 1.0,
            Self::MillimetresPerSecondSquared => 1e-3,
            Self::Gal => 0.01,
            Self::StandardGravity => STANDARD_GRAVITY,
            Self::TenthGravity => 0.1 * STANDARD_GRAVITY,
            Self::MilliGravity => 1e-3 * STANDARD_GRAVITY,
            Self::FeetPerSecondSquared => 0.3048,
            Self::InchesPerSecondSquared => 0.0254,
        }
    }

    /// The unit that `text` names (`g`, `gal`, `cm/s2`, `cm/s^2`, `cm/sec/sec`, `m/s²`, …; letter
    /// case is ignored).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // Bounded: a unit is a short word, whatever a hostile file puts in its place.
        let word: String = text
            .trim()
            .chars()
            .take(24)
            .filter(|c| !matches!(c, ' ' | '^' | '*' | '.' | '(' | ')' | '[' | ']'))
            .flat_map(char::to_lowercase)
            .map(|c| if c == '²' { '2' } else { c })
            .collect();
        let word = word
            .replace("sec", "s")
            .replace("s/s", "s2")
            .replace("s-2", "s2");
        match word.as_str() {
            "m/s2" | "ms2" | "mps2" => Some(Self::MetresPerSecondSquared),
            "mm/s2" => Some(Self::MillimetresPerSecondSquared),
            "cm/s2" | "gal" | "gals" => Some(Self::Gal),
            "g" => Some(Self::StandardGravity),
            "g/10" => Some(Self::TenthGravity),
            "mg" => Some(Self::MilliGravity),
            "ft/s2" => Some(Self::FeetPerSecondSquared),
            "in/s2" => Some(Self::InchesPerSecondSquared),
            _ => None,
        }
    }
}

impl fmt::Display for AccelerationUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MetresPerSecondSquared => "m/s2",
            Self::MillimetresPerSecondSquared => "mm/s2",
            Self::Gal => "cm/s2",
            Self::StandardGravity => "g",
            Self::TenthGravity => "g/10",
            Self::MilliGravity => "mg",
            Self::FeetPerSecondSquared => "ft/s2",
            Self::InchesPerSecondSquared => "in/s2",
        })
    }
}

/// What the user says about a file. Everything the file itself states must agree with it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadHint {
    /// Time step, s. Needed where the file has neither a time column nor a header that states it.
    pub dt: Option<f64>,
    /// Unit of acceleration. Needed where the file states none: a unit is never guessed.
    pub unit: Option<AccelerationUnit>,
    /// Channel to take, counted from 1 in the order of the file. Needed where the file holds
    /// several.
    pub channel: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_in_the_spellings_of_the_files() {
        use AccelerationUnit as U;
        for (text, unit) in [
            ("g", U::StandardGravity),
            (" G ", U::StandardGravity),
            ("cm/sec2", U::Gal),
            ("cm/sec/sec", U::Gal),
            ("CM/S^2", U::Gal),
            ("gal", U::Gal),
            ("m/s²", U::MetresPerSecondSquared),
            ("m/s/s", U::MetresPerSecondSquared),
            ("m/s**2", U::MetresPerSecondSquared),
            ("m s^-2", U::MetresPerSecondSquared),
            ("mm/s2", U::MillimetresPerSecondSquared),
            ("in/sec/sec", U::InchesPerSecondSquared),
            ("ft/s2", U::FeetPerSecondSquared),
            ("g/10", U::TenthGravity),
            ("mg", U::MilliGravity),
        ] {
            assert_eq!(U::parse(text), Some(unit), "{text}");
            assert_eq!(U::parse(&unit.to_string()), Some(unit), "{unit}");
        }
        for text in ["", "cm/s", "cm", "volts", "gg", "k"] {
            assert_eq!(U::parse(text), None, "{text}");
        }
    }
}
