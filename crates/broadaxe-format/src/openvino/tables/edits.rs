//! Tables of what each change writes, and of texts that are cut.
//!
//! Source: the document "Intermediate Representation and Operation Sets" of OpenVINO. OpenVINO 2026.4.1 reads the small net, and
//! every net that a change writes unless its shapes do not fit.

use super::{super::OPENVINO, source};
use crate::facts::{compare_edits, cut, text};

const IR_EDITS: &str = r#"
[s reads a new x]
  1046: 0 => 6
  1060: 0 => 2
  1275:  => |<edge from-layer="0" from-port="0" to-layer="6" to-port="0" />|<edge from-layer="5" from-port="0" to-\
    layer="6" to-port="1" />
[s reads a new c]
  1108: 1 => 6
  1122: 0 => 2
  1275:  => |<edge from-layer="1" from-port="0" to-layer="6" to-port="0" />|<edge from-layer="5" from-port="0" to-\
    layer="6" to-port="1" />
[r reads a new s]
  1170: 2 => 6
  1275:  => |<edge from-layer="2" from-port="2" to-layer="6" to-port="0" />|<edge from-layer="5" from-port="0" to-\
    layer="6" to-port="1" />
[r and y have the shape (3, 2, 1)]
  761: <dim>3</dim><dim>2</dim> => <dim>3</dim><dim>2</dim><dim>1</dim>
  839: <dim>3</dim><dim>2</dim> => <dim>3</dim><dim>2</dim><dim>1</dim>
  962: <dim>3</dim><dim>2</dim> => <dim>3</dim><dim>2</dim><dim>1</dim>
[new layers unsqueeze c]
  1009:  => |<layer id="5" name="s/unsqueeze/shape" type="Const" version="opset1">|\09<data element_type="i64" sha\
    pe="1" offset="16" size="8" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>1</dim>|\09\09</por\
    t>|\09</output>|</layer>|<layer id="6" name="s/unsqueeze" type="Unsqueeze" version="opset1">|\09<input>|\09\09<p\
    ort id="0" precision="FP32">|\09\09\09<dim>2</dim>|\09\09</port>|\09\09<port id="1" precision="I64">|\09\09\09<d\
    im>1</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" precision="FP32">|\09\09\09<dim>1</dim>|\09\\
    09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>

shape c 1,2
  315: 2 => 1, 2
  378: <dim>2</dim> => <dim>1</dim><dim>2</dim>
  561: <dim>2</dim> => <dim>1</dim><dim>2</dim>
shape c 2,1,1
  315: 2 => 2, 1, 1
  378: <dim>2</dim> => <dim>2</dim><dim>1</dim><dim>1</dim>
  561: <dim>2</dim> => <dim>2</dim><dim>1</dim><dim>1</dim>
  639: <dim>3</dim><dim>2</dim> => <dim>2</dim><dim>3</dim><dim>2</dim>
  761: <dim>3</dim><dim>2</dim> => <dim>2</dim><dim>3</dim><dim>2</dim>
  839: <dim>3</dim><dim>2</dim> => <dim>2</dim><dim>3</dim><dim>2</dim>
  962: <dim>3</dim><dim>2</dim> => <dim>2</dim><dim>3</dim><dim>2</dim>
shape c 3
  ! the constant c has the shape (2), which cannot become (3)
copy c 1,2 0.1
  561: <dim>2</dim> => <dim>1</dim><dim>2</dim>
  1009:  => |<layer id="5" name="c/copy" type="Const" version="opset1">|\09<data element_type="f32" shape="1, 2" o\
    ffset="0" size="8" />|\09<output>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>1</dim>|\09\09\09<dim>2</di\
    m>|\09\09</port>|\09</output>|</layer>
  1108: 1 => 5
reshape 0.0 -1
  ! layer 2 (s): after this change, broadcast of a (6,) with b (2,) under numpy: axis 0 is 6 in a and 2 in b; they must be equal or 1
