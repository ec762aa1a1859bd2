//! LiteRT's interpreter and its kernels for CPUs: `NumPy`'s rule, but for ATAN2 and SELECT.

use broadaxe_frameworks::{Role, System};
use broadaxe_kernels::{DType, id};

use super::{
    Asked, Converter, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, channels,
    condition::OF_FLOATS,
    contrib,
    inside::{CONVOLUTION, has_computed_list, has_computed_weights, is_grouped, lists},
    integer_layers, quantised,
};
use crate::{graph::Attribute, meaning::Kind};

/// How models come to LiteRT.
pub(super) const FILES: Route = Route::new(&["tflite"], ON_CPUS);

/// The converters from ONNX that were asked.
pub(super) const CONVERTERS: &[Converter] = &[
    Converter { name: ONNX2TF, version: "2.6.9", note: "which moves channels last" },
    Converter { name: LITERT_TORCH, version: "0.10.0", note: "from the PyTorch model" },
];
pub(super) const ONNX2TF: &str = "onnx2tf";
pub(super) const LITERT_TORCH: &str = "litert-torch";

const ON_CPUS: Evidence = Evidence::run_here("LiteRT 2.3.0; models of one node, with XNNPACK and without");
const ON_CPUS_CONVERTED: Evidence =
    Evidence::run_here("LiteRT 2.3.0; models of one node through onnx2tf 2.6.9 and litert-torch 0.10.0, on the CPU");
const ON_CPUS_INSIDE: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; normalisations, convolutions and attention through onnx2tf 2.6.9 and litert-torch 0.10.0, on the CPU",
);
const ON_HIGH_RANKS: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; conformance/litert/micro.py --engine litert, ranks 7 and 8, and MUL with activations",
);
/// The operators that were asked up to rank 8.
const TESTED_TO_8: When = When::Any(&[
    When::Kind(&[Kind::Binary]),
    When::All(&[When::Of(System::Tflite), When::Named(&["SELECT_V2", "PRELU", "BROADCAST_TO"])]),
]);
/// Products of numbers of 16 bits that have scales.
const SHORT_PRODUCTS: When = When::All(&[
    When::Of(System::Tflite),
    When::Named(&["MUL"]),
    When::Dtype(&[DType::I16]),
    When::Holds(|asked| Some(asked.model.value(asked.value(0)?).quantization.is_some())),
]);
const TYPED: Evidence = Evidence::run_here("LiteRT 2.3.0; every operator with every type, equal and stretched shapes");
/// The types that LiteRT 2.3.0 was asked about, one operator a line: `ADD | right | refused`. Types that other quantised
/// arithmetic uses, and gives other numbers without, are left out.
const TYPES_ASKED: &str = include_str!("litert/types.txt");
/// What onnx2tf writes as an operator that LiteRT does not have.
pub(super) const CUSTOM_SLOPE: &[When] =
    &[When::Via(ONNX2TF), When::Any(&[When::Not(&When::Constant(1)), When::Rank(0, 3, 3)])];
/// What onnx2tf does not convert: lists and weights that are computed, and transposed convolutions in groups.
pub(super) const UNCONVERTED: &[When] = &[
    When::Via(ONNX2TF),
    When::Any(&[
        When::All(&[When::Named(&["InstanceNormalization", "GroupNormalization"]), When::Holds(has_computed_list)]),
        When::All(&[CONVOLUTION, When::Holds(has_computed_weights)]),
        When::All(&[When::Named(&["ConvTranspose"]), When::Holds(is_grouped)]),
    ]),
];
pub(super) const UNCONVERTED_TEXT: &str =
    "cannot be reached: onnx2tf does not convert computed lists or weights, or grouped ConvTranspose";
pub(super) const NO_ATTENTION: &str = "cannot be reached: onnx2tf does not convert Attention";
/// The ranks of data with a slope that onnx2tf was asked about.
pub(super) const UNASKED_SLOPE: &[When] = &[When::Via(ONNX2TF), When::Not(&When::Rank(0, 2, 4))];

