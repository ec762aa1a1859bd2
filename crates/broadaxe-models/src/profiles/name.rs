//! Reads and writes the names of targets: `openvino`, `rank<=4`, `mnn@3.2.0`.
//!
//! Upper and lower case are the same. `rank4` and `rank:4` name the target `rank<=4` too, because a shell reads `<` as a redirection.
//!
//! A plain name selects the newest version and the first route; `litert/litert-torch` selects another route from ONNX. A version between
//! two that were asked selects the older one of them: what changed in the newer one may not be there yet. A version outside the asked range is an error.

use std::{fmt, str::FromStr};

use super::{PROFILES, Profile};
use crate::error::{Error, ErrorKind};

/// A target: a profile, with its number, its route and its version if it has them.
#[derive(Clone, Copy)]
pub struct Target {
    profile: &'static Profile,
    limit: usize,
    via: Option<&'static str>,
    version: Option<&'static str>,
}

impl Target {
    /// Drops the targets that are in a list already, under whichever name.
    pub fn distinct(targets: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut names = Vec::new();
        let is_new = |target: &Self| {
            let name = target.to_string();
            let new = !names.contains(&name);
            names.push(name);
            new
        };
        targets.into_iter().filter(is_new).collect()
    }

    /// Returns the profile.
    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// Returns the asked version whose behaviour the target has; nothing where no law depends on a version.
    pub fn version(&self) -> Option<&'static str> {
        self.version
    }

    /// Returns the converter that brings ONNX models to the target, where verdicts depend on it.
    pub fn via(&self) -> Option<&'static str> {
        self.via
    }

    /// Selects a route of a profile.
    fn with_route(self, text: &str) -> Result<Self, Error> {
        let Profile { name, converters, .. } = self.profile;
        let shown: String = text.chars().take(40).collect();
        let known: Vec<&str> = converters.iter().map(|converter| converter.name).collect();
        match known.iter().find(|known| known.eq_ignore_ascii_case(text.trim())) {
            Some(via) => Ok(Self { via: Some(via), ..self }),
            None if known.is_empty() => Err(Error::new(
                ErrorKind::Argument,
                format!("target '{name}' has one route only; write '{self}' instead of '{self}/{shown}'"),
            )),
            None => Err(Error::new(
                ErrorKind::Argument,
                format!(
                    "target '{name}' has no route '{shown}' (routes: {}; '{name}' selects {})",
                    known.join(", "),
                    known[0]
                ),
            )),
        }
    }

    /// Returns the number that the name ends in, or 0.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// Says whether the version is this one or a later one; a target without versions is always the newest.
    pub fn at_least(&self, version: &str) -> bool {
        self.version.is_none_or(|own| parts(own) >= parts(version))
    }

    /// Selects a version of a profile.
    fn with_version(self, text: &str) -> Result<Self, Error> {
        let Profile { name, versions, .. } = self.profile;
        let shown: String = text.chars().take(40).collect();
        let fail = |message: String| Err(Error::new(ErrorKind::Argument, message));
        let Some((first, last)) = versions.first().zip(versions.last()) else {
            return fail(format!(
                "target '{name}' has no versions: no law of it depends on one; write '{self}' instead of '{self}@{shown}'"
            ));
        };
        let asked = || format!("(tested versions: {}; '{name}' selects {last})", versions.join(", "));
        let Some(wanted) = parts(text) else {
            return fail(format!("'{shown}' in target '{name}@{shown}' is not a version such as {last} {}", asked()));
        };
        let at_most = |version: &&&str| parts(version).is_some_and(|known| known <= wanted);
        match versions.iter().rev().find(at_most) {
            None => {
                fail(format!("target '{name}@{shown}' is older than {first}, the oldest tested version {}", asked()))
            }
            Some(_) if parts(last).is_some_and(|newest| newest < wanted) => {
                fail(format!("target '{name}@{shown}' is newer than {last}, the newest tested version {}", asked()))
            }
            Some(version) => Ok(Self { version: Some(version), ..self }),
        }
    }
}

/// Reads the numbers of a version such as `2.1.6`, `0.27.0.post1` or `0.dev20261023182759`, without the zeros at the end.
fn parts(version: &str) -> Option<Vec<u64>> {
    let number = |part: &str| {
        let digits = part.strip_prefix("post").or(part.strip_prefix("dev")).unwrap_or(part);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { digits.parse().ok() } else { None }
    };
    let mut parts: Vec<u64> = version.split('.').map(number).collect::<Option<_>>()?;
    while parts.last() == Some(&0) {
        parts.pop();
    }
    Some(parts)
}

