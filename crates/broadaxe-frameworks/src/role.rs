//! Classifies the operators around a broadcasting node, under the names of every format.
//!
//! Engines merge nodes with their neighbours, and laws about that have to know a convolution from a quantisation. For
//! element-wise operators the role follows from their row; the others are listed here.

use std::sync::OnceLock;

use broadaxe_op::OpId;
use rustc_hash::FxHashMap;

use crate::{
    arithmetic::{Arithmetic, Recipe},
    framework::System::{self, Ncnn, Onnx, Openvino, Paddle, Pnnx, Tflite},
    kind::Kind,
    row::Row,
    tables::{known, newest},
};

/// What an operator does, as far as laws about neighbourhoods distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The absolute value.
    Abs,
    /// A sum of two operands.
    Add,
    /// A normalisation by statistics that the model holds.
    BatchNorm,
    /// Converts elements to another type.
    Cast,
    /// Clips between two bounds.
    Clip,
    /// Puts tensors behind one another.
    Concat,
    /// A convolution; one of OpenVINO in groups is a [`Role::GroupConv`].
    Conv,
    /// Integers to floats, by a scale.
    Dequantize,
    /// A quotient.
    Div,
    /// The error function.
    Erf,
    /// The exponential.
    Exp,
    /// Stretches a tensor to a shape.
    Expand,
    /// Quantizes to levels and back.
    FakeQuantize,
    /// Elements made from nothing but a shape, numbers or an attribute.
    Fill,
    /// Picks entries of an axis.
    Gather,
    /// A product of matrices with factors, and a sum.
    Gemm,
    /// A convolution whose weights have an axis of groups in front.
    GroupConv,
    /// A copy.
    Identity,
    /// An input of the model, as a node.
    Input,
    /// A normalisation over the last axes, with a scale and a bias.
    LayerNorm,
    /// The natural logarithm.
    Log,
    /// A matrix product.
    MatMul,
    /// The larger of operands.
    Max,
    /// The largest element of each window.
    MaxPool,
    /// A mean over axes.
    Mean,
    /// The smaller of operands.
    Min,
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
    /// Random numbers.
    Random,
    /// Moves elements between the channels and the positions of an image.
    Rearrange,
    /// Floats to integers, by a scale.
    Quantize,
    /// Another reduction over axes.
    Reduce,
    /// The reciprocal.
    Reciprocal,
    /// The larger of the operand and 0.
    Relu,
    /// Gives the elements another shape, in their order.
    Reshape,
    /// One of two operands, by a condition.
    Select,
    /// The shape of a value, or the number of its elements.
    Shape,
    /// The logistic function.
    Sigmoid,
    /// Exponentials, divided by their sum.
    Softmax,
    /// The square root.
    Sqrt,
    /// A difference.
    Sub,
    /// A sum over axes.
    SumOf,
    /// The hyperbolic tangent.
    Tanh,
    /// Repeats a tensor along axes.
    Tile,
    /// Permutes the axes.
    Transpose,
    /// Another function of one operand.
    Unary,
}

impl Role {
    /// Says whether an operator is a function of one operand that kernels of OpenVINO apply to their results.
    pub fn is_fused_function(self) -> bool {
        let named =
            matches!(self, Self::Abs | Self::Exp | Self::Neg | Self::Relu | Self::Sigmoid | Self::Sqrt | Self::Tanh);
        named || matches!(self, Self::Clip | Self::Simple)
    }

    /// Says whether an operator only moves elements.
    pub fn moves(self) -> bool {
        matches!(self, Self::Gather | Self::Rearrange | Self::Reshape | Self::Transpose)
    }
}

