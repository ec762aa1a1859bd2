//! ONNX: from opset 7 on NumPy's rule and the one-way rule of some operators; before it runs of axes, or nothing.

mod kernels;
mod norms;
mod scales;

use std::sync::LazyLock;

use broadaxe_frameworks::{System, called, operators};
use broadaxe_kernels::DType;
use broadaxe_shape::Rule;

use super::{
    Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, contrib,
    inside::{GROUP_NORM, as_many_or_one, is_whole, lists},
    integer_layers,
    neighbours::Op,
    pattern::{self, NodePattern},
    stretch::{CLASH, NEGATIVE, NO_I64, NO_LIST, WRITTEN},
};
use crate::meaning::{Kind, Meaning};

const RUNTIME: Evidence = Evidence::run_here("ONNX Runtime 1.31, onnx 1.23; conformance, test_engines.py");
const FUSIONS: Evidence = Evidence::run_here("ONNX Runtime 1.31.1; conformance, laws");
const INVALID: Evidence = Evidence::run_here("ONNX Runtime 1.31.1; conformance, laws, invalid");
const LISTS: Evidence = Evidence::run_here("ONNX Runtime 1.31.1; conformance, laws");
const DTYPES_ASKED: Evidence = Evidence::run_here("ONNX Runtime 1.31.1; recorded answers, profiles/onnx/dtypes.txt");
const INSIDE: Evidence = Evidence::run_here("ONNX Runtime 1.31.1; recorded answers, conformance/laws/inside.py");
const SCHEMAS: Evidence = Evidence::documented("ONNX operator schemas");

pub(super) static ONNX: Profile = Profile {
    name: "onnx",
    title: "ONNX Runtime",
    deployment: Deployment::Server,
    summary: "ONNX of opset 7 and later",
    aliases: &["ort", "onnxruntime"],
    route: Route::new(&["onnx"], Evidence::run_here("ONNX Runtime")),
    laws: &[
        contrib::ORT_CONTRIB[0],
        contrib::ORT_CONTRIB[1],
        contrib::ORT_CONTRIB[2],
        contrib::ORT_CONTRIB[3],
        contrib::ORT_CONTRIB[4],
        contrib::ORT_CONTRIB[5],
        contrib::ORT_CONTRIB[6],
        contrib::ORT_CONTRIB[7],
        integer_layers::ORT[0],
        integer_layers::ORT[1],
        integer_layers::ORT[2],
        integer_layers::ORT[3],
        integer_layers::ORT[4],
        Law {
            kinds: &[],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6)],
            way: Way::Ask(kernels::missing),
            text: "has no kernel for some dtypes, such as i16 in Max",
            evidence: DTYPES_ASKED,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6)],
            way: Way::Ask(kernels::missing),
            text: "has no kernel for some dtypes, such as f64 in InstanceNormalization",
            evidence: DTYPES_ASKED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[],
            way: Way::Ask(fused),
            text: "fuses several nodes into one operator with ONNX Runtime's default options",
            evidence: FUSIONS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6)],
            way: Way::Ask(norms::fused),
            text: "fuses several nodes into a normalisation and finds scale and bias by rank",
            evidence: FUSIONS,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, CLASH],
            way: Way::Refused,
            text: "does not accept a shape that does not broadcast with the data",
            evidence: INVALID,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, NO_I64],
            way: Way::Refused,
            text: "accepts only shapes of i64",
            evidence: INVALID,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, NEGATIVE],
            way: Way::Refused,
            text: "does not accept a negative size in the shape of Expand",
            evidence: INVALID,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid, NO_LIST, WRITTEN, When::Holds(|asked| Some(asked.node.version >= 13))],
            way: Way::Own,
            text: "reads a constant shape of another rank as a list",
            evidence: INVALID,
        },
        Law {
            kinds: &[Kind::Stretch],
            when: &[When::Invalid],
            way: Way::Refused,
            text: "accepts only a list as the shape",
            evidence: INVALID,
        },
        Law {
            kinds: &[Kind::Stretch, Kind::Channel, Kind::Unary, Kind::Affine, Kind::Bias],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Lists],
            when: &[When::Of(System::Onnx), When::Holds(scales::is_moved)],
            way: Way::Refused,
            text: "rejects DequantizeLinear of i8 whose result is moved or pooled, from opset 21",
            evidence: FUSIONS,
        },
        Law {
            kinds: &[Kind::Lists],
            when: &[When::Of(System::Onnx), When::Holds(scales::is_removed)],
            way: Way::Garbled,
            text: "removes DequantizeLinear and QuantizeLinear of equal scales along different axes",
            evidence: FUSIONS,
        },
        Law {
            kinds: &[Kind::Lists],
            when: &[When::Of(System::Onnx)],
            way: Way::Ask(scales::merged),
            text: "merges dequantised weights with their reader, and reads one scale per column or filter",
            evidence: FUSIONS,
        },
        Law {
            kinds: &[Kind::Blocks],
            when: &[When::Rank(0, 1, 1), When::Single(1)],
            way: Way::Refused,
            text: "applies a (1,) scale to the whole tensor, and rejects block_size with it",
            evidence: LISTS,
        },
        Law {
            kinds: &[Kind::Lists, Kind::Blocks],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: LISTS,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Invalid, GROUP_NORM, When::Holds(as_many_or_one)],
            way: Way::Own,
            text: "computes GroupNormalization with reshaped scale and bias, or repeats single numbers",
            evidence: INSIDE,
        },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Named(&["Conv"]), When::Dtype(&[DType::F64])],
            way: Way::Refused,
            text: "has no kernel for Conv of f64",
            evidence: INSIDE,
        },
        lists(INSIDE),
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Not(&When::Holds(is_whole))],
            way: Way::Refused,
            text: "accepts only masks whose last two sizes are the numbers of queries and keys",
            evidence: INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[When::Holds(drops_past)],
            way: Way::Refused,
            text: "requires the output present_key of Attention with past_key",
            evidence: INSIDE,
        },
        Law {
            kinds: &[Kind::Mask],
            when: &[],
            way: Way::Own,
            text: "repeats a mask for every batch and head",
            evidence: INSIDE,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[When::Of(System::Onnx), When::Not(&When::Opset6), When::Invalid],
            way: Way::Rule("numpy"),
            text: "stretches the data of PRelu as well as the slope",
            evidence: INVALID,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "aligns the slope of PRelu to the right and stretches only the slope",
            evidence: RUNTIME,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Ask(bounds),
            text: "accepts Clip bounds of shape (1,), although the specification requires scalars",
            evidence: FUSIONS,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Rule("onnx-clip"),
            text: "accepts only scalar bounds in Clip",
            evidence: RUNTIME,
        },
        Law {
            kinds: &[Kind::Quantize],
            when: &[],
            way: Way::Unknown,
            text: "does not support FakeQuantize; its replacement depends on the converter",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: RUNTIME,
        },
    ],
    ..PLAIN
};

