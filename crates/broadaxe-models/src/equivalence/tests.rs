use super::*;
use crate::{fix::Intent, format, infer::infer, meaning::meaning, testing, upgrade};

/// Finds the node that makes a value, through those that keep its elements.
fn maker(model: &Model, name: &str) -> NodeId {
    let mut at = (0..).map(ValueId).zip(&model.values).find(|(_, value)| value.name == name).expect(name).0;
    loop {
        let (id, _) = model.value(at).producer.expect(name);
        let node = model.node(id);
        if !keeps_elements(model, node) {
            return id;
        }
        at = node.input(0).expect(name);
    }
}

/// Compares the nodes that make `y` in two models.
fn compared((before, shapes): (&Model, &Shapes), (after, changed): (&Model, &Shapes)) -> Equivalence {
    let (a, b) = (maker(before, "y"), maker(after, "y"));
    let (own, other) = (meaning(before, a).unwrap().unwrap(), meaning(after, b).unwrap().unwrap());
    let a = Side { model: before, shapes, node: a, meaning: &own };
    let b = Side { model: after, shapes: changed, node: b, meaning: &other };
    equivalence(&a, &b, &mut Tensors::new(before, after))
}

fn texts(before: &str, after: &str) -> Equivalence {
    let ((model, shapes), (after, changed)) = (testing::model(before), testing::model(after));
    compared((&model, &shapes), (&after, &changed))
}

#[test]
fn nodes_that_are_written_differently() {
    let same: &[(&str, &str)] = &[
        ("x(2,3); c=const(3); y=Sub(x,c)", "x(2,3); c=const(1,3); y=Sub(x,c)"),
        ("x(2,3); c=const(3); y=Sub(x,c)", "x(2,3); d=const(1,3); y=Sub(x,d)"),
        ("x(2,3); c=const(3); y=Sub(x,c)", "opset 6; x(2,3); c=const(3); y=Sub(x,c) broadcast=1 axis=1"),
        ("x(2,3); z(3); y=Sub(x,z)", "x(2,3); z(3); a=const:i64(1)=0; u=Unsqueeze(z,a); y=Sub(x,u)"),
        ("x(2,3); z(3); y=Sub(x,z)", "x(2,3); z(3); a=const:i64(1)=0; u=Unsqueeze(x,a); v=Sub(u,z); y=Squeeze(v,a)"),
        ("x(2,3); z(3); y=Sub(x,z)", "x(2,3); z(3); e=Shape(x); s=Expand(z,e); y=Sub(x,s)"),
        ("x(2,3); z(3); y=Add(x,z)", "x(2,3); z(3); y=Add(z,x)"),
        ("x(2,3); z(3); y=Less(x,z)", "x(2,3); z(3); y=Greater(z,x)"),
        ("x(n,3); z(3); y=Sub(x,z)", "x(n,3); z(3); a=const:i64(1)=0; u=Unsqueeze(z,a); y=Sub(x,u)"),
        ("x(2,3); y=Sqrt(x)", "opset 6; x(2,3); y=Sqrt(x)"),
    ];
    let different: &[(&str, &str)] = &[
        ("x(3,3); c=const(3); y=Sub(x,c)", "x(3,3); c=const(3,1); y=Sub(x,c)"),
        ("x(3,3); z(3); y=Sub(x,z)", "x(3,3); z(3); a=const:i64(1)=1; u=Unsqueeze(z,a); y=Sub(x,u)"),
        ("x(2,3); z(2,3); y=Sub(x,z)", "x(2,3); z(2,3); y=Sub(z,x)"),
        ("x(2,3); z(2,3); w(2,3); o=Add(z,w); y=Sub(x,z)", "x(2,3); z(2,3); w(2,3); o=Add(z,w); y=Sub(x,w)"),
        ("x(n,n); z(n); y=Sub(x,z)", "x(n,n); z(n); a=const:i64(1)=1; u=Unsqueeze(z,a); y=Sub(x,u)"),
        ("x(2,3); z(2,3); y=Less(x,z)", "x(2,3); z(2,3); y=Greater(x,z)"),
        ("x(2,3); z(3); y=Add(x,z)", "x(2,3); z(3); y=Sub(x,z)"),
        ("x(2,3); z(m); y=Sub(x,z)", "x(2,3); z(3); y=Sub(x,z)"),
    ];
    for (before, after) in same {
        assert_eq!(texts(before, after), Equivalence::Same, "{before} and {after}");
        assert_eq!(texts(after, before), Equivalence::Same, "{after} and {before}");
    }
    for (before, after) in different {
        assert_ne!(texts(before, after), Equivalence::Same, "{before} and {after}");
        assert_ne!(texts(after, before), Equivalence::Same, "{after} and {before}");
    }
}

