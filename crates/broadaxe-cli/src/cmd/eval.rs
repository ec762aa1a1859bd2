//! `broadaxe eval`: computes an expression over array files.
//!
//! The order is chosen so that what fails fails early: the expression and its names first, then the place of the result,
//! then the files, then shapes and dtypes, and the size of the result before anything of it is allocated.

mod bind;
mod numbers;
mod progress;

use std::{io::Write, time::Instant};

use broadaxe::{Array, Decisions, Evaluation, Expr, Options, StageReport};
use serde_json::json;

use self::bind::{Given, Value};
use super::constants;
use crate::{
    answer::{Answer, Json, join, tuple},
    args::EvalArgs,
    bytes,
    error::{Error, written as output_written},
    exact::Elements,
    file::{
        self, Format, Place, Stored,
        write::{Mapped, Output, Plain, encode},
        zarr,
    },
    preview,
};

/// Evaluates an expression and writes or previews the result.
///
/// # Errors
/// When the expression or a file is not one, names are missing or left over, shapes do not broadcast, values are rejected,
/// memory would not suffice, or the result cannot be written.
pub fn run(args: &EvalArgs, json: bool) -> Result<Answer, Error> {
    let rule = args.rule.request().rule()?;
    let given = bind::read(&args.bindings)?;
    let expr =
        Expr::parse(&args.expression).map_err(|error| Error::from(error).pointing(&args.expression, &|at| at))?;
    bind::check(&given, expr.names())?;
    let mut target = Target::create(args.output.as_deref(), json)?;
    let limit = args.max_bytes.as_deref().map_or_else(|| Ok(bytes::default_limit()), bytes::parse)?;
    let (files, left) = load(&given, limit)?;

    // Numbers become part of the text, so that they are weak like every number that is written there.
    let text = numbers::insert(&args.expression, &given);
    let pointed = |error: broadaxe::Error| Error::from(error).pointing(&args.expression, &|at| text.origin(at));
    let expr = Expr::parse(text.as_str()).map_err(pointed)?;
    let views = files.iter().map(|file| Ok((file.name, file.stored.view()?))).collect::<Result<Vec<_>, Error>>()?;
    let bar = progress::Bar::new();
    let tick = |done, total| bar.tick(done, total);
    let progress = bar.is_seen().then_some(&tick as &(dyn Fn(u64, u64) -> bool + Sync));
    let threads = args.threads.map(usize::from);
    let max_bytes = Some(left);
    let plan = |is_lent| {
        let rule = rule.clone();
        let options = Options { rule, max_bytes, threads, is_lent, progress, ..Options::default() };
        expr.bind(&views, options).map_err(|error| memory_hint(pointed(error)))
    };
    let (evaluation, mut result) = target.prepare(plan)?;
    let start = Instant::now();
    let done = result.compute(&evaluation);
    let seconds = start.elapsed().as_secs_f64();
    bar.clear();
    // Before all else: values that were rejected may be those of a file that was cut.
    files.iter().try_for_each(LoadedArray::check)?;
    done?.map_err(|error| memory_hint(pointed(error)))?;

    let mut answer = target.take(result, &evaluation)?;
    if args.stats {
        Stats::new(&evaluation, seconds).add(&evaluation, &mut answer);
    }
    Ok(answer)
}

/// A name and its array.
struct LoadedArray<'a> {
    name: &'a str,
    place: &'a Place,
    stored: Stored,
}

impl LoadedArray<'_> {
    /// Says whether the file stayed as it was.
    fn check(&self) -> Result<(), Error> {
        self.stored.check().map_err(|error| error.of(self.place.path()))
    }
}

/// Reads all files; answers the arrays by name, and how many bytes of the limit are left for the result.
fn load(given: &[Given], limit: u64) -> Result<(Vec<LoadedArray<'_>>, u64), Error> {
    let (mut files, mut left) = (Vec::new(), limit);
    for one in given {
        if let Value::File(place) = &one.value {
            let stored = match constants::read(place, left)? {
                Some(stored) => stored,
                None => file::read(place, left)?,
            };
            left = left.saturating_sub(stored.memory());
            files.push(LoadedArray { name: &one.name, place, stored });
        }
    }
    Ok((files, left))
}

fn memory_hint(error: Error) -> Error {
    match error.kind() {
        crate::error::ErrorKind::Memory => error.with_detail("  --max-bytes limits the memory of operands and result"),
        _ => error,
    }
}

/// Where the result goes.
enum Target {
    Preview,
    /// The answer as JSON, with all elements.
    Json,
    Stdout,
    File(Box<Output>, Place),
    Zarr(zarr::ZarrOutput, Place),
}

