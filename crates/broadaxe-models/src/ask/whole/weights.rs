//! Draws the weights of a model that comes without them: what its nodes mean depends on shapes alone.

use broadaxe_frameworks::System;

use super::{super::random::Random, quantised};
use crate::{
    format::{self, ncnn},
    graph::{Attribute, Model, Node},
    source::Source,
};

/// The most bytes of weights that are drawn.
const MOST_WEIGHT_BYTES: usize = 256 << 20;

/// Returns a model of ncnn with weights; nothing for models that have them, or that keep them in the file itself.
///
/// # Errors
/// Why weights cannot be drawn.
pub(super) fn drawn(model: &Model, seed: u64) -> Result<Option<Model>, String> {
    if model.format != "ncnn" || model.weights.is_some() {
        return Ok(None);
    }
    let mut random = Random::new(seed);
    let mut draw = |node: &Node, array: usize, count: usize| {
        let (spread, scale) = (spread(node, array, count), scale(node, array));
        if scale != 1.0 && count == 1 {
            // The scale of a blob is written in the layer that makes it, and in those that read it.
            return vec![scale];
        }
        (0..count).map(|_| scale * number(&mut random, spread)).collect()
    };
    let bytes = ncnn::draw_weights(model, MOST_WEIGHT_BYTES, &mut draw)?;
    let source = model.source.clone().with_weights(Source::memory(bytes, None));
    format::read(&source).map(Some).map_err(|error| error.to_string())
}

/// Returns the largest size of a factor, which keeps sums of products near 1; nothing for arrays of other numbers, such as variances.
fn spread(node: &Node, array: usize, count: usize) -> Option<f32> {
    let number = |name: &str| node.attribute(name).and_then(Attribute::int).and_then(|size| usize::try_from(size).ok());
    let terms = match node.op.as_str() {
        "MultiHeadAttention" if array.is_multiple_of(2) => number("0")?,
        "LSTM" | "GRU" | "RNN" => number("0")?,
        "Gemm" => number("9")?,
        "Embed" if array == 0 => 1,
        op if array == 0 && (op == "InnerProduct" || op.contains("onvolution") || op.starts_with("Deformable")) => {
            count.checked_div(number("0")?)?
        }
        _ => return None,
    };
    Some((3.0 / terms.max(1) as f32).sqrt())
}

/// Returns about what numbers without a spread are: arrays behind the bias of a layer of 8 bits are scales, under which data of a few
/// units fill these bits.
fn scale(node: &Node, array: usize) -> f32 {
    let number = |name: &str| node.attribute(name).and_then(Attribute::int).unwrap_or(0);
    let bias = if node.op == "InnerProduct" { "1" } else { "5" };
    let is_scale = quantised::rounds(System::Ncnn, node) && array > usize::from(number(bias) != 0);
    if is_scale { 32.0 } else { 1.0 }
}

/// Draws a factor of this spread, or a positive number that is not far from 1.
fn number(random: &mut Random, spread: Option<f32>) -> f32 {
    let unit = random.unit();
    spread.map_or(0.5 + unit, |spread| (2.0 * unit - 1.0) * spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(line: &str) -> Model {
        let text = format!("7767517\n2 2\nInput x 0 1 x\n{line}\n");
        format::read(&Source::memory(text.into_bytes(), None)).unwrap()
    }

    #[test]
    fn weights_of_layers() {
        let model = layer("Convolution c 1 1 x y 0=8 1=1 5=1 6=72");
        let drawn = drawn(&model, 1).unwrap().unwrap();
        let held = format::part::held(&drawn).unwrap();
        let arrays: Vec<Vec<f64>> = held[1]
            .iter()
            .map(|array| {
                super::super::super::numbers::values(
                    broadaxe::DType::F32,
                    &drawn.elements(array, 1 << 20).unwrap().unwrap(),
                )
            })
            .collect();
        let within = |array: &[f64], low: f64, high: f64| array.iter().all(|number| (low..high).contains(number));
        assert!(arrays[0].len() == 72 && within(&arrays[0], -0.58, 0.58), "{arrays:?}");
        assert!(arrays[1].len() == 8 && within(&arrays[1], 0.5, 1.5), "{arrays:?}");
        assert!(super::drawn(&drawn, 1).unwrap().is_none());
        let scales = layer("Convolution c 1 1 x y 0=8 1=1 5=1 6=72 8=2");
        assert_eq!([0, 1, 2, 3].map(|array| scale(&scales.nodes[1], array)), [1.0, 1.0, 32.0, 32.0]);
    }

    #[test]
    fn weights_that_cannot_be_drawn() {
        let cases = [
            ("Unheard u 1 1 x y", "the size of the weights of Unheard u is not known"),
            ("PReLU p 1 1 x y 0=1000000000", "its weights have more than 256 MiB"),
        ];
        for (text, why) in cases {
            assert_eq!(drawn(&layer(text), 1).unwrap_err(), why);
        }
    }
}
