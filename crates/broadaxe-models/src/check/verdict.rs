//! Judges operands of known shapes: both meanings, and the first element on which they differ.

use broadaxe_shape::{Alignment, ErrorKind, Rule, Shape};

use super::{
    Coincidence, Counterexample, Verdict,
    reading::{Parting, Reading, index},
    value,
};
use crate::{
    code::{self, Code},
    meaning::Kind,
    profiles::{Asked, Does, Target, Treatment},
};

/// How many operands are looked at in search of other sizes under which meanings part.
const NEAR: usize = 1 << 17;

/// How much a judgement says in addition to its verdict and reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Nothing: planners of repairs ask so, for each way to write a node.
    None,
    /// The numbers of the counterexample, and sizes near by under which meanings part.
    Numbers,
}

/// A verdict, with the other parts of a finding.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// The kind of finding; nothing for [`Verdict::Same`].
    pub(super) code: Option<&'static Code>,
    pub(super) reason: String,
    pub(super) axis: Option<(usize, Vec<usize>)>,
    pub(super) near: Option<Box<Coincidence>>,
    /// As [`super::Finding::axes`] and [`super::Finding::target_axes`].
    pub(super) axes: [Option<Vec<Vec<usize>>>; 2],
    /// As [`super::Said::invalid`].
    pub(super) invalid: Option<String>,
}

impl Judged {
    pub(super) fn of(verdict: Verdict, code: &'static Code, reason: impl Into<String>) -> Self {
        let (reason, code) = (reason.into(), Some(code));
        Self { verdict, code, reason, axis: None, near: None, axes: [None, None], invalid: None }
    }

    /// Adds that the node is wrong by its own rule, which decides the kind of finding.
    pub(super) fn of_invalid(self, code: &'static Code, why: String) -> Self {
        Self { code: Some(code), invalid: Some(why), ..self }
    }

    pub(super) fn is_same(&self) -> bool {
        matches!(self.verdict, Verdict::Same)
    }

    pub(super) fn same() -> Self {
        Self { code: None, ..Self::of(Verdict::Same, &code::INVALID_NODE, "") }
    }
}

/// Names the first operand that feeds other axes on the target: `: b feeds axis 3, in this model axis 1`.
fn moved(asked: &Asked<'_>, here: &[Vec<usize>], there: &[Vec<usize>]) -> String {
    let axes = |axes: &[usize]| {
        let numbers: Vec<String> = axes.iter().map(ToString::to_string).collect();
        format!("{} {}", if axes.len() == 1 { "axis" } else { "axes" }, numbers.join(" and "))
    };
    let differs = |k: &usize| here[*k] != there[*k] && !here[*k].is_empty();
    let operand = (0..here.len().min(there.len())).find(differs);
    operand.map_or_else(String::new, |k| {
        format!(": {} feeds {}, in this model {}", asked.operand_name(k), axes(&there[k]), axes(&here[k]))
    })
}

/// Operands of known shapes, and what they mean in the model's own format.
pub(super) struct KnownOperands {
    pub(super) shapes: Vec<Shape>,
    pub(super) own: Result<Alignment, broadaxe_shape::Error>,
}

impl KnownOperands {
    /// Aligns operands by the node's own rule.
    pub(super) fn new(asked: &Asked<'_>, shapes: Vec<Shape>, result: &[usize]) -> Self {
        let dims: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
        let own = asked.meaning.align(&dims, result);
        Self { shapes, own }
    }

    fn dims(&self) -> Vec<&[usize]> {
        self.shapes.iter().map(Shape::dims).collect()
    }

