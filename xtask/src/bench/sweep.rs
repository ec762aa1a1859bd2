//! Sweeps: one expression over many sizes, ranks or thread counts, and what breaks the rule that its cost should follow.
//!
//! A sweep goes through its points twice and keeps the minima of both, so that a disturbance of a second does not become a
//! step in the line.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    engine::Engine,
    plot::{self, Frame, Line},
    record, table,
    time::{Programs, WAYS},
};

/// How much more an element may cost than at the point before.
const STEP: f64 = 1.3;
/// How many times one thread's time two may take.
const SLOWER: f64 = 1.02;
/// How many times faster two threads must be, on work not bound by memory that takes so many microseconds.
const FASTER: (f64, f64) = (1.8, 200.0);
/// What moves memory, and what computes.
const CHEAP: &str = "a + b";
const COSTLY: &str = "x ** 2.7";

/// A kind of sweep: its name, what it draws, and what judges it.
struct Kind {
    name: &'static str,
    measure: fn(&Programs, bool) -> Result<Vec<Line>, String>,
    draw: fn(&[Line], &str) -> String,
    judge: fn(&[Line], &[f64]) -> Vec<String>,
}

const KINDS: [Kind; 3] = [
    Kind { name: "sizes", measure: sizes, draw: draw_sizes, judge: judge_sizes },
    Kind { name: "ranks", measure: ranks, draw: draw_ranks, judge: judge_ranks },
    Kind { name: "threads", measure: threads, draw: draw_threads, judge: judge_threads },
];

/// Checks that all names are sweeps; `all` means every one.
pub(super) fn known(names: Vec<String>) -> Result<Vec<String>, String> {
    let all: Vec<String> = KINDS.iter().map(|kind| kind.name.to_owned()).collect();
    if names == ["all"] {
        return Ok(all);
    }
    match names.iter().find(|name| !all.contains(name)) {
        Some(name) => Err(format!("there is no sweep {name}; there are {}, or all of them: all", all.join(" "))),
        None => Ok(names),
    }
}

fn find(name: &str) -> Result<&'static Kind, String> {
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("there is no sweep {name}"))
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
    let broken = (kind.judge)(&lines, &record::caches());
    println!("{name}: {}", if broken.is_empty() { "no point breaks the rule" } else { "these points break the rule" });
    for point in &broken {
        println!("  {point}");
    }
    if record { record::put(root, name, &lines, quick) } else { Ok(()) }
}

/// Returns a recorded sweep as a drawing.
pub(super) fn draw(name: &str, lines: &[Line], title: &str) -> Result<String, String> {
    Ok((find(name)?.draw)(lines, title))
}

