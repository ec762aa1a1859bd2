//! Attributes of nodes.

use super::{
    super::wire::{Around, Field, Span},
    limits,
    schema::{
        ATTRIBUTE_FLOAT, ATTRIBUTE_FLOATS, ATTRIBUTE_GRAPH, ATTRIBUTE_GRAPHS, ATTRIBUTE_INT, ATTRIBUTE_INTS,
        ATTRIBUTE_NAME, ATTRIBUTE_PROTO, ATTRIBUTE_REFERENCE, ATTRIBUTE_SPARSE, ATTRIBUTE_TENSOR, ATTRIBUTE_TEXT,
        ATTRIBUTE_TEXTS, ATTRIBUTE_TYPE,
    },
    tensor::Input,
};
use crate::{
    error::Error,
    graph::{Attribute, Constant},
};

/// An attribute as the file has it.
pub(super) struct NamedAttribute {
    pub(super) name: String,
    pub(super) value: AttributeValue,
}

/// What an attribute holds.
pub(super) enum AttributeValue {
    /// A plain attribute.
    Plain(Attribute),
    /// A sparse tensor, whose elements are not read.
    Sparse(Constant),
    /// Graphs; `true` for a list of them.
    Graphs(Vec<(Around, Around)>, bool),
    /// An attribute of the function that contains the node.
    Reference(String),
}

/// The kinds of attributes: the number of the kind, and the field that holds it.
const KINDS: &[(i64, u32)] = &[
    (1, ATTRIBUTE_FLOAT),
    (2, ATTRIBUTE_INT),
    (3, ATTRIBUTE_TEXT),
    (4, ATTRIBUTE_TENSOR),
    (5, ATTRIBUTE_GRAPH),
    (6, ATTRIBUTE_FLOATS),
    (7, ATTRIBUTE_INTS),
    (8, ATTRIBUTE_TEXTS),
    (10, ATTRIBUTE_GRAPHS),
    (11, ATTRIBUTE_SPARSE),
];

impl Input<'_> {
    /// Reads an attribute, which the given field holds.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Format`] when it is damaged.
    pub(super) fn attribute(&mut self, span: Span, field: &Field) -> Result<NamedAttribute, Error> {
        let (mut name, mut kind, mut reference) = (String::new(), 0, String::new());
        let mut fields = Vec::new();
        for field in self.reader.fields(span, &ATTRIBUTE_PROTO) {
            let field = field?;
            match field.number {
                ATTRIBUTE_NAME => name = self.reader.text(field.span()?)?,
                ATTRIBUTE_TYPE => kind = field.int()?,
                ATTRIBUTE_REFERENCE => reference = self.reader.text(field.span()?)?,
                number if KINDS.iter().any(|&(_, known)| known == number) => fields.push(field),
                _ => {}
            }
        }
        let value = if reference.is_empty() {
            // Files of the first version do not say the kind.
            let given = KINDS.iter().find(|&&(number, _)| number == kind).map(|&(_, field)| field);
            let holds = given.or_else(|| fields.first().filter(|_| kind == 0).map(|field| field.number));
            fields.retain(|field| Some(field.number) == holds);
            self.value(holds, &fields, Around::of(field)?, kind)
        } else {
            Ok(AttributeValue::Reference(reference))
        };
        let value = value.map_err(|error| error.at(format_args!("attribute {name:?}")))?;
        Ok(NamedAttribute { name, value })
    }

    fn value(
        &mut self,
        holds: Option<u32>,
        fields: &[Field],
        around: Around,
        kind: i64,
    ) -> Result<AttributeValue, Error> {
        let first = fields.first();
        let attribute = match holds {
            Some(ATTRIBUTE_FLOAT) => Attribute::Float(first.map_or(Ok(0.0), Field::float)?),
            Some(ATTRIBUTE_INT) => Attribute::Int(first.map_or(Ok(0), Field::int)?),
            Some(ATTRIBUTE_TEXT) => first.map_or(Ok(Attribute::Text(String::new())), |field| self.text(field))?,
            Some(ATTRIBUTE_TENSOR) => match first {
                Some(field) => Attribute::Tensor(self.tensor(field.span()?)?.1),
                None => return Err(Error::format("it should hold a tensor and holds nothing")),
            },
            Some(ATTRIBUTE_SPARSE) => match first {
                Some(field) => return Ok(AttributeValue::Sparse(self.sparse(field.span()?)?.1)),
                None => return Err(Error::format("it should hold a tensor and holds nothing")),
            },
            Some(number @ (ATTRIBUTE_GRAPH | ATTRIBUTE_GRAPHS)) => {
                let inner = |field| Around::of(field).map(|graph| (around, graph));
                let graphs: Result<Vec<_>, Error> = fields.iter().map(inner).collect();
                return Ok(AttributeValue::Graphs(graphs?, number == ATTRIBUTE_GRAPHS));
            }
            Some(ATTRIBUTE_INTS) => self.ints(fields)?,
            Some(ATTRIBUTE_FLOATS) => self.floats(fields)?,
            Some(_) => self.texts(fields)?,
            None => Attribute::Other(format!("a value of kind {kind}")),
        };
        Ok(AttributeValue::Plain(attribute))
    }

    fn text(&self, field: &Field) -> Result<Attribute, Error> {
        let span = field.span()?;
        if span.len() > limits::TEXT {
            return Ok(Attribute::Other(format!("a text of {} bytes", span.len())));
        }
        let bytes = self.reader.bytes(span, limits::TEXT)?;
        let other = |_| Attribute::Other(format!("{} bytes that are not text", span.len()));
        Ok(String::from_utf8(bytes).map_or_else(other, Attribute::Text))
    }

    fn ints(&self, fields: &[Field]) -> Result<Attribute, Error> {
        let mut count = 0;
        for field in fields {
            count += field.span().map_or(Ok(1), |span| self.reader.count(span))?;
        }
        if count > limits::LIST as u64 {
            return Ok(Attribute::Other(format!("a list of {count} numbers")));
        }
        let mut values = Vec::new();
        for field in fields {
            self.reader.ints(field, limits::LIST, &mut values)?;
        }
        Ok(Attribute::Ints(values.into_iter().map(u64::cast_signed).collect()))
    }

    fn floats(&self, fields: &[Field]) -> Result<Attribute, Error> {
        let count: u64 = fields.iter().map(|field| field.span().map_or(1, |span| span.len() / 4)).sum();
        if count > limits::LIST as u64 {
            return Ok(Attribute::Other(format!("a list of {count} numbers")));
        }
        let mut values = Vec::new();
        for field in fields {
            self.reader.floats(field, 4, limits::LIST, &mut values)?;
        }
        Ok(Attribute::Floats(values))
    }

    fn texts(&self, fields: &[Field]) -> Result<Attribute, Error> {
        let mut total = 0;
        for field in fields {
            total += field.span()?.len() + 1;
        }
        let long = || Ok(Attribute::Other(format!("a list of {} texts", fields.len())));
        if total > limits::TEXT {
            return long();
        }
        let texts: Result<Vec<_>, _> = fields.iter().map(|field| self.text(field)).collect();
        let plain = texts?.into_iter().map(|text| if let Attribute::Text(text) = text { Some(text) } else { None });
        plain.collect::<Option<Vec<_>>>().map_or_else(long, |texts| Ok(Attribute::Texts(texts)))
    }
}
