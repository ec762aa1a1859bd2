//! Runs another program, which reads questions and writes answers: it may end, hang, or write invalid answers.

use std::{
    io::{self, Write},
    process::{self, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

/// What keeps engines from sending what they are used for, from downloading, and from compiling parts of themselves.
///
/// `.cargo/config.toml` sets the same for the tests. The converters of MNN and OpenVINO have no such variable: no script imports
/// their wrappers in Python.
pub const QUIET: [(&str, &str); 4] = [
    // ONNX Runtime sends events from version 1.29 on, with names and hashes of models.
    ("ORT_DISABLE_TELEMETRY", "1"),
    // TVM compiles a module for PyTorch when it is imported.
    ("TVM_FFI_DISABLE_TORCH_C_DLPACK", "1"),
    ("HF_HUB_OFFLINE", "1"),
    ("DO_NOT_TRACK", "1"),
];

/// A running program and its answers; it is ended when this is dropped.
#[derive(Debug)]
pub struct Child<T> {
    process: process::Child,
    questions: Sender<Vec<u8>>,
    answers: Receiver<T>,
}

impl<T: Send + 'static> Child<T> {
    /// Starts a program; `read` reads its answers in a thread of its own.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command, read: fn(ChildStdout, &Sender<T>)) -> io::Result<Self> {
        let mut process = command.envs(QUIET).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (stdin, stdout) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let ((questions, to_write), (to_read, answers)) = (mpsc::channel(), mpsc::channel());
        thread::spawn(move || write(stdin, &to_write));
        thread::spawn(move || read(stdout, &to_read));
        Ok(Self { process, questions, answers })
    }

    /// Sends a question. A program that has ended cannot be written to; it is noticed when it is read from.
    pub fn send(&self, question: Vec<u8>) {
        // The thread that writes ends only when this is dropped, or when the program has ended.
        let _ = self.questions.send(question);
    }

    /// Waits for an answer.
    ///
    /// # Errors
    /// When none comes in time, or none will come.
    pub fn answer(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        self.answers.recv_timeout(limit)
    }

    /// Says how the process ended.
    pub fn ended(mut self) -> String {
        self.process
            .wait()
            .map_or_else(|error| error.to_string(), |status| format!("ends the process ({})", how(status)))
    }
}

impl<T> Drop for Child<T> {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes how a process ended.
fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    match status.code() {
        Some(code) if cfg!(windows) && code < 0 => format!("exception {code:#x}"),
        Some(code) => format!("exit code {code}"),
        None => "without a code".to_owned(),
    }
}

/// Writes questions until there are no more, or the process does not read them.
fn write(mut stdin: ChildStdin, questions: &Receiver<Vec<u8>>) {
    for question in questions {
        if stdin.write_all(&question).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_keep_engines_quiet_too() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cargo/config.toml");
        let config: toml::Table = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        for (name, value) in QUIET {
            assert_eq!(config["env"].get(name).and_then(toml::Value::as_str), Some(value), "{name}");
        }
    }
}
