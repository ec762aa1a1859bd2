//! Fixes or upgrades a model: plans the changes, makes them in memory, verifies the result, and decides whether to offer it.

use crate::{
    Model, Written,
    error::Error,
    fix::{Fix, Intent, LeftKind},
    format,
    infer::{Shapes, given, infer},
    meaning::intended,
    profiles::Target,
    upgrade::{self, Upgraded},
    verify::{Verified, verify_as},
};

/// What became of a model that was to be changed.
#[derive(Debug)]
pub struct Fixed {
    /// The model of opset 7 that the plan changes, where an old one had to be upgraded first.
    pub upgraded: Option<Upgraded>,
    /// The changes, and the nodes that they leave.
    pub plan: Fix,
    /// Whether the changed model is offered.
    pub outcome: FixOutcome,
}

/// Says whether a changed model is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixOutcome {
    /// Nothing has to change.
    Unchanged,
    /// The changed model is offered, with what was compared; nothing where the caller did not want that.
    Changed(Option<Verified>),
    /// No node of the changed model could be compared: it is offered only to those who ask again.
    Unverified(Verified),
    /// The changed model computes something else, and is not offered.
    Different(Verified),
    /// No change was found for nodes that a target computes otherwise or rejects.
    Unfixed,
}

/// Plans a fix as [`upgrade::plan`] does, verifies the changed model if asked to, and decides whether to offer it.
///
/// ```
/// use broadaxe_models::{fix_model, format, infer::infer};
/// let model = format::open("../../examples/face.onnx".as_ref())?;
/// let fixed = fix_model(&model, &infer(&model, &[])?, &["ncnn".parse()?], true)?;
/// assert!(fixed.is_offered() && !fixed.is_wrong());
/// # Ok::<(), broadaxe_models::Error>(())
/// ```
///
/// # Errors
/// As [`upgrade::plan`]; when the changes cannot be made, or the changed model cannot be read.
pub fn fix_model(model: &Model, shapes: &Shapes, targets: &[Target], verify: bool) -> Result<Fixed, Error> {
    fix_model_as(model, shapes, targets, verify, Intent::Unknown)
}

/// As [`fix_model`], where the caller says what operands mean that can be read in several ways.
///
/// # Errors
/// As [`fix_model`].
pub fn fix_model_as(
    model: &Model,
    shapes: &Shapes,
    targets: &[Target],
    verify: bool,
    intent: Intent,
) -> Result<Fixed, Error> {
    let (upgraded, plan) = upgrade::plan(model, shapes, targets, intent)?;
    Fixed::new((model, shapes), upgraded, plan, verify.then_some(intent))
}

/// Plans an upgrade as [`upgrade::upgrade`] does, verifies the changed model if asked to, and decides whether to offer it.
///
/// # Errors
/// As [`upgrade::upgrade`]; when the changes cannot be made, or the changed model cannot be read.
pub fn upgrade_model(model: &Model, shapes: &Shapes, verify: bool) -> Result<Fixed, Error> {
    let plan = upgrade::upgrade(model, shapes)?;
    Fixed::new((model, shapes), None, plan, verify.then_some(Intent::Unknown))
}

impl Fixed {
    /// Decides what becomes of a plan; it is verified for the intent that is given.
    fn new(
        (model, shapes): (&Model, &Shapes),
        upgraded: Option<Upgraded>,
        plan: Fix,
        verify: Option<Intent>,
    ) -> Result<Self, Error> {
        let mut fixed = Self { upgraded, plan, outcome: FixOutcome::Changed(None) };
        if fixed.upgraded.is_none() && fixed.plan.edits.is_empty() {
            fixed.outcome = if fixed.is_wrong() { FixOutcome::Unfixed } else { FixOutcome::Unchanged };
        } else if let Some(intent) = verify {
            fixed.outcome = fixed.compared(model, shapes, intent)?;
        }
        Ok(fixed)
    }

