//! Which value a name means: the innermost graph that has the name says it.

use std::collections::HashMap;

use crate::graph::ValueId;

/// The names of the graphs around a node, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

#[derive(Debug)]
struct Scope {
    /// A name without a value is an input of a function that its call left out.
    names: HashMap<String, Option<ValueId>>,
    /// Whether the names around are out of sight: the body of a function.
    closed: bool,
}

impl Scopes {
    /// Enters a graph.
    pub(super) fn enter(&mut self, closed: bool) {
        self.stack.push(Scope { names: HashMap::new(), closed });
    }

    /// Leaves the innermost graph.
    pub(super) fn leave(&mut self) {
        self.stack.pop();
    }

    /// Adds a name to the innermost graph; `false` when it already exists.
    pub(super) fn define(&mut self, name: &str, value: Option<ValueId>) -> bool {
        let Some(scope) = self.stack.last_mut() else { return false };
        scope.names.insert(name.to_owned(), value).is_none()
    }

    /// Finds what a name means in the innermost graph alone.
    pub(super) fn own(&self, name: &str) -> Option<ValueId> {
        self.stack.last()?.names.get(name).copied().flatten()
    }

    /// Finds what a name means; `None` within for an input that is left out.
    #[allow(clippy::option_option)] // A name without a value differs from an unknown name.
    pub(super) fn find(&self, name: &str) -> Option<Option<ValueId>> {
        for scope in self.stack.iter().rev() {
            if let Some(value) = scope.names.get(name) {
                return Some(*value);
            }
            if scope.closed {
                return None;
            }
        }
        None
    }
}
