//! Asks tract: an ONNX file of one node, optimized, then run.

use super::tract_onnx::prelude::*;
use atlas_adapters::{Answer, Question, onnx};

pub fn answer(question: &Question) -> Answer {
    let model = onnx::model(question)?;
    let plan = super::tract_onnx::onnx().model_for_read(&mut &model.bytes[..])?.into_optimized()?.into_runnable()?;
    let mut inputs = TVec::new();
    for input in &model.inputs {
        let (shape, values) = (&input.operand.shape, &input.operand.values);
        let tensor = if input.bool {
            Tensor::from_shape(shape, &values.iter().map(|&v| v != 0.0).collect::<Vec<_>>())?
        } else {
            Tensor::from_shape(shape, values)?
        };
        inputs.push(tensor.into_tvalue());
    }
    let result = plan.run(inputs)?.remove(0);
    // The view of a tensor without elements has no valid pointer.
    let values = if result.len() == 0 { Vec::new() } else { result.view().as_slice::<f32>()?.to_vec() };
    Ok((result.shape().to_vec(), values))
}
