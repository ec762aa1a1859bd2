//! Lists the targets: how each is linked and run, what is tested of it, and what cannot be.

/// Holds one target.
#[derive(Debug)]
pub(crate) struct Target {
    /// The name of the compiler.
    pub triple: &'static str,
    /// How programs are linked that need not run with an old C library.
    pub(super) linker: Linker,
    /// What runs a program of the target here, with its arguments; nothing where it runs without help.
    pub(super) runner: &'static [&'static str],
    /// Where the runner comes from.
    pub(super) runner_from: &'static str,
    /// The name under which Linux must know the emulator, since tests start programs of the target themselves.
    pub(super) registered: &'static str,
    /// What the runner reads of its environment.
    pub(super) environment: &'static [(&'static str, &'static str)],
    pub(super) tested: Scope,
    /// Tests that the emulator cannot run, and why.
    pub(super) skipped: &'static [(&'static str, &'static str)],
    /// Further flags for the compiler.
    pub(super) flags: &'static str,
}

/// How programs of a target are linked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Linker {
    /// With zig, which carries the system libraries of most targets.
    Zig,
    /// With this program from this Debian package.
    Program(&'static str, &'static str),
}

/// What is tested on a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scope {
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
    pub(super) fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Everything => &[
                "broadaxe-shape",
                "broadaxe-op",
                "broadaxe-kernels",
                "broadaxe",
                "broadaxe-format",
                "broadaxe-models",
                "broadaxe-session",
                "broadaxe-cli",
            ],
            Self::Portable | Self::Readers => &["broadaxe-shape", "broadaxe-format"],
            Self::Built(_) => &[],
        }
    }

    /// Whether the file of golden bits is checked.
    pub(super) fn golden(self) -> bool {
        matches!(self, Self::Everything | Self::Portable)
    }

    /// Whether kernels are compiled without optimisation in the profile of development, since no test runs them.
    pub(super) fn plain(self) -> bool {
        matches!(self, Self::Readers | Self::Built(_))
    }

    pub(super) fn about(self) -> &'static str {
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
pub(super) static TARGETS: &[Target] = &[
    target("x86_64-unknown-linux-gnu", Scope::Everything),
    Target { flags: MUSL, ..target("x86_64-unknown-linux-musl", Scope::Everything) },
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
        flags: MUSL,
        ..target("aarch64-unknown-linux-musl", Scope::Everything)
    },
    Target {
        linker: Linker::Program("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"),
        skipped: WINE_LIMITS,
        runner: &["wine"],
        runner_from: "apt-get install wine",
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
///
/// Libraries for Python cannot contain the C library. Programs do all the same, since zig links them statically; so both
/// are made of the same compiled crates.
const MUSL: &str = "-Clink-self-contained=no -C target-feature=-crt-static";

/// Links with Debian's C library for WASI. It has no functions of threads, which `xtask/wasi.mjs` supplies: they fail. Node 20
/// crashes in its garbage collector after the memory of a program has grown, so it is large from the beginning.
const WASI: &str = "-Clink-self-contained=no -Lnative=/usr/lib/wasm32-wasi -Clink-arg=/usr/lib/wasm32-wasi/crt1-command.o -Clink-arg=--allow-undefined -Clink-arg=--initial-memory=1073741824";

/// The folder below the build folder with the library of Windows that wine before 9 lacks.
pub(super) const WINE: &str = "target/cross/wine";

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
    ("a_python_that_is_gone", "qemu starts a program that does not exist, and fails only then"),
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
