//! NumPy's rule: align to the right, then every operand may stretch.
//!
//! The shorter shape gets leading dims of 1. On each axis the dims are equal or 1, and the result has the one that is
//! not 1. The rule is symmetric, associative, and accepts any number of operands. A dim of 0 is not special: 1 with 0
//! is 0, and 2 with 0 is an error.
//!
//! Sources: NumPy user guide, "Broadcasting"; ONNX `Broadcasting.md`, "Multidirectional Broadcasting"; OpenVINO
//! "Broadcast Rules For Elementwise Operations", NumPy. All engines agree on every case.

use super::{Call, RuleDef};
use crate::{
    align::{Placement, Stretch},
    error::Error,
};

pub(super) static NUMPY: RuleDef = RuleDef {
    name: "numpy",
    title: "NumPy, PyTorch, TensorFlow, JAX, Keras",
    aliases: &["multidirectional", "onnx", "torch"],
    summary: "aligns to the right; every operand may stretch from 1",
    source: "NumPy user guide, Broadcasting; ONNX Broadcasting.md, multidirectional",
    operands: (1, usize::MAX),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    Ok(right_aligned(call, Stretch::All))
}

/// Puts every operand's last axis on the result's last axis.
pub(super) fn right_aligned(call: &Call<'_>, stretch: Stretch) -> Placement {
    let ranks = (0..call.extents.count()).map(|k| call.extents.rank(k));
    let rank = ranks.clone().max().unwrap_or(0);
    Placement { rank, axes: ranks.map(|n| (rank - n..rank).into()).collect(), stretch }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::numpy(),
            &[
                ("() ; ()", "() ; () ; ()"),
                ("2,3 ; 1", "2,3 ; 3,1 ; 0,0"),
                ("5,1 ; 1,5", "5,5 ; 1,0 ; 0,1"),
                ("2,1,5 ; 4,1", "2,4,5 ; 5,0,1 ; 0,1,0"),
                ("8,1,6,1 ; 7,1,5", "8,7,6,5 ; 6,0,1,0 ; 0,5,0,1"),
                ("2 ; 2,1", "2,2 ; 0,1 ; 1,0"),
                ("2,1 ; 1,3 ; 4,1,1", "4,2,3 ; 0,1,0 ; 0,0,1 ; 1,0,0"),
                ("2,3", "2,3 ; 3,1"),
                ("() ; 1", "1 ; 0 ; 0"),
                ("1 ; 0", "0 ; 0 ; 1"),
                ("() ; 0", "0 ; 0 ; 1"),
                ("2,0 ; 3,1,1", "3,2,0 ; 0,0,1 ; 1,0,0"),
                ("2 ; 0", "mismatch at 0 of b"),
                ("2,3,4 ; 2,3", "mismatch at 1 of b"),
                ("2 ; 1 ; 3", "mismatch at 0 of c"),
                ("", "operands"),
            ],
        );
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
