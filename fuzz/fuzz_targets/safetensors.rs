//! Reads arbitrary bytes as a `.safetensors` file: nothing panics, and every element of what is read can be reached.

#![no_main]

use broadaxe_cli::file::{Format, Source, read_from};
use libfuzzer_sys::fuzz_target;

/// The most bytes an array may take.
const LIMIT: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    for key in [None, Some("a")] {
        let mut source = Source::new(std::io::Cursor::new(bytes), bytes.len() as u64);
        match read_from(&mut source, Some(Format::Safetensors), key, LIMIT) {
            Ok(array) => {
                assert!(array.byte_count() as u64 <= LIMIT);
                array.view().expect("an array that was read has all its elements");
            }
            Err(error) => assert!(error.offset().is_none_or(|at| at <= bytes.len() as u64 + LIMIT), "{error}"),
        }
    }
});
