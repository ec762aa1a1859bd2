//! The operations of chains: f32 operations that one loop interprets, with intermediate results in registers.
//!
//! Operations on f16 and bf16 are f32 operations whose results are rounded.
//!
//! The loop applies all links to a group of a few vectors before it starts the next group. A link costs a few
//! instructions more than in a specialised loop, but saves writing a result to a tile and reading it back, and a loop
//! for every combination.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use crate::{
    dtype::DType,
    isa::{Loop, Opcode},
};

/// The action of a link on the current number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkAction {
    /// Replaces it by the operand.
    Begin,
    /// Saves it, and replaces it by the operand.
    Keep,
    /// Applies an operation to it and the operand.
    Apply(Opcode),
}

/// The operand of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandMode {
    /// Contiguous elements of f32.
    Dense,
    /// Contiguous elements of this dtype, cast to f32.
    Cast(DType),
    /// One f32.
    Constant,
    /// One element of this dtype, cast to f32.
    ConstantCast(DType),
    /// Elements of f32, each repeated several times.
    Repeated,
    /// Elements of f16 or bf16, each repeated several times, cast to f32.
    RepeatedCast(DType),
    /// Strided elements of f32.
    Strided,
    /// The saved number.
    Kept,
}

/// How elements of an operand are prefetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// Not at all.
    No,
    /// Into the first-level cache, [`PREFETCH_BYTES`](crate::measured::PREFETCH_BYTES) ahead.
    First,
    /// Into the second-level cache, [`FAR_PREFETCH_BYTES`](crate::measured::FAR_PREFETCH_BYTES) ahead.
    Second,
}

/// One operation of a chain, and its operand.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    pub(crate) act: LinkAction,
    pub(crate) feed: OperandMode,
    /// Whether the result is rounded to the dtype of the output, in f32.
    pub(crate) rounds: bool,
    /// The address of the operand in the first row, and the bytes between rows.
    pub(crate) place: *const u8,
    pub(crate) step: isize,
    /// The bytes of an element.
    pub(crate) size: usize,
    /// How often an element is repeated; 1 unless elements are repeated.
    pub(crate) times: u32,
    /// The element index of each result of a row, from the first one on: `times` and a group of them, if `times` is
    /// less than `CHAIN_GROUP_ELEMENTS`.
    pub(crate) table: *const u32,
    /// The stride in elements, which may be negative; 1 unless the mode is `Strided`.
    pub(crate) apart: isize,
    pub(crate) ahead: Ahead,
}

/// Rows of a chain.
pub(crate) struct ChainBlock {
    /// The operations, with the access pattern of each operand along a row.
    pub(crate) links: *const [Link],
    pub(crate) rows: usize,
    /// The elements of a row.
    pub(crate) n: usize,
    /// Where the first row of the result begins, and the bytes from row to row.
    pub(crate) out: *mut u8,
    pub(crate) out_step: isize,
}

/// The loop of chains.
///
/// # Safety
/// Every operand is readable as its link says, in every row, and the result writable, which overlaps no operand.
pub(crate) type ChainLoop = Loop<ChainBlock>;

/// The most links of a chain.
pub(crate) const LINKS: usize = 12;

/// The most elements that the loop computes at a time.
pub(crate) const CHAIN_GROUP_ELEMENTS: usize = 128;
