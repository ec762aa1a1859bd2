//! Reads `.safetensors`: the length of a JSON header, the header, and the tensors without gaps.
//!
//! The header is read into exactly the fields that the format has: a repeated key, an unknown field or a deeper
//! nesting is an error of the parser. The tensors must fill the rest of the file in one piece, without overlap and
//! without holes, so that no byte has two meanings and none goes unread.
//!
//! Source: the format's description by its authors; the limit of the header is theirs.

use std::{
    collections::HashSet,
    fmt,
    io::{Read, Seek},
};

use broadaxe_kernels::DType;
use broadaxe_shape::MAX_RANK;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};

use super::{Entry, Source, Stored, byte_count, choose, data::Data, data_length, swap};
use crate::error::{Error, quoted};

/// The longest header, in bytes.
const MAX_SAFETENSORS_HEADER_BYTES: u64 = 100_000_000;
/// The most tensors, and the most texts about the file: many times what models have.
const MAX_ENTRIES: usize = 1 << 18;

/// The dtypes that can be read, by the names of the format.
pub(super) const NAMES: [(&str, DType); 13] = [
    ("BOOL", DType::Bool),
    ("U8", DType::U8),
    ("I8", DType::I8),
    ("U16", DType::U16),
    ("I16", DType::I16),
    ("U32", DType::U32),
    ("I32", DType::I32),
    ("U64", DType::U64),
    ("I64", DType::I64),
    ("F16", DType::F16),
    ("BF16", DType::BF16),
    ("F32", DType::F32),
    ("F64", DType::F64),
];

/// Describes a tensor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tensor {
    pub(super) dtype: String,
    #[serde(deserialize_with = "dims")]
    pub(super) shape: Vec<usize>,
    /// Where its bytes are in the data.
    pub(super) data_offsets: [u64; 2],
}

/// What the header of a file says, and where the data begins.
#[derive(Debug)]
pub(super) struct TensorHeader {
    /// The tensors by name, in the order of the header.
    pub(super) tensors: Vec<(String, Tensor)>,
    /// Texts about the file, by name.
    pub(super) metadata: Vec<(String, String)>,
    pub(super) data: u64,
}

/// Reads a shape, and not further than the largest rank: a header has room for millions of dims.
fn dims<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<usize>, D::Error> {
    struct Dims;
    impl<'de> Visitor<'de> for Dims {
        type Value = Vec<usize>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array of dims")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<usize>, A::Error> {
            let mut dims = Vec::new();
            while let Some(dim) = list.next_element()? {
                if dims.len() == MAX_RANK {
                    return Err(A::Error::custom(format!("the rank is above the largest, {MAX_RANK}")));
                }
                dims.push(dim);
            }
            Ok(dims)
        }
    }
    from.deserialize_seq(Dims)
}

/// Notes a name that must be new, among not too many.
fn note<E: serde::de::Error>(names: &mut HashSet<String>, name: &str) -> Result<(), E> {
    if names.contains(name) {
        return Err(E::custom(format!("the name '{}' appears twice", quoted(name))));
    }
    if names.len() == MAX_ENTRIES {
        return Err(E::custom(format!("there are more than {MAX_ENTRIES} entries")));
    }
    let room = names.try_reserve(1).is_ok() && names.insert(name.to_owned());
    if room { Ok(()) } else { Err(E::custom("not enough memory for the names")) }
}

impl Tensor {
    /// Counts the bytes of an element, also of a dtype that is not known; 0 where elements share a byte.
    pub(super) fn element_bytes(&self) -> u64 {
        let count = self.shape.iter().try_fold(1_u64, |count, &dim| count.checked_mul(dim as u64));
        let [begin, end] = self.data_offsets;
        match (self.dtype(), count) {
            (Some(dtype), _) => dtype.size() as u64,
            (None, Some(count)) => (end - begin).checked_div(count).unwrap_or(0),
            (None, None) => 0,
        }
    }

    fn dtype(&self) -> Option<DType> {
        NAMES.iter().find(|(name, _)| *name == self.dtype).map(|&(_, dtype)| dtype)
    }
}

/// The header: tensors by name, in the order of the file, and texts.
struct TensorIndex(Vec<(String, Tensor)>, Vec<(String, String)>);

impl<'de> Deserialize<'de> for TensorIndex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = TensorIndex;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TensorIndex, A::Error> {
        let (mut tensors, mut metadata, mut names) = (Vec::new(), Vec::new(), HashSet::new());
        while let Some(name) = map.next_key::<String>()? {
            note(&mut names, &name)?;
            if name == "__metadata__" {
                metadata = map.next_value::<Metadata>()?.0;
                continue;
            }
            tensors.try_reserve(1).map_err(|_| A::Error::custom("not enough memory for the names"))?;
            tensors.push((name, map.next_value()?));
        }
        Ok(TensorIndex(tensors, metadata))
    }
}

