//! The table of operators: one row each, and everything else follows.
//!
//! A row states the name, the meaning in the operands `a`, `b` and `c`, the kernels per family of dtypes, the facts that tests hold
//! it to, and the names in other systems. What a framework's operator means exactly, attributes and all, is said where the
//! frameworks are; the names here are for people who look an operator up.

use crate::{
    family::{
        choices, divisions, float, floats, fused, heavy_float, heavy_floats, integer as integer1, integer_powers,
        integers, lanewise, numbers3, powers, remainders, rounded_float, rounded_floats, rounded_fused, truth, truths,
        width, widths,
    },
    op::{
        Op,
        System::{self, Ncnn, Numpy, Onnx, Openvino, Paddle},
        binary, ternary, unary,
    },
    ops::{
        activation::{
            Erf, ErfFused, Gelu, GeluFused, GeluTanh, GeluTanhFused, Hardswish, Prelu, Relu, Sigmoid, Silu, Softplus,
        },
        arith::{
            Abs, Add, Copysign, Div, DivFloor, DivTrunc, Fmax, Fmin, Fmod, Hypot, Max, Min, ModFloor, Mul, Neg,
            NegativeExponent, Pow, PowTrunc, Reciprocal, RemainderIeee, Rsqrt, RsqrtFused, Sign, Sqrt, Square,
            SquaredDifference, Sub, ZeroToNegative, integer,
        },
        bits::{self, ShiftLeft, ShiftLeftMod, ShiftRight, ShiftRightMod},
        compare::{Equal, Heaviside, IsFinite, IsInf, IsNan, Less, LessEqual, NotEqual},
        exp::{Exp, Exp2, Expm1, Log, Log1p, Log1pFused, Log2, Log2Fused, Log10, Log10Fused},
        logic,
        round::{Ceil, Floor, Round, Trunc},
        select::Clamp,
        trig::{
            Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, CosFused, Cosh, Logaddexp, Sin, SinFused, Sinh, Tan,
            Tanh,
        },
    },
};

