//! Paddle: NumPy's rule, the legacy operators' axis, and a slope of `prelu` that is a list of one rank.

use broadaxe_frameworks::System;

use broadaxe_kernels::DType::{self, Bool, F16, I8, I16, I32, I64, U8, U16, U32, U64};

use super::{
    Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, contrib, integer_layers,
    neighbours::REACH, quantised,
};
use crate::meaning::Kind;

const PADDLE_RUN: Evidence = Evidence::run_here("Paddle 3.3; conformance, test_engines.py");
const KERNELS_ASKED: Evidence = Evidence::run_here("Paddle 3.3.1, CPU; recorded answers, profiles/paddle.rs");
const PRELU_DOCUMENTED: Evidence = Evidence::documented("paddle.nn.functional.prelu");

/// The law of Paddle.
const PADDLE_SCALES: Law = Law {
    kinds: quantised::SCALED_KINDS,
    when: &[When::Of(System::Onnx)],
    way: Way::Unsupported,
    text: "cannot be reached: X2Paddle does not convert QuantizeLinear or DequantizeLinear",
    evidence: Evidence::documented("X2Paddle 1.4.1 (2024-10-18), op_mapper/onnx2paddle: no such operators; not run"),
};

pub(super) static PADDLE: Profile = Profile {
    name: "paddle",
    title: "Paddle Inference",
    deployment: Deployment::Server,
    summary: "PaddlePaddle 3",
    route: Route::new(&["paddle"], Evidence::run_here("Paddle Inference")),
    laws: &[
        contrib::PADDLE_CONTRIB,
        PADDLE_SCALES,
        integer_layers::PADDLE_INTEGERS,
        Law {
            kinds: Kind::ALL,
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6)],
            way: Way::Ask(missing),
            text: "has no CPU kernel for some dtypes, such as f16 in Max",
            evidence: KERNELS_ASKED,
        },
        Law {
            kinds: &[],
            when: &[When::Of(System::Paddle)],
            way: Way::Own,
            text: "computes its own files as written",
            evidence: PADDLE_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["Div"]), When::Dtype(&[I8, I16, I32, I64]), When::Holds(may_be_negative)],
            way: Way::Garbled,
            text: "rounds quotients of integers down, not towards 0",
            evidence: PADDLE_RUN,
        },
        Law {
            kinds: &[
                Kind::Stretch,
                Kind::Channel,
                Kind::Unary,
                Kind::Affine,
                Kind::Bias,
                Kind::Bounds,
                Kind::Lengths,
                Kind::Mask,
            ],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: Evidence::documented("paddle API reference"),
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Rank(1, 0, 1))],
            way: Way::RefusedRank,
            text: "accepts only a slope of rank 1",
            evidence: PRELU_DOCUMENTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Single(1)],
            way: Way::Rule("unidirectional"),
            text: "applies one slope to all elements",
            evidence: PRELU_DOCUMENTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("pdpd axis=1"),
            text: "applies one slope per channel (axis 1)",
            evidence: PRELU_DOCUMENTED,
        },
        Law {
            kinds: &[Kind::Quantize],
            when: &[],
            way: Way::Unknown,
            text: "does not support four limits; the replacement depends on the converter",
            evidence: Evidence::documented("paddle API reference"),
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: PADDLE_RUN,
        },
    ],
    ..PLAIN
};

/// Operators of ONNX, and the dtypes that Paddle's functions for them have no kernel for on the CPU, or do not have at all.
static MISSING_KERNELS: &[(&[&str], &[DType])] = &[
    (&["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Expand"], &[U16, U32, U64]),
    (&["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"], &[U16, U32, U64]),
    (&["Add", "Sum", "Div", "Mean"], &[U16, U32, U64, F16]),
    (&["Sub"], &[I8, U8, U16, U32, U64, F16]),
    (&["Mul", "Pow", "Max", "Min", "Where", "Clip"], &[I8, I16, U8, U16, U32, U64, F16]),
    (&["Mod"], &[I8, I16, U8, U16, U32, U64]),
    (&["PRelu", "Gemm", "LayerNormalization"], &[Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16]),
];

/// Says whether an operand may have negative numbers.
fn may_be_negative(asked: &Asked<'_>) -> Option<bool> {
    let mut values = (0..asked.operands.len()).map(|k| asked.value(k));
    Some(values.any(|value| value.is_none_or(|value| !asked.is_made_positive(value, REACH))))
}

/// Finds nodes of a dtype that there is no kernel for.
fn missing(asked: &Asked<'_>) -> Option<Does> {
    let op = asked.node.op.as_str();
    let input = asked.node.input(usize::from(op == "Where"))?;
    let dtype = asked.dtype_of(input)?;
    let gap = MISSING_KERNELS.iter().any(|(operators, dtypes)| operators.contains(&op) && dtypes.contains(&dtype));
    gap.then(|| Does::Refused(format!("has no CPU kernel for {dtype} in {op}").into()))
}

#[cfg(test)]
mod tests {
    use broadaxe_kernels::DType::{F16, F32, I8, I16, I32, I64, U8, U16, U32, U64};

    use crate::testing::gravest;

    /// What the functions of Paddle 3.3.1 did on the CPU with operands of these dtypes. `Div` of integers is `floor_divide`.
    const RAN: &[(&str, &str)] = &[
        ("Add(x,y)", "i8 i16 i32 i64 u8"),
        ("Sub(x,y)", "i16 i32 i64"),
        ("Mul(x,y)", "i32 i64"),
        ("Div(x,y)", "u8"),
        ("Mod(x,y)", "i32 i64"),
        ("Max(x,y)", "i32 i64"),
        ("Min(x,y)", "i32 i64"),
        ("Equal(x,y)", "i8 i16 i32 i64 u8 f16"),
        ("GreaterOrEqual(x,y)", "i8 i16 i32 i64 u8 f16"),
        ("Less(x,y)", "i8 i16 i32 i64 u8 f16"),
        ("BitwiseAnd(x,y)", "i8 i16 i32 i64 u8"),
        ("Where(c,x,y)", "i32 i64"),
        ("Clip(x,l,l)", "i32 i64"),
        ("Expand(x,s)", "i8 i16 i32 i64 u8 f16"),
        ("PRelu(x,p)", ""),
    ];

    #[test]
    fn dtypes_without_kernels() {
        for (node, ran) in RAN {
            for dtype in [I8, I16, I32, I64, U8, U16, U32, U64, F16, F32] {
                let name = dtype.to_string();
                if matches!(dtype, F16 | F32) && (node.starts_with("Mod") || node.starts_with("Bitwise")) {
                    continue;
                }
                let rounds = node.starts_with("Div") && matches!(dtype, I8 | I16 | I32 | I64);
                let want = if rounds {
                    "differs"
                } else if ran.split(' ').any(|one| one == name) || dtype == F32 {
                    "same"
                } else {
                    "refused"
                };
                let operands = format!("x:{name}(2,2); y:{name}(2,2); p:{name}(1); l:{name}(); c:bool(2,2)");
                let text = format!("opset 18; {operands}; s=const:i64(2)=2; z={node}");
                assert_eq!(gravest(&text, "paddle"), want, "{text}");
            }
        }
    }
}
