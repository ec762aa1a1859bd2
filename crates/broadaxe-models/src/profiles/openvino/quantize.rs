//! A sum with a constant behind a quantisation, which the CPU plugin computes together with it.
//!
//! `QuantizeLinear` and `DequantizeLinear` in a row are one `FakeQuantize`, and a sum behind it is its post-operation
//! (`src/plugins/intel_cpu/src/nodes/fake_quantize.cpp`). Where the limits are one per channel, a constant of as many
//! elements is added per channel, whatever its shape; a constant of one element loses the axes that the data lacks.

use std::{collections::BTreeSet, sync::LazyLock};

use broadaxe_frameworks::{Kind, newest};
use broadaxe_kernels::id;

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, merged, only_axis},
    pattern::{self, NodePattern},
};
use crate::graph::{Attribute, Node, ValueId};

/// Says what becomes of a constant that is added behind a quantisation.
pub(super) fn added(asked: &Asked<'_>) -> Option<Does> {
    if !asked.operator().is_some_and(|op| [id("add"), id("sub"), id("sum"), id("mean")].contains(&op)) {
        return None;
    }
    if let Some(does) = swapped(asked) {
        return Some(does);
    }
    let mut values: Vec<(usize, ValueId)> = Vec::new();
    let mut seen = BTreeSet::new();
    values.extend(
        (0..asked.operands.len()).filter_map(|k| Some((k, asked.value(k).filter(|value| seen.insert(*value))?))),
    );
    let (constants, data): (Vec<_>, Vec<_>) =
        values.into_iter().partition(|(_, value)| asked.facts.is_constant(*value));
    let mut shapes = BTreeSet::new();
    let constants: Vec<Vec<usize>> = constants
        .into_iter()
        .filter_map(|(k, _)| Some(asked.operands[k].known()?.to_vec()).filter(|sizes| shapes.insert(sizes.clone())))
        .collect();
    let quantised: Vec<ValueId> = data
        .into_iter()
        .map(|(_, value)| value)
        .filter(|value| !constants.is_empty() && quantisation(asked, *value, &mut vec![]).is_some())
        .collect();
    let mut pairs = constants.iter().flat_map(|sizes| quantised.iter().map(move |data| (sizes, *data)));
    pairs.find_map(|(sizes, data)| per_channel(asked, sizes.clone(), data))
}

/// Finds a sum with a constant behind a factor per channel, in a model that quantises.
///
/// There the low-precision passes divide the constant by the factor, entry by entry where both have as many, and add the quotients in
/// front of the product, in the factor's shape: along axis 1. Where the model quantises does not matter. Products and sums with constants
/// around the node are one product and one sum before that. Asked of 1,108 models, of which 257 differed.
fn swapped(asked: &Asked<'_>) -> Option<Does> {
    if !asked.facts.is_quantised() || !matches!(asked.own_op()?, Op::Add | Op::Sub) {
        return None;
    }
    let (constant, data, _) = asked.split(asked.node)?;
    let mut sum = asked.sizes(constant)?;
    let mut line = Line { factor: Vec::new(), apart: false, moved: false, data };
    line.merge_behind(asked, &mut sum);
    line.follow(asked, &mut sum)?;
    let count = line.factor.iter().product::<usize>();
    if count < 2 || sum.iter().product::<usize>() != count {
        return None;
    }
    let dims = asked.unstretched(line.data)?.dims()?.to_vec();
    let rank = dims.len();
    let axis = usize::from(rank > 1);
    let placed = sum.len() <= rank && only_axis(&sum, rank) == Some(axis) && asked.form(data)?.rank() == Some(rank);
    let fits = dims.get(axis)?.size().is_none_or(|size| size == count);
    let channels = line.factor.len() <= rank && only_axis(&line.factor, rank) == Some(axis) && fits;
    if placed || !channels {
        return None;
    }
    // The weights of these may be multiplied by the factor.
    let layer = matches!(asked.maker(line.data), Some((_, Op::Conv | Op::GroupConv | Op::MatMul | Op::Gemm)));
    Some(if layer || line.moved {
        Does::Unknown("may add the constant along the axis of the factor before it".into())
    } else {
        Does::Garbled("adds the constant along axis 1 if it has the factor's length".into())
    })
}

