//! Builds everything that a release has into `target/dist`: archives of the command, wheels, the source package, an SBOM
//! and checksums.
//!
//! Each target is built as [`crate::cross`] does, with the profile `release`. Two runs on the same commit with the same tools
//! write the same bytes: times are that of the commit, and paths of this machine are replaced. `packaging/pack.py`
//! writes the archives.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::cross::{self, BuildOptions};

pub(crate) const DIST_USAGE: &str = "[--target T]... [--no-wheels | --no-archives]";

/// The profile of what is shipped.
const PROFILE: &str = "release";

/// Holds one platform: the targets whose commands are archived, and how its wheels are called.
struct Platform {
    targets: &'static [&'static str],
    /// The target of the wheel, if it is not the first one.
    wheel: Option<&'static str>,
    compatibility: Option<&'static str>,
}

const fn linux(targets: &'static [&'static str], compatibility: &'static str) -> Platform {
    Platform { targets, wheel: None, compatibility: Some(compatibility) }
}

static PLATFORMS: &[Platform] = &[
    linux(&["x86_64-unknown-linux-gnu"], "manylinux2014"),
    linux(&["x86_64-unknown-linux-musl"], "musllinux_1_2"),
    linux(&["aarch64-unknown-linux-gnu"], "manylinux2014"),
    linux(&["aarch64-unknown-linux-musl"], "musllinux_1_2"),
    Platform {
        targets: &["x86_64-apple-darwin", "aarch64-apple-darwin"],
        wheel: Some("universal2-apple-darwin"),
        compatibility: None,
    },
    Platform { targets: &["x86_64-pc-windows-gnu"], wheel: None, compatibility: None },
];

/// Holds what was asked for.
#[derive(Debug, Default, PartialEq)]
struct DistArgs {
    targets: Vec<String>,
    no_wheels: bool,
    no_archives: bool,
}

impl DistArgs {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut args = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--target" => args.targets.push(words.next().ok_or("--target needs a value")?.clone()),
                "--no-wheels" => args.no_wheels = true,
                "--no-archives" => args.no_archives = true,
                other => return Err(format!("unknown argument {other}; usage: dist {DIST_USAGE}")),
            }
        }
        if let Some(unknown) = args.targets.iter().find(|name| !PLATFORMS.iter().any(|one| one.has(name))) {
            let all: Vec<_> = PLATFORMS.iter().flat_map(|platform| platform.targets).copied().collect();
            return Err(format!("unknown target '{unknown}'; a release has {}", all.join(", ")));
        }
        Ok(args)
    }

    /// Checks before hours of building that one of the commands runs here and can print the pages of the archives.
    fn check(&self) -> Result<(), String> {
        let runs = |target: &&&str| target.starts_with(env::consts::ARCH) && target.contains(system());
        let mut targets = PLATFORMS.iter().flat_map(|platform| platform.targets);
        if self.no_archives || targets.any(|target| self.wants(target) && runs(&target)) {
            return Ok(());
        }
        let own: Vec<_> = PLATFORMS.iter().flat_map(|platform| platform.targets).filter(runs).copied().collect();
        Err(format!(
            "no command of these targets runs here, and the archives have pages that it prints; add --target {}, or --no-archives",
            own.first().copied().unwrap_or("of this machine")
        ))
    }

    fn wants(&self, target: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|name| name == target)
    }
}

/// Returns the system of this machine as targets name it.
fn system() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { env::consts::OS }
}

impl Platform {
    fn has(&self, name: &str) -> bool {
        self.targets.contains(&name)
    }
}

/// What all builds share: where, and the variables that make them reproducible.
struct Bench<'a> {
    root: &'a Path,
    /// The folder that the release is written to before it gets its name.
    out: PathBuf,
    epoch: String,
    commit: String,
}

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let args = DistArgs::read(words)?;
    args.check()?;
    let out = root.join("target/dist.partial");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let epoch = match env::var("SOURCE_DATE_EPOCH") {
        Ok(epoch) => epoch,
        Err(_) => git(root, &["log", "-1", "--format=%ct"])?,
    };
    let bench = Bench { root, out, epoch, commit: git(root, &["rev-parse", "HEAD"])? };
    let mut built = Vec::new();
    for platform in PLATFORMS {
        let wanted = platform.targets.iter().filter(|target| args.wants(target));
        for target in wanted.filter(|_| !args.no_archives) {
            built.push(format!("{target}={}", bench.command_of(target)?.display()));
        }
        if !args.no_wheels && platform.targets.iter().any(|target| args.wants(target)) {
            for free in [false, true] {
                bench.wheel(platform, free)?;
            }
        }
    }
    if !args.no_wheels {
        bench.maturin(&["sdist"], None)?;
    }
    let mut pack = Command::new("python3");
    pack.arg("packaging/pack.py").args(["--epoch", &bench.epoch, "--dist"]).arg(&bench.out).args(&built);
    succeed(pack.current_dir(root))?;
    let dist = root.join("target/dist");
    let _ = fs::remove_dir_all(&dist);
    fs::rename(&bench.out, &dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    println!("{}", dist.display());
    Ok(())
}

