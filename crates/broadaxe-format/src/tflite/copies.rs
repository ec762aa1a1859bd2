//! Copies tables of the file: numbers by value, everything else by an offset to where it is.

use super::{
    flat::{FlatReader, FlatTable},
    flatten::FlatValue,
    options::{Holds, OptionField},
};
use crate::{edit::rejected, error::Error};

/// The fields of a table: the bytes of a number, or 0 for an offset.
pub(super) type Widths = &'static [usize];

pub(super) const MODEL_WIDTHS: Widths = &[4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
pub(super) const SUBGRAPH_WIDTHS: Widths = &[0, 0, 0, 0, 0, 4];
pub(super) const TENSOR_WIDTHS: Widths = &[0, 1, 4, 0, 0, 1, 0, 0, 1, 0, 4];
pub(super) const OPERATOR_WIDTHS: Widths = &[4, 0, 0, 1, 0, 0, 1, 0, 0, 8, 8, 1, 0, 4];
pub(super) const QUANTIZATION_WIDTHS: Widths = &[0, 0, 0, 0, 1, 0, 4];
pub(super) const BUFFER_WIDTHS: Widths = &[0, 8, 8];

/// The fields of a new table, some of which may be copies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NewFields(Vec<(usize, FlatValue)>);

impl NewFields {
    /// Sets a field.
    pub(super) fn set(&mut self, field: usize, value: FlatValue) {
        self.remove(field);
        let at = self.0.partition_point(|(other, _)| *other < field);
        self.0.insert(at, (field, value));
    }

    /// Leaves a field out.
    pub(super) fn remove(&mut self, field: usize) {
        self.0.retain(|(other, _)| *other != field);
    }

    /// Returns the table.
    pub(super) fn table(self) -> FlatValue {
        FlatValue::Table(self.0)
    }
}

/// Copies a table.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a table with a field that this version of the schema does not have.
pub(super) fn copied(flat: &FlatReader<'_>, table: FlatTable, widths: &[usize]) -> Result<NewFields, Error> {
    let mut fields = NewFields::default();
    for field in 0..table.count {
        let Some(at) = flat.field(table, field)? else { continue };
        let width = *widths.get(field).ok_or_else(|| {
            let message = format!("field {field} of a table is not known, so that the table cannot be changed");
            rejected(message).at(format_args!("byte {}", table.at))
        })?;
        fields.set(
            field,
            match width {
                0 => FlatValue::Old(flat.follow(at)?),
                width => FlatValue::Number(flat.bytes(at, width as u64)?),
            },
        );
    }
    Ok(fields)
}

/// Returns the widths of the fields of options.
pub(super) fn option_widths(fields: &[OptionField]) -> Vec<usize> {
    let width = |field: &OptionField| match field.holds {
        Holds::Flag(_) | Holds::Word(_) | Holds::Type(_) => 1,
        Holds::Int(_) | Holds::Float | Holds::Wide(_) | Holds::Body => 4,
        Holds::Long => 8,
        // The first two options of `RESIZE_BILINEAR` were sizes once.
        Holds::Nothing if field.name.is_empty() => 4,
        Holds::Nothing | Holds::Text | Holds::Bodies | Holds::Ints | Holds::Longs | Holds::Floats => 0,
    };
    fields.iter().map(width).collect()
}
