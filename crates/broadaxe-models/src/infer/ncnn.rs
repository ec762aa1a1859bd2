//! Shapes over ncnn's layers.
//!
//! Layers stand in an order in which each comes after those it reads, and there are no bodies, so one pass is enough. A
//! layer names a function in the table ([`layers`]); shapes are row-major here too, and the functions speak of w, h, d and
//! c where ncnn does ([`Call::whdc`]).
//!
//! A file may record shapes. They are what its converter saw: they begin the pass at inputs, and fill in where a layer's
//! result cannot be said. Where a result follows, it stands, whatever was recorded; a difference is a remark.
//!
//! A blob may be many samples, which a `Reshape` makes of an axis and puts back; every other layer sees one of them. The shape
//! of a blob is that of a sample here, and how many there are is kept beside it for the sake of `Reshape`.
//!
//! Source: ncnn, `src/layer/*.cpp` of version 20261020, asked by `conformance/models_ncnn.py`.

mod call;
mod expression;
mod layers;
mod window;
mod change;
mod cut;
mod product;
mod detect;

use std::cell::Cell;

use broadaxe::DType;
use broadaxe_shape::symbolic::{Dim, SymbolicShape};

use self::call::Call;
use super::{Known, Origin, Shapes, Size};
use crate::graph::{Element, Model, Node, NodeId, ValueId};

/// What is known of a blob, or why it is not.
type Fact = Result<Blob, String>;

/// A blob: the row-major extents of a sample, and how many samples there are.
#[derive(Clone, Debug)]
struct Blob {
    dims: Vec<Size>,
    samples: Size,
}

impl Blob {
    fn one(dims: Vec<Size>) -> Self {
        Self { dims, samples: Size::known(1) }
    }
}

/// Infers the shapes of all blobs; `given` has those of some inputs.
pub(super) fn infer(model: &Model, given: &[(ValueId, Vec<Dim>)]) -> Shapes {
    let mut pass = Pass {
        model,
        given,
        facts: vec![Err("no layer makes it".to_owned()); model.values.len()],
        origins: vec![Origin::Declared; model.values.len()],
        open: Cell::new(0),
        stale: given.iter().any(|(id, dims)| is_other(model, *id, dims)),
        remarks: Vec::new(),
    };
    for &id in &model.main().nodes {
        pass.node(id, model.node(id));
    }
    pass.shapes()
}

/// Says whether a given shape is another than the one that the file records.
fn is_other(model: &Model, id: ValueId, dims: &[Dim]) -> bool {
    let declared = model.value(id).declared.as_ref().and_then(SymbolicShape::dims);
    declared.is_some_and(|declared| declared != dims)
}

struct Pass<'a> {
    model: &'a Model,
    given: &'a [(ValueId, Vec<Dim>)],
    facts: Vec<Fact>,
    origins: Vec<Origin>,
    /// How many extents without a name there are.
    open: Cell<u32>,
    /// Whether recorded shapes are those of other inputs.
    stale: bool,
    remarks: Vec<String>,
}

