//! Answers requests.

use serde_json::{Value, json};

/// Answers a request: `{"do": "ask", "address": "2,3+3"}` for a state of the page, `{"do": "rules"}` for the list of rules.
///
/// A request that fails is answered with `{"error": sentence}`.
///
/// ```
/// let answer = broadaxe_web::answer::answer(r#"{"do": "ask", "address": "2,3+3"}"#);
/// assert!(answer.contains("(2, 3)"));
/// ```
pub fn answer(request: &str) -> String {
    let request: Value = match serde_json::from_str(request) {
        Ok(request) => request,
        Err(error) => return json!({ "error": format!("the request is not JSON: {error}") }).to_string(),
    };
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let answer = match text("do") {
        "ask" => broadaxe_draw::ask::ask(text("address")),
        "rules" => broadaxe_draw::ask::rules(),
        #[cfg(feature = "check")]
        _ if let Some(answer) = crate::check::answer(&request) => answer,
        other => json!({ "error": format!("there is no request '{other}'") }),
    };
    answer.to_string()
}
