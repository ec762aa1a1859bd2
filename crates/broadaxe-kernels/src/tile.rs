//! Tiles: the loops over their elements, the packers that fill them, and the memory they lie in.
//!
//! A tile is a run of elements, one after the other, small enough for the first-level cache. Operands that already lie so, or
//! that repeat one element, are used in place. The rest is gathered into a scratch tile by `pack`, which knows any number of
//! inner axes with any strides; `unpack` scatters a finished tile into a result with strides of its own.
//!
//! Memory that others may write at the same time is read through raw pointers only; no reference is ever made to an element.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    marker::PhantomData,
    mem::MaybeUninit,
    ptr::NonNull,
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{
    dtype::Element,
    isa::{Block, Body, Past, pages::Pages},
    loops::{Binary, Refuses, Ternary, Unary},
};

/// One operand, constant if `C` is 1.
pub(crate) struct One<O, T, const C: u8>(PhantomData<(O, T)>);
/// Two operands, of which those with a bit in `C` are constant.
pub(crate) struct Two<O, T, const C: u8>(PhantomData<(O, T)>);
/// Two operands, with the pairs that `R` refuses.
pub(crate) struct Guarded<O, R, T, const C: u8>(PhantomData<(O, R, T)>);
/// Three operands, of which those with a bit in `C` are constant.
pub(crate) struct Three<O, A, T, const C: u8>(PhantomData<(O, A, T)>);

/// An element at any address.
#[repr(C, packed)]
pub(crate) struct Loose<T>(T);

/// A row of a result: borrowed alone, so that the compiler need not ask whether it overlaps an operand.
pub(crate) type Row<'a, T> = &'a mut [MaybeUninit<Loose<T>>];

/// What a loop does with a row.
pub(crate) trait Line {
    /// The type of the result.
    type Out;
    /// The bytes from one element to the next of each operand; 0 for a constant.
    const ADVANCES: [usize; 3];
    /// Computes a row from operands that begin at `places`; says whether an element was refused.
    ///
    /// # Safety
    /// As for [`crate::isa::Loop`], for one row with as many elements as `out`.
    unsafe fn run(places: [*const u8; 3], out: Row<Self::Out>) -> bool;
}

impl<L: Line> Body for L {
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        let mut refused = false;
        for r in 0..block.rows as isize {
            let places = [0, 1, 2].map(|k| block.places[k].wrapping_offset(block.steps[k] * r));
            let out = block.out.wrapping_offset(block.out_step * r);
            // SAFETY: the caller promises `n` elements of the result in every row, which nobody else reads or writes meanwhile,
            // and the operands.
            refused |= unsafe { L::run(places, std::slice::from_raw_parts_mut(out.cast(), block.n)) };
        }
        refused
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

/// The loop over a line's rows that writes its result past the caches, but for the lines of the cache a row fills only in part.
///
/// Other threads see the result after a [`fence`].
pub(crate) struct Streamed<L, P>(PhantomData<(L, P)>);

/// Some lines of the cache.
#[repr(C, align(64))]
struct Lines([u8; 256]);

impl<L: Line, P: Past> Body for Streamed<L, P> {
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        let size = size_of::<L::Out>();
        let group = size_of::<Lines>() / size;
        let mut refused = false;
        for r in 0..block.rows as isize {
            let start = block.out.wrapping_offset(block.out_step * r);
            let place =
                |k: usize, i| block.places[k].wrapping_offset(block.steps[k] * r).wrapping_add(L::ADVANCES[k] * i);
            let places = |i| [place(0, i), place(1, i), place(2, i)];
            let skew = start.addr().wrapping_neg() % 64;
            let head = if skew.is_multiple_of(size) { (skew / size).min(block.n) } else { block.n };
            let groups = (block.n - head) / group;
            for (from, n) in [(0, head), (head + groups * group, block.n - head - groups * group)] {
                if n > 0 {
                    let out = start.wrapping_add(from * size);
                    let ends = Block { n, rows: 1, places: places(from), out, ..*block };
                    // SAFETY: the caller promises `n` elements of operands and result in every row.
                    refused |= unsafe { P::plain::<L>(&ends) };
                }
            }
            for i in (head..head + groups * group).step_by(group) {
                let mut lines = MaybeUninit::<Lines>::uninit();
                // SAFETY: the lines have room for a group of elements; as above. Each store is aligned, since `head` ends a line.
                unsafe {
                    refused |= L::run(places(i), std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), group));
                    for at in (0..size_of::<Lines>()).step_by(P::WIDTH) {
                        P::store(lines.as_ptr().cast::<u8>().add(at), start.add(i * size + at));
                    }
                }
            }
        }
        refused
    }
}

