//! The memory of operands: owned, borrowed, or lent by a mapped file.

use std::{marker::PhantomData, mem::ManuallyDrop};

use super::{block::Allocation, buffer_pool};
use crate::{dtype::Element, isa::pages::Pages};

/// A buffer of bytes, aligned to a cache line.
#[derive(Debug)]
pub struct Buffer {
    allocation: ManuallyDrop<Allocation>,
    len: usize,
}

impl Buffer {
    /// Allocates `len` zero bytes. Returns `None` if there is no memory for them.
    pub fn zeroed(len: usize) -> Option<Self> {
        // Pooled buffers may occupy the missing memory.
        let allocation =
            Allocation::zeroed(len).or_else(|| (buffer_pool::release() > 0).then(|| Allocation::zeroed(len))?)?;
        Some(Self { allocation: ManuallyDrop::new(allocation), len })
    }

    /// Allocates `len` bytes without clearing them: zeros, or the contents of an earlier buffer.
    ///
    /// The contents may be confidential, so write every byte before you expose any. Large blocks that were used before
    /// save the system's work of clearing them; see [`set_pool_limit`](buffer_pool::set_pool_limit).
    pub fn uninit(len: usize) -> Option<Self> {
        let left = buffer_pool::take(len).map(|allocation| Self { allocation: ManuallyDrop::new(allocation), len });
        left.or_else(|| Self::zeroed(len))
    }

    /// Returns the address of the first byte, without a reference to any.
    pub(crate) fn base(&self) -> *mut u8 {
        self.allocation.base()
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: there are `len` initialised bytes from `base`, which belong to `self` while it lives.
        unsafe { std::slice::from_raw_parts(self.base(), self.len) }
    }

    /// Returns the bytes to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.base(), self.len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: taken once, here, and not used afterwards.
        buffer_pool::put(unsafe { ManuallyDrop::take(&mut self.allocation) });
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
    /// Borrows bytes; the loops start at byte `offset`.
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

    /// Returns the byte offset at which the loops start.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Makes an input of `len` bytes at an address, for memory that others may write at the same time.
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

/// Rows of contiguous elements in the memory of an input, `pitch` bytes apart; read by value.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, T> {
    start: *const u8,
    pub(crate) height: usize,
    pub(crate) count: usize,
    pitch: isize,
    borrow: PhantomData<&'a [T]>,
}

impl<'a, T: Element> Rows<'a, T> {
    /// Returns rows that begin `at` bytes into the input's buffer; `None` if an element would be outside it.
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

    /// Updates two accumulators for each column with its elements in `K` rows from this one on.
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
            // SAFETY: the elements are among those that `new` found inside the buffer.
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
    /// Borrows bytes; the loops start at byte `offset`.
    pub fn new(bytes: &'a mut [u8], offset: usize) -> Self {
        Self { base: bytes.as_mut_ptr(), len: bytes.len(), offset, borrow: PhantomData }
    }

    /// Counts the bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the byte offset at which the loops start.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Makes an output of `len` bytes at an address; they may overlap inputs, which are then read as if they had been
    /// copied before.
    ///
    /// # Safety
    /// The bytes stay writable for `'a`, and are not written by others meanwhile.
    pub unsafe fn from_raw(base: *mut u8, len: usize, offset: usize) -> Self {
        Self { base, len, offset, borrow: PhantomData }
    }
}

// SAFETY: threads write disjoint elements: the strides are checked not to overlap, and each tile belongs to one thread.
unsafe impl Sync for Output<'_> {}

/// Lends mapped bytes to a program; the loops start at byte `offset`.
pub(crate) fn lend(pages: &Pages, len: usize, offset: usize) -> Input<'_> {
    debug_assert!(len <= pages.len());
    // SAFETY: `len` bytes are mapped while `pages` lives, and the handler of `isa.rs` keeps them readable if the file
    // is truncated.
    unsafe { Input::from_raw(pages.base(), len, offset) }
}

/// Lends mapped bytes to a program that writes them; the loops start at byte `offset`.
pub(crate) fn lend_mut(pages: &mut Pages, len: usize, offset: usize) -> Output<'_> {
    debug_assert!(len <= pages.len());
    // SAFETY: `len` bytes are mapped for writing while `pages` lives, borrowed exclusively, and the handler of `isa.rs`
    // keeps them writable.
    unsafe { Output::from_raw(pages.base().cast_mut(), len, offset) }
}

/// Copies mapped bytes from byte `at`. Returns whether they are all mapped.
pub(crate) fn read(pages: &Pages, at: usize, to: &mut [u8]) -> bool {
    let there = pages.len().checked_sub(at).is_some_and(|rest| to.len() <= rest);
    if there {
        // SAFETY: at least `at + to.len()` bytes are mapped, and no other borrow of them can write.
        unsafe { pages.base().add(at).copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
    }
    there
}

/// Returns these bytes as elements, if they are aligned and whole.
pub fn elements<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    let whole = bytes.len().is_multiple_of(size_of::<T>());
    // SAFETY: every pattern of bytes is an element, whole and aligned as asked here; the slice's borrow is kept.
    (whole && bytes.as_ptr().cast::<T>().is_aligned())
        .then(|| unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) })
}

/// Returns these bytes as elements to write, if they are aligned and whole.
pub fn elements_mut<T: Element>(bytes: &mut [u8]) -> Option<&mut [T]> {
    let whole = bytes.len().is_multiple_of(size_of::<T>());
    // SAFETY: as for `elements`, and the slice is borrowed exclusively.
    (whole && bytes.as_ptr().cast::<T>().is_aligned())
        .then(|| unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size_of::<T>()) })
}

/// Returns these elements as bytes.
pub fn bytes<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: elements have no padding and every byte of them is initialised; the slice's borrow is kept.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Returns these elements as bytes to write.
pub fn bytes_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: as for `bytes`, every pattern of bytes is an element, and the slice is borrowed exclusively.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}
