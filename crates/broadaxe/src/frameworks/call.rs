//! A call under way: operands and attributes checked against a row, and the means to build nodes.

use broadaxe_frameworks::{Arithmetic, Attribute, Attributes, OperandType, Row, RuleBy, called, operators};
use broadaxe_kernels::{DType, OpId};
use broadaxe_shape::{Rule, Shape};

use super::{Arg, constant, emit, emit_op, layers, nearest, recipes, steps};
use crate::{
    System,
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
    /// Takes the place of the row's rule.
    rule: Option<Rule>,
    attributes: Vec<(&'static str, &'a Attribute)>,
}

impl Attributes for Call<'_> {
    fn get(&self, name: &str) -> Option<Attribute> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).clone())
    }
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
    let numbers = args.iter().any(|arg| matches!(arg, Arg::Weak(_)));
    let mut call =
        Call { graph, nodes: Vec::with_capacity(args.len()), dtype, opset, row, numbers, rule: None, attributes };
    if row.system() == System::Ncnn {
        layers::check(call.graph, row, args, &call)?;
    }
    for (index, arg) in args.iter().enumerate() {
        let at = match row.operand(index) {
            OperandType::Bool => DType::Bool,
            OperandType::OneOf(dtypes) if !dtypes.contains(&dtype) => dtypes[0],
            _ => dtype,
        };
        call.nodes.push(match arg {
            Arg::Node(node) => *node,
            Arg::Weak(literal) => constant(call.graph, *literal, at)?,
        });
    }
    call.with_scalar()?;
    call.build()
}

