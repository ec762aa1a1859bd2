//! Compares the quick path with the ordinary one, which runs if there is a progress function.

use broadaxe_op::find;

use crate::{
    dtype::DType,
    executor::{Scoped, Serial},
    family::cast,
    isa::Isa,
    job::Failure,
    measured::QUICK_SCRATCH_BYTES,
    nest::Nest,
    program::{Program, Slot, Step},
    schedule::{Body, Schedule},
    table::HasKernels,
    tile::{Input, Output},
};

fn op(name: &str, dtype: DType, args: Vec<Slot>) -> Step {
    Step::new(find(name).and_then(|op| op.kernel(dtype)).expect("in the table"), args)
}

fn widen(from: DType, to: DType, input: usize) -> Step {
    Step::new(cast(from, to), vec![Slot::Input(input)])
}

/// Programs of several steps, or of one whose constants are repeated in a tile.
fn programs() -> Vec<Program> {
    use DType::{Bool, F16, F32, F64, I16, I32};
    use Slot::{Input, Step};
    let of = |inputs: &[DType], steps| Program::new(inputs.to_vec(), steps).expect("dtypes fit");
    vec![
        of(&[F16, F32], vec![widen(F16, F32, 0), op("add", F32, vec![Step(0), Input(1)])]),
        of(&[F32, F64], vec![widen(F32, F64, 0), op("add", F64, vec![Step(0), Input(1)])]),
        of(&[I16, I32], vec![widen(I16, F64, 0), widen(I32, F64, 1), op("sub", F64, vec![Step(0), Step(1)])]),
        of(&[I32, I32], vec![op("mul", I32, vec![Input(0), Input(0)]), op("mod_floor", I32, vec![Step(0), Input(1)])]),
        of(
            &[I32, I32, I32],
            vec![op("mod_floor", I32, vec![Input(0), Input(1)]), op("mod_floor", I32, vec![Step(0), Input(2)])],
        ),
        of(&[Bool, F32, F32], vec![op("where", F32, vec![Input(0), Input(1), Input(2)])]),
        of(
            &[F32, F32],
            vec![
                op("mul", F32, vec![Input(0), Input(1)]),
                op("exp", F32, vec![Step(0)]),
                op("sub", F32, vec![Step(1), Step(0)]),
            ],
        ),
        of(&[F32], vec![op("add", F32, vec![Input(0), Input(0)]), op("exp", F32, vec![Step(0)])]),
    ]
}

/// A linear congruential generator; the multiplier is Knuth's.
fn next(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((u128::from(*state) * end as u128) >> 64) as usize
}

