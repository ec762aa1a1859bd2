//! Tables of tensors, options, models, bundles and damage.
//!
//! A table is written as its fields: `0:5` is a whole number of four bytes, `1.5` one of a byte, `2%5` one of eight, `3=1.5` a
//! floating-point number, `4'text'` a text, `5(1 2)` a vector of whole numbers of four bytes, `6%(1 2)` of eight, `7=(1.5)` of
//! floating-point numbers, `8<00ff>` of bytes, `9{..}` a table, and `10[{..}{..}]` a vector of tables.
//!
//! Source: `schema.fbs` of LiteRT, as the package ai-edge-litert 2.3.0 has it.

mod changes;

use std::{iter::Peekable, str::Chars};

use super::{
    IDENTIFIER, TFLITE,
    flatten::{FlatValue, front},
};
use crate::{
    facts::{compare, cut, edits, ends, nodes, told, unhex, value, values},
    graph::Model,
    source::Source,
};

/// Reads a table.
pub(super) fn table(text: &str) -> FlatValue {
    let mut letters = text.chars().peekable();
    let found = fields(&mut letters);
    assert!(letters.next().is_none(), "{text}");
    found
}

fn fields(letters: &mut Peekable<Chars>) -> FlatValue {
    assert_eq!(letters.next(), Some('{'));
    let mut all = Vec::new();
    loop {
        match letters.peek() {
            Some(' ') => drop(letters.next()),
            Some('}') => break,
            _ => {
                let number = word(letters).parse().unwrap();
                all.push((number, one(letters)));
            }
        }
    }
    letters.next();
    FlatValue::Table(all)
}

fn word(letters: &mut Peekable<Chars>) -> String {
    std::iter::from_fn(|| letters.next_if(|letter| letter.is_ascii_digit() || *letter == '-')).collect()
}

fn until(letters: &mut Peekable<Chars>, end: char) -> String {
    letters.by_ref().take_while(|&letter| letter != end).collect()
}

fn number(letters: &mut Peekable<Chars>) -> String {
    std::iter::from_fn(|| letters.next_if(|letter| !" }".contains(*letter))).collect()
}

fn numbers<const N: usize>(text: &str, bytes: impl Fn(&str) -> [u8; N]) -> FlatValue {
    FlatValue::Numbers(N, text.split_whitespace().flat_map(bytes).collect())
}

fn one(letters: &mut Peekable<Chars>) -> FlatValue {
    let long = |text: &str| text.parse::<i64>().unwrap().to_le_bytes();
    let float = |text: &str| text.parse::<f32>().unwrap().to_le_bytes();
    match letters.peek().unwrap() {
        '{' => return fields(letters),
        '[' => {
            letters.next();
            let tables = std::iter::from_fn(|| {
                while letters.next_if_eq(&' ').is_some() {}
                (letters.peek() == Some(&'{')).then(|| fields(letters))
            });
            let tables = tables.collect();
            assert_eq!(letters.next(), Some(']'));
            return FlatValue::Offsets(tables);
        }
        _ => {}
    }
    let (kind, list) = (letters.next().unwrap(), letters.next_if_eq(&'(').is_some());
    match (kind, list) {
        ('(', _) => numbers(&until(letters, ')'), |text| (text.parse::<i64>().unwrap() as u32).to_le_bytes()),
        ('%', true) => numbers(&until(letters, ')'), long),
        ('=', true) => numbers(&until(letters, ')'), float),
        (':', _) => FlatValue::Number(long(&number(letters))[..4].to_vec()),
        ('.', _) => FlatValue::Number(long(&number(letters))[..1].to_vec()),
        ('%', false) => FlatValue::Number(long(&number(letters)).to_vec()),
        ('=', false) => FlatValue::Number(float(&number(letters)).to_vec()),
        ('\'', _) => FlatValue::Text(until(letters, '\'')),
        ('<', _) => FlatValue::Numbers(1, unhex(&until(letters, '>'))),
        (other, _) => panic!("{other}"),
    }
}

/// Writes a model.
pub(super) fn flat(text: &str) -> Vec<u8> {
    front(table(text), IDENTIFIER).unwrap()
}

fn read(bytes: Vec<u8>, show: impl Fn(&Model) -> String) -> String {
    told((TFLITE.read)(&Source::memory(bytes, None)), show)
}

