//! Computes the nodes that do more than meet their operands element by element: normalisations, and products with a bias.

use broadaxe::{Array, DType};
use broadaxe_shape::Alignment;

use super::{answer::Reference, numbers, tensor::QuestionTensor, tensors};
use crate::{
    graph::{Attribute, Node},
    meaning::{Kind, Meaning},
};

/// The most products that are summed.
const MOST_PRODUCTS: usize = 1 << 29;

/// Computes a node in f64.
///
/// # Errors
/// Why it cannot be computed.
pub(super) fn compute(
    node: &Node,
    meaning: &Meaning,
    inputs: &[Option<QuestionTensor>],
) -> Result<(DType, Reference), String> {
    let given = |k: usize| inputs.get(k).and_then(Option::as_ref).ok_or("an operand is left out");
    let (shape, mut values) = match meaning.kind {
        Kind::Affine => normalised(node, given(0)?)?,
        _ => product(node, given(0)?, given(1)?)?,
    };
    let mut operands = tensors(node, meaning, inputs);
    if meaning.kind == Kind::Bias {
        // The product is an operand that no input is.
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let (name, shape) = ("product".to_owned(), shape.clone());
        operands[0] = Some(QuestionTensor { name, dtype: DType::F64, shape, data, constant: false });
    }
    let dims: Vec<&[usize]> =
        operands.iter().enumerate().map(|(k, one)| if k == 0 { &shape } else { shape_of(one.as_ref()) }).collect();
    let alignment = meaning.align(&dims, &shape).map_err(|error| error.to_string())?;
    let beta = number(node, "beta", 1.0);
    for (k, operand) in operands.iter().enumerate().skip(1) {
        let operand = operand.as_ref().ok_or("an operand is left out")?;
        let own = numbers::values(operand.dtype, &operand.data);
        let strides = alignment.strides(k);
        let mut index = vec![0_usize; shape.len()];
        for value in &mut values {
            let at: isize = index.iter().zip(&strides).map(|(&at, &stride)| at as isize * stride).sum();
            let with = own[at as usize];
            match (meaning.kind, k) {
                (Kind::Affine, 1) => *value *= with,
                (Kind::Affine, _) => *value += with,
                _ => *value += beta * with,
            }
            step(&mut index, &shape);
        }
    }
    let dtype = given(0)?.dtype;
    Ok((dtype, Reference::new(alignment, operands, values, dtype)))
}

/// Quantises or dequantises data in f64 by lists along an axis.
///
/// A quotient near the middle of two integers may become either of them: engines divide, or multiply by the reciprocal.
pub(super) fn scaled(
    node: &Node,
    meaning: &Meaning,
    inputs: &[Option<QuestionTensor>],
) -> Result<(DType, Reference), String> {
    let operands = tensors(node, meaning, inputs);
    let given = |k: usize| operands.get(k).and_then(Option::as_ref).ok_or("an operand is left out");
    let (data, scale) = (given(0)?, given(1)?);
    let dims: Vec<&[usize]> = operands.iter().map(|operand| shape_of(operand.as_ref())).collect();
    let alignment = along(meaning, &dims, &data.shape)?;
    let read = |tensor: &QuestionTensor| numbers::values(tensor.dtype, &tensor.data);
    let (mut values, scales) = (read(data), read(scale));
    let zeros = given(2).map_or_else(|_| vec![0.0], read);
    let quantises = node.op == "QuantizeLinear";
    let dtype = if quantises { quantised_type(node, given(2).ok())? } else { scale.dtype };
    let (low, high) = range(dtype);
    let strides: Vec<Vec<isize>> = (0..operands.len()).map(|k| alignment.strides(k)).collect();
    let mut index = vec![0_usize; data.shape.len()];
    for value in &mut values {
        let at = |k: usize| {
            let strides = strides.get(k).map_or(&[][..], Vec::as_slice);
            index.iter().zip(strides).map(|(&at, &stride)| at as isize * stride).sum::<isize>() as usize
        };
        let (zero, scale) = (zeros[at(2)], scales[at(1)]);
        *value = if quantises {
            ((*value / scale).round_ties_even() + zero).clamp(low, high)
        } else {
            (*value - zero) * scale
        };
        step(&mut index, &data.shape);
    }
    let reference = Reference::new(alignment, operands, values, dtype);
    Ok((dtype, if quantises { reference.within_one() } else { reference }))
}

