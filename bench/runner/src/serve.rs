//! Requests and answers: one workload at a time, its operands, plan and output alive between requests.

use std::{
    fs,
    hint::black_box,
    io::{self, BufRead, Lines, Write},
    ops::ControlFlow,
    path::PathBuf,
    time::{Duration, Instant},
};

use broadaxe::{Array, Evaluation, Expr, Op, Rule, View, apply_into, find};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    calibrate, clock,
    operand::{Operand, bound, plan},
};

/// What is asked of the runner.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Request {
    Load(Workload),
    Run {
        seconds: f64,
        mode: String,
        #[serde(default = "one")]
        threads: usize,
    },
    Repeat {
        times: u32,
    },
    Result {
        path: PathBuf,
    },
    Calibrate,
    Drop,
    Quit,
}

fn one() -> usize {
    1
}

/// An expression over operands, and a folder for the operands' bytes if a peer will read them.
#[derive(Debug, Deserialize)]
struct Workload {
    expression: String,
    operands: Vec<Operand>,
    save: Option<PathBuf>,
}

/// The two ends of the conversation.
struct Line<R, W> {
    requests: Lines<R>,
    answers: W,
}

impl<R: BufRead, W: Write> Line<R, W> {
    /// Returns the next request, or nothing at the end of the input.
    fn ask(&mut self) -> io::Result<Option<Request>> {
        while let Some(text) = self.requests.next().transpose()? {
            match serde_json::from_str(&text) {
                Ok(request) => return Ok(Some(request)),
                Err(error) => self.answer(&Err(format!("this is no request: {error}")))?,
            }
        }
        Ok(None)
    }

    fn answer(&mut self, answer: &Result<Value, String>) -> io::Result<()> {
        let value = answer.as_ref().map_or_else(|why| json!({ "skip": why }), Clone::clone);
        writeln!(self.answers, "{value}")?;
        self.answers.flush()
    }
}

/// Answers requests until the input ends.
pub(crate) fn serve(requests: impl BufRead, answers: impl Write) -> io::Result<()> {
    let mut line = Line { requests: requests.lines(), answers };
    let done = Ok(json!({ "ok": true }));
    while let Some(request) = line.ask()? {
        match request {
            Request::Load(workload) => match load(&workload) {
                Ok((expr, arrays)) => {
                    if converse(&mut line, &workload, &expr, &arrays)?.is_break() {
                        break;
                    }
                }
                Err(why) => line.answer(&Err(why))?,
            },
            Request::Calibrate => line.answer(&calibrate::run())?,
            Request::Drop => line.answer(&done)?,
            Request::Quit => return line.answer(&done),
            _ => line.answer(&Err("no workload is loaded".to_owned()))?,
        }
    }
    Ok(())
}

/// Parses the expression and makes the operands, saved where a peer will look for them.
fn load(workload: &Workload) -> Result<(Expr, Vec<Array>), String> {
    let expr = Expr::parse(&workload.expression).map_err(|error| error.to_string())?;
    let mut arrays = Vec::new();
    for operand in &workload.operands {
        let array = operand.array()?;
        if let Some(folder) = &workload.save {
            let path = folder.join(&operand.name);
            fs::write(&path, array.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        arrays.push(array);
    }
    Ok((expr, arrays))
}

/// Answers the requests about one loaded workload until it is dropped; breaks when that was the last request.
fn converse<R: BufRead, W: Write>(
    line: &mut Line<R, W>,
    workload: &Workload,
    expr: &Expr,
    arrays: &[Array],
) -> io::Result<ControlFlow<()>> {
    let mut bench = match Bench::new(workload, expr, arrays) {
        Ok(bench) => bench,
        Err(why) => return line.answer(&Err(why)).map(ControlFlow::Continue),
    };
    let done = Ok(json!({ "ok": true }));
    let reads: Vec<usize> = arrays.iter().map(|array| array.as_bytes().len()).collect();
    line.answer(&Ok(json!({ "ok": true, "reads": reads, "write": bench.out.as_bytes().len() })))?;
    while let Some(request) = line.ask()? {
        let answer = match request {
            Request::Run { seconds, mode, threads } => {
                bench.read(seconds, &mode, threads).map(|seconds| json!({ "seconds": seconds }))
            }
            Request::Repeat { times } => bench.calls("out", times).map(|_| json!({ "ok": true })),
            Request::Result { path } => bench
                .calls("out", 1)
                .and_then(|_| fs::write(&path, bench.out.as_bytes()).map_err(|error| error.to_string()))
                .map(|()| json!({ "ok": true })),
            Request::Load(_) | Request::Calibrate => Err("another workload is loaded; drop it first".to_owned()),
            Request::Drop => return line.answer(&done).map(ControlFlow::Continue),
            Request::Quit => return line.answer(&done).map(ControlFlow::Break),
        };
        line.answer(&answer)?;
    }
    Ok(ControlFlow::Break(()))
}

/// A workload that is ready to run.
struct Bench<'a> {
    expr: &'a Expr,
    bound: Vec<(&'a str, View<'a>)>,
    /// The plan for a number of threads.
    evaluation: Evaluation<'a>,
    threads: usize,
    out: Array,
    /// The operator and its operands, where the expression is no more than that.
    call: Option<(&'static Op, Vec<View<'a>>)>,
}

/// Returns the operator of an expression such as `a + b`.
fn one_operator(workload: &Workload) -> Option<&'static Op> {
    let words: Vec<&str> = workload.expression.split_whitespace().collect();
    let names: Vec<&str> = workload.operands.iter().map(|operand| operand.name.as_str()).collect();
    let ([left, symbol, right], [first, second]) = (&words[..], &names[..]) else { return None };
    let name = [("+", "add"), ("-", "sub"), ("*", "mul")].into_iter().find(|(own, _)| own == symbol)?.1;
    (left == first && right == second).then(|| find(name))?
}

