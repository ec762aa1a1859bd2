//! Tables of element types, constants, shapes, settings, texts of XML and changes.
//!
//! Source: the document "Intermediate Representation and Operation Sets" of OpenVINO and its headers of version 2026.4 for the
//! names and bits of element types; "Extensible Markup Language (XML) 1.0" for entities, comments and CDATA.

mod edits;

use super::OPENVINO;
use crate::{
    facts::{attribute, compare, ends, told, values},
    graph::Model,
    source::Source,
};

const PRECISIONS: &[(&str, &str)] = &[
    ("f32", "f32 32"),
    ("FP32", "f32 32"),
    ("fp32", "f32 32"),
    ("f16", "f16 16"),
    ("FP16", "f16 16"),
    ("f64", "f64 64"),
    ("FP64", "f64 64"),
    ("bf16", "bf16 16"),
    ("BF16", "bf16 16"),
    ("i8", "i8 8"),
    ("I8", "i8 8"),
    ("i16", "i16 16"),
    ("I16", "i16 16"),
    ("i32", "i32 32"),
    ("I32", "i32 32"),
    ("i64", "i64 64"),
    ("I64", "i64 64"),
    ("u8", "u8 8"),
    ("U8", "u8 8"),
    ("u16", "u16 16"),
    ("U16", "u16 16"),
    ("u32", "u32 32"),
    ("U32", "u32 32"),
    ("u64", "u64 64"),
    ("U64", "u64 64"),
    ("boolean", "bool 8"),
    ("BOOL", "bool 8"),
    ("u1", "u1 1"),
    ("BIN", "u1 1"),
    ("u2", "u2 2"),
    ("u3", "u3 3"),
    ("u4", "u4 4"),
    ("U4", "u4 4"),
    ("u6", "u6 6"),
    ("i4", "i4 4"),
    ("I4", "i4 4"),
    ("nf4", "nf4 4"),
    ("NF4", "nf4 4"),
    ("f4e2m1", "f4e2m1 4"),
    ("f8e4m3", "f8e4m3 8"),
    ("F8E4M3", "f8e4m3 8"),
    ("f8e5m2", "f8e5m2 8"),
    ("f8e8m0", "f8e8m0 8"),
    ("string", "string 0"),
    ("STRING", "string 0"),
    ("UNSPECIFIED", "none"),
    ("dynamic", "none"),
    ("undefined", "none"),
    ("new", "new 0"),
];

