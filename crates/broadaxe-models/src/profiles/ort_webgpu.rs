//! ONNX Runtime with its execution provider for WebGPU, asked on `SwiftShader`, Vulkan on the CPU.
//!
//! Not asked: other adapters, and float16.

use broadaxe_kernels::{DType, OpId, id};
use broadaxe_shape::{Shape, SymbolicShape};

use super::{
    Asked, Deployment, Does, Evidence, Law, PLAIN, Profile, Route, Way, When, affine, contrib,
    inside::{GROUP_NORM, NO_FLAT_DATA, flat_data, lists},
    integer_layers,
    quantised::{self, NO_KERNEL},
};
use crate::meaning::Kind;

const WEBGPU_RUN: Evidence =
    Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader, recorded answers, and those of 1.25.0");
const WEBGPU_ASKED: Evidence = Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader; conformance, asked");
const KERNELS: Evidence = Evidence::run_here(
    "ONNX Runtime WebGPU 1.27.0; SwiftShader, recorded answers with session.disable_cpu_ep_fallback",
);
const WEBGPU_NODES: Evidence =
    Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader; recorded answers, conformance/laws/record.py");
const WEBGPU_SOURCE: Evidence =
    Evidence::documented("ONNX Runtime, core/providers/webgpu/math/binary_elementwise_ops.cc");

const WEBGPU_INSIDE: Evidence =
    Evidence::run_here("ONNX Runtime WebGPU 1.27.0; SwiftShader; recorded answers, conformance/laws/inside.py");

/// The operators of two operands that were asked.
const KERNEL_OPERATORS: &[OpId] =
    &[id("add"), id("sub"), id("mul"), id("div"), id("pow"), id("equal"), id("less"), id("greater"), id("logical_and")];

/// The operators that its source lists too.
const LISTED_OPERATORS: &[OpId] = &[id("greater_equal"), id("less_equal")];

/// Operators without a kernel, and those of several operands.
const WITHOUT_KERNEL: &[OpId] = &[id("logical_or"), id("logical_xor"), id("fmod"), id("mod_floor")];
const MANY_WITHOUT_KERNEL: &[OpId] = &[id("max"), id("min"), id("sum"), id("mean")];

/// The dtype that normalisations and Clip were asked with.
const OF_F32: When = When::Dtype(&[DType::F32]);

/// How many elements its kernels read at once.
const VECTOR: usize = 4;

const NO_OLD_KERNEL: &str = "has no kernel before opset 7: uses the CPU";

