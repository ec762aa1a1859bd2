//! Vectors number by number: those of architectures without levels, and what the others are compared with.

use std::{
    array,
    ops::{Add, Div, Mul, Sub},
};

use half::{bf16, f16};

use super::Vector;
use crate::{
    math::float_n::{Fma, FmaDefault},
    number::Half,
};

/// Eight numbers.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct EightF32([f32; 8]);

impl EightF32 {
    #[inline(always)]
    fn with(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// Reads elements from their bits.
    // SAFETY: They can be read, at any address.
    #[inline(always)]
    unsafe fn widened<H: Half>(place: *const u16) -> Self {
        // SAFETY: promised by the caller.
        Self(array::from_fn(|i| H::from_bits(unsafe { place.add(i).read_unaligned() }).widen()))
    }

    /// Writes the bits of elements.
    // SAFETY: They can be written, at any address.
    #[inline(always)]
    unsafe fn narrow<H: Half>(self, place: *mut u16) {
        for (i, &x) in self.0.iter().enumerate() {
            // SAFETY: promised by the caller.
            unsafe { place.add(i).write_unaligned(H::narrow(x).to_bits()) };
        }
    }
}

macro_rules! arithmetic {
    ($($role:ident $name:ident $sign:tt;)+) => { $(
        impl $role for EightF32 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                self.with(other, |a, b| a $sign b)
            }
        }
    )+ };
}
arithmetic! { Add add +; Sub sub -; Mul mul *; Div div /; }

/// Defines methods that apply a function to every number.
macro_rules! each {
    ($($name:ident |$x:ident| $value:expr;)+) => { $(
        #[inline(always)]
        fn $name(self) -> Self {
            Self(self.0.map(|$x| $value))
        }
    )+ };
}

impl Vector for EightF32 {
    const N: usize = 8;
    #[inline(always)]
    unsafe fn all(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    unsafe fn load_f16(place: *const u16) -> Self {
        // SAFETY: promised by the caller.
        unsafe { Self::widened::<f16>(place) }
    }
    #[inline(always)]
    unsafe fn store_f16(self, place: *mut u16) {
        // SAFETY: promised by the caller.
        unsafe { self.narrow::<f16>(place) }
    }
    #[inline(always)]
    unsafe fn load_bf16_pair(place: *const u16) -> [Self; 2] {
        // SAFETY: promised by the caller.
        unsafe { [Self::widened::<bf16>(place), Self::widened::<bf16>(place.add(8))] }
    }
    #[inline(always)]
    unsafe fn store_bf16_pair([a, b]: [Self; 2], place: *mut u16) {
        // SAFETY: promised by the caller.
        unsafe {
            a.narrow::<bf16>(place);
            b.narrow::<bf16>(place.add(8));
        }
    }
    #[inline(always)]
    unsafe fn repeat_f16(element: u16) -> Self {
        Self([f16::from_bits(element).widen(); 8])
    }
    #[inline(always)]
    unsafe fn repeat_bf16(element: u16) -> Self {
        Self([bf16::from_bits(element).widen(); 8])
    }
    each! {
        sqrt |x| x.sqrt();
        abs |x| x.abs();
        negated |x| -x;
        relu |x| if x <= 0.0 { 0.0 } else { x };
        floor |x| x.floor();
        ceil |x| x.ceil();
        round |x| x.round_ties_even();
        trunc |x| x.trunc();
        canonical |x| if x.is_nan() { f32::NAN } else { x };
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.with(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn multiply_add(self, by: Self, plus: Self) -> Self {
        Self(array::from_fn(|i| FmaDefault::fma(self.0[i], by.0[i], plus.0[i])))
    }
    #[inline(always)]
    fn where_nan(self, yes: Self, no: Self) -> Self {
        Self(array::from_fn(|i| if self.0[i].is_nan() { yes.0[i] } else { no.0[i] }))
    }
}
