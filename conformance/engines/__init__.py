"""The engines, one file each: what they have, and how they are asked.

An engine has a `name`; the `system` under whose names Broadaxe answers, None for its own; the `opset` it is asked at; whether it
`streams` answers one by one; whether only the full run asks it. `questions(full)` lists what it is asked, without loading the engine.
`start` loads it, `version` says which it is, and `answers` yields the place of a question and the answer to it.
"""

from .ncnn import Ncnn
from .numpy import NumPy
from .onnx_reference import OnnxReference
from .onnxruntime import OnnxRuntime
from .openvino import OpenVino
from .paddle import Paddle
from .torch import Torch

ENGINES = {engine.name: engine for engine in (NumPy, OnnxReference, OnnxRuntime, OpenVino, Ncnn, Paddle, Torch)}