    /// Judges what a target does with the operands.
    pub(super) fn judge(&self, asked: &Asked<'_>, target: &Target, treatment: &Treatment, detail: Detail) -> Judged {
        let own = match &self.own {
            Ok(own) => own,
            Err(error) if treatment.law.is_of_invalid() => {
                return self.accepted(asked, target, treatment).of_invalid(&code::INVALID_BROADCAST, error.to_string());
            }
            Err(error) => {
                let mut judged = invalid_broadcast(error);
                judged.reason += &fitting(&asked.meaning.fitting_axes(&self.dims()));
                return judged;
            }
        };
        let mut judged = self.verdict(own, asked, target, treatment, detail);
        if detail == Detail::Numbers && matches!(judged.verdict, Verdict::Differs(_) | Verdict::Refused) {
            let there = match &treatment.does {
                Does::Rule(rule) => rule.align(&self.dims()).ok(),
                _ => None,
            };
            judged.axes = [Some(own), there.as_ref()].map(|placed| placed.map(|placed| self.axes(placed)));
            if let (Some(code), [Some(here), Some(there)]) = (judged.code, &judged.axes)
                && code.id == code::WRONG_AXIS.id
            {
                judged.reason += &moved(asked, here, there);
            }
        }
        judged
    }

    /// Notes a scale that runs along axis 1 since its node names no axis, where axis 0 fits as well, and a slope along the last axis that
    /// fits the channels as well.
    pub(super) fn unnamed_axis(&self, asked: &Asked<'_>) -> Option<Judged> {
        let note = |text: String| Judged::of(Verdict::Same, &code::DEFAULT_AXIS, text);
        if let (Kind::Slope, [data, slope]) = (asked.meaning.kind, &self.dims()[..]) {
            let last = data.len().checked_sub(1).filter(|last| *last > 1)?;
            let is_list = slope.len() == 1 && slope[0] > 1 && data[1] == slope[0];
            if !is_list || self.axes(self.own.as_ref().ok()?)[1] != [last] {
                return None;
            }
            let (data, slope) = (asked.operand_name(0), asked.operand_name(1));
            let text = format!("{slope} runs along axis {last} of {data}, and axis 1, of the channels, fits as well");
            return Some(note(text));
        }
        let fits = asked.meaning.fitting_axes(&self.dims());
        let is_list = self.shapes.get(1).is_some_and(|scale| scale.first().is_some_and(|size| *size > 1));
        if !is_list || asked.node.attribute("axis").is_some() || ![0, 1].iter().all(|axis| fits.contains(axis)) {
            return None;
        }
        let (data, scale) = (asked.operand_name(0), asked.operand_name(1));
        let text = format!("{scale} runs along axis 1 of {data} since the node names no axis, and axis 0 fits as well");
        Some(note(text))
    }

    /// Lists the axes of the result that the axes of each operand feed.
    fn axes(&self, alignment: &Alignment) -> Vec<Vec<usize>> {
        alignment.operands().iter().take(self.shapes.len()).map(|operand| operand.axes().to_vec()).collect()
    }

