//! Finds shapes of a model's inputs that settle the sizes of a node, for errors that say what would work.

use std::collections::BTreeSet;

use broadaxe_shape::Dim;

use crate::{
    graph::{Model, ValueId},
    infer::{Known, Shapes, infer},
    verify::{given, open_names},
};

/// The lengths that are tried in place of open ones; a model may accept few of them.
const LENGTHS: [usize; 6] = [2, 1, 3, 4, 8, 16];

/// How many inputs are tried to be left out of an example.
const MOST_LEFT_OUT: usize = 8;

/// The name of an input, and a shape for it.
type InputShape = (String, Vec<Dim>);

/// Says which values have open shapes, and which shapes of inputs settle them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What is open: the names of dims, or of tensors where a dim or a shape has no name.
    pub open: Vec<String>,
    /// Shapes for inputs of the model with which all the values have known shapes; empty where none were found.
    pub inputs: Vec<InputShape>,
}

/// Finds shapes of inputs with which the shapes of these values are known; nothing where they are known already.
pub fn settling(model: &Model, shapes: &Shapes, values: &[ValueId]) -> Option<Example> {
    let unknown: Vec<ValueId> = values.iter().copied().filter(|&id| !is_known(model, shapes, id)).collect();
    if unknown.is_empty() {
        return None;
    }
    let (mut named, mut open) = (BTreeSet::new(), BTreeSet::new());
    for &id in &unknown {
        let dims = shapes.of.get(id.0 as usize).and_then(|known| known.shape.dims()).unwrap_or_default();
        if dims.is_empty() || dims.iter().any(|dim| dim.size().is_none() && dim.names().is_empty()) {
            open.insert(format!("the shape of {}", model.value(id).name));
        }
        named.extend(dims.iter().flat_map(|dim| dim.names()).map(ToString::to_string));
    }
    open.extend(named.iter().cloned());
    let all = open_names(model, shapes);
    let some: Vec<String> = all.iter().filter(|name| named.contains(*name)).cloned().collect();
    let tried = [some, all].into_iter().filter(|names| !names.is_empty());
    let tried = tried.flat_map(|names| {
        LENGTHS.map(|length| names.iter().map(|name| (name.clone(), length)).collect::<Vec<(String, usize)>>())
    });
    let mut tried = tried.map(|lengths| given(model, shapes, &lengths));
    let inputs = tried.find(|given| settles(model, values, given)).unwrap_or_default();
    Some(Example { open: open.into_iter().collect(), inputs: shortened(model, shapes, values, inputs) })
}

fn is_known(model: &Model, shapes: &Shapes, id: ValueId) -> bool {
    let is_known = |known: &Known| known.shape.known().is_some();
    model.value(id).constant.is_some() || shapes.of.get(id.0 as usize).is_some_and(is_known)
}

/// Says whether these shapes of inputs settle the shapes of the values.
fn settles(model: &Model, values: &[ValueId], given: &[InputShape]) -> bool {
    infer(model, given).is_ok_and(|shapes| values.iter().all(|&id| is_known(model, &shapes, id)))
}

/// Leaves out the shapes of inputs that are not needed; those of inputs among the values stay for longest.
fn shortened(model: &Model, shapes: &Shapes, values: &[ValueId], mut inputs: Vec<InputShape>) -> Vec<InputShape> {
    let was = |name: &str| {
        let id = model.main().inputs.iter().find(|&&id| model.value(id).name == name)?;
        shapes.of.get(id.0 as usize)?.shape.dims()
    };
    inputs.retain(|(name, dims)| was(name) != Some(dims.as_slice()));
    let is_read = |name: &String| values.iter().any(|&id| model.value(id).name == *name);
    let mut names: Vec<String> = inputs.iter().rev().map(|(name, _)| name.clone()).collect();
    names.sort_by_key(is_read);
    for name in names.into_iter().take(MOST_LEFT_OUT) {
        let without: Vec<_> = inputs.iter().filter(|(own, _)| *own != name).cloned().collect();
        if settles(model, values, &without) {
            inputs = without;
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model as parse;

    #[test]
    fn inputs_that_settle_sizes() {
        let mask = "x(n,16,1,16); y(m,1); z=Add(x,y); s=Shape(z); w(n,1,1,1); e=Expand(w,s)";
        let cases = [
            (mask, "x", "n", "x:2,16,1,16"),
            (mask, "z", "m, n", "x:2,16,1,16 y:2,1"),
            (mask, "w", "n", "w:2,1,1,1"),
            // A length of 2 does not broadcast with 16, and 1 does.
            ("x(n,3); c=const(16,3); z=Add(x,c)", "x c z", "n", "x:1,3"),
            ("x(2,3); z=Neg(x)", "z", "-", ""),
        ];
        for (text, value, open, inputs) in cases {
            let (model, shapes) = parse(text);
            let id = |name: &str| (0..).map(ValueId).zip(&model.values).find(|(_, one)| one.name == name).unwrap().0;
            let found = settling(&model, &shapes, &value.split(' ').map(id).collect::<Vec<_>>());
            let text = |(name, dims): &(String, Vec<Dim>)| {
                format!("{name}:{}", dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
            };
            let got = found.as_ref().map_or("-".to_owned(), |found| found.open.join(", "));
            let shown = found.map_or_else(Vec::new, |found| found.inputs.iter().map(text).collect::<Vec<_>>());
            assert_eq!((got.as_str(), shown.join(" ").as_str()), (open, inputs), "{value}");
        }
    }
}
