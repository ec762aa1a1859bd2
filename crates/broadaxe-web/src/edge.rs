//! Calls of JavaScript: it reads the files of the page.

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
