//! Circular and hyperbolic functions, in radians, and their inverses.

use crate::{
    loops::{Binary, Unary},
    math,
    number::Real,
};

/// The sine
pub struct Sin;
/// The cosine
pub struct Cos;
/// The tangent
pub struct Tan;
/// The arc sine
pub struct Asin;
/// The arc cosine
pub struct Acos;
/// The arc tangent
pub struct Atan;
/// The hyperbolic sine
pub struct Sinh;
/// The hyperbolic cosine
pub struct Cosh;
/// The hyperbolic tangent
pub struct Tanh;
/// The inverse hyperbolic sine
pub struct Asinh;
/// The inverse hyperbolic cosine
pub struct Acosh;
/// The inverse hyperbolic tangent
pub struct Atanh;

impl<T: Real> Unary<T> for Sin {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::sin32, math::sin64)
    }
}

impl<T: Real> Unary<T> for Cos {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::cos32, math::cos64)
    }
}

impl<T: Real> Unary<T> for Tan {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::tan32, math::tan64)
    }
}

impl<T: Real> Unary<T> for Asin {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::asin32, math::asin64)
    }
}

impl<T: Real> Unary<T> for Acos {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::acos32, math::acos64)
    }
}

impl<T: Real> Unary<T> for Atan {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::atan32, math::atan64)
    }
}

impl<T: Real> Unary<T> for Sinh {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::sinh32, math::sinh64)
    }
}

impl<T: Real> Unary<T> for Cosh {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::cosh32, math::cosh64)
    }
}

impl<T: Real> Unary<T> for Tanh {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::tanh32, math::tanh64)
    }
}

impl<T: Real> Unary<T> for Asinh {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::asinh32, math::asinh64)
    }
}

impl<T: Real> Unary<T> for Acosh {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::acosh32, math::acosh64)
    }
}

impl<T: Real> Unary<T> for Atanh {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.map(math::atanh32, math::atanh64)
    }
}

/// The angle of the point (b, a)
pub struct Atan2;
/// log(e^a + e^b)
pub struct Logaddexp;

impl<T: Real> Binary<T> for Atan2 {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.map2(b, math::atan2_32, math::atan2_64)
    }
}

impl<T: Real> Binary<T> for Logaddexp {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.map2(b, math::logaddexp32, math::logaddexp64)
    }
}
