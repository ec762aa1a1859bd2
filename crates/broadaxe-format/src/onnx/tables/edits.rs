//! Tables of what each change writes, and of files that are cut.
//!
//! Source: `onnx.proto`, and the operators' documents for what the nodes mean. The Python package onnx 1.23.2 parses every
//! file that is written here, and `onnx.checker` accepts those whose shapes fit, without the
//! attributes `k` and `n` that no operator has.

use crate::{
    facts::{compare_edits, cut, proto, text},
    source::Source,
};

/// `t = Add(x, w)`, `y = Neg(t)`.
const SMALL: &str = concat!(
    "1:8 2'p' 7{1{1'x' 1'w' 2't' 3'add' 4'Add' 5{1'k' 3:7 20:2}} 1{1't' 2'y' 3'neg' 4'Neg'} 2'g' ",
    "5{1:3 2:1 8'w' 9<0000803f0000004000004040>} 11{1'x' 2{1{1:1 2{1{1:2} 1{1:3}}}}} ",
    "12{1'y' 2{1{1:1 2{1{1:2} 1{1:3}}}}}} 8{1'' 2:17}"
);

const ONNX_EDITS: &str = r#"
shape w 1,3
  6: u => w
  60: \15\08\03 => \17\08\01\08\03
shape w 3,1
  6: u => w
  60: \15\08\03 => \17\08\03\08\01
shape w 1,1,3
  6: u => y
  60: \15\08\03 => \19\08\01\08\01\08\03
copy w 1,3 0.1
  6: u => \aa\01
  8: \1d => +
  12: |\01w => |\0fw_broadaxe_copy
  124:  => *%\08\01\08\03B\0fw_broadaxe_copy\10\01J\0c\00\00\80?\00\00\00@\00\00@@
shape w 3
  61: \08\03 => \08\03
shape w 4
  ! the constant w has the shape (3), which cannot become (4)
shape w 2
  ! the constant w has the shape (3), which cannot become (2)
shape x 1,3
  ! x is not a constant
