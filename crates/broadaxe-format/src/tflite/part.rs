//! Writes some operators of a model as a model of their own: see [`crate::part`].
//!
//! A front before the file has another main subgraph, with the tensors of the file under their numbers. Where a value is cut, the
//! operator that makes it writes a new tensor, and the old one is an input. All other subgraphs stay. Signatures, which name the ends
//! of the subgraphs, are left out.

use std::collections::BTreeMap;

use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use super::{
    copies::{MODEL_WIDTHS, NewFields, SUBGRAPH_WIDTHS, TENSOR_WIDTHS, copied},
    draft::ModelDraft,
    flatten::FlatValue,
    layout::{field, layout},
    read,
    render::{TableWriter, finish, shaped},
};
use crate::{
    edit::rejected,
    error::Error,
    graph::{GraphId, Model, NodeId, ValueId},
    onnx::part::{Part, PartInput},
    result_shape::same,
};

/// Writes a part of a model.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] where the model is another one than its file, or is in a bundle.
pub(crate) fn write(model: &Model, part: &Part) -> Result<Vec<u8>, Error> {
    let (again, places) = read::read_with_layout(&model.source)?;
    same(model, &again)?;
    if places.bundled {
        return Err(rejected("parts of a .litertlm are not written; take its model out"));
    }
    let (flat, _) = layout(&model.source)?;
    let draft = ModelDraft::new(model, flat, &places);
    let writer = TableWriter::new(&draft);
    let mut root = copied(&draft.flat, places.root, MODEL_WIDTHS)?;
    let main = SubgraphWriter::new(&draft, part)?.subgraph(&writer)?;
    let others = places.subgraphs.iter().skip(1).map(|graph| FlatValue::Old(graph.table.at));
    root.set(field::MODEL_SUBGRAPHS, FlatValue::Offsets([main].into_iter().chain(others).collect()));
    root.remove(field::MODEL_SIGNATURES);
    if let Some(buffers) = writer.buffers()? {
        root.set(field::MODEL_BUFFERS, FlatValue::Offsets(buffers));
    }
    let mut file = finish(root)?;
    file.extend(model.source.read(0, model.source.len() as usize)?);
    Ok(file)
}

struct SubgraphWriter<'d, 'a> {
    draft: &'d ModelDraft<'a>,
    part: &'d Part,
    tensors: Vec<FlatValue>,
    /// The tensors that operators write in place of those that are cut.
    made: BTreeMap<i32, i32>,
}

impl<'d, 'a> SubgraphWriter<'d, 'a> {
    fn new(draft: &'d ModelDraft<'a>, part: &'d Part) -> Result<Self, Error> {
        let tensors = draft.part(0).tensors.iter().map(|table| FlatValue::Old(table.at)).collect();
        let mut writer = Self { draft, part, tensors, made: BTreeMap::new() };
        for input in &part.inputs {
            let number = writer.number(input.value)?;
            let name = part.output_name(draft.model, input.value);
            if name != draft.model.value(input.value).name {
                let table = writer.named(number, name)?.table();
                writer.made.insert(number, writer.tensors.len() as i32);
                writer.tensors.push(table);
            }
            writer.tensors[number as usize] = writer.input(number, input)?;
        }
        for &output in part.outputs.iter().filter(|id| !part.inputs.iter().any(|input| input.value == **id)) {
            let number = writer.number(output)?;
            let table = writer.named(number, draft.model.value(output).name.clone())?.table();
            writer.tensors[number as usize] = table;
        }
        Ok(writer)
    }

    /// Returns the number of a tensor of the main subgraph.
    fn number(&self, value: ValueId) -> Result<i32, Error> {
        let (graph, number) = self.draft.tensor(value);
        if graph == 0 { Ok(number) } else { Err(rejected("a value of a body is no end of a part")) }
    }

    /// Copies a tensor under the name of its value, which is the only one of that name.
    fn named(&self, number: i32, name: String) -> Result<NewFields, Error> {
        let mut fields = copied(&self.draft.flat, self.draft.part(0).tensors[number as usize], TENSOR_WIDTHS)?;
        fields.set(field::TENSOR_OWN_NAME, FlatValue::Text(name));
        Ok(fields)
    }

