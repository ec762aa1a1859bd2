//! Constants in the shape and dtype of an operand.

use crate::number::Number;

unary! {
    /// 0 for every element
    Zeros<T: Number> -> T: |_x| T::ZERO;
    /// 1 for every element
    Ones<T: Number> -> T: |_x| T::ONE;
}
