//! What operators do in the neighbourhood of an element-wise node, whatever their format calls them.
//!
//! Engines merge nodes with their neighbours, and laws about that have to know a convolution from a quantisation. For
//! element-wise operators the role follows from their row; the others are listed here.

use broadaxe_kernels::OpId;

use crate::{
    arithmetic::{Arithmetic, Recipe},
    framework::System::{self, Onnx, Openvino, Paddle},
    tables::newest,
};

/// What an operator does, as far as laws about neighbourhoods distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The absolute value.
    Abs,
    /// A sum of two operands.
    Add,
    /// Clips between two bounds.
    Clip,
    /// A convolution.
    Conv,
    /// Integers to floats, by a scale.
    Dequantize,
    /// A quotient.
    Div,
    /// The error function.
    Erf,
    /// The exponential.
    Exp,
    /// Quantizes to levels and back.
    FakeQuantize,
    /// A copy.
    Identity,
    /// The natural logarithm.
    Log,
    /// A matrix product.
    MatMul,
    /// The larger of operands.
    Max,
    /// A mean over axes.
    Mean,
    /// The smaller of operands.
    Min,
    /// Rearranges elements.
    Move,
    /// A product.
    Mul,
    /// The negative.
    Neg,
    /// Pads with elements.
    Pad,
    /// A function of one operand that kernels apply to their results.
    Simple,
    /// A power.
    Pow,
    /// Floats to integers, by a scale.
    Quantize,
    /// Another reduction over axes.
    Reduce,
    /// The reciprocal.
    Reciprocal,
    /// The larger of the operand and 0.
    Relu,
    /// The logistic function.
    Sigmoid,
    /// The square root.
    Sqrt,
    /// A difference.
    Sub,
    /// A sum over axes.
    SumOf,
    /// The hyperbolic tangent.
    Tanh,
    /// Another function of one operand.
    Unary,
}

/// Operators that are not element-wise, or not in the tables.
static OTHERS: &[(Role, System, &[&str])] = &[
    (Role::Conv, Onnx, &["Conv"]),
    (Role::Conv, Openvino, &["Convolution", "GroupConvolution"]),
    (Role::Dequantize, Onnx, &["DequantizeLinear"]),
    (Role::Identity, Onnx, &["Dropout"]),
    (Role::Identity, Paddle, &["assign"]),
    (Role::MatMul, Onnx, &["MatMul"]),
    (Role::MatMul, Openvino, &["MatMul"]),
    (Role::MatMul, Paddle, &["matmul", "matmul_v2"]),
    (Role::Mean, Onnx, &["ReduceMean"]),
    (Role::Mean, Openvino, &["ReduceMean"]),
    (
        Role::Move,
        Onnx,
        &["Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Gather", "DepthToSpace", "SpaceToDepth"],
    ),
    (Role::Move, Openvino, &["Transpose", "Reshape", "Squeeze", "Unsqueeze", "Gather", "DepthToSpace", "SpaceToDepth"]),
    (Role::Pad, Onnx, &["Pad"]),
    (Role::Pad, Openvino, &["Pad"]),
    (Role::Quantize, Onnx, &["QuantizeLinear"]),
    (
        Role::Reduce,
        Onnx,
        &[
            "GlobalAveragePool",
            "GlobalMaxPool",
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceMax",
            "ReduceMin",
            "ReduceProd",
            "ReduceSumSquare",
        ],
    ),
    (Role::Reduce, Openvino, &["ReduceL1", "ReduceL2", "ReduceMax", "ReduceMin", "ReduceProd"]),
    (Role::Simple, Openvino, &["HardSigmoid"]),
    (Role::SumOf, Onnx, &["ReduceSum"]),
    (Role::SumOf, Openvino, &["ReduceSum"]),
    (Role::Unary, Openvino, &["Selu"]),
];

