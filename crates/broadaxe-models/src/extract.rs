//! Extracts one node as a model of its own, to send with a report or to give to a converter.
//!
//! Constants keep their elements and stay constants. What flows in from other nodes becomes an input of the new model,
//! with the sizes it really has, and gets numbers that a seed draws. They are not those of a finding. A shape to stretch to is the one of the result.
//!
//! What an element-wise node computes of these numbers by the definition of ONNX is computed too.

use broadaxe::DType;

use crate::{
    ask::{self, MOST_DRAWN_BYTES as MOST, QuestionTensor, Random},
    error::{Error, ErrorKind},
    format::single::{self, End},
    graph::{Element, Model, Node, NodeId, ValueId},
    infer::Shapes,
    meaning::{Kind, Meaning, meaning},
};

/// A model of one node, and what to run it on.
#[derive(Clone, Debug)]
pub struct Extract {
    /// The ONNX file.
    pub model: Vec<u8>,
    /// What its inputs may be given, in their order.
    pub inputs: Vec<Input>,
    /// What the node computes of these inputs; nothing where the engine does not compute the node, and a remark says why.
    pub result: Option<Input>,
    /// What was changed in the new model, and what was not computed: one sentence each.
    pub remarks: Vec<String>,
}

/// An input or the result of the new model.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name that it has in the model too.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape, row-major.
    pub shape: Vec<usize>,
    /// Its elements, little-endian and dense.
    pub data: Vec<u8>,
}

/// Checks that nodes of a model can be extracted.
///
/// # Errors
/// [`ErrorKind::Argument`] when the model is in another format than ONNX.
pub fn check_format(model: &Model) -> Result<(), Error> {
    if model.format == "onnx" {
        return Ok(());
    }
    let message = format!("extract reads ONNX models, and the format of this one is {}", model.format);
    Err(Error::new(ErrorKind::Argument, message))
}

/// Extracts a node of an ONNX model; with `inline` the drawn numbers are constants of the new model.
///
/// # Errors
/// [`ErrorKind::Argument`] when the model is in another format, the node has bodies, or a size of an input is not known;
/// [`ErrorKind::Edit`] when an attribute or a type cannot be written; [`ErrorKind::Limit`] for an input above 256 MiB.
pub fn extract(model: &Model, shapes: &Shapes, id: NodeId, seed: u64, inline: bool) -> Result<Extract, Error> {
    let wrong = |message: String| Error::new(ErrorKind::Argument, message);
    check_format(model)?;
    let node = model.nodes.get(id.0 as usize).ok_or_else(|| wrong("there is no such node".to_owned()))?;
    if !node.bodies.is_empty() {
        return Err(wrong(format!("{} has graphs inside, which read the model around them", node.place)));
    }
    let mut made = Extract { model: Vec::new(), inputs: Vec::new(), result: None, remarks: Vec::new() };
    let (mut ends, mut random) = (Vec::with_capacity(node.inputs.len()), Random::new(seed));
    let meaning = meaning(model, id);
    // The numbers of a shape are not drawn: few would be one.
    let target = || shapes.of.get(node.output(0)?.0 as usize)?.shape.known().map(|shape| shape.dims().to_vec());
    let is_stretch = matches!(&meaning, Some(Ok(meaning)) if meaning.kind == Kind::Stretch);
    for (k, input) in node.inputs.iter().enumerate() {
        let fixed = if is_stretch && k > 0 { target() } else { None };
        ends.push(match input {
            Some(value) => made.end(model, shapes, *value, Fill { fixed, random: &mut random, inline })?,
            None => absent(),
        });
    }
    let first = ends.iter().find(|end| !end.name.is_empty()).map(|end| end.element.clone());
    let outputs: Vec<End> =
        node.outputs.iter().map(|output| result_end(model, shapes, *output, first.as_ref())).collect();
    made.model = single::write(model, node, &ends, &outputs)?;
    match made.computed(node, meaning, &ends) {
        Ok(QuestionTensor { dtype, shape, data, .. }) => {
            let name = outputs.first().map(|end| end.name.clone()).unwrap_or_default();
            made.result = Some(Input { name, dtype, shape, data });
        }
        Err(reason) => made.remarks.push(format!("the result was not computed: {reason}")),
    }
    Ok(made)
}

