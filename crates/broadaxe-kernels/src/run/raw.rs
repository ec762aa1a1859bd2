//! Unsafe code that tests need.

use super::*;
use crate::executor::Scoped;
#[cfg(unix)]
use crate::{dtype::DType, executor::Serial, loops::Kernel, tile::Call};

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

/// Runs a program of one input, with both operands, `len` bytes each, next to a guard page.
#[cfg(unix)]
pub(super) fn run_fenced(
    program: &Program,
    nest: &Nest,
    (input, offset): (&Fenced, usize),
    output: &Fenced,
    (len, at_end): (usize, bool),
) -> Result<(), Failure> {
    let (from, to) = (input.place(len, at_end), output.place(len, at_end));
    // SAFETY: the bytes are between the guard pages and only this call accesses them.
    let (input, output) = unsafe { (Input::from_raw(from, len, offset), Output::from_raw(to, len, 0)) };
    run(program, nest, &[input], output, &Serial, None)
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
        chain::{LinkAction, OperandMode},
        chained,
    };
    let (call, len) = (chained(isa, DType::F32, false)?, (n - 1) * apart.unsigned_abs() + 1);
    let (from, to) = (from.place(4 * len, at_end), to.place(4 * n, at_end));
    let place = from.wrapping_add(if apart < 0 { 4 * (len - 1) } else { 0 }).cast_const();
    let (act, feed, table) = (LinkAction::Begin, OperandMode::Strided, std::ptr::null());
    let links = vec![Link { act, feed, rounds: false, place, step: 0, size: 4, times: 1, table, apart, ahead: true }];
    let block = Block {
        n,
        rows: 1,
        places: [(&raw const links).cast(), std::ptr::null(), std::ptr::null()],
        out: to,
        ..Block::EMPTY
    };
    // SAFETY: the elements and the room for their copies are between the guard pages, and only this call accesses them;
    // a loop that leaves them hits a guard page.
    unsafe {
        (0..len).for_each(|i| from.add(4 * i).cast::<f32>().write_unaligned(i as f32));
        call(&block);
        Some((0..n).map(|i| to.add(4 * i).cast::<f32>().read_unaligned()).collect())
    }
}

/// Memory between two guard pages.
#[cfg(unix)]
pub(super) struct Fenced {
    start: *mut u8,
    len: usize,
    page: usize,
}

#[cfg(unix)]
impl Fenced {
    pub(super) fn new() -> Self {
        // SAFETY: asks for a number, and touches no memory.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: maps fresh pages at an address that the kernel chooses.
        let all = unsafe { libc::mmap(std::ptr::null_mut(), 3 * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(all, libc::MAP_FAILED, "no room for three pages");
        let start = all.cast::<u8>().wrapping_add(page);
        // SAFETY: the page in the middle is ours.
        let opened = unsafe { libc::mprotect(start.cast(), page, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(opened, 0, "a page of ours can be opened");
        // SAFETY: the page in the middle is ours and open.
        unsafe { start.write_bytes(1, page) };
        Self { start, len: page, page }
    }

    /// Returns `len` bytes that begin right after the first guard page, or end right before the second.
    fn place(&self, len: usize, at_end: bool) -> *mut u8 {
        assert!(len <= self.len, "{len} bytes do not fit {}", self.len);
        self.start.wrapping_add(if at_end { self.len - len } else { 0 })
    }
}

#[cfg(unix)]
impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: these three pages were mapped together and are not used any more.
        unsafe { libc::munmap(self.start.wrapping_sub(self.page).cast(), 3 * self.page) };
    }
}

/// Calls every loop of a kernel, and its guard, with rows of operands and result that end at a guard page, or begin at
/// one.
#[cfg(unix)]
pub(super) fn call_all(kernel: &Kernel, isa: Isa, inputs: &[Fenced; 3], output: &Fenced, n: usize, at_end: bool) {
    for constants in 0..1_u8 << kernel.inputs().len() {
        let variant = kernel.choose(constants);
        if variant.constants != constants {
            continue;
        }
        let (mut places, mut steps) = ([std::ptr::null(); 3], [0; 3]);
        for (k, dtype) in kernel.inputs().iter().enumerate() {
            steps[k] = usize::from(constants & 1 << k == 0);
            places[k] = inputs[k].place(if steps[k] == 0 { 1 } else { n } * dtype.size(), at_end).cast_const();
        }
        let out = output.place(n * kernel.output().size(), at_end);
        let block = Block { n, places, out, ..Block::EMPTY };
        let (plain, past) = (variant.versions[isa.index()], variant.past[isa.index()]);
        let sizes = [0, 1, 2].map(|k| steps[k] * kernel.inputs().get(k).map_or(0, |dtype| dtype.size()));
        let out_size = kernel.output().size();
        let calls = [None, past].map(|past| Call { plain, past, sizes, out_size });
        // SAFETY: each operand has `n` elements or one between its guard pages, and the result has room for `n`; the
        // CPU supports `isa`.
        unsafe {
            assert!(calls.iter().all(|call| !call.run(&block)), "no element is rejected");
            if let Some(guard) = kernel.guard() {
                assert_eq!((guard.first)(n, places, steps), n, "no element is rejected");
            }
        }
    }
}
