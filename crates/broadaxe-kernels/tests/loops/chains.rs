//! Checks that a chain's result equals that of its steps.

use broadaxe_kernels::{
    DType, HasKernels, Input, Isa, Level, Nest, Output, Program, Schedule, Serial,
    Slot::{self, Input as I, Step as S},
    Step, bf16, cast, f16, find, probe,
};

/// Makes steps from names, for the dtype of their operands. `cast` casts to f32, or to the dtype that follows the name.
fn steps(inputs: &[DType], steps: &[(&str, &[Slot])]) -> Vec<Step> {
    let mut results = Vec::new();
    let mut made = Vec::new();
    for &(name, args) in steps {
        let from = match args[0] {
            I(i) => inputs[i],
            S(s) => results[s],
        };
        let kernel = match name.strip_prefix("cast") {
            Some(to) => cast(from, DType::from_name(to.trim()).unwrap_or(F)),
            None => find(name).and_then(|op| op.kernel(from)).expect("in the table"),
        };
        results.push(kernel.output());
        made.push(Step::new(kernel, args));
    }
    made
}

/// Returns bytes of elements of a dtype, with every kind of float among them.
fn drawn(dtype: DType, count: usize, salt: u64) -> Vec<u8> {
    let special = [
        0.0_f32,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::from_bits(0xffa1_2345),
        f32::MIN_POSITIVE / 8.0,
        f32::MAX,
        6e-8,
        65519.0,
    ];
    let mut state = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    let mut element = || {
        let number = if next() % 13 == 0 {
            special[next() as usize % special.len()]
        } else {
            (next() % 2000) as f32 / 100.0 - 10.0
        };
        match dtype {
            DType::F32 => number.to_bits(),
            // A third of the halves are arbitrary bit patterns.
            DType::F16 if next() % 3 != 0 => u32::from(f16::from_f32(number).to_bits()),
            DType::BF16 if next() % 3 != 0 => u32::from(bf16::from_f32(number).to_bits()),
            _ => next() as u32,
        }
    };
    (0..count).flat_map(|_| element().to_le_bytes().into_iter().take(dtype.size())).collect()
}

/// A nest, the number of elements of each input, and the byte offset of its first element.
struct Lay {
    nest: Nest,
    elements: Vec<usize>,
    offsets: Vec<usize>,
}

/// Lays out operands by patterns, one character per axis: `d` walks it, `r` walks it backwards, a digit is a step in
/// elements, `-` repeats. The output is dense.
fn lay(dims: &[usize], patterns: &[&str], program: &Program) -> Lay {
    let stride = |pattern: &str, size: usize| {
        let (mut strides, mut step, mut span, mut offset) = (vec![0; dims.len()], size, size, 0);
        for (axis, letter) in pattern.bytes().enumerate().rev() {
            step *= if letter.is_ascii_digit() { usize::from(letter - b'0') } else { 1 };
            strides[axis] =
                [step as isize, -(step as isize), 0][usize::from(letter == b'r') + 2 * usize::from(letter == b'-')];
            let reach = strides[axis].unsigned_abs() * (dims[axis] - 1);
            (span, offset) = (span + reach, offset + if letter == b'r' { reach } else { 0 });
            step *= if letter == b'-' { 1 } else { dims[axis] };
        }
        (strides, span / size, offset)
    };
    let output = stride(&"d".repeat(dims.len()), program.output().size()).0;
    let nest = Nest { dims: dims.to_vec(), output, inputs: Vec::new() };
    let mut lay = Lay { nest, elements: Vec::new(), offsets: Vec::new() };
    for (pattern, dtype) in patterns.iter().zip(program.inputs()) {
        let (strides, elements, offset) = stride(pattern, dtype.size());
        lay.nest.inputs.push(strides);
        lay.elements.push(elements);
        lay.offsets.push(offset);
    }
    lay
}

