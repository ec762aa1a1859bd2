"""The compiler and the simulator of RKNN-Toolkit2, for Rockchip's NPUs; without quantisation."""

import contextlib
import tempfile

APART = True
PLATFORM = "rk3588"


def start():
    """Import it."""
    from rknn.api import RKNN  # noqa: F401

    return f"simulator of {PLATFORM.upper()}"


def version():
    """Return the version."""
    import importlib.metadata

    return importlib.metadata.version("rknn-toolkit2")


@contextlib.contextmanager
def said(into):
    """Put into a list what is written to the standard outputs."""
    with tempfile.TemporaryFile() as file:
        before = [os.dup(1), os.dup(2)]  # noqa: F821 - imported by protocol.py
        os.dup2(file.fileno(), 1)  # noqa: F821
        os.dup2(file.fileno(), 2)  # noqa: F821
        try:
            yield
        finally:
            for k, old in enumerate(before, 1):
                os.dup2(old, k)  # noqa: F821
                os.close(old)  # noqa: F821
            file.seek(0)
            into += file.read().decode(errors="replace").splitlines()


def step(name, do):
    """Do a step, and raise an exception with the first error that was written, where it fails."""
    lines, why = [], ""
    with said(lines):
        try:
            found = do()
        except BaseException as raised:  # noqa: BLE001 - it raises SystemExit too
            found, why = None, str(raised)
    if found is None or isinstance(found, int) and found:
        errors = [line[2:] for line in lines if line.startswith("E ") and "=====" not in line and "Traceback" not in line]
        raise RuntimeError(f"{name}: {' '.join((errors or [why])[-1].split())}")
    return found


def load(model, names, outputs, options):
    """Compile a model."""
    import numpy
    import onnx
    from rknn.api import RKNN

    if model.format != "onnx":
        raise Unasked("RKNN is asked about ONNX models only")  # noqa: F821
    known = [value.name for value in onnx.load_model_from_string(model.data).graph.output]
    made = step("start", lambda: RKNN(verbose=False))
    step("config", lambda: made.config(target_platform=PLATFORM))
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.data)
        file.flush()
        step("load_onnx", lambda: made.load_onnx(file.name))
    step("build", lambda: made.build(do_quantization=False))
    step("init_runtime", made.init_runtime)

    def call(feeds):
        given = [numpy.array(feeds[name], order="C") for name in names]
        found = step("inference", lambda: made.inference(inputs=given, data_format=["nchw"] * len(given)))
        wanted = places([{name} for name in known], outputs) if outputs else range(len(found))  # noqa: F821
        return [numpy.array(found[k]) for k in wanted]

    return call
