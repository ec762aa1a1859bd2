//! One rule said in another's words: the reshapes, the swap or the expands after which a second rule means the same.
//!
//! The idea: an alignment says everything. A placement can always be said under another rule by inserting axes of 1, which
//! copies nothing; who may stretch cannot, so that an operand must sometimes trade places with the other, or be expanded.
//! Instead of proving for every pair of rules what is needed, the few ways to write the operands are tried under the
//! target rule, the cheapest first, and the first that reads the very same elements is the answer:
//!
//! 1. as they are, with every value of the target's parameters that could matter;
//! 2. with axes of 1 inserted or left out: up to the last result axis, on all result axes, or on a run of them;
//! 3. with neighbouring axes merged that stretch alike, where the target limits the rank;
//! 4. swapped, and then as in 1 to 3; the caller uses the reversed operator (`b - a` for `a - b`);
//! 5. with an operand expanded to the result, which copies.
//!
//! Two alignments read the same elements when their results and strides agree after axes of 1 are left out and
//! neighbours that run through are merged.

mod form;

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::fmt;

use self::form::{Form, forms};
use crate::{
    align::{Alignment, letter},
    error::{Error, ErrorKind},
    rule::{AxisParam, Params, Rule},
    shape::{Shape, contiguous_strides},
};

/// What a rewrite costs, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// The operands stay as they are.
    Nothing,
    /// An operand, or the result, gets another shape; no element moves.
    Reshape,
    /// The operands trade places, and the operator is the reversed one.
    Swap,
    /// An operand is copied out to the result's shape.
    Expand,
}

/// What to do so that a rule means what another one meant.
///
/// Displays as a sentence: `reshape b (3, 4) to (3, 4, 1)`, `swap the operands`, `expand a (2, 1) to (2, 3)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    rule: Rule,
    shapes: Vec<Shape>,
    swap: bool,
    reshape: Vec<Option<Shape>>,
    expand: Vec<Option<Shape>>,
    result: Option<Shape>,
}

impl Rewrite {
    /// Returns the target rule with the parameters to use.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Says whether the operands trade places, so that the operator must be the reversed one.
    pub fn swap(&self) -> bool {
        self.swap
    }

    /// Returns the shape to give operand `k`, counted as before a swap, where it needs another.
    pub fn reshape(&self, k: usize) -> Option<&Shape> {
        self.reshape.get(k)?.as_ref()
    }

    /// Returns the shape to expand operand `k` to after its reshape, aligned to the right, where it must be expanded.
    pub fn expand(&self, k: usize) -> Option<&Shape> {
        self.expand.get(k)?.as_ref()
    }

    /// Returns the shape to give the result, where it comes out in another.
    pub fn result(&self) -> Option<&Shape> {
        self.result.as_ref()
    }

    /// Returns the dearest step.
    pub fn effort(&self) -> Effort {
        if self.expand.iter().any(Option::is_some) {
            Effort::Expand
        } else if self.swap {
            Effort::Swap
        } else if self.result.is_some() || self.reshape.iter().any(Option::is_some) {
            Effort::Reshape
        } else {
            Effort::Nothing
        }
    }

    /// Returns the shapes to give the target rule, in its order.
    pub fn shapes(&self) -> Vec<Shape> {
        self.order().into_iter().map(|k| self.shape(k).clone()).collect()
    }

    /// Returns the operands in the target's order.
    fn order(&self) -> Vec<usize> {
        if self.swap { (0..self.shapes.len()).rev().collect() } else { (0..self.shapes.len()).collect() }
    }

    fn shape(&self, k: usize) -> &Shape {
        self.expand[k].as_ref().or(self.reshape[k].as_ref()).unwrap_or(&self.shapes[k])
    }

    /// Says whether the target reads the elements that `meant` reads; notes how the result must be shaped.
    fn settle(&mut self, meant: &Alignment) -> Result<bool, Error> {
        let (order, shapes) = (self.order(), self.shapes());
        let shapes: Vec<&[usize]> = shapes.iter().map(Shape::dims).collect();
        let aligned = self.rule.align(&shapes)?;
        let mut strides: Vec<Vec<isize>> = vec![vec![]; order.len()];
        for (at, &k) in order.iter().enumerate() {
            let own = match self.expand[k] {
                Some(_) => meant.strides(k),
                None => contiguous_strides(shapes[at]),
            };
            strides[k] = aligned.strides_from(at, &own);
        }
        let before: Vec<Vec<isize>> = (0..order.len()).map(|k| meant.strides(k)).collect();
        self.result = (aligned.shape() != meant.shape()).then(|| meant.shape().clone());
        Ok(plain(aligned.shape(), &strides) == plain(meant.shape(), &before))
    }
}