pub(super) static LITERT: Profile = Profile {
    name: "litert",
    title: "LiteRT",
    deployment: Deployment::Phone,
    summary: "LiteRT (TensorFlow Lite) on CPUs",
    aliases: &["tflite"],
    versions: &["2.1.3", "2.1.6", "2.2.0", "2.3.0"],
    laws: &[
        contrib::LITERT_CONTRIB[0],
        contrib::LITERT_CONTRIB[1],
        contrib::LITERT_CONTRIB[2],
        contrib::LITERT_CONTRIB[3],
        contrib::LITERT_CONTRIB[4],
        contrib::LITERT_CONTRIB[5],
        contrib::LITERT_CONTRIB[6],
        integer_layers::LITERT_INTEGERS[0],
        integer_layers::LITERT_INTEGERS[1],
        integer_layers::LITERT_INTEGERS[2],
        integer_layers::LITERT_INTEGERS[3],
        integer_layers::LITERT_INTEGERS[4],
        integer_layers::LITERT_INTEGERS[5],
        quantised::LITERT_SCALES[0],
        quantised::LITERT_SCALES[1],
        quantised::LITERT_SCALES[2],
        quantised::LITERT_SCALES[3],
        quantised::LITERT_SCALES[4],
        quantised::LITERT_SCALES[5],
        quantised::LITERT_SCALES[6],
        quantised::LITERT_SCALES[7],
        quantised::LITERT_SCALES[8],
        Law {
            kinds: &[Kind::Slope],
            when: &[channels::WRONG_SLOPE, When::Via(ONNX2TF), channels::PER_CHANNEL],
            way: Way::Ask(channels::along),
            text: "receives the slope along the channels from onnx2tf",
            evidence: ON_CPUS_CONVERTED,
        },
        Law { kinds: &[Kind::Binary], when: &[], way: Way::Ask(no_elements), text: "crashes", evidence: ON_CPUS },
        Law {
            kinds: &[Kind::Binary, Kind::Slope],
            when: &[],
            way: Way::Ask(old_ranks),
            text: "crashes",
            evidence: ON_CPUS,
        },
        Law {
            kinds: &[],
            when: &[When::Of(System::Tflite), When::Holds(is_refused_type)],
            way: Way::Refused,
            text: "does not support this type in this operator",
            evidence: TYPED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[SHORT_PRODUCTS, When::Holds(has_activation)],
            way: Way::Unknown,
            text: "lets products beyond int16 wrap around before the activation of MUL",
            evidence: ON_HIGH_RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[SHORT_PRODUCTS],
            way: Way::Caveat,
            text: "lets products beyond the range of int16 wrap around in MUL",
            evidence: ON_HIGH_RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Of(System::Tflite), When::Dtype(&[DType::I16]), When::Not(&When::Single(1))],
            way: Way::Garbled,
            text: "reads other slopes in PRELU of int16",
            evidence: ON_HIGH_RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: UNASKED_SLOPE,
            way: Way::Unknown,
            text: "was tested through onnx2tf only with PRelu of ranks 2 to 4",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: CUSTOM_SLOPE,
            way: Way::Refused,
            text: "receives an unsupported operator from onnx2tf for computed slopes and data of rank 3",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Via(ONNX2TF), When::Operator(&[id("pow")]), When::Dtype(&[DType::I64])],
            way: Way::Refused,
            text: "does not support int64 in POW",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[
                When::Via(ONNX2TF),
                When::Operator(&[id("div")]),
                When::Dtype(&[DType::I64]),
                When::Not(&When::Constant(1)),
            ],
            way: Way::Refused,
            text: "does not support int64 in DIV",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[When::Via(ONNX2TF), When::Not(&OF_FLOATS), When::Holds(is_half_equal)],
            way: Way::Refused,
            text: "receives SELECT with unequal shapes from onnx2tf, and does not accept it",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Via(ONNX2TF), When::Constant(1), When::Holds(has_computed_weights)],
            way: Way::Refused,
            text: "cannot be reached: onnx2tf does not convert Gemm with computed B, constant C",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6), OF_FLOATS],
            way: Way::Own,
            text: "receives a product and a sum",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Of(System::Onnx), When::Role(&[Role::LayerNorm]), When::Not(&When::RankAbove(5))],
            way: Way::Own,
            text: "receives means, products and sums that broadcast the same way",
            evidence: ON_CPUS_CONVERTED,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: UNCONVERTED,
            way: Way::Refused,
            text: UNCONVERTED_TEXT,
            evidence: ON_CPUS_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Via(ONNX2TF), When::Named(&["ConvTranspose"]), When::RankAbove(4)],
            way: Way::RefusedRank,
            text: "does not support the ConvTranspose of rank 5 that onnx2tf writes",
            evidence: ON_CPUS_INSIDE,
        },
        lists(ON_CPUS_INSIDE),
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Via(ONNX2TF)],
            way: Way::Refused,
            text: NO_ATTENTION,
            evidence: ON_CPUS_INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "receives a product, a sum with the mask and a softmax",
            evidence: ON_CPUS_INSIDE,
        },
        Law {
            kinds: &[Kind::Quantize, Kind::Affine, Kind::Bias],
            when: &[],
            way: Way::Unknown,
            text: "does not support the operator; what replaces it depends on the converter",
            evidence: Evidence::documented("LiteRT schema, BuiltinOperator"),
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(angle),
            text: "does not broadcast ATAN2",
            evidence: ON_CPUS,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Ask(select),
            text: "accepts only equal shapes in SELECT, or one condition per entry of axis 0",
            evidence: ON_CPUS,
        },
        Law {
            kinds: &[Kind::Unary, Kind::Channel, Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: Evidence::documented("LiteRT schema, BuiltinOperator"),
        },
        Law {
            kinds: &[],
            when: &[When::Any(&[When::RankAbove(8), When::All(&[When::Not(&TESTED_TO_8), When::RankAbove(6)])])],
            way: Way::Unknown,
            text: "was tested up to rank 8, and some operators up to rank 6",
            evidence: ON_HIGH_RANKS,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "receives the shape", evidence: ON_CPUS },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRELU to the right and stretches only the slope",
            evidence: ON_CPUS,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: ON_CPUS,
        },
    ],
    route: FILES,
    converters: CONVERTERS,
    ..PLAIN
};

