//! RKNN-Toolkit2, which compiles ONNX models for Rockchip's NPUs: its simulator of the RK3588, without quantisation.
//!
//! Element-wise operators broadcast as NumPy does, in f16. What differs is how the compiler rewrites products of one column, and what it
//! cannot compile.

use broadaxe_frameworks::System;
use broadaxe_kernels::{DType, id};
use broadaxe_shape::SymbolicShape;

use super::{Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, affine, condition::any};
use crate::{
    graph::{Attribute, Node, ValueId},
    meaning::Kind,
};

const RKNN_ASKED: Evidence =
    Evidence::run_here("RKNN-Toolkit2 2.5.0; simulator RK3588, recorded answers, conformance/laws/record.py");
const RKNN_RANKS: Evidence = Evidence::run_here("RKNN-Toolkit2 2.5.0; simulator RK3588, conformance/laws/ranks.py");
const PRODUCTS: Evidence =
    Evidence::run_here("RKNN-Toolkit2 2.5.0; simulator RK3588, docs/reports/upstream/rknn-one-column.md");
const BY_TYPE: Evidence = Evidence::run_here("RKNN-Toolkit2 2.5.0; simulator RK3588, conformance/laws/ranks.py, types");
/// The types of each operator that were right, and those that were refused; others were not tested, or some shapes were refused.
const RKNN_TYPES: &[(&str, &str, &str)] = &[
    ("Add", "f32 f16 i32 i64", "f64 i16 u8 u16 u32 u64"),
    ("Sub", "f32 f16 i32 i64", "f64 i16 u8 u16 u32 u64"),
    ("Mul", "f32 f16 i32 i64", "f64 i16 u8 u16 u32 u64"),
    ("Div", "f32 f16", "f64 i16 u8 u16 u32 u64"),
    ("Pow", "f32 i32 i64", "i8 i16 u8 u16 u32 u64"),
    ("Equal", "f32 f16 i32 i64 i8 bool", "f64 i16 u8 u16 u32 u64"),
    ("Less", "f32 f16 i32 i64 i8", "f64 i16 u8"),
    ("Max", "f32 f16 i32 i64 i8 u8", "f64 i16 u16 u32 u64"),
    ("Min", "f32 f16 i32 i64 i8 u8", "f64 i16 u16 u32 u64"),
    ("LessOrEqual", "f32", ""),
    ("Greater", "f32", ""),
    ("GreaterOrEqual", "f32", ""),
    ("Mod", "f32", ""),
    ("Sum", "f32", ""),
    ("Mean", "f32", ""),
    ("And", "bool", ""),
    ("Or", "bool", ""),
    ("Xor", "bool", ""),
    ("Where", "f32 f16 i64", "bool"),
];
/// The newest opset that is accepted.
const NEWEST_OPSET: i64 = 19;
/// How many axes a node has at most that was tested.
const MOST_TESTED: usize = 6;

