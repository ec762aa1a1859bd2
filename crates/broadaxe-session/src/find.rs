//! Finds a node of a model by its name, its number or a pattern.

use broadaxe_models::{GraphId, Model, NodeId, report::node_name};
use glob::{MatchOptions, Pattern};

use crate::error::{Error, quoted};

/// How many nodes an error lists.
const LISTED_NODES: usize = 5;

/// Patterns ignore case, and their `*` matches slashes and leading dots too.
const LOOSE: MatchOptions =
    MatchOptions { case_sensitive: false, require_literal_separator: false, require_literal_leading_dot: false };
/// The same for the names of nodes, which may differ in nothing but case.
const EXACT: MatchOptions = MatchOptions { case_sensitive: true, ..LOOSE };

/// Reads a pattern for operators: `PRelu`, `*pool*`.
///
/// # Errors
/// When it is malformed.
pub fn op_pattern(text: &str) -> Result<impl Fn(&str) -> bool + use<>, Error> {
    let pattern = pattern(text)?;
    Ok(move |op: &str| pattern.matches_with(op, LOOSE))
}

fn pattern(text: &str) -> Result<Pattern, Error> {
    Pattern::new(text).map_err(|error| {
        Error::usage(format!(
            "'{text}' is not a pattern: {} at character {}; write * for any characters",
            error.msg, error.pos
        ))
    })
}

/// Finds a node: by its name, by the name of one of its outputs, by its number in the main graph (`452`, `#452`), by its place
/// (`node 452`), or by a pattern that matches exactly one name.
///
/// # Errors
/// When no node matches, or several do.
pub fn find(model: &Model, text: &str) -> Result<NodeId, Error> {
    let ids = model.walk();
    match candidates(model, &ids, text)?.as_slice() {
        [one] => Ok(*one),
        [] => Err(missing(model, &ids, text)),
        several => {
            let mut shown: Vec<String> = several.iter().take(LISTED_NODES).map(|&id| described(model, id)).collect();
            if several.len() > LISTED_NODES {
                shown.push(format!("and {} more", several.len() - LISTED_NODES));
            }
            Err(Error::usage(format!("'{text}' matches {} nodes: {}", several.len(), shown.join(", "))))
        }
    }
}

/// Finds the nodes that [`find`] could find: one by its name or number, or all that a pattern matches.
///
/// # Errors
/// When no node matches.
pub fn find_all(model: &Model, text: &str) -> Result<Vec<NodeId>, Error> {
    let ids = model.walk();
    let found = candidates(model, &ids, text)?;
    if found.is_empty() { Err(missing(model, &ids, text)) } else { Ok(found) }
}

fn candidates(model: &Model, ids: &[NodeId], text: &str) -> Result<Vec<NodeId>, Error> {
    let found = by_name(model, ids, text).map_or_else(|| by_place(model, ids, text), |id| vec![id]);
    if found.is_empty() && text.contains(['*', '?', '[']) { by_pattern(model, ids, text) } else { Ok(found) }
}

fn missing(model: &Model, ids: &[NodeId], text: &str) -> Error {
    Error::usage(format!("the model has no node or result named '{text}'{}", hint(model, ids, text)))
}

/// Names a node and its place: `/stem/Add (node 12)`.
fn described(model: &Model, id: NodeId) -> String {
    format!("{} ({})", quoted(&node_name(model, id)), quoted(&model.node(id).place))
}

/// Finds the first node of this name; else the node that computes a value of this name.
fn by_name(model: &Model, ids: &[NodeId], name: &str) -> Option<NodeId> {
    let called = |&id: &NodeId| model.node(id).name == name;
    ids.iter()
        .copied()
        .find(called)
        .or_else(|| ids.iter().copied().find(|&id| outputs(model, id).any(|output| output == name)))
}

fn outputs(model: &Model, id: NodeId) -> impl Iterator<Item = &str> {
    model.node(id).outputs.iter().flatten().map(|&value| model.value(value).name.as_str())
}

/// Finds the nodes with this place or this number.
fn by_place(model: &Model, ids: &[NodeId], text: &str) -> Vec<NodeId> {
    let wanted: Option<u64> = number(text.strip_prefix('#').unwrap_or(text));
    let is = |&id: &NodeId| {
        let node = model.node(id);
        node.place == text || wanted == Some(node.number) && node.graph == GraphId(0)
    };
    ids.iter().copied().filter(is).collect()
}

