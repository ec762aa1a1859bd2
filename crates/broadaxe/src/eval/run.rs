//! Runs the stages of an evaluation in order, and manages the memory of their results.

use broadaxe_kernels::{DType, Executor, Failure, Input, Output, Pool, Progress, Serial};
use broadaxe_shape::Shape;

use super::{Evaluation, Leaf, Stage, Work, output::Place};
use crate::{
    array::{Array, byte_count},
    error::{Error, ErrorKind},
    operand::Operand,
    stop,
    view::View,
};

/// The least bytes of a result that is written over an operand; below, the extra planning costs more than the allocation.
const WORTH_TAKING: usize = 16 << 10;

/// Arrays that stages read besides the inputs and constants.
#[derive(Clone, Copy)]
struct Sources<'s> {
    /// The operands that were given away, by their number.
    given: &'s [Option<Array>],
    /// The results of the stages so far.
    results: &'s [Option<Array>],
}

/// The number of leaves of a stage whose inputs are gathered without an allocation.
const INLINE_LEAVES: usize = 8;

/// The stages of an evaluation, and the memory and threads that they run on.
pub(crate) struct Run<'r> {
    pub(crate) stages: &'r [Stage],
    /// The strides of the result in bytes.
    pub(crate) strides: &'r [isize],
    /// The graph's inputs, by their number.
    pub(crate) inputs: &'r [Input<'r>],
    pub(crate) executor: &'r dyn Executor,
    pub(crate) progress: Option<Progress<'r>>,
}

impl<'a> Evaluation<'a> {
    /// Computes the result.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when an element is rejected, such as a zero divisor: names the operator and the first position.
    /// [`ErrorKind::Memory`] when an allocation fails, [`ErrorKind::Interrupted`] when the progress function says so.
    pub fn run(&self) -> Result<Array, Error> {
        self.compute(&mut [])
    }

    /// Computes the result, where it fits into the memory of an operand that was given away.
    ///
    /// ```
    /// use broadaxe::{Array, DType, Evaluation, Graph, Options, Rule, ops};
    /// let mut graph = Graph::new();
    /// let a = graph.input(DType::F64, &[10_000])?;
    /// let root = graph.op(ops::EXP, &Rule::numpy(), &[a])?;
    /// let array = Array::zeros(DType::F64, [10_000])?;
    /// let place = array.as_bytes().as_ptr();
    /// let result = Evaluation::of(&graph, root, vec![array.into()], Options::default())?.run_once()?;
    /// assert_eq!(result.as_slice::<f64>().map(|s| s[0]), Some(1.0));
    /// assert_eq!(result.as_bytes().as_ptr(), place);
    /// # Ok::<(), broadaxe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Evaluation::run`]; what was given away is then lost.
    pub fn run_once(mut self) -> Result<Array, Error> {
        let give = |operand: &mut Operand<'a>| {
            let rest = Operand::View(View::of_nothing(operand.dtype(), operand.shape()));
            match std::mem::replace(operand, rest) {
                Operand::Array(array) => Some(array),
                view @ Operand::View(_) => {
                    *operand = view;
                    None
                }
            }
        };
        let mut given: Vec<Option<Array>> = self.operands.iter_mut().map(give).collect();
        self.compute(&mut given)
    }

    /// Computes the result into memory of its own, or of what was given away.
    fn compute(&self, given: &mut [Option<Array>]) -> Result<Array, Error> {
        self.check_row_major()?;
        self.with_run(|run| {
            let mut results = Vec::with_capacity(run.stages.len());
            run.compute_first(run.stages.len(), given, &mut results)?;
            let Some(result) = results.pop().flatten() else { unreachable!("the last stage has no reader") };
            Ok(result)
        })
    }

    /// Calls `work` with the stages over the operands.
    pub(super) fn with_run<R>(&self, work: impl FnOnce(&Run<'_>) -> R) -> R {
        let inputs: Vec<Input<'_>> = self.operands.iter().map(Operand::input).collect();
        let team = Pool::global().team(self.threads);
        // Work that is to stop from outside, and has no progress function, looks whether it should.
        let own = |_, _| !stop::is_stopped();
        let progress = self.options.progress.or_else(|| stop::is_watched().then_some(&own as _));
        work(&Run {
            stages: &self.stages,
            strides: &self.strides,
            inputs: &inputs,
            executor: self.options.executor.unwrap_or(&team),
            progress,
        })
    }
}