/// The products and sums with constants in front of a node.
struct Line {
    /// The shape of the factor.
    factor: Vec<usize>,
    /// Whether a function is between, over which sums are not merged.
    apart: bool,
    /// Whether elements are moved between.
    moved: bool,
    /// What is multiplied.
    data: ValueId,
}

impl Line {
    /// Merges the constants of products and sums behind the node, which are computed in front of it then.
    fn merge_behind(&mut self, asked: &Asked<'_>, sum: &mut Vec<usize>) {
        let mut behind = asked.node.output(0);
        while let Some((node, input)) = behind.and_then(|value| asked.reader(value)) {
            let Some(sizes) = asked.split(node).and_then(|(constant, ..)| asked.sizes(constant)) else { break };
            match asked.op(node) {
                Some(Op::Mul) => self.factor = merged(&self.factor, &sizes),
                Some(Op::Div) if input == 0 => self.factor = merged(&self.factor, &sizes),
                Some(Op::Add | Op::Sub) => {}
                _ => break,
            }
            *sum = merged(sum, &sizes);
            behind = node.output(0);
        }
    }

    /// Follows a value to the first that is multiplied; nothing where a factor below zero is before a `Relu`.
    fn follow(&mut self, asked: &Asked<'_>, sum: &mut Vec<usize>) -> Option<()> {
        for _ in 0..REACH {
            if let Some(data) = scaled_below_zero(asked, self.data) {
                (self.apart, self.data) = (true, data);
                continue;
            }
            let Some((node, kind)) = asked.maker(self.data) else { break };
            match (kind, asked.split(node)) {
                (Op::Mul | Op::Div, Some((constant, data, second))) => {
                    let above = || asked.reals(constant).is_some_and(|all| all.iter().all(|number| *number > 0.0));
                    if self.apart && !above() {
                        return None;
                    }
                    self.factor = merged(&self.factor, &asked.sizes(constant)?);
                    self.data = data;
                    if kind == Op::Div && !second {
                        break;
                    }
                }
                (Op::Add | Op::Sub, Some((constant, data, _))) => {
                    if !self.apart {
                        *sum = merged(sum, &merged(&asked.sizes(constant)?, &self.factor));
                    }
                    self.data = data;
                }
                (Op::Dequantize, _) if !has_quantize(asked, node) => return self.multiply_by_scale(asked, node),
                // The limits of a quantisation are multiplied by the factor, where a function stays behind it.
                (Op::Dequantize | Op::FakeQuantize, _) if self.apart => return None,
                (Op::Neg | Op::Cast, _) => self.data = node.input(0)?,
                (moving, _) if moving.moves() || matches!(node.op.as_str(), "Pad" | "MaxPool") => {
                    (self.apart, self.moved, self.data) = (true, true, node.input(0)?);
                }
                (Op::Relu, _) => (self.apart, self.data) = (true, node.input(0)?),
                _ => break,
            }
        }
        Some(())
    }

    /// Multiplies by the scale of a `DequantizeLinear`, whose input is what is multiplied.
    fn multiply_by_scale(&mut self, asked: &Asked<'_>, node: &Node) -> Option<()> {
        self.data = node.input(0)?;
        let rank = asked.form(self.data)?.rank()?;
        let axis = node.attribute("axis").and_then(Attribute::int).unwrap_or(1);
        let axis = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok()?;
        let scale = asked.sizes(node.input(1)?)?;
        let mut list = vec![1; rank];
        *list.get_mut(axis)? = scale.iter().product();
        self.factor = merged(&self.factor, &list);
        Some(())
    }
}