const TENSORS: &[(&str, &str)] = &[
    ("{}", "#0 f32"),
    ("{3'x'}", "x f32"),
    ("{0(2 3) 3'x'}", "x f32 (2, 3)"),
    ("{0() 3'x'}", "x f32"),
    ("{3'x' 8.1}", "x f32 ()"),
    ("{0(2) 1.1 3'x'}", "x f16 (2,)"),
    ("{0(2) 1.6 3'x'}", "x bool (2,)"),
    ("{0(2) 1.9 3'x'}", "x i8 (2,)"),
    ("{0(2) 1.13 3'x'}", "x resource (2,)"),
    ("{0(2) 1.17 3'x'}", "x int4 (2,)"),
    ("{0(2) 1.18 3'x'}", "x bf16 (2,)"),
    ("{0(2) 1.99 3'x'}", "x type 99 (2,)"),
    ("{0(1 3) 3'x' 7(-1 3)}", "x f32 (?, 3)"),
    ("{0(1 3) 3'x' 7(-1)}", "x f32 (1, 3)"),
    ("{0(-1 3) 3'x'}", "x f32 (?, 3)"),
    ("{0(0 3) 3'x'}", "x f32 (0, 3)"),
    ("{0(2) 2:1 3'x'}", "x = f32[2] @B+8"),
    ("{0(2) 2:0 3'x'}", "x f32 (2,)"),
    ("{0(2) 2:2 3'x'}", "x f32 (2,)"),
    ("{0(2) 2:1 3'x' 5.1}", "x f32 (2,)"),
    ("{2:3 3'x'}", "x = f32[] @C+4"),
    ("{0(7) 1.17 2:3 3'x'}", "x = int4[7] @C+4"),
    ("{0(9) 1.17 2:3 3'x'}", "! tensor 0: the tensor x: it has 4 bytes, but int4 of shape (9,) needs 5"),
    ("{0(9) 1.5 2:3 3'x'}", "x = string[9] @C+4"),
    ("{0(2) 2:3 3'x'}", "! tensor 0: the tensor x: it has 4 bytes, but f32 of shape (2,) needs 8"),
    ("{0(-1) 2:3 3'x'}", "! tensor 0: the tensor x: a constant cannot have a dim below 0"),
    ("{0(5) 2:3 3'x' 6{}}", "x = f32[5] absent: its elements are stored as a sparse tensor, which is not read"),
    ("{0(5) 3'x' 10:4}", "x = f32[5] absent: its elements are in the external buffer 4, which is not read"),
    ("{0(2) 2:4 3'x'}", "x = f32[2] @8+8"),
    ("{0(2) 2:5 3'x'}", "! tensor 0: the tensor x: its 8 bytes from byte 99999 end beyond the model of # bytes"),
    ("{0(2) 2:6 3'x'}", "x f32 (2,)"),
    ("{0(2) 2:7 3'x'}", "! tensor 0: the tensor x: buffer 7 has data in two places"),
    ("{0(2) 2:9 3'x'}", "! tensor 0: the tensor x: it needs buffer 9, but the model has 8"),
    ("{0(2147483647 2147483647 2147483647) 3'x'}", "! tensor 0: the tensor x: …address can count"),
    ("{0(2) 1.9 3'x' 4{2=(0.5) 3%(3)}}", "x i8 (2,) [0.5] [3] 0"),
    ("{0(2) 1.9 3'x' 4{2=(0.5 1) 3%(3 4) 6:1}}", "x i8 (2,) [0.5, 1.0] [3, 4] 1"),
    ("{0(2) 3'x' 4{0=(0) 1=(1)}}", "x f32 (2,)"),
];

#[test]
fn tensors() {
    let buffers =
        "[{} {0<0000803f00000040>} {0<>} {0<00000001>} {1%8 2%8} {1%99999 2%8} {1%1 2%8} {0<00000002> 1%8 2%4}]";
    let show = |model: &Model| {
        let found = &model.values[0];
        let scale = found.quantization.as_ref();
        let scale = scale.map(|it| format!(" {:?} {:?} {}", it.scales, it.zero_points, it.axis));
        value(model, found) + &scale.unwrap_or_default()
    };
    let got = |case: &str| {
        let bytes = flat(&format!("{{0:3 2[{{0[{case}]}}] 4{buffers}}}"));
        let at = |data: &[u8]| bytes.windows(data.len()).position(|window| window == data).unwrap();
        let (two, len) = (at(&[8, 0, 0, 0, 0, 0, 128, 63]) + 4, bytes.len());
        let zero = at(&[4, 0, 0, 0, 0, 0, 0, 1]) + 4;
        let got = read(bytes, show);
        got.replace(&format!("@{two}+"), "@B+").replace(&format!("@{zero}+"), "@C+").replace(&len.to_string(), "#")
    };
    compare(TENSORS.iter().map(|&(case, want)| (case, got(case), want)));
}

