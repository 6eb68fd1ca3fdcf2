//! Numbers that look random and are the same on every machine.

/// The next number of a sequence: splitmix64 (Steele, Lea and Flood 2014).
pub fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Numbers below a bound, from a seed: the same on every machine.
pub fn seeded(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        let number = splitmix64(&mut state) % below.max(1) as u64;
        usize::try_from(number).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::splitmix64;

    /// The first outputs for the seed 1234567 that implementations publish.
    #[test]
    fn published_values() {
        let mut state = 1_234_567;
        assert_eq!(splitmix64(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(splitmix64(&mut state), 3_203_168_211_198_807_973);
    }
}
