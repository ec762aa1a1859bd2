//! Compares fused expressions with their operators one by one, bit for bit.

use broadaxe::{Array, DType, Evaluation, Graph, Node, Options, Rule, Scalar};
use broadaxe_kernels::{HasKernels, OPS, Op, find};
use broadaxe_testing::{oracle::to_bytes, random::Random};

use crate::drive::{operand, ty};

/// What makes a node out of earlier ones.
#[derive(Clone, Debug)]
enum Make {
    Input(usize),
    Constant(Scalar),
    Cast(usize, DType),
    Op(&'static str, Vec<usize>),
}

/// An expression: nodes in order, each made of earlier ones, and the arrays they are fed with.
struct Expression {
    nodes: Vec<(Make, DType)>,
    inputs: Vec<Array>,
}

fn named(name: &str) -> &'static Op {
    find(name).expect("in the table")
}

fn make(graph: &mut Graph, make: &Make, made: &[Node], inputs: &[Node]) -> Node {
    match make {
        Make::Input(i) => inputs[*i],
        Make::Constant(scalar) => graph.constant(*scalar),
        Make::Cast(from, dtype) => graph.cast(made[*from], *dtype),
        Make::Op(name, args) => {
            let args: Vec<Node> = args.iter().map(|&arg| made[arg]).collect();
            graph.op(named(name), &Rule::numpy(), &args).expect("dtypes and shapes were drawn to fit")
        }
    }
}