/// What a list along the channels does with an element, given the epsilon.
type ListStep = fn(f64, f64, f64) -> f64;

/// Adds a bias.
const ADDED: &[ListStep] = &[|value, bias, _| value + bias];

/// Returns what the lists of a normalisation do.
fn steps(node: &Node) -> Result<&'static [ListStep], String> {
    match node.op.as_str() {
        "InstanceNormalization" => Ok(&[|value, scale, _| value * scale, |value, bias, _| value + bias]),
        // The statistics of the data are applied already.
        "BatchNormalization" if is_trained(node) => Ok(&[
            |value, _, _| value,
            |value, _, _| value,
            |value, scale, _| value * scale,
            |value, bias, _| value + bias,
        ]),
        "BatchNormalization" => Ok(&[
            |value, mean, _| value - mean,
            |value, variance, epsilon| value / (variance + epsilon).sqrt(),
            |value, scale, _| value * scale,
            |value, bias, _| value + bias,
        ]),
        other => Err(format!("{other} is not computed here")),
    }
}

/// Says whether a `BatchNormalization` computes the statistics of its own data.
fn is_trained(node: &Node) -> bool {
    node.attribute("training_mode").and_then(Attribute::int).unwrap_or(0) != 0
}

/// Computes a layer with lists along the channels in f64; `product` is what a layer of products gives with a bias of zeros.
///
/// # Errors
/// Why it cannot be computed.
pub(super) fn per_channel(
    node: &Node,
    meaning: &Meaning,
    inputs: &[Option<QuestionTensor>],
    product: Option<&QuestionTensor>,
) -> Result<(DType, Reference), String> {
    let data = product.or(inputs.first().and_then(Option::as_ref)).ok_or("an operand is left out")?;
    let epsilon = number(node, "epsilon", 1e-5);
    let mut operands = tensors(node, meaning, inputs);
    let mut values = numbers::values(data.dtype, &data.data);
    apply_statistics(node, &mut values, &data.shape, epsilon)?;
    if node.op == "BatchNormalization" && operands.len() == 5 {
        // The statistics come before scale and bias.
        operands.swap(1, 3);
        operands.swap(2, 4);
    }
    let steps = if product.is_some() { ADDED } else { steps(node)? };
    if operands.len() != steps.len() + 1 {
        return Err("an operand is left out".to_owned());
    }
    operands[0] = Some(data.clone());
    let dims: Vec<&[usize]> = operands.iter().map(|one| shape_of(one.as_ref())).collect();
    let (alignment, mut index) = (along(meaning, &dims, &data.shape)?, vec![0_usize; data.shape.len()]);
    let mut lists = Vec::with_capacity(steps.len());
    for (k, operand) in operands.iter().enumerate().skip(1) {
        let tensor = operand.as_ref().ok_or("an operand is left out")?;
        lists.push((numbers::values(tensor.dtype, &tensor.data), alignment.strides(k)));
    }
    for value in &mut values {
        for (meet, (list, strides)) in steps.iter().zip(&lists) {
            let at: isize = index.iter().zip(strides).map(|(&at, &stride)| at as isize * stride).sum();
            *value = meet(*value, list[at as usize], epsilon);
        }
        step(&mut index, &data.shape);
    }
    Ok((data.dtype, Reference::new(alignment, operands, values, data.dtype)))
}

/// Normalises data by their own statistics, where the node does that.
fn apply_statistics(node: &Node, values: &mut [f64], shape: &[usize], epsilon: f64) -> Result<(), String> {
    if node.op == "InstanceNormalization" {
        let row: usize = shape.get(2..).ok_or("its data have no channels")?.iter().product();
        values.chunks_exact_mut(row.max(1)).for_each(|row| normalise(row, true, epsilon));
    }
    if node.op == "BatchNormalization" && is_trained(node) {
        normalise_channels(values, shape, epsilon)?;
    }
    Ok(())
}

/// Returns the type that a node quantises to: that of its zero point, or the one that it names.
fn quantised_type(node: &Node, zero: Option<&QuestionTensor>) -> Result<DType, String> {
    match (zero, node.attribute("output_dtype").and_then(Attribute::int).unwrap_or(0)) {
        (Some(zero), _) => Ok(zero.dtype),
        (None, 0) => Ok(DType::U8),
        (None, code) => crate::format::onnx_element(code)
            .and_then(|element| element.dtype())
            .ok_or_else(|| "it quantises to elements that are not computed here".to_owned()),
    }
}

