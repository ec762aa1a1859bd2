"""pnnx, which converts, and ncnn, which runs what it wrote."""


def start():
    import ncnn  # noqa: F401
    import pnnx  # noqa: F401


def convert(model):
    """Write the model in ncnn's format, and return the script that runs it."""
    import subprocess
    from pathlib import Path

    import pnnx

    for name in ("m.ncnn.param", "m.ncnn.bin", "m_ncnn.py"):
        Path(name).unlink(missing_ok=True)
    Path("m.onnx").write_bytes(model)
    program = Path(pnnx.__file__).parent / "pnnx"
    done = subprocess.run([program, "m.onnx", "fp16=0"], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    if not all(Path(name).exists() for name in ("m.ncnn.param", "m.ncnn.bin", "m_ncnn.py")):
        raise RuntimeError(f"pnnx ends with {done.returncode}: {done.stderr[-200:].decode(errors='replace')}")
    return Path("m_ncnn.py").read_text()


def answer(question):
    import re

    import ncnn
    import numpy

    if any(one.dtype != "f32" for one in question.computed()):
        raise Unasked("ncnn is asked about f32 only")  # noqa: F821
    script = convert(question.model)
    net = ncnn.Net()
    option = net.opt
    option.use_vulkan_compute = option.use_fp16_packed = option.use_fp16_storage = option.use_fp16_arithmetic = False
    option.use_bf16_storage, option.num_threads = False, 1
    if net.load_param("m.ncnn.param") or net.load_model("m.ncnn.bin"):
        raise RuntimeError("ncnn does not load what pnnx wrote")
    inputs = re.findall(r'ex\.input\("in(\d+)", ncnn\.Mat\(in\d+(?:\.squeeze\((\d+)\))?\.numpy\(\)(?:, batch_index=(\d+))?\)', script)
    outputs = re.findall(r'ex\.extract\("(out\d+)"\)[\s\S]*?\.numpy\((?:batch_index=(\d+))?\)\)(?:\.unsqueeze\((\d+)\))?', script)
    given = question.computed()
    with net.create_extractor() as extractor:
        for k, squeezed, axis in inputs:
            array = numpy.ascontiguousarray(given[int(k)].array())
            array = numpy.squeeze(array, int(squeezed)) if squeezed else array
            mat = ncnn.Mat(array, batch_index=int(axis)) if axis else ncnn.Mat(array)
            extractor.input(f"in{k}", mat.clone())
        name, axis, added = outputs[0]
        code, mat = extractor.extract(name)
        if code:
            raise RuntimeError(f"ncnn returns {code}")
        array = numpy.array(mat.numpy(batch_index=int(axis)) if axis else mat.numpy()).copy()
    return numpy.expand_dims(array, int(added)) if added else array
