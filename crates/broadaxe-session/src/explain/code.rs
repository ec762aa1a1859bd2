//! Explains a kind of finding.

use broadaxe_models::code::{CODES, Code};
use serde_json::{Value, json};

use crate::error::{Error, quoted};

/// Says whether a word looks like a code: `BX` and digits.
pub(super) fn is_code(word: &str) -> bool {
    let digits = word.split_at_checked(2).filter(|(start, _)| start.eq_ignore_ascii_case("BX"));
    digits.is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Makes the error about a code that no finding has.
pub(super) fn unknown(word: &str) -> Error {
    let codes: Vec<&str> = CODES.iter().map(|code| code.id).collect();
    Error::usage(format!("no finding has the code '{}'; the codes are {}", quoted(word), codes.join(", ")))
}

/// Returns the page of a kind of finding as JSON.
pub(super) fn record(code: &Code) -> Value {
    json!({
        "code": code.id,
        "name": code.name,
        "severity": code.severity.word(),
        "fixable": code.fixable.word(),
        "meaning": code.meaning,
        "page": code.page,
    })
}