/// Texts by name.
struct Metadata(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = Metadata;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metadata, A::Error> {
                let (mut texts, mut names) = (Vec::new(), HashSet::new());
                while let Some((name, text)) = map.next_entry::<String, String>()? {
                    note(&mut names, &name)?;
                    texts.try_reserve(1).map_err(|_| A::Error::custom("not enough memory for the texts"))?;
                    texts.push((name, text));
                }
                Ok(Metadata(texts))
            }
        }
        from.deserialize_map(Texts)
    }
}

/// Reads the tensor of this name, or the only one.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, key: Option<&str>, limit: u64) -> Result<Stored, Error> {
    let TensorHeader { tensors, data, .. } = header(source)?;
    let (name, tensor) = choose(&tensors, |(name, _)| name, key)?;
    let dtype = tensor.dtype().ok_or_else(|| {
        let text = format!("the dtype {} of '{}' is not supported", quoted(&tensor.dtype), quoted(name));
        Error::field("dtype", 8, text)
    })?;
    let [begin, end] = tensor.data_offsets;
    let length = data_length(dtype, &tensor.shape, end - begin, data + begin)?;
    let mut data = source.data(data + begin, length, limit)?;
    if cfg!(target_endian = "big") {
        let mut bytes = data.into_bytes(limit)?;
        swap(&mut bytes, dtype.size());
        data = Data::Read(bytes);
    }
    Ok(Stored { dtype, shape: tensor.shape.clone(), fortran: false, data, start: 0 })
}

/// Describes the tensors.
pub(super) fn entries<R: Read + Seek>(source: &mut Source<R>) -> Result<Vec<Entry>, Error> {
    let entry = |(name, tensor): (String, Tensor)| {
        let dtype = tensor.dtype().map_or_else(|| tensor.dtype.clone(), |dtype| dtype.name().to_owned());
        let [begin, end] = tensor.data_offsets;
        Entry { name, dtype, shape: tensor.shape, bytes: end - begin }
    };
    Ok(header(source)?.tensors.into_iter().map(entry).collect())
}

/// Reads and checks the header.
pub(super) fn header<R: Read + Seek>(source: &mut Source<R>) -> Result<TensorHeader, Error> {
    let prefix = source.load(0, source.length().min(8))?;
    let Some(length) = prefix.first_chunk::<8>().map(|b| u64::from_le_bytes(*b)) else {
        return Err(Error::field("header length", 0, "the file is cut short in its first 8 bytes"));
    };
    let there = source.length() - 8;
    if length > there || length > MAX_SAFETENSORS_HEADER_BYTES {
        let text =
            format!("the header has {length} bytes; {there} are there, and {MAX_SAFETENSORS_HEADER_BYTES} is the most");
        return Err(Error::field("header length", 0, text));
    }
    let bytes = source.load(8, length)?;
    // Writers pad with JSON's blanks, before the header too.
    let blank = bytes.iter().take_while(|b| b" \t\r\n".contains(b)).count();
    if bytes.get(blank) != Some(&b'{') {
        return Err(Error::field("header", 8 + blank as u64, "the header should begin with '{', behind blanks or not"));
    }
    let TensorIndex(tensors, metadata) = serde_json::from_slice(&bytes).map_err(|error| {
        // serde_json counts lines and columns; the header is one line when a program wrote it.
        let lines = bytes.split(|&b| b == b'\n').take(error.line().saturating_sub(1));
        let at = lines.map(|line| line.len() + 1).sum::<usize>() + error.column().saturating_sub(1);
        let text = error.to_string();
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        Error::field("header", 8 + at as u64, format!("the header is not as it should be: {text}"))
    })?;
    check(&tensors, there - length)?;
    Ok(TensorHeader { tensors, metadata, data: 8 + length })
}

/// Checks that the tensors have the sizes of their shapes and fill `length` bytes.
fn check(tensors: &[(String, Tensor)], length: u64) -> Result<(), Error> {
    let fail = |name: &str, text: String| Err(Error::field(&format!("tensor '{}'", quoted(name)), 8, text));
    let mut order: Vec<&(String, Tensor)> = tensors.iter().collect();
    order.sort_by_key(|(_, tensor)| tensor.data_offsets);
    let mut filled = 0;
    for (name, tensor) in order {
        let [begin, end] = tensor.data_offsets;
        if begin > end || end > length {
            return fail(name, format!("bytes {begin} to {end} are not among the {length} there"));
        }
        if begin != filled {
            let what = if begin < filled { "overlap the tensor before" } else { "leave a hole before them" };
            return fail(name, format!("bytes {begin} to {end} {what}, which ends at {filled}"));
        }
        filled = end;
        if let Some(dtype) = tensor.dtype() {
            let shape = broadaxe_shape::Shape::from(tensor.shape.as_slice());
            match byte_count(dtype, &shape) {
                None => return fail(name, format!("an array of shape {shape} is too large to address")),
                Some(want) if want != end - begin => {
                    let text = format!("{shape} of {} needs {want} bytes, not {}", tensor.dtype, end - begin);
                    return fail(name, text);
                }
                Some(_) => {}
            }
        }
    }
    if filled != length {
        return Err(Error::field("data", 8, format!("the tensors end at {filled} of {length} bytes of data")));
    }
    Ok(())
}
