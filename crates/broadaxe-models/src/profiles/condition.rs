//! Describes as data which nodes a law speaks of.

use std::fmt;

use broadaxe_frameworks::{Role, System};
use broadaxe_kernels::{DType, OpId};
use broadaxe_shape::SymbolicShape;

use super::{Asked, OperandShapes};
use crate::meaning::Kind;

/// A condition on a node. It holds, does not hold, or cannot be decided since shapes or versions are not known.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum When {
    /// The model is of this framework.
    Of(System),
    /// The node is ONNX's and of an opset before 7, whose operators align the second operand by `broadcast` and `axis`.
    Opset6,
    /// The node is wrong by its own rule, with operands of known shapes. No other laws speak of such a node.
    Invalid,
    /// The target is of this version or a later one.
    From(&'static str),
    /// The model is ONNX's, and this converter brings it to the target.
    Via(&'static str),
    /// The operands meet in one of these operators.
    Operator(&'static [OpId]),
    /// The framework gives the operator one of these names.
    Named(&'static [&'static str]),
    /// The operator has one of these roles.
    Role(&'static [Role]),
    /// The node is of one of these kinds: for a part of a condition.
    Kind(&'static [Kind]),
    /// There are this many operands.
    Operands(usize),
    /// An operand has a greater rank.
    RankAbove(usize),
    /// An operand, by its number, has a rank between two, these included.
    Rank(usize, usize, usize),
    /// The operands have one rank.
    EqualRanks,
    /// The operands have one shape.
    EqualShapes,
    /// An operand is known to have no elements.
    Empty,
    /// All operands are known to have no elements.
    AllEmpty,
    /// An operand, by its number, has one element.
    Single(usize),
    /// An operand, by its number, is a constant or depends on constants only.
    Constant(usize),
    /// All operands are constants or depend on constants only.
    AllConstant,
    /// One operand or more is a constant or depends on constants only.
    AnyConstant,
    /// The operands are of one of these dtypes, as far as they are known.
    Dtype(&'static [DType]),
    /// A function says so.
    Holds(fn(&Asked<'_>) -> Option<bool>),
    /// The condition does not hold.
    Not(&'static Self),
    /// One of these holds.
    Any(&'static [Self]),
    /// All of these hold.
    All(&'static [Self]),
}

/// The integers of 32 and 64 bits.
pub(super) const INTEGERS: &[DType] = &[DType::I32, DType::I64];

/// The dtypes of floats.
pub(super) const OF_FLOATS: When = When::Dtype(&[DType::F16, DType::BF16, DType::F32, DType::F64]);

impl When {
    /// Says whether a function decides a part of it, which has no words.
    pub(super) fn is_partly_unsaid(&self) -> bool {
        match self {
            Self::Holds(_) => true,
            Self::Not(condition) => condition.is_partly_unsaid(),
            Self::All(conditions) | Self::Any(conditions) => conditions.iter().any(Self::is_partly_unsaid),
            _ => false,
        }
    }

    /// Says whether the condition holds for a node; nothing where that cannot be decided.
    pub(super) fn holds(&self, asked: &Asked<'_>) -> Option<bool> {
        let constant = |k: usize| asked.constants.get(k) == Some(&true);
        Some(match *self {
            Self::Of(system) => asked.is_of(system),
            Self::Opset6 => asked.is_before_opset_7(),
            Self::Invalid => asked.is_invalid(),
            Self::From(version) => asked.at_least(version),
            Self::Via(name) => asked.comes_via(name),
            Self::Operator(ids) => asked.operator().is_some_and(|op| ids.contains(&op)),
            Self::Named(names) => names.contains(&asked.node.op.as_str()),
            Self::Role(roles) => asked.op(asked.node).is_some_and(|role| roles.contains(&role)),
            Self::Kind(kinds) => kinds.contains(&asked.meaning.kind),
            Self::Operands(count) => asked.operands.len() == count,
            Self::RankAbove(limit) => asked.rank()? > limit,
            Self::Rank(operand, least, most) => (least..=most).contains(&asked.operands.rank(operand)?),
            Self::EqualRanks => return equal_ranks(asked.operands),
            Self::EqualShapes => return equal_shapes(&asked.operands),
            Self::Empty => asked.operands.iter().any(is_empty),
            Self::AllEmpty => asked.operands.iter().all(is_empty),
            Self::Single(operand) => return single(asked.operands.get(operand)?),
            Self::Constant(operand) => constant(operand),
            Self::AllConstant => (0..asked.operands.len()).all(constant),
            Self::AnyConstant => (0..asked.operands.len()).any(constant),
            Self::Dtype(dtypes) => dtypes.contains(&dtype(asked)?),
            Self::Holds(holds) => return holds(asked),
            Self::Not(condition) => !condition.holds(asked)?,
            Self::Any(conditions) => return any(conditions.iter().map(|condition| condition.holds(asked))),
            Self::All(conditions) => return Self::all(conditions, asked),
        })
    }

    /// Says whether all of these conditions hold for a node; one that does not decides.
    pub(super) fn all(conditions: &[Self], asked: &Asked<'_>) -> Option<bool> {
        any(conditions.iter().map(|condition| condition.holds(asked).map(|holds| !holds))).map(|fails| !fails)
    }
}

/// Joins words by commas.
fn list(words: impl Iterator<Item = String>, last: &str) -> String {
    let words: Vec<String> = words.collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [words @ .., end] => format!("{} {last} {end}", words.join(", ")),
    }
}

/// Names the nodes of a kind, for people.
pub(super) fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Unary => "one operand",
        Kind::Binary => "two operands",
        Kind::Many => "any number of operands",
        Kind::Select => "Where",
        Kind::Slope => "PRelu",
        Kind::Bounds => "Clip",
        Kind::Quantize => "FakeQuantize",
        Kind::Stretch => "Expand",
        Kind::Bias => "Gemm",
        Kind::Affine => "LayerNormalization and similar",
        Kind::Lists => "QuantizeLinear and DequantizeLinear",
        Kind::Blocks => "quantisation in blocks",
        Kind::Lengths => "lists per channel",
        Kind::Mask => "Attention",
        Kind::Contrib => "ONNX Runtime's own operators",
        _ => "numbers per channel in ncnn's layers",
    }
}

/// Writes a condition as a clause: `add or sub`, `rank above 4`. That of a function is empty: the law's text describes it.
impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lower = |name: String| name.to_lowercase();
        let operand = |k: usize| format!("operand {}", k + 1);
        let all = |conditions: &[Self]| {
            let texts: Vec<String> = conditions.iter().map(Self::to_string).filter(|text| !text.is_empty()).collect();
            texts.into_iter()
        };
        f.write_str(&match *self {
            Self::Of(system) => format!("models of {}", system.name()),
            Self::Opset6 => "before opset 7".to_owned(),
            Self::Invalid => "wrong by the node's own rule".to_owned(),
            Self::From(version) => format!("version {version} and later"),
            Self::Via(name) => format!("through {name}"),
            Self::Operator(ids) => list(ids.iter().map(|id| id.op().name().to_owned()), "or"),
            Self::Named(names) => list(names.iter().map(|&name| name.to_owned()), "or"),
            Self::Role(roles) => list(roles.iter().map(|role| lower(format!("{role:?}"))), "or"),
            Self::Kind(kinds) => list(kinds.iter().map(|&kind| kind_words(kind).to_owned()), "or"),
            Self::Operands(1) => "one operand".to_owned(),
            Self::Operands(count) => format!("{count} operands"),
            Self::RankAbove(limit) => format!("rank above {limit}"),
            Self::Rank(k, least, most) if least == most => format!("{} of rank {least}", operand(k)),
            Self::Rank(k, least, most) => format!("{} of rank {least} to {most}", operand(k)),
            Self::EqualRanks => "equal ranks".to_owned(),
            Self::EqualShapes => "equal shapes".to_owned(),
            Self::Empty => "no elements".to_owned(),
            Self::AllEmpty => "no elements in any operand".to_owned(),
            Self::Single(k) => format!("{} of one element", operand(k)),
            Self::Constant(k) => format!("{} constant", operand(k)),
            Self::AllConstant => "constants only".to_owned(),
            Self::AnyConstant => "a constant".to_owned(),
            Self::Dtype(dtypes) => list(dtypes.iter().map(ToString::to_string), "or"),
            Self::Holds(_) => return Ok(()),
            Self::Not(condition) => {
                let text = condition.to_string();
                if text.is_empty() { text } else { format!("not ({text})") }
            }
            Self::Any(conditions) => list(all(conditions).map(|text| format!("({text})")), "or"),
            Self::All(conditions) => list(all(conditions), "and"),
        })
    }
}

/// Says whether one of these is true: one that is true decides, else one that is not known.
pub(super) fn any(conditions: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for holds in conditions {
        match holds {
            Some(true) => return Some(true),
            Some(false) => {}
            None => known = false,
        }
    }
    known.then_some(false)
}

/// Says whether a dim of a shape is known to be 0.
fn is_empty(shape: &SymbolicShape) -> bool {
    shape.dims().is_some_and(|dims| dims.iter().any(|dim| dim.size() == Some(0)))
}

fn equal_ranks(operands: OperandShapes<'_>) -> Option<bool> {
    let ranks: Option<Vec<usize>> = operands.ranks().collect();
    Some(ranks?.windows(2).all(|pair| pair[0] == pair[1]))
}

/// Says whether shapes are equal: names of sizes that are the same are, and others may be.
fn equal_shapes(shapes: &[SymbolicShape]) -> Option<bool> {
    any(shapes.windows(2).map(|pair| {
        let (a, b) = (pair[0].dims()?, pair[1].dims()?);
        let sizes = || a.iter().zip(b).map(|(x, y)| if x == y { Some(false) } else { Some(x.size()? != y.size()?) });
        if a.len() == b.len() { any(sizes()) } else { Some(true) }
    }))
    .map(|differ| !differ)
}

/// Says whether a shape has one element: a size that is another than 1 decides.
fn single(shape: &SymbolicShape) -> Option<bool> {
    any(shape.dims()?.iter().map(|dim| dim.size().map(|size| size != 1))).map(|more| !more)
}

/// Returns the dtype of the first operand whose dtype is known, a condition or an exponent aside.
fn dtype(asked: &Asked<'_>) -> Option<DType> {
    let first = usize::from(asked.meaning.kind == Kind::Select);
    (first..asked.operands.len()).find_map(|k| asked.dtype(k))
}

#[cfg(test)]
mod tests {
    use broadaxe_kernels::id;

    use super::*;
    use crate::{
        graph::NodeId,
        meaning::meaning,
        profiles::{Facts, Target},
        testing::model,
    };

    const THREE: When = When::Operator(&[id("add"), id("sub"), id("mul")]);
    const UNDECIDED: When = When::Holds(|_| None);

    /// Asks the conditions about the last node of a model.
    fn holds(text: &str, target: &str, conditions: &[When]) -> Option<bool> {
        let (model, shapes) = model(text);
        let target: Target = target.parse().expect("a target");
        let id = NodeId(u32::try_from(model.nodes.len() - 1).expect("a small model"));
        let node = model.node(id);
        let meaning = meaning(&model, id).expect("a broadcasting node").expect("a valid node");
        let facts = Facts::of(&model, &shapes, &[target]);
        let around = facts.around(node, &meaning);
        let operands = meaning.shapes(node, &shapes);
        let (constants, batches) = (&around.constants[..], &around.batches[..]);
        let (facts, meaning) = (&facts, &meaning);
        let operands = OperandShapes::new(&operands, &facts.sizes_are_read);
        let (model, shapes, target) = (&model, &shapes, Some(target));
        When::all(
            conditions,
            &Asked { model, shapes, facts, node, meaning, operands, constants, batches, fronts: &[], target },
        )
    }

    #[test]
    fn conditions_are_clauses() {
        for (condition, want) in [
            (THREE, "add, sub or mul"),
            (When::Rank(1, 3, 5), "operand 2 of rank 3 to 5"),
            (When::Not(&When::Opset6), "not (before opset 7)"),
            (When::Not(&UNDECIDED), ""),
            (When::All(&[When::Operands(2), UNDECIDED, OF_FLOATS]), "2 operands and f16, bf16, f32 or f64"),
            (When::Any(&[When::Kind(&[Kind::Select]), When::Constant(0)]), "(Where) or (operand 1 constant)"),
        ] {
            assert_eq!(condition.to_string(), want);
        }
    }

    #[test]
    fn conditions_hold_fail_or_are_open() {
        const YES: Option<bool> = Some(true);
        const NO: Option<bool> = Some(false);
        const ADD: When = When::Operator(&[id("add")]);
        let rows: &[(&str, &[When], Option<bool>)] = &[
            ("x(2,3); y(3); z=Add(x,y)", &[], YES),
            ("x(2,3); y(3); z=Add(x,y)", &[ADD, When::Operands(2), When::Named(&["Add"])], YES),
            ("x(2,3); y(3); z=Mul(x,y)", &[ADD], NO),
            ("x(2,3); y(3); z=Mul(x,y)", &[When::Not(&ADD), When::Role(&[Role::Mul])], YES),
            ("x(2,3); y(3); z=Mul(x,y)", &[When::Any(&[ADD, When::Operands(2)])], YES),
            ("x(2,3); y(3); z=Mul(x,y)", &[When::All(&[ADD, When::Operands(2)])], NO),
            ("x(2,3); y(3); z=Add(x,y)", &[When::Of(System::Onnx), When::Kind(&[Kind::Binary])], YES),
            ("opset 6; x(2,3); y(2,3); z=Add(x,y)", &[When::Opset6], YES),
            ("x(2,3); y(3); z=Add(x,y)", &[When::Opset6], NO),
            ("x(2,3); y(3); z=Add(x,y)", &[When::RankAbove(1)], YES),
            ("x(2,3); y(3); z=Add(x,y)", &[When::RankAbove(2)], NO),
            ("x(2,3); y(3); z=Add(x,y)", &[When::Rank(1, 1, 1), When::Rank(0, 2, 4)], YES),
            ("x(2,3); y(3); z=Add(x,y)", &[When::EqualRanks], NO),
            ("x(n,3); y(n,3); z=Add(x,y)", &[When::EqualRanks, When::EqualShapes], YES),
            ("x(n,3); y(m,3); z=Add(x,y)", &[When::EqualShapes], None),
            ("x(n,3); y(m,1); z=Add(x,y)", &[When::EqualShapes], NO),
            ("x(n,3); y(m,3); z=Add(x,y)", &[When::EqualShapes, ADD], None),
            ("x(n,3); y(m,3); z=Mul(x,y)", &[When::EqualShapes, ADD], NO),
            ("x(n,3); y(m,3); z=Add(x,y)", &[When::Any(&[When::EqualShapes, ADD])], YES),
            ("x(n,3); y(m,3); z=Mul(x,y)", &[When::Any(&[When::EqualShapes, ADD])], None),
            ("x(0,3); y(3); z=Add(x,y)", &[When::Empty], YES),
            ("x(0,3); y(3); z=Add(x,y)", &[When::AllEmpty], NO),
            ("x(n,3); y(3); z=Add(x,y)", &[When::Empty], NO),
            ("x(n,3); y(1); z=Add(x,y)", &[When::Single(1)], YES),
            ("x(n,3); y(1); z=Add(x,y)", &[When::Single(0)], NO),
            ("x(n); y(1); z=Add(x,y)", &[When::Single(0)], None),
            ("x(2); y=const(1); z=Add(x,y)", &[When::Constant(1), When::AnyConstant], YES),
            ("x(2); y=const(1); z=Add(x,y)", &[When::AllConstant], NO),
            ("x=const(2); y=const(1); z=Add(x,y)", &[When::AllConstant], YES),
            ("x(2); y(2); z=Add(x,y)", &[OF_FLOATS], YES),
            ("x:i32(2); y:i32(2); z=Add(x,y)", &[OF_FLOATS], NO),
            ("x:i32(2); y:i32(2); z=Add(x,y)", &[When::Dtype(&[DType::I32])], YES),
            ("c:bool(2); x:i32(2); y:i32(2); z=Where(c,x,y)", &[When::Dtype(&[DType::I32])], YES),
            ("x(2); y(2); z=Add(x,y)", &[UNDECIDED], None),
            ("x(2); y(2); z=Add(x,y)", &[When::From("2.1.6")], YES),
        ];
        for (text, conditions, want) in rows {
            assert_eq!(holds(text, "litert", conditions), *want, "{text}: {conditions:?}");
        }
        assert_eq!(holds("x(2); y(2); z=Add(x,y)", "litert@2.1.3", &[When::From("2.1.6")]), NO);
    }
}
