//! Draws the numbers of a question, so that another element in the place of the right one shows.

use broadaxe::DType;

use crate::{
    format::single::number_bytes,
    meaning::{Kind, Meaning},
};

/// Draws numbers for the inputs of a node; a hash of its class is the seed.
#[derive(Debug)]
pub(super) struct Draw {
    state: u64,
    /// A slope shows only below 0.
    negative_data: bool,
    /// Powers of negative numbers are mostly no numbers.
    positive: bool,
    /// Powers and shifts of large whole numbers overflow.
    small: bool,
    /// Sums of many products have to be exact, or engines that add in another order differ.
    sums: bool,
    /// Only a few numbers, so that some are equal.
    few: bool,
}

impl Draw {
    pub(super) fn new(key: &str, meaning: &Meaning, few: bool) -> Self {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let name = meaning.op.id().map_or("", |id| id.op().name());
        let power = name.contains("pow");
        Self {
            // FNV-1a.
            state: key.bytes().fold(0xcbf2_9ce4_8422_2325, hash),
            negative_data: meaning.kind == Kind::Slope,
            positive: power,
            small: power || name.contains("shift"),
            sums: meaning.kind == Kind::Bias,
            few,
        }
    }

    /// Draws the elements of input `k`.
    pub(super) fn elements(&mut self, k: usize, dtype: DType, count: usize) -> Vec<u8> {
        let mut data = Vec::with_capacity(count * dtype.size());
        let sign = if self.negative_data && k == 0 { -1.0 } else { 1.0 };
        for _ in 0..count {
            let bits = self.next();
            let value = self.number(k, dtype, bits) * if dtype.is_float() { sign } else { 1.0 };
            match dtype {
                DType::F32 => data.extend((value as f32).to_le_bytes()),
                _ => data.extend(number_bytes(dtype, value)),
            }
        }
        data
    }

    /// Makes a number of these bits: from 0.25 to 8 in steps that f16 holds exactly, or a whole number that is not 0.
    fn number(&self, k: usize, dtype: DType, bits: u64) -> f64 {
        let signed = !self.positive && !self.negative_data && bits >> 63 == 1;
        let size = match dtype {
            DType::Bool => return (bits & 1) as f64,
            _ if self.sums && k < 2 => (1 + bits % 4) as f64,
            _ if self.few => return (1 + bits % 4) as f64,
            _ if !dtype.is_float() => return (1 + bits % if self.small { 5 } else { 100 }) as f64,
            _ if self.positive => (64 + bits % 961) as f64 / 256.0,
            _ => (64 + bits % 1985) as f64 / 256.0,
        };
        if signed && dtype.is_float() { -size } else { size }
    }

    /// Returns the next number of splitmix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
