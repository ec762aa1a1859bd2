//! Asks a kernel for many results and keeps the worst.

use broadaxe_kernels::{
    Buffer, DType, Element, Input, Kernel, Nest, Output, Program, Serial, Slot, Step, math, run,
    tile::{bytes, elements},
};

use crate::{
    distance::{from_double, from_wide, narrow},
    draw::{Random, corners, edges},
    rows::{Binary, Line, Reference, Row, Unary},
    wide::{Wide, big},
};

/// Counts the elements that a kernel is given at once.
const BLOCK: usize = 1 << 13;
/// The number of points from which on all f32 are asked.
const ALL: u64 = 100_000_000;
/// Says at which drawn points the reference of 160 bits is asked even if nothing differs.
const SAMPLE: usize = 1 << 12;

/// Says what is measured, and which part of it.
pub(crate) struct Job {
    pub(crate) line: &'static Line,
    pub(crate) dtype: DType,
    pub(crate) kernel: &'static Kernel,
    pub(crate) points: u64,
    pub(crate) part: u64,
    pub(crate) parts: u64,
}

/// Sees the result at a pair, which has an index in its block.
type Judge<'a> = dyn FnMut(usize, &mut Finding, [f64; 2], f64) + 'a;

/// Holds the worst error and where it was found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Finding {
    pub(crate) worst: f64,
    pub(crate) place: [f64; 2],
    pub(crate) asked: u64,
    /// Is the worst error of the quick reference, where it was measured itself.
    pub(crate) reference: f64,
}

impl Finding {
    /// Merges the larger errors of another part.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.worst > self.worst {
            (self.worst, self.place) = (other.worst, other.place);
        }
        self.asked += other.asked;
        self.reference = self.reference.max(other.reference);
    }

    fn see(&mut self, far: f64, place: [f64; 2]) {
        if far > self.worst {
            (self.worst, self.place) = (far, place);
        }
    }
}

/// Runs a kernel over dense operands.
struct Asker {
    program: Program,
    output: Buffer,
}

impl Asker {
    fn new(kernel: &'static Kernel) -> Result<Self, String> {
        let args: Vec<Slot> = (0..kernel.inputs().len()).map(Slot::Input).collect();
        let program = Program::new(kernel.inputs().to_vec(), vec![Step::new(kernel, args)]);
        let output = Buffer::zeroed(BLOCK * 8);
        Ok(Self { program: program.ok_or("no program")?, output: output.ok_or("no memory")? })
    }

    fn ask<T: Element>(&mut self, operands: &[&[T]]) -> Result<&[T], String> {
        let (count, size) = (operands[0].len(), size_of::<T>() as isize);
        let nest =
            Nest { dims: vec![count], output: vec![size], inputs: operands.iter().map(|_| vec![size]).collect() };
        let inputs: Vec<Input> = operands.iter().map(|x| Input::new(bytes(x), 0)).collect();
        let output = &mut self.output.bytes_mut()[..count * size_of::<T>()];
        run(&self.program, &nest, &inputs, Output::new(output, 0), &Serial, None).map_err(|e| format!("{e:?}"))?;
        elements(&self.output.bytes()[..count * size_of::<T>()]).ok_or_else(|| "no elements".into())
    }
}

/// Measures one part.
pub(crate) fn measure(job: &Job) -> Result<Finding, String> {
    let mut asker = Asker::new(job.kernel)?;
    match (job.line.2, job.dtype) {
        (Row::One { narrow, parity, .. }, DType::F32) => every_f32(job, &mut asker, narrow, parity),
        (Row::One { wide, .. }, _) => unary(job, &mut asker, wide),
        (Row::Two { narrow, .. }, DType::F32) => pairs(job, &mut asker, &mut |_, finding, [x, y], ours: f64| {
            finding.see(crate::distance::narrow(ours as f32, narrow(x, y)), [x, y]);
        }),
        (Row::Two { wide, .. }, _) => {
            let mut big = Wide::new()?;
            pairs(job, &mut asker, &mut |index, finding, place, ours| {
                judge(&mut big, wide, index, finding, place, ours);
            })
        }
    }
}

/// Measures at every f32, or in equal steps of bits if fewer than `ALL` points are asked for.
///
/// The reference is asked once for x and -x where that is enough.
fn every_f32(job: &Job, asker: &mut Asker, reference: fn(f64) -> f64, parity: i8) -> Result<Finding, String> {
    let step = if job.points < ALL { ((1 << 32) / job.points.max(2)) | 1 } else { 1 };
    let count = (1 << 31) / step;
    let mut finding = Finding::default();
    let mut first = job.part * BLOCK as u64;
    while first < count {
        let indices = first..count.min(first + BLOCK as u64);
        let x: Vec<f32> = indices.map(|index| f32::from_bits((index * step) as u32)).collect();
        let negative: Vec<f32> = x.iter().map(|x| -x).collect();
        let exact: Vec<f64> = x.iter().map(|&x| reference(x.into())).collect();
        for (&ours, (&x, &exact)) in asker.ask(&[&x])?.iter().zip(x.iter().zip(&exact)) {
            finding.see(narrow(ours, exact), [x.into(), 0.0]);
        }
        for (&ours, (&x, &exact)) in asker.ask(&[&negative])?.iter().zip(negative.iter().zip(&exact)) {
            let exact = if parity == 0 { reference(x.into()) } else { exact * f64::from(parity) };
            finding.see(narrow(ours, exact), [x.into(), 0.0]);
        }
        finding.asked += 2 * x.len() as u64;
        first += job.parts * BLOCK as u64;
    }
    Ok(finding)
}

