//! Looks operators up in the tables of all frameworks.

use std::sync::OnceLock;

use broadaxe_op::OpId;
use rustc_hash::FxHashMap;

use crate::{
    activation, arithmetic::Arithmetic, framework::System, kind::Kind, ncnn, numpy, onnx, openvino, paddle, pnnx,
    row::Row, tflite,
};

/// Lists the operators of a framework that expressions call, each once per opset in which it changed.
///
/// ```
/// use broadaxe_frameworks::{System, operators};
/// let add: Vec<_> = operators(System::Onnx).filter(|row| row.name() == "Add").map(|row| row.since()).collect();
/// assert_eq!(add, [1, 6, 7, 13, 14]);
/// ```
pub fn operators(system: System) -> impl Iterator<Item = &'static Row> {
    let parts: [&'static [Row]; 2] = match system {
        System::Numpy => [numpy::NUMPY_ROWS, &[]],
        System::Onnx => [onnx::ONNX_ROWS, activation::ONNX],
        System::Openvino => [openvino::OPENVINO_ROWS, activation::OPENVINO],
        System::Ncnn => [ncnn::NCNN_ROWS, &[]],
        System::Pnnx => [pnnx::PNNX_ROWS, &[]],
        System::Paddle => [paddle::PADDLE_ROWS, &[]],
        System::Tflite => [tflite::TFLITE_ROWS, &[]],
    };
    parts.into_iter().flatten()
}

/// Lists the operators of a framework that files hold: those of [`operators`], and those that are element-wise in some of
/// their operands only, such as `Gemm` in its C.
pub fn known(system: System) -> impl Iterator<Item = &'static Row> {
    let partly: [&'static [Row]; 2] = match system {
        System::Onnx => [onnx::ONNX_PARTIAL, onnx::ONNX_CONTRIB],
        System::Pnnx => [pnnx::PNNX_PARTIAL, &[]],
        System::Paddle => [paddle::PADDLE_PARTIAL, &[]],
        System::Numpy | System::Openvino | System::Ncnn | System::Tflite => [&[], &[]],
    };
    operators(system).chain(partly.into_iter().flatten())
}

/// The rows of every name of a framework, by opset.
type Index = FxHashMap<&'static str, Vec<&'static Row>>;

fn index(system: System) -> &'static Index {
    static INDEX: OnceLock<Vec<Index>> = OnceLock::new();
    let all = INDEX.get_or_init(|| {
        let of = |system: System| {
            let mut index = Index::default();
            for row in known(system) {
                index.entry(row.name()).or_default().push(row);
            }
            for rows in index.values_mut() {
                rows.sort_by_key(|row| row.since());
            }
            index
        };
        System::ALL.into_iter().map(of).collect()
    });
    &all[system as usize]
}

/// Lists the rows of an operator, the oldest first; empty for an operator that is not element-wise. Names are those of
/// files: `pd_op.add` and `torch.add` are understood.
pub fn called(system: System, name: &str) -> &'static [&'static Row] {
    let plain = match system {
        System::Paddle => Some(name.strip_prefix("pd_op.").unwrap_or(name)).map(|n| n.strip_suffix('_').unwrap_or(n)),
        System::Pnnx => pnnx::function(name),
        _ => None,
    };
    rows(system, name).or_else(|| rows(system, plain?)).unwrap_or_default()
}

fn rows(system: System, name: &str) -> Option<&'static [&'static Row]> {
    index(system).get(name).map(Vec::as_slice)
}

/// Finds the row of an operator that holds at an opset; opsets above the newest are read as the newest.
///
/// ```
/// use broadaxe_frameworks::{System, find};
/// assert_eq!(find(System::Onnx, "Add", 6).map(|row| row.since()), Some(6));
/// assert!(find(System::Onnx, "BitwiseAnd", 17).is_none());
/// ```
pub fn find(system: System, name: &str, opset: i64) -> Option<&'static Row> {
    called(system, name).iter().rev().find(|row| row.since() <= opset.max(0)).copied()
}

/// Returns the newest row of an operator.
pub fn newest(system: System, name: &str) -> Option<&'static Row> {
    called(system, name).last().copied()
}