/// Says whether the operator has an activation.
fn has_activation(asked: &Asked<'_>) -> Option<bool> {
    let activation = asked.node.attribute("fused_activation_function").and_then(Attribute::text);
    Some(activation.is_some_and(|name| name != "NONE"))
}

/// Says whether the condition of a choice has the shape of its first branch and not of the second, which is no scalar.
fn is_half_equal(asked: &Asked<'_>) -> Option<bool> {
    let [condition, x, y] = asked.operands.shapes() else { return None };
    Some(condition.known()? == x.known()? && y.known()? != x.known()? && !y.known()?.is_empty())
}

/// Finds constants without elements over which a sum or a product stretches the other way: their data is read, and there is none.
fn no_elements(asked: &Asked<'_>) -> Option<Does> {
    let sum = asked.operator().is_some_and(|id| matches!(id.op().name(), "add" | "sub" | "mul" | "div"));
    let (Some(a), Some(b)) = (asked.operands.first()?.known(), asked.operands.get(1)?.known()) else { return None };
    if !sum || asked.operands.len() != 2 || !a.contains(&0) || !b.contains(&0) {
        return None;
    }
    let own = asked.meaning.rule.align(&[&a, &b]).ok()?;
    let result = own.shape();
    let empty = result.iter().position(|dim| *dim == 0)?;
    let stretched = |k: usize| {
        let operand = &own.operands()[k];
        let runs = |axis: usize| {
            operand.axes().iter().position(|to| *to == axis).is_some_and(|at| operand.shape()[at] == result[axis])
        };
        own.operands()[1 - k].shape() == result && (0..empty).any(|axis| result[axis] != 1 && !runs(axis))
    };
    let text = "crashes if a constant without elements is stretched";
    [&a, &b].iter().enumerate().any(|(k, _)| asked.constants[k] && stretched(k)).then(|| Does::Refused(text.into()))
}

/// Finds operators whose kernels read past their arrays at ranks above 4, before 2.1.6.
fn old_ranks(asked: &Asked<'_>) -> Option<Does> {
    const BAD: &[&str] = &[
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "div_floor",
        "mod_floor",
        "pow",
        "logical_and",
        "logical_or",
        "prelu",
    ];
    let bad = asked.operator().is_some_and(|id| BAD.contains(&id.op().name()));
    if asked.at_least("2.1.6") || !bad || asked.rank()? <= 4 {
        return None;
    }
    let shapes: Option<Vec<_>> = asked.operands.iter().map(broadaxe_shape::SymbolicShape::known).collect();
    let single = asked.meaning.kind == Kind::Slope && asked.elements(1) == Some(1);
    if single || shapes.is_some_and(|shapes| shapes.iter().all(|shape| *shape == shapes[0])) {
        return None;
    }
    Some(Does::RefusedRank("crashes if this operator broadcasts above rank 4".into()))
}

