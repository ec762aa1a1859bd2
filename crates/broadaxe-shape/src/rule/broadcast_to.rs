//! One operand stretched to exactly a target shape, aligned to the right.
//!
//! The operand's rank is at most that of the target. Each of its dims is 1 or that of the target: (3) to (1) is an
//! error, (1) to (0) is (0), (0) to (1) is an error. The result is always the target.
//!
//! Deviations of OpenVINO 2026.4: its CPU kernels crash on operands without elements, as under `bidirectional`.
//!
//! Sources: OpenVINO, "Broadcast-1" and "Broadcast-3", mode numpy; NumPy, `broadcast_to`.

use super::{Call, RuleDef, unidirectional::one_way};
use crate::{align::Placement, error::Error};

pub(super) static BROADCAST_TO: RuleDef = RuleDef {
    name: "broadcast-to",
    title: "numpy.broadcast_to",
    aliases: &["broadcast_to"],
    summary: "stretches one operand to exactly a target shape (Broadcast mode numpy, numpy.broadcast_to)",
    source: "OpenVINO Broadcast-3, numpy; NumPy broadcast_to",
    operands: (1, 1),
    target: true,
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    one_way(call, 1)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::{Rule, Shape, rule::table::check};

    #[test]
    fn shapes() {
        let cases = [
            ("16,1,1", "1,16,5,5", "1,16,5,5 ; 0,1,0,0"),
            ("()", "2,3", "2,3 ; 0,0"),
            ("()", "()", "() ; ()"),
            ("1", "0", "0 ; 0"),
            ("0", "2,0", "2,0 ; 0,1"),
            ("0", "1", "direction at 0 of a"),
            ("3", "1", "direction at 0 of a"),
            ("3", "2", "mismatch at 0 of a"),
            ("1", "()", "rank of a"),
        ];
        for (operand, target, want) in cases {
            check(&Rule::broadcast_to(target.parse::<Shape>().unwrap()), &[(operand, want)]);
        }
    }

    #[test]
    fn sentences() {
        let text = |a: &[usize], target: &[usize]| Rule::broadcast_to(target).align(&[a]).unwrap_err().to_string();
        assert_eq!(
            text(&[3], &[2, 1]),
            "broadcast of a (3,) to target (2, 1) under broadcast-to: axis 1 is 1 in target and 3 in a; target may not stretch, so \
             a must be 1 there"
        );
        assert_eq!(
            text(&[1, 3], &[3]),
            "broadcast of a (1, 3) to target (3,) under broadcast-to: a has rank 2 and target only 1; the rank of a must not be \
             above that of target"
        );
    }
}