/// Every operator, in families.
#[rustfmt::skip]
pub static OPS: &[Op] = &[
    binary("add", "a + b", widths::<Add>().and(rounded_floats::<Add>())).commutative().with_identity(0.0)
        .known_as(&[(Numpy, "add"), (Onnx, "Add"), (Openvino, "Add"), (Ncnn, "BinaryOp(0)"), (Paddle, "elementwise_add")]),
    binary("sub", "a - b", widths::<Sub>().and(rounded_floats::<Sub>()))
        .known_as(&[(Numpy, "subtract"), (Onnx, "Sub"), (Openvino, "Subtract"), (Ncnn, "BinaryOp(1)"), (Paddle, "elementwise_sub")]),
    binary("mul", "a * b", widths::<Mul>().and(rounded_floats::<Mul>())).commutative().with_identity(1.0)
        .known_as(&[(Numpy, "multiply"), (Onnx, "Mul"), (Openvino, "Multiply"), (Ncnn, "BinaryOp(2)"), (Paddle, "elementwise_mul")]),
    binary("div", "a / b", rounded_floats::<Div>())
        .known_as(&[(Numpy, "true_divide"), (Onnx, "Div"), (Openvino, "Divide"), (Ncnn, "BinaryOp(3)"), (Paddle, "elementwise_div")]),
    binary("div_trunc", "a / b, rounded towards zero", divisions::<integer::DivTrunc>().and(floats::<DivTrunc>()))
        .known_as(&[(Onnx, "Div"), (Openvino, "Divide(m_pythondiv=false)"), (Paddle, "elementwise_div")]),
    binary("div_floor", "a / b, rounded down", divisions::<integer::DivFloor>().and(remainders::<DivFloor>()))
        .known_as(&[(Numpy, "floor_divide"), (Openvino, "Divide"), (Paddle, "elementwise_floordiv")]),
    binary("mod_floor", "a - b * floor(a / b), with the sign of b", divisions::<integer::ModFloor>().and(remainders::<ModFloor>()))
        .known_as(&[(Numpy, "remainder"), (Onnx, "Mod"), (Openvino, "FloorMod"), (Paddle, "elementwise_mod")]),
    binary("fmod", "a - b * trunc(a / b), with the sign of a", divisions::<integer::Fmod>().and(remainders::<Fmod>()))
        .known_as(&[(Numpy, "fmod"), (Onnx, "Mod(fmod=1)"), (Openvino, "Mod"), (Ncnn, "BinaryOp(12)")]),
    binary("remainder_ieee", "a - b * round(a / b), ties to even", divisions::<integer::RemainderIeee>().and(remainders::<RemainderIeee>()))
        .known_as(&[(Ncnn, "BinaryOp(17)")]),
    binary("pow", "a to the power of b", integer_powers::<integer::Pow, NegativeExponent>().and(powers::<Pow>())).within(1.0, 1.0)
        .known_as(&[(Numpy, "power"), (Onnx, "Pow"), (Openvino, "Power"), (Ncnn, "BinaryOp(6)"), (Paddle, "elementwise_pow")]),
    binary("pow_trunc", "a to the power of b, in integers; rounded towards zero where b < 0", integer_powers::<PowTrunc, ZeroToNegative>())
        .known_as(&[(Onnx, "Pow"), (Openvino, "Power")]),
    binary("max", "the larger of a and b; NaN spreads", integers::<Max>().and(rounded_floats::<Max>())).commutative().variadic()
        .known_as(&[(Numpy, "maximum"), (Onnx, "Max"), (Openvino, "Maximum"), (Ncnn, "BinaryOp(4)"), (Paddle, "elementwise_max")]),
    binary("min", "the smaller of a and b; NaN spreads", integers::<Min>().and(rounded_floats::<Min>())).commutative().variadic()
        .known_as(&[(Numpy, "minimum"), (Onnx, "Min"), (Openvino, "Minimum"), (Ncnn, "BinaryOp(5)"), (Paddle, "elementwise_min")]),
    binary("fmax", "the larger of a and b; a number wins over NaN", integers::<Fmax>().and(rounded_floats::<Fmax>())).commutative()
        .known_as(&[(Numpy, "fmax")]),
    binary("fmin", "the smaller of a and b; a number wins over NaN", integers::<Fmin>().and(rounded_floats::<Fmin>())).commutative()
        .known_as(&[(Numpy, "fmin")]),
    binary("sum", "a + b + ..., from the left", widths::<Add>().and(rounded_floats::<Add>())).commutative().variadic().with_identity(0.0)
        .known_as(&[(Onnx, "Sum")]),
    binary("mean", "(a + b + ...) / count", rounded_floats::<Add>()).commutative().variadic().average()
        .known_as(&[(Onnx, "Mean")]),
    binary("squared_difference", "(a - b)^2", widths::<SquaredDifference>().and(floats::<SquaredDifference>())).commutative()
        .known_as(&[(Openvino, "SquaredDifference")]),
    binary("atan2", "the angle of the point (b, a)", heavy_floats::<Atan2>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "arctan2"), (Openvino, "Atan2"), (Ncnn, "BinaryOp(10)")]),
    binary("logaddexp", "log(e^a + e^b)", heavy_floats::<Logaddexp>()).commutative().within(1.0, 2.0)
        .known_as(&[(Numpy, "logaddexp"), (Ncnn, "BinaryOp(14)")]),
    binary("hypot", "sqrt(a^2 + b^2)", heavy_floats::<Hypot>()).commutative().within(1.0, 1.0).quick()
        .known_as(&[(Numpy, "hypot")]),
    binary("copysign", "|a| with the sign of b", floats::<Copysign>())
        .known_as(&[(Numpy, "copysign")]),
    binary("prelu", "a where a >= 0, else a * b", integers::<Prelu>().and(floats::<Prelu>()))
        .known_as(&[(Onnx, "PRelu"), (Openvino, "PReLU")]),

    binary("equal", "a == b", truths::<Equal>().and(widths::<Equal>()).and(floats::<Equal>())).commutative()
        .known_as(&[(Numpy, "equal"), (Onnx, "Equal"), (Openvino, "Equal")]),
    binary("not_equal", "a != b", truths::<NotEqual>().and(widths::<NotEqual>()).and(floats::<NotEqual>())).commutative()
        .known_as(&[(Numpy, "not_equal"), (Openvino, "NotEqual")]),
    binary("less", "a < b", truths::<Less>().and(integers::<Less>()).and(floats::<Less>())).with_reversed("greater")
        .known_as(&[(Numpy, "less"), (Onnx, "Less"), (Openvino, "Less")]),
    binary("less_equal", "a <= b", truths::<LessEqual>().and(integers::<LessEqual>()).and(floats::<LessEqual>())).with_reversed("greater_equal")
        .known_as(&[(Numpy, "less_equal"), (Onnx, "LessOrEqual"), (Openvino, "LessEqual")]),
    binary("greater", "a > b", truths::<Less>().and(integers::<Less>()).and(floats::<Less>())).with_loops_of("less")
        .known_as(&[(Numpy, "greater"), (Onnx, "Greater"), (Openvino, "Greater")]),
    binary("greater_equal", "a >= b", truths::<LessEqual>().and(integers::<LessEqual>()).and(floats::<LessEqual>())).with_loops_of("less_equal")
        .known_as(&[(Numpy, "greater_equal"), (Onnx, "GreaterOrEqual"), (Openvino, "GreaterEqual")]),
    binary("heaviside", "0, b or 1 where a is below, at or above 0", floats::<Heaviside>())
        .known_as(&[(Numpy, "heaviside")]),
    unary("isnan", "a is a NaN", float::<IsNan>())
        .known_as(&[(Numpy, "isnan"), (Onnx, "IsNaN"), (Openvino, "IsNaN")]),
    unary("isinf", "a is an infinity", float::<IsInf>())
        .known_as(&[(Numpy, "isinf"), (Onnx, "IsInf"), (Openvino, "IsInf")]),
    unary("isfinite", "a is neither NaN nor an infinity", float::<IsFinite>())
        .known_as(&[(Numpy, "isfinite"), (Openvino, "IsFinite")]),

    binary("logical_and", "a and b", truths::<logic::And>()).commutative().with_identity(1.0)
        .known_as(&[(Numpy, "logical_and"), (Onnx, "And"), (Openvino, "LogicalAnd")]),
    binary("logical_or", "a or b", truths::<logic::Or>()).commutative().with_identity(0.0)
        .known_as(&[(Numpy, "logical_or"), (Onnx, "Or"), (Openvino, "LogicalOr")]),
    binary("logical_xor", "a or b, not both", truths::<logic::Xor>()).commutative().with_identity(0.0)
        .known_as(&[(Numpy, "logical_xor"), (Onnx, "Xor"), (Openvino, "LogicalXor")]),
    unary("logical_not", "not a", truth::<logic::Not>())
        .known_as(&[(Numpy, "logical_not"), (Onnx, "Not"), (Openvino, "LogicalNot")]),
    binary("bitwise_and", "a & b", truths::<logic::And>().and(widths::<bits::And>())).commutative()
        .known_as(&[(Numpy, "bitwise_and"), (Onnx, "BitwiseAnd"), (Openvino, "BitwiseAnd")]),
    binary("bitwise_or", "a | b", truths::<logic::Or>().and(widths::<bits::Or>())).commutative().with_identity(0.0)
        .known_as(&[(Numpy, "bitwise_or"), (Onnx, "BitwiseOr"), (Openvino, "BitwiseOr")]),
    binary("bitwise_xor", "a ^ b", truths::<logic::Xor>().and(widths::<bits::Xor>())).commutative().with_identity(0.0)
        .known_as(&[(Numpy, "bitwise_xor"), (Onnx, "BitwiseXor"), (Openvino, "BitwiseXor")]),
    unary("bitwise_not", "~a", truth::<logic::Not>().and(width::<bits::Not>()))
        .known_as(&[(Numpy, "bitwise_not"), (Onnx, "BitwiseNot"), (Openvino, "BitwiseNot")]),
    binary("shift_left", "a << b; 0 where b < 0 or b >= the width", integers::<ShiftLeft>()).with_identity(0.0)
        .known_as(&[(Numpy, "left_shift"), (Onnx, "BitShift(direction=LEFT)")]),
    binary("shift_right", "a >> b; only sign bits where b < 0 or b >= the width", integers::<ShiftRight>()).with_identity(0.0)
        .known_as(&[(Numpy, "right_shift"), (Onnx, "BitShift(direction=RIGHT)")]),
    binary("shift_left_mod", "a << (b modulo the width)", integers::<ShiftLeftMod>()).with_identity(0.0)
        .known_as(&[(Openvino, "BitwiseLeftShift")]),
    binary("shift_right_mod", "a >> (b modulo the width)", integers::<ShiftRightMod>()).with_identity(0.0)
        .known_as(&[(Openvino, "BitwiseRightShift")]),

    ternary("where", "b where a holds, else c", choices())
        .known_as(&[(Numpy, "where"), (Onnx, "Where"), (Openvino, "Select")]),
    ternary("clamp", "a, at least b and at most c; c wins", numbers3::<Clamp>())
        .known_as(&[(Numpy, "clip"), (Onnx, "Clip"), (Openvino, "Clamp")]),

    unary("neg", "-a", width::<Neg>().and(float::<Neg>()))
        .known_as(&[(Numpy, "negative"), (Onnx, "Neg"), (Openvino, "Negative")]),
    unary("abs", "|a|", integer1::<Abs>().and(float::<Abs>()))
        .known_as(&[(Numpy, "absolute"), (Onnx, "Abs"), (Openvino, "Abs")]),
    unary("sign", "-1, 0 or 1 by the sign of a; NaN stays NaN", integer1::<Sign>().and(float::<Sign>()))
        .known_as(&[(Numpy, "sign"), (Onnx, "Sign"), (Openvino, "Sign")]),
    unary("square", "a^2", width::<Square>().and(rounded_float::<Square>()))
        .known_as(&[(Numpy, "square")]),
    unary("reciprocal", "1 / a", rounded_float::<Reciprocal>())
        .known_as(&[(Numpy, "reciprocal"), (Onnx, "Reciprocal")]),
    unary("sqrt", "the square root of a", rounded_float::<Sqrt>())
        .known_as(&[(Numpy, "sqrt"), (Onnx, "Sqrt"), (Openvino, "Sqrt")]),
    unary("rsqrt", "1 / sqrt(a)", rounded_fused::<Rsqrt, RsqrtFused>()).within(1.0, 1.0).quick(),
    unary("floor", "a rounded down", rounded_float::<Floor>())
        .known_as(&[(Numpy, "floor"), (Onnx, "Floor"), (Openvino, "Floor")]),
    unary("ceil", "a rounded up", rounded_float::<Ceil>())
        .known_as(&[(Numpy, "ceil"), (Onnx, "Ceil"), (Openvino, "Ceiling")]),
    unary("round", "a rounded to nearest, ties to even", rounded_float::<Round>())
        .known_as(&[(Numpy, "round"), (Onnx, "Round"), (Openvino, "Round")]),
    unary("trunc", "a rounded towards zero", rounded_float::<Trunc>())
        .known_as(&[(Numpy, "trunc")]),

    unary("exp", "e^a", lanewise::<Exp>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "exp"), (Onnx, "Exp"), (Openvino, "Exp")]),
    unary("exp2", "2^a", lanewise::<Exp2>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "exp2")]),
    unary("expm1", "e^a - 1", heavy_float::<Expm1>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "expm1")]),
    unary("log", "the natural logarithm of a", lanewise::<Log>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "log"), (Onnx, "Log"), (Openvino, "Log")]),
    unary("log2", "the logarithm of a to base 2", fused::<Log2, Log2Fused>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "log2")]),
    unary("log10", "the logarithm of a to base 10", fused::<Log10, Log10Fused>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "log10")]),
    unary("log1p", "log(1 + a)", fused::<Log1p, Log1pFused>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "log1p")]),
    unary("sin", "the sine of a", fused::<Sin, SinFused>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "sin"), (Onnx, "Sin"), (Openvino, "Sin")]),
    unary("cos", "the cosine of a", fused::<Cos, CosFused>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "cos"), (Onnx, "Cos"), (Openvino, "Cos")]),
    unary("tan", "the tangent of a", heavy_float::<Tan>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "tan"), (Onnx, "Tan"), (Openvino, "Tan")]),
    unary("asin", "the arc sine of a", heavy_float::<Asin>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "arcsin"), (Onnx, "Asin"), (Openvino, "Asin")]),
    unary("acos", "the arc cosine of a", heavy_float::<Acos>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "arccos"), (Onnx, "Acos"), (Openvino, "Acos")]),
    unary("atan", "the arc tangent of a", heavy_float::<Atan>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "arctan"), (Onnx, "Atan"), (Openvino, "Atan")]),
    unary("sinh", "the hyperbolic sine of a", heavy_float::<Sinh>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "sinh"), (Onnx, "Sinh"), (Openvino, "Sinh")]),
    unary("cosh", "the hyperbolic cosine of a", heavy_float::<Cosh>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "cosh"), (Onnx, "Cosh"), (Openvino, "Cosh")]),
    unary("tanh", "the hyperbolic tangent of a", lanewise::<Tanh>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "tanh"), (Onnx, "Tanh"), (Openvino, "Tanh")]),
    unary("asinh", "the inverse hyperbolic sine of a", heavy_float::<Asinh>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "arcsinh"), (Onnx, "Asinh"), (Openvino, "Asinh")]),
    unary("acosh", "the inverse hyperbolic cosine of a", heavy_float::<Acosh>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "arccosh"), (Onnx, "Acosh"), (Openvino, "Acosh")]),
    unary("atanh", "the inverse hyperbolic tangent of a", heavy_float::<Atanh>()).within(1.0, 1.0)
        .known_as(&[(Numpy, "arctanh"), (Onnx, "Atanh"), (Openvino, "Atanh")]),
    unary("erf", "the error function of a", fused::<Erf, ErfFused>()).within(1.0, 1.0)
        .known_as(&[(Onnx, "Erf"), (Openvino, "Erf")]),
    unary("sigmoid", "1 / (1 + e^-a)", lanewise::<Sigmoid>()).within(1.0, 1.0)
        .known_as(&[(Onnx, "Sigmoid"), (Openvino, "Sigmoid")]),
    unary("gelu", "a / 2 * (1 + erf(a / sqrt(2)))", fused::<Gelu, GeluFused>()).within(1.0, 1.0)
        .known_as(&[(Onnx, "Gelu"), (Openvino, "Gelu")]),
    unary("gelu_tanh", "a / 2 * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 * a^3)))", fused::<GeluTanh, GeluTanhFused>()).within(1.0, 1.0)
        .known_as(&[(Onnx, "Gelu(approximate=tanh)"), (Openvino, "Gelu(approximation_mode=tanh)")]),
    unary("softplus", "log(1 + e^a)", lanewise::<Softplus>()).within(1.0, 1.0)
        .known_as(&[(Onnx, "Softplus"), (Openvino, "SoftPlus")]),
    unary("silu", "a / (1 + e^-a)", lanewise::<Silu>()).within(1.0, 1.0)
        .known_as(&[(Openvino, "Swish")]),
    unary("relu", "a where a > 0, else 0", integer1::<Relu>().and(float::<Relu>()))
        .known_as(&[(Onnx, "Relu"), (Openvino, "Relu")]),
    unary("hardswish", "a * clamp(a + 3, 0, 6) / 6", float::<Hardswish>()).within(1.0, 2.0).quick()
        .known_as(&[(Onnx, "HardSwish"), (Openvino, "HSwish")]),
];

/// Finds an operator by its name.
///
/// ```
/// let add = broadaxe_kernels::find("add").expect("in the table");
/// assert_eq!((add.meaning(), add.arity()), ("a + b", 2));
/// ```
pub fn find(name: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.name() == name)
}

/// Lists the operators that a system knows by this name, with or without attributes behind it.
pub fn find_abroad(system: System, name: &str) -> impl Iterator<Item = &'static Op> {
    let matches = move |&(s, n): &(System, &str)| s == system && n.split('(').next() == Some(name);
    OPS.iter().filter(move |op| op.abroad().iter().any(matches))
}
