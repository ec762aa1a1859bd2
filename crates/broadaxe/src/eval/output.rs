//! Writes results to the caller's memory, with any strides.

use broadaxe_kernels::{DType, Failure, Output, Program, Schedule, Slot, Step, copy};

use super::Evaluation;
use broadaxe_shape::Shape;

use crate::{
    array::Array,
    error::{Error, ErrorKind},
    graph::{Graph, Node},
    operand::Destination,
    plan::Plan,
    view::byte_strides,
};

/// Where a stage writes its result.
pub(crate) enum Place<'o> {
    /// A row-major array, which replaces the leaf with this index, if one is given.
    Own(Option<usize>, &'o mut Array),
    /// Memory that may be an operand's, with the strides of the evaluation.
    Strided(Output<'o>),
}

/// Returns the strides of the result: the given ones, or a row-major array's.
pub(super) fn strides(graph: &Graph, root: Node, asked: Option<&[isize]>) -> Result<Vec<isize>, Error> {
    let shape = graph.shape(root);
    match asked {
        Some(strides) if strides.len() == shape.len() => Ok(strides.to_vec()),
        Some(strides) => {
            let text = format!("{} strides for a result of rank {}; there is one per axis", strides.len(), shape.len());
            Err(Error::new(ErrorKind::Layout, text))
        }
        None => Ok(byte_strides(graph.dtype(root), shape)),
    }
}

/// Decides how to copy a row-major array to where it belongs.
pub(super) fn scatter(from: &Array, strides: &[isize]) -> Result<Schedule, Failure> {
    let kernel = copy(from.dtype());
    let program = Program::new(vec![from.dtype()], vec![Step::new(kernel, [Slot::Input(0)])]);
    let Some(program) = program else { unreachable!("a copy accepts its own dtype") };
    let plan = Plan::new(from.shape(), strides, &[byte_strides(from.dtype(), from.shape())]);
    Schedule::new(&program, plan.nest())
}

/// Checks that an array is what a result can be written to.
pub(crate) fn check_output((dtype, shape): (DType, &[usize]), (want, dims): (DType, &[usize])) -> Result<(), Error> {
    if dtype == want && shape == dims {
        return Ok(());
    }
    let (own, dims) = (Shape::from(shape), Shape::from(dims));
    let text = format!("the output is {dtype} {own} and the result {want} {dims}; they must be equal");
    Err(Error::new(ErrorKind::Argument, text))
}

impl Evaluation<'_> {
    /// Rejects a row-major result where one with other strides was planned.
    pub(super) fn check_row_major(&self) -> Result<(), Error> {
        match self.options.strides {
            None => Ok(()),
            Some(_) => self.check_strides(&byte_strides(self.dtype(), self.shape())),
        }
    }

    /// Rejects memory with other strides than were planned for; those of axes of one element mean nothing.
    pub(super) fn check_strides(&self, strides: &[isize]) -> Result<(), Error> {
        let alike = |(axis, &dim): (usize, &usize)| dim <= 1 || strides[axis] == self.strides[axis];
        if self.shape().contains(&0) || self.shape().iter().enumerate().all(alike) {
            return Ok(());
        }
        let text = format!("the output has the strides {strides:?}, and {:?} were planned", self.strides);
        Err(Error::new(ErrorKind::Argument, text))
    }

    /// Computes the result and writes it to an array or to memory with any strides, those of [`Options::strides`](super::Options).
    ///
    /// The output may share memory with operands, which are then read as if they had been copied before.
    ///
    /// # Errors
    /// As for [`Evaluation::run`], after which the output may be partly written; [`ErrorKind::Argument`] when it is of another dtype or
    /// shape, or its strides are not those of the options; [`ErrorKind::Layout`] when elements of the result share memory.
    ///
    /// ```
    /// use broadaxe::{Array, DType, Evaluation, Graph, Options, Rule, ViewMut, ops};
    /// let a = Array::from_vec([3], vec![1_u8, 2, 3])?;
    /// let mut graph = Graph::new();
    /// let x = graph.input(DType::U8, &[3])?;
    /// let sum = graph.op(ops::ADD, &Rule::numpy(), &[x, x])?;
    /// let options = Options { strides: Some(vec![-1]), ..Options::default() };
    /// let mut bytes = [0; 3];
    /// let out = ViewMut::new(DType::U8, &mut bytes, &[3], &[-1], 2)?;
    /// Evaluation::new(&graph, sum, vec![a.view()], options)?.run_into(out)?;
    /// assert_eq!(bytes, [6, 4, 2]);
    /// # Ok::<(), broadaxe::Error>(())
    /// ```
    pub fn run_into<'o>(&self, out: impl Into<Destination<'o>>) -> Result<(), Error> {
        let own = (self.dtype(), self.shape());
        match out.into() {
            Destination::Array(out) => {
                check_output((out.dtype(), out.shape()), own)?;
                self.check_row_major()?;
                self.with_run(|run| run.compute_into(Place::Own(None, out)))
            }
            Destination::View(out) => {
                check_output((out.dtype(), out.shape()), own)?;
                self.check_strides(out.strides())?;
                self.with_run(|run| run.compute_into(Place::Strided(out.into_output())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, View, ViewMut};
    use broadaxe_kernels::{DType, Reduction, find};
    use broadaxe_shape::Rule;

    /// Maps, chains, stretched parts and folds give the same bytes whatever the strides of the result.
    #[test]
    fn results_lie_where_they_are_asked_to() {
        let bytes: Vec<u8> = (0..24).collect();
        let make = |case: usize, strides: Option<Vec<isize>>| {
            let mut graph = Graph::new();
            let x = graph.input(DType::U8, &[2, 3, 4]).expect("small");
            let add = find("add").expect("add");
            let root = match case {
                0 => x,
                1 => graph.op(add, &Rule::numpy(), &[x, x]).expect("adds"),
                2 => {
                    let most = graph.reduce(Reduction::Max, x, Some(&[1]), true).expect("folds");
                    graph.op(add, &Rule::numpy(), &[most, x]).expect("adds")
                }
                _ => graph.reduce(Reduction::Max, x, Some(&[1]), true).expect("folds"),
            };
            let view = View::contiguous(DType::U8, &bytes, &[2, 3, 4]).expect("fits");
            Evaluation::new(&graph, root, vec![view], Options { strides, ..Options::default() }).expect("plans")
        };
        for case in 0..4 {
            let want = make(case, None).run().expect("runs");
            let shape = want.shape().to_vec();
            for strides in [[40_isize, 8, 1], [-40, 8, 2], [1, 2, -8]] {
                let offset = strides.iter().zip(&shape).map(|(s, &n)| (s * (n as isize - 1)).min(0)).sum::<isize>();
                let mut out = vec![255; 200];
                let start = offset.unsigned_abs();
                let view = ViewMut::new(DType::U8, &mut out, &shape, &strides, start).expect("fits");
                make(case, Some(strides.to_vec())).run_into(view).expect("runs");
                let view = View::new(DType::U8, &out, &shape, &strides, start).expect("fits");
                let got = Array::from_view(&view).expect("copies");
                assert_eq!(got.as_bytes(), want.as_bytes(), "case {case} with {strides:?}");
            }
        }
    }

    #[test]
    fn other_strides_are_refused() {
        let a = Array::from_vec([2, 1, 2], vec![1_u8, 2, 3, 4]).expect("four");
        let mut graph = Graph::new();
        let x = graph.input(DType::U8, &[2, 1, 2]).expect("small");
        let mut bytes = [0; 8];
        let mut run = |planned: &[isize], strides: &[isize]| {
            let options = Options { strides: Some(planned.to_vec()), ..Options::default() };
            let out = ViewMut::new(DType::U8, &mut bytes, &[2, 1, 2], strides, 0)?;
            Evaluation::new(&graph, x, vec![a.view()], options)?.run_into(out)
        };
        assert_eq!(run(&[2, 7, 1], &[2, 1, 1]), Ok(()), "the stride of an axis of 1 means nothing");
        assert_eq!(run(&[2, 2, 1], &[4, 2, 1]).map_err(|e| e.kind()), Err(ErrorKind::Argument));
        assert_eq!(run(&[0, 2, 1], &[0, 2, 1]).map_err(|e| e.kind()), Err(ErrorKind::Layout));
        assert_eq!(run(&[1, 2], &[2, 2, 1]).map_err(|e| e.kind()), Err(ErrorKind::Layout));
    }
}
