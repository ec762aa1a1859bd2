//! Tiles: the loops over their elements, the packers that fill them, and the memory they lie in.
//!
//! A tile is a run of elements, one after the other, small enough for the first-level cache. Operands that already lie so, or
//! that repeat one element, are used in place. The rest is gathered into a scratch tile by `carry`, which knows any number of
//! inner axes with any strides, and scatters a finished tile into a result with strides of its own; `pack.rs` says which way.
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
    isa::{Block, Body, Isa, LEVELS, Loop, Past, pages::Pages, versions},
    loops::{Binary, Prepared, Refuses, Ternary, Unary},
    pack::{Leaf, Turn, Way},
};

/// One operand, constant if `C` is 1.
pub(crate) struct One<O, T, const C: u8>(PhantomData<(O, T)>);
/// Two operands, of which those with a bit in `C` are constant.
pub(crate) struct Two<O, T, const C: u8>(PhantomData<(O, T)>);
/// Two operands, with the pairs that `R` refuses.
pub(crate) struct Guarded<O, R, T, const C: u8>(PhantomData<(O, R, T)>);
/// Two operands, the second constant and made ready once for a row.
pub(crate) struct By<O, T>(PhantomData<(O, T)>);
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

impl<O: Prepared<T>, T: Element> Line for By<O, T> {
    type Out = O::Out;
    const ADVANCES: [usize; 3] = [size_of::<T>(), 0, 0];
    #[inline(always)]
    unsafe fn run([a, b, _]: [*const u8; 3], out: Row<Self::Out>) -> bool {
        // SAFETY: promised by the caller.
        let Some(by) = O::prepare(unsafe { element(b, 0, true) }) else { return true };
        for i in 0..out.len() {
            // SAFETY: promised by the caller.
            put(out, i, Loose(O::apply_by(unsafe { element(a, i, false) }, by)));
        }
        false
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

#[cfg(target_arch = "x86_64")]
pub(crate) mod halves {
    //! The loops over f16 by the machine's own conversions: a group of elements is widened, computed as f32, and rounded.
    //!
    //! The groups stay in the first-level cache, and the loop between the conversions is an ordinary one over f32.

    use super::{Line, Row, advances};
    use crate::{
        dtype::{DType, Element, f16},
        isa::Convert,
        loops::{Binary, Unary},
        math::canonical32,
    };
    use std::marker::PhantomData;

    /// One operand and a result of f16 or f32, computed in f32 with the conversions `M`.
    pub(crate) struct OneHalf<O, T, R, M>(PhantomData<(O, T, R, M)>);
    /// Two operands and a result of f16, computed in f32 with the conversions `M`; operands with a bit in `C` are constant.
    pub(crate) struct TwoHalves<O, M, const C: u8>(PhantomData<(O, M)>);

    /// The elements of f16 that are computed at a time: as many as a loop past the caches asks for.
    const GROUP: usize = 128;

    /// Returns where element `i` of a row lies, or its only one.
    #[inline(always)]
    fn element_at<T>(row: *const u8, i: usize, constant: bool) -> *const T {
        row.cast::<T>().wrapping_add(if constant { 0 } else { i })
    }

    /// Widens a group of `n` elements, f16 or f32, or its only one.
    ///
    /// # Safety
    /// There are `n` elements of `T` to read at `from`, or one where it is `constant`; `M` is here.
    #[inline(always)]
    unsafe fn widen<T: Element, M: Convert>(from: *const T, n: usize, constant: bool, wide: &mut [f32; GROUP]) {
        let mut copy = [f16::ZERO; GROUP];
        // SAFETY: promised by the caller; the copy has room for `n` elements and 16 where one is read.
        unsafe {
            if constant {
                copy[..16].fill(from.cast::<f16>().read_unaligned());
                M::widen(copy.as_ptr(), wide.as_mut_ptr());
                let one = wide[0];
                wide.fill(one);
            } else if T::DTYPE as u8 == DType::F32 as u8 {
                wide.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.cast(), n * size_of::<f32>());
            } else {
                let mut from = from.cast::<f16>();
                if n < GROUP {
                    copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.cast(), n * size_of::<f16>());
                    from = copy.as_ptr();
                }
                (0..n).step_by(16).for_each(|i| M::widen(from.add(i), wide.as_mut_ptr().add(i)));
            }
        }
    }

