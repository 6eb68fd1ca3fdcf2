//! The transfer systems of the comparison: every actuator and every plant that moves by itself.

/// A transfer system as a plan writes it.
pub(super) struct System {
    pub name: &'static str,
    pub summary: &'static str,
    /// The tables of `[rig]`, without sensors.
    pub rig: &'static str,
    pub axes: usize,
    /// Its own linear model as the table of a plant, where it has one, for methods that take one.
    pub model: Option<&'static str>,
}

/// Two actuators on one body: each pushes the other while it moves.
macro_rules! matrix {
    () => {
        "element = [\n\
         { output = 1, input = 1, numerator = [1.02e4], denominator = [1, 150, 1.0e4] },\n\
         { output = 1, input = 2, numerator = [24, 0], denominator = [1, 240, 14400] },\n\
         { output = 2, input = 1, numerator = [24, 0], denominator = [1, 240, 14400] },\n\
         { output = 2, input = 2, numerator = [85], denominator = [1, 87] },\n]\n"
    };
}

/// One axis as a plant.
macro_rules! alone {
    ($numerator:literal, $denominator:literal) => {
        concat!(
            "kind = \"transfer-matrix\"\nelement = [{ output = 1, input = 1, numerator = ",
            $numerator,
            ", denominator = ",
            $denominator,
            " }]\n"
        )
    };
}

macro_rules! actuator {
    ($name:literal, $summary:literal, $table:literal, $model:expr) => {
        System {
            name: $name,
            summary: $summary,
            rig: concat!(
                "[rig.specimen]\nstiffness = [\"1200 kN/m\"]\n[rig.actuator]\nmethod = \"",
                $name,
                "\"\n",
                $table
            ),
            axes: 1,
            model: $model,
        }
    };
}

/// All of them. The ideal actuator is left out: it leaves nothing to compensate.
pub(super) const SYSTEMS: &[System] = &[
    actuator!(
        "delay",
        "12 ms, gain 0.95",
        "delay = \"12 ms\"\ngain = 0.95\n",
        None
    ),
    actuator!(
        "first-order",
        "time constant 12 ms",
        "time_constant = \"12 ms\"\n",
        Some(alone!("[1]", "[0.012, 1]"))
    ),
    actuator!(
        "second-order",
        "18.57 Hz, damping ratio 0.7",
        "frequency = \"18.57 Hz\"\ndamping = 0.7\n",
        Some(alone!(
            "[13613.930970932877]",
            "[1, 163.35025161605486, 13613.930970932877]"
        ))
    ),
    actuator!(
        "third-order",
        "position loop 15 Hz, oil column 60 Hz with damping ratio 0.3, gain 0.97",
        "bandwidth = \"15 Hz\"\nfrequency = \"60 Hz\"\ndamping = 0.3\ngain = 0.97\n",
        Some(alone!(
            "[12992870.180112833]",
            "[1, 320.44245066615883, 163440.64888203974, 13394711.525889518]"
        ))
    ),
    actuator!(
        "transfer-function",
        "1.5e6/(s³ + 190 s² + 2e4 s + 1.5e6)",
        "numerator = [1.5e6]\ndenominator = [1, 190, 2e4, 1.5e6]\n",
        Some(alone!("[1.5e6]", "[1, 190, 2e4, 1.5e6]"))
    ),
    actuator!(
        "servo-hydraulic",
        "valve 80 Hz, oil column, orifice flow, friction 300 N",
        "friction = \"300 N\"\n",
        None
    ),
    actuator!(
        "shaking-table",
        "table of 600 kg on an oil column, payload of 200 kg at 5 Hz",
        "payload_mass = \"200 kg\"\npayload_frequency = \"5 Hz\"\n",
        None
    ),
    System {
        name: "benchmark-single",
        summary: "single-actuator benchmark: servo-valve, actuator and specimen",
        rig: "rate = \"4096 Hz\"\n[rig.plant]\nkind = \"benchmark-single\"\n",
        axes: 1,
        model: Some("kind = \"benchmark-single\"\n"),
    },
    System {
        name: "benchmark-multi",
        summary: "multi-axial benchmark: two coupled actuators; the worse axis counts",
        rig: "[rig.plant]\nkind = \"benchmark-multi\"\n[rig.specimen]\n\
            stiffness = [1200, 1200, \"kN/m\"]\n",
        axes: 2,
        model: Some("kind = \"benchmark-multi\"\n"),
    },
    System {
        name: "transfer-matrix",
        summary: "a second-order and a first-order actuator that push each other; the worse axis \
            counts",
        rig: concat!(
            "[rig.specimen]\nstiffness = [1200, 1200, \"kN/m\"]\n[rig.plant]\n\
            kind = \"transfer-matrix\"\n",
            matrix!()
        ),
        axes: 2,
        model: Some(concat!("kind = \"transfer-matrix\"\n", matrix!())),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The model of an actuator moves as the actuator does.
    #[test]
    fn the_models_are_those_of_the_actuators() {
        use crate::compare::{build_compensator, build_rig, motion, track};
        use tandem::registry::standard;
        let motions = motion::all().unwrap();
        let mut checked = 0;
        for system in SYSTEMS.iter().filter(|system| system.axes == 1) {
            let Some(model) = system.model.filter(|_| system.name != "benchmark-single") else {
                continue;
            };
            let rig = format!("[rig.specimen]\nstiffness = [\"1200 kN/m\"]\n[rig.plant]\n{model}");
            let alone = System {
                rig: rig.leak(),
                ..*system
            };
            let [actuator, plant] = [system, &alone].map(|system| {
                let mut none =
                    build_compensator(standard(), "[compensator]\nmethod = \"none\"", 1).unwrap();
                let mut rig = build_rig(system, 0.0).unwrap();
                track(none.as_mut(), rig.as_mut(), &motions[1], None).unwrap()
            });
            for (a, b) in actuator.measured[0].iter().zip(&plant.measured[0]) {
                assert!((a - b).abs() < 1e-12, "{}: {a} {b}", system.name);
            }
            checked += 1;
        }
        assert_eq!(checked, 4);
    }

    /// A new actuator or plant must not be forgotten here.
    #[test]
    fn every_actuator_and_plant_is_there() {
        let known: Vec<&str> = SYSTEMS.iter().map(|system| system.name).collect();
        let actuators = tandem_transfer::actuator::METHODS.iter();
        let plants = tandem_transfer::plant::METHODS.iter();
        for name in actuators
            .map(|entry| entry.method.name)
            .chain(plants.map(|entry| entry.method.name))
        {
            // These leave nothing to compensate.
            let at_command = ["ideal", "control-error"].contains(&name);
            assert!(at_command || known.contains(&name), "{name}");
        }
    }
}
