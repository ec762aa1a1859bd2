//! erf and gelu in f64, from tables of areas under bell curves at multiples of 1/64.
//!
//! Beyond a multiple r the curve `e^(-c (r + s)^2)` is `e^(-c r^2)` times `e^(-2 c r s - c s^2)`, whose area over s
//! from 0 to h is h times a short series in `a = 2 c r h` and `w = c h^2`. An area and what is added to it are sums of
//! two f64, so that a result is rounded once. The tables are in `bell_areas.bin`, with errors far below their last places: a
//! test computes them. The compiler could, but would need longer for them than to check the rest of the crate.
//!
//! The tables are constants and not statics: loops in another codegen unit would not know that a static never changes,
//! and would not vectorise. For the same reason no code chooses between two numbers of a table, which would become a
//! branch.

use std::f64::consts::FRAC_2_SQRT_PI;

use super::{
    ROUND,
    extended::ordered,
    float_n::{Fma, FmaDefault},
    fused::ends,
    poly_by,
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

/// The tables, column by column, as little-endian f64. `BROADAXE_WRITE=1` lets the test of them write the file.
const FILE: &[u8] = include_bytes!("bell_areas.bin");

/// Areas from zero, and heights, of 2 / sqrt(pi) e^(-t^2): values and slopes of erf up to 8.
const FROM_ZERO: &Areas<512> = &Areas::read(0);

/// Areas to infinity, and heights, of 1 / sqrt(2 pi) e^(-t^2 / 2) up to 40. Those from 32 on are multiplied by 2^512.
const BEYOND: &Areas<2560> = &Areas::read(4 * 512);

/// The first row of `BEYOND` that is scaled, as a number.
const LIFTED: f64 = 32.0;

/// 2^512.
const LIFT: f64 = f64::from_bits(1535 << 52);

impl<const N: usize> Areas<N> {
    /// Reads a table whose first column begins with number `first` of the file.
    const fn read(first: usize) -> Self {
        Self {
            area: column(first),
            area_rest: column(first + N),
            height: column(first + 2 * N),
            height_rest: column(first + 3 * N),
        }
    }

    /// Multiplies a height by a width, in two parts.
    #[inline(always)]
    fn piece<M: Fma>(&self, row: usize, h: f64) -> (f64, f64) {
        let piece = self.height[row] * h;
        (piece, M::fma64(self.height_rest[row], h, M::fma64(self.height[row], h, -piece)))
    }
}

/// Reads a column of the file.
const fn column<const N: usize>(first: usize) -> [f64; N] {
    let mut column = [0.0; N];
    let mut k = 0;
    while k < N {
        let (_, rest) = FILE.split_at(8 * (first + k));
        if let Some((bytes, _)) = rest.split_first_chunk() {
            column[k] = f64::from_bits(u64::from_le_bytes(*bytes));
        }
        k += 1;
    }
    column
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
mod tests;
