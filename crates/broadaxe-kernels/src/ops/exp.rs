//! Exponentials and logarithms.

use crate::math;

functions! {
    /// e^a
    Exp: |x| math::exp32(x), math::exp64(x);
    /// 2^a
    Exp2: |x| math::exp2_32(x), math::exp2_64(x);
    /// e^a - 1, exact near 0
    Expm1: |x| math::expm1_32(x), math::expm1_64(x);
    /// The natural logarithm
    Log: |x| math::log32(x), math::log64(x);
    /// The logarithm to base 2
    Log2: |x| math::log2_32(x), math::log2_64(x);
    /// The logarithm to base 10
    Log10: |x| math::log10_32(x), math::log10_64(x);
    /// log(1 + a), exact near 0
    Log1pBy<M> as Log1p, Log1pFused: |x| math::log1p32(x), math::log1p64_by::<M>(x);
}
