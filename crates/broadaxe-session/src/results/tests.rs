//! Results that are used again, and those that are not.

use std::fs::{self, File};

use broadaxe_models::{check_model, format, infer::infer};
use broadaxe_testing::temporary;

use super::*;

const HOUR: Duration = Duration::from_hours(1);

/// The results with some options.
struct Kept {
    results: Results,
    options: u128,
}

impl Kept {
    fn read(&self, path: &Path) -> Option<CheckRecord> {
        self.results.read(path, self.options)
    }

    fn read_at(&self, path: &Path, now: SystemTime) -> Option<CheckRecord> {
        self.results.read_at(path, self.options, now)
    }

    fn write(&self, path: &Path, before: (Stamp, SystemTime), source: &Source, record: &CheckRecord) {
        self.results.write((path, self.options), before, source, record);
    }
}

/// A folder with a model, its weights, and a cache; it is removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = Self(temporary::path(&format!("results-{name}")));
        fs::create_dir_all(&place.0).unwrap();
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../broadaxe-format/tests/models");
        fs::copy(models.join("fire.param"), place.model()).unwrap();
        place
    }

    fn model(&self) -> PathBuf {
        self.0.join("fire.param")
    }

    fn weights(&self) -> PathBuf {
        self.0.join("fire.bin")
    }

    /// Returns the results for some options of `broadaxe check`.
    fn results(&self, program: &str, line: &[&str]) -> Kept {
        let all = |name: &str| -> Vec<String> {
            let pairs = line.windows(2).filter(|pair| pair[0] == name);
            pairs.map(|pair| pair[1].to_owned()).collect()
        };
        let names = all("--for").join(",");
        let targets: Vec<Target> =
            names.split(',').filter(|name| !name.is_empty()).map(|name| name.parse().unwrap()).collect();
        let results = Results::at(self.0.join("cache"), program, !line.contains(&"--quiet"));
        let options = results.options(&targets, &Inputs::new(&all("--input-shape")));
        Kept { results, options }
    }

    /// Checks the model, and keeps the result as if that were `later` than now.
    fn check(&self, results: &Kept, later: Duration) -> CheckRecord {
        let path = self.model();
        let (before, began) = Results::look(&path).unwrap();
        let source = Source::open(&path).unwrap();
        let model = format::read(&source).unwrap();
        let targets = ["onnx", "ncnn"].map(|name| name.parse().unwrap());
        let record = check_model(&path, &model, &infer(&model, &[]).unwrap(), &targets).unwrap();
        results.write(&path, (before, began + later), &source, &record);
        record
    }

    /// Returns the only entry.
    fn entry(&self) -> PathBuf {
        let mut entries = fs::read_dir(self.0.join("cache")).unwrap();
        let entry = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none());
        entry
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn touch(path: &Path) {
    let now = SystemTime::now() + Duration::from_secs(1);
    File::options().append(true).open(path).unwrap().set_modified(now).unwrap();
}

#[test]
fn results_are_those_that_were_kept() {
    let place = Place::new("kept");
    let results = place.results("a", &[]);
    assert_eq!(results.read(&place.model()), None);
    let judged = place.check(&results, HOUR);
    let read = results.read(&place.model()).unwrap();
    assert_eq!(read, judged);
    assert!(!read.findings.is_empty());
    let shared = |judged: &CheckRecord| {
        let findings = judged.findings.windows(2);
        findings.filter(|pair| Arc::ptr_eq(&pair[0].operands, &pair[1].operands)).count()
    };
    assert_eq!(shared(&read), shared(&judged));
    assert_eq!(serde_json::to_string(&read).unwrap(), serde_json::to_string(&judged).unwrap());
}

