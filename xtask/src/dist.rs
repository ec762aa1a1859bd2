//! Builds everything that a release has into `target/dist`: archives of the command, wheels, the source package, an SBOM
//! and checksums.
//!
//! Each target is built as [`crate::cross`] does, with the profile `release`. Two runs on the same commit with the same tools
//! write the same bytes: times are that of the commit, and paths of this machine are replaced. `packaging/pack.py`
//! writes the archives.
//!
//! Most of the time of a platform goes into one crate, the kernels, which leaves all cores but one idle, so two platforms are
//! built at a time. What their programs print goes into a file for each platform.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use crate::cross::{self, BuildOptions};

pub(crate) const DIST_USAGE: &str = "[--target T]... [--no-wheels | --no-archives]";

/// How many platforms are built at a time.
const JOBS: usize = 2;

/// The last lines of a failed program that are shown.
const SHOWN: usize = 40;

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
    /// Returns the name of its build folder and of its log.
    fn name(&self) -> &'static str {
        self.wheel.unwrap_or(self.targets[0])
    }

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
    for folder in [&out, &out.with_extension("logs")] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let epoch = match env::var("SOURCE_DATE_EPOCH") {
        Ok(epoch) => epoch,
        Err(_) => git(root, &["log", "-1", "--format=%ct"])?,
    };
    let bench = Bench { root, out, epoch, commit: git(root, &["rev-parse", "HEAD"])? };
    let built = bench.platforms(&args)?;
    if !args.no_wheels {
        bench.step("source package", "sdist", &mut bench.maturin(&["sdist"], None)?)?;
    }
    let mut pack = Command::new("python3");
    pack.arg("packaging/pack.py").args(["--epoch", &bench.epoch, "--dist"]).arg(&bench.out).args(&built);
    bench.step("archives", "pack", pack.current_dir(root))?;
    let dist = root.join("target/dist");
    let _ = fs::remove_dir_all(&dist);
    fs::rename(&bench.out, &dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    println!("{}", dist.display());
    Ok(())
}

