//! Unites changes in the bodies of functions that are called several times.
//!
//! The file has a function once, the model once per call. A change is possible if every call has it; then it is made once,
//! at the first call.

use super::Index;
use crate::{
    edit::{Lowered, NewNode, Place, Primitive, Wire, With, each, rejected},
    error::Error,
    graph::{GraphId, Model, NodeId, Use, ValueId},
};

/// Unites the changes of all calls of a function; each comes with its place in the list.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] when a change is not wanted at all calls.
pub(super) fn unite(model: &Model, index: &Index, edits: &Lowered) -> Result<Lowered, Error> {
    let calls = CallSites { model, index };
    let mut united: Vec<(Primitive, GraphId, Vec<usize>)> = Vec::with_capacity(edits.len());
    each(edits.iter().map(|(at, edit)| (*at, edit)), |at, edit| {
        let uses = calls.uses(edit)?;
        let edit = uses.as_ref().unwrap_or(edit);
        let Some(graph) = calls.graph(edit) else {
            united.push((edit.clone(), GraphId(0), vec![at]));
            return Ok(());
        };
        let first = calls.first(graph);
        let moved = if first == graph { Some(edit.clone()) } else { calls.moved(edit) };
        let moved = moved.ok_or_else(|| calls.called_often(graph, 1))?;
        let known = united.iter_mut().find(|(known, at, _)| *at == first && *known == moved && graph != first);
        match known {
            Some((_, _, places)) => places.push(at),
            None => united.push((moved, first, vec![at])),
        }
        Ok(())
    })?;
    let fewer = united.iter().filter(|(_, graph, places)| places.len() != calls.count(*graph));
    let fewer: Vec<_> = fewer.map(|(_, graph, places)| (calls.called_often(*graph, places.len()), places)).collect();
    if let Some((error, _)) = fewer.first() {
        let all = fewer.iter().flat_map(|(error, places)| places.iter().map(|at| (*at, error.message().to_string())));
        return Err(error.clone().of_edits(all.collect()));
    }
    Ok(united.into_iter().map(|(edit, _, places)| (places.first().copied().unwrap_or_default(), edit)).collect())
}

struct CallSites<'a> {
    model: &'a Model,
    index: &'a Index,
}

impl CallSites<'_> {
    /// Returns the graph that a change is in; `None` for one of the whole model.
    fn graph(&self, edit: &Primitive) -> Option<GraphId> {
        match edit {
            Primitive::SetShape { value, .. } => Some(self.model.value(*value).graph),
            edit => edit.node().map(|node| self.model.node(node).graph),
        }
    }

    /// Unites the readers of a constant of the caller, which the file has once for all calls.
    fn uses(&self, edit: &Primitive) -> Result<Option<Primitive>, Error> {
        let Primitive::SetShape { value, shape, readers: Some(uses) } = edit else { return Ok(None) };
        let mut united: Vec<(Use, GraphId, usize)> = Vec::new();
        if self.count(self.model.value(*value).graph) > 1 {
            return Ok(None);
        }
        for at in uses {
            let missing = || rejected("the model has no such node");
            let node = self.node(at.node).ok_or_else(missing)?;
            let first = Use { node, input: at.input };
            match united.iter_mut().find(|(known, ..)| *known == first) {
                Some((.., count)) => *count += 1,
                None => united.push((first, self.model.node(node).graph, 1)),
            }
        }
        for (_, graph, count) in &united {
            if *count != self.count(*graph) {
                return Err(self.called_often(*graph, *count));
            }
        }
        let uses = united.into_iter().map(|(at, ..)| at).collect();
        Ok(Some(Primitive::SetShape { value: *value, shape: shape.clone(), readers: Some(uses) }))
    }

    /// Says whether two graphs have the same place in the file.
    fn same(&self, a: GraphId, b: GraphId) -> bool {
        self.index.graphs[a.0 as usize].path.last() == self.index.graphs[b.0 as usize].path.last()
    }

    fn all(&self) -> impl Iterator<Item = GraphId> {
        (0..self.index.graphs.len() as u32).map(GraphId)
    }

    fn first(&self, graph: GraphId) -> GraphId {
        self.all().find(|&other| self.same(other, graph)).unwrap_or(graph)
    }

    fn count(&self, graph: GraphId) -> usize {
        self.all().filter(|&other| self.same(other, graph)).count()
    }

    fn called_often(&self, graph: GraphId, wanted: usize) -> Error {
        let (name, count) = (&self.model.graph(graph).name, self.count(graph));
        rejected(format!("{name} is called {count} times, and a change is wanted at {wanted} of them; inline it first"))
    }

    /// Moves a change at a later call to the first.
    fn moved(&self, edit: &Primitive) -> Option<Primitive> {
        let at = |at: &Use| Some(Use { node: self.node(at.node)?, input: at.input });
        let mut edit = edit.clone();
        match &mut edit {
            Primitive::SetShape { value, readers, .. } => {
                *value = self.value(*value)?;
                for reader in readers.iter_mut().flatten() {
                    *reader = at(reader)?;
                }
            }
            Primitive::Insert { at: Place::Before(place), .. } => *place = at(place)?,
            Primitive::Replace { node, with } => {
                if let With::Nodes(nodes) = with {
                    *nodes = nodes.iter().map(|new| self.new_node(*node, new)).collect::<Option<_>>()?;
                }
                *node = self.node(*node)?;
            }
            Primitive::Insert { at: Place::After(node), .. } | Primitive::Attribute { node, .. } => {
                *node = self.node(*node)?;
            }
            Primitive::Opset(_) => {}
        }
        Some(edit)
    }

    fn new_node(&self, old: NodeId, new: &NewNode) -> Option<NewNode> {
        let wire = |wire: &Wire| match wire {
            Wire::Old(value) => self.value_at(old, *value).map(Wire::Old),
            wire => Some(wire.clone()),
        };
        let inputs = new.inputs.iter().map(wire).collect::<Option<_>>()?;
        Some(NewNode { inputs, output: wire(&new.output)?, ..new.clone() })
    }

    fn node(&self, id: NodeId) -> Option<NodeId> {
        let graph = self.model.nodes.get(id.0 as usize)?.graph;
        if self.first(graph) == graph {
            return Some(id);
        }
        let position = self.model.graph(graph).nodes.iter().position(|&node| node == id)?;
        self.model.graph(self.first(graph)).nodes.get(position).copied()
    }

    /// Finds a value that a node reads or makes, or another one of its graph.
    fn value_at(&self, node: NodeId, value: ValueId) -> Option<ValueId> {
        let (here, there) = (self.model.node(node), self.model.node(self.node(node)?));
        let read = here.inputs.iter().position(|&input| input == Some(value)).and_then(|k| there.input(k));
        let made = here.outputs.iter().position(|&output| output == Some(value)).and_then(|k| there.output(k));
        read.or(made).or_else(|| self.value(value))
    }

    fn value(&self, id: ValueId) -> Option<ValueId> {
        let value = self.model.values.get(id.0 as usize)?;
        if let Some((producer, output)) = value.producer {
            return self.model.node(self.node(producer)?).output(output);
        }
        let first = self.first(value.graph);
        let found = self.model.values.iter().position(|other| other.graph == first && other.name == value.name);
        found.map(|found| ValueId(found as u32))
    }
}