/// Finds the operator of a framework that computes a given operator on all its operands and dtypes, without attributes.
///
/// ```
/// use broadaxe_frameworks::{System, computing};
/// use broadaxe_op::id;
/// let relu = computing(System::Openvino, id("relu"), 17).expect("in the table");
/// assert_eq!(relu.name(), "ReLU");
/// ```
pub fn computing(system: System, op: OpId, opset: i64) -> Option<&'static Row> {
    let always = |row: &&Row| {
        let mut choices = row.choices();
        let only = choices.next().map(|choice| choice.arithmetic);
        only == Some(Arithmetic::Op(op)) && choices.next().is_none()
    };
    let mut rows = operators(system).filter(|row| row.since() <= opset).filter(always);
    rows.find(|row| find(system, row.name(), opset).is_some_and(|now| std::ptr::eq(now, *row)))
}

/// What a framework calls one of our operators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The framework.
    pub system: System,
    /// The operator.
    pub name: &'static str,
    /// The attributes that ask for it, as a call gives them: `fmod=1`; empty where none is needed.
    pub settings: String,
    /// Whether its operands are in the opposite order.
    pub swapped: bool,
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)?;
        if !self.settings.is_empty() {
            write!(f, "({})", self.settings)?;
        }
        f.write_str(if self.swapped { " with exchanged operands" } else { "" })
    }
}

/// Lists what all frameworks call one of our operators, in their newest opsets.
///
/// ```
/// use broadaxe_frameworks::names;
/// use broadaxe_op::id;
/// let all: Vec<String> = names(id("fmod")).map(|name| format!("{}.{name}", name.system.name())).collect();
/// assert!(all.contains(&"onnx.Mod(fmod=1)".to_string()), "{all:?}");
/// assert!(all.contains(&"ncnn.BinaryOp(op_type=12)".to_string()), "{all:?}");
/// ```
pub fn names(op: OpId) -> impl Iterator<Item = Name> {
    static NAMES: OnceLock<FxHashMap<OpId, Vec<Name>>> = OnceLock::new();
    let all = NAMES.get_or_init(|| {
        let mut all: FxHashMap<OpId, Vec<Name>> = FxHashMap::default();
        for system in System::ALL {
            for row in known(system) {
                let is_newest = newest(system, row.name()).is_some_and(|newest| std::ptr::eq(newest, row));
                if !is_newest || matches!(row.kind(), Kind::Bias | Kind::Affine) || row.kind().is_along_axes() {
                    continue;
                }
                for choice in row.choices() {
                    let ops: &[OpId] = match &choice.arithmetic {
                        Arithmetic::Op(op) => std::slice::from_ref(op),
                        Arithmetic::Recipe(recipe) => recipe.operators(),
                        Arithmetic::Copy | Arithmetic::Steps(_) => &[],
                    };
                    for op in ops {
                        let (name, settings) = (row.name(), choice.settings());
                        let name = Name { system, name, settings, swapped: choice.swapped };
                        let known = all.entry(*op).or_default();
                        if !known.contains(&name) {
                            known.push(name);
                        }
                    }
                }
            }
        }
        all
    });
    all.get(&op).into_iter().flatten().cloned()
}

/// Operators that people look for here and that are not element-wise.
const ELSEWHERE: &[&str] = &[
    "ArgMax",
    "ArgMin",
    "Attention",
    "AveragePool",
    "BatchNormalization",
    "Concat",
    "Conv",
    "Convolution",
    "CumSum",
    "Einsum",
    "FullyConnected",
    "Gather",
    "Gemm",
    "GlobalAveragePool",
    "InnerProduct",
    "LayerNormalization",
    "LogSoftmax",
    "MVN",
    "MatMul",
    "MaxPool",
    "NormalizeL2",
    "Pad",
    "Permute",
    "RMSNormalization",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceSum",
    "Reshape",
    "Slice",
    "Softmax",
    "Split",
    "Squeeze",
    "SwiGLU",
    "Tile",
    "Transpose",
    "Unsqueeze",
    "matmul",
    "matmul_v2",
    "reshape",
    "softmax",
    "transpose",
];

/// Says whether a name is that of a well-known operator that is not element-wise.
pub fn is_elsewhere(name: &str) -> bool {
    ELSEWHERE.contains(&name)
}
