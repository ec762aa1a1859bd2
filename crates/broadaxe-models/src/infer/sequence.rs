//! Sequences and optional values of ONNX. A sequence has no shape: its tensors may differ.

use broadaxe::DType;

use super::{
    Size,
    call::{Call, Made, because},
    row::{ShapeRow, Type, row},
    tensor::Tensor,
};

pub(crate) static SEQUENCE_ROWS: &[ShapeRow] = &[
    row("SequenceAt", sequence, &[Type::Open]),
    row("SequenceConstruct", sequence, &[Type::Open]),
    row("SequenceEmpty", sequence, &[Type::Open]),
    row("SequenceErase", sequence, &[Type::Open]),
    row("SequenceInsert", sequence, &[Type::Open]),
    row("SplitToSequence", sequence, &[Type::Open]),
    row("ConcatFromSequence", sequence, &[Type::Open]),
    row("SequenceLength", one, &[Type::Is(DType::I64)]),
    row(
        "Optional",
        |call| Ok(vec![Tensor { dims: call.dims(0).ok().map(<[Size]>::to_vec), ..Tensor::default() }]),
        &[Type::Open],
    ),
    row("OptionalGetElement", |call| Ok(vec![Tensor::of(call.dims(0)?.to_vec())]), &[Type::Open]),
    row("OptionalHasElement", one, &[Type::Is(DType::Bool)]),
];

fn sequence(call: &Call<'_>) -> Made {
    because(format!("{} is about a sequence, whose tensors have no common shape", call.node.op))
}

fn one(_: &Call<'_>) -> Made {
    Ok(vec![Tensor::of(Vec::new())])
}
