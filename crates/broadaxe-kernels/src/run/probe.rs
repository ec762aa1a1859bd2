//! Shows the tests in `tests/loops/` what the public interface hides. They cannot be unit tests, which have only the
//! loops that `op/unit_tests.rs` lists.

use crate::{
    cache::Caches,
    dtype::DType,
    isa::{Block, Isa},
    loops::Kernel,
    machine::Costs,
    nest::{Nest, reach},
    schedule::{Body, Schedule},
    tile::{Call, Input, Output, chained},
};

/// Says whether one loop computes all steps of a program as a chain.
pub fn is_chain(schedule: &Schedule) -> bool {
    matches!(schedule.body, Body::Chain(_))
}

/// Lists what the scheduler believes that parts of its work cost: names, and nanoseconds.
pub fn costs() -> Vec<(&'static str, f64)> {
    Costs::here().list().map(|(_, name, nanos)| (name, nanos)).collect()
}

/// Says whether a level has loops for chains.
pub fn has_chains(isa: Isa) -> bool {
    chained(isa, DType::F32, false).is_some()
}

/// Returns the size of the last-level cache in bytes.
pub fn last_cache_bytes() -> usize {
    Caches::here().last
}

/// Calls the loop of a kernel over turns, rows and elements, the three dims of the nest, and then its guard over the
/// first row. An operand with an inner stride of 0 is constant. Returns whether an element was rejected, or `None` if the
/// kernel has no loop for these constants, or no streaming one if `streams`.
///
/// # Panics
/// If an operand or the result leaves its buffer, if its elements are not contiguous, or if the buffers overlap.
pub fn call_loop(
    kernel: &Kernel,
    isa: Isa,
    streams: bool,
    nest: &Nest,
    inputs: &[Input],
    output: &Output,
) -> Option<bool> {
    let &[turns @ 1..=usize::MAX, rows @ 1..=usize::MAX, n] = &nest.dims[..] else {
        panic!("{:?} are no turns and rows", nest.dims)
    };
    let (dtypes, out_size) = (kernel.inputs(), kernel.output().size());
    assert!(inputs.len() == dtypes.len() && nest.inputs.len() == dtypes.len() && nest.output[2] != 0, "{nest:?}");
    check(&nest.dims, &nest.output, out_size, (output.offset, output.len));
    let (mut block, mut constants, mut sizes) = (Block { n, rows, turns, ..Block::EMPTY }, 0, [0; 3]);
    for (k, (input, strides)) in inputs.iter().zip(&nest.inputs).enumerate() {
        check(&nest.dims, strides, dtypes[k].size(), (input.offset, input.len));
        let (from, to) = (input.base.addr(), output.base.addr());
        assert!(from + input.len <= to || to + output.len <= from, "input {k} overlaps the result");
        block.places[k] = input.base.wrapping_add(input.offset);
        (block.turn_steps[k], block.steps[k], sizes[k]) = (strides[0], strides[1], strides[2] as usize);
        constants |= u8::from(strides[2] == 0) << k;
    }
    block.out = output.base.wrapping_add(output.offset);
    (block.out_turn, block.out_step) = (nest.output[0], nest.output[1]);
    let loops = kernel.choose(constants, isa);
    let past = loops.past.filter(|_| streams);
    if loops.constants != constants || past.is_some() != streams {
        return None;
    }
    let call = Call { plain: loops.plain, past, sizes, out_size };
    let steps = sizes.map(|size| usize::from(size != 0));
    // SAFETY: every element of the nest is inside its buffer, and the CPU supports `isa`.
    let rejected = unsafe { call.run(&block) };
    // SAFETY: as above.
    Some(rejected | kernel.guard().is_some_and(|guard| unsafe { (guard.first)(n, block.places, steps) } != n))
}

/// Panics if an operand leaves its buffer, or if its elements are neither contiguous nor one.
fn check(dims: &[usize], strides: &[isize], size: usize, (offset, len): (usize, usize)) {
    assert!(strides.len() == dims.len() && [0, size as isize].contains(&strides[2]), "{strides:?}");
    if dims[2] > 0 {
        let (low, high) = reach(dims, strides, size).expect("an address counts them");
        assert!(low + offset as isize >= 0 && high + offset as isize <= len as isize, "{strides:?} leave {len} bytes");
    }
}