    /// Rounds a group of elements to f16, or leaves it in f32.
    ///
    /// # Safety
    /// `M` is here.
    #[inline(always)]
    unsafe fn narrow<R: Element, M: Convert>(wide: &[f32; GROUP], out: Row<R>) {
        let (n, to) = (out.len(), out.as_mut_ptr());
        // SAFETY: `out` has room for `n` elements, and the copy for a group.
        unsafe {
            if R::DTYPE as u8 == DType::F32 as u8 {
                to.cast::<u8>().copy_from_nonoverlapping(wide.as_ptr().cast(), n * size_of::<f32>());
            } else if n == GROUP {
                (0..n).step_by(16).for_each(|i| M::narrow(wide.as_ptr().add(i), to.cast::<f16>().add(i)));
            } else {
                let mut copy = [f16::ZERO; GROUP];
                (0..n).step_by(16).for_each(|i| M::narrow(wide.as_ptr().add(i), copy.as_mut_ptr().add(i)));
                to.cast::<u8>().copy_from_nonoverlapping(copy.as_ptr().cast(), n * size_of::<f16>());
            }
        }
    }

    /// Runs over whole groups, whose loops know how many elements there are, and then over the rest.
    #[inline(always)]
    fn by_groups<R>(out: Row<R>, mut group: impl FnMut(usize, Row<R>)) {
        let (groups, rest) = out.as_chunks_mut::<GROUP>();
        let whole = groups.len() * GROUP;
        for (g, out) in groups.iter_mut().enumerate() {
            group(g * GROUP, out);
        }
        if !rest.is_empty() {
            group(whole, rest);
        }
    }

    impl<O: Unary<f32, Out = f32>, T: Element, R: Element, M: Convert> Line for OneHalf<O, T, R, M> {
        type Out = R;
        const ADVANCES: [usize; 3] = [size_of::<T>(), 0, 0];
        #[inline(always)]
        unsafe fn run([x, ..]: [*const u8; 3], out: Row<Self::Out>) -> bool {
            by_groups(
                out,
                #[inline(always)]
                |at, out| {
                    let mut wide = [0.0; GROUP];
                    // SAFETY: promised by the caller.
                    unsafe { widen::<T, M>(element_at(x, at, false), out.len(), false, &mut wide) };
                    for x in &mut wide[..out.len()] {
                        *x = canonical32(O::apply(*x));
                    }
                    // SAFETY: promised by the caller.
                    unsafe { narrow::<R, M>(&wide, out) };
                },
            );
            false
        }
    }

