//! Constants of higher rank than the data, which add axes of 1 to the result.
//!
//! A pass that makes one operator of several nodes gives the result the shape of the data, and the axes are lost: those
//! for Gelu, `HSwish`, `HSigmoid`, `SoftPlus`, Swish, Clamp, `LeakyRelu`, `MVN`, and the ones that make a difference or a
//! quotient of a sum or a product (`src/common/transformations/src/transformations/common_optimizations/`). So does the one
//! that moves a broadcasting node with a constant of one element before a `Transpose` or a `Reshape`
//! (`MoveEltwiseUpThroughDataMov`).

use std::sync::LazyLock;

use broadaxe_shape::SymbolicShape;

use super::super::{
    Asked, Does,
    neighbours::{self, Op, REACH, fits, fits_any},
    pattern::{self, NodePattern},
};
use crate::graph::{Attribute, Node, ValueId};

const LOST: &str = "fuses these nodes into an operator, whose result lacks the constant's extra axes";
const RMS: &str = "fuses these nodes into RMS, whose result has the data's shape";

/// What becomes an `MVN`; each mean may get back the axis that it loses. Asked of all forms and three pairs of shapes.
static NORMALISATIONS: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let means = |inner: &str| [format!("Mean({inner})"), format!("Reshape(Mean({inner}))")];
    let squares = means("x").map(|mean| means(&format!("Pow(Sub(x,{mean}),#2)"))).concat();
    let texts = means("x").into_iter().flat_map(|mean| {
        squares.iter().map(|square| format!("Div(Sub(x,{mean}),Sqrt(Add({square},@)))")).collect::<Vec<_>>()
    });
    texts.filter_map(|text| NodePattern::read(&text)).collect()
});

/// What becomes one operator.
static FORMS: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let texts = [
        // Gelu, by the error function and by tanh.
        "Mul(Mul(x,Add(Erf(Div(x,#1.41421356)),#1)),#0.5)",
        "Mul(Mul(x,#0.5),Add(Erf(Div(x,#1.41421356)),#1))",
        "Mul(x,Mul(Add(Erf(Div(x,#1.41421356)),#1),#0.5))",
        "Mul(Mul(x,Add(Erf(Mul(x,#0.70710678)),#1)),#0.5)",
        "Mul(Mul(x,#0.5),Add(Erf(Mul(x,#0.70710678)),#1))",
        "Mul(x,Mul(Add(Erf(Mul(x,#0.70710678)),#1),#0.5))",
        "Mul(x,Mul(Add(Tanh(Mul(Add(x,Mul(Pow(x,#3),#0.044715)),#0.79788456)),#1),#0.5))",
        "Mul(Mul(x,#0.5),Add(Tanh(Mul(Add(x,Mul(Pow(x,#3),#0.044715)),#0.79788456)),#1))",
        // HSwish and HSigmoid.
        "Mul(x,Clip(Add(x,#3)))",
        "Div(Mul(x,Clip(Add(x,#3))),=6)",
        "Mul(x,Div(Clip(Add(x,#3)),#6))",
        "Div(Mul(x,Min(Relu(Add(x,#3)),#6)),#6)",
        "Mul(x,Div(Min(Relu(Add(x,#3)),#6),#6))",
        "Div(Clip(Add(x,#3)),#6)",
        "Div(Min(Relu(Add(x,#3)),#6),#6)",
        "Mul(Mul(x,Clip(Add(x,#3))),=0.16666667)",
        "Mul(x,Mul(Clip(Add(x,#3)),#0.16666667))",
        "Mul(Mul(x,Min(Relu(Add(x,#3)),#6)),#0.16666667)",
        "Mul(x,Mul(Min(Relu(Add(x,#3)),#6),#0.16666667))",
        "Mul(Clip(Add(x,#3)),#0.16666667)",
        "Mul(Min(Relu(Add(x,#3)),#6),#0.16666667)",
        // SoftPlus and Swish.
        "Log(Add(Exp(x),#1))",
        "Mul:(x,Sigmoid(Mul(x,@)))",
        "Mul:(Sigmoid(Mul:(x,@)),x)",
        "Div(x,Add(Exp(Neg(x)),#1))",
        // Clamp and LeakyRelu.
        "Min(!Max(x,#),#)",
        "Max(!Min(x,#),#)",
        "Max(x,Mul(x,#))",
        // Differences and quotients.
        "Add(Mul(x,#-1),y)",
        "Mul(x,Pow(y,#-1))",
        // PRelu.
        "Sub(Relu(x),Mul(Relu(Mul(x,@-1)),_))",
        "Add(Relu(x),Mul(Relu(Mul(x,@-1)),_))",
        "Add(Relu(x),Mul(Mul(Sub(x,Abs(x)),_),@0.5))",
    ];
    texts.iter().filter_map(|text| NodePattern::read(text)).collect()
});

