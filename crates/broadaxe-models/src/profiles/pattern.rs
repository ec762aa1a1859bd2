//! Matches patterns of nodes that engines fuse into one operator, written as `Log(Add(Exp(x), #1))`.
//!
//! `x` and `y` are any values, each the same wherever it is written. `#1` is a constant of one element that is this number,
//! `#` one of any number, `*` a constant of any shape, `@` one whose elements are all one number, `_` one whose shape has no part in this,
//! `=1` a constant that the engine looks at by its number only. The
//! `!` before a node says that nothing else reads its result. The
//! operands of `Add`, `Mul`, `Max` and `Min` may come in either order, but not those of `Mul:(`, and `Neg(v)` is also a product
//! with -1, and `Clip(v)` a `Max` and a `Min`.

use super::{
    Asked,
    facts::bit,
    neighbours::{Op, REACH},
};
use crate::graph::{Node, ValueId};

/// How many nodes that read a value, and how many in all, are tried as the end of a pattern.
const MAX_TRIED: usize = 48;

/// How many nodes in a row are compared.
const PATTERN_DEPTH: usize = 3;

/// A pattern, read.
#[derive(Debug)]
pub(super) enum NodePattern {
    /// A value: 0 for `x`, 1 for `y`.
    Value(usize),
    /// A constant.
    Constant {
        /// Whether it has one element.
        one: bool,
        /// Whether its shape has a part in the result.
        counts: bool,
        /// Whether all its elements are one number.
        uniform: bool,
        /// What its elements are.
        number: Option<f64>,
    },
    /// A node.
    Node {
        /// Its operator.
        op: Op,
        /// Its operands.
        parts: Vec<NodePattern>,
        /// Whether only the node around it reads its result.
        single: bool,
        /// Whether its operands come in this order.
        ordered: bool,
    },
}

/// What a pattern found.
#[derive(Clone, Debug, Default)]
pub(super) struct Match {
    /// The values `x` and `y`.
    pub(super) values: [Option<ValueId>; 2],
    /// The constants whose shapes count.
    pub(super) constants: Vec<ValueId>,
    /// The value that the pattern ends with.
    pub(super) end: Option<ValueId>,
}

static OPS: &[(&str, Op)] = &[
    ("Abs", Op::Abs),
    ("Add", Op::Add),
    ("Clip", Op::Clip),
    ("Div", Op::Div),
    ("Erf", Op::Erf),
    ("Exp", Op::Exp),
    ("Log", Op::Log),
    ("Max", Op::Max),
    ("Mean", Op::Mean),
    ("Min", Op::Min),
    ("Mul", Op::Mul),
    ("Neg", Op::Neg),
    ("Pow", Op::Pow),
    ("Reciprocal", Op::Reciprocal),
    ("Relu", Op::Relu),
    ("Reshape", Op::Reshape),
    ("Sigmoid", Op::Sigmoid),
    ("Sqrt", Op::Sqrt),
    ("Sub", Op::Sub),
    ("SumOf", Op::SumOf),
    ("Tanh", Op::Tanh),
];

impl NodePattern {
    /// Reads a pattern; nothing for a text that is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text;
        let pattern = Self::part(&mut rest)?;
        rest.trim().is_empty().then_some(pattern)
    }

    fn part(rest: &mut &str) -> Option<Self> {
        *rest = rest.trim_start();
        let end = rest.find(['(', ')', ',']).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        *rest = behind;
        let word = word.trim();
        let (word, single) = word.strip_prefix('!').map_or((word, false), |word| (word, true));
        let (word, ordered) = word.strip_suffix(':').map_or((word, false), |word| (word, true));
        let constant = |one, counts| {
            let number = word[1..].parse().ok();
            Some(Self::Constant { one, counts, uniform: word.starts_with('@'), number })
        };
        match word.as_bytes().first()? {
            b'x' => return Some(Self::Value(0)),
            b'y' => return Some(Self::Value(1)),
            b'#' => return constant(true, true),
            b'=' => return constant(true, false),
            b'*' | b'@' => return constant(false, true),
            b'_' => return constant(false, false),
            _ => {}
        }
        let op = OPS.iter().find(|(name, _)| *name == word)?.1;
        let mut parts = Vec::new();
        *rest = rest.strip_prefix('(')?;
        loop {
            parts.push(Self::part(rest)?);
            *rest = rest.trim_start();
            match rest.strip_prefix(',') {
                Some(behind) => *rest = behind,
                None => break,
            }
        }
        *rest = rest.strip_prefix(')')?;
        Some(Self::Node { op, parts, single, ordered })
    }

    /// Lists the roles of nodes without which the pattern matches nothing, a bit each.
    fn needs(&self) -> u128 {
        let Self::Node { op, parts, .. } = self else { return 0 };
        // A product is a negative too, and a `Max` and a `Min` are a `Clip`.
        let own = if matches!(op, Op::Neg | Op::Clip) { 0 } else { bit(*op) };
        parts.iter().fold(own, |all, part| all | part.needs())
    }

    /// Matches the pattern with what makes a value.
    fn matches(&self, asked: &Asked<'_>, value: ValueId, found: &Match) -> Option<Match> {
        match self {
            Self::Value(k) => {
                let value = asked.origin(value);
                let mut found = found.clone();
                match found.values[*k] {
                    Some(other) if !is_equal(asked, other, value, PATTERN_DEPTH) => return None,
                    Some(_) => {}
                    None => found.values[*k] = Some(value),
                }
                Some(found)
            }
            Self::Constant { one, counts, uniform, number } => {
                let known = asked.facts.is_constant(value)
                    && (!one || asked.sizes(value)?.iter().all(|size| *size == 1))
                    && (!uniform || asked.number(value).is_some())
                    && number.is_none_or(|want| asked.number(value).is_some_and(|own| near(own, want)));
                let mut found = found.clone();
                found.constants.extend(counts.then_some(value));
                known.then_some(found)
            }
            Self::Node { single: true, .. } if !asked.is_single(value) => None,
            Self::Node { op: kind, parts, ordered, .. } => {
                let (node, own) = asked.maker(value)?;
                if own == *kind {
                    return Self::all(parts, *ordered, asked, node, found);
                }
                if *kind == Op::Clip {
                    return parts.first()?.matches(asked, clipped(asked, node, own)?, found);
                }
                let (constant, data, _) = asked.split(node).filter(|_| (*kind, own) == (Op::Neg, Op::Mul))?;
                let negates = asked.number(constant).is_some_and(|number| near(number, -1.0));
                if negates { parts.first()?.matches(asked, data, found) } else { None }
            }
        }
    }

    /// Matches the operands of a node.
    fn all(parts: &[Self], ordered: bool, asked: &Asked<'_>, node: &Node, found: &Match) -> Option<Match> {
        let [first, second] = parts else {
            return parts.first()?.matches(asked, node.input(0)?, found);
        };
        // The first two operands of a list are a node of their own.
        if node.inputs.len() != 2 && asked.op(node) != Some(Op::Add) {
            return None;
        }
        let pair = |a: usize, b: usize| {
            let found = first.matches(asked, node.input(a)?, found)?;
            second.matches(asked, node.input(b)?, &found)
        };
        let either = !ordered && matches!(asked.op(node), Some(Op::Add | Op::Mul | Op::Max | Op::Min));
        pair(0, 1).or_else(|| if either { pair(1, 0) } else { None })
    }
}

