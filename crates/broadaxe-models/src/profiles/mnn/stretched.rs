//! Operands that MNN reads flat, or computes in another way where they stretch.

use broadaxe_kernels::{OpId, id};
use broadaxe_shape::{Rule, Shape, SymbolicShape};

use super::{
    super::{Asked, Does, condition::OF_FLOATS, neighbours::REACH},
    grouped,
};

/// The comparisons of which MNN has two ways to compute, one of them wrong.
const COMPARISONS: &[OpId] = &[id("greater"), id("greater_equal"), id("less_equal")];

/// Finds branches that are read past their end: the second operand has the result's shape, and the third several elements, but fewer.
pub(super) fn overrun(asked: &Asked<'_>) -> Option<Does> {
    let Some(shapes) = known_shapes(asked) else {
        let unknown = "may read Where's third operand past its end, and the shapes are unknown";
        return (asked.elements(2) != Some(1)).then(|| Does::Unknown(unknown.into()));
    };
    let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    let result = Rule::numpy().align(&dims).ok()?.shape().clone();
    let count = |dims: &[usize]| dims.iter().product::<usize>();
    let fewer = 1 < count(dims[2]) && count(dims[2]) < count(&result);
    (without_leading_ones(dims[1]) == without_leading_ones(&result) && fewer)
        .then_some(Does::Overrun { operand: 2, axes: result.len() })
}

fn without_leading_ones(dims: &[usize]) -> &[usize] {
    &dims[dims.iter().position(|&dim| dim != 1).unwrap_or(dims.len())..]
}

/// Returns the shapes of all operands, where they are known.
fn known_shapes(asked: &Asked<'_>) -> Option<Vec<Shape>> {
    asked.operands.iter().map(SymbolicShape::known).collect()
}

/// Finds comparisons that treat floats as integers of the same bits, whose order is the other way round among negative ones.
pub(super) fn comparison(asked: &Asked<'_>) -> Option<Does> {
    let op = asked.operator()?;
    let less = op == id("less");
    if !less && !COMPARISONS.contains(&op)
        || OF_FLOATS.holds(asked) == Some(false)
        || (0..2).any(|k| is_positive(asked, k))
    {
        return None;
    }
    let text = "compares two negative floats the wrong way round";
    if less {
        return Some(Does::Garbled(text.into()));
    }
    let Some(shapes) = known_shapes(asked) else {
        let text = "compares two negative floats wrongly if both operands stretch; the shapes are unknown";
        let alike = asked.operands.iter().all(|shape| shape == &asked.operands[0]);
        return (!alike).then(|| Does::Unknown(text.into()));
    };
    let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    let result = Rule::numpy().align(&dims).ok()?.shape().clone();
    let count = |dims: &[usize]| dims.iter().product::<usize>();
    let whole = |dims: &[usize]| count(dims) == count(&result);
    let stretch = !dims.iter().any(|dims| whole(dims)) || by_channels(asked) && !whole(dims[0]);
    stretch.then(|| Does::Garbled(text.into()))
}

/// Says whether a constant of several elements comes before data whose channels are in groups.
fn by_channels(asked: &Asked<'_>) -> bool {
    let constant = asked.constants[0] && !asked.constants[1] && asked.elements(0) != Some(1);
    constant && grouped::of_operand(asked, 1).is_some_and(|layout| layout.actual != Some(false))
}

/// Says whether an operand has no negative numbers, whatever the inputs of the model are.
fn is_positive(asked: &Asked<'_>, operand: usize) -> bool {
    asked.value(operand).is_some_and(|value| asked.is_made_positive(value, REACH))
}

/// Says whether several operands that are read flat are read right: all have as many elements as the first, whose shape is the result's.
pub(super) fn alike(asked: &Asked<'_>) -> Option<bool> {
    if asked.operands.iter().all(|shape| shape == &asked.operands[0]) {
        return Some(true);
    }
    let shapes = known_shapes(asked)?;
    let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
    let result = Rule::numpy().align(&dims).ok().map(|aligned| aligned.shape().clone());
    let count = |dims: &[usize]| dims.iter().product::<usize>();
    Some(result.as_deref() == Some(dims[0]) && dims.iter().all(|other| count(other) == count(dims[0])))
}
