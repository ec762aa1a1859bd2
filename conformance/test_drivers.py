"""The drivers of engines: each engine is imported and configured in one file, and what they say is what the protocol says."""

import re
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import engines

ROOT = Path(__file__).resolve().parents[1]
# The modules of each engine, and words of its options.
MODULES = {
    "onnxruntime": ("onnxruntime", "onnxruntime_qnn"), "openvino": ("openvino",), "ncnn": ("ncnn", "pnnx"), "mnn": ("MNN", "_tools"), "tvm": ("tvm",),
    "opencv": ("cv2",), "nncase": ("nncase",), "rknn": ("rknn",), "litert": ("ai_edge_litert", "tflite_micro"), "coreml": ("coremltools",), "paddle": ("paddle",), "torch": ("torch",),
}  # fmt: skip
OPTIONS = {
    "onnxruntime": ("SessionOptions", "graph_optimization_level", "disable_cpu_ep_fallback"), "openvino": ("compile_model", "INFERENCE_NUM_THREADS"),
    "ncnn": ("use_fp16_storage", "opt.num_threads", "fp16=0"), "mnn": ("--keepInputFormat", "load_module_from_file"), "tvm": ("LegalizeOps",),
    "opencv": ("readNetFromONNX", "setPreferableBackend"), "nncase": ("CompileOptions",), "rknn": ("do_quantization",),
    "litert": ("HardwareAccelerator", "Interpreter("), "coreml": ("skip_model_load",), "paddle": ("enable_static", "_legacy_C_ops"),
    "torch": ("set_grad_enabled",),
}  # fmt: skip
# Files that are no part of the tests of engines: the package speaks with PyTorch's tensors, and two programs make models with LiteRT's schema.
OTHERS = {"crates/broadaxe-python/python/broadaxe/_guard.py", "crates/broadaxe-format/tests/make_tflite.py", "examples/make_position.py"}
HERE = Path(__file__).relative_to(ROOT).as_posix()


def _sources():
    """Return the Python files of the repository, by path."""
    words = ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
    return {path: (ROOT / path).read_text() for path in listed if path and (ROOT / path).exists() and path not in {*OTHERS, HERE}}


@pytest.mark.parametrize("name", MODULES)
def test_one_file_imports_and_configures_an_engine(name):
    imports = re.compile(rf"^\s*(?:import|from) (?:{'|'.join(MODULES[name])})\b", re.MULTILINE)
    driver = f"crates/broadaxe-session/engines/{name}.py"
    sources = _sources()
    assert [path for path, text in sources.items() if imports.search(text)] == [driver]
    for word in OPTIONS[name]:
        assert [path for path, text in sources.items() if word in text] == [driver], word


def test_every_driver_is_listed_and_defines_what_the_protocol_calls():
    drivers = {path.stem for path in engines.DRIVERS.glob("*.py")} - {"protocol"}
    assert drivers == {driver for driver, *_ in engines.ENGINES.values()} | {"torch"} == set(MODULES)
    for name in drivers - {"torch"}:
        module = engines.load(name, start=False)
        assert all(callable(getattr(module, part)) for part in ("start", "version", "load")), name


def test_dtypes_have_one_name():
    protocol = engines.PROTOCOL
    for short, long in protocol.DTYPES.items():
        assert protocol.short_dtype(np.dtype(long)) == short
        array = np.arange(3).astype(long)
        said, data = protocol.told(array)
        assert np.array_equal(protocol.array(said, data), array) and said["dtype"] == short


def test_results_are_found_by_name_or_place():
    places = engines.PROTOCOL.places
    assert places([{"a"}, {"b", "c"}], ["c", "a"]) == [1, 0]
    assert places([{"a"}, {"b"}], ["x", "y"]) == [0, 1]
    # Two places of one name: the one in its own place.
    assert places([{"a"}, {"a"}], ["a", "a"]) == [0, 1]
    with pytest.raises(engines.PROTOCOL.Unasked):
        places([{"a"}], ["x", "y"])


