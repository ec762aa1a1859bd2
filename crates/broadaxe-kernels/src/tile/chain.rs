//! The loop of a chain: operations on f32 that it learns when it runs, with results that never leave the registers.
//!
//! Those of f16 and bf16 are operations on f32 whose results are rounded.
//!
//! A group of a few vectors is brought through all links before the next one is touched. Each link costs a few instructions more than
//! in a loop made for it, and saves the way of a result to a tile and back, and all the loops that there would be.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
use crate::dtype::{Element, bf16, f16};
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
    /// One element of this dtype, to be cast to f32.
    ConstantCast(DType),
    /// Elements of f32, each of which stands for several.
    Repeated,
    /// Elements of f16 or bf16, each of which stands for several, to be cast to f32.
    RepeatedCast(DType),
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
    /// Whether the number is rounded to the dtype of the result, in the same f32.
    pub(crate) rounds: bool,
    /// Where the operand begins in the first row, and the bytes from row to row.
    pub(crate) place: *const u8,
    pub(crate) step: isize,
    /// The bytes of one of its elements.
    pub(crate) size: usize,
    /// The times that an element stands for; 1 unless elements are repeated.
    pub(crate) times: u32,
    /// The element that each result of a row has, from the first one on: `times` and a group of them, where `times` is less than `GROUP`.
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

/// Returns the loop of chains with results of a dtype at a level, if it has one; `past` writes past the caches.
///
/// Its block names as first place a `Vec` of [`Link`]s, which say where the operands are.
#[cfg(target_arch = "x86_64")]
pub(crate) fn chained(isa: Isa, output: DType, past: bool) -> Option<Loop> {
    use super::links::Chained;
    use crate::isa::{
        LEVELS,
        floats::{Floats8, Floats16},
        wide,
    };
    const fn both<R: Element>() -> [[Option<Loop>; LEVELS]; 2] {
        [
            wide::<Chained<Floats8, R, false>, Chained<Floats16, R, false>>(),
            wide::<Chained<Floats8, R, true>, Chained<Floats16, R, true>>(),
        ]
    }
    static LOOPS: [[[Option<Loop>; LEVELS]; 2]; 3] = [both::<f32>(), both::<f16>(), both::<bf16>()];
    let loops = match output {
        DType::F32 => &LOOPS[0],
        DType::F16 => &LOOPS[1],
        DType::BF16 => &LOOPS[2],
        _ => return None,
    };
    loops[usize::from(past)][isa.index()]
}

/// Returns the loop of chains at a level: none has one here.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn chained(_: Isa, _: DType, _: bool) -> Option<Loop> {
    None
}
