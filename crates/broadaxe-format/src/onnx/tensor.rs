//! Reads tensors: their types and shapes, and where their elements are.

use super::{
    super::wire::{Field, Payload, Reader, Span},
    element::{self, Row},
    external::Files,
    limits,
    schema::{
        ENTRY_PROTO, SPARSE_PROTO, TENSOR_DIMS, TENSOR_DOUBLES, TENSOR_EXTERNAL, TENSOR_FLOATS, TENSOR_INTS,
        TENSOR_LOCATION, TENSOR_LONGS, TENSOR_NAME, TENSOR_PROTO, TENSOR_RAW, TENSOR_SEGMENT, TENSOR_TEXTS,
        TENSOR_TYPE, TENSOR_UNSIGNED,
    },
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Constant, Data},
    source::Source,
};

/// The input of a reader: the file, its files of weights, and how many bytes may still be held in memory.
pub(super) struct Input<'a> {
    pub(super) reader: Reader<'a>,
    files: Files,
    held: usize,
}

/// The fields of a tensor.
#[derive(Default)]
struct TensorParts {
    dims: Vec<u64>,
    code: i64,
    name: String,
    raw: Option<Span>,
    spelled: Vec<Field>,
    external: Vec<Span>,
    location: i64,
    segment: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { reader: Reader::new(source), files: Files::in_folder_of(source), held: limits::HELD }
    }

    /// Reads a tensor and its name.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when shape, type and elements do not fit each other, and those of the file of weights.
    pub(super) fn tensor(&mut self, span: Span) -> Result<(String, Constant), Error> {
        let parts = self.parts(span)?;
        let constant = self.constant(&parts).map_err(|error| error.at(format_args!("tensor {:?}", parts.name)))?;
        Ok((parts.name, constant))
    }

    fn parts(&self, span: Span) -> Result<TensorParts, Error> {
        let (reader, mut parts) = (&self.reader, TensorParts::default());
        for field in reader.fields(span, &TENSOR_PROTO) {
            let field = field?;
            match field.number {
                TENSOR_DIMS => reader.ints(&field, limits::RANK, &mut parts.dims)?,
                TENSOR_TYPE => parts.code = field.int()?,
                TENSOR_NAME => parts.name = reader.text(field.span()?)?,
                TENSOR_RAW => parts.raw = Some(field.span()?),
                TENSOR_SEGMENT => parts.segment = true,
                TENSOR_EXTERNAL => parts.external.push(field.span()?),
                TENSOR_LOCATION => parts.location = field.int()?,
                TENSOR_FLOATS | TENSOR_INTS | TENSOR_TEXTS | TENSOR_LONGS | TENSOR_DOUBLES | TENSOR_UNSIGNED => {
                    if parts.spelled.len() >= limits::NODES {
                        let message = format!("a tensor has more than {} lists of elements", limits::NODES);
                        return Err(Error::new(ErrorKind::Limit, message).at(at(span)));
                    }
                    parts.spelled.push(field);
                }
                _ => {}
            }
        }
        Ok(parts)
    }

    fn constant(&mut self, parts: &TensorParts) -> Result<Constant, Error> {
        let row = element::row(parts.code)
            .ok_or_else(|| Error::format(format!("{} is the number of no type; 1 to 28 are", parts.code)))?;
        let shape = extents(&parts.dims)?;
        let count = elements(&shape)?;
        let bytes = size(count, row.bits)?;
        if parts.segment {
            return Err(Error::format("it is cut into segments, which are not read; join them"));
        }
        let kinds = [parts.raw.is_some(), !parts.spelled.is_empty(), parts.location != 0];
        if kinds.iter().filter(|&&kind| kind).count() > 1 {
            return Err(Error::format(
                "it has its elements twice: as bytes, one by one, or in another file; once is right",
            ));
        }
        let data = if parts.location != 0 {
            self.external(parts, row, bytes)?
        } else if let Some(span) = parts.raw {
            if row.bits == 0 || span.len() != bytes {
                let text = format!("it holds {} bytes, and its shape and type need {bytes}", span.len());
                return Err(Error::format(text));
            }
            Data::Span { at: span.at, len: bytes }
        } else {
            self.spelled(&parts.spelled, row, count)?
        };
        Ok(Constant { element: row.element(), shape, data })
    }

    /// Finds elements in another file.
    fn external(&mut self, parts: &TensorParts, row: &Row, bytes: u64) -> Result<Data, Error> {
        if parts.location != 1 || row.bits == 0 {
            return Err(Error::format("its data_location is invalid; it must be DEFAULT (0) or EXTERNAL (1)"));
        }
        let (mut location, mut offset, mut length) = (None, None, None);
        for &span in &parts.external {
            let (key, value) = self.entry(span)?;
            let slot = match key.as_str() {
                "location" => &mut location,
                "offset" => &mut offset,
                "length" => &mut length,
                _ => continue,
            };
            if slot.replace(value).is_some() {
                return Err(Error::format(format!("{key:?} of its file of weights is given twice")));
            }
        }
        let number = |text: Option<String>, or: u64| {
            let wrong = |text| Error::format(format!("{text:?} is not a number of bytes in its file of weights"));
            text.map_or(Ok(or), |text| text.parse::<u64>().map_err(|_| wrong(text)))
        };
        let location =
            location.ok_or_else(|| Error::format("its elements are in another file, but no location names it"))?;
        let (at, len) = (number(offset, 0)?, number(length, bytes)?);
        if len != bytes {
            let text = format!("it has {len} bytes in {location}, and its shape and type need {bytes}");
            return Err(Error::format(text));
        }
        let file = match self.files.open(&location)? {
            Ok(file) => file,
            Err(why) => return Ok(Data::Absent(why)),
        };
        if at.checked_add(len).is_none_or(|end| end > file.len()) {
            let text = format!("it needs {len} bytes from byte {at} of {location}, but the file has {}", file.len());
            return Err(Error::format(text));
        }
        Ok(Data::External { file: file.into(), at, len })
    }

    /// Reads a pair of texts.
    pub(super) fn entry(&self, span: Span) -> Result<(String, String), Error> {
        let (mut key, mut value) = (String::new(), String::new());
        for field in self.reader.fields(span, &ENTRY_PROTO) {
            let field = field?;
            match field.number {
                1 => key = self.reader.text(field.span()?)?,
                2 => value = self.reader.text(field.span()?)?,
                _ => {}
            }
        }
        Ok((key, value))
    }

    /// Reads elements that are written one by one; a packed list of floating-point numbers is used in place.
    fn spelled(&mut self, fields: &[Field], row: &Row, count: u64) -> Result<Data, Error> {
        if fields.iter().any(|field| field.number != row.field) {
            let element = row.element();
            return Err(Error::format(format!("its elements are in a field that is not the one for {element}")));
        }
        let (entries, width) = listed(row, count)?;
        let mut found = 0;
        for field in fields {
            found += self.entries(field, width)?;
        }
        if found != entries {
            return Err(Error::format(format!("it has {found} elements, and its shape and type need {entries}")));
        }
        if row.bits == 0 {
            return Ok(Data::Absent("its elements are texts".to_owned()));
        }
        if let ([field], TENSOR_FLOATS | TENSOR_DOUBLES) = (fields, row.field)
            && let Payload::Bytes(span) = field.payload
        {
            return Ok(Data::Span { at: span.at, len: span.len() });
        }
        self.hold(fields, entries, width)
    }

    /// Counts the elements of a field.
    fn entries(&self, field: &Field, width: u64) -> Result<u64, Error> {
        Ok(match (field.payload, field.number) {
            (Payload::Bytes(_), TENSOR_TEXTS)
            | (Payload::Fixed32(_), TENSOR_FLOATS)
            | (Payload::Fixed64(_), TENSOR_DOUBLES)
            | (Payload::Varint(_), TENSOR_INTS | TENSOR_LONGS | TENSOR_UNSIGNED) => 1,
            (Payload::Bytes(span), TENSOR_FLOATS | TENSOR_DOUBLES) if span.len() % width == 0 => span.len() / width,
            (Payload::Bytes(span), TENSOR_INTS | TENSOR_LONGS | TENSOR_UNSIGNED) => self.reader.count(span)?,
            _ => return Err(Error::format("its list of elements is damaged")),
        })
    }

    fn hold(&mut self, fields: &[Field], entries: u64, width: u64) -> Result<Data, Error> {
        let total = entries.checked_mul(width).and_then(|total| usize::try_from(total).ok());
        let Some(total) = total.filter(|&total| total <= self.held) else {
            return Ok(Data::Absent("its elements are spelled one by one and are too many to be held".to_owned()));
        };
        self.held -= total;
        let (mut bytes, width) = (Vec::with_capacity(total), width as usize);
        for field in fields {
            match field.payload {
                Payload::Fixed32(bits) => bytes.extend(bits.to_le_bytes()),
                Payload::Fixed64(bits) => bytes.extend(bits.to_le_bytes()),
                Payload::Bytes(span) if matches!(field.number, TENSOR_FLOATS | TENSOR_DOUBLES) => {
                    bytes.extend(self.reader.bytes(span, total as u64)?);
                }
                _ => {
                    let mut entries = Vec::new();
                    self.reader.ints(field, total, &mut entries)?;
                    for entry in entries {
                        bytes.extend(entry.to_le_bytes().into_iter().take(width));
                    }
                }
            }
        }
        Ok(Data::Held(bytes.into()))
    }

    /// Reads the shape and type of a sparse tensor and its name; its elements are not read.
    ///
    /// # Errors
    /// As [`Input::tensor`].
    pub(super) fn sparse(&mut self, span: Span) -> Result<(String, Constant), Error> {
        let (mut dims, mut values) = (Vec::new(), None);
        let fields: Vec<Field> = self.reader.fields(span, &SPARSE_PROTO).collect::<Result<_, _>>()?;
        for field in fields {
            match field.number {
                1 => values = Some(self.tensor(field.span()?)?),
                2 => drop(self.tensor(field.span()?)?),
                3 => self.reader.ints(&field, limits::RANK, &mut dims)?,
                _ => {}
            }
        }
        let (name, values) = values.ok_or_else(|| Error::format("a sparse tensor has no values").at(at(span)))?;
        let shape =
            extents(&dims).and_then(|shape| elements(&shape).map(|_| shape)).map_err(|error| error.at(at(span)))?;
        let data = Data::Absent("it is stored as a sparse tensor".to_owned());
        Ok((name, Constant { element: values.element, shape, data }))
    }
}

