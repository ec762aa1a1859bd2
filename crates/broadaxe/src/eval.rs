//! Evaluates a graph: cuts it into stages and runs them in order.
//!
//! A stage is one program over one shape. Nodes join the stage of the node that uses them as long as they have its shape; a node
//! that is stretched on the way, or that several stages use, is a stage of its own and is computed once, at its own shape
//! (`sin(x)**2 + cos(y)**2` on (1, 4000) and (4000, 1) computes 8,000 sines and cosines, not 32 million), unless it is very
//! little work. A reduction ends a stage: what it folds is computed in slabs and never as a whole. Only the results of stages
//! take memory; everything inside a stage lives in tiles. A stage that is the last to read an array of its result's shape and
//! size, be it the result of an earlier stage or an operand that was given away, writes over it.

mod output;

mod fold;
mod members;
mod run;

use std::{collections::HashMap, fmt, sync::Arc};

use broadaxe_kernels::{DType, Decisions, Domain, Executor, Nest, Program, Schedule, Slot, Step, copy};
use broadaxe_shape::{Alignment, Rule, Shape};
use once_cell::race::OnceBox;

use self::{fold::Folding, members::Member, run::over};
pub(crate) use self::{
    output::{Place, check_output},
    run::{Run, explain},
};
use crate::{
    Scalar,
    array::byte_count,
    error::{Error, ErrorKind},
    graph::{Applied, Folded, Graph, Node, Origin},
    memory,
    operand::Operand,
    plan::Plan,
    stop,
    view::{View, byte_strides},
};

/// How to evaluate.
#[derive(Clone)]
pub struct Options<'a> {
    /// The rule of the operators that name none.
    pub rule: Rule,
    /// The most bytes that results may take at once; `None` for three quarters of the machine's memory.
    pub max_bytes: Option<u64>,
    /// The number of threads; `None` for [`num_threads`](crate::num_threads).
    pub threads: Option<usize>,
    /// Runs the parts of the evaluation, in place of that number of threads of the library's own pool.
    pub executor: Option<&'a dyn Executor>,
    /// The strides of the result in bytes, for [`Evaluation::run_into`]; `None` for those of a row-major array.
    pub strides: Option<Vec<isize>>,
    /// Whether the memory of the result is the caller's, for [`Evaluation::run_into`]; it then does not count among `max_bytes`.
    pub is_lent: bool,
    /// Is told elements done and elements in all; returns whether to go on.
    pub progress: Option<&'a (dyn Fn(u64, u64) -> bool + Sync)>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, max_bytes, threads, .. } = self;
        let mut shown = f.debug_struct("Options");
        shown.field("rule", rule).field("max_bytes", max_bytes).field("threads", threads).finish_non_exhaustive()
    }
}

impl fmt::Debug for Evaluation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operands, strides, threads, .. } = self;
        let mut shown = f.debug_struct("Evaluation");
        shown.field("operands", operands).field("strides", strides).field("threads", threads).finish_non_exhaustive()
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            rule: Rule::numpy(),
            max_bytes: None,
            threads: None,
            executor: None,
            strides: None,
            is_lent: false,
            progress: None,
        }
    }
}

/// What a stage reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Leaf {
    /// The graph's input of this number.
    Input(usize),
    /// A constant.
    Constant(Scalar),
    /// The result of an earlier stage.
    Stage(usize),
}

/// What a stage does.
enum Work {
    /// Computes a program over the stage's shape.
    Map(Box<Schedule>, Plan),
    /// Folds what a program computes over a larger shape.
    Fold(Box<Folding>),
}

/// One program over one shape, and what becomes of its result.
pub(crate) struct Stage {
    pub(crate) shape: Shape,
    pub(crate) dtype: DType,
    /// What the program reads.
    leaves: Vec<Leaf>,
    /// The bytes of each leaf that is a constant.
    constants: Vec<[u8; 8]>,
    work: Work,
    /// The operator of each step, for errors and reports; behind them a reduction.
    names: Vec<&'static str>,
    /// The last stage that reads this one's result.
    last_use: usize,
    /// The leaf that is read for the last time, and that the result may be written over.
    over: Option<usize>,
}

