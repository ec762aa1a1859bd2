//! LiteRT's GPU delegate (ML Drift, WebGPU): constants are placed by their own rank, without an error where that is wrong.
//!
//! What the delegate does not take over runs on the CPU, where LiteRT broadcasts as `NumPy` does: see `litert`. Asked on
//! WebGPU with SwiftShader; OpenCL, Metal and OpenGL share the code that places tensors, and were not asked.

mod placement;
mod constants;
mod converted;

use broadaxe_frameworks::{Role, System};
use broadaxe_kernels::DType;

use self::{
    constants::{is_known_of_constants, stored_of},
    placement::Placed,
};
use super::{
    Asked, Deployment, Does, Evidence, IndexTerm, Law, PLAIN, Profile, Way, When, contrib,
    inside::{
        CONVOLUTION, GROUP_NORM, has_computed_list, has_computed_weights, has_split_groups, has_wide_groups, lists,
    },
    integer_layers,
    litert::{
        CONVERTERS, CUSTOM_SLOPE, FILES, LITERT_TORCH, NO_ATTENTION, ONNX2TF, UNASKED_SLOPE, UNCONVERTED,
        UNCONVERTED_TEXT,
    },
    quantised,
};
use crate::{
    graph::{Attribute, ValueId},
    meaning::{self, Kind, Source},
};

const ON_WEBGPU: Evidence = Evidence::run_here("LiteRT 2.3.0; WebGPU on SwiftShader, models of one node");

const ON_WEBGPU_CONSTANTS: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, 1,450 models of one to three nodes over constants of f32, ranks 0 to 4",
);
const ON_WEBGPU_CONVERTED: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, models of one node through onnx2tf 2.6.9 and litert-torch 0.10.0",
);
const ON_WEBGPU_INSIDE: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, normalisations and convolutions through onnx2tf 2.6.9 and litert-torch 0.10.0",
);
const FOLDED: Evidence = Evidence::run_here(
    "LiteRT 2.3.0; WebGPU on SwiftShader, a sum after nodes of constants through onnx2tf 2.6.9 with onnxsim, and litert-torch 0.10.0",
);

