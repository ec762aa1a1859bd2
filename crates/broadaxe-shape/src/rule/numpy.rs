//! NumPy's rule: align to the right, then every operand may stretch.
//!
//! The shorter operand is given axes of 1 in front. On each axis the extents are equal or 1; the result has the one that
//! is not 1. The rule is symmetric, associative, and takes any number of operands. An extent of 0 is an ordinary one:
//! 1 with 0 is 0, 2 with 0 is an error.
//!
//! Sources: NumPy user guide, "Broadcasting"; ONNX `Broadcasting.md`, "Multidirectional Broadcasting"; OpenVINO
//! "Broadcast Rules For Elementwise Operations", NumPy. All engines agree on every case.

use alloc::vec::Vec;

use super::{AxisParam, Call, RuleDef};
use crate::{
    align::{Placement, Stretch},
    error::Error,
};

pub(super) static RULE: RuleDef = RuleDef {
    name: "numpy",
    aliases: &["multidirectional", "onnx", "torch"],
    summary: "aligns to the right; every operand may stretch from 1",
    source: "NumPy user guide, Broadcasting; ONNX Broadcasting.md, multidirectional",
    operands: (1, usize::MAX),
    axis: AxisParam::None,
    axes: false,
    target: false,
    modes: &[],
    place,
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    Ok(right_aligned(call, Stretch::All))
}

/// Puts every operand's last axis on the result's last axis.
pub(super) fn right_aligned(call: &Call<'_>, stretch: Stretch) -> Placement {
    let ranks: Vec<usize> = (0..call.extents.count()).map(|k| call.extents.rank(k)).collect();
    let rank = ranks.iter().copied().max().unwrap_or(0);
    Placement { rank, axes: ranks.iter().map(|&n| (rank - n..rank).collect()).collect(), stretch }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::Rule;

    #[test]
    fn shapes() {
        let cases: &[(&[usize], &[usize], Option<&[usize]>)] = &[
            (&[], &[], Some(&[])),
            (&[2, 3], &[1], Some(&[2, 3])),
            (&[5, 1], &[1, 5], Some(&[5, 5])),
            (&[8, 1, 6, 1], &[7, 1, 5], Some(&[8, 7, 6, 5])),
            (&[1], &[0], Some(&[0])),
            (&[2, 0], &[3, 1, 1], Some(&[3, 2, 0])),
            (&[2], &[0], None),
            (&[2, 3, 4], &[2, 3], None),
        ];
        for (a, b, want) in cases {
            let got = Rule::numpy().align(&[a, b]);
            assert_eq!(got.as_ref().ok().map(|x| x.shape().dims()), *want, "{a:?} with {b:?}: {got:?}");
        }
    }

    #[test]
    fn error_names_everything() {
        let error = Rule::numpy().align(&[&[3, 1, 5], &[4, 4, 5]]).unwrap_err();
        assert_eq!((error.axis(), error.sizes(), error.rule()), (Some(0), Some((3, 4)), Some("numpy")));
        assert_eq!(
            error.to_string(),
            "broadcast of a (3, 1, 5) with b (4, 4, 5) under numpy: axis 0 is 3 in a and 4 in b; they must be equal or 1"
        );
    }
}
