//! Normalisations made of nodes, which the converter makes one `LayerNorm`.
//!
//! `x / sqrt(mean(x^2) + epsilon)` becomes one, for any `x`, such as a difference from its mean (`FuseTemplateOp`,
//! `FuseLayerNormRMS`, `FuseLayerNormWithoutGammBeta`). A factor behind it becomes its scale (`FuseLayerNormRMSGamm`), and a term behind
//! that its bias if it has as many elements (`FuseLayerNorm`). The layer has no shapes of these: it reads them in order along the axes that
//! are normalised, past their end where they are shorter. It reads one number as the epsilon, and keeps the axes of the mean. Source:
//! `tools/converter/source/optimizer/merge/`, `source/backend/cpu/CPULayerNorm.cpp`; about 1,800 models were asked.

use broadaxe_shape::{Dim, Rule, contiguous_strides};

use super::super::{
    Asked, Does, IndexTerm,
    neighbours::{Op, numbers},
    pattern,
};
use crate::graph::{Attribute, Node, ValueId};

/// The number that ONNX gives f32.
const ONNX_F32: i64 = 1;

/// The first version that makes a layer of a root mean square, and merges a scale without a bias.
const MERGES_SCALES: &str = "3.2.0";
/// How many nodes in a row that are written twice are compared.
const WRITTEN_TWICE: usize = 6;

/// A normalisation, without scale and bias.
struct Norm {
    /// The axes that are normalised, in order; none where the rank is not known.
    axes: Vec<usize>,
    /// Whether the mean keeps them.
    keeps: bool,
    /// Whether its data are a difference from their mean, squared by a power.
    centred: bool,
}

/// Finds a scale or a bias that the layer reads in another order than it is broadcast.
pub(super) fn misread(asked: &Asked<'_>) -> Option<Does> {
    let (_, data, second) = asked.split(asked.node).filter(|(_, data, _)| is_direct(asked, *data))?;
    let norm = match asked.own_op()? {
        Op::Mul => norm(asked, data)?,
        Op::Div if second => norm(asked, data)?,
        Op::Add => biased(asked, data)?,
        _ => return None,
    };
    if !asked.at_least(MERGES_SCALES)
        && asked.own_op()? != Op::Add
        && !is_before_bias(asked, usize::from(second), &norm)
    {
        return None;
    }
    Some(flat(asked, usize::from(second), &norm))
}

/// Says whether a bias of as many elements as the scale follows, with which versions merge it that merge no scale alone.
fn is_before_bias(asked: &Asked<'_>, scale: usize, norm: &Norm) -> bool {
    let count = |value: ValueId| asked.shape(value)?.known().map(|shape| shape.iter().product::<usize>());
    let is_bias = |node: &Node| {
        let constant = asked.split(node).filter(|_| asked.op(node) == Some(Op::Add));
        constant.is_some_and(|(bias, ..)| count(bias) == asked.elements(scale))
    };
    norm.centred && asked.node.output(0).is_some_and(|value| asked.readers(value).any(|(node, _)| is_bias(node)))
}

/// Says whether the axis of a normalisation is written as 0.
pub(super) fn from_axis_zero(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.attribute("axis").and_then(Attribute::int) == Some(0))
}

/// Says whether the axis of a normalisation is written from the front: the converter writes nodes, which broadcast.
pub(super) fn from_later_axis(asked: &Asked<'_>) -> Option<bool> {
    Some(asked.node.attribute("axis").and_then(Attribute::int).is_some_and(|axis| axis > 0))
}

/// Says whether an operand is what the node before it gives: one in another form comes through a reshape.
fn is_direct(asked: &Asked<'_>, value: ValueId) -> bool {
    let (Some(own), Some(form)) = (asked.shape(value), asked.form(value)) else { return false };
    let fits = |(own, form): (&Dim, &Dim)| own.size().is_none() || own == form;
    let dims = own.dims().zip(form.dims());
    dims.is_none_or(|(own, form)| own.len() == form.len() && own.iter().zip(form).all(fits))
}

