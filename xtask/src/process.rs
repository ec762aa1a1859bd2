//! Runs programs, shows what they print, and counts the tests in it.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    ops::AddAssign,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
    thread,
};

/// What came of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Skipped,
    NotRun,
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped on this machine",
            Self::NotRun => "not run",
        }
    }
}

/// Counts tests, and the files outside the repository that they read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    failed: u64,
    ignored: u64,
    pub(crate) outside: u64,
}

impl Count {
    /// Reads a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; ...`, pytest's last one, such as
    /// `1 failed, 3 passed, 2 skipped in 0.12s`, or `fix: read 3 files outside the repository, in ...`; other lines
    /// count nothing.
    fn read(line: &str) -> Self {
        let line = line.trim();
        if let Some((before, _)) = line.split_once(" files outside the repository") {
            let outside = before.rsplit(' ').next().and_then(|number| number.parse().ok());
            return Self { outside: outside.unwrap_or(0), ..Self::default() };
        }
        let Some(result) = line.strip_prefix("test result: ") else { return Self::of_pytest(line) };
        let number = |what: &str| {
            let mut parts = result.split(['.', ';']).filter_map(|part| part.trim().strip_suffix(what));
            parts.find_map(|part| part.trim().parse().ok()).unwrap_or(0)
        };
        Self { passed: number("passed"), failed: number("failed"), ignored: number("ignored"), outside: 0 }
    }

    fn of_pytest(line: &str) -> Self {
        let mut count = Self::default();
        let Some((counts, _)) = line.rsplit_once(" in ") else { return count };
        for part in counts.split(", ") {
            let Some((number, what)) = part.split_once(' ') else { return Self::default() };
            let Ok(number) = number.parse::<u64>() else { return Self::default() };
            match what {
                "passed" => count.passed += number,
                "failed" | "error" | "errors" => count.failed += number,
                "skipped" => count.ignored += number,
                _ => {}
            }
        }
        count
    }
}

impl Count {
    /// Says how many tests passed, failed and were ignored.
    pub(crate) fn summary(&self) -> String {
        let Self { passed, failed, ignored, .. } = self;
        format!("tests: {passed} passed, {failed} failed, {ignored} ignored")
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.outside += other.outside;
    }
}

/// Runs commands, two at a time, shows what each printed when it has ended, and counts the tests in it. What they write to the
/// standard error is shown at once.
///
/// Tests of one program that run at the end, or that wait, leave a core to the next program.
pub(crate) fn show_by_twos(commands: impl IntoIterator<Item = Command>) -> Result<(Outcome, Count), String> {
    let waiting = Mutex::new(commands.into_iter().collect::<VecDeque<_>>());
    let ended = Mutex::new(Ok((Outcome::Passed, Count::default())));
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = || {
        while let Some(mut command) = next() {
            let output = command.stderr(Stdio::inherit()).output();
            let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
            let Ok((outcome, count)) = &mut *ended else { return };
            match output {
                Ok(output) => {
                    let text = String::from_utf8_lossy(&output.stdout);
                    println!("{}\n{text}", command.get_program().display());
                    text.lines().for_each(|line| *count += Count::read(line));
                    if !output.status.success() {
                        *outcome = Outcome::Failed;
                    }
                }
                Err(error) => *ended = Err(format!("{} cannot be run: {error}", command.get_program().display())),
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    ended.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program, shows what it says as it says it, and counts the tests in it.
pub(crate) fn show(mut command: Command) -> Result<(Outcome, Count), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("{name} cannot be run: {e}"))?;
    let mut count = Count::default();
    if let Some(output) = child.stdout.take() {
        let (mut output, mut line) = (BufReader::new(output), Vec::new());
        while output.read_until(b'\n', &mut line).map_err(|e| format!("{name}'s output cannot be read: {e}"))? > 0 {
            std::io::stdout().write_all(&line).map_err(|e| format!("{name}'s output cannot be shown: {e}"))?;
            count += Count::read(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
    let status = child.wait().map_err(|e| format!("{name} was lost: {e}"))?;
    Ok((if status.success() { Outcome::Passed } else { Outcome::Failed }, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let count = |passed, failed, ignored| Count { passed, failed, ignored, outside: 0 };
        let cases = [
            (
                "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 1 filtered out; finished in 0.1s\n",
                count(12, 0, 3),
            ),
            ("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out", count(1, 2, 0)),
            ("test a::b ... ok", count(0, 0, 0)),
            ("all of 3 passed; 0 failed", count(0, 0, 0)),
            ("1 failed, 500 passed, 31 skipped, 2 warnings in 54.12s (0:00:54)", count(500, 1, 31)),
            ("3 passed in 0.12s", count(3, 0, 0)),
            ("it is 3 in a and 2 in b", count(0, 0, 0)),
        ];
        for (line, want) in cases {
            assert_eq!(Count::read(line), want, "{line}");
        }
        let outside = |line| Count::read(line).outside;
        assert_eq!(outside("test a ... onnx: read 39 files outside the repository, in ../shared\n"), 39);
        assert_eq!(outside("fix: read no files"), 0);
    }

    #[cfg(unix)]
    #[test]
    fn two_programs_are_both_counted() {
        let says = |what: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", what]);
            command
        };
        let both = show_by_twos([says("echo 3 passed in 0.1s"), says("echo 4 passed in 0.1s")]);
        assert_eq!(both.map(|(outcome, count)| (outcome, count.passed)), Ok((Outcome::Passed, 7)));
        for failing in [[says("exit 1"), says("exit 0")], [says("exit 0"), says("exit 1")]] {
            assert_eq!(show_by_twos(failing).map(|(outcome, _)| outcome), Ok(Outcome::Failed));
        }
    }
}
