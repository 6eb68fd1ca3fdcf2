//! Where the chunks of the columns are: one version 1 B-tree for each column.
//!
//! All columns grow in step, so their trees have the same shape and the nodes at the same place of
//! each tree lie one behind the other in the file: a *rank* of nodes. Chunks are only ever added at
//! the end, and all keys follow from the position of a node. A leaf is written once, pointing at
//! chunks that are allocated but not yet filled; afterwards only its parent changes: first the
//! address of the new child, then the number of children. Version 1 nodes carry no checksum, so
//! after each of these writes the trees are valid.

use super::layout::{CHUNK_BYTES, CHUNK_ROWS_U64, CHUNK_STRIDE, LEAF_CHUNKS, UNDEFINED};

/// Bytes of a node: 24 of header, 64 children of 8, 65 keys of 24.
pub(super) const NODE_BYTES: u64 = 24 + LEAF_CHUNKS * 8 + (LEAF_CHUNKS + 1) * KEY_BYTES;
const KEY_BYTES: u64 = 24;
const COUNT_AT: u64 = 6;
const RIGHT_AT: u64 = 16;
const FIRST_KEY_AT: u64 = 24;

/// One write to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) at: u64,
    pub(super) bytes: Vec<u8>,
}

/// The last rank of nodes on one level of the trees.
#[derive(Clone, Debug)]
struct Rank {
    address: u64,
    first_chunk: u64,
    count: u64,
}

/// The right edge of the trees.
#[derive(Clone, Debug)]
pub(super) struct ChunkIndex {
    columns: u64,
    /// Leaves first, root last; empty before the first segment.
    levels: Vec<Rank>,
    chunks: u64,
}

/// What has to be written to add a segment, in this order: `fresh`, then `links`, then the roots.
#[derive(Debug)]
pub(super) struct Growth {
    /// The index once everything is written.
    pub(super) index: ChunkIndex,
    /// Nodes in space that nothing points to yet.
    pub(super) fresh: Vec<Patch>,
    /// Changes of existing nodes.
    pub(super) links: Vec<Patch>,
    /// Address of the first chunk row of the segment.
    pub(super) chunks_at: u64,
    /// End of the segment.
    pub(super) end: u64,
}

