//! Follows the edges of a net, and sorts its layers topologically.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use super::net::Net;
use crate::error::Error;

/// The edges of a net by position.
pub(super) struct Links {
    /// For every layer and input the layer and output that feed it, and the edge between.
    pub(super) sources: Vec<Vec<(usize, usize, usize)>>,
    /// The layers in order; where that leaves a choice, as in the file.
    pub(super) order: Vec<usize>,
}

/// Follows the edges of a net.
///
/// # Errors
/// [`crate::ErrorKind::Format`] for ids given twice, edges from or to nothing, inputs with no edge or two, and cycles.
pub(super) fn links(net: &Net) -> Result<Links, Error> {
    let mut ids = HashMap::with_capacity(net.layers.len());
    for (index, layer) in net.layers.iter().enumerate() {
        if let Some(other) = ids.insert(layer.id, index) {
            let message = format!("its id is also that of {}; ids must differ", net.layers[other].place());
            return Err(Error::format(message).at(layer.place()));
        }
    }
    let mut sources: Vec<Vec<Option<(usize, usize, usize)>>> =
        net.layers.iter().map(|layer| vec![None; layer.inputs.len()]).collect();
    for (number, edge) in net.edges.iter().enumerate() {
        let ((from_layer, from_port), (to_layer, to_port)) = (edge.from, edge.to);
        let place = format!("edge {from_layer}:{from_port} to {to_layer}:{to_port}");
        let nothing = |what: &str| Error::format(format!("there is no {what}")).at(&place);
        let from = *ids.get(&from_layer).ok_or_else(|| nothing(&format!("layer {from_layer}")))?;
        let to = *ids.get(&to_layer).ok_or_else(|| nothing(&format!("layer {to_layer}")))?;
        let output = net.layers[from].outputs.iter().position(|port| port.id == from_port);
        let input = net.layers[to].inputs.iter().position(|port| port.id == to_port);
        let output = output.ok_or_else(|| nothing(&format!("output port {from_port}")))?;
        let input = input.ok_or_else(|| nothing(&format!("input port {to_port}")))?;
        if sources[to][input].replace((from, output, number)).is_some() {
            return Err(Error::format("another edge ends there too; an input has one edge").at(place));
        }
    }
    let sources = sources.into_iter().enumerate().map(|(index, inputs)| {
        let layer = &net.layers[index];
        let joined = inputs.into_iter().zip(&layer.inputs).map(|(source, port)| {
            source.ok_or_else(|| Error::format(format!("no edge ends at its input port {}", port.id)).at(layer.place()))
        });
        joined.collect()
    });
    let sources: Vec<Vec<_>> = sources.collect::<Result<_, _>>()?;
    let order = order(net, &sources)?;
    Ok(Links { sources, order })
}