/// Runs a program at every level with buffers misaligned by `skew` bytes, and compares with the lowest level.
fn compare(about: &str, program: &Program, lay: &Lay, skew: usize) -> bool {
    let data = program.inputs().iter().zip(&lay.elements).enumerate();
    let data: Vec<_> = data.map(|(i, (&dtype, &count))| drawn(dtype, count, i as u64 + 1)).collect();
    compare_of(about, program, lay, skew, &data)
}

/// The same with these elements.
fn compare_of(about: &str, program: &Program, Lay { nest, offsets, .. }: &Lay, skew: usize, data: &[Vec<u8>]) -> bool {
    let data: Vec<_> = data.iter().map(|bytes| [&vec![0; skew], &bytes[..]].concat()).collect();
    let inputs: Vec<_> = data.iter().zip(offsets).map(|(bytes, offset)| Input::new(bytes, skew + offset)).collect();
    let len = program.output().size() * nest.dims.iter().product::<usize>();
    let run = |isa| {
        let schedule = Schedule::at(isa, program, nest).expect("sound");
        let mut out = vec![0xee; len + 128];
        schedule.run(&inputs, Output::new(&mut out, 64 - skew), &Serial, None).expect("runs");
        let outside = [&out[..64 - skew], &out[64 - skew + len..]].concat();
        assert!(outside.iter().all(|&byte| byte == 0xee), "{about}: wrote outside");
        (out, probe::is_chain(&schedule))
    };
    let (want, _) = run(Isa::of(Level::Baseline).expect("always here"));
    let mut chained = false;
    for isa in Isa::available() {
        let (got, chain) = run(isa);
        let at = got.iter().zip(&want).position(|(a, b)| a != b);
        assert_eq!(at, None, "{about} {:?} skew {skew} {isa:?}: first byte that differs", nest.dims);
        chained |= chain;
    }
    chained
}

/// Whether some level of this CPU has loops for chains.
fn have_loops() -> bool {
    Isa::available().into_iter().any(probe::has_chains)
}

const F: DType = DType::F32;

