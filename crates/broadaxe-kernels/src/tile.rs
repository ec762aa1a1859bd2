//! Tiles: the loops over their elements, the strided copies that fill them, and the memory of operands.
//!
//! A tile is a run of contiguous elements that fits in the first-level cache. Operands that are contiguous or constant
//! are used in place. Others are gathered into a scratch tile by `strided_copy`, for any number of inner axes with any
//! strides. It also scatters a finished tile into a strided result; `pack.rs` plans these copies.
//!
//! Memory that others may write at the same time is read through raw pointers only, without a reference to an element.

mod block;
mod buffer_pool;
mod memory;
mod permuted;
mod square;
mod strided_copy;
mod streaming;
pub(crate) mod halves;
pub(crate) mod memory_bound;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vectors;
pub(crate) mod strided;
pub(crate) mod chain;
pub(crate) mod powers;
pub(crate) mod shared;
#[cfg(target_arch = "x86_64")]
mod chain_loop;

use std::{marker::PhantomData, mem::MaybeUninit};

use crate::{
    dtype::Element,
    isa::{Block, LoopCode},
    loops::{Binary, ByPrecomputed, Rejects, Ternary, Unary},
    math::float_n::Fma,
    measured::{MAX_GROUPS, NEAR_BLOCK_ELEMENTS, RARE_BLOCK_ELEMENTS},
    number::Integer,
};
pub use block::ALIGNMENT;
pub use buffer_pool::{pool_limit, release, set_default_pool_limit, set_pool_limit};
#[cfg(target_arch = "x86_64")]
pub(crate) use chain_loop::chained;
pub use memory::{Buffer, Input, Output, bytes, bytes_mut, elements, elements_mut};
pub(crate) use memory::{Rows, lend, lend_mut, read};
pub(crate) use streaming::Call;
#[cfg(target_arch = "x86_64")]
pub(crate) use streaming::Streamed;
pub(crate) use strided_copy::strided_copy;

/// One operand, constant if `C` is 1.
pub(crate) struct One<O, T, const C: u8>(PhantomData<(O, T)>);
/// Two operands, of which those with a bit in `C` are constant.
pub(crate) struct Two<O, T, const C: u8>(PhantomData<(O, T)>);
/// Two operands, without the pairs that `R` rejects.
pub(crate) struct Guarded<O, R, T, const C: u8>(PhantomData<(O, R, T)>);
/// Two operands, the second constant, not 0, and precomputed once for a row; products and sums as `M` does them best.
pub(crate) struct TwoPrecomputed<O, T, M>(PhantomData<(O, T, M)>);
/// Three operands, of which those with a bit in `C` are constant.
pub(crate) struct Three<O, A, T, const C: u8>(PhantomData<(O, A, T)>);

/// An element at any address.
#[repr(C, packed)]
pub(crate) struct Unaligned<T>(T);

/// A row of a result, borrowed exclusively, so that the compiler knows that it overlaps no operand.
pub(crate) type OutputRow<'a, T> = &'a mut [MaybeUninit<Unaligned<T>>];

/// The loop over one row.
pub(crate) trait Line {
    /// The type of the result.
    type Out;
    /// The bytes between elements of each operand; 0 for a constant.
    const ADVANCES: [usize; 3];
    /// Computes a row from operands that begin at `places`. Returns whether an element was rejected.
    ///
    /// # Safety
    /// As for [`crate::isa::Loop`], for one row with as many elements as `out`.
    unsafe fn run(places: [*const u8; 3], out: OutputRow<Self::Out>) -> bool;
}

impl<L: Line> LoopCode for L {
    type Args = Block;
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        block.any_row(
            #[inline(always)]
            |places, out| {
                // SAFETY: the caller promises the operands, and `n` elements of the result in every row, which are not
                // read or written by others meanwhile.
                unsafe { L::run(places, row(out, block.n)) }
            },
        )
    }
}

/// Makes a row of `count` elements of the result.
// SAFETY: They can be written, and are not read or written by others meanwhile.
#[inline(always)]
unsafe fn row<'a, T>(out: *mut u8, count: usize) -> OutputRow<'a, T> {
    // SAFETY: promised by the caller. `from_raw_parts_mut` would compile its checks of the address for every loop.
    unsafe { &mut *std::ptr::slice_from_raw_parts_mut(out.cast(), count) }
}

/// Writes element `i` of a row.
// SAFETY: The row has more than `i` elements.
#[inline(always)]
unsafe fn put<T: Copy>(out: &mut [MaybeUninit<Unaligned<T>>], i: usize, x: T) {
    // SAFETY: promised by the caller.
    unsafe { (*out.as_mut_ptr().cast::<Unaligned<T>>().add(i)).0 = x };
}