/// Root mean squares and lengths, of which it depends on more than is known here whether they become one operator.
static DOUBTFUL: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let mut texts = Vec::new();
    for square in ["Pow(x,#2)", "Mul(x,x)"] {
        for fold in ["Mean", "SumOf"] {
            for folded in [format!("{fold}({square})"), format!("Reshape({fold}({square}))")] {
                for bounded in [format!("Add({folded},*)"), format!("Max({folded},*)")] {
                    let divided = [
                        format!("Div(x,Sqrt({bounded}))"),
                        format!("Mul(x,Div(#1,Sqrt({bounded})))"),
                        format!("Mul(x,Reciprocal(Sqrt({bounded})))"),
                        format!("Mul(x,Pow({bounded},#-0.5))"),
                    ];
                    texts.extend(
                        divided.iter().flat_map(|divided| [format!("Mul({divided},*)"), format!("Div({divided},*)")]),
                    );
                    texts.extend(divided);
                }
            }
        }
    }
    texts.iter().filter_map(|text| NodePattern::read(text)).collect()
});

/// The root mean squares with a scale that were asked.
static SCALED: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let forms = ["Div(x,Sqrt(!))", "Mul(x,Reciprocal(Sqrt(!)))", "Mul(x,Div(#1,Sqrt(!)))", "Mul(x,Pow(!,#-0.5))"];
    let squares = ["Add(Mean(Pow(x,#2)),*)", "Add(Mean(Mul(x,x)),*)"];
    let texts = forms.iter().flat_map(|form| {
        squares.iter().flat_map(move |square| {
            let divided = form.replace('!', square);
            [format!("Mul({divided},*)"), format!("Div({divided},*)")]
        })
    });
    texts.filter_map(|text| NodePattern::read(&text)).collect()
});

/// The root mean squares in front of a scale.
static UNSCALED: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let forms = ["Div(x,Sqrt(!))", "Mul(x,Reciprocal(Sqrt(!)))", "Mul(x,Div(#1,Sqrt(!)))", "Mul(x,Pow(!,#-0.5))"];
    let squares = ["Pow(x,#2)", "Mul(x,x)"]
        .map(|square| [format!("Mean({square})"), format!("Reshape(Mean({square}))")])
        .concat();
    let texts = forms.iter().flat_map(|form| {
        squares.iter().flat_map(move |mean| {
            [format!("Add({mean},*)"), format!("Max({mean},*)")].map(|bounded| form.replace('!', &bounded))
        })
    });
    texts.filter_map(|text| NodePattern::read(&text)).collect()
});

