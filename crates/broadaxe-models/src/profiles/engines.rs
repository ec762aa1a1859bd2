//! Lists the engines that the verdicts were compared with, and when.

use std::fmt;

use super::{EvidenceKind, Profile, Reach, Target};

/// An engine, in the version that the tests of this project ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name, as the evidence of laws names it.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What was done with it, as reports say it.
    pub tested: &'static str,
}

/// Models were run.
const RUN: &str = "tested";
/// Models were converted or compiled: the device that computes them was not at hand.
const ONLY_CONVERTED: &str = "converted, not run";
const ONLY_COMPILED: &str = "compiled, not run";

/// The engines behind the laws whose evidence is that they were run here.
pub static ENGINES: &[Engine] = &[
    Engine { name: "ONNX Runtime", version: "1.31.1", tested: RUN },
    Engine { name: "onnx", version: "1.23.2", tested: RUN },
    Engine { name: "OpenVINO", version: "2026.4.1", tested: RUN },
    Engine { name: "ncnn", version: "20261020", tested: RUN },
    Engine { name: "pnnx", version: "20261020", tested: RUN },
    Engine { name: "Paddle", version: "3.3.1", tested: RUN },
    Engine { name: "LiteRT", version: "2.3.0", tested: RUN },
    Engine { name: "TensorFlow Lite Micro", version: "0.dev20261023182759", tested: RUN },
    Engine { name: "NumPy", version: "2.4.6", tested: RUN },
    Engine { name: "MNN", version: "3.6.1", tested: RUN },
    Engine { name: "ONNX Runtime WebGPU", version: "1.27.0", tested: RUN },
    Engine { name: "TVM", version: "0.27.0.post1", tested: RUN },
    Engine { name: "TOSA tools", version: "2026.8.0", tested: RUN },
    Engine { name: "ggml", version: "0.13.1", tested: RUN },
    Engine { name: "OpenCV", version: "5.0.0", tested: RUN },
    Engine { name: "nncase", version: "2.11.0", tested: RUN },
    Engine { name: "RKNN-Toolkit2", version: "2.5.0", tested: RUN },
    Engine { name: "QNN", version: "2.7.0", tested: ONLY_COMPILED },
    Engine { name: "Core ML", version: "9.0", tested: ONLY_CONVERTED },
];

/// The day of the comparison that `docs/reports/verdicts.md` records.
pub const EVIDENCE_DATE: &str = "2026-11-24";

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

impl Profile {
    /// Lists the engines that the laws were asked of; none where all are from documents or by definition.
    pub fn engines(&self) -> impl Iterator<Item = &'static Engine> {
        let run = self.laws.iter().filter(|law| law.evidence.kind == EvidenceKind::RunHere);
        let names: Vec<&str> = run.flat_map(|law| named(law.evidence.source)).map(|(name, _)| name).collect();
        ENGINES.iter().filter(move |engine| names.contains(&engine.name))
    }
}

impl Target {
    /// Says what was done with the engines: `tested`, or `compiled, not run`.
    pub fn tested(&self) -> &'static str {
        self.profile().engines().next().map_or(RUN, |engine| engine.tested)
    }

    /// Lists the engines that the laws were asked of, each with the version whose answers hold for the target.
    pub fn engines(&self) -> Vec<String> {
        let newest = self.profile().versions.last();
        let version = |engine: &Engine| self.version().filter(|_| newest == Some(&engine.version));
        let engines = self.profile().engines();
        engines
            .map(|engine| Engine { version: version(engine).unwrap_or(engine.version), ..*engine }.to_string())
            .collect()
    }
}

/// Lists the engines of a target, as [`Target::engines`]; none for models in a format that does not come to it.
pub(crate) fn asked_engines(target: &str, format: &str) -> Vec<String> {
    let reached = target.parse().ok().filter(|target: &Target| !matches!(target.reach(format), Reach::Unreached(_)));
    reached.map_or_else(Vec::new, |target| target.engines())
}