pub(super) static ORT_WEBGPU: Profile = Profile {
    name: "ort-webgpu",
    title: "ONNX Runtime WebGPU",
    deployment: Deployment::Browser,
    summary: "ONNX Runtime with WebGPU (tested on SwiftShader)",
    aliases: &["onnxruntime-webgpu"],
    route: Route::new(&["onnx"], Evidence::run_here("ONNX Runtime")),
    laws: &[
        contrib::WEBGPU_CONTRIB[0],
        contrib::WEBGPU_CONTRIB[1],
        contrib::WEBGPU_CONTRIB[2],
        contrib::WEBGPU_CONTRIB[3],
        contrib::WEBGPU_CONTRIB[4],
        contrib::WEBGPU_CONTRIB[5],
        contrib::WEBGPU_CONTRIB[6],
        contrib::WEBGPU_CONTRIB[7],
        integer_layers::WEBGPU,
        quantised::WEBGPU_SCALES[0],
        quantised::WEBGPU_SCALES[1],
        quantised::WEBGPU_SCALES[2],
        quantised::WEBGPU_SCALES[3],
        quantised::WEBGPU_SCALES[4],
        quantised::WEBGPU_SCALES[5],
        quantised::WEBGPU_SCALES[6],
        quantised::WEBGPU_SCALES[7],
        Law {
            kinds: &[Kind::Binary, Kind::Slope],
            when: &[When::Opset6],
            way: Way::Unsupported,
            text: NO_OLD_KERNEL,
            evidence: KERNELS,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many, Kind::Slope, Kind::Select, Kind::Bounds, Kind::Affine, Kind::Bias],
            when: &[When::AllConstant],
            way: Way::Own,
            text: "computes constant nodes when it loads the model",
            evidence: WEBGPU_NODES,
        },
        Law { kinds: &[Kind::Slope], when: &[], way: Way::Unsupported, text: NO_KERNEL, evidence: KERNELS },
        Law {
            kinds: &[Kind::Lengths],
            when: &[When::Any(&[
                GROUP_NORM,
                When::Dtype(&[DType::F64]),
                When::All(&[When::Named(&["ConvTranspose"]), When::RankAbove(4)]),
            ])],
            way: Way::Unsupported,
            text: NO_KERNEL,
            evidence: WEBGPU_INSIDE,
        },
        flat_data(Way::Refused, NO_FLAT_DATA, WEBGPU_INSIDE),
        lists(WEBGPU_INSIDE),
        Law { kinds: &[Kind::Mask], when: &[], way: Way::Unsupported, text: NO_KERNEL, evidence: WEBGPU_INSIDE },
        Law {
            kinds: &[Kind::Binary, Kind::Select, Kind::Stretch, Kind::Bounds, Kind::Affine, Kind::Bias],
            when: &[When::Holds(without_kernels)],
            way: Way::Unsupported,
            text: "has no kernel for i64, f64, or bool in Equal and Where",
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[OF_F32, When::Holds(laid_out)],
            way: Way::Own,
            text: "normalises, scales and shifts along the normalised axes",
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[OF_F32, When::Holds(as_many)],
            way: Way::Ask(flat),
            text: "reads scale and bias as one number per normalised element",
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Affine],
            when: &[OF_F32],
            way: Way::Refused,
            text: "requires one scale and one bias per normalised element",
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Dtype(&[DType::F32, DType::I32]), When::Rank(1, 0, 0)],
            way: Way::Unknown,
            text: "crashes on some Gemm nodes with a C of rank 0",
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Bias],
            when: &[When::Dtype(&[DType::F32, DType::I32])],
            way: Way::Own,
            text: "computes a product and a sum that stretches C",
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[OF_F32],
            way: Way::Own,
            text: "computes Clip with bounds of one element",
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Bounds],
            when: &[When::Not(&When::Dtype(&[DType::F16]))],
            way: Way::Unsupported,
            text: NO_KERNEL,
            evidence: WEBGPU_NODES,
        },
        Law {
            kinds: &[Kind::Binary, Kind::Many],
            when: &[When::Operator(WITHOUT_KERNEL)],
            way: Way::Unsupported,
            text: NO_KERNEL,
            evidence: KERNELS,
        },
        Law {
            kinds: &[Kind::Many],
            when: &[When::Operator(MANY_WITHOUT_KERNEL)],
            way: Way::Unsupported,
            text: NO_KERNEL,
            evidence: KERNELS,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Not(&When::Operator(&[id("pow")])), When::Holds(invalid_dimension)],
            way: Way::Refused,
            text: "stops (\"Invalid dimension\") if a stretched operand's last axis is no multiple of 4",
            evidence: WEBGPU_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(&[id("pow")]), When::Holds(power)],
            way: Way::Refused,
            text: "cannot compile Pow's vectorised shader if an operand's last axis is 1",
            evidence: WEBGPU_ASKED,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(KERNEL_OPERATORS)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_RUN,
        },
        Law {
            kinds: &[Kind::Binary],
            when: &[When::Operator(LISTED_OPERATORS)],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_SOURCE,
        },
        Law {
            kinds: &[Kind::Select],
            when: &[],
            way: Way::Rule("numpy"),
            text: "aligns shapes to the right and stretches every operand",
            evidence: WEBGPU_RUN,
        },
        Law { kinds: &[Kind::Stretch], when: &[], way: Way::Own, text: "repeats the tensor", evidence: WEBGPU_RUN },
        Law {
            kinds: &[Kind::Unary],
            when: &[],
            way: Way::Own,
            text: "computes operators of one operand element by element",
            evidence: Evidence::documented("ONNX operator schemas"),
        },
    ],
    ..PLAIN
};

