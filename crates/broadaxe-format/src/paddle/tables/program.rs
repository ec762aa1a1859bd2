//! Tables of programs of the old representation, of files of parameters, and of changes.
//!
//! Source: Paddle 3.3.1, `framework.proto` and `SerializeToStream` of `tensor_util.cc`. In a program, `@` is the variable `x`.

use super::super::PADDLE;
use crate::{
    facts::{compare, compare_edits, cut, ends, nodes, proto, text, told, unhex, value, values},
    graph::Model,
    source::Source,
};

const VARIABLES: &[(&str, &str)] = &[
    ("2{1:7 3{1{1:0 2:2}}}", "v bool (2,) | () -> "),
    ("2{1:7 3{1{1:1 2:2}}}", "v i16 (2,) | () -> "),
    ("2{1:7 3{1{1:2 2:2}}}", "v i32 (2,) | () -> "),
    ("2{1:7 3{1{1:3 2:2}}}", "v i64 (2,) | () -> "),
    ("2{1:7 3{1{1:4 2:2}}}", "v f16 (2,) | () -> "),
    ("2{1:7 3{1{1:5 2:2}}}", "v f32 (2,) | () -> "),
    ("2{1:7 3{1{1:6 2:2}}}", "v f64 (2,) | () -> "),
    ("2{1:7 3{1{1:7 2:2}}}", "v type 7 (2,) | () -> "),
    ("2{1:7 3{1{1:20 2:2}}}", "v u8 (2,) | () -> "),
    ("2{1:7 3{1{1:21 2:2}}}", "v i8 (2,) | () -> "),
    ("2{1:7 3{1{1:22 2:2}}}", "v bf16 (2,) | () -> "),
    ("2{1:7 3{1{1:23 2:2}}}", "v c64 (2,) | () -> "),
    ("2{1:7 3{1{1:24 2:2}}}", "v c128 (2,) | () -> "),
    ("2{1:7 3{1{1:32 2:2}}}", "v f8e4m3fn (2,) | () -> "),
    ("2{1:7 3{1{1:33 2:2}}}", "v f8e5m2 (2,) | () -> "),
    ("2{1:7 3{1{1:36 2:2}}}", "v u16 (2,) | () -> "),
    ("2{1:7 3{1{1:37 2:2}}}", "v u32 (2,) | () -> "),
    ("2{1:7 3{1{1:38 2:2}}}", "v u64 (2,) | () -> "),
    ("2{1:7 3{1{1:99 2:2}}}", "v type 99 (2,) | () -> "),
    ("", "v | () -> "),
    ("2{1:7}", "v | () -> "),
    ("2{1:7 3{}}", "v | () -> "),
    ("2{1:7 3{1{1:5}}}", "v f32 () | () -> "),
    ("2{1:7 3{1{1:5 2:2 2:3}}}", "v f32 (2, 3) | () -> "),
    ("2{1:7 3{1{1:5 2[2 3]}}}", "v f32 (2, 3) | () -> "),
    ("2{1:7 3{1{1:5 2:-1}}}", "v f32 (?,) | () -> "),
    ("2{1:7 3{1{1:5 2:0}}}", "v f32 (0,) | () -> "),
    ("2{1:7 3{1{1:5 2:-2}}}", "! byte 26: an extent must be -1, 0 or a size"),
    ("2{1:7 3{1{1:5} 2:1}}", "v f32 () | () -> "),
    ("2{1:7 3{1{1:5 2:2}}} 3:1", "v = f32[2] absent: ?; v#2 f32 (2,) | () -> "),
    ("2{1:7 3{1{1:5 2:2}}} 3:0", "v f32 (2,) | () -> "),
    ("2{1:7 3{1{1:5 2:-1}}} 3:1", "v f32 (?,); v#2 f32 (?,) | () -> "),
    ("2{1:7 3{1{1:5 2:2}}} 4:1", "v f32 (2,); v#2 f32 (2,) | (v) -> "),
    ("2{1:9} 3:1", "v | () -> "),
    ("2{1:17}", "v | () -> "),
    ("99:1", "v | () -> "),
    ("2{99:1}", "v | () -> "),
    ("2:1", "! byte 20: field 2 of VarDesc should be a text or a message"),
    ("2{3:1}", "! byte 22: field 3 of VarType should be a text or a message"),
    ("2{3{1:1}}", "! byte 24: field 1 of DenseTensorDesc should be a text or a message"),
    ("2{3{1{1'a'}}}", "! byte 26: field 1 of TensorDesc should be a whole number"),
    ("2{3{1{1=1.0}}}", "! byte 26: field 1 of TensorDesc should be a whole number"),
    ("2{3{1{2=1.0}}}", "! byte 26: field 2 of TensorDesc should be whole numbers"),
    ("3'a'", "! byte 20: field 3 of VarDesc should be a whole number"),
    ("4'a'", "! byte 20: field 4 of VarDesc should be a whole number"),
    ("2{} 2{}", "! byte 22: field 2 of VarDesc occurs here a second time; remove one"),
    ("2{3{} 3{}}", "! byte 24: field 3 of VarType occurs here a second time; remove one"),
    ("2{3{1{} 1{}}}", "! byte 26: field 1 of DenseTensorDesc occurs here a second time; remove one"),
    ("2{3{1{1:5 1:5}}}", "! byte 28: field 1 of TensorDesc occurs here a second time; remove one"),
    ("2{3{1{1:5 2:4294967296 2:4294967296}}}", "! byte 24: (4294967296, 4294967296) has more elemen…address can count"),
];

