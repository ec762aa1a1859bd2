//! Parses the text of an IR into layers, ports and edges with their places; readers and writers start here.

use std::ops::Range;

use roxmltree::{Document, Node as Element, ParsingOptions};

use super::{XML_LIMITS, scan};
use crate::error::{Error, ErrorKind};

/// A net: the model itself, or the body of a layer.
pub(super) struct Net {
    pub(super) name: String,
    /// The net and the layer in it whose body this is.
    pub(super) owner: Option<(usize, usize)>,
    pub(super) layers: Vec<Layer>,
    pub(super) edges: Vec<Edge>,
}

/// A layer of the file.
pub(super) struct Layer {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) name_span: Option<Range<usize>>,
    pub(super) kind: String,
    pub(super) kind_span: Range<usize>,
    pub(super) opset: String,
    /// What `data` says.
    pub(super) settings: Vec<Setting>,
    /// Where further settings go: at the end of the attributes of `data`.
    pub(super) settings_end: Option<usize>,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    /// The nets that are its bodies, each under the name of its element.
    pub(super) bodies: Vec<(String, usize)>,
    pub(super) span: Range<usize>,
    /// The line that it begins on, from 1.
    pub(super) line: u64,
}

/// An attribute of `data`.
pub(super) struct Setting {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) value_span: Range<usize>,
    pub(super) span: Range<usize>,
}

/// A port of a layer.
pub(super) struct Port {
    pub(super) id: u64,
    pub(super) precision: Option<String>,
    pub(super) names: Option<String>,
    pub(super) names_span: Option<Range<usize>>,
    /// The extents; -1 is unknown. Empty for rank 0 and for an unknown rank.
    pub(super) dims: Vec<i64>,
    pub(super) dims_spans: Vec<Range<usize>>,
    pub(super) span: Range<usize>,
}

/// An edge: from layer and port, to layer and port.
pub(super) struct Edge {
    pub(super) from: (u64, u64),
    pub(super) to: (u64, u64),
    pub(super) from_spans: (Range<usize>, Range<usize>),
    pub(super) span: Range<usize>,
}

impl Layer {
    /// Returns what `data` says under a key.
    pub(super) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|setting| setting.key == key).map(|setting| setting.value.as_str())
    }

    /// Returns the place of the layer, for errors.
    pub(super) fn place(&self) -> String {
        place(self.id, &self.name)
    }
}

fn place(id: u64, name: &str) -> String {
    format!("layer {id} ({name})")
}

/// Parses the text into nets, the model itself first.
///
/// # Errors
/// [`ErrorKind::Format`] for XML that is broken or no IR of version 10 or 11, [`ErrorKind::Limit`] above [`XML_LIMITS`].
pub(super) fn nets(text: &str) -> Result<Vec<Net>, Error> {
    scan::scan(text)?;
    let nodes_limit = 4 * XML_LIMITS.elements as u32;
    let options = ParsingOptions { allow_dtd: false, nodes_limit, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| Error::format(format!("the XML is broken: {error}")))?;
    let root = document.root_element();
    checked(root)?;
    let line_ends: Vec<usize> = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let mut nets = Vec::new();
    let mut waiting = vec![(root, None, 0)];
    let mut next = 0;
    while let Some(&(element, owner, depth)) = waiting.get(next) {
        next += 1;
        let mut net = Net {
            name: element.attribute("name").unwrap_or("").to_string(),
            owner,
            layers: Vec::new(),
            edges: Vec::new(),
        };
        for element in children(element, "layers").flat_map(|layers| children(layers, "layer")) {
            let mut layer = Layer::of(element, &line_ends)?;
            for body in element.children().filter(|child| child.is_element() && has_layers(*child)) {
                if depth >= XML_LIMITS.bodies {
                    let message = format!("bodies are nested more than {} deep", XML_LIMITS.bodies);
                    return Err(Error::new(ErrorKind::Limit, message).at(layer.place()));
                }
                layer.bodies.push((body.tag_name().name().to_string(), waiting.len()));
                waiting.push((body, Some((next - 1, net.layers.len())), depth + 1));
            }
            net.layers.push(layer);
        }
        net.edges = children(element, "edges")
            .flat_map(|edges| children(edges, "edge"))
            .map(Edge::of)
            .collect::<Result<_, _>>()?;
        nets.push(net);
    }
    Ok(nets)
}

/// Rejects anything but a net of a supported version.
fn checked(root: Element<'_, '_>) -> Result<(), Error> {
    if !root.has_tag_name("net") {
        let name = root.tag_name().name();
        return Err(Error::format(format!("the outermost element is <{name}>; that of a model is <net>")));
    }
    match root.attribute("version") {
        Some("10" | "11") => {}
        other => {
            let message =
                format!("an IR of version {} is not supported; versions 10 and 11 are", other.unwrap_or("(none)"));
            return Err(Error::format(message));
        }
    }
    Ok(())
}