reshape 0.1 1,-1
  6: u => \f8\01|F|\01w|\10w_broadaxe_shape\12\12w_broadaxe_reshape\1a\12w_broadaxe_reshape"\07Reshape
  8: \1d => .
  12: |\01w => |\12w_broadaxe_reshape
  124:  => *(\08\02\10\07B\10w_broadaxe_shapeJ\10\01\00\00\00\00\00\00\00\ff\ff\ff\ff\ff\ff\ff\ff
reshape 0.0 0,-1
  6: u => \f8\01|F|\01x|\10x_broadaxe_shape\12\12x_broadaxe_reshape\1a\12x_broadaxe_reshape"\07Reshape
  8: \1d|\01x => .|\12x_broadaxe_reshape
  124:  => *(\08\02\10\07B\10x_broadaxe_shapeJ\10\00\00\00\00\00\00\00\00\ff\ff\ff\ff\ff\ff\ff\ff
reshape 0.0 -1,-1
  ! a shape has sizes from 0 on and one -1 at most, not (-1, -1)
reshape 0.2 1
  ! node 0: it has no input 2
reshape 9.0 1
  ! the model has no node 9
unsqueeze 0.1 0
  6: u => \f6\01|K|\01w|\0fw_broadaxe_axes\12\14w_broadaxe_unsqueeze\1a\14w_broadaxe_unsqueeze"\09Unsqueeze
  8: \1d => 0
  12: |\01w => |\14w_broadaxe_unsqueeze
  124:  => *\1f\08\01\10\07B\0fw_broadaxe_axesJ\08\00\00\00\00\00\00\00\00
unsqueeze 0.1 0,2
  6: u => \fe\01|K|\01w|\0fw_broadaxe_axes\12\14w_broadaxe_unsqueeze\1a\14w_broadaxe_unsqueeze"\09Unsqueeze
  8: \1d => 0
  12: |\01w => |\14w_broadaxe_unsqueeze
  124:  => *'\08\02\10\07B\0fw_broadaxe_axesJ\10\00\00\00\00\00\00\00\00\02\00\00\00\00\00\00\00
unsqueeze 1.0 0
  6: u => \f6\01
  38:  => |K|\01t|\0ft_broadaxe_axes\12\14t_broadaxe_unsqueeze\1a\14t_broadaxe_unsqueeze"\09Unsqueeze
  39: \10|\01t => #|\14t_broadaxe_unsqueeze
  124:  => *\1f\08\01\10\07B\0ft_broadaxe_axesJ\08\00\00\00\00\00\00\00\00
unsqueeze 0.1 2,0
  ! new axes are ascending and from 0 on, not (2, 0)
unsqueeze 0.1 -1
  ! new axes are ascending and from 0 on, not (-1)
expand 0.1 2,3
  6: u => \f4\01|C|\01w|\10w_broadaxe_shape\12\11w_broadaxe_expand\1a\11w_broadaxe_expand"\06Expand
  8: \1d => -
  12: |\01w => |\11w_broadaxe_expand
  124:  => *(\08\02\10\07B\10w_broadaxe_shapeJ\10\02\00\00\00\00\00\00\00\03\00\00\00\00\00\00\00
expand 0.0 2,2,3
  6: u => \fc\01|C|\01x|\10x_broadaxe_shape\12\11x_broadaxe_expand\1a\11x_broadaxe_expand"\06Expand
  8: \1d|\01x => -|\11x_broadaxe_expand
  124:  => *0\08\03\10\07B\10x_broadaxe_shapeJ\18\02\00\00\00\00\00\00\00\02\00\00\00\00\00\00\00\03\00\00\00\00\0\
    0\00\00
expand 0.1 -2
  ! a shape to broadcast to must have extents from 0 on
swap 0 Sub
  9: |\01x|\01w => |\01w|\01x
  23: "\03Add => "\03Sub
swap 0 Add
  9: |\01x|\01w => |\01w|\01x
swap 1 Neg
  ! node 1: it has 1 inputs; two inputs can be exchanged
swap 9 Add
  ! the model has no node 9
set 0 k 8
  28: *\08|\01k\18\07\a0\01\02 => *\08|\01k\18\08\a0\01\02
set 0 k -1
  6: u => ~
  8: \1d => &
  28: *\08|\01k\18\07\a0\01\02 => *\11|\01k\18\ff\ff\ff\ff\ff\ff\ff\ff\ff\01\a0\01\02
set 0 k 0.5
  6: u => x
  8: \1d =>
  28: *\08|\01k\18\07\a0\01\02 => *\0b|\01k\15\00\00\00?\a0\01\01
set 0 k text
  6: u => y
  8: \1d => !
  28: *\08|\01k\18\07\a0\01\02 => *\0c|\01k"\04text\a0\01\03
set 0 k [1,2]
  6: u => w
  8: \1d => \1f
  28: *\08|\01k\18\07\a0\01\02 => *||\01k@\01@\02\a0\01\07
set 0 k [0.5]
  6: u => x
  8: \1d =>
  28: *\08|\01k\18\07\a0\01\02 => *\0b|\01k=\00\00\00?\a0\01\06
set 0 n 1
  6: u => \7f
  8: \1d => '
  38:  => *\08|\01n\18\01\a0\01\02
set 1 n 1
  6: u => \7f
  39: \10 => \1a
  56:  => *\08|\01n\18\01\a0\01\02
remove 0 k
  6: u => k
  8: \1d => \13
  28: *\08|\01k\18\07\a0\01\02 =>
remove 0 n
opset 18
  128: \10\11 => \10\12
opset 17
  128: \10\11 => \10\11
opset 13
  128: \10\11 => \10\0d
opset 0
  ! versions of operators are from 1 on, not 0
opset 128
  125: \04 => \05
  128: \10\11 => \10\80\01
replace 0 Neg Sub
  6: u|\1d|\01x|\01w\12\01t\1a\03add"\03Add*\08|\01k\18\07\a0\01\02 => \ab\01|.|\01x\12\11t_broadaxe_middle\1a\11t\
    _broadaxe_middle"\03Neg|#|\01x|\11t_broadaxe_middle\12\01t\1a\03add"\03Sub
replace 1 Abs Add
  6: u => \b8\01
  38: |\10|\01t\12\01y\1a\03neg"\03Neg => |.|\01t\12\11y_broadaxe_middle\1a\11y_broadaxe_middle"\03Abs|#|\01t|\11y\
    _broadaxe_middle\12\01y\1a\03neg"\03Add
replace 0 Neg Add; set 0 k 1
  ! node 0: a node that is replaced cannot have another change
result 0 -1
  6: u => \ee\01
  8: \1d => -
  15: \12\01t => \12\11t_broadaxe_result
  38:  => |E|\11t_broadaxe_result|\10t_broadaxe_shape\12\01t\1a\12t_broadaxe_reshape"\07Reshape
  124:  => * \08\01\10\07B\10t_broadaxe_shapeJ\08\ff\ff\ff\ff\ff\ff\ff\ff
result 1 0,-1
  6: u => \f6\01
  39: \10 =>
  43: \12\01y => \12\11y_broadaxe_result
  56:  => |E|\11y_broadaxe_result|\10y_broadaxe_shape\12\01y\1a\12y_broadaxe_reshape"\07Reshape
  124:  => *(\08\02\10\07B\10y_broadaxe_shapeJ\10\00\00\00\00\00\00\00\00\ff\ff\ff\ff\ff\ff\ff\ff
result 0 0,0,0
  6: u => \fe\01
  8: \1d => -
  15: \12\01t => \12\11t_broadaxe_result
  38:  => |E|\11t_broadaxe_result|\10t_broadaxe_shape\12\01t\1a\12t_broadaxe_reshape"\07Reshape
  124:  => *0\08\03\10\07B\10t_broadaxe_shapeJ\18\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\0\
    0\00\00
swap 0 Sub; unsqueeze 0.1 0
  6: u => \f6\01|K|\01w|\0fw_broadaxe_axes\12\14w_broadaxe_unsqueeze\1a\14w_broadaxe_unsqueeze"\09Unsqueeze
  8: \1d|\01x|\01w => 0|\14w_broadaxe_unsqueeze|\01x
  23: "\03Add => "\03Sub
  124:  => *\1f\08\01\10\07B\0fw_broadaxe_axesJ\08\00\00\00\00\00\00\00\00
set 0 k 1; set 0 k 2
  ! the attribute k is set twice
shape w 1,3; shape w 3,1
  ! a constant gets a new shape once, not twice
opset 18; opset 19
  ! two changes meet at byte 128; make one after the other
swap 0 Sub; set 1 n text; opset 18
  6: u => \83\01
  9: |\01x|\01w => |\01w|\01x
  23: "\03Add => "\03Sub
  39: \10 => \1e
  56:  => *\0c|\01n"\04text\a0\01\03
  128: \10\11 => \10\12
"#;

#[test]
fn edits() {
    let model = crate::read(&Source::memory(proto(SMALL), None)).unwrap();
    compare_edits(&model, ONNX_EDITS, text);
}

/// A cut file is read only where the last field, the version of the operators, is missing as a whole, as the package onnx
/// does; there are no others, since every other cut ends inside the message of the graph.
#[test]
fn files_that_are_cut() {
    let bytes = proto(SMALL);
    let (good, errors) = cut(&bytes, |bytes| super::super::read(&Source::memory(bytes, None)));
    assert_eq!(good, [bytes.len() - 6, bytes.len()]);
    assert_eq!(errors, CUTS, "{errors:#?}");
}

const CUTS: &[&str] = &[
    "byte #: a number has no end here; the file is cut or no protobuf",
    "byte #: field # of ModelProto needs # bytes, but only # are left; the file is truncated or damaged",
    "the file has no graph; it is cut or not an ONNX model",
    "the file has no ir_version; it is cut or not an ONNX model",
];
