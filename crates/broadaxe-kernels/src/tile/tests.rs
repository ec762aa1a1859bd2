//! Tests the memory of operands, and loops with an operand that is the same in every row.

use super::*;
use crate::{
    dtype::DType,
    isa::{Isa, Level},
    loops::LANE_BLOCK_ELEMENTS,
    table::find,
};

/// Computes `turns` turns of `rows` rows of `n` halves at a level, with one operand the same for all rows of a turn.
/// The rows of the others have gaps between them. Returns the result with its gaps.
fn staying(isa: Isa, name: &str, dtype: DType, stays: usize, [turns, rows, n]: [usize; 3]) -> Vec<u16> {
    let kernel = find(name).and_then(|op| op.kernel(dtype)).expect("in the table");
    let (step, turn) = (n + 3, rows * (n + 3) + 5);
    let mixed = |factor: u16| (0..turns * turn).map(|i| (i as u16).wrapping_mul(factor)).collect::<Vec<u16>>();
    let operands = [mixed(0x6a4d), mixed(0x2b91)];
    let mut out = vec![7_u16; turns * turn];
    let mut steps = [2 * step as isize, 2 * step as isize, 0];
    steps[stays] = 0;
    let places = [operands[0].as_ptr().cast(), operands[1].as_ptr().cast(), std::ptr::null()];
    let turn_steps = [2 * turn as isize, 2 * turn as isize, 0];
    let (out_step, out_turn) = (2 * step as isize, 2 * turn as isize);
    let to = out.as_mut_ptr().cast();
    let block = Block { n, rows, turns, places, steps, turn_steps, out: to, out_step, out_turn };
    // SAFETY: every row of the operands and of the result is inside its own memory, and the CPU supports the level.
    assert!(!unsafe { kernel.choose(0).versions[isa.index()](&block) });
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

#[test]
fn buffers_are_aligned_and_zero() {
    for len in [0, 1, 63, 4096, 1 << 20] {
        let buffer = Buffer::zeroed(len).expect("small");
        assert_eq!((buffer.bytes().len(), buffer.bytes().as_ptr().addr() % ALIGNMENT), (len, 0));
        assert!(buffer.bytes().iter().all(|&byte| byte == 0));
    }
    assert!(Buffer::zeroed(usize::MAX - 3).is_none());
}
