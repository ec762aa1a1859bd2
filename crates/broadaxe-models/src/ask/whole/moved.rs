//! Computes nodes that only give elements another shape or order, so that an engine is not relied on for them.

use broadaxe_frameworks::{Role, System};

use super::{super::run::Tensor, bench::PartRunner, quantised::is_quantised};
use crate::{
    graph::{Attribute, NodeId},
    meaning::role,
};

/// Computes the result of a node that gives the elements of its first input another shape or order; nothing for others, and where its
/// shape or its order is not known.
pub(super) fn compute(bench: &PartRunner<'_>, id: NodeId) -> Option<Tensor> {
    let node = bench.model.node(id);
    // The layers of ncnn of these names also move axes.
    if bench.model.system == System::Ncnn || is_quantised(bench.model, id) {
        return None;
    }
    let role = role(bench.model, node).filter(|role| matches!(role, Role::Reshape | Role::Transpose))?;
    let data = bench.tensor(node.input(0)?)?;
    if role == Role::Transpose {
        let named = node.attribute("perm").and_then(Attribute::ints).map(<[i64]>::to_vec);
        let read = || Some(bench.tensor(node.input(1)?)?.values().into_iter().map(|axis| axis as i64).collect());
        let order = named.or_else(read);
        let order = order.unwrap_or_else(|| (0..data.shape.len() as i64).rev().collect());
        return transposed(&data, &order);
    }
    let shape = bench.known_shape(node.output(0)?)?;
    let is_whole = shape.iter().product::<usize>() == data.shape.iter().product::<usize>();
    is_whole.then_some(Tensor { shape, ..data })
}

/// Puts the axes of a tensor into another order; nothing where the order does not name each once.
fn transposed(data: &Tensor, order: &[i64]) -> Option<Tensor> {
    let rank = data.shape.len();
    let axes: Vec<usize> = order.iter().map(|&axis| usize::try_from(axis).ok()).collect::<Option<_>>()?;
    if axes.len() != rank || (0..rank).any(|axis| !axes.contains(&axis)) {
        return None;
    }
    let mut strides = vec![data.dtype.size(); rank];
    for axis in (1..rank).rev() {
        strides[axis - 1] = strides[axis] * data.shape[axis];
    }
    let shape: Vec<usize> = axes.iter().map(|&axis| data.shape[axis]).collect();
    let (mut index, mut bytes) = (vec![0; rank], Vec::with_capacity(data.data.len()));
    for _ in 0..shape.iter().product::<usize>() {
        let at: usize = index.iter().zip(&axes).map(|(index, &axis)| index * strides[axis]).sum();
        bytes.extend(data.data.get(at..at + data.dtype.size())?);
        for axis in (0..rank).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    Some(Tensor { dtype: data.dtype, shape, data: bytes })
}

#[cfg(test)]
mod tests {
    use broadaxe::DType;

    use super::*;

    #[test]
    fn axes_in_another_order() {
        let data = Tensor { dtype: DType::U8, shape: vec![2, 3], data: vec![0, 1, 2, 3, 4, 5] };
        let moved = transposed(&data, &[1, 0]).expect("an order");
        assert_eq!((moved.shape, moved.data), (vec![3, 2], vec![0, 3, 1, 4, 2, 5]));
        let cube = Tensor { dtype: DType::I16, shape: vec![2, 1, 2], data: vec![0, 9, 1, 9, 2, 9, 3, 9] };
        let moved = transposed(&cube, &[2, 0, 1]).expect("an order");
        assert_eq!((moved.shape, moved.data), (vec![2, 2, 1], vec![0, 9, 2, 9, 1, 9, 3, 9]));
        for order in [&[0][..], &[0, 0], &[0, 2], &[-1, 0]] {
            assert_eq!(transposed(&data, order), None, "{order:?}");
        }
    }
}
