//! The run file as it is before its first row, and the parts of it that change later.

use super::FORMAT;
use super::channel::{Channel, Header, Role, check_names};
use super::chunk_index::{ChunkIndex, Patch};
use super::error::RecorderError;
use super::image::{self, DATASET_INDEX_AT, DATASET_ROWS_AT, SUPERBLOCK_BYTES, TextHeap, Value};
use super::layout::UNDEFINED;
use std::collections::BTreeMap;

/// Most columns: three texts each, and one heap numbers 65535 texts.
const MOST_CHANNELS: usize = 20_000;

/// Most bytes of all texts together.
const MOST_TEXT_BYTES: usize = 1 << 28;

/// Unit in which the kernel copies a write: a write within one page is not torn by a kill.
pub(super) const PAGE: usize = 4096;

/// Distance between the headers of two columns. It divides a page, and a header starts 64 bytes
/// into its slot of a page, so that no header lies across the border of two pages.
const SLOT_BYTES: usize = 256;

/// The changing parts of a run file: the head (superblock, headers of the columns) and the root
/// group.
pub(super) struct FileLayout {
    head: Vec<u8>,
    root_at: u64,
    root_links: Vec<(String, u64)>,
    root_attributes: Vec<(&'static str, Value)>,
    columns: usize,
}

/// Groups by path, each with its links.
type Groups = BTreeMap<String, Vec<(String, u64)>>;

impl FileLayout {
    /// The skeleton of a new run file and the file's bytes.
    pub(super) fn new(
        channels: &[Channel],
        header: &Header,
    ) -> Result<(Self, Vec<u8>), RecorderError> {
        check_names(channels)?;
        check_texts(channels, header)?;
        let columns = channels.len() + 1;
        let heap_at = SUPERBLOCK_BYTES + columns * SLOT_BYTES;

        // Texts first: attributes hold their addresses.
        let mut heap = TextHeap::new(heap_at as u64);
        let time = Channel::new("time", "s", Role::Time, "Structural time");
        // `/time` comes last: when a kill tears the publication of rows, it is the shortest column.
        let blocks: Vec<[(&str, Value); 5]> = (1..)
            .zip(channels)
            .chain([(0, &time)])
            .map(|(column, channel)| describe(channel, column, header.rate_hz, &mut heap))
            .collect();
        let root_attributes = vec![
            ("format", heap.add(FORMAT)),
            ("tandem_version", heap.add(&header.tandem_version)),
            ("plan", heap.add(&header.plan)),
            ("created", heap.add(&header.created)),
            ("seed", Value::Unsigned(header.seed)),
            ("time_scale", Value::Real(header.time_scale)),
            ("rate_hz", Value::Real(header.rate_hz)),
        ];

        let mut head = vec![0; SUPERBLOCK_BYTES];
        let mut body = heap.finish();
        for attributes in &blocks {
            let block = image::attribute_block(attributes);
            head.extend(image::dataset_header(
                UNDEFINED,
                (heap_at + body.len()) as u64,
                block.len(),
                attributes.len(),
            ));
            let slots = (head.len() - SUPERBLOCK_BYTES).div_ceil(SLOT_BYTES);
            head.resize(slot_at(slots), 0);
            body.extend(block);
        }
        let mut root_links = groups(channels, heap_at, &mut body);
        root_links.push(("time".into(), slot_at(columns - 1) as u64));

        let mut skeleton = Self {
            head,
            root_at: 0,
            root_links,
            root_attributes,
            columns,
        };
        // The root group is rewritten while others may read: keep it within one page if it fits.
        let root = skeleton.root(false, 0).bytes;
        let mut root_at = (heap_at + body.len()).next_multiple_of(8);
        if root_at % PAGE + root.len() > PAGE {
            root_at = root_at.next_multiple_of(PAGE);
        }
        body.resize(root_at - heap_at, 0);
        body.extend(root);
        skeleton.root_at = root_at as u64;

        let end = (heap_at + body.len()).next_multiple_of(PAGE);
        skeleton.set_end(end as u64);
        let mut file = skeleton.head.clone();
        file.extend(body);
        file.resize(end, 0);
        Ok((skeleton, file))
    }

