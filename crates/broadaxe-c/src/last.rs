//! The last failure of each thread.

#![forbid(unsafe_code)]

use std::cell::RefCell;

use crate::status::Failure;

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Stores a failure, unless the thread is ending and its storage is gone.
pub(crate) fn set(failure: Failure) {
    let _ = LAST.try_with(|last| last.borrow_mut().replace(failure));
}

/// Applies a function to the last failure of this thread, if it had one.
pub(crate) fn read<T>(of: impl Fn(&Failure) -> T) -> Option<T> {
    LAST.try_with(|last| last.borrow().as_ref().map(of)).ok().flatten()
}
