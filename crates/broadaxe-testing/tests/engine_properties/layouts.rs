//! Operators over views of any layout, under several rules: against a naive evaluation, and the same to the bit for every
//! instruction set, number of threads and layout of the result.

use broadaxe::{Error, Evaluation, Graph, Options, Rule, View};
use broadaxe_kernels::{DType, HasKernels, Input, Isa, Kernel, Nest, OPS, Op, Output, Serial, run_at};
use broadaxe_testing::{
    oracle::{Outcome, Value, from_bytes, output, to_bytes},
    random::Random,
    strided::{Layout, eval_strided},
};

use crate::drive::{ask, operand, report, single, ty};

/// An operand in memory: where its elements lie, and the bytes there.
struct Placed {
    dtype: DType,
    layout: Layout,
    values: Vec<Value>,
    bytes: Vec<u8>,
    /// The bytes from one address of the layout to the next, and before the first; both may leave elements misaligned.
    pitch: usize,
    shift: usize,
}

impl Placed {
    fn new(random: &mut Random, dtype: DType, shape: &[usize]) -> Self {
        let layout = random.layout(shape);
        let values: Vec<Value> = (0..layout.length()).map(|_| random.value(ty(dtype))).collect();
        let size = dtype.size();
        let pitch = size + *random.one_of(&[0, 0, 0, 1, 3]);
        let shift = *random.one_of(&[0, 0, 1, 2, 7]);
        let mut bytes = vec![0xee; shift + values.len() * pitch];
        for (at, element) in to_bytes(ty(dtype), &values).chunks(size).enumerate() {
            bytes[shift + at * pitch..][..size].copy_from_slice(element);
        }
        Self { dtype, layout, values, bytes, pitch, shift }
    }

    fn offset(&self) -> usize {
        self.shift + self.layout.offset * self.pitch
    }

    fn byte_strides(&self, strides: &[isize]) -> Vec<isize> {
        strides.iter().map(|stride| stride * self.pitch as isize).collect()
    }

    fn view(&self) -> Result<View<'_>, Error> {
        View::new(self.dtype, &self.bytes, &self.layout.shape, &self.byte_strides(&self.layout.strides), self.offset())
    }
}

/// An operator, a rule, and operands that broadcast under it.
struct Case {
    op: &'static Op,
    dtype: DType,
    rule: Rule,
    operands: Vec<Placed>,
    shape: Vec<usize>,
    /// The operands' layouts over the result.
    spread: Vec<Layout>,
}

/// Draws operands' shapes and a rule; not all fit.
fn shapes(random: &mut Random, count: usize) -> (Rule, Vec<Vec<usize>>) {
    let mut full = random.shape(6, 7);
    if random.once_in(4) {
        full.truncate(2);
        full.push(500 + random.below(4500));
        let last = full.len() - 1;
        full.swap(random.below(last + 1), last);
    }
    let thin = |random: &mut Random, dims: &[usize]| -> Vec<usize> {
        dims.iter().map(|&dim| if random.once_in(4) { 1 } else { dim }).collect()
    };
    let one = random.below(full.len() + 1);
    let other = one + random.below(full.len() - one + 1);
    match random.below(6) {
        0 | 1 if count == 2 => (Rule::pdpd(one as i64), vec![full.clone(), thin(random, &full[one..other])]),
        2 | 3 if count == 2 => (Rule::ncnn(), vec![full.clone(), thin(random, &full[..one])]),
        _ => {
            let shapes = (0..count).map(|_| {
                let from = if random.once_in(2) { random.below(full.len() + 1) } else { 0 };
                thin(random, &full[from..])
            });
            (Rule::numpy(), shapes.collect())
        }
    }
}

fn draw(random: &mut Random) -> Option<Case> {
    let op = random.one_of(OPS);
    let dtypes: Vec<DType> = op.dtypes().collect();
    let dtype = *random.one_of(&dtypes);
    let (rule, shapes) = shapes(random, op.arity());
    let alignment = rule.align(&shapes.iter().map(Vec::as_slice).collect::<Vec<_>>()).ok()?;
    let shape = alignment.shape().to_vec();
    let count: usize = shape.iter().product();
    // The oracle is slow for inexact functions of f64, and its averages are of all operands.
    if count > 20_000 || (count > 300 && dtype == DType::F64 && op.ulp().is_some()) || op.is_average() {
        return None;
    }
    let operands: Vec<Placed> =
        shapes.iter().enumerate().map(|(k, shape)| Placed::new(random, operand(op, k, dtype), shape)).collect();
    let spread = operands.iter().enumerate().map(|(k, placed)| {
        if rule.name() == "numpy" {
            return placed.layout.broadcast_to(&shape);
        }
        let strides = alignment.strides_from(k, &placed.layout.strides);
        Layout { shape: shape.clone(), strides, offset: placed.layout.offset }
    });
    let spread = spread.collect();
    Some(Case { op, dtype, rule, operands, shape, spread })
}

impl Case {
    fn named(&self) -> String {
        let shapes: Vec<_> = self.operands.iter().map(|placed| &placed.layout.shape).collect();
        format!("{} {} of {shapes:?} under {}", self.op.name(), self.dtype, self.rule.name())
    }