/// The loop of a cheap operator. It computes short rows by groups of as many elements as an instruction handles; the
/// last group ends with the row. Starting and ending a loop over an unknown number of elements costs more than such a
/// row.
pub(crate) struct Brief<L>(PhantomData<L>);

/// The bytes of the largest group.
const MAX_GROUP_BYTES: usize = 64;
/// The bytes of the result of the shortest row that is computed by groups.
pub(crate) const MIN_GROUP_BYTES: usize = 16;
impl<L: Line> LoopCode for Brief<L> {
    type Args = Block;
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        let (n, bytes) = (block.n, block.n.wrapping_mul(size_of::<L::Out>()));
        // Two loops over rows: one for each size of group would take longer to compile.
        if (MIN_GROUP_BYTES..MAX_GROUP_BYTES).contains(&bytes) {
            let is_long = bytes >= MAX_GROUP_BYTES / 2;
            block.any_row(
                #[inline(always)]
                |places, out| {
                    // SAFETY: promised by the caller; a row has a group.
                    unsafe {
                        if is_long {
                            grouped::<L, { MAX_GROUP_BYTES / 2 }>(places, out, n)
                        } else {
                            grouped::<L, MIN_GROUP_BYTES>(places, out, n)
                        }
                    }
                },
            )
        } else {
            let by_groups = (MAX_GROUP_BYTES..=MAX_GROUPS * MAX_GROUP_BYTES).contains(&bytes);
            block.any_row(
                #[inline(always)]
                |places, out| {
                    // SAFETY: as above.
                    unsafe {
                        if by_groups {
                            grouped::<L, MAX_GROUP_BYTES>(places, out, n)
                        } else {
                            L::run(places, row(out, n))
                        }
                    }
                },
            )
        }
    }
}

/// Computes a row of `n` elements by groups of `G` bytes.
// SAFETY: As for [`Line::run`], and the row has a group.
#[inline(always)]
unsafe fn grouped<L: Line, const G: usize>(places: [*const u8; 3], out: *mut u8, n: usize) -> bool {
    let group = const { G / size_of::<L::Out>() };
    let (mut rejected, mut at) = (false, 0_usize);
    loop {
        let mut own = MaybeUninit::<[u8; G]>::uninit();
        // SAFETY: promised by the caller, for the whole row; the last group may begin before its own elements. The
        // compiler vectorises a group that is a separate array first.
        unsafe {
            rejected |= L::run(beyond::<L>(places, at), row(own.as_mut_ptr().cast(), group));
            out.add(at.wrapping_mul(const { size_of::<L::Out>() })).cast::<MaybeUninit<[u8; G]>>().write_unaligned(own);
        }
        let (next, last) = (at.wrapping_add(group), n.wrapping_sub(group));
        if next >= n {
            return rejected;
        }
        at = if next < last { next } else { last };
    }
}

/// Returns where the operands of element `at` of a row are.
// SAFETY: The row has that element.
#[inline(always)]
unsafe fn beyond<L: Line>(places: [*const u8; 3], at: usize) -> [*const u8; 3] {
    // SAFETY: promised by the caller.
    unsafe {
        [
            places[0].add(at.wrapping_mul(const { L::ADVANCES[0] })),
            places[1].add(at.wrapping_mul(const { L::ADVANCES[1] })),
            places[2].add(at.wrapping_mul(const { L::ADVANCES[2] })),
        ]
    }
}

/// Returns these sizes, but 0 for each operand with a bit in `constants`.
const fn advances(mut sizes: [usize; 3], constants: u8) -> [usize; 3] {
    let mut k = 0;
    while k < 3 {
        sizes[k] *= (constants & 1 << k == 0) as usize;
        k += 1;
    }
    sizes
}

/// Reads element `i` of a row, or its only one.
///
/// # Safety
/// There are more than `i` elements, or one where `CONSTANT`.
#[inline(always)]
unsafe fn element<T: Copy>(place: *const u8, i: usize, constant: bool) -> T {
    // SAFETY: promised by the caller. `read_unaligned` would be compiled as a copy to memory and a read.
    unsafe { (*place.cast::<Unaligned<T>>().add(i.wrapping_mul(!constant as usize))).0 }
}

