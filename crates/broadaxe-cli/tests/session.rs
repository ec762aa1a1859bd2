//! The command, the session, C and Python answer the same requests with the same JSON.

#[cfg(unix)]
#[path = "shared/engine.rs"]
mod engine;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use broadaxe_cli::{
    answer::Answer,
    args::{Cli, Command, PictureArgs},
    cmd::{compare, explain, model, shape},
    error::Error,
    session::{
        answer::answer,
        request::{
            AskRequest, CensusRequest, CheckRequest, CompareRequest, DiffRequest, ExplainRequest, FailOn, FixRequest,
            Inputs, ListRequest, Out, Request, RuleRequest, ShapeRequest, SizesRequest, UpgradeRequest,
        },
        stream,
    },
};
use broadaxe_models::report::Shown;
use broadaxe_shape::{AxisParam, RULES};
use broadaxe_testing::random::Random;
use clap::Parser;

/// How many requests are about models, and how many are about rules.
const REQUESTS: usize = 330;
/// How many requests ask an engine.
#[cfg(unix)]
const ENGINE_REQUESTS: usize = 10;
/// How many requests of each kind have an answer that is no error, at the least.
const FEWEST: usize = 8;

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

/// Draws a file, mostly of a model.
fn drawn_file(random: &mut Random, files: &[PathBuf]) -> PathBuf {
    let is_model = |path: &&PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["onnx", "xml", "param", "pdmodel", "json", "tflite"].contains(&extension))
    };
    let models: Vec<&PathBuf> = files.iter().filter(is_model).collect();
    if random.once_in(4) { random.one_of(files).clone() } else { (*random.one_of(&models)).clone() }
}

/// Draws some of a list.
fn some(random: &mut Random, list: &[&str], most: usize) -> Vec<String> {
    let count = random.below(most + 1);
    (0..count).map(|_| (*random.one_of(list)).to_owned()).collect()
}

