//! The two kinds of records, and the sizes with which a session opens.

use crate::short::short;
use std::fmt;

/// Most doubles of a vector.
pub const MOST: usize = 1_000_000;

/// Why bytes are no session.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProtocolError {
    /// The opening record makes no sense in either byte order.
    #[error(
        "the opening record asks for vectors of {little} doubles (little-endian) or {big} \
        (big-endian); between 1 and {MOST} are possible"
    )]
    Sizes {
        /// As read little-endian.
        little: i32,
        /// As read big-endian.
        big: i32,
    },
    /// A count is negative or beyond all bounds.
    #[error("the opening record counts {count} {what}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// The count.
        count: i32,
    },
    /// The counts do not fit the specimen.
    #[error(
        "the peer counts {asked} {what}, the specimen has {dof} degrees of freedom: check the -dof \
        lists of the element, or the plan's interface"
    )]
    Dof {
        /// What is counted.
        what: &'static str,
        /// The peer's count.
        asked: usize,
        /// The specimen's.
        dof: usize,
    },
    /// The vector cannot hold what the counts promise.
    #[error(
        "a vector of {vector} doubles cannot hold the {needed} that the counts promise: raise \
        -dataSize"
    )]
    Vector {
        /// Length of the vectors.
        vector: usize,
        /// What is needed.
        needed: usize,
    },
    /// The byte-order probe of a shadow site is not 1.
    #[error("the peer opens with {0} instead of the integer 1: it is no shadow site")]
    Probe(i32),
    /// The two sites are of different versions.
    #[error(
        "the shadow site says version {}, this actor site {ours}: they must be equal, set the \
        version here",
        short(*theirs)
    )]
    Version {
        /// The peer's.
        theirs: f64,
        /// This side's.
        ours: f64,
    },
    /// An opening step of another kind was expected.
    #[error("the peer sends {} where {expected} belongs", short(*found))]
    Opening {
        /// What belongs here.
        expected: &'static str,
        /// What came.
        found: f64,
    },
    /// More bytes than a peer may send ahead.
    #[error("the peer sends {0} bytes ahead without waiting for an answer")]
    TooMuch(usize),
}

/// Byte order of the peer. Nothing on the wire names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// All common machines.
    Little,
    /// Some real-time controllers.
    Big,
}

impl ByteOrder {
    /// The integer at word `index` of 32 bits, if the bytes reach so far.
    pub fn int(self, bytes: &[u8], index: usize) -> Option<i32> {
        let word = bytes.chunks_exact(4).nth(index)?.try_into().ok()?;
        Some(match self {
            Self::Little => i32::from_le_bytes(word),
            Self::Big => i32::from_be_bytes(word),
        })
    }

    /// The double at word `index` of 64 bits, if the bytes reach so far.
    #[inline]
    pub fn double(self, bytes: &[u8], index: usize) -> Option<f64> {
        let word = bytes.get(8 * index..8 * index + 8)?.try_into().ok()?;
        Some(match self {
            Self::Little => f64::from_le_bytes(word),
            Self::Big => f64::from_be_bytes(word),
        })
    }

    /// An integer as it goes on the wire.
    pub fn put_int(self, value: i32, into: &mut Vec<u8>) {
        into.extend_from_slice(&match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        });
    }

    /// A double as it goes on the wire.
    #[inline]
    pub fn put_double(self, value: f64, into: &mut Vec<u8>) {
        into.extend_from_slice(&match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        });
    }

    /// A vector of exactly `length` doubles: the values, then zeros.
    #[inline]
    pub fn put_vector(self, values: &[f64], length: usize, into: &mut Vec<u8>) {
        let end = into.len() + 8 * length;
        values
            .iter()
            .take(length)
            .for_each(|x| self.put_double(*x, into));
        into.resize(end, 0);
    }
}

impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Little => "little-endian",
            Self::Big => "big-endian",
        })
    }
}

/// How many values of each kind a vector holds, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Displacements, m.
    pub displacement: usize,
    /// Velocities, m/s.
    pub velocity: usize,
    /// Accelerations, m/s².
    pub acceleration: usize,
    /// Forces, N.
    pub force: usize,
    /// Times, s.
    pub time: usize,
}

impl Counts {
    /// All together.
    pub fn total(&self) -> usize {
        self.displacement + self.velocity + self.acceleration + self.force + self.time
    }

