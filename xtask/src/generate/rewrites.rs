//! Cases of one rule rewritten as another.

use serde_json::Value;

use super::text::{field, ints, lists, shape, shapes, string};

/// Writes the cases of one truth file.
pub(super) fn lines(_file: &str, cases: &[Value]) -> Result<Vec<String>, String> {
    cases.iter().map(line).collect()
}

fn line(case: &Value) -> Result<String, String> {
    let (id, from) = (string(case, "id")?, string(case, "frm")?);
    let to = match string(case, "to")? {
        "unidirectional/pdpd(-1)" => "unidirectional",
        to => to,
    };
    let given = lists(field(case, "shapes")?)?;
    let axis = case.get("axis").map_or_else(String::new, |axis| format!(" axis={axis}"));
    let how = match case.get("how").and_then(Value::as_str) {
        Some("direct") => "direct".to_owned(),
        Some("swap operands") => "swap".to_owned(),
        Some("expand A to the result, then B one-way") => "expand".to_owned(),
        Some(how) => return Err(format!("{id}: '{how}' is no known way to rewrite")),
        None => {
            let reshape = field(case, "reshape")?.as_array().ok_or("reshape is not a list")?;
            let after =
                reshape.iter().zip(&given).map(|(new, old)| if new.is_null() { Ok(old.clone()) } else { ints(new) });
            format!("reshape{}", shapes(&after.collect::<Result<Vec<_>, _>>()?))
        }
    };
    let result = shape(&ints(field(case, "result")?)?);
    Ok(format!("{id} {from}{axis} to {to}{} -> {how} gives {result}", shapes(&given)))
}
