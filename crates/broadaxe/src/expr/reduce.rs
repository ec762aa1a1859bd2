//! Reads calls that fold axes: `sum(x, axis=[0, 1], keepdims=True)`.
//!
//! `sum`, `mean`, `max` and `min` fold when they are called with one array; with more they join them element by element. A whole
//! number written out as the second operand is rejected: NumPy and numexpr read `sum(x, 0)` as the sum along axis 0.

use broadaxe_kernels::Reduction;

use super::{
    keywords::{keyword, kind},
    parse::CallStep,
};
use crate::{
    error::{Error, ErrorKind},
    frameworks::Attribute,
};

/// Returns the reduction that a call of this name and number of operands is.
///
/// # Errors
/// [`ErrorKind::Argument`] for a name that only folds, called with another number of operands than one.
pub(super) fn called(name: &str, operands: usize) -> Result<Option<Reduction>, Error> {
    let Some(reduction) = Reduction::from_name(name) else { return Ok(None) };
    if operands == 1 {
        return Ok(Some(reduction));
    }
    if super::names::operator(name).is_some() {
        return Ok(None);
    }
    let message = format!("{name} folds 1 operand, not {operands}; name axes as axis=[0, 1]");
    Err(Error::new(ErrorKind::Argument, message))
}

/// Returns the axes that a call folds, all of them where it names none, and whether they stay with an extent of 1.
pub(super) fn axes(call: &CallStep) -> Result<(Option<Vec<i64>>, bool), Error> {
    let (mut axes, mut keep) = (None, false);
    for (key, value) in &call.attributes {
        match (key.as_str(), value) {
            ("axis", Attribute::Int(axis)) => axes = Some(vec![*axis]),
            ("axis", Attribute::Ints(list)) => axes = Some(list.clone()),
            ("axis", value) => return Err(kind(key, "a whole number or a list of them", value)),
            ("keepdims", Attribute::Bool(value)) => keep = *value,
            ("keepdims", value) => return Err(kind(key, "True or False", value)),
            _ => return Err(keyword(call, key, value, &["axis", "keepdims"])),
        }
    }
    Ok((axes, keep))
}

#[cfg(test)]
mod tests {
    use crate::{Array, DType, ErrorKind, Expr};

    #[test]
    fn calls_fold_axes() {
        let x = Array::from_vec([2, 3], vec![1_i32, 5, 3, 4, 2, 6]).expect("six");
        let y = Array::from_vec([3], vec![1_i32, 0, 1]).expect("three");
        let cases: &[(&str, &str, &[usize])] = &[
            ("sum(x)", "[21]", &[]),
            ("sum(x, axis=0)", "[5, 7, 9]", &[3]),
            ("sum(x, axis=-1, keepdims=True)", "[9, 12]", &[2, 1]),
            ("sum(x, axis=[0, 1])", "[21]", &[]),
            ("np.prod(x, axis=1)", "[15, 48]", &[2]),
            ("argmax(x, axis=1)", "[1, 2]", &[2]),
            ("argmin(x)", "[0]", &[]),
            ("sum(x, x)", "[2, 10, 6, 8, 4, 12]", &[2, 3]),
            ("sum(x * y, axis=1)", "[4, 10]", &[2]),
            ("sum(x, axis=0) * sum(y)", "[10, 14, 18]", &[3]),
            ("argmax(maximum(x, 4), axis=0)", "[0, 0, 1]", &[3]),
            ("sum(x, axis=None)", "[21]", &[]),
            ("max(x, None)", "[6]", &[]),
            ("sum(x, axis=None, keepdims=True)", "[21]", &[1, 1]),
            ("sum(x, axis=(0, 1))", "[21]", &[]),
            ("min(x, axis=(-1,), keepdims=False)", "[1, 2]", &[2]),
            ("sum(x, keepdims=True, axis=+1)", "[9, 12]", &[2, 1]),
            ("max(x, y)", "[1, 5, 3, 4, 2, 6]", &[2, 3]),
            ("max(x, 2 + 1)", "[3, 5, 3, 4, 3, 6]", &[2, 3]),
            ("sum(0, x)", "[1, 5, 3, 4, 2, 6]", &[2, 3]),
            ("sum(x, y, 1)", "[3, 6, 5, 6, 3, 8]", &[2, 3]),
            ("sum(argmax(x, axis=1))", "[3]", &[]),
            ("sum(x - min(x, axis=1, keepdims=True), axis=1)", "[6, 6]", &[2]),
            ("sum(3)", "[3]", &[]),
        ];
        for &(text, want, shape) in cases {
            let result = Expr::parse(text).and_then(|expr| expr.eval(&[("x", x.view()), ("y", y.view())]));
            let result = result.unwrap_or_else(|error| panic!("{text}: {error}"));
            let shown = match result.dtype() {
                DType::I64 => format!("{:?}", result.as_slice::<i64>().expect("i64")),
                _ => format!("{:?}", result.as_slice::<i32>().expect("i32")),
            };
            assert_eq!((shown.as_str(), result.shape()), (want, shape), "{text}");
        }
        let truths = |text: &str| {
            Expr::parse(text).and_then(|expr| expr.eval(&[("x", x.view())])).map(|a| a.as_bytes().to_vec())
        };
        assert_eq!(truths("any(x > 5, axis=0)"), Ok(vec![0, 0, 1]));
        assert_eq!(truths("all(x, axis=0)"), Ok(vec![1, 1, 1]));
        let mean = Expr::parse("mean(x, axis=1)").and_then(|expr| expr.eval(&[("x", x.view())])).expect("folds");
        assert_eq!(mean.as_slice::<f64>(), Some(&[3.0, 4.0][..]));
    }

