//! `broadaxe diff`: compares what the element-wise nodes of two models mean.
//!
//! Nodes are matched by their names, and those left over by the names of their first outputs. A name that occurs several times
//! is matched in the order of the files.

use std::collections::{HashMap, VecDeque};

use broadaxe_models::{
    Meaning, Model, NodeId, Operator,
    infer::Shapes,
    meaning::meaning,
    report::{dims, node_name},
};
use broadaxe_shape::SymbolicShape;
use serde_json::{Value, json};

use super::{Loaded, Open, load};
use crate::{
    answer::Answer,
    args::DiffArgs,
    error::{Error, escaped, quoted},
};

/// Compares two models; fails where they differ.
///
/// # Errors
/// When a model cannot be read, or a shape is malformed.
pub fn run(args: &DiffArgs, open: Open<'_>) -> Result<Answer, Error> {
    let (a, b) = (load(&args.a, &args.inputs, open)?, load(&args.b, &args.inputs, open)?);
    let same_names = a.model.system == b.model.system;
    let (left, right) = (entries(&a), entries(&b));
    let matched = matched(&left, &right);
    let mut is_matched = vec![false; right.len()];
    let (mut only_a, mut changed, mut equal) = (Vec::new(), Vec::new(), 0_usize);
    for (entry, other) in left.iter().zip(&matched) {
        let Some(other) = *other else {
            only_a.push(entry);
            continue;
        };
        is_matched[other] = true;
        let changes = changes(entry, &right[other], same_names);
        if changes.is_empty() { equal += 1 } else { changed.push((entry, &right[other], changes)) }
    }
    let only_b: Vec<&Compared> =
        right.iter().zip(&is_matched).filter(|(_, matched)| !**matched).map(|(b, _)| b).collect();
    let names = [&args.a, &args.b].map(|path| path.display().to_string());
    let found = Difference { names, only: [only_a, only_b], changed, equal };
    let differs = !found.is_equal();
    Ok(Answer::judged(found.show(), found.describe(), differs))
}

/// An element-wise node, with all that is compared.
struct Compared {
    node: String,
    /// The names to match by: that of the node, which can be empty, and that of its first output.
    keys: [String; 2],
    op: String,
    place: String,
    /// What the node means, or why that cannot be read.
    meaning: Result<Means, String>,
    result: SymbolicShape,
}

/// What a node means, with all that is compared.
struct Means {
    /// Our operator, where one is known.
    id: Option<String>,
    operands: Vec<SymbolicShape>,
    rule: String,
    attributes: Vec<(&'static str, String)>,
}

impl Means {
    fn new(model: &Model, id: NodeId, meaning: &Meaning, shapes: &Shapes, result: &SymbolicShape) -> Self {
        let attributes = match &meaning.op {
            Operator::Call { attributes, .. } => {
                let mut written: Vec<_> = attributes.iter().map(|(name, value)| (*name, value.to_string())).collect();
                written.sort_unstable();
                written
            }
            _ => Vec::new(),
        };
        let rule = meaning.rule(result.known().unwrap_or_default().dims());
        Self {
            id: meaning.op.id().map(|id| id.name().to_owned()),
            operands: meaning.shapes(model.node(id), shapes),
            // The target of a stretch is the shape of the result, which is compared by itself.
            rule: if rule.def().target { rule.name().to_owned() } else { rule.to_string() },
            attributes,
        }
    }
}

/// Lists the element-wise nodes of a model.
fn entries(loaded: &Loaded) -> Vec<Compared> {
    let Loaded { model, shapes, .. } = loaded;
    let entry = |id: NodeId| {
        let node = model.node(id);
        let meaning = meaning(model, id)?;
        let first = node.outputs.iter().flatten().next();
        let result = node.output(0).and_then(|value| shapes.of.get(value.0 as usize));
        let result = result.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone());
        Some(Compared {
            node: node_name(model, id),
            keys: [node.name.clone(), first.map_or_else(String::new, |&value| model.value(value).name.clone())],
            op: node.op.clone(),
            place: node.place.clone(),
            meaning: meaning.map(|meaning| Means::new(model, id, &meaning, shapes, &result)),
            result,
        })
    };
    model.walk().into_iter().filter_map(entry).collect()
}

/// Finds for each entry its counterpart among others.
fn matched(entries: &[Compared], others: &[Compared]) -> Vec<Option<usize>> {
    let mut found = vec![None; entries.len()];
    let mut is_free = vec![true; others.len()];
    for key in 0..2 {
        let mut by_key: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (at, other) in others.iter().enumerate().filter(|(at, other)| is_free[*at] && !other.keys[key].is_empty()) {
            by_key.entry(&other.keys[key]).or_default().push_back(at);
        }
        for (entry, found) in entries.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = by_key.get_mut(entry.keys[key].as_str()).and_then(VecDeque::pop_front);
            if let Some(at) = *found {
                is_free[at] = false;
            }
        }
    }
    found
}

/// One thing in which two nodes differ, with its value in each.
struct Change {
    /// What differs: `operator`, `operands`, `operand`, `rule`, `attribute`, `result` or `reading`.
    what: &'static str,
    /// Which operand or attribute.
    which: Option<String>,
    values: [String; 2],
    json: [Value; 2],
}

impl Change {
    fn new(what: &'static str, a: impl Into<String>, b: impl Into<String>) -> Self {
        let values = [a.into(), b.into()];
        Self { what, which: None, json: values.clone().map(Value::from), values }
    }

