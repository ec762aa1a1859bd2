//! Writes the changed tables in front of the file, which follows untouched.

use std::collections::BTreeMap;

use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use super::{
    IDENTIFIER,
    copies::{
        BUFFER_WIDTHS, MODEL_WIDTHS, NewFields, OPERATOR_WIDTHS, QUANTIZATION_WIDTHS, SUBGRAPH_WIDTHS, TENSOR_WIDTHS,
        copied,
    },
    draft::{ChangedOperator, GraphDraft, ModelDraft, NewOperator, NewTensor},
    flat::FlatTable,
    flatten::{FlatValue, front},
    layout::field,
    quantization::{moved_axis, quantization},
    read::codes,
    schema::{code, first_version},
};
use crate::{edit::rejected, error::Error, result_shape::extents};

/// The options and custom options that an operator with another name does not have.
const OPTION_FIELDS: [usize; 4] =
    [field::OPERATOR_OPTIONS_TYPE, field::OPERATOR_OPTIONS, field::OPERATOR_LATER_TYPE, field::OPERATOR_LATER];

/// Writes the front.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for tables with fields that are not known, and for a file that is too large for its offsets.
pub(super) fn render(draft: &ModelDraft<'_>) -> Result<Vec<u8>, Error> {
    let mut writer = TableWriter::new(draft);
    writer.known_codes()?;
    let mut root = copied(&draft.flat, draft.layout.root, MODEL_WIDTHS)?;
    let mut graphs = Vec::with_capacity(draft.graphs.len());
    for (k, part) in draft.layout.subgraphs.iter().enumerate() {
        graphs.push(writer.graph(k)?.unwrap_or(FlatValue::Old(part.table.at)));
    }
    root.set(field::MODEL_SUBGRAPHS, FlatValue::Offsets(graphs));
    if !writer.codes.is_empty() {
        let mut all = writer.old_entries(draft.layout.codes)?;
        all.append(&mut writer.codes);
        root.set(field::MODEL_CODES, FlatValue::Offsets(all));
    }
    if let Some(buffers) = writer.buffers()? {
        root.set(field::MODEL_BUFFERS, FlatValue::Offsets(buffers));
    }
    finish(root)
}

/// Writes the front with this root.
pub(super) fn finish(root: NewFields) -> Result<Vec<u8>, Error> {
    let message = "the file is too large: offsets have 32 bits";
    front(root.table(), IDENTIFIER).ok_or_else(|| rejected(message))
}

/// Writes the tables of a draft.
pub(super) struct TableWriter<'d, 'a> {
    draft: &'d ModelDraft<'a>,
    /// The numbers of the builtin operators.
    numbers: BTreeMap<String, usize>,
    /// New entries of the list of operators.
    codes: Vec<FlatValue>,
}

impl<'d, 'a> TableWriter<'d, 'a> {
    pub(super) fn new(draft: &'d ModelDraft<'a>) -> Self {
        Self { draft, numbers: BTreeMap::new(), codes: Vec::new() }
    }

    fn known_codes(&mut self) -> Result<(), Error> {
        let codes = codes(&self.draft.flat, self.draft.layout)?;
        for (k, code) in codes.into_iter().enumerate().filter(|(_, code)| !code.custom) {
            self.numbers.entry(code.name).or_insert(k);
        }
        Ok(())
    }

    /// Returns the number of a builtin operator, which is added if the model does not have it.
    fn code(&mut self, op: &str) -> Result<usize, Error> {
        if let Some(known) = self.numbers.get(op) {
            return Ok(*known);
        }
        let number = code(op).ok_or_else(|| rejected(format!("{op} is not a builtin operator of TFLite")))?;
        let mut entry = NewFields::default();
        entry.set(field::CODE_OLD, FlatValue::byte(number.min(127) as u8));
        entry.set(field::CODE_VERSION, FlatValue::int(first_version(op)));
        entry.set(field::CODE_BUILTIN, FlatValue::int(number));
        let place = self.draft.layout.codes.len + self.codes.len();
        self.codes.push(entry.table());
        self.numbers.insert(op.to_owned(), place);
        Ok(place)
    }

    fn old_entries(&self, vector: super::flat::FlatVector) -> Result<Vec<FlatValue>, Error> {
        let entry = |k| Ok(FlatValue::Old(self.draft.flat.entry(vector, k)?.at));
        (0..vector.len).map(entry).collect()
    }

