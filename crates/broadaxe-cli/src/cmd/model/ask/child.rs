//! Runs an engine in a child process, and asks it: the process may end, hang, or write invalid answers.

use std::{
    io::{BufRead, BufReader, Read},
    process::ChildStdout,
    sync::mpsc::{RecvTimeoutError, Sender},
    time::Duration,
};

use broadaxe_models::{
    Attribute,
    ask::{Outcome, Question, QuestionTensor},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    engines::{self, Engine},
    isolation::EmptyFolder,
};
use crate::{
    child::Child,
    error::{Error, escaped},
};

/// How long an engine may take to start.
const START_TIME: Duration = Duration::from_mins(2);
/// The longest line of an answer, and the most bytes of elements, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 16;
const MAX_RESULT_BYTES: usize = 1 << 30;

/// An engine that answers questions; its process is started when the first is asked, and again when it has ended.
#[derive(Debug)]
pub(super) struct Asker {
    engine: Engine,
    script: String,
    limit: Duration,
    running: Option<Running>,
    /// The device that it computes on, where it says one.
    device: Option<String>,
}

/// The process of an engine.
#[derive(Debug)]
struct Running {
    child: Child<Option<Reply>>,
    folder: EmptyFolder,
    /// Whether it has given a wrong result.
    was_wrong: bool,
}

/// What the process wrote.
#[derive(Debug)]
enum Reply {
    /// A line, and the bytes that it counts.
    Said(Said, Vec<u8>),
    /// Something else.
    Garbage,
}

/// A line of an answer; one of the members says what it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    ready: bool,
    device: Option<String>,
    fails: Option<String>,
    refused: Option<String>,
    unknown: Option<String>,
    shape: Option<Vec<usize>>,
    kind: String,
    bytes: usize,
}

impl Asker {
    pub(super) fn new(engine: &Engine, limit: Duration) -> Self {
        Self { engine: engine.clone(), script: engine.wanted.runtime.script(), limit, running: None, device: None }
    }

    /// Returns the script that drives the engine.
    pub(super) fn script(&self) -> &str {
        &self.script
    }

    /// Asks a question. A process that ends is an answer.
    ///
    /// A wrong result may be read from memory outside a tensor, and some engines write there too. A refusal behind one is
    /// an answer only if a new process gives it.
    ///
    /// # Errors
    /// When the engine does not start.
    pub(super) fn ask(&mut self, question: &Question) -> Result<Outcome, Error> {
        let doubtful = self.running.as_ref().is_some_and(|running| running.was_wrong);
        let mut outcome = self.outcome(question)?;
        if doubtful && outcome.is_refused() {
            self.running = None;
            outcome = self.outcome(question)?;
        }
        Ok(Outcome { device: self.device.clone(), ..outcome })
    }

    fn outcome(&mut self, question: &Question) -> Result<Outcome, Error> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let limit = self.limit;
        running.child.send(request(question, limit));
        match running.child.answer(limit) {
            Ok(Some(Reply::Said(said, data))) => {
                let outcome = outcome(question, &said, &data);
                if let Some(outcome) = outcome {
                    running.was_wrong |= outcome.is_wrong();
                    self.running = Some(running);
                    return Ok(outcome);
                }
                Ok(Outcome::unknown("its answer cannot be read"))
            }
            Ok(Some(Reply::Garbage)) => Ok(Outcome::unknown("its answer cannot be read")),
            Err(RecvTimeoutError::Timeout) => {
                Ok(Outcome::unknown(format!("it does not answer within {} seconds", limit.as_secs())))
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected) => Ok(Outcome::refused(running.ended())),
        }
    }

    /// Starts the process.
    fn start(&mut self) -> Result<Running, Error> {
        let running = Running::new(&self.engine, &self.script)?;
        let fails = |why: &str| {
            let Engine { wanted, version, python } = &self.engine;
            let (package, python) = (wanted.runtime.package, escaped(&python.display().to_string()));
            Error::usage(format!("--ask {}: {package} {version} does not work: {why}", wanted.runtime.name))
                .with_detail(format!("  it was started with {python}"))
        };
        match running.child.answer(START_TIME) {
            Ok(Some(Reply::Said(Said { ready: true, device, .. }, _))) => {
                self.device = device.map(|name| one_line(&name));
                Ok(running)
            }
            Ok(Some(Reply::Said(Said { fails: Some(why), .. }, _))) => Err(fails(&one_line(&why))),
            Ok(Some(_)) => Err(fails("its first answer cannot be read")),
            Ok(None) | Err(RecvTimeoutError::Disconnected) => Err(fails(&format!("it {}", running.ended()))),
            Err(RecvTimeoutError::Timeout) => {
                Err(fails(&format!("it does not start within {} seconds", START_TIME.as_secs())))
            }
        }
    }
}