/// Finds a factor behind a root mean square: one of several in a row, which are one scale before that becomes an RMS, or any behind
/// `RMSNormalization`, whose own scale is one of them.
///
/// Asked of 184 models of two or three factors behind a quotient, of which 69 lost axes, and of 584 with `RMSNormalization`: where that has a
/// constant scale and rank 2 or more, it lost axes always, but for those that a sum with a constant keeps.
fn chained(asked: &Asked<'_>, own: &[usize], mut data: ValueId) -> Option<RmsScale> {
    let scales = |node: &Node| {
        let (constant, data, second) = asked.split(node)?;
        let op = asked.op(node)?;
        (op == Op::Mul || op == Op::Div && second).then_some(())?;
        Some((asked.sizes(constant)?, data))
    };
    scales(asked.node)?;
    let (mut scale, mut several) = (own.to_vec(), false);
    while let Some((sizes, inner)) =
        asked.maker(data).filter(|_| asked.is_single(data)).and_then(|(node, _)| scales(node))
    {
        (scale, data, several) = (neighbours::merged(&scale, &sizes), inner, true);
    }
    let mut end = asked.node.output(0);
    while let Some((node, (sizes, _))) =
        end.and_then(|value| asked.reader(value)).and_then(|(node, _)| Some((node, scales(node)?)))
    {
        (scale, end, several) = (neighbours::merged(&scale, &sizes), node.output(0), true);
    }
    let operator = normalised_data(asked, data);
    let found = || pattern::ending(asked, &UNSCALED, data).filter(|_| several)?.values[0];
    let dims = asked.form(operator.or_else(found)?)?;
    let (last, leading) = scale.split_last()?;
    let stretches = *last != 1 && dims.dims()?.last()?.size() != Some(*last);
    let (ones, longer) = (leading.iter().all(|size| *size == 1), scale.len() > dims.rank()?);
    let open = |data| asked.file_dims(data).and_then(|dims| dims.last()).is_none_or(|dim| dim.size().is_none());
    Some(match operator {
        Some(data) if dims.rank()? < 2 || open(data) || !ones => RmsScale::Same,
        Some(_) if stretches || longer && !end.is_some_and(|end| adds(asked, end)) => RmsScale::Lost,
        None if ones && (longer || stretches) => RmsScale::Doubtful,
        _ => RmsScale::Same,
    })
}

/// Returns the data of `RMSNormalization` along the last axis with a constant scale.
fn normalised_data(asked: &Asked<'_>, result: ValueId) -> Option<ValueId> {
    let node = asked.producer(result).filter(|node| node.op == "RMSNormalization" && asked.is_single(result))?;
    let data = node.input(0)?;
    let axis = node.attribute("axis").and_then(Attribute::int).unwrap_or(-1);
    let over_last = axis == -1 || axis == asked.form(data)?.rank()? as i64 - 1;
    (over_last && asked.facts.is_constant(node.input(1)?)).then_some(data)
}

/// What becomes of the scale, or the epsilon, of a root mean square.
enum RmsScale {
    Same,
    Lost,
    Doubtful,
}

/// Says what becomes of a scale behind a root mean square of these data.
///
/// `RMSFusion` wants data of rank 2 or more whose last dim is known, and a scale with 1s before its last dim. It looks neither at that
/// dim nor at the rank. A difference from the data's own mean that is divided becomes an `MVN` up to rank 3, which leaves the scale. Asked
/// of 8 forms and 53 pairs of shapes, of 829 models with seven differences, and of 480 of ranks 3 and 4.
fn root_mean_square(asked: &Asked<'_>, own: &[usize], constant: ValueId, data: ValueId) -> RmsScale {
    let found = pattern::find(asked, &SCALED, constant).filter(|(_, found)| found.constants.last() == Some(&constant));
    let Some((_, found)) = found else { return RmsScale::Doubtful };
    // A repair that gives the data another rank has a node between.
    let rank = |shape: Option<SymbolicShape>| shape.and_then(|shape| shape.rank());
    let direct = rank(asked.form(data)) == rank(asked.shape(data).cloned());
    let (Some(x), Some((node, op)), true) = (found.values[0], asked.maker(data), direct) else {
        return RmsScale::Doubtful;
    };
    let Some(dims) = asked.form(x).and_then(|shape| shape.dims().map(<[_]>::to_vec)) else { return RmsScale::Doubtful };
    let axes = asked.mean_axes(data, x);
    let centred = axes.as_ref().is_some_and(|axes| is_centred(asked, x, axes));
    let divided = op == Op::Div;
    let inverse = node.input(1).and_then(|value| asked.maker(value)).map(|(_, op)| op);
    let over_last = axes.is_some_and(|axes| axes == [-1] || axes == [dims.len() as i64 - 1]);
    if !over_last || centred && !divided && inverse != Some(Op::Reciprocal) {
        return RmsScale::Doubtful;
    }
    let open = asked.file_dims(x).and_then(|dims| dims.last()).is_none_or(|dim| dim.size().is_none());
    let leading = own.split_last().is_some_and(|(_, rest)| rest.iter().all(|size| *size == 1));
    let last = own.last().copied().unwrap_or(1);
    let stretches = last != 1 && dims.last().and_then(broadaxe_shape::Dim::size) != Some(last);
    match () {
        () if centred && divided && dims.len() < 4 || open || dims.len() < 2 || !leading => RmsScale::Same,
        () if !stretches && own.len() <= dims.len() => RmsScale::Same,
        () if asked.node.output(0).is_some_and(|output| adds(asked, output)) => RmsScale::Doubtful,
        () => RmsScale::Lost,
    }
}