/// Computes all elements by the usual path, and then the rare ones again: a loop with both paths does not vectorise.
///
/// # Safety
/// As for [`Line::run`].
#[inline(always)]
unsafe fn in_two_passes<O: Unary<T>, T: Element>(x: *const u8, out: OutputRow<O::Out>) {
    for (i, to) in out.iter_mut().enumerate() {
        // Not by a closure, which the compiler may not inline here; it would not vectorise.
        // SAFETY: `i` is below the number of elements.
        *to = MaybeUninit::new(Unaligned(O::apply_usual(unsafe { element(x, i, false) })));
    }
    // A separate pointer: if the compiler does not inline this closure, a borrowed one would be reloaded for every
    // element above.
    // SAFETY: `i` is below the number of elements wherever this is called.
    let x = move |i: usize| unsafe { element::<T>(x, i, false) };
    if (0..out.len()).fold(false, |any, i| any | O::is_rare(x(i))) {
        for i in (0..out.len()).filter(|&i| O::is_rare(x(i))) {
            out[i] = MaybeUninit::new(Unaligned(O::apply(x(i))));
        }
    }
}

/// Computes elements by the path for numbers near zero, if all are.
///
/// # Safety
/// As for [`Line::run`].
#[inline(always)]
unsafe fn near_or_not<O: Unary<T>, T: Element>(x: *const u8, out: OutputRow<O::Out>) {
    // SAFETY: `i` is below the number of elements wherever this is called.
    let x = |i: usize| unsafe { element::<T>(x, i, false) };
    if (0..out.len()).fold(true, |all, i| all & O::is_near(x(i))) {
        for (i, to) in out.iter_mut().enumerate() {
            *to = MaybeUninit::new(Unaligned(O::apply_near(x(i))));
        }
    } else {
        for (i, to) in out.iter_mut().enumerate() {
            *to = MaybeUninit::new(Unaligned(O::apply(x(i))));
        }
    }
}

impl<O: Unary<T>, T: Element, const C: u8> Line for One<O, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<T>(), 0, 0], C);
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        if O::NEARER && C == 0 {
            for (at, part) in out.chunks_mut(NEAR_BLOCK_ELEMENTS).enumerate() {
                // SAFETY: promised by the caller; the part begins `at * NEAR_BLOCK_ELEMENTS` elements on.
                unsafe { near_or_not::<O, T>(x.add(at * NEAR_BLOCK_ELEMENTS * size_of::<T>()), part) };
            }
            return false;
        }
        if O::SPLIT && C == 0 {
            for (at, part) in out.chunks_mut(RARE_BLOCK_ELEMENTS).enumerate() {
                // SAFETY: promised by the caller; the part begins `at * RARE_BLOCK_ELEMENTS` elements on.
                unsafe { in_two_passes::<O, T>(x.add(at * RARE_BLOCK_ELEMENTS * size_of::<T>()), part) };
            }
            return false;
        }
        let (n, mut i) = (out.len(), 0_usize);
        while i < n {
            // SAFETY: promised by the caller.
            unsafe { put(out, i, O::apply(element(x, i, C != 0))) };
            i = i.wrapping_add(1);
        }
        false
    }
}

/// Computes all pairs by the usual path, and then again those whose result may be wrong.
///
/// # Safety
/// As for [`Line::run`].
#[inline(always)]
unsafe fn two_in_two_passes<O: Binary<T>, T: Element>(a: *const u8, b: *const u8, out: OutputRow<O::Out>) {
    // SAFETY: `i` is below the number of elements wherever this is called.
    let pair = |i: usize| unsafe { (element::<T>(a, i, false), element::<T>(b, i, false)) };
    let mut any = false;
    for (i, to) in out.iter_mut().enumerate() {
        let (a, b) = pair(i);
        let result = O::apply_usual(a, b);
        any |= O::is_open(a, b, result);
        *to = MaybeUninit::new(Unaligned(result));
    }
    if any {
        for (i, to) in out.iter_mut().enumerate() {
            let (a, b) = pair(i);
            if O::is_open(a, b, O::apply_usual(a, b)) {
                *to = MaybeUninit::new(Unaligned(O::apply(a, b)));
            }
        }
    }
}

impl<O: Binary<T>, T: Element, const C: u8> Line for Two<O, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<T>(), size_of::<T>(), 0], C);
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        if O::SPLIT && C == 0 {
            for (at, part) in out.chunks_mut(RARE_BLOCK_ELEMENTS).enumerate() {
                let before = at * RARE_BLOCK_ELEMENTS * size_of::<T>();
                // SAFETY: promised by the caller; the part begins `at * RARE_BLOCK_ELEMENTS` elements on.
                unsafe { two_in_two_passes::<O, T>(a.add(before), b.add(before), part) };
            }
            return false;
        }
        let (n, mut i) = (out.len(), 0_usize);
        while i < n {
            // SAFETY: promised by the caller.
            unsafe { put(out, i, O::apply(element(a, i, C & 1 != 0), element(b, i, C & 2 != 0))) };
            i = i.wrapping_add(1);
        }
        false
    }
}

