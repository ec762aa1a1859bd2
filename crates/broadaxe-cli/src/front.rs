//! Reads the command line, runs a subcommand, prints its answer and gives the exit code.

use std::{
    borrow::Cow,
    ffi::OsString,
    fmt::{self, Display},
    io::{self, Write},
};

use anstyle::{AnsiColor, Style};
use clap::{CommandFactory, Parser};

use crate::{
    answer::{Answer, Converting, write_texts},
    args::{CheckArgs, Cli, ColorWhen, Command, complete},
    cmd::{self, model::watch::Seen},
    error::{Error, escaped_json, written},
    link, stop, terminal, tips,
};

/// Runs the command with these arguments, of which the first is its name, and returns the exit code.
///
/// Every subcommand prints something, so none runs if standard output was closed when the process was started.
pub fn main_with(args: &[OsString], output_is_closed: bool) -> u8 {
    if output_is_closed {
        return tell(&Error::closed_output());
    }
    match complete::answered(args, Cli::command) {
        Ok(false) => {}
        Ok(true) => return 0,
        Err(error) => return tell(&error),
    }
    // Without handlers an interrupted run leaves a temporary file, which the next run removes.
    let _ = stop::watch();
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(mut error) => {
            tips::add(&mut error, args);
            return misused(&error, args);
        }
    };
    color(cli.color);
    link::look();
    match &cli.command {
        Command::Check(args) if args.watch => watch(&cli, args).unwrap_or_else(|error| tell(&error)),
        _ => once(&cli),
    }
}

/// Runs a subcommand, prints its answer and returns the exit code.
fn once(cli: &Cli) -> u8 {
    let answer = run(&cli.command, cli.json);
    let code = match &answer {
        Ok(answer) => answer.code(),
        Err(error) => error.kind().code(),
    };
    let printed = match (&answer, cli.json) {
        (Ok(answer), true) => print_json(&answer.json),
        (Ok(answer), false) => {
            let printed = print(!answer.is_for_programs(), |to| answer.write(to));
            note(&answer.notes);
            answer.errors.iter().for_each(|error| _ = tell(error));
            printed
        }
        (Err(error), true) => print_json(&error.to_json()),
        (Err(error), false) => {
            tell(error);
            Ok(())
        }
    };
    printed.map_or_else(|error| tell(&error).max(code), |()| code)
}

/// Checks, and again when a file changes, until the process is stopped.
fn watch(cli: &Cli, args: &CheckArgs) -> Result<u8, Error> {
    if cli.json {
        return Err(Error::usage("--watch prints one report after the other; leave --json out"));
    }
    let mut seen = Seen::look(args)?;
    loop {
        // The next check finds what changes meanwhile.
        once(cli);
        note(&[seen.count()]);
        let (now, said) = seen.wait(args)?;
        seen = now;
        note(&[said]);
    }
}

/// Decides about colours for the whole run.
fn color(when: ColorWhen) {
    let is_forced = std::env::var_os("FORCE_COLOR").is_some_and(|value| !value.is_empty() && value != "0");
    let choice = match when {
        ColorWhen::Always => anstream::ColorChoice::AlwaysAnsi,
        ColorWhen::Never => anstream::ColorChoice::Never,
        ColorWhen::Auto if is_forced => anstream::ColorChoice::AlwaysAnsi,
        ColorWhen::Auto => anstream::ColorChoice::Auto,
    };
    choice.write_global();
}

/// Answers a command line that says nothing to run: one that asks for help, and one that is wrong.
fn misused(error: &clap::Error, args: &[OsString]) -> u8 {
    let said = |option: &str| args.iter().take_while(|arg| *arg != "--").any(|arg| arg == option);
    if error.kind() == clap::error::ErrorKind::DisplayVersion && (said("--verbose") || said("--json")) {
        let answer = cmd::version::run();
        let printed = if said("--json") { print_json(&answer.json) } else { print(true, |to| answer.write(to)) };
        return printed.map_or_else(|error| tell(&error), |()| 0);
    }
    if error.use_stderr() && said("--json") {
        let error = Error::usage(sentence(error));
        return print_json(&error.to_json()).map_or_else(|e| tell(&e), |()| error.kind().code());
    }
    if error.use_stderr() {
        let text = terminal::fitted(&error.render().ansi().to_string(), terminal::error_columns());
        let _ = anstream::stderr().write_all(text.as_bytes());
        return 2;
    }
    let printed = written(error.print().and_then(|()| io::stdout().flush()));
    // Asking for help is no error, unless it cannot be written.
    printed.map_or_else(|e| tell(&e), |()| 0)
}

