//! Constants per channel behind a reduction of data of rank 3.
//!
//! The CPU plugin computes a sum, a difference, a product or a quotient with a constant, and a `PReLU`, together with the
//! reduction before it. Where data of rank 3 lose axis 0 or 2, a constant that has one number for each entry of axis 1 is
//! read along another axis. Asked of seven reductions, five operators, eight sizes and all shapes of the constant:
//! `ReduceMean(x(2,3,4), axes=2) + c(3,1)` is wrong, with and without the axis that is reduced, behind other functions, too;
//! a constant of all elements, of one, or one that is computed is read rightly, and so is any behind data of rank 4.

use broadaxe_frameworks::{System, has_batch};
use broadaxe_shape::Dim;

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, numbers, only_axis},
};
use crate::graph::{Node, ValueId};

/// The rank of the data.
const REDUCED_RANK: usize = 3;

/// Finds a constant per channel behind a reduction.
pub(super) fn behind(asked: &Asked<'_>) -> Option<Does> {
    let (constant, data, second) = asked.split(asked.node)?;
    let fused = match asked.own_op() {
        Some(Op::Add | Op::Sub | Op::Mul) => true,
        Some(Op::Div) => second,
        // A slope; other operators of two operands are computed alone.
        None => asked.meaning.kind == crate::meaning::Kind::Slope,
        _ => false,
    };
    let own = asked.unstretched(constant).and_then(|shape| Some(shape.known()?.to_vec())).filter(|_| fused)?;
    let does = misread(asked, &own, data)?;
    // Passes may take the other nodes that read the reduction.
    let text = "may fuse a per-channel constant with a shared reduction, along another axis";
    Some(if asked.is_single(data) { does } else { Does::Unknown(text.into()) })
}

/// Finds a `BatchNormalization` behind a reduction, which is a product and a sum with constants per channel there.
///
/// Asked of five reductions, six shapes and with a `Relu` between: 30 of 30 with several channels are wrong where those of constants are.
pub(super) fn normalised(asked: &Asked<'_>) -> Option<Does> {
    let data = asked.node.input(0).filter(|_| asked.op(asked.node) == Some(Op::BatchNorm))?;
    let mut own = vec![1; asked.form(data)?.rank()?.checked_sub(1)?];
    *own.first_mut()? = asked.elements(1)?;
    misread(asked, &own, data)
}

/// Says what becomes of a constant of these sizes that meets a value behind a reduction, and nothing else does.
pub(super) fn misread(asked: &Asked<'_>, own: &[usize], data: ValueId) -> Option<Does> {
    let rank = asked.rank_of(data)?;
    let channels: usize = own.iter().product();
    let axis = only_axis(own, rank).filter(|axis| channels > 1 && *axis <= 1)?;
    let extent = reduced(asked, data)?;
    if axis == 0 && rank == REDUCED_RANK - 1 {
        return Some(Does::Unknown("may fuse a per-row constant with a reduction that drops an axis".into()));
    }
    if axis != 1 {
        return None;
    }
    if asked.sizes(data).is_some_and(|dims| dims.iter().product::<usize>() == channels) {
        return None;
    }
    Some(if extent.size() == Some(1) {
        Does::Unknown("may fuse a per-channel constant with a reduction that keeps all elements".into())
    } else {
        Does::Garbled("fuses a per-channel constant with the reduction before it, along another axis".into())
    })
}

/// Says whether a value is a reduction behind which constants are misread, or functions of one.
pub(super) fn is_reduced(asked: &Asked<'_>, value: ValueId) -> bool {
    reduced(asked, value).is_some()
}

/// Finds a reduction over axis 0 or 2 that a value is, or that it is functions of: the extent of the axis.
fn reduced(asked: &Asked<'_>, mut value: ValueId) -> Option<Dim> {
    for reach in 0..REACH {
        if reach > 0 && !asked.is_single(value) {
            return None;
        }
        let (node, kind) = asked.maker(value)?;
        let next = match kind {
            Op::Mean | Op::SumOf | Op::Reduce => return outer(asked, node),
            function if function.is_fused_function() => node.input(0),
            Op::Add | Op::Sub | Op::Mul | Op::Div => {
                let rank = |value: ValueId| asked.shape(value).and_then(broadaxe_shape::SymbolicShape::rank);
                asked.split(node).map(|(_, data, _)| data).filter(|data| rank(*data) == rank(value))
            }
            _ => None,
        };
        value = next?;
    }
    None
}

/// Returns the extent of the axis that a reduction of data of rank 3 is over, if it is one and not the middle one.
fn outer(asked: &Asked<'_>, node: &Node) -> Option<Dim> {
    let data = asked.form(node.input(0)?)?;
    let listed = numbers(node, "axes").filter(|axes| axes.len() == 1).map(|axes| axes[0]);
    let axis = listed.or_else(|| {
        let axes =
            node.input(1).filter(|value| asked.sizes(*value).is_some_and(|dims| dims.iter().all(|d| *d == 1)))?;
        // OpenVINO's files compute the axis of a pooling over all positions from the shape of the data.
        let counted = asked.is_of(System::Openvino) && asked.producer(axes).is_some_and(|node| node.op == "Range");
        asked.number(axes).map(|axis| axis as i64).or_else(|| counted.then_some(-1))
    });
    // Pooling over all positions reduces the last axis of such data.
    let axis = axis.or_else(|| has_batch(asked.model.system, &node.op).then_some(-1))?;
    let axis = usize::try_from(axis.rem_euclid(REDUCED_RANK as i64)).ok()?;
    let dims = data.dims().filter(|dims| dims.len() == REDUCED_RANK && axis != 1)?;
    Some(dims[axis].clone())
}
