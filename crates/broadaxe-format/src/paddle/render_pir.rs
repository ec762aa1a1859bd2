//! Writes a draft as JSON: operands, types and names are replaced, and operations are inserted.

use std::{collections::BTreeMap, ops::Range};

use broadaxe_shape::symbolic::SymbolicShape;

use super::{
    PROGRAM_LIMITS,
    draft::{NewOp, Operand, ProgramDraft},
    json::{Json, parse, quote},
    pir::PirPlaces,
};
use crate::{
    edit::{Piece, Scalar, ShapeOp, Splice, rejected},
    error::Error,
    graph::{NodeId, Use, ValueId},
    result_shape::extents,
};

/// Writes the changed program, in pieces.
///
/// # Errors
/// [`crate::ErrorKind::Edit`] for attributes that are of another kind, and where two changes are about the same words.
pub(super) fn render(draft: &ProgramDraft<'_>, places: &PirPlaces) -> Result<Vec<Piece>, Error> {
    let text = draft.model.source.text(PROGRAM_LIMITS.bytes)?;
    let mut render = PirRender { text: &text, draft, places, cuts: Splice::default() };
    render.reads();
    render.types()?;
    render.nodes()?;
    render.fresh()?;
    render.cuts.pieces(text.len() as u64)
}

struct PirRender<'a> {
    text: &'a str,
    draft: &'a ProgramDraft<'a>,
    places: &'a PirPlaces,
    cuts: Splice,
}

/// A value of the file and its place, parsed again.
fn again(text: &str, span: &Range<usize>) -> Result<Json, Error> {
    parse(&text[span.clone()])
}

/// Moves a place in a part of the text to its place in the whole.
fn moved(inner: &Range<usize>, by: usize) -> Range<usize> {
    inner.start + by..inner.end + by
}

