//! The loop of a chain: operations on f32 that it learns when it runs, with results that never leave the registers.
//!
//! A group of a few vectors is brought through all links before the next one is touched. Each link costs a few instructions more than
//! in a loop made for it, and saves the way of a result to a tile and back, and all the loops that there would be.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use crate::{
    dtype::DType,
    isa::{Isa, Join, Loop},
};

/// What a link does with the number at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Takes the operand for it.
    Begin,
    /// Keeps it, and takes the operand for it.
    Keep,
    /// Computes with it and the operand.
    Join(Join),
}

/// Where a link takes its operand from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feed {
    /// Elements of f32, one after the other.
    Dense,
    /// Elements of this dtype, one after the other, to be cast to f32.
    Cast(DType),
    /// One f32.
    Constant,
    /// Elements of f32, each of which stands for several.
    Repeated,
    /// Elements of f32 that lie apart.
    Apart,
    /// The number that was kept.
    Kept,
}

/// One operation of a chain, and its operand.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    pub(crate) act: Act,
    pub(crate) feed: Feed,
    /// Where the operand begins in the first row, and the bytes from row to row.
    pub(crate) place: *const u8,
    pub(crate) step: isize,
    /// The bytes of one of its elements.
    pub(crate) size: usize,
    /// The times that an element stands for; 1 unless it is `Repeated`.
    pub(crate) times: u32,
    /// The element that each result of a row has, from the first one on: `times` and a group of them.
    pub(crate) table: *const u32,
    /// The elements from one to the next, negative backwards; 1 unless they are `Apart`.
    pub(crate) apart: isize,
    /// Whether elements are fetched ahead of their use.
    pub(crate) ahead: bool,
}

/// The most links of a chain.
pub(crate) const LINKS: usize = 8;

/// The most elements that the loop computes at a time.
pub(crate) const GROUP: usize = 128;

/// Returns the loop of chains at a level, if it has one; `past` writes past the caches.
///
/// Its block names as first place a `Vec` of [`Link`]s, which say where the operands are.
#[cfg(target_arch = "x86_64")]
pub(crate) fn chained(isa: Isa, past: bool) -> Option<Loop> {
    use super::links::Chained;
    use crate::isa::{
        LEVELS,
        floats::{Floats8, Floats16},
        wide,
    };
    static LOOPS: [[Option<Loop>; LEVELS]; 2] = [
        wide::<Chained<Floats8, false>, Chained<Floats16, false>>(),
        wide::<Chained<Floats8, true>, Chained<Floats16, true>>(),
    ];
    LOOPS[usize::from(past)][isa.index()]
}

/// Returns the loop of chains at a level: none has one here.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn chained(_: Isa, _: bool) -> Option<Loop> {
    None
}
