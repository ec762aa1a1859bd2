//! Reading parts of a truth case, and writing parts of a line.

use serde_json::Value;

/// A shape or a list of strides as the truth has it.
pub(super) type Ints = Vec<i64>;

/// Returns a case's field, or says that it lacks it.
pub(super) fn field<'a>(case: &'a Value, name: &str) -> Result<&'a Value, String> {
    case.get(name).filter(|v| !v.is_null()).ok_or_else(|| format!("no {name} in {case}"))
}

/// Returns a case's field that is a text.
pub(super) fn string<'a>(case: &'a Value, name: &str) -> Result<&'a str, String> {
    field(case, name)?.as_str().ok_or_else(|| format!("{name} is not a text in {case}"))
}

/// Reads a list of whole numbers.
pub(super) fn ints(value: &Value) -> Result<Ints, String> {
    let list = value.as_array().ok_or_else(|| format!("{value} is not a list"))?;
    list.iter().map(|v| v.as_i64().ok_or_else(|| format!("{v} is not a whole number"))).collect()
}

/// Reads a list of lists of whole numbers.
pub(super) fn lists(value: &Value) -> Result<Vec<Ints>, String> {
    value.as_array().ok_or_else(|| format!("{value} is not a list"))?.iter().map(ints).collect()
}

/// Writes a shape: `(2,3)`.
pub(super) fn shape(dims: &[i64]) -> String {
    format!("({})", joined(dims))
}

/// Writes strides or axes: `[3,1]`.
pub(super) fn strides(list: &[i64]) -> String {
    format!("[{}]", joined(list))
}

/// Writes several shapes, each after a space.
pub(super) fn shapes(list: &[Ints]) -> String {
    list.iter().flat_map(|dims| [" ".to_owned(), shape(dims)]).collect()
}

fn joined(list: &[i64]) -> String {
    list.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// What a case wants: a shape with the operands' strides over it, or an error.
pub(super) type Want = Option<(Ints, Vec<Ints>)>;

/// Writes what an alignment is wanted to be.
pub(super) fn want(want: &Want) -> String {
    match want {
        None => " -> error".into(),
        Some((dims, list)) => {
            let list: String = list.iter().flat_map(|s| [" ".to_owned(), strides(s)]).collect();
            format!(" -> {}{list}", shape(dims))
        }
    }
}

/// Writes a note, if there is one.
pub(super) fn note(parts: &[&str]) -> String {
    let parts: Vec<_> = parts.iter().filter(|p| !p.is_empty()).copied().collect();
    if parts.is_empty() { String::new() } else { format!("  # {}", parts.join("; ")) }
}