/// Reads element `i` of a row, or its only one.
///
/// # Safety
/// There are more than `i` elements, or one where `CONSTANT`.
#[inline(always)]
unsafe fn element<T: Copy>(place: *const u8, i: usize, constant: bool) -> T {
    // SAFETY: promised by the caller.
    unsafe { place.cast::<T>().add(if constant { 0 } else { i }).read_unaligned() }
}

/// Writes element `i` of a row.
#[inline(always)]
fn put<T>(out: Row<T>, i: usize, value: Loose<T>) {
    // SAFETY: none
    unsafe { out.as_mut_ptr().add(i).write(MaybeUninit::new(value)) }
}

/// Counts the elements that are computed before the rare ones among them are looked for.
const BLOCK: usize = 512;

/// Computes all elements as usual ones, and then the rare ones again: a loop with both kinds in it does not vectorise.
///
/// # Safety
/// As for [`Line::run`].
#[inline(always)]
unsafe fn in_two_passes<O: Unary<T>, T: Element>(x: *const u8, out: Row<O::Out>) {
    // SAFETY: `i` is below the number of elements wherever this is called.
    let x = |i: usize| unsafe { element::<T>(x, i, false) };
    for i in 0..out.len() {
        put(out, i, Loose(O::apply_usual(x(i))));
    }
    if (0..out.len()).fold(false, |any, i| any | O::is_rare(x(i))) {
        for i in (0..out.len()).filter(|&i| O::is_rare(x(i))) {
            out[i] = MaybeUninit::new(Loose(O::apply(x(i))));
        }
    }
}

impl<O: Unary<T>, T: Element, const C: u8> Line for One<O, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<T>(), 0, 0], C);
    #[inline(always)]
    unsafe fn run([x, ..]: [*const u8; 3], out: Row<Self::Out>) -> bool {
        if O::SPLIT && C == 0 {
            for (at, part) in out.chunks_mut(BLOCK).enumerate() {
                // SAFETY: promised by the caller; the part begins so many elements on.
                unsafe { in_two_passes::<O, T>(x.add(at * BLOCK * size_of::<T>()), part) };
            }
            return false;
        }
        for i in 0..out.len() {
            // SAFETY: promised by the caller.
            put(out, i, Loose(O::apply(unsafe { element(x, i, C != 0) })));
        }
        false
    }
}

impl<O: Binary<T>, T: Element, const C: u8> Line for Two<O, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<T>(), size_of::<T>(), 0], C);
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: Row<Self::Out>) -> bool {
        for i in 0..out.len() {
            // SAFETY: promised by the caller.
            let (a, b) = unsafe { (element(a, i, C & 1 != 0), element(b, i, C & 2 != 0)) };
            put(out, i, Loose(O::apply(a, b)));
        }
        false
    }
}

impl<O: Binary<T>, R: Refuses<T>, T: Element, const C: u8> Line for Guarded<O, R, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<T>(), size_of::<T>(), 0], C);
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: Row<Self::Out>) -> bool {
        let mut refused = false;
        for i in 0..out.len() {
            // SAFETY: promised by the caller.
            let (a, b) = unsafe { (element(a, i, C & 1 != 0), element(b, i, C & 2 != 0)) };
            refused |= R::refuses(a, b);
            put(out, i, Loose(O::apply(a, b)));
        }
        refused
    }
}

impl<O: Ternary<A, T>, A: Element, T: Element, const C: u8> Line for Three<O, A, T, C> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = advances([size_of::<A>(), size_of::<T>(), size_of::<T>()], C);
    #[inline(always)]
    unsafe fn run([a, b, c]: [*const u8; 3], out: Row<Self::Out>) -> bool {
        for i in 0..out.len() {
            // SAFETY: promised by the caller.
            let (b, c) = unsafe { (element(b, i, C & 2 != 0), element(c, i, C & 4 != 0)) };
            // SAFETY: as above.
            put(out, i, Loose(O::apply(unsafe { element(a, i, C & 1 != 0) }, b, c)));
        }
        false
    }
}

