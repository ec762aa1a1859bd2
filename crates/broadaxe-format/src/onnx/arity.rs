//! How many inputs and outputs the operators of the standard domain have, in the widest of their versions.

use std::{collections::HashMap, sync::OnceLock};

/// The newest version of the standard domain that this is written for.
pub(super) const NEWEST: i64 = 28;
/// No end.
const ANY: usize = usize::MAX;

/// Least and most inputs, least and most outputs, and the operators.
type Arity = (usize, usize, usize, usize, &'static str);

/// From the operators' pages of ONNX 1.23.
static ARITIES: &[Arity] = &[
    (0, 0, 1, 1, "Constant RandomNormal RandomUniform SequenceEmpty"),
    (0, 1, 1, 1, "Optional OptionalHasElement"),
    (1, 1, 1, 1, "Abs Acos Acosh ArgMax ArgMin Asin Asinh Atan Atanh AveragePool Bernoulli BitCast BitwiseNot"),
    (1, 1, 1, 1, "BlackmanWindow Cast Ceil Celu ConcatFromSequence ConstantOfShape Cos Cosh DepthToSpace Det Elu Erf"),
    (1, 1, 1, 1, "Exp EyeLike Flatten Floor Gelu"),
    (1, 1, 1, 1, "GlobalAveragePool GlobalLpPool GlobalMaxPool HammingWindow HannWindow"),
    (1, 1, 1, 1, "HardSigmoid HardSwish Hardmax Identity ImageDecoder IsInf IsNaN LRN LeakyRelu Log LogSoftmax"),
    (1, 1, 1, 1, "LpNormalization LpPool MeanVarianceNormalization Mish"),
    (1, 1, 1, 1, "Multinomial Neg NonZero Not OptionalGetElement"),
    (1, 1, 1, 1, "RandomNormalLike RandomUniformLike Reciprocal RegexFullMatch Relu Round Selu SequenceLength Shape"),
    (1, 1, 1, 1, "Shrink Sigmoid Sign Sin Sinh Size"),
    (1, 1, 1, 1, "Softmax Softplus Softsign SpaceToDepth Sqrt StringNormalizer Swish"),
    (1, 1, 1, 1, "Tan Tanh TfIdfVectorizer ThresholdedRelu Transpose"),
    (1, 1, 1, 2, "MaxPool"),
    (1, 1, 1, 4, "Unique"),
    (1, 1, 1, ANY, "If"),
    (1, 1, 2, 2, "StringSplit"),
    (1, 1, 3, 3, "DynamicQuantizeLinear"),
    (1, 2, 1, 1, "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"),
    (1, 2, 1, 1, "ReduceSumSquare Reshape SequenceErase SplitToSequence Squeeze Trilu Unsqueeze Upsample"),
    (1, 2, 1, ANY, "Split"),
    (1, 2, 2, 2, "TopK"),
    (1, 3, 1, 1, "Clip DFT"),
    (1, 3, 1, 2, "Dropout"),
    (1, 4, 1, 1, "Pad Resize"),
    (1, 5, 1, 1, "Slice"),
    (1, ANY, 1, 1, "Concat Einsum Max Mean Min SequenceConstruct Sum"),
    (1, ANY, 1, ANY, "Scan SequenceMap"),
    (2, 2, 1, 1, "Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor CastLike CenterCropPad Compress CumProd"),
    (2, 2, 1, 1, "CumSum Div Equal Expand Gather GatherElements GatherND Greater GreaterOrEqual GridSample Less"),
    (2, 2, 1, 1, "LessOrEqual MatMul MaxRoiPool Mod Mul Or PRelu Pow RMSNormalization ReverseSequence SequenceAt"),
    (2, 2, 1, 1, "StringConcat Sub SwiGLU Xor"),
    (2, 3, 1, 1, "Conv ConvTranspose DequantizeLinear Gemm MaxUnpool NegativeLogLikelihoodLoss QuantizeLinear"),
    (2, 3, 1, 1, "SequenceInsert TensorScatter"),
    (2, 3, 1, 2, "SoftmaxCrossEntropyLoss"),
    (2, 3, 1, 3, "LayerNormalization"),
    (2, 3, 1, 1, "Tile"),
    (2, 4, 1, 1, "ConvInteger MatMulInteger STFT"),
    (2, 4, 2, 2, "CausalConvWithState"),
    (2, 5, 1, 1, "NonMaxSuppression"),
    (2, ANY, 1, ANY, "Loop"),
    (3, 3, 1, 1, "Col2Im GroupNormalization InstanceNormalization OneHot"),
    (3, 3, 1, 1, "Range RoiAlign Scatter ScatterElements ScatterND"),
    (3, 3, 1, 1, "Where"),
    (3, 4, 1, 1, "RotaryEmbedding"),
    (3, 5, 1, 1, "DeformConv"),
    (3, 6, 0, 2, "GRU RNN"),
    (3, 6, 2, 2, "LinearAttention"),
    (3, 7, 1, 4, "Attention"),
    (3, 8, 0, 3, "LSTM"),
    (5, 5, 1, 1, "MelWeightMatrix"),
    (5, 5, 1, 5, "BatchNormalization"),
    (8, 8, 1, 1, "QLinearMatMul"),
    (8, 9, 1, 1, "QLinearConv"),
];

/// Checks the numbers of inputs and outputs of an operator; returns the error, if any. Unknown operators pass.
pub(super) fn wrong(op: &str, inputs: usize, outputs: usize) -> Option<String> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Arity>> = OnceLock::new();
    let by_name =
        BY_NAME.get_or_init(|| ARITIES.iter().flat_map(|row| row.4.split(' ').map(move |name| (name, row))).collect());
    let &&(least_in, most_in, least_out, most_out, _) = by_name.get(op)?;
    let range = |least: usize, most: usize| match most {
        ANY => format!("at least {least}"),
        _ if least == most => least.to_string(),
        _ => format!("{least} to {most}"),
    };
    if !(least_in..=most_in).contains(&inputs) {
        return Some(format!("{op} needs {} inputs, not {inputs}", range(least_in, most_in)));
    }
    let fits = (least_out..=most_out).contains(&outputs);
    (!fits).then(|| format!("{op} has {} outputs, not {outputs}", range(least_out, most_out)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        // operator, inputs, outputs, what is said
        let cases = [
            ("Add", 2, 1, None),
            ("Add", 3, 1, Some("Add needs 2 inputs, not 3")),
            ("Add", 2, 0, Some("Add has 1 outputs, not 0")),
            ("Sum", 0, 1, Some("Sum needs at least 1 inputs, not 0")),
            ("Sum", 100, 1, None),
            ("Clip", 4, 1, Some("Clip needs 1 to 3 inputs, not 4")),
            ("Where", 3, 1, None),
            ("Unheard", 17, 0, None),
        ];
        for (op, inputs, outputs, want) in cases {
            assert_eq!(wrong(op, inputs, outputs).as_deref(), want);
        }
    }

    #[test]
    fn every_operator_stands_once() {
        let mut names: Vec<_> = ARITIES.iter().flat_map(|row| row.4.split(' ')).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), count), (203, 203));
    }
}
