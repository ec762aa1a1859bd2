//! `broadaxe --version --verbose`: says what this command was built from, and what its verdicts are based on.

use broadaxe_kernels::Isa;
use broadaxe_models::profiles::{ENGINES, EVIDENCE_DATE};
use serde_json::{Value, json};

use crate::answer::Answer;

/// The commit that the command was built from, and its day; the build script sets them where they are known.
const COMMIT: Option<&str> = option_env!("BROADAXE_BUILT_FROM");
const COMMIT_DATE: Option<&str> = option_env!("BROADAXE_BUILT_FROM_DATE");

/// Lists the version, the commit, the target, the CPU level and the engines.
pub fn run() -> Answer {
    let version = env!("CARGO_PKG_VERSION");
    let commit = match (COMMIT, COMMIT_DATE) {
        (Some(commit), Some(date)) => format!("{commit} ({date})"),
        (Some(commit), None) => commit.to_owned(),
        (None, _) => "unknown".to_owned(),
    };
    let target = env!("BROADAXE_TARGET");
    let levels: Vec<&str> = Isa::available().iter().map(|isa| isa.level().name()).collect();
    let level = Isa::current().map(|isa| isa.level().name());
    let all = levels.join(", ");
    let chosen = level.map_or_else(str::to_owned, |level| format!("{level} (available: {all})"));
    let engines: Vec<String> = ENGINES.iter().map(ToString::to_string).collect();
    let text = format!(
        "broadaxe {version}\ncommit: {commit}\ntarget: {target}\nCPU level: {chosen}\nverdicts: compared on {EVIDENCE_DATE} with\n  {}\n",
        engines.join("\n  ")
    );
    let engines: Vec<Value> =
        ENGINES.iter().map(|engine| json!({ "name": engine.name, "version": engine.version })).collect();
    let json = json!({
        "version": version,
        "commit": COMMIT,
        "commit_date": COMMIT_DATE,
        "target": target,
        "cpu": { "level": level.ok(), "available": levels, "error": level.err() },
        "evidence": { "date": EVIDENCE_DATE, "engines": engines },
    });
    Answer::new(text, json)
}
