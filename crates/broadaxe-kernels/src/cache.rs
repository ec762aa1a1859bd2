//! Finds the sizes of this machine's caches.
//!
//! The sizes decide which results are written with streaming stores, what is prefetched and which operands are copied
//! first. They change how long a program runs, but no bit of its result.

use std::{fs, path::Path};

use once_cell::race::OnceBox;

use crate::measured::{CACHE_SHARE_BYTES, MAX_OWN_CACHE_BYTES};

/// The sizes assumed where the system reports none: a last-level cache so large that streaming stores are rarely used.
const ASSUMED: Caches = Caches { second: 1 << 20, last: 32 << 20 };

/// The largest size, in bytes, that is accepted for a cache.
const LARGEST: usize = 1 << 30;

/// Bytes of a core's second-level cache and of the last-level one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caches {
    pub(crate) second: usize,
    pub(crate) last: usize,
}

impl Caches {
    /// Returns the caches that the environment variable `BROADAXE_CACHES` names, or else those of this machine.
    ///
    /// The answer is computed once, or once by each of several threads that start at the same time: a forked child must
    /// not wait for a thread that exists only in its parent.
    ///
    /// # Errors
    /// Says which values are accepted, if the variable does not name two sizes.
    pub(crate) fn current() -> Result<Self, &'static str> {
        static CURRENT: OnceBox<Result<Caches, String>> = OnceBox::new();
        let listed = || Self::listed(Path::new("/sys/devices/system/cpu/cpu0/cache")).unwrap_or(ASSUMED);
        let asked = || match std::env::var("BROADAXE_CACHES") {
            Ok(text) if !text.is_empty() => Self::named(&text),
            _ => Ok(listed()),
        };
        CURRENT.get_or_init(|| Box::new(asked())).as_ref().copied().map_err(String::as_str)
    }

    /// Returns the same, or the assumed sizes if the variable does not name two sizes.
    pub(crate) fn here() -> Self {
        Self::current().unwrap_or(ASSUMED)
    }

    /// Reads two sizes such as `512K,8M`.
    fn named(text: &str) -> Result<Self, String> {
        let sizes = text.split_once(',').and_then(|(second, last)| Some((bytes(second.trim())?, bytes(last.trim())?)));
        let fit = |&(second, last): &(usize, usize)| (1..=last).contains(&second) && last <= LARGEST;
        sizes.filter(fit).map(|(second, last)| Self { second, last }).ok_or_else(|| {
            format!(
                "BROADAXE_CACHES is '{text}'; it must be the sizes of the second-level and of the last-level cache, such as 512K,8M"
            )
        })
    }

    /// Reads the list of caches that Linux publishes.
    fn listed(folder: &Path) -> Option<Self> {
        let mut caches = Vec::new();
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let read = |name: &str| fs::read_to_string(entry.path().join(name)).ok();
            let (Some(level), Some(kind), Some(size)) = (read("level"), read("type"), read("size")) else { continue };
            if kind.trim() != "Instruction" {
                let sharing = read("shared_cpu_list").and_then(|list| cpus(list.trim()));
                caches.push((level.trim().parse::<u32>().ok()?, bytes(size.trim())?, sharing));
            }
        }
        let second = caches.iter().find(|(level, ..)| *level == 2)?.1;
        let &(_, last, sharing) = caches.iter().max_by_key(|(level, ..)| *level)?;
        Some(Self { second, last: sharing.map_or(last, |cpus| counted_on(last, cpus).max(second)) })
    }
}

/// Returns how much of a last-level cache to count on if `cpus` CPUs share it.
fn counted_on(last: usize, cpus: usize) -> usize {
    if last > cpus.saturating_mul(MAX_OWN_CACHE_BYTES) { cpus * CACHE_SHARE_BYTES } else { last }
}

/// Counts the CPUs of a list such as `0-3,8`.
fn cpus(list: &str) -> Option<usize> {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)
    };
    list.split(',').try_fold(0_usize, |sum, range| sum.checked_add(count(range)?))
}

