//! Writes `Where(c, x, y)` as `Where(Not(c), y, x)`, for runtimes that read one branch in fewer ways than the other.

use broadaxe_frameworks::{Row, System, computing};
use broadaxe_kernels::id;

use super::Step;
use crate::{
    copied::Copied,
    edit::{Edit, NewNode, Wire},
    graph::{Model, Node, NodeId},
};

/// Returns the name of the operator that negates conditions, in a format whose writer can put new nodes in the place of one.
fn negation(model: &Model, node: &Node) -> Option<&'static str> {
    let opset = if node.version > 0 { node.version } else { i64::MAX };
    let written = model.system == System::Onnx && node.op == "Where" && node.inputs.iter().flatten().count() == 3;
    written.then(|| computing(model.system, id("logical_not"), opset).map(Row::name))?
}

/// Says whether the branches of a node can be exchanged.
pub(super) fn is_possible(model: &Model, node: &Node) -> bool {
    negation(model, node).is_some()
}

/// Returns the changes that exchange the branches of a node.
pub(super) fn edits(model: &Model, id: NodeId) -> Option<(Edit, Step)> {
    let node = model.node(id);
    let negation = negation(model, node)?;
    let [c, x, y] = [0, 1, 2].map(|k| node.input(k));
    let (c, x, y, output) = (c?, x?, y?, node.output(0)?);
    let negated = Wire::New("negated".to_string());
    let new =
        |op: &str, inputs: Vec<Wire>, output: Wire| NewNode { op: op.to_string(), inputs, output, attributes: vec![] };
    let with = vec![
        new(negation, vec![Wire::Old(c)], negated.clone()),
        new(&node.op, vec![negated, Wire::Old(y), Wire::Old(x)], Wire::Old(output)),
    ];
    let text = format!("negate the condition of {} and exchange its branches", node.op);
    Some((Edit::Replace { node: id, with }, Step { node: id, text, copied: Copied::default() }))
}