    /// Says what a target does with the operands, which `own` aligns by the node's own rule.
    fn verdict(
        &self,
        own: &Alignment,
        asked: &Asked<'_>,
        target: &Target,
        treatment: &Treatment,
        detail: Detail,
    ) -> Judged {
        let text = || format!("{target} {}", treatment.law.text);
        let of = |verdict: Verdict, code, why: &str| Judged::of(verdict, code, format!("{target} {why}"));
        let read = |there: Option<Reading>, lacks: &str| match there {
            Some(there) => self.compare(asked, own, &there, (target, treatment), detail),
            None => Judged::of(Verdict::Refused, &code::SHAPES_REJECTED, text() + lacks),
        };
        match &treatment.does {
            Does::Own => Judged::same(),
            Does::Garbled(why) => self.garbled(own, format!("{target} {why}")),
            Does::Refused(why) => of(Verdict::Refused, &code::NODE_REJECTED, why),
            Does::RefusedRank(why) => of(Verdict::Refused, &code::RANK_REJECTED, why),
            Does::Unsupported(why) => of(Verdict::Unsupported, &code::UNSUPPORTED_OPERATOR, why),
            Does::Unknown(why) => of(Verdict::Unknown, &code::UNKNOWN_BEHAVIOR, why),
            Does::Rule(rule) if *rule == asked.meaning.rule => Judged::same(),
            Does::Rule(rule) => match rule.align(&self.dims()) {
                Ok(there) => read(Some(Reading::of(&there)), ""),
                Err(error) => {
                    let near = self.near(asked, rule, detail).map(Box::new);
                    Judged { near, ..self.clashing(asked, target, treatment, &error) }
                }
            },
            Does::Flat { axes } => read(Reading::flat(own, *axes), ""),
            Does::Reads(operands) => read(Some(Reading { operands: operands.clone(), ..Reading::of(own) }), ""),
            Does::Overrun { operand, axes } => read(Reading::overrun(own, *operand, *axes), ""),
            Does::Fewer { count } => match Rule::numpy().align(&self.dims()[..*count]) {
                Ok(there) => self.fewer(asked, own, &Reading::of(&there), text(), detail),
                Err(error) => self.clashing(asked, target, treatment, &error),
            },
            Does::List { operand, axis } => read(self.as_list(*operand, *axis), ", which is not there"),
        }
    }

    /// Says what a target does with operands that do not broadcast by the node's own rule.
    fn accepted(&self, asked: &Asked<'_>, target: &Target, treatment: &Treatment) -> Judged {
        let text = format!("{target} {}", treatment.law.text);
        let reading = |there: &Reading| {
            let element: Vec<usize> = there.shape.iter().map(|size| size.saturating_sub(1)).collect();
            let positions = there.positions(&element).filter(|_| !there.shape.contains(&0)).unwrap_or_default();
            let target_reads = positions.iter().zip(&self.shapes).map(|(&at, dims)| index(at, dims)).collect();
            let example = Counterexample { target_reads, ..Counterexample::bare(element, there.shape.clone()) };
            Judged::of(Verdict::Differs(Box::new(example)), &code::WRONG_AXIS, text.clone())
        };
        match &treatment.does {
            Does::Rule(rule) => match rule.align(&self.dims()) {
                Ok(there) => reading(&Reading::of(&there)),
                Err(error) => self.clashing(asked, target, treatment, &error),
            },
            Does::List { operand, axis } => {
                let there = self.as_list(*operand, *axis);
                there.map_or_else(|| all_the_same(target, treatment), |there| reading(&there))
            }
            _ => all_the_same(target, treatment),
        }
    }

    /// Makes the verdict on operands that a target's rule does not broadcast.
    fn clashing(
        &self,
        asked: &Asked<'_>,
        target: &Target,
        treatment: &Treatment,
        error: &broadaxe_shape::Error,
    ) -> Judged {
        let text = format!("{target} {}: {}", treatment.law.text, self.clash(asked, error));
        let axis = error.axis().map(|axis| (axis, Vec::new()));
        Judged { axis, ..Judged::of(Verdict::Refused, &code::SHAPES_REJECTED, text) }
    }

    /// Makes the reading of one of two operands as a list along an axis of the other; nothing without that axis.
    fn as_list(&self, operand: usize, axis: usize) -> Option<Reading> {
        Reading::list(self.data(operand)?, operand, axis)
    }

    /// Returns the shape of the one of two operands that is no list.
    fn data(&self, list: usize) -> Option<&[usize]> {
        self.shapes.get(1_usize.checked_sub(list)?).map(Shape::dims)
    }

