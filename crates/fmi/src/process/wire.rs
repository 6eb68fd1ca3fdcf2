//! Messages between the two processes: a length (4 bytes) and that many bytes; numbers in the
//! machine's own order.

use std::io::{Read, Write};

use crate::{FmuError, Result, VariableType};

/// No message is longer.
const LONGEST: u32 = 1 << 30;

pub(super) const KINDS: [VariableType; 15] = [
    VariableType::Float64,
    VariableType::Float32,
    VariableType::Int8,
    VariableType::UInt8,
    VariableType::Int16,
    VariableType::UInt16,
    VariableType::Int32,
    VariableType::UInt32,
    VariableType::Int64,
    VariableType::UInt64,
    VariableType::Boolean,
    VariableType::Enumeration,
    VariableType::String,
    VariableType::Binary,
    VariableType::Clock,
];

/// A message being written.
#[derive(Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    pub(super) fn start(&mut self, code: u8) -> &mut Self {
        self.bytes.clear();
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.push(code);
        self
    }
    pub(super) fn byte(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }
    pub(super) fn flag(&mut self, value: bool) -> &mut Self {
        self.byte(u8::from(value))
    }
    pub(super) fn kind(&mut self, kind: VariableType) -> &mut Self {
        let code = KINDS.iter().position(|k| *k == kind).unwrap_or(0);
        self.byte(u8::try_from(code).unwrap_or(0))
    }
    pub(super) fn count(&mut self, value: usize) -> &mut Self {
        self.bytes.extend_from_slice(&(value as u64).to_ne_bytes());
        self
    }
    pub(super) fn number(&mut self, value: f64) -> &mut Self {
        self.bytes.extend_from_slice(&value.to_ne_bytes());
        self
    }
    pub(super) fn maybe(&mut self, value: Option<f64>) -> &mut Self {
        self.flag(value.is_some()).number(value.unwrap_or(0.0))
    }
    pub(super) fn numbers(&mut self, values: &[f64]) -> &mut Self {
        self.count(values.len());
        for value in values {
            self.number(*value);
        }
        self
    }
    pub(super) fn references(&mut self, values: &[u32]) -> &mut Self {
        self.count(values.len());
        for value in values {
            self.bytes.extend_from_slice(&value.to_ne_bytes());
        }
        self
    }
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
    /// What was written after the first `length` bytes.
    pub(super) fn since(&self, length: usize) -> &[u8] {
        self.bytes.get(length..).unwrap_or_default()
    }
    pub(super) fn send(&mut self, to: &mut impl Write) -> std::io::Result<()> {
        let length = u32::try_from(self.bytes.len().saturating_sub(4)).unwrap_or(u32::MAX);
        if let Some(place) = self.bytes.get_mut(..4) {
            place.copy_from_slice(&length.to_ne_bytes());
        }
        to.write_all(&self.bytes)?;
        to.flush()
    }
}

/// Reads a whole message into `bytes`.
pub(super) fn receive(from: &mut impl Read, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    let mut length = [0_u8; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_ne_bytes(length);
    if length > LONGEST {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            "a message of more than 1 GB",
        ));
    }
    bytes.clear();
    bytes.resize(length as usize, 0);
    from.read_exact(bytes)
}

/// A message being read.
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let broken = || FmuError::Reported("a message of the FMU's process is broken".into());
        let (head, tail) = self.rest.split_at_checked(count).ok_or_else(broken)?;
        self.rest = tail;
        Ok(head)
    }
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
    pub(super) fn byte(&mut self) -> Result<u8> {
        Ok(u8::from_ne_bytes(self.array()?))
    }
    pub(super) fn flag(&mut self) -> Result<bool> {
        Ok(self.byte()? != 0)
    }
    pub(super) fn kind(&mut self) -> Result<VariableType> {
        let code = usize::from(self.byte()?);
        Ok(KINDS.get(code).copied().unwrap_or(VariableType::Float64))
    }
    pub(super) fn count(&mut self) -> Result<usize> {
        let count = u64::from_ne_bytes(self.array()?);
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }
    pub(super) fn number(&mut self) -> Result<f64> {
        Ok(f64::from_ne_bytes(self.array()?))
    }
    pub(super) fn maybe(&mut self) -> Result<Option<f64>> {
        let there = self.flag()?;
        let number = self.number()?;
        Ok(there.then_some(number))
    }
    pub(super) fn numbers(&mut self) -> Result<Vec<f64>> {
        let count = self.count()?;
        let bytes = self.take(count.saturating_mul(8))?;
        Ok(bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f64::from_ne_bytes(*b))
            .collect())
    }
    pub(super) fn numbers_into(&mut self, values: &mut [f64]) -> Result<()> {
        let count = self.count()?;
        let bytes = self.take(count.saturating_mul(8))?;
        for (value, bytes) in values.iter_mut().zip(bytes.as_chunks().0) {
            *value = f64::from_ne_bytes(*bytes);
        }
        Ok(())
    }
    pub(super) fn references(&mut self) -> Result<Vec<u32>> {
        let count = self.count()?;
        let bytes = self.take(count.saturating_mul(4))?;
        Ok(bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| u32::from_ne_bytes(*b))
            .collect())
    }
    pub(super) fn text(&mut self) -> Result<String> {
        let count = self.count()?;
        Ok(String::from_utf8_lossy(self.take(count)?).into_owned())
    }
    /// Bytes that have not been read yet.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }
}