    impl<O: Binary<f32, Out = f32>, M: Convert, const C: u8> Line for TwoHalves<O, M, C> {
        type Out = f16;
        const ADVANCES: [usize; 3] = advances([2, 2, 0], C);
        #[inline(always)]
        unsafe fn run([a, b, _]: [*const u8; 3], out: Row<Self::Out>) -> bool {
            by_groups(
                out,
                #[inline(always)]
                |at, out| {
                    let (mut x, mut y, mut z) = ([0.0; GROUP], [0.0; GROUP], [0.0; GROUP]);
                    // SAFETY: promised by the caller.
                    unsafe {
                        widen::<f16, M>(element_at(a, at, C & 1 != 0), out.len(), C & 1 != 0, &mut x);
                        widen::<f16, M>(element_at(b, at, C & 2 != 0), out.len(), C & 2 != 0, &mut y);
                    }
                    for i in 0..out.len() {
                        z[i] = canonical32(O::apply(x[i], y[i]));
                    }
                    // SAFETY: promised by the caller.
                    unsafe { narrow::<f16, M>(&z, out) };
                },
            );
            false
        }
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

/// Moves elements between an operand and a tile, by the level of instructions given.
///
/// # Safety
/// Every element that the way reaches from `from` is readable, what it reaches from `to` is writable, and the two do not overlap.
pub(crate) unsafe fn carry(isa: Isa, way: &Way, from: *const u8, to: *mut u8) {
    static LEAVES: [[Loop; LEVELS]; 4] = [
        versions::<Carry<u8, 16>>(),
        versions::<Carry<u16, 8>>(),
        versions::<Carry<u32, 4>>(),
        versions::<Carry<u64, 2>>(),
    ];
    let call = LEAVES[way.size.trailing_zeros() as usize % 4][isa.index()];
    // SAFETY: the promise is passed on.
    unsafe { walk(way, call, &way.outer, from, to) };
}

/// Moves the elements of a leaf and of the axes `outer` outside it.
///
/// A block that repeats is moved once and then copied, twice as much each time, unless others come between.
// SAFETY: As for [`carry`], with the axes of the way's leaf and `outer`; `call` is made for elements of the way's size.
unsafe fn walk(way: &Way, call: Loop, outer: &[Turn], from: *const u8, to: *mut u8) {
    let Some((turn, inner)) = outer.split_last() else {
        let (n, rows) = (way.row.count, way.rows);
        let places = [from.wrapping_offset(way.start.0), (&raw const *way).cast(), std::ptr::null()];
        let out = to.wrapping_offset(way.start.1);
        // SAFETY: the rows and columns of the leaf are axes, so all of its elements are promised.
        unsafe { call(&Block { n, rows: rows.count, places, steps: [rows.from, 0, 0], out, out_step: rows.to }) };
        return;
    };
    let repeats = turn.from == 0 && turn.to > way.rows.to.abs().max(way.row.to.abs());
    for i in 0..if repeats { 1 } else { turn.count as isize } {
        // SAFETY: the axis reaches these blocks.
        unsafe { walk(way, call, inner, from.offset(turn.from * i), to.offset(turn.to * i)) };
    }
    let (block, mut done) = (turn.to.unsigned_abs(), 1);
    while repeats && done < turn.count {
        let more = done.min(turn.count - done);
        // SAFETY: there is room for `count` blocks, of which the first `done` are written and `more` is no larger.
        unsafe { to.copy_to_nonoverlapping(to.add(done * block), more * block) };
        done += more;
    }
}

/// Moves a value of any alignment.
// SAFETY: There is a `T` to read at `from`, and room for one at `to`.
#[inline(always)]
unsafe fn transfer<T: Copy>(from: *const u8, to: *mut u8) {
    // SAFETY: promised by the caller.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) }
}

/// The leaf of the way that the second place points to; `L` elements are 16 bytes.
struct Carry<T, const L: usize>(PhantomData<T>);

impl<T: Copy, const L: usize> Body for Carry<T, L> {
    #[allow(clippy::cast_ptr_alignment)] // The place was made from a reference.
    #[inline(always)]
    unsafe fn run(block: &Block) -> bool {
        // SAFETY: only `walk` calls this; its promise is passed on.
        unsafe {
            let way = &*block.places[1].cast::<Way>();
            let (n, dense) = (way.row.count, way.row.from == size_of::<T>() as isize);
            match (way.leaf, n * size_of::<T>()) {
                (Leaf::Transposed, _) => transposed::<T, L>(way, block),
                (Leaf::Apart, _) => rows(block, |from, to| apart::<T>(way.row, from, to)),
                (Leaf::Repeats(2), _) if dense => rows(block, |from, to| few::<T, 2>(n, from.cast(), to.cast())),
                (Leaf::Repeats(3), _) if dense => rows(block, |from, to| few::<T, 3>(n, from.cast(), to.cast())),
                (Leaf::Repeats(4), _) if dense => rows(block, |from, to| few::<T, 4>(n, from.cast(), to.cast())),
                (Leaf::Repeats(times), _) => rows(block, |from, to| repeat::<T, L>(way.row, times, from, to)),
                (Leaf::Runs, 0) => {}
                (Leaf::Runs, n @ 1) => rows(block, |from, to| pieces::<1>(n, from, to)),
                (Leaf::Runs, n @ 2..4) => rows(block, |from, to| pieces::<2>(n, from, to)),
                (Leaf::Runs, n @ 4..8) => rows(block, |from, to| pieces::<4>(n, from, to)),
                (Leaf::Runs, n @ 8..16) => rows(block, |from, to| pieces::<8>(n, from, to)),
                (Leaf::Runs, n @ 16..32) => rows(block, |from, to| pieces::<16>(n, from, to)),
                (Leaf::Runs, n @ 32..64) => rows(block, |from, to| pieces::<32>(n, from, to)),
                (Leaf::Runs, n) => rows(block, |from, to| pieces::<64>(n, from, to)),
            }
        }
        false
    }
}

/// Calls for each row with where it begins.
#[inline(always)]
fn rows(block: &Block, row: impl Fn(*const u8, *mut u8)) {
    for r in 0..block.rows as isize {
        row(block.places[0].wrapping_offset(block.steps[0] * r), block.out.wrapping_offset(block.out_step * r));
    }
}

/// Copies `n` bytes in pieces of `W`, of which the last may overlap the one before.
// SAFETY: There are `n` bytes, at least `W`, to read and to write.
#[inline(always)]
unsafe fn pieces<const W: usize>(n: usize, from: *const u8, to: *mut u8) {
    for at in (0..n - W).step_by(W) {
        // SAFETY: promised by the caller.
        unsafe { transfer::<[u8; W]>(from.add(at), to.add(at)) };
    }
    // SAFETY: as above.
    unsafe { transfer::<[u8; W]>(from.add(n - W), to.add(n - W)) };
}

/// Moves a row of elements that are apart; many at a time where the compiler knows how far.
// SAFETY: The row's elements can be read, and its places written.
#[inline(always)]
unsafe fn apart<T: Copy>(row: Turn, from: *const u8, to: *mut u8) {
    let (n, size) = (row.count, size_of::<T>() as isize);
    // SAFETY: promised by the caller.
    unsafe {
        match (row.from / size, row.from % size == 0 && row.to == size) {
            (-1, true) => every::<T>(n, -size, size, from, to),
            (2, true) => every::<T>(n, 2 * size, size, from, to),
            (3, true) => every::<T>(n, 3 * size, size, from, to),
            (4, true) => every::<T>(n, 4 * size, size, from, to),
            _ => every::<T>(n, row.from, row.to, from, to),
        }
    }
}

/// Moves `n` elements that are so many bytes apart at both ends.
// SAFETY: The elements can be read, and the places written.
#[inline(always)]
unsafe fn every<T: Copy>(n: usize, step: isize, out_step: isize, from: *const u8, to: *mut u8) {
    for i in 0..n as isize {
        // SAFETY: promised by the caller.
        unsafe { transfer::<T>(from.offset(step * i), to.offset(out_step * i)) };
    }
}

/// Writes each element of a row so many times: 16 bytes of it at once, which the next one may overwrite in part.
// SAFETY: The row's elements can be read, and there is room for `times` of each.
#[inline(always)]
unsafe fn repeat<T: Copy, const L: usize>(row: Turn, times: usize, from: *const u8, to: *mut u8) {
    let all = row.count * times;
    for i in 0..row.count {
        // SAFETY: `i` is below the count; what is written ends before the room for all does.
        unsafe {
            let element = from.offset(row.from * i as isize).cast::<T>().read_unaligned();
            let to = to.cast::<T>().add(i * times);
            match times {
                _ if times >= 4 * L => fill([[element; L]; 4], times, to),
                _ if times >= L => fill([element; L], times, to),
                _ if all - i * times >= L => to.cast::<[T; L]>().write_unaligned([element; L]),
                _ => (0..times).for_each(|k| to.add(k).write_unaligned(element)),
            }
        }
    }
}

/// Writes each of `n` elements `N` times; the compiler makes vectors of several.
// SAFETY: There are `n` elements to read, and there is room for `N` of each.
#[inline(always)]
unsafe fn few<T: Copy, const N: usize>(n: usize, from: *const T, to: *mut T) {
    for i in 0..n {
        // SAFETY: promised by the caller.
        unsafe {
            let element = from.add(i).read_unaligned();
            (0..N).for_each(|k| to.add(i * N + k).write_unaligned(element));
        }
    }
}

/// Fills a place for `n` elements with pieces, of which the last may overlap the one before.
// SAFETY: There is room for `n` elements, and they are at least a piece.
#[inline(always)]
unsafe fn fill<T, V: Copy>(piece: V, n: usize, to: *mut T) {
    let last = n - size_of::<V>() / size_of::<T>();
    for at in (0..last).step_by(n - last) {
        // SAFETY: promised by the caller.
        unsafe { to.add(at).cast::<V>().write_unaligned(piece) };
    }
    // SAFETY: as above.
    unsafe { to.add(last).cast::<V>().write_unaligned(piece) };
}

/// Moves rows that are neighbours where they are read, in squares of `L` rows and columns; the last ones may overlap others.
// SAFETY: As for [`carry`], for the leaf alone.
#[inline(always)]
unsafe fn transposed<T: Copy, const L: usize>(way: &Way, block: &Block) {
    let (size, step, n) = (size_of::<T>(), way.row.from, way.row.count);
    let squares = block.rows >= L && n >= L && cfg!(target_arch = "x86_64");
    if !squares {
        // SAFETY: promised by the caller.
        return rows(block, |from, to| unsafe { apart::<T>(way.row, from, to) });
    }
    for at in (0..n).step_by(L).map(|at| at.min(n - L)) {
        let column = block.places[0].wrapping_offset(step * at as isize);
        if step.unsigned_abs() >= FAR {
            (COLUMNS..).take(L).for_each(|ahead| ask(column.wrapping_offset(step * ahead), block.rows * size));
        }
        for row in (0..block.rows).step_by(L).map(|row| row.min(block.rows - L)) {
            let to = block.out.wrapping_offset(block.out_step * row as isize).wrapping_add(at * size);
            // SAFETY: promised by the caller, for `L` rows and columns from here.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                square::<T, L>(column.wrapping_add(row * size), step, to, block.out_step);
            }
        }
    }
}

/// Transposes a square of `L` rows of 16 bytes: rows of the two halves are merged, element by element, until each has come
/// between all others.
// SAFETY: Rows of `L` elements, `step` bytes apart, can be read from `from`, and written `out_step` bytes apart from `to`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn square<T: Copy, const L: usize>(from: *const u8, step: isize, to: *mut u8, out_step: isize) {
    use std::arch::x86_64 as x86;
    // SAFETY: every x86-64 CPU has these instructions; the rows are promised by the caller.
    unsafe {
        let mut rows = [x86::_mm_setzero_si128(); L];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = x86::_mm_loadu_si128(from.offset(step * i as isize).cast());
        }
        for _ in 0..L.trailing_zeros() {
            let halves = rows;
            for i in 0..L / 2 {
                let (a, b) = (halves[i], halves[i + L / 2]);
                (rows[2 * i], rows[2 * i + 1]) = match size_of::<T>() {
                    1 => (x86::_mm_unpacklo_epi8(a, b), x86::_mm_unpackhi_epi8(a, b)),
                    2 => (x86::_mm_unpacklo_epi16(a, b), x86::_mm_unpackhi_epi16(a, b)),
                    4 => (x86::_mm_unpacklo_epi32(a, b), x86::_mm_unpackhi_epi32(a, b)),
                    _ => (x86::_mm_unpacklo_epi64(a, b), x86::_mm_unpackhi_epi64(a, b)),
                };
            }
        }
        for (i, row) in rows.into_iter().enumerate() {
            x86::_mm_storeu_si128(to.offset(out_step * i as isize).cast(), row);
        }
    }
}

