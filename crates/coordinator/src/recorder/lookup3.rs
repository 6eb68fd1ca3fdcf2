//! The checksum of HDF5 metadata: Bob Jenkins' lookup3 (`hashlittle`, 2006), initial value 0,
//! as the HDF5 File Format Specification version 3, section II.A asks for.

/// Checksum of `bytes`.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    // HDF5 metadata blocks stay far below 4 GiB; the hash folds the length in modulo 2^32 anyway.
    #[allow(clippy::cast_possible_truncation)]
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let (mut a, mut b, mut c) = (start, start, start);

    // The last block, even a full one of 12 bytes, gets the final mixing instead of the ordinary
    // one.
    let body = bytes.len().saturating_sub(1) / 12 * 12;
    let (whole, tail) = bytes.split_at(body);
    for block in whole.chunks_exact(12) {
        let [x, y, z] = words(block);
        a = a.wrapping_add(x);
        b = b.wrapping_add(y);
        c = c.wrapping_add(z);
        a = a.wrapping_sub(c) ^ c.rotate_left(4);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(6);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(8);
        b = b.wrapping_add(a);
        a = a.wrapping_sub(c) ^ c.rotate_left(16);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(19);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(4);
        b = b.wrapping_add(a);
    }
    if tail.is_empty() {
        return c;
    }
    let [x, y, z] = words(tail);
    a = a.wrapping_add(x);
    b = b.wrapping_add(y);
    c = c.wrapping_add(z);
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

/// Up to twelve bytes as three little-endian words, missing bytes zero.
fn words(bytes: &[u8]) -> [u32; 3] {
    let mut words = [0; 3];
    for (word, part) in words.iter_mut().zip(bytes.chunks(4)) {
        for (i, &byte) in part.iter().enumerate() {
            *word |= u32::from(byte) << (8 * i);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::checksum;

    /// Values of the self-test in Jenkins' lookup3.c (driver5): hashlittle("", 0) = deadbeef,
    /// hashlittle("Four score and seven years ago", 0) = 17770551.
    #[test]
    fn published_values() {
        assert_eq!(checksum(b""), 0xdead_beef);
        assert_eq!(checksum(b"Four score and seven years ago"), 0x1777_0551);
    }
}
