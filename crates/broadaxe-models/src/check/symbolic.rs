//! Judges operands whose sizes the model leaves open.
//!
//! A few sizes stand for all (`choices.rs`). Both meanings are asked for each, and the condition that tells the outcomes
//! apart is what the verdict is guarded by.

use std::{cell::RefCell, collections::HashMap, mem, rc::Rc};

use broadaxe_shape::{Dim, Params, Rule, Shape, SymbolicShape};

use super::{
    Verdict,
    choices::Sizes,
    reading::Reading,
    verdict::{Detail, Judged, KnownOperands},
};
use crate::{
    code,
    meaning::Kind,
    profiles::{Asked, Does, Law, Remaining, Target},
};

/// How many comparisons a condition joins by `and`.
const CLAUSES: usize = 4;
/// How many choices are kept; beyond these all are forgotten, so that memory stays bounded.
const KEPT_CHOICES: usize = 1 << 12;

/// The sizes that a node's operands leave open, and choices for them under which the operands broadcast.
pub(super) struct Open {
    sizes: Sizes,
    choices: Vec<Choice>,
}

/// A size for each variable, and the operands.
struct Choice {
    sizes: Vec<usize>,
    known: KnownOperands,
    /// The shapes of the operands, as targets are asked about them.
    shapes: Vec<SymbolicShape>,
    /// The rules that were asked about, and whether each reads the operands as the node's own rule does.
    rules: RefCell<Vec<(Rule, bool)>>,
}

impl Choice {
    /// Says whether a target's rule reads the operands as the node's own rule does.
    fn is_own(&self, own: &Rule, rule: &Rule) -> bool {
        if own == rule {
            return true;
        }
        if let Some((_, same)) = self.rules.borrow().iter().find(|(known, _)| known == rule) {
            return *same;
        }
        let dims: Vec<&[usize]> = self.known.shapes.iter().map(Shape::dims).collect();
        let placed = self.known.own.as_ref().ok().zip(rule.align(&dims).ok());
        let same = placed.is_some_and(|(own, there)| Reading::of(own).parting(&Reading::of(&there)).is_none());
        self.rules.borrow_mut().push((rule.clone(), same));
        same
    }
}

