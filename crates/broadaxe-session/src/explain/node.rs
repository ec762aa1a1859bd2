//! Explains a node of a model: how it broadcasts, and where its sizes come from.

use broadaxe_models::{
    Model, NodeId,
    infer::{Origin, Shapes},
    meaning::{Meaning, Source, meaning, shape_fault},
    report::{dims, node_name, origin_text},
};
use broadaxe_shape::{Rule, SymbolicShape};
use serde_json::{Value, json};

use crate::{
    error::{Error, ErrorKind, quoted},
    model::{Loaded, open_sizes},
};

/// A node of a model.
#[derive(Debug)]
pub struct NodeExplained {
    /// The model's file.
    pub model: String,
    /// The name of the node.
    pub name: String,
    /// Its operator.
    pub op: String,
    /// The place in the file.
    pub place: String,
    /// Its operands.
    pub operands: Vec<NodeOperand>,
    /// What is wrong with the shapes, where something is.
    pub fault: Option<String>,
    /// The axis that is divided in two, where the node has blocks.
    pub blocks: Option<BlockAxis>,
}

/// An operand of a node.
#[derive(Debug)]
pub struct NodeOperand {
    /// The name of the tensor, escaped, or what is in its place.
    pub tensor: String,
    /// Its shape.
    pub shape: SymbolicShape,
    /// Where the shape is known from.
    pub origin: String,
}

/// An axis that is divided in two: blocks, and the entries of each.
#[derive(Debug)]
pub struct BlockAxis {
    /// The axis.
    pub axis: usize,
    /// The entries of a block.
    pub size: usize,
    /// The entries of the last block, where they are fewer.
    pub last: Option<usize>,
}

/// A node, and what broadcasts in it.
pub(super) struct NodeBroadcast {
    pub(super) node: NodeExplained,
    /// The rule with its parameters.
    pub(super) rule: Rule,
    /// The shapes of its operands.
    pub(super) shapes: Vec<SymbolicShape>,
    /// The shape of its result, where the rule asks for it and a dim of it is open.
    pub(super) target: Option<SymbolicShape>,
}

pub(super) fn explained(loaded: &Loaded, id: NodeId) -> Result<NodeBroadcast, Error> {
    let wrong = |text: String| Error::new(ErrorKind::Shape, text).of(&loaded.path);
    let Loaded { model, shapes, path } = loaded;
    let (node, name) = (model.node(id), node_name(model, id));
    let title = || format!("{} ({})", quoted(&name), quoted(&node.op));
    let meaning = meaning(model, id)
        .ok_or_else(|| wrong(format!("{} has no operands that are known to broadcast", title())))?
        .map_err(|reason| wrong(format!("{}: {reason}", title())))?;
    let mut known = meaning.shapes(node, shapes);
    let operands = known.iter().enumerate().map(|(k, shape)| {
        let (tensor, origin) = operand(model, shapes, id, &meaning, k);
        NodeOperand { tensor, shape: shape.clone(), origin }
    });
    let operands = operands.collect();
    let output = node.output(0);
    let result = output.map(|value| shapes.of[value.0 as usize].shape.clone());
    let rule = meaning.rule(result.as_ref().and_then(SymbolicShape::known).unwrap_or_default().dims());
    let target = result.filter(|result| rule.def().target && result.known().is_none());
    if let (Some(target), Some(output)) = (&target, output)
        && target.dims().is_none()
    {
        return Err(open_sizes(loaded, &[output]).unwrap_or_else(|| wrong(format!("{}: its result is open", title()))));
    }
    let blocks = in_blocks(&meaning, &mut known);
    let rule = if blocks.is_some() { Rule::numpy() } else { rule };
    let (op, place, fault) = (node.op.clone(), node.place.clone(), shape_fault(model, shapes, id));
    let node = NodeExplained { model: path.display().to_string(), name, op, place, operands, fault, blocks };
    Ok(NodeBroadcast { node, rule, shapes: known, target })
}

/// Divides the axis of a node with blocks in two, so that each block is a row of the drawing.
fn in_blocks(meaning: &Meaning, shapes: &mut [SymbolicShape]) -> Option<BlockAxis> {
    let (axis, size) = meaning.blocks()?;
    let (data, lists) = shapes.split_first_mut()?;
    let mut dims = data.known()?.to_vec();
    let axis = if axis < 0 { axis + dims.len() as i64 } else { axis };
    let axis = usize::try_from(axis).ok().filter(|axis| *axis < dims.len())?;
    let size = usize::try_from(size).ok().filter(|size| *size > 0)?;
    let last = dims[axis] % size;
    dims.splice(axis..=axis, [dims[axis].div_ceil(size), size]);
    *data = SymbolicShape::from(dims.as_slice());
    for list in lists {
        let mut own = list.known()?.to_vec();
        own.insert((axis + 1).min(own.len()), 1);
        *list = SymbolicShape::from(own.as_slice());
    }
    Some(BlockAxis { axis, size, last: (last > 0).then_some(last) })
}

/// Names an operand and says where its shape is known from.
fn operand(model: &Model, shapes: &Shapes, id: NodeId, meaning: &Meaning, k: usize) -> (String, String) {
    let node = model.node(id);
    let value = match meaning.operands[k] {
        Source::Input(input) => node.input(input),
        Source::Result => node.output(0),
        Source::Groups(_) => node.input(0),
        Source::Scores => return ("the scores".into(), "of queries and keys".into()),
        Source::Scalar => return ("a number".into(), "written in the node".into()),
        Source::Held(_) => return ("the layer's own numbers".into(), "written in the node".into()),
    };
    let Some(value) = value else { return ("nothing".into(), "left out".into()) };
    let origin = shapes.of.get(value.0 as usize).map(|known| &known.origin);
    let unknown = Origin::Unknown("it was not looked at".into());
    (quoted(&model.value(value).name), origin_text(model, origin.unwrap_or(&unknown)))
}

impl NodeExplained {
    /// Returns what is printed as JSON.
    pub(super) fn record(&self) -> Value {
        let Self { name, op, place, operands, .. } = self;
        let operands = operands.iter().map(|operand| {
            let NodeOperand { tensor, shape, origin } = operand;
            json!({ "tensor": tensor, "shape": dims(shape), "origin": origin })
        });
        json!({ "node": name, "op": op, "place": place, "operands": operands.collect::<Vec<_>>() })
    }
}
