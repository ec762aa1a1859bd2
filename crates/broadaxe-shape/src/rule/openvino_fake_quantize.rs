//! The rule of OpenVINO's `FakeQuantize`: four limits stretch to the data, which does not.
//!
//! The operands are the data, input low, input high, output low and output high. Each limit aligns to the right of the
//! data and has at most its rank. Each dim of a limit is 1 or that of the data. The result has the data's shape.
//!
//! Deviations of OpenVINO 2026.4: its shape check broadcasts all five operands with each other and ignores the result.
//! It accepts (1, 3, 1, 1) with a limit of (1, 3, 4, 5), and returns (1, 3, 1, 1). This rule rejects these shapes, as
//! the specification does.
//!
//! Source: OpenVINO, "FakeQuantize-1", `auto_broadcast` numpy; under its mode none, the rule is `none`.

use super::{Call, RuleDef, unidirectional::one_way};
use crate::{align::Placement, error::Error};

pub(super) static OPENVINO_FAKE_QUANTIZE: RuleDef = RuleDef {
    name: "openvino-fake-quantize",
    title: "OpenVINO FakeQuantize",
    aliases: &["fake-quantize"],
    summary: "stretches the four limits to the data's shape (FakeQuantize)",
    source: "OpenVINO FakeQuantize-1",
    operands: (5, 5),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    one_way(call, 0)
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::openvino_fake_quantize(),
            &[
                ("1,3,4,5 ; 1,3,1,1 ; 3,1,1 ; 1 ; ()", "1,3,4,5 ; 0,20,5,1 ; 0,1,0,0 ; 0,1,0,0 ; 0,0,0,0 ; 0,0,0,0"),
                ("2,3 ; 2,3 ; 2,3 ; 2,3 ; 2,3", "2,3 ; 3,1 ; 3,1 ; 3,1 ; 3,1 ; 3,1"),
                ("0 ; 1 ; 1 ; 0 ; 0", "0 ; 1 ; 0 ; 0 ; 1 ; 1"),
                ("3 ; 2,3 ; 1 ; 1 ; 1", "rank of b"),
                ("1,3,1,1 ; 1 ; 1 ; 1 ; 1,3,4,5", "direction at 2 of e"),
                ("2,3 ; 1 ; 2 ; 1 ; 1", "mismatch at 1 of c"),
                ("2,3 ; 1 ; 1 ; 1", "operands"),
            ],
        );
    }
}
