//! Compares what the element-wise nodes of two models mean.
//!
//! Nodes are matched by their names, those left over by the names of their first outputs, and the rest by their order where both
//! models have the same operators left. A name that occurs several times is matched in the order of the files. A result that a
//! node only reshapes has the name of the reshaped one too.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    fmt,
};

use broadaxe_models::{
    Kind, Meaning, Model, Node, NodeId, Operator, Uses, ValueId,
    equivalence::{Equivalence, Side, Tensors, equivalence, is_same_function, readers, reshaped, unnamed_attributes},
    infer::Shapes,
    meaning::{Source, meaning},
    report::{dims, node_name},
};
use broadaxe_shape::SymbolicShape;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    error::Error,
    json::Each,
    model::{Loaded, Open, load},
    request::DiffRequest,
};

/// Reads the two models.
///
/// # Errors
/// When a model cannot be read, or a shape is malformed.
pub fn models(request: &DiffRequest, open: Open<'_>) -> Result<[Loaded; 2], Error> {
    let read = |path| load(path, &request.input_shapes, open);
    Ok([read(&request.a)?, read(&request.b)?])
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
fn compared(nodes: &[Nodes<'_>; 2], ids: [NodeId; 2], tensors: &mut Tensors<'_>) -> (Class, Vec<Change>) {
    let [(a, entry), (b, other)] = [0, 1].map(|k| (&nodes[k], Compared::new(&nodes[k], ids[k])));
    let has_same_names = a.model().system == b.model().system;
    let both = [(a.model(), ids[0]), (b.model(), ids[1])];
    let (Ok((own, means)), Ok((its, other_means))) = (&entry.meaning, &other.meaning) else {
        let mut changes = unread_changes(both, [&entry, &other]);
        if changes.is_empty() && is_same_text(both) && has_same_inputs(both, tensors) {
            return (Class::Equal, changes);
        }
        changes.extend(Change::of_shapes("result", [&entry.result, &other.result]));
        let why = entry.meaning.err().or(other.meaning.err());
        return (Class::Changed(why), changes);
    };
    let sides = [(a, ids[0], own), (b, ids[1], its)];
    let sides = sides.map(|(of, node, meaning)| Side { model: of.model(), shapes: &of.of.shapes, node, meaning });
    let mut changes = changes((&entry, means), (&other, other_means), &sides, has_same_names);
    let has_same_operands = if has_same_names {
        has_same_inputs(both, tensors)
    } else {
        operands(&sides[0]).into_iter().zip(operands(&sides[1])).all(|pair| is_same(pair, tensors))
    };
    if changes.is_empty() && has_same_operands && is_same_function(&sides[0], &sides[1]) {
        return (Class::Equal, changes);
    }
    match equivalence(&sides[0], &sides[1], tensors) {
        Equivalence::Same if has_same_result((a, &entry), (b, &other)) => (Class::Rewritten, changes),
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
fn has_same_inputs([(model, id), (other, its)]: [(&Model, NodeId); 2], tensors: &mut Tensors<'_>) -> bool {
    let (own, others) = (&model.node(id).inputs, &other.node(its).inputs);
    own.len() == others.len() && own.iter().copied().zip(others.iter().copied()).all(|pair| is_same(pair, tensors))
}

/// Says whether two nodes have the same operator, version and attributes.
fn is_same_text([(model, id), (other, its)]: [(&Model, NodeId); 2]) -> bool {
    let text = |node: &Node| {
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
fn has_same_result((of, a): (&Nodes<'_>, &Compared), (other, b): (&Nodes<'_>, &Compared)) -> bool {
    let named = |of: &Nodes<'_>, id: NodeId, name: &str| {
        let found = of.aliases(id).into_iter().find(|&alias| of.model().value(alias).name == name);
        found.map(|alias| of.shape(Some(alias)))
    };
    let [own, its] = [of.output(a.id), other.output(b.id)];
    if own == its {
        return a.result == b.result;
    }
    match (named(other, b.id, own), named(of, a.id, its)) {
        (Some(shape), _) => a.result == shape,
        (None, Some(shape)) => shape == b.result,
        (None, None) => a.result == b.result,
    }
}

/// A model, and its element-wise nodes.
#[derive(Debug)]
pub struct Nodes<'a> {
    of: &'a Loaded,
    uses: Uses,
    ids: Vec<NodeId>,
}

impl<'a> Nodes<'a> {
    /// Finds the nodes of a model.
    pub fn new(of: &'a Loaded) -> Self {
        let mut ids = of.model.walk();
        ids.retain(|&id| meaning(&of.model, id).is_some());
        Self { of, uses: of.model.uses(), ids }
    }

    /// Returns the model.
    pub fn model(&self) -> &'a Model {
        &self.of.model
    }

    fn shape(&self, value: Option<ValueId>) -> SymbolicShape {
        let known = value.and_then(|value| self.of.shapes.of.get(value.0 as usize));
        known.map_or_else(SymbolicShape::unknown_rank, |known| known.shape.clone())
    }

    /// Returns the name of a node, which may be empty.
    fn name(&self, id: NodeId) -> &'a str {
        &self.model().node(id).name
    }

    /// Returns the name of the first output of a node, which may be empty.
    fn output(&self, id: NodeId) -> &'a str {
        let first = self.model().node(id).outputs.iter().flatten().next();
        first.map_or("", |&value| &self.model().value(value).name)
    }

    /// Lists the values that have the elements of the first output in their order.
    fn aliases(&self, id: NodeId) -> Vec<ValueId> {
        let output = self.model().node(id).output(0);
        output.map_or_else(Vec::new, |value| reshaped(self.model(), &self.uses, value))
    }

    /// Says whether a node only stretches a tensor for nodes that were compared with it.
    fn is_part_of(&self, id: NodeId, through: &HashSet<NodeId>) -> bool {
        let is_stretch = || meaning(self.model(), id).is_some_and(|read| read.is_ok_and(|of| of.kind == Kind::Stretch));
        let output = self.model().node(id).output(0).filter(|_| !through.is_empty() && is_stretch());
        let readers = output.and_then(|output| readers(self.model(), &self.uses, output));
        readers.is_some_and(|readers| !readers.is_empty() && readers.iter().all(|id| through.contains(id)))
    }

    fn describe(&self, id: NodeId) -> Value {
        let node = self.model().node(id);
        json!({ "node": node_name(self.model(), id), "op": node.op, "place": node.place })
    }
}

/// An element-wise node, with all that is compared. It is made for one comparison: a model may have many nodes.
struct Compared {
    id: NodeId,
    /// What the node means, or why that cannot be read.
    meaning: Result<(Meaning, Means), String>,
    result: SymbolicShape,
}

impl Compared {
    fn new(of: &Nodes<'_>, id: NodeId) -> Self {
        let result = of.shape(of.model().node(id).output(0));
        let meaning = meaning(of.model(), id).unwrap_or_else(|| Err("it is not element-wise".to_owned()));
        let meaning = meaning.map(|meaning| {
            let means = Means::new(of.model(), id, &meaning, &of.of.shapes, &result);
            (meaning, means)
        });
        Self { id, meaning, result }
    }
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

/// Finds for each node of the first model its counterpart, by its place among those of the second one.
fn matched([a, b]: &[Nodes<'_>; 2]) -> Vec<Option<usize>> {
    let mut found = vec![None; a.ids.len()];
    let mut is_free = vec![true; b.ids.len()];
    type Keys = for<'a> fn(&Nodes<'a>, NodeId) -> Vec<&'a str>;
    let name: Keys = |of, id| vec![of.name(id)];
    let output: Keys = |of, id| vec![of.output(id)];
    let aliases: Keys =
        |of, id| of.aliases(id).into_iter().map(|value| of.model().value(value).name.as_str()).collect();
    for (own, its) in [(name, name), (output, output), (output, aliases), (aliases, output)] {
        let mut by_key: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (at, &id) in b.ids.iter().enumerate().filter(|(at, _)| is_free[*at]) {
            for key in its(b, id).into_iter().filter(|key| !key.is_empty()) {
                by_key.entry(key).or_default().push_back(at);
            }
        }
        for (&id, found) in a.ids.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let mut free = |key: &&str| {
                let list = by_key.get_mut(*key)?;
                let at = list.iter().position(|at| is_free[*at])?;
                list.remove(at)
            };
            *found = own(a, id).iter().find_map(&mut free);
            if let Some(at) = *found {
                is_free[at] = false;
            }
        }
    }
    if a.model().system == b.model().system {
        match_in_order((a, &mut found), (b, &is_free));
    }
    found
}

/// Matches the nodes that are left, where both models have the same operators left in the same order: nothing else can be meant.
fn match_in_order((a, found): (&Nodes<'_>, &mut [Option<usize>]), (b, is_free): (&Nodes<'_>, &[bool])) {
    let rest: Vec<usize> = (0..found.len()).filter(|&at| found[at].is_none()).collect();
    let free: Vec<usize> = (0..is_free.len()).filter(|&at| is_free[at]).collect();
    let op = |of: &Nodes<'_>, at: &usize| of.model().node(of.ids[*at]).op.clone();
    if rest.iter().map(|at| op(a, at)).eq(free.iter().map(|at| op(b, at))) {
        for (at, other) in rest.into_iter().zip(free) {
            found[at] = Some(other);
        }
    }
}

/// One thing in which two nodes differ, with its value in each.
#[derive(Debug)]
pub struct Change {
    /// What differs: `operator`, `operands`, `operand`, `rule`, `attribute`, `attributes`, `result`, `reading`, `element type of
    /// operand` or `tensor of operand`.
    pub what: &'static str,
    /// Which operand or attribute.
    pub which: Option<String>,
    /// The value in each node.
    pub values: [Changed; 2],
}

/// What one of two nodes has where they differ.
#[derive(Debug)]
pub enum Changed {
    /// A text.
    Text(String),
    /// A shape.
    Shape(SymbolicShape),
}

impl Changed {
    fn json(&self) -> Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Shape(shape) => json!(dims(shape)),
        }
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Shape(shape) => write!(f, "{shape}"),
        }
    }
}