impl PirRender<'_> {
    /// Returns the number of the value at an end; new operations take two numbers each.
    fn number(&self, end: Operand) -> i64 {
        match end {
            Operand::Old(ValueId(value)) => self.places.values[value as usize].0,
            Operand::New(fresh) => self.places.last.saturating_add(2 + 2 * fresh as i64),
        }
    }

    fn reads(&mut self) {
        for (&Use { node, input }, &end) in &self.draft.reads {
            let span = self.places.nodes[node.0 as usize].1[input].clone();
            self.cuts.text(span, format!("{{\"%\":{}}}", self.number(end)));
        }
        let mut seen = BTreeMap::new();
        for (graph, span) in &self.places.outputs {
            let position = seen.entry(*graph).or_insert(0);
            if let Some(&end) = self.draft.outputs.get(&(*graph, *position)) {
                self.cuts.text(span.clone(), format!("{{\"%\":{}}}", self.number(end)));
            }
            *position += 1;
        }
    }

    fn types(&mut self) -> Result<(), Error> {
        for (value, shape) in &self.draft.shapes {
            let span = &self.places.values[value.0 as usize].1;
            let kind = again(self.text, span)?;
            if let Some(dims) = kind.get("D").and_then(|data| data.items().get(1)) {
                self.cuts.text(moved(&dims.span, span.start), dims_of(shape));
            }
        }
        Ok(())
    }

    fn nodes(&mut self) -> Result<(), Error> {
        for (node, kind) in &self.draft.kinds {
            let span = &self.places.nodes[node.0 as usize].0;
            let op = again(self.text, span)?;
            let name = op.wanted("#")?;
            let dialect = name.text().and_then(|name| name.split_once('.')).map_or("1", |pair| pair.0);
            self.cuts.text(moved(&name.span, span.start), quote(&format!("{dialect}.{kind}")));
        }
        for ((node, name), value) in &self.draft.attributes {
            self.attribute(*node, name, value)?;
        }
        Ok(())
    }

    fn attribute(&mut self, node: NodeId, name: &str, value: &Scalar) -> Result<(), Error> {
        let place = &self.draft.model.node(node).place;
        let span = &self.places.nodes[node.0 as usize].0;
        let op = again(self.text, span)?;
        let named = |entry: &&Json| entry.get("N").and_then(Json::text) == Some(name);
        let entry = op.get("A").and_then(|list| list.items().iter().find(named)).and_then(|entry| entry.get("AT"));
        let entry = entry.and_then(|entry| Some((entry.get("#")?.text()?, entry.get("D")?)));
        let (kind, data) = entry.ok_or_else(|| {
            rejected(format!("the operation has no attribute {name}, and none can be added")).at(place)
        })?;
        let with = match (kind, value) {
            ("0.a_i32" | "0.a_i64", Scalar::Int(value)) => value.to_string(),
            ("0.a_f32" | "0.a_f64", Scalar::Float(value)) if value.is_finite() => format!("{value:?}"),
            ("0.a_str", Scalar::Text(value)) => quote(value),
            ("0.a_bool", Scalar::Text(value)) if value == "true" || value == "false" => value.clone(),
            _ => {
                return Err(
                    rejected(format!("the attribute {name} is of the kind {kind}, which {value:?} is not")).at(place)
                );
            }
        };
        self.cuts.text(moved(&data.span, span.start), with);
        Ok(())
    }

    fn fresh(&mut self) -> Result<(), Error> {
        for (index, fresh) in self.draft.fresh.iter().enumerate() {
            let ops = self.ops(index, fresh)?;
            let (node, after) = fresh.next_to;
            let span = &self.places.nodes[node.0 as usize].0;
            let (at, with) = if after { (span.end, format!(",{ops}")) } else { (span.start, format!("{ops},")) };
            self.cuts.insert(at, with);
        }
        Ok(())
    }

    /// Returns the two operations of a change: the numbers, and what is done with them.
    fn ops(&self, index: usize, fresh: &NewOp) -> Result<String, Error> {
        let result = self.number(Operand::New(index));
        let numbers = result - 1;
        let last = self.places.last;
        if last > i64::MAX - 2 * (self.draft.fresh.len() as i64 + 1) {
            return Err(rejected("no number of a value is free"));
        }
        let items: Vec<_> =
            fresh.numbers.iter().map(|number| format!("{{\"#\":\"0.a_i64\",\"D\":{number}}}")).collect();
        let (items, count) = (items.join(","), fresh.numbers.len());
        let kind = match fresh.does {
            ShapeOp::Reshape => "reshape",
            ShapeOp::Unsqueeze => "unsqueeze",
            ShapeOp::Expand => "expand",
        };
        let stop = |stop: bool| {
            format!(
                "[{{\"AT\":{{\"#\":\"0.a_array\",\"D\":[{{\"#\":\"0.a_bool\",\"D\":{stop}}}]}},\"N\":\"stop_gradient\"}}]"
            )
        };
        let shape = |element: &str, dims: &str| {
            let element = quote(&format!("0.t_{element}"));
            format!("{{\"#\":\"0.t_dtensor\",\"D\":[{{\"#\":{element}}},{dims},\"NCHW\",[],0]}}")
        };
        let element = self.element(fresh)?;
        let (input, dims) = (self.number(fresh.input), dims_of(&fresh.shape));
        Ok(format!(
            "{{\"#\":\"1.full_int_array\",\"A\":[{{\"AT\":{{\"#\":\"0.a_array\",\"D\":[{items}]}},\"N\":\"value\"}},\
             {{\"AT\":{{\"#\":\"1.a_dtype\",\"D\":\"int64\"}},\"N\":\"dtype\"}},\
             {{\"AT\":{{\"#\":\"1.a_place\",\"D\":[1,0,\"\"]}},\"N\":\"place\"}}],\
             \"I\":[],\"O\":[{{\"%\":{numbers},\"TT\":{}}}],\"OA\":{}}},\
             {{\"#\":\"1.{kind}\",\"A\":[],\"I\":[{{\"%\":{input}}},{{\"%\":{numbers}}}],\
             \"O\":[{{\"%\":{result},\"TT\":{}}}],\"OA\":{}}}",
            shape("i64", &format!("[{count}]")),
            stop(true),
            shape(&element, &dims),
            stop(false),
        ))
    }

    /// Returns the file's name of the element type that an operation reads.
    fn element(&self, fresh: &NewOp) -> Result<String, Error> {
        let mut end = fresh.input;
        while let Operand::New(other) = end {
            end = self.draft.fresh[other].input;
        }
        let Operand::Old(value) = end else { return Err(rejected("a new operation reads nothing")) };
        let kind = again(self.text, &self.places.values[value.0 as usize].1)?;
        let word = kind.get("D").and_then(|data| data.items().first()).and_then(|element| element.get("#"));
        let word = word.and_then(Json::text).and_then(|word| word.strip_prefix("0.t_")).map(str::to_string);
        word.ok_or_else(|| rejected(format!("the type of {} is not known", self.draft.model.value(value).name)))
    }
}

fn dims_of(shape: &SymbolicShape) -> String {
    format!("[{}]", extents(shape).iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}
