//! Root mean squares and normalisations of nodes, of which ONNX Runtime makes one operator.
//!
//! Its passes (`onnxruntime/core/optimizer/layer_norm_fusion.cc`) look for the scale among the operands of the product, and for the
//! bias among those of the sum: the last one of rank 1 is it, whatever computes it. Where the data have rank 1, that may be the
//! normalised data, which no node makes then. The result has the shape of the data. Asked of 2,448 models with version 1.31.1.

use std::sync::LazyLock;

use broadaxe_shape::{Dim, SymbolicShape};

use super::super::{
    Asked, Does,
    neighbours::Op,
    pattern::{self, Match, NodePattern},
};
use crate::graph::ValueId;

const MISSING: &str = "fuses these nodes into a normalisation and leaves a tensor without a producer";
const LOST_AXES: &str = "fuses these nodes into a normalisation, whose result lacks the constant's extra axes";
const LOST_EPSILON: &str = "fuses these nodes into a normalisation with epsilon 1e-5 instead of the model's";
const STRETCHED: &str = "fuses these nodes into a normalisation, whose scale may not stretch the data";

/// The product of normalised data `x` and a scale `y`.
static SCALED_NORM: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let texts =
        ["Mul(!Div(x,!Sqrt(!Add(!Mean(!Pow(x,#2)),#))),y)", "Mul(!Mul(x,!Div(=1,!Sqrt(!Add(!Mean(!Pow(x,#2)),#)))),y)"];
    texts.iter().filter_map(|text| NodePattern::read(text)).collect()
});

/// Finds nodes that become one normalisation of another result, or one that nothing makes.
pub(super) fn fused(asked: &Asked<'_>) -> Option<Does> {
    let summed = asked.op(asked.node) == Some(Op::Add);
    let product = |k: usize| pattern::ending(asked, &SCALED_NORM, asked.value(k)?);
    if let Some((k, found)) = (0..2).filter(|_| summed).find_map(|k| Some((k, product(k)?))) {
        return biased(asked, &Scale::of(asked, &found)?, k);
    }
    let own = |k: usize| asked.value(k).filter(|value| asked.facts.is_constant(*value));
    let constant = own(0).or_else(|| own(1));
    let output = asked.node.output(0)?;
    let here = |found: &Match| {
        found.end == Some(output) || constant.is_some_and(|constant| found.constants.contains(&constant))
    };
    let (_, found) = pattern::search(asked, &SCALED_NORM, here)?;
    let scale = Scale::of(asked, &found)?;
    if found.end == Some(output) {
        return scaled(asked, &scale);
    }
    if asked.op(asked.node) == Some(Op::Add) && asked.constants[0] && takes_own_epsilon(asked, &scale, constant?) {
        return Some(Does::Garbled(LOST_EPSILON.into()));
    }
    let longer = scale.rank.max(scale.bias_rank(asked).unwrap_or(0));
    (scale.second.is_some_and(|second| second == scale.is_second) && asked.sizes(constant?)?.len() > longer)
        .then(|| Does::Garbled(LOST_AXES.into()))
}

/// The epsilon of a normalisation whose own is not found.
const EPSILON: f64 = 1e-5;

/// Says whether a normalisation with scale and bias has another epsilon than its nodes, which is the first operand of a sum.
///
/// Asked of 70 models: opsets 13 to 20, with and without a scale and a bias, quotients and products. Root mean squares keep theirs.
fn takes_own_epsilon(asked: &Asked<'_>, scale: &Scale, epsilon: ValueId) -> bool {
    let own = asked.number(epsilon).is_some_and(|number| (number - EPSILON).abs() < EPSILON * 1e-3);
    let found = scale.second == Some(scale.is_second) && scale.bias_rank(asked) == Some(1);
    !own && found && scale.is_centred(asked) == Some(true)
}

/// How a scale is found.
struct Scale {
    /// The data.
    data: ValueId,
    /// The product with the scale.
    product: ValueId,
    /// The rank of the data.
    rank: usize,
    /// The last dim of the data.
    last: Option<Dim>,
    /// The shape of the scale.
    shape: SymbolicShape,
    /// Whether the scale is the second operand of the product.
    is_second: bool,
    /// Whether the operand that is found is the second one; nothing where none is.
    second: Option<bool>,
    /// The rank of the normalised data, with the axes that only constants have.
    full: usize,
}

