//! Nodes behind products of matrices, and between two of them.
//!
//! The CPU plugin computes such nodes together with the products, or compiles them in one piece. An operand that adds an
//! axis longer than 1 behind an attention (a product, `Softmax`, a product) is refused, and so is a node between two products
//! by constants of one element. Behind a tiny product of computed matrices, of at most 2 rows, 2 columns and sums of 2 terms, the
//! plugin leaves out what it has merged with the product: `MatMul(x(1,2,2), w(2,2)) * c(2)` is the product alone. Only a sum right behind
//! the product, its bias, is computed, and a factor, not a slope, where a matrix has another rank than there. Asked of products of 1 to 8 rows, columns and terms, in 12
//! forms of the matrices, with 6 chains of nodes between the product and 10 operators, on a CPU with AVX2 and without AVX-512.

use broadaxe_kernels::{OpId, id};
use broadaxe_shape::Dim;

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, only_axis},
};
use crate::{
    graph::{Node, ValueId},
    meaning::Kind,
};

/// Operators whose results are of bools.
const OF_BOOLS: &[OpId] =
    &[id("equal"), id("not_equal"), id("less"), id("less_equal"), id("greater"), id("greater_equal")];

/// Finds a node that is merged with a tiny product of computed matrices.
pub(super) fn tiny(asked: &Asked<'_>) -> Option<Does> {
    let text = "may leave out what it merges with a product of 2 computed columns";
    if asked.node.op == "QuantizeLinear" {
        let (product, _) = merged(asked, asked.value(0)?)?;
        return is_tiny(asked, product).then(|| Does::Unknown(text.into()));
    }
    let (constant, value, second) = asked.split(asked.node)?;
    let is_slope = asked.meaning.kind == Kind::Slope;
    let scales = match asked.op(asked.node) {
        _ if is_slope => true,
        Some(Op::Add | Op::Sub) => false,
        Some(Op::Mul) => true,
        Some(Op::Div) if second => true,
        _ => return None,
    };
    let rank = asked.rank_of(value)?;
    let sizes = asked.sizes(constant)?;
    if sizes.iter().any(|size| *size != 1) && only_axis(&sizes, rank) != Some(rank.checked_sub(1)?) {
        return None;
    }
    let (product, is_direct) = merged(asked, value)?;
    let weights = asked.rank_of(product.input(1)?)?;
    // A sum is the bias of a product. A factor is a node of its own behind others.
    let per_column = sizes.iter().any(|size| *size != 1);
    let alone = is_direct && !(scales && per_column && (is_slope || rank > 2 && weights == 2));
    (!alone && is_tiny(asked, product)).then(|| Does::Unknown(text.into()))
}

/// Returns the product that a value is, or that functions and constants make it of; and whether it is the product itself.
fn merged<'a>(asked: &Asked<'a>, mut value: ValueId) -> Option<(&'a Node, bool)> {
    for depth in 0..REACH {
        let node = asked.producer(asked.origin(value))?;
        value = match asked.op(node) {
            Some(Op::MatMul | Op::Gemm) => return Some((node, depth == 0)),
            Some(function) if function.is_fused_function() => node.input(0)?,
            _ => asked.split(node)?.1,
        };
    }
    None
}

/// Says whether a product is of computed matrices, and has at most 2 rows, 2 columns and sums of 2 terms; open dims may have these sizes.
fn is_tiny(asked: &Asked<'_>, node: &Node) -> bool {
    let shapes = || Some((asked.form(node.input(0)?)?, asked.form(node.input(1)?)?));
    let Some((data, weights)) = shapes() else { return false };
    let (Some([front @ .., rows, terms]), Some([more @ .., _, columns])) = (data.dims(), weights.dims()) else {
        return false;
    };
    let most = |dim: &Dim, most: usize| dim.size().is_none_or(|size| size <= most);
    let is_computed = node.input(1).is_some_and(|weights| !asked.facts.is_constant(weights));
    is_computed
        && front.iter().chain(more).all(|dim| most(dim, 1))
        && most(rows, 2)
        && most(terms, 2)
        // The weights of Gemm may be transposed.
        && (asked.op(node) == Some(Op::Gemm) || columns.size().is_none_or(|size| size == 2))
}

