//! `broadaxe list`: lists the nodes of a model, and what targets do with them.

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

use super::{
    Loaded, Open,
    find::{find_all, op_pattern},
    load,
};
use crate::{
    answer::{Answer, Each, Json, aligned_of, table},
    args::ListArgs,
    error::{Error, escaped, quoted},
    terminal,
};

/// How many operands of a node a line shows; JSON has all.
const LISTED_OPERANDS: usize = 8;

/// Replaces a blank at which no line may break; no standard gives this character a meaning.
const BLANK: char = '\u{e000}';

/// How many operators a note lists.
const LISTED_OPERATORS: usize = 20;

/// Lists the nodes of a model.
///
/// # Errors
/// When the model cannot be read, a target is unknown, or a pattern or a shape is malformed.
pub fn run(args: &ListArgs, json: bool, open: Open<'_>) -> Result<Answer, Error> {
    let mut targets: Vec<Target> = args.targets.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    let are_ops = args.ops.iter().map(|op| op_pattern(op)).collect::<Result<Vec<_>, _>>()?;
    let loaded = load(&args.model, &args.inputs, open)?;
    if targets.is_empty() && !args.verdicts.is_empty() {
        targets = Target::usual(loaded.model.format);
    }
    let targets = Target::distinct(targets);
    let judged = Judged::new(&loaded, &targets)?;
    let model = &loaded.model;
    let all = model.walk();
    let listed = all.iter().copied().filter(|id| args.all || judged.verdicts.contains_key(id));
    let listed = listed.filter(|&id| are_ops.is_empty() || are_ops.iter().any(|is_op| is_op(&model.node(id).op)));
    let named = args.node.as_ref().map(|name| find_all(model, name)).transpose()?;
    let listed = listed.filter(|id| named.as_ref().is_none_or(|named| named.contains(id)));
    let wanted = |verdict: &&str| args.verdicts.iter().any(|wanted| wanted == verdict);
    let listed = listed.filter(|&id| args.verdicts.is_empty() || judged.of(id).iter().any(wanted));
    let listed: Vec<NodeId> = listed.collect();
    let rows = || listed.iter().map(|&id| ListRow::new(model, &loaded.shapes, id, &judged));

    let name = args.model.display().to_string();
    let counts = format!("{} of {} nodes listed, {} broadcast", listed.len(), all.len(), judged.verdicts.len());
    let counts = terminal::fitted(&format!("{}: {counts}\n", escaped(&name)), terminal::columns());
    // A model may have many nodes, so only one form is made.
    let mut answer = Answer::new(String::new(), Value::Null);
    if json {
        let nodes = Each(|| rows().map(|row| row.describe(&targets)));
        let targets: Vec<String> = targets.iter().map(Target::to_string).collect();
        let (format, all, elementwise) = (model.format, all.len(), judged.verdicts.len());
        answer.json = Json::written(&ListedNodes { model: name, format, targets, nodes, all, elementwise });
    } else {
        answer.text = show(rows, &targets) + &counts;
    }
    if listed.is_empty() {
        answer.notes.extend(nothing(args, model, &all, &are_ops, &judged));
    }
    Ok(answer)
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
struct ListRow {
    place: String,
    name: String,
    op: String,
    is_elementwise: bool,
    operands: Vec<(String, SymbolicShape)>,
    result: SymbolicShape,
    verdicts: Vec<&'static str>,
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

    /// Writes the cells of a line, with this between operands.
    fn cells(&self, between: &str) -> Vec<String> {
        let shown = self.operands.iter().take(LISTED_OPERANDS).map(|(_, shape)| quoted(&shape.to_string()));
        let mut operands: Vec<String> = shown.collect();
        if self.operands.len() > LISTED_OPERANDS {
            operands.push(format!("and {} more", self.operands.len() - LISTED_OPERANDS));
        }
        let mut cells = vec![quoted(&self.place), quoted(&self.name), quoted(&self.op), operands.join(between)];
        cells.push(quoted(&self.result.to_string()));
        cells.extend(self.verdicts.iter().map(|&verdict| verdict.to_owned()));
        cells
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

/// Writes a line per node. Programs can filter the lines; they have another layout only in a terminal that is too narrow.
fn show<R: Iterator<Item = ListRow>>(rows: impl Fn() -> R, targets: &[Target]) -> String {
    if rows().next().is_none() {
        return String::new();
    }
    let head = ["place", "node", "operator", "operands", "result"].map(str::to_owned);
    let head: Vec<String> = head.into_iter().chain(targets.iter().map(Target::to_string)).collect();
    let text = aligned_of(|| std::iter::once(head.clone()).chain(rows().map(|row| row.cells(" "))));
    let widest = text.lines().map(terminal::width).max().unwrap_or(0);
    if terminal::columns().is_none_or(|columns| widest <= columns) {
        return text;
    }
    // A shape is one word.
    let whole = |row: Vec<String>| row.into_iter().map(|cell| cell.replace(", ", &format!(",{BLANK}"))).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table(&head, false, rows().map(|row| row.cells("\n")).map(whole)).replace(BLANK, " ")
}

/// Says why nothing is listed, where another choice would list something.
fn nothing(
    args: &ListArgs,
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
