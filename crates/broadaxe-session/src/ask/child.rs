//! Runs an engine in a child process, and asks it: the process may end, hang, or write invalid answers.

use std::{
    io::{BufRead, BufReader, Read},
    process::ChildStdout,
    sync::mpsc::{RecvTimeoutError, Sender},
    time::Duration,
};

use broadaxe::DType;
use broadaxe_models::{
    Attribute,
    ask::{ModelAnswer, ModelRun, Outcome, Question, QuestionTensor, Tensor},
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
const MAX_LINE_BYTES: u64 = 1 << 24;
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
    ended: Option<String>,
    outputs: Option<Vec<SaidTensor>>,
    /// The bytes of each file that was written.
    files: Option<Vec<usize>>,
}

/// A tensor of an answer.
#[derive(Debug, Deserialize)]
struct SaidTensor {
    dtype: String,
    shape: Vec<usize>,
    bytes: usize,
}

impl Asker {
    pub(super) fn new(engine: &Engine, limit: Duration) -> Self {
        Self { engine: engine.clone(), script: engine.wanted.runtime.script(), limit, running: None, device: None }
    }

    /// Adds the device that the engine computes on, where it says one, to what it is.
    pub(super) fn with_device(&self, source: &str) -> String {
        self.device.as_ref().map_or_else(|| source.to_owned(), |device| format!("{source}, {device}"))
    }

    /// Returns the script that drives the engine.
    pub(super) fn script(&self) -> &str {
        &self.script
    }

    /// Runs a model. A process that ends is an answer: of a new process, as some engines write past the end of a tensor, and fall
    /// over later.
    ///
    /// # Errors
    /// When the engine does not start.
    pub(super) fn run(&mut self, run: &ModelRun) -> Result<ModelAnswer, Error> {
        let is_used = self.running.is_some();
        let answer = self.run_once(run)?;
        if is_used && self.running.is_none() { self.run_once(run) } else { Ok(answer) }
    }

    fn run_once(&mut self, run: &ModelRun) -> Result<ModelAnswer, Error> {
        let request = run_request(run, self.limit);
        self.answer(request, |said, data| Some(ModelAnswer::Values(values(said, data)?)))
    }

