//! Reads the keywords of a call.

use broadaxe_shape::Shape;

use super::{lex::short, parse::CallStep};
use crate::{
    error::{Error, ErrorKind},
    frameworks::{Attribute, nearest},
};

/// Returns the only attribute of a call, given without a name or under this one.
pub(super) fn one_value<'a>(call: &'a CallStep, name: &str, example: &str) -> Result<&'a Attribute, Error> {
    match &call.attributes[..] {
        [(key, value)] if key.is_empty() || key == name => Ok(value),
        [(key, value)] => Err(keyword(call, key, value, &[name])),
        _ => Err(Error::new(ErrorKind::Argument, format!("{} needs one {name}: {example}", call.name))),
    }
}

pub(super) fn keyword(call: &CallStep, key: &str, value: &Attribute, known: &[&str]) -> Error {
    let name = &call.name;
    let what = if key.is_empty() {
        format!("no value such as {value} among its operands")
    } else {
        format!("no keyword '{}'", short(key))
    };
    let near = nearest(key, known.iter().copied());
    Error::new(ErrorKind::Argument, format!("{name} has {what}; its keywords: {}{near}", known.join(", ")))
}

pub(super) fn kind(key: &str, wants: &str, value: &Attribute) -> Error {
    Error::new(ErrorKind::Argument, format!("{key} must be {wants}, not {value}"))
}

pub(super) fn dims(key: &str, value: &Attribute) -> Result<Shape, Error> {
    let Attribute::Ints(dims) = value else { return Err(kind(key, "a list of dims", value)) };
    let shape: Option<Vec<usize>> = dims.iter().map(|dim| usize::try_from(*dim).ok()).collect();
    shape.map(Shape::new).ok_or_else(|| kind(key, "dims of 0 or more", value))
}
