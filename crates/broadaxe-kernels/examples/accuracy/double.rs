//! A reference of about 100 bits: sums of two f64, and the functions that are compositions of exp, log and erf.
//!
//! Nothing here shares code with the functions that are measured. Results carry a power of two of their own, so that
//! subnormal ones are known as exactly as others.

#![allow(clippy::unreadable_literal, reason = "the rests of constants are read by no one")]

/// Holds the sum of two f64, the second at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Double {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

/// Holds a sum times 2^power.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) value: Double,
    pub(crate) power: i32,
}

/// Holds a number as a sum.
const fn double(high: f64, low: f64) -> Double {
    Double { high, low }
}

const LN_2: Double = double(std::f64::consts::LN_2, 2.3190468138462996e-17);
const LN_2_REST: f64 = 5.707708438416212e-34;
/// Is 2 / sqrt(pi).
const TWO_OVER_ROOT_PI: Double = double(std::f64::consts::FRAC_2_SQRT_PI, 1.533545961316588e-17);
/// Is 1 / sqrt(2).
const ROOT_HALF: Double = double(std::f64::consts::FRAC_1_SQRT_2, -4.833646656726457e-17);
/// Is sqrt(8 / pi).
const ROOT_8_OVER_PI: Double = double(1.5957691216057308, -9.96930880911092e-17);
/// Is 0.044715.
const CUBE: Double = double(0.044_715, 2.1960211427085595e-18);

/// Holds 1/2, ..., 1/9.
const INVERSES: [Double; 8] = [
    double(0.5, 0.0),
    double(0.3333333333333333, 1.850371707708594e-17),
    double(0.25, 0.0),
    double(0.2, -1.1102230246251566e-17),
    double(0.16666666666666666, 9.25185853854297e-18),
    double(0.14285714285714285, 7.93016446160826e-18),
    double(0.125, 0.0),
    double(0.1111111111111111, 6.1679056923619804e-18),
];

fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let part = high - a;
    double(high, (a - (high - part)) + (b - part))
}

fn ordered(large: f64, small: f64) -> Double {
    let high = large + small;
    double(high, small - (high - large))
}