/// Draws a request about models.
fn about_models(random: &mut Random, models: &[PathBuf]) -> Asked {
    let (model, other) = (drawn_file(random, models), drawn_file(random, models));
    let most_shapes = if random.once_in(6) { 2 } else { 0 };
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
            // Nothing can be written there, so that the model is planned, judged and rejected.
            let out = if random.once_in(5) { Out::File("no/such/out.onnx".into()) } else { Out::Nowhere };
            say(if out == Out::Nowhere { &["--dry-run"] } else { &["-o", "no/such/out.onnx"] });
            say(if flag { &["--no-verify"] } else { &[] });
            say(&["--", &file]);
            Request::Upgrade(UpgradeRequest { model, out, no_verify: flag })
        }
        3 => {
            say(&["--", &file, &other.display().to_string()]);
            Request::Census(CensusRequest { models: vec![model, other], search: true, input_shapes })
        }
        4 => {
            let sweep =
                (*random.one_of(&["n=1..9", "x[0]=1..8", "x[0]=2..3", "batch=1..20", "n=9..1", "n"])).to_owned();
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

/// Draws shapes, most of which broadcast; some have dims that are not known, and some are none.
fn drawn_shapes(random: &mut Random) -> Vec<String> {
    let count = 1 + random.below(3);
    let shapes = if random.once_in(4) {
        (0..count).map(|_| random.shape(4, 4)).collect()
    } else {
        random.broadcastable(count, 4, 5).0
    };
    let is_open = random.once_in(3);
    let mut dim = |dim: usize| match random.below(if is_open { 12 } else { 200 }) {
        0 => "n".to_owned(),
        1 => "?".to_owned(),
        2 => "1..4".to_owned(),
        _ => dim.to_string(),
    };
    let text = |dims: Vec<usize>| format!("({})", dims.into_iter().map(|size| dim(size) + ",").collect::<String>());
    let mut texts: Vec<String> = shapes.into_iter().map(text).collect();
    if random.once_in(20) {
        texts.push((*random.one_of(&["2,-1", "x y", "9223372036854775807,3", "model.onnx"])).to_owned());
    }
    texts
}

/// Draws a rule for these shapes, with parameters, most of which it has; returns it with the words that choose it.
fn drawn_rule(random: &mut Random, shapes: &mut Vec<String>) -> (RuleRequest, Vec<String>) {
    let def = random.one_of(RULES);
    shapes.truncate(def.operands.1);
    let names = [&[def.name], def.aliases].concat();
    let mut rule = RuleRequest { rule: (*random.one_of(&names)).to_owned(), ..RuleRequest::default() };
    let has_axis = def.axis != AxisParam::None;
    rule.axis = random.once_in(if has_axis { 2 } else { 12 }).then(|| random.below(6) as i64 - 2);
    rule.axes = def.axes.then(|| (*random.one_of(&["0", "0,1", "[1]", "()", "0,,1"])).to_owned());
    rule.target = (def.target && !random.once_in(4)).then(|| random.one_of(shapes).clone());
    rule.mode = def.modes.last().filter(|_| random.once_in(2)).map(ToString::to_string);
    let mut words = vec![format!("--rule={}", rule.rule)];
    words.extend(rule.axis.map(|axis| format!("--axis={axis}")));
    let texts = [("axes", &rule.axes), ("target", &rule.target), ("mode", &rule.mode)];
    words.extend(texts.iter().filter_map(|(name, text)| Some(format!("--{name}={}", text.as_ref()?))));
    (rule, words)
}

/// Draws a request about rules.
fn about_rules(random: &mut Random, models: &[PathBuf]) -> Asked {
    let mut shapes = drawn_shapes(random);
    let (name, mut words, request) = match random.below(4) {
        0 => ("compare", Vec::new(), Request::Compare(CompareRequest { shapes: shapes.clone() })),
        1 => {
            let ((rule, mut words), row_major) = (drawn_rule(random, &mut shapes), random.once_in(2));
            words.extend(row_major.then(|| "--row-major".to_owned()));
            ("shape", words, Request::Shape(ShapeRequest { rule, row_major, shapes: shapes.clone() }))
        }
        kind => {
            let (mut rule, mut words) = drawn_rule(random, &mut shapes);
            let mut node = None;
            if random.once_in(10) {
                shapes = vec![(*random.one_of(&["BX101", "bx999"])).to_owned()];
            } else if kind == 3 {
                (rule, shapes) = (RuleRequest::default(), vec![drawn_file(random, models).display().to_string()]);
                let name = format!("#{}", random.below(4));
                (words, node) = (vec![format!("--node={name}")], Some(name));
            }
            let most_dtypes = if random.once_in(3) { 2 } else { 1 };
            let dtypes = some(random, &["f32", "f16", "i64", "bool", "f8"], most_dtypes);
            words.extend(dtypes.first().map(|_| format!("--dtype={}", dtypes.join(","))));
            let request = ExplainRequest { rule, dtypes, node, shapes: shapes.clone(), ..ExplainRequest::default() };
            ("explain", words, Request::Explain(request))
        }
    };
    words.splice(0..0, ["broadaxe", "--json", name].map(str::to_owned));
    words.push("--".to_owned());
    words.extend(shapes);
    Asked { words, request }
}

/// Draws a request that asks an engine which ends its process, one that is not installed, or one that does not exist.
#[cfg(unix)]
fn about_engines(random: &mut Random, engines: &Path) -> Asked {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let model = root.join(*random.one_of(&["examples/face.onnx", "examples/face.onnx", "examples/README.md"]));
    let engine = *random.one_of(&["ort", "onnxruntime@9.1", "ort,ort", "onnxruntime@9.2", "onnxruntim"]);
    let (targets, nodes) = (some(random, &["onnx6"], 1), random.once_in(2));
    let ask = AskRequest {
        engines: vec![engine.to_owned()],
        folders: vec![engines.to_owned()],
        nodes,
        seconds: 20,
        no_cache: true,
        ..AskRequest::default()
    };
    let (folder, file) = (engines.display().to_string(), model.display().to_string());
    let mut words: Vec<&str> = vec!["broadaxe", "--json", "check", "--no-config", "--no-cache", "--ask-seconds", "20"];
    words.extend(["--ask", engine, "--engines", &folder]);
    words.extend(nodes.then_some("--ask-nodes"));
    words.extend(targets.iter().flat_map(|target| ["--for", target]));
    words.extend(["--", &file]);
    let words = words.into_iter().map(str::to_owned).collect();
    let request = CheckRequest { models: vec![model], search: true, targets, ask: Some(ask), ..Default::default() };
    Asked { words, request: Request::Check(request) }
}

/// What is answered: the JSON, and whether the command ends with exit code 1; or the JSON of an error.
type Told = Result<(String, bool), String>;

fn of_error(error: &Error) -> String {
    error.to_json().to_string()
}

/// Asks the command.
fn command(words: &[String]) -> Told {
    let answer: Result<Answer, Error> = match Cli::try_parse_from(words).expect("a command line").command {
        Command::Check(args) => model::check(&args, true),
        Command::Fix(args) => model::fix(&args, true),
        Command::Upgrade(args) => model::upgrade(&args, true),
        Command::Census(args) => model::census(&args),
        Command::Sizes(args) => model::sizes(&args),
        Command::List(args) => model::list(&args, true),
        Command::Diff(args) => model::diff(&args, true),
        Command::Compare(args) => compare::run(&args),
        Command::Shape(args) => shape::run(&args),
        Command::Explain(args) => explain::run(&args),
        other => panic!("{other:?}"),
    };
    answer.map(|answer| (answer.json.to_string(), answer.refused)).map_err(|error| of_error(&error))
}

/// Asks the session, which reads what a program would send.
fn rust(request: &Request) -> Told {
    answer(request, &stream::open).map(|response| (response.json, response.fails)).map_err(|error| of_error(&error))
}

/// Asks the C library, below the function that reads its pointers.
fn c(sent: &str) -> Told {
    let (response, failure) = broadaxe_c::models::request(sent);
    if failure.is_some() { Err(response.json) } else { Ok((response.json, response.fails)) }
}

/// Asks what the Python module calls.
fn python(request: &Request) -> Told {
    let held = model::answered(request, Shown::default(), &PictureArgs::default(), &stream::open);
    held.map(|held| (held.answer.json.to_string(), held.answer.refused)).map_err(|error| of_error(&error))
}

/// Says whether Python raises an error where the command answers: about one file of several, and about changes that are not verified.
fn may_raise(request: &Request) -> bool {
    matches!(request, Request::Check(_) | Request::Census(_) | Request::Fix(_) | Request::Upgrade(_))
}

/// Asks every interface; returns what the command says, and what others say that differs.
fn told(Asked { words, request }: &Asked) -> (Told, Vec<String>) {
    let sent = serde_json::to_string(request).unwrap();
    let read: Request = serde_json::from_str(&sent).unwrap();
    assert_eq!(read, *request, "{sent}");
    let want = command(words);
    let python = Some(python(&read)).filter(|told| told.is_ok() || !may_raise(request));
    let told = [("Rust", Some(rust(&read))), ("C", Some(c(&sent))), ("Python", python)];
    let told = told.into_iter().filter_map(|(front, told)| Some((front, told?)));
    let differs = told.filter(|(_, told)| *told != want);
    let wrong = differs.map(|(front, told)| format!("{}\n  {front}: {told:?}\n  {want:?}", words.join(" ")));
    let wrong = wrong.collect();
    (want, wrong)
}

#[test]
fn every_front_gives_the_same_answers() {
    let (models, mut random) = (models(), Random::new(64));
    let (mut wrong, mut answers) = (Vec::new(), BTreeMap::new());
    for k in 0..2 * REQUESTS {
        let asked = if k < REQUESTS { about_models(&mut random, &models) } else { about_rules(&mut random, &models) };
        let (want, differs) = told(&asked);
        *answers.entry(asked.words[2].clone()).or_insert(0) += usize::from(want.is_ok());
        wrong.extend(differs);
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(answers.values().all(|&count| count > FEWEST), "few requests had an answer: {answers:?}");
}

#[cfg(unix)]
#[test]
fn every_front_asks_engines() {
    let folder = std::env::temp_dir().join(format!("broadaxe-session-{}", std::process::id()));
    engine::install(&folder);
    let (mut random, mut wrong, mut answers) = (Random::new(65), Vec::new(), 0);
    for _ in 0..ENGINE_REQUESTS {
        let (want, differs) = told(&about_engines(&mut random, &folder.join("engines")));
        answers += usize::from(want.is_ok_and(|(json, _)| json.contains("\"asked now\"")));
        wrong.extend(differs);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
    assert!(answers > 1, "few engines were asked: {answers}");
}
