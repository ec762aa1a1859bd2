//! Builds the graph from the tables of a model.

use std::collections::HashSet;

use broadaxe_frameworks::System;
use broadaxe_shape::{
    MAX_RANK,
    shape::elements,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    bodies,
    flat::{FlatReader, FlatTable},
    layout::{ModelLayout, SubgraphLayout, field, layout},
    options::{OptionsRead, fields},
    quantization::quantization,
    schema::{CUSTOM, builtin, element},
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Constant, Data, Element, Graph, GraphId, Model, Node, NodeId, Value, ValueId, recorded},
    source::Source,
};

/// The domain of custom operators.
pub(super) const CUSTOM_DOMAIN: &str = "custom";
/// The most bytes of the name of a custom operator, which each of its nodes has.
const CUSTOM_NAME_LIMIT: usize = 256;
/// Letters of a name in an error.
const SHOWN_LETTERS: usize = 60;

/// Reads a model.
///
/// # Errors
/// Those of [`read_with_layout`].
pub(super) fn read(source: &Source) -> Result<Model, Error> {
    Ok(read_with_layout(source)?.0)
}

/// Reads a model and returns where its tables are.
///
/// # Errors
/// [`ErrorKind::Format`] for a file that is damaged, [`ErrorKind::Limit`] for one that is too large.
pub(super) fn read_with_layout(source: &Source) -> Result<(Model, ModelLayout), Error> {
    let (flat, layout) = layout(source)?;
    let mut model = Model::new("tflite", System::Tflite, source.clone());
    model.graphs = vec![Graph::default(); layout.subgraphs.len()];
    model.remarks.extend(layout.remark.clone());
    let codes = codes(&flat, &layout)?;
    let mut build = TensorBuilder { flat, layout: &layout, model, codes, calls: Vec::new() };
    for index in 0..layout.subgraphs.len() {
        build.subgraph(index)?;
    }
    build.signatures()?;
    let TensorBuilder { mut model, calls, .. } = build;
    bodies::connect(&mut model, &calls)?;
    Ok((model, layout))
}

/// An entry of the list of operators.
pub(super) struct OperatorCode {
    pub(super) name: String,
    pub(super) custom: bool,
    version: i64,
}

/// Reads the list of operators.
pub(super) fn codes(flat: &FlatReader<'_>, layout: &ModelLayout) -> Result<Vec<OperatorCode>, Error> {
    let code = |k| {
        let table = flat.entry(layout.codes, k)?;
        // Older files have a byte; newer ones have it too, as far as it reaches.
        let old = flat.byte(table, field::CODE_OLD)?.map_or(0, |code| i32::from(code.cast_signed()));
        let code = old.max(flat.int(table, field::CODE_BUILTIN)?.unwrap_or(0));
        let version = flat.int(table, field::CODE_VERSION)?.unwrap_or(1).into();
        let custom = code == CUSTOM;
        let name = if custom { flat.text(table, field::CODE_CUSTOM)? } else { builtin(code) };
        if name.len() > CUSTOM_NAME_LIMIT {
            let message =
                format!("a custom operator has a name of {} bytes; the limit is {CUSTOM_NAME_LIMIT}", name.len());
            return Err(Error::new(ErrorKind::Limit, message).at(format_args!("byte {}", table.at)));
        }
        Ok(OperatorCode { name, custom, version })
    };
    (0..layout.codes.len).map(code).collect()
}

struct TensorBuilder<'a> {
    flat: FlatReader<'a>,
    layout: &'a ModelLayout,
    model: Model,
    codes: Vec<OperatorCode>,
    calls: Vec<bodies::Call>,
}

