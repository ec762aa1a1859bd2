//! Inference over graphs that are put together here.

use broadaxe::DType;
use broadaxe_testing::limit;

use super::*;
use crate::{
    graph::{Attribute, Constant, Data, Graph, GraphId, Node, Value},
    source::Source,
};

mod tflite;

/// A graph in the making: values are named, nodes are written `Op(inputs) -> outputs`.
struct Maker {
    model: Model,
}

impl Maker {
    fn new(opset: i64) -> Self {
        Self::of("onnx", System::Onnx, opset)
    }

    fn of(format: &'static str, system: System, opset: i64) -> Self {
        let mut model = Model::new(format, system, Source::memory(Vec::new(), None));
        model.opsets.push((String::new(), opset));
        Self { model }
    }

    fn value(&mut self, name: &str) -> ValueId {
        if let Some(at) = self.model.values.iter().position(|value| value.name == name) {
            return ValueId(at as u32);
        }
        self.model.values.push(Value { name: name.into(), graph: GraphId(0), element: None, ..Value::default() });
        ValueId(self.model.values.len() as u32 - 1)
    }

    fn declare(&mut self, name: &str, dtype: DType, shape: &str) -> ValueId {
        let id = self.value(name);
        let value = &mut self.model.values[id.0 as usize];
        value.element = Some(Element::Known(dtype));
        value.declared = Some(shape.parse().unwrap());
        id
    }

    fn input(&mut self, name: &str, dtype: DType, shape: &str) -> &mut Self {
        let id = self.declare(name, dtype, shape);
        self.model.graphs[0].inputs.push(id);
        self
    }

    fn ints(&mut self, name: &str, values: &[i64]) -> &mut Self {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, DType::I64, &[values.len()], bytes)
    }

    fn int(&mut self, name: &str, value: i64) -> &mut Self {
        self.constant(name, DType::I64, &[], value.to_le_bytes().to_vec())
    }

    fn floats(&mut self, name: &str, values: &[f32]) -> &mut Self {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, DType::F32, &[values.len()], bytes)
    }

    fn constant(&mut self, name: &str, dtype: DType, shape: &[usize], bytes: Vec<u8>) -> &mut Self {
        let id = self.value(name);
        let constant =
            Constant { element: Element::Known(dtype), shape: shape.to_vec(), data: Data::Held(bytes.into()) };
        self.model.values[id.0 as usize].constant = Some(constant);
        self
    }

    /// Adds a node: `Op a,b -> c,d`, an input that is left out written `_`.
    fn node(&mut self, text: &str, attributes: &[(&str, Attribute)]) -> &mut Self {
        self.node_in(GraphId(0), text, attributes)
    }

    fn node_in(&mut self, graph: GraphId, text: &str, attributes: &[(&str, Attribute)]) -> &mut Self {
        let (left, outputs) = text.split_once(" -> ").unwrap();
        let (op, inputs) = left.split_once(' ').unwrap_or((left, ""));
        let mut ids = |list: &str| -> Vec<Option<ValueId>> {
            list.split(',')
                .filter(|name| !name.is_empty())
                .map(|name| (name != "_").then(|| self.value(name)))
                .collect()
        };
        let (inputs, outputs) = (ids(inputs), ids(outputs));
        let id = NodeId(self.model.nodes.len() as u32);
        let (domain, op) = op.rsplit_once('.').unwrap_or(("", op));
        let bodies = attributes.iter().filter_map(|(_, value)| match value {
            Attribute::Graph(graph) => Some(*graph),
            _ => None,
        });
        self.model.nodes.push(Node {
            name: String::new(),
            graph,
            domain: domain.into(),
            op: op.into(),
            version: self.model.opsets[0].1,
            attributes: attributes.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect(),
            inputs,
            outputs,
            bodies: bodies.collect(),
            place: format!("node {}", id.0),
            number: u64::from(id.0),
            line: None,
        });
        self.model.graphs[graph.0 as usize].nodes.push(id);
        self
    }

    fn body(&mut self, inputs: &[&str], outputs: &[&str]) -> GraphId {
        let inputs = inputs.iter().map(|name| self.value(name)).collect();
        let outputs = outputs.iter().map(|name| self.value(name)).collect();
        self.model.graphs.push(Graph { inputs, outputs, ..Graph::default() });
        GraphId(self.model.graphs.len() as u32 - 1)
    }

    fn infer(&self) -> Shapes {
        infer(&self.model, &[]).unwrap()
    }

    /// Returns the shape of a value, or why it is unknown.
    fn shape(&self, name: &str) -> String {
        let at = self.model.values.iter().position(|value| value.name == name).unwrap();
        let known = &self.infer().of[at];
        match (&known.origin, known.shape.rank()) {
            (Origin::Unknown(why), None) => why.clone(),
            _ => known.shape.to_string(),
        }
    }
}