impl fmt::Display for Rewrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps: Vec<String> = Vec::new();
        for (k, own) in self.shapes.iter().enumerate() {
            if let Some(to) = &self.reshape[k] {
                steps.push(format!("reshape {} {own} to {to}", letter(k)));
            }
            if let Some(to) = &self.expand[k] {
                steps.push(format!("expand {} {} to {to}", letter(k), self.reshape[k].as_ref().unwrap_or(own)));
            }
        }
        if self.swap {
            steps.push("swap the operands".to_string());
        }
        if let Some(to) = &self.result {
            steps.push(format!("reshape the result to {to}"));
        }
        f.write_str(if steps.is_empty() { "nothing to change" } else { "" })?;
        f.write_str(&steps.join(", "))?;
        let default = match self.rule.def().axis {
            AxisParam::Default(axis) => Some(axis),
            AxisParam::None | AxisParam::Optional => None,
        };
        if self.rule.params().axis == default && self.rule.params().axes.is_none() {
            return Ok(());
        }
        write!(f, ", under {}", self.rule)
    }
}

/// Leaves out axes of 1 and merges neighbours that run through for all operands; of an empty result only the dims stay.
fn plain(shape: &[usize], strides: &[Vec<isize>]) -> Vec<(usize, Vec<isize>)> {
    let axes = (0..shape.len()).filter(|&axis| shape[axis] != 1);
    let of = |axis: usize| strides.iter().map(|own| own[axis]).collect::<Vec<_>>();
    if shape.contains(&0) {
        return axes.map(|axis| (shape[axis], vec![])).collect();
    }
    let mut merged: Vec<(usize, Vec<isize>)> = Vec::new();
    for axis in axes {
        let (extent, own) = (shape[axis], of(axis));
        match merged.last_mut() {
            Some((outer, before)) if before.iter().zip(&own).all(|(&x, &y)| x == y.wrapping_mul(extent as isize)) => {
                *outer = outer.wrapping_mul(extent);
                *before = own;
            }
            _ => merged.push((extent, own)),
        }
    }
    merged
}

/// Says what `from` means for these shapes in the words of the rule named `to`, with the least effort.
///
/// # Errors
/// As [`Rule::align`], when the shapes do not broadcast under `from`; [`ErrorKind::Parameter`] when there is no rule `to`,
/// [`ErrorKind::Operands`] when it takes another number of operands; else why the target cannot say it, such as
/// [`ErrorKind::Rank`] and [`ErrorKind::Empty`] under ncnn.
///
/// ```
/// use broadaxe_shape::{Rule, rewrite};
/// let rewritten = rewrite(&Rule::pdpd(1), &[&[2, 3, 4, 5], &[3, 4]], "numpy")?;
/// assert_eq!(rewritten.to_string(), "reshape b (3, 4) to (3, 4, 1)");
/// # Ok::<(), broadaxe_shape::Error>(())
/// ```
pub fn rewrite(from: &Rule, shapes: &[&[usize]], to: &str) -> Result<Rewrite, Error> {
    let meant = from.align(shapes)?;
    let rules = targets(from, &meant, to)?;
    let def = rules[0].def();
    if !(def.operands.0..=def.operands.1).contains(&shapes.len()) {
        let text = format!(
            "{} operands under {from} cannot be said under {}, which takes another number",
            shapes.len(),
            def.name
        );
        return Err(Error::new(ErrorKind::Operands, text).under(def.name));
    }
    let mut refused: Option<Error> = None;
    for (form, swap, expanded) in plans(shapes.len()) {
        for rule in &rules {
            let mut tried = written(&meant, rule, form, (swap, &expanded));
            match tried.settle(&meant) {
                Ok(true) if tried.result.is_none() || matches!(form, Form::Merged) => {
                    return Ok(fewest_reshapes(tried, &meant));
                }
                Err(error) if matches!(form, Form::Full | Form::Merged) && !swap => refused = Some(error),
                Ok(_) | Err(_) => {}
            }
        }
    }
    let (kind, why) =
        refused.map_or((ErrorKind::Mismatch, String::new()), |error| (error.kind(), format!(": {error}")));
    let text = format!("what {from} means for these shapes cannot be said under {}{why}", def.name);
    Err(Error::new(kind, text).under(def.name))
}

