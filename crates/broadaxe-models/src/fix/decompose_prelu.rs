//! Writes `PRelu` as `relu(x) - slope * relu(-x)`, for runtimes that read slopes in one way only.
//!
//! The slope gets the rank of the data, since OpenVINO recognises the pattern, puts a `PReLU` in its place, and then gives
//! a slope of rank 1 to axis 1 wherever the lengths match.
//!
//! The two are equal bit for bit where the slope is finite and no result is 0: of a product that is 0 the sign may differ.

use broadaxe_frameworks::{Row, System, computing};
use broadaxe_kernels::id;

use super::{
    Step,
    candidate::Candidate,
    emit_edits::{Dims, Form},
};
use crate::{
    copied::{Copied, element_size},
    edit::{Edit, NewNode, Wire},
    graph::{Model, NodeId, Use, ValueId},
    infer::Shapes,
};

/// What the operators are called.
struct Names {
    relu: &'static str,
    negative: &'static str,
    product: &'static str,
    difference: &'static str,
}

/// Returns the names in a framework whose writer can put new nodes in the place of one.
fn names(system: System, opset: i64) -> Option<Names> {
    if !matches!(system, System::Onnx | System::Openvino) {
        return None;
    }
    let name = |op| computing(system, op, opset).map(Row::name);
    Some(Names {
        relu: name(id("relu"))?,
        negative: name(id("neg"))?,
        product: name(id("mul"))?,
        difference: name(id("sub"))?,
    })
}

/// Returns the changes that decompose a node, its slope in the form that the product has; nothing where that cannot be
/// written.
pub(super) fn edits(model: &Model, shapes: &Shapes, id: NodeId, way: &Candidate) -> Option<(Vec<Edit>, Step)> {
    let node = model.node(id);
    let mut edits = Vec::new();
    let names = names(model.system, if node.version > 0 { node.version } else { i64::MAX })?;
    let (x, slope, y) = (node.input(0)?, node.input(1)?, node.output(0)?);
    let new =
        |op: &str, inputs: Vec<Wire>, output: Wire| NewNode { op: op.to_string(), inputs, output, attributes: vec![] };
    let word = |text: &str| Wire::New(text.to_string());
    let mut nodes = vec![
        new(names.relu, vec![Wire::Old(x)], word("above")),
        new(names.negative, vec![Wire::Old(x)], word("turned")),
        new(names.relu, vec![word("turned")], word("below")),
    ];
    let mut factor = Wire::Old(slope);
    let mut slopes = String::new();
    if let Some((_, form)) = way.forms.first() {
        let shape = way.shapes.get(1).and_then(|shape| reshape(shape.dims()?));
        match (in_place(model, id, slope, form), shape) {
            (Some(shape), _) => {
                slopes = format!(", with {} as {}", model.value(slope).name, Dims(&shape));
                edits.push(Edit::ReshapeConstant { value: slope, shape });
            }
            (None, Some(shape)) => {
                slopes = format!(", with {} reshaped to {}", model.value(slope).name, Dims(&shape));
                nodes.push(new("Reshape", vec![factor, Wire::Ints(shape)], word("slope")));
                factor = word("slope");
            }
            (None, None) => return None,
        }
    }
    nodes.push(new(names.product, vec![word("below"), factor], word("scaled")));
    nodes.push(new(names.difference, vec![word("above"), word("scaled")], Wire::Old(y)));
    edits.push(Edit::Replace { node: id, with: nodes });
    let text = format!("decompose {}: relu(x) - slope * relu(-x){slopes}", node.op);
    Some((edits, Step { node: id, text, copied: copied(shapes, x) }))
}

/// Returns the new shape of the slope in the file, if nothing else reads it.
fn in_place(model: &Model, id: NodeId, slope: ValueId, form: &Form) -> Option<Vec<usize>> {
    let constant = model.value(slope).constant.as_ref()?;
    let alone = model.uses().of(slope) == [Use { node: id, input: 1 }];
    let given = model.graphs.iter().any(|graph| graph.outputs.contains(&slope) || graph.inputs.contains(&slope));
    if alone && !given { form.of(&constant.shape) } else { None }
}

/// Writes dims for a reshape: -1 for the one that is not known; nothing where there are more.
fn reshape(dims: &[broadaxe_shape::Dim]) -> Option<Vec<i64>> {
    let open = dims.iter().filter(|dim| dim.size().is_none()).count();
    let extent = |dim: &broadaxe_shape::Dim| dim.size().map_or(Some(-1), |size| i64::try_from(size).ok());
    if open > 1 { None } else { dims.iter().map(extent).collect() }
}

/// Counts the four results that come in between.
fn copied(shapes: &Shapes, x: ValueId) -> Copied {
    let Some(known) = shapes.of.get(x.0 as usize) else { return Copied::default() };
    known
        .shape
        .dims()
        .map_or_else(Copied::default, |dims| Copied::array(4 * element_size(known.element.as_ref()), dims))
}
