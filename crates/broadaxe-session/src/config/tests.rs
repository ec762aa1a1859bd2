use super::*;

/// Reads a text as `broadaxe.toml` in a folder.
fn read(text: &str) -> Result<Settings, Error> {
    Settings::read(&Document { path: "broadaxe.toml".into(), text: text.to_owned() })
}

/// Writes the settings of a model in a line.
fn shown(settings: &Settings, model: &str) -> String {
    let settings = settings.for_model(Path::new(model));
    let format = if model.ends_with("tflite") { "tflite" } else { "onnx" };
    let targets: Vec<String> = settings.targets_of(format).iter().map(Target::to_string).collect();
    let ModelSettings { inputs, fail_on, .. } = settings;
    let shapes = [inputs.input_shapes, inputs.configured].concat();
    format!("{} | {} | {fail_on:?}", targets.join(","), shapes.join(" "))
}

#[test]
fn the_last_entry_that_matches_wins() {
    let text = r#"
        for = ["openvino"]
        input-shapes = { image = [1, 3, "h", "w"], mask = "1,8" }
        [[models]]
        path = "models/**/*.onnx"
        for = ["ncnn", "mnn"]
        [[models]]
        path = "models/legacy/*.onnx"
        fail-on = []
        input-shapes = ["image:1,3,8,8"]
        [[models]]
        path = "last.onnx"
        for = ["ort"]
    "#;
    let settings = read(text).unwrap();
    let cases = [
        ("a.onnx", "openvino | image:1,3,h,w mask:1,8 | [Differs, Refused, Guarded]"),
        ("models/a.onnx", "ncnn,mnn | image:1,3,h,w mask:1,8 | [Differs, Refused, Guarded]"),
        ("models/legacy/a.onnx", "ncnn,mnn | mask:1,8 image:1,3,8,8 | []"),
        ("models/legacy/last.onnx", "onnx | mask:1,8 image:1,3,8,8 | []"),
    ];
    for (model, want) in cases {
        assert_eq!(shown(&settings, model), want, "{model}");
    }
    let line = Choice {
        targets: Some(vec!["tosa".parse().unwrap()]),
        input_shapes: vec!["image:2,3,4,4".into()],
        fail_on: Some(vec![FailOn::Unknown]),
    };
    let settings = Settings { line, ..settings };
    assert_eq!(shown(&settings, "models/legacy/a.onnx"), "tosa | image:2,3,4,4 mask:1,8 | [Unknown]");
    let default = "onnx,openvino,ncnn |  | [Differs, Refused, Guarded]";
    assert_eq!(shown(&Settings::default(), "a.onnx"), default);
    assert_eq!(shown(&read("").unwrap(), "a.onnx"), default);
    let default = default.replace("onnx,openvino,ncnn", "litert,litert-gpu");
    assert_eq!(shown(&Settings::default(), "a.tflite"), default);
}

