//! The build script: what it tells the command, and from where.

#[allow(dead_code, clippy::print_stdout, reason = "only the functions of the script are called")]
#[path = "../build.rs"]
mod script;

use std::{fs, path::PathBuf, process::Command};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes `repository/crates/broadaxe-cli` with a build script, in a folder of this name.
fn repository(name: &str) -> (Folder, PathBuf) {
    let root = std::env::temp_dir().join(format!("broadaxe-build-{}-{name}", std::process::id()));
    let own = root.join("crates/broadaxe-cli");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("build.rs"), "").unwrap();
    (Folder(root), own)
}

/// Returns what the script tells the compiler in this environment.
fn told(own: &std::path::Path, settings: &[(&str, &str)]) -> Vec<String> {
    let setting = |name: &str| settings.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
    let lines = script::instructions(own, &setting).into_iter();
    lines.filter_map(|line| line.strip_prefix("rustc-env=BROADAXE_").map(str::to_owned)).collect()
}

#[test]
fn days() {
    let cases = [
        (0, "1970-01-01"),
        (86_399, "1970-01-01"),
        (-1, "1969-12-31"),
        (951_782_400, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_735_689_599, "2024-12-31"),
        (4_107_542_400, "2100-03-01"),
    ];
    for (seconds, want) in cases {
        assert_eq!(script::day(seconds), want, "{seconds}");
    }
}

#[test]
fn the_commit_is_given_or_packaged_or_unknown() {
    let (_root, own) = repository("given");
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let target = ("TARGET", "x86_64-unknown-linux-gnu");
    let first = "TARGET=x86_64-unknown-linux-gnu".to_owned();
    let alone = std::slice::from_ref(&first);
    let built = format!("BUILT_FROM={hash}");
    let (commit, epoch) = (("BROADAXE_COMMIT", hash), ("SOURCE_DATE_EPOCH", "951782400"));
    let day = "BUILT_FROM_DATE=2000-02-29".to_owned();
    assert_eq!(told(&own, &[target]), alone);
    assert_eq!(told(&own, &[target, epoch]), alone);
    assert_eq!(told(&own, &[target, commit]), [first.clone(), built.clone()]);
    assert_eq!(told(&own, &[target, commit, epoch]), [first.clone(), built.clone(), day]);
    for wrong in ["", "abc", "main", "0123456\nrustc-env=A=B"] {
        assert_eq!(told(&own, &[target, ("BROADAXE_COMMIT", wrong)]), alone, "{wrong:?}");
    }
    let packaged =
        format!("{{\n  \"git\": {{\n    \"sha1\": \"{hash}\"\n  }},\n  \"path_in_vcs\": \"crates/broadaxe-cli\"\n}}");
    fs::write(own.join(".cargo_vcs_info.json"), packaged).unwrap();
    assert_eq!(told(&own, &[target]), [first.clone(), built]);
}

/// Git is asked in release builds, and only about the repository of this crate.
#[test]
fn the_commit_is_that_of_git_in_release_builds() {
    let (root, own) = repository("git");
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=tester", "-c", "user.email=tester@localhost", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.current_dir(&root.0).args(identity).args(words).env("GIT_COMMITTER_DATE", "2001-02-03T04:05:06Z");
        command.output().ok().filter(|output| output.status.success())
    };
    let committed = git(&["init", "--quiet"])
        .and_then(|_| git(&["add", "."]))
        .and_then(|_| git(&["commit", "--quiet", "--no-verify", "--message", "Begin"]))
        .and_then(|_| git(&["rev-parse", "HEAD"]));
    let Some(head) = committed else {
        assert!(std::env::var_os("CI").is_none(), "git is missing");
        return;
    };
    let built = format!("BUILT_FROM={}", String::from_utf8(head.stdout).unwrap().trim());
    let release = ("PROFILE", "release");
    assert_eq!(told(&own, &[release])[1..], [built.clone(), "BUILT_FROM_DATE=2001-02-03".to_owned()]);
    assert_eq!(
        told(&own, &[release, ("SOURCE_DATE_EPOCH", "0")])[1..],
        [built, "BUILT_FROM_DATE=1970-01-01".to_owned()]
    );
    assert!(told(&own, &[("PROFILE", "debug")])[1..].is_empty());
    let heads = script::instructions(&own, &|name| (name == "PROFILE").then(|| "release".to_owned()));
    assert!(heads.iter().any(|line| line.starts_with("rerun-if-changed=") && line.ends_with("HEAD")), "{heads:?}");
    // A package that is unpacked inside a repository of something else.
    let elsewhere = root.0.join("registry/a/broadaxe-cli");
    fs::create_dir_all(&elsewhere).unwrap();
    assert!(told(&elsewhere, &[release])[1..].is_empty());
}
