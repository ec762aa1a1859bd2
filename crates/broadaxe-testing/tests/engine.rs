//! Compares the engine with the oracle: every operator and dtype on the elements at which arithmetic goes wrong first,
//! and on random shapes and strides.
#![allow(clippy::print_stdout)]

use broadaxe::{DType, Error, Evaluation, Graph, OPS, Op, Options, Rule, View};
use broadaxe_testing::{
    cases::{ArithmeticCase, Cases, WantedText, folder, read_folder},
    oracle::{Outcome, Ty, Value, cast, edge_values, eval, from_bytes, output, parse, to_bytes, tolerance},
    random::Random,
    strided::{Layout, eval_strided},
};

fn ty(dtype: DType) -> Ty {
    Ty::from_name(dtype.name()).unwrap_or_else(|| panic!("the oracle knows no {dtype}"))
}

/// Returns the dtype of operand `k` of an operator: the first of `where` is a bool.
fn operand(op: &Op, k: usize, dtype: DType) -> DType {
    if op.name() == "where" && k == 0 { DType::Bool } else { dtype }
}

/// Lists the operators, which the oracle must all know.
fn operators() -> Vec<&'static Op> {
    let knows = |op: &&Op| {
        op.dtypes().any(|dtype| {
            tuples(op, dtype).first().is_some_and(|t| eval(op.name(), ty(dtype), t) != Outcome::Unsupported)
        })
    };
    let (known, unknown): (Vec<_>, Vec<&Op>) = OPS.iter().partition(knows);
    let unknown: Vec<&str> = unknown.iter().map(|op| op.name()).collect();
    assert_eq!(unknown, [""; 0], "operators without an oracle");
    known
}

/// Evaluates one operator in the engine, aligned as NumPy does.
fn engine(op: &'static Op, dtype: DType, operands: &[(Vec<u8>, &Layout)]) -> Result<(Vec<usize>, Vec<Value>), Error> {
    let mut graph = Graph::new();
    let (mut nodes, mut views) = (Vec::new(), Vec::new());
    for (k, (bytes, layout)) in operands.iter().enumerate() {
        let dtype = operand(op, k, dtype);
        let width = dtype.size();
        let strides: Vec<isize> = layout.strides.iter().map(|s| s * width as isize).collect();
        views.push(View::new(dtype, bytes, &layout.shape, &strides, layout.offset * width)?);
        nodes.push(graph.input(dtype, &layout.shape)?);
    }
    let root = graph.op(op, &Rule::numpy(), &nodes)?;
    let result = Evaluation::new(&graph, root, views, Options::default())?.run()?;
    Ok((result.shape().to_vec(), from_bytes(ty(result.dtype()), result.as_bytes())))
}

/// Returns tuples of elements: all pairs of edges, or some of the triples.
fn tuples(op: &Op, dtype: DType) -> Vec<Vec<Value>> {
    let mut tuples: Vec<Vec<Value>> = vec![vec![]];
    for k in 0..op.arity() {
        let edges = edge_values(ty(operand(op, k, dtype)));
        let step = if op.arity() == 3 { edges.len().div_ceil(12) } else { 1 };
        let longer = |tuple: &Vec<Value>, &edge: &Value| [&tuple[..], &[edge]].concat();
        tuples =
            tuples.iter().flat_map(|tuple| edges.iter().step_by(step).map(move |edge| longer(tuple, edge))).collect();
    }
    tuples
}

/// Asks both for these tuples of elements; what the oracle rejects is asked of the engine one by one.
fn faults_of(op: &'static Op, dtype: DType, tuples: Vec<Vec<Value>>, faults: &mut Vec<String>) -> usize {
    let (name, of) = (op.name(), ty(dtype));
    let asked: Vec<(Vec<Value>, Outcome)> = tuples.into_iter().map(|t| (t.clone(), eval(name, of, &t))).collect();
    let ask = |tuples: &[&Vec<Value>]| {
        let layout = Layout::contiguous(&[tuples.len()]);
        let column = |k: usize| -> Vec<Value> { tuples.iter().map(|tuple| tuple[k]).collect() };
        let operands: Vec<_> =
            (0..op.arity()).map(|k| (to_bytes(ty(operand(op, k, dtype)), &column(k)), &layout)).collect();
        engine(op, dtype, &operands)
    };
    let answered: Vec<_> = asked.iter().filter(|(_, outcome)| *outcome != Outcome::Refused).collect();
    match ask(&answered.iter().map(|(tuple, _)| tuple).collect::<Vec<_>>()) {
        Ok((_, got)) => {
            for ((tuple, outcome), got) in answered.iter().zip(got) {
                if !outcome.accepts(output(name, of), got) {
                    faults.push(format!("{name} {dtype} of {tuple:?}: {got:?}, want {outcome:?}"));
                }
            }
        }
        Err(error) => faults.push(format!("{name} {dtype}: {error}")),
    }
    for (tuple, _) in asked.iter().filter(|(_, outcome)| *outcome == Outcome::Refused) {
        if let Ok((_, got)) = ask(&[tuple]) {
            faults.push(format!("{name} {dtype} of {tuple:?}: {got:?}, want a refusal"));
        }
    }
    asked.len()
}

