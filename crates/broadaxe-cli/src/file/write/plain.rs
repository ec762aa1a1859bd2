//! Holds an array that is written.

use std::io::{self, Write};

use broadaxe_kernels::DType;

/// A contiguous row-major array in native byte order.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    /// The dtype.
    pub dtype: DType,
    /// The shape.
    pub shape: &'a [usize],
    /// The elements.
    pub bytes: &'a [u8],
}

/// How much is written at once.
const BLOCK: usize = 8 << 20;

/// Writes bytes, block by block.
///
/// # Errors
/// What the writer answers.
pub(super) fn write_blocks(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    bytes.chunks(BLOCK).try_for_each(|block| out.write_all(block))
}
