//! Finds the values of a model that depend on nothing but constants and known shapes.

use broadaxe_frameworks::Role;

use crate::{
    graph::{Model, ValueId},
    infer::Shapes,
    meaning,
};

/// Finds the values that depend on nothing but constants and known shapes.
pub(super) fn folded(model: &Model, shapes: &Shapes) -> Vec<bool> {
    let mut folded: Vec<bool> = model.values.iter().map(|value| value.constant.is_some()).collect();
    for id in model.walk() {
        let node = model.node(id);
        let known = |value: ValueId| shapes.of.get(value.0 as usize).is_some_and(|known| known.shape.known().is_some());
        let mut inputs = node.inputs.iter().flatten();
        let constant = match meaning::role(model, node) {
            Some(Role::Shape) => node.input(0).is_some_and(known),
            Some(Role::Random | Role::Input) => false,
            _ => node.bodies.is_empty() && inputs.all(|value| folded[value.0 as usize]),
        };
        if constant {
            node.outputs.iter().flatten().for_each(|value| folded[value.0 as usize] = true);
        }
    }
    folded
}
