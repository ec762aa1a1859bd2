//! `broadaxe diff`: compares what the element-wise nodes of two models mean.
//!
//! Nodes are matched by their names, those left over by the names of their first outputs, and the rest by their order where both
//! models have the same operators left. A name that occurs several times is matched in the order of the files. A result that a
//! node only reshapes has the name of the reshaped one too.

use std::collections::{HashMap, HashSet, VecDeque};

use broadaxe_models::{
    Kind, Meaning, Model, NodeId, Operator, ValueId,
    equivalence::{Equivalence, Side, Tensors, equivalence, is_same_function, readers, reshaped, unnamed_attributes},
    infer::Shapes,
    meaning::{Source, meaning},
    report::{dims, node_name},
};
use broadaxe_shape::SymbolicShape;
use serde_json::{Value, json};

use super::{Loaded, Open, load};
use crate::{
    answer::Answer,
    args::DiffArgs,
    error::{Error, escaped, quoted},
    terminal,
};

/// Compares two models; fails where they differ.
///
/// # Errors
/// When a model cannot be read, or a shape is malformed.
pub fn run(args: &DiffArgs, open: Open<'_>) -> Result<Answer, Error> {
    let (a, b) = (load(&args.a, &args.inputs, open)?, load(&args.b, &args.inputs, open)?);
    let (left, right) = (entries(&a), entries(&b));
    let matched = matched(&left, &right, a.model.system == b.model.system);
    let mut tensors = Tensors::new(&a.model, &b.model);
    let names = [&args.a, &args.b].map(|path| path.display().to_string());
    let mut found =
        Differences { names, only: [Vec::new(), Vec::new()], changed: Vec::new(), rewritten: Vec::new(), equal: 0 };
    let mut is_matched = vec![false; right.len()];
    let mut through = [HashSet::new(), HashSet::new()];
    for (entry, other) in left.iter().zip(&matched) {
        let Some(at) = *other else {
            found.only[0].push(entry);
            continue;
        };
        is_matched[at] = true;
        let other = &right[at];
        let (class, changes) = compared((&a, entry), (&b, other), &mut tensors);
        match class {
            Class::Equal => found.equal += 1,
            Class::Rewritten => {
                through[0].insert(entry.id);
                through[1].insert(other.id);
                found.rewritten.push(Pair { entry, other, changes, unproven: None });
            }
            Class::Changed(unproven) => found.changed.push(Pair { entry, other, changes, unproven }),
        }
    }
    found.only[1] = right.iter().zip(&is_matched).filter(|(_, matched)| !**matched).map(|(b, _)| b).collect();
    for ((only, through), loaded) in found.only.iter_mut().zip(&through).zip([&a, &b]) {
        let uses = loaded.model.uses();
        only.retain(|entry| !is_part_of(&loaded.model, &uses, entry, through));
    }
    let differs = !found.is_equal();
    Ok(Answer::judged(found.show(args.all), found.describe(), differs))
}

/// How two matched nodes compare.
enum Class {
    /// They are written alike.
    Equal,
    /// They are written differently, and are proven to compute the same.
    Rewritten,
    /// They differ, or why they cannot be proven to be the same.
    Changed(Option<String>),
}

