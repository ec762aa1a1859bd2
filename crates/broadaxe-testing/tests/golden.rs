//! Results of every operator, dtype and layout as hashes, the same on every architecture and instruction set.
//!
//! The hashes are in `golden.txt`: a line has the operator, the dtype of its operands, and one hash (FNV-1a, 64 bits)
//! for each layout, of the bytes of the result with every element in little-endian order. They say that results are the
//! same everywhere; that they are right is what the other tests say. After a change of results that is meant, run the
//! test with `BROADAXE_GOLDEN=write` to record them again.

#![allow(clippy::print_stdout, reason = "the counts of what was compared are worth seeing")]

use std::{env, fs};

use broadaxe_kernels::Isa;

#[path = "golden/hashes.rs"]
mod hashes;

use hashes::{HEAD, LAYOUTS, kernels, line};

const RECORD: &str = include_str!("golden.txt");

#[test]
fn bits_are_the_same_everywhere() {
    let kernels = kernels();
    let names: Vec<_> = LAYOUTS.iter().map(|layout| layout.name).collect();
    let head = format!("{HEAD} {}", names.join(" "));
    if env::var_os("BROADAXE_GOLDEN").is_some_and(|value| value == "write") {
        let isa = Isa::available()[0];
        let lines = kernels.iter().map(|(name, kernel)| line(isa, name, kernel));
        let text: String = std::iter::once(head).chain(lines).map(|line| line + "\n").collect();
        fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt"), text).unwrap();
        return;
    }
    let recorded: Vec<&str> = RECORD.lines().collect();
    assert_eq!(recorded[0], head);
    assert_eq!(recorded.len() - 1, kernels.len(), "record again: operators or dtypes were added or removed");
    let mut faults = Vec::new();
    for isa in Isa::available() {
        for ((name, kernel), want) in kernels.iter().zip(&recorded[1..]) {
            let got = line(isa, name, kernel);
            if got == *want {
                continue;
            }
            for (layout, (got, want)) in LAYOUTS.iter().zip(got.split(' ').zip(want.split(' ')).skip(2)) {
                if got != want {
                    faults.push(format!("{name} {} at {}: {got}, recorded {want}", layout.name, isa.level().name()));
                }
            }
        }
    }
    let levels = Isa::available().len();
    println!(
        "{} kernels, {} layouts, {levels} instruction sets: {} differ",
        kernels.len(),
        LAYOUTS.len(),
        faults.len()
    );
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults[..faults.len().min(40)].join("\n"));
}
