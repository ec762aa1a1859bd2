//! Asks an engine of a few operators that misreads an operand where the nodes before it are hidden.

use std::{collections::HashMap, fmt::Write, path::Path};

use broadaxe::DType;
use broadaxe_testing::random::Random;

use super::*;
use crate::{
    ask::{ModelAnswer, ModelRun},
    format::{self, single::number_bytes},
    graph::Node,
    infer::infer,
    source::Source,
    testing::{model as text_model, onnx},
};

/// A planted fault: a chain of operators whose inner values are hidden, and how the last one then reads its second operand.
struct Planted {
    chain: &'static [&'static str],
    misread: Misread,
    /// What the wrong nodes are called: a prefix of their names.
    names: String,
    when: When,
    /// The greatest number that it computes.
    most: f64,
    runs: usize,
}

/// When a planted fault shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    Always,
    /// In the second run.
    Later,
    /// Where the value is an output.
    LookedAt,
}

impl Planted {
    fn new(chain: &'static [&'static str], misread: Misread) -> Self {
        Self { chain, misread, names: String::new(), when: When::Always, most: f64::INFINITY, runs: 0 }
    }
}

impl Runner for Planted {
    fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, Error> {
        self.runs += 1;
        let source = Source::memory(run.model.clone(), None);
        let weights = run.weights.clone().map(|weights| Source::memory(weights, None));
        let model = format::read(&weights.map_or(source.clone(), |weights| source.with_weights(weights)))?;
        let held = match format::part::held(&model) {
            Ok(held) => held,
            Err(why) => return Ok(ModelAnswer::Refused(why.to_string())),
        };
        let mut values: HashMap<ValueId, Tensor> = HashMap::new();
        for &id in &model.main().inputs {
            let name = &model.value(id).name;
            let given = run.inputs.iter().find(|(given, _)| given == name);
            values.insert(id, given.unwrap_or_else(|| panic!("{name} is not given")).1.clone());
        }
        for (k, value) in model.values.iter().enumerate() {
            if let Some(constant) = &value.constant {
                let data = model.elements(constant, 1 << 20)?.unwrap();
                let dtype = constant.element.dtype().unwrap();
                let tensor = Tensor { dtype, shape: constant.shape.clone(), data };
                values.insert(ValueId(k as u32), tensor);
            }
        }
        let looked_at = |id: ValueId| run.outputs.contains(&model.value(id).name);
        for &id in &model.main().nodes {
            let node = model.node(id);
            if node.output(0).is_some_and(|value| values.contains_key(&value)) {
                continue;
            }
            if node.op == "Refused" {
                return Ok(ModelAnswer::Refused("no such operator".to_owned()));
            }
            let shows = match self.when {
                When::Always => true,
                When::Later => run.times > 1,
                When::LookedAt => node.output(0).is_some_and(looked_at),
            };
            let wrong = shows && self.is_wrong(&model, node, &looked_at);
            let misread = wrong.then_some(&self.misread);
            let own = held[id.0 as usize].iter().map(|constant| {
                let data = model.elements(constant, 1 << 20).unwrap().unwrap();
                // An entry of the slowest axis has one number.
                Tensor { dtype: DType::F32, shape: vec![constant.shape[0], 1], data }
            });
            let operands = node.inputs.iter().flatten().map(|id| values[id].clone()).chain(own).collect::<Vec<_>>();
            let result = compute(node, &operands, misread, self.most);
            values.insert(node.output(0).unwrap(), result);
        }
        let named = |name: &String| {
            let id = model.values.iter().position(|value| value.name == *name);
            values[&ValueId(id.unwrap_or_else(|| panic!("{name} is not made")) as u32)].clone()
        };
        Ok(ModelAnswer::Values(run.outputs.iter().map(named).collect()))
    }
}

