//! The edge to JavaScript: memory for requests and answers.

use std::{alloc::Layout, slice};

use crate::answer::answer;

/// The bytes in front of an answer that hold its length.
const HEAD: usize = size_of::<u32>();

#[cfg(all(feature = "check", target_arch = "wasm32"))]
#[link(wasm_import_module = "env")]
unsafe extern "C" {
    #[link_name = "read"]
    fn read_file(file: u32, at: f64, into: *mut u8, len: usize) -> u32;
}

/// Reads bytes of a file of the page; returns whether it could.
#[cfg(all(feature = "check", target_arch = "wasm32"))]
pub(crate) fn read(file: u32, at: u64, buffer: &mut [u8]) -> bool {
    // SAFETY: JavaScript writes `len` bytes at `into`, which is the buffer, or none.
    unsafe { read_file(file, at as f64, buffer.as_mut_ptr(), buffer.len()) == 0 }
}

/// Reads bytes of a file that a test gave.
#[cfg(all(feature = "check", not(target_arch = "wasm32")))]
pub(crate) fn read(file: u32, at: u64, buffer: &mut [u8]) -> bool {
    FILES.with_borrow(|files| {
        let bytes = files.get(file as usize).and_then(|bytes| bytes.get(at as usize..at as usize + buffer.len()));
        bytes.is_some_and(|bytes| {
            buffer.copy_from_slice(bytes);
            true
        })
    })
}

#[cfg(all(feature = "check", not(target_arch = "wasm32")))]
thread_local! {
    /// The files of a test, in the place of those of a page.
    pub static FILES: std::cell::RefCell<Vec<Vec<u8>>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Reserves memory for a request of this many bytes. [`call`] frees it.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// Answers the request in memory of this length that [`reserve`] returned, and frees that memory. Returns an answer: its length as four
/// bytes, the lowest first, and the text. [`release`] frees it.
///
/// # Safety
/// `request` and `len` must be from one call of [`reserve`], which has not been passed to this function before.
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