/// The signs between the name and the number of a target: a shell accepts the second and the third without quotes.
const SIGNS: [&str; 3] = ["<=", ":", ""];

/// Finds the target of a name without a version.
fn named(text: &str) -> Option<Target> {
    let new = |profile: &'static Profile, limit| Target {
        profile,
        limit,
        via: profile.converters.first().map(|converter| converter.name),
        version: profile.versions.last().copied(),
    };
    PROFILES.iter().find_map(|profile| {
        let Some(name) = profile.name.strip_suffix("<=N") else {
            let mut names = profile.aliases.iter().chain([&profile.name]);
            return names.any(|name| name.eq_ignore_ascii_case(text)).then(|| new(profile, 0));
        };
        let (_, number) = text.split_at_checked(name.len()).filter(|(start, _)| start.eq_ignore_ascii_case(name))?;
        let number = SIGNS.iter().find_map(|sign| number.strip_prefix(sign))?.trim();
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let limit = number.parse().ok().filter(|limit| is_number && (1..=broadaxe_shape::MAX_RANK).contains(limit))?;
        Some(new(profile, limit))
    })
}

/// Runtimes that users ask for and that no target describes.
const WITHOUT_TARGET: [&str; 36] = [
    "armnn",
    "ascend",
    "burn",
    "candle",
    "cann",
    "cuda",
    "directml",
    "edgetpu",
    "executorch",
    "hailo",
    "iree",
    "mace",
    "migraphx",
    "mindspore",
    "mlx",
    "nnapi",
    "onednn",
    "paddle-lite",
    "rocm",
    "rten",
    "snpe",
    "stablehlo",
    "tengine",
    "tensorflow",
    "tenstorrent",
    "tf",
    "tfjs",
    "tinygrad",
    "torchscript",
    "tract",
    "tt-metal",
    "ttnn",
    "vitis-ai",
    "wonnx",
    "xla",
    "xnnpack",
];

/// What users call a target that has another name, of which this is no alias: it names another runtime too.
const SHORT: [(&str, &str); 10] = [
    ("gpu", "litert-gpu"),
    ("tflite-gpu", "litert-gpu"),
    ("tflite_gpu", "litert-gpu"),
    ("litertgpu", "litert-gpu"),
    ("pytorch", "torch"),
    ("webgpu", "ort-webgpu"),
    ("onnx2tf", "litert"),
    ("ai-edge-torch", "litert"),
    ("opencv-dnn", "opencv"),
    ("cv2", "opencv"),
];

/// Devices and programs that users name in place of what runs the model there, and the targets that do.
const DEVICES: [(&[&str], &[&str]); 9] = [
    (
        &["android", "phone", "phones", "mobile", "smartphone"],
        &["litert", "litert-gpu", "ncnn", "mnn", "qnn", "tnn", "coreml"],
    ),
    (&["ios", "iphone", "ipad", "mac", "macos", "apple", "ane"], &["coreml", "litert", "ncnn", "mnn"]),
    (&["snapdragon", "qualcomm", "hexagon", "htp", "npu"], &["qnn", "litert"]),
    (&["browser", "web", "wasm", "onnxruntime-web", "ort-web"], &["onnx", "ort-webgpu", "webnn"]),
    (&["mediapipe"], &["litert", "litert-gpu"]),
    (&["mcu", "microcontroller", "arduino", "esp32"], &["litert-micro"]),
    (&["nvidia", "jetson"], &["tensorrt", "onnx"]),
    (&["rockchip", "rk3588"], &["rknn"]),
    (&["llama.cpp", "whisper.cpp", "llamacpp"], &["ggml"]),
];

/// Names what runs models on a device.
fn on_device(name: &str) -> Option<String> {
    let is_named = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(name));
    let (_, targets) = DEVICES.iter().find(|(words, _)| is_named(words))?;
    let several = if targets.len() == 1 { "" } else { "one or more of " };
    Some(format!("; name what runs the model there: {several}{}", targets.join(", ")))
}

/// Says what is wrong with the number of a target that needs one.
fn limited(text: &str) -> Option<String> {
    PROFILES.iter().filter_map(|profile| profile.name.strip_suffix("<=N")).find_map(|name| {
        let (_, number) = text.split_at_checked(name.len()).filter(|(start, _)| start.eq_ignore_ascii_case(name))?;
        let number = SIGNS.iter().find_map(|sign| number.strip_prefix(sign))?.trim();
        if number.eq_ignore_ascii_case("N") || number.is_empty() {
            return Some(format!("{name}<=N needs a number, such as {name}<=4"));
        }
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let most = broadaxe_shape::MAX_RANK;
        is_number
            .then(|| format!("'{text}' is not a limit of ranks; write a number from 1 to {most}, such as {name}<=4"))
    })
}