impl TensorBuilder<'_> {
    fn subgraph(&mut self, index: usize) -> Result<(), Error> {
        let layout = self.layout;
        let part = &layout.subgraphs[index];
        let ends = |number| self.ends(part, number).map_err(|error| error.at(format_args!("byte {}", part.table.at)));
        let (inputs, outputs) = (ends(field::SUBGRAPH_INPUTS)?, ends(field::SUBGRAPH_OUTPUTS)?);
        let is_input: HashSet<ValueId> = inputs.iter().copied().collect();
        let mut names = HashSet::with_capacity(part.tensors.len());
        for (k, &table) in part.tensors.iter().enumerate() {
            let input = is_input.contains(&ValueId((part.first_value + k) as u32));
            let mut value = self.tensor(table, input).map_err(|error| error.at(format_args!("tensor {k}")))?;
            value.graph = GraphId(index as u32);
            value.name = unique(&value.name, k, &mut names);
            self.model.values.push(value);
        }
        for (k, &table) in part.operators.iter().enumerate() {
            let place = if index == 0 { format!("operator {k}") } else { format!("operator {k} of subgraph {index}") };
            self.operator((index, k), table, &place).map_err(|error| error.at(place))?;
        }
        self.in_order(index)?;
        let name = self.flat.text(part.table, field::SUBGRAPH_NAME)?;
        let nodes = (part.first_node..part.first_node + part.operators.len()).map(|k| NodeId(k as u32)).collect();
        self.model.graphs[index] = Graph { name, owner: None, inputs, outputs, nodes };
        Ok(())
    }

    /// Reads the inputs or the outputs of a subgraph.
    fn ends(&self, part: &SubgraphLayout, number: usize) -> Result<Vec<ValueId>, Error> {
        let list = self.flat.ints(part.table, number)?;
        list.into_iter().map(|tensor| value_id(part, tensor)).collect()
    }

    /// Reads a tensor; `input` says whether it is one of the subgraph.
    fn tensor(&self, table: FlatTable, input: bool) -> Result<Value, Error> {
        let flat = &self.flat;
        let name = flat.text(table, field::TENSOR_OWN_NAME)?;
        let element = element(flat.byte(table, field::TENSOR_ELEMENT)?.unwrap_or(0).cast_signed());
        let shape = flat.ints(table, field::TENSOR_SHAPE)?;
        if shape.len() > MAX_RANK {
            let message =
                format!("the tensor {} has {} dims; the largest rank is {MAX_RANK}", shown(&name), shape.len());
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let named =
            |error: Error| Error::new(error.kind(), format!("the tensor {}: {}", shown(&name), error.message()));
        let quantization = quantization(flat, table)?;
        let constant = self.constant(table, &element, &shape).map_err(named)?;
        let declared = match &constant {
            Some(constant) => Some(SymbolicShape::from(constant.shape.as_slice())),
            None if shape.is_empty() && !input && !flat.flag(table, field::TENSOR_HAS_RANK)? => None,
            None => {
                let open = flat.ints(table, field::TENSOR_SIGNATURE)?;
                let dims = if open.len() == shape.len() { open } else { shape };
                Some(declared(&dims).map_err(named)?)
            }
        };
        Ok(Value { name, element: Some(element), declared, constant, quantization, ..Value::default() })
    }

    /// Reads the data of a tensor; nothing where it has none.
    fn constant(&self, table: FlatTable, element: &Element, shape: &[i32]) -> Result<Option<Constant>, Error> {
        let flat = &self.flat;
        if flat.flag(table, field::TENSOR_VARIABLE)? {
            return Ok(None);
        }
        let external = flat.index(table, field::TENSOR_EXTERNAL_BUFFER)?;
        let found = if external > 0 {
            let why = format!("its elements are in the external buffer {external}, which is not read");
            Some(Data::Absent(why))
        } else {
            self.data(flat.index(table, field::TENSOR_BUFFER)?)?.map(|(at, len)| Data::Span { at, len })
        };
        let Some(mut data) = found else { return Ok(None) };
        let shape = shape.iter().map(|&dim| usize::try_from(dim)).collect::<Result<Vec<usize>, _>>();
        let shape = shape.map_err(|_| Error::format("a constant cannot have a dim below 0"))?;
        let count = elements(&shape).map_err(|error| Error::format(error.to_string()))?;
        if flat.field(table, field::TENSOR_SPARSITY)?.is_some() {
            data = Data::Absent("its elements are stored as a sparse tensor, which is not read".to_owned());
        }
        let bits = u64::from(element.bits());
        let need = (count as u64).checked_mul(bits).map(|bits| bits.div_ceil(8));
        if let (Data::Span { len, .. }, Some(need), true) = (&data, need, bits > 0)
            && *len != need
        {
            let shown = SymbolicShape::from(shape.as_slice());
            return Err(Error::format(format!("it has {len} bytes, but {element} of shape {shown} needs {need}")));
        }
        Ok(Some(Constant { element: element.clone(), shape, data }))
    }

    /// Returns where the bytes of a buffer are; nothing for an empty one.
    fn data(&self, buffer: usize) -> Result<Option<(u64, u64)>, Error> {
        let (flat, buffers) = (&self.flat, self.layout.buffers);
        if buffer >= buffers.len {
            let missing = || Error::format(format!("it needs buffer {buffer}, but the model has {}", buffers.len));
            return if buffer == 0 { Ok(None) } else { Err(missing()) };
        }
        let table = flat.entry(buffers, buffer)?;
        let inside = flat.vector(table, field::BUFFER_DATA, 1)?;
        // Larger models have their weights behind the FlatBuffer; 0 and 1 are no offsets.
        let offset = flat.long(table, field::BUFFER_OFFSET)?.filter(|&offset| offset > 1);
        match (inside.len as u64, offset) {
            (0, _) => {}
            (len, None) => return Ok(Some((inside.at, len))),
            (_, Some(_)) => return Err(Error::format(format!("buffer {buffer} has data in two places"))),
        }
        let size = flat.long(table, field::BUFFER_SIZE)?.filter(|&size| size > 0);
        let (Some(offset), Some(size)) = (offset, size) else { return Ok(None) };
        let span = flat.span();
        let at = span.start.checked_add(offset).filter(|at| at.checked_add(size).is_some_and(|end| end <= span.end));
        let message =
            || format!("its {size} bytes from byte {offset} end beyond the model of {} bytes", span.end - span.start);
        at.map(|at| Some((at, size))).ok_or_else(|| Error::format(message()))
    }

    fn operator(&mut self, (index, number): (usize, usize), table: FlatTable, place: &str) -> Result<(), Error> {
        let flat = &self.flat;
        let part = &self.layout.subgraphs[index];
        let kind = flat.index(table, field::OPERATOR_CODE)?;
        let code = self.codes.get(kind);
        let code = code.ok_or_else(|| {
            Error::format(format!("it has the operator code {kind}, but the model has {}", self.codes.len()))
        })?;
        let list = |field| {
            let tensor = |tensor| if tensor == -1 { Ok(None) } else { value_id(part, tensor).map(Some) };
            flat.ints(table, field)?.into_iter().map(tensor).collect::<Result<Vec<_>, _>>()
        };
        let (inputs, outputs) = (list(field::OPERATOR_INPUTS)?, list(field::OPERATOR_OUTPUTS)?);
        let id = NodeId(self.model.nodes.len() as u32);
        computed(&mut self.model.values, id, &outputs)?;
        let options = options(flat, table)?;
        let called = options.calls.into_iter();
        self.calls.extend(called.map(|(attribute, graphs)| bodies::Call { node: id, attribute, graphs }));
        let first = outputs.iter().flatten().next();
        self.model.nodes.push(Node {
            name: first.map_or_else(String::new, |id| self.model.value(*id).name.clone()),
            graph: GraphId(index as u32),
            domain: if code.custom { CUSTOM_DOMAIN.to_owned() } else { String::new() },
            op: code.name.clone(),
            version: code.version,
            attributes: options.attributes,
            inputs,
            outputs,
            bodies: Vec::new(),
            place: place.to_owned(),
            number: number as u64,
            line: None,
        });
        Ok(())
    }

    /// Checks that every operator of a subgraph comes after those it reads.
    fn in_order(&self, index: usize) -> Result<(), Error> {
        let part = &self.layout.subgraphs[index];
        for (k, node) in self.model.nodes[part.first_node..].iter().enumerate() {
            let reads = node.inputs.iter().flatten();
            for value in reads.map(|id| self.model.value(*id)) {
                if let Some((maker, _)) = value.producer.filter(|(maker, _)| maker.0 as usize >= part.first_node + k) {
                    let later = maker.0 as usize - part.first_node;
                    let name = shown(&value.name);
                    let message =
                        format!("it reads the tensor {name}, which operator {later} computes; operators are in order");
                    return Err(Error::format(message).at(&node.place));
                }
            }
        }
        Ok(())
    }

    /// Names graphs without a name by the signature that calls them.
    fn signatures(&mut self) -> Result<(), Error> {
        let list = self.flat.vector(self.layout.root, field::MODEL_SIGNATURES, 4)?;
        for k in 0..list.len {
            let table = self.flat.entry(list, k)?;
            let graph = self.flat.index(table, field::SIGNATURE_GRAPH)?;
            let count = self.model.graphs.len();
            let graph = self.model.graphs.get_mut(graph).ok_or_else(|| {
                let message = format!("signature {k} calls subgraph {graph}, but the model has {count}");
                Error::format(message).at(format_args!("byte {}", table.at))
            })?;
            if graph.name.is_empty() {
                graph.name = self.flat.text(table, field::SIGNATURE_KEY)?;
            }
        }
        Ok(())
    }
}