#[test]
fn the_quick_way_computes_what_the_long_one_does() {
    let (mut state, mut quick, mut slow, mut rejected, mut packed) = (1, 0, 0, 0, 0);
    for round in 0..3000 {
        let program = &programs()[round % 8];
        let dims = [1 + next(&mut state, 6), 1 + next(&mut state, [5, 60, 700, 5000][round / 8 % 4])];
        let all = dims[0] * dims[1];
        let strides = |state: &mut u64, size: usize| {
            let keeps = [next(state, 3) > 0, next(state, 3) > 0];
            // One in four has its columns one after the other, and most loops read it from a packed copy.
            let steps = match next(state, 4) {
                0 => [size, if keeps[0] { size * dims[0] } else { size }],
                _ => [if keeps[1] { size * dims[1] } else { size }, size],
            };
            [0, 1].map(|axis| if keeps[axis] { steps[axis] as isize } else { 0 }).to_vec()
        };
        let inputs: Vec<_> = program.inputs().iter().map(|dtype| strides(&mut state, dtype.size())).collect();
        // Bytes below 3 are conditions, and small integers with zeros among them; as floats they are numbers near 0.
        let bytes: Vec<Vec<u8>> = program
            .inputs()
            .iter()
            .map(|dtype| {
                let few = if *dtype == DType::Bool { 2 } else { 40 };
                (0..all * dtype.size())
                    .map(|at| if at % dtype.size() == 0 { next(&mut state, few) as u8 } else { 0 })
                    .collect()
            })
            .collect();
        let size = program.output().size();
        let nest = Nest { dims: dims.to_vec(), output: vec![(dims[1] * size) as isize, size as isize], inputs };
        let isa = Isa::available()[round % Isa::available().len()];
        let schedule = Schedule::at(isa, program, &nest).expect("sound");
        assert!(schedule.quick.is_none() || schedule.scratch <= QUICK_SCRATCH_BYTES);
        let is_quick = schedule.quick.is_some() && matches!(schedule.body, Body::Tiles(_) | Body::Chain(_));
        (quick, slow) = (quick + usize::from(is_quick), slow + usize::from(!is_quick));
        packed += usize::from(schedule.quick.is_some() && !schedule.packs.is_empty());
        let run = |progress: Option<crate::executor::Progress>| {
            let mut result = vec![0xee; all * size];
            let given: Vec<Input> = bytes.iter().map(|bytes| Input::new(bytes, 0)).collect();
            let done = schedule.run(&given, Output::new(&mut result, 0), &Serial, progress);
            (done.clone().map(|()| result), done)
        };
        let [own, want] = [run(None), run(Some(&|_, _| true))];
        assert!(own == want, "round {round}: {nest:?} at {:?}", isa.level());
        rejected += usize::from(matches!(own.1, Err(Failure::Rejected { .. })));
    }
    let found = format!("{quick} quick, {packed} of all packed, {slow} slow, {rejected} rejected");
    assert!(quick > 1000 && packed > 100 && slow > 100 && rejected > 50, "{found}");
}

/// One row of several units, which one call computes unless threads share it.
#[test]
fn one_row_is_computed_at_once() {
    use DType::{F32, I32};
    let of = |dtype: DType, steps| Program::new(vec![dtype; 3], steps).expect("dtypes fit");
    let two = || vec![Slot::Input(0), Slot::Input(1)];
    let programs = [
        of(I32, vec![op("sub", I32, two())]),
        of(I32, vec![op("mod_floor", I32, two())]),
        of(F32, vec![op("neg", F32, vec![Slot::Input(0)]), op("add", F32, vec![Slot::Step(0), Slot::Input(1)])]),
    ];
    let (mut state, mut quick, mut rejected) = (1, 0, 0);
    for round in 0..60 {
        let (program, n) = (&programs[round % 3], 33_000 + next(&mut state, 60_000));
        let few = if round % 2 == 0 { 1 << 24 } else { 200 };
        let bytes = [0; 3].map(|_| {
            let least = usize::from(few > 200);
            (0..n).flat_map(|_| ((least + next(&mut state, few)) as u32).to_le_bytes()).collect::<Vec<u8>>()
        });
        let inputs = vec![vec![4], vec![if round % 5 == 0 { 0 } else { 4 }], vec![4]];
        let isa = Isa::available()[round % Isa::available().len()];
        let schedule = Schedule::at(isa, program, &Nest { dims: vec![n], output: vec![4], inputs }).expect("sound");
        quick += usize::from(schedule.quick.as_ref().is_some_and(|quick| quick.is_one_row));
        let run = |threads, progress: Option<crate::executor::Progress>| {
            let mut result = vec![0xee; n * 4];
            let given: Vec<Input> = bytes.iter().map(|bytes| Input::new(bytes, 0)).collect();
            let done = schedule.run(&given, Output::new(&mut result, 0), &Scoped(threads), progress);
            (done.clone().map(|()| result), done)
        };
        let want = run(1, Some(&|_, _| true));
        assert!(run(1, None) == want && run(2, None) == want, "round {round}: {n} at {:?}", isa.level());
        rejected += usize::from(matches!(want.1, Err(Failure::Rejected { .. })));
    }
    assert!(quick > 20 && rejected > 5, "{quick} quick, {rejected} rejected");
}