/// Says whether a value is a difference from its own mean along these axes, which the pass compares as they are written.
fn is_centred(asked: &Asked<'_>, value: ValueId, axes: &[i64]) -> bool {
    let Some((node, Op::Sub)) = asked.maker(value) else { return false };
    let (Some(data), Some(mut mean)) = (node.input(0), node.input(1)) else { return false };
    // The mean may get back the axis that it lost, where no dim is open: asked of 384 models.
    if let Some((reshape, Op::Reshape)) = asked.maker(mean) {
        let known = asked.file_dims(value).is_some_and(|dims| dims.iter().all(|dim| dim.size().is_some()));
        mean = reshape.input(0).filter(|_| known).unwrap_or(mean);
    }
    let is_mean = asked.maker(mean).is_some_and(|(node, op)| op == Op::Mean && node.input(0) == Some(data));
    is_mean && asked.mean_axes(mean, data).as_deref() == Some(axes)
}

/// Says what becomes of an epsilon that is added to a mean of squares.
///
/// The result has the shape of the data where the mean is along their last axis, unless a constant is added to it, or the like: the
/// nodes are not made one then. Asked of 8 forms, 6 shapes of the data and 7 of the epsilon, and of 36 nodes behind.
fn epsilon(asked: &Asked<'_>, own: &[usize], data: ValueId, found: &pattern::Match) -> RmsScale {
    let (Some(x), Some(end), Some(Op::Add)) = (found.values[0], found.end, asked.own_op()) else {
        return RmsScale::Doubtful;
    };
    let Some(dims) = asked.sizes(x).filter(|_| matches!(asked.maker(data), Some((_, Op::Mean)))) else {
        return RmsScale::Doubtful;
    };
    let open = asked.file_dims(x).and_then(|dims| dims.last()).is_none_or(|dim| dim.size().is_none());
    let Some(axes) = asked.mean_axes(data, x).filter(|_| !open) else { return RmsScale::Doubtful };
    if matches!(asked.maker(x), Some((_, Op::Sub))) {
        return RmsScale::Doubtful;
    }
    if axes != [-1] && axes != [dims.len() as i64 - 1] {
        return RmsScale::Same;
    }
    let Some((node, input)) = asked.reader(end) else { return RmsScale::Lost };
    let op = asked.op(node);
    let alone = matches!(op, Some(Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min | Op::Pow));
    let split = asked.split(node).filter(|_| alone);
    let Some(constant) = split.and_then(|(constant, ..)| asked.sizes(constant)) else {
        return if op.is_some_and(Op::is_fused_function) && is_followed(asked, node) {
            RmsScale::Doubtful
        } else {
            RmsScale::Lost
        };
    };
    let scales = op == Some(Op::Mul) || op == Some(Op::Div) && input == 0;
    let scale =
        scales && dims.len() > 1 && constant.split_last().is_none_or(|(_, rest)| rest.iter().all(|size| *size == 1));
    let stretched = || neighbours::merged(&dims, &constant);
    match () {
        () if scale && is_followed(asked, node) => RmsScale::Doubtful,
        () if scale => RmsScale::Lost,
        () if own.iter().all(|size| *size == 1) || fits(own, &stretched()) => RmsScale::Same,
        () => RmsScale::Doubtful,
    }
}

