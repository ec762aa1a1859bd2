//! Writes the models of a level: `models DIR FORMAT LEVEL`.
//!
//! A file is named by its question, with `.` in place of `:`. `expected.jsonl` has a line for each question with a model: the
//! question, with its files, and `want`, the elements of the result.
#![allow(clippy::print_stdout, reason = "this is the example's output")]

use std::{
    env,
    error::Error,
    fs,
    io::{BufWriter, Write},
    path::Path,
};

use broadaxe_atlas::{Format, LEVELS, Question, model};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, format, level] = arguments.as_slice() else { return Err("give DIR, FORMAT and LEVEL".into()) };
    let format: Format = format.parse()?;
    let level = LEVELS.iter().find(|(name, _)| name == level).ok_or("the levels are core, full and deep")?.1;
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    let mut expected = BufWriter::new(fs::File::create(folder.join("expected.jsonl"))?);
    let (mut written, mut unsupported) = (0, 0);
    level.try_each(|case| {
        for question in Question::all(&case) {
            let Ok(files) = model(format, &question) else {
                unsupported += 1;
                continue;
            };
            written += 1;
            let stem = question.id().replace(':', ".");
            for file in &files {
                fs::write(folder.join(format!("{stem}{}", file.extension)), &file.bytes)?;
            }
            let mut line = question.json();
            let names: Vec<String> = files.iter().map(|file| format!("{stem}{}", file.extension)).collect();
            line["files"] = json!(names);
            line["want"] = question.expected().map_or(Value::Null, |array| json!(array.values));
            writeln!(expected, "{line}")?;
        }
        Ok::<_, std::io::Error>(())
    })?;
    expected.flush()?;
    println!("{format}: {written} models, {unsupported} questions without one");
    Ok(())
}
