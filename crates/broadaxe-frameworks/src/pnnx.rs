//! pnnx: torch's operators, and the functions of its expressions such as `add(@0,@1)`.
//!
//! Everything broadcasts by NumPy's rule. `add` is the function of an expression, and `torch.add` and `Tensor.add` are the
//! same; `torch.logical_and` and `torch.bitwise_and` are `and`. Dtypes promote as torch has it, which is not checked.

use broadaxe_op::DType;
use broadaxe_shape::Rule;

use crate::{
    arithmetic::{Computes, Recipe, op, recipe},
    attribute::{Attr, Values, attr},
    framework::System,
    kind::{Kind, Reads, Wiring},
    row::{ANY, BOOL, FLOATS, INTEGERS, NUMBERS, Row},
    rule::RuleBy,
};

const fn row(
    name: &'static str,
    operands: &'static str,
    dtypes: &'static [DType],
    rule: RuleBy,
    computes: Computes,
) -> Row {
    crate::row::row(System::Pnnx, name, 0, operands, dtypes, rule, computes)
}

const fn two(name: &'static str, computes: &'static str) -> Row {
    of(name, NUMBERS, computes)
}

const fn of(name: &'static str, dtypes: &'static [DType], computes: &'static str) -> Row {
    row(name, "TT", dtypes, RuleBy::Fixed(Rule::numpy), op(computes))
}

const fn stretch(name: &'static str) -> Row {
    row(name, "T", ANY, RuleBy::Fixed(|| Rule::broadcast_to([])), recipe(Recipe::Broadcast)).of_kind(Kind::Stretch)
}

const fn slope(name: &'static str) -> Row {
    row(name, "TT", FLOATS, RuleBy::Fixed(|| Rule::pdpd(1)), op("prelu")).of_kind(Kind::Slope)
}

const NUM_PARAMETERS: &[Attr] = &[attr("num_parameters", Values::Int, "1")];

/// Functions of two operands, in expressions and as operators of their own.
pub(crate) static PNNX_ROWS: &[Row] = &[
    two("add", "add"),
    two("sub", "sub"),
    two("mul", "mul"),
    two("div", "div"),
    two("max", "max"),
    two("maximum", "max"),
    two("min", "min"),
    two("minimum", "min"),
    two("pow", "pow"),
    two("atan2", "atan2"),
    two("fmod", "fmod"),
    two("remainder", "mod_floor"),
    two("floor_divide", "div_floor"),
    two("logaddexp", "logaddexp"),
    two("eq", "equal"),
    two("ne", "not_equal"),
    two("lt", "less"),
    two("le", "less_equal"),
    two("gt", "greater"),
    two("ge", "greater_equal"),
    of("and", BOOL, "logical_and"),
    of("or", BOOL, "logical_or"),
    of("xor", BOOL, "logical_xor"),
    of("lshift", INTEGERS, "shift_left"),
    of("rshift", INTEGERS, "shift_right"),
];

/// Operators that files hold and that expressions do not call.
pub(crate) static PNNX_PARTIAL: &[Row] = &[
    slope("F.prelu"),
    slope("nn.PReLU").with(NUM_PARAMETERS).wired(Wiring::Held {
        count: "num_parameters",
        absent: 1,
        from_input: None,
        reads: Reads::OneOrEach,
    }),
    row("torch.where", "BTT", ANY, RuleBy::Fixed(Rule::numpy), op("where")),
    stretch("Tensor.expand"),
    stretch("Tensor.expand_as"),
];

/// Returns the name of the function that an operator of torch calls: `and` for `torch.logical_and`.
pub(crate) fn function(name: &str) -> Option<&str> {
    let name = name.strip_prefix("torch.").or_else(|| name.strip_prefix("Tensor."))?;
    Some(name.strip_prefix("logical_").or_else(|| name.strip_prefix("bitwise_")).unwrap_or(name))
}
