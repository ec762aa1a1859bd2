//! A changed model before it is text: who reads what now, layers that are new, words that differ.
//!
//! All changes are made to this picture first, so that they may meet on one layer; only then words of the XML are
//! replaced. Layers of the file are named by their index, new ones by theirs, and both are ends of edges.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    build::Places,
    net::{Layer, Net},
    order::links,
    result,
};
use crate::{
    edit::{list, refused},
    error::Error,
    graph::{Data, Element, Model, NodeId, Value, ValueId},
    made::{Made, compatible},
};

/// Where an edge comes from: an output of a layer of the file, or the one of a new layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Old(usize, usize),
    New(usize),
}

/// A layer that is not in the file.
pub(super) struct Fresh {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) opset: String,
    pub(super) settings: Vec<(String, String)>,
    pub(super) inputs: Vec<End>,
    pub(super) element: Option<Element>,
    pub(super) shape: Option<SymbolicShape>,
    pub(super) made: Made,
    pub(super) names: Option<String>,
}

/// A port of a layer of the file: the layer, whether it is an output, which one.
pub(super) type PortAt = (usize, bool, usize);

/// What changes in one net.
pub(super) struct Part {
    /// The layers in order.
    pub(super) order: Vec<usize>,
    /// For every layer and input the layer and output it reads in the file, and the edge between.
    pub(super) links: Vec<Vec<(usize, usize, usize)>>,
    /// For every layer and input what it reads now.
    pub(super) sources: Vec<Vec<End>>,
    pub(super) fresh: Vec<Fresh>,
    /// Ports that record another shape.
    pub(super) shapes: BTreeMap<PortAt, SymbolicShape>,
    /// Layers with another operator.
    pub(super) kinds: BTreeMap<usize, String>,
    /// Layers with another name.
    pub(super) renamed: BTreeMap<usize, String>,
    /// Settings that are set, or removed.
    pub(super) settings: BTreeMap<(usize, String), Option<String>>,
    /// Layers that new ones take the place of: the last of those has the id.
    pub(super) replaced: BTreeMap<usize, usize>,
    /// Output ports whose tensor names have moved to a new layer.
    pub(super) unnamed: BTreeSet<(usize, usize)>,
    next: u64,
}

