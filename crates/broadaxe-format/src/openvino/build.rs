//! Builds the graph from layers.

use std::{collections::HashMap, num::IntErrorKind};

use broadaxe_frameworks::System;
use broadaxe_shape::{
    MAX_RANK,
    shape::elements,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    AXIS,
    element::{attribute, element, size},
    net::{Layer, Net, Port},
    order::{Links, links},
    rank::{Known, follows},
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Attribute, Constant, Data, Element, Graph, GraphId, Model, Node, NodeId, Value, ValueId, recorded},
    source::Source,
};

/// The places of a model's values and nodes in the nets.
#[derive(Default)]
pub(super) struct LayerPlaces {
    /// Net, layer and output port of every value.
    pub(super) values: Vec<(usize, usize, usize)>,
    /// Net and layer of every node.
    pub(super) nodes: Vec<(usize, usize)>,
}

/// Makes a model of nets.
///
/// # Errors
/// [`ErrorKind::Format`] for edges, constants and shapes that cannot be; [`ErrorKind::File`] where the weights are there
/// and cannot be opened.
pub(super) fn build(source: &Source, nets: &[Net]) -> Result<(Model, LayerPlaces), Error> {
    let mut model = Model::new("openvino", System::Openvino, source.clone());
    let missing = model.open_weights("bin")?;
    model.graphs = nets.iter().map(|net| Graph { name: net.name.clone(), ..Graph::default() }).collect();
    let mut build = GraphBuilder { model, places: LayerPlaces::default(), missing, opsets: Vec::new() };
    let mut owners: HashMap<(usize, usize), NodeId> = HashMap::new();
    for (index, net) in nets.iter().enumerate() {
        build.model.graphs[index].owner = net.owner.and_then(|owner| owners.get(&owner).copied());
        build.net(index, net, &mut owners)?;
    }
    build.opsets.sort();
    build.model.opsets = build.opsets;
    Ok((build.model, build.places))
}

struct GraphBuilder {
    model: Model,
    places: LayerPlaces,
    missing: String,
    opsets: Vec<(String, i64)>,
}

impl GraphBuilder {
    fn net(&mut self, index: usize, net: &Net, owners: &mut HashMap<(usize, usize), NodeId>) -> Result<(), Error> {
        let Links { sources, order } = links(net)?;
        let names = names(net);
        let mut values: Vec<Vec<ValueId>> = vec![Vec::new(); net.layers.len()];
        for &k in &order {
            let layer = &net.layers[k];
            let inputs: Vec<ValueId> = sources[k].iter().map(|&(from, output, _)| values[from][output]).collect();
            if layer.kind == "Result" && inputs.len() != 1 {
                let message = format!("a Result has {} inputs; it must have one", inputs.len());
                return Err(Error::format(message).at(layer.place()));
            }
            let node = !matches!(layer.kind.as_str(), "Const" | "Parameter" | "Result");
            let id = node.then_some(NodeId(self.model.nodes.len() as u32));
            let scalar = follows(layer, &self.known(&inputs));
            for output in 0..layer.outputs.len() {
                let name = match layer.outputs.len() {
                    1 => names[k].clone(),
                    _ => format!("{}:{output}", names[k]),
                };
                let producer = id.map(|id| (id, output));
                let value = self.value(layer, output, scalar).map_err(|error| error.at(layer.place()))?;
                values[k].push(ValueId(self.model.values.len() as u32));
                self.model.values.push(Value { name, graph: GraphId(index as u32), producer, ..value });
                self.places.values.push((index, k, output));
            }
            if let Some(id) = id {
                owners.insert((index, k), id);
                let node = self.node(layer)?;
                let (inputs, outputs) = (inputs.into_iter().map(Some), values[k].iter().copied().map(Some));
                let (inputs, outputs) = (inputs.collect(), outputs.collect());
                let (name, graph) = (names[k].clone(), GraphId(index as u32));
                self.model.nodes.push(Node { name, graph, inputs, outputs, ..node });
                self.places.nodes.push((index, k));
                self.model.graphs[index].nodes.push(id);
            }
        }
        self.ends(index, net, &sources, &values);
        Ok(())
    }

