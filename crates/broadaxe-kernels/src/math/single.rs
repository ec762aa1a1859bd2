//! Functions that stay in f32: exponentials, the logistic function and functions derived from it, tanh, the error
//! function, softplus, and logarithms.
//!
//! A vector holds twice as many f32 as f64, so staying in f32 halves the operations. One ULP leaves room for one
//! rounding of the result and little else. Four rules keep the error below it: products and sums are fused; log 2 is
//! subtracted in two parts, of which the first is exact; e^r is kept as 1 + p, where p is rounded far less; and the
//! remainder of a quotient is divided once more, so that the rounding of the divisor counts for little. The range of r
//! is larger above zero than below: where e^r is less than 1 its last place is worth half as much, so p should be
//! smaller there.
//!
//! Attempts that failed: without fused operations, vectors of sixteen were 1.3 to 1.7 times slower. e^r as a quotient
//! of two short polynomials saves a fifth of the operations, but has 1.4 ULP in a quotient; the division in f64 costs
//! more in conversions than all the care in f32; `expm1` in f32 has 1.15 ULP where 2^n is 2 and the parts cancel; and
//! f32 after a reduction in f64 for `gelu_tanh` gained 4 percent.

use std::f32::consts::{LN_2, LOG2_E, LOG10_E};

use super::float_n::FloatN;

/// log 2 truncated to 15 bits, whose product with a whole number below 512 is exact in a difference.
const F32_LN_2_TOP: f32 = 0.693_145_75;
/// log 2 minus its top.
const F32_LN_2_REST: f32 = 1.428_606_8e-6;

/// Added to x / log 2 before it is rounded to the whole exponent n.
const LEFT: f32 = -0.085;

/// Coefficients of (e^r - 1 - r) / r^2 for r from -0.289 to 0.406; error 2^-28.3 relative to e^r.
const F32_EXP: [f32; 5] = [0.500_000_2, 0.166_665_7, 0.041_658_454, 0.008_360_4, 0.001_463_800_4];

/// Coefficients of (2^f - 1 - f log 2) / f^2 for |f| <= 0.578; error 2^-31.6 relative to 2^f.
const EXP2: [f32; 6] = [0.240_226_5, 0.055_504_1, 0.009_618_044, 0.001_333_438_4, 0.000_154_721_68, 1.512_433_9e-5];

/// Coefficients of (2 atanh(s) / s - 2) / s^2 in s^2, for |s| <= 1/5; error 2^-35.2 relative to the logarithm.
const F32_LOG: [f32; 4] = [0.666_666_6, 0.400_009_33, 0.285_035_16, 0.241_515_92];

/// Coefficients of a quotient of polynomials in x^2, two above and two below: (tanh(x) - x) / x^3 for |x| <= 0.65, with an
/// error of 2^-27.2 relative to tanh(x) / x^3. All are scaled to leave the divisor below 1, where it rounds less.
const TANH: [f32; 4] = [-0.291_666_4, -0.001_345_718_9, 0.875, 0.354_024_47];

/// Coefficients of (atanh(s) / s - 1) / s^2 in s^2, for s from 0 to 1/3; error 2^-33 relative to atanh(s).
const ATANH: [f32; 5] = [0.333_333_38, 0.199_994_39, 0.143_084_42, 0.107_138_3, 0.121_504_65];

/// Coefficients of (erf(x) / x - 1) in x^2, for |x| <= 0.94; error 2^-30.0 relative to erf(x) / x.
const ERF: [f32; 7] =
    [0.128_379_17, -0.376_126_3, 0.112_836_26, -0.026_855_74, 0.005_192_460_5, -0.000_805_080_4, 8.002_775e-5];

/// Coefficients of log(1 - erf(x)) in x, for x from 0.94 to 4; error 2^-33.9 relative to erf(x).
const ERFC: [f32; 8] = [
    0.000_169_204_48,
    -1.129_488_3,
    -0.633_401_1,
    -0.108_219_95,
    0.025_080_219,
    -0.004_156_056,
    0.000_431_342_34,
    -2.082_334_3e-5,
];

/// 1 / sqrt(2 pi) as a number and its rest.
const BELL: [f32; 2] = [0.398_942_3, -1.133_517e-8];

/// Coefficients of (x exp(x^2 / 2) erfc(x / sqrt(2)) / 2 - 1 / sqrt(2 pi)) x^2 in 1 / x^2, for x from 5 to 15; error 2^-31.2
/// relative to the product.
const GELU_TAIL: [f32; 6] = [-0.398_941_73, 1.196_593_5, -5.947_839, 39.081_715, -255.813_17, 1_018.498_66];