/// Says what becomes of a constant of these sizes that is added to quantised data.
fn per_channel(asked: &Asked<'_>, mut own: Vec<usize>, data: ValueId) -> Option<Does> {
    let dims = asked.unstretched(data)?;
    let (rank, dims) = (dims.rank()?, dims.dims()?.to_vec());
    let limits = quantisation(asked, data, &mut own)?;
    followed(asked, rank, &mut own)?;
    let count: usize = own.iter().product();
    let channels = match limits {
        Limits::One => None,
        Limits::PerChannel(count) => Some(count),
        Limits::Other => return None,
    };
    if own.len() > rank && count == 1 {
        return Some(Does::Garbled("drops the axes of the constant that the quantised data lacks".into()));
    }
    let channels = channels.filter(|channels| *channels > 1 && *channels == count)?;
    // Data of rank 1 have their channels there.
    let axis = usize::from(rank > 1);
    let placed = own.len() <= rank
        && only_axis(&own, rank) == Some(axis)
        && dims.get(axis).and_then(broadaxe_shape::Dim::size) == Some(channels);
    (!placed).then(|| Does::Garbled("merges the constant into the quantisation, per channel".into()))
}

/// Merges the shape of a constant by which the sum is multiplied, which comes before the sum then; nothing where it is not
/// one per channel, so that the sum is no longer behind the quantisation.
fn followed(asked: &Asked<'_>, rank: usize, constant: &mut Vec<usize>) -> Option<()> {
    let product = asked.node.output(0).and_then(|value| asked.reader(value)).and_then(|(node, input)| {
        let fits = asked.op(node) == Some(Op::Mul) || asked.op(node) == Some(Op::Div) && input == 0;
        asked.split(node).filter(|_| fits)
    });
    let Some((factor, _, _)) = product else { return Some(()) };
    let factor = asked.sizes(factor)?;
    *constant = merged(constant, &factor);
    (factor.iter().all(|size| *size == 1) || only_axis(&factor, rank) == Some(1)).then_some(())
}

/// How many limits a quantisation has.
enum Limits {
    /// One for all elements.
    One,
    /// One per entry of axis 1: this number.
    PerChannel(usize),
    /// Along another axis, or not known.
    Other,
}

/// Finds the quantisation that a value comes from, and merges the shapes of the constants that are added on the way.
fn quantisation(asked: &Asked<'_>, mut value: ValueId, constant: &mut Vec<usize>) -> Option<Limits> {
    // A factor per channel multiplies the limits, so that one for all elements becomes one per channel.
    let (mut factor, mut direct) = (None, true);
    for _ in 0..REACH {
        if let Some(data) = scaled_below_zero(asked, value) {
            (value, direct) = (data, false);
            continue;
        }
        let (node, kind) = asked.maker(value)?;
        value = match kind {
            Op::Dequantize if !has_quantize(asked, node) => return None,
            Op::Dequantize | Op::FakeQuantize => {
                let own = limits(asked, node, kind, value).unwrap_or(Limits::Other);
                return Some(match (own, factor) {
                    (Limits::One, Some(count)) => Limits::PerChannel(count),
                    (own, _) => own,
                });
            }
            Op::Neg => node.input(0)?,
            Op::Relu | Op::Cast | Op::BatchNorm => {
                direct = false;
                node.input(0)?
            }
            Op::Add | Op::Sub => match asked.split(node) {
                Some((other, data, _)) => {
                    *constant = merged(constant, &asked.sizes(other)?);
                    data
                }
                None => [node.input(0)?, node.input(1)?].into_iter().find(|value| is_quantised(asked, *value))?,
            },
            Op::Mul | Op::Div => {
                let (count, data) = channel_factor(asked, node, kind)?;
                factor = factor.or((direct && count > 1).then_some(count));
                data
            }
            _ => return None,
        };
    }
    None
}

/// Returns how many elements the factor of a product or quotient has, and its data; nothing for a factor that is not one per channel.
fn channel_factor(asked: &Asked<'_>, node: &Node, kind: Op) -> Option<(usize, ValueId)> {
    let (other, data, second) = asked.split(node)?;
    let (other, rank) = (asked.sizes(other)?, asked.form(data)?.rank()?);
    let channels = other.iter().all(|size| *size == 1) || only_axis(&other, rank) == Some(1);
    (channels && (kind != Op::Div || second)).then(|| (other.iter().product(), data))
}