/// Operators that are not element-wise, or not in the tables.
static OTHERS: &[(Role, System, &[&str])] = &[
    (Role::BatchNorm, Onnx, &["BatchNormalization"]),
    (Role::BatchNorm, Openvino, &["BatchNormInference"]),
    (Role::Cast, Onnx, &["Cast"]),
    (Role::Cast, Openvino, &["Convert"]),
    (Role::Concat, Onnx, &["Concat"]),
    (Role::Concat, Openvino, &["Concat"]),
    (Role::Conv, Onnx, &["Conv"]),
    (Role::Conv, Openvino, &["Convolution"]),
    (Role::Conv, Paddle, &["conv2d", "depthwise_conv2d"]),
    (Role::Dequantize, Onnx, &["DequantizeLinear"]),
    (Role::Fill, Onnx, &["Constant", "ConstantOfShape", "Range"]),
    (Role::Fill, Openvino, &["Constant", "Range"]),
    (Role::Gather, Onnx, &["Gather"]),
    (Role::Gather, Openvino, &["Gather"]),
    (Role::GroupConv, Openvino, &["GroupConvolution"]),
    (Role::Identity, Onnx, &["Dropout"]),
    (Role::Identity, Paddle, &["assign"]),
    (Role::Input, Openvino, &["Parameter"]),
    (Role::Input, Ncnn, &["Input"]),
    (Role::LayerNorm, Onnx, &["LayerNormalization"]),
    (Role::MatMul, Onnx, &["MatMul"]),
    (Role::MatMul, Openvino, &["MatMul"]),
    (Role::MatMul, Paddle, &["matmul", "matmul_v2"]),
    (Role::MaxPool, Onnx, &["MaxPool"]),
    (Role::MaxPool, Openvino, &["MaxPool"]),
    (Role::Mean, Onnx, &["ReduceMean"]),
    (Role::Mean, Openvino, &["ReduceMean"]),
    (Role::Pad, Onnx, &["Pad"]),
    (Role::Pad, Openvino, &["Pad"]),
    (Role::Quantize, Onnx, &["QuantizeLinear"]),
    (Role::Random, Onnx, &["RandomNormal", "RandomUniform"]),
    (Role::Rearrange, Onnx, &["DepthToSpace", "SpaceToDepth"]),
    (Role::Rearrange, Openvino, &["DepthToSpace", "SpaceToDepth"]),
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
    (Role::Reshape, Onnx, &["Reshape", "Flatten", "Squeeze", "Unsqueeze"]),
    (Role::Reshape, Openvino, &["Reshape", "Squeeze", "Unsqueeze"]),
    (Role::Reshape, Paddle, &["reshape2"]),
    (Role::Reshape, Ncnn, &["ExpandDims", "Reshape", "Squeeze"]),
    (Role::Shape, Onnx, &["Shape", "Size"]),
    (Role::Shape, Openvino, &["ShapeOf"]),
    (Role::Simple, Openvino, &["HardSigmoid"]),
    (Role::Softmax, Onnx, &["Softmax"]),
    (Role::Softmax, Openvino, &["Softmax", "SoftMax"]),
    (Role::SumOf, Onnx, &["ReduceSum"]),
    (Role::SumOf, Openvino, &["ReduceSum"]),
    (Role::Transpose, Onnx, &["Transpose"]),
    (Role::Transpose, Openvino, &["Transpose"]),
    (Role::Unary, Openvino, &["Selu"]),
    (Role::Concat, Tflite, &["CONCATENATION"]),
    (Role::Tile, Tflite, &["TILE"]),
    (Role::Conv, Tflite, &["CONV_2D", "CONV_3D"]),
    (Role::GroupConv, Tflite, &["DEPTHWISE_CONV_2D"]),
    (Role::Dequantize, Tflite, &["DEQUANTIZE"]),
    (Role::Quantize, Tflite, &["QUANTIZE"]),
    (Role::FakeQuantize, Tflite, &["FAKE_QUANT"]),
    (Role::Fill, Tflite, &["FILL", "RANGE", "ZEROS_LIKE"]),
    (Role::Gather, Tflite, &["GATHER"]),
    (Role::MatMul, Tflite, &["BATCH_MATMUL", "FULLY_CONNECTED"]),
    (Role::MaxPool, Tflite, &["MAX_POOL_2D"]),
    (Role::Mean, Tflite, &["MEAN"]),
    (Role::Pad, Tflite, &["PAD", "PADV2"]),
    (Role::Rearrange, Tflite, &["DEPTH_TO_SPACE", "SPACE_TO_DEPTH"]),
    (Role::Reduce, Tflite, &["REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"]),
    (Role::Reshape, Tflite, &["EXPAND_DIMS", "RESHAPE", "SQUEEZE"]),
    (Role::Shape, Tflite, &["SHAPE"]),
    (Role::Softmax, Tflite, &["SOFTMAX"]),
    (Role::SumOf, Tflite, &["SUM"]),
    (Role::Transpose, Tflite, &["TRANSPOSE"]),
    (Role::Random, Tflite, &["RANDOM_STANDARD_NORMAL", "RANDOM_UNIFORM"]),
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
/// assert_eq!(role(System::Openvino, "GroupConvolution"), Some(Role::GroupConv));
/// assert_eq!(role(System::Onnx, "LSTM"), None);
/// ```
pub fn role(system: System, name: &str) -> Option<Role> {
    static ROLES: OnceLock<Vec<FxHashMap<&str, Role>>> = OnceLock::new();
    let roles = ROLES.get_or_init(|| System::ALL.into_iter().map(roles_of).collect());
    let found = roles.get(system as usize)?.get(name).copied();
    // Operators of these have more than one name.
    found.or_else(|| if matches!(system, Paddle | Pnnx) { of_row(newest(system, name)?) } else { None })
}

/// Returns the roles of the operators of a framework by name: laws ask for that of every neighbour of every node.
fn roles_of(system: System) -> FxHashMap<&'static str, Role> {
    let rows = known(system).filter_map(|row| Some((row.name(), of_row(newest(system, row.name())?)?)));
    let others = OTHERS.iter().rev().filter(|(_, of, _)| *of == system);
    let others = others.flat_map(|(role, _, names)| names.iter().map(|name| (*name, *role)));
    rows.chain(others).collect()
}

/// Returns the role of an element-wise operator.
fn of_row(row: &Row) -> Option<Role> {
    match row.kind() {
        Kind::Bias => return Some(Role::Gemm),
        Kind::Select => return Some(Role::Select),
        _ => {}
    }
    match row.choices().last()?.arithmetic {
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
        Recipe::ScaleBias => Role::Mul,
        Recipe::Erf => Role::Erf,
        Recipe::Clip | Recipe::Clamp => Role::Clip,
        Recipe::Broadcast => Role::Expand,
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