    fn of_shapes(what: &'static str, shapes: [&SymbolicShape; 2]) -> Option<Self> {
        let [a, b] = shapes;
        let shown = |shape: &SymbolicShape| json!(dims(shape));
        (a != b).then(|| Self { json: [shown(a), shown(b)], ..Self::new(what, a.to_string(), b.to_string()) })
    }
}

/// Lists in what two nodes differ; `same_names` says whether their operators are of one framework.
fn changes(a: &Compared, b: &Compared, same_names: bool) -> Vec<Change> {
    let mut list = Vec::new();
    match (&a.meaning, &b.meaning) {
        (Ok(own), Ok(other)) => {
            let is_same = match (&own.id, &other.id) {
                (Some(own), Some(other)) if !same_names => own == other,
                _ => a.op == b.op,
            };
            list.extend((!is_same).then(|| Change::new("operator", &a.op, &b.op)));
            list.extend(operand_changes(&own.operands, &other.operands));
            list.extend((own.rule != other.rule).then(|| Change::new("rule", &own.rule, &other.rule)));
            // The attributes of frameworks have names of their own.
            list.extend(if same_names && is_same { attribute_changes(own, other) } else { Vec::new() });
        }
        (own, other) => {
            list.extend((a.op != b.op).then(|| Change::new("operator", &a.op, &b.op)));
            let reason = |meaning: &Result<Means, String>| {
                meaning.as_ref().map_or_else(|why| format!("cannot be read: {why}"), |_| "can be read".to_owned())
            };
            let (own, other) = (reason(own), reason(other));
            list.extend((own != other).then(|| Change::new("reading", own, other)));
        }
    }
    list.extend(Change::of_shapes("result", [&a.result, &b.result]));
    list
}

fn operand_changes(a: &[SymbolicShape], b: &[SymbolicShape]) -> Vec<Change> {
    if a.len() != b.len() {
        return vec![Change::new("operands", a.len().to_string(), b.len().to_string())];
    }
    let change = |(k, (a, b))| {
        let change = Change::of_shapes("operand", [a, b])?;
        Some(Change { which: Some(crate::answer::letter(k)), ..change })
    };
    a.iter().zip(b).enumerate().filter_map(change).collect()
}

fn attribute_changes(a: &Means, b: &Means) -> Vec<Change> {
    let value =
        |of: &Means, name: &str| of.attributes.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone());
    let mut names: Vec<&'static str> = a.attributes.iter().chain(&b.attributes).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let change = |name: &'static str| {
        let (own, other) = (value(a, name), value(b, name));
        let shown = |value: Option<String>| value.unwrap_or_else(|| "absent".to_owned());
        (own != other)
            .then(|| Change { which: Some(name.to_owned()), ..Change::new("attribute", shown(own), shown(other)) })
    };
    names.into_iter().filter_map(change).collect()
}

/// What was found.
struct Difference<'a> {
    names: [String; 2],
    only: [Vec<&'a Compared>; 2],
    changed: Vec<(&'a Compared, &'a Compared, Vec<Change>)>,
    equal: usize,
}

impl Difference<'_> {
    fn is_equal(&self) -> bool {
        self.changed.is_empty() && self.only.iter().all(Vec::is_empty)
    }

    fn show(&self) -> String {
        let names = self.names.each_ref().map(|name| escaped(name));
        let mut text = String::new();
        for (entries, name) in self.only.iter().zip(&names) {
            for entry in entries {
                text += &format!(
                    "only in {name}: {} ({}), {}\n",
                    quoted(&entry.node),
                    quoted(&entry.op),
                    quoted(&entry.place)
                );
            }
        }
        for (a, b, changes) in &self.changed {
            let places = if a.place == b.place {
                quoted(&a.place)
            } else {
                format!("{} and {}", quoted(&a.place), quoted(&b.place))
            };
            text += &format!("{} ({}), {places}:\n", quoted(&a.node), quoted(&a.op));
            for change in changes {
                let which = change.which.as_ref().map_or_else(String::new, |which| format!(" {which}"));
                let [a, b] = change.values.each_ref().map(|value| quoted(value));
                text += &format!("  {}{which}: {a} -> {b}\n", change.what);
            }
        }
        if !text.is_empty() {
            text += "\n";
        }
        let (changed, equal) = (self.changed.len(), self.equal);
        let [only_a, only_b] = self.only.each_ref().map(Vec::len);
        let [a, b] = names;
        text + &format!("{equal} equal, {changed} changed, {only_a} only in {a}, {only_b} only in {b}\n")
    }

    fn describe(&self) -> Value {
        let node = |entry: &&Compared| json!({ "node": entry.node, "op": entry.op, "place": entry.place });
        let change = |change: &Change| {
            let [a, b] = &change.json;
            json!({ "what": change.what, "which": change.which, "a": a, "b": b })
        };
        let changed = self.changed.iter().map(|(a, b, changes)| {
            let changes: Vec<Value> = changes.iter().map(change).collect();
            json!({ "node": a.node, "a": node(a), "b": node(b), "changes": changes })
        });
        json!({
            "a": self.names[0],
            "b": self.names[1],
            "equal": self.is_equal(),
            "same": self.equal,
            "only_a": self.only[0].iter().map(node).collect::<Vec<_>>(),
            "only_b": self.only[1].iter().map(node).collect::<Vec<_>>(),
            "changed": changed.collect::<Vec<_>>(),
        })
    }
}