/// Says in one line what is wrong with a command line, without the usage that is shown below it.
fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let said = text.split("\n\n").filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"));
    let said = said.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let said = said.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    said.strip_prefix("error: ").unwrap_or(&said).to_owned()
}

fn run(command: &Command, json: bool) -> Result<Answer, Error> {
    match command {
        Command::Check(args) => cmd::model::check(args, json),
        Command::Fix(args) => cmd::model::fix(args, json),
        Command::Upgrade(args) => cmd::model::upgrade(args, json),
        Command::List(args) => cmd::model::list(args, json),
        Command::Diff(args) => cmd::model::diff(args, json),
        Command::Census(args) => cmd::model::census(args),
        Command::Sizes(args) => cmd::model::sizes(args),
        Command::Extract(args) => cmd::model::extract(args),
        Command::Targets(args) => cmd::model::targets(args),
        Command::Schema(args) => Ok(cmd::model::schema(args.what)),
        Command::Rules(args) => cmd::rules::run(args),
        Command::Ops(args) => cmd::ops::run(args),
        Command::Shape(args) => cmd::shape::run(args),
        Command::Compare(args) => cmd::compare::run(args),
        Command::Explain(args) => cmd::explain::run(args),
        Command::Ls(args) => cmd::ls::run(args),
        Command::Eval(args) => cmd::eval::run(args, json),
        Command::Page(args) => cmd::page::run(args),
        Command::Atlas(args) => cmd::atlas::run(args),
        Command::Completions { shell } => cmd::completions::run(*shell),
        Command::Man(args) => cmd::man::run(args, Cli::command()),
    }
}

/// Writes to standard output, piece by piece; what people read in ASCII, unless the locale has UTF-8. Colours are taken out unless it is
/// a terminal that shows them.
fn print(for_people: bool, write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> Result<(), Error> {
    let drawn: fn(&str) -> Cow<'_, str> =
        if !for_people || terminal::is_utf8() { |text| text.into() } else { |text| terminal::ascii(text).into() };
    let mut out = io::BufWriter::with_capacity(BUFFER_BYTES, anstream::AutoStream::auto(io::stdout().lock()));
    let printed = write_texts(&mut out, |to| write(&mut Converting(to, drawn)));
    written(printed.and_then(|()| out.flush()))
}

/// Writes JSON of which terminals obey nothing to standard output, piece by piece.
fn print_json(value: &impl Display) -> Result<(), Error> {
    let mut out = io::BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
    let printed = write_texts(&mut out, |to| fmt::write(&mut Converting(to, escaped_json), format_args!("{value}\n")));
    written(printed.and_then(|()| out.flush()))
}

/// How many bytes are written to standard output at once.
const BUFFER_BYTES: usize = 1 << 16;

/// Writes notes to standard error.
fn note(notes: &[String]) {
    let bold = Style::new().bold();
    for text in notes {
        let text = terminal::fitted(&format!("{bold}note{bold:#}: {text}\n"), terminal::error_columns());
        let _ = anstream::stderr().write_all(text.as_bytes());
    }
}

/// Writes an error to standard error and returns its exit code. A closed standard error is not another failure.
fn tell(error: &Error) -> u8 {
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let mut text = format!("{red}error{red:#}: {error}\n");
    if let Some(detail) = error.detail() {
        text += detail;
        text += "\n";
    }
    let text = terminal::fitted(&text, terminal::error_columns());
    let _ = anstream::stderr().write_all(text.as_bytes());
    error.kind().code()
}