/// Shows the first few faults of each operator and dtype.
fn report(faults: &[String]) -> String {
    let mut shown: Vec<&String> = Vec::new();
    let key = |fault: &str| fault.split(" of ").next().unwrap_or_default().to_owned();
    for fault in faults {
        if shown.iter().filter(|other| key(other) == key(fault)).count() < 4 {
            shown.push(fault);
        }
    }
    format!("{} faults\n{}", faults.len(), shown.iter().map(|f| f.as_str()).collect::<Vec<_>>().join("\n"))
}

#[test]
fn every_operator_and_dtype_on_edges() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for op in operators() {
        for dtype in op.dtypes() {
            count += faults_of(op, dtype, tuples(op, dtype), &mut faults);
        }
    }
    println!("{count} answers");
    assert!(count > 100_000, "only {count} answers were compared");
    assert!(faults.is_empty(), "{}", report(&faults));
}

#[test]
fn random_shapes_and_strides() {
    let mut random = Random::new(20_260_101);
    let mut faults = Vec::new();
    let known = operators();
    for _ in 0..600 {
        let op = *random.one_of(&known);
        let dtypes: Vec<DType> = op.dtypes().collect();
        let dtype = *random.one_of(&dtypes);
        let count = if op.is_variadic() { 1 + random.below(4) } else { op.arity() };
        let (shapes, result) = random.broadcastable(count, 4, 6);
        let layouts: Vec<Layout> = shapes.iter().map(|shape| random.layout(shape)).collect();
        let buffers: Vec<Vec<Value>> = (0..count)
            .map(|k| (0..layouts[k].length()).map(|_| random.value(ty(operand(op, k, dtype)))).collect())
            .collect();
        let spread: Vec<Layout> = layouts.iter().map(|layout| layout.broadcast_to(&result)).collect();
        let operands: Vec<(&[Value], &Layout)> = buffers.iter().map(Vec::as_slice).zip(&spread).collect();
        let wanted = eval_strided(op.name(), ty(dtype), &operands);
        let bytes: Vec<(Vec<u8>, &Layout)> =
            (0..count).map(|k| (to_bytes(ty(operand(op, k, dtype)), &buffers[k]), &layouts[k])).collect();
        let refused = wanted.contains(&Outcome::Refused);
        let named = format!("{} {dtype} of {shapes:?}", op.name());
        match engine(op, dtype, &bytes) {
            Ok(_) if refused => faults.push(format!("{named}: no refusal")),
            Ok((shape, _)) if shape != result => faults.push(format!("{named}: shape {shape:?}, want {result:?}")),
            Ok((_, got)) => {
                let to = output(op.name(), ty(dtype));
                let wrong = wanted.iter().zip(&got).position(|(want, &got)| !want.accepts(to, got));
                if let Some(at) = wrong {
                    faults.push(format!("{named}: element {at} is {:?}, want {:?}", got[at], wanted[at]));
                }
                if got.len() != wanted.len() {
                    faults.push(format!("{named}: {} elements, want {}", got.len(), wanted.len()));
                }
            }
            Err(error) if !refused => faults.push(format!("{named}: {error}")),
            Err(_) => {}
        }
    }
    assert!(faults.is_empty(), "{}", report(&faults));
}

/// Functions that are not exact, on elements of every size that the dtype holds.
#[test]
fn inexact_functions_on_elements_of_every_size() {
    let (mut faults, mut count) = (Vec::new(), 0);
    let mut random = Random::new(77);
    for op in OPS.iter().filter(|op| tolerance(op.name()) > 0 && !op.is_variadic()) {
        for dtype in op.dtypes().filter(|dtype| dtype.is_float()) {
            let width = dtype.size();
            let mut element = || {
                let bits = random.bits();
                // Any bits once in two times, else a number from a sixteenth to 4096.
                let any = from_bytes(ty(dtype), &bits.to_ne_bytes())[..8 / width][0];
                let near = (bits >> 12) as f64 / 2f64.powi(52) * 2f64.powi((bits & 15) as i32 - 3);
                let near =
                    Value::Float(broadaxe_testing::oracle::round(ty(dtype), if bits & 16 == 0 { near } else { -near }));
                if random.once_in(2) { any } else { near }
            };
            let tuples = (0..400).map(|_| (0..op.arity()).map(|_| element()).collect()).collect();
            count += faults_of(op, dtype, tuples, &mut faults);
        }
    }
    println!("{count} answers");
    assert!(count > 40_000, "only {count} answers were compared");
    assert!(faults.is_empty(), "{}", report(&faults));
}

