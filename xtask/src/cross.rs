//! Builds for other machines, and runs the tests there where this machine can emulate them.
//!
//! The standard library of a target is the toolchain's where it is installed. Otherwise it is built from the sources
//! of Debian's compiler (packages `rustc-web` and `rust-web-src`) together with the crates, in a folder of its own.
//! Nothing is installed: whatever is missing is listed with the command that installs it.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

mod targets;

pub(crate) use self::targets::Target;
use self::targets::{Linker, Scope, TARGETS, WINE};
use crate::{
    process::{self, Count, Outcome},
    python, sanitize,
};

pub(crate) const CROSS_USAGE: &str = "--list | --quick | --target T [--test] [--release] [--package P]...";

/// The folder that everything is built in, below that of the sources.
const BUILT: &str = "target/cross";

/// The package that compares golden bits.
const GOLDEN: &str = "broadaxe-testing";

/// Where Linux lists the emulators it starts by itself.
const REGISTERED: &str = "/proc/sys/fs/binfmt_misc";

/// What is run of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Runs {
    /// Tests.
    Tests,
    /// Tests, and programs that they start.
    ProgramsOfTests,
}

/// Where the standard library of a target comes from.
#[derive(Debug)]
enum Std {
    /// The toolchain has it.
    Installed,
    /// This compiler builds it from its sources.
    Built(PathBuf),
}

/// Says how something is built.
#[derive(Debug, Default)]
pub(crate) struct BuildOptions {
    /// The profile, if not that of development.
    pub profile: Option<&'static str>,
    /// Further flags for the compiler.
    pub flags: String,
    /// Whether the standard library is built too, with these flags, where the toolchain has it.
    pub builds_std: bool,
    /// The oldest C library of GNU that programs must run with, if not that of the linker.
    pub oldest_glibc: Option<&'static str>,
    /// A build folder of its own, below that of all targets. Builds in one folder wait for each other.
    pub folder: &'static str,
}

impl BuildOptions {
    /// Returns the folder that cargo builds in.
    pub(crate) fn folder(&self, root: &Path) -> PathBuf {
        root.join(BUILT).join(self.folder)
    }
}

/// What is looked at.
#[derive(Debug, Default, PartialEq)]
enum What {
    #[default]
    Nothing,
    /// The list of targets.
    List,
    /// Some of two targets.
    Quick,
    /// This target.
    Target(String),
}

/// Holds what was asked for.
#[derive(Debug, Default, PartialEq)]
struct CrossArgs {
    what: What,
    test: bool,
    release: bool,
    packages: Vec<String>,
}

impl CrossArgs {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut args = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--list" => args.what = What::List,
                "--quick" => args.what = What::Quick,
                "--target" => args.what = What::Target(value()?),
                "--package" => args.packages.push(value()?),
                "--test" => args.test = true,
                "--release" => args.release = true,
                other => return Err(format!("unknown argument {other}; usage: cross {CROSS_USAGE}")),
            }
        }
        if args.what == What::Nothing { Err(format!("usage: cross {CROSS_USAGE}")) } else { Ok(args) }
    }
}

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let args = CrossArgs::read(words)?;
    let triple = match &args.what {
        What::Target(triple) => triple,
        What::Quick => {
            let passed = show("the quick look", quick(root)?)?;
            println!("{}", passed.summary());
            return Ok(());
        }
        What::List | What::Nothing => {
            for target in TARGETS {
                println!("{:28} {}", target.triple, target.tested.about());
            }
            return Ok(());
        }
    };
    let target = find(triple)?;
    for (test, why) in target.skipped.iter().filter(|_| args.test) {
        println!("skipped: {test}: {why}");
    }
    let passed = show(triple, target.commands(root, &args)?)?;
    println!("{triple}: {}", if args.test { passed.summary() } else { "built".to_owned() });
    Ok(())
}

/// Runs commands until one fails, and counts their tests.
fn show(what: &str, commands: Vec<Command>) -> Result<Count, String> {
    let mut passed = Count::default();
    for command in commands {
        let (outcome, count) = process::show(command)?;
        passed += count;
        if outcome == Outcome::Failed {
            return Err(format!("{what}: failed; the lines above say what"));
        }
    }
    Ok(passed)
}

