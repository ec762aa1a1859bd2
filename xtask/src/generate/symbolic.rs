//! Cases of dims that are ranges or symbols; the truth records engines, and the answer is chosen here.
//!
//! OpenVINO's answers are taken where they are tight. Its pdpd is two-way and loose, its Broadcast in mode numpy skips
//! the check on ranges, and it keeps symbols that another operand may overrule: there the tight or safe answer is
//! written, and OpenVINO's own as a note.

use std::fmt;

use serde_json::Value;

use super::text::{field, ints, note, shape, string};

/// A dim between two bounds, both included; no upper bound is `None`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Range {
    low: i64,
    high: Option<i64>,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low, self.high) {
            (low, Some(high)) if low == high => write!(f, "{low}"),
            (low, Some(high)) => write!(f, "{low}..{high}"),
            (0, None) => f.write_str("?"),
            (low, None) => write!(f, "{low}.."),
        }
    }
}

impl Range {
    fn may_be(self, extent: i64) -> bool {
        self.low <= extent && self.high.is_none_or(|high| extent <= high)
    }

    fn meet(self, other: Self) -> Option<Self> {
        let high = match (self.high, other.high) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        };
        let met = Self { low: self.low.max(other.low), high };
        high.is_none_or(|high| met.low <= high).then_some(met)
    }

    fn union(self, other: Self) -> Self {
        let high = self.high.zip(other.high).map(|(x, y)| x.max(y));
        Self { low: self.low.min(other.low), high }
    }

    /// Reads a number, `[-1]` for any, `[n]`, or `[low, high]` with -1 for no upper bound.
    fn read(value: &Value) -> Result<Self, String> {
        let list = if value.is_array() { ints(value)? } else { vec![value.as_i64().ok_or("a dim is no number")?] };
        match list[..] {
            [-1] => Ok(Self { low: 0, high: None }),
            [n] => Ok(Self { low: n, high: Some(n) }),
            [low, high] => Ok(Self { low, high: (high >= 0).then_some(high) }),
            _ => Err(format!("{value} is no range")),
        }
    }
}

/// Merges two ranges under a rule, tightly.
fn merged(rule: &str, a: Range, b: Range) -> Result<Option<Range>, String> {
    Ok(match (rule, a.may_be(1), b.may_be(1)) {
        ("none", ..) | ("numpy", false, false) | ("pdpd", _, false) => a.meet(b),
        ("numpy", true, true) => Some(a.union(b)),
        ("numpy", true, false) => Some(b),
        ("numpy", false, true) | ("pdpd", _, true) => Some(a),
        _ => return Err(format!("there is no merge of ranges for the rule {rule}")),
    })
}

/// The answers for named dims, and where they differ from OpenVINO's. A dim known to be one number needs no name.
#[rustfmt::skip]
static NAMED: &[(&str, &str, &str, &str, &str)] = &[
    // rule, a, b, answer, note
    ("numpy", "A:?", "A:?", "A:?", ""),
    ("numpy", "A:?", "B:?", "?", ""),
    ("numpy", "A:?", "1", "A:?", ""),
    ("numpy", "A:?", "?", "?", "OpenVINO keeps A, which is wrong when A is 1"),
    ("numpy", "A:2..9", "B:2..9", "A:2..9", "B equals A from here on"),
    ("numpy", "A:2..9", "B:?", "A:2..9", ""),
    ("numpy", "A:2..9", "3", "3", ""),
    ("numpy", "A:0", "B:1", "0", ""),
    ("pdpd", "A:?", "A:?", "A:?", ""),
    ("pdpd", "A:?", "5", "5", "A may be 5 only: 1 would have to stretch"),
    ("pdpd", "A:2..9", "B:2..9", "A:2..9", "B equals A from here on"),
    ("pdpd", "A:2..9", "3", "3", ""),
    ("pdpd", "A:1", "B:?", "1", "OpenVINO gives B"),
    ("pdpd", "A:2..", "A:2..", "A:2..", ""),
    ("pdpd", "A:0", "B:1", "0", "OpenVINO refuses 0 against 1"),
    ("none", "A:?", "A:?", "A:?", ""),
    ("none", "A:?", "B:?", "A:?", "B equals A from here on"),
    ("none", "A:?", "1", "1", ""),
    ("none", "A:2..9", "B:2..9", "A:2..9", "B equals A from here on"),
    ("none", "A:2..9", "3", "3", ""),
    ("none", "A:0", "B:1", "error", ""),
];

/// Writes the cases of OpenVINO's pairs of dims: two operands of rank 1, or of unknown rank.
pub(super) fn openvino_pairs(file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    cases.iter().enumerate().map(|(k, case)| openvino_pair(file, k, case)).collect()
}

fn openvino_pair(file: &str, index: usize, case: &Value) -> Result<String, String> {
    let rule = string(case, "rule")?;
    let head = format!("{file}-{index:04} {rule} dims=openvino");
    let (a, b) = (field(case, "a")?, field(case, "b")?);
    if case.get("symbols").is_some() {
        let (a, b) = (symbol(a)?, symbol(b)?);
        let row = NAMED.iter().find(|row| (row.0, row.1, row.2) == (rule, &a, &b));
        let row = row.ok_or_else(|| format!("no answer was chosen for {rule} of {a} and {b}"))?;
        let answer = if row.3 == "error" { row.3.to_owned() } else { format!("({})", row.3) };
        return Ok(format!("{head} ({a}) ({b}) -> {answer}{}", note(&[row.4])));
    }
    if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
        return whole(&head, rule, a, b);
    }
    let (a, b) = (Range::read(a)?, Range::read(b)?);
    let answer = merged(rule, a, b)?;
    if let Some(possible) = case.get("possible_up_to_12").filter(|v| !v.is_null()) {
        let possible = ints(possible)?;
        let kept = (0..=12).filter(|&n| answer.is_some_and(|r| r.may_be(n))).collect::<Vec<_>>();
        if possible.iter().any(|n| !kept.contains(n)) {
            return Err(format!("{head}: the answer leaves out a possible extent of {possible:?}"));
        }
    }
    let text = answer.map_or("error".to_owned(), |r| format!("({r})"));
    // OpenVINO writes 0..5 as ..5.
    let theirs = string(case, "got")
        .map_or("error".to_owned(), |t| if t.starts_with("..") { format!("0{t}") } else { t.into() });
    let ours = answer.map_or("error".to_owned(), |r| r.to_string());
    let deviation = if ours == theirs { String::new() } else { format!("OpenVINO gives {theirs}") };
    Ok(format!("{head} ({a}) ({b}) -> {text}{}", note(&[&deviation])))
}