reshape 0.0 0,-1
  1009:  => |<layer id="5" name="s/reshape/shape" type="Const" version="opset1">|\09<data element_type="i64" shape\
    ="2" offset="16" size="16" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>2</dim>|\09\09</port\
    >|\09</output>|</layer>|<layer id="6" name="s/reshape" type="Reshape" version="opset1">|\09<data special_zero="t\
    rue" />|\09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port\
    >|\09\09<port id="1" precision="I64">|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id\
    ="2" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>
  [s reads a new x]
  bin + 0000000000000000ffffffffffffffff
reshape 0.1 1,2
  561: <dim>2</dim> => <dim>1</dim><dim>2</dim>
  1009:  => |<layer id="5" name="s/reshape/shape" type="Const" version="opset1">|\09<data element_type="i64" shape\
    ="2" offset="16" size="16" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>2</dim>|\09\09</port\
    >|\09</output>|</layer>|<layer id="6" name="s/reshape" type="Reshape" version="opset1">|\09<data special_zero="t\
    rue" />|\09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>2</dim>|\09\09</port>|\09\09<port id="1" p\
    recision="I64">|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" precision="FP32">\
    |\09\09\09<dim>1</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>
  [s reads a new c]
  bin + 01000000000000000200000000000000
reshape 1.0 3,2,1
  [r and y have the shape (3, 2, 1)]
  1009:  => |<layer id="5" name="r/reshape/shape" type="Const" version="opset1">|\09<data element_type="i64" shape\
    ="3" offset="16" size="24" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>3</dim>|\09\09</port\
    >|\09</output>|</layer>|<layer id="6" name="r/reshape" type="Reshape" version="opset1">|\09<data special_zero="t\
    rue" />|\09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port\
    >|\09\09<port id="1" precision="I64">|\09\09\09<dim>3</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id\
    ="2" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09\09<dim>1</dim>|\09\09</port>|\09</outp\
    ut>|</layer>
  [r reads a new s]
  bin + 030000000000000002000000000000000100000000000000
unsqueeze 0.1 0
  561: <dim>2</dim> => <dim>1</dim><dim>2</dim>
  [new layers unsqueeze c]
  [s reads a new c]
  bin + 0000000000000000
unsqueeze 0.1 1
  ! layer 2 (s): after this change, broadcast of a (3, 2) with b (2, 1) under numpy: axis 0 is 3 in a and 2 in b; they must be equal or 1
unsqueeze 0.0 0,1
  517: <dim>3</dim><dim>2</dim> => <dim>1</dim><dim>1</dim><dim>3</dim><dim>2</dim>
  639: <dim>3</dim><dim>2</dim> => <dim>1</dim><dim>1</dim><dim>3</dim><dim>2</dim>
  761: <dim>3</dim><dim>2</dim> => <dim>1</dim><dim>1</dim><dim>3</dim><dim>2</dim>
  839: <dim>3</dim><dim>2</dim> => <dim>1</dim><dim>1</dim><dim>3</dim><dim>2</dim>
  962: <dim>3</dim><dim>2</dim> => <dim>1</dim><dim>1</dim><dim>3</dim><dim>2</dim>
  1009:  => |<layer id="5" name="s/unsqueeze/shape" type="Const" version="opset1">|\09<data element_type="i64" sha\
    pe="2" offset="16" size="16" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>2</dim>|\09\09</po\
    rt>|\09</output>|</layer>|<layer id="6" name="s/unsqueeze" type="Unsqueeze" version="opset1">|\09<input>|\09\09<\
    port id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09\09<port id="1" preci\
    sion="I64">|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" precision="FP32">|\09\
    \09\09<dim>1</dim>|\09\09\09<dim>1</dim>|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|\
    </layer>
  [s reads a new x]
  bin + 00000000000000000100000000000000
