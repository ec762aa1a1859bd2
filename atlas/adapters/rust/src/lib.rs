//! Says which version of an engine a program has. The protocol is that of the crate `broadaxe-atlas`.

#![forbid(unsafe_code)]

/// Returns the version of `package` that the lock file has and that starts with `prefix`.
pub fn version(package: &str, prefix: &str) -> &'static str {
    let start = format!("name = \"{package}\"\nversion = \"");
    let mut versions = include_str!("../Cargo.lock").split(&start).skip(1).filter_map(|rest| rest.split('"').next());
    versions.find(|version| version.starts_with(prefix)).expect("the lock file has the engine")
}
