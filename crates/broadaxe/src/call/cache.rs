//! Caches planned calls by function and operand layouts.
//!
//! Each thread has its own cache, so a lookup needs no lock. Each hash has one slot; a later call replaces an earlier one.

use std::{cell::RefCell, ptr, sync::Arc};

use broadaxe_kernels::Op;
use broadaxe_shape::Rule;

use super::{Call, Layout};

/// The number of calls that a thread keeps, a power of two.
const PLACES: usize = 256;

/// What is called: the first word says which kind of function, the second which one.
///
/// ```
/// use broadaxe::{call::Function, ops};
/// let add = ops::ADD.op();
/// assert_ne!(Function::operator(add), Function::row_major(add));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function(usize, usize);

impl Function {
    /// Returns an operator over operands of one dtype, whose result is row-major.
    pub fn row_major(op: &'static Op) -> Self {
        Self(0, ptr::from_ref(op).addr())
    }

    /// Returns an operator over operands of one dtype.
    pub fn operator(op: &'static Op) -> Self {
        Self(1, ptr::from_ref(op).addr())
    }

    /// Returns an operator over operands that are promoted to one dtype.
    pub fn promoted(op: &'static Op) -> Self {
        Self(2, ptr::from_ref(op).addr())
    }

    /// Returns a function that the caller numbers; `kind` tells its numbers from those of other callers.
    pub fn numbered(kind: u8, number: usize) -> Self {
        Self(16 + usize::from(kind), number)
    }
}

/// What a call is planned for.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// What is called.
    pub function: Function,
    /// The rule; `None` where the function has only one.
    pub rule: Option<&'a Rule>,
    /// Whatever else the plan depends on, such as axes or numbers.
    pub words: &'a [usize],
    /// The layouts of the operands.
    pub operands: &'a [Layout<'a>],
    /// The layout of the memory that the result is written to, where that is given.
    pub out: Option<Layout<'a>>,
}

/// A call, and what it was planned for.
struct Entry {
    function: Function,
    rule: Option<Rule>,
    /// The words of the key, their number first, and those of the layouts.
    words: Box<[usize]>,
    call: Arc<Call>,
}

/// Returns a word for the dtype and the rank of a layout; one for `out` has a bit more.
fn head(layout: &Layout<'_>, is_out: bool) -> usize {
    layout.shape.len() << 9 | usize::from(is_out) << 8 | layout.dtype as usize
}

impl<'a> Key<'a> {
    fn layouts(&self) -> impl Iterator<Item = (&Layout<'a>, bool)> {
        self.operands.iter().map(|layout| (layout, false)).chain(self.out.iter().map(|layout| (layout, true)))
    }

