//! Checks that every wrong rule of a list fails a case of the core, and names the smallest case that it fails.
//!
//! The wrong rules are mistakes that kernels and importers have made, or that are a short step from code that is right.
//! `BROADAXE_WRITE=1` writes the table in the documentation.

mod support;
mod wrong;

use std::{cell::Cell, env, fs};

use broadaxe_atlas::{Answer, Array, Case, Failure, Level, Question, Verdict};
use wrong::{
    calls::{Call, Elements},
    rules::MUTANTS,
};

/// Answers a question as a wrong rule does, or rightly where the mistake does not show.
fn answer(question: &Question<'_>, mistake: fn(&Call) -> Option<Elements>, touched: &Cell<bool>) -> Answer {
    let call = Call::of(question);
    touched.set(true);
    match mistake(&call) {
        None => Answer::Rejected("the shapes do not fit".into()),
        Some((shape, elements)) => {
            let count = shape.iter().product::<usize>();
            let values = (0..count)
                .map(|i| call.result(elements.iter().map(|own| own.get(i).copied().unwrap_or_default())))
                .collect();
            Answer::Result(Array { shape, values })
        }
    }
}

/// Counts the elements of a question, which is how small it is.
fn size(case: &Case) -> (usize, usize) {
    let axes = case.operands.iter().map(Vec::len).sum();
    (axes, case.operands.iter().map(|shape| shape.iter().product::<usize>()).sum())
}

#[test]
fn every_mutant_fails() {
    let mut cases = Vec::new();
    Level::Core
        .try_each(|case| {
            cases.push(case);
            Ok::<_, ()>(())
        })
        .unwrap();
    cases.sort_by_key(size);
    let mut rows = Vec::new();
    let mut alive = Vec::new();
    for mutant in MUTANTS {
        let touched = Cell::new(false);
        let mut found: Option<(String, String, Failure)> = None;
        let mut failed = 0;
        for case in &cases {
            let Some(mistake) = mutant.of(case) else { continue };
            for question in Question::all(case) {
                if let Verdict::Wrong(failure) = question.judge(&answer(&question, mistake, &touched)) {
                    failed += 1;
                    let shapes = format!("{:?}", case.operands).replace(['[', ']'], "|").replace("||", "|");
                    found.get_or_insert((question.id(), shapes, failure));
                }
            }
        }
        assert!(touched.get(), "{} answers no case", mutant.name);
        match found {
            Some((id, _, failure)) => rows.push(format!("| {} | {failed} | `{id}` | {failure} |", mutant.name)),
            None => alive.push(mutant.name),
        }
    }
    assert!(alive.is_empty(), "these wrong rules fail no case: {alive:#?}");
    assert!(rows.len() >= 20);
    let table = format!(
        "| wrong rule | questions it fails | the smallest of them | what its answer shows |\n|---|---|---|---|\n{}\n",
        rows.join("\n")
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/atlas.md");
    let page = fs::read_to_string(path).unwrap();
    let (head, current) = page.split_once(MARK).expect("the page has the mark");
    if env::var_os("BROADAXE_WRITE").is_some() {
        fs::write(path, format!("{head}{MARK}{table}")).unwrap();
    } else {
        assert_eq!(current, table, "docs/guides/atlas.md is not current; BROADAXE_WRITE=1 writes its table");
    }
}

/// What is in front of the table in the documentation.
const MARK: &str = "<!-- Written by `BROADAXE_WRITE=1 cargo test -p broadaxe-atlas --test mutants`. -->\n\n";

/// The right answers are right: a mistake that never shows fails nothing.
#[test]
fn right_answers_pass() {
    let right = |call: &Call| call.right();
    let mut asked = 0;
    Level::Core
        .try_each(|case| {
            for question in Question::all(&case) {
                let verdict = question.judge(&answer(&question, right, &Cell::new(false)));
                assert_eq!(verdict, Verdict::Right, "{}", question.id());
                asked += 1;
            }
            Ok::<_, ()>(())
        })
        .unwrap();
    assert!(asked > 600);
}
