//! Gives a shape function what it needs of a node: inputs, attributes and sizes.

use std::{
    cell::{Cell, OnceCell},
    collections::HashSet,
    rc::Rc,
};

use broadaxe_shape::{shape::MAX_RANK, symbolic::Dim};

use super::{
    Inferences, Size,
    number::Number,
    tensor::{Tensor, Values, float_bits, read},
};
use crate::graph::{Attribute, Element, Model, Node};

/// Why a shape function cannot say its results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// The shape of this input is not known.
    Input(usize),
    /// For this reason: one sentence.
    Because(String),
}

/// What a shape function returns: a tensor per output, or why not; outputs that are left out are unknown.
pub(crate) type Made = Result<Vec<Tensor>, Stop>;

/// A shape function.
pub(crate) type Function = fn(&Call<'_>) -> Made;

/// Makes the reason of a refusal.
pub(crate) fn because<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Because(reason.into()))
}

/// What is known of a value so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fact {
    /// Its extents and elements.
    pub(crate) tensor: Tensor,
    /// The type of its elements.
    pub(crate) element: Option<Element>,
    /// Why it is unknown, the first reason on the way.
    pub(crate) why: Option<Rc<str>>,
    /// The elements of a constant, once somebody asked.
    pub(crate) read: OnceCell<Option<Values>>,
}

/// A node and what is known of its inputs.
pub(crate) struct Call<'a> {
    pub(crate) model: &'a Model,
    pub(crate) node: &'a Node,
    pub(crate) facts: &'a [Fact],
    /// Extents that tensors have and whose expressions might be negative.
    pub(crate) extents: &'a HashSet<Size>,
    /// What rules made of other nodes' operands.
    pub(crate) inferences: &'a Inferences,
    /// How many private names there are.
    pub(crate) private: &'a Cell<u32>,
}

impl<'a> Call<'a> {
    /// Says whether an input is given.
    pub(crate) fn has(&self, k: usize) -> bool {
        self.node.input(k).is_some()
    }

    /// Counts the inputs, those that are left out too.
    pub(crate) fn inputs(&self) -> usize {
        self.node.inputs.len()
    }

    /// Returns the version of the operator's domain.
    pub(crate) fn version(&self) -> i64 {
        self.node.version
    }

