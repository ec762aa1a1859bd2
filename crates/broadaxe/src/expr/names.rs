//! The operators that expressions call: our names and those of NumPy, numexpr and C.

use broadaxe_kernels::{OPS, Op, Reduction};

use crate::{
    error::{Error, ErrorKind},
    frameworks::nearest,
};

/// Other names of our operators.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("absolute", "abs"),
    ("arccos", "acos"),
    ("arccosh", "acosh"),
    ("arcsin", "asin"),
    ("arcsinh", "asinh"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("arctanh", "atanh"),
    ("around", "round"),
    ("bitwise_invert", "bitwise_not"),
    ("bitwise_left_shift", "shift_left"),
    ("bitwise_right_shift", "shift_right"),
    ("clip", "clamp"),
    ("conj", "conjugate"),
    ("degrees", "rad2deg"),
    ("divide", "div"),
    ("floor_divide", "div_floor"),
    ("fmaximum", "fmax"),
    ("fminimum", "fmin"),
    ("invert", "bitwise_not"),
    ("left_shift", "shift_left"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("mod", "mod_floor"),
    ("multiply", "mul"),
    ("negative", "neg"),
    ("power", "pow"),
    ("radians", "deg2rad"),
    ("real", "copy"),
    ("remainder", "mod_floor"),
    ("right_shift", "shift_right"),
    ("subtract", "sub"),
    ("swish", "silu"),
    ("true_divide", "div"),
];

/// Calls that are no operators: they change the dtype or the shape, or nothing.
pub(super) const OTHERS: &[&str] = &["broadcast", "broadcast_to", "cast"];

/// Signs of binary operators and the operators they stand for.
const OPERATOR_OF_SIGN: &[(&str, &str)] = &[
    ("+", "add"),
    ("-", "sub"),
    ("*", "mul"),
    ("/", "div"),
    ("//", "div_floor"),
    ("%", "mod_floor"),
    ("**", "pow"),
    ("==", "equal"),
    ("!=", "not_equal"),
    ("<", "less"),
    ("<=", "less_equal"),
    (">", "greater"),
    (">=", "greater_equal"),
    ("&", "bitwise_and"),
    ("|", "bitwise_or"),
    ("^", "bitwise_xor"),
    ("<<", "shift_left"),
    (">>", "shift_right"),
];

/// Returns the name of the operator of a binary sign.
pub(super) fn of_sign(sign: &str) -> &'static str {
    OPERATOR_OF_SIGN.iter().find(|(known, _)| *known == sign).map_or("add", |(_, name)| name)
}

/// Returns the name of the operator of a sign before its operand.
pub(super) fn of_unary_sign(sign: &str) -> &'static str {
    match sign {
        "+" => "positive",
        "-" => "neg",
        _ => "bitwise_not",
    }
}

/// Returns the operator of this name or alias.
pub(super) fn operator(name: &str) -> Option<&'static Op> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    broadaxe_kernels::find(name)
}

/// Functions of other packages over elements that there are none of here, with what is said of them.
const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["complex", "angle"],
        "needs complex numbers, which are not supported; pass the real and the imaginary parts as separate arrays",
    ),
    (
        &["contains", "startswith", "endswith", "upper", "lower"],
        "needs strings, which are not supported; make a mask first, such as np.char.find(texts, part) >= 0",
    ),
];

/// Checks that a call has a meaning.
///
/// # Errors
/// [`ErrorKind::Name`] with the nearest names.
pub(super) fn check(name: &str) -> Result<(), Error> {
    if operator(name).is_some() || OTHERS.contains(&name) || Reduction::from_name(name).is_some() {
        return Ok(());
    }
    let names = OPS.iter().map(Op::name).chain(ALIASES.iter().map(|(alias, _)| *alias)).chain(OTHERS.iter().copied());
    let names = names.chain(Reduction::EVERY.into_iter().map(Reduction::name));
    if let Some((_, why)) = FOREIGN.iter().find(|(names, _)| names.contains(&name)) {
        return Err(Error::new(ErrorKind::Name, format!("'{name}' {why}")));
    }
    let shown = super::lex::short(name);
    Err(Error::new(ErrorKind::Name, format!("unknown operator '{shown}'{}", nearest(name, names))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_and_sign_leads_to_an_operator() {
        for (alias, name) in ALIASES.iter().chain(OPERATOR_OF_SIGN) {
            assert!(broadaxe_kernels::find(name).is_some(), "{alias} leads to {name}");
            assert!(broadaxe_kernels::find(alias).is_none(), "{alias} is an operator of its own");
        }
    }
}