pub(super) static RKNN: Profile = Profile {
    name: "rknn",
    title: "RKNN",
    deployment: Deployment::Phone,
    summary: "RKNN-Toolkit2 for Rockchip's NPUs (simulator of the RK3588, f16)",
    aliases: &["rknn-toolkit2"],
    route: Route::new(&["onnx"], RKNN_ASKED),
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[When::Not(&When::Of(System::Onnx))],
            way: Way::Unknown,
            text: "was tested only with ONNX models",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Opset6],
            way: Way::Unknown,
            text: "was not tested with operators before opset 7",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(has_bodies)],
            way: Way::Unknown,
            text: "was not tested in models with If or Loop",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(is_too_new)],
            way: Way::Refused,
            text: "accepts opsets up to 19",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(has_open_sizes)],
            way: Way::Unknown,
            text: "compiles only models whose inputs have known sizes",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(has_scalar_input)],
            way: Way::Refused,
            text: "accepts no model with a scalar input",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Holds(ends_in_constant)],
            way: Way::Refused,
            text: "accepts no model with a constant output",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::Empty],
            way: Way::Refused,
            text: "accepts no tensors without elements",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: Kind::ALL,
            when: &[When::RankAbove(MOST_TESTED)],
            way: Way::Unknown,
            text: "was tested with ranks up to 6",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[],
            way: Way::Ask(by_type),
            text: "does not support this type in this operator",
            evidence: BY_TYPE,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Holds(affine::to_nothing)],
            way: Way::Refused,
            text: "accepts no tensors without elements",
            evidence: RKNN_ASKED,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: RKNN_ASKED },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Dtype(&[DType::F64, DType::I32, DType::I8, DType::U8])],
            way: Way::Refused,
            text: "does not support Clip of f64, i32 and 8-bit integers",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Not(&When::All(&[
                When::Dtype(&[DType::F32, DType::F16, DType::I64]),
                When::Holds(has_scalar_bounds),
            ]))],
            way: Way::Unknown,
            text: "rejects some bounds of Clip that are computed or have an axis",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Own,
            text: "computes Clip with constant scalar bounds",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Not(&When::Dtype(&[DType::F32]))],
            way: Way::Unknown,
            text: "was tested with Gemm of f32",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Holds(has_no_beta)],
            way: Way::Unknown,
            text: "was tested with beta of 0 only in part",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Not(&When::Constant(1)), When::Not(&When::Holds(has_full_row))],
            way: Way::Refused,
            text: "accepts a computed C of Gemm only with as many columns as the result",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Holds(multiplies_a_column)],
            way: Way::Garbled,
            text: "drops C from Gemm of two computed operands if A has one column",
            evidence: PRODUCTS,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[],
            way: Way::Ask(behind_product),
            text: "merges some nodes of a constant with a product before them",
            evidence: PRODUCTS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Named(&["Add", "Sub", "Mul", "Div", "And", "Sum"]), When::RankAbove(4), When::AnyConstant],
            way: Way::Unknown,
            text: "rejects some constants in this operator above rank 4",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["And"]), When::RankAbove(5)],
            way: Way::Unknown,
            text: "crashes in And of rank 6 if an operand stretches",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[When::RankAbove(4)],
            way: Way::Unknown,
            text: "crashes in some Where above rank 4",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Operator(&[id("max")]), When::Operands(1)],
            way: Way::Refused,
            text: "crashes in Max of one operand",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Named(&["Sum"]), When::Holds(has_constants)],
            way: Way::Unknown,
            text: "rejects some Sum of several constants",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[When::Constant(0), When::Not(&When::AllConstant)],
            way: Way::Unknown,
            text: "rejects some Where of a constant condition",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::AllConstant, When::Holds(gives_bools)],
            way: Way::Unknown,
            text: "rejects models in which constants decide an output",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["And", "Or"]), When::AnyConstant, When::Not(&When::AllConstant)],
            way: Way::Unknown,
            text: "rejects And and Or of a constant that decides all elements",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["Mul"]), When::AnyConstant],
            way: Way::Caveat,
            text: "rejects models whose output is a product with a constant 0",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Named(&["Pow"]), When::Holds(has_longer_exponent)],
            way: Way::Unknown,
            text: "rejects some exponents of a higher rank than the base",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[
                When::Named(&["LayerNormalization"]),
                When::Constant(1),
                When::Not(&When::AllConstant),
                When::Not(&When::Holds(has_computed_bias)),
            ],
            way: Way::Refused,
            text: "rejects LayerNormalization with a constant scale",
            evidence: RKNN_ASKED,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Constant(1))],
            way: Way::Refused,
            text: "accepts only constant slopes",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Not(&When::Dtype(&[DType::F32, DType::F16]))],
            way: Way::Unknown,
            text: "was tested with slopes of f32 and f16",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches only the slope",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: RKNN_RANKS,
        },
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Unknown,
            text: "was not tested with this operator",
            evidence: RKNN_ASKED,
        },
    ],
    ..PLAIN
};

/// Says whether the model has graphs within nodes.
pub(super) fn has_bodies(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.model.graphs.len() > 1)
}

/// Says whether an input of the model has no axis.
fn has_scalar_input(asked: &Asked<'_>) -> Option<bool> {
    let rank = |value: &ValueId| asked.shape(*value).and_then(SymbolicShape::rank);
    any(asked.model.main().inputs.iter().map(|value| Some(rank(value)? == 0)))
}

