//! erf and gelu in f64, from tables of areas under bell curves at multiples of 1/64.
//!
//! Beyond a multiple r the curve `e^(-c (r + s)^2)` is `e^(-c r^2)` times `e^(-2 c r s - c s^2)`, whose area over s
//! from 0 to h is h times a short series in `a = 2 c r h` and `w = c h^2`. An area and what is added to it are sums of
//! two f64, so that a result is rounded once. The tables are computed at compile time, with errors far below their last
//! places.
//!
//! The tables are constants and not statics: loops in another codegen unit would not know that a static never changes,
//! and would not vectorise. For the same reason no code chooses between two numbers of a table, which would become a
//! branch. Public functions are not inlined, because another crate would compute the tables again.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::{
    ROUND,
    double_double::Double,
    extended::ordered,
    f32xn::{Fma, FmaDefault},
    fused::ends,
};

/// The step of the tables is 1 / 64.
const TABLE_STEPS: f64 = 64.0;

/// Added to a number below 2^40, it rounds to a multiple of 1 / 64 and has the count of them in the lowest bits.
const TO_STEPS: f64 = ROUND / TABLE_STEPS;

/// Areas under a bell curve from or to multiples of 1 / 64, and the height of the curve there, each in two parts.
pub(super) struct Areas<const N: usize> {
    area: [f64; N],
    area_rest: [f64; N],
    height: [f64; N],
    height_rest: [f64; N],
}

/// Areas from zero, and heights, of 2 / sqrt(pi) e^(-t^2): values and slopes of erf up to 8.
#[allow(long_running_const_eval, reason = "its evaluation needs a second")]
const FROM_ZERO: &Areas<512> = &from_zero();

/// Areas to infinity, and heights, of 1 / sqrt(2 pi) e^(-t^2 / 2) up to 40. Those from 32 on are multiplied by 2^512.
#[allow(long_running_const_eval, reason = "its evaluation needs two seconds")]
const BEYOND: &Areas<2560> = &beyond();

/// The first row of `BEYOND` that is scaled, as a number.
const LIFTED: f64 = 32.0;

/// 2^512.
const LIFT: f64 = f64::from_bits(1535 << 52);

const ZERO: Double = Double { high: 0.0, low: 0.0 };
const ONE: Double = Double { high: 1.0, low: 0.0 };

/// Computes the power series of the integral of e^(-a t - w t^2) over t from 0 to 1, for a below 1.
const fn mean(a: f64, w: f64) -> Double {
    let (mut before, mut term, mut sum) = (ZERO, ONE, ONE);
    let mut n = 1;
    while term.high.abs() > 1e-34 || before.high.abs() > 1e-34 {
        // The n-th derivative of such a function follows from the two before it.
        let next = term.times_f64(-a).plus(before.times_f64(-2.0 * w)).over(n as f64);
        (before, term) = (term, next);
        sum = sum.plus(term.over(n as f64 + 1.0));
        n += 1;
    }
    sum
}

/// Computes e^-x for 0 <= x < 1 / 256.
const fn power(x: f64) -> Double {
    let (mut term, mut sum) = (ONE, ONE);
    let mut n = 1;
    while n < 16 {
        term = term.times_f64(-x).over(n as f64);
        sum = sum.plus(term);
        n += 1;
    }
    sum
}

/// Computes the heights of `top` e^(-c t^2) at multiples of 1 / 64, those from `LIFTED` on multiplied by `LIFT`.
const fn heights<const N: usize>(top: Double, c: f64) -> [Double; N] {
    let mut heights = [top; N];
    // Each height is the one before it times a factor, and each factor the one before it times another.
    let (mut factor, ratio) = (power(c / (TABLE_STEPS * TABLE_STEPS)), power(2.0 * c / (TABLE_STEPS * TABLE_STEPS)));
    let mut k = 1;
    while k < N {
        heights[k] = heights[k - 1].times(factor);
        factor = factor.times(ratio);
        if k as f64 == LIFTED * TABLE_STEPS {
            heights[k] = heights[k].times_f64(LIFT);
        }
        k += 1;
    }
    heights
}

/// Computes the area between two neighbouring multiples of 1 / 64, given the height of the curve at the first one, the k-th.
const fn step(height: Double, c: f64, k: usize) -> Double {
    height
        .times(mean(2.0 * c * k as f64 / (TABLE_STEPS * TABLE_STEPS), c / (TABLE_STEPS * TABLE_STEPS)))
        .times_f64(1.0 / TABLE_STEPS)
}

const fn from_zero() -> Areas<512> {
    let heights: [Double; 512] = heights(Double { high: FRAC_2_SQRT_PI, low: FRAC_2_SQRT_PI_REST }, 1.0);
    let mut areas = [ZERO; 512];
    let mut k = 1;
    while k < 512 {
        areas[k] = areas[k - 1].plus(step(heights[k - 1], 1.0, k - 1));
        k += 1;
    }
    Areas::new(&areas, &heights)
}

