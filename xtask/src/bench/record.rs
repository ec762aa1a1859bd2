//! Records: a run's figures with the CPU and the day, as JSON, and the chart of the latest.

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use super::{chart, figure::Figures};

/// Writes `bench/record/DATE-CPU.json`, `latest.svg`, and a chart for each other thread count.
pub(super) fn write(root: &Path, figures: &[Figures], quick: bool) -> Result<(), String> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    let (date, cpu) = (date(seconds / 86_400), cpu());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let folder = root.join("bench/record");
    let head = json!({
        "date": date,
        "cpu": cpu,
        "cores": cores,
        "system": std::env::consts::OS,
        "quick": quick,
    });
    let mut texts = vec![(format!("{date}-{}.json", slug(&cpu)), lines(&head, figures))];
    let mut counts: Vec<usize> = figures.iter().map(|figures| figures.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    for (at, threads) in counts.into_iter().enumerate() {
        let rows: Vec<Figures> = figures.iter().filter(|figures| figures.threads == threads).cloned().collect();
        let name = if at == 0 { "latest.svg".to_owned() } else { format!("latest-{threads}-threads.svg") };
        let thread = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        let title = format!("Time as a multiple of the machine's limit, {thread}, {cpu}, {date}");
        texts.push((name, chart::draw(&rows, "out", &title)));
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in texts {
        let path = folder.join(&name);
        fs::write(&path, text.trim_end().to_owned() + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
        println!("bench/record/{name}");
    }
    Ok(())
}

/// Returns a record as JSON with a line for the run and one for each workload, so that two records can be compared by line.
fn lines(head: &Value, figures: &[Figures]) -> String {
    let figures: Vec<String> = figures.iter().map(|figures| figures.record().to_string()).collect();
    format!("{{\"run\":{head},\n\"figures\":[\n{}\n]}}", figures.join(",\n"))
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

/// Returns what the CPU calls itself, where the system tells.
fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    named.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
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
    fn records_are_json() {
        let none = |name: &str| Figures {
            workload: name.to_owned(),
            threads: 1,
            known: 1e-6,
            series: Vec::new(),
            skipped: Vec::new(),
        };
        for count in [0, 1, 3] {
            let figures: Vec<Figures> = ["a", "b", "c"].into_iter().take(count).map(none).collect();
            let text = lines(&json!({ "date": "2000-01-01" }), &figures);
            let read: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(read["run"]["date"], "2000-01-01", "{text}");
            assert_eq!(read["figures"].as_array().map(Vec::len), Some(count), "{text}");
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
