//! The verdict on operands whose sizes the model leaves open.
//!
//! A rule looks at sizes in two ways only: whether two are equal, and whether one is 1 (or 0, which is an error or a size
//! like others). So a few sizes stand for all: sizes that are all different as far as the node's own rule lets them be,
//! and then every coincidence of two of them, of one with a number that the shapes mention, and of one with 1. Both
//! meanings are asked for each, and the condition that tells the outcomes apart is what the verdict is guarded by.

use broadaxe_shape::{Dim, Shape, SymbolicShape};

use super::{
    Verdict,
    verdict::{Judged, Known, operand_name},
};
use crate::target::{Asked, Target};

/// How many sizes may be open at one node.
const VARIABLES: usize = 12;
/// Sizes that shapes seldom mention.
const UNCOMMON: [usize; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

/// A size that the model leaves open.
struct Variable {
    name: String,
    low: usize,
    high: usize,
}

/// The sizes that a node's operands leave open, and choices for them under which the operands broadcast.
pub(super) struct Open {
    variables: Vec<Variable>,
    /// Per choice: a size for each variable, and the operands.
    choices: Vec<(Vec<usize>, Known)>,
}

impl Open {
    /// Chooses sizes; nothing when a rank is unknown or too many sizes are.
    pub(super) fn new(asked: &Asked<'_>) -> Option<Self> {
        let mut variables: Vec<Variable> = Vec::new();
        for (k, shape) in asked.operands.iter().enumerate() {
            for (axis, dim) in shape.dims()?.iter().enumerate() {
                gather(&mut variables, dim, (k, axis));
            }
        }
        if variables.len() > VARIABLES {
            return None;
        }
        let classes = classes(asked, &variables);
        let mut open = Self { variables, choices: Vec::new() };
        for choice in open.candidates(asked, &classes) {
            if open.choices.iter().any(|(known, _)| *known == choice) {
                continue;
            }
            let shapes: Option<Vec<Shape>> =
                asked.operands.iter().enumerate().map(|(k, s)| open.shape(s, k, &choice)).collect();
            let Some(shapes) = shapes else { continue };
            let known = Known::new(asked, shapes, &[]);
            if known.own.is_ok() {
                open.choices.push((choice, known));
            }
        }
        Some(open)
    }

    /// Lists sizes worth a look: all different, then every coincidence.
    fn candidates(&self, asked: &Asked<'_>, classes: &[Class]) -> Vec<Vec<usize>> {
        let mentioned = mentioned(asked);
        let generic = |class: usize| match classes[class].size {
            Some(size) => size,
            None => UNCOMMON.iter().copied().filter(|size| !mentioned.contains(size)).nth(class).unwrap_or(59 + class),
        };
        let place = |sizes: &dyn Fn(usize) -> usize| -> Vec<usize> {
            let class_of = |v: usize| classes.iter().position(|class| class.members.contains(&v)).unwrap_or(0);
            let fit = |(v, variable): (usize, &Variable)| sizes(class_of(v)).clamp(variable.low, variable.high);
            self.variables.iter().enumerate().map(fit).collect()
        };
        let mut all = vec![place(&generic)];
        for class in 0..classes.len() {
            for size in mentioned.iter().copied().chain([1]).chain((0..classes.len()).map(&generic)) {
                all.push(place(&|c| if c == class { size } else { generic(c) }));
            }
        }
        for class in 0..classes.len() {
            all.push(place(&|c| if c == class { generic(c) } else { 1 }));
        }
        all.push(place(&|_| 1));
        for v in 0..self.variables.len() {
            let mut one = all[0].clone();
            one[v] = 1.clamp(self.variables[v].low, self.variables[v].high);
            all.push(one);
        }
        all
    }

    /// Fills sizes into a shape; nothing if a dim that is the broadcast of others cannot be so.
    fn shape(&self, shape: &SymbolicShape, k: usize, choice: &[usize]) -> Option<Shape> {
        let size = |(axis, dim): (usize, &Dim)| -> Option<usize> {
            if let Some(size) = dim.size() {
                return Some(size);
            }
            let of = |name: &str| self.variables.iter().position(|variable| variable.name == name).map(|v| choice[v]);
            if dim.names().is_empty() {
                return of(&place_name(k, axis));
            }
            let sizes: Option<Vec<usize>> = dim.names().iter().map(|name| of(name)).collect();
            let mut sizes = sizes?.into_iter().filter(|size| *size != 1);
            let first = sizes.next().unwrap_or(1);
            sizes.all(|size| size == first).then_some(first).filter(|size| dim.allows(*size))
        };
        let dims: Option<Vec<usize>> = shape.dims()?.iter().enumerate().map(size).collect();
        dims.map(Shape::from)
    }

    /// Judges what a target does, for all sizes.
    pub(super) fn judge(&self, asked: &Asked<'_>, target: &Target) -> Judged {
        let mut outcomes: Vec<(&[usize], Judged)> = Vec::with_capacity(self.choices.len());
        for (choice, known) in &self.choices {
            let shapes: Vec<SymbolicShape> = known.shapes.iter().map(SymbolicShape::from).collect();
            let asked = Asked { operands: &shapes, ..*asked };
            let treatment = target.treat(&asked);
            outcomes.push((choice, known.judge(&asked, target, &treatment)));
        }
        let same = |judged: &Judged| matches!(judged.verdict, Verdict::Same);
        let Some((first, judged)) = outcomes.iter().find(|(_, judged)| !same(judged)) else {
            let broken = || {
                Judged::of(Verdict::Refused, "the model is wrong by its own rule: no sizes make its operands broadcast")
            };
            return if outcomes.is_empty() { broken() } else { Judged::same() };
        };
        if outcomes.iter().all(|(_, judged)| matches!(judged.verdict, Verdict::Unknown)) {
            return judged.clone();
        }
        let mut judged = judged.clone();
        if outcomes.iter().any(|(_, other)| other.reason != judged.reason) {
            judged.reason += &self.sizes(first);
        }
        if outcomes.iter().any(|(_, judged)| same(judged)) {
            judged.verdict = Verdict::Guarded(self.condition(asked, &outcomes));
        }
        judged
    }

    /// Writes the sizes of an example: `, with n = 2 and m = 3`.
    fn sizes(&self, choice: &[usize]) -> String {
        let sizes: Vec<String> =
            self.variables.iter().zip(choice).map(|(v, size)| format!("{} = {size}", v.name)).collect();
        if sizes.is_empty() { String::new() } else { format!(", with {}", sizes.join(", ")) }
    }

    /// Finds what tells the sizes that mean the same from the others: one comparison, or two of them.
    fn condition(&self, asked: &Asked<'_>, outcomes: &[(&[usize], Judged)]) -> String {
        let truth: Vec<bool> = outcomes.iter().map(|(_, judged)| matches!(judged.verdict, Verdict::Same)).collect();
        let literals = self.literals(&mentioned(asked), outcomes);
        if let Some((text, _)) = literals.iter().find(|(_, holds)| *holds == truth) {
            return text.clone();
        }
        let joined = |one: &[bool], other: &[bool], join: fn(bool, bool) -> bool| {
            one.iter().zip(other).map(|(a, b)| join(*a, *b)).eq(truth.iter().copied())
        };
        for (i, (text, holds)) in literals.iter().enumerate() {
            for (other, held) in &literals[i + 1..] {
                if joined(holds, held, |a, b| a && b) {
                    return format!("{text} and {other}");
                }
                if joined(holds, held, |a, b| a || b) {
                    return format!("{text} or {other}");
                }
            }
        }
        let same = outcomes.iter().zip(&truth).find(|(_, same)| **same).map_or(&[][..], |((choice, _), _)| choice);
        format!("the sizes are such as{}", self.sizes(same))
    }

    /// Lists comparisons of sizes, the plainest first, and for which choices they hold.
    fn literals(&self, mentioned: &[usize], outcomes: &[(&[usize], Judged)]) -> Vec<(String, Vec<bool>)> {
        let mut literals = Vec::new();
        for ones in [false, true] {
            for equal in [true, false] {
                let sign = if equal { "==" } else { "!=" };
                let mut add = |name: &str, other: &str, holds: &dyn Fn(&[usize]) -> bool| {
                    let holds = outcomes.iter().map(|(choice, _)| holds(choice) == equal).collect();
                    literals.push((format!("{name} {sign} {other}"), holds));
                };
                for (v, variable) in self.variables.iter().enumerate() {
                    for size in if ones { &[1][..] } else { mentioned } {
                        add(&variable.name, &size.to_string(), &|choice| choice[v] == *size);
                    }
                }
                for v in (0..self.variables.len()).filter(|_| !ones) {
                    for w in v + 1..self.variables.len() {
                        add(&self.variables[v].name, &self.variables[w].name, &|choice| choice[v] == choice[w]);
                    }
                }
            }
        }
        literals
    }
}

/// Names a dim by its place, as guards do: `b[0]` is axis 0 of the second operand.
fn place_name(k: usize, axis: usize) -> String {
    format!("{}[{axis}]", operand_name(k))
}

fn gather(variables: &mut Vec<Variable>, dim: &Dim, (k, axis): (usize, usize)) {
    if dim.size().is_some() {
        return;
    }
    let single = dim.names().len() < 2;
    let (low, high) =
        if single { (dim.low().max(1), dim.high().unwrap_or(usize::MAX).max(1)) } else { (1, usize::MAX) };
    let names = if dim.names().is_empty() { vec![place_name(k, axis)] } else { dim.names().to_vec() };
    for name in names {
        match variables.iter_mut().find(|variable| variable.name == name) {
            Some(known) => (known.low, known.high) = (known.low.max(low), known.high.min(high).max(low)),
            None => variables.push(Variable { name, low, high }),
        }
    }
}

/// Lists the sizes above 1 that the operands' shapes mention, each once.
fn mentioned(asked: &Asked<'_>) -> Vec<usize> {
    let dims = asked.operands.iter().filter_map(SymbolicShape::dims).flatten();
    let mut sizes: Vec<usize> = dims.filter_map(Dim::size).filter(|size| *size > 1).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Variables that the node's own rule wants equal, and the size that it wants them to have.
struct Class {
    members: Vec<usize>,
    size: Option<usize>,
}

/// Puts together what the node's own rule brings onto one axis of the result.
fn classes(asked: &Asked<'_>, variables: &[Variable]) -> Vec<Class> {
    let mut of: Vec<usize> = (0..variables.len()).collect();
    let mut sizes: Vec<Option<usize>> = vec![None; variables.len()];
    let inferred = asked.meaning.rule.infer(asked.operands).ok();
    let placement = inferred.as_ref().and_then(broadaxe_shape::Inferred::placement);
    for axis in 0..placement.map_or(0, |placement| placement.rank) {
        let mut met: Vec<usize> = Vec::new();
        let mut size = None;
        for (k, shape) in asked.operands.iter().enumerate() {
            let at = placement.and_then(|p| p.axes.get(k)?.iter().position(|fed| *fed == axis));
            let Some((at, dim)) = at.and_then(|at| Some((at, shape.dims()?.get(at)?))) else { continue };
            size = size.or(dim.size().filter(|size| *size > 1));
            let named =
                |v: &Variable| dim.names().contains(&v.name) || dim.names().is_empty() && v.name == place_name(k, at);
            met.extend(variables.iter().position(named));
        }
        let Some(&first) = met.first() else { continue };
        let class = of[first];
        for v in met {
            let old = of[v];
            of.iter_mut().filter(|c| **c == old).for_each(|c| *c = class);
            sizes[class] = sizes[class].or(sizes[old]);
        }
        sizes[class] = sizes[class].or(size);
    }
    let mut classes: Vec<Class> = Vec::new();
    for (class, size) in sizes.into_iter().enumerate() {
        let members: Vec<usize> = (0..variables.len()).filter(|v| of[*v] == class).collect();
        if !members.is_empty() {
            classes.push(Class { members, size });
        }
    }
    classes
}
