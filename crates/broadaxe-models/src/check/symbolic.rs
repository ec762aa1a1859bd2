//! Judges operands whose sizes the model leaves open.
//!
//! A few sizes stand for all (`choices.rs`). Both meanings are asked for each, and the condition that tells the outcomes
//! apart is what the verdict is guarded by.

use broadaxe_shape::{Shape, SymbolicShape};

use super::{
    Verdict,
    choices::Sizes,
    verdict::{Detail, Judged, KnownOperands},
};
use crate::{
    code,
    meaning::Kind,
    profiles::{Asked, Does, Target},
};

/// How many comparisons a condition joins by `and`.
const CLAUSES: usize = 4;

/// The sizes that a node's operands leave open, and choices for them under which the operands broadcast.
pub(super) struct Open {
    sizes: Sizes,
    /// Per choice: a size for each variable, and the operands.
    choices: Vec<(Vec<usize>, KnownOperands)>,
}

impl Open {
    /// Chooses sizes for the operands, and for the `result` where the rule asks for it; nothing when a rank is unknown or
    /// too many sizes are.
    pub(super) fn new(asked: &Asked<'_>, result: Option<&SymbolicShape>) -> Option<Self> {
        if asked.meaning.kind == Kind::Blocks {
            // No rule says which sizes fit.
            return None;
        }
        let rule = &asked.meaning.rule;
        let mut shapes = asked.operands.to_vec();
        let target = if rule.def().target { Some(result?) } else { None };
        shapes.extend(target.cloned());
        let own = asked.facts.inferences().infer(rule, asked.operands, target);
        let sizes = Sizes::of(&shapes, own.as_ref().as_ref().ok(), &|k| asked.operand_name(k))?;
        let mut choices = Vec::new();
        for choice in sizes.choices() {
            let shapes: Option<Vec<Vec<usize>>> = (0..shapes.len()).map(|k| sizes.shape(k, &choice)).collect();
            let Some(mut shapes) = shapes else { continue };
            let result = if rule.def().target { shapes.pop().unwrap_or_default() } else { vec![] };
            let known = KnownOperands::new(asked, shapes.into_iter().map(Shape::from).collect(), &result);
            if known.own.is_ok() {
                choices.push((choice, known));
            }
        }
        Some(Self { sizes, choices })
    }

    /// Says whether a target reads the operands as the model does for all sizes, by laws that look at no meaning.
    pub(super) fn always_own(&self, asked: &Asked<'_>, target: &Target) -> bool {
        self.choices.iter().all(|(_, known)| {
            let shapes: Vec<SymbolicShape> = known.shapes.iter().map(SymbolicShape::from).collect();
            match target.treat(&Asked { operands: &shapes, ..*asked }).does {
                Does::Own => true,
                Does::Rule(rule) => rule == asked.meaning.rule,
                _ => false,
            }
        })
    }

    /// Judges what a target does, for all sizes.
    pub(super) fn judge(&self, asked: &Asked<'_>, target: &Target, detail: Detail) -> Judged {
        let judge = |known: &KnownOperands, detail: Detail| {
            let shapes: Vec<SymbolicShape> = known.shapes.iter().map(SymbolicShape::from).collect();
            let asked = Asked { operands: &shapes, ..*asked };
            known.judge(&asked, target, &target.treat(&asked), detail)
        };
        let outcomes: Vec<(&[usize], Judged)> =
            self.choices.iter().map(|(choice, known)| (&choice[..], judge(known, Detail::None))).collect();
        let same = |judged: &Judged| matches!(judged.verdict, Verdict::Same);
        let Some(at) = outcomes.iter().position(|(_, judged)| !same(judged)) else {
            let broken = || {
                let text = "the model is wrong by its own rule: no sizes make its operands broadcast";
                Judged::of(Verdict::Refused, &code::INVALID_BROADCAST, text)
            };
            return if outcomes.is_empty() { broken() } else { Judged::same() };
        };
        let (first, _) = outcomes[at];
        let mut judged = judge(&self.choices[at].1, detail);
        if outcomes.iter().all(|(_, judged)| matches!(judged.verdict, Verdict::Unknown)) {
            return judged;
        }
        if outcomes.iter().any(|(_, other)| other.reason != judged.reason) {
            judged.reason += &self.sizes(first);
        }
        if outcomes.iter().any(|(_, judged)| same(judged)) {
            judged.verdict = Verdict::Guarded(self.condition(&outcomes));
            judged.code = Some(&code::DEPENDS_ON_SIZE);
        }
        judged
    }