    /// Looks for a dim that, with the size of another, would make the target take the operands and read them otherwise.
    fn near(&self, asked: &Asked<'_>, rule: &Rule, detail: Detail) -> Option<Coincidence> {
        if detail == Detail::None || matches!(rule.name(), "none" | "onnx-clip") || asked.meaning.kind == Kind::Stretch
        {
            return None;
        }
        let mut tries = NEAR / self.shapes.len().max(1);
        let mut sizes: Vec<usize> = self.shapes.iter().flat_map(|shape| shape.iter().copied()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for (k, shape) in self.shapes.iter().enumerate() {
            for axis in (0..shape.len()).rev() {
                for &size in sizes.iter().filter(|size| **size > 1 && **size != shape[axis]) {
                    tries = tries.checked_sub(1)?;
                    let mut shapes = self.shapes.clone();
                    let mut dims = shape.to_vec();
                    dims[axis] = size;
                    shapes[k] = dims.into();
                    let known = Self::new(asked, shapes, &[]);
                    let (Ok(own), Ok(there)) = (&known.own, rule.align(&known.dims())) else { continue };
                    let (here, there) = (Reading::of(own), Reading::of(&there));
                    let Some(parting) = here.parting(&there) else { continue };
                    let example = known.example(asked, (&here, &there), &parting, detail);
                    return Some(Coincidence {
                        shapes: known.shapes.iter().map(|shape| shape.to_vec()).collect(),
                        example,
                    });
                }
            }
        }
        None
    }

    /// Says in the names of the model why the operands do not broadcast.
    fn clash(&self, asked: &Asked<'_>, error: &broadaxe_shape::Error) -> String {
        match (error.kind(), error.axis(), error.operand(), error.sizes()) {
            (ErrorKind::Mismatch | ErrorKind::Direction, Some(axis), Some(k), Some((others, own))) => {
                let name = asked.operand_name(k);
                format!("on axis {axis}, {name} has size {own} and the other operand has size {others}")
            }
            (ErrorKind::Rank, ..) => {
                let ranks: Vec<String> = self.shapes.iter().map(|shape| shape.len().to_string()).collect();
                format!("these have ranks {}", ranks.join(" and "))
            }
            _ => error.to_string(),
        }
    }

    /// Makes the verdict on a node of which the target computes the first operands only.
    fn fewer(&self, asked: &Asked<'_>, own: &Alignment, there: &Reading, reason: String, detail: Detail) -> Judged {
        let here = Reading::of(own);
        let element = if here.shape.contains(&0) { vec![] } else { vec![0; here.shape.len()] };
        let example = self.example(asked, (&here, there), &Parting { element, axis: Some(0) }, detail);
        Judged::of(Verdict::Differs(Box::new(example)), &code::DROPPED_OPERAND, reason)
    }

    /// Makes the verdict on a result that is of no use on the target, in whatever shape.
    fn garbled(&self, own: &Alignment, reason: String) -> Judged {
        let element: Vec<usize> = vec![0; own.shape().len()];
        let reads: Vec<Vec<usize>> = self.shapes.iter().map(|dims| vec![0; dims.len()]).collect();
        let example = Counterexample { reads, ..Counterexample::bare(element, Vec::new()) };
        Judged::of(Verdict::Differs(Box::new(example)), &code::UNUSABLE_RESULT, reason)
    }

    fn compare(
        &self,
        asked: &Asked<'_>,
        own: &Alignment,
        there: &Reading,
        (target, treatment): (&Target, &Treatment),
        detail: Detail,
    ) -> Judged {
        let here = Reading::of(own);
        let Some(parting) = here.parting(there) else { return Judged::same() };
        let example = self.example(asked, (&here, there), &parting, detail);
        let reason = format!("{target} {}", treatment.law.text);
        let axis = parting.axis.map(|axis| (axis, sizes(own, axis)));
        let code = if here.shape == there.shape { wrong(&treatment.does) } else { &code::WRONG_SHAPE };
        Judged { axis, ..Judged::of(Verdict::Differs(Box::new(example)), code, reason) }
    }

    /// Computes both meanings at the element on which they part.
    fn example(
        &self,
        asked: &Asked<'_>,
        (here, there): (&Reading, &Reading),
        parting: &Parting,
        detail: Detail,
    ) -> Counterexample {
        let element = parting.element.clone();
        let own = here.positions(&element).unwrap_or_default();
        let same_rank = parting.axis.is_some();
        let foreign = if same_rank { there.positions(&element) } else { None };
        // Nothing is known of what follows an operand's end.
        let is_inside =
            |positions: &Vec<usize>| positions.iter().zip(&self.shapes).all(|(&at, dims)| at < dims.iter().product());
        let foreign = foreign.filter(is_inside);
        // A node of quantized tensors rescales its numbers, which the engine does not.
        let quantized = asked.model.is_quantized(asked.node);
        let computes = detail == Detail::Numbers && !own.is_empty() && !quantized;
        let values = if computes { value::values(asked.meaning, &own, foreign.as_deref()) } else { None };
        let reads =
            |positions: &[usize]| positions.iter().zip(&self.shapes).map(|(&at, dims)| index(at, dims)).collect();
        Counterexample {
            element,
            reads: reads(&own),
            target_reads: foreign.as_deref().map_or_else(Vec::new, reads),
            numbers: values.as_ref().map_or_else(Vec::new, |values| values.numbers.clone()),
            target_numbers: values.as_ref().map_or_else(Vec::new, |values| values.target_numbers.clone()),
            here: values.as_ref().map_or(0.0, |values| values.here),
            there: values.and_then(|values| values.there),
            target_shape: there.shape.clone(),
        }
    }
}

/// Names the axes along which lists would fit: `; axis=0 or axis=2 would fit`.
fn fitting(axes: &[i64]) -> String {
    let axes: Vec<String> = axes.iter().map(|axis| format!("axis={axis}")).collect();
    if axes.is_empty() { String::new() } else { format!("; {} would fit", axes.join(" or ")) }
}

/// Returns the kind of finding where a target gives a result of the right shape and does not compute what the model means.
fn wrong(does: &Does) -> &'static Code {
    match does {
        Does::Rule(_) | Does::List { .. } => &code::WRONG_AXIS,
        Does::Overrun { .. } => &code::PAST_THE_END,
        _ => &code::WRONG_ELEMENT,
    }
}