impl<O: Binary<T>, R: Rejects<T>, T: Element, const C: u8> Line for Guarded<O, R, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<T>(), size_of::<T>(), 0], C);
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        let mut rejected = false;
        if O::NEARER && C == 0 {
            for (at, part) in out.chunks_mut(NEAR_BLOCK_ELEMENTS).enumerate() {
                let before = at * NEAR_BLOCK_ELEMENTS * size_of::<T>();
                // SAFETY: promised by the caller; the part begins `at * NEAR_BLOCK_ELEMENTS` elements on.
                rejected |= unsafe { guarded_near_or_not::<O, R, T>(a.add(before), b.add(before), part) };
            }
            return rejected;
        }
        let (n, mut i) = (out.len(), 0_usize);
        while i < n {
            // SAFETY: promised by the caller.
            let (a, b) = unsafe { (element(a, i, C & 1 != 0), element(b, i, C & 2 != 0)) };
            rejected |= R::rejects(a, b);
            // SAFETY: as above.
            unsafe { put(out, i, O::apply(a, b)) };
            i = i.wrapping_add(1);
        }
        rejected
    }
}

/// Computes pairs by the path for numbers near zero, if all are. Returns whether one was rejected.
///
/// # Safety
/// As for [`Line::run`].
#[inline(always)]
unsafe fn guarded_near_or_not<O: Binary<T>, R: Rejects<T>, T: Element>(
    a: *const u8,
    b: *const u8,
    out: OutputRow<O::Out>,
) -> bool {
    // SAFETY: `i` is below the number of elements wherever this is called.
    let pair = |i: usize| unsafe { (element::<T>(a, i, false), element::<T>(b, i, false)) };
    let (near, rejected) = (0..out.len()).fold((true, false), |(near, rejected), i| {
        let (a, b) = pair(i);
        (near & O::is_near(a) & O::is_near(b), rejected | R::rejects(a, b))
    });
    if near {
        for (i, to) in out.iter_mut().enumerate() {
            let (a, b) = pair(i);
            *to = MaybeUninit::new(Unaligned(O::apply_near(a, b)));
        }
    } else {
        for (i, to) in out.iter_mut().enumerate() {
            let (a, b) = pair(i);
            *to = MaybeUninit::new(Unaligned(O::apply(a, b)));
        }
    }
    rejected
}

impl<O: ByPrecomputed<T>, T: Integer, M: Fma> Line for TwoPrecomputed<O, T, M> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = [size_of::<T>(), 0, 0];
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        // SAFETY: promised by the caller.
        let b = unsafe { element::<T>(b, 0, true) };
        if b == T::ZERO {
            return true;
        }
        if O::NEARER && O::is_near(b) {
            // SAFETY: promised by the caller.
            unsafe { by_near::<O, T, M>(a, b, out) };
            return false;
        }
        let by = O::prepare(b);
        let (n, mut i) = (out.len(), 0_usize);
        while i < n {
            // SAFETY: promised by the caller.
            unsafe { put(out, i, O::apply_by::<M>(element(a, i, false), by)) };
            i = i.wrapping_add(1);
        }
        false
    }
}

/// Applies a small constant divisor; blocks whose dividends are all small use the cheap path.
///
/// # Safety
/// As for [`Line::run`].
#[inline(always)]
unsafe fn by_near<O: ByPrecomputed<T>, T: Integer, M: Fma>(a: *const u8, b: T, out: OutputRow<O::Out>) {
    let (near_by, mut by) = (O::prepare_near(b), None);
    for (at, part) in out.chunks_mut(NEAR_BLOCK_ELEMENTS).enumerate() {
        // SAFETY: `i` is below the number of elements of the part, wherever this is called.
        let a = |i: usize| unsafe { element::<T>(a, at * NEAR_BLOCK_ELEMENTS + i, false) };
        if (0..part.len()).fold(true, |all, i| all & O::is_near(a(i))) {
            for (i, to) in part.iter_mut().enumerate() {
                *to = MaybeUninit::new(Unaligned(O::apply_near_by::<M>(a(i), near_by)));
            }
        } else {
            let by = *by.get_or_insert_with(|| O::prepare(b));
            for (i, to) in part.iter_mut().enumerate() {
                *to = MaybeUninit::new(Unaligned(O::apply_by::<M>(a(i), by)));
            }
        }
    }
}

