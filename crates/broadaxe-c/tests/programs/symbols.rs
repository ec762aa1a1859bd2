//! The shared library exports the functions of the header and nothing else, and its name has the version of the interface.

use std::{collections::BTreeSet, env, fs, process::Command};

use broadaxe_c::structs::BX_ABI_VERSION;

use crate::build::{built, crate_folder, exists, succeed};

/// Says whether a tool is installed. In CI, it has to be.
fn available(tool: &str) -> bool {
    let found = exists(tool);
    assert!(found || env::var_os("CI").is_none(), "{tool} is missing; install binutils");
    if !found {
        println!("skipped: {tool} is not installed");
    }
    found
}

/// Lists the functions that the header declares.
fn declared() -> BTreeSet<String> {
    let header = fs::read_to_string(crate_folder().join("include/broadaxe.h")).unwrap();
    let code = header.split("*/").filter_map(|part| part.split("/*").next());
    let words = code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '('));
    words
        .filter_map(|word| word.split_once('('))
        .map(|(name, _)| name.to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn only_the_functions_of_the_header_are_exported() {
    let declared = declared();
    assert!((10..=14).contains(&declared.len()), "{declared:?}");
    if available("nm") {
        let library = built().join("libbroadaxe_c.so");
        let symbols = succeed(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(library));
        let exported: BTreeSet<String> =
            symbols.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
        assert_eq!(exported, declared);
    }
}

#[test]
fn library_is_named_by_its_interface() {
    if available("readelf") {
        let header = succeed(Command::new("readelf").arg("-d").arg(built().join("libbroadaxe_c.so")));
        let name = format!("[libbroadaxe_c.so.{BX_ABI_VERSION}]");
        assert!(header.contains(&name), "{header}");
    }
}
