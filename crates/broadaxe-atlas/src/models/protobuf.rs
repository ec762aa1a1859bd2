//! Writes messages of protocol buffers, field by field.
//!
//! Source: the page "Encoding" of the documentation of Protocol Buffers.

/// The bytes of a message's fields, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value > 127 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Adds a whole number.
    pub(super) fn int(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3);
        self.varint(value.cast_unsigned());
        self
    }

    /// Adds bytes.
    pub(super) fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    /// Adds a text.
    pub(super) fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// Adds a message.
    pub(super) fn message(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// Adds a field for each item.
    pub(super) fn each<T>(self, items: impl IntoIterator<Item = T>, add: impl FnMut(Self, T) -> Self) -> Self {
        items.into_iter().fold(self, add)
    }

    /// Returns the bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn fields() {
        let inner = Message::default().int(1, 300).text(2, "a");
        let whole = Message::default().message(3, &inner).int(4, -1);
        let mut want = vec![0x1a, 6, 8, 0xac, 2, 0x12, 1, b'a', 0x20];
        want.extend([0xff; 9]);
        want.push(1);
        assert_eq!(whole.finish(), want);
    }
}
