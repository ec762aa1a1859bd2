//! Attention and rotary embeddings.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_ATTENTION: &str = "\
Attention@23 | [n=2,3,q=4,8] [n=2,3,k=6,8] [n=2,3,k=6,10] |  | [2,3,4,10] | [n,3,q,10]
Attention@23 | [2,4,24] [2,6,24] [2,6,30] | q_num_heads=3 kv_num_heads=3 | [2,4,30]
Attention@23 | [n=2,q=4,24] [n=2,k=6,24] [n=2,k=6,30] | q_num_heads=3 kv_num_heads=3 | [2,4,30] | [n,q,30]
Attention@23 | [2,9,4,8] [2,3,6,8] [2,3,6,8] |  | [2,9,4,8]
Attention@23 | [2,4,72] [2,6,24] [2,6,30] | q_num_heads=9 kv_num_heads=3 | [2,4,90]
Attention@23:3 | [2,3,4,8] [2,3,6,8] [2,3,6,10] _ [2,3,12,8] [2,3,12,10] |  | [2,3,4,10]; [2,3,18,8]; [2,3,18,10]
Attention@23:3 | [2,3,q=4,8] [2,3,k=6,8] [2,3,k=6,10] _ [2,3,p=12,8] [2,3,p=12,10] |  \
    | [2,3,4,10]; [2,3,18,8]; [2,3,18,10] | [2,3,q,10]; [2,3,k + p,8]; [2,3,k + p,10]
Attention@23:4 | [2,3,4,8] [2,3,6,8] [2,3,6,10] _ [2,3,12,8] [2,3,12,10] |  \
    | [2,3,4,10]; [2,3,18,8]; [2,3,18,10]; [2,3,4,18]
Attention@23:4 | [2,3,4,8] [2,3,6,8] [2,3,6,10] [4,6] | qk_matmul_output_mode=0 \
    | [2,3,4,10]; [2,3,6,8]; [2,3,6,10]; [2,3,4,6]
Attention@23 | [2,3,4,8] [2,3,6,8] [2,3,6,8] bool[4,6] |  | [2,3,4,8]
Attention@23 | [2,3,0,8] [2,3,6,8] [2,3,6,8] |  | refused | [2,3,0,8]
Attention@23 | f16[2,3,4,8] f16[2,3,6,8] f16[2,3,6,8] | is_causal=1 | f16[2,3,4,8]
Attention@23 | [2,4,24] [2,6,24] [2,6,24] |  | refused | unknown: Attention: operands of rank 3 need q_num_heads
Attention@23 | [4,24] [6,24] [6,24] |  | refused | unknown: Attention: operand 0 has rank 2, but needs 3 or 4
RotaryEmbedding@23 | [n=2,3,s=4,8] [n=2,s=4,4] [n=2,s=4,4] |  | [2,3,4,8] | [n,3,s,8]
RotaryEmbedding@23 | [2,4,24] [2,4,4] [2,4,4] | num_heads=3 | [2,4,24]
RotaryEmbedding@23 | [2,3,4,8] [9,4] [9,4] i64[2,4] | interleaved=1 | [2,3,4,8]
RotaryEmbedding@23 | [2,3,4,8] [2,4,2] [2,4,2] | rotary_embedding_dim=4 | [2,3,4,8]
LinearAttention@27:2 | [n=2,t=4,24] [n=2,t=4,24] [n=2,t=4,30] | q_num_heads=3 kv_num_heads=3 update_rule=linear \
    | [2,4,30]; [2,3,8,10] | [n,t,30]; ?[n,3,8,10]
LinearAttention@27:2 | [2,4,48] [2,4,24] [2,4,30] [2,3,8,10] | q_num_heads=6 kv_num_heads=3 update_rule=linear \
    | [2,4,60]; [2,3,8,10]
LinearAttention@27:2 | [2,4,24] [2,4,24] [2,4,30] |  | refused | unknown: LinearAttention has no numbers of heads
LinearAttention@27:2 | [4,24] [4,24] [4,30] | q_num_heads=3 kv_num_heads=3 | refused \
    | unknown: LinearAttention: input 0 has rank 2, but needs 3
";
