//! Logarithms in f64, for one number and for many.
//!
//! With x = 2^n m and m = (1 + r) / c a logarithm is n log 2 - log c + log(1 + r). c is 1 / m rounded to a multiple of 1/32, so
//! that r is exact and small, and log c comes from a table.

use std::f64::consts::{LOG2_E, LOG10_E};

use super::{
    ROUND,
    extended::{LN_2_REST, LN_2_TOP},
    float_n::FloatN,
};

/// Added to a number below 2^46, it rounds to a multiple of 1/32 and has the count of them in the lowest bits.
const TO_32NDS: f64 = ROUND / 32.0;

/// -log(c), rounded to 42 bits behind the point, so that its sum with a multiple of the top of log 2 is exact. The index is
/// 32 c without its multiples of 32, for c from 1/2 to 47/32.
const WIDE_LOG_TOP: [f64; 32] = [
    0.0,
    -0.03077165866670839,
    -0.06062462181648698,
    -0.08961215868976069,
    -0.11778303565643,
    -0.14518200984457508,
    -0.17185025692674571,
    -0.19782574332998593,
    -0.22314355131425145,
    -0.2478361639045943,
    -0.2719337154835557,
    -0.2954642128938758,
    -0.31845373111855224,
    -0.34092658697068146,
    -0.3629054936893681,
    -0.3844116989102986,
    0.6931471805598903,
    0.6325225587434034,
    0.5753641449034603,
    0.521296923633372,
    0.4700036292456389,
    0.4212134650763346,
    0.3746934494413381,
    0.33024168687052224,
    0.28768207245184385,
    0.2468600779316148,
    0.20763936477828793,
    0.16989903679541385,
    0.13353139262449076,
    0.09844007281321865,
    0.0645385211375924,
    0.03174869831468641,
];

/// The rest of -log(c).
const WIDE_LOG_LOW: [f64; 32] = [
    0.0,
    -4.529814257790929e-14,
    5.213620639136504e-14,
    7.355770219435029e-14,
    4.654729747598445e-14,
    7.718001336828099e-14,
    8.649239607212071e-14,
    6.604544877082384e-14,
    4.169796584527195e-14,
    1.3029797173308663e-14,
    -8.604306772808733e-14,
    3.993416384387844e-14,
    1.7625431312172662e-14,
    8.82452633212564e-14,
    -3.6708569716349383e-16,
    -3.3457102695440824e-14,
    5.497923018708371e-14,
    1.0711543657844876e-13,
    1.0152652766306816e-13,
    -8.590204918402764e-14,
    9.667719603235566e-14,
    -3.1063837541003616e-14,
    7.260466149925637e-14,
    5.4612144489920215e-14,
    -6.292357389008195e-14,
    -8.899851356560444e-14,
    -4.3425422595242564e-14,
    -1.6376276414097503e-14,
    3.1859736349078334e-14,
    3.3871241029241416e-14,
    -2.1225608044809997e-14,
    -1.0610652735224087e-13,
];

/// Coefficients of (log(1 + r) - r + r^2 / 2) / r^3 for |r| <= 0.0235; error 2^-59.5 relative to r.
const WIDE_LOG: [f64; 7] = [
    0.33333333333333265,
    -0.2500000000042245,
    0.2000000000119788,
    -0.16666662677681357,
    0.14285707963251235,
    -0.1251133055387669,
    0.11124049248995001,
];

/// Coefficients of (log(1 + r) - r + r^2 / 2) / r^3 for |r| <= 0.0235; error 2^-72.6 relative to r.
const LOG_FINEST: [f64; 9] = [
    0.3333333333333333,
    -0.24999999999999917,
    0.1999999999999969,
    -0.16666666667897395,
    0.1428571428819781,
    -0.124999940041929,
    0.11111102562152965,
    -0.10011917120162865,
    0.09104207176213834,
];

/// Adds two numbers exactly, of which the first is the larger or zero: returns the sum and its error.
#[inline(always)]
pub(super) fn ordered<V: FloatN>(large: V, small: V) -> (V, V) {
    let sum = large + small;
    (sum, small - (sum - large))
}

