//! Builds for other machines, and runs the tests there where this machine can emulate them.
//!
//! The standard library of a target is the toolchain's where it is installed. Otherwise it is built from the sources
//! of Debian's compiler (packages `rustc-web` and `rust-web-src`) together with the crates, in a folder of its own.
//! Nothing is installed: whatever is missing is listed with the command that installs it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    process::{self, Count, Outcome},
    python, sanitize,
};

pub(crate) const CROSS_USAGE: &str = "--list | --quick | --target T [--test] [--release] [--package P]...";

/// Holds one target.
#[derive(Debug)]
pub(crate) struct Target {
    /// The name of the compiler.
    pub triple: &'static str,
    /// How programs are linked that need not run with an old C library.
    linker: Linker,
    /// What runs a program of the target here, with its arguments; nothing where it runs without help.
    runner: &'static [&'static str],
    /// Where the runner comes from.
    runner_from: &'static str,
    /// The name under which Linux must know the emulator, since tests start programs of the target themselves.
    registered: &'static str,
    /// What the runner reads of its environment.
    environment: &'static [(&'static str, &'static str)],
    tested: Scope,
    /// Tests that the emulator cannot run, and why.
    skipped: &'static [(&'static str, &'static str)],
    /// What the compiler is told besides.
    flags: &'static str,
}

/// How programs of a target are linked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Linker {
    /// With zig, which carries the system libraries of most targets.
    Zig,
    /// With this program from this Debian package.
    Program(&'static str, &'static str),
}

/// What is tested on a target.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scope {
    /// Every crate but the Python package.
    Everything,
    /// The rules, the readers and writers of model files, and the golden bits.
    Portable,
    /// The rules, and the readers and writers of model files: the kernels do not support the target, or were not asked.
    Readers,
    /// Nothing, for no emulator exists; this package is built.
    Built(&'static str),
}

impl Scope {
    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Everything => &[
                "broadaxe-shape",
                "broadaxe-kernels",
                "broadaxe",
                "broadaxe-format",
                "broadaxe-models",
                "broadaxe-cli",
            ],
            Self::Portable | Self::Readers => &["broadaxe-shape", "broadaxe-format"],
            Self::Built(_) => &[],
        }
    }

    /// Whether the file of golden bits is checked.
    fn golden(self) -> bool {
        matches!(self, Self::Everything | Self::Portable)
    }

    /// Whether kernels are compiled without optimisation in the profile of development, since no test runs them.
    fn plain(self) -> bool {
        matches!(self, Self::Readers | Self::Built(_))
    }

    fn about(self) -> &'static str {
        match self {
            Self::Everything => "all crates, golden bits",
            Self::Portable => "rules, model files, golden bits",
            Self::Readers => "rules, model files",
            Self::Built(_) => "built only",
        }
    }
}

const fn target(triple: &'static str, tested: Scope) -> Target {
    Target {
        triple,
        linker: Linker::Zig,
        runner: &[],
        runner_from: "",
        registered: "",
        environment: &[],
        tested,
        skipped: &[],
        flags: "",
    }
}

