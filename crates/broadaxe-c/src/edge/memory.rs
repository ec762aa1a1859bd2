//! Reads and writes memory of the caller.

use std::{
    ffi::{CStr, c_char},
    fmt::Display,
    mem, slice,
};

use crate::status::{BX_ERROR_NULL, BX_ERROR_STRUCT_SIZE, BX_ERROR_TEXT, Failure};

/// The largest size of a structure of any later version.
const MAX_STRUCT_BYTES: usize = 4096;

pub(super) fn null(what: impl Display) -> Failure {
    Failure::new(BX_ERROR_NULL, format!("{what} is null"))
}

/// Reads a text.
///
/// # Safety
/// `pointer` is null or points to a string that ends with a 0 and is not changed during `'a`.
pub(super) unsafe fn bytes<'a>(pointer: *const c_char, what: impl Display) -> Result<&'a [u8], Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the pointer is not null, and the caller promises a string that ends with a 0.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_bytes())
}

/// Reads a text that is UTF-8.
///
/// # Safety
/// As [`bytes`].
pub(super) unsafe fn text<'a>(pointer: *const c_char, what: impl Display) -> Result<&'a str, Failure> {
    // SAFETY: the caller promises what `bytes` needs.
    let bytes = unsafe { bytes(pointer, &what) }?;
    str::from_utf8(bytes).map_err(|error| Failure::new(BX_ERROR_TEXT, format!("{what} is not UTF-8: {error}")))
}

/// Reads an array; null is accepted where `count` is 0.
///
/// # Safety
/// `pointer` is null or points to `count` initialised values that are not changed during `'a`. `count` was checked against a
/// limit, so that the array is smaller than the address space.
pub(super) unsafe fn array<'a, T: Copy>(
    pointer: *const T,
    count: usize,
    what: impl Display,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the pointer is not null, and the caller promises `count` values there.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// Copies values to a buffer, unless it is null.
///
/// # Safety
/// `to` is null or points to memory for as many values.
pub(super) unsafe fn write<T: Copy>(to: *mut T, values: &[T]) {
    if !to.is_null() {
        // SAFETY: the caller promises memory for all values. `values` is memory of this library, so the two do not overlap.
        unsafe { to.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    }
}

/// A structure that starts with its size.
///
/// # Safety
/// The type is `repr(C)`, its first field is a `usize`, and every value of its other fields is valid.
pub(super) unsafe trait Structure: Copy {}

/// Checks the size of a structure and copies it.
///
/// Fields that this version does not know must be 0: a caller that sets them expects an effect.
///
/// # Safety
/// `pointer` is null or points to an initialised structure, which starts with its size.
pub(super) unsafe fn structure<T: Structure>(pointer: *const T, what: impl Display) -> Result<T, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: a `Structure` starts with a `usize`, and the caller promises that it is initialised.
    let size = unsafe { pointer.cast::<usize>().read() };
    let known = mem::size_of::<T>();
    let fail = |why: &str| {
        let text = format!("struct_size of {what} is {size}, and this version has {known} bytes: {why}");
        Err(Failure::new(BX_ERROR_STRUCT_SIZE, text))
    };
    if size < known {
        return fail("set it to the size of the structure");
    }
    if size > MAX_STRUCT_BYTES {
        return fail("it is not the size of a structure");
    }
    // SAFETY: the structure has `size` bytes, which the caller promises, and `known` is at most that.
    let rest = unsafe { slice::from_raw_parts(pointer.cast::<u8>().add(known), size - known) };
    if rest.iter().any(|&byte| byte != 0) {
        return fail("fields that it does not know are set");
    }
    // SAFETY: the structure has at least the size of `T`, and every value of its fields is valid.
    Ok(unsafe { pointer.read() })
}
