//! Writes `.safetensors` files, and keeps the tensors of an existing one.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use broadaxe_kernels::DType;

use super::{
    super::{
        Source, open,
        safetensors::{self, TensorHeader},
    },
    COPY_BYTES,
    plain::{Plain, write_blocks},
};
use crate::error::Error;

/// Writes the length and the JSON header of a file with one tensor, padded so that the elements begin at a multiple of 8.
pub(super) fn header(key: &str, dtype: DType, shape: &[usize], bytes: usize) -> Vec<u8> {
    let entry = entry(key, name(dtype), shape, [0, bytes as u64]);
    finished(format!("{{{entry}}}"))
}

fn name(dtype: DType) -> &'static str {
    safetensors::NAMES.iter().find(|(_, known)| *known == dtype).map_or("", |(name, _)| name)
}

/// Writes the member of the header that describes a tensor.
fn entry(key: &str, dtype: &str, shape: &[usize], offsets: [u64; 2]) -> String {
    let ([begin, end], shape) = (offsets, serde_json::json!(shape));
    format!("{}:{{\"dtype\":{},\"shape\":{shape},\"data_offsets\":[{begin},{end}]}}", text(key), text(dtype))
}

fn text(text: &str) -> serde_json::Value {
    text.into()
}

/// Pads a header, and writes its length before it.
fn finished(mut text: String) -> Vec<u8> {
    text.push_str(&" ".repeat(text.len().next_multiple_of(8) - text.len()));
    let mut header = (text.len() as u64).to_le_bytes().to_vec();
    header.extend(text.as_bytes());
    header
}

/// Writes the elements in the byte order of the format.
///
/// # Errors
/// What the writer answers.
pub(super) fn write_elements(array: &Plain<'_>, out: &mut impl Write) -> io::Result<()> {
    if cfg!(target_endian = "big") {
        let mut bytes = array.bytes.to_vec();
        super::super::swap(&mut bytes, array.dtype.size());
        return write_blocks(&bytes, out);
    }
    write_blocks(array.bytes, out)
}

/// The tensors of a file, and its texts, that a new one keeps.
#[derive(Debug)]
pub(super) struct KeptTensors {
    source: Source<File>,
    header: TensorHeader,
}

impl KeptTensors {
    /// Opens a file and finds the tensors other than `key`.
    ///
    /// # Errors
    /// When the file is not a `.safetensors` file.
    pub(super) fn open(path: &Path, key: &str) -> Result<Self, Error> {
        let mut source = open(path)?;
        let mut header = safetensors::header(&mut source)?;
        header.tensors.retain(|(name, _)| name != key);
        Ok(Self { source, header })
    }

    /// Lists the tensors.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.header.tensors.iter().map(|(name, _)| name.as_str())
    }

    /// Says whether there is nothing to keep.
    pub(super) fn is_empty(&self) -> bool {
        self.header.tensors.is_empty() && self.header.metadata.is_empty()
    }

    /// Writes the tensors and another one. Those with the largest elements come first, so that all of them are aligned.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub(super) fn write(mut self, key: &str, array: &Plain<'_>, out: &mut impl Write) -> io::Result<()> {
        let mut order: Vec<Option<usize>> = (0..self.header.tensors.len()).map(Some).collect();
        order.sort_by_key(|at| at.map(|at| self.header.tensors[at].1.data_offsets));
        order.push(None);
        let tensors = &self.header.tensors;
        order.sort_by_key(|at| {
            std::cmp::Reverse(at.map_or(array.dtype.size() as u64, |at| tensors[at].1.element_bytes()))
        });
        let mut members = Vec::with_capacity(order.len() + 1);
        if !self.header.metadata.is_empty() {
            let texts = self.header.metadata.iter().map(|(name, value)| format!("{}:{}", text(name), text(value)));
            members.push(format!("\"__metadata__\":{{{}}}", texts.collect::<Vec<_>>().join(",")));
        }
        let mut end = 0;
        for at in &order {
            let (name, dtype, shape, bytes) = match at {
                Some(at) => {
                    let (name, tensor) = &tensors[*at];
                    let [begin, end] = tensor.data_offsets;
                    (name.as_str(), tensor.dtype.as_str(), tensor.shape.as_slice(), end - begin)
                }
                None => (key, name(array.dtype), array.shape, array.bytes.len() as u64),
            };
            members.push(entry(name, dtype, shape, [end, end + bytes]));
            end += bytes;
        }
        out.write_all(&finished(format!("{{{}}}", members.join(","))))?;
        for at in order {
            let Some(at) = at else {
                write_elements(array, out)?;
                continue;
            };
            let [begin, end] = self.header.tensors[at].1.data_offsets.map(|offset| self.header.data + offset);
            self.source.copy(begin, end - begin, COPY_BYTES, out)?;
        }
        Ok(())
    }
}