    #[inline]
    fn place(&self) -> usize {
        let mix = |hash: u64, word: usize| (hash ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        let mut hash = (self.function.0 as u64).rotate_left(48) ^ self.function.1 as u64;
        for &word in self.words {
            hash = mix(hash, word);
        }
        for (layout, is_out) in self.layouts() {
            hash = mix(hash, head(layout, is_out));
            for (&dim, &stride) in layout.shape.iter().zip(layout.strides) {
                hash = mix(hash, dim.rotate_left(32) ^ stride.cast_unsigned());
            }
        }
        (hash >> 32) as usize % PLACES
    }

    /// Lists the words of the key and those of the layouts.
    fn all_words(&self) -> Box<[usize]> {
        let mut words = vec![self.words.len()];
        words.extend(self.words);
        for (layout, is_out) in self.layouts() {
            words.extend([head(layout, is_out), layout.strides.len()]);
            words.extend(layout.shape);
            words.extend(layout.strides.iter().map(|stride| stride.cast_unsigned()));
        }
        words.into()
    }

    /// Says whether an entry was made for this key.
    #[inline]
    fn finds(&self, entry: &Entry) -> bool {
        if entry.function != self.function || entry.rule.as_ref() != self.rule {
            return false;
        }
        let Some((first, mut rest)) = entry.words.split_at_checked(1 + self.words.len()) else { return false };
        if first[0] != self.words.len() || !first[1..].iter().eq(self.words) {
            return false;
        }
        for (layout, is_out) in self.layouts() {
            let (rank, steps) = (layout.shape.len(), layout.strides.len());
            let Some((own, others)) = rest.split_at_checked(2 + rank + steps) else { return false };
            let is_alike = own[0] == head(layout, is_out)
                && own[1] == steps
                && own[2..2 + rank].iter().eq(layout.shape)
                && own[2 + rank..].iter().zip(layout.strides).all(|(&word, stride)| word == stride.cast_unsigned());
            if !is_alike {
                return false;
            }
            rest = others;
        }
        rest.is_empty()
    }
}

thread_local! {
    static CALLS: RefCell<Vec<Option<Entry>>> = RefCell::new((0..PLACES).map(|_| None).collect());
}

/// Calls `work` with the call for a key, planned now if this thread does not have it.
///
/// `work` may plan other calls, which are then not kept.
///
/// # Errors
/// What `plan` returns; nothing is kept then.
#[inline]
pub fn cached<E, R>(
    key: &Key<'_>,
    plan: impl FnOnce() -> Result<Call, E>,
    work: impl FnOnce(&Arc<Call>) -> R,
) -> Result<R, E> {
    let place = key.place();
    CALLS.with(|calls| {
        if let Ok(calls) = calls.try_borrow()
            && let Some(entry) = calls[place].as_ref().filter(|entry| key.finds(entry))
        {
            return Ok(work(&entry.call));
        }
        let call = Arc::new(plan()?);
        keep(calls, place, key, &call);
        Ok(work(&call))
    })
}

#[cold]
fn keep(calls: &RefCell<Vec<Option<Entry>>>, place: usize, key: &Key<'_>, call: &Arc<Call>) {
    let entry =
        Entry { function: key.function, rule: key.rule.cloned(), words: key.all_words(), call: Arc::clone(call) };
    let before = calls.try_borrow_mut().ok().and_then(|mut calls| calls[place].replace(entry));
    drop(before);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use broadaxe_kernels::{DType, find};

    use super::*;

    fn plan(counts: &Cell<usize>, operands: &[Layout<'_>]) -> Result<Call, crate::Error> {
        counts.set(counts.get() + 1);
        let add = find("add").expect("in the table");
        Call::new(add, &Rule::numpy(), operands, |dtype, shape, _| crate::view::byte_strides(dtype, shape))
    }

    /// Keys that differ in one thing only are told apart, and equal ones are planned once.
    #[test]
    fn each_part_of_a_key_counts() {
        let row = |dtype, strides| Layout { dtype, shape: &[2], strides };
        let (f, g) = (row(DType::F32, &[4]), row(DType::F32, &[8]));
        let (pairs, mixed) = ([f, f], [f, g]);
        let (ints, matrix) = ([row(DType::I32, &[4]); 2], [Layout { shape: &[1, 2], strides: &[8, 4], ..f }, f]);
        let add = find("add").expect("in the table");
        let ncnn = Rule::ncnn();
        let key = Key { function: Function::operator(add), rule: None, words: &[], operands: &pairs, out: None };
        let keys = [
            key,
            Key { function: Function::promoted(add), ..key },
            Key { function: Function::numbered(0, 1), ..key },
            Key { function: Function::numbered(1, 1), ..key },
            Key { rule: Some(&ncnn), ..key },
            Key { words: &[1], ..key },
            Key { words: &[1, 1], ..key },
            Key { operands: &mixed, ..key },
            Key { operands: &ints, ..key },
            Key { operands: &matrix, ..key },
            Key { out: Some(f), ..key },
            Key { out: Some(g), ..key },
        ];
        let counts = Cell::new(0);
        for (at, key) in keys.iter().enumerate() {
            let before = counts.get();
            let call = cached(key, || plan(&counts, key.operands), Arc::clone).expect("plans");
            assert_eq!(counts.get(), before + 1, "key {at} is planned");
            let again = cached(key, || plan(&counts, key.operands), Arc::clone).expect("plans");
            assert!(Arc::ptr_eq(&call, &again), "key {at} is found again");
            for (other, found) in keys.iter().enumerate().filter(|&(other, _)| other != at) {
                let entry = Entry {
                    function: found.function,
                    rule: found.rule.cloned(),
                    words: found.all_words(),
                    call: Arc::clone(&call),
                };
                assert!(!key.finds(&entry), "key {at} does not find key {other}");
            }
        }
    }
}
