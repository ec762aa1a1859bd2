//! What the Atlas asks about: a family of operators under one rule with its parameters.

use std::sync::LazyLock;

use broadaxe_shape::{Rule, Shape};

/// Describes operators that broadcast alike, and that a test can tell apart by their results.
#[derive(Debug)]
#[non_exhaustive]
pub struct Family {
    /// The first part of the ids: `add`.
    pub name: &'static str,
    /// What the operator computes.
    pub computes: &'static str,
    /// Which operands are asked about as constants: a letter for each operand, `i` for a computed one and `c` for a constant.
    pub kinds: &'static [&'static str],
}

/// Lists the families.
pub static FAMILIES: [Family; 7] = [
    Family { name: "add", computes: "a + b", kinds: &["ii", "ic", "ci"] },
    Family { name: "sub", computes: "a - b", kinds: &["ii", "ic", "ci"] },
    Family { name: "sum", computes: "a + b + c", kinds: &["iii", "iic"] },
    Family { name: "select", computes: "b where a is true, c elsewhere", kinds: &["iii", "iic"] },
    Family { name: "prelu", computes: "a where a is positive, a * b elsewhere", kinds: &["ii", "ic"] },
    Family { name: "expand", computes: "a, broadcast to a target shape", kinds: &["i"] },
    Family { name: "gemm", computes: "the product of two matrices, plus c", kinds: &["iii", "iic"] },
];

/// How a subject makes its rule.
#[derive(Debug)]
enum RuleSource {
    Fixed(Rule),
    Bidirectional,
    BroadcastTo,
    Explicit(Vec<i64>),
}

/// A family of operators under one rule.
#[derive(Debug)]
pub struct Subject {
    family: &'static Family,
    label: String,
    source: RuleSource,
    operands: usize,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(subjects);

/// The values of the parameter `axis`. Rules that have it are also asked about with its default.
const AXES: [i64; 4] = [0, 1, 2, 3];

/// The label of a rule, and how it is made.
type Labelled = (String, RuleSource);

/// Lists what is asked.
fn subjects() -> Vec<Subject> {
    let [add, sub, sum, select, prelu, expand, gemm] = &FAMILIES;
    let by_name = |rules: &[Rule]| rules.iter().map(|rule| fixed(rule.name(), rule.clone())).collect();
    let families: [(&Family, usize, Vec<Labelled>); 7] = [
        (add, 2, of_sums()),
        (sub, 2, of_differences()),
        (sum, 3, by_name(&[Rule::numpy()])),
        (select, 3, of_choices()),
        (prelu, 2, by_name(&[Rule::unidirectional(), Rule::openvino_prelu()])),
        (expand, 2, of_stretches()),
        (gemm, 2, by_name(&[Rule::gemm_c()])),
    ];
    let subject = |(family, operands, labelled): (&'static Family, usize, Vec<Labelled>)| {
        labelled.into_iter().map(move |(label, source)| Subject { family, label, source, operands })
    };
    families.into_iter().flat_map(subject).collect()
}

fn fixed(label: impl Into<String>, rule: Rule) -> Labelled {
    (label.into(), RuleSource::Fixed(rule))
}

/// The rules of formats that give no axis.
fn without_axis() -> impl Iterator<Item = Labelled> {
    let rules = [Rule::numpy(), Rule::none(), Rule::tosa(), Rule::ncnn(), Rule::ggml()];
    rules.into_iter().map(|rule| fixed(rule.name(), rule))
}

fn of_sums() -> Vec<Labelled> {
    type WithAxis = (&'static str, Rule, fn(i64) -> Rule);
    let with_axis: [WithAxis; 3] = [
        ("pdpd", Rule::pdpd(-1), Rule::pdpd),
        ("paddle", Rule::paddle(-1), Rule::paddle),
        ("onnx-legacy", Rule::onnx_legacy(None), |axis| Rule::onnx_legacy(Some(axis))),
    ];
    let mut all: Vec<Labelled> = without_axis().collect();
    for (name, default, rule) in with_axis {
        all.push(fixed(name, default));
        all.extend(AXES.map(|axis| fixed(format!("{name}{axis}"), rule(axis))));
    }
    all
}

fn of_differences() -> Vec<Labelled> {
    let with_default = [Rule::pdpd(-1), Rule::paddle(-1)].map(|rule| fixed(rule.name(), rule));
    let with_axis = [fixed("pdpd1", Rule::pdpd(1)), fixed("paddle1", Rule::paddle(1))];
    without_axis().chain(with_default).chain(with_axis).collect()
}

fn of_choices() -> Vec<Labelled> {
    let mut all = vec![fixed(Rule::numpy().name(), Rule::numpy())];
    for (mode, axis) in [("numpy", None), ("none", None), ("pdpd", None), ("pdpd", Some(0)), ("pdpd", Some(1))] {
        if let Ok(rule) = Rule::openvino_select(mode, axis) {
            let axis = axis.map(|axis: i64| axis.to_string()).unwrap_or_default();
            all.push(fixed(format!("{}.{mode}{axis}", rule.name()), rule));
        }
    }
    all
}

fn of_stretches() -> Vec<Labelled> {
    let explicit = |subset: u32| {
        let axes: Vec<i64> = AXES.into_iter().filter(|axis| subset >> axis & 1 == 1).collect();
        let digits: String = axes.iter().map(i64::to_string).collect();
        (format!("explicit.{digits}"), RuleSource::Explicit(axes))
    };
    let by_result =
        [("bidirectional".to_owned(), RuleSource::Bidirectional), ("broadcast-to".to_owned(), RuleSource::BroadcastTo)];
    by_result.into_iter().chain((0..16).map(explicit)).collect()
}

impl Subject {
    /// Lists all subjects.
    pub fn all() -> &'static [Self] {
        &SUBJECTS
    }

    /// Finds a subject by its family and its label.
    pub fn named(family: &str, label: &str) -> Option<&'static Self> {
        Self::all().iter().find(|subject| subject.family.name == family && subject.label == label)
    }

