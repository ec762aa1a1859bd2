//! Asks ndarray's arrays of dynamic rank. They are computed one by one, so no operand is a constant.

use super::ndarray::{ArrayD, IxDyn};
use atlas_adapters::{Answer, No, Question};

pub fn answer(question: &Question) -> Answer {
    if question.operands.iter().any(|operand| operand.constant) {
        return Err(No::Skip("ndarray does not distinguish constants"));
    }
    let mut x = Vec::new();
    for operand in &question.operands {
        x.push(ArrayD::from_shape_vec(IxDyn(&operand.shape), operand.values.clone())?);
    }
    let result = match (question.op.as_str(), question.rule.as_str()) {
        ("add", "numpy") => &x[0] + &x[1],
        ("sub", "numpy") => &x[0] - &x[1],
        ("sum", "numpy") => &(&x[0] + &x[1]) + &x[2],
        ("add", "unidirectional") => {
            let mut result = x[0].clone();
            result += &x[1];
            result
        }
        ("sub", "unidirectional") => {
            let mut result = x[0].clone();
            result -= &x[1];
            result
        }
        ("expand", "broadcast-to") => x[0].broadcast(IxDyn(&question.target)).ok_or("no broadcast")?.to_owned(),
        _ => return Err(No::Skip("ndarray does not have this rule for this operator")),
    };
    Ok((result.shape().to_vec(), result.iter().copied().collect()))
}
