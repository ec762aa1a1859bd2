//! The programs in the README and in the guide, and the commands of the README.

use std::{fs, path::Path};

use broadaxe_models::{Target, check_file};
use broadaxe_session::record::Checked;

use crate::build::{Language, Program, crate_folder, model, with_every_compiler};
#[cfg(target_os = "linux")]
use crate::build::{check_cmake, check_pkg_config, compilers, install, scratch};

/// A program of a page, the number of its line, and the output that the page shows.
struct Example {
    name: String,
    language: Language,
    source: String,
    output: Option<String>,
}

/// Lists the programs of a page. A block of text after a program is its output.
fn examples(page: &Path) -> Vec<Example> {
    let text = fs::read_to_string(page).unwrap();
    let mut found: Vec<Example> = Vec::new();
    for (number, block) in text.split("```").enumerate().filter(|(number, _)| number % 2 == 1) {
        let (fence, body) = block.split_once('\n').unwrap();
        let language = match fence {
            "c" => Language::C,
            "cpp" => Language::Cpp,
            "text" => {
                found.last_mut().expect("output follows a program").output = Some(body.to_owned());
                continue;
            }
            _ => continue,
        };
        let stem = page.file_stem().unwrap().to_str().unwrap();
        found.push(Example { name: format!("{stem}{number}"), language, source: body.to_owned(), output: None });
    }
    found
}

/// Programs print what their page shows. Those without output check the model of the examples and print its findings.
#[test]
fn examples_of_the_pages_run() {
    let pages = [crate_folder().join("README.md"), crate_folder().join("../../docs/guides/c.md")];
    let examples: Vec<Example> = pages.iter().flat_map(|page| examples(page)).collect();
    assert!(examples.len() >= 5, "only {} programs", examples.len());
    let targets: Vec<Target> = ["openvino", "ncnn"].map(|name| name.parse().unwrap()).into();
    let record = check_file(model(), &targets).unwrap();
    assert!(record.attention() > 0);
    let json = serde_json::to_string(&Checked { models: vec![record], ..Checked::default() }).unwrap() + "\n";
    with_every_compiler(|compiler, mode| {
        for example in &examples {
            let program = compiler.build(&example.name, &Program::Text(example.language, &example.source), mode);
            let (want, code) = example.output.as_ref().map_or((&json, 1), |output| (output, 0));
            let arguments = if code == 1 { vec![model().to_str().unwrap().to_owned()] } else { Vec::new() };
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let (got_code, output, errors) = program.run(&arguments, "");
            assert_eq!(&output, want, "{} {compiler:?} {mode:?}: {errors}", example.name);
            assert_eq!(got_code, Some(code), "{} {compiler:?} {mode:?}: {errors}", example.name);
        }
    });
}

/// The commands of the README install a library that pkg-config and, where it is installed, `cmake` find.
#[cfg(target_os = "linux")]
#[test]
fn installed_library_is_found() {
    let Some(compiler) = compilers().into_iter().next() else { return };
    let prefix = scratch("prefix");
    install(&prefix);
    let example = &examples(&crate_folder().join("README.md"))[0];
    let source = prefix.join("example.c");
    fs::write(&source, &example.source).unwrap();
    let output = example.output.clone().unwrap();
    check_pkg_config(&compiler, &prefix, &source, &output);
    check_cmake(&prefix, &source, &output);
}
