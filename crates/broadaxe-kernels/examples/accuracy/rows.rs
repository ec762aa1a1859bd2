//! The functions that are measured, each with its references and the range it is mostly used in.

use astro_float::BigFloat;

use crate::{
    double::{self, Exact},
    wide::{self, Wide},
};

/// Knows what a function of f64 is, to more bits.
#[derive(Clone, Copy)]
pub(crate) enum Reference<Quick, Slow, Sum> {
    /// A function of f64 that rounds correctly nearly always, and one of 160 bits for where ours differs from it.
    Close(Quick, Slow),
    /// A sum of two f64.
    Double(Sum),
}

pub(crate) type Unary = Reference<fn(f64) -> f64, fn(&mut Wide, &BigFloat) -> BigFloat, fn(f64) -> Exact>;
pub(crate) type Binary =
    Reference<fn(f64, f64) -> f64, fn(&mut Wide, &BigFloat, &BigFloat) -> BigFloat, fn(f64, f64) -> Exact>;

/// Holds the references of a function of one number or of two.
#[derive(Clone, Copy)]
pub(crate) enum Row {
    One {
        /// Is the reference for f32, in f64.
        narrow: fn(f64) -> f64,
        wide: Unary,
        /// Is -1 for an odd function, 1 for an even one, and 0 for others.
        parity: i8,
    },
    Two {
        narrow: fn(f64, f64) -> f64,
        wide: Binary,
    },
}

/// Is a row: the operator's name, the usual range, the references.
pub(crate) type Line = (&'static str, (f64, f64), Row);

const fn close(
    name: &'static str,
    range: (f64, f64),
    quick: fn(f64) -> f64,
    slow: fn(&mut Wide, &BigFloat) -> BigFloat,
) -> Line {
    (name, range, Row::One { narrow: quick, wide: Reference::Close(quick, slow), parity: 0 })
}

const fn mirrored((name, range, row): Line, sign: i8) -> Line {
    let row = if let Row::One { narrow, wide, .. } = row { Row::One { narrow, wide, parity: sign } } else { row };
    (name, range, row)
}

const fn summed(name: &'static str, range: (f64, f64), narrow: fn(f64) -> f64, sum: fn(f64) -> Exact) -> Line {
    (name, range, Row::One { narrow, wide: Reference::Double(sum), parity: 0 })
}

#[rustfmt::skip]
pub(crate) static ROWS: &[Line] = &[
    close("exp", (-50.0, 50.0), pxfm::f_exp, Wide::exp),
    close("exp2", (-50.0, 50.0), pxfm::f_exp2, Wide::exp2),
    close("expm1", (-5.0, 5.0), pxfm::f_expm1, Wide::expm1),
    close("log", (0.0, 100.0), pxfm::f_log, Wide::log),
    close("log2", (0.0, 100.0), pxfm::f_log2, Wide::log2),
    close("log10", (0.0, 100.0), pxfm::f_log10, Wide::log10),
    close("log1p", (-1.0, 10.0), pxfm::f_log1p, Wide::log1p),
    mirrored(close("sin", (-20.0, 20.0), pxfm::f_sin, Wide::sin), -1),
    mirrored(close("cos", (-20.0, 20.0), pxfm::f_cos, Wide::cos), 1),
    mirrored(close("tan", (-20.0, 20.0), pxfm::f_tan, Wide::tan), -1),
    mirrored(close("asin", (-1.0, 1.0), pxfm::f_asin, Wide::asin), -1),
    close("acos", (-1.0, 1.0), pxfm::f_acos, Wide::acos),
    mirrored(close("atan", (-10.0, 10.0), pxfm::f_atan, Wide::atan), -1),
    mirrored(close("sinh", (-10.0, 10.0), pxfm::f_sinh, Wide::sinh), -1),
    mirrored(close("cosh", (-10.0, 10.0), pxfm::f_cosh, Wide::cosh), 1),
    mirrored(close("tanh", (-10.0, 10.0), pxfm::f_tanh, Wide::tanh), -1),
    mirrored(close("asinh", (-10.0, 10.0), pxfm::f_asinh, Wide::asinh), -1),
    close("acosh", (1.0, 20.0), pxfm::f_acosh, Wide::acosh),
    mirrored(close("atanh", (-1.0, 1.0), pxfm::f_atanh, Wide::atanh), -1),
    mirrored(close("cbrt", (-100.0, 100.0), pxfm::f_cbrt, |_, x| wide::cbrt(x)), -1),
    mirrored(summed("erf", (-6.0, 6.0), pxfm::f_erf, double::erf), -1),
    summed("sigmoid", (-40.0, 40.0), sigmoid, double::sigmoid),
    summed("silu", (-40.0, 40.0), silu, double::silu),
    summed("softplus", (-40.0, 40.0), softplus, double::softplus),
    summed("gelu", (-10.0, 10.0), gelu, double::gelu),
    summed("gelu_tanh", (-10.0, 10.0), gelu_tanh, double::gelu_tanh),
    summed("hardswish", (-4.0, 4.0), hardswish, double::hardswish),
    summed("rsqrt", (0.0, 100.0), rsqrt, double::rsqrt),
    ("pow", (0.0, 100.0), Row::Two { narrow: pxfm::f_pow, wide: Reference::Close(pxfm::f_pow, Wide::pow) }),
    ("float_power", (0.0, 100.0), Row::Two { narrow: pxfm::f_pow, wide: Reference::Close(pxfm::f_pow, Wide::pow) }),
    ("atan2", (-10.0, 10.0), Row::Two { narrow: pxfm::f_atan2, wide: Reference::Close(pxfm::f_atan2, Wide::atan2) }),
    ("hypot", (-10.0, 10.0), Row::Two { narrow: hypot, wide: Reference::Double(double::hypot) }),
    ("logaddexp", (-40.0, 40.0), Row::Two { narrow: logaddexp, wide: Reference::Double(double::logaddexp) }),
    ("logaddexp2", (-40.0, 40.0), Row::Two { narrow: logaddexp2, wide: Reference::Double(double::logaddexp2) }),
];

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + pxfm::f_exp(-x))
}

fn silu(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { x * sigmoid(x) }
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + pxfm::f_log1p(pxfm::f_exp(-x.abs()))
}

fn gelu(x: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { 0.5 * x * pxfm::f_erfc(-x / 2f64.sqrt()) }
}

fn gelu_tanh(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return -0.0;
    }
    x * sigmoid(2.0 * (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x))
}

fn hardswish(x: f64) -> f64 {
    // Minus infinity times nothing would be no number.
    if x <= -3.0 { 0.0 } else { x * ((x + 3.0).min(6.0) / 6.0) }
}

fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

fn hypot(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() { f64::INFINITY } else { (x * x + y * y).sqrt() }
}

fn logaddexp(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b { a + std::f64::consts::LN_2 } else { a.max(b) + pxfm::f_log1p(pxfm::f_exp(a.min(b) - a.max(b))) }
}

fn logaddexp2(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b { a + 1.0 } else { a.max(b) + pxfm::f_log2p1(pxfm::f_exp2(a.min(b) - a.max(b))) }
}