/// Says how the constant operand is read.
fn flat(asked: &Asked<'_>, constant: usize, norm: &Norm) -> Does {
    let sizes = |k: usize| asked.operands[k].known();
    let (Some(own), Some(data)) = (sizes(constant), sizes(1 - constant)) else {
        return Does::Unknown("reads a normalisation's scale in order, and the shapes are unknown".into());
    };
    let result = Rule::numpy().align(&[&own, &data]).ok();
    if result.is_none_or(|result| result.shape().dims() != &data[..]) {
        let text = "fuses these nodes into LayerNorm, whose result has the data's shape";
        return Does::Garbled(text.into());
    }
    let normalised: Option<Vec<usize>> = norm.axes.iter().map(|&axis| data.get(axis).copied()).collect();
    let Some(normalised) = normalised else {
        return Does::Unknown("reads a normalisation's scale in order, along axes that the data lacks".into());
    };
    let along = contiguous_strides(&normalised).into_iter().zip(&norm.axes);
    let scale = along.filter(|(_, axis)| data[**axis] > 1);
    let scale = scale.map(|(stride, axis)| IndexTerm::along(*axis, stride.unsigned_abs())).collect();
    let dense = contiguous_strides(&data).into_iter().enumerate().filter(|(axis, _)| data[*axis] > 1);
    let whole = dense.map(|(axis, stride)| IndexTerm::along(axis, stride.unsigned_abs())).collect();
    Does::Reads(if constant == 0 { vec![scale, whole] } else { vec![whole, scale] })
}

/// Finds an epsilon of several numbers, or one with more axes than the mean that it is added to.
pub(super) fn epsilon(asked: &Asked<'_>) -> Option<Does> {
    let (constant, mean, true) = asked.split(asked.node)? else { return None };
    let (_, Op::Add) = (asked.node, asked.own_op()?) else { return None };
    let root = asked.readers(asked.node.output(0)?).find(|(node, _)| asked.op(node) == Some(Op::Sqrt))?.0;
    let norms = |value: ValueId| asked.readers(value).any(|(node, _)| is_norm(asked, node));
    let root = root.output(0)?;
    let inverse = asked.readers(root).filter_map(|(node, _)| node.output(0));
    if !norms(root) && !inverse.into_iter().any(norms) {
        return None;
    }
    let longer = asked.form(constant)?.rank() > asked.form(mean)?.rank();
    let several = asked.sizes(constant).is_none_or(|dims| dims.iter().any(|dim| *dim != 1));
    let text = "fuses these nodes into LayerNorm with the constant's first number as epsilon";
    (longer || several && asked.number(constant).is_none()).then(|| Does::Garbled(text.into()))
}

/// Finds a quotient by a root of means that have lost their axes, which the layer keeps.
pub(super) fn kept(asked: &Asked<'_>) -> Option<Does> {
    let direct = (0..2).filter_map(|k| asked.value(k)).all(|value| is_direct(asked, value));
    let norm = norm_of(asked, asked.node, asked.own_op()?).filter(|norm| !norm.keeps && direct)?;
    let text = "fuses these nodes into LayerNorm, which keeps the axes of the mean";
    match asked.operands[0].known() {
        Some(data) => norm
            .axes
            .iter()
            .any(|&axis| data.get(axis).is_some_and(|&size| size > 1))
            .then(|| Does::Garbled(text.into())),
        None => Some(Does::Unknown(format!("{text}, and their sizes are unknown").into())),
    }
}

fn is_norm(asked: &Asked<'_>, node: &Node) -> bool {
    asked.op(node).is_some_and(|op| norm_of(asked, node, op).is_some())
}

/// Finds the normalisation that a value is.
fn norm(asked: &Asked<'_>, value: ValueId) -> Option<Norm> {
    let (node, op) = asked.maker(value)?;
    // All floats are one type to it, and a cast to it is removed.
    match node.input(0).filter(|_| op == Op::Cast && node.attribute("to").and_then(Attribute::int) == Some(ONNX_F32)) {
        Some(data) => asked.maker(data).and_then(|(node, op)| norm_of(asked, node, op)),
        None => norm_of(asked, node, op),
    }
}

/// Finds the normalisation that a value is behind a scale with as many elements as the constant operand, which becomes its bias.
fn biased(asked: &Asked<'_>, value: ValueId) -> Option<Norm> {
    let (node, Op::Mul) = asked.maker(value)? else { return None };
    let (scale, data, _) = asked.split(node)?;
    let (bias, _, true) = asked.split(asked.node)? else { return None };
    let count = |value: ValueId| asked.form(value)?.known().map(|shape| shape.iter().product::<usize>());
    let norm = norm(asked, data).filter(|norm| norm.centred)?;
    (count(scale) == count(bias)).then_some(norm)
}

