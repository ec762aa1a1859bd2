//! A cache of the results of rules on symbolic shapes.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use broadaxe_shape::{Error, Params, Rule, SymbolicShape, symbolic::Inferred};

/// How many dims the answers are kept for; beyond these all are forgotten, so that memory stays bounded.
const KEPT_DIMS: usize = 1 << 16;

/// A rule by its name and parameters, and the operands, followed by the target of a rule that has one.
type Query = (&'static str, Params, Vec<SymbolicShape>);
type Inference = Rc<Result<Inferred, Error>>;

/// The answers of one check or inference.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inferences {
    found: RefCell<(HashMap<Query, Inference>, usize)>,
}

impl Inferences {
    /// Infers as [`Rule::infer`], or with a target as [`Rule::infer_to`].
    pub(crate) fn infer(&self, rule: &Rule, shapes: &[SymbolicShape], target: Option<&SymbolicShape>) -> Inference {
        let infer = || match target {
            Some(target) => rule.infer_to(shapes, target),
            None => rule.infer(shapes),
        };
        let asked: usize = shapes.iter().chain(target).map(|shape| 1 + shape.rank().unwrap_or(0)).sum();
        if asked > KEPT_DIMS {
            return Rc::new(infer());
        }
        let key = (rule.name(), rule.params().clone(), shapes.iter().chain(target).cloned().collect::<Vec<_>>());
        if let Some(known) = self.found.borrow().0.get(&key) {
            return known.clone();
        }
        let answer = Rc::new(infer());
        let (found, dims) = &mut *self.found.borrow_mut();
        *dims += asked;
        if *dims > KEPT_DIMS {
            (*found, *dims) = (HashMap::new(), asked);
        }
        found.insert(key, answer.clone());
        answer
    }
}