/// What is proven is never refuted by numbers.
#[test]
fn what_is_the_same_computes_the_same() {
    let ends = ["c=const(3)", "c=const(3,1)", "c=const(1,3)", "c=const(1,1,3)", "c=const(1,3,1)", "c=const(1)"];
    let wheres = [
        "y=Sub(x,c)",
        "y=Sub(c,x)",
        "a=const:i64(1)=0; u=Unsqueeze(x,a); v=Sub(u,c); y=Squeeze(v,a)",
        "a=const:i64(1)=1; u=Unsqueeze(x,a); v=Sub(u,c); y=Squeeze(v,a)",
        "s=const:i64(2)=3; e=Expand(c,s); y=Sub(x,e)",
    ];
    let mut all = Vec::new();
    for (end, place) in ends.iter().flat_map(|end| wheres.iter().map(move |place| (end, place))) {
        // Numbers are compared by the names of results, which only `y` keeps.
        let text = format!("x(3,3); {end}; {place}").replace('v', &format!("v{}_", all.len()));
        let made = std::panic::catch_unwind(|| testing::model(&text));
        let Ok((model, shapes)) = made else { continue };
        let y = model.values.iter().position(|value| value.name == "y").unwrap();
        if shapes.of[y].shape.known().is_some_and(|shape| shape.dims() == [3, 3]) {
            all.push((text, model, shapes));
        }
    }
    let mut proven = 0;
    for ((text, model, shapes), (other, after, changed)) in
        all.iter().flat_map(|one| all.iter().map(move |other| (one, other)))
    {
        let equivalence = compared((model, shapes), (after, changed));
        proven += usize::from(equivalence == Equivalence::Same);
        // Operands of the first model are drawn as they are, so they have to be the tensors themselves.
        if equivalence == Equivalence::Same && (text.ends_with("y=Sub(x,c)") || text.ends_with("y=Sub(c,x)")) {
            let verified = crate::verify::verify(model, shapes, after, changed).unwrap();
            assert_eq!(verified.difference, None, "{text} and {other}");
        }
    }
    assert!(proven > 2 * all.len(), "{proven} of {}", all.len());
}

#[test]
fn fixed_models_are_the_same() {
    let cases = [("position.tflite", "litert-gpu", "embedded"), ("face.onnx", "ncnn", "bias1")];
    for (file, target, _) in cases {
        let path = format!("{}/../../examples/{file}", env!("CARGO_MANIFEST_DIR"));
        let source = crate::source::Source::open(std::path::Path::new(&path)).unwrap();
        let model = format::read(&source).unwrap();
        let shapes = infer(&model, &[]).unwrap();
        let (upgraded, plan) = upgrade::plan(&model, &shapes, &[target.parse().unwrap()], Intent::Unknown).unwrap();
        let base = upgraded.as_ref().map_or(&model, |upgraded| &upgraded.model);
        let fixed = format::changed(base, &format::write(base, &plan.edits).unwrap()).unwrap();
        let changed = infer(&fixed, &[]).unwrap();
        let uses = fixed.uses();
        let mut tensors = Tensors::new(&model, &fixed);
        let mut nodes = 0;
        for id in model.walk() {
            let Some(Ok(own)) = meaning(&model, id) else { continue };
            let name = &model.value(model.node(id).output(0).unwrap()).name;
            let makes = |other: &NodeId| {
                let output = fixed.node(*other).output(0).unwrap();
                let aliases = reshaped(&fixed, &uses, output);
                [output].iter().chain(&aliases).any(|value| fixed.value(*value).name == *name)
            };
            let other = fixed.walk().into_iter().filter(|id| matches!(meaning(&fixed, *id), Some(Ok(_)))).find(makes);
            let other = other.expect(name);
            let its = meaning(&fixed, other).unwrap().unwrap();
            let a = Side { model: &model, shapes: &shapes, node: id, meaning: &own };
            let b = Side { model: &fixed, shapes: &changed, node: other, meaning: &its };
            assert_eq!(equivalence(&a, &b, &mut tensors), Equivalence::Same, "{file}: {name}");
            nodes += 1;
        }
        assert!(nodes > 0, "{file}");
    }
}
