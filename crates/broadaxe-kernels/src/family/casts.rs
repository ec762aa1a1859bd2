//! Casts: a kernel for every pair of dtypes.

use super::{ElementLoops, one, one_half, seldom};
#[cfg(test)]
use crate::op::unit_tests;
use crate::{
    convert::{Origin, Target},
    dtype::{Bool, DType, Family, bf16, f16},
    loops::{Kernel, Variant},
    ops::cast::Cast,
};

impl<O: Origin, T: Target> ElementLoops<(Cast<T>, O, f32)> {
    /// Casts between f16 and f32.
    const CAST_HALF: &'static [Variant] = &[one_half::<Cast<T>, Cast<f32>, O>()];
}

/// Makes a kernel for every dtype, in their order.
macro_rules! of_every_dtype {
    ($make:ident $(, $first:ty)?) => {
        [
            $make::<$($first,)? Bool>(),
            $make::<$($first,)? i8>(),
            $make::<$($first,)? i16>(),
            $make::<$($first,)? i32>(),
            $make::<$($first,)? i64>(),
            $make::<$($first,)? u8>(),
            $make::<$($first,)? u16>(),
            $make::<$($first,)? u32>(),
            $make::<$($first,)? u64>(),
            $make::<$($first,)? f16>(),
            $make::<$($first,)? bf16>(),
            $make::<$($first,)? f32>(),
            $make::<$($first,)? f64>(),
        ]
    };
}

/// Casts an element to an integer of `bytes` bytes; the bits do not depend on its signedness.
const fn to_width<A: Origin>(bytes: usize) -> Kernel {
    match bytes {
        1 => one::<Cast<u8>, A>(),
        2 => seldom::<Cast<u16>, A>(),
        4 => one::<Cast<u32>, A>(),
        _ => one::<Cast<u64>, A>(),
    }
}

/// The same from a rare dtype.
const fn seldom_to_width<A: Origin>(bytes: usize) -> Kernel {
    match bytes {
        1 => seldom::<Cast<u8>, A>(),
        2 => seldom::<Cast<u16>, A>(),
        4 => seldom::<Cast<u32>, A>(),
        _ => seldom::<Cast<u64>, A>(),
    }
}

/// Casts an integer or a bool to an integer through the loops of their widths: the sign matters only if the number
/// widens.
const fn by_width(from: DType, to: DType) -> Kernel {
    let kernel = match from {
        DType::Bool => to_width::<Bool>(to.size()),
        DType::I8 if to.size() > 1 => to_width::<i8>(to.size()),
        DType::I16 if to.size() > 2 => seldom_to_width::<i16>(to.size()),
        DType::I32 if to.size() > 4 => to_width::<i32>(to.size()),
        _ => match from.size() {
            1 => to_width::<u8>(to.size()),
            2 => seldom_to_width::<u16>(to.size()),
            4 => to_width::<u32>(to.size()),
            _ => to_width::<u64>(to.size()),
        },
    };
    Kernel { inputs: [from; 3], output: to, ..kernel }
}

/// Says whether a cast between a float or a bool and another dtype is rare: those of integers that few arrays have, and of halves
/// other than to f32 and back.
const fn is_rare_cast(from: DType, to: DType) -> bool {
    const fn is_rare(dtype: DType) -> bool {
        matches!(dtype, DType::I16 | DType::U16 | DType::U32 | DType::U64)
    }
    let halves = from.is_half() || to.is_half();
    is_rare(from) || is_rare(to) || halves && !matches!((from, to), (DType::F32, _) | (_, DType::F32))
}

const fn casts_from<A: Origin>() -> [Kernel; 13] {
    const fn to<A: Origin, T: Target>() -> Kernel {
        let kernel = if is_rare_cast(A::DTYPE, T::DTYPE) { seldom::<Cast<T>, A>() } else { one::<Cast<T>, A>() };
        match (A::DTYPE, T::DTYPE) {
            (DType::F16, DType::F32) | (DType::F32, DType::F16) => {
                return Kernel { variants: ElementLoops::<(Cast<T>, A, f32)>::CAST_HALF, ..kernel };
            }
            _ => {}
        }
        match (A::DTYPE.family(), T::DTYPE.family()) {
            (Family::Float, _) | (_, Family::Float | Family::Bool) => kernel,
            _ => by_width(A::DTYPE, T::DTYPE),
        }
    }
    let casts = of_every_dtype!(to, A);
    #[cfg(test)]
    let casts = unit_tests::casts_run(A::DTYPE, casts);
    casts
}

static CASTS: [[Kernel; 13]; 13] = of_every_dtype!(casts_from);

/// Returns the kernel that casts one dtype to another.
pub fn cast(from: DType, to: DType) -> &'static Kernel {
    &CASTS[from as usize][to as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_stand_where_their_dtypes_say() {
        for from in DType::ALL {
            for to in DType::ALL {
                assert_eq!((cast(from, to).inputs(), cast(from, to).output()), (&[from][..], to));
            }
        }
    }
}
