//! Evaluation: a graph cut into stages, and the stages run one after the other.
//!
//! A stage is one program over one shape. Nodes join the stage of the node that uses them as long as they have its shape;
//! a node that is stretched on the way, or that several stages use, is a stage of its own and is computed once, at its own shape
//! (`sin(x)**2 + cos(y)**2` on (1, 4000) and (4000, 1) computes 8,000 sines and cosines, not 32 million). Only the results of
//! stages take memory; everything inside a stage lives in tiles.

use std::collections::HashMap;

use broadaxe_kernels::{DType, Executor, Failure, Input, Output, Pool, Program, Slot, Step, copy, run};
use broadaxe_shape::{Alignment, Rule, Shape};

use crate::{
    array::{Array, byte_count},
    error::{Error, ErrorKind},
    graph::{Applied, Graph, Node, Origin},
    memory,
    plan::Plan,
    scalar::Scalar,
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
    /// Is told elements done and elements in all; returns whether to go on.
    pub progress: Option<&'a (dyn Fn(u64, u64) -> bool + Sync)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { rule: Rule::numpy(), max_bytes: None, threads: None, executor: None, progress: None }
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

/// One program over one shape.
struct Stage {
    shape: Shape,
    dtype: DType,
    /// What the program reads, with its strides over the shape.
    leaves: Vec<Leaf>,
    program: Program,
    plan: Plan,
    /// The operator of each step, for errors and reports.
    names: Vec<&'static str>,
    /// The last stage that reads this one's result.
    last_use: usize,
}

/// An evaluation, planned and not yet run: shapes and dtypes are checked and nothing is allocated.
pub struct Evaluation<'a> {
    views: Vec<View<'a>>,
    stages: Vec<Stage>,
    options: Options<'a>,
    threads: usize,
}