fn norm_of(asked: &Asked<'_>, node: &Node, op: Op) -> Option<Norm> {
    let x = node.input(0)?;
    let divisor = asked.maker(node.input(1)?)?;
    let root = match (op, divisor) {
        (Op::Div, (root, Op::Sqrt)) => root,
        (Op::Mul, (inverse, Op::Reciprocal)) => asked.maker(inverse.input(0)?)?.0,
        (Op::Mul, (inverse, Op::Div)) if is_number(asked, inverse.input(0)?, 1.0) => asked.maker(inverse.input(1)?)?.0,
        _ => return None,
    };
    let (sum, Op::Add) = asked.maker(root.input(0)?).filter(|_| asked.op(root) == Some(Op::Sqrt))? else { return None };
    let (mean, Op::Mean) = asked.maker(sum.input(0)?)? else { return None };
    let square = asked.maker(mean.input(0)?)?;
    let data = asked.facts.is_constant(sum.input(1)?) && is_square_of(asked, square, x);
    let rank = asked.form(x).filter(|_| data)?.rank();
    let axes = axes(asked, mean, rank)?;
    let keeps = mean.attribute("keepdims").and_then(Attribute::int) != Some(0);
    // The pass for a bias compares the axes of both means as they are written.
    let centred =
        square.1 == Op::Pow && mean_before(asked, x).is_some_and(|other| written(asked, other) == written(asked, mean));
    // A quotient by a root mean square is a layer from this version on.
    (centred || op == Op::Mul || asked.at_least(MERGES_SCALES)).then_some(Norm { axes, keeps, centred })
}

/// Returns the mean that a value is the difference of its own data from.
fn mean_before<'a>(asked: &Asked<'a>, value: ValueId) -> Option<&'a Node> {
    let (node, Op::Sub) = asked.maker(value)? else { return None };
    let (mean, Op::Mean) = asked.maker(node.input(1)?)? else { return None };
    is_same(asked, mean.input(0)?, node.input(0)?).then_some(mean)
}

/// Says whether two values are one to the converter, which makes one node of those that compute the same.
fn is_same(asked: &Asked<'_>, a: ValueId, b: ValueId) -> bool {
    pattern::is_equal(asked, a, b, WRITTEN_TWICE)
}

/// Says whether a node is the square of data; a product of a difference with itself is none to the converter.
fn is_square_of(asked: &Asked<'_>, (node, op): (&Node, Op), data: ValueId) -> bool {
    let same = |k: usize| node.input(k).is_some_and(|value| is_same(asked, value, data));
    match op {
        Op::Pow => same(0) && node.input(1).is_some_and(|exponent| is_number(asked, exponent, 2.0)),
        Op::Mul => same(0) && same(1) && !asked.maker(data).is_some_and(|(_, op)| op == Op::Sub),
        _ => false,
    }
}

/// Says whether a value is a constant of rank 0: the converter knows no others as numbers.
fn is_number(asked: &Asked<'_>, value: ValueId, number: f64) -> bool {
    asked.form(value).and_then(|shape| shape.rank()) == Some(0) && asked.number(value) == Some(number)
}

/// Returns the axes of a mean as they are written.
fn written(asked: &Asked<'_>, mean: &Node) -> Option<Vec<i64>> {
    numbers(mean, "axes").or_else(|| asked.integers(mean.input(1)?))
}

/// Returns the axes of a mean, in order; nothing where they are not written, and the converter makes no layer.
fn axes(asked: &Asked<'_>, mean: &Node, rank: Option<usize>) -> Option<Vec<usize>> {
    let written = written(asked, mean)?;
    let Some(rank) = rank else { return Some(vec![]) };
    let axes = written.iter().map(|axis| usize::try_from(axis.rem_euclid(i64::try_from(rank.max(1)).ok()?)).ok());
    let mut axes = axes.collect::<Option<Vec<usize>>>()?;
    axes.sort_unstable();
    Some(axes)
}

#[cfg(test)]
mod tests {
    use crate::testing::answers;

    const MEAN: &str = "m=ReduceMean(s) axes=-1 keepdims=1; a=Add(m,e); q=Sqrt(a)";

