//! Reads shapes and rules from arbitrary text: nothing panics, and what was read is written so that it reads the same.

#![no_main]

use std::{fmt::Display, str::FromStr};

use broadaxe_shape::{Rule, Shape};
use libfuzzer_sys::fuzz_target;

/// Panics when a text that reads as a `T` is not written back as text of the same `T`.
fn round_trip<T: FromStr + Display + PartialEq>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        let written = value.to_string();
        assert!(written.parse().is_ok_and(|again: T| again == value), "{text:?} was written as {written:?}");
    }
}

fuzz_target!(|text: &str| {
    round_trip::<Shape>(text);
    round_trip::<Rule>(text);
});
