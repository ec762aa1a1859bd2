//! Reductions, held against sums and searches done one element after the other in wide arithmetic: every reduction and dtype over random
//! shapes, axes and strides, of arrays as they are and of an expression; and their accuracy.

use broadaxe::{Array, DType, Evaluation, Graph, Node, Options, Reduction, Rule, View, find};
use broadaxe_kernels::HasKernels;
use broadaxe_testing::{
    oracle::{Ty, Value, eval, from_bytes, round, to_bytes},
    random::Random,
    strided::{Layout, index_map},
};

fn ty(dtype: DType) -> Ty {
    Ty::from_name(dtype.name()).unwrap_or_else(|| panic!("the oracle knows no {dtype}"))
}

/// What a result must be.
#[derive(Debug)]
enum Wanted {
    Exact(Value),
    /// Not further from this than that.
    Near(f64, f64),
    /// Overflowed on the way, or nearly.
    Anything,
}

impl Wanted {
    fn accepts(&self, got: Value) -> bool {
        match (self, got) {
            (Self::Anything, _) => true,
            (Self::Near(want, slack), Value::Float(got)) => {
                (want.is_nan() && got.is_nan()) || *want == got || (want - got).abs() <= *slack
            }
            (Self::Exact(Value::Float(want)), Value::Float(got)) => want.is_nan() && got.is_nan() || *want == got,
            (Self::Exact(want), got) => *want == got,
            (Self::Near(..), _) => false,
        }
    }
}

/// The largest finite number of a dtype and the distance from 1 to the next number, halved.
fn limits(ty: Ty) -> (f64, f64) {
    match ty {
        Ty::F16 => (65504.0, 2f64.powi(-11)),
        Ty::BF16 => (3.389e38, 2f64.powi(-8)),
        Ty::F32 => (f64::from(f32::MAX), 2f64.powi(-24)),
        _ => (f64::MAX, 2f64.powi(-53)),
    }
}

fn float(value: Value) -> f64 {
    match value {
        Value::Bool(value) => f64::from(u8::from(value)),
        Value::Int(value) => value as f64,
        Value::Float(value) => value,
    }
}

fn whole(value: Value) -> i128 {
    match value {
        Value::Bool(value) => i128::from(value),
        Value::Int(value) => value,
        Value::Float(_) => unreachable!("integers only"),
    }
}

fn truth(value: Value) -> bool {
    float(value) != 0.0
}