    #[test]
    fn a_number_that_could_be_the_axis_is_rejected() {
        let cases = [
            ("sum(a, 0)", 7, "sum(a, 0) has two meanings; write sum(a, axis=0) to fold axis 0, or a + 0 to add"),
            ("1 + np.sum(a, -1)", 14, "write sum(a, axis=-1) to fold axis -1, or a + -1 to add"),
            ("max(a, +1)", 7, "or maximum(a, 1) for the larger of both"),
            ("min(a, - -1)", 7, "or minimum(a, 1) for the smaller of both"),
            ("prod(a + b, (1))", 13, "write prod(x, axis=1) to fold axis 1, or x * 1 to multiply"),
            ("mean(a, 2, keepdims=True)", 8, "or (a + 2) / 2 to average"),
            ("sum(a, True)", 7, "write sum(a, axis=1)"),
            ("any(a, 0)", 7, "write any(a, axis=0) to fold axis 0"),
            ("argmax(a, 0x1)", 10, "write argmax(a, axis=1) to fold axis 1"),
        ];
        for (text, at, part) in cases {
            let error = Expr::parse(text).expect_err(text);
            assert_eq!((error.kind(), error.position()), (ErrorKind::Syntax, Some(at)), "{text}: {error}");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
        for text in ["max(a, 0.0)", "maximum(a, 0)", "max(a, b, 0)", "max(0, a)", "sum(a, b)", "max(a, n - 1)"] {
            assert!(Expr::parse(text).is_ok(), "{text}");
        }
        for text in [
            "sum(None)",
            "sum(a, None, axis=0, axis=1)",
            "add(a, None)",
            "cast(a, axis=None)",
            "sum(a, axis=0, axis=None)",
        ] {
            let error = Expr::parse(text).expect_err(text);
            assert_eq!(error.kind(), ErrorKind::Syntax, "{text}: {error}");
        }
    }

    #[test]
    fn wrong_calls_say_what_would_work() {
        let x = Array::from_vec([2, 3], vec![1_f32; 6]).expect("six");
        let cases = [
            ("prod(x, x)", "prod folds 1 operand, not 2; name axes as axis=[0, 1]"),
            ("sum(x, axis=2)", "sum: no axis 2 in (2, 3); its axes are 0 to 1, or -2 to -1"),
            ("sum(x, axis=[0, 0])", "sum: axis 0 is given twice; each is folded once"),
            ("sum(x, axis=\"0\")", "axis must be a whole number or a list of them, not \"0\""),
            ("sum(x, keepdims=1)", "keepdims must be True or False, not 1"),
            (
                "sum(x, keepdim=True)",
                "sum has no keyword 'keepdim'; its keywords: axis, keepdims; did you mean 'keepdims'?",
            ),
        ];
        for (text, want) in cases {
            let error = Expr::parse(text).and_then(|expr| expr.eval(&[("x", x.view())])).expect_err(text);
            assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Argument, want), "{text}");
        }
    }
}
