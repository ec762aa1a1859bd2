//! Writes the model of one node for a question, in each format of models.
//!
//! The inputs are named `a`, `b` and `c`, and the result `y`. Operands that are constants are in the model. Where the rule
//! rejects the shapes, the model is written all the same, so that an engine can be asked whether it rejects them.

mod protobuf;
mod flatbuffer;
mod onnx;
mod openvino;
mod tflite;
mod ncnn;
mod pnnx;
mod paddle;

use std::{fmt, str::FromStr};

use broadaxe_shape::Rule;

use crate::{
    error::Error,
    question::{Operand, Question},
};

/// Names a format of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// ONNX, of opset 18, or of opset 6 for the rules of old opsets.
    Onnx,
    /// The IR of OpenVINO, version 11.
    OpenVino,
    /// TFLite, the format of LiteRT.
    Tflite,
    /// The text and the weights of ncnn.
    Ncnn,
    /// The text of pnnx and its archive of weights.
    Pnnx,
    /// Programs of Paddle: JSON, or the older protocol buffer where an operator has an axis.
    Paddle,
}

/// Lists the formats.
pub const FORMATS: [Format; 6] =
    [Format::Onnx, Format::OpenVino, Format::Tflite, Format::Ncnn, Format::Pnnx, Format::Paddle];

impl Format {
    /// Returns the name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Onnx => "onnx",
            Self::OpenVino => "openvino",
            Self::Tflite => "tflite",
            Self::Ncnn => "ncnn",
            Self::Pnnx => "pnnx",
            Self::Paddle => "paddle",
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        FORMATS.into_iter().find(|format| format.name() == text).ok_or_else(|| {
            let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
            Error::new(format!("'{text}' is not a format of models; they are {}", names.join(", ")))
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Holds one file of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The end of its name, with the dot: `.pnnx.param`.
    pub extension: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Says why a format has no model for a question, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

/// Writes the model of a question; the first file is the graph, a second one holds the constants.
///
/// The same question gives the same bytes.
///
/// ```
/// use broadaxe_atlas::{Case, Format, Question, model};
/// let case = Case::new("add-numpy-r2-0033".parse()?)?;
/// let question = &Question::all(&case)[1];
/// let files = model(Format::OpenVino, question).unwrap();
/// assert_eq!(files.iter().map(|file| file.extension).collect::<Vec<_>>(), [".xml", ".bin"]);
/// assert!(model(Format::Ncnn, question).is_err());
/// # Ok::<(), broadaxe_atlas::Error>(())
/// ```
///
/// # Errors
/// When the format has no operator with this rule, or cannot hold an operand.
pub fn model(format: Format, question: &Question<'_>) -> Result<Vec<File>, Unsupported> {
    let call = Call::new(question);
    match format {
        Format::Onnx => onnx::write(&call),
        Format::OpenVino => openvino::write(&call),
        Format::Tflite => tflite::write(&call),
        Format::Ncnn => ncnn::write(&call),
        Format::Pnnx => pnnx::write(&call),
        Format::Paddle => paddle::write(&call),
    }
}

/// The names of operands, in order.
const NAMES: [&str; 3] = ["a", "b", "c"];
/// The name of the result.
const RESULT: &str = "y";

/// What the formats write: an operator, its rule, and its operands.
struct Call<'a> {
    /// The family of operators.
    family: &'static str,
    rule: &'a Rule,
    operands: Vec<Operand>,
    /// The shape of the result, where the rule accepts the operands.
    result: Option<Vec<usize>>,
}

impl<'a> Call<'a> {
    fn new(question: &Question<'a>) -> Self {
        let case = question.case();
        let result = match &case.expected {
            crate::case::Expected::Result { shape, .. } => Some(shape.clone()),
            crate::case::Expected::Rejected(_) => None,
        };
        Self { family: case.id.subject.family().name, rule: &case.rule, operands: question.operands(), result }
    }

    /// Returns the family and the name of the rule, which together choose the operator.
    fn key(&self) -> (&'static str, &'static str) {
        (self.family, self.rule.name())
    }

    /// Lists the operands with their names.
    fn named(&self) -> impl Iterator<Item = (&'static str, &Operand)> {
        NAMES.into_iter().zip(&self.operands)
    }

    /// Lists the names of the operands.
    fn names(&self) -> Vec<&'static str> {
        self.named().map(|(name, _)| name).collect()
    }

    /// Says whether an operand holds truth values.
    fn is_condition(&self, name: &str) -> bool {
        self.family == "select" && name == NAMES[0]
    }

    /// Returns the bytes of a constant: f32, or one byte for a truth value.
    fn bytes(&self, name: &str, operand: &Operand) -> Vec<u8> {
        if self.is_condition(name) {
            operand.values.iter().map(|&value| u8::from(value != 0)).collect()
        } else {
            operand.values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect()
        }
    }

    /// Says whether all operands have one shape.
    fn has_equal_shapes(&self) -> bool {
        self.operands.iter().all(|operand| operand.shape == self.operands[0].shape)
    }

    /// Returns the parameter `axis` of the rule, or -1.
    fn axis(&self) -> i64 {
        self.rule.params().axis.unwrap_or(-1)
    }

    /// Returns the shape that the rule stretches to.
    fn target(&self) -> Vec<i64> {
        let target = self.rule.params().target.as_ref();
        target.map(|shape| shape.dims().iter().map(|&dim| dim as i64).collect()).unwrap_or_default()
    }

    /// Returns the dims of the result; where the rule rejects the operands, they are unknown, and there are as many as
    /// the longest shape has.
    fn dims(&self) -> Vec<Option<usize>> {
        if let Some(shape) = &self.result {
            return shape.iter().copied().map(Some).collect();
        }
        let ranks = self.operands.iter().map(|operand| operand.shape.len());
        vec![None; ranks.chain([self.target().len()]).max().unwrap_or(0)]
    }

    /// Says that a format has no operator with the rule.
    fn unsupported(&self, format: &str) -> Unsupported {
        let (family, rule) = self.key();
        Unsupported(format!("{format} has no operator that computes {family} under the rule {rule}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for format in FORMATS {
            assert_eq!(format.name().parse(), Ok(format));
        }
        let error = "torch".parse::<Format>().unwrap_err().to_string();
        assert!(error.contains("onnx, openvino, tflite"), "{error}");
    }
}
