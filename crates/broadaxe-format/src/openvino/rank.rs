//! Finds the ports without extents that are scalars.
//!
//! The file writes a scalar and a tensor of unknown rank alike: a port without a dim. A result is certainly a scalar where
//! the ranks of all inputs are known and decide the rank of the result. That holds for element-wise layers, and for other
//! layers if all inputs but the first are constant.

use broadaxe_frameworks::{Kind, Row, System, newest};

use super::net::Layer;

/// What is known of an input of a layer.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// Whether its rank is known.
    pub(super) rank: bool,
    /// Whether it is a constant.
    pub(super) constant: bool,
    /// Whether all its extents are known.
    pub(super) sizes: bool,
}

/// Operators that are not element-wise, or not in the tables, and whose result has the rank of their first input.
const RANKED: &[&str] = &["FakeConvert", "HardSigmoid", "Identity", "Selu", "SoftMax"];

/// Says whether the result of an operator has the rank of its only input.
pub(super) fn keeps_rank(kind: &str) -> bool {
    RANKED.contains(&kind) || newest(System::Openvino, kind).is_some_and(|row| row.kind() == Kind::Unary)
}

/// Says whether the ranks of an operator's inputs give that of its result: the largest, or that of the first.
fn is_ranked(kind: &str) -> bool {
    let element_wise = |row: &Row| row.kind() != Kind::Stretch;
    RANKED.contains(&kind) || newest(System::Openvino, kind).is_some_and(element_wise)
}

/// Says whether the rank of a layer's results follows from what it reads.
pub(super) fn follows(layer: &Layer, inputs: &[Known]) -> bool {
    if !layer.bodies.is_empty() || inputs.iter().any(|input| !input.rank) {
        return false;
    }
    let element_wise = layer.setting("auto_broadcast").is_some() || is_ranked(&layer.kind);
    let constant = inputs.iter().skip(1).all(|input| input.constant);
    let squeezed = layer.kind == "Squeeze" && inputs.len() == 1;
    match layer.kind.as_str() {
        _ if inputs.is_empty() => false,
        _ if element_wise => true,
        "Reshape" | "Broadcast" => inputs.get(1).is_some_and(|target| target.sizes),
        "ReadValue" => inputs.iter().all(|input| input.sizes),
        _ if squeezed => inputs[0].sizes,
        _ => constant,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::net::nets, *};

    #[test]
    fn ranks_that_follow() {
        // An input of unknown rank, one of known rank, one with known extents, and a constant.
        let input = |letter| match letter {
            '?' => Known { rank: false, constant: false, sizes: false },
            'r' => Known { rank: true, constant: false, sizes: false },
            's' => Known { rank: true, constant: false, sizes: true },
            'c' => Known { rank: true, constant: true, sizes: true },
            other => panic!("{other}"),
        };
        let cases = [
            ("Add", "", "rr", true),
            ("Add", "", "r?", false),
            ("Add", "", "", false),
            ("ReLU", "", "r", true),
            ("Selu", "", "rrr", true),
            ("Unheard", "", "r", true),
            ("Unheard", "", "rr", false),
            ("Unheard", "", "rc", true),
            ("Unheard", "auto_broadcast=\"numpy\"", "rr", true),
            ("Reshape", "", "rr", false),
            ("Reshape", "", "rs", true),
            ("Broadcast", "", "r", false),
            ("Squeeze", "", "r", false),
            ("Squeeze", "", "s", true),
            ("Squeeze", "", "rc", true),
            ("ReadValue", "", "r", false),
            ("ReadValue", "", "s", true),
        ];
        for (kind, data, inputs, want) in cases {
            let text = format!(
                "<net version=\"11\"><layers><layer id=\"0\" name=\"l\" type=\"{kind}\"><data {data}/></layer></layers></net>"
            );
            let inputs: Vec<Known> = inputs.chars().map(input).collect();
            assert_eq!(follows(&nets(&text).unwrap()[0].layers[0], &inputs), want, "{kind} {data} {}", inputs.len());
        }
    }

    #[test]
    fn operators_that_keep_the_rank() {
        for (kind, want) in [("ReLU", true), ("Identity", true), ("Selu", true), ("Add", false), ("Unheard", false)] {
            assert_eq!(keeps_rank(kind), want, "{kind}");
        }
    }
}