unsqueeze 1.0 2
  [r and y have the shape (3, 2, 1)]
  1009:  => |<layer id="5" name="r/unsqueeze/shape" type="Const" version="opset1">|\09<data element_type="i64" sha\
    pe="1" offset="16" size="8" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>1</dim>|\09\09</por\
    t>|\09</output>|</layer>|<layer id="6" name="r/unsqueeze" type="Unsqueeze" version="opset1">|\09<input>|\09\09<p\
    ort id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09\09<port id="1" precis\
    ion="I64">|\09\09\09<dim>1</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" precision="FP32">|\09\\
    09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09\09<dim>1</dim>|\09\09</port>|\09</output>|</layer>
  [r reads a new s]
  bin + 0200000000000000
expand 0.1 3,2
  561: <dim>2</dim> => <dim>3</dim><dim>2</dim>
  1009:  => |<layer id="5" name="s/broadcast/shape" type="Const" version="opset1">|\09<data element_type="i64" sha\
    pe="2" offset="16" size="16" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>2</dim>|\09\09</po\
    rt>|\09</output>|</layer>|<layer id="6" name="s/broadcast" type="Broadcast" version="opset3">|\09<data mode="bid\
    irectional" />|\09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>2</dim>|\09\09</port>|\09\09<port i\
    d="1" precision="I64">|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" precision=\
    "FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>
  [s reads a new c]
  bin + 03000000000000000200000000000000
expand 0.0 4,3,2
  517: <dim>3</dim><dim>2</dim> => <dim>4</dim><dim>3</dim><dim>2</dim>
  639: <dim>3</dim><dim>2</dim> => <dim>4</dim><dim>3</dim><dim>2</dim>
  761: <dim>3</dim><dim>2</dim> => <dim>4</dim><dim>3</dim><dim>2</dim>
  839: <dim>3</dim><dim>2</dim> => <dim>4</dim><dim>3</dim><dim>2</dim>
  962: <dim>3</dim><dim>2</dim> => <dim>4</dim><dim>3</dim><dim>2</dim>
  1009:  => |<layer id="5" name="s/broadcast/shape" type="Const" version="opset1">|\09<data element_type="i64" sha\
    pe="3" offset="16" size="24" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>3</dim>|\09\09</po\
    rt>|\09</output>|</layer>|<layer id="6" name="s/broadcast" type="Broadcast" version="opset3">|\09<data mode="bid\
    irectional" />|\09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\0\
    9</port>|\09\09<port id="1" precision="I64">|\09\09\09<dim>3</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<\
    port id="2" precision="FP32">|\09\09\09<dim>4</dim>|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\0\
    9</output>|</layer>
  [s reads a new x]
  bin + 040000000000000003000000000000000200000000000000
swap 0 Subtract
  444: Add => Subtract
  517: <dim>3</dim><dim>2</dim> => <dim>2</dim>
  561: <dim>2</dim> => <dim>3</dim><dim>2</dim>
  1046: 0 => 1
  1108: 1 => 0
swap 0 Add
  517: <dim>3</dim><dim>2</dim> => <dim>2</dim>
  561: <dim>2</dim> => <dim>3</dim><dim>2</dim>
  1046: 0 => 1
  1108: 1 => 0
swap 1 ReLU
  ! layer 3 (r): it has 1 inputs; two inputs can be exchanged
set 0 auto_broadcast none
  ! layer 2 (s): after this change, broadcast of a (3, 2) with b (2,) under none: a has rank 2 and b has rank 1; the shapes must be identical
set 0 new 1
  494:  =>  new="1"
set 0 new a&b
  494:  =>  new="a&amp;b"
set 0 new <">
  494:  =>  new="&lt;&quot;&gt;"
set 1 new [1,2]
  740:  => |<data new="1, 2" />
set 1 new 0.5
  740:  => |<data new="0.5" />
remove 0 auto_broadcast
  471:  auto_broadcast="numpy" =>
remove 1 new
opset 11
  ! an IR has no version for all its operators; each layer names its opset
