//! Builds the page of the browser: both WebAssembly modules, and with Node one HTML file, a custom element and a package for npm.
//!
//! The modules are built like those of [`crate::cross`], with the profile `page`, and made smaller by `wasm-opt`. `web/build.mjs` puts
//! everything together. The packages of `web/package-lock.json` are installed below the build folder.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use flate2::{Compression, GzBuilder};

use crate::{
    cross::{self, BuildOptions},
    python,
};

pub(crate) const PAGE_USAGE: &str = "[--rules-only] [--embed] [--out FOLDER]";

/// The page that the command holds, compressed.
const EMBEDDED: &str = "crates/broadaxe-cli/page/page.html.gz";

const TARGET: &str = "wasm32-unknown-unknown";
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
    let (mut rules_only, mut embed, mut out) = (false, false, python::target(root).join("page"));
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rules-only" => rules_only = true,
            "--embed" => embed = true,
            "--out" => out = PathBuf::from(words.next().ok_or("--out needs a folder")?),
            other => return Err(format!("unknown argument {other}; usage: page {PAGE_USAGE}")),
        }
    }
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let programs = node_packages(root)?;
    let modules: &[(&str, &str)] = if rules_only { &[("rules", "")] } else { &[("rules", ""), ("check", "check")] };
    for (name, features) in modules {
        module(root, &programs, features, &out.join(format!("{name}.wasm")))?;
    }
    if !rules_only {
        let mut build = Command::new("node");
        build.arg(root.join("web/build.mjs")).arg("--out").arg(&out);
        build.arg("--rules").arg(out.join("rules.wasm")).arg("--check").arg(out.join("check.wasm"));
        build.args(["--version", env!("CARGO_PKG_VERSION")]).current_dir(root.join("web"));
        succeed(build)?;
    }
    if embed && !rules_only {
        let (page, kept) = (out.join("page.html"), root.join(EMBEDDED));
        let bytes = fs::read(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
        let packed = packed.write_all(&bytes).and_then(|()| packed.finish());
        packed.and_then(|packed| fs::write(&kept, packed)).map_err(|error| format!("{}: {error}", kept.display()))?;
    }
    println!("{}", out.display());
    Ok(())
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
    let built = root.join("target/cross").join(TARGET).join("page/broadaxe_web.wasm");
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
