//! Finds the model in a file: a `.tflite` is one, a `.litertlm` holds several.
//!
//! A `.litertlm` begins with `LITERTLM`, its version, and the end of its header, a FlatBuffer that lists the sections. Source:
//! `schema/core/litertlm_header_schema.fbs` and `litertlm_read.cc` of LiteRT-LM.

use std::ops::Range;

use super::flat::FlatReader;
use crate::{error::Error, source::Source};

/// What a `.litertlm` begins with.
pub(super) const BUNDLE: &[u8] = b"LITERTLM";
/// The byte of the header at which its end is written, and the first byte of the list of sections.
const HEADER_END: u64 = 24;
const SECTION_LIST: u64 = 32;
/// The version that is read, and the types of sections that are models and weights.
const MAJOR: u32 = 1;
const SECTION_MODEL: u8 = 3;
const SECTION_WEIGHTS: u8 = 7;
/// The most sections of a file.
const SECTIONS: usize = 1 << 16;

/// The model of a file.
#[derive(Debug)]
pub(super) struct ModelSection {
    /// Its bytes.
    pub(super) span: Range<u64>,
    /// Whether other sections surround it.
    pub(super) bundled: bool,
    /// What else the file holds, for the user.
    pub(super) remark: Option<String>,
}

/// Finds the model.
///
/// # Errors
/// [`crate::ErrorKind::Format`] for a `.litertlm` that is damaged, of another version or without a model.
pub(super) fn section(source: &Source) -> Result<ModelSection, Error> {
    let head = source.read(0, source.len().min(SECTION_LIST) as usize)?;
    if !head.starts_with(BUNDLE) {
        return Ok(ModelSection { span: 0..source.len(), bundled: false, remark: None });
    }
    let number = |at: u64, len: usize| {
        let mut wide = [0; 8];
        wide[..len].copy_from_slice(head.get(at as usize..at as usize + len)?);
        Some(u64::from_le_bytes(wide))
    };
    let cut = || Error::format("the header of the .litertlm is cut").at(format_args!("byte {}", head.len()));
    let major = number(BUNDLE.len() as u64, 4).ok_or_else(cut)?;
    if major != u64::from(MAJOR) {
        let message = format!("version {major} of .litertlm is not supported; version {MAJOR} is");
        return Err(Error::format(message).at("byte 8"));
    }
    let end = number(HEADER_END, 8).ok_or_else(cut)?;
    if end <= SECTION_LIST || end > source.len() {
        let message = format!("the header cannot end at byte {end} of a file of {} bytes", source.len());
        return Err(Error::format(message).at(format_args!("byte {HEADER_END}")));
    }
    sections(source, SECTION_LIST..end)
}

/// Reads the list of sections.
fn sections(source: &Source, header: Range<u64>) -> Result<ModelSection, Error> {
    let end = header.end;
    let flat = FlatReader::new(source, header);
    let (mut first, mut models, mut weights) = (None, 0, 0);
    if let Some(list) = flat.child(flat.root()?, 1)? {
        let objects = flat.vector(list, 0, 4)?;
        for k in 0..objects.len.min(SECTIONS) {
            let object = flat.entry(objects, k)?;
            let (from, to) = (flat.long(object, 1)?.unwrap_or(0), flat.long(object, 2)?.unwrap_or(0));
            match flat.byte(object, 3)?.unwrap_or(0) {
                SECTION_WEIGHTS => weights += 1,
                SECTION_MODEL => {
                    models += 1;
                    if from < end || from >= to || to > source.len() {
                        let message = format!("the model of section {k} cannot have the bytes from {from} to {to}");
                        return Err(Error::format(message).at(format_args!("byte {}", object.at)));
                    }
                    first.get_or_insert((k, from..to));
                }
                _ => {}
            }
        }
    }
    let (k, span) = first.ok_or_else(|| Error::format("no section of the .litertlm is a TFLite model"))?;
    let mut remark =
        (models > 1).then(|| format!("the .litertlm holds {models} models; the first, section {k}, is read"));
    if weights > 0 {
        let more = format!("the .litertlm has {weights} sections of weights, which are not read");
        remark = Some(remark.map_or(more.clone(), |remark| format!("{remark}; {more}")));
    }
    Ok(ModelSection { span, bundled: true, remark })
}
