//! The loop of a chain: operations on f32 that it learns when it runs, with results that never leave the registers.
//!
//! Those of f16 and bf16 are operations on f32 whose results are rounded.
//!
//! A group of a few vectors is brought through all links before the next one is touched. Each link costs a few instructions more than
//! in a loop made for it, and saves the way of a result to a tile and back, and all the loops that there would be.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use crate::{dtype::DType, isa::Opcode};

/// What a link does with the number at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkAction {
    /// Takes the operand for it.
    Begin,
    /// Keeps it, and takes the operand for it.
    Keep,
    /// Computes with it and the operand.
    Opcode(Opcode),
}

/// Where a link takes its operand from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandMode {
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
    Strided,
    /// The number that was kept.
    Kept,
}

/// One operation of a chain, and its operand.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    pub(crate) act: LinkAction,
    pub(crate) feed: OperandMode,
    /// Whether the number is rounded to the dtype of the result, in the same f32.
    pub(crate) rounds: bool,
    /// Where the operand begins in the first row, and the bytes from row to row.
    pub(crate) place: *const u8,
    pub(crate) step: isize,
    /// The bytes of one of its elements.
    pub(crate) size: usize,
    /// The times that an element stands for; 1 unless elements are repeated.
    pub(crate) times: u32,
    /// The element that each result of a row has, from the first one on: `times` and a group of them, where `times` is less than `CHAIN_GROUP_ELEMENTS`.
    pub(crate) table: *const u32,
    /// The elements from one to the next, negative backwards; 1 unless they are `Apart`.
    pub(crate) apart: isize,
    /// Whether elements are fetched ahead of their use.
    pub(crate) ahead: bool,
}

/// The most links of a chain.
pub(crate) const LINKS: usize = 8;

/// The most elements that the loop computes at a time.
pub(crate) const CHAIN_GROUP_ELEMENTS: usize = 128;
