//! Recurrent layers.
//!
//! Results are those of ONNX Runtime 1.31.1, or of onnx 1.23.2 where it does not implement the operator.

pub(crate) const ONNX_RNN: &str = "\
RNN:2 | [t=4,n=2,3] [1,5,3] [1,5,5] | hidden_size=5 | [4,1,2,5]; [1,2,5] | [t,1,n,5]; [1,n,5]
RNN:2 | [4,2,3] [2,5,3] [2,5,5] | hidden_size=5 direction=bidirectional | [4,2,2,5]; [2,2,5]
RNN:2 | [4,2,3] [1,5,3] [1,5,5] | hidden_size=5 direction=reverse | [4,1,2,5]; [1,2,5]
RNN:2 | [n=2,t=4,3] [1,5,3] [1,5,5] | hidden_size=5 layout=1 | [2,4,1,5]; [2,1,5] | [n,t,1,5]; [n,1,5]
RNN:2 | [4,2,3] [1,5,3] [1,5,5] |  | refused | [4,1,2,5]; [1,2,5]
RNN:1 | [4,2,3] [1,5,3] [1,5,5] [1,10] | hidden_size=5 | [4,1,2,5]
RNN:2 | [4,2] [1,5,3] [1,5,5] | hidden_size=5 | refused | unknown: RNN: input 0 has rank 2, but needs 3
GRU:2 | [t=4,n=2,3] [1,15,3] [1,15,5] | hidden_size=5 | [4,1,2,5]; [1,2,5] | [t,1,n,5]; [1,n,5]
GRU:2 | [4,2,3] [2,15,3] [2,5,5] | hidden_size=5 direction=bidirectional | refused | [4,2,2,5]; [2,2,5]
GRU:2 | [4,2,3] [1,15,3] [1,15,5] | hidden_size=5 | [4,1,2,5]; [1,2,5]
GRU:2 | [4,2,3] [2,15,3] [2,15,5] | hidden_size=5 direction=bidirectional linear_before_reset=1 | [4,2,2,5]; [2,2,5]
GRU:2 | [n=2,4,3] [1,15,3] [1,15,5] | hidden_size=5 layout=1 | [2,4,1,5]; [2,1,5] | [n,4,1,5]; [n,1,5]
GRU:2 | [4,2,3] [1,15,3] [1,15,5] [1,30] _ [1,2,5] | hidden_size=5 | [4,1,2,5]; [1,2,5]
GRU:2 | [3] [1,15,3] [1,15,5] | hidden_size=5 | refused | unknown: GRU: input 0 has rank 1, but needs 3
LSTM:3 | [t=4,n=2,3] [1,20,3] [1,20,5] | hidden_size=5 | [4,1,2,5]; [1,2,5]; [1,2,5] | [t,1,n,5]; [1,n,5]; [1,n,5]
LSTM:3 | [4,2,3] [2,20,3] [2,20,5] | hidden_size=5 direction=bidirectional | [4,2,2,5]; [2,2,5]; [2,2,5]
LSTM:3 | [n=2,t=4,3] [1,20,3] [1,20,5] | hidden_size=5 layout=1 | [2,4,1,5]; [2,1,5]; [2,1,5] \
    | [n,t,1,5]; [n,1,5]; [n,1,5]
LSTM:3 | [4,2,3] [1,20,3] [1,20,5] [1,40] i32[2]=4,3 | hidden_size=5 | [4,1,2,5]; [1,2,5]; [1,2,5]
LSTM:3 | [4,2,3] [1,20,3] [1,20,5] |  | refused | [4,1,2,5]; [1,2,5]; [1,2,5]
LSTM:3 | [0,2,3] [1,20,3] [1,20,5] | hidden_size=5 | [0,1,2,5]; [1,2,5]; [1,2,5]
LSTM:3 | [4,2,3,1] [1,20,3] [1,20,5] | hidden_size=5 | refused | unknown: LSTM: input 0 has rank 4, but needs 3
";
