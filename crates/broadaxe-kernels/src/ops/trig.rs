//! Circular and hyperbolic functions, in radians, and their inverses.

use crate::math;

functions! {
    /// The sine
    SinBy<M> as Sin, SinFused: |x| math::sin32_by::<M>(x), math::sin64_by::<M>(x),
        usual math::FEW_TURNS, math::sin32_few_by::<M>(x), math::sin64_few_by::<M>(x);
    /// The cosine
    CosBy<M> as Cos, CosFused: |x| math::cos32_by::<M>(x), math::cos64_by::<M>(x),
        usual math::FEW_TURNS, math::cos32_few_by::<M>(x), math::cos64_few_by::<M>(x);
    /// The tangent
    TanBy<M> as Tan, TanFused: |x| math::tan32_by::<M>(x), math::tan64_by::<M>(x),
        usual math::FEW_TURNS, math::tan32_few_by::<M>(x), math::tan64_few_by::<M>(x);
    /// The arc sine
    Asin: |x| math::asin32(x), math::asin64(x);
    /// The arc cosine
    Acos: |x| math::acos32(x), math::acos64(x);
    /// The arc tangent
    AtanBy<M> as Atan, AtanFused: |x| math::atan32_by::<M>(x), math::atan64_by::<M>(x);
    /// The hyperbolic sine
    Sinh: |x| math::sinh32(x), math::sinh64(x);
    /// The hyperbolic cosine
    Cosh: |x| math::cosh32(x), math::cosh64(x);
    /// The hyperbolic tangent
    Tanh: |x| math::tanh32(x), math::tanh64(x);
    /// The inverse hyperbolic sine
    Asinh: |x| math::asinh32(x), math::asinh64(x);
    /// The inverse hyperbolic cosine
    Acosh: |x| math::acosh32(x), math::acosh64(x);
    /// The inverse hyperbolic tangent
    Atanh: |x| math::atanh32(x), math::atanh64(x);
}

functions2! {
    /// The angle of the point (b, a)
    Atan2: |a, b| math::atan2_32(a, b), math::atan2_64(a, b);
    /// log(e^a + e^b)
    Logaddexp: |a, b| math::logaddexp32(a, b), math::logaddexp64(a, b);
    /// log2(2^a + 2^b)
    Logaddexp2: |a, b| math::logaddexp2_32(a, b), math::logaddexp2_64(a, b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{math::float_n::FmaDefault, number::Function};

    fn check<F: Function>() {
        for x in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN, 0.0, -0.0, F::USUAL, -F::USUAL] {
            assert_eq!(F::wide_usual(x).to_bits(), F::wide(x).to_bits(), "{x}");
            let x = x as f32;
            assert_eq!(F::narrow_usual(x).to_bits(), F::narrow(x).to_bits(), "{x}");
        }
    }

    #[test]
    fn forms_for_usual_arguments_take_infinities_too() {
        check::<SinBy<FmaDefault>>();
        check::<CosBy<FmaDefault>>();
        check::<TanBy<FmaDefault>>();
    }
}
