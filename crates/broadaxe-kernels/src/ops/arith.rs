//! Arithmetic: sums, products, quotients, remainders, powers, extremes.

use std::marker::PhantomData;

use crate::{
    loops::{Binary, Rejects, Unary},
    math::{
        self,
        f32xn::{Fma, FmaDefault, FmaHardware},
    },
    number::{Function, Function2, Integer, Number, Real},
    ops::round::Trunc,
};

/// a + b
pub(crate) struct Add;
/// a - b
pub(crate) struct Sub;
/// a * b
pub(crate) struct Mul;
/// a / b
pub(crate) struct Div;
/// a / b, rounded towards zero
pub(crate) struct DivTrunc;
/// a / b, rounded down
pub(crate) struct DivFloor;
/// a - b * `div_floor`(a, b)
pub(crate) struct ModFloor;
/// a - b * trunc(a / b)
pub(crate) struct Fmod;
/// a - b * round(a / b)
pub(crate) struct RemainderIeee;
/// a to the power of b
pub(crate) struct Pow;
/// a to the power of b, for integers; 1 / a^|b| rounded towards zero for b < 0
pub(crate) struct PowTrunc;
/// The larger; NaN propagates
pub(crate) struct Max;
/// The smaller; NaN propagates
pub(crate) struct Min;
/// The larger; a number wins over NaN
pub(crate) struct Fmax;
/// The smaller; a number wins over NaN
pub(crate) struct Fmin;
/// (a - b)²
pub(crate) struct SquaredDifference;
/// -a
pub(crate) struct Neg;
/// |a|
pub(crate) struct Abs;
/// -1, 0 or 1; NaN stays NaN
pub(crate) struct Sign;
/// a²
pub(crate) struct Square;
/// 1 / a
pub(crate) struct Reciprocal;
/// √a
pub(crate) struct Sqrt;
/// 1 / √a
pub(crate) type Rsqrt = RsqrtBy<FmaDefault>;
/// 1 / √a, where the machine has an instruction for fused operations
pub(crate) type RsqrtFused = RsqrtBy<FmaHardware>;
/// 1 / √a, with fused operations as `M` has them
pub(crate) struct RsqrtBy<M>(PhantomData<M>);
/// √(a² + b²)
pub(crate) struct Hypot;
/// The cube root
pub(crate) struct Cbrt;
/// |a| with the sign of b
pub(crate) struct Copysign;

impl<T: Number> Binary<T> for Add {
    type Out = T;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.add(b)
    }
}

impl<T: Number> Binary<T> for Sub {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.sub(b)
    }
}

impl<T: Number> Binary<T> for Mul {
    type Out = T;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.mul(b)
    }
}

impl<T: Real> Binary<T> for Div {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.div(b)
    }
}

/// The operators whose integer and float forms have nothing in common.
pub(crate) mod integer {
    use std::marker::PhantomData;

    use super::{Binary, Integer};
    use crate::{
        division::{Divide, Dividend, PrecomputedDivisor},
        loops::ByPrecomputed,
        math::f32xn::{Fma, FmaDefault},
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

impl<T: Integer> Binary<T> for PowTrunc {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
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
    }
}

impl<T: Real> Binary<T> for DivTrunc {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.div(b).map::<Trunc>()
    }
}

impl Function2 for DivFloor {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::div_floor32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::div_floor64(a, b)
    }
}

impl Function2 for ModFloor {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::mod_floor32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::mod_floor64(a, b)
    }
}

impl Function2 for Fmod {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::fmod32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::fmod64(a, b)
    }
}

impl Function2 for RemainderIeee {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::remainder_ieee32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::remainder_ieee64(a, b)
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

impl Function2 for Pow {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::pow32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::pow64(a, b)
    }
}

impl<T: Number> Binary<T> for Max {
    type Out = T;
    // Of two zeros that are equal, the second is the result.
    const COMMUTES: bool = !T::DTYPE.is_float();
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let larger = if a > b || a.is_nan() { a } else { b };
        larger.canonical()
    }
}

impl<T: Number> Binary<T> for Min {
    type Out = T;
    // Of two zeros that are equal, the second is the result.
    const COMMUTES: bool = !T::DTYPE.is_float();
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let smaller = if a < b || a.is_nan() { a } else { b };
        smaller.canonical()
    }
}

impl<T: Number> Binary<T> for Fmax {
    type Out = T;
    // Of two zeros that are equal, the second is the result.
    const COMMUTES: bool = !T::DTYPE.is_float();
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let larger = if a > b || b.is_nan() { a } else { b };
        larger.canonical()
    }
}

impl<T: Number> Binary<T> for Fmin {
    type Out = T;
    // Of two zeros that are equal, the second is the result.
    const COMMUTES: bool = !T::DTYPE.is_float();
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let smaller = if a < b || b.is_nan() { a } else { b };
        smaller.canonical()
    }
}

impl<T: Number> Binary<T> for SquaredDifference {
    type Out = T;
    const COMMUTES: bool = true;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        let difference = a.sub(b);
        difference.mul(difference)
    }
}

impl Function for Cbrt {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::cbrt32(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::cbrt64(x)
    }
}

impl Function2 for Hypot {
    #[inline(always)]
    fn narrow(a: f32, b: f32) -> f32 {
        math::hypot32(a, b)
    }
    #[inline(always)]
    fn wide(a: f64, b: f64) -> f64 {
        math::hypot64(a, b)
    }
}

impl<T: Real> Binary<T> for Copysign {
    type Out = T;
    #[inline(always)]
    fn apply(a: T, b: T) -> T {
        a.copysign(b)
    }
}

impl<T: Number> Unary<T> for Neg {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.neg()
    }
}

impl<T: Number> Unary<T> for Abs {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.abs()
    }
}

impl<T: Number> Unary<T> for Sign {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        let below = if x < T::ZERO { T::ONE.neg() } else { T::ZERO };
        let sign = if x > T::ZERO { T::ONE } else { below };
        if x.is_nan() { x.canonical() } else { sign }
    }
}

impl<T: Number> Unary<T> for Square {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x.mul(x)
    }
}

impl<T: Real> Unary<T> for Reciprocal {
    type Out = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        T::ONE.div(x)
    }
}

impl Function for Sqrt {
    /// Makes the argument of the root canonical before the root is computed: the compiler knows that the root of a
    /// negative number is a NaN, and removes a choice between that NaN and the canonical one, although the machine's
    /// own has a sign.
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        if x >= 0.0 { x } else { f32::NAN }.sqrt()
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        if x >= 0.0 { x } else { f64::NAN }.sqrt()
    }
}

impl<M: Fma> Function for RsqrtBy<M> {
    #[inline(always)]
    fn narrow(x: f32) -> f32 {
        math::rsqrt32_by::<M>(x)
    }
    #[inline(always)]
    fn wide(x: f64) -> f64 {
        math::rsqrt64_by::<M>(x)
    }
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
