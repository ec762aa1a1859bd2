//! Checks tables of cases, for the tests of the rules.
//!
//! A case is two texts: the operands, `2,3 ; 3`, and the answer, either the result's shape and every operand's strides,
//! `2,3 ; 3,1 ; 0,1`, or the class of the error, with axis and operand where it has them: `mismatch at 1 of b`.

use alloc::{format, string::String, vec::Vec};

use super::Rule;
use crate::{
    align::letter,
    shape::{Shape, list},
};

/// Asks `rule` about every case and reports all that come out otherwise.
pub(super) fn check(rule: &Rule, cases: &[(&str, &str)]) {
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|&(operands, want)| {
            let got = answer(rule, operands);
            (got != want).then(|| format!("{operands} under {rule}: want {want}, got {got}"))
        })
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

fn answer(rule: &Rule, operands: &str) -> String {
    let shapes: Vec<Shape> =
        operands.split(';').filter(|text| !text.trim().is_empty()).map(|text| text.parse().unwrap()).collect();
    let shapes: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    match rule.align(&shapes) {
        Ok(alignment) => {
            let mut text = list(alignment.shape());
            for k in 0..shapes.len() {
                text += " ; ";
                text += &list(&alignment.strides(k));
            }
            text
        }
        Err(error) => {
            assert_eq!(error.rule(), Some(rule.name()), "{error}");
            let axis = error.axis().map(|axis| format!(" at {axis}")).unwrap_or_default();
            let operand = error.operand().map(|k| format!(" of {}", letter(k))).unwrap_or_default();
            format!("{}{axis}{operand}", error.kind().name())
        }
    }
}
