mod contrib;
mod expand;
mod inside;
mod onnx;
mod recorded;
mod rules;
mod slopes;

use super::*;

#[test]
fn names() {
    for profile in PROFILES {
        let name = profile.name.replace('N', "4");
        let target: Target = name.parse().expect("the name of a profile");
        assert_eq!(target.to_string(), name);
        assert!(!profile.summary.is_empty() && !profile.laws.is_empty(), "{name}");
        assert!(PROFILES.iter().filter(|one| one.title == profile.title).count() == 1 && !profile.title.is_empty());
        for law in profile.laws {
            assert!(!law.text.is_empty() && !law.evidence.source.is_empty(), "{name}");
            // A reason is read in a table.
            assert!(law.text.split_whitespace().count() <= 14, "{name}: {}", law.text);
            if let Way::Rule(rule) = law.way {
                assert!(rule.parse::<Rule>().is_ok(), "{name}: {rule}");
            }
        }
    }
    for wrong in ["", "tensort", "rank<=", "rank<=x", "rank<=-1", "rank<=99999999999999999999", "rank"] {
        let error = wrong.parse::<Target>().expect_err(wrong);
        let error = error.to_string();
        assert!(error.contains("openvino") || error.contains("such as rank<=4"), "{error}");
    }
}

/// A target says nothing about models that no converter brings to it.
#[test]
fn verdicts_need_a_route() {
    let kept = "assumes a converter that keeps all shapes; none from OpenVINO IR was tested";
    let cases = [
        ("tflite", "ncnn", Some(Err("no tested converter reads TFLite for ncnn"))),
        ("tflite", "coreml", Some(Err("no tested converter reads TFLite for coreml"))),
        ("tflite", "onnx", Some(Err("no tested converter reads TFLite for onnx"))),
        ("tflite", "openvino", None),
        ("tflite", "litert-gpu", None),
        ("tflite", "equal-rank", None),
        ("openvino", "ncnn", Some(Ok(kept))),
        (
            "onnx",
            "litert",
            Some(Ok("assumes onnx2tf 2.6.9, which moves channels last; another route: litert/litert-torch")),
        ),
        (
            "onnx",
            "litert-gpu/litert-torch",
            Some(Ok("assumes litert-torch 0.10.0, from the PyTorch model; another route: litert-gpu/onnx2tf")),
        ),
        ("openvino", "litert", Some(Ok(kept))),
        ("onnx", "ncnn", None),
    ];
    for (format, target, want) in cases {
        let reach = match target.parse::<Target>().unwrap().reach(format) {
            Reach::Read => None,
            Reach::Assumed(said) => Some(Ok(said)),
            Reach::Unreached(said) => Some(Err(said)),
        };
        let want = want.map(|want| want.map(str::to_owned).map_err(str::to_owned));
        assert_eq!(reach, want, "{format} for {target}");
    }
    for profile in PROFILES {
        let reads = profile.route.reads.unwrap_or_default();
        assert!(reads.iter().all(|name| crate::format::FORMATS.iter().any(|format| format.name == *name)), "{reads:?}");
        assert!(!profile.route.evidence.source.is_empty(), "{}", profile.name);
    }
}