/// Adds the arithmetic of an operator to nodes of one shape, whatever the rule is by which it broadcasts.
///
/// # Errors
/// [`ErrorKind::Argument`] where the arithmetic is not defined for these attributes and dtypes; [`ErrorKind::DType`] where
/// no kernel takes them.
///
/// ```
/// use broadaxe::{DType, Graph, System, frameworks};
/// let mut graph = Graph::new();
/// let (a, b) = (graph.input(DType::F32, &[3])?, graph.input(DType::F32, &[3])?);
/// let row = frameworks::find(System::Onnx, "Add", 6).expect("in the table");
/// let sum = frameworks::apply(&mut graph, row, 6, &[a, b], &[])?;
/// assert_eq!(graph.shape(sum), [3]);
/// # Ok::<(), broadaxe::Error>(())
/// ```
pub fn apply(
    graph: &mut Graph,
    row: &'static Row,
    opset: i64,
    nodes: &[Node],
    attributes: &[(&'static str, Attribute)],
) -> Result<Node, Error> {
    let shared = (0..nodes.len()).find(|&at| matches!(row.operand(at), OperandType::Shared(_)));
    let Some(&first) = shared.and_then(|at| nodes.get(at)) else {
        return refuse(ErrorKind::Argument, "it has no operand");
    };
    let dtype = graph.dtype(first);
    let attributes = attributes.iter().map(|(name, value)| (*name, value)).collect();
    let rule = Some(Rule::numpy());
    Call { graph, nodes: nodes.to_vec(), dtype, opset, row, numbers: false, rule, attributes }.build()
}

/// Finds the row that holds at the opset asked for, and the words that name it in errors.
fn find(system: System, name: &str, attributes: &[(&str, Attribute)]) -> Result<(&'static Row, i64, String), Error> {
    let newest = system.newest_opset();
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
    let row = broadaxe_frameworks::find(system, name, opset);
    row.map(|row| (row, opset, title)).ok_or_else(|| {
        let first = called(system, name).first().map_or(0, |row| row.since());
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
        (1, usize::MAX) => "at least 1 operand".to_string(),
        (least, usize::MAX) => format!("at least {least} operands"),
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
        if *key == "opset" && system.newest_opset().is_some() {
            continue;
        }
        let attr = match *key {
            "" => row.attributes().first().copied(),
            key => row.attribute(key),
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
        if let Some(wants) = attr.values.wanted(value) {
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

/// Returns the dtype that the operands share, after checking each against the row.
fn dtype(graph: &Graph, system: System, row: &Row, title: &str, args: &[Arg]) -> Result<DType, Error> {
    let mut shared: Option<(usize, DType)> = None;
    for (index, arg) in args.iter().enumerate() {
        let Arg::Node(node) = arg else { continue };
        let dtype = graph.dtype(*node);
        let fail = |message: String| Err(Error::new(ErrorKind::DType, format!("{title}: {message}")));
        match (row.operand(index), shared) {
            (OperandType::Any, _) => {}
            (OperandType::Bool, _) if dtype == DType::Bool => {}
            (OperandType::Bool, _) => {
                return fail(format!("operand {index} is {dtype}; it must be bool; cast it or compare it"));
            }
            (OperandType::OneOf(dtypes), _) if dtypes.contains(&dtype) => {}
            (OperandType::OneOf(dtypes), _) => {
                return fail(format!("operand {index} is {dtype}; it takes {}", list(dtypes)));
            }
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
    /// Builds what the row says.
    fn build(mut self) -> Result<Node, Error> {
        let choice = self.row.arithmetic(self.dtype, &self).map_err(|why| Error::new(ErrorKind::Argument, why))?;
        if let Some(cast) = choice.cast {
            for node in &mut self.nodes {
                *node = self.graph.cast(*node, cast);
            }
        }
        if choice.swapped {
            self.nodes.reverse();
        }
        let nodes = self.nodes.clone();
        match choice.arithmetic {
            Arithmetic::Copy => Ok(nodes[0]),
            Arithmetic::Op(_) if nodes.len() == 1 && self.row.operands().1 > 1 => Ok(nodes[0]),
            Arithmetic::Op(op) => self.apply(op, &nodes),
            Arithmetic::Steps(ops) => steps(self.graph, ops, &self.rule()?, &nodes),
            Arithmetic::Recipe(recipe) => recipes::build(&mut self, recipe),
        }
    }

    /// Returns the rule of this call, from its attributes.
    fn rule(&self) -> Result<Rule, Error> {
        if let Some(rule) = &self.rule {
            return Ok(rule.clone());
        }
        // A single operand has every shape, and ncnn, without rank 0, takes a number as the scalar of the layer.
        if self.nodes.len() == 1 || self.numbers && layers::keeps_numbers(self.row) {
            return Ok(Rule::numpy());
        }
        let axis = self.int("axis").or(self.int("auto_broadcast_axis")).is_some();
        let rule = self.row.rule_by().rule(self).map_err(|why| Error::new(ErrorKind::Argument, why))?;
        match self.row.rule_by() {
            RuleBy::Legacy if axis && rule == Rule::none() => {
                refuse(ErrorKind::Argument, "axis has no effect without broadcast=1")
            }
            RuleBy::Auto if axis && rule.params().axis.is_none() => {
                refuse(ErrorKind::Argument, "axis needs auto_broadcast=\"pdpd\"")
            }
            _ => Ok(rule),
        }
    }

    /// Adds the second operand that a layer keeps as its parameter `b`, which ncnn's `with_scalar` asks for.
    fn with_scalar(&mut self) -> Result<(), Error> {
        if self.row.attribute("with_scalar").is_none() {
            return Ok(());
        }
        match (self.nodes.len(), self.flag("with_scalar", false)) {
            (2, false) if self.float("b").is_none() => {}
            (1, true) => {
                let b = self.number(self.float("b").unwrap_or(0.0))?;
                self.nodes.push(b);
                self.numbers = true;
            }
            (2, _) => return refuse(ErrorKind::Argument, "it takes its second operand as an array or as b, not both"),
            _ => return refuse(ErrorKind::Argument, "it needs a second operand: an array, or with_scalar=1 and b"),
        }
        Ok(())
    }

    /// Adds one of our operators under the rule of this call.
    pub(super) fn apply(&mut self, op: OpId, nodes: &[Node]) -> Result<Node, Error> {
        let rule = self.rule()?;
        emit_op(self.graph, op, &rule, nodes)
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

    /// Returns a number that is given, or the row's default; 0 where neither is a number.
    pub(super) fn parameter(&self, name: &str) -> f64 {
        let default = || self.row.attribute(name)?.default.parse().ok();
        self.float(name).or_else(default).unwrap_or_default()
    }

    /// Returns the rule of this call for a result of the shape that an attribute names.
    pub(super) fn rule_to(&self, target: &str) -> Result<Rule, Error> {
        let (target, rule) = (Shape::new(self.shape(target)?), self.row.rule_by().rule(self));
        let rule = rule.map_err(|why| Error::new(ErrorKind::Argument, why))?;
        let params = broadaxe_shape::Params { target: Some(target), ..rule.params().clone() };
        Ok(Rule::new(rule.name(), params)?)
    }

    /// Checks that the rule of this call takes its operands.
    pub(super) fn check_shapes(&self) -> Result<(), Error> {
        let shapes: Vec<&[usize]> = self.nodes.iter().map(|node| self.graph.shape(*node)).collect();
        self.rule()?.align(&shapes)?;
        Ok(())
    }

    /// Returns the system of this call.
    pub(super) fn system(&self) -> System {
        self.row.system()
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