/// All changes.
pub(super) struct Draft<'a> {
    pub(super) model: &'a Model,
    pub(super) nets: &'a [Net],
    pub(super) parts: Vec<Part>,
    /// What is put after the weights.
    pub(super) added: Vec<u8>,
    places: &'a Places,
    index: HashMap<(usize, usize, usize), usize>,
    names: HashSet<String>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(model: &'a Model, nets: &'a [Net], places: &'a Places) -> Result<Self, Error> {
        let mut parts = Vec::with_capacity(nets.len());
        for net in nets {
            let links = links(net)?;
            let old = |inputs: &Vec<(usize, usize, usize)>| {
                inputs.iter().map(|&(from, output, _)| End::Old(from, output)).collect()
            };
            parts.push(Part {
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
        let names = nets.iter().flat_map(|net| &net.layers).map(|layer| layer.name.clone()).collect();
        let index = places.values.iter().enumerate().map(|(index, place)| (*place, index)).collect();
        Ok(Self { model, nets, parts, added: Vec::new(), places, index, names })
    }

    /// Returns net and layer of a node.
    pub(super) fn node(&self, node: NodeId) -> Result<(usize, usize), Error> {
        let place = self.places.nodes.get(node.0 as usize).copied();
        place.ok_or_else(|| refused(format!("the model has no node {}", node.0)))
    }

    /// Returns net and end of a value.
    pub(super) fn value(&self, value: ValueId) -> Result<(usize, End), Error> {
        let place = self.places.values.get(value.0 as usize).copied();
        let (net, layer, output) = place.ok_or_else(|| refused(format!("the model has no value {}", value.0)))?;
        Ok((net, End::Old(layer, output)))
    }

    pub(super) fn layer(&self, net: usize, layer: usize) -> &'a Layer {
        &self.nets[net].layers[layer]
    }

    /// Returns what is known of the shape at an end, as it is now.
    pub(super) fn shape(&self, net: usize, end: End) -> Option<SymbolicShape> {
        match end {
            End::New(fresh) => self.parts[net].fresh[fresh].shape.clone(),
            End::Old(layer, output) => match self.parts[net].shapes.get(&(layer, true, output)) {
                Some(shape) => Some(shape.clone()),
                None => self.of_file(net, layer, output).and_then(|value| value.declared.clone()),
            },
        }
    }

    fn of_file(&self, net: usize, layer: usize, output: usize) -> Option<&Value> {
        let index = self.index.get(&(net, layer, output))?;
        self.model.values.get(*index)
    }

    /// Returns the type of the elements at an end.
    pub(super) fn element(&self, net: usize, end: End) -> Option<Element> {
        match end {
            End::New(fresh) => self.parts[net].fresh[fresh].element.clone(),
            End::Old(layer, output) => self.of_file(net, layer, output).and_then(|value| value.element.clone()),
        }
    }

    /// Returns the name of what comes from an end.
    pub(super) fn name(&self, net: usize, end: End) -> String {
        match end {
            End::New(fresh) => self.parts[net].fresh[fresh].name.clone(),
            End::Old(layer, _) => self.layer(net, layer).name.clone(),
        }
    }

    /// Returns a name that no layer has: this one, or this one with a number.
    pub(super) fn unique(&mut self, base: &str) -> String {
        let name = (1..).map(|k| if k == 1 { base.to_string() } else { format!("{base}_{k}") });
        let name = name.into_iter().find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.insert(name.clone());
        name
    }

    /// Adds a layer and returns its end; id and shape are filled in.
    pub(super) fn add(&mut self, net: usize, mut fresh: Fresh) -> Result<End, Error> {
        fresh.id = self.parts[net].next;
        self.parts[net].next =
            self.parts[net].next.checked_add(1).ok_or_else(|| refused("no id of a layer is free"))?;
        fresh.name = self.unique(&fresh.name);
        fresh.shape = self.made(net, &fresh)?;
        self.parts[net].fresh.push(fresh);
        Ok(End::New(self.parts[net].fresh.len() - 1))
    }

    fn made(&self, net: usize, fresh: &Fresh) -> Result<Option<SymbolicShape>, Error> {
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
    ) -> Result<End, Error> {
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
    ) -> Result<End, Error> {
        let settings = [
            ("element_type", super::element::type_name(&element)),
            ("shape", list(shape)),
            ("offset", offset.to_string()),
            ("size", size.to_string()),
        ];
        self.add(
            net,
            Fresh {
                settings: settings.map(|(key, value)| (key.to_string(), value)).to_vec(),
                element: Some(element),
                made: Made::Known(SymbolicShape::from(shape)),
                ..Fresh::of("Const", "opset1", base.to_string(), Vec::new())
            },
        )
    }

    /// Adds a constant of 64-bit integers.
    pub(super) fn ints(&mut self, net: usize, base: &str, values: &[i64]) -> Result<End, Error> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(net, base, super::element::element("i64"), &[values.len()], &bytes)
    }

    /// Returns how long the weights are that are not there: nothing may be in them.
    fn missing(&self) -> Result<u64, Error> {
        let absent = self.model.values.iter().filter_map(|value| value.constant.as_ref()).find_map(|constant| {
            match &constant.data {
                Data::Absent(why) => Some(why.clone()),
                _ => None,
            }
        });
        absent.map_or(Ok(0), |why| {
            Err(refused(format!("{why}, and new layers need constants in it; put it beside the model")))
        })
    }

    /// Lets an input read from another end.
    pub(super) fn connect(&mut self, net: usize, layer: usize, input: usize, end: End) {
        self.parts[net].sources[layer][input] = end;
    }

    /// Lets all that read from one end read from another, a new layer that reads the first itself.
    pub(super) fn redirect(&mut self, net: usize, from: End, to: End) {
        let part = &mut self.parts[net];
        let fresh = part.fresh.iter_mut().enumerate().filter(|(index, _)| End::New(*index) != to);
        let new = fresh.flat_map(|(_, fresh)| &mut fresh.inputs);
        for source in part.sources.iter_mut().flatten().chain(new).filter(|source| **source == from) {
            *source = to;
        }
    }

    /// Brings the recorded shapes of all ports up to date with what they read now.
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
                End::New(_) => true,
                End::Old(from, output) => {
                    let (old, port, _) = self.parts[net].links[layer][input];
                    (old, port) != (from, output) || self.parts[net].shapes.contains_key(&(from, true, output))
                }
            };
            if let (true, Some(shape)) = (overridden, self.shape(net, end)) {
                self.parts[net].shapes.insert((layer, false, input), shape);
                touched = true;
            }
        }
        if touched && let Some(shape) = result::of_layer(self, net, layer)? {
            let old = self.shape(net, End::Old(layer, 0));
            if old.is_none_or(|old| !compatible(&old, &shape)) {
                self.parts[net].shapes.insert((layer, true, 0), shape);
            }
        }
        Ok(())
    }

    /// Computes the shapes of the new layers behind an end again.
    fn renew(&mut self, net: usize, end: End) -> Result<(), Error> {
        let (mut chain, mut waiting) = (BTreeSet::new(), vec![end]);
        while let Some(end) = waiting.pop() {
            if let End::New(fresh) = end
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

    /// Returns a setting of a layer as it is now.
    pub(super) fn setting(&self, net: usize, layer: usize, key: &str) -> Option<String> {
        match self.parts[net].settings.get(&(layer, key.to_string())) {
            Some(set) => set.clone(),
            None => self.layer(net, layer).setting(key).map(str::to_string),
        }
    }
}

impl Fresh {
    /// Makes a layer; the draft gives id and shape.
    pub(super) fn of(kind: &str, opset: &str, name: String, inputs: Vec<End>) -> Self {
        Self {
            id: 0,
            name,
            kind: kind.to_string(),
            opset: opset.to_string(),
            settings: Vec::new(),
            inputs,
            element: None,
            shape: None,
            made: Made::Unknown,
            names: None,
        }
    }
}