    /// Writes the sizes of an example: `, with n = 2 and m = 3`.
    fn sizes(&self, choice: &[usize]) -> String {
        let sizes = self.listed(choice);
        if sizes.is_empty() { String::new() } else { format!(", with {sizes}") }
    }

    fn listed(&self, choice: &[usize]) -> String {
        let sizes = self.sizes.variables.iter().zip(choice).map(|(v, size)| format!("{} = {size}", v.name));
        sizes.collect::<Vec<_>>().join(", ")
    }

    /// Finds what tells the sizes that mean the same from the others: one comparison, two of them, or several that hold
    /// together.
    fn condition(&self, outcomes: &[(&[usize], Judged)]) -> String {
        let truth: Vec<bool> = outcomes.iter().map(|(_, judged)| matches!(judged.verdict, Verdict::Same)).collect();
        let literals = self.literals(outcomes);
        if let Some((text, _)) = literals.iter().find(|(_, holds)| *holds == truth) {
            return text.clone();
        }
        let joined = |one: &[bool], other: &[bool], join: fn(bool, bool) -> bool| {
            one.iter().zip(other).map(|(a, b)| join(*a, *b)).collect::<Vec<bool>>()
        };
        let mut clauses: Vec<(String, Vec<bool>)> = literals.clone();
        for (i, (text, holds)) in literals.iter().enumerate() {
            for (other, held) in &literals[i + 1..] {
                if joined(holds, held, |a, b| a && b) == truth {
                    return format!("{text} and {other}");
                }
                let either = joined(holds, held, |a, b| a || b);
                if either == truth {
                    return format!("{text} or {other}");
                }
                clauses.push((format!("({text} or {other})"), either));
            }
        }
        let same = outcomes.iter().zip(&truth).find(|(_, same)| **same).map_or(&[][..], |((choice, _), _)| choice);
        covered(&clauses, &truth).unwrap_or_else(|| format!("the sizes are such as {}", self.listed(same)))
    }

    /// Lists comparisons of sizes, the plainest first, and for which choices they hold.
    fn literals(&self, outcomes: &[(&[usize], Judged)]) -> Vec<(String, Vec<bool>)> {
        let terms = self.sizes.terms();
        let mut literals = Vec::new();
        for ones in [false, true] {
            for equal in [true, false] {
                let sign = if equal { "==" } else { "!=" };
                let mut add = |name: &str, other: &str, holds: &dyn Fn(&[usize]) -> bool| {
                    let holds = outcomes.iter().map(|(choice, _)| holds(choice) == equal).collect();
                    literals.push((format!("{name} {sign} {other}"), holds));
                };
                for term in &terms {
                    for size in if ones { &[1][..] } else { &self.sizes.mentioned } {
                        add(&term.name, &size.to_string(), &|choice| term.size(choice) == Some(*size));
                    }
                }
                for (v, one) in terms.iter().enumerate().filter(|_| !ones) {
                    for other in &terms[v + 1..] {
                        add(&one.name, &other.name, &|choice| one.size(choice) == other.size(choice));
                    }
                }
            }
        }
        literals
    }
}

/// Joins a few clauses by `and` that hold wherever `truth` does, and together nowhere else.
fn covered(clauses: &[(String, Vec<bool>)], truth: &[bool]) -> Option<String> {
    let sound: Vec<&(String, Vec<bool>)> =
        clauses.iter().filter(|(_, holds)| holds.iter().zip(truth).all(|(holds, same)| *holds || !same)).collect();
    let mut left: Vec<usize> = (0..truth.len()).filter(|at| !truth[*at]).collect();
    let mut texts: Vec<&str> = Vec::new();
    while !left.is_empty() && texts.len() < CLAUSES {
        let excludes = |holds: &[bool]| left.iter().filter(|at| !holds[**at]).count();
        // The first of those that exclude most is the plainest.
        let best =
            sound.iter().rev().max_by_key(|(_, holds)| excludes(holds)).filter(|(_, holds)| excludes(holds) > 0)?;
        texts.push(&best.0);
        left.retain(|at| best.1[*at]);
    }
    left.is_empty().then(|| texts.join(" and "))
}