/// The bytes by which operands are fetched ahead of their use: some tiles.
const AHEAD: usize = 4096;

/// The bytes from one column of a transposed operand to the next from which they are fetched ahead of their use.
const FAR: usize = 1024;

/// The columns by which they are.
const COLUMNS: isize = 16;

/// Asks for the bytes that a dense operand will need some tiles after those at `place`.
pub(crate) fn fetch(place: *const u8, bytes: usize) {
    ask(place.wrapping_add(AHEAD), bytes);
}

/// Asks for these bytes, whosever they are.
#[inline(always)]
fn ask(place: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch touches nothing: at an address that is nobody's it does nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.wrapping_add(at).cast()) };
    }
}

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

/// Rows of elements that lie one after the other, in the memory of an input: read by value, a few at a time.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, T> {
    start: *const u8,
    pub(crate) rows: usize,
    /// The elements of a row.
    pub(crate) count: usize,
    /// The bytes from one row to the next.
    pitch: isize,
    borrow: PhantomData<&'a [T]>,
}

impl<'a, T: Element> Rows<'a, T> {
    /// Finds rows that begin `at` bytes into the input's buffer; none where an element would lie outside it.
    pub(crate) fn new(input: Input<'a>, at: isize, [rows, count]: [usize; 2], pitch: isize) -> Option<Self> {
        let span = isize::try_from(rows.checked_sub(1)?).ok()?.checked_mul(pitch)?;
        let low = at.checked_add(span.min(0))?;
        let high = at.checked_add(span.max(0))?.checked_add_unsigned(count.checked_mul(size_of::<T>())?)?;
        (low >= 0 && high as usize <= input.len).then(|| Self {
            start: input.base.wrapping_offset(at),
            rows,
            count,
            pitch,
            borrow: PhantomData,
        })
    }

