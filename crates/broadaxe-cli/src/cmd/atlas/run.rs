//! `broadaxe atlas run`: asks a program, and reports the answers that differ.

use std::{fmt::Write as _, io::Write as _, time::Duration};

use broadaxe_atlas::{Case, Failure, Question, Subject, Verdict};
use glob::Pattern;
use serde_json::json;

use super::{
    chosen::Chosen,
    junit,
    known::{self, Known},
    program::Program,
    tally::{Miss, Outcome, Tallied, Tally, name},
};
use crate::{
    answer::{Answer, table, tuple},
    args::RunArgs,
    error::{Error, escaped},
    file::write::Whole,
    terminal::{prose, wrap},
};

/// How many failures the text lists.
const SHOWN: usize = 12;

/// Asks a program.
///
/// # Errors
/// When it cannot be started, or a file cannot be read or written.
pub(super) fn run(args: &RunArgs) -> Result<Answer, Error> {
    let chosen = Chosen::of(&args.cases)?;
    let only = args.only.as_deref().map(Pattern::new).transpose();
    let only = only.map_err(|error| Error::usage(format!("--only: not a pattern: {error}")))?;
    let mut known = args.known.as_deref().map(Known::read).transpose()?.unwrap_or_default();
    let mut program = Program::new(&args.ask, Duration::from_secs(args.timeout))?;
    let mut tally = Tally::default();
    args.cases.level.try_each_of(
        |subject| chosen.has(subject),
        |case| ask(&case, only.as_ref(), &mut program, &mut known, &mut tally),
    )?;
    tally.end();
    if tally.subjects.is_empty() {
        return Err(Error::usage("no case of this level is chosen; --level full and --level deep have more"));
    }
    if let Some(path) = &args.write_known {
        let failures: Vec<(String, Failure)> = tally.listed.iter().filter_map(failure).collect();
        Whole::create(path)?.save(|to| to.write_all(known::written(&failures).as_bytes()))?;
    }
    if let Some(path) = &args.junit {
        Whole::create(path)?.save(|to| to.write_all(junit::suites(&tally).as_bytes()))?;
    }
    Ok(told(args, &program, &tally, &known))
}

/// Asks all questions about a case.
fn ask(
    case: &Case,
    only: Option<&Pattern>,
    program: &mut Program,
    known: &mut Known,
    tally: &mut Tally,
) -> Result<(), Error> {
    let mut asked = false;
    for question in Question::all(case) {
        let id = question.id();
        if only.is_some_and(|only| !only.matches(&id)) {
            continue;
        }
        asked = true;
        let answer = program.ask(&question)?;
        let verdict = question.judge(&answer);
        if matches!(verdict, Verdict::Wrong(_)) {
            tally.follow(case.id.subject, &question.rules_of(&answer));
        }
        tally.add(&question, Outcome::of(verdict, &id, known));
    }
    tally.cases += usize::from(asked);
    Ok(())
}

fn failure(listed: &Miss) -> Option<(String, Failure)> {
    match &listed.outcome {
        Outcome::Wrong(failure) | Outcome::Known(failure, _) => Some((listed.id.clone(), failure.clone())),
        _ => None,
    }
}

fn told(args: &RunArgs, program: &Program, tally: &Tally, known: &Known) -> Answer {
    let total = tally.total();
    let engine = program.named().cloned().unwrap_or_default();
    let (level, who) = (args.cases.level.name(), [&engine.engine, &engine.version, &engine.device]);
    let who: Vec<&str> = who.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let who = if who.is_empty() { args.ask.clone() } else { who.join(" ") };
    let questions = total.asked() + total.skipped;
    let mut text = format!("{}: {} cases of the level {level}, {questions} questions\n\n", escaped(&who), tally.cases);
    text += &rows(tally);
    text += &failures(tally);
    text += &skipped(tally);
    let unused = known.unused();
    let mut answer = Answer::judged(text, json!(null), total.wrong + total.passed > 0);
    if let (false, Some(path)) = (unused.is_empty(), &args.known) {
        let lines = unused.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        answer.notes.push(format!("{}: these lines answer no question of this run: {lines}", path.display()));
    }
    let listed = |one: &Miss| {
        let message = failure(one)
            .map_or_else(|| "passes, and is listed as a known failure".into(), |(_, failure)| failure.to_string());
        json!({ "id": one.id, "shapes": one.shapes, "message": message, "known": matches!(one.outcome, Outcome::Known(..)) })
    };
    answer.json = json!({
        "engine": engine.engine, "version": engine.version, "device": engine.device, "level": level, "cases": tally.cases,
        "asked": total.asked(), "right": total.right, "wrong": total.wrong, "known": total.known,
        "unexpected_passes": total.passed, "skipped": total.skipped, "rules": tally.counts(), "failures": tally.failures(),
        "followed": tally.followed().into_iter().map(|(subject, wrong, rule, right)| json!({
            "subject": subject, "wrong": wrong, "rule": rule, "right": right,
        })).collect::<Vec<_>>(),
        "first": tally.listed.iter().take(SHOWN).map(listed).collect::<Vec<_>>(),
    })
    .into();
    answer
}

