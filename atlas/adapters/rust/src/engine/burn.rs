//! Asks burn's tensors on the backend ndarray. They are computed one by one, so no operand is a constant.

use super::{burn_ndarray::NdArray, burn_tensor::Tensor, burn_tensor::TensorData};
use atlas_adapters::{Answer, No, Operand, Question};

pub fn answer(question: &Question) -> Answer {
    let operands = &question.operands;
    let (from, to) = (operands[0].shape.len(), question.target.len());
    match (question.op.as_str(), question.rule.as_str()) {
        _ if operands.iter().any(|operand| operand.constant) => Err(No::Skip("burn does not distinguish constants")),
        ("add" | "sub" | "sum" | "select", "tosa") if operands.iter().any(|operand| operand.shape.len() != from) => {
            Err(No::Skip("burn has the rank in the type, which is the same for all operands"))
        }
        ("add" | "sub" | "sum" | "select", "tosa") => match from {
            1 => elementwise::<1>(question),
            2 => elementwise::<2>(question),
            3 => elementwise::<3>(question),
            4 => elementwise::<4>(question),
            5 => elementwise::<5>(question),
            6 => elementwise::<6>(question),
            _ => Err(No::Skip("burn's backend ndarray has ranks from 1 to 6")),
        },
        _ => Err(No::Skip("burn does not have this rule for this operator")),
    }
}

fn tensor<const D: usize>(operand: &Operand) -> Tensor<NdArray, D> {
    Tensor::from_data(TensorData::new(operand.values.clone(), operand.shape.clone()), &Default::default())
}

fn elementwise<const D: usize>(question: &Question) -> Answer {
    let mut x = question.operands.iter().map(tensor::<D>);
    let mut next = || x.next().expect("the operator has this operand");
    let result = match question.op.as_str() {
        "add" => next() + next(),
        "sub" => next() - next(),
        "sum" => next() + next() + next(),
        _ => {
            let (condition, yes) = (next().bool(), next());
            next().mask_where(condition, yes)
        }
    };
    let shape = result.dims().to_vec();
    Ok((shape, result.into_data().to_vec().map_err(|error| format!("{error:?}"))?))
}