/// Returns the data of the `PRelu` with a constant slope, or the `LeakyRelu`, that a value is.
fn scaled_below_zero(asked: &Asked<'_>, value: ValueId) -> Option<ValueId> {
    let node = asked.producer(asked.origin(value))?;
    let slope = newest(asked.model.system, &node.op).is_some_and(|row| row.kind() == Kind::Slope);
    let constant = || node.input(1).is_some_and(|slope| asked.facts.is_constant(slope));
    node.input(0).filter(|_| node.op == "LeakyRelu" || slope && constant())
}

/// Says whether a `DequantizeLinear` reads what a `QuantizeLinear` gives: the two are one `FakeQuantize`.
fn has_quantize(asked: &Asked<'_>, node: &Node) -> bool {
    matches!(node.input(0).and_then(|value| asked.maker(value)), Some((_, Op::Quantize)))
}

/// Finds a normalisation without a bias, of data of rank 2, before a quantisation.
///
/// Asked of 2,628 models of ranks 2 to 5, with and without a bias, a function or a factor between, and scales along each axis: others than
/// those of rank 2 without a bias are right, and so are most of these along axis 0.
pub(super) fn normalised(asked: &Asked<'_>) -> Option<Does> {
    if asked.operands.len() != 2 || asked.operands.rank(0)? != 2 {
        return None;
    }
    let mut value = asked.node.output(0)?;
    for _ in 0..REACH {
        let (node, input) = asked.reader(value)?;
        match asked.op(node)? {
            Op::Quantize | Op::FakeQuantize if input == 0 => {
                return Some(Does::Unknown("may merge the scale into the quantisation, along another axis".into()));
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div if asked.split(node).is_some() => {}
            function if function.is_fused_function() => {}
            _ => return None,
        }
        value = node.output(0)?;
    }
    None
}

/// Finds a node before a quantisation by several scales, in a model that leaves dims open.
pub(super) fn before(asked: &Asked<'_>) -> Option<Does> {
    let output = asked.node.output(0)?;
    let (node, input) = asked.reader(output)?;
    let several = |k: usize| {
        node.input(k).and_then(|value| asked.sizes(value)).is_none_or(|sizes| sizes.iter().any(|size| *size > 1))
    };
    let per_axis = asked.op(node) == Some(Op::Quantize) && several(1)
        || asked.op(node) == Some(Op::FakeQuantize) && (1..5).any(several);
    let open = asked.file_dims(output).is_none_or(|dims| dims.iter().any(|dim| dim.size().is_none()));
    (per_axis && input == 0 && open)
        .then(|| Does::Unknown("may fuse the node with the next quantisation, whose axis it does not find".into()))
}

/// The axis along which limits are not found where a dim is open.
const NOT_FOUND: usize = 2;

/// Returns the axis that the limits of a quantisation run along; nothing where there is one for all elements.
pub(super) fn limits_axis(asked: &Asked<'_>, is_fake: bool, rank: usize) -> Option<usize> {
    if is_fake {
        let limits = asked.operands.shapes().get(1..3)?;
        return limits.iter().find_map(|own| only_axis(&own.known()?, rank));
    }
    let axis = asked.meaning.rule.params().axis.filter(|_| asked.elements(1) != Some(1))?;
    usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok()
}

/// Finds a quantisation by limits along axis 2 of data that leave a dim open.
///
/// The CPU plugin treats them as channels of another layout: it does not compile the node, or computes it with the node before it, with
/// other numbers. Asked of 588 models of ranks 1 to 4 and 120 of rank 5, and of 608 and 136 in ONNX, with 17 nodes in front. Along
/// any other axis they are right; so they are behind a product of rank 3 with a constant matrix.
pub(super) fn open_axis(asked: &Asked<'_>) -> Option<Does> {
    let fake = match asked.op(asked.node)? {
        Op::FakeQuantize => true,
        Op::Quantize => false,
        _ => return None,
    };
    let dims = asked.in_file(0).dims()?;
    let rank = dims.len();
    if rank <= NOT_FOUND || dims.iter().all(|dim| dim.size().is_some()) {
        return None;
    }
    limits_axis(asked, fake, rank).filter(|axis| *axis == NOT_FOUND)?;
    let made = asked.maker(asked.value(0)?);
    match made.map(|(_, op)| op) {
        Some(Op::MatMul | Op::Gemm) if rank == NOT_FOUND + 1 => {
            Some(Does::Unknown("may not find axis 2 of a quantisation if a dim is open".into()))
        }
        Some(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min | Op::Mean | Op::SumOf | Op::Reduce) => {
            Some(Does::Garbled(MERGED.into()))
        }
        Some(op) if op.is_fused_function() => Some(Does::Garbled(MERGED.into())),
        _ => Some(Does::Refused("does not compile a quantisation along axis 2 if a dim is open".into())),
    }
}

const MERGED: &str = "merges an axis-2 quantisation into the node before, wrongly with open dims";

/// Says how many limits a quantisation has.
fn limits(asked: &Asked<'_>, node: &Node, op: Op, value: ValueId) -> Option<Limits> {
    let fake = op == Op::FakeQuantize;
    let inputs: &[usize] = if fake { &[1, 2, 3, 4] } else { &[1] };
    let rank = asked.form(value)?.rank()?;
    let axis = node.attribute("axis").and_then(Attribute::int).unwrap_or(1);
    let first = axis == 1 || axis + i64::try_from(rank).ok()? == 1;
    let mut found = Limits::One;
    for &k in inputs {
        let own = asked.sizes(node.input(k)?)?;
        let count: usize = own.iter().product();
        let placed = if fake { only_axis(&own, rank) == Some(1) } else { first && own.len() == 1 };
        match (count, placed) {
            (1, _) => {}
            (_, true) => found = Limits::PerChannel(count),
            (_, false) => return Some(Limits::Other),
        }
    }
    Some(found)
}

/// What becomes one operator that clips.
static CLAMPS: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    ["Min(!Max(x,#),#)", "Max(!Min(x,#),#)"].iter().filter_map(|text| NodePattern::read(text)).collect()
});

