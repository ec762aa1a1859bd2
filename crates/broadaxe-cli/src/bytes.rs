//! Reads and writes numbers of bytes, and finds the memory of the machine.

use std::fs;

pub use broadaxe_draw::words::bytes as show;

use crate::error::Error;

/// Reads a number of bytes: `1048576`, `2GiB`, `1.5G`, `500MB`.
///
/// # Errors
/// When the text is none.
pub fn parse(text: &str) -> Result<u64, Error> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let base: u64 = if unit.len() == 2 && unit.ends_with('b') { 1000 } else { 1024 };
    let power = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => Some(0),
        "k" => Some(1),
        "m" => Some(2),
        "g" => Some(3),
        "t" => Some(4),
        _ => None,
    };
    let scale = power.map(|power| base.pow(power));
    let wrong = || Error::usage(format!("'{text}' is not a number of bytes; write 500MB, 2GiB or 1048576"));
    match (number.parse::<u64>(), number.parse::<f64>(), scale) {
        (Ok(whole), _, Some(scale)) => whole.checked_mul(scale).ok_or_else(wrong),
        (_, Ok(number), Some(scale)) if scale > 1 && number * (scale as f64) < u64::MAX as f64 => {
            Ok((number * scale as f64) as u64)
        }
        _ => Err(wrong()),
    }
}

/// Returns three quarters of the machine's memory, or of what the container may use; no limit where the system does
/// not say.
pub fn default_limit() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    });
    let container =
        fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<u64>().ok());
    match machine {
        Some(machine) => machine.saturating_mul(1024).min(container.unwrap_or(u64::MAX)) / 4 * 3,
        None => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn read() {
        let cases = [
            ("0", Some(0)),
            ("1048576", Some(1 << 20)),
            ("2GiB", Some(2 << 30)),
            ("2 gib", Some(2 << 30)),
            ("2G", Some(2 << 30)),
            ("500MB", Some(500_000_000)),
            ("1.5k", Some(1536)),
            ("12b", Some(12)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("16777216T", None),
            ("99999999999.5T", None),
            ("1.5", None),
            ("", None),
            ("G", None),
            ("-1", None),
            ("1x", None),
            ("nan", None),
        ];
        for (text, want) in cases {
            assert_eq!(parse(text).ok(), want, "{text}");
        }
    }
}