impl Target {
    fn create(output: Option<&str>, json: bool) -> Result<Self, Error> {
        match output {
            None if json => Ok(Self::Json),
            None => Ok(Self::Preview),
            Some("-") if json => {
                Err(Error::usage("standard output is for the array (-o -) or the answer (--json), not both"))
            }
            Some("-") => Ok(Self::Stdout),
            Some(text) => {
                let place = Place::new(text);
                if zarr::is_named(place.path()) {
                    return Ok(Self::Zarr(zarr::ZarrOutput::create(place.path())?, place));
                }
                Ok(Self::File(Box::new(Output::create(&place)?), place))
            }
        }
    }

    /// Plans the evaluation, and reserves the file of a result that is computed into it; such a result uses no memory.
    fn prepare<'a>(
        &mut self,
        plan: impl Fn(bool) -> Result<Evaluation<'a>, Error>,
    ) -> Result<(Evaluation<'a>, Computed), Error> {
        if let Self::File(output, _) = self
            && output.can_be_mapped()
        {
            let evaluation = plan(true)?;
            if let Some(mapped) = output.map(evaluation.dtype(), evaluation.shape())? {
                return Ok((evaluation, Computed::Mapped(mapped)));
            }
        }
        let evaluation = plan(false)?;
        match self {
            Self::File(output, _) => output.check(evaluation.shape())?,
            Self::Json => few_enough(evaluation.shape())?,
            Self::Preview | Self::Stdout | Self::Zarr(..) => {}
        }
        Ok((evaluation, Computed::Array(None)))
    }

    /// Puts the result where it goes; answers what to say about it.
    fn take(self, result: Computed, of: &Evaluation<'_>) -> Result<Answer, Error> {
        let (dtype, shape) = (of.dtype(), of.shape());
        let facts = format!("{} {}", dtype.name(), tuple(shape));
        let bytes = match &result {
            Computed::Array(Some(array)) => array.as_bytes(),
            Computed::Array(None) | Computed::Mapped(_) => &[],
        };
        let plain = Plain { dtype, shape, bytes };
        let written = |place: &Place| {
            let value = json!({ "shape": shape, "dtype": dtype.name(), "file": place.path().display().to_string() });
            Answer::new(format!("{place}: {facts}\n"), value)
        };
        let value = json!({ "shape": shape, "dtype": dtype.name() });
        Ok(match self {
            Self::Preview => Answer::new(format!("{facts}\n{}", preview::draw(&plain)), value),
            Self::Json => {
                let elements = Elements { dtype, bytes: bytes.to_vec() };
                Answer { json: Json::Array(value, elements), ..Answer::new(String::new(), json!(null)) }
            }
            Self::Stdout => {
                let mut out = std::io::stdout().lock();
                output_written(encode(Format::Npy, "", &plain, &mut out).and_then(|()| out.flush()))?;
                Answer::new(String::new(), value)
            }
            Self::File(output, place) => {
                match result {
                    Computed::Mapped(mapped) => output.finish(mapped)?,
                    Computed::Array(_) => output.save(&plain)?,
                }
                written(&place)
            }
            Self::Zarr(output, place) => {
                output.save(&plain)?;
                written(&place)
            }
        })
    }
}

/// The most elements that JSON has; a file is shorter and quicker to read.
const MAX_JSON_ELEMENTS: usize = 10_000_000;

/// Rejects results that are too large for JSON.
fn few_enough(shape: &[usize]) -> Result<(), Error> {
    let count = broadaxe_shape::elements(shape)?;
    if count <= MAX_JSON_ELEMENTS {
        return Ok(());
    }
    let text = format!(
        "the result has {count} elements, and --json prints at most {MAX_JSON_ELEMENTS}; write it to a file with -o OUT.npy"
    );
    Err(Error::usage(text))
}

/// Where a result is computed.
enum Computed {
    /// The result is in memory; `None` until it has been computed.
    Array(Option<Array>),
    /// The result is in its mapped file.
    Mapped(Mapped),
}

impl Computed {
    /// Computes the result; the inner error is of its values.
    fn compute(&mut self, evaluation: &Evaluation<'_>) -> Result<Result<(), broadaxe::Error>, Error> {
        Ok(match self {
            Self::Array(array) => evaluation.run().map(|result| *array = Some(result)),
            Self::Mapped(mapped) => evaluation.run_into(mapped.view()?),
        })
    }
}

/// Lists operators, the first of them where there are many.
fn steps(names: &[&str]) -> String {
    let shown = names.len().min(8);
    let more = if shown < names.len() { format!(" and {} more", names.len() - shown) } else { String::new() };
    join(&names[..shown], ", ") + &more
}

/// What an evaluation took.
struct Stats {
    stages: Vec<StageReport>,
    seconds: f64,
    threads: usize,
    /// The seconds to copy as many bytes as were read and written, on one thread.
    copying: f64,
}

