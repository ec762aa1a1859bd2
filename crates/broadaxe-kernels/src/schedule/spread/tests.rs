use super::*;
use broadaxe_op::find;

use crate::{
    dtype::DType,
    executor::{Scoped, Serial},
    isa::Isa,
    job::Failure,
    nest::Nest,
    program::{Program, Slot, Step},
    table::HasKernels,
    tile::{Input, Output, chained},
};

/// Makes a program of steps on one dtype. Each step names its operator and operands; steps are numbered after the
/// inputs.
fn program(dtype: DType, inputs: usize, steps: &[(&str, &[usize])]) -> Program {
    let slot = |&at: &usize| if at < inputs { Slot::Input(at) } else { Slot::Step(at - inputs) };
    let step = |(name, args): &(&str, &[usize])| {
        let kernel = find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
        Step::new(kernel, args.iter().map(slot).collect::<Vec<_>>())
    };
    Program::new(vec![dtype; inputs], steps.iter().map(step).collect()).expect("sound")
}

fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((u128::from(*state) * below as u128) >> 64) as usize
}

/// Draws a nest of short loops that repeat inputs, often in turn; some run backwards, or with gaps. Also returns each
/// input's offset.
fn nest(state: &mut u64, inputs: usize, size: usize) -> (Nest, Vec<usize>) {
    let mut dims = Vec::new();
    while dims.iter().product::<usize>() < MIN_SPREAD_ELEMENTS as usize {
        dims.push(2 + random(state, 8));
    }
    let turn = random(state, 2);
    let strides = |state: &mut u64, keeps: &dyn Fn(&mut u64, usize) -> bool| {
        let (mut strides, mut step, mut offset) = (vec![0; dims.len()], size as isize, 0);
        for at in (0..dims.len()).rev() {
            if keeps(state, at) {
                let back = random(state, 5) == 0;
                strides[at] = if back { -step } else { step };
                offset += if back { step * (dims[at] as isize - 1) } else { 0 };
                step *= dims[at] as isize + isize::from(random(state, 6) == 0);
            }
        }
        (strides, offset as usize)
    };
    let drawn = (0..inputs).map(|input| match random(state, 4) {
        0 => strides(state, &|state, _| random(state, 3) > 0),
        1 => strides(state, &|_, _| true),
        _ => strides(state, &|_, at| (at + input) % 2 == turn),
    });
    let (inputs, offsets) = drawn.unzip();
    let mut output = vec![size as isize; dims.len()];
    for at in (1..dims.len()).rev() {
        output[at - 1] = output[at] * dims[at] as isize;
    }
    (Nest { dims, output, inputs }, offsets)
}

/// Draws the bytes of each input: small numbers of every dtype, and an occasional zero.
fn bytes(state: &mut u64, nest: &Nest, size: usize) -> Vec<Vec<u8>> {
    let count: usize = nest.dims.iter().product();
    let rare = 1 + random(state, 5000);
    let mut number = || [u8::from(random(state, rare) > 0) * (1 + random(state, 9) as u8)];
    let mut element = || number().into_iter().chain(vec![0; size - 1]);
    nest.inputs.iter().map(|_| (0..2 * count).flat_map(|_| element()).collect()).collect()
}

/// Runs a schedule. Returns the result's bytes, if there is one, and the outcome.
fn run(schedule: &Schedule, bytes: &[Vec<u8>], offsets: &[usize], threads: usize) -> (Vec<u8>, Result<(), Failure>) {
    let inputs: Vec<_> = bytes.iter().zip(offsets).map(|(bytes, &offset)| Input::new(bytes, offset)).collect();
    let mut out = vec![0; schedule.total as usize * schedule.program.output().size()];
    let result = match threads {
        1 => schedule.run(&inputs, Output::new(&mut out, 0), &Serial, None),
        _ => schedule.run(&inputs, Output::new(&mut out, 0), &Scoped(threads), None),
    };
    (result.as_ref().map_or_else(|_| Vec::new(), |()| out), result)
}

fn programs() -> [Program; 7] {
    [
        program(DType::F32, 2, &[("add", &[0, 1])]),
        program(DType::F32, 3, &[("mul", &[0, 1]), ("sub", &[3, 2])]),
        program(DType::F16, 2, &[("mul", &[0, 1])]),
        program(DType::F64, 2, &[("sub", &[0, 1])]),
        program(DType::U8, 3, &[("clamp", &[0, 1, 2])]),
        program(DType::I32, 2, &[("add", &[0, 1]), ("div_floor", &[2, 1])]),
        program(DType::I64, 2, &[("div_trunc", &[0, 1])]),
    ]
}

#[test]
fn what_is_brought_over_inner_loops_changes_no_bit() {
    let programs = programs();
    let (mut state, mut brought, mut rejected) = (7, 0, 0);
    for round in 0..400 {
        let program = &programs[round % programs.len()];
        let (nest, offsets) = nest(&mut state, program.inputs().len(), program.output().size());
        let bytes = bytes(&mut state, &nest, program.output().size());
        let isa = Isa::available()[round % Isa::available().len()];
        let schedule = Schedule::at(isa, program, &nest).expect("sound");
        brought += usize::from(schedule.spread.is_some());
        let [one, three] = [1, 3].map(|threads| run(&schedule, &bytes, &offsets, threads));
        let plain = run(&Schedule { spread: None, ..schedule }, &bytes, &offsets, 1);
        rejected += usize::from(matches!(plain.1, Err(Failure::Rejected { .. })));
        assert!(one == plain && three == plain, "round {round} of {nest:?} at {:?}", isa.level());
    }
    assert!(brought > 100 && rejected > 10, "{brought} were brought, {rejected} rejected");
}

