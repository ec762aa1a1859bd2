//! Checks a model file, and says what would repair it.

use std::{collections::HashSet, path::Path, sync::Arc};

use crate::{
    Model, NodeId,
    check::check,
    error::Error,
    fix::{Intent, advise},
    format,
    infer::{Shapes, infer},
    profiles::Target,
    report::{CheckRecord, node_name},
    upgrade,
    verify::needed,
};

/// Reads a model file, infers its shapes, and checks its broadcasting nodes for these targets.
///
/// ```
/// use broadaxe_models::{Target, check_file};
/// let targets: Vec<Target> = vec!["onnx".parse()?, "ncnn".parse()?];
/// let record = check_file("../../examples/face.onnx", &targets)?;
/// assert_eq!((record.nodes, record.targets[0].differs), (3, 2));
/// # Ok::<(), broadaxe_models::Error>(())
/// ```
///
/// # Errors
/// When the file cannot be read, or is not a model that Broadaxe can read.
pub fn check_file(path: impl AsRef<Path>, targets: &[Target]) -> Result<CheckRecord, Error> {
    let path = path.as_ref();
    let model = format::open(path)?;
    let shapes = infer(&model, &[])?;
    check_model(path, &model, &shapes, targets)
}

/// Checks a model that was read from this file, and plans its repairs; a model of an old opset is upgraded for them.
///
/// # Errors
/// As [`advise`].
pub fn check_model(path: &Path, model: &Model, shapes: &Shapes, targets: &[Target]) -> Result<CheckRecord, Error> {
    let mut report = check(model, shapes, targets);
    advise(model, shapes, targets, &mut report)?;
    let mut record = CheckRecord::new(&path.display().to_string(), model, report);
    if record.fixable() < record.repairable()
        && upgrade::is_old(model)
        && let (Some(upgraded), fix) = upgrade::plan(model, shapes, targets, Intent::Unknown)?
    {
        let name = |(id, target): &(NodeId, Arc<str>)| (node_name(&upgraded.model, *id), target.clone());
        let remains: HashSet<(String, Arc<str>)> = fix.remains.iter().map(name).collect();
        record.set_fixable(|finding| !remains.contains(&(finding.node.clone(), finding.target.clone())));
    }
    if record.fixable() > 0 {
        record.needed_inputs = needed(model, shapes);
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::FindingRecord;

    /// Most of a model means the same everywhere: that costs a few words for each target.
    #[test]
    fn findings_that_say_the_same_share_it() {
        let names = ["onnx", "numpy"];
        let targets: Vec<Target> = names.iter().map(|name| name.parse().unwrap()).collect();
        let record = check_file("../../examples/face.onnx", &targets).unwrap();
        let same = record.findings.chunks(targets.len()).find(|of| of.iter().all(|one| one.verdict == "same")).unwrap();
        for (finding, name) in same.iter().zip(names) {
            assert_eq!(&*finding.target, name);
            assert!(std::ptr::eq(&raw const *finding.node, &raw const *same[0].node), "{name}");
        }
        assert!(size_of::<FindingRecord>() <= 4 * size_of::<usize>(), "{}", size_of::<FindingRecord>());
        let mut other = same[1].clone();
        other.ignored = Some("one only".to_owned());
        assert_eq!((&same[1].ignored, &same[0].ignored), (&None, &None));
    }

    /// The findings say what repairs them, as those of the command do.
    #[test]
    fn findings_have_repairs() {
        let targets: Vec<Target> = ["openvino", "ncnn"].iter().map(|name| name.parse().unwrap()).collect();
        let record = check_file("../broadaxe-format/tests/models/fire.param", &targets).unwrap();
        let repairs = record.findings.iter().filter(|finding| finding.repair.is_some()).count();
        assert_eq!((record.attention(), repairs), (1, 1));
    }

    /// A runtime that a format does not come to is not said to differ.
    #[test]
    fn models_without_a_route_are_unknown() {
        let targets: Vec<Target> = ["ncnn", "coreml", "openvino"].iter().map(|name| name.parse().unwrap()).collect();
        let record = check_file("../broadaxe-format/tests/models/tflite_small.tflite", &targets).unwrap();
        let unknown: Vec<usize> = record.targets.iter().map(|target| target.unknown).collect();
        assert_eq!((record.attention(), unknown), (0, vec![record.nodes, record.nodes, 0]));
        assert_eq!(record.findings[0].reason, "ncnn has no tested converter that reads TFLite");
    }
}