/// Adds up in f64, with what each addition rounds away added up too.
fn exact(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for &x in values {
        let next: f64 = sum + x;
        lost += if f64::abs(sum) >= f64::abs(x) { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    if sum.is_finite() { sum + lost } else { sum }
}

/// Sums floats; the halves are added in f32 and rounded once.
fn sum(of: Ty, values: &[Value], divisor: f64) -> Wanted {
    let values: Vec<f64> = values.iter().map(|&value| float(value)).collect();
    let (largest, unit) = limits(of);
    let inner = if of == Ty::F64 { unit } else { limits(Ty::F32).1 };
    let (sum, size) = (exact(&values) / divisor, values.iter().map(|x| x.abs()).sum::<f64>());
    if values.iter().any(|x| !x.is_finite()) {
        let finite = values.iter().filter(|x| x.is_finite()).map(|x| x.abs()).sum::<f64>();
        return if finite < largest / 4.0 { Wanted::Exact(Value::Float(sum)) } else { Wanted::Anything };
    }
    if size >= largest / 4.0 {
        return Wanted::Anything;
    }
    let depth = (values.len() as f64 + 1.0).log2() + 18.0;
    // The smallest numbers are as far apart as a subnormal allows.
    Wanted::Near(
        sum,
        depth * inner * size / divisor.max(1.0)
            + 2.0 * unit * sum.abs()
            + 6e-8 * f64::from(u8::from(of == Ty::F16))
            + 1e-40,
    )
}

fn product(of: Ty, values: &[Value]) -> Wanted {
    let values: Vec<f64> = values.iter().map(|&value| float(value)).collect();
    let spread: f64 = values.iter().map(|x| x.abs().log2().abs()).sum();
    let room = if matches!(of, Ty::F16) { 12.0 } else { 100.0 };
    if values.iter().any(|x| x.is_nan()) {
        return Wanted::Exact(Value::Float(f64::NAN));
    }
    if !spread.is_finite() || spread > room {
        return Wanted::Anything;
    }
    let product: f64 = values.iter().product();
    Wanted::Near(product, (values.len() as f64 + 2.0) * limits(of).1 * product.abs())
}

fn best(values: &[Value], less: fn(f64, f64) -> bool, less_whole: fn(i128, i128) -> bool) -> usize {
    let mut best = 0;
    for (i, &value) in values.iter().enumerate().skip(1) {
        let beaten = match (values[best], value) {
            (Value::Float(old), Value::Float(new)) => !old.is_nan() && (new.is_nan() || less(old, new)),
            (old, new) => less_whole(whole(old), whole(new)),
        };
        if beaten {
            best = i;
        }
    }
    best
}

fn naive(reduction: Reduction, of: Ty, values: &[Value]) -> Wanted {
    let largest = || best(values, |a, b| a < b, |a, b| a < b);
    let smallest = || best(values, |a, b| a > b, |a, b| a > b);
    let wrapped = |n: i128| {
        let to = if of == Ty::Bool || of.is_signed() { Ty::I64 } else { Ty::U64 };
        Wanted::Exact(Value::Int(to.wrap(n)))
    };
    match reduction {
        Reduction::Any => Wanted::Exact(Value::Bool(values.iter().any(|&value| truth(value)))),
        Reduction::All => Wanted::Exact(Value::Bool(values.iter().all(|&value| truth(value)))),
        Reduction::Max => Wanted::Exact(values[largest()]),
        Reduction::Min => Wanted::Exact(values[smallest()]),
        Reduction::ArgMax => Wanted::Exact(Value::Int(largest() as i128)),
        Reduction::ArgMin => Wanted::Exact(Value::Int(smallest() as i128)),
        Reduction::Mean => sum(if of.is_float() { of } else { Ty::F64 }, values, values.len() as f64),
        Reduction::Sum if of.is_float() => sum(of, values, 1.0),
        Reduction::Sum => wrapped(values.iter().map(|&value| whole(value)).sum()),
        Reduction::Prod if of.is_float() => product(of, values),
        Reduction::Prod => wrapped(values.iter().fold(1, |a: i128, &b| Ty::I64.wrap(a.wrapping_mul(whole(b))))),
    }
}

/// An array of any layout, and its elements in row-major order.
struct Drawn {
    layout: Layout,
    bytes: Vec<u8>,
    elements: Vec<Value>,
}

impl Drawn {
    fn new(random: &mut Random, dtype: DType, shape: &[usize]) -> Self {
        let layout = random.layout(shape);
        let buffer: Vec<Value> = (0..layout.length()).map(|_| random.value(ty(dtype))).collect();
        let elements = layout.addresses().map(|at| buffer[at]).collect();
        Self { layout, bytes: to_bytes(ty(dtype), &buffer), elements }
    }

    fn view(&self, dtype: DType) -> View<'_> {
        let size = dtype.size();
        let strides: Vec<isize> = self.layout.strides.iter().map(|stride| stride * size as isize).collect();
        View::new(dtype, &self.bytes, &self.layout.shape, &strides, self.layout.offset * size).expect("in the buffer")
    }
}

/// Gathers the elements of each result, in row-major order.
fn sequences(elements: &[Value], shape: &[usize], axes: &[usize]) -> Vec<Vec<Value>> {
    let mut strides = vec![0; shape.len()];
    let mut count = 1;
    for axis in (0..shape.len()).rev().filter(|axis| !axes.contains(axis)) {
        strides[axis] = count as isize;
        count *= shape[axis];
    }
    let mut found = vec![Vec::new(); count];
    for (&element, at) in elements.iter().zip(index_map(shape, &strides)) {
        found[at as usize].push(element);
    }
    found
}

fn run(graph: &Graph, root: Node, views: Vec<View>, threads: usize) -> Array {
    let options = Options { threads: Some(threads), ..Options::default() };
    Evaluation::new(graph, root, views, options).and_then(|evaluation| evaluation.run()).expect("evaluates")
}

#[test]
fn every_reduction_agrees_with_the_oracle() {
    let mut random = Random::new(11);
    let mut faults = Vec::new();
    for round in 0..60 {
        let long = round % 4 == 0;
        let shape = if long { random.shape(2, 900) } else { random.shape(4, 9) };
        let axes: Vec<usize> = (0..shape.len()).filter(|_| random.once_in(2)).collect();
        let folds_none = axes.iter().any(|&axis| shape[axis] == 0);
        let signed: Vec<i64> =
            axes.iter().map(|&a| a as i64 - if random.once_in(2) { shape.len() as i64 } else { 0 }).collect();
        let keep = random.once_in(2);
        for dtype in DType::ALL {
            let x = Drawn::new(&mut random, dtype, &shape);
            let y = Drawn::new(&mut random, dtype, &shape[shape.len().min(1)..]);
            let max = find("max").filter(|op| random.once_in(2) && op.kernel(dtype).is_some());
            for reduction in Reduction::EVERY {
                let mut graph = Graph::new();
                let a = graph.input(dtype, &shape).expect("small");
                let (mut views, mut root, mut elements) = (vec![x.view(dtype)], a, x.elements.clone());
                if let Some(op) = max {
                    let b = graph.input(dtype, &y.layout.shape).expect("small");
                    views.push(y.view(dtype));
                    root = graph.op(op, &Rule::numpy(), &[a, b]).expect("broadcasts");
                    let other = y.layout.broadcast_to(&shape);
                    let all: Vec<Value> = from_bytes(ty(dtype), &y.bytes);
                    let pairs = x.elements.iter().zip(other.addresses());
                    elements = pairs
                        .map(|(&a, at)| eval("max", ty(dtype), &[a, all[at]]).value().expect("max refuses nothing"))
                        .collect();
                }
                let node = graph.reduce(reduction, root, Some(&signed), keep);
                let wanted = sequences(&elements, &shape, &axes);
                if folds_none && !reduction.takes_none() && !wanted.is_empty() {
                    assert!(node.is_err(), "{reduction:?} of nothing");
                    continue;
                }
                let node = node.expect("axes are there");
                let got = run(&graph, node, views.clone(), 1);
                assert_eq!(got.dtype(), reduction.result(dtype));
                for (i, (got, values)) in
                    from_bytes(ty(got.dtype()), got.as_bytes()).into_iter().zip(&wanted).enumerate()
                {
                    let want = naive(reduction, ty(dtype), values);
                    if !want.accepts(got) {
                        faults.push(format!(
                            "{reduction:?} of {dtype} {shape:?} along {axes:?}, result {i}: {got:?}, want {want:?}"
                        ));
                    }
                }
                for threads in [2, 3, 7] {
                    assert!(
                        run(&graph, node, views.clone(), threads).as_bytes() == got.as_bytes(),
                        "{reduction:?} {threads}"
                    );
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
}

#[test]
fn sums_lose_no_more_than_a_tree_does() {
    let mut random = Random::new(3);
    for count in [1000_usize, 100_000, 1_000_000] {
        let values: Vec<f32> = (0..count).map(|_| (random.bits() >> 40) as f32 / 1e6 - 3.0).collect();
        // 24 bits each, of like size: f64 adds them with errors far below those looked for.
        let exact: f64 = values.iter().map(|&x| f64::from(x)).sum();
        let size: f64 = values.iter().map(|&x| f64::from(x).abs()).sum();
        let halves: Vec<Value> = values.iter().map(|&x| Value::Float(round(Ty::F16, f64::from(x)))).collect();
        let exact_halves: f64 = halves.iter().map(|&x| float(x)).sum::<f64>() / count as f64;
        let narrow = Array::from_vec([count], values).expect("room");
        let mut graph = Graph::new();
        let x = graph.input(DType::F32, &[count]).expect("small");
        let sum = graph.reduce(Reduction::Sum, x, None, false).expect("folds");
        let got = f64::from(run(&graph, sum, vec![narrow.view()], 2).as_slice::<f32>().expect("f32")[0]);
        // Errors of a tree grow with its depth at the very worst, and with its root as a rule.
        let depth = (count as f64).log2() + 16.0;
        assert!((got - exact).abs() <= depth.sqrt() * 2f64.powi(-24) * size, "{count}: {got} for {exact}");

        let halves = Array::from_bytes(DType::F16, [count], &to_bytes(Ty::F16, &halves)).expect("room");
        let mut graph = Graph::new();
        let x = graph.input(DType::F16, &[count]).expect("small");
        let mean = graph.reduce(Reduction::Mean, x, None, false).expect("folds");
        let got = from_bytes(Ty::F16, run(&graph, mean, vec![halves.view()], 2).as_bytes())[0];
        let want = Value::Float(round(Ty::F16, exact_halves));
        assert_eq!(got, want, "the mean of {count} halves, rounded once");
    }
}

#[test]
fn what_is_folded_takes_no_memory() {
    let (a, b) = (Array::zeros(DType::F32, [1000, 1, 64]), Array::zeros(DType::F32, [1, 1000, 64]));
    let (a, b) = (a.expect("small"), b.expect("small"));
    let expr = broadaxe::Expr::parse("sum((a - b)**2, axis=-1)").expect("parses");
    let options = |max_bytes| Options { max_bytes: Some(max_bytes), threads: Some(2), ..Options::default() };
    let arrays = [("a", a.view()), ("b", b.view())];
    let evaluation = expr.bind(&arrays, options(6 << 20)).expect("the result has 4 MB, the slabs less than one");
    assert_eq!(evaluation.shape(), [1000, 1000]);
    assert_eq!(evaluation.report()[0].folded, Some(vec![1000, 1000, 64]));
    assert!(expr.bind(&arrays, options(4_000_000)).is_err(), "the slabs count too");
}
