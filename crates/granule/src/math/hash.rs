//! A hash of floating-point state, to compare runs bit for bit.

/// FNV-1a over the bit patterns of what is fed to it: two runs agree in every bit of their state
/// exactly when (up to a 2⁻⁶⁴ accident) their hashes agree.
///
/// ```
/// use granule::math::StateHash;
/// let mut first = StateHash::new();
/// first.add(0.1 + 0.2);
/// let mut second = StateHash::new();
/// second.add(0.3);
/// assert_ne!(first.finish(), second.finish()); // they differ in the last bit
/// ```
#[derive(Debug, Clone, Copy)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self::new()
    }
}

impl StateHash {
    /// The hash of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Feeds the bits of one number.
    pub fn add(&mut self, value: f64) {
        for byte in value.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash of all that was fed.
    pub fn finish(self) -> u64 {
        self.0
    }
}