/// Compares two nodes, and lists in what they differ.
fn compared(
    (a, entry): (&Loaded, &Compared),
    (b, other): (&Loaded, &Compared),
    tensors: &mut Tensors<'_>,
) -> (Class, Vec<Change>) {
    let has_same_names = a.model.system == b.model.system;
    let (Ok((own, means)), Ok((its, other_means))) = (&entry.meaning, &other.meaning) else {
        let mut changes = unread_changes(entry, other);
        let is_same = changes.is_empty() && is_same_text(&a.model, entry.id, &b.model, other.id);
        if is_same && has_same_inputs((&a.model, entry.id), (&b.model, other.id), tensors) {
            return (Class::Equal, changes);
        }
        changes.extend(Change::of_shapes("result", [&entry.result, &other.result]));
        let why = entry.meaning.as_ref().err().or(other.meaning.as_ref().err()).cloned();
        return (Class::Changed(why), changes);
    };
    let sides = [(a, entry.id, own), (b, other.id, its)];
    let sides = sides.map(|(of, node, meaning)| Side { model: &of.model, shapes: &of.shapes, node, meaning });
    let mut changes = changes((entry, means), (other, other_means), &sides, has_same_names);
    let has_same_operands = if has_same_names {
        has_same_inputs((&a.model, entry.id), (&b.model, other.id), tensors)
    } else {
        operands(&sides[0]).into_iter().zip(operands(&sides[1])).all(|pair| is_same(pair, tensors))
    };
    if changes.is_empty() && has_same_operands && is_same_function(&sides[0], &sides[1]) {
        return (Class::Equal, changes);
    }
    match equivalence(&sides[0], &sides[1], tensors) {
        Equivalence::Same if has_same_result(entry, other) => (Class::Rewritten, changes),
        Equivalence::Unproven(why) => (Class::Changed(Some(why)), changes),
        _ => {
            if changes.is_empty() {
                changes.extend(tensor_changes(&sides, tensors));
            }
            (Class::Changed(None), changes)
        }
    }
}

