//! The reference of the command is made of what its help says; `BROADAXE_WRITE=1` writes it.

#![allow(clippy::format_push_string)]

use std::{fs, path::Path, process::Command};

use broadaxe_cli::args::Cli;
use clap::CommandFactory;

/// The width of the help, which fits a page.
const COLUMNS: &str = "100";

fn help(subcommand: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_broadaxe"))
        .args(subcommand.split(' '))
        .arg("--help")
        .env("COLUMNS", COLUMNS)
        .env("LC_ALL", "C.UTF-8")
        .env("NO_COLOR", "1")
        .output()
        .expect("the command starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_reference_is_current() {
    let mut text = String::from(
        "<!-- Generated from the help of each subcommand; do not edit. -->\n# Reference of the command\n\nLook up a subcommand and its options. `broadaxe man` prints the same as manual pages.\n",
    );
    let command = Cli::command();
    let shown = |command: &clap::Command| {
        let names = command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help");
        names.map(|one| one.get_name().to_owned()).collect::<Vec<_>>()
    };
    let names = shown(&command);
    let list: Vec<String> = names.iter().map(|name| format!("[{name}](#broadaxe-{name})")).collect();
    text += &format!("\n{}\n", list.join(", "));
    for name in names {
        text += &format!("\n## broadaxe {name}\n\n```text\n{}\n```\n", help(&name));
        for inner in command.find_subcommand(&name).map(shown).unwrap_or_default() {
            text += &format!("\n### broadaxe {name} {inner}\n\n```text\n{}\n```\n", help(&format!("{name} {inner}")));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/options.md");
    if std::env::var_os("BROADAXE_WRITE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let current = fs::read_to_string(&path).is_ok_and(|old| old == text);
    assert!(current, "docs/reference/options.md is not current; run this test with BROADAXE_WRITE=1");
}
