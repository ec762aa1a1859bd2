//! Constants of higher rank than the data, which add axes of 1 to the result.
//!
//! A pass that makes one operator of several nodes gives the result the shape of the data, and the axes are lost: those
//! for Gelu, `HSwish`, `HSigmoid`, `SoftPlus`, Swish, Clamp, `LeakyRelu`, `MVN`, and the ones that make a difference or a
//! quotient of a sum or a product (`src/common/transformations/src/transformations/common_optimizations/`). So does the one
//! that moves an element-wise node with a constant of one element before a `Transpose` or a `Reshape`
//! (`MoveEltwiseUpThroughDataMov`).

use std::sync::LazyLock;

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, fits, numbers},
    pattern::{self, Pattern},
};
use crate::graph::{Node, ValueId};

const LOST: &str = "makes one operator of these nodes, whose result lacks the axes that only a constant has";

/// What becomes one operator.
static FORMS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let texts = [
        // Gelu, by the error function and by tanh.
        "Mul(Mul(x,Add(Erf(Div(x,#1.41421356)),#1)),#0.5)",
        "Mul(Mul(x,#0.5),Add(Erf(Div(x,#1.41421356)),#1))",
        "Mul(x,Mul(Add(Erf(Div(x,#1.41421356)),#1),#0.5))",
        "Mul(Mul(x,Add(Erf(Mul(x,#0.70710678)),#1)),#0.5)",
        "Mul(Mul(x,#0.5),Add(Erf(Mul(x,#0.70710678)),#1))",
        "Mul(x,Mul(Add(Erf(Mul(x,#0.70710678)),#1),#0.5))",
        "Mul(x,Mul(Add(Tanh(Mul(Add(x,Mul(Pow(x,#3),#0.044715)),#0.79788456)),#1),#0.5))",
        "Mul(Mul(x,#0.5),Add(Tanh(Mul(Add(x,Mul(Pow(x,#3),#0.044715)),#0.79788456)),#1))",
        // HSwish and HSigmoid.
        "Div(Mul(x,Clip(Add(x,#3))),=6)",
        "Mul(x,Div(Clip(Add(x,#3)),#6))",
        "Div(Mul(x,Min(Relu(Add(x,#3)),#6)),#6)",
        "Mul(x,Div(Min(Relu(Add(x,#3)),#6),#6))",
        "Div(Clip(Add(x,#3)),#6)",
        "Div(Min(Relu(Add(x,#3)),#6),#6)",
        "Mul(Mul(x,Clip(Add(x,#3))),=0.16666667)",
        "Mul(x,Mul(Clip(Add(x,#3)),#0.16666667))",
        "Mul(Mul(x,Min(Relu(Add(x,#3)),#6)),#0.16666667)",
        "Mul(x,Mul(Min(Relu(Add(x,#3)),#6),#0.16666667))",
        "Mul(Clip(Add(x,#3)),#0.16666667)",
        "Mul(Min(Relu(Add(x,#3)),#6),#0.16666667)",
        // SoftPlus and Swish.
        "Log(Add(Exp(x),#1))",
        "Mul(x,Sigmoid(Mul(x,@)))",
        "Div(x,Add(Exp(Neg(x)),#1))",
        // Clamp and LeakyRelu.
        "Min(!Max(x,#),#)",
        "Max(!Min(x,#),#)",
        "Max(x,Mul(x,#))",
        // Differences and quotients.
        "Add(Mul(x,#-1),y)",
        "Mul(x,Pow(y,#-1))",
        // PRelu.
        "Sub(Relu(x),Mul(Relu(Mul(x,@-1)),_))",
        "Add(Relu(x),Mul(Relu(Mul(x,@-1)),_))",
        "Add(Relu(x),Mul(Mul(Sub(x,Abs(x)),_),@0.5))",
        // Normalisations.
        "Div(Sub(x,Mean(x)),Sqrt(Add(Mean(Pow(Sub(x,Mean(x)),#2)),@)))",
    ];
    texts.iter().filter_map(|text| Pattern::read(text)).collect()
});

