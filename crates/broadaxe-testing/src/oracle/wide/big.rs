//! Floats of many bits.

use std::{
    cell::RefCell,
    ops::{Add, Div, Mul, Neg, Sub},
};

use astro_float::{BigFloat, Consts, RoundingMode, Sign};

use crate::oracle::round::power_of_two;

const NEAREST: RoundingMode = RoundingMode::ToEven;

thread_local! {
    static CONSTS: RefCell<Consts> = RefCell::new(Consts::new().expect("memory for a few constants"));
}

/// A number of as many bits as it was made with; a result has the bits of the operand that has more.
#[derive(Clone)]
pub(super) struct Big {
    number: BigFloat,
    bits: usize,
}

/// Names the functions of one operand, all of one form.
type BigFunction = fn(&BigFloat, usize, RoundingMode, &mut Consts) -> BigFloat;

impl Big {
    pub(super) fn new(x: f64, bits: usize) -> Self {
        let whole = |x| Self { number: BigFloat::from_f64(x, bits), bits };
        // A subnormal number is read as a normal one, and scaled afterwards.
        if x.is_subnormal() { whole(x * power_of_two(200)) / whole(power_of_two(200)) } else { whole(x) }
    }

    pub(super) fn pi(bits: usize) -> Self {
        Self { number: CONSTS.with_borrow_mut(|consts| consts.pi(bits, NEAREST)), bits }
    }

    pub(super) fn ln_2() -> Self {
        Self { number: CONSTS.with_borrow_mut(|consts| consts.ln_2(256, NEAREST)), bits: 256 }
    }

    fn apply(&self, function: BigFunction) -> Self {
        let number = CONSTS.with_borrow_mut(|consts| function(&self.number, self.bits, NEAREST, consts));
        Self { number, bits: self.bits }
    }

    pub(super) fn sqrt(&self) -> Self {
        Self { number: self.number.sqrt(self.bits, NEAREST), bits: self.bits }
    }

    /// Returns the exponent of two just above the number's size; the least there is for 0.
    pub(super) fn exponent(&self) -> i32 {
        if self.number.is_zero() { i32::MIN / 2 } else { self.number.exponent().unwrap_or(i32::MIN / 2) }
    }

    /// Rounds to `f64`, ties to even, once.
    ///
    /// The number is a fraction of words, at least 64 bits, the most significant last and its top bit set, times a power
    /// of two.
    pub(super) fn to_f64(&self) -> f64 {
        let Some((words, _, sign, exponent, _)) = self.number.as_raw_parts() else {
            return if self.number.is_inf_pos() {
                f64::INFINITY
            } else if self.number.is_inf_neg() {
                f64::NEG_INFINITY
            } else {
                f64::NAN
            };
        };
        // As bytes, for words have 32 bits on some targets.
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let top = bytes.last_chunk().map_or(0, |&top| u64::from_le_bytes(top));
        let size = round_words(top, bytes.iter().rev().skip(8).any(|&byte| byte != 0), exponent);
        if sign == Sign::Neg { -size } else { size }
    }
}

/// Rounds `top` / 2^64 * 2^`exponent`, more or less: `more` says that it is a little more.
fn round_words(top: u64, more: bool, exponent: i32) -> f64 {
    if top == 0 || exponent < -1074 {
        return 0.0;
    }
    if exponent > 1024 {
        return f64::INFINITY;
    }
    // Below the least normal number fewer bits are kept, down to none.
    let kept = if exponent > -1022 { 53 } else { 53 - (-1021 - exponent) };
    let cut = 64 - kept as u32;
    let (whole, rest, half) = if cut == 64 {
        (0, u128::from(top), 1 << 63)
    } else {
        (top >> cut, u128::from(top) & ((1 << cut) - 1), 1u128 << (cut - 1))
    };
    let up = rest > half || (rest == half && (more || whole & 1 == 1));
    let whole = (whole + u64::from(up)) as f64;
    // Multiplied in two steps, so that neither power leaves f64.
    let quantum = exponent - kept;
    let first = quantum / 2;
    whole * power_of_two(first) * power_of_two(quantum - first)
}

macro_rules! functions {
    ($($name:ident),*) => {
        impl Big {
            $(pub(super) fn $name(&self) -> Self {
                self.apply(BigFloat::$name)
            })*
        }
    };
}
functions!(exp, ln, log2, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh);

impl Add for Big {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let bits = self.bits.max(other.bits);
        Self { number: self.number.add(&other.number, bits, NEAREST), bits }
    }
}

impl Sub for Big {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let bits = self.bits.max(other.bits);
        Self { number: self.number.sub(&other.number, bits, NEAREST), bits }
    }
}

impl Mul for Big {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let bits = self.bits.max(other.bits);
        Self { number: self.number.mul(&other.number, bits, NEAREST), bits }
    }
}

impl Div for Big {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let bits = self.bits.max(other.bits);
        Self { number: self.number.div(&other.number, bits, NEAREST), bits }
    }
}

impl Neg for Big {
    type Output = Self;
    fn neg(self) -> Self {
        Self { number: BigFloat::neg(&self.number), bits: self.bits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let cases = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1.5e-323,
            f64::MIN_POSITIVE - 5e-324,
            1e22,
            -1e-310,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ];
        for x in cases {
            assert_eq!(Big::new(x, 256).to_f64(), x, "{x:e}");
        }
        // Half of the least number is a tie and goes to even; a little more goes up.
        let least = || Big::new(5e-324, 256);
        assert_eq!((least() / Big::new(2.0, 256)).to_f64(), 0.0);
        assert_eq!((least() / Big::new(1.999, 256)).to_f64(), 5e-324);
        assert_eq!((least() * Big::new(1.5, 256)).to_f64(), 1e-323);
        assert_eq!((Big::new(f64::MAX, 256) * Big::new(2.0, 256)).to_f64(), f64::INFINITY);
        let third = Big::new(1.0, 256) / Big::new(3.0, 256);
        assert_eq!(third.to_f64(), 1.0 / 3.0);
    }
}
