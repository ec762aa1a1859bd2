//! Tests that need unsafe code: operands that share memory, and memory that ends where an operand ends.

use super::*;
#[cfg(unix)]
use crate::family::copy;
use broadaxe_op::find;

use crate::{
    cache::Caches,
    dtype::DType,
    executor::{Scoped, Serial},
    family::cast,
    loops::Kernel,
    program::{Slot, Step},
    schedule::{Body, Prefetch, Store},
    table::HasKernels,
};

fn single(kernel: &'static Kernel) -> Program {
    let args: Vec<Slot> = (0..kernel.inputs().len()).map(Slot::Input).collect();
    Program::new(kernel.inputs().to_vec(), vec![Step::new(kernel, args)]).expect("a kernel accepts its own dtypes")
}

fn operator(name: &str, dtype: DType) -> Program {
    single(find(name).and_then(|op| op.kernel(dtype)).expect("in the table"))
}

/// A linear congruential generator; the multiplier is Knuth's.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * end as u128) >> 64) as usize
    }
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
    /// Draws strides for these dims, elements apart or not, and an offset that keeps every address at 0 or above.
    fn strides(&mut self, dims: &[usize], size: usize, apart: bool) -> (Vec<isize>, usize) {
        let mut order: Vec<usize> = (0..dims.len()).collect();
        (1..dims.len()).for_each(|i| order.swap(i, self.below(i + 1)));
        let (mut strides, mut step, mut offset) = (vec![0; dims.len()], size, self.below(9));
        for axis in order {
            if apart || self.below(4) > 0 {
                let negative = self.below(4) == 0;
                strides[axis] = if negative { -(step as isize) } else { step as isize };
                offset += if negative { step * (dims[axis] - 1) } else { 0 };
            }
            step = step * dims[axis] + [0, 0, size, 1][self.below(4)];
        }
        (strides, offset)
    }
}

/// The offsets of a program's operands in one buffer, in bytes.
struct Shared {
    nest: Nest,
    inputs: Vec<usize>,
    output: usize,
}

/// Runs a program whose operands share one buffer, and again with copies; returns both buffers.
fn both(isa: Isa, program: &Program, shared: &Shared, buffer: &[u8], threads: usize) -> [Vec<u8>; 2] {
    let mut together = buffer.to_vec();
    let result = raw::run_shared(isa, program, &shared.nest, (&shared.inputs, shared.output), &mut together, threads);
    assert_eq!(result, Ok(()), "{:?}", shared.nest);
    let mut alone = buffer.to_vec();
    let inputs: Vec<Input> = shared.inputs.iter().map(|&offset| Input::new(buffer, offset)).collect();
    let output = Output::new(&mut alone, shared.output);
    let result = run_at(isa, program, &shared.nest, &inputs, output, &Serial, None);
    assert_eq!(result, Ok(()), "{:?}", shared.nest);
    [together, alone]
}