/// Operators whose first input and output have the batch at axis 0.
static BATCHED: &[(System, &[&str])] = &[
    (
        Onnx,
        &[
            "AveragePool",
            "BatchNormalization",
            "Conv",
            "ConvTranspose",
            "DepthToSpace",
            "GlobalAveragePool",
            "GlobalLpPool",
            "GlobalMaxPool",
            "GridSample",
            "GroupNormalization",
            "InstanceNormalization",
            "LRN",
            "LayerNormalization",
            "LpPool",
            "MaxPool",
            "PRelu",
            "Resize",
            "SpaceToDepth",
            "Upsample",
        ],
    ),
    (
        Openvino,
        &[
            "AdaptiveAvgPool",
            "AvgPool",
            "BatchNormInference",
            "Convolution",
            "ConvolutionBackpropData",
            "DepthToSpace",
            "GroupConvolution",
            "GroupConvolutionBackpropData",
            "Interpolate",
            "LRN",
            "MaxPool",
            "PReLU",
            "SpaceToDepth",
        ],
    ),
    (Paddle, &["batch_norm", "conv2d", "depthwise_conv2d", "pool2d"]),
];

/// Returns the role of an operator; nothing for one that no law distinguishes.
///
/// ```
/// use broadaxe_frameworks::{Role, System, role};
/// assert_eq!(role(System::Onnx, "Mul"), Some(Role::Mul));
/// assert_eq!(role(System::Openvino, "GroupConvolution"), Some(Role::Conv));
/// assert_eq!(role(System::Onnx, "LSTM"), None);
/// ```
pub fn role(system: System, name: &str) -> Option<Role> {
    let other = OTHERS.iter().find(|(_, of, names)| *of == system && names.contains(&name));
    if let Some((role, ..)) = other {
        return Some(*role);
    }
    match newest(system, name)?.choices().last()?.arithmetic {
        Arithmetic::Copy => Some(Role::Identity),
        Arithmetic::Op(op) => of_op(op),
        Arithmetic::Recipe(Recipe::Selu) => Some(Role::Unary),
        Arithmetic::Recipe(recipe) => of_recipe(recipe),
        Arithmetic::Steps(_) => None,
    }
}

/// Says whether an operator's first input and output have the batch at axis 0.
pub fn has_batch(system: System, name: &str) -> bool {
    BATCHED.iter().any(|(of, names)| *of == system && names.contains(&name))
}

fn of_op(op: OpId) -> Option<Role> {
    Some(match op.name() {
        "abs" => Role::Abs,
        "add" => Role::Add,
        "div" | "div_floor" | "div_trunc" => Role::Div,
        "erf" => Role::Erf,
        "exp" => Role::Exp,
        "log" => Role::Log,
        "max" => Role::Max,
        "min" => Role::Min,
        "mul" => Role::Mul,
        "neg" => Role::Neg,
        "pow" | "pow_trunc" => Role::Pow,
        "reciprocal" => Role::Reciprocal,
        "relu" => Role::Relu,
        "sigmoid" => Role::Sigmoid,
        "sqrt" => Role::Sqrt,
        "sub" => Role::Sub,
        "tanh" => Role::Tanh,
        "gelu" | "gelu_tanh" | "hardswish" | "round" | "silu" | "softplus" => Role::Simple,
        "acos" | "asin" | "atan" | "ceil" | "cos" | "cosh" | "floor" | "sign" | "sin" | "sinh" | "tan" => Role::Unary,
        _ => return None,
    })
}

fn of_recipe(recipe: Recipe) -> Option<Role> {
    Some(match recipe {
        Recipe::Power => Role::Pow,
        Recipe::Erf => Role::Erf,
        Recipe::Clip | Recipe::Clamp => Role::Clip,
        Recipe::FakeQuantize => Role::FakeQuantize,
        Recipe::Elu
        | Recipe::HSigmoid
        | Recipe::HardSigmoid
        | Recipe::LeakyRelu
        | Recipe::Mish
        | Recipe::RoundHalfAway
        | Recipe::Swish => Role::Simple,
        _ => return None,
    })
}