const OPTIONS_READ: &[(&str, &str)] = &[
    ("", ""),
    ("3.11", ""),
    ("3.11 4{}", " fused_activation_function=Text(\"NONE\") pot_scale_int16=Int(1)"),
    ("3.11 4{0.1 1.0}", " fused_activation_function=Text(\"RELU\") pot_scale_int16=Int(0)"),
    ("3.21 4{0.3}", " fused_activation_function=Text(\"RELU6\")"),
    ("3.21 4{0.9}", " fused_activation_function=Int(9)"),
    ("3.21 4{0.-1}", " fused_activation_function=Int(-1)"),
    ("3.17 4{0(1 -1)}", " new_shape=Ints([1, -1])"),
    ("3.17 4{}", ""),
    ("3.27 4{0.1}", " keep_dims=Int(1)"),
    ("3.37 4{1.4}", " in_data_type=Text(\"f32\") out_data_type=Text(\"i64\")"),
    ("3.75 4{0=0.5}", " alpha=Float(0.5)"),
    ("3.111 4{1's'}", " container=Text(\"\") shared_name=Text(\"s\")"),
    ("3.114 4{0%-2}", " seed=Int(-2) seed2=Int(0)"),
    ("3.115 4{0=(0.5 1)}", " boundaries=Floats([0.5, 1.0])"),
    (
        "3.69 4{}",
        concat!(
            " fused_activation_function=Text(\"NONE\") cell_clip=Float(0.0) proj_clip=Float(0.0) merge_outputs=Int(0)",
            " time_major=Int(1) asymmetric_quantize_inputs=Int(0)"
        ),
    ),
    ("3.200 4{0.1}", ""),
    ("11.8 12{0:3}", " comparison_direction=Text(\"GT\") compare_type=Text(\"NOTYPE\")"),
    ("11.2 12{0%(0 2)}", " broadcast_dimensions=Ints([0, 2])"),
    ("3.15 4{3.1}", " align_corners=Int(0) half_pixel_centers=Int(1)"),
    ("5<0102> 6.0", ""),
];

#[test]
fn options() {
    let got = |case: &str| read(flat(&format!("{{0:3 1[{{}}] 2[{{3[{{{case}}}]}}]}}")), nodes);
    compare(OPTIONS_READ.iter().map(|&(case, want)| {
        let got = got(case);
        (case, got.strip_prefix(" = ADD()").map_or(got.clone(), str::to_owned), want)
    }));
}

