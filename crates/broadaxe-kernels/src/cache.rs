//! The sizes of this machine's caches.

use std::{fs, path::Path};

use once_cell::race::OnceBox;

/// What is assumed where the system does not say: a large last-level cache, so that nothing is sent past it in vain.
const ASSUMED: Caches = Caches { second: 1 << 20, last: 32 << 20 };

/// Bytes of a core's second-level cache and of the last-level one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caches {
    pub(crate) second: usize,
    pub(crate) last: usize,
}

impl Caches {
    /// Returns the caches of this machine; asked once, or by each of several threads that come first: a child process that is forked
    /// meanwhile must not wait for a thread that it has not.
    pub(crate) fn here() -> Self {
        static HERE: OnceBox<Caches> = OnceBox::new();
        let listed = || Self::listed(Path::new("/sys/devices/system/cpu/cpu0/cache"));
        *HERE.get_or_init(|| Box::new(listed().unwrap_or(ASSUMED)))
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
    fn a_missing_list_is_no_answer() {
        assert_eq!(Caches::listed(Path::new("/nowhere")), None);
        assert!(Caches::here().last >= Caches::here().second);
    }
}