/// Says whether a constant meets what a node gives, or what functions make of it.
fn is_followed(asked: &Asked<'_>, node: &Node) -> bool {
    let Some(mut value) = node.output(0) else { return false };
    for _ in 0..REACH {
        let Some((node, _)) = asked.reader(value) else { return false };
        if asked.split(node).is_some() {
            return true;
        }
        match node.output(0).filter(|_| asked.op(node).is_some_and(Op::is_fused_function)) {
            Some(output) => value = output,
            None => return false,
        }
    }
    true
}

/// Says whether a constant is added to a value.
fn adds(asked: &Asked<'_>, value: ValueId) -> bool {
    asked.reader(value).is_some_and(|(node, _)| asked.op(node) == Some(Op::Add) && asked.split(node).is_some())
}

// Long: each form that was measured is one condition.
/// Finds constants of higher rank that lose axes.
pub(super) fn lost(asked: &Asked<'_>) -> Option<Does> {
    if let Some(does) = of_constants(asked) {
        return Some(does);
    }
    let (constant, data, second) = asked.split(asked.node)?;
    let own = asked.sizes(constant)?;
    let dims =
        if keeps_expand(asked, &own, data) { asked.form(data)? } else { asked.unstretched(clamped(asked, data))? };
    let rank = dims.rank()?;
    let reshaped = before_reshape(asked, data).is_some_and(|rank| own.len() > rank);
    // A repair that gives operands another rank does not keep these nodes apart.
    let written = |value: ValueId| asked.shape(value).and_then(SymbolicShape::rank);
    let reshaped = reshaped || written(constant) > written(data);
    let longer = !fits_any(&own, &dims);
    if !longer && !reshaped {
        return None;
    }
    let garbled = |found: &pattern::Match| is_shorter(asked, found, &own, constant);
    if let Some((_, found)) = Some(longer).filter(|longer| *longer).and_then(|_| pattern::find(asked, &FORMS, constant))
    {
        return garbled(&found).then(|| merged(asked, data, &found));
    }
    let normalises = || pattern::find(asked, &NORMALISATIONS, constant);
    if let Some((_, found)) = Some(longer).filter(|longer| *longer).and_then(|_| normalises()) {
        if matches!(asked.own_op(), Some(Op::Add | Op::Pow)) && keeps_apart(asked, data, &found) == Some(true) {
            return None;
        }
        return garbled(&found).then(|| merged(asked, data, &found));
    }
    match (chained(asked, &own, data), root_mean_square(asked, &own, constant, data)) {
        (Some(RmsScale::Same), _) | (None, RmsScale::Same) => return None,
        (Some(RmsScale::Lost), _) | (_, RmsScale::Lost) => return Some(Does::Garbled(RMS.into())),
        (Some(RmsScale::Doubtful), _) => {
            let text = "may fuse these nodes into RMS, whose result has the data's shape";
            return Some(Does::Unknown(text.into()));
        }
        (None, RmsScale::Doubtful) => {}
    }
    if let Some((_, found)) = pattern::find(asked, &DOUBTFUL, constant) {
        match epsilon(asked, &own, data, &found) {
            RmsScale::Same => return None,
            RmsScale::Lost => return garbled(&found).then(|| Does::Garbled(RMS.into())),
            RmsScale::Doubtful => {}
        }
        let text = "may fuse a root mean square, whose result lacks the constant's extra axes";
        return garbled(&found).then(|| Does::Unknown(text.into()));
    }
    if own.len() > rank { moved(asked, &own, data, second) } else { None }
}