    /// Finds the inputs and outputs of a graph.
    fn ends(&mut self, index: usize, net: &Net, sources: &[Vec<(usize, usize, usize)>], values: &[Vec<ValueId>]) {
        let graph = &mut self.model.graphs[index];
        for (k, layer) in net.layers.iter().enumerate() {
            match layer.kind.as_str() {
                "Parameter" => graph.inputs.extend(values[k].first()),
                "Result" => graph.outputs.extend(sources[k].iter().map(|&(from, output, _)| values[from][output])),
                _ => {}
            }
        }
    }

    /// Reads an output of a layer; `scalar` says whether a port without dims is a scalar.
    fn value(&self, layer: &Layer, output: usize, scalar: bool) -> Result<Value, Error> {
        let port = &layer.outputs[output];
        let constant = if layer.kind == "Const" { Some(self.constant(layer)?) } else { None };
        let (element, declared) = match &constant {
            Some(constant) => (Some(constant.element.clone()), Some(SymbolicShape::from(constant.shape.as_slice()))),
            None => (element_of(layer, port), declared(layer, port, scalar)?),
        };
        Ok(Value { element, declared, constant, ..Value::default() })
    }

    fn known(&self, inputs: &[ValueId]) -> Vec<Known> {
        let known = |&id: &ValueId| {
            let value = self.model.value(id);
            let dims = value.declared.as_ref().and_then(SymbolicShape::dims);
            let sizes = dims.is_some_and(|dims| dims.iter().all(|dim| dim.size().is_some()));
            Known { rank: dims.is_some(), constant: value.constant.is_some(), sizes }
        };
        inputs.iter().map(known).collect()
    }

    /// Reads a layer as a node.
    fn node(&mut self, layer: &Layer) -> Result<Node, Error> {
        let version = layer.opset.strip_prefix("opset").and_then(|text| text.parse().ok()).unwrap_or(0);
        if !self.opsets.iter().any(|(name, _)| *name == layer.opset) {
            self.opsets.push((layer.opset.clone(), version));
        }
        let (mut attributes, remark) = attributes(layer)?;
        self.model.remarks.extend(remark);
        let bodies: Vec<GraphId> = layer.bodies.iter().map(|(_, net)| GraphId(*net as u32)).collect();
        let named = layer.bodies.iter().map(|(name, net)| (name.clone(), Attribute::Graph(GraphId(*net as u32))));
        attributes.extend(named);
        Ok(Node {
            domain: layer.opset.clone(),
            op: layer.kind.clone(),
            version,
            attributes,
            bodies,
            place: layer.place(),
            number: layer.id,
            line: Some(layer.line),
            ..Node::default()
        })
    }

    /// Reads a layer `Const` as a constant.
    fn constant(&self, layer: &Layer) -> Result<Constant, Error> {
        let wanted = |key: &str| layer.setting(key).ok_or_else(|| Error::format(format!("its data has no {key}")));
        let element = element(wanted("element_type")?);
        let text = wanted("shape")?.trim();
        let parts = text.split(',').map(str::trim).filter(|_| !text.is_empty());
        let shape = parts.map(str::parse).collect::<Result<Vec<usize>, _>>();
        let shape = shape.map_err(|error| {
            let large = *error.kind() == IntErrorKind::PosOverflow;
            let why = if large { "a size is more than an address can count" } else { "it must be whole numbers" };
            Error::format(format!("its shape is '{text}'; {why}"))
        })?;
        let count = elements(&shape).map_err(|error| Error::format(error.to_string()))?;
        let count = if shape.contains(&0) { 0 } else { count };
        let whole = |key: &str| {
            let text = wanted(key)?;
            text.parse::<u64>().map_err(|_| Error::format(format!("its {key} is '{text}'; it must be a whole number")))
        };
        let (at, len) = (whole("offset")?, whole("size")?);
        let end = at.checked_add(len);
        let end = end.ok_or_else(|| Error::format(format!("its {len} bytes from byte {at} end beyond 64 bits")))?;
        let shown = SymbolicShape::from(shape.as_slice());
        let need = size(&element, count);
        if let Some((need, _)) = need.filter(|&(need, exact)| len < need || exact && len > need) {
            let message = format!("it has {len} bytes, but {element} of shape {shown} needs {need}");
            return Err(Error::format(message));
        }
        let data = match &self.model.weights {
            Some(weights) if end > weights.len() => {
                let message = format!("its bytes end at {end}, but the file of weights at {}", weights.len());
                return Err(Error::format(message));
            }
            // A constant without elements still has a byte in files of OpenVINO.
            Some(_) => Data::Span { at, len: if count == 0 && need.is_some() { 0 } else { len } },
            None if count == 0 => Data::Held(Vec::new().into()),
            None => Data::Absent(self.missing.clone()),
        };
        Ok(Constant { element, shape, data })
    }
}

