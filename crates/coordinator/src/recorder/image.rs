//! Bytes of the HDF5 objects that a run file consists of (HDF5 File Format Specification, version
//! 3).
//!
//! Datasets get object headers of version 1, which carry no checksum: the number of rows can be
//! published by storing eight aligned bytes, and no instant exists at which a header is invalid.
//! Everything that stays as created uses the newer, checksummed forms.

use super::layout::{CELL_BYTES, CHUNK_ROWS_U64, UNDEFINED};
use super::lookup3::checksum;

/// Bytes of the superblock, rounded up so that what follows is aligned.
pub(super) const SUPERBLOCK_BYTES: usize = 64;

/// Bytes of the fixed part of a dataset's header.
pub(super) const DATASET_HEADER_BYTES: usize = 152;

/// Where a dataset's header keeps its number of rows.
pub(super) const DATASET_ROWS_AT: usize = 16 + 8 + 8;

/// Where a dataset's header keeps the address of its chunk index.
pub(super) const DATASET_INDEX_AT: usize = 16 + (8 + 24) + (8 + 24) + (8 + 8) + 8 + 3;

const FILE_SIGNATURE: [u8; 8] = [0x89, b'H', b'D', b'F', 0x0d, 0x0a, 0x1a, 0x0a];

const MESSAGE_DATASPACE: u8 = 0x01;
const MESSAGE_LINK_INFO: u8 = 0x02;
const MESSAGE_DATATYPE: u8 = 0x03;
const MESSAGE_FILL_VALUE: u8 = 0x05;
const MESSAGE_LINK: u8 = 0x06;
const MESSAGE_LAYOUT: u8 = 0x08;
const MESSAGE_GROUP_INFO: u8 = 0x0a;
const MESSAGE_ATTRIBUTE: u8 = 0x0c;
const MESSAGE_CONTINUATION: u8 = 0x10;

/// Superblock of version 2: readable by every HDF5 library since 1.8.
pub(super) fn superblock(end_of_file: u64, root: u64) -> [u8; SUPERBLOCK_BYTES] {
    let mut bytes = Vec::with_capacity(SUPERBLOCK_BYTES);
    bytes.extend(FILE_SIGNATURE);
    bytes.extend([2, 8, 8, 0]); // version, bytes of an address, bytes of a length, flags
    for word in [0, UNDEFINED, end_of_file, root] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(checksum(&bytes).to_le_bytes());
    let mut image = [0; SUPERBLOCK_BYTES];
    image[..bytes.len()].copy_from_slice(&bytes);
    image
}

/// IEEE 754 binary64, little-endian.
fn datatype_f64() -> [u8; 20] {
    [
        0x11, 0x20, 0x3f, 0x00, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 0x03, 0, 0,
    ]
}

/// 64-bit integer, little-endian.
fn datatype_integer(signed: bool) -> [u8; 12] {
    let sign = if signed { 0x08 } else { 0 };
    [0x10, sign, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0]
}

/// UTF-8 text of variable length.
fn datatype_text() -> [u8; 16] {
    [
        0x19, 0x01, 0x01, 0x00, 16, 0, 0,
        0, // variable length, text, UTF-8, 16 bytes in place
        0x13, 0x10, 0x00, 0x00, 1, 0, 0, 0, // of one-byte UTF-8 characters
    ]
}

/// The texts of the attributes: one global heap collection.
pub(super) struct TextHeap {
    address: u64,
    bytes: Vec<u8>,
    count: u32,
}

impl TextHeap {
    /// A heap that will lie at `address`.
    pub(super) fn new(address: u64) -> Self {
        let mut bytes = b"GCOL".to_vec();
        bytes.extend([1, 0, 0, 0]);
        bytes.extend([0; 8]);
        Self {
            address,
            bytes,
            count: 0,
        }
    }

    /// Stores a text; gives the value that stands in the attribute.
    pub(super) fn add(&mut self, text: &str) -> Value {
        self.count += 1;
        self.bytes.extend(self.count.to_le_bytes()[..2].iter());
        self.bytes.extend([0; 6]);
        self.bytes.extend((text.len() as u64).to_le_bytes());
        self.bytes.extend(text.as_bytes());
        pad(&mut self.bytes, 8);
        let mut reference = [0; 16];
        // Texts are far below 4 GiB and 65536 in number: the skeleton checks both.
        reference[..4].copy_from_slice(&(text.len() as u64).to_le_bytes()[..4]);
        reference[4..12].copy_from_slice(&self.address.to_le_bytes());
        reference[12..].copy_from_slice(&self.count.to_le_bytes());
        Value::Text(reference)
    }

    /// The finished collection; HDF5 wants at least 4096 bytes, the rest is one free object.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let size = (self.bytes.len() + 16).next_multiple_of(4096);
        let free = (size - self.bytes.len()) as u64;
        self.bytes.extend([0; 8]);
        self.bytes.extend(free.to_le_bytes());
        self.bytes.resize(size, 0);
        self.bytes[8..16].copy_from_slice(&(size as u64).to_le_bytes());
        self.bytes
    }
}

/// Value of an attribute.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// Reference to a text in a [`TextHeap`].
    Text([u8; 16]),
    Signed(i64),
    Unsigned(u64),
    Real(f64),
}