/// Finds the first refused pair; see [`crate::loops::Search`].
///
/// # Safety
/// As for [`crate::loops::Search`].
pub(crate) unsafe fn first_refused<R: Refuses<T>, T: Element>(
    n: usize,
    operands: [*const u8; 3],
    steps: [usize; 3],
) -> usize {
    let (a, b) = (operands[0].cast::<T>(), operands[1].cast::<T>());
    // SAFETY: `i < n` wherever this is called, and the caller promises `n` elements, or one where the step is 0.
    let refused =
        |i: usize| unsafe { R::refuses(a.add(i * steps[0]).read_unaligned(), b.add(i * steps[1]).read_unaligned()) };
    // Almost always nothing is refused: look at all without a way out, which vectorises, and search only then.
    let any = (0..n).fold(false, |any, i| any | refused(i));
    if any { (0..n).find(|&i| refused(i)).unwrap_or(n) } else { n }
}

/// One axis of a tile, seen from an operand: how many elements, and how many bytes from one to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) count: usize,
    pub(crate) stride: isize,
}

/// Gathers the elements that these axes reach from `from` into consecutive places at `to`; the last axis runs fastest.
///
/// # Safety
/// Every element that the axes reach from `from` is readable, `to` is writable for the product of their counts, and the two do not overlap.
pub(crate) unsafe fn pack(size: usize, axes: &[Axis], from: *const u8, to: *mut u8) {
    // SAFETY: the promise is passed on; the arm's integer has `size` bytes.
    let _ = unsafe {
        match size {
            1 => walk::<u8, true>(axes, from.cast_mut(), to),
            2 => walk::<u16, true>(axes, from.cast_mut(), to),
            4 => walk::<u32, true>(axes, from.cast_mut(), to),
            _ => walk::<u64, true>(axes, from.cast_mut(), to),
        }
    };
}

/// Scatters consecutive elements at `from` to the places that these axes reach from `to`; the reverse of [`pack`].
///
/// # Safety
/// As for [`pack`], with the roles exchanged.
pub(crate) unsafe fn unpack(size: usize, axes: &[Axis], from: *const u8, to: *mut u8) {
    // SAFETY: the promise is passed on; the arm's integer has `size` bytes.
    let _ = unsafe {
        match size {
            1 => walk::<u8, false>(axes, to, from.cast_mut()),
            2 => walk::<u16, false>(axes, to, from.cast_mut()),
            4 => walk::<u32, false>(axes, to, from.cast_mut()),
            _ => walk::<u64, false>(axes, to, from.cast_mut()),
        }
    };
}

/// Moves elements between a strided place and a consecutive one; returns how many.
///
/// A block that repeats along an axis (stride 0) is gathered once and then copied, twice as much each time.
///
/// # Safety
/// As for [`pack`] when `PACK`, else as for [`unpack`].
unsafe fn walk<T: Copy, const PACK: bool>(axes: &[Axis], strided: *mut u8, dense: *mut u8) -> usize {
    let Some((&Axis { count, stride }, inner)) = axes.split_first() else {
        // SAFETY: no axes reach one element, promised at both places.
        unsafe { transfer::<T, PACK>(strided, dense) };
        return 1;
    };
    if inner.is_empty() {
        // SAFETY: the promise is passed on.
        unsafe { row::<T, PACK>(count, stride, strided, dense) };
        return count;
    }
    if PACK && let [Axis { count: times, stride: 0 }] = *inner {
        // SAFETY: the promise is passed on; the last axis repeats each element of the one before.
        unsafe { repeat::<T>(count, stride, times, strided, dense) };
        return count * times;
    }
    let rounds = if PACK && stride == 0 { count.min(1) } else { count };
    let mut block = 0;
    for i in 0..rounds {
        // SAFETY: the axis reaches these blocks; those before filled `i * block` elements of the dense place.
        block = unsafe {
            walk::<T, PACK>(inner, strided.offset(stride * i as isize), dense.add(i * block * size_of::<T>()))
        };
    }
    let (mut filled, whole) = (rounds * block * size_of::<T>(), count * block * size_of::<T>());
    while filled < whole {
        let more = filled.min(whole - filled);
        // SAFETY: the dense place has room for `whole` bytes, of which the first `filled` are written and `more` is no larger.
        unsafe { std::ptr::copy_nonoverlapping(dense, dense.add(filled), more) };
        filled += more;
    }
    count * block
}