const MODELS: &[(&str, &str)] = &[
    ("{0:3 2[{}]}", " | () -> "),
    ("{0:3 2[{4'main'}]}", " | main() -> "),
    ("{0:3}", "! byte #: the model has no subgraph"),
    ("{0:2 2[{}]}", "! byte #: version 2 of the schema is not supported; version 3 is"),
    ("{0:3 1[{0.41}] 2[{0[{3'x'}{3'y'}] 1(0) 2(1) 3[{1(0 0) 2(1)}] 4'm'}]}", "y = SUB(x, x) | m(x) -> y"),
    ("{0:3 1[{0.41 3:123}] 2[{0[{3'x'}{3'y'}] 3[{1(0 -1) 2(1)}]}]}", "y = SELECT_V2(x, _) | () -> "),
    ("{0:3 1[{3:300}] 2[{0[{3'x'}{3'y'}] 3[{1(0) 2(1)}]}]}", "y = BUILTIN_300(x) | () -> "),
    ("{0:3 1[{0.32 1'Own'}] 2[{0[{3'x'}{3'y'}] 3[{1(0) 2(1)}]}]}", "y = Own(x) | () -> "),
    ("{0:3 1[{}] 2[{0[{3'x'}{3'x'}{}{3'#2'}] 3[{1(0 1) 2(2 3)}]}]}", "#2, #2#3 = ADD(x, x#1) | () -> "),
    (
        "{0:3 1[{}] 2[{0[{3'x'}{3'y'}] 3[{1(1) 2(0)}{1(0) 2(1)}]}]}",
        "! operator 0: it reads the tensor y, …are in order",
    ),
    ("{0:3 1[{}] 2[{0[{3'x'}] 3[{1(0) 2(0)}]}]}", "! operator 0: it reads the tensor x, …are in order"),
    ("{0:3 1[{}] 2[{0[{3'x'}] 3[{2(0)}{2(0)}]}]}", "! operator 1: it computes the tensor x, as another output does"),
    ("{0:3 1[{}] 2[{0[{2:1 3'x'}] 3[{2(0)}]}] 4[{}{0<00000000>}]}", "! operator 0: it computes …which is a constant"),
    ("{0:3 1[{}] 2[{0[{}] 3[{1(1)}]}]}", "! operator 0: there is no tensor 1; the subgraph has 1"),
    ("{0:3 1[{}] 2[{0[{}] 3[{2(-2)}]}]}", "! operator 0: there is no tensor -2; the subgraph has 1"),
    ("{0:3 1[{}] 2[{3[{0:1}]}]}", "! operator 0: it has the operator code 1, but the model has 1"),
    ("{0:3 2[{1(0)}]}", "! byte #: there is no tensor 0; the subgraph has 0"),
    ("{0:3 2[{}] 7[{2'run'}]}", " | run() -> "),
    ("{0:3 2[{}] 7[{2'run' 4:1}]}", "! byte #: signature 0 calls subgraph 1, but the model has 1"),
    (
        "{0:3 1[{3:119}] 2[{3[{3.93 4{0:1 1:2}}]}{4'c'}{4'b'}]}",
        concat!(" = WHILE() cond_subgraph_index=Graph(1) body_subgraph_index=Graph(2)", " | () -> ; c() -> ; b() -> "),
    ),
    (
        "{0:3 1[{3:129}] 2[{3[{3.103 4{0:1}}{3.103 4{0:1}}]}{4'i'}]}",
        concat!(
            " = CALL_ONCE() init_subgraph_index=Graph(1);  = CALL_ONCE() init_subgraph_index=Int(1)",
            " | () -> ; i() -> "
        ),
    ),
    ("{0:3 1[{3:129}] 2[{3[{3.103 4{0:0}}]}]}", " = CALL_ONCE() init_subgraph_index=Int(0) | () -> "),
    ("{0:3 1[{3:129}] 2[{3[{3.103 4{0:9}}]}]}", "! operator 0: there is no subgraph 9; the model has 1"),
    (
        "{0:3 1[{}{3:129}] 2[{}{3[{}]}{3[{0:1 3.103 4{0:1}}]}]}",
        " = CALL_ONCE() init_subgraph_index=Graph(1);  = ADD() | () -> ; () -> ; () -> ",
    ),
    (
        "{0:3 1[{3:129}] 2[{}{3[{3.103 4{0:2}}]}{3[{3.103 4{0:1}}]}]}",
        concat!(
            " = CALL_ONCE() init_subgraph_index=Graph(2);  = CALL_ONCE() init_subgraph_index=Int(1)",
            " | () -> ; () -> ; () -> "
        ),
    ),
    (
        "{0:3 1[{3:209}] 2[{3[{11.23 12{0(1 2)}}]}{}{}]}",
        " = STABLEHLO_CASE() branch_subgraph_indices=Ints([1, 2]) | () -> ; () -> ; () -> ",
    ),
];

#[test]
fn models() {
    let show = |model: &Model| format!("{} | {}", nodes(model), ends(model));
    let hashed = |text: String| match text.strip_prefix("! byte ").and_then(|text| text.split_once(':')) {
        Some((_, rest)) => format!("! byte #:{rest}"),
        None => text,
    };
    compare(MODELS.iter().map(|&(case, want)| (case, hashed(read(flat(case), show)), want)));
}

/// A model and a constant in the last section of a bundle, after other sections.
fn bundle(objects: &str, section: &[u8]) -> Vec<u8> {
    let list = front(table(&format!("{{1{{0[{objects}]}}}}")), b"").unwrap();
    let mut bytes = [b"LITERTLM".as_slice(), &[1, 0, 0, 0], &[9, 0, 0, 0], &[0; 8]].concat();
    bytes.extend((32 + list.len() as u64).to_le_bytes());
    bytes.extend(list);
    bytes.resize(512, 0);
    bytes.extend(section);
    bytes
}

