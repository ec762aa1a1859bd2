//! The kernels of the operators: one row each, per family of dtypes, in the order of the table in `broadaxe-op`.

use broadaxe_op::{DType, Op, OpId};

use crate::{
    family::{
        bounds, choices, comparisons, copied, copied_numbers, divisions, float, fused, heavy_float, heavy_floats,
        integer as integer1, integer_powers, integers, lanewise, lanewise_wide, mostly_f32, powers, remainders,
        rounded_float, rounded_floats, rounded_fused, seldom_all, seldom_divisions, seldom_float, seldom_float_width,
        seldom_floats, seldom_integer, seldom_integers, seldom_shifts, seldom_widths, shifts, stepwise_integers, truth,
        truths, wide_float, width, widths,
    },
    loops::Kernel,
    op::{Kernels, row},
    ops::{
        activation::{Erf, Gelu, GeluFused, GeluTanh, GeluTanhFused, Hardswish, Prelu, Relu, Sigmoid, Silu, Softplus},
        arith::{
            Abs, Add, Cbrt, Copysign, Div, DivFloor, DivTrunc, Fmax, Fmin, Fmod, Hypot, Max, Min, ModFloor, Mul, Neg,
            NegativeExponent, Pow, PowTrunc, Reciprocal, RemainderIeee, Rsqrt, RsqrtFused, Sign, Sqrt, Square,
            SquaredDifference, Sub, ZeroToNegative,
            integer::{IntDivFloor, IntDivTrunc, IntFmod, IntModFloor, IntPow, IntRemainderIeee},
        },
        bits::{BitAnd, BitNot, BitOr, BitXor, BitwiseCount, Clz, ShiftLeft, ShiftLeftMod, ShiftRight, ShiftRightMod},
        compare::{Equal, Heaviside, IsFinite, IsInf, IsNan, Less, LessEqual, NotEqual},
        divisors::{Gcd, Lcm},
        exp::{Exp, Exp2, Expm1, Log, Log1p, Log1pFused, Log2, Log10},
        floats::{Degrees, Exponent as FloatExponent, Fraction, Ldexp, Mantissa, Nextafter, Radians, Signbit, Spacing},
        like::{Ones, Zeros},
        logic::{LogicalAnd, LogicalNot, LogicalOr, LogicalXor},
        round::{Ceil, Floor, Round, Trunc},
        select::Clamp,
        trig::{
            Acos, Acosh, Asin, Asinh, Atan, Atan2, AtanFused, Atanh, Cos, CosFused, Cosh, Logaddexp, Logaddexp2, Sin,
            SinFused, Sinh, Tan, TanFused, Tanh,
        },
    },
};