/// Makes the error for a name that is not a target's.
fn unknown(name: &str) -> Error {
    let names: Vec<_> = PROFILES.iter().map(|profile| profile.name).collect();
    let shown: String = name.chars().take(40).collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    let message = if let Some(limit) = limited(name) {
        limit
    } else if words.len() > 1 && words.iter().all(|word| named(word).is_some()) {
        format!("'{shown}' names several targets; separate them by commas: {}", words.join(","))
    } else if WITHOUT_TARGET.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        format!(
            "what '{shown}' does is unknown; targets for runtimes in general are equal-rank and rank<=N (targets: {})",
            names.join(", ")
        )
    } else {
        let aliases = PROFILES.iter().flat_map(|profile| profile.aliases);
        let short = SHORT.iter().find(|(short, _)| short.eq_ignore_ascii_case(name));
        let near = match short {
            Some((_, known)) => format!("; did you mean '{known}'?"),
            None => on_device(name)
                .unwrap_or_else(|| broadaxe::frameworks::nearest(name, names.iter().chain(aliases).copied())),
        };
        format!("unknown target '{shown}'{near} (targets: {})", names.join(", "))
    };
    Error::new(ErrorKind::Argument, message)
}

impl Profile {
    /// Names the file with the page about the target: `rank-at-most-n.md`.
    pub fn page(&self) -> String {
        format!("{}.md", self.name.replace("<=N", "-at-most-n"))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.profile.name.strip_suffix('N') {
            Some(name) => write!(f, "{name}{}", self.limit)?,
            None => f.write_str(self.profile.name)?,
        }
        if let Some(via) =
            self.via.filter(|via| self.profile.converters.first().is_some_and(|first| first.name != *via))
        {
            write!(f, "/{via}")?;
        }
        match self.version {
            Some(version) if self.profile.versions.last() != Some(&version) => write!(f, "@{version}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({self})")
    }
}

impl FromStr for Target {
    type Err = Error;

