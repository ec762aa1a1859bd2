//! A constant for each operator, for code that knows at compile time which operators it uses.
//!
//! ```
//! use broadaxe::{Array, Rule, apply, ops};
//! let a = Array::from_vec([2, 1], vec![1_i32, 2])?;
//! let b = Array::from_vec([3], vec![10_i32, 20, 30])?;
//! let sum = apply(ops::ADD, &Rule::numpy(), &[a.view(), b.view()])?;
//! assert_eq!(sum.as_slice::<i32>(), Some(&[11, 21, 31, 12, 22, 32][..]));
//! # Ok::<(), broadaxe::Error>(())
//! ```

use broadaxe_kernels::{OpId, id};

/// Declares a constant for the operator of each name.
macro_rules! operators {
    ($($constant:ident $name:literal),* $(,)?) => {
        $(
            #[doc = concat!("Names the operator `", $name, "`.")]
            pub const $constant: OpId = id($name);
        )*
        #[cfg(test)]
        const ALL: &[OpId] = &[$($constant),*];
    };
}

#[rustfmt::skip]
operators! {
    ADD "add", SUB "sub", MUL "mul", DIV "div", DIV_TRUNC "div_trunc",
    DIV_FLOOR "div_floor", MOD_FLOOR "mod_floor", FMOD "fmod", REMAINDER_IEEE "remainder_ieee", POW "pow",
    FLOAT_POWER "float_power", POW_TRUNC "pow_trunc", MAX "max", MIN "min", FMAX "fmax",
    FMIN "fmin", SUM "sum", MEAN "mean", SQUARED_DIFFERENCE "squared_difference", ATAN2 "atan2",
    LOGADDEXP "logaddexp", LOGADDEXP2 "logaddexp2", HYPOT "hypot", COPYSIGN "copysign", NEXTAFTER "nextafter",
    LDEXP "ldexp", GCD "gcd", LCM "lcm", PRELU "prelu", EQUAL "equal",
    NOT_EQUAL "not_equal", LESS "less", LESS_EQUAL "less_equal", GREATER "greater", GREATER_EQUAL "greater_equal",
    HEAVISIDE "heaviside", ISNAN "isnan", ISINF "isinf", ISFINITE "isfinite", SIGNBIT "signbit",
    LOGICAL_AND "logical_and", LOGICAL_OR "logical_or", LOGICAL_XOR "logical_xor", LOGICAL_NOT "logical_not", BITWISE_AND "bitwise_and",
    BITWISE_OR "bitwise_or", BITWISE_XOR "bitwise_xor", BITWISE_NOT "bitwise_not", BITWISE_COUNT "bitwise_count", SHIFT_LEFT "shift_left",
    SHIFT_RIGHT "shift_right", SHIFT_LEFT_MOD "shift_left_mod", SHIFT_RIGHT_MOD "shift_right_mod", WHERE "where", CLAMP "clamp",
    COPY "copy", POSITIVE "positive", CONJUGATE "conjugate", IMAG "imag", ONES_LIKE "ones_like",
    NEG "neg", ABS "abs", FABS "fabs", SIGN "sign", SQUARE "square",
    RECIPROCAL "reciprocal", SQRT "sqrt", RSQRT "rsqrt", CBRT "cbrt", DEG2RAD "deg2rad",
    RAD2DEG "rad2deg", FLOOR "floor", CEIL "ceil", ROUND "round", RINT "rint",
    TRUNC "trunc", MODF_WHOLE "modf_whole", MODF_FRACTION "modf_fraction", FREXP_MANTISSA "frexp_mantissa", FREXP_EXPONENT "frexp_exponent",
    SPACING "spacing", EXP "exp", EXP2 "exp2", EXPM1 "expm1", LOG "log",
    LOG2 "log2", LOG10 "log10", LOG1P "log1p", SIN "sin", COS "cos",
    TAN "tan", ASIN "asin", ACOS "acos", ATAN "atan", SINH "sinh",
    COSH "cosh", TANH "tanh", ASINH "asinh", ACOSH "acosh", ATANH "atanh",
    ERF "erf", SIGMOID "sigmoid", GELU "gelu", GELU_TANH "gelu_tanh", SOFTPLUS "softplus",
    SILU "silu", RELU "relu", HARDSWISH "hardswish",
}

#[cfg(test)]
mod tests {
    use broadaxe_kernels::OPS;

    #[test]
    fn every_operator_has_a_constant() {
        assert!(super::ALL.iter().map(|id| id.name()).eq(OPS.iter().map(broadaxe_kernels::Op::name)));
    }
}
