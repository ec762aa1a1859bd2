//! Removes the loops that no unit test runs, so that the program of unit tests does not compile all kernels again.
//!
//! Tests of other operators are in `tests/`: they use the library, which has every loop.

use broadaxe_op::id;

use super::Kernels;
use crate::{
    dtype::DType,
    isa::{Block, LEVELS},
    loops::{Kernel, Variant},
};

/// The operators whose loops unit tests run, and the dtypes of their last operands.
#[rustfmt::skip]
const OPERATORS_RUN: &[(&str, &[DType])] = {
    use DType::{F16, F32, F64, I8, I16, I32, I64, U8};
    &[
        ("add", &[F32, F64, I16, I32]),
        ("clamp", &[I16, U8]),
        ("div_floor", &[I32]),
        ("div_trunc", &[I64]),
        ("exp", &[F32]),
        ("mod_floor", &[I32]),
        ("mul", &[F16, F32, I16, I32]),
        ("neg", &[F32, I8, I32]),
        ("sub", &[F32, F64, I8, I16, I32, I64, U8]),
        ("where", &[F32, I64]),
    ]
};

/// The casts whose loops unit tests run.
#[rustfmt::skip]
const CASTS_RUN: &[(DType, &[DType])] = {
    use DType::{F16, F32, F64, I16, I32, I64, U8};
    &[
        (I16, &[F64]),
        (I32, &[F64]),
        (I64, &[U8]),
        (U8, &[I64]),
        (F16, &[F32]),
        (F32, &[F64]),
    ]
};

/// Says whether a dtype is in a list.
const fn lists(dtypes: &[DType], dtype: usize) -> bool {
    let mut i = 0;
    while i < dtypes.len() {
        if dtypes[i] as usize == dtype {
            return true;
        }
        i += 1;
    }
    false
}

/// The loop of a kernel that unit tests do not run.
fn missing(_: &Block) -> bool {
    panic!("unit tests have no loops of this kernel: move the test to tests/, or list its operator in op/unit_tests.rs")
}

/// The same for a search.
fn missing_search(_: usize, _: [*const u8; 3], _: [usize; 3]) -> usize {
    missing(&Block::EMPTY).into()
}

/// The loops of a kernel that unit tests do not run.
const MISSING: &[Variant] = &[Variant::new(0, [missing; LEVELS])];

/// Removes the loops of a kernel.
const fn remove(kernel: &mut Kernel) {
    kernel.variants = MISSING;
    kernel.apart = [None; LEVELS];
    if let Some(guard) = &mut kernel.guard {
        guard.first = missing_search;
    }
}

impl Kernels {
    /// Removes the loops that unit tests do not run from the kernels of an operator.
    pub(super) const fn unless_run(mut self, name: &str) -> Self {
        let (mut row, mut dtypes): (_, &[DType]) = (0, &[]);
        while row < OPERATORS_RUN.len() {
            if id(OPERATORS_RUN[row].0).index() == id(name).index() {
                dtypes = OPERATORS_RUN[row].1;
            }
            row += 1;
        }
        let mut i = 0;
        while i < self.0.len() {
            if let Some(kernel) = &mut self.0[i]
                && !lists(dtypes, i)
            {
                remove(kernel);
            }
            i += 1;
        }
        self
    }
}

/// Removes the loops that unit tests do not run from the kernels of casts from a dtype.
pub(crate) const fn casts_run(from: DType, mut casts: [Kernel; 13]) -> [Kernel; 13] {
    let (mut row, mut dtypes): (_, &[DType]) = (0, &[]);
    while row < CASTS_RUN.len() {
        if CASTS_RUN[row].0 as usize == from as usize {
            dtypes = CASTS_RUN[row].1;
        }
        row += 1;
    }
    let mut i = 0;
    while i < casts.len() {
        if !lists(dtypes, i) {
            remove(&mut casts[i]);
        }
        i += 1;
    }
    casts
}

/// Removes the loops of fused pairs that unit tests do not run: all but those of products less a number in f32.
pub(crate) const fn pairs_run(mut pairs: [[Kernel; 4]; 3], dtype: DType) -> [[Kernel; 4]; 3] {
    let mut i = 0;
    while i < 12 {
        let (one, two) = (i / 4, i % 4);
        if !(matches!(dtype, DType::F32) && one == 2 && two == 1) {
            remove(&mut pairs[one][two]);
        }
        i += 1;
    }
    pairs
}