/// Returns the least and the greatest integer of a type.
fn range(dtype: DType) -> (f64, f64) {
    let bits = dtype.size() as i32 * 8;
    match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => (-2f64.powi(bits - 1), 2f64.powi(bits - 1) - 1.0),
        _ => (0.0, 2f64.powi(bits) - 1.0),
    }
}

/// Limits data to its bounds, of which each has one element; the upper one holds where they cross.
pub(super) fn clipped(operands: &[Array]) -> Vec<f64> {
    let read = |array: &Array| numbers::values(array.dtype(), array.as_bytes());
    let bound = |k: usize| operands.get(k).and_then(|array| read(array).first().copied());
    let (low, high) = (bound(1).unwrap_or(f64::NEG_INFINITY), bound(2).unwrap_or(f64::INFINITY));
    operands.first().map_or_else(Vec::new, |data| read(data).iter().map(|value| value.max(low).min(high)).collect())
}

/// Aligns data and lists along an axis.
fn along(meaning: &Meaning, dims: &[&[usize]], data: &[usize]) -> Result<Alignment, String> {
    let alignment = if dims[1..].contains(&data) {
        // A list that is stretched already, as an engine may read it.
        broadaxe_shape::Rule::numpy().align(dims)
    } else {
        meaning.align(dims, data)
    };
    alignment.map_err(|error| error.to_string())
}

fn shape_of(tensor: Option<&QuestionTensor>) -> &[usize] {
    tensor.map_or(&[], |tensor| &tensor.shape)
}

/// Moves to the next index in row-major order.
fn step(index: &mut [usize], shape: &[usize]) {
    for (at, &dim) in index.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < dim {
            return;
        }
        *at = 0;
    }
}

fn number(node: &Node, name: &str, absent: f64) -> f64 {
    node.attribute(name).and_then(Attribute::float).unwrap_or(absent)
}

/// Normalises data over its last axes: to mean 0 and variance 1, or `RMSNormalization` to a mean square of 1.
fn normalised(node: &Node, data: &QuestionTensor) -> Result<(Vec<usize>, Vec<f64>), String> {
    let rank = data.shape.len();
    let axis = node.attribute("axis").and_then(Attribute::int).unwrap_or(-1);
    let axis = if axis < 0 { rank.checked_sub(axis.unsigned_abs() as usize) } else { usize::try_from(axis).ok() };
    let axis = axis.filter(|&axis| axis < rank).ok_or("its axis is none of the data")?;
    let epsilon = number(node, "epsilon", 1e-5);
    let centred = node.op != "RMSNormalization";
    let mut values = numbers::values(data.dtype, &data.data);
    let row: usize = data.shape[axis..].iter().product();
    values.chunks_exact_mut(row.max(1)).for_each(|row| normalise(row, centred, epsilon));
    Ok((data.shape.clone(), values))
}

/// Normalises a row to variance 1, and to mean 0 where it is centred.
fn normalise(row: &mut [f64], centred: bool, epsilon: f64) {
    let count = row.len() as f64;
    let mean = if centred { row.iter().sum::<f64>() / count } else { 0.0 };
    let variance = row.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    for value in row {
        *value = (*value - mean) * scale;
    }
}

/// Normalises data to mean 0 and variance 1 in each channel, which axis 1 has.
fn normalise_channels(values: &mut [f64], shape: &[usize], epsilon: f64) -> Result<(), String> {
    let &[_, channels, ref within @ ..] = shape else { return Err("its data have no channels".to_owned()) };
    let row = within.iter().product::<usize>().max(1);
    for channel in 0..channels {
        let mut own: Vec<f64> =
            values.chunks_exact(row).skip(channel).step_by(channels).flat_map(|row| row.iter().copied()).collect();
        normalise(&mut own, true, epsilon);
        let rows = values.chunks_exact_mut(row).skip(channel).step_by(channels);
        rows.zip(own.chunks_exact(row)).for_each(|(row, own)| row.copy_from_slice(own));
    }
    Ok(())
}

