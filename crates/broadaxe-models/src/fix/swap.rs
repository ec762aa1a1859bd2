//! The operator that means the same of exchanged inputs.

use broadaxe::{System, find, frameworks};

use crate::graph::{Model, Node};

/// Returns it in the names of the model's format: the same for a commutative operator, `Less` for `Greater`.
pub(super) fn reversed(model: &Model, node: &Node) -> Option<String> {
    let system = match model.format {
        "onnx" => System::Onnx,
        "openvino" => System::Openvino,
        _ => return None,
    };
    let rows =
        || frameworks::operators(system).filter(|row| row.since() <= node.version.max(1) && row.operands().0 == 2);
    let own = rows().find(|row| row.name() == node.op)?.operator();
    let own = own.split(", on integers ").next()?;
    let other = find(own)?.reversed()?;
    if other == own {
        return Some(node.op.clone());
    }
    rows().find(|row| row.operator() == other).map(|row| row.name().to_string())
}

#[cfg(test)]
mod tests {
    use crate::fix::sample::Sample;

    #[test]
    fn names() {
        for (op, want) in [
            ("Add", Some("Add")),
            ("Less", Some("Greater")),
            ("LessOrEqual", Some("GreaterOrEqual")),
            ("Max", None),
            ("And", Some("And")),
            ("Sub", None),
            ("Pow", None),
            ("Where", None),
        ] {
            let mut sample = Sample::new(16);
            let x = sample.input("x", "(2,3)");
            sample.node(op, &[x, x], &[], "(2,3)");
            let got = super::reversed(&sample.model, &sample.model.nodes[0]);
            assert_eq!(got.as_deref(), want, "{op}");
        }
    }
}
