//! The sizes of this machine's caches.
//!
//! They decide what is written past the caches, what is fetched ahead and what is brought over loops first, so they may change how
//! long a program takes, and no bit of what it gives.

use std::{fs, path::Path};

use once_cell::race::OnceBox;

/// What is assumed where the system does not say: a large last-level cache, so that nothing is sent past it in vain.
const ASSUMED: Caches = Caches { second: 1 << 20, last: 32 << 20 };

/// The most bytes that are taken for the size of a cache.
const LARGEST: usize = 1 << 30;

/// Bytes of a core's second-level cache and of the last-level one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caches {
    pub(crate) second: usize,
    pub(crate) last: usize,
}

impl Caches {
    /// Returns the caches that the environment variable `BROADAXE_CACHES` names, or else those of this machine; asked once, or by each of
    /// several threads that come first: a child process that is forked meanwhile must not wait for a thread that it has not.
    ///
    /// # Errors
    /// What would have worked, when the variable names no sizes.
    pub(crate) fn current() -> Result<Self, &'static str> {
        static CURRENT: OnceBox<Result<Caches, String>> = OnceBox::new();
        let listed = || Self::listed(Path::new("/sys/devices/system/cpu/cpu0/cache")).unwrap_or(ASSUMED);
        let asked = || match std::env::var("BROADAXE_CACHES") {
            Ok(text) if !text.is_empty() => Self::named(&text),
            _ => Ok(listed()),
        };
        CURRENT.get_or_init(|| Box::new(asked())).as_ref().copied().map_err(String::as_str)
    }

    /// Returns the same, or what is assumed where the variable names no sizes.
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

    /// Reads the list that Linux keeps.
    fn listed(folder: &Path) -> Option<Self> {
        let mut sizes = Vec::new();
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let read = |name: &str| fs::read_to_string(entry.path().join(name)).ok();
            let (Some(level), Some(kind), Some(size)) = (read("level"), read("type"), read("size")) else { continue };
            if kind.trim() != "Instruction" {
                sizes.push((level.trim().parse::<u32>().ok()?, bytes(size.trim())?));
            }
        }
        let second = sizes.iter().find(|(level, _)| *level == 2)?.1;
        let last = sizes.iter().max_by_key(|(level, _)| *level)?.1;
        Some(Self { second, last })
    }
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
