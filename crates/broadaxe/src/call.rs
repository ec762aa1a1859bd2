//! Plans a graph for operands of given layouts, to run it over any memory.
//!
//! Planning costs microseconds, however small the arrays are. [`cached`] keeps what was planned, a few hundred calls per thread, and
//! finds it again by function, rule, dtypes, shapes and strides.

mod cache;

use std::{fmt, sync::Arc};

use broadaxe_kernels::{DType, Element, Executor, Input, Op, Output, Pool, Progress};
use broadaxe_shape::Rule;

pub use cache::{Function, Key, cached};

use crate::{
    array::{Array, byte_count},
    error::{Error, ErrorKind},
    eval::{self, Evaluation, Options, Place, Run, Stage, check_output},
    graph::{Graph, Node, Origin},
    memory,
    operand::{Destination, Operand},
    view::{View, byte_strides},
};

/// The layout of an operand: its dtype, its dims, and its strides in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The dtype.
    pub dtype: DType,
    /// The dims, the slowest first.
    pub shape: &'a [usize],
    /// The bytes from one element to the next along each axis.
    pub strides: &'a [isize],
}

impl<'a> Layout<'a> {
    fn of(view: &'a View<'_>) -> Self {
        Self { dtype: view.dtype(), shape: view.shape(), strides: view.strides() }
    }

    fn bytes(&self) -> u64 {
        self.shape.iter().fold(self.dtype.size() as u64, |bytes, &dim| bytes.saturating_mul(dim as u64))
    }
}

/// A graph over operands of given layouts, with everything decided: it can be run any number of times, over any memory.
///
/// ```
/// use broadaxe::{Call, DType, Graph, Input, Output, Rule, call::Layout, ops};
/// let mut graph = Graph::new();
/// let x = graph.input(DType::U8, &[3])?;
/// let sum = graph.op(ops::ADD, &Rule::numpy(), &[x, x])?;
/// let layout = Layout { dtype: DType::U8, shape: &[3], strides: &[1] };
/// let call = Call::of(&graph, sum, &[layout], |_, _, _| vec![1])?;
/// let mut out = [0; 3];
/// call.run(&[Input::new(&[1, 2, 3], 0)], Output::new(&mut out, 0), None)?;
/// assert_eq!(out, [2, 4, 6]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
pub struct Call {
    stages: Arc<[Stage]>,
    strides: Arc<[isize]>,
    is_row_major: bool,
    /// Whether it is one program over the inputs, in their order.
    is_direct: bool,
    /// The bytes of the operands' elements, of the result, and of what is allocated besides.
    bytes: Bytes,
    nanos: u64,
}

/// Bytes that a call counts against the budget.
#[derive(Clone, Copy)]
struct Bytes {
    operands: u64,
    result: u64,
    temporary: u64,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("stages", &self.stages.len())
            .field("strides", &self.strides)
            .finish_non_exhaustive()
    }
}

