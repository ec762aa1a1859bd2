//! Runs engines: processes that answer the requests of `bench/runner/src/main.rs`, one JSON object a line.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

/// What an engine is to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Broadaxe at the best level of the CPU.
    Own,
    /// Broadaxe with the instructions of a lower level.
    Level,
    /// What moving the bytes costs.
    Traffic,
    /// Another engine, with NumPy, which can check results.
    Peer,
}

/// Holds a running engine.
pub(super) struct Engine {
    pub(super) name: String,
    pub(super) role: Role,
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Engine {
    /// Starts an engine; what libraries call their largest thread counts is set for all of them.
    ///
    /// # Errors
    /// The command cannot be started.
    pub(super) fn start(name: &str, role: Role, command: &mut Command, threads: usize) -> Result<Self, String> {
        for variable in ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_MAX_THREADS", "OPENBLAS_NUM_THREADS"] {
            command.env(variable, threads.to_string());
        }
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{name} cannot be started: {error}"))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (requests, answers) = pipes.ok_or_else(|| format!("{name} has no pipes"))?;
        Ok(Self { name: name.to_owned(), role, process, requests: Some(requests), answers: BufReader::new(answers) })
    }

    /// Sends a request and returns the answer; an engine's refusal is the error.
    pub(super) fn ask(&mut self, request: &Value) -> Result<Value, String> {
        let name = &self.name;
        let mut text = String::new();
        if let Some(pipe) = &mut self.requests {
            writeln!(pipe, "{request}")
                .and_then(|()| pipe.flush())
                .map_err(|error| format!("{name} is gone: {error}"))?;
        }
        self.answers.read_line(&mut text).map_err(|error| format!("{name} is gone: {error}"))?;
        let answer: Value = serde_json::from_str(&text).map_err(|_| format!("{name} ended without an answer"))?;
        match answer["skip"].as_str() {
            Some(why) => Err(why.to_owned()),
            None => Ok(answer),
        }
    }

    /// Lets it make calls for some seconds; returns seconds per call.
    pub(super) fn read(&mut self, seconds: f64, mode: &str, threads: usize) -> Result<Vec<f64>, String> {
        let answer = self.ask(&json!({ "do": "run", "seconds": seconds, "mode": mode, "threads": threads }))?;
        let list = answer["seconds"].as_array().ok_or_else(|| format!("{} sent no seconds", self.name))?;
        Ok(list.iter().filter_map(Value::as_f64).collect())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Closing its input ends an engine; one that is gone already needs no farewell.
        self.requests = None;
        let _ = self.process.wait();
    }
}
