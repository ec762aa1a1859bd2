//! Measures the error of every operator that rounds: `accuracy OP DTYPE POINTS`, or `accuracy` for the list.
//!
//! What is measured are the kernels of the table, with the instructions that the machine has; results are the same with
//! others. Functions of one f32 are asked at every f32 there is, from 10^8 points on. Others are asked at drawn points and at
//! all edges. The answer is one line: operator, dtype, worst error in ULP, where, points, and what it was compared with.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program prints to its user")]

mod distance;
mod double;
mod draw;
mod wide;
mod rows;
mod measure;

use std::{env, process::ExitCode, thread};

use broadaxe_kernels::{DType, HasKernels, OPS, find};
use measure::{Finding, Job};
use rows::{ROWS, Row};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let result = match words.as_slice() {
        [] => list(),
        [name, dtype, points] => answer(name, dtype, points),
        _ => Err("accuracy OP DTYPE POINTS, or nothing for the list".into()),
    };
    match result {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Lists operator, dtype and claimed bound of everything that is to be measured.
fn list() -> Result<String, String> {
    let mut lines = Vec::new();
    for op in OPS {
        let Some((narrow, wide)) = op.ulp() else { continue };
        if !ROWS.iter().any(|row| row.0 == op.name()) {
            return Err(format!("{} has an error and no reference", op.name()));
        }
        lines.push(format!("{}\tf32\t{narrow}", op.name()));
        lines.push(format!("{}\tf64\t{wide}", op.name()));
    }
    Ok(lines.join("\n"))
}

fn answer(name: &str, dtype: &str, points: &str) -> Result<String, String> {
    let line = ROWS.iter().find(|row| row.0 == name).ok_or_else(|| format!("there is no reference for {name}"))?;
    let points: u64 = points.parse().map_err(|_| format!("{points} is no number of points"))?;
    let dtype = match dtype {
        "f32" => DType::F32,
        "f64" => DType::F64,
        _ => return Err(format!("{dtype} is neither f32 nor f64")),
    };
    let op = find(name).ok_or_else(|| format!("{name} is no operator"))?;
    let kernel = op.kernel(dtype).ok_or_else(|| format!("{name} has no kernel for {}", dtype.name()))?;
    let parts = thread::available_parallelism().map_or(1, usize::from) as u64;
    let job = |part| Job { line, dtype, kernel, points, part, parts };
    let findings: Vec<Result<Finding, String>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..parts).map(|part| scope.spawn(move || measure::measure(&job(part)))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| Err("a thread failed".into()))).collect()
    });
    let mut whole = Finding::default();
    for finding in findings {
        whole.merge(&finding?);
    }
    let place = match line.2 {
        Row::One { .. } => format!("{:e}", whole.place[0]),
        Row::Two { .. } => format!("{:e}, {:e}", whole.place[0], whole.place[1]),
    };
    let reference = if whole.reference > 0.0 { format!("{:.4}", whole.reference) } else { "-".into() };
    Ok(format!("{name}\t{}\t{:.4}\t{place}\t{}\t{reference}", dtype.name(), whole.worst, whole.asked))
}