/// Finds a `Clip`, or `Max` and `Min` that become one, behind a quantisation: the CPU plugin clips the levels, and an element
/// on a bound may become the level below it.
pub(super) fn clipped(asked: &Asked<'_>) -> Option<Does> {
    let data = match asked.op(asked.node)? {
        Op::Clip => asked.value(0)?,
        Op::Max | Op::Min => {
            let (constant, ..) = asked.split(asked.node)?;
            pattern::find(asked, &CLAMPS, constant)?.1.values[0]?
        }
        _ => return None,
    };
    is_quantised(asked, data)
        .then(|| Does::Unknown("may round the bounds to the levels of the preceding quantisation".into()))
}

/// Says whether a value is the result of a quantisation, or of it and of operators that the plugin computes with it.
fn is_quantised(asked: &Asked<'_>, mut value: ValueId) -> bool {
    for _ in 0..REACH {
        let Some((node, kind)) = asked.maker(value) else { return false };
        let next = match kind {
            Op::Dequantize => return has_quantize(asked, node),
            Op::FakeQuantize => return true,
            Op::Add | Op::Sub | Op::Mul | Op::Div => asked.split(node).map(|(_, data, _)| data),
            Op::Relu | Op::Neg | Op::Cast => node.input(0),
            moving if moving.moves() => node.input(0),
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => return false,
        }
    }
    false
}

/// Finds a quantisation of what a `ReduceMax` or a `ReduceMin` gives.
pub(super) fn reduced(asked: &Asked<'_>) -> Option<Does> {
    matches!(asked.maker(asked.value(0)?)?, (_, Op::Reduce))
        .then(|| Does::Unknown("may quantise the result of a max or min reduction wrongly".into()))
}
