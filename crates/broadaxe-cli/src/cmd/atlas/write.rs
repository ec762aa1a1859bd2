//! `broadaxe atlas write`: writes the cases of a level as JSON Lines.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use super::chosen::Chosen;
use crate::{answer::Answer, args::WriteArgs, error::Error, file::write::Whole};

/// Writes cases.
///
/// # Errors
/// When a family or a rule is unknown, or the file cannot be written.
pub(super) fn run(args: &WriteArgs) -> Result<Answer, Error> {
    let chosen = Chosen::of(&args.cases)?;
    let mut count = 0_usize;
    let mut lines = |to: &mut dyn Write| {
        args.cases.level.try_each_of(
            |subject| chosen.has(subject),
            |case| {
                count += 1;
                writeln!(to, "{}", case.json())
            },
        )
    };
    if args.output == Path::new("-") {
        // Not kept in memory: a level can have a gigabyte.
        let mut to = BufWriter::new(io::stdout().lock());
        lines(&mut to).and_then(|()| to.flush()).map_err(|error| Error::output(&error))?;
        return Ok(Answer::new(String::new(), json!(null)));
    }
    let compressed = args.output.extension().is_some_and(|extension| extension == "gz");
    Whole::create(&args.output)?.save(|file| {
        if compressed {
            let mut to = GzEncoder::new(BufWriter::with_capacity(1 << 20, file), Compression::default());
            lines(&mut to)?;
            to.finish()?.flush()
        } else {
            let mut to = BufWriter::with_capacity(1 << 20, file);
            lines(&mut to)?;
            to.flush()
        }
    })?;
    let name = args.output.display().to_string();
    let text = format!("{name}: written ({count} cases of the level {})\n", args.cases.level.name());
    Ok(Answer::new(text, json!({ "output": name, "cases": count, "level": args.cases.level.name() })))
}
