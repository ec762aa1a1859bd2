//! Finds compilers, and compiles and runs programs with them.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
    thread,
};

const WARNINGS: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", "-O1", "-pthread"];

pub(crate) fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the path of a program next to these tests.
pub(crate) fn source(name: &str) -> PathBuf {
    crate_folder().join("tests/programs").join(name)
}

/// Returns a model with findings.
pub(crate) fn model() -> PathBuf {
    crate_folder().join("../../examples/face.onnx")
}

/// Returns the folder of the shared and the static library that cargo built for this test.
pub(crate) fn built() -> PathBuf {
    let test = env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

/// Makes an empty folder.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("c-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn answer(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Runs a command that has to succeed, and returns what it prints.
pub(crate) fn succeed(command: &mut Command) -> String {
    let output = answer(command);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

pub(crate) fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cpp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Plain,
    /// With the address sanitizer.
    Sanitized,
    /// Under valgrind, which also sees what the library does with the memory of the program.
    Valgrind,
}

/// The source of a program.
pub(crate) enum Program<'a> {
    File(&'a Path),
    Text(Language, &'a str),
}

/// A C compiler and its C++ compiler.
#[derive(Debug)]
pub(crate) struct Compiler {
    c: &'static str,
    cpp: &'static str,
}

/// Lists the compilers of this machine. A missing gcc is a failure in CI.
pub(crate) fn compilers() -> Vec<Compiler> {
    if cfg!(not(target_os = "linux")) {
        println!("skipped: the programs are only compiled on Linux");
        return Vec::new();
    }
    let all = [Compiler { c: "gcc", cpp: "g++" }, Compiler { c: "clang", cpp: "clang++" }];
    let mut found = Vec::new();
    for compiler in all {
        if exists(compiler.c) && exists(compiler.cpp) {
            found.push(compiler);
        } else {
            assert!(env::var_os("CI").is_none() || compiler.c != "gcc", "gcc and g++ are missing; install them");
            println!("skipped: {} and {} are not installed", compiler.c, compiler.cpp);
        }
    }
    found
}

/// Runs a test with every compiler, alone and with the address sanitizer where it has one.
pub(crate) fn with_every_compiler(test: impl Fn(&Compiler, Mode)) {
    // Tests run at the same time, and each compiler is asked once.
    static SANITIZERS: OnceLock<Vec<bool>> = OnceLock::new();
    let sanitizers = SANITIZERS.get_or_init(|| compilers().iter().map(Compiler::has_sanitizer).collect());
    for (compiler, &sanitizer) in compilers().iter().zip(sanitizers) {
        test(compiler, Mode::Plain);
        if sanitizer {
            test(compiler, Mode::Sanitized);
        }
    }
}

/// Runs a test with every compiler, and with gcc also under valgrind, where it is installed.
pub(crate) fn with_every_checker(test: impl Fn(&Compiler, Mode)) {
    with_every_compiler(&test);
    if let Some(gcc) = compilers().iter().find(|compiler| compiler.c == "gcc") {
        if exists("valgrind") {
            test(gcc, Mode::Valgrind);
        } else {
            println!("skipped: valgrind is not installed");
        }
    }
}

/// A compiled program.
pub(crate) struct Executable {
    path: PathBuf,
    mode: Mode,
}

/// Errors and lost memory are failures. Static tables that are filled at run time look possibly lost, and are not.
const VALGRIND: &[&str] = &[
    "-q",
    "--error-exitcode=99",
    "--leak-check=full",
    "--show-leak-kinds=definite",
    "--errors-for-leak-kinds=definite",
];

impl Compiler {
    /// Says whether the compiler has the runtime of the address sanitizer.
    fn has_sanitizer(&self) -> bool {
        let folder = scratch(&format!("{}-sanitizer", self.c));
        let source = folder.join("a.c");
        fs::write(&source, "int main(void) { return 0; }\n").unwrap();
        let mut command = Command::new(self.c);
        let command = command.arg("-fsanitize=address").arg(&source).arg("-o").arg(folder.join("a"));
        let has =
            answer(command).status.success() && Command::new(folder.join("a")).status().is_ok_and(|s| s.success());
        if !has {
            println!("skipped: {} has no address sanitizer", self.c);
        }
        has
    }

    pub(crate) fn build(&self, name: &str, program: &Program<'_>, mode: Mode) -> Executable {
        self.build_with(name, program, mode, &[])
    }

    /// Compiles a program with these flags, and links it with the shared library.
    pub(crate) fn build_with(&self, name: &str, program: &Program<'_>, mode: Mode, flags: &[&str]) -> Executable {
        let folder = scratch(&format!("{}-{name}-{mode:?}", self.c));
        let (language, source) = match program {
            Program::File(path) if path.extension().is_some_and(|end| end == "cpp") => {
                (Language::Cpp, path.to_path_buf())
            }
            Program::File(path) => (Language::C, path.to_path_buf()),
            Program::Text(language, text) => {
                let source = folder.join(if *language == Language::C { "program.c" } else { "program.cpp" });
                fs::write(&source, text).unwrap();
                (*language, source)
            }
        };
        let (compiler, standard) = match language {
            Language::C => (self.c, "-std=c11"),
            Language::Cpp => (self.cpp, "-std=c++17"),
        };
        // The name in the library is that of the installed file.
        let library = folder.join("libbroadaxe_c.so.1");
        let _ = fs::remove_file(&library);
        #[cfg(unix)]
        std::os::unix::fs::symlink(built().join("libbroadaxe_c.so"), &library).unwrap();
        let path = folder.join("program");
        let mut command = Command::new(compiler);
        command.arg(standard).args(WARNINGS).args(flags).arg("-I").arg(crate_folder().join("include"));
        if mode == Mode::Sanitized {
            command.args(["-fsanitize=address", "-fno-omit-frame-pointer"]);
        }
        command.arg(&source).arg("-o").arg(&path).arg(&library).arg(format!("-Wl,-rpath,{}", folder.display()));
        succeed(&mut command);
        Executable { path, mode }
    }
}

impl Executable {
    /// Runs the program; returns its exit code, what it prints, and its errors.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
        let mut command = Command::new(if self.mode == Mode::Valgrind { Path::new("valgrind") } else { &self.path });
        if self.mode == Mode::Valgrind {
            command.args(VALGRIND).arg(&self.path);
        }
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let output = thread::scope(|scope| {
            // A program that ends early closes the pipe.
            scope.spawn(move || stdin.write_all(input.as_bytes()).is_ok());
            child.wait_with_output().unwrap()
        });
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

/// Runs the commands of the README that install the library.
pub(crate) fn install(prefix: &Path) {
    let readme = fs::read_to_string(crate_folder().join("README.md")).unwrap();
    let commands = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let mut command = Command::new("sh");
    command.args(["-e", "-u", "-c", commands]).env("prefix", prefix).env("built", built());
    command.env("crate", crate_folder()).env("manifest", crate_folder().join("../../Cargo.toml"));
    succeed(&mut command);
}

/// Compiles a program with what pkg-config says, and compares its output.
pub(crate) fn check_pkg_config(compiler: &Compiler, prefix: &Path, source: &Path, want: &str) {
    if !exists("pkg-config") {
        println!("skipped: pkg-config is not installed");
        return;
    }
    let ask = |flags: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(flags).arg("broadaxe");
        succeed(&mut command).trim().to_owned()
    };
    assert_eq!(ask(&["--modversion"]), env!("CARGO_PKG_VERSION"));
    for (name, flags) in [("shared", &["--cflags", "--libs"][..]), ("static", &["--cflags", "--libs", "--static"])] {
        let program = prefix.join(name);
        let mut command = Command::new(compiler.c);
        command.arg(source).arg("-o").arg(&program);
        command.args(if name == "static" { &["-Wl,-Bstatic"][..] } else { &[] });
        let words = ask(flags);
        // Only Broadaxe is linked statically, not the C library.
        for word in words.split_whitespace() {
            command.arg(word);
            if word == "-lbroadaxe_c" && name == "static" {
                command.arg("-Wl,-Bdynamic");
            }
        }
        succeed(&mut command);
        let mut run = Command::new(&program);
        if name == "shared" {
            run.env("LD_LIBRARY_PATH", prefix.join("lib"));
        }
        assert_eq!(succeed(&mut run), want, "{name}");
    }
}

/// Builds a project with `cmake`, once per target, and compares the outputs.
pub(crate) fn check_cmake(prefix: &Path, source: &Path, want: &str) {
    if !exists("cmake") {
        println!("skipped: CMake is not installed");
        return;
    }
    let project = prefix.join("project");
    fs::create_dir_all(&project).unwrap();
    let lists = format!(
        "cmake_minimum_required(VERSION 3.15)\nproject(example C)\nfind_package(broadaxe REQUIRED)\n\
         add_executable(shared {source})\ntarget_link_libraries(shared PRIVATE broadaxe::broadaxe)\n\
         add_executable(static {source})\ntarget_link_libraries(static PRIVATE broadaxe::static)\n",
        source = source.display()
    );
    fs::write(project.join("CMakeLists.txt"), lists).unwrap();
    let build = project.join("build");
    let root = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    succeed(Command::new("cmake").arg("-S").arg(&project).arg("-B").arg(&build).arg(root));
    succeed(Command::new("cmake").arg("--build").arg(&build));
    for name in ["shared", "static"] {
        assert_eq!(succeed(&mut Command::new(build.join(name))), want, "{name}");
    }
}