/// The kernels of every operator, in the order of [`broadaxe_op::OPS`].
#[rustfmt::skip]
pub(crate) static KERNELS: &[(&str, Kernels)] = &[
    row("add", widths::<Add>().and(rounded_floats::<Add>())),
    row("sub", widths::<Sub>().and(rounded_floats::<Sub>())),
    row("mul", widths::<Mul>().and(rounded_floats::<Mul>())),
    row("div", rounded_floats::<Div>()),
    row("div_trunc", divisions::<IntDivTrunc>().and(seldom_floats::<DivTrunc>())),
    row("div_floor", divisions::<IntDivFloor>().and(remainders::<DivFloor>())),
    row("mod_floor", divisions::<IntModFloor>().and(remainders::<ModFloor>())),
    row("fmod", divisions::<IntFmod>().and(remainders::<Fmod>())),
    row("remainder_ieee", seldom_divisions::<IntRemainderIeee>().and(remainders::<RemainderIeee>())),
    row("pow", integer_powers::<IntPow, NegativeExponent>().and(powers::<Pow>())),
    row("float_power", powers::<Pow>()),
    row("pow_trunc", integer_powers::<PowTrunc, ZeroToNegative>()),
    row("max", integers::<Max>().and(rounded_floats::<Max>())),
    row("min", integers::<Min>().and(rounded_floats::<Min>())),
    row("fmax", integers::<Max>().and(mostly_f32::<Fmax>())),
    row("fmin", integers::<Min>().and(mostly_f32::<Fmin>())),
    row("sum", widths::<Add>().and(rounded_floats::<Add>())),
    row("mean", rounded_floats::<Add>()),
    row("squared_difference", seldom_widths::<SquaredDifference>().and(mostly_f32::<SquaredDifference>())),
    row("atan2", heavy_floats::<Atan2>()),
    row("logaddexp", heavy_floats::<Logaddexp>()),
    row("logaddexp2", heavy_floats::<Logaddexp2>()),
    row("hypot", heavy_floats::<Hypot>().quick()),
    row("copysign", seldom_floats::<Copysign>()),
    row("nextafter", seldom_floats::<Nextafter>()),
    row("ldexp", seldom_floats::<Ldexp>()),
    row("gcd", stepwise_integers::<Gcd>()),
    row("lcm", stepwise_integers::<Lcm>()),
    row("prelu", seldom_integers::<Prelu>().and(mostly_f32::<Prelu>())),

    row("equal", truths::<Equal>().and(widths::<Equal>()).and(comparisons::<Equal>())),
    row("not_equal", truths::<NotEqual>().and(widths::<NotEqual>()).and(comparisons::<NotEqual>())),
    row("less", truths::<Less>().and(integers::<Less>()).and(comparisons::<Less>())),
    row("less_equal", truths::<LessEqual>().and(integers::<LessEqual>()).and(comparisons::<LessEqual>())),
    row("greater", truths::<Less>().and(integers::<Less>()).and(comparisons::<Less>()).exchanged()),
    row("greater_equal", truths::<LessEqual>().and(integers::<LessEqual>()).and(comparisons::<LessEqual>()).exchanged()),
    row("heaviside", seldom_floats::<Heaviside>()),
    row("isnan", wide_float::<IsNan>()),
    row("isinf", wide_float::<IsInf>()),
    row("isfinite", wide_float::<IsFinite>()),
    row("signbit", seldom_float_width::<Signbit>()),

    row("logical_and", truths::<LogicalAnd>()),
    row("logical_or", truths::<LogicalOr>()),
    row("logical_xor", truths::<LogicalXor>()),
    row("logical_not", truth::<LogicalNot>()),
    row("bitwise_and", truths::<LogicalAnd>().and(widths::<BitAnd>())),
    row("bitwise_or", truths::<LogicalOr>().and(widths::<BitOr>())),
    row("bitwise_xor", truths::<LogicalXor>().and(widths::<BitXor>())),
    row("bitwise_not", truth::<LogicalNot>().and(width::<BitNot>())),
    row("bitwise_count", seldom_integer::<BitwiseCount>()),
    row("clz", seldom_integer::<Clz>()),
    row("shift_left", shifts::<ShiftLeft>()),
    row("shift_right", shifts::<ShiftRight>()),
    row("shift_left_mod", seldom_shifts::<ShiftLeftMod>()),
    row("shift_right_mod", seldom_shifts::<ShiftRightMod>()),

    row("where", choices()),
    row("clamp", bounds::<Clamp>()),

    row("copy", copied()),
    row("positive", copied_numbers()),
    row("conjugate", copied_numbers()),
    row("imag", seldom_all::<Zeros>()),
    row("ones_like", seldom_all::<Ones>()),
    row("neg", width::<Neg>().and(float::<Neg>())),
    row("abs", integer1::<Abs>().and(float::<Abs>())),
    row("fabs", float::<Abs>()),
    row("sign", seldom_integer::<Sign>().and(seldom_float::<Sign>())),
    row("square", width::<Square>().and(rounded_float::<Square>())),
    row("reciprocal", rounded_float::<Reciprocal>()),
    row("sqrt", rounded_float::<Sqrt>()),
    row("rsqrt", rounded_fused::<Rsqrt, RsqrtFused>().quick()),
    row("cbrt", heavy_float::<Cbrt>()),
    row("deg2rad", seldom_float::<Radians>()),
    row("rad2deg", seldom_float::<Degrees>()),
    row("floor", rounded_float::<Floor>()),
    row("ceil", rounded_float::<Ceil>()),
    row("round", rounded_float::<Round>()),
    row("rint", rounded_float::<Round>()),
    row("trunc", rounded_float::<Trunc>()),
    row("modf_whole", rounded_float::<Trunc>()),
    row("modf_fraction", seldom_float::<Fraction>()),
    row("frexp_mantissa", seldom_float::<Mantissa>()),
    row("frexp_exponent", seldom_float::<FloatExponent>()),
    row("spacing", seldom_float::<Spacing>()),

    row("exp", lanewise::<Exp>()),
    row("exp2", lanewise::<Exp2>()),
    row("expm1", heavy_float::<Expm1>()),
    row("log", lanewise_wide::<Log>()),
    row("log2", lanewise_wide::<Log2>()),
    row("log10", lanewise_wide::<Log10>()),
    row("log1p", fused::<Log1p, Log1pFused>()),
    row("sin", fused::<Sin, SinFused>()),
    row("cos", fused::<Cos, CosFused>()),
    row("tan", fused::<Tan, TanFused>()),
    row("asin", heavy_float::<Asin>()),
    row("acos", heavy_float::<Acos>()),
    row("atan", fused::<Atan, AtanFused>()),
    row("sinh", heavy_float::<Sinh>()),
    row("cosh", heavy_float::<Cosh>()),
    row("tanh", lanewise::<Tanh>()),
    row("asinh", heavy_float::<Asinh>()),
    row("acosh", heavy_float::<Acosh>()),
    row("atanh", heavy_float::<Atanh>()),
    row("erf", lanewise::<Erf>()),
    row("sigmoid", lanewise::<Sigmoid>()),
    row("gelu", fused::<Gelu, GeluFused>()),
    row("gelu_tanh", fused::<GeluTanh, GeluTanhFused>()),
    row("softplus", lanewise::<Softplus>()),
    row("silu", lanewise::<Silu>()),
    row("relu", integer1::<Relu>().and(float::<Relu>())),
    row("hardswish", float::<Hardswish>().quick()),
];