pub(super) static LITERT_GPU: Profile = Profile {
    name: "litert-gpu",
    title: "LiteRT GPU",
    deployment: Deployment::Phone,
    summary: "LiteRT's GPU delegate (WebGPU): constants are placed by their own rank",
    versions: &["2.1.3", "2.1.6", "2.2.0", "2.3.0"],
    laws: &[
        contrib::LITERT_GPU_CONTRIB[0],
        contrib::LITERT_GPU_CONTRIB[1],
        contrib::LITERT_GPU_CONTRIB[2],
        contrib::LITERT_GPU_CONTRIB[3],
        contrib::LITERT_GPU_CONTRIB[4],
        contrib::LITERT_GPU_CONTRIB[5],
        contrib::LITERT_GPU_CONTRIB[6],
        contrib::LITERT_GPU_CONTRIB[7],
        contrib::LITERT_GPU_CONTRIB[8],
        contrib::LITERT_GPU_CONTRIB[9],
        contrib::LITERT_GPU_CONTRIB[10],
        contrib::LITERT_GPU_CONTRIB[11],
        integer_layers::LITERT_GPU_INTEGERS[0],
        integer_layers::LITERT_GPU_INTEGERS[1],
        integer_layers::LITERT_GPU_INTEGERS[2],
        quantised::LITERT_SCALES[0],
        quantised::LITERT_SCALES[1],
        quantised::LITERT_SCALES[2],
        quantised::LITERT_SCALES[3],
        quantised::LITERT_SCALES[4],
        quantised::LITERT_SCALES[5],
        quantised::LITERT_GPU_SCALES[0],
        quantised::LITERT_GPU_SCALES[1],
        quantised::LITERT_GPU_SCALES[2],
        quantised::LITERT_GPU_SCALES[3],
        quantised::LITERT_GPU_SCALES[4],
        quantised::LITERT_GPU_SCALES[5],
        quantised::LITERT_GPU_SCALES[6],
        Law {
            kinds: &[],
            when: &[
                When::Of(System::Onnx),
                When::AllConstant,
                When::Any(&[
                    When::Via(ONNX2TF),
                    When::Kind(&[Kind::Binary, Kind::Many, Kind::Unary, Kind::Bounds, Kind::Stretch]),
                ]),
            ],
            way: Way::Own,
            text: "receives a constant: converters fold nodes that depend only on constants",
            evidence: FOLDED,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(outside),
            text: "leaves ranks above 4, int64 and tensors without elements to the CPU",
            evidence: ON_WEBGPU,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Via(ONNX2TF), When::Dtype(&[DType::F32, DType::I32, DType::Bool])],
            way: Way::Ask(converted::expand),
            text: "receives a product with ones from onnx2tf",
            evidence: ON_WEBGPU_CONVERTED,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[When::Of(System::Onnx), When::Role(&[Role::LayerNorm])],
            way: Way::Ask(converted::normalisation),
            text: "computes scale and bias as two nodes, each aligned by its rank",
            evidence: ON_WEBGPU_CONVERTED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6)],
            way: Way::Ask(converted::gemm),
            text: "aligns constants of a product and a sum by their own rank",
            evidence: ON_WEBGPU_CONVERTED,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: UNCONVERTED,
            way: Way::Refused,
            text: UNCONVERTED_TEXT,
            evidence: ON_WEBGPU_INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Via(ONNX2TF)],
            way: Way::Refused,
            text: NO_ATTENTION,
            evidence: ON_WEBGPU_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Any(&[When::RankAbove(4), When::All(&[GROUP_NORM, When::Via(ONNX2TF), When::RankAbove(3)])])],
            way: Way::RefusedRank,
            text: "supports ranks up to 4 (GroupNormalization from onnx2tf 3); the CPU computes others",
            evidence: ON_WEBGPU_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["BatchNormalization"]), When::Holds(has_computed_list), When::Not(&When::Single(1))],
            way: Way::Garbled,
            text: "reads computed lists of BatchNormalization along the first axis",
            evidence: ON_WEBGPU_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[
                CONVOLUTION,
                When::Holds(has_split_groups),
                When::Any(&[When::Holds(has_wide_groups), When::Holds(has_computed_transposition)]),
            ],
            way: Way::Refused,
            text: "crashes or uses the CPU if a group's channels are no multiple of 4",
            evidence: ON_WEBGPU_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[CONVOLUTION, When::Holds(has_split_groups)],
            way: Way::Garbled,
            text: "computes wrong values if a convolution group's channels are not a multiple of 4",
            evidence: ON_WEBGPU_INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[
                When::Via(LITERT_TORCH),
                When::Named(&["InstanceNormalization"]),
                When::Not(&When::All(&[When::Rank(0, 4, 4), When::Holds(has_one_entry)])),
            ],
            way: Way::Refused,
            text: "leaves InstanceNormalization from litert-torch to the CPU, except rank 4 with batch 1",
            evidence: ON_WEBGPU_INSIDE,
        },
        lists(ON_WEBGPU_INSIDE),
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "receives a product, a sum with the mask and a softmax from litert-torch",
            evidence: ON_WEBGPU_INSIDE,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[],
            way: Way::Unsupported,
            text: "does not support BROADCAST_TO; the CPU computes it",
            evidence: ON_WEBGPU,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Not(&When::Of(System::Onnx)), When::AllConstant],
            way: Way::Ask(binary),
            text: "computes constants of equal rank when the model runs",
            evidence: ON_WEBGPU_CONSTANTS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(binary),
            text: "aligns constants by their own rank, not the result's",
            evidence: ON_WEBGPU,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[When::Via(ONNX2TF)],
            way: Way::Ask(converted::choice),
            text: "receives products and a sum from onnx2tf if the shapes differ",
            evidence: ON_WEBGPU_CONVERTED,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Ask(select),
            text: "aligns a condition by its own rank if the result has more axes",
            evidence: ON_WEBGPU,
        },
        Law {
            kinds: &[Kind::Slope],
            when: UNASKED_SLOPE,
            way: Way::Unknown,
            text: "was tested through onnx2tf only with PRelu of ranks 2 to 4",
            evidence: ON_WEBGPU_CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: CUSTOM_SLOPE,
            way: Way::Refused,
            text: "receives an unsupported operator from onnx2tf for computed slopes and data of rank 3",
            evidence: ON_WEBGPU_CONVERTED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Ask(slope),
            text: "accepts a constant slope along the channels, or over height, width and channels",
            evidence: ON_WEBGPU,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Ask(bounds),
            text: "compares with numbers",
            evidence: ON_WEBGPU,
        },
    ],
    reads_by_rank: true,
    route: FILES,
    converters: CONVERTERS,
    ..PLAIN
};

