//! Checks the operands and attributes of a call against its row, and builds it.

use broadaxe_frameworks::{Arithmetic, Attribute, OperandType, Row, called, operators};
use broadaxe_kernels::DType;
use broadaxe_shape::Rule;

use super::{
    Arg,
    builder::{CallBuilder, refuse},
    constant, layers, nearest, recipes, steps,
};
use crate::{
    System,
    error::{Error, ErrorKind},
    graph::{Graph, Node},
};

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
    let mut call = CallBuilder {
        graph,
        nodes: Vec::with_capacity(args.len()),
        dtype,
        opset,
        row,
        numbers,
        rule: None,
        attributes,
    };
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
    finish(call)
}

/// Adds the nodes of a call whose operands are nodes.
fn finish(mut call: CallBuilder<'_>) -> Result<Node, Error> {
    let choice = call.row.arithmetic(call.dtype, &call).map_err(|why| Error::new(ErrorKind::Argument, why))?;
    if let Some(cast) = choice.cast {
        for node in &mut call.nodes {
            *node = call.graph.cast(*node, cast);
        }
    }
    if choice.swapped {
        call.nodes.reverse();
    }
    let nodes = call.nodes.clone();
    match choice.arithmetic {
        Arithmetic::Copy => Ok(nodes[0]),
        Arithmetic::Op(_) if nodes.len() == 1 && call.row.operands().1 > 1 => Ok(nodes[0]),
        Arithmetic::Op(op) => call.apply(op, &nodes),
        Arithmetic::Steps(ops) => steps(call.graph, ops, &call.rule()?, &nodes),
        Arithmetic::Recipe(recipe) => recipes::build(&mut call, recipe),
    }
}

/// Adds the arithmetic of an operator to nodes of one shape, without broadcasting.
///
/// # Errors
/// [`ErrorKind::Argument`] where the arithmetic is not defined for these attributes and dtypes; [`ErrorKind::DType`] where
/// no kernel has them.
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
    finish(CallBuilder { graph, nodes: nodes.to_vec(), dtype, opset, row, numbers: false, rule, attributes })
}

/// Finds the row of the given opset, and its name in errors.
fn find(system: System, name: &str, attributes: &[(&str, Attribute)]) -> Result<(&'static Row, i64, String), Error> {
    let newest = system.newest_opset();
    let opset = match (attributes.iter().find(|(key, _)| *key == "opset"), newest) {
        (Some((_, Attribute::Int(opset))), Some(newest)) if (1..=newest).contains(opset) => *opset,
        (Some((_, value)), Some(newest)) => {
            let message = format!("opset={value} is not an opset of {}; opsets are 1 to {newest}", system.name());
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
    let arity = match (least, most) {
        (1, 1) => "1 operand".to_string(),
        (least, most) if least == most => format!("{least} operands"),
        (1, usize::MAX) => "at least 1 operand".to_string(),
        (least, usize::MAX) => format!("at least {least} operands"),
        (least, most) => format!("{least} to {most} operands"),
    };
    Err(Error::new(ErrorKind::Argument, format!("{title} needs {arity}, not {given}")))
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
            let listed = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            let near = nearest(key, names.iter().copied());
            let what = if key.is_empty() { format!("no value {value}") } else { format!("no attribute '{key}'") };
            return Err(Error::new(ErrorKind::Argument, format!("{title} has {what}; its attributes: {listed}{near}")));
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
                return fail(format!("operand {index} is {dtype}; it accepts {}", list(dtypes)));
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
                return fail(format!("operand {index} is {dtype}; it accepts {}{later}", list(row.dtypes())));
            }
        }
    }
    shared.map(|(_, dtype)| dtype).ok_or_else(|| {
        Error::new(ErrorKind::DType, format!("{title}: numbers alone have no dtype; give one operand as an array"))
    })
}

fn list(dtypes: &[DType]) -> String {
    dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}
