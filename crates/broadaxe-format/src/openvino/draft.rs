//! Collects all changes of a model before the XML is written.
//!
//! Several changes may concern one layer, so all are made here first: changed edges, new layers, changed words. Layers of the
//! file and new layers are named by their indices.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    build::LayerPlaces,
    net::{Layer, Net},
    order::links,
    result,
};
use crate::{
    edit::{Names, ShapeOp, list, rejected},
    error::Error,
    graph::{Data, Element, Model, NodeId, Value, ValueId},
    result_shape::{ResultShape, compatible},
};

/// An operator, its opset and its settings.
pub(super) type ShapeLayer = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Returns the layer for an inserted node: its operator, its opset, and the settings that it must have.
pub(super) fn shape_layer(does: ShapeOp) -> ShapeLayer {
    match does {
        ShapeOp::Reshape => ("Reshape", "opset1", &[("special_zero", "true")]),
        ShapeOp::Unsqueeze => ("Unsqueeze", "opset1", &[]),
        ShapeOp::Expand => ("Broadcast", "opset3", &[("mode", "bidirectional")]),
    }
}

/// Where an edge comes from: an output of a layer of the file, or the one of a new layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Old(usize, usize),
    New(usize),
}

/// A layer that is not in the file.
pub(super) struct NewLayer {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) opset: String,
    pub(super) settings: Vec<(String, String)>,
    pub(super) inputs: Vec<Output>,
    pub(super) element: Option<Element>,
    pub(super) shape: Option<SymbolicShape>,
    pub(super) made: ResultShape,
    pub(super) names: Option<String>,
}

/// A port of a layer of the file: the layer, whether it is an output, which one.
pub(super) type PortAt = (usize, bool, usize);

/// What changes in one net.
pub(super) struct NetChanges {
    /// The layers in order.
    pub(super) order: Vec<usize>,
    /// For every layer and input the layer and output it reads in the file, and the edge between.
    pub(super) links: Vec<Vec<(usize, usize, usize)>>,
    /// For every layer and input what it reads now.
    pub(super) sources: Vec<Vec<Output>>,
    pub(super) fresh: Vec<NewLayer>,
    /// Ports that record another shape.
    pub(super) shapes: BTreeMap<PortAt, SymbolicShape>,
    /// Layers with another operator.
    pub(super) kinds: BTreeMap<usize, String>,
    /// Layers with another name.
    pub(super) renamed: BTreeMap<usize, String>,
    /// Settings that are set, or removed.
    pub(super) settings: BTreeMap<(usize, String), Option<String>>,
    /// Layers that are replaced, each with the new layer that gets its id.
    pub(super) replaced: BTreeMap<usize, usize>,
    /// Output ports whose tensor names have moved to a new layer.
    pub(super) unnamed: BTreeSet<(usize, usize)>,
    next: u64,
}

/// All changes.
pub(super) struct IrDraft<'a> {
    pub(super) model: &'a Model,
    pub(super) nets: &'a [Net],
    pub(super) parts: Vec<NetChanges>,
    /// The bytes that are appended to the weights.
    pub(super) added: Vec<u8>,
    places: &'a LayerPlaces,
    index: HashMap<(usize, usize, usize), usize>,
    pub(super) names: Names,
}

impl<'a> IrDraft<'a> {
    pub(super) fn new(model: &'a Model, nets: &'a [Net], places: &'a LayerPlaces) -> Result<Self, Error> {
        let mut parts = Vec::with_capacity(nets.len());
        for net in nets {
            let links = links(net)?;
            let old = |inputs: &Vec<(usize, usize, usize)>| {
                inputs.iter().map(|&(from, output, _)| Output::Old(from, output)).collect()
            };
            parts.push(NetChanges {
                order: links.order,
                sources: links.sources.iter().map(old).collect(),
                links: links.sources,
                fresh: Vec::new(),
                shapes: BTreeMap::new(),
                kinds: BTreeMap::new(),
                renamed: BTreeMap::new(),
                settings: BTreeMap::new(),
                replaced: BTreeMap::new(),
                unnamed: BTreeSet::new(),
                next: net.layers.iter().map(|layer| layer.id).max().unwrap_or(0).saturating_add(1),
            });
        }
        let names = Names::new(nets.iter().flat_map(|net| &net.layers).map(|layer| &layer.name), 2);
        let index = places.values.iter().enumerate().map(|(index, place)| (*place, index)).collect();
        Ok(Self { model, nets, parts, added: Vec::new(), places, index, names })
    }

    /// Returns net and layer of a node.
    pub(super) fn node(&self, node: NodeId) -> Result<(usize, usize), Error> {
        let place = self.places.nodes.get(node.0 as usize).copied();
        place.ok_or_else(|| rejected(format!("the model has no node {}", node.0)))
    }