    /// Columns including the time.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The bytes that publish rows, growth and roots, for address 0.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Position in the head, counted from its start, of a column of a block (0 is the time).
    fn slot_of(&self, column: usize) -> usize {
        slot_at(column.checked_sub(1).unwrap_or(self.columns - 1))
    }

    /// Sets the number of rows of every column.
    pub(super) fn set_rows(&mut self, rows: u64) {
        for slot in 0..self.columns {
            store(&mut self.head, slot_at(slot) + DATASET_ROWS_AT, rows);
        }
    }

    /// Lets every column point at the root of its chunk index.
    pub(super) fn set_index(&mut self, index: &ChunkIndex) {
        for column in 0..self.columns {
            let at = self.slot_of(column) + DATASET_INDEX_AT;
            store(&mut self.head, at, index.root(column));
        }
    }

    /// Sets the end of the file.
    pub(super) fn set_end(&mut self, end: u64) {
        let superblock = image::superblock(end, self.root_at);
        if let Some(place) = self.head.first_chunk_mut() {
            *place = superblock;
        }
    }

    /// The root group, whose attributes say how far the run has got.
    pub(super) fn root(&self, complete: bool, synced_rows: u64) -> Patch {
        let mut attributes = self.root_attributes.clone();
        attributes.push(("complete", Value::Signed(i64::from(complete))));
        attributes.push(("synced_rows", Value::Unsigned(synced_rows)));
        Patch {
            at: self.root_at,
            bytes: image::group(&self.root_links, &attributes),
        }
    }
}

/// Where the header of the column in a slot of the head begins.
fn slot_at(slot: usize) -> usize {
    SUPERBLOCK_BYTES + slot * SLOT_BYTES
}

/// Stores eight bytes.
fn store(bytes: &mut [u8], at: usize, value: u64) {
    if let Some(place) = bytes.get_mut(at..at + 8) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// The attributes of a column.
fn describe(
    channel: &Channel,
    column: u64,
    rate_hz: f64,
    heap: &mut TextHeap,
) -> [(&'static str, Value); 5] {
    [
        ("unit", heap.add(&channel.unit)),
        ("description", heap.add(&channel.description)),
        ("role", heap.add(channel.role.as_str())),
        ("rate_hz", Value::Real(rate_hz)),
        ("column", Value::Unsigned(column)),
    ]
}

/// Writes the groups behind `body`, which begins at address `offset`; gives the links of the root.
fn groups(channels: &[Channel], offset: usize, body: &mut Vec<u8>) -> Vec<(String, u64)> {
    let mut groups = Groups::from([("channels".into(), Vec::new())]);
    for (slot, channel) in channels.iter().enumerate() {
        let path = format!("channels/{}", channel.name);
        for (end, _) in path.match_indices('/') {
            groups.entry(path[..end].into()).or_default();
        }
        if let Some((group, name)) = path.rsplit_once('/') {
            let links = groups.entry(group.into()).or_default();
            links.push((name.into(), slot_at(slot) as u64));
        }
    }
    let mut root_links = Vec::new();
    // A group sorts behind the one that holds it: from the last to the first, every address is
    // known when it is needed.
    while let Some((path, mut links)) = groups.pop_last() {
        body.resize(body.len().next_multiple_of(8), 0);
        let address = (offset + body.len()) as u64;
        links.sort();
        body.extend(image::group(&links, &[]));
        match path.rsplit_once('/') {
            Some((parent, name)) => groups
                .entry(parent.into())
                .or_default()
                .push((name.into(), address)),
            None => root_links.push((path, address)),
        }
    }
    root_links
}

fn check_texts(channels: &[Channel], header: &Header) -> Result<(), RecorderError> {
    let texts: usize = channels
        .iter()
        .map(|channel| channel.unit.len() + channel.description.len())
        .sum();
    let of_the_file = header.tandem_version.len() + header.plan.len() + header.created.len();
    if channels.len() > MOST_CHANNELS || texts + of_the_file > MOST_TEXT_BYTES {
        return Err(RecorderError::TooManyChannels {
            channels: channels.len(),
        });
    }
    Ok(())
}