/// Returns the points of a recorded sweep that break its rule.
pub(super) fn judge(name: &str, lines: &[Line], caches: &[f64]) -> Result<Vec<String>, String> {
    Ok((find(name)?.judge)(lines, caches))
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
fn keep(line: &mut Line, x: f64, y: f64) {
    match line.points.iter_mut().find(|point| point.0 == x) {
        Some(point) => point.1 = point.1.min(y),
        None => line.points.push((x, y)),
    }
}

fn line(name: &str) -> Line {
    Line { name: name.to_owned(), points: Vec::new() }
}

/// Nanoseconds per element of two expressions, and of the traffic of each.
fn sizes(programs: &Programs, quick: bool) -> Result<Vec<Line>, String> {
    let cases = [(CHEAP, "a f32[N]; b f32[N]", 28), ("sigmoid(x)", "x f32[N]", 24)];
    let [mut own, mut limit] = programs.start()?;
    let mut lines = Vec::new();
    for (expression, operands, most) in cases {
        let (mut mine, mut traffic) = (line(expression), line(&format!("{expression} {}", plot::DASHED)));
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

/// Names the steps between neighbours of a line that are too high, unless something explains them.
fn steps(line: &Line, explained: impl Fn((f64, f64), (f64, f64)) -> bool) -> Vec<String> {
    let pairs = line.points.windows(2).map(|pair| (pair[0], pair[1]));
    let broken = pairs.filter(|&(a, b)| b.1 > a.1 * STEP && !explained(a, b));
    broken.map(|(a, b)| format!("{}: {} to {} costs {:.2} times as much", line.name, a.0, b.0, b.1 / a.1)).collect()
}

/// An element may cost more where its bytes leave a cache, and where moving them alone does too.
fn judge_sizes(lines: &[Line], caches: &[f64]) -> Vec<String> {
    let mut broken = Vec::new();
    for pair in lines.chunks(2).filter(|pair| pair.len() == 2) {
        let bytes = if pair[0].name == CHEAP { 12.0 } else { 8.0 };
        broken.extend(steps(&pair[0], |a, b| {
            let leaves = caches.iter().any(|cache| a.0 * bytes <= *cache && b.0 * bytes >= cache / 2.0);
            let traffic = |x: f64| pair[1].points.iter().find(|point| point.0 == x).map_or(f64::NAN, |point| point.1);
            leaves || b.1 / a.1 <= traffic(b.0) / traffic(a.0) * STEP
        }));
    }
    broken
}

fn draw_sizes(lines: &[Line], title: &str) -> String {
    let title = format!("Time per element over sizes, 1 thread, {title}");
    let frame = Frame {
        title: &title,
        across: "elements (logarithmic)",
        up: "ns per element (logarithmic)",
        sizes: true,
        logarithmic: true,
        levels: &[],
    };
    plot::draw(&frame, lines)
}

/// Says of which axes an operand has the extents; it repeats along the others.
type Kept = fn(usize) -> bool;

/// The extents of 2^20 elements over so many axes.
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
fn ranks(programs: &Programs, quick: bool) -> Result<Vec<Line>, String> {
    let [mut own, _] = programs.start()?;
    let kinds: [(&str, Kept, Kept); 3] = [
        ("contiguous", |_| true, |_| true),
        ("b repeats every other axis", |_| true, |k| k % 2 == 1),
        ("a and b repeat in turn", |k| k % 2 == 0, |k| k % 2 == 1),
    ];
    let mut lines: Vec<Line> = kinds.iter().map(|(name, ..)| line(name)).collect();
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

fn judge_ranks(lines: &[Line], _: &[f64]) -> Vec<String> {
    lines.iter().flat_map(|line| steps(line, |_, _| false)).collect()
}

fn draw_ranks(lines: &[Line], title: &str) -> String {
    let title = format!("a + b of 2^20 f32 over ranks, 1 thread, {title}");
    let frame = Frame {
        title: &title,
        across: "rank, the extents as equal as they can be",
        up: "ns per element",
        sizes: false,
        logarithmic: false,
        levels: &[],
    };
    plot::draw(&frame, lines)
}

/// Microseconds of two expressions with one thread and with two.
fn threads(programs: &Programs, quick: bool) -> Result<Vec<Line>, String> {
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

/// Returns two threads' time as a share of one's, for each expression.
fn shares(lines: &[Line]) -> Vec<Line> {
    let pairs = lines.chunks(2).filter(|pair| pair.len() == 2);
    let share = |pair: &[Line]| {
        let points = pair[0].points.iter().zip(&pair[1].points);
        let name = pair[0].name.trim_end_matches(", 1 thread").to_owned();
        Line { name, points: points.map(|(one, two)| (one.0, two.1 / one.1)).collect() }
    };
    pairs.map(share).collect()
}

fn judge_threads(lines: &[Line], _: &[f64]) -> Vec<String> {
    let mut broken = Vec::new();
    for (share, pair) in shares(lines).iter().zip(lines.chunks(2)) {
        for (&(count, share), one) in share.points.iter().zip(&pair[0].points) {
            let name = pair[0].name.trim_end_matches(", 1 thread");
            if share > SLOWER {
                broken.push(format!("{name}: {count} elements take two threads {share:.3} times as long"));
            }
            let (least, from) = FASTER;
            if name == COSTLY && one.1 >= from && 1.0 / share < least {
                broken.push(format!(
                    "{name}: {count} elements are only {:.2} times faster with two threads",
                    1.0 / share
                ));
            }
        }
    }
    broken
}

fn draw_threads(lines: &[Line], title: &str) -> String {
    let title = format!("Two threads against one, {title}");
    let frame = Frame {
        title: &title,
        across: "elements (logarithmic)",
        up: "time of two threads / time of one",
        sizes: true,
        logarithmic: false,
        levels: &[(1.0, "as fast as one thread"), (1.0 / FASTER.0, "1.8 times faster")],
    };
    plot::draw(&frame, &shares(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(name: &str, points: &[(f64, f64)]) -> Line {
        Line { name: name.to_owned(), points: points.to_vec() }
    }

    #[test]
    fn steps_that_nothing_explains_are_named() {
        let traffic = made("a + b (traffic)", &[(1024.0, 1.0), (2048.0, 1.0), (4096.0, 2.0)]);
        // 12 bytes an element: 1024 of them leave a cache of 16 KiB on the way to 2048.
        type Points = [(f64, f64); 3];
        let cases: [(Points, &[f64], usize); 5] = [
            ([(1024.0, 1.0), (2048.0, 1.25), (4096.0, 1.25)], &[], 0),
            ([(1024.0, 1.0), (2048.0, 1.4), (4096.0, 1.4)], &[], 1),
            ([(1024.0, 1.0), (2048.0, 1.4), (4096.0, 1.4)], &[16384.0], 0),
            ([(1024.0, 1.0), (2048.0, 1.0), (4096.0, 2.5)], &[], 0),
            ([(1024.0, 1.0), (2048.0, 1.0), (4096.0, 2.7)], &[], 1),
        ];
        for (points, caches, want) in cases {
            let broken = judge_sizes(&[made(CHEAP, &points), traffic.clone()], caches);
            assert_eq!(broken.len(), want, "{points:?} {broken:?}");
        }
        assert_eq!(judge_ranks(&[made("x", &[(1.0, 1.0), (2.0, 1.2), (3.0, 1.7)])], &[]).len(), 1);
    }

    #[test]
    fn threads_that_do_not_help_are_named() {
        let lines = |one: f64, two: f64| {
            ["a + b", COSTLY].into_iter().flat_map(move |name| {
                [made(&format!("{name}, 1 thread"), &[(9.0, one)]), made(&format!("{name}, 2 threads"), &[(9.0, two)])]
            })
        };
        for (one, two, want) in [(100.0, 101.0, 0), (100.0, 103.0, 2), (1000.0, 560.0, 1), (1000.0, 550.0, 0)] {
            let broken = judge_threads(&lines(one, two).collect::<Vec<_>>(), &[]);
            assert_eq!(broken.len(), want, "{one} {two}: {broken:?}");
        }
    }

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