    /// Answers of MNN 3.6.1.
    #[test]
    fn scales_and_biases_of_normalisations() {
        let start = "opset 17; p=const()=2; e=const()=0.5; i=const()=1";
        let rms = format!("s=Pow(x,p); {MEAN}; v=Div(x,q)");
        let product = format!("s=Mul(x,x); {MEAN}; r=Reciprocal(q); v=Mul(x,r)");
        let one = format!("s=Pow(x,p); {MEAN}; r=Div(i,q); v=Mul(x,r)");
        let centred = format!("u=ReduceMean(x) axes=-1 keepdims=1; c=Sub(x,u); s=Pow(c,p); {MEAN}; v=Div(c,q)");
        let twice = |norm: &str, mean: &str| norm.replace("v=Div(c,q)", &format!("{mean}; d=Sub(x,u2); v=Div(d,q)"));
        let rows: &[(&str, String, &str)] = &[
            ("x(2,4)", format!("{rms}; g=const(4); y=Mul(v,g)"), "same"),
            ("x(2,4)", format!("{rms}; g=const(1,4); y=Mul(g,v)"), "same"),
            ("x(2,4)", format!("{rms}; g=const(1); y=Mul(v,g)"), "differs"),
            ("x(2,4)", format!("{rms}; g=const(); y=Mul(v,g)"), "differs"),
            ("x(2,4)", format!("{rms}; g=const(2,1); y=Mul(v,g)"), "differs"),
            ("x(2,4)", format!("{rms}; g=const(2,4); y=Mul(g,v)"), "differs"),
            ("x(2,4)", format!("{rms}; g=const(1,1,4); y=Mul(v,g)"), "differs"),
            ("x(2,4)", format!("{rms}; g=const(2,1); y=Div(v,g)"), "differs"),
            ("x(2,4)", format!("{rms}; g=const(2,1); y=Div(g,v)"), "same"),
            ("x(2,4)", format!("{rms}; g=const(2,1); y=Add(v,g)"), "same"),
            ("x(2,4)", format!("{rms}; g(2,1); y=Mul(v,g)"), "same"),
            ("x(2,4)", format!("z(2,4); d=Sub(x,z); s=Mul(d,d); {MEAN}; v=Div(d,q); g=const(2,1); y=Mul(v,g)"), "same"),
            (
                "x(2,4)",
                format!("z(2,4); d=Add(x,z); s=Mul(d,d); {MEAN}; v=Div(d,q); g=const(2,1); y=Mul(v,g)"),
                "differs",
            ),
            ("x(2,4)", format!("{rms}; h=Relu(v); g=const(2,1); y=Mul(h,g)"), "same"),
            ("x(2,4)", format!("{rms}; h=Cast(v) to=1; g=const(2,1); y=Mul(h,g)"), "differs"),
            ("x(n,4)", format!("{rms}; g=const(4); y=Mul(v,g)"), "same"),
            ("x(n,4)", format!("{rms}; g=const(1); y=Mul(v,g)"), "differs"),
            ("x(2,4)", format!("{product}; g=const(2,1); y=Mul(v,g)"), "differs"),
            ("x(2,4)", format!("{one}; g=const(2,1); y=Mul(v,g)"), "differs"),
            (
                "x(2,4)",
                format!("{}; g=const(2,1); y=Mul(v,g)", one.replace("r=Div(i,q)", "k=const(1)=1; r=Div(k,q)")),
                "same",
            ),
            ("x(2,4)", format!("{centred}; g=const(2,1); y=Mul(v,g)"), "differs"),
            (
                "x(2,4)",
                format!("{}; g=const(2,1); y=Mul(v,g)", twice(&centred, "u2=ReduceMean(x) axes=-1 keepdims=1")),
                "differs",
            ),
            (
                "x(2,4)",
                format!("{}; g=const(2,1); y=Mul(v,g)", twice(&centred, "u2=ReduceMean(x) axes=1 keepdims=1")),
                "same",
            ),
            (
                "x(2,4)",
                format!("a0=Relu(x); b0=Relu(x); s=Pow(a0,p); {MEAN}; v=Div(b0,q); g=const(2,1); y=Mul(v,g)"),
                "differs",
            ),
            ("x(4,4)", format!("{centred}; g=const(4); k=Mul(v,g); b=const(4,1); y=Add(k,b)"), "differs"),
            ("x(4,4)", format!("{centred}; g=const(4); k=Mul(v,g); b=const(1); y=Add(k,b)"), "same"),
            ("x(4,4)", format!("{rms}; g=const(4); k=Mul(v,g); b=const(4,1); y=Add(k,b)"), "same"),
        ];
        for (x, nodes, want) in rows {
            answers("mnn", &[], &[(&format!("{start}; {x}; {nodes}"), want)]);
        }
    }

