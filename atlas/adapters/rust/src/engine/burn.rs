//! Asks burn's tensors on the backend ndarray. They are computed one by one, so no operand is a constant.

use super::{burn_ndarray::NdArray, burn_tensor::Tensor, burn_tensor::TensorData};
use broadaxe_atlas::{Array, Operand, Question, Refusal};

type Answer = Result<Array, Refusal>;

fn skipped(why: &str) -> Answer {
    Err(Refusal::Skipped(why.into()))
}

/// Calls a function whose last parameter is a rank. Burn has ranks in types, and its backend ndarray has 1 to 6.
macro_rules! with_rank {
    ($rank:expr, $f:ident::<$($first:ident,)? _>($question:ident)) => {
        match $rank {
            1 => $f::<$($first,)? 1>($question),
            2 => $f::<$($first,)? 2>($question),
            3 => $f::<$($first,)? 3>($question),
            4 => $f::<$($first,)? 4>($question),
            5 => $f::<$($first,)? 5>($question),
            6 => $f::<$($first,)? 6>($question),
            _ => skipped("the backend has ranks from 1 to 6"),
        }
    };
}

pub fn answer(question: &Question) -> Answer {
    match (question.family(), question.rule().name()) {
        _ if question.operands().iter().any(|x| x.constant) => skipped("burn does not distinguish constants"),
        // Where a mask chooses, the backend stretches the other two operands to its shape.
        ("add" | "sub" | "sum", "tosa") | ("select", "unidirectional") => {
            with_rank!(question.operands()[0].shape.len(), elementwise::<_>(question))
        }
        ("expand", "broadcast-to") => with_rank!(question.operands()[0].shape.len(), expand::<_>(question)),
        _ => skipped("burn does not have this rule for this operator"),
    }
}

fn tensor<const D: usize>(operand: &Operand) -> Tensor<NdArray, D> {
    Tensor::from_data(TensorData::new(operand.floats(), operand.shape.clone()), &Default::default())
}

fn elementwise<const D: usize>(question: &Question) -> Answer {
    let operands = question.operands();
    if operands.iter().any(|x| x.shape.len() != D || question.rule().name() == "tosa" && x.shape.contains(&0)) {
        return skipped("operands have one rank, and TOSA has no dims of 0");
    }
    let x = |k: usize| tensor::<D>(&operands[k]);
    result(match question.family() {
        "add" => x(0) + x(1),
        "sub" => x(0) - x(1),
        "sum" => x(0) + x(1) + x(2),
        _ => x(2).mask_where(x(0).bool(), x(1)),
    })
}

fn expand<const D: usize>(question: &Question) -> Answer {
    with_rank!(question.target().len(), expand_to::<D, _>(question))
}

fn expand_to<const D: usize, const E: usize>(question: &Question) -> Answer {
    result(tensor::<D>(&question.operands()[0]).expand::<E, [usize; E]>(question.target().try_into()?))
}

fn result<const D: usize>(result: Tensor<NdArray, D>) -> Answer {
    let shape = result.dims().to_vec();
    let values: Vec<f32> = result.into_data().to_vec().map_err(|error| format!("{error:?}"))?;
    Ok(Array { shape, values: values.into_iter().map(f64::from).collect() })
}