/// Root mean squares and lengths, of which it depends on more than is known here whether they become one operator.
static DOUBTFUL: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let mut texts = Vec::new();
    for square in ["Pow(x,#2)", "Mul(x,x)"] {
        for fold in ["Mean", "SumOf"] {
            for bounded in ["Add", "Max"] {
                let root = format!("Sqrt({bounded}({fold}({square}),*))");
                let divided = [
                    format!("Div(x,{root})"),
                    format!("Mul(x,Div(#1,{root}))"),
                    format!("Mul(x,Reciprocal({root}))"),
                    format!("Mul(x,Pow({bounded}({fold}({square}),*),#-0.5))"),
                ];
                texts.extend(divided.iter().map(|divided| format!("Mul({divided},*)")));
                texts.extend(divided);
            }
        }
    }
    texts.iter().filter_map(|text| Pattern::read(text)).collect()
});

/// Finds constants of higher rank that lose axes.
pub(super) fn lost(asked: &Asked<'_>) -> Option<Does> {
    let (constant, data, second) = asked.split(asked.node)?;
    let (own, dims) = (asked.sizes(constant)?, asked.form(data)?);
    let rank = dims.rank()?;
    let longer = own.len() > rank || !dims.known().is_some_and(|dims| fits(&own, &dims));
    if !longer {
        return None;
    }
    let garbled = |found: &pattern::Match| {
        // The axes are lost where no value has them.
        let values = found.values.iter().flatten().filter_map(|value| asked.form(*value));
        let most = values.clone().filter_map(|shape| shape.rank()).max().unwrap_or(0);
        let stretched = values.filter_map(|shape| shape.known()).all(|shape| !fits(&own, &shape));
        own.len() > most || stretched
    };
    if let Some((_, found)) = pattern::find(asked, &FORMS, constant) {
        return garbled(&found).then(|| Does::Garbled(LOST.into()));
    }
    if let Some((_, found)) = pattern::find(asked, &DOUBTFUL, constant) {
        let text = "may make one operator of a root mean square, whose result lacks the axes that only a constant has";
        return garbled(&found).then(|| Does::Unknown(text.into()));
    }
    let one = own.iter().all(|size| *size == 1) && own.len() > rank && second;
    (one && moves(asked, data)).then(|| {
        Does::Garbled(
            "moves the node before one that rearranges elements, and drops the axes that only the constant has".into(),
        )
    })
}

/// Says whether the node is moved before one that rearranges elements.
fn moves(asked: &Asked<'_>, mut value: ValueId) -> bool {
    let arithmetic =
        matches!(asked.op(asked.node), Some(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min | Op::Pow));
    for _ in 0..REACH {
        if !arithmetic || !asked.is_single(value) {
            return false;
        }
        let Some((node, kind)) = asked.maker(value) else { return false };
        let next = match kind {
            Op::Move if is_copy(asked, node) => node.input(0),
            Op::Move => return true,
            Op::Relu | Op::Neg | Op::Tanh | Op::Sigmoid | Op::Abs | Op::Sqrt | Op::Exp | Op::Simple | Op::Clip => {
                node.input(0)
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min | Op::Pow => {
                asked.split(node).and_then(|(constant, data, second)| {
                    let one = asked.sizes(constant)?.iter().all(|size| *size == 1);
                    (one && second).then_some(data)
                })
            }
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => return false,
        }
    }
    false
}

/// Says whether a node that rearranges elements leaves all where they are.
fn is_copy(asked: &Asked<'_>, node: &Node) -> bool {
    let sizes = |value: Option<ValueId>| value.and_then(|value| asked.sizes(value));
    let (data, result) = (sizes(node.input(0)), sizes(node.output(0)));
    let order = numbers(node, "perm").is_some_and(|order| order.iter().copied().eq(0..order.len() as i64));
    let still =
        node.op != "Transpose" && node.op != "Gather" || order || data.as_ref().is_some_and(|dims| dims.len() < 2);
    data.is_some() && data == result && still
}
