//! `atlas run`, run as a user runs it, with programs that answer rightly, wrongly, or not at all.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use broadaxe_testing::limit;
use serde_json::Value;

/// A folder of one test with its programs; it is removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = Self(std::env::temp_dir().join(format!("broadaxe-atlas-test-{}-{name}", std::process::id())));
        fs::create_dir_all(&place.0).expect("a folder");
        place
    }

    /// Writes the example with a part replaced, and returns the command that runs it.
    fn program(&self, old: &str, new: &str) -> String {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../atlas/examples/answer.py");
        let text = fs::read_to_string(example).expect("the example");
        assert!(text.contains(old), "the example has no {old:?}");
        let file = self.0.join("answer.py");
        fs::write(&file, text.replace(old, new)).expect("a file");
        format!("python3 '{}'", file.display())
    }

    fn run(&self, ask: &str, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_broadaxe"));
        command.args(["atlas", "run", "--ask", ask]).args(args).current_dir(&self.0).env("COLUMNS", "80");
        command.output().expect("the command runs")
    }

    fn json(&self, ask: &str, args: &[&str]) -> (Option<i32>, Value) {
        let output = self.run(ask, &[args, &["--json"]].concat());
        (output.status.code(), serde_json::from_slice(&output.stdout).expect("JSON"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const WHOLE: &str = "def main():";

#[test]
fn right_answers_pass() {
    let place = Place::new("right");
    let (code, found) = place.json(&place.program(WHOLE, WHOLE), &[]);
    assert_eq!(code, Some(0));
    assert_eq!((&found["engine"], &found["wrong"]), (&"plain Python".into(), &0.into()));
    assert!(found["right"].as_u64() > Some(500) && found["skipped"].as_u64() > Some(300), "{found}");
    let output = place.run(&place.program(WHOLE, WHOLE), &["--rule", "numpy", "--family", "add"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("add-numpy") && !text.contains("sub-numpy"), "{text}");
}

/// The shorter shape gets 1s behind, as ncnn aligns.
const LEFT: (&str, &str) = (
    "a_shape = [1] * (rank - len(a[\"shape\"])) + a[\"shape\"]\n    b_shape = [1] * (rank - len(b[\"shape\"])) + b[\"shape\"]",
    "a_shape = a[\"shape\"] + [1] * (rank - len(a[\"shape\"]))\n    b_shape = b[\"shape\"] + [1] * (rank - len(b[\"shape\"]))",
);

#[test]
fn wrong_answers_fail_and_can_be_known() {
    let place = Place::new("wrong");
    let ask = place.program(LEFT.0, LEFT.1);
    let (code, found) = place.json(&ask, &["--write-known", "known.txt", "--junit", "out.xml"]);
    assert_eq!(code, Some(1));
    let wrong = found["wrong"].as_u64().expect("a number");
    assert!(wrong > 50 && found["failures"]["add-numpy"]["value"]["ii"]["r2"].is_string(), "{found}");
    let xml = fs::read_to_string(place.0.join("out.xml")).expect("the file");
    assert_eq!(xml.matches("<failure ").count() as u64, wrong);
    check_brackets(&xml);
    let of_add = found["followed"].as_array().and_then(|all| all.iter().find(|one| one["subject"] == "add-numpy"));
    let of_add = of_add.expect("the rule of the sums");
    // The same as the rule of ncnn, which ends at rank 4.
    assert_eq!((&of_add["rule"], &of_add["right"]), (&"paddle0".into(), &of_add["wrong"]), "{of_add}");
    let output = place.run(&ask, &["--rule", "numpy", "--family", "add"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("wrong answers are right under the rule paddle0"), "{text}");
    // One case is listed once, and shapes with elements come first.
    let first = text.lines().find(|line| line.starts_with("add-numpy-r")).unwrap_or_default();
    let (_, shapes) = first.split_once(":ii,ic,ci  ").expect("all choices of constants");
    assert!(!shapes.contains('0'), "{text}");

    let (code, found) = place.json(&ask, &["--known", "known.txt"]);
    assert_eq!((code, &found["known"], &found["wrong"]), (Some(0), &wrong.into(), &0.into()));

    // The same list with a program that is right: every line is an unexpected pass.
    let right = place.program(WHOLE, WHOLE);
    let (code, found) = place.json(&right, &["--known", "known.txt"]);
    assert_eq!((code, &found["unexpected_passes"]), (Some(1), &wrong.into()));

    fs::write(place.0.join("glob.txt"), "# all of the left\nadd-numpy-r2-*:i?  # seen\nsub-numpy-r9-0  # none\n")
        .expect("a file");
    let output = place.run(&right, &["--known", "glob.txt", "--only", "add-numpy-r1-*"]);
    let noted = String::from_utf8_lossy(&output.stderr);
    assert!(noted.contains("these lines name no question that was asked: 2, 3"), "{noted}");
}

/// Checks that angle brackets are in pairs, which they are not if a message is not escaped.
fn check_brackets(xml: &str) {
    assert_eq!(xml.matches('<').count(), xml.matches('>').count());
    assert!(xml.ends_with("</testsuites>\n"));
}

#[test]
fn programs_that_end_hang_or_write_something_else() {
    let place = Place::new("broken");
    let only = ["--rule", "numpy", "--family", "add", "--timeout", "1", "--only", "add-numpy-r[01]-*:ii"];
    let table = [
        (
            "    rank = max(",
            "    sys.exit(3) if a[\"shape\"] == [2] else 0\n    rank = max(",
            "ends the process (exit code 3)",
        ),
        (
            "    rank = max(",
            "    __import__(\"time\").sleep(9) if a[\"shape\"] == [2] else 0\n    rank = max(",
            "does not answer within 1 seconds",
        ),
        (
            "    rank = max(",
            "    print(\"noise\", flush=True) if a[\"shape\"] == [2] else 0\n    rank = max(",
            "a line that is no answer: it is not an object of JSON",
        ),
    ];
    for (old, new, want) in table {
        let (code, found) = place.json(&place.program(old, new), &only);
        assert_eq!(code, Some(1));
        let first = found["first"][0]["message"].as_str().unwrap_or_default();
        assert_eq!(first, want);
        assert!(found["right"].as_u64() > Some(1) && found["failures"]["add-numpy"]["crash"].is_object(), "{found}");
    }
}

#[test]
fn a_program_that_rejects_everything_shows_nothing() {
    let place = Place::new("rejects");
    let ask = place.program("    rank = max(", "    raise ValueError(\"no\")\n    rank = max(");
    let (code, found) = place.json(&ask, &["--rule", "numpy", "--family", "add"]);
    assert_eq!((code, &found["right"]), (Some(1), &0.into()));
}

#[test]
fn wrong_usage() {
    let place = Place::new("usage");
    fs::write(place.0.join("bad.txt"), "add-numpy-r1-0000:ii\n").expect("a file");
    let right = place.program(WHOLE, WHOLE);
    // Under an emulator every program starts; one that does not exist then ends with the code that shells give it.
    let missing = if limit::is_emulated() { "(exit code 127)" } else { "cannot start 'no-such-program'" };
    let table: [(&str, &[&str], &str); 8] = [
        ("no-such-program", &[], missing),
        ("", &[], "names no program"),
        ("sh -c 'exit 4'", &[], "ends the process (exit code 4); it answered none of 3 questions"),
        (
            "python3 -c 'print(1)'",
            &[],
            "writes '1', a line that is no answer: it is not an object of JSON; it answered none of 3 questions",
        ),
        ("sleep 9", &["--timeout", "1"], "does not answer within 1 seconds; it answered none of 3 questions"),
        (&right, &["--rule", "nump"], "no cases of 'nump'; the rules are"),
        (&right, &["--family", "mul"], "unknown family 'mul'; the families are add, sub"),
        (&right, &["--known", "bad.txt"], "bad.txt:1: the reason is missing; write it after '#'"),
    ];
    for (ask, args, want) in table {
        let output = place.run(ask, args);
        let text = String::from_utf8_lossy(&output.stderr);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(want), "{text}");
    }
}

/// The guide says how many runtimes have results.
#[test]
fn the_guide_counts_the_runtimes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |name: &str| fs::read_to_string(docs.join(name)).expect(name);
    let (results, guide) = (read("reports/atlas-results.md"), read("guides/atlas.md"));
    let names: BTreeSet<&str> = results
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("| [")?.split(']').next())
        .collect();
    assert_eq!(guide.matches(&format!("{} runtimes", names.len())).count(), 2, "{names:?}");
}

/// The results link to states of the page.
#[test]
fn links_of_the_results_are_addresses() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports/atlas-results.md");
    let text = fs::read_to_string(page).expect("the page");
    let links: Vec<&str> =
        text.split("href=\"../page.html#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() > 100, "{}", links.len());
    let wrong: Vec<String> = links
        .iter()
        .filter_map(|link| {
            let address = link.parse::<broadaxe_draw::Address>();
            address.err().map(|error| format!("{link}: {error}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