/// Notes that a node computes its outputs, which nothing else may.
fn computed(values: &mut [Value], node: NodeId, outputs: &[Option<ValueId>]) -> Result<(), Error> {
    for (k, value) in outputs.iter().enumerate() {
        let Some(value) = value.map(|id| &mut values[id.0 as usize]) else { continue };
        if value.constant.is_some() || value.producer.is_some() {
            let other = if value.constant.is_some() { "which is a constant" } else { "as another output does" };
            return Err(Error::format(format!("it computes the tensor {}, {other}", shown(&value.name))));
        }
        value.producer = Some((node, k));
    }
    Ok(())
}

/// Reads the options of an operator, of both kinds.
fn options(flat: &FlatReader<'_>, table: FlatTable) -> Result<OptionsRead, Error> {
    let mut options = OptionsRead::default();
    let earlier = (field::OPERATOR_OPTIONS_TYPE, field::OPERATOR_OPTIONS);
    let later = (field::OPERATOR_LATER_TYPE, field::OPERATOR_LATER);
    for (is_later, (kind, at)) in [(false, earlier), (true, later)] {
        let known = fields(flat.byte(table, kind)?.unwrap_or(0), is_later);
        if let (false, Some(found)) = (known.is_empty(), flat.child(table, at)?) {
            options.read(flat, found, known)?;
        }
    }
    Ok(options)
}

