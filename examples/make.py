#!/usr/bin/env python3
"""Makes the arrays of this folder: python3 examples/make.py

Needs nothing but Python, and holds no chance: the arrays are the same on every run.
"""

import io
import json
import math
import struct
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CODES = {"|u1": "B", "<f4": "f", "<i4": "i"}


def npy(descr, shape, values):
    """Returns the bytes of a .npy file of version 1.0."""
    sizes = "".join(f"{dim}, " for dim in shape) if len(shape) == 1 else ", ".join(map(str, shape))
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes.strip()}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    assert len(values) == math.prod(shape)
    data = struct.pack(f"<{len(values)}{CODES[descr]}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz(members):
    """Returns the bytes of a .npz file with packed members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def safetensors(tensors):
    """Returns the bytes of a .safetensors file of f32 tensors."""
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def photo(height, width):
    """Returns a picture of a sun over the sea, as height x width x 3 values of 0 to 255."""
    values = []
    for y in range(height):
        for x in range(width):
            sun = math.hypot(x - width * 0.7, y - height * 0.35) < height * 0.15
            wave = int(12 * math.sin(x * 0.5 + y * 1.3))
            sea = y > height * 0.6
            values += [250, 220, 90] if sun else [20 + wave, 80 + wave, 140 + wave] if sea else [120, 170 + y, 235]
    return [min(max(value, 0), 255) for value in values]


def main():
    # A picture, channels last, and what the three channels of a common data set of photos have on average.
    (HERE / "photo.npy").write_bytes(npy("|u1", (48, 64, 3), photo(48, 64)))
    (HERE / "mean.npy").write_bytes(npy("<f4", (3,), [123.675, 116.28, 103.53]))
    (HERE / "std.npy").write_bytes(npy("<f4", (3,), [58.395, 57.12, 57.375]))
    # Activations of a layer (batch, channel, height, width), and a bias per channel and row.
    count = 2 * 3 * 4 * 5
    (HERE / "layer.npz").write_bytes(
        npz(
            {
                "activations": npy("<f4", (2, 3, 4, 5), [(i % 17 - 8) / 4 for i in range(count)]),
                "bias": npy("<f4", (3, 4), [10.0 * i for i in range(12)]),
            }
        )
    )
    # A blob that ncnn writes [2, 3, 4], and what is taken from each of its 4 channels.
    (HERE / "blob.npz").write_bytes(
        npz(
            {
                "blob": npy("<f4", (4, 3, 2), [float(i) for i in range(24)]),
                "offset": npy("<f4", (4,), [100.0, 200.0, 300.0, 400.0]),
            }
        )
    )
    # A row and a slope of too many rows: not a PRelu of ONNX, though a runtime may let it pass.
    (HERE / "prelu.npz").write_bytes(
        npz({"x": npy("<f4", (3,), [1.0, -2.0, 3.0]), "slope": npy("<f4", (2, 3), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])})
    )
    # A square blob and a scale for it, which NumPy and ncnn apply to different axes.
    (HERE / "scale.safetensors").write_bytes(
        safetensors({"blob": ([2, 2], [1.0, 2.0, 3.0, 4.0]), "scale": ([2], [10.0, 100.0])})
    )


if __name__ == "__main__":
    main()