impl Scale {
    /// Returns the scale of nodes that are normalised along their last axis.
    fn of(asked: &Asked<'_>, found: &Match) -> Option<Self> {
        let ([Some(x), Some(y)], Some(product)) = (found.values, found.end) else { return None };
        let (node, _) = asked.maker(product)?;
        let is_second = asked.origin(node.input(1)?) == y;
        let (data, scale) = (node.input(usize::from(!is_second))?, node.input(usize::from(is_second))?);
        let (form, shape) = (asked.form(x)?, asked.form(scale)?);
        let dims = form.dims()?;
        let (rank, last) = (dims.len(), dims.last().cloned());
        let axes = asked.mean_axes(data, x)?;
        // Axis 0 of a list is not found, although it is the last one.
        if axes != [-1] && (rank < 2 || axes != [rank as i64 - 1]) {
            return None;
        }
        let own = (0..asked.operands.len()).find(|&k| asked.value(k) == Some(data));
        let constants = found.constants.iter().map(|value| asked.sizes(*value).map_or(0, |sizes| sizes.len()));
        let full = own.and_then(|k| asked.operands.rank(k)).into_iter().chain(constants).fold(rank, usize::max);
        let second = found_at(full, shape.rank()?, is_second);
        Some(Self { data: x, product, rank, last, shape, is_second, second, full })
    }

    /// Says whether the data are differences from their mean.
    fn is_centred(&self, asked: &Asked<'_>) -> Option<bool> {
        let (node, _) = asked.maker(self.data).filter(|(_, op)| *op == Op::Sub)?;
        let (mean, _) = asked.maker(node.input(1)?).filter(|(_, op)| *op == Op::Mean)?;
        Some(asked.origin(mean.input(0)?) == asked.origin(node.input(0)?))
    }

    /// Returns the rank of a bias that is added.
    fn bias_rank(&self, asked: &Asked<'_>) -> Option<usize> {
        let (node, input) = asked.reader(self.product).filter(|(node, _)| asked.op(node) == Some(Op::Add))?;
        asked.form(node.input(1 - input.min(1))?)?.rank()
    }
}

/// Says whether the second of two operands is found as the one of rank 1; nothing where none is. `is_second` says where the other one is.
fn found_at(data: usize, other: usize, is_second: bool) -> Option<bool> {
    match (data == 1, other == 1) {
        (true, true) => Some(true),
        (false, true) => Some(is_second),
        (true, false) => Some(!is_second),
        (false, false) => None,
    }
}

/// Says what becomes of the scale.
fn scaled(asked: &Asked<'_>, scale: &Scale) -> Option<Does> {
    if scale.second? != scale.is_second {
        return Some(Does::Refused(MISSING.into()));
    }
    let (dim, last) = (scale.shape.dims()?.first()?, scale.last.as_ref()?);
    let fits = dim.size() == Some(1) || dim == last || dim.size().is_some() && dim.size() == last.size();
    let stays = dim.size().is_none() && last.size().is_some_and(|size| size != 1);
    if fits || stays {
        return None;
    }
    // A computed scale of any size may be one number for all.
    let unknown = dim.size().is_none() && !asked.facts.is_constant(asked.value(usize::from(scale.is_second))?);
    Some(if unknown { Does::Unknown(STRETCHED.into()) } else { Does::Refused(STRETCHED.into()) })
}

/// Says what becomes of a bias, where the normalised data are this operand.
fn biased(asked: &Asked<'_>, scale: &Scale, operand: usize) -> Option<Does> {
    let bias = asked.operands.rank(1 - operand)?;
    let found = found_at(scale.full, bias, operand == 0)?;
    let data = found != (operand == 0);
    // The scale is found, and it has the shape of the data.
    let whole = scale.second == Some(scale.is_second) && scale.full == 1 && scale.is_centred(asked) == Some(true);
    let equal = scale.shape.dims()?.first() == scale.last.as_ref();
    (data && whole && equal).then(|| Does::Refused(MISSING.into()))
}