/// Moves a row of elements `stride` bytes apart.
///
/// # Safety
/// As for [`walk`], with one axis.
unsafe fn row<T: Copy, const PACK: bool>(count: usize, stride: isize, strided: *mut u8, dense: *mut u8) {
    for i in 0..count {
        // SAFETY: `i < count`: the axis reaches this element, and the dense place has room for `count`.
        unsafe { transfer::<T, PACK>(strided.offset(stride * i as isize), dense.add(i * size_of::<T>())) };
    }
}

/// Writes each element of a row `times` times; few times are written without a loop.
///
/// # Safety
/// As for [`walk`] when `PACK`, with two axes of which the second has stride 0.
unsafe fn repeat<T: Copy>(count: usize, stride: isize, times: usize, strided: *const u8, dense: *mut u8) {
    // SAFETY: the promise is passed on; the number of times is the same.
    unsafe {
        match times {
            2 => repeat_few::<T, 2>(count, stride, strided, dense),
            3 => repeat_few::<T, 3>(count, stride, strided, dense),
            4 => repeat_few::<T, 4>(count, stride, strided, dense),
            _ => {
                for i in 0..count {
                    let element = strided.offset(stride * i as isize).cast::<T>().read_unaligned();
                    let to = dense.cast::<T>().add(i * times);
                    (0..times).for_each(|k| to.add(k).write_unaligned(element));
                }
            }
        }
    }
}

/// Writes each element of a row `N` times.
///
/// # Safety
/// As for [`repeat`], with `times` = `N`.
unsafe fn repeat_few<T: Copy, const N: usize>(count: usize, stride: isize, strided: *const u8, dense: *mut u8) {
    for i in 0..count {
        // SAFETY: `i < count`: the axis reaches this element, and the dense place has room for `N` of each.
        unsafe {
            let element = strided.offset(stride * i as isize).cast::<T>().read_unaligned();
            dense.cast::<[T; N]>().add(i).write_unaligned([element; N]);
        }
    }
}

/// Moves one element.
///
/// # Safety
/// Both places hold one `T`, of any alignment.
#[inline(always)]
unsafe fn transfer<T: Copy, const PACK: bool>(strided: *mut u8, dense: *mut u8) {
    let (from, to) = if PACK { (strided, dense) } else { (dense, strided) };
    // SAFETY: promised by the caller.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) }
}

/// The bytes by which operands are fetched ahead of their use: some tiles.
const AHEAD: usize = 4096;

/// Asks for the bytes that a dense operand will need some tiles after those at `place`.
#[cfg(target_arch = "x86_64")]
pub(crate) fn fetch(place: *const u8, bytes: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for at in (0..bytes).step_by(64) {
        // SAFETY: a prefetch touches nothing: at an address that is nobody's it does nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.wrapping_add(AHEAD + at).cast()) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn fetch(_: *const u8, _: usize) {}

/// Lets other threads see what [`Streamed`] loops wrote before.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 CPU has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Bytes of its own, zeroed, aligned to a cache line.
#[derive(Debug)]
pub struct Buffer {
    allocation: NonNull<u8>,
    layout: Layout,
    /// From the allocation to the first aligned byte.
    skip: usize,
    len: usize,
}

/// Asks the system for pages of 2 MiB under a large block that nobody has touched: a page of 4 KiB costs as much to bring in as
/// it takes to fill it. A system that has none to give leaves everything as it is.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(start: *mut u8, len: usize) {
    const HUGE: usize = 2 << 20;
    let skip = start.addr().wrapping_neg() % HUGE;
    let whole = len.saturating_sub(skip) / HUGE * HUGE;
    if whole >= 2 * HUGE {
        // SAFETY: the range lies inside the allocation; the advice changes no byte of it.
        unsafe { libc::madvise(start.add(skip).cast(), whole, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: *mut u8, _: usize) {}

/// Returns another multiple of [`ALIGNMENT`] each time, below a page.
///
/// The system begins large blocks at the same place of a page. Operands that lie so get into each other's way in the first-level
/// cache, which finds lines by that place: an addition was seen to take many times as long.
fn next_distance() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(7 * ALIGNMENT, Ordering::Relaxed) % PAGE
}

/// The bytes of a page.
const PAGE: usize = 4096;

/// The alignment of a [`Buffer`] in bytes.
pub const ALIGNMENT: usize = 64;

impl Buffer {
    /// Allocates `len` zero bytes, or nothing when there is no room for them.
    ///
    /// The system hands out large blocks as untouched zero pages, so that zeroing costs nothing; it does so only for
    /// ordinary alignments, hence the alignment by hand.
    pub fn zeroed(len: usize) -> Option<Self> {
        let apart = if len < PAGE { 0 } else { next_distance() };
        let layout = Layout::from_size_align(len.checked_add(ALIGNMENT + apart)?, 16).ok()?;
        // SAFETY: the layout has a size above 0.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = allocation.as_ptr().addr().wrapping_neg() % ALIGNMENT + apart;
        ask_for_huge_pages(allocation.as_ptr(), layout.size());
        Some(Self { allocation, layout, skip, len })
    }

    /// Returns the address of the first byte, without a reference to any.
    pub(crate) fn base(&self) -> *mut u8 {
        // SAFETY: the allocation holds `skip + len` bytes.
        unsafe { self.allocation.as_ptr().add(self.skip) }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: there are `len` bytes from `base`, zeroed when made, and they are ours while `self` lives.
        unsafe { std::slice::from_raw_parts(self.base(), self.len) }
    }

    /// Returns the bytes to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.base(), self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and dropped once.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) }
    }
}

// SAFETY: the buffer owns its bytes, as a `Box<[u8]>` does.
unsafe impl Send for Buffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for Buffer {}

/// The memory of an input, read only.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub(crate) base: *const u8,
    pub(crate) len: usize,
    pub(crate) offset: usize,
    pub(crate) borrow: PhantomData<&'a [u8]>,
}

impl<'a> Input<'a> {
    /// Borrows bytes; the element that all loops start from is `offset` bytes in.
    pub fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { base: bytes.as_ptr(), len: bytes.len(), offset, borrow: PhantomData }
    }

    /// Counts the bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes from the start of the buffer to the element that all loops start from.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Takes `len` bytes at an address, for memory that others may write at the same time.
    ///
    /// # Safety
    /// The bytes stay readable for `'a`.
    pub unsafe fn from_raw(base: *const u8, len: usize, offset: usize) -> Self {
        Self { base, len, offset, borrow: PhantomData }
    }
}