/// Writes a pair where a rank is unknown; the truth writes shapes as `[2,3]` and `...` for any.
fn whole(head: &str, rule: &str, a: &str, b: &str) -> Result<String, String> {
    let [a, b] = [a, b].map(bracketed);
    let known = if a == "(...)" { &b } else { &a };
    let (answer, deviation) = match rule {
        // Only one operand may be known, and under none it is the answer.
        "none" => (known.clone(), ""),
        "numpy" => ("(...)".to_owned(), ""),
        "pdpd" => (a.clone(), if a == "(...)" { "" } else { "OpenVINO gives an unknown rank" }),
        _ => return Err(format!("no answer was chosen for an unknown rank under {rule}")),
    };
    Ok(format!("{head} {a} {b} -> {answer}{}", note(&[deviation])))
}

/// Writes a named dim: `["A", [2, 9]]` is `A:2..9`.
fn symbol(value: &Value) -> Result<String, String> {
    let range = Range::read(value.get(1).ok_or("a symbol without a range")?)?;
    let name = value.get(0).and_then(Value::as_str);
    Ok(name.map_or_else(|| range.to_string(), |name| format!("{name}:{range}")))
}

/// Turns `[2,?]` and `...` into `(2,?)` and `(...)`.
fn bracketed(text: &str) -> String {
    let inner = text.trim_start_matches('[').trim_end_matches(']').replace(' ', "");
    format!("({inner})")
}

/// Cases of Broadcast whose target is the *number* of target dims, their values unknown.
static UNKNOWN_TARGETS: &[usize] = &[10, 11, 12, 13, 24, 25, 26, 27, 32];

/// Tight answers where OpenVINO gives looser ones.
#[rustfmt::skip]
static TIGHT: &[(usize, &str, &str)] = &[
    (5, "error", "OpenVINO skips the check"),
    (6, "error", "OpenVINO skips the check"),
    (10, "(?,3)", "OpenVINO gives (?,?)"),
    (11, "error", "a rank above that of the target; OpenVINO skips the check"),
    (32, "(?,3,?)", "OpenVINO gives (?,?,?)"),
];

/// Writes the cases of OpenVINO's Broadcast.
pub(super) fn openvino_broadcast(file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    cases.iter().enumerate().map(|(k, case)| broadcast(file, k, case)).collect()
}

fn broadcast(file: &str, index: usize, case: &Value) -> Result<String, String> {
    let rule = match string(case, "mode")? {
        "numpy" => "broadcast-to",
        mode => mode,
    };
    let written = string(case, "target")?;
    let target = if UNKNOWN_TARGETS.contains(&index) {
        match written.trim_matches(['[', ']']) {
            "?" => "(...)".to_owned(),
            n => format!("({})", vec!["?"; n.parse().map_err(|_| format!("{written} is no count"))?].join(",")),
        }
    } else {
        bracketed(written)
    };
    let axes = case.get("axes").filter(|v| !v.is_null()).map(|axes| format!(" axes={axes}")).unwrap_or_default();
    let data = bracketed(string(case, "data")?);
    let theirs = string(case, "got")?;
    let (answer, why) = match TIGHT.iter().find(|row| row.0 == index) {
        Some(&(_, answer, why)) => (answer.to_owned(), why),
        None if theirs.starts_with("ERR") => ("error".to_owned(), ""),
        None => (bracketed(theirs), ""),
    };
    Ok(format!("{file}-{index:04} {rule} dims=openvino target={target}{axes} {data} -> {answer}{}", note(&[why])))
}

/// Writes the cases of ONNX's symbols: operands of rank 1.
pub(super) fn onnx(_file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    cases.iter().map(onnx_line).collect()
}

fn onnx_line(case: &Value) -> Result<String, String> {
    let id = string(case, "id")?;
    let dims = field(case, "dims")?.as_array().ok_or("dims is not a list")?;
    let operands: Vec<String> = dims.iter().map(|d| format!("({})", onnx_dim(d))).collect();
    let live = field(field(case, "live")?, "onnx")?;
    let answer = match live.get("shape").and_then(Value::as_array) {
        Some(list) => format!("({})", list.iter().map(onnx_dim).collect::<Vec<_>>().join(",")),
        None => "error".to_owned(),
    };
    Ok(format!("{id} numpy dims=onnx {} -> {answer}", operands.join(" ")))
}

/// Writes a dim: a number, a name, or `?`; names that inference made up stand for nothing.
fn onnx_dim(dim: &Value) -> String {
    match (dim.as_i64(), dim.as_str()) {
        (Some(n), _) => shape(&[n]).trim_matches(['(', ')']).to_owned(),
        (_, Some(name)) if !name.starts_with("unk__") => name.to_owned(),
        _ => "?".to_owned(),
    }
}
