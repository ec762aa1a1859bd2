//! Logic on truth values.

use crate::{
    dtype::Bool,
    loops::{Binary, Unary},
};

/// a and b
pub(crate) struct LogicalAnd;
/// a or b
pub(crate) struct LogicalOr;
/// a or b, not both
pub(crate) struct LogicalXor;
/// not a
pub(crate) struct LogicalNot;

impl Binary<Bool> for LogicalAnd {
    type Out = Bool;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() & b.get()).into()
    }
}

impl Binary<Bool> for LogicalOr {
    type Out = Bool;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: Bool, b: Bool) -> Bool {
        (a.get() | b.get()).into()
    }
}

impl Binary<Bool> for LogicalXor {
    type Out = Bool;
    const COMMUTES: bool = true;
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
