//! Answers requests.

use broadaxe_draw::{ask, json::Json};

/// Answers a request with JSON. A request is a word and what it is about: `ask 2,3+3` for a state of the page, `rules` for the list of
/// rules. In a module with the checker, further requests have an object of JSON behind the word.
///
/// A request that fails is answered with `{"error": sentence}`.
///
/// ```
/// let answer = broadaxe_web::answer::answer("ask 2,3+3");
/// assert!(answer.contains("(2, 3)"));
/// ```
pub fn answer(request: &str) -> String {
    let (word, about) = request.split_once(' ').unwrap_or((request, ""));
    match word {
        "ask" => ask::ask(about).to_string(),
        "rules" => ask::rules().to_string(),
        #[cfg(feature = "golden")]
        "golden" => golden(),
        #[cfg(feature = "check")]
        _ if let Some(answer) = crate::check::answer(word, about) => answer.to_string(),
        _ => {
            let mut answer = Json::Null;
            answer.insert("error", format!("there is no request '{word}'"));
            answer.to_string()
        }
    }
}

/// Computes the record of `crates/broadaxe-testing/tests/golden.txt`, without its first line, as a text of JSON.
#[cfg(feature = "golden")]
fn golden() -> String {
    let isa = broadaxe_kernels::Isa::available()[0];
    let lines = crate::hashes::kernels().into_iter().map(|(name, kernel)| crate::hashes::line(isa, &name, kernel));
    broadaxe_draw::json::ToJson::to_json(&lines.collect::<Vec<_>>()).to_string()
}
