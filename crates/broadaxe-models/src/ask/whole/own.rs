//! Computes what a node means from the engine's own values of its operands.

use broadaxe::DType;
use broadaxe_frameworks::Role;

use super::{
    super::{QuestionTensor, layers, numbers, reference, run::Tensor},
    bench::PartRunner,
    gap::{OF_NODE, OF_NODES, Tolerance},
    moved,
    quantised::{self, is_quantised},
};
use crate::{
    graph::{NodeId, ValueId},
    meaning::{Kind, Meaning, Source, meaning, role},
};

/// The most bytes of a result that is computed.
const MOST_OPERAND_BYTES: usize = 256 << 20;

/// Returns the inputs of a node, and behind them the arrays that it holds itself; nothing where one is not known.
pub(super) fn operands(bench: &PartRunner<'_>, id: NodeId) -> Option<Vec<Option<QuestionTensor>>> {
    let node = bench.model.node(id);
    let tensor = |input: &Option<ValueId>| {
        let Some(value) = *input else { return Some(None) };
        let known = bench.model.value(value);
        let (name, constant) = (known.name.clone(), known.constant.is_some());
        let Tensor { dtype, shape, data } = bench.tensor(value)?;
        Some(Some(QuestionTensor { name, dtype, shape, data, constant }))
    };
    let held = bench.held(id).ok()?.into_iter().map(|Tensor { dtype, shape, data }| {
        Some(Some(QuestionTensor { name: "weights".to_owned(), dtype, shape, data, constant: true }))
    });
    node.inputs.iter().map(tensor).chain(held).collect()
}

/// Returns what a node means, where it can be computed.
pub(super) fn meant(bench: &PartRunner<'_>, id: NodeId) -> Option<Meaning> {
    let node = bench.model.node(id);
    if !node.bodies.is_empty() {
        return None;
    }
    let mut meaning = meaning(bench.model, id)?.ok()?;
    // A layer of ncnn may hold an array more than its row says: it scales and adds, or has a number in place of a second input.
    let known = meaning.operands.iter().filter(|source| matches!(source, Source::Held(_))).count();
    let held = bench.held(id).unwrap_or_default();
    meaning.operands.extend(held.into_iter().skip(known).map(|tensor| Source::Held(tensor.shape)));
    Some(meaning)
}

/// Says whether a node rounds numbers, to integers or sums of them, so that an engine may be one unit away.
fn rounds(bench: &PartRunner<'_>, id: NodeId) -> bool {
    let node = bench.model.node(id);
    let is_float = |value: Option<ValueId>| {
        let constant = bench.model.value(value?).constant.as_ref().and_then(|constant| constant.element.dtype());
        constant.or_else(|| Some(bench.value(value?)?.dtype)).map(DType::is_float)
    };
    is_quantised(bench.model, id)
        || meant(bench, id).is_some_and(|meaning| meaning.kind.is_along_axes())
        || is_float(node.input(0)) == Some(true) && is_float(node.output(0)) == Some(false)
}

/// Returns how far an engine may be from the right result of one node that runs alone.
pub(super) fn tolerance_alone(bench: &PartRunner<'_>, id: NodeId) -> Tolerance {
    if rounds(bench, id) { OF_NODES } else { OF_NODE }
}

/// Returns how far an engine may be from the right results of nodes that run together.
pub(super) fn tolerance(bench: &PartRunner<'_>, nodes: &[NodeId]) -> Tolerance {
    if nodes.iter().any(|&node| rounds(bench, node)) { OF_NODES } else { OF_NODES.without_quanta() }
}

/// Returns the input that is added to a layer of products, whose sums are left to the engine.
pub(super) fn added(bench: &PartRunner<'_>, id: NodeId) -> Option<ValueId> {
    let meaning = meant(bench, id)?;
    match (meaning.kind, meaning.operands.as_slice()) {
        (Kind::Lengths, [Source::Result, Source::Input(bias)]) if !meaning.is_of_integers() => {
            bench.model.node(id).input(*bias)
        }
        _ => None,
    }
}

/// Says whether a node casts floating-point numbers to integers that cannot hold them: each engine gives what its CPU does.
pub(super) fn is_undefined(bench: &PartRunner<'_>, id: NodeId) -> bool {
    let node = bench.model.node(id);
    let tensor = |value: Option<ValueId>| bench.tensor(value?);
    if role(bench.model, node) != Some(Role::Cast) {
        return false;
    }
    let (Some(from), Some(to)) = (tensor(node.input(0)), tensor(node.output(0))) else { return false };
    let limits = match to.dtype {
        DType::I8 => (-128.0, 127.0),
        DType::U8 => (0.0, 255.0),
        DType::I16 => (-32768.0, 32767.0),
        DType::U16 => (0.0, 65535.0),
        DType::I32 => (-2_147_483_648.0, 2_147_483_647.0),
        DType::U32 => (0.0, 4_294_967_295.0),
        DType::I64 => (-9.2e18, 9.2e18),
        DType::U64 => (0.0, 1.8e19),
        _ => return false,
    };
    let fits = |value: f64| (limits.0..=limits.1).contains(&value.trunc());
    from.dtype.is_float() && !from.values().into_iter().all(fits)
}

/// Computes the first result of a node: nothing for one that has no meaning of its own, a reason where it cannot be computed.
pub(super) fn compute(bench: &PartRunner<'_>, id: NodeId) -> Option<Result<Tensor, String>> {
    if let Some(moved) = moved::compute(bench, id) {
        return Some(Ok(moved));
    }
    let meaning = meant(bench, id)?;
    let operands = operands(bench, id).ok_or_else(|| "an operand is not known".to_owned());
    Some(operands.and_then(|operands| of_operands(bench, id, &meaning, &operands)))
}

/// Computes the first result of a node of these operands.
///
/// # Errors
/// Why it cannot be computed.
pub(super) fn of_operands(
    bench: &PartRunner<'_>,
    id: NodeId,
    meaning: &Meaning,
    operands: &[Option<QuestionTensor>],
) -> Result<Tensor, String> {
    if operands.iter().flatten().any(|tensor| tensor.data.len() > MOST_OPERAND_BYTES) {
        return Err(format!("an operand has more than {} MiB", MOST_OPERAND_BYTES >> 20));
    }
    if !is_quantised(bench.model, id) {
        return of_numbers(bench, id, meaning, operands);
    }
    let operands = quantised::real(bench.model, id, operands)?;
    quantised::rounded(bench.model, id, of_numbers(bench, id, meaning, &operands)?)
}

/// Computes the first result of a node of the numbers that its operands have.
fn of_numbers(
    bench: &PartRunner<'_>,
    id: NodeId,
    meaning: &Meaning,
    operands: &[Option<QuestionTensor>],
) -> Result<Tensor, String> {
    let node = bench.model.node(id);
    let (dtype, reference) = match meaning.kind {
        Kind::Lengths => {
            let product = node.output(0).filter(|_| added(bench, id).is_some());
            let product = product.map(|value| bench.product(value).ok_or("its product is not known")).transpose()?;
            layers::per_channel(node, meaning, operands, product)?
        }
        _ => reference(node, meaning, operands)?,
    };
    let data = numbers::bytes(dtype, reference.values());
    let tensor = Tensor { dtype, shape: reference.shape().to_vec(), data };
    let values = numbers::values(dtype, &tensor.data);
    let overflows = !values.is_empty() && values.iter().all(|value| value.is_infinite());
    if overflows { Err("no result is finite".to_owned()) } else { Ok(tensor) }
}