impl Pass<'_> {
    fn node(&mut self, id: NodeId, node: &Node) {
        let made = match node.op.as_str() {
            "Input" => Vec::new(),
            "MemoryData" => node.outputs.iter().map(|output| self.constant(*output)).collect(),
            _ => self.inferred(node),
        };
        for (k, output) in node.outputs.iter().enumerate() {
            let Some(value) = *output else { continue };
            let (fact, origin) = match node.op.as_str() {
                "Input" => self.input(value),
                "MemoryData" => (made[k].clone(), Origin::Constant),
                _ => self.checked(id, value, made.get(k).cloned()),
            };
            self.facts[value.0 as usize] = fact;
            self.origins[value.0 as usize] = origin;
        }
    }

    fn constant(&self, output: Option<ValueId>) -> Fact {
        let constant = output.and_then(|id| self.model.value(id).constant.as_ref());
        let constant = constant.ok_or("the file does not say the shape of the constant")?;
        let size = |&size: &usize| Size::known(i64::try_from(size).unwrap_or(i64::MAX));
        Ok(Blob::one(constant.shape.iter().map(size).collect()))
    }

    /// Returns the shape of an input: the given one, or the recorded one.
    fn input(&self, id: ValueId) -> (Fact, Origin) {
        if let Some((_, dims)) = self.given.iter().find(|(known, _)| *known == id) {
            return (Ok(Blob::one(self.sizes(dims))), Origin::Given);
        }
        let why = || format!("the file does not say the shape of the input {}", self.model.value(id).name);
        (self.declared(id).map(Blob::one).ok_or_else(why), Origin::Declared)
    }

    fn inferred(&self, node: &Node) -> Vec<Fact> {
        let inputs = node.inputs.iter().map(|input| {
            let fact = input.map(|id| &self.facts[id.0 as usize]);
            fact.map_or(Err("the input is left out"), |fact| fact.as_ref().map_err(String::as_str))
        });
        let call = Call { node, inputs: inputs.collect(), open: &self.open };
        match layers::infer(&call) {
            Ok(made) => made.into_iter().map(Ok).collect(),
            Err(why) => vec![Err(why); node.outputs.len()],
        }
    }

    /// Compares what follows with what is recorded, and takes the latter where nothing follows.
    fn checked(&mut self, id: NodeId, value: ValueId, made: Option<Fact>) -> (Fact, Origin) {
        let node = self.model.node(id);
        let made = made.unwrap_or_else(|| Err(format!("{} makes no such result, as far as is known here", node.op)));
        let made =
            made.and_then(|blob| match blob.dims.iter().find(|size| size.number().is_some_and(|size| size < 1)) {
                Some(size) => Err(format!("{} would make an extent of {size}", node.op)),
                None => Ok(blob),
            });
        let declared = self.declared(value).filter(|_| !self.stale && !layers::depends_on_elements(&node.op));
        match (made, declared) {
            (Ok(blob), Some(declared)) => {
                let fits = |(x, y): (&Size, &Size)| x.equal(y) != Some(false);
                if blob.dims.len() != declared.len() || !blob.dims.iter().zip(&declared).all(fits) {
                    let name = &self.model.value(value).name;
                    let (made, declared) = (shape(&blob.dims), shape(&declared));
                    let text =
                        format!("{}: the file records {name} as {declared}, but {} makes {made}", node.place, node.op);
                    self.remarks.push(text);
                    return (Ok(blob), Origin::Inferred(id));
                }
                // The recorded number where only an unknown one follows.
                let better = |(made, declared): (Size, Size)| if made.number().is_none() { declared } else { made };
                let dims = blob.dims.into_iter().zip(declared).map(better).collect();
                (Ok(Blob { dims, samples: blob.samples }), Origin::Inferred(id))
            }
            (Ok(blob), None) => (Ok(blob), Origin::Inferred(id)),
            (Err(_), Some(declared)) => (Ok(Blob::one(declared)), Origin::Declared),
            (Err(why), None) => (Err(why), Origin::Inferred(id)),
        }
    }

    fn declared(&self, id: ValueId) -> Option<Vec<Size>> {
        Some(self.sizes(self.model.value(id).declared.as_ref()?.dims()?))
    }

    fn sizes(&self, dims: &[Dim]) -> Vec<Size> {
        dims.iter().map(|dim| call::size(dim, &self.open)).collect()
    }

    fn shapes(self) -> Shapes {
        let known = |(k, (fact, origin)): (usize, (Fact, Origin))| {
            let (shape, origin) = match fact {
                Ok(blob) => (shape(&blob.dims), origin),
                Err(why) => (SymbolicShape::unknown_rank(), Origin::Unknown(why)),
            };
            // Blobs are f32 unless they are constants that say otherwise; what is computed is.
            let element = self.model.values[k].element.clone().or(Some(Element::Known(DType::F32)));
            Known { shape, element, origin }
        };
        let of = self.facts.into_iter().zip(self.origins).enumerate().map(known).collect();
        Shapes { of, remarks: self.remarks, contradictions: Vec::new() }
    }
}

/// Makes the shape that is shown.
fn shape(sizes: &[Size]) -> SymbolicShape {
    SymbolicShape::new(sizes.iter().map(Size::dim).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
