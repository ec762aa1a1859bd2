//! Builds the documentation site into `target/docs`: the pages of `docs/`, and pages about the rules that are written from data.
//!
//! [`pages`] writes the input of the generator, `MkDocs`, into a folder of its own: a copy of each page whose links to files outside
//! `docs/` lead to the repository's address. The files of `docs/` are written for GitHub and do not change. The generator is
//! installed into a virtual environment below the build folder, in the versions of `docs/site/requirements.txt`. Last, [`html`]
//! checks the links of the site. [`llms`] lists the pages for programs, in `llms.txt`.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

mod path;

mod html;
mod markdown;

mod cases;
mod rules;

mod llms;
mod pages;

use flate2::read::GzDecoder;

use crate::{page::EMBEDDED, python};

pub(crate) const DOCS_USAGE: &str = "[--check]";

/// The interactive page, where `cargo xtask page` writes it.
const PAGE: &str = "page/page.html";
/// The list of pages for programs, in the repository and at the top of the site.
const LLMS: &str = "llms.txt";

/// Runs the task.
pub(crate) fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let check = match words {
        [] => false,
        [word] if word == "--check" => true,
        _ => return Err(format!("unknown arguments {}; usage: docs {DOCS_USAGE}", words.join(" "))),
    };
    let start = Instant::now();
    let target = python::target(root);
    // A check leaves the site alone that somebody may be reading.
    let site = target.join(if check { "docs-check" } else { "docs" });
    let input = target.join("docs-input");
    empty(&input)?;
    let (count, llms) = pages::write(root, &input, &interactive(root, &target)?)?;
    list(&root.join(LLMS), &llms, check)?;
    let programs = environment(root, &target)?;
    build(&programs, &input, &site)?;
    // It has links for a server's top folder only.
    let _ = fs::remove_file(site.join("404.html"));
    let links = html::check(&site, &[pages::INTERACTIVE])?;
    println!(
        "docs: {count} pages, {links} links checked, {:.1} s: {}",
        start.elapsed().as_secs_f64(),
        site.join("index.html").display()
    );
    Ok(())
}

/// Writes the list of pages for programs, or checks that it is current.
fn list(file: &Path, text: &str, check: bool) -> Result<(), String> {
    if fs::read_to_string(file).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if check {
        return Err(format!("{LLMS} is not up to date; run cargo xtask docs"));
    }
    fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}

/// Reads the interactive page: the one that was built last, or else the one that the command holds.
fn interactive(root: &Path, target: &Path) -> Result<Vec<u8>, String> {
    let (built, embedded) = (target.join(PAGE), root.join(EMBEDDED));
    if let Ok(page) = fs::read(built) {
        return Ok(page);
    }
    let mut page = Vec::new();
    let read = fs::File::open(&embedded).and_then(|file| GzDecoder::new(file).read_to_end(&mut page));
    read.map_err(|e| format!("{}: {e}", embedded.display()))?;
    Ok(page)
}

fn empty(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

/// Makes the environment with the generator; returns the folder of its programs.
fn environment(root: &Path, target: &Path) -> Result<PathBuf, String> {
    if !python::is_here() {
        return Err("the documentation needs Python 3.10 or newer with the modules venv and ensurepip; on Debian: apt install python3-venv".to_owned());
    }
    let (folder, list) = (target.join("docs-venv"), "docs/site/requirements.txt");
    if !folder.exists() {
        println!("docs: installs what {list} names into {}", folder.display());
    }
    python::environment_of(&folder, &root.join(list)).map_err(|why| {
        format!("{why}; the generator of the documentation is installed by\n  python3 -m venv {0}\n  {0}/bin/pip install -r {list}", folder.display())
    })
}

fn build(programs: &Path, input: &Path, site: &Path) -> Result<(), String> {
    let mut mkdocs = Command::new(programs.join("mkdocs"));
    // Not with --quiet, under which --strict overlooks warnings.
    mkdocs.args(["build", "--strict", "--clean", "--config-file"]).arg(input.join("mkdocs.yml"));
    mkdocs.arg("--site-dir").arg(site).env("NO_MKDOCS_2_WARNING", "true");
    let output = mkdocs.output().map_err(|e| format!("{}: {e}", programs.join("mkdocs").display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let (said, status) = (said.trim_end(), output.status);
    Err(format!("{said}\nmkdocs does not build the site ({status}); the navigation is in docs/site/mkdocs.yml"))
}