/// Draws the counts of each rule as a table.
fn rows(tally: &Tally) -> String {
    let total = tally.total();
    let row = |(subject, counts): &(&Subject, Tallied)| {
        let mut row = vec![name(subject)];
        row.extend(
            [counts.asked(), counts.right, counts.wrong + counts.passed, counts.known, counts.skipped]
                .map(|count| count.to_string()),
        );
        row
    };
    let mut rows: Vec<Vec<String>> = tally.subjects.iter().filter(|(_, counts)| counts.asked() > 0).map(row).collect();
    let sum = [total.asked(), total.right, total.wrong + total.passed, total.known, total.skipped];
    rows.push(std::iter::once("all".to_owned()).chain(sum.map(|count| count.to_string())).collect());
    table(&["rule", "asked", "right", "wrong", "known", "skipped"], false, rows)
}

/// Says how small the shapes of a failure are; those with elements come first.
fn order(one: &Miss) -> (bool, usize) {
    let sizes = one.shapes.iter().map(|shape| shape.len() + shape.iter().product::<usize>());
    (one.shapes.iter().flatten().any(|&size| size == 0), sizes.sum())
}

/// Lists the first failures that make the run fail, smallest first; what is wrong alike for other choices of constants is one.
fn failures(tally: &Tally) -> String {
    let text_of = |one: &Miss| match &one.outcome {
        Outcome::Passed(reason) => Some(format!("passes, and is listed as a known failure: {reason}")),
        Outcome::Wrong(failure) => Some(failure.to_string()),
        _ => None,
    };
    let mut all: Vec<&Miss> = tally.listed.iter().filter(|one| one.outcome.fails()).collect();
    all.sort_by_key(|one| order(one));
    let mut groups: Vec<(&str, &Miss, String, Vec<&str>)> = Vec::new();
    for one in &all {
        let Some(why) = text_of(one) else { continue };
        let (case, kinds) = one.id.split_once(':').unwrap_or((&one.id, ""));
        match groups.iter().position(|(known, _, text, _)| *known == case && *text == why) {
            Some(at) => groups[at].3.push(kinds),
            None if groups.len() < SHOWN => groups.push((case, one, why, vec![kinds])),
            None => (),
        }
    }
    let mut text = String::new();
    for (case, one, why, kinds) in &groups {
        let shapes = one.shapes.iter().map(|shape| tuple(shape)).collect::<Vec<_>>().join(" ");
        let _ = write!(text, "\n{case}:{}  {shapes}\n{}", kinds.join(","), wrap("  ", &escaped(why), 2, prose()));
    }
    let shown: usize = groups.iter().map(|(.., kinds)| kinds.len()).sum();
    let total = tally.total();
    let rest = total.wrong + total.passed - shown;
    if rest > 0 {
        let _ = write!(text, "\n... and {rest} more\n");
    }
    for (subject, wrong, rule, right) in tally.followed() {
        let said = format!("{subject}: {right} of {wrong} wrong answers are right under the rule {rule}");
        text += &format!("\n{}", wrap("", &said, 2, prose()));
    }
    if let Some((case, ..)) = groups.first() {
        let _ = write!(text, "\nShow a case: broadaxe atlas show {case}\n");
    }
    text
}

/// Says why questions were skipped.
fn skipped(tally: &Tally) -> String {
    let reasons = tally.reasons();
    let mut text = String::new();
    for (why, count) in reasons.iter().take(4) {
        let why = if why.is_empty() { "no reason given" } else { why };
        text += &wrap("", &format!("skipped {count}: {}", escaped(why)), 2, prose());
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}
