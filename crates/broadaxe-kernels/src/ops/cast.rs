//! Casts from any dtype to any other, and plain copies.

use std::marker::PhantomData;

use crate::{
    convert::{Origin, Target},
    dtype::Element,
    loops::Unary,
};

/// a as a `T`
pub(crate) struct Cast<T>(PhantomData<T>);

impl<A: Origin, T: Target> Unary<A> for Cast<T> {
    type Out = T;
    #[inline(always)]
    fn apply(x: A) -> T {
        x.cast()
    }
}

/// a, bit for bit; a bool as 0 or 1
pub(crate) struct Copy;

impl<T: Element> Unary<T> for Copy {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.stored()
    }
}
