//! Programs of the new representation, in JSON: blocks of operations, values by number.

use std::{collections::HashMap, ops::Range};

use broadaxe_frameworks::System;
use broadaxe_shape::{
    MAX_RANK,
    symbolic::{Dim, SymbolicShape},
};

use super::{
    PROGRAM_LIMITS, element,
    json::{Json, Kind, parse},
    params,
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Attribute, Constant, Data, Element, Graph, GraphId, Model, Node, NodeId, Value, ValueId, recorded},
    source::Source,
};

/// Dialects by the number that files give them.
const DIALECTS: &[(&str, &str)] =
    &[("0", "builtin"), ("1", "pd_op"), ("2", "cf"), ("3", "custom_op"), ("4", "pd_dist")];

/// The places of values and nodes in the file.
#[derive(Default)]
pub(super) struct PirPlaces {
    /// The number of every value, and the place of its type.
    pub(super) values: Vec<(i64, Range<usize>)>,
    /// The place of every node, and of each of its operands.
    pub(super) nodes: Vec<(Range<usize>, Vec<Range<usize>>)>,
    /// Where outputs of graphs are read, in the order of the graphs.
    pub(super) outputs: Vec<(GraphId, Range<usize>)>,
    /// The greatest number of a value.
    pub(super) last: i64,
}

/// Reads a program.
///
/// # Errors
/// [`ErrorKind::Format`] for JSON that is broken or no program, and for values that nothing makes; [`ErrorKind::Limit`]
/// above the limits.
pub(super) fn read(source: &Source) -> Result<(Model, PirPlaces), Error> {
    let text = source.text(PROGRAM_LIMITS.bytes)?;
    let json = parse(&text)?;
    let base = json.wanted("base_code")?;
    if base.get("magic").and_then(Json::text) != Some("pir") {
        return Err(Error::format("the magic word is not \"pir\", so this is not a program of Paddle").at(base.place()));
    }
    let mut model = Model::new("paddle", System::Paddle, source.clone());
    model.opsets.push(("pir".to_string(), base.get("version").and_then(Json::int).unwrap_or(0)));
    let missing = model.open_weights("pdiparams")?;
    let mut read = PirReader {
        text: &text,
        model,
        places: PirPlaces::default(),
        scopes: Vec::new(),
        parameters: Vec::new(),
        missing,
    };
    let regions = json.wanted("program")?.wanted("regions")?.items();
    let blocks: Vec<&Json> =
        regions.iter().flat_map(|region| region.get("blocks").map_or(&[][..], Json::items)).collect();
    let [block] = blocks.as_slice() else {
        return Err(Error::format(format!("the program has {} blocks; it must have one", blocks.len())));
    };
    read.block(GraphId(0), block, 0)?;
    params::fill(&mut read.model, read.parameters)?;
    Ok((read.model, read.places))
}

struct PirReader<'t> {
    text: &'t str,
    model: Model,
    places: PirPlaces,
    /// Values that can be read, by number: those of the blocks around, and of this one.
    scopes: Vec<HashMap<i64, ValueId>>,
    parameters: Vec<params::Parameter>,
    missing: String,
}

