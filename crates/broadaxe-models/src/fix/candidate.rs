//! Lists the ways to write a node that mean the same in its own format, the cheapest first.
//!
//! Nothing is proved for pairs of rules: a handful of forms is made, and the node's own rule is asked whether it still
//! reads the same elements. The dims may be names, so axes are inserted by count wherever that is enough. Inputs that are
//! constants cost nothing to change.

use std::collections::BTreeMap;

use broadaxe_frameworks::System;
use broadaxe_kernels::id;
use broadaxe_shape::{Dim, Params, Rule, Shape, SymbolicShape, symbolic::Inferred};

use super::{emit_edits::Form, exchange_branches};
use crate::{
    edit::Scalar,
    graph::{Model, Node, NodeId},
    infer::{Inferences, Shapes},
    meaning::{Kind, Meaning, Operator, Source},
};

/// How many operands are tried to be stretched alone.
const ALONE: usize = 16;
/// How many short operands get axes in all combinations.
const COMBINED: usize = 5;
/// The rank of images with a batch, in which runtimes that place each tensor by its own rank place all of them alike.
const FULL_RANK: usize = 4;
/// How many operands all ways to write a node may have together, since each lists the shapes of all of them.
const LISTED: usize = 1 << 17;

/// What a way costs: the dearest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    /// The bytes that are copied each time the model runs.
    pub bytes: u64,
    /// The nodes that come in.
    pub nodes: u32,
    /// The changes in all.
    pub changes: u32,
}

/// One way to write a node.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// What it means so: the rule, and the operands in their order after a swap.
    pub meaning: Meaning,
    /// The shapes of the operands, in the order of `meaning`.
    pub shapes: Vec<SymbolicShape>,
    /// The shape of the result, before it is shaped back.
    pub result: SymbolicShape,
    /// The inputs that get another form.
    pub forms: Vec<(usize, Form)>,
    /// The operator after the inputs have traded places.
    pub swap: Option<String>,
    /// Whether the condition is negated, and the two branches have traded places.
    pub negated: bool,
    /// The shape to which the result is brought back.
    pub back: Option<Vec<i64>>,
    /// Attributes that change.
    pub attributes: Vec<(&'static str, Option<Scalar>)>,
    /// What it costs.
    pub cost: Cost,
}

impl Candidate {
    /// Names what is changed: equal for equal ways to write a node.
    pub(crate) fn key(&self) -> String {
        let negated = if self.negated { " negated" } else { "" };
        let Self { meaning, forms, swap, attributes, back, .. } = self;
        format!("{:?} {forms:?} {swap:?} {attributes:?} {back:?}{negated}", meaning.kind)
    }

    /// Says whether it is the node as it was.
    pub(crate) fn is_plain(&self) -> bool {
        let same = self.forms.is_empty() && self.swap.is_none() && self.attributes.is_empty() && self.back.is_none();
        same && !self.negated
    }

    /// Makes the way that changes nothing.
    pub(crate) fn unchanged(meaning: Meaning, shapes: Vec<SymbolicShape>, result: SymbolicShape) -> Self {
        let (forms, swap, back, attributes, cost) = (vec![], None, None, vec![], Cost::default());
        Self { meaning, shapes, result, forms, swap, negated: false, back, attributes, cost }
    }
}