impl Bench<'_> {
    /// Builds what was asked for of each platform. Returns the targets with their commands, `T=PATH`, in the order of
    /// [`PLATFORMS`].
    fn platforms(&self, args: &DistArgs) -> Result<Vec<String>, String> {
        let next = AtomicUsize::new(0);
        let all: Vec<_> = PLATFORMS.iter().map(|_| Mutex::new(Ok(Vec::new()))).collect();
        let work = || {
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                let Some(platform) = PLATFORMS.get(k) else { return };
                let built = self.platform(platform, args);
                if built.is_err() {
                    next.store(PLATFORMS.len(), Ordering::Relaxed);
                }
                *all[k].lock().unwrap_or_else(PoisonError::into_inner) = built;
            }
        };
        thread::scope(|scope| {
            for _ in 0..JOBS {
                scope.spawn(work);
            }
        });
        let each = all.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
        each.collect::<Result<Vec<_>, _>>().map(|built| built.concat())
    }

    /// Builds what was asked for of one platform.
    fn platform(&self, platform: &Platform, args: &DistArgs) -> Result<Vec<String>, String> {
        let mut built = Vec::new();
        for triple in platform.targets.iter().filter(|target| args.wants(target) && !args.no_archives) {
            let build = self.build(platform);
            let target = cross::find(triple)?;
            // With the Python package named too, crates have the features that the wheels need, and are built once.
            let mut command = target.build(self.root, &build, &["broadaxe-cli", "broadaxe-python"])?;
            command.args(["--bin", "broadaxe"]);
            self.step(&format!("{triple}: command"), platform.name(), &mut command)?;
            let name = if triple.contains("windows") { "broadaxe.exe" } else { "broadaxe" };
            let file = build.folder(self.root).join(triple).join(PROFILE).join(name);
            built.push(format!("{triple}={}", file.display()));
        }
        if !args.no_wheels && platform.targets.iter().any(|target| args.wants(target)) {
            for free in [false, true] {
                self.wheel(platform, free)?;
            }
        }
        Ok(built)
    }

    /// What every build is told: no path of this machine is in what it writes, and its time is that of the commit.
    fn build(&self, platform: &Platform) -> BuildOptions {
        let home = env::var_os("CARGO_HOME").map_or_else(|| home().join(".cargo"), PathBuf::from);
        let folder = platform.name();
        // maturin adds these flags where they are missing, and cargo would compile every crate again for them.
        let of_maturin =
            if folder.contains("apple") { "-C link-arg=-undefined -C link-arg=dynamic_lookup" } else { "" };
        let flags = format!(
            "--remap-path-prefix={}=/broadaxe --remap-path-prefix={}=/cargo {of_maturin}",
            self.root.display(),
            home.display()
        );
        BuildOptions { profile: Some(PROFILE), flags, oldest_glibc: Some("2.17"), folder, ..BuildOptions::default() }
    }

    /// Builds the wheel of a platform: for every Python from 3.10 on, or for 3.14 without a global lock.
    fn wheel(&self, platform: &Platform, free: bool) -> Result<(), String> {
        let triple = platform.name();
        let mut words = vec!["build", "--target", triple, "--profile", PROFILE];
        // The tool that strips libraries for macOS is not among what Debian's compiler brings.
        if !triple.contains("apple") {
            words.push("--strip");
        }
        words.extend(platform.compatibility.iter().flat_map(|name| ["--compatibility", name]));
        if free {
            words.extend(["--no-default-features", "--interpreter", "python3.14t"]);
        }
        let what = format!("{triple}: wheel for Python {}", if free { "3.14t" } else { "3.10 and newer" });
        let mut command = self.maturin(&words, Some(platform))?;
        if triple.contains("apple") {
            // Cargo asks to strip the standard library's debug information, whatever the profile says.
            command.args(["--", "-C", "strip=none"]);
        }
        self.step(&what, platform.name(), &mut command)
    }

    /// Prepares a call of maturin for a platform.
    fn maturin(&self, words: &[&str], platform: Option<&Platform>) -> Result<Command, String> {
        let mut command = Command::new("maturin");
        command.args(words).arg("--out").arg(&self.out).current_dir(self.root.join("crates/broadaxe-python"));
        if let Some(platform) = platform {
            for (k, target) in platform.targets.iter().enumerate() {
                cross::find(target)?.prepare(self.root, &self.build(platform), &mut command, k == 0)?;
            }
        }
        Ok(command)
    }

    /// Runs one step, whose output is appended to the file `log`, and says how long it took.
    fn step(&self, what: &str, log: &str, command: &mut Command) -> Result<(), String> {
        command.env("SOURCE_DATE_EPOCH", &self.epoch).env("BROADAXE_COMMIT", &self.commit);
        command.env("CARGO_INCREMENTAL", "0");
        let log = self.out.with_extension("logs").join(format!("{log}.log"));
        let failed = |error: std::io::Error| format!("{}: {error}", log.display());
        let file = File::options().create(true).append(true).open(&log).map_err(failed)?;
        let start = Instant::now();
        let name = command.get_program().to_string_lossy().into_owned();
        let status = command.stdout(file.try_clone().map_err(failed)?).stderr(file).status();
        let status = status.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("{name} is missing; run: pip install maturin cargo-zigbuild"),
            _ => format!("{name} cannot be run: {error}"),
        })?;
        if status.success() {
            println!("{what}: {:.0} s", start.elapsed().as_secs_f64());
            return Ok(());
        }
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        let last = lines[lines.len().saturating_sub(SHOWN)..].join("\n");
        Err(format!("{last}\n{what}: {name} failed; the lines above say why, and {} has all", log.display()))
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

    /// Runs cargo in the root of the repository without a network, and returns what it prints.
    fn cargo(words: &[&str]) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the root");
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let output = command.args(words).arg("--offline").current_dir(root).output().expect("cargo runs");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("cargo prints UTF-8")
    }

    #[test]
    fn every_published_crate_has_the_licence_texts() {
        let metadata = cargo(&["metadata", "--no-deps", "--format-version=1"]);
        let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("metadata is JSON");
        let packages = metadata["packages"].as_array().expect("there are packages");
        let published: Vec<&str> = packages
            .iter()
            .filter(|package| package["publish"].is_null())
            .filter_map(|package| package["name"].as_str())
            .collect();
        assert!(published.contains(&"broadaxe-shape"), "{published:?}");
        for name in published {
            let list = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
            for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
                assert!(list.lines().any(|line| line == file), "{name} is published without {file}:\n{list}");
            }
        }
    }
}
