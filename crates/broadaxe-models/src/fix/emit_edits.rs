//! Turns the forms that inputs need into changes: constants in place, a copy for the fewer readers, else a node.
//!
//! A constant may have many readers, and each may need another shape. Changing it in place costs nothing, but holds for
//! all readers; so the shape that most of them need is given to the constant itself, unless a reader needs the old one,
//! and the others get copies. A large constant is never copied: its readers get a node that makes a view.

use std::{collections::BTreeMap, fmt};

use crate::{
    copied::Copied,
    edit::Edit,
    graph::{Model, Use, ValueId},
};

use super::Step;

/// The largest constant, in bytes, that is copied rather than viewed through a node.
const COPIED: u64 = 1 << 20;

/// The form that an input needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Axes of extent 1 more, counted in the result.
    Axes(Vec<usize>),
    /// These dims, in the same order of elements; -1 once for what follows from the others.
    Dims(Vec<i64>),
    /// Stretched to these dims; 1 for an extent that stays.
    Stretched(Vec<i64>),
    /// Axes of extent 1 more, counted in the result, and then stretched to these dims.
    Placed(Vec<usize>, Vec<i64>),
}

/// An input that needs another form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Want {
    /// The input.
    pub at: Use,
    /// What it needs.
    pub form: Form,
    /// What this copies each time the model runs.
    pub copied: Copied,
}

/// Returns the changes that give all these inputs their forms, and a row for each input.
pub(crate) fn emit_edits(model: &Model, wants: &[Want]) -> (Vec<Edit>, Vec<Step>) {
    let uses = model.uses();
    let mut edits = Vec::new();
    let mut steps = Vec::new();
    let mut constants: BTreeMap<ValueId, BTreeMap<Vec<usize>, Vec<Use>>> = BTreeMap::new();
    for want in wants {
        let Some(value) = model.node(want.at.node).input(want.at.input) else { continue };
        let named = model.value(value);
        if let Some(shape) = named.constant.as_ref().and_then(|constant| want.form.of(&constant.shape)) {
            constants.entry(value).or_default().entry(shape).or_default().push(want.at);
        } else {
            steps.push(Step { node: want.at.node, text: want.form.text(&named.name), copied: want.copied.clone() });
            edits.extend(want.form.edits(want.at));
        }
    }
    for (value, shapes) in constants {
        let readers = uses.of(value).len();
        split(model, value, shapes, readers, &mut |edit, step| {
            edits.extend(edit);
            steps.push(step);
        });
    }
    (edits, steps)
}

/// Shares a constant among readers that need it in these shapes; some of its readers may need the old shape.
fn split(
    model: &Model,
    value: ValueId,
    shapes: BTreeMap<Vec<usize>, Vec<Use>>,
    readers: usize,
    put: &mut dyn FnMut(Option<Edit>, Step),
) {
    let named = &model.value(value).name;
    let Some(constant) = &model.value(value).constant else { return };
    let own = Dims(&constant.shape).to_string();
    let changed: usize = shapes.values().map(Vec::len).sum();
    let given = model.graphs.iter().any(|graph| graph.outputs.contains(&value) || graph.inputs.contains(&value));
    let mut shapes: Vec<_> = shapes.into_iter().collect();
    shapes.sort_by_key(|(_, uses)| std::cmp::Reverse(uses.len()));
    for (index, (shape, uses)) in shapes.into_iter().enumerate() {
        let to = Dims(&shape).to_string();
        let step = |text: String, at: &Use| Step { node: at.node, text, copied: Copied::default() };
        if index == 0 && !given && changed == readers {
            let mut edit = Some(Edit::ReshapeConstant { value, shape });
            for at in &uses {
                put(edit.take(), step(format!("reshape the constant {named} from {own} to {to}"), at));
            }
        } else if bytes(constant) <= COPIED {
            let text = format!("read a copy of the constant {named} in shape {to} instead of {own}");
            let mut edit = Some(Edit::CopyConstant { value, shape, uses: uses.clone() });
            for at in &uses {
                put(edit.take(), step(text.clone(), at));
            }
        } else {
            for at in uses {
                let dims: Vec<i64> = shape.iter().map(|&dim| dim as i64).collect();
                let text = format!("reshape the large constant {named} from {own} to {to} by a node");
                put(Some(Edit::Reshape { at, shape: dims }), step(text, &at));
            }
        }
    }
}

fn bytes(constant: &crate::graph::Constant) -> u64 {
    let each = constant.element.dtype().map_or(8, |dtype| dtype.size() as u64);
    constant.shape.iter().fold(each, |bytes, &dim| bytes.saturating_mul(dim as u64))
}

impl Form {
    /// Returns the shape that a constant of this shape gets, if it can be given one.
    pub(super) fn of(&self, own: &[usize]) -> Option<Vec<usize>> {
        match self {
            Self::Axes(axes) => {
                let mut shape = own.to_vec();
                for &axis in axes {
                    shape.insert(axis.min(shape.len()), 1);
                }
                Some(shape)
            }
            Self::Dims(dims) => {
                let total = own.iter().try_fold(1usize, |all, &dim| all.checked_mul(dim))?;
                let known =
                    dims.iter().filter(|&&dim| dim >= 0).try_fold(1usize, |all, &dim| all.checked_mul(dim as usize))?;
                let rest = total.checked_div(known);
                let shape = dims.iter().map(|&dim| usize::try_from(dim).ok().or(rest)).collect::<Option<Vec<_>>>()?;
                let made = shape.iter().try_fold(1usize, |all, &dim| all.checked_mul(dim))?;
                (made == total).then_some(shape)
            }
            Self::Stretched(_) | Self::Placed(..) => None,
        }
    }

    /// Says whether elements are copied each time the model runs.
    pub(super) fn copies(&self) -> bool {
        matches!(self, Self::Stretched(_) | Self::Placed(..))
    }

    /// Returns the changes that put nodes in front of an input.
    fn edits(&self, at: Use) -> Vec<Edit> {
        let unsqueeze = |axes: &[usize]| Edit::Unsqueeze { at, axes: axes.iter().map(|&axis| axis as i64).collect() };
        match self {
            Self::Axes(axes) => vec![unsqueeze(axes)],
            Self::Dims(shape) => vec![Edit::Reshape { at, shape: shape.clone() }],
            Self::Stretched(shape) => vec![Edit::Expand { at, shape: shape.clone() }],
            Self::Placed(axes, shape) => vec![unsqueeze(axes), Edit::Expand { at, shape: shape.clone() }],
        }
    }

    fn text(&self, name: &str) -> String {
        match self {
            Self::Axes(axes) => {
                let list: Vec<_> = axes.iter().map(usize::to_string).collect();
                let axes = if list.len() == 1 { "axis" } else { "axes" };
                format!("unsqueeze {name} at {axes} {}", list.join(", "))
            }
            Self::Dims(dims) => format!("reshape {name} to {}", Dims(dims)),
            Self::Stretched(dims) => format!("expand {name} to {}", Dims(dims)),
            Self::Placed(axes, dims) => format!("{}, expand it to {}", Self::Axes(axes.clone()).text(name), Dims(dims)),
        }
    }
}

/// Displays a shape as Python writes a tuple.
pub(crate) struct Dims<'a, T>(pub &'a [T]);

impl<T: fmt::Display> fmt::Display for Dims<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<_> = self.0.iter().map(T::to_string).collect();
        write!(f, "({}{})", list.join(", "), if list.len() == 1 { "," } else { "" })
    }
}
