//! Constants in the shape and dtype of an operand.

use crate::{loops::Unary, number::Number};

/// 0 for every element
pub(crate) struct Zeros;
/// 1 for every element
pub(crate) struct Ones;

impl<T: Number> Unary<T> for Zeros {
    type Out = T;
    #[inline(always)]
    fn apply(_: T) -> T {
        T::ZERO
    }
}

impl<T: Number> Unary<T> for Ones {
    type Out = T;
    #[inline(always)]
    fn apply(_: T) -> T {
        T::ONE
    }
}