/// Names the layers of a net, so that no two share one.
fn names(net: &Net) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let name = |layer: &Layer| {
        let name = if seen.contains(&layer.name) { format!("{}#{}", layer.name, layer.id) } else { layer.name.clone() };
        seen.insert(name.clone());
        name
    };
    net.layers.iter().map(name).collect()
}

fn element_of(layer: &Layer, port: &Port) -> Option<Element> {
    let text = port.precision.as_deref().or_else(|| layer.setting("element_type"))?;
    (!matches!(text, "UNSPECIFIED" | "dynamic" | "DYNAMIC" | "undefined")).then(|| element(text))
}

/// Reads the shape that a port records; `scalar` says whether a port without dims is a scalar.
fn declared(layer: &Layer, port: &Port, scalar: bool) -> Result<Option<SymbolicShape>, Error> {
    if layer.kind == "Parameter"
        && let Some(text) = layer.setting("shape")
    {
        return parameter(text).map(Some);
    }
    if port.dims.is_empty() && !scalar {
        return Ok(None);
    }
    let dims: Vec<Dim> =
        port.dims.iter().map(|&dim| usize::try_from(dim).map_or_else(|_| Dim::unknown(), Dim::known)).collect();
    counted(dims).map(Some)
}

/// Reads the shape of a `Parameter`: `1,3,?,2..9`, `...` for an unknown rank, nothing for rank 0.
fn parameter(text: &str) -> Result<SymbolicShape, Error> {
    let text = text.trim();
    let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    match text {
        "" => return Ok(SymbolicShape::new(Vec::new())),
        "..." => return Ok(SymbolicShape::unknown_rank()),
        _ => {}
    }
    let dim = |part: &str| match part.trim() {
        "-1" => Ok(Dim::unknown()),
        part => part.parse(),
    };
    let dims = text.split(',').map(dim).collect::<Result<Vec<Dim>, broadaxe_shape::Error>>();
    counted(dims.map_err(|error| Error::format(error.to_string()))?)
}

/// Makes a shape, and rejects too many or too large extents.
fn counted(dims: Vec<Dim>) -> Result<SymbolicShape, Error> {
    if dims.len() > MAX_RANK {
        let message = format!("a port has {} dims; the largest rank is {MAX_RANK}", dims.len());
        return Err(Error::new(ErrorKind::Limit, message));
    }
    recorded(dims).map_err(|error| Error::format(error.to_string()))
}

type Attributes = Vec<(String, Attribute)>;

/// Reads the settings of a layer as attributes, and says what OpenVINO ignores among them.
fn attributes(layer: &Layer) -> Result<(Attributes, Option<String>), Error> {
    let mode = layer.setting("auto_broadcast").map(str::to_ascii_lowercase);
    if let Some(mode) = mode.as_deref().filter(|mode| !matches!(*mode, "none" | "explicit" | "numpy" | "pdpd")) {
        let message = format!("auto_broadcast is '{mode}'; it can be none, numpy or pdpd");
        return Err(Error::format(message).at(layer.place()));
    }
    let ignored = mode.is_some() && layer.setting("axis").is_some();
    let plain = layer.settings.iter().filter(|setting| setting.key != AXIS && !(ignored && setting.key == "axis"));
    let mut attributes: Vec<_> = plain.map(|setting| (setting.key.clone(), attribute(&setting.value))).collect();
    if mode.as_deref() == Some("pdpd") {
        let axis = match layer.setting(AXIS).map(attribute) {
            None => 0,
            Some(Attribute::Int(axis)) => axis,
            Some(_) => {
                return Err(Error::format(format!("{AXIS} is not a whole number")).at(layer.place()));
            }
        };
        attributes.push(("axis".to_string(), Attribute::Int(axis)));
    }
    let remark = format!("{}: OpenVINO ignores the attribute axis; it reads {AXIS}", layer.place());
    Ok((attributes, ignored.then_some(remark)))
}
