//! Checks that the fused kernel of two steps gives the same bits as the steps.

use broadaxe_kernels::{
    DType, HasKernels, Input, Isa, Nest, Output, Program, Serial,
    Slot::{self, Input as I, Step as S},
    Step, find, run_at,
    tile::bytes,
};

/// The operators that are fused.
const FUSED_OPERATORS: [&str; 3] = ["add", "sub", "mul"];

fn step(name: &str, args: &[Slot]) -> Step {
    Step::new(find(name).and_then(|op| op.kernel(DType::F32)).expect("in the table"), args)
}

#[test]
fn pairs_round_like_single_steps() {
    let values = [0.0_f32, -0.0, 1.0, -3.5e-3, 7.1e20, f32::MAX, f32::MIN_POSITIVE / 8.0, f32::INFINITY, f32::NAN];
    let drawn = |salt: usize| -> Vec<f32> {
        (0..999).map(|i: usize| values[(i * (salt + 3) + i / 7 * salt) % 9] * (1.0 + (i % 13) as f32 / 7.0)).collect()
    };
    let data = [drawn(1), drawn(2), drawn(5)];
    let whole: Vec<Input> = data.iter().map(|v| Input::new(bytes(v), 0)).collect();
    let run = |isa, program: &Program, strides: [isize; 3], inputs: &[Input]| {
        let nest = Nest {
            dims: vec![999],
            output: vec![4],
            inputs: strides[..inputs.len()].iter().map(|&s| vec![s]).collect(),
        };
        let mut out = vec![0_u8; 4 * 999];
        run_at(isa, program, &nest, inputs, Output::new(&mut out, 0), &Serial, None).expect("runs");
        out
    };
    for isa in Isa::available() {
        for (one, two, k) in (0..3).flat_map(|one| (0..3).flat_map(move |two| [(one, two, 0), (one, two, 1)])) {
            for constants in 0..8_usize {
                let strides = [0, 1, 2].map(|i| if constants & 1 << i != 0 { 0 } else { 4 });
                let args = if k == 0 { [S(0), I(2)] } else { [I(2), S(0)] };
                let both = vec![step(FUSED_OPERATORS[one], &[I(0), I(1)]), step(FUSED_OPERATORS[two], &args)];
                let both = Program::new(vec![DType::F32; 3], both).expect("sound");
                assert_eq!(both.step_count(), 1, "fused");
                let got = run(isa, &both, strides, &whole);
                let alone = |name, args: &[Slot]| Program::new(vec![DType::F32; 2], vec![step(name, args)]);
                let first = run(isa, &alone(FUSED_OPERATORS[one], &[I(0), I(1)]).expect("sound"), strides, &whole[..2]);
                let args = if k == 0 { [I(0), I(1)] } else { [I(1), I(0)] };
                let inputs = [Input::new(&first, 0), whole[2]];
                let want = run(isa, &alone(FUSED_OPERATORS[two], &args).expect("sound"), [4, strides[2], 0], &inputs);
                assert!(
                    got == want,
                    "{} then {} at {k}, constants {constants:b}, {isa:?}",
                    FUSED_OPERATORS[one],
                    FUSED_OPERATORS[two]
                );
            }
        }
    }
}
