//! Whole numbers that represent real ones (TFLite): `scale * (element - zero_point)`.
//!
//! Engines compute with whole numbers and round in their own ways, so that a result may be one quantum away from the right one.

use broadaxe::DType;
use broadaxe_frameworks::System;

use super::super::{QuestionTensor, numbers, run::Tensor};
use crate::graph::{Attribute, Element, Model, Node, NodeId, Quantization, ValueId};

/// The parameter for layers of 8 bits of ncnn is above this where the result has 8 bits, too.
const REQUANTISES: i64 = 100;

/// Returns how the elements of a value represent real numbers, where they do.
fn quantization(model: &Model, id: ValueId) -> Option<&Quantization> {
    model.value(id).quantization.as_deref().filter(|known| !known.scales.is_empty())
}

/// Returns the scale and the zero point of a tensor that has one of each.
fn only(quantization: &Quantization) -> Result<(f64, f64), String> {
    match (quantization.scales.as_slice(), quantization.zero_points.as_slice()) {
        (&[scale], &[]) => Ok((f64::from(scale), 0.0)),
        (&[scale], &[zero]) => Ok((f64::from(scale), zero as f64)),
        _ => Err("an operand has a scale for each entry of an axis".to_owned()),
    }
}

/// Says whether a tensor of a node represents real numbers by whole ones.
pub(super) fn is_quantised(model: &Model, id: NodeId) -> bool {
    let node = model.node(id);
    node.inputs.iter().chain(&node.outputs).flatten().any(|&value| quantization(model, value).is_some())
}

/// Says whether a layer of ncnn computes with integers of 8 bits, to which it rounds its data.
pub(super) fn rounds(system: System, node: &Node) -> bool {
    let term = if matches!(node.op.as_str(), "Gemm" | "MultiHeadAttention" | "Embed" | "SDPA") { "18" } else { "8" };
    let has_weights =
        node.op.contains("Convolution") || matches!(node.op.as_str(), "InnerProduct" | "LSTM" | "GRU" | "RNN");
    system == System::Ncnn
        && (has_weights || term == "18")
        && node.attribute(term).and_then(Attribute::int).is_some_and(|term| term != 0)
}

/// Says whether a value of ncnn is whole numbers of 8 bits, which cannot be given to a layer from outside: what the layer before rounds
/// for the next one.
pub(super) fn is_between_layers(model: &Model, id: ValueId) -> bool {
    let maker = |id: ValueId| model.value(id).producer.map(|(node, _)| model.node(node));
    let mut node = maker(id);
    while let Some(split) = node.filter(|node| node.op == "Split") {
        node = split.input(0).and_then(maker);
    }
    let term = node.and_then(|node| node.attribute("8")).and_then(Attribute::int).unwrap_or(0);
    term > REQUANTISES && node.is_some_and(|node| rounds(model.system, node))
}

/// Returns what a `DEQUANTIZE` gives of a constant; nothing for other nodes.
pub(super) fn dequantised(model: &Model, id: NodeId, constant: Tensor) -> Option<Tensor> {
    let node = model.node(id);
    let known = node.input(0).and_then(|value| quantization(model, value));
    let (scale, zero) = known.map_or(Ok((1.0, 0.0)), only).ok().filter(|_| node.op == "DEQUANTIZE")?;
    let real = |value: f64| (scale * (value - zero)) as f32;
    let data = constant.values().into_iter().map(real).flat_map(f32::to_le_bytes).collect();
    Some(Tensor { dtype: DType::F32, shape: constant.shape, data })
}

/// Returns the real numbers of operands.
///
/// # Errors
/// When an operand has several scales.
pub(super) fn real(
    model: &Model,
    id: NodeId,
    operands: &[Option<QuestionTensor>],
) -> Result<Vec<Option<QuestionTensor>>, String> {
    let read = |(tensor, value): (&Option<QuestionTensor>, &Option<ValueId>)| {
        let known = value.and_then(|value| quantization(model, value));
        let (Some(tensor), Some(known)) = (tensor, known) else { return Ok(tensor.clone()) };
        let (scale, zero) = only(known)?;
        let real = |value: f64| (scale * (value - zero)) as f32;
        let values = numbers::values(tensor.dtype, &tensor.data).into_iter().map(real);
        Ok(Some(QuestionTensor {
            dtype: DType::F32,
            data: values.flat_map(f32::to_le_bytes).collect(),
            ..tensor.clone()
        }))
    };
    operands.iter().zip(&model.node(id).inputs).map(read).collect()
}

