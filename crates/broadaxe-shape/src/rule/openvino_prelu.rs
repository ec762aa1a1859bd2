//! The rule of OpenVINO's `PReLU`: a slope of rank 1 feeds axis 1 of the data if it fits there.
//!
//! A slope of rank 1 whose length is the dim of the data's axis 1 has one number per channel. Any other slope aligns
//! to the right and stretches to the data's shape, as under `unidirectional`. Where the slope feeds axis 1, ONNX
//! computes something else without an error: (2, 4, 4) with slope (4) uses axis 1 here and the last axis in ONNX. (2,
//! 3, 4) with (4) uses the last axis in both.
//!
//! Deviations of OpenVINO 2026.4: the specification requires a slope of rank 1 or more. The engine and this rule also
//! accept a scalar. The engine also accepts a slope that is larger than the data, (1, 3) with (2, 3) or (2, 3) with
//! (1, 2, 3). This rule does not.
//!
//! Source: OpenVINO, "PReLU-1".

use super::{Call, RuleDef, unidirectional::one_way};
use crate::{align::Placement, error::Error};

pub(super) static OPENVINO_PRELU: RuleDef = RuleDef {
    name: "openvino-prelu",
    title: "OpenVINO PReLU",
    aliases: &["prelu"],
    summary: "puts a slope of rank 1 at axis 1 if it fits there, else aligns to the right; only it stretches (PReLU)",
    source: "OpenVINO PReLU-1",
    operands: (2, 2),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let mut placement = one_way(call, 0)?;
    // With two axes the last one is axis 1, wherever the extents are not known yet.
    if call.extents.rank(1) == 1 && call.extents.rank(0) > 2 && call.extents.same((0, 1), (1, 0))? {
        placement.axes[1] = (1..2).into();
    }
    Ok(placement)
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::openvino_prelu(),
            &[
                ("128 ; 1", "128 ; 1 ; 0"),
                ("3 ; 3", "3 ; 1 ; 1"),
                ("1,2,3,4 ; 2", "1,2,3,4 ; 0,12,4,1 ; 0,1,0,0"),
                ("2,4,4 ; 4", "2,4,4 ; 16,4,1 ; 0,1,0"),
                ("2,3,4 ; 4", "2,3,4 ; 12,4,1 ; 0,0,1"),
                ("2,5,4,5 ; 5", "2,5,4,5 ; 100,20,5,1 ; 0,1,0,0"),
                ("2,3,4,5 ; 5", "2,3,4,5 ; 60,20,5,1 ; 0,0,0,1"),
                ("2,3,4 ; 2,1,1", "2,3,4 ; 12,4,1 ; 1,0,0"),
                ("2,3,4 ; 1,3,1", "2,3,4 ; 12,4,1 ; 0,1,0"),
                ("2,3 ; ()", "2,3 ; 3,1 ; 0,0"),
                ("2,3 ; 3", "2,3 ; 3,1 ; 0,1"),
                ("2,0,3 ; 0", "2,0,3 ; 0,3,1 ; 0,1,0"),
                ("2,3 ; 2", "mismatch at 1 of b"),
                ("2,3,4 ; 5", "mismatch at 2 of b"),
                ("1,3 ; 2,3", "direction at 0 of b"),
                ("2,3 ; 1,2,3", "rank of b"),
                ("() ; 1", "rank of b"),
            ],
        );
    }
}
