//! Times sweeps: one expression over many sizes, ranks or thread counts. `bench/page.py` says which points break the rule that
//! its cost should follow.
//!
//! A sweep goes through its points twice and keeps the minima of both, so that a disturbance of a second does not become a
//! step in the line.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    engine::Engine,
    figure::TRAFFIC,
    python, record, table,
    time::{Programs, WAYS},
};

/// What moves memory, and what computes.
const CHEAP: &str = "a + b";
const COSTLY: &str = "x ** 2.7";

/// Holds a named line: points from left to right.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Curve {
    name: String,
    points: Vec<(f64, f64)>,
}

/// A kind of sweep: its name, and what measures it.
struct Sweep {
    name: &'static str,
    measure: fn(&Programs, bool) -> Result<Vec<Curve>, String>,
}

const KINDS: [Sweep; 3] = [
    Sweep { name: "sizes", measure: sizes },
    Sweep { name: "ranks", measure: ranks },
    Sweep { name: "threads", measure: threads },
];

/// Checks that all names are sweeps; `all` means every one.
pub(super) fn known(names: Vec<String>) -> Result<Vec<String>, String> {
    let all: Vec<String> = KINDS.iter().map(|kind| kind.name.to_owned()).collect();
    if names == ["all"] {
        return Ok(all);
    }
    match names.iter().find(|name| !all.contains(name)) {
        Some(name) => Err(format!("unknown sweep {name}; the sweeps are {}, or all", all.join(" "))),
        None => Ok(names),
    }
}

fn find(name: &str) -> Result<&'static Sweep, String> {
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("unknown sweep {name}"))
}

/// Runs a sweep, prints it and what breaks its rule, and records it if so wished.
pub(super) fn run(root: &Path, programs: &Programs, name: &str, quick: bool, record: bool) -> Result<(), String> {
    let kind = find(name)?;
    let lines = (kind.measure)(programs, quick)?;
    for line in &lines {
        println!("{}", line.name);
        for (x, y) in &line.points {
            println!("  {x:>12} {y:>12.4}");
        }
    }
    python::judge(root, &json!({ "name": name, "lines": lines, "caches": record::caches() }))?;
    if record { record::put(root, name, &lines, quick) } else { Ok(()) }
}

/// Loads an expression over operands as the tables write them; returns what the engine answers.
fn load(engine: &mut Engine, expression: &str, operands: &str) -> Result<Value, String> {
    let line = format!("sweep | {expression} | {operands} | f32 | - | 0");
    let workload = table::parse(&line)?.pop().ok_or("no workload")?;
    engine.ask(&workload.request(None))
}

/// Returns the least of some readings in microseconds.
fn least(engine: &mut Engine, seconds: f64, mode: &str, threads: usize) -> Result<f64, String> {
    Ok(engine.read(seconds, mode, threads)?.into_iter().fold(f64::INFINITY, f64::min) * 1e6)
}

/// Keeps the lower of what was found before at this place of a line and now.
fn keep(line: &mut Curve, x: f64, y: f64) {
    match line.points.iter_mut().find(|point| point.0 == x) {
        Some(point) => point.1 = point.1.min(y),
        None => line.points.push((x, y)),
    }
}

fn line(name: &str) -> Curve {
    Curve { name: name.to_owned(), points: Vec::new() }
}

/// Nanoseconds per element of two expressions, and of the traffic of each.
fn sizes(programs: &Programs, quick: bool) -> Result<Vec<Curve>, String> {
    let cases = [(CHEAP, "a f32[N]; b f32[N]", 28), ("sigmoid(x)", "x f32[N]", 24)];
    let [mut own, mut limit] = programs.start()?;
    let mut lines = Vec::new();
    for (expression, operands, most) in cases {
        let (mut mine, mut traffic) = (line(expression), line(&format!("{expression} ({TRAFFIC})")));
        let powers: Vec<u32> = (4..=if quick { 20 } else { most }).collect();
        for power in powers.iter().chain(powers.iter().rev()) {
            let count = 1_u64 << power;
            let bytes = load(&mut own, expression, &operands.replace('N', &count.to_string()))?;
            limit.ask(&json!({ "do": "load", "reads": bytes["reads"], "write": bytes["write"] }))?;
            for _ in 0..3 {
                keep(&mut mine, count as f64, least(&mut own, 0.02, "out", 1)? * 1e3 / count as f64);
                for way in WAYS {
                    keep(&mut traffic, count as f64, least(&mut limit, 0.01, way, 1)? * 1e3 / count as f64);
                }
            }
            own.ask(&json!({ "do": "drop" }))?;
            limit.ask(&json!({ "do": "drop" }))?;
        }
        lines.extend([mine, traffic]);
    }
    Ok(lines)
}

