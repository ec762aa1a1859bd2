//! Asks tract: an ONNX file of one node, optimized, then run.

use super::tract_onnx::prelude::*;
use broadaxe_atlas::{Array, Format, Question, Refusal, model};

pub fn answer(question: &Question) -> Result<Array, Refusal> {
    if ["none", "onnx-legacy"].contains(&question.rule().name()) {
        return Err(Refusal::Skipped("ONNX before opset 7 is not asked".into()));
    }
    let files = model(Format::Onnx, question).map_err(|why| Refusal::Skipped(why.to_string()))?;
    let plan = super::tract_onnx::onnx().model_for_read(&mut &files[0].bytes[..])?.into_optimized()?.into_runnable()?;
    let mut inputs = TVec::new();
    for (k, operand) in question.operands().iter().enumerate().filter(|(_, operand)| !operand.constant) {
        // The condition of Where is of bools.
        let tensor = if k == 0 && question.family() == "select" {
            Tensor::from_shape(&operand.shape, &operand.values.iter().map(|&value| value != 0).collect::<Vec<_>>())?
        } else {
            Tensor::from_shape(&operand.shape, &operand.floats())?
        };
        inputs.push(tensor.into_tvalue());
    }
    let result = plan.run(inputs)?.remove(0);
    // The view of a tensor without elements has no valid pointer.
    let view = result.view();
    let values = if result.len() == 0 { &[] } else { view.as_slice::<f32>()? };
    Ok(Array { shape: result.shape().to_vec(), values: values.iter().map(|&value| value.into()).collect() })
}
