//! Wrong rules, and questions as code with a wrong rule sees them.

pub(crate) mod calls;
pub(crate) mod rules;
