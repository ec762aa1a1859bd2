//! Answers questions on standard input with an engine in Rust: the protocol of `broadaxe atlas run`.

use std::{
    any::Any,
    fmt::Display,
    io::{self, BufRead, Write},
    panic::{self, AssertUnwindSafe},
};

use serde_json::{Value, json};

use crate::{
    case::{Case, Id},
    error::Error,
    question::{Array, Question},
};

/// Says why an engine has no result. An error of an engine becomes `Rejected` through `?`.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The engine rejects the shapes, with this message.
    Rejected(String),
    /// The engine is not asked, for this reason.
    Skipped(String),
}

impl<E: Display> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Rejected(format!("{error:#}"))
    }
}

/// Answers the questions on standard input until there are no more.
///
/// A panic of the engine is a rejection.
///
/// # Errors
/// When standard input or output fail, or a line is not a question of this version of the Atlas.
///
/// ```no_run
/// use broadaxe_atlas::{Array, Question, Refusal, serve};
///
/// fn answer(question: &Question) -> Result<Array, Refusal> {
///     if question.family() != "add" || question.rule().name() != "none" {
///         return Err(Refusal::Skipped("this engine adds equal shapes only".into()));
///     }
///     let [a, b] = &question.operands()[..] else { return Err("two operands".into()) };
///     let values = a.values.iter().zip(&b.values).map(|(a, b)| (a + b) as f64).collect();
///     if a.shape == b.shape { Ok(Array { shape: a.shape.clone(), values }) } else { Err("the shapes differ".into()) }
/// }
///
/// serve("mine", "1.0", answer)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn serve(engine: &str, version: &str, answer: impl Fn(&Question<'_>) -> Result<Array, Refusal>) -> io::Result<()> {
    // What an engine says when it panics is in the answer.
    panic::set_hook(Box::new(|_| ()));
    answer_all(engine, version, io::stdin().lock(), io::stdout().lock(), answer)
}

fn answer_all(
    engine: &str,
    version: &str,
    questions: impl BufRead,
    mut answers: impl Write,
    answer: impl Fn(&Question<'_>) -> Result<Array, Refusal>,
) -> io::Result<()> {
    let mut say = |line: Value| writeln!(answers, "{line}").and_then(|()| answers.flush());
    say(json!({ "engine": engine, "version": version, "device": "cpu" }))?;
    for line in questions.lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let id = line["id"].as_str().unwrap_or_default();
        say(one(id, &answer).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?)?;
    }
    Ok(())
}

/// Answers the question with this id.
fn one(id: &str, answer: impl Fn(&Question<'_>) -> Result<Array, Refusal>) -> Result<Value, Error> {
    let (case, asked) = id.split_once(':').ok_or_else(|| Error::new(format!("'{id}' is not the id of a question")))?;
    let case = Case::new(case.parse::<Id>()?)?;
    let question = Question::named(&case, asked).ok_or_else(|| {
        Error::new(format!("'{id}' is not the id of a question: '{asked}' is not one of its operands' kinds"))
    })?;
    let said = panic::catch_unwind(AssertUnwindSafe(|| answer(&question)));
    Ok(match said {
        Ok(Ok(Array { shape, values })) => json!({ "id": id, "shape": shape, "values": values }),
        Ok(Err(Refusal::Rejected(why))) => json!({ "id": id, "reject": why }),
        Ok(Err(Refusal::Skipped(why))) => json!({ "id": id, "skip": why }),
        Err(panic) => json!({ "id": id, "reject": format!("panic: {}", message(&*panic)) }),
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Level, Verdict};

    /// Answers every question of the core through lines, rightly, and judges what comes back.
    #[test]
    fn lines_come_back() {
        let right = |question: &Question<'_>| question.expected().ok_or_else(|| Refusal::Rejected("no".into()));
        let (mut asked, mut ids) = (String::new(), Vec::new());
        let collect = |case: Case| {
            for question in Question::all(&case) {
                asked += &question.json().to_string();
                asked.push('\n');
                ids.push(question.id());
            }
            Ok::<_, Error>(())
        };
        Level::Core.try_each(collect).unwrap();
        let mut said = Vec::new();
        answer_all("test", "1", asked.as_bytes(), &mut said, right).unwrap();
        let said = String::from_utf8(said).unwrap();
        let mut lines = said.lines();
        assert_eq!(lines.next(), Some(r#"{"engine":"test","version":"1","device":"cpu"}"#));
        for (id, line) in ids.iter().zip(lines) {
            let (case, kinds) = id.split_once(':').unwrap();
            let case = Case::new(case.parse().unwrap()).unwrap();
            let question = Question::named(&case, kinds).unwrap();
            assert_eq!(&question.id(), id);
            assert_eq!(question.judge(&Answer::read(line, id)), Verdict::Right, "{line}");
        }
    }

    #[test]
    fn other_answers() {
        let ask = |line: &str, answer: fn(&Question<'_>) -> Result<Array, Refusal>| {
            let mut said = Vec::new();
            let done = answer_all("test", "1", line.as_bytes(), &mut said, answer);
            let said = String::from_utf8(said).unwrap();
            done.map_or_else(|error| error.to_string(), |()| said.lines().nth(1).unwrap_or_default().to_owned())
        };
        let question = r#"{"id":"add-numpy-r1-0004:ii"}"#;
        assert!(ask(question, |_| Err("no".into())).ends_with(r#""reject":"no"}"#));
        assert!(ask(question, |_| Err(Refusal::Skipped("later".into()))).ends_with(r#""skip":"later"}"#));
        assert!(ask(question, |_| panic!("ouch")).ends_with(r#""reject":"panic: ouch"}"#));
        assert!(ask(r#"{"id":"add-numpy-r1-0004:xx"}"#, |_| Err("no".into())).contains("kinds"));
        assert!(ask(r#"{"id":"add-numpy-r1-0004"}"#, |_| Err("no".into())).contains("not the id of a question"));
    }
}