replace 0 ReLU Subtract
  414: |<layer id="2" name="s" type="Add" version="opset1"><data auto_broadcast="numpy"/>|<input><port id="0"><dim\
    >3</dim><dim>2</dim></port><port id="1"><dim>2</dim></port></input>|<output><port id="2" precision="FP32" names=\
    "s,t"><dim>3</dim><dim>2</dim></port></output></layer> =>
  1009:  => |<layer id="5" name="s/relu" type="ReLU" version="opset1">|\09<input>|\09\09<port id="0" precision="FP\
    32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="1" precis\
    ion="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>|<layer id="2" name="\
    s" type="Subtract" version="opset1">|\09<data auto_broadcast="numpy" />|\09<input>|\09\09<port id="0" precision=\
    "FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09\09<port id="1" precision="FP32">|\09\09\09\
    <dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" precision="FP32" nam\
    es="s,t">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>
  1027: |<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>|<edge from-layer="1" from-port="0" to-layer\
    ="2" to-port="1"/> =>
  1275:  => |<edge from-layer="0" from-port="0" to-layer="5" to-port="0" />|<edge from-layer="0" from-port="0" to-\
    layer="2" to-port="0" />|<edge from-layer="5" from-port="1" to-layer="2" to-port="1" />
replace 1 Sigmoid Add
  687: |<layer id="3" name="r" type="ReLU" version="opset1">|<input><port id="0"><dim>3</dim><dim>2</dim></port></\
    input>|<output><port id="1" precision="FP32"><dim>3</dim><dim>2</dim></port></output></layer> =>
  1009:  => |<layer id="5" name="r/sigmoid" type="Sigmoid" version="opset1">|\09<input>|\09\09<port id="0" precisi\
    on="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="1" \
    precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>|<layer id="3" \
    name="r" type="Add" version="opset1">|\09<data auto_broadcast="numpy" />|\09<input>|\09\09<port id="0" precision\
    ="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09\09<port id="1" precision="FP32">|\09\09\0\
    9<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" precision="FP32">|\\
    09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>
  1151: |<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/> =>
  1246: 1 => 2
  1275:  => |<edge from-layer="2" from-port="2" to-layer="5" to-port="0" />|<edge from-layer="2" from-port="2" to-\
    layer="3" to-port="0" />|<edge from-layer="5" from-port="1" to-layer="3" to-port="1" />
result 0 -1
  435: s => s/data
  626:  names="s,t" =>
  761: <dim>3</dim><dim>2</dim> => <dim>6</dim>
  839: <dim>3</dim><dim>2</dim> => <dim>6</dim>
  962: <dim>3</dim><dim>2</dim> => <dim>6</dim>
  1009:  => |<layer id="5" name="s/reshaped/shape" type="Const" version="opset1">|\09<data element_type="i64" shap\
    e="1" offset="16" size="8" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>1</dim>|\09\09</port\
    >|\09</output>|</layer>|<layer id="6" name="s" type="Reshape" version="opset1">|\09<data special_zero="true" />|\
    \09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09\09\
    <port id="1" precision="I64">|\09\09\09<dim>1</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" pre\
    cision="FP32" names="s,t">|\09\09\09<dim>6</dim>|\09\09</port>|\09</output>|</layer>
  [r reads a new s]
  bin + ffffffffffffffff
result 0 2,3
  435: s => s/data
  626:  names="s,t" =>
  761: <dim>3</dim><dim>2</dim> => <dim>2</dim><dim>3</dim>
  839: <dim>3</dim><dim>2</dim> => <dim>2</dim><dim>3</dim>
  962: <dim>3</dim><dim>2</dim> => <dim>2</dim><dim>3</dim>
  1009:  => |<layer id="5" name="s/reshaped/shape" type="Const" version="opset1">|\09<data element_type="i64" shap\
    e="2" offset="16" size="16" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>2</dim>|\09\09</por\
    t>|\09</output>|</layer>|<layer id="6" name="s" type="Reshape" version="opset1">|\09<data special_zero="true" />\
    |\09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09\0\
    9<port id="1" precision="I64">|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" pr\
    ecision="FP32" names="s,t">|\09\09\09<dim>2</dim>|\09\09\09<dim>3</dim>|\09\09</port>|\09</output>|</layer>
  [r reads a new s]
  bin + 02000000000000000300000000000000
