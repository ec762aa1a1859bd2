"""Questions, and the kinds of answers that are no array."""

import json
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Question:
    """One operator with its operands, in one engine's words.

    `kind` is "shape" where the operands carry codes that reveal which element went where; then the whole question is one case.
    It is "value" where every element is a case of its own.
    """

    kind: str
    rule: str
    operator: str
    dtype: str
    operands: tuple[np.ndarray, ...]
    attributes: dict = field(default_factory=dict)
    mayhem: bool = False
    """Whether an engine is known to die of it, so that it is asked last and alone."""

    def framed(self):
        """Return the question as bytes."""
        said = {name: getattr(self, name) for name in ("kind", "rule", "operator", "dtype", "attributes", "mayhem")}
        return framed(said, self.operands)

    @classmethod
    def read(cls, stream):
        """Return the question that a stream has next; None at its end."""
        found = unframed(stream)
        if found is None:
            return None
        said, operands = found
        given = {key: tuple(value) if isinstance(value, list) else value for key, value in said.pop("attributes").items()}
        return cls(**said, operands=tuple(operands), attributes=given)

    @property
    def shapes(self):
        return tuple(operand.shape for operand in self.operands)

    @property
    def title(self):
        """The operator with what distinguishes its variants, as the page names it."""
        shown = {key: value for key, value in self.attributes.items() if key in VARIANTS}
        return self.operator + "".join(f" {key}={value}" for key, value in sorted(shown.items()))

    @property
    def cases(self):
        """How many cases it is."""
        return 1 if self.kind == "shape" else max(operand.size for operand in self.operands)

    def __str__(self):
        told = {**self.attributes, **{f"x{k + 1}": operand.shape for k, operand in enumerate(self.operands)}}
        return f"{self.operator}[{self.dtype}]({', '.join(f'{key}={value}' for key, value in told.items())}) under {self.rule}"


# Attributes that make another operator of it; others are only settings of a rule.
VARIANTS = ("fmod", "direction", "op_type", "m_pythondiv", "approximate", "approximation_mode", "mode", "detect_negative", "fast_gelu")


@dataclass
class Refused:
    """The engine said no."""

    why: str


@dataclass
class Lacking:
    """The engine has no kernel for this operator and dtype: no answer, and no disagreement."""

    why: str


@dataclass
class Died:
    """The engine ended its process, or did not answer in time."""

    why: str


DTYPES = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip
NAMES = {name: short for short, name in DTYPES.items()} | {"bfloat16": "bf16"}
SIGNED, UNSIGNED = ("i8", "i16", "i32", "i64"), ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("f16", "bf16", "f32", "f64")
NUMBERS = INTEGERS + FLOATS
ALL = ("bool", *NUMBERS)


def framed(said, arrays=()):
    """Return a line of JSON, and the bytes of arrays behind it, as the drivers of engines frame what they say."""
    tensors = [{"dtype": NAMES[array.dtype.name], "shape": array.shape, "bytes": array.nbytes} for array in arrays]
    return b"".join([json.dumps(said | {"tensors": tensors}, default=np.generic.item).encode(), b"\n", *(array.tobytes() for array in arrays)])


def unframed(stream):
    """Return a line that `framed` wrote, and its arrays; None at the end."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    said, arrays = json.loads(line), []
    for tensor in said.pop("tensors"):
        data = stream.read(tensor["bytes"])
        if len(data) < tensor["bytes"]:
            return None
        arrays.append(np.frombuffer(data, numpy_dtype(tensor["dtype"])).reshape(tensor["shape"]).copy())
    return said, arrays


def numpy_dtype(short):
    """Return the NumPy dtype of a short name; that of ml_dtypes for bf16."""
    if short == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(DTYPES[short])