impl Planted {
    fn is_wrong(&self, model: &Model, node: &Node, looked_at: &dyn Fn(ValueId) -> bool) -> bool {
        let mut node = node;
        let (last, before) = self.chain.split_last().unwrap();
        if node.op != *last || !node.name.starts_with(&self.names) {
            return false;
        }
        for op in before.iter().rev() {
            let hidden = node.input(0).filter(|id| !looked_at(*id));
            let Some((maker, _)) = hidden.and_then(|id| model.value(id).producer) else { return false };
            node = model.node(maker);
            if node.op != *op || !node.name.starts_with(&self.names) {
                return false;
            }
        }
        true
    }
}

/// An engine that gives results an axis too many.
struct ExtraAxis;

impl Runner for ExtraAxis {
    fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, Error> {
        let (_, x) = run.inputs.first().expect("an input");
        let tensor = Tensor { shape: [&x.shape[..], &[1]].concat(), ..x.clone() };
        Ok(ModelAnswer::Values(vec![tensor; run.outputs.len()]))
    }
}

/// What a node gives that is not computed here has its elements from the engine, and its shape from the model, open sizes included.
#[test]
fn results_have_the_axes_of_the_model() {
    for text in [
        "x(1,2,4); y=Softmax(x)",
        "x(1,n,4); y=Softmax(x)",
        "x(2,3,n); c=const(3,3,1); y=Conv(x,c)",
        // Inside, the axis may belong to the engine; the output shows it.
        "x(2,3,4); c=const(3,3,1); b=const(3)=0,0,0; y=Conv(x,c,b); o=const()=1; z=Mul(y,o)",
    ] {
        let (drawn, shapes) = text_model(text);
        let model = format::read(&Source::memory(onnx(&drawn, &shapes), None)).expect("a model");
        let examined = ask_with(&model, &infer(&model, &[]).expect("shapes"), &mut ExtraAxis);
        let found: Vec<_> = examined
            .faults
            .iter()
            .map(|fault| (fault.nodes.len(), fault.gap.as_ref().and_then(|gap| gap.shape.as_ref()).map(Vec::len)))
            .collect();
        assert_eq!(found, [(1, Some(4))], "{text}");
    }
}

/// An engine whose sums are one too large.
struct OneMore;

impl Runner for OneMore {
    fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, Error> {
        let (_, x) = run.inputs.first().expect("an input");
        let data = x.data.iter().map(|element| element.wrapping_mul(2).wrapping_add(1)).collect();
        Ok(ModelAnswer::Values(vec![Tensor { data, ..x.clone() }; run.outputs.len()]))
    }
}

/// Integers of 8 bits are exact where no node rounds.
#[test]
fn integers_that_are_one_unit_away() {
    let (drawn, shapes) = text_model("x:u8(4); y=Add(x,x)");
    let model = format::read(&Source::memory(onnx(&drawn, &shapes), None)).expect("a model");
    let examined = ask_with(&model, &infer(&model, &[]).expect("shapes"), &mut OneMore);
    assert_eq!(told(&model, &examined), "y");
}

/// Computes a node, element by element.
fn compute(node: &Node, operands: &[Tensor], misread: Option<&Misread>, most: f64) -> Tensor {
    let rank = operands.iter().map(|one| one.shape.len()).max().unwrap();
    let padded = |shape: &[usize]| [vec![1; rank - shape.len()], shape.to_vec()].concat();
    let shape: Vec<usize> =
        (0..rank).map(|axis| operands.iter().map(|one| padded(&one.shape)[axis]).max().unwrap()).collect();
    let total: usize = shape.iter().product();
    let read = |k: usize, at: usize| {
        let (own, all) = (padded(&operands[k].shape), operands[k].values());
        let right = {
            let (mut rest, mut flat, mut stride) = (at, 0, 1);
            for axis in (0..rank).rev() {
                let index = rest % shape[axis];
                rest /= shape[axis];
                flat += if own[axis] == 1 { 0 } else { index * stride };
                stride *= own[axis];
            }
            flat
        };
        match misread.filter(|_| k == 1) {
            None => all[right],
            Some(Misread::First) => all[0],
            Some(Misread::Repeated) => all[at % all.len()],
            Some(Misread::InRows) => all[at / total.div_ceil(all.len())],
            Some(Misread::Axes(axes)) => {
                let inner: usize = shape[axes[0] + 1..].iter().product();
                all[at / inner % shape[axes[0]]]
            }
            Some(other) => panic!("{other:?} is not planted"),
        }
    };
    let value = |at: usize| {
        let x = read(0, at);
        match node.op.as_str() {
            "Add" | "ADD" | "BinaryOp" => x + read(1, at),
            "Sub" => x - read(1, at),
            "Mul" => x * read(1, at),
            "PReLU" => x * if x < 0.0 { read(1, at) } else { 1.0 },
            "Tanh" | "TanH" => x.tanh(),
            "Relu" => x.max(0.0),
            "Sigmoid" => 1.0 / (1.0 + (-x).exp()),
            other => panic!("no {other}"),
        }
    };
    let dtype = operands[0].dtype;
    let data = (0..total).flat_map(|at| number_bytes(dtype, value(at).min(most))).collect();
    Tensor { dtype, shape, data }
}

