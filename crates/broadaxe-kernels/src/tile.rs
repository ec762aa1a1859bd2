//! Tiles: the loops over their elements, the packers that fill them, and the memory they lie in.
//!
//! A tile is a run of elements, one after the other, small enough for the first-level cache. Operands that already lie so, or
//! that repeat one element, are used in place. The rest is gathered into a scratch tile by `pack`, which knows any number of
//! inner axes with any strides; `unpack` scatters a finished tile into a result with strides of its own.
//!
//! Memory that others may write at the same time is read through raw pointers only; no reference is ever made to an element.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    fs::{File, Metadata},
    marker::PhantomData,
    ptr::NonNull,
    time::SystemTime,
};

use crate::{
    dtype::Element,
    isa::{Body, MOST_MAPPINGS, pages::Pages},
    loops::{Binary, Refuses, Ternary, Unary},
};

/// One dense operand.
pub(crate) struct Dense1<O, T>(PhantomData<(O, T)>);
/// Two dense operands.
pub(crate) struct Dense2<O, T>(PhantomData<(O, T)>);
/// A constant, then a dense operand.
pub(crate) struct Left<O, T>(PhantomData<(O, T)>);
/// A dense operand, then a constant.
pub(crate) struct Right<O, T>(PhantomData<(O, T)>);
/// Three dense operands.
pub(crate) struct Dense3<O, A, T>(PhantomData<(O, A, T)>);

impl<O: Unary<T>, T: Element> Body for Dense1<O, T> {
    #[inline(always)]
    unsafe fn run(n: usize, [x, ..]: [*const u8; 3], out: *mut u8) {
        let (x, out) = (x.cast::<T>(), out.cast::<O::Out>());
        for i in 0..n {
            // SAFETY: `i < n`, and the caller promises `n` elements at each pointer.
            unsafe { out.add(i).write_unaligned(O::apply(x.add(i).read_unaligned())) }
        }
    }
}

impl<O: Binary<T>, T: Element> Body for Dense2<O, T> {
    #[inline(always)]
    unsafe fn run(n: usize, [a, b, _]: [*const u8; 3], out: *mut u8) {
        let (a, b, out) = (a.cast::<T>(), b.cast::<T>(), out.cast::<O::Out>());
        for i in 0..n {
            // SAFETY: `i < n`, and the caller promises `n` elements at each pointer.
            unsafe { out.add(i).write_unaligned(O::apply(a.add(i).read_unaligned(), b.add(i).read_unaligned())) }
        }
    }
}

impl<O: Binary<T>, T: Element> Body for Left<O, T> {
    #[inline(always)]
    unsafe fn run(n: usize, [a, b, _]: [*const u8; 3], out: *mut u8) {
        let (b, out) = (b.cast::<T>(), out.cast::<O::Out>());
        // SAFETY: the caller promises one element at `a`.
        let a = unsafe { a.cast::<T>().read_unaligned() };
        for i in 0..n {
            // SAFETY: `i < n`, and the caller promises `n` elements at `b` and `out`.
            unsafe { out.add(i).write_unaligned(O::apply(a, b.add(i).read_unaligned())) }
        }
    }
}

impl<O: Binary<T>, T: Element> Body for Right<O, T> {
    #[inline(always)]
    unsafe fn run(n: usize, [a, b, _]: [*const u8; 3], out: *mut u8) {
        let (a, out) = (a.cast::<T>(), out.cast::<O::Out>());
        // SAFETY: the caller promises one element at `b`.
        let b = unsafe { b.cast::<T>().read_unaligned() };
        for i in 0..n {
            // SAFETY: `i < n`, and the caller promises `n` elements at `a` and `out`.
            unsafe { out.add(i).write_unaligned(O::apply(a.add(i).read_unaligned(), b)) }
        }
    }
}

impl<O: Ternary<A, T>, A: Element, T: Element> Body for Dense3<O, A, T> {
    #[inline(always)]
    unsafe fn run(n: usize, [a, b, c]: [*const u8; 3], out: *mut u8) {
        let (a, b, c, out) = (a.cast::<A>(), b.cast::<T>(), c.cast::<T>(), out.cast::<O::Out>());
        for i in 0..n {
            // SAFETY: `i < n`, and the caller promises `n` elements at each pointer.
            unsafe {
                let result = O::apply(a.add(i).read_unaligned(), b.add(i).read_unaligned(), c.add(i).read_unaligned());
                out.add(i).write_unaligned(result);
            }
        }
    }
}

