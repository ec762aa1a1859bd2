//! The rule of ONNX `Gemm`'s C: it stretches to the product, (M, N).
//!
//! The first operand is the product, of rank 2. The second is C, of rank 2 or less. C aligns to the right, and each of
//! its dims is 1 or that of the product. The result is (M, N). If K is 0, the product is a sum over no elements, and
//! the rule is the same.
//!
//! ONNX Runtime 1.31 and the reference evaluator agree on every case. ONNX's shape inference does not check C.
//!
//! Source: ONNX, `Gemm`, input C.

use core::fmt;

use super::{Call, RuleDef, unidirectional::one_way};
use crate::{
    align::{Placement, RuleCall},
    error::{Error, ErrorKind},
};

pub(super) static GEMM_C: RuleDef = RuleDef {
    name: "gemm-c",
    title: "ONNX Gemm",
    aliases: &["gemm"],
    summary: "stretches C to the product's shape, which has rank 2 (ONNX Gemm)",
    source: "ONNX Gemm, input C",
    operands: (2, 2),
    ..RuleDef::new(place)
};

fn place(call: &Call<'_>) -> Result<Placement, Error> {
    let rank = call.extents.rank(0);
    if rank != 2 {
        let text = move |_: &RuleCall, f: &mut fmt::Formatter<'_>| {
            write!(f, "a has rank {rank}; the product must have rank 2, (M, N)")
        };
        return Err(call.fail(ErrorKind::Rank, text).operand_at(0));
    }
    one_way(call, 0)
}

#[cfg(test)]
mod tests {
    use crate::{Rule, rule::table::check};

    #[test]
    fn shapes() {
        check(
            &Rule::gemm_c(),
            &[
                ("2,4 ; ()", "2,4 ; 4,1 ; 0,0"),
                ("2,4 ; 1", "2,4 ; 4,1 ; 0,0"),
                ("2,4 ; 4", "2,4 ; 4,1 ; 0,1"),
                ("2,4 ; 2,1", "2,4 ; 4,1 ; 1,0"),
                ("2,4 ; 1,4", "2,4 ; 4,1 ; 0,1"),
                ("2,4 ; 2,4", "2,4 ; 4,1 ; 4,1"),
                ("0,4 ; 4", "0,4 ; 4,1 ; 0,1"),
                ("2,4 ; 2", "mismatch at 1 of b"),
                ("2,4 ; 4,2", "mismatch at 0 of b"),
                ("2,4 ; 2,3", "mismatch at 1 of b"),
                ("2,4 ; 0", "mismatch at 1 of b"),
                ("2,4 ; 1,2,4", "rank of b"),
                ("2,4 ; 1,1,1", "rank of b"),
                ("4 ; 4", "rank of a"),
                ("1,2,4 ; 4", "rank of a"),
            ],
        );
    }
}
