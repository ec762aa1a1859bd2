//! pnnx: torch's operators, and expressions such as `add(@0,@1)`, which are read where they are a chain of operators.

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

/// Reads an expression: a function of two operands, or a chain of such, each of what came before and one operand more. Of
/// numbers and one operand there is nothing to broadcast.
fn expression(node: &Node) -> Result<Meaning, String> {
    let text = attributes::text(node, "expr").ok_or("the expression is missing")?;
    if mentioned(text).len() < 2 {
        return Ok(of_inputs(node, 1, Kind::Unary, Operator::Copy, Rule::numpy()));
    }
    let (operands, ops) =
        chain(text, DEPTH).ok_or_else(|| format!("the expression {text} is no chain of operators of two operands"))?;
    let kind = if operands.len() == 2 { Kind::Binary } else { Kind::Many };
    Ok(Meaning { kind, op: Operator::Own(ops), rule: Rule::numpy(), operands })
}

/// How deep expressions are read.
const DEPTH: usize = 64;

/// Reads a chain: the operands in order, and the operator before each but the first.
fn chain(text: &str, depth: usize) -> Option<(Vec<Source>, Vec<&'static str>)> {
    let text = text.trim();
    if let Some(input) = text.strip_prefix('@') {
        return Some((vec![Source::Input(input.parse().ok()?)], vec![]));
    }
    let (name, rest) = text.split_once('(')?;
    let (left, right) = halves(rest.strip_suffix(')')?)?;
    let own = FUNCTIONS.iter().find(|(known, _)| *known == name.trim())?.1;
    let (left, right) = (chain(left, depth.checked_sub(1)?)?, chain(right, depth - 1)?);
    let commutes = broadaxe::find(own).is_some_and(broadaxe::Op::is_commutative);
    let (mut long, short) = if right.1.is_empty() {
        (left, right)
    } else if left.1.is_empty() && commutes {
        (right, left)
    } else {
        return None;
    };
    long.0.extend(short.0);
    long.1.push(own);
    Some(long)
}

/// Cuts two arguments at the comma between them; nothing where there are more or fewer.
fn halves(text: &str) -> Option<(&str, &str)> {
    let (mut open, mut at) = (0_usize, None);
    for (index, letter) in text.char_indices() {
        match letter {
            '(' => open += 1,
            ')' => open = open.checked_sub(1)?,
            ',' if open == 0 && at.is_some() => return None,
            ',' if open == 0 => at = Some(index),
            _ => {}
        }
    }
    at.map(|at| (&text[..at], &text[at + 1..]))
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
