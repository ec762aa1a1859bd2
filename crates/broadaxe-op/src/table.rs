//! The table of operators: one row each; everything else is derived from it.
//!
//! A row has the name, the promotion of operands of several dtypes, the meaning in terms of the operands `a`, `b` and
//! `c`, the dtypes, and the facts that tests check. The loops are in `broadaxe-kernels`, the names of frameworks in
//! `broadaxe-frameworks`.

use crate::{
    dtype::DType,
    names::OpId,
    op::{
        Dtypes, Op,
        Promotion::{
            Bits, Choose, Class, Common, Compare, Divided, Exponent, Float, Integer, NotBool, Number, Rounded, Shift,
            Truth, Widest,
        },
        binary, ternary, unary,
    },
};

const ALL: Dtypes = Dtypes::ALL;
const BITS: Dtypes = Dtypes::BITS;
const FLOATS: Dtypes = Dtypes::FLOATS;
const INTEGERS: Dtypes = Dtypes::INTEGERS;
const NUMBERS: Dtypes = Dtypes::NUMBERS;
const TRUTHS: Dtypes = Dtypes::TRUTHS;

/// Every operator, in families.
#[rustfmt::skip]
pub static OPS: &[Op] = &[
    binary("add", Common, "a + b", NUMBERS).commutative().with_identity(0.0),
    binary("sub", NotBool, "a - b", NUMBERS),
    binary("mul", Common, "a * b", NUMBERS).commutative().with_identity(1.0),
    binary("div", Divided, "a / b", FLOATS),
    binary("div_trunc", Number, "a / b, rounded towards zero", NUMBERS),
    binary("div_floor", Number, "a / b, rounded down", NUMBERS),
    binary("mod_floor", Number, "a - b * floor(a / b), with the sign of b", NUMBERS),
    binary("fmod", Number, "a - b * trunc(a / b), with the sign of a", NUMBERS),
    binary("remainder_ieee", Float, "a - b * round(a / b), ties to even", NUMBERS),
    binary("pow", Number, "a to the power of b", NUMBERS).within(1.0, 1.0),
    binary("float_power", Widest, "a to the power of b, in f64", FLOATS).within(1.0, 1.0),
    binary("pow_trunc", Number, "a to the power of b, in integers; rounded towards zero where b < 0", INTEGERS),
    binary("max", Common, "the larger of a and b; NaN propagates", NUMBERS).commutative().variadic(),
    binary("min", Common, "the smaller of a and b; NaN propagates", NUMBERS).commutative().variadic(),
    binary("fmax", Common, "the larger of a and b; a number wins over NaN", NUMBERS).commutative(),
    binary("fmin", Common, "the smaller of a and b; a number wins over NaN", NUMBERS).commutative(),
    binary("sum", Common, "a + b + ..., from the left", NUMBERS).commutative().variadic().with_identity(0.0),
    binary("mean", Divided, "(a + b + ...) / count", FLOATS).commutative().variadic().average(),
    binary("squared_difference", Number, "(a - b)^2", NUMBERS).commutative(),
    binary("atan2", Float, "the angle of the point (b, a)", FLOATS).within(1.0, 1.0),
    binary("logaddexp", Float, "log(e^a + e^b)", FLOATS).commutative().within(1.0, 2.0),
    binary("logaddexp2", Float, "log2(2^a + 2^b)", FLOATS).commutative().within(1.0, 2.0),
    binary("hypot", Float, "sqrt(a^2 + b^2)", FLOATS).commutative().within(1.0, 1.0),
    binary("copysign", Float, "|a| with the sign of b", FLOATS),
    binary("nextafter", Float, "the next float after a in the direction of b", FLOATS),
    binary("ldexp", Exponent, "a * 2^b, rounded once; b is an integer", FLOATS),
    binary("gcd", Integer, "the greatest common divisor of |a| and |b|; of two zeros, 0", INTEGERS).commutative(),
    binary("lcm", Integer, "the least common multiple of |a| and |b|; it wraps", INTEGERS).commutative(),
    binary("prelu", Number, "a where a >= 0, else a * b", NUMBERS),

    binary("equal", Compare, "a == b", ALL).commutative(),
    binary("not_equal", Compare, "a != b", ALL).commutative(),
    binary("less", Compare, "a < b", ALL).with_reversed("greater"),
    binary("less_equal", Compare, "a <= b", ALL).with_reversed("greater_equal"),
    binary("greater", Compare, "a > b", ALL).with_reversed("less"),
    binary("greater_equal", Compare, "a >= b", ALL).with_reversed("less_equal"),
    binary("heaviside", Float, "0, b or 1 where a is below, at or above 0", FLOATS),
    unary("isnan", Class, "a is a NaN", FLOATS),
    unary("isinf", Class, "a is an infinity", FLOATS),
    unary("isfinite", Class, "a is neither NaN nor an infinity", FLOATS),
    unary("signbit", Float, "the sign bit of a; that of -0 and of some NaN is set", FLOATS).giving(DType::Bool),

    binary("logical_and", Truth, "a and b", TRUTHS).commutative().with_identity(1.0),
    binary("logical_or", Truth, "a or b", TRUTHS).commutative().with_identity(0.0),
    binary("logical_xor", Truth, "a or b, not both", TRUTHS).commutative().with_identity(0.0),
    unary("logical_not", Truth, "not a", TRUTHS),
    binary("bitwise_and", Bits, "a & b", BITS).commutative(),
    binary("bitwise_or", Bits, "a | b", BITS).commutative().with_identity(0.0),
    binary("bitwise_xor", Bits, "a ^ b", BITS).commutative().with_identity(0.0),
    unary("bitwise_not", Bits, "~a", BITS),
    unary("bitwise_count", Shift, "the number of bits of |a| that are 1", INTEGERS).giving(DType::U8),
    unary("clz", Shift, "the number of leading bits that are 0", INTEGERS),
    binary("shift_left", Shift, "a << b; 0 where b < 0 or b >= the width", INTEGERS).with_identity(0.0),
    binary("shift_right", Shift, "a >> b; only sign bits where b < 0 or b >= the width", INTEGERS).with_identity(0.0),
    binary("shift_left_mod", Shift, "a << (b modulo the width)", INTEGERS).with_identity(0.0),
    binary("shift_right_mod", Shift, "a >> (b modulo the width)", INTEGERS).with_identity(0.0),

    ternary("where", Choose, "b where a holds, else c", ALL),
    ternary("clamp", Common, "a, at least b and at most c; c wins", NUMBERS),

    unary("copy", Common, "a", ALL),
    unary("positive", NotBool, "+a", NUMBERS),
    unary("conjugate", Number, "a, which is its own conjugate as a real number", NUMBERS),
    unary("imag", Common, "the imaginary part of a: 0", ALL),
    unary("ones_like", Common, "1 for each element of a", ALL),
    unary("neg", NotBool, "-a", NUMBERS),
    unary("abs", Common, "|a|", NUMBERS),
    unary("fabs", Float, "|a|, in floats", FLOATS),
    unary("sign", NotBool, "-1, 0 or 1 by the sign of a; NaN stays NaN", NUMBERS),
    unary("square", Number, "a^2", NUMBERS),
    unary("reciprocal", Common, "1 / a", FLOATS),
    unary("sqrt", Float, "the square root of a", FLOATS),
    unary("rsqrt", Float, "1 / sqrt(a)", FLOATS).within(1.0, 1.0),
    unary("cbrt", Float, "the cube root of a", FLOATS).within(1.0, 1.0),
    unary("deg2rad", Float, "a * (pi / 180)", FLOATS),
    unary("rad2deg", Float, "a * (180 / pi)", FLOATS),
    unary("floor", Rounded, "a rounded down", FLOATS),
    unary("ceil", Rounded, "a rounded up", FLOATS),
    unary("round", Rounded, "a rounded to nearest, ties to even", FLOATS),
    unary("rint", Float, "a rounded to nearest, ties to even, in floats", FLOATS),
    unary("trunc", Rounded, "a rounded towards zero", FLOATS),
    unary("modf_whole", Float, "the whole part of a, as of modf: a rounded towards zero, in floats", FLOATS),
    unary("modf_fraction", Float, "a less its whole part, as of modf, with the sign of a; of an infinity, 0", FLOATS),
    unary("frexp_mantissa", Float, "m of a = m * 2^n, as of frexp: |m| is at least 1/2 and below 1", FLOATS),
    unary("frexp_exponent", Float, "n of a = m * 2^n, as of frexp; of 0, infinities and NaN, 0", FLOATS).giving(DType::I32),
    unary("spacing", Float, "the distance from a to the next float", FLOATS),

    unary("exp", Float, "e^a", FLOATS).within(1.0, 1.0),
    unary("exp2", Float, "2^a", FLOATS).within(1.0, 1.0),
    unary("expm1", Float, "e^a - 1", FLOATS).within(1.0, 1.0),
    unary("log", Float, "the natural logarithm of a", FLOATS).within(1.0, 1.0),
    unary("log2", Float, "the logarithm of a to base 2", FLOATS).within(1.0, 1.0),
    unary("log10", Float, "the logarithm of a to base 10", FLOATS).within(1.0, 1.0),
    unary("log1p", Float, "log(1 + a)", FLOATS).within(1.0, 1.0),
    unary("sin", Float, "the sine of a", FLOATS).within(1.0, 1.0),
    unary("cos", Float, "the cosine of a", FLOATS).within(1.0, 1.0),
    unary("tan", Float, "the tangent of a", FLOATS).within(1.0, 1.0),
    unary("asin", Float, "the arc sine of a", FLOATS).within(1.0, 1.0),
    unary("acos", Float, "the arc cosine of a", FLOATS).within(1.0, 1.0),
    unary("atan", Float, "the arc tangent of a", FLOATS).within(1.0, 1.0),
    unary("sinh", Float, "the hyperbolic sine of a", FLOATS).within(1.0, 1.0),
    unary("cosh", Float, "the hyperbolic cosine of a", FLOATS).within(1.0, 1.0),
    unary("tanh", Float, "the hyperbolic tangent of a", FLOATS).within(1.0, 1.0),
    unary("asinh", Float, "the inverse hyperbolic sine of a", FLOATS).within(1.0, 1.0),
    unary("acosh", Float, "the inverse hyperbolic cosine of a", FLOATS).within(1.0, 1.0),
    unary("atanh", Float, "the inverse hyperbolic tangent of a", FLOATS).within(1.0, 1.0),
    unary("erf", Float, "the error function of a", FLOATS).within(1.0, 1.0),
    unary("sigmoid", Float, "1 / (1 + e^-a)", FLOATS).within(1.0, 1.0),
    unary("gelu", Float, "a / 2 * (1 + erf(a / sqrt(2)))", FLOATS).within(1.0, 1.0),
    unary("gelu_tanh", Float, "a / 2 * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 * a^3)))", FLOATS).within(1.0, 1.0),
    unary("softplus", Float, "log(1 + e^a)", FLOATS).within(1.0, 1.0),
    unary("silu", Float, "a / (1 + e^-a)", FLOATS).within(1.0, 1.0),
    unary("relu", Number, "a where a > 0, else 0", NUMBERS),
    unary("hardswish", Float, "a * clamp(a + 3, 0, 6) / 6", FLOATS).within(1.0, 2.0),
];

/// Finds an operator by its name.
///
/// ```
/// let add = broadaxe_op::find("add").expect("in the table");
/// assert_eq!((add.meaning(), add.arity()), ("a + b", 2));
/// ```
pub fn find(name: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.name() == name)
}

impl OpId {
    /// Returns the operator.
    pub fn op(self) -> &'static Op {
        &OPS[self.index()]
    }
}

impl From<OpId> for &'static Op {
    fn from(id: OpId) -> Self {
        id.op()
    }
}

#[cfg(test)]
mod tests {
    use super::{OPS, OpId};
    use crate::names::NAMES;

    #[test]
    fn names_are_in_the_order_of_the_rows() {
        let rows: Vec<&str> = OPS.iter().map(super::Op::name).collect();
        assert_eq!(NAMES, rows);
        for op in OPS {
            let id = OpId::find(op.name()).expect("its name is listed");
            assert!(std::ptr::eq(id.op(), op), "{}", op.name());
        }
        assert_eq!(OpId::find("no_such"), None);
    }
}