    /// Writes a subgraph; nothing where it does not change.
    fn graph(&mut self, graph: usize) -> Result<Option<FlatValue>, Error> {
        let (draft, part) = (self.draft, self.draft.part(graph));
        let changes: &GraphDraft = &draft.graphs[graph];
        let mut operators = Vec::with_capacity(part.operators.len());
        let mut moved = false;
        for (place, &table) in part.operators.iter().enumerate() {
            if let Some(changed) = changes.operators.get(&place) {
                self.changed_operator(table, changed, &mut operators)?;
                continue;
            }
            let moves = draft.flat.long(table, field::OPERATOR_LARGE_OFFSET)?.is_some_and(|offset| offset > 1);
            moved |= moves;
            operators.push(if moves { self.old_operator(table)?.table() } else { FlatValue::Old(table.at) });
        }
        if changes.operators.is_empty() && changes.shapes.is_empty() && !moved {
            return Ok(None);
        }
        let mut tensors = Vec::with_capacity(part.tensors.len() + changes.tensors.len());
        for (k, &table) in part.tensors.iter().enumerate() {
            tensors.push(match changes.shapes.get(&k) {
                Some(shape) => self.changed_tensor(graph, k, table, shape)?,
                None => FlatValue::Old(table.at),
            });
        }
        for fresh in &changes.tensors {
            tensors.push(self.new_tensor(graph, fresh)?);
        }
        let mut fields = copied(&draft.flat, part.table, SUBGRAPH_WIDTHS)?;
        fields.set(field::SUBGRAPH_TENSORS, FlatValue::Offsets(tensors));
        fields.set(field::SUBGRAPH_OPERATORS, FlatValue::Offsets(operators));
        Ok(Some(fields.table()))
    }

    /// Copies an operator of the file.
    pub(super) fn old_operator(&self, table: FlatTable) -> Result<NewFields, Error> {
        let flat = &self.draft.flat;
        let mut fields = copied(flat, table, OPERATOR_WIDTHS)?;
        // Custom options behind the FlatBuffer move with it.
        if let Some(offset) = flat.long(table, field::OPERATOR_LARGE_OFFSET)?.filter(|&offset| offset > 1) {
            fields.set(field::OPERATOR_LARGE_OFFSET, FlatValue::Moved(offset));
        }
        Ok(fields)
    }

    fn changed_operator(
        &mut self,
        table: FlatTable,
        changed: &ChangedOperator,
        into: &mut Vec<FlatValue>,
    ) -> Result<(), Error> {
        for fresh in &changed.before {
            into.push(self.new_operator(fresh)?);
        }
        if !changed.replaced {
            let mut fields = self.old_operator(table)?;
            fields.set(field::OPERATOR_INPUTS, FlatValue::ints(changed.inputs.iter().copied()));
            fields.set(field::OPERATOR_OUTPUTS, FlatValue::ints(changed.outputs.iter().copied()));
            if let Some(op) = &changed.op {
                fields.set(field::OPERATOR_CODE, FlatValue::index(self.code(op)?));
                for field in OPTION_FIELDS {
                    fields.remove(field);
                }
            }
            if let Some((kind, options)) = &changed.options {
                fields.set(field::OPERATOR_OPTIONS_TYPE, FlatValue::byte(*kind));
                fields.set(field::OPERATOR_OPTIONS, options.clone().table());
            }
            into.push(fields.table());
        }
        for fresh in &changed.after {
            into.push(self.new_operator(fresh)?);
        }
        Ok(())
    }

    fn new_operator(&mut self, fresh: &NewOperator) -> Result<FlatValue, Error> {
        let mut fields = NewFields::default();
        fields.set(field::OPERATOR_CODE, FlatValue::index(self.code(&fresh.op)?));
        fields.set(field::OPERATOR_INPUTS, FlatValue::ints(fresh.inputs.iter().copied()));
        fields.set(field::OPERATOR_OUTPUTS, FlatValue::ints([fresh.output]));
        let (kind, options) = &fresh.options;
        if *kind > 0 {
            fields.set(field::OPERATOR_OPTIONS_TYPE, FlatValue::byte(*kind));
            fields.set(field::OPERATOR_OPTIONS, options.clone().table());
        }
        Ok(fields.table())
    }

    fn changed_tensor(
        &self,
        graph: usize,
        tensor: usize,
        table: FlatTable,
        shape: &SymbolicShape,
    ) -> Result<FlatValue, Error> {
        let mut fields = copied(&self.draft.flat, table, TENSOR_WIDTHS)?;
        shaped(&mut fields, Some(shape));
        self.scaled(&mut fields, (graph, tensor), Some(shape))?;
        Ok(fields.table())
    }

