//! Logic on truth values.

use crate::{
    dtype::Bool,
    loops::{Binary, Unary},
};

/// not a
pub(crate) struct LogicalNot;

impl Unary<Bool> for LogicalNot {
    type Out = Bool;
    #[inline(always)]
    fn apply(x: Bool) -> Bool {
        (!x.get()).into()
    }
}

macro_rules! logical {
    ($(#[$doc:meta] $name:ident $sign:tt;)+) => { $(
        #[$doc]
        pub(crate) struct $name;
        impl Binary<Bool> for $name {
            type Out = Bool;
            const COMMUTES: bool = true;
            #[inline(always)]
            fn apply(a: Bool, b: Bool) -> Bool {
                (a.get() $sign b.get()).into()
            }
        }
    )+ };
}
logical! {
    /// a and b
    LogicalAnd &;
    /// a or b
    LogicalOr |;
    /// a or b, not both
    LogicalXor ^;
}