/// A rule by its name and parameters, the kind of node, and the operands, followed by the result of a rule that has a target.
type SizesQuery = (&'static str, Params, Kind, Vec<SymbolicShape>);

/// The choices of one check: nodes whose operands have the same shapes share them.
#[derive(Default)]
pub(super) struct OpenSizes {
    found: HashMap<SizesQuery, Option<Rc<Open>>>,
    choices: usize,
}

impl OpenSizes {
    /// Chooses sizes as [`Open::new`].
    pub(super) fn of(&mut self, asked: &Asked<'_>, result: Option<&SymbolicShape>) -> Option<Rc<Open>> {
        let rule = &asked.meaning.rule;
        let target = result.filter(|_| rule.def().target);
        // A size without a name is named after the operand.
        let is_nameless = |dim: &Dim| dim.size().is_none() && dim.names().is_empty();
        if asked.operands.iter().chain(target).filter_map(SymbolicShape::dims).flatten().any(is_nameless) {
            return Open::new(asked, result).map(Rc::new);
        }
        let shapes = asked.operands.iter().chain(target).cloned().collect();
        let query = (rule.name(), rule.params().clone(), asked.meaning.kind, shapes);
        if let Some(known) = self.found.get(&query) {
            return known.clone();
        }
        let open = Open::new(asked, result).map(Rc::new);
        self.choices += open.as_ref().map_or(1, |open| open.choices.len().max(1));
        if self.choices > KEPT_CHOICES {
            *self = Self::default();
        }
        self.found.insert(query, open.clone());
        open
    }
}

impl Open {
    /// Chooses sizes for the operands, and for the `result` where the rule asks for it; nothing when a rank is unknown or
    /// too many sizes are.
    pub(super) fn new(asked: &Asked<'_>, result: Option<&SymbolicShape>) -> Option<Self> {
        Self::chosen(asked, result, |known| known.own.is_ok())
    }

    /// Chooses sizes for operands that do not broadcast by the node's own rule; nothing as for [`Open::new`].
    pub(super) fn of_invalid(asked: &Asked<'_>) -> Option<Self> {
        if asked.meaning.rule.def().target { None } else { Self::chosen(asked, None, |known| known.own.is_err()) }
    }

    fn chosen(asked: &Asked<'_>, result: Option<&SymbolicShape>, keeps: fn(&KnownOperands) -> bool) -> Option<Self> {
        if asked.meaning.kind == Kind::Blocks {
            // No rule says which sizes fit.
            return None;
        }
        let rule = &asked.meaning.rule;
        let mut shapes = asked.operands.to_vec();
        let target = if rule.def().target { Some(result?) } else { None };
        shapes.extend(target.cloned());
        let own = asked.facts.inferences().infer(rule, &asked.operands, target);
        let sizes = Sizes::of(&shapes, own.as_ref().as_ref().ok(), &|k| asked.operand_name(k))?;
        let mut choices = Vec::new();
        for choice in sizes.choices() {
            let shapes: Option<Vec<Vec<usize>>> = (0..shapes.len()).map(|k| sizes.shape(k, &choice)).collect();
            let Some(mut shapes) = shapes else { continue };
            let result = if rule.def().target { shapes.pop().unwrap_or_default() } else { vec![] };
            let known = KnownOperands::new(asked, shapes.into_iter().map(Shape::from).collect(), &result);
            if keeps(&known) {
                let shapes = known.shapes.iter().map(SymbolicShape::from).collect();
                choices.push(Choice { sizes: choice, known, shapes, rules: RefCell::default() });
            }
        }
        Some(Self { sizes, choices })
    }

    /// Says whether a target reads the operands as the model does for all sizes; nothing where no sizes make them broadcast.
    pub(super) fn is_always_own(&self, asked: &Asked<'_>, target: &Target, remaining: &mut Remaining) -> Option<bool> {
        let mut is_own = |choice: &Choice| {
            let asked = Asked { operands: asked.operands.with_sizes(&choice.shapes), ..*asked };
            let treatment = target.treat_sizes(&asked, remaining);
            match &treatment.does {
                Does::Own => true,
                Does::Rule(rule) => choice.is_own(&asked.meaning.rule, rule),
                Does::Refused(_) | Does::RefusedRank(_) | Does::Garbled(_) | Does::Unknown(_) => false,
                _ => choice.known.judge(&asked, target, &treatment, Detail::None).is_same(),
            }
        };
        if self.choices.is_empty() { None } else { Some(self.choices.iter().all(&mut is_own)) }
    }

    /// Judges what a target does with operands that no sizes make broadcast by the node's own rule, with the law that says so; nothing
    /// where no law speaks of such operands.
    pub(super) fn judge_invalid(&self, asked: &Asked<'_>, target: &Target) -> Option<(Judged, &'static Law)> {
        let judge = |choice: &Choice| {
            let asked = Asked { operands: asked.operands.with_sizes(&choice.shapes), ..*asked };
            let treatment = target.treat(&asked);
            let judged = choice.known.judge(&asked, target, &treatment, Detail::Numbers);
            treatment.law.is_of_invalid().then_some((judged, treatment.law))
        };
        let mut outcomes = self.choices.iter().map(judge);
        let (first, law) = outcomes.next()??;
        let alike = |(judged, other): &(Judged, &Law)| {
            mem::discriminant(&judged.verdict) == mem::discriminant(&first.verdict) && std::ptr::eq(*other, law)
        };
        if outcomes.all(|outcome| outcome.as_ref().is_some_and(alike)) {
            return Some((first, law));
        }
        let text = format!("the model is wrong by its own rule, and what {target} does depends on its open sizes");
        let unknown = Judged::of(Verdict::Unknown, &code::UNKNOWN_BEHAVIOR, text);
        Some((Judged { invalid: first.invalid, ..unknown }, law))
    }

    /// Judges what a target does, for all sizes.
    pub(super) fn judge(
        &self,
        asked: &Asked<'_>,
        target: &Target,
        remaining: &mut Remaining,
        detail: Detail,
    ) -> Judged {
        let mut judge = |choice: &Choice, detail: Detail| {
            let asked = Asked { operands: asked.operands.with_sizes(&choice.shapes), ..*asked };
            choice.known.judge(&asked, target, &target.treat_sizes(&asked, remaining), detail)
        };
        let outcomes: Vec<(&[usize], Judged)> =
            self.choices.iter().map(|choice| (&choice.sizes[..], judge(choice, Detail::None))).collect();
        let Some(at) = outcomes.iter().position(|(_, judged)| !judged.is_same()) else {
            let broken = || {
                let text = "the model is wrong by its own rule: no sizes make its operands broadcast";
                Judged::of(Verdict::Refused, &code::INVALID_BROADCAST, text)
            };
            return if outcomes.is_empty() { broken() } else { Judged::same() };
        };
        let (first, _) = outcomes[at];
        let mut judged = judge(&self.choices[at], detail);
        if outcomes.iter().all(|(_, judged)| matches!(judged.verdict, Verdict::Unknown)) {
            return judged;
        }
        if outcomes.iter().any(|(_, other)| other.reason != judged.reason) {
            judged.reason += &self.sizes(first);
        }
        if outcomes.iter().any(|(_, judged)| judged.is_same()) {
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
        let truth: Vec<bool> = outcomes.iter().map(|(_, judged)| judged.is_same()).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        meaning::meaning,
        profiles::{Facts, OperandShapes},
        testing::model,
    };

    /// Chooses sizes for the last nodes of a model; says whether the choices of both are one.
    fn are_shared(text: &str) -> bool {
        let (model, shapes) = model(text);
        let facts = Facts::of(&model, &shapes, &[]);
        let mut opens = OpenSizes::default();
        let mut open = |id| {
            let meaning = meaning(&model, id).expect("a broadcasting node").expect("a valid node");
            let (node, own) = (model.node(id), meaning.shapes(model.node(id), &shapes));
            let around = facts.around(node, &meaning);
            let asked = Asked {
                model: &model,
                shapes: &shapes,
                facts: &facts,
                node,
                meaning: &meaning,
                operands: OperandShapes::new(&own, &facts.sizes_are_read),
                constants: &around.constants,
                batches: &around.batches,
                fronts: &[],
                target: None,
            };
            opens.of(&asked, Some(&own[0])).expect("few sizes")
        };
        let nodes: Vec<_> = model.walk().into_iter().filter(|id| model.node(*id).inputs.len() == 2).collect();
        let [.., first, last] = nodes[..] else { panic!("two nodes") };
        Rc::ptr_eq(&open(first), &open(last))
    }

    #[test]
    fn nodes_share_choices_where_all_that_decides_is_equal() {
        for (text, want) in [
            ("x(n,3); y(3); a=Add(x,y); b=Mul(a,y)", true),
            ("x(n,3); y(m,3); z(n,3); a=Add(x,y); b=Mul(z,y)", true),
            ("x(n,3); y(3); a=Add(x,y); b=PRelu(a,y)", false),
            ("x(n,3); y(m,3); a=Add(x,y); b=Mul(y,x)", false),
            // A size without a name is named after the tensor.
            ("x(?,3); y(?,3); z(3); a=Add(x,z); b=Mul(y,z)", false),
        ] {
            assert_eq!(are_shared(text), want, "{text}");
        }
    }
}