    fn wanted(&self) -> Vec<Outcome> {
        let operands: Vec<(&[Value], &Layout)> =
            self.operands.iter().zip(&self.spread).map(|(placed, spread)| (&placed.values[..], spread)).collect();
        if operands.iter().any(|(_, spread)| spread.shape.contains(&0)) {
            return Vec::new();
        }
        let first: Vec<Value> = operands.iter().map(|(values, layout)| values[layout.offset]).collect();
        // An operator that is new to the oracle is held against itself only.
        let known = ask(self.op, self.dtype, &first) != Outcome::Unsupported;
        if known { eval_strided(self.op.name(), ty(self.dtype), &operands) } else { Vec::new() }
    }

    fn evaluate(&self, threads: usize) -> Result<Vec<u8>, Error> {
        let mut graph = Graph::new();
        let (mut nodes, mut views) = (Vec::new(), Vec::new());
        for placed in &self.operands {
            nodes.push(graph.input(placed.dtype, &placed.layout.shape)?);
            views.push(placed.view()?);
        }
        let root = graph.op(self.op, &self.rule, &nodes)?;
        let options = Options { threads: Some(threads), ..Options::default() };
        let result = Evaluation::new(&graph, root, views, options)?.run()?;
        assert_eq!(result.shape(), self.shape, "{}", self.named());
        Ok(result.as_bytes().to_vec())
    }

    fn kernel(&self) -> &'static Kernel {
        self.op.kernel(self.dtype).expect("drawn with a kernel")
    }

    /// Runs the loops unmerged, into a result of any layout, and reads that one row by row.
    fn in_any_layout(&self, isa: Isa, random: &mut Random) -> Result<Vec<u8>, String> {
        let size = self.kernel().output().size();
        let mut layout = random.layout(&self.shape);
        // A result's elements are apart: its axes of stride 0 come outermost now.
        let mut step = layout.length().max(1) as isize;
        for (stride, &dim) in layout.strides.iter_mut().zip(&self.shape).filter(|(stride, _)| **stride == 0) {
            *stride = step;
            step *= dim.max(1) as isize;
        }
        let pitch = size + *random.one_of(&[0, 0, 1]);
        let length = layout.length();
        let mut bytes = vec![0xdd; 3 + length * pitch];
        let nest = Nest {
            dims: self.shape.clone(),
            output: layout.strides.iter().map(|stride| stride * pitch as isize).collect(),
            inputs: self.operands.iter().zip(&self.spread).map(|(p, s)| p.byte_strides(&s.strides)).collect(),
        };
        let inputs: Vec<Input> = self.operands.iter().map(|p| Input::new(&p.bytes, p.offset())).collect();
        let output = Output::new(&mut bytes, 3 + layout.offset * pitch);
        run_at(isa, &single(self.kernel()), &nest, &inputs, output, &Serial, None).map_err(|e| format!("{e:?}"))?;
        let mut touched = vec![false; length];
        let mut result = Vec::new();
        for at in layout.addresses() {
            touched[at] = true;
            result.extend_from_slice(&bytes[3 + at * pitch..][..size]);
        }
        let kept = |at: usize| bytes[3 + at * pitch..][..pitch].iter().skip(if touched[at] { size } else { 0 });
        let stray = (0..length).flat_map(kept).chain(&bytes[..3]).any(|&byte| byte != 0xdd);
        if stray { Err(String::from("bytes between the result's elements were written")) } else { Ok(result) }
    }

    fn faults(&self, random: &mut Random) -> Vec<String> {
        let named = self.named();
        let wanted = self.wanted();
        if wanted.contains(&Outcome::Refused) {
            let refused = self.evaluate(1).is_err() && self.in_any_layout(Isa::available()[0], random).is_err();
            return if refused { Vec::new() } else { vec![format!("{named}: no refusal")] };
        }
        let base = match self.evaluate(1) {
            Ok(base) => base,
            Err(error) => return vec![format!("{named}: {error}")],
        };
        let to = output(self.op.name(), ty(self.dtype));
        let got = from_bytes(to, &base);
        let mut faults = Vec::new();
        if got.len() != self.shape.iter().product() {
            faults.push(format!("{named}: {} elements", got.len()));
        }
        if let Some(at) = wanted.iter().zip(&got).position(|(want, &got)| !want.accepts(to, got)) {
            let from: Vec<Value> = self
                .operands
                .iter()
                .zip(&self.spread)
                .filter_map(|(placed, spread)| Some(placed.values[spread.addresses().nth(at)?]))
                .collect();
            faults.push(format!("{named}: element {at} of {from:?} is {:?}, want {:?}", got[at], wanted[at]));
        }
        for isa in Isa::available() {
            match self.in_any_layout(isa, random) {
                Ok(bytes) if bytes == base => {}
                Ok(_) => faults.push(format!("{named}: differs in another layout at {:?}", isa.level())),
                Err(text) => faults.push(format!("{named}: {text}")),
            }
        }
        faults
    }
}

#[test]
fn random_views_under_several_rules() {
    let mut random = Random::new(20_261_121);
    let (mut faults, mut counts) = (Vec::new(), [0; 3]);
    let mut elements = 0;
    for _ in 0..5000 {
        let Some(case) = draw(&mut random) else { continue };
        // The layouts of results are drawn apart: they are as many as the CPU has levels, and the cases the same on all.
        faults.extend(case.faults(&mut Random::new(random.bits())));
        counts[["numpy", "pdpd", "ncnn"].iter().position(|&name| name == case.rule.name()).expect("drawn")] += 1;
        elements += case.shape.iter().product::<usize>();
    }
    println!("numpy, pdpd, ncnn: {counts:?} cases of {elements} elements");
    assert!(faults.is_empty(), "{}", report(&faults));
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}