    /// Reads the changed model, and compares its element-wise nodes with those of the old one.
    fn compared(&self, before: &Model, shapes: &Shapes, intent: Intent) -> Result<FixOutcome, Error> {
        let (_, after) = self.changed(before)?;
        let after_shapes = infer(&after, &given(before, shapes))?;
        let verified = verify_as((before, shapes), (&after, &after_shapes), &intended(before, shapes, intent))?;
        Ok(match &verified {
            Verified { difference: Some(_), .. } => FixOutcome::Different(verified),
            // A model about which nothing was found out is not verified.
            Verified { nodes: 0, left, .. } if !left.is_empty() => FixOutcome::Unverified(verified),
            _ => FixOutcome::Changed(Some(verified)),
        })
    }

    /// Makes the changes: returns the files to write, and the changed model.
    ///
    /// # Errors
    /// When the changes cannot be made, or the changed model cannot be read.
    pub fn changed(&self, before: &Model) -> Result<(Written, Model), Error> {
        let model = self.base(before);
        let written = format::write(model, &self.plan.edits)?;
        let after = format::changed(model, &written)?;
        Ok((written, after))
    }

    /// Returns the model that the plan changes: the upgraded one, or the one before.
    pub fn base<'a>(&'a self, before: &'a Model) -> &'a Model {
        self.upgraded.as_ref().map_or(before, |upgraded| &upgraded.model)
    }

    /// Says whether the changed model is written without being asked for again. A model in which everything is left that should change
    /// would look fixed if it were.
    pub fn is_offered(&self) -> bool {
        matches!(self.outcome, FixOutcome::Unchanged | FixOutcome::Changed(_))
    }

    /// Says whether a node is left that a target computes otherwise or rejects.
    pub fn is_wrong(&self) -> bool {
        self.plan.left.iter().any(|left| left.kind == LeftKind::Finding)
    }
}

impl FixOutcome {
    /// Returns what was compared.
    pub fn verified(&self) -> Option<&Verified> {
        match self {
            Self::Changed(verified) => verified.as_ref(),
            Self::Unverified(verified) | Self::Different(verified) => Some(verified),
            Self::Unchanged | Self::Unfixed => None,
        }
    }

    /// Says in one clause what was found out about the changed model; nothing where there is nothing to say.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Unchanged => Some("no changes needed".to_owned()),
            Self::Changed(verified) => {
                let compared = verified.as_ref().filter(|verified| verified.nodes > 0);
                compared.map(|verified| format!("verified: {verified}"))
            }
            Self::Unverified(verified) => {
                Some(format!("not verified: {}", verified.left.first().map_or("", |left| &*left.reason)))
            }
            Self::Different(verified) => {
                let difference = verified.difference.as_ref();
                difference.map(|difference| format!("the changed model is not the same: {difference}"))
            }
            Self::Unfixed => Some("nothing was fixed".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    /// A model that leaves the sizes of its input open, so that none of its nodes can be compared.
    const OPEN: &str = "7767517\n6 7\nInput i 0 1 x\nConvolution k 1 1 x e 0=16 1=3 6=432\nSplit s 1 2 e a b\nPooling p 1 1 a c 0=1 4=1\n\
                        InnerProduct g 1 1 c d 0=16 1=1 2=256\nBinaryOp m 2 1 d b y 0=2\n";

    /// Every program offers the same models, in the same words.
    #[test]
    fn only_verified_changes_are_offered() {
        let read = |text: &str| format::read(&Source::memory(text.as_bytes(), None)).unwrap();
        let face = || format::open("../../examples/face.onnx".as_ref()).unwrap();
        let unknown = "not verified: the lengths of its operands are not all known";
        let cases = [
            (face(), "ncnn", true, true, false, "verified: 3 comparisons of element-wise nodes, "),
            (face(), "ncnn", false, true, false, ""),
            (face(), "onnx6", true, true, false, "no changes needed"),
            (face(), "none", true, false, true, "nothing was fixed"),
            (read(OPEN), "openvino", true, false, false, unknown),
            (read(OPEN), "openvino", false, true, false, ""),
        ];
        for (model, target, verify, offered, wrong, said) in cases {
            let shapes = infer(&model, &[]).unwrap();
            let fixed = fix_model(&model, &shapes, &[target.parse().unwrap()], verify).unwrap();
            let text = fixed.outcome.text().unwrap_or_default();
            assert_eq!((fixed.is_offered(), fixed.is_wrong()), (offered, wrong), "{target}: {text}");
            assert!(text.starts_with(said), "{target}: {text}");
        }
    }
}
