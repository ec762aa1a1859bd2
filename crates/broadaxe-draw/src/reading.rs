//! Writes which elements of the operands an element of the result is computed from.

use broadaxe_shape::Read;

use crate::words::{join, letter, tuple};

/// Writes the sum of the elements that are read, where every operand is filled 0, 1, 2, ...: `a(1,) + b(0, 1) = 1 + 1 = 2`.
pub fn sentence(reads: &[Read]) -> String {
    let terms = reads.iter().enumerate().map(|(k, read)| format!("{}{}", letter(k), tuple(read.index())));
    let values: Vec<usize> = reads.iter().map(Read::position).collect();
    format!("{} = {} = {}", join(&terms.collect::<Vec<_>>(), " + "), join(&values, " + "), sum(reads))
}

/// Adds up the elements that are read, where every operand is filled 0, 1, 2, ...
pub fn sum(reads: &[Read]) -> u128 {
    reads.iter().map(|read| read.position() as u128).sum()
}
