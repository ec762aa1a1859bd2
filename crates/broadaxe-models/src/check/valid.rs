//! Checks that a node is valid in its own format: attribute values, element types and opset.
//!
//! What a file says of a node can be wrong before any target is asked: floats for `And`, two element types for `Add`,
//! `fmod=7`. The rows of the frameworks say what is allowed. Element types are checked for ONNX and OpenVINO, whose
//! specifications list them and whose engines refuse others.

use broadaxe_frameworks::{OperandType, Row, System};
use broadaxe_kernels::DType;

use super::{Verdict, verdict::Judged};
use crate::{
    attributes::Written,
    code,
    graph::{Element, Model, Node, NodeId},
    infer::Shapes,
    meaning::{Kind, Meaning, Source, blocks, row},
};

/// Says why no verdict on a node can be given as for others.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Invalid {
    /// Its own format does not allow it, for this reason.
    Wrong(String),
    /// The shape that the file declares for its result is not the one that it has.
    Declared(String),
    /// It is not known what its format allows, for this reason.
    Unknown(String),
}

impl Invalid {
    /// Makes the verdict, which is the same for every target.
    pub(super) fn judged(self) -> Judged {
        match self {
            Self::Wrong(why) => {
                let text = format!("the model is wrong by the rules of its own format: {why}");
                Judged::of(Verdict::Refused, &code::INVALID_NODE, text)
            }
            Self::Declared(why) => {
                let text = format!("the model contradicts itself: {why}; correct or remove the declaration");
                Judged::of(Verdict::Refused, &code::INVALID_SHAPE, text)
            }
            Self::Unknown(why) => Judged::of(Verdict::Unknown, &code::UNREADABLE_NODE, why),
        }
    }
}

/// Checks a node against its row; `meaning` is nothing where it cannot be read.
pub(super) fn invalid(model: &Model, shapes: &Shapes, id: NodeId, meaning: Option<&Meaning>) -> Option<Invalid> {
    let node = model.node(id);
    let row = row(model, node)?.ok()?;
    let newest = model.system.newest_opset();
    if let Some(newest) = newest.filter(|newest| node.version > *newest) {
        let text = format!("it is of opset {}, and the newest that is known is {newest}", node.version);
        return Some(Invalid::Unknown(text));
    }
    let written = Written::new(model, node, row);
    let wrong = row.check_attributes(&written).and_then(|()| row.check_choice(&written)).err();
    if let Some(wrong) = wrong {
        return Some(Invalid::Wrong(format!("{}: {wrong}", node.op)));
    }
    let meaning = meaning?;
    if let Some(wrong) = blocks::wrong(meaning, &meaning.shapes(node, shapes)) {
        return Some(Invalid::Wrong(format!("{}: {wrong}", node.op)));
    }
    types(model, shapes, node, row, meaning)
}

/// Returns the type of the elements of an operand, where a value of the model has them and it is known.
fn element<'a>(shapes: &'a Shapes, node: &Node, source: &Source) -> Option<&'a Element> {
    shapes.of.get(source.value(node)?.0 as usize)?.element.as_ref()
}

/// Checks the element types of the operands.
fn types(model: &Model, shapes: &Shapes, node: &Node, row: &'static Row, meaning: &Meaning) -> Option<Invalid> {
    if !matches!(model.system, System::Onnx | System::Openvino)
        || meaning.kind == Kind::Affine
        || meaning.kind.is_along_axes()
    {
        return None;
    }
    let mut shared: Option<(usize, DType)> = None;
    for (at, source) in meaning.operands.iter().enumerate() {
        let Some(element) = element(shapes, node, source) else { continue };
        let Element::Known(dtype) = element else {
            return Some(Invalid::Unknown(format!("its operand {at} has elements of the type {element}")));
        };
        let allowed: &[DType] = match row.operand(at) {
            OperandType::Any => continue,
            OperandType::Bool => &[DType::Bool],
            OperandType::OneOf(dtypes) | OperandType::Shared(dtypes) => dtypes,
        };
        if !allowed.contains(dtype) {
            let accepted = allowed.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ");
            return Some(Invalid::Wrong(format!("{} accepts {accepted} as operand {at}, not {dtype}", node.op)));
        }
        if matches!(row.operand(at), OperandType::Shared(_)) {
            match shared {
                Some((first, other)) if other != *dtype => {
                    let text = format!(
                        "{} needs operands of one element type; operand {first} is {other} and operand {at} {dtype}",
                        node.op
                    );
                    return Some(Invalid::Wrong(text));
                }
                _ => shared = shared.or(Some((at, *dtype))),
            }
        }
    }
    let (_, dtype) = shared?;
    let defined = row.arithmetic(dtype, &Written::new(model, node, row));
    defined.err().map(|why| Invalid::Wrong(format!("{}: {why}", node.op)))
}
