//! Numbers in text, as Fortran programs and people write them.

use super::error::{RecordError, excerpt};
use std::borrow::Cow;

/// A file as text, with its name for messages.
pub(super) struct Text<'a> {
    pub file: &'a str,
    body: Cow<'a, str>,
}

impl<'a> Text<'a> {
    /// Takes bytes as text. Foreign letters (Latin-1 in station names) are kept as replacement
    /// characters; a zero byte means that this is not a text file.
    pub fn new(bytes: &'a [u8], file: &'a str) -> Result<Self, RecordError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if let Some(zero) = bytes.iter().position(|&byte| byte == 0) {
            let line = 1 + bytes[..zero].iter().filter(|&&byte| byte == b'\n').count();
            return Err(RecordError::NotText {
                file: file.to_owned(),
                line,
            });
        }
        let body = String::from_utf8_lossy(bytes);
        if body.trim().is_empty() {
            return Err(RecordError::Empty {
                file: file.to_owned(),
            });
        }
        Ok(Self { file, body })
    }

    /// The lines with their numbers from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.body
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }

    /// The lines after line `after`.
    pub fn lines_after(&self, after: usize) -> impl Iterator<Item = (usize, &str)> {
        self.lines().skip(after)
    }

    /// Ending of the file name in lower case, without the dot.
    pub fn extension(&self) -> String {
        self.file
            .rsplit_once('.')
            .map_or_else(String::new, |(_, end)| end.to_lowercase())
    }

    /// A complaint about a header line.
    pub fn header(
        &self,
        line: usize,
        expected: &'static str,
        found: &str,
        remedy: &'static str,
    ) -> RecordError {
        RecordError::Header {
            file: self.file.to_owned(),
            line,
            expected,
            found: excerpt(found),
            remedy,
        }
    }

    /// All numbers of a line, in any free format, appended to `values`.
    pub fn numbers(
        &self,
        line: usize,
        text: &str,
        values: &mut Vec<f64>,
    ) -> Result<(), RecordError> {
        let mut rest = 0;
        while let Some(start) = text[rest..]
            .find(|c: char| !is_separator(c))
            .map(|at| rest + at)
        {
            let end = text[start..]
                .find(is_separator)
                .map_or(text.len(), |at| start + at);
            let mut from = start;
            while from < end {
                let length = number_length(&text[from..end]).unwrap_or(end - from);
                values.push(self.number(line, column(text, from), &text[from..from + length])?);
                from += length;
            }
            rest = end;
        }
        Ok(())
    }

    /// All numbers after `line`, in any free format: as many as it has told.
    pub fn numbers_after(&self, line: usize, points: usize) -> Result<Vec<f64>, RecordError> {
        let mut values = Vec::new();
        for (at, row) in self.lines_after(line) {
            self.numbers(at, row, &mut values)?;
        }
        if values.len() == points {
            return Ok(values);
        }
        Err(RecordError::Count {
            file: self.file.to_owned(),
            line,
            expected: points,
            found: values.len(),
        })
    }

    /// The numbers of a line in fields of constant width, appended to `values`; blank fields at the
    /// end are none.
    pub fn fields(
        &self,
        line: usize,
        text: &str,
        width: usize,
        values: &mut Vec<f64>,
    ) -> Result<(), RecordError> {
        let mut from = 0;
        let text = text.trim_end();
        while from < text.len() {
            let end = text[from..]
                .char_indices()
                .nth(width)
                .map_or(text.len(), |(at, _)| from + at);
            let field = &text[from..end];
            let found = field.trim();
            if found.is_empty() || found.contains(char::is_whitespace) {
                // A blank inside a field: the file does not keep to the format that it states.
                return Err(self.not_a_number(line, column(text, from), field));
            }
            let shift = field.len() - field.trim_start().len();
            values.push(self.number(line, column(text, from + shift), found)?);
            from = end;
        }
        Ok(())
    }

    /// One number that must fill `token`.
    pub fn number(&self, line: usize, column: usize, token: &str) -> Result<f64, RecordError> {
        let value = parse(token).ok_or_else(|| self.not_a_number(line, column, token))?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(RecordError::NotFinite {
                file: self.file.to_owned(),
                line,
                column,
                found: excerpt(token),
            })
        }
    }

    fn not_a_number(&self, line: usize, column: usize, token: &str) -> RecordError {
        RecordError::NotANumber {
            file: self.file.to_owned(),
            line,
            column,
            found: excerpt(token),
        }
    }
}