/// Returns what a `Max` and a `Min` by constants of one element, in either order, clip.
fn clipped(asked: &Asked<'_>, node: &Node, op: Op) -> Option<ValueId> {
    let other = match op {
        Op::Max => Op::Min,
        Op::Min => Op::Max,
        _ => return None,
    };
    let one = |node: &Node| {
        let (constant, data, _) = asked.split(node)?;
        asked.sizes(constant)?.iter().all(|size| *size == 1).then_some(data)
    };
    let inner = one(node)?;
    let (node, _) = asked.maker(inner).filter(|(_, op)| *op == other)?;
    one(node)
}

/// Says whether two values are computed by equal nodes from the same values, of which engines make one.
pub(super) fn is_equal(asked: &Asked<'_>, a: ValueId, b: ValueId, depth: usize) -> bool {
    let (a, b) = (asked.origin(a), asked.origin(b));
    let (Some(one), Some(other)) = (asked.producer(a), asked.producer(b)) else {
        return a == b || asked.integers(a).is_some_and(|numbers| asked.integers(b) == Some(numbers));
    };
    let inputs = || one.inputs.iter().zip(&other.inputs);
    a == b
        || depth > 0
            && one.op == other.op
            && format!("{:?}", one.attributes) == format!("{:?}", other.attributes)
            && one.inputs.len() == other.inputs.len()
            && inputs().all(|pair| match pair {
                (Some(a), Some(b)) => is_equal(asked, *a, *b, depth - 1),
                (a, b) => a == b,
            })
}

fn near(own: f64, want: f64) -> bool {
    (own - want).abs() <= 1e-3 * want.abs()
}

/// Finds a pattern that has this constant operand of the node in it.
pub(super) fn find(asked: &Asked<'_>, patterns: &[NodePattern], constant: ValueId) -> Option<(usize, Match)> {
    search(asked, patterns, |found| found.constants.contains(&constant))
}

/// Matches patterns with what makes a value.
pub(super) fn ending(asked: &Asked<'_>, patterns: &[NodePattern], value: ValueId) -> Option<Match> {
    let start = Match { end: Some(value), ..Match::default() };
    let possible = patterns.iter().filter(|pattern| asked.facts.has(pattern.needs()));
    { possible }.find_map(|pattern| pattern.matches(asked, value, &start))
}

/// Finds a pattern behind the node that is accepted.
pub(super) fn search(
    asked: &Asked<'_>,
    patterns: &[NodePattern],
    accepts: impl Fn(&Match) -> bool,
) -> Option<(usize, Match)> {
    if !patterns.iter().any(|pattern| asked.facts.has(pattern.needs())) {
        return None;
    }
    let mut open: Vec<(ValueId, usize)> = vec![(asked.node.output(0)?, 0)];
    let mut at = 0;
    while let Some(&(value, depth)) = open.get(at) {
        at += 1;
        for (k, pattern) in patterns.iter().enumerate() {
            let NodePattern::Node { op: kind, .. } = pattern else { continue };
            let starts = asked
                .maker(value)
                .is_some_and(|(_, own)| own == *kind || *kind == Op::Clip && matches!(own, Op::Max | Op::Min));
            if !starts {
                continue;
            }
            let found = ending(asked, std::slice::from_ref(pattern), value);
            if let Some(found) = found.filter(&accepts) {
                return Some((k, found));
            }
        }
        if depth < REACH {
            for (node, _) in asked.readers(value).take(4) {
                if open.len() < MAX_TRIED {
                    open.extend(node.output(0).map(|output| (output, depth + 1)));
                }
            }
        }
    }
    None
}