/// Says whether the operator was refused with the type of its operands.
fn is_refused_type(asked: &Asked<'_>) -> Option<bool> {
    let Some(dtype) = asked.dtype(usize::from(asked.meaning.kind == Kind::Select)) else { return Some(false) };
    let line = TYPES_ASKED.lines().find(|line| line.split(' ').next() == Some(&asked.node.op));
    let refused = line.and_then(|line| line.rsplit_once('|')).map_or("", |(_, refused)| refused);
    Some(refused.split(' ').any(|name| name == dtype.name()))
}

/// ATAN2 needs equal shapes, and checks only the ranks.
fn angle(asked: &Asked<'_>) -> Option<Does> {
    let [a, b] = asked.operands.shapes() else { return None };
    if !asked.is_of(System::Tflite) || asked.node.op != "ATAN2" {
        return None;
    }
    if a.rank().zip(b.rank()).is_some_and(|(a, b)| a != b) {
        return Some(Does::Refused("does not broadcast ATAN2, and accepts only operands of equal rank".into()));
    }
    match (a.known(), b.known()) {
        (Some(a), Some(b)) if a == b || a.contains(&0) || b.contains(&0) => Some(Does::Own),
        (Some(_), Some(_)) => {
            let text = "does not broadcast ATAN2: it reads the second operand past its end";
            Some(Does::Garbled(text.into()))
        }
        _ => Some(Does::Unknown("does not broadcast ATAN2, and the shapes are unknown".into())),
    }
}

/// SELECT accepts equal shapes, or one condition for each entry of the first axis.
fn select(asked: &Asked<'_>) -> Option<Does> {
    let [condition, x, y] = asked.operands.shapes() else { return None };
    if !asked.is_of(System::Tflite) || asked.node.op != "SELECT" {
        return None;
    }
    let (Some(condition), Some(x), Some(y)) = (condition.known(), x.known(), y.known()) else {
        return Some(Does::Unknown("accepts only equal shapes in SELECT, and these are unknown".into()));
    };
    let rows = condition.len() == 1 && x.first() == condition.first();
    let fits = x == y && (condition == x || condition.is_empty() || rows);
    Some(if fits {
        Does::Own
    } else {
        Does::Refused("accepts only equal shapes in SELECT, or one condition per entry of axis 0".into())
    })
}

#[cfg(test)]
mod tests {
    use broadaxe_frameworks::System;
    use broadaxe_kernels::DType;

    use crate::{check::check, profiles::litert_gpu::tests::compare, testing::Sample};

    /// Answers of LiteRT 2.3.0 with XNNPACK, in the form of those of the GPU delegate.
    const ANSWERS: &str = include_str!("litert/answers.txt");

    /// What was refused is refused, what was right is the same, and every operator has a type that is right.
    #[test]
    fn types_are_the_answers() {
        let mut count = 0;
        for line in super::TYPES_ASKED.lines() {
            let parts: Vec<&str> = line.split('|').collect();
            let [op, right, refused] = parts[..] else { panic!("{line}") };
            let answers = [(right, "same"), (refused, "refused")];
            for (dtype, want) in
                answers.iter().flat_map(|(types, want)| types.split_whitespace().map(move |d| (d, *want)))
            {
                let dtype = DType::ALL.iter().copied().find(|known| known.name() == dtype).expect(line);
                let mut sample = Sample::of(("tflite", System::Tflite), 0);
                let operands: Vec<_> = match op.trim() {
                    "SELECT" | "SELECT_V2" => vec![("c", DType::Bool), ("x", dtype), ("y", dtype)],
                    "BROADCAST_TO" => vec![("x", dtype), ("s", DType::I32)],
                    _ => vec![("x", dtype), ("y", dtype)],
                };
                let inputs: Vec<_> = operands.iter().map(|(name, dtype)| sample.typed(name, "(2,3)", *dtype)).collect();
                sample.node(op.trim(), &inputs, &[], "(2,3)");
                let report = check(&sample.model, &sample.shapes, &["litert".parse().expect("a target")]);
                let Some(finding) = report.findings.first() else { continue };
                count += 1;
                assert_eq!(finding.verdict.name(), want, "{op} of {dtype}: {}", finding.reason);
            }
        }
        assert!(count > 200, "{count}");
    }

    #[test]
    fn verdicts_are_the_answers() {
        let (count, wrong) = compare(|version| format!("litert@{version}"), ANSWERS);
        assert!(count > 300, "{count}");
        assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    }
}
