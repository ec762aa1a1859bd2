//! Files that the page was given: JavaScript reads them piece by piece.

use std::{collections::BTreeMap, io, path::PathBuf, sync::Arc};

use broadaxe_models::{Source, source::ReadAt};
use serde_json::Value;

use crate::edge;

/// A file of the page, by its number in the list that was opened.
#[derive(Debug)]
struct PageFile(u32);

impl ReadAt for PageFile {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        if edge::read(self.0, at, buffer) { Ok(()) } else { Err(io::Error::other("the browser cannot read the file")) }
    }
}

/// Makes the source of a model of files that are given as `[{"name": ..., "size": ...}]`, of which `main` is the model's.
pub(crate) fn source(files: &[Value], main: usize) -> Result<(String, Source), String> {
    let file = |at: usize| -> Option<(String, Source)> {
        let (name, size) = (files.get(at)?["name"].as_str()?.to_owned(), files[at]["size"].as_u64()?);
        let reader = Arc::new(PageFile(u32::try_from(at).ok()?));
        Some((name.clone(), Source::host(reader, size, Some(PathBuf::from(name)))))
    };
    let (name, source) = file(main).ok_or("no file was given")?;
    let others = (0..files.len()).filter(|&at| at != main).filter_map(file);
    Ok((name, source.with_files(others.collect::<BTreeMap<_, _>>())))
}