/// Lists the commands for a quick look at other machines, or what is missing for them.
///
/// The kernels, which have most of the code for one machine, are checked for two others, and a part of the tests of the
/// rules runs under qemu. `cargo xtask cross --test` runs everything, for an hour.
pub(crate) fn quick(root: &Path) -> Result<Vec<Command>, String> {
    let build = BuildOptions::default();
    let (aarch64, wasm) = (find("aarch64-unknown-linux-gnu")?, find("wasm32-unknown-unknown")?);
    aarch64.look_for_tools(&build, Some(Runs::Tests))?;
    let mut tests = aarch64.cargo(root, &build, "test", &["broadaxe-shape"])?;
    tests.args(["--test", "laws", "--test", "properties", "--test", "sentences"]);
    let check = |target: &Target, build: &BuildOptions| target.cargo(root, build, "check", &["broadaxe-kernels"]);
    // The second is built while the first is. Its folder is within the one of the first: where neither exists, cargo
    // can replace the outer one just as it makes the inner one there, and fails.
    let beside = BuildOptions { folder: "wasm", ..BuildOptions::default() };
    let inner = beside.folder(root);
    fs::create_dir_all(&inner).map_err(|error| format!("{}: {error}", inner.display()))?;
    let mut all = vec![tests, check(wasm, &beside)?, check(aarch64, &build)?];
    for command in &mut all {
        // Most of the time goes into the standard library; the rules are tested as they are elsewhere.
        command.args(["--config", "profile.dev.package.broadaxe-shape.opt-level=1"]);
        command.args(["--config", "profile.dev.package.\"*\".opt-level=0"]);
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
    }
    Ok(all)
}

pub(crate) fn find(triple: &str) -> Result<&'static Target, String> {
    TARGETS.iter().find(|target| target.triple == triple).ok_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|target| target.triple).collect();
        format!("unknown target '{triple}'; the targets are {}", names.join(", "))
    })
}

impl Target {
    /// Lists the commands that do what was asked, or what is missing for them.
    fn commands(&self, root: &Path, args: &CrossArgs) -> Result<Vec<Command>, String> {
        let build = BuildOptions { profile: args.release.then_some("release"), ..BuildOptions::default() };
        self.look_for_tools(&build, args.test.then_some(Runs::ProgramsOfTests))?;
        let packages: Vec<&str> = match &*args.packages {
            [] => self.tested.packages().to_vec(),
            given => given.iter().map(String::as_str).collect(),
        };
        let mut all = Vec::new();
        if args.test && self.runner == ["wine"] {
            all.extend(bcryptprimitives(root)?);
        }
        if !args.test {
            let packages =
                if let (Scope::Built(one), true) = (self.tested, packages.is_empty()) { vec![one] } else { packages };
            all.push(self.cargo(root, &build, "build", &packages)?);
            return Ok(all);
        }
        if matches!(self.tested, Scope::Built(_)) {
            return Err(format!("{}: nothing here can run its programs; leave out --test", self.triple));
        }
        // Of the tests of this package, only the golden bits say something about another machine.
        let (golden, packages): (Vec<&str>, Vec<&str>) = packages.into_iter().partition(|&name| name == GOLDEN);
        if !packages.is_empty() {
            let mut tests = self.cargo(root, &build, "test", &packages)?;
            tests.args(["--lib", "--tests", "--no-fail-fast"]);
            if !self.skipped.is_empty() {
                tests.arg("--").args(self.skipped.iter().flat_map(|(test, _)| ["--skip", test]));
            }
            all.push(tests);
        }
        if !golden.is_empty() || self.tested.golden() && args.packages.is_empty() {
            let mut golden = self.cargo(root, &build, "test", &[GOLDEN])?;
            golden.args(["--test", "golden"]);
            all.push(golden);
        }
        Ok(all)
    }

    /// Returns the command that builds packages for the target.
    pub(crate) fn build(&self, root: &Path, build: &BuildOptions, packages: &[&str]) -> Result<Command, String> {
        self.look_for_tools(build, None)?;
        self.cargo(root, build, "build", packages)
    }