fn ints(values: &[i64]) -> Attribute {
    Attribute::Ints(values.to_vec())
}

fn int(value: i64) -> Attribute {
    Attribute::Int(value)
}

fn text(value: &str) -> Attribute {
    Attribute::Text(value.into())
}

#[test]
fn one_node() {
    // opset; x; other operands; attributes; shape of y
    type Case<'a> = (i64, &'a str, &'a str, &'a [(&'a str, Attribute)], &'a str);
    let cases: &[Case] = &[
        (
            17,
            "n,3,h,w",
            "Conv x,w -> y",
            &[("strides", ints(&[2, 2])), ("pads", ints(&[1, 1, 1, 1]))],
            "(n, 8, (h + 1)//2, (w + 1)//2)",
        ),
        (
            17,
            "1,3,5,5",
            "Conv x,w -> y",
            &[("auto_pad", text("SAME_UPPER")), ("strides", ints(&[2, 2]))],
            "(1, 8, 3, 3)",
        ),
        (17, "1,3,1,1", "Conv x,w -> y", &[], "Conv: the window is larger than the image on axis 2 (node 0)"),
        (17, "1,8,5,h", "ConvTranspose x,w -> y", &[("strides", ints(&[2, 2]))], "(1, 3, 11, 2*h + 1)"),
        (
            17,
            "1,3,7,7",
            "MaxPool x -> y",
            &[("kernel_shape", ints(&[2, 2])), ("strides", ints(&[2, 2])), ("ceil_mode", int(1))],
            "(1, 3, 4, 4)",
        ),
        (17, "n,4,6", "MatMul x,x -> y", &[], "MatMul: extents 6 and 4 must be equal (node 0)"),
        (17, "n,4,6", "Flatten x -> y", &[("axis", int(0))], "(1, 24*n)"),
        (17, "n,4,6", "Transpose x -> y", &[], "(6, 4, n)"),
        (17, "n,4,6", "ReduceMean x -> y", &[("axes", ints(&[-1])), ("keepdims", int(0))], "(n, 4)"),
        (17, "n,4,6", "Softmax x -> y", &[], "(n, 4, 6)"),
        (17, "n,4,6", "Einsum x,x -> y", &[("equation", text("bij,bkj->bik"))], "(n, 4, 4)"),
        (17, "n,4,6", "TopK x,one -> y", &[], "(n, 4, 1)"),
        (17, "n,1,6", "Squeeze x,one -> y", &[], "(n, 6)"),
        (12, "n,1,6", "Squeeze x -> y", &[("axes", ints(&[1]))], "(n, 6)"),
        (17, "n,1,6", "Squeeze x -> y", &[], "Squeeze without axes: it is not known which extents are 1 (node 0)"),
        (17, "n,4,6", "Unsqueeze x,one -> y", &[], "(n, 1, 4, 6)"),
        (
            9,
            "n,4,6",
            "Slice x -> y",
            &[("starts", ints(&[1])), ("ends", ints(&[-1])), ("axes", ints(&[2]))],
            "(n, 4, 4)",
        ),
        (17, "n,4,6", "NonZero x -> y", &[], "(3, count(y))"),
        (17, "n,4,6", "Fancy x -> y", &[], "the operator Fancy is not known here (node 0)"),
        (17, "n,4,6", "com.Fancy x -> y", &[], "the operator com.Fancy is not known here (node 0)"),
        (99, "n,4,6", "Relu x -> y", &[], "the operator Relu is not known here (node 0)"),
        (
            17,
            "n,4,6",
            "Add x,w4 -> y",
            &[],
            "Add: broadcast of a (n, 4, 6) with b (4,) under numpy: axis 2 is 6 in a and 4 in b; they must be equal or 1 (node 0)",
        ),
        (6, "n,4,6", "Add x,w4 -> y", &[("broadcast", int(1)), ("axis", int(1))], "(n, 4, 6)"),
        (17, "n,4,6", "Concat x,x -> y", &[("axis", int(0))], "(2*n, 4, 6)"),
        (
            17,
            "n,2,8",
            "LSTM x,lw,lr -> y",
            &[("hidden_size", int(5)), ("direction", text("bidirectional"))],
            "(n, 2, 2, 5)",
        ),
        (23, "b,s,32", "Attention x,x,x -> y", &[("q_num_heads", int(4)), ("kv_num_heads", int(2))], "(b, s, 64)"),
        (17, "n,12,h,w", "DepthToSpace x -> y", &[("blocksize", int(2))], "(n, 3, 2*h, 2*w)"),
        (17, "?,4", "Relu x -> y", &[], "(?, 4)"),
        (17, "...", "Relu x -> y", &[], "the file does not say the shape of the input x"),
    ];
    let mut wrong = Vec::new();
    for (opset, x, node, attributes, want) in cases {
        let mut maker = Maker::new(*opset);
        maker.input("x", DType::F32, x).ints("one", &[1]).floats("w4", &[0.0; 4]);
        maker.constant("w", DType::F32, &[8, 3, 3, 3], Vec::new()).constant("lw", DType::F32, &[2, 20, 8], Vec::new());
        maker.constant("lr", DType::F32, &[2, 20, 5], Vec::new()).node(node, attributes);
        let got = maker.shape("y");
        if got != *want {
            wrong.push(format!("{node} of {x}: {got}, not {want}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn followed_elements() {
    let mut maker = Maker::new(17);
    maker.input("x", DType::F32, "n,s,64").ints("heads", &[4]).ints("rest", &[-1]).ints("zero", &[0]).ints("one", &[1]);
    maker.node("Shape x -> shape", &[]);
    maker.node("Gather shape,zero -> n", &[]);
    maker.node("Slice shape,one,heads -> tail", &[]);
    maker.node("Gather tail,zero -> s", &[]);
    maker.node("Concat n,s,heads,rest -> target", &[("axis", int(0))]);
    maker.node("Reshape x,target -> split", &[]);
    maker.node("Mul n,heads -> nh", &[]);
    maker.node("Concat nh,s,rest -> flat", &[("axis", int(0))]);
    maker.node("Reshape split,flat -> merged", &[]);
    maker.int("start", 0).int("step", 2).node("ReduceProd s -> scalar", &[("keepdims", int(0))]);
    maker.node("Range start,scalar,step -> range", &[]);
    maker.node("Cast shape -> floats", &[("to", int(1))]);
    maker.floats("half", &[0.5]).node("Mul floats,half -> halves", &[]).node("Floor halves -> floored", &[]);
    maker.node("Cast floored -> sizes", &[("to", int(7))]).node("ConstantOfShape sizes -> filled", &[]);
    maker.node("Equal shape,rest -> unset", &[]).node("ConstantOfShape shape3 -> ones", &[]);
    maker.ints("shape3", &[3]).node("Where unset,ones,shape -> kept", &[]).node("Expand one,kept -> wide", &[]);
    let cases = [
        ("split", "(n, s, 4, 16)"),
        ("merged", "(4*n, s, 16)"),
        ("range", "((s + 1)//2,)"),
        ("filled", "(n//2, s//2, 32)"),
        ("wide", "(n, s, 64)"),
    ];
    for (name, want) in cases {
        assert_eq!(maker.shape(name), want, "{name}");
    }
}

#[test]
fn names_meet() {
    // a, b, the shape of their sum
    let cases = [
        ("n,4", "n,4", "(n, 4)"),
        ("n,4", "m,1", "(broadcast(n, m), 4)"),
        ("n,4", "1,1", "(n, 4)"),
        ("n,4", "5,1", "(5, 4)"),
        ("?,4", "?,4", "(?, 4)"),
        ("n,4", "?,4", "(?, 4)"),
    ];
    for (a, b, want) in cases {
        let mut maker = Maker::new(17);
        maker.input("a", DType::F32, a).input("b", DType::F32, b).node("Add a,b -> y", &[]);
        assert_eq!(maker.shape("y"), want, "{a} and {b}");
    }
}

#[test]
fn given_shapes() {
    let mut maker = Maker::new(17);
    maker.input("x", DType::F32, "n,3").input("y", DType::F32, "n,1").node("Relu y -> z", &[]);
    let given = |name: &str, shape: &str| {
        let dims: SymbolicShape = shape.parse().unwrap();
        infer(&maker.model, &[(name.to_string(), dims.dims().unwrap().to_vec())])
    };
    let shapes = given("x", "7,3").unwrap();
    assert_eq!(shapes.of[2].shape.to_string(), "(7, 1)");
    assert_eq!(shapes.of[0].origin, Origin::Given);
    for (name, shape, want) in [
        ("q", "1,3", "the model has no input q; its inputs are x (n, 3), y (n, 1)"),
        ("x", "1,3,4", "the shape given for x has rank 3, but x has rank 2; the inputs are x (n, 3), y (n, 1)"),
    ] {
        let error = given(name, shape).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Argument, want));
    }
    // A shape of which the file says another drops what the file says of the rest.
    maker.declare("z", DType::F32, "n,1");
    let dims = vec![Dim::known(2), Dim::known(5)];
    assert_eq!(infer(&maker.model, &[("y".into(), dims)]).unwrap().of[2].shape.to_string(), "(2, 5)");
}

#[test]
fn declarations() {
    // what the file says of the result of Relu of (n, 4) in f32, what is known then, or the refusal
    let cases: &[(DType, &str, Result<&str, &str>)] = &[
        (DType::F32, "n,4", Ok("(n, 4)")),
        (DType::F32, "5,4", Ok("(5, 4)")),
        (DType::F32, "m,?", Ok("(n, 4)")),
        (DType::F32, "n,5", Err("its shape is (n, 4), the file says (n, 5)")),
        (DType::F32, "4", Err("its shape is (n, 4), the file says (4,)")),
        (DType::F64, "n,4", Err("its elements are f32, the file says f64")),
    ];
    for (dtype, shape, want) in cases {
        let mut maker = Maker::new(17);
        maker.input("x", DType::F32, "n,4").node("Relu x -> y", &[]).declare("y", *dtype, shape);
        match (infer(&maker.model, &[]), want) {
            (Ok(shapes), Err(want)) if *dtype == DType::F32 => {
                assert_eq!(shapes.contradictions, [(NodeId(0), format!("y: {want}"))]);
                assert_eq!(shapes.of[1].shape.to_string(), "(n, 4)", "what follows is taken");
            }
            (Ok(shapes), Ok(want)) => assert_eq!(shapes.of[1].shape.to_string(), *want),
            (Err(error), Err(want)) => {
                let text = error.to_string();
                assert_eq!(error.kind(), ErrorKind::Format);
                assert!(text.contains(want) && text.contains("tensor y") && text.contains("node 0"), "{text}");
            }
            (got, want) => panic!("{dtype} {shape}: {got:?}, not {want:?}"),
        }
    }
    // An operator that is not known has the shape that is declared.
    let mut maker = Maker::new(17);
    maker.input("x", DType::F32, "n,4").node("com.Fancy x -> y", &[]).declare("y", DType::F32, "n,9");
    maker.node("Relu y -> z", &[]);
    assert_eq!(maker.shape("z"), "(n, 9)");
    assert_eq!(maker.infer().of[1].origin, Origin::Declared);
}

/// Nodes of a branch that never runs, by a known condition, give no wrong numbers.
#[test]
fn branches_that_never_run() {
    for (condition, want) in [(Some(0), "same"), (Some(1), "differs"), (None, "differs")] {
        let mut maker = Maker::new(17);
        maker.input("x", DType::F32, "3,3,3").floats("slope", &[1.0, 2.0, 3.0]);
        match condition {
            Some(condition) => maker.int("c", condition),
            None => maker.input("c", DType::Bool, "()"),
        };
        let (yes, no) = (maker.body(&[], &["a"]), maker.body(&[], &["b"]));
        maker.node_in(yes, "PRelu x,slope -> a", &[]).node_in(no, "Relu x -> b", &[]);
        maker.node("If c -> y", &[("then_branch", Attribute::Graph(yes)), ("else_branch", Attribute::Graph(no))]);
        let report = crate::check::check(&maker.model, &maker.infer(), &["openvino".parse().unwrap()]);
        let words: Vec<&str> = report.findings.iter().map(|finding| finding.verdict.name()).collect();
        assert_eq!(words, [want], "{condition:?}");
    }
}

#[test]
fn bodies() {
    let mut maker = Maker::new(17);
    maker.input("x", DType::F32, "n,4").input("c", DType::Bool, "()").int("trip", 3).ints("one", &[1]);
    let (yes, no) = (maker.body(&[], &["a"]), maker.body(&[], &["b"]));
    maker.node_in(yes, "Relu x -> a", &[]).node_in(no, "Concat x,x -> b", &[("axis", int(1))]);
    maker.node("If c -> either", &[("then_branch", Attribute::Graph(yes)), ("else_branch", Attribute::Graph(no))]);
    // One state grows, one stays; what is scanned has the state's shape of a run.
    let body = maker.body(&["i", "go", "grows", "stays"], &["going", "longer", "same", "scan"]);
    maker.node_in(body, "Identity go -> going", &[]).node_in(body, "Concat grows,x -> longer", &[("axis", int(0))]);
    maker.node_in(body, "Neg stays -> same", &[]).node_in(body, "Add same,same -> scan", &[]);
    maker.node("Loop trip,_,x,x -> last,kept,scanned", &[("body", Attribute::Graph(body))]);
    maker.node("Relu kept -> after", &[]);
    let cases = [
        ("either", "(n, ?)"),
        ("last", "(?, 4)"),
        ("kept", "(n, 4)"),
        ("scanned", "(?, n, 4)"),
        ("after", "(n, 4)"),
        ("same", "(n, 4)"),
        ("longer", "(?, 4)"),
    ];
    for (name, want) in cases {
        assert_eq!(maker.shape(name), want, "{name}");
    }
}

#[test]
fn deep_bodies_end() {
    // Loops in loops, each of which changes the rank of its state: what is run again is bounded.
    let mut maker = Maker::new(17);
    maker.input("s0", DType::F32, "n").ints("zero", &[0]).int("trip", 3);
    let mut graph = GraphId(0);
    for depth in 0..60 {
        let names = [format!("i{depth}"), format!("go{depth}"), format!("s{}", depth + 1)];
        let outputs = [format!("going{depth}"), format!("t{depth}")];
        let body = maker.body(&names.each_ref().map(String::as_str), &outputs.each_ref().map(String::as_str));
        let call = format!("Loop trip,_,s{depth} -> r{depth}");
        maker.node_in(graph, &call, &[("body", Attribute::Graph(body))]);
        maker.node_in(graph, &format!("Unsqueeze r{depth},zero -> t{}", depth as i64 - 1), &[]);
        maker.node_in(body, &format!("Identity go{depth} -> going{depth}"), &[]);
        graph = body;
    }
    maker.node_in(graph, "Unsqueeze s60,zero -> t59", &[]);
    let start = std::time::Instant::now();
    let shapes = maker.infer();
    assert!(start.elapsed() < limit::seconds(10));
    let at = maker.model.values.iter().position(|value| value.name == "r0").unwrap();
    assert_eq!(shapes.of[at].shape.rank(), None);
}

#[test]
fn long_chains_are_walked() {
    let mut maker = Maker::new(17);
    maker.input("v0", DType::F32, "n,4");
    let names: Vec<String> = (0..=50_000).map(|k| format!("v{k}")).collect();
    for pair in names.windows(2) {
        let value = |name: &str| Value { name: name.into(), graph: GraphId(0), element: None, ..Value::default() };
        maker.model.values.push(value(&pair[1]));
        let id = maker.model.nodes.len() as u32;
        maker.model.nodes.push(Node {
            name: String::new(),
            graph: GraphId(0),
            domain: String::new(),
            op: "Relu".into(),
            version: 17,
            attributes: Vec::new(),
            inputs: vec![Some(ValueId(id))],
            outputs: vec![Some(ValueId(id + 1))],
            bodies: Vec::new(),
            ..Node::default()
        });
        maker.model.graphs[0].nodes.push(NodeId(id));
    }
    let start = std::time::Instant::now();
    assert_eq!(maker.infer().of[50_000].shape.to_string(), "(n, 4)");
    assert!(start.elapsed() < limit::seconds(10));
}

#[test]
fn dims_are_broadcasts_of_few_names() {
    let mut maker = Maker::new(17);
    let names: Vec<String> = (0..64).map(|k| format!("x{k}")).collect();
    for name in &names {
        maker.input(name, DType::F32, &format!("n_{name}"));
    }
    maker.node("Max x0,x1,x2 -> few", &[]).node(&format!("Max {} -> many", names.join(",")), &[]);
    maker.node("Add x0,x1 -> s1", &[]);
    for k in 2..64 {
        maker.node(&format!("Add s{},x{k} -> s{k}", k - 1), &[]);
    }
    assert_eq!(maker.shape("few"), "(broadcast(n_x0, n_x1, n_x2),)");
    assert_eq!(maker.shape("many"), "(?,)");
    assert_eq!(maker.shape("s2"), "(broadcast(n_x0, n_x1, n_x2),)");
    let shapes = maker.infer();
    let longest = shapes.of.iter().filter_map(|known| known.shape.dims()?.first()).map(|dim| dim.names().len()).max();
    assert_eq!(longest, Some(16));
}

#[test]
fn following_ends() {
    // A chain over a constant of as many elements as are followed at most.
    let mut maker = Maker::new(17);
    maker.ints("v0", &[7; 1024]);
    for k in 0..3000 {
        maker.node(&format!("Neg v{k} -> v{}", k + 1), &[]);
    }
    maker.node("Slice v3000,one,two -> late", &[]).node("ConstantOfShape late -> unknown", &[]);
    maker.node("Slice v2,one,two -> early", &[]).node("ConstantOfShape early -> known", &[]);
    maker.ints("one", &[1]).ints("two", &[2]);
    assert_eq!(maker.shape("v3000"), "(1024,)");
    assert_eq!(maker.shape("unknown"), "(?,)");
    assert_eq!(maker.shape("known"), "(7,)");
}

#[test]
fn two_ellipses_are_refused() {
    let mut maker = Maker::of("openvino", System::Openvino, 1);
    maker.input("x", DType::F32, "n,4,6").ints("at", &[0, 0]);
    maker.node("StridedSlice x,at,at -> y", &[("ellipsis_mask", ints(&[1, 1]))]);
    assert_eq!(maker.shape("y"), "StridedSlice: more than one range has an ellipsis (node 0)");
}

#[test]
fn a_number_is_no_list() {
    for (node, k) in
        [("Reshape x,s -> y", 1), ("Tile x,s -> y", 1), ("ConstantOfShape s -> y", 0), ("Slice x,s,s -> y", 1)]
    {
        let mut maker = Maker::new(17);
        maker.input("x", DType::F32, "6").int("s", 6).node(node, &[]);
        let found = maker.shape("y");
        assert!(found.contains(&format!("input {k} is a number, and should be a list")), "{node}: {found}");
    }
}

#[test]
fn hostile_numbers_are_no_panic() {
    let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX];
    let ops: &[(&str, &[&str])] = &[
        ("MaxPool x -> y", &["kernel_shape", "strides", "pads", "dilations"]),
        ("Conv x,w -> y", &["kernel_shape", "strides", "pads", "dilations", "group"]),
        ("ConvTranspose x,w -> y", &["strides", "pads", "dilations", "group", "output_padding", "output_shape"]),
        ("Flatten x -> y", &["axis"]),
        ("Gather x,i -> y", &["axis"]),
        ("Concat x,x -> y", &["axis"]),
        ("Split x -> y,z", &["axis", "num_outputs", "split"]),
        ("Transpose x -> y", &["perm"]),
        ("Reshape x,i -> y", &["allowzero"]),
        ("Expand x,i -> y", &[]),
        ("Tile x,i -> y", &[]),
        ("Pad x,i -> y", &[]),
        ("Slice x,i,i,_,i -> y", &[]),
        ("ConstantOfShape i -> y", &[]),
        ("Range s,s,s -> y", &[]),
        ("Unsqueeze x,i -> y", &[]),
        ("Squeeze x,i -> y", &[]),
        ("OneHot x,s,x -> y", &["axis"]),
        ("Shape x -> y", &["start", "end"]),
        ("DepthToSpace x -> y", &["blocksize"]),
        ("TopK x,i -> y", &["axis"]),
        ("CenterCropPad x,i -> y", &["axes"]),
        ("ReduceSum x,i -> y", &[]),
        ("Resize x,_,_,i -> y", &["axes"]),
        ("Mul i,i -> y", &[]),
        ("Neg i -> y", &[]),
        ("Abs i -> y", &[]),
        ("Div i,i -> y", &[]),
        ("Mod i,i -> y", &[]),
        ("Pow i,i -> y", &[]),
        ("Attention x,x,x -> y", &["q_num_heads", "kv_num_heads"]),
        ("GatherND x,x -> y", &["batch_dims"]),
        ("Einsum x,x -> y", &["equation"]),
        ("DFT x,s,s -> y", &["onesided"]),
        ("STFT x,s,_,s -> y", &[]),
        ("EyeLike x -> y", &["k"]),
        ("TfIdfVectorizer x -> y", &["ngram_indexes"]),
    ];
    let shapes = ["()", "n", "2,3,4,5", "9223372036854775807,9223372036854775807,3,3", "n,?,0,1"];
    let mut asked = 0;
    for (node, names) in ops {
        for shape in shapes {
            for &extreme in &extremes {
                for opset in [9, 17, 23] {
                    let mut maker = Maker::new(opset);
                    maker.input("x", DType::F32, shape).ints("i", &[extreme; 4]).int("s", extreme);
                    maker.constant("w", DType::F32, &[8, 3, 3, 3], Vec::new());
                    let one: Vec<_> = names.iter().map(|name| (*name, int(extreme))).collect();
                    let many: Vec<_> = names.iter().map(|name| (*name, ints(&[extreme; 4]))).collect();
                    asked += maker.node(node, &one).infer().of.len();
                    maker.model.nodes.clear();
                    maker.model.graphs[0].nodes.clear();
                    asked += maker.node(node, &many).infer().of.len();
                }
            }
        }
    }
    assert!(asked > 10_000);
}
