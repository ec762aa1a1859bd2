//! Speaks the protocol of the atlas: questions on stdin, answers on stdout, one line of JSON each.

#![forbid(unsafe_code)]

use std::{any::Any, fmt::Display, io::Write, panic};

use serde::Deserialize;

pub mod onnx;

/// Holds one question. Fields that no engine here reads are left out.
#[derive(Deserialize)]
pub struct Question {
    pub id: String,
    pub op: String,
    pub rule: String,
    pub dtype: String,
    pub operands: Vec<Operand>,
    #[serde(default)]
    pub target: Vec<usize>,
}

/// Holds one operand of a question, row-major.
#[derive(Deserialize)]
pub struct Operand {
    pub shape: Vec<usize>,
    pub constant: bool,
    pub values: Vec<f32>,
}

/// Says why there is no result. An error of an engine becomes `Reject` through `?`.
pub enum No {
    Reject(String),
    Skip(&'static str),
}

impl<E: Display> From<E> for No {
    fn from(error: E) -> Self {
        Self::Reject(format!("{error:#}"))
    }
}

/// Holds the shape and the values of a result, row-major.
pub type Answer = Result<(Vec<usize>, Vec<f32>), No>;

/// Answers all questions with the engine `answer`. A panic of the engine is a rejection.
pub fn serve(engine: &str, version: &str, answer: impl Fn(&Question) -> Answer) {
    panic::set_hook(Box::new(|_| ()));
    say(&serde_json::json!({"engine": engine, "version": version, "device": "cpu"}));
    for line in std::io::stdin().lines() {
        let question: Question = serde_json::from_str(&line.expect("stdin is readable")).expect("a question is JSON");
        let id = &question.id;
        let result = match question.dtype.as_str() {
            "f32" => panic::catch_unwind(panic::AssertUnwindSafe(|| answer(&question))),
            _ => Ok(Err(No::Skip("the adapter has f32 only"))),
        };
        say(&match result {
            Ok(Ok((shape, values))) => serde_json::json!({"id": id, "shape": shape, "values": values}),
            Ok(Err(No::Reject(message))) => serde_json::json!({"id": id, "reject": message}),
            Ok(Err(No::Skip(reason))) => serde_json::json!({"id": id, "skip": reason}),
            Err(panic) => serde_json::json!({"id": id, "reject": format!("panic: {}", message(&*panic))}),
        });
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn say(line: &serde_json::Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("stdout is writable");
}

/// Returns the version of `package` that the lock file has and that starts with `prefix`.
pub fn version(package: &str, prefix: &str) -> &'static str {
    let start = format!("name = \"{package}\"\nversion = \"");
    let mut versions = include_str!("../Cargo.lock").split(&start).skip(1).filter_map(|rest| rest.split('"').next());
    versions.find(|version| version.starts_with(prefix)).expect("the lock file has the engine")
}