    /// Returns the family of operators.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// Returns the part of the ids that names the rule and its parameters: `numpy`, `pdpd1`, `explicit.02`.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Counts the shapes that a pattern is about, the target included.
    pub fn operands(&self) -> usize {
        self.operands
    }

    /// Says whether the last shape of a pattern is a target.
    pub fn has_target(&self) -> bool {
        !matches!(self.source, RuleSource::Fixed(_))
    }

    /// Says whether the operator can have operands of these ranks at all.
    pub fn has_ranks(&self, ranks: &[usize]) -> bool {
        match &self.source {
            RuleSource::Explicit(axes) => ranks[0] == axes.len(),
            _ => self.family.name != "gemm" || ranks[0] == 2,
        }
    }

    /// Says whether the rule compares dims only with each other and with 1, so that a pattern determines its answer.
    ///
    /// `ggml` tests divisibility. Its cases are the same patterns, whose answers hold for their sizes only.
    pub fn is_determined(&self) -> bool {
        self.label != "ggml"
    }

    /// Returns the rule; `target` is the last shape of a pattern.
    pub fn rule(&self, target: &[usize]) -> Rule {
        match &self.source {
            RuleSource::Fixed(rule) => rule.clone(),
            RuleSource::Bidirectional => Rule::bidirectional(Shape::from(target)),
            RuleSource::BroadcastTo => Rule::broadcast_to(Shape::from(target)),
            RuleSource::Explicit(axes) => Rule::explicit(axes.clone(), Shape::from(target)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn labels_are_unique_and_name_rules() {
        let mut seen = BTreeSet::new();
        for subject in Subject::all() {
            assert!(seen.insert((subject.family.name, &subject.label)), "{}", subject.label);
            assert!(subject.label.starts_with(subject.rule(&[2]).name()), "{}", subject.label);
            assert!(subject.family.kinds.iter().all(|kinds| kinds.len() == subject.family.kinds[0].len()));
        }
        assert_eq!(Subject::all().len(), 57);
    }
}