impl<O: Ternary<A, T>, A: Element, T: Element, const C: u8> Line for Three<O, A, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<A>(), size_of::<T>(), size_of::<T>()], C);
    #[inline(always)]
    unsafe fn run([a, b, c]: [*const u8; 3], out: OutputRow<Self::Out>) -> bool {
        let (n, mut i) = (out.len(), 0_usize);
        while i < n {
            // SAFETY: promised by the caller.
            unsafe {
                let (b, c) = (element(b, i, C & 2 != 0), element(c, i, C & 4 != 0));
                put(out, i, O::apply(element(a, i, C & 1 != 0), b, c));
            }
            i = i.wrapping_add(1);
        }
        false
    }
}

/// Finds the first rejected pair; see [`crate::isa::SearchLoop`].
///
/// # Safety
/// As for [`crate::isa::SearchLoop`].
pub(crate) unsafe fn first_rejected<R: Rejects<T>, T: Element>(
    n: usize,
    operands: [*const u8; 3],
    steps: [usize; 3],
) -> usize {
    let (a, b) = (operands[0].cast::<T>(), operands[1].cast::<T>());
    // SAFETY: `i < n` wherever this is called, and the caller promises `n` elements, or one where the step is 0.
    let rejected =
        |i: usize| unsafe { R::rejects(a.add(i * steps[0]).read_unaligned(), b.add(i * steps[1]).read_unaligned()) };
    // Almost always nothing is rejected: check all without an early exit, which vectorises, and search only then.
    let any = (0..n).fold(false, |any, i| any | rejected(i));
    if any { (0..n).find(|&i| rejected(i)).unwrap_or(n) } else { n }
}

/// The bytes of a cache line.
pub(crate) const CACHE_LINE_BYTES: usize = 64;

/// Prefetches these bytes, which may be at any address.
#[inline(always)]
pub(crate) fn prefetch(place: *const u8, bytes: usize) {
    (0..bytes).step_by(CACHE_LINE_BYTES).for_each(|at| prefetch_line(place.wrapping_add(at)));
}

/// Prefetches these bytes into the second-level cache; they may be at any address.
#[inline(always)]
pub(crate) fn prefetch_l2(place: *const u8, bytes: usize) {
    let skew = place.addr() % CACHE_LINE_BYTES;
    (0..bytes + skew).step_by(CACHE_LINE_BYTES).for_each(|at| hint::<true>(place.wrapping_add(at).wrapping_sub(skew)));
}

/// Prefetches `count` cache lines, at least one, `step` bytes apart, at any address; into the second-level cache if `second`.
///
/// One instruction in a loop prefetches all: a CPU learns from the addresses of each instruction which ones follow, and
/// it learned nothing from eight instructions in turn, each with every eighth line of one operand or another. A sum of
/// two was half as slow again.
#[inline(always)]
fn prefetch_lines(place: *const u8, step: isize, count: usize, second: bool) {
    debug_assert!(count > 0, "the count is taken down before it is looked at");
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as for `prefetch_line`; every x86-64 CPU has the instructions, and they change only the registers named
    // here.
    unsafe {
        std::arch::asm!(
            "test {second:e}, {second:e}",
            "jnz 3f",
            "2:",
            "prefetcht0 [{place}]",
            "add {place}, {step}",
            "dec {count}",
            "jnz 2b",
            "jmp 4f",
            "3:",
            "prefetcht1 [{place}]",
            "add {place}, {step}",
            "dec {count}",
            "jnz 3b",
            "4:",
            second = in(reg) u32::from(second),
            place = inout(reg) place => _,
            step = in(reg) step,
            count = inout(reg) count => _,
            options(readonly, nostack),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (place, step, count, second);
}

/// Prefetches the cache line of a byte at any address.
#[inline(always)]
fn prefetch_line(place: *const u8) {
    hint::<false>(place);
}

/// Prefetches the cache line of a byte, into the second-level cache if `SECOND`.
#[inline(always)]
fn hint<const SECOND: bool>(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        // SAFETY: a prefetch accesses no memory: at an invalid address it does nothing.
        unsafe {
            if SECOND { _mm_prefetch::<_MM_HINT_T1>(place.cast()) } else { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
        };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Returns no loop for chains: other architectures have none.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn chained(_: crate::isa::Isa, _: crate::DType, _: bool) -> Option<chain::ChainLoop> {
    None
}

/// Makes earlier streaming stores visible to other threads.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(test)]
mod tests;
