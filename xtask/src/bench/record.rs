//! Records the results of runs, in a file for each day and CPU.
//!
//! A record is JSON: `run` says where and when, and each other key is a section, written by one kind of run (workloads,
//! a sweep, ...) with its rows one a line, so that two records can be compared by line. `bench/page.py` shows the
//! newest of each section.

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Where records are.
const FOLDER: &str = "bench/record";

/// Writes a section into the record of this day and CPU.
pub(super) fn put<Row: Serialize>(root: &Path, section: &str, rows: &[Row], quick: bool) -> Result<(), String> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    let (date, cpu) = (date(seconds / 86_400), cpu());
    let name = format!("{date}-{}.json", slug(&cpu));
    let path = root.join(FOLDER).join(&name);
    let before = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
    let mut record: Map<String, Value> = before.unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let run = json!({ "date": date, "cpu": cpu, "cores": cores, "system": std::env::consts::OS, "level": level(), "caches": caches() });
    record.insert("run".to_owned(), run);
    let rows = rows.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    record.insert(section.to_owned(), json!({ "quick": quick, "when": seconds, "rows": rows }));
    let failed = |error: std::io::Error| format!("{FOLDER}/{name}: {error}");
    fs::create_dir_all(root.join(FOLDER)).map_err(failed)?;
    fs::write(&path, text(&record) + "\n").map_err(failed)?;
    println!("{FOLDER}/{name}");
    Ok(())
}

/// Returns a record as JSON with a line for the run and one for each row.
fn text(record: &Map<String, Value>) -> String {
    let sections = record.iter().map(|(key, value)| match value["rows"].as_array() {
        None => format!("{}:{value}", json!(key)),
        Some(rows) => {
            let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
            let (quick, when) = (&value["quick"], &value["when"]);
            format!("{}:{{\"quick\":{quick},\"when\":{when},\"rows\":[\n{}\n]}}", json!(key), rows.join(",\n"))
        }
    });
    format!("{{{}}}", sections.collect::<Vec<_>>().join(",\n"))
}

/// Returns the day `days` days after 1970-01-01, in the Gregorian calendar.
fn date(mut days: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

/// Returns the best level of instructions that this CPU has.
fn level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
        return "avx512";
    } else if is_x86_feature_detected!("avx2") {
        return "avx2";
    }
    if cfg!(target_arch = "aarch64") { "neon" } else { "baseline" }
}

/// Returns what the CPU calls itself, where the system tells.
fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let mut fields = text.lines().filter_map(|line| line.strip_prefix(name)?.split_once(':'));
        fields.find(|(rest, _)| rest.trim().is_empty()).map(|(_, value)| value.trim().to_owned())
    };
    // A virtual machine often says no more than the brand; family and model tell the generation.
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => format!("{name} (family {family}, model {model})"),
        (Some(name), ..) => name,
        _ => std::env::consts::ARCH.to_owned(),
    }
}

/// Returns the sizes of the first CPU's caches for data in bytes, where the system tells.
pub(super) fn caches() -> Vec<f64> {
    let read = |index: usize, name: &str| {
        fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}")).ok()
    };
    let size = |text: &str| Some(text.trim().strip_suffix('K')?.parse::<f64>().ok()? * 1024.0);
    let data = |index: &usize| read(*index, "type").is_some_and(|kind| kind.trim() != "Instruction");
    let mut sizes: Vec<f64> = (0..8).filter(data).filter_map(|index| size(&read(index, "size")?)).collect();
    sizes.sort_by(f64::total_cmp);
    sizes
}

/// Returns a name as part of a file's name.
fn slug(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        let cases = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (364, "1970-12-31"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (19_722, "2023-12-31"),
            (19_723, "2024-01-01"),
        ];
        for (days, want) in cases {
            assert_eq!(date(days), want, "day {days}");
        }
    }

    #[test]
    fn records_are_json_with_a_line_a_row() {
        for count in [0, 1, 3] {
            let rows: Vec<Value> = (0..count).map(|k| json!({ "k": k })).collect();
            let mut record = Map::new();
            record.insert("run".to_owned(), json!({ "date": "2000-01-01" }));
            record.insert("sizes".to_owned(), json!({ "quick": true, "when": 7, "rows": rows }));
            let text = text(&record);
            let read: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(read, Value::Object(record), "{text}");
            assert_eq!(text.lines().filter(|line| line.contains("\"k\"")).count(), count);
        }
    }

    #[test]
    fn names_become_parts_of_file_names() {
        for (name, want) in [("AMD EPYC 9B14", "amd-epyc-9b14"), ("Intel(R) Xeon(R) @ 2.0GHz", "intel-r-xeon-r-2-0ghz")]
        {
            assert_eq!(slug(name), want);
        }
    }
}