    /// The oldest C library of GNU that programs must run with, where the target has it.
    fn glibc(&self, build: &BuildOptions) -> Option<&'static str> {
        build.oldest_glibc.filter(|_| self.triple.ends_with("-linux-gnu"))
    }

    /// How a build is linked: only zig has old C libraries.
    fn linker(&self, build: &BuildOptions) -> Linker {
        if self.glibc(build).is_some() { Linker::Zig } else { self.linker }
    }

    /// A call of cargo for the target.
    fn cargo(&self, root: &Path, build: &BuildOptions, verb: &str, packages: &[&str]) -> Result<Command, String> {
        let linker = self.linker(build);
        let mut command = match linker {
            Linker::Zig => Command::new("cargo-zigbuild"),
            Linker::Program(..) => Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into())),
        };
        command.arg(if (linker, verb) == (Linker::Zig, "build") { "zigbuild" } else { verb });
        let glibc = self.glibc(build);
        let triple = glibc.map_or_else(|| self.triple.to_owned(), |version| format!("{}.{version}", self.triple));
        command.args(["--locked", "--target", &triple]).current_dir(root);
        command.args(packages.iter().flat_map(|package| ["--package", package]));
        command.args(build.profile.iter().flat_map(|profile| ["--profile", profile]));
        if build.profile.is_none() {
            // What emulators run is slow enough.
            command.args(["--config", "profile.dev.package.\"*\".opt-level=1"]);
            command.args(sanitize::PLAIN.iter().filter(|_| self.tested.plain()));
        }
        python::forget_us(&mut command);
        if self.set(root, build, &mut command)? {
            command.arg(self.build_std());
        }
        Ok(command)
    }

    /// Prepares a call of maturin for the target; its arguments get what cargo needs, once for all targets.
    pub(crate) fn prepare(
        &self,
        root: &Path,
        build: &BuildOptions,
        command: &mut Command,
        first: bool,
    ) -> Result<(), String> {
        self.look_for_tools(build, None)?;
        if self.linker(build) == Linker::Zig && first {
            command.arg("--zig");
        }
        if self.set(root, build, command)? && first {
            command.arg(self.build_std());
        }
        Ok(())
    }

    /// Tells cargo to build the standard library; on WebAssembly a panic ends the program.
    fn build_std(&self) -> &'static str {
        if self.triple.starts_with("wasm32") { "-Zbuild-std=std,panic_abort" } else { "-Zbuild-std" }
    }

    /// Sets what cargo reads of its environment. Returns whether the standard library is built too.
    fn set(&self, root: &Path, build: &BuildOptions, command: &mut Command) -> Result<bool, String> {
        let own = format!("CARGO_TARGET_{}", self.triple.to_uppercase().replace('-', "_"));
        command.env("CARGO_TARGET_DIR", build.folder(root));
        let linker = match self.linker(build) {
            Linker::Program(program, _) => PathBuf::from(program),
            Linker::Zig => self.zig_linker(root, build)?,
        };
        command.env(format!("{own}_LINKER"), linker);
        if !self.runner.is_empty() {
            let words = self.runner.iter().map(|word| {
                let file = root.join(word);
                if word.contains('/') && file.is_file() { file.display().to_string() } else { (*word).to_owned() }
            });
            command.env(format!("{own}_RUNNER"), words.collect::<Vec<_>>().join(" "));
        }
        command.envs(self.environment.iter().copied());
        if self.runner == ["wine"] {
            command.env("WINEPATH", format!("Z:{}", root.join(WINE).display()).replace('/', "\\"));
        }
        let flags = format!("{} {}", self.flags, build.flags);
        if !flags.trim().is_empty() {
            command.env(format!("{own}_RUSTFLAGS"), flags.trim());
        }
        if self.triple.ends_with("-darwin") {
            // The tool that strips programs is not among what Debian's compiler brings.
            for profile in ["DEV", "RELEASE"] {
                command.env(format!("CARGO_PROFILE_{profile}_STRIP"), "false");
            }
        }
        let Std::Built(compiler) = self.std(build)? else { return Ok(false) };
        command.env("RUSTC", compiler).env("RUSTC_BOOTSTRAP", "1");
        Ok(true)
    }

    /// Writes the script that links with zig, and returns its path.
    ///
    /// cargo-zigbuild and maturin each write one. Cargo compiles every crate again when the path of the linker changes, so
    /// both are told to use this one.
    fn zig_linker(&self, root: &Path, build: &BuildOptions) -> Result<PathBuf, String> {
        let name = self.triple.replace("-unknown", "").replace("apple-darwin", "macos-none").replace("i686", "x86");
        let name = self.glibc(build).map_or_else(|| name.clone(), |version| format!("{name}.{version}"));
        let folder = root.join(BUILT).join("linkers");
        let path = folder.join(&name);
        let text = format!("#!/bin/sh\nexec cargo-zigbuild zig cc -- -g -fno-sanitize=all -target {name} \"$@\"\n");
        // Another build may be running the script.
        if fs::read_to_string(&path).is_ok_and(|there| there == text) {
            return Ok(path);
        }
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        write_program(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Returns whether the toolchain has the standard library of the target.
    pub(crate) fn has_std(&self) -> bool {
        let own = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let installed = ask(Command::new(own).args(["--print", "target-libdir", "--target", self.triple]));
        installed.is_some_and(|folder| has_std(Path::new(&folder)))
    }

    /// Finds the standard library of the target.
    fn std(&self, build: &BuildOptions) -> Result<Std, String> {
        if !build.builds_std && self.has_std() {
            return Ok(Std::Installed);
        }
        let debian = PathBuf::from("/usr/bin/rustc");
        let sources = ask(Command::new(&debian).args(["--print", "sysroot"]))
            .map(|sysroot| Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.toml"));
        if sources.is_some_and(|file| file.is_file()) {
            return Ok(Std::Built(debian));
        }
        Err(format!(
            "{0}: the standard library is missing; run `rustup target add {0}`, or on Debian \
             `apt-get install rustc-web rust-web-src`, whose sources it is then built from",
            self.triple
        ))
    }

    /// Looks for the programs that linking and running need.
    fn look_for_tools(&self, build: &BuildOptions, runs: Option<Runs>) -> Result<(), String> {
        let (linker, linker_from) = match self.linker(build) {
            Linker::Zig => ("cargo-zigbuild", "pip install cargo-zigbuild".to_owned()),
            Linker::Program(program, package) => (program, format!("apt-get install {package}")),
        };
        let mut missing = Vec::new();
        let linked = self.flags.split_whitespace().filter_map(|flag| Some(flag.split_once('=')?.1));
        let gone = linked.filter(|file| file.starts_with('/') && !Path::new(file).exists());
        let gone: Vec<_> = gone.chain((!on_path(linker)).then_some(linker)).collect();
        missing.extend(gone.iter().map(|what| format!("{what} ({linker_from})")));
        if let Some(runs) = runs {
            let program = self.runner.first().filter(|program| !on_path(program));
            let files = self.environment.iter().map(|(_, value)| value);
            let files = files.filter(|file| file.starts_with('/') && !Path::new(file).exists());
            missing.extend(program.into_iter().chain(files).map(|what| format!("{what} ({})", self.runner_from)));
            let starts = runs == Runs::ProgramsOfTests && !self.registered.is_empty();
            if starts && !Path::new(REGISTERED).join(self.registered).exists() {
                let how = "apt-get install qemu-user-binfmt binfmt-support && update-binfmts --enable";
                missing.push(format!("{} known to Linux, since tests start programs ({how})", self.registered));
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(format!("{} needs {}", self.triple, missing.join(" and "))) }
    }
}

/// Returns the command that builds the library of random numbers for wine, which every program of Rust loads.
fn bcryptprimitives(root: &Path) -> Result<Option<Command>, String> {
    let folder = root.join(WINE);
    let library = folder.join("bcryptprimitives.dll");
    if library.is_file() {
        return Ok(None);
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut command = Command::new("x86_64-w64-mingw32-gcc");
    command.args(["-shared", "-o"]).arg(&library).arg(root.join("xtask/bcryptprimitives.c")).arg("-ladvapi32");
    Ok(Some(command))
}

/// Writes a file that can be run.
fn write_program(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// The first line that a program prints, if it ends well.
fn ask(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

fn has_std(folder: &Path) -> bool {
    let names = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.to_string_lossy().starts_with("libstd-"))
}

fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn arguments_are_read() {
        let args = CrossArgs::read(&words(&["--target", "t", "--test", "--package", "p"])).unwrap();
        let want = CrossArgs {
            what: What::Target("t".into()),
            test: true,
            packages: vec!["p".into()],
            ..CrossArgs::default()
        };
        assert_eq!(args, want);
        for wrong in [&[][..], &["--target"], &["--tset"], &["--test"]] {
            assert!(CrossArgs::read(&words(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn every_target_is_found_once() {
        for target in TARGETS {
            assert!(find(target.triple).is_ok_and(|found| std::ptr::eq(found, target)), "{}", target.triple);
        }
        assert!(find("x86_64-unknown-linux").is_err_and(|why| why.contains("x86_64-unknown-linux-gnu")));
    }
}
