//! Measures what the scheduler believes about the machine: two nests that differ in one part of the work are timed in turn, and
//! the difference is divided by how often that part was done.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use broadaxe_kernels::{
    DType, HasKernels, Input, Isa, Kernel, Nest, Output, Program, Schedule, Serial, Slot, Step, find,
    probe::{call_loop, costs, is_chain},
};
use serde_json::{Value, json};

use crate::clock;

/// The elements that operands are made of: enough for rows that are streamed.
const LARGEST: usize = 12 << 20;

/// The time for each reading of a nest, of which there are [`REPEATS`].
const READING: Duration = Duration::from_millis(4);
const REPEATS: usize = 5;

/// A nest, with what is computed in it.
struct Work {
    kernel: &'static Kernel,
    /// Further steps, which make it a chain.
    chain: bool,
    /// Turns, rows and elements; or the loops of a schedule.
    dims: Vec<usize>,
    /// The strides of each operand in elements; the result's last.
    strides: Vec<Vec<isize>>,
    /// How the loop is called: by itself, by itself with streaming stores, or as the scheduler decides.
    call: Call,
}

/// How a loop is called.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Loop,
    Streaming,
    Scheduled,
}

/// A term, and how it is measured: `(first - share * second) / count`.
struct Experiment {
    term: &'static str,
    first: Work,
    second: Work,
    share: f64,
    count: f64,
}

/// Returns the kernel of an operator.
fn kernel(name: &str, dtype: DType) -> &'static Kernel {
    find(name).and_then(|op| op.kernel(dtype)).expect("in the table")
}

/// Rows of `n` elements with a gap after each and after each turn, for all operands alike.
fn rows(kernel: &'static Kernel, call: Call, [turns, rows, n]: [usize; 3]) -> Work {
    let (row, turn) = ((n + 16) as isize, ((n + 16) * rows + 16) as isize);
    let strides = vec![vec![turn, row, 1]; kernel.inputs().len() + 1];
    Work { kernel, chain: false, dims: vec![turns, rows, n], strides, call }
}

/// One row of `n` elements, of which the second operand has these strides over `dims`.
fn laid(kernel: &'static Kernel, chain: bool, dims: &[usize], second: &[isize]) -> Work {
    let mut dense = vec![1; dims.len()];
    for at in (1..dims.len()).rev() {
        dense[at - 1] = dense[at] * dims[at] as isize;
    }
    let mut strides = vec![dense; if chain { 4 } else { kernel.inputs().len() + 1 }];
    strides[1] = second.to_vec();
    Work { kernel, chain, dims: dims.to_vec(), strides, call: Call::Scheduled }
}

/// Lists the experiments.
fn experiments() -> Vec<Experiment> {
    let (add, halves, quotient) =
        (kernel("add", DType::F32), kernel("add", DType::F16), kernel("div_floor", DType::I32));
    let (plain, integers, wide) = (kernel("abs", DType::F32), kernel("add", DType::I32), kernel("add", DType::F64));
    let of = |term, first, second, share, count: usize| Experiment { term, first, second, share, count: count as f64 };
    // A row of n elements costs as much as two of them less one of 2 n.
    let per_row = |term, kernel, call, n| {
        of(term, rows(kernel, call, [1, 2048, n]), rows(kernel, call, [1, 1024, 2 * n]), 1.0, 1024)
    };
    let units = |turns, rows_each| Work { call: Call::Scheduled, ..rows(quotient, Call::Loop, [turns, rows_each, 16]) };
    let chain = |count, n| Work { chain: true, call: Call::Scheduled, ..laid_rows(add, count, n) };
    let second = |kernel, chain, stride| laid(kernel, chain, &[4096], &[stride]);
    let repeated = |times: usize| laid(add, true, &[4096 / times, times], &[1, 0]);
    vec![
        of("unit", units(1024, 2), units(128, 16), 1.0, 896),
        of("turn", rows(add, Call::Loop, [1024, 2, 64]), rows(add, Call::Loop, [1, 2048, 64]), 1.0, 1023),
        per_row("row", plain, Call::Loop, 16),
        per_row("row_of_groups", add, Call::Loop, 16),
        of(
            "row_of_halves",
            rows(kernel("exp", DType::F16), Call::Loop, [1, 512, 20]),
            rows(kernel("exp", DType::F16), Call::Loop, [1, 512, 640]),
            20.0 / 640.0,
            512,
        ),
        per_row("row_of_lane_blocks", halves, Call::Loop, 64),
        of("row_of_chain", chain(2048, 128), chain(1024, 256), 1.0, 1024),
        of("edges", dense_rows(add, 4096, 1000), dense_rows(add, 4096, 1024), 1000.0 / 1024.0, 4096),
        of("shared", rows(halves, Call::Loop, [1, 1024, 33]), rows(halves, Call::Loop, [1, 1024, 32]), 1.0, 1024 * 31),
        of("alone", second(integers, false, 3), second(integers, false, 1), 1.0, 4096),
        of("far_line", second(integers, false, 64), second(integers, false, 3), 1.0, 4096),
        of("repeated", repeated(4), second(add, true, 1), 1.0, 4096),
        of("repeated_often", repeated(512), second(add, true, 1), 1.0, 4096),
        of("strided_read", second(add, true, 3), second(add, true, 1), 1.0, 3 * 4096),
        of("strided_loop", second(wide, false, 3), second(wide, false, 1), 1.0, 4096),
    ]
}