/// Each change of the files, and whether the result is used after it.
#[test]
fn results_are_used_while_files_are_unchanged() {
    type Change = fn(&Place);
    let cases: [(&str, Change, bool); 9] = [
        ("nothing", |_| {}, true),
        ("the model is touched", |place| touch(&place.model()), true),
        (
            "the model is copied over",
            |place| {
                let bytes = fs::read(place.model()).unwrap();
                fs::remove_file(place.model()).unwrap();
                fs::write(place.model(), bytes).unwrap();
            },
            true,
        ),
        (
            "a byte of the model",
            |place| {
                let bytes = fs::read_to_string(place.model()).unwrap();
                fs::write(place.model(), bytes.replacen("conv1", "conv2", 1)).unwrap();
            },
            false,
        ),
        (
            "the size of the model",
            |place| {
                let bytes = fs::read_to_string(place.model()).unwrap();
                fs::write(place.model(), bytes + "\n").unwrap();
            },
            false,
        ),
        ("weights appear", |place| fs::write(place.weights(), [0; 4]).unwrap(), false),
        ("the model is gone", |place| fs::remove_file(place.model()).unwrap(), false),
        (
            "the entry is cut",
            |place| {
                let entry = place.entry();
                let bytes = fs::read(&entry).unwrap();
                fs::write(&entry, &bytes[..bytes.len() - 1]).unwrap();
            },
            false,
        ),
        (
            "a bit of the entry",
            |place| {
                let entry = place.entry();
                let mut bytes = fs::read(&entry).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(&entry, bytes).unwrap();
            },
            false,
        ),
    ];
    let mut wrong = Vec::new();
    for (what, change, used) in cases {
        let place = Place::new(&format!("change-{}", what.replace(' ', "-")));
        let results = place.results("a", &[]);
        place.check(&results, HOUR);
        change(&place);
        if results.read_at(&place.model(), SystemTime::now() + HOUR).is_some() != used {
            wrong.push(what);
        } else if used {
            // A result that was used is kept for the new time of the file.
            let entry = place.entry();
            let times = fs::metadata(&entry).unwrap().modified().unwrap();
            assert!(results.read_at(&place.model(), SystemTime::now() + HOUR).is_some(), "{what}");
            assert_eq!(fs::metadata(&entry).unwrap().modified().unwrap(), times, "{what}: written again");
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn results_of_files_that_just_changed_are_not_kept() {
    let place = Place::new("settled");
    // Where a copy keeps the time of the original, it is old.
    touch(&place.model());
    let results = place.results("a", &[]);
    place.check(&results, Duration::ZERO);
    assert_eq!(results.read(&place.model()), None);
    place.check(&results, SETTLED + HOUR);
    assert!(results.read(&place.model()).is_some());
    // A file that changes while it is checked has another stamp afterwards.
    let place = Place::new("meanwhile");
    let (before, began) = Results::look(&place.model()).unwrap();
    touch(&place.model());
    let source = Source::open(&place.model()).unwrap();
    let record = place.check(&place.results("a", &["--for", "ncnn"]), Duration::ZERO);
    results.write(&place.model(), (before, began + HOUR), &source, &record);
    assert_eq!(results.read(&place.model()), None);
}

#[test]
fn results_depend_on_options_program_and_name() {
    let place = Place::new("options");
    let results = place.results("a", &[]);
    place.check(&results, HOUR);
    let lines: [&[&str]; 6] = [
        &["--quiet"],
        &["--for", "ncnn"],
        &["--for", "onnx,openvino,ncnn,mnn"],
        &["--input-shape", "data:1,2"],
        &["--input-shape", "data:1,2", "--input-shape", "data:1,3"],
        &["--for", "ncnn", "--input-shape", "onnx"],
    ];
    for line in lines {
        assert_eq!(place.results("a", line).read(&place.model()), None, "{line:?}");
    }
    assert!(place.results("a", &["--all"]).read(&place.model()).is_some());
    assert_eq!(place.results("b", &[]).read(&place.model()), None);
    assert_eq!(results.read(&place.0.join("cache/../fire.param")), None);
    assert_eq!(results.read(Path::new("-")), None);
    assert!(Results::look(Path::new("-")).is_none());
}
