//! Measures what the scheduler believes about the machine, and whether it would decide better with what was measured.
//!
//! The runner measures the parts of the scheduler's work (`bench/runner/src/calibrate.rs`). Then two runners time all
//! workloads in turn: one with what is believed, the other with what was measured.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    OWN,
    engine::{Engine, Role},
    record,
    table::{self, Workload},
};

/// How many times as long a workload may take as with measured costs.
const ALLOWED: f64 = 1.1;

/// The least readings that are compared: turns, and seconds in each.
const TURNS: usize = 4;
const SECONDS: f64 = 0.02;

/// What was found: a term with what is believed and measured of it, or a workload with what the measured costs change.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Row {
    Term { term: String, believed_ns: f64, measured_ns: Option<f64> },
    Workload { workload: String, believed_us: f64, measured_us: f64 },
}

/// Measures, prints, and records if so wished.
pub(super) fn run(root: &Path, runner: &PathBuf, record: bool) -> Result<(), String> {
    let mut believed = Engine::start(OWN, Role::Own, &mut Command::new(runner), 1)?;
    let answer = believed.ask(&json!({ "do": "calibrate" }))?;
    let mut rows: Vec<Row> = answer["terms"].as_array().into_iter().flatten().filter_map(term).collect();
    println!("{:20} {:>10} {:>10}", "ns", "believed", "measured");
    for row in &rows {
        if let Row::Term { term, believed_ns, measured_ns } = row {
            let measured = measured_ns.map_or("-".to_owned(), |nanos| format!("{nanos:.3}"));
            println!("{term:20} {believed_ns:>10.3} {measured:>10}");
        }
    }
    let costs = named(&rows);
    let mut measured = Engine::start(OWN, Role::Own, Command::new(runner).env("BROADAXE_COSTS", &costs), 1)?;
    let text = fs::read_to_string(root.join("bench/workloads.txt")).map_err(|error| error.to_string())?;
    println!("\nBROADAXE_COSTS={costs}\n{:14} {:>12} {:>12} {:>6}", "us", "believed", "measured", "ratio");
    let mut slower = 0;
    for workload in table::parse(&text)? {
        let [one, other] = compare(&workload, [&mut believed, &mut measured])?;
        println!("{:14} {one:>12.3} {other:>12.3} {:>6.2}", workload.name, one / other);
        slower += usize::from(one > ALLOWED * other);
        rows.push(Row::Workload { workload: workload.name, believed_us: one, measured_us: other });
    }
    println!("{slower} workloads need more than {ALLOWED} times as long as with measured costs");
    if record { record::put(root, "calibration", &rows, false) } else { Ok(()) }
}

/// Reads a term of the answer.
fn term(value: &Value) -> Option<Row> {
    Some(Row::Term {
        term: value["term"].as_str()?.to_owned(),
        believed_ns: value["believed_ns"].as_f64()?,
        measured_ns: value["measured_ns"].as_f64(),
    })
}

/// Writes the measured costs as the variable has them. A difference that is lost in noise is left out.
fn named(rows: &[Row]) -> String {
    let cost = |row: &Row| match row {
        Row::Term { term, measured_ns: Some(nanos), .. } if *nanos > 0.0 => Some(format!("{term}={nanos:.4}")),
        _ => None,
    };
    rows.iter().filter_map(cost).collect::<Vec<_>>().join(",")
}

/// Times a workload in turn; returns the least microseconds of each engine.
fn compare(workload: &Workload, mut engines: [&mut Engine; 2]) -> Result<[f64; 2], String> {
    let mut best = [f64::INFINITY; 2];
    for engine in &mut engines {
        engine.ask(&workload.request(None))?;
    }
    for _ in 0..TURNS {
        for (engine, best) in engines.iter_mut().zip(&mut best) {
            *best = engine.read(SECONDS, "out", 1)?.into_iter().map(|seconds| seconds * 1e6).fold(*best, f64::min);
        }
    }
    for engine in &mut engines {
        engine.ask(&json!({ "do": "drop" }))?;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_costs_are_named() {
        let term = |term: &str, measured_ns| Row::Term { term: term.to_owned(), believed_ns: 1.0, measured_ns };
        let workload = Row::Workload { workload: "w".to_owned(), believed_us: 1.0, measured_us: 2.0 };
        let rows =
            [term("unit", Some(12.25)), term("run", None), term("turn", Some(-0.1)), workload, term("row", Some(2.0))];
        assert_eq!(named(&rows), "unit=12.2500,row=2.0000");
    }
}
