//! The command as a process: exit codes, closed and full outputs, signals, and files that stay as they were.

#![cfg(unix)]

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

const BIN: &str = env!("CARGO_BIN_EXE_broadaxe");

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("broadaxe-process-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        folder.array("a.npy", &[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        folder.array("b.npy", &[3], &[10.0, 20.0, 30.0]);
        folder
    }

    fn array(&self, name: &str, shape: &[usize], values: &[f32]) {
        let shape = broadaxe_shape::Shape::from(shape);
        let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let bytes = [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), &data].concat();
        fs::write(self.0.join(name), bytes).unwrap();
    }

    /// Makes arrays whose sum keeps a processor busy for many seconds.
    fn slow(&self) -> Command {
        self.array("x.npy", &[4000, 1], &vec![0.5; 4000]);
        self.array("y.npy", &[5000], &vec![0.25; 5000]);
        let mut expression = "x + y".to_owned();
        for _ in 0..25 {
            expression = format!("tan(sin({expression}))");
        }
        let mut command = self.command();
        command.args(["eval", &expression, "x=x.npy", "y=y.npy", "--threads", "1", "-o", "out.npy"]);
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new(BIN);
        command.current_dir(&self.0);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command().args(args).output().unwrap()
    }

    /// Lists the names in the folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn exit_codes() {
    let folder = Folder::new("codes");
    fs::write(folder.0.join("cut.npy"), b"\x93NUMPY\x01\0").unwrap();
    let cases: &[(&[&str], i32)] = &[
        (&["--help"], 0),
        (&["--version"], 0),
        (&["rules"], 0),
        (&["shape", "2,3", "3"], 0),
        (&["shape", "--rule", "pdpd", "--axis", "-1", "2,3", "3"], 0),
        (&["shape", "2,3", "4"], 1),
        (&["shape", "--rule", "pdpd", "--axis", "-2", "2,3", "3"], 1),
        (&["shape", "2,,3"], 2),
        (&["shape"], 2),
        (&["shape", "--rule", "nosuch", "2"], 2),
        (&["shape", "--axis", "1", "2"], 2),
        (&["nosuch"], 2),
        (&[], 2),
        (&["compare", "2,3", "4,5"], 1),
        (&["compare", "2,2", "2"], 0),
        (&["ops", "nosuch"], 2),
        (&["explain", "2", "--dtype", "nosuch"], 2),
        (&["eval", "a + b", "a=a.npy", "b=b.npy"], 0),
        (&["eval", "-a", "a=a.npy"], 0),
        (&["eval", "a + b", "a=a.npy", "b=cut.npy"], 2),
        (&["eval", "a + b", "a=a.npy", "b=nosuch.npy"], 2),
        (&["eval", "a + b", "a=a.npy"], 2),
        (&["eval", "a", "a=a.npy", "b=b.npy"], 2),
        (&["eval", "a +", "a=a.npy"], 2),
        (&["eval", "a + b", "a=b.npy", "b=a.npy", "--rule", "none"], 1),
        (&["eval", "cast(a, 'i32') // 0", "a=a.npy"], 1),
        (&["eval", "a + b", "a=a.npy", "b=b.npy", "--max-bytes", "40"], 2),
        (&["shape", "--rule", "broadcast-to", "--target", "2", "1", "1"], 2),
        (&["eval", "a", "a=a.npy", "-o", "out.txt"], 2),
        (&["eval", "a", "a=a.npy", "-o", "nosuch/out.npy"], 2),
        (&["eval", "a", "a=a.npy", "-o", "a.npy/out.npy"], 2),
        (&["eval", "a", "a=/dev/null"], 2),
        (&["eval", "a", "a=."], 2),
    ];
    let mut failures = Vec::new();
    for (args, want) in cases {
        for json in [&[][..], &["--json"]] {
            let output = folder.run(&[args, json].concat());
            if code(&output) != Some(*want) {
                failures.push(format!("{args:?} {json:?}: {:?}, not {want}\n{}", code(&output), stderr(&output)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(folder.names(), ["a.npy", "b.npy", "cut.npy"], "nothing is left behind");
}

#[test]
fn errors_are_json_where_asked() {
    let folder = Folder::new("json");
    let output = folder.run(&["shape", "--json", "3,1,5", "4,4,5"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "{\"error\":{\"kind\":\"mismatch\",\"axis\":0,\"sizes\":[3,4],\"message\":\"broadcast of a (3, 1, 5) with b (4, 4, 5) \
         under numpy: axis 0 is 3 in a and 4 in b; they must be equal or 1\"}}"
    );
    fs::write(folder.0.join("c.npy"), b"\x93NUMPY\x09\0xxxx").unwrap();
    let output = folder.run(&["eval", "c", "c=c.npy", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = &value["error"];
    assert_eq!((&error["kind"], &error["field"], &error["offset"]), (&"file".into(), &"version".into(), &6.into()));
}

#[test]
fn wrong_command_lines_are_json_where_asked() {
    let folder = Folder::new("usage");
    let cases: &[(&[&str], &str)] = &[
        (&["--json"], "requires a subcommand"),
        (&["--json", "shape"], "were not provided: <SHAPE>..."),
        (&["--json", "nosuch"], "unrecognized subcommand 'nosuch'"),
        (&["shape", "2", "--rule", "numpi", "--json"], "a similar value exists: 'numpy'"),
        (&["shape", "2", "--rule", "pdpd", "--axis", "x", "--json"], "invalid value 'x'"),
        (&["shape", "2", "--rule", "bidirectional", "--target", "-1,2", "--json"], "'-1' in '-1,2' is negative"),
        (&["shape", "2,-1", "--json"], "'-1' is negative"),
        (&["shape", "2", "--rule", "explicit", "--axes", "0,,1", "--target", "2", "--json"], "is not an axis"),
        (&["eval", "--json", "a", "--threads", "0"], "1..=1024"),
        (&["eval", "--json", "a", "a=1", "--max-bytes", "-1"], "'-1' is not a number of bytes"),
    ];
    for (args, words) in cases {
        let output = folder.run(args);
        assert_eq!((code(&output), stderr(&output).as_str()), (Some(2), ""), "{args:?}");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let message = value["error"]["message"].as_str().unwrap();
        assert!(message.contains(words) && !message.contains('\n'), "{args:?}: {message}");
    }
}

#[test]
fn narrow_terminals_break_no_words() {
    let folder = Folder::new("narrow");
    let words = |args: &[&str], columns: usize| {
        let output = folder.command().args(args).env("COLUMNS", columns.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            args == ["rules"] && columns < 80 || text.contains('─') || columns < 60,
            "{args:?} at {columns}: {text}"
        );
        text.split_whitespace().map(|word| word.trim_matches([',', ':']).to_owned()).collect::<Vec<_>>()
    };
    for args in [&["rules"][..], &["compare", "2,4,4", "4"]] {
        let whole = words(args, 400);
        for columns in [20, 40, 50, 60, 80] {
            for word in words(args, columns).iter().filter(|word| word.contains(char::is_alphanumeric)) {
                assert!(whole.contains(word), "{args:?} at {columns}: {word}");
            }
        }
    }
}

#[test]
fn an_unknown_rank_is_no_rank_of_zero() {
    let folder = Folder::new("rank");
    for (shape, want) in [("...", "null"), ("()", "[]"), ("?", "[\"?\"]")] {
        let output = folder.run(&["shape", "--json", shape]);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["shape"].to_string(), want, "{shape}");
    }
}

#[test]
fn refused_threads_are_done_without() {
    let folder = Folder::new("threads");
    folder.array("wide.npy", &[1000, 1], &[1.0; 1000]);
    folder.array("long.npy", &[1000], &[2.0; 1000]);
    let mut files = Vec::new();
    for (threads, limit) in [("1", "unlimited"), ("1000", "300000"), ("1000", "60000")] {
        let run = format!("exec {BIN} eval 'a + b' a=wide.npy b=long.npy -o out.npy --threads {threads}");
        let script = format!("ulimit -v {limit}; {run}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
        assert_eq!(code(&output), Some(0), "{limit}: {}", stderr(&output));
        files.push(fs::read(folder.0.join("out.npy")).unwrap());
    }
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_full_output_is_an_error() {
    let folder = Folder::new("full");
    for args in [&["rules"][..], &["--help"], &["ops", "--json"], &["man"], &["completions", "bash"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command().args(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(code(&output), Some(2), "{args:?}");
        assert!(stderr(&output).contains("cannot write to standard output"), "{args:?}: {}", stderr(&output));

        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let output = folder.command().args(args).stdout(closed).stderr(Stdio::piped()).output().unwrap();
        assert_eq!((code(&output), stderr(&output)), (Some(0), String::new()), "{args:?}: the reader has read enough");
    }
}

/// Nothing can be printed, and no file may get what should be printed.
#[test]
fn a_closed_output_is_an_error() {
    use clap::CommandFactory;

    let folder = Folder::new("closed");
    let run = |args: &str, streams: &str| {
        let script = format!("exec {BIN} {args} {streams}");
        Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap()
    };
    let help = broadaxe_cli::args::Cli::command();
    let mut lines: Vec<String> = help.get_subcommands().map(|one| format!("{} --help", one.get_name())).collect();
    let others =
        ["", "--help", "--version", "--version --json", "rules", "rules --json", "ops", "shape 2 3", "ls a.npy"];
    lines.extend(others.map(str::to_owned));
    let others =
        ["completions bash", "page -o -", "man", "eval a a=a.npy -o -", "eval a a=a.npy -o out.npy", "targets"];
    lines.extend(others.map(str::to_owned));
    for line in lines {
        for streams in [">&-", "<&- >&-"] {
            let output = run(&line, streams);
            let said = stderr(&output);
            assert_eq!(code(&output), Some(2), "{line}: {said}");
            assert!(said.starts_with("error: standard output is closed, so nothing was done;"), "{line}: {said}");
        }
        assert_eq!(code(&run(&line, ">&- 2>&-")), Some(2), "{line}");
    }
    assert_eq!(folder.names(), ["a.npy", "b.npy"], "nothing is run");
    // The other streams may be closed, and the null device is open.
    let before = fs::read(folder.0.join("a.npy")).unwrap();
    for streams in ["<&-", "2>&-", "<&- 2>&-", "> /dev/null", "<> /dev/null >&0"] {
        let output = run("eval a+b a=a.npy b=b.npy -o out.npy", streams);
        assert_eq!(code(&output), Some(0), "{streams}: {}", stderr(&output));
        assert!(fs::read(folder.0.join("out.npy")).unwrap().starts_with(b"\x93NUMPY"), "{streams}");
        assert_eq!(code(&run("eval a*b a=a.npy b=none.npy -o out.npy", streams)), Some(2), "{streams}");
    }
    assert_eq!(fs::read(folder.0.join("a.npy")).unwrap(), before);
}

#[test]
fn a_reader_that_stops_changes_no_exit_code() {
    let folder = Folder::new("head");
    let cases: [(&[&str], i32); 5] = [
        (&["shape", "2", "3"], 1),
        (&["shape", "2", "3", "--json"], 1),
        (&["eval", "a + b", "a=a.npy", "b=b.npy", "-o", "-"], 0),
        (&["eval", "a + b", "a=a.npy", "b=b.npy", "--json"], 0),
        (&["--version"], 0),
    ];
    for (args, want) in cases {
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let output = folder.command().args(args).stdout(closed).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(code(&output), Some(want), "{args:?}");
        assert!(!stderr(&output).contains("standard output"), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn output_may_be_an_input_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("same");
    let path = folder.0.join("a.npy");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("a.npy", folder.0.join("link.npy")).unwrap();
    let output = folder.run(&["eval", "a * 2 + b", "a=a.npy", "b=b.npy", "-o", "link.npy"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(fs::symlink_metadata(folder.0.join("link.npy")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    let bytes = fs::read(&path).unwrap();
    let last: [u8; 4] = *bytes.last_chunk().unwrap();
    assert_eq!(f32::from_le_bytes(last), 40.0);
    assert_eq!(folder.names(), ["a.npy", "b.npy", "link.npy"]);
}

#[test]
fn a_file_that_cannot_be_finished_leaves_the_previous_one() {
    let folder = Folder::new("limit");
    folder.array("wide.npy", &[100, 1], &[1.0; 100]);
    folder.array("long.npy", &[2000], &[1.0; 2000]);
    fs::write(folder.0.join("out.npy"), "previous").unwrap();
    let script = format!("ulimit -f 100; exec {BIN} eval 'a + b' a=wide.npy b=long.npy -o out.npy");
    let output = Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("out.npy: cannot write the file"), "{}", stderr(&output));
    assert_eq!(fs::read(folder.0.join("out.npy")).unwrap(), b"previous");
    assert_eq!(folder.names(), ["a.npy", "b.npy", "long.npy", "out.npy", "wide.npy"]);
}

#[test]
fn the_version_is_one_line_or_all_that_is_known() {
    let folder = Folder::new("version");
    let plain = folder.run(&["--version"]);
    let line = format!("broadaxe {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((code(&plain), String::from_utf8_lossy(&plain.stdout).into_owned()), (Some(0), line.clone()));
    for args in [&["--version", "--verbose"][..], &["-V", "--verbose"], &["--verbose", "--version"]] {
        let output = folder.run(args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(code(&output) == Some(0) && said.starts_with(&line), "{args:?}: {said}");
        for part in ["\ncommit: ", "\ntarget: ", "\nCPU level: ", "baseline", "ONNX Runtime ", "OpenVINO ", "ncnn "] {
            assert!(said.contains(part), "{args:?}: {part} is missing in {said}");
        }
    }
    for level in ["baseline", "nosuch"] {
        let output = folder.command().args(["--version", "--json"]).env("BROADAXE_ISA", level).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((code(&output), &report["version"]), (Some(0), &env!("CARGO_PKG_VERSION").into()));
        assert_eq!(report["cpu"]["level"] == "baseline", level == "baseline", "{report}");
        assert_eq!(report["cpu"]["error"].is_null(), level == "baseline", "{report}");
        assert_eq!(report["cpu"]["available"][0], "baseline", "{report}");
        assert!(report["evidence"]["engines"].as_array().unwrap().len() > 3, "{report}");
    }
    // It says nothing without --version.
    assert_eq!(code(&folder.run(&["--verbose", "rules"])), Some(2));
}

#[test]
fn manual_pages_are_written_to_a_folder() {
    let folder = Folder::new("man");
    fs::create_dir(folder.0.join("pages")).unwrap();
    let output = folder.run(&["man", "--dir", "pages"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    for (args, name) in
        [(&["man"][..], "broadaxe"), (&["man", "check"], "broadaxe-check"), (&["man", "man"], "broadaxe-man")]
    {
        let page = folder.run(args).stdout;
        assert!(page == fs::read(folder.0.join(format!("pages/{name}.1"))).unwrap(), "{name}");
    }
    let cases = [(&["man", "nosuch"][..], "no subcommand 'nosuch'"), (&["man", "--dir", "nosuch"], "nosuch")];
    for (args, says) in cases {
        let output = folder.run(args);
        assert_eq!(code(&output), Some(2), "{args:?}");
        assert!(stderr(&output).contains(says), "{args:?}: {}", stderr(&output));
    }
}

fn temporary(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).unwrap();
    entries.any(|entry| entry.unwrap().file_name().to_string_lossy().ends_with(".broadaxe-tmp"))
}

/// Waits until the run has begun to compute, which is when its temporary file exists.
fn started(folder: &Folder, mut command: Command) -> Child {
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !temporary(&folder.0) {
        assert!(start.elapsed() < Duration::from_secs(20), "the run does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn kill(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Says whether this process ignores a signal, as jobs in the background of a script do; so will those that it starts.
fn ignored(number: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

#[test]
fn signals_end_it_at_once() {
    for (signal, number, want) in [("-INT", 2, 130), ("-TERM", 15, 143), ("-HUP", 1, 129)] {
        // What is ignored stays so, which is a test of its own.
        if ignored(number) {
            continue;
        }
        let folder = Folder::new(signal);
        fs::write(folder.0.join("out.npy"), "previous").unwrap();
        let mut child = started(&folder, folder.slow());
        let start = Instant::now();
        kill(&child, signal);
        let status = child.wait().unwrap();
        let taken = start.elapsed();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(
            (status.code(), &said[..]),
            (Some(want), if number == 2 { "interrupted\n" } else { "" }),
            "{signal}"
        );
        assert!(taken < Duration::from_secs(1), "{signal}: {taken:?}");
        assert!(!temporary(&folder.0), "{signal}: {:?}", folder.names());
        assert_eq!(fs::read(folder.0.join("out.npy")).unwrap(), b"previous");
    }
}

#[test]
fn ignored_interrupts_stay_ignored_and_a_killed_run_is_swept() {
    let folder = Folder::new("ignored");
    let slow = folder.slow();
    let words: Vec<String> = slow.get_args().map(|arg| format!("'{}'", arg.to_string_lossy())).collect();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("trap '' INT; exec {BIN} {}", words.join(" "))]).current_dir(&folder.0);
    let mut child = started(&folder, shell);
    kill(&child, "-INT");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "the interrupt was to be ignored");
    kill(&child, "-KILL");
    child.wait().unwrap();
    assert!(temporary(&folder.0), "a killed run cannot clean up");
    let output = folder.run(&["eval", "a", "a=a.npy", "-o", "out.npy"]);
    assert_eq!(code(&output), Some(0), "{}", stderr(&output));
    assert!(!temporary(&folder.0), "{:?}", folder.names());
}

#[test]
fn results_go_to_archives_tables_and_json() {
    let folder = Folder::new("outputs");
    let eval = |expression: &str, rest: &[&str]| {
        let output = folder.run(&[&["eval", expression, "a=a.npy", "b=b.npy"], rest].concat());
        (code(&output), String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output))
    };
    for output in ["o.npz:x", "o.npz:y", "o.npz:x"] {
        assert_eq!(eval("a + b", &["-o", output]).0, Some(0), "{output}");
    }
    let listed = folder.run(&["ls", "o.npz"]);
    assert_eq!(
        String::from_utf8_lossy(&listed.stdout),
        "x  f32  (2, 3)  24 bytes\ny  f32  (2, 3)  24 bytes\no.npz: 2 arrays, 48 bytes\n"
    );
    assert_eq!(eval("a / (b - 20)", &["-o", "o.csv"]).0, Some(0));
    assert_eq!(fs::read_to_string(folder.0.join("o.csv")).unwrap(), "-0.0,inf,0.2\n-0.3,inf,0.5\n");
    let cases: [(&str, &[&str], i32, &str); 4] = [
        ("a * 0 / (b - 20)", &["--json"], 0, r#"{"shape":[2,3],"dtype":"f32","data":[-0.0,"nan",0.0,-0.0,"nan",0.0]}"#),
        ("onnx.Unsqueeze(a, b)", &["--json"], 2, "error"),
        ("sum(a * b) < 1", &["--json"], 0, r#"{"shape":[],"dtype":"bool","data":[false]}"#),
        ("a + b", &["-o", "none/o.csv"], 2, "none/o.csv"),
    ];
    for (expression, rest, want, says) in cases {
        let (code, said) = eval(expression, rest);
        assert_eq!(code, Some(want), "{expression}: {said}");
        assert!(said.contains(says), "{expression}: {said}");
    }
    folder.array("long.npy", &[4000, 1], &[1.0; 4000]);
    folder.array("wide.npy", &[4000], &[1.0; 4000]);
    let large = folder.run(&["eval", "l + w", "l=long.npy", "w=wide.npy", "--json"]);
    let said = String::from_utf8_lossy(&large.stdout);
    assert!(code(&large) == Some(2) && said.contains("-o OUT.npy"), "{said}");
    folder.array("c.npy", &[1, 1, 1], &[1.0]);
    let deep = folder.run(&["eval", "c + 1", "c=c.npy", "-o", "o.csv"]);
    assert!(code(&deep) == Some(2) && stderr(&deep).contains("rank 0 to 2"), "{}", stderr(&deep));
    assert!(folder.names().iter().all(|name| !name.ends_with("-tmp")), "{:?}", folder.names());
}
