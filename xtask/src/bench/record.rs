//! Records: what runs found, in a file for each day and CPU, and the newest of each kind.
//!
//! A record is JSON: `run` says where and when, and each other key is a section, written by one kind of run (workloads,
//! a sweep, ...) with its rows one a line, so that two records can be compared by line. Files stay; the page shows the newest
//! of each section.

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

/// Where records and drawings are.
const FOLDER: &str = "bench/record";

/// Holds the newest section of a kind.
pub(super) struct Section<Row> {
    /// The name of its file.
    pub(super) file: String,
    pub(super) date: String,
    pub(super) cpu: String,
    pub(super) cores: u64,
    /// The level of instructions that the CPU has; nothing where it was not noted.
    pub(super) level: Option<String>,
    /// The sizes of the caches in bytes, the smallest first.
    pub(super) caches: Vec<f64>,
    pub(super) quick: bool,
    /// The seconds from 1970 on when it was written; 0 where it was not noted.
    pub(super) when: u64,
    pub(super) rows: Vec<Row>,
}

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
    write(root, &name, &text(&record))
}

/// Writes a file of the folder, and says so.
pub(super) fn write(root: &Path, name: &str, text: &str) -> Result<(), String> {
    let folder = root.join(FOLDER);
    let failed = |error: std::io::Error| format!("{FOLDER}/{name}: {error}");
    fs::create_dir_all(&folder).map_err(failed)?;
    fs::write(folder.join(name), text.trim_end().to_owned() + "\n").map_err(failed)?;
    println!("{FOLDER}/{name}");
    Ok(())
}

/// Returns the newest section of a kind, if any was ever written.
///
/// # Errors
/// A record that cannot be read.
pub(super) fn latest<Row: DeserializeOwned>(root: &Path, section: &str) -> Result<Option<Section<Row>>, String> {
    Ok(of_each_cpu(root, section)?.into_iter().next())
}

/// Returns the newest section of a kind of each CPU, the newest first.
///
/// # Errors
/// A record that cannot be read.
pub(super) fn of_each_cpu<Row: DeserializeOwned>(root: &Path, section: &str) -> Result<Vec<Section<Row>>, String> {
    let Ok(entries) = fs::read_dir(root.join(FOLDER)) else { return Ok(Vec::new()) };
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.retain(|name| name.rsplit_once('.').is_some_and(|(_, ending)| ending == "json"));
    names.sort();
    let mut found: Vec<Section<Row>> = Vec::new();
    for file in names.into_iter().rev() {
        let failed = |error: &dyn std::fmt::Display| format!("{FOLDER}/{file}: {error}");
        let text = fs::read_to_string(root.join(FOLDER).join(&file)).map_err(|error| failed(&error))?;
        let record: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        let word = |key: &str| record["run"][key].as_str().unwrap_or("unknown").to_owned();
        let Some(own) = record.get(section).filter(|_| found.iter().all(|newer| newer.cpu != word("cpu"))) else {
            continue;
        };
        let rows = serde_json::from_value(own["rows"].clone()).map_err(|error| failed(&error))?;
        let caches = record["run"]["caches"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        found.push(Section {
            date: word("date"),
            cpu: word("cpu"),
            cores: record["run"]["cores"].as_u64().unwrap_or(1),
            level: record["run"]["level"].as_str().map(str::to_owned),
            caches,
            quick: own["quick"].as_bool().unwrap_or(false),
            when: own["when"].as_u64().unwrap_or(0),
            rows,
            file,
        });
    }
    // Of two on a day, the later one; those from before the time was noted are in the order of their names.
    found.sort_by(|one, other| (&other.date, other.when).cmp(&(&one.date, one.when)));
    Ok(found)
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

/// Returns the day that lies so many days after 1970-01-01, in the Gregorian calendar.
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
    "baseline"
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

/// Makes a section of nowhere.
#[cfg(test)]
pub(super) fn section<Row>(file: &str, cpu: &str, rows: Vec<Row>) -> Section<Row> {
    let (file, cpu) = (file.to_owned(), cpu.to_owned());
    Section { file, date: String::new(), cpu, cores: 1, level: None, caches: Vec::new(), quick: false, when: 0, rows }
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
    fn the_newest_section_is_found() {
        let root = std::env::temp_dir().join(format!("broadaxe-record-{}", std::process::id()));
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder).expect("a folder");
        let old = r#"{"run":{"date":"2000-01-01","cpu":"c","caches":[1,2]},"a":{"quick":true,"rows":[1]},"b":{"quick":false,"rows":[2,3]}}"#;
        let new = r#"{"run":{"date":"2000-01-02","cpu":"c"},"a":{"quick":false,"rows":[4]}}"#;
        for (name, text) in [("2000-01-01-c.json", old), ("2000-01-02-c.json", new), ("chart.svg", "<svg/>")] {
            fs::write(folder.join(name), text).expect("written");
        }
        let rows = |section: &str| {
            let found: Option<Section<u64>> = latest(&root, section).expect("readable");
            found.map(|found| (found.date, found.quick, found.rows))
        };
        assert_eq!(rows("a"), Some(("2000-01-02".to_owned(), false, vec![4])));
        assert_eq!(rows("b"), Some(("2000-01-01".to_owned(), false, vec![2, 3])));
        assert_eq!(rows("c"), None);
        let other = r#"{"run":{"date":"2000-01-02","cpu":"b"},"a":{"quick":false,"when":5,"rows":[6]}}"#;
        fs::write(folder.join("2000-01-02-b.json"), other).expect("written");
        let each: Vec<Section<u64>> = of_each_cpu(&root, "a").expect("readable");
        let each: Vec<_> = each.into_iter().map(|found| (found.cpu, found.rows)).collect();
        assert_eq!(each, [("b".to_owned(), vec![6]), ("c".to_owned(), vec![4])]);
        assert!(latest::<String>(&root, "a").is_err());
        fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn names_become_parts_of_file_names() {
        for (name, want) in [("AMD EPYC 9B14", "amd-epyc-9b14"), ("Intel(R) Xeon(R) @ 2.0GHz", "intel-r-xeon-r-2-0ghz")]
        {
            assert_eq!(slug(name), want);
        }
    }
}
