//! Changes a TFLite model: one constant's shape in place, everything else by a front before the file.

use super::{
    change::apply,
    copies::{TENSOR_WIDTHS, copied},
    draft::ModelDraft,
    layout::{field, layout},
    read,
    render::render,
    settle::settle,
};
use crate::{
    Rewritten,
    edit::{Lowered, Piece, Splice, each_of, rejected},
    error::Error,
    graph::Model,
    result_shape::{extents, same},
    source::Source,
};

/// What the last record of a ZIP begins with, and how far from the end it may be.
const ZIP_END: &[u8] = b"PK\x05\x06";
const ZIP_COMMENT: u64 = 22 + (1 << 16);
/// The largest offset that is patched: readers take FlatBuffers up to 2 GiB.
const LARGEST_OFFSET: u64 = i32::MAX as u64;

/// Makes changes to a model; all other bytes are kept.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for a change that a TFLite model cannot have.
pub(super) fn write(model: &Model, edits: &Lowered) -> Result<Rewritten, Error> {
    let (again, layout) = read::read_with_layout(&model.source)?;
    same(model, &again)?;
    if layout.bundled {
        return Err(rejected("a .litertlm cannot be changed; take its model out and change that"));
    }
    let (flat, _) = self::layout(&model.source)?;
    let mut draft = ModelDraft::new(model, flat, &layout);
    each_of(edits, |edit| apply(&mut draft, edit))?;
    settle(&mut draft)?;
    if let Some(pieces) = in_place(&draft)? {
        return Ok((pieces, Vec::new()));
    }
    let pieces = vec![Piece::New(render(&draft)?), Piece::Kept { at: 0, len: model.source.len() }];
    reread(model, &pieces).map_err(|error| rejected(format!("the changed model cannot be read: {error}")))?;
    Ok((pieces, Vec::new()))
}

/// Reads a model with these changes.
fn reread(model: &Model, pieces: &[Piece]) -> Result<Model, Error> {
    read::read(&Source::parts(Some(&model.source), pieces.to_vec(), None)?)
}

/// Gives constants other shapes by one vector each behind the file and its offset in the tensor; nothing where that is not
/// enough, or where a ZIP must stay last.
fn in_place(draft: &ModelDraft<'_>) -> Result<Option<Vec<Piece>>, Error> {
    let only_shapes = draft.graphs.iter().all(|graph| graph.operators.is_empty() && graph.tensors.is_empty());
    let source = &draft.model.source;
    if !only_shapes || ends_with_zip(source)? {
        return Ok(None);
    }
    let (mut splice, mut added) = (Splice::default(), Vec::new());
    let end = source.len();
    added.resize((end.next_multiple_of(4) - end) as usize, 0);
    for (graph, changes) in draft.graphs.iter().enumerate() {
        for (&tensor, shape) in &changes.shapes {
            let (Some(at), Some(place)) = (patched(draft, graph, tensor)?, Some(end + added.len() as u64)) else {
                return Ok(None);
            };
            if place - at > LARGEST_OFFSET {
                return Ok(None);
            }
            let sizes: Vec<i32> = extents(shape).into_iter().map(|size| size as i32).collect();
            added.extend((sizes.len() as u32).to_le_bytes());
            added.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
            splice.pieces_at(at..at + 4, vec![Piece::New(((place - at) as u32).to_le_bytes().to_vec())]);
        }
    }
    let Ok(mut pieces) = splice.pieces(end) else { return Ok(None) };
    pieces.push(Piece::New(added));
    Ok(is_as_wanted(draft, &pieces).then_some(pieces))
}

/// Returns where the offset of a constant's shape is; nothing where the constant needs another table.
fn patched(draft: &ModelDraft<'_>, graph: usize, tensor: usize) -> Result<Option<u64>, Error> {
    let (flat, part) = (&draft.flat, draft.part(graph));
    let table = part.tensors[tensor];
    let value = &draft.model.values[part.first_value + tensor];
    let scales = value.quantization.as_ref().map_or(0, |known| known.scales.len());
    if value.constant.is_none() || scales > 1 || flat.field(table, field::TENSOR_SIGNATURE)?.is_some() {
        return Ok(None);
    }
    copied(flat, table, TENSOR_WIDTHS)?;
    flat.field(table, field::TENSOR_SHAPE)
}

/// Says whether a model that was changed in place holds what it held, but for the shapes that change.
fn is_as_wanted(draft: &ModelDraft<'_>, pieces: &[Piece]) -> bool {
    let Ok(changed) = reread(draft.model, pieces) else { return false };
    let expected = |(k, (old, new)): (usize, (&crate::Value, &crate::Value))| {
        let graph = old.graph.0 as usize;
        let wanted = draft.graphs[graph].shapes.get(&(k - draft.part(graph).first_value));
        (&old.name, wanted.or(old.declared.as_ref())) == (&new.name, new.declared.as_ref())
    };
    changed.nodes.len() == draft.model.nodes.len()
        && changed.values.len() == draft.model.values.len()
        && draft.model.values.iter().zip(&changed.values).enumerate().all(expected)
}

/// Says whether a ZIP follows the model, which tools look for at the end.
fn ends_with_zip(source: &Source) -> Result<bool, Error> {
    let len = source.len().min(ZIP_COMMENT);
    let tail = source.read(source.len() - len, len as usize)?;
    Ok(tail.windows(ZIP_END.len()).any(|window| window == ZIP_END))
}