fn is_same(pair: (Option<ValueId>, Option<ValueId>), tensors: &mut Tensors<'_>) -> bool {
    match pair {
        (Some(a), Some(b)) => tensors.is_same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Says whether two nodes have the same inputs.
fn has_same_inputs((model, id): (&Model, NodeId), (other, its): (&Model, NodeId), tensors: &mut Tensors<'_>) -> bool {
    let (own, others) = (&model.node(id).inputs, &other.node(its).inputs);
    own.len() == others.len() && own.iter().copied().zip(others.iter().copied()).all(|pair| is_same(pair, tensors))
}

/// Says whether two nodes have the same operator, version and attributes.
fn is_same_text(model: &Model, id: NodeId, other: &Model, its: NodeId) -> bool {
    let text = |node: &broadaxe_models::Node| {
        format!("{} {} {} {:?} {}", node.domain, node.op, node.version, node.attributes, node.bodies.len())
    };
    let (own, its) = (model.node(id), other.node(its));
    model.system == other.system && own.bodies.is_empty() && text(own) == text(its)
}

/// Lists the tensors that are operands.
fn operands(side: &Side<'_>) -> Vec<Option<ValueId>> {
    let node = side.model.node(side.node);
    let input = |source: &Source| if let Source::Input(k) = source { node.input(*k) } else { None };
    side.meaning.operands.iter().map(input).collect()
}

/// Says whether the results have the same shape, where one is perhaps reshaped to it.
fn has_same_result(a: &Compared, b: &Compared) -> bool {
    let named = |of: &Compared, name: &str| {
        let found = of.aliases.iter().find(|(alias, _)| alias == name);
        found.map(|(_, shape)| shape.clone())
    };
    if a.keys[1] == b.keys[1] {
        return a.result == b.result;
    }
    match (named(b, &a.keys[1]), named(a, &b.keys[1])) {
        (Some(shape), _) => a.result == shape,
        (None, Some(shape)) => shape == b.result,
        (None, None) => a.result == b.result,
    }
}

/// Says whether a node only stretches a tensor for nodes that were compared with it.
fn is_part_of(model: &Model, uses: &[Vec<broadaxe_models::Use>], entry: &Compared, through: &HashSet<NodeId>) -> bool {
    let is_stretch = entry.meaning.as_ref().is_ok_and(|(meaning, _)| meaning.kind == Kind::Stretch);
    let output = model.node(entry.id).output(0).filter(|_| is_stretch);
    let readers = output.and_then(|output| readers(model, uses, output));
    readers.is_some_and(|readers| !readers.is_empty() && readers.iter().all(|id| through.contains(id)))
}

/// An element-wise node, with all that is compared.
struct Compared {
    id: NodeId,
    node: String,
    /// The names to match by: that of the node, which can be empty, and that of its first output.
    keys: [String; 2],
    /// The names and shapes of values that have the elements of the first output in their order.
    aliases: Vec<(String, SymbolicShape)>,
    op: String,
    place: String,
    /// What the node means, or why that cannot be read.
    meaning: Result<(Meaning, Means), String>,
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
    let uses = model.uses();
    let shape = |value: Option<ValueId>| {
        let known = value.and_then(|value| shapes.of.get(value.0 as usize));
        known.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone())
    };
    let name = |value: ValueId| model.value(value).name.clone();
    let entry = |id: NodeId| {
        let node = model.node(id);
        let meaning = meaning(model, id)?;
        let first = node.outputs.iter().flatten().next();
        let result = shape(node.output(0));
        let aliases = node.output(0).map_or_else(Vec::new, |value| reshaped(model, &uses, value));
        Some(Compared {
            id,
            node: node_name(model, id),
            keys: [node.name.clone(), first.map_or_else(String::new, |&value| name(value))],
            aliases: aliases.into_iter().map(|value| (name(value), shape(Some(value)))).collect(),
            op: node.op.clone(),
            place: node.place.clone(),
            meaning: meaning.map(|meaning| {
                let means = Means::new(model, id, &meaning, shapes, &result);
                (meaning, means)
            }),
            result,
        })
    };
    model.walk().into_iter().filter_map(entry).collect()
}

/// Finds for each entry its counterpart among others.
fn matched(entries: &[Compared], others: &[Compared], has_same_names: bool) -> Vec<Option<usize>> {
    let mut found = vec![None; entries.len()];
    let mut is_free = vec![true; others.len()];
    let output = |entry: &Compared| vec![entry.keys[1].clone()];
    let aliases = |entry: &Compared| entry.aliases.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    type Keys<'a> = &'a dyn Fn(&Compared) -> Vec<String>;
    let passes: [(Keys<'_>, Keys<'_>); 4] = [
        (&|entry| vec![entry.keys[0].clone()], &|entry| vec![entry.keys[0].clone()]),
        (&output, &output),
        (&output, &aliases),
        (&aliases, &output),
    ];
    for (own, its) in passes {
        let mut by_key: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, other) in others.iter().enumerate().filter(|(at, _)| is_free[*at]) {
            for key in its(other).into_iter().filter(|key| !key.is_empty()) {
                by_key.entry(key).or_default().push_back(at);
            }
        }
        for (entry, found) in entries.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let mut free = |key: &String| {
                let list = by_key.get_mut(key)?;
                let at = list.iter().position(|at| is_free[*at])?;
                list.remove(at)
            };
            *found = own(entry).iter().find_map(&mut free);
            if let Some(at) = *found {
                is_free[at] = false;
            }
        }
    }
    if has_same_names {
        match_in_order((entries, &mut found), (others, &is_free));
    }
    found
}

/// Matches the nodes that are left, where both models have the same operators left in the same order: nothing else can be meant.
fn match_in_order((entries, found): (&[Compared], &mut [Option<usize>]), (others, is_free): (&[Compared], &[bool])) {
    let rest: Vec<usize> = (0..entries.len()).filter(|&at| found[at].is_none()).collect();
    let free: Vec<usize> = (0..others.len()).filter(|&at| is_free[at]).collect();
    let ops = |entries: &[Compared], at: &[usize]| at.iter().map(|&at| entries[at].op.clone()).collect::<Vec<_>>();
    if ops(entries, &rest) == ops(others, &free) {
        for (at, other) in rest.into_iter().zip(free) {
            found[at] = Some(other);
        }
    }
}