/// Says how many entries the list of a tensor has, and how many bytes each.
fn listed(row: &Row, count: u64) -> Result<(u64, u64), Error> {
    // A complex number is two, and types below a byte share bytes.
    let entries = match (row.field, row.bits) {
        (TENSOR_FLOATS, bits) => count * u64::from(bits / 32),
        (TENSOR_DOUBLES, bits) => count * u64::from(bits / 64),
        (_, bits) if bits < 8 && bits > 0 => size(count, bits)?,
        _ => count,
    };
    let width = match row.field {
        TENSOR_FLOATS => 4,
        TENSOR_DOUBLES => 8,
        _ => u64::from(row.bits.div_ceil(8)),
    };
    Ok((entries, width))
}

fn at(span: Span) -> String {
    format!("byte {}", span.at)
}

fn extents(dims: &[u64]) -> Result<Vec<usize>, Error> {
    let extent = |&dim: &u64| match (usize::try_from(dim), dim.cast_signed()) {
        (_, dim @ ..0) => Err(Error::format(format!("its size {dim} is negative; 0 and more are sizes"))),
        (Ok(dim), _) => Ok(dim),
        (Err(_), dim) => {
            let message = format!("its size {dim} is more than this program of {} bits can count", usize::BITS);
            Err(Error::new(ErrorKind::Limit, message))
        }
    };
    dims.iter().map(extent).collect()
}

fn elements(shape: &[usize]) -> Result<u64, Error> {
    broadaxe_shape::elements(shape).map(|count| count as u64).map_err(|error| Error::format(error.to_string()))
}

/// Counts the bytes of `count` elements.
fn size(count: u64, bits: u32) -> Result<u64, Error> {
    let bytes = (u128::from(count) * u128::from(bits)).div_ceil(8);
    let fits = u64::try_from(bytes).ok().filter(|&bytes| i64::try_from(bytes).is_ok());
    fits.ok_or_else(|| {
        Error::new(ErrorKind::Format, format!("{count} elements of {bits} bits are more than memory can have"))
    })
}
