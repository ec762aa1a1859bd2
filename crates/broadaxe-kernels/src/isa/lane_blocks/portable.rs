//! Conversions number by number: those of architectures without levels, and what the others are compared with.

use std::{array, marker::PhantomData};

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use half::{bf16, f16};

use super::{Convert16, LaneBlock, Wide};
use crate::number::Half;

/// The conversions of `H`, in order.
pub(crate) struct Portable<H>(PhantomData<H>);

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl super::PackedHalf for f16 {
    type Second = Portable<Self>;
    type Third = Portable<Self>;
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl super::PackedHalf for bf16 {
    type Second = Portable<Self>;
    type Third = Portable<Self>;
}

impl<H: Half> Convert16 for Portable<H> {
    #[inline(always)]
    unsafe fn widened(from: *const u16) -> LaneBlock {
        // SAFETY: promised by the caller.
        let element = |i: usize| H::from_bits(unsafe { from.add(i).read_unaligned() });
        array::from_fn(|row| array::from_fn(|i| element(16 * row + i).widen()))
    }
    #[inline(always)]
    unsafe fn repeated(element: u16) -> LaneBlock {
        [[H::from_bits(element).widen(); 16]; 2]
    }
    #[inline(always)]
    unsafe fn computed(wide: Wide, a: &LaneBlock, b: &LaneBlock) -> LaneBlock {
        array::from_fn(|row| array::from_fn(|i| apply(wide, a[row][i], b[row][i])))
    }
    #[inline(always)]
    unsafe fn narrow(lot: &LaneBlock, to: *mut u16) {
        for (i, &x) in lot.as_flattened().iter().enumerate() {
            // SAFETY: promised by the caller.
            unsafe { to.add(i).write_unaligned(H::narrow(x).to_bits()) };
        }
    }
}

/// Applies an operation to one number.
#[inline(always)]
fn apply(wide: Wide, a: f32, b: f32) -> f32 {
    match wide {
        Wide::Sum => a + b,
        Wide::Difference => a - b,
        Wide::Product => a * b,
        Wide::Quotient => a / b,
        Wide::Max if a.is_nan() || a > b => a,
        Wide::Min if a.is_nan() || a < b => a,
        Wide::Fmax if b.is_nan() || a > b => a,
        Wide::Fmin if b.is_nan() || a < b => a,
        Wide::Max | Wide::Min | Wide::Fmax | Wide::Fmin => b,
        Wide::Square => a * a,
        Wide::Reciprocal => 1.0 / a,
        Wide::Root => a.sqrt(),
        Wide::InverseRoot => (1.0 / f64::from(a).sqrt()) as f32,
        Wide::Floor => a.floor(),
        Wide::Ceil => a.ceil(),
        Wide::Round => a.round_ties_even(),
        Wide::Trunc => a.trunc(),
    }
}