impl Bench<'_> {
    /// What every build is told: no path of this machine is in what it writes, and its time is that of the commit.
    fn build(&self) -> BuildOptions {
        let home = env::var_os("CARGO_HOME").map_or_else(|| home().join(".cargo"), PathBuf::from);
        let flags = format!(
            "--remap-path-prefix={}=/broadaxe --remap-path-prefix={}=/cargo",
            self.root.display(),
            home.display()
        );
        BuildOptions { profile: Some(PROFILE), flags, oldest_glibc: Some("2.17"), ..BuildOptions::default() }
    }

    fn stamp(&self, command: &mut Command) {
        command.env("SOURCE_DATE_EPOCH", &self.epoch).env("BROADAXE_COMMIT", &self.commit);
        command.env("CARGO_INCREMENTAL", "0");
    }

    /// Builds the command for a target and returns its file.
    fn command_of(&self, target: &str) -> Result<PathBuf, String> {
        let target = cross::find(target)?;
        let mut command = target.build(self.root, &self.build(), &["broadaxe-cli"])?;
        self.stamp(&mut command);
        succeed(&mut command)?;
        let name = if target.triple.contains("windows") { "broadaxe.exe" } else { "broadaxe" };
        Ok(self.root.join("target/cross").join(target.triple).join(PROFILE).join(name))
    }

    /// Builds the wheel of a platform: for every Python from 3.10 on, or for 3.14 without a global lock.
    fn wheel(&self, platform: &Platform, free: bool) -> Result<(), String> {
        let triple = platform.wheel.unwrap_or(platform.targets[0]);
        let mut words = vec!["build", "--target", triple, "--profile", PROFILE];
        // The tool that strips libraries for macOS is not among what Debian's compiler brings.
        if !triple.contains("apple") {
            words.push("--strip");
        }
        words.extend(platform.compatibility.iter().flat_map(|name| ["--compatibility", name]));
        if free {
            words.extend(["--no-default-features", "--interpreter", "python3.14t"]);
        }
        self.maturin(&words, Some(platform.targets))
    }

    /// Runs maturin; `targets` are those that it builds for.
    fn maturin(&self, words: &[&str], targets: Option<&[&str]>) -> Result<(), String> {
        let mut command = Command::new("maturin");
        command.args(words).arg("--out").arg(&self.out).current_dir(self.root.join("crates/broadaxe-python"));
        self.stamp(&mut command);
        for (k, target) in targets.into_iter().flatten().enumerate() {
            cross::find(target)?.prepare(self.root, &self.build(), &mut command, k == 0)?;
        }
        succeed(&mut command)
    }
}

fn home() -> PathBuf {
    env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

fn git(root: &Path, words: &[&str]) -> Result<String, String> {
    let output = Command::new("git").args(words).current_dir(root).output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        return Err("a release is built from a clone with git; or set SOURCE_DATE_EPOCH".to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("{name} is missing; run: pip install maturin cargo-zigbuild"),
        _ => format!("{name} cannot be run: {error}"),
    })?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed; the lines above say why")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_can_be_built() {
        for target in PLATFORMS.iter().flat_map(|platform| platform.targets) {
            assert!(cross::find(target).is_ok(), "{target}");
        }
    }

    #[test]
    fn arguments_are_read() {
        let read = |words: &[&str]| DistArgs::read(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        let args = read(&["--target", "x86_64-apple-darwin", "--no-wheels"]).unwrap();
        assert!(args.wants("x86_64-apple-darwin") && !args.wants("aarch64-apple-darwin") && args.no_wheels);
        assert!(read(&[]).unwrap().wants("aarch64-apple-darwin"));
        assert!(read(&["--target", "s390x-unknown-linux-gnu"]).is_err_and(|why| why.contains("x86_64-pc-windows-gnu")));
        assert!(read(&["--wheels"]).is_err());
    }

    #[test]
    fn archives_need_a_command_that_runs_here() {
        let check = |words: &[&str]| {
            DistArgs::read(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()).and_then(|args| args.check())
        };
        let own = |target: &&&str| target.starts_with(env::consts::ARCH) && target.contains(system());
        let (here, elsewhere): (Vec<_>, Vec<_>) = PLATFORMS.iter().flat_map(|one| one.targets).partition(own);
        for target in elsewhere {
            assert!(check(&["--target", target]).is_err_and(|why| why.contains("--no-archives")), "{target}");
            assert_eq!(check(&["--target", target, "--no-archives"]), Ok(()));
        }
        for target in here {
            assert_eq!(check(&["--target", target, "--target", "x86_64-pc-windows-gnu"]), Ok(()), "{target}");
        }
    }
}
