//! Asks every rule about the same shapes.

use broadaxe_draw::{Compared, compared};

use crate::{error::Error, request::CompareRequest, rule::shapes};

/// Asks every rule that needs no target, and finds one element for each two meanings.
///
/// # Errors
/// When a shape is malformed, or an array of one of them could not exist.
///
/// ```
/// use broadaxe_session::{compare::compare, request::CompareRequest};
/// let shapes = ["2,2", "2"].map(str::to_owned).to_vec();
/// assert_eq!(compare(&CompareRequest { shapes }).unwrap().known().unwrap().meanings().len(), 2);
/// ```
pub fn compare(request: &CompareRequest) -> Result<Compared, Error> {
    Ok(compared(&shapes(&request.shapes)?)?)
}
