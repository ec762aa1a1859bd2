//! Logic on truth values.

use crate::{
    dtype::Bool,
    loops::{Binary, Unary},
};

/// a and b
pub struct LogicalAnd;
/// a or b
pub struct LogicalOr;
/// a or b, not both
pub struct LogicalXor;
/// not a
pub struct LogicalNot;

impl Binary<Bool> for LogicalAnd {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() & b.get()).into()
    }
}

impl Binary<Bool> for LogicalOr {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() | b.get()).into()
    }
}

impl Binary<Bool> for LogicalXor {
    type Out = Bool;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() ^ b.get()).into()
    }
}

impl Unary<Bool> for LogicalNot {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: Bool) -> Bool {
        (!x.get()).into()
    }
}
