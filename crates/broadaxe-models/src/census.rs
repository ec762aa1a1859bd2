//! Counts the broadcasting nodes of a model: operators, placement of operands, loops, growth and bytes.
//!
//! Per axis of the result an operand either runs along or repeats. Axes of extent 1 do not count, and neighbours along
//! which all operands do the same are one axis: what is left is the number of loops that an engine needs, and the pattern
//! in which the smaller operands lie.

use std::{collections::BTreeMap, fmt};

use broadaxe_shape::{Dim, SymbolicShape, symbolic::Inferred};

use crate::{
    graph::{Model, NodeId},
    infer::Shapes,
    meaning::{self, Kind, Meaning, Source},
};

/// How the operands of a node lie on its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Pattern {
    /// There is one operand, and it has the shape of the result.
    Unary,
    /// All operands have the shape of the result.
    Same,
    /// The smaller operands have one element.
    Scalar,
    /// A smaller operand runs along the last axes: a bias per feature.
    Bias,
    /// A smaller operand runs along the first axes.
    Prefix,
    /// A smaller operand runs along axes in the middle: a bias per channel of a batch of images.
    Channel,
    /// A smaller operand runs along axes that are no neighbours.
    Apart,
    /// No operand has the shape of the result: each repeats where another runs along.
    Both,
    /// The shapes are not known, or do not broadcast.
    Unknown,
}

impl Pattern {
    /// Returns the word for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unary => "unary",
            Self::Same => "same",
            Self::Scalar => "scalar",
            Self::Bias => "bias",
            Self::Prefix => "prefix",
            Self::Channel => "channel",
            Self::Apart => "apart",
            Self::Both => "both stretch",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One broadcasting node.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The node.
    pub node: NodeId,
    /// Its operator, in the names of the format.
    pub op: String,
    /// How its operands lie.
    pub pattern: Pattern,
    /// The rank of the result, where it is known.
    pub rank: Option<usize>,
    /// How many loops are left when axes that all operands walk alike are one.
    pub merged: Option<usize>,
    /// The elements of the result, where all sizes are known.
    pub elements: Option<u64>,
    /// How many times as many elements the result has as the largest operand.
    pub blow_up: Option<f64>,
    /// The bytes of operands and result.
    pub bytes: Option<u64>,
    /// Why the shapes are not known, if they are not.
    pub reason: String,
}

/// The entries of one operator and pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The operator.
    pub op: String,
    /// The pattern.
    pub pattern: Pattern,
    /// How many nodes there are.
    pub nodes: usize,
    /// The most loops that one of them needs.
    pub merged: Option<usize>,
    /// The most that one of them grows.
    pub blow_up: Option<f64>,
    /// The bytes of all whose sizes are known.
    pub bytes: u64,
    /// How many have sizes that are not known.
    pub open: usize,
}

/// The broadcasting nodes of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Census {
    /// How many nodes the model has, of all kinds.
    pub nodes: usize,
    /// The element-wise ones, in the order of the file.
    pub entries: Vec<Entry>,
}

impl Census {
    /// Counts entries by operator and pattern, the most frequent first.
    pub fn rows(&self) -> Vec<Row> {
        let mut groups: BTreeMap<(&str, Pattern), Vec<&Entry>> = BTreeMap::new();
        for entry in &self.entries {
            groups.entry((&entry.op, entry.pattern)).or_default().push(entry);
        }
        let mut rows: Vec<Row> =
            groups.into_iter().map(|((op, pattern), entries)| row(op, pattern, &entries)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.nodes));
        rows
    }

    /// Counts entries by the number of loops that they need; the last one is of those where it is not known.
    pub fn loops(&self) -> Vec<(Option<usize>, usize)> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for entry in &self.entries {
            *counts.entry(entry.merged.unwrap_or(usize::MAX)).or_default() += 1;
        }
        counts.into_iter().map(|(loops, count)| ((loops != usize::MAX).then_some(loops), count)).collect()
    }
}

