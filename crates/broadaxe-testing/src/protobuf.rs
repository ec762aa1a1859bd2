//! Writes messages of protocol buffers, field by field.
//!
//! Source: the page "Encoding" of the documentation of Protocol Buffers.

/// A message that is being built: the bytes of its fields, in order.
#[derive(Clone, Debug, Default)]
pub struct Message(pub Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 127 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Adds a whole number.
    #[must_use]
    pub fn int(mut self, number: u64, value: i64) -> Self {
        self.varint(number << 3);
        self.varint(value as u64);
        self
    }

    /// Adds a number of four bytes.
    #[must_use]
    pub fn float(mut self, number: u64, value: f32) -> Self {
        self.varint(number << 3 | 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds bytes: a text, or a message.
    #[must_use]
    pub fn bytes(mut self, number: u64, value: &[u8]) -> Self {
        self.varint(number << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }
}