def _field(number, data):
    return struct.pack("BB", number << 3 | 2, len(data)) + data if isinstance(data, bytes) else struct.pack("BB", number << 3, data)


def _model(*nodes):
    """Return an ONNX model of nodes of x and y, of the shapes (2, 3) and (3), whose results are outputs."""
    typed = lambda name, dims: _field(1, name) + _field(2, _field(1, _field(1, 1) + _field(2, b"".join(_field(1, _field(1, dim)) for dim in dims))))
    made = b"".join(_field(1, b"".join(_field(1, one) for one in ins) + _field(2, out) + _field(4, op)) for op, ins, out in nodes)
    ends = _field(11, typed(b"x", (2, 3))) + _field(11, typed(b"y", (3,))) + b"".join(_field(12, _field(1, out)) for *_, out in nodes)
    return _field(1, 8) + _field(8, _field(2, 13)) + _field(7, made + _field(2, b"g") + ends)


FEEDS = [{"x": np.arange(6, dtype="f4").reshape(2, 3) + k, "y": np.float32([1, -2, 3])} for k in (0, 10)]


@pytest.mark.parametrize("name", ["onnxruntime", "openvino", "mnn", "tvm", "opencv", "nncase", "rknn"])
def test_whole_models_run(name):
    """Several results in any order, on several sets of inputs; a refusal is no end, and one that ends is asked again."""
    if not engines.installed(name):
        pytest.skip(f"no environment has {name}")
    engine = engines.Engine(name)
    model = _model((b"Add", (b"x", b"y"), b"a"), (b"Mul", (b"x", b"y"), b"m"))
    kind, found = engine.run(model, FEEDS, ["m", "a"])
    assert kind == "ok" and len(found) == 2, found
    for feeds, (product, total) in zip(FEEDS, found):
        assert np.array_equal(total, feeds["x"] + feeds["y"]) and np.array_equal(product, feeds["x"] * feeds["y"])
        assert total.dtype == np.float32 and total.flags.writeable
    assert engine.run(b"no model", FEEDS, ["a"])[0] == "refused"
    assert engine.run(model, FEEDS, ["a", "b", "c"])[0] in ("refused", "unknown")
    process = engine.process
    assert engine.run(model, FEEDS, ["m", "a"]) == (kind, found) and engine.process is process
    engine.close()


def test_a_process_that_ends_or_is_late_is_an_answer(monkeypatch):
    """A driver that falls over, or is late, in a copy of its process and in its own."""
    driver = """
APART = {apart}
def start(): import numpy
def version(): return "1"
def load(model, names, outputs, options):
    if model.data == b"ends":
        os.kill(os.getpid(), signal.SIGSEGV)
    if model.data == b"late":
        time.sleep(60)
    return lambda feeds: [feeds[name] for name in names]
"""
    for apart in (True, False):
        shared = engines.text("protocol")
        monkeypatch.setattr(engines, "text", lambda name, apart=apart: shared + driver.replace("{apart}", str(apart)))
        engine = engines.Engine("onnxruntime")
        kind, found = engine.run(b"", FEEDS)
        assert kind == "ok" and np.array_equal(found[1][0], FEEDS[1]["x"])
        process = engine.process
        assert engine.run(b"ends", FEEDS) == ("ended", "ends the process (signal 11)")
        with monkeypatch.context() as hurry:
            hurry.setattr(engines, "SECONDS", {"onnxruntime": 1})
            kind, found = engine.run(b"late", FEEDS)
        assert kind in ("unknown", "ended") and (not apart or found == "it does not answer within 1 seconds"), found
        # A copy that ends does not end the process that made it.
        assert (engine.process is process) == apart
        assert engine.run(b"again", FEEDS)[0] == "ok"
        engine.close()
        monkeypatch.setattr(engines, "text", lambda name: shared)
