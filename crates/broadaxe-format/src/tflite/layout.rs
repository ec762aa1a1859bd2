//! Finds the tables of a model: subgraphs, tensors and operators; readers and writers start here.
//!
//! Each of them is a table of its own, as writers make them: otherwise four bytes of a file would cost as much as a whole operator.
//! Writers share lists of fields, texts, vectors and the table of the empty buffer.

use std::collections::HashSet;

use super::{
    IDENTIFIER, IDENTIFIER_AT,
    container::section,
    flat::{FlatReader, FlatTable, FlatVector},
};
use crate::{
    error::{Error, ErrorKind},
    source::Source,
};

/// The numbers of the fields that are read, by table.
pub(super) mod field {
    pub(in crate::tflite) const MODEL_VERSION: usize = 0;
    pub(in crate::tflite) const MODEL_CODES: usize = 1;
    pub(in crate::tflite) const MODEL_SUBGRAPHS: usize = 2;
    pub(in crate::tflite) const MODEL_BUFFERS: usize = 4;
    pub(in crate::tflite) const MODEL_SIGNATURES: usize = 7;
    pub(in crate::tflite) const SUBGRAPH_TENSORS: usize = 0;
    pub(in crate::tflite) const SUBGRAPH_INPUTS: usize = 1;
    pub(in crate::tflite) const SUBGRAPH_OUTPUTS: usize = 2;
    pub(in crate::tflite) const SUBGRAPH_OPERATORS: usize = 3;
    pub(in crate::tflite) const SUBGRAPH_NAME: usize = 4;
    pub(in crate::tflite) const TENSOR_SHAPE: usize = 0;
    pub(in crate::tflite) const TENSOR_ELEMENT: usize = 1;
    pub(in crate::tflite) const TENSOR_BUFFER: usize = 2;
    pub(in crate::tflite) const TENSOR_OWN_NAME: usize = 3;
    pub(in crate::tflite) const TENSOR_QUANTIZATION: usize = 4;
    pub(in crate::tflite) const TENSOR_VARIABLE: usize = 5;
    pub(in crate::tflite) const TENSOR_SPARSITY: usize = 6;
    pub(in crate::tflite) const TENSOR_SIGNATURE: usize = 7;
    pub(in crate::tflite) const TENSOR_HAS_RANK: usize = 8;
    pub(in crate::tflite) const TENSOR_EXTERNAL_BUFFER: usize = 10;
    pub(in crate::tflite) const QUANTIZATION_SCALE: usize = 2;
    pub(in crate::tflite) const QUANTIZATION_ZERO: usize = 3;
    pub(in crate::tflite) const QUANTIZATION_DETAILS: usize = 4;
    pub(in crate::tflite) const QUANTIZATION_AXIS: usize = 6;
    pub(in crate::tflite) const OPERATOR_CODE: usize = 0;
    pub(in crate::tflite) const OPERATOR_INPUTS: usize = 1;
    pub(in crate::tflite) const OPERATOR_OUTPUTS: usize = 2;
    pub(in crate::tflite) const OPERATOR_OPTIONS_TYPE: usize = 3;
    pub(in crate::tflite) const OPERATOR_OPTIONS: usize = 4;
    pub(in crate::tflite) const OPERATOR_LARGE_OFFSET: usize = 9;
    pub(in crate::tflite) const OPERATOR_LATER_TYPE: usize = 11;
    pub(in crate::tflite) const OPERATOR_LATER: usize = 12;
    pub(in crate::tflite) const CODE_OLD: usize = 0;
    pub(in crate::tflite) const CODE_CUSTOM: usize = 1;
    pub(in crate::tflite) const CODE_VERSION: usize = 2;
    pub(in crate::tflite) const CODE_BUILTIN: usize = 3;
    pub(in crate::tflite) const BUFFER_DATA: usize = 0;
    pub(in crate::tflite) const BUFFER_OFFSET: usize = 1;
    pub(in crate::tflite) const BUFFER_SIZE: usize = 2;
    pub(in crate::tflite) const SIGNATURE_KEY: usize = 2;
    pub(in crate::tflite) const SIGNATURE_GRAPH: usize = 4;
}

/// The version of the schema that is read.
const SCHEMA_VERSION: usize = 3;
/// The most subgraphs, and the most tensors and operators of all of them.
const MOST_SUBGRAPHS: usize = 1 << 16;
const MOST_TENSORS: usize = 1 << 21;
const MOST_OPERATORS: usize = 1 << 20;

