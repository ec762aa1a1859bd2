//! ONNX's own reading of unknown dims, for comparison.
//!
//! Per axis, over all operands: a number other than 1 wins, and two different ones are an error; where all are 1 the
//! result is 1; where exactly one name is left the result has it; else it is unknown. A dim without a name differs from
//! every other. Nothing is asked of the sizes: `n` with 5 is 5, as if n were 5 or 1. ONNX knows no intervals, so that one
//! counts as a dim without a name. An unknown rank anywhere gives an unknown rank.
//!
//! Source: `multidirectionalBroadcastShapeInference` in ONNX; for `PRelu` and its like the result is X's shape, unasked.

use alloc::{format, string::String, vec::Vec};

use super::dim::{Dim, SymbolicShape};
use crate::{
    align::letter,
    error::{Error, ErrorKind},
    rule::Rule,
};

/// Infers the result's shape as ONNX does.
pub(crate) fn infer(rule: &Rule, shapes: &[SymbolicShape]) -> Result<SymbolicShape, Error> {
    match (rule.name(), shapes) {
        ("numpy", [_, ..]) => multidirectional(rule.name(), shapes),
        ("unidirectional", [x, _]) => Ok(x.clone()),
        (name @ ("numpy" | "unidirectional"), _) => {
            let text = format!("the rule {name} does not take {} operands", shapes.len());
            Err(Error::new(ErrorKind::Operands, text).under(name))
        }
        (name, _) => {
            let text = format!("ONNX infers shapes under numpy and unidirectional, not under {name}");
            Err(Error::new(ErrorKind::Parameter, text).under(name))
        }
    }
}

fn multidirectional(rule: &'static str, shapes: &[SymbolicShape]) -> Result<SymbolicShape, Error> {
    let Some(dims) = shapes.iter().map(SymbolicShape::dims).collect::<Option<Vec<_>>>() else {
        return Ok(SymbolicShape::unknown_rank());
    };
    let rank = dims.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let axis = |axis: usize| {
        let fed = dims.iter().enumerate().filter_map(move |(k, dims)| {
            let at = (axis + dims.len()).checked_sub(rank)?;
            Some((k, &dims[at]))
        });
        merge(rule, axis, fed)
    };
    Ok(SymbolicShape::new((0..rank).map(axis).collect::<Result<Vec<_>, _>>()?))
}

fn merge<'a>(rule: &'static str, axis: usize, fed: impl Iterator<Item = (usize, &'a Dim)>) -> Result<Dim, Error> {
    let mut number: Option<(usize, usize)> = None;
    let mut symbols: Vec<Option<&str>> = Vec::new();
    for (k, dim) in fed {
        match (dim.size(), number) {
            (Some(1), _) => {}
            (Some(size), None) => number = Some((k, size)),
            (Some(size), Some((l, other))) if size != other => {
                let text: String = format!(
                    "broadcast under {rule}: axis {axis} is {other} in {} and {size} in {}; they must be equal or 1",
                    letter(l),
                    letter(k)
                );
                let error = Error::new(ErrorKind::Mismatch, text).under(rule);
                return Err(error.operand_at(k).axis_at(axis).sized(other, size));
            }
            (Some(_), Some(_)) => {}
            (None, _) if dim.name().is_some() && symbols.contains(&dim.name()) => {}
            (None, _) => symbols.push(dim.name()),
        }
    }
    Ok(match (number, symbols.as_slice()) {
        (Some((_, size)), _) => Dim::known(size),
        (None, []) => Dim::known(1),
        (None, [Some(name)]) => Dim::named(name),
        (None, _) => Dim::unknown(),
    })
}

#[cfg(test)]
mod tests {
    use alloc::{string::ToString, vec::Vec};

    use super::*;

    #[test]
    fn as_onnx_infers() {
        // operands, result (none: refused); asked of onnx 1.23.2
        let cases: &[(&[&str], Option<&str>)] = &[
            (&["N", "N"], Some("(N,)")),
            (&["N", "M"], Some("(?,)")),
            (&["N", "?"], Some("(?,)")),
            (&["?", "?"], Some("(?,)")),
            (&["N", "1"], Some("(N,)")),
            (&["?", "1"], Some("(?,)")),
            (&["N", "5"], Some("(5,)")),
            (&["0", "N"], Some("(0,)")),
            (&["0", "1"], Some("(0,)")),
            (&["1", "1"], Some("(1,)")),
            (&["2", "5"], None),
            (&["2", "0"], None),
            (&["5", "0"], None),
            (&["N", "M", "M"], Some("(?,)")),
            (&["N", "1", "1"], Some("(N,)")),
            (&["N", "?", "1"], Some("(?,)")),
            (&["N", "M", "5"], Some("(5,)")),
            (&["N", "5", "6"], None),
            (&["N,4", "3,4"], Some("(3, 4)")),
            (&["N", "2,M,1"], Some("(2, M, N)")),
            (&["...", "2"], Some("(...)")),
            (&["2..9", "1"], Some("(?,)")),
        ];
        for (shapes, want) in cases {
            let shapes: Vec<SymbolicShape> = shapes.iter().map(|text| text.parse().unwrap()).collect();
            let got = infer(&Rule::numpy(), &shapes);
            assert_eq!(got.as_ref().ok().map(ToString::to_string).as_deref(), *want, "{shapes:?}: {got:?}");
        }
        assert!(infer(&Rule::pdpd(0), &["2".parse().unwrap(), "2".parse().unwrap()]).is_err());
    }
}