    /// Reads the name of a target, such as `openvino`, `rank<=4`, `mnn@3.2.0` or `litert/litert-torch@2.3.0`, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
        let (name, via) = name.split_once('/').map_or((name, None), |(name, via)| (name, Some(via)));
        let target = named(name.trim()).ok_or_else(|| unknown(name))?;
        let target = via.map_or(Ok(target), |via| target.with_route(via))?;
        version.map_or(Ok(target), |version| target.with_version(version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::{Evidence, Law, PLAIN, Way};

    static VERSIONED: Profile = Profile {
        name: "versioned",
        summary: "a profile with versions",
        versions: &["2.1.3", "2.1.6", "2.2.0", "2.10.0.post1"],
        laws: &[Law {
            kinds: &[],
            when: &[],
            way: Way::Own,
            text: "does",
            evidence: Evidence::documented("this test"),
        }],
        ..PLAIN
    };

    #[test]
    fn versions() {
        let newest = Target { profile: &VERSIONED, limit: 0, via: None, version: VERSIONED.versions.last().copied() };
        assert_eq!(newest.to_string(), "versioned");
        let selected = [
            ("2.1.3", "versioned@2.1.3"),
            ("2.1.5", "versioned@2.1.3"),
            ("2.1.6", "versioned@2.1.6"),
            ("2.2", "versioned@2.2.0"),
            ("2.2.0.0", "versioned@2.2.0"),
            ("2.9.99", "versioned@2.2.0"),
            ("2.10", "versioned@2.2.0"),
            ("2.10.0.post1", "versioned"),
        ];
        for (version, want) in selected {
            assert_eq!(newest.with_version(version).expect(version).to_string(), want, "{version}");
        }
        let asked = "(tested versions: 2.1.3, 2.1.6, 2.2.0, 2.10.0.post1; 'versioned' selects 2.10.0.post1)";
        let refused = [
            ("2.1.2", format!("target 'versioned@2.1.2' is older than 2.1.3, the oldest tested version {asked}")),
            ("2.11", format!("target 'versioned@2.11' is newer than 2.10.0.post1, the newest tested version {asked}")),
            ("", format!("'' in target 'versioned@' is not a version such as 2.10.0.post1 {asked}")),
            ("2.x", format!("'2.x' in target 'versioned@2.x' is not a version such as 2.10.0.post1 {asked}")),
        ];
        for (version, want) in refused {
            assert_eq!(newest.with_version(version).expect_err(version).to_string(), want);
        }
        for wrong in ["2..1", "+2", "2.99999999999", "v2", "2.1.3rc1", "2@3"] {
            assert!(newest.with_version(wrong).is_err(), "{wrong}");
        }
        let old = newest.with_version("2.1.6").expect("a version");
        assert!(old.at_least("2.1.3") && old.at_least("2.1.6") && !old.at_least("2.2") && newest.at_least("2.10"));
    }

    #[test]
    fn aliases() {
        for profile in PROFILES {
            for alias in profile.aliases {
                let target: Target = alias.parse().expect(alias);
                assert_eq!(target.to_string(), profile.name, "{alias}");
                let names = PROFILES.iter().flat_map(|profile| profile.aliases.iter().chain([&profile.name]));
                assert_eq!(names.filter(|name| *name == alias).count(), 1, "{alias} has two meanings");
            }
            let ascending = profile.versions.is_sorted_by(|a, b| parts(a).is_some() && parts(a) < parts(b));
            assert!(ascending, "{}", profile.name);
            for version in profile.versions {
                let target: Target = format!("{}@{version}", profile.name).parse().expect(version);
                assert_eq!(target.version(), Some(*version));
            }
        }
        let near =
            [("onnxruntim", "'onnxruntime'"), ("jaxx", "'jax'"), ("Torhc", "'torch'"), ("opnvino@2026", "'openvino'")];
        for (wrong, want) in near {
            let error = wrong.parse::<Target>().expect_err(wrong).to_string();
            assert!(error.contains(&format!("did you mean {want}")), "{error}");
        }
        let error = "ort@1.31".parse::<Target>().expect_err("no versions").to_string();
        assert_eq!(
            error,
            "target 'onnx' has no versions: no law of it depends on one; write 'onnx' instead of 'onnx@1.31'"
        );
    }

    #[test]
    fn spellings() {
        let cases = [
            ("OpenVINO", "openvino"),
            ("ORT", "onnx"),
            (" TensorRT ", "tensorrt"),
            ("rank<=4", "rank<=4"),
            ("rank4", "rank<=4"),
            ("rank:4", "rank<=4"),
            ("Rank<= 4", "rank<=4"),
            ("MNN@3.6.1", "mnn"),
            ("litert/onnx2tf", "litert"),
            ("LiteRT/LiteRT-Torch", "litert/litert-torch"),
            ("litert-gpu/litert-torch@2.1.6", "litert-gpu/litert-torch@2.1.6"),
            ("tflite/onnx2tf@2.3.0", "litert"),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<Target>().map(|target| target.to_string()).ok().as_deref(), Some(want), "{text}");
        }
        let wrong = [
            (
                "litert/tf",
                "target 'litert' has no route 'tf' (routes: onnx2tf, litert-torch; 'litert' selects onnx2tf)",
            ),
            ("mnn/onnx", "target 'mnn' has one route only; write 'mnn' instead of 'mnn/onnx'"),
            ("rank", "rank<=N needs a number, such as rank<=4"),
            ("rank<=N", "rank<=N needs a number, such as rank<=4"),
            ("rank<=0", "write a number from 1 to 64"),
            ("gpu", "did you mean 'litert-gpu'?"),
            ("TFLite-GPU", "did you mean 'litert-gpu'?"),
            ("rank<4", "unknown target"),
            ("rank+4", "unknown target"),
            ("rank65", "write a number from 1 to 64"),
            ("ran\u{e9}4", "unknown target"),
            ("openvno", "did you mean 'openvino'?"),
            ("openvino ncnn", "separate them by commas: openvino,ncnn"),
            ("Hailo", "what 'Hailo' does is unknown"),
            ("Android", "name what runs the model there: one or more of litert, litert-gpu, ncnn"),
            ("phone", "name what runs the model there"),
            ("rk3588", "name what runs the model there: rknn (targets: "),
            ("opencv-dnn", "did you mean 'opencv'?"),
        ];
        for (text, want) in wrong {
            let error = text.parse::<Target>().expect_err(text).to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
        let devices = DEVICES.iter().flat_map(|(words, _)| *words);
        for name in WITHOUT_TARGET.iter().chain(devices).chain(SHORT.iter().map(|(short, _)| short)) {
            assert!(named(name).is_none(), "{name} has a target");
        }
        for target in DEVICES.iter().flat_map(|(_, targets)| *targets).chain(SHORT.iter().map(|(_, known)| known)) {
            assert!(named(target).is_some(), "{target} is no target");
        }
    }
}