/// Says of which axes an operand has the extents; it repeats along the others.
type Kept = fn(usize) -> bool;

/// The extents of 2^20 elements over `rank` axes.
fn extents(rank: usize) -> Vec<usize> {
    (0..rank).map(|axis| 1 << (20 * (axis + 1) / rank - 20 * axis / rank)).collect()
}

/// Writes extents, with 1 in the axes that are not kept.
fn dims(extents: &[usize], kept: Kept) -> String {
    let dims: Vec<String> =
        extents.iter().enumerate().map(|(k, dim)| if kept(k) { *dim } else { 1 }.to_string()).collect();
    dims.join(",")
}

/// Nanoseconds per element of results of 2^20 elements, whose axes repeat in one operand, in turn in both, or not at all.
fn ranks(programs: &Programs, quick: bool) -> Result<Vec<Curve>, String> {
    let [mut own, _] = programs.start()?;
    let kinds: [(&str, Kept, Kept); 3] = [
        ("contiguous", |_| true, |_| true),
        ("b repeats every other axis", |_| true, |k| k % 2 == 1),
        ("a and b repeat in turn", |k| k % 2 == 0, |k| k % 2 == 1),
    ];
    let mut lines: Vec<Curve> = kinds.iter().map(|(name, ..)| line(name)).collect();
    for _ in 0..if quick { 1 } else { 3 } {
        for rank in 1..=8 {
            for ((_, a, b), line) in
                kinds.iter().zip(&mut lines).filter(|((name, ..), _)| rank > 1 || *name == "contiguous")
            {
                let extents = extents(rank);
                load(&mut own, CHEAP, &format!("a f32[{}]; b f32[{}]", dims(&extents, *a), dims(&extents, *b)))?;
                for _ in 0..3 {
                    keep(line, rank as f64, least(&mut own, 0.03, "out", 1)? * 1e3 / f64::from(1 << 20));
                }
                own.ask(&json!({ "do": "drop" }))?;
            }
        }
    }
    Ok(lines)
}

/// Microseconds of two expressions with one thread and with two.
fn threads(programs: &Programs, quick: bool) -> Result<Vec<Curve>, String> {
    let cases = [(CHEAP, "a f32[N]; b f32[N]"), (COSTLY, "x f32[N] positive")];
    let [mut own, _] = programs.start()?;
    let mut lines = Vec::new();
    for (expression, operands) in cases {
        let mut pair = [line(&format!("{expression}, 1 thread")), line(&format!("{expression}, 2 threads"))];
        let halves: Vec<u32> = (0..=if quick { 12 } else { 16 }).collect();
        for half in halves.iter().chain(halves.iter().rev()) {
            // 1, 3, 10, 30, ...
            let count = 10_u64.pow(half / 2) * if half % 2 == 1 { 3 } else { 1 };
            load(&mut own, expression, &operands.replace('N', &count.to_string()))?;
            for round in 0..6 {
                for turn in 0..2 {
                    let which = (round + turn) % 2;
                    keep(&mut pair[which], count as f64, least(&mut own, 0.02, "out", which + 1)?);
                }
            }
            own.ask(&json!({ "do": "drop" }))?;
        }
        lines.extend(pair);
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_all_elements() {
        for rank in 1..=8 {
            let extents = extents(rank);
            assert_eq!((extents.len(), extents.iter().product::<usize>()), (rank, 1 << 20), "{extents:?}");
        }
        assert_eq!(dims(&[2, 3, 4], |k| k % 2 == 0), "2,1,4");
    }

    #[test]
    fn lower_readings_are_kept() {
        let mut line = line("x");
        for (x, y) in [(1.0, 5.0), (2.0, 7.0), (1.0, 3.0), (1.0, 4.0)] {
            keep(&mut line, x, y);
        }
        assert_eq!(line.points, [(1.0, 3.0), (2.0, 7.0)]);
        assert!(known(vec!["all".to_owned()]).is_ok_and(|all| all.len() == KINDS.len()));
    }
}
