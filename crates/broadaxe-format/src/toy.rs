//! A toy: ONNX's operators as lines of text, to show what a format needs.
//!
//! ```text
//! toy 1
//! input x 2,3,4
//! const b 4
//! Add y x b
//! output y
//! ```
//!
//! A line is `input NAME DIMS`, `const NAME DIMS`, `output NAME`, or `OPERATOR RESULT OPERAND...`. Constants have a shape and no elements. Only the
//! shapes of constants can be changed.

use broadaxe_frameworks::System;
use broadaxe_kernels::DType;
use broadaxe_shape::symbolic::SymbolicShape;

use crate::{
    Constant, Element, Error, ErrorKind, Format, GraphId, Model, Node, NodeId, Rewritten, Source, Value, ValueId,
    edit::{Constants, Lowered, Piece, Primitive, each_of, rejected},
    graph::Data,
};

/// The largest file.
const MAX_TOY_BYTES: u64 = 1 << 20;

pub(super) static TOY: Format = Format {
    name: "toy",
    extensions: &["toy"],
    detect: |head| head.starts_with(b"toy 1\n"),
    read,
    weights: None,
    constants: Constants::Changed,
    write,
};

fn read(source: &Source) -> Result<Model, Error> {
    let text = text(source)?;
    let mut model = Model::new(TOY.name, System::Onnx, source.clone());
    model.opsets.push((String::new(), 18));
    for (number, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        read_line(&mut model, &words).map_err(|error| error.at(format_args!("line {}", number + 1)))?;
    }
    Ok(model)
}

fn text(source: &Source) -> Result<String, Error> {
    if source.len() > MAX_TOY_BYTES {
        return Err(Error::new(ErrorKind::Limit, format!("a toy file has at most {MAX_TOY_BYTES} bytes")));
    }
    String::from_utf8(source.read(0, source.len() as usize)?).map_err(|_| Error::format("the file is not UTF-8 text"))
}

fn read_line(model: &mut Model, words: &[&str]) -> Result<(), Error> {
    match *words {
        ["input", name, dims] => {
            let id = define(model, name)?;
            let value = &mut model.values[id.0 as usize];
            (value.element, value.declared) =
                (Some(Element::Known(DType::F32)), Some(SymbolicShape::from(&*shape(dims)?)));
            model.graphs[0].inputs.push(id);
        }
        ["const", name, dims] => {
            let id = define(model, name)?;
            let (element, data) = (Element::Known(DType::F32), Data::Absent("a toy has no elements".to_owned()));
            model.values[id.0 as usize].constant = Some(Constant { element, shape: shape(dims)?, data });
        }
        ["output", name] => {
            let id = find(model, name)?;
            model.graphs[0].outputs.push(id);
        }
        [op, result, ref operands @ ..] => {
            let inputs = operands.iter().map(|name| find(model, name).map(Some)).collect::<Result<Vec<_>, _>>()?;
            let (node, output) = (NodeId(model.nodes.len() as u32), define(model, result)?);
            model.values[output.0 as usize].producer = Some((node, 0));
            model.nodes.push(Node {
                name: result.to_owned(),
                graph: GraphId(0),
                domain: String::new(),
                op: op.to_owned(),
                version: 18,
                attributes: vec![],
                inputs,
                outputs: vec![Some(output)],
                bodies: vec![],
                place: format!("node {}", node.0),
            });
            model.graphs[0].nodes.push(node);
        }
        _ => {
            return Err(Error::format(
                "a line is 'input NAME DIMS', 'const NAME DIMS', 'output NAME' or 'OPERATOR RESULT OPERAND...'",
            ));
        }
    }
    Ok(())
}

fn shape(dims: &str) -> Result<Vec<usize>, Error> {
    let parsed: Option<Vec<usize>> = dims.split(',').map(|dim| dim.parse().ok()).collect();
    parsed
        .filter(|dims| dims.len() <= broadaxe_shape::MAX_RANK)
        .ok_or_else(|| Error::format("dims are numbers, as in 2,3,4"))
}

fn define(model: &mut Model, name: &str) -> Result<ValueId, Error> {
    if find(model, name).is_ok() {
        return Err(Error::format(format!("{name:?} is defined twice")));
    }
    let id = ValueId(model.values.len() as u32);
    let (graph, name) = (GraphId(0), name.to_owned());
    model.values.push(Value { name, graph, element: None, declared: None, constant: None, producer: None });
    Ok(id)
}

fn find(model: &Model, name: &str) -> Result<ValueId, Error> {
    let at = model.values.iter().position(|value| value.name == name);
    at.map(|at| ValueId(at as u32)).ok_or_else(|| Error::format(format!("{name:?} is not defined above")))
}

/// Replaces the dims of constants in the text.
fn write(model: &Model, edits: &Lowered) -> Result<Rewritten, Error> {
    let text = text(&model.source)?;
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    each_of(edits, |edit| match edit {
        Primitive::SetShape { value, shape, readers: None } => {
            let name = &model.value(*value).name;
            let head = format!("const {name} ");
            let line =
                lines.iter_mut().find(|line| line.starts_with(&head)).ok_or_else(|| rejected("no such constant"))?;
            *line = format!("{head}{}", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(","));
            Ok(())
        }
        _ => Err(rejected("a toy changes only the shapes of constants")),
    })?;
    Ok((vec![Piece::New(lines.join("\n").into_bytes())], Vec::new()))
}

#[cfg(test)]
mod tests {
    use crate::{Edit, Source, read, write};

    const TEXT: &str = "toy 1\ninput x 2,3,4\nconst b 4\nAdd y x b\noutput y\n";

    #[test]
    fn toys_are_read_and_changed() {
        let model = read(&Source::memory(TEXT.as_bytes(), None)).unwrap();
        assert_eq!((model.format, model.nodes.len(), model.values.len()), ("toy", 1, 3));
        let value = model.node(crate::NodeId(0)).input(1).unwrap();
        let written = write(&model, &[Edit::ReshapeConstant { value, shape: vec![1, 1, 4] }]).unwrap();
        let mut bytes = Vec::new();
        written.files[0].write(&model, &mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), TEXT.replace("b 4", "b 1,1,4"));
    }

    #[test]
    fn damaged_toys_are_rejected() {
        for (line, error) in [
            ("output y", "line 2: \"y\" is not defined above"),
            ("const b 4x", "line 2: dims are numbers, as in 2,3,4"),
            ("Add y x b", "line 2: \"x\" is not defined above"),
            ("x", "line 2: a line is"),
        ] {
            let error_of =
                read(&Source::memory(format!("toy 1\n{line}\n").into_bytes(), None)).unwrap_err().to_string();
            assert!(error_of.starts_with(error), "{line}: {error_of}");
        }
    }
}
