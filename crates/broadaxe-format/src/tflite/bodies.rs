//! Makes the subgraphs that operators name their bodies.
//!
//! A graph is the body of one node. A subgraph that several operators name becomes the body of the first; the others keep its
//! number as an attribute.

use std::collections::HashSet;

use crate::{
    error::{Error, ErrorKind},
    graph::{Attribute, GraphId, Model, NodeId},
};

/// The most bodies inside each other.
const NESTED_BODIES: usize = 64;

/// An attribute that names subgraphs.
pub(super) struct Call {
    pub(super) node: NodeId,
    pub(super) attribute: usize,
    pub(super) graphs: Vec<i32>,
}

/// Connects bodies to their nodes; the main graph comes first, then those that nothing names, then the rest.
///
/// # Errors
/// [`ErrorKind::Format`] for a subgraph that does not exist, [`ErrorKind::Limit`] for bodies that are nested too deeply.
pub(super) fn connect(model: &mut Model, calls: &[Call]) -> Result<(), Error> {
    let count = model.graphs.len();
    let mut of_graph: Vec<Vec<&Call>> = vec![Vec::new(); count];
    let mut named: HashSet<usize> = HashSet::new();
    for call in calls {
        let node = &model.nodes[call.node.0 as usize];
        for &graph in &call.graphs {
            let known = usize::try_from(graph).ok().filter(|&graph| graph < count);
            let known = known.ok_or_else(|| {
                Error::format(format!("there is no subgraph {graph}; the model has {count}")).at(&node.place)
            })?;
            named.insert(known);
        }
        of_graph[node.graph.0 as usize].push(call);
    }
    let free = (1..count).filter(|k| !named.contains(k));
    let rest = (1..count).filter(|k| named.contains(k));
    let roots: Vec<usize> = [0].into_iter().chain(free).chain(rest).collect();
    let mut taken = vec![false; count];
    for root in roots {
        if !std::mem::replace(&mut taken[root], true) {
            claim(model, &of_graph, &mut taken, root)?;
        }
    }
    Ok(())
}

/// Gives the nodes of a graph their bodies, and those of the bodies theirs.
fn claim(model: &mut Model, of_graph: &[Vec<&Call>], taken: &mut [bool], root: usize) -> Result<(), Error> {
    let mut waiting = vec![(root, 0)];
    while let Some((graph, depth)) = waiting.pop() {
        for call in &of_graph[graph] {
            let free = |&graph: &i32| !taken[graph as usize];
            let mut distinct = HashSet::new();
            if !call.graphs.iter().all(|graph| free(graph) && distinct.insert(*graph)) || call.graphs.is_empty() {
                continue;
            }
            let node = &mut model.nodes[call.node.0 as usize];
            if depth >= NESTED_BODIES {
                let message = format!("bodies are nested more than {NESTED_BODIES} deep");
                return Err(Error::new(ErrorKind::Limit, message).at(&node.place));
            }
            if let [body] = call.graphs[..] {
                node.attributes[call.attribute].1 = Attribute::Graph(GraphId(body as u32));
            }
            for &body in &call.graphs {
                taken[body as usize] = true;
                node.bodies.push(GraphId(body as u32));
                model.graphs[body as usize].owner = Some(call.node);
                waiting.push((body as usize, depth + 1));
            }
        }
    }
    Ok(())
}
