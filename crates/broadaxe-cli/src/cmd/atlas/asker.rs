//! Asks a program in a child process: it may end, hang, or write lines that are no answers.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

use broadaxe_atlas::{Answer, Question};
use serde::Deserialize;

use crate::error::Error;

/// The longest line of an answer, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 24;
/// How often the program may end before it has answered anything.
const MAX_STARTS: usize = 3;

/// What a program says of itself in its first line.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub(super) struct Engine {
    pub(super) engine: String,
    pub(super) version: String,
    pub(super) device: String,
}

/// A program that answers questions. It is started when the first is asked, and again when it has ended.
pub(super) struct Asker {
    command: Vec<String>,
    limit: Duration,
    running: Option<Running>,
    engine: Option<Engine>,
    answered: bool,
    ended: usize,
}

struct Running {
    child: Child,
    questions: Sender<Vec<u8>>,
    lines: Receiver<String>,
}

impl Asker {
    /// Reads the command line of a program.
    ///
    /// # Errors
    /// When it is empty, or a quotation mark is not closed.
    pub(super) fn new(command: &str, limit: Duration) -> Result<Self, Error> {
        let words = if cfg!(windows) {
            Some(command.split_whitespace().map(str::to_owned).collect())
        } else {
            shlex::split(command)
        };
        let command: Vec<String> =
            words.ok_or_else(|| Error::usage(format!("--ask: a quotation mark is not closed in {command:?}")))?;
        if command.is_empty() {
            return Err(Error::usage("--ask names no program; give a command line, such as --ask 'python adapter.py'"));
        }
        Ok(Self { command, limit, running: None, engine: None, answered: false, ended: 0 })
    }

    /// Returns what the program said of itself.
    pub(super) fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// Asks a question. A program that ends, or does not answer in time, is an answer.
    ///
    /// # Errors
    /// When the program does not start, or never answers.
    pub(super) fn ask(&mut self, question: &Question<'_>) -> Result<Answer, Error> {
        let running = match self.running.take() {
            Some(running) => running,
            None => Running::new(&self.command)?,
        };
        let id = question.id();
        let mut line = question.json().to_string().into_bytes();
        line.push(b'\n');
        // A program that has ended cannot be written to; it is noticed when it is read from.
        let _ = running.questions.send(line);
        loop {
            match running.lines.recv_timeout(self.limit) {
                Ok(line) => {
                    if let Some(engine) = header(&line) {
                        self.engine.get_or_insert(engine);
                        continue;
                    }
                    self.answered = true;
                    let answer = Answer::read(&line, &id);
                    // After a line that is no answer, nothing says which question the next line answers.
                    if !matches!(answer, Answer::Crashed(_)) {
                        self.running = Some(running);
                    }
                    return Ok(answer);
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Ok(Answer::Crashed(format!("does not answer within {} seconds", self.limit.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let how = running.ended();
                    self.ended += 1;
                    if !self.answered && self.ended >= MAX_STARTS {
                        return Err(Error::usage(format!("--ask: {} {how} before it answers", self.command.join(" ")))
                            .with_detail(
                                "  its own messages are above; a question is a line of JSON on standard input"
                                    .to_owned(),
                            ));
                    }
                    return Ok(Answer::Crashed(format!("the program {how}")));
                }
            }
        }
    }
}

/// Reads the line in which a program says what it is.
fn header(line: &str) -> Option<Engine> {
    let is_header = line.contains("\"engine\"") && !line.contains("\"id\"");
    is_header.then(|| serde_json::from_str(line).ok()).flatten()
}

impl Running {
    fn new(command: &[String]) -> Result<Self, Error> {
        let mut started = Command::new(&command[0]);
        started.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let pipes = |mut child: Child| {
            let pipes = child.stdin.take().zip(child.stdout.take());
            Ok((child, pipes.ok_or(io::ErrorKind::BrokenPipe)?))
        };
        let (child, (stdin, stdout)) = started
            .spawn()
            .and_then(pipes)
            .map_err(|error| Error::usage(format!("--ask: cannot start '{}': {error}", command[0])))?;
        let ((questions, to_write), (to_read, lines)) = (mpsc::channel(), mpsc::channel());
        thread::spawn(move || write(stdin, &to_write));
        thread::spawn(move || read(stdout, &to_read));
        Ok(Self { child, questions, lines })
    }

    /// Says how the process ended.
    fn ended(mut self) -> String {
        self.child.wait().map_or_else(|error| error.to_string(), |status| format!("ends ({status})"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(mut stdin: ChildStdin, questions: &Receiver<Vec<u8>>) {
    for question in questions {
        if stdin.write_all(&question).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read(stdout: ChildStdout, lines: &Sender<String>) {
    let mut from = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.trim_ascii().is_empty() => (),
            Ok(_) => {
                if lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        }
    }
}
