//! The last failure and the last answer of each thread.

#![forbid(unsafe_code)]

use std::{
    cell::RefCell,
    ffi::{CString, c_char},
    ptr,
};

use crate::status::Failure;

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
    static ANSWER: RefCell<CString> = RefCell::default();
}

/// Stores a failure, unless the thread is ending and its storage is gone.
pub(crate) fn set(failure: Failure) {
    let _ = LAST.try_with(|last| last.borrow_mut().replace(failure));
}

/// Applies a function to the last failure of this thread, if it had one.
pub(crate) fn read<T>(of: impl Fn(&Failure) -> T) -> Option<T> {
    LAST.try_with(|last| last.borrow().as_ref().map(of)).ok().flatten()
}

/// Stores an answer in the place of the one before; returns where it is, and its length. Null where the thread is ending.
pub(crate) fn keep(answer: String) -> (*const c_char, usize) {
    // JSON has no zero bytes.
    let answer = CString::new(answer).unwrap_or_default();
    let length = answer.as_bytes().len();
    let kept = ANSWER.try_with(|last| {
        *last.borrow_mut() = answer;
        last.borrow().as_ptr()
    });
    kept.map_or((ptr::null(), 0), |start| (start, length))
}
