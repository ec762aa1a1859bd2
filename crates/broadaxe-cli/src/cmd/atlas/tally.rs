//! Tallied answers by rule, and lists those that differ.

use std::collections::BTreeMap;

use broadaxe_atlas::{Case, Expected, Failure, Question, Subject, Verdict};
use serde_json::{Map, Value, json};

use super::known::Known;

/// What became of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Right,
    Skipped(String),
    Wrong(Failure),
    /// It fails as the file of known failures says, for this reason.
    Known(Failure, String),
    /// The file says that it fails, for this reason, and it does not.
    Passed(String),
}

impl Outcome {
    pub(super) fn of(verdict: Verdict, id: &str, known: &mut Known) -> Self {
        match verdict {
            Verdict::Skipped(why) => Self::Skipped(why),
            Verdict::Right => known.reason(id).map_or(Self::Right, |reason| Self::Passed(reason.to_owned())),
            Verdict::Wrong(failure) => match known.reason(id) {
                Some(reason) => Self::Known(failure, reason.to_owned()),
                None => Self::Wrong(failure),
            },
        }
    }

    /// Says whether the run fails because of it.
    pub(super) fn fails(&self) -> bool {
        matches!(self, Self::Wrong(_) | Self::Passed(_))
    }
}

/// The counts of a subject.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tallied {
    pub(super) right: usize,
    /// How many of the right answers reject the shapes.
    pub(super) rejections: usize,
    pub(super) wrong: usize,
    pub(super) known: usize,
    pub(super) passed: usize,
    pub(super) skipped: usize,
}

impl Tallied {
    /// Says whether the program has shown that it computes anything under the rule.
    fn is_shown(self) -> bool {
        self.right > self.rejections
    }

    fn add(&mut self, outcome: &Outcome, rejects: bool) {
        self.rejections += usize::from(rejects && *outcome == Outcome::Right);
        *match outcome {
            Outcome::Right => &mut self.right,
            Outcome::Skipped(_) => &mut self.skipped,
            Outcome::Wrong(_) => &mut self.wrong,
            Outcome::Known(..) => &mut self.known,
            Outcome::Passed(_) => &mut self.passed,
        } += 1;
    }

    pub(super) fn asked(self) -> usize {
        self.right + self.wrong + self.known + self.passed
    }
}

/// A failure that is listed.
#[derive(Debug)]
pub(super) struct Miss {
    pub(super) id: String,
    pub(super) shapes: Vec<Vec<usize>>,
    pub(super) outcome: Outcome,
}

/// How many failures are kept with their texts.
const MOST_LISTED: usize = 10_000;

