//! Tasks of the repository: `cargo xtask test` and its parts.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task prints for the developer who runs it")]

mod process;

mod tidy;

mod figures;

mod python;

mod bench;

mod accuracy;
mod bombs;
mod sanitize;

mod conformance;
mod mutate;
mod cross;
mod page;
mod docs;
mod test;

mod dist;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Holds one task: its name, its usage, what it does, and its function.
struct Task {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(&Path, &[String]) -> Result<(), String>,
}

/// Every task there is. A task is added by its file and its line here.
const TASKS: &[Task] = &[
    Task { name: "test", usage: test::TEST_USAGE, about: "checks everything, in stages", run: test::run },
    Task { name: "bench", usage: bench::BENCH_USAGE, about: "times the workloads of bench/", run: bench::run },
    Task {
        name: "accuracy",
        usage: accuracy::ACCURACY_USAGE,
        about: "measures all errors and writes docs/reports/accuracy.md",
        run: accuracy::run,
    },
    Task {
        name: "sanitize",
        usage: sanitize::SANITIZE_USAGE,
        about: "tests kernels and engine under AddressSanitizer",
        run: sanitize::run,
    },
    Task {
        name: "bombs",
        usage: bombs::BOMBS_USAGE,
        about: "measures the memory of the command for hostile models",
        run: bombs::run,
    },
    Task {
        name: "conformance",
        usage: conformance::CONFORMANCE_USAGE,
        about: "compares with other engines, and writes docs/reports/conformance.md",
        run: conformance::run,
    },
    Task { name: "mutate", usage: mutate::MUTATE_USAGE, about: "reads damaged files of every kind", run: mutate::run },
    Task { name: "cross", usage: cross::CROSS_USAGE, about: "builds and tests for other machines", run: cross::run },
    Task { name: "dist", usage: dist::DIST_USAGE, about: "builds what a release has", run: dist::run },
    Task { name: "page", usage: page::PAGE_USAGE, about: "builds the page of the browser", run: page::run },
    Task { name: "docs", usage: docs::DOCS_USAGE, about: "builds the documentation site", run: docs::run },
    Task { name: "tidy", usage: "", about: "checks the conventions of the repository", run: tidy },
    Task {
        name: "figures",
        usage: figures::FIGURES_USAGE,
        about: "prints figures of the code: lines, sizes, cycles, names",
        run: figures::run,
    },
];

fn tidy(root: &Path, words: &[String]) -> Result<(), String> {
    if words.is_empty() { tidy::run(root) } else { Err(format!("unknown arguments {}; usage: tidy", words.join(" "))) }
}

fn main() -> ExitCode {
    // The folder of this crate, as cargo says it or as it was when the task was built; the repository is the one above.
    let own =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = own.parent().unwrap_or(&own);
    let words: Vec<String> = env::args().skip(1).collect();
    let name = words.first().map_or("", String::as_str);
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("cargo xtask TASK, where TASK is one of");
        for Task { name, usage, about, .. } in TASKS {
            eprintln!("  {:50} {about}", format!("{name} {usage}"));
        }
        return if ["", "help", "--help", "-h"].contains(&name) { ExitCode::SUCCESS } else { ExitCode::from(2) };
    };
    match (task.run)(root, &words[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
