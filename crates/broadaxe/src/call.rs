//! Calls: one operator on arrays, at once.
//!
//! A graph and an evaluation cost microseconds to make, however small the arrays are. A call keeps what was decided for operands
//! that lie alike, a few dozen decisions per thread, and finds it again by operator, rule, dtypes, shapes and strides.

use std::cell::RefCell;

use broadaxe_kernels::{DType, Executor, Failure, Input, Op, Output, Pool, Program, Progress, Schedule, Slot, Step};
use broadaxe_shape::{Rule, Shape};

use crate::{
    array::{Array, byte_count},
    error::{Error, ErrorKind},
    eval::{Evaluation, Options, check_output},
    graph::{Graph, Node, Origin},
    memory,
    operand::Operand,
    plan::Plan,
    view::{View, ViewMut, byte_strides},
};

/// The decisions that a thread keeps.
const KEPT: usize = 64;

/// The operands that a call takes without an evaluation.
const FEW: usize = 3;

/// One operator on operands that lie so, with everything decided: it can be run any number of times, over any memory.
pub struct Call {
    op: &'static Op,
    schedule: Schedule,
    plan: Plan,
    shape: Shape,
    dtype: DType,
    strides: Vec<isize>,
}

/// How an operand lies: its dtype, its dims, and its strides in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Lie<'a> {
    /// The dtype.
    pub dtype: DType,
    /// The dims, the slowest first.
    pub shape: &'a [usize],
    /// The bytes from one element to the next along each axis.
    pub strides: &'a [isize],
}

/// A decision, and what it was made for.
struct Kept {
    rule: Rule,
    /// The layout of the operands, and of the result where that was given.
    layout: Vec<usize>,
    call: Call,
}

thread_local! {
    static CALLS: RefCell<Vec<Option<Box<Kept>>>> = RefCell::new((0..KEPT).map(|_| None).collect());
}

/// Lists what a decision depends on in these operands, and in the strides of the result.
fn layout<'v>(views: &'v [View<'_>], strides: Option<&'v [isize]>) -> impl Iterator<Item = usize> + 'v {
    let of_result = strides.into_iter().flatten().map(|&stride| stride.cast_unsigned());
    let of_views = views.iter().flat_map(|view| {
        let strides = view.strides().iter().map(|&stride| stride.cast_unsigned());
        [view.dtype() as usize, view.shape().len()].into_iter().chain(view.shape().iter().copied()).chain(strides)
    });
    of_views.chain(of_result)
}