#[test]
fn what_is_brought_over_a_part_of_a_loop_changes_no_bit() {
    let programs = programs();
    let (mut state, mut brought) = (11, 0);
    for round in 0..400 {
        let program = &programs[round % programs.len()];
        let (nest, offsets) = nest(&mut state, program.inputs().len(), program.output().size());
        let bytes = bytes(&mut state, &nest, program.output().size());
        let isa = Isa::available()[round % Isa::available().len()];
        let mut schedule = Schedule { spread: None, ..Schedule::at(isa, program, &nest).expect("sound") };
        let plain = run(&schedule, &bytes, &offsets, 1);
        for axis in 0..schedule.dims.len() - 1 {
            let count = schedule.dims[axis];
            let Some(inner) = (2..count).find(|&inner| count.is_multiple_of(inner)) else { continue };
            let split = split(&schedule.nest, axis, inner);
            for is_chain in [false, true] {
                let Some(choice) = schedule.choice(axis + 1, split.clone(), is_chain) else { continue };
                schedule.spread = schedule.over(choice);
                brought += usize::from(schedule.spread.is_some());
                let found = run(&schedule, &bytes, &offsets, 1 + 2 * (round % 2));
                assert!(found == plain, "round {round}, {inner} of loop {axis} of {nest:?} at {:?}", isa.level());
            }
        }
    }
    assert!(brought > 100, "{brought} were brought");
}

#[test]
fn rows_that_chains_repeat_are_brought_over_rounds_past_the_caches() {
    let chain = program(DType::F32, 4, &[("sub", &[0, 1]), ("mul", &[4, 2]), ("add", &[5, 3])]);
    for (about, rows, row, brought) in [
        ("large and streamed", 1 << 20, 1001, &[1, 2][..]),
        ("whole lines", 1 << 20, 1024, &[]),
        ("in a cache", 16, 1001, &[]),
        ("as many rows as a prime number", 1_048_583, 1001, &[]),
    ] {
        let dense = vec![4 * row as isize, 4];
        let inputs = vec![dense.clone(), vec![0, 4], vec![0, 4], vec![4, 0]];
        let nest = Nest { dims: vec![rows, row], output: dense, inputs };
        for isa in Isa::available() {
            let schedule = Schedule::at(isa, &chain, &nest).expect("sound");
            let found: Vec<_> =
                schedule.spread.iter().flat_map(|spread| &spread.copies).map(|copied| copied.input).collect();
            // Without chains the column would have to be copied over all loops.
            let brought = if chained(isa, DType::F32, false).is_some() { brought } else { &[] };
            assert_eq!(found, brought, "{about} at {:?}", isa.level());
        }
    }
}

#[test]
fn only_what_is_small_beside_the_result_is_brought() {
    struct Case {
        about: &'static str,
        dims: &'static [usize],
        inputs: [&'static [isize]; 2],
        brought: &'static [usize],
    }
    #[rustfmt::skip]
    let cases = [
        Case { about: "in turn", dims: &[8, 8, 8, 8, 8, 8], inputs: [&[256, 0, 32, 0, 4, 0], &[0, 256, 0, 32, 0, 4]], brought: &[0, 1] },
        Case { about: "one whole", dims: &[8, 8, 8, 8, 8, 8], inputs: [&[131_072, 16384, 2048, 256, 32, 4], &[0, 256, 0, 32, 0, 4]], brought: &[1] },
        Case { about: "long rows", dims: &[64, 64, 64], inputs: [&[16384, 256, 4], &[256, 4, 0]], brought: &[] },
        Case { about: "few elements", dims: &[8, 8, 8, 8], inputs: [&[32, 0, 4, 0], &[0, 32, 0, 4]], brought: &[] },
        Case { about: "transposed", dims: &[256, 256], inputs: [&[1024, 4], &[4, 1024]], brought: &[] },
        Case { about: "a column with short rows", dims: &[65536, 3], inputs: [&[12, 4], &[4, 0]], brought: &[] },
    ];
    let program = program(DType::F32, 2, &[("add", &[0, 1])]);
    for Case { about, dims, inputs, brought } in cases {
        let mut output = vec![4; dims.len()];
        for at in (1..dims.len()).rev() {
            output[at - 1] = output[at] * dims[at] as isize;
        }
        let nest = Nest { dims: dims.to_vec(), output, inputs: inputs.map(<[isize]>::to_vec).to_vec() };
        for isa in Isa::available() {
            let schedule = Schedule::at(isa, &program, &nest).expect("sound");
            let found: Vec<_> =
                schedule.spread.iter().flat_map(|spread| &spread.copies).map(|copied| copied.input).collect();
            assert_eq!(found, brought, "{about} at {:?}", isa.level());
            if !brought.is_empty() {
                assert_eq!(schedule.decisions().packed, brought, "{about}");
            }
        }
    }
}
