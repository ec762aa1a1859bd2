//! Tables of parameters, shapes, tensors and changes.
//!
//! Source: pnnx, `ir.cpp` (`Parameter::parse_from_string`, `load_shape`, `load_attribute`) and `storezip.cpp` of version
//! 20261020, and "APPNOTE.TXT - .ZIP File Format Specification" for the archive.

use super::{super::ncnn::tables::TEXT_CUTS, PNNX};
use crate::{
    facts::{attribute, compare, compare_edits, cut, text, told, unhex, values},
    graph::Model,
    source::Source,
};

const WORDS: &[(&str, &str)] = &[
    ("a=1", "0 a=Int(1)"),
    ("a=-1", "0 a=Int(-1)"),
    ("a=9223372036854775807", "0 a=Int(9223372036854775807)"),
    ("a=9223372036854775808", "0 a=Float(9.223372036854776e18)"),
    ("a=1.5", "0 a=Float(1.5)"),
    ("a=-1.5", "0 a=Float(-1.5)"),
    ("a=1.000000e-05", "0 a=Float(1e-5)"),
    ("a=1e5", "0 a=Float(100000.0)"),
    ("a=.5", r#"0 a=Text(".5")"#),
    ("a=-", r#"0 a=Text("-")"#),
    ("a=True", r#"0 a=Text("True")"#),
    ("a=False", r#"0 a=Text("False")"#),
    ("a=None", r#"0 a=Text("None")"#),
    ("a=zeros", r#"0 a=Text("zeros")"#),
    ("a=()", "0 a=Ints([])"),
    ("a=(1)", "0 a=Ints([1])"),
    ("a=(1,2)", "0 a=Ints([1, 2])"),
    ("a=(1,2.5)", "0 a=Floats([1.0, 2.5])"),
    ("a=(1.5,2.5)", "0 a=Floats([1.5, 2.5])"),
    ("a=(a,b)", r#"0 a=Texts(["a", "b"])"#),
    ("a=[]", "0 a=Ints([])"),
    ("a=[1,2]", "0 a=Ints([1, 2])"),
    ("a=[1", r#"0 a=Text("[1")"#),
    ("a=(1", r#"0 a=Text("(1")"#),
    ("a=(1]", r#"0 a=Text("(1]")"#),
    ("a=", r#"0 a=Text("")"#),
    ("a=b=c", r#"0 a=Text("b=c")"#),
    ("=1", "! line 3: '=1' is not a parameter; write key=value"),
    ("a", "! line 3: 'a' is not a parameter; write key=value"),
    ("a.b=1", "0 a.b=Int(1)"),
    ("a=torch.float", r#"0 a=Text("torch.float")"#),
    ("a=nan", r#"0 a=Text("nan")"#),
    ("a=inf", r#"0 a=Text("inf")"#),
    ("a=1x", r#"0 a=Text("1x")"#),
    ("a=(1,x)", r#"0 a=Texts(["1", "x"])"#),
    ("a=1 a=2", "! line 3: parameter a is given twice"),
    ("a=1 b=2", "0 a=Int(1) b=Int(2)"),
    ("$input=0", r#"0 $input=Text("0")"#),
    ("$input=5", r#"0 $input=Text("5")"#),
    ("a=(True,False)", r#"0 a=Texts(["True", "False"])"#),
    ("a=2+3j", r#"0 a=Text("2+3j")"#),
    ("#0=(1)f32", "0 f32 (1,)"),
    ("#0=(1,3,8)f32", "0 f32 (1, 3, 8)"),
    ("#0=()f32", "0 f32 ()"),
    ("#0=(?)f32", "0 f32 (?,)"),
    ("#0=(%n,%n)f32", "0 f32 (n, n)"),
    ("#0=(1)", "0 (1,)"),
    ("#0=(1)f16", "0 f16 (1,)"),
    ("#0=(1)bf16", "0 bf16 (1,)"),
    ("#0=(1)f64", "0 f64 (1,)"),
    ("#0=(1)i8", "0 i8 (1,)"),
    ("#0=(1)i16", "0 i16 (1,)"),
    ("#0=(1)i32", "0 i32 (1,)"),
    ("#0=(1)i64", "0 i64 (1,)"),
    ("#0=(1)u8", "0 u8 (1,)"),
    ("#0=(1)bool", "0 bool (1,)"),
    ("#0=(1)c64", "0 c64 (1,)"),
    ("#0=(1)c128", "0 c128 (1,)"),
    ("#0=(1)c32", "0 c32 (1,)"),
    ("#0=(1)null", "0 (1,)"),
    ("#0=(0)f32", "0 f32 (0,)"),
    ("#0=(2147483647)f32", "0 f32 (2147483647,)"),
    ("#0=(2147483648)f32", "! line 3: '(2147483648)f32' is not a shape; write (1,3,?,5)f32"),
    ("#0=(-1)f32", "! line 3: '(-1)f32' is not a shape; write (1,3,?,5)f32"),
    ("#0=1f32", "! line 3: '1f32' is not a shape; write (1,3,?,5)f32"),
    ("#0=(1f32", "! line 3: '(1f32' is not a shape; write (1,3,?,5)f32"),
    ("#0=", "! line 3: '' is not a shape; write (1,3,?,5)f32"),
    ("#0=(1,)f32", "! line 3: '(1,)f32' is not a shape; write (1,3,?,5)f32"),
    ("#0=(,1)f32", "! line 3: '(,1)f32' is not a shape; write (1,3,?,5)f32"),
    ("#0=(%)f32", "! line 3: '(%)f32' is not a shape; write (1,3,?,5)f32"),
    ("#0=(x)f32", "! line 3: '(x)f32' is not a shape; write (1,3,?,5)f32"),
    ("#1=(1)f32", "! line 3: #1 is the shape of a blob that the layer does not have"),
    ("#0=(1)f32 #0=(1)f32", "0 f32 (1,)"),
    ("#0=(1)f32 #0=(2)f32", "0 f32 (1,)line 3: 0 has the shape (2,), but (1,) before"),
    ("#0=(1.5)f32", "! line 3: '(1.5)f32' is not a shape; write (1,3,?,5)f32"),
];

const TENSORS: &[(&str, &str)] = &[
    ("@data=(2)f32", "0 = f32[2] absent: ?"),
    ("@data=(2,3)f32", "0 = f32[2, 3] absent: ?"),
    ("@data=()f32", "0 = f32[] absent: ?"),
    ("@data=(0)f32", "0 = f32[0] absent: ?"),
    ("@data=(2)f16", "0 = f16[2] absent: ?"),
    ("@data=(2)bool", "0 = bool[2] absent: ?"),
    ("@data=(2)c64", "0 = c64[2] absent: ?"),
    ("@data=(2)null", "0 = null[2] absent: ?"),
    ("@data=(?)f32", "! line 3: @data has an extent that is not known"),
    ("@data=(%n)f32", "! line 3: @data has an extent that is not known"),
    ("@data=2", "! line 3: '2' is not a shape; write (1,3,?,5)f32"),
    ("@data=(2147483647,2147483647,2147483647)f32", "! line 3: @data has more bytes than can be counted"),
    ("@data=(2)f32 @data=(2)f32", "! line 3: parameter @data is given twice"),
    ("@data=(2)f32 #0=(2)f32", "0 = f32[2] absent: ?"),
    ("@data=(2)f32 #0=(3)f32", "0 = f32[2] absent: ?"),
    ("@w=(2)f32", "0 = f32[2] absent: ?"),
    ("@a=(1)f32 @b=(2)f32", "0 = f32[1] absent: ?"),
];

const ARCHIVES: &[(&str, &str)] = &[
    ("w.data 0000803f00000040", "0 = f32[2] @36+8"),
    ("w.data 0000803f0000004000", "! line 3: @data has 8 bytes, but 9 are in the file of weights"),
    ("w.data 0000803f", "! line 3: @data has 8 bytes, but 4 are in the file of weights"),
    ("w.data ", "! line 3: @data has 8 bytes, but 0 are in the file of weights"),
    ("w.other 0000803f00000040", "0 = f32[2] absent: w.data is not in the file of weights"),
    ("v.data 00; w.data 0000803f00000040", "0 = f32[2] @73+8"),
    ("w.data 0000803f00000040; v.data 00", "0 = f32[2] @36+8"),
    ("w.data 0000803f00000040; w.data 0000803f00000040", "! byte 44 of the file of weights: w.data occurs twice"),
    ("", "0 = f32[2] absent: w.data is not in the file of weights"),
];

const PNNX_EDITS: &str = r"
[one more]
  8: 5 => 6
  10: 4 => 5
[sub reads a new 0]
  145: 0 => 0_for_sub
  170: $input=0 => $input=0_for_sub
  187:  #0=(1,8)f32 =>
[sub reads a new 1]
  147: 1 => 1_for_sub
  179: $other=1 => $other=1_for_sub
  199:  #1=(8)f32 =>
[operands change places]
  145: 0 => 1
  147: 1 => 0
  170: $input=0 => $input=1
  179: $other=1 => $other=0
[2 is renamed]
  149: 2 => 2_before_reshape
  209:  #2=(1,8)f32 =>

shape 1 1,8
  104: @data=(8)f32 => @data=(1,8)f32
  117: #1=(8)f32 => #1=(1,8)f32
  200: #1=(8)f32 => #1=(1,8)f32
shape 1 8,1
  104: @data=(8)f32 => @data=(8,1)f32
  117: #1=(8)f32 => #1=(8,1)f32
  200: #1=(8)f32 => #1=(8,1)f32
shape 1 4
  ! the constant 1 has the shape (8), which cannot become (4)
copy 1 1,8 2.1
  [one more]
  127:  => Tensor.reshape           Tensor.reshape_1_for_sub 1 1 1 1_for_sub shape=(1,8) $input=1|
  [sub reads a new 1]
reshape 2.0 -1
  [one more]
  127:  => Tensor.reshape           Tensor.reshape_0_for_sub 1 1 0 0_for_sub shape=(-1) $input=0|
  [sub reads a new 0]
reshape 2.1 1,-1
  [one more]
  127:  => Tensor.reshape           Tensor.reshape_1_for_sub 1 1 1 1_for_sub shape=(1,-1) $input=1|
  [sub reads a new 1]
reshape 2.1 0
  [one more]
  127:  => Tensor.reshape           Tensor.reshape_1_for_sub 1 1 1 1_for_sub shape=(8) $input=1|
  [sub reads a new 1]
reshape 3.0 8,1
  [one more]
  222:  => Tensor.reshape           Tensor.reshape_2_for_act 1 1 2 2_for_act shape=(8,1) $input=2|
  240: 2 => 2_for_act
  255: $input=2 #2=(1,8)f32 => $input=2_for_act
unsqueeze 2.0 0
  [one more]
  127:  => torch.unsqueeze          torch.unsqueeze_0_for_sub 1 1 0 0_for_sub dim=0 $input=0|
  [sub reads a new 0]
unsqueeze 2.1 0
  [one more]
  127:  => torch.unsqueeze          torch.unsqueeze_1_for_sub 1 1 1 1_for_sub dim=0 $input=1|
  [sub reads a new 1]
unsqueeze 2.1 0,1
  8: 5 => 7
  10: 4 => 6
  127:  => torch.unsqueeze          torch.unsqueeze_1_for_sub 1 1 1 1_for_sub dim=0 $input=1|torch.unsqueeze      \
        torch.unsqueeze_1_for_sub_for_sub 1 1 1_for_sub 1_for_sub_for_sub dim=1 $input=1_for_sub|
  147: 1 => 1_for_sub_for_sub
  179: $other=1 => $other=1_for_sub_for_sub
  199:  #1=(8)f32 =>
expand 2.1 2,8
  [one more]
  127:  => Tensor.expand            Tensor.expand_1_for_sub  1 1 1 1_for_sub shape=(2,8) $input=1|
  [sub reads a new 1]
expand 2.0 1,1,8
  [one more]
  127:  => Tensor.expand            Tensor.expand_0_for_sub  1 1 0 0_for_sub shape=(1,1,8) $input=0|
  [sub reads a new 0]
swap 2 torch.add
  127: torch.sub => torch.add
  [operands change places]
swap 2 torch.sub
  [operands change places]
set 2 alpha 2
  151: alpha=1.500000e+00 => alpha=2
set 2 alpha 0.5
  151: alpha=1.500000e+00 => alpha=5e-1
set 2 alpha text
  151: alpha=1.500000e+00 => alpha=text
set 3 size [4,5]
  244: size=(2,3) => size=(4,5)
set 3 size [0.5]
  244: size=(2,3) => size=(5e-1)
set 3 new 1
  287:  =>  new=1
remove 3 size
  243:  size=(2,3) =>
remove 3 none
opset 3
  ! pnnx's operators have no versions
replace 2 F.relu torch.mul
  [one more]
  127: torch.sub sub 2 1 0 1 2 alpha=1.500000e+00 $input=0 $other=1 #0=(1,8)f32 #1=(8)f32 #2=(1,8)f32| => F.relu  \
                     sub_F.relu               1 1 0 sub_middle|torch.mul                sub                      2 1\
     0 sub_middle 2|
replace 3 F.silu torch.add
  [one more]
  222: F.relu    act 1 1 2 3 size=(2,3) $input=2 #2=(1,8)f32 #3=(1,8)f32| => F.silu                   act_F.silu  \
                 1 1 2 act_middle|torch.add                act                      2 1 2 act_middle 3|
result 2 -1
  [one more]
  [2 is renamed]
  222:  => Tensor.reshape           Tensor.reshape_2         1 1 2_before_reshape 2 shape=(-1) $input=2_before_res\
    hape|
result 2 8,1
  [one more]
  [2 is renamed]
  222:  => Tensor.reshape           Tensor.reshape_2         1 1 2_before_reshape 2 shape=(8,1) $input=2_before_re\
    shape|
result 3 0,-1
  ! F.relu act needs one result, and a shape without zeros
swap 2 torch.sub; unsqueeze 2.1 0
  [one more]
  127:  => torch.unsqueeze          torch.unsqueeze_1_for_sub 1 1 1 1_for_sub dim=0 $input=1|
  145: 0 => 1_for_sub
  147: 1 => 0
  170: $input=0 => $input=1_for_sub
  179: $other=1 => $other=0
  199:  #1=(8)f32 =>
result 2 -1; set 3 size 1
  [one more]
  [2 is renamed]
  222:  => Tensor.reshape           Tensor.reshape_2         1 1 2_before_reshape 2 shape=(-1) $input=2_before_res\
    hape|
  244: size=(2,3) => size=1
";

const SMALL: &str = concat!(
    "7767517\n5 4\npnnx.Input               in       0 1 0 #0=(1,8)f32\n",
    "pnnx.Attribute           w        0 1 1 @data=(8)f32 #1=(8)f32\n",
    "torch.sub sub 2 1 0 1 2 alpha=1.500000e+00 $input=0 $other=1 #0=(1,8)f32 #1=(8)f32 #2=(1,8)f32\n",
    "F.relu    act 1 1 2 3 size=(2,3) $input=2 #2=(1,8)f32 #3=(1,8)f32\npnnx.Output out 1 0 3\n"
);

fn read(layer: &str, show: impl Fn(&Model) -> String) -> String {
    told((PNNX.read)(&Source::memory(format!("7767517\n1 1\n{layer}\n").into_bytes(), None)), show)
}

#[test]
fn words() {
    let show = |model: &Model| {
        let shown = |(name, value): &(String, _)| format!(" {name}={}", attribute(model, value));
        let attributes: String = model.nodes[0].attributes.iter().map(shown).collect();
        format!("{}{attributes}{}", values(model), model.remarks.join(" "))
    };
    compare(WORDS.iter().map(|&(case, want)| (case, read(&format!("pnnx.Input a 0 1 0 {case}"), show), want)));
}

#[test]
fn tensors() {
    let show = |model: &Model| values(model).replace("the model was read without its file of weights", "?");
    compare(TENSORS.iter().map(|&(case, want)| (case, read(&format!("pnnx.Attribute a 0 1 0 {case}"), show), want)));
}

/// Makes an archive of members, each stored without compression.
fn archive(members: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for member in members.split("; ").filter(|member| !member.is_empty()) {
        let (name, data) = member.split_once(' ').unwrap();
        let data = unhex(data);
        let size = (data.len() as u32).to_le_bytes();
        bytes.extend([b"PK\x03\x04".as_slice(), &[0; 14], &size, &size, &[name.len() as u8, 0, 0, 0]].concat());
        bytes.extend(name.bytes().chain(data));
    }
    bytes
}

#[test]
fn archives() {
    let line = b"7767517\n1 1\npnnx.Attribute w 0 1 0 @data=(2)f32\n";
    compare(ARCHIVES.iter().map(|&(case, want)| {
        let source = Source::memory(*line, None).with_weights(Source::memory(archive(case), None));
        (case, told((PNNX.read)(&source), values), want)
    }));
}

/// Any cut inside a member is an error; a cut between members is a shorter archive.
#[test]
fn archives_that_are_cut() {
    let whole = archive("w.data 0000803f00000040; v.data 00");
    let (good, errors) = cut(&whole, |bytes| {
        let source = Source::memory(*b"7767517\n1 1\npnnx.Attribute w 0 1 0 @data=(2)f32\n", None);
        (PNNX.read)(&source.with_weights(Source::memory(bytes, None)))
    });
    assert_eq!(good, [0, 1, 2, 3, 44, 45, 46, 47, 81], "{errors:#?}");
}

#[test]
fn edits() {
    let model = (PNNX.read)(&Source::memory(SMALL.as_bytes(), None)).unwrap();
    compare_edits(&model, PNNX_EDITS, text);
}

/// A text is whole with its last layer, whose name of a blob is the last word.
#[test]
fn texts_that_are_cut() {
    let (good, errors) = cut(SMALL.as_bytes(), |bytes| (PNNX.read)(&Source::memory(bytes, None)));
    assert_eq!(good, [SMALL.len() - 1, SMALL.len()]);
    assert_eq!(errors, TEXT_CUTS, "{errors:#?}");
}
