//! A factor per column behind a product of two computed matrices.
//!
//! The CPU plugin multiplies by it where it computes the product. Asked of products of up to 16 rows and columns, it gives
//! other numbers where the second matrix has rank 2, the first has axes of 1 in front, and there are as many rows as
//! columns: `MatMul(x(1,2,2), w(2,2)) * c(2)`. Of these only two rows and columns are wrong; the reason is not known.

use broadaxe_shape::Dim;

use super::super::{
    Asked, Does,
    neighbours::{Op, REACH, only_axis},
};
use crate::graph::Node;

/// Finds a factor per column behind a product of computed matrices.
pub(super) fn scaled(asked: &Asked<'_>) -> Option<Does> {
    let (constant, mut value, second) = asked.split(asked.node)?;
    let scales = match asked.op(asked.node)? {
        Op::Mul => true,
        Op::Div => second,
        _ => false,
    };
    let rank = asked.form(value)?.rank()?;
    if !scales || only_axis(&asked.sizes(constant)?, rank) != Some(rank.checked_sub(1)?) {
        return None;
    }
    for _ in 0..REACH {
        let (node, kind) = asked.maker(value)?;
        value = match kind {
            Op::MatMul => return is_square(asked, node).then(doubtful),
            Op::Relu | Op::Neg | Op::Tanh | Op::Sigmoid | Op::Abs | Op::Sqrt | Op::Exp | Op::Simple | Op::Clip => {
                node.input(0)?
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div => asked.split(node)?.1,
            _ => return None,
        };
    }
    None
}

fn doubtful() -> Does {
    Does::Unknown("may multiply where it computes the product of matrices before it, along another axis".into())
}

/// Says whether a product is of computed matrices, with as many rows as columns, the second of rank 2 and the first of one.
fn is_square(asked: &Asked<'_>, node: &Node) -> bool {
    let shapes = || Some((asked.form(node.input(0)?)?, asked.form(node.input(1)?)?, node.input(1)?));
    let Some((data, weights, second)) = shapes() else { return true };
    let (Some(data), Some(weights)) = (data.dims(), weights.dims()) else { return true };
    let Some((rows, front)) = data.split_last().and_then(|(_, rest)| rest.split_last()) else { return false };
    let same = |a: Option<usize>, b: Option<usize>| a.zip(b).is_none_or(|(a, b)| a == b);
    !asked.facts.is_constant(second)
        && weights.len() == 2
        && !front.is_empty()
        && front.iter().all(|dim| same(dim.size(), Some(1)))
        && same(rows.size(), weights.last().and_then(Dim::size))
}