/// Programs, the dtypes of their inputs, and the layout of the inputs over two loops.
#[allow(clippy::type_complexity)]
const PROGRAMS: &[(&[DType], &[(&str, &[Slot])], &[&[&str]])] = &[
    (&[F, F], &[("mul", &[I(0), I(1)])], &[&["dd", "d-"], &["d-", "dd"]]),
    (
        &[F, F, F, F],
        &[("add", &[I(0), I(1)]), ("sub", &[I(2), S(0)]), ("div", &[S(1), I(3)])],
        &[&["dd", "-d", "d-", "dd"], &["d-", "--", "-d", "d-"], &["dd", "dd", "--", "dd"]],
    ),
    (
        &[F, F],
        &[("mul", &[I(0), I(0)]), ("mul", &[I(1), I(1)]), ("sub", &[S(0), S(1)]), ("sqrt", &[S(2)])],
        &[&["dd", "dd"], &["dd", "d-"], &["-d", "d-"]],
    ),
    (
        &[DType::U8, F, F],
        &[("cast", &[I(0)]), ("sub", &[S(0), I(1)]), ("mul", &[S(1), I(2)])],
        &[&["dd", "-d", "-d"], &["dd", "--", "d-"], &["--", "dd", "dd"], &["d-", "dd", "-d"]],
    ),
    (&[DType::I8, F], &[("cast", &[I(0)]), ("div", &[I(1), S(0)])], &[&["dd", "dd"]]),
    (&[DType::U16, F], &[("cast", &[I(0)]), ("add", &[I(1), S(0)])], &[&["dd", "d-"]]),
    (&[DType::I16, DType::F16], &[("cast", &[I(0)]), ("cast", &[I(1)]), ("sub", &[S(0), S(1)])], &[&["dd", "dd"]]),
    (&[DType::BF16, DType::I32], &[("cast", &[I(0)]), ("cast", &[I(1)]), ("mul", &[S(0), S(1)])], &[&["dd", "dd"]]),
    (
        &[DType::I16, DType::BF16, DType::F16],
        &[("cast", &[I(0)]), ("cast", &[I(1)]), ("cast", &[I(2)]), ("add", &[S(0), S(1)]), ("max", &[S(2), S(3)])],
        &[&["dd", "d-", "-d"], &["--", "dd", "d-"], &["dd", "--", "--"]],
    ),
    (&[F, F], &[("max", &[I(0), I(1)]), ("min", &[I(1), S(0)])], &[&["dd", "d-"], &["-d", "dd"]]),
    (&[F, F], &[("min", &[I(1), I(0)]), ("max", &[S(0), I(1)]), ("relu", &[S(1)])], &[&["dd", "dd"], &["dd", "d-"]]),
    (&[F, F, F], &[("clamp", &[I(0), I(1), I(2)]), ("neg", &[S(0)]), ("relu", &[S(1)])], &[&["dd", "d-", "-d"]]),
    (&[F, F], &[("squared_difference", &[I(1), I(0)]), ("reciprocal", &[S(0)])], &[&["dd", "d-"], &["d-", "dd"]]),
    (
        &[F, F],
        &[("square", &[I(0)]), ("neg", &[S(0)]), ("max", &[I(1), S(1)]), ("sub", &[I(1), S(2)]), ("abs", &[S(3)])],
        &[&["dd", "d-"], &["dd", "dd"]],
    ),
    (H, &[("rsqrt", &[I(0)]), ("mul", &[S(0), I(1)])], HALVES),
    (B, &[("rsqrt", &[I(0)]), ("mul", &[S(0), I(1)])], HALVES),
    (H, &[("mul", &[I(0), I(1)])], HALVES),
    (H, &[("sub", &[I(1), I(0)]), ("div", &[I(0), S(0)]), ("add", &[S(1), I(1)])], HALVES),
    (H, &[("mul", &[I(0), I(0)]), ("mul", &[I(1), I(1)]), ("add", &[S(0), S(1)]), ("sqrt", &[S(2)])], HALVES),
    (H, &[("squared_difference", &[I(0), I(1)]), ("max", &[S(0), I(1)]), ("neg", &[S(1)]), ("relu", &[S(2)])], HALVES),
    (H, &[("sub", &[I(1), I(0)]), ("abs", &[S(0)])], HALVES),
    (H, &[("clamp", &[I(0), I(1), I(0)]), ("square", &[S(0)]), ("reciprocal", &[S(1)])], HALVES),
    (B, &[("mul", &[I(0), I(1)])], HALVES),
    (B, &[("sub", &[I(1), I(0)]), ("div", &[I(0), S(0)]), ("add", &[S(1), I(1)])], HALVES),
    (B, &[("mul", &[I(0), I(0)]), ("mul", &[I(1), I(1)]), ("add", &[S(0), S(1)]), ("sqrt", &[S(2)])], HALVES),
    (B, &[("squared_difference", &[I(0), I(1)]), ("min", &[S(0), I(1)]), ("neg", &[S(1)]), ("relu", &[S(2)])], HALVES),
    (B, &[("sub", &[I(1), I(0)]), ("abs", &[S(0)])], HALVES),
    (B, &[("clamp", &[I(0), I(1), I(0)]), ("square", &[S(0)]), ("reciprocal", &[S(1)])], HALVES),
    (
        &[DType::F16, F],
        &[("cast", &[I(0)]), ("mul", &[S(0), I(1)]), ("neg", &[S(1)]), ("cast f16", &[S(2)])],
        &[&["dd", "d-"], &["d-", "dd"], &["-d", "dd"]],
    ),
    (&[F, F], &[("div", &[I(0), I(1)]), ("cast bf16", &[S(0)])], &[&["dd", "d-"], &["dd", "-d"], &["dd", "dd"]]),
    (
        &[DType::U8, DType::BF16, F],
        &[
            ("cast bf16", &[I(0)]),
            ("mul", &[S(0), I(1)]),
            ("cast", &[S(1)]),
            ("add", &[S(2), I(2)]),
            ("cast bf16", &[S(3)]),
        ],
        &[&["dd", "d-", "-d"], &["--", "dd", "d-"]],
    ),
];

