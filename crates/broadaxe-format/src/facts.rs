//! Shows models, and what a change does to their bytes, in one line each, for tables of tests.
//!
//! Messages of a protocol buffer are written field by field: `1:150` is a whole number, `2'text'` a text, `2<00ff>` bytes,
//! `3{..}` a message, `4[1 2]` a packed list, `5=1.5` a number of four bytes, `6%1.5` one of eight, and `<08>` bytes
//! without a tag. Source: the page "Encoding" of the documentation of Protocol Buffers.

use std::{fmt::Write, iter::Peekable, str::Chars};

use crate::{
    edit::{Edit, File, NewNode, Piece, Scalar, Wire},
    error::Error,
    graph::{Attribute, Constant, Data, Model, NodeId, Use, Value, ValueId},
    source::Source,
    wire::splice::varint,
};

/// Sizes of the tables that need 64 bits.
const WIDE_SIZES: [&str; 2] = ["4294967296", "9223372036854775807"];

/// Compares all rows of a table, and lists those that are wrong: the case, what was found, what was expected. A `…` in what is
/// expected is any text; rows that would be too long for a line have one.
#[track_caller]
pub(crate) fn compare<'a>(rows: impl IntoIterator<Item = (&'a str, String, &'a str)>) {
    let same = |got: &str, want: &str| match want.split_once('…') {
        Some((head, tail)) => got.len() >= head.len() + tail.len() && got.starts_with(head) && got.ends_with(tail),
        None => got == want,
    };
    let mut wrong = String::new();
    // A program of 32 bits says something else about sizes that it cannot count.
    let counted = |case: &str| usize::BITS == 64 || !WIDE_SIZES.iter().any(|size| case.contains(size));
    for (case, got, _) in rows.into_iter().filter(|(case, got, want)| counted(case) && !same(got, want)) {
        writeln!(wrong, "CASE {case}\nGOT  {got}").unwrap();
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Makes the changes of a table, and compares what each replaces: a line for the change, and one for each span, further in.
///
/// Lines that several changes share have a name in brackets. They come first, each after its name, and before an empty line.
#[track_caller]
pub(crate) fn compare_edits(model: &Model, table: &str, show: fn(&[u8]) -> String) {
    let (named, table) = table.split_once("\n\n").unwrap_or(("", table.trim_start_matches('\n')));
    let cases = table.lines().filter(|line| !line.starts_with(' '));
    let got = cases.map(|case| format!("{case}\n{}", changed(model, case, show))).collect::<Vec<_>>().concat();
    assert!(!got.contains("\n  ["), "a change is written like a name:\n{got}");
    let named = named.split("\n[").skip(1).map(|part| part.split_once("]\n").unwrap());
    let got = named.fold(got, |got, (name, lines)| got.replace(&format!("\n{lines}\n"), &format!("\n  [{name}]\n")));
    assert!(got == table, "TABLE\n{got}END");
}

/// Writes bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Reads hexadecimal digits, between which there may be spaces.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// Writes a message.
pub(crate) fn proto(text: &str) -> Vec<u8> {
    let mut letters = text.chars().peekable();
    let bytes = message(&mut letters);
    assert!(letters.next().is_none(), "{text}");
    bytes
}

fn until(letters: &mut Peekable<Chars>, end: char) -> String {
    letters.by_ref().take_while(|&letter| letter != end).collect()
}

fn word(letters: &mut Peekable<Chars>) -> String {
    std::iter::from_fn(|| letters.next_if(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(*letter))).collect()
}

fn message(letters: &mut Peekable<Chars>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(&letter) = letters.peek() {
        match letter {
            '}' => break,
            ' ' => drop(letters.next()),
            '<' => {
                letters.next();
                bytes.extend(unhex(&until(letters, '>')));
            }
            _ => field(letters, &mut bytes),
        }
    }
    bytes
}

fn field(letters: &mut Peekable<Chars>, bytes: &mut Vec<u8>) {
    let number: u64 = word(letters).parse().unwrap();
    let kind = letters.next().unwrap();
    let (wire, value) = match kind {
        ':' => (0, number_of(&word(letters))),
        '=' => (5, word(letters).parse::<f32>().unwrap().to_le_bytes().to_vec()),
        '%' => (1, word(letters).parse::<f64>().unwrap().to_le_bytes().to_vec()),
        '\'' => (2, until(letters, '\'').into_bytes()),
        '<' => (2, unhex(&until(letters, '>'))),
        '[' => (2, until(letters, ']').split_whitespace().flat_map(number_of).collect()),
        '{' => {
            let inner = message(letters);
            assert_eq!(letters.next(), Some('}'));
            (2, inner)
        }
        other => panic!("{other}"),
    };
    varint(bytes, number << 3 | wire);
    if wire == 2 {
        varint(bytes, value.len() as u64);
    }
    bytes.extend(value);
}

fn number_of(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(&mut bytes, text.parse::<u64>().unwrap_or_else(|_| text.parse::<i64>().unwrap().cast_unsigned()));
    bytes
}

/// Shows a constant: its elements in the model's own files by place, in another file as bytes, or why they are missing.
pub(crate) fn constant(model: &Model, constant: &Constant) -> String {
    let data = match &constant.data {
        Data::Held(bytes) => hex(bytes),
        Data::Span { at, len } => format!("@{at}+{len}"),
        Data::External { .. } => hex(&model.elements(constant, 1 << 20).unwrap().unwrap()),
        Data::Absent(why) => format!("absent: {why}"),
    };
    format!("{}{:?} {data}", constant.element, constant.shape)
}

/// Shows a value: `x f32 (2, 3)`, or `w = f32[2, 3] @0+24`.
pub(crate) fn value(model: &Model, value: &Value) -> String {
    if let Some(held) = &value.constant {
        return format!("{} = {}", value.name, constant(model, held));
    }
    let element = value.element.as_ref().map(|element| format!(" {element}")).unwrap_or_default();
    let shape = value.declared.as_ref().map(|shape| format!(" {shape}")).unwrap_or_default();
    format!("{}{element}{shape}", value.name)
}

/// Shows all values.
pub(crate) fn values(model: &Model) -> String {
    model.values.iter().map(|found| value(model, found)).collect::<Vec<_>>().join("; ")
}

/// Shows an attribute.
pub(crate) fn attribute(model: &Model, attribute: &Attribute) -> String {
    match attribute {
        Attribute::Tensor(tensor) => format!("Tensor({})", constant(model, tensor)),
        Attribute::Graph(graph) => format!("Graph({})", graph.0),
        other => format!("{other:?}"),
    }
}

/// Shows a node: `y = Add(x, w) axis=Int(1)`.
pub(crate) fn node(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    let name = |id: &Option<ValueId>| id.map_or("_".to_owned(), |id| model.value(id).name.clone());
    let list = |ids: &[Option<ValueId>]| ids.iter().map(name).collect::<Vec<_>>().join(", ");
    let attributes = node
        .attributes
        .iter()
        .map(|(name, value)| format!(" {name}={}", attribute(model, value)))
        .collect::<Vec<_>>()
        .concat();
    format!("{} = {}({}){attributes}", list(&node.outputs), node.op, list(&node.inputs))
}

/// Shows all nodes, those of bodies after their owner.
pub(crate) fn nodes(model: &Model) -> String {
    model.walk().into_iter().map(|id| node(model, id)).collect::<Vec<_>>().join("; ")
}

/// Shows the inputs and outputs of all graphs: `x -> y`.
pub(crate) fn ends(model: &Model) -> String {
    let list = |ids: &[ValueId]| ids.iter().map(|&id| model.value(id).name.clone()).collect::<Vec<_>>().join(" ");
    let graph = |graph: &crate::Graph| format!("{}({}) -> {}", graph.name, list(&graph.inputs), list(&graph.outputs));
    model.graphs.iter().map(graph).collect::<Vec<_>>().join("; ")
}

/// Shows what was read, or the error.
pub(crate) fn told(read: Result<Model, Error>, show: impl Fn(&Model) -> String) -> String {
    read.map_or_else(|error| format!("! {error}"), |model| show(&model))
}

/// Reads changes: see the match for the words.
pub(crate) fn edits(model: &Model, text: &str) -> Vec<Edit> {
    text.split("; ").map(|text| edit(model, &text.split(' ').collect::<Vec<_>>())).collect()
}

fn edit(model: &Model, words: &[&str]) -> Edit {
    let numbers = |text: &str| -> Vec<i64> { text.split(',').map(|number| number.parse().unwrap()).collect() };
    let sizes = |text: &str| -> Vec<usize> { numbers(text).into_iter().map(|size| size as usize).collect() };
    let node = |text: &str| NodeId(text.parse().unwrap());
    let at = |text: &str| {
        let (id, input) = text.split_once('.').unwrap();
        Use { node: node(id), input: input.parse().unwrap() }
    };
    let value = |name: &str| {
        let found = model.values.iter().position(|value| value.name == name);
        ValueId(found.unwrap_or_else(|| panic!("the model has no {name}")) as u32)
    };
    match *words {
        ["shape", name, shape] => Edit::ReshapeConstant { value: value(name), shape: sizes(shape) },
        ["copy", name, shape, to] => {
            Edit::CopyConstant { value: value(name), shape: sizes(shape), uses: to.split(',').map(at).collect() }
        }
        ["reshape", to, shape] => Edit::Reshape { at: at(to), shape: numbers(shape) },
        ["unsqueeze", to, axes] => Edit::Unsqueeze { at: at(to), axes: numbers(axes) },
        ["expand", to, shape] => Edit::Expand { at: at(to), shape: numbers(shape) },
        ["swap", id, op] => Edit::Swap { node: node(id), op: op.to_owned() },
        ["set", id, name, text] => Edit::Attribute { node: node(id), name: name.to_owned(), value: Some(scalar(text)) },
        ["remove", id, name] => Edit::Attribute { node: node(id), name: name.to_owned(), value: None },
        ["opset", version] => Edit::Opset(version.parse().unwrap()),
        ["result", id, shape] => Edit::ReshapeResult { node: node(id), shape: numbers(shape) },
        ["replace", id, unary, binary] => {
            Edit::Replace { node: node(id), with: replacement(model, node(id), unary, binary) }
        }
        _ => panic!("{words:?}"),
    }
}

fn scalar(text: &str) -> Scalar {
    let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let ints = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<i64>, _>>();
    let floats = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>();
    match list {
        Some(list) => ints(list).map(Scalar::Ints).or_else(|_| floats(list).map(Scalar::Floats)).unwrap(),
        None => text
            .parse()
            .map(Scalar::Int)
            .or_else(|_| text.parse().map(Scalar::Float))
            .unwrap_or(Scalar::Text(text.to_owned())),
    }
}

/// Makes two nodes for one: `middle = unary(first)`, `output = binary(first, middle)`.
fn replacement(model: &Model, id: NodeId, unary: &str, binary: &str) -> Vec<NewNode> {
    let (first, output) = (Wire::Old(model.node(id).input(0).unwrap()), Wire::Old(model.node(id).output(0).unwrap()));
    let new = |op: &str, inputs, output| NewNode { op: op.to_owned(), inputs, output, attributes: Vec::new() };
    let middle = || Wire::New("middle".to_owned());
    vec![new(unary, vec![first.clone()], middle()), new(binary, vec![first, middle()], output)]
}

/// Returns the bytes of a file that was written.
pub(crate) fn assembled(file: &File, model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(model, &mut bytes).unwrap();
    bytes
}

/// Makes changes and shows each span that was replaced as `byte: old => new`; all other bytes are kept, in order. The file is
/// read again, and must be what [`crate::changed`] says.
pub(crate) fn changed(model: &Model, text: &str, show: fn(&[u8]) -> String) -> String {
    let written = match crate::write(model, &edits(model, text)) {
        Ok(written) => written,
        Err(error) => return format!("  ! {error}\n"),
    };
    let again = crate::changed(model, &written).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut whole = Source::memory(assembled(&written.files[0], model), model.source.path().map(Into::into));
    if let Some(weights) = &again.weights {
        whole = whole.with_weights(weights.clone());
    }
    let whole = crate::read(&whole).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!((nodes(&again), values(&again)), (nodes(&whole), values(&whole)), "{text}");
    let mut hunks = hunks(&model.source, &written.files[0].pieces, show);
    for file in &written.files[1..] {
        let new =
            file.pieces.iter().filter_map(|piece| if let Piece::New(bytes) = piece { Some(hex(bytes)) } else { None });
        hunks.extend(new.map(|bytes| format!("{} + {bytes}", file.extension)));
    }
    hunks.iter().map(|hunk| broken(hunk.trim_end())).collect()
}

/// Breaks a long line; each part but the last ends with a backslash.
fn broken(line: &str) -> String {
    let letters: Vec<char> = line.chars().collect();
    let parts: Vec<String> = letters.chunks(112).map(|part| part.iter().collect()).collect();
    format!("  {}\n", parts.join("\\\n    "))
}

fn hunks(source: &Source, pieces: &[Piece], show: fn(&[u8]) -> String) -> Vec<String> {
    let (mut hunks, mut at, mut new) = (Vec::new(), 0, Vec::new());
    let mut hunk = |at: u64, to: u64, new: &mut Vec<u8>| {
        let old = source.read(at, (to - at) as usize).unwrap();
        if !old.is_empty() || !new.is_empty() {
            hunks.push(format!("{at}: {} => {}", show(&old), show(new)));
        }
        new.clear();
    };
    for (k, piece) in pieces.iter().enumerate() {
        match *piece {
            Piece::New(ref bytes) => new.extend(bytes),
            // Bytes that move are new where they arrive.
            Piece::Kept { at: from, len } if moves(at, from, &pieces[k + 1..]) => {
                new.extend(source.read(from, len as usize).unwrap());
            }
            Piece::Kept { at: from, len } => {
                hunk(at, from, &mut new);
                at = from + len;
            }
        }
    }
    hunk(at, source.len(), &mut new);
    hunks
}

/// Says whether the bytes from `from` on, which follow those before `at`, come before bytes of the file that `rest` keeps.
fn moves(at: u64, from: u64, rest: &[Piece]) -> bool {
    let between = |piece: &Piece| matches!(piece, Piece::Kept { at: later, .. } if (at..from).contains(later));
    from < at || rest.iter().any(between)
}

/// Shows bytes as text, with `|` for the end of a line, and other bytes that are not letters as `\\00`.
pub(crate) fn text(bytes: &[u8]) -> String {
    let shown = |&byte: &u8| match byte {
        b'\n' => "|".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        other => format!("\\{other:02x}"),
    };
    bytes.iter().map(shown).collect()
}

/// Reads the first bytes of a file, for every count, and returns the counts that are read and the errors, with `#` for
/// numbers and each once.
pub(crate) fn cut(bytes: &[u8], read: impl Fn(Vec<u8>) -> Result<Model, Error>) -> (Vec<usize>, Vec<String>) {
    let (mut good, mut errors) = (Vec::new(), Vec::new());
    for len in 0..=bytes.len() {
        match read(bytes[..len].to_vec()) {
            Ok(_) => good.push(len),
            Err(error) => {
                let parts = error.to_string();
                let parts = parts.split(|letter: char| letter.is_ascii_digit());
                let mut text = parts.fold(String::new(), |text, part| match part {
                    "" if text.ends_with('#') => text,
                    part => text + part + "#",
                });
                text.pop();
                errors.push(text);
            }
        }
    }
    errors.sort();
    errors.dedup();
    (good, errors)
}
