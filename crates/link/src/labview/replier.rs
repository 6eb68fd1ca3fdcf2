//! The command replier.

use super::reader::Triple;

/// OpenFresco reads a line into 512 bytes without looking at its length.
const ROOM: usize = 510;

/// A number as C's `%.{digits}E` writes it.
pub fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}E{sign}{:02}", exponent.abs())
}

/// `OK`, 0 and the id: the first token must be followed by a tabulator, or OpenFresco refuses it.
pub fn ok(id: &str, into: &mut Vec<u8>) {
    into.extend_from_slice(format!("OK\t0\t{id}\n").as_bytes());
}

/// Any first word but OK is a refusal; the client prints the line, closes its session and ends.
pub fn refusal(id: &str, text: &str, into: &mut Vec<u8>) {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(300)
        .collect();
    let id: String = id.chars().take(100).collect();
    into.extend_from_slice(format!("ERROR\t1\t{id}\t{clean}\n").as_bytes());
}

/// The measurement at one control point. Seventeen digits where the line stays short enough for
/// OpenFresco, eleven else.
pub fn control_point(id: &str, name: &str, triples: &[Triple], into: &mut Vec<u8>) {
    let line = |digits: usize| {
        let mut line = format!("OK\t0\t{id}\t{name}");
        for t in triples {
            line.push_str(&format!(
                "\t{}\t{}\t{}",
                t.axis.name(),
                t.kind.name(),
                number(t.value, digits)
            ));
        }
        line.push('\n');
        line
    };
    let exact = line(16);
    let text = if exact.len() <= ROOM { exact } else { line(10) };
    into.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labview::{Axis, Kind};

    #[test]
    fn numbers_as_c_writes_them() {
        assert_eq!(number(5.399_753_867_3e-4, 10), "5.3997538673E-04");
        assert_eq!(number(0.0, 10), "0.0000000000E+00");
        assert_eq!(number(-1.217_630_063_1e-3, 10), "-1.2176300631E-03");
        assert_eq!(number(1e123, 10), "1.0000000000E+123");
        let x = 0.1 + 0.2;
        let back: f64 = number(x, 16).parse().unwrap();
        assert_eq!(back.to_bits(), x.to_bits());
    }

    #[test]
    fn six_axes_stay_below_the_buffer_of_openfresco() {
        let triple = |kind| Triple {
            axis: Axis::X,
            kind,
            value: -1.234_567_890_123_456_7e-100,
        };
        let six: Vec<_> = [Kind::Displacement, Kind::Force]
            .into_iter()
            .cycle()
            .map(triple)
            .take(12)
            .collect();
        let mut out = Vec::new();
        control_point("OPFTransaction20261015062219", "MDL-00-01", &six, &mut out);
        assert!(out.len() < 511, "{} bytes", out.len());
    }
}