/// An evaluation, planned and not yet run: shapes and dtypes are checked and nothing is allocated.
pub struct Evaluation<'a> {
    operands: Vec<Operand<'a>>,
    stages: Arc<[Stage]>,
    /// The strides of the result in bytes.
    strides: Arc<[isize]>,
    options: Options<'a>,
    threads: usize,
}

/// Describes one stage of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageReport {
    /// The shape of the stage's result.
    pub shape: Vec<usize>,
    /// The shape that is computed and then folded, where the last step is a reduction.
    pub folded: Option<Vec<usize>>,
    /// The dtype of its result.
    pub dtype: DType,
    /// The operators, in order.
    pub steps: Vec<&'static str>,
    /// The extents of the merged loops, the outermost first.
    pub loops: Vec<usize>,
    /// How the loops are run; `None` for reductions, which decide it for each of their slabs.
    pub how: Option<Decisions>,
    /// The parts that the work is cut into, which threads share; 1 stays on the caller's.
    pub parts: usize,
    /// The bytes of the operands' own elements.
    pub bytes_read: u64,
    /// The bytes of the result.
    pub bytes_written: u64,
}

impl<'a> Evaluation<'a> {
    /// Plans the evaluation of a node from views of the graph's inputs, in their order.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] when the views are not the graph's inputs, [`ErrorKind::Memory`] when results would exceed the budget.
    pub fn new(graph: &Graph, root: Node, views: Vec<View<'a>>, options: Options<'a>) -> Result<Self, Error> {
        Self::of(graph, root, views.into_iter().map(Operand::View).collect(), options)
    }

    /// As [`Evaluation::new`], of operands that may be given away, whose memory [`Evaluation::run_once`] uses for results.
    ///
    /// # Errors
    /// As for [`Evaluation::new`].
    pub fn of(graph: &Graph, root: Node, operands: Vec<Operand<'a>>, options: Options<'a>) -> Result<Self, Error> {
        let declared = (0..graph.len() as u32).map(Node).filter_map(|node| match graph.made(node).origin {
            Origin::Input(i) => Some((i, node)),
            _ => None,
        });
        for (i, node) in declared {
            let is_declared =
                |operand: &Operand| operand.shape() == graph.shape(node) && operand.dtype() == graph.dtype(node);
            if !operands.get(i).is_some_and(is_declared) || operands.len() != graph.input_count() {
                let text = format!(
                    "input {i} of the graph is {} {}; pass a view of exactly that",
                    graph.dtype(node),
                    Shape::from(graph.shape(node))
                );
                return Err(Error::new(ErrorKind::Argument, text));
            }
        }
        let strides = output::strides(graph, root, options.strides.as_deref())?;
        let (stages, stage_of) = (Vec::new(), HashMap::new());
        let stager = Stager { graph, operands: &operands, root, strides: &strides, stages, stage_of };
        let mut stages = stager.cut(root)?;
        for at in 0..stages.len() {
            stages[at].over = over(&stages, at, &operands);
        }
        let threads = match (options.executor, options.threads) {
            (Some(executor), _) => executor.threads(),
            (None, Some(threads)) => threads,
            (None, None) => memory::num_threads()?,
        };
        let (threads, stages) = (threads.max(1), stages.into());
        let evaluation = Self { operands, stages, strides: strides.into(), options, threads };
        evaluation.check_budget()?;
        Ok(evaluation)
    }

    /// Returns the stages and the strides of the result, without the operands.
    pub(crate) fn into_stages(self) -> (Arc<[Stage]>, Arc<[isize]>) {
        (self.stages, self.strides)
    }

    fn last(&self) -> &Stage {
        &self.stages[self.stages.len() - 1]
    }

    /// Returns the shape of the result.
    pub fn shape(&self) -> &[usize] {
        &self.last().shape
    }

    /// Returns the dtype of the result.
    pub fn dtype(&self) -> DType {
        self.last().dtype
    }

    /// Returns the number of threads that may be used.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Estimates the nanoseconds on one thread.
    pub fn nanos(&self) -> u64 {
        nanos(&self.stages)
    }

