//! Units of a script: OpenSees has none, so that its user must say what they were.

use tandem_quantity::{Dimension, parse_unit};

/// Units of force, length and time; all others follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    force: String,
    length: String,
    time: String,
}

/// Why a text is no set of units.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitsError {
    /// Not three words.
    #[error("`{0}` is not a set of units; give force, length and time, such as \"kN, m, s\"")]
    Count(String),
    /// A word of another kind.
    #[error(
        "`{word}` is not a unit of {what}; give force, length and time, such as \"kN, m, s\" or \
         \"kip, in, s\""
    )]
    Unit {
        /// What was written.
        word: String,
        /// What should have been.
        what: &'static str,
    },
}

/// Sets of units in use, for suggestions.
pub const USUAL: [&str; 8] = [
    "N, m, s",
    "kN, m, s",
    "N, mm, s",
    "kN, mm, s",
    "kip, in, s",
    "lbf, in, s",
    "kip, ft, s",
    "kN, cm, s",
];

impl Default for Units {
    fn default() -> Self {
        Self {
            force: "N".to_owned(),
            length: "m".to_owned(),
            time: "s".to_owned(),
        }
    }
}

impl Units {
    /// Reads `"kN, m, s"`: force, length and time.
    ///
    /// # Errors
    /// [`UnitsError`].
    pub fn parse(text: &str) -> Result<Self, UnitsError> {
        let words: Vec<&str> = text
            .split([',', ' ', ';'])
            .filter(|word| !word.is_empty())
            .collect();
        let [force, length, time] = words.as_slice() else {
            return Err(UnitsError::Count(text.to_owned()));
        };
        for (word, dimension, what) in [
            (force, Dimension::FORCE, "force"),
            (length, Dimension::LENGTH, "length"),
            (time, Dimension::TIME, "time"),
        ] {
            let sound = parse_unit(word).is_ok_and(|unit| unit.dimension == dimension);
            if !sound || word.contains(['*', '/', '^']) {
                let word = (*word).to_owned();
                return Err(UnitsError::Unit { word, what });
            }
        }
        Ok(Self {
            force: (*force).to_owned(),
            length: (*length).to_owned(),
            time: (*time).to_owned(),
        })
    }

    /// The set as text.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}, {}, {}", self.force, self.length, self.time)
    }

    /// Unit of length.
    #[must_use]
    pub fn length(&self) -> &str {
        &self.length
    }

    /// Unit of time.
    #[must_use]
    pub fn time(&self) -> &str {
        &self.time
    }

    /// The unit of a dimension, such as `kip/in^2`; empty for a pure number.
    #[must_use]
    pub fn of(&self, dimension: Dimension) -> String {
        let si = self.force == "N" && self.length == "m" && self.time == "s";
        if si && dimension.si_unit() != "SI units" {
            return dimension.si_unit().to_owned();
        }
        // Mass is force × time² / length.
        let (m, l, t) = (dimension.mass, dimension.length, dimension.time);
        let powers = [
            (&self.force, m),
            (&self.length, l - m),
            (&self.time, t + 2 * m),
        ];
        let part = |sign: i8| {
            let words = powers
                .iter()
                .filter(|(_, power)| power * sign > 0)
                .map(|(unit, power)| match power.abs() {
                    1 => (*unit).clone(),
                    power => format!("{unit}^{power}"),
                });
            words.collect::<Vec<_>>()
        };
        let (above, below) = (part(1), part(-1));
        let mut text = above.join("*");
        if text.is_empty() && !below.is_empty() {
            text.push('1');
        }
        for word in below {
            text.push('/');
            text.push_str(&word);
        }
        text
    }

    /// Factor of a dimension to SI.
    #[must_use]
    pub fn factor(&self, dimension: Dimension) -> f64 {
        parse_unit(&self.of(dimension)).map_or(1.0, |unit| unit.factor)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn units_follow_from_force_length_and_time() {
        let kip = Units::parse("kip, in, s").unwrap();
        assert_eq!(kip.of(Dimension::STRESS), "kip/in^2");
        assert_eq!(kip.of(Dimension::MASS), "kip*s^2/in");
        assert_eq!(kip.of(Dimension::FREQUENCY), "1/s");
        // 1 kip s²/in is 175 126.8 kg; 1 ksi is 6.894757 MPa.
        assert!((kip.factor(Dimension::MASS) - 175_126.835).abs() < 1e-2);
        assert!((kip.factor(Dimension::STRESS) - 6.894_757e6).abs() < 1e1);
        assert_eq!(Units::default().of(Dimension::STRESS), "Pa");
        assert_eq!(
            Units::parse("N,mm,s").unwrap().of(Dimension::ENERGY),
            "N*mm"
        );
    }

    #[test]
    fn wrong_units_are_named() {
        for (text, word) in [
            ("kN, m", "kN, m"),
            ("m, kN, s", "`m`"),
            ("kN, m, h/s", "`h/s`"),
        ] {
            let said = Units::parse(text).unwrap_err();
            assert!(said.to_string().contains(word), "{said}");
        }
    }

    #[test]
    fn every_usual_set_is_read() {
        for text in USUAL {
            assert_eq!(Units::parse(text).unwrap().text(), text);
        }
    }
}