fn number(word: &str) -> Option<u64> {
    word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.parse().ok()).flatten()
}

/// Finds the nodes whose name, or the name of one of whose outputs, matches a pattern.
fn by_pattern(model: &Model, ids: &[NodeId], text: &str) -> Result<Vec<NodeId>, Error> {
    let pattern = pattern(text)?;
    let fits = |name: &str| pattern.matches_with(name, EXACT);
    let named: Vec<NodeId> = ids.iter().copied().filter(|&id| fits(&node_name(model, id))).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    Ok(ids.iter().copied().filter(|&id| outputs(model, id).any(&fits)).collect())
}

/// Says which names are similar, or how to list the nodes.
fn hint(model: &Model, ids: &[NodeId], text: &str) -> String {
    let similar = ids.iter().map(|&id| node_name(model, id)).filter(|name| name.contains(text)).take(3);
    let similar: Vec<String> = similar.map(|name| quoted(&name)).collect();
    if similar.is_empty() {
        return "; 'broadaxe list MODEL --all' lists its nodes".to_owned();
    }
    format!("; similar names: {}", similar.join(", "))
}

#[cfg(test)]
mod tests {
    use broadaxe_models::{GraphId, Model, Node, NodeId, Source, Value, ValueId};

    use super::{find, op_pattern};

    /// Makes a model of nodes with these names, places, graphs, numbers and outputs.
    fn model(nodes: &[(&str, &str, (u32, u64), &str)]) -> Model {
        let source = Source::memory(b"".as_slice(), None);
        let mut model = Model::new("onnx", broadaxe_frameworks::System::Onnx, source);
        for (at, (name, place, (graph, number), output)) in nodes.iter().enumerate() {
            let value = ValueId(at as u32);
            model.values.push(Value { name: (*output).to_owned(), ..Value::default() });
            let (name, place, graph) = ((*name).to_owned(), (*place).to_owned(), GraphId(*graph));
            let outputs = vec![Some(value)];
            model.nodes.push(Node {
                name,
                place,
                graph,
                number: *number,
                op: "Add".into(),
                outputs,
                ..Node::default()
            });
            model.graphs[0].nodes.push(NodeId(at as u32));
        }
        model
    }

    #[test]
    fn nodes_by_name_number_and_pattern() {
        let model = model(&[
            ("/a/Add", "node 0", (0, 0), "x"),
            ("/a/Mul", "node 1", (0, 1), "12"),
            ("", "node 12", (0, 12), "y"),
            ("3", "node 2", (0, 2), "z"),
            ("odd[0]*", "node 3", (0, 3), "w"),
            ("/b/Add", "operator 0 of subgraph 2", (2, 0), "v\u{1b}"),
        ]);
        let cases: [(&str, Result<u32, &str>); 20] = [
            ("/a/Add", Ok(0)),
            ("x", Ok(0)),
            ("y", Ok(2)),
            ("12", Ok(1)),
            ("#12", Ok(2)),
            ("node 12", Ok(2)),
            ("3", Ok(3)),
            ("#3", Ok(4)),
            ("2", Ok(3)),
            ("operator 0 of subgraph 2", Ok(5)),
            ("/a/M*", Ok(1)),
            ("*z", Ok(3)),
            ("odd[0]*", Ok(4)),
            ("0", Ok(0)),
            ("*Add", Err("'*Add' matches 2 nodes: /a/Add (node 0), /b/Add")),
            ("*", Err("and 1 more")),
            ("#99", Err("no node or result named '#99'; 'broadaxe list MODEL --all'")),
            ("Mul", Err("similar names: /a/Mul")),
            ("a[", Err("is not a pattern")),
            ("#99999999999999999999", Err("no node")),
        ];
        for (text, want) in cases {
            match (find(&model, text), want) {
                (Ok(id), Ok(want)) => assert_eq!(id.0, want, "{text}"),
                (Err(error), Err(want)) => assert!(error.to_string().contains(want), "{text}: {error}"),
                (got, want) => panic!("{text}: {got:?}, not {want:?}"),
            }
        }
    }

    #[test]
    fn operators_by_pattern() {
        let cases = [
            ("prelu", "PRelu", true),
            ("*ADD", "pd_op.add", true),
            ("add", "pd_op.add", false),
            ("F.*", "F.relu", true),
        ];
        for (pattern, op, want) in cases {
            assert_eq!(op_pattern(pattern).unwrap()(op), want, "{pattern} {op}");
        }
    }
}