/// Evaluates a polynomial of five or six coefficients, given x and its square.
#[inline(always)]
fn poly<V: FloatN<One = f32>, const N: usize>(c: &[f32; N], x: V, square: V) -> V {
    let highest = if N > 5 { x.times_plus(c[N - 1], c[4]) } else { x.all(c[4]) };
    let upper = square.fma(highest, x.times_plus(c[3], c[2]));
    upper.fma(square, x.times_plus(c[1], c[0]))
}

/// Holds e^x = 2^n (1 + p) e^lost, with p from -0.25 to 0.5.
struct ExpFactors<V> {
    p: V,
    n: V,
    /// The rounding error of log p, less than 2^-26.
    lost: V,
}

impl<V: FloatN<One = f32>> ExpFactors<V> {
    /// Splits e^x for |x| <= 120.
    #[inline(always)]
    fn of(x: V) -> Self {
        let n = x.times_plus(LOG2_E, LEFT).nearest();
        let (top, rest) = (n.fma(x.all(-F32_LN_2_TOP), x), x.all(-F32_LN_2_REST));
        let r = n.fma(rest, top);
        let square = r * r;
        Self { p: poly(&F32_EXP, r, square).fma(square, r), n, lost: n.fma(rest, top - r) }
    }
}

/// Computes e^x.
#[inline(always)]
pub(crate) fn exp<V: FloatN<One = f32>>(x: V) -> V {
    // Beyond that the result is zero or infinite.
    let ExpFactors { p, n, .. } = ExpFactors::of(x.limit(105.0));
    (p + x.all(1.0)).scale(n).or_nan(x)
}

/// Computes 2^(f + rest) - 1 for |f| <= 0.578 and a rest that is negligible compared with f.
#[inline(always)]
pub(super) fn exp2m1<V: FloatN<One = f32>>(f: V, rest: V) -> V {
    let square = f * f;
    let rest = poly(&EXP2, f, square).fma(square, rest * f.all(LN_2));
    f.fma(f.all(LN_2), rest)
}

/// Computes 2^x.
#[inline(always)]
pub(crate) fn exp2<V: FloatN<One = f32>>(x: V) -> V {
    let near = x.limit(152.0);
    let n = near.nearest();
    (exp2m1(near - n, x.all(0.0)) + x.all(1.0)).scale(n).or_nan(x)
}

/// Holds 1 / (1 + e^u) = w / (m + w) with w = 2^-n, for u from 0 to 112.
struct Share<V> {
    /// E^u / 2^n, rounded.
    m: V,
    /// The rounding error of `m`.
    m_rest: V,
    /// The remaining error of m and m + w, at least to half of it; for callers that need more precision.
    lost: V,
    /// -n.
    fall: V,
    /// M + w, rounded.
    d: V,
    /// The error of both roundings.
    d_rest: V,
}

impl<V: FloatN<One = f32>> Share<V> {
    #[inline(always)]
    fn of(u: V) -> Self {
        let one = u.all(1.0);
        let ExpFactors { p, n, lost } = ExpFactors::of(u);
        let m = p + one;
        let m_rest = (one - m) + p;
        let fall = n.neg();
        let w = one.scale(fall);
        let d = m + w;
        // Where w is 1, n is 0 and m at least 1; else w is smaller.
        Self { m, m_rest, lost, fall, d, d_rest: ((m - d) + w) + m_rest }
    }

    /// Computes (a + rest) / (m + w).
    #[inline(always)]
    fn divide(&self, a: V, rest: V) -> V {
        let inverse = a.all(1.0) / self.d;
        let quotient = (a * inverse).neg();
        let left = quotient.fma(self.d_rest + self.lost, quotient.fma(self.d, a) + rest);
        left.fma(inverse, quotient.neg())
    }
}

/// Computes 1 / (1 + e^-x).
///
/// For negative x it is 1 / (1 + e^|x|), for positive x 1 minus that.
#[inline(always)]
pub(crate) fn sigmoid<V: FloatN<One = f32>>(x: V) -> V {
    let one = x.all(1.0);
    let share = Share::of(x.abs_to(104.0));
    let inverse = one / share.d;
    let minus = inverse.neg();
    let left = minus.fma(share.d_rest, minus.fma(share.d, one));
    let lower = left.fma(inverse, inverse).scale(share.fall);
    V::choose(x.above(x.all(0.0)), one - lower, lower).or_nan(x)
}

