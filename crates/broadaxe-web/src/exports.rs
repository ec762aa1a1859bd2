//! The edge to JavaScript: memory for requests and answers.

use std::{alloc::Layout, slice};

use crate::answer::answer;

/// The bytes in front of an answer that hold its length.
const HEAD: usize = size_of::<u32>();

/// Reserves memory for a request of this many bytes. [`call`] frees it.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// Answers the request in memory of this length that [`reserve`] returned, and frees that memory. Returns an answer: its length as four
/// bytes, the lowest first, and the text. [`release`] frees it.
///
/// # Safety
/// `request` and `len` must be from one call of [`reserve`], and must not have been passed to this function before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(request: *mut u8, len: usize) -> *mut u8 {
    // SAFETY: the caller passes what `reserve` made of a boxed slice of this length, once.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, len)) };
    let text = String::from_utf8_lossy(&request);
    let answer = answer(&text);
    let mut bytes = Vec::with_capacity(HEAD + answer.len());
    bytes.extend((answer.len() as u32).to_le_bytes());
    bytes.extend(answer.into_bytes());
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Frees an answer.
///
/// # Safety
/// `answer` must be from [`call`], and must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(answer: *mut u8) {
    // SAFETY: an answer begins with its length, and is a boxed slice of that length behind the head.
    unsafe {
        let head = slice::from_raw_parts(answer, HEAD);
        let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let layout = Layout::array::<u8>(HEAD + len).unwrap_or(Layout::new::<u8>());
        std::alloc::dealloc(answer, layout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_from_the_outside() {
        let request = b"ask 2+2,2";
        let memory = reserve(request.len());
        // SAFETY: the memory has this length, and each pointer is passed once.
        let answer = unsafe {
            slice::from_raw_parts_mut(memory, request.len()).copy_from_slice(request);
            let answer = call(memory, request.len());
            let head = slice::from_raw_parts(answer, HEAD);
            let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
            let text = String::from_utf8_lossy(slice::from_raw_parts(answer.add(HEAD), len)).into_owned();
            release(answer);
            text
        };
        assert!(answer.contains("element (0, 1)"), "{answer}");
    }
}
