//! Adds reductions to a graph: axes of a node are folded to one element.

use broadaxe_kernels::{Reduction, find};
use broadaxe_shape::{Rule, Shape};

use super::{Folded, Graph, Node, Origin};
use crate::{
    Scalar,
    error::{Error, ErrorKind},
};

impl Graph {
    /// Folds these axes of a node, or all of them; an axis below 0 counts from the last. `keep` leaves axes of 1 in their places.
    ///
    /// The result's dtype is [`Reduction::result`]. Elements are folded in row-major order of the folded axes, in a tree that
    /// depends on their number alone, so that the bits of the result depend on nothing else. Halves are folded in
    /// f32 and rounded once. `argmax` and `argmin` count in that order from 0.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for an axis that the node does not have or that is given twice, and where there are no
    /// elements for a reduction that needs one.
    ///
    /// ```
    /// use broadaxe::{DType, Graph, Reduction};
    /// let mut graph = Graph::new();
    /// let x = graph.input(DType::U8, &[2, 3, 4])?;
    /// let sum = graph.reduce(Reduction::Sum, x, Some(&[0, -1]), true)?;
    /// assert_eq!((graph.dtype(sum), graph.shape(sum)), (DType::U64, &[1, 3, 1][..]));
    /// # Ok::<(), broadaxe::Error>(())
    /// ```
    pub fn reduce(
        &mut self,
        reduction: Reduction,
        node: Node,
        axes: Option<&[i64]>,
        keep: bool,
    ) -> Result<Node, Error> {
        let axes = self.axes(reduction, node, axes)?;
        let (shape, dtype) = (Shape::from(self.shape(node)), self.dtype(node));
        let is_folded = |axis: &usize| axes.binary_search(axis).is_ok();
        let dims: Vec<usize> = (0..shape.len())
            .filter(|axis| keep || !is_folded(axis))
            .map(|axis| if is_folded(&axis) { 1 } else { shape[axis] })
            .collect();
        let count = axes.iter().map(|&axis| shape[axis]).product::<usize>();
        if count == 0 && !reduction.takes_none() && !dims.contains(&0) {
            let text = format!(
                "{} of no elements: it folds {}, which has no element to choose; fold axes that have elements",
                reduction.name(),
                named(&axes, &shape)
            );
            return Err(Error::new(ErrorKind::Argument, text));
        }
        let result = reduction.result(dtype);
        let arg = self.cast(node, reduction.operand(dtype));
        let folded = self.fold_axes(reduction, arg, axes, dims.into());
        let node = if reduction == Reduction::Mean { self.divide(folded, count)? } else { folded };
        Ok(self.cast(node, result))
    }

    /// Adds a node that folds another one of the fold's dtype.
    fn fold_axes(&mut self, reduction: Reduction, arg: Node, axes: Vec<usize>, shape: Shape) -> Node {
        let dtype = reduction.folded(self.dtype(arg));
        let key = (reduction.name(), vec![arg], dtype, shape.clone(), vec![axes.clone()]);
        if let Some(&node) = self.folded.get(&key) {
            return node;
        }
        let node = self.push(Origin::Fold(Folded { reduction, arg, axes }), dtype, shape);
        self.folded.insert(key, node);
        node
    }

    /// Divides a sum by the number of its elements; 0 by 0 gives NaN.
    fn divide(&mut self, sum: Node, count: usize) -> Result<Node, Error> {
        let dtype = self.dtype(sum);
        let count = self.constant(Scalar::from_f64(dtype, count as f64));
        let divide = find("div").ok_or_else(|| Error::new(ErrorKind::DType, "there is no div"))?;
        self.op(divide, &Rule::numpy(), &[sum, count])
    }

