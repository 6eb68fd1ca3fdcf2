//! A small file of every format, made here, with the motion it holds.

use tandem_signal::record::{AccelerationUnit, ReadHint};

/// A file and how to read it.
pub struct Fixture {
    pub name: &'static str,
    pub text: String,
    pub hint: ReadHint,
    pub dt: f64,
    /// The values that the reader must give, m/s².
    pub acceleration: Vec<f64>,
    /// Digits of the file: the values may differ by this much.
    pub tolerance: f64,
}

const G: f64 = 9.80665;
const NONE: ReadHint = ReadHint {
    dt: None,
    unit: None,
    channel: None,
};

/// 23 values of a smooth motion, in g: an odd number, so that the last line of any format is short.
pub fn motion() -> Vec<f64> {
    (0..23)
        .map(f64::from)
        .map(|k| 0.2 * (0.55 * k).sin() * (1.0 + 0.1 * k))
        .collect()
}

fn rows(values: &[f64], columns: usize, write: impl Fn(f64) -> String) -> String {
    let mut text = String::new();
    for row in values.chunks(columns) {
        row.iter().for_each(|value| text.push_str(&write(*value)));
        text.push('\n');
    }
    text
}

/// Fortran's E15.7: a leading zero and two digits of exponent.
fn e15(value: f64) -> String {
    if value.abs() < 1e-99 {
        return format!("{:>15}", "0.0000000E+00");
    }
    let exponent = format!("{value:e}")
        .split('e')
        .nth(1)
        .unwrap()
        .parse::<i32>()
        .unwrap()
        + 1;
    let mantissa = value / 10_f64.powi(exponent);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!(
        "{:>15}",
        format!("{mantissa:.7}E{sign}{:02}", exponent.abs())
    )
}

/// Fortran's F format without the zero before the point.
fn fixed(value: f64, width: usize, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = text.replacen("0.", ".", usize::from(value.abs() < 1.0));
    format!("{text:>width$}")
}

fn peer(
    name: &'static str,
    units: &str,
    counts: &str,
    values: &[f64],
    expected: Vec<f64>,
    tolerance: f64,
) -> Fixture {
    let text = format!(
        "PEER STRONG MOTION DATABASE RECORD\nSomewhere, 01/02/2003, A Station, 090\n{units}\n\
        {counts}\n{}",
        rows(values, 5, e15)
    );
    Fixture {
        name,
        text,
        hint: NONE,
        dt: 0.01,
        acceleration: expected,
        tolerance,
    }
}

fn in_si(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| value * G).collect()
}

/// Second-order central differences, written out.
fn slope(values: &[f64], dt: f64) -> Vec<f64> {
    let n = values.len();
    (0..n)
        .map(|k| match k {
            0 => (-3.0 * values[0] + 4.0 * values[1] - values[2]) / (2.0 * dt),
            k if k == n - 1 => (3.0 * values[k] - 4.0 * values[k - 1] + values[k - 2]) / (2.0 * dt),
            k => (values[k + 1] - values[k - 1]) / (2.0 * dt),
        })
        .collect()
}

fn csmip(volume: u8) -> Fixture {
    let mut text = String::new();
    let channels = [("Chan  1:  90 Deg", 1.0), ("Chan  2: 360 Deg", -0.5)];
    for (channel, factor) in channels {
        let values: Vec<f64> = motion().iter().map(|value| value * factor).collect();
        text.push_str("Accelerogram of a station      Processed: 01/02/03\n");
        text.push_str(&format!(
            "Station Id. XYZ   35.000N, 117.000W\n{channel}\n\
            No. of Points = 23   Record Length = .230 sec\n"
        ));
        text.push_str("    1  100    1    3    3  100 -999    3    1    0\n");
        text.push_str("  .0050000  .7071000 354.30000-999.00000 1.0000000 4989.6760\n");
        if volume == 1 {
            text.push_str(
                "    23 Accelerogram points at 100 pts/sec in units of g.       Format: \
                (8f9.6)  \n",
            );
            text.push_str(&rows(&values, 8, |value| fixed(value, 9, 6)));
        } else {
            let gal: Vec<f64> = values.iter().map(|value| value * 100.0 * G).collect();
            text.push_str(
                "   23 points of accel data equally spaced at  .010 sec, in cm/sec2. (8f10.5)\n",
            );
            text.push_str(&rows(&gal, 8, |value| fixed(value, 10, 5)));
            text.push_str(
                "   23 points of veloc data equally spaced at  .010 sec, in cm/sec.  (8f10.6)\n",
            );
            text.push_str(&rows(&values, 8, |value| fixed(value, 10, 6)));
            text.push_str(
                "   23 points of displ data equally spaced at  .010 sec, in cm.      (8f10.6)\n",
            );
            text.push_str(&rows(&values, 8, |value| fixed(value, 10, 6)));
        }
        text.push_str("/&  ----------  End of Data  ----------\n");
    }
    let acceleration = motion().iter().map(|value| -0.5 * value * G).collect();
    let hint = ReadHint {
        channel: Some(2),
        ..NONE
    };
    let name = if volume == 1 {
        "station.v1"
    } else {
        "station.V2"
    };
    Fixture {
        name,
        text,
        hint,
        dt: 0.01,
        acceleration,
        tolerance: 1e-5,
    }
}