/// Says what a target does with a node that is wrong by its own rule, whatever its operands are.
pub(super) fn all_the_same(target: &Target, treatment: &Treatment) -> Judged {
    let computed = || Verdict::Differs(Box::new(Counterexample::bare(Vec::new(), Vec::new())));
    match &treatment.does {
        Does::Garbled(why) => Judged::of(computed(), &code::UNUSABLE_RESULT, format!("{target} {why}")),
        Does::Own => Judged::of(computed(), &code::WRONG_VALUE, format!("{target} {}", treatment.law.text)),
        Does::Refused(why) => Judged::of(Verdict::Refused, &code::NODE_REJECTED, format!("{target} {why}")),
        _ => Judged::of(Verdict::Unknown, &code::UNKNOWN_BEHAVIOR, format!("{target} {}", treatment.law.text)),
    }
}

/// Makes the verdict on operands that do not broadcast by the node's own rule.
pub(super) fn invalid_broadcast(error: &broadaxe_shape::Error) -> Judged {
    let text = format!("the model is wrong by its own rule: {error}");
    let axis = error.axis().map(|axis| (axis, Vec::new()));
    let judged = Judged { axis, ..Judged::of(Verdict::Refused, &code::INVALID_BROADCAST, text) };
    judged.of_invalid(&code::INVALID_BROADCAST, error.to_string())
}

/// Lists the extents of the operands on an axis of the result, 1 for one that does not feed it.
fn sizes(alignment: &Alignment, axis: usize) -> Vec<usize> {
    let extent = |operand: &broadaxe_shape::Placed| {
        let at = operand.axes().iter().position(|fed| *fed == axis);
        at.map_or(1, |at| operand.shape()[at])
    };
    alignment.operands().iter().map(extent).collect()
}