// SAFETY: an input is a borrow of bytes that are only read.
unsafe impl Send for Input<'_> {}
// SAFETY: as above.
unsafe impl Sync for Input<'_> {}

/// Rows of elements that lie one after the other in the memory of an input, `pitch` bytes from row to row; read by value.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, T> {
    start: *const u8,
    pub(crate) height: usize,
    pub(crate) count: usize,
    pitch: isize,
    borrow: PhantomData<&'a [T]>,
}

impl<'a, T: Element> Rows<'a, T> {
    /// Finds rows that begin `at` bytes into the input's buffer; none where an element would lie outside it.
    pub(crate) fn new(input: Input<'a>, at: isize, [height, count]: [usize; 2], pitch: isize) -> Option<Self> {
        let span = isize::try_from(height.checked_sub(1)?).ok()?.checked_mul(pitch)?;
        let low = at.checked_add(span.min(0))?;
        let high = at.checked_add(span.max(0))?.checked_add_unsigned(count.checked_mul(size_of::<T>())?)?;
        let start = input.base.wrapping_offset(at);
        (low >= 0 && high as usize <= input.len).then_some(Self { start, height, count, pitch, borrow: PhantomData })
    }

    /// Reads the `N` elements of a row from number `at`.
    #[inline(always)]
    pub(crate) fn read<const N: usize>(&self, row: usize, at: usize) -> [T; N] {
        assert!(row < self.height && at <= self.count && N <= self.count - at, "elements beyond a row");
        // SAFETY: the element is one of those that `new` found inside the buffer, and so are the `N - 1` after it.
        unsafe { self.start.offset(self.pitch * row as isize).cast::<T>().add(at).cast::<[T; N]>().read_unaligned() }
    }

    /// Changes two places for each column, looking at its elements in `K` rows from this one on.
    #[inline(always)]
    pub(crate) fn zip<const K: usize, A, B>(
        &self,
        row: usize,
        (one, two): (&mut [A], &mut [B]),
        change: impl Fn(&mut A, &mut B, [T; K]),
    ) {
        assert!(row <= self.height && K <= self.height - row && one.len().max(two.len()) <= self.count, "beyond");
        let place = |k| self.start.wrapping_offset(self.pitch * (row + k) as isize).cast::<T>();
        let rows: [*const T; K] = std::array::from_fn(place);
        for (i, (one, two)) in one.iter_mut().zip(two).enumerate() {
            // SAFETY: the elements are of those that `new` found inside the buffer.
            change(one, two, rows.map(|row| unsafe { row.add(i).read_unaligned() }));
        }
    }
}

