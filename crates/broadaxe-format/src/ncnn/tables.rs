//! Tables of lines, parameters, weights and changes.
//!
//! Source: ncnn's documents "param and model file structure" and "operation param weight table", and `paramdict.cpp`,
//! `net.cpp` and `modelbin.cpp` of version 20261020. A `|` ends a line.

use super::NCNN;
use crate::{
    facts::{attribute, compare, compare_edits, cut, ends, nodes, text, told, unhex, value, values},
    graph::Model,
    source::Source,
};

const PARAMETERS: &[(&str, &str)] = &[
    ("0=0", "0=Int(0)"),
    ("0=1", "0=Int(1)"),
    ("0=-1", "0=Int(-1)"),
    ("0=2147483647", "0=Int(2147483647)"),
    ("0=-2147483648", "0=Int(-2147483648)"),
    ("0=2147483648", "! line 3: parameter 0: '2147483648' is not a number of 32 bits"),
    ("0=-2147483649", "! line 3: parameter 0: '-2147483649' is not a number of 32 bits"),
    ("0=+1", "0=Int(1)"),
    ("0=01", "0=Int(1)"),
    ("0=1.0", "0=Float(1.0)"),
    ("0=1.", "0=Float(1.0)"),
    ("0=.5", "0=Float(0.5)"),
    ("0=-.5", "0=Float(-0.5)"),
    ("0=1e3", "0=Float(1000.0)"),
    ("0=1E3", "0=Float(1000.0)"),
    ("0=1e-3", "0=Float(0.001)"),
    ("0=1.000000e-05", "0=Float(1e-5)"),
    ("0=1e", "! line 3: parameter 0: '1e' is not a number"),
    ("0=e1", r#"0=Text("e1")"#),
    ("0=-", "! line 3: parameter 0: '-' is not a number of 32 bits"),
    ("0=", "! line 3: parameter 0: '' is not a number of 32 bits"),
    ("0=1,2", "0=Ints([1, 2])"),
    ("0=1,2,3", "0=Ints([1, 2, 3])"),
    ("0=1,", "0=Ints([1])"),
    ("0=,1", "! line 3: parameter 0: '' is not a number of 32 bits"),
    ("0=1,,2", "! line 3: parameter 0: '' is not a number of 32 bits"),
    ("0=1.0,2", "0=Floats([1.0, 2.0])"),
    ("0=1,2.5", "0=Floats([1.0, 2.5])"),
    ("0=1,x", "! line 3: parameter 0: 'x' is not a number of 32 bits"),
    ("0=0w", "! line 3: parameter 0: '0w' is not a number of 32 bits"),
    ("0=w0", r#"0=Text("w0")"#),
    (r#"0="a""#, r#"0=Text("a")"#),
    (r#"0="a b""#, r#"0=Text("a b")"#),
    (r#"0="a,b""#, r#"0=Text("a,b")"#),
    (r#"0="""#, r#"0=Text("")"#),
    (r#"0="3,2,0h""#, r#"0=Text("3,2,0h")"#),
    (r#"0="a"#, r#"0=Text("a")"#),
    ("0=abc", r#"0=Text("abc")"#),
    ("0=a=b", r#"0=Text("a=b")"#),
    ("31=1", "31=Int(1)"),
    ("32=1", "! line 3: unknown parameter 32; parameters have the numbers 0 to 31, arrays -23300 to -23331"),
    ("33=1", "! line 3: unknown parameter 33; parameters have the numbers 0 to 31, arrays -23300 to -23331"),
    ("-1=1", "! line 3: unknown parameter -1; parameters have the numbers 0 to 31, arrays -23300 to -23331"),
    ("x=1", "! line 3: unknown parameter x; parameters have the numbers 0 to 31, arrays -23300 to -23331"),
    ("=1", "! line 3: unknown parameter ; parameters have the numbers 0 to 31, arrays -23300 to -23331"),
    ("0", "! line 3: '0' is not a parameter; write number=value"),
    ("00=1", "0=Int(1)"),
    ("1 =1", "! line 3: '1' is not a parameter; write number=value"),
    ("-23300=0", "0=Ints([])"),
    ("-23300=1,5", "0=Ints([5])"),
    ("-23300=2,5,6", "0=Ints([5, 6])"),
    ("-23300=2,5,6.5", "0=Floats([5.0, 6.5])"),
    ("-23300=2,5", "! line 3: parameter 0: the array says it has 2 values, but 1 follow"),
    ("-23300=1,5,6", "! line 3: parameter 0: the array says it has 1 values, but 2 follow"),
    ("-23300=0,5", "! line 3: parameter 0: the array says it has 0 values, but 1 follow"),
    ("-23300=-1", "! line 3: parameter 0: the array says it has -1 values, but 0 follow"),
    ("-23300=x,1", "! line 3: parameter 0: the array says it has x values, but 1 follow"),
    ("-23300=1,x", "! line 3: parameter 0: 'x' is not a number of 32 bits"),
    ("-23300=1", "! line 3: parameter 0: the array says it has 1 values, but 0 follow"),
    ("-23331=1,5", "31=Ints([5])"),
    ("-23332=1,5", "! line 3: unknown parameter -23332; parameters have the numbers 0 to 31, arrays -23300 to -23331"),
    ("-23299=1,5", "! line 3: unknown parameter -23299; parameters have the numbers 0 to 31, arrays -23300 to -23331"),
    ("-23303=1,0 3=1", "! line 3: parameter 3 is given twice; ncnn uses the last, so remove the other"),
    ("0=1 0=2", "! line 3: parameter 0 is given twice; ncnn uses the last, so remove the other"),
    ("0=1 1=2 2=3", "0=Int(1) 1=Int(2) 2=Int(3)"),
    ("0=99999999999", "! line 3: parameter 0: '99999999999' is not a number of 32 bits"),
    ("0=1_000", "! line 3: parameter 0: '1_000' is not a number of 32 bits"),
    ("0=0x10", "! line 3: parameter 0: '0x10' is not a number of 32 bits"),
    ("0=nan", r#"0=Text("nan")"#),
    ("0=inf", r#"0=Text("inf")"#),
    ("-23301=1,1e-3", "1=Floats([0.001])"),
    ("5=1#2", "! line 3: parameter 5: '1#2' is not a number of 32 bits"),
];

const LAYERS: &[(&str, &str)] = &[
    ("1 1|Input d 0 1 d", "d | (d) -> d"),
    ("1 1|Input d 0 1 d 0=4", "d (4,) | (d) -> d"),
    ("1 1|Input d 0 1 d 0=4 1=3", "d (3, 4) | (d) -> d"),
    ("1 1|Input d 0 1 d 0=4 1=3 2=2", "d (2, 3, 4) | (d) -> d"),
    ("1 1|Input d 0 1 d 0=4 1=3 11=5 2=2", "d (2, 5, 3, 4) | (d) -> d"),
    ("1 1|Input d 0 1 d 0=-1 1=3 2=2", "d (2, 3, ?) | (d) -> d"),
    ("1 1|Input d 0 1 d 1=3", "d (3, ?) | (d) -> d"),
    ("1 1|Input d 0 1 d -23330=4,1,7,0,0", "d (7,) | (d) -> d"),
    ("1 1|Input d 0 1 d -23330=4,2,7,8,0", "d (8, 7) | (d) -> d"),
    ("1 1|Input d 0 1 d -23330=4,3,7,8,9", "d (9, 8, 7) | (d) -> d"),
    ("1 1|Input d 0 1 d -23330=5,4,7,8,9,6", "d (6, 9, 8, 7) | (d) -> d"),
    ("1 1|Input d 0 1 d -23330=5,3,7,8,1,9", "d (9, 8, 7) | (d) -> d"),
    ("1 1|Input d 0 1 d -23330=4,0,0,0,0", "d | (d) -> d"),
    ("1 1|Input d 0 1 d -23330=3,1,7,0", "d | (d) -> d"),
    ("2 2|Input d 0 1 d|ReLU r 1 1 d e", "d; e | (d) -> e"),
    ("2 3|Input d 0 1 d|Split s 1 2 d a b", "d; a; b | (d) -> a b"),
    ("3 4|Input d 0 1 d|Split s 1 2 d a b|BinaryOp p 2 1 a b c", "d; a; b; c | (d) -> c"),
    ("2 2|Input a 0 1 a|Input b 0 1 b", "a; b | (a b) -> a b"),
    ("1 0|Noop n 0 0", "! line 2: 0 blobs cannot be; a count is 1 or more, and no more than the text has room for"),
    ("1 2|Input d 0 1 d", "d | (d) -> dline 2 says 2 blobs, the layers make 1"),
    ("2 2|Input d 0 1 d|Unheard u 1 1 d e 0=1", "d; e | (d) -> e"),
    ("1 1| Input  d  0  1  d ", "d | (d) -> d"),
    ("1 1|Input d 0 1 d||", "d | (d) -> d"),
    ("1 1|Input d 0 1 d|more", "d | (d) -> dline 2 says 1 layers; 1 more from line 4 on are left alone, as ncnn does"),
    ("1 1|MemoryData m 0 1 m 0=4", "m = f32[4] absent: ? | () -> m"),
    ("1 1|MemoryData m 0 1 m 0=4 1=3", "m = f32[3, 4] absent: ? | () -> m"),
    ("1 1|MemoryData m 0 1 m 0=4 1=3 2=2", "m = f32[2, 3, 4] absent: ? | () -> m"),
    ("1 1|MemoryData m 0 1 m 0=4 1=3 11=5 2=2", "m = f32[2, 5, 3, 4] absent: ? | () -> m"),
    ("1 1|MemoryData m 0 1 m", "m = f32[1] absent: ? | () -> m"),
    ("1 1|MemoryData m 0 1 m 0=-1", "! line 3: MemoryData m has the extents [-1]; they are 1 or …, and can be counted"),
    ("1 1|MemoryData m 0 1 m 0=4 2=3", "! line 3: MemoryData m has the extents [3, 0, 4]; they ar… and can be counted"),
    ("1 1|MemoryData m 0 1 m 1=3", "! line 3: MemoryData m has the extents [3, 0]; they are 1 or…, and can be counted"),
    ("0 0", "! line 2: 0 layers cannot be; a count is 1 or more, and no more than the text has room for"),
    ("-1 1", "! line 2: -1 layers cannot be; a count is 1 or more, and no more than the text has room for"),
    ("1", "! line 2: this line has two counts, of layers and of blobs, not 1"),
    ("1 1 1", "! line 2: this line has two counts, of layers and of blobs, not 3"),
    ("x 1", "! line 2: x layers cannot be; a count is 1 or more, and no more than the text has room for"),
    ("1 x", "! line 2: x blobs cannot be; a count is 1 or more, and no more than the text has room for"),
    ("1 1|", "! line 3: the text has 0 layers, but line 2 says 1"),
    ("2 2|Input d 0 1 d", "! line 3: the text has 1 layers, but line 2 says 2"),
    ("1 1|Input", "! line 3: a layer has a type, a name and two counts, but this line has 1 words"),
    ("1 1|Input d", "! line 3: a layer has a type, a name and two counts, but this line has 2 words"),
    ("1 1|Input d 0", "! line 3: a layer has a type, a name and two counts, but this line has 3 words"),
    ("1 1|Input d 0 1", "! line 3: the layer has 0 inputs and 1 outputs, but 0 words follow"),
    ("1 1|Input d 0 2 d", "! line 3: the layer has 0 inputs and 2 outputs, but 1 words follow"),
    ("1 1|Input d 1 1 d", "! line 3: the layer has 1 inputs and 1 outputs, but 1 words follow"),
    ("1 1|Input d x 1 d", "! line 3: x inputs cannot be: the line has 1 words after its counts"),
    ("1 1|Input d 0 x d", "! line 3: x outputs cannot be: the line has 1 words after its counts"),
    ("1 1|Input d 0 -1 d", "! line 3: -1 outputs cannot be: the line has 1 words after its counts"),
    ("1 1|Input d 0 9 d", "! line 3: 9 outputs cannot be: the line has 1 words after its counts"),
    ("2 1|Input d 0 1 d|Input d 0 1 d", "! line 4: Input d makes d, which an earlier layer makes;…ive it another name"),
    ("1 1|ReLU r 1 1 d d", "! line 3: ReLU r reads d, its own output"),
    ("1 1|ReLU r 1 1 x d", "! line 3: ReLU r reads x, which no layer computes"),
    ("2 2|ReLU r 1 1 e d|Input e 0 1 e", "! line 3: ReLU r reads e, which line 4 computes; a laye…the layers it reads"),
    ("2 2|Input d 0 1 d|Split s 1 2 d d d", "! line 4: Split s makes d, which an earlier layer mak…ve it another name"),
    ("2 1|Input d 0 1 d|ReLU r 1 1 d e", "! line 2: line 2 says 1 blobs, but the layers make 2; write that number"),
    ("1 9|Input d 0 1 d", "d | (d) -> dline 2 says 9 blobs, the layers make 1"),
    ("9999 1|Input d 0 1 d", "! line 2: 9999 layers cannot be; a count is 1 or more, and no mo… the text has room for"),
];

const WEIGHTS: &[(&str, &str)] = &[
    ("MemoryData m 0 1 m 0=2|0000803f00000040", "m = f32[2] @0+8"),
    ("MemoryData m 0 1 m 0=2|0000803f", "m = f32[2] absent: the file of weights ends at byte 4 in…e 4 in MemoryData m"),
    ("MemoryData m 0 1 m 0=2|", "m = f32[2] absent: the file of weights ends at byte 0 in Memor…yte 0 in MemoryData m"),
    ("MemoryData m 0 1 m|0000803f", "m = f32[1] absent: the layer has no numbers in the file of weights"),
    ("MemoryData m 0 1 m 0=2 21=1|0000803f00000040", "m = f32[2] @0+8"),
    ("MemoryData m 0 1 m 0=2 21=0|000000000000803f00000040", "m = f32[2] @4+8"),
    ("MemoryData m 0 1 m 0=2 21=0|476b3001003c0040", "m = f16[2] @4+4"),
    ("MemoryData m 0 1 m 0=1 21=0|476b3001003c0000", "m = f16[1] @4+2"),
    ("MemoryData m 0 1 m 0=1 21=0|476b3001003c", "m = f32[1] absent: the file of weights ends at by…6 in MemoryData m"),
    ("MemoryData m 0 1 m 0=4 21=0|384b0d0001020304", "m = f32[4] absent: its numbers are stored in 8… scale elsewhere"),
    ("MemoryData m 0 1 m 0=3 21=0|384b0d0001020300", "m = f32[3] absent: its numbers are stored in 8… scale elsewhere"),
    ("MemoryData m 0 1 m 0=2 21=0|56c002000000803f00000040", "m = f32[2] @4+8"),
    ("MemoryData m 0 1 m 0=2 21=0|00", "m = f32[2] absent: the file of weights ends at byte 1 in …e 1 in MemoryData m"),
    ("MemoryData m 0 1 m 0=2 21=0|00000000", "m = f32[2] absent: the file of weights ends at byte … 4 in MemoryData m"),
    ("MemoryData m 0 1 m 0=2 21=0|01000000", "m = f32[2] absent: the file of weights ends at byte … 4 in MemoryData m"),
    ("MemoryData m 0 1 m 0=2|0000803f000000400000803f00000040", "m = f32[2] @0+8; the layers read 8 byt…e file has 16"),
    ("MemoryData m 0 1 m 0=1 1=2|0000803f00000040", "m = f32[2, 1] @0+8"),
    ("MemoryData m 0 1 m 0=1 1=1 2=2|0000803f00000040", "m = f32[2, 1, 1] @0+8"),
    ("Unheard u 0 0|MemoryData m 0 1 m 0=2|0000803f00000040", "m = f32[2] absent: the size of the weig…u is not known"),
    ("ReLU u 0 0|MemoryData m 0 1 m 0=2|0000803f00000040", "m = f32[2] @0+8"),
    ("PReLU u 0 0 0=1|MemoryData m 0 1 m 0=1|0000803f00000040", "m = f32[1] @4+4"),
    ("Scale u 0 0 0=1|MemoryData m 0 1 m 0=1|0000803f00000040", "m = f32[1] @4+4"),
    ("BatchNorm u 0 0 0=1|MemoryData m 0 1 m 0=1|0000803f000000400000803f000000400000803f", "m = f32[1] @16+4"),
    ("InnerProduct u 0 0 0=1 2=2|MemoryData m 0 1 m 0=1|000000000000803f000000400000803f", "m = f32[1] @12+4"),
    ("InnerProduct u 0 0 0=1 2=2|MemoryData m 0 1 m 0=1|476b3001003c00400000803f", "m = f32[1] @8+4"),
    ("InnerProduct u 0 0 0=1 2=4|MemoryData m 0 1 m 0=1|384b0d00010203040000803f", "m = f32[1] @8+4"),
    ("Convolution u 0 0 0=1 6=1|MemoryData m 0 1 m 0=1|476b3001003c00000000803f", "m = f32[1] @8+4"),
    ("Gemm u 0 0 18=4|MemoryData m 0 1 m 0=1|0000803f00000040", "m = f32[1] absent: the size of the wei… is not known"),
    ("Embed u 0 0 0=1 3=2|MemoryData m 0 1 m 0=1|56c002000000803f000000400000803f", "m = f32[1] @12+4"),
    ("MemoryData a 0 1 a 0=1|MemoryData m 0 1 m 0=1|0000803f00000040", "m = f32[1] @4+4"),
    ("MemoryData a 0 1 a 0=1|MemoryData m 0 1 m 0=2|0000803f00000040", "m = f32[2] absent: the file of we…emoryData m"),
    ("PReLU u 0 0 0=-1|MemoryData m 0 1 m 0=1|0000803f00000040", "m = f32[1] absent: the size of the we… is not known"),
];

const NCNN_EDITS: &str = r#"
[one more]
  8: 5 => 6
  10: 5 => 6

shape m 1,4
  77:  =>  1=1
shape m 2,2
  67: 0=4 => 0=2
  77:  =>  1=2
shape m 4,1,1
  67: 0=4 => 0=1
  77:  =>  1=1 2=4
shape m 1,1,2,2
  67: 0=4 => 0=2
  77:  =>  1=2 11=1 2=1
shape m 1,1,1,1,4
  ! m cannot have 5 axes; ncnn has ranks 1 to 4
shape m 5
  ! the constant m has the shape (4), which cannot become (5)
shape x 1,3
  ! x is not a constant
copy m 1,4 2.1
  [one more]
  78:  => Reshape                  reshape_m_for_sum        1 1 m m_for_sum 0=4 1=1|
  99: m => m_for_sum
reshape 2.0 2,6
  [one more]
  78:  => Reshape                  reshape_x_for_sum        1 1 x x_for_sum 0=6 1=2|
  97: x => x_for_sum
reshape 2.0 -1,4
  [one more]
  78:  => Reshape                  reshape_x_for_sum        1 1 x x_for_sum 0=4 1=-1|
  97: x => x_for_sum
reshape 2.0 0,-1
  [one more]
  78:  => Reshape                  reshape_x_for_sum        1 1 x x_for_sum 0=-1 1=3|
  97: x => x_for_sum
reshape 2.1 4
  [one more]
  78:  => Reshape                  reshape_m_for_sum        1 1 m m_for_sum 0=4|
  99: m => m_for_sum
reshape 2.1 1,1,1,-1
  [one more]
  78:  => Reshape                  reshape_m_for_sum        1 1 m m_for_sum 0=-1 1=1 11=1 2=1|
  99: m => m_for_sum
reshape 2.1 1,1,1,1,4
  ! [1, 1, 1, 1, 4] is not a shape of ncnn, which has ranks 1 to 4
reshape 4.0 3,4
  [one more]
  128:  => Reshape                  reshape_t_for_r          1 1 t t_for_r 0=4 1=3|
  139: t => t_for_r
unsqueeze 2.0 0
  [one more]
  78:  => ExpandDims               expanddims_x_for_sum     1 1 x x_for_sum -23303=1,0|
  97: x => x_for_sum
unsqueeze 2.1 0
  [one more]
  78:  => ExpandDims               expanddims_m_for_sum     1 1 m m_for_sum -23303=1,0|
  99: m => m_for_sum
unsqueeze 2.1 1
  [one more]
  78:  => ExpandDims               expanddims_m_for_sum     1 1 m m_for_sum -23303=1,1|
  99: m => m_for_sum
unsqueeze 2.1 0,1
  [one more]
  78:  => ExpandDims               expanddims_m_for_sum     1 1 m m_for_sum -23303=2,0,1|
  99: m => m_for_sum
unsqueeze 2.0 0,1,2
  [one more]
  78:  => ExpandDims               expanddims_x_for_sum     1 1 x x_for_sum -23303=3,0,1,2|
  97: x => x_for_sum
unsqueeze 4.0 2
  [one more]
  128:  => ExpandDims               expanddims_t_for_r       1 1 t t_for_r -23303=1,2|
  139: t => t_for_r
expand 2.1 3,4
  [one more]
  78:  => Tile                     tile_m_for_sum           1 1 m m_for_sum -23302=2,3,1|
  99: m => m_for_sum
expand 2.0 3,4
  [one more]
  78:  => Tile                     tile_x_for_sum           1 1 x x_for_sum -23302=2,1,1|
  97: x => x_for_sum
expand 2.1 2,3,4
  [one more]
  78:  => Tile                     tile_m_for_sum           1 1 m m_for_sum -23302=3,2,3,1|
  99: m => m_for_sum
swap 2 BinaryOp
  97: x => m
  99: m => x
  104: 0=1 => 0=7
swap 2 Eltwise
  97: x => m
  99: m => x
  104: 0=1 => 0=7
swap 4 ReLU
  ! line 7: it has 1 inputs; two inputs can be exchanged
set 2 op_type 2
  104: 0=1 => 0=2
set 2 0 2
  104: 0=1 => 0=2
set 2 1 1
  107:  =>  1=1
set 2 2 0.5
  107:  =>  2=5e-1
set 4 slope 0.25
  144: 0=0.1 => 0=2.5e-1
set 4 slope 1
  144: 0=0.1 => 0=1
set 4 slope text
  144: 0=0.1 => 0="text"
set 4 0 [1,2]
  144: 0=0.1 => -23300=2,1,2
set 4 0 [0.5,1]
  144: 0=0.1 => -23300=2,5e-1,1e0
set 4 32 1
  ! ReLU has no known parameter 32; use its number, 0 to 31
set 4 none 1
  ! ReLU has no known parameter none; use its number, 0 to 31
remove 4 slope
  143:  0=0.1 =>
remove 2 0
  102:   0=1 =>
remove 2 1
remove 3 0
  123:  0=1 =>
opset 1
  ! ncnn's layers have no versions
replace 2 ReLU BinaryOp
  8: 5 => 7
  10: 5 => 8
  78: BinaryOp  sum  2 1 x m s  0=1| => Split                    split_x                  1 2 x x_split_0 x_split_\
    1|ReLU                     sum_relu                 1 1 x_split_0 sum_middle|BinaryOp                 sum       \
                   2 1 x_split_1 sum_middle s|
replace 4 Sigmoid BinaryOp
  8: 5 => 7
  10: 5 => 8
  128: ReLU r 1 1 t  y 0=0.1| => Split                    split_t                  1 2 t t_split_0 t_split_1|Sigmo\
    id                  r_sigmoid                1 1 t_split_0 r_middle|BinaryOp                 r                  \
          2 1 t_split_1 r_middle y|
result 2 -1,3
  [one more]
  101: s => s_before_reshape
  108:  => Reshape                  reshape_s                1 1 s_before_reshape s 0=3 1=-1|
result 2 4,3
  [one more]
  101: s => s_before_reshape
  108:  => Reshape                  reshape_s                1 1 s_before_reshape s 0=3 1=4|
result 4 -1
  [one more]
  142: y => y_before_reshape
  150:  => Reshape                  reshape_y                1 1 y_before_reshape y 0=-1|
result 0 -1
  [one more]
  37: x => x_before_reshape
  47:  => Reshape                  reshape_x                1 1 x_before_reshape x 0=-1|
swap 2 BinaryOp; unsqueeze 2.1 0
  [one more]
  78:  => ExpandDims               expanddims_m_for_sum     1 1 m m_for_sum -23303=1,0|
  97: x => m_for_sum
  99: m => x
  104: 0=1 => 0=7
set 2 0 2; set 4 0 1
  104: 0=1 => 0=2
  144: 0=0.1 => 0=1
result 2 4,3; reshape 4.0 -1
  8: 5 => 7
  10: 5 => 7
  101: s => s_before_reshape
  108:  => Reshape                  reshape_s                1 1 s_before_reshape s 0=3 1=4|
  128:  => Reshape                  reshape_t_for_r          1 1 t t_for_r 0=-1|
  139: t => t_for_r
"#;

/// The errors of a `.param` that is cut, in ncnn and in pnnx.
pub(crate) const TEXT_CUTS: &[&str] = &[
    "line #: a .param begins with a line #; older files and binary ones are not read",
    "line #: a layer has a type, a name and two counts, but this line has # words",
    "line #: the layer has # inputs and # outputs, but # words follow",
    "line #: the text ends after its first line; the counts of layers and blobs follow",
    "line #: the text has # layers, but line # says ",
    "line #: this line has two counts, of layers and of blobs, not ",
    "the text is empty; a .param begins with ",
];

/// Those in ncnn only.
const NCNN_CUTS: &[&str] =
    &["line #: '#' is not a parameter; write number=value", "line #: parameter #: '' is not a number of # bits"];

const SMALL: &str = concat!(
    "7767517\n5 5\nInput            x   0 1 x 0=4 1=3\nMemoryData  m 0 1 m 0=4   21=1\n",
    "BinaryOp  sum  2 1 x m s  0=1\nPReLU p 1 1 s t 0=1\nReLU r 1 1 t  y 0=0.1\n"
);

fn read(text: &str, show: impl Fn(&Model) -> String) -> String {
    told((NCNN.read)(&Source::memory(format!("7767517\n{}\n", text.replace('|', "\n")).into_bytes(), None)), show)
}

#[test]
fn parameters() {
    let show = |model: &Model| {
        let shown = |(name, value): &(String, _)| format!("{name}={}", attribute(model, value));
        model.nodes[0].attributes.iter().map(shown).collect::<Vec<_>>().join(" ")
    };
    compare(PARAMETERS.iter().map(|&(case, want)| (case, read(&format!("1 1|Input d 0 1 d {case}"), show), want)));
}

#[test]
fn layers() {
    let show = |model: &Model| {
        format!(
            "{} | {}{}",
            values(model).replace("the model was read without its file of weights", "?"),
            ends(model),
            model.remarks.join(" ")
        )
    };
    compare(LAYERS.iter().map(|&(case, want)| (case, read(case, show), want)));
}

/// Reads layers with their weights, and shows the last blob.
fn weights(case: &str) -> String {
    let (layers, weights) = case.rsplit_once('|').unwrap();
    let count = layers.split('|').count();
    let text = format!("7767517\n{count} {count}\n{}\n", layers.replace('|', "\n"));
    let source = Source::memory(text.into_bytes(), None).with_weights(Source::memory(unhex(weights), None));
    let made = format!("line 2 says {count} blobs, the layers make 1");
    told((NCNN.read)(&source), |model| {
        let remarks: Vec<_> = model.remarks.iter().filter(|remark| **remark != made).cloned().collect();
        [vec![value(model, model.values.last().unwrap())], remarks].concat().join("; ")
    })
}

#[test]
fn files_of_weights() {
    compare(WEIGHTS.iter().map(|&(case, want)| (case, weights(case), want)));
}

#[test]
fn edits() {
    let model = (NCNN.read)(&Source::memory(SMALL.as_bytes(), None)).unwrap();
    assert_eq!(nodes(&model).matches(" = ").count(), 5);
    compare_edits(&model, NCNN_EDITS, text);
}

/// A text without its last line feed is whole, and so is one whose last word still is a parameter.
#[test]
fn texts_that_are_cut() {
    let (good, errors) = cut(SMALL.as_bytes(), |bytes| (NCNN.read)(&Source::memory(bytes, None)));
    let whole = SMALL.len();
    assert_eq!(good, [whole - 7, whole - 6, whole - 3, whole - 2, whole - 1, whole]);
    let mut want = [TEXT_CUTS, NCNN_CUTS].concat();
    want.sort_unstable();
    assert_eq!(errors, want, "{errors:#?}");
}

/// The longest name, and one byte more.
#[test]
fn names() {
    for (len, want) in [(1, ""), (255, ""), (256, "! line 3: a name of 256 bytes; the limit of ncnn is 255")] {
        let name = "n".repeat(len);
        assert_eq!(read(&format!("1 1|Input {name} 0 1 d"), |_| String::new()), want);
        assert_eq!(read(&format!("1 1|Input d 0 1 {name}"), |_| String::new()), want);
    }
}