fn evaluate(graph: &Graph, root: Node, arrays: &[&Array], threads: usize) -> Array {
    let views = arrays.iter().map(|array| array.view()).collect();
    let options = Options { threads: Some(threads), ..Options::default() };
    Evaluation::new(graph, root, views, options)
        .and_then(|evaluation| evaluation.run())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn declare(graph: &mut Graph, arrays: &[&Array]) -> Vec<Node> {
    arrays.iter().map(|array| graph.input(array.dtype(), array.shape()).expect("an array's shape is counted")).collect()
}

impl Expression {
    /// Evaluates the nodes asked for, each as one expression of the inputs.
    fn fused(&self, asked: usize, threads: usize) -> Array {
        let mut graph = Graph::new();
        let arrays: Vec<&Array> = self.inputs.iter().collect();
        let inputs = declare(&mut graph, &arrays);
        let mut made = Vec::new();
        for (what, _) in &self.nodes {
            let node = make(&mut graph, what, &made, &inputs);
            made.push(node);
        }
        evaluate(&graph, made[asked], &arrays, threads)
    }

    /// Evaluates every node on its own, from the results of the nodes before it.
    fn step_by_step(&self) -> Vec<Array> {
        let mut results: Vec<Array> = Vec::new();
        for (what, _) in &self.nodes {
            let mut graph = Graph::new();
            let arrays: Vec<&Array> = self.inputs.iter().chain(&results).collect();
            let nodes = declare(&mut graph, &arrays);
            let (inputs, made) = nodes.split_at(self.inputs.len());
            let root = make(&mut graph, what, made, inputs);
            results.push(evaluate(&graph, root, &arrays, 1));
        }
        results
    }

    fn draw(random: &mut Random, steps: usize) -> Self {
        let count = 2 + random.below(4);
        let (mut shapes, _) = random.broadcastable(count, 4, 6);
        if random.once_in(5) {
            let long = 300 + random.below(3000);
            for shape in &mut shapes {
                shape.push(if random.once_in(3) { 1 } else { long });
            }
        }
        let dtypes = [DType::F32, DType::F64, DType::I32, DType::U8, DType::F16, DType::Bool];
        let mut expression = Self { nodes: Vec::new(), inputs: Vec::new() };
        for (i, shape) in shapes.iter().enumerate() {
            let dtype = if i == 0 { DType::F32 } else { *random.one_of(&dtypes) };
            let values: Vec<_> = (0..shape.iter().product()).map(|_| random.value(ty(dtype))).collect();
            let array = Array::from_bytes(dtype, shape.as_slice(), &to_bytes(ty(dtype), &values)).expect("whole");
            expression.inputs.push(array);
            expression.nodes.push((Make::Input(i), dtype));
        }
        while expression.nodes.len() < steps {
            let next = expression.draw_node(random);
            expression.nodes.extend(next);
        }
        expression
    }

    /// Draws a node over earlier ones, mostly the latest; `None` when no earlier node has the dtype.
    fn draw_node(&self, random: &mut Random) -> Option<(Make, DType)> {
        let len = self.nodes.len();
        let recent = |random: &mut Random| {
            if random.once_in(2) { len - 1 - random.below(len.min(3)) } else { random.below(len) }
        };
        let seed = recent(random);
        let dtype = self.nodes[seed].1;
        match random.below(10) {
            0 => return Some((Make::Constant(Scalar::from_f64(dtype, random.below(9) as f64 - 2.0)), dtype)),
            1 => {
                let to = *random.one_of(&[DType::F32, DType::F64, DType::I32, DType::BF16, DType::U8, DType::Bool]);
                return Some((Make::Cast(seed, to), to));
            }
            _ => {}
        }
        let op = random.one_of(OPS);
        // What may be rejected is asked elsewhere; an average computes in a dtype of its own.
        let kernel = op.kernel(dtype).filter(|kernel| kernel.guard().is_none() && !op.is_average())?;
        let mut args = Vec::new();
        for k in 0..op.arity() {
            let wanted = operand(op, k, dtype);
            let fits: Vec<usize> = (0..len).filter(|&at| self.nodes[at].1 == wanted).collect();
            let at =
                if wanted == dtype && random.once_in(2) { seed } else { *fits.get(random.below(fits.len().max(1)))? };
            args.push(at);
        }
        Some((Make::Op(op.name(), args), kernel.output()))
    }
}

#[test]
fn random_expressions_are_their_steps() {
    let mut random = Random::new(31);
    let mut elements = 0;
    for round in 0..400 {
        let steps = 8 + random.below(25);
        let expression = Expression::draw(&mut random, steps);
        let alone = expression.step_by_step();
        for asked in [alone.len() - 1, alone.len() - 2, random.below(alone.len())] {
            let together = expression.fused(asked, 1 + round % 3);
            let (got, want) =
                ((together.shape(), together.as_bytes()), (alone[asked].shape(), alone[asked].as_bytes()));
            assert!(got == want, "round {round}, node {asked} of {:?}", expression.nodes);
            elements += together.shape().iter().product::<usize>();
        }
    }
    println!("{elements} elements of expressions");
    assert!(elements > 100_000, "only {elements} elements were compared");
}

#[test]
fn ten_thousand_steps_in_one_program() {
    let x: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0).collect();
    let row = Array::from_vec([1000], x.clone()).expect("whole");
    let mut graph = Graph::new();
    let input = graph.input(DType::F32, &[1000]).expect("small");
    let factor = graph.constant(Scalar::from_f64(DType::F32, 0.999));
    let mut node = input;
    for _ in 0..5000 {
        node = graph.op(named("mul"), &Rule::numpy(), &[node, factor]).expect("f32");
        node = graph.op(named("add"), &Rule::numpy(), &[input, node]).expect("f32");
    }
    let got = evaluate(&graph, node, &[&row], 2);
    let fold = |&x: &f32| (0..5000).fold(x, |sum, _| x + sum * 0.999);
    let want: Vec<f32> = x.iter().map(fold).collect();
    assert_eq!(got.as_slice::<f32>(), Some(&want[..]));
}