impl Call {
    /// Plans an operator over operands of these layouts.
    ///
    /// `place` chooses the strides of the result in bytes, from its dtype, its shape, and every operand's strides over it.
    ///
    /// # Errors
    /// What [`Graph::op`] rejects, and as for [`Call::of`].
    pub fn new(
        op: &'static Op,
        rule: &Rule,
        operands: &[Layout<'_>],
        place: impl FnOnce(DType, &[usize], &[Vec<isize>]) -> Vec<isize>,
    ) -> Result<Self, Error> {
        let mut graph = Graph::new();
        let root = graph.inputs_of(operands).and_then(|nodes| graph.op(op, rule, &nodes))?;
        Self::of(&graph, root, operands, place)
    }

    /// Plans a node of a graph whose inputs have these layouts.
    ///
    /// `place` chooses the strides of the result in bytes, from its dtype, its shape, and every operand's strides over it: those under the
    /// rule where the node is one operator over the inputs, else those under NumPy's, of the operands that fit.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] when the layouts are not those of the graph's inputs; [`ErrorKind::Layout`] for strides with which elements
    /// of the result share memory; [`ErrorKind::Memory`] where more than the budget would be allocated besides the result.
    pub fn of(
        graph: &Graph,
        root: Node,
        operands: &[Layout<'_>],
        place: impl FnOnce(DType, &[usize], &[Vec<isize>]) -> Vec<isize>,
    ) -> Result<Self, Error> {
        let (shape, dtype) = (graph.shape(root), graph.dtype(root));
        let result = byte_count(dtype, shape)? as u64;
        let strides = place(dtype, shape, &strides_over(graph, root, operands));
        let is_row_major = strides == byte_strides(dtype, shape);
        let views = operands.iter().map(|layout| View::of_layout(layout.dtype, layout.shape, layout.strides));
        let views = views.collect::<Result<Vec<View<'static>>, _>>()?;
        let options = Options { strides: Some(strides), is_lent: true, ..Options::default() };
        let (stages, strides) = Evaluation::new(graph, root, views, options)?.into_stages();
        let temporary = eval::needed(&stages, memory::num_threads()?, false)?;
        let given = operands.iter().map(Layout::bytes).fold(0, u64::saturating_add);
        let nanos = eval::nanos(&stages);
        let bytes = Bytes { operands: given, result, temporary };
        let is_direct = stages.len() == 1 && stages[0].nest_over(operands.len()).is_some();
        Ok(Self { stages, strides, is_row_major, is_direct, bytes, nanos })
    }

    fn last(&self) -> &Stage {
        &self.stages[self.stages.len() - 1]
    }

    /// Returns the dtype of the result.
    pub fn dtype(&self) -> DType {
        self.last().dtype
    }

    /// Returns the shape of the result.
    pub fn shape(&self) -> &[usize] {
        &self.last().shape
    }

    /// Returns the strides of the result in bytes.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Says whether the result is row-major.
    pub fn is_row_major(&self) -> bool {
        self.is_row_major
    }

    /// Estimates the nanoseconds on one thread.
    pub fn nanos(&self) -> u64 {
        self.nanos
    }

    /// Rejects a result in new memory that exceeds the budget.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`], which says how far beyond the budget it is.
    pub fn check_budget(&self) -> Result<(), Error> {
        let Bytes { operands, result, temporary } = self.bytes;
        eval::check_budget(result.saturating_add(temporary), operands, self.last(), None)
    }

    /// Runs over this memory, one input for each input of the graph; every element is checked to be inside it.
    ///
    /// The output may share memory with inputs, which are then read as if they had been copied before.
    ///
    /// # Errors
    /// As for [`Evaluation::run`]; [`ErrorKind::Layout`] where an element would lie outside its memory.
    ///
    /// # Panics
    /// When there are fewer inputs than the graph has.
    pub fn run(&self, inputs: &[Input<'_>], output: Output<'_>, progress: Option<Progress<'_>>) -> Result<(), Error> {
        self.run_on(&Pool::global().team(memory::num_threads()?), inputs, output, progress)
    }

    /// Runs as [`Call::run`] does, on the threads of this executor.
    ///
    /// # Errors
    /// As for [`Call::run`].
    ///
    /// # Panics
    /// As for [`Call::run`].
    pub fn run_on(
        &self,
        executor: &dyn Executor,
        inputs: &[Input<'_>],
        output: Output<'_>,
        progress: Option<Progress<'_>>,
    ) -> Result<(), Error> {
        if self.is_direct
            && let Some(schedule) = self.last().schedule()
        {
            let done = schedule.run(inputs, output, executor, progress);
            return done.map_err(|failure| eval::explain(self.last(), failure));
        }
        let run = Run { stages: &self.stages, strides: &self.strides, inputs, executor, progress };
        run.compute_into(Place::Strided(output))
    }

    fn run_views(&self, views: &[View<'_>], output: Output<'_>) -> Result<(), Error> {
        with_inputs(views, |inputs| self.run(inputs, output, None))
    }

    /// Computes the result into the memory of operand `own`, which is the leaf of that number of the only stage.
    fn run_over(&self, views: &[View<'_>], own: usize, array: Array) -> Result<Array, Error> {
        let mut out = array.retyped(self.dtype());
        with_inputs(views, |inputs| {
            let executor: &dyn Executor = &Pool::global().team(memory::num_threads()?);
            let run = Run { stages: &self.stages, strides: &self.strides, inputs, executor, progress: None };
            run.compute_into(Place::Own(Some(own), &mut out))
        })?;
        Ok(out)
    }

    /// Finds an operand that is given away and has the layout of the result; every operand is a leaf, in their order.
    fn own(&self, operands: &[Operand<'_>]) -> Option<usize> {
        let [stage] = &self.stages[..] else { return None };
        let nest = stage.nest_over(operands.len())?;
        operands.iter().zip(&nest.inputs).position(|(operand, strides)| {
            matches!(operand, Operand::Array(_))
                && operand.shape() == self.shape()
                && operand.dtype().size() == self.dtype().size()
                && *strides == nest.output
        })
    }
}

impl Graph {
    /// Adds an input for each layout.
    ///
    /// # Errors
    /// As for [`Graph::input`].
    pub fn inputs_of(&mut self, operands: &[Layout<'_>]) -> Result<Vec<Node>, Error> {
        operands.iter().map(|layout| self.input(layout.dtype, layout.shape)).collect()
    }
}

/// Returns the strides of every operand over the result.
fn strides_over(graph: &Graph, root: Node, operands: &[Layout<'_>]) -> Vec<Vec<isize>> {
    if let Origin::Kernel(applied) = &graph.made(root).origin {
        let is_input = |(k, &arg): (usize, &Node)| matches!(graph.made(arg).origin, Origin::Input(i) if i == k);
        let own = applied.args.len() == operands.len() && applied.args.iter().enumerate().all(is_input);
        if own && !applied.alignment.is_tiled() {
            let over = |(k, layout): (usize, &Layout<'_>)| applied.alignment.strides_from(k, layout.strides);
            return operands.iter().enumerate().map(over).collect();
        }
    }
    let rank = graph.shape(root).len();
    let over = |layout: &Layout<'_>| {
        let lead = rank.checked_sub(layout.shape.len())?;
        let own = layout.shape.iter().zip(layout.strides).map(|(&dim, &stride)| if dim == 1 { 0 } else { stride });
        Some(std::iter::repeat_n(0, lead).chain(own).collect())
    };
    operands.iter().filter_map(over).collect()
}

/// The number of operands whose layouts are listed without an allocation.
const INLINE_OPERANDS: usize = 3;

fn with_inputs<R>(views: &[View<'_>], work: impl FnOnce(&[Input<'_>]) -> R) -> R {
    let mut inline = [Input::new(&[], 0); INLINE_OPERANDS];
    if let Some(inputs) = inline.get_mut(..views.len()) {
        inputs.iter_mut().zip(views).for_each(|(input, view)| *input = view.input());
        return work(inputs);
    }
    work(&views.iter().map(View::input).collect::<Vec<_>>())
}

/// Returns the call for these operands and this output, a row-major one where none is given; plans it if need be.
fn planned(op: &'static Op, rule: &Rule, views: &[View<'_>], out: Option<Layout<'_>>) -> Result<Arc<Call>, Error> {
    let nothing = Layout { dtype: DType::Bool, shape: &[], strides: &[] };
    let (mut inline, mut many) = ([nothing; INLINE_OPERANDS], Vec::new());
    let operands = if let Some(layouts) = inline.get_mut(..views.len()) {
        layouts.iter_mut().zip(views).for_each(|(layout, view)| *layout = Layout::of(view));
        &*layouts
    } else {
        many.extend(views.iter().map(Layout::of));
        &many[..]
    };
    let place = out.map(|out| Layout { strides: out.strides, ..nothing });
    let key = Key { function: Function::row_major(op), rule: Some(rule), words: &[], operands, out: place };
    cached(&key, || plan(op, rule, operands, out), Arc::clone)
}

/// Plans the call for these operands and this output, which must be what the result can be written to.
fn plan(op: &'static Op, rule: &Rule, operands: &[Layout<'_>], out: Option<Layout<'_>>) -> Result<Call, Error> {
    let mut fits = Ok(());
    let place = |dtype, shape: &[usize], _: &[Vec<isize>]| {
        let Some(out) = out else { return byte_strides(dtype, shape) };
        fits = check_output((out.dtype, out.shape), (dtype, shape));
        if fits.is_ok() { out.strides.to_vec() } else { byte_strides(dtype, shape) }
    };
    let call = Call::new(op, rule, operands, place)?;
    fits.map(|()| call)
}

/// Applies an operator to arrays whose shapes broadcast under a rule.
///
/// The operands have one dtype, as for [`Graph::op`]. What is planned for operands of the same layouts is kept, so that a call on
/// small arrays costs little more than their arithmetic.
///
/// ```
/// use broadaxe::{Array, Rule, apply, ops};
/// let a = Array::from_vec([2, 1], vec![1_i32, 2])?;
/// let b = Array::from_vec([3], vec![10_i32, 20, 30])?;
/// let sum = apply(ops::ADD, &Rule::numpy(), &[a.view(), b.view()])?;
/// assert_eq!(sum.as_slice::<i32>(), Some(&[11, 21, 31, 12, 22, 32][..]));
/// # Ok::<(), broadaxe::Error>(())
/// ```
///
/// # Errors
/// What [`Graph::op`] and [`Evaluation::run`] reject: shapes that do not broadcast, dtypes that the operator does not take,
/// results beyond the budget, elements such as zero divisors.
pub fn apply(op: impl Into<&'static Op>, rule: &Rule, operands: &[View<'_>]) -> Result<Array, Error> {
    let call = planned(op.into(), rule, operands, None)?;
    call.check_budget()?;
    let mut out = Array::unwritten(call.dtype(), call.last().shape.clone())?;
    call.run_views(operands, Output::new(out.as_bytes_mut(), 0))?;
    Ok(out)
}

/// Applies an operator as [`apply`] does, and writes the result to an array or to memory with any strides.
///
/// The output may share memory with operands, which are then read as if they had been copied before.
///
/// # Errors
/// As for [`apply`], after which the output may be partly written; [`ErrorKind::Argument`] when it is of another dtype or shape;
/// [`ErrorKind::Layout`] when elements of the result share memory.
pub fn apply_into<'o>(
    op: impl Into<&'static Op>,
    rule: &Rule,
    operands: &[View<'_>],
    out: impl Into<Destination<'o>>,
) -> Result<(), Error> {
    write(op.into(), rule, operands, out.into(), |call, inputs, output| call.run(inputs, output, None))
}

/// Applies an operator as [`apply_into`] does, with the rule, the threads and the progress function of these options: the entry for engines, which
/// have slices and strides and want no array type.
///
/// Nothing is copied, and after the first call with a layout nothing is planned. [`Options::threads`] and [`Options::executor`]
/// say where it runs: 1 thread is the caller's own. The strides of the result are those of the output.
///
/// ```
/// use broadaxe::{Options, Rule, View, ViewMut, apply_into_with, ops};
/// let x = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let bias = [10.0_f32, 20.0, 30.0];
/// let mut out = [0.0_f32; 6];
/// // The transpose of the (2, 3) array `x`, and one number of `bias` for each of its rows. Strides are in elements.
/// let x = View::from_slice(&x, &[3, 2], &[1, 3], 0)?;
/// let bias = View::from_slice(&bias, &[3, 1], &[1, 1], 0)?;
/// let sum = ViewMut::from_slice(&mut out, &[3, 2], &[2, 1], 0)?;
/// let options = Options { rule: Rule::numpy(), threads: Some(1), ..Options::default() };
/// apply_into_with(ops::ADD, &options, &[x, bias], sum)?;
/// assert_eq!(out, [11.0, 14.0, 22.0, 25.0, 33.0, 36.0]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
///
/// # Errors
/// As for [`apply_into`]; [`ErrorKind::Argument`] when [`Options::strides`] are given and are not those of the output;
/// [`ErrorKind::Memory`] when more than [`Options::max_bytes`] would be allocated; and
/// [`ErrorKind::Interrupted`] when the progress function asks to stop.
pub fn apply_into_with<'o>(
    op: impl Into<&'static Op>,
    options: &Options<'_>,
    operands: &[View<'_>],
    out: impl Into<Destination<'o>>,
) -> Result<(), Error> {
    write(op.into(), &options.rule, operands, out.into(), |call, inputs, output| {
        let Options { max_bytes, threads, executor, strides, progress, .. } = options;
        if let Some(asked) = strides.as_deref().filter(|&asked| asked != call.strides()) {
            let text = format!("the options ask for the strides {asked:?}, and the output has {:?}", call.strides());
            return Err(Error::new(ErrorKind::Argument, text));
        }
        if max_bytes.is_some() {
            eval::check_budget(call.bytes.temporary, call.bytes.operands, call.last(), *max_bytes)?;
        }
        match (executor, threads) {
            (Some(executor), _) => call.run_on(*executor, inputs, output, *progress),
            (None, Some(threads)) => call.run_on(&Pool::global().team(*threads), inputs, output, *progress),
            (None, None) => call.run(inputs, output, *progress),
        }
    })
}

/// Applies an operator as [`apply_into_with`] does, and returns the elements of the result in row-major order.
///
/// The vector is new memory that is not cleared first, which costs as much as a simple operator.
///
/// ```
/// use broadaxe::{Options, Rule, View, apply_to_vec, ops};
/// let x = View::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[2, 2], &[2, 1], 0)?;
/// let bias = View::from_slice(&[10.0_f32, 20.0], &[2], &[1], 0)?;
/// let options = Options { rule: Rule::ncnn(), threads: Some(1), ..Options::default() };
/// let sum: Vec<f32> = apply_to_vec(ops::ADD, &options, &[x, bias])?;
/// assert_eq!(sum, [11.0, 12.0, 23.0, 24.0]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
///
/// # Errors
/// As for [`apply`]; [`ErrorKind::DType`] when the result has another dtype than `T`; [`ErrorKind::Argument`] when
/// [`Options::strides`] are given; [`ErrorKind::Interrupted`] when the progress function asks to stop.
pub fn apply_to_vec<T: Element>(
    op: impl Into<&'static Op>,
    options: &Options<'_>,
    operands: &[View<'_>],
) -> Result<Vec<T>, Error> {
    let Options { rule, max_bytes, threads, executor, strides, progress, .. } = options;
    let call = planned(op.into(), rule, operands, None)?;
    if strides.is_some() {
        return Err(Error::new(ErrorKind::Argument, "the options ask for strides, and a vector has none"));
    }
    let own = call.dtype();
    if own != T::DTYPE {
        let text = format!("the result is {own} and the vector {}; they must be equal", T::DTYPE);
        return Err(Error::new(ErrorKind::DType, text));
    }
    let Bytes { operands: given, result, temporary } = call.bytes;
    eval::check_budget(result.saturating_add(temporary), given, call.last(), *max_bytes)?;
    let team;
    let executor = if let Some(executor) = executor {
        *executor
    } else {
        team = Pool::global().team(threads.map_or_else(memory::num_threads, Ok)?);
        &team
    };
    let schedule = call.last().schedule().filter(|_| call.is_direct);
    with_inputs(operands, |inputs| {
        if let Some(schedule) = schedule {
            let done = schedule.run_to_vec(inputs, executor, *progress);
            return done.map_err(|failure| eval::explain(call.last(), failure));
        }
        let mut out = Array::unwritten(own, call.last().shape.clone())?;
        call.run_on(executor, inputs, Output::new(out.as_bytes_mut(), 0), *progress)?;
        let elements = out.as_slice().map(<[T]>::to_vec);
        elements.ok_or_else(|| Error::new(ErrorKind::DType, format!("the result is not {}", T::DTYPE)))
    })
}

/// Plans the call for these operands and this output, and runs it over their memory.
fn write(
    op: &'static Op,
    rule: &Rule,
    operands: &[View<'_>],
    out: Destination<'_>,
    run: impl FnOnce(&Call, &[Input<'_>], Output<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let place = if let Destination::View(out) = &out {
        Some(Layout { dtype: out.dtype(), shape: out.shape(), strides: out.strides() })
    } else {
        None
    };
    let call = planned(op, rule, operands, place)?;
    let (dtype, shape) = match &out {
        Destination::Array(out) => (out.dtype(), out.shape()),
        Destination::View(out) => (out.dtype(), out.shape()),
    };
    check_output((dtype, shape), (call.dtype(), call.shape()))?;
    let output = match out {
        Destination::Array(out) => Output::new(out.as_bytes_mut(), 0),
        Destination::View(out) => out.into_output(),
    };
    with_inputs(operands, |inputs| run(&call, inputs, output))
}

/// As [`apply`], of operands that may be given away: the result uses the memory of the first array that has its shape and elements of
/// as many bytes.
///
/// Under most rules such an array has the same layout as the result. One that is stretched, or of another size, is read
/// as a view would be, and dropped.
///
/// ```
/// use broadaxe::{Array, Rule, apply_owned, ops};
/// let a = Array::from_vec([3], vec![1_i32, 2, 3])?;
/// let b = Array::from_vec([1], vec![10_i32])?;
/// let place = a.as_bytes().as_ptr();
/// let sum = apply_owned(ops::ADD, &Rule::numpy(), vec![a.into(), (&b).into()])?;
/// assert_eq!(sum.as_slice::<i32>(), Some(&[11, 12, 13][..]));
/// assert_eq!(sum.as_bytes().as_ptr(), place);
/// # Ok::<(), broadaxe::Error>(())
/// ```
///
/// # Errors
/// As for [`apply`]; what was given away is then lost.
pub fn apply_owned(op: impl Into<&'static Op>, rule: &Rule, operands: Vec<Operand<'_>>) -> Result<Array, Error> {
    let op = op.into();
    let views: Vec<View<'_>> = operands.iter().map(Operand::view).collect();
    let call = planned(op, rule, &views, None)?;
    let Some(own) = call.own(&operands) else { return apply(op, rule, &views) };
    drop(views);
    let mut operands = operands;
    let rest = Operand::View(View::of_nothing(operands[own].dtype(), operands[own].shape()));
    let Operand::Array(array) = std::mem::replace(&mut operands[own], rest) else {
        unreachable!("only an array is taken")
    };
    let views: Vec<View<'_>> = operands.iter().map(Operand::view).collect();
    call.run_over(&views, own, array)
}

#[cfg(test)]
mod tests;
