//! `broadaxe man`: prints the manual page of the command or of a subcommand, or writes them all.

use std::io::Write;

use clap::Command;
use serde_json::json;

use crate::{answer::Answer, args::ManArgs, error::Error, file::write::Whole};

/// Prints a page, or writes all of them to a folder.
///
/// # Errors
/// When there is no such subcommand, or a page cannot be written.
pub fn run(args: &ManArgs, command: Command) -> Result<Answer, Error> {
    let pages = pages(command)?;
    if let Some(folder) = &args.dir {
        let (mut text, mut files) = (String::new(), Vec::new());
        for (name, page) in &pages {
            let path = folder.join(format!("{name}.1"));
            Whole::create(&path)?.save(|to| to.write_all(page.as_bytes()))?;
            text += &format!("{}: written\n", path.display());
            files.push(path.display().to_string());
        }
        return Ok(Answer::new(text, json!({ "files": files })));
    }
    let wanted = args.subcommand.as_ref().map_or_else(|| "broadaxe".to_owned(), |name| format!("broadaxe-{name}"));
    let found = pages.into_iter().find(|(name, _)| *name == wanted);
    let (_, page) = found.ok_or_else(|| {
        let name = args.subcommand.as_deref().unwrap_or_default();
        Error::usage(format!("broadaxe has no subcommand '{name}'; 'broadaxe --help' lists them"))
    })?;
    Ok(Answer::new(page.clone(), json!({ "page": page })))
}

/// Makes the page of the command and those of its subcommands, each with its name.
fn pages(mut command: Command) -> Result<Vec<(String, String)>, Error> {
    // A page does not depend on the width of a terminal.
    command = command.term_width(0).disable_help_subcommand(true);
    command.build();
    let mut named = Vec::new();
    collect("broadaxe", &command, &mut named);
    let page = |(name, command): (String, Command)| {
        let mut bytes = Vec::new();
        let page = clap_mangen::Man::new(command).source(concat!("broadaxe ", env!("CARGO_PKG_VERSION")));
        page.render(&mut bytes).map_err(|error| Error::output(&error))?;
        Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
    };
    named.into_iter().map(page).collect()
}

/// Lists a command and the subcommands below it, each with the name of its page: `broadaxe-atlas-run`.
fn collect(name: &str, command: &Command, found: &mut Vec<(String, Command)>) {
    found.push((name.to_owned(), command.clone()));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        collect(&format!("{name}-{}", sub.get_name()), sub, found);
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_subcommand_has_a_page() {
        let pages = pages(Cli::command()).unwrap();
        let command = Cli::command();
        let names: Vec<String> = command.get_subcommands().map(|sub| format!("broadaxe-{}", sub.get_name())).collect();
        let found: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found[0], "broadaxe");
        assert!(names.iter().all(|name| found.contains(&name.as_str())), "{found:?}");
        assert!(found.contains(&"broadaxe-atlas-run"));
        for (name, page) in &pages {
            let title = format!(".TH {name} 1  \"broadaxe {}\"", env!("CARGO_PKG_VERSION"));
            assert!(page.lines().any(|line| line.starts_with(&title)), "{name}: {page}");
            assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"), "{name}: {page}");
        }
    }
}
