//! Products and sums that are rounded once.

/// Computes a product and a sum with one rounding.
pub(crate) trait Fma: Copy + 'static {
    /// Is true where every operand is near zero (see [`Lanewise::NEAR`]). No operand is then NaN, and all results and
    /// intermediate powers of two are normal numbers, so loops leave out the code for other cases.
    const NEAR: bool = false;
    /// The same for numbers near zero, if such a path exists.
    type Near: Fma;
    /// Computes a * b + c.
    fn fma(a: f32, b: f32, c: f32) -> f32;
    /// Computes a * b + c in f64.
    fn fma64(a: f64, b: f64, c: f64) -> f64;
    /// Computes a * b + c, rounded once or twice, whichever is faster, where both give the same bits.
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
    /// The same in f64.
    #[inline(always)]
    fn multiply_add64(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

/// The fused operation of the hardware.
#[derive(Clone, Copy)]
pub(crate) struct FmaHardware;

impl Fma for FmaHardware {
    type Near = FmaHardwareNear;
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        Self::fma(a, b, c)
    }
    #[inline(always)]
    fn multiply_add64(a: f64, b: f64, c: f64) -> f64 {
        Self::fma64(a, b, c)
    }
}

/// The fused operation of the hardware, for functions of numbers near zero.
#[derive(Clone, Copy)]
pub(crate) struct FmaHardwareNear;

impl Fma for FmaHardwareNear {
    const NEAR: bool = true;
    type Near = Self;
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        FmaHardware::fma(a, b, c)
    }
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        FmaHardware::fma64(a, b, c)
    }
}