impl Change {
    fn new(what: &'static str, a: impl Into<String>, b: impl Into<String>) -> Self {
        Self { what, which: None, values: [Changed::Text(a.into()), Changed::Text(b.into())] }
    }

    fn of_shapes(what: &'static str, shapes: [&SymbolicShape; 2]) -> Option<Self> {
        let [a, b] = shapes;
        (a != b).then(|| Self { what, which: None, values: shapes.map(|shape| Changed::Shape(shape.clone())) })
    }

    fn describe(&self) -> Value {
        let [a, b] = self.values.each_ref().map(Changed::json);
        json!({ "what": self.what, "which": self.which, "a": a, "b": b })
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
    let [a_node, b_node] = [side, its].map(|side| side.model.node(side.node));
    let is_same = if has_same_names { a_node.op == b_node.op } else { own.id.is_some() && own.id == other.id };
    if !is_same {
        list.push(Change::new("operator", &a_node.op, &b_node.op));
    } else if !is_same_function(side, its) {
        let named = |node: &Node| match node.version {
            0 => node.op.clone(),
            version => format!("{} of opset {version}", node.op),
        };
        let (own, other) = (named(a_node), named(b_node));
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
fn unread_changes([(model, id), (other, its)]: [(&Model, NodeId); 2], both: [&Compared; 2]) -> Vec<Change> {
    let [own_reason, its_reason] = both.map(|of| {
        of.meaning.as_ref().map_or_else(|why| format!("cannot be read: {why}"), |_| "can be read".to_owned())
    });
    let (own, its) = (&model.node(id).op, &other.node(its).op);
    let op = (own != its).then(|| Change::new("operator", own, its));
    op.into_iter().chain((own_reason != its_reason).then(|| Change::new("reading", own_reason, its_reason))).collect()
}

/// Lists the operands whose element types differ.
fn type_changes(a: &Side<'_>, b: &Side<'_>) -> Vec<Change> {
    let element = |side: &Side<'_>, value: Option<ValueId>| {
        side.shapes.of.get(value?.0 as usize)?.element.as_ref().map(ToString::to_string)
    };
    let pairs = operands(a).into_iter().zip(operands(b)).enumerate();
    let change = |(k, (own, other))| {
        let (own, other) = (element(a, own)?, element(b, other)?);
        let which = Some(broadaxe_draw::words::letter(k));
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
            let which = Some(broadaxe_draw::words::letter(k));
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
        Some(Change { which: Some(broadaxe_draw::words::letter(k)), ..change })
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
#[derive(Debug)]
pub struct Pair {
    /// The nodes.
    pub ids: [NodeId; 2],
    /// In what they differ.
    pub changes: Vec<Change>,
    /// Why it cannot be proven that they mean the same, where that is open.
    pub unproven: Option<String>,
}

/// What was found.
#[derive(Debug)]
pub struct Differences<'a> {
    /// The models.
    pub sides: &'a [Nodes<'a>; 2],
    /// Their files.
    pub names: [String; 2],
    /// The nodes that only one of them has.
    pub only: [Vec<NodeId>; 2],
    /// The nodes that differ, or perhaps differ.
    pub changed: Vec<Pair>,
    /// The nodes that are written differently and mean the same.
    pub rewritten: Vec<Pair>,
    /// How many nodes are written alike.
    pub equal: usize,
}

impl<'a> Differences<'a> {
    /// Compares two models.
    pub fn new(sides: &'a [Nodes<'a>; 2]) -> Self {
        let [a, b] = sides;
        let names = sides.each_ref().map(|nodes| nodes.of.path.display().to_string());
        let mut found = Self { sides, names, only: Default::default(), changed: vec![], rewritten: vec![], equal: 0 };
        let matched = matched(sides);
        let mut tensors = Tensors::new(a.model(), b.model());
        let mut is_matched = vec![false; b.ids.len()];
        for (&id, other) in a.ids.iter().zip(matched) {
            let Some(at) = other else {
                found.only[0].push(id);
                continue;
            };
            is_matched[at] = true;
            let ids = [id, b.ids[at]];
            match compared(sides, ids, &mut tensors) {
                (Class::Equal, _) => found.equal += 1,
                (Class::Rewritten, changes) => found.rewritten.push(Pair { ids, changes, unproven: None }),
                (Class::Changed(unproven), changes) => found.changed.push(Pair { ids, changes, unproven }),
            }
        }
        found.only[1] = b.ids.iter().zip(&is_matched).filter(|(_, matched)| !**matched).map(|(id, _)| *id).collect();
        for (k, nodes) in sides.iter().enumerate() {
            let through = found.rewritten.iter().map(|pair| pair.ids[k]).collect();
            found.only[k].retain(|id| !nodes.is_part_of(*id, &through));
        }
        found
    }

    /// Says whether the models mean the same.
    pub fn is_equal(&self) -> bool {
        self.changed.is_empty() && self.only.iter().all(Vec::is_empty)
    }

    /// Returns what is printed as JSON.
    pub fn record(&self) -> impl Serialize {
        let only = |k: usize| Each(move || self.only[k].iter().map(move |&id| self.sides[k].describe(id)));
        let pairs = |of: fn(&Self) -> &[Pair]| Each(move || of(self).iter().map(|pair| self.describe_pair(pair)));
        let (rewritten, changed) = (pairs(|found| &found.rewritten), pairs(|found| &found.changed));
        let [a, b] = self.names.clone();
        let (equal, same) = (self.is_equal(), self.equal);
        DifferencesRecord { a, b, equal, same, rewritten, only_a: only(0), only_b: only(1), changed }
    }

    fn describe_pair(&self, pair: &Pair) -> Value {
        let [a, b] = [0, 1].map(|k| self.sides[k].describe(pair.ids[k]));
        json!({
            "node": a["node"],
            "a": a,
            "b": b,
            "changes": pair.changes.iter().map(Change::describe).collect::<Vec<_>>(),
            "unproven": pair.unproven,
        })
    }
}

/// What is printed as JSON.
#[derive(Serialize)]
struct DifferencesRecord<P, N> {
    a: String,
    b: String,
    equal: bool,
    same: usize,
    rewritten: P,
    only_a: N,
    only_b: N,
    changed: P,
}