    fn each(&self) -> [(&'static str, usize); 5] {
        [
            ("displacements", self.displacement),
            ("velocities", self.velocity),
            ("accelerations", self.acceleration),
            ("forces", self.force),
            ("times", self.time),
        ]
    }

    /// Five integers from word `first` on.
    pub(super) fn decode(
        order: ByteOrder,
        bytes: &[u8],
        first: usize,
    ) -> Result<Self, ProtocolError> {
        let mut found = [0; 5];
        let names = Self::default().each();
        for (i, slot) in found.iter_mut().enumerate() {
            let count = order.int(bytes, first + i).unwrap_or(-1);
            let what = names.get(i).map_or("values", |(what, _)| what);
            *slot = usize::try_from(count)
                .ok()
                .filter(|count| *count <= MOST)
                .ok_or(ProtocolError::Count { what, count })?;
        }
        let [displacement, velocity, acceleration, force, time] = found;
        Ok(Self {
            displacement,
            velocity,
            acceleration,
            force,
            time,
        })
    }

    /// Five integers.
    pub(super) fn encode(&self, order: ByteOrder, into: &mut Vec<u8>) {
        for (_, count) in self.each() {
            order.put_int(i32::try_from(count).unwrap_or(i32::MAX), into);
        }
    }

    /// Every kind but the time counts all degrees of freedom, or none.
    pub(super) fn fits(&self, dof: usize) -> Result<(), ProtocolError> {
        let mut kinds = self.each().into_iter().take(4);
        match kinds.find(|(_, count)| *count != 0 && *count != dof) {
            Some((what, asked)) => Err(ProtocolError::Dof { what, asked, dof }),
            None => Ok(()),
        }
    }
}

/// The opening record: eleven integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Byte order of the peer, found from the record itself.
    pub order: ByteOrder,
    /// What requests hold behind the action.
    pub control: Counts,
    /// What answers hold.
    pub feedback: Counts,
    /// Length of all vectors, doubles.
    pub vector: usize,
}

impl Sizes {
    /// Length of the record.
    pub const BYTES: usize = 44;

    /// What `genericClient` of OpenSees sends for `dof` degrees of freedom; `data_size` is its
    /// `-dataSize`.
    pub fn generic_client(dof: usize, data_size: usize) -> Self {
        Self {
            order: ByteOrder::Little,
            control: Counts {
                displacement: dof,
                velocity: dof,
                acceleration: dof,
                force: 0,
                time: 1,
            },
            feedback: Counts {
                force: dof,
                ..Counts::default()
            },
            vector: data_size.max(3 * dof + 2).max(dof * dof),
        }
    }

    /// What an OpenSees `adapter` element expects: displacements there, displacements and forces
    /// back.
    pub fn adapter(dof: usize) -> Self {
        Self {
            order: ByteOrder::Little,
            control: Counts {
                displacement: dof,
                ..Counts::default()
            },
            feedback: Counts {
                displacement: dof,
                force: dof,
                ..Counts::default()
            },
            vector: (2 * dof + 1).max(256),
        }
    }

    /// Reads the record. Nothing in it names the byte order, but it makes sense in one only: the
    /// usual length of 256 is 65 536 in the other, which might be one, and a count of 1 is sixteen
    /// million, which is none.
    pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
        match Self::decode_in(ByteOrder::Little, bytes) {
            Ok(sizes) => Ok(sizes),
            Err(why) => Self::decode_in(ByteOrder::Big, bytes).map_err(|_| why),
        }
    }

    fn decode_in(order: ByteOrder, bytes: &[u8]) -> Result<Self, ProtocolError> {
        let length = |order: ByteOrder| order.int(bytes, 10).unwrap_or(0);
        let vector = usize::try_from(length(order)).unwrap_or(0);
        if !(1..=MOST).contains(&vector) {
            let (little, big) = (length(ByteOrder::Little), length(ByteOrder::Big));
            return Err(ProtocolError::Sizes { little, big });
        }
        let sizes = Self {
            order,
            control: Counts::decode(order, bytes, 0)?,
            feedback: Counts::decode(order, bytes, 5)?,
            vector,
        };
        let needed = (1 + sizes.control.total()).max(sizes.feedback.total());
        if needed > vector {
            return Err(ProtocolError::Vector { vector, needed });
        }
        Ok(sizes)
    }

    /// The record.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(Self::BYTES);
        self.control.encode(self.order, &mut out);
        self.feedback.encode(self.order, &mut out);
        let length = i32::try_from(self.vector).unwrap_or(i32::MAX);
        self.order.put_int(length, &mut out);
        out
    }

    /// Whether the counts fit a specimen of so many degrees of freedom.
    pub fn fits(&self, dof: usize) -> Result<(), ProtocolError> {
        self.control.fits(dof)?;
        self.feedback.fits(dof)
    }
}
