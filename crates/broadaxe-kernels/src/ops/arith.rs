//! Arithmetic: sums, products, quotients, remainders, powers, extremes.

use crate::{
    loops::{Binary, Rejects},
    math,
    number::{Function2, Integer, Number, Real},
    ops::round::Trunc,
};

binary! {
    /// a + b
    Add<T: Number> -> T: |a, b| a.add(b), commutes true;
    /// a - b
    Sub<T: Number> -> T: |a, b| a.sub(b);
    /// a * b
    Mul<T: Number> -> T: |a, b| a.mul(b), commutes true;
    /// a / b
    Div<T: Real> -> T: |a, b| a.div(b);
    /// a / b, rounded towards zero
    DivTrunc<T: Real> -> T: |a, b| a.div(b).map::<Trunc>();
    /// a to the power of b, for integers; 1 / a^|b| rounded towards zero for b < 0
    PowTrunc<T: Integer> -> T: |a, b| {
        let minus_one = T::ZERO.not();
        let unit = a == T::ONE || (a == minus_one && a.is_negative());
        if !b.is_negative() {
            integer::IntPow::apply(a, b)
        } else if !unit {
            T::ZERO
        } else if b.and(T::ONE) == T::ONE {
            a
        } else {
            T::ONE
        }
    };
    /// (a - b)²
    SquaredDifference<T: Number> -> T: |a, b| a.sub(b).mul(a.sub(b)), commutes true;
    /// |a| with the sign of b
    Copysign<T: Real> -> T: |a, b| a.copysign(b);
}

// Of two zeros that are equal, the second is the result.
binary! {
    /// The larger; NaN propagates
    Max<T: Number> -> T: |a, b| (if a > b || a.is_nan() { a } else { b }).canonical(), commutes !T::DTYPE.is_float();
    /// The smaller; NaN propagates
    Min<T: Number> -> T: |a, b| (if a < b || a.is_nan() { a } else { b }).canonical(), commutes !T::DTYPE.is_float();
    /// The larger; a number wins over NaN
    Fmax<T: Number> -> T: |a, b| (if a > b || b.is_nan() { a } else { b }).canonical(), commutes !T::DTYPE.is_float();
    /// The smaller; a number wins over NaN
    Fmin<T: Number> -> T: |a, b| (if a < b || b.is_nan() { a } else { b }).canonical(), commutes !T::DTYPE.is_float();
}

unary! {
    /// -a
    Neg<T: Number> -> T: |x| x.neg();
    /// |a|
    Abs<T: Number> -> T: |x| x.abs();
    /// -1, 0 or 1; NaN stays NaN
    Sign<T: Number> -> T: |x| {
        let below = if x < T::ZERO { T::ONE.neg() } else { T::ZERO };
        let sign = if x > T::ZERO { T::ONE } else { below };
        if x.is_nan() { x.canonical() } else { sign }
    };
    /// a²
    Square<T: Number> -> T: |x| x.mul(x);
    /// 1 / a
    Reciprocal<T: Real> -> T: |x| T::ONE.div(x);
}

functions2! {
    /// a / b, rounded down
    DivFloor: |a, b| math::div_floor32(a, b), math::div_floor64(a, b);
    /// a - b * `div_floor`(a, b)
    ModFloor: |a, b| math::mod_floor32(a, b), math::mod_floor64(a, b);
    /// a - b * trunc(a / b)
    Fmod: |a, b| math::fmod32(a, b), math::fmod64(a, b);
    /// a - b * round(a / b)
    RemainderIeee: |a, b| math::remainder_ieee32(a, b), math::remainder_ieee64(a, b);
    /// a to the power of b
    Pow: |a, b| math::pow32(a, b), math::pow64(a, b);
    /// √(a² + b²)
    Hypot: |a, b| math::hypot32(a, b), math::hypot64(a, b);
}