/// Finds a node behind an attention that adds an axis, one between products by one element, and one of bools behind two products.
pub(super) fn compiled(asked: &Asked<'_>) -> Option<Does> {
    if let Some(does) = of_bools(asked) {
        return Some(does);
    }
    let data = (0..asked.operands.len()).find_map(|k| asked.value(k).filter(|value| is_product(asked, *value)))?;
    let ranks: Vec<usize> = asked.operands.ranks().flatten().collect();
    let (rank, most) = (asked.rank_of(data)?, ranks.into_iter().max()?);
    if most > rank && is_attention(asked, data) {
        let text = "may reject an operand that adds an axis after MatMul, Softmax, MatMul";
        return Some(Does::Unknown(text.into()));
    }
    let one = one_weight(asked, data);
    one.is_some_and(|constant| is_multiplied(asked, constant))
        .then(|| Does::Unknown("may reject a node between two matrix products, one of one element".into()))
}

/// Says whether a product reads the node's result, or a Softmax of it.
///
/// Behind a Softmax it is refused where the matrix of one element is constant: so were 42 of 864 attentions with a choice between.
fn is_multiplied(asked: &Asked<'_>, constant: bool) -> bool {
    let mut value = asked.node.output(0);
    for _ in 0..2 {
        let Some((node, _)) = value.and_then(|value| asked.reader(value)) else { return false };
        match asked.op(node) {
            Some(Op::MatMul | Op::Gemm) => return true,
            Some(Op::Softmax) if constant => value = node.output(0),
            _ => return false,
        }
    }
    false
}

/// Finds a choice or a comparison behind two products that are compiled in one piece, whose other operand is the result of a node.
///
/// 32 models were asked: it ends the process, or does not answer, where both matrices are constants or a Softmax is between the products.
fn of_bools(asked: &Asked<'_>) -> Option<Does> {
    if asked.meaning.kind != Kind::Select && !asked.operator().is_some_and(|op| OF_BOOLS.contains(&op)) {
        return None;
    }
    let computed = |value: &ValueId| !asked.facts.is_constant(*value) && asked.producer(asked.origin(*value)).is_some();
    let values = (0..asked.operands.len()).filter_map(|k| asked.value(k)).filter(computed);
    let (behind, others): (Vec<_>, Vec<_>) = values.partition(|value| is_behind_two(asked, *value));
    (!behind.is_empty() && !others.is_empty())
        .then(|| Does::Unknown("may crash at a node of bools after two matrix products".into()))
}

/// Says whether a value is the result of two products of matrices that are compiled in one piece.
fn is_behind_two(asked: &Asked<'_>, value: ValueId) -> bool {
    let before_softmax = |value: ValueId| match asked.maker(value) {
        Some((node, Op::Softmax)) => (node.input(0).unwrap_or(value), true),
        _ => (value, false),
    };
    let constant = |node: &Node| node.input(1).is_some_and(|weights| asked.facts.is_constant(weights));
    let Some(second) = product(asked, before_softmax(value).0) else { return false };
    let Some((data, attends)) = second.input(0).map(before_softmax) else { return false };
    product(asked, data).is_some_and(|first| attends || constant(first) && constant(second))
}

/// Finds a constant per column where the file leaves the number of columns open.
pub(super) fn open(asked: &Asked<'_>) -> Option<Does> {
    let last_is_open =
        |operand: usize| asked.in_file(operand).dims().and_then(<[_]>::last).is_some_and(|dim| dim.size().is_none());
    let long = |operand: usize| {
        asked.constants[operand] && asked.operands[operand].dims().and_then(<[_]>::last).and_then(Dim::size) > Some(1)
    };
    let found = match asked.op(asked.node) {
        Some(Op::Gemm) => long(1) && last_is_open(0),
        _ if asked.operands.len() != 2 => false,
        _ => (0..2).any(|k| {
            long(k) && last_is_open(1 - k) && asked.value(1 - k).is_some_and(|value| is_product(asked, value))
        }),
    };
    found.then(|| Does::Unknown("may not accept a per-column constant if the number of columns is open".into()))
}