/// Returns the value of a tensor of a subgraph.
fn value_id(part: &SubgraphLayout, tensor: i32) -> Result<ValueId, Error> {
    let known = usize::try_from(tensor).ok().filter(|&tensor| tensor < part.tensors.len());
    let known = known.map(|tensor| ValueId((part.first_value + tensor) as u32));
    known.ok_or_else(|| Error::format(format!("there is no tensor {tensor}; the subgraph has {}", part.tensors.len())))
}

/// Makes the name of a tensor unique in its subgraph.
fn unique(name: &str, number: usize, names: &mut HashSet<String>) -> String {
    let mut own = if name.is_empty() { format!("#{number}") } else { name.to_owned() };
    while !names.insert(own.clone()) {
        own = format!("{own}#{number}");
    }
    own
}

/// Returns the first letters of a name.
fn shown(name: &str) -> String {
    name.chars().take(SHOWN_LETTERS).flat_map(char::escape_debug).collect()
}

/// Makes the shape that a tensor records; -1 is an open dim.
fn declared(dims: &[i32]) -> Result<SymbolicShape, Error> {
    let dims = dims.iter().map(|&dim| usize::try_from(dim).map_or_else(|_| Dim::unknown(), Dim::known)).collect();
    recorded(dims).map_err(|error| Error::format(error.to_string()))
}
