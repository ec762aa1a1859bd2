//! Builds the page of the browser: both WebAssembly modules, and with Node one HTML file, a custom element and a package for npm.
//!
//! The modules are built like those of [`crate::cross`], with the profile `page`, and made smaller by `wasm-opt`. `web/build.mjs` puts
//! everything together. The packages of `web/package-lock.json` are installed below the build folder.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use flate2::{Compression, GzBuilder};

use crate::{
    cross::{self, BuildOptions},
    python,
};

pub(crate) const PAGE_USAGE: &str = "[--quick] [--embed] [--out FOLDER]";

/// The page that the command holds, compressed.
pub(crate) const EMBEDDED: &str = "crates/broadaxe-cli/page/page.html.gz";

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// A panic traps, without its message; the page then starts a new module. Both features are in all browsers since 2021.
const MODULE_FLAGS: &str =
    "-Zunstable-options -Cpanic=immediate-abort -Ctarget-feature=+bulk-memory,+nontrapping-fptoint";
const WASM_OPT: [&str; 8] = [
    "-Oz",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-producers",
];

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let (mut quick, mut embed, mut out) = (false, false, python::target(root).join("page"));
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--quick" => quick = true,
            "--embed" => embed = true,
            "--out" => out = PathBuf::from(words.next().ok_or("--out needs a folder")?),
            other => return Err(format!("unknown argument {other}; usage: page {PAGE_USAGE}")),
        }
    }
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let programs = node_packages(root)?;
    if quick {
        return self::quick(root, &out);
    }
    for (name, features) in [("rules", ""), ("check", "check")] {
        module(root, &programs, features, &out.join(format!("{name}.wasm")))?;
    }
    build(root, &out, Some(&out.join("check.wasm")))?;
    if embed {
        let (page, kept) = (out.join("page.html"), root.join(EMBEDDED));
        let bytes = fs::read(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
        let packed = packed.write_all(&bytes).and_then(|()| packed.finish());
        packed.and_then(|packed| fs::write(&kept, packed)).map_err(|error| format!("{}: {error}", kept.display()))?;
    }
    println!("{}", out.display());
    Ok(())
}

/// Puts the page together.
fn build(root: &Path, out: &Path, check: Option<&Path>) -> Result<(), String> {
    let mut build = Command::new("node");
    build.arg(root.join("web/build.mjs")).arg("--out").arg(out).arg("--rules").arg(out.join("rules.wasm"));
    build.args(check.into_iter().flat_map(|check| [Path::new("--check"), check]));
    build.args(["--version", env!("CARGO_PKG_VERSION")]).current_dir(root.join("web"));
    succeed(build)
}

/// Returns whether a quick build can be made here: with Node, and with the standard library of the toolchain.
pub(crate) fn is_here() -> bool {
    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    runs("node") && runs("npm") && cross::find(TARGET).is_ok_and(cross::Target::has_std)
}

/// Builds the page without the checker and for no browser's speed, checks its types, and tests its rules under Node.
fn quick(root: &Path, out: &Path) -> Result<(), String> {
    let mut rules = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    rules.args(["build", "--locked", "--quiet", "--package", "broadaxe-web", "--target", TARGET]).current_dir(root);
    succeed(rules)?;
    let built = python::target(root).join(TARGET).join("debug/broadaxe_web.wasm");
    fs::copy(&built, out.join("rules.wasm")).map_err(|error| format!("{}: {error}", built.display()))?;
    let mut types = Command::new("npm");
    types.args(["run", "--silent", "types"]).current_dir(root.join("web"));
    succeed(types)?;
    build(root, out, None)?;
    let mut tests = Command::new("node");
    tests.args(["--test", "--test-reporter=dot", "tests/rules.spec.mjs"]).current_dir(root.join("web"));
    tests.env("RULES", out.join("rules.wasm"));
    let command = python::target(root).join("debug/broadaxe");
    if command.is_file() {
        tests.env("BROADAXE", command);
    }
    succeed(tests)
}

/// Builds one module, and makes it smaller.
fn module(root: &Path, programs: &Path, features: &str, to: &Path) -> Result<(), String> {
    let target = cross::find(TARGET)?;
    let options = BuildOptions {
        profile: Some("page"),
        flags: MODULE_FLAGS.to_owned(),
        builds_std: true,
        ..BuildOptions::default()
    };
    let mut build = target.build(root, &options, &["broadaxe-web"])?;
    build.arg("-Zbuild-std-features=optimize_for_size");
    if !features.is_empty() {
        build.args(["--features", features]);
    }
    succeed(build)?;
    let built = options.folder(root).join(TARGET).join("page/broadaxe_web.wasm");
    let mut smaller = Command::new(programs.join("wasm-opt"));
    smaller.args(WASM_OPT).arg(built).arg("-o").arg(to);
    succeed(smaller)
}

/// Installs what `web/package-lock.json` names, unless it was installed before; returns the folder of its programs.
fn node_packages(root: &Path) -> Result<PathBuf, String> {
    let web = root.join("web");
    let programs = web.join("node_modules/.bin");
    if !programs.join("wasm-opt").exists() {
        println!("page: installs what web/package-lock.json names into web/node_modules");
        let mut install = Command::new("npm");
        install.args(["ci", "--no-audit", "--no-fund", "--silent"]).current_dir(&web);
        succeed(install).map_err(|why| format!("{why}; the page needs Node 20 or newer and npm"))?;
    }
    Ok(programs)
}

fn succeed(mut command: Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}
