//! Measures the size of the code and the time of its build.
//!
//! The size is that of the runner of the benchmarks, a program that holds the whole engine and little else, and of the released
//! command, which also contains the model checker: the sections that are loaded (code, tables, what unwinding needs), as their ELF
//! files list them. Names and debugging information are not among them. The build is that of the kernels alone, from
//! nothing, in a folder of its own.

use std::{env, fs, path::Path, time::Instant};

use serde::Serialize;

use super::{cargo, record, succeed};

/// The section of the record that holds these.
pub(super) const SECTION: &str = "code";

/// Holds one measure and its target.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Measure {
    pub(super) name: String,
    pub(super) value: f64,
    /// The most that it may be; 0 for no target.
    pub(super) target: f64,
    pub(super) unit: String,
}

impl Measure {
    fn new(name: &str, value: f64, target: f64, unit: &str) -> Self {
        let value = (value * 100.0).round() / 100.0;
        Self { name: name.to_owned(), value, target, unit: unit.to_owned() }
    }
}

/// Measures, prints, and records if so wished.
pub(super) fn run(root: &Path, target: &Path, record: bool) -> Result<(), String> {
    let words = ["build", "--release", "--quiet", "-p", "broadaxe-bench", "-p", "broadaxe-cli"];
    succeed(cargo(root).args(words), "the programs do not build")?;
    let engine = loaded(target, "broadaxe-bench")?;
    let command = loaded(target, "broadaxe")?;
    let text = engine.iter().filter(|section| section.0 == ".text");
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let folder = target.join("bench-clean");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let begin = Instant::now();
    let words = ["build", "--release", "--quiet", "-p", "broadaxe-kernels", "--jobs", "2", "--target-dir"];
    succeed(cargo(root).args(words).arg(&folder), "the kernels do not build")?;
    let seconds = begin.elapsed().as_secs_f64();
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measures = [
        Measure::new("the engine: all loaded sections", mib(engine.iter().map(|s| s.1).sum()), 12.0, "MiB"),
        Measure::new("of these, code (`.text`)", mib(text.map(|s| s.1).sum()), 0.0, "MiB"),
        Measure::new("the command, with the checker of models", mib(command.iter().map(|s| s.1).sum()), 0.0, "MiB"),
        Measure::new("clean build of `broadaxe-kernels`, 2 jobs", seconds, 240.0, "s"),
    ];
    for measure in &measures {
        println!("{:45} {:>8.2} {}", measure.name, measure.value, measure.unit);
    }
    if record { record::put(root, SECTION, &measures, false) } else { Ok(()) }
}

/// Reads the sections of a released program.
fn loaded(target: &Path, name: &str) -> Result<Vec<(String, u64)>, String> {
    let path = target.join("release").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let file = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    sections(&file).ok_or_else(|| format!("{} is no ELF file of 64 bits", path.display()))
}

/// Lists the sections of an ELF file of 64 bits that are loaded and stand in the file, with their sizes.
fn sections(file: &[u8]) -> Option<Vec<(String, u64)>> {
    let number = |at: usize, bytes: usize| {
        let part = file.get(at..at.checked_add(bytes)?)?;
        Some(part.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte)))
    };
    if file.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (table, size, count, names) = (number(40, 8)? as usize, number(58, 2)?, number(60, 2)?, number(62, 2)?);
    let field = |section: u64, at: usize, bytes: usize| {
        number(table.checked_add((section * size) as usize)?.checked_add(at)?, bytes)
    };
    let texts = field(names, 24, 8)? as usize;
    let mut found = Vec::new();
    for section in 0..count {
        let (kind, flags) = (field(section, 4, 4)?, field(section, 8, 8)?);
        // 8 is a section in memory but not in the file, such as zeros; bit 1 of the flags says that it is loaded.
        if kind != 8 && flags & 2 != 0 {
            let name = file.get(texts.checked_add(field(section, 0, 4)? as usize)?..)?;
            let name = name.split(|&byte| byte == 0).next()?;
            found.push((String::from_utf8_lossy(name).into_owned(), field(section, 32, 8)?));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a number of `bytes` bytes at a place.
    fn set(file: &mut Vec<u8>, at: usize, bytes: usize, number: u64) {
        file.resize(file.len().max(at + bytes), 0);
        file[at..at + bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
    }

    #[test]
    fn loaded_sections_are_listed() {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        for (at, bytes, number) in [(40, 8, 128), (58, 2, 64), (60, 2, 3), (62, 2, 2)] {
            set(&mut file, at, bytes, number);
        }
        // Name, kind, flags, offset, size: code that is loaded, zeros that are not in the file, and the names.
        for (section, row) in [[1, 1, 6, 0, 1000], [7, 8, 3, 0, 5000], [0, 3, 0, 100, 12]].iter().enumerate() {
            for ((at, bytes), number) in [(0, 4), (4, 4), (8, 8), (24, 8), (32, 8)].into_iter().zip(row) {
                set(&mut file, 128 + 64 * section + at, bytes, *number);
            }
        }
        file[100..112].copy_from_slice(b"\0.text\0.bss\0");
        assert_eq!(sections(&file), Some(vec![(".text".to_owned(), 1000)]));
        assert_eq!(sections(&file[..150]), None);
        assert_eq!(sections(b"MZ and more"), None);
    }
}