/// Every target there is.
pub(crate) static TARGETS: &[Target] = &[
    target("x86_64-unknown-linux-gnu", Scope::Everything),
    Target { flags: STATIC, ..target("x86_64-unknown-linux-musl", Scope::Everything) },
    Target {
        linker: Linker::Program("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
        runner: &["qemu-aarch64"],
        registered: "qemu-aarch64",
        skipped: QEMU_LIMITS,
        environment: &[("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu"), SLOW],
        runner_from: "apt-get install qemu-user libc6-arm64-cross",
        ..target("aarch64-unknown-linux-gnu", Scope::Everything)
    },
    Target {
        runner: &["qemu-aarch64"],
        registered: "qemu-aarch64",
        skipped: QEMU_LIMITS,
        environment: &[SLOW],
        runner_from: "apt-get install qemu-user",
        flags: STATIC,
        ..target("aarch64-unknown-linux-musl", Scope::Everything)
    },
    Target {
        linker: Linker::Program("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"),
        skipped: WINE_LIMITS,
        runner: &["wine"],
        runner_from: "apt-get install wine64",
        environment: &[("WINEDEBUG", "-all")],
        ..target("x86_64-pc-windows-gnu", Scope::Everything)
    },
    target("x86_64-apple-darwin", Scope::Built("broadaxe-cli")),
    target("aarch64-apple-darwin", Scope::Built("broadaxe-cli")),
    Target {
        // An x86-64 CPU runs them itself; under qemu-i386 7.2 the tests of broadaxe-format do not end.
        runner: &["/usr/i686-linux-gnu/lib/ld-linux.so.2", "--library-path", "/usr/i686-linux-gnu/lib"],
        runner_from: "apt-get install libc6-i386-cross",
        ..target("i686-unknown-linux-gnu", Scope::Readers)
    },
    Target {
        runner: &["qemu-s390x"],
        environment: &[("QEMU_LD_PREFIX", "/usr/s390x-linux-gnu"), SLOW],
        runner_from: "apt-get install qemu-user libc6-s390x-cross",
        ..target("s390x-unknown-linux-gnu", Scope::Readers)
    },
    Target {
        linker: Linker::Program("wasm-ld-22", "lld-22 wasi-libc"),
        runner: &["node", "--no-warnings", "xtask/wasi.mjs"],
        runner_from: "apt-get install nodejs",
        flags: WASI,
        ..target("wasm32-wasip1", Scope::Portable)
    },
    Target {
        linker: Linker::Program("wasm-ld-22", "lld-22"),
        ..target("wasm32-unknown-unknown", Scope::Built("broadaxe-models"))
    },
];

/// Links with the C library that zig brings, not with the one that the toolchain of the target would bring.
const STATIC: &str = "-Clink-self-contained=no";

/// Links with Debian's C library for WASI. It has no functions of threads, which `xtask/wasi.mjs` supplies: they fail. Node 20
/// crashes in its garbage collector after the memory of a program has grown, so it is large from the beginning.
const WASI: &str = "-Clink-self-contained=no -Lnative=/usr/lib/wasm32-wasi -Clink-arg=/usr/lib/wasm32-wasi/crt1-command.o -Clink-arg=--allow-undefined -Clink-arg=--initial-memory=1073741824";

/// The folder below the build folder with the library of Windows that wine before 9 lacks.
const WINE: &str = "target/cross/wine";

/// Multiplies the limits of tests that measure time (`broadaxe_testing::limit`): qemu needs about ten times as long.
const SLOW: (&str, &str) = ("BROADAXE_SLOWDOWN", "20");

/// What qemu-user 7.2 cannot do.
const QEMU_LIMITS: &[(&str, &str)] = &[
    (
        "pool::tests::a_child_process_gets_threads_of_its_own",
        "a forked child of a process with threads cannot start threads: qemu ends it (assertion in qemu_plugin_vcpu_init_hook)",
    ),
    (
        "mapping::tests::foreign_signals_end_the_process_as_before",
        "an access that raises an ignored SIGBUS is repeated for ever; Linux ends the process",
    ),
    (
        "ignored_interrupts_stay_ignored_and_a_killed_run_is_swept",
        "/proc/self/status lists the signals that qemu ignores, not those that the program does",
    ),
    ("refused_threads_are_done_without", "qemu itself needs 128 MiB, more than the test leaves to the program"),
    (
        "bombs_end_within_the_memory_of_their_nodes",
        "qemu itself needs 128 MiB, more than the test leaves to the program",
    ),
];

const MINGW_FMA: &str = "the reference is fmaf of the C library of mingw, which rounds twice";

/// What wine 8 and the C library of mingw cannot do.
const WINE_LIMITS: &[(&str, &str)] = &[
    (
        "simple_powers_are_the_same_whichever_way_they_are_asked_for",
        "the reference is pow of msvcrt, which wine gets wrong by several units in the last place",
    ),
    ("math::fma_emulated::tests::what_is_made_of_doubles_is_fused", MINGW_FMA),
    ("math::remainder::tests::one_step_finds_the_same_remainders_or_none", MINGW_FMA),
    ("a_changed_model_is_whole_and_elsewhere", "wine 8 replaces no file that is open; Windows 10 does"),
    ("repaired_models_mean_the_same", "wine 8 removes no folder with a file that is open; Windows 10 does"),
    ("repaired_models_compute_the_same", "wine 8 removes no folder with a file that is open; Windows 10 does"),
];

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
    /// What the compiler is told besides.
    pub flags: String,
    /// The oldest C library of GNU that programs must run with, if not that of the linker.
    pub oldest_glibc: Option<&'static str>,
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
fn quick(root: &Path) -> Result<Vec<Command>, String> {
    let build = BuildOptions::default();
    let (aarch64, wasm) = (find("aarch64-unknown-linux-gnu")?, find("wasm32-unknown-unknown")?);
    aarch64.look_for_tools(&build, Some(Runs::Tests))?;
    let mut tests = aarch64.cargo(root, &build, "test", &["broadaxe-shape"])?;
    tests.args(["--test", "laws", "--test", "properties", "--test", "sentences"]);
    let mut check = aarch64.cargo(root, &build, "check", &["broadaxe-kernels"])?;
    check.args(["--target", wasm.triple]);
    let mut both = vec![tests, check];
    for command in &mut both {
        // Most of the time goes into the standard libraries; the rules are tested as they are elsewhere.
        command.args(["--config", "profile.dev.package.broadaxe-shape.opt-level=1"]);
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
    }
    Ok(both)
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
        if self.tested.plain() && build.profile.is_none() {
            command.args(sanitize::PLAIN);
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
        command.env("CARGO_TARGET_DIR", root.join("target/cross"));
        if let Linker::Program(program, _) = self.linker(build) {
            command.env(format!("{own}_LINKER"), program);
        }
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
            for profile in ["DEV", "RELEASE", "SHIPPED"] {
                command.env(format!("CARGO_PROFILE_{profile}_STRIP"), "false");
            }
        }
        let Std::Built(compiler) = self.std()? else { return Ok(false) };
        command.env("RUSTC", compiler).env("RUSTC_BOOTSTRAP", "1");
        Ok(true)
    }

    /// Finds the standard library of the target.
    fn std(&self) -> Result<Std, String> {
        let own = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let installed = ask(Command::new(own).args(["--print", "target-libdir", "--target", self.triple]));
        if installed.is_some_and(|folder| has_std(Path::new(&folder))) {
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
        if !on_path(linker) {
            missing.push(format!("{linker} ({linker_from})"));
        }
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