#[test]
fn two_hundred_inputs_in_one_program() {
    let shape = |i: usize| [vec![40, 30], vec![30], vec![40, 1], vec![1, 1], vec![]][i % 5].clone();
    let fill = |i: usize| {
        let shape = shape(i);
        let values: Vec<i32> = (0..shape.iter().product::<usize>()).map(|at| (i * 1000 + at) as i32).collect();
        Array::from_vec(shape.as_slice(), values).expect("whole")
    };
    let arrays: Vec<Array> = (0..200).map(fill).collect();
    let arrays: Vec<&Array> = arrays.iter().collect();
    let mut graph = Graph::new();
    let inputs = declare(&mut graph, &arrays);
    let all = graph.op(named("sum"), &Rule::numpy(), &inputs).expect("i32");
    let at = |i: usize, row: usize, column: usize| match i % 5 {
        0 => row * 30 + column,
        1 => column,
        2 => row,
        _ => 0,
    };
    let sum = |row, column| (0..200).map(|i| (i * 1000 + at(i, row, column)) as i32).sum::<i32>();
    let want: Vec<i32> = (0..40).flat_map(|row| (0..30).map(move |column| sum(row, column))).collect();
    assert_eq!(evaluate(&graph, all, &arrays, 1).as_slice::<i32>(), Some(&want[..]));
}

#[test]
fn shared_nodes_are_computed_once() {
    let one = Array::from_vec([3], vec![1_i64, -2, 3]).expect("whole");
    let mut graph = Graph::new();
    let mut node = graph.input(DType::I64, &[3]).expect("small");
    for _ in 0..60 {
        node = graph.op(named("add"), &Rule::numpy(), &[node, node]).expect("i64");
    }
    let got = evaluate(&graph, node, &[&one], 1);
    assert_eq!(got.as_slice::<i64>(), Some(&[1 << 60, -2 << 60, 3 << 60][..]));
}

/// Each operator stretches the one before along a new axis: every one is a stage of its own, at its own shape, unless it is so
/// brief that it is computed again where its elements repeat.
#[test]
fn deep_hoisting_computes_each_part_at_its_own_shape() {
    let arrays: Vec<Array> = (0..12)
        .map(|axis| {
            let shape: Vec<usize> = std::iter::once(2).chain(vec![1; axis]).collect();
            Array::from_vec(shape, vec![0.3_f32 + axis as f32, -0.7]).expect("whole")
        })
        .collect();
    let arrays: Vec<&Array> = arrays.iter().collect();
    let (mut fused, mut made) = (Graph::new(), Vec::new());
    let inputs = declare(&mut fused, &arrays);
    let mut alone = Array::from_view(&arrays[0].view()).expect("small");
    for (axis, &input) in inputs.iter().enumerate() {
        let last = made.last().copied().unwrap_or(inputs[0]);
        let sine = fused.op(named("sin"), &Rule::numpy(), &[last]).expect("f32");
        made.push(fused.op(named("mul"), &Rule::numpy(), &[sine, input]).expect("f32"));
        let pair = [&alone, arrays[axis]];
        let mut graph = Graph::new();
        let nodes = declare(&mut graph, &pair);
        let sine = graph.op(named("sin"), &Rule::numpy(), &nodes[..1]).expect("f32");
        let sine = evaluate(&graph, sine, &pair, 1);
        let pair = [&sine, arrays[axis]];
        let mut graph = Graph::new();
        let nodes = declare(&mut graph, &pair);
        let product = graph.op(named("mul"), &Rule::numpy(), &nodes).expect("f32");
        alone = evaluate(&graph, product, &pair, 1);
    }
    let root = *made.last().expect("twelve");
    let views = arrays.iter().map(|array| array.view()).collect();
    let evaluation = Evaluation::new(&fused, root, views, Options::default()).expect("planned");
    let sines: usize = evaluation
        .report()
        .iter()
        .map(|stage| stage.steps.iter().filter(|&&name| name == "sin").count() * stage.shape.iter().product::<usize>())
        .sum();
    // 2 + 2 + 4 + 8 + ... + 2048: no sine is computed at a shape above its own, apart from a few of the first ones.
    let once = 2 + (1..=11).map(|axis| 1 << axis).sum::<usize>();
    assert!((once..once + 1024).contains(&sines), "{sines} sines where {once} are enough");
    let got = evaluation.run().expect("runs");
    assert_eq!((got.shape(), got.as_bytes()), (alone.shape(), alone.as_bytes()));
    assert_eq!(got.shape(), [2; 12]);
}