// The argument of a root is made canonical before the root is computed: the compiler knows that the root of a negative number is a
// NaN, and removes a choice between that NaN and the canonical one, although the machine's own has a sign.
functions! {
    /// √a
    Sqrt: |x| (if x >= 0.0 { x } else { f32::NAN }).sqrt(), (if x >= 0.0 { x } else { f64::NAN }).sqrt();
    /// 1 / √a
    RsqrtBy<M> as Rsqrt, RsqrtFused: |x| math::rsqrt32_by::<M>(x), math::rsqrt64_by::<M>(x);
    /// The cube root
    Cbrt: |x| math::cbrt32(x), math::cbrt64(x);
}

/// The operators whose integer and float forms have nothing in common.
pub(crate) mod integer {
    use std::marker::PhantomData;

    use super::{Binary, Integer};
    use crate::{
        division::{Divide, Dividend, PrecomputedDivisor},
        loops::ByPrecomputed,
        math::float_n::{Fma, FmaDefault},
    };

    /// A result that is derived from a quotient.
    pub(crate) trait OfQuotient: 'static {
        /// Whether the quotient is rounded down, or towards zero.
        const DOWN: bool;
        /// Derives it from the quotient of `a` and `b`.
        fn make<M: Fma, N: Divide>(a: N, b: N, quotient: N) -> N;
    }

    /// The quotient, rounded down or towards zero
    pub(crate) struct Quotient<const DOWN: bool>;
    /// The remainder of that quotient
    pub(crate) struct IntRemainder<const DOWN: bool>;
    /// The remainder of the quotient rounded to nearest
    pub(crate) struct NearestRest;

    impl<const DOWN: bool> OfQuotient for Quotient<DOWN> {
        const DOWN: bool = DOWN;
        #[inline(always)]
        fn make<M: Fma, N: Divide>(_: N, _: N, quotient: N) -> N {
            quotient
        }
    }

    impl<const DOWN: bool> OfQuotient for IntRemainder<DOWN> {
        const DOWN: bool = DOWN;
        #[inline(always)]
        fn make<M: Fma, N: Divide>(a: N, b: N, quotient: N) -> N {
            a.rest::<M>(quotient, b)
        }
    }

    impl OfQuotient for NearestRest {
        const DOWN: bool = true;
        #[inline(always)]
        fn make<M: Fma, N: Divide>(a: N, b: N, quotient: N) -> N {
            a.nearest_rest::<M>(quotient, b)
        }
    }

    /// The result that `Q` derives from a / b
    pub(crate) struct Division<Q>(PhantomData<Q>);
    /// a / b, rounded towards zero
    pub(crate) type IntDivTrunc = Division<Quotient<false>>;
    /// a / b, rounded down
    pub(crate) type IntDivFloor = Division<Quotient<true>>;
    /// The remainder of `IntDivFloor`, with the divisor's sign
    pub(crate) type IntModFloor = Division<IntRemainder<true>>;
    /// The remainder of `IntDivTrunc`, with the dividend's sign
    pub(crate) type IntFmod = Division<IntRemainder<false>>;
    /// The remainder of the quotient rounded to nearest, ties to even
    pub(crate) type IntRemainderIeee = Division<NearestRest>;
    /// a to the power of b, wrapping
    pub(crate) struct IntPow;

    impl<Q: OfQuotient> Division<Q> {
        #[inline(always)]
        fn of<N: Divide>(a: N, b: N) -> N {
            Q::make::<FmaDefault, N>(a, b, if Q::DOWN { a.div_floor(b) } else { a.div_trunc(b) })
        }
        #[inline(always)]
        fn of_by<M: Fma, N: Divide>(a: N, (b, by): (N, N::By)) -> N {
            Q::make::<M, N>(a, b, if Q::DOWN { by.floor::<M>(a) } else { by.trunc::<M>(a) })
        }
    }

    impl<T: Dividend, Q: OfQuotient> Binary<T> for Division<Q> {
        type Out = T;
        const NEARER: bool = T::NEARER;
        #[inline(always)]
        fn apply(a: T, b: T) -> T {
            Self::of(a, b)
        }
        #[inline(always)]
        fn is_near(x: T) -> bool {
            x.is_near()
        }
        #[inline(always)]
        fn apply_near(a: T, b: T) -> T {
            T::of_near(Self::of(a.near(), b.near()))
        }
    }

    impl<T: Dividend, Q: OfQuotient> ByPrecomputed<T> for Division<Q> {
        type By = (T, T::By);
        type NearBy = (T::Near, <T::Near as Divide>::By);
        #[inline(always)]
        fn prepare(b: T) -> Self::By {
            (b, PrecomputedDivisor::of(b))
        }
        #[inline(always)]
        fn prepare_near(b: T) -> Self::NearBy {
            (b.near(), PrecomputedDivisor::of(b.near()))
        }
        #[inline(always)]
        fn apply_by<M: Fma>(a: T, by: Self::By) -> T {
            Self::of_by::<M, T>(a, by)
        }
        #[inline(always)]
        fn apply_near_by<M: Fma>(a: T, by: Self::NearBy) -> T {
            T::of_near(Self::of_by::<M, T::Near>(a.near(), by))
        }
    }

    impl<T: Integer> Binary<T> for IntPow {
        type Out = T;
        /// Multiplies the squares for the set bits of the exponent; a negative exponent counts as 0 (a guard rejects it
        /// before).
        #[inline(always)]
        fn apply(a: T, b: T) -> T {
            let mut exponent = if b.is_negative() { 0 } else { b.bits() };
            let (mut square, mut product) = (a, T::ONE);
            while exponent != 0 {
                if exponent & 1 == 1 {
                    product = product.mul(square);
                }
                square = square.mul(square);
                exponent >>= 1;
            }
            product
        }
    }
}

