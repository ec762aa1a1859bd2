"""What `Attention` of ONNX means, in NumPy: the reference of onnx pads a mask of one column in opset 23 too, which stretches there."""

import numpy as np

from ..verdicts import spec as specs

# From this opset on a mask may have fewer columns than there are keys; no query sees those behind.
SHORTER_MASK = 24


def meaning(spec, turn):
    """Return the result of a model of one Attention with a mask; nothing where the mask does not stretch to the scores."""
    ((_, inputs, _, given),) = spec["nodes"]
    arrays = specs.feeds(spec, turn) | {name: specs.constant(spec, name) for name in spec["constants"]}
    *tensors, mask = (arrays[name] for name in inputs)
    packed = tensors[0].ndim == 3
    if packed:
        heads = (given["q_num_heads"], given["kv_num_heads"], given["kv_num_heads"])
        tensors = [x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3) for x, count in zip(tensors, heads)]
    queries, keys, values = (x.astype(np.float64) for x in tensors)
    keys, values = (np.repeat(x, queries.shape[1] // keys.shape[1], 1) for x in (keys, values))
    scores = queries @ keys.swapaxes(2, 3) / np.sqrt(queries.shape[-1])
    bias = np.where(mask, 0, -np.inf) if mask.dtype == bool else mask.astype(np.float64)
    if spec["opset"] >= SHORTER_MASK and bias.ndim and bias.shape[-1] < scores.shape[-1]:
        behind = scores.shape[-1] - bias.shape[-1]
        bias = np.pad(bias, [(0, 0)] * (bias.ndim - 1) + [(0, behind)], constant_values=-np.inf)
    try:
        if np.broadcast_shapes(bias.shape, scores.shape) != scores.shape:
            return None
    except ValueError:
        return None
    scores = scores + bias
    if given.get("is_causal"):
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        result = weights / weights.sum(-1, keepdims=True) @ values
    if np.isnan(result).any():
        return None
    return result.transpose(0, 2, 1, 3).reshape(*tensors[0].transpose(0, 2, 1, 3).shape[:2], -1) if packed else result