pub(super) static ONNX_6: Profile = Profile {
    name: "onnx6",
    title: "ONNX before opset 7",
    deployment: Deployment::Constraint,
    summary: "ONNX before opset 7: shapes as they are, with broadcast=1 and no axis where they differ",
    route: Route::new(&["onnx"], Evidence::run_here("ONNX Runtime")),
    laws: &[
        Law {
            kinds: Kind::ALL,
            when: &[],
            way: Way::Ask(absent),
            text: "does not support the operator before opset 7",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Unary, Kind::Channel, Kind::Affine, Kind::Quantize, Kind::Lengths],
            when: &[],
            way: Way::Own,
            text: "has an equivalent operator",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[],
            way: Way::Rule("onnx-clip"),
            text: "reads the bounds of Clip from attributes",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[],
            way: Way::Rule("none"),
            text: "accepts only equal shapes in Max, Min, Sum and Mean before opset 8",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[],
            way: Way::Rule("unidirectional"),
            text: "stretches C under broadcast=1",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[Kind::Slope],
            when: &[],
            way: Way::Rule("onnx-legacy axis=1"),
            text: "applies one slope to all elements, or one per channel (axis 1)",
            evidence: SCHEMAS,
        },
        Law {
            kinds: &[],
            when: &[],
            way: Way::Ask(legacy),
            text: "accepts only equal shapes, or one element or a suffix as second operand",
            evidence: SCHEMAS,
        },
    ],
    ..PLAIN
};

/// What ONNX Runtime turns into one Gelu, or a quick one.
static GELUS: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let mut texts = vec!["Mul(x,Sigmoid(Mul(x,#)))".to_string()];
    for scaled in ["Div(x,#1.41421356)", "Mul(x,#0.70710678)"] {
        texts.push(format!("Mul(Mul(x,Add(Erf({scaled}),#1)),#0.5)"));
        texts.push(format!("Mul(Mul(x,#0.5),Add(Erf({scaled}),#1))"));
        texts.push(format!("Mul(x,Mul(Add(Erf({scaled}),#1),#0.5))"));
    }
    texts.iter().filter_map(|text| NodePattern::read(text)).collect()
});

/// What ONNX Runtime turns into one `FastGelu`.
static FAST_GELUS: LazyLock<Vec<NodePattern>> = LazyLock::new(|| {
    let inner = "Add(Tanh(Mul(Add(x,Mul(Pow(x,#3),#0.044715)),#0.79788456)),#1)";
    let texts =
        [format!("Mul(Mul(x,{inner}),#0.5)"), format!("Mul(Mul(x,#0.5),{inner})"), format!("Mul(x,Mul({inner},#0.5))")];
    texts.iter().filter_map(|text| NodePattern::read(text)).collect()
});