/// Multiplies two matrices, each transposed first where the node says so.
fn product(node: &Node, a: &QuestionTensor, b: &QuestionTensor) -> Result<(Vec<usize>, Vec<f64>), String> {
    let (&[a0, a1], &[b0, b1]) = (a.shape.as_slice(), b.shape.as_slice()) else {
        return Err("it multiplies no matrices".to_owned());
    };
    let flag = |name: &str| node.attribute(name).and_then(Attribute::int).unwrap_or(0) != 0;
    let (rows, inner, a_step) = if flag("transA") { (a1, a0, (1, a1)) } else { (a0, a1, (a1, 1)) };
    let (columns, b_inner, b_step) = if flag("transB") { (b0, b1, (1, b1)) } else { (b1, b0, (b1, 1)) };
    if inner != b_inner {
        return Err("its matrices do not fit".to_owned());
    }
    if rows.saturating_mul(inner).saturating_mul(columns) > MOST_PRODUCTS {
        return Err("its product is larger than is computed here".to_owned());
    }
    let alpha = number(node, "alpha", 1.0);
    let (a, b) = (numbers::values(a.dtype, &a.data), numbers::values(b.dtype, &b.data));
    let mut values = vec![0.0; rows * columns];
    for row in 0..rows {
        let result = &mut values[row * columns..(row + 1) * columns];
        for k in 0..inner {
            let factor = alpha * a[row * a_step.0 + k * a_step.1];
            for (column, value) in result.iter_mut().enumerate() {
                *value += factor * b[k * b_step.0 + column * b_step.1];
            }
        }
    }
    Ok((vec![rows, columns], values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ask::tensor::QuestionTensor,
        format,
        meaning::meaning,
        source::Source,
        testing::{model as text_model, onnx},
    };

    #[test]
    fn lists_per_channel() {
        type Case<'a> = (&'a str, &'a [&'a [f32]], Option<&'a [f32]>, &'a [f64]);
        let cases: &[Case] = &[
            (
                "x(1,2,2); s(2); b(2); y=InstanceNormalization(x,s,b) epsilon=0.0",
                &[&[1.0, 3.0, 2.0, 6.0], &[1.0, 2.0], &[0.0, 10.0]],
                None,
                &[-1.0, 1.0, 8.0, 12.0],
            ),
            (
                "x(1,2,2); s(2); b(2); m(2); v(2); y=BatchNormalization(x,s,b,m,v) epsilon=0.0",
                &[&[1.0, 3.0, 2.0, 6.0], &[1.0, 2.0], &[0.0, 10.0], &[1.0, 2.0], &[4.0, 16.0]],
                None,
                &[0.0, 1.0, 10.0, 12.0],
            ),
            (
                "x(2,2,1); s(2); b(2); m(2); v(2); y=BatchNormalization(x,s,b,m,v) epsilon=0.0 training_mode=1",
                &[&[1.0, 2.0, 3.0, 6.0], &[1.0, 2.0], &[0.0, 10.0], &[9.0, 9.0], &[9.0, 9.0]],
                None,
                &[-1.0, 8.0, 1.0, 12.0],
            ),
            (
                "x(1,2,2); w(2,2,1); b(2); y=Conv(x,w,b)",
                &[&[0.0; 4], &[0.0; 4], &[1.0, 2.0]],
                Some(&[10.0, 20.0, 30.0, 40.0]),
                &[11.0, 21.0, 32.0, 42.0],
            ),
        ];
        for (text, inputs, product, want) in cases {
            let (drawn, shapes) = text_model(text);
            let model = format::read(&Source::memory(onnx(&drawn, &shapes), None)).unwrap();
            let id = model.main().nodes[0];
            let (node, read) = (model.node(id), meaning(&model, id).unwrap().unwrap());
            let tensor = |shape: &[usize], values: &[f32]| QuestionTensor {
                name: String::new(),
                dtype: DType::F32,
                shape: shape.to_vec(),
                data: values.iter().flat_map(|value| value.to_le_bytes()).collect(),
                constant: false,
            };
            let shape = |k: usize| {
                let declared = model.value(node.input(k).unwrap()).declared.as_ref().unwrap();
                declared.known().unwrap().dims().to_vec()
            };
            let given: Vec<_> = inputs.iter().enumerate().map(|(k, values)| Some(tensor(&shape(k), values))).collect();
            let product = product.map(|values| tensor(&[1, 2, 2], values));
            let (_, found) = per_channel(node, &read, &given, product.as_ref()).unwrap();
            let close = found.values().iter().zip(*want).all(|(found, want)| (found - want).abs() < 1e-6);
            assert!(close && found.values().len() == want.len(), "{text}: {:?}", found.values());
        }
    }
}
