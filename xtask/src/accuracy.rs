//! Measures the error of every operator that rounds, and writes `docs/reports/accuracy.md`.
//!
//! The measuring is done by an example of the kernels' crate, a process per operator and dtype. What it answered is kept under
//! the build folder, with a hash of the program that answered: a run that was stopped goes on where it was, and a run
//! after a change begins again. The document is written when all answers are known. Where some operators are named, the
//! rows of all others stay as they are.

use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

pub(crate) const ACCURACY_USAGE: &str = "[--points N] [--op NAME,..]";

/// The number of points where not every argument is asked.
const POINTS: u64 = 100_000_000;

/// Says what was asked for.
#[derive(Debug, PartialEq)]
struct AccuracyArgs {
    points: u64,
    only: Vec<String>,
}

impl AccuracyArgs {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut args = Self { points: POINTS, only: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let value =
                words.next().ok_or_else(|| format!("{word} needs a value; usage: accuracy {ACCURACY_USAGE}"))?;
            match word.as_str() {
                "--points" => args.points = value.parse().map_err(|_| format!("{value} is not a number of points"))?,
                "--op" => args.only.extend(value.split(',').map(str::to_owned)),
                other => return Err(format!("unknown argument {other}; usage: accuracy {ACCURACY_USAGE}")),
            }
        }
        Ok(args)
    }
}

/// Holds the program that measures, and where its answers are kept.
struct Meter {
    program: PathBuf,
    folder: PathBuf,
    key: String,
    points: u64,
}

impl Meter {
    /// Builds the program.
    fn new(root: &Path, points: u64) -> Result<Self, String> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let words = ["build", "--release", "--quiet", "-p", "broadaxe-kernels", "--example", "accuracy"];
        let status = Command::new(cargo).args(words).current_dir(root).status();
        if !status.map_err(|error| format!("cargo cannot be started: {error}"))?.success() {
            return Err("the example does not build".into());
        }
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
        let program = target.join(format!("release/examples/accuracy{}", env::consts::EXE_SUFFIX));
        let folder = target.join("accuracy");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let bytes = fs::read(&program).map_err(|error| format!("{}: {error}", program.display()))?;
        Ok(Self { program, folder, key: format!("{:016x} {points}", hash(&bytes)), points })
    }

    fn ask(&self, words: &[&str]) -> Result<String, String> {
        let output = Command::new(&self.program).args(words).output();
        let output = output.map_err(|error| format!("{}: {error}", self.program.display()))?;
        if !output.status.success() {
            return Err(format!("{}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Returns the answer that is kept, if the same program gave it to the same question.
    fn kept(&self, op: &str, dtype: &str) -> Option<String> {
        let text = fs::read_to_string(self.folder.join(format!("{op}.{dtype}"))).ok()?;
        text.split_once('\n').filter(|(key, _)| *key == self.key).map(|(_, line)| line.to_owned())
    }

    fn measure(&self, op: &str, dtype: &str) -> Result<String, String> {
        if let Some(line) = self.kept(op, dtype) {
            return Ok(line);
        }
        let begin = Instant::now();
        let line = self.ask(&[op, dtype, &self.points.to_string()])?;
        println!("{} ({:.0} s)", line.replace('\t', "  "), begin.elapsed().as_secs_f64());
        let path = self.folder.join(format!("{op}.{dtype}"));
        fs::write(&path, format!("{}\n{line}", self.key)).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(line)
    }
}

/// Mixes bytes into a number (Fowler, Noll and Vo's hash).
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let args = AccuracyArgs::read(words)?;
    let meter = Meter::new(root, args.points)?;
    let list = meter.ask(&[])?;
    let rows: Vec<Vec<&str>> = list.lines().map(|line| line.split('\t').collect()).collect();
    if let Some(name) = args.only.iter().find(|name| !rows.iter().any(|row| row[0] == **name)) {
        return Err(format!("{name} is not an operator with an error"));
    }
    let path = root.join("docs/reports/accuracy.md");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let mut answers = Vec::new();
    for row in &rows {
        let wanted = args.only.is_empty() || args.only.iter().any(|name| name == row[0]);
        let stated = || stated(&before, row[0], row[1]).filter(|_| args.points == POINTS);
        let answer =
            if wanted { Some(meter.measure(row[0], row[1])?) } else { meter.kept(row[0], row[1]).or_else(stated) };
        answers.extend(answer.map(|line| (line, row[2])));
    }
    if answers.len() < rows.len() {
        println!("{} of {} are measured; the document is written when all are", answers.len(), rows.len());
        return Ok(());
    }
    fs::create_dir_all(root.join("docs")).map_err(|error| format!("docs: {error}"))?;
    fs::write(&path, document(&answers, args.points)?).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Returns the answer that a document states, as the program gave it.
fn stated(document: &str, op: &str, dtype: &str) -> Option<String> {
    let (_, section) = document.split_once(&format!("\n## {dtype}\n"))?;
    let section = section.split_once("\n## ").map_or(section, |(own, _)| own);
    section.lines().find_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let &[name, _, worst, place, asked, reference] = cells.as_slice() else { return None };
        let asked = if asked == "all" { EVERY } else { asked };
        (name == format!("`{op}`")).then(|| [op, dtype, worst, place, asked, reference].join("\t"))
    })
}

/// The number of all f32.
const EVERY: &str = "4294967296";

const ABOUT: &str = "\
# Accuracy

The largest error that was found of every operator that rounds, in units in the last place (ULP): the distance of the result
from the exact one, divided by the distance of two neighbouring floats there. 0.5 is what correct rounding gives. *Claimed* is
the bound in the table of operators, which tests enforce. Results are the same, to the last bit, for every instruction
set, so these numbers are true of every machine. f16 and bf16 are computed in f32 and rounded once more.

Single-operand f32 functions were tested on **all 2^32 inputs**. The others were tested at random points, a quarter of any bits, a
quarter of exponents within 32 of 1, the rest from the range the function is mostly used in, and at all edges: the ends of
the range, powers of two, halves up to 1100, multiples of pi / 2, and where results overflow or vanish, each with its
neighbours; functions of two operands at all pairs of a shorter list of edges.

For f32 the reference is computed in f64, with an error of about 2^-29 ULP. For f64 it is one of two. Where there is a last
column, results were first compared with pxfm's functions, which round correctly nearly always; where a bit differed, and at
every 4096th point, a reference of 160 bits decided. The column is the largest error of pxfm's own that it found (`inf`: it was
wrong at an edge, where ours differed). A worst error just below 0.5 means that no bit differed anywhere. The others were
all compared with sums of two f64, of about 100 bits.

