//! Reads tables of workloads, one a line; their first lines describe the format.

use serde_json::{Value, json};

/// Holds one workload.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Workload {
    pub(super) name: String,
    pub(super) expression: String,
    pub(super) operands: Vec<Operand>,
    /// The dtype of the result.
    pub(super) result: String,
    /// The best time known, in microseconds; 0 for none.
    pub(super) limit: f64,
    /// The relative difference from NumPy that is still right.
    pub(super) tolerance: f64,
}

/// Holds one operand of a workload.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operand {
    pub(super) name: String,
    pub(super) dtype: String,
    pub(super) shape: Vec<u64>,
    pub(super) layout: String,
    pub(super) values: String,
    /// The workload that computes it, in place of such values; no line of a table says that.
    pub(super) of: Option<Box<Workload>>,
}

pub(super) const LAYOUTS: &[&str] = &["contiguous", "strided2", "strided3", "reversed", "transposed", "swapped"];
const VALUES: &[&str] = &["signed", "positive", "nans", "divisors"];

/// Reads a table.
///
/// # Errors
/// The first line that is no workload, and why.
pub(super) fn parse(text: &str) -> Result<Vec<Workload>, String> {
    let mut workloads: Vec<Workload> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let workload = workload(line).map_err(|why| format!("line {}: {why}", number + 1))?;
        if workloads.iter().any(|other| other.name == workload.name) {
            return Err(format!("line {}: there are two workloads {}", number + 1, workload.name));
        }
        workloads.push(workload);
    }
    Ok(workloads)
}

fn workload(line: &str) -> Result<Workload, String> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let [name, expression, operands, result, limit, tolerance] = fields[..] else {
        return Err(format!("{} fields apart by |, and a workload has 6", fields.len()));
    };
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("{text} is not a number"));
    Ok(Workload {
        name: name.to_owned(),
        expression: expression.to_owned(),
        operands: operands.split(';').map(operand).collect::<Result<_, _>>()?,
        result: result.to_owned(),
        limit: if limit == "-" { 0.0 } else { number(limit)? },
        tolerance: number(tolerance)?,
    })
}

fn operand(text: &str) -> Result<Operand, String> {
    let wrong = || format!("'{}' is not an operand; write NAME DTYPE[DIMS] and its options", text.trim());
    let mut words = text.split_whitespace();
    let name = words.next().ok_or_else(wrong)?.to_owned();
    let (dtype, dims) = words.next().and_then(|word| word.strip_suffix(']')?.split_once('[')).ok_or_else(wrong)?;
    let shape = dims.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let (mut layout, mut values) = (LAYOUTS[0], VALUES[0]);
    for word in words {
        match (LAYOUTS.iter().find(|&&known| known == word), VALUES.iter().find(|&&known| known == word)) {
            (Some(known), _) => layout = known,
            (_, Some(known)) => values = known,
            _ => return Err(format!("{word} is neither of {} nor of {}", LAYOUTS.join(" "), VALUES.join(" "))),
        }
    }
    Ok(Operand { name, dtype: dtype.to_owned(), shape, layout: layout.to_owned(), values: values.to_owned(), of: None })
}

impl Operand {
    fn request(&self) -> Value {
        let Self { name, dtype, shape, layout, values, of } = self;
        let of = of.as_ref().map(|own| {
            let operands: Vec<Value> = own.operands.iter().map(Self::request).collect();
            json!({ "expression": own.expression, "operands": operands })
        });
        json!({ "name": name, "dtype": dtype, "shape": shape, "layout": layout, "values": values, "of": of })
    }
}

impl Workload {
    /// Returns the line of a table that [`parse`] reads as this workload.
    pub(super) fn line(&self) -> String {
        let operand = |own: &Operand| {
            let dims: Vec<String> = own.shape.iter().map(u64::to_string).collect();
            let mut text = format!("{} {}[{}]", own.name, own.dtype, dims.join(","));
            for (word, usual) in [(&own.layout, LAYOUTS[0]), (&own.values, VALUES[0])] {
                if word != usual {
                    text += " ";
                    text += word;
                }
            }
            text
        };
        let operands: Vec<String> = self.operands.iter().map(operand).collect();
        let limit = if self.limit == 0.0 { "-".to_owned() } else { self.limit.to_string() };
        let Self { name, expression, result, tolerance, .. } = self;
        format!("{name} | {expression} | {} | {result} | {limit} | {tolerance:e}", operands.join("; "))
    }