    /// Answers of MNN 3.0.0 and 3.2.0.
    #[test]
    fn older_versions_merge_no_scale_alone() {
        let start = "opset 17; p=const()=2; x(4,4); e=const()=0.5";
        let rms = format!("{start}; s=Pow(x,p); {MEAN}; v=Div(x,q)");
        let centred =
            format!("{start}; u=ReduceMean(x) axes=-1 keepdims=1; c=Sub(x,u); s=Pow(c,p); {MEAN}; v=Div(c,q)");
        let several = |norm: &str| norm.replace("e=const()=0.5", "e=const(4,1)=1,2,3,4");
        for (text, old, new) in [
            (format!("{rms}; g=const(4,1); y=Mul(v,g)"), "same", "differs"),
            (several(&rms), "same", "differs"),
            (several(&centred), "differs", "differs"),
            (format!("{centred}; g=const(4,1); y=Mul(v,g)"), "same", "differs"),
            (format!("{centred}; g=const(4,1); k=Mul(v,g); b=const(1); y=Add(k,b)"), "same", "differs"),
            (format!("{centred}; g=const(4,1); k=Mul(v,g); b=const(4); y=Add(k,b)"), "differs", "differs"),
            (format!("{centred}; g=const(4); k=Mul(v,g); b=const(4,1); y=Add(k,b)"), "differs", "differs"),
            (format!("{centred}; g=const(4); k=Mul(v,g); b=const(4); y=Add(k,b)"), "same", "same"),
            (
                format!(
                    "{start}; i=const()=1; s=Pow(x,p); m=ReduceMean(s) axes=-1 keepdims=0; a=Add(m,e); q=Sqrt(a); r=Div(i,q); y=Mul(x,r)"
                ),
                "differs",
                "differs",
            ),
        ] {
            answers("mnn@3.0.0", &[], &[(&text, old)]);
            answers("mnn@3.2.0", &[], &[(&text, new)]);
        }
    }

    #[test]
    fn constants_of_layer_normalizations() {
        answers(
            "mnn",
            &[],
            &[
                ("x(2,3,4); s=const(4); b=const(); y=LayerNormalization(x,s,b)", "differs"),
                ("x(2,3,4); s=const(4); b=const(); y=LayerNormalization(x,s,b) axis=2", "same"),
                ("x(2,3,4); s=const(1); y=LayerNormalization(x,s) axis=1", "same"),
                ("x(2,3,4); s=const(3,4); b=const(4); y=LayerNormalization(x,s,b) axis=-2", "differs"),
                ("x(2,3,1); s=const(3,1); y=LayerNormalization(x,s) axis=2", "same"),
            ],
        );
    }

    #[test]
    fn axes_and_epsilons_of_normalisations() {
        let start = "opset 17; p=const()=2; x(4,4); s=Pow(x,p)";
        let rows: &[(&str, &str)] = &[
            (
                "e=const()=0.5; m=ReduceMean(s) axes=0 keepdims=1; a=Add(m,e); q=Sqrt(a); v=Div(x,q); g=const(4); y=Mul(v,g)",
                "differs",
            ),
            (
                "e=const()=0.5; m=ReduceMean(s) axes=0 keepdims=1; a=Add(m,e); q=Sqrt(a); v=Div(x,q); g=const(4,1); y=Mul(v,g)",
                "same",
            ),
            (
                "e=const()=0.5; m=ReduceMean(s) axes=0,1 keepdims=1; a=Add(m,e); q=Sqrt(a); v=Div(x,q); g=const(4,4); y=Mul(v,g)",
                "same",
            ),
            (
                "e=const()=0.5; m=ReduceMean(s) keepdims=1; a=Add(m,e); q=Sqrt(a); v=Div(x,q); g=const(4,1); y=Mul(v,g)",
                "same",
            ),
            ("e=const()=0.5; m=ReduceMean(s) axes=-1 keepdims=0; a=Add(m,e); q=Sqrt(a); y=Div(x,q)", "differs"),
            (
                "e=const()=0.5; m=ReduceMean(s) axes=-1 keepdims=1; a=Add(e,m); q=Sqrt(a); v=Div(x,q); g=const(4,1); y=Mul(v,g)",
                "same",
            ),
            ("e=const(4,1)=1,2,3,4; m=ReduceMean(s) axes=-1 keepdims=1; a=Add(m,e); q=Sqrt(a); y=Div(x,q)", "differs"),
            ("e=const(4,1)=0.5; m=ReduceMean(s) axes=-1 keepdims=1; a=Add(m,e); q=Sqrt(a); y=Div(x,q)", "same"),
            ("e=const(1,1,1)=0.5; m=ReduceMean(s) axes=-1 keepdims=1; a=Add(m,e); q=Sqrt(a); y=Div(x,q)", "differs"),
        ];
        for (nodes, want) in rows {
            answers("mnn", &[], &[(&format!("{start}; {nodes}"), want)]);
        }
    }
}