/// Asks the engine a case; `None` when it has no such operator for the dtype.
fn case_fault(case: &ArithmeticCase) -> Option<Result<(), String>> {
    let named = format!("{}: {} {} of {:?}", case.id, case.op, case.dtype, case.args);
    let op = broadaxe::find(&case.op).unwrap_or_else(|| panic!("{named}: no such operator"));
    let of = Ty::from_name(&case.dtype).unwrap_or_else(|| panic!("{named}: no such dtype"));
    let dtype = op.dtypes().find(|dtype| ty(*dtype) == of)?;
    let scalar = Layout::contiguous(&[]);
    let read = |text: &String| parse(of, text).unwrap_or_else(|| panic!("{named}: '{text}' is no element"));
    let operands: Vec<_> = case.args.iter().map(|text| (to_bytes(of, &[read(text)]), &scalar)).collect();
    let got = engine(op, dtype, &operands).map(|(_, values)| values[0]);
    let to = output(&case.op, of);
    let right = match (&case.want, &got) {
        (WantedText::Refused, Err(_)) => true,
        (WantedText::Exact(text), Ok(got)) => parse(to, text).is_some_and(|want| {
            // The zeros of the larger and the smaller of two are one.
            let zeros = ["max", "min", "fmax", "fmin"].contains(&case.op.as_str());
            if zeros { Outcome::Equal(want) } else { Outcome::Exact(want) }.accepts(to, *got)
        }),
        (WantedText::Near(text), Ok(got)) => {
            parse(to, text).is_some_and(|value| Outcome::Near { value, ulps: tolerance(&case.op) }.accepts(to, *got))
        }
        _ => false,
    };
    Some(if right { Ok(()) } else { Err(format!("{named}: want {:?}, got {got:?}", case.want)) })
}

#[test]
fn every_arithmetic_case() {
    let (mut faults, mut asked, mut without) = (Vec::new(), 0, std::collections::BTreeSet::new());
    for file in read_folder(&folder()).unwrap_or_else(|e| panic!("{e}")) {
        let Cases::Arithmetic(list) = &file.cases else { continue };
        for case in list {
            match case_fault(case) {
                Some(Ok(())) => asked += 1,
                Some(Err(fault)) => faults.push(fault),
                None => {
                    without.insert(format!("{} {}", case.op, if case.dtype == "bool" { "bool" } else { "numbers" }));
                }
            }
        }
    }
    println!("{asked} cases hold; not in the engine: {without:?}");
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    assert!(asked > 1500, "only {asked} cases were asked");
    // Logic is for bools alone, and arithmetic for all but bools.
    let mut known = vec!["logical_and numbers", "logical_xor numbers"];
    known.extend(["add bool", "sub bool", "mul bool", "div_trunc bool", "max bool", "mod_floor bool", "pow bool"]);
    known.sort_unstable();
    assert_eq!(without.into_iter().collect::<Vec<_>>(), known);
}

#[test]
fn every_cast_on_edges_and_random_elements() {
    let (mut faults, mut random) = (Vec::new(), Random::new(5));
    for from in DType::ALL {
        for to in DType::ALL {
            // The edges of both, as far as they are elements of the first, and random ones.
            let mut elements = edge_values(ty(from));
            elements.extend(edge_values(ty(to)).into_iter().map(|edge| cast(ty(to), ty(from), edge)));
            elements.extend((0..200).map(|_| random.value(ty(from))));
            let bytes = to_bytes(ty(from), &elements);
            let mut graph = Graph::new();
            let input = graph.input(from, &[elements.len()]).unwrap();
            let root = graph.cast(input, to);
            let view = View::contiguous(from, &bytes, &[elements.len()]).unwrap();
            let result = Evaluation::new(&graph, root, vec![view], Options::default()).unwrap().run().unwrap();
            for (element, got) in elements.iter().zip(from_bytes(ty(to), result.as_bytes())) {
                let want = cast(ty(from), ty(to), *element);
                if !Outcome::Exact(want).accepts(ty(to), got) {
                    faults.push(format!("{from} to {to} of {element:?}: {got:?}, want {want:?}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", report(&faults));
}
