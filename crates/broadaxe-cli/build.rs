//! Tells the command which target and which commit it is built for, for `broadaxe --version --verbose`.
//!
//! The commit is `BROADAXE_COMMIT`, or what `cargo package` wrote down, or in release builds what git says. Its day is `SOURCE_DATE_EPOCH`, or
//! what git says. The clock is not read, so that the same source gives the same program. Debug builds do not ask git, so that
//! a commit does not compile the command again.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    for line in instructions(&folder, &|name| env::var(name).ok()) {
        println!("cargo::{line}");
    }
}

/// Lists the instructions for cargo, given the folder of the crate and the environment.
pub(crate) fn instructions(folder: &Path, setting: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut lines = vec!["rerun-if-changed=build.rs".to_owned()];
    lines.extend(["BROADAXE_COMMIT", "SOURCE_DATE_EPOCH"].map(|name| format!("rerun-if-env-changed={name}")));
    lines.push(format!("rustc-env=BROADAXE_TARGET={}", setting("TARGET").unwrap_or_default()));
    let release = setting("PROFILE").is_some_and(|profile| profile == "release");
    let repository = folder.join("../..");
    // A package may be unpacked inside a repository of something else.
    let ours = release && repository.join(".git").exists() && repository.join("crates/broadaxe-cli/build.rs").exists();
    let git = |words: &[&str]| if ours { ask_git(&repository, words) } else { None };
    // The script runs again when another commit is checked out.
    let heads = ["HEAD", "logs/HEAD"].map(|name| git(&["rev-parse", "--git-path", name]));
    let heads = heads.into_iter().flatten().map(|path| repository.join(path)).filter(|path| path.exists());
    lines.extend(heads.map(|path| format!("rerun-if-changed={}", path.display())));
    let given = setting("BROADAXE_COMMIT").or_else(|| packaged(folder)).or_else(|| git(&["rev-parse", "HEAD"]));
    let Some(commit) = given.filter(|text| is_hash(text)) else { return lines };
    lines.push(format!("rustc-env=BROADAXE_BUILT_FROM={commit}"));
    let epoch = setting("SOURCE_DATE_EPOCH").and_then(|text| text.parse().ok());
    let seconds = epoch.or_else(|| git(&["show", "--no-patch", "--format=%ct", &commit])?.parse().ok());
    lines.extend(seconds.map(|seconds| format!("rustc-env=BROADAXE_BUILT_FROM_DATE={}", day(seconds))));
    lines
}

/// Runs git, and returns what it prints; nothing without git.
fn ask_git(folder: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Reads the commit that `cargo package` wrote into the package.
fn packaged(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(".cargo_vcs_info.json")).ok()?;
    let hash = text.split_once("\"sha1\"")?.1.split('"').nth(1)?;
    Some(hash.to_owned())
}

/// Says whether a text can be the hash of a commit; anything else could be an instruction of its own.
fn is_hash(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Writes the day of a number of seconds since 1970, in UTC, by the algorithm `civil_from_days` of Howard Hinnant.
pub(crate) fn day(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
