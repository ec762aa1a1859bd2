//! The operations that operators on f16 and bf16 compute in f32 before rounding.

use super::{
    arith::{Add, Div, Max, Min, Mul, Reciprocal, Rsqrt, Sqrt, Square, Sub},
    round::{Ceil, Floor, Round, Trunc},
};
use crate::isa::{Opcode, Widened};

macro_rules! widened {
    ($($op:ident: $opcode:ident;)+) => { $(
        impl Widened for $op {
            const OPCODE: Opcode = Opcode::$opcode;
        }
    )+ };
}
widened! {
    Add: Sum;
    Sub: Difference;
    Mul: Product;
    Div: Quotient;
    Max: Larger;
    Min: Smaller;
    Square: Square;
    Reciprocal: Reciprocal;
    Sqrt: Root;
    Rsqrt: InverseRoot;
    Floor: Floor;
    Ceil: Ceil;
    Round: Round;
    Trunc: Trunc;
}
