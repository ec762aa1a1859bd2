//! Makes each change to a [`ModelDraft`].

use broadaxe_frameworks::{Kind, Row, System, newest};
use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    copies::{NewFields, copied, option_widths},
    draft::{ModelDraft, NewOperator, NewTensor},
    flatten::FlatValue,
    layout::field,
    options::{Holds, OptionField, fields, options_of},
    schema::{BOOL_TYPE, SHAPE_TYPE, code, element},
    settle::result_shape,
};
use crate::{
    edit::{NewNode, Place, Primitive, Scalar, ShapeOp, Wire, With, number_bytes, rejected},
    error::Error,
    graph::{Element, NodeId, Use, ValueId},
    result_shape::ResultShape,
};

/// Makes a change.
pub(super) fn apply(draft: &mut ModelDraft<'_>, edit: &Primitive) -> Result<(), Error> {
    match edit {
        Primitive::SetShape { value, shape, readers } => set_shape(draft, *value, shape, readers.as_deref()),
        Primitive::Insert { at: Place::Before(at), does, numbers } => before(draft, *at, *does, numbers),
        Primitive::Insert { at: Place::After(node), does, numbers } => after(draft, *node, *does, numbers),
        Primitive::Replace { node, with: With::Nodes(with) } => replace(draft, *node, with),
        Primitive::Replace { node, with: With::Exchanged(op) } => exchange(draft, *node, op),
        Primitive::Attribute { node, name, value } => attribute(draft, *node, name, value.as_ref()),
        Primitive::Opset(_) => Err(rejected("a TFLite model has no version for all its operators; each has its own")),
    }
}

fn set_shape(
    draft: &mut ModelDraft<'_>,
    value: ValueId,
    shape: &[usize],
    readers: Option<&[Use]>,
) -> Result<(), Error> {
    let (graph, tensor) = draft.tensor(value);
    draft.movable(graph, tensor)?;
    let Some(readers) = readers else {
        draft.set_shape(graph, tensor, SymbolicShape::from(shape));
        return Ok(());
    };
    let table = draft.part(graph).tensors[tensor as usize];
    if draft.flat.index(table, field::TENSOR_EXTERNAL_BUFFER)? > 0 {
        return Err(rejected("a constant in an external buffer cannot be copied"));
    }
    // The copy reads the same buffer.
    let buffer = draft.flat.index(table, field::TENSOR_BUFFER)?;
    let (name, element) = (format!("{}/copy", draft.name(graph, tensor)), draft.element(graph, tensor)?);
    let like = usize::try_from(tensor).ok();
    let shape = Some(SymbolicShape::from(shape));
    let copy = draft.add(graph, NewTensor { name, shape, element, buffer, like });
    for at in readers {
        let (graph, place) = draft.node(at.node);
        draft.operator(graph, place)?.inputs[at.input] = copy;
    }
    Ok(())
}

/// The operator that makes a change of shape.
fn shaper(does: ShapeOp) -> &'static str {
    match does {
        ShapeOp::Reshape | ShapeOp::Unsqueeze => "RESHAPE",
        // The GPU delegate has no BROADCAST_TO.
        ShapeOp::Expand => "TILE",
    }
}

/// Makes an operator that changes a shape; its options or its second input follow when all shapes are known.
fn shape_operator(does: ShapeOp, source: i32, output: i32, made: ResultShape) -> NewOperator {
    let op = shaper(does).to_owned();
    NewOperator { op, inputs: vec![source], output, options: (0, NewFields::default()), made, does: Some(does) }
}

/// Inserts an operator before an input.
fn before(draft: &mut ModelDraft<'_>, at: Use, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
    let (graph, place) = draft.node(at.node);
    let source = draft.input(graph, place, at.input)?;
    draft.movable(graph, source)?;
    let rank = draft.shape(graph, source).and_then(|shape| shape.rank());
    if let Some(missing) = rank.and_then(|rank| numbers.len().checked_sub(rank)).filter(|&missing| missing > 0)
        && does == ShapeOp::Expand
    {
        // TILE does not add axes.
        let axes: Vec<i64> = (0..missing as i64).collect();
        before(draft, at, ShapeOp::Unsqueeze, &axes)?;
        return before(draft, at, does, numbers);
    }
    let output = if let Some(output) = draft.shared(graph, place, (source, does, numbers))? {
        output
    } else {
        let name = format!("{}/{}", draft.name(graph, source), shaper(does).to_lowercase());
        let output = draft.add_like(graph, source, name)?;
        let operator = shape_operator(does, source, output, ResultShape::of(does, numbers));
        draft.operator(graph, place)?.before.push(operator);
        draft.share(graph, place, (source, does, numbers), output);
        output
    };
    draft.operator(graph, place)?.inputs[at.input] = output;
    Ok(())
}