/// Finds the first refused pair; see [`crate::isa::Check`].
///
/// # Safety
/// As for [`crate::isa::Check`].
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

/// The alignment of a [`Buffer`] in bytes.
pub const ALIGNMENT: usize = 64;

impl Buffer {
    /// Allocates `len` zero bytes, or nothing when there is no room for them.
    ///
    /// The system hands out large blocks as untouched zero pages, so that zeroing costs nothing; it does so only for
    /// ordinary alignments, hence the alignment by hand.
    pub fn zeroed(len: usize) -> Option<Self> {
        let layout = Layout::from_size_align(len.checked_add(ALIGNMENT)?, 16).ok()?;
        // SAFETY: the layout has a size above 0.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = allocation.as_ptr().addr().wrapping_neg() % ALIGNMENT;
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

/// A part of a regular file, mapped to be read: its pages come as they are read, and nothing is copied.
///
/// A file belongs to everybody, so two things are settled here. Its bytes may change at any time: they are read through
/// raw pointers only, like all memory of an [`Input`]. And it may be cut: the pages behind its new end are gone, and
/// reading one raises a signal that ends the process. A handler of that signal puts zeros in their place instead and
/// marks the mapping (`isa.rs`), so that whoever computed with it can learn that the result means nothing.
///
/// The mark alone would not be enough. A cut inside a page zeroes its rest without a signal, and so does a cut file that
/// grows again. Hence [`Mapping::is_whole`] also compares length and time of change with those of the beginning.
///
/// Files are mapped on Linux; elsewhere [`Mapping::new`] has none to give.
#[derive(Debug)]
pub struct Mapping {
    pages: Pages,
    len: usize,
    file: File,
    stamp: Stamp,
}

impl Mapping {
    /// Maps `len` bytes from byte `at`, or nothing where they should be read in the ordinary way.
    ///
    /// That is so for anything but a regular file, for bytes beyond its end or none at all, where the system refuses,
    /// and when [`Mapping::MOST`] mappings are alive.
    ///
    /// ```
    /// use broadaxe_kernels::Mapping;
    /// let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))?;
    /// if let Some(mapping) = Mapping::new(&file, 1, 7) {
    ///     let mut text = [0; 7];
    ///     assert!(mapping.read(0, &mut text) && mapping.is_whole());
    ///     assert_eq!(&text, b"package");
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(file: &File, at: u64, len: usize) -> Option<Self> {
        let stamp = Stamp::of(&file.metadata().ok()?)?;
        if at.checked_add(len as u64)? > stamp.length {
            return None;
        }
        let pages = Pages::map(file, at, len)?;
        Some(Self { pages, len, file: file.try_clone().ok()?, stamp })
    }

    /// The most mappings that can be alive at once.
    pub const MOST: usize = MOST_MAPPINGS;

    /// Counts the bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes, which is never so.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Lends the bytes to a program; the element that all loops start from is `offset` bytes in.
    pub fn input(&self, offset: usize) -> Input<'_> {
        // SAFETY: `len` bytes are mapped while `self` lives, and the handler keeps them readable when the file is cut.
        unsafe { Input::from_raw(self.pages.base(), self.len, offset) }
    }

    /// Copies the bytes from byte `at` of the mapping; says whether that many are there.
    pub fn read(&self, at: usize, to: &mut [u8]) -> bool {
        let there = self.len.checked_sub(at).is_some_and(|rest| to.len() <= rest);
        if there {
            // SAFETY: `at + to.len()` is at most `len`, as many as are mapped; nobody else has memory borrowed for writing.
            unsafe { self.pages.base().add(at).copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        }
        there
    }

    /// Says whether all that was read so far was the file as it was when it was mapped.
    ///
    /// When it was not, bytes were read that never stood in the file together, or zeros.
    pub fn is_whole(&self) -> bool {
        let now = self.file.metadata().ok().and_then(|meta| Stamp::of(&meta));
        !self.pages.are_cut() && now == Some(self.stamp)
    }
}

/// What changes with the bytes of a file, as far as the system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    changed: SystemTime,
}

impl Stamp {
    /// Takes the stamp of a regular file.
    fn of(meta: &Metadata) -> Option<Self> {
        Some(Self { length: meta.is_file().then_some(meta.len())?, changed: meta.modified().ok()? })
    }
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

#[cfg(all(test, target_os = "linux"))]
mod mapping_tests;