fn cosmos() -> Fixture {
    let mut text = String::from("Corrected acceleration   (Format v01.20 with 13 text lines)\n");
    for line in 2..=13 {
        text.push_str(&format!("Text line {line} of the header\n"));
    }
    text.push_str(" 100 Integer-header values follow on  10 lines, Format= (10I8)\n");
    text.push_str(&rows(&[-999.0; 100], 10, |value| format!("{value:>8}")));
    text.push_str(" 100 Real-header values follow on  17 lines, Format= (6F13.6)\n");
    let mut reals = [-999.0; 100];
    reals[61] = 10.0;
    text.push_str(&rows(&reals, 6, |value| format!("{value:>13.6}")));
    text.push_str(
        "   2 Comment line(s) follow, each starting with a \"|\":\n| Sensor: one\n| RcrdId: two\n",
    );
    text.push_str("      23 acceleration pts, approx  0 secs, units=cm/sec2(04),Format=(8F10.3)\n");
    let gal: Vec<f64> = motion().iter().map(|value| value * 100.0 * G).collect();
    text.push_str(&rows(&gal, 8, |value| format!("{value:>10.3}")));
    text.push_str("End-of-data for Chan  1 acceleration\n");
    Fixture {
        name: "station.V2c",
        text,
        hint: NONE,
        dt: 0.01,
        acceleration: in_si(&motion()),
        tolerance: 1e-5,
    }
}

fn knet() -> Fixture {
    let keys = [
        ("Origin Time", "2003/01/02 03:04:05"),
        ("Lat.", "35.0"),
        ("Long.", "135.0"),
        ("Depth. (km)", "10"),
        ("Mag.", "6.5"),
        ("Station Code", "XYZ001"),
        ("Station Lat.", "35.1"),
        ("Station Long.", "135.1"),
        ("Station Height(m)", "20"),
        ("Record Time", "2003/01/02 03:04:20"),
        ("Sampling Freq(Hz)", "100Hz"),
        ("Duration Time(s)", "0"),
        ("Dir.", "N-S"),
        ("Scale Factor", "2000(gal)/8388608"),
        ("Max. Acc. (gal)", "500.0"),
        ("Last Correction", "2003/01/02 03:00:00"),
        ("Memo.", ""),
    ];
    let mut text = String::new();
    for (key, value) in keys {
        text.push_str(&format!("{key:<18}{value}\n"));
    }
    let counts: Vec<f64> = motion()
        .iter()
        .map(|value| (value * 100.0 * G * 8_388_608.0 / 2000.0 + 12_345.0).round())
        .collect();
    text.push_str(&rows(&counts, 8, |value| format!("{value:>9}")));
    let mean = in_si(&motion()).iter().sum::<f64>() / 23.0;
    let acceleration = in_si(&motion()).iter().map(|value| value - mean).collect();
    Fixture {
        name: "XYZ0010301020304.NS",
        text,
        hint: NONE,
        dt: 0.01,
        acceleration,
        tolerance: 1e-5,
    }
}

fn table(name: &'static str, head: &str, separator: &str, factor: f64, hint: ReadHint) -> Fixture {
    let mut text = head.to_owned();
    for (index, value) in (0..).zip(motion()) {
        text.push_str(&format!(
            "{:.2}{separator}{}\n",
            f64::from(index) * 0.01,
            value * factor
        ));
    }
    Fixture {
        name,
        text,
        hint,
        dt: 0.01,
        acceleration: in_si(&motion()),
        tolerance: 1e-12,
    }
}

fn plain(name: &'static str, head: &str, columns: usize, hint: ReadHint) -> Fixture {
    let text = format!(
        "{head}{}",
        rows(&motion(), columns, |value| format!(" {value}"))
    );
    Fixture {
        name,
        text,
        hint,
        dt: 0.01,
        acceleration: in_si(&motion()),
        tolerance: 1e-12,
    }
}

/// One file of every format.
pub fn all() -> Vec<Fixture> {
    let g = ReadHint {
        unit: Some(AccelerationUnit::StandardGravity),
        ..NONE
    };
    let g_dt = ReadHint {
        dt: Some(0.01),
        ..g
    };
    let acceleration_line = "ACCELERATION TIME SERIES IN UNITS OF G";
    // Velocity and displacement in cm/s and cm of the same shape.
    let metres: Vec<f64> = motion().iter().map(|value| 0.01 * value).collect();
    let values = motion();
    vec![
        peer(
            "a.AT2",
            acceleration_line,
            "NPTS=     23, DT=   .0100 SEC,",
            &values,
            in_si(&values),
            1e-6,
        ),
        peer(
            "b.AT2",
            acceleration_line,
            "   23    0.0100    NPTS, DT",
            &values,
            in_si(&values),
            1e-6,
        ),
        peer(
            "c.VT2",
            "VELOCITY TIME SERIES IN UNITS OF CM/S",
            "NPTS=     23, DT=   .0100 SEC",
            &values,
            slope(&metres, 0.01),
            1e-6,
        ),
        peer(
            "d.DT2",
            "DISPLACEMENT TIME SERIES IN UNITS OF CM",
            "NPTS=     23, DT=   .0100 SEC",
            &values,
            slope(&slope(&metres, 0.01), 0.01),
            1e-3,
        ),
        csmip(1),
        csmip(2),
        cosmos(),
        knet(),
        table("time.txt", "# made for a test\n", "   ", 1.0, g),
        table("time.csv", "time (s),acceleration (g)\n", ",", 1.0, NONE),
        table(
            "semicolon.csv",
            "Time [s];Acc [cm/s^2]\n",
            ";",
            100.0 * G,
            NONE,
        ),
        plain("one.txt", "% one column\n", 1, g_dt),
        plain("stated.txt", "# dt = 0.01 s; unit = g\n", 1, NONE),
        plain("path.txt", "", 6, g_dt),
        plain("match.acc", "made for a test\n  23  0.0100\n", 5, g),
    ]
}
