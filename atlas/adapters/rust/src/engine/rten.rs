//! Asks RTen: an ONNX file of one node, loaded with its optimizations, then run.

use super::{rten::Model, rten_tensor::Tensor, rten_tensor::prelude::*};
use broadaxe_atlas::{Array, Format, Question, Refusal, model};

pub fn answer(question: &Question) -> Result<Array, Refusal> {
    if ["none", "onnx-legacy"].contains(&question.rule().name()) {
        return Err(Refusal::Skipped("ONNX before opset 7 is not asked".into()));
    }
    let mut files = model(Format::Onnx, question).map_err(|why| Refusal::Skipped(why.to_string()))?;
    let model = Model::load(files.remove(0).bytes)?;
    let mut inputs = Vec::new();
    for ((k, operand), name) in question.operands().iter().enumerate().zip(["a", "b", "c"]) {
        let shape = &operand.shape[..];
        // RTen holds bools as i32.
        let value = if k == 0 && question.family() == "select" {
            Tensor::from_data(shape, operand.values.iter().map(|&value| value as i32).collect::<Vec<_>>()).into()
        } else {
            Tensor::from_data(shape, operand.floats()).into()
        };
        if !operand.constant {
            inputs.push((model.node_id(name)?, value));
        }
    }
    let result: Tensor<f32> = model.run(inputs, model.output_ids(), None)?.remove(0).try_into()?;
    Ok(Array { shape: result.shape().to_vec(), values: result.iter().map(|&value| value.into()).collect() })
}
