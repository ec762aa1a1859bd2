//! A call under way: operands and attributes checked against a row, and the means to build nodes.

use broadaxe_kernels::{DType, System};
use broadaxe_shape::{Params, Rule};

use super::{
    Arg, Attribute, constant, emit, nearest, newest_opset, operators,
    row::{Build, Row, Values, Way},
};
use crate::{
    error::{Error, ErrorKind},
    graph::{Graph, Node},
    promote::Literal,
};

/// A call whose operands are nodes of the dtypes that the row takes.
pub(super) struct Call<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) nodes: Vec<Node>,
    /// The dtype that the operands with the letter `T` share.
    pub(super) dtype: DType,
    pub(super) opset: i64,
    row: &'static Row,
    numbers: bool,
    attributes: Vec<(&'static str, &'a Attribute)>,
}

/// Runs a call; the name is known.
pub(super) fn run(
    graph: &mut Graph,
    system: System,
    name: &str,
    args: &[Arg],
    attributes: &[(&str, Attribute)],
) -> Result<Node, Error> {
    let (row, opset, title) = find(system, name, attributes)?;
    count(row, &title, args.len())?;
    let attributes = known(row, &title, system, attributes)?;
    let dtype = dtype(graph, system, row, &title, args)?;
    build(graph, row, opset, dtype, args, attributes).map_err(|error| error.within(&title))
}

/// Makes nodes of the operands and builds what the row says.
fn build(
    graph: &mut Graph,
    row: &'static Row,
    opset: i64,
    dtype: DType,
    args: &[Arg],
    attributes: Vec<(&'static str, &Attribute)>,
) -> Result<Node, Error> {
    let mut nodes = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        let at = match row.letter(index) {
            b'B' => DType::Bool,
            b'S' if !row.second.contains(&dtype) => row.second[0],
            _ => dtype,
        };
        nodes.push(match arg {
            Arg::Node(node) => *node,
            Arg::Weak(literal) => constant(graph, *literal, at)?,
        });
    }
    let numbers = args.iter().any(|arg| matches!(arg, Arg::Weak(_)));
    let mut call = Call { graph, nodes: nodes.clone(), dtype, opset, row, numbers, attributes };
    match row.build {
        Build::Op(_) if nodes.len() == 1 && row.operands().1 > 1 => Ok(nodes[0]),
        Build::Op(op) => call.apply(op, &nodes),
        Build::Kinds(float, _) if dtype.is_float() => call.apply(float, &nodes),
        Build::Kinds(_, integer) => call.apply(integer, &nodes),
        Build::Nodes(_, build) => build(&mut call),
    }
}

/// Finds the row that holds at the opset asked for, and the words that name it in errors.
fn find(system: System, name: &str, attributes: &[(&str, Attribute)]) -> Result<(&'static Row, i64, String), Error> {
    let newest = newest_opset(system);
    let opset = match (attributes.iter().find(|(key, _)| *key == "opset"), newest) {
        (Some((_, Attribute::Int(opset))), Some(newest)) if (1..=newest).contains(opset) => *opset,
        (Some((_, value)), Some(newest)) => {
            let message = format!("opset={value} is no opset of {}; they go from 1 to {newest}", system.name());
            return Err(Error::new(ErrorKind::Argument, message));
        }
        (_, newest) => newest.unwrap_or(0),
    };
    let title = match newest {
        Some(_) => format!("{}.{name} of opset {opset}", system.name()),
        None => format!("{}.{name}", system.name()),
    };
    let rows = || operators(system).filter(|row| row.name() == name);
    let row = rows().filter(|row| row.since() <= opset).max_by_key(|row| row.since());
    row.map(|row| (row, opset, title)).ok_or_else(|| {
        let first = rows().map(Row::since).min().unwrap_or(0);
        Error::new(ErrorKind::Argument, format!("{}.{name} first appears in opset {first}", system.name()))
    })
}

fn count(row: &Row, title: &str, given: usize) -> Result<(), Error> {
    let (least, most) = row.operands();
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let takes = match (least, most) {
        (1, 1) => "1 operand".to_string(),
        (least, most) if least == most => format!("{least} operands"),
        (least, usize::MAX) => format!("at least {least} operand"),
        (least, most) => format!("{least} to {most} operands"),
    };
    Err(Error::new(ErrorKind::Argument, format!("{title} takes {takes}, not {given}")))
}

