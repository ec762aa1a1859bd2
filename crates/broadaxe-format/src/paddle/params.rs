//! Reads the file of parameters: one tensor after the other, each after its description.

use std::path::Path;

use broadaxe_shape::{elements, symbolic::SymbolicShape};

use super::{PROGRAM_LIMITS, element};
use crate::{
    error::{Error, ErrorKind},
    graph::{Constant, Data, Element, Model, Value},
    source::Source,
    wire::{Reader, Span},
};

/// A parameter of the program that has no bytes yet: its name and its value's index.
pub(super) type Parameter = (String, usize);

/// A tensor in the file.
struct Entry {
    element: Element,
    shape: Vec<usize>,
    at: u64,
    len: u64,
}

/// Returns the constant of a parameter, if its type and shape are known; [`fill`] finds its elements.
pub(super) fn constant(value: &Value, missing: &str) -> Option<Constant> {
    let shape = value.declared.as_ref().and_then(SymbolicShape::known)?.dims().to_vec();
    Some(Constant { element: value.element.clone()?, shape, data: Data::Absent(missing.to_owned()) })
}

/// Gives the parameters their bytes: the file has them in the order of their names.
///
/// # Errors
/// [`ErrorKind::Format`] when the file ends too early or is not a file of parameters.
pub(super) fn fill(model: &mut Model, mut parameters: Vec<Parameter>) -> Result<(), Error> {
    let Some(weights) = model.weights.clone() else { return Ok(()) };
    parameters.sort();
    let file = weights
        .path()
        .and_then(Path::file_name)
        .map_or("the parameters".into(), |name| name.to_string_lossy().into_owned());
    let mut at = 0;
    let mut found = Vec::with_capacity(parameters.len());
    while at < weights.len() && found.len() < parameters.len() {
        let entry = entry(&weights, at).map_err(|error| error.at(format!("{file}, byte {at}")))?;
        at = entry.at + entry.len;
        found.push(entry);
    }
    let fits = |entry: &Entry, constant: &Constant| entry.element == constant.element && entry.shape == constant.shape;
    let mut whole = at == weights.len() && found.len() == parameters.len();
    for ((_, value), entry) in parameters.iter().zip(&found) {
        whole &= model.values[*value].constant.as_ref().is_some_and(|constant| fits(entry, constant));
    }
    if !whole {
        model.remarks.push(format!("{file} holds other tensors than the parameters of the program, so none is read"));
    }
    for ((_, value), entry) in parameters.iter().zip(&found) {
        if let Some(constant) = &mut model.values[*value].constant {
            let absent = || Data::Absent(format!("{file} holds other tensors than the parameters of the program"));
            constant.data = if whole { Data::Span { at: entry.at, len: entry.len } } else { absent() };
        }
    }
    Ok(())
}

/// Reads the description of a tensor.
fn entry(weights: &Source, start: u64) -> Result<Entry, Error> {
    let number = |at: u64, len: usize| {
        let bytes = weights.read(at, len)?;
        Ok::<u64, Error>(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    };
    let levels = number(start + 4, 8)?;
    if number(start, 4)? != 0 || levels > 64 {
        return Err(wrong("a tensor should begin here"));
    }
    let mut at = start + 12;
    for _ in 0..levels {
        let size = number(at, 8)?;
        let end = at.checked_add(8).and_then(|at| at.checked_add(size)).filter(|end| *end <= weights.len());
        at = end.ok_or_else(|| wrong("a level ends after the file"))?;
    }
    let size = number(at + 4, 4)?;
    if number(at, 4)? != 0 || size > PROGRAM_LIMITS.description as u64 {
        return Err(wrong("a description should begin here"));
    }
    let data = at + 8 + size;
    if data > weights.len() {
        return Err(wrong("the description ends after the file"));
    }
    let (element, shape) = description(weights, Span { at: at + 8, end: data })?;
    let count = elements(&shape).map_err(|error| wrong(&error.to_string()))?;
    let count = if shape.contains(&0) { 0 } else { count as u64 };
    let len = element::bytes(&element).and_then(|bytes| bytes.checked_mul(count));
    let len = len.ok_or_else(|| wrong("the size of a tensor is not known"))?;
    if data.checked_add(len).is_none_or(|end| end > weights.len()) {
        return Err(wrong(&format!("a tensor of {len} bytes from byte {data} ends after the file")));
    }
    Ok(Entry { element, shape, at: data, len })
}

fn wrong(what: &str) -> Error {
    Error::format(format!("{what}; the file is damaged or not a file of parameters"))
}

/// Reads the type and the shape of a tensor.
fn description(weights: &Source, span: Span) -> Result<(Element, Vec<usize>), Error> {
    let reader = Reader::new(weights);
    let (mut element, mut dims) = (None, Vec::new());
    for field in reader.fields(span, &element::TENSOR_DESC) {
        let field = field?;
        match field.number {
            1 => element = Some(element::numbered(field.int()?)),
            2 => reader.ints(&field, broadaxe_shape::MAX_RANK, &mut dims)?,
            _ => {}
        }
    }
    let element = element.ok_or_else(|| wrong("the description has no type"))?;
    let extent = |&dim: &u64| match (usize::try_from(dim), dim.cast_signed()) {
        (_, ..0) => Err(wrong("an extent is negative")),
        (Ok(dim), _) => Ok(dim),
        (Err(_), dim) => {
            let message = format!("an extent of {dim} is more than this program of {} bits can count", usize::BITS);
            Err(Error::new(ErrorKind::Limit, message))
        }
    };
    let shape = dims.iter().map(extent).collect::<Result<_, _>>()?;
    Ok((element, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_sizes_of_this_machine() {
        let wide = usize::try_from(1_u64 << 40).map(|size| [size, 2]);
        let wide = wide.as_ref().map(<[usize; 2]>::as_slice);
        let wide = wide.map_err(|_| "an extent of 1099511627776 is more than this program of 32 bits can count");
        let minus_one = [&[0x10][..], &[0xff; 9], &[1, 0x10, 2]].concat();
        let cases = [
            (&[0x10, 3, 0x10, 2][..], Ok(&[3, 2][..])),
            (&[0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x10, 2], wide),
            (&minus_one, Err("an extent is negative; the file is damaged or not a file of parameters")),
        ];
        for (dims, want) in cases {
            let source = Source::memory([&[8, 5], dims].concat(), None);
            let got = description(&source, Span { at: 0, end: source.len() });
            let got = got.map(|(_, shape)| shape).map_err(|error| error.to_string());
            assert_eq!(got.as_deref().map_err(String::as_str), want, "{dims:?}");
        }
    }
}