/// One thing in which two nodes differ, with its value in each.
struct Change {
    /// What differs: `operator`, `operands`, `operand`, `rule`, `attribute`, `attributes`, `result`, `reading`, `element type of
    /// operand` or `tensor of operand`.
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

/// Lists in what two nodes differ; `has_same_names` says whether their operators are of one framework.
fn changes(
    (a, own): (&Compared, &Means),
    (b, other): (&Compared, &Means),
    sides: &[Side<'_>; 2],
    has_same_names: bool,
) -> Vec<Change> {
    let [side, its] = sides;
    let mut list = Vec::new();
    let is_same = if has_same_names { a.op == b.op } else { own.id.is_some() && own.id == other.id };
    if !is_same {
        list.push(Change::new("operator", &a.op, &b.op));
    } else if !is_same_function(side, its) {
        let named = |side: &Side<'_>, op: &str| match side.model.node(side.node).version {
            0 => op.to_owned(),
            version => format!("{op} of opset {version}"),
        };
        let (own, other) = (named(side, &a.op), named(its, &b.op));
        list.extend((own != other).then(|| Change::new("operator", own, other)));
    }
    list.extend(type_changes(side, its));
    list.extend(operand_changes(&own.operands, &other.operands));
    list.extend((own.rule != other.rule).then(|| Change::new("rule", &own.rule, &other.rule)));
    // The attributes of frameworks have names of their own.
    list.extend(if has_same_names && is_same { attribute_changes(own, other) } else { Vec::new() });
    list.extend(if has_same_names && is_same { unnamed_change(sides) } else { None });
    list.extend(Change::of_shapes("result", [&a.result, &b.result]));
    list
}

/// Lists in what two nodes differ of which one cannot be read.
fn unread_changes(a: &Compared, b: &Compared) -> Vec<Change> {
    let reason = |meaning: &Result<(Meaning, Means), String>| {
        meaning.as_ref().map_or_else(|why| format!("cannot be read: {why}"), |_| "can be read".to_owned())
    };
    let (own, other) = (reason(&a.meaning), reason(&b.meaning));
    let op = (a.op != b.op).then(|| Change::new("operator", &a.op, &b.op));
    op.into_iter().chain((own != other).then(|| Change::new("reading", own, other))).collect()
}

/// Lists the operands whose element types differ.
fn type_changes(a: &Side<'_>, b: &Side<'_>) -> Vec<Change> {
    let element = |side: &Side<'_>, value: Option<ValueId>| {
        side.shapes.of.get(value?.0 as usize)?.element.as_ref().map(ToString::to_string)
    };
    let pairs = operands(a).into_iter().zip(operands(b)).enumerate();
    let change = |(k, (own, other))| {
        let (own, other) = (element(a, own)?, element(b, other)?);
        let which = Some(crate::answer::letter(k));
        (own != other).then(|| Change { which, ..Change::new("element type of operand", own, other) })
    };
    pairs.filter_map(change).collect()
}

/// Compares what else is written in two nodes of one framework, such as the numbers that ncnn's layers hold.
fn unnamed_change([a, b]: &[Side<'_>; 2]) -> Option<Change> {
    let written = |side: &Side<'_>| {
        let list = unnamed_attributes(side);
        if list.is_empty() { "none".to_owned() } else { list.join(" ") }
    };
    let (own, other) = (written(a), written(b));
    (own != other).then(|| Change::new("attributes", own, other))
}

/// Lists the operands that are other tensors.
fn tensor_changes([a, b]: &[Side<'_>; 2], tensors: &mut Tensors<'_>) -> Vec<Change> {
    let name = |side: &Side<'_>, value: Option<ValueId>| {
        value.map_or_else(|| "nothing".to_owned(), |value| side.model.value(value).name.clone())
    };
    let mut list = Vec::new();
    for (k, pair) in operands(a).into_iter().zip(operands(b)).enumerate() {
        if !is_same(pair, tensors) {
            let which = Some(crate::answer::letter(k));
            list.push(Change { which, ..Change::new("tensor of operand", name(a, pair.0), name(b, pair.1)) });
        }
    }
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

/// Two nodes that are not written alike.
struct Pair<'a> {
    entry: &'a Compared,
    other: &'a Compared,
    changes: Vec<Change>,
    /// Why it cannot be proven that they mean the same, where that is open.
    unproven: Option<String>,
}