#[test]
fn overlapping_operands_are_read_before() {
    struct Case {
        what: &'static str,
        dims: &'static [usize],
        output: (&'static [isize], usize),
        inputs: [(&'static [isize], usize); 2],
    }
    #[rustfmt::skip]
    let cases = [
        Case { what: "in place", dims: &[1000], output: (&[4], 8), inputs: [(&[4], 8), (&[4], 4096)] },
        Case { what: "in place twice", dims: &[1000], output: (&[4], 8), inputs: [(&[4], 8), (&[4], 8)] },
        Case { what: "in place, strided", dims: &[30, 30], output: (&[4, 128], 8), inputs: [(&[4, 128], 8), (&[0, 4], 8)] },
        Case { what: "in place, backwards", dims: &[1000], output: (&[-4], 4000), inputs: [(&[-4], 4000), (&[4], 4)] },
        Case { what: "one element on", dims: &[1000], output: (&[4], 8), inputs: [(&[4], 4), (&[4], 12)] },
        Case { what: "two bytes on", dims: &[1000], output: (&[4], 8), inputs: [(&[4], 6), (&[4], 10)] },
        Case { what: "the last two bytes", dims: &[1000], output: (&[4], 0), inputs: [(&[4], 3998), (&[4], 4000)] },
        Case { what: "transposed onto itself", dims: &[40, 40], output: (&[160, 4], 0), inputs: [(&[4, 160], 0), (&[160, 4], 0)] },
        Case { what: "a row of itself", dims: &[40, 40], output: (&[160, 4], 0), inputs: [(&[160, 4], 0), (&[0, 4], 160)] },
        Case { what: "an element of itself", dims: &[40, 40], output: (&[160, 4], 0), inputs: [(&[0, 0], 400), (&[160, 0], 156)] },
        Case { what: "reversed onto itself", dims: &[1000], output: (&[4], 0), inputs: [(&[-4], 3996), (&[4], 0)] },
    ];
    let buffer = Random(3).bytes(9000);
    let program = operator("sub", DType::I32);
    for isa in Isa::available() {
        for Case { what, dims, output, inputs } in &cases {
            let nest = Nest {
                dims: dims.to_vec(),
                output: output.0.to_vec(),
                inputs: inputs.iter().map(|input| input.0.to_vec()).collect(),
            };
            let shared = Shared { nest, inputs: inputs.iter().map(|input| input.1).collect(), output: output.1 };
            let [together, alone] = both(isa, &program, &shared, &buffer, 1);
            assert!(together == alone, "{what} at {:?}", isa.level());
        }
    }
}

#[test]
fn random_overlaps_are_read_before() {
    let mut random = Random(4);
    let (wide, narrow) = (single(cast(DType::U8, DType::I64)), single(cast(DType::I64, DType::U8)));
    let chain = || {
        let step = |name: &str, args: Vec<Slot>| {
            Step::new(find(name).and_then(|op| op.kernel(DType::I16)).expect("in the table"), args)
        };
        let (a, b) = (Slot::Input(0), Slot::Input(1));
        let steps =
            vec![step("add", vec![a, b]), step("mul", vec![Slot::Step(0), a]), step("sub", vec![b, Slot::Step(1)])];
        Program::new(vec![DType::I16; 2], steps).expect("sound")
    };
    let programs =
        [operator("sub", DType::I32), operator("sub", DType::U8), operator("clamp", DType::I16), wide, narrow, chain()];
    for round in 0..3000 {
        let program = &programs[random.below(programs.len())];
        let dims: Vec<usize> = (0..random.below(4)).map(|_| 1 + random.below(9)).collect();
        let (output, place) = random.strides(&dims, program.output().size(), true);
        let mut inputs: Vec<_> =
            program.inputs().iter().map(|dtype| random.strides(&dims, dtype.size(), false)).collect();
        if random.below(3) == 0 && program.inputs()[0] == program.output() {
            inputs[0] = (output.clone(), place);
        }
        let (strides, places): (Vec<_>, Vec<_>) = inputs.into_iter().unzip();
        let shared = Shared { nest: Nest { dims, output, inputs: strides }, inputs: places, output: place };
        let buffer = random.bytes(30_000);
        let isa = Isa::available()[round % Isa::available().len()];
        let [together, alone] = both(isa, program, &shared, &buffer, 1);
        assert!(together == alone, "round {round}: {:?} from {:?} to {}", shared.nest, shared.inputs, shared.output);
    }
}

#[test]
fn overlaps_do_not_depend_on_threads() {
    let count = 1_500_000;
    let buffer = Random(5).bytes(4 * (count + 2));
    let program = operator("sub", DType::I32);
    let isa = *Isa::available().last().expect("every CPU has one");
    for (first, second) in [(4, 4), (0, 4), (8, 0), (6, 2)] {
        let nest = Nest { dims: vec![count], output: vec![4], inputs: vec![vec![4], vec![4]] };
        let shared = Shared { nest, inputs: vec![first, second], output: 4 };
        for threads in [2, 3, 7] {
            let [together, alone] = both(isa, &program, &shared, &buffer, threads);
            assert!(together == alone, "inputs at {first} and {second}, {threads} threads");
        }
    }
}

/// Rows of every length, with operands that repeat in any of the loops, so that one call computes rows of rows.
#[test]
fn short_rows_are_computed_in_turns() {
    let mut random = Random(6);
    let dtypes = [DType::I8, DType::I16, DType::I32, DType::I64];
    let (mut turned, mut in_one_call) = (0, 0);
    for round in 0..600 {
        let dtype = dtypes[round % 4];
        let size = dtype.size();
        let mut dims: Vec<usize> = (0..2 + random.below(4)).map(|_| 1 + random.below(9)).collect();
        let longest = [9, 40, 200][random.below(3)];
        dims.push(1 + random.below(longest));
        let gap = random.below(3) * size;
        let dense = |keep: &[bool], gap: usize| {
            let (mut strides, mut step) = (vec![0; dims.len()], size);
            for axis in (0..dims.len()).rev().filter(|&axis| keep[axis]) {
                strides[axis] = step as isize;
                step = step * dims[axis] + if axis + 1 == dims.len() { gap } else { 0 };
            }
            (strides, step)
        };
        let (output, len) = dense(&vec![true; dims.len()], gap);
        let inputs: Vec<_> =
            (0..2).map(|_| dense(&dims.iter().map(|_| random.below(2) == 0).collect::<Vec<_>>(), 0)).collect();
        let operands: Vec<Vec<u8>> = inputs.iter().map(|&(_, len)| random.bytes(len)).collect();
        let nest =
            Nest { dims: dims.clone(), output, inputs: inputs.into_iter().map(|(strides, _)| strides).collect() };
        let isa = Isa::available()[round % Isa::available().len()];
        let schedule = Schedule::at(isa, &operator("sub", dtype), &nest).expect("sound");
        turned += usize::from(schedule.turns() > 1);
        in_one_call += usize::from(schedule.quick.is_some() && schedule.turns() > 1);
        let mut result = vec![0; len];
        let given: Vec<Input> = operands.iter().map(|bytes| Input::new(bytes, 0)).collect();
        schedule.run(&given, Output::new(&mut result, 0), &Scoped(1 + round % 3), None).expect("sound");
        // Element by element, in integers that hold every value.
        let mut want = vec![0; len];
        let number =
            |bytes: &[u8], at: usize| bytes[at..at + size].iter().rev().fold(0_u64, |n, &b| n << 8 | u64::from(b));
        for element in 0..dims.iter().product::<usize>() {
            let (mut rest, mut at) = (element, [0; 3]);
            for axis in (0..dims.len()).rev() {
                let index = rest % dims[axis];
                rest /= dims[axis];
                for (at, strides) in at.iter_mut().zip([&nest.inputs[0], &nest.inputs[1], &nest.output]) {
                    *at += index * strides[axis] as usize;
                }
            }
            let difference = number(&operands[0], at[0]).wrapping_sub(number(&operands[1], at[1]));
            want[at[2]..at[2] + size].copy_from_slice(&difference.to_le_bytes()[..size]);
        }
        assert!(result == want, "round {round}: {dtype:?} {nest:?} at {:?}", isa.level());
    }
    assert!(turned > 50 && in_one_call > 10, "{turned} took turns, {in_one_call} of them in one call");
}

/// Results that several threads keep in a shared cache are streamed by a single thread.
#[test]
fn results_do_not_depend_on_where_they_are_written() {
    let last = Caches::here().last;
    let n = last.min(48 << 20) / 10 + 777;
    let program = operator("neg", DType::F32);
    let rows = (n / 333, 333 * 4, 335 * 4);
    for (dims, output, input) in [(vec![n], vec![4], vec![4]), (vec![rows.0, 333], vec![rows.1, 4], vec![rows.2, 4])] {
        let size = dims.iter().product::<usize>() * 4;
        let nest = Nest { dims, output, inputs: vec![input] };
        let schedule = Schedule::new(&program, &nest).expect("sound");
        assert_eq!(
            schedule.store == Store::StreamedAlone,
            cfg!(target_arch = "x86_64") && last <= 48 << 20,
            "{nest:?}"
        );
        let bytes: Vec<u8> = (0..n as u32 / 333 * 335 + 333).flat_map(u32::to_le_bytes).collect();
        let ran = |threads: usize| {
            let mut result = vec![0; size];
            let output = Output::new(&mut result, 0);
            schedule.run(&[Input::new(&bytes, 0)], output, &Scoped(threads), None).expect("sound");
            result
        };
        let alone = ran(1);
        assert!(schedule.together.get().is_none());
        assert!(ran(2) == alone && ran(3) == alone);
        assert_eq!(schedule.together.get().is_some(), schedule.store == Store::StreamedAlone && schedule.parts(2) > 1);
        assert!(schedule.together.get().is_none_or(|together| together.store == Store::Cached));
    }
}

/// A few rows at a time are computed if operands come from memory: each goes to its own place.
#[test]
fn rows_of_a_unit_are_scattered_to_their_places() {
    let (rows, n) = (500, 999);
    let inputs = vec![vec![0, 1], vec![8 * n as isize, 8], vec![0, 0]];
    let nest = Nest { dims: vec![rows, n], output: vec![8, 8 * rows as isize], inputs };
    let conditions: Vec<u8> = (0..n).map(|at| u8::from(at % 3 == 1)).collect();
    let bytes: Vec<u8> = (1..=(rows * n) as u64).flat_map(u64::to_le_bytes).collect();
    for isa in Isa::available() {
        let mut schedule = Schedule::at(isa, &operator("where", DType::I64), &nest).expect("sound");
        assert!(schedule.decisions().rows > 1, "at {:?}", isa.level());
        schedule.prefetch = Prefetch { rows: vec![1], is_far: true };
        let mut result = vec![0; 8 * rows * n];
        let inputs = [Input::new(&conditions, 0), Input::new(&bytes, 0), Input::new(&[7; 8], 0)];
        schedule.run(&inputs, Output::new(&mut result, 0), &Scoped(1), None).expect("sound");
        for (at, found) in result.chunks(8).enumerate() {
            let (row, column) = (at % rows, at / rows);
            let want = if conditions[column] == 1 { &bytes[8 * (row * n + column)..][..8] } else { &[7; 8] };
            assert_eq!(found, want, "{row} {column} at {:?}", isa.level());
        }
    }
}

/// The more data is read, the smaller are the results that are streamed.
#[cfg(target_arch = "x86_64")]
#[test]
fn large_results_are_written_past_the_caches() {
    let tenth = Caches::here().last / 4 / 10;
    // The rows of the result, where a row is a tenth of the last-level cache; the arrays that are read completely; who
    // streams it.
    let cases = [
        (14, 0, (false, false)),
        (16, 0, (true, false)),
        (19, 0, (true, false)),
        (21, 0, (true, true)),
        (2, 1, (false, false)),
        (4, 1, (true, false)),
        (6, 1, (true, false)),
        (7, 1, (true, true)),
        (1, 2, (false, false)),
        (2, 2, (true, false)),
        (3, 2, (true, false)),
        (5, 2, (true, true)),
    ];
    for (rows, read, (alone, together)) in cases {
        let whole = vec![4 * tenth as isize, 4];
        // An input that is not read completely is one number.
        let input = |i: usize| if i < read { whole.clone() } else { vec![0, 0] };
        let nest = Nest { dims: vec![rows, tenth], output: whole.clone(), inputs: vec![input(0), input(1)] };
        let schedule = Schedule::new(&operator("mul", DType::F32), &nest).expect("sound");
        assert_eq!((schedule.store.streams(), schedule.store == Store::Streamed), (alone, together), "{rows} {read}");
    }
    // A row that exceeds the second-level cache is read from beyond it every time.
    let nest = Nest { dims: vec![6, tenth], output: vec![4 * tenth as isize, 4], inputs: vec![vec![0, 4], vec![0, 0]] };
    let schedule = Schedule::new(&operator("mul", DType::F32), &nest).expect("sound");
    assert_eq!(schedule.store == Store::StreamedAlone, 4 * tenth > Caches::here().second);
    // Strided elements occupy whole cache lines.
    for (apart, streams) in [(4, false), (-4, false), (12, true), (-12, true), (1000, true)] {
        let nest = Nest { dims: vec![2 * tenth], output: vec![4], inputs: vec![vec![apart], vec![0]] };
        let schedule = Schedule::new(&operator("mul", DType::F32), &nest).expect("sound");
        assert_eq!(schedule.store.streams(), streams, "{apart}");
    }
}

/// Pieces of rows along a transposed operand share cache lines of the result, wherever those begin.
#[test]
fn pieces_of_rows_take_whole_lines() {
    struct Case {
        dtype: DType,
        rows: usize,
        /// The elements between two rows of the result, and the bytes before the first.
        gap: usize,
        offset: usize,
        backwards: bool,
    }
    #[rustfmt::skip]
    let cases = [
        Case { dtype: DType::I32, rows: 131, gap: 0, offset: 0, backwards: false },
        Case { dtype: DType::I32, rows: 100, gap: 3, offset: 1, backwards: false },
        Case { dtype: DType::I64, rows: 67, gap: 8, offset: 24, backwards: false },
        Case { dtype: DType::I16, rows: 150, gap: 1, offset: 6, backwards: true },
        Case { dtype: DType::U8, rows: 200, gap: 0, offset: 13, backwards: false },
    ];
    let last = Caches::here().last.min(48 << 20);
    for Case { dtype, rows, gap, offset, backwards } in cases {
        let size = dtype.size();
        // Two inputs as large as the result, which is a sixth of the cache.
        let n = last / 6 / rows / size / 16 * 16 + 17;
        let step = ((n + gap) * size) as isize;
        let (own, turned) = ((n * size) as isize, (rows * size) as isize);
        let output = vec![if backwards { -step } else { step }, size as isize];
        let inputs = vec![vec![own, size as isize], vec![size as isize, turned]];
        let nest = Nest { dims: vec![rows, n], output, inputs };
        let bytes = |seed: usize| -> Vec<u8> { (0..rows * n * size).map(|i| (i * seed + i / 253) as u8).collect() };
        let (a, b) = (bytes(7), bytes(11));
        let number =
            |bytes: &[u8], at: usize| bytes[at..at + size].iter().rev().fold(0_u64, |n, &b| n << 8 | u64::from(b));
        let start = offset + if backwards { step as usize * (rows - 1) } else { 0 };
        let mut want = vec![1; offset + step as usize * rows];
        for (row, column) in (0..rows).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let difference =
                number(&a, (row * n + column) * size).wrapping_sub(number(&b, (column * rows + row) * size));
            let at = start.wrapping_add_signed(nest.output[0] * row as isize) + column * size;
            want[at..at + size].copy_from_slice(&difference.to_le_bytes()[..size]);
        }
        for (isa, threads) in Isa::available().into_iter().flat_map(|isa| [(isa, 1), (isa, 3)]) {
            let schedule = Schedule::at(isa, &operator("sub", dtype), &nest).expect("sound");
            assert!(
                matches!(&schedule.body, Body::Loop(own) if own.margin > 0)
                    || last < Caches::here().last
                    || cfg!(not(target_arch = "x86_64")),
                "{nest:?}"
            );
            let mut result = vec![1; want.len()];
            let inputs = [Input::new(&a, 0), Input::new(&b, 0)];
            schedule.run(&inputs, Output::new(&mut result, start), &Scoped(threads), None).expect("sound");
            assert!(result == want, "{dtype:?} {nest:?} at {:?} by {threads}", isa.level());
        }
    }
}

#[cfg(unix)]
mod fenced;

/// Strides, and the offset they start from, in bytes.
type Place = (&'static [isize], usize);

#[test]
fn layouts_that_leave_their_buffers_are_refused() {
    let program = operator("neg", DType::I32);
    #[rustfmt::skip]
    let cases: &[(&[usize], Place, Place, &str)] = &[
        (&[4], (&[4], 0), (&[4], 0), ""),
        (&[4], (&[0], 0), (&[4], 0), "share memory"),
        (&[4], (&[2], 0), (&[4], 0), "share memory"),
        (&[2, 2], (&[4, 4], 0), (&[8, 4], 0), "share memory"),
        (&[5], (&[4], 0), (&[0], 0), "the output reaches bytes 0 to 20 of a buffer of 16"),
        (&[4], (&[4], 1), (&[4], 0), "the output reaches bytes 1 to 17"),
        (&[4], (&[-4], 0), (&[4], 0), "the output reaches bytes -12 to 4"),
        (&[4], (&[-4], 12), (&[-4], 12), ""),
        (&[4], (&[4], 0), (&[8], 0), "input 0 reaches bytes 0 to 28"),
        (&[4], (&[4], 0), (&[-4], 8), "input 0 reaches bytes -4 to 12"),
        (&[4], (&[4], 0), (&[0], 12), ""),
        (&[4], (&[4], 0), (&[0], 13), "input 0 reaches bytes 13 to 17"),
        (&[4], (&[4], 0), (&[isize::MAX], 0), "input 0 reaches"),
        (&[4], (&[4], 0), (&[isize::MIN], 0), "input 0 reaches"),
        (&[4], (&[4], 0), (&[0], usize::MAX), "input 0 reaches"),
        (&[1, 4], (&[isize::MAX, 4], 0), (&[isize::MIN, 4], 0), ""),
        (&[4, 0], (&[isize::MAX, 0], 99), (&[isize::MIN, 7], 99), ""),
        (&[0, 1 << 60, 1 << 60], (&[0, 0, 0], 0), (&[0, 0, 0], 0), ""),
        (&[1 << 32, 1 << 32], (&[4, 4], 0), (&[0, 0], 0), "more elements than an address can count"),
        (&[1 << 60], (&[4], 0), (&[0], 0), "the output reaches"),
        (&[4], (&[4, 4], 0), (&[4], 0), "needs 1 strides"),
        (&[4], (&[4], 0), (&[], 0), "needs 1 strides"),
        (&[], (&[], 12), (&[], 12), ""),
        (&[], (&[], 13), (&[], 12), "the output reaches"),
    ];
    for &(dims, (output, to), (input, from), want) in cases {
        let (bytes, mut out) = ([1_u8; 16], [0_u8; 16]);
        let nest = Nest { dims: dims.to_vec(), output: output.to_vec(), inputs: vec![input.to_vec()] };
        let got = run(&program, &nest, &[Input::new(&bytes, from)], Output::new(&mut out, to), &Serial, None);
        let named = format!("{dims:?} to {output:?} at {to} from {input:?} at {from}: {got:?}");
        match got {
            Ok(()) => assert_eq!(want, "", "{named}"),
            Err(Failure::Layout(text)) => assert!(!want.is_empty() && text.contains(want), "{named}"),
            Err(failure) => panic!("{failure:?}: {named}"),
        }
        if !want.is_empty() {
            assert_eq!(out, [0; 16], "nothing is written: {named}");
        }
    }
    let none = run(
        &program,
        &Nest { dims: vec![], output: vec![], inputs: vec![] },
        &[],
        Output::new(&mut [0; 4], 0),
        &Serial,
        None,
    );
    assert!(matches!(none, Err(Failure::Layout(text)) if text.contains("1 inputs")));
}