/// Inserts an operator behind a result. Its tensor keeps name and number, and what the node computes gets new ones.
fn after(draft: &mut ModelDraft<'_>, node: NodeId, does: ShapeOp, numbers: &[i64]) -> Result<(), Error> {
    let (graph, place) = draft.node(node);
    let fail = |count: usize| rejected(format!("it has {count} outputs; one can be reshaped"));
    let output = match draft.operator(graph, place)?.outputs[..] {
        [output] if output >= 0 => output,
        ref outputs => return Err(fail(outputs.len()).at(&draft.model.node(node).place)),
    };
    draft.movable(graph, output)?;
    let name = format!("{}/data", draft.name(graph, output));
    let data = draft.add_like(graph, output, name)?;
    let recorded = draft.shape(graph, output);
    if let Some(recorded) = recorded.clone() {
        draft.set_shape(graph, data, recorded);
    }
    let operator = shape_operator(does, data, output, ResultShape::behind(recorded, does, numbers));
    let changed = draft.operator(graph, place)?;
    changed.outputs[0] = data;
    changed.after.push(operator);
    Ok(())
}

fn exchange(draft: &mut ModelDraft<'_>, node: NodeId, op: &str) -> Result<(), Error> {
    let (graph, place) = draft.node(node);
    let old = draft.model.node(node);
    if old.op != op && (!old.domain.is_empty() || code(op).is_none()) {
        return Err(rejected(format!("{op} is not a builtin operator of TFLite")).at(&old.place));
    }
    let kinds = (options_of(op), options_of(&old.op));
    if old.op != op && kinds != (0, 0) {
        return Err(rejected(format!("{op} has other options than {}", old.op)).at(&old.place));
    }
    let changed = draft.operator(graph, place)?;
    changed.inputs.swap(0, 1);
    if old.op != op {
        changed.op = Some(op.to_owned());
    }
    Ok(())
}

fn attribute(draft: &mut ModelDraft<'_>, node: NodeId, name: &str, value: Option<&Scalar>) -> Result<(), Error> {
    let (graph, place) = draft.node(node);
    let old = draft.model.node(node);
    let fail = |why: String| rejected(why).at(&old.place);
    let table = draft.part(graph).operators[place];
    let kind = draft.flat.byte(table, field::OPERATOR_OPTIONS_TYPE)?.unwrap_or(0);
    let kind = if kind == 0 && old.domain.is_empty() { options_of(&old.op) } else { kind };
    let known = fields(kind, false);
    let Some(at) = known.iter().position(|field| field.name == name && !name.is_empty()) else {
        return Err(fail(format!("{} has no attribute {name}", old.op)));
    };
    let made = match draft.operator(graph, place)?.options.take() {
        Some((_, made)) => made,
        None => match draft.flat.child(table, field::OPERATOR_OPTIONS)? {
            Some(options) => copied(&draft.flat, options, &option_widths(known))?,
            None => NewFields::default(),
        },
    };
    let made = with_option(made, at, known[at], value).map_err(|error| error.at(&old.place))?;
    draft.operator(graph, place)?.options = Some((kind, made));
    Ok(())
}

/// Sets a field of options, or leaves it to its default.
fn with_option(mut made: NewFields, at: usize, field: OptionField, value: Option<&Scalar>) -> Result<NewFields, Error> {
    let Some(value) = value else {
        made.remove(at);
        return Ok(made);
    };
    let wrong = || rejected(format!("{} cannot be {value}", field.name));
    let small = |number: i64| i32::try_from(number).map_err(|_| wrong());
    made.set(
        at,
        match (field.holds, value) {
            (Holds::Int(_), Scalar::Int(number)) => FlatValue::int(small(*number)?),
            (Holds::Flag(_), Scalar::Int(number @ (0 | 1))) => FlatValue::byte(u8::from(*number == 1)),
            (Holds::Float, Scalar::Float(number)) => FlatValue::Number((*number as f32).to_le_bytes().to_vec()),
            (Holds::Float, Scalar::Int(number)) => FlatValue::Number((*number as f32).to_le_bytes().to_vec()),
            (Holds::Word(words), Scalar::Text(word)) => {
                let code = words.iter().position(|known| known == word).ok_or_else(wrong)?;
                FlatValue::byte(code as u8)
            }
            (Holds::Ints, Scalar::Ints(numbers)) => {
                FlatValue::ints(numbers.iter().map(|&number| small(number)).collect::<Result<Vec<_>, _>>()?)
            }
            _ => return Err(wrong()),
        },
    );
    Ok(made)
}

/// The outputs of new operators, by the names that the change uses.
type NewWords<'w> = Vec<(&'w str, i32)>;

