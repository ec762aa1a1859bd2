//! A call being built: its operands as nodes, its attributes, and the means to add nodes.

use broadaxe_frameworks::{Attribute, Attributes, Row, RuleBy, Wiring};
use broadaxe_kernels::{DType, OpId};
use broadaxe_shape::{Rule, Shape};

use super::{constant, emit, emit_op};
use crate::{
    System,
    error::{Error, ErrorKind},
    graph::{Graph, Node},
    promote::Literal,
};

/// A call whose operands are nodes of the row's dtypes.
pub(super) struct CallBuilder<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) nodes: Vec<Node>,
    /// The dtype that the operands with the letter `T` share.
    pub(super) dtype: DType,
    pub(super) opset: i64,
    pub(super) row: &'static Row,
    pub(super) numbers: bool,
    /// Replaces the row's rule.
    pub(super) rule: Option<Rule>,
    pub(super) attributes: Vec<(&'static str, &'a Attribute)>,
}

impl Attributes for CallBuilder<'_> {
    fn get(&self, name: &str) -> Option<Attribute> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).clone())
    }
}

/// Makes an error about a call; the caller adds the operator's name in front.
pub(super) fn refuse<T>(kind: ErrorKind, message: &str) -> Result<T, Error> {
    Err(Error::new(kind, message))
}

impl CallBuilder<'_> {
    /// Returns the rule of this call, from its attributes.
    pub(super) fn rule(&self) -> Result<Rule, Error> {
        if let Some(rule) = &self.rule {
            return Ok(rule.clone());
        }
        // A single operand has every shape, and ncnn, without rank 0, reads a number as the scalar of the layer.
        if self.nodes.len() == 1 || self.numbers && keeps_numbers(self.row) {
            return Ok(Rule::numpy());
        }
        let axis = self.int("axis").or(self.int("auto_broadcast_axis")).is_some();
        let rule = self.row.rule_by().rule(self).map_err(|why| Error::new(ErrorKind::Argument, why))?;
        match self.row.rule_by() {
            RuleBy::Legacy if axis && rule == Rule::none() => {
                refuse(ErrorKind::Argument, "axis has no effect without broadcast=1")
            }
            RuleBy::Auto if axis && rule.params().axis.is_none() => {
                refuse(ErrorKind::Argument, "axis needs auto_broadcast=\"pdpd\"")
            }
            _ => Ok(rule),
        }
    }

    /// Adds the second operand that a layer keeps as its parameter `b`, which ncnn's `with_scalar` asks for.
    pub(super) fn with_scalar(&mut self) -> Result<(), Error> {
        if self.row.attribute("with_scalar").is_none() {
            return Ok(());
        }
        match (self.nodes.len(), self.flag("with_scalar", false)) {
            (2, false) if self.float("b").is_none() => {}
            (1, true) => {
                let b = self.number(self.float("b").unwrap_or(0.0))?;
                self.nodes.push(b);
                self.numbers = true;
            }
            (2, _) => return refuse(ErrorKind::Argument, "the second operand is an array or b, not both"),
            _ => return refuse(ErrorKind::Argument, "it needs a second operand: an array, or with_scalar=1 and b"),
        }
        Ok(())
    }

    /// Adds one of our operators under the rule of this call.
    pub(super) fn apply(&mut self, op: OpId, nodes: &[Node]) -> Result<Node, Error> {
        let rule = self.rule()?;
        emit_op(self.graph, op, &rule, nodes)
    }

    /// Adds one of our operators on nodes of one shape, or constants.
    pub(super) fn point(&mut self, op: &str, nodes: &[Node]) -> Result<Node, Error> {
        emit(self.graph, op, &Rule::numpy(), nodes)
    }

    /// Adds a constant of the dtype of this call.
    pub(super) fn number(&mut self, value: f64) -> Result<Node, Error> {
        let literal = if self.dtype.is_float() { Literal::Float(value) } else { Literal::Int(value as i128) };
        constant(self.graph, literal, self.dtype)
    }

    /// Returns a number that is given, or the row's default; 0 where neither is a number.
    pub(super) fn parameter(&self, name: &str) -> f64 {
        let default = || self.row.attribute(name)?.default.parse().ok();
        self.float(name).or_else(default).unwrap_or_default()
    }

    /// Returns the rule of this call for a result of the shape that an attribute names.
    pub(super) fn rule_to(&self, target: &str) -> Result<Rule, Error> {
        let (target, rule) = (Shape::new(self.shape(target)?), self.row.rule_by().rule(self));
        let rule = rule.map_err(|why| Error::new(ErrorKind::Argument, why))?;
        let params = broadaxe_shape::Params { target: Some(target), ..rule.params().clone() };
        Ok(Rule::new(rule.name(), params)?)
    }

    /// Returns a parameter, or its default, as the frameworks store it: in single precision.
    pub(super) fn single(&self, name: &str) -> f64 {
        f64::from(self.parameter(name) as f32)
    }

    /// Checks that the rule of this call accepts its operands.
    pub(super) fn check_shapes(&self) -> Result<(), Error> {
        let shapes: Vec<&[usize]> = self.nodes.iter().map(|node| self.graph.shape(*node)).collect();
        self.rule()?.align(&shapes)?;
        Ok(())
    }

    /// Returns the system of this call.
    pub(super) fn system(&self) -> System {
        self.row.system()
    }

    /// Reads a list as a shape.
    pub(super) fn shape(&self, name: &str) -> Result<Vec<usize>, Error> {
        let dims = self.ints(name).unwrap_or_default();
        let shape: Option<Vec<usize>> = dims.iter().map(|dim| usize::try_from(*dim).ok()).collect();
        match shape {
            Some(shape) => Ok(shape),
            None => refuse(ErrorKind::Argument, &format!("{name}={dims:?} has a negative dim; dims are literal")),
        }
    }
}

/// Says whether a number in place of an array is a scalar that the layer keeps.
fn keeps_numbers(row: &Row) -> bool {
    row.attribute("with_scalar").is_some() || matches!(row.wiring(), Wiring::Held { .. })
}
