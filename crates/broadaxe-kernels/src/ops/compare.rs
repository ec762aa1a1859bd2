//! Comparison: every NaN is unequal to and unordered with everything.

use crate::{
    dtype::{Bool, Element},
    loops::{Binary, Unary},
    number::{Number, Real},
};

/// a == b
pub struct Equal;
/// a != b
pub struct NotEqual;
/// a < b
pub struct Less;
/// a <= b
pub struct LessEqual;
/// a > b
pub struct Greater;
/// a >= b
pub struct GreaterEqual;
/// a is a NaN
pub struct IsNan;
/// a is an infinity
pub struct IsInf;
/// a is neither NaN nor an infinity
pub struct IsFinite;

impl<T: Element + PartialEq> Binary<T> for Equal {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a == b).into()
    }
}

impl<T: Element + PartialEq> Binary<T> for NotEqual {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a != b).into()
    }
}

impl<T: Element + PartialOrd> Binary<T> for Less {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a < b).into()
    }
}

impl<T: Element + PartialOrd> Binary<T> for LessEqual {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a <= b).into()
    }
}

impl<T: Element + PartialOrd> Binary<T> for Greater {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a > b).into()
    }
}

impl<T: Element + PartialOrd> Binary<T> for GreaterEqual {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: T, b: T) -> Bool {
        (a >= b).into()
    }
}

impl<T: Number> Unary<T> for IsNan {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: T) -> Bool {
        x.is_nan().into()
    }
}

impl<T: Real> Unary<T> for IsInf {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: T) -> Bool {
        x.is_infinite().into()
    }
}

impl<T: Real> Unary<T> for IsFinite {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: T) -> Bool {
        (!x.is_infinite() && !x.is_nan()).into()
    }
}