/// Character position (from 1) of a byte position.
fn column(text: &str, byte: usize) -> usize {
    text[..byte].chars().count() + 1
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';')
}

/// Reads a number; Fortran's `D` exponent and its exponent without a letter (`1.2-103`) are
/// understood.
pub(super) fn parse(token: &str) -> Option<f64> {
    if token.len() > 64 {
        return None;
    }
    if let Ok(value) = token.parse() {
        return Some(value);
    }
    let token = token.replace(['d', 'D'], "e");
    if let Ok(value) = token.parse() {
        return Some(value);
    }
    let sign = token.rfind(['+', '-']).filter(|&at| at > 0)?;
    let (mantissa, exponent) = token.split_at(sign);
    if mantissa.contains(['e', 'E']) {
        return None;
    }
    format!("{mantissa}e{exponent}").parse().ok()
}

/// Length in bytes of the first number in `token`: Fortran lines run numbers together
/// (`.12E-03-.45E-03`). `None` where no number starts there or its end is not certain.
fn number_length(token: &str) -> Option<usize> {
    let bytes = token.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let is_sign = |at: usize| matches!(bytes.get(at), Some(b'+' | b'-'));
    let mut at = usize::from(is_sign(0));
    let whole = digits(at);
    let mut figures = whole - at;
    at = whole;
    let point = bytes.get(at) == Some(&b'.');
    if point {
        let fraction = digits(at + 1);
        figures += fraction - at - 1;
        at = fraction;
    }
    if figures == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E' | b'd' | b'D')) {
        let start = at + 1 + usize::from(is_sign(at + 1));
        let mut end = digits(start);
        if end == start {
            return None;
        }
        // An exponent that runs into the next number ("E-030.45"): Fortran writes two digits of it.
        if bytes.get(end) == Some(&b'.') {
            if end - start < 3 {
                return None;
            }
            end = start + 2;
        }
        return Some(end);
    }
    match bytes.get(at) {
        None => Some(at),
        // "-.12-.45" is two numbers, "1.2-103" is one with its exponent.
        Some(b'+' | b'-') if point => {
            let exponent = digits(at + 1);
            match bytes.get(exponent) {
                Some(b'.') => Some(at),
                None if exponent > at + 1 => Some(exponent),
                _ => None,
            }
        }
        Some(_) => None,
    }
}

/// The field width in a Fortran format such as `(8f9.6)`, `(10I8)` or `(5E15.7)`, found in `line`.
pub(super) fn format_width(line: &str) -> Option<usize> {
    line.match_indices('(').find_map(|(at, _)| {
        let inside = line[at + 1..].split(')').next()?.trim();
        let count = inside.bytes().take_while(u8::is_ascii_digit).count();
        let kind = inside.as_bytes().get(count)?;
        if count == 0 || !matches!(kind.to_ascii_lowercase(), b'f' | b'e' | b'i' | b'g') {
            return None;
        }
        let width: usize = inside[count + 1..].split('.').next()?.trim().parse().ok()?;
        (1..=40).contains(&width).then_some(width)
    })
}