impl Pair<'_> {
    fn show(&self, says: &str) -> String {
        let Self { entry: a, other: b, .. } = self;
        let places = if a.place == b.place {
            quoted(&a.place)
        } else {
            format!("{} and {}", quoted(&a.place), quoted(&b.place))
        };
        let mut text = format!("{} ({}), {places}{says}:\n", quoted(&a.node), quoted(&a.op));
        for change in &self.changes {
            let which = change.which.as_ref().map_or_else(String::new, |which| format!(" {which}"));
            let [a, b] = change.values.each_ref().map(|value| quoted(value));
            text += &format!("  {}{which}: {a} -> {b}\n", change.what);
        }
        if let Some(why) = &self.unproven {
            text += &format!("  cannot be compared further: {}\n", quoted(why));
        }
        text
    }

    fn describe(&self) -> Value {
        let change = |change: &Change| {
            let [a, b] = &change.json;
            json!({ "what": change.what, "which": change.which, "a": a, "b": b })
        };
        json!({
            "node": self.entry.node,
            "a": self.entry.describe(),
            "b": self.other.describe(),
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
            "unproven": self.unproven,
        })
    }
}

impl Compared {
    fn describe(&self) -> Value {
        json!({ "node": self.node, "op": self.op, "place": self.place })
    }
}

/// What was found.
struct Differences<'a> {
    names: [String; 2],
    only: [Vec<&'a Compared>; 2],
    changed: Vec<Pair<'a>>,
    rewritten: Vec<Pair<'a>>,
    equal: usize,
}

impl Differences<'_> {
    fn is_equal(&self) -> bool {
        self.changed.is_empty() && self.only.iter().all(Vec::is_empty)
    }

    fn show(&self, all: bool) -> String {
        let names = self.names.each_ref().map(|name| escaped(name));
        let mut text = String::new();
        for (entries, name) in self.only.iter().zip(&names) {
            for entry in entries {
                let (node, op, place) = (quoted(&entry.node), quoted(&entry.op), quoted(&entry.place));
                text += &format!("only in {name}: {node} ({op}), {place}\n");
            }
        }
        text.extend(self.changed.iter().map(|pair| pair.show("")));
        let rewritten = self.rewritten.iter().filter(|_| all);
        text.extend(rewritten.map(|pair| pair.show(", written differently, means the same")));
        if !text.is_empty() {
            text += "\n";
        }
        let (equal, rewritten, changed) = (self.equal, self.rewritten.len(), self.changed.len());
        let [only_a, only_b] = self.only.each_ref().map(Vec::len);
        let [a, b] = names;
        let same = format!("{equal} equal, {rewritten} written differently with the same meaning, {changed} changed");
        text += &format!("{same}, {only_a} only in {a}, {only_b} only in {b}\n");
        terminal::fitted(&text, terminal::columns())
    }

    fn describe(&self) -> Value {
        let [only_a, only_b] =
            self.only.each_ref().map(|only| only.iter().map(|entry| entry.describe()).collect::<Vec<_>>());
        let pairs = |pairs: &[Pair<'_>]| pairs.iter().map(Pair::describe).collect::<Vec<_>>();
        json!({
            "a": self.names[0],
            "b": self.names[1],
            "equal": self.is_equal(),
            "same": self.equal,
            "rewritten": pairs(&self.rewritten),
            "only_a": only_a,
            "only_b": only_b,
            "changed": pairs(&self.changed),
        })
    }
}
