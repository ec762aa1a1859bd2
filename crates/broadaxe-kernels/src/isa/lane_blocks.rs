//! Elements of 16 bits as vectors of f32, for loops that compute a lane block of them at a time in registers.

#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::halves::Wide;
use crate::number::Half;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::{FOLLOWING, kept4, kept8, raised8, raised16, rounded16};

/// A lane block: numbers that are computed at a time. Their order is that of the conversion that widens and narrows
/// them.
pub(crate) type LaneBlock = [[f32; 16]; 2];

/// The conversions of a dtype of 16 bits at a level, a lane block at a time.
pub(crate) trait Convert16: 'static {
    /// Widens contiguous elements; exact.
    ///
    /// # Safety
    /// A lane block of elements can be read, at any address. The CPU supports the level.
    unsafe fn widened(from: *const u16) -> LaneBlock;
    /// Repeats one widened element; exact. The compiler does not learn that all are equal, because it would then split
    /// the vectors.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn repeated(element: u16) -> LaneBlock;
    /// Computes; a NaN need not be the canonical one.
    ///
    /// # Safety
    /// The CPU supports the level.
    unsafe fn computed(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock;
    /// Rounds to nearest, ties to even. Any NaN becomes the canonical one; for bf16, a NaN must have no bits below
    /// those of bf16.
    ///
    /// # Safety
    /// A lane block of elements can be written, at any address. The CPU supports the level.
    unsafe fn narrow(lot: &LaneBlock, to: *mut u16);
}

/// A dtype of 16 bits with its conversions.
pub(crate) trait PackedHalf: Half {
    /// The conversions of the second level.
    type Second: Convert16;
    /// The conversions of the third level, or of the second where it is the last.
    type Third: Convert16;
}

#[cfg(test)]
mod tests;