/// Makes a model of a text, and asks about it.
fn ask(text: &str, planted: &mut Planted) -> (Model, Examined) {
    let (drawn, shapes) = text_model(text);
    let model = format::read(&Source::memory(onnx(&drawn, &shapes), None)).unwrap();
    let examined = ask_of(&model, planted);
    (model, examined)
}

/// Asks about a model.
fn ask_of(model: &Model, planted: &mut Planted) -> Examined {
    ask_with(model, &infer(model, &[]).unwrap(), planted)
}

/// Asks about a model whose shapes are known.
fn ask_with(model: &Model, shapes: &Shapes, planted: &mut dyn Runner) -> Examined {
    let settings = Settings { inputs: Vec::new(), seed: 1, time: Duration::from_mins(10) };
    examine(model, shapes, planted, &settings, &mut |_, _| ()).unwrap()
}

/// Makes a model of ncnn of its layers.
fn ncnn(layers: &str, weights: Option<&[f32]>) -> Model {
    let text = format!("7767517\n{count} {count}\n{layers}\n", count = layers.lines().count());
    let source = Source::memory(text.into_bytes(), None);
    let bytes = |weights: &[f32]| weights.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let weights = weights.map(|weights| Source::memory(bytes(weights), None));
    format::read(&weights.map_or(source.clone(), |weights| source.with_weights(weights))).unwrap()
}

/// Says what was found, in one line.
fn told(model: &Model, examined: &Examined) -> String {
    let names = |nodes: &[NodeId]| nodes.iter().map(|&id| model.node(id).name.as_str()).collect::<Vec<_>>().join("+");
    let fault = |fault: &Fault| {
        let reading = fault
            .reading
            .as_ref()
            .map(|reading| format!(" {:?} of {}", reading.misread, model.node(reading.node).name));
        let refused = fault.refused.as_ref().map(|_| " refused".to_owned());
        format!("{}{}", names(&fault.nodes), reading.or(refused).unwrap_or_default())
    };
    examined.faults.iter().map(fault).collect::<Vec<_>>().join("; ")
}