impl PirReader<'_> {
    /// Reads a block into a graph. Blocks inside are read by the same function, to a limit.
    fn block(&mut self, graph: GraphId, block: &Json, depth: usize) -> Result<(), Error> {
        if depth > PROGRAM_LIMITS.blocks {
            let message = format!("blocks are nested more than {} deep", PROGRAM_LIMITS.blocks);
            return Err(Error::new(ErrorKind::Limit, message).at(block.place()));
        }
        self.scopes.push(HashMap::new());
        for argument in block.get("args").map_or(&[][..], Json::items) {
            let id = argument.wanted("#")?;
            if let Some(value) = self.make(graph, id, argument, None)? {
                self.model.graphs[graph.0 as usize].inputs.push(value);
            }
        }
        for (number, op) in block.wanted("ops")?.items().iter().enumerate() {
            self.op(graph, (number, op), depth).map_err(|error| error.at(op.place()))?;
        }
        self.scopes.pop();
        Ok(())
    }

    /// Makes a value of an entry with a type; `None` for an empty entry.
    fn make(
        &mut self,
        graph: GraphId,
        id: &Json,
        entry: &Json,
        producer: Option<(NodeId, usize)>,
    ) -> Result<Option<ValueId>, Error> {
        let number =
            id.int().ok_or_else(|| Error::format("the number of a value is not a whole number").at(id.place()))?;
        let kind = entry.wanted("TT")?;
        if kind.get("#").and_then(Json::text).is_none_or(|kind| kind == "NULL") {
            return Ok(None);
        }
        let (element, declared) = tensor(kind)?;
        if number > 0 && self.find(number).is_some() {
            let message = format!("the value %{number} is computed a second time; numbers of values are unique");
            return Err(Error::format(message).at(entry.place()));
        }
        let name = format!("%{number}");
        let value = ValueId(self.model.values.len() as u32);
        self.model.values.push(Value { name, graph, element, declared, producer, ..Value::default() });
        self.places.values.push((number, kind.span.clone()));
        self.places.last = self.places.last.max(number);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(number, value);
        }
        Ok(Some(value))
    }

    fn find(&self, number: i64) -> Option<ValueId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&number)).copied()
    }

    fn operand(&self, operand: &Json) -> Result<Option<ValueId>, Error> {
        let id = operand.wanted("%")?;
        let number =
            id.int().ok_or_else(|| Error::format("the number of a value is not a whole number").at(id.place()))?;
        match self.find(number) {
            None if number != 0 => {
                Err(Error::format(format!("the value %{number} is read, but no earlier operation computes it"))
                    .at(id.place()))
            }
            found => Ok(found),
        }
    }

    fn op(&mut self, graph: GraphId, (number, op): (usize, &Json), depth: usize) -> Result<(), Error> {
        let kind = op.wanted("#")?;
        let kind =
            kind.text().ok_or_else(|| Error::format("the name of an operation is not a text").at(kind.place()))?;
        let inputs = op.get("I").map_or(&[][..], Json::items);
        match kind {
            "p" => return self.parameter(graph, op),
            "1.data" | "1.feed" => return self.input(graph, op),
            "1.fetch" | "0.shadow_output" | "2.yield" => return self.output(graph, op),
            _ => {}
        }
        let id = NodeId(self.model.nodes.len() as u32);
        let inputs_of = inputs.iter().map(|operand| self.operand(operand)).collect::<Result<_, _>>()?;
        let mut node = Node { number: number as u64, ..self.node(graph, kind, op, inputs_of)? };
        // The node gets its number before those of its blocks.
        self.model.nodes.push(node.clone());
        self.model.graphs[graph.0 as usize].nodes.push(id);
        self.places.nodes.push((op.span.clone(), inputs.iter().map(|operand| operand.span.clone()).collect()));
        node.bodies = self.bodies(id, op, depth)?;
        let named = node.bodies.iter().enumerate().map(|(k, body)| (format!("block_{k}"), Attribute::Graph(*body)));
        node.attributes.extend(named);
        for (index, output) in op.get("O").map_or(&[][..], Json::items).iter().enumerate() {
            let value = self.make(graph, output.wanted("%")?, output, Some((id, index)))?;
            node.outputs.push(value);
        }
        node.name = match node.outputs.first() {
            Some(Some(value)) => format!("{}({})", node.op, self.model.value(*value).name),
            _ => format!("{} at {}", node.op, op.place()),
        };
        if let (Some(value), Some(constant)) = (node.output(0), constant(&node)) {
            self.model.values[value.0 as usize].constant = Some(constant);
        }
        self.model.nodes[id.0 as usize] = node;
        Ok(())
    }

    /// Reads the blocks inside an operation.
    fn bodies(&mut self, id: NodeId, op: &Json, depth: usize) -> Result<Vec<GraphId>, Error> {
        let mut bodies = Vec::new();
        for region in op.get("regions").map_or(&[][..], Json::items) {
            for block in region.get("blocks").map_or(&[][..], Json::items) {
                let body = GraphId(self.model.graphs.len() as u32);
                let name = block.get("#").and_then(Json::text).unwrap_or("").to_string();
                self.model.graphs.push(Graph { name, owner: Some(id), ..Graph::default() });
                self.block(body, block, depth + 1)?;
                bodies.push(body);
            }
        }
        Ok(bodies)
    }

    /// Reads the outputs of a block.
    fn output(&mut self, graph: GraphId, op: &Json) -> Result<(), Error> {
        for operand in op.get("I").map_or(&[][..], Json::items) {
            if let Some(value) = self.operand(operand)? {
                self.model.graphs[graph.0 as usize].outputs.push(value);
                self.places.outputs.push((graph, operand.span.clone()));
            }
        }
        let outputs = op.get("O").map_or(&[][..], Json::items).iter();
        let numbers = outputs.filter_map(|output| output.get("%").and_then(Json::int));
        self.places.last = numbers.fold(self.places.last, i64::max);
        Ok(())
    }

    fn node(&self, graph: GraphId, kind: &str, op: &Json, inputs: Vec<Option<ValueId>>) -> Result<Node, Error> {
        let (dialect, name) = kind.split_once('.').unwrap_or(("", kind));
        let domain = DIALECTS.iter().find(|row| row.0 == dialect).map_or(dialect, |row| row.1);
        let attribute = |entry: &Json| {
            let name = entry.wanted("N")?;
            let name =
                name.text().ok_or_else(|| Error::format("the name of an attribute is not a text").at(name.place()))?;
            Ok((name.to_string(), self.attribute(entry.wanted("AT")?)))
        };
        let attributes =
            op.get("A").map_or(&[][..], Json::items).iter().map(attribute).collect::<Result<_, Error>>()?;
        Ok(Node {
            graph,
            domain: domain.to_string(),
            op: name.to_string(),
            attributes,
            inputs,
            place: format!("{kind} at {}", op.place()),
            ..Node::default()
        })
    }

    /// Reads an attribute; one of an unknown kind is kept as text.
    fn attribute(&self, json: &Json) -> Attribute {
        let other = || Attribute::Other(self.text[json.span.clone()].chars().take(200).collect());
        let Some(data) = json.get("D") else { return other() };
        let kind = json.get("#").and_then(Json::text).and_then(|kind| kind.split_once('.')).map_or("", |kind| kind.1);
        let small = data.items().len() <= PROGRAM_LIMITS.list;
        let ints = |list: &mut dyn Iterator<Item = &Json>| list.map(Json::int).collect::<Option<Vec<_>>>();
        let found = match (kind, &data.kind) {
            ("a_array", Kind::List(items)) if small => {
                let parts = || items.iter().filter_map(|item| item.get("D"));
                let floats = || parts().map(Json::float).collect::<Option<Vec<_>>>().map(Attribute::Floats);
                let texts =
                    || parts().map(|part| part.text().map(str::to_string)).collect::<Option<_>>().map(Attribute::Texts);
                ints(&mut parts())
                    .filter(|list| list.len() == items.len())
                    .map(Attribute::Ints)
                    .or_else(floats)
                    .or_else(texts)
            }
            ("a_intarray", _) if small => ints(&mut data.items().iter()).map(Attribute::Ints),
            (_, Kind::Number(_)) if kind.starts_with("a_f") => data.float().map(Attribute::Float),
            (_, Kind::Number(_)) => data.int().map(Attribute::Int).or_else(|| data.float().map(Attribute::Float)),
            (_, Kind::Bool(value)) => Some(Attribute::Text(value.to_string())),
            (_, Kind::Text(text)) => Some(Attribute::Text(text.clone())),
            _ => None,
        };
        found.unwrap_or_else(other)
    }

    /// Reads a parameter: a value with a name and a shape, its bytes in another file.
    fn parameter(&mut self, graph: GraphId, op: &Json) -> Result<(), Error> {
        let output = op.wanted("O")?;
        let Some(value) = self.make(graph, output.wanted("%")?, output, None)? else { return Ok(()) };
        let name = op.wanted("A")?.items().iter().rev().find_map(Json::text);
        let name = name.ok_or_else(|| Error::format("a parameter has no name"))?.to_string();
        let index = value.0 as usize;
        let value = &mut self.model.values[index];
        value.constant = params::constant(value, &self.missing);
        self.parameters.push((name.clone(), index));
        value.name = name;
        Ok(())
    }

    /// Reads an input of the program.
    fn input(&mut self, graph: GraphId, op: &Json) -> Result<(), Error> {
        let named = |entry: &Json| {
            (entry.get("N")?.text()? == "name").then(|| entry.get("AT")?.get("D")?.text().map(str::to_string))?
        };
        let name = op.get("A").map_or(&[][..], Json::items).iter().find_map(named);
        for output in op.wanted("O")?.items() {
            let Some(value) = self.make(graph, output.wanted("%")?, output, None)? else { continue };
            self.model.graphs[graph.0 as usize].inputs.push(value);
            if let Some(name) = &name {
                self.model.values[value.0 as usize].name.clone_from(name);
            }
        }
        Ok(())
    }
}

