//! Converts the JSON of drawings into that of answers.

use broadaxe_draw::json::Json as Drawn;
use serde_json::Value;

/// Returns the JSON of a drawing as that of an answer.
pub(crate) fn value(json: Drawn) -> Value {
    match json {
        Drawn::Null => Value::Null,
        Drawn::Bool(value) => value.into(),
        Drawn::Number(number) => i64::try_from(number).map_or_else(|_| u64::try_from(number).ok().into(), Value::from),
        Drawn::Text(text) => text.into(),
        Drawn::List(items) => items.into_iter().map(value).collect(),
        Drawn::Object(members) => members.into_iter().map(|(name, member)| (name, value(member))).collect(),
    }
}
