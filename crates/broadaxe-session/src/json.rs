//! Writes answers as JSON, piece by piece.

use std::{borrow::Cow, fmt, io};

use broadaxe_draw::json::Json as Drawn;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A list whose items are made while it is written.
pub struct Each<F>(pub F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Writes a value as JSON, piece by piece.
///
/// # Errors
/// When `to` cannot be written.
pub fn write_json(to: &mut dyn fmt::Write, value: &impl Serialize) -> fmt::Result {
    serde_json::to_writer(Pieces(to), value).map_err(|_| fmt::Error)
}

/// Writes texts to a writer of bytes.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_texts(out: &mut dyn io::Write, write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> io::Result<()> {
    let mut texts = Texts { out, failed: Ok(()) };
    let _ = write(&mut texts);
    texts.failed
}

/// Writes texts, and keeps the error of the writer.
struct Texts<'a> {
    out: &'a mut dyn io::Write,
    failed: io::Result<()>,
}

impl fmt::Write for Texts<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.failed = self.out.write_all(text.as_bytes());
        if self.failed.is_ok() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Converts texts that are written, and passes them on.
pub struct Converting<'a, F>(pub &'a mut dyn fmt::Write, pub F);

impl<F: Fn(&str) -> Cow<'_, str>> fmt::Write for Converting<'_, F> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(&(self.1)(text))
    }
}

/// Passes on the texts that a format is written in.
pub struct Pieces<'a>(pub &'a mut dyn fmt::Write);

impl io::Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the JSON of a drawing as that of an answer.
pub fn value(json: Drawn) -> Value {
    match json {
        Drawn::Null => Value::Null,
        Drawn::Bool(value) => value.into(),
        Drawn::Number(number) => i64::try_from(number).map_or_else(|_| u64::try_from(number).ok().into(), Value::from),
        Drawn::Text(text) => text.into(),
        Drawn::List(items) => items.into_iter().map(value).collect(),
        Drawn::Object(members) => members.into_iter().map(|(name, member)| (name, value(member))).collect(),
    }
}