/// Finds a constant that is merged with a product by constant weights, and is not one per column, where the file leaves a dim of the
/// rows open.
///
/// The plugin merges what may be one number per channel without the sizes that are open. From rank 4 on it treats axis 1 as that of the
/// channels, and then finds another number of them in the columns, or reads the constant along the columns; a sum of one per
/// column that has more axes than the product does not give them to the result. Of 3,000 models of ranks 2 to 4, 124 were wrong, and all
/// of them so; all 624 whose dims are known were right. 1,700 more went up to rank 5, with functions and constants between.
pub(super) fn of_open_rows(asked: &Asked<'_>) -> Option<Does> {
    let (constant, data, second) = asked.split(asked.node)?;
    let sums = match asked.op(asked.node)? {
        Op::Add | Op::Sub => true,
        Op::Mul => false,
        Op::Div if second => false,
        _ => return None,
    };
    let sizes = asked.sizes(constant)?;
    let weights = product(asked, data)?.input(1)?;
    let [rows @ .., columns] = asked.file_dims(data)? else { return None };
    let (rank, columns) = (rows.len() + 1, columns.size()?);
    if rows.iter().all(|dim| dim.size().is_some()) || !asked.facts.is_constant(weights) {
        return None;
    }
    let apart = behind_function(asked, data);
    // Constants of the same kind in a row are merged first.
    let before =
        asked.maker(data).filter(|(_, op)| if sums { *op == Op::Add || *op == Op::Sub } else { *op == Op::Mul });
    let before = before.and_then(|(node, _)| asked.sizes(asked.split(node)?.0));
    let joins = before.is_some_and(|sizes| sizes.last() == Some(&columns) && columns > 1);
    if sizes.len() > rank {
        let per_column = sizes.iter().product::<usize>() == columns && sizes.last() == Some(&columns);
        let joined = joins && sizes.iter().all(|size| *size == 1);
        let text = "drops axes only a constant has behind a matrix product of open dims";
        return (sums && (per_column || joined) && !apart).then(|| Does::Garbled(text.into()));
    }
    let distributed = !sums && !apart && rows.get(1).is_some_and(|dim| dim.size().is_some());
    if rank < 4 || only_axis(&sizes, rank) != Some(1) || distributed || joins {
        return None;
    }
    let operand = usize::from(second);
    Some(if sizes.contains(&columns) {
        Does::List { operand, axis: rank - 1 }
    } else {
        Does::Refused("reads an axis-1 constant per column behind a matrix product of open dims".into())
    })
}

/// Says whether a function is between a value and the product that it is made of.
fn behind_function(asked: &Asked<'_>, mut value: ValueId) -> bool {
    while let Some((node, op)) = asked.maker(value) {
        match (op, asked.split(node)) {
            (Op::MatMul | Op::Gemm, _) => return false,
            (Op::Add | Op::Sub | Op::Mul | Op::Div, Some((_, data, _))) => value = data,
            _ => return true,
        }
    }
    true
}

/// Returns the product that a value is, or that it is functions of.
fn product<'a>(asked: &Asked<'a>, mut value: ValueId) -> Option<&'a Node> {
    for _ in 0..REACH {
        let (node, kind) = asked.maker(value)?;
        value = match kind {
            Op::MatMul | Op::Gemm => return Some(node),
            function if function.is_fused_function() => node.input(0)?,
            Op::Add | Op::Sub | Op::Mul | Op::Div => asked.split(node)?.1,
            _ => return None,
        };
    }
    None
}

fn is_product(asked: &Asked<'_>, value: ValueId) -> bool {
    product(asked, value).is_some()
}

fn is_attention(asked: &Asked<'_>, value: ValueId) -> bool {
    let softmax = product(asked, value).and_then(|node| node.input(0)).and_then(|value| asked.maker(value));
    matches!(softmax, Some((_, Op::Softmax)))
}

/// Says of a product by a matrix of one element whether that is constant.
fn one_weight(asked: &Asked<'_>, value: ValueId) -> Option<bool> {
    let weights = product(asked, value)?.input(1)?;
    asked.sizes(weights)?.iter().all(|size| *size == 1).then(|| asked.facts.is_constant(weights))
}
