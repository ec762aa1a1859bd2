//! Describes how the operands of an operator broadcast, and where they come from.

use crate::rule::RuleBy;

/// Sorts element-wise operators by how their operands broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// One operand; nothing broadcasts.
    Unary,
    /// Two operands: `Add`, `Less`, `BinaryOp`.
    Binary,
    /// Any number of operands: `Max`, `Sum`, `Eltwise`.
    Many,
    /// Condition, then, else: `Where`, `Select`.
    Select,
    /// Data and a slope that stretches to it: `PRelu`.
    Slope,
    /// Data and two scalars: `Clip`.
    Bounds,
    /// Data and four limits that stretch to it: `FakeQuantize`.
    Quantize,
    /// One operand that stretches to a shape: `Expand`, `Broadcast`.
    Stretch,
    /// A product and what is added to it: `Gemm`.
    Bias,
    /// Data and what scales and shifts it after a normalisation: `LayerNormalization`.
    Affine,
    /// Data and lists along one of its axes: `DequantizeLinear`.
    Lists,
    /// Data and tensors of its rank with one entry per block of the data: `DequantizeLinear` with `block_size`.
    Blocks,
    /// Data and lists of one length along one of its axes, of which those for a product of integers may be
    /// single numbers: `BatchNormalization`, the bias of `Conv`, the scale of weights in `QLinearConv`.
    Lengths,
    /// Scores of an attention and the mask that stretches to them: `Attention`.
    Mask,
    /// Data and what broadcasts inside an operator that ONNX Runtime adds to ONNX: `SkipLayerNormalization`.
    Contrib,
    /// Data and numbers per channel that the layer holds itself: ncnn's `PReLU`, `Scale` and `Bias`.
    Channel,
}

impl Kind {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::Unary,
        Self::Binary,
        Self::Many,
        Self::Select,
        Self::Slope,
        Self::Bounds,
        Self::Quantize,
        Self::Stretch,
        Self::Bias,
        Self::Affine,
        Self::Lists,
        Self::Blocks,
        Self::Lengths,
        Self::Mask,
        Self::Contrib,
        Self::Channel,
    ];

    /// Returns the kind that the letters of a row stand for; rows of other kinds say so themselves.
    pub(crate) const fn of(operands: &str, rule: &RuleBy) -> Self {
        let letters = operands.as_bytes();
        match (rule, letters) {
            (RuleBy::Alone, _) | (_, [_]) => Self::Unary,
            (_, [b'B', b'T', b'T']) => Self::Select,
            (_, [_, b'*']) => Self::Many,
            _ => Self::Binary,
        }
    }

    /// Returns the least number of operands of an operator of this kind.
    pub fn operands(self) -> usize {
        match self {
            Self::Unary => 0,
            Self::Many | Self::Stretch => 1,
            Self::Binary
            | Self::Slope
            | Self::Bias
            | Self::Affine
            | Self::Lists
            | Self::Blocks
            | Self::Lengths
            | Self::Mask
            | Self::Contrib
            | Self::Channel => 2,
            Self::Select | Self::Bounds => 3,
            Self::Quantize => 5,
        }
    }

    /// Says whether an operator works along axes of its data, with lists, blocks or a mask for them, or does so in one runtime
    /// only. A law speaks of such nodes only where it names their kind.
    pub fn is_along_axes(self) -> bool {
        matches!(self, Self::Lists | Self::Blocks | Self::Lengths | Self::Mask | Self::Contrib)
    }

    /// Says whether operands broadcast: there are two or more, or one that stretches to a shape.
    pub fn broadcasts(self) -> bool {
        !matches!(self, Self::Unary | Self::Channel)
    }
}

/// Says where the operands of an operator come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wiring {
    /// From its inputs, in order.
    Inputs,
    /// From the product that it computes first, and from those of these inputs that are given.
    Product {
        /// The inputs.
        terms: &'static [usize],
    },
    /// From its first input, whose channels it divides into groups, and from the other inputs, along the groups.
    Groups {
        /// The attribute that counts the groups.
        count: &'static str,
    },
    /// From the scores that it computes first, of queries and keys, and from this input.
    Scores {
        /// The input.
        mask: usize,
    },
    /// From its data, and from those of these inputs that are given.
    Inside {
        /// What the data are.
        data: Inner,
        /// The inputs.
        terms: &'static [usize],
        /// Those of them that are lists with one number for each entry of the last axis, and never repeat.
        lists: &'static [usize],
    },
    /// From its first input, and from a list of numbers that the layer holds itself.
    Held {
        /// The attribute that counts the numbers.
        count: &'static str,
        /// What its absence means.
        absent: i64,
        /// The count with which the second input replaces the list, if it can.
        from_input: Option<i64>,
        /// How many numbers the layer reads.
        reads: Reads,
    },
}

/// Says what the data of an operator are that broadcasts inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inner {
    /// The first input.
    Input,
    /// The product that it computes first.
    Product,
    /// The scores that it computes first, of queries and keys.
    Scores,
}

/// Says how many numbers a layer reads from its list; it does not look how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reads {
    /// One for all channels if the list has one number, else one for each channel.
    OneOrEach,
    /// One for each channel.
    Each,
    /// One for each channel of rank 3 and 4, one for all of rank 1 and 2.
    EachOfImages,
}

impl Reads {
    /// Says whether a list of this length is what the layer reads for data of this shape, slowest axis first.
    pub fn accepts(self, length: usize, shape: &[usize]) -> bool {
        let channels = shape.first().copied().unwrap_or(1);
        match self {
            Self::OneOrEach => length == 1 || length == channels,
            Self::Each => length == channels,
            Self::EachOfImages => length == if shape.len() < 3 { 1 } else { channels },
        }
    }

    /// Describes the lengths that it accepts, for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::OneOrEach => "one number, or one for each entry of the first axis",
            Self::Each => "one number for each entry of the first axis",
            Self::EachOfImages => {
                "one number for each entry of the first axis, or a single one for data of rank 1 and 2"
            }
        }
    }
}
