//! A sum with a constant behind a quantisation, which the CPU plugin computes together with it.
//!
//! `QuantizeLinear` and `DequantizeLinear` in a row are one `FakeQuantize`, and a sum behind it is its post-operation
//! (`src/plugins/intel_cpu/src/nodes/fake_quantize.cpp`). Where the limits are one per channel, a constant of as many
//! elements is added per channel, whatever its shape; a constant of one element loses the axes that the data has not.

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, merged, only_axis},
};
use crate::graph::{Attribute, Node, ValueId};

/// Says what becomes of a constant that is added behind a quantisation.
pub(super) fn added(asked: &Asked<'_>) -> Option<Does> {
    asked.op(asked.node).filter(|own| matches!(own, Op::Add | Op::Sub))?;
    let (constant, data, _) = asked.split(asked.node)?;
    let mut own = asked.sizes(constant)?;
    let dims = asked.form(data)?;
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
        return Some(Does::Garbled("drops the axes that the constant has and the quantised data has not".into()));
    }
    let channels = channels.filter(|channels| *channels > 1 && *channels == count)?;
    let placed = only_axis(&own, rank) == Some(1) && dims.get(1).and_then(broadaxe_shape::Dim::size) == Some(channels);
    (!placed).then(|| {
        Does::Garbled("adds the constant per channel where it quantises, as it has one element per channel".into())
    })
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
    /// One per entry of axis 1, so many.
    PerChannel(usize),
    /// Along another axis, or not known.
    Other,
}

/// Finds the quantisation that a value comes from, and merges the shapes of the constants that are added on the way.
fn quantisation(asked: &Asked<'_>, mut value: ValueId, constant: &mut Vec<usize>) -> Option<Limits> {
    for _ in 0..REACH {
        let (node, kind) = asked.maker(value)?;
        value = match kind {
            Op::Dequantize => return Some(limits(asked, node, &[1], value).unwrap_or(Limits::Other)),
            Op::FakeQuantize => return Some(limits(asked, node, &[1, 2, 3, 4], value).unwrap_or(Limits::Other)),
            Op::Neg | Op::Relu => node.input(0)?,
            Op::Add | Op::Sub => {
                let (other, data, _) = asked.split(node)?;
                *constant = merged(constant, &asked.sizes(other)?);
                data
            }
            Op::Mul | Op::Div => {
                let (other, data, second) = asked.split(node)?;
                let (other, rank) = (asked.sizes(other)?, asked.form(data)?.rank()?);
                let channels = other.iter().all(|size| *size == 1) || only_axis(&other, rank) == Some(1);
                if !channels || kind == Op::Div && !second {
                    return None;
                }
                data
            }
            _ => return None,
        };
    }
    None
}

/// Says how many limits a quantisation has.
fn limits(asked: &Asked<'_>, node: &Node, inputs: &[usize], value: ValueId) -> Option<Limits> {
    let rank = asked.form(value)?.rank()?;
    let axis = node.attribute("axis").and_then(Attribute::int).unwrap_or(1);
    let first = axis == 1 || axis + i64::try_from(rank).ok()? == 1;
    let mut found = Limits::One;
    for &k in inputs {
        let own = asked.sizes(node.input(k)?)?;
        let count: usize = own.iter().product();
        let placed = if node.op == "FakeQuantize" { only_axis(&own, rank) == Some(1) } else { first && own.len() == 1 };
        match (count, placed) {
            (1, _) => {}
            (_, true) => found = Limits::PerChannel(count),
            (_, false) => return Some(Limits::Other),
        }
    }
    Some(found)
}