    /// Describes the stages, in the order they run.
    pub fn report(&self) -> Vec<StageReport> {
        let leaf_bytes = |leaf: &Leaf| match leaf {
            Leaf::Input(i) => own_bytes(&self.operands[*i]),
            Leaf::Constant(scalar) => scalar.dtype().size(),
            Leaf::Stage(s) => self.stages[*s].shape.iter().product::<usize>() * self.stages[*s].dtype.size(),
        };
        let report = |stage: &Stage| {
            let mut leaves: Vec<&Leaf> = stage.leaves.iter().collect();
            leaves.dedup();
            StageReport {
                shape: stage.shape.to_vec(),
                dtype: stage.dtype,
                steps: stage.names.clone(),
                folded: stage.folding().map(|folding| folding.shape.to_vec()),
                loops: match &stage.work {
                    Work::Map(_, plan) => plan.nest().dims.clone(),
                    Work::Fold(folding) => folding.domain.dims(),
                },
                how: stage.schedule().map(Schedule::decisions),
                parts: stage.schedule().map_or(self.threads, |schedule| schedule.parts(self.threads)),
                bytes_read: leaves.into_iter().map(|leaf| leaf_bytes(leaf) as u64).sum(),
                bytes_written: (stage.shape.iter().product::<usize>() * stage.dtype.size()) as u64,
            }
        };
        self.stages.iter().map(report).collect()
    }

    /// Rejects results that together exceed the budget, before any is allocated.
    ///
    /// A result in memory that is the caller's is not counted.
    fn check_budget(&self) -> Result<(), Error> {
        let needed = needed(&self.stages, self.threads, !self.options.is_lent)?;
        let given = self.operands.iter().map(|operand| own_bytes(operand) as u64).sum();
        check_budget(needed, given, self.last(), self.options.max_bytes)
    }
}

/// Estimates the nanoseconds on one thread.
pub(crate) fn nanos(stages: &[Stage]) -> u64 {
    let nanos = |stage: &Stage| match &stage.work {
        Work::Map(schedule, _) => schedule.nanos(),
        Work::Fold(folding) => folding.nanos(),
    };
    stages.iter().map(nanos).fold(0, u64::saturating_add)
}

/// Counts the bytes that stages allocate, those of the last one's result only with `and_result`.
///
/// # Errors
/// [`ErrorKind::Shape`] for a shape whose bytes cannot be counted.
pub(crate) fn needed(stages: &[Stage], threads: usize, and_result: bool) -> Result<u64, Error> {
    let mut needed = 0_u64;
    for (at, stage) in stages.iter().enumerate() {
        let is_last = at + 1 == stages.len();
        let scratch = stage.folding().map_or(0, |folding| folding.scratch(threads));
        let takes_over = !is_last && stage.over.is_some_and(|k| matches!(stage.leaves[k], Leaf::Stage(_)));
        let own = byte_count(stage.dtype, &stage.shape)? as u64;
        let counts = !takes_over && (and_result || !is_last);
        needed = needed.saturating_add(if counts { own } else { 0 }).saturating_add(scratch);
    }
    Ok(needed)
}

/// Rejects an evaluation that allocates more than the budget; `given` is the bytes of its operands.
pub(crate) fn check_budget(needed: u64, given: u64, last: &Stage, max_bytes: Option<u64>) -> Result<(), Error> {
    let Some(budget) = max_bytes.or_else(memory::default_budget) else { return Ok(()) };
    if needed <= budget {
        return Ok(());
    }
    let factor = if given == 0 {
        String::new()
    } else {
        format!(", {:.0} times the {} of the operands", needed as f64 / given as f64, memory::human(given))
    };
    // Rounded, the two may look the same.
    let alike = memory::human(needed) == memory::human(budget);
    let shown = |bytes| if alike { format!("{bytes} bytes") } else { memory::human(bytes) };
    let text = format!(
        "the result, {} of {}, needs {}{factor}, and the budget is {}; raise the budget, or reduce before you broadcast",
        last.shape,
        last.dtype,
        shown(needed),
        shown(budget),
    );
    Err(Error::new(ErrorKind::Memory, text))
}

/// Counts the bytes of an operand's own elements.
fn own_bytes(operand: &Operand) -> usize {
    operand.shape().iter().product::<usize>() * operand.dtype().size()
}