    /// Returns the net and the output of a value.
    pub(super) fn value(&self, value: ValueId) -> Result<(usize, Output), Error> {
        let place = self.places.values.get(value.0 as usize).copied();
        let (net, layer, output) = place.ok_or_else(|| rejected(format!("the model has no value {}", value.0)))?;
        Ok((net, Output::Old(layer, output)))
    }

    pub(super) fn layer(&self, net: usize, layer: usize) -> &'a Layer {
        &self.nets[net].layers[layer]
    }

    /// Returns the current shape of an output, if it is known.
    pub(super) fn shape(&self, net: usize, end: Output) -> Option<SymbolicShape> {
        match end {
            Output::New(fresh) => self.parts[net].fresh[fresh].shape.clone(),
            Output::Old(layer, output) => match self.parts[net].shapes.get(&(layer, true, output)) {
                Some(shape) => Some(shape.clone()),
                None => self.of_file(net, layer, output).and_then(|value| value.declared.clone()),
            },
        }
    }

    fn of_file(&self, net: usize, layer: usize, output: usize) -> Option<&Value> {
        let index = self.index.get(&(net, layer, output))?;
        self.model.values.get(*index)
    }

    /// Returns the element type of an output.
    pub(super) fn element(&self, net: usize, end: Output) -> Option<Element> {
        match end {
            Output::New(fresh) => self.parts[net].fresh[fresh].element.clone(),
            Output::Old(layer, output) => self.of_file(net, layer, output).and_then(|value| value.element.clone()),
        }
    }

    /// Returns the name of an output's layer.
    pub(super) fn name(&self, net: usize, end: Output) -> String {
        match end {
            Output::New(fresh) => self.parts[net].fresh[fresh].name.clone(),
            Output::Old(layer, _) => self.layer(net, layer).name.clone(),
        }
    }

    /// Adds a layer, with its id and shape, and returns its output.
    pub(super) fn add(&mut self, net: usize, mut fresh: NewLayer) -> Result<Output, Error> {
        fresh.id = self.parts[net].next;
        self.parts[net].next =
            self.parts[net].next.checked_add(1).ok_or_else(|| rejected("no id of a layer is free"))?;
        fresh.name = self.names.unique(&fresh.name);
        fresh.shape = self.made(net, &fresh)?;
        self.parts[net].fresh.push(fresh);
        Ok(Output::New(self.parts[net].fresh.len() - 1))
    }

    fn made(&self, net: usize, fresh: &NewLayer) -> Result<Option<SymbolicShape>, Error> {
        let inputs: Vec<_> = fresh.inputs.iter().map(|&input| self.shape(net, input)).collect();
        fresh.made.shape(&inputs).map_err(|error| error.at(format!("the new layer {}", fresh.name)))
    }

    /// Adds a constant of these bytes.
    pub(super) fn constant(
        &mut self,
        net: usize,
        base: &str,
        element: Element,
        shape: &[usize],
        bytes: &[u8],
    ) -> Result<Output, Error> {
        let kept = match &self.model.weights {
            Some(weights) => weights.len(),
            None => self.missing()?,
        };
        let padding = (kept + self.added.len() as u64).next_multiple_of(8) - kept - self.added.len() as u64;
        self.added.resize(self.added.len() + padding as usize, 0);
        let offset = kept + self.added.len() as u64;
        self.added.extend_from_slice(bytes);
        self.stored(net, base, element, shape, (offset, bytes.len() as u64))
    }

    /// Adds a constant whose bytes are in the weights.
    pub(super) fn stored(
        &mut self,
        net: usize,
        base: &str,
        element: Element,
        shape: &[usize],
        (offset, size): (u64, u64),
    ) -> Result<Output, Error> {
        let settings = [
            ("element_type", super::element::type_name(&element)),
            ("shape", list(shape)),
            ("offset", offset.to_string()),
            ("size", size.to_string()),
        ];
        self.add(
            net,
            NewLayer {
                settings: settings.map(|(key, value)| (key.to_string(), value)).to_vec(),
                element: Some(element),
                made: ResultShape::Known(SymbolicShape::from(shape)),
                ..NewLayer::of("Const", "opset1", base.to_string(), Vec::new())
            },
        )
    }

    /// Adds a constant of 64-bit integers.
    pub(super) fn ints(&mut self, net: usize, base: &str, values: &[i64]) -> Result<Output, Error> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(net, base, super::element::element("i64"), &[values.len()], &bytes)
    }

    /// Returns the length of missing weights, which is 0 if no constant needs them.
    fn missing(&self) -> Result<u64, Error> {
        let absent = self.model.values.iter().filter_map(|value| value.constant.as_ref()).find_map(|constant| {
            match &constant.data {
                Data::Absent(why) => Some(why.clone()),
                _ => None,
            }
        });
        absent.map_or(Ok(0), |why| {
            Err(rejected(format!("{why}, and new layers need constants in it; put it into the folder of the model")))
        })
    }

    /// Connects an input to another output.
    pub(super) fn connect(&mut self, net: usize, layer: usize, input: usize, end: Output) {
        self.parts[net].sources[layer][input] = end;
    }

    /// Connects all readers of an output to another one, except the new layer that computes the latter.
    pub(super) fn redirect(&mut self, net: usize, from: Output, to: Output) {
        let part = &mut self.parts[net];
        let fresh = part.fresh.iter_mut().enumerate().filter(|(index, _)| Output::New(*index) != to);
        let new = fresh.flat_map(|(_, fresh)| &mut fresh.inputs);
        for source in part.sources.iter_mut().flatten().chain(new).filter(|source| **source == from) {
            *source = to;
        }
    }

    /// Updates the recorded shapes of all ports.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        for net in 0..self.nets.len() {
            for layer in self.parts[net].order.clone() {
                if !self.parts[net].replaced.contains_key(&layer) {
                    self.settle_layer(net, layer)?;
                }
            }
        }
        Ok(())
    }

    fn settle_layer(&mut self, net: usize, layer: usize) -> Result<(), Error> {
        let mut touched =
            self.parts[net].settings.range((layer, String::new())..).next().is_some_and(|(key, _)| key.0 == layer);
        for input in 0..self.parts[net].sources[layer].len() {
            let end = self.parts[net].sources[layer][input];
            self.renew(net, end)?;
            let overridden = match end {
                Output::New(_) => true,
                Output::Old(from, output) => {
                    let (old, port, _) = self.parts[net].links[layer][input];
                    (old, port) != (from, output) || self.parts[net].shapes.contains_key(&(from, true, output))
                }
            };
            if let (true, Some(shape)) = (overridden, self.shape(net, end)) {
                self.parts[net].shapes.insert((layer, false, input), shape);
                touched = true;
            }
        }
        if touched && let Some(shape) = self.result_shape(net, layer)? {
            let old = self.shape(net, Output::Old(layer, 0));
            if old.is_none_or(|old| !compatible(&old, &shape)) {
                self.parts[net].shapes.insert((layer, true, 0), shape);
            }
        }
        Ok(())
    }

    /// Infers the shape of a layer of the file with one output from what it reads now, where the layer's row says how.
    fn result_shape(&self, net: usize, layer: usize) -> Result<Option<SymbolicShape>, Error> {
        let old = self.layer(net, layer);
        if old.outputs.len() != 1 {
            return Ok(None);
        }
        let part = &self.parts[net];
        let kind = part.kinds.get(&layer).unwrap_or(&old.kind);
        let inputs: Vec<_> = part.sources[layer].iter().map(|&end| self.shape(net, end)).collect();
        let shape = result::result_shape(kind, inputs.len(), &|key| self.setting(net, layer, key));
        let shape = shape.and_then(|shape| shape.shape(&inputs));
        shape.map_err(|error| rejected(format!("after this change, {error}")).at(old.place()))
    }

    /// Computes again the shapes of the new layers that an output depends on.
    fn renew(&mut self, net: usize, end: Output) -> Result<(), Error> {
        let (mut chain, mut waiting) = (BTreeSet::new(), vec![end]);
        while let Some(end) = waiting.pop() {
            if let Output::New(fresh) = end
                && chain.insert(fresh)
            {
                waiting.extend(&self.parts[net].fresh[fresh].inputs);
            }
        }
        for fresh in chain {
            let shape = self.made(net, &self.parts[net].fresh[fresh])?;
            self.parts[net].fresh[fresh].shape = shape;
        }
        Ok(())
    }

    /// Returns the current value of a setting.
    pub(super) fn setting(&self, net: usize, layer: usize, key: &str) -> Option<String> {
        match self.parts[net].settings.get(&(layer, key.to_string())) {
            Some(set) => set.clone(),
            None => self.layer(net, layer).setting(key).map(str::to_string),
        }
    }
}

impl NewLayer {
    /// Makes a layer; the draft gives id and shape.
    pub(super) fn of(kind: &str, opset: &str, name: String, inputs: Vec<Output>) -> Self {
        Self {
            id: 0,
            name,
            kind: kind.to_string(),
            opset: opset.to_string(),
            settings: Vec::new(),
            inputs,
            element: None,
            shape: None,
            made: ResultShape::Unknown,
            names: None,
        }
    }
}
