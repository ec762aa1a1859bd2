//! Logic on truth values.

use crate::{
    dtype::Bool,
    loops::{Binary, Unary},
};

/// a and b
pub struct And;
/// a or b
pub struct Or;
/// a or b, not both
pub struct Xor;
/// not a
pub struct Not;

impl Binary<Bool> for And {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() & b.get()).into()
    }
}

impl Binary<Bool> for Or {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() | b.get()).into()
    }
}

impl Binary<Bool> for Xor {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() ^ b.get()).into()
    }
}

impl Unary<Bool> for Not {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: Bool) -> Bool {
        (!x.get()).into()
    }
}