fn order(net: &Net, sources: &[Vec<(usize, usize, usize)>]) -> Result<Vec<usize>, Error> {
    let mut readers = vec![Vec::new(); sources.len()];
    for (to, inputs) in sources.iter().enumerate() {
        for &(from, ..) in inputs {
            readers[from].push(to);
        }
    }
    let mut open: Vec<usize> = sources.iter().map(Vec::len).collect();
    let mut ready: BinaryHeap<_> = (0..open.len()).filter(|&k| open[k] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(open.len());
    while let Some(Reverse(next)) = ready.pop() {
        order.push(next);
        for &reader in &readers[next] {
            open[reader] -= 1;
            if open[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    match open.iter().position(|&count| count > 0) {
        // An open layer is on a cycle or depends on one, so following open inputs back ends on the cycle.
        Some(mut layer) => {
            for _ in 0..open.len() {
                layer = sources[layer].iter().map(|source| source.0).find(|&from| open[from] > 0).unwrap_or(layer);
            }
            Err(Error::format("it reads its own output: the edges form a cycle").at(net.layers[layer].place()))
        }
        None => Ok(order),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::net::nets, *};

    /// A net of layers, each with its counts of inputs and outputs, and edges by layer and port.
    fn text(layers: &[(u64, usize, usize)], edges: &[(u64, u64, u64, u64)]) -> String {
        let ports = |from: usize, count: usize| -> String {
            (from..from + count).fold(String::new(), |text, id| text + "<port id=\"" + &id.to_string() + "\"/>")
        };
        let layer = |&(id, inputs, outputs): &(u64, usize, usize)| {
            let (input, output) = (ports(0, inputs), ports(inputs, outputs));
            format!(
                "<layer id=\"{id}\" name=\"l{id}\" type=\"T\"><input>{input}</input><output>{output}</output></layer>"
            )
        };
        let edge = |&(from, port, to, input): &(u64, u64, u64, u64)| {
            format!("<edge from-layer=\"{from}\" from-port=\"{port}\" to-layer=\"{to}\" to-port=\"{input}\"/>")
        };
        let (layers, edges): (String, String) = (layers.iter().map(layer).collect(), edges.iter().map(edge).collect());
        format!("<net version=\"11\"><layers>{layers}</layers><edges>{edges}</edges></net>")
    }

    #[test]
    fn layers_are_sorted() {
        // Layers, edges, and the order or the error.
        type Case<'a> = (&'a [(u64, usize, usize)], &'a [(u64, u64, u64, u64)], Result<&'a [usize], &'a str>);
        let cases: &[Case<'_>] = &[
            (&[], &[], Ok(&[])),
            (&[(0, 0, 1), (1, 1, 0)], &[(0, 0, 1, 0)], Ok(&[0, 1])),
            (&[(5, 1, 0), (3, 0, 1)], &[(3, 0, 5, 0)], Ok(&[1, 0])),
            (&[(2, 2, 1), (1, 1, 1), (0, 0, 1)], &[(0, 0, 1, 0), (0, 0, 2, 0), (1, 1, 2, 1)], Ok(&[2, 1, 0])),
            (&[(0, 0, 1), (1, 0, 1), (2, 0, 1)], &[], Ok(&[0, 1, 2])),
            (&[(0, 0, 1), (0, 1, 0)], &[], Err("layer 0 (l0): its id is also that of layer 0 (l0); ids must differ")),
            (&[(0, 0, 1), (1, 1, 0)], &[], Err("layer 1 (l1): no edge ends at its input port 0")),
            (&[(0, 0, 1), (1, 1, 0)], &[(7, 0, 1, 0)], Err("edge 7:0 to 1:0: there is no layer 7")),
            (&[(0, 0, 1), (1, 1, 0)], &[(0, 0, 7, 0)], Err("edge 0:0 to 7:0: there is no layer 7")),
            (&[(0, 0, 1), (1, 1, 0)], &[(0, 4, 1, 0)], Err("edge 0:4 to 1:0: there is no output port 4")),
            (&[(0, 0, 1), (1, 1, 0)], &[(0, 0, 1, 4)], Err("edge 0:0 to 1:4: there is no input port 4")),
            (&[(0, 0, 1), (1, 1, 0)], &[(0, 0, 1, 0); 2], Err("another edge ends there too; an input has one edge")),
            (&[(0, 1, 1)], &[(0, 1, 0, 0)], Err("layer 0 (l0): it reads its own output: the edges form a cycle")),
            (
                &[(0, 1, 1), (1, 1, 1), (2, 1, 0)],
                &[(0, 1, 1, 0), (1, 1, 0, 0), (1, 1, 2, 0)],
                Err("the edges form a cycle"),
            ),
        ];
        for (layers, edges, want) in cases {
            let nets = nets(&text(layers, edges)).unwrap();
            match (links(&nets[0]), want) {
                (Ok(links), Ok(want)) => assert_eq!(links.order, *want, "{layers:?} {edges:?}"),
                (Err(error), Err(want)) => assert!(error.to_string().contains(want), "{error}, not {want}"),
                (got, want) => panic!("{:?}, not {want:?}", got.map(|links| links.order)),
            }
        }
    }
}