impl ChunkIndex {
    /// An empty index.
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns: columns as u64,
            levels: Vec::new(),
            chunks: 0,
        }
    }

    /// Chunks of each column that are allocated.
    pub(super) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Address of the root of a column's tree.
    pub(super) fn root(&self, column: usize) -> u64 {
        self.levels
            .last()
            .map_or(UNDEFINED, |rank| rank.address + column as u64 * NODE_BYTES)
    }

    /// Plans the next segment, which is to lie at `at`.
    pub(super) fn grow(&self, at: u64) -> Growth {
        let mut next = self.clone();
        let mut fresh = Vec::new();
        let mut links = Vec::new();
        let rank_bytes = self.columns * NODE_BYTES;
        let mut free = at;
        let mut allocate = |bytes: u64| {
            let address = free;
            free += bytes;
            address
        };

        let first_chunk = self.chunks;
        let leaf = allocate(rank_bytes);
        // A tree of this depth is complete when a level has no parent left to take a new node.
        let mut child = Rank {
            address: leaf,
            first_chunk,
            count: LEAF_CHUNKS,
        };
        let mut nodes = Vec::new();
        for level in 0.. {
            let old = match next.levels.get_mut(level) {
                Some(rank) => Some(std::mem::replace(rank, child.clone())),
                None => {
                    next.levels.push(child.clone());
                    None
                }
            };
            nodes.push((level, child.clone(), old.clone()));
            let Some(old) = old else { break };
            let Some(parent) = next.levels.get_mut(level + 1) else {
                // The root had no parent: a new root gets the old one and the new node.
                let root = Rank {
                    address: allocate(rank_bytes),
                    first_chunk: 0,
                    count: 2,
                };
                fresh.push(self.rank(level + 1, &root, UNDEFINED, |column, slot| {
                    let rank = if slot == 0 { &old } else { &child };
                    rank.address + column * NODE_BYTES
                }));
                next.levels.push(root);
                break;
            };
            if parent.count < LEAF_CHUNKS {
                self.link(parent, &child, &mut links);
                parent.count += 1;
                break;
            }
            child = Rank {
                address: allocate(rank_bytes),
                first_chunk: child.first_chunk,
                count: 1,
            };
        }
        let row_bytes = self.columns * CHUNK_STRIDE;
        let chunks_at = allocate(LEAF_CHUNKS * row_bytes);
        for (level, rank, old) in &nodes {
            let left = old.as_ref().map_or(UNDEFINED, |old| old.address);
            let below = level.checked_sub(1).and_then(|below| nodes.get(below));
            fresh.push(self.rank(*level, rank, left, |column, slot| match below {
                None => chunks_at + slot * row_bytes + column * CHUNK_STRIDE,
                Some((_, child, _)) => child.address + column * NODE_BYTES,
            }));
            if let Some(old) = old {
                for column in 0..self.columns {
                    let offset = column * NODE_BYTES;
                    links.push(Patch {
                        at: old.address + offset + RIGHT_AT,
                        bytes: (rank.address + offset).to_le_bytes().to_vec(),
                    });
                }
            }
        }
        next.chunks += LEAF_CHUNKS;
        Growth {
            index: next,
            fresh,
            links,
            chunks_at,
            end: free,
        }
    }

    /// Drops the chunks behind the first `used` of the last segment: the counts of the last leaves.
    pub(super) fn trim(&self, used: u64) -> Vec<Patch> {
        let Some(leaf) = self.levels.first() else {
            return Vec::new();
        };
        (0..self.columns)
            .map(|column| Patch {
                at: leaf.address + column * NODE_BYTES + COUNT_AT,
                bytes: count(used),
            })
            .collect()
    }

    /// Makes `child` the next child of `parent`, in every tree.
    fn link(&self, parent: &Rank, child: &Rank, links: &mut Vec<Patch>) {
        for column in 0..self.columns {
            let offset = column * NODE_BYTES;
            let node = parent.address + offset;
            let child_at = FIRST_KEY_AT + parent.count * (KEY_BYTES + 8) + KEY_BYTES;
            links.push(Patch {
                at: node + child_at,
                bytes: (child.address + offset).to_le_bytes().to_vec(),
            });
            links.push(Patch {
                at: node + COUNT_AT,
                bytes: count(parent.count + 1),
            });
        }
    }

    /// A rank of nodes as bytes; `child` gives the address of a column's child in a slot.
    fn rank(&self, level: usize, rank: &Rank, left: u64, child: impl Fn(u64, u64) -> u64) -> Patch {
        let mut bytes = Vec::new();
        let span = (0..level).fold(1, |span: u64, _| span.saturating_mul(LEAF_CHUNKS));
        for column in 0..self.columns {
            bytes.extend(b"TREE");
            bytes.extend([1, level.to_le_bytes()[0]]);
            bytes.extend(count(rank.count));
            bytes.extend(if left == UNDEFINED {
                UNDEFINED.to_le_bytes()
            } else {
                (left + column * NODE_BYTES).to_le_bytes()
            });
            bytes.extend(UNDEFINED.to_le_bytes());
            for slot in 0..=LEAF_CHUNKS {
                let row = (rank.first_chunk + slot * span) * CHUNK_ROWS_U64;
                bytes.extend(&CHUNK_BYTES.to_le_bytes()[..4]);
                bytes.extend([0; 4]);
                bytes.extend(row.to_le_bytes());
                bytes.extend([0; 8]);
                if slot < LEAF_CHUNKS {
                    let address = if slot < rank.count {
                        child(column, slot)
                    } else {
                        UNDEFINED
                    };
                    bytes.extend(address.to_le_bytes());
                }
            }
        }
        Patch {
            at: rank.address,
            bytes,
        }
    }
}

/// The number of children of a node; at most 64.
fn count(children: u64) -> Vec<u8> {
    children.to_le_bytes()[..2].to_vec()
}
