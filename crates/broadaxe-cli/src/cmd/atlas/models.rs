//! `broadaxe atlas models`: writes a model of one node for each question.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

use broadaxe_atlas::{Case, Format, Question, model};
use serde_json::{Value, json};

use super::chosen::Chosen;
use crate::{answer::Answer, args::ModelsArgs, error::Error};

/// The file that lists the models, with the elements of their inputs and results.
const LIST: &str = "expected.jsonl";

/// Writes models. A file is named by its question, with `.` in place of `:`.
///
/// # Errors
/// When a family or a rule is unknown, or a file cannot be written.
pub(super) fn run(args: &ModelsArgs) -> Result<Answer, Error> {
    let chosen = Chosen::of(&args.cases)?;
    let folder = &args.output;
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, "make the folder", &error))?;
    let list = folder.join(LIST);
    let lines = fs::File::create(&list).map_err(|error| Error::io(&list, "write it", &error))?;
    let mut lines = BufWriter::new(lines);
    let (mut written, mut without) = (0_usize, 0_usize);
    let mut all = |case: Case| -> io::Result<()> {
        for question in Question::all(&case) {
            let made = one(folder, args.format, &question, &mut lines)?;
            written += usize::from(made);
            without += usize::from(!made);
        }
        Ok(())
    };
    let done = args.cases.level.try_each_of(|subject| chosen.has(subject), &mut all).and_then(|()| lines.flush());
    done.map_err(|error| Error::io(folder, "write the models", &error))?;
    let (name, format) = (folder.display(), args.format);
    let text = format!(
        "{name}: {written} models written ({format}); {without} questions without one, as the format has no operator with their rule\n\
         {}: their inputs and results\n",
        list.display()
    );
    Ok(Answer::new(
        text,
        json!({ "folder": name.to_string(), "format": format.name(), "models": written, "without": without }),
    ))
}

/// Writes the model of a question and its line, and says whether there is one.
fn one(folder: &Path, format: Format, question: &Question<'_>, lines: &mut impl Write) -> io::Result<bool> {
    let Ok(files) = model(format, question) else { return Ok(false) };
    let stem = question.id().replace(':', ".");
    let name = |file: &broadaxe_atlas::File| format!("{stem}{}", file.extension);
    for file in &files {
        fs::write(folder.join(name(file)), &file.bytes)?;
    }
    let mut line = question.json();
    line["files"] = files.iter().map(name).collect();
    line["want"] = question.expected().map_or(Value::Null, |array| json!(array.values));
    writeln!(lines, "{line}")?;
    Ok(true)
}
