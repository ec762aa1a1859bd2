//! pnnx: torch's operators, and expressions such as `add(@0,@1)`, which are read where they are one operator.

use broadaxe_shape::Rule;

use super::{Kind, Meaning, Operator, Source, attributes, of_inputs};
use crate::graph::Node;

/// Functions of two operands in pnnx's expressions, and our operators.
const FUNCTIONS: &[(&str, &str)] = &[
    ("add", "add"),
    ("sub", "sub"),
    ("mul", "mul"),
    ("div", "div"),
    ("max", "max"),
    ("maximum", "max"),
    ("min", "min"),
    ("minimum", "min"),
    ("pow", "pow"),
    ("atan2", "atan2"),
    ("fmod", "fmod"),
    ("remainder", "mod_floor"),
    ("floor_divide", "div_floor"),
    ("logaddexp", "logaddexp"),
    ("eq", "equal"),
    ("ne", "not_equal"),
    ("lt", "less"),
    ("le", "less_equal"),
    ("gt", "greater"),
    ("ge", "greater_equal"),
    ("and", "logical_and"),
    ("or", "logical_or"),
    ("xor", "logical_xor"),
    ("lshift", "shift_left"),
    ("rshift", "shift_right"),
];

/// Reads an operator of torch's.
pub(super) fn read(node: &Node) -> Option<Result<Meaning, String>> {
    match node.op.as_str() {
        "pnnx.Expression" => Some(expression(node)),
        "F.prelu" => Some(Ok(slope(node, Source::Input(1)))),
        "nn.PReLU" => {
            let count = attributes::int(node, "num_parameters").and_then(|count| usize::try_from(count).ok());
            Some(Ok(slope(node, Source::Held(vec![count.unwrap_or(1)]))))
        }
        "torch.where" => Some(Ok(of_inputs(node, 3, Kind::Select, Operator::Own(vec!["where"]), Rule::numpy()))),
        "Tensor.expand" | "Tensor.expand_as" => {
            Some(Ok(of_inputs(node, 1, Kind::Stretch, Operator::Copy, Rule::broadcast_to([]))))
        }
        other => {
            let name = other.strip_prefix("torch.").or_else(|| other.strip_prefix("Tensor."))?;
            let name = name.strip_prefix("logical_").or_else(|| name.strip_prefix("bitwise_")).unwrap_or(name);
            let function = FUNCTIONS.iter().find(|(known, _)| *known == name && node.inputs.len() == 2)?;
            Some(Ok(of_inputs(node, 2, Kind::Binary, Operator::Own(vec![function.1]), Rule::numpy())))
        }
    }
}

/// torch's slopes are one number, or one per entry of axis 1.
fn slope(node: &Node, slope: Source) -> Meaning {
    let mut meaning = of_inputs(node, 1, Kind::Slope, Operator::Own(vec!["prelu"]), Rule::pdpd(1));
    meaning.operands.push(slope);
    meaning
}

/// Reads an expression of one function; of numbers and one operand there is nothing to broadcast.
fn expression(node: &Node) -> Result<Meaning, String> {
    let text = attributes::text(node, "expr").ok_or("the expression is missing")?;
    let operands: Vec<usize> = mentioned(text);
    let unary = || of_inputs(node, 1, Kind::Unary, Operator::Copy, Rule::numpy());
    let (name, inside) = match text.split_once('(') {
        Some((name, rest)) => (name.trim(), rest.trim_end().strip_suffix(')').unwrap_or(rest)),
        None => return Ok(unary()),
    };
    if operands.len() < 2 {
        return Ok(unary());
    }
    let plain: Option<Vec<Source>> =
        inside.split(',').map(|operand| Some(Source::Input(operand.trim().strip_prefix('@')?.parse().ok()?))).collect();
    let own = FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, own)| *own);
    match (plain, own) {
        (Some(operands), Some(own)) if operands.len() == 2 => {
            Ok(Meaning { kind: Kind::Binary, op: Operator::Own(vec![own]), rule: Rule::numpy(), operands })
        }
        _ => Err(format!("the expression {text} is more than one operator of two operands")),
    }
}

/// Lists the operands that an expression mentions, each once.
fn mentioned(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for part in text.split('@').skip(1) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        if let Ok(k) = digits.parse()
            && !found.contains(&k)
        {
            found.push(k);
        }
    }
    found
}