fn product(a: f64, b: f64) -> Double {
    let halves = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let top = scaled - (scaled - x);
        (top, x - top)
    };
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    let high = a * b;
    double(high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl Double {
    fn of(x: f64) -> Self {
        double(x, 0.0)
    }

    fn neg(self) -> Self {
        double(-self.high, -self.low)
    }

    fn plus(self, other: Self) -> Self {
        let (high, low) = (sum(self.high, other.high), sum(self.low, other.low));
        let near = ordered(high.high, high.low + low.high);
        ordered(near.high, near.low + low.low)
    }

    fn times(self, other: Self) -> Self {
        let exact = product(self.high, other.high);
        ordered(exact.high, exact.low + (self.high * other.low + self.low * other.high))
    }

    fn scaled(self, factor: f64) -> Self {
        double(self.high * factor, self.low * factor)
    }

    fn over(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self.plus(other.times(Self::of(-first)));
        let second = rest.high / other.high;
        let rest = rest.plus(other.times(Self::of(-second)));
        ordered(first, second).plus(Self::of(rest.high / other.high))
    }

    fn root(self) -> Self {
        let near = self.high.sqrt();
        if near == 0.0 {
            return Self::of(0.0);
        }
        let rest = self.plus(product(near, near).neg());
        ordered(near, rest.high / (2.0 * near))
    }

    fn exact(self, power: i32) -> Exact {
        Exact { value: self, power }
    }
}

/// Computes e^x for |x| up to some thousands.
///
/// 2^-8 of the angle beyond n log 2 goes into Taylor's series for e^r - 1, which is then doubled eight times.
fn exp(x: Double) -> Exact {
    let n = (x.high / LN_2.high).round();
    let r = x.plus(LN_2.times(Double::of(-n))).plus(Double::of(-n * LN_2_REST)).scaled(1.0 / 256.0);
    let one = Double::of(1.0);
    let series = INVERSES.iter().rev().fold(one, |sum, &inverse| one.plus(r.times(sum).times(inverse)));
    let less_one = (0..8).fold(r.times(series), |s, _| s.scaled(2.0).plus(s.times(s)));
    one.plus(less_one).exact(n as i32)
}

/// Computes log(1 + t) for t from 0 to 1, by Newton's method; by its series where that would lose bits.
fn log1p(t: Double) -> Double {
    if t.high < 1e-9 {
        let term = |sum: Double, k: i32| Double::of(1.0 / f64::from(k)).plus(t.times(sum).neg());
        // The error of the rounded 1/3 is 2^-54 of a term that is 2^-60 of the first.
        return t.times((1..=4).rev().fold(Double::of(0.0), term));
    }
    let first = t.high.ln_1p();
    let Exact { value, power } = exp(Double::of(-first));
    let back = value.scaled(2f64.powi(power));
    let rest = Double::of(1.0).plus(t).times(back).plus(Double::of(-1.0));
    Double::of(first).plus(rest).plus(Double::of(-0.5 * rest.high * rest.high))
}

/// Brings a number with its power of two back to an ordinary one, where it is not too small.
fn plain(x: Exact) -> Double {
    let half = x.power / 2;
    x.value.scaled(2f64.powi(half)).scaled(2f64.powi(x.power - half))
}

/// Computes x / (1 + e^-u).
fn share(x: f64, u: Double) -> Exact {
    if u.high > 800.0 {
        return Double::of(x).exact(0);
    }
    if u.high < -1600.0 {
        return Double::of(0.0).exact(0);
    }
    let rising = u.high >= 0.0;
    let power = exp(if rising { u.neg() } else { u });
    let below = if power.power < -500 { Double::of(1.0) } else { Double::of(1.0).plus(plain(power)) };
    let over = Double::of(x).over(below);
    if rising { over.exact(0) } else { over.times(power.value).exact(power.power) }
}

/// Computes erf(z) for 0 <= z <= 3 by a series of positive terms.
fn erf_series(z: Double) -> Double {
    let square = z.times(z);
    let (mut term, mut total) = (Double::of(1.0), Double::of(1.0));
    let mut k = 1.0;
    while term.high > 1e-33 * total.high {
        term = term.times(square).scaled(2.0).over(Double::of(2.0 * k + 1.0));
        total = total.plus(term);
        k += 1.0;
    }
    TWO_OVER_ROOT_PI.times(z).times(total).times(plain(exp(square.neg())))
}

/// Computes erfc(z) for z >= 2.5 by Laplace's continued fraction.
fn erfc_tail(z: Double) -> Exact {
    let rounds = (800.0 / (z.high * z.high)) as i32 + 12;
    let fraction = (1..=rounds).rev().fold(z, |rest, k| z.plus(Double::of(0.5 * f64::from(k)).over(rest)));
    let power = exp(z.times(z).neg());
    TWO_OVER_ROOT_PI.scaled(0.5).times(power.value).over(fraction).exact(power.power)
}

/// Is where the odd functions and the activations are linear, and products would be subnormal.
const TINY: f64 = 1e-250;

/// Multiplies a tiny x by a number, without underflow.
fn linear(x: f64, by: Double) -> Exact {
    by.times(Double::of(x * 2f64.powi(300))).exact(-300)
}

pub(crate) fn erf(x: f64) -> Exact {
    let z = Double::of(x.abs());
    let value = if z.high < TINY {
        return linear(x, TWO_OVER_ROOT_PI);
    } else if z.high < 3.0 {
        erf_series(z)
    } else if z.high < 7.0 {
        Double::of(1.0).plus(plain(erfc_tail(z)).neg())
    } else {
        Double::of(1.0).plus(Double::of(-1e-25))
    };
    (if x < 0.0 { value.neg() } else { value }).exact(0)
}

pub(crate) fn sigmoid(x: f64) -> Exact {
    share(1.0, Double::of(x.clamp(-2000.0, 2000.0)))
}

pub(crate) fn silu(x: f64) -> Exact {
    if x.abs() < TINY { linear(x, Double::of(0.5)) } else { share(x, Double::of(x.clamp(-2000.0, 2000.0))) }
}

pub(crate) fn softplus(x: f64) -> Exact {
    if x > 100.0 {
        return Double::of(x).plus(Double::of(1e-30)).exact(0);
    }
    if x < -100.0 {
        return exp(Double::of(x.max(-2000.0)));
    }
    let small = log1p(plain(exp(Double::of(-x.abs()))));
    (if x > 0.0 { small.plus(Double::of(x)) } else { small }).exact(0)
}

pub(crate) fn gelu(x: f64) -> Exact {
    if x.abs() < TINY {
        return linear(x, Double::of(0.5));
    }
    if x > 40.0 {
        return Double::of(x).exact(0);
    }
    if x < -100.0 {
        return Double::of(0.0).exact(0);
    }
    let z = ROOT_HALF.times(Double::of(x));
    let half = Double::of(0.5 * x);
    if z.high < -2.5 {
        let tail = erfc_tail(z.neg());
        return half.times(tail.value).exact(tail.power);
    }
    gelu_near(half, z).exact(0)
}

/// Computes half (1 + erf(z)) for z >= -2.5.
fn gelu_near(half: Double, z: Double) -> Double {
    let one = Double::of(1.0);
    let part = if z.high < 0.0 {
        erf_series(z.neg()).neg()
    } else if z.high < 3.0 {
        erf_series(z)
    } else {
        one.plus(plain(erfc_tail(z)).neg())
    };
    half.times(one.plus(part))
}

pub(crate) fn gelu_tanh(x: f64) -> Exact {
    if x.abs() < TINY {
        return linear(x, Double::of(0.5));
    }
    let near = x.clamp(-100.0, 100.0);
    let inner = product(near, near).times(CUBE).plus(Double::of(1.0));
    share(x, inner.times(Double::of(near)).times(ROOT_8_OVER_PI))
}

pub(crate) fn hardswish(x: f64) -> Exact {
    if x >= 3.0 {
        return Double::of(x).exact(0);
    }
    if x <= -3.0 {
        return Double::of(0.0).exact(0);
    }
    if x.abs() < TINY {
        return linear(x, Double::of(0.5));
    }
    sum(x, 3.0).times(Double::of(x)).over(Double::of(6.0)).exact(0)
}

pub(crate) fn rsqrt(x: f64) -> Exact {
    if x <= 0.0 {
        return Double::of(1.0 / x.sqrt()).exact(0);
    }
    let (x, power) = if x < 1e-300 { (x * 2f64.powi(200), 100) } else { (x, 0) };
    let (x, power) = if x > 1e200 { (x * 2f64.powi(-400), -200) } else { (x, power) };
    Double::of(1.0).over(Double::of(x).root()).exact(power)
}

pub(crate) fn hypot(x: f64, y: f64) -> Exact {
    let most = x.abs().max(y.abs());
    let power = if most > 1e140 {
        600
    } else if most < 1e-100 {
        -600
    } else {
        0
    };
    let half = 2f64.powi(-power / 2);
    let (x, y) = (x * half * half, y * half * half);
    product(x, x).plus(product(y, y)).root().exact(power)
}

pub(crate) fn logaddexp(a: f64, b: f64) -> Exact {
    let (high, low) = if a < b { (b, a) } else { (a, b) };
    let gap = sum(low, -high);
    if gap.high < -2000.0 {
        return Double::of(high).exact(0);
    }
    let power = exp(gap);
    let small = if power.power < -900 { Double::of(0.0) } else { log1p(plain(power)) };
    small.plus(Double::of(high)).exact(0)
}

pub(crate) fn logaddexp2(a: f64, b: f64) -> Exact {
    const LN_2: Double = Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
    let (high, low) = if a < b { (b, a) } else { (a, b) };
    let gap = sum(low, -high);
    if gap.high < -2000.0 {
        return Double::of(high).exact(0);
    }
    let power = exp(gap.times(LN_2));
    let small = if power.power < -900 { Double::of(0.0) } else { log1p(plain(power)).over(LN_2) };
    small.plus(Double::of(high)).exact(0)
}
