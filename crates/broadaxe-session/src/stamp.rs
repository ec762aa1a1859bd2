//! Tells whether a file is the one that was there before.

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

/// What the system says of a file; it changes when the file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Its size in bytes.
    pub len: u64,
    /// Nanoseconds since 1970, as are those below.
    pub modified: i64,
    /// When anything about the file changed, which programs cannot set back; where the system does not say that, the time above.
    pub changed: i64,
    number: u64,
}

impl Stamp {
    /// Looks at a file; nothing where it is missing or is no regular file.
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix says more"))]
    pub fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let modified = nanos(about.modified().ok()?);
        let mut stamp = Self { len: about.len(), modified, changed: modified, number: 0 };
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;

            stamp.changed = about.ctime().saturating_mul(1_000_000_000).saturating_add(about.ctime_nsec());
            stamp.number = about.ino();
        }
        Some(stamp)
    }
}

/// Counts the nanoseconds since 1970.
pub fn nanos(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(error) => i64::try_from(error.duration().as_nanos()).map_or(i64::MIN, |before| -before),
    }
}