Rows may be of different days: `cargo xtask accuracy --op NAME` measures those of an operator that was changed, and leaves the
others.

`logaddexp` and `logaddexp2` were not tested where their two parts cancel, to less than 2^-7 of the larger operand. Infinities, NaN, signed zeros
and exact results are not measured in ULP; tests compare them with tables.
";

/// Writes the document.
fn document(answers: &[(String, &str)], points: u64) -> Result<String, String> {
    let mut text = String::from("<!-- Generated by `cargo xtask accuracy`: do not edit. -->\n\n");
    text += ABOUT;
    if points < POINTS {
        let _ = write!(
            text,
            "\n**This run asked fewer points**: {points} each, also of functions of one f32, in equal steps.\n"
        );
    }
    for dtype in ["f32", "f64"] {
        let _ = write!(text, "\n## {dtype}\n\n| operator | claimed | worst | at | points | pxfm's worst |\n");
        text += "|---|---|---|---|---|---|\n";
        for (line, claimed) in answers {
            let cells: Vec<&str> = line.split('\t').collect();
            let &[op, of, worst, place, asked, reference] = cells.as_slice() else {
                return Err(format!("not an answer: {line}"));
            };
            if of == dtype {
                let asked = if asked == EVERY { "all" } else { asked };
                let _ = writeln!(text, "| `{op}` | {claimed} | {worst} | {place} | {asked} | {reference} |");
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let read = |text: &str| AccuracyArgs::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let some = AccuracyArgs { points: 10, only: vec!["sin".into(), "pow".into()] };
        assert_eq!(read("--points 10 --op sin,pow"), Ok(some));
        assert_eq!(read(""), Ok(AccuracyArgs { points: POINTS, only: Vec::new() }));
        for wrong in ["--points", "--points x", "--ops sin"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_document_has_a_row_per_answer() {
        let answers = [
            ("sin\tf32\t0.5010\t1e0\t4294967296\t-".to_owned(), "1"),
            ("sin\tf64\t0.8000\t2e0\t100\t0.5000".to_owned(), "1"),
        ];
        let text = document(&answers, 100).unwrap();
        assert!(text.lines().next().unwrap().contains("Generated"));
        assert!(text.contains("| `sin` | 1 | 0.5010 | 1e0 | all | - |"), "{text}");
        assert!(
            text.contains("| `sin` | 1 | 0.8000 | 2e0 | 100 | 0.5000 |") && text.contains("fewer points**: 100 each")
        );
        assert!(document(&[("sin".to_owned(), "1")], 100).is_err());
        // What it states is what was answered.
        for (answer, _) in &answers {
            let dtype = answer.split('\t').nth(1).unwrap();
            assert_eq!(stated(&text, "sin", dtype).as_ref(), Some(answer));
        }
        for (op, dtype) in [("cos", "f32"), ("sin", "f16"), ("operator", "f32"), ("", "f64")] {
            assert_eq!(stated(&text, op, dtype), None, "{op} {dtype}");
        }
    }
}