/// Says whether the node and an output of the model depend on constants only.
fn ends_in_constant(asked: &Asked<'_>) -> Option<bool> {
    let is_constant = |value: &ValueId| asked.facts.is_constant(*value);
    let own = asked.node.output(0)?;
    Some(is_constant(&own) && asked.model.main().outputs.iter().any(is_constant))
}

/// Says whether C has as many columns as the product.
fn has_full_row(asked: &Asked<'_>) -> Option<bool> {
    let columns = asked.operands[0].dims()?.last();
    let own = asked.operands.get(1)?.dims()?;
    if own.len() < 2 { Some(false) } else { affine::alike((own.last(), columns)) }
}

/// Says whether beta is 0.
fn has_no_beta(asked: &Asked<'_>) -> Option<bool> {
    Some(affine::factor(asked.node, "beta") == 0.0)
}

/// Says whether a product has one column in its first operand, and both operands are computed.
fn multiplies_a_column(asked: &Asked<'_>) -> Option<bool> {
    Some(is_column_product(asked, asked.node)? && !has_constant(asked, asked.node))
}

/// Says whether the second operand of a product is a constant.
fn has_constant(asked: &Asked<'_>, node: &Node) -> bool {
    (0..2).any(|k| node.input(k).is_some_and(|value| asked.facts.is_constant(value)))
}

/// Says whether a product sums over one element.
fn is_column_product(asked: &Asked<'_>, node: &Node) -> Option<bool> {
    let dims = asked.shape(node.input(0)?).and_then(SymbolicShape::dims)?;
    let is_turned = node.attribute("transA").and_then(Attribute::int) == Some(1);
    let dim = if is_turned { dims.len().checked_sub(2).and_then(|k| dims.get(k)) } else { dims.last() };
    Some(dim?.size()? == 1)
}

/// Says what becomes of a node that reads a product.
fn behind_product(asked: &Asked<'_>) -> Option<Does> {
    let product = |k: usize| asked.producer(asked.value(k)?).filter(|node| is_product(node));
    if (0..asked.operands.len()).any(|k| product(k).is_none() && is_moved_product(asked, k)) {
        return unsure();
    }
    let (at, node) = (0..asked.operands.len()).find_map(|k| Some((k, product(k)?)))?;
    let is_column = is_column_product(asked, node);
    let is_plain = asked.meaning.kind == Kind::Binary && product(1 - at.min(1)).is_none();
    match is_column {
        Some(false) if asked.meaning.kind != Kind::Binary => None,
        Some(true) if is_plain && !has_constant(asked, node) => behind_column(asked, at),
        _ if !is_plain => unsure(),
        Some(is_column) => behind_weights(asked, node, 1 - at, is_column),
        None => Some(Does::Unknown("drops some nodes behind a product if A has one column".into())),
    }
}

/// Says whether an operand is a product in another shape, with which the compiler may merge the node all the same.
fn is_moved_product(asked: &Asked<'_>, operand: usize) -> bool {
    let Some(mut node) = asked.value(operand).and_then(|value| asked.producer(value)) else { return false };
    while matches!(
        node.op.as_str(),
        "Reshape" | "Unsqueeze" | "Squeeze" | "Flatten" | "Transpose" | "Identity" | "Expand"
    ) {
        match node.input(0).and_then(|value| asked.producer(value)) {
            Some(before) => node = before,
            None => return false,
        }
    }
    let others = (0..asked.operands.len()).filter(|k| *k != operand);
    let merges = asked.node.op == "Mul" && others.clone().any(|k| asked.constants[k] && asked.elements(k) != Some(1));
    is_product(node) && (merges && has_constant(asked, node) || is_column_product(asked, node) != Some(false))
}

/// Says that only a part was tested.
fn unsure() -> Option<Does> {
    Some(Does::Unknown("was tested behind this product only in part".into()))
}

/// Says whether a node is a product of matrices.
fn is_product(node: &Node) -> bool {
    matches!(node.op.as_str(), "MatMul" | "Gemm")
}

