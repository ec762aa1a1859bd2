//! Compares the cases with the oracle, which shares no code with the rules.
#![allow(clippy::print_stdout, reason = "the counts are the test's report")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use broadaxe_atlas::{Case, Expected, Level, Question};

#[derive(Default)]
struct Tally {
    cases: usize,
    accepted: usize,
    failures: Vec<String>,
}

impl Tally {
    fn compare(&mut self, case: &Case) {
        self.cases += 1;
        for question in Question::all(case) {
            let values = question.operands().into_iter().flat_map(|operand| operand.values).map(|value| value as f64);
            let mut all = values.chain(question.expected().into_iter().flat_map(|array| array.values));
            assert!(all.all(|value| value.abs() <= f64::from(1 << 24)), "{} is not exact in f32", question.id());
        }
        let want = support::asked(case);
        let got = match &case.expected {
            Expected::Result { shape, elements } => Some((shape.clone(), elements.clone())),
            Expected::Rejected(_) => None,
        };
        self.accepted += usize::from(want.is_some());
        if got != want && self.failures.len() < 10 {
            self.failures.push(format!("{} {:?}: {got:?}, the oracle says {want:?}", case.id, case.operands));
        }
    }

    fn report(self, name: &str, least: usize) {
        println!("{name}: {} cases, {} of which broadcast", self.cases, self.accepted);
        assert!(self.failures.is_empty(), "{:#?}", self.failures);
        assert!(self.cases >= least && 0 < self.accepted && self.accepted < self.cases);
    }
}

fn compare(level: Level, name: &str, least: usize) {
    let mut tally = Tally::default();
    level
        .try_each(|case| {
            tally.compare(&case);
            Ok::<_, ()>(())
        })
        .unwrap();
    tally.report(name, least);
}

#[test]
fn core_and_deep() {
    compare(Level::Core, "core", 250);
    compare(Level::Deep, "deep", 7000);
}

/// Compares every case of the level `full`; `cargo xtask atlas` runs it.
#[test]
#[ignore = "a minute, optimised"]
fn full() {
    compare(Level::Full, "full", 1_000_000);
}