/// Reads a size such as `1024K`.
fn bytes(text: &str) -> Option<usize> {
    let (number, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(number) => (number, text.chars().last()?),
        None => (text, 'B'),
    };
    let factor = match unit {
        'K' => 1 << 10,
        'M' => 1 << 20,
        'G' => 1 << 30,
        _ => 1,
    };
    number.parse::<usize>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let cases = [("32K", Some(32 << 10)), ("1M", Some(1 << 20)), ("512", Some(512)), ("", None), ("K", None)];
        for (text, want) in cases {
            assert_eq!(bytes(text), want, "{text}");
        }
    }

    #[test]
    fn lists_of_cpus_are_counted() {
        let cases = [
            ("0", Some(1)),
            ("0-1", Some(2)),
            ("0-3,64-67", Some(8)),
            ("1,3,5-6", Some(4)),
            ("", None),
            ("3-1", None),
            ("0-", None),
            ("a", None),
            ("0-18446744073709551615", None),
        ];
        for (text, want) in cases {
            assert_eq!(cpus(text), want, "{text}");
        }
    }

    #[test]
    fn a_cache_too_large_for_its_cpus_is_shared_with_others() {
        for (mebibytes, cpus, want) in [
            (32, 2, 32),
            (33, 2, 16),
            (260, 2, 16),
            (260, 128, 260),
            (96, 8, 96),
            (32, 1, 8),
            (8, 4, 8),
            (1, usize::MAX, 1),
        ] {
            assert_eq!(counted_on(mebibytes << 20, cpus), want << 20, "{mebibytes} {cpus}");
        }
    }

    /// Files as Linux writes them: data, instruction and unified caches, and malformed entries.
    #[test]
    fn the_list_of_a_machine_is_read() {
        let folder = std::env::temp_dir().join(format!("broadaxe-caches-{}", std::process::id()));
        let listed = |last: &str, cpus: &str| {
            let files = [("1", "Data", "48K", "0"), ("1", "Instruction", "999M", "0"), ("2", "Unified", "2048K", "0")];
            for (at, (level, kind, size, cpus)) in files.into_iter().chain([("3", "Unified", last, cpus)]).enumerate() {
                let index = folder.join(format!("index{at}"));
                fs::create_dir_all(&index).expect("a folder for files that do not last");
                for (name, text) in [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", cpus)] {
                    fs::write(index.join(name), format!("{text}\n")).expect("its files");
                }
            }
            fs::create_dir_all(folder.join("power")).expect("a folder that is no cache");
            Caches::listed(&folder).map(|Caches { second, last }| (second >> 20, last >> 20))
        };
        let cases = [
            ("266240K", "0-1", Some((2, 16))),
            ("32768K", "0-1", Some((2, 32))),
            ("266240K", "0-127", Some((2, 260))),
            ("266240K", "some", Some((2, 260))),
            ("much", "0-1", None),
        ];
        for (last, cpus, want) in cases {
            assert_eq!(listed(last, cpus), want, "{last} {cpus}");
        }
        fs::remove_dir_all(&folder).expect("its files were there");
    }

    #[test]
    fn two_sizes_are_caches() {
        let both = |second, last| Some(Caches { second, last });
        let cases = [
            ("512K,8M", both(512 << 10, 8 << 20)),
            ("1, 1", both(1, 1)),
            ("1G,1G", both(1 << 30, 1 << 30)),
            ("8M,512K", None),
            ("0,1M", None),
            ("1M", None),
            ("1M,2M,3M", None),
            ("1M,2G", None),
            ("1M,-1", None),
            ("1M,99999999999999999999G", None),
        ];
        for (text, want) in cases {
            let got = Caches::named(text);
            assert_eq!(got.as_ref().ok(), want.as_ref(), "{text}");
            assert!(got.err().is_none_or(|why| why.contains(text) && why.contains("512K,8M")), "{text}");
        }
    }

    #[test]
    fn a_missing_list_is_no_answer() {
        assert_eq!(Caches::listed(Path::new("/nowhere")), None);
        assert!(Caches::here().last >= Caches::here().second);
    }
}
