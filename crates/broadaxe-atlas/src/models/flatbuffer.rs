//! Writes a FlatBuffer: tables, vectors and texts, each before what it refers to.
//!
//! Source: "FlatBuffer Internals" of the documentation of FlatBuffers.

/// A field of a table.
pub(super) enum Field {
    /// A field that has its default.
    Absent,
    /// A number of one byte.
    Byte(u8),
    /// A number of four bytes.
    Int(i32),
    /// Something else, by its place.
    Of(Object),
}

/// What a table or a vector refers to.
pub(super) enum Object {
    /// A table with its fields, in the order of the schema.
    Table(Vec<Field>),
    /// A vector of tables, or of other objects.
    List(Vec<Object>),
    /// A vector of numbers of four bytes.
    Ints(Vec<i32>),
    /// A vector of bytes, aligned to 16.
    Bytes(Vec<u8>),
    /// A text.
    Text(&'static str),
}

/// Writes a buffer with this root and this identifier.
pub(super) fn write(root: &Object, identifier: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    bytes.extend(identifier);
    let place = object(&mut bytes, root);
    refer(&mut bytes, 0, place);
    bytes
}

/// Adds an object, and returns its place.
fn object(bytes: &mut Vec<u8>, object: &Object) -> usize {
    match object {
        Object::Table(fields) => table(bytes, fields),
        Object::List(items) => {
            let at = vector(bytes, items.len(), 4);
            bytes.resize(bytes.len() + 4 * items.len(), 0);
            for (k, item) in items.iter().enumerate() {
                let place = self::object(bytes, item);
                refer(bytes, at + 4 + 4 * k, place);
            }
            at
        }
        Object::Ints(numbers) => {
            let at = vector(bytes, numbers.len(), 4);
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            at
        }
        Object::Bytes(data) => {
            let at = vector(bytes, data.len(), 16);
            bytes.extend(data);
            at
        }
        Object::Text(text) => {
            let at = vector(bytes, text.len(), 4);
            bytes.extend(text.bytes().chain([0]));
            at
        }
    }
}

/// Adds the length of a vector whose elements are aligned, and returns its place.
fn vector(bytes: &mut Vec<u8>, len: usize, alignment: usize) -> usize {
    let at = (bytes.len() + 4).next_multiple_of(alignment) - 4;
    bytes.resize(at, 0);
    bytes.extend((len as u32).to_le_bytes());
    at
}

/// Writes at `at` how far behind it `place` is.
fn refer(bytes: &mut [u8], at: usize, place: usize) {
    bytes[at..at + 4].copy_from_slice(&((place - at) as u32).to_le_bytes());
}

/// Adds a table after the list of its fields. Every field that is present has four bytes.
fn table(bytes: &mut Vec<u8>, fields: &[Field]) -> usize {
    let list = (4 + 2 * fields.len()).next_multiple_of(4);
    let start = bytes.len().next_multiple_of(4);
    bytes.resize(start + list, 0);
    let at = start + list;
    let mut size = 4;
    for (k, _) in fields.iter().enumerate().filter(|(_, field)| !matches!(field, Field::Absent)) {
        put(bytes, start + 4 + 2 * k, size);
        size += 4;
    }
    put(bytes, start, 4 + 2 * fields.len());
    put(bytes, start + 2, size);
    bytes.extend((list as i32).to_le_bytes());
    bytes.resize(at + size, 0);
    let mut slot = at;
    for field in fields {
        slot += if matches!(field, Field::Absent) { 0 } else { 4 };
        match field {
            Field::Absent => {}
            Field::Byte(value) => bytes[slot] = *value,
            Field::Int(value) => bytes[slot..slot + 4].copy_from_slice(&value.to_le_bytes()),
            Field::Of(inner) => {
                let place = object(bytes, inner);
                refer(bytes, slot, place);
            }
        }
    }
    at
}

/// Writes a number of two bytes.
fn put(bytes: &mut [u8], at: usize, value: usize) {
    bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::{Field, Object, write};

    #[test]
    fn tables() {
        let root = Object::Table(vec![Field::Int(7), Field::Absent, Field::Of(Object::Text("ab")), Field::Byte(1)]);
        let want = [
            20, 0, 0, 0, b'T', b'E', b'S', b'T', // the root and the identifier
            12, 0, 16, 0, 4, 0, 0, 0, 8, 0, 12, 0, // the list of fields
            12, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, // the table
            2, 0, 0, 0, b'a', b'b', 0,
        ];
        assert_eq!(write(&root, *b"TEST"), want);
    }
}
