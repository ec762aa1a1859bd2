//! Asks a program in a child process: it may end, hang, or write lines that are no answers.

use std::{
    io::{BufRead, BufReader, Read},
    process::{ChildStdout, Command},
    sync::mpsc::{RecvTimeoutError, Sender},
    time::Duration,
};

use broadaxe_atlas::{Answer, Question};
use serde::Deserialize;

use broadaxe_session::child::Child;

use crate::error::{Error, quoted};

/// The longest line of an answer, in bytes.
const LONGEST_LINE_BYTES: u64 = 1 << 24;
/// How many questions a program may leave without an answer before its first one.
const MOST_UNANSWERED: usize = 3;

/// What a program says of itself in its first line.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub(super) struct Named {
    pub(super) engine: String,
    pub(super) version: String,
    pub(super) device: String,
}

/// A program that answers questions. It is started when the first is asked, and again when it has ended.
pub(super) struct Program {
    command: Vec<String>,
    limit: Duration,
    running: Option<Child<String>>,
    named: Option<Named>,
    has_answered: bool,
    unanswered: usize,
}

impl Program {
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
        Ok(Self { command, limit, running: None, named: None, has_answered: false, unanswered: 0 })
    }

    /// Returns what the program said of itself.
    pub(super) fn named(&self) -> Option<&Named> {
        self.named.as_ref()
    }

    /// Asks a question. A program that ends, or does not answer in time, is an answer.
    ///
    /// # Errors
    /// When the program does not start, or never answers.
    pub(super) fn ask(&mut self, question: &Question<'_>) -> Result<Answer, Error> {
        let running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let id = question.id();
        running.send(format!("{}\n", question.json()).into_bytes());
        loop {
            match running.answer(self.limit) {
                Ok(line) => match header(&line) {
                    Some(named) => _ = self.named.get_or_insert(named),
                    None => return self.answered(running, &line, &id),
                },
                Err(RecvTimeoutError::Timeout) => {
                    return self.failed(format!("does not answer within {} seconds", self.limit.as_secs()), "");
                }
                Err(RecvTimeoutError::Disconnected) => return self.failed(running.ended(), ""),
            }
        }
    }

    fn start(&self) -> Result<Child<String>, Error> {
        let mut command = Command::new(&self.command[0]);
        let started = Child::start(command.args(&self.command[1..]), read);
        started.map_err(|error| Error::usage(format!("--ask: cannot start '{}': {error}", self.command[0])))
    }

    fn answered(&mut self, running: Child<String>, line: &str, id: &str) -> Result<Answer, Error> {
        match Answer::read(line, id) {
            // After a line that is no answer, nothing says which question the next line answers.
            Answer::Crashed(why) => self.failed(why, &format!(" writes '{}',", quoted(line.trim()))),
            answer => {
                self.has_answered = true;
                self.running = Some(running);
                Ok(answer)
            }
        }
    }

    /// Makes a failure the answer; where the program leaves the first questions without one, it ends the run.
    fn failed(&mut self, how: String, writes: &str) -> Result<Answer, Error> {
        self.unanswered += 1;
        if self.has_answered || self.unanswered < MOST_UNANSWERED {
            return Ok(Answer::Crashed(how));
        }
        let error = Error::usage(format!(
            "--ask: {}{writes} {how}; it answered none of {MOST_UNANSWERED} questions",
            self.command.join(" ")
        ));
        Err(error.with_detail(
            "  its own messages are above; a question is a line of JSON on standard input, and so is an answer on standard output".to_owned(),
        ))
    }
}

/// Reads the line in which a program says what it is.
fn header(line: &str) -> Option<Named> {
    let is_header = line.contains("\"engine\"") && !line.contains("\"id\"");
    is_header.then(|| serde_json::from_str(line).ok()).flatten()
}

/// Reads lines until there are no more.
fn read(stdout: ChildStdout, lines: &Sender<String>) {
    let mut from = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match from.by_ref().take(LONGEST_LINE_BYTES).read_until(b'\n', &mut line) {
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