    /// Asks a question.
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
        let format = self.engine.wanted.runtime.formats[0];
        let model = match &question.model {
            Some(model) => model.clone(),
            None => match self.write(question)? {
                Ok(model) => model,
                Err(answer) => return Ok(question.outcome(&answer)),
            },
        };
        let outcome = question.outcome(&self.run(&question.run(format, model))?);
        if let Some(running) = &mut self.running {
            running.was_wrong |= outcome.is_wrong();
        }
        Ok(outcome)
    }

    /// Writes the model of a question that has none; the engine's own package has what is needed. Returns the answer where it does not.
    fn write(&mut self, question: &Question) -> Result<Result<Vec<u8>, ModelAnswer>, Error> {
        let mut file = None;
        let answer = self.answer(write_request(question, self.limit), |said, data| {
            file = Some(data.get(..*said.files.as_ref()?.first()?)?.to_vec());
            Some(ModelAnswer::Values(Vec::new()))
        })?;
        Ok(file.ok_or(answer))
    }

    /// Sends a request; `read` reads an answer that is neither a refusal nor an end.
    fn answer(
        &mut self,
        request: Vec<u8>,
        read: impl FnOnce(&Said, &[u8]) -> Option<ModelAnswer>,
    ) -> Result<ModelAnswer, Error> {
        let running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let unread = || ModelAnswer::Unknown("its answer cannot be read".to_owned());
        running.child.send(request);
        match running.child.answer(self.limit) {
            Ok(Some(Reply::Said(said, data))) => {
                let Some(answer) = refusal(&said).or_else(|| read(&said, &data)) else { return Ok(unread()) };
                self.running = Some(running);
                Ok(answer)
            }
            Ok(Some(Reply::Garbage)) => Ok(unread()),
            Err(RecvTimeoutError::Timeout) => {
                Ok(ModelAnswer::Unknown(format!("it does not answer within {} seconds", self.limit.as_secs())))
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected) => Ok(ModelAnswer::Ended(running.ended())),
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
    let Some(bytes) = said.bytes().filter(|bytes| *bytes <= MAX_RESULT_BYTES) else { return Some(Reply::Garbage) };
    let mut data = Vec::new();
    from.take(bytes as u64).read_to_end(&mut data).ok()?;
    (data.len() == bytes).then_some(Reply::Said(said, data))
}

impl Said {
    /// Returns how many bytes follow the line.
    fn bytes(&self) -> Option<usize> {
        let outputs = self.outputs.iter().flatten().map(|tensor| tensor.bytes);
        outputs.chain(self.files.iter().flatten().copied()).try_fold(0, usize::checked_add)
    }
}

/// Reads an answer that has no results.
fn refusal(said: &Said) -> Option<ModelAnswer> {
    let refused = said.refused.as_ref().map(|why| ModelAnswer::Refused(one_line(why)));
    let unknown = || said.unknown.as_ref().map(|why| ModelAnswer::Unknown(one_line(why)));
    refused.or_else(unknown).or_else(|| said.ended.as_ref().map(|how| ModelAnswer::Ended(one_line(how))))
}

/// Reads the tensors of an answer; nothing where their shapes, dtypes and bytes do not fit.
fn values(said: &Said, mut data: &[u8]) -> Option<Vec<Tensor>> {
    let mut found = Vec::new();
    for SaidTensor { dtype, shape, bytes } in said.outputs.as_ref()? {
        let dtype = DType::from_name(dtype)?;
        let size = shape.iter().try_fold(dtype.size(), |size, &dim| size.checked_mul(dim));
        let (own, rest) = data.split_at_checked(*bytes).filter(|_| size == Some(*bytes))?;
        found.push(Tensor { dtype, shape: shape.clone(), data: own.to_vec() });
        data = rest;
    }
    Some(found)
}

/// Puts a text into one line of moderate length.
fn one_line(text: &str) -> String {
    const MOST: usize = 240;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = words.chars().take(MOST).collect();
    if cut.len() < words.len() { cut + "..." } else { cut }
}

/// Writes the request of a question, which is all that an answer depends on.
pub(super) fn request(question: &Question, format: &'static str) -> Vec<u8> {
    match &question.model {
        Some(model) => run_request(&question.run(format, model.clone()), Duration::ZERO),
        None => write_request(question, Duration::ZERO),
    }
}

/// Writes a request to run a model: a line of JSON, and the bytes that it counts.
fn run_request(run: &ModelRun, limit: Duration) -> Vec<u8> {
    let input = |(name, Tensor { dtype, shape, data }): &(String, Tensor)| said(name, *dtype, shape, data);
    let line = json!({
        "do": "run",
        "model": run.model.len(),
        "weights": run.weights.as_ref().map(Vec::len),
        "format": run.format,
        "inputs": run.inputs.iter().map(input).collect::<Vec<_>>(),
        "outputs": run.outputs,
        "times": run.times,
        "options": {},
        "seconds": limit.as_secs(),
    });
    let parts = [Some(&run.model), run.weights.as_ref()].into_iter().flatten();
    framed(&line, parts.chain(run.inputs.iter().map(|(_, tensor)| &tensor.data)))
}

/// Writes a request to write the model of one node.
fn write_request(question: &Question, limit: Duration) -> Vec<u8> {
    let mut tensors: Vec<&QuestionTensor> = Vec::new();
    for tensor in question.inputs.iter().flatten() {
        if !tensors.iter().any(|known| known.name == tensor.name) {
            tensors.push(tensor);
        }
    }
    let options: Map<String, Value> =
        question.attributes.iter().filter_map(|(name, value)| Some((name.clone(), plain(value)?))).collect();
    let constants = tensors.iter().filter(|tensor| tensor.constant).map(|tensor| &tensor.name);
    let names = question.inputs.iter().map(|input| input.as_ref().map(|tensor| &tensor.name));
    let result = &question.output;
    let node = json!({
        "op": question.op,
        "version": question.version,
        "options": options,
        "inputs": names.collect::<Vec<_>>(),
        "constants": constants.collect::<Vec<_>>(),
        "result": said(&result.name, result.dtype, &result.shape, &[]),
    });
    let line = json!({
        "do": "write",
        "model": null,
        "weights": null,
        "format": "",
        "inputs": tensors.iter().map(|one| said(&one.name, one.dtype, &one.shape, &one.data)).collect::<Vec<_>>(),
        "outputs": [result.name],
        "options": node,
        "seconds": limit.as_secs(),
    });
    framed(&line, tensors.iter().map(|tensor| &tensor.data))
}

/// Describes a tensor whose elements follow.
fn said(name: &str, dtype: DType, shape: &[usize], data: &[u8]) -> Value {
    json!({ "name": name, "dtype": dtype.name(), "shape": shape, "bytes": data.len() })
}

/// Writes a line, and bytes behind it.
fn framed<'a>(line: &Value, parts: impl Iterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    let mut bytes = line.to_string().into_bytes();
    bytes.push(b'\n');
    parts.for_each(|part| bytes.extend(part));
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
