//! Finds the operator that means the same with exchanged inputs.

use broadaxe_frameworks::{System, computing};
use broadaxe_kernels::OpId;

use crate::{
    graph::{Model, Node},
    meaning,
};

/// Returns it in the names of the model's format: the same for a commutative operator, `Less` for `Greater`.
pub(super) fn reversed(model: &Model, node: &Node) -> Option<String> {
    if !matches!(model.system, System::Onnx | System::Openvino) {
        return None;
    }
    let row = meaning::row(model, node)?.ok()?;
    if row.operands() != (2, 2) {
        return None;
    }
    let mut choices = row.choices();
    let own = choices.next()?.arithmetic.operator()?;
    let other = OpId::find(own.op().reversed()?)?;
    if choices.any(|choice| choice.arithmetic.operator() != Some(own)) {
        return None;
    }
    if other == own {
        return Some(node.op.clone());
    }
    let opset = if node.version > 0 { node.version } else { i64::MAX };
    computing(model.system, other, opset).map(|row| row.name().to_string())
}

#[cfg(test)]
mod tests {
    use crate::testing::Sample;

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