#[allow(clippy::large_stack_arrays, reason = "it is the compiler's stack")]
const fn beyond() -> Areas<2560> {
    let heights: [Double; 2560] =
        heights(Double { high: 0.398_942_280_401_432_7, low: -2.492_327_202_277_73e-17 }, 0.5);
    let mut areas = [ZERO; 2560];
    // Beyond the last row the area is roughly the height divided by its position; errors there grow less than areas, by
    // e^-40.
    areas[2559] = heights[2559].over(2559.0 / TABLE_STEPS);
    let mut k = 2559;
    while k > 0 {
        let known = if k as f64 == LIFTED * TABLE_STEPS { areas[k].times_f64(1.0 / LIFT) } else { areas[k] };
        k -= 1;
        areas[k] = known.plus(step(heights[k], 0.5, k));
    }
    Areas::new(&areas, &heights)
}

impl<const N: usize> Areas<N> {
    const fn new(areas: &[Double; N], heights: &[Double; N]) -> Self {
        let zeros = [0.0; N];
        let mut own = Self { area: zeros, area_rest: zeros, height: zeros, height_rest: zeros };
        let mut k = 0;
        while k < N {
            (own.area[k], own.area_rest[k]) = (areas[k].high, areas[k].low);
            (own.height[k], own.height_rest[k]) = (heights[k].high, heights[k].low);
            k += 1;
        }
        own
    }

    /// Multiplies a height by a width, in two parts.
    #[inline(always)]
    fn piece<M: Fma>(&self, row: usize, h: f64) -> (f64, f64) {
        let piece = self.height[row] * h;
        (piece, M::fma64(self.height_rest[row], h, M::fma64(self.height[row], h, -piece)))
    }
}

/// The position of a number between multiples of 1 / 64.
struct Place {
    /// The nearest multiple.
    nearest: f64,
    /// The number minus that multiple.
    rest: f64,
    /// The count of steps to the nearest multiple.
    row: usize,
}

impl Place {
    /// Finds the position of a number below 2^40.
    #[inline(always)]
    fn of(x: f64) -> Self {
        let shifted = x + TO_STEPS;
        let nearest = shifted - TO_STEPS;
        Self { nearest, rest: x - nearest, row: (shifted.to_bits() & 0xfff) as usize }
    }
}

/// Computes coefficients of the integral of e^(-a t - w t^2) over t from 0 to 1: those of a^i w^j, which are
/// (-1)^(i + j) / (i! j! (i + 2 j + 1)), for one j and all i from the first one.
const fn coefficients<const N: usize>(first: usize, j: usize) -> [f64; N] {
    let mut all = [0.0; N];
    let mut n = 0;
    while n < N {
        let i = first + n;
        let below = factorial(i) * factorial(j) * (i + 2 * j + 1) as f64;
        all[n] = if (i + j).is_multiple_of(2) { 1.0 / below } else { -1.0 / below };
        n += 1;
    }
    all
}

const fn factorial(n: usize) -> f64 {
    if n < 2 { 1.0 } else { n as f64 * factorial(n - 1) }
}

/// Computes that integral minus 1 for |a| <= 0.3125 and w <= 2^-15.
#[inline(always)]
fn series<M: Fma>(a: f64, w: f64) -> f64 {
    const W0: [f64; 12] = coefficients(1, 0);
    const W1: [f64; 11] = coefficients(0, 1);
    const W2: [f64; 7] = coefficients(0, 2);
    const W3: [f64; 3] = coefficients(0, 3);
    let square = a * a;
    let with_w2 = M::fma64(w, poly_by::<M, 3>(&W3, a, square), poly_by::<M, 7>(&W2, a, square));
    let with_w = M::fma64(w, with_w2, poly_by::<M, 11>(&W1, a, square));
    M::fma64(a, poly_by::<M, 12>(&W0, a, square), w * with_w)
}

/// Computes the same for |a| <= 0.093 and w <= 2^-14, with an error of 2^-60 relative to the area that it is added to.
#[inline(always)]
fn series_few<M: Fma>(a: f64, w: f64) -> f64 {
    const W0: [f64; 6] = coefficients(1, 0);
    const W1: [f64; 5] = coefficients(0, 1);
    const W2: [f64; 3] = coefficients(0, 2);
    const W3: [f64; 1] = coefficients(0, 3);
    let square = a * a;
    let with_w2 = M::fma64(w, W3[0], poly_by::<M, 3>(&W2, a, square));
    let with_w = M::fma64(w, with_w2, poly_by::<M, 5>(&W1, a, square));
    M::fma64(a, poly_by::<M, 6>(&W0, a, square), w * with_w)
}

/// Evaluates a polynomial, given the square of x: even and odd terms are separate chains.
#[inline(always)]
fn poly_by<M: Fma, const N: usize>(c: &[f64; N], x: f64, square: f64) -> f64 {
    let (mut upper, mut lower) = (c[N - 1], c[N - 2]);
    let mut k = N - 2;
    while k >= 2 {
        upper = M::fma64(upper, square, c[k - 1]);
        lower = M::fma64(lower, square, c[k - 2]);
        k -= 2;
    }
    if N.is_multiple_of(2) { M::fma64(upper, x, lower) } else { M::fma64(M::fma64(upper, x, lower), x, c[0]) }
}