/// Describes one stage of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageReport {
    /// The shape that the stage computes.
    pub shape: Vec<usize>,
    /// The dtype of its result.
    pub dtype: DType,
    /// The operators, in order.
    pub steps: Vec<&'static str>,
    /// The extents of the merged loops, the outermost first.
    pub loops: Vec<usize>,
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
        let declared = (0..graph.len() as u32).map(Node).filter_map(|node| match graph.made(node).origin {
            Origin::Input(i) => Some((i, node)),
            _ => None,
        });
        for (i, node) in declared {
            let fits =
                views.get(i).is_some_and(|view| view.shape() == graph.shape(node) && view.dtype() == graph.dtype(node));
            if !fits || views.len() != graph.input_count() {
                let text = format!(
                    "input {i} of the graph is {} {}; pass a view of exactly that",
                    graph.dtype(node),
                    Shape::from(graph.shape(node))
                );
                return Err(Error::new(ErrorKind::Argument, text));
            }
        }
        let stages = Stager { graph, views: &views, stages: Vec::new(), stage_of: HashMap::new() }.cut(root)?;
        let threads = match (options.executor, options.threads) {
            (Some(executor), _) => executor.threads(),
            (None, Some(threads)) => threads,
            (None, None) => memory::num_threads()?,
        };
        let threads = threads.max(1);
        let evaluation = Self { views, stages, options, threads };
        evaluation.check_budget()?;
        Ok(evaluation)
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

    /// Describes the stages, in the order they run.
    pub fn report(&self) -> Vec<StageReport> {
        let leaf_bytes = |leaf: &Leaf| match leaf {
            Leaf::Input(i) => self.views[*i].shape().iter().product::<usize>() * self.views[*i].dtype().size(),
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
                loops: stage.plan.nest().dims.clone(),
                bytes_read: leaves.into_iter().map(|leaf| leaf_bytes(leaf) as u64).sum(),
                bytes_written: (stage.shape.iter().product::<usize>() * stage.dtype.size()) as u64,
            }
        };
        self.stages.iter().map(report).collect()
    }

    /// Refuses results that together exceed the budget, before any is allocated.
    fn check_budget(&self) -> Result<(), Error> {
        let mut needed = 0_u64;
        for stage in &self.stages {
            needed = needed.saturating_add(byte_count(stage.dtype, &stage.shape)? as u64);
        }
        let Some(budget) = self.options.max_bytes.or_else(memory::default_budget) else { return Ok(()) };
        if needed <= budget {
            return Ok(());
        }
        let given: u64 =
            self.views.iter().map(|view| (view.shape().iter().product::<usize>() * view.dtype().size()) as u64).sum();
        let factor = if given == 0 {
            String::new()
        } else {
            format!(", {:.0} times the {} of the operands", needed as f64 / given as f64, memory::human(given))
        };
        // Rounded, the two may look the same.
        let alike = memory::human(needed) == memory::human(budget);
        let shown = |bytes| if alike { format!("{bytes} bytes") } else { memory::human(bytes) };
        let stage = self.last();
        let text = format!(
            "the result, {} of {}, needs {}{factor}, and the budget is {}; raise the budget, or reduce before you broadcast",
            stage.shape,
            stage.dtype,
            shown(needed),
            shown(budget),
        );
        Err(Error::new(ErrorKind::Memory, text))
    }

    /// Computes the result.
    ///
    /// # Errors
    /// [`ErrorKind::Value`] when an element is refused, such as a zero divisor: names the operator and the first position.
    /// [`ErrorKind::Memory`] when an allocation fails, [`ErrorKind::Interrupted`] when the progress function says so.
    pub fn run(&self) -> Result<Array, Error> {
        let mut out = Array::zeros(self.dtype(), self.shape())?;
        self.run_into(&mut out)?;
        Ok(out)
    }

    /// Computes the result into an array that is there already, of the result's dtype and shape.
    ///
    /// # Errors
    /// As for [`Evaluation::run`], after which the array is partly written; [`ErrorKind::Argument`] when the array is of
    /// another dtype or shape.
    pub fn run_into(&self, out: &mut Array) -> Result<(), Error> {
        if out.dtype() != self.dtype() || out.shape() != self.shape() {
            let text = format!(
                "the output is {} {} and the result {} {}; they must be equal",
                out.dtype(),
                Shape::from(out.shape()),
                self.dtype(),
                Shape::from(self.shape())
            );
            return Err(Error::new(ErrorKind::Argument, text));
        }
        let elements = |stage: &Stage| stage.shape.iter().map(|&dim| dim as u64).product::<u64>();
        let total: u64 = self.stages.iter().map(elements).sum();
        let mut results: Vec<Option<Array>> = Vec::with_capacity(self.stages.len());
        let mut before = 0;
        for (at, stage) in self.stages.iter().enumerate() {
            if at + 1 == self.stages.len() {
                return self.run_stage(stage, &results, out, (before, total));
            }
            let mut result = Array::zeros(stage.dtype, stage.shape.clone())?;
            self.run_stage(stage, &results, &mut result, (before, total))?;
            results.push(Some(result));
            for (s, earlier) in self.stages[..at].iter().enumerate() {
                if earlier.last_use == at {
                    results[s] = None;
                }
            }
            before += elements(stage);
        }
        Ok(())
    }

    /// Runs a stage into its result; `before` elements of `total` are done.
    fn run_stage(
        &self,
        stage: &Stage,
        results: &[Option<Array>],
        out: &mut Array,
        (before, total): (u64, u64),
    ) -> Result<(), Error> {
        let constants: Vec<[u8; 8]> = stage
            .leaves
            .iter()
            .map(|leaf| if let Leaf::Constant(scalar) = leaf { scalar.bytes() } else { [0; 8] })
            .collect();
        let mut inputs = Vec::with_capacity(stage.leaves.len());
        for (leaf, constant) in stage.leaves.iter().zip(&constants) {
            inputs.push(match leaf {
                Leaf::Input(i) => self.views[*i].input(),
                Leaf::Constant(_) => Input::new(constant, 0),
                Leaf::Stage(s) => Input::new(results[*s].as_ref().map_or(&[][..], Array::as_bytes), 0),
            });
        }
        let forward = |done: u64, _: u64| self.options.progress.is_none_or(|progress| progress(before + done, total));
        let progress = self.options.progress.is_some().then_some(&forward as &(dyn Fn(u64, u64) -> bool + Sync));
        let team = Pool::global().team(self.threads);
        let executor = self.options.executor.unwrap_or(&team);
        let output = Output::new(out.as_bytes_mut(), 0);
        run(&stage.program, stage.plan.nest(), &inputs, output, executor, progress)
            .map_err(|failure| explain(stage, failure))
    }
}