fn children<'a, 'i>(element: Element<'a, 'i>, name: &'static str) -> impl Iterator<Item = Element<'a, 'i>> {
    element.children().filter(move |child| child.has_tag_name(name))
}

fn has_layers(element: Element<'_, '_>) -> bool {
    children(element, "layers").next().is_some()
}

/// Returns the name of a layer, and where it is written.
fn named(element: Element<'_, '_>) -> (String, Option<Range<usize>>) {
    let name = element.attribute_node("name");
    name.map_or_else(Default::default, |name| (name.value().to_string(), Some(name.range_value())))
}

impl Setting {
    fn of(attribute: roxmltree::Attribute<'_, '_>) -> Self {
        Self {
            key: attribute.name().to_string(),
            value: attribute.value().to_string(),
            value_span: attribute.range_value(),
            span: attribute.range(),
        }
    }
}

impl Layer {
    fn of(element: Element<'_, '_>, line_ends: &[usize]) -> Result<Self, Error> {
        let id = whole(element, "id")?;
        let (name, name_span) = named(element);
        let (kind, kind_span) = wanted(element, "type").map_err(|error| error.at(place(id, &name)))?;
        let data = children(element, "data").next();
        let settings: Vec<Setting> = data.iter().flat_map(Element::attributes).map(Setting::of).collect();
        let ports = |list: &'static str| {
            let ports = children(element, list).flat_map(|ports| children(ports, "port"));
            let ports: Vec<Port> =
                ports.map(Port::of).collect::<Result<_, _>>().map_err(|error: Error| error.at(place(id, &name)))?;
            let mut ids: Vec<u64> = ports.iter().map(|port| port.id).collect();
            ids.sort_unstable();
            match ids.windows(2).find(|pair| pair[0] == pair[1]) {
                Some(pair) => {
                    Err(Error::format(format!("two of its {list} ports have the id {}", pair[0])).at(place(id, &name)))
                }
                None => Ok(ports),
            }
        };
        Ok(Self {
            id,
            kind: kind.to_string(),
            kind_span,
            opset: element.attribute("version").unwrap_or("").to_string(),
            settings_end: data
                .map(|data| settings.last().map_or(data.range().start + "<data".len(), |last| last.span.end)),
            settings,
            inputs: ports("input")?,
            outputs: ports("output")?,
            bodies: Vec::new(),
            line: 1 + line_ends.partition_point(|&end| end < element.range().start) as u64,
            span: element.range(),
            name_span,
            name,
        })
    }
}

impl Port {
    fn of(element: Element<'_, '_>) -> Result<Self, Error> {
        let id = whole(element, "id")?;
        let (mut dims, mut dims_spans) = (Vec::new(), Vec::new());
        for dim in children(element, "dim") {
            let text = dim.text().unwrap_or("").trim();
            let extent = text.parse().ok().filter(|&extent: &i64| extent >= -1).ok_or_else(|| {
                let message =
                    format!("port {id} has the dim '{text}'; it must be a whole number, or -1 for an unknown one");
                Error::format(message)
            })?;
            dims.push(extent);
            dims_spans.push(dim.range());
        }
        let names = element.attribute_node("names");
        Ok(Self {
            id,
            precision: element.attribute("precision").map(str::to_string),
            names: names.map(|names| names.value().to_string()),
            names_span: names.map(|names| names.range()),
            dims,
            dims_spans,
            span: element.range(),
        })
    }
}

impl Edge {
    fn of(element: Element<'_, '_>) -> Result<Self, Error> {
        let spans = (wanted(element, "from-layer")?.1, wanted(element, "from-port")?.1);
        Ok(Self {
            from: (whole(element, "from-layer")?, whole(element, "from-port")?),
            to: (whole(element, "to-layer")?, whole(element, "to-port")?),
            from_spans: spans,
            span: element.range(),
        })
    }
}

/// Returns a required attribute and the place of its value.
fn wanted<'a>(element: Element<'a, '_>, name: &str) -> Result<(&'a str, Range<usize>), Error> {
    let attribute = element
        .attribute_node(name)
        .ok_or_else(|| Error::format(format!("<{}> has no {name}", element.tag_name().name())).at(line(element)))?;
    Ok((attribute.value(), attribute.range_value()))
}

fn whole(element: Element<'_, '_>, name: &str) -> Result<u64, Error> {
    let (text, _) = wanted(element, name)?;
    text.parse().map_err(|_| {
        let message = format!("{name} of <{}> is '{text}'; it must be a whole number", element.tag_name().name());
        Error::format(message).at(line(element))
    })
}

fn line(element: Element<'_, '_>) -> String {
    let text = element.document().input_text();
    format!("line {}", scan::line(text.as_bytes(), element.range().start))
}
