//! Draws the numbers of a question, so that another element in the place of the right one shows.

use broadaxe::DType;

use super::numbers;
use crate::meaning::{Kind, Meaning};

/// Draws numbers for the inputs of a node; a hash of its class is the seed.
#[derive(Debug)]
pub(super) struct Draw {
    state: u64,
    numbers: DrawnNumbers,
}

/// Which numbers a node is asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawnNumbers {
    /// Of both signs.
    Signed,
    /// Data below 0: only there does a slope show.
    NegativeData,
    /// Above 0 and small: powers of negative numbers are mostly no numbers, and those of large ones overflow.
    Powers,
    /// Small whole numbers, as far as they are whole.
    Shifts,
    /// Operands of a product whose sums are exact: engines add in another order.
    Sums,
    /// Only a few, so that some are equal.
    Few,
}

impl Draw {
    pub(super) fn new(key: &str, number: usize, meaning: &Meaning, few: bool) -> Self {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let name = meaning.op.id().map_or("", |id| id.op().name());
        let numbers = match meaning.kind {
            _ if few => DrawnNumbers::Few,
            Kind::Slope => DrawnNumbers::NegativeData,
            Kind::Bias => DrawnNumbers::Sums,
            _ if name.contains("pow") => DrawnNumbers::Powers,
            _ if name.contains("shift") => DrawnNumbers::Shifts,
            _ => DrawnNumbers::Signed,
        };
        // FNV-1a.
        let state = key.bytes().chain(number.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, hash);
        Self { state, numbers }
    }

    /// Draws the elements of input `k`.
    pub(super) fn elements(&mut self, k: usize, dtype: DType, count: usize) -> Vec<u8> {
        let mut number = || {
            let bits = self.next();
            self.number(k, dtype, bits)
        };
        numbers::bytes(dtype, &(0..count).map(|_| number()).collect::<Vec<_>>())
    }

    /// Makes a number of these bits: from 0.25 to 8 in steps that f16 holds exactly, or a whole number that is not 0.
    fn number(&self, k: usize, dtype: DType, bits: u64) -> f64 {
        let size = match self.numbers {
            _ if dtype == DType::Bool => return (bits & 1) as f64,
            DrawnNumbers::Few => 1 + bits % 4,
            DrawnNumbers::Sums if k < 2 => 1 + bits % 4,
            DrawnNumbers::Powers | DrawnNumbers::Shifts if !dtype.is_float() => 1 + bits % 5,
            _ if !dtype.is_float() => 1 + bits % 100,
            DrawnNumbers::Powers => return (64 + bits % 961) as f64 / 256.0,
            _ => 64 + bits % 1985,
        } as f64;
        let whole =
            !dtype.is_float() || self.numbers == DrawnNumbers::Few || self.numbers == DrawnNumbers::Sums && k < 2;
        let size = if whole { size } else { size / 256.0 };
        let negative = match self.numbers {
            DrawnNumbers::NegativeData => k == 0,
            _ => bits >> 63 == 1,
        };
        if negative && dtype.is_float() { -size } else { size }
    }

    /// Returns the next number of splitmix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