/// Body of an attribute message (version 3), its value last.
fn attribute(name: &str, value: Value) -> Vec<u8> {
    let (datatype, data): (Vec<u8>, Vec<u8>) = match value {
        Value::Text(reference) => (datatype_text().to_vec(), reference.to_vec()),
        Value::Signed(v) => (datatype_integer(true).to_vec(), v.to_le_bytes().to_vec()),
        Value::Unsigned(v) => (datatype_integer(false).to_vec(), v.to_le_bytes().to_vec()),
        Value::Real(v) => (datatype_f64().to_vec(), v.to_le_bytes().to_vec()),
    };
    let scalar = [2, 0, 0, 0];
    let mut body = vec![3, 0];
    body.extend(length16(name.len() + 1));
    body.extend(length16(datatype.len()));
    body.extend(length16(scalar.len()));
    body.push(0); // the names of our attributes are ASCII
    body.extend(name.as_bytes());
    body.push(0);
    body.extend(datatype);
    body.extend(scalar);
    body.extend(data);
    body
}

/// The attributes of a dataset: a continuation block of its version 1 header. `attributes` is
/// short, so the count in the header cannot overflow.
pub(super) fn attribute_block(attributes: &[(&str, Value)]) -> Vec<u8> {
    let mut block = Vec::new();
    for &(name, value) in attributes {
        message_v1(&mut block, MESSAGE_ATTRIBUTE, &attribute(name, value), 0);
    }
    block
}

/// Fixed part of the header of an empty, extendible column of f64.
pub(super) fn dataset_header(
    index: u64,
    attributes_at: u64,
    attributes_bytes: usize,
    attributes: usize,
) -> Vec<u8> {
    let mut messages = Vec::with_capacity(DATASET_HEADER_BYTES);

    let mut dataspace = vec![1, 1, 1, 0, 0, 0, 0, 0]; // version, rank, has a maximum
    dataspace.extend(0_u64.to_le_bytes());
    dataspace.extend(UNDEFINED.to_le_bytes());
    message_v1(&mut messages, MESSAGE_DATASPACE, &dataspace, 0);

    message_v1(&mut messages, MESSAGE_DATATYPE, &datatype_f64(), 1);

    // Version 2, allocated as needed, written if set, default fill value of zero.
    message_v1(
        &mut messages,
        MESSAGE_FILL_VALUE,
        &[2, 3, 2, 1, 0, 0, 0, 0],
        1,
    );

    let mut layout = vec![3, 2, 2]; // version, chunked, rank + 1
    layout.extend(index.to_le_bytes());
    layout.extend(&CHUNK_ROWS_U64.to_le_bytes()[..4]);
    layout.extend(&(CELL_BYTES as u64).to_le_bytes()[..4]);
    message_v1(&mut messages, MESSAGE_LAYOUT, &layout, 0);

    let mut continuation = attributes_at.to_le_bytes().to_vec();
    continuation.extend((attributes_bytes as u64).to_le_bytes());
    message_v1(&mut messages, MESSAGE_CONTINUATION, &continuation, 0);

    let mut header = vec![1, 0];
    header.extend(length16(5 + attributes));
    header.extend(1_u32.to_le_bytes()); // one link points here
    header.extend(&(messages.len() as u64).to_le_bytes()[..4]);
    header.extend([0; 4]);
    header.extend(messages);
    header
}

/// A group with its links (name, address) and attributes, in a checksummed header of version 2.
pub(super) fn group(links: &[(String, u64)], attributes: &[(&str, Value)]) -> Vec<u8> {
    let mut messages = Vec::new();
    let mut info = vec![0, 0];
    info.extend(UNDEFINED.to_le_bytes());
    info.extend(UNDEFINED.to_le_bytes());
    message_v2(&mut messages, MESSAGE_LINK_INFO, &info);
    message_v2(&mut messages, MESSAGE_GROUP_INFO, &[0, 0]);
    for (name, address) in links {
        let mut link = vec![1, 0];
        link.push(name.len().to_le_bytes()[0]); // at most 63 bytes, checked with the channels
        link.extend(name.as_bytes());
        link.extend(address.to_le_bytes());
        message_v2(&mut messages, MESSAGE_LINK, &link);
    }
    for &(name, value) in attributes {
        message_v2(&mut messages, MESSAGE_ATTRIBUTE, &attribute(name, value));
    }
    let mut header = b"OHDR".to_vec();
    header.extend([2, 0x02]); // version; the size of the messages takes four bytes
    header.extend(&(messages.len() as u64).to_le_bytes()[..4]);
    header.extend(messages);
    header.extend(checksum(&header).to_le_bytes());
    header
}

/// Message of a version 1 header: body padded to eight bytes.
fn message_v1(out: &mut Vec<u8>, kind: u8, body: &[u8], flags: u8) {
    out.extend([kind, 0]);
    out.extend(length16(body.len().next_multiple_of(8)));
    out.extend([flags, 0, 0, 0]);
    out.extend(body);
    out.resize(out.len().next_multiple_of(8), 0);
}

/// Message of a version 2 header: no padding.
fn message_v2(out: &mut Vec<u8>, kind: u8, body: &[u8]) {
    out.push(kind);
    out.extend(length16(body.len()));
    out.push(0);
    out.extend(body);
}

/// A length of two bytes; every message built here is a few hundred bytes at most.
fn length16(length: usize) -> [u8; 2] {
    let bytes = length.to_le_bytes();
    [bytes[0], bytes[1]]
}

/// Zeros up to the next multiple of `unit`.
pub(super) fn pad(bytes: &mut Vec<u8>, unit: usize) {
    bytes.resize(bytes.len().next_multiple_of(unit), 0);
}