/// The part of 2 / sqrt(pi) beyond one f64.
const FRAC_2_SQRT_PI_REST: f64 = 1.533545961316588e-17;

/// Computes the error function.
///
/// It is the area of the table plus the area from there to x; beyond 5.95 it is 1. At most 0.63 ULP (measured 0.6222),
/// subnormal results included.
pub fn erf64(x: f64) -> f64 {
    erf64_by::<FmaDefault>(x)
}

/// Computes the error function with fused operations.
#[inline(always)]
pub(crate) fn erf64_by<M: Fma>(x: f64) -> f64 {
    let size = x.abs().clamp(0.0, 5.95);
    let Place { nearest, rest: h, row } = Place::of(size);
    let row = row & 511;
    let piece = FROM_ZERO.piece::<M>(row, h);
    let more = series_few::<M>((nearest + nearest) * h, h * h);
    // The area is not smaller than the piece, or it is zero.
    let (high, lost) = ordered(FROM_ZERO.area[row], piece.0);
    let value = high + (lost + (FROM_ZERO.area_rest[row] + M::fma64(piece.0, more, piece.1)));
    // There the parts of the product may be subnormal.
    let value = if size < 1e-280 { size * FRAC_2_SQRT_PI } else { value };
    if x.is_nan() { f64::NAN } else { value.copysign(x) }
}

/// Computes x (1 + erf(x / sqrt(2))) / 2.
///
/// It is x times the share of the normal distribution below x: for negative x, the area of the table plus the area from
/// there to x, and otherwise x - x times the share beyond x. At most 0.75 ULP (measured 0.7386), and 0.57 unless the
/// result is subnormal.
pub fn gelu64(x: f64) -> f64 {
    gelu64_by::<FmaDefault>(x)
}

/// Computes x (1 + erf(x / sqrt(2))) / 2 with fused operations.
#[inline(always)]
pub(crate) fn gelu64_by<M: Fma>(x: f64) -> f64 {
    let size = x.abs().clamp(0.0, 39.98);
    let Place { nearest, rest: h, row } = Place::of(size);
    let row = row.min(2559);
    let piece = BEYOND.piece::<M>(row, h);
    let more = series::<M>(nearest * h, 0.5 * h * h);
    let (high, lost) = ordered(BEYOND.area[row], -piece.0);
    let rest = lost + (BEYOND.area_rest[row] - M::fma64(piece.0, more, piece.1));
    let above = size * high;
    let above_rest = M::fma64(size, rest, M::fma64(size, high, -above));
    let scale = if nearest < LIFTED { 1.0 } else { 1.0 / LIFT };
    let (whole, lost) = ordered(size, -scale * above);
    let rising = whole + (lost - scale * above_rest);
    ends::<M>(x, if x < 0.0 { scale * (above + above_rest) } else { rising }, 10.0)
}

#[cfg(test)]
mod tests {
    use super::{Areas, BEYOND, FROM_ZERO, LIFT, LIFTED, TABLE_STEPS};

    /// The areas of all rows add up to that of a whole curve, which the heights determine only by their first one.
    #[test]
    fn all_areas_together_are_the_whole() {
        assert_eq!(BEYOND.area[0], 0.5);
        assert!(BEYOND.area_rest[0].abs() < 1e-27, "{:e}", BEYOND.area_rest[0]);
        assert_eq!(FROM_ZERO.area[511], 1.0);
        assert!(FROM_ZERO.area_rest[511].abs() < 1e-27, "{:e}", FROM_ZERO.area_rest[511]);
    }

    #[test]
    fn heights_are_those_of_the_curves() {
        let near = |found: f64, want: f64| (found / want - 1.0).abs() < 1e-13;
        for row in 0..512 {
            let x = row as f64 / TABLE_STEPS;
            assert!(near(FROM_ZERO.height[row], FROM_ZERO.height[0] * pxfm::f_exp(-x * x)), "{x}");
        }
        for row in 0..2048 {
            let x = row as f64 / TABLE_STEPS;
            assert!(near(BEYOND.height[row], BEYOND.height[0] * pxfm::f_exp(-0.5 * x * x)), "{x}");
        }
        let first = (LIFTED * TABLE_STEPS) as usize;
        assert!(near(BEYOND.height[first], BEYOND.height[0] * pxfm::f_exp(-512.0) * LIFT));
    }

    #[test]
    fn rests_are_less_than_half_a_last_place() {
        fn check<const N: usize>(areas: &Areas<N>) {
            let parts = [(&areas.area, &areas.area_rest), (&areas.height, &areas.height_rest)];
            for (all, rests) in parts {
                for (row, (&whole, &rest)) in all.iter().zip(rests).enumerate() {
                    assert_eq!(whole + rest, whole, "{row}");
                    assert!(rest != 0.0 || row < 2, "{row}");
                }
            }
        }
        check(FROM_ZERO);
        check(BEYOND);
    }
}