/// Reads the engines of an evidence, such as `ONNX Runtime 1.31, onnx 1.23; conformance` or `pnnx and ncnn 20261020; ...`.
fn named(source: &str) -> impl Iterator<Item = (&str, &str)> {
    let engines = source.split(';').next().unwrap_or_default().split(", ");
    let versions = engines.filter_map(|text| text.rsplit_once(' '));
    versions.flat_map(|(names, version)| names.split(" and ").map(move |name| (name, version)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::PROFILES;

    /// Every engine that a law names is listed in the version that the law names, and every listed one has a law.
    #[test]
    fn laws_name_these_engines() {
        let laws = PROFILES.iter().flat_map(|profile| profile.laws);
        let run = laws.filter(|law| law.evidence.kind == EvidenceKind::RunHere);
        let found: Vec<(&str, &str)> = run.flat_map(|law| named(law.evidence.source)).collect();
        assert!(found.len() > 20, "{found:?}");
        for (name, version) in &found {
            let engine = ENGINES.iter().find(|engine| engine.name == *name);
            let engine = engine.unwrap_or_else(|| panic!("{name} {version} is not listed"));
            let fits = engine.version == *version || engine.version.starts_with(&format!("{version}."));
            assert!(fits, "a law names {name} {version}, and the list {engine}");
        }
        for engine in ENGINES {
            assert!(found.iter().any(|(name, _)| *name == engine.name), "no law names {engine}");
        }
    }

    #[test]
    fn targets_name_the_versions_that_were_asked() {
        for (target, want) in [
            ("onnx", "ONNX Runtime 1.31.1, onnx 1.23.2"),
            ("openvino", "OpenVINO 2026.4.1"),
            ("ncnn", "ncnn 20261020, pnnx 20261020"),
            ("litert", "LiteRT 2.3.0"),
            ("litert@2.1.3", "LiteRT 2.1.3"),
            ("tflm", "TensorFlow Lite Micro 0.dev20261023182759"),
            ("tensorrt", ""),
            ("rank<=4", ""),
        ] {
            let found: Target = target.parse().expect(target);
            assert_eq!(found.engines().join(", "), want, "{target}");
        }
    }

    /// The versions are those that the comparisons install.
    #[test]
    fn the_comparisons_install_these_versions() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
        let pins = read("requirements.txt") + &read("requirements-full.txt") + &read("requirements-runtimes.txt");
        let packages = [
            ("ONNX Runtime", "onnxruntime"),
            ("onnx", "onnx"),
            ("OpenVINO", "openvino"),
            ("ncnn", "ncnn"),
            ("pnnx", "pnnx"),
            ("Paddle", "paddlepaddle"),
            ("NumPy", "numpy"),
            ("LiteRT", "ai-edge-litert"),
            ("TensorFlow Lite Micro", "tflite-micro"),
            ("MNN", "MNN"),
            ("ONNX Runtime WebGPU", "onnxruntime-webgpu"),
            ("TVM", "apache-tvm"),
            ("TOSA tools", "tosa-tools"),
            ("OpenCV", "opencv-python-headless"),
            ("nncase", "nncase"),
            ("RKNN-Toolkit2", "rknn-toolkit2"),
            ("QNN", "onnxruntime-qnn"),
            ("Core ML", "coremltools"),
        ];
        // The package of ggml's library has a version of its own.
        assert!(pins.contains("pywhispercpp==1.5.1  # ggml 0.13.1\n"));
        for engine in ENGINES.iter().filter(|engine| engine.name != "ggml") {
            let (_, package) = packages.iter().find(|(name, _)| *name == engine.name).expect("a package");
            let pin = pins.lines().find_map(|line| line.strip_prefix(package)?.strip_prefix("=="));
            let pin = pin.and_then(|pin| pin.split_whitespace().next());
            // ncnn and pnnx count days, after a version of the package that stays the same.
            let pin = pin.unwrap_or_else(|| panic!("{package} is not pinned")).trim_start_matches("1.0.");
            // The package of OpenCV counts builds behind its version.
            let pin = pin.trim_end_matches(".93");
            assert_eq!(pin, engine.version, "{package}");
        }
    }
}
