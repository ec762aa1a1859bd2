//! The names of the operators, and their numbers.

/// Lists the names of [`OPS`](crate::OPS) in the same order, with a constant for each, so that [`id`] finds one at compile time.
macro_rules! operators {
    ($($constant:ident $name:literal),* $(,)?) => {
        pub(crate) const NAMES: &[&str] = &[$($name),*];

        /// A constant for each operator, for code that knows at compile time which operators it uses.
        pub mod constants {
            use super::{OpId, id};

            $(
                #[doc = concat!("Names the operator `", $name, "`.")]
                pub const $constant: OpId = id($name);
            )*
        }
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
    BITWISE_OR "bitwise_or", BITWISE_XOR "bitwise_xor", BITWISE_NOT "bitwise_not", BITWISE_COUNT "bitwise_count", CLZ "clz", SHIFT_LEFT "shift_left",
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

/// Identifies an operator of [`OPS`](crate::OPS).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(u8);

impl OpId {
    /// Returns the place of the operator in [`OPS`](crate::OPS).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the name of the operator.
    pub fn name(self) -> &'static str {
        NAMES[self.index()]
    }

    /// Finds the operator of this name, if the table has it.
    pub fn find(name: &str) -> Option<Self> {
        NAMES.iter().position(|known| *known == name).map(|at| Self(at as u8))
    }
}

impl std::fmt::Debug for OpId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OpId({})", self.name())
    }
}

/// Returns the identity of the operator of this name. In a constant, a name that the table lacks is a compile error.
///
/// # Panics
/// If the table has no operator of this name; [`OpId::find`] returns `None` instead.
///
/// ```
/// use broadaxe_op::{OpId, id};
/// const ADD: OpId = id("add");
/// assert_eq!((ADD.name(), ADD.op().arity()), ("add", 2));
/// ```
pub const fn id(name: &str) -> OpId {
    let mut at = 0;
    while at < NAMES.len() {
        if same(NAMES[at].as_bytes(), name.as_bytes()) {
            return OpId(at as u8);
        }
        at += 1;
    }
    panic!("the table has no operator of this name")
}

/// Compares two names; `==` is not available in constants.
const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
