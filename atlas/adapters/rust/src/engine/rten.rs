//! Asks RTen: an ONNX file of one node, loaded with its optimizations, then run.

use super::{rten::Model, rten_tensor::Tensor, rten_tensor::prelude::*};
use atlas_adapters::{Answer, Question, onnx};

pub fn answer(question: &Question) -> Answer {
    let onnx::Model { bytes, inputs } = onnx::model(question)?;
    let model = Model::load(bytes)?;
    let mut values = Vec::new();
    for input in &inputs {
        let (shape, data) = (&input.operand.shape[..], &input.operand.values);
        // RTen holds bools as i32.
        let value = if input.bool {
            Tensor::from_data(shape, data.iter().map(|&v| v as i32).collect::<Vec<_>>()).into()
        } else {
            Tensor::from_data(shape, data.clone()).into()
        };
        values.push((model.node_id(&input.name)?, value));
    }
    let result: Tensor<f32> = model.run(values, model.output_ids(), None)?.remove(0).try_into()?;
    Ok((result.shape().to_vec(), result.to_vec()))
}
