//! Two operations at once: a sum, difference or product, and another one with its result and a third operand.
//!
//! Each is rounded separately. This saves writing the first result to a tile and reading it back, which costs as much
//! as the arithmetic.

use std::ops::{Add, Mul, Sub};

use crate::{loops::Ternary, number::Number};

/// The sum of the first two operands.
pub(crate) const SUM: u8 = 0;
/// The difference of the first two operands.
pub(crate) const DIFFERENCE: u8 = 1;
/// The product of the first two operands.
pub(crate) const PRODUCT: u8 = 2;
/// The third operand minus the result of the first operation; only as a second one.
pub(crate) const REVERSED: u8 = 3;

/// (a FIRST b) SECOND c
pub(crate) struct Pair<const FIRST: u8, const SECOND: u8>;

impl<T, const FIRST: u8, const SECOND: u8> Ternary<T> for Pair<FIRST, SECOND>
where
    T: Number + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T, c: T) -> T {
        // A NaN of the first operation need not be canonical: the second makes it so.
        let first = match FIRST {
            SUM => a + b,
            DIFFERENCE => a - b,
            _ => a * b,
        };
        match SECOND {
            SUM => Number::add(first, c),
            DIFFERENCE => Number::sub(first, c),
            PRODUCT => Number::mul(first, c),
            _ => Number::sub(c, first),
        }
    }
}
