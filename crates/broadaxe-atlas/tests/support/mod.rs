//! What the oracle says of a case, as elements.

#[path = "../../../broadaxe-shape/tests/oracle/mod.rs"]
#[allow(dead_code, reason = "other tests of the oracle use the rest")]
mod oracle;

use broadaxe_atlas::Case;

/// The result's shape, and the element of each operand that each element of the result comes from.
pub(crate) type Answer = (Vec<usize>, Vec<Vec<usize>>);

/// Asks the oracle about a case.
pub(crate) fn asked(case: &Case) -> Option<Answer> {
    let shapes: Vec<&[usize]> = case.operands.iter().map(Vec::as_slice).collect();
    let params = case.rule.params();
    let (axis, target) = (params.axis.unwrap_or(-1), params.target.as_deref().unwrap_or_default());
    let found = match case.rule.name() {
        "none" => oracle::none(&shapes),
        "unidirectional" => oracle::unidirectional(&shapes),
        "pdpd" => oracle::pdpd(shapes[0], shapes[1], axis),
        "paddle" => oracle::paddle(shapes[0], shapes[1], axis),
        "onnx-legacy" => oracle::onnx_legacy(shapes[0], shapes[1], params.axis),
        "ncnn" => oracle::ncnn(shapes[0], shapes[1]),
        // Equal ranks up to 6, and dims of 1 and more.
        "tosa" if shapes[0].len() != shapes[1].len() || shapes[0].len() > 6 => None,
        "tosa" if shapes.iter().any(|shape| shape.contains(&0)) => None,
        "numpy" | "tosa" => oracle::numpy(&shapes),
        "ggml" => return tiled(shapes[0], shapes[1]),
        "bidirectional" => oracle::bidirectional(shapes[0], target),
        "broadcast-to" => oracle::broadcast_to(shapes[0], target),
        "explicit" => oracle::explicit(shapes[0], params.axes.as_deref().unwrap_or_default(), target),
        "openvino-select" => oracle::select(params.mode.map_or("", |mode| mode.name()), params.axis, &shapes),
        "openvino-prelu" => oracle::prelu(shapes[0], shapes[1]),
        "gemm-c" => oracle::gemm_c(shapes[0], shapes[1]),
        other => panic!("the oracle does not know {other}"),
    }?;
    let shape = found.shape[..found.rank].to_vec();
    let at = |k: usize| {
        indices(&shape)
            .map(move |index| index.iter().zip(found.strides[k]).map(|(i, stride)| i * stride as usize).sum())
    };
    let elements = (0..shapes.len()).map(|k| at(k).collect()).collect();
    Some((shape, elements))
}

/// ggml's rule from its definition: axis by axis from the right, the first operand has a multiple, and the second starts again.
fn tiled(a: &[usize], b: &[usize]) -> Option<Answer> {
    let rank = a.len().max(b.len());
    if rank > 4 {
        return None;
    }
    let whole = |dims: &[usize]| [vec![1; rank - dims.len()], dims.to_vec()].concat();
    let (a, b) = (whole(a), whole(b));
    if b.contains(&0) {
        return a.contains(&0).then(|| (a, vec![vec![], vec![]]));
    }
    if a.iter().zip(&b).any(|(n, d)| n % d != 0) {
        return None;
    }
    let flat = |dims: &[usize], index: &[usize]| dims.iter().zip(index).fold(0, |at, (dim, i)| at * dim + i % dim);
    let elements = [&a, &b].map(|dims| indices(&a).map(|index| flat(dims, &index)).collect()).to_vec();
    Some((a.clone(), elements))
}

/// Lists the indices of a shape in row-major order.
pub(crate) fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<'_> {
    let count: usize = shape.iter().product();
    (0..count).map(move |mut at| {
        let mut index = vec![0; shape.len()];
        for (i, dim) in index.iter_mut().zip(shape).rev() {
            *i = at % dim;
            at /= dim;
        }
        index
    })
}
