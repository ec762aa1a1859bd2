//! Reads some damaged files of every kind. `cargo xtask mutate` reads many more, each in a process that may die.

#[path = "mutants/mod.rs"]
mod mutants;

use std::panic::catch_unwind;

use broadaxe_testing::mutate::{MUTANT_KINDS, Mutants};

/// The mutants of each kind, and where they begin.
const COUNT: u64 = 200;
const SEED: u64 = 0;

#[test]
fn damaged_files_are_read_or_rejected() {
    let mut failed = Vec::new();
    for kind in MUTANT_KINDS {
        let all = Mutants::new(kind);
        let mut read = 0;
        for number in 0..COUNT {
            let bytes = all.mutant(SEED, number);
            match catch_unwind(|| mutants::holds(kind, &bytes)) {
                Ok(held) => read += u64::from(held.is_some()),
                Err(_) => failed.push(format!("{} {number}", kind.name)),
            }
        }
        let count = format!("{}: {read} of {COUNT} are read", kind.name);
        assert!((COUNT / 20..COUNT).contains(&read), "{count}: mutants should damage some files, and not all of them");
    }
    assert!(failed.is_empty(), "these do not hold:\n{}", failed.join("\n"));
}

#[test]
fn files_that_mutants_start_from_are_read() {
    for kind in MUTANT_KINDS {
        let all = Mutants::new(kind);
        let read = all.seeds().filter(|bytes| mutants::holds(kind, bytes).is_some()).count();
        assert!(read * 2 > all.seeds().len(), "{}: {read} of {}", kind.name, all.seeds().len());
    }
}
