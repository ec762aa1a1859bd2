//! What a file records of a value: its name, the type of its elements, its shape.

use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use super::{
    super::wire::{Reader, Span},
    element, limits,
    schema::{DIM_PROTO, INFO_PROTO, SHAPE_PROTO, TENSOR_TYPE_PROTO, TYPE_PROTO},
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Element, recorded},
};

/// The recorded type of a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Type {
    pub(super) element: Option<Element>,
    pub(super) shape: Option<SymbolicShape>,
}

/// Texts that exporters write for an unknown size; they are not names.
const NO_NAMES: &[&str] = &["", "?", "*", "-1", "None"];

/// Reads the name of a recorded value, and returns the place of its type.
pub(super) fn info(reader: &Reader, span: Span) -> Result<(String, Option<Span>), Error> {
    let (mut name, mut inner) = (String::new(), None);
    for field in reader.fields(span, &INFO_PROTO) {
        let field = field?;
        match field.number {
            1 => name = reader.text(field.span()?)?,
            2 => inner = Some(field.span()?),
            _ => {}
        }
    }
    Ok((name, inner))
}

/// Reads a type. The names of sizes are dropped unless `names`: in a function they mean something else at each call.
pub(super) fn read(reader: &Reader, span: Span, names: bool) -> Result<Type, Error> {
    for field in reader.fields(span, &TYPE_PROTO) {
        let field = field?;
        let other = |name: &str| Type { element: Some(Element::Other(name.to_owned(), 0)), shape: None };
        match field.number {
            1 => return tensor(reader, field.span()?, names),
            4 => return Ok(other("sequence")),
            5 => return Ok(other("map")),
            7 => return Ok(other("opaque")),
            8 => return Ok(other("sparse tensor")),
            9 => return Ok(other("optional")),
            _ => {}
        }
    }
    Ok(Type::default())
}

fn tensor(reader: &Reader, span: Span, names: bool) -> Result<Type, Error> {
    let mut found = Type::default();
    for field in reader.fields(span, &TENSOR_TYPE_PROTO) {
        let field = field?;
        match field.number {
            1 => {
                let code = field.int()?;
                let other = || (code != 0).then(|| Element::Other(format!("type {code}"), 0));
                found.element = element::row(code).map(element::Row::element).or_else(other);
            }
            2 => found.shape = Some(shape(reader, field.span()?, names)?),
            _ => {}
        }
    }
    Ok(found)
}

fn shape(reader: &Reader, span: Span, names: bool) -> Result<SymbolicShape, Error> {
    let mut dims = Vec::new();
    for field in reader.fields(span, &SHAPE_PROTO) {
        let field = field?;
        if field.number == 1 {
            dims.push(dim(reader, field.span()?, names)?);
        }
        if dims.len() > limits::RANK {
            let message = format!("a shape has more than {} sizes, which is the limit", limits::RANK);
            return Err(Error::new(ErrorKind::Limit, message).at(format_args!("byte {}", span.at)));
        }
    }
    let wrong =
        |error| Error::format(format!("a recorded shape cannot be: {error}")).at(format_args!("byte {}", span.at));
    dims.shrink_to_fit();
    recorded(dims).map_err(wrong)
}

fn dim(reader: &Reader, span: Span, names: bool) -> Result<Dim, Error> {
    let mut dim = Dim::unknown();
    for field in reader.fields(span, &DIM_PROTO) {
        let field = field?;
        match field.number {
            // Some exporters write an unknown size as a negative number.
            1 => {
                let size = field.int()?;
                let wide =
                    || Error::format(format!("a recorded shape cannot be: {size} is more than this program can count"));
                dim = if size < 0 {
                    Dim::unknown()
                } else {
                    usize::try_from(size).map(Dim::known).map_err(|_| wide())?
                };
            }
            2 => {
                let name = reader.text(field.span()?)?;
                let named = names && !NO_NAMES.contains(&name.as_str());
                dim = if named { Dim::named(&name) } else { Dim::unknown() };
            }
            _ => {}
        }
    }
    Ok(dim)
}
