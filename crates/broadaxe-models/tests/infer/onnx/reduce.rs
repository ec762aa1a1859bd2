//! Reductions and choices.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_REDUCE: &str = "\
ReduceSum | [n=2,4,6] {1} |  | [2,1,6] | [n,1,6]
ReduceSum | [n=2,4,6] {1} | keepdims=0 | [2,6] | [n,6]
ReduceSum | [2,n=4,6] {-1,0} | keepdims=0 | [4] | [n]
ReduceSum | [n=2,4,6] |  | [1,1,1]
ReduceSum | [n=2,4,6] | keepdims=0 | []
ReduceSum | [n=2,4,6] {} |  | [1,1,1]
ReduceSum | [n=2,4,6] {} | noop_with_empty_axes=1 | [2,4,6] | [n,4,6]
ReduceSum | [n=2,4,6] | noop_with_empty_axes=1 keepdims=0 | [2,4,6] | [n,4,6]
ReduceSum | [2,4,6] i64[1]=1 |  | [2,1,6] | [?,?,?]
ReduceSum | [2,4,6] i64[1]=1 | keepdims=0 | [2,6] | [?,?]
ReduceSum | [2,4,6] i64[2]=0,2 | keepdims=0 | [4] | [?]
ReduceSum | [2,4,6] i64[?=1]=1 | keepdims=0 | [2,6] | unknown: ReduceSum: its axes are not known
ReduceSum | [] |  | []
ReduceSum | [] | keepdims=0 | []
ReduceSum | [0,4] {0} |  | [1,4]
ReduceSum | [0,4] {1} | keepdims=0 | [0]
ReduceSum | [2,4,6] {3} |  | refused | unknown: ReduceSum: axis 3 is out of range for rank 3
ReduceSum | [2,4,6] {-4} |  | refused | unknown: ReduceSum: axis -4 is out of range for rank 3
ReduceSum | [*2,4,6] {1} |  | [2,1,6] | unknown: the file does not say the shape of the input i0
ReduceSum | i32[2,4,6] {1} |  | i32[2,1,6]
ReduceSum@11 | [n=2,4,6] | axes=[1] keepdims=0 | [2,6] | [n,6]
ReduceSum@1 | [2,4,6] | axes=[0,2] | [1,4,1]
ReduceMean@17 | [n=2,4,6] | axes=[-1] keepdims=0 | [2,4] | [n,4]
ReduceMean@17 | [n=2,4,6] | axes=[1,2] | [2,1,1] | [n,1,1]
ReduceMean@18 | [n=2,4,6] {-2} | keepdims=0 | [2,6] | [n,6]
ReduceMean@18 | [2,4,6] {0,1,2} | keepdims=0 | []
ReduceMean@17 | [2,4,6] | axes=[3] | refused | unknown: ReduceMean: axis 3 is out of range for rank 3
ReduceMean | f16[2,4] {0} |  | f16[1,4]
ReduceMax@17 | [n=2,4,6] | axes=[0] | [1,4,6]
ReduceMax | [n=2,4,6] {0} | keepdims=0 | [4,6]
ReduceMax | u8[2,4] {-1} |  | u8[2,1]
ReduceMax@13 | i64[2,4] |  | i64[1,1]
ReduceMax | [0,4] {1} |  | [0,1]
ReduceMin@17 | [n=2,4,6] | axes=[2] keepdims=0 | [2,4] | [n,4]
ReduceMin | [2,4,6] {-1} |  | [2,4,1]
ReduceMin | i8[2,4] {1} | keepdims=0 | i8[2]
ReduceMin | [2,4] {2} |  | refused | unknown: ReduceMin: axis 2 is out of range for rank 2
ReduceProd@17 | [n=2,4,6] | axes=[1] keepdims=0 | [2,6] | [n,6]
ReduceProd | [2,n=4,6] {1} |  | [2,1,6]
ReduceProd | i64[4] | keepdims=0 | i64[]
ReduceProd | [2,4] {-3} |  | refused | unknown: ReduceProd: axis -3 is out of range for rank 2
ReduceL1@17 | [n=2,4,6] | axes=[1] | [2,1,6] | [n,1,6]
ReduceL1 | [n=2,4,6] {0,2} | keepdims=0 | [4]
ReduceL1 | [2,4] |  | [1,1]
ReduceL1 | [] | keepdims=0 | []
ReduceL2@17 | [n=2,4,6] | axes=[-3] keepdims=0 | [4,6]
ReduceL2 | [2,4,6] {1} | keepdims=0 | [2,6]
ReduceL2 | [2,4,6] {} |  | [1,1,1]
ReduceL2 | f64[2,4] {1} |  | f64[2,1]
ReduceLogSum@17 | [n=2,4,6] | axes=[2] | [2,4,1] | [n,4,1]
ReduceLogSum | [2,4,6] {0} | keepdims=0 | [4,6]
ReduceLogSum | [2,4,6] | keepdims=0 | []
ReduceLogSum | [2,4] {5} |  | refused | unknown: ReduceLogSum: axis 5 is out of range for rank 2
ReduceLogSumExp@17 | [n=2,4,6] | axes=[1,2] keepdims=0 | [2] | [n]
ReduceLogSumExp | [2,n=4,6] {-1} |  | [2,4,1] | [2,n,1]
ReduceLogSumExp | [2,4,6] {} | noop_with_empty_axes=1 | [2,4,6]
ReduceLogSumExp | f64[2,4] {0} |  | f64[1,4]
ReduceSumSquare@17 | [n=2,4,6] | axes=[0,1,2] | [1,1,1]
ReduceSumSquare | [n=2,4,6] {2} | keepdims=0 | [2,4] | [n,4]
ReduceSumSquare | i32[2,4] | keepdims=0 | i32[]
ReduceSumSquare | [2,4,6] i64[1]=0 |  | [1,4,6] | [?,?,?]
ArgMax | [n=2,4,6] |  | i64[1,4,6]
ArgMax | [n=2,4,6] | axis=-1 keepdims=0 | i64[2,4] | i64[n,4]
ArgMax | [2,4,6] | axis=1 select_last_index=1 | i64[2,1,6]
ArgMax | [4] | keepdims=0 | i64[]
ArgMax | [2,0] | axis=0 | i64[1,0]
ArgMax | [2,4] | axis=2 | refused | unknown: ArgMax: axis 2 is out of range for rank 2
ArgMax | [2,4] | axis=-3 | refused | unknown: ArgMax: axis -3 is out of range for rank 2
ArgMax | [] |  | refused | unknown: ArgMax: input 0 has rank 0, but needs 1 or more
ArgMin | [n=2,4,6] | axis=2 | i64[2,4,1] | i64[n,4,1]
ArgMin | [n=2,4,6] | keepdims=0 | i64[4,6]
ArgMin | i32[2,4] | axis=-2 | i64[1,4]
ArgMin | [2,4] | axis=4 | refused | unknown: ArgMin: axis 4 is out of range for rank 2
TopK:2 | [n=2,4,6] {3} |  | [2,4,3]; i64[2,4,3] | [n,4,3]; i64[n,4,3]
TopK:2 | [2,n=4,6] {2} | axis=0 | [2,4,6]; i64[2,4,6] | [2,n,6]; i64[2,n,6]
TopK:2 | [2,4,6] i64[1]=3 | axis=1 | [2,3,6]; i64[2,3,6] | [2,?,6]; i64[2,?,6]
TopK:2 | [2,4,6] {0} |  | [2,4,0]; i64[2,4,0]
TopK:2 | i32[2,4] {4} | axis=-1 largest=0 sorted=0 | i32[2,4]; i64[2,4]
TopK:2 | [2,4] {2} | axis=2 | refused | unknown: TopK: axis 2 is out of range for rank 2
TopK:2 | [2,4] {7} |  | refused | [2,7]; i64[2,7]
TopK:2 | [2,4] {-1} |  | refused | [2,?]; i64[2,?]
TopK:2 | [] {1} |  | refused | unknown: TopK: input 0 has rank 0, but needs 1 or more
TopK@1:2 | [2,4] | k=3 | [2,3]; i64[2,3]
TopK@10:2 | [2,n=4] {1} | axis=0 | [1,4]; i64[1,4] | [1,n]; i64[1,n]
";