/// Says in words why a stage did not run to its end.
fn explain(stage: &Stage, failure: Failure) -> Error {
    match failure {
        Failure::Refused { step, what, element } => {
            let at = Shape::from(stage.plan.index(element));
            let text = format!("{}: {what} at {at} of the result {}", stage.names[step], stage.shape);
            Error::new(ErrorKind::Value, text)
        }
        Failure::Layout(text) => Error::new(ErrorKind::Layout, text),
        Failure::Memory => Error::new(ErrorKind::Memory, "no memory for the tiles of an evaluation"),
        Failure::Isa(text) => Error::new(ErrorKind::Argument, text),
        Failure::Interrupted => Error::new(ErrorKind::Interrupted, "the evaluation was stopped before its end"),
    }
}

/// Cuts a graph into stages.
struct Stager<'g> {
    graph: &'g Graph,
    views: &'g [View<'g>],
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
            Origin::Input(_) | Origin::Constant(_) => None,
        }
    }

    /// Lists the stages to be, each by the node it results in, with the nodes it computes in order.
    ///
    /// Users come after what they use, so that a walk from the last node backwards has seen all users of a node before it.
    fn members(&self, root: Node) -> Vec<(Node, Vec<Node>)> {
        #[derive(Clone, Copy, PartialEq)]
        enum Owner {
            Unused,
            Stage(Node),
        }
        let mut owners = vec![Owner::Unused; root.index() + 1];
        owners[root.index()] = Owner::Stage(root);
        let mut members: HashMap<Node, Vec<Node>> = HashMap::new();
        for index in (0..=root.index()).rev() {
            let node = Node(index as u32);
            let (Owner::Stage(owner), Some(applied)) = (owners[index], self.applied(node)) else { continue };
            members.entry(owner).or_default().push(node);
            for (k, &arg) in applied.args.iter().enumerate() {
                let joins = applied.alignment.is_identity(k);
                let wanted = Owner::Stage(if joins { owner } else { arg });
                let now = &mut owners[arg.index()];
                // Two stages that want the same node get it as a stage of its own.
                *now = if *now == Owner::Unused || *now == wanted { wanted } else { Owner::Stage(arg) };
            }
        }
        let mut stages: Vec<_> = members.into_iter().collect();
        stages.sort_by_key(|&(owner, _)| owner);
        for (_, nodes) in &mut stages {
            nodes.reverse();
        }
        stages
    }

    /// Returns what a stage reads for an operand that it does not compute, and that operand's own strides in bytes.
    fn leaf(&self, node: Node) -> (Leaf, Vec<isize>) {
        let made = self.graph.made(node);
        match made.origin {
            Origin::Input(i) => (Leaf::Input(i), self.views[i].strides().to_vec()),
            Origin::Constant(scalar) => (Leaf::Constant(scalar), Vec::new()),
            Origin::Kernel(_) => (Leaf::Stage(self.stage_of[&node]), byte_strides(made.dtype, &made.shape)),
        }
    }

    fn add(&mut self, owner: Node, members: &[Node]) -> Result<(), Error> {
        let mut sketch = Sketch::default();
        let mut step_of = HashMap::new();
        for &node in members {
            let Some(applied) = self.applied(node) else { continue };
            let mut args = Vec::with_capacity(applied.args.len());
            for (k, arg) in applied.args.iter().enumerate() {
                args.push(match step_of.get(arg) {
                    Some(&step) => Slot::Step(step),
                    None => sketch.read(self.leaf(*arg), &applied.alignment, k, self.graph.dtype(*arg)),
                });
            }
            step_of.insert(node, sketch.steps.len());
            sketch.steps.push(Step::new(applied.kernel, args));
            sketch.names.push(applied.name);
        }
        self.finish(owner, sketch)
    }

    /// Makes a stage that copies an input or a constant.
    fn copy(&mut self, root: Node) -> Result<(), Error> {
        let alignment = Rule::numpy().align(&[self.graph.shape(root)])?;
        let mut sketch = Sketch::default();
        let dtype = self.graph.dtype(root);
        let slot = sketch.read(self.leaf(root), &alignment, 0, dtype);
        sketch.steps.push(Step::new(copy(dtype), [slot]));
        sketch.names.push("copy");
        self.finish(root, sketch)
    }

    fn finish(&mut self, owner: Node, sketch: Sketch) -> Result<(), Error> {
        let made = self.graph.made(owner);
        byte_count(made.dtype, &made.shape)?;
        let at = self.stages.len();
        for leaf in &sketch.leaves {
            if let Leaf::Stage(s) = *leaf {
                self.stages[s].last_use = at;
            }
        }
        let Some(program) = Program::new(sketch.dtypes, sketch.steps) else {
            unreachable!("the graph checked every operand's dtype")
        };
        let plan = Plan::new(&made.shape, &byte_strides(made.dtype, &made.shape), &sketch.strides);
        let stage = Stage {
            shape: made.shape.clone(),
            dtype: made.dtype,
            leaves: sketch.leaves,
            program,
            plan,
            names: sketch.names,
            last_use: at,
        };
        self.stage_of.insert(owner, at);
        self.stages.push(stage);
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
    /// Which input of the program reads a leaf with given strides.
    seen: HashMap<(Leaf, Vec<isize>), usize>,
}

