//! Tables of JSON, types, attributes, operations and changes of programs of the new representation.
//!
//! Source: "The JavaScript Object Notation (JSON) Data Interchange Format" (RFC 8259), with the values that Python's `json`
//! reads, except halves of a surrogate pair, which it keeps; for programs, Paddle 3.3.1,
//! `paddle/fluid/pir/serialize_deserialize` (`schema.h`, `ir_serialize.cc`).
//! In an operation, `@` is the type of a tensor of two numbers.

mod program;

use super::{
    PADDLE,
    json::{Json, Kind, parse},
};
use crate::{
    edit::Edit,
    facts::{attribute, compare, compare_edits, cut, ends, nodes, text, told, value, values},
    graph::{Model, NodeId, Use},
    source::Source,
};

const JSON: &[(&str, &str)] = &[
    ("null", "null"),
    ("true", "true"),
    ("false", "false"),
    ("0", "0"),
    ("-0", "-0"),
    ("1", "1"),
    ("-1", "-1"),
    ("1.5", "1.5"),
    ("1e5", "1e5"),
    ("1E5", "1E5"),
    ("1e+5", "1e+5"),
    ("1e-5", "1e-5"),
    ("-1.5e-3", "-1.5e-3"),
    (r#""""#, ""),
    (r#""a""#, "a"),
    ("[]", "[]"),
    ("[1]", "[1]"),
    ("[1,2]", "[1,2]"),
    ("[[]]", "[[]]"),
    ("[[],[]]", "[[],[]]"),
    ("{}", "{}"),
    (r#"{"a":1}"#, "{a:1}"),
    (r#"{"a":1,"b":2}"#, "{a:1,b:2}"),
    (r#"{"a":{"b":[]}}"#, "{a:{b:[]}}"),
    (" 1 ", "1"),
    ("[ 1 , 2 ]", "[1,2]"),
    (r#"{ "a" : 1 }"#, "{a:1}"),
    (r#""\"""#, r#"""#),
    (r#""\\""#, r"\"),
    (r#""\/""#, "/"),
    (r#""\u0041""#, "A"),
    (r#""\u00e9""#, "é"),
    (r#""\u00E9""#, "é"),
    (r#""\ud83d\ude00""#, "😀"),
    (r#""\u0000""#, "\0"),
    (r#""é""#, "é"),
    (r#""😀""#, "😀"),
    (r#""a/b""#, "a/b"),
    (r#"{"":1}"#, "{:1}"),
    (r#"{"a b":1}"#, "{a b:1}"),
    ("[null,true,false]", "[null,true,false]"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("0.1", "0.1"),
    ("1e400", "1e400"),
    ("0.0", "0.0"),
    ("-0.5e-0", "-0.5e-0"),
    ("0e1", "0e1"),
    ("00", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("-01", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("-nan", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("1.e5", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("", "! byte 0: expected a text in quotes; the JSON is incomplete or damaged"),
    ("nul", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("nulll", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("True", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("tru", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("-", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("+1", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    (".5", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("1.", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("01", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("1e", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("0x1", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("NaN", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("Infinity", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("-Infinity", "! byte 0: expected a value; the JSON is incomplete or damaged"),
    ("[", "! byte 1: expected a text in quotes; the JSON is incomplete or damaged"),
    ("[1", "! byte 2: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
    ("[1,", "! byte 3: expected a text in quotes; the JSON is incomplete or damaged"),
    ("[1,]", "! byte 3: expected a text in quotes; the JSON is incomplete or damaged"),
    ("[,1]", "! byte 1: expected a text in quotes; the JSON is incomplete or damaged"),
    ("[1 2]", "! byte 3: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
    ("]", "! byte 0: expected a text in quotes; the JSON is incomplete or damaged"),
    ("{", "! byte 1: expected a text in quotes; the JSON is incomplete or damaged"),
    (r#"{"a""#, "! byte 4: expected a colon; the JSON is incomplete or damaged"),
    (r#"{"a":"#, "! byte 5: expected a text in quotes; the JSON is incomplete or damaged"),
    (r#"{"a":1"#, "! byte 6: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
    (r#"{"a":1,"#, "! byte 7: expected a text in quotes; the JSON is incomplete or damaged"),
    (r#"{"a":1,}"#, "! byte 7: expected a text in quotes; the JSON is incomplete or damaged"),
    ("{a:1}", "! byte 1: expected a text in quotes; the JSON is incomplete or damaged"),
    ("{1:1}", "! byte 1: expected a text in quotes; the JSON is incomplete or damaged"),
    ("'a'", "! byte 0: expected a text in quotes; the JSON is incomplete or damaged"),
    (r#""a"#, "! byte 1: expected the end of a text; the JSON is incomplete or damaged"),
    (r#""\""#, "! byte 3: expected the end of a text; the JSON is incomplete or damaged"),
    (r#""\x""#, "! byte 3: expected a known escape; the JSON is incomplete or damaged"),
    (r#""\u00""#, "! byte 3: expected four hexadecimal digits; the JSON is incomplete or damaged"),
    (r#""\u00g0""#, "! byte 3: expected four hexadecimal digits; the JSON is incomplete or damaged"),
    (r#""\ud83d""#, "! byte 7: expected a character; the JSON is incomplete or damaged"),
    (r#""\ud83dx""#, "! byte 7: expected a character; the JSON is incomplete or damaged"),
    (r#""\ud83d\u0041""#, "! byte 13: expected a character; the JSON is incomplete or damaged"),
    (r#""\ude00""#, "! byte 7: expected a character; the JSON is incomplete or damaged"),
    ("1 1", "! byte 2: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
    ("{} {}", "! byte 3: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
    ("[1]]", "! byte 3: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
    (r#"{"a":1 "b":2}"#, "! byte 7: expected a comma or the end of a list or an object; the J…s incomplete or damaged"),
    (r#"{"a" 1}"#, "! byte 5: expected a colon; the JSON is incomplete or damaged"),
    (r#"{"a":1,"a":2}"#, r#"! byte 7: the key "a" occurs here a second time; remove one"#),
    ("// c", "! byte 0: expected a text in quotes; the JSON is incomplete or damaged"),
    ("[1]//", "! byte 3: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
    (r#"{"a":1}}"#, "! byte 7: expected a comma or the end of a list or an object; the JSON is incomplete or damaged"),
];

const TENSOR_TYPES: &[(&str, &str)] = &[
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2,3],"NCHW",[],0]}"##, "%2 f32 (2, 3)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_bool"},[2]]}"##, "%2 bool (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f16"},[2]]}"##, "%2 f16 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_bf16"},[2]]}"##, "%2 bf16 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2]]}"##, "%2 f32 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f64"},[2]]}"##, "%2 f64 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_i8"},[2]]}"##, "%2 i8 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_i16"},[2]]}"##, "%2 i16 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_i32"},[2]]}"##, "%2 i32 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2]]}"##, "%2 i64 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_ui8"},[2]]}"##, "%2 u8 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_ui16"},[2]]}"##, "%2 u16 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_ui32"},[2]]}"##, "%2 u32 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_ui64"},[2]]}"##, "%2 u64 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_c64"},[2]]}"##, "%2 c64 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_c128"},[2]]}"##, "%2 c128 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f8e4m3fn"},[2]]}"##, "%2 f8e4m3fn (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f8e5m2"},[2]]}"##, "%2 f8e5m2 (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_index"},[2]]}"##, "%2 index (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_new"},[2]]}"##, "%2 new (2,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[]]}"##, "%2 f32 ()"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[0]]}"##, "%2 f32 (0,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[-1]]}"##, "%2 f32 (?,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[-1,3]]}"##, "%2 f32 (?, 3)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[1,2,3,4,5]]}"##, "%2 f32 (1, 2, 3, 4, 5)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[-2]]}"##, "! byte 332: an extent must be a whole num…an unknown one"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[1.5]]}"##, "! byte 332: an extent must be a whole nu…an unknown one"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},["a"]]}"##, "! byte 332: an extent must be a whole nu…an unknown one"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[null]]}"##, "! byte 332: an extent must be a whole n…an unknown one"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[9223372036854775807]]}"##, "%2 f32 (9223372036854775807,)"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[9223372036854775808]]}"##, "! byte 332: an extent must b…nknown one"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[4294967296,4294967296]]}"##, "! byte 331: (4294967296, 42…can count"),
    (r##"{"#":"NULL"}"##, "x f32 (2,)"),
    ("{}", "x f32 (2,)"),
    (r##"{"#":"0.t_vec","D":[]}"##, "%2"),
    (r##"{"#":"0.t_dtensor"}"##, "%2"),
    (r##"{"#":"0.t_dtensor","D":[]}"##, "%2"),
    (r##"{"#":"0.t_dtensor","D":[{"#":"0.t_f32"}]}"##, "%2"),
    (r##"{"#":"0.t_dtensor","D":[{},[2]]}"##, "%2 (2,)"),
    (r##"{"#":"t_dtensor","D":[{"#":"0.t_f32"},[2]]}"##, "%2"),
    (r##"{"#":"1.t_selected_rows","D":[{"#":"0.t_f32"},[2]]}"##, "%2"),
    ("[]", "x f32 (2,)"),
    ("1", "x f32 (2,)"),
    ("null", "x f32 (2,)"),
    (r##"{"#":1}"##, "x f32 (2,)"),
];

const PIR_ATTRIBUTES: &[(&str, &str)] = &[
    (r##"{"#":"0.a_i32","D":1}"##, "Int(1)"),
    (r##"{"#":"0.a_i64","D":-1}"##, "Int(-1)"),
    (r##"{"#":"0.a_i64","D":9223372036854775807}"##, "Int(9223372036854775807)"),
    (r##"{"#":"0.a_i64","D":9223372036854775808}"##, "Float(9.223372036854776e18)"),
    (r##"{"#":"0.a_f32","D":1}"##, "Float(1.0)"),
    (r##"{"#":"0.a_f32","D":1.5}"##, "Float(1.5)"),
    (r##"{"#":"0.a_f64","D":1e-5}"##, "Float(1e-5)"),
    (r##"{"#":"0.a_bool","D":true}"##, r#"Text("true")"#),
    (r##"{"#":"0.a_bool","D":false}"##, r#"Text("false")"#),
    (r##"{"#":"0.a_str","D":"a"}"##, r#"Text("a")"#),
    (r##"{"#":"0.a_str","D":""}"##, r#"Text("")"#),
    (r##"{"#":"0.a_str","D":"\u00e9\n"}"##, r#"Text("é\n")"#),
    (r##"{"#":"1.a_dtype","D":"float32"}"##, r#"Text("float32")"#),
    (r##"{"#":"1.a_layout","D":"NCHW"}"##, r#"Text("NCHW")"#),
    (r##"{"#":"1.a_place","D":[0,0,""]}"##, r##"Other("{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}")"##),
    (r##"{"#":"1.a_intarray","D":[]}"##, "Ints([])"),
    (r##"{"#":"1.a_intarray","D":[1,-1]}"##, "Ints([1, -1])"),
    (r##"{"#":"1.a_intarray","D":[1.5]}"##, r##"Other("{\"#\":\"1.a_intarray\",\"D\":[1.5]}")"##),
    (r##"{"#":"0.a_array","D":[]}"##, "Ints([])"),
    (r##"{"#":"0.a_array","D":[{"#":"0.a_i32","D":1},{"#":"0.a_i32","D":2}]}"##, "Ints([1, 2])"),
    (r##"{"#":"0.a_array","D":[{"#":"0.a_f32","D":1.5}]}"##, "Floats([1.5])"),
    (r##"{"#":"0.a_array","D":[{"#":"0.a_str","D":"a"}]}"##, r#"Texts(["a"])"#),
    (r##"{"#":"0.a_array","D":[{"#":"0.a_bool","D":true}]}"##, r##"Other("{\"#\":\"0.a_array\",\"D\":[…\":true}]}")"##),
    (r##"{"#":"0.a_i32"}"##, r##"Other("{\"#\":\"0.a_i32\"}")"##),
    ("{}", r#"Other("{}")"#),
    ("[]", r#"Other("[]")"#),
    ("1", r#"Other("1")"#),
    (r#"{"D":1}"#, "Int(1)"),
    (r##"{"#":"x","D":"a"}"##, r#"Text("a")"#),
    (r##"{"#":"0.a_index","D":3}"##, "Int(3)"),
    (r##"{"#":"0.a_tensorname","D":"w"}"##, r#"Text("w")"#),
    (r##"{"#":"0.a_type","D":{}}"##, r##"Other("{\"#\":\"0.a_type\",\"D\":{}}")"##),
    (r##"{"#":"0.a_none","D":null}"##, r##"Other("{\"#\":\"0.a_none\",\"D\":null}")"##),
];

const OPERATIONS: &[(&str, &str)] = &[
    ("", " | x f32 (2,) | (x) -> "),
    (r##"{"#":"1.relu","I":[{"%":1}],"O":[{"%":2,@}]}"##, "%2 = relu(x) | x f32 (2,); %2 f32 (2,) | (x) -> "),
    (r##"{"#":"1.relu","I":[{"%":0}],"O":[{"%":2,@}]}"##, "%2 = relu(_) | x f32 (2,); %2 f32 (2,) | (x) -> "),
    (r##"{"#":"1.relu","I":[],"O":[]}"##, " = relu() | x f32 (2,) | (x) -> "),
    (r##"{"#":"1.relu"}"##, " = relu() | x f32 (2,) | (x) -> "),
    (r##"{"#":"2.if","I":[{"%":1}]}"##, " = if(x) | x f32 (2,) | (x) -> "),
    (r##"{"#":"3.own","I":[{"%":1}]}"##, " = own(x) | x f32 (2,) | (x) -> "),
    (r##"{"#":"relu","I":[{"%":1}]}"##, " = relu(x) | x f32 (2,) | (x) -> "),
    (r##"{"#":"9.relu","I":[{"%":1}]}"##, " = relu(x) | x f32 (2,) | (x) -> "),
    (r##"{"#":"1.relu","I":[{"%":1}],"O":[{"%":2,@},{"%":3,@}]}"##, "%2, %3 = relu(x) | x f32 (2,); %2 f…,) | (x) -> "),
    (r##"{"#":"1.relu","I":[{"%":1}],"O":[{"%":2,"TT":{"#":"NULL"}}]}"##, "_ = relu(x) | x f32 (2,) | (x) -> "),
    (r##"{"#":"1.relu","I":[{"%":1}],"new":1}"##, " = relu(x) | x f32 (2,) | (x) -> "),
    (r##"{"#":"1.fetch","I":[{"%":1}]}"##, " | x f32 (2,) | (x) -> x"),
    (r##"{"#":"0.shadow_output","I":[{"%":1}]}"##, " | x f32 (2,) | (x) -> x"),
    (r##"{"#":"1.data","O":[{"%":2,@}]}"##, " | x f32 (2,); %2 f32 (2,) | (x %2) -> "),
    (r##"{"#":"1.feed","O":[{"%":2,@}]}"##, " | x f32 (2,); %2 f32 (2,) | (x %2) -> "),
    (r##"{"#":"p","A":[0,1,1,"w"],"O":{"%":2,@}}"##, " | x f32 (2,); w = f32[2] absent: ? | (x) -> "),
    (r##"{"#":"p","A":[],"O":{"%":2,@}}"##, "! byte 260: a parameter has no name"),
    (r##"{"#":"p","O":{"%":2,@}}"##, r#"! byte 260: there should be "A" here"#),
    (r##"{"#":"p","A":["w"]}"##, r#"! byte 260: there should be "O" here"#),
    (r##"{"#":"1.relu","regions":[{"#":"r","blocks":[]}]}"##, " = relu() | x f32 (2,) | (x) -> "),
    ("{}", r##"! byte 260: there should be "#" here"##),
    (r##"{"#":1}"##, "! byte 265: the name of an operation is not a text"),
    (r##"{"#":"1.relu","I":[{}]}"##, r#"! byte 279: there should be "%" here"#),
    (r##"{"#":"1.relu","I":[{"%":9}]}"##, "! byte 284: the value %9 is read, but no earlier operation computes it"),
    (r##"{"#":"1.relu","I":[{"%":"a"}]}"##, "! byte 284: the number of a value is not a whole number"),
    (r##"{"#":"1.relu","I":[{"%":1.5}]}"##, "! byte 284: the number of a value is not a whole number"),
    (r##"{"#":"1.relu","O":[{@}]}"##, r#"! byte 279: there should be "%" here"#),
    (r##"{"#":"1.relu","O":[{"%":2}]}"##, r#"! byte 279: there should be "TT" here"#),
    (r##"{"#":"1.relu","O":[{"%":1,@}]}"##, "! byte 279: the value %1 is computed a second time; n… values are unique"),
    (r##"{"#":"1.relu","O":[{"%":"a",@}]}"##, "! byte 284: the number of a value is not a whole number"),
    (r##"{"#":"1.relu","A":[{}]}"##, r#"! byte 279: there should be "N" here"#),
    (r##"{"#":"1.relu","A":[{"N":"a"}]}"##, r#"! byte 279: there should be "AT" here"#),
    (r##"{"#":"1.relu","A":[{"N":1,"AT":{}}]}"##, "! byte 284: the name of an attribute is not a text"),
    (r##"{"#":"1.relu","regions":[{"blocks":[{}]}]}"##, r#"! byte 296: there should be "ops" here"#),
    (r##"{"#":"1.relu","I":[{"%":2}]},{"#":"1.relu","O":[{"%":2,@}]}"##, "! byte 284: the value %2 is rea…computes it"),
];

const PIR_EDITS: &str = r##"
shape w 1,2
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":1},{"#":"0.a_i64","D":2}]},\
    "N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}]\
    ,"I":[],"O":[{"%":6,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array\
    ","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]},{"#":"1.reshape","A":[],"I":[{"%":2},{"%":6}],"O":[{"%\
    ":7,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[1,2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0\
    .a_bool","D":false}]},"N":"stop_gradient"}]},
  382: {"%":2} => {"%":7}
  448: [2] => [1,2]
  585: [2] => [1,2]
copy w 1,2 0.1
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":1},{"#":"0.a_i64","D":2}]},\
    "N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}]\
    ,"I":[],"O":[{"%":6,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array\
    ","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]},{"#":"1.reshape","A":[],"I":[{"%":2},{"%":6}],"O":[{"%\
    ":7,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[1,2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0\
    .a_bool","D":false}]},"N":"stop_gradient"}]},
  382: {"%":2} => {"%":7}
  448: [2] => [1,2]
  585: [2] => [1,2]
reshape 0.0 -1
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":-1}]},"N":"value"},{"AT":{"\
    #":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}],"I":[],"O":[{"%":6,"\
    TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool\
    ","D":true}]},"N":"stop_gradient"}]},{"#":"1.reshape","A":[],"I":[{"%":1},{"%":6}],"O":[{"%":7,"TT":{"#":"0.t_dt\
    ensor","D":[{"#":"0.t_f32"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":false}]},"\
    N":"stop_gradient"}]},
  374: {"%":1} => {"%":7}
reshape 0.1 2,1
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":2},{"#":"0.a_i64","D":1}]},\
    "N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}]\
    ,"I":[],"O":[{"%":6,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array\
    ","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]},{"#":"1.reshape","A":[],"I":[{"%":2},{"%":6}],"O":[{"%\
    ":7,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2,1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0\
    .a_bool","D":false}]},"N":"stop_gradient"}]},
  382: {"%":2} => {"%":7}
  448: [2] => [2,2]
  585: [2] => [2,2]
reshape 1.0 0,-1
  457:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":0},{"#":"0.a_i64","D":-1}]}\
    ,"N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}\
    ],"I":[],"O":[{"%":6,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_arra\
    y","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]},{"#":"1.reshape","A":[],"I":[{"%":3},{"%":6}],"O":[{"\
    %":7,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2,1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"\
    0.a_bool","D":false}]},"N":"stop_gradient"}]},
  519: {"%":3} => {"%":7}
  585: [2] => [2,1]
unsqueeze 0.1 0
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":0}]},"N":"value"},{"AT":{"#\
    ":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}],"I":[],"O":[{"%":6,"T\
    T":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool"\
    ,"D":true}]},"N":"stop_gradient"}]},{"#":"1.unsqueeze","A":[],"I":[{"%":2},{"%":6}],"O":[{"%":7,"TT":{"#":"0.t_d\
    tensor","D":[{"#":"0.t_f32"},[1,2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":false}]\
    },"N":"stop_gradient"}]},
  382: {"%":2} => {"%":7}
  448: [2] => [1,2]
  585: [2] => [1,2]
unsqueeze 0.0 1,2
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":1},{"#":"0.a_i64","D":2}]},\
    "N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}]\
    ,"I":[],"O":[{"%":6,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array\
    ","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]},{"#":"1.unsqueeze","A":[],"I":[{"%":1},{"%":6}],"O":[{\
    "%":7,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2,1,1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#\
    ":"0.a_bool","D":false}]},"N":"stop_gradient"}]},
  374: {"%":1} => {"%":7}
  448: [2] => [2,1,2]
  585: [2] => [2,1,2]
expand 0.1 3,2
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":3},{"#":"0.a_i64","D":2}]},\
    "N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}]\
    ,"I":[],"O":[{"%":6,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array\
    ","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]},{"#":"1.expand","A":[],"I":[{"%":2},{"%":6}],"O":[{"%"\
    :7,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[3,2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.\
    a_bool","D":false}]},"N":"stop_gradient"}]},
  382: {"%":2} => {"%":7}
  448: [2] => [3,2]
  585: [2] => [3,2]
swap 0 subtract
  354: "1.add" => "1.subtract"
  374: {"%":1} => {"%":2}
  382: {"%":2} => {"%":1}
swap 0 add
  374: {"%":1} => {"%":2}
  382: {"%":2} => {"%":1}
swap 1 relu
  ! 1.relu at byte 457: it has 1 inputs; two inputs can be exchanged
set 1 a 2
  501: 1 => 2
set 1 a 1.5
  ! 1.relu at byte 457: the attribute a is of the kind 0.a_i32, which Float(1.5) is not
set 1 a text
  ! 1.relu at byte 457: the attribute a is of the kind 0.a_i32, which Text("text") is not
set 1 a [1,2]
  ! 1.relu at byte 457: the attribute a is of the kind 0.a_i32, which Ints([1, 2]) is not
set 1 new 1
  ! 1.relu at byte 457: the operation has no attribute new, and none can be added
set 1 new a"b
  ! 1.relu at byte 457: the operation has no attribute new, and none can be added
set 0 new [0.5]
  ! 1.add at byte 349: the operation has no attribute new, and none can be added
remove 1 a
  ! 1.relu at byte 457: the attribute a cannot be removed; give it a value
remove 1 none
  ! 1.relu at byte 457: the attribute none cannot be removed; give it a value
opset 3
  ! a program of Paddle has no opset
replace 0 relu multiply
  ! 1.add at byte 349: nodes of Paddle's programs cannot be replaced; insert reshapes before them
replace 1 relu add
  ! 1.relu at byte 457: nodes of Paddle's programs cannot be replaced; insert reshapes before them
result 0 -1
  456:  => ,{"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":-1}]},"N":"value"},{"AT":{\
    "#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}],"I":[],"O":[{"%":6,\
    "TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_boo\
    l","D":true}]},"N":"stop_gradient"}]},{"#":"1.reshape","A":[],"I":[{"%":3},{"%":6}],"O":[{"%":7,"TT":{"#":"0.t_d\
    tensor","D":[{"#":"0.t_f32"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":false}]},\
    "N":"stop_gradient"}]}
  519: {"%":3} => {"%":7}
result 0 2,3
  ! 1.add at byte 349: 2 elements do not fit into the shape 2, 3
result 1 0,-1
  593:  => ,{"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":0},{"#":"0.a_i64","D":-1}]\
    },"N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"\
    }],"I":[],"O":[{"%":6,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_arr\
    ay","D":[{"#":"0.a_bool","D":true}]},"N":"stop_gradient"}]},{"#":"1.reshape","A":[],"I":[{"%":4},{"%":6}],"O":[{\
    "%":7,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2,1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":\
    "0.a_bool","D":false}]},"N":"stop_gradient"}]}
  621: {"%":4} => {"%":7}
swap 0 subtract; unsqueeze 0.1 0
  349:  => {"#":"1.full_int_array","A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":0}]},"N":"value"},{"AT":{"#\
    ":"1.a_dtype","D":"int64"},"N":"dtype"},{"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}],"I":[],"O":[{"%":6,"T\
    T":{"#":"0.t_dtensor","D":[{"#":"0.t_i64"},[1],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool"\
    ,"D":true}]},"N":"stop_gradient"}]},{"#":"1.unsqueeze","A":[],"I":[{"%":2},{"%":6}],"O":[{"%":7,"TT":{"#":"0.t_d\
    tensor","D":[{"#":"0.t_f32"},[1,2],"NCHW",[],0]}}],"OA":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_bool","D":false}]\
    },"N":"stop_gradient"}]},
  354: "1.add" => "1.subtract"
  374: {"%":1} => {"%":7}
  382: {"%":2} => {"%":1}
  448: [2] => [1,2]
  585: [2] => [1,2]
set 1 a 2; set 0 b 1
  ! 1.add at byte 349: the operation has no attribute b, and none can be added
"##;

const PIR_CUTS: &[&str] = &[
    "byte #: expected a colon; the JSON is incomplete or damaged",
    "byte #: expected a comma or the end of a list or an object; the JSON is incomplete or damaged",
    "byte #: expected a text in quotes; the JSON is incomplete or damaged",
    "byte #: expected a value; the JSON is incomplete or damaged",
    "byte #: expected the end of a text; the JSON is incomplete or damaged",
];

const TENSOR: &str = r##""TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2]]}"##;

fn show(json: &Json) -> String {
    match &json.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(text) | Kind::Text(text) => text.clone(),
        Kind::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(",")),
        Kind::Map(entries) => {
            let entry = |(key, value): &(String, Json)| format!("{key}:{}", show(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
    }
}

#[test]
fn json_texts() {
    let read = |text| parse(text).map_or_else(|error| format!("! {error}"), |json| show(&json).replace('\n', "|"));
    compare(JSON.iter().map(|&(case, want)| (case, read(case), want)));
}

/// A program whose first operation is the input `x`, number 1.
fn program(ops: &str) -> String {
    let input = r##"{"#":"1.data","A":[{"N":"name","AT":{"#":"0.a_str","D":"x"}}],"I":[],"O":[{"%":1,@}]}"##;
    let comma = if ops.is_empty() { "" } else { "," };
    let block = format!(r##"{{"#":"b","args":[],"ops":[{input}{comma}{ops}]}}"##);
    let head =
        r##"{"base_code":{"magic":"pir","trainable":true,"version":4},"program":{"regions":[{"#":"r","blocks":["##;
    format!("{head}{block}]}}]}}}}").replace('@', TENSOR)
}

fn read(text: &str, show: impl Fn(&Model) -> String) -> String {
    let weights = "the model was read without its file of weights";
    told((PADDLE.read)(&Source::memory(text.as_bytes(), None)), |model| show(model).replace(weights, "?"))
}

#[test]
fn types() {
    let last = |model: &Model| value(model, model.values.last().unwrap());
    let whole = |case| program(&format!(r##"{{"#":"1.relu","O":[{{"%":2,"TT":{case}}}]}}"##));
    compare(TENSOR_TYPES.iter().map(|&(case, want)| (case, read(&whole(case), last), want)));
}

#[test]
fn attributes() {
    let show = |model: &Model| attribute(model, &model.nodes[0].attributes[0].1);
    let whole = |case| program(&format!(r##"{{"#":"1.relu","A":[{{"N":"a","AT":{case}}}]}}"##));
    compare(PIR_ATTRIBUTES.iter().map(|&(case, want)| (case, read(&whole(case), show), want)));
}

#[test]
fn operations() {
    let show = |model: &Model| format!("{} | {} | {}", nodes(model), values(model), ends(model));
    compare(OPERATIONS.iter().map(|&(case, want)| (case, read(&program(case), show), want)));
}

/// `%3 = add(x, w)`, `%4 = relu(%3)`.
fn small() -> String {
    program(concat!(
        r##"{"#":"p","A":[0,1,1,"w"],"O":{"%":2,@}},{"#":"1.add","A":[],"I":[{"%":1},{"%":2}],"O":[{"%":3,@}]},"##,
        r##"{"#":"1.relu","A":[{"AT":{"#":"0.a_i32","D":1},"N":"a"}],"I":[{"%":3}],"O":[{"%":4,@}]},"##,
        r##"{"#":"1.fetch","A":[],"I":[{"%":4}],"O":[{"%":5,@}]}"##
    ))
}

#[test]
fn edits() {
    let model = (PADDLE.read)(&Source::memory(small().as_bytes(), None)).unwrap();
    compare_edits(&model, PIR_EDITS, text);
}

/// What a file says between quotes is written between quotes, also the name of a type that is not known.
#[test]
fn names_with_controls_are_escaped_in_new_operations() {
    let model =
        (PADDLE.read)(&Source::memory(small().replace("0.t_f32", r#"0.t_\u001b\"f"#).as_bytes(), None)).unwrap();
    let edit = Edit::Unsqueeze { at: Use { node: NodeId(0), input: 0 }, axes: vec![0] };
    let changed = crate::write(&model, &[edit]).and_then(|written| crate::changed(&model, &written));
    assert_eq!(changed.map(|changed| changed.nodes.len()), Ok(model.nodes.len() + 2));
}

/// Only the whole text is read: its last bracket closes the program.
#[test]
fn texts_that_are_cut() {
    let text = small();
    let (good, errors) =
        cut(text.as_bytes(), |bytes| super::pir::read(&Source::memory(bytes, None)).map(|read| read.0));
    assert_eq!(good, [text.len()]);
    assert_eq!(errors, PIR_CUTS, "{errors:#?}");
}

/// The counts just inside and just outside of a limit.
#[test]
fn limits() {
    let shape = |rank: usize| {
        let dims = format!("{}1", "1,".repeat(rank - 1));
        let kind = format!(r##"{{"#":"0.t_dtensor","D":[{{"#":"0.t_f32"}},[{dims}]]}}"##);
        read(&program(&format!(r##"{{"#":"1.relu","O":[{{"%":2,"TT":{kind}}}]}}"##)), |_| String::new())
    };
    let deep = |depth: usize| parse(&format!("{}1{}", "[".repeat(depth), "]".repeat(depth))).is_ok();
    let keys = |count: usize| {
        let list: Vec<String> = (0..count).map(|k| format!("\"{k}\":1")).collect();
        parse(&format!("{{{}}}", list.join(","))).is_ok()
    };
    assert_eq!(shape(64), "");
    assert!(shape(65).ends_with("a tensor has 65 dims; the largest rank is 64"));
    assert_eq!([deep(511), deep(512), deep(513)], [true, true, false]);
    assert_eq!([keys(255), keys(256), keys(257)], [true, true, false]);
}