/// Measures a function of one f64 at the edges and at drawn points.
fn unary(job: &Job, asker: &mut Asker, reference: Unary) -> Result<Finding, String> {
    let mut wide = Wide::new()?;
    let mut finding = Finding::default();
    let mut random = Random(job.part << 32);
    let mut edges = if job.part == 0 { edges() } else { Vec::new() };
    let share = job.points / job.parts;
    let mut block = Vec::with_capacity(BLOCK);
    while finding.asked < share || !edges.is_empty() {
        block.clear();
        if edges.is_empty() {
            block.extend((0..BLOCK).map(|kind| random.number(kind, job.line.1)));
        } else {
            block.extend(edges.drain(..edges.len().min(BLOCK)));
        }
        for (index, (&ours, &x)) in asker.ask(&[&block])?.iter().zip(&block).enumerate() {
            finding.asked += 1;
            match reference {
                _ if !x.is_finite() => {}
                Reference::Double(sum) => finding.see(from_double(ours, sum(x)), [x, 0.0]),
                Reference::Close(quick, slow) => {
                    let near = math::canonical64(quick(x));
                    if near.to_bits() != ours.to_bits() || index.is_multiple_of(SAMPLE) {
                        let exact = slow(&mut wide, &big(x));
                        finding.see(from_wide(ours, &exact), [x, 0.0]);
                        finding.reference = finding.reference.max(from_wide(near, &exact));
                    }
                }
            }
        }
    }
    Ok(finding)
}

/// Compares one result of two f64.
fn judge(wide: &mut Wide, reference: Binary, index: usize, finding: &mut Finding, place: [f64; 2], ours: f64) {
    let [x, y] = place;
    match reference {
        Reference::Double(sum) => finding.see(from_double(ours, sum(x, y)), place),
        Reference::Close(quick, slow) => {
            let near = math::canonical64(quick(x, y));
            if near.to_bits() != ours.to_bits() || index.is_multiple_of(SAMPLE) {
                let exact = slow(wide, &big(x), &big(y));
                finding.see(from_wide(ours, &exact), place);
                finding.reference = finding.reference.max(from_wide(near, &exact));
            }
        }
    }
}

/// Says whether a pair is measured.
///
/// Sums of logarithms are not where the two parts cancel; angles are not on the axis, where they are exact.
fn is_claimed(name: &str, [x, y]: [f64; 2], result: f64) -> bool {
    x.is_finite()
        && y.is_finite()
        && match name {
            "logaddexp" | "logaddexp2" => 128.0 * result.abs() >= x.abs().max(y.abs()),
            "atan2" => x != 0.0,
            _ => true,
        }
}

/// Measures a function of two numbers at pairs of corners and at drawn pairs.
fn pairs(job: &Job, asker: &mut Asker, judge: &mut Judge) -> Result<Finding, String> {
    let name = job.line.0;
    let mut finding = Finding::default();
    let mut random = Random(job.part << 32);
    let corners = if job.part == 0 { corners() } else { Vec::new() };
    let mut edges: Vec<(f64, f64)> = corners.iter().flat_map(|&x| corners.iter().map(move |&y| (x, y))).collect();
    let share = job.points / job.parts;
    while finding.asked < share || !edges.is_empty() {
        let drawn = |kind| {
            let x = random.number(kind, job.line.1);
            (x, random.second(name, x, kind, job.line.1))
        };
        let (mut xs, mut ys): (Vec<f64>, Vec<f64>) = if edges.is_empty() {
            (0..BLOCK).map(drawn).unzip()
        } else {
            edges.drain(..edges.len().min(BLOCK)).unzip()
        };
        let results: Vec<f64> = if job.dtype == DType::F32 {
            let [x, y] = [&xs, &ys].map(|numbers| numbers.iter().map(|&x| x as f32).collect::<Vec<f32>>());
            (xs, ys) = (x.iter().map(|&x| x.into()).collect(), y.iter().map(|&y| y.into()).collect());
            asker.ask(&[&x, &y])?.iter().map(|&ours| ours.into()).collect()
        } else {
            asker.ask(&[&xs, &ys])?.to_vec()
        };
        for (index, &ours) in results.iter().enumerate() {
            finding.asked += 1;
            let place = [xs[index], ys[index]];
            if is_claimed(name, place, ours) {
                judge(index, &mut finding, place, ours);
            }
        }
    }
    Ok(finding)
}
