//! A reference of 160 bits, by a library for numbers of any length: slow, and asked only where another one cannot tell.

use astro_float::{BigFloat, Consts, RoundingMode};

const BITS: usize = 160;
const NEAREST: RoundingMode = RoundingMode::ToEven;

/// Holds the constants that have been computed so far.
pub(crate) struct Wide {
    constants: Consts,
}

/// Widens a f64 exactly; subnormal ones by way of 2^200, because the library reads them a few powers of two off.
pub(crate) fn big(x: f64) -> BigFloat {
    if x.is_normal() || x == 0.0 || !x.is_finite() {
        return BigFloat::from_f64(x, BITS);
    }
    raised(BigFloat::from_f64(x * 2f64.powi(200), BITS), -200)
}

fn raised(mut x: BigFloat, power: i32) -> BigFloat {
    if let Some(exponent) = x.exponent() {
        x.set_exponent(exponent + power);
    }
    x
}

pub(crate) fn add(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.add(b, BITS, NEAREST)
}

pub(crate) fn sub(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.sub(b, BITS, NEAREST)
}

fn mul(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.mul(b, BITS, NEAREST)
}

fn div(a: &BigFloat, b: &BigFloat) -> BigFloat {
    a.div(b, BITS, NEAREST)
}

/// Computes the cube root.
pub(crate) fn cbrt(x: &BigFloat) -> BigFloat {
    x.cbrt(BITS, NEAREST)
}

fn is_small(x: &BigFloat) -> bool {
    x.is_zero() || x.exponent().is_some_and(|exponent| exponent < -25)
}

impl Wide {
    /// Begins without constants.
    pub(crate) fn new() -> Result<Self, String> {
        Ok(Self { constants: Consts::new().map_err(|e| format!("the constants: {e}"))? })
    }

    pub(crate) fn exp(&mut self, x: &BigFloat) -> BigFloat {
        // Far beyond the range of f64 the limits do.
        if x.exponent().is_some_and(|exponent| exponent > 12) {
            return if x.is_negative() { big(0.0) } else { big(f64::INFINITY) };
        }
        x.exp(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn exp2(&mut self, x: &BigFloat) -> BigFloat {
        big(2.0).pow(x, BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn expm1(&mut self, x: &BigFloat) -> BigFloat {
        if !is_small(x) {
            return sub(&self.exp(x), &big(1.0));
        }
        // Eight terms of Taylor's series below 2^-25 leave an error of 2^-200.
        (1..=8).rev().fold(big(0.0), |sum, k| mul(&div(x, &big(f64::from(k))), &add(&big(1.0), &sum)))
    }

    pub(crate) fn log(&mut self, x: &BigFloat) -> BigFloat {
        x.ln(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn log2(&mut self, x: &BigFloat) -> BigFloat {
        x.log2(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn log10(&mut self, x: &BigFloat) -> BigFloat {
        x.log10(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn log1p(&mut self, x: &BigFloat) -> BigFloat {
        if !is_small(x) {
            return self.log(&add(&big(1.0), x));
        }
        let series = (1..=8).rev().fold(big(0.0), |sum, k| sub(&div(&big(1.0), &big(f64::from(k))), &mul(x, &sum)));
        mul(x, &series)
    }

    pub(crate) fn sin(&mut self, x: &BigFloat) -> BigFloat {
        x.sin(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn cos(&mut self, x: &BigFloat) -> BigFloat {
        x.cos(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn tan(&mut self, x: &BigFloat) -> BigFloat {
        x.tan(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn asin(&mut self, x: &BigFloat) -> BigFloat {
        x.asin(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn acos(&mut self, x: &BigFloat) -> BigFloat {
        x.acos(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn atan(&mut self, x: &BigFloat) -> BigFloat {
        x.atan(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn sinh(&mut self, x: &BigFloat) -> BigFloat {
        x.sinh(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn cosh(&mut self, x: &BigFloat) -> BigFloat {
        x.cosh(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn tanh(&mut self, x: &BigFloat) -> BigFloat {
        x.tanh(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn asinh(&mut self, x: &BigFloat) -> BigFloat {
        x.asinh(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn acosh(&mut self, x: &BigFloat) -> BigFloat {
        x.acosh(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn atanh(&mut self, x: &BigFloat) -> BigFloat {
        x.atanh(BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn pow(&mut self, x: &BigFloat, y: &BigFloat) -> BigFloat {
        x.pow(y, BITS, NEAREST, &mut self.constants)
    }

    pub(crate) fn atan2(&mut self, y: &BigFloat, x: &BigFloat) -> BigFloat {
        let pi = self.constants.pi(BITS, NEAREST);
        if x.is_zero() {
            let quarter = raised(pi, -1);
            return if y.is_negative() { quarter.neg() } else { quarter };
        }
        let angle = self.atan(&div(y, x));
        match (x.is_negative(), y.is_negative()) {
            (false, _) => angle,
            (true, false) => add(&angle, &pi),
            (true, true) => sub(&angle, &pi),
        }
    }
}