const H: &[DType] = &[DType::F16; 2];
const B: &[DType] = &[DType::BF16; 2];
const HALVES: &[&[&str]] = &[&["dd", "dd"], &["dd", "d-"], &["-d", "dd"], &["d-", "dd"], &["dd", "--"]];

/// Strided operands are gathered while they are read if whole groups of them follow one another.
#[test]
fn chains_of_elements_apart_give_what_their_steps_give() {
    let letters = ["2", "3", "4", "5", "r"];
    let shapes =
        [[1, 127], [1, 128], [1, 129], [3, 131], [2, 257], [70, 150], [3, 1000], [400, 7], [1, 2 * (1 << 15) + 5]];
    let inputs = [F, F];
    let one = Program::new(inputs.to_vec(), steps(&inputs, &[("sub", &[I(0), I(1)])])).expect("sound");
    let list: &[(&str, &[Slot])] = &[("mul", &[I(0), I(1)]), ("div", &[I(1), S(0)])];
    let two = Program::new(inputs.to_vec(), steps(&inputs, list)).expect("sound");
    let mut chains = 0;
    for (letter, dims) in letters.iter().flat_map(|letter| shapes.iter().map(move |dims| (letter, dims))) {
        let (along, both, loose) = (format!("d{letter}"), format!("{letter}{letter}"), format!("2{letter}"));
        for patterns in [[&*along, "dd"], [&*along, "-d"], ["d-", &*both], [&*both, &*along], [&*loose, "r2"]] {
            for (program, skew) in [(&one, 0), (&two, 0), (&one, 4), (&two, 1)] {
                let about = format!("{patterns:?}");
                chains += usize::from(compare(&about, program, &lay(dims, &patterns, program), skew));
            }
        }
    }
    assert!(chains > 200 || Isa::of(Level::Avx512).is_none(), "{chains} were chains");
}

/// One loop is called several times for more operands than it follows.
#[test]
fn chains_of_many_operands_give_what_their_steps_give() {
    let mut chains = 0;
    for count in [13, 24, 40] {
        let args: Vec<_> = (1..count).map(|i| [if i == 1 { I(0) } else { S(i - 2) }, I(i)]).collect();
        let names = ["add", "sub", "max", "add", "mul", "min", "sub", "div"];
        let list: Vec<_> = args.iter().zip(names.iter().cycle()).map(|(args, &name)| (name, &args[..])).collect();
        let inputs = vec![F; count];
        let program = Program::new(inputs.clone(), steps(&inputs, &list)).expect("sound");
        let patterns: Vec<_> = ["dd", "dd", "-d", "d3", "dd", "d-", "dr"].into_iter().cycle().take(count).collect();
        for dims in [[1, 1030], [3, 1000], [40, 129], [2, 35_000], [300, 7]] {
            for skew in [0, 4] {
                chains += usize::from(compare("many operands", &program, &lay(&dims, &patterns, &program), skew));
            }
        }
    }
    assert!(chains > 10 || !have_loops(), "{chains} were chains");
}

#[test]
fn chains_give_what_their_steps_give() {
    let shapes: &[[usize; 2]] = &[
        [1, 1],
        [1, 7],
        [5, 13],
        [1, 63],
        [40, 2],
        [3, 64],
        [3, 65],
        [150, 3],
        [37, 5],
        [90, 7],
        [11, 16],
        [9, 33],
        [2, 1000],
        [40, 100],
        [30, 127],
        [30, 128],
        [31, 129],
        [20, 250],
        [300, 40],
        [7000, 3],
    ];
    let mut chains = 0;
    for &(inputs, list, patterns) in PROGRAMS {
        let program = Program::new(inputs.to_vec(), steps(inputs, list)).expect("sound");
        for (dims, pattern) in shapes.iter().flat_map(|dims| patterns.iter().map(move |pattern| (dims, pattern))) {
            for skew in [0, 4, 20, 3] {
                let about = format!("{inputs:?} {list:?} {pattern:?}");
                chains += usize::from(compare(&about, &program, &lay(dims, pattern, &program), skew));
            }
        }
    }
    let least = if Isa::of(Level::Avx512).is_some() { 501 } else { usize::from(have_loops()) };
    assert!(chains >= least, "{chains} were chains");
}

