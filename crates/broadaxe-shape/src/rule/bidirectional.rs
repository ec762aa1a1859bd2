//! One operand merged with a target shape by NumPy's rule: the result may exceed the target.
//!
//! Operand and target align to the right, and both may stretch. The result differs from the target only where the
//! target has a dim of 1 or too few axes: (3, 1) to (2, 1, 6) is (2, 3, 6), (5) to (1) is (5), (3, 4) to () is (3, 4).
//! Every entry of the target is a dim, so ONNX's -1 cannot be written.
//!
//! Deviations of OpenVINO 2026.4: its CPU kernels crash on operands without elements, and on rank 0 to rank 0. Its
//! shape inference is right in both cases.
//!
//! Sources: OpenVINO, "Broadcast-3", mode bidirectional; ONNX, `Expand`.

use super::{Call, RuleDef, numpy::right_aligned};
use crate::{
    align::{Placement, Stretch},
    error::Error,
};

pub(super) static BIDIRECTIONAL: RuleDef = RuleDef {
    name: "bidirectional",
    title: "ONNX Expand",
    aliases: &["expand", "onnx-expand"],
    summary: "merges one operand with a target shape; both may stretch (Broadcast-3, ONNX Expand)",
    source: "OpenVINO Broadcast-3, bidirectional; ONNX Expand",
    operands: (1, 1),
    target: true,
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    Ok(right_aligned(call, Stretch::All))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::{Rule, Shape, rule::table::check};

    #[test]
    fn shapes() {
        let cases = [
            ("5", "1", "5 ; 1"),
            ("2,3", "3", "2,3 ; 3,1"),
            ("3,1", "2,1,6", "2,3,6 ; 0,1,0"),
            ("3,4", "()", "3,4 ; 4,1"),
            ("2,3", "1,1,1", "1,2,3 ; 0,3,1"),
            ("()", "()", "() ; ()"),
            ("1", "0", "0 ; 0"),
            ("0", "1", "0 ; 1"),
            ("3", "2", "mismatch at 0 of b"),
            ("3", "0", "mismatch at 0 of b"),
        ];
        for (operand, target, want) in cases {
            check(&Rule::bidirectional(target.parse::<Shape>().unwrap()), &[(operand, want)]);
        }
    }

    #[test]
    fn sentence() {
        assert_eq!(
            Rule::bidirectional([2, 4]).align(&[&[3]]).unwrap_err().to_string(),
            "broadcast of a (3,) to target (2, 4) under bidirectional: axis 1 is 3 in a and 4 in target; they must be equal or 1"
        );
    }
}
