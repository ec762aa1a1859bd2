//! Tables of the fields of models, graphs, nodes, attributes and types.
//!
//! Source: `onnx.proto` and "Open Neural Network Exchange Intermediate Representation Specification". Files that break a
//! rule of these are rejected; a field with an unknown number is skipped, and a field that is left out has its default.

use crate::{
    facts::{compare, ends, nodes, proto, told, values},
    graph::Model,
    source::Source,
};

const MODELS: &[(&str, &str)] = &[
    ("1:8 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", r#"[("", 17)] (x) -> y"#),
    ("1:8 14'' 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", r#"[("", 17)] (x) -> y"#),
    ("1:1 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", r#"[("", 17)] (x) -> y"#),
    ("1:14 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", r#"[("", 17)] (x) -> y"#),
    ("1:15 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", r#"[("", 17)] (x) -> yir_version is 1… passed over"#),
    ("1:100 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", r#"[("", 17)] (x) -> yir_version is … passed over"#),
    ("1:0 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", "! ir_version is 0; 1 to 14 are known"),
    ("1:101 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", "! ir_version is 101; 1 to 14 are known"),
    ("1:-1 8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", "! ir_version is -1; 1 to 14 are known"),
    ("8{1'' 2:17} 7{1{1'x' 2'y' 4'Neg'} 11{1'x'} 12{1'y'}}", "! the file has no ir_version; it is cut … an ONNX model"),
    ("1:8 8{1'' 2:17}", "! the file has no graph; it is cut or not an ONNX model"),
    ("", "! the file has no ir_version; it is cut or not an ONNX model"),
    ("1:8", "! the file has no graph; it is cut or not an ONNX model"),
    ("1:8 7{}", "[] () -> no version of the standard operators is imported; their nodes stay unknown"),
    ("1:2 7{}", r#"[("", 1)] () -> "#),
    ("1:3 7{}", "[] () -> no version of the standard operators is imported; their nodes stay unknown"),
    ("1:8 8{2:0} 7{}", r#"[("", 0)] () -> the version of the standard operators is 0; 1 to 28 are known here"#),
    ("1:8 8{2:-1} 7{}", r#"[("", -1)] () -> the version of the standard operators is -1; 1 to 28 are known here"#),
    ("1:8 8{2:28} 7{}", r#"[("", 28)] () -> "#),
    ("1:8 8{2:999} 7{}", r#"[("", 999)] () -> the version of the standard operators is 999; 1 to 28 are known here"#),
    ("1:8 8{1'ai.onnx' 2:17} 7{}", r#"[("", 17)] () -> "#),
    ("1:8 8{2:17} 8{1'ai.onnx' 2:17} 7{}", r#"! byte 6: the domain "" is imported twice; one version is right"#),
    ("1:8 8{1'a' 2:1} 8{1'b' 2:2} 7{}", r#"[("a", 1), ("b", 2)] () -> no version of the standard …nodes stay unknown"#),
    ("1:8 8{1'a' 2:1} 8{1'a' 2:2} 7{}", r#"! byte 9: the domain "a" is imported twice; one version is right"#),
    ("1:8 8{1'a'} 8{2:17} 7{}", r#"[("a", 0), ("", 17)] () -> "#),
    ("1:8 8{2:17} 7{2'g'}", r#"[("", 17)] g() -> "#),
    ("1:8 8{2:17} 7{10'doc' 2'g'}", r#"[("", 17)] g() -> "#),
    ("1:8 8{2:17} 2'p' 3'v' 4'd' 5:1 6'doc' 14{1'k' 2'v'} 7{}", r#"[("", 17)] () -> "#),
    ("1:8 8{2:17} 99:1 7{99:1}", r#"[("", 17)] () -> "#),
    ("1:8 8{2:17} 7{16{1'k' 2'v'}}", r#"[("", 17)] () -> "#),
    ("1'a'", "! byte 0: field 1 of ModelProto should be a whole number"),
    ("1=1.0", "! byte 0: field 1 of ModelProto should be a whole number"),
    ("1:8 7:1", "! byte 2: field 7 of ModelProto should be a text or a message"),
    ("1:8 7=1.0", "! byte 2: field 7 of ModelProto should be a text or a message"),
    ("1:8 8:1", "! byte 2: field 8 of ModelProto should be a text or a message"),
    ("1:8 8{1:1} 7{}", "! byte 4: field 1 of OperatorSetIdProto should be a text or a message"),
    ("1:8 8{2'a'} 7{}", "! byte 4: field 2 of OperatorSetIdProto should be a whole number"),
    ("1:8 8{2=1.0} 7{}", "! byte 4: field 2 of OperatorSetIdProto should be a whole number"),
    ("1:8 25:1 8{2:17} 7{}", "! byte 2: field 25 of ModelProto should be a text or a message"),
    ("1:8 1:8 7{}", "! byte 2: field 1 of ModelProto occurs here a second time; remove one"),
    ("1:8 7{} 7{}", "! byte 4: field 7 of ModelProto occurs here a second time; remove one"),
    ("1:8 2'a' 2'a' 7{}", "! byte 5: field 2 of ModelProto occurs here a second time; remove one"),
    ("1:8 8{2:1 2:1} 7{}", "! byte 6: field 2 of OperatorSetIdProto occurs here a second time; remove one"),
    ("1:8 8{1'' 1''} 7{}", "! byte 6: field 1 of OperatorSetIdProto occurs here a second time; remove one"),
    ("1:8 8{2:17} 7{2'a' 2'b'}", "! byte 11: field 2 of GraphProto occurs here a second time; remove one"),
    ("1:8 8{2:17} 7{1:1}", "! byte 8: field 1 of GraphProto should be a text or a message"),
    ("1:8 8{2:17} 7{2:1}", "! byte 8: field 2 of GraphProto should be a text or a message"),
    ("1:8 8{2:17} 7{5:1}", "! byte 8: field 5 of GraphProto should be a text or a message"),
    ("1:8 8{2:17} 7{11:1}", "! byte 8: field 11 of GraphProto should be a text or a message"),
    ("1:8 8{2:17} 7{12:1}", "! byte 8: field 12 of GraphProto should be a text or a message"),
    ("1:8 8{2:17} 7{13:1}", "! byte 8: field 13 of GraphProto should be a text or a message"),
    ("1:8 8{2:17} 7{15:1}", "! byte 8: field 15 of GraphProto should be a text or a message"),
    ("1:8 8{2:17} 7{2<ff>}", "! byte 10: this text is not UTF-8, which names must be"),
    ("1:8 8{1<ff>} 7{}", "! byte 6: this text is not UTF-8, which names must be"),
];

const NODES: &[(&str, &str)] = &[
    ("1{1'x' 2'y' 4'Neg'}", "y = Neg(x) | x; y"),
    ("1{4'Neg' 2'y' 1'x'}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Neg' 3'n'}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Neg' 6'doc'}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Neg' 7'ai.onnx'}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Neg' 7'other'}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Neg' 8'v2'}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Neg' 9{1'k' 2'v'}}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Neg' 99:1}", "y = Neg(x) | x; y"),
    ("1{1'x' 2'y' 4'Unheard'}", "y = Unheard(x) | x; y"),
    ("1{1'x' 1'' 1'x' 2'y' 4'Clip'}", "y = Clip(x, _, x) | x; y"),
    ("1{1'x' 2'' 2'y' 4'Unheard'}", "_, y = Unheard(x) | x; y"),
    ("1{2'y' 4'Unheard'}", "y = Unheard() | x; y"),
    ("1{1'x' 1'x' 2'y' 4'Add'}", "y = Add(x, x) | x; y"),
    ("1{1'x' 2't' 4'Neg'} 1{1't' 2'y' 4'Neg'}", "t = Neg(x); y = Neg(t) | x; t; y"),
    ("1{1'x' 2'y' 2'z' 4'Unheard'}", "y, z = Unheard(x) | x; y; z"),
    ("1{1'x' 2'y' 4'Neg'} 5{8'w' 2:2 9<07>}", "y = Neg(x) | x; w = u8[] @30+1; y"),
    ("1{1'w' 2'y' 4'Neg'} 5{8'w' 2:2 9<07>}", "y = Neg(w) | x; w = u8[] @30+1; y"),
    ("1{2'y' 4'Constant' 5{1'value_int' 3:3 20:2}}", "y = Constant() value_int=Int(3) | x; y = i64[] 0300000000000000"),
    ("1{2'y' 4'Constant' 5{1'value_float' 2=0.5 20:1}}", "y = Constant() value_float=Float(0.5) | x; … f32[] 0000003f"),
    ("1{2'y' 4'Constant' 5{1'value_ints' 8[1 2] 20:7}}", "y = Constant() value_ints=Ints([1, 2]) | x;…200000000000000"),
    ("1{2'y' 4'Constant' 5{1'value_floats' 7=0.5 20:6}}", "y = Constant() value_floats=Floats([0.5]) …f32[1] 0000003f"),
    ("1{2'y' 4'Constant' 5{1'value_string' 4'a' 20:3}}", r#"y = Constant() value_string=Text("a") | x…ents are texts"#),
    ("1{2'y' 4'Constant' 5{1'value_strings' 9'a' 20:8}}", r#"y = Constant() value_strings=Texts(["a"]…ents are texts"#),
    ("1{2'y' 4'Constant' 5{1'value' 5{2:7 7:5} 20:4}}", "y = Constant() value=Tensor(i64[] 0500000000…500000000000000"),
    ("1{2'y' 4'Constant' 7'other' 5{1'value_int' 3:3 20:2}}", "y = Constant() value_int=Int(3) | x; y"),
    ("1{1'x' 2'y'}", "! node 0 (): it has no operator; every node has one"),
    ("1{1'x' 2'y' 4''}", "! node 0 (): it has no operator; every node has one"),
    ("1{1'x' 2'x' 4'Neg'}", r#"! node 0 (Neg): the name "x" is written twice; names of values are unique"#),
    ("1{1'y' 2'y' 4'Neg'}", r#"! node 0 (Neg): it reads its own output "y"; a node can read only earlier outputs"#),
    ("1{1'z' 2'y' 4'Neg'}", r#"! node 0 (Neg): it reads "z", which no node computes"#),
    ("1{1't' 2'y' 4'Neg'} 1{1'x' 2't' 4'Neg'}", r#"! node 0 (Neg): it reads "t", which node 1 (Neg)…; sort the nodes"#),
    ("1{1'x' 2't' 4'Neg'}", r#"! byte 28: the output "y" of graph "" is made by no node"#),
    ("1{1'x' 2'y' 4'Neg'} 1{1'x' 2'y' 4'Neg'}", r#"! node 1 (Neg): the name "y" is written twice; n…alues are unique"#),
    ("1{2'y' 4'Neg'}", "! node 0 (Neg): Neg needs 1 inputs, not 0"),
    ("1{1'x' 1'x' 2'y' 4'Neg'}", "! node 0 (Neg): Neg needs 1 inputs, not 2"),
    ("1{1'x' 2'y' 2'z' 4'Neg'}", "! node 0 (Neg): Neg has 1 outputs, not 2"),
    ("1{1'x' 2'y' 4'Add'}", "! node 0 (Add): Add needs 2 inputs, not 1"),
    ("1{1'x' 4'Neg'}", "! node 0 (Neg): Neg has 1 outputs, not 0"),
    ("1{1'x' 2'y' 4'Neg' 4'Neg'}", "! byte 21: field 4 of NodeProto occurs here a second time; remove one"),
    ("1{1'x' 2'y' 4'Neg' 3'a' 3'b'}", "! byte 24: field 3 of NodeProto occurs here a second time; remove one"),
    ("1{1'x' 2'y' 4'Neg' 7'' 7''}", "! byte 23: field 7 of NodeProto occurs here a second time; remove one"),
    ("1{1:1 2'y' 4'Neg'}", "! byte 10: field 1 of NodeProto should be a text or a message"),
    ("1{1'x' 2:1 4'Neg'}", "! byte 13: field 2 of NodeProto should be a text or a message"),
    ("1{1'x' 2'y' 4:1}", "! byte 16: field 4 of NodeProto should be a text or a message"),
    ("1{1'x' 2'y' 4'Neg' 3:1}", "! byte 21: field 3 of NodeProto should be a text or a message"),
    ("1{1'x' 2'y' 4'Neg' 5:1}", "! byte 21: field 5 of NodeProto should be a text or a message"),
    ("1{1'x' 2'y' 4'Neg' 7:1}", "! byte 21: field 7 of NodeProto should be a text or a message"),
    ("1{1'x' 2'y' 4'Neg' 8:1}", "! byte 21: field 8 of NodeProto should be a text or a message"),
    ("1{1<ff> 2'y' 4'Neg'}", "! byte 12: this text is not UTF-8, which names must be"),
    ("1{1'x' 2'y' 4<ff>}", "! byte 18: this text is not UTF-8, which names must be"),
    ("1{1'x' 2'y' 4'Neg' 5{1'a' 3:1 20:2} 5{1'a' 3:2 20:2}}", r#"! node 0 (Neg): the attribute "a" is written twice"#),
    ("1{1'x' 2'y' 4'Neg'} 5{8'x' 2:2 9<07>} 5{8'x' 2:2 9<07>}", r#"! byte 33: the name "x" is written t…s are unique"#),
    ("1{1'x' 2'y' 4'Neg'} 11{1'x'}", r#"! byte 28: the name "x" is written twice; names of values are unique"#),
];

const ATTRIBUTES: &[(&str, &str)] = &[
    ("3:0 20:2", "a=Int(0)"),
    ("3:5 20:2", "a=Int(5)"),
    ("3:-1 20:2", "a=Int(-1)"),
    ("3:9223372036854775807 20:2", "a=Int(9223372036854775807)"),
    ("20:2", "a=Int(0)"),
    ("3:5", "a=Int(5)"),
    ("2=0.0 20:1", "a=Float(0.0)"),
    ("2=1.5 20:1", "a=Float(1.5)"),
    ("2=-1.5", "a=Float(-1.5)"),
    ("20:1", "a=Float(0.0)"),
    ("4'a' 20:3", r#"a=Text("a")"#),
    ("4'' 20:3", r#"a=Text("")"#),
    ("4'a'", r#"a=Text("a")"#),
    ("4<ff> 20:3", r#"a=Other("1 bytes that are not text")"#),
    ("20:3", r#"a=Text("")"#),
    ("7=1.0 7=2.0 20:6", "a=Floats([1.0, 2.0])"),
    ("7<0000803f00000040> 20:6", "a=Floats([1.0, 2.0])"),
    ("7=1.0", "a=Floats([1.0])"),
    ("20:6", "a=Floats([])"),
    ("7<> 20:6", "a=Floats([])"),
    ("8:1 8:-1 20:7", "a=Ints([1, -1])"),
    ("8[1 2 3] 20:7", "a=Ints([1, 2, 3])"),
    ("8[1] 8:2 8[3] 20:7", "a=Ints([1, 2, 3])"),
    ("8:4", "a=Ints([4])"),
    ("20:7", "a=Ints([])"),
    ("9'a' 9'b' 20:8", r#"a=Texts(["a", "b"])"#),
    ("9'' 20:8", r#"a=Texts([""])"#),
    ("20:8", "a=Texts([])"),
    ("9<ff> 20:8", r#"a=Other("a list of 1 texts")"#),
    ("5{1:1 2:2 9<07>} 20:4", "a=Tensor(u8[1] @38+1)"),
    ("5{2:7 7:5}", "a=Tensor(i64[] 0500000000000000)"),
    ("20:4", r#"! attribute "a": it should hold a tensor and holds nothing"#),
    ("22{1{1:1 2:2 9<07>} 2{1:1 2:7 7:0} 3:4} 20:11", r#"a=Other("a sparse tensor")"#),
    ("20:11", r#"! attribute "a": it should hold a tensor and holds nothing"#),
    ("20:0", r#"a=Other("a value of kind 0")"#),
    ("20:9", r#"a=Other("a value of kind 9")"#),
    ("20:13", r#"a=Other("a value of kind 13")"#),
    ("20:14", r#"a=Other("a value of kind 14")"#),
    ("20:99", r#"a=Other("a value of kind 99")"#),
    ("20:-1", r#"a=Other("a value of kind -1")"#),
    ("3:1 2=1.0 20:2", "a=Int(1)"),
    ("3:1 2=1.0 20:1", "a=Float(1.0)"),
    ("3:1 4'a' 20:3", r#"a=Text("a")"#),
    ("3:5 20:2 13'doc'", "a=Int(5)"),
    ("3:5 20:2 99:1", "a=Int(5)"),
    ("21'outer' 20:2", ""),
    ("21'outer'", ""),
    ("6{2'b'} 20:5", "a=Graph(1)"),
    ("20:5", r#"! node 0 (Unheard): the attribute "a" should hold a graph and holds nothing"#),
    ("11{2'b'} 11{2'c'} 20:10", r#"a=Other("2 graphs")"#),
    ("11{2'b'}", r#"a=Other("1 graphs")"#),
    ("20:10", r#"a=Other("0 graphs")"#),
    ("2:1 20:1", "! byte 30: field 2 of AttributeProto should be a floating-point number"),
    ("2'abcd' 20:1", "! byte 30: field 2 of AttributeProto should be a floating-point number"),
    ("2%1.0 20:1", "a=Float(1.0)"),
    ("3'a' 20:2", "! byte 30: field 3 of AttributeProto should be a whole number"),
    ("3=1.0 20:2", "! byte 30: field 3 of AttributeProto should be a whole number"),
    ("3%1.0 20:2", "! byte 30: field 3 of AttributeProto should be a whole number"),
    ("4:1 20:3", "! byte 30: field 4 of AttributeProto should be a text or a message"),
    ("4=1.0 20:3", "! byte 30: field 4 of AttributeProto should be a text or a message"),
    ("5:1 20:4", "! byte 30: field 5 of AttributeProto should be a text or a message"),
    ("5=1.0 20:4", "! byte 30: field 5 of AttributeProto should be a text or a message"),
    ("6:1 20:5", "! byte 30: field 6 of AttributeProto should be a text or a message"),
    ("7:1 20:6", "! byte 30: field 7 of AttributeProto should be a floating-point number"),
    ("7<000000> 20:6", "! byte 30: field 7 of AttributeProto should be numbers of 4 bytes"),
    ("8'a' 8=1.0 20:7", "! byte 33: field 8 of AttributeProto should be whole numbers"),
    ("8<80> 20:7", "! byte 32: a number has no end here; the file is cut or no protobuf"),
    ("8=1.0 20:7", "! byte 30: field 8 of AttributeProto should be whole numbers"),
    ("9:1 20:8", "! byte 30: field 9 of AttributeProto should be a text or a message"),
    ("9=1.0 20:8", "! byte 30: field 9 of AttributeProto should be a text or a message"),
    ("11:1 20:10", "! byte 30: field 11 of AttributeProto should be a text or a message"),
    ("20'a'", "! byte 30: field 20 of AttributeProto should be a whole number"),
    ("20=1.0", "! byte 30: field 20 of AttributeProto should be a whole number"),
    ("21:1", "! byte 30: field 21 of AttributeProto should be a text or a message"),
    ("22:1 20:11", "! byte 30: field 22 of AttributeProto should be a text or a message"),
    ("22{} 20:11", "! byte 33: a sparse tensor has no values"),
    ("3:1 3:1 20:2", "! byte 32: field 3 of AttributeProto occurs here a second time; remove one"),
    ("2=1.0 2=1.0 20:1", "! byte 35: field 2 of AttributeProto occurs here a second time; remove one"),
    ("4'a' 4'a' 20:3", "! byte 33: field 4 of AttributeProto occurs here a second time; remove one"),
    ("20:2 20:2", "! byte 33: field 20 of AttributeProto occurs here a second time; remove one"),
    ("21'a' 21'a'", "! byte 34: field 21 of AttributeProto occurs here a second time; remove one"),
    ("5{} 20:4", r#"! tensor "": 0 is the number of no type; 1 to 28 are"#),
    ("5{1:1 2:2} 20:4", r#"! tensor "": it has 0 elements, and its shape and type need 1"#),
];

const TYPES: &[(&str, &str)] = &[
    ("", "x"),
    ("2{}", "x"),
    ("2{1{}}", "x"),
    ("2{1{1:1}}", "x f32"),
    ("2{1{1:0}}", "x"),
    ("2{1{1:7}}", "x i64"),
    ("2{1{1:8}}", "x string"),
    ("2{1{1:10}}", "x f16"),
    ("2{1{1:16}}", "x bf16"),
    ("2{1{1:22}}", "x int4"),
    ("2{1{1:28}}", "x float6e3m2"),
    ("2{1{1:29}}", "x type 29"),
    ("2{1{1:-1}}", "x type -1"),
    ("2{1{1:1 2{}}}", "x f32 ()"),
    ("2{1{1:1 2{1{1:2}}}}", "x f32 (2,)"),
    ("2{1{1:1 2{1{1:2} 1{1:3}}}}", "x f32 (2, 3)"),
    ("2{1{1:1 2{1{1:0}}}}", "x f32 (0,)"),
    ("2{1{1:1 2{1{}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{2'n'}}}}", "x f32 (n,)"),
    ("2{1{1:1 2{1{2'n'} 1{2'n'} 1{2'm'}}}}", "x f32 (n, n, m)"),
    ("2{1{1:1 2{1{2''}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{2'?'}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{2'*'}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{2'-1'}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{2'None'}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{2'a+b'}}}}", "x f32 (a+b,)"),
    ("2{1{1:1 2{1{1:-1}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{1:-5}}}}", "x f32 (?,)"),
    ("2{1{1:1 2{1{1:4 3'DATA_BATCH'}}}}", "x f32 (4,)"),
    ("2{1{2{1{1:4}}}}", "x (4,)"),
    ("2{4{}}", "x sequence"),
    ("2{5{}}", "x map"),
    ("2{7{}}", "x opaque"),
    ("2{8{}}", "x sparse tensor"),
    ("2{9{}}", "x optional"),
    ("2{6'denotation'}", "x"),
    ("2{6'image' 1{1:1}}", "x f32"),
    ("2{99:1 1{1:1}}", "x f32"),
    ("2{1{1:1 9:9}}", "x f32"),
    ("2{1{1:1 2{1{1:2} 9:9}}}", "x f32 (2,)"),
    ("3'doc' 2{1{1:1}}", "x f32"),
    ("4{1'k' 2'v'}", "x"),
    ("2:1", "! byte 26: field 2 of ValueInfoProto should be a text or a message"),
    ("2{1:1}", "! byte 28: field 1 of TypeProto should be a text or a message"),
    ("2{1{1'a'}}", "! byte 30: field 1 of TypeProto.Tensor should be a whole number"),
    ("2{1{1=1.0}}", "! byte 30: field 1 of TypeProto.Tensor should be a whole number"),
    ("2{1{2:1}}", "! byte 30: field 2 of TypeProto.Tensor should be a text or a message"),
    ("2{1{2{1:1}}}", "! byte 32: field 1 of TensorShapeProto should be a text or a message"),
    ("2{1{2{1{1'a'}}}}", "! byte 34: field 1 of Dimension should be a whole number"),
    ("2{1{2{1{2:1}}}}", "! byte 34: field 2 of Dimension should be a text or a message"),
    ("2{1{2{1{1=1.0}}}}", "! byte 34: field 1 of Dimension should be a whole number"),
    ("2{1{2{1{2<ff>}}}}", "! byte 36: this text is not UTF-8, which names must be"),
    ("2{} 2{}", "! byte 28: field 2 of ValueInfoProto occurs here a second time; remove one"),
    ("2{1{} 1{}}", "x"),
    ("2{1{1:1 1:1}}", "! byte 32: field 1 of TypeProto.Tensor occurs here a second time; remove one"),
    ("2{1{2{1{1:1 1:1}}}}", "! byte 36: field 1 of Dimension occurs here a second time; remove one"),
    ("2{1{2{1{2'a' 2'b'}}}}", "! byte 37: field 2 of Dimension occurs here a second time; remove one"),
    ("1'x' 1'x'", "! byte 26: field 1 of ValueInfoProto occurs here a second time; remove one"),
    ("2{1{1:1 2{1{1:4294967296} 1{1:4294967296}}}}", "! byte 34: a recorded shape cannot be: (429496…ddress can count"),
    ("2{1{1:1 2{1{1:9223372036854775807} 1{1:2}}}}", "! byte 34: a recorded shape cannot be: (922337…ddress can count"),
    ("<12>", "! byte 27: a number has no end here; the file is cut or no protobuf"),
    ("<1202>", "! byte 26: field 2 of ValueInfoProto needs 2 bytes, but only 0 are left; th…e is truncated or damaged"),
    ("<120208>", "! byte 26: field 2 of ValueInfoProto needs 2 bytes, but only 1 are left; …e is truncated or damaged"),
];

fn read(text: &str, show: impl Fn(&Model) -> String) -> String {
    told(super::super::read(&Source::memory(proto(text), None)), show)
}

#[test]
fn models() {
    let show = |model: &Model| format!("{:?} {}{}", model.opsets, ends(model), model.remarks.join(" "));
    compare(MODELS.iter().map(|&(case, want)| (case, read(case, show), want)));
}

#[test]
fn nodes_and_names() {
    let show = |model: &Model| format!("{} | {}", nodes(model), values(model));
    let whole = |case| format!("1:8 8{{2:17}} 7{{{case} 11{{1'x'}} 12{{1'y'}}}}");
    compare(NODES.iter().map(|&(case, want)| (case, read(&whole(case), show), want)));
}

#[test]
fn attributes() {
    let show = |model: &Model| nodes(model).replacen("y = Unheard(x)", "", 1).trim_start().to_owned();
    let whole = |case| format!("1:8 8{{2:17}} 7{{1{{1'x' 2'y' 4'Unheard' 5{{1'a' {case}}}}} 11{{1'x'}} 12{{1'y'}}}}");
    compare(ATTRIBUTES.iter().map(|&(case, want)| (case, read(&whole(case), show), want)));
}

#[test]
fn types() {
    let whole = |case| format!("1:8 8{{2:17}} 7{{1{{1'x' 2'y' 4'Neg'}} 11{{1'x' {case}}} 12{{1'y'}}}}");
    compare(TYPES.iter().map(|&(case, want)| (case, read(&whole(case), values).replace("; y", ""), want)));
}

/// The counts just inside and just outside of a limit.
#[test]
fn limits() {
    let shape = |rank: usize| format!("1:8 8{{2:17}} 7{{11{{1'x' 2{{1{{1:1 2{{{}}}}}}}}}}}", "1{1:1}".repeat(rank));
    let many = |count: usize| (0..count).map(|k| format!("5{{1'a{k}' 3:1 20:2}}")).collect::<Vec<_>>().concat();
    let node = |count| format!("1:8 8{{2:17}} 7{{1{{2'y' 4'Unheard' {}}} 12{{1'y'}}}}", many(count));
    let domains = |count: usize| {
        let list = (0..count).map(|k| format!("8{{1'd{k}' 2:1}}")).collect::<Vec<_>>().concat();
        format!("1:8 {list} 7{{}}")
    };
    let name = |len: usize| format!("1:8 8{{2:17}} 7{{2'{}'}}", "n".repeat(len));
    let cases = [
        (shape(64), ""),
        (shape(65), "byte 26: a shape has more than 64 sizes, which is the limit"),
        (node(1024), ""),
        (node(1025), "byte 12: a node has 1025 attributes; the limit is 1024"),
        (domains(1024), ""),
        (domains(1025), "more than 1024 domains are imported"),
        (name(1 << 20), ""),
        (name((1 << 20) + 1), "byte 14: this text has 1048577 bytes; the limit here is 1048576"),
    ];
    for (text, want) in &cases {
        let got = read(text, |_| String::new());
        assert_eq!(got.trim_start_matches("! "), *want, "{}", &text[..20]);
    }
}
