//! Cases of element arithmetic: one operator, one dtype, one pair of elements.
//!
//! The truth records many engines; the table says whose answer is taken for each operator, and what overrules it.

use serde_json::Value;

use super::text::{field, note, string};

/// Where the answer for integers comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// What this engine answered.
    From(&'static str),
    /// What this engine answered, but a divisor of zero is refused.
    Divided(&'static str),
    /// The quotient towards zero, wrapped; no engine answered every dtype right. A divisor of zero is refused.
    Quotient,
    /// What this engine answered, but a negative exponent is refused.
    Raised(&'static str),
    /// Nothing.
    No,
}

/// How an operator of the truth becomes one of ours.
struct Row {
    theirs: &'static str,
    integer: (&'static str, Taken),
    float: (&'static str, Taken),
    /// Our operator for bools; none when it has no meaning for them.
    bools: Option<&'static str>,
    /// Whether a float answer is near, not exact.
    near: bool,
}

const fn row(theirs: &'static str, integer: (&'static str, Taken), float: (&'static str, Taken)) -> Row {
    Row { theirs, integer, float, bools: None, near: false }
}

const fn same(theirs: &'static str, ours: &'static str) -> Row {
    row(theirs, (ours, Taken::From("numpy")), (ours, Taken::From("numpy")))
}

const fn same_for_bools(theirs: &'static str, ours: &'static str) -> Row {
    Row { bools: Some(ours), ..same(theirs, ours) }
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    same("add", "add"),
    same("sub", "sub"),
    same("mul", "mul"),
    row("div", ("div_trunc", Taken::Divided("onnx_ref")), ("div", Taken::From("numpy"))),
    row("cdiv", ("div_trunc", Taken::Quotient), ("", Taken::No)),
    row("ldiv", ("div_trunc", Taken::Quotient), ("", Taken::No)),
    row("floor_divide", ("div_floor", Taken::Divided("numpy")), ("div_floor", Taken::From("numpy"))),
    row("mod", ("mod_floor", Taken::Divided("numpy")), ("mod_floor", Taken::From("numpy"))),
    row("fmod", ("fmod", Taken::Divided("numpy")), ("fmod", Taken::From("numpy"))),
    Row { near: true, ..row("pow", ("pow", Taken::Raised("numpy")), ("pow", Taken::From("numpy"))) },
    same("max", "max"),
    same("min", "min"),
    same("fmax", "fmax"),
    same("fmin", "fmin"),
    same("sqdiff", "squared_difference"),
    row("shl", ("shift_left", Taken::From("numpy")), ("", Taken::No)),
    row("shr", ("shift_right", Taken::From("numpy")), ("", Taken::No)),
    same_for_bools("eq", "equal"),
    same_for_bools("ne", "not_equal"),
    same_for_bools("lt", "less"),
    same_for_bools("ge", "greater_equal"),
    same_for_bools("band", "bitwise_and"),
    same_for_bools("bxor", "bitwise_xor"),
    same_for_bools("land", "logical_and"),
    same_for_bools("lxor", "logical_xor"),
    Row { near: true, ..same("atan2", "atan2") },
];

/// Writes the cases of one truth file.
pub(super) fn lines(file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let (op, dtype) = (string(case, "op")?, string(case, "dtype")?);
        let row = ROWS.iter().find(|r| r.theirs == op).ok_or_else(|| format!("no operator of ours for {op}"))?;
        let mut pushed = |suffix: &str, ours: &str, want: &str, why: &str| {
            let (a, b) = (string(case, "a")?, string(case, "b")?);
            lines.push(format!("{file}-{index:04}{suffix} {ours} {dtype} {a} {b} -> {want}{}", note(&[why])));
            Ok::<_, String>(())
        };
        let float = dtype.contains('f');
        match (dtype, row) {
            ("bool", Row { bools: Some(ours), .. }) => pushed("", ours, &answer(case, "numpy")?, "")?,
            ("bool", row) => pushed("", row.integer.0, "unsupported", "")?,
            (_, row) if float => {
                let near =
                    if row.near && answer(case, "numpy")?.parse::<f64>().is_ok_and(f64::is_finite) { "~" } else { "" };
                if let (ours, Taken::From(engine)) = row.float {
                    pushed("", ours, &format!("{near}{}", answer(case, engine)?), "")?;
                }
            }
            (_, row) => {
                let (ours, taken) = row.integer;
                pushed("", ours, &integer(case, dtype, taken)?, "")?;
                if taken == Taken::Raised("numpy") && negative(case)? {
                    pushed(".trunc", "pow_trunc", &answer(case, "torch")?, "")?;
                }
            }
        }
    }
    Ok(lines)
}

/// Returns an engine's answer in our words.
fn answer(case: &Value, engine: &str) -> Result<String, String> {
    let answer = string(field(case, "engines")?, engine)?;
    if answer.contains("error") || answer.contains("CRASH") {
        return Err(format!("{engine} refused {case}"));
    }
    Ok(answer.to_lowercase())
}

fn negative(case: &Value) -> Result<bool, String> {
    Ok(string(case, "b")?.starts_with('-'))
}

fn integer(case: &Value, dtype: &str, taken: Taken) -> Result<String, String> {
    let zero = string(case, "b")? == "0";
    match taken {
        Taken::Divided(_) | Taken::Quotient if zero => Ok("error".into()),
        Taken::Raised(_) if negative(case)? => Ok("error".into()),
        Taken::From(engine) | Taken::Divided(engine) | Taken::Raised(engine) => answer(case, engine),
        Taken::Quotient => {
            let number = |name| string(case, name)?.parse::<i128>().map_err(|e| e.to_string());
            let bits: u32 = dtype[1..].parse().map_err(|_| format!("{dtype} is no integer dtype"))?;
            let quotient = number("a")? / number("b")?;
            // The only quotient out of range is that of the least number by -1, which wraps to itself.
            let wraps = dtype.starts_with('i') && quotient == 1 << (bits - 1);
            Ok(if wraps { -quotient } else { quotient }.to_string())
        }
        Taken::No => Err(format!("no answer is taken for {case}")),
    }
}