/// The version in which two computed operands are aligned before they are exchanged, and an activation is kept.
const ALIGNED: &str = "2.1.6";

/// Where the operands of a node with one constant are.
struct Pair {
    /// Which operand is the constant.
    constant: usize,
    /// Whether it holds truth values.
    truths: bool,
}

/// Says whether the weights of a transposed convolution are computed.
fn has_computed_transposition(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.op == "ConvTranspose" && has_computed_weights(asked)?)
}

/// Says whether the batch has one entry.
fn has_one_entry(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.operands[0].dims()?.first()?.size()? == 1)
}

fn refused(text: impl Into<String>) -> Option<Does> {
    Some(Does::Refused(text.into().into()))
}

fn unknown(text: &'static str) -> Option<Does> {
    Some(Does::Unknown(text.into()))
}

/// Finds nodes of types, ranks and sizes that the delegate does not take over, and those that were not asked.
fn outside(asked: &Asked<'_>) -> Option<Does> {
    if asked.meaning.kind == Kind::Stretch {
        return None;
    }
    let ranks: Option<Vec<usize>> = asked.operands.ranks().collect();
    let Some(ranks) = ranks else {
        return unknown("aligns tensors by their ranks, which are unknown here");
    };
    if let Some(rank) = ranks.iter().find(|&&rank| rank > 4) {
        return refused(format!("supports ranks up to 4; the CPU computes this node of rank {rank}"));
    }
    let shapes = asked.operands.iter().filter_map(broadaxe_shape::SymbolicShape::known);
    if { shapes }.any(|shape| shape.contains(&0)) {
        return refused("crashes or uses the CPU if a tensor has no elements");
    }
    let of_types = other_types(asked);
    if matches!(of_types, Some(Does::Refused(_))) || is_known_of_constants(asked) {
        return of_types;
    }
    unknown("was not tested with operands computed only from constants")
}

/// Finds types that the delegate leaves to the CPU, and those that were not asked.
fn other_types(asked: &Asked<'_>) -> Option<Does> {
    let first = usize::from(asked.meaning.kind == Kind::Select);
    let elements: Vec<DType> = (first..asked.operands.len())
        .filter_map(|k| {
            asked.dtype(k).or_else(|| asked.model.value(asked.value(k)?).element.as_ref().map(|_| DType::U8))
        })
        .collect();
    let all = |known: &[DType]| elements.iter().all(|dtype| known.contains(dtype));
    if all(&[DType::I64]) && !elements.is_empty() && !asked.comes_via(LITERT_TORCH) {
        return refused("leaves int64 to the CPU");
    }
    let known: &[DType] = match asked.meaning.kind {
        Kind::Binary | Kind::Select => &[DType::F32, DType::F16, DType::Bool, DType::I32, DType::I64],
        _ => &[DType::F32, DType::F16, DType::Bool],
    };
    if all(known) {
        None
    } else {
        unknown("was tested with floats, and with 32- and 64-bit integers only in some operators")
    }
}

