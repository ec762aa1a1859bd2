"""Writes small graphs as transformers have them, with TensorFlow's converter: attention without a batch, biases for each head, batches above 1.

    python -m conformance.litert.graphs DIR

For each graph it writes `NAME.tflite`, and `NAME.npz` with the input `x` and TensorFlow's own result `y`. `python -m conformance.litert --graphs DIR`
then asks LiteRT about them. Weights are drawn.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

RNG = np.random.default_rng(1)
TOKENS, WIDTH, HEADS = 12, 32, 4


def weights(*shape):
    """Return a constant of drawn numbers."""
    return tf.constant(RNG.standard_normal(shape).astype(np.float32) * 0.1)


def dense(x, width):
    """Return a layer's result."""
    return tf.matmul(x, weights(x.shape[-1], width)) + weights(width)


def norm(x):
    """Return a layer normalisation, as converters write it out."""
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * weights(x.shape[-1]) + weights(x.shape[-1])


def heads(x):
    """Split the last axis into heads, and put them in front of the tokens."""
    *lead, tokens, width = x.shape
    split = tf.reshape(x, [*lead, tokens, HEADS, width // HEADS])
    return tf.transpose(split, [0, 2, 1, 3] if lead else [1, 0, 2])


def attention(x, *added):
    """Return an attention of tokens to each other; `added` are biases and masks of its scores."""
    q, k, v = (heads(dense(x, x.shape[-1])) for _ in range(3))
    scores = tf.matmul(q, k, transpose_b=True) / np.sqrt(q.shape[-1])
    for bias in added:
        scores = scores + bias
    mixed = tf.matmul(tf.nn.softmax(scores), v)
    mixed = tf.transpose(mixed, [0, 2, 1, 3] if len(mixed.shape) == 4 else [1, 0, 2])
    return dense(tf.reshape(mixed, x.shape), x.shape[-1])


def block(x, *added):
    """Return a block of a transformer."""
    x = x + attention(norm(x), *added)
    return x + dense(tf.nn.gelu(dense(norm(x), 4 * WIDTH), approximate=True), WIDTH)


def causal():
    """Return a mask of (n, n)."""
    return tf.constant(np.triu(np.full((TOKENS, TOKENS), -1e4, np.float32), 1))


def alibi():
    """Return a bias of (heads, n, n) that grows with the distance of two tokens."""
    at = np.arange(TOKENS, dtype=np.float32)
    slopes = 2.0 ** -(1 + np.arange(HEADS, dtype=np.float32))
    return tf.constant(slopes[:, None, None] * -np.abs(at[:, None] - at))


# Each graph and the shape of its input. Constants are made once, outside the function that is traced.
GRAPHS = {
    "position": (lambda x: block(x + weights(TOKENS, WIDTH)), (TOKENS, WIDTH)),
    "head_bias": (lambda x: block(x, weights(HEADS, TOKENS, TOKENS)), (TOKENS, WIDTH)),
    "alibi": (lambda x: block(x, alibi()), (TOKENS, WIDTH)),
    "causal": (lambda x: block(x, causal()), (TOKENS, WIDTH)),
    "queries": (lambda x: block(weights(6, WIDTH) + x), (1, WIDTH)),
    "layer_scale": (lambda x: x + weights(1, WIDTH) * dense(norm(x), WIDTH), (TOKENS, WIDTH)),
    "two_heads_biases": (lambda x: block(block(x, weights(HEADS, TOKENS, TOKENS)), causal()), (TOKENS, WIDTH)),
    "batch_bias": (lambda x: block(x, weights(HEADS, TOKENS, TOKENS)), (1, TOKENS, WIDTH)),
    "batch_position": (lambda x: block(x + weights(1, TOKENS, WIDTH)), (2, TOKENS, WIDTH)),
    "batches_position": (lambda x: block(x + weights(2, TOKENS, WIDTH)), (2, TOKENS, WIDTH)),
    "windows": (lambda x: block(x, weights(4, 1, TOKENS, TOKENS), weights(HEADS, TOKENS, TOKENS)), (4, TOKENS, WIDTH)),
}


def main(folder):
    """Write all graphs."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (graph, shape) in GRAPHS.items():
        traced = tf.function(graph).get_concrete_function(tf.TensorSpec(shape, tf.float32))
        (folder / f"{name}.tflite").write_bytes(tf.lite.TFLiteConverter.from_concrete_functions([traced]).convert())
        x = RNG.uniform(-1, 1, shape).astype(np.float32)
        np.savez(folder / f"{name}.npz", x=x, y=traced(tf.constant(x)).numpy())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
