//! Compiles C and C++ programs with gcc and clang, with warnings as errors, and runs them, also with the address sanitizer
//! and valgrind.
//!
//! The programs are those in this folder and those in the README and the guide. Without a compiler these tests are skipped, and
//! a message says so. In CI, where the variable `CI` is set, a missing gcc is a failure.
#![allow(clippy::print_stdout)]
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

mod build;
mod instances;

mod cases;

mod pages;
#[cfg(target_os = "linux")]
mod symbols;

use build::{Mode, Program, model, source, with_every_checker, with_every_compiler};

#[test]
fn misuse_is_a_status() {
    with_every_checker(|compiler, mode| {
        let program = compiler.build("misuse", &Program::File(&source("misuse.c")), mode);
        let (code, output, errors) = program.run(&[model().to_str().unwrap()], "");
        assert_eq!((code, output.as_str(), errors.as_str()), (Some(0), "", ""), "{compiler:?} {mode:?}");
    });
}

/// The C++ header compiles without exceptions, and its functions return what the C functions do.
#[test]
fn cpp_header_covers_everything() {
    let file = source("cover.cpp");
    with_every_compiler(|compiler, mode| {
        // What may go wrong without exceptions is the compilation.
        let flags = if mode == Mode::Plain { &["-fexceptions", "-fno-exceptions"][..] } else { &["-fexceptions"] };
        for &extra in flags {
            let program = compiler.build_with(&format!("cover{extra}"), &Program::File(&file), mode, &[extra]);
            let (code, output, errors) = program.run(&[model().to_str().unwrap()], "");
            assert_eq!((code, output.as_str(), errors.as_str()), (Some(0), "", ""), "{compiler:?} {mode:?} {extra}");
        }
    });
}