/// A positive finite number, reduced.
struct Reduced<V> {
    r: V,
    /// n log 2 - log c, exact but for the rest.
    whole: V,
    whole_rest: V,
}

impl<V: FloatN<One = f64>> Reduced<V> {
    #[inline(always)]
    fn of(x: V) -> Self {
        let (n, m) = x.split();
        // With three products and sums in place of the division, `log` of 16,384 numbers needed 18.7 us instead of 14.8 (the
        // runner, AMD EPYC, Zen 4, AVX-512): a division uses none of the units that the rest needs.
        let shifted = x.all(1.0) / m + x.all(TO_32NDS);
        Self {
            r: m.fma(shifted - x.all(TO_32NDS), x.all(-1.0)),
            whole: n.fma(x.all(LN_2_TOP), shifted.look_up(&WIDE_LOG_TOP)),
            whole_rest: n.fma(x.all(LN_2_REST), shifted.look_up(&WIDE_LOG_LOW)),
        }
    }
}

/// Computes log |x| as the sum of two numbers, to about 2^-67 of its value, for a positive finite x.
///
/// It is n log 2 - log c + r - r^2 / 2 + r^3 P(r), where all terms except the last have two parts.
#[inline(always)]
pub(super) fn log_sum<V: FloatN<One = f64>>(x: V) -> (V, V) {
    let Reduced { r, whole, whole_rest } = Reduced::of(x);
    let (line, line_rest) = ordered(whole, r);
    let minus = r * x.all(-0.5);
    let curve = r * minus;
    let curve_rest = r.fma(minus, curve.neg());
    let (sum, sum_rest) = ordered(line, curve);
    let square = r * r;
    let fourth = square * square;
    let upper = fourth.fma(x.all(LOG_FINEST[8]), square.fma(r.pair(&LOG_FINEST, 6), r.pair(&LOG_FINEST, 4)));
    let series = fourth.fma(upper, square.fma(r.pair(&LOG_FINEST, 2), r.pair(&LOG_FINEST, 0)));
    let rest = (square * r).fma(series, sum_rest + (line_rest + (curve_rest + whole_rest)));
    ordered(sum, rest)
}

/// Computes log |x| as the sum of a number and a far smaller one, to about 2^-59 of its value, for a positive finite x.
#[inline(always)]
fn log_parts<V: FloatN<One = f64>>(x: V) -> (V, V) {
    let Reduced { r, whole, whole_rest } = Reduced::of(x);
    let (line, line_rest) = ordered(whole, r);
    let square = r * r;
    let upper = square.fma(x.all(WIDE_LOG[6]), r.pair(&WIDE_LOG, 4));
    let series = (square * square).fma(upper, square.fma(r.pair(&WIDE_LOG, 2), r.pair(&WIDE_LOG, 0)));
    (line, square.fma(r.fma(series, x.all(-0.5)), line_rest + whole_rest))
}

/// Computes the natural logarithm.
#[inline(always)]
pub(crate) fn log<V: FloatN<One = f64>>(x: V) -> V {
    let (high, low) = log_parts(x);
    (high + low).or_edge_of_log(x)
}

/// Computes a logarithm whose base has this logarithm of e, a sum.
#[inline(always)]
fn log_to<V: FloatN<One = f64>>(x: V, e: f64, e_rest: f64) -> V {
    let (high, low) = log_parts(x);
    let (e, e_rest) = (x.all(e), x.all(e_rest));
    let product = high * e;
    (product + low.fma(e, high.fma(e_rest, high.fma(e, product.neg())))).or_edge_of_log(x)
}

/// Computes the logarithm to base 2.
#[inline(always)]
pub(crate) fn log2<V: FloatN<One = f64>>(x: V) -> V {
    log_to(x, LOG2_E, 2.0355273740931033e-17)
}

/// Computes the logarithm to base 10.
#[inline(always)]
pub(crate) fn log10<V: FloatN<One = f64>>(x: V) -> V {
    log_to(x, LOG10_E, 1.098319650216765e-17)
}