/// Streaming stores give the same result, for rows that start anywhere in a cache line.
#[test]
fn long_chains_give_what_their_steps_give() {
    let rows = probe::last_cache_bytes().min(48 << 20) / 4 / 333 + 1;
    for (pattern, dims, skews) in [
        (["dd", "d-"], [rows, 333], &[0, 4, 1][..]),
        (["dd", "-d"], [rows, 333], &[4]),
        (["dd", "d-"], [rows * 111, 3], &[0, 1]),
        (["dd", "dr"], [rows, 333], &[4]),
        (["dd", "23"], [rows, 333], &[0]),
    ] {
        let inputs = [DType::U8, F];
        let list = steps(&inputs, &[("cast", &[I(0)]), ("sub", &[S(0), I(1)])]);
        let program = Program::new(inputs.to_vec(), list).expect("sound");
        for &skew in skews {
            compare("streamed", &program, &lay(&dims, &pattern, &program), skew);
        }
    }
    for (dtype, skew) in [(DType::F16, 0), (DType::F16, 2), (DType::BF16, 1)] {
        let list = steps(&[dtype; 2], &[("mul", &[I(0), I(1)]), ("add", &[S(0), I(1)]), ("sub", &[S(1), I(1)])]);
        let program = Program::new(vec![dtype; 2], list).expect("sound");
        compare("halves streamed", &program, &lay(&[rows, 666], &["dd", "d-"], &program), skew);
    }
}

/// Combines every number of 16 bits with some others, of every kind.
#[test]
fn halves_are_rounded_like_single_steps() {
    let others = [
        0_u16, 0x8000, 1, 0x8001, 0x3c00, 0x3c01, 0x3f81, 0xbf80, 0x7bff, 0xfbff, 0x7f7f, 0x7c00, 0x7f80, 0xff80,
        0x7c01, 0xffff,
    ];
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let others: Vec<u8> = others.into_iter().flat_map(u16::to_le_bytes).collect();
    let names = ["add", "sub", "mul", "div", "max", "min", "squared_difference"];
    let single = ["sqrt", "relu", "square", "reciprocal"];
    // Chains of several steps are used only for streamed results or wide vectors.
    let pays = have_loops() && (Isa::of(Level::Avx512).is_some() || probe::last_cache_bytes() <= 1 << 20);
    for (dtype, name) in [DType::F16, DType::BF16].into_iter().flat_map(|dtype| names.map(|name| (dtype, name))) {
        for args in [[I(0), I(1)], [I(1), I(0)]] {
            let list = [(name, &args[..]), ("add", &[S(0), I(1)]), ("max", &[S(1), I(1)])];
            // As a single loop, and in a chain.
            for (count, want) in [(1, false), (3, pays)] {
                let program = Program::new(vec![dtype; 2], steps(&[dtype; 2], &list[..count])).expect("sound");
                let lay = lay(&[others.len() / 2, 1 << 16], &["-d", "d-"], &program);
                let chained = compare_of(name, &program, &lay, 0, &[all.clone(), others.clone()]);
                assert!(chained == want || chained && name == "squared_difference", "{name} of {dtype}, {count} steps");
            }
        }
    }
    for (dtype, name) in [DType::F16, DType::BF16].into_iter().flat_map(|dtype| single.map(|name| (dtype, name))) {
        let list = [(name, &[I(0)][..]), ("mul", &[S(0), I(0)]), ("add", &[S(1), I(0)])];
        for count in [1, 3] {
            let program = Program::new(vec![dtype], steps(&[dtype], &list[..count])).expect("sound");
            compare_of(name, &program, &lay(&[1 << 16], &["d"], &program), 0, std::slice::from_ref(&all));
        }
    }
}