impl Sketch {
    /// Returns the program's input for a leaf aligned as operand `k`.
    fn read(&mut self, (leaf, own): (Leaf, Vec<isize>), alignment: &Alignment, k: usize, dtype: DType) -> Slot {
        let strides = alignment.strides_from(k, &own);
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
mod tests {
    use super::*;
    use broadaxe_kernels::find;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn op(graph: &mut Graph, name: &str, args: &[Node]) -> Node {
        graph.op(find(name).expect("in the table"), &Rule::numpy(), args).expect("broadcasts")
    }

    #[test]
    fn sub_expressions_are_computed_at_their_own_shape() {
        let (x, y) = (Array::zeros(DType::F32, [1, 400]).expect("x"), Array::zeros(DType::F32, [400, 1]).expect("y"));
        let mut graph = Graph::new();
        let (a, b) = (graph.input(DType::F32, &[1, 400]).expect("a"), graph.input(DType::F32, &[400, 1]).expect("b"));
        let sine = op(&mut graph, "sin", &[a]);
        let cosine = op(&mut graph, "cos", &[b]);
        let (sine, cosine) = (op(&mut graph, "square", &[sine]), op(&mut graph, "square", &[cosine]));
        let sum = op(&mut graph, "add", &[sine, cosine]);
        let evaluation = Evaluation::new(&graph, sum, vec![x.view(), y.view()], Options::default()).expect("planned");
        let report = evaluation.report();
        let steps: Vec<_> = report.iter().map(|stage| (stage.shape.as_slice(), stage.steps.as_slice())).collect();
        assert_eq!(
            steps,
            [(&[1, 400][..], &["sin", "square"][..]), (&[400, 1], &["cos", "square"]), (&[400, 400], &["add"])]
        );
        assert!(evaluation.run().expect("runs").as_slice::<f32>().is_some_and(|s| s.iter().all(|&v| v == 1.0)));
    }

    #[test]
    fn shared_nodes_become_one_stage() {
        let x = Array::from_vec([3], vec![1_i32, 2, 3]).expect("x");
        let mut graph = Graph::new();
        let a = graph.input(DType::I32, &[3]).expect("a");
        let twice = op(&mut graph, "add", &[a, a]);
        let square = op(&mut graph, "mul", &[twice, twice]);
        let again = op(&mut graph, "sub", &[square, twice]);
        let evaluation = Evaluation::new(&graph, again, vec![x.view()], Options::default()).expect("planned");
        assert_eq!(evaluation.report().len(), 1);
        assert_eq!(evaluation.run().expect("runs").as_slice::<i32>(), Some(&[2, 12, 30][..]));
    }

    #[test]
    fn budget_names_the_blow_up() {
        let x = Array::zeros(DType::F64, [1000, 1]).expect("x");
        let mut graph = Graph::new();
        let a = graph.input(DType::F64, &[1000, 1]).expect("a");
        let b = graph.input(DType::F64, &[1, 1000]).expect("b");
        let sum = op(&mut graph, "add", &[a, b]);
        let views = || vec![x.view(), x.view().transposed()];
        let options = Options { max_bytes: Some(1 << 20), ..Options::default() };
        let error = Evaluation::new(&graph, sum, views(), options).err().expect("refused");
        assert_eq!(error.kind(), ErrorKind::Memory);
        assert!(error.to_string().contains("500 times"), "{error}");
    }

    #[test]
    fn zero_divisors_are_located() {
        let x = Array::from_vec([2, 3], vec![7_i32; 6]).expect("x");
        let y = Array::from_vec([3], vec![1_i32, 2, 0]).expect("y");
        let mut graph = Graph::new();
        let a = graph.input(DType::I32, &[2, 3]).expect("a");
        let b = graph.input(DType::I32, &[3]).expect("b");
        let quotient = op(&mut graph, "div_floor", &[a, b]);
        let error = Evaluation::new(&graph, quotient, vec![x.view(), y.view()], Options::default())
            .expect("planned")
            .run()
            .expect_err("refused");
        assert_eq!(error.to_string(), "div_floor: a zero divisor at (0, 2) of the result (2, 3)");
    }

    /// Counts the parts it runs, the last one first.
    struct Backwards(AtomicUsize);

    impl Executor for Backwards {
        fn threads(&self) -> usize {
            5
        }
        fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
            self.0.fetch_add(parts, Ordering::Relaxed);
            (0..parts).rev().for_each(part);
        }
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let x = Array::from_vec([700, 1000], (0..700_000).map(|i| i as f32 * 0.37).collect()).expect("x");
        let mut graph = Graph::new();
        let a = graph.input(DType::F32, &[700, 1000]).expect("a");
        let sine = op(&mut graph, "sin", &[a]);
        let views = || vec![x.view()];
        let bytes = |threads| {
            let options = Options { threads: Some(threads), ..Options::default() };
            Evaluation::new(&graph, sine, views(), options).expect("planned").run().expect("runs").as_bytes().to_vec()
        };
        let backwards = Backwards(AtomicUsize::new(0));
        let options = Options { executor: Some(&backwards), ..Options::default() };
        let evaluation = Evaluation::new(&graph, sine, views(), options).expect("planned");
        assert_eq!(evaluation.threads(), 5);
        let one = bytes(1);
        assert_eq!(evaluation.run().expect("runs").as_bytes(), one);
        assert!(backwards.0.into_inner() > 1, "the caller's executor is used");
        assert!([2, 3, 7].into_iter().all(|threads| bytes(threads) == one));
    }
}
