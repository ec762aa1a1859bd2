//! Reads damaged files, and prints a line before and after each: `mutants KIND SEED FIRST END FOLDER`, for `cargo xtask mutate`.
//!
//! The line after a file has its number, `read`, `rejected` or `failed`, `fixed` or `-`, the milliseconds of the processor, the bytes of the
//! highest memory, and what does not hold. FOLDER gets each fixed model and what it was before. With one number in place of two, the
//! mutant of that number is written to standard output.

#[path = "../tests/mutants/mod.rs"]
mod mutants;

use std::{
    env, fs,
    io::{self, Write},
    panic::{self, catch_unwind},
    path::Path,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use broadaxe_testing::mutate::{MUTANT_KINDS, Mutants};

/// The most memory with which the next file is read. What an allocator retains of a large file would hide how much later ones need, so
/// the program ends, and is started again.
const MOST_RETAINED: u64 = 64 << 20;
/// Why the last panic happened.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: mutants KIND SEED FIRST END FOLDER, or mutants KIND SEED NUMBER";
    let [kind, seed, first, rest @ ..] = words else { return Err(usage.into()) };
    let kind = MUTANT_KINDS.iter().find(|known| known.name == kind).ok_or("there is no such kind")?;
    let (mutants, seed, first) = (Mutants::new(kind), seed.parse()?, first.parse()?);
    let (end, folder) = match rest {
        [] => return Ok(io::stdout().write_all(&mutants.mutant(seed, first))?),
        [end, folder] => (end.parse()?, Path::new(folder)),
        _ => return Err(usage.into()),
    };
    panic::set_hook(Box::new(|why| {
        let text = why.payload_as_str().unwrap_or("a panic without a text");
        let place = why.location().map_or_else(String::new, ToString::to_string);
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = format!("{text} ({place})").replace('\n', " ");
    }));
    let mut out = io::stdout().lock();
    for number in first..end {
        writeln!(out, "begin {number}")?;
        out.flush()?;
        let bytes = mutants.mutant(seed, number);
        writeln!(
            out,
            "end {number} {}",
            looked(&mutants, &bytes, &folder.join(format!("{}-{seed}-{number}", kind.name)))?
        )?;
        if memory("VmRSS:") > MOST_RETAINED {
            break;
        }
    }
    Ok(())
}

/// Reads a file and says what came of it; a fixed model and its original become files whose names begin with `pair`.
fn looked(mutants: &Mutants, bytes: &[u8], pair: &Path) -> io::Result<String> {
    // Resets what the system calls the highest memory, where it can.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let (base, clock, processor) = (memory("VmRSS:"), Instant::now(), processor_ms());
    let held = catch_unwind(|| mutants::holds(mutants.kind(), bytes));
    let spent = processor_ms().map_or(clock.elapsed().as_millis() as u64, |now| now - processor.unwrap_or(now));
    let peak = memory("VmHWM:").saturating_sub(base);
    let (state, fixed, fault) = match held {
        Ok(None) => ("rejected", "-", String::new()),
        Ok(Some(None)) => ("read", "-", String::new()),
        Ok(Some(Some(files))) => {
            save(mutants.kind().extensions[0], bytes, &files, pair)?;
            ("read", "fixed", String::new())
        }
        Err(_) => ("failed", "-", PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()),
    };
    Ok(format!("{state} {fixed} {spent} {peak} {fault}"))
}

/// Writes a model and the fixed one, with the weights that each has.
fn save(extension: &str, bytes: &[u8], files: &[Vec<u8>], pair: &Path) -> io::Result<()> {
    let write = |when: &str, extension: &str, bytes: &[u8]| {
        let mut name = pair.as_os_str().to_owned();
        name.push(format!(".{when}.{extension}"));
        fs::write(name, bytes)
    };
    write("was", extension, bytes)?;
    write("now", extension, &files[0])?;
    if extension == "xml" {
        write("was", "bin", &mutants::weights())?;
        write("now", "bin", files.get(1).unwrap_or(&mutants::weights()))?;
    }
    Ok(())
}

/// Returns the bytes in a line about this process; 0 where the system does not say.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Returns the milliseconds that processors spent on this process, where the system says so in hundredths of a second.
fn processor_ms() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(ticks * 10)
}
