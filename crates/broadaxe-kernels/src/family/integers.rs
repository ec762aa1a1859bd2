//! Families of integer operators that reject some operands: quotients, remainders and powers.

use std::marker::PhantomData;

use super::{costly_picos, gather, heavy_loops, plain, seldom_loops, streamed};
use crate::{
    division::Dividend,
    dtype::Element,
    isa::{LEVELS, each, narrow},
    loops::{Binary, ByPrecomputed, Guard, Kernel, Rejects, Variant},
    math::float_n::{FmaDefault, FmaHardware},
    number::Integer,
    op::Kernels,
    ops::arith::ZeroDivisor,
    tile::{Guarded, TwoPrecomputed, first_rejected, powers::IntegerPowers},
};

/// The loops of an operator that rejects what `R` rejects.
struct GuardedLoops<O, R, T>(PhantomData<(O, R, T)>);

impl<O: ByPrecomputed<T>, T: Dividend> GuardedLoops<O, ZeroDivisor, T> {
    const DIVIDED: &'static [Variant] = &[heavy_loops::<Guarded<O, ZeroDivisor, T, 0>>(0), divided_by::<O, T>()];
    const SELDOM: &'static [Variant] = &[seldom_loops::<Guarded<O, ZeroDivisor, T, 0>>(0), seldom_divided_by::<O, T>()];
}

impl<O: Binary<T, Out = T>, R: Rejects<T>, T: Integer> GuardedLoops<O, R, T> {
    const POWERS: &'static [Variant] =
        &[heavy_loops::<Guarded<O, R, T, 0>>(0), heavy_loops::<IntegerPowers<O, R, T>>(2)];
    const SELDOM_POWERS: &'static [Variant] =
        &[seldom_loops::<Guarded<O, R, T, 0>>(0), seldom_loops::<IntegerPowers<O, R, T>>(2)];
}

/// The loops of a division by one divisor.
const fn divided_by<O: ByPrecomputed<T>, T: Dividend>() -> Variant {
    type L<O, T> = TwoPrecomputed<O, T, FmaHardware>;
    // Streaming loops precompute the divisor for every few cache lines, which is too slow for 64 bits.
    let past = if size_of::<T>() < 8 { streamed::<L<O, T>, L<O, T>>() } else { [None; LEVELS] };
    Variant { past, ..Variant::new(2, each::<TwoPrecomputed<O, T, FmaDefault>, L<O, T>, L<O, T>>()) }
}

/// The same for a rare dtype or operator.
const fn seldom_divided_by<O: ByPrecomputed<T>, T: Dividend>() -> Variant {
    Variant::new(2, narrow::<TwoPrecomputed<O, T, FmaDefault>, TwoPrecomputed<O, T, FmaHardware>>())
}

const fn guarded<O: Binary<T>, R: Rejects<T>, T: Element>(variants: &'static [Variant]) -> Kernel {
    let mut kernel = plain([T::DTYPE; 3], 2, <O::Out as Element>::DTYPE, variants);
    kernel.guard = Some(Guard { what: R::WHAT, first: first_rejected::<R, T> });
    kernel.picos = if T::DTYPE.size() < 4 { 100 } else { costly_picos(T::DTYPE) };
    kernel
}

/// Two integers, the second not zero, with a loop for a constant divisor.
pub(super) const fn divided<O: ByPrecomputed<T>, T: Dividend>() -> Kernel {
    guarded::<O, ZeroDivisor, T>(GuardedLoops::<O, ZeroDivisor, T>::DIVIDED)
}

/// The same for a rare dtype or operator.
pub(super) const fn seldom_divided<O: ByPrecomputed<T>, T: Dividend>() -> Kernel {
    guarded::<O, ZeroDivisor, T>(GuardedLoops::<O, ZeroDivisor, T>::SELDOM)
}

const fn power<O: Binary<T, Out = T>, R: Rejects<T>, T: Integer>() -> Kernel {
    guarded::<O, R, T>(GuardedLoops::<O, R, T>::POWERS)
}

const fn seldom_power<O: Binary<T, Out = T>, R: Rejects<T>, T: Integer>() -> Kernel {
    guarded::<O, R, T>(GuardedLoops::<O, R, T>::SELDOM_POWERS)
}

/// Every integer, a base and an exponent, without the pairs that `R` rejects.
pub(crate) const fn integer_powers<O, R>() -> Kernels
where
    O: Binary<i8, Out = i8> + Binary<i16, Out = i16> + Binary<i32, Out = i32> + Binary<i64, Out = i64>,
    O: Binary<u8, Out = u8> + Binary<u16, Out = u16> + Binary<u32, Out = u32> + Binary<u64, Out = u64>,
    R: Rejects<i8> + Rejects<i16> + Rejects<i32> + Rejects<i64>,
    R: Rejects<u8> + Rejects<u16> + Rejects<u32> + Rejects<u64>,
{
    gather([
        seldom_power::<O, R, i8>(),
        seldom_power::<O, R, i16>(),
        power::<O, R, i32>(),
        power::<O, R, i64>(),
        seldom_power::<O, R, u8>(),
        seldom_power::<O, R, u16>(),
        seldom_power::<O, R, u32>(),
        seldom_power::<O, R, u64>(),
    ])
}
