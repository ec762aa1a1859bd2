//! Sequences and optional values.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_SEQUENCE: &str = "\
SequenceConstruct | [2,3] [2,3] |  | seq \
    | unknown: SequenceConstruct is about a sequence, whose tensors have no common shape
SequenceConstruct | [n=2,3] |  | seq \
    | unknown: SequenceConstruct is about a sequence, whose tensors have no common shape
SequenceConstruct | i64[2] i64[3] |  | seq \
    | unknown: SequenceConstruct is about a sequence, whose tensors have no common shape
SequenceConstruct | [] |  | seq | unknown: SequenceConstruct is about a sequence, whose tensors have no common shape
SequenceEmpty |  |  | seq | unknown: SequenceEmpty is about a sequence, whose tensors have no common shape
SequenceEmpty |  | dtype=7 | seq | unknown: SequenceEmpty is about a sequence, whose tensors have no common shape
SequenceEmpty |  | dtype=1 | seq | unknown: SequenceEmpty is about a sequence, whose tensors have no common shape
SequenceEmpty |  | dtype=9 | seq | unknown: SequenceEmpty is about a sequence, whose tensors have no common shape
SequenceAt | seq[2,3] (0) |  | [2,3] | unknown: SequenceAt is about a sequence, whose tensors have no common shape
SequenceAt | seq[n=2,3] (1) |  | [2,3] | unknown: SequenceAt is about a sequence, whose tensors have no common shape
SequenceAt | seq[2,3] (-1) |  | [2,3] | unknown: SequenceAt is about a sequence, whose tensors have no common shape
SequenceAt | seq[2,3] (5) |  | refused | unknown: SequenceAt is about a sequence, whose tensors have no common shape
SequenceErase | seq[2,3] (0) |  | seq \
    | unknown: SequenceErase is about a sequence, whose tensors have no common shape
SequenceErase | seq[2,3] |  | seq | unknown: SequenceErase is about a sequence, whose tensors have no common shape
SequenceErase | seq[2] (-1) |  | seq \
    | unknown: SequenceErase is about a sequence, whose tensors have no common shape
SequenceErase | seq[2] i32(1) |  | seq \
    | unknown: SequenceErase is about a sequence, whose tensors have no common shape
SequenceInsert | seq[2,3] [4] |  | seq \
    | unknown: SequenceInsert is about a sequence, whose tensors have no common shape
SequenceInsert | seq[2,3] [2,3] (0) |  | seq \
    | unknown: SequenceInsert is about a sequence, whose tensors have no common shape
SequenceInsert | seq[2,3] [n=2,3] |  | seq \
    | unknown: SequenceInsert is about a sequence, whose tensors have no common shape
SequenceInsert | seq[2,3] [] (1) |  | seq \
    | unknown: SequenceInsert is about a sequence, whose tensors have no common shape
SequenceLength | seq[2,3] |  | i64[]
SequenceLength | seq[] |  | i64[]
SequenceLength | seq[0] |  | i64[]
SequenceLength | seq[n=2,?=3] |  | i64[]
SplitToSequence | [n=4,6] |  | seq \
    | unknown: SplitToSequence is about a sequence, whose tensors have no common shape
SplitToSequence | [4,6] (2) | axis=1 | seq \
    | unknown: SplitToSequence is about a sequence, whose tensors have no common shape
SplitToSequence | [4,6] {2,4} | axis=1 | seq \
    | unknown: SplitToSequence is about a sequence, whose tensors have no common shape
SplitToSequence | [4,6] | keepdims=0 | seq \
    | unknown: SplitToSequence is about a sequence, whose tensors have no common shape
ConcatFromSequence | seq[2,3] | axis=0 | [4,3] \
    | unknown: ConcatFromSequence is about a sequence, whose tensors have no common shape
ConcatFromSequence | seq[2,3] | axis=1 | [2,6] \
    | unknown: ConcatFromSequence is about a sequence, whose tensors have no common shape
ConcatFromSequence | seq[2,3] | axis=0 new_axis=1 | [2,2,3] \
    | unknown: ConcatFromSequence is about a sequence, whose tensors have no common shape
ConcatFromSequence | seq[2,3] | axis=2 | refused \
    | unknown: ConcatFromSequence is about a sequence, whose tensors have no common shape
OptionalHasElement | opt[2,3] |  | bool[]
OptionalHasElement | [2,3] |  | bool[]
OptionalHasElement | [n=2] |  | bool[]
OptionalHasElement | seq[2] |  | bool[]
OptionalGetElement | [n=2,3] |  | [2,3] | ?[n,3]
OptionalGetElement | [] |  | [] | ?[]
OptionalGetElement | i64[0] |  | i64[0] | ?[0]
OptionalGetElement | opt[2,3] |  | [2,3] | unknown: the file does not say the shape of the input i0
Optional | [n=2,3] |  | [2,3] | ?[n,3]
Optional | [] |  | [] | ?[]
Optional | i64[0] |  | i64[0] | ?[0]
Optional | seq[2,3] |  | seq | unknown: the shape of output 0 of Optional is not inferred
";