/// Lists what is tried, the cheapest first: how operands are written, whether they are swapped, which are expanded.
fn plans(count: usize) -> Vec<(Form, bool, Vec<usize>)> {
    let mut plans: Vec<(Form, bool, Vec<usize>)> = Vec::new();
    for swap in if count == 2 { &[false, true][..] } else { &[false] } {
        plans.extend(forms().iter().map(|&form| (form, *swap, vec![])));
    }
    let sets = (0..count).map(|k| vec![k]).chain((count > 1).then(|| (0..count).collect()));
    for set in sets {
        plans.extend(
            forms().iter().filter(|form| !matches!(form, Form::Merged)).map(|&form| (form, false, set.clone())),
        );
    }
    plans
}

/// Makes the target rule with every choice of parameters that could matter, the default first.
fn targets(from: &Rule, meant: &Alignment, to: &str) -> Result<Vec<Rule>, Error> {
    let all: Vec<i64> = (0..meant.shape().len() as i64).collect();
    let placed = meant.operands().first().map(|operand| operand.axes().iter().map(|&axis| axis as i64).collect());
    let target = Some(meant.shape().clone());
    let plain = [
        Params::default(),
        Params { target: target.clone(), ..Params::default() },
        Params { axes: placed, target: target.clone(), ..Params::default() },
    ];
    let mut made = plain.into_iter().map(|params| Rule::new(to, params));
    let first = match made.next() {
        Some(Ok(rule)) => rule,
        Some(Err(error)) => made.find_map(Result::ok).ok_or(error)?,
        None => return Ok(vec![]),
    };
    let mut rules = vec![first.clone()];
    if first.name() == from.name() {
        rules.insert(0, from.clone());
    }
    let mut add = |params: Params| {
        if let Ok(rule) = Rule::new(to, params)
            && !rules.contains(&rule)
        {
            rules.push(rule);
        }
    };
    if first.def().axes {
        add(Params { axes: Some(all), target, ..Params::default() });
    }
    if !matches!(first.def().axis, AxisParam::None) && first.def().modes.is_empty() {
        for operand in meant.operands() {
            let stretched = operand.axes().iter().zip(operand.shape().iter()).find(|&(_, &extent)| extent != 1);
            for axis in operand.axes().first().into_iter().chain(stretched.map(|(axis, _)| axis)) {
                add(Params { axis: Some(*axis as i64), ..Params::default() });
            }
        }
    }
    Ok(rules)
}

/// Writes the operands in a form; those that are expanded get all axes.
fn written(meant: &Alignment, rule: &Rule, form: Form, (swap, expanded): (bool, &[usize])) -> Rewrite {
    let count = meant.operands().len();
    let shapes: Vec<Shape> = meant.operands().iter().map(|operand| operand.shape().clone()).collect();
    let (mut reshape, mut expand) = (vec![None; count], vec![None; count]);
    for k in 0..count {
        let first = k == if swap { count - 1 } else { 0 };
        let mut dims = form.write(meant, k, first);
        if expanded.contains(&k) {
            // What is aligned to the right already is expanded as it is.
            let right = Form::Right.write(meant, k, first);
            dims = if right == *shapes[k] { right } else { Form::Full.write(meant, k, first) };
            expand[k] = (dims != *meant.shape().dims()).then(|| meant.shape().clone());
        }
        reshape[k] = (dims != *shapes[k]).then(|| Shape::from(dims));
    }
    Rewrite { rule: rule.clone(), shapes, swap, reshape, expand, result: None }
}

/// Takes back every reshape that the target does not need.
fn fewest_reshapes(mut rewrite: Rewrite, meant: &Alignment) -> Rewrite {
    for k in 0..rewrite.shapes.len() {
        let mut fewer = rewrite.clone();
        if fewer.expand[k].is_none()
            && fewer.reshape[k].take().is_some()
            && fewer.settle(meant) == Ok(true)
            && fewer.result.is_some() <= rewrite.result.is_some()
        {
            rewrite = fewer;
        }
    }
    rewrite
}

#[cfg(test)]
mod tests;