result 1 0,-1
  708: r => r/data
  1009:  => |<layer id="5" name="r/reshaped/shape" type="Const" version="opset1">|\09<data element_type="i64" shap\
    e="2" offset="16" size="16" />|\09<output>|\09\09<port id="0" precision="I64">|\09\09\09<dim>2</dim>|\09\09</por\
    t>|\09</output>|</layer>|<layer id="6" name="r" type="Reshape" version="opset1">|\09<data special_zero="true" />\
    |\09<input>|\09\09<port id="0" precision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09\0\
    9<port id="1" precision="I64">|\09\09\09<dim>2</dim>|\09\09</port>|\09</input>|\09<output>|\09\09<port id="2" pr\
    ecision="FP32">|\09\09\09<dim>3</dim>|\09\09\09<dim>2</dim>|\09\09</port>|\09</output>|</layer>
  1232: 3 => 6
  1246: 1 => 2
  1275:  => |<edge from-layer="3" from-port="1" to-layer="6" to-port="0" />|<edge from-layer="5" from-port="0" to-\
    layer="6" to-port="1" />
  bin + 0000000000000000ffffffffffffffff
swap 0 Subtract; unsqueeze 0.1 0
  444: Add => Subtract
  517: <dim>3</dim><dim>2</dim> => <dim>1</dim><dim>2</dim>
  561: <dim>2</dim> => <dim>3</dim><dim>2</dim>
  [new layers unsqueeze c]
  1046: 0 => 6
  1060: 0 => 2
  1108: 1 => 0
  1275:  => |<edge from-layer="1" from-port="0" to-layer="6" to-port="0" />|<edge from-layer="5" from-port="0" to-\
    layer="6" to-port="1" />
  bin + 0000000000000000
set 1 a 1; set 0 b 2
  494:  =>  b="2"
  740:  => |<data a="1" />
"#;

const IR_CUTS: &[&str] = &[
    "the XML is broken: invalid name token at #:",
    "the XML is broken: the document does not have a root node",
    "the XML is broken: the root node was opened but never closed",
    "the XML is broken: unexpected end of stream",
    "the XML is broken: unknown token at #:",
];

const SMALL: &str = r#"<net name="n" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="3,2" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>3</dim><dim>2</dim></port></output></layer>
<layer id="1" name="c" type="Const" version="opset1"><data element_type="f32" shape="2" offset="0" size="8"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="s" type="Add" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>3</dim><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32" names="s,t"><dim>3</dim><dim>2</dim></port></output></layer>
<layer id="3" name="r" type="ReLU" version="opset1">
<input><port id="0"><dim>3</dim><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>3</dim><dim>2</dim></port></output></layer>
<layer id="4" name="y" type="Result" version="opset1"><input><port id="0"><dim>3</dim><dim>2</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
<edge from-layer="3" from-port="1" to-layer="4" to-port="0"/>
</edges>
</net>
"#;

#[test]
fn edits() {
    let model = (OPENVINO.read)(&source(SMALL)).unwrap();
    compare_edits(&model, IR_EDITS, text);
}

/// A text is whole with the bracket that closes its outermost element.
#[test]
fn texts_that_are_cut() {
    let (good, errors) = cut(SMALL.as_bytes(), |bytes| (OPENVINO.read)(&source(&String::from_utf8(bytes).unwrap())));
    assert_eq!(good, [SMALL.len() - 1, SMALL.len()]);
    assert_eq!(errors, IR_CUTS, "{errors:#?}");
}