/// Finds the kernels of operators.
pub trait HasKernels {
    /// Returns the kernel for this dtype; for `where`, the dtype of the two choices.
    ///
    /// ```
    /// use broadaxe_kernels::{DType, HasKernels, find};
    /// let kernel = find("less").and_then(|op| op.kernel(DType::F32)).expect("in the table");
    /// assert_eq!(kernel.output(), DType::Bool);
    /// ```
    fn kernel(&self, dtype: DType) -> Option<&'static Kernel>;
}

impl HasKernels for OpId {
    #[inline]
    fn kernel(&self, dtype: DType) -> Option<&'static Kernel> {
        KERNELS[self.index()].1.0[dtype as usize].as_ref()
    }
}

impl HasKernels for Op {
    #[inline]
    fn kernel(&self, dtype: DType) -> Option<&'static Kernel> {
        self.id().kernel(dtype)
    }
}

#[cfg(test)]
mod tests {
    use broadaxe_op::{DType, OPS};

    use super::{HasKernels, KERNELS, Kernel};

    #[test]
    fn names_are_in_the_order_of_the_operators() {
        let names: Vec<&str> = KERNELS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, OPS.iter().map(broadaxe_op::Op::name).collect::<Vec<_>>());
    }

    #[test]
    fn kernels_are_what_the_operators_say() {
        for op in OPS {
            for dtype in DType::ALL {
                let kernel = op.kernel(dtype);
                assert_eq!(kernel.map(Kernel::output), op.output(dtype), "{} {dtype}", op.name());
                assert!(kernel.is_none_or(|kernel| kernel.inputs().len() == op.arity()), "{} {dtype}", op.name());
            }
        }
    }
}