const PROGRAM_ATTRIBUTES: &[(&str, &str)] = &[
    ("2:0 3:1", " = own() a=Int(1)"),
    ("2:0 3:-1", " = own() a=Int(-1)"),
    ("2:0 3:4294967295", " = own() a=Int(4294967295)"),
    ("2:1 4=1.5", " = own() a=Float(1.5)"),
    ("2:2 5'a'", r#" = own() a=Text("a")"#),
    ("2:2 5''", r#" = own() a=Text("")"#),
    ("2:3 6:1 6:2", " = own() a=Ints([1, 2])"),
    ("2:3 6[1 2]", " = own() a=Ints([1, 2])"),
    ("2:4 7=1.5 7=2.5", " = own() a=Floats([1.5, 2.5])"),
    ("2:4 7<0000c03f>", " = own() a=Floats([1.5])"),
    ("2:5 8'a' 8'b'", r#" = own() a=Texts(["a", "b"])"#),
    ("2:6 10:1", r#" = own() a=Text("true")"#),
    ("2:6 10:0", r#" = own() a=Text("false")"#),
    ("2:7 11:1 11:0", " = own() a=Ints([1, 0])"),
    ("2:7 11[1 0]", " = own() a=Ints([1, 0])"),
    ("2:8 12:0", "! operator 0 (own) of block 0: its body is block 0, which is not there"),
    ("2:9 13:9223372036854775807", " = own() a=Int(9223372036854775807)"),
    ("2:9 13:-1", " = own() a=Int(-1)"),
    ("2:10 14:1", "! operator 0 (own) of block 0: its body is block 1, which is not there"),
    ("2:11 15:1 15:-1", " = own() a=Ints([1, -1])"),
    ("2:11 15[1 2]", " = own() a=Ints([1, 2])"),
    ("2:12 16%1.5", " = own() a=Floats([1.5])"),
    ("2:12 16<000000000000f83f>", " = own() a=Floats([1.5])"),
    ("2:15 19%1.5", " = own() a=Float(1.5)"),
    ("2:0", " = own() a=Texts([])"),
    ("2:3", " = own() a=Texts([])"),
    ("", " = own() a=Texts([])"),
    ("99:1 2:0 3:1", " = own() a=Int(1)"),
    ("3'a'", "! byte 27: field 3 of OpDesc.Attr should be a whole number"),
    ("3=1.0", "! byte 27: field 3 of OpDesc.Attr should be a whole number"),
    ("4:1", "! byte 27: field 4 of OpDesc.Attr should be a floating-point number"),
    ("4'a'", "! byte 27: field 4 of OpDesc.Attr should be a floating-point number"),
    ("5:1", "! byte 27: field 5 of OpDesc.Attr should be a text or a message"),
    ("6=1.0", "! byte 27: field 6 of OpDesc.Attr should be whole numbers"),
    ("6'a'", " = own() a=Ints([97])"),
    ("7:1", "! byte 27: field 7 of OpDesc.Attr should be a floating-point number"),
    ("7<000000>", "! byte 27: field 7 of OpDesc.Attr should be numbers of 4 bytes"),
    ("8:1", "! byte 27: field 8 of OpDesc.Attr should be a text or a message"),
    ("10'a'", "! byte 27: field 10 of OpDesc.Attr should be a whole number"),
    ("12'a'", "! byte 27: field 12 of OpDesc.Attr should be a whole number"),
    ("13=1.0", "! byte 27: field 13 of OpDesc.Attr should be a whole number"),
    ("15=1.0", "! byte 27: field 15 of OpDesc.Attr should be whole numbers"),
    ("16<00>", "! byte 27: field 16 of OpDesc.Attr should be numbers of 8 bytes"),
    ("16:1", "! byte 27: field 16 of OpDesc.Attr should be a floating-point number"),
    ("19'a'", "! byte 27: field 19 of OpDesc.Attr should be a floating-point number"),
    ("3:1 3:2", "! byte 29: field 3 of OpDesc.Attr occurs here a second time; remove one"),
    ("5'a' 5'b'", "! byte 30: field 5 of OpDesc.Attr occurs here a second time; remove one"),
    ("1'a' 1'b'", "! byte 27: field 1 of OpDesc.Attr occurs here a second time; remove one"),
];

const PROGRAMS: &[(&str, &str)] = &[
    ("1{1:0 2:-1 }", " | () ->  | []"),
    ("1{1:0 2:-1 @}", " | (x) ->  | []"),
    ("1{@ 4{3'relu' 1{1'X' 2'x'} 2{1'Out' 2'y'}}}", "y = relu(x) | (x) ->  | []"),
    ("1{@ 4{3'relu' 1{1'X' 2'x'} 2{1'Out' 2'x'}}}", "x#2 = relu(x) | (x) ->  | []"),
    ("1{@ 4{3'add' 1{1'Y' 2'x'} 1{1'X' 2'x'} 2{1'Out' 2'y'}}}", "y = add(x, x) | (x) ->  | []"),
    ("1{@ 4{3'own' 1{1'A' 2'x' 2'x'} 2{1'Out' 2'y' 2'z'}}}", "y, z = own(x, x) | (x) ->  | []"),
    ("1{@ 4{3'own' 1{1'A' 2'@EMPTY@'} 2{1'Out' 2'@EMPTY@'}}}", "_ = own(_) | (x) ->  | []"),
    ("1{@ 4{3'fetch' 1{1'X' 2'x'}}}", " | (x) -> x | []"),
    ("1{4{3'feed' 2{1'Out' 2'x'}} @}", " | (x) ->  | []"),
    ("1{@} 4{1:0}", r#" | (x) ->  | [("program", 0)]"#),
    ("1{@} 4{1:5}", r#" | (x) ->  | [("program", 5)]"#),
    ("1{@} 99:1", " | (x) ->  | []"),
    ("1{@ 99:1}", " | (x) ->  | []"),
    ("1{@ 4{3'while' 1{1'X' 2'x'} 4{1'sub_block' 2:8 12:1}}} 1{1:1 2:0}", " = while(x) sub_block=Texts([]…() ->  | []"),
    ("1{4{3'own' 1{2'x'}}}", "! operator 0 (own) of block 0: it reads x, but no earlier operator writes it"),
    ("1{4{3'own'}}", " = own() | () ->  | []"),
    ("1{4{}}", "! operator 0 () of block 0: an operator has no type"),
    ("", "! the program has no block"),
    ("4{1:0}", "! the program has no block"),
    ("1:1", "! byte 0: field 1 of ProgramDesc should be a text or a message"),
    ("1{3:1}", "! byte 2: field 3 of BlockDesc should be a text or a message"),
    ("1{4:1}", "! byte 2: field 4 of BlockDesc should be a text or a message"),
    ("1{4{1:1}}", "! byte 4: field 1 of OpDesc should be a text or a message"),
    ("1{4{2:1}}", "! byte 4: field 2 of OpDesc should be a text or a message"),
    ("1{4{3:1}}", "! byte 4: field 3 of OpDesc should be a text or a message"),
    ("1{4{4:1}}", "! byte 4: field 4 of OpDesc should be a text or a message"),
    ("1{1:0 1:0}", "! byte 4: field 1 of BlockDesc occurs here a second time; remove one"),
    ("1{4{3'a' 3'b'}}", "! byte 7: field 3 of OpDesc occurs here a second time; remove one"),
    ("1{4{1{1'a' 1'b'}}}", "! byte 9: field 1 of OpDesc.Var occurs here a second time; remove one"),
    ("1{4{3'own' 1{1'X' 2'z'}}}", "! operator 0 (own) of block 0: it reads z, but no earlier operator writes it"),
    ("1{4{3'while' 4{1'sub_block' 2:8 12:9}}}", "! operator 0 (while) of block 0: its body is block…hich is not there"),
    ("1{4{3'while' 4{1'sub_block' 2:8 12:0}}}", "! operator 0 (while) of block 0: its body is block…hich is not there"),
    ("1{4{3'while' 4{1'b' 2:8 12:1}} 4{3'while' 4{1'b' 2:8 12:1}}} 1{}", "! block 1: it is the body of two operators"),
    ("1{4{3<ff>}}", "! byte 6: this text is not UTF-8, which names must be"),
    ("4{1:0} 4{1:0}", "! byte 4: field 4 of ProgramDesc occurs here a second time; remove one"),
    ("4{1'a'}", "! byte 2: field 1 of Version should be a whole number"),
    ("<0a>", "! byte 1: a number has no end here; the file is cut or no protobuf"),
    ("<0a05>", "! byte 0: field 1 of ProgramDesc needs 5 bytes, but only 0 are left; the file is truncated or damaged"),
];

const DESCRIPTIONS: &[(&str, &str)] = &[
    ("0000000000000000000000000000000004000000080510020000803f00000040", "w = f32[2] @24+8"),
    ("0000000000000000000000000000000004000000080510020000803f", "! the parameters, byte 0: a tensor of…of parameters"),
    ("0000000000000000000000000000000004000000080510020000803f0000004000", "w = f32[2] absent: the paramet…ne is read"),
    ("0000000000000000000000000000000004000000080510030000803f0000004000000000", "w = f32[2] absent: the pa…e is read"),
    ("000000000000000000000000000000000500000008051201020000803f00000040", "w = f32[2] @25+8"),
    ("0000000001000000000000000400000000000000000000000000000004000000080510020000803f00000040", "w = f32[2] @36+8"),
    ("000000000100000000000000ff00000000000000", "! the parameters, byte 0: a level ends after the …ile of parameters"),
    ("000000004100000000000000", "! the parameters, byte 0: a tensor should begin here; the fil… a file of parameters"),
    ("0100000000000000000000000000000004000000080510020000803f00000040", "! the parameters, byte 0: a ten… parameters"),
    ("0000000000000000000000000100000004000000080510020000803f00000040", "! the parameters, byte 0: a des… parameters"),
    ("000000000000000000000000000000000200000010020000803f", "! the parameters, byte 0: the descriptio… of parameters"),
    ("00000000000000000000000000000000020000000805", "! the parameters, byte 0: a tensor of 4 bytes …le of parameters"),
    ("00000000000000000000000000000000ffffffff", "! the parameters, byte 0: a description should be…ile of parameters"),
    ("00000000000000000000000000000000040000000863100200", "! the parameters, byte 0: the size of a te… of parameters"),
    ("000000000000000000000000000000000d000000080510feffffffffffffffff01", "! the parameters, byte 0: an e…parameters"),
    ("00000000", "! the parameters, byte 0: the file ends at byte 4, but 8 bytes are needed from byte 4"),
    ("000000000000000000000000", "! the parameters, byte 0: the file ends at byte 12, but 4 byt…e needed from byte 16"),
    ("00000000000000000000000000000000", "! the parameters, byte 0: the file ends at byte 16, but…needed from byte 16"),
    ("", "w = f32[2] absent: ; the parameters holds other tensors than the parameters of the program, so none is read"),
    ("00", "! the parameters, byte 0: the file ends at byte 1, but 8 bytes are needed from byte 4"),
    ("00000000000000000000000000000000020000000807", "! the parameters, byte 0: the size of a tensor…le of parameters"),
];

const PROGRAM_EDITS: &str = r#"
[w has rank 2]
  55: \0f => \11
  60: | => \0c
  64: \06 => \08
[s has rank 2]
  72: \0f => \11
  77: | => \0c
  81: \06 => \08
[w and s have the shape (1, 2)]
  [w has rank 2]
  66: \04\08\05\10\02 => \06\08\05\10\01\10\02
  [s has rank 2]
[the sum reads a reshaped x]
  89: @ => M
  91: \06 => \13
  95: \12\01x => \12\0ereshaped_0.tmp
[the sum reads a reshaped w]
  89: @ => M
  99: \06 => \13
  103: \12\01w => \12\0ereshaped_0.tmp
[relu reads a reshaped s]
  155: \18 => %
  157: \06 => \13
  161: \12\01s => \12\0ereshaped_0.tmp
[new variables of shape (2)]
  197:  => \1a\1e|\0ereshaped_0.tmp\12|\08\07\1a\06|\04\08\05\10\02\18\00\1a&|\14reshaped_0.tmp.shape\12\0c\08\07\\
    1a\08|\06\08\05\10\00\10\02\18\00
[new variables of shape (1, 2)]
  197:  => \1a |\0ereshaped_0.tmp\12\0c\08\07\1a\08|\06\08\05\10\01\10\02\18\00\1a&|\14reshaped_0.tmp.shape\12\0c\\
    08\07\1a\08|\06\08\05\10\00\10\02\18\00
[new variables of shape (2, 1)]
  197:  => \1a |\0ereshaped_0.tmp\12\0c\08\07\1a\08|\06\08\05\10\02\10\01\18\00\1a&|\14reshaped_0.tmp.shape\12\0c\\
    08\07\1a\08|\06\08\05\10\00\10\02\18\00
[w is reshaped to (1, 2)]
  1: \c2\01 => \86\03
  [w and s have the shape (1, 2)]
  83: \04\08\05\10\02 => \06\08\05\10\01\10\02"g|\06|\01X\12\01w\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\\
    12\14reshaped_0.tmp.shape\1a\08reshape2"\0d|\05shape\10\030\010\02"\0d|\07op_role\10\00\18\00
  [the sum reads a reshaped w]
  [new variables of shape (1, 2)]

shape w 1,2
  [w is reshaped to (1, 2)]
copy w 1,2 0.1
  [w is reshaped to (1, 2)]
reshape 0.0 -1
  1: \c2\01 => \87\03
  88:  => "n|\06|\01X\12\01x\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\12\14reshaped_0.tmp.shape\1a\08resha\
    pe2"\14|\05shape\10\030\ff\ff\ff\ff\ff\ff\ff\ff\ff\01"\0d|\07op_role\10\00\18\00
  [the sum reads a reshaped x]
  [new variables of shape (2)]
reshape 0.1 2,1
  1: \c2\01 => \86\03
  [w has rank 2]
  66: \04\08\05\10\02 => \06\08\05\10\02\10\02
  [s has rank 2]
  83: \04\08\05\10\02 => \06\08\05\10\02\10\02"g|\06|\01X\12\01w\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\\
    12\14reshaped_0.tmp.shape\1a\08reshape2"\0d|\05shape\10\030\020\01"\0d|\07op_role\10\00\18\00
  [the sum reads a reshaped w]
  [new variables of shape (2, 1)]
reshape 1.0 0,-1
  1: \c2\01 => \8d\03
  [s has rank 2]
  83: \04\08\05\10\02 => \06\08\05\10\02\10\01
  154:  => "p|\06|\01X\12\01s\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\12\14reshaped_0.tmp.shape\1a\08resh\
    ape2"\16|\05shape\10\030\000\ff\ff\ff\ff\ff\ff\ff\ff\ff\01"\0d|\07op_role\10\00\18\00
  [relu reads a reshaped s]
  [new variables of shape (2, 1)]
unsqueeze 0.1 0
  1: \c2\01 => \85\03
  [w and s have the shape (1, 2)]
  83: \04\08\05\10\02 => \06\08\05\10\01\10\02"f|\06|\01X\12\01w\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\\
    12\14reshaped_0.tmp.shape\1a|unsqueeze2"||\04axes\10\030\00"\0d|\07op_role\10\00\18\00
  [the sum reads a reshaped w]
  [new variables of shape (1, 2)]
unsqueeze 0.0 1,2
  1: \c2\01 => \8d\03
  55: \0f => \13
  60: | => \0e
  64: \06 => |
  66: \04\08\05\10\02 => \08\08\05\10\02\10\01\10\02
  72: \0f => \13
  77: | => \0e
  81: \06 => |
  83: \04\08\05\10\02 => \08\08\05\10\02\10\01\10\02"h|\06|\01X\12\01x\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06X\
    Shape\12\14reshaped_0.tmp.shape\1a|unsqueeze2"\0c|\04axes\10\030\010\02"\0d|\07op_role\10\00\18\00
  [the sum reads a reshaped x]
  197:  => \1a"|\0ereshaped_0.tmp\12\0e\08\07\1a||\08\08\05\10\02\10\01\10\01\18\00\1a&|\14reshaped_0.tmp.shape\12\
    \0c\08\07\1a\08|\06\08\05\10\00\10\02\18\00
expand 0.1 3,2
  1: \c2\01 => \bf\02
  [w has rank 2]
  66: \04\08\05\10\02 => \06\08\05\10\03\10\02
  [s has rank 2]
  83: \04\08\05\10\02 => \06\08\05\10\03\10\02"H|\06|\01X\12\01w\12\15|\03Out\12\0ereshaped_0.tmp\1a\09expand_v2"\\
    0d|\05shape\10\030\030\02"\0d|\07op_role\10\00\18\00
  [the sum reads a reshaped w]
  197:  => \1a |\0ereshaped_0.tmp\12\0c\08\07\1a\08|\06\08\05\10\03\10\02\18\00
swap 0 elementwise_sub
  95: \12\01x => \12\01w
  103: \12\01w => \12\01x
  116: \1a\0felementwise_add => \1a\0felementwise_sub
swap 0 elementwise_add
  95: \12\01x => \12\01w
  103: \12\01w => \12\01x
swap 1 relu
  ! operator 1 (relu) of block 0: it has 1 inputs; two inputs can be exchanged
set 0 axis 1
  1: \c2\01 => \b9\01
  89: @ => 7
  133: "\13|\04axis\10\00\18\ff\ff\ff\ff\ff\ff\ff\ff\ff\01 => "||\04axis\10\00\18\01
set 0 axis text
  1: \c2\01 => \bd\01
  89: @ => ;
  133: "\13|\04axis\10\00\18\ff\ff\ff\ff\ff\ff\ff\ff\ff\01 => "\0e|\04axis\10\02*\04text
set 0 axis 0.5
  1: \c2\01 => \bc\01
  89: @ => :
  133: "\13|\04axis\10\00\18\ff\ff\ff\ff\ff\ff\ff\ff\ff\01 => "\0d|\04axis\10\01%\00\00\00?
set 1 new 1
  1: \c2\01 => \cd\01
  155: \18 => #
  180:  => "\09|\03new\10\00\18\01
set 1 new [1,2]
  1: \c2\01 => \cf\01
  155: \18 => %
  180:  => "\0b|\03new\10\030\010\02
set 1 new [0.5]
  1: \c2\01 => \d0\01
  155: \18 => &
  180:  => "\0c|\03new\10\04=\00\00\00?
set 1 new text
  1: \c2\01 => \d1\01
  155: \18 => '
  180:  => "\0d|\03new\10\02*\04text
remove 0 axis
  ! operator 0 (elementwise_add) of block 0: the attribute axis cannot be removed; give it a value
remove 1 axis
  ! operator 1 (relu) of block 0: the attribute axis cannot be removed; give it a value
opset 3
  ! a program of Paddle has no opset
replace 0 relu elementwise_mul
  ! operator 0 (elementwise_add) of block 0: nodes of Paddle's programs cannot be replaced; insert reshapes before them
replace 1 relu elementwise_add
  ! operator 1 (relu) of block 0: nodes of Paddle's programs cannot be replaced; insert reshapes before them
result 0 -1
  1: \c2\01 => \87\03
  154:  => "n|\06|\01X\12\01s\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\12\14reshaped_0.tmp.shape\1a\08resh\
    ape2"\14|\05shape\10\030\ff\ff\ff\ff\ff\ff\ff\ff\ff\01"\0d|\07op_role\10\00\18\00
  [relu reads a reshaped s]
  [new variables of shape (2)]
result 1 0,-1
  1: \c2\01 => \8b\03
  180:  => "p|\06|\01X\12\01y\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\12\14reshaped_0.tmp.shape\1a\08resh\
    ape2"\16|\05shape\10\030\000\ff\ff\ff\ff\ff\ff\ff\ff\ff\01"\0d|\07op_role\10\00\18\00
  181: \0f => \1c
  183: \06 => \13
  187: \12\01y => \12\0ereshaped_0.tmp
  [new variables of shape (2, 1)]
swap 0 elementwise_sub; unsqueeze 0.1 0
  1: \c2\01 => \85\03
  [w and s have the shape (1, 2)]
  83: \04\08\05\10\02 => \06\08\05\10\01\10\02"f|\06|\01X\12\01w\12\15|\03Out\12\0ereshaped_0.tmp\12\1e|\06XShape\\
    12\14reshaped_0.tmp.shape\1a|unsqueeze2"||\04axes\10\030\00"\0d|\07op_role\10\00\18\00
  [the sum reads a reshaped x]
  103: \12\01w => \12\01x
  116: \1a\0felementwise_add => \1a\0felementwise_sub
  [new variables of shape (1, 2)]
set 0 axis 0; set 1 b 1
  89: @ => 7
  133: "\13|\04axis\10\00\18\ff\ff\ff\ff\ff\ff\ff\ff\ff\01 => "||\04axis\10\00\18\00
  155: \18 => !
  180:  => "\07|\01b\10\00\18\01
"#;

const PROGRAM_CUTS: &[&str] = &[
    "byte #: a number has no end here; the file is cut or no protobuf",
    "byte #: field # of ProgramDesc needs # bytes, but only # are left; the file is truncated or damaged",
    "the program has no block",
];

/// `s = elementwise_add(x, w)`, `y = relu(s)`.
const SMALL: &str = concat!(
    "1{1:0 2:-1 3{1'x' 2{1:7 3{1{1:5 2:2}}} 4:1} 3{1'w' 2{1:7 3{1{1:5 2:2}}} 3:1} 3{1's' 2{1:7 3{1{1:5 2:",
    "2}}}} 3{1'y' 2{1:7 3{1{1:5 2:2}}}} 4{1{1'X' 2'x'} 1{1'Y' 2'w'} 2{1'Out' 2's'} 3'elementwise_add' 4{1",
    "'axis' 2:0 3:-1}} 4{1{1'X' 2's'} 2{1'Out' 2'y'} 3'relu'} 4{1{1'X' 2'y'} 3'fetch'}} 4{1:0}"
);

fn read(text: &str, show: impl Fn(&Model) -> String) -> String {
    let variable = "3{1'x' 2{1:7 3{1{1:5 2:2}}} 4:1}";
    let text = text.replace("{@}", &format!("{{{variable}}}")).replace("{@ ", &format!("{{{variable} "));
    let text = text.replace(" @}", &format!(" {variable}}}"));
    let read = super::super::program::read(&Source::memory(proto(&text), None)).map(|read| read.0);
    told(read, |model| show(model).replace("the model was read without its file of weights", "?"))
}

#[test]
fn variables() {
    let show = |model: &Model| format!("{} | {}", values(model), ends(model));
    compare(VARIABLES.iter().map(|&(case, want)| {
        let op = "4{3'own' 2{1'Out' 2'v'}}";
        (case, read(&format!("1{{1:0 2:-1 3{{1'v' {case}}} {op}}}"), show), want)
    }));
}

#[test]
fn attributes() {
    compare(
        PROGRAM_ATTRIBUTES
            .iter()
            .map(|&(case, want)| (case, read(&format!("1{{1:0 2:-1 4{{3'own' 4{{1'a' {case}}}}}}}"), nodes), want)),
    );
}

#[test]
fn programs() {
    let show = |model: &Model| format!("{} | {} | {:?}", nodes(model), ends(model), model.opsets);
    compare(PROGRAMS.iter().map(|&(case, want)| (case, read(case, show), want)));
}

/// The file of a program with one parameter `w`, two numbers of four bytes.
#[test]
fn parameters() {
    let program = proto("1{1:0 2:-1 3{1'w' 2{1:7 3{1{1:5 2:2}}} 3:1}} 4{1:0}");
    compare(DESCRIPTIONS.iter().map(|&(case, want)| {
        let source = Source::memory(program.clone(), None).with_weights(Source::memory(unhex(case), None));
        let shown = told((PADDLE.read)(&source), |model| {
            let last = value(model, model.values.last().unwrap());
            [vec![last], model.remarks.clone()].concat().join("; ")
        });
        (case, shown, want)
    }));
}

#[test]
fn edits() {
    let model = (PADDLE.read)(&Source::memory(proto(SMALL), None)).unwrap();
    compare_edits(&model, PROGRAM_EDITS, text);
}

/// The version at the end may be missing; every other cut ends inside the block.
#[test]
fn files_that_are_cut() {
    let bytes = proto(SMALL);
    let read = |bytes| super::super::program::read(&Source::memory(bytes, None)).map(|read: (Model, _)| read.0);
    let (good, errors) = cut(&bytes, read);
    assert_eq!(good, [bytes.len() - 4, bytes.len()]);
    assert_eq!(errors, PROGRAM_CUTS, "{errors:#?}");
}