fn row(op: &str, pattern: Pattern, entries: &[&Entry]) -> Row {
    Row {
        op: op.to_string(),
        pattern,
        nodes: entries.len(),
        merged: entries.iter().filter_map(|entry| entry.merged).max(),
        blow_up: entries.iter().filter_map(|entry| entry.blow_up).max_by(f64::total_cmp),
        bytes: entries.iter().filter_map(|entry| entry.bytes).fold(0, u64::saturating_add),
        open: entries.iter().filter(|entry| entry.bytes.is_none()).count(),
    }
}

/// Looks at all broadcasting nodes of a model.
pub fn census(model: &Model, shapes: &Shapes) -> Census {
    let entry = |node| match meaning::meaning(model, node)? {
        Ok(meaning) => Some(look(model, shapes, node, &meaning)),
        Err(reason) => Some(unknown(model, node, reason)),
    };
    Census { nodes: model.nodes.len(), entries: model.walk().into_iter().filter_map(entry).collect() }
}

fn unknown(model: &Model, node: NodeId, reason: String) -> Entry {
    let op = model.node(node).op.clone();
    let (rank, merged, elements, blow_up, bytes) = (None, None, None, None, None);
    Entry { node, op, pattern: Pattern::Unknown, rank, merged, elements, blow_up, bytes, reason }
}

fn look(model: &Model, shapes: &Shapes, id: NodeId, meaning: &Meaning) -> Entry {
    let node = model.node(id);
    let operands = meaning.shapes(node, shapes);
    let result = node.output(0).and_then(|value| shapes.of.get(value.0 as usize));
    let inferred = match (meaning.broadcasts() && meaning.kind != Kind::Blocks, result) {
        (false, _) => infer_alone(meaning, &operands),
        (true, Some(result)) if meaning.rule.def().target => meaning.rule.infer_to(&operands, &result.shape),
        (true, _) => meaning.rule.infer(&operands),
    };
    let inferred = match inferred {
        Ok(inferred) => inferred,
        Err(error) => return unknown(model, id, error.to_string()),
    };
    let Some(dims) = inferred.shape().dims() else {
        return unknown(model, id, "the rank of an operand is not known".to_string());
    };
    let columns = columns(&inferred, &operands, dims);
    let pattern = match &columns {
        Some(columns) if operands.len() > 1 => pattern(columns, operands.len()),
        Some(columns) if meaning.kind == Kind::Stretch => alone(columns),
        Some(_) => Pattern::Unary,
        None => Pattern::Unknown,
    };
    let elements = count(inferred.shape());
    let sizes: Option<Vec<u64>> = operands.iter().map(count).collect();
    let largest = sizes.as_ref().and_then(|sizes| sizes.iter().copied().max()).filter(|&largest| largest > 0);
    let bytes = bytes(model, shapes, id, meaning, sizes.as_deref().zip(elements));
    Entry {
        node: id,
        op: node.op.clone(),
        pattern,
        rank: Some(dims.len()),
        merged: columns.as_ref().map(Vec::len),
        elements,
        blow_up: elements.zip(largest).map(|(elements, largest)| elements as f64 / largest as f64),
        bytes,
        reason: String::new(),
    }
}

/// Infers for one operand, which has the shape of the result; a layer's own numbers follow their rule.
fn infer_alone(meaning: &Meaning, operands: &[SymbolicShape]) -> Result<Inferred, broadaxe_shape::Error> {
    // No rule places the entries of blocks; the data has the result's shape.
    if operands.len() > 1 && meaning.kind != Kind::Blocks {
        return meaning.rule.infer(operands);
    }
    let alone = operands.first().cloned().unwrap_or_else(SymbolicShape::unknown_rank);
    broadaxe_shape::Rule::numpy().infer(&[alone.clone(), alone])
}

