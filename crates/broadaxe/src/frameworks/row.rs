//! One row of a framework's table, and the short words with which tables are written.

use broadaxe_kernels::DType;

use super::call::Call;
use crate::{error::Error, graph::Node};

use DType::{BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

pub(super) const BOOL: &[DType] = &[Bool];
pub(super) const FLOATS: &[DType] = &[F16, BF16, F32, F64];
pub(super) const INTEGERS: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64];
pub(super) const BITS: &[DType] = &[Bool, I8, I16, I32, I64, U8, U16, U32, U64];
pub(super) const NUMBERS: &[DType] = &[I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64];
pub(super) const ANY: &[DType] = &DType::ALL;

/// Describes an operator of a framework, from one opset on.
pub struct Row {
    name: &'static str,
    since: i64,
    operands: &'static str,
    dtypes: &'static [DType],
    pub(super) second: &'static [DType],
    attributes: &'static [Attr],
    pub(super) way: Way,
    pub(super) build: Build,
}

/// Describes an attribute: its name, what it takes, and what its absence means.
#[derive(Clone, Copy, Debug)]
pub struct Attr {
    /// The name.
    pub name: &'static str,
    /// What it takes.
    pub values: Values,
    /// What its absence means, as it would be written; empty if it must be given.
    pub default: &'static str,
}

/// What an attribute takes.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// A whole number.
    Int,
    /// `True`, `False`, 1 or 0.
    Flag,
    /// A number.
    Float,
    /// One of these texts.
    Words(&'static [&'static str]),
    /// A list of whole numbers.
    Ints,
    /// The name of a dtype, or the framework's number for it.
    DType,
}

/// Where an operator's rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// No second operand, or none that broadcasts.
    Alone,
    /// Always the rule of this name.
    Rule(&'static str),
    /// `broadcast` and `axis` of ONNX before opset 7.
    Legacy,
    /// `auto_broadcast` and `axis` of OpenVINO.
    Auto,
    /// `axis` of Paddle.
    Paddle,
    /// `mode` and its companions; the row's function asks for it.
    Mode(&'static str),
}

/// Which of our operators an operator is.
#[derive(Clone, Copy)]
pub(super) enum Build {
    /// This one.
    Op(&'static str),
    /// The first on floats, the second on integers.
    Kinds(&'static str, &'static str),
    /// What a function builds; the text says so in short.
    Nodes(&'static str, fn(&mut Call<'_>) -> Result<Node, Error>),
}

/// Starts a row. A letter per operand: `T` the row's dtypes, all alike; `S` the second dtypes; `B` bool; `X` anything.
/// `?` after a letter: may be left out; `*` at the end: any number.
pub(super) const fn row(
    name: &'static str,
    since: i64,
    operands: &'static str,
    dtypes: &'static [DType],
    way: Way,
    build: Build,
) -> Row {
    Row { name, since, operands, dtypes, second: &[], attributes: &[], way, build }
}

pub(super) const fn attr(name: &'static str, values: Values, default: &'static str) -> Attr {
    Attr { name, values, default }
}

impl Row {
    pub(super) const fn with(mut self, attributes: &'static [Attr]) -> Self {
        self.attributes = attributes;
        self
    }

    pub(super) const fn second(mut self, dtypes: &'static [DType]) -> Self {
        self.second = dtypes;
        self
    }

    /// Returns the name, as the framework spells it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the first opset this row holds for; 0 in frameworks without opsets.
    pub fn since(&self) -> i64 {
        self.since
    }

    /// Returns the dtypes it takes.
    pub fn dtypes(&self) -> &'static [DType] {
        self.dtypes
    }

    /// Returns its own attributes; those of its broadcast come from its rule.
    pub fn attributes(&self) -> &'static [Attr] {
        self.attributes
    }

    /// Lists all its attributes, those of its broadcast included.
    pub fn all_attributes(&self) -> impl Iterator<Item = Attr> {
        self.attributes.iter().chain(self.way.attributes()).copied()
    }

    /// Returns the least and the greatest number of operands.
    pub fn operands(&self) -> (usize, usize) {
        let letters = self.operands.bytes().filter(u8::is_ascii_alphabetic).count();
        let optional = self.operands.bytes().filter(|byte| *byte == b'?').count();
        (letters - optional, if self.operands.ends_with('*') { usize::MAX } else { letters })
    }

    /// Returns the letter of an operand.
    pub(super) fn letter(&self, operand: usize) -> u8 {
        let mut letters = self.operands.bytes().filter(u8::is_ascii_alphabetic);
        letters.nth(operand).unwrap_or(b'T')
    }

    /// Returns the rule it broadcasts by, or where the rule comes from; `-` where nothing broadcasts.
    pub fn rule(&self) -> &'static str {
        match self.way {
            Way::Alone => "-",
            Way::Rule(name) | Way::Mode(name) => name,
            Way::Legacy => "none, or onnx-legacy by broadcast=1",
            Way::Auto => "none, numpy or pdpd by auto_broadcast",
            Way::Paddle => "paddle",
        }
    }

    /// Returns our operator, or in short what is built of several.
    pub fn operator(&self) -> String {
        match self.build {
            Build::Op(name) | Build::Nodes(name, _) => name.to_string(),
            Build::Kinds(floats, integers) => format!("{floats}, on integers {integers}"),
        }
    }
}

impl Way {
    fn attributes(self) -> &'static [Attr] {
        match self {
            Self::Legacy => const { &[attr("broadcast", Values::Flag, "0"), attr("axis", Values::Int, "suffix")] },
            Self::Auto => {
                const {
                    &[
                        attr("auto_broadcast", Values::Words(&["numpy", "none", "explicit", "pdpd"]), "numpy"),
                        attr("axis", Values::Int, "-1"),
                        attr("auto_broadcast_axis", Values::Int, "-1"),
                    ]
                }
            }
            Self::Paddle => const { &[attr("axis", Values::Int, "-1")] },
            Self::Alone | Self::Rule(_) | Self::Mode(_) => &[],
        }
    }
}
