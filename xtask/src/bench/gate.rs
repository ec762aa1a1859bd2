//! Compares instructions per call of a few small workloads, which do not depend on the load of the machine.
//!
//! A kernel that stops vectorising executes several times the instructions, long before anyone looks at a chart. They are counted
//! under valgrind, twice with different numbers of calls, so that the difference is the calls' alone. The CPU that valgrind shows
//! never has AVX-512, so that counts recorded on one machine with AVX2 hold on another, with the same toolchain.
//!
//! Both the build that is released and the build of the tests are counted. The kernels of both are optimised; the second costs no
//! compiling where the tests run anyway.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::json;

use super::table::{self, Workload};

/// Where the counts are.
const RECORD: &str = "bench/record/instructions.txt";
/// How many times the recorded instructions are let through: compilers differ by less, and a loop that is no longer in
/// vectors, or in shorter ones, executes more.
const SLACK: f64 = 1.25;
const CALLS: (u32, u32) = (1, 4);

/// Names a build of the runner, in the order of the columns of the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Build {
    /// With the profile `release`.
    Release,
    /// With the profile of development, as the tests.
    Dev,
}

/// Says whether valgrind is installed.
pub(super) fn can_count() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Counts what a build executes, and compares it with the record.
pub(super) fn run(root: &Path, runner: &Path, build: Build) -> Result<(), String> {
    let counts = count_all(root, runner)?;
    let text = fs::read_to_string(root.join(RECORD))
        .map_err(|error| format!("{RECORD}: {error}; write it with --gate-record"))?;
    let (lines, worse) = compare(&counts, &text, build)?;
    println!("{lines}");
    if worse.is_empty() {
        Ok(())
    } else {
        let percent = (SLACK - 1.0) * 100.0;
        Err(format!(
            "{} executed over {percent:.0} % more instructions; fix that, or record them: --gate-record",
            worse.join(" ")
        ))
    }
}

/// Counts what both builds execute, and records it.
pub(super) fn record(root: &Path, release: &Path, dev: &Path) -> Result<(), String> {
    let (release, dev) = (count_all(root, release)?, count_all(root, dev)?);
    let pairs = release.iter().zip(&dev);
    let lines: Vec<String> = pairs.map(|((name, release), (_, dev))| format!("{name} {release} {dev}")).collect();
    let lines = lines.join("\n");
    let head = "# Instructions per call at the AVX2 level, of the profiles release and dev, written by `cargo xtask bench --gate-record`.\n";
    fs::write(root.join(RECORD), format!("{head}{lines}\n")).map_err(|error| format!("{RECORD}: {error}"))?;
    println!("{lines}");
    Ok(())
}

/// Counts the instructions of a call of every workload.
fn count_all(root: &Path, runner: &Path) -> Result<Vec<(String, u64)>, String> {
    if !can_count() {
        return Err("bench --gate counts with valgrind, which is not installed".to_owned());
    }
    let text = fs::read_to_string(root.join("bench/gate.txt")).map_err(|error| format!("bench/gate.txt: {error}"))?;
    let workloads = table::parse(&text).map_err(|why| format!("bench/gate.txt: {why}"))?;
    let mut counts = Vec::new();
    for workload in &workloads {
        let few = count(runner, &super::target(root), workload, CALLS.0)?;
        let many = count(runner, &super::target(root), workload, CALLS.1)?;
        counts.push((workload.name.clone(), many.saturating_sub(few) / u64::from(CALLS.1 - CALLS.0)));
    }
    Ok(counts)
}

/// Compares counts with recorded ones; returns a table, and the names of those that grew.
fn compare(counts: &[(String, u64)], record: &str, build: Build) -> Result<(String, Vec<String>), String> {
    let mut worse = Vec::new();
    let mut lines = vec![format!("{:12} {:>12} {:>12}", "workload", "recorded", "now")];
    for (name, now) in counts {
        let line = record.lines().find_map(|line| line.strip_prefix(name.as_str())?.strip_prefix(' '));
        let before: u64 = line
            .and_then(|counts| counts.split_whitespace().nth(build as usize)?.parse().ok())
            .ok_or_else(|| format!("{RECORD} has no count of {name}; write it with --gate-record"))?;
        let grown = *now as f64 > before as f64 * SLACK;
        if grown {
            worse.push(name.clone());
        }
        let ratio = *now as f64 / (before as f64).max(1.0);
        lines.push(format!("{name:12} {before:>12} {now:>12} {ratio:>6.2}{}", if grown { " more" } else { "" }));
    }
    Ok((lines.join("\n"), worse))
}

/// Counts the instructions of a runner that makes this many calls.
fn count(runner: &Path, folder: &Path, workload: &Workload, calls: u32) -> Result<u64, String> {
    let failed = |why: &str| format!("{} cannot be counted: {why}", workload.name);
    let file = folder.join("callgrind.out");
    let mut process = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(runner)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    let requests = [workload.request(None), json!({ "do": "repeat", "times": calls }), json!({ "do": "quit" })];
    if let Some(mut pipe) = process.stdin.take() {
        for request in requests {
            writeln!(pipe, "{request}").map_err(|error| failed(&error.to_string()))?;
        }
    }
    let output = process.wait_with_output().map_err(|error| failed(&error.to_string()))?;
    let (answers, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if answers.lines().count() != 3 || answers.contains("skip") {
        return Err(failed(&format!("{} {}", answers.trim(), complaints.trim())));
    }
    let text = fs::read_to_string(&file).map_err(|error| failed(&error.to_string()))?;
    // What it has counted is gone with the run; only the number is kept.
    let _ = fs::remove_file(&file);
    total(&text).ok_or_else(|| failed("its file has no total"))
}

/// Returns the total of a file of callgrind's.
fn total(text: &str) -> Option<u64> {
    let number = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
    number("summary:").or_else(|| number("totals:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_beyond_the_slack_is_found() {
        let counts = |now: u64| vec![("add".to_owned(), 100), ("add_u8".to_owned(), now)];
        let record = "# page\nadd 100 400\nadd_u8 1000 2000\n";
        for (now, want) in [(900, ""), (1000, ""), (1250, ""), (1251, "add_u8"), (8000, "add_u8")] {
            let (lines, worse) = compare(&counts(now), record, Build::Release).expect("both are recorded");
            assert_eq!(worse.join(" "), want, "{now}: {lines}");
            let (lines, worse) = compare(&counts(2 * now), record, Build::Dev).expect("both are recorded");
            assert_eq!(worse.join(" "), want, "{now}: {lines}");
        }
        assert!(compare(&counts(1), "add 100", Build::Release).is_err_and(|why| why.contains("add_u8")));
        assert!(compare(&counts(1), "add 100\nadd_u8 100", Build::Dev).is_err_and(|why| why.contains("of add;")));
    }

    #[test]
    fn totals_are_found() {
        let cases = [("events: Ir\nsummary: 1234\n", Some(1234)), ("totals: 77", Some(77)), ("events: Ir", None)];
        for (text, want) in cases {
            assert_eq!(total(text), want, "{text}");
        }
    }
}
