//! Arrays, expressions and framework operators under the broadcast rule of any framework.
//!
//! An [`Array`] owns its elements, and a [`View`] borrows them. [`apply()`] computes one operator, and an [`Expr`] is parsed once
//! and evaluated over views. [`Options`] select the [`Rule`].
//!
//! ```
//! use broadaxe::{Array, Expr};
//!
//! let a = Array::from_vec([2, 1], vec![1.0_f32, 2.0])?;
//! let b = Array::from_vec([3], vec![10.0_f32, 20.0, 30.0])?;
//! let sum = Expr::parse("a * 2 + b")?.eval(&[("a", a.view()), ("b", b.view())])?;
//! assert_eq!(sum.as_slice::<f32>(), Some(&[12.0, 22.0, 32.0, 14.0, 24.0, 34.0][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Engines that have slices and strides call [`apply_into_with`], or [`apply_to_vec`] for a result in new memory. The feature `ndarray` borrows arrays of the crate `ndarray`.

#![cfg_attr(not(feature = "ndarray"), forbid(unsafe_code))]
#![deny(unsafe_code)]

pub mod error;
pub mod view;
pub mod plan;
mod memory;
pub mod array;
pub mod operand;
pub mod graph;
pub mod eval;
pub mod call;
pub mod unbroadcast;
pub mod frameworks;
pub mod expr;
// Borrows the memory of another crate's arrays. All other modules are safe.
#[cfg(feature = "ndarray")]
#[allow(unsafe_code)]
pub mod ndarray;

pub use array::Array;
pub use broadaxe_frameworks::{System, promote};
#[cfg(feature = "rayon")]
pub use broadaxe_kernels::Rayon;
/// A constant for each operator, for code that knows at compile time which operators it uses.
///
/// ```
/// use broadaxe::{Array, Rule, apply, ops};
/// let a = Array::from_vec([2, 1], vec![1_i32, 2])?;
/// let b = Array::from_vec([3], vec![10_i32, 20, 30])?;
/// let sum = apply(ops::ADD, &Rule::numpy(), &[a.view(), b.view()])?;
/// assert_eq!(sum.as_slice::<i32>(), Some(&[11, 21, 31, 12, 22, 32][..]));
/// # Ok::<(), broadaxe::Error>(())
/// ```
#[doc(inline)]
pub use broadaxe_kernels::constants as ops;
pub use broadaxe_kernels::{
    Bool, DType, Decisions, Element, Executor, Input, Isa, Level, OPS, Op, OpId, Output, Promotion, Reduction, bf16,
    f16, find, id,
};
pub use broadaxe_op::{Scalar, stop};
pub use broadaxe_shape::{self as shape, Params, RULES, Rule, Shape};
pub use call::{Call, apply, apply_into, apply_into_with, apply_owned, apply_to_vec};
pub use error::{Error, ErrorKind};
pub use eval::{Evaluation, Options, StageReport};
pub use expr::Expr;
pub use graph::{Graph, Node};
pub use memory::{default_budget, keep_bytes, num_threads, release_memory, set_keep_bytes, set_num_threads};
pub use operand::{Destination, Operand};
pub use plan::Plan;
pub use unbroadcast::{unbroadcast, unbroadcast_axes, unbroadcast_operand};
pub use view::{View, ViewMut};

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Runs the examples of the guide for users of Rust.
#[cfg(all(doctest, feature = "ndarray"))]
#[doc = include_str!("../../../docs/guides/rust.md")]
struct RustGuide;