    /// Writes the tensor of an input, which is no constant.
    fn input(&self, number: i32, input: &PartInput) -> Result<FlatValue, Error> {
        let value = self.draft.model.value(input.value);
        let mut fields = self.named(number, value.name.clone())?;
        fields.remove(field::TENSOR_BUFFER);
        let dims = input.shape.iter().map(|size| size.map_or_else(Dim::unknown, Dim::known));
        shaped(&mut fields, Some(&SymbolicShape::new(dims.collect::<Vec<_>>())));
        Ok(fields.table())
    }

    fn subgraph(self, writer: &TableWriter<'_, '_>) -> Result<FlatValue, Error> {
        let (draft, main) = (self.draft, self.draft.part(0));
        let mut operators = Vec::with_capacity(self.part.nodes.len());
        for &NodeId(node) in &self.part.nodes {
            let place = (node as usize).checked_sub(main.first_node);
            let is_main = draft.model.node(NodeId(node)).graph == GraphId(0);
            let table = place.filter(|_| is_main).and_then(|place| main.operators.get(place));
            let &table = table.ok_or_else(|| rejected("a node of a body is no part of its own"))?;
            let mut fields = writer.old_operator(table)?;
            let outputs = draft.flat.ints(table, field::OPERATOR_OUTPUTS)?;
            let made = outputs.iter().map(|number| *self.made.get(number).unwrap_or(number));
            fields.set(field::OPERATOR_OUTPUTS, FlatValue::ints(made));
            operators.push(fields.table());
        }
        let numbers =
            |ids: &mut dyn Iterator<Item = ValueId>| ids.map(|id| self.number(id)).collect::<Result<Vec<_>, _>>();
        let inputs = numbers(&mut self.part.inputs.iter().map(|input| input.value))?;
        let outputs = numbers(&mut self.part.outputs.iter().copied())?;
        let outputs = outputs.into_iter().map(|number| *self.made.get(&number).unwrap_or(&number));
        let mut fields = copied(&draft.flat, main.table, SUBGRAPH_WIDTHS)?;
        fields.set(field::SUBGRAPH_INPUTS, FlatValue::ints(inputs));
        fields.set(field::SUBGRAPH_OUTPUTS, FlatValue::ints(outputs));
        fields.set(field::SUBGRAPH_TENSORS, FlatValue::Offsets(self.tensors));
        fields.set(field::SUBGRAPH_OPERATORS, FlatValue::Offsets(operators));
        Ok(fields.table())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{open, read, source::Source};

    #[test]
    fn every_node_alone() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
        for name in ["tflite_small.tflite", "tflite_loop.tflite"] {
            let model = open(&folder.join(name)).unwrap();
            let mut part = Part { nodes: model.main().nodes.iter().copied().collect(), ..Part::default() };
            for &id in &model.main().nodes {
                part.outputs.extend(model.node(id).outputs.iter().flatten());
            }
            let given = model.main().inputs.iter().chain(&part.outputs);
            let input = |&value| PartInput {
                value,
                element: model.value(value).element.clone().unwrap(),
                shape: vec![None, Some(3)],
            };
            part.inputs = given.map(input).collect();
            let again = read(&Source::memory(write(&model, &part).unwrap(), None)).unwrap();
            assert_eq!(again.main().nodes.len(), model.main().nodes.len(), "{name}");
            let names = |ids: &[ValueId]| ids.iter().map(|&id| again.value(id).name.clone()).collect::<Vec<_>>();
            let inputs: Vec<String> = part.inputs.iter().map(|input| model.value(input.value).name.clone()).collect();
            let outputs: Vec<String> = part.outputs.iter().map(|&id| part.output_name(&model, id)).collect();
            assert_eq!((names(&again.main().inputs), names(&again.main().outputs)), (inputs, outputs), "{name}");
            for &id in &again.main().nodes {
                let computed = |value: &&ValueId| again.value(**value).producer.is_some();
                assert_eq!(again.node(id).inputs.iter().flatten().filter(computed).count(), 0, "{name}");
            }
            assert_eq!(again.value(again.main().inputs[0]).declared.as_ref().unwrap().to_string(), "(?, 3)");
        }
    }
}