/// Checks names and kinds of the attributes; one without a name is the row's first.
fn known<'a>(
    row: &'static Row,
    title: &str,
    system: System,
    attributes: &'a [(&str, Attribute)],
) -> Result<Vec<(&'static str, &'a Attribute)>, Error> {
    let mut found = Vec::new();
    for (key, value) in attributes {
        if *key == "opset" && newest_opset(system).is_some() {
            continue;
        }
        let attr = match *key {
            "" => row.attributes().first().copied(),
            key => row.all_attributes().find(|attr| attr.name == key),
        };
        let Some(attr) = attr else {
            let names: Vec<&str> = row.all_attributes().map(|attr| attr.name).collect();
            let takes = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            let near = nearest(key, names.iter().copied());
            let what = if key.is_empty() { format!("no value {value}") } else { format!("no attribute '{key}'") };
            return Err(Error::new(
                ErrorKind::Argument,
                format!("{title} takes {what}; its attributes: {takes}{near}"),
            ));
        };
        if let Some(wants) = wanted(attr.values, value) {
            let message = format!("{title}: {}={value} should be {wants}", attr.name);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        found.push((attr.name, value));
    }
    let absent =
        row.all_attributes().find(|attr| attr.default.is_empty() && !found.iter().any(|(name, _)| *name == attr.name));
    match absent {
        Some(attr) => Err(Error::new(ErrorKind::Argument, format!("{title} needs the attribute {}", attr.name))),
        None => Ok(found),
    }
}

/// Says what an attribute takes, where this value is not of its kind.
fn wanted(values: Values, value: &Attribute) -> Option<String> {
    match (values, value) {
        (Values::Int, Attribute::Int(_))
        | (Values::Flag, Attribute::Bool(_) | Attribute::Int(0 | 1))
        | (Values::Float, Attribute::Int(_) | Attribute::Float(_))
        | (Values::Ints, Attribute::Ints(_))
        | (Values::DType, Attribute::Int(_) | Attribute::Text(_)) => None,
        (Values::Words(words), Attribute::Text(text)) if words.contains(&text.as_str()) => None,
        (Values::Words(words), _) => Some(format!("one of \"{}\"", words.join("\", \""))),
        (Values::Int, _) => Some("a whole number".to_string()),
        (Values::Flag, _) => Some("True or False".to_string()),
        (Values::Float, _) => Some("a number".to_string()),
        (Values::Ints, _) => Some("a list of whole numbers".to_string()),
        (Values::DType, _) => Some("the name of a dtype".to_string()),
    }
}

/// Returns the dtype that the operands share, after checking each against the row.
fn dtype(graph: &Graph, system: System, row: &Row, title: &str, args: &[Arg]) -> Result<DType, Error> {
    let mut shared: Option<(usize, DType)> = None;
    for (index, arg) in args.iter().enumerate() {
        let Arg::Node(node) = arg else { continue };
        let dtype = graph.dtype(*node);
        let fail = |message: String| Err(Error::new(ErrorKind::DType, format!("{title}: {message}")));
        match (row.letter(index), shared) {
            (b'X', _) => {}
            (b'B', _) if dtype == DType::Bool => {}
            (b'B', _) => return fail(format!("operand {index} is {dtype}; it must be bool; cast it or compare it")),
            (b'S', _) if row.second.contains(&dtype) => {}
            (b'S', _) => return fail(format!("operand {index} is {dtype}; it takes {}", list(row.second))),
            (_, Some((first, other))) if other != dtype => {
                return fail(format!(
                    "operand {first} is {other} and operand {index} is {dtype}; the dtypes must be equal; \
                     cast one of them with cast(x, \"{other}\") or cast(x, \"{dtype}\")"
                ));
            }
            _ if row.dtypes().contains(&dtype) => shared = shared.or(Some((index, dtype))),
            _ => {
                let later = operators(system)
                    .find(|later| {
                        later.name() == row.name() && later.since() > row.since() && later.dtypes().contains(&dtype)
                    })
                    .map_or(String::new(), |later| format!("; opset {} and newer take it", later.since()));
                return fail(format!("operand {index} is {dtype}; it takes {}{later}", list(row.dtypes())));
            }
        }
    }
    shared.map(|(_, dtype)| dtype).ok_or_else(|| {
        Error::new(ErrorKind::DType, format!("{title}: numbers alone have no dtype; give one operand as an array"))
    })
}

/// Makes an error about a call; who was called is said before it.
pub(super) fn refuse<T>(kind: ErrorKind, message: &str) -> Result<T, Error> {
    Err(Error::new(kind, message))
}

fn list(dtypes: &[DType]) -> String {
    dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}

impl Call<'_> {
    fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Returns a whole number, if given.
    pub(super) fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name) {
            Some(Attribute::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// Returns a flag, or its default.
    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        match self.attribute(name) {
            Some(Attribute::Bool(value)) => *value,
            Some(Attribute::Int(value)) => *value != 0,
            _ => default,
        }
    }

    /// Returns a number, if given.
    pub(super) fn float(&self, name: &str) -> Option<f64> {
        match self.attribute(name) {
            Some(Attribute::Float(value)) => Some(*value),
            Some(Attribute::Int(value)) => Some(*value as f64),
            _ => None,
        }
    }

    /// Returns a text, if given.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.attribute(name) {
            Some(Attribute::Text(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a list, if given.
    pub(super) fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.attribute(name) {
            Some(Attribute::Ints(values)) => Some(values),
            _ => None,
        }
    }

    /// Returns the rule of this call, from its attributes.
    pub(super) fn rule(&self) -> Result<Rule, Error> {
        let plain = |name: &str| Ok(Rule::new(name, Params::default())?);
        let with_axis = |name: &str, axis| Ok(Rule::new(name, Params { axis, ..Params::default() })?);
        if self.nodes.len() == 1 {
            return Ok(Rule::numpy());
        }
        match self.row.way {
            Way::Alone | Way::Mode(_) => Ok(Rule::numpy()),
            // ncnn has no rank 0; a number goes in as the scalar of the layer.
            Way::Rule("ncnn") if self.numbers => Ok(Rule::numpy()),
            Way::Rule(name) => plain(name),
            Way::Legacy if self.flag("broadcast", false) => with_axis("onnx-legacy", self.int("axis")),
            Way::Legacy if self.int("axis").is_some() => {
                refuse(ErrorKind::Argument, "axis has no effect without broadcast=1")
            }
            Way::Legacy => plain("none"),
            Way::Paddle => with_axis("paddle", Some(self.int("axis").unwrap_or(-1))),
            Way::Auto => {
                let axis = self.int("axis").or(self.int("auto_broadcast_axis"));
                match self.text("auto_broadcast") {
                    Some("pdpd") => Ok(Rule::pdpd(axis.unwrap_or(-1))),
                    _ if axis.is_some() => refuse(ErrorKind::Argument, "axis needs auto_broadcast=\"pdpd\""),
                    Some("none" | "explicit") => plain("none"),
                    _ => Ok(Rule::numpy()),
                }
            }
        }
    }

    /// Adds one of our operators under the rule of this call.
    pub(super) fn apply(&mut self, op: &str, nodes: &[Node]) -> Result<Node, Error> {
        let rule = self.rule()?;
        emit(self.graph, op, &rule, nodes)
    }

    /// Adds one of our operators on nodes of one shape, or constants.
    pub(super) fn point(&mut self, op: &str, nodes: &[Node]) -> Result<Node, Error> {
        emit(self.graph, op, &Rule::numpy(), nodes)
    }

    /// Adds a constant of the dtype of this call.
    pub(super) fn number(&mut self, value: f64) -> Result<Node, Error> {
        let literal = if self.dtype.is_float() { Literal::Float(value) } else { Literal::Int(value as i128) };
        constant(self.graph, literal, self.dtype)
    }

    /// Reads a list as a shape.
    pub(super) fn shape(&self, name: &str) -> Result<Vec<usize>, Error> {
        let dims = self.ints(name).unwrap_or_default();
        let shape: Option<Vec<usize>> = dims.iter().map(|dim| usize::try_from(*dim).ok()).collect();
        match shape {
            Some(shape) => Ok(shape),
            None => refuse(ErrorKind::Argument, &format!("{name}={dims:?} has a negative dim; dims are literal")),
        }
    }
}
