//! Paddle: programs of the new representation (`.json`) and of the old one (`.pdmodel`), parameters in a `.pdiparams`.
//!
//! In a `.json` every value has a number and is computed once; it is named `%5`, as Paddle prints it, unless it is a
//! parameter or an input, which have names. In a `.pdmodel` operators write to variables, some of them more than once;
//! every write is its own value, the second one named `x#2`. Parameters become constants that point into the
//! `.pdiparams`, which holds them sorted by name. Every value records its shape.

mod element;
mod json;

mod blocks;
mod draft;
mod params;

mod pir;
mod program;

mod render_pir;
mod render_program;

mod write;
#[cfg(test)]
mod tables;

use super::Format;
use crate::{edit::Constants, error::Error, graph::Model, source::Source};

/// Describes both representations.
pub(super) static PADDLE: Format = Format {
    name: "paddle",
    extensions: &["json", "pdmodel"],
    detect,
    read,
    weights: Some("pdiparams"),
    constants: Constants::Fixed,
    write: write::write,
};

/// The limits of what is read.
struct ProgramLimits {
    /// Bytes of a program.
    bytes: u64,
    /// Depth of nested lists and objects in a `.json`.
    depth: usize,
    /// Values of a `.json`, of all kinds.
    items: usize,
    /// Keys of an object.
    keys: usize,
    /// Depth of nested blocks.
    blocks: usize,
    /// Numbers in an attribute that is a list.
    list: usize,
    /// Bytes of the description of a parameter.
    description: usize,
}

const PROGRAM_LIMITS: ProgramLimits = ProgramLimits {
    bytes: 1 << 28,
    depth: 512,
    items: 8_000_000,
    keys: 256,
    blocks: 64,
    list: 1 << 16,
    description: 4096,
};

fn detect(head: &[u8]) -> bool {
    is_json(head) || is_program(head)
}

/// Says whether this begins as a program in JSON does.
fn is_json(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let word = |word: &[u8]| head.windows(word.len()).any(|window| window == word);
    head.starts_with(b"{") && word(b"\"base_code\"") && word(b"\"pir\"")
}

/// Says whether this begins as an old program does: with its first block, whose number is 0.
fn is_program(head: &[u8]) -> bool {
    let Some((b'\x0a', rest)) = head.split_first().map(|(first, rest)| (*first, rest)) else { return false };
    let length = rest.iter().take(10).take_while(|byte| **byte >= 0x80).count();
    rest.get(length + 1..).is_some_and(|block| block.starts_with(&[0x08, 0x00, 0x10]))
}

fn read(source: &Source) -> Result<Model, Error> {
    let head = source.read(0, source.len().min(4096) as usize)?;
    if is_json(&head) {
        pir::read(source).map(|(model, _)| model)
    } else {
        program::read(source).map(|(model, _)| model)
    }
}
