//! Physical dimensions as exponents of mass, length and time.

use std::fmt;

/// The dimension of a quantity: exponents of kilogram, metre and second. Angles and ratios have
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Exponent of the kilogram.
    pub mass: i8,
    /// Exponent of the metre.
    pub length: i8,
    /// Exponent of the second.
    pub time: i8,
}

impl Dimension {
    /// A pure number, a ratio or an angle in radians.
    pub const NONE: Self = Self::of(0, 0, 0);
    /// Second.
    pub const TIME: Self = Self::of(0, 0, 1);
    /// Hertz.
    pub const FREQUENCY: Self = Self::of(0, 0, -1);
    /// Metre.
    pub const LENGTH: Self = Self::of(0, 1, 0);
    /// Square metre.
    pub const AREA: Self = Self::of(0, 2, 0);
    /// Second moment of area, m⁴.
    pub const INERTIA: Self = Self::of(0, 4, 0);
    /// Metre per second.
    pub const VELOCITY: Self = Self::of(0, 1, -1);
    /// Metre per square second.
    pub const ACCELERATION: Self = Self::of(0, 1, -2);
    /// Kilogram.
    pub const MASS: Self = Self::of(1, 0, 0);
    /// Newton.
    pub const FORCE: Self = Self::of(1, 1, -2);
    /// Newton metre: a moment, or energy in joule.
    pub const ENERGY: Self = Self::of(1, 2, -2);
    /// Watt.
    pub const POWER: Self = Self::of(1, 2, -3);
    /// Newton per metre.
    pub const STIFFNESS: Self = Self::of(1, 0, -2);
    /// Newton second per metre.
    pub const DAMPING: Self = Self::of(1, 0, -1);
    /// Pascal.
    pub const STRESS: Self = Self::of(1, -1, -2);
    /// Kilogram per metre.
    pub const LINE_MASS: Self = Self::of(1, -1, 0);
    /// Kilogram per cubic metre.
    pub const DENSITY: Self = Self::of(1, -3, 0);

    /// A dimension from its exponents.
    pub const fn of(mass: i8, length: i8, time: i8) -> Self {
        Self { mass, length, time }
    }

    /// The SI unit a person would write for this dimension, such as `N/m`; empty for a pure number.
    pub fn si_unit(self) -> &'static str {
        match self {
            Self::NONE => "",
            Self::TIME => "s",
            Self::FREQUENCY => "Hz",
            Self::LENGTH => "m",
            Self::AREA => "m^2",
            Self::INERTIA => "m^4",
            Self::VELOCITY => "m/s",
            Self::ACCELERATION => "m/s^2",
            Self::MASS => "kg",
            Self::FORCE => "N",
            Self::ENERGY => "N*m",
            Self::POWER => "W",
            Self::STIFFNESS => "N/m",
            Self::DAMPING => "N*s/m",
            Self::STRESS => "Pa",
            Self::LINE_MASS => "kg/m",
            Self::DENSITY => "kg/m^3",
            _ => "SI units",
        }
    }

    /// What kind of quantity this is, in words, with an example: used in messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::NONE => "a number without unit",
            Self::TIME => "a time, such as \"4 ms\"",
            Self::FREQUENCY => "a frequency, such as \"1024 Hz\"",
            Self::LENGTH => "a length, such as \"120 mm\"",
            Self::AREA => "an area, such as \"24.8 cm^2\"",
            Self::INERTIA => "a second moment of area, such as \"432 cm^4\"",
            Self::VELOCITY => "a velocity, such as \"0.5 mm/s\"",
            Self::ACCELERATION => "an acceleration, such as \"0.32 g\"",
            Self::MASS => "a mass, such as \"1000 kg\"",
            Self::FORCE => "a force, such as \"8.9 kN\"",
            Self::ENERGY => "a moment or an energy, such as \"12 kN*m\"",
            Self::POWER => "a power, such as \"5 kW\"",
            Self::STIFFNESS => "a stiffness, such as \"1190 kN/m\"",
            Self::DAMPING => "a damping coefficient, such as \"114.6 N*s/m\"",
            Self::STRESS => "a stress, such as \"355 MPa\"",
            Self::LINE_MASS => "a mass per length, such as \"20.4 kg/m\"",
            Self::DENSITY => "a density, such as \"7850 kg/m^3\"",
            _ => "a quantity with its unit",
        }
    }

    pub(crate) const fn times(self, other: Self, exponent: i8) -> Option<Self> {
        const fn add(a: i8, b: i8, e: i8) -> Option<i8> {
            match b.checked_mul(e) {
                Some(p) => a.checked_add(p),
                None => None,
            }
        }
        match (
            add(self.mass, other.mass, exponent),
            add(self.length, other.length, exponent),
            add(self.time, other.time, exponent),
        ) {
            (Some(mass), Some(length), Some(time)) => Some(Self { mass, length, time }),
            _ => None,
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str("a pure number");
        }
        let unit = self.si_unit();
        if unit != "SI units" {
            return f.write_str(unit);
        }
        let mut first = true;
        for (symbol, exponent) in [("kg", self.mass), ("m", self.length), ("s", self.time)] {
            if exponent != 0 {
                if !first {
                    f.write_str("*")?;
                }
                first = false;
                if exponent == 1 {
                    f.write_str(symbol)?;
                } else {
                    write!(f, "{symbol}^{exponent}")?;
                }
            }
        }
        Ok(())
    }
}