#[test]
fn small_models() {
    let c = "c=const(3)=0.5,-0.25,0.75; d=const(3,1)=1.5,2,-1";
    let first = || Misread::First;
    type Case<'a> = (&'a str, &'static [&'static str], Misread, &'a str);
    let cases: &[Case] = &[
        ("x(2,3); y=Add(x,c)", &["None"], first(), ""),
        ("x(2,3); y=Add(x,c)", &["Add"], first(), "y First of y"),
        ("x(2,3); a=Tanh(x); y=Add(a,c)", &["Tanh", "Add"], first(), "a+y First of y"),
        // Looking at the value stops it.
        ("x(2,3); a=Tanh(x); b=Add(a,c); y=Tanh(b); z=Relu(b)", &["Tanh", "Add"], first(), "a+b First of b"),
        ("x(2,3); a=Tanh(x); b=Add(a,c); y=Tanh(b); z=Relu(a)", &["Tanh", "Add", "Tanh"], first(), ""),
        // The value that shows it comes later.
        (
            "x(3,3); a=Tanh(x); b=Add(a,d); e=Mul(b,c); f=Relu(e); y=Sub(f,c)",
            &["Tanh", "Add"],
            Misread::Axes(vec![1]),
            "a+b Axes([1]) of b",
        ),
        ("x(n,3); a=Tanh(x); b=Add(a,c); y=Tanh(b)", &["Tanh", "Add"], Misread::InRows, "a+b InRows of b"),
        // Two of them, of which one hides behind the other.
        (
            "x(2,3); a=Tanh(x); b=Add(a,c); e=Tanh(b); y=Add(e,c)",
            &["Tanh", "Add"],
            first(),
            "a+b First of b; e+y First of y",
        ),
        // What is computed of constants alone.
        ("x(2,3); a=Tanh(c); y=Add(x,a)", &["Add"], first(), "y First of y"),
        ("x(2,3); a=Tanh(x); b=Refused(a); y=Add(b,c)", &["Add"], first(), "b refused"),
    ];
    let mut wrong = String::new();
    for (text, chain, misread, want) in cases {
        let mut planted = Planted::new(chain, misread.clone());
        let (model, examined) = ask(&format!("{c}; {text}"), &mut planted);
        let found = told(&model, &examined);
        if found != *want {
            _ = writeln!(wrong, "{text} {chain:?}: {found}, not {want}; left {:?}", examined.left);
        }
        for fault in examined.faults.iter().filter(|fault| fault.gap.is_some()) {
            let again = format::read(&Source::memory(fault.files.model.clone(), None)).unwrap();
            assert_eq!(again.main().nodes.len(), fault.nodes.len(), "{text}");
            let run = ModelRun {
                format: "onnx",
                model: fault.files.model.clone(),
                weights: None,
                inputs: fault.inputs.clone(),
                outputs: vec![fault.output.clone()],
                times: 1,
            };
            let ModelAnswer::Values(got) = planted.run(&run).unwrap() else { panic!("{text}") };
            assert_ne!(Some(&got[0]), fault.right.as_ref(), "{text}: the small model does not show it");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn when_a_fault_shows() {
    let text = "c=const(3)=0.5,-0.25,0.75; x(2,3); a=Tanh(x); b=Add(a,c); y=Tanh(b)";
    let first = |when| Planted { when, ..Planted::new(&["Add"], Misread::First) };
    let (_, examined) = ask(text, &mut first(When::Always));
    assert!(examined.faults.iter().all(|fault| !fault.is_later && !fault.is_far) && examined.faults.len() == 1);
    let (model, examined) = ask(text, &mut first(When::Later));
    assert!(examined.faults[0].is_later, "{}", told(&model, &examined));
    // The unchanged model is right, and no output would be with this fault.
    let (model, examined) = ask(text, &mut first(When::LookedAt));
    assert_eq!(told(&model, &examined), "");
}

#[test]
fn integers_far_from_zero() {
    let cases = [
        ("x:i32(4); y=Add(x,x)", true),
        ("x:i32(4); t=const:f32(9)=0,1,2,3,4,5,6,7,8; a=Add(x,x); y=Gather(t,x)", false),
        ("x:f32(4); y=Add(x,x)", false),
    ];
    for (text, has_far) in cases {
        let (drawn, shapes) = text_model(text);
        let model = format::read(&Source::memory(onnx(&drawn, &shapes), None)).unwrap();
        let shapes = infer(&model, &[]).unwrap();
        assert_eq!(feeds::has_far(&model, &shapes, &[]), has_far, "{text}");
    }
    let mut saturated = Planted { most: 1000.0, ..Planted::new(&["None"], Misread::First) };
    let (model, examined) = ask(cases[0].0, &mut saturated);
    assert!(examined.faults.len() == 1 && examined.faults[0].is_far, "{}", told(&model, &examined));
}

/// Writes a graph of nodes that mostly follow one another, and at a random place the nodes of a fault, called `wrong`.
fn planted_model(random: &mut Random, nodes: usize, chain: &[&str]) -> String {
    let mut text =
        "c=const(3)=0.5,-0.25,0.75; d=const(4,1,1)=0.5,0.25,-1,0.875; g=const(1,1,3)=0.75,1.25,-0.5; x(4,4,3)"
            .to_owned();
    let place = random.below(nodes - chain.len());
    let mut names = vec!["x".to_owned()];
    for k in 0..nodes {
        let (op, name) = match k.checked_sub(place).and_then(|at| chain.get(at)) {
            Some(op) => (*op, format!("wrong{k}")),
            None => (*random.one_of(&["Add", "Mul", "Sub", "Tanh", "Relu", "Sigmoid", "Tanh"]), format!("v{k}")),
        };
        let is_planted = name.starts_with("wrong");
        let back = if is_planted || !random.once_in(3) { 1 } else { 1 + random.below(names.len().min(20)) };
        let from = names[names.len() - back].clone();
        let with = if is_planted { "d" } else { *random.one_of(&["c", "d", "g"]) };
        _ = match op {
            "Add" | "Sub" | "Mul" => write!(text, "; {name}={op}({from},{with})"),
            _ => write!(text, "; {name}={op}({from})"),
        };
        names.push(name);
    }
    text
}

/// What was found of planted faults.
#[derive(Debug, Default)]
struct Found {
    seen: usize,
    /// Those whose reading is named rightly.
    named: usize,
    /// The most models that were run for a graph, the most nodes of a reduced graph, and the most nodes of a graph.
    runs: usize,
    reduced: usize,
    nodes: usize,
}

/// Plants a fault in each of several graphs, and asks about them.
fn find_planted(graphs: usize, sizes: std::ops::Range<usize>) -> Found {
    let chains: &[&'static [&'static str]] = &[
        &["Add"],
        &["Mul"],
        &["Tanh", "Add"],
        &["Sigmoid", "Mul"],
        &["Add", "Tanh", "Mul"],
        &["Mul", "Sigmoid", "Mul", "Add"],
    ];
    let misreads = [Misread::First, Misread::Repeated, Misread::Axes(vec![1])];
    let mut random = Random::new(17);
    let mut found = Found::default();
    for k in 0..graphs {
        let nodes = sizes.start + random.below(sizes.len());
        let (chain, misread) = (chains[k % chains.len()], random.one_of(&misreads).clone());
        let text = planted_model(&mut random, nodes, chain);
        let mut planted = Planted { names: "wrong".to_owned(), ..Planted::new(chain, misread.clone()) };
        let (model, examined) = ask(&text, &mut planted);
        let all: Vec<&Fault> = examined.faults.iter().chain(&examined.rounded).collect();
        let others = all.iter().flat_map(|fault| &fault.nodes).filter(|id| !model.node(**id).name.starts_with("wrong"));
        assert_eq!(others.count(), 0, "{chain:?} {misread:?} in {nodes} nodes: {}", told(&model, &examined));
        assert!(
            all.len() <= 1 && all.iter().all(|fault| fault.nodes.len() <= chain.len()),
            "{chain:?}: {}",
            told(&model, &examined)
        );
        let is_named = |fault: &&&Fault| fault.reading.as_ref().is_some_and(|reading| reading.misread == misread);
        found.seen += all.len();
        found.named += all.iter().filter(is_named).count();
        found.runs = found.runs.max(planted.runs);
        found.reduced = found.reduced.max(all.iter().map(|fault| fault.nodes.len()).max().unwrap_or(0));
        found.nodes = found.nodes.max(nodes);
    }
    found
}

#[test]
fn planted_faults() {
    let found = find_planted(12, 200..500);
    assert!(found.seen == 12 && found.named >= 11 && found.runs < 120, "{found:?}");
}

#[test]
#[ignore = "minutes"]
fn planted_faults_in_large_graphs() {
    let found = find_planted(50, 200..2001);
    assert!(found.seen == 50 && found.named >= 48 && found.reduced <= 4 && found.runs < 120, "{found:?}");
}

#[test]
fn layers_of_ncnn() {
    const SUM: &str =
        "Input x 0 1 x 0=3 1=2\nTanH a 1 1 x a\nMemoryData c 0 1 c 0=3 1=1\nBinaryOp b 2 1 a c b 0=0\nTanH y 1 1 b y";
    const SLOPE: &str = "Input x 0 1 x 0=3 1=2\nPReLU y 1 1 x y 0=2";
    let none: &'static [&'static str] = &["None"];
    const SHIFT: &str = "Input x 0 1 x 0=3 1=2\nBinaryOp y 1 1 x y 0=0 1=1 2=1.5";
    type Case<'a> = (&'a str, Option<&'a [f32]>, &'static [&'static str], &'a str, usize);
    let cases: [Case; 6] = [
        (SHIFT, Some(&[]), none, "", 1),
        (SUM, Some(&[0.5, -0.25, 0.75]), none, "", 3),
        (SUM, Some(&[0.5, -0.25, 0.75]), &["BinaryOp"], "b First of b", 3),
        (SUM, Some(&[0.5, -0.25, 0.75]), &["TanH", "BinaryOp"], "a+b First of b", 3),
        // Without its weights, they are drawn.
        (SUM, None, &["BinaryOp"], "b First of b", 3),
        (SLOPE, Some(&[0.5, 2.0]), none, "", 1),
    ];
    for (layers, weights, chain, want, compared) in cases {
        let model = ncnn(layers, weights);
        let examined = ask_of(&model, &mut Planted::new(chain, Misread::First));
        assert_eq!((told(&model, &examined).as_str(), examined.compared.len()), (want, compared), "{layers}");
        let remarks = if weights.is_none() { vec![DRAWN_WEIGHTS.to_owned()] } else { Vec::new() };
        assert_eq!(examined.left, remarks, "{layers}");
        assert!(examined.faults.iter().all(|fault| fault.files.weights.is_some()), "{layers}");
    }
    // An unknown layer: the count of its weights is unknown too.
    let model = ncnn("Input x 0 1 x 0=3\nUnheard u 1 1 x u\nTanH y 1 1 u y", None);
    let examined = ask_of(&model, &mut Planted::new(none, Misread::First));
    let why =
        "its file of weights is missing, and none can be drawn: the size of the weights of Unheard u is not known";
    assert!(examined.left.iter().any(|left| left == why), "{:?}", examined.left);
}