/// Finds the operands of which its fast path makes a shape with a dim of -1.
///
/// Ranks differ by 2 or more; the lower one is 2 or more, and its operand has the trailing dims of the other; the axis before those is 1; its
/// last dim is no multiple of 4, and its number of elements is.
fn invalid_dimension(asked: &Asked<'_>) -> Option<bool> {
    let [a, b] = asked.operands.shapes() else { return Some(false) };
    let (low, high) = if a.rank()? < b.rank()? { (a, b) } else { (b, a) };
    if low.rank()? < 2 || high.rank()? < low.rank()? + 2 || !could_stop(low, high) {
        return Some(false);
    }
    Some(stops(&low.known()?, &high.known()?))
}

fn stops(low: &Shape, high: &Shape) -> bool {
    let lead = high.len() - low.len();
    let last = low.last().copied().unwrap_or(1);
    high[lead..] == low[..] && high[lead - 1] == 1 && last % VECTOR != 0 && low.iter().product::<usize>() % VECTOR == 0
}

/// Says whether some sizes of open dims make the runtime stop.
fn could_stop(low: &SymbolicShape, high: &SymbolicShape) -> bool {
    let (Some(low), Some(high)) = (low.dims(), high.dims()) else { return true };
    let lead = high.len() - low.len();
    let may = |x: Option<usize>, y: Option<usize>| x.is_none() || y.is_none() || x == y;
    low.iter().zip(&high[lead..]).all(|(x, y)| may(x.size(), y.size()))
        && may(high[lead - 1].size(), Some(1))
        && low.last().is_none_or(|last| last.size().is_none_or(|size| size % VECTOR != 0))
}

/// Finds powers with a last axis that is a multiple of 4 in the result and 1 in an operand, which is no single number.
fn power(asked: &Asked<'_>) -> Option<bool> {
    let [a, b] = asked.operands.shapes() else { return Some(false) };
    let last = |shape: &SymbolicShape| shape.dims().and_then(|dims| dims.last().map(broadaxe_shape::Dim::size));
    if matches!((last(a), last(b)), (Some(Some(x)), Some(Some(y))) if x == y) {
        return Some(false);
    }
    let (a, b) = a.known().zip(b.known())?;
    let last = |shape: &Shape| shape.last().copied().unwrap_or(1);
    let number = |shape: &Shape| shape.len() <= 1 && last(shape) == 1;
    let stretched = last(&a).min(last(&b)) == 1 && last(&a).max(last(&b)) % VECTOR == 0;
    Some(stretched && !number(&a) && !number(&b))
}

/// Finds dtypes without kernels, where the file tells the dtype.
fn without_kernels(asked: &Asked<'_>) -> Option<bool> {
    let of = |dtypes: &'static [DType]| When::Dtype(dtypes).holds(asked) == Some(true);
    let bools = asked.meaning.kind == Kind::Select || asked.operator() == Some(id("equal"));
    Some(of(&[DType::I64, DType::F64]) || bools && of(&[DType::Bool]))
}

fn laid_out(asked: &Asked<'_>) -> Option<bool> {
    affine::all((1..asked.operands.len()).map(|operand| affine::runs_along(asked, operand)))
}

fn as_many(asked: &Asked<'_>) -> Option<bool> {
    affine::all((1..asked.operands.len()).map(|operand| affine::as_many(asked, operand)))
}

fn flat(asked: &Asked<'_>) -> Option<Does> {
    Some(Does::Flat { axes: affine::normalised(asked)?.len() })
}