impl Stage {
    pub(crate) fn schedule(&self) -> Option<&Schedule> {
        match &self.work {
            Work::Map(schedule, _) => Some(schedule),
            Work::Fold(_) => None,
        }
    }

    fn folding(&self) -> Option<&Folding> {
        match &self.work {
            Work::Map(..) => None,
            Work::Fold(folding) => Some(folding),
        }
    }

    /// Returns the loops, where the stage computes a program over exactly the inputs of the graph, in their order.
    pub(crate) fn nest_over(&self, inputs: usize) -> Option<&Nest> {
        let Work::Map(_, plan) = &self.work else { return None };
        let is_input = |(k, leaf): (usize, &Leaf)| *leaf == Leaf::Input(k);
        let direct = self.leaves.len() == inputs && self.leaves.iter().enumerate().all(is_input);
        direct.then(|| plan.nest())
    }

    /// Counts the elements that are computed.
    fn elements(&self) -> u64 {
        self.folding().map_or(&self.shape, |folding| &folding.shape).iter().map(|&dim| dim as u64).product()
    }
}

/// Cuts a graph into stages.
struct Stager<'g> {
    graph: &'g Graph,
    operands: &'g [Operand<'g>],
    root: Node,
    /// Those of the root.
    strides: &'g [isize],
    stages: Vec<Stage>,
    /// The stage that computes a node as its result.
    stage_of: HashMap<Node, usize>,
}

impl Stager<'_> {
    fn cut(mut self, root: Node) -> Result<Vec<Stage>, Error> {
        for (owner, members) in self.members(root) {
            self.add(owner, &members)?;
        }
        if self.stages.is_empty() {
            self.copy(root)?;
        }
        Ok(self.stages)
    }

    fn applied(&self, node: Node) -> Option<&Applied> {
        match &self.graph.made(node).origin {
            Origin::Kernel(applied) => Some(applied),
            _ => None,
        }
    }

    /// Returns the alignment of a node one of whose operands is tiled; it is the last of its stage.
    fn tiled(&self, node: Node) -> Option<&Alignment> {
        Some(&self.applied(node)?.alignment).filter(|alignment| alignment.is_tiled())
    }

    fn folded(&self, node: Node) -> Option<&Folded> {
        match &self.graph.made(node).origin {
            Origin::Fold(folded) => Some(folded),
            _ => None,
        }
    }

    /// Returns what a stage reads for an operand that it does not compute, and that operand's own strides in bytes.
    fn leaf(&self, node: Node) -> (Leaf, Vec<isize>) {
        let made = self.graph.made(node);
        match made.origin {
            Origin::Input(i) => (Leaf::Input(i), self.operands[i].strides()),
            Origin::Constant(scalar) => (Leaf::Constant(scalar), Vec::new()),
            Origin::Kernel(_) | Origin::Fold(_) => {
                (Leaf::Stage(self.stage_of[&node]), byte_strides(made.dtype, &made.shape))
            }
        }
    }

    fn add(&mut self, owner: Node, members: &[Member]) -> Result<(), Error> {
        let mut sketch = Sketch { tiled: self.tiled(owner).cloned(), ..Sketch::default() };
        let mut step_of = HashMap::new();
        for &Member { node, ref uses } in members {
            let Some(applied) = self.applied(node) else { continue };
            let mut args = Vec::with_capacity(applied.args.len());
            for (k, arg) in applied.args.iter().enumerate() {
                let read = || {
                    let (leaf, own) = self.leaf(*arg);
                    let strides = applied.alignment.strides_from(k, &own);
                    sketch.read(leaf, self.repeated(uses, strides), self.graph.dtype(*arg))
                };
                args.push(step_of.get(arg).map_or_else(read, |&step| Slot::Step(step)));
            }
            step_of.insert(node, sketch.steps.len());
            stop::push(&mut sketch.steps, Step::new(applied.kernel, args));
            stop::push(&mut sketch.names, applied.name);
        }
        let Some(Folded { reduction, arg, axes }) = self.folded(owner).cloned() else {
            return self.finish(owner, sketch);
        };
        let shape = Shape::from(self.graph.shape(arg));
        if sketch.steps.is_empty() {
            let alignment = Rule::numpy().align(&[&shape])?;
            let (leaf, own) = self.leaf(arg);
            sketch.read(leaf, alignment.strides_from(0, &own), self.graph.dtype(arg));
        }
        let program = (!sketch.steps.is_empty()).then(|| sketch.program());
        let domain = Domain::new(&shape, &axes, &sketch.strides);
        sketch.names.push(reduction.name());
        let operand = self.graph.dtype(arg);
        self.push(
            owner,
            sketch,
            Work::Fold(Box::new(Folding { reduction, operand, program, shape, axes, domain, scatter: OnceBox::new() })),
        )
    }

    /// Makes a stage that copies an input or a constant.
    fn copy(&mut self, root: Node) -> Result<(), Error> {
        let alignment = Rule::numpy().align(&[self.graph.shape(root)])?;
        let mut sketch = Sketch::default();
        let dtype = self.graph.dtype(root);
        let (leaf, own) = self.leaf(root);
        let slot = sketch.read(leaf, alignment.strides_from(0, &own), dtype);
        sketch.steps.push(Step::new(copy(dtype), [slot]));
        sketch.names.push("copy");
        self.finish(root, sketch)
    }

    fn finish(&mut self, owner: Node, mut sketch: Sketch) -> Result<(), Error> {
        let made = self.graph.made(owner);
        let program = sketch.program();
        let own = byte_strides(made.dtype, &made.shape);
        let strides = if owner == self.root { self.strides } else { &own };
        let plan = match &sketch.tiled {
            Some(alignment) => Plan::tiled(alignment, strides, &sketch.strides),
            None => Plan::new(&made.shape, strides, &sketch.strides),
        };
        let schedule = Schedule::new(&program, plan.nest())?;
        self.push(owner, sketch, Work::Map(Box::new(schedule), plan))
    }

    fn push(&mut self, owner: Node, sketch: Sketch, work: Work) -> Result<(), Error> {
        let made = self.graph.made(owner);
        byte_count(made.dtype, &made.shape)?;
        let at = self.stages.len();
        for leaf in &sketch.leaves {
            if let Leaf::Stage(s) = *leaf {
                self.stages[s].last_use = at;
            }
        }
        let Sketch { leaves, names, .. } = sketch;
        let bytes = |leaf: &Leaf| if let Leaf::Constant(scalar) = leaf { scalar.bytes() } else { [0; 8] };
        let constants = leaves.iter().map(bytes).collect();
        let stage = Stage {
            shape: made.shape.clone(),
            dtype: made.dtype,
            leaves,
            constants,
            work,
            names,
            last_use: at,
            over: None,
        };
        self.stage_of.insert(owner, at);
        stop::push(&mut self.stages, stage);
        Ok(())
    }
}

