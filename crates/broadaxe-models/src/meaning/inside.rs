//! Shapes of what an operator computes first, and of data that it divides.

use broadaxe_frameworks::{CONTRIB, Inner};
use broadaxe_shape::{Dim, SymbolicShape, symbolic::Size};

use super::Source;
use crate::{
    ValueId,
    graph::{Attribute, Node},
};

/// The first opset in which a mask may have fewer columns than there are keys: those behind take no part.
pub(crate) const SHORTER_MASK: i64 = 24;
/// The inputs of `Attention`: queries, keys, mask, and the keys of past steps.
const QUERIES: usize = 0;
const KEYS: usize = 1;
const MASK: usize = 3;
const PAST: usize = 4;

/// Returns where the data are from that an operator has inside.
pub(super) fn data(inner: Inner) -> Source {
    match inner {
        Inner::Input => Source::Input(0),
        Inner::Product => Source::Result,
        Inner::Scores => Source::Scores,
    }
}

/// Divides the channels, axis 1, into groups: (2, 6, 5) of 3 groups becomes (2, 3, 10).
pub(super) fn groups(data: &SymbolicShape, count: i64) -> SymbolicShape {
    let Some([batch, channels, rest @ ..]) = data.dims() else { return SymbolicShape::unknown_rank() };
    let mut number = 0;
    let in_group = Size::of(channels, &mut number).floor(&Size::known(count));
    let next = rest.first().map_or_else(|| Size::known(1), |dim| Size::of(dim, &mut number));
    let next = in_group.and_then(|in_group| in_group.times(&next));
    let count = Dim::known(usize::try_from(count).unwrap_or(0));
    let next = next.map_or_else(Dim::unknown, |size| size.dim());
    SymbolicShape::new([&[batch.clone(), count, next], rest.get(1..).unwrap_or_default()].concat())
}

/// Returns the shape of the scores of an attention: batch, heads of the queries, queries, keys.
pub(super) fn scores(node: &Node, of: impl Fn(Option<ValueId>) -> SymbolicShape) -> SymbolicShape {
    if node.domain == CONTRIB {
        return contrib_scores(node, of).unwrap_or_else(SymbolicShape::unknown_rank);
    }
    let heads = node.attribute("q_num_heads").and_then(Attribute::int).and_then(|heads| usize::try_from(heads).ok());
    let (queries, keys) = (of(node.input(QUERIES)), of(node.input(KEYS)));
    let (batch, heads, rows, columns) = match (queries.dims(), keys.dims()) {
        (Some([batch, heads, rows, _]), Some([_, _, columns, _])) => (batch, heads.clone(), rows, columns),
        (Some([batch, rows, _]), Some([_, columns, _])) => {
            (batch, heads.map_or_else(Dim::unknown, Dim::known), rows, columns)
        }
        _ => return SymbolicShape::unknown_rank(),
    };
    let columns = shown(node, &of, with_past(node, &of, columns));
    SymbolicShape::new([batch.clone(), heads, rows.clone(), columns])
}

/// Returns the shape of the scores of an attention of ONNX Runtime's own: the heads are in the last axis, or in one of theirs.
///
/// How many keys there are with those of past steps is not said where a buffer has room for more.
fn contrib_scores(node: &Node, of: impl Fn(Option<ValueId>) -> SymbolicShape) -> Option<SymbolicShape> {
    let heads = node.attribute("num_heads").and_then(Attribute::int).and_then(|heads| usize::try_from(heads).ok())?;
    let queries = of(node.input(QUERIES));
    let [batch, rows, ..] = queries.dims()? else { return None };
    // The queries of an `Attention` are projected from the data, as its keys are.
    let keys = if node.op == "Attention" { queries.clone() } else { of(node.input(KEYS)) };
    let past: &[usize] = match node.op.as_str() {
        "Attention" => &[4],
        "MultiHeadAttention" => &[6, 7],
        _ => &[3, 4],
    };
    let columns = match keys.dims() {
        _ if past.iter().any(|&k| node.input(k).is_some()) => Dim::unknown(),
        // Heads are packed into the last axis, have an axis, or are packed with the values.
        Some([_, columns, _] | [_, _, columns, _] | [_, columns, _, _, _]) => columns.clone(),
        // All are packed in the queries.
        _ => rows.clone(),
    };
    Some(SymbolicShape::new([batch.clone(), Dim::known(heads), rows.clone(), columns]))
}

/// Returns how many keys an `Attention` has, those of past steps included.
pub(crate) fn columns(node: &Node, of: impl Fn(Option<ValueId>) -> Option<SymbolicShape>) -> Option<Dim> {
    let keys = of(node.input(KEYS))?;
    let dims = keys.dims()?;
    let own = dims.get(dims.len().checked_sub(2)?)?;
    Some(with_past(node, |value| of(value).unwrap_or_else(SymbolicShape::unknown_rank), own))
}

/// Adds the keys of past steps.
fn with_past(node: &Node, of: impl Fn(Option<ValueId>) -> SymbolicShape, columns: &Dim) -> Dim {
    if node.input(PAST).is_none() {
        return columns.clone();
    }
    let past = of(node.input(PAST));
    let Some([_, _, past, _]) = past.dims() else { return Dim::unknown() };
    let mut number = 0;
    let (past, own) = (Size::of(past, &mut number), Size::of(columns, &mut number));
    past.plus(&own).map_or_else(Dim::unknown, |size| size.dim())
}

/// Leaves out the columns for which a mask is too short.
fn shown(node: &Node, of: impl Fn(Option<ValueId>) -> SymbolicShape, columns: Dim) -> Dim {
    let mask = of(node.input(MASK));
    let own = mask.dims().and_then(<[Dim]>::last).and_then(Dim::size).filter(|_| node.version >= SHORTER_MASK);
    match (own, columns.size()) {
        (Some(own), Some(all)) if own < all => Dim::known(own),
        _ => columns,
    }
}