/// Computes x / (1 + e^-x), which is x sigmoid(x).
///
/// For negative x it is x w / (m + w), for positive x it is x m / (m + w).
#[inline(always)]
pub(crate) fn silu<V: FloatN<One = f32>>(x: V) -> V {
    let zero = x.all(0.0);
    let size = x.abs_to(112.0);
    let share = Share::of(size);
    let rises = x.above(x.all(0.0));
    let product = size * share.m;
    let lost = size.fma(share.m, product.neg());
    let lost = size.fma(share.m_rest + share.lost, lost);
    let a = V::choose(rises, product, size);
    let value = share.divide(a, V::choose(rises, lost, zero));
    let value = value.scale(V::choose(rises, zero, share.fall)).copysign(x);
    // Beyond 18 the rest of the logistic function is less than half an ULP.
    V::choose(x.above(x.all(18.0)), x, value).or_nan(x)
}

/// Computes log(1 + e^x) without overflow.
///
/// With w = e^-|x| it is max(x, 0) + log(1 + w), which is 2 atanh(w / (2 + w)). That quotient is kept in two parts, and the sum with
/// x rounded once.
#[inline(always)]
pub(crate) fn softplus<V: FloatN<One = f32>>(x: V) -> V {
    let (one, two) = (x.all(1.0), x.all(2.0));
    let ExpFactors { p, n, lost } = ExpFactors::of(x.abs_to(105.0).neg());
    // w = 2^n (m + m_rest)
    let m = p + one;
    let m_rest = ((one - m) + p) + lost;
    let power = one.scale(n);
    let w = m * power;
    let d = two + w;
    let d_rest = m_rest.fma(power, (two - d) + w);
    // s = 2^n (s + s_rest)
    let inverse = one / d;
    let s = m * inverse;
    let left = s.neg().fma(d_rest, s.neg().fma(d, m) + m_rest);
    let near = s * power;
    let square = near * near;
    let cube = s * square;
    let rest = cube.fma(poly(&ATANH, square, square * square), left * inverse);
    let (log, rest) = (s + s, rest + rest);
    let falls = (log + rest).scale(n);
    // Where x is above zero, it is added in two parts.
    let (log, rest) = (log * power, rest * power);
    let is_larger = x.above(log);
    let (larger, smaller) = (V::choose(is_larger, x, log), V::choose(is_larger, log, x));
    let sum = larger + smaller;
    let rises = sum + (((larger - sum) + smaller) + rest);
    // Beyond 18 the logarithm is less than half an ULP.
    let value = V::choose(x.above(x.all(18.0)), x, rises);
    V::choose(x.above(x.all(0.0)), value, falls).or_nan(x)
}

/// Computes the hyperbolic tangent.
///
/// With E = e^(2 |x|) it is t + ((1 - t) E - (1 + t)) / (E + 1) for any t: for 3/4, so that the quotient is small. Below 0.65
/// it is |x| and a small quotient as well; both share the division. Beyond 10 it is 1.
#[inline(always)]
pub(crate) fn tanh<V: FloatN<One = f32>>(x: V) -> V {
    let size = x.abs_to(10.0);
    let ExpFactors { p, n, .. } = ExpFactors::of(size + size);
    let power = size.all(1.0).scale(n);
    let square = size * size;
    let large = size.above(x.all(0.65));
    // Both quotients have numerators and divisors of a product and a sum each.
    let either = |more, less| V::choose(large, more, less);
    let above = either(power * x.all(0.25), size * square);
    let above =
        above.fma(either(p, square.times_plus(TANH[1], TANH[0])), either(power.times_plus(0.25, -1.75), x.all(0.0)));
    let below = either(power, x.all(TANH[3])).fma(either(p, square), either(power + x.all(1.0), x.all(TANH[2])));
    (either(x.all(0.75), size) + above / below).copysign(x).or_nan(x)
}

/// Computes the error function.
///
/// Up to 0.94 it is x and a small polynomial, beyond it is 1 - e^r for a polynomial r, which is computed in two parts. From 4 on
/// it is 1.
#[inline(always)]
pub(crate) fn erf<V: FloatN<One = f32>>(x: V) -> V {
    let size = x.abs_to(4.0);
    let square = size * size;
    let slope = poly(&[ERF[2], ERF[3], ERF[4], ERF[5], ERF[6]], square, square * square);
    let slope = slope.fma(square, x.all(ERF[1])).fma(square, x.all(ERF[0]));
    let below = size.fma(slope, size);
    let slope = poly(&[ERFC[2], ERFC[3], ERFC[4], ERFC[5], ERFC[6], ERFC[7]], size, square);
    let first = x.all(ERFC[1]);
    let sum = slope.fma(size, first);
    let r = size * sum;
    let rest = size.fma(slope.fma(size, first - sum), size.fma(sum, r.neg()) + x.all(ERFC[0]));
    let ExpFactors { p, n, .. } = ExpFactors::of(r);
    let one = x.all(1.0);
    let p = rest.fma(p + one, p);
    let power = one.scale(n);
    let above = power.neg().fma(p, one - power);
    V::choose(size.above(x.all(0.94)), above, below).copysign(x).or_nan(x)
}