/// The memory of a result.
pub struct Output<'a> {
    pub(crate) base: *mut u8,
    pub(crate) len: usize,
    pub(crate) offset: usize,
    pub(crate) borrow: PhantomData<&'a mut [u8]>,
}

impl<'a> Output<'a> {
    /// Borrows bytes; the element that all loops start from is `offset` bytes in.
    pub fn new(bytes: &'a mut [u8], offset: usize) -> Self {
        Self { base: bytes.as_mut_ptr(), len: bytes.len(), offset, borrow: PhantomData }
    }

    /// Takes `len` bytes at an address; they may overlap inputs, which are then read as if they had been copied before.
    ///
    /// # Safety
    /// The bytes stay writable for `'a` and nobody else writes them meanwhile.
    pub unsafe fn from_raw(base: *mut u8, len: usize, offset: usize) -> Self {
        Self { base, len, offset, borrow: PhantomData }
    }
}

// SAFETY: threads write disjoint elements: the strides are checked not to meet, and each tile belongs to one thread.
unsafe impl Sync for Output<'_> {}

/// Lends mapped bytes to a program; the element that all loops start from is `offset` bytes in.
pub(crate) fn lend(pages: &Pages, len: usize, offset: usize) -> Input<'_> {
    debug_assert!(len <= pages.len());
    // SAFETY: `len` bytes are mapped while `pages` lives, and the handler of `isa.rs` keeps them readable when the file is cut.
    unsafe { Input::from_raw(pages.base(), len, offset) }
}

/// Copies mapped bytes from byte `at`; says whether that many are there.
pub(crate) fn read(pages: &Pages, at: usize, to: &mut [u8]) -> bool {
    let there = pages.len().checked_sub(at).is_some_and(|rest| to.len() <= rest);
    if there {
        // SAFETY: `at + to.len()` is at most as many as are mapped; nobody else has memory borrowed for writing.
        unsafe { pages.base().add(at).copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
    }
    there
}

/// Returns these bytes as elements, where they are aligned and whole.
pub fn elements<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    let whole = bytes.len().is_multiple_of(size_of::<T>());
    // SAFETY: every pattern of bytes is an element, whole and aligned as asked here; the slice's borrow is kept.
    (whole && bytes.as_ptr().cast::<T>().is_aligned())
        .then(|| unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) })
}

/// Returns these elements as bytes.
pub fn bytes<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: elements have no padding and every byte of them is initialised; the slice's borrow is kept.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(axes: &[(usize, isize)], start: usize) -> Vec<u16> {
        let from: Vec<u16> = (0..64).collect();
        let axes: Vec<Axis> = axes.iter().map(|&(count, stride)| Axis { count, stride: stride * 2 }).collect();
        let mut to = vec![0u16; axes.iter().map(|axis| axis.count).product()];
        // SAFETY: the cases below stay within `from`, and `to` has a place for every element.
        unsafe { pack(2, &axes, from.as_ptr().add(start).cast(), to.as_mut_ptr().cast()) };
        to
    }

    #[test]
    fn pack_follows_every_stride() {
        assert_eq!(gather(&[], 5), [5]);
        assert_eq!(gather(&[(3, 8), (2, 1)], 0), [0, 1, 8, 9, 16, 17]);
        assert_eq!(gather(&[(3, 0), (2, 1)], 4), [4, 5, 4, 5, 4, 5]);
        assert_eq!(gather(&[(2, 1), (3, 0)], 4), [4, 4, 4, 5, 5, 5]);
        assert_eq!(gather(&[(2, -8), (2, -1)], 20), [20, 19, 12, 11]);
        assert_eq!(gather(&[(2, 0), (2, 10), (2, 1)], 1), [1, 2, 11, 12, 1, 2, 11, 12]);
    }

    #[test]
    fn unpack_reverses_pack() {
        let axes = [Axis { count: 3, stride: -4 }, Axis { count: 2, stride: 24 }];
        let from: Vec<u32> = (1..=6).collect();
        let mut to = vec![0u32; 16];
        // SAFETY: the axes reach elements 2, 1, 0 and, 24 bytes on, 8, 7, 6 of `to`.
        unsafe { unpack(4, &axes, from.as_ptr().cast(), to.as_mut_ptr().add(2).cast()) };
        assert_eq!(to[..9], [5, 3, 1, 0, 0, 0, 6, 4, 2]);
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
}