/// Says in what pieces loops run: `in units of 10 rows of 768 elements, input 1 packed`.
pub(super) fn pieces(how: &Decisions) -> String {
    let rows = if how.rows == 1 { String::new() } else { format!("{} rows of ", how.rows) };
    let elements = if how.row == 1 { "element" } else { "elements" };
    let mut text = format!("in units of {rows}{} {elements}", how.row);
    if how.turns > 1 {
        text += &format!(", {} in a call", how.turns);
    }
    for (inputs, what) in [(&how.packed, "packed"), (&how.constant, "constant along a row")] {
        if !inputs.is_empty() {
            let plural = if inputs.len() == 1 { "input" } else { "inputs" };
            text += &format!(", {plural} {} {what}", join(inputs, ", "));
        }
    }
    text
}

/// Says how a stage is run: `2 avx512 loops a tile of 384 elements, in units of ..., in 4 parts`.
fn manner(how: &Decisions, parts: usize) -> String {
    let loops = if how.loops == 1 { "loop" } else { "loops" };
    let tile = how.tile.map(|n| format!(" a tile of {n} elements")).unwrap_or_default();
    let past = if how.streams { ", written past the caches" } else { "" };
    let parts = if parts == 1 { "on one thread".to_owned() } else { format!("in {parts} parts") };
    format!("{} {} {loops}{tile}, {}{past}, {parts}", how.loops, how.level.name(), pieces(how))
}

/// The most bytes that are copied to learn how fast that is.
const COPIED: usize = 64 << 20;

/// Measures the seconds of a copy that reads half of these bytes and writes the other half.
fn time_to_copy(bytes: u128) -> f64 {
    let half = usize::try_from(bytes / 2).unwrap_or(usize::MAX);
    let sample = half.clamp(1, COPIED);
    let (from, mut to) = (vec![1_u8; sample], vec![0_u8; sample]);
    let once = |to: &mut Vec<u8>| {
        let start = Instant::now();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(to);
        start.elapsed().as_secs_f64()
    };
    let best = (0..4).map(|_| once(&mut to)).fold(f64::INFINITY, f64::min);
    best * half as f64 / sample as f64
}

impl Stats {
    fn new(of: &Evaluation<'_>, seconds: f64) -> Self {
        let mut stats = Self { stages: of.report(), seconds, threads: of.threads(), copying: 0.0 };
        stats.copying = time_to_copy(stats.moved());
        stats
    }

    /// Adds what there is to say to an answer.
    fn add(&self, of: &Evaluation<'_>, answer: &mut Answer) {
        answer.text += &self.show(of);
        if let Json::Value(value) | Json::Array(value, _) = &mut answer.json {
            value["stats"] = self.describe();
        }
    }

    fn moved(&self) -> u128 {
        self.stages.iter().map(|stage| u128::from(stage.bytes_read) + u128::from(stage.bytes_written)).sum()
    }

    fn rate(&self) -> f64 {
        self.moved() as f64 / self.seconds.max(1e-9)
    }

    fn show(&self, of: &Evaluation<'_>) -> String {
        let size = bytes::show(of.shape().iter().product::<usize>() as u128 * of.dtype().size() as u128);
        let mut text = format!("\nresult   {} {}, {size}\n", of.dtype().name(), tuple(of.shape()));
        for (i, stage) in self.stages.iter().enumerate() {
            let loops = if stage.loops.is_empty() { "one element".to_owned() } else { join(&stage.loops, " x ") };
            let folded = stage.folded.as_ref().map(|shape| format!(" folded from {}", tuple(shape)));
            text += &format!(
                "stage {}  {}: {} {}{} in loops of {loops}, reads {}, writes {}\n",
                i + 1,
                steps(&stage.steps),
                stage.dtype.name(),
                tuple(&stage.shape),
                folded.unwrap_or_default(),
                bytes::show(stage.bytes_read.into()),
                bytes::show(stage.bytes_written.into())
            );
            if let Some(how) = &stage.how {
                text += &format!("         {}\n", manner(how, stage.parts));
            }
        }
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        text + &format!(
            "time     {:.6} s, {} per second, at most {} {threads}; copying as many bytes on one: {:.6} s\n",
            self.seconds,
            bytes::show(self.rate() as u128),
            self.threads,
            self.copying,
        )
    }

    fn describe(&self) -> serde_json::Value {
        let stage = |stage: &StageReport| {
            json!({
                "shape": stage.shape,
                "folded": stage.folded,
                "dtype": stage.dtype.name(),
                "steps": stage.steps,
                "loops": stage.loops,
                "bytes_read": stage.bytes_read,
                "bytes_written": stage.bytes_written,
                "how": stage.how.as_ref().map(|how| json!({
                    "level": how.level.name(),
                    "rows": how.rows,
                    "row": how.row,
                    "turns": how.turns,
                    "tile": how.tile,
                    "loops": how.loops,
                    "packed": how.packed,
                    "constant": how.constant,
                    "streams": how.streams,
                    "parts": stage.parts,
                })),
            })
        };
        json!({
            "stages": self.stages.iter().map(stage).collect::<Vec<_>>(),
            "seconds": self.seconds,
            "bytes_per_second": self.rate(),
            "threads": self.threads,
            "seconds_to_copy": self.copying,
        })
    }
}
