//! Judges, for each target, a node that is written in another way.

use std::collections::{BTreeMap, BTreeSet};

use broadaxe_shape::SymbolicShape;

use super::{
    candidate::Candidate,
    emit_edits::Form,
    planner::{Answer, Judge},
};
use crate::{
    check::{self, Verdict},
    graph::{Model, NodeId},
    infer::Shapes,
    meaning::Source,
    profiles::{Asked, Facts, OperandShapes, Reach, Target, kept_batch},
};

/// A target, and what is known of the model around its nodes.
struct KnownShapes<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    target: Target,
    facts: std::rc::Rc<Facts>,
}

/// Makes a judge of each target, for a model in which some nodes are decomposed.
pub(super) fn judges<'a>(
    model: &'a Model,
    shapes: &'a Shapes,
    targets: &[Target],
    decomposed: &BTreeSet<NodeId>,
) -> Vec<Box<dyn Judge + 'a>> {
    let facts = if decomposed.is_empty() {
        Facts::of(model, shapes, targets)
    } else {
        // What is known of a model goes by the names of operators, and a node that is decomposed multiplies.
        let mut changed = model.clone();
        for id in decomposed {
            changed.nodes[id.0 as usize].op = "Mul".to_string();
        }
        Facts::of(&changed, shapes, targets)
    };
    let facts = std::rc::Rc::new(facts);
    let judge = |target: &Target| {
        let facts = facts.clone();
        Box::new(KnownShapes { model, shapes, target: *target, facts }) as Box<dyn Judge + 'a>
    };
    targets.iter().map(judge).collect()
}

impl Judge for KnownShapes<'_> {
    fn name(&self) -> String {
        self.target.to_string()
    }

    fn is_reached(&self) -> bool {
        !matches!(self.target.reach(self.model.format), Reach::Unreached(_))
    }

    fn reads_by_rank(&self) -> bool {
        self.target.profile().reads_by_rank
    }

    fn answer(&self, id: NodeId, way: &Candidate) -> Answer {
        let node = self.model.node(id);
        let mut around = self.facts.around(node, &way.meaning);
        let forms: BTreeMap<usize, &Form> = way.forms.iter().map(|(input, form)| (*input, form)).collect();
        for ((batch, source), new) in around.batches.iter_mut().zip(&way.meaning.operands).zip(&way.shapes) {
            let form = match source {
                Source::Input(input) => forms.get(input).copied(),
                _ => None,
            };
            let own = match source {
                Source::Input(input) => node.input(*input).and_then(|value| self.shapes.of.get(value.0 as usize)),
                _ => None,
            };
            *batch = batch.and_then(|axis| moved(axis, form, (&own?.shape, new)));
        }
        let (constants, batches) = (&around.constants[..], &around.batches[..]);
        let written = |input: usize| node.input(input).is_some_and(|value| self.model.value(value).constant.is_some());
        let fronts: Vec<usize> = forms.keys().copied().filter(|&input| !written(input)).collect();
        let asked = Asked {
            model: self.model,
            shapes: self.shapes,
            facts: &self.facts,
            node,
            meaning: &way.meaning,
            operands: OperandShapes::new(&way.shapes, &self.facts.sizes_are_read),
            constants,
            batches,
            fronts: &fronts,
            target: None,
        };
        match check::judge(&asked, &way.result, &self.target) {
            (Verdict::Same, _) => Answer::Same,
            (Verdict::Differs(_) | Verdict::Refused, reason) => Answer::Not(reason),
            (Verdict::Guarded(condition), _) => Answer::Not(format!("it is the same only if {condition}")),
            (Verdict::Unsupported, reason) => Answer::Unsupported(reason),
            (Verdict::Unknown, reason) => Answer::Unknown(reason),
        }
    }
}

/// Returns where an axis of an operand is in another form of it.
fn moved(axis: usize, form: Option<&Form>, (own, new): (&SymbolicShape, &SymbolicShape)) -> Option<usize> {
    match form {
        None | Some(Form::Stretched(_)) => Some(axis),
        Some(Form::Axes(inserted) | Form::Placed(inserted, _)) => {
            Some(inserted.iter().fold(axis, |at, &new| at + usize::from(new <= at)))
        }
        Some(Form::Dims(_)) => kept_batch(axis, own, new),
    }
}
