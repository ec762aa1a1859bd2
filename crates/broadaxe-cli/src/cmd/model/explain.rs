//! `broadaxe explain MODEL --node NAME`: shows how a node of a model broadcasts, and where its sizes come from.

use std::path::Path;

use broadaxe_models::{
    Model, NodeId,
    infer::{Origin, Shapes},
    meaning::{Meaning, Source, meaning, shape_fault},
    report::{dims, node_name, origin_text},
};
use broadaxe_shape::{Rule, SymbolicShape};
use serde_json::{Value, json};

use broadaxe_session::{
    find::find,
    model::{Loaded, load, open_sizes},
};

use super::open;
use crate::{
    answer::letter,
    args::InputArgs,
    error::{Error, ErrorKind, escaped, quoted},
};

/// What a node of a model broadcasts, for the drawing of `explain`.
#[derive(Debug)]
pub struct Explained {
    /// The rule with its parameters.
    pub rule: Rule,
    /// The shapes of its operands.
    pub shapes: Vec<SymbolicShape>,
    /// The shape of its result, where the rule asks for it and a dim of it is open.
    pub target: Option<SymbolicShape>,
    /// The lines above the drawing: the node, and where each size comes from.
    pub head: String,
    /// The same as JSON.
    pub json: Value,
}

/// Finds a node in a model file and prepares its drawing.
///
/// # Errors
/// When the model cannot be read, has no such node, or the node does not broadcast or has open sizes.
pub fn run(path: &Path, name: &str, inputs: &InputArgs) -> Result<Explained, Error> {
    let loaded = load(path, &inputs.inputs(), &open)?;
    explained(&loaded, find(&loaded.model, name)?)
}

fn explained(loaded: &Loaded, id: NodeId) -> Result<Explained, Error> {
    let wrong = |text: String| Error::new(ErrorKind::Shape, text).of(&loaded.path);
    let Loaded { model, shapes, path } = loaded;
    let (node, name) = (model.node(id), node_name(model, id));
    let title = format!("{} ({})", quoted(&name), quoted(&node.op));
    let meaning = meaning(model, id)
        .ok_or_else(|| format!("{title} has no operands that are known to broadcast"))
        .map_err(wrong)?;
    let meaning = meaning.map_err(|reason| wrong(format!("{title}: {reason}")))?;
    let mut head = format!("{title}, {} of {}\n", quoted(&node.place), path.display());
    let (mut known, mut operands) = (Vec::new(), Vec::new());
    for (k, shape) in meaning.shapes(node, shapes).into_iter().enumerate() {
        let (label, origin) = operand(model, shapes, id, &meaning, k);
        head += &format!("  {} is {label} {}, {}\n", letter(k), escaped(&shape.to_string()), escaped(&origin));
        operands.push(json!({ "tensor": label, "shape": dims(&shape), "origin": origin }));
        known.push(shape);
    }
    if let Some(fault) = shape_fault(model, shapes, id) {
        head += &format!("  invalid: {}\n", escaped(&fault));
    }
    let output = node.output(0);
    let result = output.map(|value| shapes.of[value.0 as usize].shape.clone());
    let rule = meaning.rule(result.as_ref().and_then(SymbolicShape::known).unwrap_or_default().dims());
    let target = result.filter(|result| rule.def().target && result.known().is_none());
    if let (Some(target), Some(output)) = (&target, output)
        && target.dims().is_none()
    {
        return Err(open_sizes(loaded, &[output]).unwrap_or_else(|| wrong(format!("{title}: its result is open"))));
    }
    let rule = match in_blocks(&meaning, &mut known) {
        Some(line) => {
            head += &line;
            Rule::numpy()
        }
        None => rule,
    };
    let json = json!({ "node": name, "op": node.op, "place": node.place, "operands": operands });
    Ok(Explained { rule, shapes: known, target, head, json })
}

/// Divides the axis of a node with blocks in two, so that each block is a row of the drawing; says so.
fn in_blocks(meaning: &Meaning, shapes: &mut [SymbolicShape]) -> Option<String> {
    let (axis, size) = meaning.blocks()?;
    let (data, lists) = shapes.split_first_mut()?;
    let mut dims = data.known()?.to_vec();
    let at =
        usize::try_from(if axis < 0 { axis + dims.len() as i64 } else { axis }).ok().filter(|at| *at < dims.len())?;
    let size = usize::try_from(size).ok().filter(|size| *size > 0)?;
    let last = dims[at] % size;
    dims.splice(at..=at, [dims[at].div_ceil(size), size]);
    *data = SymbolicShape::from(dims.as_slice());
    for list in lists {
        let mut own = list.known()?.to_vec();
        own.insert((at + 1).min(own.len()), 1);
        *list = SymbolicShape::from(own.as_slice());
    }
    let shorter = if last == 0 { String::new() } else { format!("; the last block has {last}") };
    Some(format!("  axis {at} of a is drawn as two: blocks, and {size} entries of each{shorter}\n"))
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
        Source::Held(_) => return ("what the layer holds".into(), "written in the node".into()),
    };
    let Some(value) = value else { return ("nothing".into(), "left out".into()) };
    let origin = shapes.of.get(value.0 as usize).map(|known| &known.origin);
    let unknown = Origin::Unknown("it was not looked at".into());
    (quoted(&model.value(value).name), origin_text(model, origin.unwrap_or(&unknown)))
}