/// Rows of `n` elements with gaps, in two loops.
fn laid_rows(kernel: &'static Kernel, count: usize, n: usize) -> Work {
    let row = vec![(n + 16) as isize, 1];
    Work { kernel, chain: false, dims: vec![count, n], strides: vec![row; 4], call: Call::Scheduled }
}

/// Rows without gaps, streamed by one loop.
fn dense_rows(kernel: &'static Kernel, count: usize, n: usize) -> Work {
    let strides = vec![vec![(count * n) as isize, n as isize, 1]; 3];
    Work { kernel, chain: false, dims: vec![1, count, n], strides, call: Call::Streaming }
}

/// Measures the terms. Each answer is a name, the believed cost and the measured one, in nanoseconds.
pub(crate) fn run() -> Result<Value, String> {
    let isa = Isa::current()?;
    // Small whole numbers of every dtype: no division by zero, and nothing that is slow.
    let operand = vec![1_u8; LARGEST * 4];
    let mut out = vec![0_u8; LARGEST * 4];
    let mut measured = Vec::new();
    for Experiment { term, first, second, share, count } in experiments() {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..REPEATS {
            for (work, best) in [&first, &second].into_iter().zip(&mut best) {
                let seconds = time(isa, work, &operand, &mut out).map_err(|why| format!("{term}: {why}"))?;
                *best = seconds.into_iter().fold(*best, f64::min);
            }
        }
        measured.push((term, (best[0] - share * best[1]) / count * 1e9));
    }
    let rows: Vec<Value> = costs()
        .into_iter()
        .map(|(name, believed)| {
            let own = measured.iter().find(|(term, _)| *term == name).map(|&(_, nanos)| nanos);
            json!({ "term": name, "believed_ns": believed, "measured_ns": own })
        })
        .collect();
    Ok(json!({ "terms": rows }))
}

/// Times a nest.
fn time(isa: Isa, work: &Work, operand: &[u8], out: &mut [u8]) -> Result<Vec<f64>, String> {
    let (input_dtype, output_dtype) = (work.kernel.inputs()[0], work.kernel.output());
    let bytes =
        |strides: &Vec<isize>, size: usize| strides.iter().map(|stride| stride * size as isize).collect::<Vec<_>>();
    let (own, inputs) = work.strides.split_last().expect("a result");
    let nest = Nest {
        dims: work.dims.clone(),
        output: bytes(own, output_dtype.size()),
        inputs: inputs.iter().map(|strides| bytes(strides, input_dtype.size())).collect(),
    };
    let inputs: Vec<Input> = inputs.iter().map(|_| Input::new(operand, 0)).collect();
    if work.call == Call::Scheduled {
        let schedule = work.schedule(isa, &nest)?;
        return timed(|| {
            schedule.run(&inputs, Output::new(out, 0), &Serial, None).map_err(|failure| format!("{failure:?}"))
        });
    }
    let streams = work.call == Call::Streaming;
    timed(|| match black_box(call_loop(work.kernel, isa, streams, &nest, &inputs, &Output::new(out, 0))) {
        Some(_) => Ok(()),
        None => Err("no such loop".to_owned()),
    })
}

/// Times a call.
fn timed(mut call: impl FnMut() -> Result<(), String>) -> Result<Vec<f64>, String> {
    clock::read(READING, |times| {
        let start = Instant::now();
        (0..times).try_for_each(|_| call())?;
        Ok(start.elapsed())
    })
}

impl Work {
    /// Returns what the scheduler decides, which must be what is to be measured.
    fn schedule(&self, isa: Isa, nest: &Nest) -> Result<Schedule, String> {
        let dtype = self.kernel.inputs()[0];
        let args: Vec<Slot> = (0..self.kernel.inputs().len()).map(Slot::Input).collect();
        let mut steps = vec![Step::new(self.kernel, args)];
        if self.chain {
            steps.push(Step::new(kernel("mul", dtype), [Slot::Step(0), Slot::Input(2)]));
            steps.push(Step::new(kernel("max", dtype), [Slot::Step(1), Slot::Input(0)]));
        }
        let program = Program::new(vec![dtype; nest.inputs.len()], steps).ok_or("no such program")?;
        let schedule = Schedule::at(isa, &program, nest).map_err(|failure| format!("{failure:?}"))?;
        let fits = self.chain == is_chain(&schedule);
        if fits { Ok(schedule) } else { Err(format!("the scheduler decides {:?}", schedule.decisions())) }
    }
}