    fn fact(&self, k: usize) -> Option<&'a Fact> {
        self.facts.get(self.node.input(k)?.0 as usize)
    }

    /// Returns the extents of an input.
    pub(crate) fn dims(&self, k: usize) -> Result<&'a [Size], Stop> {
        match self.fact(k) {
            Some(fact) => fact.tensor.dims.as_deref().ok_or(Stop::Input(k)),
            None => because(format!("{} has no input {k}", self.node.op)),
        }
    }

    /// Returns the extents of an input that has at least this rank.
    pub(crate) fn least(&self, k: usize, rank: usize) -> Result<&'a [Size], Stop> {
        let dims = self.dims(k)?;
        if dims.len() < rank {
            return because(format!("{}: input {k} has rank {}, but needs {rank} or more", self.node.op, dims.len()));
        }
        Ok(dims)
    }

    /// Returns the extents of an input that has this rank.
    pub(crate) fn ranked<const RANK: usize>(&self, k: usize) -> Result<&'a [Size; RANK], Stop> {
        let dims = self.dims(k)?;
        dims.try_into()
            .or_else(|_| because(format!("{}: input {k} has rank {}, but needs {RANK}", self.node.op, dims.len())))
    }

    /// Returns the number of samples of an input, where it is no axis.
    pub(crate) fn batch(&self, k: usize) -> Size {
        self.fact(k).and_then(|fact| fact.tensor.batch.clone()).unwrap_or_else(|| Size::known(1))
    }

    /// Returns the elements of an input, where they are followed.
    pub(crate) fn values(&self, k: usize) -> Option<&'a [Option<Number>]> {
        let fact = self.fact(k)?;
        if let Some(values) = &fact.tensor.values {
            return Some(values);
        }
        // Of a tensor without elements, all are known.
        if fact.tensor.count() == Some(0) {
            return Some(&[]);
        }
        let constant = self.model.value(self.node.input(k)?).constant.as_ref()?;
        fact.read.get_or_init(|| read(self.model, constant)).as_deref()
    }

    /// Says whether the elements of an input may be known.
    pub(crate) fn followed(&self, k: usize) -> bool {
        let constant = || self.node.input(k).is_some_and(|id| self.model.value(id).constant.is_some());
        self.fact(k).is_some_and(|fact| fact.tensor.values.is_some() || constant())
    }

    /// Returns the whole numbers of an input, each if it is known.
    pub(crate) fn sizes(&self, k: usize) -> Option<Vec<Option<Size>>> {
        let values = self.values(k)?;
        Some(values.iter().map(|value| value.as_ref().and_then(Number::size).cloned()).collect())
    }

    /// Returns the whole numbers of an input, if all are known numbers.
    pub(crate) fn numbers(&self, k: usize) -> Option<Vec<i64>> {
        self.sizes(k)?.iter().map(|size| size.as_ref()?.number()).collect()
    }

    /// Returns the only element of an input as a size.
    pub(crate) fn scalar(&self, k: usize) -> Option<Size> {
        match self.values(k)? {
            [Some(value)] => value.size().cloned(),
            _ => None,
        }
    }

    /// Returns the elements' type of an input.
    pub(crate) fn element(&self, k: usize) -> Option<&'a Element> {
        self.fact(k)?.element.as_ref()
    }

    /// Returns the width of an input's elements in bits, if they are floats.
    pub(crate) fn floats(&self, k: usize) -> Option<u32> {
        float_bits(self.element(k))
    }

    /// Returns a whole number among the attributes; a flag in words too.
    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        match self.node.attribute(name)? {
            Attribute::Int(value) => Some(*value),
            Attribute::Ints(values) => {
                if let [value] = values.as_slice() {
                    Some(*value)
                } else {
                    None
                }
            }
            Attribute::Text(text) => match text.as_str() {
                "true" | "True" => Some(1),
                "false" | "False" => Some(0),
                text => text.trim().parse().ok(),
            },
            _ => None,
        }
    }

    /// Returns a flag among the attributes, false if it is not there.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.int(name).unwrap_or(0) != 0
    }

    /// Returns a list of whole numbers among the attributes.
    pub(crate) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        match self.node.attribute(name)? {
            Attribute::Int(value) => Some(vec![*value]),
            Attribute::Ints(values) => Some(values.clone()),
            Attribute::Text(text) if text.trim().is_empty() => Some(Vec::new()),
            Attribute::Text(text) => text.split(',').map(|part| part.trim().parse().ok()).collect(),
            Attribute::Floats(values) if values.is_empty() => Some(Vec::new()),
            _ => None,
        }
    }

    /// Returns a text among the attributes.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)?.text()
    }

    /// Makes a size of which nothing is known.
    pub(crate) fn open(&self) -> Size {
        let mut number = self.private.get();
        let size = Size::of(&Dim::unknown(), &mut number);
        self.private.set(number);
        size
    }

    /// Returns the size, or one of which nothing is known.
    pub(crate) fn or_open(&self, size: Option<Size>) -> Size {
        size.unwrap_or_else(|| self.open())
    }

    /// Makes as many sizes of which nothing is known.
    pub(crate) fn opens(&self, count: usize) -> Vec<Size> {
        (0..count).map(|_| self.open()).collect()
    }

    /// Makes the size of a result whose extent depends on the elements.
    pub(crate) fn counted(&self) -> Size {
        let name = self.node.outputs.iter().flatten().next().map(|&id| self.model.value(id).name.as_str());
        match name {
            Some(name) if !name.is_empty() => Size::of(&Dim::named(&format!("count({name})")), &mut 0),
            _ => self.open(),
        }
    }

    /// Returns the size, but at least `low`; the extent of an existing tensor is never negative.
    pub(crate) fn at_least(&self, size: &Size, low: &Size) -> Option<Size> {
        if low.is(0) && size.number().is_none() && self.extents.contains(size) {
            return Some(size.clone());
        }
        size.max(low)
    }

    /// Counts an axis from the front.
    pub(crate) fn axis(&self, axis: i64, rank: usize) -> Result<usize, Stop> {
        let signed = rank as i64;
        let from_front = if axis < 0 { axis.saturating_add(signed) } else { axis };
        usize::try_from(from_front)
            .ok()
            .filter(|&axis| axis < rank)
            .map_or_else(|| because(format!("{}: axis {axis} is out of range for rank {rank}", self.node.op)), Ok)
    }

    /// Counts axes from the front.
    pub(crate) fn axes(&self, axes: &[i64], rank: usize) -> Result<Vec<usize>, Stop> {
        if axes.len() > MAX_RANK {
            return because(format!("{}: {} axes; a tensor has at most {MAX_RANK}", self.node.op, axes.len()));
        }
        axes.iter().map(|&axis| self.axis(axis, rank)).collect()
    }

    /// Returns the attribute `axis`, or this default, counted from the front.
    pub(crate) fn axis_or(&self, default: i64, rank: usize) -> Result<usize, Stop> {
        self.axis(self.int("axis").unwrap_or(default), rank)
    }

    /// Unites two sizes that must be equal: a number tells more than a name, and a name more than none.
    pub(crate) fn same(&self, x: &Size, y: &Size) -> Result<Size, Stop> {
        if x.equal(y) == Some(false) {
            return because(format!("{}: extents {x} and {y} must be equal", self.node.op));
        }
        let prefer = x.number().is_none() && (y.number().is_some() || (x.private() && !y.private()));
        Ok(if prefer { y.clone() } else { x.clone() })
    }
}
