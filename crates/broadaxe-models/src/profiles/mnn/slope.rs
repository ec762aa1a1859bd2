//! Slopes of `PRelu`, which MNN reads along axis 1.

use broadaxe_shape::Rule;

use super::{
    super::{Asked, Does, groups::is_on_axis_1},
    grouped,
};

/// From how many slopes on what is read past the end of data of rank 1 shows: of 11 lengths from 1 to 64, none below 9 did.
const SHOWN_FROM: usize = 9;

/// Finds constant slopes that are read along axis 1 of the data.
///
/// From 3.4 on these are slopes of several elements and a lower rank than the data, all elements on their axis 1, or on their only one.
/// Before, they are all slopes of several elements.
pub(super) fn valid(asked: &Asked<'_>) -> Option<Does> {
    if asked.is_before_opset_7() || !asked.constants[1] {
        return None;
    }
    let along_axis_1 = Some(Does::List { operand: 1, axis: 1 });
    let [x, slope] = asked.operands.shapes() else { return None };
    if asked.elements(1) == Some(1) {
        return None;
    }
    if x.rank() == Some(1) && asked.elements(1).is_some_and(|count| count < SHOWN_FROM) {
        return Some(Does::Unknown("may read a constant slope past its end for data of rank 1".into()));
    }
    if x.rank() == Some(1) {
        return Some(Does::Refused("reads a constant slope past its end for rank-1 data; usually crashes".into()));
    }
    let (Some(own), Some(rank)) = (slope.known(), x.rank()) else {
        return Some(Does::Unknown("reads some constant slopes along axis 1, and the shapes are unknown".into()));
    };
    if !asked.at_least("3.4.1") {
        return along_axis_1;
    }
    if rank >= 3 && own.len() < rank && is_on_axis_1(&own) { along_axis_1 } else { None }
}

/// Finds slopes of layers whose data are constants: the converter computes them, and writes the channels in groups as if they were in order.
///
/// Of rank 2 only a node that reads them gets them wrong: 102 models of ranks 1 and 2 were asked.
pub(super) fn of_constants(asked: &Asked<'_>) -> Option<bool> {
    let (slope, data) = (asked.operands[1].known()?, &asked.operands[0]);
    let layer = is_on_axis_1(&slope) || !asked.at_least("3.4.1");
    let rank = data.rank()?;
    if rank == 2 && asked.node.output(0).is_some_and(|result| asked.facts.readers(result).is_empty()) {
        return Some(false);
    }
    Some(slope.iter().product::<usize>() != 1 && layer && (rank == 1 || !grouped::is_in_order(data)))
}

/// Says what becomes of a slope that does not fit the data by ONNX's rule: about 110 models were asked.
pub(super) fn invalid(asked: &Asked<'_>) -> Option<Does> {
    let own = asked.operands[1].known()?;
    if !asked.constants[1] || asked.at_least("3.4.1") && !is_on_axis_1(&own) {
        return Some(Does::Rule(Rule::numpy()));
    }
    let channels = asked.operands[0].dims().and_then(|dims| dims.get(1)?.size());
    Some(if channels == Some(own.iter().product()) {
        Does::List { operand: 1, axis: 1 }
    } else {
        Does::Garbled("reads a constant slope along axis 1, whose length differs".into())
    })
}