    /// Returns the axes to be folded, ascending and counted from the first.
    fn axes(&self, reduction: Reduction, node: Node, axes: Option<&[i64]>) -> Result<Vec<usize>, Error> {
        let shape = self.shape(node);
        let Some(axes) = axes else { return Ok((0..shape.len()).collect()) };
        let fail = |text: String| Err(Error::new(ErrorKind::Argument, format!("{}: {text}", reduction.name())));
        let rank = shape.len() as i64;
        let mut found = Vec::with_capacity(axes.len());
        for &axis in axes {
            if axis < -rank || axis >= rank {
                let shape = Shape::from(shape);
                return fail(match rank {
                    0 => format!("no axis {axis} in a single element {shape}; leave the axis out"),
                    _ => {
                        format!("no axis {axis} in {shape}; its axes are 0 to {}, or -{rank} to -1", rank - 1)
                    }
                });
            }
            let axis = (if axis < 0 { axis + rank } else { axis }) as usize;
            if found.contains(&axis) {
                return fail(format!("axis {axis} is given twice; each is folded once"));
            }
            found.push(axis);
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// Names axes and their extents for an error.
fn named(axes: &[usize], shape: &Shape) -> String {
    let names: Vec<String> = axes.iter().map(|&axis| format!("axis {axis} of {}", shape[axis])).collect();
    if names.is_empty() { String::from("no axis") } else { names.join(" and ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadaxe_kernels::DType;

    #[test]
    fn shapes_and_dtypes_follow_numpy() {
        use DType::{BF16, Bool, F16, F32, F64, I8, I64, U16, U64};
        use Reduction::{All, Any, ArgMax, ArgMin, Max, Mean, Min, Prod, Sum};
        let cases: &[(Reduction, DType, DType)] = &[
            (Sum, Bool, I64),
            (Sum, I8, I64),
            (Sum, U16, U64),
            (Sum, F16, F16),
            (Prod, Bool, I64),
            (Prod, U16, U64),
            (Prod, BF16, BF16),
            (Mean, Bool, F64),
            (Mean, U16, F64),
            (Mean, F16, F16),
            (Mean, F32, F32),
            (Max, Bool, Bool),
            (Min, BF16, BF16),
            (Any, F64, Bool),
            (All, I8, Bool),
            (ArgMax, Bool, I64),
            (ArgMin, F16, I64),
        ];
        for &(reduction, dtype, want) in cases {
            let mut graph = Graph::new();
            let x = graph.input(dtype, &[2, 3, 4]).expect("small");
            let all = graph.reduce(reduction, x, None, false).expect("folds");
            assert_eq!((graph.dtype(all), graph.shape(all)), (want, &[][..]), "{reduction:?} of {dtype}");
            let some = graph.reduce(reduction, x, Some(&[-1, 0]), true).expect("folds");
            assert_eq!((graph.dtype(some), graph.shape(some)), (want, &[1, 3, 1][..]), "{reduction:?} of {dtype}");
            let none = graph.reduce(reduction, x, Some(&[]), false).expect("folds");
            assert_eq!((graph.dtype(none), graph.shape(none)), (want, &[2, 3, 4][..]), "{reduction:?} of {dtype}");
        }
    }

    #[test]
    fn wrong_axes_are_refused() {
        let mut graph = Graph::new();
        let x = graph.input(DType::F32, &[2, 0]).expect("small");
        let one = graph.input(DType::F32, &[]).expect("small");
        let cases: &[(Reduction, Node, &[i64], &str)] = &[
            (Reduction::Sum, x, &[2], "sum: no axis 2 in (2, 0); its axes are 0 to 1, or -2 to -1"),
            (Reduction::Sum, x, &[-3], "sum: no axis -3 in (2, 0); its axes are 0 to 1, or -2 to -1"),
            (Reduction::Sum, x, &[1, -1], "sum: axis 1 is given twice; each is folded once"),
            (Reduction::Sum, one, &[0], "sum: no axis 0 in a single element (); leave the axis out"),
            (
                Reduction::Max,
                x,
                &[1],
                "max of no elements: it folds axis 1 of 0, which has no element to choose; fold axes that have elements",
            ),
        ];
        for &(reduction, node, axes, want) in cases {
            let error = graph.reduce(reduction, node, Some(axes), false).expect_err(want);
            assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Argument, want));
        }
        // Nothing is made of nothing.
        assert_eq!(graph.reduce(Reduction::Max, x, Some(&[0]), false).map(|n| graph.shape(n).to_vec()), Ok(vec![0]));
    }
}