/// Says what becomes of a node whose operand `at` is a product of two computed operands that sums over one element.
fn behind_column(asked: &Asked<'_>, at: usize) -> Option<Does> {
    let dropped = "drops a node behind a product of two computed operands if A has one column";
    match (asked.node.op.as_str(), asked.constants[1 - at]) {
        ("Sub" | "Div", true) if at == 0 => Some(Does::Garbled(dropped.into())),
        ("Add" | "Mul", _) => Some(Does::Garbled(dropped.into())),
        ("Sub" | "Div" | "Max" | "Min", _) => None,
        _ => unsure(),
    }
}

/// Says what becomes of a node whose operand is a product with a constant, and `other` is its other operand.
fn behind_weights(asked: &Asked<'_>, node: &Node, other: usize, is_column: bool) -> Option<Does> {
    let is_input = |k: usize| node.input(k).is_some_and(|value| !asked.facts.is_constant(value));
    let rank = |k: usize| asked.shape(node.input(k)?).and_then(SymbolicShape::rank);
    let (name, is_constant) = (asked.node.op.as_str(), asked.constants[other]);
    if is_column && (is_input(1) || rank(1)? != 2 || !matches!(name, "Add" | "Sub" | "Mul" | "Div" | "Max")) {
        return unsure();
    }
    if node.op == "Gemm" && asked.operands.rank(other)? > 2 {
        return unsure();
    }
    if name != "Mul" || !is_constant || node.op == "Gemm" || is_input(1) {
        return None;
    }
    let dims = asked.operands[other].dims()?;
    let rows = if dims.len() < 2 { 1 } else { dims[dims.len() - 2].size()? };
    if dims.iter().rev().skip(2).any(|dim| dim.size() != Some(1)) {
        return unsure();
    }
    let columns = asked.shape(node.input(0)?).and_then(SymbolicShape::dims)?.last()?.size()?;
    match rows {
        1 => None,
        _ if rows == columns => Some(Does::Garbled("scales the rows of a constant B by the rows of the factor".into())),
        _ => Some(Does::Refused("rejects a constant factor of several rows behind a constant B".into())),
    }
}

/// Says what becomes of a node whose operator was not right in its type.
fn by_type(asked: &Asked<'_>) -> Option<Does> {
    let first = usize::from(asked.meaning.kind == Kind::Select);
    let dtype = (first..asked.operands.len()).find_map(|k| asked.dtype(k))?;
    let is_in = |names: &str| names.split(' ').any(|name| name == dtype.name());
    let (right, refused) = match RKNN_TYPES.iter().find(|row| row.0 == asked.node.op) {
        Some((_, right, refused)) => (*right, *refused),
        None => ("", ""),
    };
    let refusal = || Does::Refused("does not support this type in this operator".into());
    let unknown = || Does::Unknown("was not tested with this operator in this type, or only in part".into());
    if is_in(right) { None } else { Some(if is_in(refused) { refusal() } else { unknown() }) }
}

/// Says whether all bounds of Clip are constants without an axis.
fn has_scalar_bounds(asked: &Asked<'_>) -> Option<bool> {
    affine::all((1..asked.operands.len()).map(|k| Some(asked.constants[k] && asked.operands.rank(k)? == 0)))
}

/// Says whether an input of the model has open sizes in the file.
fn has_open_sizes(asked: &Asked<'_>) -> Option<bool> {
    let is_open =
        |value: &ValueId| asked.model.value(*value).declared.as_ref().is_none_or(|shape| shape.known().is_none());
    Some(asked.model.main().inputs.iter().any(is_open))
}

/// Says whether two operands or more are constants.
fn has_constants(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.constants.iter().filter(|constant| **constant).count() > 1 && asked.operands.len() > 2)
}

/// Says whether the exponent has a higher rank than the base, which has two axes or more.
fn has_longer_exponent(asked: &Asked<'_>) -> Option<bool> {
    let base = asked.operands.rank(0)?;
    Some(base > 1 && asked.operands.rank(1)? > base)
}

/// Says whether the node's opset is newer than the compiler.
fn is_too_new(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.is_of(System::Onnx) && asked.node.version > NEWEST_OPSET)
}

/// Says whether the result is a tensor of bools.
fn gives_bools(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.dtype_of(asked.node.output(0)?)? == DType::Bool)
}

/// Says whether a normalisation has a bias that is computed.
fn has_computed_bias(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.operands.len() > 2 && !asked.constants[2])
}