impl<'a> Bench<'a> {
    fn new(workload: &'a Workload, expr: &'a Expr, arrays: &'a [Array]) -> Result<Self, String> {
        let bound = bound(&workload.operands, arrays)?;
        let evaluation = plan(expr, &bound, 1)?;
        let out = evaluation.run().map_err(|error| error.to_string())?;
        let views = || bound.iter().map(|(_, view)| view.clone()).collect();
        let call = one_operator(workload).map(|op| (op, views()));
        Ok(Self { expr, bound, evaluation, threads: 1, out, call })
    }

    fn read(&mut self, seconds: f64, mode: &str, threads: usize) -> Result<Vec<f64>, String> {
        let budget = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
        if threads != self.threads {
            (self.evaluation, self.threads) = (plan(self.expr, &self.bound, threads)?, threads);
        }
        clock::read(budget, |times| self.calls(mode, times))
    }

    /// Makes some calls of one kind and says how long they took.
    fn calls(&mut self, mode: &str, times: u32) -> Result<Duration, String> {
        let failed = |error: broadaxe::Error| error.to_string();
        let start = Instant::now();
        match mode {
            "out" => {
                for _ in 0..times {
                    black_box(&self.evaluation).run_into(&mut self.out).map_err(failed)?;
                }
            }
            "fresh" => {
                for _ in 0..times {
                    black_box(black_box(&self.evaluation).run().map_err(failed)?);
                }
            }
            "unplanned" if self.call.is_some() => {
                let Some((op, views)) = &self.call else { return Err("no operator".to_owned()) };
                let rule = Rule::numpy();
                for _ in 0..times {
                    apply_into(*op, &rule, black_box(views), &mut self.out).map_err(failed)?;
                }
            }
            "unplanned" => {
                for _ in 0..times {
                    plan(black_box(self.expr), &self.bound, self.threads)?.run_into(&mut self.out).map_err(failed)?;
                }
            }
            other => return Err(format!("{other} is no mode; out, fresh and unplanned are")),
        }
        Ok(start.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds a whole conversation and returns its answers.
    fn answers(requests: &[&str]) -> Vec<Value> {
        let mut written = Vec::new();
        serve(requests.join("\n").as_bytes(), &mut written).expect("memory accepts everything");
        let text = String::from_utf8(written).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect()
    }

    const LOAD: &str = r#"{"do":"load","expression":"a + 1","operands":[{"name":"a","dtype":"f32","shape":[2,3],"values":"positive"}]}"#;

    #[test]
    fn every_request_gets_one_answer() {
        let run = |mode: &str| format!(r#"{{"do":"run","seconds":0,"mode":"{mode}","threads":2}}"#);
        let modes: Vec<String> = ["out", "fresh", "unplanned", "sideways"].map(run).to_vec();
        let mut requests = vec!["nonsense", modes[0].as_str(), LOAD, LOAD];
        requests.extend(modes.iter().map(String::as_str));
        requests.extend([r#"{"do":"repeat","times":3}"#, r#"{"do":"drop"}"#, r#"{"do":"quit"}"#]);
        let kinds: Vec<String> =
            answers(&requests).iter().filter_map(|answer| answer.as_object()?.keys().next().cloned()).collect();
        let want = ["skip", "skip", "ok", "skip", "seconds", "seconds", "seconds", "skip", "ok", "ok", "ok"];
        assert_eq!(kinds, want);
    }

    #[test]
    fn what_cannot_be_loaded_says_why() {
        let cases = [
            (r#"{"do":"load","expression":"a +","operands":[]}"#, "operand is missing"),
            (r#"{"do":"load","expression":"a","operands":[{"name":"a","dtype":"f31","shape":[2]}]}"#, "f31"),
            (r#"{"do":"load","expression":"a + b","operands":[{"name":"a","dtype":"f32","shape":[2]}]}"#, "b"),
        ];
        for (request, word) in cases {
            let answer = answers(&[request]).remove(0);
            let why = answer["skip"].as_str().unwrap_or_default();
            assert!(why.contains(word), "{request}: {answer}");
        }
    }
}
