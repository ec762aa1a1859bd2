//! Reads pnnx's expressions such as `add(@0,@1)` if they are a chain of operators.

use broadaxe_frameworks::{Arithmetic, System, find};
use broadaxe_kernels::OpId;
use broadaxe_shape::Rule;

use super::{Kind, Meaning, Operator, Source};
use crate::graph::{Attribute, Node};

/// Says whether a node holds an expression.
pub(super) fn is_expression(node: &Node) -> bool {
    node.op == "pnnx.Expression"
}

/// Returns the operator of ours that a function of two operands computes.
fn function(name: &str) -> Option<OpId> {
    match find(System::Pnnx, name.trim(), 0)?.choices().next()?.arithmetic {
        Arithmetic::Op(op) => Some(op),
        _ => None,
    }
}

/// Reads an expression: a function of two operands, or a chain of such, each of what came before and one operand more. Of
/// numbers and one operand there is nothing to broadcast.
pub(super) fn expression(node: &Node) -> Result<Meaning, String> {
    let text = node.attribute("expr").and_then(Attribute::text).ok_or("the expression is missing")?;
    if mentioned(text).len() < 2 {
        let operands = (0..node.inputs.len().min(1)).map(Source::Input).collect();
        return Ok(Meaning { kind: Kind::Unary, op: Operator::Copy, rule: Rule::numpy(), operands });
    }
    let (operands, ops) = chain(text, MAX_EXPRESSION_DEPTH)
        .ok_or_else(|| format!("the expression {text} is no chain of operators of two operands"))?;
    let kind = if operands.len() == 2 { Kind::Binary } else { Kind::Many };
    Ok(Meaning { kind, op: Operator::Own(ops), rule: Rule::numpy(), operands })
}

/// How deep expressions are read.
const MAX_EXPRESSION_DEPTH: usize = 64;

/// Reads a chain: the operands in order, and the operator before each but the first.
fn chain(text: &str, depth: usize) -> Option<(Vec<Source>, Vec<OpId>)> {
    let text = text.trim();
    if let Some(input) = text.strip_prefix('@') {
        return Some((vec![Source::Input(input.parse().ok()?)], vec![]));
    }
    let (name, rest) = text.split_once('(')?;
    let (left, right) = halves(rest.strip_suffix(')')?)?;
    let own = function(name)?;
    let (left, right) = (chain(left, depth.checked_sub(1)?)?, chain(right, depth - 1)?);
    let commutes = own.op().is_commutative();
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