/// A rule that a node can have, and the attributes that say so.
type Ruled = (Rule, Vec<(&'static str, Option<Scalar>)>);

/// A node whose operands are known well enough to be written otherwise.
pub(crate) struct Subject<'a> {
    model: &'a Model,
    node: &'a Node,
    meaning: &'a Meaning,
    shapes: Vec<SymbolicShape>,
    inferences: &'a Inferences,
    inferred: Inferred,
    axes: Vec<Vec<usize>>,
    /// The only rule under which lists fit that do not under the node's own.
    refit: Option<Rule>,
}

/// Finds the axis along which lists fit that do not fit along their own, where there is only one.
fn refit(meaning: &Meaning, operands: &[SymbolicShape]) -> Option<Rule> {
    let known: Vec<_> = operands.iter().map(SymbolicShape::known).collect::<Option<_>>()?;
    let dims: Vec<&[usize]> = known.iter().map(Shape::dims).collect();
    match meaning.fitting_axes(&dims)[..] {
        [axis] if meaning.align(&dims, &[]).is_err() => {
            Rule::new(meaning.rule.name(), Params { axis: Some(axis), ..meaning.rule.params().clone() }).ok()
        }
        _ => None,
    }
}

impl<'a> Subject<'a> {
    /// Looks at a node, whose operands broadcast by its own rule or by the one that is `meant`; says why nothing can be done where the
    /// shapes are not known well enough.
    pub(crate) fn new(
        (model, shapes): (&'a Model, &Shapes),
        inferences: &'a Inferences,
        id: NodeId,
        (meaning, meant): (&'a Meaning, &Rule),
    ) -> Result<Self, String> {
        let node = model.node(id);
        let operands = meaning.shapes(node, shapes);
        let refit = refit(meaning, &operands);
        let target = || node.output(0).and_then(|value| shapes.of.get(value.0 as usize));
        let inferred = match (meaning.rule.def().target, target()) {
            (true, Some(result)) => inferences.infer(meant, &operands, Some(&result.shape)),
            _ if operands.len() < 2 => inferences.infer(&Rule::numpy(), &[&operands[..], &operands[..]].concat(), None),
            _ => inferences.infer(refit.as_ref().unwrap_or(meant), &operands, None),
        };
        let inferred = inferred.as_ref().clone().map_err(|error| error.to_string())?;
        let placement = inferred.placement().ok_or("where the operands lie depends on sizes that are not known")?;
        let axes = (0..operands.len().min(placement.count())).map(|k| placement.axes(k).to_vec()).collect();
        Ok(Self { model, node, meaning, shapes: operands, inferences, inferred, axes, refit })
    }

    /// Returns the dims of the result.
    fn dims(&self) -> &[Dim] {
        self.inferred.shape().dims().unwrap_or_default()
    }

    /// Returns the input that operand `k` is, if it is one.
    fn input(&self, k: usize) -> Option<usize> {
        match self.meaning.operands.get(k)? {
            Source::Input(input) => Some(*input),
            Source::Result | Source::Scalar | Source::Groups(_) | Source::Scores | Source::Held(_) => None,
        }
    }

    fn is_constant(&self, input: usize) -> bool {
        self.node.input(input).is_some_and(|value| self.model.value(value).constant.is_some())
    }

    /// Says whether the operators around the node are of ONNX before opset 7, which broadcast by attributes.
    pub(crate) fn is_old(&self) -> bool {
        self.model.format == "onnx" && self.node.version < 7
    }

    /// Returns the unchanged node.
    pub(crate) fn plain(&self) -> Candidate {
        Candidate::unchanged(self.meaning.clone(), self.shapes.clone(), self.inferred.shape().clone())
    }

    /// Writes the node as another way does, but for the form of one input.
    pub(crate) fn again(&self, way: &Candidate, input: usize, form: Form) -> Option<Candidate> {
        if way.back.is_some() || way.negated {
            return None;
        }
        let operand = |input: usize| self.meaning.operands.iter().position(|own| *own == Source::Input(input));
        let others = way.forms.iter().filter(|(other, _)| *other != input);
        let mut forms: Vec<_> = others.filter_map(|(other, form)| Some((operand(*other)?, form.clone()))).collect();
        forms.push((operand(input)?, form));
        self.with(&(way.meaning.rule.clone(), way.attributes.clone()), &forms, way.swap.is_some())
    }

    /// Lists the ways to write the node, the cheapest first; the first is the unchanged node. With `raised`, ways at rank
    /// [`FULL_RANK`] are among them.
    pub(crate) fn candidates(&self, raised: bool) -> Vec<Candidate> {
        let mut all = vec![self.plain()];
        if !matches!(self.meaning.kind, Kind::Unary | Kind::Channel | Kind::Stretch) {
            for rule in self.rules() {
                for forms in self.spread() {
                    if !forms.is_empty() || !rule.1.is_empty() {
                        all.extend(self.with(&rule, &forms, false));
                    }
                    all.extend(self.with(&rule, &forms, true));
                }
                for forms in self.stretched() {
                    all.extend(self.with(&rule, &forms, false));
                }
            }
        }
        all.extend(self.reshaped(raised));
        all.extend(self.negated());
        all.extend(self.parted());
        all.sort_by_key(|candidate| candidate.cost);
        all
    }

    /// Reshapes the data of lists per channel to the shape that it has: a runtime that merges the node with the one before it
    /// does so no longer, and every element stays the same.
    fn parted(&self) -> Option<Candidate> {
        let mut way = self.plain();
        let input = self.input(0).filter(|&input| !self.is_constant(input))?;
        if self.meaning.kind != Kind::Lengths {
            return None;
        }
        way.forms = vec![(input, Form::Dims(extents(self.shapes[0].dims()?)?))];
        way.cost = Cost { nodes: 1, changes: 1, ..Cost::default() };
        Some(way)
    }

    /// Negates the condition and exchanges the branches.
    fn negated(&self) -> Option<Candidate> {
        if self.meaning.kind != Kind::Select || !exchange_branches::is_possible(self.model, self.node) {
            return None;
        }
        let mut way = self.plain();
        way.meaning.operands.swap(1, 2);
        way.shapes.swap(1, 2);
        way.negated = true;
        way.cost = Cost { nodes: 1, changes: 2, ..Cost::default() };
        Some(way)
    }

    /// Lists the ways in which a slope can be multiplied with the negative elements, once these are decomposed.
    pub(crate) fn products(&self) -> Vec<Candidate> {
        let slope = self.meaning.kind == Kind::Slope && self.meaning.operands == [Source::Input(0), Source::Input(1)];
        if !slope || self.is_old() {
            return vec![];
        }
        let numpy = (Rule::numpy(), vec![]);
        let slope_only = |forms: &Vec<(usize, Form)>| forms.iter().all(|(k, _)| *k == 1);
        let ways = self.spread().into_iter().filter(slope_only).filter_map(|forms| self.with(&numpy, &forms, false));
        // OpenVINO puts such products together to a `PReLU` again, which misreads slopes of rank 1.
        let ways = ways.filter(|way| way.shapes[1].rank() == way.result.rank());
        let product = |way: Candidate| {
            let (kind, op) = (Kind::Binary, Operator::Own(vec![id("mul")]));
            Candidate { meaning: Meaning { kind, op, ..way.meaning.clone() }, ..way }
        };
        let mut all: Vec<Candidate> = ways.map(product).collect();
        all.sort_by_key(|candidate| candidate.cost);
        all
    }

    /// Lists the rules that the node can have, with the attributes that say so.
    fn rules(&self) -> Vec<Ruled> {
        let own = (self.meaning.rule.clone(), vec![]);
        let axis = |value| ("axis", value);
        let numpy = Some(Scalar::Text("numpy".to_string()));
        if let Some(refit) = &self.refit {
            let at = refit.params().axis.map(Scalar::Int);
            return vec![own, (refit.clone(), vec![axis(at)])];
        }
        match (self.model.format, self.meaning.rule.name()) {
            // Equal shapes give the same under both rules, and some engines take only this one.
            ("openvino", "none") => vec![own, (Rule::numpy(), vec![("auto_broadcast", numpy)])],
            ("openvino", "pdpd") => {
                vec![own, (Rule::numpy(), vec![("auto_broadcast", numpy), axis(None)])]
            }
            ("paddle", "paddle") if self.meaning.rule.params().axis != Some(-1) => {
                vec![own, (Rule::paddle(-1), vec![axis(Some(Scalar::Int(-1)))])]
            }
            _ => vec![own],
        }
    }

    /// Lists the ways to insert axes of 1 into operands of lower rank: some of them, up to the end or on all axes.
    fn spread(&self) -> Vec<Vec<(usize, Form)>> {
        let missing = |k: usize| {
            let fed = &self.axes[k];
            (0..self.dims().len()).filter(|axis| !fed.contains(axis)).collect::<Vec<_>>()
        };
        let short: Vec<(usize, Vec<usize>)> = (0..self.shapes.len())
            .filter(|&k| self.input(k).is_some())
            .map(|k| (k, missing(k)))
            .filter(|(_, axes)| !axes.is_empty())
            .collect();
        let most = (LISTED / self.shapes.len().max(1)).max(2).ilog2() as usize;
        let mut ways = vec![vec![]];
        for chosen in 1..1_usize << short.len().min(COMBINED).min(most) {
            let some: Vec<_> = short.iter().enumerate().filter(|(bit, _)| chosen >> bit & 1 == 1).collect();
            ways.push(some.iter().map(|(_, (k, axes))| (*k, Form::Axes(axes.clone()))).collect());
            // Up to the last axis only: as few axes as a rule needs that aligns at the end.
            let right = |k: usize, axes: &[usize]| {
                let first = self.axes[k].first().copied().unwrap_or(usize::MAX);
                axes.iter().filter(|&&axis| axis > first).map(|axis| axis - first).collect::<Vec<_>>()
            };
            let to_end: Vec<_> = some.iter().map(|(_, (k, axes))| (*k, right(*k, axes))).collect();
            if to_end.iter().all(|(_, axes)| !axes.is_empty()) {
                ways.push(to_end.into_iter().map(|(k, axes)| (k, Form::Axes(axes))).collect());
            }
        }
        ways
    }

    /// Lists the ways to stretch operands to the result: one of them (of the first [`ALONE`]), or all. An operand that is not aligned to the right
    /// gets its axes first.
    fn stretched(&self) -> Vec<Vec<(usize, Form)>> {
        let whole = |k: usize| {
            let input = self.input(k)?;
            // A constant would be one no longer, and LiteRT's GPU delegate reads no node that is computed from constants.
            if self.model.system == System::Tflite && self.is_constant(input) {
                return None;
            }
            let (dims, own) = (self.dims(), self.shapes[k].dims()?);
            let at_end = self.axes[k].iter().rev().eq((0..dims.len()).rev().take(own.len()).collect::<Vec<_>>().iter());
            let extent = |axis: usize| {
                let runs = self.runs(k, axis);
                if runs { Some(1) } else { dims[axis].size().and_then(|size| i64::try_from(size).ok()) }
            };
            let shape = (0..dims.len()).map(extent).collect::<Option<Vec<i64>>>()?;
            if shape.iter().all(|&extent| extent == 1) {
                return None;
            }
            if at_end {
                return Some((k, Form::Stretched(shape)));
            }
            let missing = (0..dims.len()).filter(|axis| !self.axes[k].contains(axis)).collect();
            Some((k, Form::Placed(missing, shape)))
        };
        let some: Vec<_> = (0..self.shapes.len()).filter_map(whole).collect();
        let alone = ALONE.min(LISTED / self.shapes.len().max(1));
        let mut ways: Vec<_> = some.iter().take(alone).map(|one| vec![one.clone()]).collect();
        if some.len() > 1 {
            ways.push(some);
        }
        ways
    }

    /// Says whether operand `k` runs along an axis of the result, rather than repeat on it.
    fn runs(&self, k: usize, axis: usize) -> bool {
        let dims = self.dims();
        let own = self.axes[k].iter().position(|&to| to == axis).and_then(|at| self.shapes[k].dims()?.get(at));
        own.is_some_and(|own| own.size() != Some(1) || dims[axis].size() == Some(1))
    }

    /// Writes the node with these forms of its operands, if it then means the same by its own rule.
    fn with(&self, (rule, attributes): &Ruled, forms: &[(usize, Form)], swap: bool) -> Option<Candidate> {
        let op = if swap { Some(self.reversed()?) } else { None };
        let mut shapes = self.shapes.clone();
        for (k, form) in forms {
            shapes[*k] = self.shaped(*k, form)?;
        }
        let mut order: Vec<usize> = (0..shapes.len()).collect();
        if swap {
            order.reverse();
            shapes.reverse();
        }
        let now = self.inferences.infer(rule, &shapes, None);
        let now = now.as_ref().as_ref().ok()?;
        let placement = now.placement()?;
        let formed: BTreeMap<usize, &Form> = forms.iter().map(|(k, form)| (*k, form)).collect();
        let alike = |(at, &k): (usize, &usize)| self.lies_alike(k, formed.get(&k).copied(), placement.axes(at));
        let same = now.shape() == self.inferred.shape() && order.iter().enumerate().all(alike);
        if !same {
            return None;
        }
        let mut meaning = self.meaning.clone();
        meaning.rule = rule.clone();
        if swap {
            meaning.operands.reverse();
        }
        let forms: Vec<_> = forms.iter().filter_map(|(k, form)| Some((self.input(*k)?, form.clone()))).collect();
        let cost = self.cost(&forms, 2 * usize::from(swap) + attributes.len());
        let result = now.shape().clone();
        let attributes = attributes.clone();
        Some(Candidate { meaning, shapes, result, forms, swap: op, negated: false, back: None, attributes, cost })
    }

    /// Says whether operand `k` in a form has its axes where it had them.
    fn lies_alike(&self, k: usize, form: Option<&Form>, axes: &[usize]) -> bool {
        let Some(own) = self.shapes[k].dims() else { return false };
        let inserted: &[usize] = match form {
            Some(Form::Axes(inserted)) => inserted,
            Some(Form::Stretched(_) | Form::Placed(..)) => return axes.len() == self.dims().len(),
            Some(Form::Dims(_)) => return false,
            None => &[],
        };
        let kept: Vec<usize> = (0..axes.len()).filter(|at| !inserted.contains(at)).collect();
        kept.len() == own.len()
            && kept.iter().zip(own).zip(&self.axes[k]).all(|((&at, dim), &to)| dim.size() == Some(1) || axes[at] == to)
    }

    /// Returns the shape of operand `k` in a form.
    fn shaped(&self, k: usize, form: &Form) -> Option<SymbolicShape> {
        let mut dims = self.shapes[k].dims()?.to_vec();
        match form {
            Form::Axes(axes) => axes.iter().for_each(|&axis| dims.insert(axis.min(dims.len()), Dim::known(1))),
            Form::Stretched(_) | Form::Placed(..) => dims = self.dims().to_vec(),
            Form::Dims(_) => return None,
        }
        Some(SymbolicShape::new(dims))
    }

    /// Lists the ways in which the result has another shape and is shaped back: neighbouring axes are merged that all
    /// operands walk alike, or axes of 1 come in front of them up to [`FULL_RANK`].
    fn reshaped(&self, raised: bool) -> Vec<Candidate> {
        // A normalisation and a matrix product work along axes, which merging would change.
        let by_axis = matches!(
            self.meaning.kind,
            Kind::Stretch | Kind::Affine | Kind::Bias | Kind::Lengths | Kind::Mask | Kind::Contrib
        );
        if by_axis || !self.inferred.guard().is_always() {
            return vec![];
        }
        let rank = self.dims().len();
        let merged = self.groups();
        let single: Vec<Vec<usize>> = (0..rank).map(|axis| vec![axis]).collect();
        let ones = |groups: &[Vec<usize>]| FULL_RANK.saturating_sub(groups.len());
        let merges = merged.len() < rank;
        let mut ways = vec![(0, &merged, merges)];
        if raised {
            ways.extend([(ones(&single), &single, rank < FULL_RANK), (ones(&merged), &merged, merges)]);
            ways.dedup_by_key(|(ones, groups, _)| (*ones, groups.len()));
        }
        ways.into_iter().filter(|way| way.2).filter_map(|(ones, groups, _)| self.regrouped(ones, groups)).collect()
    }

    /// Writes the node with an axis for each group of axes behind some axes of 1, and shapes the result back.
    fn regrouped(&self, ones: usize, groups: &[Vec<usize>]) -> Option<Candidate> {
        let whole = |runs: &dyn Fn(usize) -> bool| -> Vec<Dim> {
            let along = |group: &Vec<usize>| group.iter().copied().filter(|&axis| runs(axis)).collect::<Vec<_>>();
            let of = |axes: Vec<usize>| product(&axes.iter().map(|&axis| &self.dims()[axis]).collect::<Vec<_>>());
            let merged = groups.iter().map(|group| of(along(group)));
            std::iter::repeat_n(Dim::known(1), ones).chain(merged).collect()
        };
        let mut forms = Vec::new();
        let mut shapes = Vec::new();
        for k in 0..self.shapes.len() {
            let dims = whole(&|axis| self.runs(k, axis));
            let shape = SymbolicShape::new(dims.clone());
            if shape != self.shapes[k] {
                let axes = if ones > 0 { self.axes_in_front(k, &dims) } else { None };
                let form = axes.or_else(|| extents(&dims).map(Form::Dims));
                forms.push((self.input(k)?, form?));
            }
            shapes.push(shape);
        }
        let result = SymbolicShape::new(whole(&|_| true));
        let back = Some(extents(self.dims())?);
        let mut cost = self.cost(&forms, 1);
        cost.nodes += 1;
        let mut meaning = self.meaning.clone();
        if meaning.operands.len() > 1 {
            // The axes are renumbered, so only a rule without a parameter still places them.
            let params = Params { axis: None, ..meaning.rule.params().clone() };
            meaning.rule = Rule::new(meaning.rule.name(), params).ok()?;
            meaning.rule.infer(&shapes).ok().filter(|now| now.shape() == &result)?;
        }
        Some(Candidate { meaning, shapes, result, forms, swap: None, negated: false, back, attributes: vec![], cost })
    }

    /// Returns the form that puts axes of 1 in front of operand `k`, where these dims are its own behind them: it holds for
    /// all sizes.
    fn axes_in_front(&self, k: usize, dims: &[Dim]) -> Option<Form> {
        let own = self.shapes[k].dims()?;
        let more = dims.len().checked_sub(own.len())?;
        let fits = dims[more..] == *own && dims[..more].iter().all(|dim| dim.size() == Some(1));
        fits.then(|| Form::Axes((0..more).collect()))
    }

    /// Groups neighbouring axes along which every operand does the same; axes of 1 join any group.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut last: Option<Vec<bool>> = None;
        let mut ones = Vec::new();
        for axis in 0..self.dims().len() {
            if self.dims()[axis].size() == Some(1) {
                match groups.last_mut() {
                    Some(group) => group.push(axis),
                    None => ones.push(axis),
                }
                continue;
            }
            let column: Vec<bool> = (0..self.shapes.len()).map(|k| self.runs(k, axis)).collect();
            match groups.last_mut() {
                Some(group) if last.as_ref() == Some(&column) => group.push(axis),
                _ => groups.push(vec![axis]),
            }
            last = Some(column);
        }
        match groups.first_mut() {
            Some(first) => drop(first.splice(0..0, ones)),
            None => groups.push(ones),
        }
        groups
    }

    /// Returns the operator that means the same of exchanged inputs, in the names of the format.
    fn reversed(&self) -> Option<String> {
        let swaps = self.meaning.kind == Kind::Binary && self.meaning.operands == [Source::Input(0), Source::Input(1)];
        if swaps { super::swap::reversed(self.model, self.node) } else { None }
    }

    /// Adds the cost of these forms and of further changes.
    fn cost(&self, forms: &[(usize, Form)], more: usize) -> Cost {
        let mut cost = Cost { changes: (forms.len() + more) as u32, ..Cost::default() };
        for (input, form) in forms {
            cost.nodes += u32::from(form.copies() || !self.is_constant(*input));
            cost.nodes += u32::from(matches!(form, Form::Placed(..)) && !self.is_constant(*input));
            if form.copies() {
                let sizes = self.dims().iter().map(|dim| dim.size().unwrap_or(1 << 10) as u64);
                cost.bytes = cost.bytes.saturating_add(sizes.fold(4, u64::saturating_mul));
            }
        }
        cost
    }
}

/// Multiplies dims; unknown if one of several is.
fn product(dims: &[&Dim]) -> Dim {
    if let [one] = dims {
        return (*one).clone();
    }
    let sizes = dims.iter().try_fold(1_usize, |all, dim| all.checked_mul(dim.size()?));
    sizes.map_or_else(Dim::unknown, Dim::known)
}

/// Writes dims for a reshape: -1 for the one that is not known; nothing where there are more.
fn extents(dims: &[Dim]) -> Option<Vec<i64>> {
    let open = dims.iter().filter(|dim| dim.size().is_none()).count();
    let extent = |dim: &Dim| dim.size().map_or(Some(-1), |size| i64::try_from(size).ok());
    if open > 1 { None } else { dims.iter().map(extent).collect() }
}
