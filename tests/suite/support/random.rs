//! Random numbers from a seed.

/// A SplitMix64 random number generator, with the same sequence on every platform.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn random_below(&mut self, end: usize) -> usize {
        usize::try_from(self.next_number() % end as u64).expect("the number fits into usize")
    }

    /// True with this probability in percent.
    pub fn random_bool(&mut self, percent: usize) -> bool {
        self.random_below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.random_below(choices.len())]
    }
}