/// An input or result that a node leaves out.
fn absent() -> End {
    End { name: String::new(), element: Element::Known(DType::F32), shape: None, data: None }
}

/// Describes a result of the new model; `first` is the type of the first input, for results whose type is not known.
fn result_end(model: &Model, shapes: &Shapes, output: Option<ValueId>, first: Option<&Element>) -> End {
    let Some(value) = output else { return absent() };
    let known = shapes.of.get(value.0 as usize);
    let element = known.and_then(|known| known.element.clone()).or_else(|| model.value(value).element.clone());
    let shape = known.and_then(|known| known.shape.known()).map(|shape| shape.dims().to_vec());
    let element = element.or_else(|| first.cloned()).unwrap_or(Element::Known(DType::F32));
    End { name: model.value(value).name.clone(), element, shape, data: None }
}

/// How an input that is not a constant is filled.
struct Fill<'a> {
    /// The elements, where they are not drawn.
    fixed: Option<Vec<usize>>,
    random: &'a mut Random,
    /// Whether the elements become a constant of the new model.
    inline: bool,
}

impl Extract {
    /// Makes an input of the node: a constant, or an input of the new model with numbers to feed.
    fn end(&mut self, model: &Model, shapes: &Shapes, id: ValueId, fill: Fill<'_>) -> Result<End, Error> {
        let value = model.value(id);
        let name = value.name.clone();
        if let Some(constant) = &value.constant {
            let (element, shape) = (constant.element.clone(), Some(constant.shape.clone()));
            match model.elements(constant, MOST) {
                Ok(Some(data)) => return Ok(End { name, element, shape, data: Some(data) }),
                Ok(None) => self.remarks.push(format!("{name} is too large and was made an input")),
                Err(error) => self.remarks.push(format!("{name} was made an input: {error}")),
            }
        }
        let known = shapes.of.get(id.0 as usize);
        let wrong = |what: &str| {
            let message = format!("{what} of {name} is not known; give the shapes of the model's inputs");
            Error::new(ErrorKind::Argument, message)
        };
        let constant = value.constant.as_ref();
        let shape = constant.map(|constant| constant.shape.clone());
        let shape = shape.or_else(|| Some(known?.shape.known()?.dims().to_vec())).ok_or_else(|| wrong("the shape"))?;
        let element = constant.map(|constant| constant.element.clone());
        let element = element.or_else(|| known?.element.clone()).or_else(|| value.element.clone());
        let element = element.ok_or_else(|| wrong("the type"))?;
        let dtype = element.dtype().ok_or_else(|| wrong("a type that can be drawn"))?;
        let again = self.inputs.iter().find(|input| input.name == name);
        let fixed = fill.fixed.filter(|fixed| shape == [fixed.len()]);
        let drawn = || match fixed {
            Some(fixed) => Ok(fixed.iter().flat_map(|&dim| single::number_bytes(dtype, dim as f64)).collect()),
            None => fill.random.draw(dtype, &shape, None),
        };
        let data = again.map_or_else(drawn, |input| Ok(input.data.clone()))?;
        if again.is_none() {
            self.inputs.push(Input { name: name.clone(), dtype, shape: shape.clone(), data: data.clone() });
        }
        Ok(End { name, element, shape: Some(shape), data: fill.inline.then_some(data) })
    }

    /// Computes the result of the node by the definition of ONNX.
    fn computed(
        &self,
        node: &Node,
        meaning: Option<Result<Meaning, String>>,
        ends: &[End],
    ) -> Result<QuestionTensor, String> {
        let meaning = meaning.ok_or_else(|| format!("{} is not element-wise", node.op))??;
        let tensors: Vec<_> = ends.iter().map(|end| self.tensor(end)).collect();
        ask::result(node, &meaning, &tensors, MOST)
    }