#[test]
fn bundles() {
    let model = flat("{0:3 2[{0[{0(1) 2:1 3'x'}]}] 4[{}{0<0000803f>}]}");
    let at = model.windows(4).position(|window| window == [0, 0, 128, 63]).unwrap() + 512;
    let end = 512 + model.len();
    let good = format!("x = f32[1] @{at}+4 | ");
    let beyond = format!("! byte #: the model of section 0 cannot have the bytes from 512 to {}", end + 1);
    let several = "the .litertlm holds 2 models; the first, section 1, is read; \
                   the .litertlm has 1 sections of weights, which are not read";
    let cases = [
        (format!("{{1%512 2%{end} 3.3}}"), good.clone()),
        (format!("{{1%500 2%510 3.6}}{{1%512 2%{end} 3.3}}{{3.3 1%512 2%{end}}}{{3.7}}"), good + several),
        ("{1%500 2%510 3.6}".to_owned(), "! no section of the .litertlm is a TFLite model".to_owned()),
        (format!("{{1%512 2%{} 3.3}}", end + 1), beyond),
        (
            "{1%8 2%600 3.3}".to_owned(),
            "! byte #: the model of section 0 cannot have the bytes from 8 to 600".to_owned(),
        ),
    ];
    for (objects, want) in cases {
        let objects =
            objects.replace("{3.3 1%512 2%", "{1%512 2%").replace("}{3.7}", " 3.3}{3.7}").replace(" 3.3 3.3", " 3.3");
        let got = read(bundle(&objects, &model), |model| format!("{} | {}", values(model), model.remarks.join("; ")));
        let got = got.replace(char::is_numeric, "0");
        assert!(
            got.ends_with(&want.replace(char::is_numeric, "0").replace("! byte #", "")),
            "{objects}: {got}, not {want}"
        );
    }
    let mut newer = bundle("{}", &model);
    newer[8] = 2;
    assert_eq!(read(newer, ends), "! byte 8: version 2 of .litertlm is not supported; version 1 is");
    let mut long = bundle("{}", &model);
    long[24..32].fill(255);
    assert!(read(long, ends).starts_with("! byte 24: the header cannot end at byte"));
    assert_eq!(read(b"LITERTLM\x01\0\0\0".to_vec(), ends), "! byte 12: the header of the .litertlm is cut");
}

/// A model with an operator, a constant, a quantization and options.
const SMALL: &str = concat!(
    "{0:3 1[{0.0 2:1 3:0}] 2[{0[{0(2 2) 3'x'}{0(2) 2:1 3'w'}{0(2 2) 3'y' 4{2=(0.5) 3%(1)}}] 1(0) 2(2) ",
    "3[{1(0 1) 2(2) 3.11 4{0.1}}] 4'main'}] 3'd' 4[{}{0<0000803f00000040>}] 7[{0[{0'x'}] 2'run'}]}"
);

const CUTS: &[&str] = &[
    "byte #: # bytes are needed here, but the FlatBuffer ends at byte ",
    "byte #: # elements of # bytes cannot follow; the FlatBuffer ends at byte ",
    "byte #: a table cannot have # bytes here; the FlatBuffer ends at byte ",
    "byte #: the offset # leads to no table or vector; the FlatBuffer ends at byte ",
];

/// Only filling bytes, and what no reader asks for, may be missing at the end.
#[test]
fn files_that_are_cut() {
    let bytes = flat(SMALL);
    let (good, errors) = cut(&bytes, |bytes| (TFLITE.read)(&Source::memory(bytes, None)));
    assert!(good.first().is_some_and(|&len| len + 24 >= bytes.len()), "{good:?} of {}", bytes.len());
    assert_eq!(errors, CUTS, "{errors:#?}");
}

/// Four bytes of the model that become something else, and the error.
#[test]
fn damage() {
    let bytes = flat(SMALL);
    let root = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let list = root - u32::from_le_bytes(bytes[root..root + 4].try_into().unwrap()) as usize;
    let cases: [(usize, i64, &str); 9] = [
        (0, 0, "byte 0: the offset 0 leads to no table or vector"),
        (0, 0xffff_ffff, "byte 0: the offset 4294967295 leads to no table or vector"),
        (4, 0x32_4c_46_54, "byte 4: the identifier 'TFL2' is not supported; TFL3 is"),
        (root, 0x7fff_ffff, "the list of fields of this table is outside"),
        (root, -0x8000_0000, "the list of fields of this table is outside"),
        (list, 0x0004_0003, "a list of fields cannot have 3 bytes"),
        (list, 0x0004_fffe, "a list of fields cannot have 65534 bytes"),
        (list, 0xffff_0014_i64, "a table cannot have 65535 bytes"),
        (list + 4, 0x0001_0001, "a field cannot be at byte 1 of its table"),
    ];
    for (at, new, want) in cases {
        let mut broken = bytes.clone();
        broken[at..at + 4].copy_from_slice(&new.to_le_bytes()[..4]);
        let got = read(broken, ends);
        assert!(got.contains(want), "{at} {new}: {got}, not {want}");
    }
}

