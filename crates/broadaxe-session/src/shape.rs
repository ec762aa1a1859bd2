//! Broadcasts shapes under a rule.
//!
//! Under ncnn's rule shapes, axes and strides are read and written as ncnn does, fastest axis first; inside, everything is row-major.
//! Shapes of known dims get an alignment with strides; where a dim is a name, a range or not known, the answer is a shape and the
//! guards under which it holds.

use broadaxe_draw::{Order, Shaped, ShapedError, shaped};
use broadaxe_shape::SymbolicShape;

use crate::{
    error::Error,
    request::ShapeRequest,
    rule::{Rejection, shapes},
};

/// Broadcasts the shapes.
///
/// # Errors
/// When the shapes or the rule are malformed, or the shapes do not broadcast.
///
/// ```
/// use broadaxe_session::{request::ShapeRequest, shape::shape};
/// let shapes = ["2,1", "3"].map(str::to_owned).to_vec();
/// let found = shape(&ShapeRequest { shapes, ..ShapeRequest::default() }).unwrap();
/// assert_eq!(found.json()["shape"].to_string(), "[2,3]");
/// ```
pub fn shape(request: &ShapeRequest) -> Result<Shaped, Box<Rejection>> {
    let rule = request.rule.rule()?;
    let order = Order { reversed: rule.name() == "ncnn" && !request.row_major };
    let shapes: Vec<SymbolicShape> = shapes(&request.shapes)?.iter().map(|shape| order.symbolic(shape)).collect();
    shaped(&rule, &shapes, order).map_err(|error| {
        let ShapedError { error, message, axis, drawing } = *error;
        Box::new(Rejection { error: Error::from(error).saying(message, axis), drawing })
    })
}