/// Returns, for each axis that is left after merging, which operands run along it; nothing where that is not known.
fn columns(inferred: &Inferred, operands: &[SymbolicShape], dims: &[Dim]) -> Option<Vec<Vec<bool>>> {
    let placement = inferred.placement()?;
    let mut columns: Vec<Vec<bool>> = Vec::new();
    for (axis, dim) in dims.iter().enumerate().filter(|(_, dim)| dim.size() != Some(1)) {
        let runs = |(k, operand): (usize, &SymbolicShape)| {
            let at = placement.axes(k).iter().position(|&to| to == axis);
            let own = at.and_then(|at| operand.dims()?.get(at));
            own.is_some_and(|own| own.size() != Some(1) || dim.size() == Some(1))
        };
        let column: Vec<bool> = operands.iter().take(placement.count()).enumerate().map(runs).collect();
        if columns.last() != Some(&column) {
            columns.push(column);
        }
    }
    Some(columns)
}

fn pattern(columns: &[Vec<bool>], operands: usize) -> Pattern {
    let own = |k: usize| columns.iter().map(|column| column[k]).collect::<Vec<bool>>();
    let rows: Vec<Vec<bool>> = (0..operands).map(own).collect();
    if rows.iter().all(|row| row.iter().all(|&runs| runs)) {
        return Pattern::Same;
    }
    if !rows.iter().any(|row| row.iter().all(|&runs| runs)) {
        return Pattern::Both;
    }
    let smaller = rows.iter().filter(|row| row.contains(&false));
    smaller.map(|row| pattern_of(row)).max().unwrap_or(Pattern::Same)
}

/// Says how an operand that is stretched alone is placed on the result.
fn alone(columns: &[Vec<bool>]) -> Pattern {
    let row: Vec<bool> = columns.iter().map(|column| column[0]).collect();
    if row.contains(&false) { pattern_of(&row) } else { Pattern::Same }
}

/// Says how a smaller operand is placed, by the axes that it covers.
fn pattern_of(row: &[bool]) -> Pattern {
    let Some(first) = row.iter().position(|&runs| runs) else { return Pattern::Scalar };
    let last = row.iter().rposition(|&runs| runs).unwrap_or(first);
    match () {
        () if row[first..=last].contains(&false) => Pattern::Apart,
        () if last + 1 == row.len() => Pattern::Bias,
        () if first == 0 => Pattern::Prefix,
        () => Pattern::Channel,
    }
}

/// Counts elements, where all sizes are known.
fn count(shape: &SymbolicShape) -> Option<u64> {
    let sizes = shape.dims()?.iter().map(Dim::size);
    sizes.into_iter().try_fold(1_u64, |all, size| Some(all.saturating_mul(size? as u64)))
}

/// Counts the bytes of operands and result, where sizes and types are known.
fn bytes(model: &Model, shapes: &Shapes, id: NodeId, meaning: &Meaning, sizes: Option<(&[u64], u64)>) -> Option<u64> {
    let (sizes, elements) = sizes?;
    let node = model.node(id);
    let width =
        |value: Option<crate::ValueId>| Some(u64::from(shapes.of.get(value?.0 as usize)?.element.as_ref()?.bits()));
    let operand = |(source, &size): (&Source, &u64)| match source {
        Source::Input(k) => Some(size.saturating_mul(width(node.input(*k))?)),
        Source::Result | Source::Scores => Some(size.saturating_mul(width(node.output(0))?)),
        Source::Groups(_) => Some(size.saturating_mul(width(node.input(0))?)),
        Source::Scalar => Some(0),
        Source::Held(_) => Some(size.saturating_mul(32)),
    };
    let read = meaning.operands.iter().zip(sizes).map(operand);
    let written = elements.saturating_mul(width(node.output(0)).or_else(|| width(node.input(0)))?);
    let bits = read.into_iter().try_fold(written, |all, bits| Some(all.saturating_add(bits?)));
    Some(bits?.div_ceil(8))
}

#[cfg(test)]
mod tests;
