//! Choice between elements.

use crate::{
    dtype::{Bool, Element},
    loops::Ternary,
    number::Number,
};

/// b where a holds, else c
pub(crate) struct Where;
/// a, at least b and at most c
pub(crate) struct Clamp;

impl<T: Element> Ternary<Bool, T> for Where {
    type Out = T;
    #[inline(always)]
    fn apply(a: Bool, b: T, c: T) -> T {
        if a.get() { b.stored() } else { c.stored() }
    }
}

impl<T: Number> Ternary<T, T> for Clamp {
    type Out = T;
    /// The upper bound wins over the lower one; a NaN in any operand propagates.
    #[inline(always)]
    fn apply(a: T, b: T, c: T) -> T {
        let raised = if a.is_below(b) { b } else { a };
        let lowered = if c.is_below(raised) { c } else { raised };
        // Bounds are mostly the same for all elements, and so is this choice.
        let bound = if b.is_nan() { b } else { c };
        let result = if bound.is_nan() { bound } else { lowered };
        result.canonical()
    }
}
