//! Limits for the duration of a test, which are longer under an emulator.

use std::{env, time::Duration};

/// Says whether tests run under an emulator, where every program starts and nothing is quick.
pub fn is_emulated() -> bool {
    env::var_os("BROADAXE_SLOWDOWN").is_some()
}

/// Returns a limit in seconds, times `BROADAXE_SLOWDOWN` where it is set; `cargo xtask cross` sets it for emulators.
///
/// # Panics
/// When the variable is not a number above 0.
pub fn seconds(seconds: u64) -> Duration {
    let factor = env::var("BROADAXE_SLOWDOWN").map_or(1, |text| text.parse().expect("BROADAXE_SLOWDOWN is a number"));
    assert!(factor > 0, "BROADAXE_SLOWDOWN is 0; give a number above 0");
    Duration::from_secs(seconds * factor)
}