    fn new_tensor(&self, graph: usize, fresh: &NewTensor) -> Result<FlatValue, Error> {
        let mut fields = NewFields::default();
        fields.set(field::TENSOR_ELEMENT, FlatValue::byte(fresh.element));
        fields.set(field::TENSOR_BUFFER, FlatValue::index(fresh.buffer));
        fields.set(field::TENSOR_OWN_NAME, FlatValue::Text(fresh.name.clone()));
        shaped(&mut fields, fresh.shape.as_ref());
        if let Some(like) = fresh.like {
            self.scaled(&mut fields, (graph, like), fresh.shape.as_ref())?;
        }
        Ok(fields.table())
    }

    /// Refers to the quantization of a tensor of the file again. Scales of an axis follow the axis.
    fn scaled(
        &self,
        fields: &mut NewFields,
        (graph, like): (usize, usize),
        shape: Option<&SymbolicShape>,
    ) -> Result<(), Error> {
        let (draft, part) = (self.draft, self.draft.part(graph));
        let Some(table) = draft.flat.child(part.tensors[like], field::TENSOR_QUANTIZATION)? else { return Ok(()) };
        let value = &draft.model.values[part.first_value + like];
        let Some(known) = quantization(&draft.flat, part.tensors[like])?.filter(|known| known.scales.len() > 1) else {
            fields.set(field::TENSOR_QUANTIZATION, FlatValue::Old(table.at));
            return Ok(());
        };
        let axis = value.declared.as_ref().zip(shape).and_then(|(old, new)| moved_axis(old, new, known.axis));
        let details = draft.flat.byte(table, field::QUANTIZATION_DETAILS)?.unwrap_or(0);
        let axis = axis.filter(|_| details == 0).ok_or_else(|| {
            rejected(format!(
                "{} has scales for each entry of axis {}, which the new shape does not have",
                value.name, known.axis
            ))
        })?;
        let mut scales = copied(&draft.flat, table, QUANTIZATION_WIDTHS)?;
        scales.set(field::QUANTIZATION_AXIS, FlatValue::int(axis));
        fields.set(field::TENSOR_QUANTIZATION, scales.table());
        Ok(())
    }

    /// Lists the buffers; nothing where they do not change.
    pub(super) fn buffers(&self) -> Result<Option<Vec<FlatValue>>, Error> {
        let (flat, buffers) = (&self.draft.flat, self.draft.layout.buffers);
        let (mut all, mut moved) = (Vec::with_capacity(buffers.len), false);
        for k in 0..buffers.len {
            let table = flat.entry(buffers, k)?;
            all.push(match flat.long(table, field::BUFFER_OFFSET)?.filter(|&offset| offset > 1) {
                None => FlatValue::Old(table.at),
                Some(offset) => {
                    moved = true;
                    let mut fields = copied(flat, table, BUFFER_WIDTHS)?;
                    fields.set(field::BUFFER_OFFSET, FlatValue::Moved(offset));
                    fields.table()
                }
            });
        }
        if all.is_empty() {
            all.push(NewFields::default().table());
        }
        for bytes in &self.draft.buffers {
            let mut fields = NewFields::default();
            fields.set(field::BUFFER_DATA, FlatValue::Data(bytes.clone()));
            all.push(fields.table());
        }
        Ok((moved || !self.draft.buffers.is_empty()).then_some(all))
    }
}

/// Writes a shape; an open dim is 1 until the runtime knows it.
pub(super) fn shaped(fields: &mut NewFields, shape: Option<&SymbolicShape>) {
    fields.remove(field::TENSOR_SIGNATURE);
    let Some(shape) = shape.filter(|shape| shape.rank().is_some()) else {
        fields.remove(field::TENSOR_SHAPE);
        fields.remove(field::TENSOR_HAS_RANK);
        return;
    };
    let sizes: Vec<i32> = extents(shape).into_iter().map(|size| size as i32).collect();
    fields.set(field::TENSOR_SHAPE, FlatValue::ints(sizes.iter().map(|&size| if size < 0 { 1 } else { size })));
    fields.set(field::TENSOR_HAS_RANK, FlatValue::byte(1));
    if shape.dims().unwrap_or_default().iter().any(|dim: &Dim| dim.size().is_none()) {
        fields.set(field::TENSOR_SIGNATURE, FlatValue::ints(sizes));
    }
}