/// The tables of a model.
pub(super) struct ModelLayout {
    /// Whether other sections of a bundle surround the model.
    pub(super) bundled: bool,
    pub(super) root: FlatTable,
    pub(super) codes: FlatVector,
    pub(super) buffers: FlatVector,
    pub(super) subgraphs: Vec<SubgraphLayout>,
    /// What else the file holds.
    pub(super) remark: Option<String>,
}

/// The tables of a subgraph.
pub(super) struct SubgraphLayout {
    pub(super) table: FlatTable,
    pub(super) tensors: Vec<FlatTable>,
    pub(super) operators: Vec<FlatTable>,
    /// The value that its first tensor becomes, and the node that its first operator becomes.
    pub(super) first_value: usize,
    pub(super) first_node: usize,
}

/// Finds the tables of the model in a source.
///
/// # Errors
/// [`ErrorKind::Format`] for a file that is damaged or of another version, [`ErrorKind::Limit`] for one with too many tables.
pub(super) fn layout(source: &Source) -> Result<(FlatReader<'_>, ModelLayout), Error> {
    let found = section(source)?;
    let start = found.span.start;
    let flat = FlatReader::new(source, found.span.clone());
    let identifier = flat.bytes(start + IDENTIFIER_AT as u64, IDENTIFIER.len() as u64)?;
    if identifier != IDENTIFIER {
        let message = format!("the identifier '{}' is not supported; TFL3 is", identifier.escape_ascii());
        return Err(Error::format(message).at(format_args!("byte {}", start + IDENTIFIER_AT as u64)));
    }
    let root = flat.root()?;
    let version = flat.index(root, field::MODEL_VERSION)?;
    if version != SCHEMA_VERSION {
        let message = format!("version {version} of the schema is not supported; version {SCHEMA_VERSION} is");
        return Err(Error::format(message).at(format_args!("byte {}", root.at)));
    }
    let codes = flat.vector(root, field::MODEL_CODES, 4)?;
    let buffers = flat.vector(root, field::MODEL_BUFFERS, 4)?;
    let subgraphs = subgraphs(&flat, root)?;
    let (bundled, remark) = (found.bundled, found.remark);
    let layout = ModelLayout { bundled, root, codes, buffers, subgraphs, remark };
    Ok((flat, layout))
}

fn subgraphs(flat: &FlatReader<'_>, root: FlatTable) -> Result<Vec<SubgraphLayout>, Error> {
    let graphs = flat.vector(root, field::MODEL_SUBGRAPHS, 4)?;
    if graphs.len == 0 {
        return Err(Error::format("the model has no subgraph").at(format_args!("byte {}", root.at)));
    }
    let within = |what: &str, count: usize, most: usize| {
        let message = || format!("the model has more than {most} {what}, which is the limit");
        if count > most { Err(Error::new(ErrorKind::Limit, message())) } else { Ok(()) }
    };
    within("subgraphs", graphs.len, MOST_SUBGRAPHS)?;
    let mut subgraphs: Vec<SubgraphLayout> = Vec::with_capacity(graphs.len);
    let (mut first_value, mut first_node) = (0, 0);
    let mut found = HashSet::new();
    let mut own = |list: FlatVector, k: usize, what: &str| {
        let table = flat.entry(list, k)?;
        let message = || format!("the table of {what} {k} is that of another one too; each needs a table of its own");
        let error = || Error::format(message()).at(format_args!("byte {}", table.at));
        if found.insert(table.at) { Ok(table) } else { Err(error()) }
    };
    for k in 0..graphs.len {
        let table = own(graphs, k, "subgraph")?;
        let tensors = flat.vector(table, field::SUBGRAPH_TENSORS, 4)?;
        let operators = flat.vector(table, field::SUBGRAPH_OPERATORS, 4)?;
        let (values, nodes) = (first_value + tensors.len, first_node + operators.len);
        within("tensors", values, MOST_TENSORS)?;
        within("operators", nodes, MOST_OPERATORS)?;
        let mut tables =
            |list: FlatVector, what| (0..list.len).map(|k| own(list, k, what)).collect::<Result<Vec<_>, Error>>();
        let (tensors, operators) = (tables(tensors, "tensor")?, tables(operators, "operator")?);
        subgraphs.push(SubgraphLayout { table, tensors, operators, first_value, first_node });
        (first_value, first_node) = (values, nodes);
    }
    Ok(subgraphs)
}