/// Says whether the operands are integers.
fn is_integral(asked: &Asked<'_>) -> bool {
    let first = usize::from(asked.meaning.kind == Kind::Select);
    (first..asked.operands.len())
        .find_map(|k| asked.dtype(k))
        .is_some_and(|dtype| matches!(dtype, DType::I32 | DType::I64))
}

/// Returns the known dims of all operands and of the result; nothing where a size is open.
fn dims(asked: &Asked<'_>) -> Option<(Vec<Vec<usize>>, Vec<usize>)> {
    let operands: Option<Vec<Vec<usize>>> =
        asked.operands.iter().map(|shape| shape.known().map(|shape| shape.to_vec())).collect();
    let operands = operands?;
    let shapes: Vec<&[usize]> = operands.iter().map(Vec::as_slice).collect();
    let result = asked.meaning.rule.align(&shapes).ok()?.shape().to_vec();
    Some((operands, result))
}

/// Returns the LiteRT operator that computes a node of two operands, if it was asked.
fn operator(asked: &Asked<'_>) -> Option<&'static str> {
    /// Operators of LiteRT, and ours that converters make them of.
    const ASKED: &[(&str, &[&str])] = &[
        ("ADD", &["add", "sum"]),
        ("SUB", &["sub"]),
        ("MUL", &["mul"]),
        ("DIV", &["div"]),
        ("MAXIMUM", &["max"]),
        ("MINIMUM", &["min"]),
        ("SQUARED_DIFFERENCE", &["squared_difference"]),
        ("POW", &["pow"]),
        ("FLOOR_DIV", &["div_floor"]),
        ("FLOOR_MOD", &["mod_floor"]),
        ("EQUAL", &["equal"]),
        ("NOT_EQUAL", &["not_equal"]),
        ("LESS", &["less"]),
        ("LESS_EQUAL", &["less_equal"]),
        ("GREATER", &["greater"]),
        ("GREATER_EQUAL", &["greater_equal"]),
        ("LOGICAL_AND", &["logical_and"]),
        ("LOGICAL_OR", &["logical_or"]),
        ("ATAN2", &["atan2"]),
    ];
    let own = asked.operator().map(|id| id.op().name());
    let fits = |(name, ours): &&(&'static str, &[&str])| {
        if asked.is_of(System::Tflite) { *name == asked.node.op } else { own.is_some_and(|own| ours.contains(&own)) }
    };
    ASKED.iter().find(fits).map(|(name, _)| *name)
}

/// Says what becomes of a node of two operands.
fn binary(asked: &Asked<'_>) -> Option<Does> {
    let Some(name) = operator(asked).filter(|_| asked.operands.len() == 2) else {
        return Some(Does::Unknown(format!("was not tested with {} of such operands", asked.node.op).into()));
    };
    let Some((mut shapes, result)) = dims(asked) else { return Some(Does::Rule(asked.meaning.rule.clone())) };
    let reshapes = matches!(name, "LESS" | "LESS_EQUAL" | "GREATER" | "GREATER_EQUAL" | "EQUAL" | "NOT_EQUAL");
    if asked.comes_via(LITERT_TORCH) && reshapes && !shapes.contains(&vec![]) {
        // The converter gives both operands the rank of the result.
        for dims in &mut shapes {
            dims.splice(..0, vec![1; result.len() - dims.len()]);
        }
    }
    if name == "ATAN2" && (result != shapes[0] || shapes[0].len() != shapes[1].len()) {
        return refused("leaves ATAN2 to the CPU unless the second operand stretches to the first");
    }
    let [a, b] = [&shapes[0], &shapes[1]];
    match stored_of(asked)[..] {
        [false, false] => computed(asked, name, (a, b)),
        [true, true] if a.len() != b.len() => refused("leaves the node to the CPU if two constants differ in rank"),
        [true, true] => Some(Does::Own),
        _ if is_integral(asked) => converted::integers(asked, name, &shapes, &result),
        [first, _] => constant(
            asked,
            &shapes,
            &result,
            &Pair { constant: usize::from(!first), truths: name.starts_with("LOGICAL") },
        ),
        _ => None,
    }
}

/// Says what becomes of two computed operands.
fn computed(asked: &Asked<'_>, name: &str, (a, b): (&[usize], &[usize])) -> Option<Does> {
    if a.is_empty() != b.is_empty() && !asked.comes_via(ONNX2TF) {
        return refused("leaves the node to the CPU if a computed operand is a scalar");
    }
    let old = !asked.at_least(ALIGNED) && a.len() != b.len();
    let aligned = |dims: &[usize]| [vec![1; 4 - dims.len()], dims.to_vec()].concat();
    if old && matches!(name, "ADD" | "MUL") && aligned(a) != aligned(b) {
        let (x, y) = (Placed::computed(a)?.dims, Placed::computed(b)?.dims);
        if x[1] <= y[1] && x[2] <= y[2] && x[3] == y[3] {
            return Some(Does::Garbled("swaps the operands after aligning their ranks".into()));
        }
    }
    if old && let Some(activation) = activation(asked) {
        return Some(activation);
    }
    Some(Does::Own)
}

/// Says what becomes of the activation of a node whose operands differ in rank, before it was kept.
fn activation(asked: &Asked<'_>) -> Option<Does> {
    let fused = asked.node.attribute("fused_activation_function").and_then(Attribute::text);
    if let Some(name) = fused.filter(|name| *name != "NONE") {
        return Some(Does::Garbled(format!("drops the fused activation {name} if the operands' ranks differ").into()));
    }
    let reader =
        |value: ValueId| asked.readers(value).any(|(node, _)| meaning::role(asked.model, node) == Some(Role::Relu));
    let follows = !asked.is_of(System::Tflite) && asked.node.output(0).is_some_and(reader);
    if follows { unknown("drops a fused activation if the operands' ranks differ") } else { None }
}

/// Says which elements a node with a constant reads.
fn constant(asked: &Asked<'_>, shapes: &[Vec<usize>], result: &[usize], pair: &Pair) -> Option<Does> {
    let other = 1 - pair.constant;
    let stored = &shapes[pair.constant];
    let out = Placed::computed(result)?;
    let data = Placed::computed(&shapes[other])?;
    let single = stored.iter().all(|&dim| dim == 1);
    if pair.truths {
        if single {
            return refused("leaves LOGICAL_AND and LOGICAL_OR with a constant of one element to the CPU");
        }
        return like_computed(asked, shapes, result, pair.constant);
    }
    reads(pair, data.read_by(&out), stored_terms(stored, &data, &out))
}

/// Says what becomes of a constant of truth values or integers, which is placed as if it was computed, and not aligned.
fn like_computed(asked: &Asked<'_>, shapes: &[Vec<usize>], result: &[usize], constant: usize) -> Option<Does> {
    let (out, data) = (Placed::computed(result)?, Placed::computed(&shapes[1 - constant])?);
    // litert-torch gives constants the rank of the result.
    let ones = if asked.comes_via(LITERT_TORCH) { result.len().saturating_sub(shapes[constant].len()) } else { 0 };
    let placed = Placed::computed(&[vec![1; ones], shapes[constant].clone()].concat())?;
    let mut shapes = shapes.to_vec();
    shapes[constant].splice(..0, vec![1; ones]);
    let overrun = placed.is_overrun_by(&out) || data.is_overrun_by(&out);
    let alike = data.read_by(&out) == own(asked, &shapes, 1 - constant)?
        && placed.read_by(&out) == own(asked, &shapes, constant)?;
    // Which elements are read instead was right in 63 of 74 answers only.
    let text = "aligns a constant of bools or integers by its own rank";
    Some(if alike && !overrun { Does::Own } else { Does::Garbled(text.into()) })
}

/// Returns the terms by which a node with this data and this result reads a constant.
fn stored_terms(stored: &[usize], data: &Placed, out: &Placed) -> Vec<IndexTerm> {
    match Placed::constant(stored) {
        Some(placed) if placed.dims[0] > 1 && data.dims[0] == 1 => placed.read_in_width(out),
        Some(placed) => placed.read_by(out),
        None => vec![],
    }
}

fn reads(pair: &Pair, data: Vec<IndexTerm>, constant: Vec<IndexTerm>) -> Option<Does> {
    Some(Does::Reads(if pair.constant == 0 { vec![constant, data] } else { vec![data, constant] }))
}

/// Says what becomes of a choice between two operands.
fn select(asked: &Asked<'_>) -> Option<Does> {
    let Some((shapes, result)) = dims(asked) else { return Some(Does::Rule(asked.meaning.rule.clone())) };
    let [condition, branches @ ..] = &shapes[..] else { return None };
    if result.len() > 4 {
        return refused("supports ranks up to 4; the CPU computes higher ranks");
    }
    let whole = |dims: &Vec<usize>| *dims == result || dims.is_empty() || *dims == [1];
    if !branches.iter().all(whole) {
        return refused("leaves SELECT to the CPU unless branches have the result's shape or one element");
    }
    if asked.is_of(System::Tflite) && asked.node.op == "SELECT" {
        let rows = condition.len() == 1 && condition.first() == result.first();
        let equal =
            branches.iter().all(|dims| *dims == result) && (condition.is_empty() || *condition == result || rows);
        let text = "leaves SELECT to the CPU unless shapes match or conditions span only axis 0";
        return if equal { Some(Does::Own) } else { refused(text) };
    }
    if condition.iter().all(|&dim| dim == 1) || condition.len() == result.len() {
        return Some(Does::Own);
    }
    let out = Placed::computed(&result)?;
    let placed = Placed::computed(condition)?;
    if out.dims[0] == 1 && placed.dims[0] != 1 {
        return refused("leaves SELECT to the CPU if only the condition has a batch");
    }
    Some(Does::Reads(vec![placed.read_by(&out), own(asked, &shapes, 1)?, own(asked, &shapes, 2)?]))
}

/// Returns the terms by which the node itself reads an operand.
fn own(asked: &Asked<'_>, shapes: &[Vec<usize>], operand: usize) -> Option<Vec<IndexTerm>> {
    let shapes: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    Some(IndexTerm::all_of(&asked.meaning.rule.align(&shapes).ok()?, operand))
}

/// Says what becomes of a slope.
fn slope(asked: &Asked<'_>) -> Option<Does> {
    let Some((shapes, _)) = dims(asked) else { return Some(Does::Rule(asked.meaning.rule.clone())) };
    let [x, slope] = &shapes[..] else { return None };
    let channel = || refused("leaves PRELU to the CPU unless slopes are per channel or per element");
    if !matches!(asked.constants, [false, true]) {
        return refused("leaves PRELU with a computed slope to the CPU");
    }
    let (Some(placed), Some((last, others))) = (Placed::computed(x), slope.split_last()) else { return channel() };
    if x.is_empty() {
        return channel();
    }
    let [batch, height, width, channels] = placed.dims;
    if others.iter().all(|&dim| dim == 1) && *last == channels {
        return Some(Does::Own);
    }
    let image = slope.len() >= 3 && slope[slope.len() - 3..] == [height, width, channels];
    if batch == 1 && image && slope[..slope.len() - 3].iter().all(|&dim| dim == 1) {
        Some(Does::Own)
    } else {
        channel()
    }
}

/// Says what becomes of a clip between numbers, which converters write as MAXIMUM and MINIMUM.
fn bounds(asked: &Asked<'_>) -> Option<Does> {
    let number = |k: usize| {
        matches!(asked.meaning.operands[k], Source::Scalar) || asked.constants[k] && asked.elements(k) == Some(1)
    };
    if (1..asked.operands.len()).all(number) || asked.comes_via(ONNX2TF) {
        return Some(Does::Own);
    }
    refused("leaves Clip with computed scalar bounds to the CPU")
}

#[cfg(test)]
pub(super) mod tests;