#[test]
fn nodes_of_tflite() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/position.tflite");
    let model = format::open(&file).unwrap();
    let cases: [(&'static [&'static str], &str); 2] = [(&["None"], ""), (&["ADD"], "embedded First of embedded")];
    for (chain, want) in cases {
        let examined = ask_of(&model, &mut Planted::new(chain, Misread::First));
        assert_eq!((told(&model, &examined).as_str(), examined.compared.len()), (want, 1), "{:?}", examined.left);
    }
}

/// What reads the result of a node that is refused runs with other numbers, where the shape is known.
#[test]
fn nodes_behind_a_refused_one() {
    let (drawn, shapes) = text_model("c=const(3)=0.5,-0.25,0.75; x(2,3); a=Refused(x); y=Add(a,c)");
    let model = format::read(&Source::memory(onnx(&drawn, &shapes), None)).unwrap();
    let mut shapes = infer(&model, &[]).unwrap();
    let result = model.main().nodes.iter().find_map(|&id| model.node(id).output(0)).unwrap();
    let given = shapes.of[model.main().inputs[0].0 as usize].clone();
    shapes.of[result.0 as usize] = given;
    let examined = ask_with(&model, &shapes, &mut Planted::new(&["Add"], Misread::First));
    assert_eq!(told(&model, &examined), "a refused; y First of y");
}
