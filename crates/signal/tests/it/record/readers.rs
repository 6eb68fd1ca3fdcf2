//! Every format is read back to the motion that was written; every fault is named with place and
//! remedy.

use super::fixtures;
use tandem_signal::record::{AccelerationUnit, ReadHint, RecordError, read, read_with_times};

const NONE: ReadHint = ReadHint {
    dt: None,
    unit: None,
    channel: None,
};
const IN_G: ReadHint = ReadHint {
    dt: None,
    unit: Some(AccelerationUnit::StandardGravity),
    channel: None,
};

#[test]
fn every_format_is_read_to_its_motion() {
    for fixture in fixtures::all() {
        let record = read(fixture.text.as_bytes(), fixture.name, &fixture.hint)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", fixture.name, fixture.text));
        assert!(
            (record.dt - fixture.dt).abs() < 1e-15,
            "{}: dt {}",
            fixture.name,
            record.dt
        );
        assert_eq!(
            record.acceleration.len(),
            fixture.acceleration.len(),
            "{}",
            fixture.name
        );
        for (value, wanted) in record.acceleration.iter().zip(&fixture.acceleration) {
            assert!(
                (value - wanted).abs() < fixture.tolerance,
                "{}: {value} {wanted}",
                fixture.name
            );
        }
        assert!(record.source.contains(fixture.name), "{}", record.source);
    }
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_change_nothing() {
    for fixture in fixtures::all() {
        let plain = read(fixture.text.as_bytes(), fixture.name, &fixture.hint).unwrap();
        let windows = format!("\u{feff}{}", fixture.text.replace('\n', "\r\n"));
        let record = read(windows.as_bytes(), fixture.name, &fixture.hint).unwrap();
        assert_eq!(record, plain, "{}", fixture.name);
    }
}

#[test]
fn formats_are_recognised_without_their_extension() {
    for fixture in fixtures::all() {
        let plain = read(fixture.text.as_bytes(), fixture.name, &fixture.hint).unwrap();
        let record = read(fixture.text.as_bytes(), "motion.dat", &fixture.hint)
            .unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
        assert_eq!(record.acceleration, plain.acceleration, "{}", fixture.name);
    }
}

fn fault(text: &str, name: &str, hint: &ReadHint) -> RecordError {
    let error = read(text.as_bytes(), name, hint).expect_err("the file is wrong");
    assert!(
        error.to_string().starts_with(name) && error.to_string().contains(';'),
        "{error}"
    );
    error
}

#[test]
fn a_unit_is_never_guessed() {
    let time_and_value = "0.0 0.1\n0.1 0.2\n0.2 0.3\n";
    assert!(matches!(
        fault(time_and_value, "a.txt", &NONE),
        RecordError::UnitMissing { .. }
    ));
    assert!(matches!(
        fault("time,acc\n0,1\n1,2\n", "a.csv", &NONE),
        RecordError::UnitMissing { .. }
    ));
    assert!(matches!(
        fault("title\n 3 0.01\n1 2 3\n", "a.acc", &NONE),
        RecordError::UnitMissing { .. }
    ));
    let stated = "time (s),acceleration (cm/s2)\n0.0,0.1\n0.1,0.2\n";
    match fault(stated, "a.csv", &IN_G) {
        RecordError::UnitConflict {
            line: 1,
            stated,
            given,
            ..
        } => {
            assert_eq!(
                (stated, given),
                (AccelerationUnit::Gal, AccelerationUnit::StandardGravity)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_step_is_never_guessed() {
    assert!(matches!(
        fault("0.1\n0.2\n0.3\n", "a.txt", &IN_G),
        RecordError::StepMissing { .. }
    ));
    let conflict = ReadHint {
        dt: Some(0.2),
        ..IN_G
    };
    assert!(matches!(
        fault("0.0 1\n0.1 2\n0.2 1\n", "a.txt", &conflict),
        RecordError::StepConflict { .. }
    ));
    let negative = ReadHint {
        dt: Some(-0.2),
        ..IN_G
    };
    assert!(matches!(
        fault("0.1\n0.2\n0.3\n", "a.txt", &negative),
        RecordError::StepInvalid { line: 0, .. }
    ));
}

#[test]
fn places_are_named() {
    match fault("0.0 1\n0.1 2\n0.25 1\n0.3 1\n0.4 1\n", "a.txt", &IN_G) {
        RecordError::UnevenTime { line: 3, found, .. } => assert!((found - 0.25).abs() < 1e-12),
        other => panic!("{other:?}"),
    }
    match fault("0.0 1\n0.1 2\n0.2 nan\n", "a.txt", &IN_G) {
        RecordError::NotFinite {
            line: 3, column: 5, ..
        } => {}
        other => panic!("{other:?}"),
    }
    match fault("time (s),acc (g)\n0.0,1\n0.1,x\n", "a.csv", &NONE) {
        RecordError::NotANumber {
            line: 3, column: 5, ..
        } => {}
        other => panic!("{other:?}"),
    }
    match fault("time (s),acc (g)\n0.0,1\n0.1\n", "a.csv", &NONE) {
        RecordError::Columns {
            line: 3,
            expected: 2,
            found: 1,
            ..
        } => {}
        other => panic!("{other:?}"),
    }
    match fault("0.0 1\n0.1 2\n0.2\n0.3 4\n", "a.txt", &IN_G) {
        RecordError::Columns {
            line: 3,
            expected: 2,
            found: 1,
            ..
        } => {}
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        fault("", "a.txt", &NONE),
        RecordError::Empty { .. }
    ));
    assert!(matches!(
        fault("a\nb\0", "a.bin", &NONE),
        RecordError::NotText { line: 2, .. }
    ));
    assert!(matches!(
        fault("<html>\n<body>", "a.html", &NONE),
        RecordError::UnknownFormat { line: 1, .. }
    ));
    assert!(matches!(
        fault(
            "some text\nwithout numbers\nor counts\nat all",
            "a.AT2",
            &NONE
        ),
        RecordError::Header { .. }
    ));
}

#[test]
fn a_lying_count_is_caught_and_costs_nothing() {
    let at2 = |count: &str| {
        format!(
            "PEER\nevent\nACCELERATION IN UNITS OF G\nNPTS= {count}, DT= .01 SEC\n 1.0 2.0 3.0\n"
        )
    };
    assert!(read(at2("3").as_bytes(), "a.AT2", &NONE).is_ok());
    for (count, expected) in [("2", 2), ("4", 4), ("999999999999", 999_999_999_999_usize)] {
        match fault(&at2(count), "a.AT2", &NONE) {
            RecordError::Count {
                line: 4,
                expected: wanted,
                found: 3,
                ..
            } => assert_eq!(wanted, expected),
            other => panic!("{other:?}"),
        }
    }
    for count in ["-3", "2.5", "1e99"] {
        assert!(
            matches!(
                fault(&at2(count), "a.AT2", &NONE),
                RecordError::Header { line: 4, .. }
            ),
            "{count}"
        );
    }
}

#[test]
fn channels_are_chosen_not_guessed() {
    for fixture in fixtures::all()
        .iter()
        .filter(|fixture| fixture.hint.channel.is_some())
    {
        for channel in [None, Some(0), Some(3)] {
            match fault(&fixture.text, fixture.name, &ReadHint { channel, ..NONE }) {
                RecordError::Channel {
                    available: 2,
                    names,
                    ..
                } => {
                    assert_eq!(names, "1: Chan  1:  90 Deg; 2: Chan  2: 360 Deg");
                }
                other => panic!("{other:?}"),
            }
        }
    }
    for fixture in fixtures::all()
        .iter()
        .filter(|fixture| fixture.hint.channel.is_none())
    {
        let hint = ReadHint {
            channel: Some(2),
            ..fixture.hint
        };
        assert!(matches!(
            fault(&fixture.text, fixture.name, &hint),
            RecordError::Channel { available: 1, .. }
        ));
    }
    let three = "0.0 1 10\n0.1 2 20\n0.2 3 30\n";
    assert!(matches!(
        fault(three, "a.txt", &IN_G),
        RecordError::Channel { available: 2, .. }
    ));
    let second = read(
        three.as_bytes(),
        "a.txt",
        &ReadHint {
            channel: Some(2),
            ..IN_G
        },
    )
    .unwrap();
    assert!((second.acceleration[2] / 9.80665 - 30.0).abs() < 1e-12);
    let csv = "t (ms),NS (g),EW (m/s2),note (V)\n0,1,2,9\n10,3,4,9\n";
    assert!(matches!(
        fault(csv, "a.csv", &NONE),
        RecordError::Channel { available: 2, .. }
    ));
    let east = read(
        csv.as_bytes(),
        "a.csv",
        &ReadHint {
            channel: Some(2),
            ..NONE
        },
    )
    .unwrap();
    assert_eq!(east.acceleration, [2.0, 4.0]);
    assert!((east.dt - 0.01).abs() < 1e-15);
}

#[test]
fn missing_values_are_refused() {
    let text = "text\nChan 1\n   4 points of accel data equally spaced at .01 sec, in cm/sec2. \
        (8f10.3)\n     1.000     2.000  -999.000     3.000\n";
    match fault(text, "a.V2", &NONE) {
        RecordError::MissingValue {
            line: 4,
            column: 21,
            ..
        } => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn times_that_start_late_are_moved_and_said() {
    let record = read(b"0.1 1\n0.2 2\n0.3 3\n", "a.txt", &IN_G).unwrap();
    assert_eq!(record.acceleration.len(), 4);
    assert!(record.acceleration[0].abs() < 1e-15 && record.notes[0].contains("t = dt"));
    let record = read(b"5.0 1\n5.1 2\n5.2 3\n", "a.txt", &IN_G).unwrap();
    assert_eq!(record.acceleration.len(), 3);
    assert!(record.notes[0].contains("start at 5 s"));
}

#[test]
fn a_decimal_comma_is_understood_between_semicolons() {
    let record = read(
        b"Time (s);Acc (m/s2)\n0,00;1,5\n0,01;-2,5\n",
        "a.csv",
        &NONE,
    )
    .unwrap();
    assert_eq!(record.acceleration, [1.5, -2.5]);
}

#[test]
fn an_opensees_pair_of_files_is_read() {
    let values = b"0.1 0.2\n0.3 0.4\n0.5";
    let record = read_with_times(
        values,
        "acc.txt",
        b"0 0.02 0.04 0.06 0.08",
        "time.txt",
        &IN_G,
    )
    .unwrap();
    assert!((record.dt - 0.02).abs() < 1e-15);
    assert!((record.acceleration[4] / 9.80665 - 0.5).abs() < 1e-12);
    let short = read_with_times(values, "acc.txt", b"0 0.02 0.04", "time.txt", &IN_G);
    assert!(matches!(
        short,
        Err(RecordError::Count {
            expected: 3,
            found: 5,
            ..
        })
    ));
    let uneven = read_with_times(
        values,
        "acc.txt",
        b"0 0.02 0.05 0.06 0.08",
        "time.txt",
        &IN_G,
    );
    assert!(matches!(
        uneven,
        Err(RecordError::UnevenTime { line: 1, .. })
    ));
}
