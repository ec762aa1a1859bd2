//! Lists the nodes of a model, and what targets do with them.

use std::collections::HashMap;

use broadaxe_models::{
    Model, NodeId, Target,
    check::{Report, check},
    infer::Shapes,
    meaning::meaning,
    report::{DimRecord, dims, node_name},
};
use broadaxe_shape::SymbolicShape;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    error::{Error, escaped, quoted},
    find::{find_all, op_pattern},
    json::Each,
    model::{Loaded, Open, load},
    request::ListRequest,
};

/// How many operators a note lists.
const LISTED_OPERATORS: usize = 20;

/// The nodes of a model that are listed.
#[derive(Debug)]
pub struct Listed {
    /// The targets whose verdicts are listed.
    pub targets: Vec<Target>,
    /// How many nodes the model has.
    pub all: usize,
    /// Says why nothing is listed, where another choice would list something.
    pub note: Option<String>,
    loaded: Loaded,
    judged: Judged,
    nodes: Vec<NodeId>,
}

/// Lists the nodes of a model.
///
/// # Errors
/// When the model cannot be read, a target is unknown, or a pattern or a shape is malformed.
pub fn list(request: &ListRequest, open: Open<'_>) -> Result<Listed, Error> {
    let mut targets: Vec<Target> = request.targets.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    let are_ops = request.ops.iter().map(|op| op_pattern(op)).collect::<Result<Vec<_>, _>>()?;
    let loaded = load(&request.model, &request.input_shapes, open)?;
    if targets.is_empty() && !request.verdicts.is_empty() {
        targets = Target::usual(loaded.model.format);
    }
    let targets = Target::distinct(targets);
    let judged = Judged::new(&loaded, &targets)?;
    let model = &loaded.model;
    let all = model.walk();
    let listed = all.iter().copied().filter(|id| request.all || judged.verdicts.contains_key(id));
    let listed = listed.filter(|&id| are_ops.is_empty() || are_ops.iter().any(|is_op| is_op(&model.node(id).op)));
    let named = request.node.as_ref().map(|name| find_all(model, name)).transpose()?;
    let listed = listed.filter(|id| named.as_ref().is_none_or(|named| named.contains(id)));
    let wanted = |verdict: &&str| request.verdicts.iter().any(|wanted| wanted == verdict);
    let listed = listed.filter(|&id| request.verdicts.is_empty() || judged.of(id).iter().any(wanted));
    let nodes: Vec<NodeId> = listed.collect();
    let note = if nodes.is_empty() { nothing(request, model, &all, &are_ops, &judged) } else { None };
    Ok(Listed { targets, all: all.len(), note, loaded, judged, nodes })
}

impl Listed {
    /// Returns the nodes, in the order of the file.
    pub fn rows(&self) -> impl Iterator<Item = ListRow> {
        self.nodes.iter().map(|&id| ListRow::new(&self.loaded.model, &self.loaded.shapes, id, &self.judged))
    }

    /// Returns how many nodes are listed.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns how many nodes of the model broadcast.
    pub fn elementwise(&self) -> usize {
        self.judged.verdicts.len()
    }

    /// Returns what is printed as JSON.
    pub fn record(&self) -> impl Serialize {
        let nodes = Each(|| self.rows().map(|row| row.describe(&self.targets)));
        let (model, targets) = (self.loaded.path.display().to_string(), &self.targets);
        let targets: Vec<String> = targets.iter().map(Target::to_string).collect();
        let (format, all, elementwise) = (self.loaded.model.format, self.all, self.elementwise());
        ListedNodes { model, format, targets, nodes, all, elementwise }
    }
}

/// What is printed as JSON.
#[derive(Serialize)]
struct ListedNodes<N> {
    model: String,
    format: &'static str,
    targets: Vec<String>,
    nodes: N,
    all: usize,
    elementwise: usize,
}

/// The nodes that `check` judges, with the verdict for each target.
#[derive(Debug)]
struct Judged {
    verdicts: HashMap<NodeId, Vec<&'static str>>,
}

impl Judged {
    /// Judges the nodes. Without targets, only which nodes are judged is of use.
    fn new(loaded: &Loaded, targets: &[Target]) -> Result<Self, Error> {
        let any = ["onnx".parse()?];
        let report: Report = check(&loaded.model, &loaded.shapes, if targets.is_empty() { &any } else { targets });
        let mut verdicts: HashMap<NodeId, Vec<&'static str>> = HashMap::new();
        for finding in report.findings {
            let of = verdicts.entry(finding.node).or_default();
            of.extend((!targets.is_empty()).then(|| finding.verdict.name()));
        }
        Ok(Self { verdicts })
    }

