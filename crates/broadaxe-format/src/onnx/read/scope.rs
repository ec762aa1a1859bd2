//! Resolves names to values: the innermost graph with the name decides.

use std::collections::HashMap;

use crate::graph::ValueId;

/// The names of the graphs around a node, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

#[derive(Debug)]
struct Scope {
    /// A name without a value is an input of a function that the call omits.
    names: HashMap<String, Option<ValueId>>,
    /// Whether outer names are hidden, as in the body of a function.
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

    /// Resolves a name in the innermost graph only.
    pub(super) fn own(&self, name: &str) -> Option<ValueId> {
        self.stack.last()?.names.get(name).copied().flatten()
    }

    /// Resolves a name; the inner `None` is an omitted input.
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