/// Finds constants of another rank than the data that two fusions of ONNX Runtime do not expect.
///
/// `DivMulFusion` makes `z / x` of `1 / x * z`, and the fusions for normalisations give the result the shape of the data:
/// axes that only the 1, the exponent or the epsilon has are lost. Behind data of rank 1, a scale or a bias of another
/// rank leaves a name that no node makes. Source: `onnxruntime/core/optimizer/`.
fn fused(asked: &Asked<'_>) -> Option<Does> {
    if !asked.is_of(System::Onnx) || asked.node.version < 7 {
        return None;
    }
    let lost = |text: &str| Some(Does::Garbled(text.to_string().into()));
    if lacks_ones(asked).unwrap_or(false) {
        return lost("turns 1 / x * z into z / x, losing the 1's axes");
    }
    let (constant, data, _) = asked.split(asked.node)?;
    let (own, rank) = (asked.sizes(constant)?, asked.rank_of(data)?);
    if rank == 0 && own.len() < 2 && pattern::find(asked, &FAST_GELUS, constant).is_some() {
        return Some(Does::Unknown("may fuse these nodes into FastGelu, which does not support rank 0".into()));
    }
    // It accepts constants of rank 0 and 1 only.
    if own.len() == 1
        && rank == 0
        && let Some((_, found)) = pattern::find(asked, &GELUS, constant)
    {
        if matches!(found.values[0].and_then(|x| asked.maker(x)), Some((_, Op::Mul))) {
            let text = "may fuse these nodes into Gelu, whose result lacks the constant's extra axes";
            return Some(Does::Unknown(text.into()));
        }
        return lost("fuses these nodes into Gelu, whose result lacks the constant's extra axes");
    }
    None
}

/// Says whether a node is a quotient of a 1 with axes that neither the divisor has nor what the quotient is multiplied by. The divisor may be
/// computed of constants: the fusion comes before they are folded.
fn lacks_ones(asked: &Asked<'_>) -> Option<bool> {
    let (one, divisor) = (asked.node.input(0)?, asked.node.input(1)?);
    let own = asked.sizes(one).filter(|_| asked.op(asked.node) == Some(Op::Div) && asked.facts.is_constant(one))?;
    let is_one = own.iter().all(|size| *size == 1) && asked.number(one).is_none_or(|number| number == 1.0);
    let (node, input) = asked.reader(asked.node.output(0)?).filter(|(node, _)| asked.op(node) == Some(Op::Mul))?;
    let other = asked.rank_of(node.input(1 - input.min(1))?)?;
    Some(is_one && own.len() > asked.rank_of(divisor)? && own.len() > other)
}

/// Says whether the keys of past steps are an input of `Attention`, and all keys no output.
fn drops_past(asked: &Asked<'_>) -> Option<bool> {
    let (past, present) = (asked.node.input(4), asked.node.output(1));
    Some(past.is_some() && present.is_none())
}

/// Accepts bounds of the shape (1,), as ONNX Runtime does for every rank of the data; those of a higher rank it refuses.
fn bounds(asked: &Asked<'_>) -> Option<Does> {
    asked.operands[1..].iter().all(Meaning::is_bound).then_some(Does::Own)
}

/// Finds operators that came with opset 7 or later; an operator of another framework goes by what it computes.
fn absent(asked: &Asked<'_>) -> Option<Does> {
    let unsupported = |what: &str| Some(Does::Unsupported(format!("does not support {what} before opset 7").into()));
    if matches!(
        asked.meaning.kind,
        Kind::Stretch | Kind::Select | Kind::Affine | Kind::Quantize | Kind::Lists | Kind::Blocks
    ) {
        return unsupported(&asked.node.op);
    }
    let known = if asked.is_of(System::Onnx) {
        called(System::Onnx, &asked.node.op).first().is_some_and(|row| row.since() <= 6)
    } else {
        asked.operator().is_some_and(|ours| {
            let computes =
                |row: &broadaxe_frameworks::Row| row.choices().any(|choice| choice.arithmetic.operator() == Some(ours));
            operators(System::Onnx).any(|row| row.since() <= 6 && computes(row))
        })
    };
    if known { None } else { unsupported(&asked.node.op) }
}

/// A node of an old model is what it is; any other is written with `broadcast=1` where shapes differ.
fn legacy(asked: &Asked<'_>) -> Option<Does> {
    if asked.is_of(System::Onnx) && asked.node.version < 7 {
        return Some(Does::Own);
    }
    Some(Does::Rule(Rule::onnx_legacy(None)))
}

#[cfg(test)]
mod tests {
    use crate::testing::judge;