/// A chain of operators is read and changed in time that is linear in its length.
#[test]
fn a_long_chain() {
    const LENGTH: usize = 50_000;
    let tensors = "{0(2)}".repeat(LENGTH + 1);
    let operators: Vec<String> = (0..LENGTH).map(|k| format!("{{1({k} {k}) 2({})}}", k + 1)).collect();
    let operators = operators.concat();
    let bytes = flat(&format!("{{0:3 1[{{}}] 2[{{0[{tensors}] 1(0) 2({LENGTH}) 3[{operators}]}}]}}"));
    let model = (TFLITE.read)(&Source::memory(bytes, None)).unwrap();
    assert_eq!((model.nodes.len(), model.walk().len()), (LENGTH, LENGTH));
    let written = crate::write(&model, &edits(&model, "unsqueeze 49999.0 0; result 0 2")).unwrap();
    assert_eq!(crate::changed(&model, &written).unwrap().nodes.len(), LENGTH + 2);
    let name = "n".repeat(257);
    let got = read(flat(&format!("{{0:3 1[{{0.32 1'{name}'}}] 2[{{}}]}}")), nodes);
    assert!(got.ends_with("a custom operator has a name of 257 bytes; the limit is 256"), "{got}");
}

/// Lets every offset of the only vector of `count` offsets, or of the last one, lead to what the last offset leads to.
fn shared(bytes: &mut [u8], count: u32) {
    let list = bytes.windows(4).rposition(|window| window == count.to_le_bytes()).unwrap() + 4;
    let last = list + 4 * (count as usize - 1);
    let target = last + u32::from_le_bytes(bytes[last..last + 4].try_into().unwrap()) as usize;
    for at in (list..last).step_by(4) {
        bytes[at..at + 4].copy_from_slice(&((target - at) as u32).to_le_bytes());
    }
}

/// An operator costs memory, so each needs more of the file than an offset; so do tensors and subgraphs.
#[test]
fn no_table_is_shared() {
    let cases = [
        ("tensor", format!("{{0:3 2[{{0[{}]}}]}}", "{3'x'}".repeat(40))),
        ("operator", format!("{{0:3 1[{{}}] 2[{{0[{{3'x'}}] 3[{}]}}]}}", "{1(0)}".repeat(40))),
        ("subgraph", format!("{{0:3 2[{}]}}", "{4'g'}".repeat(40))),
    ];
    for (what, model) in cases {
        let mut bytes = flat(&model);
        assert!(!read(bytes.clone(), ends).starts_with('!'), "{what}");
        shared(&mut bytes, 40);
        let got = read(bytes, ends);
        let want = format!(": the table of {what} 1 is that of another one too; each needs a table of its own");
        assert!(got.starts_with("! byte ") && got.ends_with(&want), "{got}");
    }
    // Converters give all tensors without data the same buffer.
    let mut buffers = flat(&format!("{{0:3 2[{{0[{{2:7 3'x'}}]}}] 4[{}]}}", "{}".repeat(40)));
    shared(&mut buffers, 40);
    assert_eq!(read(buffers, values), "x f32");
}

/// Many offsets that lead to one large text are no small work, and too many tables are none at all.
#[test]
fn overlapping_tables() {
    let name = "n".repeat(1 << 16);
    let tensors = "{3''}".repeat(4000);
    let mut bytes = flat(&format!("{{0:3 2[{{0[{tensors}{{3'{name}'}}]}}]}}"));
    let target = bytes.windows(4).rposition(|window| window == (1_u32 << 16).to_le_bytes()).unwrap();
    let list = bytes.windows(4).position(|window| window == 4001_u32.to_le_bytes()).unwrap() + 4;
    for at in (list..list + 4 * 4000).step_by(4) {
        let table = at + u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        bytes[table + 4..table + 8].copy_from_slice(&((target - table - 4) as u32).to_le_bytes());
    }
    let got = read(bytes, ends);
    assert!(got.contains("tables of the file overlap"), "{got}");
    let mut many = flat("{0:3 2[{0[{}]}]}");
    let list = many.windows(4).rposition(|window| window == 1_u32.to_le_bytes()).unwrap();
    many[list..list + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let got = read(many, ends);
    assert!(got.contains("4294967295 elements of 4 bytes cannot follow"), "{got}");
}
