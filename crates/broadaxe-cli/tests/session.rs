//! The command and the session answer the same requests with the same JSON.

use std::path::{Path, PathBuf};

use broadaxe_cli::{
    answer::Answer,
    args::{Cli, Command},
    cmd::model,
    error::Error,
    session::{
        answer::answer,
        request::{
            CensusRequest, CheckRequest, DiffRequest, FailOn, FixRequest, Inputs, ListRequest, Request, SizesRequest,
            UpgradeRequest,
        },
        stream,
    },
};
use broadaxe_testing::random::Random;
use clap::Parser;

const REQUESTS: usize = 300;

const TARGETS: [&str; 7] = ["onnx", "openvino", "ncnn", "litert", "rank<=3", "mnn@3.0.0", "none of these"];
const SHAPES: [&str; 4] = ["image:1,3,8,8", "data:1,3,4", "input:?,3", "broken"];

/// A request, and the arguments of the command that ask the same.
struct Asked {
    words: Vec<String>,
    request: Request,
}

/// Lists the models of the repository, some files that are none, and one that does not exist.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.join("crates/broadaxe-format/tests/models"), root.join("examples")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files.push("no/such/model.onnx".into());
    files
}

/// Draws some of a list.
fn some(random: &mut Random, list: &[&str], most: usize) -> Vec<String> {
    let count = random.below(most + 1);
    (0..count).map(|_| (*random.one_of(list)).to_owned()).collect()
}

fn asked(random: &mut Random, models: &[PathBuf]) -> Asked {
    let (model, other) = (random.one_of(models).clone(), random.one_of(models).clone());
    let most_shapes = if random.once_in(3) { 2 } else { 0 };
    let (targets, shapes) = (some(random, &TARGETS, 3), some(random, &SHAPES, most_shapes));
    let flag = random.once_in(2);
    let mut words: Vec<String> = Vec::new();
    let mut say = |more: &[&str]| words.extend(more.iter().map(|&word| word.to_owned()));
    let input_shapes = Inputs::new(&shapes);
    let kind = random.below(7);
    let file = model.display().to_string();
    if matches!(kind, 0 | 1 | 5) && !targets.is_empty() {
        say(&["--for", &targets.join(",")]);
    }
    if kind != 2 {
        for shape in &shapes {
            say(&["--input-shape", shape]);
        }
    }
    let request = match kind {
        0 => {
            say(&["--no-config", "--no-cache"]);
            let fail_on = if flag { vec![FailOn::Unknown] } else { Vec::new() };
            for verdict in &fail_on {
                say(&["--fail-on", verdict.name()]);
            }
            let exit_zero = random.once_in(4);
            say(if exit_zero { &["--exit-zero"] } else { &[] });
            let skip_others = random.once_in(2);
            say(if skip_others { &["--skip-others"] } else { &[] });
            let models = vec![model, other.clone()];
            say(&["--", &file, &other.display().to_string()]);
            let request =
                CheckRequest { models, search: true, skip_others, targets, input_shapes, ..Default::default() };
            Request::Check(CheckRequest { fail_on, exit_zero, ..request })
        }
        1 => {
            say(&["--no-config", "--dry-run"]);
            say(if flag { &["--no-verify"] } else { &[] });
            let intend = random.once_in(3).then(|| "channels".to_owned());
            say(if intend.is_some() { &["--intend", "channels"] } else { &[] });
            say(&["--", &file]);
            Request::Fix(FixRequest { model, targets, input_shapes, intend, no_verify: flag, ..Default::default() })
        }
        2 => {
            say(&["--dry-run"]);
            say(if flag { &["--no-verify"] } else { &[] });
            say(&["--", &file]);
            Request::Upgrade(UpgradeRequest { model, no_verify: flag, ..Default::default() })
        }
        3 => {
            say(&["--", &file, &other.display().to_string()]);
            Request::Census(CensusRequest { models: vec![model, other], search: true, input_shapes })
        }
        4 => {
            let sweep = (*random.one_of(&["n=1..9", "N=1..40", "d0=1..20", "n=9..1", "n"])).to_owned();
            say(&["--sweep", &sweep, "--", &file]);
            Request::Sizes(SizesRequest { model, sweep, input_shapes })
        }
        5 => {
            let (ops, verdicts) =
                (some(random, &["*add*", "prelu", "F.*", "["], 2), some(random, &["same", "differs"], 1));
            for op in &ops {
                say(&["--op", op]);
            }
            for verdict in &verdicts {
                say(&["--verdict", verdict]);
            }
            say(if flag { &["--all"] } else { &[] });
            say(&["--", &file]);
            Request::List(ListRequest { model, ops, targets, verdicts, all: flag, input_shapes, ..Default::default() })
        }
        _ => {
            let b = if flag { model.clone() } else { other };
            say(&["--", &file, &b.display().to_string()]);
            Request::Diff(DiffRequest { a: model, b, input_shapes })
        }
    };
    let name = ["check", "fix", "upgrade", "census", "sizes", "list", "diff"][kind];
    words.splice(0..0, ["broadaxe", "--json", name].map(str::to_owned));
    Asked { words, request }
}

/// Runs the command; returns its JSON, and whether it ends with exit code 1.
fn commanded(words: &[String]) -> Result<(String, bool), Error> {
    let answer: Answer = match Cli::try_parse_from(words).expect("a command line").command {
        Command::Check(args) => model::check(&args, true),
        Command::Fix(args) => model::fix(&args, true),
        Command::Upgrade(args) => model::upgrade(&args, true),
        Command::Census(args) => model::census(&args),
        Command::Sizes(args) => model::sizes(&args),
        Command::List(args) => model::list(&args, true),
        Command::Diff(args) => model::diff(&args, true),
        other => panic!("{other:?}"),
    }?;
    Ok((answer.json.to_string(), answer.refused))
}

#[test]
fn the_command_and_the_session_agree() {
    let (models, mut random) = (models(), Random::new(64));
    let (mut wrong, mut answers) = (Vec::new(), 0);
    for _ in 0..REQUESTS {
        let Asked { words, request } = asked(&mut random, &models);
        // The session reads what a program would send.
        let sent = serde_json::to_string(&request).unwrap();
        let request: Request = serde_json::from_str(&sent).unwrap();
        let of_error = |error: Error| error.to_json().to_string();
        let want = commanded(&words).map_err(of_error);
        let got = answer(&request, &stream::open).map(|response| (response.json, response.fails)).map_err(of_error);
        answers += usize::from(want.is_ok());
        if got != want {
            wrong.push(format!("{}\n  {got:?}\n  {want:?}", words.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {REQUESTS}: {}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(answers > REQUESTS / 4, "only {answers} of {REQUESTS} requests had an answer");
}
