//! Tables of the element-wise operators of ONNX, OpenVINO, ncnn, pnnx, Paddle, TFLite and NumPy.
//!
//! Each framework has a table with a [`Row`] per operator and opset in which it changed. A row states the operands and dtypes,
//! the attributes, the [rule](RuleBy) by which the operands broadcast, and what the operator [computes](Row::choices).
//! Expressions, shape inference, verdicts, writers, fixes and targets all use these rows. A row follows the framework's
//! specification. If an engine deviates from it, its target in `broadaxe-models` says so.
//!
//! ```
//! use broadaxe_frameworks::{Attribute, System, find};
//! let add = find(System::Openvino, "Add", 1).expect("in the table");
//! let attributes = vec![("auto_broadcast", Attribute::Text("pdpd".into())), ("axis", Attribute::Int(1))];
//! assert_eq!(add.rule_by().rule(&attributes)?.to_string(), "pdpd axis=1");
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod promote;
mod attribute;
mod rule;
mod kind;
mod framework;
mod arithmetic;
mod row;
mod onnx;
mod activation;
mod openvino;
mod ncnn;
mod pnnx;
mod paddle;
mod tflite;
mod numpy;
mod tables;
mod role;
#[cfg(test)]
mod tests;

pub use arithmetic::{Arithmetic, Choice, Recipe, When, on_bool};
pub use attribute::{Attr, Attribute, Attributes, Values};
pub use framework::System;
pub use kind::{Inner, Kind, Reads, Wiring};
pub use onnx::CONTRIB;
pub use role::{Role, has_batch, role};
pub use row::{OperandType, Row};
pub use rule::RuleBy;
pub use tables::{Name, called, computing, find, is_elsewhere, known, names, newest, operators};