    /// As ONNX Runtime 1.31.1 ran and refused them.
    #[test]
    fn lists_along_an_axis() {
        judge(
            "onnx",
            &[
                ("x(6,4); s=const(4); q=QuantizeLinear(x,s)", "same"),
                ("x(6,4); s=const(6); q=QuantizeLinear(x,s) axis=0", "same"),
                ("x(6,4); s=const(1); q=QuantizeLinear(x,s) axis=7", "same"),
                ("x(6,4); s=const(); z=const:u8(1); q=QuantizeLinear(x,s,z)", "same"),
                ("opset 12; x(6,4); s=const(4); q=QuantizeLinear(x,s)", "same"),
                ("x(n,c); s=const(4); q=QuantizeLinear(x,s)", "same"),
                ("x(6,4); s=const(6); q=QuantizeLinear(x,s)", "q refused"),
                ("x(6); s=const(6); q=QuantizeLinear(x,s)", "q refused"),
                ("x(6,4); s=const(6); q=QuantizeLinear(x,s) axis=2", "q refused"),
                ("x(6,4); s=const(4); z=const:u8(6); q=QuantizeLinear(x,s,z)", "q refused"),
                ("x(6,4); s=const(4); z=const:u8(); q=QuantizeLinear(x,s,z)", "q refused"),
                ("x(6,4); s=const(6,1); q=QuantizeLinear(x,s) axis=0", "q refused"),
                ("opset 21; x(6,8); s=const(6,2); q=QuantizeLinear(x,s) block_size=4", "same"),
                ("opset 21; x(6,7); s=const(6,2); q=QuantizeLinear(x,s) block_size=4", "same"),
                ("opset 21; x(n,7); s=const(6,2); q=QuantizeLinear(x,s) block_size=4", "same"),
                ("opset 21; x(6,8); s=const(6,2); q=QuantizeLinear(x,s) axis=0 block_size=4", "q refused"),
                ("opset 21; x(6,8); s=const(6,2); q=QuantizeLinear(x,s) axis=2 block_size=4", "q refused"),
                ("opset 21; x(6,8); s=const(6,2); q=QuantizeLinear(x,s) block_size=-1", "q refused"),
                ("opset 21; x(6,8); s=const(6,2); q=QuantizeLinear(x,s)", "q refused"),
                ("opset 21; x(4); s=const(1); q=QuantizeLinear(x,s) axis=0 block_size=4", "q refused"),
            ],
        );
    }

    #[test]
    fn fusions_of_the_runtime() {
        let rms = "s=Pow(x,p); m=ReduceMean(s) axes=-1 keepdims=1; a=Add(m,e); q=Sqrt(a); d=Div(x,q); y=Mul(d,g)";
        let rows = [
            ("x(3,3); o=const(1,1,1)=1; d=Div(o,x); z(3,3); y=Mul(d,z)".to_string(), "d differs"),
            ("x(3,3); o=const(1,1)=1; d=Div(o,x); z(3,3); y=Mul(d,z)".to_string(), "same"),
            ("x(3,3); o=const(1,1,1)=2; d=Div(o,x); z(3,3); y=Mul(d,z)".to_string(), "same"),
            ("x(3,3); o=const(1,1,1)=1; d=Div(o,x); z(1,3,3); y=Mul(z,d)".to_string(), "same"),
            ("x(3,3); o=const(1,1,1)=1; d=Div(o,x); z(3,3); y=Mul(d,z); w=Relu(d)".to_string(), "same"),
            (format!("opset 17; x(2,3); p=const()=2; e=const(1,1,1)=0.5; g=const(3); {rms}"), "a differs"),
            (format!("opset 17; x(2,3); p=const()=2; e=const()=0.5; g=const(3); {rms}"), "same"),
            (format!("opset 17; x(3); p=const()=2; e=const()=0.5; g=const(2,3); {rms}"), "y refused"),
            (format!("opset 17; x(3); p=const()=2; e=const()=0.5; g=const(3); {rms}"), "same"),
            (format!("opset 17; x(3,1); p=const()=2; e=const()=0.5; g=const(2); {rms}"), "y refused"),
            (format!("opset 17; x(3,1); p=const()=2; e=const()=0.5; g=const(1,2); {rms}"), "same"),
            (format!("opset 17; x(1,3); p=const()=2; e=const()=0.5; g=const(2,3); {rms}"), "same"),
            (format!("opset 17; x(n,1); p=const()=2; e=const()=0.5; g=const(2); {rms}"), "y refused"),
            (format!("opset 17; x(2,3); p=const()=2; e=const()=0.5; g=const(2,3); {rms}"), "same"),
        ];
        let cases: Vec<(&str, &str)> = rows.iter().map(|(text, want)| (text.as_str(), *want)).collect();
        judge("onnx", &cases);
    }
}
