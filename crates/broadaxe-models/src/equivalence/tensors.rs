//! Decides which tensors of two models are the same one.

use std::collections::HashMap;

use crate::graph::{Model, ValueId};

/// The largest constant, in bytes, whose elements are looked at.
const COMPARED_BYTES: usize = 1 << 22;

/// The tensors of two models.
///
/// Tensors with the same name are the same, and so are constants with the same elements. A tensor whose name the other model
/// does not have may have been renamed: it is the same as one that is like it and whose name is new too, and as no other. The
/// elements of other constants are not compared.
pub struct Tensors<'a> {
    models: [&'a Model; 2],
    named: [HashMap<&'a str, Vec<ValueId>>; 2],
    renamed: [HashMap<ValueId, ValueId>; 2],
}

impl<'a> Tensors<'a> {
    /// Reads the names of the tensors of two models.
    pub fn new(a: &'a Model, b: &'a Model) -> Self {
        Self { models: [a, b], named: [names(a), names(b)], renamed: [HashMap::new(), HashMap::new()] }
    }

    /// Says whether a tensor of the first model is this one of the second.
    pub fn is_same(&mut self, a: ValueId, b: ValueId) -> bool {
        let [own, other] = [self.models[0].value(a), self.models[1].value(b)];
        if own.name == other.name && !own.name.is_empty() {
            return self.place(0, a) == self.place(1, b);
        }
        if self.has_same_elements(a, b) {
            return true;
        }
        if let (None, None) = (self.renamed[0].get(&a), self.renamed[1].get(&b)) {
            let is_new = |name: &str, side: usize| name.is_empty() || !self.named[side].contains_key(name);
            if !is_new(&own.name, 1) || !is_new(&other.name, 0) || !self.is_like(a, b) {
                return false;
            }
            self.renamed[0].insert(a, b);
            self.renamed[1].insert(b, a);
            return true;
        }
        self.renamed[0].get(&a) == Some(&b)
    }

    /// Returns the place of a tensor among those of its name: names need not be unique.
    fn place(&self, side: usize, value: ValueId) -> Option<usize> {
        let name = self.models[side].value(value).name.as_str();
        self.named[side].get(name)?.iter().position(|id| *id == value)
    }

    fn has_same_elements(&self, a: ValueId, b: ValueId) -> bool {
        let [a_model, b_model] = self.models;
        let (Some(own), Some(other)) = (&a_model.value(a).constant, &b_model.value(b).constant) else { return false };
        let count = |shape: &[usize]| broadaxe_shape::elements(shape).ok();
        if own.element != other.element || count(&own.shape) != count(&other.shape) {
            return false;
        }
        let own = a_model.elements(own, COMPARED_BYTES).ok().flatten();
        own.is_some() && own == b_model.elements(other, COMPARED_BYTES).ok().flatten()
    }

    /// Says whether a tensor may be another one under a new name: both are the same input, come from the same operator, or are
    /// constants of the same shape.
    fn is_like(&self, a: ValueId, b: ValueId) -> bool {
        let [model, other] = self.models;
        let (own, its) = (model.value(a), other.value(b));
        if let (Some(own), Some(its)) = (&own.constant, &its.constant) {
            return own.element == its.element && own.shape == its.shape;
        }
        match (own.producer, its.producer) {
            (Some((node, output)), Some((its, at))) => {
                let is_same_op = model.node(node).op == other.node(its).op;
                output == at && (is_same_op || model.system != other.system)
            }
            (None, None) => {
                let place = |model: &Model, id: ValueId| model.main().inputs.iter().position(|input| *input == id);
                place(model, a).is_some_and(|place_of_a| place(other, b) == Some(place_of_a))
            }
            _ => false,
        }
    }
}

fn names(model: &Model) -> HashMap<&str, Vec<ValueId>> {
    let mut names: HashMap<&str, Vec<ValueId>> = HashMap::new();
    for (id, value) in (0..).map(ValueId).zip(&model.values) {
        names.entry(&value.name).or_default().push(id);
    }
    names
}