/// Replaces an operator by others; the last one computes its tensor.
fn replace(draft: &mut ModelDraft<'_>, node: NodeId, with: &[NewNode]) -> Result<(), Error> {
    let (graph, place) = draft.node(node);
    let old = draft.model.node(node);
    let fail = |message: String| Err(rejected(message).at(&old.place));
    let &[Some(output)] = old.outputs.as_slice() else {
        return fail(format!("it has {} outputs; one operator with one output can be replaced", old.outputs.len()));
    };
    if draft.model.is_quantized(old) {
        return fail("it computes quantized numbers, and new operators have no scales for them".to_owned());
    }
    let (mut words, mut made): (NewWords<'_>, Vec<NewOperator>) = (Vec::new(), Vec::new());
    for (k, new) in with.iter().enumerate() {
        let base = format!("{}/{}", old.name, new.op.to_lowercase());
        let result = match &new.output {
            Wire::Old(value) if *value == output && k + 1 == with.len() => Some(draft.tensor(*value).1),
            Wire::New(_) if k + 1 < with.len() => None,
            _ => return fail(format!("the last new operator computes its output, but {} does not", new.op)),
        };
        let operator =
            new_operator(draft, (graph, &base), new, result, &words).map_err(|error| error.at(&old.place))?;
        if let Wire::New(word) = &new.output {
            words.push((word, operator.output));
        }
        made.push(operator);
    }
    if made.is_empty() {
        return fail("no new operator computes its output".to_owned());
    }
    let changed = draft.operator(graph, place)?;
    changed.before = made;
    changed.replaced = true;
    Ok(())
}

fn new_operator(
    draft: &mut ModelDraft<'_>,
    (graph, base): (usize, &str),
    new: &NewNode,
    result: Option<i32>,
    words: &NewWords<'_>,
) -> Result<NewOperator, Error> {
    if code(&new.op).is_none() {
        return Err(rejected(format!("{} is not a builtin operator of TFLite", new.op)));
    }
    let mut inputs = Vec::with_capacity(new.inputs.len());
    for wire in &new.inputs {
        let input = wired(draft, (graph, base), wire, words, &inputs)?;
        inputs.push(input);
    }
    let (kind, mut made) = (options_of(&new.op), NewFields::default());
    for (name, value) in &new.attributes {
        let known = fields(kind, false);
        let at = known.iter().position(|field| field.name == name);
        let at = at.ok_or_else(|| rejected(format!("a new {} cannot have the attribute {name}", new.op)))?;
        made = with_option(made, at, known[at], Some(value))?;
    }
    let output = match result {
        Some(output) => output,
        None => new_result(draft, (graph, base), new, &inputs)?,
    };
    let recorded = result.and_then(|output| draft.shape(graph, output));
    let shape = recorded.map_or_else(|| result_shape(&new.op, inputs.len()), |known| Ok(ResultShape::Known(known)))?;
    Ok(NewOperator { op: new.op.clone(), inputs, output, options: (kind, made), made: shape, does: None })
}

/// Adds the tensor that a new operator computes.
fn new_result(
    draft: &mut ModelDraft<'_>,
    (graph, base): (usize, &str),
    new: &NewNode,
    inputs: &[i32],
) -> Result<i32, Error> {
    let row = newest(System::Tflite, &new.op);
    let typed = inputs.get(usize::from(row.is_some_and(|row| row.kind() == Kind::Select)));
    let element = match typed {
        _ if row.is_some_and(Row::is_truth) => BOOL_TYPE,
        Some(&typed) => draft.element(graph, typed)?,
        None => return Err(rejected(format!("a new {} reads nothing", new.op))),
    };
    Ok(draft.add(graph, NewTensor { name: base.to_owned(), shape: None, element, buffer: 0, like: None }))
}

/// Finds, or makes, what a new operator reads.
fn wired(
    draft: &mut ModelDraft<'_>,
    (graph, base): (usize, &str),
    wire: &Wire,
    words: &NewWords<'_>,
    earlier: &[i32],
) -> Result<i32, Error> {
    match wire {
        Wire::Old(value) => match draft.tensor(*value) {
            (other, tensor) if other == graph => Ok(tensor),
            _ => Err(rejected(format!("{} is of another subgraph", draft.model.value(*value).name))),
        },
        Wire::New(word) => {
            let known = words.iter().find(|(known, _)| known == word).map(|(_, tensor)| *tensor);
            known.ok_or_else(|| rejected(format!("a new operator reads {word}, which no earlier one computes")))
        }
        Wire::Ints(values) => {
            let small = values.iter().map(|&value| i32::try_from(value)).collect::<Result<Vec<i32>, _>>();
            let small = small.map_err(|_| rejected("a size of a TFLite model has 32 bits"))?;
            let bytes = small.iter().flat_map(|value| value.to_le_bytes()).collect();
            Ok(draft.constant(graph, format!("{base}/shape"), SHAPE_TYPE, &[values.len()], bytes))
        }
        Wire::Number(number) => {
            let first = earlier.first().map(|&first| draft.element(graph, first)).transpose()?;
            let dtype = first.map(|code| element(code.cast_signed())).as_ref().and_then(Element::dtype);
            let (Some(code), Some(dtype)) = (first, dtype) else {
                return Err(rejected(format!("the dtype of {number} in a new operator is not known")));
            };
            let bytes = number_bytes(dtype, *number);
            Ok(draft.constant(graph, format!("{base}/number"), code, &[], bytes))
        }
    }
}