impl Running {
    fn new(engine: &Engine, script: &str) -> Result<Self, Error> {
        let folder = EmptyFolder::new()?;
        let mut command = engines::command(&engine.python, &folder, script, &[]);
        let child = Child::start(&mut command, read).map_err(|error| Error::io(&engine.python, "start it", &error))?;
        child.send(script.as_bytes().to_vec());
        Ok(Self { child, folder, was_wrong: false })
    }

    /// Says how the process ended.
    fn ended(self) -> String {
        let Self { child, folder, .. } = self;
        let how = child.ended();
        drop(folder);
        how
    }
}

/// Reads answers, and says that there are no more by nothing.
fn read(stdout: ChildStdout, answers: &Sender<Option<Reply>>) {
    let mut from = BufReader::new(stdout);
    loop {
        let answer = one(&mut from);
        let more = matches!(answer, Some(Reply::Said(..)));
        if answers.send(answer).is_err() || !more {
            return;
        }
    }
}

/// Reads an answer; nothing at the end.
fn one(from: &mut impl BufRead) -> Option<Reply> {
    let mut line = Vec::new();
    from.take(MAX_LINE_BYTES).read_until(b'\n', &mut line).ok()?;
    if line.is_empty() {
        return None;
    }
    let Ok(said) = serde_json::from_slice::<Said>(&line) else { return Some(Reply::Garbage) };
    if said.bytes > MAX_RESULT_BYTES {
        return Some(Reply::Garbage);
    }
    let mut data = Vec::new();
    from.take(said.bytes as u64).read_to_end(&mut data).ok()?;
    (data.len() == said.bytes).then_some(Reply::Said(said, data))
}

/// Reads what an answer says; nothing where it is not one.
fn outcome(question: &Question, said: &Said, data: &[u8]) -> Option<Outcome> {
    if let Some(why) = &said.refused {
        return Some(Outcome::refused(format!("it says: {}", one_line(why))));
    }
    if let Some(why) = &said.unknown {
        return Some(Outcome::unknown(one_line(why)));
    }
    let shape = said.shape.as_ref()?;
    let values: Vec<f64> = match said.kind.as_str() {
        "f4" => data.chunks_exact(4).map(|one| f32::from_le_bytes(one.try_into().unwrap_or_default()).into()).collect(),
        "f8" => data.chunks_exact(8).map(|one| f64::from_le_bytes(one.try_into().unwrap_or_default())).collect(),
        "i8" => data.chunks_exact(8).map(|one| i64::from_le_bytes(one.try_into().unwrap_or_default()) as f64).collect(),
        _ => return None,
    };
    (shape.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim)) == Some(values.len()))
        .then(|| question.judge(shape, &values))
}

/// Puts a text into one line of moderate length.
fn one_line(text: &str) -> String {
    const MOST: usize = 240;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = words.chars().take(MOST).collect();
    if cut.len() < words.len() { cut + "..." } else { cut }
}

/// Writes a question: a line of JSON, and the bytes that it counts.
pub(super) fn request(question: &Question, limit: Duration) -> Vec<u8> {
    let tensor = |tensor: &QuestionTensor| {
        json!({
            "name": tensor.name,
            "dtype": tensor.dtype.name(),
            "shape": tensor.shape,
            "constant": tensor.constant,
            "bytes": tensor.data.len(),
        })
    };
    let options: Map<String, Value> =
        question.attributes.iter().filter_map(|(name, value)| Some((name.clone(), plain(value)?))).collect();
    let line = json!({
        "op": question.op,
        "version": question.version,
        "options": options,
        "model": question.model.as_ref().map(Vec::len),
        "inputs": question.inputs.iter().map(|one| one.as_ref().map(tensor)).collect::<Vec<_>>(),
        "output": tensor(&question.output),
        "seconds": limit.as_secs(),
    });
    let mut bytes = line.to_string().into_bytes();
    bytes.push(b'\n');
    bytes.extend(question.model.iter().flatten());
    for tensor in question.inputs.iter().flatten() {
        bytes.extend(&tensor.data);
    }
    bytes
}

fn plain(value: &Attribute) -> Option<Value> {
    Some(match value {
        Attribute::Int(value) => json!(value),
        Attribute::Float(value) => json!(value),
        Attribute::Text(value) => json!(value),
        Attribute::Ints(values) => json!(values),
        Attribute::Floats(values) => json!(values),
        Attribute::Texts(values) => json!(values),
        _ => return None,
    })
}
