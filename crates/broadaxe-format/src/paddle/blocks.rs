//! Reads the messages of an old program: blocks with their variables and operators.

use broadaxe_shape::{
    MAX_RANK,
    symbolic::{Dim, SymbolicShape},
};

use super::{PROGRAM_LIMITS, element};
use crate::{
    error::{Error, ErrorKind},
    graph::{Attribute, Element, Model, recorded},
    wire::{Around, Field, Message, Reader},
};

static PROGRAM: Message = Message::new("ProgramDesc", &[4]);
static BLOCK: Message = Message::new("BlockDesc", &[1, 2]);
static VARIABLE: Message = Message::new("VarDesc", &[1, 2, 3, 4]);
static TYPE: Message = Message::new("VarType", &[1, 3]);
static TENSOR: Message = Message::new("DenseTensorDesc", &[1]);
static OPERATOR: Message = Message::new("OpDesc", &[3]);
static SLOT: Message = Message::new("OpDesc.Var", &[1]);
static ATTRIBUTE: Message = Message::new("OpDesc.Attr", &[1, 2, 3, 4, 5, 10, 12, 13, 19]);
static VERSION: Message = Message::new("Version", &[1]);

/// A variable of a block.
#[derive(Clone, Default)]
pub(super) struct Variable {
    pub(super) element: Option<Element>,
    pub(super) shape: Option<SymbolicShape>,
    pub(super) persistable: bool,
    pub(super) fed: bool,
    /// Whether it is a tensor, rather than a place for inputs, results or scopes.
    pub(super) tensor: bool,
    /// The messages around the description of the tensor.
    pub(super) around: Option<[Around; 4]>,
}

/// A block, before its operators are followed.
pub(super) struct Block {
    pub(super) around: Around,
    pub(super) variables: Vec<(String, Variable)>,
    pub(super) ops: Vec<Op>,
}

/// An input of an operator: its name, the message it is, and the names of variables.
pub(super) type Slot = (String, Around, Vec<(String, Field)>);

/// An operator of the file.
pub(super) struct Op {
    pub(super) kind: String,
    pub(super) inputs: Vec<Slot>,
    pub(super) outputs: Vec<(String, Vec<String>)>,
    pub(super) attributes: Vec<(String, Attribute, Field)>,
    pub(super) blocks: Vec<i64>,
    pub(super) field: Field,
    pub(super) named: Option<Field>,
}

/// Reads the blocks of a program, and its version.
///
/// # Errors
/// [`ErrorKind::Format`] for a file that is damaged, [`ErrorKind::Limit`] above the limits.
pub(super) fn blocks(reader: &Reader<'_>, model: &mut Model) -> Result<Vec<Block>, Error> {
    let mut blocks = Vec::new();
    for field in reader.fields(reader.whole(), &PROGRAM) {
        let field = field?;
        match field.number {
            1 => blocks.push(block(reader, &field)?),
            4 => {
                for field in reader.fields(field.span()?, &VERSION) {
                    model.opsets.push(("program".to_string(), field?.int()?));
                }
            }
            _ => {}
        }
    }
    if blocks.is_empty() {
        return Err(Error::format("the program has no block"));
    }
    Ok(blocks)
}

fn block(reader: &Reader<'_>, field: &Field) -> Result<Block, Error> {
    let around = Around::of(field)?;
    let mut block = Block { around, variables: Vec::new(), ops: Vec::new() };
    for field in reader.fields(around.span(), &BLOCK) {
        let field = field?;
        match field.number {
            3 => block.variables.push(variable(reader, Around::of(&field)?)?),
            4 => block.ops.push(op(reader, &field)?),
            _ => {}
        }
    }
    Ok(block)
}

fn variable(reader: &Reader<'_>, whole: Around) -> Result<(String, Variable), Error> {
    let (mut name, mut variable) = (String::new(), Variable::default());
    for field in reader.fields(whole.span(), &VARIABLE) {
        let field = field?;
        match field.number {
            1 => name = reader.text(field.span()?)?,
            2 => {
                let kind = Around::of(&field)?;
                for field in reader.fields(kind.span(), &TYPE) {
                    let field = field?;
                    if field.number == 3 {
                        tensor(reader, [whole, kind, Around::of(&field)?], &mut variable)?;
                    }
                }
            }
            3 => variable.persistable = field.int()? != 0,
            4 => variable.fed = field.int()? != 0,
            _ => {}
        }
    }
    Ok((name, variable))
}