    /// Reads the `N` elements of a row from number `at`.
    #[inline(always)]
    pub(crate) fn read<const N: usize>(&self, row: usize, at: usize) -> [T; N] {
        assert!(row < self.rows && at <= self.count && N <= self.count - at, "elements beyond a row");
        // SAFETY: the element is one of those that `new` found inside the buffer, and so are the `N - 1` after it.
        unsafe { self.start.offset(self.pitch * row as isize).cast::<T>().add(at).cast::<[T; N]>().read_unaligned() }
    }

    /// Changes a place for each element of a row, looking at that element and those below it in `K` rows from this one on.
    #[inline(always)]
    pub(crate) fn zip<const K: usize, A>(&self, row: usize, places: &mut [A], change: impl Fn(&mut A, [T; K])) {
        assert!(row <= self.rows && K <= self.rows - row && places.len() == self.count, "elements beyond the rows");
        let rows: [*const T; K] =
            std::array::from_fn(|k| self.start.wrapping_offset(self.pitch * (row + k) as isize).cast());
        for (i, place) in places.iter_mut().enumerate() {
            // SAFETY: the elements are of those that `new` found inside the buffer.
            change(place, rows.map(|row| unsafe { row.add(i).read_unaligned() }));
        }
    }

    /// As [`Rows::zip`], with two places for each element.
    #[inline(always)]
    pub(crate) fn zip_two<const K: usize, A, B>(
        &self,
        row: usize,
        one: &mut [A],
        two: &mut [B],
        change: impl Fn(&mut A, &mut B, [T; K]),
    ) {
        assert!(row <= self.rows && K <= self.rows - row, "elements beyond the rows");
        assert!(one.len() == self.count && two.len() == self.count, "elements beyond a row");
        let rows: [*const T; K] =
            std::array::from_fn(|k| self.start.wrapping_offset(self.pitch * (row + k) as isize).cast());
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
mod tests;