#[test]
fn errors_name_the_place() {
    let cases = [
        (
            "fail-om = []",
            "unknown key 'fail-om'; did you mean 'fail-on'? (keys: for, input-shapes, fail-on, baseline, models, ignore)",
            1,
            1,
        ),
        ("\n  ask = []", "unknown key 'ask'", 2, 3),
        ("for = [\"onnx\",\n\"openvno\"]", "unknown target 'openvno'; did you mean 'openvino'?", 2, 1),
        ("for = \"onnx\"", "expected a list of names, such as [\"openvino\", \"ncnn\"]", 1, 7),
        ("for = [1]", "expected a string", 1, 8),
        ("fail-on = [\"difers\"]", "'difers' is not a verdict that can fail; write differs, ", 1, 12),
        ("input-shapes = 1", "expected a table such as { image", 1, 16),
        ("input-shapes = [\"image\"]", "'image' should be NAME:SHAPE", 1, 17),
        ("input-shapes = { a = [1, -2] }", "-2", 1, 22),
        ("input-shapes = { a = [1, 2.5] }", "expected a size", 1, 26),
        ("input-shapes = { a = true }", "expected a shape such as [1, 3, 224, 224]", 1, 22),
        ("input-shapes = [\"a:1\", \"a:2\"]", "the shape of 'a' is given twice", 1, 24),
        ("[models]\npath = \"a\"", "expected tables, each begun with [[models]]", 1, 1),
        ("[[models]]\nfor = [\"onnx\"]", "the key 'path' is missing", 1, 1),
        ("[[models]]\npath = \"a[\"", "'a[' is not a pattern", 2, 8),
        ("[[models]]\npath = \"\"", "the pattern is empty", 2, 8),
        ("[[models]]\npath = \"a\"\nfor = [\"abacus\"]", "unknown target 'abacus'", 3, 8),
        ("[[models]]\npaht = \"a\"", "unknown key 'paht'; did you mean 'path'?", 2, 1),
        ("[[ignore]]\nop = \"Add\"", "needs a reason, such as reason = \"batch is always 1\"", 1, 1),
        ("a = 1\n[[ignore]]", "unknown key 'a'", 1, 1),
        ("[[ignore]]\nop = \"Add\"\nreason = \"  \"", "needs a reason", 1, 1),
        ("[[ignore]]\nreason = \"x\"", "ignores everything; give at least one of code, op, node, model, target", 1, 1),
        ("[[ignore]]\nreason = \"x\"\ncode = \"101\"", "'101' is not the code of a finding such as BX101", 3, 8),
        ("[[ignore]]\nreason = \"x\"\ntarget = \"ncn\"", "did you mean 'ncnn'", 3, 10),
        ("[[ignore]]\nreason = \"x\"\nverdict = \"same\"", "'same' is not a verdict that can fail", 3, 11),
        ("[[ignore]]\nreason = \"x\"\nnode = \"a[\"", "is not a pattern", 3, 8),
        ("for = [", "", 1, 8),
        ("for = []\nfor = []", "duplicate key", 2, 1),
    ];
    let mut failed = String::new();
    for (text, says, line, column) in cases {
        match read(text) {
            Ok(_) => failed += &format!("{text:?} is read\n"),
            Err(error) => {
                let place = format!("line {line}, column {column}");
                if !error.message().contains(says) || error.field_name() != Some(&place) {
                    failed += &format!("{text:?}: {error}, not {says} ({place})\n");
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

#[test]
fn errors_show_the_line() {
    let cases = [
        ("\u{1b} = 1", None),
        ("for = [\"\u{202e}abacus\"]", Some("  for = [\" abacus\"]\n         ^^^^^^^^^")),
        ("\tfor = 1", Some("   for = 1\n         ^")),
    ];
    for (text, want) in cases {
        let error = read(text).unwrap_err();
        if want.is_some() {
            assert_eq!(error.detail(), want, "{error}");
        }
        assert!(!format!("{error}{}", error.detail().unwrap_or_default()).contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn entries_know_their_line() {
    let text = "[[ignore]]\nop = \"Add\"\nreason = \" a reason \"\n\n[[ignore]]\ncode = \"BX1\"\nmodel = \"a/*\"\nreason = \"b\"\n";
    let settings = read(text).unwrap();
    let lines: Vec<_> = settings.ignores.iter().map(|one| (one.line, one.reason.as_str(), one.selectors())).collect();
    assert_eq!(lines, [(1, "a reason", "op = 'Add'"), (5, "b", "code = 'BX1', model = 'a/*'")]);
    let about = |model: &str| settings.ignores_of(Path::new(model)).iter().map(|(at, _)| *at).collect::<Vec<_>>();
    assert_eq!([about("a/x.onnx"), about("x.onnx")], [vec![0, 1], vec![0]]);
}

#[test]
fn the_nearest_file_is_found() {
    let root = std::env::temp_dir().join(format!("broadaxe-config-{}", std::process::id()));
    let folder = |name: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    };
    let (own, shared, other, deep) =
        (folder("own"), folder("own/shared"), folder("own/shared/other"), folder("own/shared/other/deep"));
    std::fs::write(own.join("broadaxe.toml"), "").unwrap();
    std::fs::write(own.join("pyproject.toml"), "[tool.broadaxe]").unwrap();
    std::fs::write(shared.join("pyproject.toml"), "[tool.broadaxe]\nfor = [\"mnn\"]").unwrap();
    std::fs::write(other.join("pyproject.toml"), "[project]\nname = \"broadaxe-user\"").unwrap();
    std::fs::write(deep.join("pyproject.toml"), "[this is no TOML").unwrap();
    // The paths that are shown are those from the folder where the search begins.
    let cases = [
        (&own, "broadaxe.toml"),
        (&shared, "pyproject.toml"),
        (&other, "../pyproject.toml"),
        (&deep, "../../pyproject.toml"),
    ];
    for (folder, want) in cases {
        let found = Document::find(folder).unwrap().unwrap();
        assert_eq!(found.path, Path::new(want), "{}", folder.display());
    }
    let project = Document::read(&shared.join("pyproject.toml")).unwrap();
    assert_eq!(shown(&Settings::read(&project).unwrap(), "a").split(' ').next(), Some("mnn"));
    let error = Settings::read(&Document::read(&other.join("pyproject.toml")).unwrap()).unwrap_err();
    assert!(error.message().contains("no table [tool.broadaxe]"), "{error}");
    std::fs::remove_dir_all(&root).unwrap();
}

/// A value that each key accepts.
const SAMPLES: [(&str, &str); 14] = [
    ("for", "[\"onnx\"]"),
    ("input-shapes", "{ a = [1, \"n\"] }"),
    ("fail-on", "[\"differs\"]"),
    ("baseline", "\"known.json\""),
    ("models", "[{ path = \"*.onnx\" }]"),
    ("ignore", "[{ op = \"Add\", reason = \"known\" }]"),
    ("path", "\"*.onnx\""),
    ("reason", "\"known\""),
    ("code", "\"BX1\""),
    ("op", "\"Add\""),
    ("node", "\"a*\""),
    ("model", "\"*.onnx\""),
    ("target", "\"ncnn\""),
    ("verdict", "\"differs\""),
];

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let whole = schema();
    assert_eq!(whole["$schema"], "http://json-schema.org/draft-07/schema#");
    let part = |name: &str| &whole["definitions"][name];
    let cases = [
        (&whole, "", ""),
        (part("Models"), "models = [{ path = \"b\", ", " }]"),
        (part("Ignore"), "ignore = [{ reason = \"b\", op = \"b\", ", " }]"),
    ];
    for (part, before, after) in cases {
        assert_eq!(part["additionalProperties"], false, "{part}");
        let keys: Vec<&String> = part["properties"].as_object().expect("keys").keys().collect();
        // The error about an unknown key lists those that are read.
        let error = read(&format!("{before}no = 1{after}")).unwrap_err().to_string();
        let read_keys = error.split("(keys: ").nth(1).and_then(|rest| rest.split(')').next()).expect("keys");
        let mut read_keys: Vec<&str> = read_keys.split(", ").collect();
        let mut sorted = keys.clone();
        sorted.sort();
        read_keys.sort_unstable();
        assert_eq!(sorted, read_keys);
        for key in keys {
            let (_, value) = SAMPLES.iter().find(|(known, _)| known == key).expect("a value that the key accepts");
            let before = if before.contains(&format!("{key} = ")) {
                before.replace(&format!("{key} = \"b\", "), "")
            } else {
                before.to_owned()
            };
            read(&format!("{before}{key} = {value}{after}")).unwrap_or_else(|error| panic!("{key}: {error}"));
            assert!(part["properties"][key]["description"].is_string(), "{key} has a description");
        }
    }
}