const CONSTANTS: &[(&str, &str)] = &[
    (r#"element_type="f32" shape="2" offset="0" size="8""#, "l = f32[2] @0+8"),
    (r#"element_type="f32" shape="2,1" offset="0" size="8""#, "l = f32[2, 1] @0+8"),
    (r#"element_type="f32" shape="2, 1" offset="0" size="8""#, "l = f32[2, 1] @0+8"),
    (r#"element_type="f32" shape="" offset="0" size="4""#, "l = f32[] @0+4"),
    (r#"element_type="f32" shape="0" offset="0" size="0""#, "l = f32[0] @0+0"),
    (r#"element_type="f32" shape="0" offset="0" size="1""#, "l = f32[0] @0+0"),
    (r#"element_type="f32" shape="2" offset="0" size="4""#, "! layer 0 (l): it has 4 bytes, but f32 of…e (2,) needs 8"),
    (r#"element_type="f32" shape="2" offset="0" size="12""#, "! layer 0 (l): it has 12 bytes, but f32 …e (2,) needs 8"),
    (r#"element_type="f32" shape="2" offset="8" size="8""#, "l = f32[2] @8+8"),
    (r#"element_type="f32" shape="2" offset="9" size="8""#, "! layer 0 (l): its bytes end at 17, but t… weights at 16"),
    (r#"element_type="f32" shape="2" offset="16" size="0""#, "! layer 0 (l): it has 0 bytes, but f32 o…e (2,) needs 8"),
    (r#"element_type="f32" shape="4" offset="0" size="16""#, "l = f32[4] @0+16"),
    (r#"element_type="f32" shape="5" offset="0" size="20""#, "! layer 0 (l): its bytes end at 20, but … weights at 16"),
    (r#"element_type="f16" shape="2" offset="0" size="4""#, "l = f16[2] @0+4"),
    (r#"element_type="bf16" shape="2" offset="0" size="4""#, "l = bf16[2] @0+4"),
    (r#"element_type="f64" shape="2" offset="0" size="16""#, "l = f64[2] @0+16"),
    (r#"element_type="i64" shape="2" offset="0" size="16""#, "l = i64[2] @0+16"),
    (r#"element_type="i8" shape="2" offset="0" size="2""#, "l = i8[2] @0+2"),
    (r#"element_type="u8" shape="2" offset="0" size="2""#, "l = u8[2] @0+2"),
    (r#"element_type="boolean" shape="2" offset="0" size="2""#, "l = bool[2] @0+2"),
    (r#"element_type="i4" shape="3" offset="0" size="2""#, "l = i4[3] @0+2"),
    (r#"element_type="u4" shape="3" offset="0" size="1""#, "! layer 0 (l): it has 1 bytes, but u4 of s…e (3,) needs 2"),
    (r#"element_type="u4" shape="3" offset="0" size="2""#, "l = u4[3] @0+2"),
    (r#"element_type="u4" shape="4" offset="0" size="2""#, "l = u4[4] @0+2"),
    (r#"element_type="nf4" shape="4" offset="0" size="2""#, "l = nf4[4] @0+2"),
    (r#"element_type="u1" shape="8" offset="0" size="1""#, "l = u1[8] @0+1"),
    (r#"element_type="u1" shape="9" offset="0" size="1""#, "! layer 0 (l): it has 1 bytes, but u1 of s…e (9,) needs 2"),
    (r#"element_type="u1" shape="9" offset="0" size="2""#, "l = u1[9] @0+2"),
    (r#"element_type="u2" shape="4" offset="0" size="1""#, "l = u2[4] @0+1"),
    (r#"element_type="u3" shape="8" offset="0" size="3""#, "l = u3[8] @0+3"),
    (r#"element_type="u6" shape="4" offset="0" size="3""#, "l = u6[4] @0+3"),
    (r#"element_type="f8e4m3" shape="2" offset="0" size="2""#, "l = f8e4m3[2] @0+2"),
    (r#"element_type="f4e2m1" shape="2" offset="0" size="1""#, "l = f4e2m1[2] @0+1"),
    (r#"element_type="string" shape="2" offset="0" size="9""#, "l = string[2] @0+9"),
    (r#"element_type="new" shape="2" offset="0" size="3""#, "l = new[2] @0+3"),
    (r#"element_type="f32" shape="-1" offset="0" size="4""#, "! layer 0 (l): its shape is '-1'; it mus… whole numbers"),
    (r#"element_type="f32" shape="x" offset="0" size="4""#, "! layer 0 (l): its shape is 'x'; it must … whole numbers"),
    (r#"element_type="f32" shape="1," offset="0" size="4""#, "! layer 0 (l): its shape is '1,'; it mus… whole numbers"),
    (r#"element_type="f32" shape="1.5" offset="0" size="4""#, "! layer 0 (l): its shape is '1.5'; it m… whole numbers"),
    (r#"element_type="f32" shape="1" offset="-1" size="4""#, "! layer 0 (l): its offset is '-1'; it mu…a whole number"),
    (r#"element_type="f32" shape="1" offset="x" size="4""#, "! layer 0 (l): its offset is 'x'; it must…a whole number"),
    (r#"element_type="f32" shape="1" offset="0" size="-4""#, "! layer 0 (l): its size is '-4'; it must…a whole number"),
    (r#"element_type="f32" shape="1" offset="0" size="x""#, "! layer 0 (l): its size is 'x'; it must b…a whole number"),
    (r#"element_type="f32" shape="1" offset="18446744073709551615" size="4""#, "! layer 0 (l): its 4 bytes …d 64 bits"),
    (
        r#"element_type="f32" shape="2,99999999999999999999" offset="0" size="4""#,
        "! layer 0 (l): its shape is '2,99999999999999999999'; a size is more than an address can count",
    ),
    (r#"element_type="f32" shape="4294967296,4294967296" offset="0" size="4""#, "! layer 0 (l): (4294967296…can count"),
    (r#"element_type="f32" shape="1" offset="0" size="4" new="1""#, "l = f32[1] @0+4"),
    (r#"shape="1" offset="0" size="4""#, "! layer 0 (l): its data has no element_type"),
    (r#"element_type="f32" offset="0" size="4""#, "! layer 0 (l): its data has no shape"),
    (r#"element_type="f32" shape="1" size="4""#, "! layer 0 (l): its data has no offset"),
    (r#"element_type="f32" shape="1" offset="0""#, "! layer 0 (l): its data has no size"),
    ("", "! layer 0 (l): its data has no element_type"),
];

const SHAPES: &[(&str, &str)] = &[
    ("1", "l f32 (1,)"),
    ("1,3", "l f32 (1, 3)"),
    ("1,3,?", "l f32 (1, 3, ?)"),
    ("?", "l f32 (?,)"),
    ("-1", "l f32 (?,)"),
    ("...", "l f32 (...)"),
    ("", "l f32 ()"),
    ("[1,3]", "l f32 (1, 3)"),
    ("[]", "l f32 ()"),
    ("[?,3]", "l f32 (?, 3)"),
    ("[...]", "l f32 (...)"),
    ("2..9", "l f32 (2..9,)"),
    ("2..", "l f32 (2..,)"),
    ("..9", "l f32 (0..9,)"),
    ("?,2..9,4", "l f32 (?, 2..9, 4)"),
    ("0", "l f32 (0,)"),
    ("1,-1,?", "l f32 (1, ?, ?)"),
    ("1, 3", "l f32 (1, 3)"),
    (" 1,3 ", "l f32 (1, 3)"),
    ("-2", "! layer 0 (l): '-2' is negative; write a size (3), an interval (2..9), a name …..9), broadcast(n, m) or ?"),
    ("x", "l f32 (x,)"),
    ("9..2", "! layer 0 (l): '9..2' is not a dim; write a size (3), an interval (2..9), a …..9), broadcast(n, m) or ?"),
    ("1,,2", "! layer 0 (l): '' is not a dim; write a size (3), an interval (2..9), a name…..9), broadcast(n, m) or ?"),
    ("1,", "! layer 0 (l): '' is not a dim; write a size (3), an interval (2..9), a name (…..9), broadcast(n, m) or ?"),
    ("1.5", "! layer 0 (l): '1.5' is not a dim; write a size (3), an interval (2..9), a na…..9), broadcast(n, m) or ?"),
    ("[1", "! layer 0 (l): '[1' is not a dim; write a size (3), an interval (2..9), a name…..9), broadcast(n, m) or ?"),
    ("9223372036854775807", "l f32 (9223372036854775807,)"),
    ("9223372036854775808", "! layer 0 (l): '9223372036854775808' is more than an address can …, broadcast(n, m) or ?"),
    ("18446744073709551616", "! layer 0 (l): '18446744073709551616' is more than an address ca…, broadcast(n, m) or ?"),
    ("4294967296,4294967296", "! layer 0 (l): (4294967296, 4294967296) has more elements than an address can count"),
    ("1..18446744073709551616", "! layer 0 (l): '1..18446744073709551616' is not a dim; write a… broadcast(n, m) or ?"),
];

const SETTINGS: &[(&str, &str)] = &[
    (r#"a="1""#, "a=Int(1)"),
    (r#"a="-1""#, "a=Int(-1)"),
    (r#"a="1,2""#, "a=Ints([1, 2])"),
    (r#"a="1, 2""#, "a=Ints([1, 2])"),
    (r#"a="1.5""#, "a=Float(1.5)"),
    (r#"a="1,2.5""#, "a=Floats([1.0, 2.5])"),
    (r#"a="1e-5""#, "a=Float(1e-5)"),
    (r#"a="true""#, r#"a=Text("true")"#),
    (r#"a="numpy""#, r#"a=Text("numpy")"#),
    (r#"a="""#, r#"a=Text("")"#),
    (r#"a="inf""#, "a=Float(inf)"),
    (r#"a="-inf""#, "a=Float(-inf)"),
    (r#"a="nan""#, "a=Float(NaN)"),
    (r#"a="a,b""#, r#"a=Text("a,b")"#),
    ("a='1'", "a=Int(1)"),
    ("a = '1'", "a=Int(1)"),
    (r#"a="&lt;""#, r#"a=Text("<")"#),
    (r#"a="&gt;&amp;""#, r#"a=Text(">&")"#),
    (r#"a="&quot;&apos;""#, r#"a=Text("\"'")"#),
    (r#"a="&#65;""#, r#"a=Text("A")"#),
    (r#"a="&#x41;""#, r#"a=Text("A")"#),
    (r#"a="&#xe9;""#, r#"a=Text("é")"#),
    (r#"a="é""#, r#"a=Text("é")"#),
    (r#"a="<""#, r#"! the XML is broken: expected '"' not '<' at 1:91"#),
    (r#"a="&new;""#, "! the XML is broken: unknown entity reference 'new' at 1:91"),
    (r#"a="&""#, "! the XML is broken: malformed entity reference at 1:91"),
    (r#"a="&#0;""#, "! the XML is broken: malformed entity reference at 1:91"),
    (r#"a="1" a="2""#, "! the XML is broken: attribute 'a' at 1:94 is already defined"),
    (r#"a="1" b="2""#, "a=Int(1) b=Int(2)"),
    ("a", "! the XML is broken: expected '=' not '/' at 1:89"),
    ("a=1", "! the XML is broken: expected a quote not '1' at 1:90"),
    (r#"a="1"#, r#"! the XML is broken: expected '"' not '<' at 1:94"#),
    (r#"auto_broadcast="numpy""#, r#"auto_broadcast=Text("numpy")"#),
    (r#"auto_broadcast="NUMPY""#, r#"auto_broadcast=Text("NUMPY")"#),
    (r#"auto_broadcast="none""#, r#"auto_broadcast=Text("none")"#),
    (r#"auto_broadcast="explicit""#, r#"auto_broadcast=Text("explicit")"#),
    (r#"auto_broadcast="pdpd""#, r#"auto_broadcast=Text("pdpd") axis=Int(0)"#),
    (r#"auto_broadcast="pdpd" auto_broadcast.auto_broadcast_axis="1""#, r#"auto_broadcast=Text("pdpd") axis=Int(1)"#),
    (r#"auto_broadcast="pdpd" auto_broadcast.auto_broadcast_axis="-1""#, r#"auto_broadcast=Text("pdpd") axis=Int(-1)"#),
    (r#"auto_broadcast="pdpd" auto_broadcast.auto_broadcast_axis="x""#, "! layer 0 (l): auto_broadcast.au…hole number"),
    (r#"auto_broadcast="pdpd" axis="1""#, r#"auto_broadcast=Text("pdpd") axis=Int(0) layer 0 (l):…uto_broadcast_axis"#),
    (r#"auto_broadcast="numpy" axis="1""#, r#"auto_broadcast=Text("numpy") layer 0 (l): OpenVINO …uto_broadcast_axis"#),
    (r#"auto_broadcast="other""#, "! layer 0 (l): auto_broadcast is 'other'; it can be none, numpy or pdpd"),
    (r#"axis="1""#, "axis=Int(1)"),
    (r#"a="9223372036854775807""#, "a=Int(9223372036854775807)"),
    (r#"a="9223372036854775808""#, "a=Float(9.223372036854776e18)"),
    (r#"a=" 1 ""#, "a=Int(1)"),
    (r#"a="1;2""#, r#"a=Text("1;2")"#),
];

const NETS: &[(&str, &str)] = &[
    (r#"<net version="11"></net>"#, "() -> "),
    (r#"<net version="10"/>"#, "() -> "),
    (r#"<net version="11" name="n"><layers/><edges/></net>"#, "n() -> "),
    (r#"<?xml version="1.0"?><net version="11"/>"#, "() -> "),
    (r#"<!-- c --><net version="11"/>"#, "() -> "),
    (r#"<net version="11"><!-- <layers> --></net>"#, "() -> "),
    (r#"<net version="11"><![CDATA[<layers>]]></net>"#, "() -> "),
    (r#"<net version="11">text</net>"#, "() -> "),
    (r#"<net version="11"><rt_info a="1"/></net>"#, "() -> "),
    (r#"<net version="11"><meta_data><x/></meta_data></net>"#, "() -> "),
    (r#"﻿<net version="11"/>"#, "() -> "),
    (r#"  <net version="11"/>"#, "() -> "),
    (r#"<net name="a&amp;b" version="11"/>"#, "a&b() -> "),
    ("<net version='11'/>", "() -> "),
    ("<net/>", "! an IR of version (none) is not supported; versions 10 and 11 are"),
    (r#"<net version="9"/>"#, "! an IR of version 9 is not supported; versions 10 and 11 are"),
    (r#"<net version="12"/>"#, "! an IR of version 12 is not supported; versions 10 and 11 are"),
    (r#"<net version=""/>"#, "! an IR of version  is not supported; versions 10 and 11 are"),
    (r#"<net version="11">"#, "! the XML is broken: the root node was opened but never closed"),
    (r#"<net version="11"></n>"#, "! the XML is broken: expected 'net' tag, not 'n' at 1:19"),
    (r#"<net version="11"/><net version="11"/>"#, "! the XML is broken: unknown token at 1:20"),
    (r#"<net version="11" version="11"/>"#, "! the XML is broken: attribute 'version' at 1:19 is already defined"),
    (r#"<!DOCTYPE net><net version="11"/>"#, "! line 1: a document type is not supported; remove <… with its entities"),
    (r#"<!DOCTYPE net [<!ENTITY a "b">]><net version="11"/>"#, "! line 1: a document type is not suppor… its entities"),
    (r#"<net version="11" xmlns="a"/>"#, "! line 1: a namespace is not supported; remove xmlns"),
    (r#"<net version="11" xmlns:a="b"/>"#, "! line 1: a namespace is not supported; remove xmlns"),
    (r#"<net version="11"><a:b/></net>"#, "! the XML is broken: an unknown namespace prefix 'a' at 1:20"),
    (r#"<other><net version="11"/></other>"#, "! the outermost element is <other>; that of a model is <net>"),
    (r#"<net version="11">&a;</net>"#, "! the XML is broken: unknown entity reference 'a' at 1:19"),
    (r#"<net version="11"><!-- -- --></net>"#, "! the XML is broken: comment at 1:19 contains '--'"),
    (r#"<net version="11"><!--"#, "! the XML is broken: expected '-->' at 1:23"),
    (r#"<net version="11"><![CDATA["#, "! the XML is broken: expected ']]>' at 1:28"),
    (r#"<net version="11"><layers><layer/></layers></net>"#, "! line 1: <layer> has no id"),
    (r#"<net version="11"><layers><layer id="0"/></layers></net>"#, "! line 1: <layer> has no type"),
    (r#"<net version="11"><layers><layer id="x"/></layers></net>"#, "! line 1: id of <layer> is 'x'; it …whole number"),
    (r#"<net version="11"><edges><edge/></edges></net>"#, "! line 1: <edge> has no from-layer"),
];

/// Reads a text, with 16 bytes of weights.
fn source(text: &str) -> Source {
    Source::memory(text.as_bytes(), None).with_weights(Source::memory([0; 16], None))
}

/// Reads a net of one layer with this type, data and port.
fn layer(kind: &str, data: &str, port: &str, show: impl Fn(&Model) -> String) -> String {
    let output = format!("<output><port id=\"0\" {port}/></output>");
    let layer = format!("<layer id=\"0\" name=\"l\" type=\"{kind}\" version=\"opset1\"><data {data}/>{output}</layer>");
    told((OPENVINO.read)(&source(&format!("<net version=\"11\"><layers>{layer}</layers></net>"))), show)
}

#[test]
fn types() {
    let show = |model: &Model| {
        let element = model.values[0].element.as_ref();
        element.map_or("none".to_owned(), |element| format!("{element} {}", element.bits()))
    };
    let rows = PRECISIONS.iter();
    compare(rows.map(|&(case, want)| (case, layer("ReadValue", "", &format!("precision=\"{case}\""), show), want)));
}

#[test]
fn constants() {
    compare(CONSTANTS.iter().map(|&(case, want)| (case, layer("Const", case, "", values), want)));
}

#[test]
fn parameters() {
    let data = |case| format!("element_type=\"f32\" shape=\"{case}\"");
    compare(SHAPES.iter().map(|&(case, want)| (case, layer("Parameter", &data(case), "", values), want)));
}

#[test]
fn settings() {
    let show = |model: &Model| {
        let shown = |(name, value): &(String, _)| format!("{name}={}", attribute(model, value));
        let attributes: Vec<_> = model.nodes[0].attributes.iter().map(shown).collect();
        [attributes, model.remarks.clone()].concat().join(" ")
    };
    compare(SETTINGS.iter().map(|&(case, want)| (case, layer("Unheard", case, "", show), want)));
}

#[test]
fn nets() {
    compare(NETS.iter().map(|&(case, want)| (case, told((OPENVINO.read)(&source(case)), ends), want)));
}

/// The counts just inside and just outside of a limit.
#[test]
fn limits() {
    let dims =
        |rank: usize| layer("Parameter", &format!("shape=\"{}1\"", "1,".repeat(rank - 1)), "", |_| String::new());
    let settings = |count| {
        let data = (0..count).map(|k| format!(" a{k}=\"1\"")).collect::<Vec<_>>().concat();
        layer("Unheard", &data, "", |_| String::new())
    };
    let deep = |depth: usize| {
        let inner = format!("{}{}", "<a>".repeat(depth - 1), "</a>".repeat(depth - 1));
        told((OPENVINO.read)(&source(&format!("<net version=\"11\">{inner}</net>"))), |_| String::new())
    };
    assert_eq!(dims(64), "");
    assert_eq!(dims(65), "! layer 0 (l): a port has 65 dims; the largest rank is 64");
    assert_eq!(settings(1024), "");
    assert_eq!(settings(1025), "! line 1: an element has more than 1024 attributes");
    assert_eq!(deep(256), "");
    assert_eq!(deep(257), "! line 1: there are more than 256 elements inside each other");
}