/// Reads a type: of what elements, and of which shape if it is a tensor.
fn tensor(kind: &Json) -> Result<(Option<Element>, Option<SymbolicShape>), Error> {
    let word = |json: &Json| {
        json.get("#").and_then(Json::text).and_then(|text| text.split_once('.')).map(|pair| pair.1.to_string())
    };
    let data = kind.get("D").map_or(&[][..], Json::items);
    let (Some("t_dtensor"), [element, dims, ..]) = (word(kind).as_deref(), data) else { return Ok((None, None)) };
    let element = word(element).and_then(|word| word.strip_prefix("t_").map(element::named));
    let dim = |json: &Json| {
        let extent = json.int().filter(|&extent| extent >= -1);
        let wrong = || Error::format("an extent must be a whole number, or -1 for an unknown one").at(json.place());
        extent.map(|extent| usize::try_from(extent).map_or_else(|_| Dim::unknown(), Dim::known)).ok_or_else(wrong)
    };
    if dims.items().len() > MAX_RANK {
        let message = format!("a tensor has {} dims; the largest rank is {MAX_RANK}", dims.items().len());
        return Err(Error::new(ErrorKind::Limit, message).at(dims.place()));
    }
    let list = dims.items().iter().map(dim).collect::<Result<Vec<Dim>, Error>>()?;
    let shape = recorded(list).map_err(|error| Error::format(error.to_string()).at(dims.place()))?;
    Ok((element, Some(shape)))
}

/// Returns the elements of an operation without operands, if they are whole numbers.
fn constant(node: &Node) -> Option<Constant> {
    let values = match node.op.as_str() {
        "full_int_array" => node.attribute("value")?.ints()?.to_vec(),
        _ => return None,
    };
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let element = element::named("i64");
    let typed = node.attribute("dtype").and_then(Attribute::text) == Some("int64");
    typed.then(|| Constant { element, shape: vec![values.len()], data: Data::Held(bytes.into()) })
}
