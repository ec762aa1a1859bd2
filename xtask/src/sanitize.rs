//! Runs the tests of everything that has unsafe code under the address sanitizer of the compiler.
//!
//! Guard pages around operands, which the tests set up themselves, detect an access one page too far; this detects an access one byte
//! too far in any allocation, and what is used after it was freed. The sanitizer is an unstable option of the compiler, so
//! the stable one is told to accept it; its build folder is separate.

use std::{env, path::Path, process::Command};

pub(crate) const SANITIZE_USAGE: &str = "[FILTER]";

/// The tests that run: those of the crates with the kernels and the engine, and the random programs over both.
const TESTS: &[&str] = &["test", "-p", "broadaxe-kernels", "-p", "broadaxe", "--lib", "--tests", "--no-fail-fast"];

/// What the compiler is told. Checks are calls: inline, they would multiply the code of the kernels and the time of its compile.
const FLAGS: &str = "-Zsanitizer=address -Cllvm-args=-asan-instrumentation-with-call-threshold=0";

/// Compiles the kernels without optimisation, which is faster. Optimised loops are tested with guard pages instead.
pub(crate) const PLAIN: &[&str] = &["--config", "profile.dev.package.broadaxe-kernels.opt-level=0"];

/// The faults that belong to the tests: those of guard pages, and of files that are cut while they are mapped.
const OPTIONS: &str = "handle_segv=0:handle_sigbus=0:detect_leaks=1:allocator_may_return_null=1";

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let filter = match words {
        [] => None,
        [filter] if !filter.starts_with('-') => Some(filter),
        _ => return Err(format!("unknown arguments {}; usage: sanitize {SANITIZE_USAGE}", words.join(" "))),
    };
    let host = host()?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(TESTS)
        .args(["--target", &host, "--target-dir", "target/sanitize"])
        .args(PLAIN)
        .args(filter)
        .current_dir(root);
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", FLAGS).env("ASAN_OPTIONS", OPTIONS);
    let status = command.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err("the sanitizer found something, or a test failed".to_owned()) }
}

/// Asks the compiler which machine it builds for. The sanitizer needs it by name, or build scripts would get it as well.
fn host() -> Result<String, String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().map_err(|error| format!("rustc cannot be run: {error}"))?;
    named(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| "rustc -vV names no host".to_owned())
}

/// Finds the host in what `rustc -vV` says.
fn named(version: &str) -> Option<String> {
    version.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found() {
        assert_eq!(named("rustc 1.0\nhost: riscv64gc\nrelease: 1.0\n").as_deref(), Some("riscv64gc"));
        assert_eq!(named("rustc 1.0\n"), None);
    }

    #[test]
    fn words_that_mean_nothing_are_refused() {
        for words in [&["--quick"][..], &["a", "b"]] {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            assert!(run(Path::new("."), &words).is_err_and(|why| why.contains("[FILTER]")), "{words:?}");
        }
    }
}
