//! `broadaxe page`: writes the page of the browser as one HTML file.

use std::{
    io::{self, Read, Write},
    path::Path,
};

use flate2::read::GzDecoder;
use serde_json::json;

use crate::{answer::Answer, args::PageArgs, error::Error, file::write::Whole};

/// What `cargo xtask page --embed` built, compressed.
static EMBEDDED: &[u8] = include_bytes!("../../page/page.html.gz");

/// Writes the page. It needs no server and no network: rules, checker and guide are inside.
///
/// # Errors
/// When the file cannot be written.
pub fn run(args: &PageArgs) -> Result<Answer, Error> {
    if args.output == Path::new("-") {
        let text = io::read_to_string(GzDecoder::new(EMBEDDED)).map_err(|error| Error::output(&error))?;
        return Ok(Answer::new(text, json!({ "output": "-" })));
    }
    let mut bytes = Vec::new();
    let read = GzDecoder::new(EMBEDDED).read_to_end(&mut bytes);
    read.map_err(|error| Error::io(&args.output, "unpack the page", &error))?;
    Whole::create(&args.output)?.save(|to| to.write_all(&bytes))?;
    let name = args.output.display();
    let text = format!("{name}: written ({}); open it in a browser\n", crate::bytes::show(bytes.len() as u128));
    Ok(Answer::new(text, json!({ "output": name.to_string(), "bytes": bytes.len() })))
}
