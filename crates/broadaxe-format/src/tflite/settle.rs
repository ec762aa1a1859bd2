//! Infers the shapes of tensors after all changes, and completes the operators that change shapes.

use broadaxe_frameworks::{Kind, System, newest};
use broadaxe_shape::{MAX_RANK, symbolic::SymbolicShape};

use super::{
    copies::NewFields,
    draft::{ModelDraft, NewOperator},
    flatten::FlatValue,
    layout::field,
    options::options_of,
    schema::SHAPE_TYPE,
};
use crate::{
    edit::{ShapeOp, rejected},
    error::Error,
    graph::{NodeId, recorded},
    result_shape::{ResultShape, compatible, extents},
};

/// Says how the shape of an operator's result follows.
pub(super) fn result_shape(op: &str, count: usize) -> Result<ResultShape, Error> {
    let Some(row) = newest(System::Tflite, op) else { return Ok(ResultShape::Unknown) };
    match row.kind() {
        Kind::Slope => Ok(ResultShape::First),
        Kind::Binary | Kind::Select | Kind::Many if count > 1 => {
            row.rule_by().rule(&Vec::new()).map(ResultShape::Broadcast).map_err(rejected)
        }
        Kind::Unary if count == 1 => Ok(ResultShape::First),
        _ => Ok(ResultShape::Unknown),
    }
}

/// Updates the shapes of all tensors, operator by operator.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] where operands do not fit after the changes, or a shape has too many open dims.
pub(super) fn settle(draft: &mut ModelDraft<'_>) -> Result<(), Error> {
    for graph in 0..draft.graphs.len() {
        let changed = &draft.graphs[graph];
        if changed.operators.is_empty() && changed.shapes.is_empty() {
            continue;
        }
        for place in 0..draft.part(graph).operators.len() {
            let node = NodeId((draft.part(graph).first_node + place) as u32);
            settled(draft, graph, place, node).map_err(|error| error.at(&draft.model.node(node).place))?;
        }
    }
    Ok(())
}

fn settled(draft: &mut ModelDraft<'_>, graph: usize, place: usize, node: NodeId) -> Result<(), Error> {
    let Some(mut changed) = draft.graphs[graph].operators.remove(&place) else {
        let table = draft.part(graph).operators[place];
        let model = draft.model;
        let reads = model.node(node).inputs.iter().flatten();
        if reads.map(|&value| draft.tensor(value).1).any(|tensor| draft.is_changed(graph, tensor)) {
            let (inputs, outputs) =
                (draft.flat.ints(table, field::OPERATOR_INPUTS)?, draft.flat.ints(table, field::OPERATOR_OUTPUTS)?);
            result(draft, (graph, node), None, &inputs, &outputs)?;
        }
        return Ok(());
    };
    for fresh in &mut changed.before {
        complete(draft, graph, fresh)?;
    }
    if !changed.replaced {
        result(draft, (graph, node), changed.op.as_deref(), &changed.inputs, &changed.outputs)?;
    }
    for fresh in &mut changed.after {
        complete(draft, graph, fresh)?;
    }
    draft.graphs[graph].operators.insert(place, changed);
    Ok(())
}

/// Infers the shape of an operator of the file with one output, where its row says how.
fn result(
    draft: &mut ModelDraft<'_>,
    (graph, node): (usize, NodeId),
    op: Option<&str>,
    inputs: &[i32],
    outputs: &[i32],
) -> Result<(), Error> {
    let old = draft.model.node(node);
    let &[output] = outputs else { return Ok(()) };
    if !old.domain.is_empty() || inputs.contains(&-1) {
        return Ok(());
    }
    let follows = result_shape(op.unwrap_or(&old.op), inputs.len())?;
    let shapes: Vec<_> = inputs.iter().map(|&input| draft.shape(graph, input)).collect();
    let shape = follows.shape(&shapes).map_err(|error| rejected(format!("after this change, {error}")))?;
    if let Some(shape) = shape
        && draft.shape(graph, output).is_none_or(|recorded| !compatible(&recorded, &shape))
    {
        set(draft, graph, output, shape)?;
    }
    Ok(())
}

/// Sets a shape that a file can record.
fn set(draft: &mut ModelDraft<'_>, graph: usize, tensor: i32, shape: SymbolicShape) -> Result<(), Error> {
    let dims = shape.dims().unwrap_or_default();
    let large = |size: usize| i32::try_from(size).is_err();
    let fits = dims.len() <= MAX_RANK && !dims.iter().filter_map(broadaxe_shape::symbolic::Dim::size).any(large);
    if !fits || recorded(dims.to_vec()).is_err() {
        return Err(rejected(format!("a tensor cannot have the shape {shape}")));
    }
    draft.set_shape(graph, tensor, shape);
    Ok(())
}

/// Infers the shape of a new operator, and writes it into the operator where it changes shapes.
fn complete(draft: &mut ModelDraft<'_>, graph: usize, fresh: &mut NewOperator) -> Result<(), Error> {
    let shapes: Vec<_> = fresh.inputs.iter().map(|&input| draft.shape(graph, input)).collect();
    let shape = fresh.made.shape(&shapes)?;
    if let Some(shape) = shape.clone() {
        set(draft, graph, fresh.output, shape)?;
    }
    let Some(does) = fresh.does else { return Ok(()) };
    let shape = shape.ok_or_else(|| rejected("the shape of the operand is not known"))?;
    let sizes: Vec<i32> = extents(&shape).iter().map(|&size| size as i32).collect();
    let open = sizes.iter().filter(|&&size| size == -1).count();
    if does == ShapeOp::Expand {
        let own = shapes[0].as_ref().map(extents).unwrap_or_default();
        let times = |(&own, &size): (&i64, &i32)| match (own, size) {
            (own, size) if own == i64::from(size) => Some(1),
            (1, -1) | (-1, _) => None,
            (_, size) => Some(size),
        };
        let times: Option<Vec<i32>> = own.iter().zip(&sizes).map(times).collect();
        let times =
            times.ok_or_else(|| rejected(format!("TILE needs the sizes of what it repeats; the shape is {shape}")))?;
        let bytes = times.iter().flat_map(|size| size.to_le_bytes()).collect();
        let name = format!("{}/multiples", draft.name(graph, fresh.output));
        let multiples = draft.constant(graph, name, SHAPE_TYPE, &[times.len()], bytes);
        fresh.inputs.push(multiples);
    } else {
        if open > 1 {
            return Err(rejected(format!("RESHAPE keeps one open dim at most, but the shape is {shape}")));
        }
        let mut options = NewFields::default();
        options.set(0, FlatValue::ints(sizes));
        fresh.options = (options_of(&fresh.op), options);
    }
    Ok(())
}