    fn of(&self, id: NodeId) -> &[&'static str] {
        self.verdicts.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// A node, with what a line shows.
#[derive(Debug)]
pub struct ListRow {
    /// Its place in the file.
    pub place: String,
    /// Its name.
    pub name: String,
    /// Its operator.
    pub op: String,
    is_elementwise: bool,
    /// The name and the shape of each operand.
    pub operands: Vec<(String, SymbolicShape)>,
    /// The shape of its first result.
    pub result: SymbolicShape,
    /// The verdict for each target.
    pub verdicts: Vec<&'static str>,
}

impl ListRow {
    fn new(model: &Model, shapes: &Shapes, id: NodeId, judged: &Judged) -> Self {
        let node = model.node(id);
        let shape = |value: Option<broadaxe_models::ValueId>| {
            let known = value.and_then(|value| shapes.of.get(value.0 as usize));
            known.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone())
        };
        let operands = if let Some(Ok(meaning)) = meaning(model, id) {
            let own = meaning.shapes(node, shapes);
            let described = broadaxe_models::check::operands(model, shapes, id, &meaning, &own);
            described.into_iter().map(|operand| (operand.name, operand.shape)).collect()
        } else {
            let inputs = node.inputs.iter().flatten();
            inputs.map(|&value| (model.value(value).name.clone(), shape(Some(value)))).collect()
        };
        Self {
            place: node.place.clone(),
            name: node_name(model, id),
            op: node.op.clone(),
            is_elementwise: judged.verdicts.contains_key(&id),
            operands,
            result: shape(node.output(0)),
            verdicts: judged.of(id).to_vec(),
        }
    }

    fn describe(&self, targets: &[Target]) -> Value {
        let operand = |(tensor, shape): &(String, SymbolicShape)| json!({ "tensor": tensor, "shape": dims(shape) });
        let verdict = |(target, verdict): (&Target, &&str)| (target.to_string(), Value::from(*verdict));
        let verdicts: serde_json::Map<String, Value> = targets.iter().zip(&self.verdicts).map(verdict).collect();
        let result: Option<Vec<DimRecord>> = dims(&self.result);
        json!({
            "place": self.place,
            "node": self.name,
            "op": self.op,
            "elementwise": self.is_elementwise,
            "operands": self.operands.iter().map(operand).collect::<Vec<_>>(),
            "result": result,
            "verdicts": verdicts,
        })
    }
}

/// Says why nothing is listed, where another choice would list something.
fn nothing(
    args: &ListRequest,
    model: &Model,
    all: &[NodeId],
    are_ops: &[impl Fn(&str) -> bool],
    judged: &Judged,
) -> Option<String> {
    if args.ops.is_empty() {
        return None;
    }
    let fits = |id: &&NodeId| are_ops.iter().any(|is_op| is_op(&model.node(**id).op));
    let fitting: Vec<&NodeId> = all.iter().filter(fits).collect();
    if !args.all && !fitting.is_empty() && fitting.iter().all(|id| !judged.verdicts.contains_key(id)) {
        let mut ops: Vec<String> = fitting.iter().map(|id| quoted(&model.node(**id).op)).collect();
        ops.sort_unstable();
        ops.dedup();
        let nodes = if fitting.len() == 1 { "1 node".to_owned() } else { format!("{} nodes", fitting.len()) };
        let (verb, has) = if ops.len() == 1 { ("is", "it has") } else { ("are", "they have") };
        let ops = ops.join(", ");
        return Some(format!(
            "{ops} {verb} in the model ({nodes}), but {has} no operands to broadcast; --all lists them"
        ));
    }
    let mut there: Vec<&str> = all.iter().map(|&id| model.node(id).op.as_str()).collect();
    there.sort_unstable();
    there.dedup();
    let mut shown: Vec<String> = there.iter().take(LISTED_OPERATORS).map(|op| quoted(op)).collect();
    if there.len() > LISTED_OPERATORS {
        shown.push(format!("and {} more", there.len() - LISTED_OPERATORS));
    }
    if !fitting.is_empty() {
        return None;
    }
    let (ops, shown) = (escaped(&args.ops.join(",")), shown.join(", "));
    Some(format!("no node fits --op {ops}; the operators of the model are {shown}"))
}
