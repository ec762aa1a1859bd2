//! Draws findings.

use broadaxe_draw::{Drawing, words::quoted};

use super::{DimRecord, FindingRecord, words::fused};

/// Draws a finding: the operands as the model places them and, where the target places them by another rule, as it does. The drawings
/// are traced at the element that differs. Returns nothing where the places are not known.
///
/// ```
/// use broadaxe_models::{check_file, report::drawings};
/// let record = check_file("../../examples/face.onnx", &["ncnn".parse()?])?;
/// let wrong = record.findings.iter().find(|finding| finding.verdict == "differs").unwrap();
/// let titles: Vec<String> = drawings(wrong).into_iter().map(|drawing| drawing.title).collect();
/// assert_eq!(titles, ["in this model", "on ncnn"]);
/// # Ok::<(), broadaxe_models::Error>(())
/// ```
pub fn drawings(finding: &FindingRecord) -> Vec<Drawing> {
    let word = |dim: &DimRecord| match dim {
        DimRecord::Size(size) => size.to_string(),
        DimRecord::Open(name) => quoted(name),
    };
    let words = |dims: &Vec<DimRecord>| dims.iter().map(word).collect::<Vec<String>>();
    let draw = |title: String, axes: &[Vec<usize>], result: &[String], reads: &[Vec<usize>]| {
        let operands = finding.operands.iter().zip(axes).map(|(operand, axes)| {
            let dims = operand.shape.as_ref().map(words).unwrap_or_default();
            (dims.len() == axes.len()).then(|| (fused(&operand.tensor), dims, axes.clone()))
        });
        let operands: Vec<_> = operands.collect::<Option<_>>()?;
        let drawing = Drawing::placed(title, &operands, result);
        let element = finding.counterexample.as_ref().map(|example| example.element.clone());
        Some(match element {
            Some(element) if element.len() == result.len() && reads.len() == operands.len() => {
                drawing.reading(&element, axes, reads)
            }
            _ => drawing,
        })
    };
    let Some(axes) = finding.axes.as_ref() else { return Vec::new() };
    let Some(result) = finding.result.as_ref().map(words) else { return Vec::new() };
    let example = finding.counterexample.as_ref();
    let (reads, there) = example.map_or((&[][..], &[][..]), |example| (&example.reads, &example.target_reads));
    let own = draw("in this model".to_owned(), axes, &result, reads);
    let target = finding.target_axes.as_ref().and_then(|axes| {
        let shape = example.map(|example| example.target_shape.iter().map(ToString::to_string).collect::<Vec<_>>());
        draw(format!("on {}", finding.target), axes, &shape.filter(|shape| !shape.is_empty()).unwrap_or(result), there)
    });
    own.into_iter().chain(target).collect()
}