/// A subject, a kind of failure, and which operands are constants. Under it are the rank and the number of each case that fails.
type FailureKey = (String, &'static str, String);

/// Counts what became of all questions.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) cases: usize,
    /// In the order in which they were asked.
    pub(super) subjects: Vec<(&'static Subject, Tallied)>,
    pub(super) listed: Vec<Miss>,
    failed: BTreeMap<FailureKey, Vec<(String, u128)>>,
    /// By the name of a subject: how many answers are wrong, and how many of them are right under other rules.
    followed: BTreeMap<String, (usize, BTreeMap<&'static str, usize>)>,
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    pub(super) fn add(&mut self, question: &Question<'_>, outcome: Outcome) {
        let case = question.case();
        let rejects = matches!(case.expected, Expected::Rejected(_));
        match self.subjects.last_mut() {
            Some((subject, counts)) if std::ptr::eq(*subject, case.id.subject) => counts.add(&outcome, rejects),
            _ => {
                let mut counts = Tallied::default();
                counts.add(&outcome, rejects);
                self.subjects.push((case.id.subject, counts));
            }
        }
        match &outcome {
            Outcome::Wrong(failure) | Outcome::Known(failure, _) => self.fail(question, case, failure),
            Outcome::Skipped(why) => *self.reasons.entry(why.clone()).or_default() += 1,
            _ => (),
        }
        if !matches!(outcome, Outcome::Right | Outcome::Skipped(_)) && self.listed.len() < MOST_LISTED {
            let mut shapes = case.operands.clone();
            shapes.extend(case.rule.params().target.as_ref().map(|target| target.dims().to_vec()));
            self.listed.push(Miss { id: question.id(), shapes, outcome });
        }
    }

    /// Notes a wrong answer, and the rules under which it is right.
    pub(super) fn follow(&mut self, subject: &Subject, rules: &[&'static Subject]) {
        let (wrong, counts) = self.followed.entry(name(subject)).or_default();
        *wrong += 1;
        for rule in rules {
            *counts.entry(rule.label()).or_default() += 1;
        }
    }

    /// Lists the subjects whose wrong answers are mostly right under one other rule: the subject, how many are wrong, the rule, and how
    /// many are right under it.
    pub(super) fn followed<'a>(&'a self) -> Vec<(&'a str, usize, &'static str, usize)> {
        let best = |(subject, (wrong, counts)): (&'a String, &(usize, BTreeMap<&'static str, usize>))| {
            let (&rule, &right) = counts.iter().max_by_key(|(rule, right)| (**right, std::cmp::Reverse(**rule)))?;
            Some((subject.as_str(), *wrong, rule, right)).filter(|_| 2 * right > *wrong)
        };
        self.followed.iter().filter_map(best).collect()
    }

    fn fail(&mut self, question: &Question<'_>, case: &Case, failure: &Failure) {
        let rank = case.id.pattern.ranks().into_iter().max().unwrap_or(0);
        let theme = case.id.theme.to_string();
        let group = format!("r{rank}{}{theme}", if theme.is_empty() { "" } else { "-" });
        let key = (name(case.id.subject), failure.name(), question.kinds().to_owned());
        self.failed.entry(key).or_default().push((group, case.id.pattern.number()));
    }

    pub(super) fn total(&self) -> Tallied {
        self.subjects.iter().fold(Tallied::default(), |all, (_, one)| Tallied {
            right: all.right + one.right,
            rejections: all.rejections + one.rejections,
            wrong: all.wrong + one.wrong,
            known: all.known + one.known,
            passed: all.passed + one.passed,
            skipped: all.skipped + one.skipped,
        })
    }

    /// Ends the count. Where a program gave no right result under a rule, its rejections say nothing, and count as skipped: a
    /// tool that does not work rejects everything.
    pub(super) fn end(&mut self) {
        const WHY: &str = "no right result under this rule, so the rejections are not counted";
        for (_, counts) in self.subjects.iter_mut().filter(|(_, counts)| counts.rejections > 0 && !counts.is_shown()) {
            *self.reasons.entry(WHY.into()).or_default() += counts.rejections;
            counts.skipped += counts.rejections;
            counts.right -= counts.rejections;
            counts.rejections = 0;
        }
    }

    /// Returns the commonest reasons for which questions were skipped.
    pub(super) fn reasons(&self) -> Vec<(&str, usize)> {
        let mut all: Vec<(&str, usize)> = self.reasons.iter().map(|(why, &count)| (why.as_str(), count)).collect();
        all.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        all
    }

    /// Returns the counts of each subject.
    pub(super) fn counts(&self) -> Value {
        let one = |(subject, counts): &(&'static Subject, Tallied)| {
            json!({
                "family": subject.family().name, "rule": subject.label(), "asked": counts.asked(), "right": counts.right,
                "wrong": counts.wrong, "known": counts.known, "unexpected_passes": counts.passed, "skipped": counts.skipped,
            })
        };
        self.subjects.iter().map(one).collect()
    }

    /// Returns all failures: for each subject, kind of failure and operands the numbers of the cases, as ranges.
    pub(super) fn failures(&self) -> Value {
        let mut all = Map::new();
        for ((subject, kind, operands), found) in &self.failed {
            let mut groups: BTreeMap<&str, Vec<u128>> = BTreeMap::new();
            for (group, number) in found {
                groups.entry(group).or_default().push(*number);
            }
            let groups: Map<String, Value> =
                groups.into_iter().map(|(group, numbers)| (group.to_owned(), json!(ranges(numbers)))).collect();
            let subject = all.entry(subject.clone()).or_insert_with(|| json!({}));
            let kind = subject.as_object_mut().map(|kinds| kinds.entry(*kind).or_insert_with(|| json!({})));
            if let Some(kind) = kind.and_then(Value::as_object_mut) {
                kind.insert(operands.clone(), Value::Object(groups));
            }
        }
        Value::Object(all)
    }
}

/// Names a subject as ids do.
pub(super) fn name(subject: &Subject) -> String {
    format!("{}-{}", subject.family().name, subject.label())
}

/// Writes numbers as ranges: `3-5,9`.
fn ranges(mut numbers: Vec<u128>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    let mut runs: Vec<(u128, u128)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_ranges() {
        assert_eq!(ranges(vec![9, 3, 4, 5, 3]), "3-5,9");
        assert_eq!(ranges(vec![]), "");
    }
}