    /// Returns the request that makes an engine load it; operands are saved in, or read from, a folder.
    pub(super) fn request(&self, save: Option<&str>) -> Value {
        json!({
            "do": "load",
            "expression": self.expression,
            "operands": self.operands.iter().map(Operand::request).collect::<Vec<_>>(),
            "result": self.result,
            "tolerance": self.tolerance,
            "save": save,
        })
    }

    /// Returns the number of elements of its largest operand.
    pub(super) fn elements(&self) -> u64 {
        let count = |operand: &Operand| operand.shape.iter().fold(1_u64, |count, &dim| count.saturating_mul(dim));
        self.operands.iter().map(count).max().unwrap_or(0)
    }
}

/// Keeps the workloads of these names; all, if there are none.
///
/// # Errors
/// A name that no workload has.
pub(super) fn only(workloads: Vec<Workload>, names: &[String]) -> Result<Vec<Workload>, String> {
    if let Some(name) = names.iter().find(|&name| workloads.iter().all(|workload| workload.name != *name)) {
        let known: Vec<&str> = workloads.iter().map(|workload| workload.name.as_str()).collect();
        return Err(format!("unknown workload {name}; the workloads are {}", known.join(" ")));
    }
    let kept = |workload: &Workload| names.is_empty() || names.contains(&workload.name);
    Ok(workloads.into_iter().filter(kept).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_workloads() {
        let text = "# a page\n\nadd | a + b | a f32[2,3] transposed; b u8[3] strided2 divisors | f32 | 0.5 | 1e-3\n";
        let operand = |name: &str, dtype: &str, shape: &[u64], layout: &str, values: &str| Operand {
            name: name.to_owned(),
            dtype: dtype.to_owned(),
            shape: shape.to_vec(),
            layout: layout.to_owned(),
            values: values.to_owned(),
            of: None,
        };
        let want = Workload {
            name: "add".to_owned(),
            expression: "a + b".to_owned(),
            operands: vec![
                operand("a", "f32", &[2, 3], "transposed", "signed"),
                operand("b", "u8", &[3], "strided2", "divisors"),
            ],
            result: "f32".to_owned(),
            limit: 0.5,
            tolerance: 1e-3,
        };
        assert_eq!(parse(&want.line()), Ok(vec![want.clone()]), "{}", want.line());
        assert_eq!(parse(text), Ok(vec![want]));
    }

    #[test]
    fn wrong_lines_are_named() {
        let right = "x | a | a f32[1] | f32 | 0 | 0";
        assert_eq!(parse(&right.replace("| 0 | 0", "| - | 0")), parse(right));
        let cases = [
            ("x | a | a f32[1] | f32 | 0".to_owned(), "line 1: 5 fields"),
            (format!("{right}\nx | b | b f32[1] | f32 | 0 | 0"), "line 2: there are two workloads x"),
            (right.replace("[1]", ""), "line 1: 'a f32' is not an operand"),
            (right.replace("[1]", "[1,y]"), "line 1: 'a f32[1,y]' is not an operand"),
            (right.replace("[1]", "[1] upside"), "line 1: upside is neither"),
            (right.replace("| 0 |", "| fast |"), "line 1: fast is not a number"),
        ];
        for (text, want) in cases {
            let why = parse(&text).expect_err(&text);
            assert!(why.starts_with(want), "{text}: {why}");
        }
    }

    #[test]
    fn the_tables_of_the_repository_are_read() {
        for (text, least) in
            [(include_str!("../../../bench/workloads.txt"), 60), (include_str!("../../../bench/gate.txt"), 12)]
        {
            let workloads = parse(text).expect("readable");
            assert!(workloads.len() >= least, "{} workloads", workloads.len());
        }
    }

    #[test]
    fn workloads_are_chosen_by_name() {
        let table = "x | a | a f32[1] | f32 | 0 | 0\ny | a | a f32[1] | f32 | 0 | 0";
        let names = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
            let kept = only(parse(table).expect("readable"), &wanted)?;
            Ok::<_, String>(kept.into_iter().map(|workload| workload.name).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names(&[]), Ok("x y".to_owned()));
        assert_eq!(names(&["y"]), Ok("y".to_owned()));
        assert_eq!(names(&["z"]), Err("unknown workload z; the workloads are x y".to_owned()));
    }
}