/// Returns the whole numbers of the first result of a node, where it has a scale.
///
/// # Errors
/// When it has several scales, or elements that are no whole numbers.
pub(super) fn rounded(model: &Model, id: NodeId, result: Tensor) -> Result<Tensor, String> {
    let Some(output) = model.node(id).output(0) else { return Ok(result) };
    let Some(known) = quantization(model, output) else { return Ok(result) };
    let (scale, zero) = only(known)?;
    let dtype = model.value(output).element.as_ref().and_then(Element::dtype);
    let (dtype, (low, high)) = match dtype {
        Some(DType::I8) => (DType::I8, (-128.0, 127.0)),
        Some(DType::U8) => (DType::U8, (0.0, 255.0)),
        Some(DType::I16) => (DType::I16, (-32768.0, 32767.0)),
        _ => return Err("its result has a scale, and elements of more than 16 bits".to_owned()),
    };
    let whole = |value: f64| (value / scale + zero).round().clamp(low, high);
    let values: Vec<f64> = result.values().into_iter().map(whole).collect();
    let data = numbers::bytes(dtype, &values);
    Ok(Tensor { dtype, shape: result.shape, data })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        format,
        source::Source,
        testing::{model as text_model, onnx},
    };

    /// Makes a model of a sum whose operands have scales, each with its zero point.
    fn sum(scales: [&[f32]; 3]) -> Model {
        let (drawn, shapes) = text_model("x:i8(2); y:i8(2); z=Add(x,y)");
        let mut model = format::read(&Source::memory(onnx(&drawn, &shapes), None)).unwrap();
        for (name, scales) in ["x", "y", "z"].iter().zip(scales) {
            let value = model.values.iter_mut().find(|value| value.name == *name).unwrap();
            value.element = Some(Element::Known(DType::I8));
            let zero_points = scales.iter().map(|_| 1).collect();
            value.quantization = Some(Arc::new(Quantization { scales: scales.to_vec(), zero_points, axis: 0 }));
        }
        model
    }

    #[test]
    fn whole_numbers_and_back() {
        let model = sum([&[0.5], &[2.0], &[0.25]]);
        let id = model.main().nodes[0];
        let bytes = |values: &[i8]| values.iter().map(|value| value.cast_unsigned()).collect::<Vec<_>>();
        let operand = |values: &[i8]| {
            let (name, data) = (String::new(), bytes(values));
            Some(QuestionTensor { name, dtype: DType::I8, shape: vec![2], data, constant: false })
        };
        let operands = real(&model, id, &[operand(&[3, -1]), operand(&[2, 1])]).unwrap();
        let values = |k: usize| numbers::values(DType::F32, &operands[k].as_ref().unwrap().data);
        assert_eq!((values(0), values(1)), (vec![1.0, -1.0], vec![2.0, 0.0]));
        let data = [3.0_f32, -100.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let result = rounded(&model, id, Tensor { dtype: DType::F32, shape: vec![2], data }).unwrap();
        assert_eq!(result.data, bytes(&[13, -128]));
        assert!(is_quantised(&model, id));
    }

    #[test]
    fn constants_that_are_dequantised() {
        let mut model = sum([&[0.5], &[2.0], &[]]);
        let id = model.main().nodes[0];
        let constant = Tensor { dtype: DType::I8, shape: vec![2], data: vec![3, 1] };
        assert_eq!(dequantised(&model, id, constant.clone()), None);
        model.nodes[id.0 as usize].op = "DEQUANTIZE".to_owned();
        assert_eq!(dequantised(&model, id, constant).unwrap().values(), [1.0, 0.0]);
    }

    #[test]
    fn what_layers_of_ncnn_pass_on() {
        let text = "7767517\n5 6\nInput x 0 1 x\nConvolution a 1 1 x a 0=8 6=72 8=102\nSplit s 1 2 a b c\n\
                    Convolution d 1 1 b d 0=8 6=64 8=2\nReLU e 1 1 c e\n";
        let model = format::read(&Source::memory(text.as_bytes(), None)).unwrap();
        let found: Vec<&str> = (0..model.values.len())
            .filter(|&k| is_between_layers(&model, ValueId(k as u32)))
            .map(|k| model.values[k].name.as_str())
            .collect();
        assert_eq!(found, ["a", "b", "c"]);
    }

    #[test]
    fn several_scales() {
        let model = sum([&[0.5, 0.25], &[2.0], &[0.25, 0.5]]);
        let id = model.main().nodes[0];
        let tensor =
            QuestionTensor { name: String::new(), dtype: DType::I8, shape: vec![2], data: vec![1, 2], constant: false };
        assert!(real(&model, id, &[Some(tensor.clone()), Some(tensor)]).is_err());
        assert!(rounded(&model, id, Tensor { dtype: DType::F32, shape: vec![1], data: vec![0; 4] }).is_err());
    }
}
