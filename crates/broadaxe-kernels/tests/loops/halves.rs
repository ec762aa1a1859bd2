//! Checks loops of f16 and bf16 with an operand that is the same in every row.

use broadaxe_kernels::{DType, HasKernels, Input, Isa, Level, Nest, Output, find, probe::call_loop, tile};

/// The elements of f16 or bf16 that these loops compute at a time.
const LANE_BLOCK_ELEMENTS: usize = 32;

/// Computes `turns` turns of `rows` rows of `n` halves at a level, with one operand the same for all rows of a turn.
/// The rows of the others have gaps between them. Returns the result with its gaps.
fn staying(isa: Isa, name: &str, dtype: DType, stays: usize, [turns, rows, n]: [usize; 3]) -> Vec<u16> {
    let kernel = find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
    let (step, turn) = (n + 3, rows * (n + 3) + 5);
    let mixed = |factor: u16| (0..turns * turn).map(|i| (i as u16).wrapping_mul(factor)).collect::<Vec<u16>>();
    let operands = [mixed(0x6a4d), mixed(0x2b91)];
    let mut out = vec![7_u16; turns * turn];
    let strides = vec![2 * turn as isize, 2 * step as isize, 2];
    let mut inputs = vec![strides.clone(); 2];
    inputs[stays][1] = 0;
    let nest = Nest { dims: vec![turns, rows, n], output: strides, inputs };
    let operands = operands.each_ref().map(|operand| Input::new(tile::bytes(operand), 0));
    let output = Output::new(tile::bytes_mut(&mut out), 0);
    assert_eq!(call_loop(kernel, isa, false, &nest, &operands, &output), Some(false));
    out
}

#[test]
fn halves_that_stay_are_computed_as_those_that_do_not() {
    let least = Isa::of(Level::Baseline).expect("every CPU has it");
    let shapes = [
        [1, 9, LANE_BLOCK_ELEMENTS],
        [2, 4, LANE_BLOCK_ELEMENTS + 1],
        [3, 3, 100],
        [2, 5, LANE_BLOCK_ELEMENTS - 1],
        [1, 6, 128 * LANE_BLOCK_ELEMENTS],
        [2, 4, 129 * LANE_BLOCK_ELEMENTS + 7],
    ];
    for name in ["add", "sub", "mul", "div", "max", "min", "fmax", "fmin"] {
        for (dtype, shape) in [DType::F16, DType::BF16].into_iter().flat_map(|dtype| shapes.map(|shape| (dtype, shape)))
        {
            for (isa, stays) in Isa::available().into_iter().flat_map(|isa| [(isa, 0), (isa, 1)]) {
                let same = staying(isa, name, dtype, stays, shape) == staying(least, name, dtype, stays, shape);
                assert!(same, "{name} of {} over {shape:?} at {:?}, {stays} stays", dtype.name(), isa.level());
            }
        }
    }
}
