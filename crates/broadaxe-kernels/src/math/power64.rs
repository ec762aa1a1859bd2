//! Powers in f64.

use std::f64::consts::LOG2_E;

use super::{
    exp::tail_of_e,
    extended::{LN_2_REST, LN_2_TOP},
    float_n::FloatN,
    raise::raise,
    wide_log::{log_sum, ordered},
};

/// Computes e^(y log), where the logarithm is a sum; the result is clamped to e^760 and e^-760.
#[inline(always)]
fn exp_of_product<V: FloatN<One = f64>>(y: V, (log, log_rest): (V, V)) -> V {
    let product = y * log;
    let rest = y.fma(log_rest, y.fma(log, product.neg())).limit(0.08);
    let product = product.limit(760.0);
    let n = (product * y.all(LOG2_E)).nearest();
    // log 2 is subtracted in two parts, of which the first is exact.
    let high = n.fma(y.all(-LN_2_TOP), product);
    let low = n.fma(y.all(-LN_2_REST), rest);
    let (one_more, lost) = ordered(y.all(1.0), high);
    (one_more + (lost + tail_of_e(high + low, low))).scale(n)
}

/// Raises x to the power y, with all special cases of C's `pow`.
#[inline(always)]
pub(crate) fn pow<V: FloatN<One = f64>>(x: V, y: V) -> V {
    // With a larger y, the product is beyond all powers unless the logarithm is zero; then it is zero.
    raise(
        x,
        y,
        18_446_744_073_709_551_616.0,
        #[inline(always)]
        |x| log_sum(x),
        #[inline(always)]
        |y, log| exp_of_product(y, log),
    )
}