/// A stage while it is put together.
#[derive(Default)]
struct Sketch {
    steps: Vec<Step>,
    names: Vec<&'static str>,
    leaves: Vec<Leaf>,
    dtypes: Vec<DType>,
    strides: Vec<Vec<isize>>,
    /// The alignment of the last node, where an operand of it is tiled: the loops are over its split axes.
    tiled: Option<Alignment>,
    /// Which input of the program reads a leaf with given strides.
    seen: HashMap<(Leaf, Vec<isize>), usize>,
}

impl Sketch {
    /// Makes the program of the steps.
    fn program(&mut self) -> Program {
        let (dtypes, steps) = (std::mem::take(&mut self.dtypes), std::mem::take(&mut self.steps));
        let Some(program) = Program::new(dtypes, steps) else {
            unreachable!("the graph checked every operand's dtype")
        };
        program
    }

    /// Returns the program's input for a leaf with these strides along the axes of the stage.
    fn read(&mut self, leaf: Leaf, mut strides: Vec<isize>, dtype: DType) -> Slot {
        if let Some(tiled) = self.tiled.as_ref().filter(|tiled| strides.len() == tiled.shape().len()) {
            strides = tiled.split(&strides);
        }
        let next = self.leaves.len();
        let input = *self.seen.entry((leaf, strides.clone())).or_insert(next);
        if input == next {
            self.leaves.push(leaf);
            self.dtypes.push(dtype);
            self.strides.push(strides);
        }
        Slot::Input(input)
    }
}

#[cfg(test)]
mod tests;