fn tensor(reader: &Reader<'_>, path: [Around; 3], variable: &mut Variable) -> Result<(), Error> {
    let [whole, kind, tensor] = path;
    let place = format!("byte {}", tensor.span().at);
    variable.tensor = true;
    for field in reader.fields(tensor.span(), &TENSOR) {
        let field = field?;
        if field.number != 1 {
            continue;
        }
        let mut dims = Vec::new();
        let description = Around::of(&field)?;
        variable.around = Some([whole, kind, tensor, description]);
        for field in reader.fields(description.span(), &element::TENSOR_DESC) {
            let field = field?;
            match field.number {
                1 => variable.element = Some(element::numbered(field.int()?)),
                2 => reader.ints(&field, MAX_RANK, &mut dims)?,
                _ => {}
            }
        }
        let dim = |dim: &u64| match (dim.cast_signed(), usize::try_from(*dim)) {
            (-1, _) => Ok(Dim::unknown()),
            (..-1, _) => Err(Error::format("an extent must be -1, 0 or a size").at(&place)),
            (_, Ok(size)) => Ok(Dim::known(size)),
            (size, Err(_)) => {
                let message =
                    format!("an extent of {size} is more than this program of {} bits can count", usize::BITS);
                Err(Error::new(ErrorKind::Limit, message).at(&place))
            }
        };
        let dims = dims.iter().map(dim).collect::<Result<Vec<Dim>, _>>()?;
        let shape = recorded(dims).map_err(|error| Error::format(error.to_string()).at(&place))?;
        variable.shape = Some(shape);
    }
    Ok(())
}

fn op(reader: &Reader<'_>, field: &Field) -> Result<Op, Error> {
    let (inputs, outputs, attributes, blocks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut op = Op { kind: String::new(), inputs, outputs, attributes, blocks, field: *field, named: None };
    for field in reader.fields(field.span()?, &OPERATOR) {
        let field = field?;
        match field.number {
            1 | 2 => {
                let around = Around::of(&field)?;
                let (mut name, mut arguments) = (String::new(), Vec::new());
                for part in reader.fields(around.span(), &SLOT) {
                    let part = part?;
                    match part.number {
                        1 => name = reader.text(part.span()?)?,
                        2 => arguments.push((reader.text(part.span()?)?, part)),
                        _ => {}
                    }
                }
                match field.number {
                    1 => op.inputs.push((name, around, arguments)),
                    _ => op.outputs.push((name, arguments.into_iter().map(|argument| argument.0).collect())),
                }
            }
            3 => (op.kind, op.named) = (reader.text(field.span()?)?, Some(field)),
            4 => attribute(reader, &field, &mut op)?,
            _ => {}
        }
    }
    // The file sorts inputs by name; what an operator works on comes first in its order.
    op.inputs.sort_by_key(|(name, ..)| match name.as_str() {
        "Condition" => 0,
        "X" | "Input" => 1,
        _ => 2,
    });
    Ok(op)
}

fn attribute(reader: &Reader<'_>, whole: &Field, op: &mut Op) -> Result<(), Error> {
    let (mut name, mut value) = (String::new(), None);
    let (mut ints, mut floats, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for field in reader.fields(whole.span()?, &ATTRIBUTE) {
        let field = field?;
        match field.number {
            1 => name = reader.text(field.span()?)?,
            // What is written here as 32 bits is read as 64, the sign included.
            3 | 13 => value = Some(Attribute::Int(field.int()?)),
            4 | 19 => value = Some(Attribute::Float(field.float()?)),
            5 => value = Some(Attribute::Text(reader.text(field.span()?)?)),
            10 => value = Some(Attribute::Text((field.int()? != 0).to_string())),
            12 => op.blocks.push(field.int()?),
            14 => {
                let mut list = Vec::new();
                reader.ints(&field, PROGRAM_LIMITS.list, &mut list)?;
                op.blocks.extend(list.into_iter().map(u64::cast_signed));
            }
            6 | 11 | 15 => reader.ints(&field, PROGRAM_LIMITS.list, &mut ints)?,
            7 => reader.floats(&field, 4, PROGRAM_LIMITS.list, &mut floats)?,
            16 => reader.floats(&field, 8, PROGRAM_LIMITS.list, &mut floats)?,
            8 if texts.len() < PROGRAM_LIMITS.keys => texts.push(reader.text(field.span()?)?),
            _ => {}
        }
    }
    let value = match value {
        Some(value) => value,
        None if !ints.is_empty() => Attribute::Ints(ints.into_iter().map(u64::cast_signed).collect()),
        None if !floats.is_empty() => Attribute::Floats(floats),
        None => Attribute::Texts(texts),
    };
    op.attributes.push((name, value, *whole));
    Ok(())
}