/// The first number that follows `key` in `line` (letter case ignored), skipping blanks, `=` and
/// `:`.
pub(super) fn number_after(line: &str, key: &str) -> Option<f64> {
    let lower = line.to_ascii_lowercase();
    let at = lower.find(&key.to_ascii_lowercase())? + key.len();
    let rest = line[at..].trim_start_matches(|c: char| c.is_whitespace() || c == '=' || c == ':');
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E')))
        .unwrap_or(rest.len());
    // "100Hz" and "0.005 sec," end at the unit; a trailing point or letter E belongs to the
    // sentence.
    parse(rest[..end].trim_end_matches(['.', 'e', 'E', '-', '+'])).filter(|value| value.is_finite())
}

/// A number that must be a count.
pub(super) fn count(value: f64) -> Option<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a whole number in range"
    )]
    ((0.0..=1e12).contains(&value) && value.fract().abs() < f64::EPSILON).then_some(value as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(text: &str) -> Result<Vec<f64>, RecordError> {
        let mut values = Vec::new();
        Text::new(b"x", "f")?.numbers(3, text, &mut values)?;
        Ok(values)
    }

    #[test]
    fn fortran_numbers_that_touch_are_separated() {
        let read = |text| free(text).unwrap();
        assert_eq!(read("  .123E-03-.456E-02 -.5"), [0.123e-3, -0.456e-2, -0.5]);
        assert_eq!(read("0.1234567E-020.7654321E+01"), [0.1234567e-2, 7.654321]);
        assert_eq!(read("-.00012-.00034"), [-0.00012, -0.00034]);
        assert_eq!(read("1.5D-2,2;3\t4."), [0.015, 2.0, 3.0, 4.0]);
        assert_eq!(read("1.25-103"), [1.25e-103]);
        assert_eq!(read(""), [0.0; 0]);
    }

    #[test]
    fn what_is_no_number_is_named_with_its_place() {
        for bad in [
            "1 2 x3",
            "1 2 --3",
            "1 2 3..4",
            "1 2 1e",
            "1 2 *****",
            "1 2 0x10",
            "1 2 é",
        ] {
            match free(bad) {
                Err(RecordError::NotANumber {
                    line: 3, column: 5, ..
                }) => {}
                other => panic!("{bad}: {other:?}"),
            }
        }
        for bad in ["1 2 NaN", "1 2 inf", "1 2 -Infinity", "1 2 1e999"] {
            match free(bad) {
                Err(RecordError::NotFinite {
                    line: 3, column: 5, ..
                }) => {}
                other => panic!("{bad}: {other:?}"),
            }
        }
    }

    #[test]
    fn fixed_fields_need_no_separator() {
        let text = Text::new(b"x", "f").unwrap();
        let mut values = Vec::new();
        text.fields(
            1,
            " 4.0000000-999.00000 -.5666587 39.410000  ",
            10,
            &mut values,
        )
        .unwrap();
        assert_eq!(values, [4.0, -999.0, -0.5666587, 39.41]);
        assert!(text.fields(1, " 4.00 1.00 2.00", 10, &mut values).is_err());
        assert!(text.fields(1, "12345678äöü", 10, &mut values).is_err());
    }

    #[test]
    fn header_helpers() {
        assert_eq!(format_width("… in units of g.  Format: (8f9.6)"), Some(9));
        assert_eq!(format_width("units=cm/sec2(04),Format=(8F10.3)"), Some(10));
        assert_eq!(format_width("Format= (10I8)"), Some(8));
        assert_eq!(format_width("nothing (here)"), None);
        assert_eq!(
            number_after("NPTS=  5372, DT=   .0100 SEC,", "npts"),
            Some(5372.0)
        );
        assert_eq!(
            number_after("NPTS=  5372, DT=   .0100 SEC,", "DT"),
            Some(0.01)
        );
        assert_eq!(
            number_after("Sampling Freq(Hz) 100Hz", "Freq(Hz)"),
            Some(100.0)
        );
        assert_eq!(
            number_after("spaced at 0.005 sec.", "spaced at"),
            Some(0.005)
        );
        assert_eq!(count(4096.0), Some(4096));
        assert_eq!(count(-1.0), None);
        assert_eq!(count(1.5), None);
        assert_eq!(count(f64::NAN), None);
    }
}
