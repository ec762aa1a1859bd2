//! Powers in f32.

use std::f32::consts::LOG2_E;

use super::{float_n::FloatN, raise::raise, single::exp2m1};

/// The inverse c near a significand, a multiple of 1/32, so that m c - 1 is exact: first for significands from 1 in
/// steps of 1/32, then from 3/4 in steps of 1/64, in the order of the significands' bits.
const INVERSE: [f32; 32] = [
    1.0, 0.96875, 0.9375, 0.90625, 0.875, 0.84375, 0.84375, 0.8125, 0.78125, 0.78125, 0.75, 0.75, 0.71875, 0.71875,
    0.6875, 0.6875, 1.3125, 1.28125, 1.28125, 1.25, 1.21875, 1.1875, 1.1875, 1.15625, 1.125, 1.125, 1.09375, 1.0625,
    1.0625, 1.03125, 1.03125, 1.0,
];

/// -log2(c), rounded to 16 bits behind the point, so that its sum with a whole exponent is exact.
const LOG_TOP: [f32; 32] = [
    0.0,
    0.045806885,
    0.09310913,
    0.14201355,
    0.19264221,
    0.24511719,
    0.24511719,
    0.29956055,
    0.35614014,
    0.35614014,
    0.41503906,
    0.41503906,
    0.47644043,
    0.47644043,
    0.5405731,
    0.5405731,
    -0.39231873,
    -0.3575592,
    -0.3575592,
    -0.32192993,
    -0.2854004,
    -0.2479248,
    -0.2479248,
    -0.2094574,
    -0.16992188,
    -0.16992188,
    -0.12928772,
    -0.08746338,
    -0.08746338,
    -0.044387817,
    -0.044387817,
    0.0,
];

/// The rest of -log2(c).
const POWER_LOG_REST: [f32; 32] = [
    0.0,
    -3.1951524e-6,
    2.735321e-7,
    5.455068e-6,
    2.8660284e-6,
    -4.6896635e-6,
    -4.6896635e-6,
    -2.650161e-7,
    3.6735066e-6,
    3.6735066e-6,
    -1.5632212e-6,
    -1.5632212e-6,
    -2.3857444e-6,
    -2.3857444e-6,
    -4.7387543e-6,
    -4.7387543e-6,
    1.3028072e-6,
    7.1994837e-6,
    7.1994837e-6,
    1.8367533e-6,
    -1.8282373e-6,
    -2.708756e-6,
    -2.708756e-6,
    4.031832e-6,
    -3.1264424e-6,
    -3.1264424e-6,
    4.7027816e-6,
    5.376559e-7,
    5.376559e-7,
    -6.3019756e-6,
    -6.3019756e-6,
    0.0,
];

/// Coefficients of (log2(1 + r) - (r - r^2 / 2) / log 2) / r^3 for r from -0.0245 to 0.0333; error 2^-37.5 relative to the logarithm.
const POWER_LOG: [f32; 4] = [0.480_898_32, -0.360_676_1, 0.288_701_12, -0.236_006_05];

/// The part of 1 / log 2 beyond one f32.
const F32_LOG2_E_REST: f32 = 1.925_963e-8;

/// Computes log2 |x| as the sum of a f32 and one less than 2^-11 of it, to about 2^-33 of its value, for a positive finite x.
///
/// With x = 2^n m and m = (1 + r) / c it is n - log2 c + (r - r^2 / 2) / log 2 + r^3 Q(r). All terms except the last
/// have two parts.
#[inline(always)]
fn log2<V: FloatN<One = f32>>(x: V) -> (V, V) {
    let (n, m) = x.split();
    let r = m.fma(m.look_up(&INVERSE), x.all(-1.0));
    let minus = r * x.all(-0.5);
    let curve = r.fma(minus, r);
    let curve_rest = r.fma(minus, r - curve);
    let (e, square) = (x.all(LOG2_E), r * r);
    let cube = square.fma(r.times_plus(POWER_LOG[3], POWER_LOG[2]), r.times_plus(POWER_LOG[1], POWER_LOG[0]));
    let high = e * curve;
    let low = e.fma(curve_rest, x.all(F32_LOG2_E_REST).fma(curve, e.fma(curve, high.neg())));
    let whole = n + m.look_up(&LOG_TOP);
    let sum = whole + high;
    let lost = (whole - sum) + high;
    (sum, (square * r).fma(cube, lost + (low + m.look_up(&POWER_LOG_REST))))
}

/// Computes 2^(y log), where the logarithm is a sum; the result is clamped to 2^200 and 2^-200.
#[inline(always)]
fn exp2_of_product<V: FloatN<One = f32>>(y: V, (log, log_rest): (V, V)) -> V {
    let product = y * log;
    let lost = y.fma(log_rest, y.fma(log, product.neg())).limit(0.08);
    let product = product.limit(200.0);
    let n = product.nearest();
    let near = product - n;
    let f = near + lost;
    (exp2m1(f, (near - f) + lost) + y.all(1.0)).scale(n)
}

/// Raises x to the power y, with all special cases of C's `powf`.
#[inline(always)]
pub(crate) fn pow<V: FloatN<One = f32>>(x: V, y: V) -> V {
    // With a larger y, the product is beyond all powers unless the logarithm is zero; then it is zero.
    raise(
        x,
        y,
        2_147_483_648.0,
        #[inline(always)]
        |x| log2(x),
        #[inline(always)]
        |y, log| exp2_of_product(y, log),
    )
}

/// Computes x^3: the square in two parts, and one rounding of its product with x.
#[inline(always)]
pub(crate) fn cube<V: FloatN<One = f32>>(x: V) -> V {
    let square = x * x;
    let lost = x.fma(x, square.neg());
    // From 2^43 on the cube is infinite, and further on the error of the square is too, with any sign.
    let finite = x.all(8_796_093_022_208.0).above(x.abs_to(f32::INFINITY));
    V::choose(finite, square.fma(x, lost * x), square * x).or_nan(x)
}
