//! Unsafe code that tests need.

#[cfg(unix)]
use super::fences::Fenced;
use super::*;
#[cfg(unix)]
use crate::dtype::DType;
use crate::executor::Scoped;
#[cfg(unix)]
use crate::{pack::CopyPlan, tile::strided_copy};

/// Runs a program whose operands share one buffer, at these offsets: those of the inputs, and the output's.
pub(super) fn run_shared(
    isa: Isa,
    program: &Program,
    nest: &Nest,
    (inputs, output): (&[usize], usize),
    buffer: &mut [u8],
    threads: usize,
) -> Result<(), Failure> {
    let (base, len) = (buffer.as_mut_ptr(), buffer.len());
    // SAFETY: the bytes are borrowed until the end of this function and only the call writes them.
    let inputs: Vec<Input> = inputs.iter().map(|&offset| unsafe { Input::from_raw(base, len, offset) }).collect();
    // SAFETY: as for the inputs.
    let output = unsafe { Output::from_raw(base, len, output) };
    run_at(isa, program, nest, &inputs, output, &Scoped(threads), None)
}

/// Copies elements between memory of these lengths, next to guard pages, from these offsets; returns both.
#[cfg(unix)]
pub(super) fn strided_copy_fenced(
    isa: Isa,
    way: &CopyPlan,
    (from, to): (&Fenced, &Fenced),
    lens: [usize; 2],
    offsets: [usize; 2],
    at_end: bool,
) -> [Vec<u8>; 2] {
    let (from, to) = (from.place(lens[0], at_end), to.place(lens[1], at_end));
    // SAFETY: the bytes are between the guard pages, and only this call accesses them; a copy that leaves them hits a
    // guard page.
    unsafe {
        (0..lens[0]).for_each(|i| from.add(i).write((i * 7 + i / 256) as u8));
        to.write_bytes(0xee, lens[1]);
        strided_copy(isa, way, from.add(offsets[0]), to.add(offsets[1]));
        [std::slice::from_raw_parts(from, lens[0]).to_vec(), std::slice::from_raw_parts(to, lens[1]).to_vec()]
    }
}

/// Copies `n` strided elements through the loop of a chain, between guard pages; returns them, if the level has such a
/// loop.
#[cfg(unix)]
pub(super) fn chain_fenced(
    isa: Isa,
    (from, to): (&Fenced, &Fenced),
    (n, apart): (usize, isize),
    at_end: bool,
) -> Option<Vec<f32>> {
    use crate::tile::{
        chain::{Ahead, ChainBlock, Link, LinkAction, OperandMode},
        chained,
    };
    let (call, len) = (chained(isa, DType::F32, false)?, (n - 1) * apart.unsigned_abs() + 1);
    let (from, to) = (from.place(4 * len, at_end), to.place(4 * n, at_end));
    let place = from.wrapping_add(if apart < 0 { 4 * (len - 1) } else { 0 }).cast_const();
    let (act, feed, table) = (LinkAction::Begin, OperandMode::Strided, std::ptr::null());
    let links =
        [Link { act, feed, rounds: false, place, step: 0, size: 4, times: 1, table, apart, ahead: Ahead::First }];
    let block = ChainBlock { links: &raw const links, rows: 1, n, out: to, out_step: 0 };
    // SAFETY: the elements and the room for their copies are between the guard pages, and only this call accesses them;
    // a loop that leaves them hits a guard page.
    unsafe {
        (0..len).for_each(|i| from.add(4 * i).cast::<f32>().write_unaligned(i as f32));
        call(&block);
        Some((0..n).map(|i| to.add(4 * i).cast::<f32>().read_unaligned()).collect())
    }
}