/// Says whether a normalisation keeps the axes of its epsilon, or of its exponent.
///
/// The axes of its means are compared as they are written, so that 2 and -2 keep the nodes apart; only a last axis may be written both
/// ways, by the exponent first from the front. Up to rank 3 a scale behind means along the last axis, written alike, keeps them, too. Asked
/// of 680 models of ranks 1 to 4 with every way to write the axes, and of 80 with and without a scale.
fn keeps_apart(asked: &Asked<'_>, data: ValueId, found: &pattern::Match) -> Option<bool> {
    let x = found.values[0]?;
    let rank = asked.form(x)?.rank()? as i64;
    let exponent = asked.own_op() == Some(Op::Pow);
    let squared = if exponent { asked.reader(asked.node.output(0)?)?.0.output(0)? } else { data };
    let squares = asked.mean_axes(squared, x)?;
    let mut value = data;
    let difference = (0..REACH).find_map(|_| {
        let (node, op) = asked.maker(value)?;
        value = node.input(0)?;
        (op == Op::Sub).then_some(node)
    })?;
    let means = asked.mean_axes(difference.input(1)?, x)?;
    let last = |axes: &[i64]| axes == [-1] || axes == [rank - 1];
    if means != squares {
        return Some(!(last(&means) && last(&squares)) || exponent && means == [-1]);
    }
    let scales = |(node, _): (&Node, usize)| asked.op(node) == Some(Op::Mul) && asked.split(node).is_some();
    Some(!exponent && rank < 4 && last(&means) && asked.reader(found.end?).is_some_and(scales))
}

/// Says of the result of an `Expand` whether that repeats elements.
fn repeats(asked: &Asked<'_>, value: ValueId) -> Option<bool> {
    let node = asked.producer(value).filter(|node| asked.op(node) == Some(Op::Expand))?;
    let count = |shape: &SymbolicShape| shape.known().and_then(|shape| broadaxe_shape::elements(&shape).ok());
    Some(count(asked.shape(node.input(0)?)?)? < count(asked.shape(value)?)?)
}

/// Says whether an `Expand` of the data is still there when the nodes become one: the constant is one number, and the `Expand` repeats
/// elements, or the node is the product of a difference. Asked of 130 models.
fn keeps_expand(asked: &Asked<'_>, own: &[usize], data: ValueId) -> bool {
    let Some(repeats) = repeats(asked, data).filter(|_| own.iter().all(|size| *size == 1)) else { return false };
    let behind = || asked.node.output(0).and_then(|value| asked.reader(value)).and_then(|(node, _)| asked.op(node));
    repeats || asked.own_op() == Some(Op::Mul) && behind() == Some(Op::Add)
}

/// Returns the data of the first bound for the second of a clamp, where an `Expand` that only adds axes makes them.
fn clamped(asked: &Asked<'_>, data: ValueId) -> ValueId {
    let bounds = |op: Option<Op>| matches!(op, Some(Op::Max | Op::Min));
    let first =
        asked.maker(data).filter(|(_, op)| bounds(asked.own_op()) && bounds(Some(*op)) && asked.is_single(data));
    let inner = first.and_then(|(node, _)| asked.split(node)).map(|(_, inner, _)| inner);
    inner.filter(|inner| repeats(asked, *inner) == Some(false)).unwrap_or(data)
}

/// Says whether no value of what becomes one operator has the axes of a constant.
fn is_shorter(asked: &Asked<'_>, found: &pattern::Match, own: &[usize], constant: ValueId) -> bool {
    let values = found.values.iter().flatten().filter_map(|value| asked.form(*value));
    let most = values.clone().filter_map(|shape| shape.rank()).max().unwrap_or(0);
    let stretched = values.filter_map(|shape| shape.known()).all(|shape| !fits(own, &shape));
    own.len() > most || asked.shape(constant).and_then(SymbolicShape::rank) > Some(most) || stretched
}

/// Finds a factor before a normalisation, which divides by it again: only the epsilon shows it, and is not scaled.
pub(super) fn normalised(asked: &Asked<'_>) -> Option<Does> {
    let (constant, _, second) = asked.split(asked.node)?;
    let scales = asked.op(asked.node) == Some(Op::Mul) || asked.op(asked.node) == Some(Op::Div) && second;
    let one = asked.unstretched(constant)?.known()?.iter().all(|size| *size == 1);
    let output = asked.node.output(0).filter(|_| scales && one)?;
    pattern::search(asked, &NORMALISATIONS, |found| found.values[0] == Some(output))?;
    Some(Does::Unknown("may drop a factor before a normalisation, which changes the effect of epsilon".into()))
}