impl Call {
    /// Decides how to apply an operator of at most three operands to operands that lie so.
    ///
    /// `place` chooses the strides of the result in bytes, from its dtype, its shape, and every operand's strides over it.
    ///
    /// # Errors
    /// What [`Graph::op`] refuses; [`ErrorKind::Argument`] for what is not one kernel, [`ErrorKind::Layout`] for strides with
    /// which elements of the result share memory.
    pub fn new(
        op: &'static Op,
        rule: &Rule,
        operands: &[Lie<'_>],
        place: impl FnOnce(DType, &[usize], &[Vec<isize>]) -> Vec<isize>,
    ) -> Result<Self, Error> {
        let mut graph = Graph::new();
        let nodes = operands.iter().map(|lie| graph.input(lie.dtype, lie.shape)).collect::<Result<Vec<Node>, _>>()?;
        let root = graph.op(op, rule, &nodes)?;
        let (shape, dtype) = (Shape::from(graph.shape(root)), graph.dtype(root));
        let Origin::Kernel(applied) = &graph.made(root).origin else {
            return Err(Error::new(ErrorKind::Argument, format!("{} is not one kernel", op.name())));
        };
        if applied.args != nodes || nodes.len() > FEW {
            return Err(Error::new(ErrorKind::Argument, format!("{} is several kernels here", op.name())));
        }
        byte_count(dtype, &shape)?;
        let inputs: Vec<_> =
            operands.iter().enumerate().map(|(k, lie)| applied.alignment.strides_from(k, lie.strides)).collect();
        let strides = place(dtype, &shape, &inputs);
        if strides.len() != shape.len() {
            let text = format!("{} strides for a result of rank {}", strides.len(), shape.len());
            return Err(Error::new(ErrorKind::Layout, text));
        }
        let plan = Plan::new(&shape, &strides, &inputs);
        let slots: Vec<Slot> = (0..nodes.len()).map(Slot::Input).collect();
        let dtypes = operands.iter().map(|lie| lie.dtype).collect();
        let program = Program::new(dtypes, vec![Step::new(applied.kernel, slots)]);
        let Some(program) = program else { unreachable!("the graph checked every operand's dtype") };
        let schedule = Schedule::new(&program, plan.nest())?;
        Ok(Self { op, schedule, plan, shape, dtype, strides })
    }

    /// Returns the dtype of the result.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the shape of the result.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the strides of the result in bytes.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Returns an estimate of the nanoseconds that one thread takes.
    pub fn nanos(&self) -> u64 {
        self.schedule.nanos()
    }

    /// Applies the operator to this memory; whether every element lies in it is checked.
    ///
    /// # Errors
    /// As for [`apply_into`], and [`ErrorKind::Interrupted`] where `progress` says so; [`ErrorKind::Layout`] where an element would
    /// lie outside its memory.
    ///
    /// # Panics
    /// When there is not one input per operand.
    pub fn run(&self, inputs: &[Input<'_>], output: Output<'_>, progress: Option<Progress<'_>>) -> Result<(), Error> {
        let executor: &dyn Executor = &Pool::global().team(memory::num_threads()?);
        self.schedule.run(inputs, output, executor, progress).map_err(|failure| self.explain(failure))
    }

    fn run_views(&self, views: &[View<'_>], output: Output<'_>) -> Result<(), Error> {
        self.run(&inputs(views)[..views.len()], output, None)
    }

    /// Computes the result into the memory of operand `own`.
    fn run_over(&self, views: &[View<'_>], own: usize, array: Array) -> Result<Array, Error> {
        let mut out = array.retyped(self.dtype);
        let executor: &dyn Executor = &Pool::global().team(memory::num_threads()?);
        let inputs = &inputs(views)[..views.len()];
        let done = self.schedule.run_over(inputs, own, out.buffer_mut(), executor, None);
        done.map_err(|failure| self.explain(failure))?;
        Ok(out)
    }

    /// Finds an operand that is given away and lies as the result will.
    fn own(&self, operands: &[Operand<'_>]) -> Option<usize> {
        let nest = self.plan.nest();
        operands.iter().zip(&nest.inputs).position(|(operand, strides)| {
            matches!(operand, Operand::Array(_))
                && operand.shape() == &*self.shape
                && operand.dtype().size() == self.dtype.size()
                && *strides == nest.output
        })
    }

    fn explain(&self, failure: Failure) -> Error {
        match failure {
            Failure::Refused { what, element, .. } => {
                let at = Shape::from(self.plan.index(element));
                let text = format!("{}: {what} at {at} of the result {}", self.op.name(), self.shape);
                Error::new(ErrorKind::Value, text)
            }
            other => other.into(),
        }
    }
}

fn inputs<'v>(views: &[View<'v>]) -> [Input<'v>; FEW] {
    let mut inputs = [Input::new(&[], 0); FEW];
    for (input, view) in inputs.iter_mut().zip(views) {
        *input = view.input();
    }
    inputs
}

/// Calls `use_it` with the decision for these operands and these strides of the result, made now if there is none.
fn with<R>(
    op: &'static Op,
    rule: &Rule,
    views: &[View<'_>],
    strides: Option<&[isize]>,
    use_it: impl FnOnce(&Call) -> Result<R, Error>,
) -> Result<R, Error> {
    let mix = |hash: u64, word: usize| (hash ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    let hash = layout(views, strides).fold(std::ptr::from_ref(op).addr() as u64, mix);
    let make = || {
        let lies: Vec<Lie<'_>> = views
            .iter()
            .map(|view| Lie { dtype: view.dtype(), shape: view.shape(), strides: view.strides() })
            .collect();
        let place = |dtype, shape: &[usize], _: &[Vec<isize>]| {
            strides.map_or_else(|| byte_strides(dtype, shape), <[isize]>::to_vec)
        };
        let call = Call::new(op, rule, &lies, place)?;
        Ok::<_, Error>(Kept { rule: rule.clone(), layout: layout(views, strides).collect(), call })
    };
    CALLS.with(|calls| {
        let slot = (hash >> 32) as usize % KEPT;
        // A part of an evaluation that calls again finds the table in use, and does without.
        let Ok(mut calls) = calls.try_borrow_mut() else { return use_it(&make()?.call) };
        match &mut calls[slot] {
            Some(kept)
                if std::ptr::eq(kept.call.op, op)
                    && kept.layout.iter().copied().eq(layout(views, strides))
                    && kept.rule == *rule =>
            {
                use_it(&kept.call)
            }
            place => use_it(&place.insert(Box::new(make()?)).call),
        }
    })
}

/// Applies an operator to arrays whose shapes broadcast under a rule.
///
/// The operands have one dtype, as for [`Graph::op`]. What is decided for operands that lie alike is kept, so that a call on
/// small arrays costs little more than their arithmetic.
///
/// ```
/// use broadaxe::{Array, Rule, apply, find};
/// let a = Array::from_vec([2, 1], vec![1_i32, 2])?;
/// let b = Array::from_vec([3], vec![10_i32, 20, 30])?;
/// let sum = apply(find("add").unwrap(), &Rule::numpy(), &[a.view(), b.view()])?;
/// assert_eq!(sum.as_slice::<i32>(), Some(&[11, 21, 31, 12, 22, 32][..]));
/// # Ok::<(), broadaxe::Error>(())
/// ```
///
/// # Errors
/// What [`Graph::op`] and [`Evaluation::run`] refuse: shapes that do not broadcast, dtypes that the operator does not take,
/// results beyond the budget, elements such as zero divisors.
pub fn apply(op: &'static Op, rule: &Rule, operands: &[View<'_>]) -> Result<Array, Error> {
    if !is_one_kernel(op, operands.len()) {
        return evaluation(op, rule, operands)?.run();
    }
    let made = with(op, rule, operands, None, |call| {
        let bytes = byte_count(call.dtype, &call.shape)?;
        if memory::default_budget().is_some_and(|budget| bytes as u64 > budget) {
            return Ok(None);
        }
        let mut out = Array::unwritten(call.dtype, call.shape.clone())?;
        call.run_views(operands, Output::new(out.as_bytes_mut(), 0))?;
        Ok(Some(out))
    })?;
    // An evaluation says how far beyond the budget it is.
    made.map_or_else(|| evaluation(op, rule, operands)?.run(), Ok)
}

/// As [`apply`], into an array that is there already, of the result's dtype and shape.
///
/// # Errors
/// As for [`apply`], after which the array may be partly written; [`ErrorKind::Argument`] when it is of another dtype or shape.
pub fn apply_into(op: &'static Op, rule: &Rule, operands: &[View<'_>], out: &mut Array) -> Result<(), Error> {
    if !is_one_kernel(op, operands.len()) {
        return evaluation(op, rule, operands)?.run_into(out);
    }
    with(op, rule, operands, None, |call| {
        check_output((out.dtype(), out.shape()), (call.dtype, &call.shape))?;
        call.run_views(operands, Output::new(out.as_bytes_mut(), 0))
    })
}

/// As [`apply`], into memory that lies there already, with any strides; it may be that of an operand.
///
/// # Errors
/// As for [`apply_into`]; [`ErrorKind::Layout`] when elements of the result share memory.
pub fn apply_onto(op: &'static Op, rule: &Rule, operands: &[View<'_>], out: ViewMut<'_>) -> Result<(), Error> {
    if !is_one_kernel(op, operands.len()) {
        let strides = Some(out.strides().to_vec());
        return planned(op, rule, operands, strides)?.run_onto(out);
    }
    let strides = out.strides().to_vec();
    with(op, rule, operands, Some(&strides), |call| {
        check_output((out.dtype(), out.shape()), (call.dtype, &call.shape))?;
        call.run_views(operands, out.into_output())
    })
}

/// As [`apply`], of operands that may be given away: the result takes the memory of the first array that has its shape and elements of
/// as many bytes.
///
/// Under most rules such an array lies element for element as the result will. One that is stretched, or of another size, is read
/// as a view would be, and dropped.
///
/// ```
/// use broadaxe::{Array, Rule, apply_owned, find};
/// let a = Array::from_vec([3], vec![1_i32, 2, 3])?;
/// let b = Array::from_vec([1], vec![10_i32])?;
/// let place = a.as_bytes().as_ptr();
/// let sum = apply_owned(find("add").unwrap(), &Rule::numpy(), vec![a.into(), (&b).into()])?;
/// assert_eq!(sum.as_slice::<i32>(), Some(&[11, 12, 13][..]));
/// assert_eq!(sum.as_bytes().as_ptr(), place);
/// # Ok::<(), broadaxe::Error>(())
/// ```
///
/// # Errors
/// As for [`apply`]; what was given away is then lost.
pub fn apply_owned(op: &'static Op, rule: &Rule, operands: Vec<Operand<'_>>) -> Result<Array, Error> {
    let views: Vec<View<'_>> = operands.iter().map(Operand::view).collect();
    let own = if is_one_kernel(op, operands.len()) {
        with(op, rule, &views, None, |call| Ok(call.own(&operands)))?
    } else {
        None
    };
    let Some(own) = own else { return apply(op, rule, &views) };
    drop(views);
    let mut operands = operands;
    let lies = Operand::View(View::of_nothing(operands[own].dtype(), operands[own].shape()));
    let Operand::Array(array) = std::mem::replace(&mut operands[own], lies) else {
        unreachable!("only an array is taken")
    };
    let views: Vec<View<'_>> = operands.iter().map(Operand::view).collect();
    with(op, rule, &views, None, |call| call.run_over(&views, own, array))
}

/// Says whether an operator with so many operands is one kernel.
fn is_one_kernel(op: &Op, operands: usize) -> bool {
    operands <= FEW && !op.is_average() && (!op.is_variadic() || operands == 2)
}

fn evaluation<'v>(op: &'static Op, rule: &Rule, views: &[View<'v>]) -> Result<Evaluation<'v>, Error> {
    planned(op, rule, views, None)
}

fn planned<'v>(
    op: &'static Op,
    rule: &Rule,
    views: &[View<'v>],
    strides: Option<Vec<isize>>,
) -> Result<Evaluation<'v>, Error> {
    let mut graph = Graph::new();
    let nodes = views.iter().map(|view| graph.input(view.dtype(), view.shape())).collect::<Result<Vec<Node>, _>>()?;
    let root = graph.op(op, rule, &nodes)?;
    Evaluation::new(&graph, root, views.to_vec(), Options { rule: rule.clone(), strides, ..Options::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use broadaxe_kernels::find;

    /// Every call gives what an evaluation gives, whether it is decided anew or found.
    #[test]
    fn calls_give_what_evaluations_give() {
        let a = Array::from_vec([2, 3], vec![7_i32, -8, 9, 10, -11, 12]).expect("a");
        let b = Array::from_vec([3], vec![2_i32, 3, -4]).expect("b");
        let column = Array::from_vec([2], vec![5_i32, 6]).expect("column");
        let pdpd = Rule::pdpd(0);
        let cases: Vec<(&str, Rule, Vec<View>)> = vec![
            ("add", Rule::numpy(), vec![a.view(), b.view()]),
            ("sub", Rule::numpy(), vec![a.view(), b.view()]),
            ("sub", Rule::numpy(), vec![a.view().transposed(), column.view()]),
            ("sub", pdpd, vec![a.view(), column.view()]),
            ("neg", Rule::numpy(), vec![a.view().transposed()]),
            ("clamp", Rule::numpy(), vec![a.view(), b.view(), b.view()]),
            ("max", Rule::numpy(), vec![a.view(), b.view(), b.view(), a.view()]),
            ("max", Rule::numpy(), vec![a.view()]),
            ("div_floor", Rule::numpy(), vec![a.view(), b.view()]),
        ];
        for round in 0..3 {
            for (name, rule, views) in &cases {
                let op = find(name).expect("in the table");
                let want = evaluation(op, rule, views).and_then(|evaluation| evaluation.run()).expect("evaluates");
                let got = apply(op, rule, views).expect("applies");
                let mut out = Array::zeros(want.dtype(), want.shape()).expect("small");
                apply_into(op, rule, views, &mut out).expect("applies");
                let all = [&want, &got, &out].map(|array| (array.shape().to_vec(), array.as_bytes().to_vec()));
                assert!(all[0] == all[1] && all[0] == all[2], "{name} {rule:?}, round {round}");
            }
        }
    }

    #[test]
    fn more_calls_than_are_kept_are_right() {
        let add = find("add").expect("in the table");
        for round in 0..2 {
            for n in 1..300_usize {
                let a = Array::from_vec([n], vec![n as f32; n]).expect("a");
                let sum = apply(add, &Rule::numpy(), &[a.view(), a.view()]).expect("adds");
                assert!(
                    sum.as_slice::<f32>().is_some_and(|s| s.len() == n && s.iter().all(|&x| x == 2.0 * n as f32)),
                    "{n} {round}"
                );
            }
        }
    }

    #[test]
    fn refusals_are_those_of_evaluations() {
        let (a, zero) =
            (Array::from_vec([2], vec![1_i32, 2]).expect("a"), Array::from_vec([2], vec![3_i32, 0]).expect("zero"));
        let long = Array::from_vec([3], vec![1_i32; 3]).expect("long");
        let div = find("div_floor").expect("in the table");
        let refused = |views: &[View]| apply(div, &Rule::numpy(), views).expect_err("refused").to_string();
        assert_eq!(refused(&[a.view(), zero.view()]), "div_floor: a zero divisor at (1,) of the result (2,)");
        assert!(refused(&[a.view(), long.view()]).contains("must be equal or 1"));
        assert!(refused(&[a.view()]).contains("takes 2 operands"));
        let mut out = Array::zeros(DType::I32, [3]).expect("small");
        let error = apply_into(div, &Rule::numpy(), &[a.view(), a.view()], &mut out).expect_err("refused");
        assert_eq!(error.to_string(), "the output is i32 (3,) and the result i32 (2,); they must be equal");
    }
}