/// A function of two numbers that is computed in one step for most of them: a quotient, a fused operation, and a check
/// of the remainder.
pub(crate) trait OneStep: Function2 {
    /// Computes in f32, or returns NaN.
    fn narrow_once(a: f32, b: f32) -> f32;
    /// Computes in f64, or returns NaN.
    fn wide_once(a: f64, b: f64) -> f64;
}

macro_rules! one_step {
    ($($op:ident $narrow:ident $wide:ident;)+) => { $(
        impl OneStep for $op {
            #[inline(always)]
            fn narrow_once(a: f32, b: f32) -> f32 {
                math::$narrow(a, b)
            }
            #[inline(always)]
            fn wide_once(a: f64, b: f64) -> f64 {
                math::$wide(a, b)
            }
        }
    )+ };
}
one_step! {
    DivFloor div_floor32_once div_floor64_once;
    ModFloor mod_floor32_once mod_floor64_once;
    Fmod fmod32_once fmod64_once;
    RemainderIeee remainder_ieee32_once remainder_ieee64_once;
}

/// Rejects a divisor of 0.
pub(crate) struct ZeroDivisor;
/// Rejects an exponent below 0.
pub(crate) struct NegativeExponent;
/// Rejects 0 to a power below 0.
pub(crate) struct ZeroToNegative;

impl<T: Integer> Rejects<T> for ZeroDivisor {
    const WHAT: &'static str = "a zero divisor";
    #[inline(always)]
    fn rejects(_: T, b: T) -> bool {
        b == T::ZERO
    }
}

impl<T: Integer> Rejects<T> for NegativeExponent {
    const WHAT: &'static str = "a negative exponent of an integer";
    #[inline(always)]
    fn rejects(_: T, b: T) -> bool {
        b.is_negative()
    }
}

impl<T: Integer> Rejects<T> for ZeroToNegative {
    const WHAT: &'static str = "zero to a negative power";
    #[inline(always)]
    fn rejects(a: T, b: T) -> bool {
        b.is_negative() && a == T::ZERO
    }
}