/// Says what becomes of a constant of higher rank than the data where no operator is made of several nodes.
fn moved(asked: &Asked<'_>, own: &[usize], data: ValueId, second: bool) -> Option<Does> {
    let one = own.iter().all(|size| *size == 1);
    let difference = asked.op(asked.node) == Some(Op::Sub) && !second;
    if asked.facts.is_quantised() && (difference || one) {
        let text = "may merge nodes differently in a quantised model, and drop the constant's axes";
        return Some(Does::Unknown(text.into()));
    }
    let sure = moves(asked, data, second).filter(|_| one)?;
    Some(if sure {
        let text = "moves the node before one that rearranges elements, and drops the constant's extra axes";
        Does::Garbled(text.into())
    } else {
        Does::Unknown("may move the node before one that rearranges elements, and drop the constant's axes".into())
    })
}

/// Returns the rank that a value has before a `Reshape`.
fn before_reshape(asked: &Asked<'_>, value: ValueId) -> Option<usize> {
    let (node, _) = asked.maker(value).filter(|(_, op)| *op == Op::Reshape)?;
    asked.shape(node.input(0)?)?.rank()
}

/// Says what becomes of nodes that are merged, unless a constant condition chooses their data, or it is a negative.
fn merged(asked: &Asked<'_>, data: ValueId, found: &pattern::Match) -> Does {
    let negative = |value: &Option<ValueId>| matches!(value.and_then(|value| asked.maker(value)), Some((_, Op::Neg)));
    if found.values.iter().any(negative) {
        return Does::Unknown("may merge the Neg with the next node instead of fusing these nodes".into());
    }
    let condition = asked.maker(data).filter(|(_, op)| *op == Op::Select).and_then(|(node, _)| node.input(0));
    if condition.is_some_and(|value| asked.facts.is_constant(value)) {
        let text = "may fold a constant condition before it fuses these nodes";
        Does::Unknown(text.into())
    } else {
        Does::Garbled(LOST.into())
    }
}

/// Finds a constant of higher rank than a value that other constants are computed to: passes may see the nodes before that.
fn of_constants(asked: &Asked<'_>) -> Option<Does> {
    let literal = |k: usize| asked.value(k).is_some_and(|value| asked.producer(asked.origin(value)).is_none());
    let all = asked.operands.len() == 2 && asked.constants.iter().all(|constant| *constant);
    let own = (0..2).find(|&k| all && literal(k) && !literal(1 - k))?;
    let longer = asked.operands.rank(own) > asked.operands.rank(1 - own);
    let constant = asked.value(own).filter(|_| longer)?;
    [&FORMS, &NORMALISATIONS, &DOUBTFUL].into_iter().find_map(|forms| pattern::find(asked, forms, constant))?;
    Some(Does::Unknown("may fuse nodes before it folds constants".into()))
}

/// Says that the node is moved before one that rearranges elements; false where that depends on the order of operands, which
/// other passes may change.
fn moves(asked: &Asked<'_>, mut value: ValueId, second: bool) -> Option<bool> {
    let own = asked.own_op()?;
    if !matches!(own, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min | Op::Pow) {
        return None;
    }
    let mut last = own;
    let mut sure = second || is_merged(asked, own, value);
    for _ in 0..REACH {
        if !asked.is_single(value) {
            return None;
        }
        let (node, kind) = asked.maker(value)?;
        let next = match kind {
            moving if moving.moves() => {
                if !asked.leaves_alone(node) {
                    return Some(sure);
                }
                node.input(0)
            }
            function if function.is_fused_function() => node.input(0),
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Max | Op::Min | Op::Pow => {
                let (constant, data, second) = asked.split(node)?;
                sure &= second || matches!(kind, Op::Add | Op::Mul) && (last == kind || is_merged(asked, kind, data));
                asked.sizes(constant)?.iter().all(|size| *size == 1).then_some(data)
            }
            _ => None,
        };
        (last, value) = (kind, next?);
    }
    None
}

/// Says whether a sum, or a product, with a constant is merged with the one before it: the constant is the second operand then.
fn is_merged(asked: &Asked<'_>, op: Op, data: ValueId) -> bool {
    let Some((node, before)) = asked.maker(data) else { return false };
    matches!(before, Op::Add | Op::Mul) && op == before && asked.split(node).is_some()
}