    /// Returns the elements of an input of the new model; nothing where the node leaves it out, or its elements have no dtype.
    fn tensor(&self, end: &End) -> Option<QuestionTensor> {
        let input = self.inputs.iter().find(|input| input.name == end.name).filter(|_| !end.name.is_empty());
        let data = end.data.clone().or_else(|| Some(input?.data.clone()))?;
        let (dtype, shape) = (end.element.dtype()?, end.shape.clone()?);
        Some(QuestionTensor { name: end.name.clone(), dtype, shape, data, constant: false })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use broadaxe_shape::symbolic::SymbolicShape;

    use super::*;
    use crate::{
        format,
        infer::{Known, Origin},
        source::Source,
    };

    /// The shapes that a file records, and those of constants; `(1, 3, 4, 5)` for the rest.
    fn shapes(model: &Model) -> Shapes {
        let of = model.values.iter().map(|value| {
            let constant = value.constant.as_ref().map(|constant| SymbolicShape::from(constant.shape.as_slice()));
            let shape = constant.or_else(|| value.declared.clone());
            let shape = shape.unwrap_or_else(|| SymbolicShape::from([1usize, 3, 4, 5].as_slice()));
            Known { shape, element: Some(Element::Known(DType::F32)), origin: Origin::Given }
        });
        Shapes { of: of.collect(), ..Shapes::default() }
    }

    fn legacy() -> Model {
        format::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../broadaxe-format/tests/models/onnx_legacy.onnx"))
            .unwrap()
    }

    #[test]
    fn one_node() {
        let model = legacy();
        for inline in [false, true] {
            let made = extract(&model, &shapes(&model), NodeId(0), 7, inline).unwrap();
            let again = format::read(&Source::memory(made.model.clone(), None)).unwrap();
            assert_eq!((again.nodes.len(), again.opsets.as_slice()), (1, [(String::new(), 6)].as_slice()));
            let (old, new) = (model.node(NodeId(0)), again.node(NodeId(0)));
            assert_eq!((&old.op, &old.name), (&new.op, &new.name));
            assert_eq!(format!("{:?}", old.attributes), format!("{:?}", new.attributes));
            assert_eq!(again.main().inputs.len(), usize::from(!inline));
            let bias = again.value(new.input(1).unwrap()).constant.clone().unwrap();
            let kept: Vec<u8> = [0.0f32, 1.0, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
            assert_eq!((bias.shape.as_slice(), again.elements(&bias, 99).unwrap()), ([3].as_slice(), Some(kept)));
            let input = &made.inputs[0];
            assert_eq!(
                (input.name.as_str(), input.shape.as_slice(), input.data.len()),
                ("x", [1, 3, 4, 5].as_slice(), 240)
            );
            assert_eq!(made.model, extract(&model, &shapes(&model), NodeId(0), 7, inline).unwrap().model);
            let result = made.result.as_ref().unwrap();
            assert_eq!((result.dtype, result.shape.as_slice()), (DType::F32, [1, 3, 4, 5].as_slice()));
            let read = |bytes: &[u8]| -> Vec<f32> {
                bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
            };
            let want = read(&input.data).into_iter().enumerate().map(|(at, x)| x + (at / 20 % 3) as f32);
            assert_eq!(read(&result.data), want.collect::<Vec<f32>>(), "{}", old.op);
        }
    }

    #[test]
    fn what_cannot_be_taken() {
        let bodies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../broadaxe-format/tests/models/onnx_bodies.onnx");
        let bodies = format::open(&bodies).unwrap();
        let owner = bodies.nodes.iter().position(|node| node.op == "If").unwrap();
        let model = legacy();
        let cases = [
            (&bodies, NodeId(owner as u32), shapes(&bodies), "has graphs inside"),
            (&model, NodeId(99), shapes(&model), "there is no such node"),
            (&model, NodeId(0), Shapes::default(), "the shape of x is not known"),
        ];
        for (model, node, shapes, want) in cases {
            let error = extract(model, &shapes, node, 1, false).unwrap_err();
            assert!(error.to_string().contains(want), "{error}");
        }
    }
}