impl Run<'_> {
    /// Computes the result into existing memory.
    pub(crate) fn compute_into(&self, out: Place) -> Result<(), Error> {
        if let [stage] = self.stages {
            let none = Sources { given: &[], results: &[] };
            return self.run_stage(stage, none, out, (0, stage.elements()));
        }
        let last = self.stages.len() - 1;
        let mut results = Vec::with_capacity(self.stages.len());
        let done = self.compute_first(last, &mut [], &mut results)?;
        self.run_stage(&self.stages[last], Sources { given: &[], results: &results }, out, done)
    }

    /// Runs the first `count` stages and adds their results; drops results after their last use. Returns the elements that
    /// are done, of all.
    fn compute_first(
        &self,
        count: usize,
        given: &mut [Option<Array>],
        results: &mut Vec<Option<Array>>,
    ) -> Result<(u64, u64), Error> {
        let total: u64 = self.stages.iter().map(Stage::elements).sum();
        let mut before = 0;
        for (at, stage) in self.stages[..count].iter().enumerate() {
            let taken = stage.over.and_then(|leaf| match stage.leaves[leaf] {
                Leaf::Stage(s) => Some((leaf, results[s].take()?)),
                Leaf::Input(i) => Some((leaf, given.get_mut(i)?.take()?)),
                Leaf::Constant(_) => None,
            });
            let (own, mut result) = match taken {
                Some((leaf, array)) => (Some(leaf), array.retyped(stage.dtype)),
                None => (None, Array::unwritten(stage.dtype, stage.shape.clone())?),
            };
            self.run_stage(stage, Sources { given, results }, Place::Own(own, &mut result), (before, total))?;
            results.push(Some(result));
            for (s, earlier) in self.stages[..at].iter().enumerate() {
                if earlier.last_use == at {
                    results[s] = None;
                }
            }
            before += stage.elements();
        }
        Ok((before, total))
    }

    /// Runs a stage into its result; `before` elements of `total` are done.
    fn run_stage(
        &self,
        stage: &Stage,
        Sources { given, results }: Sources,
        out: Place,
        (before, total): (u64, u64),
    ) -> Result<(), Error> {
        let (mut few, mut many) = ([Input::new(&[], 0); INLINE_LEAVES], Vec::new());
        let inputs = if stage.leaves.len() <= INLINE_LEAVES {
            &mut few[..stage.leaves.len()]
        } else {
            many.resize(stage.leaves.len(), Input::new(&[], 0));
            &mut many[..]
        };
        for ((input, leaf), scalar) in inputs.iter_mut().zip(&stage.leaves).zip(&stage.constants) {
            *input = match leaf {
                Leaf::Input(i) => match given.get(*i) {
                    Some(Some(array)) => Input::new(array.as_bytes(), 0),
                    _ => self.inputs[*i],
                },
                Leaf::Constant(_) => Input::new(scalar, 0),
                Leaf::Stage(s) => Input::new(results[*s].as_ref().map_or(&[][..], Array::as_bytes), 0),
            };
        }
        let forward = |done: u64, _: u64| self.progress.is_none_or(|progress| progress(before + done, total));
        let progress = self.progress.is_some().then_some(&forward as &(dyn Fn(u64, u64) -> bool + Sync));
        self.work(stage, inputs, out, progress)
    }

    /// Does the work of a stage over its inputs.
    fn work(&self, stage: &Stage, inputs: &[Input], out: Place, progress: Option<Progress>) -> Result<(), Error> {
        let executor = self.executor;
        match (&stage.work, out) {
            (Work::Map(schedule, _), Place::Own(Some(own), out)) => {
                schedule.run_over(inputs, own, out.buffer_mut(), executor, progress)
            }
            (Work::Map(schedule, _), Place::Own(None, out)) => {
                schedule.run(inputs, Output::new(out.as_bytes_mut(), 0), executor, progress)
            }
            (Work::Map(schedule, _), Place::Strided(output)) => schedule.run(inputs, output, executor, progress),
            (Work::Fold(folding), Place::Own(_, out)) => folding.run(inputs, out.as_bytes_mut(), executor, progress),
            (Work::Fold(folding), Place::Strided(output)) => {
                let mut folded = Array::unwritten(stage.dtype, stage.shape.clone())?;
                let done = folding.run(inputs, folded.as_bytes_mut(), executor, progress);
                // All elements are folded; what is left is to be stopped all the same.
                let rest = |_, _| progress.is_none_or(|progress| progress(stage.elements(), stage.elements()));
                let rest = progress.is_some().then_some(&rest as &(dyn Fn(u64, u64) -> bool + Sync));
                done.and_then(|()| {
                    folding.scatter(&folded, self.strides)?.run(
                        &[Input::new(folded.as_bytes(), 0)],
                        output,
                        &Serial,
                        rest,
                    )
                })
            }
        }
        .map_err(|failure| explain(stage, failure))
    }
}

/// Finds the leaf that a stage may write its result over: an array of the same shape, with elements of as many bytes, that is
/// not read later and has the same layout as the result.
pub(super) fn over(stages: &[Stage], at: usize, operands: &[Operand]) -> Option<usize> {
    let stage = &stages[at];
    let Work::Map(_, plan) = &stage.work else { return None };
    if byte_count(stage.dtype, &stage.shape).is_ok_and(|bytes| bytes < WORTH_TAKING) {
        return None;
    }
    let alike = |dtype: DType, shape: &[usize]| dtype.size() == stage.dtype.size() && shape == &*stage.shape;
    let may = |leaf: Leaf| match leaf {
        Leaf::Stage(s) => stages[s].last_use == at && alike(stages[s].dtype, &stages[s].shape),
        Leaf::Input(i) => {
            matches!(&operands[i], Operand::Array(array) if alike(array.dtype(), array.shape()))
                && !stages[at + 1..].iter().any(|later| later.leaves.contains(&leaf))
        }
        Leaf::Constant(_) => false,
    };
    let nest = plan.nest();
    let mut leaves = stage.leaves.iter().zip(&nest.inputs);
    leaves.position(|(leaf, strides)| {
        may(*leaf) && *strides == nest.output && stage.leaves.iter().filter(|other| *other == leaf).count() == 1
    })
}

/// Says in words why a stage did not run to its end.
pub(crate) fn explain(stage: &Stage, failure: Failure) -> Error {
    match failure {
        Failure::Rejected { step, what, element } => {
            let name = stage.names[step];
            let text = match &stage.work {
                Work::Map(_, plan) => {
                    format!("{name}: {what} at {} of the result {}", Shape::from(plan.index(element)), stage.shape)
                }
                Work::Fold(folding) => {
                    let (at, of) = (Shape::from(folding.index(element)), folding.reduction.name());
                    format!("{name}: {what} at {at} of the {} that {of} folds", folding.shape)
                }
            };
            Error::new(ErrorKind::Value, text)
        }
        failure => failure.into(),
    }
}

#[cfg(test)]
mod tests;