/// Computes x (1 + erf(x / sqrt(2))) / 2 for |x| > 5.
///
/// For negative x it is -|x| erfc(|x| / sqrt(2)) / 2, for positive x that much less than x: e^(-x^2 / 2) times a number that is
/// almost constant. The exponent and the number are kept in two parts each.
#[inline(always)]
pub(crate) fn gelu_beyond<V: FloatN<One = f32>>(x: V) -> V {
    // Beyond 15 the product is less than half of the smallest number.
    let size = x.abs_to(15.0);
    let half = size * x.all(-0.5);
    let r = half * size;
    let ExpFactors { p, n, lost } = ExpFactors::of(r);
    let lost = half.fma(size, r.neg()) + lost;
    let inverse = x.all(1.0) / (size * size);
    let bell = x.all(BELL[0]);
    let rest = inverse.fma(poly(&GELU_TAIL, inverse, inverse * inverse), x.all(BELL[1]));
    let rest = lost.fma(bell + rest, rest);
    let tail = (bell.fma(p, rest.fma(p, rest)) + bell).scale(n);
    V::choose(x.above(x.all(0.0)), x - tail, tail).copysign(x).or_nan(x)
}

/// x = 2^n (1 + f), where log(1 + f) is f - f^2 / 2 + s t with s = f / (2 + f) and t = f^2 / 2 + R(s^2) (fdlibm's `e_log.c`). f
/// is exact.
struct LogParts<V> {
    n: V,
    f: V,
    half_square: V,
    s: V,
    t: V,
}

impl<V: FloatN<One = f32>> LogParts<V> {
    #[inline(always)]
    fn of(x: V) -> Self {
        let (n, significand) = x.split();
        let f = significand - x.all(1.0);
        let s = f / (f + x.all(2.0));
        let square = s * s;
        let inner = square.fma(square.times_plus(F32_LOG[3], F32_LOG[2]), x.all(F32_LOG[1]));
        let half_square = x.all(0.5) * f * f;
        let t = square.fma(inner, x.all(F32_LOG[0])).fma(square, half_square);
        Self { n, f, half_square, s, t }
    }
}

/// Computes the natural logarithm.
#[inline(always)]
pub(crate) fn log<V: FloatN<One = f32>>(x: V) -> V {
    let LogParts { n, f, half_square, s, t } = LogParts::of(x);
    let rest = s.fma(t, n * x.all(F32_LN_2_REST));
    n.fma(x.all(F32_LN_2_TOP), f - (half_square - rest)).or_edge_of_log(x)
}

/// The base of a logarithm: the logarithm of e, and that of 2, each as a number and its rest.
struct Base {
    of_e: [f32; 2],
    /// The first has few digits, so that its product with an exponent is exact.
    of_2: [f32; 2],
}

/// Computes a logarithm: the product of f - f^2 / 2 and the logarithm of e, and its sum with that of 2^n, in two parts each.
#[inline(always)]
fn log_to<V: FloatN<One = f32>>(x: V, base: &Base) -> V {
    let LogParts { n, f, s, t, .. } = LogParts::of(x);
    let (e, e_rest) = (x.all(base.of_e[0]), x.all(base.of_e[1]));
    let minus = f * x.all(-0.5);
    let curve = f.fma(minus, f);
    let curve_rest = s.fma(t, f.fma(minus, f - curve));
    let high = e * curve;
    let low = e.fma(curve_rest, e_rest.fma(curve, e.fma(curve, high.neg())));
    let whole = n * x.all(base.of_2[0]);
    let sum = whole + high;
    let lost = (whole - sum) + high;
    (sum + (lost + n.fma(x.all(base.of_2[1]), low))).or_edge_of_log(x)
}

/// Computes the logarithm to base 2.
#[inline(always)]
pub(crate) fn log2<V: FloatN<One = f32>>(x: V) -> V {
    log_to(x, &Base { of_e: [LOG2_E, 1.925_963e-8], of_2: [1.0, 0.0] })
}

/// Computes the logarithm to base 10.
#[inline(always)]
pub(crate) fn log10<V: FloatN<One = f32>>(x: V) -> V {
    log_to(x, &Base { of_e: [LOG10_E, -1.010_305e-8], of_2: [0.301_025_39, 4.605_039e-6] })
}
