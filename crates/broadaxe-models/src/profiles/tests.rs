mod onnx;
mod recorded;
mod rules;

use super::*;

#[test]
fn names() {
    for profile in PROFILES {
        let name = profile.name.replace('N', "4");
        let target: Target = name.parse().expect("the name of a profile");
        assert_eq!(target.to_string(), name);
        assert!(!profile.summary.is_empty() && !profile.laws.is_empty(), "{name}");
        for law in profile.laws {
            assert!(!law.text.is_empty() && !law.evidence.source.is_empty(), "{name}");
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
